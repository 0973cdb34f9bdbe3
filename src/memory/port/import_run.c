/* import_run.c - a run that was kept as JSON lines: init, thinking, tool_result.
 *
 * A line has a type and a timestamp.  Each becomes a record of runs/ID, ID being
 * the file's name; a tool_result becomes two, the call and its result, because a
 * run has both.  What the lines knew beyond that stays in meta: `was` is the
 * timestamp, which is the record's time, too; `form` says that a result was a
 * JSON value rather than a string; `more` has the members nobody here knows, so
 * that an export gives the line back.  A line of a type nobody knows is a record
 * of the kind `line`, whole.  Texts keep their bytes: a JSON value is taken as it
 * stands in the line, never printed again. */
#include <string.h>

#include "base/time.h"
#include "memory/port/import.h"

enum { WAS_MAX = 64, TOOL_MAX = 128, RUN_ID_MAX = 64, MORE_MAX = STORE_META_MAX / 2 };

/* The next member of an object that is known to be good: its name, and its bytes from the quote in
 * front of the name to the end of the value, which begins at *value.  *at is after what was read;
 * false if there is no more. */
static bool next_member(Str object, size_t *at, Buf *name, Str *whole, size_t *value)
{
    size_t start = *at;
    while (start < object.n && object.p[start] != '"')
        start++;
    buf_clear(name);
    size_t quoted = start < object.n ? json_unquote(object, start, name) : 0;
    size_t colon = quoted ? quoted + str_find(str_from(object, quoted), ':') + 1 : 0;
    size_t end = colon && colon < object.n ? json_skip(object, colon) : 0;
    if (!end)
        return false;
    while (colon < end && strchr(" \t\r\n", object.p[colon]))
        colon++;
    *whole = str_slice(object, start, end);
    *value = colon - start;
    *at = end;
    return true;
}

/* The bytes of a member's value; empty if it is not there. */
static Str raw_member(Str object, Str key)
{
    AUTO(Buf) name = { 0 };
    Str whole;
    size_t at = str_find(object, '{') + 1, value;
    while (next_member(object, &at, &name, &whole, &value))
        if (str_eq(buf_str(&name), key))
            return str_from(whole, value);
    return (Str){ 0 };
}

typedef struct Lines {
    Draft *items;
    size_t n, cap;
    Arena arena;
    uint64_t results;
    uint64_t bad, bad_first; /* lines that are no entries; the first one's number */
    uint64_t cut;            /* members that were too long to be kept */
} Lines;

static void lines_done(Lines *l)
{
    arena_free(&l->arena);
}
DEFINE_AUTO(Lines, lines_done)

/* Add a record; takes the reference to `meta`.  Time never runs backwards within a run. */
static void add(Lines *l, json_t *meta, Str was, Str body)
{
    AUTO(Buf) text = { 0 };
    int64_t at_ms = 0;
    if (was.n && was.n <= WAS_MAX)
        json_object_set_new(meta, "was", json_stringn(was.p, was.n));
    json_write(&text, meta);
    json_decref(meta);
    if (!time_parse_any(was, &at_ms))
        at_ms = l->n ? l->items[l->n - 1].at_ms : 0;
    l->items = arena_grow(&l->arena, l->items, l->n, &l->cap, sizeof *l->items, alignof(Draft));
    l->items[l->n++] = (Draft){ .op = OP_APPEND,
                                .meta = arena_copy(&l->arena, buf_str(&text)),
                                .body = arena_copy(&l->arena, body),
                                .at_ms = at_ms };
}

/* What a line has beyond the known members, such as the summary of a result. */
static void add_more(Lines *l, json_t *meta, Str line, const char *const *known)
{
    /* The members that are none of these, as they stand in the line, with commas between them. */
    AUTO(Buf) name = { 0 };
    AUTO(Buf) out = { 0 };
    Str whole;
    size_t at = str_find(line, '{') + 1, value;
    while (next_member(line, &at, &name, &whole, &value)) {
        bool is_known = false;
        for (const char *const *k = known; *k; k++)
            is_known = is_known || str_eq(buf_str(&name), str(*k));
        if (is_known)
            continue;
        if (out.n)
            buf_add_char(&out, ',');
        buf_add(&out, whole);
    }
    Str more = arena_copy(&l->arena, buf_str(&out));
    if (more.n > MORE_MAX)
        l->cut++;
    else if (more.n)
        json_object_set_new(meta, "more", json_stringn(more.p, more.n));
}

