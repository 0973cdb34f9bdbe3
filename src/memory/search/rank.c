/* rank.c - the score of a row.
 *
 * A question is seldom answered by a row that repeats it.  In a run the answer
 * stands beside the words, so what is around a row counts, by how near it is;
 * in notes the session they were written in does.  Who speaks, and of what day,
 * are asked for by name and not by words.  Each kind of row has its own weights
 * (`profiles`), and a score is divided by what the best row of its kind could
 * reach, so that kinds can stand in one list.
 *
 * The weights were fitted on conversations (turns), users' notes (notes) and
 * functions (artifacts) whose right answers are known (bench/recall), and
 * rounded: rounding cost nothing.  k1 and b are those of BM25 where nothing
 * else was better, the means are the usual lengths; docs/decisions.md has what
 * each later one gave.
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
#include "memory/search/date.h"
#include "memory/search/draft.h"
#include "memory/search/likeness.h"
#include "memory/search/scale.h"

enum {
    SAT = 255,                        /* a term that is there as often as can be */
    REACH = 5,                        /* rows before and behind that count */
    CANDIDATES = 500,                 /* that are looked at closely */
    LIKE_CANDIDATES = 200,            /* ... because they mean the like */
    CANDIDATES_ROOM = 2 * CANDIDATES, /* see choose() */
    AROUND_NOTES = 100,               /* of them: notes whose neighbours are, too */
    MESSAGE_TERMS_MIN = 4,            /* of a query that is more than a few words to look for */
    CONTEXT_TERMS_MIN = 2,            /* of a query that finds rows without any of its words */
    LONG_QUERY = 12,                  /* terms from which on a word that is repeated counts more */
    COUNTS = POST_COUNT + 1,
    COUNT_MAX = 4096, /* of a term in a session: more say nothing more */
    NORMS = 256,
    RECENT_MAX = 512, /* sessions after which a row is as old as any */
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
        .of = { [RANK_WORDS] = 1000, [RANK_NEAR] = 800, [RANK_SESSION] = 550, [RANK_SPEAKER] = 200,
                [RANK_ANSWER] = 400, [RANK_WRITTEN] = 700, [RANK_SPOKEN] = 250, [RANK_WHEN] = 200,
                [RANK_WHO] = 120, [RANK_NUMBER] = 60, [RANK_QUESTION] = -50, [RANK_LENGTH] = 250 },
        .best = 3500 },
    [PROFILE_NOTE] = {
        .k1 = 900, .b = 200, .mean = 40, .session_k1 = 1200, .session_b = 500, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_EXACT] = 200, [RANK_SESSION] = 550, [RANK_BEFORE] = 500,
                [RANK_AFTER] = -300, [RANK_GROUP] = 400, [RANK_RECENT] = 200, [RANK_LENGTH] = 100 },
        .best = 2900 },
    [PROFILE_ARTIFACT] = {
        .k1 = 1200, .b = 750, .mean = 50, .session_k1 = 1200, .session_b = 750, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_HEAD] = 700, [RANK_ABOUT] = 150, [RANK_GRAMS] = 1000, [RANK_EXACT] = 200,
                [RANK_LENGTH] = -300 },
        .best = 2200 },
};

/* The same where meaning is known too.  Turns by vectors of words; the weights of notes and
 * artifacts are their own, beside what one row means by itself. */
static const Weights liked[PROFILES] = {
    [PROFILE_TURN] = {
        .of = { [RANK_WORDS] = 1000, [RANK_NEAR] = 780, [RANK_SESSION] = 600, [RANK_SPEAKER] = 250,
                [RANK_ANSWER] = 550, [RANK_WRITTEN] = 900, [RANK_SPOKEN] = 350, [RANK_WHEN] = 280,
                [RANK_WHO] = 170, [RANK_NUMBER] = 100, [RANK_QUESTION] = -70, [RANK_LENGTH] = 380,
                [RANK_LIKE] = 430, [RANK_LIKE_BEFORE] = 130, [RANK_LIKE_AFTER] = 40,
                [RANK_LIKE_SESSION] = 290 },
        .best = 4300 },
    [PROFILE_NOTE] = {
        .of = { [RANK_WORDS] = 1000, [RANK_EXACT] = 200, [RANK_SESSION] = 550, [RANK_BEFORE] = 500,
                [RANK_AFTER] = -300, [RANK_GROUP] = 400, [RANK_RECENT] = 200, [RANK_LENGTH] = 100,
                [RANK_LIKE] = 600 },
        .best = 3500 },
    [PROFILE_ARTIFACT] = {
        .of = { [RANK_WORDS] = 1000, [RANK_HEAD] = 700, [RANK_ABOUT] = 150, [RANK_GRAMS] = 1000, [RANK_EXACT] = 200,
                [RANK_LENGTH] = -300, [RANK_LIKE] = 600 },
        .best = 2800 },
};

