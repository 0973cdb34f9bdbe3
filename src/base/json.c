/* json.c - JSON: read strictly, write plainly.
 *
 * There are three readers, because they answer three questions:
 *   - json_read builds a tree (jansson), and refuses what others may read in another way:
 *     duplicate members, NUL in names, numbers out of range, anything that is not UTF-8;
 *   - json_skip and json_unquote walk over a value that stands inside a line of bytes,
 *     without building anything: a record's members are found so;
 *   - json_cursor.h reads a value front to back into the caller's own struct.
 * All three agree on what a value is; tests/unit/json_rows.h has one table for them. */
#include "base/json.h"

#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "base/vector16.h"

/* True if brackets outside strings nest deeper than we allow.  jansson's own limit is 2048,
 * deep enough to matter for the stack of a function that walks the tree. */
static bool too_deep(Str text)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > JSON_DEPTH_MAX)
                return true;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return false;
}

/* jansson reads reals by strtod and gives up where the decimal point is more than one byte, as
 * in Persian: there the host's locale is replaced for the time being. */
static json_t *load(Str text, json_error_t *why)
{
    static const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    const char *bytes = text.p ? text.p : "";
    if (strlen(nl_langinfo(RADIXCHAR)) == 1)
        return json_loadb(bytes, text.n, flags, why);
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        mem_exhausted();
    locale_t host = uselocale(plain);
    json_t *value = json_loadb(bytes, text.n, flags, why);
    uselocale(host);
    freelocale(plain);
    return value;
}

static bool is_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '+' || c == '.';
}

/* The end of what begins at `at` and jansson reads as one: a string, a word, a number, a sign. */
static size_t token_end(Str text, size_t at)
{
    char first = text.p[at++];
    if (first == '"') {
        while (at < text.n && text.p[at] != '"')
            at += text.p[at] == '\\' ? 2 : 1;
        return at + 1;
    }
    while (is_in_word(first) && at < text.n && is_in_word(text.p[at]))
        at++;
    return at;
}

/* The byte to look at, from 1 on.  jansson says where it stopped reading, which is after what is
 * wrong; within a string, or where nothing follows, that is all there is to say. */
static size_t place_of(const json_error_t *why, Str text)
{
    size_t stopped = why->position > 0 ? (size_t)why->position : 0;
    size_t at = 0, end = 0;
    while (end < stopped) {
        at = end;
        while (at < text.n && str_find(S(" \t\r\n"), text.p[at]) < 4)
            at++;
        if (at >= text.n)
            return stopped;
        end = token_end(text, at);
    }
    return end > stopped && text.p[at] == '"' ? stopped : at + 1;
}

/* What jansson says of a text, as a sentence: is it no JSON, or more than is taken? */
static jot_status refuse(const json_error_t *why, Str text, JsonFlaw *flaw, Err *e)
{
    size_t place = place_of(why, text);
    Shown shown;
    const char *said = err_show(&shown, str(why->text));
    *flaw = JSON_BEYOND;
    switch ((int)json_error_code(why)) {
    case json_error_out_of_memory:
        mem_exhausted();
    case json_error_numeric_overflow:
        return err_set(
            e, JOT_INVALID,
            "JSON has a number out of range at byte %zu: use 64-bit integers and doubles, "
            "or a string",
            place);
    case json_error_duplicate_key:
    case json_error_null_byte_in_key:
        return err_set(e, JOT_INVALID, "JSON is refused at byte %zu: %s", place, said);
    default:
        *flaw = JSON_BROKEN;
        return err_set(e, JOT_INVALID, "not valid JSON at byte %zu: %s", place, said);
    }
}

jot_status json_read_flaw(Str text, json_t **out, JsonFlaw *flaw, Err *e)
{
    *flaw = JSON_BEYOND;
    if (too_deep(text))
        return err_set(e, JOT_INVALID, "JSON nests deeper than %d levels", JSON_DEPTH_MAX);
    *flaw = JSON_BROKEN;
    /* jansson loses a NUL that stands after a number or a word. */
    size_t nul = str_find(text, 0);
    if (nul < text.n)
        return err_set(e, JOT_INVALID, "not valid JSON at byte %zu: a NUL byte", nul + 1);
    json_error_t why;
    json_t *value = load(text, &why);
    if (!value)
        return refuse(&why, text, flaw, e);
    *out = value;
    return JOT_OK;
}

