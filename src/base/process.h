/* process.h - which process this is, without asking the kernel each time.
 *
 * A handle must not be used by a child that was forked since it was opened, so every operation of a
 * store asks; and getpid() is a system call.  Here the answer stands in a page that the kernel
 * empties in every child (MADV_WIPEONFORK): a child finds no answer there and asks once.  Unlike a
 * handler of pthread_atfork this also sees children made by clone() or _Fork(). */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <sys/types.h>

pid_t process_id(void);

#endif
