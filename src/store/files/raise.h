/* raise.h - a pad of an older format. */
#ifndef STORE_FILES_RAISE_H
#define STORE_FILES_RAISE_H

#include "store/files/files.h"

/* Bring the pad to this version's format, if nobody else has it open.  Otherwise it stays as it is:
 * this version writes to it as the older one would. */
void pad_raise(Files *f);

#endif
