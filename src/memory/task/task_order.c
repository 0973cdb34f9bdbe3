/* task_order.c - tasks together: lists, dependencies, cycles, what can be done next.
 *
 * Nothing here is stored.  Dependencies stand in the tasks, each in its own stream, and two
 * processes can add tasks that close a cycle between them before either sees the other.  So the
 * check when a task is added is a courtesy to its author; the order is computed from the tasks as
 * they are, reports cycles and missing dependencies as problems, and keeps only those tasks from
 * being ready that they concern.
 *
 * Cycles are found by a walk into the depth along dependencies.  A task is white until it is met,
 * grey while it is on the path from the start, black when all below it has been seen:
 *
 *     a ──► b ──► c ──► d        path a b c d, all grey
 *           ▲           │
 *           └───────────┘        d needs b, and b is grey: b -> c -> d -> b is a cycle
 *
 * What is ready comes first by priority, then by id, so that everybody sees the same order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/task/share.h"
#include "memory/task/task.h"

enum { PATH_SHOWN = 8 };

/* --- Problems -------------------------------------------------------------------------- */

typedef struct Problems {
    Arena *into;
    TaskProblem *items;
    size_t n, total;
} Problems;

static void add_problem(Problems *to, Str id, Str why)
{
    if (to->total++ >= TASK_PROBLEMS_MAX)
        return;
    if (!to->items)
        to->items = NEW_ARRAY(to->into, TaskProblem, TASK_PROBLEMS_MAX);
    assert(to->n < TASK_PROBLEMS_MAX);
    to->items[to->n++] = (TaskProblem){ arena_copy(to->into, id), arena_copy(to->into, why) };
}

/* --- Lists ----------------------------------------------------------------------------- */

/* A listed task; JOT_NOT_FOUND if it is a problem or gone meanwhile. */
static jot_status read_listed(Memory *m, Str id, Arena *into, Problems *problems, Task *out, Err *e)
{
    Err why = { 0 };
    jot_status st = task_read(m, id, into, out, &why);
    if (st == JOT_OK && out->refused.n)
        add_problem(problems, id, out->refused);
    if (st == JOT_CORRUPT || st == JOT_INVALID) {
        add_problem(problems, id, str(why.text));
        return JOT_NOT_FOUND;
    }
    return err_pass(e, &why, st);
}

static bool is_asked(const TaskQuery *q, const Task *t)
{
    bool state = !q->status || *q->status == t->status;
    return state && (!q->of.n || str_eq(q->of, t->holder.n ? t->holder : t->agent));
}

typedef struct Filling {
    Memory *m;
    const TaskQuery *q;
    size_t limit;
    Arena *into;
    Problems *problems;
    TaskList *out;
    Err *e;
} Filling;

static jot_status fill(void *ctx, Str id)
{
    Filling *f = ctx;
    Task t;
    jot_status st = read_listed(f->m, id, f->into, f->problems, &t, f->e);
    if (st == JOT_NOT_FOUND || (st == JOT_OK && !is_asked(f->q, &t)))
        return JOT_OK;
    TRY(st);
    f->out->more = f->out->n == f->limit;
    if (f->out->more)
        return JOT_CANCELLED; /* the walk: there is no room for this one */
    f->out->items[f->out->n++] = t;
    return JOT_OK;
}

jot_status task_list(Memory *m, const TaskQuery *q, Arena *into, TaskList *out, Err *e)
{
    Problems problems = { .into = into };
    Err why = { 0 };
    size_t limit = q->limit ? q->limit : TASK_LIST_MAX;
    if (limit > TASK_LIST_MAX)
        return err_set(e, JOT_INVALID, "one answer has at most %d tasks", TASK_LIST_MAX);
    *out = (TaskList){ .items = NEW_ARRAY(into, Task, limit) };
    Filling f = { m, q, limit, into, &problems, out, &why };
    jot_status st = share_each(m, &(ShareWalk){ TASK_KIND, q->after, fill, &f }, &why);
    if (st != JOT_OK && !(st == JOT_CANCELLED && out->more))
        return err_pass(e, &why, st);
    out->problems = problems.items;
    out->problems_n = problems.n;
    out->problems_total = problems.total;
    return JOT_OK;
}

/* --- Sets of tasks --------------------------------------------------------------------- */

/* Tasks by id, ascending, with room for what a walk notes of each. */
typedef struct Set {
    Memory *m;
    Arena *into;
    Problems *problems;
    Task *items;
    size_t n, cap;
    Err *e;
} Set;

static jot_status add_task(Set *s, const Task *t)
{
    if (s->n == TASK_ORDER_MAX)
        return err_set(s->e, JOT_TOO_BIG, "there are more than %d tasks to put in order",
                       TASK_ORDER_MAX);
    s->items = arena_grow(s->into, s->items, s->n, &s->cap, sizeof(Task), alignof(Task));
    s->items[s->n++] = *t;
    return JOT_OK;
}

