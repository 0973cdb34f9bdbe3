/* diff.h - Diff, how one text becomes another, line by line; and merging two that began as one.
 *
 * A line includes its line break; a last line may lack it, and is then another
 * line than the same with one.  The work is bounded: texts that would take too
 * long get a diff that is larger than it need be and still right (`coarse`). */
#ifndef MEMORY_DOC_DIFF_H
#define MEMORY_DOC_DIFF_H

#include "base/arena.h"
#include "base/buf.h"

enum {
    DIFF_CONTEXT = 3,         /* lines shown around a change */
    DIFF_LINES_MAX = 1 << 20, /* a side, between the equal ends; beyond it the diff is coarse */
    DIFF_WORK_MAX = 1 << 26,  /* steps; about a third of a second */
};

/* The lines of a text. */
typedef struct DiffLines {
    Str text;
    uint32_t *at; /* n + 1 of them: where each begins, and the end */
    size_t n;
} DiffLines;

/* Texts have at most STORE_BODY_MAX bytes; the offsets live in `into`. */
DiffLines lines_of(Str text, Arena *into);
/* Lines [from, to) as one run of bytes. */
Str lines_slice(const DiffLines *l, size_t from, size_t to);

/* `a_n` lines at `a` of the first text are `b_n` lines at `b` of the second; not both are 0. */
typedef struct Hunk {
    size_t a, a_n;
    size_t b, b_n;
} Hunk;

typedef struct Diff {
    DiffLines a, b;
    Hunk *hunks; /* in order; between two of them the texts are equal */
    size_t n;
    size_t added, removed; /* lines */
    bool coarse;
} Diff;

/* Lives in `into`, the texts are borrowed. */
void diff_make(Str a, Str b, Arena *into, Diff *out);

/* The diff as `diff -u` writes it, with names in its head; nothing at all for equal texts. */
void diff_write(const Diff *d, Str a_name, Str b_name, Buf *to);

typedef struct Merge {
    Str text;         /* with conflicts: both sides between <<<<<<<, ======= and >>>>>>> */
    size_t conflicts; /* 0: clean */
} Merge;

/* What comes of `base` if both changes are made to it.  Changes that touch each other are a
 * conflict unless they are the same.  The text lives in `into`. */
void diff_merge(Str base, Str mine, Str theirs, Arena *into, Merge *out);

#endif
