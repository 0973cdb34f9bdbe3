/* rank.c - the score of a row.
 *
 * A question is seldom answered by a row that repeats it.  In a run the answer
 * stands beside the words, so what is around a row counts, by how near it is;
 * in notes the session they were written in does.  Who speaks, and of what day,
 * are asked for by name and not by words.  Each kind of row has its own weights
 * (`profiles`), and a score is divided by what the best row of its kind could
 * reach, so that kinds can stand in one list.
 *
 * The weights were fitted on conversations, users' notes and functions whose
 * right answers are known (bench/recall), and rounded: rounding cost nothing.
 *
 * First the postings of each term are read once, which gives every row its
 * words and every session its own.  The best of them, and in runs the rows
 * around them, are candidates; the rest is reckoned for these alone. */
#include "memory/search/rank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/date.h"
#include "memory/search/draft.h"
#include "memory/search/scale.h"

enum {
    SAT = 255,             /* a term that is there as often as can be */
    REACH = 5,             /* rows before and behind that count */
    CANDIDATES = 1000,     /* that are looked at closely */
    CONTEXT_TERMS_MIN = 2, /* of a query that finds rows without any of its words */
    LONG_QUERY = 12,       /* terms from which on a word that is repeated counts more */
    COUNTS = POST_COUNT + 1,
    NORMS = 256,
};

/* Thousandths. */
typedef struct Weights {
    uint32_t k1, b, mean;                         /* of a row */
    uint32_t session_k1, session_b, session_mean; /* of a session */
    int32_t of[RANK_PARTS];
    int32_t best; /* what a good row of this kind reaches */
} Weights;

/* clang-format off */
static const Weights profiles[PROFILES] = {
    [PROFILE_TURN] = {
        .k1 = 900, .b = 400, .mean = 24, .session_k1 = 1200, .session_b = 750, .session_mean = 500,
        .of = { [RANK_WORDS] = 1000, [RANK_NEAR] = 700, [RANK_SESSION] = 550, [RANK_SPEAKER] = 250,
                [RANK_ANSWER] = 400, [RANK_WRITTEN] = 700, [RANK_SPOKEN] = 250, [RANK_WHEN] = 200,
                [RANK_WHO] = 120, [RANK_NUMBER] = 60, [RANK_QUESTION] = -50, [RANK_LENGTH] = 250 },
        .best = 3500 },
    [PROFILE_NOTE] = {
        .k1 = 900, .b = 200, .mean = 40, .session_k1 = 1200, .session_b = 500, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_EXACT] = 200, [RANK_SESSION] = 550, [RANK_BEFORE] = 500,
                [RANK_AFTER] = -250, [RANK_GROUP] = 400, [RANK_RECENT] = 200, [RANK_LENGTH] = 100 },
        .best = 2900 },
    [PROFILE_ARTIFACT] = {
        .k1 = 1200, .b = 750, .mean = 50, .session_k1 = 1200, .session_b = 750, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_HEAD] = 700, [RANK_GRAMS] = 1000, [RANK_EXACT] = 200,
                [RANK_LENGTH] = -300 },
        .best = 2200 },
};

/* What a term is worth in the row so far before, or behind: nearer rows more, and the one before,
 * which may hold the question, most. */
static const uint32_t before_share[REACH] = { 800, 350, 250, 150, 100 };
static const uint32_t behind_share[REACH] = { 450, 250, 200, 120, 80 };

const char *const rank_part_names[RANK_PARTS] = {
    [RANK_WORDS] = "words",
    [RANK_EXACT] = "words as written",
    [RANK_HEAD] = "words in the first line",
    [RANK_GRAMS] = "parts of words",
    [RANK_NEAR] = "words nearby",
    [RANK_SESSION] = "words in the session",
    [RANK_BEFORE] = "words in the one before",
    [RANK_AFTER] = "words in the one after",
    [RANK_ANSWER] = "follows a question with the words",
    [RANK_SPEAKER] = "said by whom the query names",
    [RANK_WRITTEN] = "written at the date",
    [RANK_SPOKEN] = "speaks of the date",
    [RANK_WHEN] = "says when",
    [RANK_WHO] = "says who",
    [RANK_NUMBER] = "says how many",
    [RANK_QUESTION] = "is a question",
    [RANK_LENGTH] = "length",
    [RANK_RECENT] = "recent",
    [RANK_GROUP] = "others under its title",
};
/* clang-format on */

