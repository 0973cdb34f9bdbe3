/* interrupt.h - Ctrl-C during long work.
 *
 * A command that catches it asks between two steps, ends with one sentence and leaves nothing half
 * done.  The second Ctrl-C ends the process at once, as ever. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on the first SIGINT or SIGTERM is only noted. */
void interrupt_catch(void);
/* Was there one? */
bool interrupted(void);

#endif
