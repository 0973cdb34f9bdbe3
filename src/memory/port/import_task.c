/* import_task.c - tasks that another program keeps as a snapshot and a log of events.
 *
 *     tasks/snapshots/ID_snapshot.json   the task as it is now
 *     tasks/events/ID_events.jsonl       what happened to it, an object a line
 *
 * Each line becomes an event of tasks/ID with the task as it was after it, folded from the lines;
 * the newest record is the snapshot.  Where the lines lead elsewhere, or there are none, an event
 * `imported` says so.  The program has transitions of its own, so none is checked here.
 *
 * The line stands in the event as it was, and the snapshot beside the newest task, so that an
 * export gives back the same bytes; and so that a later import knows which lines it has seen. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/port/import.h"
#include "memory/task/task.h"

#define SNAPSHOTS "tasks/snapshots"
#define EVENTS "tasks/events"
#define SNAPSHOT_ENDS "_snapshot.json"
#define EVENTS_ENDS "_events.jsonl"

/* --- What the files say ------------------------------------------------------------------ */

typedef struct Line {
    Str text;
    bool open; /* no line break ends it */
    json_t *event;
    int64_t at_ms;
} Line;

typedef struct Files {
    Str id;
    Str snapshot, events; /* texts; empty: there is no such file */
    int64_t snapshot_ms, events_ms;
    Str path; /* of the one that is reported */
    json_t *value;
    Line *lines;
    size_t n, cap;
    Arena arena;
} Files;

static void files_done(Files *f)
{
    json_decref(f->value);
    for (size_t i = 0; i < f->n; i++)
        json_decref(f->lines[i].event);
    arena_free(&f->arena);
}
DEFINE_AUTO(Files, files_done)

static int64_t time_of(const json_t *event, int64_t otherwise)
{
    const json_t *at = json_object_get(event, "_timestamp");
    int64_t ms;
    if (json_is_number(at) && json_number_value(at) > 0 && json_number_value(at) < 1e12)
        return llround(json_number_value(at) * 1000);
    return time_parse_any(json_str(at), &ms) ? ms : otherwise;
}

/* False if a line cannot even be kept. */
static bool read_lines(Import *x, Files *f)
{
    Str rest = f->events, line;
    uint64_t bad = 0, first = 0;
    while (rest.n) {
        bool ended = str_cut(&rest, '\n', &line);
        if (!ended)
            line = TAKE(rest);
        if (!utf8_valid(line)) {
            layout_miss(x->report, x->into, JOT_INVALID, f->path, "line %zu is not UTF-8",
                        f->n + 1);
            return false;
        }
        f->lines = arena_grow(&f->arena, f->lines, f->n, &f->cap, sizeof(Line), alignof(Line));
        Line *l = &f->lines[f->n++];
        *l = (Line){ .text = line, .open = !ended };
        if (json_read(line, &l->event, NULL) != JOT_OK || !json_member(l->event, "_event_type").n) {
            first = bad++ ? first : f->n;
            json_decref(TAKE(l->event));
        }
        l->at_ms = time_of(l->event, f->n > 1 ? f->lines[f->n - 2].at_ms : f->events_ms);
    }
    if (bad)
        layout_miss(x->report, x->into, JOT_INVALID, f->path,
                    "line %llu%s: no event; it is kept as it is", (unsigned long long)first,
                    bad > 1 ? " and others" : "");
    return true;
}

/* A snapshot of a task has a state; lines without one need an event. */
static bool is_task(const Files *f)
{
    TaskStatus status;
    if (f->value)
        return task_status_parse(json_member(f->value, "status"), &status);
    bool any = false;
    for (size_t i = 0; i < f->n; i++)
        any = any || f->lines[i].event;
    return any && !f->snapshot.n;
}

/* --- The task, event by event ------------------------------------------------------------ */

static Str short_text(Str text, size_t max)
{
    return text.n <= max ? text : (Str){ 0 }; /* the line has it */
}

