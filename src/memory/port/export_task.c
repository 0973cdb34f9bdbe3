/* export_task.c - tasks as a snapshot and a log of events, as import_task.c reads them.
 *
 * A task that was imported and not touched since gives back the bytes it came
 * with.  Events of the pad's own are written after them in the same words; then
 * the snapshot has another state, and is otherwise as it came. */
#include <string.h>

#include "base/json_cursor.h"
#include "memory/port/export.h"
#include "memory/task/share.h"
#include "memory/task/task.h"

typedef struct Writing {
    Export *x;
    Str id;
    Buf lines;
    bool open;     /* no line break ends the last line */
    bool own;      /* events of the pad's own came after the snapshot */
    Buf snapshot;  /* the newest that came with an import */
    int64_t at_ms; /* of the newest event */
} Writing;

static void writing_done(Writing *w)
{
    buf_free(&w->lines);
    buf_free(&w->snapshot);
}
DEFINE_AUTO(Writing, writing_done)

/* --- Events ------------------------------------------------------------------------------ */

static const struct {
    const char *type, *name, *text; /* the member its text is called there */
} events[] = {
    { "created", "TaskCreatedEvent", "description" },
    { "blocked", "TaskBlockedEvent", "reason" },
    { "unblocked", "TaskUnblockedEvent", "unblock_reason" },
    { "completed", "TaskCompletedEvent", "result" },
    { "failed", "TaskFailedEvent", "error" },
    { "cancelled", "TaskBlockedEvent", "reason" },
};

/* An edit, and the end of a task that had failed: the other program has no word for them, only the
 * snapshot shows what came of them. */
static bool is_ours_alone(const json_t *event)
{
    Str type = json_member(event, "type");
    return str_eq(type, S("edited")) ||
           (str_eq(type, S("cancelled")) && str_eq(json_member(event, "from"), S("failed")));
}

static Str text_of(const json_t *event, const json_t *task, const char *called)
{
    if (strcmp(called, "description") == 0)
        return json_member(task, "description");
    return json_member(event, strcmp(called, "result") == 0 ? "result" : "reason");
}

/* One of our own, in the words of the other program. */
static void add_event(Writing *w, const json_t *event, const json_t *task, const Record *r)
{
    AUTO_PTR(json_t) out = json_pack("{s:i, s:o}", "entity_id", 0, "task_id", json_text(w->id));
    const char *name = "TaskStateChangedEvent";
    for (size_t i = 0; i < COUNT_OF(events); i++)
        if (str_eq(json_member(event, "type"), str(events[i].type))) {
            name = events[i].name;
            json_object_set_new(out, events[i].text,
                                json_text(text_of(event, task, events[i].text)));
        }
    if (json_is_true(json_object_get(event, "manual")))
        json_object_set_new(out, "manual_override", json_true());
    if (strcmp(name, "TaskStateChangedEvent") == 0) {
        json_object_set_new(out, "old_status", json_text(json_member(event, "from")));
        json_object_set_new(out, "new_status", json_text(json_member(event, "to")));
    }
    AUTO(Buf) line = { 0 };
    json_write(&line, out);
    buf_add(&w->lines, str_slice(buf_str(&line), 0, line.n - 1));
    buf_addf(&w->lines, ",\"_event_type\":\"%s\",\"_timestamp\":%lld.%03d}", name,
             (long long)(r->mark.at_ms / 1000), (int)(r->mark.at_ms % 1000));
}

static jot_status take(void *ctx, const Record *r)
{
    Writing *w = ctx;
    AUTO_PTR(json_t) body = NULL;
    if (r->mark.op != OP_APPEND || r->mark.redacted || json_read(r->body, &body, NULL) != JOT_OK)
        return JOT_OK;
    const json_t *event = json_object_get(body, "event"), *line = json_object_get(event, "line");
    Str snapshot = json_member(body, "snapshot");
    bool imported = str_eq(json_member(event, "type"), S("imported"));
    w->at_ms = r->mark.at_ms;
    if (snapshot.n) {
        buf_clear(&w->snapshot);
        buf_add(&w->snapshot, snapshot);
    }
    w->own = !json_is_string(line) && !imported ? true : w->own && !snapshot.n;
    if (str_eq(json_member(event, "type"), S("edited")))
        buf_clear(&w->snapshot); /* it says what was before */
    if (imported || is_ours_alone(event))
        return JOT_OK;
    if (w->lines.n)
        buf_add_char(&w->lines, '\n');
    if (json_is_string(line))
        buf_add(&w->lines, json_str(line));
    else
        add_event(w, event, json_object_get(body, "task"), r);
    w->open = json_is_true(json_object_get(event, "open"));
    return JOT_OK;
}

