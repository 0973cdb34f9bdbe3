/* run_state.c - what the records of a run add up to.
 *
 * The state is a left fold: run_state_take() sees the records one after the other and
 * nothing else,
 *
 *     state(n) = take(state(n - 1), record n)         state(0) = {0}
 *
 * and a fold record holds state(n - 1) as JSON.  So beginning at any fold gives the same
 * as beginning at the first record, if two rules are kept: take() never depends on
 * how it is read, on the clock, or on anything that is not in a record; and a fold
 * holds everything that take() ever looks at.  Add a field to RunState, to `counts`
 * below and to docs/format.md, nowhere else.
 *
 * No text of a record gets into the state but names of tools and calls: what is
 * redacted later is not kept alive by a fold. */
#include <assert.h>
#include <string.h>

#include "base/json_cursor.h"
#include "base/time.h"
#include "memory/frame/frame.h"
#include "memory/run/run.h"

static const Str kinds[] = {
    [RUN_OTHER] = S_INIT("other"),        [RUN_INIT] = S_INIT("init"),
    [RUN_THINKING] = S_INIT("thinking"),  [RUN_CALL] = S_INIT("tool_call"),
    [RUN_RESULT] = S_INIT("tool_result"), [RUN_CLEAR] = S_INIT("clear"),
    [RUN_COMPACT] = S_INIT("compact"),    [RUN_PLAN] = S_INIT("plan"),
    [RUN_ANSWER] = S_INIT("answer"),      [RUN_FOLD] = S_INIT("fold"),
    [RUN_SETUP] = S_INIT("setup"),        [RUN_REPLY] = S_INIT("reply"),
    [RUN_NOTICE] = S_INIT("notice"),      [RUN_END] = S_INIT("end"),
};

const char *run_kind_name(RunKind kind)
{
    return kinds[kind].p;
}

static RunKind kind_of(Str word)
{
    for (size_t i = RUN_INIT; i < COUNT_OF(kinds); i++)
        if (str_eq(word, kinds[i]))
            return (RunKind)i;
    return RUN_OTHER;
}

/* --- A record, understood ---------------------------------------------------------------- */

/* What stands between the quotes of a string; copied only if it has escapes. */
static Str unquoted(Str value, Arena *into)
{
    Str inner = str_slice(value, 1, value.n - 1);
    if (str_find(inner, '\\') == inner.n)
        return inner;
    AUTO(Buf) text = { 0 };
    (void)json_unquote(value, 0, &text);
    return arena_copy(into, buf_str(&text));
}

static void read_text(Str name, Str text, RunStep *out)
{
    static const struct {
        Str name;
        size_t at;
    } texts[] = { { S_INIT("call"), offsetof(RunStep, call) },
                  { S_INIT("tool"), offsetof(RunStep, tool) },
                  { S_INIT("warning"), offsetof(RunStep, warning) },
                  { S_INIT("word"), offsetof(RunStep, word) },
                  { S_INIT("dir"), offsetof(RunStep, dir) },
                  { S_INIT("sign"), offsetof(RunStep, sign) },
                  { S_INIT("origin"), offsetof(RunStep, origin) } };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (str_eq(name, texts[i].name))
            memcpy((char *)out + texts[i].at, &text, sizeof text);
    if (str_eq(name, S("kind")))
        out->kind = kind_of(text);
}

static void read_member(Str name, Str value, Arena *into, RunStep *out)
{
    static const struct {
        Str name;
        size_t at;
    } numbers[] = { { S_INIT("of"), offsetof(RunStep, of) },
                    { S_INIT("n"), offsetof(RunStep, n) },
                    { S_INIT("from"), offsetof(RunStep, from) },
                    { S_INIT("to"), offsetof(RunStep, to) },
                    { S_INIT("until"), offsetof(RunStep, until) },
                    { S_INIT("tokens"), offsetof(RunStep, tokens) },
                    { S_INIT("turn"), offsetof(RunStep, turn) },
                    { S_INIT("limit"), offsetof(RunStep, limits.calls) },
                    { S_INIT("similarity"), offsetof(RunStep, limits.similar) } };
    uint64_t number;
    if (value.p[0] == '"')
        read_text(name, unquoted(value, into), out);
    else if (str_eq(name, S("mutating")))
        out->mutating = str_eq(value, S("true"));
    else if (str_eq(name, S("ok")))
        out->ok = str_eq(value, S("true"));
    else if (str_eq(name, S("redacted"))) /* in the run that this one is a copy of */
        out->redacted = out->redacted || str_eq(value, S("true"));
    else if (str_to_u64(value, STORE_SEQ_MAX, &number))
        for (size_t i = 0; i < COUNT_OF(numbers); i++)
            if (str_eq(name, numbers[i].name))
                memcpy((char *)out + numbers[i].at, &number, sizeof number);
}

/* Meta is a few flat members in every record that is read, so it is walked over instead of being
 * built as a tree.  The store has seen that it is an object. */
