/* run_newest.h - which run was written to last, and the ones before it.
 *
 * "Last" is by the newest record; of several in one millisecond, by name.  A run that a wrong clock
 * has put into the future would be the last one for ever: it comes after all others. */
#ifndef MEMORY_RUN_RUN_NEWEST_H
#define MEMORY_RUN_RUN_NEWEST_H

#include "memory/run/run.h"

typedef struct RunNewest {
    RunLine *items; /* the newest first; live in the arena */
    size_t n;
    uint64_t total; /* runs there are */
} RunNewest;

/* The newest `max` runs. */
MUST_USE jot_status run_newest(Memory *m, size_t max, Arena *into, RunNewest *out, Err *e);

/* Its newest record, whose kind says whether it has ended; RUN_ANSWER if it cannot be read.  Lives
 * in `into`. */
RunStep run_last_step(Memory *m, Str id, Arena *into);

/* The handle of a run, as run_at(); "last" is the one that was written to last. */
MUST_USE jot_status run_named(Memory *m, Str id, Run *out, Err *e);
/* The same, opened. */
MUST_USE jot_status run_open_named(Memory *m, Str id, Run *out, Err *e);

/* How many turns of an agent a run has before a record: replies of its model. */
MUST_USE jot_status run_turns_before(Run *r, uint64_t seq, uint64_t *out, Err *e);

#endif
