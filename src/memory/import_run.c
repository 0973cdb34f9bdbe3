/* import_run.c - a run that was kept as JSON lines: init, thinking, tool_result.
 *
 * A line has a type and a timestamp.  Each becomes a record of runs/ID, ID being
 * the file's name; a tool_result becomes two, the call and its result, because a
 * run has both.  What the lines knew beyond that stays in meta: `was` is the
 * timestamp, and `form` says that a result was a JSON value rather than a string,
 * so that an export gives the line back.  Texts keep their bytes: a JSON value is
 * taken as it stands in the line, never printed anew. */
#include <string.h>

#include "memory/import.h"

enum { WAS_MAX = 64, TOOL_MAX = 128, RUN_ID_MAX = 64 };

/* The bytes of a member's value in an object that is known to be good; empty if it is not there. */
static Str raw_member(Str object, Str key)
{
    AUTO(Buf) name = { 0 };
    size_t at = str_find(object, '{') + 1;
    while (at < object.n) {
        while (at < object.n && object.p[at] != '"')
            at++;
        buf_clear(&name);
        at = at < object.n ? json_unquote(object, at, &name) : 0;
        size_t colon = at ? at + str_find(str_from(object, at), ':') + 1 : 0;
        size_t end = colon && colon < object.n ? json_skip(object, colon) : 0;
        if (!end)
            break;
        while (colon < end && strchr(" \t\r\n", object.p[colon]))
            colon++;
        if (str_eq(buf_str(&name), key))
            return str_slice(object, colon, end);
        at = end;
    }
    return (Str){ 0 };
}

typedef struct Lines {
    Draft *items;
    size_t n, cap;
    Arena arena;
    uint64_t results;
    uint64_t bad, bad_first; /* lines that are no entries; the first one's number */
    bool summaries;          /* something was left out */
} Lines;

static void lines_done(Lines *l)
{
    arena_free(&l->arena);
}
DEFINE_AUTO(Lines, lines_done)

/* Takes the reference to `meta`. */
static void add(Lines *l, json_t *meta, Str was, Str body)
{
    AUTO(Buf) text = { 0 };
    if (was.n && was.n <= WAS_MAX)
        json_object_set_new(meta, "was", json_stringn(was.p, was.n));
    json_write(&text, meta);
    json_decref(meta);
    l->items = arena_grow(&l->arena, l->items, l->n, &l->cap, sizeof *l->items, alignof(Draft));
    l->items[l->n++] = (Draft){ .op = OP_APPEND,
                                .meta = arena_copy(&l->arena, buf_str(&text)),
                                .body = arena_copy(&l->arena, body) };
}

static bool add_result(Lines *l, const json_t *entry, Str line, Str was)
{
    Str tool = json_str(json_object_get(entry, "toolName"));
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
    if (!text)
        json_object_set_new(meta, "form", json_string("json"));
    add(l, meta, was, body);
    return true;
}

static bool add_line(Lines *l, Str line)
{
    json_t *read = NULL;
    Err ignored;
    if (json_read(line, &read, &ignored) != JOT_OK)
        return false;
    AUTO_PTR(json_t) entry = read;
    Str type = json_str(json_object_get(entry, "type"));
    Str was = json_str(json_object_get(entry, "timestamp"));
    const json_t *content = json_object_get(entry, "content");
    l->summaries = l->summaries || json_str(json_object_get(entry, "llmSummary")).n;
    if (str_eq(type, S("tool_result")))
        return add_result(l, entry, line, was);
    bool known = str_eq(type, S("init")) || str_eq(type, S("thinking"));
    if (!known || !json_is_string(content))
        return false;
    add(l, json_pack("{s:s%}", "kind", type.p, type.n), was, json_str(content));
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
                    "%llu lines are no entries, the first is line %llu", (unsigned long long)l.bad,
                    (unsigned long long)l.bad_first);
    if (l.summaries)
        layout_skip(x->report, x->into, name, "its summaries of results are left out");
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
