/* ramdisk.c - the calls: paths, bytes, maps, looking, locks. */
#include "rig/ramdisk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "rig/raminode.h"

enum { DEVICE = 0x4A4F54, MAP_MAX = 256 * 1024 };

/* --- Paths ----------------------------------------------------------------------------- */

/* The last component of a path and the directory it is looked for in. */
typedef struct Where {
    Inode *dir;
    const char *name; /* not NUL-terminated; empty: the directory itself */
    size_t n;
    Entry *found; /* or NULL */
} Where;

static bool is_up(const char *name, size_t n)
{
    return n == 2 && memcmp(name, "..", 2) == 0;
}

static bool is_dot(const char *name, size_t n)
{
    return n == 0 || (n == 1 && name[0] == '.') || is_up(name, n);
}

static long start(int dir, const char *path, Inode **out)
{
    Opened *o = path[0] == '/' ? NULL : opened_by(dir);
    *out = o ? o->inode : &inode_root;
    if (!o && path[0] != '/')
        return -EBADF;
    return (*out)->dir ? 0 : -ENOTDIR;
}

static long walk(int dir, const char *path, Where *out)
{
    *out = (Where){ 0 };
    long got = start(dir, path, &out->dir);
    if (got < 0)
        return got;
    if (path[0] == '/')
        path += sizeof RAMDISK - 1;
    for (;;) {
        size_t n = strcspn(path, "/");
        if (n > NAME_MAX)
            return -ENAMETOOLONG;
        if (is_up(path, n))
            out->dir = out->dir->parent;
        Entry *e = is_dot(path, n) ? NULL : entry_find(out->dir, path, n);
        if (path[n] == 0) {
            out->name = path;
            out->n = is_dot(path, n) ? 0 : n;
            out->found = e;
            return 0;
        }
        if (!is_dot(path, n) && !e)
            return -ENOENT;
        if (e && !e->inode->dir)
            return -ENOTDIR;
        out->dir = e ? e->inode : out->dir;
        path += n + 1;
    }
}

static Inode *inode_at(const Where *w)
{
    if (w->n == 0)
        return w->dir;
    return w->found ? w->found->inode : NULL;
}

/* A directory that was removed takes no new names. */
static long create(const Where *w, bool dir, Inode **out)
{
    if (!w->dir->names)
        return -ENOENT;
    *out = inode_new(dir);
    entry_add(w->dir, w->name, w->n, *out);
    return 0;
}

