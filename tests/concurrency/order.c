/* order.c - positions against the clock: a sweep for each stream, a choice for those that have
 * one, and a search for cycles through guards.
 *
 * Equal moments count as overlapping: only a strictly earlier answer comes before. */
#include "order.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "graph.h"

/* --- Collecting ------------------------------------------------------------------------- */

static Place *add_place(Order *o, size_t worker, size_t index, uint16_t stream, Role role)
{
    if (o->n == o->cap) {
        o->cap = o->cap ? o->cap * 2 : 1024;
        o->places = mem_grow(o->places, o->cap * sizeof *o->places);
    }
    const Entry *e = &o->h->logs[worker].items[index];
    Place *p = &o->places[o->n++];
    *p = (Place){ .invoke_ns = e->invoke_ns,
                  .answer_ns = e->answered ? e->answer_ns : UINT64_MAX,
                  .worker = (uint32_t)worker,
                  .index = (uint32_t)index,
                  .stream = stream,
                  .role = (uint8_t)role };
    if (role == ROLE_GUARD)
        o->joined[stream] = o->joined[e->stream] = true;
    return p;
}

void order_place(Order *o, size_t worker, size_t index, uint16_t stream, Role role, uint64_t state)
{
    assert(state <= o->h->streams[stream].n);
    add_place(o, worker, index, stream, role)->state = state;
}

void order_vague(Order *o, size_t worker, size_t index, uint16_t stream, Role role)
{
    add_place(o, worker, index, stream, role)->vague = true;
}

void order_done(Order *o)
{
    free(o->places);
    *o = (Order){ 0 };
}

/* --- Sorting into positions ------------------------------------------------------------- */

/* Exact places by stream and position, vague ones apart. */
typedef struct Sorted {
    Place *exact, *vague;
    size_t exact_from[HISTORY_STREAMS_MAX + 1], vague_from[HISTORY_STREAMS_MAX + 1];
} Sorted;

static uint64_t position(const Place *p)
{
    return p->role == ROLE_MADE ? 2 * p->state : 2 * p->state + 1;
}

static void set_vague_apart(const Order *o, Sorted *out)
{
    size_t count[HISTORY_STREAMS_MAX] = { 0 };
    for (size_t i = 0; i < o->n; i++)
        count[o->places[i].stream] += o->places[i].vague;
    for (size_t s = 0; s < o->h->stream_n; s++) {
        out->vague_from[s + 1] = out->vague_from[s] + count[s];
        count[s] = out->vague_from[s];
    }
    for (size_t i = 0; i < o->n; i++)
        if (o->places[i].vague)
            out->vague[count[o->places[i].stream]++] = o->places[i];
}

/* A counting sort: positions are small and dense. */
static Sorted sort_places(const Order *o)
{
    const History *h = o->h;
    size_t slot[HISTORY_STREAMS_MAX + 1], slots = 0;
    for (size_t s = 0; s < h->stream_n; s++) {
        slot[s] = slots;
        slots += 2 * h->streams[s].n + 2;
    }
    slot[h->stream_n] = slots;
    size_t *start = mem_alloc((slots + 1) * sizeof *start);
    Sorted out = { .exact = mem_alloc((o->n + 1) * sizeof *out.exact),
                   .vague = mem_alloc((o->n + 1) * sizeof *out.vague) };
    for (size_t i = 0; i < o->n; i++)
        if (!o->places[i].vague)
            start[slot[o->places[i].stream] + position(&o->places[i]) + 1]++;
    for (size_t i = 0; i < slots; i++)
        start[i + 1] += start[i];
    for (size_t s = 0; s <= h->stream_n; s++)
        out.exact_from[s] = start[slot[s]];
    for (size_t i = 0; i < o->n; i++)
        if (!o->places[i].vague)
            out.exact[start[slot[o->places[i].stream] + position(&o->places[i])]++] = o->places[i];
    free(start);
    set_vague_apart(o, &out);
    return out;
}

/* --- The sweep -------------------------------------------------------------------------- */

static Culprit culprit(const Place *p)
{
    return (Culprit){ p->worker, p->index };
}

/* `late` began after `early` had ended, and yet stands before it. */
static void disagree(const Order *o, Verdict *v, const Place *late, const Place *early)
{
    Culprit both[] = { culprit(late), culprit(early) };
    const char *name = o->h->streams[late->stream].name;
    if (late->role == ROLE_GUARD || early->role == ROLE_GUARD)
        verdict_add(v, o->h, RULE_GUARD, both, 2,
                    "%s: state %" PRIu64 " was met after, and state %" PRIu64
                    " before, by operations in the other order",
                    name, late->state, early->state);
    else if (late->role != ROLE_MADE)
        verdict_add(v, o->h, RULE_STALE, both, 2,
                    "%s: the first saw record %" PRIu64 " after the second knew of %" PRIu64, name,
                    late->state, early->state);
    else if (early->role == ROLE_MADE)
        verdict_add(v, o->h, RULE_ORDER, both, 2,
                    "%s: the first made record %" PRIu64 " after the second had made %" PRIu64,
                    name, late->state, early->state);
    else
        verdict_add(v, o->h, RULE_FUTURE, both, 2,
                    "%s: record %" PRIu64 " was made after the second had seen record %" PRIu64,
                    name, late->state, early->state);
}

static void sweep(const Order *o, Verdict *v, const Place *places, size_t n)
{
    const Place *latest = NULL; /* the last to begin, of all at lower positions */
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && position(&places[end]) == position(&places[i])) {
            if (latest && latest->invoke_ns > places[end].answer_ns)
                disagree(o, v, latest, &places[end]);
            end++;
        }
        for (; i < end; i++)
            if (!latest || places[i].invoke_ns > latest->invoke_ns)
                latest = &places[i];
    }
}

