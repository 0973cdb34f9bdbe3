/* candidate.c - selecting the best rows without sorting all of them.
 *
 * Hoare's selection: what is better than a pivot comes in front of it, what is
 * worse behind, and only the side in which the last wanted one lies is looked at
 * again.  No two candidates are equal, for no two have one place. */
#include "memory/search/candidate.h"

#include <assert.h>

static void swap(Candidate *a, Candidate *b)
{
    Candidate x = *a;
    *a = *b;
    *b = x;
}

/* Where the front ends; it never has all of them. */
static size_t part_them(Candidate *items, size_t low, size_t high)
{
    assert(high - low > 1);
    Candidate pivot = items[low + (high - low - 1) / 2];
    size_t i = low, k = high - 1;
    for (;; i++, k--) {
        while (candidate_better(&items[i], &pivot))
            i++;
        while (candidate_better(&pivot, &items[k]))
            k--;
        if (i >= k)
            return k + 1;
        swap(&items[i], &items[k]);
    }
}

void candidates_select(Candidate *items, size_t n, size_t want)
{
    size_t low = 0, high = n;
    while (low < want && high - low > 1) {
        size_t front = part_them(items, low, high);
        assert(low < front && front < high); /* it ends */
        if (front > want)
            high = front;
        else
            low = front;
    }
}

void candidates_keep(Candidates *c, size_t want)
{
    assert(want > 0);
    if (c->n <= want)
        return;
    candidates_select(c->items, c->n, want);
    c->n = want;
    c->worst = c->items[0];
    for (size_t i = 1; i < c->n; i++)
        if (candidate_better(&c->worst, &c->items[i]))
            c->worst = c->items[i];
    c->full = true;
}

/* By one byte of their places after the other, the lowest first. */
void candidates_by_place(Candidates *c, Arena *into)
{
    Candidate *from = c->items, *to = NEW_ARRAY(into, Candidate, c->n + 1);
    uint32_t most = 0;
    for (size_t i = 0; i < c->n; i++)
        most = c->items[i].place > most ? c->items[i].place : most;
    for (unsigned shift = 0; shift < 32 && most >> shift; shift += 8) {
        size_t at[257] = { 0 };
        for (size_t i = 0; i < c->n; i++)
            at[(from[i].place >> shift & 0xFF) + 1]++;
        for (size_t b = 1; b < COUNT_OF(at); b++)
            at[b] += at[b - 1];
        for (size_t i = 0; i < c->n; i++)
            to[at[from[i].place >> shift & 0xFF]++] = from[i];
        Candidate *spare = from;
        from = to;
        to = spare;
    }
    c->items = from;
    c->cap = c->n;
}
