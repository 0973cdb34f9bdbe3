/* likeness.c - vectors of rows, from what the index has of their words.
 *
 * Keys are stems and, where a word is written otherwise, its forms.  The vector of a stem, which is
 * no word, would say little: each row counts by the words as it has them, and how rare a word is by
 * its stem. */
#include "memory/search/likeness.h"

#include <stdlib.h>
#include <string.h>

#include "memory/search/draft.h"
#include "memory/search/scale.h"

enum {
    UNIT = 4096, /* the length of a vector */
    IDF_SHIFT = 12,
    SUM_SHIFT = 4, /* of a word's share in a row, so that sums of long rows fit */
    BITS = 20,     /* of a number that is squared */
};

/* --- Lengths ----------------------------------------------------------------------------- */

/* The same direction with length UNIT; zeros stay zeros. */
static void normalise(const int32_t *from, int16_t *to)
{
    uint32_t most = 0;
    uint64_t squares = 0;
    for (size_t c = 0; c < VECTOR_COLUMNS; c++) {
        uint32_t size = from[c] < 0 ? 0u - (uint32_t)from[c] : (uint32_t)from[c];
        most = size > most ? size : most;
    }
    int shift = 0;
    while (most >> shift >> BITS)
        shift++;
    for (size_t c = 0; c < VECTOR_COLUMNS; c++) {
        int64_t x = from[c] / (INT64_C(1) << shift);
        squares += (uint64_t)(x * x);
    }
    int64_t length = scale_root(squares);
    for (size_t c = 0; c < VECTOR_COLUMNS; c++)
        to[c] = (int16_t)(length ? from[c] / (INT64_C(1) << shift) * UNIT / length : 0);
}

static void take_off(int16_t *row, const Vector *mean)
{
    Vector rest;
    for (size_t c = 0; c < VECTOR_COLUMNS; c++)
        rest.of[c] = row[c] - mean->of[c];
    normalise(rest.of, row);
}

/* --- Rows -------------------------------------------------------------------------------- */

typedef struct Making {
    const Vectors *vectors;
    const View *view;
    Stemmer *stemmer;
    uint32_t first; /* place of a turn */
    int32_t *sums;  /* of turns */
    bool bad;
} Making;

static uint32_t rarity(const View *v, size_t with)
{
    return (scale_ln_ratio(2 * (uint64_t)v->rows + 2, 2 * (uint64_t)with + 1) + 1) >> IDF_SHIFT;
}

static void add_word(int32_t *sum, const Vector *word, uint32_t weight)
{
    for (size_t c = 0; c < VECTOR_COLUMNS; c++) {
        int32_t more = (int32_t)((int64_t)word->of[c] * weight >> SUM_SHIFT);
        sum[c] = (int32_t)((uint32_t)sum[c] + (uint32_t)more);
    }
}

/* In how many rows the stem of a form is. */
static size_t rows_of_stem(Making *m, Str word, Arena *scratch)
{
    char bytes[SEG_KEY_MAX];
    ViewPosts posts = { 0 };
    Str key = { bytes, term_key(m->stemmer, word, bytes) };
    m->bad = m->bad || !view_posts(m->view, key, scratch, &posts);
    return posts.n;
}

/* Rows that have the word of this key, as it is written. */
static void add_key(Making *m, Str key)
{
    AUTO(Arena) arena = { 0 };
    ViewPosts posts;
    Vector word;
    Str text = str_from(key, 1);
    if (query_is_common(text) || !vectors_word(m->vectors, text, &word))
        return;
    if (!view_posts(m->view, key, &arena, &posts)) {
        m->bad = true;
        return;
    }
    bool form = key.p[0] == KEY_FORM;
    uint32_t idf = rarity(m->view, form ? rows_of_stem(m, text, &arena) : posts.n);
    for (size_t i = 0; i < posts.n; i++) {
        uint8_t bits = posts.items[i].bits;
        uint32_t place = posts.items[i].place;
        if (place >= m->first && (form || !(bits & POST_OTHER)))
            add_word(m->sums + (size_t)(place - m->first) * VECTOR_COLUMNS, &word,
                     idf * (form ? 1 : 1 + (bits & POST_COUNT)));
    }
}

static bool in_earlier(const View *v, size_t segment, Str key)
{
    SegTerm term;
    for (size_t i = 0; i < segment; i++)
        if (seg_find(&v->segs[i], key, &term))
            return true;
    return false;
}

/* All keys of this kind, each once. */
static void add_keys(Making *m, SegKey kind)
{
    char from[] = { (char)kind };
    for (size_t i = 0; i < m->view->n && !m->bad; i++) {
        SegKeys k;
        bool more = seg_keys_from(&k, &m->view->segs[i], (Str){ from, 1 });
        for (; more && k.key[0] == (char)kind && !m->bad; more = seg_keys_next(&k)) {
            Str key = { k.key, k.key_n };
            if (!in_earlier(m->view, i, key))
                add_key(m, key);
        }
        m->bad = m->bad || m->view->segs[i].bad;
    }
}