static void read_meta(Str meta, Arena *into, RunStep *out)
{
    size_t at = str_skip_space(meta, 0);
    do {
        size_t name = str_skip_space(meta, at + 1), end = json_unquote(meta, name, NULL);
        size_t colon = end ? str_skip_space(meta, end) : meta.n;
        size_t value = str_skip_space(meta, colon + 1), stop = json_skip(meta, value);
        if (value >= meta.n || !stop)
            return;
        read_member(str_slice(meta, name + 1, end - 1), str_slice(meta, value, stop), into, out);
        at = str_skip_space(meta, stop);
    } while (at < meta.n && meta.p[at] == ',');
}

RunStep run_step_of(const Record *r, Arena *into)
{
    RunStep s = { .seq = r->mark.seq, .at_ms = r->mark.at_ms, .redacted = r->mark.redacted };
    s.by = r->by;
    s.body = r->body;
    if (r->mark.op == OP_APPEND)
        read_meta(r->meta, into, &s);
    return s;
}

uint64_t run_shown(const RunState *s)
{
    assert(s->cleared <= s->results && s->compacted <= s->results);
    return s->results - (s->cleared > s->compacted ? s->cleared : s->compacted);
}

const RunOpen *run_open_call(const RunState *s, Str call)
{
    for (size_t i = 0; i < s->open_n; i++)
        if (str_eq(s->open[i].call, call))
            return &s->open[i];
    return NULL;
}

/* --- Taking in --------------------------------------------------------------------------- */

static void take_call(RunState *s, Arena *into, const RunStep *x)
{
    s->open = arena_grow(into, s->open, s->open_n, &s->open_cap, sizeof(RunOpen), alignof(RunOpen));
    s->open[s->open_n++] = (RunOpen){ .call = arena_copy(into, x->call),
                                      .tool = arena_copy(into, x->tool),
                                      .seq = x->seq,
                                      .mutating = x->mutating };
    usage_take_call(&s->usage, into, x->seq, x->tool, x->body);
}

static void take_result(RunState *s, const RunStep *x)
{
    /* The record's own number counts: one that could not be read is not forgotten so.  No result
     * can have a number beyond its seq. */
    if (x->n > s->results && x->n < x->seq)
        s->results = x->n;
    s->result_seq = x->seq;
    usage_take_result(&s->usage, x->tool, x->ok);
    for (size_t i = 0; i < s->open_n; i++)
        if (s->open[i].seq == x->of) {
            memmove(&s->open[i], &s->open[i + 1], (--s->open_n - i) * sizeof s->open[0]);
            return;
        }
}

void run_state_take(RunState *s, Arena *into, const RunStep *x)
{
    if (x->seq <= s->seq)
        return; /* a file that was pieced together may have a record twice */
    if (s->seq)
        s->damaged += x->seq - s->seq - 1;
    s->seq = x->seq;
    switch (x->kind) {
    case RUN_THINKING:
        s->thoughts++;
        break;
    case RUN_CALL:
        take_call(s, into, x);
        break;
    case RUN_RESULT:
        take_result(s, x);
        break;
    case RUN_CLEAR:
        s->cleared = x->to < s->results ? x->to : s->results;
        break;
    case RUN_COMPACT:
        s->compact_seq = x->seq;
        s->compacted = x->n < s->results ? x->n : s->results;
        break;
    case RUN_PLAN:
        s->plan_seq = x->seq;
        break;
    case RUN_ANSWER:
        s->answer_seq = x->seq;
        break;
    case RUN_INIT:
    case RUN_SETUP:
        if (x->limits.calls)
            s->limits.calls = x->limits.calls;
        if (x->limits.similar)
            s->limits.similar = x->limits.similar <= 100 ? x->limits.similar : 100;
        break;
    case RUN_FOLD:
    case RUN_OTHER:
    case RUN_REPLY:
    case RUN_NOTICE:
    case RUN_END:
        break;
    }
    assert(s->results < s->seq && s->cleared <= s->results && s->compacted <= s->results);
}

/* --- JSON -------------------------------------------------------------------------------- */

static const struct Count {
    Str name;
    size_t at;
} counts[] = {
    { S_INIT("results"), offsetof(RunState, results) },
    { S_INIT("result_seq"), offsetof(RunState, result_seq) },
    { S_INIT("compacted"), offsetof(RunState, compacted) },
    { S_INIT("compact_seq"), offsetof(RunState, compact_seq) },
    { S_INIT("cleared"), offsetof(RunState, cleared) },
    { S_INIT("plan_seq"), offsetof(RunState, plan_seq) },
    { S_INIT("answer_seq"), offsetof(RunState, answer_seq) },
    { S_INIT("thoughts"), offsetof(RunState, thoughts) },
    { S_INIT("damaged"), offsetof(RunState, damaged) },
};

