/* recap.h - the notes of a pad, for an agent that continues earlier work: which there are, and what
 * the newest of them say.
 *
 * Pinned notes and runs are shown by context.h; these are the others, which most pads
 * consist of. */
#ifndef MCP_SERVER_RECAP_H
#define MCP_SERVER_RECAP_H

#include "base/buf.h"
#include "memory/memory.h"

enum {
    RECAP_LISTED = 30,   /* notes that are named, the newest first */
    RECAP_TOKENS = 4000, /* of the texts together */
};

/* Add parts of the pad's frame: a list, then texts, `plan` first; nothing if there are no notes.
 * What is not shown in full is named, with the call that reads it. */
MUST_USE jot_status recap_add(Memory *m, Arena *into, Buf *to, Err *e);

#endif
