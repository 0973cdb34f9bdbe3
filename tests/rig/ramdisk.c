/* ramdisk.c - inodes, names and descriptors in memory.
 *
 * An inode lives while a name or a descriptor leads to it.  A directory is an
 * array of names in the order in which they were made: each has a number that
 * only grows, so that a listing goes on where it was, whatever has happened to
 * the directory meanwhile. */
#include "rig/ramdisk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "rig/ramlock.h"

enum { DEVICE = 0x4A4F54, MAP_MAX = 4 << 20, TICK_NS = 1000 };

typedef struct Entry {
    uint64_t cookie;
    struct Inode *inode;
    size_t n;
    char *name;
} Entry;

typedef struct Inode {
    ino_t number;
    bool dir;
    unsigned names, opens, writers;
    struct timespec modified, changed;
    /* A file. */
    char *data;
    size_t size, room;
    bool mapped; /* once: the bytes do not move any more */
    RamLocks locks;
    /* A directory. */
    struct Inode *parent;
    Entry *entries;
    size_t n, cap;
} Inode;

/* What an open has made; several descriptors may share it. */
typedef struct Opened {
    Inode *inode;
    int flags;
    unsigned refs;
    off_t at;
} Opened;

static Inode root = { .number = 1, .dir = true, .names = 1, .parent = &root };
static ino_t last_number = 1;
static uint64_t last_cookie = 2; /* 1 and 2 are the dots */
static Opened **opened;          /* by descriptor */
static size_t opened_n, opened_cap, opened_live;

/* --- Time ------------------------------------------------------------------------------ */

/* It begins with the system's and moves with every change: no two are made in the same moment. */
static struct timespec now(void)
{
    static struct timespec t;
    if (t.tv_sec == 0)
        clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += TICK_NS;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static void touch(Inode *i)
{
    i->modified = i->changed = now();
}

/* --- Inodes ---------------------------------------------------------------------------- */

static Inode *new_inode(bool dir)
{
    Inode *i = mem_alloc(sizeof *i);
    i->number = ++last_number;
    i->dir = dir;
    touch(i);
    return i;
}

static void let_go(Inode *i)
{
    if (i->names || i->opens)
        return;
    assert(i->n == 0);
    ramlock_free(&i->locks);
    free(i->data);
    free(i->entries);
    free(i);
}

static Entry *find(const Inode *dir, const char *name, size_t n)
{
    for (size_t i = 0; i < dir->n; i++)
        if (dir->entries[i].n == n && memcmp(dir->entries[i].name, name, n) == 0)
            return &dir->entries[i];
    return NULL;
}

static void add_entry(Inode *dir, const char *name, size_t n, Inode *to)
{
    if (dir->n == dir->cap) {
        dir->cap = dir->cap ? dir->cap * 2 : 8;
        dir->entries = mem_grow(dir->entries, dir->cap * sizeof *dir->entries);
    }
    Entry *e = &dir->entries[dir->n++];
    *e = (Entry){ .cookie = ++last_cookie, .inode = to, .n = n, .name = mem_alloc(n + 1) };
    memcpy(e->name, name, n);
    to->names++;
    to->changed = now();
    if (to->dir)
        to->parent = dir;
    touch(dir);
}

static void drop_entry(Inode *dir, Entry *e)
{
    Inode *to = e->inode;
    free(e->name);
    size_t behind = (size_t)(dir->entries + dir->n - (e + 1));
    memmove(e, e + 1, behind * sizeof *e);
    dir->n--;
    touch(dir);
    to->names--;
    to->changed = now();
    let_go(to);
}

/* --- Descriptors ----------------------------------------------------------------------- */

bool ramdisk_has_fd(int fd)
{
    return fd >= RAMDISK_FD;
}

static bool is_here(const char *path)
{
    size_t n = sizeof RAMDISK - 1;
    return strncmp(path, RAMDISK, n) == 0 && (path[n] == '/' || path[n] == 0);
}

bool ramdisk_has(int dir, const char *path)
{
    return path[0] == '/' ? is_here(path) : ramdisk_has_fd(dir);
}

size_t ramdisk_descriptors(void)
{
    return opened_live;
}

static Opened *opened_by(int fd)
{
    size_t i = (size_t)(fd - RAMDISK_FD);
    return fd >= RAMDISK_FD && i < opened_n ? opened[i] : NULL;
}

static long new_descriptor(Opened *o)
{
    size_t i = 0;
    while (i < opened_n && opened[i])
        i++;
    if (i == opened_cap) {
        opened_cap = opened_cap ? opened_cap * 2 : 64;
        opened = mem_grow(opened, opened_cap * sizeof(Opened *));
    }
    opened_n += i == opened_n;
    opened[i] = o;
    o->refs++;
    opened_live++;
    return RAMDISK_FD + (long)i;
}

static bool may_write(const Opened *o)
{
    return !(o->flags & O_PATH) && (o->flags & O_ACCMODE) != O_RDONLY;
}

static bool may_read(const Opened *o)
{
    return !(o->flags & O_PATH) && (o->flags & O_ACCMODE) != O_WRONLY;
}

static long open_inode(Inode *i, int flags)
{
    Opened *o = mem_alloc(sizeof *o);
    *o = (Opened){ .inode = i, .flags = flags };
    i->opens++;
    i->writers += may_write(o);
    return new_descriptor(o);
}

long ramdisk_close(int fd)
{
    Opened *o = opened_by(fd);
    if (!o)
        return -EBADF;
    opened[fd - RAMDISK_FD] = NULL;
    opened_live--;
    Inode *i = o->inode;
    if (!(o->flags & O_PATH))
        ramlock_drop(&i->locks, RAMLOCK_PROCESS);
    if (--o->refs > 0)
        return 0;
    ramlock_drop(&i->locks, o);
    i->writers -= may_write(o);
    i->opens--;
    free(o);
    let_go(i);
    return 0;
}

long ramdisk_dup(int fd)
{
    Opened *o = opened_by(fd);
    return o ? new_descriptor(o) : -EBADF;
}

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
    *out = o ? o->inode : &root;
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
        Entry *e = is_dot(path, n) ? NULL : find(out->dir, path, n);
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
    *out = new_inode(dir);
    add_entry(w->dir, w->name, w->n, *out);
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
    long fd = open_inode(i, flags);
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
    drop_entry(w.dir, w.found);
    return 0;
}

