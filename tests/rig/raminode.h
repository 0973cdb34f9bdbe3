/* raminode.h - Inode and Opened, what the names and the descriptors of the ramdisk lead to.
 *
 * An inode lives while a name or a descriptor leads to it.  A directory is an
 * array of names in the order in which they were made: each has a number that
 * only grows, so that a listing goes on where it was, whatever has happened to
 * the directory meanwhile. */
#ifndef RIG_RAMINODE_H
#define RIG_RAMINODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "rig/ramlock.h"

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

extern Inode inode_root;

/* A moment behind all others. */
struct timespec inode_now(void);
void inode_touch(Inode *i);

/* The caller gives it a name, or opens it. */
Inode *inode_new(bool dir);
/* Free it, if nothing leads to it any more. */
void inode_let_go(Inode *i);

/* NULL: there is none. */
Entry *entry_find(const Inode *dir, const char *name, size_t n);
void entry_add(Inode *dir, const char *name, size_t n, Inode *to);
void entry_drop(Inode *dir, Entry *e);

/* A new descriptor. */
long inode_open(Inode *i, int flags);
/* NULL: no such descriptor. */
Opened *opened_by(int fd);
bool opened_for_reading(const Opened *o);
bool opened_for_writing(const Opened *o);

#endif
