/* newest.c - the newest streams, in a heap whose first is the one to be dropped for a newer one.
 *
 *     a stream ──► older than the first? ──yes──► passed over
 *                        │ no, and there are `max`
 *                        ▼
 *                takes the first one's place, and sinks until those below it are newer:
 *
 *                             10:02                  every one is older than the two below it,
 *                            /     \                 so the oldest of all is on top
 *                        10:07     10:05
 *                        /   \
 *                    10:30   10:08
 *
 * So one pass over all names keeps `max` of them, whatever the size of the pad, and sorts only
 * those at the end.  Until there are `max` nothing has to be in order; then the heap is made once.
 */
#include "memory/newest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct Kept {
    Listed listed;
    bool ahead; /* its time is still to come: a clock was wrong, and it says nothing */
    char name[STORE_NAME_MAX], by[STORE_BY_MAX];
} Kept;

typedef struct Heap {
    const NewestAsk *ask;
    Kept **items;
    size_t n, cap;
    uint64_t seen;
    int64_t now_ms;
    const Io *io;
    bool late;
    Arena *into;
} Heap;

static bool is_older(const Kept *a, const Kept *b)
{
    if (a->ahead != b->ahead)
        return a->ahead;
    if (a->listed.mark.at_ms != b->listed.mark.at_ms)
        return a->listed.mark.at_ms < b->listed.mark.at_ms;
    return str_cmp(a->listed.name, b->listed.name) > 0;
}

/* Let the one at `at` sink until those below it are newer. */
static void sink_down(Heap *h, size_t at)
{
    assert(at < h->n && h->n <= h->ask->max);
    for (size_t below = 2 * at + 1; below < h->n; below = 2 * at + 1) {
        if (below + 1 < h->n && is_older(h->items[below + 1], h->items[below]))
            below++;
        if (!is_older(h->items[below], h->items[at]))
            return;
        Kept *other = h->items[at];
        h->items[at] = h->items[below];
        h->items[below] = other;
        at = below;
    }
}

/* The texts are copied into the place itself, so that it can be used again for a newer one. */
static void keep(Kept *k, const Listed *l, bool ahead)
{
    assert(l->name.n <= sizeof k->name && l->by.n <= sizeof k->by);
    k->listed = *l;
    k->ahead = ahead;
    k->listed.name.p = memcpy(k->name, l->name.p, l->name.n);
    k->listed.by.p = k->by;
    if (l->by.n)
        memcpy(k->by, l->by.p, l->by.n);
    k->listed.meta = (Str){ 0 };
}

static jot_status take(void *ctx, const Listed *l)
{
    Heap *h = ctx;
    h->late = h->ask->until_ms && io_awake_ms(h->io) >= h->ask->until_ms;
    if (h->late)
        return JOT_CANCELLED; /* for memory_newest alone */
    if (h->ask->takes && !h->ask->takes(h->ask->ctx, l))
        return JOT_OK;
    h->seen++;
    Kept given = { .listed = *l, .ahead = l->mark.at_ms - STORE_AHEAD_MS > h->now_ms };
    bool full = h->n == h->ask->max;
    if (full && !is_older(h->items[0], &given))
        return JOT_OK;
    if (!full) {
        h->items = arena_grow(h->into, h->items, h->n, &h->cap, sizeof(Kept *), alignof(Kept *));
        h->items[h->n++] = NEW(h->into, Kept);
    }
    keep(h->items[full ? 0 : h->n - 1], l, given.ahead);
    if (h->n < h->ask->max)
        return JOT_OK;
    for (size_t i = full ? 1 : h->n; i-- > 0;)
        sink_down(h, i);
    return JOT_OK;
}

static int newest_first(const void *a, const void *b)
{
    const Kept *x = *(Kept *const *)a, *y = *(Kept *const *)b;
    return is_older(x, y) - is_older(y, x);
}

jot_status memory_newest(Memory *m, const NewestAsk *ask, Arena *into, Newest *out, Err *e)
{
    assert(ask->max > 0 && list_takes_heads(ask->which));
    Heap h = { .ask = ask, .into = into, .now_ms = io_wall_ms(m->io), .io = m->io };
    jot_status st = memory_each_known(m, ask->prefix, ask->which, take, &h, e);
    if (!h.late)
        TRY(st);
    if (h.n)
        qsort(h.items, h.n, sizeof(Kept *), newest_first);
    *out = (Newest){
        .items = NEW_ARRAY(into, Listed, h.n + 1), .n = h.n, .total = h.seen, .late = h.late
    };
    for (size_t i = 0; i < h.n; i++)
        out->items[i] = h.items[i]->listed;
    return JOT_OK;
}
