/* known.h - Known, the heads that a handle on a server saw last. */
#ifndef STORE_KNOWN_H
#define STORE_KNOWN_H

#include "store/store.h"

enum { KNOWN_MAX = 256 }; /* heads that are remembered */

typedef struct KnownHead {
    char *name; /* owned; NULL: the place is free */
    size_t name_n;
    Mark mark;
    bool steady; /* it was the same when it was seen before */
} KnownHead;

typedef struct Known {
    KnownHead heads[KNOWN_MAX];
} Known;

/* The mark, or NULL. */
const Mark *known_find(const Known *k, Str stream);
/* The same, if it stood there twice: so it may stand there still. */
const Mark *known_steady(const Known *k, Str stream);
/* Remember it; seq 0: there is no such stream.  JOT_CORRUPT: the server went back. */
MUST_USE jot_status known_keep(Known *k, Str stream, const Mark *mark, Err *e);
void known_free(Known *k);

#endif