/* --- The snapshot ------------------------------------------------------------------------ */

static void make_snapshot(const Task *t, Buf *to)
{
    AUTO(Buf) line = { 0 };
    AUTO_PTR(json_t)
    fresh = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:n, s:I}", "description",
                      json_text(t->description), "expected_output", json_text(t->expected_output),
                      "assigned_agent", json_text_or_null(t->agent), "tools",
                      task_names_json(&t->tools), "context_dependencies",
                      task_names_json(&t->dependencies), "task_id", json_text(t->id), "status",
                      task_status_name(t->status), "priority", (json_int_t)t->priority,
                      "output_schema", "max_retries", (json_int_t)t->max_retries);
    json_write(&line, fresh);
    json_indent(to, buf_str(&line));
}

/* The snapshot that came, with another state: but for edits, events change nothing else. */
static bool move_snapshot(Str old, const Task *t, Buf *to)
{
    Str status = json_cursor_find(old, S("status"));
    if (!status.n)
        return false;
    size_t at = (size_t)(status.p - old.p);
    buf_add(to, str_slice(old, 0, at));
    buf_addf(to, "\"%s\"", task_status_name(t->status));
    buf_add(to, str_from(old, at + status.n));
    return true;
}

static jot_status write_files(Writing *w, Str stream, const Task *t)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    bool as_it_came = w->snapshot.n && !w->own;
    if (!as_it_came && !move_snapshot(buf_str(&w->snapshot), t, &text))
        make_snapshot(t, &text);
    if (w->lines.n && !w->open)
        buf_add_char(&w->lines, '\n');
    ExportFile f = { .stream = stream, .at_ms = w->at_ms };
    f.path = arena_printf(&arena, "tasks/snapshots/" STR_FMT "_snapshot.json", STR_ARG(t->id));
    f.text = as_it_came ? buf_str(&w->snapshot) : buf_str(&text);
    if (as_it_came || w->own) /* one that came without a snapshot goes without it */
        TRY(export_file(w->x, &f));
    f.path = arena_printf(&arena, "tasks/events/" STR_FMT "_events.jsonl", STR_ARG(t->id));
    f.text = buf_str(&w->lines);
    return f.text.n ? export_file(w->x, &f) : JOT_OK;
}

static jot_status export_task(void *ctx, Str id)
{
    Export *x = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Writing) w = { .x = x, .id = arena_copy(&arena, id) };
    Str stream = arena_printf(&arena, TASK_KIND STR_FMT, STR_ARG(id));
    Task t;
    Err why = { 0 };
    uint64_t damaged = 0;
    jot_status st = task_read(x->m, w.id, &arena, &t, &why);
    if (st == JOT_OK && t.seq) /* else there is only a file, without events */
        st = memory_each_record(
            x->m, stream, &(RecordVisit){ .from = 1, .each = take, .ctx = &w, .damaged = &damaged },
            &why);
    if (st == JOT_CORRUPT || st == JOT_INVALID || damaged)
        layout_miss(x->report, x->into, JOT_CORRUPT, stream, "%s",
                    damaged ? "some of its events cannot be read" : why.text);
    if (st == JOT_CORRUPT || st == JOT_INVALID || st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(err_pass(x->e, &why, st));
    return write_files(&w, stream, &t);
}

jot_status export_tasks(Export *x)
{
    return share_each(x->m, &(ShareWalk){ .kind = TASK_KIND, .each = export_task, .ctx = x }, x->e);
}
