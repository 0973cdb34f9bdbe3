/* task.c - one task: its record, the nine ways between its states, its history.
 *
 *                       dependencies completed,
 *                       or by hand
 *            pending ----------------> ready -------> running -------> completed
 *               |                      ^ ^ |             |  |
 *               |      by hand, at most| | |             |  +--------> failed
 *               |      max_retries     | | |             |    a reason   |
 *               |                      +-|-|-------------|---------------+
 *               |                        | |             |
 *               +----------> blocked <-----+-------------+
 *                 a reason      |        |
 *                               +--------+ by hand
 *
 * The deciding stream is tasks/ID.  Every event is one append under EXPECT_SEQ,
 * so a process killed anywhere leaves the task before or after an event, and a
 * race has one winner.  A record holds the event and the task after it: reading
 * a task costs its newest record, and a history that was trimmed loses events,
 * not state. */
#include "memory/task/task.h"

#include <assert.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/task/task_internal.h"

static const char *const names[] = {
    [TASK_PENDING] = "pending",     [TASK_READY] = "ready",   [TASK_RUNNING] = "running",
    [TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed", [TASK_BLOCKED] = "blocked",
};

const char *task_status_name(TaskStatus s)
{
    return (size_t)s < COUNT_OF(names) ? names[s] : "none";
}

bool task_status_parse(Str name, TaskStatus *out)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(name, str(names[i]))) {
            *out = (TaskStatus)i;
            return true;
        }
    return false;
}

jot_status task_stream(Str id, Arena *into, Str *out, Err *e)
{
    return memory_name(&(MemoryKind){ TASK_KIND, "a task's id" }, NULL, id, into, out, e);
}

/* --- The record ------------------------------------------------------------------------ */

json_t *task_names_json(const TaskNames *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(out, json_text(list->items[i]));
    return out;
}

json_t *task_snapshot_json(const Task *t)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:b, s:b, s:o}",
                     "task_id", json_text(t->id), "description", json_text_or_null(t->description),
                     "expected_output", json_text_or_null(t->expected_output), "agent",
                     json_text_or_null(t->agent), "tools", task_names_json(&t->tools),
                     "dependencies", task_names_json(&t->dependencies), "priority",
                     (json_int_t)t->priority, "max_retries", (json_int_t)t->max_retries,
                     "retry_count", (json_int_t)t->retry_count, "status",
                     task_status_name(t->status), "holder", json_text_or_null(t->holder), "reason",
                     json_text_or_null(t->reason), "blocked_until_manual", t->blocked_until_manual,
                     "cancelled", t->cancelled, "result", json_text_or_null(t->result));
}

json_t *task_json(const Task *t)
{
    json_t *out = task_snapshot_json(t);
    json_object_set_new(out, "seq", json_integer((json_int_t)t->seq));
    json_object_set_new(out, "at", json_string(time_text(t->at_ms).text));
    json_object_set_new(out, "by", json_text(t->by));
    return out;
}

static bool read_names(const json_t *list, Arena *into, TaskNames *out)
{
    size_t n = json_array_size(list);
    if ((list && !json_is_array(list)) || n > TASK_NAMES_MAX)
        return false;
    *out = (TaskNames){ .items = NEW_ARRAY(into, Str, n + 1) };
    for (size_t i = 0; i < n; i++) {
        if (!json_is_string(json_array_get(list, i)))
            return false;
        out->items[out->n++] = arena_copy(into, json_str(json_array_get(list, i)));
    }
    return true;
}

static Str text_of(const json_t *object, const char *key, Arena *into)
{
    return arena_copy(into, json_member(object, key));
}

bool task_read_snapshot(const json_t *j, Arena *into, Task *out)
{
    *out = (Task){ .id = text_of(j, "task_id", into),
                   .description = text_of(j, "description", into),
                   .expected_output = text_of(j, "expected_output", into),
                   .agent = text_of(j, "agent", into),
                   .priority = json_integer_value(json_object_get(j, "priority")),
                   .max_retries = json_integer_value(json_object_get(j, "max_retries")),
                   .retry_count = json_integer_value(json_object_get(j, "retry_count")),
                   .holder = text_of(j, "holder", into),
                   .reason = text_of(j, "reason", into),
                   .blocked_until_manual = json_is_true(json_object_get(j, "blocked_until_manual")),
                   .cancelled = json_is_true(json_object_get(j, "cancelled")),
                   .awaits = !json_is_false(json_object_get(j, "awaits")),
                   .result = text_of(j, "result", into) };
    return task_status_parse(json_member(j, "status"), &out->status) &&
           read_names(json_object_get(j, "tools"), into, &out->tools) &&
           read_names(json_object_get(j, "dependencies"), into, &out->dependencies);
}

