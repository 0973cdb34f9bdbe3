/* cycle_steps.c - appending steps, and folding them into a state.
 *
 *     state before -> reply -> result -> reply -> result -> ... -> end
 *
 * While a cycle runs its state is nowhere: it is what the replies and results recorded so far make
 * of the state it was woken with, computed again by every process that looks.  action.c says what a
 * single one does.  So there is no second copy that could disagree, and a process that dies between
 * two steps loses nothing.  A result without a call that waits for it is passed over: it is the
 * second of two that raced.
 *
 * Whether the cycle is still alive follows from the time of its last step (its ttl), from the lease
 * it was woken under, and from the machine's boot. */
#include "memory/cycle/cycle_steps.h"

#include <assert.h>
#include <stdio.h>

#include "base/boot.h"
#include "memory/cycle/cycle_log.h"
#include "memory/lease.h"

Str cycle_steps_stream(Str agent, Str id, Arena *into)
{
    return arena_printf(into, "steps/" STR_FMT "/" STR_FMT, STR_ARG(agent), STR_ARG(id));
}

/* --- Folding ----------------------------------------------------------------------------- */

typedef struct Fold {
    Cycle *c;
    Arena *into;  /* of what stays */
    Arena states; /* of the state at hand ... */
    Arena spare;  /* ... and, for a moment, of the next one */
    Yaml *state;
    Buf answer;          /* the newest result ... */
    uint64_t answer_seq; /* ... and which record it is */
    size_t calls_cap;
    int64_t awake_ms;
    char boot[BOOT_TEXT];
} Fold;

static void fold_done(Fold *f)
{
    arena_free(&f->states);
    arena_free(&f->spare);
    buf_free(&f->answer);
}
DEFINE_AUTO(Fold, fold_done)

static CycleCall *find_call(const Cycle *c, Str tool)
{
    for (size_t i = 0; i < c->calls_n; i++)
        if (str_eq(c->calls[i].tool, tool))
            return &c->calls[i];
    return NULL;
}

/* The next state was made in `spare`; the old one goes. */
static void advance(Fold *f, Yaml *next)
{
    assert(next && f->state);
    f->state = next;
    arena_free(&f->states);
    f->states = TAKE(f->spare);
}

static void take_reply(Fold *f, const Record *r)
{
    Cycle *c = f->c;
    Str said;
    Action x = r->mark.redacted ? action_redacted() : action_parse(r->body, f->into);
    c->iterations++;
    c->unreadable += x.kind == ACTION_UNREADABLE;
    c->answered = false;
    /* A tool of the caller's: its result is what the cycle waits for.  Of a reply that was redacted
     * nobody knows whether it was a call, so a result is taken after it, too. */
    c->waiting = x.kind == ACTION_TOOL;
    c->lost = x.kind == ACTION_REDACTED;
    c->done = x.kind == ACTION_DONE;
    if (c->waiting || c->lost)
        c->call = x;
    if (x.kind != ACTION_UNREADABLE && x.kind != ACTION_REDACTED) {
        /* How often each tool is called, and how often in the same way. */
        CycleCall *known = find_call(c, x.tool);
        if (!known) {
            c->calls = arena_grow(f->into, c->calls, c->calls_n, &f->calls_cap, sizeof *c->calls,
                                  alignof(CycleCall));
            known = &c->calls[c->calls_n++];
            *known = (CycleCall){ .tool = x.tool, .args = x.args };
        }
        known->n++;
        if (str_eq(known->args, x.args))
            known->same++;
        else if (known->same <= 1)
            known->args = x.args; /* nothing was repeated yet: perhaps this one will be */
    }
    advance(f, action_apply(&f->spare, f->state, &x, &said));
}

const char *cycle_steps_tool_end_name(ToolEnd end)
{
    static const char *const names[] = {
        [TOOL_OK] = "ok", [TOOL_FAILED] = "error", [TOOL_UNKNOWN] = "unknown"
    };
    return names[end];
}

ToolEnd cycle_steps_tool_end(Str status)
{
    for (ToolEnd end = TOOL_OK; end <= TOOL_UNKNOWN; end++)
        if (str_eq(status, str(cycle_steps_tool_end_name(end))))
            return end;
    return TOOL_FAILED;
}

static void take_result(Fold *f, const json_t *meta, const Record *r)
{
    Cycle *c = f->c;
    Str said;
    if (!c->waiting && !c->lost)
        return;
    buf_clear(&f->answer);
    buf_add(&f->answer, r->mark.redacted ? S(FORGET_MARK) : r->body);
    c->answer = (ToolResult){ .end = cycle_steps_tool_end(json_member(meta, "status")),
                              .text = buf_str(&f->answer),
                              .key = cycle_log_key(c->agent, c->id, r->mark.seq, &f->spare) };
    f->answer_seq = r->mark.seq;
    c->waiting = c->lost = false;
    c->answered = true;
    CycleCall *call = find_call(c, c->call.tool);
    if (call && c->answer.end == TOOL_UNKNOWN)
        call->unknown++;
    advance(f, action_result(&f->spare, f->state, &c->call, &c->answer, &said));
}