/* What a term is worth in the row so far before, or behind: nearer rows more, and the one before,
 * which may hold the question, most. */
static const uint32_t before_share[REACH] = { 800, 350, 250, 150, 100 };
static const uint32_t behind_share[REACH] = { 450, 250, 200, 120, 80 };

const char *const rank_part_names[RANK_PARTS] = {
    [RANK_WORDS] = "words",
    [RANK_EXACT] = "words as written",
    [RANK_HEAD] = "words in the first line",
    [RANK_ABOUT] = "words in what it says of itself",
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
    [RANK_LIKE] = "means the like",
    [RANK_LIKE_BEFORE] = "the one before means the like",
    [RANK_LIKE_AFTER] = "the one after means the like",
    [RANK_LIKE_SESSION] = "another of the session means the like",
    [RANK_GROUP] = "others under its title",
};
/* clang-format on */

/* --- Saturation -------------------------------------------------------------------------- */

/* What a length takes off a term: k1 (1 - b + b len / mean), in thousandths. */
static uint32_t damping(uint32_t len, uint32_t k1, uint32_t b, uint32_t mean)
{
    return (uint32_t)(((uint64_t)k1 * (1000 - b) + (uint64_t)k1 * b * len / mean) / 1000);
}

/* How much `count` of a term says: count / (count + damping), 0 to SAT. */
static uint32_t saturate(uint32_t count, uint32_t damping)
{
    uint32_t up = (count < COUNT_MAX ? count : COUNT_MAX) * 1000;
    return SAT * up / (up + damping);
}

/* What depends on nothing but the weights is reckoned once for all searches. */
static struct {
    uint8_t words[PROFILES][COUNTS][NORMS]; /* by profile, count and length */
    uint8_t grams[COUNTS][NORMS];
    uint8_t head[NORMS];
    int32_t length[NORMS];
    int32_t recent[RECENT_MAX];          /* by the sessions since */
    int32_t share[PROFILES][RANK_PARTS]; /* a weight as a share of the best, in ONE */
    int32_t liked[PROFILES][RANK_PARTS]; /* likewise */
} tables;

static void fill_tables(void)
{
    for (unsigned n = 0; n < NORMS; n++) {
        uint32_t len = norm_len((uint8_t)n);
        for (unsigned c = 0; c < COUNTS; c++) {
            for (unsigned p = 0; p < PROFILES; p++) {
                const Weights *w = &profiles[p];
                tables.words[p][c][n] =
                    (uint8_t)saturate(c + 1, damping(len, w->k1, w->b, w->mean));
            }
            tables.grams[c][n] = (uint8_t)saturate(c + 1, damping(len, 900, 400, 80));
        }
        tables.head[n] = (uint8_t)saturate(1, damping(n, 900, 200, 6));
        tables.length[n] = (int32_t)(scale_ln_ratio(len + 1, 1) / 5);
    }
    for (unsigned p = 0; p < PROFILES; p++)
        for (unsigned k = 0; k < RANK_PARTS; k++) {
            tables.share[p][k] = profiles[p].of[k] * ONE / profiles[p].best;
            tables.liked[p][k] = liked[p].of[k] * ONE / liked[p].best;
        }
    uint64_t x = ONE;
    for (unsigned i = 0; i < RECENT_MAX; i++, x = x * 61309 >> 16) /* e^(-1/15) */
        tables.recent[i] = (int32_t)x;
}

/* --- The question ------------------------------------------------------------------------ */

typedef struct RankTerm {
    ViewPosts posts;
    uint32_t idf, session_idf; /* in ONE */
    uint32_t weight[PROFILES]; /* shares of ONE */
    uint32_t session_weight[PROFILES];
    uint32_t times; /* how often it is asked for */
    ViewPosts form; /* rows that have it as it is asked for, unless that is its stem */
    bool plain;     /* that is its stem */
    bool name;      /* of somebody who speaks */
    bool must;
} RankTerm;

