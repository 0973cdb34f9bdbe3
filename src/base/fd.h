/* fd.h - Fd, a file descriptor that a scope can own.
 *
 *     AUTO(Fd) fd = FD_NONE;
 */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <dirent.h>
#include <unistd.h>

#include "base/attr.h"

typedef int Fd;
#define FD_NONE (-1)

static inline void fd_close(Fd *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = FD_NONE;
}

/* The descriptor, which is the caller's now. */
static inline Fd fd_take(Fd *fd)
{
    Fd taken = *fd;
    *fd = FD_NONE;
    return taken;
}

DEFINE_AUTO(Fd, fd_close)

/* The entries of an open directory: AUTO_PTR(DIR) owns the descriptor from then on.  NULL, with
 * errno set, leaves it where it was. */
static inline DIR *fd_entries(Fd *fd)
{
    DIR *dir = fdopendir(*fd);
    if (dir)
        *fd = FD_NONE;
    return dir;
}

static inline void fd_entries_close(DIR *dir)
{
    if (dir)
        closedir(dir);
}

DEFINE_AUTO_PTR(DIR, fd_entries_close)

#endif
