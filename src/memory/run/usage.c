/* usage.c - counting calls, comparing queries, noticing loops.
 *
 * Three things are worth a word to the model, and none of them refuses a call:
 *   limit    a tool was called as often as suggested, or is about to be;
 *   similar  a query has most of its words in common with an earlier one of the same tool;
 *   loop     the same call with the same arguments, several times in a row.
 * A warning that is repeated at each call is not read.  So beyond the limit it is news only at 1,
 * 2, 4, 8 ... times as many calls.
 *
 * The words of a query are runs of letters, digits, '_' and bytes beyond ASCII; ASCII letters are
 * taken as lower case.  A word is kept as 48 bits of its SHA-256: JSON readers everywhere hold such
 * numbers exactly, and two words of one run collide about never. */
#include "memory/run/usage.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/frame.h"

enum {
    WORD_LETTERS_MIN = 3,
    WORD_BYTES_MAX = 256,
    TOOLS_READ_MAX = 16 * USAGE_TOOLS_MAX, /* an imported run may have had more than ours */
};

/* --- Arguments --------------------------------------------------------------------------- */

/* The JSON value without spaces, members sorted by their names. */
static void add_canonical(Buf *to, json_t *value)
{
    if (json_is_array(value)) {
        buf_add_char(to, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i)
                buf_add_char(to, ',');
            add_canonical(to, json_array_get(value, i));
        }
        buf_add_char(to, ']');
        return;
    }
    if (!json_is_object(value)) {
        json_write(to, value);
        return;
    }
    size_t n = json_object_size(value), i = 0;
    AUTO(Arena) arena = { 0 };
    const char **keys = NEW_ARRAY(&arena, const char *, n + 1);
    for (void *it = json_object_iter(value); it; it = json_object_iter_next(value, it))
        keys[i++] = json_object_iter_key(it);
    /* Insertion keeps it simple; arguments have few members. */
    for (i = 1; i < n; i++)
        for (size_t j = i; j > 0 && strcmp(keys[j - 1], keys[j]) > 0; j--) {
            const char *other = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = other;
        }
    buf_add_char(to, '{');
    for (i = 0; i < n; i++) {
        if (i)
            buf_add_char(to, ',');
        json_quote(to, str(keys[i]));
        buf_add_char(to, ':');
        add_canonical(to, json_object_get(value, keys[i]));
    }
    buf_add_char(to, '}');
}

/* What makes two calls the same. */
static Hash call_hash(Str tool, Str args, json_t *parsed)
{
    AUTO(Buf) text = { 0 };
    if (parsed)
        add_canonical(&text, parsed);
    HashState h;
    hash_init(&h);
    hash_add_field(&h, tool);
    hash_add_field(&h, parsed ? buf_str(&text) : args);
    return hash_end(&h);
}

static Str query_of(const json_t *args)
{
    static const char *const names[] = { "query", "search", "question", "q", "text", "input" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const json_t *value = json_object_get(args, names[i]);
        if (json_is_string(value))
            return json_str(value);
    }
    return (Str){ 0 };
}

/* --- Words ------------------------------------------------------------------------------- */

typedef struct Words {
    uint64_t hash[USAGE_WORDS_MAX]; /* ascending */
    size_t n;
} Words;

static bool word_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c >= 0x80;
}

static void add_word(Words *w, Str word)
{
    char low[WORD_BYTES_MAX];
    /* The end of a very long word makes no difference. */
    size_t n = word.n < sizeof low ? word.n : sizeof low;
    for (size_t i = 0; i < n; i++)
        low[i] = (char)(word.p[i] >= 'A' && word.p[i] <= 'Z' ? word.p[i] + 32 : word.p[i]);
    Hash h = hash_of((Str){ low, n });
    uint64_t value = 0;
    for (size_t i = 0; i < 6; i++)
        value = value << 8 | h.b[i];
    size_t at = 0;
    while (at < w->n && w->hash[at] < value)
        at++;
    if (w->n == USAGE_WORDS_MAX || (at < w->n && w->hash[at] == value))
        return;
    memmove(w->hash + at + 1, w->hash + at, (w->n - at) * sizeof value);
    w->hash[at] = value;
    w->n++;
}