static TaskNames names_of(const json_t *list, Arena *into)
{
    size_t n = json_array_size(list);
    TaskNames out = { .items = NEW_ARRAY(into, Str, n + 1) };
    for (size_t i = 0; i < n && out.n < TASK_NAMES_MAX; i++) {
        Str name = json_str(json_array_get(list, i));
        if (name.n && name.n <= TASK_NAME_MAX)
            out.items[out.n++] = arena_copy(into, name);
    }
    return out;
}

/* To whom it is given: a name, or the number of somebody. */
static Str agent_of(const json_t *agent, Arena *into)
{
    if (json_is_integer(agent))
        return arena_printf(into, "%lld", (long long)json_integer_value(agent));
    return short_text(json_str(agent), TASK_NAME_MAX);
}

static int64_t number_of(const json_t *value, const char *key, int64_t max)
{
    int64_t n = json_integer_value(json_object_get(value, key));
    return n < -max ? -max : n > max ? max : n;
}

/* What an event of the program is here; `to` of those that say it themselves is empty. */
static const struct Kind {
    const char *name, *type, *to, *reason, *result;
} kinds[] = {
    { .name = "TaskCreatedEvent", .type = "created", .to = "pending" },
    { .name = "TaskStateChangedEvent", .type = "state_changed", .to = "" },
    { .name = "TaskReadyEvent", .type = "state_changed", .to = "ready" },
    { .name = "TaskRunningEvent", .type = "state_changed", .to = "running" },
    { .name = "TaskBlockedEvent", .type = "blocked", .to = "blocked", .reason = "reason" },
    { .name = "TaskBlockedUpdatedEvent", .type = "blocked", .to = "blocked" },
    { .name = "TaskUnblockedEvent",
      .type = "unblocked",
      .to = "ready",
      .reason = "unblock_reason" },
    { .name = "TaskCompletedEvent", .type = "completed", .to = "completed", .result = "result" },
    { .name = "TaskCompletedWithMetadataEvent", .type = "completed", .to = "completed" },
    { .name = "TaskFailedEvent", .type = "failed", .to = "failed", .reason = "error" },
    { .name = "TaskFailedWithReasonEvent",
      .type = "failed",
      .to = "failed",
      .reason = "error_reason" },
};

static const struct Kind *kind_of(const json_t *event)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(json_member(event, "_event_type"), str(kinds[i].name)))
            return &kinds[i];
    return NULL;
}

/* The state of the task after an event; what the event says of a failure counts once. */
static void move(Task *t, TaskStatus to, const json_t *event)
{
    int64_t told = number_of(event, "retry_count", TASK_RETRIES_MAX);
    bool fresh = to == TASK_FAILED && t->status != TASK_FAILED;
    t->retry_count = t->retry_count + fresh > told ? t->retry_count + fresh : told;
    t->blocked_until_manual = to == TASK_BLOCKED;
    if (to != t->status)
        t->reason = (Str){ 0 };
    t->status = to;
}

/* Apply a line; the event as it stands in the record, which the caller owns. */
static json_t *apply(Task *t, const Line *l, Arena *into)
{
    const struct Kind *k = kind_of(l->event);
    TaskStatus from = t->status, to = t->status;
    json_t *out = json_object();
    Str type = k ? str(k->type) : json_member(l->event, "_event_type");
    json_object_set_new(out, "type", json_text(type.n ? type : S("unreadable")));
    bool moves =
        k && task_status_parse(k->to[0] ? str(k->to) : json_member(l->event, "new_status"), &to);
    if (moves) {
        move(t, to, l->event);
        (void)!task_status_parse(json_member(l->event, "old_status"), &from);
        if (strcmp(k->type, "created") != 0)
            json_object_set_new(out, "from", json_string(task_status_name(from)));
        json_object_set_new(out, "to", json_string(task_status_name(to)));
    }
    Str reason =
        k && k->reason ? short_text(json_member(l->event, k->reason), TASK_TEXT_MAX) : (Str){ 0 };
    Str result =
        k && k->result ? short_text(json_member(l->event, k->result), TASK_RESULT_MAX) : (Str){ 0 };
    if (reason.n) {
        json_object_set_new(out, "reason", json_text(reason));
        t->reason = moves && to != TASK_READY ? arena_copy(into, reason) : t->reason;
    }
    if (result.n) {
        json_object_set_new(out, "result", json_text(result));
        t->result = arena_copy(into, result);
    }
    if (json_is_true(json_object_get(l->event, "manual_override")))
        json_object_set_new(out, "manual", json_true());
    json_object_set_new(out, "line", json_text(l->text));
    if (l->open)
        json_object_set_new(out, "open", json_true());
    return out;
}