static jot_status read_record(Str id, const Record *r, Arena *into, Task *out, Err *e)
{
    Shown shown;
    AUTO_PTR(json_t) body = NULL;
    bool good = !r->mark.redacted && json_read(r->body, &body, NULL) == JOT_OK &&
                task_read_snapshot(json_object_get(body, "task"), into, out) && str_eq(out->id, id);
    if (!good)
        return err_set(e, JOT_CORRUPT, "the newest record of task '%s' does not hold a task",
                       err_show(&shown, id));
    out->seq = r->mark.seq;
    out->at_ms = r->mark.at_ms;
    /* What came in a file is not of who took it in. */
    const json_t *event = json_object_get(body, "event");
    Str by = text_of(event, "by", into);
    out->by = by.n ? by : r->by;
    out->file = share_seen(event);
    if (out->status == TASK_RUNNING && !out->holder.n)
        out->holder = r->by; /* written before tasks had holders */
    return JOT_OK;
}

jot_status task_not_found(Str id, Err *e)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "task '%s' not found", err_show(&shown, id));
}

jot_status task_read_recorded(Memory *m, Str id, Arena *into, Task *out, Err *e)
{
    Str stream;
    Record head;
    TRY(task_stream(id, into, &stream, e));
    jot_status st = store_head(m->store, stream, HEAD_RECORD, into, &head, e);
    if (st == JOT_NOT_FOUND || (st == JOT_OK && !mark_live(&head.mark)))
        return task_not_found(id, e);
    TRY(st);
    return read_record(id, &head, into, out, e);
}

Draft task_draft(const TaskForeignEvent *p, Arena *into)
{
    json_t *task = task_snapshot_json(p->task);
    json_object_set_new(task, "awaits", json_boolean(p->task->awaits));
    AUTO_PTR(json_t) body = json_pack("{s:O, s:o}", "event", p->event, "task", task);
    if (p->snapshot.n)
        json_object_set_new(body, "snapshot", json_text(p->snapshot));
    AUTO_PTR(json_t)
    meta = json_pack("{s:O, s:s, s:I}", "event", json_object_get(p->event, "type"), "status",
                     task_status_name(p->task->status), "priority", (json_int_t)p->task->priority);
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    AUTO(Buf) small = { 0 };
    json_write(&text, body);
    json_write(&small, meta);
    return (Draft){ .op = OP_APPEND,
                    .meta = arena_copy(into, buf_str(&small)),
                    .body = arena_copy(into, buf_str(&text)),
                    .at_ms = p->at_ms };
}

jot_status task_record(Memory *m, Str stream, const Expect *x, json_t *event, Task *t, Err *e)
{
    AUTO_PTR(json_t) owned = event;
    AUTO(Arena) arena = { 0 };
    share_note_seen(owned, t->file);
    Draft d = task_draft(&(TaskForeignEvent){ .event = owned, .task = t }, &arena);
    Mark mark;
    if (d.body.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "the task has more than %d bytes: the limit",
                       STORE_BODY_MAX);
    TRY(memory_append(m, stream, x, &d, &mark, e));
    assert(x->kind != EXPECT_SEQ || mark.seq > x->seq);
    t->seq = mark.seq;
    t->at_ms = mark.at_ms;
    t->by = m->by;
    return JOT_OK;
}

jot_status task_append(Memory *m, Str stream, const Expect *x, json_t *event, Task *t, Err *e)
{
    TRY(task_record(m, stream, x, event, t, e));
    task_show(m, t);
    return JOT_OK;
}

/* --- Adding ---------------------------------------------------------------------------- */

static jot_status check_text(const char *what, Str text, size_t max, Err *e)
{
    if (text.n > max)
        return err_set(e, JOT_TOO_BIG, "%s of %zu bytes: the limit is %zu", what, text.n, max);
    return utf8_check(what, text, e);
}

static jot_status check_names(const char *what, const TaskNames *list, Err *e)
{
    if (list->n > TASK_NAMES_MAX)
        return err_set(e, JOT_TOO_BIG, "a task has at most %d %s", TASK_NAMES_MAX, what);
    for (size_t i = 0; i < list->n; i++)
        TRY(check_text("a name", list->items[i], TASK_NAME_MAX, e));
    return JOT_OK;
}

