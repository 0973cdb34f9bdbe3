/* rank_term.c - a question becomes terms, and their postings are added up.
 *
 * A word is looked for by its stem; an identifier as a whole and by its parts;
 * a name of somebody who speaks also as that.  The rarer a term is among the
 * rows of the pad, the more it weighs, and all weights of a query are 1
 * together.  The postings of each are read once: they give every row its words
 * and every session its own. */
#include "memory/search/rank_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/draft.h"
#include "memory/search/scale.h"

bool rank_posts_of(Ranking *r, Str key, ViewPosts *out)
{
    if (!view_posts(r->view, key, r->into, out)) {
        r->bad = true;
        return false;
    }
    return out->n > 0;
}

static bool key_of(SegKey kind, Str text, char *to, Str *out)
{
    if (text.n + 1 > SEG_KEY_MAX)
        return false;
    to[0] = (char)kind;
    memcpy(to + 1, text.p, text.n);
    *out = (Str){ to, text.n + 1 };
    return true;
}

static RankTerm *new_term(Ranking *r, const ViewPosts *posts)
{
    r->terms = arena_grow(r->into, r->terms, r->n, &r->cap, sizeof(RankTerm), alignof(RankTerm));
    r->terms[r->n] = (RankTerm){ .posts = *posts, .n = (uint32_t)posts->n, .times = 1 };
    return &r->terms[r->n++];
}

/* Is this the name of somebody who speaks in this pad? */
static bool is_speaker(Ranking *r, Str word, ViewPosts *posts)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    return key_of(KEY_SPEAKER, word, bytes, &key) && rank_posts_of(r, key, posts);
}

static void add_speaker(Ranking *r, const ViewPosts *posts)
{
    r->speakers = arena_grow(r->into, r->speakers, r->speakers_n, &r->speakers_cap,
                             sizeof(ViewPosts), alignof(ViewPosts));
    r->speakers[r->speakers_n++] = *posts;
}

static int by_place(const void *a, const void *b)
{
    const ViewPost *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->bits < y->bits) - (x->bits > y->bits);
}

static void merge_into(Ranking *r, ViewPosts *all, size_t *cap, Str key)
{
    ViewPosts more;
    if (!rank_posts_of(r, key, &more))
        return;
    for (size_t i = 0; i < more.n; i++) {
        all->items =
            arena_grow(r->into, all->items, all->n, cap, sizeof(ViewPost), alignof(ViewPost));
        all->items[all->n++] = more.items[i];
    }
}

static void unite(ViewPosts *all)
{
    size_t kept = 0;
    if (all->n)
        qsort(all->items, all->n, sizeof *all->items, by_place);
    for (size_t i = 0; i < all->n; i++)
        if (kept == 0 || all->items[kept - 1].place != all->items[i].place)
            all->items[kept++] = all->items[i];
    all->n = kept;
}

/* "camelcase" finds CamelCase too. */
static void add_identifiers(Ranking *r, Str word, ViewPosts *posts)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    ViewPosts wholes;
    if (!key_of(KEY_WHOLE, word, bytes, &key) || !rank_posts_of(r, key, &wholes))
        return;
    size_t n = posts->n + wholes.n;
    ViewPost *all = NEW_ARRAY(r->into, ViewPost, n + 1);
    if (posts->n)
        memcpy(all, posts->items, posts->n * sizeof *all);
    memcpy(all + posts->n, wholes.items, wholes.n * sizeof *all);
    *posts = (ViewPosts){ all, n };
    unite(posts);
}

/* Is there an identifier that is written so? */
static bool is_whole(Ranking *r, Str word)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    SegTerm term;
    return key_of(KEY_WHOLE, word, bytes, &key) && seg_find(&r->view->segs[0], key, &term);
}

