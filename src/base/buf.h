/* buf.h - Buf, owned bytes that grow up to a ceiling.
 *
 * {0} is empty.  A Buf that would pass its ceiling stops growing and remembers
 * it: append freely and ask buf_ok() once, at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <string.h>

#include "base/str.h"

enum { BUF_MAX_DEFAULT = 64 * 1024 * 1024 };

typedef struct Buf {
    char *p;
    size_t n, cap;
    size_t max; /* ceiling in bytes; 0 means BUF_MAX_DEFAULT */
    bool full;  /* an append was refused; everything after it was too */
} Buf;

void buf_add_beyond(Buf *b, Str s); /* what buf_add does when there is no room yet */

/* Most of what is written are short pieces that fit: those are copied without a call. */
static inline void buf_add(Buf *b, Str s)
{
    if (b->full || s.n > b->cap - b->n) {
        buf_add_beyond(b, s);
    } else if (s.n) {
        memcpy(b->p + b->n, s.p, s.n);
        b->n += s.n;
    }
}

static inline void buf_add_char(Buf *b, char c)
{
    buf_add(b, (Str){ &c, 1 });
}

/* Numbers without a format, which costs ten times as much: decimal, and hex of so many digits. */
void buf_add_u64(Buf *b, uint64_t n);
void buf_add_hex(Buf *b, uint64_t n, size_t digits);

void buf_addf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Room for `n` more bytes at the returned place, or NULL if that passes the ceiling;
 * buf_grew() says how many of them were used. */
char *buf_room(Buf *b, size_t n);
void buf_grew(Buf *b, size_t n);

/* False if anything was left out. */
MUST_USE bool buf_ok(const Buf *b);
Str buf_str(const Buf *b); /* borrowed: the next append may move it */
void buf_clear(Buf *b);    /* empty, memory kept */
void buf_free(Buf *b);

DEFINE_AUTO(Buf, buf_free)

#endif
