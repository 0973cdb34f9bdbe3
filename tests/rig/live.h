/* live.h - Live, a real directory and what is known to be in it.
 *
 * A rig turns one directory into thousands of crash states, one after the
 * other, and lets a store loose on each.  Live remembers which names are there
 * and what each file holds, the recorder's hook tells it what the store
 * changed, and so becoming the next state touches only what differs.
 *
 * What nobody announces to it, it does not know: see live_agrees. */
#ifndef RIG_LIVE_H
#define RIG_LIVE_H

#include <sys/types.h>

#include "base/arena.h"
#include "rig/tree.h"

typedef struct LiveInode {
    ino_t real; /* its number in the real file system; 0: not in use */
    bool dir;
    int fd;           /* directories: open while it is used */
    uint64_t content; /* files: hash of the bytes; 0: not known any more */
} LiveInode;

typedef struct Live {
    char root[200];
    Tree names; /* the texts are owned */
    LiveInode *inodes;
    size_t n, cap;
    bool recycle;          /* numbers of inodes without a name are given out again */
    const char *untracked; /* a name in the root that is nobody's business, or NULL */
} Live;

/* Adopt the directory `root` with all that is in it. */
void live_open(Live *l, const char *root, const char *untracked);
/* Let go of it; the directory stays. */
void live_close(Live *l);

/* The inode behind an open descriptor, or -1. */
int live_by_fd(const Live *l, int fd);
/* The inode at a path relative to `dir`, or -1. */
int live_lookup(const Live *l, int dir, const char *path);
/* The directory that holds the last component of `path`, which *last is set to; or -1. */
int live_parent(const Live *l, int dir, const char *path, const char **last);

/* What somebody else has done to the real directory. */
int live_added(Live *l, int dir, const char *name, ino_t real, bool is_dir);
void live_named(Live *l, int dir, const char *name, int inode);
void live_exchanged(Live *l, int dir, const char *name, int dir2, const char *name2);
void live_removed(Live *l, int dir, const char *name);
void live_written(Live *l, int inode);

/* Make the real directory hold exactly `image`. */
void live_become(Live *l, const Image *image);

/* Read everything; names and bytes live in `into`. */
void live_image(const Live *l, Arena *into, Image *out);

/* True if the names and types on disk are the ones known here; else *why says what is not. */
bool live_agrees(const Live *l, char *why, size_t size);

/* A whole file, or {0} with *found false. */
Str file_read(int dir, const char *path, Arena *into, bool *found);
/* Remove a directory and what is in it.  It need not exist. */
void dir_remove(const char *path);

#endif
