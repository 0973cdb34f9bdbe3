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
    if (n > b->cap - b->n) {
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

void buf_add(Buf *b, Str s)
{
    if (s.n == 0)
        return;
    char *to = buf_room(b, s.n);
    if (!to)
        return;
    memcpy(to, s.p, s.n);
    b->n += s.n;
}

void buf_add_char(Buf *b, char c)
{
    buf_add(b, (Str){ &c, 1 });
}

void buf_addf(Buf *b, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(n >= 0);
    /* vsnprintf wants room for its NUL; it is not counted as content. */
    char *to = buf_room(b, (size_t)n + 1);
    if (to) {
        vsnprintf(to, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
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
