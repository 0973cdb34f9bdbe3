/* program.c - making random programs and printing them.
 *
 * The weights favour few streams and short distances from the head, where
 * conditions hold about as often as not. */
#include "program.h"

#include <stdio.h>
#include <string.h>

/* --- What the indexes mean ------------------------------------------------------------- */

static const char *const names[NAMES] = {
    "notes/a",      "x/a",           "runs/r",   "leases/t", "memories/d",
    "memories/d/e", "memories/d-e",  "x/a/b",    "x/a-b",    "notes/A",
    "memories/d.e", "artifacts/p/q", "logs/c/l", "tasks/t",  "artifacts/index/c/i",
};

static const char *const prefixes[PREFIXES] = {
    "", "notes/", "memories/", "memories/d", "memories/d/", "x/a", "x", "z"
};

static bool twins = true;

void names_have_twins(bool have)
{
    twins = have;
}

Str name_of(int i)
{
    bool twin = strcmp(names[i], "notes/A") == 0;
    return twin && !twins ? S("notes/B") : str(names[i]);
}

Str prefix_of(int i)
{
    return str(prefixes[i]);
}

Str body_of(int i)
{
    static char long_text[5000], long_bytes[3000];
    memset(long_text, 't', sizeof long_text);
    memset(long_bytes, 0xFE, sizeof long_bytes);
    const Str bodies[BODIES] = {
        S("a"),
        S("b"),
        S(""),
        S("a\0b"),
        S("\xFF\xFE"),
        S("line\nline\n"),
        S("\"\\\""),
        S("caf\xC3\xA9"),
        S("{\"event\":{},\"task\":{ \"n\":[1] }}"),
        S("[{\"seq\":2},{}]"),
        { long_text, sizeof long_text },
        { long_bytes, sizeof long_bytes },
    };
    return bodies[i];
}

Str meta_of(int i)
{
    static const char *const metas[METAS] = { "", "{}", "{\"k\":1}", "{ \"k\":\n\"v\" } ", "[]" };
    return str(metas[i]);
}

Str id_of(int i)
{
    static const char *const ids[IDS] = { "", "i1", "i2", "i3" };
    return str(ids[i]);
}

Str author_of(int i)
{
    static const char *const authors[AUTHORS] = { "ann", "bob", "" };
    return str(authors[i]);
}

/* --- Making ---------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static int below(uint64_t *state, int n)
{
    return (int)(next(state) % (uint64_t)n);
}

static bool one_in(uint64_t *state, int n)
{
    return below(state, n) == 0;
}

static int between(uint64_t *state, int low, int high)
{
    return low + below(state, high - low + 1);
}

/* How often each kind of step comes. */
static const int weights[STEP_KINDS] = {
    [STEP_APPEND] = 50, [STEP_BURST] = 3,       [STEP_HEAD] = 12,         [STEP_READ] = 10,
    [STEP_LIST] = 10,   [STEP_CHANGES] = 8,     [STEP_TRIM] = 3,          [STEP_REDACT] = 5,
    [STEP_PURGE] = 2,   [STEP_PUT_RECORDS] = 6, [STEP_CLOCK] = 4,         [STEP_REOPEN] = 2,
    [STEP_COPY] = 1,    [STEP_PLACE] = 7,       [STEP_FORGET_BEFORE] = 2,
};

static StepKind pick_kind(uint64_t *state)
{
    int all = 0, kind = 0;
    for (int i = 0; i < STEP_KINDS; i++)
        all += weights[i];
    for (int left = below(state, all); left >= weights[kind]; kind++)
        left -= weights[kind];
    return (StepKind)kind;
}

