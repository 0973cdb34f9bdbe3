/* task_edit.c - what people do with tasks beside moving them: ids that are made, edits, cancelling,
 * and taking the next one.
 *
 * None of it adds a state.  An edit is an event after which the task stands where it stood.  What
 * is cancelled is blocked until somebody decides otherwise, and says so; that is what another
 * program that knows the six states makes of it, too.  Taking the next one is a walk along the
 * order in which a start that somebody else won is passed over:
 *
 *     order: b a c      start b: conflict, ann has it     start a: taken
 *
 * so two who ask at once get two tasks. */
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "memory/task/task_internal.h"

/* --- Ids that are made ------------------------------------------------------------------ */

/* Words of the description with '-' between them, in what every file system and shell takes. */
static void add_words(Buf *to, Str text)
{
    bool gap = false;
    for (size_t at = 0; at < text.n;) {
        uint32_t folded[FOLD_MAX];
        size_t before = to->n, n = fold_char(utf8_next(text, &at), folded);
        for (size_t i = 0; i < n; i++) {
            uint32_t c = folded[i];
            bool keep = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (keep && gap && to->n)
                buf_add_char(to, '-');
            if (keep)
                buf_add_char(to, (char)c);
            gap = !keep;
        }
        if (to->n > TASK_MADE_ID) { /* whole words, or as much of the first as fits */
            const char *dash = memrchr(to->p, '-', before);
            to->n = dash ? (size_t)(dash - to->p) : TASK_MADE_ID;
            return;
        }
    }
}

Str task_make_id(Str description, int n, Arena *into)
{
    AUTO(Buf) id = { 0 };
    add_words(&id, description);
    if (!id.n)
        buf_add(&id, S("task"));
    if (n > 1)
        buf_addf(&id, "-%d", n);
    return arena_copy(into, buf_str(&id));
}

/* --- Editing ---------------------------------------------------------------------------- */

static bool same_names(const TaskNames *a, const TaskNames *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = str_eq(a->items[i], b->items[i]);
    return same;
}

/* The task as it is to be; false if that is what it is. */
static bool apply(const TaskEdit *x, Task *t)
{
    Task was = *t;
    t->description = x->description ? *x->description : was.description;
    t->expected_output = x->expected_output ? *x->expected_output : was.expected_output;
    t->agent = x->agent ? *x->agent : was.agent;
    t->tools = x->tools ? *x->tools : was.tools;
    t->dependencies = x->dependencies ? *x->dependencies : was.dependencies;
    t->priority = x->priority ? *x->priority : was.priority;
    t->max_retries = x->max_retries ? *x->max_retries : was.max_retries;
    return !str_eq(t->description, was.description) ||
           !str_eq(t->expected_output, was.expected_output) || !str_eq(t->agent, was.agent) ||
           !same_names(&t->tools, &was.tools) || !same_names(&t->dependencies, &was.dependencies) ||
           t->priority != was.priority || t->max_retries != was.max_retries;
}

static jot_status check_edit(Memory *m, const TaskEdit *x, Task *now, Err *e)
{
    Shown shown;
    const char *id = err_show(&shown, now->id);
    bool needs = x->dependencies && !same_names(x->dependencies, &now->dependencies);
    if (now->status == TASK_COMPLETED)
        return err_set(e, JOT_INVALID, "task '%s' is completed: it stays as it is", id);
    if (needs && now->status != TASK_PENDING)
        return err_set(e, JOT_INVALID,
                       "task '%s' is %s: what it needs can be changed while it is pending", id,
                       task_status_name(now->status));
    if (!apply(x, now))
        return err_set(e, JOT_INVALID, "nothing of task '%s' would change", id);
    TRY(task_check(now, e));
    return needs
               ? task_check_dependencies(m, now->id, &now->dependencies, x->later, &now->awaits, e)
               : JOT_OK;
}

/* Append under the condition that the task is as it was seen. */
static jot_status append_seen(Memory *m, Task *next, json_t *event, Arena *into, Task *out, Err *e)
{
    Str stream;
    Str id = next->id;
    jot_status st = task_stream(id, into, &stream, e);
    if (st != JOT_OK) {
        json_decref(event);
        return st;
    }
    Expect x = { .kind = EXPECT_SEQ, .seq = next->seq };
    st = task_append(m, stream, &x, event, next, e);
    if (st == JOT_CONFLICT)
        return task_moved(m, id, into, out, e);
    TRY(st);
    *out = *next;
    return JOT_OK;
}

jot_status task_edit(Memory *m, Str id, const TaskEdit *edit, Arena *into, Task *out, Err *e)
{
    TRY(task_take(m, id, into, out, e));
    Task next = *out;
    if (edit->if_seq && edit->if_seq != next.seq)
        return task_moved(m, id, into, out, e);
    TRY(check_edit(m, edit, &next, e));
    return append_seen(m, &next, json_pack("{s:s}", "type", "edited"), into, out, e);
}

/* --- Cancelling ------------------------------------------------------------------------- */

jot_status task_cancel(Memory *m, Str id, const TaskMove *why, Arena *into, Task *out, Err *e)
{
    Shown shown;
    TRY(task_take(m, id, into, out, e));
    Task next = *out;
    if (why->if_seq && why->if_seq != next.seq)
        return task_moved(m, id, into, out, e);
    if (!why->manual)
        TRY(task_check_holder(m, &next, e));
    if (next.status == TASK_COMPLETED || next.cancelled)
        return err_set(e, JOT_INVALID, "task '%s' is %s already", err_show(&shown, id),
                       next.cancelled ? "cancelled" : "completed");
    if (next.status != TASK_FAILED) {
        next.status = TASK_BLOCKED;
        next.blocked_until_manual = true;
    }
    next.cancelled = true;
    next.holder = (Str){ 0 };
    next.reason = why->reason.n ? arena_copy(into, why->reason) : S("cancelled");
    TRY(utf8_check("a reason", next.reason, e));
    if (next.reason.n > TASK_TEXT_MAX)
        return err_set(e, JOT_TOO_BIG, "a reason of %zu bytes: the limit is %d", next.reason.n,
                       TASK_TEXT_MAX);
    json_t *event = json_pack("{s:s, s:s, s:s, s:o}", "type", "cancelled", "from",
                              task_status_name(out->status), "to", task_status_name(next.status),
                              "reason", json_text(next.reason));
    if (why->manual)
        json_object_set_new(event, "manual", json_true());
    return append_seen(m, &next, event, into, out, e);
}

/* --- The next one ----------------------------------------------------------------------- */

jot_status task_next(Memory *m, Arena *into, Task *out, Err *e)
{
    TaskOrder order;
    size_t others = 0;
    TRY(task_order(m, into, &order, e));
    for (size_t i = 0; i < order.ready_n; i++) {
        const Task *t = &order.ready[i];
        Err why = { 0 };
        if (t->agent.n && !str_eq(t->agent, m->by)) {
            others++;
            continue;
        }
        jot_status st = task_start(m, t->id, false, into, out, &why);
        /* Somebody else was faster, or moved it where there is no way to running. */
        if (st != JOT_CONFLICT && st != JOT_INVALID && st != JOT_NOT_FOUND)
            return err_pass(e, &why, st);
    }
    *out = (Task){ 0 };
    if (others)
        return err_set(e, JOT_NOT_FOUND, "no task is ready for you: %zu for others, %zu waiting",
                       others, order.waiting_n);
    return err_set(e, JOT_NOT_FOUND, "no task is ready: %zu waiting", order.waiting_n);
}
