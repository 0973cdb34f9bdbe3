/* boot.h - which boot of the machine this is, to judge what was stored before.
 *
 * CLOCK_BOOTTIME starts again with every boot, and bytes that were not synced
 * are gone after one.  So times and views mean something only beside the id of
 * the boot they were made in.  An id that cannot be read is no other boot: to
 * take it for one would end every lease and believe no view. */
#ifndef BASE_BOOT_H
#define BASE_BOOT_H

#include "base/err.h"
#include "base/io.h"

enum { BOOT_TEXT = 33 }; /* 32 hex digits and a NUL */

/* JOT_UNAVAILABLE if the system does not tell; *out is "" then. */
MUST_USE jot_status boot_read(const Io *io, char out[BOOT_TEXT], Err *e);

#endif