static void add_word_term(Ranking *r, Str word, bool dense, const Term *t)
{
    char bytes[SEG_KEY_MAX], form_bytes[SEG_KEY_MAX];
    ViewPosts posts = { 0 }, speaker, form = { 0 };
    ViewTerm known = { 0 };
    Str form_key;
    Str key = { bytes, term_key(dense ? NULL : r->ask->stemmer, word, bytes) };
    bool named = !dense && is_speaker(r, word, &speaker);
    if (named)
        add_speaker(r, &speaker);
    bool alone = r->lazy && view_term(r->view, key, &known) && (dense || !is_whole(r, word));
    if (!alone || !known.term.dense)
        (void)rank_posts_of(r, key, &posts);
    if (!alone && !dense)
        add_identifiers(r, word, &posts);
    if (posts.n == 0 && !known.term.dense && !t->must)
        return;
    if (!str_eq(word, str_from(key, 1)) && key_of(KEY_FORM, word, form_bytes, &form_key))
        (void)rank_posts_of(r, form_key, &form);
    RankTerm *x = new_term(r, &posts);
    if (alone) {
        x->dense = known.dense;
        x->n = known.term.n;
        x->sums = known.sums;
    }
    x->plain = str_eq(word, str_from(key, 1));
    x->form = form;
    x->name = named;
    x->times = t->times;
    x->must = t->must;
    r->musts += t->must;
}

/* All keys that begin so. */
static void add_beginning(Ranking *r, SegKey kind, Str word, ViewPosts *all, size_t *cap)
{
    enum { KEYS_MAX = 256 };
    char bytes[SEG_KEY_MAX];
    Str from;
    for (size_t i = 0; i < r->view->n && key_of(kind, word, bytes, &from); i++) {
        SegKeys k;
        bool more = seg_keys_from(&k, &r->view->segs[i], from);
        for (unsigned n = 0; more && n < KEYS_MAX && str_starts((Str){ k.key, k.key_n }, from);
             n++) {
            merge_into(r, all, cap, (Str){ k.key, k.key_n });
            more = seg_keys_next(&k);
        }
    }
}

static void add_prefix_term(Ranking *r, const Term *t)
{
    ViewPosts all = { 0 };
    size_t cap = 0;
    for (size_t i = 0; i + 1 < t->parts_n; i++)
        add_word_term(r, t->parts[i], false, t);
    if (t->parts_n) {
        Str last = t->parts[t->parts_n - 1];
        add_beginning(r, KEY_TERM, last, &all, &cap);
        add_beginning(r, KEY_FORM, last, &all, &cap);
        add_beginning(r, KEY_WHOLE, t->whole.n ? t->whole : last, &all, &cap);
    }
    unite(&all);
    if (all.n == 0 && !t->must)
        return;
    RankTerm *x = new_term(r, &all);
    x->must = t->must;
    r->musts += t->must;
}

/* Rows that have both. */
static void intersect(ViewPosts *all, const ViewPosts *more)
{
    size_t n = 0, k = 0;
    for (size_t i = 0; i < all->n; i++) {
        while (k < more->n && more->items[k].place < all->items[i].place)
            k++;
        if (k < more->n && more->items[k].place == all->items[i].place)
            all->items[n++] = all->items[i];
    }
    all->n = n;
}

/* Rows that have all parts of an identifier; they are few, and mostly have it. */
static void parts_together(Ranking *r, const Term *t, ViewPosts *all, size_t *cap)
{
    ViewPosts rows = { 0 }, more;
    for (size_t i = 0; i < t->parts_n; i++) {
        char bytes[SEG_KEY_MAX];
        Str key = { bytes, term_key(r->ask->stemmer, t->parts[i], bytes) };
        if (!rank_posts_of(r, key, &more))
            return;
        if (i)
            intersect(&rows, &more);
        else
            rows = more;
    }
    for (size_t i = 0; i < rows.n; i++) {
        all->items =
            arena_grow(r->into, all->items, all->n, cap, sizeof(ViewPost), alignof(ViewPost));
        all->items[all->n++] = (ViewPost){ rows.items[i].place, 0 };
    }
}

