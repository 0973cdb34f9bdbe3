/* open.c - open work, kind by kind: leases, runs, tasks and plans that somebody has begun and not
 * ended.
 *
 * What cannot be read is left out, because this is a line in an overview and no judgement; whoever
 * continues a piece of work opens it, and is told then. */
#include "memory/context/open.h"

#include "base/time.h"
#include "base/utf8.h"
#include "memory/lease.h"
#include "memory/newest.h"
#include "memory/run/run_newest.h"
#include "memory/task/plan.h"
#include "memory/task/share.h"
#include "memory/task/task.h"

typedef struct Work {
    Memory *m;
    Arena *into;
    OpenWork *out;
    size_t cap;
    Err *e;
} Work;

static OpenItem *add(Work *w, const char *what, Str name)
{
    OpenWork *o = w->out;
    o->items = arena_grow(w->into, o->items, o->n, &w->cap, sizeof(OpenItem), alignof(OpenItem));
    o->items[o->n] = (OpenItem){ .what = what, .name = arena_copy(w->into, name) };
    return &o->items[o->n++];
}

static jot_status add_leases(Work *w)
{
    LeaseList list;
    TRY(lease_list(w->m, w->into, &list, w->e));
    for (size_t i = 0; i < list.n; i++) {
        const Lease *l = &list.items[i];
        if (l->left_ms <= 0)
            continue;
        if (w->out->leases++ >= OPEN_LEASES)
            continue;
        Str on = l->prefix ? arena_printf(w->into, STR_FMT "*", STR_ARG(l->on)) : l->on;
        add(w, "lease", on)->says = arena_printf(w->into, "held by " STR_FMT, STR_ARG(l->by));
    }
    return JOT_OK;
}

/* A run says by its newest record whether it has ended. */
static bool run_is_open(Work *w, Str stream)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    if (store_head(w->m->store, stream, HEAD_MARK, &arena, &head, &(Err){ 0 }) != JOT_OK)
        return false;
    RunKind kind = run_step_of(&head, &arena).kind;
    return kind != RUN_ANSWER && kind != RUN_END;
}

static jot_status add_runs(Work *w)
{
    RunNewest newest;
    size_t open = 0;
    TRY(run_newest(w->m, OPEN_LOOKED_AT, w->into, &newest, w->e));
    for (size_t i = 0; i < newest.n && open < OPEN_RUNS; i++) {
        const RunLine *l = &newest.items[i];
        if (!run_is_open(w, arena_printf(w->into, "runs/" STR_FMT, STR_ARG(l->id))))
            continue;
        OpenItem *x = add(w, "run", l->id);
        x->says = arena_printf(w->into, "unfinished, %llu record%s", (unsigned long long)l->records,
                               l->records == 1 ? "" : "s");
        x->at_ms = l->at_ms;
        TRY(run_query(w->m, l->id, w->into, &x->about, w->e));
        open++;
    }
    return JOT_OK;
}

static void add_task(Work *w, const Task *t)
{
    if (w->out->tasks++ >= OPEN_TASKS)
        return;
    OpenItem *x = add(w, "task", t->id);
    Str who = t->holder.n ? t->holder : t->agent;
    x->says =
        arena_printf(w->into, "%s%s" STR_FMT "%s" STR_FMT, task_status_name(t->status),
                     who.n ? ", " : "", STR_ARG(who), t->reason.n ? ", " : "", STR_ARG(t->reason));
    x->about = t->description;
    x->at_ms = t->at_ms;
}

/* Those that run first, then what can be done, then what waits. */
static jot_status add_tasks(Work *w)
{
    static const TaskStatus order[] = { TASK_RUNNING, TASK_READY, TASK_FAILED, TASK_BLOCKED,
                                        TASK_PENDING };
    TaskList list;
    TRY(task_list(w->m, &(TaskQuery){ 0 }, w->into, &list, w->e));
    for (size_t s = 0; s < COUNT_OF(order); s++)
        for (size_t i = 0; i < list.n; i++)
            if (list.items[i].status == order[s] && !list.items[i].cancelled)
                add_task(w, &list.items[i]);
    return JOT_OK;
}

static bool has_plan(const Work *w, Str id)
{
    for (size_t i = 0; i < w->out->n; i++)
        if (str_eq(str(w->out->items[i].what), S("plan")) && str_eq(w->out->items[i].name, id))
            return true;
    return false;
}

/* The newest of those whose streams, or whose files, begin so. */
static jot_status add_plans(Work *w, Str prefix, size_t *open)
{
    Newest newest;
    NewestAsk ask = { .prefix = prefix, .max = OPEN_LOOKED_AT };
    TRY(memory_newest(w->m, &ask, w->into, &newest, w->e));
    for (size_t i = 0; i < newest.n && *open < OPEN_PLANS; i++) {
        Plan p;
        size_t done = 0;
        Str id = str_from(newest.items[i].name, prefix.n);
        if (has_plan(w, id) || plan_read(w->m, id, w->into, &p, &(Err){ 0 }) != JOT_OK ||
            plan_ready(&p))
            continue;
        for (size_t s = 0; s < p.steps_n; s++)
            done += p.steps[s].status == PLAN_DONE;
        OpenItem *x = add(w, "plan", id);
        x->says = arena_printf(w->into, "%zu of %zu steps done", done, p.steps_n);
        x->about = p.objective;
        x->at_ms = p.at_ms;
        ++*open;
    }
    return JOT_OK;
}

jot_status open_work(Memory *m, Arena *into, OpenWork *out, Err *e)
{
    unsigned shares;
    size_t plans = 0;
    *out = (OpenWork){ 0 };
    Work w = { .m = m, .into = into, .out = out, .e = e };
    TRY(add_leases(&w));
    TRY(add_runs(&w));
    TRY(add_tasks(&w));
    TRY(add_plans(&w, S(PLAN_KIND), &plans));
    TRY(share_now(m, &shares, e));
    return shares & SHARE_PLANS ? add_plans(&w, S(SHARE_KIND PLAN_KIND), &plans) : JOT_OK;
}

json_t *open_work_json(const OpenWork *w)
{
    json_t *list = json_array();
    for (size_t i = 0; i < w->n; i++) {
        const OpenItem *x = &w->items[i];
        json_t *row = json_pack("{s:s, s:o, s:o, s:o}", "what", x->what, "name", json_text(x->name),
                                "state", json_text(x->says), "about", json_text(x->about));
        if (x->at_ms)
            json_object_set_new(row, "at", json_string(time_text(x->at_ms).text));
        json_array_append_new(list, row);
    }
    return list;
}
