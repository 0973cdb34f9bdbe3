/* json.h - JSON: read strictly, write plainly.
 *
 * Reading is jansson's, with what it leaves open closed: at most JSON_DEPTH_MAX
 * levels, no duplicate keys, no lone surrogates, no invalid UTF-8, no integer
 * beyond 64 bits, nothing after the value.  "\u0000" is kept in a string and
 * refused in a key.  Writing is our own: replies
 * and records are built front to back into a Buf. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"

enum { JSON_DEPTH_MAX = 64 };

DEFINE_AUTO_PTR(json_t, json_decref)

/* jansson answers NULL or -1 where memory runs out, as it does for a text that is no UTF-8 or a
 * member that is not there.  Nobody asks which: a tree would lack a member and be stored so.  So
 * what allocates is called through these. */
static inline json_t *json_made(json_t *made)
{
    if (!made && errno == ENOMEM)
        mem_exhausted();
    return made;
}
static inline int json_did(int result)
{
    if (result < 0 && errno == ENOMEM)
        mem_exhausted();
    return result;
}
static inline json_t *must_json_object(void)
{
    errno = 0;
    return json_made(json_object());
}
static inline json_t *must_json_array(void)
{
    errno = 0;
    return json_made(json_array());
}
static inline json_t *must_json_string(const char *text)
{
    errno = 0;
    return json_made(json_string(text));
}
static inline json_t *must_json_stringn(const char *text, size_t n)
{
    errno = 0;
    return json_made(json_stringn(text, n));
}
static inline json_t *must_json_integer(json_int_t value)
{
    errno = 0;
    return json_made(json_integer(value));
}
static inline json_t *must_json_real(double value)
{
    errno = 0;
    return json_made(json_real(value));
}
static inline json_t *must_json_deep_copy(const json_t *value)
{
    errno = 0;
    return json_made(json_deep_copy(value));
}
static inline int must_json_object_set_new(json_t *to, const char *key, json_t *value)
{
    errno = 0;
    return json_did(json_object_set_new(to, key, value));
}
static inline int must_json_object_setn_new(json_t *to, const char *key, size_t n, json_t *value)
{
    errno = 0;
    return json_did(json_object_setn_new(to, key, n, value));
}
static inline int must_json_object_set(json_t *to, const char *key, json_t *value)
{
    errno = 0;
    return json_did(json_object_set(to, key, value));
}
static inline int must_json_object_update(json_t *to, json_t *other)
{
    errno = 0;
    return json_did(json_object_update(to, other));
}
static inline int must_json_array_append_new(json_t *to, json_t *value)
{
    errno = 0;
    return json_did(json_array_append_new(to, value));
}
static inline int must_json_array_append(json_t *to, json_t *value)
{
    errno = 0;
    return json_did(json_array_append(to, value));
}
static inline json_t *must_json_pack(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    errno = 0;
    json_t *made = json_vpack_ex(NULL, 0, fmt, args);
    va_end(args);
    return json_made(made);
}
#define json_object must_json_object
#define json_array must_json_array
#define json_string must_json_string
#define json_stringn must_json_stringn
#define json_integer must_json_integer
#define json_real must_json_real
#define json_deep_copy must_json_deep_copy
#define json_object_set_new must_json_object_set_new
#define json_object_setn_new must_json_object_setn_new
#define json_object_set must_json_object_set
#define json_object_update must_json_object_update
#define json_array_append_new must_json_array_append_new
#define json_array_append must_json_array_append
#define json_pack must_json_pack

/* The one value in `text`; the caller owns *out (json_decref, or AUTO_PTR(json_t)).
 * JOT_INVALID names what is wrong and at which byte. */
MUST_USE jot_status json_read(Str text, json_t **out, Err *e);

/* Why a text is refused. */
typedef enum JsonFlaw {
    JSON_BROKEN = 1, /* it is no JSON */
    JSON_BEYOND,     /* it is JSON, but with a number, a depth or a name that is not taken here */
} JsonFlaw;

/* json_read that also says which of the two it was; *flaw is only set on failure. */
MUST_USE jot_status json_read_flaw(Str text, json_t **out, JsonFlaw *flaw, Err *e);

/* Turn every escape that is half a surrogate pair into \\uFFFD, in place: what a program sends that
 * cut a string in the middle of a character.  Nothing else moves or changes.  Returns how many. */
size_t json_mend_surrogates(char *text, size_t n);

/* A member that was given: NULL if there is none, and if it is null, which is how serializers write
 * what they have no value for.  Borrowed. */
json_t *json_given(const json_t *object, const char *name);

/* The text of a JSON string; the empty Str for NULL or anything else. Borrowed from `value`. */
Str json_str(const json_t *value);
/* The same of a member of an object. */
static inline Str json_member(const json_t *object, const char *key)
{
    return json_str(json_object_get(object, key));
}

/* A JSON string of any bytes; what is not UTF-8 becomes {"base64": ...}.  The caller owns it. */
json_t *json_text(Str text);
/* The same, and null for the empty text. */
json_t *json_text_or_null(Str text);

/* A value as json_write writes it.  Lives in `into`. */
Str json_to_str(Arena *into, const json_t *value);

/* The end of the one well-formed value that begins at `at` (spaces in front of it included), or
 * 0 if there is none.  Checks all that json_read does, except for duplicate keys, NUL in keys and
 * numbers that are out of range. */
size_t json_skip(Str text, size_t at);
/* The same of a value that stands `depth` levels down in another. */
size_t json_skip_at(Str text, size_t at, int depth);

/* The string that begins at the quote at `at`: its end (after the closing quote) or 0.
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
