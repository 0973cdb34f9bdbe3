/* when.h - moments, as people type them. */
#ifndef CLI_WHEN_H
#define CLI_WHEN_H

#include "cli/cmd.h"

/* The value of an option: 2026-01-31 (its first moment, or with `end_of_day` its last),
 * 2026-01-31T18:45:00Z, or how long ago: 30m, 12h, 7d, 2w.  0 if it was not given. */
MUST_USE jot_status opt_time(Session *s, const char *name, bool end_of_day, int64_t *out);

#endif