static void make_append(uint64_t *state, Step *s)
{
    static const Op ops[] = { OP_PUT, OP_PUT, OP_PUT, OP_DELETE, OP_APPEND };
    s->op = ops[below(state, COUNT_OF(ops))];
    if (s->op == OP_PUT && (s->stream == 2 || s->stream == 3) && one_in(state, 2))
        s->op = OP_APPEND;
    s->expect = one_in(state, 2) ? EXPECT_ANY : (ExpectKind)below(state, 4);
    s->shift = one_in(state, 2) ? 0 : between(state, -2, 1);
    s->version = below(state, 3);
    s->body = one_in(state, 3) ? below(state, BODIES) : below(state, 3);
    s->meta = one_in(state, 4) ? below(state, METAS) : 0;
    s->id = one_in(state, 3) ? below(state, IDS) : 0;
    s->by = below(state, AUTHORS);
    s->fence = one_in(state, 6) ? between(state, 1, 4) : 0;
    if (one_in(state, 5)) {
        s->guard = 1 + below(state, NAMES);
        s->guard_shift = one_in(state, 2) ? 0 : between(state, -1, 1);
    }
}

static void make_records(uint64_t *state, Step *s)
{
    s->n = between(state, 1, 4);
    s->shift = one_in(state, 4) ? between(state, 1, 30) : 0;
    s->choice = one_in(state, 3) ? below(state, FLAW_COUNT) : FLAW_NONE;
    s->body = below(state, 3);
    s->meta = below(state, METAS - 1);
    s->fence = one_in(state, 5) ? between(state, 1, 4) : 0;
    static const Op ops[] = { OP_PUT, OP_PUT, OP_DELETE, OP_APPEND };
    s->op = ops[below(state, COUNT_OF(ops))];
}

static Step make_step(uint64_t *state)
{
    Step s = { .kind = pick_kind(state), .stream = below(state, NAMES) };
    if (one_in(state, 3))
        s.stream = below(state, 4); /* a few streams get a long history */
    s.handle = one_in(state, 3);
    s.op = OP_PUT;
    if (s.kind == STEP_APPEND)
        make_append(state, &s);
    if (s.kind == STEP_BURST)
        s.n = between(state, 10, 20);
    if (s.kind == STEP_HEAD)
        s.choice = below(state, 3);
    if (s.kind == STEP_READ) {
        s.shift = between(state, -20, 1);
        s.n = one_in(state, 2) ? between(state, 1, 4) : 50;
    }
    if (s.kind == STEP_LIST) {
        s.stream = below(state, PREFIXES);
        s.guard = one_in(state, 2) ? 0 : 1 + below(state, NAMES);
        s.n = between(state, 1, 14);
        s.choice = below(state, 2);
    }
    if (s.kind == STEP_TRIM)
        s.shift = between(state, -25, 2);
    if (s.kind == STEP_REDACT)
        s.shift = between(state, -4, 1);
    if (s.kind == STEP_PURGE)
        s.by = below(state, AUTHORS);
    if (s.kind == STEP_PUT_RECORDS)
        make_records(state, &s);
    if (s.kind == STEP_PLACE) {
        s.stream = between(state, 4, NAMES - 1); /* those with a long history stay without gaps */
        s.shift = one_in(state, 3) ? 0 : between(state, -5, 6);
        s.guard_shift = one_in(state, 4) ? between(state, -1, 1) : 0;
        s.body = below(state, 3);
    }
    if (s.kind == STEP_FORGET_BEFORE)
        s.shift = between(state, -4, 1);
    if (s.kind == STEP_REOPEN)
        s.choice = one_in(state, 2);
    if (s.kind == STEP_CLOCK)
        s.shift = between(state, -50, 100);
    return s;
}

Program program_make(uint64_t seed)
{
    uint64_t state = seed;
    Program p = { .seed = seed, .n = between(&state, 20, PROGRAM_MAX) };
    for (int i = 0; i < p.n; i++)
        p.steps[i] = make_step(&state);
    return p;
}

/* --- Printing -------------------------------------------------------------------------- */

static void add_shown(Buf *to, const char *what, Str text)
{
    Shown shown;
    buf_addf(to, "%s'%s'", what, err_show(&shown, text));
}

static void add_expect(Buf *to, const Step *s)
{
    if (s->expect == EXPECT_ABSENT)
        buf_addf(to, " if absent");
    if (s->expect == EXPECT_SEQ)
        buf_addf(to, " if seq is head%+d", s->shift);
    if (s->expect == EXPECT_HASH)
        add_shown(to, " if it is ", body_of(s->version));
    if (s->guard)
        buf_addf(to, " while %s is at head%+d", names[s->guard - 1], s->guard_shift);
}

