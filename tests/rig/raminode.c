/* raminode.c - inodes, the names in a directory, and descriptors. */
#include "rig/raminode.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "rig/ramdisk.h"

enum { TICK_NS = 1000 };

Inode inode_root = { .number = 1, .dir = true, .names = 1, .parent = &inode_root };
static ino_t last_number = 1;
static uint64_t last_cookie = 2; /* 1 and 2 are the dots */
static Opened **opened;          /* by descriptor */
static size_t opened_n, opened_cap, opened_live;

/* --- Time ------------------------------------------------------------------------------ */

/* It begins with the system's and moves with every change: no two are made in the same moment. */
struct timespec inode_now(void)
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

void inode_touch(Inode *i)
{
    i->modified = i->changed = inode_now();
}

/* --- Inodes ---------------------------------------------------------------------------- */

Inode *inode_new(bool dir)
{
    Inode *i = mem_alloc(sizeof *i);
    i->number = ++last_number;
    i->dir = dir;
    inode_touch(i);
    return i;
}

void inode_let_go(Inode *i)
{
    if (i->names || i->opens)
        return;
    assert(i->n == 0);
    ramlock_free(&i->locks);
    free(i->data);
    free(i->entries);
    free(i);
}

Entry *entry_find(const Inode *dir, const char *name, size_t n)
{
    for (size_t i = 0; i < dir->n; i++)
        if (dir->entries[i].n == n && memcmp(dir->entries[i].name, name, n) == 0)
            return &dir->entries[i];
    return NULL;
}

void entry_add(Inode *dir, const char *name, size_t n, Inode *to)
{
    if (dir->n == dir->cap) {
        dir->cap = dir->cap ? dir->cap * 2 : 8;
        dir->entries = mem_grow(dir->entries, dir->cap * sizeof *dir->entries);
    }
    Entry *e = &dir->entries[dir->n++];
    *e = (Entry){ .cookie = ++last_cookie, .inode = to, .n = n, .name = mem_alloc(n + 1) };
    memcpy(e->name, name, n);
    to->names++;
    to->changed = inode_now();
    if (to->dir)
        to->parent = dir;
    inode_touch(dir);
}

void entry_drop(Inode *dir, Entry *e)
{
    Inode *to = e->inode;
    free(e->name);
    size_t behind = (size_t)(dir->entries + dir->n - (e + 1));
    memmove(e, e + 1, behind * sizeof *e);
    dir->n--;
    inode_touch(dir);
    to->names--;
    to->changed = inode_now();
    inode_let_go(to);
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

Opened *opened_by(int fd)
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

bool opened_for_writing(const Opened *o)
{
    return !(o->flags & O_PATH) && (o->flags & O_ACCMODE) != O_RDONLY;
}

bool opened_for_reading(const Opened *o)
{
    return !(o->flags & O_PATH) && (o->flags & O_ACCMODE) != O_WRONLY;
}

long inode_open(Inode *i, int flags)
{
    Opened *o = mem_alloc(sizeof *o);
    *o = (Opened){ .inode = i, .flags = flags };
    i->opens++;
    i->writers += opened_for_writing(o);
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
    i->writers -= opened_for_writing(o);
    i->opens--;
    free(o);
    inode_let_go(i);
    return 0;
}

long ramdisk_dup(int fd)
{
    Opened *o = opened_by(fd);
    return o ? new_descriptor(o) : -EBADF;
}
