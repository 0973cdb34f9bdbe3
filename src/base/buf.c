/* buf.c - owned bytes that grow up to a ceiling.
 *
 * Invariant: n <= cap <= ceiling; once `full` is set the content is a prefix
 * of what was appended and no longer changes. */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

char *buf_room(Buf *b, size_t n)
{
    size_t max = b->max ? b->max : BUF_MAX_DEFAULT;
    assert(b->n <= max);
    if (b->full || n > max - b->n) {
        b->full = true;
        return NULL;
    }
    /* An empty one gets memory too: NULL means refused and nothing else. */
    if (!b->p || n > b->cap - b->n) {
        size_t cap = b->cap ? b->cap : 128;
        while (cap < b->n + n)
            cap *= 2;
        if (cap > max)
            cap = max;
        b->p = mem_grow(b->p, cap);
        b->cap = cap;
    }
    return b->p + b->n;
}

void buf_grew(Buf *b, size_t n)
{
    assert(n <= b->cap - b->n);
    b->n += n;
}

void buf_add_beyond(Buf *b, Str s)
{
    if (s.n == 0)
        return;
    char *to = buf_room(b, s.n);
    if (!to)
        return;
    memcpy(to, s.p, s.n);
    buf_grew(b, s.n);
}

/* vsnprintf wants a place for its NUL, which is not content: text that ends exactly at the
 * ceiling is written elsewhere first. */
PRINTF_LIKE(3, 0) static void add_formatted(Buf *b, size_t n, const char *fmt, va_list args)
{
    char *to = buf_room(b, n);
    if (!to)
        return;
    if (n < b->cap - b->n) {
        vsnprintf(to, n + 1, fmt, args);
    } else {
        char *text = mem_alloc(n + 1);
        vsnprintf(text, n + 1, fmt, args);
        memcpy(to, text, n);
        free(text);
    }
    buf_grew(b, n);
}

void buf_add_u64(Buf *b, uint64_t n)
{
    char text[20]; /* 2^64 - 1 has as many digits */
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    buf_add(b, (Str){ text + at, sizeof text - at });
}

void buf_add_hex(Buf *b, uint64_t n, size_t digits)
{
    char text[16];
    assert(digits <= sizeof text);
    for (size_t i = digits; i-- > 0; n >>= 4)
        text[i] = "0123456789abcdef"[n & 15];
    buf_add(b, (Str){ text, digits });
}

void buf_addf(Buf *b, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    /* It fits most of the time; if not, the room after the content means nothing yet. */
    size_t left = b->full ? 0 : b->cap - b->n;
    int n = vsnprintf(left ? b->p + b->n : NULL, left, fmt, args);
    va_end(args);
    assert(n >= 0);
    if ((size_t)n < left)
        buf_grew(b, (size_t)n);
    else
        add_formatted(b, (size_t)n, fmt, again);
    va_end(again);
}

bool buf_ok(const Buf *b)
{
    return !b->full;
}

Str buf_str(const Buf *b)
{
    return (Str){ b->p, b->n };
}

void buf_clear(Buf *b)
{
    b->n = 0;
    b->full = false;
}

void buf_free(Buf *b)
{
    if (!b)
        return;
    free(b->p);
    *b = (Buf){ .max = b->max };
}