/* An identifier: the whole, or its parts together. */
static void add_name_term(Ranking *r, const Term *t)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    ViewPosts whole, all = { 0 };
    size_t cap = 0;
    if (t->whole.n && key_of(KEY_WHOLE, t->whole, bytes, &key) && rank_posts_of(r, key, &whole))
        new_term(r, &whole)->times = t->times;
    parts_together(r, t, &all, &cap);
    if (all.n)
        new_term(r, &all)->times = t->times;
}

static void add_query_term(Ranking *r, const Term *t)
{
    switch (t->kind) {
    case TERM_WORD:
        add_word_term(r, t->parts[0], false, t);
        return;
    case TERM_PREFIX:
        add_prefix_term(r, t);
        return;
    case TERM_NAME:
        add_name_term(r, t);
        for (size_t i = 0; !t->bonus && r->ask->query->n > 1 && i < t->parts_n; i++)
            add_word_term(r, t->parts[i], false, t);
        return;
    case TERM_SEQUENCE:
        for (size_t i = 0; !t->bonus && i < t->parts_n; i++)
            add_word_term(r, t->parts[i], t->dense, t);
        return;
    }
}

/* --- Weights ----------------------------------------------------------------------------- */

static void count_in_session(SegSums *sums, uint32_t count)
{
    sums->sessions += count > 0;
    sums->session_most = count > sums->session_most ? count : sums->session_most;
}

/* What a segment says of long lists, of any. */
static SegSums count_sessions(const View *v, const ViewPosts *posts)
{
    uint32_t last = NO_PLACE, count = 0;
    SegSums sums = { 0 };
    for (size_t i = 0; i < posts->n; i++) {
        uint32_t session = v->session_of[posts->items[i].place];
        uint32_t here = 1U + (posts->items[i].bits & POST_COUNT);
        if (session != last)
            count_in_session(&sums, count);
        count = (session == last ? count : 0) + here;
        sums.most = here > sums.most ? here : sums.most;
        last = session;
    }
    count_in_session(&sums, count);
    return sums;
}

/* ln(1 + (all - with + 1/2) / (with + 1/2)): never 0, so a word that all rows have still counts. */
static uint32_t rarity(uint64_t all, uint64_t with)
{
    return scale_ln_ratio(2 * all + 2, 2 * with + 1) + 1;
}

static int heavier(const void *a, const void *b)
{
    const RankTerm *x = a, *y = b;
    return (x->idf < y->idf) - (x->idf > y->idf);
}

static uint32_t times_share(const Ranking *r, const RankTerm *t)
{
    return r->n > LONG_QUERY ? scale_root((uint64_t)t->times * 65536) : 256;
}

/* Each term's share of what the query asks for; who speaks is no word to look for in runs. */
static void share_weights(Ranking *r, unsigned profile)
{
    uint64_t all = 0, session_all = 0;
    for (size_t i = 0; i < r->n; i++) {
        const RankTerm *t = &r->terms[i];
        if (profile == PROFILE_TURN && t->name)
            continue;
        all += (uint64_t)t->idf * times_share(r, t);
        session_all += (uint64_t)t->session_idf * times_share(r, t);
    }
    for (size_t i = 0; i < r->n && all; i++) {
        RankTerm *t = &r->terms[i];
        if (profile == PROFILE_TURN && t->name)
            continue;
        t->weight[profile] = (uint32_t)((uint64_t)t->idf * times_share(r, t) * ONE / all);
        t->session_weight[profile] =
            (uint32_t)((uint64_t)t->session_idf * times_share(r, t) * ONE / session_all);
        assert(t->weight[profile] <= ONE && t->session_weight[profile] <= ONE);
    }
}

