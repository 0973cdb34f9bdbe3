/* task_share.c - tasks in files that git carries: what such a file says, and whether it may.
 *
 *      what the stream says            what the file says
 *               └────────── judge ────────────┘
 *                             |
 *     the same, or ours: the stream counts
 *     a task, and there is a way to it: it counts, and is recorded when somebody moves the task
 *     anything else: the stream counts, and who looks is told why
 *
 * A file shows where a task went, not by which steps.  So each way between two states may be taken,
 * and several one after the other: what another machine did by hand, somebody here agreed to by
 * pulling it.  What no row of ways leads to is refused, and what the states do not say: a completed
 * task stays as it is, nothing is started before what it needs, retries are limited. */
#include <assert.h>

#include "memory/task/task_internal.h"

enum { TAKE_TRIES = 8 };

typedef enum Turn {
    TURN_NONE = 0, /* the stream counts */
    TURN_TAKE,     /* the file does */
    TURN_REFUSED,  /* the file may not */
    TURN_REMOVE,   /* the file is gone, and the task with it */
} Turn;

typedef struct Sight {
    bool there; /* the stream has a task: `now` */
    Task now, next;
    Turn turn;
    SharedFile file;
    Err why; /* refused */
} Sight;

/* --- What a file says ------------------------------------------------------------------------ */

typedef struct Member {
    const char *name;
    json_type type;
} Member;

static const Member members[] = {
    { "task_id", JSON_STRING },
    { "description", JSON_STRING },
    { "expected_output", JSON_STRING },
    { "agent", JSON_STRING },
    { "holder", JSON_STRING },
    { "reason", JSON_STRING },
    { "result", JSON_STRING },
    { "status", JSON_STRING },
    { "tools", JSON_ARRAY },
    { "dependencies", JSON_ARRAY },
    { "priority", JSON_INTEGER },
    { "max_retries", JSON_INTEGER },
    { "retry_count", JSON_INTEGER },
};

static jot_status check_shape(const json_t *j, Err *e)
{
    if (!json_is_object(j))
        return err_set(e, JOT_INVALID, "it is not an object");
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const json_t *value = json_given(j, members[i].name);
        if (value && json_typeof(value) != members[i].type)
            return err_set(e, JOT_INVALID, "its '%s' is of another type", members[i].name);
    }
    return JOT_OK;
}

static jot_status check_needs(const Task *t, Err *e)
{
    Shown shown;
    for (size_t i = 0; i < t->dependencies.n; i++) {
        Str id = t->dependencies.items[i];
        if (str_eq(id, t->id))
            return err_set(e, JOT_INVALID, "it depends on itself");
        for (size_t k = 0; k < i; k++)
            if (str_eq(id, t->dependencies.items[k]))
                return err_set(e, JOT_INVALID, "it depends on '%s' twice", err_show(&shown, id));
    }
    return JOT_OK;
}

static jot_status check_long(const char *what, Str text, size_t max, Err *e)
{
    return text.n <= max ? JOT_OK
                         : err_set(e, JOT_TOO_BIG, "its %s has %zu bytes: the limit is %zu", what,
                                   text.n, max);
}

static jot_status check_limits(const Task *t, Err *e)
{
    TRY(task_check(t, e));
    TRY(check_long("reason", t->reason, TASK_TEXT_MAX, e));
    TRY(check_long("result", t->result, TASK_RESULT_MAX, e));
    TRY(check_long("holder", t->holder, STORE_BY_MAX, e));
    if (t->retry_count < 0 || t->retry_count > (int64_t)TASK_RETRIES_MAX + 1)
        return err_set(e, JOT_INVALID, "its retry_count is no number of retries");
    return check_needs(t, e);
}

static jot_status read_file(Str id, const SharedFile *f, Arena *into, Task *out, Err *e)
{
    AUTO_PTR(json_t) body = NULL;
    Shown shown;
    if (str_has_marks(f->text))
        return err_set(e, JOT_INVALID, "it holds the marks of a conflict in git");
    TRY(json_read(f->text, &body, e));
    TRY(check_shape(body, e));
    if (!task_read_snapshot(body, into, out))
        return err_set(e, JOT_INVALID,
                       "it holds no task: a status, tools or dependencies are not "
                       "what they should be");
    if (!str_eq(out->id, id))
        return err_set(e, JOT_INVALID, "it says that it is task '%s'", err_show(&shown, out->id));
    out->awaits = true; /* who is to be followed is asked when it is recorded */
    out->at_ms = f->at_ms;
    out->by = S(STORE_OUTSIDE);
    if (out->status == TASK_RUNNING && !out->holder.n)
        out->holder = out->by;
    return check_limits(out, e);
}

