/* ramlock.h - RamLocks, the locks on ranges of bytes of one file of the ramdisk.
 *
 * Whoever owns a lock is known by an address: that of the open file, or
 * RAMLOCK_PROCESS for the locks that a process has however it came by the file.
 * Locks of one owner never meet; a new one takes the place of what it covers. */
#ifndef RIG_RAMLOCK_H
#define RIG_RAMLOCK_H

#include <fcntl.h>

#define RAMLOCK_PROCESS ((const void *)1)

typedef struct RamLocks {
    struct RamLock *first;
} RamLocks;

/* As fcntl's F_SETLK and F_GETLK, with -errno. */
long ramlock_set(RamLocks *l, const void *owner, const struct flock *wanted);
long ramlock_get(const RamLocks *l, const void *owner, struct flock *wanted);
/* The owner lets go of everything. */
void ramlock_drop(RamLocks *l, const void *owner);
void ramlock_free(RamLocks *l);

#endif
