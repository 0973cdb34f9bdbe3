/* task.c - tasks of jotter.h. */
#include "memory/task/task.h"

#include "api/api.h"

/* Zero is no status there, so that a query can leave it open; otherwise they agree. */
_Static_assert(JOT_TASK_PENDING == TASK_PENDING + 1 && JOT_TASK_READY == TASK_READY + 1 &&
                   JOT_TASK_RUNNING == TASK_RUNNING + 1 &&
                   JOT_TASK_COMPLETED == TASK_COMPLETED + 1 && JOT_TASK_FAILED == TASK_FAILED + 1 &&
                   JOT_TASK_BLOCKED == TASK_BLOCKED + 1,
               "the statuses of a task are one apart");

static jot_status read_status(jot_pad *p, jot_task_status given, TaskStatus *out)
{
    if ((int)given < JOT_TASK_PENDING || (int)given > JOT_TASK_BLOCKED)
        return err_set(api_err(p), JOT_INVALID,
                       "no status %d: use JOT_TASK_PENDING to JOT_TASK_BLOCKED", (int)given);
    *out = (TaskStatus)((int)given - 1);
    return JOT_OK;
}

static jot_task *give(jot_pad *p, const Task *t)
{
    jot_task *out = NEW_RESULT(p, jot_task);
    *out = (jot_task){ .id = api_give_name(p, t->id),
                       .description = api_give_text(p, t->description),
                       .expected_output = api_give_text(p, t->expected_output),
                       .agent = api_give_name(p, t->agent),
                       .tools = api_give_names(p, t->tools.items, t->tools.n),
                       .tools_count = t->tools.n,
                       .dependencies = api_give_names(p, t->dependencies.items, t->dependencies.n),
                       .dependencies_count = t->dependencies.n,
                       .priority = t->priority,
                       .max_retries = t->max_retries,
                       .retry_count = t->retry_count,
                       .status = (jot_task_status)((int)t->status + 1),
                       .reason = api_give_text(p, t->reason),
                       .result = api_give_text(p, t->result),
                       .blocked_until_manual = t->blocked_until_manual,
                       .seq = t->seq,
                       .at_ms = t->at_ms,
                       .by = api_give_name(p, t->by),
                       .waits = api_give_names(p, NULL, 0),
                       .holder = api_give_name(p, t->holder),
                       .cancelled = t->cancelled };
    return out;
}

jot_status jot_task_add(jot_pad *pad, const char *id, const jot_task_options *options,
                        const jot_task **out)
{
    jot_task_options o;
    Task t;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    TaskAdd add = { .agent = str(o.agent),
                    .priority = o.priority,
                    .max_retries = o.max_retries,
                    .later = o.later };
    if (id)
        TRY(api_name(pad, "a task's id", id, &add.id));
    TRY(api_text(pad, o.description, &add.description));
    TRY(api_text(pad, o.expected_output, &add.expected_output));
    ApiStrings tools = { "tools", o.tools, o.tools_count, TASK_NAMES_MAX };
    ApiStrings dependencies = { "dependencies", o.dependencies, o.dependencies_count,
                                TASK_NAMES_MAX };
    TRY(api_strings(pad, &tools, &add.tools.items));
    TRY(api_strings(pad, &dependencies, &add.dependencies.items));
    add.tools.n = o.tools_count;
    add.dependencies.n = o.dependencies_count;
    TRY(task_add(&pad->m, &add, api_arena(pad), &t, api_err(pad)));
    GIVE(out, give(pad, &t));
    return JOT_OK;
}

jot_status jot_task_read(jot_pad *pad, const char *id, const jot_task **out)
{
    Str name;
    Task t;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    TRY(task_read(&pad->m, name, api_arena(pad), &t, api_err(pad)));
    GIVE(out, give(pad, &t));
    return JOT_OK;
}