static jot_status check_range(const char *what, int64_t value, int64_t min, int64_t max, Err *e)
{
    return value >= min && value <= max
               ? JOT_OK
               : err_set(e, JOT_INVALID, "%s %lld: use a number from %lld to %lld", what,
                         (long long)value, (long long)min, (long long)max);
}

jot_status task_check(const Task *t, Err *e)
{
    TRY(check_text("a description", t->description, TASK_TEXT_MAX, e));
    TRY(check_text("an expected output", t->expected_output, TASK_TEXT_MAX, e));
    TRY(check_text("an agent's name", t->agent, TASK_NAME_MAX, e));
    TRY(check_names("tools", &t->tools, e));
    TRY(check_names("dependencies", &t->dependencies, e));
    TRY(check_range("priority", t->priority, -TASK_PRIORITY_MAX, TASK_PRIORITY_MAX, e));
    return check_range("max_retries", t->max_retries, 0, TASK_RETRIES_MAX, e);
}

jot_status task_duplicate(Str id, Err *e)
{
    Shown shown;
    return err_set(e, JOT_CONFLICT, "duplicate task id '%s': there is a task of that id",
                   err_show(&shown, id));
}

/* With the id it has. */
static jot_status add_named(Memory *m, const TaskAdd *a, Arena *into, Task *out, Err *e)
{
    Str stream;
    Task t = { .id = a->id,
               .description = a->description,
               .expected_output = a->expected_output,
               .agent = a->agent,
               .tools = a->tools,
               .dependencies = a->dependencies,
               .priority = a->priority,
               .max_retries = a->max_retries };
    Expect absent = { .kind = EXPECT_ABSENT };
    TRY(task_stream(a->id, into, &stream, e));
    TRY(task_check(&t, e));
    TRY(task_check_new(m, a->id, into, &t.file, e));
    TRY(task_check_dependencies(m, a->id, &a->dependencies, a->later, &t.awaits, e));
    jot_status st = task_append(m, stream, &absent, json_pack("{s:s}", "type", "created"), &t, e);
    if (st == JOT_CONFLICT)
        return task_duplicate(a->id, e);
    TRY(st);
    *out = t;
    return JOT_OK;
}

jot_status task_add(Memory *m, const TaskAdd *a, Arena *into, Task *out, Err *e)
{
    TaskAdd named = *a;
    jot_status st = JOT_CONFLICT;
    if (a->id.n)
        return add_named(m, a, into, out, e);
    TRY(check_text("a description", a->description, TASK_TEXT_MAX, e));
    if (!a->description.n)
        return err_set(e, JOT_INVALID, "a task needs an id or a description");
    for (int n = 1; st == JOT_CONFLICT && n <= TASK_SAME_MAX; n++) {
        named.id = task_make_id(a->description, n, into);
        st = add_named(m, &named, into, out, e);
    }
    return st;
}

/* --- Moving ---------------------------------------------------------------------------- */

typedef struct Way {
    TaskStatus from, to;
    bool reason, manual, retry; /* what it takes */
    const char *event;
} Way;

/* All there are; targets of one state stand in the order of their names. */
static const Way ways[] = {
    { .from = TASK_PENDING, .to = TASK_BLOCKED, .reason = true, .event = "blocked" },
    { .from = TASK_PENDING, .to = TASK_READY, .event = "state_changed" },
    { .from = TASK_READY, .to = TASK_BLOCKED, .reason = true, .event = "blocked" },
    { .from = TASK_READY, .to = TASK_RUNNING, .event = "state_changed" },
    { .from = TASK_RUNNING, .to = TASK_BLOCKED, .reason = true, .event = "blocked" },
    { .from = TASK_RUNNING, .to = TASK_COMPLETED, .event = "completed" },
    { .from = TASK_RUNNING, .to = TASK_FAILED, .reason = true, .event = "failed" },
    { .from = TASK_BLOCKED, .to = TASK_READY, .manual = true, .event = "unblocked" },
    { .from = TASK_FAILED,
      .to = TASK_READY,
      .manual = true,
      .retry = true,
      .event = "state_changed" },
};

static const Way *find_way(TaskStatus from, TaskStatus to)
{
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (ways[i].from == from && ways[i].to == to)
            return &ways[i];
    return NULL;
}

