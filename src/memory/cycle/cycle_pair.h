/* cycle_pair.h - what a cycle of another program came to, by the two states it left. */
#ifndef MEMORY_CYCLE_CYCLE_PAIR_H
#define MEMORY_CYCLE_CYCLE_PAIR_H

#include "memory/cycle/cycle.h"

/* Fill in how it ended and why, which tools it called, and how many replies could not be read,
 * from out->before and out->after. */
void cycle_pair_judge(Cycle *out, Arena *into);

#endif