typedef struct Ranking {
    const RankAsk *ask;
    const View *view;
    Arena *into;
    RankTerm *terms;
    size_t n, cap;
    ViewPosts *speakers; /* rows of those the query names, each */
    size_t speakers_n, speakers_cap;
    Dates dates;         /* that it names */
    bool when, who, how; /* what it asks for */
    size_t musts;
    RankDesk *desk;
    uint32_t *words;   /* by place, in ONE * SAT */
    uint32_t *grams;   /* likewise */
    uint32_t *session; /* by session, in ONE * SAT */
    uint16_t *must_n;  /* by place: how many of what it must have; NULL: nothing */
    bool with_grams;   /* any of them was found */
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
    char bytes[SEG_KEY_MAX], form_bytes[SEG_KEY_MAX];
    ViewPosts posts = { 0 }, speaker, form = { 0 };
    Str form_key;
    Str key = { bytes, term_key(dense ? NULL : r->ask->stemmer, word, bytes) };
    bool named = !dense && is_speaker(r, word, &speaker);
    if (named)
        add_speaker(r, &speaker);
    (void)posts_of(r, key, &posts);
    if (!dense)
        add_identifiers(r, word, &posts);
    if (posts.n == 0 && !t->must)
        return;
    if (!str_eq(word, str_from(key, 1)) && key_of(KEY_FORM, word, form_bytes, &form_key))
        (void)posts_of(r, form_key, &form);
    RankTerm *x = new_term(r, &posts);
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
    return tables.words[norm >> 8][bits & POST_COUNT][norm & 0xFF];
}

static void add_words(Ranking *r, const RankTerm *t)
{
    RankDesk *d = r->desk;
    const uint16_t *norms = r->view->norms;
    for (size_t i = 0; i < t->posts.n; i++) {
        ViewPost p = t->posts.items[i];
        uint16_t norm = norms[p.place];
        uint32_t sat = tables.words[norm >> 8][p.bits & POST_COUNT][norm & 0xFF];
        d->touched[d->touched_n] = p.place;
        d->touched_n += r->words[p.place] == 0;
        /* One more than it is, so that what was touched is never 0. */
        r->words[p.place] += t->weight[norm >> 8] * sat + 1;
    }
    for (size_t i = 0; t->must && i < t->posts.n; i++)
        r->must_n[t->posts.items[i].place]++;
}

static void end_session(Ranking *r, const RankTerm *t, uint32_t session, uint32_t count)
{
    unsigned profile = r->view->norms[r->view->sessions[session].first] >> 8;
    uint32_t *taken = &r->desk->damping[session];
    if (*taken == 0) {
        const Weights *w = &profiles[profile];
        *taken =
            damping(r->view->sessions[session].len, w->session_k1, w->session_b, w->session_mean);
    }
    r->session[session] += t->session_weight[profile] * saturate(count, *taken);
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
    RankDesk *d = r->desk;
    for (size_t i = 0; i < posts->n; i++) {
        ViewPost p = posts->items[i];
        uint32_t sat = tables.grams[p.bits & POST_COUNT][r->view->norms[p.place] & 0xFF];
        if (r->words[p.place] == 0 && r->grams[p.place] == 0)
            d->touched[d->touched_n++] = p.place;
        r->grams[p.place] += weight * sat;
    }
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
        if (!posts_of(r, (Str){ key, sizeof key }, &posts[n]))
            continue;
        idf[n] = rarity(r->view->rows, posts[n].n);
        all += idf[n++];
    }
    r->with_grams = n > 0;
    for (size_t i = 0; i < n; i++)
        add_gram(r, &posts[i], (uint32_t)((uint64_t)idf[i] * ONE / all));
}

/* --- Candidates -------------------------------------------------------------------------- */

