/* ramcalls.c - the C library's calls for files, led to the ramdisk where they concern it.
 *
 * The linker turns every call of `close` in the program into one of
 * __wrap_close, and __real_close is the library's own (--wrap).  The names are
 * those of the symbols: open is open64 there.  A call that is missing here
 * meets a descriptor that the system does not know, and fails at once.
 *
 * Every DIR of the program is one of ours, with the library's inside if the
 * directory is a real one. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "rig/ramdisk.h"

/* One call: its own, the library's, and then the body. */
#define WRAP(type, name, args)      \
    extern type __real_##name args; \
    extern type __wrap_##name args; \
    type __wrap_##name args

static long answer(long got)
{
    if (got >= 0)
        return got;
    errno = (int)-got;
    return -1;
}

/* --- Opening and closing --------------------------------------------------------------- */

extern int __real_open64(const char *path, int flags, ...);
extern int __wrap_open64(const char *path, int flags, ...);
extern int __real_openat64(int dir, const char *path, int flags, ...);
extern int __wrap_openat64(int dir, const char *path, int flags, ...);

static int open_one(int dir, const char *path, int flags, mode_t mode)
{
    if (ramdisk_has(dir, path))
        return (int)answer(ramdisk_open(dir, path, flags));
    return __real_openat64(dir, path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_one(AT_FDCWD, path, flags, mode);
}

int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_one(dir, path, flags, mode);
}

extern long __real_syscall(long number, ...);
extern long __wrap_syscall(long number, ...);

/* openat2 has no other name, and is the only one called by its number.  No path leads out of its
 * directory here if it does not say so: there are no symlinks. */
long __wrap_syscall(long number, ...)
{
    assert(number == SYS_openat2);
    va_list args;
    va_start(args, number);
    int dir = va_arg(args, int);
    const char *path = va_arg(args, const char *);
    const struct open_how *how = va_arg(args, const struct open_how *);
    size_t size = va_arg(args, size_t);
    va_end(args);
    if (!ramdisk_has(dir, path))
        return __real_syscall(number, dir, path, how, size);
    assert(path[0] != '/' && !strstr(path, ".."));
    return answer(ramdisk_open(dir, path, (int)how->flags));
}

WRAP(int, close, (int fd))
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_close(fd)) : __real_close(fd);
}

WRAP(int, dup, (int fd))
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_dup(fd)) : __real_dup(fd);
}

extern int __real_fcntl64(int fd, int command, ...);
extern int __wrap_fcntl64(int fd, int command, ...);

int __wrap_fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (ramdisk_has_fd(fd))
        return (int)answer(ramdisk_fcntl(fd, command, arg));
    return __real_fcntl64(fd, command, arg);
}

/* --- Bytes ----------------------------------------------------------------------------- */

WRAP(ssize_t, read, (int fd, void *to, size_t n))
{
    return ramdisk_has_fd(fd) ? answer(ramdisk_read(fd, to, n, -1)) : __real_read(fd, to, n);
}

WRAP(ssize_t, pread64, (int fd, void *to, size_t n, off_t at))
{
    return ramdisk_has_fd(fd) ? answer(ramdisk_read(fd, to, n, at)) : __real_pread64(fd, to, n, at);
}

WRAP(ssize_t, write, (int fd, const void *data, size_t n))
{
    return ramdisk_has_fd(fd) ? answer(ramdisk_write(fd, data, n, -1)) : __real_write(fd, data, n);
}

WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t n, off_t at))
{
    return ramdisk_has_fd(fd) ? answer(ramdisk_write(fd, data, n, at))
                              : __real_pwrite64(fd, data, n, at);
}

WRAP(off_t, lseek64, (int fd, off_t to, int whence))
{
    return ramdisk_has_fd(fd) ? answer(ramdisk_seek(fd, to, whence))
                              : __real_lseek64(fd, to, whence);
}

WRAP(int, ftruncate64, (int fd, off_t size))
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_truncate(fd, size))
                              : __real_ftruncate64(fd, size);
}

WRAP(int, fsync, (int fd))
{
    return ramdisk_has_fd(fd) ? 0 : __real_fsync(fd);
}

WRAP(int, fdatasync, (int fd))
{
    return ramdisk_has_fd(fd) ? 0 : __real_fdatasync(fd);
}

WRAP(int, syncfs, (int fd))
{
    return ramdisk_has_fd(fd) ? 0 : __real_syncfs(fd);
}

/* Only a hint. */
WRAP(int, sync_file_range, (int fd, off_t at, off_t n, unsigned flags))
{
    return ramdisk_has_fd(fd) ? 0 : __real_sync_file_range(fd, at, n, flags);
}

