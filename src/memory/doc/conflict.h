/* conflict.h - Conflict, what to do when somebody wrote in between: both texts, and one of both.
 *
 * Whoever wrote on condition of a version had read that version; it is in the
 * history.  From it, his text and the present one a merge can be made, and where
 * the two changes do not touch each other it is clean. */
#ifndef MEMORY_DOC_CONFLICT_H
#define MEMORY_DOC_CONFLICT_H

#include "memory/doc/doc.h"

typedef struct Conflict {
    Str stream;
    Str mine;   /* the text that was refused; p is NULL if there was none, as for an undo */
    Doc now;    /* what stands there; mark_live() is false if nothing does */
    bool based; /* the version that was read is still in the history */
    bool clean; /* both changes can be made: `merged` has them */
    Str merged; /* if based: the merge, with conflict marks where it is not clean */
} Conflict;

/* Say more about a JOT_CONFLICT: `base` is the version the writer named (empty: he demanded that
 * there be none), `now` what the refused call returned.  JOT_OK also if there is no base. */
MUST_USE jot_status conflict_look(Memory *m, Str stream, Str base, Str mine, const Doc *now,
                                  Arena *into, Conflict *out, Err *e);

/* Write `mine` on condition of `base`; on conflict write the clean merge on condition of what is
 * there, and so on while it is clean and somebody is faster.  *merged says whether it came to that.
 * JOT_CONFLICT: there is no clean merge, *c says what there is. */
MUST_USE jot_status conflict_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out,
                                   bool *merged, Conflict *c, Err *e);

/* {"status": "conflict", "error", "retry": true, "present": doc_json or null, "mine": text or
 * null, "merge": text or null}; the caller owns it. */
json_t *conflict_json(const Conflict *c, const Err *e);

#endif
