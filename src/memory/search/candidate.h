/* candidate.h - the rows that may be among the best, by a rough score. */
#ifndef MEMORY_SEARCH_CANDIDATE_H
#define MEMORY_SEARCH_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct Candidate {
    uint32_t place;
    uint32_t first; /* its rough score */
} Candidate;

typedef struct Candidates {
    Candidate *items;
    size_t n, cap;
    Candidate worst; /* of those that are kept, once there are enough */
    bool full;
} Candidates;

/* The better of two, and of equals the one that comes first. */
static inline bool candidate_better(const Candidate *a, const Candidate *b)
{
    return a->first != b->first ? a->first > b->first : a->place < b->place;
}

/* The best `want` of them come to the front, in any order: no more is sorted than must be. */
void candidates_select(Candidate *items, size_t n, size_t want);
/* Only the best `want` stay. */
void candidates_keep(Candidates *c, size_t want);
void candidates_by_place(Candidates *c, Arena *into);

#endif
