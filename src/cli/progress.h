/* progress.h - Progress, one line of standard error that shows how far long work has come.
 *
 *     [=========                ] 412 of 1,120 streams, 8,120 records; 206 a second, 4 s left
 *
 * Only on a terminal: in a pipe there is nothing at all.  The line is written over at most ten
 * times a second, and is gone when the work is done or something else is to be said.  One that
 * counts without knowing how much there is shows no bar and no end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/str.h"

typedef struct Progress {
    const char *of;    /* what is counted: "stream" */
    bool terminal;     /* there is somebody to show it to */
    bool drawn;        /* the line stands there */
    int64_t began_ms;  /* by CLOCK_BOOTTIME; 0: not yet */
    int64_t shown_ms;  /* the last time */
    uint64_t began_at; /* how much was done then */
} Progress;

/* `of` is one word for one thing, and is borrowed. */
Progress progress_new(const char *of);

/* So many are done, of `total` (0: nobody knows); `more` follows that, or is "". */
void progress_show(Progress *p, uint64_t done, uint64_t total, const char *more);

/* Take the line away, before something else is said, and at the end. */
void progress_clear(Progress *p);

#endif
