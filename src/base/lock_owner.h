/* lock_owner.h - Holder, the process that keeps us waiting for a lock.
 *
 * The kernel does not say who holds an OFD lock: /proc/locks shows pid -1.  But
 * /proc/PID/fdinfo/FD shows the locks taken through that descriptor, so the
 * holder is found by looking at every process we may look at.  That takes
 * milliseconds and is meant for the sentence after a wait that failed. */
#ifndef BASE_LOCK_OWNER_H
#define BASE_LOCK_OWNER_H

#include <sys/types.h>

#include "base/str.h"

typedef struct LockOwner {
    pid_t pid;
    char name[32]; /* the process' name, kept printable */
} LockOwner;

/* A process that holds an OFD lock on this byte of the file of `fd`; one that locks
 * exclusively is preferred.  The descriptor `fd` itself does not count.  False, and *out is
 * empty, if nobody can be seen: other users' processes cannot. */
MUST_USE bool lock_owner_find(int fd, off_t byte, LockOwner *out);

/* "pid 123 (name)", or "somebody" for an empty one.  The text lives in `shown`. */
typedef struct LockOwnerShown {
    char text[72];
} LockOwnerShown;
const char *lock_owner_show(LockOwnerShown *shown, const LockOwner *h);

#endif
