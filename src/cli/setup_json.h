/* setup_json.h - places in a JSON text, and changing one of them and no other byte.
 *
 * The text has passed json_read and ends in a NUL. */
#ifndef CLI_SETUP_JSON_H
#define CLI_SETUP_JSON_H

#include "base/buf.h"
#include "base/json.h"

/* A member of an object, or the place for one. */
typedef struct JsonMember {
    size_t object; /* where it was looked for */
    bool found;
    size_t key, value, end; /* of the member, if it was found */
    size_t last;            /* the end of the last member; 0: there is none */
    size_t n;               /* members there are */
} JsonMember;

JsonMember json_find_member(Str s, size_t object, Str key);
/* The text with one more member after the last one of an object; `depth` levels deep. */
void json_add_member(Str s, const JsonMember *p, size_t depth, const char *key, const json_t *value,
                     Buf *out);

/* A walk over an array: the item at [at, last) is the n-th. */
typedef struct JsonItems {
    size_t array;
    size_t at, last, n;
} JsonItems;

/* False after the last one. */
bool json_next_item(Str s, JsonItems *a);
/* The text with one more item after the last one, to which the walk has come. */
void json_add_item(Str s, const JsonItems *a, size_t depth, const json_t *value, Buf *out);

/* The text with other bytes, or another value, in the place of some. */
void json_replace(Str s, size_t from, size_t to, Str with, Buf *out);
void json_put_value(Str s, size_t from, size_t to, size_t depth, const json_t *value, Buf *out);
/* The text without an item or a member, and without the comma that it needed. */
void json_cut(Str s, size_t from, size_t to, Buf *out);

#endif
