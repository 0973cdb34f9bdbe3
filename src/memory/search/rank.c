/* rank.c - the score of a row.
 *
 * A question is seldom answered by a row that repeats it.  In a run the answer
 * stands beside the words, so what is around a row counts, by how near it is;
 * in notes the session they were written in does.  Who speaks, and of what day,
 * are asked for by name and not by words.  Each kind of row has its own weights
 * (rank_weight.c), and a score is divided by what the best row of its kind could
 * reach, so that kinds can stand in one list.
 *
 * First the postings of each term are read once, which gives every row its
 * words and every session its own.  The best of them, and in runs the rows
 * around them, are candidates; the rest is reckoned for these alone. */
#include "memory/search/rank.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/candidate.h"
#include "memory/search/likeness.h"
#include "memory/search/rank_internal.h"
#include "memory/search/scale.h"

/* --- Candidates -------------------------------------------------------------------------- */

static uint32_t rough(const Ranking *r, uint32_t place)
{
    const int32_t *share = rank_tables.share[r->view->norms[place] >> 8];
    uint64_t sum =
        (uint64_t)r->words[place] * (uint32_t)share[RANK_WORDS] +
        (uint64_t)r->session[r->view->session_of[place]] * (uint32_t)share[RANK_SESSION] +
        (uint64_t)r->grams[place] * (uint32_t)share[RANK_GRAMS];
    return (uint32_t)(sum >> 16);
}

static bool kept(Ranking *r, uint32_t place)
{
    SegRow row;
    Segment *seg;
    if (r->musts && r->must_n[place] < r->musts)
        return false;
    if (!r->ask->keep)
        return true;
    if (!view_row(r->view, place, &row, &seg)) {
        r->bad = true;
        return false;
    }
    return r->ask->keep(r->ask->ctx, &row, seg);
}

/* One more candidate, a row that has no word of the query. */
static void add_wordless(Ranking *r, Candidates *c, uint32_t place)
{
    RankScratch *d = r->scratch;
    assert(r->words[place] == 0);
    r->words[place] = 1; /* touched, by nothing of its own */
    if (r->grams[place] == 0)
        d->touched[d->touched_n++] = place;
    assert(d->touched_n <= r->view->rows);
    if (!kept(r, place))
        return;
    c->items = arena_grow(r->into, c->items, c->n, &c->cap, sizeof(Candidate), alignof(Candidate));
    c->items[c->n++] = (Candidate){ .place = place };
}

/* Rows around a turn may answer what it asks, and a note goes on with what the one before it began:
 * but whoever asks for two or three words wants notes that have them.  The best candidates stand in
 * front. */
static void add_around(Ranking *r, Candidates *c)
{
    size_t n = c->n, notes = r->ask->query->n >= MESSAGE_TERMS_MIN ? AROUND_NOTES : 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t place = c->items[i].place, session = r->view->session_of[place];
        unsigned profile = r->view->norms[place] >> 8;
        if (profile == PROFILE_ARTIFACT || (profile == PROFILE_NOTE && i >= notes))
            continue;
        uint32_t from = place > REACH ? place - REACH : 0;
        for (uint32_t p = from; p <= place + REACH && p < r->view->rows; p++) {
            if (p == place || r->view->session_of[p] != session || r->words[p])
                continue;
            add_wordless(r, c, p);
        }
    }
}

/* Rows that have no word of the query, but mean the like. */
static void add_alike(Ranking *r, Candidates *c)
{
    int32_t least = likeness_least(r->view, r->ask->like, r->ask->liked, LIKE_CANDIDATES);
    for (uint32_t p = 0; p < r->view->rows; p++) {
        if (r->ask->like[p] < least || !r->ask->liked[r->view->norms[p] >> 8] || r->words[p])
            continue;
        add_wordless(r, c, p);
    }
}

/* Twice as many as are wanted are taken in, then half of them thrown out; from then on a row must
 * be better than the worst that stayed. */
void rank_take(Ranking *r, Candidates *c, uint32_t place)
{
    Candidate fresh = { place, rough(r, place) };
    assert(place < r->view->rows);
    if ((c->full && !candidate_better(&fresh, &c->worst)) || !kept(r, place))
        return;
    if (c->n == c->cap)
        candidates_keep(c, CANDIDATES);
    c->items[c->n++] = fresh;
}

/* The best of all rows that have anything of what is asked for. */
static void choose_best(Ranking *r, Candidates *c)
{
    if (r->pruned)
        rank_prune(r, c);
    for (size_t i = 0; !r->pruned && i < r->scratch->touched_n; i++)
        rank_take(r, c, r->scratch->touched[i]);
    candidates_keep(c, CANDIDATES);
    if (r->pruned) {
        candidates_by_place(c, r->into);
        rank_fill(r, c);
    }
}

