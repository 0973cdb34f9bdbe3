/* tree.h - Tree, the names of a small file system, and Image, names with their bytes.
 *
 * An inode is a number; 0 is the root directory.  A name stands in a directory
 * and leads to an inode, as on a disk: a write goes to the inode wherever its
 * name has moved, and a name that was removed and made again leads to another
 * inode.  There are no hard links: an inode has one name, the one set last.
 *
 * A Tree is an array that is searched from end to end: the pads of the rigs
 * have a few dozen names, and copying one must cost next to nothing. */
#ifndef RIG_TREE_H
#define RIG_TREE_H

#include "base/str.h"

enum { TREE_ROOT = 0 };

typedef struct Name {
    int dir;
    int inode;
    uint64_t hash;    /* of the text: names are compared by it alone */
    const char *text; /* borrowed: whoever fills the tree keeps it alive */
} Name;

typedef struct Tree {
    Name *items;
    size_t n, cap;
} Tree;

/* Hashes of 64 bits are enough to tell a few million states apart; never 0. */
uint64_t mix64(uint64_t a, uint64_t b);
uint64_t bytes_hash(Str s);

/* The name in that directory, or NULL.  Borrowed: the next change may move it. */
Name *tree_find(const Tree *t, int dir, uint64_t hash);
/* Let the name lead to `inode`, which loses the name it had. */
void tree_set(Tree *t, int dir, const char *text, uint64_t hash, int inode);
void tree_remove(Tree *t, int dir, uint64_t hash);
void tree_copy(Tree *to, const Tree *from);
void tree_free(Tree *t);

/* The path of an inode from the root, "" for the root itself, "?" if no name leads there. */
void tree_path(const Tree *t, int inode, char *out, size_t size);

typedef struct Content {
    Str bytes;
    uint64_t hash;
} Content;

/* What a disk holds: names, and for every file the bytes. */
typedef struct Image {
    Tree names;
    const Content **contents; /* by inode; NULL: a directory */
    size_t inodes;
} Image;

/* One number for everything that can be reached from the root. */
uint64_t image_hash(const Image *image);

#endif
