/* results.c - results of a run as text, and back.
 *
 * Reading relies on one thing: no line of a framed value begins like a line
 * that means something, so the first one that does ends the value.  The two
 * line breaks in front of it are the joint and belong to neither side. */
#include "memory/run/results.h"

#include "base/base64.h"
#include "base/utf8.h"

static const Str head = { "### ", 4 };
static const Str cleared = { "[Tool result #", 14 };
static const Str cleared_end = { " cleared from context]", 22 };
static const Str joint = { "\n\n", 2 };
static const Str since = { "---\n\nNew data retrieved after compaction:\n\n", 43 };
static const Str mark_error = { " [error]", 8 };
static const Str mark_base64 = { " [base64]", 9 };

void results_add_item(Buf *to, const Frame *f, const Result *item)
{
    if (item->cleared) {
        buf_addf(to, "[Tool result #%llu cleared from context]", (unsigned long long)item->n);
        return;
    }
    bool text = utf8_valid(item->result);
    buf_add(to, head);
    /* What is left of redacted arguments is none. */
    frame_call_add_text(to, f, item->tool, item->args);
    if (!item->ok)
        buf_add(to, mark_error);
    if (!text)
        buf_add(to, mark_base64);
    buf_add_char(to, '\n');
    if (text)
        frame_add(to, f, item->result);
    else
        base64_write(to, item->result);
}

void results_add(Buf *to, const Results *list)
{
    frame_add(to, &list->frame, list->summary);
    if (list->summary.n && list->n) {
        buf_add(to, joint);
        buf_add(to, since);
    }
    for (size_t i = 0; i < list->n; i++) {
        if (i)
            buf_add(to, joint);
        results_add_item(to, &list->frame, &list->items[i]);
    }
}

/* --- And back ---------------------------------------------------------------------------- */

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

jot_status results_read(Str text, const Frame *f, Arena *into, Results *out, Err *e)
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

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *item_json(const Result *item)
{
    if (item->cleared)
        return json_pack("{s:I, s:b}", "n", (json_int_t)item->n, "cleared", 1);
    json_t *args = NULL;
    if (json_read(item->args, &args, NULL) != JOT_OK)
        args = json_null();
    return json_pack("{s:I, s:o, s:o, s:b, s:o}", "n", (json_int_t)item->n, "tool",
                     json_text(item->tool), "args", args, "ok", item->ok, "result",
                     json_text(item->result));
}

json_t *results_json(const Results *list)
{
    json_t *items = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(items, item_json(&list->items[i]));
    return json_pack("{s:o, s:o, s:I}", "summary", json_text_or_null(list->summary), "results",
                     items, "damaged", (json_int_t)list->damaged);
}
