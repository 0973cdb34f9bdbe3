/* cycle.c - waking, stepping, going to sleep, failing.
 *
 * One stream decides: cycles/AGENT (cycle_tail.h).  Everything is appended after
 * a tail that was read before, and read again if somebody was faster.
 *
 *               before             after              state
 *     idle  ------------>  open  --------->  ending  -------->  idle
 *      ^                   |  ^ steps go to steps/AGENT/ID, which
 *      |                   +--+ `end` seals: nobody adds one after it
 *      +-- a state or a reset begins; people's edits may come anywhere
 *
 * The order, and what is true if the process dies after each append:
 *
 *   wake    1. before          the cycle runs, and will be found dead
 *           2. snapshot        the same; it is made later if it is missing
 *   step    3. reply, result   the same; the step counts
 *   end     4. `end` of steps  the next wake ends it as was said here
 *           5. after           it has ended; the next wake does the rest
 *           6. snapshots       the same
 *           7. state           all is done
 *
 * A cycle that failed or died ends with the text it began with, read again from
 * its `before`, and one more line of notes: nothing of its steps can be in it.
 * A wake first finishes what a dead process left; if it dies too, the next one does the
 * same, because each of these appends follows from the records before it alone:
 * last_updated is the time of `after`, not of the process that writes. */
#include "memory/cycle/cycle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/cycle/cycle_log.h"
#include "memory/cycle/cycle_snapshot.h"
#include "memory/cycle/cycle_steps.h"

/* How often a tail that moves is followed before that is called unavailable. */
enum { TRIES = 200, SECOND_CHARS = 15, EDIT_LINE_CHARS = 600, NAME_CHARS = 64 };

static jot_status moves(Str agent, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNAVAILABLE, "could not write the state of '%s': it changes too fast",
                   err_show(&shown, agent));
}

static jot_status check_id(Str id, Err *e)
{
    bool good = id.n >= SECOND_CHARS && id.n <= CYCLE_ID_MAX;
    for (size_t i = 0; good && i < id.n; i++)
        good = (id.p[i] >= '0' && id.p[i] <= '9') || id.p[i] == '_';
    return good ? JOT_OK : cycle_refuse_id(id, e);
}

/* What is being done to the cycles of an agent, and all that is needed for it. */
typedef struct Work {
    Memory *m;
    Str agent;
    Tail t;      /* as it was read last */
    Arena *a;    /* of this look at it */
    Buf *notice; /* what the caller is to know */
} Work;

/* --- Joining a person's edit ------------------------------------------------------------- */

static Yaml *keep_ours(Arena *a, const Yaml *ours, Str line, Buf *notice)
{
    Yaml *out = cycle_state_copy(a, ours);
    cycle_state_note(a, out, line);
    buf_addf(notice, STR_FMT "\n", STR_ARG(str_from(line, strlen("[EDIT] "))));
    return out;
}

/* `ours` with the edit that is pending in the tail.  An edit that cannot be read is not lost: it is
 * a version of the state, and the notes say which. */
static Yaml *join_edit(Arena *a, const Tail *t, const Yaml *ours, Buf *notice)
{
    Yaml *base = NULL, *theirs = NULL, *out = NULL;
    Err why = { 0 };
    CycleMerge told = { 0 };
    if (t->edit_deleted)
        return keep_ours(a, ours,
                         S("[EDIT] the state was deleted during the cycle: it is written again"),
                         notice);
    if (cycle_state_read(t->edit_base, a, &base, NULL) != JOT_OK)
        base = cycle_state_new(a);
    jot_status st = cycle_state_read(t->edit, a, &theirs, &why);
    if (st == JOT_OK) {
        out = cycle_state_merge(a, base, ours, theirs, &told);
        st = cycle_state_fits(out, &why);
    }
    if (st != JOT_OK) {
        Str line = arena_printf(a,
                                "[EDIT] an edit during the cycle is in the history as version "
                                "%llu, but not in the state: %s",
                                (unsigned long long)t->edit_seq, why.text);
        return keep_ours(a, ours, cycle_state_line(a, line, EDIT_LINE_CHARS), notice);
    }
    buf_addf(notice, "an edit during the cycle was merged");
    if (told.clashes)
        buf_addf(notice,
                 "; %zu values were changed on both sides: the edit's are kept, the notes have "
                 "the cycle's",
                 told.clashes);
    buf_add_char(notice, '\n');
    return out;
}