static jot_status illegal(const Task *t, TaskStatus to, const char *why, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID, "illegal transition for task '%s': %s -> %s; %s",
                   err_show(&shown, t->id), task_status_name(t->status), task_status_name(to), why);
}

jot_status task_no_way(const Task *t, TaskStatus to, Err *e)
{
    AUTO(Buf) allowed = { 0 };
    assert(!find_way(t->status, to));
    buf_add(&allowed, S("allowed:"));
    size_t before = allowed.n;
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (ways[i].from == t->status)
            buf_addf(&allowed, "%s %s", allowed.n > before ? "," : "",
                     task_status_name(ways[i].to));
    if (allowed.n == before)
        buf_add(&allowed, S(" none"));
    buf_add_char(&allowed, 0);
    return illegal(t, to, allowed.p, e);
}

/* The first dependency that keeps a pending task from being ready. */
static jot_status check_completed(Memory *m, const Task *t, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Shown a, b;
    for (size_t i = 0; i < t->dependencies.n; i++) {
        Task other;
        Err missing = { 0 };
        Str id = t->dependencies.items[i];
        jot_status st = task_read(m, id, &arena, &other, &missing);
        if (st == JOT_OK && other.status == TASK_COMPLETED)
            continue;
        const char *is = st == JOT_OK ? task_status_name(other.status) : "missing";
        if (st != JOT_OK && st != JOT_NOT_FOUND && st != JOT_INVALID)
            return err_pass(e, &missing, st);
        return err_set(e, JOT_CONFLICT, "task '%s' waits for dependency '%s', which is %s",
                       err_show(&a, t->id), err_show(&b, id), is);
    }
    return JOT_OK;
}

static json_t *event_json(const Way *way, const TaskMove *move)
{
    json_t *event = json_pack("{s:s, s:s, s:s}", "type", way->event, "from",
                              task_status_name(way->from), "to", task_status_name(way->to));
    if (move->reason.n)
        json_object_set_new(event, "reason", json_text(move->reason));
    if (move->result.n)
        json_object_set_new(event, "result", json_text(move->result));
    if (move->manual)
        json_object_set_new(event, "manual", json_true());
    return event;
}

jot_status task_moved(Memory *m, Str id, Arena *into, Task *out, Err *e)
{
    Shown a, b;
    TRY(task_read(m, id, into, out, e));
    return err_set(e, JOT_CONFLICT, "task '%s' was moved meanwhile: '%s' made it %s",
                   err_show(&a, id), err_show(&b, out->by), task_status_name(out->status));
}

jot_status task_move(Memory *m, Str id, const TaskMove *move, Arena *into, Task *out, Err *e)
{
    Str stream;
    Task now;
    *out = (Task){ 0 };
    TRY(check_text("a reason", move->reason, TASK_TEXT_MAX, e));
    TRY(check_text("a result", move->result, TASK_RESULT_MAX, e));
    TRY(task_stream(id, into, &stream, e));
    /* With what git brought taken in first: a move is made from the task as its readers see it. */
    TRY(task_take(m, id, into, &now, e));
    *out = now;
    if (move->if_seq && move->if_seq != now.seq)
        return task_moved(m, id, into, out, e);
    if (move->to == TASK_RUNNING)
        TRY(task_check_holder(m, &now, e));
    /* The table says whether there is a way at all, and what it takes. */
    const Way *way = find_way(now.status, move->to);
    if (!way)
        return task_no_way(&now, move->to, e);
    if (way->reason && move->reason.n == 0)
        return illegal(&now, move->to, "a reason is required", e);
    if (way->manual && !move->manual)
        return illegal(&now, move->to, "manual action required", e);
    if (way->retry && now.retry_count > now.max_retries)
        return illegal(&now, move->to, "no retries remaining", e);
    if (now.status == TASK_PENDING && move->to == TASK_READY && !move->manual)
        TRY(check_completed(m, &now, e));
    /* What an event does to a task, besides the status. */
    Task next = now;
    next.status = move->to;
    next.holder = move->to == TASK_RUNNING ? m->by : (Str){ 0 };
    next.cancelled = false;
    next.blocked_until_manual = move->to == TASK_BLOCKED;
    bool told = move->to == TASK_BLOCKED || move->to == TASK_FAILED;
    next.reason = told ? arena_copy(into, move->reason) : (Str){ 0 };
    next.retry_count += move->to == TASK_FAILED;
    if (move->to == TASK_COMPLETED)
        next.result = arena_copy(into, move->result);
    assert(find_way(now.status, next.status) == way);
    /* A race is not repeated here: the loser's reasons were about a task that is another one now.
     */
    Expect x = { .kind = EXPECT_SEQ, .seq = now.seq };
    jot_status st = task_append(m, stream, &x, event_json(way, move), &next, e);
    if (st == JOT_CONFLICT)
        return task_moved(m, id, into, out, e);
    TRY(st);
    *out = next;
    return JOT_OK;
}

