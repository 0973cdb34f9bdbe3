/* child.h - work that may fail, crash, hang or leak, done in a process of its own. */
#ifndef CONTRACT_CHILD_H
#define CONTRACT_CHILD_H

#include <stdbool.h>

enum { CHILD_WHY_MAX = 16 * 1024, CHILD_SECONDS = 600 };

/* Run `work` in a child, with a fresh directory that is removed afterwards whatever happens.
 * False if it failed, died or took longer than CHILD_SECONDS; `why` (CHILD_WHY_MAX bytes) then
 * says how.  With `stay` it runs in this process, for a debugger: a failure ends it. */
bool child_run(void (*work)(void *ctx, const char *dir), void *ctx, bool stay, char *why);

/* How many files this process has open. */
int open_files(void);

#endif