/* --- Ending ------------------------------------------------------------------------------ */

static Yaml *end_state(Arena *a, const Cycle *c)
{
    Str said;
    bool failed = c->end == CYCLE_FAILED || c->end == CYCLE_KILLED;
    if (!failed && !c->waiting)
        return c->state;
    if (!failed)
        return action_result(
            a, c->state, &c->call,
            &(ToolResult){ .end = TOOL_FAILED,
                           .text = S("no result came: nobody knows whether it was done") },
            &said);
    Yaml *out = cycle_state_salvage(c->before, a);
    cycle_state_note(a, out,
                     arena_printf(a, "Cycle " STR_FMT " failed: " STR_FMT, STR_ARG(c->id),
                                  STR_ARG(cycle_state_line(a, c->why, CYCLE_STATE_LINE_CHARS))));
    /* The tools that answered: what they did is done, whatever becomes of the state. A tool
     * that does not exist was never called. */
    AUTO(Buf) names = { 0 };
    for (size_t i = 0; i < c->calls_n; i++) {
        const CycleCall *call = &c->calls[i];
        bool open = c->waiting && str_eq(c->call.tool, call->tool);
        size_t n = call->n - call->unknown - open;
        if (n == 0 || !action_is_outside(call->tool))
            continue;
        buf_addf(&names, "%s'" STR_FMT "'", names.n ? ", " : "",
                 STR_ARG(cycle_state_line(a, call->tool, NAME_CHARS)));
        if (n > 1)
            buf_addf(&names, " (%zu times)", n);
    }
    Str called = cycle_state_line(a, buf_str(&names), CYCLE_STATE_LINE_CHARS);
    if (called.n)
        cycle_state_note(
            a, out,
            arena_printf(a, "Cycle " STR_FMT " had called " STR_FMT ": what that did is not undone",
                         STR_ARG(c->id), STR_ARG(called)));
    return out;
}

/* Append `after`.  The cycle's steps are sealed, and say how it ended. */
static jot_status add_after(Work *w, const Cycle *c, Err *e)
{
    const Tail *t = &w->t;
    assert(c->sealed && t->phase == TAIL_OPEN && str_eq(t->id, c->id));
    Str text;
    Mark mark;
    Yaml *state = end_state(w->a, c);
    if (t->edited)
        state = join_edit(w->a, t, state, w->notice);
    TRY(cycle_state_write(state, w->a, &text, e));
    json_t *meta =
        json_pack("{s:s, s:s%, s:s, s:I}", "kind", "after", "cycle", c->id.p, c->id.n, "end",
                  cycle_end_name(c->end), "iterations", (json_int_t)c->iterations);
    if (c->why.n)
        json_object_set_new(meta, "why", json_stringn(c->why.p, c->why.n));
    if (t->edited)
        json_object_set_new(meta, "edit", json_integer((json_int_t)t->edit_seq));
    return cycle_tail_add(w->m, t, meta, text, &mark, e);
}

