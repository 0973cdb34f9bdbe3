/* cycle_log.c - the steps of a cycle, read again, and written as a log.
 *
 *     === AGENT WAKING ===
 *     Current task: say hi
 *     --- Iteration 1/5 --- 2026-04-01T10:01:38.120Z
 *     Model response: Let me see.
 *         {"tool":"echo","args":{"message":"hi"}}
 *     Tool echo: ok
 *         ECHO: hi
 *     === AGENT SLEEPING === 2026-04-01T10:01:40.007Z
 *     Cycle 20260401_100137 complete: done
 *
 * The lines at the margin are ours; what a model or a tool said is indented from its second line
 * on, so that no text passes for one of them. */
#include "memory/cycle/cycle_log.h"

#include <assert.h>

#include "base/time.h"
#include "memory/cycle/cycle_snapshot.h"
#include "memory/cycle/cycle_steps.h"

enum { TASK_CHARS = 300, NAME_CHARS = 64 };

const char *cycle_log_kind_name(CycleLogKind kind)
{
    static const char *const names[] = {
        [CYCLE_LOG_REPLY] = "reply", [CYCLE_LOG_RESULT] = "result", [CYCLE_LOG_END] = "end"
    };
    assert((size_t)kind < COUNT_OF(names));
    return names[kind];
}

/* --- Keys -------------------------------------------------------------------------------- */

Str cycle_log_key(Str agent, Str id, uint64_t seq, Arena *into)
{
    return arena_printf(into, "steps/" STR_FMT "/" STR_FMT "/%llu", STR_ARG(agent), STR_ARG(id),
                        (unsigned long long)seq);
}

bool cycle_log_key_read(Str key, Str *agent, Str *id, uint64_t *seq)
{
    Str rest = str_starts(key, S("steps/")) ? str_from(key, 6) : (Str){ 0 };
    return str_cut(&rest, '/', agent) && str_cut(&rest, '/', id) && agent->n && id->n &&
           str_to_u64(rest, STORE_SEQ_MAX, seq) && *seq;
}

Str cycle_log_stream(Str agent, Str id, Arena *into)
{
    bool own = str_eq(agent, S(CYCLE_DEFAULT_AGENT));
    return arena_printf(into, "logs/cycle/" STR_FMT "%s" STR_FMT, STR_ARG(id), own ? "" : ".",
                        STR_ARG(own ? S("") : agent));
}

/* --- Steps ------------------------------------------------------------------------------- */

/* What a record says; false if it is no step.  `call` is what a result would answer. */
static bool understand(const Record *r, Action *call, Arena *into, CycleLogStep *out)
{
    AUTO_PTR(json_t) meta = NULL;
    if (r->mark.op != OP_APPEND || json_read(r->meta, &meta, NULL) != JOT_OK)
        return false;
    Str kind = json_member(meta, "kind");
    *out = (CycleLogStep){ .seq = r->mark.seq,
                           .at_ms = r->mark.at_ms,
                           .by = r->by,
                           .text = r->mark.redacted ? S(FORGET_MARK) : r->body,
                           .redacted = r->mark.redacted,
                           .action = action_redacted() };
    if (str_eq(kind, S("reply"))) {
        out->kind = CYCLE_LOG_REPLY;
        if (!r->mark.redacted)
            out->action = action_parse(r->body, into);
        *call = out->action;
        return true;
    }
    if (str_eq(kind, S("result"))) {
        out->kind = CYCLE_LOG_RESULT;
        out->how = cycle_steps_tool_end(json_member(meta, "status"));
        out->action = *call;
        return true;
    }
    out->kind = CYCLE_LOG_END;
    out->end = cycle_tail_end(json_member(meta, "end"));
    out->why = arena_copy(into, json_member(meta, "why"));
    return str_eq(kind, S("end"));
}

