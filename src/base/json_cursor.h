/* json_cursor.h - JsonCursor, JSON read front to back without building a tree.
 *
 * For documents that are read far more often than they are looked into, as the
 * folds of a run: the reader says what it expects, and what is not there makes
 * the cursor bad.  A bad cursor stays where it is, says "no more" and gives
 * empty values, so one question at the end is enough:
 *
 *     JsonCursor c = { .text = text };
 *     json_cursor_enter(&c, '{');
 *     while (json_cursor_member(&c, &name))
 *         if (str_eq(name, S("n")))
 *             n = json_cursor_number(&c);
 *         else
 *             json_cursor_skip(&c);
 *     return json_cursor_done(&c);
 *
 * Every byte is checked as json_skip does; a name that comes twice is not noticed. */
#ifndef BASE_JSON_CURSOR_H
#define BASE_JSON_CURSOR_H

#include "base/arena.h"

typedef struct JsonCursor {
    Str text;
    size_t at;
    bool begun; /* something stands before, at this level: a comma comes first */
    bool bad;
} JsonCursor;

/* Into the object '{' or the array '[' that is next. */
void json_cursor_enter(JsonCursor *c, char open);
/* The next member: its name, as it is written; its value is to be read then.  False after the
 * last one, and the object is left. */
MUST_USE bool json_cursor_member(JsonCursor *c, Str *name);
/* The same for an array. */
MUST_USE bool json_cursor_element(JsonCursor *c);

/* The value that is next, of the one kind it may be. */
Str json_cursor_text(JsonCursor *c, Arena *into); /* lives in `into` */
uint64_t json_cursor_number(JsonCursor *c);       /* 0 to INT64_MAX */
bool json_cursor_bool(JsonCursor *c);
Str json_cursor_raw(JsonCursor *c); /* any, as it is written; borrowed from the text */
void json_cursor_skip(JsonCursor *c);

/* The value of a member of an object, as it is written; empty if there is none.  Borrowed. */
Str json_cursor_find(Str object, Str name);

/* True if nothing was missing, and nothing is left. */
MUST_USE bool json_cursor_done(JsonCursor *c);

#endif
