/* vectors.h - Vectors, what words mean, as a table that the user brings.
 *
 * Words that mean the same seldom look the same.  A table of vectors, one for each piece that words
 * are made of, says how near two words are.  Jotter has none: one is made from a package by
 * tools/gen-vectors, which also says how it is laid out, and JOTTER_VECTORS names the file. Without
 * it, and with one that is not whole, words are compared as they are written, as always. */
#ifndef MEMORY_SEARCH_VECTORS_H
#define MEMORY_SEARCH_VECTORS_H

#include "base/err.h"
#include "base/str.h"

enum { VECTOR_COLUMNS = 64 };

typedef struct Vectors Vectors;

/* A vector is whole numbers: the same words give the same order on every processor. */
typedef struct Vector {
    int32_t of[VECTOR_COLUMNS];
} Vector;

/* The file that JOTTER_VECTORS names; NULL: it is not set, or empty. */
const char *vectors_path(void);
/* Read that file.  JOT_NOT_FOUND: there is none, or none is named.  JOT_CORRUPT: it is no table, or
 * not whole. */
MUST_USE jot_status vectors_open(Vectors **out, Err *e);
void vectors_close(Vectors *v); /* NULL is fine */
size_t vectors_pieces(const Vectors *v);

/* The vector of a word, in lower case: the sum of the longest pieces it can be put together from,
 * at most VECTOR_WORD in each column.  False: it has none. */
enum { VECTOR_WORD = 1 << 14 };
MUST_USE bool vectors_word(const Vectors *v, Str word, Vector *out);

#endif
