/* toy.h - a store of two pages that is right, and a dozen ways to make it wrong.
 *
 * The rig must find each of them; a rig that has never failed proves nothing. */
#ifndef CRASH_TOY_H
#define CRASH_TOY_H

#include "target.h"

typedef enum ToyBug {
    TOY_RIGHT = 0,
    TOY_NO_SYNC,         /* a record is not synced */
    TOY_NO_DIR_SYNC,     /* the name of a new stream is not synced */
    TOY_IN_PLACE,        /* the file is written anew for every record */
    TOY_EARLY_ACK,       /* a record is written after its append has returned */
    TOY_TAIL_KEPT,       /* an unfinished record stays in front of the next one */
    TOY_CUT_LAST,        /* recovery cuts the last record though it is whole */
    TOY_RENAME_UNSYNCED, /* a rewritten stream takes its place before it is synced */
    TOY_RENAME_LOST,     /* ... or its new name is not synced */
    TOY_DRAFT_LEFT,      /* a dead writer's draft stays */
    TOY_LEAK,            /* an open loses a descriptor */
    TOY_IGNORED_ERROR,   /* a failed write is taken for a good one */
    TOY_RETRIED_SYNC,    /* a failed sync is tried again and then believed */
    TOY_SHORT_WRITE,     /* a short write is taken for a whole one */
    TOY_LIES,            /* a read error is taken for an empty stream */
    TOY_BUGS
} ToyBug;

extern const char *const toy_bugs[TOY_BUGS];
Target toy_target(ToyBug bug);

#endif
