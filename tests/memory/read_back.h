/* read_back.h - reads what frame_call_add and results_add write.
 *
 * The product has no use for it: a model is the reader.  The tests prove with it that any list of
 * results comes back as it was, so nothing in a value can pass for structure.
 *
 * Reading relies on one thing: no line of a framed value begins like a line that means something,
 * so the first one that does ends the value.  The two line breaks in front of it are the joint and
 * belong to neither side. */
#ifndef TESTS_MEMORY_READ_BACK_H
#define TESTS_MEMORY_READ_BACK_H

#include "base/base64.h"
#include "memory/run/results.h"

/* --- A call ------------------------------------------------------------------------------ */

/* How many bytes from `at` on are those of a name that needs no quotes. */
static size_t name_span(Str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] > 0 &&
           ((s.p[at + n] >= '0' && s.p[at + n] <= ':') ||
            (s.p[at + n] >= 'A' && s.p[at + n] <= 'Z') ||
            (s.p[at + n] >= 'a' && s.p[at + n] <= 'z') || str_find(S("_.-/"), s.p[at + n]) < 4))
        n++;
    return n;
}

/* A name, bare or quoted, at *at. */
static bool read_name(Str text, size_t *at, Arena *into, Str *out)
{
    size_t n = name_span(text, *at);
    if (n) {
        *out = arena_copy(into, str_slice(text, *at, *at + n));
        *at += n;
        return true;
    }
    AUTO(Buf) name = { 0 };
    size_t end = *at < text.n && text.p[*at] == '"' ? json_unquote(text, *at, &name) : 0;
    if (!end)
        return false;
    *out = arena_copy(into, buf_str(&name));
    *at = end;
    return true;
}

static bool ends_value(Str text, size_t at)
{
    return at < text.n && (text.p[at] == ',' || text.p[at] == ')');
}

static json_t *read_value(Str text, size_t *at)
{
    size_t end = json_skip(text, *at);
    json_t *value = NULL;
    if (end && ends_value(text, end)) {
        if (json_read(str_slice(text, *at, end), &value, NULL) != JOT_OK)
            return NULL;
        *at = end;
        return value;
    }
    for (end = *at; end < text.n && !ends_value(text, end);)
        end++;
    value = json_stringn(text.p + *at, end - *at);
    *at = end;
    return value;
}

/* The call at the start of `text`: the offset after its ')', or 0 if there is none.  The caller
 * owns *args; tool lives in `into`. */
__attribute__((unused)) static size_t frame_call_read(Str text, Arena *into, Str *tool,
                                                      json_t **args)
{
    size_t at = 0;
    AUTO_PTR(json_t) object = json_object();
    if (!read_name(text, &at, into, tool) || at >= text.n || text.p[at] != '(')
        return 0;
    at++;
    for (bool first = true; at < text.n && text.p[at] != ')'; first = false) {
        Str key;
        if (!first) {
            if (!str_starts(str_from(text, at), S(", ")))
                return 0;
            at += 2;
        }
        if (!read_name(text, &at, into, &key) || at >= text.n || text.p[at] != '=')
            return 0;
        at++;
        json_t *value = read_value(text, &at);
        if (!value || json_object_set_new(object, key.p, value) != 0)
            return 0;
    }
    if (at >= text.n)
        return 0;
    *args = TAKE(object);
    return at + 1;
}

/* --- A list of results ------------------------------------------------------------------- */

static const Str head = { "### ", 4 };
static const Str cleared = { "[Tool result #", 14 };
static const Str cleared_end = { " cleared from context]", 22 };
static const Str joint = { "\n\n", 2 };
static const Str since = { "---\n\nNew data retrieved after compaction:\n\n", 43 };
static const Str mark_error = { " [error]", 8 };
static const Str mark_base64 = { " [base64]", 9 };

/* Where the next line with this opening begins, at `at` or after; text.n if there is none. */
static size_t next_line(Str text, size_t at, Str opening)
{
    while (at < text.n && !str_starts(str_from(text, at), opening)) {
        at += str_find(str_from(text, at), '\n');
        at += at < text.n;
    }
    return at;
}

