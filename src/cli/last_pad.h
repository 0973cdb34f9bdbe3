/* last_pad.h - Seen, which pad a directory had.
 *
 * A pad that nobody names is the nearest one from the working directory upward, so
 * whoever makes a .jotter/ nearer than the one in use, an agent's command for instance,
 * changes which pad is written.  That is told, once: the state directory (home.h)
 * remembers the pad of the newest LAST_PADS_MAX working directories, in the file `seen`.
 *
 * It is a help for the person and no guard: where it cannot be remembered, nothing is
 * told.  Whose pad is used is decided by safe.h. */
#ifndef CLI_LAST_PAD_H
#define CLI_LAST_PAD_H

#include "cli/cmd.h"

enum { LAST_PADS_MAX = 500 };

/* The session's pad was opened: say so on standard error if this directory had another one before
 * and nobody named this, and remember it. */
void last_pad_check(Session *s);
/* Remember it only: somebody has just made it here. */
void last_pad_keep(Session *s);

#endif