/* A task that was refused a move is returned as it is, if it was read. */
static jot_status end_move(jot_pad *p, jot_status st, const Task *t, const jot_task **out)
{
    if (st == JOT_OK || ((st == JOT_INVALID || st == JOT_CONFLICT) && t->id.n))
        GIVE(out, give(p, t));
    return st;
}

jot_status jot_task_move(jot_pad *pad, const char *id, jot_task_status to,
                         const jot_task_move_options *options, const jot_task **out)
{
    jot_task_move_options o;
    Str name;
    Task t = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    TRY(api_options(pad, options, &o, sizeof o));
    TaskMove move = { .manual = o.manual, .if_seq = o.if_seq };
    TRY(read_status(pad, to, &move.to));
    TRY(api_text(pad, o.reason, &move.reason));
    TRY(api_text(pad, o.result, &move.result));
    jot_status st = task_move(&pad->m, name, &move, api_arena(pad), &t, api_err(pad));
    return end_move(pad, st, &t, out);
}

jot_status jot_task_start(jot_pad *pad, const char *id, bool manual, const jot_task **out)
{
    Str name;
    Task t = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    jot_status st = task_start(&pad->m, name, manual, api_arena(pad), &t, api_err(pad));
    return end_move(pad, st, &t, out);
}

jot_status jot_task_next(jot_pad *pad, const jot_task **out)
{
    Task t;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(task_next(&pad->m, api_arena(pad), &t, api_err(pad)));
    GIVE(out, give(pad, &t));
    return JOT_OK;
}

/* The texts of an edit; those that are not given stay NULL. */
static jot_status read_edit(jot_pad *p, const jot_task_edit_options *o, TaskEdit *out, Str texts[3])
{
    if (o->description) {
        TRY(api_text(p, *o->description, &texts[0]));
        out->description = &texts[0];
    }
    if (o->expected_output) {
        TRY(api_text(p, *o->expected_output, &texts[1]));
        out->expected_output = &texts[1];
    }
    texts[2] = str(o->agent);
    out->agent = o->agent ? &texts[2] : NULL;
    out->priority = o->priority;
    out->max_retries = o->max_retries;
    out->later = o->later;
    out->if_seq = o->if_seq;
    return JOT_OK;
}

jot_status jot_task_edit(jot_pad *pad, const char *id, const jot_task_edit_options *options,
                         const jot_task **out)
{
    jot_task_edit_options o;
    Str name, texts[3];
    TaskNames tools, needs;
    TaskEdit edit = { 0 };
    Task t = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(read_edit(pad, &o, &edit, texts));
    tools.n = o.tools_count;
    needs.n = o.dependencies_count;
    TRY(api_strings(pad, &(ApiStrings){ "tools", o.tools, tools.n, TASK_NAMES_MAX }, &tools.items));
    TRY(api_strings(pad, &(ApiStrings){ "dependencies", o.dependencies, needs.n, TASK_NAMES_MAX },
                    &needs.items));
    edit.tools = o.tools ? &tools : NULL;
    edit.dependencies = o.dependencies ? &needs : NULL;
    jot_status st = task_edit(&pad->m, name, &edit, api_arena(pad), &t, api_err(pad));
    return end_move(pad, st, &t, out);
}

jot_status jot_task_cancel(jot_pad *pad, const char *id, const jot_task_move_options *options,
                           const jot_task **out)
{
    jot_task_move_options o;
    Str name;
    Task t = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    TRY(api_options(pad, options, &o, sizeof o));
    TaskMove why = { .manual = o.manual, .if_seq = o.if_seq };
    TRY(api_text(pad, o.reason, &why.reason));
    jot_status st = task_cancel(&pad->m, name, &why, api_arena(pad), &t, api_err(pad));
    return end_move(pad, st, &t, out);
}