/* --- Saturation -------------------------------------------------------------------------- */

/* How much `count` of a term says in a text of this length: 0 to SAT. */
static uint32_t saturate(uint32_t count, uint32_t len, uint32_t k1, uint32_t b, uint32_t mean)
{
    /* count / (count + k1 (1 - b + b len / mean)), all in millionths */
    uint64_t norm = (uint64_t)k1 * (1000 - b) + (uint64_t)k1 * b * len / mean;
    uint64_t up = (uint64_t)count * 1000000;
    return (uint32_t)(SAT * up / (up + norm));
}

typedef struct SatTable {
    uint8_t of[PROFILES][COUNTS][NORMS];
} SatTable;

static void fill_table(SatTable *t)
{
    for (unsigned p = 0; p < PROFILES; p++)
        for (unsigned c = 0; c < COUNTS; c++)
            for (unsigned n = 0; n < NORMS; n++)
                t->of[p][c][n] = (uint8_t)saturate(c + 1, norm_len((uint8_t)n), profiles[p].k1,
                                                   profiles[p].b, profiles[p].mean);
}

/* --- The question ------------------------------------------------------------------------ */

typedef struct RankTerm {
    ViewPosts posts;
    uint32_t idf, session_idf; /* in ONE */
    uint32_t weight[PROFILES]; /* shares of ONE */
    uint32_t session_weight[PROFILES];
    uint32_t times; /* how often it is asked for */
    uint8_t form;
    bool name; /* of somebody who speaks */
    bool must;
} RankTerm;

typedef struct Ranking {
    const RankAsk *ask;
    const View *view;
    Arena *into;
    SatTable *sat;
    RankTerm *terms;
    size_t n, cap;
    ViewPosts speakers;  /* rows of those the query names */
    Dates dates;         /* that it names */
    bool when, who, how; /* what it asks for */
    size_t musts;
    uint32_t *words;   /* by place, in ONE * SAT */
    uint32_t *grams;   /* likewise; NULL: none */
    uint16_t *must_n;  /* by place: how many of what it must have; NULL: nothing */
    uint32_t *session; /* by session, in ONE * SAT */
    uint32_t *touched; /* places with a word of the query */
    size_t touched_n;
    bool bad;
} Ranking;

static bool posts_of(Ranking *r, Str key, ViewPosts *out)
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
    r->terms[r->n] = (RankTerm){ .posts = *posts, .times = 1 };
    return &r->terms[r->n++];
}

/* Is this the name of somebody who speaks in this pad? */
static bool is_speaker(Ranking *r, Str word, ViewPosts *posts)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    return key_of(KEY_SPEAKER, word, bytes, &key) && posts_of(r, key, posts);
}

static void add_speaker(Ranking *r, const ViewPosts *posts)
{
    size_t n = r->speakers.n + posts->n;
    ViewPost *all = NEW_ARRAY(r->into, ViewPost, n + 1);
    if (r->speakers.n)
        memcpy(all, r->speakers.items, r->speakers.n * sizeof *all);
    memcpy(all + r->speakers.n, posts->items, posts->n * sizeof *all);
    r->speakers = (ViewPosts){ all, n };
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
    if (!posts_of(r, key, &more))
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
    if (!key_of(KEY_WHOLE, word, bytes, &key) || !posts_of(r, key, &wholes))
        return;
    size_t n = posts->n + wholes.n;
    ViewPost *all = NEW_ARRAY(r->into, ViewPost, n + 1);
    if (posts->n)
        memcpy(all, posts->items, posts->n * sizeof *all);
    memcpy(all + posts->n, wholes.items, wholes.n * sizeof *all);
    *posts = (ViewPosts){ all, n };
    unite(posts);
}

static void add_word_term(Ranking *r, Str word, bool dense, const Term *t)
{
    char bytes[SEG_KEY_MAX];
    ViewPosts posts = { 0 }, speaker;
    Str key = { bytes, term_key(dense ? NULL : r->ask->stemmer, word, bytes) };
    bool named = !dense && is_speaker(r, word, &speaker);
    if (named)
        add_speaker(r, &speaker);
    (void)posts_of(r, key, &posts);
    if (!dense)
        add_identifiers(r, word, &posts);
    if (posts.n == 0 && !t->must)
        return;
    RankTerm *x = new_term(r, &posts);
    x->form = form_code(word, str_from(key, 1));
    x->name = named;
    x->times = t->times;
    x->must = t->must;
    r->musts += t->must;
}

