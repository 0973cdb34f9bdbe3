/* context_parts.h - the parts a context is made of, as its own lines part them.
 *
 * Only lines that carry the frame's sign count (frame.h), so nothing in a value can pass for a
 * part; the parts together are the whole text. */
#ifndef MEMORY_CONTEXT_CONTEXT_PARTS_H
#define MEMORY_CONTEXT_CONTEXT_PARTS_H

#include "memory/context/context.h"

/* [{"what", "name", "at", "bytes", "tokens"} ...], each with where it stands, its line included;
 * the caller owns it. */
json_t *context_parts_json(Str text);

#endif
