/* vfs.c - SQLite's steps, announced.
 *
 * A file of ours is followed in memory by the file of the wrapped VFS. */
#include "rig/vfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct Shim {
    sqlite3_vfs vfs; /* first: SQLite hands it back */
    sqlite3_vfs *under;
    const Io *io;
} Shim;

typedef struct ShimFile {
    sqlite3_file base; /* first */
    Shim *shim;
    Fd fd, dir;    /* O_PATH; FD_NONE for a file without a name */
    bool sync_dir; /* the next sync of the file also syncs its directory */
    sqlite3_file *under;
} ShimFile;

/* --- Steps ----------------------------------------------------------------------------- */

static long before(const Io *io, IoCall *call)
{
    long said = io_before(io, call);
    for (int i = 0; said == -EINTR && i < IO_EINTR_MAX; i++)
        said = io_before(io, call);
    return said;
}

/* The hook's word on a step that has no bytes: true if the step is to be made. */
static bool allowed(const Io *io, IoCall *call, int refused, int *rc)
{
    long said = before(io, call);
    *rc = said < 0 ? refused : SQLITE_OK;
    return said == 0;
}

static void report(const Io *io, IoCall *call, int rc)
{
    io_after(io, call, rc == SQLITE_OK ? 0 : -EIO);
}

static Fd open_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    char dir[4096];
    size_t n = slash && slash > path ? (size_t)(slash - path) : 1;
    assert(slash && n < sizeof dir);
    memcpy(dir, path, n);
    dir[n] = 0;
    return open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void sync_dir(const Io *io, Fd dir)
{
    IoCall call = { .kind = IO_FSYNC, .fd = dir, .dir = -1 };
    int rc;
    if (allowed(io, &call, SQLITE_IOERR_DIR_FSYNC, &rc))
        report(io, &call, SQLITE_OK); /* the unix VFS has just done it */
}

/* --- A file ---------------------------------------------------------------------------- */

static sqlite3_file *under(sqlite3_file *f)
{
    return ((ShimFile *)f)->under;
}

static int shim_close(sqlite3_file *f)
{
    ShimFile *file = (ShimFile *)f;
    int rc = file->under->pMethods->xClose(file->under);
    fd_close(&file->fd);
    fd_close(&file->dir);
    return rc;
}

static int shim_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return under(f)->pMethods->xRead(under(f), to, n, at);
}

static int write_one(ShimFile *file, Str *rest, sqlite3_int64 at)
{
    const Io *io = file->shim->io;
    IoCall call = { .kind = IO_WRITE, .fd = file->fd, .dir = -1, .data = *rest, .at = at };
    long said = before(io, &call);
    if (said < 0)
        return said == -ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    size_t n = call.data.n;
    if (said == IO_PRETEND) {
        *rest = (Str){ 0 };
        return SQLITE_OK;
    }
    int rc = file->under->pMethods->xWrite(file->under, rest->p, (int)n, at);
    io_after(io, &call, rc == SQLITE_OK ? (long)n : -EIO);
    *rest = str_from(*rest, n);
    return rc;
}

static int shim_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
    ShimFile *file = (ShimFile *)f;
    if (file->fd < 0)
        return file->under->pMethods->xWrite(file->under, data, n, at);
    Str rest = { data, (size_t)n };
    /* A hook that lets nothing pass is a full disk in the end. */
    for (int i = 0; rest.n && i <= n; i++) {
        int rc = write_one(file, &rest, at + n - (sqlite3_int64)rest.n);
        if (rc != SQLITE_OK)
            return rc;
    }
    return rest.n ? SQLITE_FULL : SQLITE_OK;
}

static int shim_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    ShimFile *file = (ShimFile *)f;
    IoCall call = { .kind = IO_TRUNCATE, .fd = file->fd, .dir = -1, .at = size };
    int rc;
    if (!allowed(file->shim->io, &call, SQLITE_IOERR_TRUNCATE, &rc))
        return rc;
    rc = file->under->pMethods->xTruncate(file->under, size);
    report(file->shim->io, &call, rc);
    return rc;
}

static int shim_sync(sqlite3_file *f, int flags)
{
    ShimFile *file = (ShimFile *)f;
    const Io *io = file->shim->io;
    IoKind kind = flags & SQLITE_SYNC_DATAONLY ? IO_FDATASYNC : IO_FSYNC;
    IoCall call = { .kind = kind, .fd = file->fd, .dir = -1 };
    int rc;
    bool go = allowed(io, &call, SQLITE_IOERR_FSYNC, &rc);
    if (rc != SQLITE_OK)
        return rc;
    if (go) {
        rc = file->under->pMethods->xSync(file->under, flags);
        report(io, &call, rc);
    }
    if (rc == SQLITE_OK && file->sync_dir) {
        file->sync_dir = false;
        sync_dir(io, file->dir);
    }
    return rc;
}

static int shim_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return under(f)->pMethods->xFileSize(under(f), size);
}

static int shim_lock(sqlite3_file *f, int level)
{
    return under(f)->pMethods->xLock(under(f), level);
}

static int shim_unlock(sqlite3_file *f, int level)
{
    return under(f)->pMethods->xUnlock(under(f), level);
}

static int shim_reserved(sqlite3_file *f, int *out)
{
    return under(f)->pMethods->xCheckReservedLock(under(f), out);
}

static int shim_control(sqlite3_file *f, int op, void *arg)
{
    return under(f)->pMethods->xFileControl(under(f), op, arg);
}