/* --- Whether it may -------------------------------------------------------------------------- */

static bool same_names(const TaskNames *a, const TaskNames *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = str_eq(a->items[i], b->items[i]);
    return same;
}

static bool same_task(const Task *a, const Task *b)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) x = task_snapshot_json(a);
    AUTO_PTR(json_t) y = task_snapshot_json(b);
    return str_eq(json_to_str(&arena, x), json_to_str(&arena, y));
}

/* By what its stream or its file says; whether that may be is not asked here. */
static bool is_completed(Memory *m, Str id)
{
    AUTO(Arena) arena = { 0 };
    SharedFile f;
    Task t = { 0 };
    Err ignored = { 0 };
    if (task_read_recorded(m, id, &arena, &t, &ignored) == JOT_OK && t.status == TASK_COMPLETED)
        return true;
    return share_look(m, TASK_KIND, id, &arena, &f, &ignored) == JOT_OK &&
           f.state == SHARE_THEIRS && share_is_news(&f, t.file) &&
           read_file(id, &f, &arena, &t, &ignored) == JOT_OK && t.status == TASK_COMPLETED;
}

static jot_status check_started(Memory *m, const Task *t, Err *e)
{
    Shown shown;
    for (size_t i = 0; i < t->dependencies.n; i++)
        if (!is_completed(m, t->dependencies.items[i]))
            return err_set(e, JOT_INVALID, "it is %s, and waits for '%s', which is not completed",
                           task_status_name(t->status), err_show(&shown, t->dependencies.items[i]));
    return JOT_OK;
}

/* Is there a row of ways from the one to the other?  All states lead to all others, but for what is
 * asked here. */
static jot_status judge(Memory *m, const Task *now, const Task *next, Err *e)
{
    bool moves = next->status != now->status;
    bool stopped = next->status == TASK_BLOCKED || next->status == TASK_FAILED;
    if (now->status == TASK_COMPLETED && !moves)
        return err_set(e, JOT_INVALID, "a completed task stays as it is");
    if (now->status == TASK_COMPLETED || (moves && next->status == TASK_PENDING))
        return task_no_way(now, next->status, e);
    if (now->status != TASK_PENDING && !same_names(&now->dependencies, &next->dependencies))
        return err_set(e, JOT_INVALID,
                       "what a task needs can be changed while it is pending, and it is %s",
                       task_status_name(now->status));
    if (next->retry_count < now->retry_count)
        return err_set(e, JOT_INVALID, "its retry_count goes back");
    if (now->status == TASK_FAILED && moves && now->retry_count > next->max_retries)
        return err_set(e, JOT_INVALID, "it has failed, and no retries are left");
    if (moves && stopped && !next->reason.n)
        return err_set(e, JOT_INVALID, "it is %s without a reason", task_status_name(next->status));
    bool starts = now->status == TASK_PENDING && moves && next->status != TASK_BLOCKED;
    return starts ? check_started(m, next, e) : JOT_OK;
}

static jot_status judge_file(Memory *m, Str id, Arena *into, Sight *out)
{
    if (out->file.state == SHARE_BAD) {
        out->why = out->file.why;
        return out->why.status;
    }
    TRY(read_file(id, &out->file, into, &out->next, &out->why));
    out->next.seq = out->there ? out->now.seq : 0;
    out->next.file = out->file.seq;
    if (out->there && same_task(&out->now, &out->next))
        return JOT_OK;
    if (out->there)
        TRY(judge(m, &out->now, &out->next, &out->why));
    out->turn = TURN_TAKE;
    return JOT_OK;
}

