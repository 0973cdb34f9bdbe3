/* trial.h - a directory of one's own, and children that end. */
#ifndef CONCURRENCY_TRIAL_H
#define CONCURRENCY_TRIAL_H

#include <sys/types.h>

#include "base/arena.h"

/* Where fresh pads go unless told otherwise: memory, if there is a file system of it. */
const char *trial_where(void);

/* A fresh directory in `where`, or NULL; the name lives in `into`. */
char *trial_make(const char *where, Arena *into);
void trial_remove(const char *dir); /* and everything in it */

/* The URL of a pad in that directory: "toy:?bug=x" becomes "toy:DIR/pad?bug=x". */
Str trial_url(Arena *into, const char *engine, const char *dir);

/* The number in $JOT_TEST_SEED, or `otherwise`. */
uint64_t trial_seed(uint64_t otherwise);

/* A child that lives life(ctx), dies with its parent, and is ended by the kernel after
 * `seconds` (0: never): that only keeps a mistake from hanging, it measures nothing.  -1 if
 * there is no child. */
pid_t child_start(int (*life)(void *ctx), void *ctx, unsigned seconds);
/* What the child returned; 128 + its signal if it did not come to that. */
int child_end(pid_t pid);
/* Wait until the child stops itself; false if it ended instead, which *code tells. */
bool child_stopped(pid_t pid, int *code);

#endif
