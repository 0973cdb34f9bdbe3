/* utf8.c - well-formedness by the table of the Unicode standard (table 3-7).
 *
 * Written by hand because every stored body passes through it: plain ASCII is
 * checked sixteen bytes at a time. */
#include "base/utf8.h"

#include <assert.h>

#include "base/vector16.h"

/* The length of the well-formed sequence at s[at], or 0. */
static size_t sequence(Str s, size_t at)
{
    const unsigned char *p = (const unsigned char *)s.p + at;
    size_t left = s.n - at;
    unsigned char low = 0x80, high = 0xBF; /* what the second byte may be */
    size_t n;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xC2 && p[0] <= 0xDF) {
        n = 2;
    } else if (p[0] >= 0xE0 && p[0] <= 0xEF) {
        n = 3;
        if (p[0] == 0xE0)
            low = 0xA0;
        else if (p[0] == 0xED)
            high = 0x9F;
    } else if (p[0] >= 0xF0 && p[0] <= 0xF4) {
        n = 4;
        if (p[0] == 0xF0)
            low = 0x90;
        else if (p[0] == 0xF4)
            high = 0x8F;
    } else {
        return 0;
    }
    if (left < n || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

size_t utf8_bad_at(Str s)
{
    size_t at = 0;
    while (at < s.n) {
        if (s.n - at >= sizeof(Vector16)) {
            size_t ascii = vector16_first((Vector16)(vector16_at(s.p + at) >= 0x80));
            if (ascii == sizeof(Vector16)) {
                at += sizeof(Vector16);
                continue;
            }
            at += ascii;
        } else if ((unsigned char)s.p[at] < 0x80) {
            at++;
            continue;
        }
        size_t n = sequence(s, at);
        if (n == 0)
            return at;
        at += n;
    }
    return s.n;
}

bool utf8_valid(Str s)
{
    return utf8_bad_at(s) == s.n;
}

size_t utf8_char(Str s, size_t at, uint32_t *c)
{
    const unsigned char *p = (const unsigned char *)s.p + at;
    *c = p[0];
    if (p[0] < 0x80)
        return 1;
    size_t n = sequence(s, at);
    if (n == 0)
        return 0;
    *c = p[0] & (0xFFU >> (n + 1));
    for (size_t i = 1; i < n; i++)
        *c = *c << 6 | (p[i] & 0x3F);
    return n;
}

uint32_t utf8_next(Str s, size_t *at)
{
    uint32_t c;
    assert(*at < s.n);
    size_t n = utf8_char(s, *at, &c);
    assert(n > 0);
    *at += n;
    return c;
}

void utf8_add(Buf *to, uint32_t c)
{
    assert(c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF));
    char out[4];
    size_t n;
    if (c < 0x80) {
        out[0] = (char)c;
        n = 1;
    } else if (c < 0x800) {
        out[0] = (char)(0xC0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3F));
        n = 2;
    } else if (c < 0x10000) {
        out[0] = (char)(0xE0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        n = 3;
    } else {
        out[0] = (char)(0xF0 | (c >> 18));
        out[1] = (char)(0x80 | ((c >> 12) & 0x3F));
        out[2] = (char)(0x80 | ((c >> 6) & 0x3F));
        out[3] = (char)(0x80 | (c & 0x3F));
        n = 4;
    }
    buf_add(to, (Str){ out, n });
}

size_t utf8_count(Str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.n; i++)
        count += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return count;
}

size_t utf8_floor(Str s, size_t n)
{
    if (n >= s.n)
        return s.n;
    while (n > 0 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
        n--;
    return n;
}

size_t utf8_control_at(Str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool c1 = c == 0xC2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xA0;
        if (c < 0x20 || c == 0x7F || c1)
            return i;
    }
    return s.n;
}

jot_status utf8_check(const char *what, Str text, Err *e)
{
    size_t bad = utf8_bad_at(text);
    if (bad == text.n)
        return JOT_OK;
    return err_set(e, JOT_INVALID, "%s must be UTF-8 text: the byte at offset %zu is not", what,
                   bad);
}

size_t utf8_mend(Buf *to, Str bytes)
{
    size_t replaced = 0;
    while (bytes.n) {
        size_t good = utf8_bad_at(bytes);
        buf_add(to, str_slice(bytes, 0, good));
        if (good == bytes.n)
            break;
        buf_add(to, S("\xEF\xBF\xBD"));
        bytes = str_from(bytes, good + 1);
        replaced++;
    }
    return replaced;
}

Str utf8_mended(Str bytes, Arena *into)
{
    if (utf8_valid(bytes))
        return bytes;
    AUTO(Buf) out = { .max = SIZE_MAX / 2 };
    utf8_mend(&out, bytes);
    return arena_copy(into, buf_str(&out));
}
