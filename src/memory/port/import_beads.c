/* import_beads.c - the issues of beads, .beads/issues.jsonl: one JSON object a line.
 *
 *     an issue    the task ID; title, description, design and notes are its description
 *     a memory    {"_type":"memory", "key", "value"}, of `bd remember`: a note
 *
 * open and pinned are pending, in_progress and hooked running, blocked and deferred blocked, closed
 * is completed.  The lower a priority is the more important it is there, so 0 to 4 become 4 to 0.
 * Of the dependencies only those that block are a task's; the whole line stays in the task's
 * history, so nothing of it is lost.  A tombstone says that somebody deleted the issue, and nobody
 * misses it. */
#include "base/json.h"
#include "base/time.h"
#include "memory/port/import.h"
#include "memory/port/note_file.h"
#include "memory/task/task.h"

static const struct {
    const char *theirs, *ours;
} states[] = {
    { "open", "pending" },    { "in_progress", "running" }, { "hooked", "running" },
    { "blocked", "blocked" }, { "deferred", "blocked" },    { "closed", "completed" },
    { "pinned", "pending" },
};

static const char *status_of(const json_t *issue)
{
    Str status = json_member(issue, "status");
    if (!status.n)
        return "pending";
    for (size_t i = 0; i < COUNT_OF(states); i++)
        if (str_eq(status, str(states[i].theirs)))
            return states[i].ours;
    return NULL;
}

static void add_part(Buf *to, const char *title, Str text)
{
    if (text.n)
        buf_addf(to, "%s%s%s" STR_FMT, to->n ? "\n\n" : "", title, title[0] ? ":\n" : "",
                 STR_ARG(text));
}

static void add_comments(Buf *to, const json_t *comments)
{
    size_t i;
    const json_t *c;
    json_array_foreach(comments, i, c)
    {
        Str by = json_member(c, "author"), text = json_member(c, "text");
        buf_addf(to, "%s" STR_FMT ": " STR_FMT, i ? "\n" : "\n\nComments:\n", STR_ARG(by),
                 STR_ARG(text));
    }
}

/* What it says, as one text. */
static json_t *description_of(const json_t *issue)
{
    AUTO(Buf) text = { 0 };
    add_part(&text, "", json_member(issue, "title"));
    add_part(&text, "", json_member(issue, "description"));
    add_part(&text, "Design", json_member(issue, "design"));
    add_part(&text, "Notes", json_member(issue, "notes"));
    add_comments(&text, json_object_get(issue, "comments"));
    return json_text(buf_str(&text));
}

static json_t *dependencies_of(const json_t *issue)
{
    json_t *out = json_array();
    size_t i;
    const json_t *d;
    json_array_foreach(json_object_get(issue, "dependencies"), i, d)
    {
        Str on = json_member(d, "depends_on_id");
        if (on.n && str_eq(json_member(d, "type"), S("blocks")))
            json_array_append_new(out, json_text(on));
    }
    return out;
}

/* The task as the snapshot of one has it, with the issue itself beside it. */
static json_t *task_of(json_t *issue, const char *status)
{
    int64_t priority = json_integer_value(json_object_get(issue, "priority"));
    json_t *out = json_pack("{s:s, s:o, s:I, s:o}", "status", status, "description",
                            description_of(issue), "priority", (json_int_t)(4 - priority),
                            "context_dependencies", dependencies_of(issue));
    json_object_set_new(out, "expected_output",
                        json_text(json_member(issue, "acceptance_criteria")));
    if (json_member(issue, "assignee").n)
        json_object_set_new(out, "assigned_agent", json_text(json_member(issue, "assignee")));
    if (json_member(issue, "close_reason").n)
        json_object_set_new(out, "result", json_text(json_member(issue, "close_reason")));
    json_object_set(out, "beads", issue);
    return out;
}

static int64_t when(const json_t *issue)
{
    int64_t at_ms = 0;
    if (!time_parse_any(json_member(issue, "updated_at"), &at_ms) &&
        !time_parse_any(json_member(issue, "created_at"), &at_ms))
        return 0;
    return at_ms;
}

static jot_status import_memory(Import *x, Str shown, const json_t *line, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key = json_member(line, "key");
    if (!key.n || !json_is_string(json_object_get(line, "value"))) {
        layout_miss(x->report, x->into, JOT_INVALID, shown, "a memory has a key and a value");
        return JOT_OK;
    }
    NoteFile note = note_file_of(key, true, false, &arena);
    ImportDoc d = { .name = shown,
                    .stream = arena_printf(&arena, "notes/" STR_FMT, STR_ARG(note.key)),
                    .text = json_member(line, "value"),
                    .meta = note.meta };
    if (note.mapped)
        layout_rename(x->report, x->into, key, d.stream);
    return import_document(x, &d, e);
}

static jot_status import_issue(Import *x, Str shown, json_t *issue, Err *e)
{
    Str id = json_member(issue, "id");
    Shown theirs;
    if (str_eq(json_member(issue, "status"), S("tombstone"))) {
        layout_skip(x->report, x->into, id, "it was deleted there");
        return JOT_OK;
    }
    const char *status = status_of(issue);
    if (!id.n || !json_member(issue, "title").n) {
        layout_miss(x->report, x->into, JOT_INVALID, shown, "an issue has an id and a title");
        return JOT_OK;
    }
    if (!status) {
        layout_miss(x->report, x->into, JOT_INVALID, id, "the status '%s' is unknown here",
                    err_show(&theirs, json_member(issue, "status")));
        return JOT_OK;
    }
    AUTO_PTR(json_t) task = task_of(issue, status);
    if (json_member(task, "description").n > TASK_TEXT_MAX) {
        layout_miss(x->report, x->into, JOT_TOO_BIG, id, "its texts have more than %d bytes",
                    TASK_TEXT_MAX);
        return JOT_OK;
    }
    TRY(import_task_value(
        x, &(ImportTask){ .id = id, .path = shown, .value = task, .at_ms = when(issue) }, e));
    return import_go_on(x, e);
}

static jot_status import_line(Import *x, Str name, uint64_t number, Str line, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Err why;
    AUTO_PTR(json_t) value = NULL;
    Str shown =
        arena_printf(&arena, STR_FMT ": line %llu", STR_ARG(name), (unsigned long long)number);
    if (json_read(line, &value, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, shown, "%.150s", why.text);
        return JOT_OK;
    }
    Str type = json_member(value, "_type");
    if (str_eq(type, S("memory")))
        return import_memory(x, shown, value, e);
    if (type.n && !str_eq(type, S("issue"))) {
        layout_stray(x->report, x->into, shown, "it is neither an issue nor a memory");
        return JOT_OK;
    }
    return import_issue(x, shown, value, e);
}

jot_status import_beads_file(Import *x, Str name, Str text, Err *e)
{
    Str rest = text, line;
    for (uint64_t number = 1; rest.n; number++) {
        if (!str_cut(&rest, '\n', &line))
            line = TAKE(rest);
        if (line.n)
            TRY(import_line(x, name, number, line, e));
    }
    return JOT_OK;
}
