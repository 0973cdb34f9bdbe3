/* frame.c - marking lines of a value that look like lines of a prompt, and calls on one line.
 *
 * All of it works on bytes: a value that is not UTF-8 is framed as well, and no
 * byte sequence can be split, because what is looked for begins with ASCII. */
#include "memory/frame.h"

#include <string.h>
#include <strings.h>

#include "base/json_cursor.h"
#include "base/sixteen.h"
#include "base/utf8.h"

enum { PLAIN_MAX = 8 };

/* What a line that means something begins with.  A new kind of line is added here first. */
static const Str openings[] = {
    { "### ", 4 },          { "## tool usage", 13 },
    { "[tool", 5 },         { "[unknown tool", 13 },
    { "[parse error", 12 }, { "new data retrieved after compaction:", 36 },
    { "<jotter-", 8 },      { "</jotter-", 9 },
};

static unsigned char byte(Str s, size_t at)
{
    return at < s.n ? (unsigned char)s.p[at] : 0;
}

/* The bytes of the line break at `at`, 0 if there is none: NEL, LS and PS are some too. */
static size_t break_at(Str s, size_t at)
{
    unsigned char c = byte(s, at), d = byte(s, at + 1), f = byte(s, at + 2);
    if (at < s.n && c >= '\n' && c <= '\r')
        return 1;
    if (c == 0xC2 && d == 0x85)
        return 2;
    return c == 0xE2 && d == 0x80 && (f == 0xA8 || f == 0xA9) ? 3 : 0;
}

/* The bytes of a character that is not seen in front of a line, 0 if it is seen. */
static size_t unseen_at(Str s, size_t at)
{
    unsigned char c = byte(s, at), d = byte(s, at + 1), f = byte(s, at + 2);
    if (at < s.n && (c <= ' ' || c == 0x7F || c == '\\') && !break_at(s, at))
        return 1;
    if (c == 0xC2 && ((d >= 0x80 && d <= 0xA0 && d != 0x85) || d == 0xAD))
        return 2;
    bool spaces = c == 0xE2 && d == 0x80 && f >= 0x80 && (f <= 0x8F || (f >= 0xAA && f <= 0xAF));
    bool signs = c == 0xE2 && d == 0x81 && f >= 0x9F && f <= 0xAF;
    bool other = (c == 0xE3 && d == 0x80 && f == 0x80) || (c == 0xEF && d == 0xBB && f == 0xBF);
    return spaces || signs || other ? 3 : 0;
}

bool frame_means(Str line)
{
    size_t at = 0, step;
    while ((step = unseen_at(line, at)) > 0)
        at += step;
    Str core = str_from(line, at);
    if (core.n == 0 || !strchr("#[<nN", core.p[0]))
        return false; /* no opening begins so, which is most lines */
    for (size_t i = 0; i < COUNT_OF(openings); i++)
        if (core.n >= openings[i].n && strncasecmp(core.p, openings[i].p, openings[i].n) == 0)
            return true;
    return false;
}

/* The first place from `at` on where a break may begin, or where fewer than sixteen bytes are
 * left. */
static size_t may_break(Str s, size_t at)
{
    for (; s.n - at >= sizeof(Sixteen); at += sizeof(Sixteen)) {
        Sixteen x = sixteen_at(s.p + at);
        Sixteen begins = (Sixteen)(((x >= '\n') & (x <= '\r')) | (x == 0xC2) | (x == 0xE2));
        size_t first = sixteen_first(begins);
        if (first < sizeof x)
            return at + first;
    }
    return at;
}

/* The end of the line that begins at `at`: where its break begins. */
static size_t line_end(Str s, size_t at)
{
    at = may_break(s, at);
    while (at < s.n && !break_at(s, at))
        at = may_break(s, at + 1);
    return at;
}

void frame_add(Buf *to, Str value)
{
    size_t added = 0;
    for (size_t at = 0; at < value.n;) {
        size_t end = line_end(value, at);
        if (frame_means(str_slice(value, at, end))) {
            buf_add(to, str_slice(value, added, at));
            buf_add_char(to, '\\');
            added = at;
        }
        at = end + break_at(value, end);
    }
    buf_add(to, str_from(value, added));
}