jot_status cycle_log_list(Memory *m, CycleName cycle, SeqRange range, Arena *into, CycleLog *out,
                          Err *e)
{
    Tail ignored;
    Records got;
    Err missing = { 0 };
    Action call = action_redacted();
    uint64_t first = range.from ? range.from : 1;
    *out = (CycleLog){ .next = first };
    if (range.limit == 0 || range.limit > CYCLE_LOG_MAX)
        return err_set(e, JOT_INVALID, "one answer has 1 to %d steps", CYCLE_LOG_MAX);
    TRY(cycle_snapshot_locate(m, cycle.agent, cycle.id, into, &ignored, e));
    /* One more in front: of a result it is the call. */
    size_t extra = first > 1;
    jot_status st =
        store_read(m->store, cycle_steps_stream(cycle.agent, cycle.id, into),
                   (SeqRange){ first - extra, range.limit + extra }, into, &got, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    out->items = NEW_ARRAY(into, CycleLogStep, got.n + 1);
    out->more = got.more;
    out->damaged = got.damaged;
    for (size_t i = 0; i < got.n; i++) {
        out->next = got.items[i].mark.seq + 1;
        if (understand(&got.items[i], &call, into, &out->items[out->n]))
            out->n += got.items[i].mark.seq >= first;
    }
    return JOT_OK;
}

jot_status cycle_log_read(Memory *m, CycleName cycle, uint64_t seq, Arena *into, CycleLogStep *out,
                          Err *e)
{
    CycleLog list;
    Shown shown;
    TRY(cycle_log_list(m, cycle, (SeqRange){ seq, 1 }, into, &list, e));
    if (list.n == 0 || list.items[0].seq != seq)
        return err_set(e, JOT_NOT_FOUND, "cycle '%s' has no step %llu", err_show(&shown, cycle.id),
                       (unsigned long long)seq);
    *out = list.items[0];
    return JOT_OK;
}

jot_status cycle_log_read_key(Memory *m, Str key, bool versioned, Arena *into, CycleLogStep *out,
                              Err *e)
{
    Str agent, id;
    uint64_t seq;
    if (!cycle_log_key_read(key, &agent, &id, &seq))
        return err_set(e, JOT_INVALID, "a step of a cycle is named steps/AGENT/CYCLE/NUMBER");
    if (versioned)
        return err_set(e, JOT_INVALID, "a step of a cycle has no versions");
    return cycle_log_read(m, (CycleName){ agent, id }, seq, into, out, e);
}

json_t *cycle_log_step_json(const CycleLogStep *p)
{
    json_t *out = json_pack("{s:I, s:s, s:o, s:s}", "step", (json_int_t)p->seq, "at",
                            time_text(p->at_ms).text, "by", json_text(p->by), "kind",
                            cycle_log_kind_name(p->kind));
    if (p->kind == CYCLE_LOG_REPLY) {
        AUTO_PTR(json_t) action = action_json(&p->action);
        json_object_update(out, action);
    } else if (p->kind == CYCLE_LOG_RESULT) {
        json_object_set_new(out, "tool", json_text(p->action.tool));
        json_object_set_new(out, "status", json_string(cycle_steps_tool_end_name(p->how)));
    } else {
        json_object_set_new(out, "end", json_string(cycle_end_name(p->end)));
        json_object_set_new(out, "why", json_text_or_null(p->why));
        return out;
    }
    json_object_set_new(out, "text", json_text(p->text));
    if (p->redacted)
        json_object_set_new(out, "redacted", json_true());
    return out;
}

/* --- The log ----------------------------------------------------------------------------- */

typedef struct Log {
    Buf *to;
    const Tail *t;
    size_t iterations;
    size_t lines; /* of a log that came from another program ... */
    bool open;    /* ... and whether the last one lacks its line break */
} Log;

/* A text of somebody else's: its first line here, the others indented. */
static void add_said(Buf *to, Str text)
{
    Str line;
    text = str_trim(text);
    while (str_cut(&text, '\n', &line)) {
        buf_add(to, line);
        buf_add(to, S("\n    "));
    }
    buf_add(to, text);
    buf_add_char(to, '\n');
}

static void add_step(Log *l, const CycleLogStep *p, Arena *a)
{
    Str name = cycle_state_line(a, p->action.tool, NAME_CHARS);
    switch (p->kind) {
    case CYCLE_LOG_REPLY:
        buf_addf(l->to, "--- Iteration %zu/%zu --- %s\nModel response: ", ++l->iterations,
                 l->t->iterations_max, time_text(p->at_ms).text);
        add_said(l->to, p->text);
        if (p->action.kind == ACTION_UNREADABLE)
            buf_addf(l->to, "Parse error: no JSON object that names a tool\n");
        break;
    case CYCLE_LOG_RESULT:
        buf_addf(l->to, "Tool " STR_FMT ": %s\n    ", STR_ARG(name),
                 p->how == TOOL_UNKNOWN ? "there is no such tool"
                                        : cycle_steps_tool_end_name(p->how));
        add_said(l->to, p->text);
        break;
    case CYCLE_LOG_END:
        break;
    }
}

/* A trace is one record of several lines, a log that was imported has a line a record. */
static jot_status add_line(void *ctx, const Record *r)
{
    Log *l = ctx;
    AUTO_PTR(json_t) meta = NULL;
    if (r->mark.op != OP_APPEND || r->mark.redacted)
        return JOT_OK;
    if (r->meta.n && json_read(r->meta, &meta, NULL) == JOT_OK &&
        str_eq(json_member(meta, "kind"), S("trace"))) {
        buf_add(l->to, S("    "));
        add_said(l->to, r->body);
        return JOT_OK;
    }
    if (l->lines++)
        buf_add_char(l->to, '\n');
    buf_add(l->to, r->body);
    l->open = json_is_true(json_object_get(meta, "open"));
    return JOT_OK;
}

static jot_status add_lines(Memory *m, Log *l, Str agent, Err *e)
{
    AUTO(Arena) a = { 0 };
    Err missing = { 0 };
    jot_status st =
        memory_each_record(m, cycle_log_stream(agent, l->t->id, &a),
                           &(RecordVisit){ .from = 1, .each = add_line, .ctx = l }, &missing);
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

/* What was said at the end; of a cycle that runs nothing yet. */
static jot_status add_end(Memory *m, Log *l, Str agent, Err *e)
{
    const Tail *t = l->t;
    if (t->phase == TAIL_OPEN)
        return JOT_OK;
    if (t->end == CYCLE_FAILED || t->end == CYCLE_KILLED) {
        buf_add(l->to, S("Agent cycle failed: "));
        add_said(l->to, t->why);
        TRY(add_lines(m, l, agent, e));
    }
    buf_addf(l->to, "=== AGENT SLEEPING === %s\nCycle " STR_FMT " complete: %s\n",
             t->ended_ms ? time_text(t->ended_ms).text : "", STR_ARG(t->id),
             cycle_end_name(t->end));
    return JOT_OK;
}

jot_status cycle_log(Memory *m, Str agent, Str id, Buf *to, Err *e)
{
    AUTO(Arena) a = { 0 };
    Tail t;
    Shown shown;
    size_t start = to->n;
    Log l = { .to = to, .t = &t };
    TRY(cycle_snapshot_locate(m, agent, id, &a, &t, e));
    TRY(add_lines(m, &l, agent, e));
    if (l.lines && !l.open)
        buf_add_char(to, '\n');
    if (!l.lines) {
        to->n = start;
        Yaml *state = cycle_state_salvage(l.t->before, &a);
        const Yaml *task = yaml_get(state, S("current_task"));
        bool text = task && task->kind == YAML_SCALAR && task->type != YAML_NULL;
        buf_addf(l.to, "=== AGENT WAKING === %s\nCurrent task: " STR_FMT "\n",
                 l.t->started_ms ? time_text(l.t->started_ms).text : "",
                 STR_ARG(text ? cycle_state_line(&a, task->text, TASK_CHARS) : S("none")));
        CycleLog list = { .more = true };
        for (uint64_t next = 1; list.more; next = list.next) {
            AUTO(Arena) page = { 0 };
            TRY(cycle_log_list(m, (CycleName){ agent, l.t->id }, (SeqRange){ next, CYCLE_LOG_MAX },
                               &page, &list, e));
            for (size_t i = 0; i < list.n; i++)
                add_step(&l, &list.items[i], &page);
            if (list.damaged)
                buf_addf(l.to, "(%llu steps cannot be read)\n", (unsigned long long)list.damaged);
            list.more = list.more && list.next > next;
        }
        TRY(add_end(m, &l, agent, e));
    }
    if (buf_ok(to))
        return JOT_OK;
    to->n = start;
    return err_set(e, JOT_TOO_BIG, "the log of cycle '%s' is too long for one text: read its steps",
                   err_show(&shown, id));
}
