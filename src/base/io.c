/* io.c - system calls as named steps.
 *
 *     io_write(io, fd, data)
 *        |
 *        |   hook->before(call)     record it, shorten it, fail it (-errno), pretend it,
 *        |                          or end the process here
 *        v
 *      write(2), again after EINTR
 *        |
 *        v   hook->after(call)      sees the result
 *
 * Without a hook a call is the system call and nothing else.  With one, a test sees every
 * step that matters for durability in the order the kernel does, which is what the
 * crash rigs are built on: they replay the steps up to any point, drop what was not
 * synced, and look what is left.
 *
 * Names are opened with openat2: RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS make
 * it impossible to leave the directory a caller was given, whatever was
 * planted in it.  rename, unlink, mkdir and stat have no such flags, so they
 * take single components in a directory that was opened that way. */
#include "base/io.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

/* openat2 answers EAGAIN when a rename raced with the walk; it is rare and passes. */
enum { OPEN_TRIES = 64, BOOT_DIGITS = 32 };

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

const Io io_system = { 0 };

long io_before(const Io *io, IoCall *call)
{
    if (!io->hook)
        return 0;
    /* A hook may say EINTR, as the kernel may; a hook that always does is not believed for ever. */
    long said = -EINTR;
    for (int i = 0; i < IO_EINTR_MAX && said == -EINTR; i++)
        said = io->hook->before(io->hook->ctx, call);
    return said;
}

void io_after(const Io *io, IoCall *call, long result)
{
    if (!io->hook || !io->hook->after)
        return;
    call->result = result;
    io->hook->after(io->hook->ctx, call);
}

static bool single_component(const char *name)
{
    return name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Make the call that `expr` is, unless the hook decides otherwise; leaves through `return`. */
#define STEP(io, call, expr)                             \
    do {                                                 \
        long step_ = io_before((io), &(call));           \
        if (step_ != 0)                                  \
            return step_ == IO_PRETEND ? 0 : (int)step_; \
        long got_;                                       \
        do                                               \
            got_ = (expr);                               \
        while (got_ < 0 && errno == EINTR);              \
        got_ = got_ < 0 ? -errno : got_;                 \
        io_after((io), &(call), got_);                   \
        return (int)got_;                                \
    } while (0)

/* The same file under a number that no standard stream has: where one of those is closed, its
 * number is the next to be given, and what the program prints would go into the file. */
static int above_streams(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    above = above < 0 ? -errno : above;
    close(fd);
    return above;
}

static int open_beneath(int dir, const char *name, int flags, mode_t mode)
{
    /* Beneath `dir` and through no link: what lies in a pad may have been put there by somebody who
     * wants another file to be read or written. */
    struct open_how how = {
        .flags = (unsigned long long)(unsigned)(flags | O_CLOEXEC),
        .mode = (flags & O_CREAT) ? (unsigned long long)mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    for (int i = 0;; i++) {
        long fd = syscall(SYS_openat2, dir, name, &how, sizeof how);
        if (fd >= 0)
            return above_streams((int)fd);
        bool again = errno == EINTR || (errno == EAGAIN && i < OPEN_TRIES);
        if (!again)
            return -errno;
    }
}

int io_open(const Io *io, int dir, const char *name, int flags, mode_t mode)
{
    IoCall call = { IO_OPEN, .fd = -1, .dir = dir, .name = name, .flags = (unsigned)flags };
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return (int)step;
    int fd = open_beneath(dir, name, flags, mode);
    call.fd = fd;
    io_after(io, &call, fd);
    return fd;
}

static int open_outside(const Io *io, const char *path, int flags)
{
    IoCall call = { IO_OPEN, .fd = -1, .dir = AT_FDCWD, .name = path, .flags = (unsigned)flags };
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return (int)step;
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | flags, 0);
    while (fd < 0 && errno == EINTR);
    fd = fd < 0 ? -errno : above_streams(fd);
    call.fd = fd;
    io_after(io, &call, fd);
    return fd;
}

int io_open_root(const Io *io, const char *path)
{
    return open_outside(io, path, O_DIRECTORY);
}

int io_open_path(const Io *io, const char *path)
{
    return open_outside(io, path, O_NOCTTY);
}

ssize_t io_read_at(const Io *io, int fd, void *to, size_t n, off_t at)
{
    IoCall call = { IO_READ, .fd = fd, .dir = -1, .at = at };
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return step;
    ssize_t got;
    do
        got = pread(fd, to, n, at);
    while (got < 0 && errno == EINTR);
    got = got < 0 ? -errno : got;
    io_after(io, &call, got);
    return got;
}

ssize_t io_read_all(const Io *io, int fd, void *to, size_t n, off_t at)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = io_read_at(io, fd, (char *)to + done, n - done, at + (off_t)done);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

ssize_t io_write(const Io *io, int fd, Str data)
{
    IoCall call = { IO_WRITE, .fd = fd, .dir = -1, .data = data, .at = -1 };
    long step = io_before(io, &call);
    if (step != 0)
        return step == IO_PRETEND ? (ssize_t)data.n : step;
    ssize_t got;
    do
        got = write(fd, call.data.p, call.data.n);
    while (got < 0 && errno == EINTR);
    got = got < 0 ? -errno : got;
    io_after(io, &call, got);
    return got;
}

int io_write_all(const Io *io, int fd, Str data)
{
    /* A device that keeps accepting nothing must not hold us for ever. */
    for (int idle = 0; data.n && idle < 100;) {
        ssize_t got = io_write(io, fd, data);
        if (got < 0)
            return (int)got;
        idle = got > 0 ? 0 : idle + 1;
        data = str_from(data, (size_t)got);
    }
    return data.n ? -EIO : 0;
}

int io_write_at(const Io *io, int fd, Str data, off_t at)
{
    while (data.n) {
        IoCall call = { IO_WRITE, .fd = fd, .dir = -1, .data = data, .at = at };
        long step = io_before(io, &call);
        if (step != 0)
            return step == IO_PRETEND ? 0 : (int)step;
        ssize_t got;
        do
            got = pwrite(fd, call.data.p, call.data.n, at);
        while (got < 0 && errno == EINTR);
        got = got < 0 ? -errno : got;
        io_after(io, &call, got);
        if (got <= 0)
            return got < 0 ? (int)got : -EIO;
        data = str_from(data, (size_t)got);
        at += got;
    }
    return 0;
}

int io_fsync(const Io *io, int fd)
{
    IoCall call = { IO_FSYNC, .fd = fd, .dir = -1 };
    STEP(io, call, fsync(fd));
}

int io_fdatasync(const Io *io, int fd)
{
    IoCall call = { IO_FDATASYNC, .fd = fd, .dir = -1 };
    STEP(io, call, fdatasync(fd));
}

/* syncfs reports errors of writing since Linux 5.8. */
static bool tells_errors(void)
{
    struct utsname system;
    int major = 0, minor = 0;
    return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 8));
}

