/* base64.h - bytes as text (RFC 4648, with padding, no line breaks). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

/* The length of the text for `n` bytes. */
size_t base64_size(size_t n);
void base64_write(Buf *to, Str bytes);
/* False if `text` is not exactly what base64_write makes.  The bytes live in `into`. */
MUST_USE bool base64_read(Str text, Arena *into, Str *out);

#endif