static void find_words(Str query, Words *out)
{
    out->n = 0;
    for (size_t at = 0; at < query.n;) {
        size_t from = at;
        while (at < query.n && word_char((unsigned char)query.p[at]))
            at++;
        Str word = str_slice(query, from, at);
        if (word.n >= WORD_LETTERS_MIN && utf8_count(word) >= WORD_LETTERS_MIN)
            add_word(out, word);
        at += at == from;
    }
}

/* At least so many per cent: without rounding. */
static bool similar(const Words *a, const UsageQuery *b, uint64_t percent)
{
    size_t same = 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        same += a->hash[i] == b->words[j];
        bool left = a->hash[i] <= b->words[j], right = b->words[j] <= a->hash[i];
        i += left;
        j += right;
    }
    size_t all = a->n + b->n - same;
    return a->n && b->n && same * 100 >= all * percent;
}

/* --- Taking in --------------------------------------------------------------------------- */

const UsageTool *usage_find(const Usage *u, Str tool)
{
    for (size_t i = 0; i < u->tools_n; i++)
        if (str_eq(u->tools[i].name, tool))
            return &u->tools[i];
    return NULL;
}

static UsageTool *row_of(Usage *u, Arena *into, Str tool)
{
    const UsageTool *there = usage_find(u, tool);
    if (there)
        return &u->tools[there - u->tools];
    u->tools = arena_grow(into, u->tools, u->tools_n, &u->tools_cap, sizeof(UsageTool),
                          alignof(UsageTool));
    u->tools[u->tools_n] = (UsageTool){ .name = arena_copy(into, tool) };
    return &u->tools[u->tools_n++];
}

static void keep_query(Usage *u, Arena *into, uint64_t seq, Str tool, const Words *w)
{
    assert(u->queries_n <= USAGE_QUERIES_MAX && w->n <= USAGE_WORDS_MAX);
    if (u->queries_n == USAGE_QUERIES_MAX)
        memmove(u->queries, u->queries + 1, --u->queries_n * sizeof u->queries[0]);
    UsageQuery *q = &u->queries[u->queries_n++];
    *q = (UsageQuery){ .tool = tool, .seq = seq, .words = NEW_ARRAY(into, uint64_t, w->n) };
    q->n = w->n;
    memcpy(q->words, w->hash, w->n * sizeof w->hash[0]);
}

static json_t *parse(Str args)
{
    json_t *value = NULL;
    return json_read(args, &value, NULL) == JOT_OK ? value : NULL;
}

void usage_take_call(Usage *u, Arena *into, uint64_t seq, Str tool, Str args)
{
    AUTO_PTR(json_t) parsed = parse(args);
    /* Everything here follows from the call alone, and from the calls before it: a fold of the run
     * says the same as its records (run_state.c). */
    UsageTool *row = row_of(u, into, tool);
    row->calls++;
    Hash hash = call_hash(tool, args, parsed);
    u->streak = hash_eq(hash, u->last) ? u->streak + 1 : 1;
    u->last = hash;
    Words words;
    find_words(query_of(parsed), &words);
    if (words.n)
        keep_query(u, into, seq, row->name, &words);
}

void usage_take_result(Usage *u, Str tool, bool ok)
{
    const UsageTool *there = ok ? NULL : usage_find(u, tool);
    if (there)
        u->tools[there - u->tools].errors++;
}

/* --- What to say ------------------------------------------------------------------------- */

jot_status usage_check_limits(UsageLimits l, Err *e)
{
    if (l.calls > INT64_MAX)
        return err_set(e, JOT_INVALID, "a limit of %llu calls: use 1 to %lld",
                       (unsigned long long)l.calls, (long long)INT64_MAX);
    if (l.similar > 100)
        return err_set(e, JOT_INVALID, "a similarity of %llu per cent: use 1 to 100",
                       (unsigned long long)l.similar);
    return JOT_OK;
}

void usage_put_limits(json_t *to, const UsageLimits *l)
{
    if (l->calls)
        json_object_set_new(to, "limit", json_integer((json_int_t)l->calls));
    if (l->similar)
        json_object_set_new(to, "similarity", json_integer((json_int_t)l->similar));
}

UsageLimits usage_limits(UsageLimits asked, UsageLimits own)
{
    UsageLimits x = { .calls = asked.calls ? asked.calls : own.calls,
                      .similar = asked.similar ? asked.similar : own.similar };
    if (!x.calls)
        x.calls = USAGE_LIMIT;
    if (!x.similar)
        x.similar = USAGE_SIMILAR;
    assert(x.calls > 0 && x.similar > 0);
    return x;
}

