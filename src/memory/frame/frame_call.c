/* frame_call.c - calls on one line: tool(k=v, k=v).
 *
 * Nothing reads them back but tests/memory/read_back.h, which proves that nothing gets lost. */
#include "memory/frame/frame.h"

#include "base/glyph.h"
#include "base/json_cursor.h"
#include "base/utf8.h"

enum { PLAIN_MAX = 8 };

static bool among(Str chars, char c)
{
    return str_find(chars, c) < chars.n;
}

static bool name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           among(S("_.-:/"), c);
}

/* A frame without a sign belongs to a run that continues as it was. */
static bool is_old(const Frame *f)
{
    return f && !f->sign[0];
}

/* The first character of valid text that must not stand there as it is; s.n: there is none. */
static size_t hidden_at(const Frame *f, Str s)
{
    if (!is_old(f))
        return glyph_hidden_at(s, GLYPH_LINE);
    for (size_t at = 0, from = 0; at < s.n; from = at) {
        uint32_t c = utf8_next(s, &at);
        if (c == 0x85 || c == 0x2028 || c == 0x2029)
            return from;
    }
    return s.n;
}

/* A character in a string, as JSON escapes it; *at moves past it. */
static void add_escape(Buf *to, Str s, size_t *at)
{
    uint32_t c = utf8_next(s, at);
    if (c > 0xFFFF) {
        buf_addf(to, "\\u%04x", (unsigned)(0xD7C0 + (c >> 10)));
        c = 0xDC00 + (c & 0x3FF);
    }
    buf_addf(to, "\\u%04x", (unsigned)c);
}

/* JSON in which no character is hidden: they all stand in strings. */
static void add_seen(Buf *to, const Frame *f, Str json)
{
    for (size_t at = 0; at < json.n;) {
        size_t hidden = at + hidden_at(f, str_from(json, at));
        buf_add(to, str_slice(json, at, hidden));
        at = hidden;
        if (at < json.n)
            add_escape(to, json, &at);
    }
}

/* True if the character at `at` of JSON is the second one of an escape. */
static bool in_escape(Str json, size_t at)
{
    size_t n = 0;
    while (n < at && json.p[at - n - 1] == '\\')
        n++;
    return n % 2;
}

/* JSON on one line for people. */
static void add_json(Buf *to, const Frame *f, const json_t *value)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) seen = { 0 };
    json_write(&text, value);
    if (is_old(f)) {
        add_seen(to, f, buf_str(&text));
        return;
    }
    add_seen(&seen, f, buf_str(&text));
    /* Tags and the sign stand in strings, too: no number is one (frame.c). */
    Str s = buf_str(&seen);
    size_t added = 0;
    for (size_t at = 0, place; frame_place(f, s, at, &place, &at);) {
        if (in_escape(s, place))
            continue; /* a backslash stands in the middle of the sign already */
        buf_add(to, str_slice(s, added, place));
        added = place;
        add_escape(to, s, &added);
    }
    buf_add(to, str_from(s, added));
}

static void add_quoted(Buf *to, const Frame *f, Str text)
{
    AUTO_PTR(json_t) value = json_stringn(text.n ? text.p : "", text.n);
    add_json(to, f, value);
}

static void add_name(Buf *to, const Frame *f, Str name)
{
    size_t place, next;
    bool plain = name.n > 0;
    for (size_t i = 0; i < name.n; i++)
        plain = plain && name_char(name.p[i]);
    if (plain && (!f || is_old(f) || !frame_place(f, name, 0, &place, &next)))
        buf_add(to, name);
    else
        add_quoted(to, f, name);
}

void frame_name_add(Buf *to, Str name)
{
    add_name(to, NULL, name);
}

void frame_last_name_add(Buf *to, Str name)
{
    if (name.n && name.p[0] != '"' && utf8_valid(name) && hidden_at(NULL, name) == name.n)
        buf_add(to, name);
    else
        add_quoted(to, NULL, name);
}

void frame_attribute_add(Buf *to, const Frame *f, const char *name, Str value)
{
    buf_addf(to, " %s=", name);
    add_quoted(to, f, value);
}

/* True if a string can stand as it is: nothing that ends a value, no edge that could get lost, and
 * not the text of some other JSON value. */
static bool bare(const Frame *f, Str s)
{
    size_t place, next;
    if (s.n == 0 || s.p[0] == ' ' || s.p[s.n - 1] == ' ' || among(S("\"[{"), s.p[0]))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F || among(S(",()\\"), s.p[i]))
            return false;
    if (hidden_at(f, s) < s.n || (!is_old(f) && frame_place(f, s, 0, &place, &next)))
        return false;
    return json_skip(s, 0) != s.n;
}

void frame_call_add(Buf *to, const Frame *f, Str tool, const json_t *args)
{
    add_name(to, f, tool);
    buf_add_char(to, '(');
    const char *key;
    const json_t *value;
    bool first = true;
    /* jansson's loop is over an object it could change, but does not. */
    json_object_foreach((json_t *)(uintptr_t)args, key, value)
    {
        if (!first)
            buf_add(to, S(", "));
        first = false;
        add_name(to, f, str(key));
        buf_add_char(to, '=');
        Str text = json_str(value);
        if (json_is_string(value) && bare(f, text))
            buf_add(to, text);
        else
            add_json(to, f, value);
    }
    buf_add_char(to, ')');
}

/* True if the value is written as JSON writes it: a text without escapes, a count, a word. */
static bool as_written(Str value)
{
    uint64_t number;
    if (str_starts(value, S("\"")))
        return str_find(value, '\\') == value.n;
    return str_to_u64(value, INT64_MAX, &number) || str_eq(value, S("true")) ||
           str_eq(value, S("false")) || str_eq(value, S("null"));
}

/* Add arguments that need no tree, as most do not: a few of them, each written as JSON writes it.
 * False for others; then what was added is to be taken back. */
static bool add_plain(Buf *to, const Frame *f, Str args)
{
    JsonCursor c = { .text = args };
    Str names[PLAIN_MAX], name;
    size_t n = 0;
    for (json_cursor_enter(&c, '{'); json_cursor_member(&c, &name); n++) {
        Str value = json_cursor_raw(&c), text = str_slice(value, 1, value.n - 1);
        if (n == PLAIN_MAX || str_find(name, '\\') < name.n || !as_written(value))
            return false;
        for (size_t i = 0; i < n; i++)
            if (str_eq(names[i], name))
                return false;
        names[n] = name;
        buf_add(to, n ? S(", ") : S(""));
        add_name(to, f, name);
        buf_add_char(to, '=');
        if (value.p[0] != '"')
            buf_add(to, value);
        else if (bare(f, text))
            buf_add(to, text);
        else
            add_quoted(to, f, text);
    }
    return json_cursor_done(&c);
}

void frame_call_add_text(Buf *to, const Frame *f, Str tool, Str args)
{
    size_t before = to->n;
    add_name(to, f, tool);
    buf_add_char(to, '(');
    if (add_plain(to, f, args)) {
        buf_add_char(to, ')');
        return;
    }
    to->n = before;
    json_t *read = NULL;
    if (json_read(args, &read, NULL) != JOT_OK)
        read = NULL;
    AUTO_PTR(json_t) object = read;
    frame_call_add(to, f, tool, json_is_object(object) ? object : NULL);
}
