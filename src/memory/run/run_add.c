/* run_add.c - adding to a run.
 *
 *     take in what is new --> make the record from it --> append, expect seq n
 *            ^                                                 |
 *            +------------- CONFLICT: somebody wrote ----------+
 *
 * What a record says depends on what is there: a result's number is one more than
 * the last, a clear covers what is shown now.  Made from the state at n and appended
 * only at n + 1, it is right for every reader.
 *
 * Record 64, 128 ... is a fold, so a writer that finds the stream one short of that
 * appends the fold first.  Two writers who both see it due write it at the same seq,
 * so one of them fails and looks again: it can be neither doubled nor left out. */
#include <assert.h>
#include <stdio.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/artifact/artifact.h"
#include "memory/run/run.h"

enum { TRIES_MAX = 1000 /* each one means that somebody else has written */ };

/* What somebody wants to add; which record that makes depends on what is there. */
typedef struct Entry {
    RunKind kind;
    Str body;
    Str call, tool, warning;
    const char *word;
    bool mutating, ok;
    uint64_t keep;
    UsageLimits limits;
    const RunSummary *part;  /* a compact that stands for a part; NULL: for all */
    const RunNotice *notice; /* NULL: a plain one, or none */
    uint64_t answer;         /* for the caller: a result's number, or how many were cleared */
    bool needless;           /* there is nothing to do */
} Entry;

static void put_text(json_t *meta, const char *name, Str text)
{
    json_object_set_new(meta, name, json_stringn(text.n ? text.p : "", text.n));
}

static void put_number(json_t *meta, const char *name, uint64_t value)
{
    json_object_set_new(meta, name, json_integer((json_int_t)value));
}

static jot_status compose_call(const RunState *s, const Entry *x, json_t *meta, Err *e)
{
    Shown shown;
    if (run_open_call(s, x->call))
        return err_set(e, JOT_CONFLICT, "call '%s' was issued already and has no result yet",
                       err_show(&shown, x->call));
    if (s->open_n >= RUN_OPEN_MAX)
        return err_set(e, JOT_TOO_BIG, "%d calls of this run have no result: complete some first",
                       RUN_OPEN_MAX);
    if (s->usage.tools_n >= USAGE_TOOLS_MAX && !usage_find(&s->usage, x->tool))
        return err_set(e, JOT_TOO_BIG, "a run has at most %d different tools", USAGE_TOOLS_MAX);
    put_text(meta, "call", x->call);
    put_text(meta, "tool", x->tool);
    if (x->mutating)
        json_object_set_new(meta, "mutating", json_true());
    if (x->warning.n)
        put_text(meta, "warning", x->warning);
    return JOT_OK;
}

static jot_status compose_compact(const RunState *s, const Entry *x, json_t *meta, Err *e)
{
    const RunSummary *part = x->part;
    put_number(meta, "n", part ? part->n : s->results);
    if (!part)
        return JOT_OK;
    put_number(meta, "until", part->until);
    if (part->tokens)
        put_number(meta, "tokens", part->tokens);
    if (part->until > s->seq || part->n > s->results || part->n < s->compacted)
        return err_set(e, JOT_INVALID,
                       "a summary of results 1 to %llu up to record %llu: the run has results "
                       "%llu to %llu, and %llu records",
                       (unsigned long long)part->n, (unsigned long long)part->until,
                       (unsigned long long)s->compacted, (unsigned long long)s->results,
                       (unsigned long long)s->seq);
    return JOT_OK;
}

static jot_status compose_result(const RunState *s, Entry *x, json_t *meta, Err *e)
{
    Shown shown;
    const RunOpen *open = run_open_call(s, x->call);
    if (!open)
        return err_set(e, JOT_NOT_FOUND,
                       "no open call '%s' in this run: it was completed, or never issued",
                       err_show(&shown, x->call));
    x->answer = s->results + 1;
    put_text(meta, "call", x->call);
    put_text(meta, "tool", open->tool);
    put_number(meta, "of", open->seq);
    put_number(meta, "n", x->answer);
    json_object_set_new(meta, "ok", json_boolean(x->ok));
    return JOT_OK;
}

/* The meta of the record this entry becomes now. */
static jot_status compose(const RunState *s, Entry *x, Buf *to, Err *e)
{
    assert(x->kind != RUN_FOLD && x->kind != RUN_INIT && x->kind != RUN_OTHER);
    AUTO_PTR(json_t) meta = json_pack("{s:s}", "kind", run_kind_name(x->kind));
    if (x->kind == RUN_CALL)
        TRY(compose_call(s, x, meta, e));
    if (x->kind == RUN_RESULT)
        TRY(compose_result(s, x, meta, e));
    if (x->kind == RUN_CLEAR) {
        uint64_t shown = run_shown(s);
        x->needless = shown <= x->keep;
        x->answer = x->needless ? 0 : shown - x->keep;
        put_number(meta, "from", s->results - shown + 1);
        put_number(meta, "to", s->results - shown + x->answer);
    }
    if (x->kind == RUN_COMPACT)
        TRY(compose_compact(s, x, meta, e));
    if (x->word)
        put_text(meta, "word", str(x->word));
    if (x->notice && x->notice->chars)
        put_number(meta, "n", x->notice->chars);
    if (x->notice && x->notice->dir.n)
        put_text(meta, "dir", x->notice->dir);
    usage_put_limits(meta, &x->limits);
    json_write(to, meta);
    return JOT_OK;
}