static jot_status see(Memory *m, Str id, Arena *into, Sight *out, Err *e)
{
    Err missing = { 0 };
    Shown shown;
    *out = (Sight){ 0 };
    jot_status st = task_read_recorded(m, id, into, &out->now, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &missing, st);
    out->there = st == JOT_OK;
    TRY(share_look(m, TASK_KIND, id, into, &out->file, e));
    bool news = share_is_news(&out->file, out->now.file);
    if (out->file.seq > out->now.file)
        out->now.file = out->file.seq;
    if (out->file.state == SHARE_GONE && news)
        out->turn = out->there ? TURN_REMOVE : TURN_NONE;
    if (!news || out->file.state == SHARE_GONE)
        return JOT_OK;
    st = judge_file(m, id, into, out);
    if (st != JOT_OK) {
        out->turn = TURN_REFUSED;
        (void)err_at(&out->why, "the file of task '%s' is not taken", err_show(&shown, id));
        out->now.refused = arena_copy(into, str(out->why.text));
    }
    return JOT_OK;
}

jot_status task_read(Memory *m, Str id, Arena *into, Task *out, Err *e)
{
    Sight s;
    TRY(see(m, id, into, &s, e));
    *out = s.turn == TURN_TAKE ? s.next : s.now;
    if (s.turn == TURN_TAKE || (s.there && s.turn != TURN_REMOVE))
        return JOT_OK;
    *out = (Task){ 0 };
    return s.turn == TURN_REFUSED ? err_pass(e, &s.why, JOT_INVALID) : task_not_found(id, e);
}

/* --- Taking it in ---------------------------------------------------------------------------- */

static const char *event_of(const Sight *s)
{
    static const char *const names[] = {
        [TASK_PENDING] = "state_changed", [TASK_READY] = "state_changed",
        [TASK_RUNNING] = "state_changed", [TASK_COMPLETED] = "completed",
        [TASK_FAILED] = "failed",         [TASK_BLOCKED] = "blocked",
    };
    if (!s->there)
        return "created";
    if (s->next.cancelled && !s->now.cancelled)
        return "cancelled";
    if (s->next.status == s->now.status)
        return "edited";
    if (s->now.status == TASK_BLOCKED && s->next.status == TASK_READY)
        return "unblocked";
    return names[s->next.status];
}

static json_t *event_json(const Sight *s)
{
    json_t *event = json_pack("{s:s, s:s}", "type", event_of(s), "by", STORE_OUTSIDE);
    if (s->there && s->next.status != s->now.status) {
        json_object_set_new(event, "from", json_string(task_status_name(s->now.status)));
        json_object_set_new(event, "to", json_string(task_status_name(s->next.status)));
    }
    if (s->next.reason.n && !str_eq(s->next.reason, s->now.reason))
        json_object_set_new(event, "reason", json_text(s->next.reason));
    if (s->next.result.n && !str_eq(s->next.result, s->now.result))
        json_object_set_new(event, "result", json_text(s->next.result));
    return event;
}

/* Its bytes stay as they are: git has nothing to say about a file that was taken. */
static jot_status take_in(Memory *m, Str stream, Sight *s, Err *e)
{
    Expect x = { .kind = s->there ? EXPECT_SEQ : EXPECT_ABSENT, .seq = s->now.seq };
    jot_status st = task_record(m, stream, &x, event_json(s), &s->next, e);
    s->next.by = S(STORE_OUTSIDE);
    return st;
}

static jot_status remove_task(Memory *m, Str stream, const Sight *s, Err *e)
{
    Mark mark;
    Expect x = { .kind = EXPECT_SEQ, .seq = s->now.seq };
    return memory_append(m, stream, &x, &(Draft){ .op = OP_DELETE }, &mark, e);
}

/* Reported once: if it already has a record, the process that recorded it was told. */
static jot_status refuse(Sight *s, bool fresh, Err *e)
{
    if (!s->there)
        return err_pass(e, &s->why, JOT_INVALID);
    if (!fresh)
        return JOT_OK;
    s->why.status = JOT_CONFLICT;
    (void)err_next(&s->why, S("its text is kept, and the next change writes over it"));
    return err_pass(e, &s->why, JOT_CONFLICT);
}

/* What can only be asked with all others in view: a cycle. */
static jot_status check_cycle(Memory *m, Sight *s, Err *e)
{
    Shown shown;
    if (s->turn != TURN_TAKE ||
        (s->there && same_names(&s->now.dependencies, &s->next.dependencies)))
        return JOT_OK;
    jot_status st = task_check_dependencies(m, s->next.id, &s->next.dependencies, true,
                                            &s->next.awaits, &s->why);
    if (st != JOT_INVALID)
        return err_pass(e, &s->why, st);
    s->turn = TURN_REFUSED;
    (void)err_at(&s->why, "the file of task '%s' is not taken", err_show(&shown, s->next.id));
    return JOT_OK;
}

