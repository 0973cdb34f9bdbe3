/* interrupt.h - Ctrl-C during long work.
 *
 * A command that catches it asks between two steps, ends with one sentence and leaves nothing half
 * done.  The second Ctrl-C ends the process at once, as ever. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#include "memory/memory.h"

/* From here on the first SIGINT or SIGTERM is only noted. */
void interrupt_catch(void);
/* Was there one? */
bool interrupted(void);
/* For hooks that are asked whether to continue. */
bool not_interrupted(void *ctx);

/* A scan of the pad that ends with JOT_CANCELLED once there was one: for Memory.progress.  Work
 * that changes nothing, or that the same command takes up again. */
extern MemoryProgress interrupt_scan;

#endif