/* --- Where the pad stands ---------------------------------------------------------------- */

typedef struct Stand {
    const Files *f;
    Arena *into;
    Mark head;
    size_t lines; /* of the files, that are there */
    bool other;   /* a line that is another one */
    bool moved;   /* an event of the pad's own */
    Str snapshot; /* the newest that came with an import */
} Stand;

static jot_status take(void *ctx, const Record *r)
{
    Stand *s = ctx;
    AUTO_PTR(json_t) body = NULL;
    if (r->mark.op != OP_APPEND || json_read(r->body, &body, NULL) != JOT_OK)
        return JOT_OK;
    const json_t *event = json_object_get(body, "event"), *line = json_object_get(event, "line");
    Str snapshot = json_member(body, "snapshot");
    if (snapshot.n)
        s->snapshot = arena_copy(s->into, snapshot);
    if (json_is_string(line)) {
        bool same = s->lines < s->f->n && str_eq(json_str(line), s->f->lines[s->lines].text);
        s->other = s->other || !same;
        s->lines += same;
    } else if (!str_eq(json_member(event, "type"), S("imported"))) {
        s->moved = true;
    }
    return JOT_OK;
}

static jot_status look(Import *x, Str stream, const Files *f, Arena *into, Stand *out, Err *e)
{
    Record head = { 0 };
    Err missing = { 0 };
    *out = (Stand){ .f = f, .into = into };
    jot_status st = store_head(x->m->store, stream, HEAD_MARK, into, &head, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    out->head = head.mark;
    return memory_each_record(x->m, stream, &(RecordVisit){ .from = 1, .each = take, .ctx = out },
                              e);
}

/* Why nothing is written over what is there, or NULL. */
static const char *in_the_way(const Stand *s)
{
    if (s->head.op == OP_DELETE)
        return "it was deleted in the pad: use --replace to bring it back";
    if (s->other)
        return "a task of that name has other events: use --replace";
    return s->moved ? "it was moved on in the pad: use --replace" : NULL;
}

/* --- Writing ----------------------------------------------------------------------------- */

static jot_status append(Import *x, Str stream, const TaskForeignEvent *p, uint64_t *seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Draft d = task_draft(p, &arena);
    Expect expect = expect_at(*seq);
    Mark mark;
    TRY(memory_append(x->m, stream, &expect, &d, &mark, e));
    *seq = mark.seq;
    x->report->added++;
    return JOT_OK;
}

/* The task is what its snapshot says, however it came there. */
static jot_status append_snapshot(Import *x, Str stream, const Files *f, Task *t, uint64_t *seq,
                                  Err *e)
{
    TaskStatus from = t->status, to = t->status;
    (void)!task_status_parse(json_member(f->value, "status"), &to);
    move(t, to, NULL);
    if (!t->result.n && to == TASK_COMPLETED)
        t->result = short_text(json_member(f->value, "result"), TASK_RESULT_MAX);
    AUTO_PTR(json_t)
    event = json_pack("{s:s, s:s, s:s}", "type", "imported", "from", task_status_name(from), "to",
                      task_status_name(to));
    TaskForeignEvent p = {
        .event = event, .task = t, .snapshot = f->snapshot, .at_ms = f->snapshot_ms
    };
    return append(x, stream, &p, seq, e);
}

/* Continue after the lines that are there.  `again`: only the snapshot counts. */
static jot_status write_task(Import *x, Str stream, Files *f, const Stand *s, bool anew, Err *e)
{
    /* What does not change from event to event. */
    const json_t *v = f->value;
    Task t = { .id = f->id,
               .description = short_text(json_member(v, "description"), TASK_TEXT_MAX),
               .expected_output = short_text(json_member(v, "expected_output"), TASK_TEXT_MAX),
               .agent = agent_of(json_object_get(v, "assigned_agent"), &f->arena),
               .tools = names_of(json_object_get(v, "tools"), &f->arena),
               .dependencies = names_of(json_object_get(v, "context_dependencies"), &f->arena),
               .priority = number_of(v, "priority", TASK_PRIORITY_MAX),
               .max_retries = number_of(v, "max_retries", TASK_RETRIES_MAX) };
    t.max_retries = t.max_retries < 0 ? 0 : t.max_retries;
    t.awaits = t.dependencies.n > 0;
    for (size_t i = 0; i < f->n && !t.description.n; i++)
        t.description = short_text(json_member(f->lines[i].event, "description"), TASK_TEXT_MAX);
    TaskStatus now;
    uint64_t seq = s->head.seq;
    bool said = false; /* the last line says what the snapshot says, and carries it */
    for (size_t i = 0; i < f->n; i++) {
        AUTO_PTR(json_t) event = apply(&t, &f->lines[i], &f->arena);
        if (anew || i < s->lines)
            continue;
        said = i + 1 == f->n && f->value &&
               task_status_parse(json_member(f->value, "status"), &now) && now == t.status;
        TaskForeignEvent p = { .event = event,
                               .task = &t,
                               .snapshot = said ? f->snapshot : (Str){ 0 },
                               .at_ms = f->lines[i].at_ms };
        TRY(append(x, stream, &p, &seq, e));
    }
    return f->value && !said ? append_snapshot(x, stream, f, &t, &seq, e) : JOT_OK;
}

static jot_status import_task(Import *x, Files *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream = arena_printf(&arena, TASK_KIND STR_FMT, STR_ARG(f->id));
    Stand s;
    Err why;
    if (store_check_name(stream, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, f->path, "%s", why.text);
        return JOT_OK;
    }
    uint64_t files = (uint64_t)(f->snapshot.n > 0) + (f->events.n > 0);
    x->report->files += files;
    TRY(look(x, stream, f, &arena, &s, e));
    bool there = s.head.op == OP_APPEND && !s.other && s.lines == f->n &&
                 (!f->value || str_eq(s.snapshot, f->snapshot));
    if (there) {
        x->report->unchanged += files;
        return JOT_OK;
    }
    const char *refused = in_the_way(&s);
    if (refused && (!x->o->replace || !f->value)) {
        layout_miss(x->report, x->into, JOT_CONFLICT, f->path, "%s", refused);
        return JOT_OK;
    }
    return write_task(x, stream, f, &s, refused != NULL, e);
}

jot_status import_task_value(Import *x, const ImportTask *t, Err *e)
{
    AUTO(Files) f = { .id = t->id, .path = t->path, .snapshot_ms = t->at_ms };
    AUTO(Buf) text = { 0 };
    json_write(&text, t->value);
    f.snapshot = arena_copy(&f.arena, buf_str(&text));
    TRY(json_read(f.snapshot, &f.value, e));
    return import_task(x, &f, e);
}

/* --- Finding them ------------------------------------------------------------------------ */

typedef struct Found {
    Str id;
    int64_t snapshot_ms, events_ms; /* 0: there is no such file */
} Found;

typedef struct Finds {
    Found *items;
    size_t n, cap;
    Arena *into;
} Finds;

static int by_id(const void *a, const void *b)
{
    return str_cmp(((const Found *)a)->id, ((const Found *)b)->id);
}

static jot_status list(Import *x, const char *dir, Str ends, bool events, Finds *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    AUTO(Fd) open = io_open(x->m->io, x->dir, dir, O_RDONLY | O_DIRECTORY, 0);
    if (open < 0)
        return JOT_OK;
    TRY(foreign_list(x->m->io, open, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        if (!f->regular || f->name.p[0] == '.' || !str_ends(f->name, ends) || f->name.n == ends.n)
            continue;
        int64_t at_ms = f->at_ms > 0 ? f->at_ms : 1;
        out->items =
            arena_grow(out->into, out->items, out->n, &out->cap, sizeof(Found), alignof(Found));
        out->items[out->n++] =
            (Found){ .id = arena_copy(out->into, str_slice(f->name, 0, f->name.n - ends.n)),
                     .snapshot_ms = events ? 0 : at_ms,
                     .events_ms = events ? at_ms : 0 };
    }
    return JOT_OK;
}

/* The two files of one task stand beside each other. */
static void join(Finds *all)
{
    size_t kept = 0;
    if (all->n)
        qsort(all->items, all->n, sizeof(Found), by_id);
    for (size_t i = 0; i < all->n; i++) {
        Found *last = kept ? &all->items[kept - 1] : NULL;
        if (last && str_eq(last->id, all->items[i].id)) {
            last->snapshot_ms += all->items[i].snapshot_ms;
            last->events_ms += all->items[i].events_ms;
        } else {
            all->items[kept++] = all->items[i];
        }
    }
    all->n = kept;
}

static bool read_file(Import *x, Str path, size_t max, Arena *into, Str *out)
{
    Err why;
    jot_status st =
        foreign_read(&(ForeignFile){ x->m->io, x->dir, path.p, .max = max }, into, out, &why);
    if (st != JOT_OK)
        layout_miss(x->report, x->into, st, path, "%s", why.text);
    return st == JOT_OK;
}

/* The files of a task; false if they are not for a task to be made of. */
static bool read_files(Import *x, const Found *from, Files *f)
{
    f->id = from->id;
    f->snapshot_ms = from->snapshot_ms;
    f->events_ms = from->events_ms;
    Str snapshot = arena_printf(&f->arena, SNAPSHOTS "/" STR_FMT SNAPSHOT_ENDS, STR_ARG(from->id));
    Str events = arena_printf(&f->arena, EVENTS "/" STR_FMT EVENTS_ENDS, STR_ARG(from->id));
    f->path = from->snapshot_ms ? snapshot : events;
    if (from->snapshot_ms &&
        (!read_file(x, snapshot, STORE_BODY_MAX / 4, &f->arena, &f->snapshot) ||
         json_read(f->snapshot, &f->value, NULL) != JOT_OK))
        return false;
    if (from->events_ms && !read_file(x, events, IMPORT_FILE_MAX, &f->arena, &f->events))
        return false;
    f->path = from->events_ms ? events : snapshot;
    bool lines = read_lines(x, f);
    f->path = from->snapshot_ms ? snapshot : events;
    return lines && is_task(f);
}

jot_status import_tasks(Import *x, Arena *into, ImportTasks *taken, Err *e)
{
    Finds all = { .into = into };
    TRY(list(x, SNAPSHOTS, S(SNAPSHOT_ENDS), false, &all, e));
    TRY(list(x, EVENTS, S(EVENTS_ENDS), true, &all, e));
    join(&all);
    *taken = (ImportTasks){ .ids = NEW_ARRAY(into, Str, all.n + 1) };
    for (size_t i = 0; i < all.n; i++) {
        AUTO(Files) f = { 0 };
        if (!read_files(x, &all.items[i], &f))
            continue;
        taken->ids[taken->n++] = all.items[i].id;
        TRY(import_task(x, &f, e));
    }
    return JOT_OK;
}

static int by_str(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

bool import_is_task(const ImportTasks *taken, Str category, Str name)
{
    Str ends = str_eq(category, S(SNAPSHOTS)) ? S(SNAPSHOT_ENDS)
               : str_eq(category, S(EVENTS))  ? S(EVENTS_ENDS)
                                              : (Str){ 0 };
    if (!ends.n || !str_ends(name, ends) || !taken->n)
        return false;
    Str id = str_slice(name, 0, name.n - ends.n);
    return bsearch(&id, taken->ids, taken->n, sizeof(Str), by_str);
}