/* Append `state` after an `after`, or after a state in whose moment an edit came. */
static jot_status add_state(Work *w, Err *e)
{
    const Tail *t = &w->t;
    bool ending = t->phase == TAIL_ENDING;
    assert(ending || (t->phase == TAIL_IDLE && t->edited));
    Str text;
    Mark mark;
    TRY(cycle_snapshot_keep(w->m, w->agent, t, e));
    Yaml *state = cycle_state_salvage(ending ? t->after : t->text, w->a);
    if (t->edited)
        state = join_edit(w->a, t, state, w->notice);
    if (ending)
        yaml_set(w->a, state, S("last_updated"), yaml_text(w->a, str(time_text(t->ended_ms).text)));
    TRY(cycle_state_write(state, w->a, &text, e));
    json_t *meta = json_pack("{s:s, s:s%}", "kind", "state", ending ? "cycle" : "last",
                             t->id.n ? t->id.p : "", t->id.n);
    if (!ending) {
        json_object_set_new(meta, "from", json_string("merge"));
        json_object_set_new(meta, "replies", json_integer((json_int_t)t->replies));
    }
    if (t->edited)
        json_object_set_new(meta, "edit", json_integer((json_int_t)t->edit_seq));
    return cycle_tail_add(w->m, t, meta, text, &mark, e);
}

/* Do one thing that a process left undone after an `after`; *did is false if there is none. */
static jot_status roll_forward(Work *w, bool *did, Err *e)
{
    bool torn = w->t.phase == TAIL_IDLE && w->t.own && w->t.edited;
    *did = w->t.phase == TAIL_ENDING || torn;
    if (!*did)
        return JOT_OK;
    jot_status st = add_state(w, e);
    return st == JOT_CONFLICT ? JOT_OK : st;
}

/* --- A cycle in the way ------------------------------------------------------------------ */

static Str killed_why(const Cycle *c, Arena *a)
{
    Str call = c->waiting ? arena_printf(a,
                                         ", while '" STR_FMT "' was called: nobody knows whether "
                                         "it was done",
                                         STR_ARG(cycle_state_line(a, c->call.tool, NAME_CHARS)))
                          : (Str){ 0 };
    Str sign = arena_printf(a, ", or gave no sign for %lld s,", (long long)(c->ttl_ms / 1000));
    return arena_printf(a, "it was killed" STR_FMT " after %zu of %zu iterations" STR_FMT,
                        STR_ARG(c->orphaned ? S(", or its lease ran out,") : sign), c->iterations,
                        c->iterations_max, STR_ARG(call));
}

static jot_status running(const Cycle *c, Err *e)
{
    Shown shown;
    return err_set(e, JOT_LEASED,
                   "cycle '" STR_FMT "' of '%s' is running: it counts as dead in %lld s without a "
                   "sign",
                   STR_ARG(c->id), err_show(&shown, c->agent),
                   (long long)(c->left_ms + 999) / 1000);
}

/* End the cycle that the tail shows running, if it is dead; JOT_LEASED if not. */
static jot_status end_dead(Work *w, const CycleWake *o, Err *e)
{
    Cycle c;
    assert(w->t.phase == TAIL_OPEN);
    cycle_tail_cycle(&w->t, w->agent, &c);
    TRY(cycle_steps_fold(w->m, &w->t, w->a, &c, e));
    bool gone = c.dead || c.sealed || (o && o->gone && o->gone(o->ctx, &c));
    if (!gone)
        return running(&c, e);
    /* Its steps are sealed first: from then on it can take no step more, also if it was only slow,
     * and everybody who ends it says the same of its end. */
    jot_status st = cycle_steps_seal(w->m, &c, CYCLE_KILLED, killed_why(&c, w->a), w->a, e);
    if (st == JOT_CONFLICT)
        return JOT_OK; /* it has just given a sign: look again */
    TRY(st);
    st = add_after(w, &c, e);
    if (st == JOT_CONFLICT)
        return JOT_OK;
    TRY(st);
    buf_addf(w->notice, "cycle '" STR_FMT "' was ended: %s" STR_FMT "\n", STR_ARG(c.id),
             c.why.n ? "" : cycle_end_name(c.end), STR_ARG(c.why));
    return JOT_OK;
}

