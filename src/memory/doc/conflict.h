/* conflict.h - Conflict, what to do when somebody wrote in between: both texts, and one of both.
 *
 * A writer who names a version has read it; it is in the
 * history.  From it, his text and the present one a merge can be made, and where
 * the two changes do not touch each other it is clean. */
#ifndef MEMORY_DOC_CONFLICT_H
#define MEMORY_DOC_CONFLICT_H

#include "memory/doc/doc.h"

typedef struct Conflict {
    Str stream;
    Str base;    /* the version the writer named; empty: he demanded that there be none */
    Str mine;    /* the text that was refused; p is NULL if there was none, as for an undo */
    Doc now;     /* what stands there; mark_live() is false if nothing does */
    bool based;  /* the version that was read is still in the history */
    bool clean;  /* both changes can be made: `merged` has them */
    Str merged;  /* if based: the merge, with conflict marks where it is not clean */
    bool joined; /* by conflict_write: a merge was written */
} Conflict;

/* Say more about a JOT_CONFLICT.  The caller has set stream, base, mine and now (what the refused
 * call returned); the rest is filled in.  JOT_OK also if there is no base. */
MUST_USE jot_status conflict_look(Memory *m, Conflict *c, Arena *into, Err *e);

/* JOT_INVALID: what is demanded contradicts itself.  For a door that asks before it reads the text;
 * conflict_write() does it too. */
MUST_USE jot_status conflict_check(const DocWrite *w, Err *e);

/* Write `w` on condition of what it demands.  With w->merge, on conflict write the clean merge on
 * condition of what is there, and so on while it is clean and somebody is faster.  c->now is what
 * was written.  JOT_CONFLICT: *c says what stands there, and what a merge would be. */
MUST_USE jot_status conflict_write(Memory *m, Str stream, const DocWrite *w, Arena *into,
                                   Conflict *c, Err *e);

/* {"status": "conflict", "error", "retry": true, "present": doc_json or null, "mine": text or
 * null, "merge": text or null}; the caller owns it. */
json_t *conflict_json(const Conflict *c, const Err *e);

#endif