/* Where the next item begins, text.n if there is none. */
static size_t next_item(Str text, size_t at)
{
    size_t a = next_line(text, at, head), b = next_line(text, at, cleared);
    return a < b ? a : b;
}

static Str unframed(Str framed, const Frame *f, Arena *into)
{
    AUTO(Buf) value = { .max = framed.n + 1 };
    frame_read(&value, f, framed);
    return arena_copy(into, buf_str(&value));
}

static bool eat(Str text, size_t *at, Str what)
{
    if (!str_starts(str_from(text, *at), what))
        return false;
    *at += what.n;
    return true;
}

static bool read_cleared(Str line, Result *out)
{
    size_t at = cleared.n;
    while (at < line.n && line.p[at] >= '0' && line.p[at] <= '9')
        at++;
    out->cleared = true;
    return str_eq(str_from(line, at), cleared_end) &&
           str_to_u64(str_slice(line, cleared.n, at), UINT64_MAX, &out->n);
}

/* One item, without the joint after it. */
static bool read_item(Str text, const Frame *f, Arena *into, Result *out)
{
    *out = (Result){ 0 };
    if (str_starts(text, cleared))
        return read_cleared(text, out);
    json_t *got = NULL;
    size_t at = frame_call_read(str_from(text, head.n), into, &out->tool, &got) + head.n;
    AUTO_PTR(json_t) args = got;
    if (at == head.n)
        return false;
    AUTO(Buf) json = { 0 };
    json_write(&json, args);
    out->args = arena_copy(into, buf_str(&json));
    out->ok = !eat(text, &at, mark_error);
    bool coded = eat(text, &at, mark_base64);
    if (!eat(text, &at, S("\n")))
        return false;
    Str rest = str_from(text, at);
    if (coded)
        return base64_read(rest, into, &out->result);
    out->result = unframed(rest, f, into);
    return true;
}

/* The end of the item that begins at `at`, and where the next one begins. */
static bool find_end(Str text, size_t at, size_t *end, size_t *next)
{
    size_t line = at + str_find(str_from(text, at), '\n');
    *next = *end = next_item(text, line < text.n ? line + 1 : line);
    if (*next == text.n)
        return true;
    *end = *next - joint.n;
    return *next >= at + joint.n && str_eq(str_slice(text, *end, *next), joint);
}

static jot_status read_items(Str text, const Frame *f, Arena *into, Results *out, Err *e)
{
    size_t cap = 0;
    for (size_t at = 0, end, next; at < text.n; at = next) {
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof(Result), alignof(Result));
        if (!find_end(text, at, &end, &next) ||
            !read_item(str_slice(text, at, end), f, into, &out->items[out->n]))
            return err_set(e, JOT_INVALID, "not a list of results: what begins at byte %zu", at);
        out->n++;
    }
    return JOT_OK;
}

/* A list in this frame.  JOT_INVALID if it is not what results_add makes. */
__attribute__((unused)) static jot_status results_read(Str text, const Frame *f, Arena *into,
                                                       Results *out, Err *e)
{
    *out = (Results){ .frame = *f };
    size_t first = next_item(text, 0);
    if (first == 0)
        return read_items(text, f, into, out, e);
    size_t found = next_line(text, 0, S("New data retrieved after compaction:"));
    size_t before = joint.n + 5; /* "---" and what follows it */
    if (found == text.n) {
        out->summary = unframed(text, f, into);
        return first == text.n
                   ? JOT_OK
                   : err_set(e, JOT_INVALID, "not a list of results: a part without its heading");
    }
    if (found < before || !str_starts(str_from(text, found - before + joint.n), since) ||
        first != found - 5 + since.n)
        return err_set(e, JOT_INVALID, "not a list of results: what is at byte %zu", found);
    out->summary = unframed(str_slice(text, 0, found - before), f, into);
    return read_items(str_from(text, first), f, into, out, e);
}

#endif