/* --- Looking --------------------------------------------------------------------------- */

WRAP(int, fstat64, (int fd, struct stat *out))
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_fstat(fd, out)) : __real_fstat64(fd, out);
}

WRAP(int, fstatat64, (int dir, const char *path, struct stat *out, int flags))
{
    return ramdisk_has(dir, path) ? (int)answer(ramdisk_stat(dir, path, out))
                                  : __real_fstatat64(dir, path, out, flags);
}

WRAP(int, stat64, (const char *path, struct stat *out))
{
    return ramdisk_has(AT_FDCWD, path) ? (int)answer(ramdisk_stat(AT_FDCWD, path, out))
                                       : __real_stat64(path, out);
}

WRAP(int, lstat64, (const char *path, struct stat *out))
{
    return ramdisk_has(AT_FDCWD, path) ? (int)answer(ramdisk_stat(AT_FDCWD, path, out))
                                       : __real_lstat64(path, out);
}

WRAP(int, fstatfs64, (int fd, struct statfs *out))
{
    if (!ramdisk_has_fd(fd))
        return __real_fstatfs64(fd, out);
    *out = (struct statfs){ .f_type = TMPFS_MAGIC };
    return 0;
}

/* Whoever can see a file here may do everything with it. */
WRAP(int, faccessat, (int dir, const char *path, int mode, int flags))
{
    struct stat st;
    return ramdisk_has(dir, path) ? (int)answer(ramdisk_stat(dir, path, &st))
                                  : __real_faccessat(dir, path, mode, flags);
}

WRAP(int, access, (const char *path, int mode))
{
    struct stat st;
    return ramdisk_has(AT_FDCWD, path) ? (int)answer(ramdisk_stat(AT_FDCWD, path, &st))
                                       : __real_access(path, mode);
}

WRAP(int, fchmod, (int fd, mode_t mode))
{
    return ramdisk_has_fd(fd) ? 0 : __real_fchmod(fd, mode);
}

WRAP(int, fchmodat, (int dir, const char *path, mode_t mode, int flags))
{
    return ramdisk_has(dir, path) ? 0 : __real_fchmodat(dir, path, mode, flags);
}

WRAP(int, futimens, (int fd, const struct timespec times[2]))
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_set_time(fd, times[1]))
                              : __real_futimens(fd, times);
}

/* A path without symlinks and dots is its own. */
static char *real_path(const char *path, char *out)
{
    struct stat st;
    if (answer(ramdisk_stat(AT_FDCWD, path, &st)) < 0)
        return NULL;
    assert(out && !strstr(path, "/.") && !strstr(path, "//"));
    return memcpy(out, path, strlen(path) + 1);
}

WRAP(char *, realpath, (const char *path, char *out))
{
    return ramdisk_has(AT_FDCWD, path) ? real_path(path, out) : __real_realpath(path, out);
}

/* What the compiler makes of it where it knows the room. */
WRAP(char *, __realpath_chk, (const char *path, char *out, size_t room))
{
    return ramdisk_has(AT_FDCWD, path) ? real_path(path, out)
                                       : __real___realpath_chk(path, out, room);
}

/* --- Names ----------------------------------------------------------------------------- */

WRAP(int, mkdir, (const char *path, mode_t mode))
{
    return ramdisk_has(AT_FDCWD, path) ? (int)answer(ramdisk_mkdir(AT_FDCWD, path))
                                       : __real_mkdir(path, mode);
}

WRAP(int, mkdirat, (int dir, const char *path, mode_t mode))
{
    return ramdisk_has(dir, path) ? (int)answer(ramdisk_mkdir(dir, path))
                                  : __real_mkdirat(dir, path, mode);
}

WRAP(int, rmdir, (const char *path))
{
    return ramdisk_has(AT_FDCWD, path) ? (int)answer(ramdisk_unlink(AT_FDCWD, path, AT_REMOVEDIR))
                                       : __real_rmdir(path);
}

WRAP(int, unlinkat, (int dir, const char *path, int flags))
{
    return ramdisk_has(dir, path) ? (int)answer(ramdisk_unlink(dir, path, flags))
                                  : __real_unlinkat(dir, path, flags);
}

WRAP(int, renameat2, (int dir, const char *path, int dir2, const char *path2, unsigned flags))
{
    bool here = ramdisk_has(dir, path);
    assert(here == ramdisk_has(dir2, path2));
    return here ? (int)answer(ramdisk_rename(dir, path, dir2, path2, flags))
                : __real_renameat2(dir, path, dir2, path2, flags);
}

/* --- Directories ----------------------------------------------------------------------- */

typedef struct RamDir {
    DIR *real; /* NULL: on the ramdisk */
    int fd;
    uint64_t cookie;
    struct dirent entry;
} RamDir;