jot_status json_read(Str text, json_t **out, Err *e)
{
    JsonFlaw flaw;
    return json_read_flaw(text, out, &flaw, e);
}

json_t *json_text(Str text)
{
    if (utf8_valid(text))
        return json_stringn(text.n ? text.p : "", text.n);
    AUTO(Buf) coded = { 0 };
    base64_write(&coded, text);
    return json_pack("{s:s%}", "base64", coded.p, coded.n);
}

json_t *json_text_or_null(Str text)
{
    return text.n ? json_text(text) : json_null();
}

Str json_to_str(Arena *into, const json_t *value)
{
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    return arena_copy(into, buf_str(&text));
}

json_t *json_given(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

Str json_str(const json_t *value)
{
    if (!json_is_string(value))
        return (Str){ 0 };
    return (Str){ json_string_value(value), json_string_length(value) };
}

static size_t skip_digits(Str s, size_t at)
{
    while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at;
}

static size_t skip_number(Str s, size_t at)
{
    if (at < s.n && s.p[at] == '-')
        at++;
    size_t whole = skip_digits(s, at);
    if (whole == at || (s.p[at] == '0' && whole > at + 1))
        return 0;
    at = whole;
    if (at < s.n && s.p[at] == '.') {
        size_t end = skip_digits(s, at + 1);
        if (end == at + 1)
            return 0;
        at = end;
    }
    if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
        at++;
        if (at < s.n && (s.p[at] == '+' || s.p[at] == '-'))
            at++;
        size_t end = skip_digits(s, at);
        if (end == at)
            return 0;
        at = end;
    }
    return at;
}

static size_t skip_word(Str s, size_t at, Str word)
{
    return str_starts(str_from(s, at), word) ? at + word.n : 0;
}

static size_t skip_value(Str s, size_t at, int depth);

/* The members of an object or the elements of an array, from after the opening bracket. */
static size_t skip_members(Str s, size_t at, char close, int depth)
{
    if (depth > JSON_DEPTH_MAX)
        return 0;
    at = str_skip_space(s, at);
    if (at < s.n && s.p[at] == close)
        return at + 1;
    for (;;) {
        at = str_skip_space(s, at);
        if (close == '}') {
            at = at < s.n && s.p[at] == '"' ? json_unquote(s, at, NULL) : 0;
            if (!at)
                return 0;
            at = str_skip_space(s, at);
            if (at >= s.n || s.p[at] != ':')
                return 0;
            at++;
        }
        at = skip_value(s, at, depth);
        if (!at)
            return 0;
        at = str_skip_space(s, at);
        if (at >= s.n)
            return 0;
        if (s.p[at] == close)
            return at + 1;
        if (s.p[at] != ',')
            return 0;
        at++;
    }
}

static size_t skip_value(Str s, size_t at, int depth) /* NOLINT(misc-no-recursion): bounded */
{
    at = str_skip_space(s, at);
    if (at >= s.n)
        return 0;
    switch (s.p[at]) {
    case '"':
        return json_unquote(s, at, NULL);
    case '{':
        return skip_members(s, at + 1, '}', depth + 1);
    case '[':
        return skip_members(s, at + 1, ']', depth + 1);
    case 't':
        return skip_word(s, at, S("true"));
    case 'f':
        return skip_word(s, at, S("false"));
    case 'n':
        return skip_word(s, at, S("null"));
    default:
        return skip_number(s, at);
    }
}

size_t json_skip(Str text, size_t at)
{
    return skip_value(text, at, 0);
}

size_t json_skip_at(Str text, size_t at, int depth)
{
    return skip_value(text, at, depth);
}

