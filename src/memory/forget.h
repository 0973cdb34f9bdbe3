/* forget.h - taking text out of a pad for good: a document, a version, or a phrase wherever it is.
 *
 * All of it is final.  The numbers, times and hashes of what is forgotten stay
 * (but for a purge, which leaves one tombstone), so that the chain verifies. */
#ifndef MEMORY_FORGET_H
#define MEMORY_FORGET_H

#include "memory/history.h"

/* What stands for a phrase that was taken out of the present text. */
#define FORGET_MARK "[redacted]"

/* Remove the document and all its versions.  JOT_NOT_FOUND: there never was one. */
MUST_USE jot_status forget_document(Memory *m, Str stream, Mark *out, Err *e);

/* Remove the text of one version, in every record that has it; *n counts them.  JOT_INVALID: it is
 * the present text. */
MUST_USE jot_status forget_version(Memory *m, Str stream, const When *which, uint64_t *n, Err *e);

typedef struct Forgotten {
    bool rewritten; /* the present text held it: it has FORGET_MARK there now */
    uint64_t n;     /* older records whose text was removed because they held it */
    Mark mark;      /* the head now */
} Forgotten;

/* Take a phrase out: it is replaced in the present text, and every older version that holds it
 * loses its text.  Killed half-way some are done; the same call does the rest.  JOT_NOT_FOUND: no
 * version that is kept holds it. */
MUST_USE jot_status forget_phrase(Memory *m, Str stream, Str phrase, Arena *into, Forgotten *out,
                                  Err *e);

#endif