static bool is_beneath(const Inode *dir, const Inode *above)
{
    for (; dir != &root; dir = dir->parent)
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
    a->changed = b->changed = now();
    touch(from->dir);
    touch(to->dir);
}

/* What stands in the way of the new name. */
static long make_way(const Inode *moved, const Where *to, unsigned flags)
{
    const Inode *there = to->found ? to->found->inode : NULL;
    if (moved->dir && is_beneath(to->dir, moved))
        return -EINVAL;
    if (!there)
        return flags & RENAME_EXCHANGE ? -ENOENT : 0;
    if (flags & RENAME_NOREPLACE)
        return -EEXIST;
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
    got = make_way(moved, &to, flags);
    if (got < 0 || (to.found && to.found->inode == moved))
        return got;
    if (flags & RENAME_EXCHANGE) {
        exchange(&from, &to);
        return 0;
    }
    if (to.found)
        drop_entry(to.dir, to.found);
    add_entry(to.dir, to.name, to.n, moved);
    drop_entry(from.dir, find(from.dir, from.name, from.n));
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
    if (!o || !may_read(o))
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
    if (!o || !may_write(o))
        return -EBADF;
    Inode *i = o->inode;
    bool moves = at < 0;
    if (moves)
        at = o->flags & O_APPEND ? (off_t)i->size : o->at;
    size_t end = (size_t)at + n;
    if (n && end > i->size && !resize(i, end))
        return -ENOSPC;
    if (n)
        memcpy(i->data + at, data, n);
    if (moves)
        o->at = (off_t)end;
    touch(i);
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
    if (!may_write(o) || size < 0)
        return -EINVAL;
    if (!resize(o->inode, (size_t)size))
        return -ENOSPC;
    touch(o->inode);
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
            let_go(i);
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
    o->inode->changed = now();
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
        return ramlock_set(&o->inode->locks, RAMLOCK_PROCESS, arg);
    case F_GETLK:
        return ramlock_get(&o->inode->locks, RAMLOCK_PROCESS, arg);
    case F_OFD_SETLK:
        return ramlock_set(&o->inode->locks, o, arg);
    case F_OFD_GETLK:
        return ramlock_get(&o->inode->locks, o, arg);
    default:
        assert(false);
        return -EINVAL;
    }
}