/* The four hex digits at `at` as a number, or -1: what stands after a \u. */
static int hex4(Str s, size_t at)
{
    int value = 0;
    if (at + 4 > s.n)
        return -1;
    for (size_t i = at; i < at + 4; i++) {
        int digit = hex_digit(s.p[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* The escape after the backslash at `at`: its end, or 0. */
static size_t unescape(Str s, size_t at, Buf *to)
{
    static const char known[256] = { ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                     ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t' };
    if (at + 1 >= s.n)
        return 0;
    char c = s.p[at + 1], plain = known[(unsigned char)c];
    if (plain) {
        if (to)
            buf_add_char(to, plain);
        return at + 2;
    }
    int high = c == 'u' ? hex4(s, at + 2) : -1;
    if (high < 0 || (high >= 0xDC00 && high <= 0xDFFF))
        return 0;
    uint32_t point = (uint32_t)high;
    size_t end = at + 6;
    if (high >= 0xD800 && high <= 0xDBFF) {
        int low = end + 1 < s.n && s.p[end] == '\\' && s.p[end + 1] == 'u' ? hex4(s, end + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return 0;
        point = 0x10000 + (((uint32_t)high - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        end += 6;
    }
    if (to)
        utf8_add(to, point);
    return end;
}

static bool is_surrogate(int unit, int first)
{
    return unit >= first && unit < first + 0x400;
}

size_t json_mend_surrogates(char *text, size_t n)
{
    Str s = { text, n };
    size_t mended = 0;
    for (size_t at = 0; at + 1 < n; at++) {
        if (text[at] != '\\')
            continue;
        int unit = text[at + 1] == 'u' ? hex4(s, at + 2) : -1;
        bool pair = is_surrogate(unit, 0xD800) && at + 7 < n && text[at + 6] == '\\' &&
                    text[at + 7] == 'u' && is_surrogate(hex4(s, at + 8), 0xDC00);
        if (!pair && (is_surrogate(unit, 0xD800) || is_surrogate(unit, 0xDC00))) {
            memset(text + at + 2, 'F', 3);
            text[at + 5] = 'D';
            mended++;
        }
        at += pair ? 11 : 1; /* an escaped backslash begins no escape */
    }
    return mended;
}

/* How many bytes a byte takes inside quotes, beyond one. */
static const unsigned char more_quoted[256] = {
    [0x00 ... 0x07] = 5, ['\b'] = 1,          ['\t'] = 1, ['\n'] = 1, [0x0B] = 5, ['\f'] = 1,
    ['\r'] = 1,          [0x0E ... 0x1F] = 5, ['"'] = 1,  ['\\'] = 1, [0x7F] = 5,
};

/* Where the first byte from `at` on stands that is escaped when quoted: a control character, DEL, a
 * quote or a backslash; text.n if there is none. */
static size_t plain_until(Str text, size_t at)
{
    /* Every stored body passes through here. */
    for (; text.n - at >= sizeof(Vector16); at += sizeof(Vector16)) {
        Vector16 x = vector16_at(text.p + at);
        size_t first =
            vector16_first((Vector16)((x < 0x20) | (x == '"') | (x == '\\') | (x == 0x7F)));
        if (first < sizeof x)
            return at + first;
    }
    while (at < text.n && !more_quoted[(unsigned char)text.p[at]])
        at++;
    return at;
}

size_t json_unquote(Str s, size_t at, Buf *to)
{
    if (at >= s.n || s.p[at] != '"')
        return 0;
    size_t begin = ++at;
    for (;;) {
        size_t plain = at;
        at = plain_until(s, at);
        if (at >= s.n)
            return 0;
        bool del = s.p[at] == 0x7F; /* which may stand as it is */
        at += del;
        if (to)
            buf_add(to, str_slice(s, plain, at));
        if (del)
            continue;
        /* Escapes are ASCII, so the stretches between them are UTF-8 if the whole is. */
        if (s.p[at] == '"')
            return utf8_valid(str_slice(s, begin, at)) ? at + 1 : 0;
        if (s.p[at] != '\\')
            return 0; /* a raw control character */
        at = unescape(s, at, to);
        if (!at)
            return 0;
    }
}

size_t json_quoted_size(Str text)
{
    size_t n = 2 + text.n;
    for (size_t at = plain_until(text, 0); at < text.n; at = plain_until(text, at + 1))
        n += more_quoted[(unsigned char)text.p[at]];
    return n;
}

/* The escape of `c`, at `to`; returns its end. */
static char *write_escape(char *to, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", into[] = "\"\\bfnrt",
                      digits[] = "0123456789abcdef";
    const char *known = c ? strchr(from, c) : NULL;
    *to++ = '\\';
    if (known) {
        *to++ = into[known - from];
        return to;
    }
    *to++ = 'u';
    *to++ = '0';
    *to++ = '0';
    *to++ = digits[c >> 4];
    *to++ = digits[c & 15];
    return to;
}

void json_quote(Buf *to, Str text)
{
    size_t size = json_quoted_size(text);
    char *out = buf_room(to, size);
    if (!out)
        return;
    char *end = out;
    *end++ = '"';
    for (size_t at = 0; at < text.n;) {
        size_t special = plain_until(text, at);
        memcpy(end, text.p + at, special - at);
        end += special - at;
        if (special < text.n)
            end = write_escape(end, (unsigned char)text.p[special]);
        at = special + 1;
    }
    *end++ = '"';
    assert(end == out + size);
    buf_grew(to, size);
}

/* --- The same value, laid out for people ----------------------------------------------- */

static void add_line(Buf *to, int depth)
{
    buf_addf(to, "\n%*s", 2 * depth, "");
}

/* An opening bracket, with the closing one if there is nothing between; returns the end. */
static size_t indent_open(Buf *to, Str text, size_t at, int *depth)
{
    size_t next = str_skip_space(text, at + 1);
    buf_add_char(to, text.p[at]);
    if (next < text.n && (text.p[next] == '}' || text.p[next] == ']')) {
        buf_add_char(to, text.p[next]);
        return next + 1;
    }
    add_line(to, ++*depth);
    return next;
}

void json_indent(Buf *to, Str text)
{
    int depth = 0;
    for (size_t at = str_skip_space(text, 0); at < text.n; at = str_skip_space(text, at)) {
        switch (text.p[at]) {
        case '{':
        case '[':
            at = indent_open(to, text, at, &depth);
            break;
        case '}':
        case ']':
            add_line(to, --depth);
            buf_add_char(to, text.p[at++]);
            break;
        case ',':
            buf_add_char(to, ',');
            add_line(to, depth);
            at++;
            break;
        case ':':
            buf_add(to, S(": "));
            at++;
            break;
        default: { /* a string, number or word stays as it is */
            size_t end = json_skip(text, at);
            assert(end > at);
            buf_add(to, str_slice(text, at, end));
            at = end;
        }
        }
    }
}

/* The shortest form that reads back as the same number. */
static void write_real(Buf *to, double value)
{
    char text[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    /* What is neither digit, sign nor 'e' is the decimal point of the host's locale. */
    size_t whole = strspn(text, "+-0123456789");
    size_t point = strcspn(text + whole, "0123456789e");
    buf_add(to, (Str){ text, whole });
    if (point || text[whole] == 0)
        buf_add_char(to, '.');
    buf_add(to, text[whole] ? str(text + whole + point) : S("0"));
}

void json_write(Buf *to, const json_t *value) /* NOLINT(misc-no-recursion): depth was checked */
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: {
        const char *key;
        json_t *member;
        bool first = true;
        buf_add_char(to, '{');
        json_object_foreach((json_t *)value, key, member)
        {
            if (!first)
                buf_add_char(to, ',');
            first = false;
            json_quote(to, str(key));
            buf_add_char(to, ':');
            json_write(to, member);
        }
        buf_add_char(to, '}');
        break;
    }
    case JSON_ARRAY:
        buf_add_char(to, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i)
                buf_add_char(to, ',');
            json_write(to, json_array_get(value, i));
        }
        buf_add_char(to, ']');
        break;
    case JSON_STRING:
        json_quote(to, json_str(value));
        break;
    case JSON_INTEGER:
        buf_addf(to, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        write_real(to, json_real_value(value));
        break;
    case JSON_TRUE:
        buf_add(to, S("true"));
        break;
    case JSON_FALSE:
        buf_add(to, S("false"));
        break;
    case JSON_NULL:
        buf_add(to, S("null"));
        break;
    }
}