/* A key that begins so: of a form, which leads to its stem, or of a term. */
static void add_beginning(Ranking *r, SegKey kind, Str word, ViewPosts *all, size_t *cap)
{
    enum { KEYS_MAX = 256 };
    char bytes[SEG_KEY_MAX], term[SEG_KEY_MAX];
    Str from, key;
    for (size_t i = 0; i < r->view->n && key_of(kind, word, bytes, &from); i++) {
        SegKeys k;
        bool more = seg_keys_from(&k, &r->view->segs[i], from);
        for (unsigned n = 0; more && n < KEYS_MAX && str_starts((Str){ k.key, k.key_n }, from);
             n++) {
            Str found = { k.key + 1, k.key_n - 1 };
            if (kind == KEY_FORM)
                found = str_from(found, str_find(found, 0) + 1);
            if (key_of(kind == KEY_FORM ? KEY_TERM : kind, found, term, &key))
                merge_into(r, all, cap, key);
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
        if (!posts_of(r, key, &more))
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
    if (t->whole.n && key_of(KEY_WHOLE, t->whole, bytes, &key) && posts_of(r, key, &whole))
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

static uint32_t count_sessions(const View *v, const ViewPosts *posts)
{
    uint32_t n = 0, last = NO_PLACE;
    for (size_t i = 0; i < posts->n; i++) {
        uint32_t session = v->session_of[posts->items[i].place];
        n += session != last;
        last = session;
    }
    return n;
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
    }
}

static void weigh(Ranking *r)
{
    for (size_t i = 0; i < r->n; i++) {
        RankTerm *t = &r->terms[i];
        t->idf = rarity(r->view->rows, t->posts.n);
        t->session_idf = rarity(r->view->sessions_n, count_sessions(r->view, &t->posts));
    }
    if (r->n > SEARCH_TERMS_MAX) {
        qsort(r->terms, r->n, sizeof *r->terms, heavier);
        r->n = SEARCH_TERMS_MAX;
    }
    for (unsigned p = 0; p < PROFILES; p++)
        share_weights(r, p);
}

/* --- Reading postings -------------------------------------------------------------------- */

static uint32_t sat_at(const Ranking *r, uint32_t place, uint8_t bits)
{
    uint16_t norm = r->view->norms[place];
    return r->sat->of[norm >> 8][bits & POST_COUNT][norm & 0xFF];
}

static void add_words(Ranking *r, const RankTerm *t)
{
    for (size_t i = 0; i < t->posts.n; i++) {
        ViewPost p = t->posts.items[i];
        if (r->words[p.place] == 0)
            r->touched[r->touched_n++] = p.place;
        /* One more than it is, so that what was touched is never 0. */
        r->words[p.place] +=
            t->weight[r->view->norms[p.place] >> 8] * sat_at(r, p.place, p.bits) + 1;
        if (t->must)
            r->must_n[p.place]++;
    }
}

static void end_session(Ranking *r, const RankTerm *t, uint32_t session, uint32_t count)
{
    const SegSession *s = &r->view->sessions[session];
    unsigned profile = r->view->norms[s->first] >> 8;
    const Weights *w = &profiles[profile];
    uint32_t sat = saturate(count, s->len, w->session_k1, w->session_b, w->session_mean);
    r->session[session] += t->session_weight[profile] * sat;
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
    static const uint32_t k1 = 900, b = 400, mean = 80;
    for (size_t i = 0; i < posts->n; i++) {
        ViewPost p = posts->items[i];
        uint16_t norm = r->view->norms[p.place];
        uint32_t sat = saturate(1 + (p.bits & POST_COUNT), norm_len((uint8_t)norm), k1, b, mean);
        if (r->words[p.place] == 0 && r->grams[p.place] == 0)
            r->touched[r->touched_n++] = p.place;
        r->grams[p.place] += weight * sat;
    }
}

static void read_grams(Ranking *r)
{
    AUTO(Buf) text = { 0 };
    ViewPosts posts[GRAMS_MAX];
    uint32_t idf[GRAMS_MAX];
    uint64_t all = 0;
    size_t n = 0;
    const Query *q = r->ask->query;
    for (size_t i = 0; i < q->n; i++)
        for (size_t k = 0; !q->terms[i].bonus && k < q->terms[i].parts_n; k++)
            buf_addf(&text, "%s" STR_FMT, text.n ? " " : "", STR_ARG(q->terms[i].parts[k]));
    for (size_t i = 0; i + GRAM <= text.n && n < GRAMS_MAX; i++) {
        char key[GRAM + 1] = { KEY_GRAM };
        memcpy(key + 1, text.p + i, GRAM);
        if (!posts_of(r, (Str){ key, sizeof key }, &posts[n]))
            continue;
        idf[n] = rarity(r->view->rows, posts[n].n);
        all += idf[n++];
    }
    if (n == 0)
        return;
    r->grams = NEW_ARRAY(r->into, uint32_t, r->view->rows + 1);
    for (size_t i = 0; i < n; i++)
        add_gram(r, &posts[i], (uint32_t)((uint64_t)idf[i] * ONE / all));
}

/* --- Candidates -------------------------------------------------------------------------- */

typedef struct Candidate {
    uint32_t place;
    uint32_t first; /* its rough score */
} Candidate;

typedef struct Candidates {
    Candidate *items;
    size_t n;
} Candidates;

static uint32_t rough(const Ranking *r, uint32_t place)
{
    const Weights *w = &profiles[r->view->norms[place] >> 8];
    uint64_t sum = (uint64_t)r->words[place] * (uint32_t)w->of[RANK_WORDS] +
                   (uint64_t)r->session[r->view->session_of[place]] * (uint32_t)w->of[RANK_SESSION];
    if (r->grams)
        sum += (uint64_t)r->grams[place] * (uint32_t)w->of[RANK_GRAMS];
    return (uint32_t)(sum / ((uint64_t)w->best * SAT));
}

static int roughly(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_candidate_place(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
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

/* The best so many of them, without sorting the rest: by the score that so many reach. */
static void keep_best(Candidates *c)
{
    if (c->n <= CANDIDATES)
        return;
    qsort(c->items, c->n, sizeof *c->items, roughly);
    c->n = CANDIDATES;
}

/* Rows around a turn may answer what it asks. */
static void add_around(Ranking *r, Candidates *c, size_t *cap)
{
    size_t n = c->n;
    for (size_t i = 0; i < n; i++) {
        uint32_t place = c->items[i].place, session = r->view->session_of[place];
        if (r->view->norms[place] >> 8 != PROFILE_TURN)
            continue;
        uint32_t from = place > REACH ? place - REACH : 0;
        for (uint32_t p = from; p <= place + REACH && p < r->view->rows; p++) {
            if (p == place || r->view->session_of[p] != session || r->words[p])
                continue;
            r->words[p] = 1; /* touched, by nothing of its own */
            if (!kept(r, p))
                continue;
            c->items =
                arena_grow(r->into, c->items, c->n, cap, sizeof(Candidate), alignof(Candidate));
            c->items[c->n++] = (Candidate){ .place = p };
        }
    }
}

static Candidates choose(Ranking *r)
{
    Candidates c = { .items = NEW_ARRAY(r->into, Candidate, r->touched_n + 1) };
    size_t cap = r->touched_n + 1;
    for (size_t i = 0; i < r->touched_n; i++)
        if (kept(r, r->touched[i]))
            c.items[c.n++] = (Candidate){ r->touched[i], rough(r, r->touched[i]) };
    keep_best(&c);
    if (r->ask->query->n >= CONTEXT_TERMS_MIN && !r->musts)
        add_around(r, &c, &cap);
    if (c.n)
        qsort(c.items, c.n, sizeof *c.items, by_candidate_place);
    return c;
}

/* --- What is around ---------------------------------------------------------------------- */

/* Of one term, for each candidate: the most that a row near it has.  Both lists are by place. */
static void near_term(const Ranking *r, const RankTerm *t, const Candidates *c, uint32_t *most)
{
    size_t low = 0;
    for (size_t i = 0; i < t->posts.n; i++) {
        ViewPost p = t->posts.items[i];
        uint32_t sat = sat_at(r, p.place, p.bits), session = r->view->session_of[p.place];
        while (low < c->n && c->items[low].place + REACH < p.place)
            low++;
        for (size_t k = low; k < c->n && c->items[k].place <= p.place + REACH; k++) {
            uint32_t place = c->items[k].place;
            if (place == p.place || r->view->session_of[place] != session)
                continue;
            uint32_t share = place > p.place ? before_share[place - p.place - 1]
                                             : behind_share[p.place - place - 1];
            most[k] = share * sat > most[k] ? share * sat : most[k];
        }
    }
}

static uint32_t *near_all(const Ranking *r, const Candidates *c)
{
    uint32_t *sum = NEW_ARRAY(r->into, uint32_t, c->n + 1);
    uint32_t *most = NEW_ARRAY(r->into, uint32_t, c->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        const RankTerm *t = &r->terms[i];
        if (t->weight[PROFILE_TURN] == 0)
            continue;
        memset(most, 0, c->n * sizeof *most);
        near_term(r, t, c, most);
        for (size_t k = 0; k < c->n; k++)
            sum[k] += (uint32_t)((uint64_t)t->weight[PROFILE_TURN] * most[k] / 1000);
    }
    return sum;
}

/* What is written as it is asked for, and what stands in the first line. */
typedef struct Extras {
    uint32_t *exact, *head; /* by candidate */
} Extras;

static void extra_term(const Ranking *r, const RankTerm *t, const Candidates *c, Extras *x)
{
    size_t k = 0;
    for (size_t i = 0; i < t->posts.n && k < c->n; i++) {
        ViewPost p = t->posts.items[i];
        while (k < c->n && c->items[k].place < p.place)
            k++;
        if (k == c->n || c->items[k].place != p.place)
            continue;
        uint32_t weight = t->weight[r->view->norms[p.place] >> 8];
        if (p.bits >> POST_FORM == t->form)
            x->exact[k] += weight * sat_at(r, p.place, p.bits);
        if (p.bits & POST_HEAD)
            x->head[k] += weight;
    }
}

/* --- Scores ------------------------------------------------------------------------------ */

typedef struct Scoring {
    Ranking *r;
    Candidates c;
    uint32_t *near;
    Extras extras;
    bool *spoken_by;  /* by candidate */
    uint32_t *spoken; /* how well a date fits that it speaks of */
    RankHit *hits;
    SegRow *rows;
} Scoring;

static int32_t share(uint32_t value)
{
    return (int32_t)(value / SAT);
}

static uint32_t words_at(const Ranking *r, uint32_t place, int64_t away)
{
    int64_t there = (int64_t)place + away;
    if (there < 0 || there >= r->view->rows ||
        r->view->session_of[there] != r->view->session_of[place])
        return 0;
    return r->words[there];
}

static bool is_question(const Ranking *r, uint32_t place)
{
    SegRow row;
    Segment *seg;
    return view_row(r->view, place, &row, &seg) && (row.flags & ROW_QUESTION);
}

static int32_t recency(const View *v, uint32_t session)
{
    uint64_t x = ONE;
    uint32_t since = session < v->documents_n ? v->documents_n - 1 - session : 0;
    for (uint32_t i = 0; i < since && x; i++)
        x = x * 63388 >> 16; /* e^(-1/30) */
    return (int32_t)x;
}

static int32_t length_part(uint32_t len)
{
    return (int32_t)(scale_ln_ratio(len + 1, 1) / 5);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void around_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    uint32_t place = s->c.items[k].place;
    uint32_t before = words_at(r, place, -1), after = words_at(r, place, 1);
    parts[RANK_NEAR] = share(s->near[k]);
    parts[RANK_SESSION] = share(r->session[r->view->session_of[place]]);
    /* What is beside a row says no more than the row itself. */
    parts[RANK_BEFORE] = least(share(before), parts[RANK_WORDS]);
    parts[RANK_AFTER] = least(share(after), parts[RANK_WORDS]);
    parts[RANK_ANSWER] = before > 1 && is_question(r, place - 1) ? share(before) : 0;
}

static void own_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    const SegRow *row = &s->rows[k];
    uint32_t place = s->c.items[k].place, head = row->head;
    parts[RANK_WORDS] = share(r->words[place]);
    parts[RANK_EXACT] = share(s->extras.exact[k]);
    parts[RANK_HEAD] =
        (int32_t)((uint64_t)s->extras.head[k] * saturate(1, head, 900, 200, 6) / SAT);
    parts[RANK_GRAMS] = r->grams ? share(r->grams[place]) : 0;
    parts[RANK_SPEAKER] = s->spoken_by[k] ? ONE : 0;
    for (size_t i = 0; i < r->dates.n; i++) {
        int32_t fit = (int32_t)date_fit(r->dates.items[i], date_of(row->at_ms));
        parts[RANK_WRITTEN] = fit > parts[RANK_WRITTEN] ? fit : parts[RANK_WRITTEN];
    }
    parts[RANK_SPOKEN] = (int32_t)s->spoken[k];
    parts[RANK_WHEN] = r->when && (row->flags & ROW_TIME) ? ONE : 0;
    parts[RANK_NUMBER] = r->how && (row->flags & ROW_NUMBER) ? ONE : 0;
    parts[RANK_WHO] = r->who ? (int32_t)(row->flags / ROW_CAPITALS & 3) * ONE / 2 : 0;
    parts[RANK_QUESTION] = row->flags & ROW_QUESTION ? ONE : 0;
    parts[RANK_LENGTH] = length_part(row->len);
    parts[RANK_RECENT] = recency(r->view, r->view->session_of[place]);
}

/* Rows under one title: what the best of them has. */
static int by_title(const void *a, const void *b, void *ctx)
{
    const SegRow *rows = ctx;
    uint32_t x = rows[*(const uint32_t *)a].title, y = rows[*(const uint32_t *)b].title;
    if (x != y)
        return x < y ? -1 : 1;
    return (*(const uint32_t *)a > *(const uint32_t *)b) -
           (*(const uint32_t *)a < *(const uint32_t *)b);
}

static int32_t group_value(const RankHit *h)
{
    return h->parts[RANK_WORDS] + h->parts[RANK_SESSION] / 2 + h->parts[RANK_RECENT] / 10;
}

static void group_parts(Scoring *s)
{
    size_t n = s->c.n;
    uint32_t *order = NEW_ARRAY(s->r->into, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (n)
        qsort_r(order, n, sizeof *order, by_title, s->rows);
    for (size_t i = 0, to; i < n; i = to) {
        int32_t most = 0;
        uint32_t title = s->rows[order[i]].title;
        for (to = i; to < n && s->rows[order[to]].title == title; to++)
            most =
                group_value(&s->hits[order[to]]) > most ? group_value(&s->hits[order[to]]) : most;
        for (size_t k = i; k < to; k++)
            s->hits[order[k]].parts[RANK_GROUP] = title ? most : group_value(&s->hits[order[k]]);
    }
}

static void add_up(RankHit *h, const Weights *w)
{
    h->score = 0;
    for (unsigned p = 0; p < RANK_PARTS; p++) {
        h->parts[p] = (int32_t)((int64_t)h->parts[p] * w->of[p] / w->best);
        h->score += h->parts[p];
    }
}

static void mark_posts(const Candidates *c, const ViewPosts *posts,
                       void (*mark)(void *, size_t, uint8_t), void *ctx)
{
    for (size_t i = 0; i < posts->n; i++) {
        Candidate key = { .place = posts->items[i].place };
        const Candidate *found =
            c->n ? bsearch(&key, c->items, c->n, sizeof key, by_candidate_place) : NULL;
        if (found)
            mark(ctx, (size_t)(found - c->items), posts->items[i].bits);
    }
}

static void mark_speaker(void *ctx, size_t k, uint8_t bits)
{
    (void)bits;
    ((Scoring *)ctx)->spoken_by[k] = true;
}

typedef struct MarkDate {
    Scoring *s;
    Date asked, there;
} MarkDate;

static void mark_date(void *ctx, size_t k, uint8_t day)
{
    MarkDate *m = ctx;
    m->there.day = day;
    uint32_t fit = date_fit(m->asked, m->there);
    m->s->spoken[k] = fit > m->s->spoken[k] ? fit : m->s->spoken[k];
}

/* Rows that speak of a date that is asked for.  A month without a year is looked for in all. */
static void find_spoken(Scoring *s)
{
    Ranking *r = s->r;
    char from[] = { KEY_DATE };
    for (size_t i = 0; r->dates.n && i < r->view->n; i++) {
        SegKeys k;
        bool more = seg_keys_from(&k, &r->view->segs[i], (Str){ from, 1 });
        for (; more && k.key[0] == KEY_DATE; more = seg_keys_next(&k)) {
            unsigned year = 0, month = 0;
            for (size_t d = 1; d < k.key_n && d < 5; d++)
                year = year * 10 + (unsigned)(k.key[d] - '0');
            for (size_t d = 5; d < k.key_n && d < 7; d++)
                month = month * 10 + (unsigned)(k.key[d] - '0');
            for (size_t q = 0; q < r->dates.n; q++) {
                MarkDate m = { s, r->dates.items[q], { (uint16_t)year, (uint8_t)month, 0 } };
                ViewPosts posts;
                if (date_fit(m.asked, m.there) && posts_of(r, (Str){ k.key, k.key_n }, &posts))
                    mark_posts(&s->c, &posts, mark_date, &m);
            }
        }
    }
}

static void look_closely(Scoring *s)
{
    Ranking *r = s->r;
    size_t n = s->c.n;
    s->near = near_all(r, &s->c);
    s->extras =
        (Extras){ NEW_ARRAY(r->into, uint32_t, n + 1), NEW_ARRAY(r->into, uint32_t, n + 1) };
    for (size_t i = 0; i < r->n; i++)
        extra_term(r, &r->terms[i], &s->c, &s->extras);
    s->spoken_by = NEW_ARRAY(r->into, bool, n + 1);
    s->spoken = NEW_ARRAY(r->into, uint32_t, n + 1);
    mark_posts(&s->c, &r->speakers, mark_speaker, s);
    find_spoken(s);
    s->rows = NEW_ARRAY(r->into, SegRow, n + 1);
    s->hits = NEW_ARRAY(r->into, RankHit, n + 1);
    for (size_t k = 0; k < n; k++) {
        Segment *seg;
        s->hits[k].place = s->c.items[k].place;
        if (!view_row(r->view, s->hits[k].place, &s->rows[k], &seg))
            r->bad = true;
        own_parts(s, k, s->hits[k].parts);
        around_parts(s, k, s->hits[k].parts);
    }
    group_parts(s);
    for (size_t k = 0; k < n; k++)
        add_up(&s->hits[k], &profiles[s->rows[k].profile]);
}

/* --- The order --------------------------------------------------------------------------- */

typedef struct OrderOf {
    const View *view;
    const SegRow *rows;
    const RankHit *hits;
} OrderOf;

/* By score, then the newer, then by name, then the later record. */
static int best_first(const void *a, const void *b, void *ctx)
{
    const OrderOf *o = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
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

static void give(Scoring *s, RankHits *out)
{
    size_t n = s->c.n;
    uint32_t *order = NEW_ARRAY(s->r->into, uint32_t, n + 1);
    OrderOf o = { s->r->view, s->rows, s->hits };
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (n)
        qsort_r(order, n, sizeof *order, best_first, &o);
    out->n = n < s->r->ask->limit ? n : s->r->ask->limit;
    out->items = NEW_ARRAY(s->r->into, RankHit, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        out->items[i] = s->hits[order[i]];
}

/* --- Asking ------------------------------------------------------------------------------ */

static void read_question(Ranking *r)
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

static void read_terms(Ranking *r)
{
    const View *v = r->view;
    for (size_t i = 0; i < r->ask->query->n && !r->bad; i++)
        add_query_term(r, &r->ask->query->terms[i]);
    weigh(r);
    r->words = NEW_ARRAY(r->into, uint32_t, v->rows + 1);
    r->touched = NEW_ARRAY(r->into, uint32_t, v->rows + 1);
    r->session = NEW_ARRAY(r->into, uint32_t, v->sessions_n + 1);
    r->must_n = r->musts ? NEW_ARRAY(r->into, uint16_t, v->rows + 1) : NULL;
    for (size_t i = 0; i < r->n; i++) {
        add_words(r, &r->terms[i]);
        add_sessions(r, &r->terms[i]);
    }
    read_grams(r);
}

bool rank_find(const RankAsk *ask, Arena *into, RankHits *out)
{
    Ranking r = { .ask = ask, .view = ask->view, .into = into, .sat = NEW(into, SatTable) };
    *out = (RankHits){ 0 };
    fill_table(r.sat);
    read_question(&r);
    read_terms(&r);
    if (r.bad)
        return false;
    Scoring s = { .r = &r, .c = choose(&r) };
    look_closely(&s);
    give(&s, out);
    return !r.bad;
}
