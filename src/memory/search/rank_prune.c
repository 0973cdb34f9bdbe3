/* rank_prune.c - the best rows, without looking at all that have a word.
 *
 * A word that half of a million rows have says little about any of them, and
 * to read where they are takes most of a search.  So each term has a ceiling:
 * what it adds to a row at most, by itself and through its session.  As soon as
 * there are enough candidates, terms whose ceilings together do not reach the
 * worst of them bring no session into question any more (the others are the
 * leading ones); and a session that is in question is given up as soon as what
 * is known of it, and the ceilings of the terms that were not looked up in it
 * yet, do not reach it either:
 *
 *   terms, the highest ceiling first     a    b    c    d    e
 *   ceilings                             90   70   20   10   5      worst: 40
 *                                        leading    | 35: never lead to a row
 *   a session with b only                0  + 61 + (20   10   5)  = 96: look up c
 *                                        0  + 61 +  0 + (10   5)  = 76: look up d ...
 *
 * Long sessions are then looked through in pieces.  All of it is whole numbers,
 * and a ceiling is never below what it stands for, so the candidates are those
 * that reading everything gives; rows come in their order, so of equals the one
 * that is met first stays, as there. */
#include "memory/search/rank_internal.h"

#include <stdlib.h>
#include <string.h>

#include "memory/search/scale.h"

enum { KINDS = PROFILES + 1, MIXED = PROFILES, PIECE = 32, SESSION_COUNTS = 32 };

/* What the rows of a session are. */
typedef struct SessionKind {
    uint8_t kind;     /* a profile, or MIXED */
    uint8_t shortest; /* norm of a row */
} SessionKind;

/* A term, and where it is in the session that is looked at. */
typedef struct Lead {
    RankTerm *t;
    bool dense;
    uint64_t row_ceiling[KINDS], ceiling[KINDS]; /* by itself; with its session */
    /* What so many of it in a row, in a session, add at most, by count. */
    uint64_t row[KINDS][COUNTS + 1], session[KINDS][SESSION_COUNTS];
    size_t next;     /* posting, of those not behind what was looked at */
    uint32_t place;  /* of that, if the term is a leading one */
    size_t from, to; /* postings in what is looked at */
    uint32_t count, most;
} Lead;

typedef struct Prune {
    Ranking *r;
    Candidates *c;
    Lead *leads; /* the highest ceiling first */
    size_t n;
    uint64_t rows[KINDS], all[KINDS]; /* ceilings together */
    size_t leading;                   /* so many of them lead to rows */
    bool everywhere;                  /* one of these has no list of rows */
    uint64_t rest[KINDS];             /* ceilings of the others */
    uint64_t enough;                  /* what a row must reach; 0: there are not enough yet */
} Prune;

static uint32_t session_end(const View *v, uint32_t session)
{
    return session + 1 < v->sessions_n ? v->sessions[session + 1].first : v->rows;
}

/* --- Ceilings ---------------------------------------------------------------------------- */

/* What is looked up for each session in question is reckoned once for a view. */
static void know_sessions(Ranking *r)
{
    RankScratch *d = r->scratch;
    const View *v = r->view;
    if (d->kinds)
        return;
    d->kinds = mem_alloc((v->sessions_n + (size_t)1) * sizeof *d->kinds);
    d->session_least = UINT32_MAX;
    d->row_least = UINT8_MAX;
    for (uint32_t s = 0; s < v->sessions_n; s++) {
        uint32_t first = v->sessions[s].first, end = session_end(v, s);
        uint16_t norm = v->norms[first];
        SessionKind k = { (uint8_t)(norm >> 8), (uint8_t)norm };
        for (uint32_t p = first + 1; p < end; p++) {
            k.kind = v->norms[p] >> 8 == k.kind ? k.kind : MIXED;
            k.shortest = (uint8_t)v->norms[p] < k.shortest ? (uint8_t)v->norms[p] : k.shortest;
        }
        d->kinds[s] = k;
        d->row_least = k.shortest < d->row_least ? k.shortest : d->row_least;
        if (v->sessions[s].len < d->session_least)
            d->session_least = v->sessions[s].len;
    }
}

