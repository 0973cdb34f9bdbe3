/* screen.h - the person's screen: how large it is, and a pager for what is longer.
 *
 * A pager is started only where a person reads: standard input and output are terminals, the
 * command only shows something, nothing asks for JSON, and neither CI nor an agent's program is
 * around.  What is printed is held back until all of it is there; what fits on the screen is
 * printed as it is. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "cli/cmd.h"

/* Columns of the terminal; 80 if nobody knows. */
size_t screen_columns(void);

/* Hold back what is printed from here on, if a pager may be wanted for it. */
void screen_begin(const Session *s);
/* Print what was held back, by $JOTTER_PAGER, $PAGER or less if it is longer than the screen. */
void screen_end(void);

#endif
