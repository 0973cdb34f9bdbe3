/* json.h - JSON: read strictly, write plainly.
 *
 * Reading is jansson's, with what it leaves open closed: at most JSON_DEPTH_MAX
 * levels, no duplicate keys, no lone surrogates, no invalid UTF-8, no integer
 * beyond 64 bits, nothing behind the value.  "\u0000" is kept in a string and
 * refused in a key.  Writing is our own: replies
 * and records are built front to back into a Buf. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

enum { JSON_DEPTH_MAX = 64 };

DEFINE_AUTO_PTR(json_t, json_decref)

/* The one value in `text`; the caller owns *out (json_decref, or AUTO_PTR(json_t)).
 * JOT_INVALID names what is wrong and at which byte. */
MUST_USE jot_status json_read(Str text, json_t **out, Err *e);

/* The text of a JSON string; the empty Str for NULL or anything else. Borrowed from `value`. */
Str json_str(const json_t *value);

/* A JSON string of any bytes; what is not UTF-8 becomes {"base64": ...}.  The caller owns it. */
json_t *json_text(Str text);
/* The same, and null for the empty text. */
json_t *json_text_or_null(Str text);

/* The end of the one well-formed value that begins at `at` (spaces in front of it included), or
 * 0 if there is none.  Checks all that json_read does, except for duplicate keys, NUL in keys and
 * numbers that are out of range. */
size_t json_skip(Str text, size_t at);

/* The four hex digits at `at` as a number, or -1: what stands behind a \\u. */
int json_hex4(Str s, size_t at);

/* The string that begins at the quote at `at`: its end (behind the closing quote) or 0.
 * The text goes to `to`, unescaped; `to` may be NULL. */
size_t json_unquote(Str s, size_t at, Buf *to);

/* "text", with everything escaped that must be; `text` is valid UTF-8. */
void json_quote(Buf *to, Str text);

/* How many bytes json_quote would add. */
size_t json_quoted_size(Str text);

/* The same value with two spaces a level, as people and Python's json.dumps(indent=2) write it.
 * `text` has passed json_read.  Only the space between tokens changes: strings and numbers keep the
 * bytes they have, so nothing is rounded, escaped or unescaped. */
void json_indent(Buf *to, Str text);

/* Any jansson value, compact, keys in the order they were set; the same in every locale. */
void json_write(Buf *to, const json_t *value);

#endif