jot_status jot_task_history(jot_pad *pad, const char *id, uint64_t from, size_t limit,
                            const jot_task_events **out)
{
    Str name;
    TaskEvents all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a task's id", id, &name));
    TRY(api_limit(pad, limit, TASK_LIST_MAX, &limit));
    TRY(task_history(&pad->m, name, (SeqRange){ from, limit }, api_arena(pad), &all, api_err(pad)));
    jot_task_event **items = NEW_RESULTS(pad, jot_task_event, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const TaskEvent *x = &all.items[i];
        *items[i] = (jot_task_event){ .seq = x->seq,
                                      .at_ms = x->at_ms,
                                      .by = api_give_name(pad, x->by),
                                      .type = api_give_name(pad, x->type),
                                      .from = api_give_name(pad, x->from),
                                      .to = api_give_name(pad, x->to),
                                      .reason = api_give_text(pad, x->reason),
                                      .result = api_give_text(pad, x->result),
                                      .manual = x->manual };
    }
    jot_task_events *list = NEW_RESULT(pad, jot_task_events);
    *list = (jot_task_events){ .items = (const jot_task_event *const *)items,
                               .count = all.n,
                               .more = all.more,
                               .next = all.next,
                               .damaged = all.damaged };
    GIVE(out, list);
    return JOT_OK;
}

/* --- All tasks --------------------------------------------------------------------------- */

/* A list without its items. */
static jot_tasks *give_problems(jot_pad *p, const TaskProblem *problems, size_t n, size_t total)
{
    jot_problem **all = NEW_RESULTS(p, jot_problem, n);
    for (size_t i = 0; i < n; i++)
        *all[i] =
            (jot_problem){ api_give_name(p, problems[i].id), api_give_name(p, problems[i].why) };
    jot_tasks *list = NEW_RESULT(p, jot_tasks);
    *list = (jot_tasks){ .problems = (const jot_problem *const *)all,
                         .problems_count = n,
                         .problems_total = total };
    return list;
}

static const jot_task *const *give_all(jot_pad *p, const Task *tasks, size_t n)
{
    const jot_task **items = NEW_ARRAY(api_arena(p), const jot_task *, n + 1);
    for (size_t i = 0; i < n; i++)
        items[i] = give(p, &tasks[i]);
    return items;
}

jot_status jot_task_list(jot_pad *pad, const jot_task_query *query, const jot_tasks **out)
{
    jot_task_query q;
    TaskStatus status;
    TaskQuery ask = { 0 };
    TaskList all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, query, &q, sizeof q));
    if ((int)q.status != 0) {
        TRY(read_status(pad, q.status, &status));
        ask.status = &status;
    }
    ask.after = str(q.after);
    ask.of = q.mine ? pad->m.by : (Str){ 0 };
    TRY(api_limit(pad, q.limit, TASK_LIST_MAX, &ask.limit));
    TRY(task_list(&pad->m, &ask, api_arena(pad), &all, api_err(pad)));
    jot_tasks *list = give_problems(pad, all.problems, all.problems_n, all.problems_total);
    list->items = give_all(pad, all.items, all.n);
    list->count = all.n;
    list->more = all.more;
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_task_ready(jot_pad *pad, const jot_tasks **ready, const jot_tasks **waiting)
{
    TaskOrder order;
    GIVE(ready, NULL);
    GIVE(waiting, NULL);
    API_BEGIN(pad);
    TRY(task_order(&pad->m, api_arena(pad), &order, api_err(pad)));
    jot_tasks *now = give_problems(pad, NULL, 0, 0);
    now->items = give_all(pad, order.ready, order.ready_n);
    now->count = order.ready_n;
    jot_tasks *later = give_problems(pad, order.problems, order.problems_n, order.problems_total);
    const jot_task **items = NEW_ARRAY(api_arena(pad), const jot_task *, order.waiting_n + 1);
    for (size_t i = 0; i < order.waiting_n; i++) {
        const TaskWaiting *w = &order.waiting[i];
        jot_task *t = give(pad, &w->task);
        t->waits = api_give_names(pad, w->reasons.items, w->reasons.n);
        t->waits_count = w->reasons.n;
        items[i] = t;
    }
    later->items = items;
    later->count = order.waiting_n;
    GIVE(ready, now);
    GIVE(waiting, later);
    return JOT_OK;
}
