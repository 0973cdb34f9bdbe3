/* tty.h - Tty, asking the person at the terminal, and nobody else.
 *
 * What is asked here is never read from standard input, which a program may have
 * filled: it is asked on the controlling terminal.  What was typed before the question
 * was shown is no answer to it. */
#ifndef CLI_TTY_H
#define CLI_TTY_H

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

/* JOT_DENIED: this process has no terminal, or is in the background of one. */
MUST_USE jot_status tty_open(Fd *out, Err *e);

/* Show text; any bytes. */
void tty_show(int tty, Str text);

/* Ask; true only for the whole word "yes". */
bool tty_asks_yes(int tty, const char *question);

#endif
