/* killer.h - a process of the test's own that dies, by a real SIGKILL, in front of its n-th step
 * towards the disk.
 *
 * On files: every step of its Io counts that leaves something on the disk.
 * SQLite has its own way there; but every record's time comes from the clock, so
 * one that kills when it is asked for the n-th time kills in front of an append. */
#ifndef TESTS_AGENT_KILLER_H
#define TESTS_AGENT_KILLER_H

#include "memory/desk.h"

enum { KILLER_STEPS_MAX = 20000 };

/* What the process does with the pad; 0: all went well. */
typedef int (*KillerWork)(Desk *d, Memory *m, const void *ctx);

/* Let a process work, with a handle of its own on the desk's pad, and die in front of step `at`; 0:
 * it does not die.  True if it came to its end, and then all went well.  The desk's own handle
 * must be closed. */
bool killer_run(Desk *d, size_t at, KillerWork work, const void *ctx);

/* How many steps lie between two that are tried: 1, or more if JOT_TEST_VOLUME is small. */
size_t killer_stride(void);

/* Remove the pad, and what the scene left beside it, but for the script. */
void killer_forget(Desk *d);

#endif