/* Read the tail until nothing of an earlier cycle is left to be done. */
static jot_status settle(Work *w, const CycleWake *o, Err *e)
{
    for (int i = 0; i < TRIES; i++) {
        bool did = false;
        TRY(cycle_tail_read(w->m, w->agent, w->a, &w->t, e));
        /* Each of these is one append, after which the tail is another: so it is read again, and
         * what is to be done next follows from it alone, no matter who did the last step. */
        if (w->t.phase == TAIL_OPEN) {
            TRY(end_dead(w, o, e));
            continue;
        }
        TRY(roll_forward(w, &did, e));
        if (!did)
            return JOT_OK;
    }
    return moves(w->agent, e);
}

/* --- Waking ------------------------------------------------------------------------------ */

/* The second, and a number after it if a cycle of that second has been there. */
static jot_status name_cycle(Work *w, Str *out, Err *e)
{
    int64_t now = io_wall_ms(w->m->io);
    TimeText at = time_stamp(now > w->t.head.at_ms ? now : w->t.head.at_ms);
    at.text[8] = '_';
    Str second = arena_copy(w->a, str(at.text));
    for (int n = 1; n <= CYCLE_SAME_MAX; n++) {
        bool taken = false;
        *out = n == 1 ? second : arena_printf(w->a, STR_FMT "_%d", STR_ARG(second), n);
        if (!str_eq(*out, w->t.id))
            TRY(cycle_snapshot_taken(w->m, w->agent, *out, &taken, e));
        if (!taken && !str_eq(*out, w->t.id))
            return JOT_OK;
    }
    return err_set(e, JOT_TOO_BIG, "too many cycles in one second");
}

static jot_status begin(Work *w, const CycleWake *o, Str *id, Err *e)
{
    const Tail *t = &w->t;
    assert(t->phase == TAIL_NOTHING || t->phase == TAIL_IDLE);
    Str text = t->text;
    Yaml *state = NULL;
    Mark mark;
    StoreTime now;
    if (t->phase == TAIL_NOTHING) {
        state = cycle_state_new(w->a);
        TRY(cycle_state_write(state, w->a, &text, e));
    } else if (cycle_state_read(text, w->a, &state, e) != JOT_OK ||
               cycle_state_fits(state, e) != JOT_OK) {
        Shown shown;
        return err_at(e, "the state of '%s'", err_show(&shown, w->agent));
    }
    /* The record says how its death would be known: by the pad's clock and the machine's boot, with
     * a time to live; and under which lease it was woken. */
    TRY(name_cycle(w, id, e));
    TRY(store_clock(w->m->store, &now, e));
    int64_t max = o->iterations_max ? o->iterations_max : CYCLE_ITERATIONS;
    int64_t ttl = o->ttl_ms ? o->ttl_ms : CYCLE_TTL_MS;
    json_t *meta = json_pack("{s:s, s:s%, s:I, s:I, s:s, s:I}", "kind", "before", "cycle", id->p,
                             id->n, "max", (json_int_t)max, "ttl", (json_int_t)ttl, "boot", now.era,
                             "awake", (json_int_t)now.now_ms);
    if (o->lease)
        json_object_set_new(meta, "lease", json_integer((json_int_t)o->lease));
    if (t->phase != TAIL_NOTHING && t->replies)
        json_object_set_new(meta, "replies", json_integer((json_int_t)t->replies));
    return cycle_tail_add(w->m, t, meta, text, &mark, e);
}