/* Append after what the state has seen, and take it in.  JOT_CONFLICT: there is more. */
static jot_status append(Run *r, Str meta, Str body, Err *e)
{
    Expect x = { .kind = EXPECT_SEQ, .seq = r->state.seq };
    Draft d = { .op = OP_APPEND, .meta = meta, .body = body };
    Record added = { .meta = meta, .body = body };
    TRY(memory_append(r->m, str(r->stream), &x, &d, &added.mark, e));
    /* What was just written is taken in as any reader would, so that a handle that writes and one
     * that reads have the same state; and the next append expects this seq. */
    added.mark.op = OP_APPEND;
    r->lost = 0;
    AUTO(Arena) scratch = { 0 };
    RunStep s = run_step_of(&added, &scratch);
    assert(s.seq > r->state.seq);
    run_state_take(&r->state, &r->arena, &s);
    return JOT_OK;
}

static jot_status append_fold(Run *r, Err *e)
{
    assert((r->state.seq + r->lost + 1) % RUN_FOLD_EVERY == 0);
    /* What was lost after the head counts as damaged from now on: the fold covers its numbers. */
    RunState all = r->state;
    all.damaged += r->lost;
    AUTO_PTR(json_t) value = run_state_json(&all);
    AUTO(Buf) body = { 0 };
    json_write(&body, value);
    return append(r, S("{\"kind\":\"fold\"}"), buf_str(&body), e);
}

/* JOT_CONFLICT, and *moved: another process wrote first, so it has to be repeated. */
static jot_status add_once(Run *r, Entry *x, bool *moved, Err *e)
{
    *moved = false;
    TRY(run_refresh(r, e));
    AUTO(Buf) meta = { 0 };
    /* Whether it can be added at all is known before a fold is written for it. */
    TRY(compose(&r->state, x, &meta, e));
    if (x->needless)
        return JOT_OK;
    jot_status st = JOT_OK;
    if ((r->state.seq + r->lost + 1) % RUN_FOLD_EVERY == 0)
        st = append_fold(r, e);
    assert(st != JOT_OK || (r->state.seq + r->lost + 1) % RUN_FOLD_EVERY != 0);
    if (st == JOT_OK)
        st = append(r, buf_str(&meta), x->body, e);
    *moved = st == JOT_CONFLICT;
    return st;
}

static jot_status add(Run *r, Entry *x, Err *e)
{
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        bool moved;
        jot_status st = add_once(r, x, &moved, e);
        if (!moved)
            return st;
    }
    return err_set(e, JOT_UNAVAILABLE, "could not add to run '%s': others write to it all the time",
                   r->id);
}

/* The meta of the first record. */
static jot_status write_init(Memory *m, const RunBegin *begin, Str query, Buf *meta, Err *e)
{
    TRY(utf8_check("a query", query, e));
    TRY(usage_check_limits(begin->limits, e));
    Frame f = begin->frame ? *begin->frame : frame_draw(m->io);
    while (!begin->frame && frame_in(&f, query))
        f = frame_draw(m->io);
    AUTO_PTR(json_t) json = json_pack("{s:s, s:s}", "kind", "init", "sign", f.sign);
    usage_put_limits(json, &begin->limits);
    json_write(meta, json);
    return JOT_OK;
}

jot_status run_begin(Memory *m, const RunBegin *begin, Str query, Run *out, Err *e)
{
    static const RunBegin usual;
    AUTO(Buf) meta = { 0 };
    TRY(write_init(m, begin ? begin : &usual, query, &meta, e));
    return run_begin_with(m, buf_str(&meta), query, out, e);
}

jot_status run_begin_as(Memory *m, Str id, Str query, Run *out, Err *e)
{
    AUTO(Buf) meta = { 0 };
    TRY(write_init(m, &(RunBegin){ 0 }, query, &meta, e));
    TRY(run_at(m, id, out, e));
    return append(out, buf_str(&meta), query, e);
}

jot_status run_begin_with(Memory *m, Str meta, Str query, Run *out, Err *e)
{
    TimeText when = time_stamp(io_wall_ms(m->io));
    HashHex hex = hash_hex(hash_of(query));
    /* The id says when and what for.  Two of the same second and query get a number: the append
     * expects an empty stream, so only one of them has the plain name. */
    for (unsigned same = 1; same <= RUN_SAME_MAX; same++) {
        char id[RUN_ID_MAX + 128];
        int n = snprintf(id, sizeof id, "%s_%.6s", when.text, hex.text);
        if (same > 1)
            snprintf(id + n, sizeof id - (size_t)n, "-%u", same);
        TRY(run_at(m, str(id), out, e));
        jot_status st = append(out, meta, query, e);
        if (st != JOT_CONFLICT)
            return st;
    }
    return err_set(e, JOT_TOO_BIG, "%d runs of this query began in this second", RUN_SAME_MAX);
}