static void take_end(Fold *f, const json_t *meta)
{
    f->c->sealed = true;
    f->c->answered = false;
    f->c->end = cycle_tail_end(json_member(meta, "end"));
    f->c->why = arena_copy(f->into, json_member(meta, "why"));
}

static jot_status fold_add(void *ctx, const Record *r)
{
    Fold *f = ctx;
    AUTO_PTR(json_t) meta = NULL;
    f->c->steps = r->mark.seq;
    if (r->mark.op != OP_APPEND || json_read(r->meta, &meta, NULL) != JOT_OK)
        return JOT_OK;
    Str kind = json_member(meta, "kind");
    if (str_eq(kind, S("reply")))
        take_reply(f, r);
    else if (str_eq(kind, S("result")))
        take_result(f, meta, r);
    else if (str_eq(kind, S("end")))
        take_end(f, meta);
    Str boot = json_member(meta, "boot");
    snprintf(f->boot, sizeof f->boot, STR_FMT, STR_ARG(boot));
    f->awake_ms = json_integer_value(json_object_get(meta, "awake"));
    return JOT_OK;
}

jot_status cycle_steps_fold(Memory *m, const Tail *t, Arena *into, Cycle *out, Err *e)
{
    AUTO(Fold) f = { .c = out, .into = into, .awake_ms = t->awake_ms };
    f.answer.max = SIZE_MAX / 2;
    snprintf(f.boot, sizeof f.boot, STR_FMT, STR_ARG(t->boot));
    out->iterations = 0;
    f.state = cycle_state_salvage(t->before, &f.states);
    Err missing = { 0 };
    Str stream = cycle_steps_stream(out->agent, out->id, into);
    jot_status st = memory_each_record(
        m, stream, &(RecordVisit){ .from = 1, .each = fold_add, .ctx = &f }, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &missing, st);
    out->state = cycle_state_copy(into, f.state);
    out->answer.text = out->answered ? arena_copy(into, out->answer.text) : (Str){ 0 };
    out->answer.key =
        out->answered ? cycle_log_key(out->agent, out->id, f.answer_seq, into) : (Str){ 0 };
    /* Time passes only while the machine runs; after a reboot nobody is left to give a sign.
     * Where a server has the pad it is the server's time, and no reboot ends anything. */
    StoreTime now;
    TRY(store_clock(m->store, &now, e));
    int64_t quiet = now.now_ms - now.margin_ms - f.awake_ms;
    if (now.served && quiet < 0 && quiet > -STORE_AHEAD_MS)
        quiet = 0; /* a server's clock may be set back */
    bool rebooted = !str_eq(str(now.era), str(f.boot)) || quiet < 0;
    out->left_ms = rebooted || quiet >= out->ttl_ms ? 0 : out->ttl_ms - quiet;
    /* If the lease the cycle was woken under has expired, nobody can end the cycle under it. */
    AUTO(Arena) arena = { 0 };
    Lease l;
    Err ignored = { 0 };
    out->orphaned = out->lease && lease_check(m, out->lease, &arena, &l, &ignored) == JOT_FENCED;
    out->left_ms = out->orphaned ? 0 : out->left_ms;
    out->dead = out->left_ms == 0;
    return JOT_OK;
}

/* --- Appending --------------------------------------------------------------------------- */

jot_status cycle_steps_add(Memory *m, const Cycle *c, json_t *meta, Str body, Err *e)
{
    AUTO_PTR(json_t) owned = meta;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    StoreTime now;
    assert(!c->sealed); /* nothing follows an `end` */
    TRY(store_clock(m->store, &now, e));
    json_object_set_new(owned, "boot", json_string(now.era));
    json_object_set_new(owned, "awake", json_integer(now.now_ms));
    json_write(&text, owned);
    Mark mark;
    Expect x = expect_at(c->steps);
    Draft d = { .op = OP_APPEND, .meta = buf_str(&text), .body = body };
    return memory_append(m, cycle_steps_stream(c->agent, c->id, &arena), &x, &d, &mark, e);
}

jot_status cycle_steps_seal(Memory *m, Cycle *c, CycleEnd end, Str why, Arena *into, Err *e)
{
    assert(end != CYCLE_RUNNING);
    if (c->sealed)
        return JOT_OK;
    json_t *meta = json_pack("{s:s, s:s}", "kind", "end", "end", cycle_end_name(end));
    if (why.n)
        json_object_set_new(meta, "why", json_stringn(why.p, why.n));
    TRY(cycle_steps_add(m, c, meta, (Str){ 0 }, e));
    c->sealed = true;
    c->end = end;
    c->why = arena_copy(into, why);
    return JOT_OK;
}