/* FUSE and network drives need not pass it on, an overlay does so only lately. */
static bool syncs_all(int fd)
{
    struct statfs fs;
    if (fstatfs(fd, &fs) != 0)
        return false;
    switch ((unsigned long)fs.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
        return true;
    default:
        return false;
    }
}

int io_sync_all(const Io *io, int fd)
{
    IoCall call = { IO_SYNCFS, .fd = fd, .dir = -1 };
    if (io->syncs_each || !tells_errors() || !syncs_all(fd))
        return -EOPNOTSUPP;
    STEP(io, call, syncfs(fd));
}

void io_hint_sync(int fd)
{
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int io_truncate(const Io *io, int fd, off_t size)
{
    IoCall call = { IO_TRUNCATE, .fd = fd, .dir = -1, .at = size };
    STEP(io, call, ftruncate(fd, size));
}

int io_set_mtime(const Io *io, int fd, int64_t ns)
{
    struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
                                 { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 } };
    IoCall call = { IO_TIMES, .fd = fd, .dir = -1 };
    STEP(io, call, futimens(fd, times));
}

int io_set_owner(const Io *io, int fd, const struct stat *like)
{
    mode_t mode = like->st_mode & 0777;
    struct stat now;
    if (fstat(fd, &now) < 0)
        return -errno;
    bool other = now.st_uid != like->st_uid || now.st_gid != like->st_gid;
    bool kept = !other || fchown(fd, like->st_uid, like->st_gid) == 0 ||
                fchown(fd, (uid_t)-1, like->st_gid) == 0;
    if (!kept)
        mode = (mode & 0707) | (mode & 07) << 3;
    IoCall call = { IO_TIMES, .fd = fd, .dir = -1 };
    STEP(io, call, fchmod(fd, mode));
}

int io_move(const Io *io, int from_dir, const char *from, int to_dir, const char *to,
            unsigned flags)
{
    assert(single_component(from) && single_component(to));
    /* `fd` carries the second directory: it is the only call with two. */
    IoCall call = { IO_RENAME,    .fd = to_dir, .dir = from_dir,
                    .name = from, .name2 = to,  .flags = flags };
    STEP(io, call, renameat2(from_dir, from, to_dir, to, flags));
}

int io_rename(const Io *io, int dir, const char *from, const char *to, unsigned flags)
{
    return io_move(io, dir, from, dir, to, flags);
}