static jot_status add_listed(void *ctx, Str id)
{
    Set *s = ctx;
    Task t;
    jot_status st = read_listed(s->m, id, s->into, s->problems, &t, s->e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    return add_task(s, &t);
}

static int by_id(const void *a, const void *b)
{
    return str_cmp(((const Task *)a)->id, ((const Task *)b)->id);
}

/* The place of a task in the set; s->n if it is not there. */
static size_t find(const Set *s, Str id)
{
    Task key = { .id = id };
    const Task *found = s->n ? bsearch(&key, s->items, s->n, sizeof *s->items, by_id) : NULL;
    return found ? (size_t)(found - s->items) : s->n;
}

/* --- Cycles ---------------------------------------------------------------------------- */

/* "a -> b -> a"; of a long way its beginning and its end. */
static Str path_text(const Set *s, const size_t *path, size_t n, Arena *into)
{
    AUTO(Buf) to = { 0 };
    Shown shown;
    for (size_t i = 0; i < n; i++) {
        if (n > PATH_SHOWN && i == PATH_SHOWN / 2) {
            buf_addf(&to, "(%zu more) -> ", n - PATH_SHOWN / 2 - 1);
            i = n - 1;
        }
        buf_addf(&to, "%s -> ", err_show(&shown, s->items[path[i]].id));
    }
    buf_addf(&to, "%s", err_show(&shown, s->items[path[0]].id));
    return arena_copy(into, buf_str(&to));
}

typedef enum Colour { WHITE = 0, GREY, BLACK } Colour;

/* A walk into the depth: the way from where it began is `path`, all grey; `next` is the dependency
 * each of them looks at next.  An edge to a grey task closes a cycle. */
typedef struct Dive {
    const Set *set;
    unsigned char *colour;
    size_t *path, *next, n;
    void (*found)(void *ctx, const struct Dive *d, size_t from);
    void *ctx;
} Dive;

static void enter(Dive *d, size_t task)
{
    assert(task < d->set->n && d->n < d->set->n && d->colour[task] == WHITE);
    d->colour[task] = GREY;
    d->path[d->n] = task;
    d->next[d->n++] = 0;
}

/* Depth first along dependencies, without recursion.  A task is white until it is met, grey while
 * it is on the path from the start, black when all that is below it has been seen.  Meeting a grey
 * one again closes a cycle: it is the path from there to the top. */
static void dive(Dive *d, size_t start)
{
    enter(d, start);
    while (d->n) {
        size_t top = d->n - 1;
        assert(d->n <= d->set->n && d->colour[d->path[top]] == GREY);
        const Task *t = &d->set->items[d->path[top]];
        if (d->next[top] == t->dependencies.n) {
            d->colour[d->path[top]] = BLACK;
            d->n--;
            continue;
        }
        size_t other = find(d->set, t->dependencies.items[d->next[top]++]);
        if (other == d->set->n || d->colour[other] == BLACK)
            continue;
        if (d->colour[other] == WHITE) {
            enter(d, other);
            continue;
        }
        size_t from = 0;
        while (from < d->n && d->path[from] != other)
            from++;
        assert(from < d->n); /* what is grey is on the path */
        d->found(d->ctx, d, from);
    }
}

static Dive new_dive(const Set *s, Arena *arena)
{
    return (Dive){ .set = s,
                   .colour = NEW_ARRAY(arena, unsigned char, s->n + 1),
                   .path = NEW_ARRAY(arena, size_t, s->n + 1),
                   .next = NEW_ARRAY(arena, size_t, s->n + 1) };
}

/* --- A task that is to be added -------------------------------------------------------- */

/* The first cycle through the task the walk began at. */
static void note_cycle(void *ctx, const Dive *d, size_t from)
{
    Str *why = ctx;
    if (from == 0 && why->n == 0)
        *why = path_text(d->set, d->path, d->n, d->set->into);
}

static jot_status check_names(Str id, const TaskNames *names, Err *e)
{
    Shown a, b;
    for (size_t i = 0; i < names->n; i++) {
        if (str_eq(names->items[i], id))
            return err_set(e, JOT_INVALID, "dependency cycle: %s -> %s", err_show(&a, id),
                           err_show(&b, id));
        for (size_t k = 0; k < i; k++)
            if (str_eq(names->items[i], names->items[k]))
                return err_set(e, JOT_INVALID, "duplicate dependency '%s' of task '%s'",
                               err_show(&a, names->items[i]), err_show(&b, id));
    }
    return JOT_OK;
}

/* Ids that were met, by their hash. */
typedef struct Ids {
    Arena *into;
    Str *slots;
    size_t n, size; /* the size is a power of two, and at least twice n */
} Ids;

static Str *slot_of(const Ids *ids, Str id)
{
    assert(ids->n < ids->size); /* one slot at least is free, and ends the search */
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < id.n; i++)
        h = (h ^ (unsigned char)id.p[i]) * 0x100000001B3u;
    size_t at = (size_t)(h ^ (h >> 29)) & (ids->size - 1);
    while (ids->slots[at].n && !str_eq(ids->slots[at], id))
        at = (at + 1) & (ids->size - 1);
    return &ids->slots[at];
}