jot_status run_say(Run *r, RunKind kind, Str text, Err *e)
{
    assert(kind == RUN_THINKING || kind == RUN_PLAN || kind == RUN_ANSWER);
    TRY(utf8_check(run_kind_name(kind), text, e));
    return add(r, &(Entry){ .kind = kind, .body = text }, e);
}

jot_status run_record(Run *r, RunKind kind, const char *word, Str text, Err *e)
{
    assert(kind == RUN_REPLY || kind == RUN_NOTICE || kind == RUN_END);
    TRY(utf8_check(run_kind_name(kind), text, e));
    return add(r, &(Entry){ .kind = kind, .body = text, .word = word }, e);
}

jot_status run_notice(Run *r, const RunNotice *n, Err *e)
{
    TRY(utf8_check("notice", n->text, e));
    TRY(utf8_check("a directory", n->dir, e));
    return add(r, &(Entry){ .kind = RUN_NOTICE, .body = n->text, .word = n->word, .notice = n }, e);
}

jot_status run_set_up(Run *r, UsageLimits limits, Str text, Err *e)
{
    TRY(utf8_check(run_kind_name(RUN_SETUP), text, e));
    TRY(usage_check_limits(limits, e));
    return add(r, &(Entry){ .kind = RUN_SETUP, .body = text, .limits = limits }, e);
}

static jot_status check_call(Str call, Err *e)
{
    Shown shown;
    AUTO(Arena) arena = { 0 };
    Str sink;
    if (artifact_stream(S(ARTIFACT_TOOL_RESULTS), call, &arena, &sink, NULL) == JOT_OK)
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "invalid call id '%s': use 1 to %d bytes of UTF-8 without control characters or "
                   "'/', not beginning with '.' and not ending in '.' or a space",
                   err_show(&shown, call), STORE_SEGMENT_MAX);
}

static jot_status check_tool(Str tool, Err *e)
{
    Shown shown;
    if (tool.n && tool.n <= RUN_TOOL_MAX && utf8_valid(tool) && utf8_control_at(tool) == tool.n)
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "invalid tool '%s': use 1 to %d bytes of UTF-8 without control characters",
                   err_show(&shown, tool), RUN_TOOL_MAX);
}

static jot_status check_args(Str args, Err *e)
{
    json_t *read = NULL;
    if (json_read(args, &read, e) != JOT_OK)
        return err_at(e, "arguments");
    AUTO_PTR(json_t) value = read;
    return json_is_object(value) ? JOT_OK
                                 : err_set(e, JOT_INVALID, "arguments must be a JSON object");
}

jot_status run_call(Run *r, const RunCall *c, Err *e)
{
    Err own;
    Entry x = { .kind = RUN_CALL, .call = c->call, .tool = c->tool, .mutating = c->mutating };
    x.warning = c->warning;
    x.body = c->args.n ? c->args : S("{}");
    TRY(check_call(c->call, e));
    TRY(check_tool(c->tool, e));
    TRY(check_args(x.body, e ? e : &own));
    return add(r, &x, e);
}

jot_status run_result(Run *r, Str call, bool ok, Str result, uint64_t *n, Err *e)
{
    Entry x = { .kind = RUN_RESULT, .call = call, .ok = ok, .body = result };
    TRY(add(r, &x, e));
    *n = x.answer;
    return JOT_OK;
}

jot_status run_clear(Run *r, uint64_t keep, uint64_t *cleared, Err *e)
{
    Entry x = { .kind = RUN_CLEAR, .keep = keep };
    TRY(add(r, &x, e));
    *cleared = x.answer;
    return JOT_OK;
}

jot_status run_compact(Run *r, Str summary, Err *e)
{
    TRY(utf8_check("a summary", summary, e));
    if (summary.n == 0)
        return err_set(e, JOT_INVALID, "a summary cannot be empty: it stands for results");
    return add(r, &(Entry){ .kind = RUN_COMPACT, .body = summary }, e);
}

jot_status run_compact_until(Run *r, const RunSummary *s, Err *e)
{
    TRY(utf8_check("a summary", s->text, e));
    if (s->text.n == 0 || s->until == 0)
        return err_set(e, JOT_INVALID, "a summary has words, and stands for at least one record");
    return add(r, &(Entry){ .kind = RUN_COMPACT, .body = s->text, .part = s, .word = s->word }, e);
}

UsageLimits run_limits(const Run *r, UsageLimits asked)
{
    return usage_limits(asked, r->state.limits);
}

UsageWarnings run_warnings(const Run *r, UsageLimits asked, Str tool, Str args, Arena *into)
{
    return usage_check(&r->state.usage, run_limits(r, asked), tool, args.n ? args : S("{}"), into);
}
