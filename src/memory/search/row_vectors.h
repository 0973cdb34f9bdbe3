/* row_vectors.h - RowVectors, what an embeddings server said of rows: a file of whole numbers.
 *
 *   head     format, columns, how many, the model's name
 *   keys     64 bits for each row, ascending (row_key)
 *   rows     of each `columns` numbers of eight bits
 *   sum      a checksum of all before it
 *
 * Only directions count, so a vector is scaled to what eight bits hold and its length forgotten.
 * A key names a version: stream, record and text.  Nobody else's vector is found by it, and one
 * whose row is not live is found by nobody and goes when the file is written again.  A vector says
 * something about its text, so it is forgotten as the text is (index.c). */
#ifndef MEMORY_SEARCH_ROW_VECTORS_H
#define MEMORY_SEARCH_ROW_VECTORS_H

#include "memory/search/view.h"

enum {
    ROW_VECTOR_COLUMNS_MAX = 4096,
    ROW_VECTOR_MODEL_MAX = 200,
    ROW_VECTORS_BYTES_MAX = 512 * 1024 * 1024, /* of a file */
};

typedef struct RowVectors {
    uint64_t id;    /* of its file; 0: it has none */
    uint64_t bytes; /* of that */
    Buf own;        /* all of it, once it was read */
    bool tried;     /* to read it */
    Str model;
    uint32_t columns, n;
    const uint64_t *keys;
    const int8_t *rows;
} RowVectors;

/* From bytes that are taken over.  False: they are none, or not whole. */
MUST_USE bool row_vectors_from_bytes(RowVectors *v, Buf *bytes);
void row_vectors_free(RowVectors *v);
/* The vector with this key; NULL: there is none. */
const int8_t *row_vectors_find(const RowVectors *v, uint64_t key);

/* The keys of all rows of a view, by place, in `into`; NULL: a segment is bad. */
const uint64_t *row_keys(const View *v, Arena *into);

/* --- Writing ----------------------------------------------------------------------------- */

/* One that is to be written. */
typedef struct RowVector {
    uint64_t key;
    const int8_t *of; /* borrowed */
} RowVector;

/* Sorts them; of several with one key the first stays. */
void row_vectors_write(Str model, uint32_t columns, RowVector *items, size_t n, Buf *out);

/* --- Numbers ----------------------------------------------------------------------------- */

/* The direction of a vector in eight bits a column. */
void row_vector_take(const float *from, size_t columns, int8_t *to);
/* The sum of products: by the processor's vector instructions, and by none; both are the same. */
int32_t row_vector_dot(const int8_t *a, const int8_t *b, size_t columns);
int32_t row_vector_dot_plain(const int8_t *a, const int8_t *b, size_t columns);

#endif
