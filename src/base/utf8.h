/* utf8.h - is it text?  Checked once at the doors and never again. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* True for well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
MUST_USE bool utf8_valid(Str s);

/* The offset of the first byte that is not part of well-formed UTF-8; s.n if all is well. */
size_t utf8_bad_at(Str s);

/* JOT_INVALID unless it is UTF-8; the sentence begins with `what`. */
MUST_USE jot_status utf8_check(const char *what, Str text, Err *e);

/* The code point at `*at` of valid text; *at moves past it. */
uint32_t utf8_next(Str s, size_t *at);

/* The code point at `at` of any bytes, and how many bytes it has; 0: none begins there. */
size_t utf8_char(Str s, size_t at, uint32_t *c);

/* Add a code point, which is no surrogate. */
void utf8_add(Buf *to, uint32_t c);

/* The number of code points in valid text. */
size_t utf8_count(Str s);

/* The largest cut at or before `n` that does not split a character of valid text. */
size_t utf8_floor(Str s, size_t n);

/* The first control character (C0, DEL or C1) of valid text; s.n if there is none. */
size_t utf8_control_at(Str s);

/* Any bytes as text: each that is not part of well-formed UTF-8 becomes U+FFFD.  How many did. */
size_t utf8_mend(Buf *to, Str bytes);
/* The same, without a ceiling; `bytes` itself if it is well-formed.  Lives in `into`. */
Str utf8_mended(Str bytes, Arena *into);

#endif