static void finish(Likeness *l, const int32_t *sums)
{
    int64_t all[VECTOR_COLUMNS] = { 0 };
    for (size_t i = 0; i < l->n; i++) {
        int16_t *row = l->rows + i * VECTOR_COLUMNS;
        normalise(sums + i * VECTOR_COLUMNS, row);
        for (size_t c = 0; c < VECTOR_COLUMNS; c++)
            all[c] += row[c];
    }
    for (size_t c = 0; c < VECTOR_COLUMNS; c++)
        l->mean.of[c] = (int32_t)(l->n ? all[c] / l->n : 0);
    for (size_t i = 0; i < l->n; i++)
        take_off(l->rows + i * VECTOR_COLUMNS, &l->mean);
}

/* Rows of runs stand behind those of documents. */
static uint32_t first_turn(const View *v)
{
    return v->documents_n < v->sessions_n ? v->sessions[v->documents_n].first : v->rows;
}

static bool make(Likeness *l, const View *v, Stemmer *stemmer)
{
    if (l->made_of == v->number)
        return true;
    l->made_of = 0;
    l->first = first_turn(v);
    l->n = v->rows - l->first;
    size_t numbers = ((size_t)l->n + 1) * VECTOR_COLUMNS;
    Making m = { .vectors = l->vectors, .view = v, .stemmer = stemmer, .first = l->first };
    m.sums = mem_alloc(numbers * sizeof *m.sums);
    memset(m.sums, 0, numbers * sizeof *m.sums);
    add_keys(&m, KEY_TERM);
    add_keys(&m, KEY_FORM);
    free(l->rows);
    l->rows = mem_alloc(numbers * sizeof *l->rows);
    finish(l, m.sums);
    free(m.sums);
    l->made_of = m.bad ? 0 : v->number;
    return !m.bad;
}

void likeness_free(Likeness *l)
{
    vectors_close(l->vectors);
    free(l->rows);
    *l = (Likeness){ 0 };
}

/* --- Asking ------------------------------------------------------------------------------ */

static bool is_speaker(const View *v, Str word, Arena *scratch)
{
    ViewPosts posts;
    Str key = arena_printf(scratch, "%c" STR_FMT, KEY_SPEAKER, STR_ARG(word));
    return key.n <= SEG_KEY_MAX && view_posts(v, key, scratch, &posts) && posts.n > 0;
}

/* False: no word of it is known. */
static bool question(const Likeness *l, const View *v, const Query *q, Stemmer *stemmer,
                     int16_t *out)
{
    AUTO(Arena) scratch = { 0 };
    int32_t sum[VECTOR_COLUMNS] = { 0 };
    bool any = false;
    for (size_t i = 0; i < q->words_n; i++) {
        char bytes[SEG_KEY_MAX];
        Vector word;
        ViewPosts posts;
        Str w = q->words[i], key = { bytes, 0 };
        if (query_is_common(w) || is_speaker(v, w, &scratch) || !vectors_word(l->vectors, w, &word))
            continue;
        key.n = term_key(stemmer, w, bytes);
        if (!view_posts(v, key, &scratch, &posts))
            return false;
        add_word(sum, &word, rarity(v, posts.n));
        any = true;
    }
    normalise(sum, out);
    take_off(out, &l->mean);
    return any;
}

const int32_t *likeness_find(Likeness *l, const View *view, const Query *query, Stemmer *stemmer,
                             Arena *into, bool *bad)
{
    int16_t asked[VECTOR_COLUMNS];
    uint32_t turns = view->rows - first_turn(view);
    *bad = false;
    if (turns == 0 || turns > LIKENESS_ROWS_MAX)
        return NULL;
    if (!l->looked && vectors_path() && vectors_open(&l->vectors, NULL) != JOT_OK)
        l->vectors = NULL; /* words alone are good enough, and 'jotter doctor' says why */
    l->looked = true;
    if (!l->vectors)
        return NULL;
    if (!make(l, view, stemmer)) {
        *bad = true;
        return NULL;
    }
    if (!question(l, view, query, stemmer, asked))
        return NULL;
    int32_t *found = NEW_ARRAY(into, int32_t, view->rows);
    for (size_t i = 0; i < l->n; i++) {
        const int16_t *row = l->rows + i * VECTOR_COLUMNS;
        int32_t dot = 0;
        for (size_t c = 0; c < VECTOR_COLUMNS; c++)
            dot += row[c] * asked[c];
        found[l->first + i] = dot / (UNIT * UNIT / ONE);
    }
    return found;
}

/* --- What was found ---------------------------------------------------------------------- */

int32_t likeness_least(const View *v, const int32_t *like, const bool *kinds, uint32_t most)
{
    enum { STEPS = 256 };
    uint32_t rows[STEPS] = { 0 }, n = 0;
    int32_t step = STEPS;
    for (uint32_t p = 0; p < v->rows; p++)
        if (kinds[v->norms[p] >> 8] && like[p] > 0)
            rows[(uint32_t)like[p] * (STEPS - 1) / ONE % STEPS]++;
    while (step > 1 && n + rows[step - 1] <= most)
        n += rows[--step];
    return (step * ONE + STEPS - 2) / (STEPS - 1);
}

const int32_t *likeness_sessions(const View *v, const int32_t *like, Arena *into)
{
    int32_t *most = NEW_ARRAY(into, int32_t, v->sessions_n + 1);
    for (uint32_t p = 0; p < v->rows; p++)
        if (like[p] > most[v->session_of[p]])
            most[v->session_of[p]] = like[p];
    return most;
}