/* False if it was met before. */
static bool meet(Ids *ids, Str id)
{
    if (2 * ids->n >= ids->size) {
        Ids larger = { .into = ids->into, .n = ids->n, .size = ids->size ? 2 * ids->size : 64 };
        larger.slots = NEW_ARRAY(ids->into, Str, larger.size);
        for (size_t i = 0; i < ids->size; i++)
            if (ids->slots[i].n)
                *slot_of(&larger, ids->slots[i]) = ids->slots[i];
        *ids = larger;
    }
    Str *slot = slot_of(ids, id);
    if (slot->n)
        return false;
    *slot = id;
    ids->n++;
    return true;
}

typedef struct Walk {
    Set set; /* the new task first, then those that may lead to it */
    Ids met;
    bool later;  /* what it depends on need not be there */
    bool old;    /* there was a task of its id before: anybody may depend on it */
    bool awaits; /* something is missing, or was not looked at */
} Walk;

/* A dependency of the task at place `of`: to be followed, or not. */
static jot_status follow(Walk *w, size_t of, Str name, Err *e)
{
    Shown a, b;
    Task t;
    if (!meet(&w->met, name))
        return JOT_OK;
    TRY(memory_progress(w->set.m, 1, e));
    jot_status st = task_read(w->set.m, name, w->set.into, &t, e);
    if (st == JOT_NOT_FOUND && of == 0 && !w->later)
        return err_set(e, JOT_INVALID,
                       "missing dependency id '%s' referenced by task '%s': add it first, "
                       "or say that it comes later: --later, in tools later",
                       err_show(&a, name), err_show(&b, w->set.items[0].id));
    if (st != JOT_OK && st != JOT_NOT_FOUND && (of == 0 || st != JOT_CORRUPT))
        return st;
    /* Nothing can depend on the new task yet, unless a task of its id was there before, or somebody
     * waits for one that was not there: only through those can a cycle lead back to it. */
    bool leads = st == JOT_OK && t.status != TASK_COMPLETED && (w->old || t.awaits);
    bool enough = w->set.n == TASK_ORDER_MAX;
    w->awaits = w->awaits || st != JOT_OK || (leads && enough);
    return leads && !enough ? add_task(&w->set, &t) : JOT_OK;
}

static jot_status look_for_old(Walk *w, Str id, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream = arena_printf(&arena, TASK_KIND STR_FMT, STR_ARG(id));
    Record head;
    Err why = { 0 };
    jot_status st = store_head(w->set.m->store, stream, HEAD_MARK, &arena, &head, &why);
    w->old = st != JOT_NOT_FOUND;
    return st == JOT_OK || st == JOT_NOT_FOUND || st == JOT_CORRUPT ? JOT_OK
                                                                    : err_pass(e, &why, st);
}

jot_status task_check_dependencies(Memory *m, Str id, const TaskNames *dependencies, bool later,
                                   bool *awaits, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Walk w = { .set = { .m = m, .into = &arena, .e = e },
               .met = { .into = &arena },
               .later = later };
    Str why = { 0 };
    *awaits = false;
    if (dependencies->n == 0)
        return JOT_OK;
    TRY(check_names(id, dependencies, e));
    TRY(look_for_old(&w, id, e));
    (void)meet(&w.met, id);
    TRY(add_task(&w.set, &(Task){ .id = id, .dependencies = *dependencies }));
    /* Follow everything through which the new task may depend on itself, over any number of
     * steps. */
    for (size_t i = 0; i < w.set.n; i++) {
        TaskNames names = w.set.items[i].dependencies;
        for (size_t k = 0; k < names.n; k++)
            TRY(follow(&w, i, names.items[k], e));
    }
    *awaits = w.awaits;
    qsort(w.set.items, w.set.n, sizeof *w.set.items, by_id);
    Dive d = new_dive(&w.set, &arena);
    d.found = note_cycle;
    d.ctx = &why;
    dive(&d, find(&w.set, id));
    return why.n ? err_set(e, JOT_INVALID, "dependency cycle: " STR_FMT, STR_ARG(why)) : JOT_OK;
}

/* --- The order ------------------------------------------------------------------------- */

