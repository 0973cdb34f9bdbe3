/* str.h - Str, a borrowed run of bytes.
 *
 * A Str never owns: it points into an Arena, a Buf, a literal or a caller's
 * memory.  It need not end in NUL and may contain NULs.  Pass it by value.
 * {0} is the empty Str. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

typedef struct Str {
    const char *p;
    size_t n;
} Str;

#define S(literal) ((Str){ "" literal, sizeof(literal) - 1 })
/* The same in a static table, where a compound literal cannot stand. */
#define S_INIT(literal)                 \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p

/* The bytes of a NUL-terminated string; NULL gives the empty Str. */
Str str(const char *text);

static inline bool str_eq(Str a, Str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
/* Byte order, as memcmp: <0, 0, >0. */
int str_cmp(Str a, Str b);
bool str_starts(Str s, Str prefix);
bool str_ends(Str s, Str suffix);

/* Where `c` stands first (or last) in `s`; s.n if it does not. */
size_t str_find(Str s, char c);
size_t str_find_last(Str s, char c);

/* Of a path: its last segment, all of it if it has no slash; and the directory that segment is in,
 * "." if it has no slash, "/" if its only one comes first. */
Str str_base_name(Str path);
Str str_dir_name(Str path);

/* The part from `from` on, or between two offsets; offsets past the end are the end. */
Str str_from(Str s, size_t from);
Str str_slice(Str s, size_t from, size_t to);

/* What a hex digit stands for; -1 if it is none. */
int hex_digit(char c);

/* A space, a tab or a line break: what JSON takes for space. */
static inline bool str_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
/* Where the first byte that is no space stands, from `at` on; s.n if there is none. */
size_t str_skip_space(Str s, size_t at);
/* Without the space around it. */
Str str_trim(Str s);

/* How many lines; the last may lack its line break. */
size_t str_count_lines(Str s);

/* Cut `rest` at the first `sep`; false, and nothing changes, if there is none. */
bool str_cut(Str *rest, char sep, Str *head);

/* A whole decimal number within [min, max] and nothing else; false leaves *out alone.
 * No sign but '-', no leading zeros, no spaces. */
MUST_USE bool str_to_i64(Str s, int64_t min, int64_t max, int64_t *out);
MUST_USE bool str_to_u64(Str s, uint64_t max, uint64_t *out);

/* True if lines begin with the marks that git puts around both sides of a conflict. */
bool str_has_marks(Str text);

#endif
