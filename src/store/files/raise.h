/* raise.h - a pad of an older format. */
#ifndef STORE_FILES_RAISE_H
#define STORE_FILES_RAISE_H

#include "store/files/files.h"

/* Bring the pad to this version's format, if nobody else has it open.  Otherwise it stays as it is:
 * this version writes to it as the older one would. */
void pad_raise(Files *f);

/* Remove the views that a pad of format 1 had and this one has not, if the process that raised it
 * was interrupted: what the stream does not know goes to quarantine/. */
MUST_USE jot_status raise_drop_views(Files *f, Err *e);

#endif
