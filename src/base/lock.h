/* lock.h - waiting, but never for ever: for a lock, or for anything that must be looked at again.
 *
 * Locks are OFD locks on single bytes (io_lock).  Waiting is polling: a blocking
 * lock call has no deadline, and a signal to end it would belong to the program
 * around the library.  Pauses grow and carry jitter, so that waiters do
 * not march in step. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/fd.h"
#include "base/io.h"

/* How long somebody keeps looking. */
typedef struct Patience {
    const Io *io;
    int64_t started_ms, wait_ms;
    int64_t slept_us; /* so that a clock that stands still does not make a wait endless */
    int64_t pause_us, pause_us_max;
} Patience;

/* `wait_ms` of 0 or less: look once. */
Patience patience_new(const Io *io, int64_t wait_ms, int64_t pause_us, int64_t pause_us_max);
/* Sleep a little; false, at once, if the time is up. */
MUST_USE bool patience_pause(Patience *p);

/* Take a lock (F_RDLCK or F_WRLCK) on one byte: 0, -EAGAIN if it was not to be had in
 * `wait_ms`, or another -errno. */
MUST_USE int lock_wait(const Io *io, int fd, short kind, off_t byte, int64_t wait_ms);

/* The same for F_WRLCK where many writers meet: they queue at the byte `turn`, so that one who
 * lets go and comes again at once cannot starve the others.  A turn is politeness, not a lock:
 * one that has waited a while for it proceeds without, so a stopped waiter delays and never
 * blocks.
 */
MUST_USE int lock_wait_turn(const Io *io, int fd, off_t byte, off_t turn, int64_t wait_ms);

void lock_release(const Io *io, int fd, off_t byte);

/* Unlock all of it, then close.  A lock belongs to the open file, so a child that was forked
 * meanwhile would hold on to it with its copy of the descriptor if it were only closed. */
void lock_close(const Io *io, Fd *fd);

/* io_open for a file that will be locked: a child that this process forks closes its copy of the
 * descriptor before it does anything else, or the lock would live on in there when this process
 * dies.  It is closed by lock_close, and by nobody but the process that opened it. */
MUST_USE int lock_open(const Io *io, int dir, const char *name, int flags, mode_t mode);

#endif