static bool seen_before(const Usage *u, uint64_t percent, Str tool, const json_t *args)
{
    Words words;
    find_words(query_of(args), &words);
    for (size_t i = 0; i < u->queries_n; i++)
        if (str_eq(u->queries[i].tool, tool) && similar(&words, &u->queries[i], percent))
            return true;
    return false;
}

/* 1, 2, 4, 8 ... times as often as suggested is news, anything between is not. */
static bool is_news(uint64_t count, uint64_t most)
{
    while (count > most && count % 2 == 0)
        count /= 2;
    return count == most;
}

UsageWarnings usage_check(const Usage *u, UsageLimits limits, Str tool, Str args, Arena *into)
{
    UsageWarnings w = { 0 };
    limits = usage_limits(limits, (UsageLimits){ 0 });
    AUTO_PTR(json_t) parsed = parse(args);
    const UsageTool *row = usage_find(u, tool);
    Shown shown;
    const char *name = err_show(&shown, tool);
    unsigned long long count = row ? row->calls : 0, most = limits.calls;
    /* One warning of the first three, the most urgent one; a loop is said besides. */
    w.again = count > most && !is_news(count, most);
    if (count >= most)
        w.limit = arena_printf(
            into,
            "Tool '%s' has been called %llu times (suggested limit: %llu). If previous "
            "calls didn't return the needed data, consider: (1) trying a different tool, (2) using "
            "different search terms, or (3) proceeding with what you have and noting any data gaps "
            "to the user.",
            name, count, most);
    else if (seen_before(u, limits.similar, tool, parsed))
        w.limit = arena_printf(
            into,
            "This query is very similar to a previous '%s' call. You have %llu attempt(s) "
            "before reaching the suggested limit. If the tool isn't returning useful results, "
            "consider: (1) trying a different tool, (2) using different search terms, or (3) "
            "acknowledging the data limitation to the user.",
            name, most - count);
    else if (count + 1 == most)
        w.limit =
            arena_printf(into,
                         "You are approaching the suggested limit for '%s' (%llu/%llu). If this "
                         "doesn't return the needed data, consider trying a different approach.",
                         name, count + 1, most);
    if (u->streak + 1 >= USAGE_LOOP && hash_eq(call_hash(tool, args, parsed), u->last))
        w.loop = arena_printf(
            into, "tool-call loop detected: '%s' with the same arguments, %llu times in a row",
            name, (unsigned long long)u->streak + 1);
    return w;
}

void usage_add_block(Buf *to, const Usage *u, UsageLimits limits)
{
    if (u->tools_n == 0)
        return;
    unsigned long long most = usage_limits(limits, (UsageLimits){ 0 }).calls;
    buf_add(to, S("## Tool Usage This Query\n\n"));
    for (size_t i = 0; i < u->tools_n; i++) {
        unsigned long long calls = u->tools[i].calls;
        buf_add(to, S("- "));
        frame_name_add(to, u->tools[i].name);
        buf_add(to, S(": "));
        if (calls >= most)
            buf_addf(to, "%llu calls (over suggested limit of %llu)\n", calls, most);
        else
            buf_addf(to, "%llu/%llu calls\n", calls, most);
    }
    buf_add(to, S("\nNote: If a tool isn't returning useful results after several attempts, "
                  "consider trying a different tool/approach."));
}

/* --- JSON -------------------------------------------------------------------------------- */

json_t *warnings_json(const UsageWarnings *w)
{
    json_t *out = json_array();
    if (w->limit.n)
        json_array_append_new(out, json_text(w->limit));
    if (w->loop.n)
        json_array_append_new(out, json_text(w->loop));
    return out;
}

