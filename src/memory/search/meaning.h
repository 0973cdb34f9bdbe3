/* meaning.h - Meaning, how near each row is to a question, by the vectors of an embeddings server.
 *
 * As likeness.h, for rows of every kind and vectors that somebody else made: every row is compared,
 * in whole numbers.  The mean of all rows is taken off, as there, so a row that has no vector yet
 * stands at 0, neither near nor far.  Where a question has no vector, words are all there is. */
#ifndef MEMORY_SEARCH_MEANING_H
#define MEMORY_SEARCH_MEANING_H

#include "memory/search/row_vectors.h"

typedef struct Meaning {
    uint64_t made_of, vectors; /* the view, and the state of the index's vectors; 0: none */
    uint32_t columns;
    uint32_t known;    /* rows that have a vector */
    uint32_t rows;     /* of the view */
    const int8_t **at; /* by place; NULL: none.  Borrowed from the index. */
    uint32_t *length;  /* by place, in 256ths; 0: it has no direction */
    int32_t *common;   /* by place: what it has of the mean, in ONE */
    uint32_t *away;    /* by place: how far it is from the mean, in ONE; 0: it has no vector */
    int8_t mean[ROW_VECTOR_COLUMNS_MAX];
    uint32_t mean_length; /* of those numbers, in 256ths */
    int32_t mean_size;    /* of the mean of unit vectors, in ONE */
} Meaning;

/* What the vectors of a model say of a view.  False: a segment is bad. */
typedef struct MeaningSource {
    const View *view;
    const RowVectors *vectors;
    size_t n;
    uint64_t number; /* of this state of them: no other of this process has it */
    Str model;
} MeaningSource;
MUST_USE bool meaning_make(Meaning *m, const MeaningSource *from);
void meaning_free(Meaning *m);

/* By place, in ONE, from -ONE to ONE, in `into`; NULL: nothing can be said. */
const int32_t *meaning_find(const Meaning *m, const int8_t *question, uint32_t columns,
                            Arena *into);

#endif