static void weigh(Ranking *r)
{
    for (size_t i = 0; i < r->n; i++) {
        RankTerm *t = &r->terms[i];
        if (t->sums.sessions == 0)
            t->sums = count_sessions(r->view, &t->posts);
        t->idf = rarity(r->view->rows, t->n);
        t->session_idf = rarity(r->view->sessions_n, t->sums.sessions);
    }
    if (r->n > SEARCH_TERMS_MAX) {
        qsort(r->terms, r->n, sizeof *r->terms, heavier);
        r->n = SEARCH_TERMS_MAX;
    }
    for (unsigned p = 0; p < PROFILES; p++)
        share_weights(r, p);
}

/* --- Reading postings -------------------------------------------------------------------- */

uint32_t rank_sat_at(const Ranking *r, uint32_t place, uint8_t bits)
{
    uint16_t norm = r->view->norms[place];
    return rank_tables.words[norm >> 8][bits & POST_COUNT][norm & 0xFF];
}

void rank_add_word(Ranking *r, const RankTerm *t, uint32_t place, uint8_t bits)
{
    RankScratch *d = r->scratch;
    uint16_t norm = r->view->norms[place];
    uint32_t sat = rank_tables.words[norm >> 8][bits & POST_COUNT][norm & 0xFF];
    d->touched[d->touched_n] = place;
    d->touched_n += r->words[place] == 0;
    /* One more than it is, so that what was touched is never 0. */
    r->words[place] += t->weight[norm >> 8] * sat + 1;
}

static void add_words(Ranking *r, const RankTerm *t)
{
    for (size_t i = 0; i < t->posts.n; i++)
        rank_add_word(r, t, t->posts.items[i].place, t->posts.items[i].bits);
    assert(r->scratch->touched_n <= r->view->rows);
    for (size_t i = 0; t->must && i < t->posts.n; i++)
        r->must_n[t->posts.items[i].place]++;
}

uint32_t rank_session_adds(Ranking *r, const RankTerm *t, uint32_t session, uint32_t count)
{
    unsigned profile = r->view->norms[r->view->sessions[session].first] >> 8;
    uint32_t *taken = &r->scratch->damping[session];
    if (*taken == 0) {
        const Weights *w = &rank_profiles[profile];
        *taken = rank_damping(r->view->sessions[session].len, w->session_k1, w->session_b,
                              w->session_mean);
    }
    return t->session_weight[profile] * rank_saturate(count, *taken);
}

static void end_session(Ranking *r, const RankTerm *t, uint32_t session, uint32_t count)
{
    r->session[session] += rank_session_adds(r, t, session, count);
}

static void add_sessions(Ranking *r, const RankTerm *t)
{
    uint32_t session = NO_PLACE, count = 0;
    for (size_t i = 0; i < t->posts.n; i++) {
        ViewPost p = t->posts.items[i];
        uint32_t now = r->view->session_of[p.place];
        if (now != session && session != NO_PLACE)
            end_session(r, t, session, count);
        count = (now == session ? count : 0) + 1 + (p.bits & POST_COUNT);
        session = now;
    }
    if (session != NO_PLACE)
        end_session(r, t, session, count);
}

/* --- Runs of four characters ------------------------------------------------------------- */

enum { GRAM = 4, GRAMS_MAX = 96 };

static void add_gram(Ranking *r, const ViewPosts *posts, uint32_t weight)
{
    RankScratch *d = r->scratch;
    for (size_t i = 0; i < posts->n; i++) {
        ViewPost p = posts->items[i];
        uint32_t sat = rank_tables.grams[p.bits & POST_COUNT][r->view->norms[p.place] & 0xFF];
        /* By its sums a row is known to have been touched, and there is room for each once: beside
         * rare ones a gram that all rows have weighs 0, and leaves them as they were. */
        if (weight * sat == 0)
            continue;
        if (r->words[p.place] == 0 && r->grams[p.place] == 0)
            d->touched[d->touched_n++] = p.place;
        r->grams[p.place] += weight * sat;
    }
    assert(d->touched_n <= r->view->rows);
}