static DIR *new_dir(DIR *real, int fd)
{
    RamDir *d = malloc(sizeof *d);
    assert(d);
    d->real = real;
    d->fd = fd;
    d->cookie = 0;
    return (DIR *)d;
}

WRAP(DIR *, fdopendir, (int fd))
{
    if (ramdisk_has_fd(fd))
        return new_dir(NULL, fd);
    DIR *real = __real_fdopendir(fd);
    return real ? new_dir(real, fd) : NULL;
}

WRAP(DIR *, opendir, (const char *path))
{
    if (!ramdisk_has(AT_FDCWD, path)) {
        DIR *real = __real_opendir(path);
        return real ? new_dir(real, -1) : NULL;
    }
    long fd = answer(ramdisk_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY));
    return fd < 0 ? NULL : new_dir(NULL, (int)fd);
}

WRAP(struct dirent *, readdir64, (DIR * dir))
{
    RamDir *d = (RamDir *)dir;
    if (d->real)
        return __real_readdir64(d->real);
    return answer(ramdisk_next(d->fd, &d->cookie, &d->entry)) > 0 ? &d->entry : NULL;
}

WRAP(int, dirfd, (DIR * dir))
{
    const RamDir *d = (const RamDir *)dir;
    return d->real ? __real_dirfd(d->real) : d->fd;
}

WRAP(int, closedir, (DIR * dir))
{
    RamDir *d = (RamDir *)dir;
    int got = d->real ? __real_closedir(d->real) : (int)answer(ramdisk_close(d->fd));
    free(d);
    return got;
}

/* --- SQLite ---------------------------------------------------------------------------- */

static int sqlite_open(const char *path, int flags, int mode)
{
    return open_one(AT_FDCWD, path, flags, (mode_t)mode);
}

static int sqlite_fcntl(int fd, int command, void *arg)
{
    return ramdisk_has_fd(fd) ? (int)answer(ramdisk_fcntl(fd, command, arg))
                              : __real_fcntl64(fd, command, arg);
}

static int sqlite_unlink(const char *path)
{
    return __wrap_unlinkat(AT_FDCWD, path, 0);
}

static int sqlite_fchown(int fd, uid_t user, gid_t group)
{
    return ramdisk_has_fd(fd) ? 0 : fchown(fd, user, group);
}

static ssize_t sqlite_readlink(const char *path, char *to, size_t n)
{
    if (!ramdisk_has(AT_FDCWD, path))
        return readlink(path, to, n);
    return answer(-EINVAL); /* what is there is no symlink */
}

static void *sqlite_mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
    if (!ramdisk_has_fd(fd))
        return mmap(at, n, protection, flags, fd, from);
    void *p = ramdisk_map(fd, n, from);
    return p ? p : MAP_FAILED;
}

static int sqlite_munmap(void *p, size_t n)
{
    return ramdisk_unmap(p) ? 0 : munmap(p, n);
}

void ramdisk_serve_sqlite(void)
{
    typedef void (*Any)(void);
    const struct {
        const char *name;
        Any call;
    } calls[] = { { "open", (Any)sqlite_open },
                  { "close", (Any)__wrap_close },
                  { "access", (Any)__wrap_access },
                  { "stat", (Any)__wrap_stat64 },
                  { "fstat", (Any)__wrap_fstat64 },
                  { "lstat", (Any)__wrap_lstat64 },
                  { "ftruncate", (Any)__wrap_ftruncate64 },
                  { "fcntl", (Any)sqlite_fcntl },
                  { "read", (Any)__wrap_read },
                  { "pread", (Any)__wrap_pread64 },
                  { "pread64", (Any)__wrap_pread64 },
                  { "write", (Any)__wrap_write },
                  { "pwrite", (Any)__wrap_pwrite64 },
                  { "pwrite64", (Any)__wrap_pwrite64 },
                  { "fchmod", (Any)__wrap_fchmod },
                  { "fchown", (Any)sqlite_fchown },
                  { "unlink", (Any)sqlite_unlink },
                  { "readlink", (Any)sqlite_readlink },
                  { "mmap", (Any)sqlite_mmap },
                  { "munmap", (Any)sqlite_munmap } };
    /* One thread, and nobody asks how much memory is in use: a sixth of the time. */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    assert(vfs && vfs->iVersion >= 3);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        /* Which of the 64-bit names it knows depends on how it was built. */
        int got = vfs->xSetSystemCall(vfs, calls[i].name, (sqlite3_syscall_ptr)calls[i].call);
        assert(got == SQLITE_OK || strstr(calls[i].name, "64"));
        (void)got;
    }
}