long ramdisk_open(int dir, const char *path, int flags)
{
    Where w;
    long got = walk(dir, path, &w);
    if (got < 0)
        return got;
    assert((flags & O_TMPFILE) != O_TMPFILE);
    Inode *i = inode_at(&w);
    bool makes = flags & O_CREAT;
    if (!i && !makes)
        return -ENOENT;
    if (i && makes && flags & O_EXCL)
        return -EEXIST;
    if (!i && (got = create(&w, false, &i)) < 0)
        return got;
    if (flags & O_DIRECTORY && !i->dir)
        return -ENOTDIR;
    if (i->dir && (makes || (!(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY)))
        return -EISDIR;
    long fd = inode_open(i, flags);
    if (flags & O_TRUNC && i->size)
        (void)ramdisk_truncate((int)fd, 0);
    return fd;
}

long ramdisk_mkdir(int dir, const char *path)
{
    Where w;
    Inode *made;
    long got = walk(dir, path, &w);
    if (got < 0)
        return got;
    return inode_at(&w) ? -EEXIST : create(&w, true, &made);
}

long ramdisk_unlink(int dir, const char *path, int flags)
{
    Where w;
    long got = walk(dir, path, &w);
    if (got < 0)
        return got;
    if (!w.found)
        return w.n ? -ENOENT : -EBUSY;
    Inode *i = w.found->inode;
    if (flags & AT_REMOVEDIR) {
        if (!i->dir)
            return -ENOTDIR;
        if (i->n)
            return -ENOTEMPTY;
    } else if (i->dir) {
        return -EISDIR;
    }
    entry_drop(w.dir, w.found);
    return 0;
}

static bool is_beneath(const Inode *dir, const Inode *above)
{
    for (; dir != &inode_root; dir = dir->parent)
        if (dir == above)
            return true;
    return dir == above;
}

static void exchange(const Where *from, const Where *to)
{
    Inode *a = from->found->inode, *b = to->found->inode;
    from->found->inode = b;
    to->found->inode = a;
    a->parent = a->dir ? to->dir : NULL;
    b->parent = b->dir ? from->dir : NULL;
    a->changed = b->changed = inode_now();
    inode_touch(from->dir);
    inode_touch(to->dir);
}

/* What stands in the way of the new name. */
static long make_way(const Where *from, const Where *to, unsigned flags)
{
    const Inode *moved = from->found->inode, *there = to->found ? to->found->inode : NULL;
    if (there && flags & RENAME_NOREPLACE)
        return -EEXIST;
    if (!there && flags & RENAME_EXCHANGE)
        return -ENOENT;
    if (moved->dir && is_beneath(to->dir, moved))
        return -EINVAL;
    if (!there || there == moved)
        return 0;
    if (there->dir && is_beneath(from->dir, there))
        return flags & RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
    if (flags & RENAME_EXCHANGE)
        return 0;
    if (there->dir != moved->dir)
        return there->dir ? -EISDIR : -ENOTDIR;
    return there->n ? -ENOTEMPTY : 0;
}

long ramdisk_rename(int dir, const char *path, int dir2, const char *path2, unsigned flags)
{
    assert(flags <= (RENAME_EXCHANGE | RENAME_NOREPLACE));
    Where from, to;
    long got = walk(dir, path, &from);
    got = got < 0 ? got : walk(dir2, path2, &to);
    if (got < 0)
        return got;
    if (!from.found || to.n == 0 || !to.dir->names)
        return from.n == 0 || to.n == 0 ? -EBUSY : -ENOENT;
    Inode *moved = from.found->inode;
    got = make_way(&from, &to, flags);
    if (got < 0 || (to.found && to.found->inode == moved))
        return got;
    if (flags & RENAME_EXCHANGE) {
        exchange(&from, &to);
        return 0;
    }
    if (to.found)
        entry_drop(to.dir, to.found);
    entry_add(to.dir, to.name, to.n, moved);
    entry_drop(from.dir, entry_find(from.dir, from.name, from.n));
    return 0;
}

/* --- Bytes ----------------------------------------------------------------------------- */

static bool reserve(Inode *i, size_t n)
{
    if (n <= i->room)
        return true;
    if (i->mapped)
        return false;
    size_t room = n < 512 ? 512 : n * 2;
    i->data = mem_grow(i->data, room);
    i->room = room;
    return true;
}

static bool resize(Inode *i, size_t n)
{
    if (!reserve(i, n))
        return false;
    if (n > i->size)
        memset(i->data + i->size, 0, n - i->size);
    i->size = n;
    return true;
}

long ramdisk_read(int fd, void *to, size_t n, off_t at)
{
    Opened *o = opened_by(fd);
    if (!o || !opened_for_reading(o))
        return -EBADF;
    const Inode *i = o->inode;
    if (i->dir)
        return -EISDIR;
    size_t from = (size_t)(at < 0 ? o->at : at);
    size_t got = from < i->size ? i->size - from : 0;
    got = got < n ? got : n;
    if (got)
        memcpy(to, i->data + from, got);
    if (at < 0)
        o->at += (off_t)got;
    return (long)got;
}

long ramdisk_write(int fd, const void *data, size_t n, off_t at)
{
    Opened *o = opened_by(fd);
    if (!o || !opened_for_writing(o))
        return -EBADF;
    Inode *i = o->inode;
    bool moves = at < 0;
    if (o->flags & O_APPEND) /* wherever the caller wanted it, as Linux has it */
        at = (off_t)i->size;
    else if (moves)
        at = o->at;
    size_t end = (size_t)at + n;
    if (n && end > i->size && !resize(i, end))
        return -ENOSPC;
    if (n)
        memcpy(i->data + at, data, n);
    if (moves)
        o->at = (off_t)end;
    inode_touch(i);
    return (long)n;
}

long ramdisk_seek(int fd, off_t to, int whence)
{
    Opened *o = opened_by(fd);
    if (!o)
        return -EBADF;
    assert(whence == SEEK_SET || whence == SEEK_CUR || whence == SEEK_END);
    off_t from = whence == SEEK_CUR ? o->at : whence == SEEK_END ? (off_t)o->inode->size : 0;
    if (from + to < 0)
        return -EINVAL;
    return o->at = from + to;
}

long ramdisk_truncate(int fd, off_t size)
{
    Opened *o = opened_by(fd);
    if (!o || o->flags & O_PATH)
        return -EBADF;
    if (!opened_for_writing(o) || size < 0)
        return -EINVAL;
    if (!resize(o->inode, (size_t)size))
        return -ENOSPC;
    inode_touch(o->inode);
    return 0;
}

/* --- Maps ------------------------------------------------------------------------------ */

/* There are one or two at a time. */
static struct RamMap {
    const char *p;
    Inode *inode;
} maps[8];

void *ramdisk_map(int fd, size_t n, off_t at)
{
    const Opened *o = opened_by(fd);
    assert(o && !o->inode->dir && (size_t)at + n <= MAP_MAX);
    Inode *i = o->inode;
    if (!i->mapped && !reserve(i, MAP_MAX))
        return NULL;
    i->mapped = true;
    for (size_t k = 0; k < COUNT_OF(maps); k++)
        if (!maps[k].p) {
            maps[k] = (struct RamMap){ i->data + at, i };
            i->opens++;
            return i->data + at;
        }
    return NULL;
}

bool ramdisk_unmap(const void *p)
{
    for (size_t k = 0; k < COUNT_OF(maps); k++)
        if (maps[k].p && maps[k].p == p) {
            Inode *i = maps[k].inode;
            maps[k] = (struct RamMap){ 0 };
            i->opens--;
            inode_let_go(i);
            return true;
        }
    return false;
}

/* --- Looking --------------------------------------------------------------------------- */

static void describe(const Inode *i, struct stat *out)
{
    *out = (struct stat){ .st_dev = DEVICE,
                          .st_ino = i->number,
                          .st_mode = i->dir ? S_IFDIR | 0700 : S_IFREG | 0600,
                          .st_nlink = i->dir && i->names ? 2 : i->names,
                          .st_size = (off_t)i->size,
                          .st_blksize = 4096,
                          .st_blocks = (blkcnt_t)((i->size + 511) / 512),
                          .st_mtim = i->modified,
                          .st_ctim = i->changed };
}

long ramdisk_fstat(int fd, struct stat *out)
{
    const Opened *o = opened_by(fd);
    if (!o)
        return -EBADF;
    describe(o->inode, out);
    return 0;
}

long ramdisk_stat(int dir, const char *path, struct stat *out)
{
    Where w;
    long got = walk(dir, path, &w);
    const Inode *i = got < 0 ? NULL : inode_at(&w);
    if (i)
        describe(i, out);
    return got < 0 ? got : i ? 0 : -ENOENT;
}

long ramdisk_set_time(int fd, struct timespec modified)
{
    const Opened *o = opened_by(fd);
    if (!o)
        return -EBADF;
    o->inode->modified = modified;
    o->inode->changed = inode_now();
    return 0;
}

static void tell(struct dirent *out, const Inode *i, const char *name, size_t n)
{
    out->d_ino = i->number;
    out->d_type = i->dir ? DT_DIR : DT_REG;
    out->d_reclen = sizeof *out;
    memcpy(out->d_name, name, n);
    out->d_name[n] = 0;
}

long ramdisk_next(int fd, uint64_t *cookie, struct dirent *out)
{
    const Opened *o = opened_by(fd);
    if (!o || !o->inode->dir)
        return -EBADF;
    const Inode *dir = o->inode;
    if (*cookie < 2) {
        tell(out, *cookie ? dir->parent : dir, "..", 1 + (size_t)*cookie);
        return (long)++*cookie;
    }
    for (size_t i = 0; i < dir->n; i++) {
        const Entry *e = &dir->entries[i];
        if (e->cookie <= *cookie)
            continue;
        *cookie = e->cookie;
        tell(out, e->inode, e->name, e->n);
        return 1;
    }
    return 0;
}

/* --- Locks ----------------------------------------------------------------------------- */

static long lease(const Inode *i, long kind)
{
    return kind == F_RDLCK && i->writers ? -EAGAIN : 0;
}

/* What is locked must be open for it. */
static long lock(Opened *o, const void *owner, const struct flock *wanted)
{
    bool may = wanted->l_type == F_RDLCK   ? opened_for_reading(o)
               : wanted->l_type == F_WRLCK ? opened_for_writing(o)
                                           : !(o->flags & O_PATH);
    return may ? ramlock_set(&o->inode->locks, owner, wanted) : -EBADF;
}

static long locked(const Opened *o, const void *owner, struct flock *wanted)
{
    return o->flags & O_PATH ? -EBADF : ramlock_get(&o->inode->locks, owner, wanted);
}

long ramdisk_fcntl(int fd, int command, void *arg)
{
    Opened *o = opened_by(fd);
    if (!o)
        return -EBADF;
    switch (command) {
    case F_GETFL:
        return o->flags;
    case F_GETFD:
        return FD_CLOEXEC;
    case F_SETFD:
    case F_SETSIG:
        return 0;
    case F_DUPFD_CLOEXEC:
        return ramdisk_dup(fd);
    case F_SETLEASE:
        return lease(o->inode, (long)(intptr_t)arg);
    case F_SETLK:
        return lock(o, RAMLOCK_PROCESS, arg);
    case F_GETLK:
        return locked(o, RAMLOCK_PROCESS, arg);
    case F_OFD_SETLK:
        return lock(o, o, arg);
    case F_OFD_GETLK:
        return locked(o, o, arg);
    default:
        assert(false);
        return -EINVAL;
    }
}
