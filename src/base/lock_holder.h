/* lock_holder.h - Holder, the process that keeps us waiting for a lock.
 *
 * The kernel does not say who holds an OFD lock: /proc/locks shows pid -1.  But
 * /proc/PID/fdinfo/FD shows the locks taken through that descriptor, so the
 * holder is found by looking at every process we may look at.  That takes
 * milliseconds and is meant for the sentence after a wait that failed. */
#ifndef BASE_LOCK_HOLDER_H
#define BASE_LOCK_HOLDER_H

#include <sys/types.h>

#include "base/str.h"

typedef struct LockHolder {
    pid_t pid;
    char name[32]; /* the process' name, kept printable */
} LockHolder;

/* A process that holds an OFD lock on this byte of the file of `fd`; one that locks
 * exclusively is preferred.  The descriptor `fd` itself does not count.  False, and *out is
 * empty, if nobody can be seen: other users' processes cannot. */
MUST_USE bool lock_holder_find(int fd, off_t byte, LockHolder *out);

/* "pid 123 (name)", or "somebody" for an empty one.  The text lives in `shown`. */
typedef struct LockHolderShown {
    char text[72];
} LockHolderShown;
const char *lock_holder_show(LockHolderShown *shown, const LockHolder *h);

#endif