static uint64_t share_of(unsigned profile, RankPart part)
{
    return (uint64_t)(uint32_t)rank_tables.share[profile][part];
}

/* What a term adds to a row of this kind that has it so often and is not shorter. */
static uint64_t row_adds(const RankTerm *t, unsigned kind, uint32_t count, uint8_t norm)
{
    uint64_t most = 0;
    if (count == 0)
        return 0;
    uint32_t more = (count < COUNTS ? count : COUNTS) - 1U; /* than once */
    for (unsigned p = 0; p < PROFILES; p++) {
        if (kind != p && kind != MIXED)
            continue;
        uint64_t adds = (uint64_t)t->weight[p] * rank_tables.words[p][more & POST_COUNT][norm] + 1;
        adds *= share_of(p, RANK_WORDS);
        most = adds > most ? adds : most;
    }
    return most;
}

/* What a part counts in a row of this kind. */
static uint64_t most_share(unsigned kind, RankPart part)
{
    uint64_t most = 0;
    if (kind < PROFILES)
        return share_of(kind, part);
    for (unsigned p = 0; p < PROFILES; p++)
        most = share_of(p, part) > most ? share_of(p, part) : most;
    return most;
}

/* What a term that is so often in a session adds to its rows at most. */
static uint64_t session_adds(const Ranking *r, const RankTerm *t, unsigned kind, uint32_t count)
{
    uint64_t most = 0;
    for (unsigned p = 0; p < PROFILES; p++) {
        const Weights *w = &rank_profiles[p];
        if (kind != p && kind != MIXED)
            continue;
        uint64_t adds = (uint64_t)t->session_weight[p] *
                        rank_saturate(count, rank_damping(r->scratch->session_least, w->session_k1,
                                                          w->session_b, w->session_mean));
        most = adds > most ? adds : most;
    }
    return most * most_share(kind, RANK_SESSION);
}