void frame_read(Buf *to, Str framed)
{
    for (size_t at = 0; at < framed.n;) {
        size_t end = line_end(framed, at), next = end + break_at(framed, end);
        bool marked = framed.p[at] == '\\' && frame_means(str_slice(framed, at, end));
        buf_add(to, str_slice(framed, at + marked, next));
        at = next;
    }
}

/* --- Calls ------------------------------------------------------------------------------- */

static bool among(Str chars, char c)
{
    return str_find(chars, c) < chars.n;
}

static bool name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           among(S("_.-:/"), c);
}

/* How many bytes from `at` on are those of a name that needs no quotes. */
static size_t name_span(Str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && name_char(s.p[at + n]))
        n++;
    return n;
}

/* JSON on one line for whoever looks at it: breaks that JSON allows in a string are escaped. */
static void add_json(Buf *to, const json_t *value)
{
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    Str s = buf_str(&text);
    for (size_t at = 0; at < s.n;) {
        size_t step = break_at(s, at);
        size_t from = at;
        if (step > 1) {
            buf_addf(to, "\\u%04x", (unsigned)utf8_next(s, &at));
            continue;
        }
        at++;
        buf_add(to, str_slice(s, from, at));
    }
}

static void add_quoted(Buf *to, Str text)
{
    AUTO_PTR(json_t) value = json_stringn(text.n ? text.p : "", text.n);
    add_json(to, value);
}

void frame_name_add(Buf *to, Str name)
{
    if (name.n && name_span(name, 0) == name.n)
        buf_add(to, name);
    else
        add_quoted(to, name);
}

/* True if a string can stand as it is: nothing that ends a value, no edge that could get lost, and
 * not the text of some other JSON value. */
static bool bare(Str s)
{
    if (s.n == 0 || s.p[0] == ' ' || s.p[s.n - 1] == ' ' || among(S("\"[{"), s.p[0]))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F || among(S(",()\\"), s.p[i]) ||
            break_at(s, i))
            return false;
    return json_skip(s, 0) != s.n;
}

void frame_call_add(Buf *to, Str tool, const json_t *args)
{
    frame_name_add(to, tool);
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
        frame_name_add(to, str(key));
        buf_add_char(to, '=');
        Str text = json_str(value);
        if (json_is_string(value) && bare(text))
            buf_add(to, text);
        else
            add_json(to, value);
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
static bool add_plain(Buf *to, Str args)
{
    JsonCursor c = { .text = args };
    Str names[PLAIN_MAX], name;
    size_t n = 0;
    for (cursor_enter(&c, '{'); cursor_member(&c, &name); n++) {
        Str value = cursor_raw(&c), text = str_slice(value, 1, value.n - 1);
        if (n == PLAIN_MAX || str_find(name, '\\') < name.n || !as_written(value))
            return false;
        for (size_t i = 0; i < n; i++)
            if (str_eq(names[i], name))
                return false;
        names[n] = name;
        buf_add(to, n ? S(", ") : S(""));
        frame_name_add(to, name);
        buf_add_char(to, '=');
        if (value.p[0] != '"')
            buf_add(to, value);
        else if (bare(text))
            buf_add(to, text);
        else
            add_quoted(to, text);
    }
    return cursor_done(&c);
}

void frame_call_add_text(Buf *to, Str tool, Str args)
{
    size_t before = to->n;
    frame_name_add(to, tool);
    buf_add_char(to, '(');
    if (add_plain(to, args)) {
        buf_add_char(to, ')');
        return;
    }
    to->n = before;
    json_t *read = NULL;
    if (json_read(args, &read, NULL) != JOT_OK)
        read = NULL;
    AUTO_PTR(json_t) object = read;
    frame_call_add(to, tool, json_is_object(object) ? object : NULL);
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

size_t frame_call_read(Str text, Arena *into, Str *tool, json_t **args)
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