static Candidates choose(Ranking *r)
{
    Candidates c = { .items = NEW_ARRAY(r->into, Candidate, CANDIDATES_ROOM),
                     .cap = CANDIDATES_ROOM };
    choose_best(r, &c);
    candidates_select(c.items, c.n, AROUND_NOTES);
    /* What was found by its letters alone is one of them, and must not be added once more. */
    for (size_t i = 0; i < c.n; i++)
        r->words[c.items[i].place] += r->words[c.items[i].place] == 0;
    if (r->ask->query->n >= CONTEXT_TERMS_MIN && !r->musts)
        add_around(r, &c);
    if (r->ask->like && !r->musts)
        add_alike(r, &c);
    candidates_by_place(&c, r->into);
    return c;
}

/* --- The order --------------------------------------------------------------------------- */

typedef struct OrderOf {
    const View *view;
    const SegRow *rows;
    const RankHit *hits;
} OrderOf;

/* By score, then the newer, then by name, then the later record. */
static int best_first(const OrderOf *o, uint32_t i, uint32_t k)
{
    const RankHit *x = &o->hits[i], *y = &o->hits[k];
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (o->rows[i].at_ms != o->rows[k].at_ms)
        return o->rows[i].at_ms > o->rows[k].at_ms ? -1 : 1;
    AUTO(Arena) arena = { 0 };
    int names = str_cmp(view_name(o->view, x->place, &arena), view_name(o->view, y->place, &arena));
    if (names)
        return names;
    return (o->rows[i].seq < o->rows[k].seq) - (o->rows[i].seq > o->rows[k].seq);
}

/* Where a hit belongs among the first `n`, which are in order. */
static size_t rank_of(const OrderOf *o, const uint32_t *order, size_t n, uint32_t hit)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (best_first(o, order[middle], hit) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Only as many as are asked for are put in order: most are not better than the last of these. */
static void give(Scoring *s, RankHits *out)
{
    size_t n = s->c.n, limit = s->r->ask->limit < n ? s->r->ask->limit : n;
    uint32_t *order = NEW_ARRAY(s->r->into, uint32_t, limit + 1);
    OrderOf o = { s->r->view, s->rows, s->hits };
    for (uint32_t i = 0; i < n && limit; i++) {
        if (out->n == limit && best_first(&o, order[limit - 1], i) < 0)
            continue;
        size_t at = rank_of(&o, order, out->n, i);
        if (at == limit)
            break; /* a name could be read no more: the segment is bad, and nothing of this counts
                    */
        out->n += out->n < limit;
        memmove(order + at + 1, order + at, (out->n - at - 1) * sizeof *order);
        order[at] = i;
    }
    out->items = NEW_ARRAY(s->r->into, RankHit, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        out->items[i] = s->hits[order[i]];
}

/* --- The scratch ---------------------------------------------------------------------------- */

void rank_scratch_free(RankScratch *d)
{
    free(d->words);
    free(d->kinds);
    *d = (RankScratch){ 0 };
}

/* Sums of all rows, all zero: a search that was left half-way may have left some. */
static void scratch_begin(Ranking *r)
{
    RankScratch *d = r->scratch;
    size_t rows = (size_t)r->view->rows + 1, sessions = (size_t)r->view->sessions_n + 1;
    if (d->view != r->view->number || d->used) {
        rank_scratch_free(d);
        d->words = mem_alloc((3 * rows + 2 * sessions) * sizeof *d->words);
        d->view = r->view->number;
    }
    r->words = d->words;
    r->grams = r->words + rows;
    d->touched = r->grams + rows;
    r->session = d->touched + rows;
    d->damping = r->session + sessions;
    d->used = true;
    d->touched_n = 0;
}

/* Only what was touched is cleared: a search costs what it finds, not what there is.  All of it at
 * once, where that is most of it. */
static void scratch_end(Ranking *r)
{
    RankScratch *d = r->scratch;
    assert(d->used && d->touched_n <= r->view->rows);
    if (d->touched_n > r->view->rows / 8) {
        memset(r->words, 0, 2 * ((size_t)r->view->rows + 1) * sizeof *r->words); /* and grams */
        memset(r->session, 0, r->view->sessions_n * sizeof *r->session);
        d->touched_n = 0;
    }
    for (size_t i = 0; i < d->touched_n; i++) {
        uint32_t place = d->touched[i];
        r->words[place] = r->grams[place] = 0;
        r->session[r->view->session_of[place]] = 0;
    }
    d->used = false;
}

/* Names are read as late as in the comparison of two hits. */
static bool any_bad(const View *v)
{
    bool bad = false;
    for (size_t i = 0; i < v->n; i++)
        bad = bad || v->segs[i].bad;
    return bad;
}

bool rank_find(const RankAsk *ask, Arena *into, RankHits *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Ranking r = { .ask = ask, .view = ask->view, .into = into, .scratch = ask->scratch };
    *out = (RankHits){ 0 };
    pthread_once(&once, rank_tables_fill);
    scratch_begin(&r);
    rank_read_question(&r);
    rank_read_terms(&r);
    if (!r.bad) {
        Scoring s = { .r = &r, .c = choose(&r) };
        rank_look_closely(&s);
        give(&s, out);
    }
    scratch_end(&r);
    return !r.bad && !any_bad(r.view);
}
