/* io.h - Io, the one way to the operating system for everything that must last.
 *
 * Every call that matters for durability, every lock, clock and random byte of
 * a store goes through here.  Each is a named step (IoKind): a test hangs a
 * hook into an Io and records the steps, makes one fail, shortens a write,
 * pretends a sync, or kills the process there.  Without a hook a call is the
 * system call and nothing else.
 *
 * Results are those of the system call, with -errno instead of -1.
 * EINTR is handled here, also when a hook says it; a caller sees it only if a
 * hook says it IO_EINTR_MAX times in a row. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/mount.h"
#include "base/str.h"

typedef enum IoKind {
    IO_OPEN,
    IO_READ,
    IO_WRITE,
    IO_FSYNC,
    IO_FDATASYNC,
    IO_SYNCFS, /* everything of the file system that `fd` is on */
    IO_TRUNCATE,
    IO_RENAME,
    IO_UNLINK,
    IO_MKDIR,
    IO_STAT,
    IO_LOCK,
    IO_ASK,   /* who else has a lock, or the file open for writing */
    IO_LIST,  /* all names of a directory */
    IO_BOOT,  /* which boot of the machine this is */
    IO_MOUNT, /* which mount of its file system a file is seen through */
    IO_TIMES, /* when a file was last written, as we say; whose it is, and who may use it */
    IO_KINDS
} IoKind;

/* One step, as a hook sees it.  Names are relative to `dir`. */
typedef struct IoCall {
    IoKind kind;
    int fd;            /* the file; after IO_OPEN, the new one; RENAME: where name2 is */
    int dir;           /* the directory the names are relative to */
    const char *name;  /* OPEN, RENAME, UNLINK, MKDIR, STAT, BOOT */
    const char *name2; /* RENAME: the new name */
    unsigned flags;    /* OPEN: O_*; RENAME: RENAME_*; LOCK, ASK: F_RDLCK, F_WRLCK, F_UNLCK */
    Str data;          /* WRITE */
    off_t at;    /* WRITE: offset, or -1 at the end; TRUNCATE: the size; LOCK, ASK: the byte */
    long result; /* for `after`: what the call returned */
} IoCall;

/* What `before` may answer besides 0 (do it) and -errno (fail without doing it). */
enum { IO_PRETEND = 1 }; /* do nothing and report success; not for OPEN, READ, ASK, BOOT, MOUNT */

enum { IO_EINTR_MAX = 100 };

typedef struct IoHook {
    /* May shorten call->data: the rest of the write does not happen. */
    long (*before)(void *ctx, IoCall *call);
    void (*after)(void *ctx, const IoCall *call); /* of a call that was made; may be NULL */
    void *ctx;
} IoHook;

typedef struct Io {
    const IoHook *hook; /* NULL: none */
    /* Test overrides; NULL means the system's. */
    int64_t (*wall_ms)(void *ctx);
    int64_t (*awake_ms)(void *ctx);
    int64_t (*served_ms)(void *ctx); /* what a server says is the time; NULL: it is asked */
    void (*random)(void *ctx, void *out, size_t n);
    void (*sleep_us)(void *ctx, int64_t us);
    const char *boot_id;  /* 32 hex digits, or "" for a system that does not tell */
    const char *mount_id; /* of every file; "" likewise */
    bool syncs_each;      /* io_sync_all is not to be had */
    void *ctx;
} Io;

/* The plain one, without hook or overrides. */
extern const Io io_system;

/* Open beneath `dir`: no symlink anywhere in the name, no way out of `dir`.  O_CLOEXEC always,
 * and never 0, 1 or 2, whatever of these is closed. */
int io_open(const Io *io, int dir, const char *name, int flags, mode_t mode);
/* Open a directory by a path from outside, symlinks allowed. */
int io_open_root(const Io *io, const char *path);
/* Open a file for reading by such a path. */
int io_open_path(const Io *io, const char *path);

ssize_t io_read_at(const Io *io, int fd, void *to, size_t n, off_t at);
/* Read until `n` bytes or the end. */
ssize_t io_read_all(const Io *io, int fd, void *to, size_t n, off_t at);
/* One write; may be short. */
ssize_t io_write(const Io *io, int fd, Str data);
/* Write everything; on failure some of it may have been written. */
int io_write_all(const Io *io, int fd, Str data);

/* Write everything over what is there from `at` on, in a file not opened for appending. */
int io_write_at(const Io *io, int fd, Str data, off_t at);