int io_unlink(const Io *io, int dir, const char *name)
{
    assert(single_component(name));
    IoCall call = { IO_UNLINK, .fd = -1, .dir = dir, .name = name };
    STEP(io, call, unlinkat(dir, name, 0));
}

int io_rmdir(const Io *io, int dir, const char *name)
{
    assert(single_component(name));
    IoCall call = { IO_UNLINK, .fd = -1, .dir = dir, .name = name, .flags = AT_REMOVEDIR };
    STEP(io, call, unlinkat(dir, name, AT_REMOVEDIR));
}

int io_mkdir(const Io *io, int dir, const char *name)
{
    return io_mkdir_mode(io, dir, name, 0700);
}

int io_mkdir_mode(const Io *io, int dir, const char *name, mode_t mode)
{
    assert(single_component(name));
    IoCall call = { IO_MKDIR, .fd = -1, .dir = dir, .name = name };
    STEP(io, call, mkdirat(dir, name, mode));
}

/* -EEXIST if it is there, also where we may pass but not read. */
static int make_dir(const Io *io, const char *path)
{
    char above[PATH_MAX];
    struct stat info;
    if (stat(path, &info) == 0)
        return -EEXIST;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + (slash == path) : 0;
    if (n >= sizeof above)
        return -ENAMETOOLONG;
    snprintf(above, sizeof above, "%.*s", n ? (int)n : 1, n ? path : ".");
    AUTO(Fd) dir = io_open_root(io, above);
    int got = dir < 0 ? dir : io_mkdir(io, dir, slash ? slash + 1 : path);
    return got < 0 ? got : io_fsync(io, dir);
}