json_t *run_state_json(const RunState *s)
{
    json_t *out = json_object(), *open = json_array();
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        uint64_t value;
        memcpy(&value, (const char *)s + counts[i].at, sizeof value);
        json_object_set_new(out, counts[i].name.p, json_integer((json_int_t)value));
    }
    for (size_t i = 0; i < s->open_n; i++) {
        const RunOpen *o = &s->open[i];
        json_array_append_new(open, json_pack("{s:o, s:o, s:I, s:b}", "call", json_text(o->call),
                                              "tool", json_text(o->tool), "seq", (json_int_t)o->seq,
                                              "mutating", o->mutating));
    }
    json_object_set_new(out, "open", open);
    json_object_set_new(out, "usage", usage_json(&s->usage));
    usage_put_limits(out, &s->limits);
    return out;
}

static void read_open(JsonCursor *c, Arena *into, RunState *out)
{
    for (json_cursor_enter(c, '['); json_cursor_element(c);) {
        out->open = arena_grow(into, out->open, out->open_n, &out->open_cap, sizeof(RunOpen),
                               alignof(RunOpen));
        RunOpen *o = &out->open[out->open_n++];
        Str name;
        for (json_cursor_enter(c, '{'); json_cursor_member(c, &name);) {
            if (str_eq(name, S("call")))
                o->call = json_cursor_text(c, into);
            else if (str_eq(name, S("tool")))
                o->tool = json_cursor_text(c, into);
            else if (str_eq(name, S("seq")))
                o->seq = json_cursor_number(c);
            else if (str_eq(name, S("mutating")))
                o->mutating = json_cursor_bool(c);
            else
                json_cursor_skip(c);
        }
    }
}

/* Every run that is opened begins with a fold, so it is not built as a tree. */
bool run_state_read(Str text, Arena *into, RunState *out)
{
    enum { HAS_OPEN = 1 << COUNT_OF(counts), HAS_USAGE = HAS_OPEN << 1, ALL = 2 * HAS_USAGE - 1 };
    *out = (RunState){ 0 };
    JsonCursor c = { .text = text };
    unsigned seen = 0, bit;
    Str name;
    /* Each of the members that must be there has a bit, and none may be there twice.  What a later
     * version added is passed over. */
    for (json_cursor_enter(&c, '{'); json_cursor_member(&c, &name); seen |= bit) {
        size_t i = 0;
        while (i < COUNT_OF(counts) && !str_eq(name, counts[i].name))
            i++;
        if (i < COUNT_OF(counts)) {
            uint64_t number = json_cursor_number(&c);
            memcpy((char *)out + counts[i].at, &number, sizeof number);
            bit = 1U << i;
        } else if (str_eq(name, S("open"))) {
            read_open(&c, into, out);
            bit = HAS_OPEN;
        } else if (str_eq(name, S("usage"))) {
            usage_read(&c, into, &out->usage);
            bit = HAS_USAGE;
        } else if (str_eq(name, S("limit"))) {
            out->limits.calls = json_cursor_number(&c);
            bit = 0;
        } else if (str_eq(name, S("similarity"))) {
            out->limits.similar = json_cursor_number(&c);
            bit = 0;
        } else {
            json_cursor_skip(&c);
            bit = 0;
        }
        c.bad = c.bad || (seen & bit); /* twice */
    }
    return json_cursor_done(&c) && seen == ALL && out->compacted <= out->results &&
           out->cleared <= out->results;
}

json_t *run_step_json(const RunStep *s)
{
    json_t *out =
        json_pack("{s:I, s:s, s:s, s:o}", "seq", (json_int_t)s->seq, "kind", run_kind_name(s->kind),
                  "at", time_text(s->at_ms).text, "by", json_text(s->by));
    if (s->kind == RUN_CALL || s->kind == RUN_RESULT) {
        json_object_set_new(out, "call", json_text(s->call));
        json_object_set_new(out, "tool", json_text(s->tool));
    }
    if (s->kind == RUN_CALL)
        json_object_set_new(out, "mutating", json_boolean(s->mutating));
    if (s->kind == RUN_RESULT) {
        json_object_set_new(out, "ok", json_boolean(s->ok));
        json_object_set_new(out, "of", json_integer((json_int_t)s->of));
    }
    usage_put_limits(out, &s->limits);
    if (s->warning.n)
        json_object_set_new(out, "warning", json_text(s->warning));
    if (s->word.n)
        json_object_set_new(out, "word", json_text(s->word));
    if (s->dir.n)
        json_object_set_new(out, "dir", json_text(s->dir));
    if (s->origin.n)
        json_object_set_new(out, "origin", json_text(s->origin));
    if (s->turn)
        json_object_set_new(out, "turn", json_integer((json_int_t)s->turn));
    if (s->until)
        json_object_set_new(out, "until", json_integer((json_int_t)s->until));
    if (s->kind == RUN_RESULT || s->kind == RUN_COMPACT || (s->kind == RUN_NOTICE && s->n))
        json_object_set_new(out, "n", json_integer((json_int_t)s->n));
    if (s->kind == RUN_CLEAR) {
        json_object_set_new(out, "from", json_integer((json_int_t)s->from));
        json_object_set_new(out, "to", json_integer((json_int_t)s->to));
    }
    json_object_set_new(out, s->redacted ? "redacted" : "text",
                        s->redacted ? json_true() : json_text(s->body));
    return out;
}
