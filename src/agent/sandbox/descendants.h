/* descendants.h - the processes below this one, wherever they have moved: how many, how much, and
 * their end.
 *
 * For the supervisor, which is the reaper of all its descendants.  There is one in a
 * process, it was forked from one that may have threads, and nothing is allocated.
 * /proc is opened once, at the beginning, while nobody can be in the way yet. */
#ifndef AGENT_SANDBOX_DESCENDANTS_H
#define AGENT_SANDBOX_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* Open /proc; false with errno. */
MUST_USE bool descendants_begin(void);

size_t descendants_count(void);
void descendants_kill(void);
/* Whether they hold more memory than that together; what several share counts once. */
bool descendants_memory_exceeds(uint64_t bytes);
/* Bytes they have written to disks, with those that have ended and this process itself. */
uint64_t descendants_written(void);

#endif