/* --- Those that have a choice ----------------------------------------------------------- */

/* One end of one operation's interval. */
typedef struct Moment {
    uint64_t at_ns;
    Place *place;
    bool answer;
} Moment;

static int by_time(const void *a, const void *b)
{
    const Moment *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->answer - y->answer; /* equal moments overlap: questions first */
}

static bool place_fits(const Order *o, const Place *p, uint64_t t)
{
    const Entry *e = &o->h->logs[p->worker].items[p->index];
    if (p->role == ROLE_GUARD)
        return t != e->guard_seq; /* only those that were fenced are vague about their guard */
    return answer_fits(e, &o->h->streams[p->stream], t);
}

/* No state within [low, high] will do; say whether another would. */
static void misplaced(const Order *o, Verdict *v, const Place *p, uint64_t low, uint64_t high)
{
    const Stream *st = &o->h->streams[p->stream];
    uint64_t before = 0, after = 0, fitting = 0;
    for (uint64_t t = 0; t <= st->n; t++)
        if (place_fits(o, p, t)) {
            fitting++;
            before += t < low;
            after += t > high;
        }
    Rule rule = RULE_NEVER;
    if (p->role == ROLE_GUARD)
        rule = RULE_GUARD;
    else if (fitting == 0)
        rule = RULE_HEAD;
    else if (before == fitting)
        rule = RULE_STALE;
    else if (after == fitting)
        rule = RULE_FUTURE;
    Culprit one = culprit(p);
    verdict_add(v, o->h, rule, &one, 1,
                "%s: the answer is right in none of the states %" PRIu64 " to %" PRIu64, st->name,
                low, high);
}

/* The highest state that each vague operation may stand at, as the exact ones behind it say. */
static void find_ceilings(const Moment *moments, size_t n, uint64_t top, uint64_t *ceilings,
                          const Place *vague)
{
    uint64_t lowest = top;
    for (size_t i = n; i-- > 0;) {
        const Place *p = moments[i].place;
        if (p->vague && moments[i].answer)
            ceilings[p - vague] = lowest;
        uint64_t limit = p->role == ROLE_MADE ? p->state - 1 : p->state;
        if (!p->vague && !moments[i].answer && limit < lowest)
            lowest = limit;
    }
}

static void choose(const Order *o, Verdict *v, Place *p, uint64_t low, uint64_t high)
{
    uint64_t t = low;
    while (t <= high && !place_fits(o, p, t))
        t++;
    p->state = t <= high ? t : low;
    if (t > high)
        misplaced(o, v, p, low, high);
}

static void place_vague(const Order *o, Verdict *v, size_t stream, Sorted *sorted)
{
    size_t vague_n = sorted->vague_from[stream + 1] - sorted->vague_from[stream];
    size_t exact_n = sorted->exact_from[stream + 1] - sorted->exact_from[stream];
    if (vague_n == 0)
        return;
    Place *vague = sorted->vague + sorted->vague_from[stream];
    Place *exact = sorted->exact + sorted->exact_from[stream];
    size_t n = 0;
    Moment *moments = mem_alloc(2 * (vague_n + exact_n) * sizeof *moments);
    uint64_t *ceilings = mem_alloc(vague_n * sizeof *ceilings);
    for (size_t i = 0; i < vague_n + exact_n; i++) {
        Place *p = i < vague_n ? &vague[i] : &exact[i - vague_n];
        moments[n++] = (Moment){ p->invoke_ns, p, false };
        moments[n++] = (Moment){ p->answer_ns, p, true };
    }
    qsort(moments, n, sizeof *moments, by_time);
    find_ceilings(moments, n, o->h->streams[stream].n, ceilings, vague);
    uint64_t known = 0; /* the highest state that an answer so far proves */
    for (size_t i = 0; i < n; i++) {
        Place *p = moments[i].place;
        if (p->vague && !moments[i].answer)
            choose(o, v, p, known, ceilings[p - vague]);
        if (moments[i].answer && p->answer_ns != UINT64_MAX && p->state > known)
            known = p->state;
    }
    free(moments);
    free(ceilings);
}

/* --- Across streams --------------------------------------------------------------------- */

static void check_joined(const Order *o, Verdict *v, const Sorted *sorted)
{
    AUTO(Graph) g = { 0 };
    for (size_t s = 0; s < o->h->stream_n; s++) {
        if (!o->joined[s])
            continue;
        const Place *places = sorted->exact + sorted->exact_from[s];
        graph_add_stream(&g, o->h, places, sorted->exact_from[s + 1] - sorted->exact_from[s]);
    }
    Culprit cycle[6];
    size_t n = graph_find_cycle(&g, cycle, COUNT_OF(cycle));
    if (n > 0)
        verdict_add(v, o->h, RULE_CYCLE, cycle, n, "each of these must come before the next, %s",
                    "and the last before the first");
}

void order_check(Order *o, Verdict *v)
{
    Sorted sorted = sort_places(o);
    for (size_t s = 0; s < o->h->stream_n; s++) {
        sweep(o, v, sorted.exact + sorted.exact_from[s],
              sorted.exact_from[s + 1] - sorted.exact_from[s]);
        place_vague(o, v, s, &sorted);
    }
    if (v->first == RULE_NONE)
        check_joined(o, v, &sorted);
    free(sorted.exact);
    free(sorted.vague);
}