jot_status cycle_wake(Memory *m, Str agent, const CycleWake *o, Arena *into, Cycle *out, Err *e)
{
    static const CycleWake plain = { 0 };
    AUTO(Buf) notice = { 0 };
    const CycleWake *with = o ? o : &plain;
    if (with->iterations_max < 0 || with->iterations_max > CYCLE_ITERATIONS_MAX)
        return err_set(e, JOT_INVALID, "a cycle has 1 to %d iterations", CYCLE_ITERATIONS_MAX);
    if (with->ttl_ms < 0 || with->ttl_ms > CYCLE_TTL_MS_MAX)
        return err_set(e, JOT_INVALID, "a cycle's ttl is 1 ms to %d s", CYCLE_TTL_MS_MAX / 1000);
    for (int i = 0; i < TRIES; i++) {
        AUTO(Arena) a = { 0 };
        Work w = { .m = m, .agent = agent, .a = &a, .notice = &notice };
        Str id;
        TRY(settle(&w, with, e));
        jot_status st = begin(&w, with, &id, e);
        if (st == JOT_CONFLICT)
            continue;
        TRY(st);
        TRY(cycle_tail_read(m, agent, &a, &w.t, e));
        if (str_eq(w.t.id, id))
            TRY(cycle_snapshot_keep(m, agent, &w.t, e));
        TRY(cycle_find(m, agent, id, into, out, e));
        out->notice = arena_copy(into, buf_str(&notice));
        return JOT_OK;
    }
    return moves(agent, e);
}

/* --- Stepping ---------------------------------------------------------------------------- */

static jot_status has_ended(Str id, CycleEnd end, Err *e)
{
    return err_set(e, JOT_FENCED, "cycle '" STR_FMT "' has ended (%s): wake a new one", STR_ARG(id),
                   cycle_end_name(end));
}

/* The cycle, which must be running and not about to end. */
static jot_status find_running(Memory *m, Str agent, Str id, Arena *into, Cycle *c, Err *e)
{
    TRY(cycle_find(m, agent, id, into, c, e));
    if (c->end != CYCLE_RUNNING || c->sealed)
        return has_ended(id, c->end, e);
    assert(c->state); /* one that runs has what its steps make of it */
    return JOT_OK;
}

static jot_status stepped(Memory *m, Cycle *c, jot_status st, Arena *into, Err *e)
{
    if (st == JOT_CONFLICT)
        return err_set(e, JOT_CONFLICT, "somebody else took a step in cycle '" STR_FMT "'",
                       STR_ARG(c->id));
    TRY(st);
    return cycle_find(m, c->agent, c->id, into, c, e);
}

static jot_status check_bytes(Str text, const char *what, Err *e)
{
    if (text.n <= ACTION_REPLY_MAX)
        return JOT_OK;
    return err_set(e, JOT_TOO_BIG, "%s of %zu bytes: the limit is %d", what, text.n,
                   ACTION_REPLY_MAX);
}

jot_status cycle_step(Memory *m, const CycleInput *in, Arena *into, CycleStep *out, Cycle *c,
                      Err *e)
{
    Shown shown;
    TRY(check_bytes(in->text, "a reply", e));
    TRY(find_running(m, in->agent, in->id, into, c, e));
    if (c->waiting)
        return err_set(e, JOT_INVALID, "the result of '%s' is missing: give it before a reply",
                       err_show(&shown, c->call.tool));
    if (c->done)
        return err_set(e, JOT_INVALID, "cycle '" STR_FMT "' is done: let it sleep",
                       STR_ARG(in->id));
    if (c->iterations >= c->iterations_max)
        return err_set(e, JOT_INVALID,
                       "cycle '" STR_FMT "' has had its %zu iterations: let it sleep",
                       STR_ARG(in->id), c->iterations_max);
    /* What comes of it is computed here for the caller, and by everybody else from the record. */
    out->action = action_parse(in->text, into);
    action_apply(into, c->state, &out->action, &out->said);
    json_t *meta = json_pack("{s:s}", "kind", "reply");
    return stepped(m, c, cycle_steps_add(m, c, meta, in->text, e), into, e);
}

