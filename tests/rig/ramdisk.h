/* ramdisk.h - a file system in the memory of this process, for rigs that look at very many disks.
 *
 * A system call costs more than what it does to a few hundred bytes.  The
 * programs that link ramcalls.c have their calls of the C library for files
 * and directories led through here (-Wl,--wrap, see tests/crash/meson.build):
 * what lies beneath RAMDISK is answered from memory, everything else by the
 * system.  The store does not know; SQLite's unix VFS is given the same calls.
 *
 * What is here is what a store asks of a file system: regular files and
 * directories without symlinks, hard links and permissions; locks of
 * processes and of open files, read leases, exchanges.  The one process that
 * sees it never loses a race, so a store that is killed, or that shares its
 * pad, is tried on a real one; and the crash rig looks at some of its disks in
 * both places and demands the same sight (see oracle.h).
 *
 * Functions answer as the calls they are named after, with -errno instead of -1.  What no store
 * asks for is asserted, so that it is noticed and not guessed. */
#ifndef RIG_RAMDISK_H
#define RIG_RAMDISK_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define RAMDISK "/ramdisk"

/* Descriptors here begin behind any the system gives out: used by mistake there, one is bad. */
enum { RAMDISK_FD = 1 << 24 };

/* True if this file is here: an absolute path, or one relative to a directory that is. */
bool ramdisk_has(int dir, const char *path);
bool ramdisk_has_fd(int fd);

/* How many descriptors are open, and whether this one is. */
size_t ramdisk_descriptors(void);

long ramdisk_open(int dir, const char *path, int flags);
long ramdisk_close(int fd);
long ramdisk_dup(int fd);
/* At `at`, or where the descriptor stands, which moves, if that is negative. */
long ramdisk_read(int fd, void *to, size_t n, off_t at);
long ramdisk_write(int fd, const void *data, size_t n, off_t at);
long ramdisk_seek(int fd, off_t to, int whence);
long ramdisk_truncate(int fd, off_t size);
long ramdisk_fstat(int fd, struct stat *out);
long ramdisk_stat(int dir, const char *path, struct stat *out);
long ramdisk_set_time(int fd, struct timespec modified);
long ramdisk_mkdir(int dir, const char *path);
long ramdisk_unlink(int dir, const char *path, int flags);
long ramdisk_rename(int dir, const char *path, int dir2, const char *path2, unsigned flags);
long ramdisk_fcntl(int fd, int command, void *arg);
/* The entry behind `*cookie` (0 at first); 0 if there are no more. */
long ramdisk_next(int fd, uint64_t *cookie, struct dirent *out);
/* Bytes of a file that stay where they are; NULL if there is no room.  The map keeps the file. */
void *ramdisk_map(int fd, size_t n, off_t at);
/* False if nothing is mapped there. */
bool ramdisk_unmap(const void *p);

/* Give SQLite's unix VFS these calls; ramcalls.c. */
void ramdisk_serve_sqlite(void);

#endif