static bool add_result(Lines *l, const json_t *entry, Str line, Str was)
{
    Str tool = json_member(entry, "toolName");
    const json_t *result = json_object_get(entry, "result");
    if (!tool.n || tool.n > TOOL_MAX || !result)
        return false;
    uint64_t n = ++l->results;
    Str call = arena_printf(&l->arena, "c%llu", (unsigned long long)n);
    Str args = raw_member(line, S("args"));
    add(l,
        json_pack("{s:s, s:s%, s:s%}", "kind", "tool_call", "call", call.p, call.n, "tool", tool.p,
                  tool.n),
        was, args.n && args.p[0] == '{' ? args : S("{}"));
    bool text = json_is_string(result);
    Str body = text ? json_str(result) : raw_member(line, S("result"));
    json_t *meta = json_pack("{s:s, s:s%, s:s%, s:I, s:I, s:b}", "kind", "tool_result", "call",
                             call.p, call.n, "tool", tool.p, tool.n, "of", (json_int_t)l->n, "n",
                             (json_int_t)n, "ok", !str_starts(body, S("Error:")));
    static const char *const known[] = { "type", "timestamp", "toolName", "args", "result", NULL };
    if (!text)
        json_object_set_new(meta, "form", json_string("json"));
    add_more(l, meta, line, known);
    add(l, meta, was, body);
    return true;
}

static bool add_line(Lines *l, Str line)
{
    static const char *const known[] = { "type", "timestamp", "content", NULL };
    json_t *read = NULL;
    Err ignored;
    if (json_read(line, &read, &ignored) != JOT_OK)
        return false;
    AUTO_PTR(json_t) entry = read;
    Str type = json_member(entry, "type");
    Str was = json_member(entry, "timestamp");
    const json_t *content = json_object_get(entry, "content");
    if (str_eq(type, S("tool_result")))
        return add_result(l, entry, line, was);
    if (!type.n || !was.n)
        return false;
    json_t *meta;
    if ((str_eq(type, S("init")) || str_eq(type, S("thinking"))) && json_is_string(content)) {
        meta = json_pack("{s:s%}", "kind", type.p, type.n);
        add_more(l, meta, line, known);
        add(l, meta, was, json_str(content));
    } else {
        add(l, json_pack("{s:s}", "kind", "line"), was, line);
    }
    return true;
}

jot_status import_run_file(Import *x, Str name, Str text, Err *e)
{
    AUTO(Lines) l = { 0 };
    Str rest = text, line;
    for (uint64_t number = 1; rest.n; number++) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        if (line.n && !add_line(&l, line) && l.bad++ == 0)
            l.bad_first = number;
    }
    if (l.bad)
        layout_miss(x->report, x->into, JOT_INVALID, name,
                    "line %llu%s: no entry of a run; all others are imported",
                    (unsigned long long)l.bad_first, l.bad > 1 ? " and others" : "");
    if (l.cut)
        layout_miss(x->report, x->into, JOT_TOO_BIG, name,
                    "in %llu of its lines members that no run has are longer than %d bytes: they "
                    "are left out",
                    (unsigned long long)l.cut, MORE_MAX);
    Str id = str_slice(name, 0, str_ends(name, S(".jsonl")) ? name.n - strlen(".jsonl") : name.n);
    if (id.n > RUN_ID_MAX) {
        layout_miss(x->report, x->into, JOT_TOO_BIG, name, "a run's name has at most %d bytes",
                    RUN_ID_MAX);
        return JOT_OK;
    }
    if (!l.n)
        return JOT_OK;
    Str stream = arena_printf(&l.arena, "runs/" STR_FMT, STR_ARG(id));
    return import_records(x, name, stream, l.items, l.n, e);
}