jot_status cycle_result(Memory *m, const CycleInput *in, Arena *into, CycleStep *out, Cycle *c,
                        Err *e)
{
    TRY(check_bytes(in->text, "a result", e));
    TRY(find_running(m, in->agent, in->id, into, c, e));
    if (!c->waiting && !c->lost)
        return err_set(e, JOT_INVALID, "no tool was called in cycle '" STR_FMT "'",
                       STR_ARG(in->id));
    const Yaml *before = c->state;
    out->action = c->call;
    json_t *meta =
        json_pack("{s:s, s:s}", "kind", "result", "status", cycle_steps_tool_end_name(in->end));
    TRY(stepped(m, c, cycle_steps_add(m, c, meta, in->text, e), into, e));
    /* Said is what the record says, and the key is the record's. */
    ToolResult r = { .end = in->end, .text = in->text, .key = c->answer.key };
    action_result(into, before, &out->action, &r, &out->said);
    return JOT_OK;
}

/* --- Going to sleep, failing ------------------------------------------------------------- */

static CycleEnd natural_end(const Cycle *c)
{
    if (c->done)
        return CYCLE_DONE;
    return c->iterations >= c->iterations_max ? CYCLE_LIMIT : CYCLE_STOPPED;
}

/* Which cycle is to end, and how; `end` CYCLE_RUNNING: as it is. */
typedef struct Ending {
    Str agent, id;
    CycleEnd end;
    Str why, trace;
} Ending;

/* Seal the steps and append `after`; a conflict with others means: look again. */
static jot_status end_running(Work *w, Ending *how, Err *e)
{
    Cycle c;
    assert(w->t.phase == TAIL_OPEN && str_eq(w->t.id, how->id));
    cycle_tail_cycle(&w->t, w->agent, &c);
    TRY(cycle_steps_fold(w->m, &w->t, w->a, &c, e));
    if (how->trace.p && !c.sealed) {
        Str stream = cycle_log_stream(c.agent, c.id, w->a);
        AUTO(Buf) text = { 0 };
        AUTO_PTR(json_t)
        meta = json_pack("{s:s, s:s%}", "kind", "trace", "why", how->why.p, how->why.n);
        json_write(&text, meta);
        Mark mark;
        Draft d = { .op = OP_APPEND,
                    .meta = buf_str(&text),
                    .body = how->trace.n ? how->trace : how->why };
        TRY(memory_append(w->m, stream, NULL, &d, &mark, e));
        how->trace = (Str){ 0 };
    }
    CycleEnd end = how->end == CYCLE_RUNNING ? natural_end(&c) : how->end;
    jot_status st = cycle_steps_seal(w->m, &c, end, how->why, w->a, e);
    if (st == JOT_OK)
        st = add_after(w, &c, e);
    return st == JOT_CONFLICT ? JOT_OK : st;
}

static jot_status finish(Memory *m, Ending how, Arena *into, Cycle *out, Err *e)
{
    AUTO(Buf) notice = { 0 };
    assert(how.end == CYCLE_RUNNING || how.end == CYCLE_FAILED);
    TRY(check_id(how.id, e));
    for (int i = 0; i < TRIES; i++) {
        AUTO(Arena) a = { 0 };
        Work w = { .m = m, .agent = how.agent, .a = &a, .notice = &notice };
        bool did = false;
        TRY(cycle_tail_read(m, how.agent, &a, &w.t, e));
        /* Only the newest cycle can still run; an older one has ended, and is only looked up. */
        bool newest = str_eq(w.t.id, how.id);
        if (w.t.phase == TAIL_OPEN && newest) {
            TRY(end_running(&w, &how, e));
            continue;
        }
        if (newest)
            TRY(roll_forward(&w, &did, e));
        if (did)
            continue;
        TRY(cycle_find(m, how.agent, how.id, into, out, e));
        out->notice = arena_copy(into, buf_str(&notice));
        /* Somebody else may have ended it meanwhile, in another way than was asked for. */
        bool failed = out->end == CYCLE_FAILED || out->end == CYCLE_KILLED;
        bool wanted = how.end == CYCLE_FAILED ? out->end == CYCLE_FAILED : !failed;
        return wanted ? JOT_OK : has_ended(how.id, out->end, e);
    }
    return moves(how.agent, e);
}