jot_status task_check_holder(const Memory *m, const Task *t, Err *e)
{
    Shown a, b;
    if (t->status != TASK_RUNNING || str_eq(t->holder, m->by))
        return JOT_OK;
    return err_set(e, JOT_CONFLICT, "task '%s' is running: '%s' has it, last changed %s",
                   err_show(&a, t->id), err_show(&b, t->holder), time_text(t->at_ms).text);
}

jot_status task_start(Memory *m, Str id, bool manual, Arena *into, Task *out, Err *e)
{
    TaskMove run = { .to = TASK_RUNNING, .manual = manual };
    TRY(task_take(m, id, into, out, e));
    if (out->status == TASK_PENDING) {
        TaskMove ready = { .to = TASK_READY, .manual = manual, .if_seq = out->seq };
        TRY(task_move(m, id, &ready, into, out, e));
    }
    run.if_seq = out->seq;
    return task_move(m, id, &run, into, out, e);
}

/* --- History --------------------------------------------------------------------------- */

static bool read_event(const Record *r, Arena *into, TaskEvent *out)
{
    AUTO_PTR(json_t) body = NULL;
    if (r->mark.redacted || json_read(r->body, &body, NULL) != JOT_OK)
        return false;
    const json_t *event = json_object_get(body, "event");
    *out = (TaskEvent){ .seq = r->mark.seq,
                        .at_ms = r->mark.at_ms,
                        .by = text_of(event, "by", into),
                        .type = text_of(event, "type", into),
                        .from = text_of(event, "from", into),
                        .to = text_of(event, "to", into),
                        .reason = text_of(event, "reason", into),
                        .result = text_of(event, "result", into),
                        .manual = json_is_true(json_object_get(event, "manual")) };
    if (!out->by.n)
        out->by = r->by;
    return out->type.n > 0;
}

jot_status task_history(Memory *m, Str id, SeqRange range, Arena *into, TaskEvents *out, Err *e)
{
    Str stream;
    Records got;
    TRY(task_stream(id, into, &stream, e));
    if (range.limit == 0 || range.limit > TASK_LIST_MAX)
        return err_set(e, JOT_INVALID, "one answer has 1 to %d events", TASK_LIST_MAX);
    uint64_t start = range.from ? range.from : 1;
    jot_status st = store_read(m->store, stream, (SeqRange){ start, range.limit }, into, &got, e);
    if (st == JOT_NOT_FOUND)
        return task_not_found(id, e);
    TRY(st);
    *out = (TaskEvents){ .items = NEW_ARRAY(into, TaskEvent, got.n + 1),
                         .more = got.more,
                         .next = got.n ? got.items[got.n - 1].mark.seq + 1 : start,
                         .damaged = got.damaged };
    for (size_t i = 0; i < got.n; i++) {
        if (got.items[i].mark.op == OP_DELETE)
            continue;
        if (read_event(&got.items[i], into, &out->items[out->n]))
            out->n++;
        else
            out->damaged++;
    }
    return JOT_OK;
}

json_t *task_history_json(const TaskEvents *events)
{
    json_t *items = json_array();
    for (size_t i = 0; i < events->n; i++) {
        const TaskEvent *v = &events->items[i];
        json_array_append_new(items,
                              json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "seq",
                                        (json_int_t)v->seq, "at", time_text(v->at_ms).text, "by",
                                        json_text(v->by), "type", json_text(v->type), "from",
                                        json_text_or_null(v->from), "to", json_text_or_null(v->to),
                                        "reason", json_text_or_null(v->reason), "result",
                                        json_text_or_null(v->result), "manual", v->manual));
    }
    return json_pack("{s:o, s:b, s:I, s:I}", "events", items, "more", events->more, "next",
                     (json_int_t)events->next, "damaged", (json_int_t)events->damaged);
}