int io_make_dirs(const Io *io, const char *path)
{
    char at[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof at)
        return -ENAMETOOLONG;
    memcpy(at, path, n + 1);
    while (n > 1 && at[n - 1] == '/')
        at[--n] = 0;
    for (char *slash = strchr(at + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        int got = make_dir(io, at);
        if (got < 0 && got != -EEXIST)
            return got;
        if (!slash)
            return 0;
        *slash = '/';
    }
}

int io_fstat(const Io *io, int fd, struct stat *out)
{
    IoCall call = { IO_STAT, .fd = fd, .dir = -1 };
    STEP(io, call, fstat(fd, out));
}

int io_stat(const Io *io, int dir, const char *name, struct stat *out)
{
    assert(single_component(name));
    IoCall call = { IO_STAT, .fd = -1, .dir = dir, .name = name };
    STEP(io, call, fstatat(dir, name, out, AT_SYMLINK_NOFOLLOW));
}

int io_may_write(const Io *io, int dir, const char *name)
{
    assert(single_component(name) || strcmp(name, ".") == 0);
    IoCall call = { IO_STAT, .fd = -1, .dir = dir, .name = name };
    STEP(io, call, faccessat(dir, name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW));
}

int io_stat_path(const Io *io, int dir, const char *path, struct stat *out)
{
    IoCall call = { IO_STAT, .fd = -1, .dir = dir, .name = path };
    STEP(io, call, fstatat(dir, path, out, AT_SYMLINK_NOFOLLOW));
}

int io_stat_root(const Io *io, const char *path, struct stat *out)
{
    IoCall call = { IO_STAT, .fd = -1, .dir = AT_FDCWD, .name = path };
    STEP(io, call, fstatat(AT_FDCWD, path, out, 0));
}

int io_fstatfs(const Io *io, int fd, struct statfs *out)
{
    IoCall call = { IO_STAT, .fd = fd, .dir = -1 };
    STEP(io, call, fstatfs(fd, out));
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int list_open(DIR *list, int (*each)(void *ctx, int dir, const struct dirent *d), void *ctx)
{
    int got = 0;
    errno = 0;
    for (struct dirent *d; got == 0 && (d = readdir(list)) != NULL; errno = 0)
        got = is_dots(d->d_name) ? 0 : each(ctx, dirfd(list), d);
    /* The end and a failure look the same but for errno. */
    return got == 0 ? -errno : got;
}

int io_list(const Io *io, Fd *dir, int (*each)(void *ctx, int dir, const struct dirent *d),
            void *ctx)
{
    AUTO(Fd) own = fd_take(dir);
    IoCall call = { IO_LIST, .fd = own, .dir = -1 };
    long step = io_before(io, &call);
    if (step != 0)
        return step == IO_PRETEND ? 0 : (int)step;
    AUTO_PTR(DIR) list = fd_entries(&own);
    int got = list ? list_open(list, each, ctx) : -errno;
    io_after(io, &call, got);
    return got;
}

int io_lock(const Io *io, int fd, short kind, off_t byte)
{
    struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
    IoCall call = { IO_LOCK, .fd = fd, .dir = -1, .flags = (unsigned)kind, .at = byte };
    STEP(io, call, fcntl(fd, F_OFD_SETLK, &lock));
}

int io_unlock_all(const Io *io, int fd)
{
    struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
    IoCall call = { IO_LOCK, .fd = fd, .dir = -1, .flags = F_UNLCK };
    STEP(io, call, fcntl(fd, F_OFD_SETLK, &all));
}

int io_ask_lock(const Io *io, int fd, short kind, off_t byte)
{
    struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
    IoCall call = { IO_ASK, .fd = fd, .dir = -1, .flags = (unsigned)kind, .at = byte };
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return (int)step;
    int got = fcntl(fd, F_OFD_GETLK, &lock) == 0 ? lock.l_type != F_UNLCK : -errno;
    io_after(io, &call, got);
    return got;
}

bool io_locked(const Io *io, int fd, short kind, off_t byte)
{
    return io_ask_lock(io, fd, kind, byte) != 0;
}

/* A read lease is refused while somebody has the file open for writing.  The signal that would
 * tell us of a broken lease is one that is ignored by default. */
static int try_lease(int fd)
{
    (void)fcntl(fd, F_SETSIG, SIGURG);
    int got;
    do
        got = fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : -errno;
    while (got == -EINTR);
    if (got == 0)
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    return got;
}

bool io_written_elsewhere(const Io *io, int fd, bool if_denied)
{
    IoCall call = { IO_ASK, .fd = fd, .dir = -1, .flags = F_UNLCK, .at = -1 };
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    int got = step < 0 ? (int)step : try_lease(fd);
    if (step == 0)
        io_after(io, &call, got);
    if (got == -EACCES)
        return if_denied;
    /* EINVAL: the file system knows no leases. */
    return got < 0 && got != -EINVAL;
}

static int64_t clock_ms(clockid_t clock)
{
    struct timespec t;
    int got = clock_gettime(clock, &t);
    assert(got == 0);
    (void)got;
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t io_wall_ms(const Io *io)
{
    return io->wall_ms ? io->wall_ms(io->ctx) : clock_ms(CLOCK_REALTIME);
}

int64_t io_wall_us(const Io *io)
{
    struct timespec t;
    if (io->wall_ms)
        return io->wall_ms(io->ctx) * 1000;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t io_awake_ms(const Io *io)
{
    return io->awake_ms ? io->awake_ms(io->ctx) : clock_ms(CLOCK_BOOTTIME);
}

void io_random(const Io *io, void *out, size_t n)
{
    if (io->random) {
        io->random(io->ctx, out, n);
        return;
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = getrandom((char *)out + done, n - done, 0);
        assert(got > 0 || errno == EINTR);
        if (got > 0)
            done += (size_t)got;
    }
}

/* The id without its dashes; -ENODATA if it is none. */
static int read_boot_id(char out[33])
{
    AUTO(Fd) fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
    char text[64];
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (got < 0)
        return -errno;
    size_t n = 0;
    for (ssize_t i = 0; i < got && n < BOOT_DIGITS; i++)
        if (isxdigit((unsigned char)text[i]))
            out[n++] = text[i];
    out[n] = 0;
    return n == BOOT_DIGITS ? 0 : -ENODATA;
}

int io_boot_id(const Io *io, char out[33])
{
    IoCall call = { IO_BOOT, .fd = -1, .dir = AT_FDCWD, .name = BOOT_ID };
    out[0] = 0;
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return (int)step;
    int got = io->boot_id && !io->boot_id[0] ? -ENODATA : 0;
    if (io->boot_id)
        snprintf(out, BOOT_DIGITS + 1, "%s", io->boot_id);
    else
        do
            got = read_boot_id(out);
        while (got == -EINTR);
    if (got < 0)
        out[0] = 0;
    io_after(io, &call, got);
    return got;
}

int io_mount_id(const Io *io, int fd, char out[MOUNT_TEXT])
{
    IoCall call = { IO_MOUNT, .fd = fd, .dir = -1 };
    out[0] = 0;
    long step = io_before(io, &call);
    assert(step != IO_PRETEND);
    if (step < 0)
        return (int)step;
    int got = io->mount_id && !io->mount_id[0] ? -ENODATA : 0;
    if (io->mount_id)
        snprintf(out, MOUNT_TEXT, "%s", io->mount_id);
    else
        do
            got = mount_identify(fd, out);
        while (got == -EINTR);
    io_after(io, &call, got);
    return got;
}

void io_sleep_us(const Io *io, int64_t us)
{
    if (io->sleep_us) {
        io->sleep_us(io->ctx, us);
        return;
    }
    struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
    nanosleep(&t, NULL);
}
