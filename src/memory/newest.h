/* newest.h - Newest, the streams that were written to last.
 *
 * "Last" is by the newest record; of several in one millisecond, by name.  A stream that a wrong
 * clock has put into the future would be the newest for ever: it comes after all others. */
#ifndef MEMORY_NEWEST_H
#define MEMORY_NEWEST_H

#include "memory/memory.h"

typedef struct NewestAsk {
    Str prefix;      /* of the names; empty: all streams */
    ListWhich which; /* with heads */
    size_t max;      /* at least 1 */
    /* False: this one is passed over, and not counted.  May be NULL. */
    bool (*takes)(void *ctx, const Listed *l);
    void *ctx;
    int64_t until_ms; /* of the clock since boot: no more is looked at then; 0: all */
} NewestAsk;

typedef struct Newest {
    Listed *items; /* the newest first, without meta; live in the arena */
    size_t n;
    uint64_t total; /* streams there are, or that were looked at */
    bool late;      /* time was over before all were */
} Newest;

/* All names are looked at, and no more than were asked for are kept. */
MUST_USE jot_status memory_newest(Memory *m, const NewestAsk *ask, Arena *into, Newest *out,
                                  Err *e);

#endif