/* One try; JOT_CONFLICT with `again`: somebody was faster. */
static jot_status take_once(Memory *m, Str stream, Sight *s, bool *again, Err *e)
{
    Err why = { 0 };
    assert(s->turn == TURN_TAKE || s->turn == TURN_REMOVE);
    jot_status st =
        s->turn == TURN_TAKE ? take_in(m, stream, s, &why) : remove_task(m, stream, s, &why);
    *again = st == JOT_CONFLICT;
    return err_pass(e, &why, st);
}

jot_status task_take(Memory *m, Str id, Arena *into, Task *out, Err *e)
{
    Shown shown;
    Str stream;
    Sight s;
    bool fresh = false, again = true;
    TRY(task_stream(id, into, &stream, e));
    for (int i = 0; again && i < TAKE_TRIES; i++) {
        TRY(see(m, id, into, &s, e));
        *out = s.now;
        /* 1. Nothing new in the file: the stream counts. */
        bool gone = s.file.state == SHARE_GONE && !s.file.seq;
        if (s.turn == TURN_NONE && !gone)
            return s.there ? JOT_OK : task_not_found(id, e);
        /* 2. What git left in the directory becomes a record of the file first: then it has a seq,
         * which the task's event can name as seen. */
        if (!s.file.seq && s.file.state != SHARE_BAD) {
            TRY(store_record_edits(m->store, s.file.stream, e));
            fresh = true;
            continue;
        }
        /* 3. Is it one that may be?  Then it becomes an event of the task. */
        TRY(check_cycle(m, &s, e));
        if (s.turn == TURN_REFUSED)
            return refuse(&s, fresh, e);
        jot_status st = take_once(m, stream, &s, &again, e);
        if (!again)
            TRY(st);
    }
    if (again)
        return err_set(e, JOT_CONFLICT, "task '%s' keeps changing", err_show(&shown, id));
    *out = s.turn == TURN_TAKE ? s.next : (Task){ .file = s.now.file };
    return s.turn == TURN_TAKE ? JOT_OK : task_not_found(id, e);
}

jot_status task_check_new(Memory *m, Str id, Arena *into, uint64_t *file, Err *e)
{
    unsigned shares;
    Task t = { 0 };
    Err why = { 0 };
    *file = 0;
    TRY(share_now(m, &shares, e));
    if (!(shares & SHARE_TASKS))
        return JOT_OK;
    jot_status st = task_take(m, id, into, &t, &why);
    *file = t.file;
    if (st == JOT_OK)
        return task_duplicate(id, e);
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &why, st);
}

/* --- Showing it ------------------------------------------------------------------------------ */

static Str file_text(const Task *t, Arena *into)
{
    AUTO_PTR(json_t) task = task_snapshot_json(t);
    return share_text(task, into);
}

void task_show(Memory *m, const Task *t)
{
    AUTO(Arena) arena = { 0 };
    unsigned shares;
    if (share_now(m, &shares, &(Err){ 0 }) == JOT_OK && (shares & SHARE_TASKS))
        share_show(m, &(ShareText){ TASK_KIND, t->id, file_text(t, &arena), t->seq, t->file });
}

jot_status task_file_due(Memory *m, Str id, Arena *into, ShareText *out, Err *e)
{
    Sight s;
    Task t;
    TRY(see(m, id, into, &s, e));
    *out = (ShareText){ .kind = TASK_KIND, .id = id, .of = s.now.seq, .seen = s.file.seq };
    bool shows = s.file.state == SHARE_OURS && s.file.of == s.now.seq;
    /* What was brought and taken in says it in its own bytes. */
    if (s.file.state == SHARE_THEIRS && read_file(id, &s.file, into, &t, &(Err){ 0 }) == JOT_OK)
        shows = same_task(&s.now, &t);
    if (s.there && s.file.shared && s.turn == TURN_NONE && !shows)
        out->text = file_text(&s.now, into);
    return JOT_OK;
}