jot_status cycle_sleep(Memory *m, Str agent, Str id, Arena *into, Cycle *out, Err *e)
{
    return finish(m, (Ending){ .agent = agent, .id = id }, into, out, e);
}

jot_status cycle_fail(Memory *m, const CycleFailure *f, Arena *into, Cycle *out, Err *e)
{
    if (f->trace.n > CYCLE_TRACE_MAX)
        return err_set(e, JOT_TOO_BIG, "a trace of %zu bytes: the limit is %d", f->trace.n,
                       CYCLE_TRACE_MAX);
    Ending how = { .agent = f->agent,
                   .id = f->id,
                   .end = CYCLE_FAILED,
                   .why = f->why.n ? cycle_state_line(into, f->why, CYCLE_STATE_LINE_CHARS)
                                   : S("no reason was given"),
                   .trace = f->trace.n ? f->trace : S("") };
    return finish(m, how, into, out, e);
}

/* --- The state --------------------------------------------------------------------------- */

jot_status cycle_init(Memory *m, Str agent, const CycleInit *o, Arena *into, Str *text, Err *e)
{
    Tail t;
    Mark mark;
    Shown shown;
    for (size_t i = 0; i < o->goals_n; i++)
        TRY(utf8_check("a goal", o->goals[i], e));
    TRY(utf8_check("a task", o->task, e));
    TRY(utf8_check("the notes", o->notes, e));
    TRY(cycle_tail_read(m, agent, into, &t, e));
    if (t.phase != TAIL_NOTHING)
        return err_set(e, JOT_CONFLICT, "'%s' already has a state: reset it, or edit it",
                       err_show(&shown, agent));
    Yaml *state = cycle_state_new(into);
    for (size_t i = 0; i < o->goals_n; i++)
        yaml_add(into, yaml_get(state, S("goals")), yaml_text(into, o->goals[i]));
    Str task = o->task.n == 0 && o->goals_n ? o->goals[0] : o->task;
    if (task.n)
        yaml_set(into, state, S("current_task"), yaml_text(into, task));
    yaml_set(into, state, S("notes"), yaml_text(into, o->notes));
    TRY(cycle_state_fits(state, e));
    TRY(cycle_state_write(state, into, text, e));
    json_t *meta = json_pack("{s:s, s:s, s:s%}", "kind", "state", "from", "init", "last",
                             t.id.n ? t.id.p : "", t.id.n);
    return cycle_tail_add(m, &t, meta, *text, &mark, e);
}

jot_status cycle_reset(Memory *m, Str agent, Str text, Str from, Arena *into, Err *e)
{
    AUTO(Buf) notice = { 0 };
    Yaml *state = NULL;
    TRY(utf8_check("a template", text, e));
    if (cycle_state_read(text, into, &state, e) != JOT_OK || cycle_state_fits(state, e) != JOT_OK)
        return err_at(e, "the template");
    if (text.n == 0)
        TRY(cycle_state_write(state, into, &text, e));
    for (int i = 0; i < TRIES; i++) {
        AUTO(Arena) a = { 0 };
        Work w = { .m = m, .agent = agent, .a = &a, .notice = &notice };
        Mark mark;
        TRY(settle(&w, NULL, e));
        Str last = w.t.id;
        json_t *meta =
            json_pack("{s:s, s:s%, s:s%}", "kind", "state", "from", from.n ? from.p : "reset",
                      from.n ? from.n : 5, "last", last.n ? last.p : "", last.n);
        jot_status st = cycle_tail_add(m, &w.t, meta, text, &mark, e);
        if (st != JOT_CONFLICT)
            return st;
    }
    return moves(agent, e);
}