int io_fsync(const Io *io, int fd);
int io_fdatasync(const Io *io, int fd);
/* Make durable all that was written to the file system an open file lies on, names and bytes, by
 * anybody, and tell of whatever could not be written since the file was opened.  -EOPNOTSUPP where
 * the system does not promise both: before Linux 5.8, and on file systems other than ext4, XFS,
 * Btrfs, F2FS and tmpfs. */
int io_sync_all(const Io *io, int fd);
/* Let the system begin to write a file to the disk, so that a sync finds less to do.  Only a hint:
 * nothing rests on it. */
void io_hint_sync(int fd);
int io_truncate(const Io *io, int fd, off_t size);
/* Say when a file was last written to, in nanoseconds since 1970. */
int io_set_mtime(const Io *io, int fd, int64_t ns);
/* Give an open file the owner, group and permissions of another, as far as that is allowed: a group
 * that cannot be kept gets what others have. */
int io_set_owner(const Io *io, int fd, const struct stat *like);
/* Both names are single components in `dir`; flags as for renameat2. */
int io_rename(const Io *io, int dir, const char *from, const char *to, unsigned flags);
/* The same between two directories. */
int io_move(const Io *io, int from_dir, const char *from, int to_dir, const char *to,
            unsigned flags);
int io_unlink(const Io *io, int dir, const char *name);
int io_rmdir(const Io *io, int dir, const char *name); /* an IO_UNLINK with AT_REMOVEDIR */
int io_mkdir(const Io *io, int dir, const char *name); /* for us alone */
int io_mkdir_mode(const Io *io, int dir, const char *name, mode_t mode);
/* A directory by a path from outside, with those above it; each new name is durable. */
int io_make_dirs(const Io *io, const char *path);
int io_fstat(const Io *io, int fd, struct stat *out);
/* `name` is a single component; a symlink is not followed. */
int io_stat(const Io *io, int dir, const char *name, struct stat *out);
/* 0 if the process may write to it, by its permissions; -errno if not. */
int io_may_write(const Io *io, int dir, const char *name);
/* The same for a path of several: only for asking, because what leads there may be a symlink. */
int io_stat_path(const Io *io, int dir, const char *path, struct stat *out);
/* By a path from outside, symlinks allowed. */
int io_stat_root(const Io *io, const char *path, struct stat *out);
int io_fstatfs(const Io *io, int fd, struct statfs *out);
/* Does `got` (of a stat or an open) say that there is nothing?  Any other failure says nothing. */
static inline bool io_missing(int got)
{
    return got == -ENOENT || got == -ENOTDIR;
}

/* Call `each` for every name of an open directory but "." and "..", until it returns other than 0,
 * which is returned.  The descriptor is taken over and closed.  -errno also if the list breaks off.
 */
int io_list(const Io *io, Fd *dir, int (*each)(void *ctx, int dir, const struct dirent *d),
            void *ctx);

/* An open-file-description lock on one byte, never waiting: -EAGAIN if it is taken.
 * kind is F_RDLCK, F_WRLCK or F_UNLCK. */
int io_lock(const Io *io, int fd, short kind, off_t byte);
/* Every lock this open file has. */
int io_unlock_all(const Io *io, int fd);
/* 1 if somebody else holds a lock that `kind` would have to wait for, 0 if not, -errno if that
 * cannot be known. */
int io_ask_lock(const Io *io, int fd, short kind, off_t byte);
/* The careful form: true also if it cannot be known. */
bool io_locked(const Io *io, int fd, short kind, off_t byte);

/* True if somebody has the file open for writing, or if that cannot be known; `if_denied` if we may
 * not ask, as of a file of another user.  False on file systems that cannot say. */
bool io_written_elsewhere(const Io *io, int fd, bool if_denied);

int64_t io_wall_ms(const Io *io);  /* UTC, may jump */
int64_t io_wall_us(const Io *io);  /* the same, finer; an override gives whole milliseconds */
int64_t io_awake_ms(const Io *io); /* CLOCK_BOOTTIME, never jumps, counts sleep */
void io_random(const Io *io, void *out, size_t n);
/* 32 hex digits that change with every boot.  On failure *out is "" and nothing may be concluded:
 * what was stored under another boot looks the same. */
int io_boot_id(const Io *io, char out[33]);
/* A word that stays the same as long as the file system is mounted without a gap (mount.h).
 * -ENODATA if the system cannot say; on any failure *out is "". */
int io_mount_id(const Io *io, int fd, char out[MOUNT_TEXT]);
void io_sleep_us(const Io *io, int64_t us);

/* For code that does its own system calls under a hook (the SQLite test VFS):
 * announce a step, then report it. */
long io_before(const Io *io, IoCall *call);
void io_after(const Io *io, IoCall *call, long result);

#endif