static json_t *tools_json(const Usage *u, uint64_t limit)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < u->tools_n; i++) {
        const UsageTool *t = &u->tools[i];
        json_t *row = json_pack("{s:o, s:I, s:I}", "name", json_text(t->name), "calls",
                                (json_int_t)t->calls, "errors", (json_int_t)t->errors);
        if (limit)
            json_object_set_new(
                row, "left", json_integer(t->calls < limit ? (json_int_t)(limit - t->calls) : 0));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *usage_status_json(const Usage *u, UsageLimits limits)
{
    limits = usage_limits(limits, (UsageLimits){ 0 });
    return json_pack("{s:I, s:I, s:o}", "limit", (json_int_t)limits.calls, "similarity",
                     (json_int_t)limits.similar, "tools", tools_json(u, limits.calls));
}

json_t *usage_json(const Usage *u)
{
    json_t *queries = json_array();
    for (size_t i = 0; i < u->queries_n; i++) {
        const UsageQuery *q = &u->queries[i];
        json_t *words = json_array();
        for (size_t j = 0; j < q->n; j++)
            json_array_append_new(words, json_integer((json_int_t)q->words[j]));
        json_array_append_new(queries, json_pack("{s:o, s:I, s:o}", "tool", json_text(q->tool),
                                                 "seq", (json_int_t)q->seq, "words", words));
    }
    return json_pack("{s:o, s:o, s:s, s:I}", "tools", tools_json(u, 0), "queries", queries, "last",
                     hash_is_zero(u->last) ? "" : hash_hex(u->last).text, "streak",
                     (json_int_t)u->streak);
}

static void read_tool(JsonCursor *c, Arena *into, Usage *out)
{
    UsageTool read = { 0 };
    Str name;
    for (json_cursor_enter(c, '{'); json_cursor_member(c, &name);) {
        if (str_eq(name, S("name")))
            read.name = json_cursor_text(c, into);
        else if (str_eq(name, S("calls")))
            read.calls = json_cursor_number(c);
        else if (str_eq(name, S("errors")))
            read.errors = json_cursor_number(c);
        else
            json_cursor_skip(c);
    }
    c->bad = c->bad || out->tools_n == TOOLS_READ_MAX;
    if (c->bad)
        return;
    UsageTool *row = row_of(out, into, read.name);
    row->calls = read.calls;
    row->errors = read.errors;
}

static void read_words(JsonCursor *c, Words *out)
{
    out->n = 0;
    for (json_cursor_enter(c, '['); json_cursor_element(c);) {
        uint64_t word = json_cursor_number(c);
        c->bad = c->bad || out->n == USAGE_WORDS_MAX;
        if (!c->bad)
            out->hash[out->n++] = word;
    }
}

static void read_query(JsonCursor *c, Arena *into, Usage *out)
{
    uint64_t seq = 0;
    Words words = { .n = 0 };
    Str name, tool = { 0 };
    for (json_cursor_enter(c, '{'); json_cursor_member(c, &name);) {
        if (str_eq(name, S("tool")))
            tool = json_cursor_text(c, into);
        else if (str_eq(name, S("seq")))
            seq = json_cursor_number(c);
        else if (str_eq(name, S("words")))
            read_words(c, &words);
        else
            json_cursor_skip(c);
    }
    keep_query(out, into, seq, tool, &words);
}

void usage_read(JsonCursor *c, Arena *into, Usage *out)
{
    enum { TOOLS = 1, QUERIES = 2, LAST = 4, STREAK = 8, ALL = 15 };
    AUTO(Arena) scratch = { 0 };
    Str name, last = { 0 };
    unsigned seen = 0, bit;
    *out = (Usage){ 0 };
    for (json_cursor_enter(c, '{'); json_cursor_member(c, &name); seen |= bit) {
        if (str_eq(name, S("tools"))) {
            for (json_cursor_enter(c, '['); json_cursor_element(c);)
                read_tool(c, into, out);
            bit = TOOLS;
        } else if (str_eq(name, S("queries"))) {
            for (json_cursor_enter(c, '['); json_cursor_element(c);)
                read_query(c, into, out);
            bit = QUERIES;
        } else if (str_eq(name, S("last"))) {
            last = json_cursor_text(c, &scratch);
            bit = LAST;
        } else if (str_eq(name, S("streak"))) {
            out->streak = json_cursor_number(c);
            bit = STREAK;
        } else {
            json_cursor_skip(c);
            bit = 0;
        }
        c->bad = c->bad || (seen & bit); /* twice */
    }
    c->bad = c->bad || seen != ALL || (last.n && !hash_parse(last, &out->last));
    for (size_t i = 0; i < out->queries_n; i++)
        c->bad = c->bad || !usage_find(out, out->queries[i].tool);
}