static uint32_t rough(const Ranking *r, uint32_t place)
{
    const int32_t *share = tables.share[r->view->norms[place] >> 8];
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

/* Rows around a turn may answer what it asks, and a note goes on with what the one before it began:
 * but whoever asks for two or three words wants notes that have them.  The best candidates stand in
 * front. */
static void add_around(Ranking *r, Candidates *c)
{
    size_t n = c->n, notes = r->ask->query->n >= MESSAGE_TERMS_MIN ? AROUND_NOTES : 0;
    RankDesk *d = r->desk;
    for (size_t i = 0; i < n; i++) {
        uint32_t place = c->items[i].place, session = r->view->session_of[place];
        unsigned profile = r->view->norms[place] >> 8;
        if (profile == PROFILE_ARTIFACT || (profile == PROFILE_NOTE && i >= notes))
            continue;
        uint32_t from = place > REACH ? place - REACH : 0;
        for (uint32_t p = from; p <= place + REACH && p < r->view->rows; p++) {
            if (p == place || r->view->session_of[p] != session || r->words[p])
                continue;
            r->words[p] = 1; /* touched, by nothing of its own */
            if (r->grams[p] == 0)
                d->touched[d->touched_n++] = p;
            if (!kept(r, p))
                continue;
            c->items =
                arena_grow(r->into, c->items, c->n, &c->cap, sizeof(Candidate), alignof(Candidate));
            c->items[c->n++] = (Candidate){ .place = p };
        }
    }
}

/* Rows that have no word of the query, but mean the like. */
static void add_alike(Ranking *r, Candidates *c)
{
    RankDesk *d = r->desk;
    int32_t least = likeness_least(r->view, r->ask->like, r->ask->liked, LIKE_CANDIDATES);
    for (uint32_t p = 0; p < r->view->rows; p++) {
        if (r->ask->like[p] < least || !r->ask->liked[r->view->norms[p] >> 8] || r->words[p])
            continue;
        r->words[p] = 1;
        if (r->grams[p] == 0)
            d->touched[d->touched_n++] = p;
        if (!kept(r, p))
            continue;
        c->items =
            arena_grow(r->into, c->items, c->n, &c->cap, sizeof(Candidate), alignof(Candidate));
        c->items[c->n++] = (Candidate){ .place = p };
    }
}

/* The best of all rows that were touched.  Twice as many as are wanted are taken in, then half of
 * them thrown out; from then on a row must be better than the worst that stayed. */
static Candidates choose(Ranking *r)
{
    Candidates c = { .items = NEW_ARRAY(r->into, Candidate, CANDIDATES_ROOM),
                     .cap = CANDIDATES_ROOM };
    for (size_t i = 0; i < r->desk->touched_n; i++) {
        uint32_t place = r->desk->touched[i];
        Candidate fresh = { place, rough(r, place) };
        if ((c.full && !candidate_better(&fresh, &c.worst)) || !kept(r, place))
            continue;
        if (c.n == c.cap)
            candidates_keep(&c, CANDIDATES);
        c.items[c.n++] = fresh;
    }
    candidates_keep(&c, CANDIDATES);
    candidates_select(c.items, c.n, AROUND_NOTES);
    if (r->ask->query->n >= CONTEXT_TERMS_MIN && !r->musts)
        add_around(r, &c);
    if (r->ask->like && !r->musts)
        add_alike(r, &c);
    candidates_by_place(&c);
    return c;
}

/* --- What is around ---------------------------------------------------------------------- */

/* The first of the postings from `from` on that is not before this place: in steps that double,
 * then by halves, for candidates are few and postings may be many. */
static size_t post_at(const ViewPosts *posts, size_t from, uint32_t place)
{
    size_t low = from, step = 1;
    while (low + step <= posts->n && posts->items[low + step - 1].place < place) {
        low += step;
        step *= 2;
    }
    size_t high = low + step - 1 < posts->n ? low + step - 1 : posts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (posts->items[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What rows near this one have more of a term than it has itself, at most; *from: where to look for
 * the next candidate. */
static uint32_t near_one(const Ranking *r, const RankTerm *t, uint32_t place, size_t *from)
{
    uint32_t most = 0, own = 0, session = r->view->session_of[place];
    size_t i = *from = post_at(&t->posts, *from, place > REACH ? place - REACH : 0);
    for (; i < t->posts.n && t->posts.items[i].place <= place + REACH; i++) {
        ViewPost p = t->posts.items[i];
        if (r->view->session_of[p.place] != session)
            continue;
        uint32_t here = sat_at(r, p.place, p.bits);
        if (place == p.place) {
            own = 1000 * here;
            continue;
        }
        here *=
            place > p.place ? before_share[place - p.place - 1] : behind_share[p.place - place - 1];
        most = here > most ? here : most;
    }
    return most > own ? most - own : 0;
}

/* Only of turns: no other kind has a weight for it. */
static uint32_t *near_all(const Ranking *r, const Candidates *c)
{
    uint32_t *sum = NEW_ARRAY(r->into, uint32_t, c->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        const RankTerm *t = &r->terms[i];
        size_t from = 0;
        for (size_t k = 0; t->weight[PROFILE_TURN] && k < c->n; k++)
            if (r->view->norms[c->items[k].place] >> 8 == PROFILE_TURN)
                sum[k] += (uint32_t)((uint64_t)t->weight[PROFILE_TURN] *
                                     near_one(r, t, c->items[k].place, &from) / 1000);
    }
    return sum;
}

/* What is written as it is asked for, and what stands in the first line. */
typedef struct Extras {
    uint32_t *exact, *head, *about; /* by candidate */
} Extras;

static void extra_term(const Ranking *r, const RankTerm *t, const Candidates *c, Extras *x)
{
    size_t i = 0, f = 0;
    for (size_t k = 0; k < c->n && i < t->posts.n; k++) {
        uint32_t place = c->items[k].place;
        i = post_at(&t->posts, i, place);
        if (i == t->posts.n || t->posts.items[i].place != place)
            continue;
        ViewPost p = t->posts.items[i];
        uint32_t weight = t->weight[r->view->norms[place] >> 8];
        f = post_at(&t->form, f, place);
        bool formed = f < t->form.n && t->form.items[f].place == place;
        if (t->plain ? !(p.bits & POST_OTHER) : formed)
            x->exact[k] += weight * sat_at(r, place, p.bits);
        if (p.bits & POST_HEAD)
            x->head[k] += weight;
        if (p.bits & POST_ABOUT)
            x->about[k] += weight;
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
    const int32_t *like_session; /* by session; NULL: not known */
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
    uint32_t since = session < v->documents_n ? v->documents_n - 1 - session : 0;
    return tables.recent[since < RECENT_MAX ? since : RECENT_MAX - 1];
}

static void around_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    uint32_t place = s->c.items[k].place;
    uint32_t before = words_at(r, place, -1), after = words_at(r, place, 1);
    parts[RANK_NEAR] = share(s->near[k]);
    parts[RANK_SESSION] = share(r->session[r->view->session_of[place]]);
    parts[RANK_BEFORE] = share(before);
    parts[RANK_AFTER] = share(after);
    parts[RANK_ANSWER] = before > 1 && is_question(r, place - 1) ? share(before) : 0;
}

/* Of a row, and of what is around it, if their meaning is known. */
static void like_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const View *v = s->r->view;
    const int32_t *like = s->r->ask->like;
    uint32_t place = s->c.items[k].place, session = v->session_of[place];
    if (!like)
        return;
    parts[RANK_LIKE] = like[place];
    if (place > 0 && v->session_of[place - 1] == session)
        parts[RANK_LIKE_BEFORE] = like[place - 1];
    if (place + 1 < v->rows && v->session_of[place + 1] == session)
        parts[RANK_LIKE_AFTER] = like[place + 1];
    parts[RANK_LIKE_SESSION] = s->like_session[session];
}

static void own_parts(const Scoring *s, size_t k, int32_t *parts)
{
    const Ranking *r = s->r;
    const SegRow *row = &s->rows[k];
    uint32_t place = s->c.items[k].place;
    parts[RANK_WORDS] = share(r->words[place]);
    parts[RANK_EXACT] = share(s->extras.exact[k]);
    parts[RANK_HEAD] = (int32_t)((uint64_t)s->extras.head[k] * tables.head[row->head] / SAT);
    parts[RANK_ABOUT] = (int32_t)s->extras.about[k];
    parts[RANK_GRAMS] = share(r->grams[place]);
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
    parts[RANK_LENGTH] = tables.length[r->view->norms[place] & 0xFF];
    parts[RANK_RECENT] = recency(r->view, r->view->session_of[place]);
}

static int32_t group_value(const RankHit *h)
{
    return h->parts[RANK_WORDS] + h->parts[RANK_SESSION] / 2 + h->parts[RANK_RECENT] / 10;
}

/* Rows under one title: what the best of them has.  Titles are hashes already; a slot that another
 * title has is passed over. */
typedef struct Group {
    uint32_t title;
    int32_t most;
} Group;

static Group *group_slot(Group *slots, size_t mask, uint32_t title)
{
    size_t i = title & mask;
    while (slots[i].title && slots[i].title != title)
        i = (i + 1) & mask;
    slots[i].title = title;
    return &slots[i];
}

static void group_parts(Scoring *s)
{
    size_t n = s->c.n, cap = 16;
    while (cap < 2 * n)
        cap *= 2;
    Group *slots = NEW_ARRAY(s->r->into, Group, cap);
    for (size_t k = 0; k < n; k++) {
        int32_t value = group_value(&s->hits[k]);
        Group *g = s->rows[k].title ? group_slot(slots, cap - 1, s->rows[k].title) : NULL;
        if (g && value > g->most)
            g->most = value;
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t title = s->rows[k].title;
        s->hits[k].parts[RANK_GROUP] =
            title ? group_slot(slots, cap - 1, title)->most : group_value(&s->hits[k]);
    }
}

static void add_up(RankHit *h, const int32_t *share)
{
    h->score = 0;
    for (unsigned p = 0; p < RANK_PARTS; p++) {
        h->parts[p] = (int32_t)((int64_t)h->parts[p] * share[p] / ONE);
        h->score += h->parts[p];
    }
}

static void mark_posts(const Candidates *c, const ViewPosts *posts,
                       void (*mark)(void *, size_t, uint8_t), void *ctx)
{
    size_t i = 0;
    for (size_t k = 0; k < c->n && i < posts->n; k++) {
        i = post_at(posts, i, c->items[k].place);
        for (; i < posts->n && posts->items[i].place == c->items[k].place; i++)
            mark(ctx, k, posts->items[i].bits);
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
    s->extras = (Extras){ NEW_ARRAY(r->into, uint32_t, n + 1), NEW_ARRAY(r->into, uint32_t, n + 1),
                          NEW_ARRAY(r->into, uint32_t, n + 1) };
    for (size_t i = 0; i < r->n; i++)
        extra_term(r, &r->terms[i], &s->c, &s->extras);
    s->spoken_by = NEW_ARRAY(r->into, bool, n + 1);
    s->spoken = NEW_ARRAY(r->into, uint32_t, n + 1);
    for (size_t i = 0; i < r->speakers_n; i++)
        mark_posts(&s->c, &r->speakers[i], mark_speaker, s);
    find_spoken(s);
    s->like_session = r->ask->like ? likeness_sessions(r->view, r->ask->like, r->into) : NULL;
    s->rows = NEW_ARRAY(r->into, SegRow, n + 1);
    s->hits = NEW_ARRAY(r->into, RankHit, n + 1);
    for (size_t k = 0; k < n; k++) {
        Segment *seg;
        s->hits[k].place = s->c.items[k].place;
        if (!view_row(r->view, s->hits[k].place, &s->rows[k], &seg))
            r->bad = true;
        own_parts(s, k, s->hits[k].parts);
        around_parts(s, k, s->hits[k].parts);
        like_parts(s, k, s->hits[k].parts);
    }
    group_parts(s);
    for (size_t k = 0; k < n; k++)
        add_up(&s->hits[k], r->ask->like && r->ask->liked[s->rows[k].profile]
                                ? tables.liked[s->rows[k].profile]
                                : tables.share[s->rows[k].profile]);
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
        out->n += out->n < limit;
        memmove(order + at + 1, order + at, (out->n - at - 1) * sizeof *order);
        order[at] = i;
    }
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
    for (size_t i = 0; i < r->ask->query->n && !r->bad; i++)
        add_query_term(r, &r->ask->query->terms[i]);
    weigh(r);
    r->must_n = r->musts ? NEW_ARRAY(r->into, uint16_t, r->view->rows + 1) : NULL;
    for (size_t i = 0; i < r->n; i++) {
        add_words(r, &r->terms[i]);
        add_sessions(r, &r->terms[i]);
    }
    read_grams(r);
}

/* --- The desk ---------------------------------------------------------------------------- */

void rank_desk_free(RankDesk *d)
{
    free(d->words);
    *d = (RankDesk){ 0 };
}

/* Sums of all rows, all zero: a search that was left half-way may have left some. */
static void desk_begin(Ranking *r)
{
    RankDesk *d = r->desk;
    size_t rows = (size_t)r->view->rows + 1, sessions = (size_t)r->view->sessions_n + 1;
    if (d->view != r->view->number || d->used) {
        rank_desk_free(d);
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
static void desk_end(Ranking *r)
{
    RankDesk *d = r->desk;
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

bool rank_find(const RankAsk *ask, Arena *into, RankHits *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Ranking r = { .ask = ask, .view = ask->view, .into = into, .desk = ask->desk };
    *out = (RankHits){ 0 };
    pthread_once(&once, fill_tables);
    desk_begin(&r);
    read_question(&r);
    read_terms(&r);
    if (!r.bad) {
        Scoring s = { .r = &r, .c = choose(&r) };
        look_closely(&s);
        give(&s, out);
    }
    desk_end(&r);
    return !r.bad;
}
