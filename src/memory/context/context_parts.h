/* context_parts.h - ContextPart, the parts a context is made of, as its own lines part them.
 *
 * Only lines that carry the frame's sign count (frame.h), so nothing in a value can pass for a
 * part; the parts together are the whole text. */
#ifndef MEMORY_CONTEXT_CONTEXT_PARTS_H
#define MEMORY_CONTEXT_CONTEXT_PARTS_H

#include "memory/context/context.h"

typedef struct ContextPart {
    Str what;         /* the word of its line, "note" in <jotter-note ...> */
    Str name;         /* the value of the line's first attribute; may be empty */
    size_t at, bytes; /* where it stands in the text, its line included */
    uint64_t tokens;  /* estimated, by itself: the sum is about the text's */
} ContextPart;

/* Live in `into`, and borrow from the text. */
ContextPart *context_parts(Str text, Arena *into, size_t *n);

/* [{"what", "name", "at", "bytes", "tokens"} ...]; the caller owns it. */
json_t *context_parts_json(Str text);

#endif
