/* run_newest.c - which run was written to last, and the ones before it.
 *
 * Runs are listed by name, that is by when they began, so all of them are looked at; no more than
 * were asked for are kept, in a heap whose first is the one to be dropped for a newer one. */
#include "memory/run/run_newest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Heap {
    RunLine *items;
    size_t n, max;
    uint64_t seen;
    Arena *arena;
} Heap;

static bool is_older(const RunLine *a, const RunLine *b)
{
    if (a->ahead != b->ahead)
        return a->ahead;
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : str_cmp(a->id, b->id) < 0;
}

/* Let the one at `at` sink until those below it are newer. */
static void sink_down(Heap *h, size_t at)
{
    for (size_t below = 2 * at + 1; below < h->n; below = 2 * at + 1) {
        if (below + 1 < h->n && is_older(&h->items[below + 1], &h->items[below]))
            below++;
        if (!is_older(&h->items[below], &h->items[at]))
            return;
        RunLine other = h->items[at];
        h->items[at] = h->items[below];
        h->items[below] = other;
        at = below;
    }
}

static jot_status keep_newest(void *ctx, const RunLine *l)
{
    Heap *h = ctx;
    h->seen++;
    if (h->n == h->max && !is_older(&h->items[0], l))
        return JOT_OK;
    RunLine *to = h->n < h->max ? &h->items[h->n++] : &h->items[0];
    *to = *l;
    to->id = arena_copy(h->arena, l->id);
    to->by = arena_copy(h->arena, l->by);
    if (h->n < h->max)
        return JOT_OK;
    for (size_t i = h->seen == h->max ? h->n : 1; i-- > 0;)
        sink_down(h, i);
    return JOT_OK;
}

static int newest_first(const void *a, const void *b)
{
    return is_older(a, b) - is_older(b, a);
}

jot_status run_newest(Memory *m, size_t max, Arena *into, RunNewest *out, Err *e)
{
    assert(max > 0);
    Heap h = { .items = NEW_ARRAY(into, RunLine, max), .max = max, .arena = into };
    TRY(run_list(m, keep_newest, &h, e));
    qsort(h.items, h.n, sizeof *h.items, newest_first);
    *out = (RunNewest){ .items = h.items, .n = h.n, .total = h.seen };
    return JOT_OK;
}

RunStep run_last_step(Memory *m, Str id, Arena *into)
{
    Record head;
    Str stream = arena_printf(into, "runs/" STR_FMT, STR_ARG(id));
    if (store_head(m->store, stream, HEAD_RECORD, into, &head, &(Err){ 0 }) != JOT_OK)
        return (RunStep){ .kind = RUN_ANSWER };
    return run_step_of(&head, into);
}

/* --- By name ------------------------------------------------------------------------------- */

typedef struct Last {
    RunLine line;
    char id[RUN_ID_MAX + 1];
} Last;

static jot_status keep_last(void *ctx, const RunLine *l)
{
    Last *last = ctx;
    if (l->id.n > RUN_ID_MAX || (last->id[0] && is_older(l, &last->line)))
        return JOT_OK;
    snprintf(last->id, sizeof last->id, STR_FMT, STR_ARG(l->id));
    last->line = *l;
    last->line.id = str(last->id);
    return JOT_OK;
}

jot_status run_named(Memory *m, Str id, Run *out, Err *e)
{
    Last last = { 0 };
    if (str_eq(id, S("last")))
        TRY(run_list(m, keep_last, &last, e));
    return run_at(m, last.id[0] ? str(last.id) : id, out, e);
}

jot_status run_open_named(Memory *m, Str id, Run *out, Err *e)
{
    TRY(run_named(m, id, out, e));
    return run_refresh(out, e);
}

/* --- Turns --------------------------------------------------------------------------------- */

typedef struct Before {
    uint64_t seq, turns;
} Before;

static jot_status count_turn(void *ctx, const RunStep *x)
{
    Before *b = ctx;
    b->turns += x->kind == RUN_REPLY && x->seq < b->seq;
    return x->seq < b->seq ? JOT_OK : JOT_CANCELLED;
}

jot_status run_turns_before(Run *r, uint64_t seq, uint64_t *out, Err *e)
{
    Before b = { .seq = seq };
    jot_status st = seq > 1 ? run_each(r, 1, count_turn, &b, NULL, e) : JOT_OK;
    *out = b.turns;
    return st == JOT_CANCELLED ? JOT_OK : st;
}
