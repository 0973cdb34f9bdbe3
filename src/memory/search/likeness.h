/* likeness.h - Likeness, how near each turn of a run is to a question in meaning.
 *
 * A row's vector is the sum of those of its words (vectors.h), each counted by how rare it is in
 * the pad, less the mean of all rows, of length one.  The mean is what all texts of a pad have in
 * common; with it every row would be near every question.
 *
 * It is made from the index alone, in memory, once for a view: nothing of it is kept, so nothing is
 * left of what was purged. */
#ifndef MEMORY_SEARCH_LIKENESS_H
#define MEMORY_SEARCH_LIKENESS_H

#include "memory/search/query.h"
#include "memory/search/vectors.h"
#include "memory/search/view.h"

enum { LIKENESS_ROWS_MAX = 200 * 1000 /* of runs; a view with more does without */ };

typedef struct Likeness {
    Vectors *vectors;  /* NULL: there are none */
    bool looked;       /* for them */
    uint64_t made_of;  /* the view it was made from; 0: none */
    uint32_t first, n; /* the first row of a run, and how many there are */
    int16_t *rows;     /* n times VECTOR_COLUMNS */
    Vector mean;
} Likeness;

/* By place, in ONE, from -ONE to ONE, in `into`; 0 for what is no turn.  NULL: without vectors, and
 * where a question has no word that they know.  *bad: a segment is. */
const int32_t *likeness_find(Likeness *l, const View *view, const Query *query, Stemmer *stemmer,
                             Arena *into, bool *bad);
void likeness_free(Likeness *l);

/* Of what was found: how near a row of these kinds must be so that no more than `most` are. */
int32_t likeness_least(const View *v, const int32_t *like, const bool *kinds, uint32_t most);
/* The nearest row of each session. */
const int32_t *likeness_sessions(const View *v, const int32_t *like, Arena *into);

#endif