static void print_append(Buf *to, const Step *s)
{
    static const char *const ops[] = { "?", "put", "delete", "append" };
    buf_addf(to, "%s %s", ops[s->op], names[s->stream]);
    if (s->op != OP_DELETE)
        add_shown(to, " ", body_of(s->body));
    add_expect(to, s);
    if (s->id)
        add_shown(to, " id ", id_of(s->id));
    if (s->meta)
        add_shown(to, " meta ", meta_of(s->meta));
    if (s->fence)
        buf_addf(to, " token %d", s->fence);
    if (s->by)
        add_shown(to, " by ", author_of(s->by));
}

static void print_records(Buf *to, const Step *s)
{
    static const char *const flaws[FLAW_COUNT] = {
        "",
        " with a gap",
        " with a wrong chain",
        " that go back in time",
        " that lower the fence",
        " with a wrong hash",
        " whose last has a wrong chain",
    };
    buf_addf(to, "put %d verbatim records into %s%s", s->n, names[s->stream], flaws[s->choice]);
    if (s->shift)
        buf_addf(to, ", from seq %d if it is empty", s->shift + 1);
    static const char *const lasts[] = { "?", "put", "delete", "append" };
    buf_addf(to, ", the last a %s", lasts[s->op]);
    if (s->op != OP_DELETE)
        add_shown(to, " of ", body_of(s->body));
    if (s->meta)
        add_shown(to, " meta ", meta_of(s->meta));
    if (s->fence)
        buf_addf(to, ", token %d", s->fence);
}

static void print_step(Buf *to, const Step *s)
{
    static const char *const wants[] = { "record", "mark", "value" };
    const char *name = names[s->kind == STEP_LIST ? 0 : s->stream];
    switch (s->kind) {
    case STEP_APPEND:
        print_append(to, s);
        break;
    case STEP_BURST:
        buf_addf(to, "%d times: append or put in %s", s->n, name);
        break;
    case STEP_HEAD:
        buf_addf(to, "head of %s: %s", name, wants[s->choice]);
        break;
    case STEP_READ:
        buf_addf(to, "read %s from head%+d, %d at most", name, s->shift, s->n);
        break;
    case STEP_LIST:
        buf_addf(to, "list '%s' after '%s', %d at most%s", prefixes[s->stream],
                 s->guard ? names[s->guard - 1] : "", s->n, s->choice ? ", tombstones too" : "");
        break;
    case STEP_CHANGES:
        buf_addf(to, "changes since the last time");
        break;
    case STEP_TRIM:
        buf_addf(to, "trim %s before head%+d", name, s->shift);
        break;
    case STEP_REDACT:
        buf_addf(to, "redact %s at head%+d", name, s->shift);
        break;
    case STEP_PURGE:
        buf_addf(to, "purge %s", name);
        break;
    case STEP_PUT_RECORDS:
        print_records(to, s);
        break;
    case STEP_PLACE:
        buf_addf(to, "place a record in %s behind head%+d, if head%+d is the head", name, s->shift,
                 s->guard_shift);
        break;
    case STEP_FORGET_BEFORE:
        buf_addf(to, "forget what stands before head%+d in %s", s->shift, name);
        break;
    case STEP_CLOCK:
        buf_addf(to, "move the clock by %d ms", s->shift);
        break;
    case STEP_REOPEN:
        buf_addf(to, "close%s and open again", s->choice ? ", reboot" : "");
        break;
    case STEP_COPY:
        buf_addf(to, "copy the pad");
        break;
    case STEP_KINDS:
        break;
    }
    if (s->handle)
        buf_addf(to, "   (second handle)");
}

void program_print(Buf *to, const Program *program)
{
    for (int i = 0; i < program->n; i++) {
        buf_addf(to, "%4d  ", i + 1);
        print_step(to, &program->steps[i]);
        buf_add_char(to, '\n');
    }
}