static int shim_sector(sqlite3_file *f)
{
    return under(f)->pMethods->xSectorSize(under(f));
}

static int shim_device(sqlite3_file *f)
{
    return under(f)->pMethods->xDeviceCharacteristics(under(f));
}

static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return under(f)->pMethods->xShmMap(under(f), page, size, extend, out);
}

static int shim_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return under(f)->pMethods->xShmLock(under(f), offset, n, flags);
}

static void shim_shm_barrier(sqlite3_file *f)
{
    under(f)->pMethods->xShmBarrier(under(f));
}

static int shim_shm_unmap(sqlite3_file *f, int remove)
{
    return under(f)->pMethods->xShmUnmap(under(f), remove);
}

/* Version 2: nothing is ever mapped, so that every write is seen. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_device,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

/* --- Names ----------------------------------------------------------------------------- */

static int open_under(ShimFile *file, const char *path, int flags, int *out_flags)
{
    sqlite3_vfs *real = file->shim->under;
    int rc = real->xOpen(real, path, file->under, flags, out_flags);
    if (file->under->pMethods)
        file->base.pMethods = &methods;
    return rc;
}

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out_flags)
{
    Shim *shim = (Shim *)vfs;
    ShimFile *file = (ShimFile *)f;
    *file = (ShimFile){ .shim = shim, .fd = FD_NONE, .dir = FD_NONE };
    file->under = (sqlite3_file *)(file + 1);
    memset(file->under, 0, (size_t)shim->under->szOsFile);
    if (!path)
        return open_under(file, path, flags, out_flags);
    bool create = flags & SQLITE_OPEN_CREATE;
    AUTO(Fd) dir = open_dir(path);
    IoCall call = { .kind = IO_OPEN,
                    .fd = -1,
                    .dir = dir,
                    .name = last_component(path),
                    .flags = (unsigned)(flags & SQLITE_OPEN_READWRITE ? O_RDWR : O_RDONLY) |
                             (unsigned)(create ? O_CREAT : 0) };
    long said = before(shim->io, &call);
    assert(said != IO_PRETEND);
    if (said < 0)
        return SQLITE_CANTOPEN;
    int rc = open_under(file, path, flags, out_flags);
    file->fd = rc == SQLITE_OK ? open(path, O_PATH | O_CLOEXEC) : FD_NONE;
    file->dir = fd_take(&dir);
    int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    file->sync_dir = create && (flags & journals);
    call.fd = file->fd;
    io_after(shim->io, &call, rc == SQLITE_OK ? file->fd : -EIO);
    if (rc != SQLITE_OK && !file->base.pMethods)
        fd_close(&file->dir);
    return rc;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    Shim *shim = (Shim *)vfs;
    AUTO(Fd) dir = open_dir(path);
    IoCall call = { .kind = IO_UNLINK, .fd = -1, .dir = dir, .name = last_component(path) };
    int rc;
    if (!allowed(shim->io, &call, SQLITE_IOERR_DELETE, &rc))
        return rc;
    rc = shim->under->xDelete(shim->under, path, sync);
    report(shim->io, &call, rc);
    if (rc != SQLITE_OK || !sync)
        return rc;
    IoCall then = { .kind = IO_FSYNC, .fd = dir, .dir = -1 };
    if (allowed(shim->io, &then, SQLITE_IOERR_DIR_FSYNC, &rc))
        report(shim->io, &then, SQLITE_OK);
    return rc;
}

static int shim_access(sqlite3_vfs *vfs, const char *path, int flags, int *out)
{
    sqlite3_vfs *real = ((Shim *)vfs)->under;
    return real->xAccess(real, path, flags, out);
}

static int shim_full_path(sqlite3_vfs *vfs, const char *path, int n, char *out)
{
    sqlite3_vfs *real = ((Shim *)vfs)->under;
    return real->xFullPathname(real, path, n, out);
}

static int shim_random(sqlite3_vfs *vfs, int n, char *out)
{
    io_random(((Shim *)vfs)->io, out, (size_t)n);
    return n;
}

static int shim_sleep(sqlite3_vfs *vfs, int us)
{
    sqlite3_vfs *real = ((Shim *)vfs)->under;
    return real->xSleep(real, us);
}

static int shim_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *real = ((Shim *)vfs)->under;
    return real->xCurrentTime(real, out);
}

static int shim_last_error(sqlite3_vfs *vfs, int n, char *out)
{
    sqlite3_vfs *real = ((Shim *)vfs)->under;
    return real->xGetLastError(real, n, out);
}

void vfs_install(const char *name, const Io *io)
{
    Shim *shim = mem_alloc(sizeof *shim);
    shim->under = sqlite3_vfs_find(NULL);
    assert(shim->under);
    shim->io = io;
    shim->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(ShimFile) + shim->under->szOsFile,
        .mxPathname = shim->under->mxPathname,
        .zName = name,
        .xOpen = shim_open,
        .xDelete = shim_delete,
        .xAccess = shim_access,
        .xFullPathname = shim_full_path,
        .xRandomness = shim_random,
        .xSleep = shim_sleep,
        .xCurrentTime = shim_time,
        .xGetLastError = shim_last_error,
    };
    int rc = sqlite3_vfs_register(&shim->vfs, 0);
    assert(rc == SQLITE_OK);
    (void)rc;
}

void vfs_remove(const char *name)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(name);
    if (vfs) {
        sqlite3_vfs_unregister(vfs);
        free((Shim *)vfs);
    }
}
