/* jail_remove.c - a directory of temporary files goes, with all that a command put into it.
 *
 * The command made everything in there, names, links and modes, and the worst that
 * can be thought of still runs.  So no path is ever followed: each name is one
 * step from a directory that is open, no link is entered, and what is removed is in
 * the directory that was made for the command or was moved away by the command
 * itself.  A tree may be deeper than there are descriptors: what lies too deep is
 * moved up to the top and has its turn later.  Nothing is allocated: the supervisor
 * does this, too. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/sandbox/jail.h"

enum {
    DEPTH_MAX = 16,      /* directories that are open at once */
    ROUNDS_MAX = 100000, /* of moving what is deeper to the top */
    NAMES_BYTES = 4096,
    /* The kernel's layout of a directory's entry: inode, offset, length of this one, type, name. */
    LENGTH_AT = 16,
    NAME_AT = 19,
};

typedef struct Removal {
    int top;
    unsigned moved; /* so many have been moved there */
    bool again;     /* something was moved in this round */
} Removal;

/* A directory whose owner shut it is opened again: by descriptor, so it is no other one. */
static int open_dir(int at, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int fd = openat(at, name, FLAGS);
    if (fd >= 0 || errno != EACCES)
        return fd;
    char self[32];
    struct stat info;
    AUTO(Fd) shut = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (shut < 0 || fstat(shut, &info) != 0 || !S_ISDIR(info.st_mode))
        return -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", shut);
    return chmod(self, 0700) != 0 ? -1 : openat(at, name, FLAGS);
}

static void remove_below(Removal *r, int dir, int depth);

/* True if it has gone from here. */
static bool remove_one(Removal *r, int dir, const char *name, int depth)
{
    char to[32];
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (unlinkat(dir, name, 0) == 0)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
        return true;
    if (depth >= DEPTH_MAX) {
        snprintf(to, sizeof to, "%u.deep", r->moved++);
        if (renameat(dir, name, r->top, to) != 0)
            return false;
        r->again = true;
        return true;
    }
    AUTO(Fd) fd = open_dir(dir, name);
    if (fd < 0)
        return false;
    fchmod(fd, 0700);
    remove_below(r, fd, depth + 1);
    return unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* An entry that is removed may make the kernel pass over another: until a look finds nothing that
 * goes. */
static void remove_below(Removal *r, int dir, int depth)
{
    char names[NAMES_BYTES];
    for (bool gone = true; gone;) {
        long got;
        gone = false;
        lseek(dir, 0, SEEK_SET);
        while ((got = syscall(SYS_getdents64, dir, names, sizeof names)) > 0)
            for (long at = 0; at < got;) {
                unsigned short length;
                memcpy(&length, names + at + LENGTH_AT, sizeof length);
                gone |= remove_one(r, dir, names + at + NAME_AT, depth);
                at += length;
            }
    }
}

void jail_remove(int above, const char *name, int dir)
{
    struct stat held, now;
    Removal r = { .top = dir };
    if (dir < 0)
        return;
    fchmod(dir, 0700);
    for (int i = 0; i < ROUNDS_MAX; i++) {
        r.again = false;
        remove_below(&r, dir, 0);
        if (!r.again)
            break;
    }
    /* Nothing but an empty directory can be removed like this, wherever its name leads now. */
    if (fstat(dir, &held) == 0 && fstatat(above, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
        held.st_ino == now.st_ino && held.st_dev == now.st_dev)
        unlinkat(above, name, AT_REMOVEDIR);
}