static void read_grams(Ranking *r)
{
    AUTO(Buf) text = { 0 };
    ViewPosts posts[GRAMS_MAX];
    uint32_t idf[GRAMS_MAX] = { 0 };
    uint64_t all = 0;
    size_t n = 0;
    const Query *q = r->ask->query;
    for (size_t i = 0; r->view->grams && i < q->n; i++)
        for (size_t k = 0; !q->terms[i].bonus && k < q->terms[i].parts_n; k++)
            buf_addf(&text, "%s" STR_FMT, text.n ? " " : "", STR_ARG(q->terms[i].parts[k]));
    for (size_t i = 0; i + GRAM <= text.n && n < GRAMS_MAX; i++) {
        char key[GRAM + 1] = { KEY_GRAM };
        memcpy(key + 1, text.p + i, GRAM);
        if (!rank_posts_of(r, (Str){ key, sizeof key }, &posts[n]))
            continue;
        idf[n] = rarity(r->view->rows, posts[n].n);
        all += idf[n++];
    }
    assert(n == 0 || all > 0);
    for (size_t i = 0; i < n; i++)
        add_gram(r, &posts[i], (uint32_t)((uint64_t)idf[i] * ONE / all));
}

/* --- Asking ------------------------------------------------------------------------------ */

void rank_read_question(Ranking *r)
{
    const Query *q = r->ask->query;
    dates_find(q->words, q->words_n, (Date){ 0 }, &r->dates);
    for (size_t i = 0; i < q->words_n; i++) {
        Str w = q->words[i], next = i + 1 < q->words_n ? q->words[i + 1] : (Str){ 0 };
        bool how = str_eq(w, S("how"));
        r->when = r->when || str_eq(w, S("when")) || (how && str_eq(next, S("long"))) ||
                  (str_eq(w, S("what")) &&
                   (str_eq(next, S("date")) || str_eq(next, S("day")) || str_eq(next, S("year")) ||
                    str_eq(next, S("month")) || str_eq(next, S("time"))));
        r->how = r->how || (how && (str_eq(next, S("many")) || str_eq(next, S("much")) ||
                                    str_eq(next, S("often")) || str_eq(next, S("old"))));
        r->who = r->who || str_eq(w, S("who")) || str_eq(w, S("whose")) || str_eq(w, S("where")) ||
                 str_eq(w, S("which")) || str_eq(w, S("name"));
    }
}

enum { PRUNE_ROWS = 50000, PRUNE_POSTS = 8 };

/* What cannot be among the best may be left out where the best follow from words and sessions
 * alone: not if rows must have something, mean the like or are found by parts of words. */
static bool may_prune(const Ranking *r)
{
    const RankAsk *a = r->ask;
    bool good = !a->like && !r->view->grams && a->prune != PRUNE_NONE;
    for (size_t i = 0; i < a->query->n; i++)
        good = good && !a->query->terms[i].must;
    return good && (r->view->rows >= PRUNE_ROWS || a->prune == PRUNE_ALL);
}

/* Reading each posting is quicker than looking around, unless there are many. */
static bool should_prune(const Ranking *r)
{
    uint64_t all = 0;
    bool dense = false;
    for (size_t i = 0; i < r->n; i++) {
        all += r->terms[i].n;
        dense = dense || r->terms[i].dense.codes;
    }
    return r->lazy && (dense || all > r->view->rows / PRUNE_POSTS || r->ask->prune == PRUNE_ALL);
}

void rank_read_terms(Ranking *r)
{
    r->lazy = may_prune(r);
    for (size_t i = 0; i < r->ask->query->n && !r->bad; i++)
        add_query_term(r, &r->ask->query->terms[i]);
    weigh(r);
    r->pruned = should_prune(r);
    r->must_n = r->musts ? NEW_ARRAY(r->into, uint16_t, r->view->rows + 1) : NULL;
    for (size_t i = 0; i < r->n && !r->pruned; i++) {
        add_words(r, &r->terms[i]);
        add_sessions(r, &r->terms[i]);
    }
    if (!r->pruned)
        read_grams(r);
}