static uint32_t at_most(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

/* Both tables; more than the last of one says is what is there most often. */
static void find_ceiling(const Ranking *r, Lead *l, unsigned kind)
{
    for (uint32_t n = 1; n <= COUNTS; n++)
        l->row[kind][n] = row_adds(l->t, kind, at_most(n, l->t->sums.most), r->scratch->row_least);
    for (uint32_t n = 1; n < SESSION_COUNTS; n++)
        l->session[kind][n] =
            session_adds(r, l->t, kind, n + 1 < SESSION_COUNTS ? n : l->t->sums.session_most);
    l->row_ceiling[kind] = l->row[kind][COUNTS];
    l->ceiling[kind] = l->row_ceiling[kind] + session_adds(r, l->t, kind, l->t->sums.session_most);
}

static int higher(const void *a, const void *b)
{
    const Lead *x = a, *y = b;
    if (x->ceiling[MIXED] != y->ceiling[MIXED])
        return x->ceiling[MIXED] < y->ceiling[MIXED] ? 1 : -1;
    return (x->t > y->t) - (x->t < y->t);
}

static void find_ceilings(Prune *p)
{
    const Ranking *r = p->r;
    for (size_t i = 0; i < r->n; i++) {
        Lead *l = &p->leads[i];
        l->t = &r->terms[i];
        l->dense = l->t->dense.codes != NULL;
        l->place = 0;
        for (unsigned k = 0; k < KINDS; k++) {
            find_ceiling(r, l, k);
            p->rows[k] += l->row_ceiling[k];
            p->all[k] += l->ceiling[k];
        }
    }
    if (p->n)
        qsort(p->leads, p->n, sizeof *p->leads, higher);
}

/* The terms without which no row is good enough. */
static void find_leading(Prune *p)
{
    uint64_t enough = p->c->full ? ((uint64_t)p->c->worst.first + 1) << 16 : 0;
    if (p->leading && enough == p->enough)
        return;
    p->enough = enough;
    p->everywhere = false;
    memcpy(p->rest, p->all, sizeof p->rest);
    for (p->leading = 0; p->leading < p->n && p->rest[MIXED] >= enough; p->leading++) {
        const Lead *l = &p->leads[p->leading];
        for (unsigned k = 0; k < KINDS; k++)
            p->rest[k] -= l->ceiling[k];
        p->everywhere = p->everywhere || l->dense;
    }
}

/* --- Sessions ---------------------------------------------------------------------------- */

/* The session of a place that is not before session `from`, and mostly near it. */
static uint32_t session_at(const View *v, uint32_t from, uint32_t place)
{
    uint32_t low = from, step = 1, high;
    while (v->sessions_n - low > step && v->sessions[low + step].first <= place) {
        low += step;
        step *= 2;
    }
    high = v->sessions_n - low > step ? low + step : v->sessions_n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (v->sessions[middle].first <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first session from this one on that has a leading term. */
static uint32_t next_session(Prune *p, uint32_t from)
{
    const View *v = p->r->view;
    if (from == v->sessions_n)
        return from;
    uint32_t begin = v->sessions[from].first, first = p->everywhere ? begin : v->rows;
    for (size_t i = 0; i < p->leading; i++) {
        Lead *l = &p->leads[i];
        const ViewPosts *posts = &l->t->posts;
        if (l->dense)
            continue;
        if (l->place < begin || l->place == 0) {
            l->next = view_post_at(posts, l->next, begin);
            l->place = l->next < posts->n ? posts->items[l->next].place : v->rows;
        }
        first = l->place < first ? l->place : first;
    }
    return first < v->rows ? session_at(v, from, first) : v->sessions_n;
}

/* Is this term known not to be there? */
static bool is_absent(const Prune *p, size_t lead, uint32_t end)
{
    const Lead *l = &p->leads[lead];
    return lead < p->leading && !l->dense && l->place >= end;
}

/* Where a term is in rows [from, to), and how often. */
static void look_up(Lead *l, uint32_t from, uint32_t to)
{
    const ViewPosts *posts = &l->t->posts;
    if (l->dense) {
        SegDenseSum sum = seg_dense_sum(&l->t->dense, from, to);
        l->count = sum.all;
        l->most = sum.most;
        return;
    }
    bool there = l->next == posts->n || posts->items[l->next].place >= from;
    l->from = l->to = there ? l->next : view_post_at(posts, l->next, from);
    l->count = l->most = 0;
    for (; l->to < posts->n && posts->items[l->to].place < to; l->to++) {
        uint32_t n = 1U + (posts->items[l->to].bits & POST_COUNT);
        l->count += n;
        l->most = n > l->most ? n : l->most;
    }
}

/* With what the leading terms have in it, and all of the others, can it be enough? */
static bool is_worth_it(Prune *p, uint32_t first, uint32_t end, unsigned kind)
{
    uint64_t bound = p->rest[kind];
    for (size_t i = 0; i < p->leading; i++) {
        Lead *l = &p->leads[i];
        if (is_absent(p, i, end))
            continue;
        look_up(l, first, end);
        bound += l->row[kind][at_most(l->most, COUNTS)] +
                 l->session[kind][at_most(l->count, SESSION_COUNTS - 1)];
    }
    return bound >= p->enough;
}

/* A few rows of one session that are looked at together. */
typedef struct Piece {
    uint32_t from, to;
    uint32_t session, end; /* and where that ends */
    SessionKind kind;
    uint32_t own;  /* what the session has, as far as it is known */
    bool whole;    /* all of that is known */
    uint64_t rest; /* ceilings of what is not known yet */
    uint32_t most; /* the most words of a row, so far */
    uint32_t words[PIECE];
} Piece;

/* What the best of the rows can still reach, if so much is still to come. */
static bool is_open(const Prune *p, const Piece *x, uint64_t more)
{
    uint64_t words = x->most * most_share(x->kind.kind, RANK_WORDS);
    uint64_t own = x->own * most_share(x->kind.kind, RANK_SESSION);
    return words + own + x->rest + more >= p->enough;
}

static void add_at(const Ranking *r, const RankTerm *t, Piece *x, uint32_t place, uint8_t bits)
{
    uint32_t *words = &x->words[place - x->from];
    *words += t->weight[r->view->norms[place] >> 8] * rank_sat_at(r, place, bits) + 1;
    x->most = *words > x->most ? *words : x->most;
}

static void add_lead(const Ranking *r, const Lead *l, Piece *x)
{
    const SegDense *dense = &l->t->dense;
    if (!l->dense) {
        for (size_t k = l->from; k < l->to; k++)
            add_at(r, l->t, x, l->t->posts.items[k].place, l->t->posts.items[k].bits);
        return;
    }
    for (uint32_t row = x->from; row < x->to; row++)
        if (seg_dense_code(dense, row))
            add_at(r, l->t, x, row, seg_dense_bits(dense, row));
}

/* Term after term; false as soon as no row of the piece can be good enough. */
static bool add_leads(Prune *p, Piece *x)
{
    unsigned kind = x->kind.kind;
    for (size_t i = 0; i < p->n; i++) {
        Lead *l = &p->leads[i];
        x->rest -= x->whole ? l->row_ceiling[kind] : l->ceiling[kind];
        if (is_absent(p, i, x->end))
            continue;
        if (x->whole || i >= p->leading) /* else it was */
            look_up(l, x->from, x->to);
        l->next = l->dense ? 0 : l->to;
        if (l->count == 0)
            continue;
        uint64_t row = l->row[kind][at_most(l->most, COUNTS)];
        uint64_t session = x->whole ? 0 : l->session[kind][at_most(l->count, SESSION_COUNTS - 1)];
        if (!is_open(p, x, row + session))
            return false;
        if (!x->whole)
            x->own += rank_session_adds(p->r, l->t, x->session, l->count);
        add_lead(p->r, l, x);
    }
    return is_open(p, x, 0);
}

static void take_rows(Prune *p, Piece *x)
{
    Ranking *r = p->r;
    memset(x->words, 0, (x->to - x->from) * sizeof *x->words);
    if (!add_leads(p, x))
        return;
    r->session[x->session] = x->own;
    for (uint32_t row = x->from; row < x->to; row++) {
        x->most = x->words[row - x->from];
        if (x->most == 0 || !is_open(p, x, 0))
            continue;
        r->words[row] = x->most;
        rank_take(r, p->c, row);
        r->words[row] = 0;
    }
    r->session[x->session] = 0;
}

/* What a long session has; false: it cannot be enough. */
static bool add_session(Prune *p, uint32_t session, uint32_t *own)
{
    const View *v = p->r->view;
    SessionKind kind = p->r->scratch->kinds[session];
    uint64_t bound = p->all[kind.kind];
    *own = 0;
    for (size_t i = 0; i < p->n && bound >= p->enough; i++) {
        Lead *l = &p->leads[i];
        bound -= l->ceiling[kind.kind];
        if (is_absent(p, i, session_end(v, session)))
            continue;
        look_up(l, v->sessions[session].first, session_end(v, session));
        l->next = l->from;
        if (l->count == 0)
            continue;
        uint32_t adds = rank_session_adds(p->r, l->t, session, l->count);
        *own += adds;
        bound += row_adds(l->t, kind.kind, l->most, kind.shortest) +
                 adds * most_share(kind.kind, RANK_SESSION);
    }
    return bound >= p->enough;
}

static void look_at(Prune *p, uint32_t session)
{
    const View *v = p->r->view;
    uint32_t first = v->sessions[session].first, end = session_end(v, session), own = 0;
    SessionKind kind = p->r->scratch->kinds[session];
    bool whole = end - first > PIECE;
    if (!is_worth_it(p, first, end, kind.kind) || (whole && !add_session(p, session, &own)))
        return;
    Piece x;
    x.session = session;
    x.end = end;
    x.kind = kind;
    x.whole = whole;
    for (uint32_t to, from = first; from < end; from = to) {
        to = end - from > PIECE ? from + PIECE : end;
        x.from = from;
        x.to = to;
        x.own = own;
        x.most = 0;
        x.rest = whole ? p->rows[kind.kind] : p->all[kind.kind];
        take_rows(p, &x);
    }
}

void rank_prune(Ranking *r, Candidates *c)
{
    Prune p = { .r = r, .c = c, .n = r->n, .leads = NEW_ARRAY(r->into, Lead, r->n + 1) };
    know_sessions(r);
    find_ceilings(&p);
    for (uint32_t s = 0; s < r->view->sessions_n && !r->bad; s++) {
        find_leading(&p);
        s = p.leading ? next_session(&p, s) : r->view->sessions_n;
        if (s < r->view->sessions_n)
            look_at(&p, s);
    }
}

/* --- What is around the best ------------------------------------------------------------- */

typedef struct Range {
    uint32_t from, to;
} Range;

/* Rows that the score of a candidate, or of one beside it, can depend on. */
static size_t find_ranges(const Ranking *r, const Candidates *c, Range *out)
{
    const View *v = r->view;
    uint32_t end = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t place = c->items[i].place;
        uint32_t from = place > 2 * REACH ? place - 2 * REACH : 0;
        uint32_t to = v->rows - place > 2 * REACH ? place + 2 * REACH + 1 : v->rows;
        out[n++] = (Range){ from > end ? from : end, to };
        end = to;
    }
    return n;
}

/* The postings there; of a term that has no list, they become it. */
static void fill_term(Ranking *r, RankTerm *t, const Range *ranges, size_t n)
{
    ViewPosts there = { 0 };
    size_t at = 0, cap = 0;
    for (size_t i = 0; i < n && t->dense.codes; i++)
        for (uint32_t row = ranges[i].from; row < ranges[i].to; row++) {
            if (!seg_dense_code(&t->dense, row))
                continue;
            there.items = arena_grow(r->into, there.items, there.n, &cap, sizeof(ViewPost),
                                     alignof(ViewPost));
            there.items[there.n++] = (ViewPost){ row, seg_dense_bits(&t->dense, row) };
        }
    if (t->dense.codes)
        t->posts = there;
    for (size_t i = 0; i < n; i++) {
        at = view_post_at(&t->posts, at, ranges[i].from);
        for (; at < t->posts.n && t->posts.items[at].place < ranges[i].to; at++)
            rank_add_word(r, t, t->posts.items[at].place, t->posts.items[at].bits);
    }
}

static void fill_sessions(Ranking *r, RankTerm *t, const Candidates *c)
{
    const View *v = r->view;
    Lead l = { .t = t, .dense = t->dense.codes };
    uint32_t last = NO_PLACE;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t session = v->session_of[c->items[i].place];
        if (session == last)
            continue;
        last = session;
        look_up(&l, v->sessions[session].first, session_end(v, session));
        l.next = l.to;
        if (l.count)
            r->session[session] += rank_session_adds(r, t, session, l.count);
    }
}

void rank_fill(Ranking *r, const Candidates *by_place)
{
    Range *ranges = NEW_ARRAY(r->into, Range, by_place->n + 1);
    size_t n = find_ranges(r, by_place, ranges);
    for (size_t i = 0; i < r->n; i++) {
        fill_sessions(r, &r->terms[i], by_place);
        fill_term(r, &r->terms[i], ranges, n);
    }
}