static void report_cycle(void *ctx, const Dive *d, size_t from)
{
    Problems *problems = ctx;
    AUTO(Arena) arena = { 0 };
    Str path = path_text(d->set, d->path + from, d->n - from, &arena);
    add_problem(problems, d->set->items[d->path[from]].id,
                arena_printf(&arena, "dependency cycle: " STR_FMT, STR_ARG(path)));
}

/* Why a dependency keeps a task waiting; the empty Str if it does not. */
static Str reason_to_wait(const Set *s, const Task *t, Str dependency, Arena *into)
{
    size_t at = find(s, dependency);
    if (at == s->n) {
        Str why = arena_printf(into, "missing dependency: " STR_FMT, STR_ARG(dependency));
        add_problem(s->problems, t->id, why);
        return why;
    }
    if (s->items[at].status == TASK_COMPLETED)
        return (Str){ 0 };
    const char *why = s->items[at].cancelled               ? "dependency cancelled"
                      : s->items[at].status == TASK_FAILED ? "upstream dependency failed"
                                                           : "waiting for dependency";
    return arena_printf(into, "%s: " STR_FMT, why, STR_ARG(dependency));
}

static TaskNames reasons_to_wait(const Set *s, const Task *t, Arena *into)
{
    TaskNames out = { .items = NEW_ARRAY(into, Str, t->dependencies.n + 1) };
    for (size_t i = 0; i < t->dependencies.n; i++) {
        Str why = reason_to_wait(s, t, t->dependencies.items[i], into);
        if (why.n)
            out.items[out.n++] = why;
    }
    return out;
}

static int by_turn(const void *a, const void *b)
{
    const Task *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return str_cmp(x->id, y->id);
}

static int waiting_by_turn(const void *a, const void *b)
{
    return by_turn(&((const TaskWaiting *)a)->task, &((const TaskWaiting *)b)->task);
}

jot_status task_order(Memory *m, Arena *into, TaskOrder *out, Err *e)
{
    Problems problems = { .into = into };
    Set s = { .m = m, .into = into, .problems = &problems, .e = e };
    TRY(share_each(m, &(ShareWalk){ .kind = TASK_KIND, .each = add_listed, .ctx = &s }, e));
    *out = (TaskOrder){ .ready = NEW_ARRAY(into, Task, s.n + 1),
                        .waiting = NEW_ARRAY(into, TaskWaiting, s.n + 1) };
    for (size_t i = 0; i < s.n; i++) {
        const Task *t = &s.items[i];
        if (t->status != TASK_PENDING && t->status != TASK_READY)
            continue;
        TaskNames reasons = { 0 };
        if (t->status == TASK_PENDING)
            reasons = reasons_to_wait(&s, t, into);
        if (reasons.n)
            out->waiting[out->waiting_n++] = (TaskWaiting){ *t, reasons };
        else
            out->ready[out->ready_n++] = *t;
    }
    assert(out->ready_n + out->waiting_n <= s.n);
    AUTO(Arena) arena = { 0 };
    Dive d = new_dive(&s, &arena);
    d.found = report_cycle;
    d.ctx = &problems;
    for (size_t i = 0; i < s.n; i++)
        if (d.colour[i] == WHITE)
            dive(&d, i);
    qsort(out->ready, out->ready_n, sizeof *out->ready, by_turn);
    qsort(out->waiting, out->waiting_n, sizeof *out->waiting, waiting_by_turn);
    out->problems = problems.items;
    out->problems_n = problems.n;
    out->problems_total = problems.total;
    return JOT_OK;
}

/* --- As JSON --------------------------------------------------------------------------- */

static json_t *problems_json(const TaskProblem *items, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, json_pack("{s:o, s:o}", "task_id", json_text(items[i].id), "why",
                                             json_text(items[i].why)));
    return out;
}

static json_t *tasks_json(const Task *items, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, task_json(&items[i]));
    return out;
}

json_t *task_list_json(const TaskList *list)
{
    return json_pack("{s:o, s:b, s:o, s:I}", "tasks", tasks_json(list->items, list->n), "more",
                     list->more, "problems", problems_json(list->problems, list->problems_n),
                     "problems_total", (json_int_t)list->problems_total);
}

json_t *task_order_json(const TaskOrder *order)
{
    json_t *waiting = json_array();
    for (size_t i = 0; i < order->waiting_n; i++) {
        json_t *reasons = json_array();
        for (size_t k = 0; k < order->waiting[i].reasons.n; k++)
            json_array_append_new(reasons, json_text(order->waiting[i].reasons.items[k]));
        json_array_append_new(waiting,
                              json_pack("{s:o, s:o}", "task_id",
                                        json_text(order->waiting[i].task.id), "reasons", reasons));
    }
    return json_pack("{s:o, s:o, s:o, s:I}", "ready", tasks_json(order->ready, order->ready_n),
                     "waiting", waiting, "problems",
                     problems_json(order->problems, order->problems_n), "problems_total",
                     (json_int_t)order->problems_total);
}
