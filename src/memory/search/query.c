/* query.c - reading a query, and finding its terms in a text.
 *
 * A word is looked for by its stem, an identifier as a whole and by its parts, a
 * run of a dense script by its pairs of characters.  Words so common that they
 * say nothing are left out, unless there is nothing else or they stand in
 * quotes.  What a row is worth is decided elsewhere (rank.c). */
#include "memory/search/query.h"

#include <string.h>

#include "base/utf8.h"

/* English words that say nothing of what a text is about, in byte order; also what an apostrophe
 * leaves of a short form. */
/* clang-format off */
static const char *const common[] = {
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by", "can", "cannot", "could", "couldn", "d", "did", "didn", "do", "does",
    "doesn", "doing", "don", "down", "during", "each", "else", "ever", "few", "for", "from",
    "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her",
    "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn",
    "it", "its", "itself", "just", "ll", "m", "may", "me", "might", "mightn", "more", "most",
    "much", "must", "mustn", "my", "myself", "no", "nor", "not", "now", "of",
    "off", "oh", "ok", "okay", "on", "once", "only", "or", "other", "ought", "our", "ours",
    "ourselves", "out", "over", "own", "please", "re", "really", "s", "same", "shall", "shan",
    "she", "should", "shouldn", "so", "some", "still", "such", "t", "than", "thanks", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those",
    "though", "through", "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "was",
    "wasn", "we", "well", "were", "weren", "what", "when", "where", "whether", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "won", "would", "wouldn", "yes", "yet", "you",
    "your", "yours", "yourself", "yourselves",
};
/* clang-format on */

bool query_is_common(Str word)
{
    size_t low = 0, high = COUNT_OF(common);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_cmp(word, str(common[middle]));
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Reading {
    Query *q;
    Stemmer *stemmer;
    Arena *into;
    Term *terms; /* none twice */
    size_t n, cap, words_cap;
} Reading;

static bool same_term(const Term *a, const Term *b)
{
    if (a->kind != b->kind || a->parts_n != b->parts_n || !str_eq(a->whole, b->whole))
        return false;
    for (size_t i = 0; i < a->parts_n; i++)
        if (!str_eq(a->parts[i], b->parts[i]))
            return false;
    return true;
}

static void add_term(Reading *r, Term t)
{
    t.times = 1;
    for (size_t i = 0; i < r->n; i++)
        if (same_term(&r->terms[i], &t)) {
            r->terms[i].times++;
            return;
        }
    if (r->n == QUERY_TERMS_MAX)
        return;
    r->terms = arena_grow(r->into, r->terms, r->n, &r->cap, sizeof(Term), alignof(Term));
    r->terms[r->n++] = t;
}

static Str *copy_parts(Reading *r, const Word *words, size_t n)
{
    Str *parts = NEW_ARRAY(r->into, Str, n);
    for (size_t i = 0; i < n; i++)
        parts[i] = arena_copy(r->into, words[i].text);
    return parts;
}

static void add_word(Reading *r, Str word, Str shown)
{
    Term t = { .kind = TERM_WORD, .shown = arena_copy(r->into, shown), .parts_n = 1 };
    t.parts = NEW_ARRAY(r->into, Str, 1);
    t.parts[0] = t.whole = arena_copy(r->into, word);
    t.stem = arena_copy(r->into, stem_of(r->stemmer, word));
    add_term(r, t);
}

/* Parts in a row. */
static Term sequence(Reading *r, TermKind kind, const Word *words, size_t n, Str shown)
{
    return (Term){ .kind = kind,
                   .shown = arena_copy(r->into, shown),
                   .parts = copy_parts(r, words, n),
                   .parts_n = n };
}

/* The last part of a dense run is a single character: it counts only if there is no other, and
 * then every pair that begins with it does. */
static void add_pair(Reading *r, const Chunk *c, size_t i)
{
    Term t = sequence(r, TERM_SEQUENCE, c->parts + i, 1, c->parts[i].text);
    t.dense = true;
    add_term(r, t);
}

static void add_dense(Reading *r, const Chunk *c, Str shown)
{
    if (c->parts_n == 1) {
        add_term(r, sequence(r, TERM_PREFIX, c->parts, 1, shown));
        return;
    }
    size_t pairs = utf8_count(c->parts[c->parts_n - 1].text) == 1 ? c->parts_n - 1 : c->parts_n;
    for (size_t i = 0; i < pairs; i++)
        add_pair(r, c, i);
    if (pairs < 2)
        return;
    Term all = sequence(r, TERM_SEQUENCE, c->parts, pairs, shown);
    all.bonus = true;
    add_term(r, all);
}

static void add_beginning(Reading *r, const Chunk *c, Str shown)
{
    size_t n = c->dense && c->parts_n > 1 ? c->parts_n - 1 : c->parts_n;
    Term t = sequence(r, TERM_PREFIX, c->parts, n, shown);
    if (c->wholes_n)
        t.whole = arena_copy(r->into, c->wholes[c->wholes_n - 1]);
    add_term(r, t);
}

/* Words joined by hyphens are looked for one by one, and joined as a bonus. */
static void add_name(Reading *r, const Chunk *c, Str shown)
{
    Term name = sequence(r, TERM_NAME, c->parts, c->parts_n, shown);
    name.whole = arena_copy(r->into, c->wholes[c->wholes_n - 1]);
    if (c->marked && c->parts_n == 1)
        name.parts_n = 0; /* C++ is not C */
    name.bonus = c->loose;
    for (size_t i = 0; c->loose && i < c->parts_n; i++)
        add_word(r, c->parts[i].text, c->parts[i].text);
    add_term(r, name);
}

static void add_words(Reading *r, const Chunk *c)
{
    Query *q = r->q;
    for (size_t i = 0; i < c->parts_n; i++) {
        q->words =
            arena_grow(r->into, q->words, q->words_n, &r->words_cap, sizeof(Str), alignof(Str));
        q->words[q->words_n++] = arena_copy(r->into, c->parts[i].text);
    }
}

static void read_plain(Reading *r, Str text)
{
    AUTO(Words) words = { 0 };
    Chunk *c = NEW(r->into, Chunk);
    words_init(&words, text);
    while (r->q->words_n < QUERY_WORDS_MAX && words_next(&words, c)) {
        add_words(r, c);
        bool prefix = c->to < text.n && text.p[c->to] == '*';
        Str shown = str_slice(text, c->from, c->to + prefix);
        if (prefix)
            add_beginning(r, c, shown);
        else if (c->dense)
            add_dense(r, c, shown);
        else if (c->wholes_n)
            add_name(r, c, shown);
        else
            add_word(r, c->parts[0].text, shown);
    }
}

enum { QUOTED_MAX = 4096 }; /* bytes of a quotation that are looked at */

/* What stands in quotes: every part, in a row. */
static Term read_quoted(Reading *r, Str text)
{
    AUTO(Words) words = { 0 };
    Chunk *c = NEW(r->into, Chunk);
    text = str_slice(text, 0, utf8_floor(text, QUOTED_MAX));
    Term t = { .kind = TERM_SEQUENCE, .shown = arena_copy(r->into, text) };
    size_t cap = 0;
    bool dense = false;
    words_init(&words, text);
    while (words_next(&words, c)) {
        dense = c->dense;
        for (size_t i = 0; i < c->parts_n; i++) {
            t.parts = arena_grow(r->into, t.parts, t.parts_n, &cap, sizeof(Str), alignof(Str));
            t.parts[t.parts_n++] = arena_copy(r->into, c->parts[i].text);
        }
    }
    t.dense = dense;
    /* In the text the run may go on behind its last character. */
    if (dense && t.parts_n > 1 && utf8_count(t.parts[t.parts_n - 1]) == 1)
        t.parts_n--;
    else if (dense && t.parts_n == 1)
        t.kind = TERM_PREFIX;
    return t;
}

/* A query that is one quotation asks for exactly that. */
static bool is_quotation(Str text)
{
    return text.n > 2 && text.p[0] == '"' && str_find(str_from(text, 1), '"') == text.n - 2;
}

/* Quotes inside of a query are how people write: what stands in them counts a little more where it
 * stands in a row. */
static void read_message(Reading *r, Str text)
{
    Str rest = text, part;
    read_plain(r, text);
    for (bool quoted = false; str_cut(&rest, '"', &part); quoted = !quoted) {
        Term t = quoted ? read_quoted(r, part) : (Term){ 0 };
        t.bonus = true;
        if (t.parts_n > 1)
            add_term(r, t);
    }
}

static void read_text(Reading *r, Str text)
{
    if (is_quotation(text)) {
        Term t = read_quoted(r, str_slice(text, 1, text.n - 1));
        t.must = true;
        if (t.parts_n)
            add_term(r, t);
    } else {
        read_message(r, text);
    }
}

static bool is_common_term(const Term *t)
{
    return t->kind == TERM_WORD && query_is_common(t->parts[0]);
}

/* Common words go, unless there is nothing else. */
static void drop_common(Reading *r)
{
    size_t kept = 0, telling = 0;
    for (size_t i = 0; i < r->n; i++)
        telling += !is_common_term(&r->terms[i]);
    for (size_t i = 0; telling && i < r->n; i++)
        if (!is_common_term(&r->terms[i]))
            r->terms[kept++] = r->terms[i];
    r->n = telling ? kept : r->n;
}

void query_read(Str text, Stemmer *stemmer, Arena *into, Query *out)
{
    *out = (Query){ 0 };
    Reading r = { .q = out, .stemmer = stemmer, .into = into };
    read_text(&r, str_trim(utf8_mended(text, into)));
    drop_common(&r);
    out->terms = r.terms;
    out->n = r.n;
}

/* --- Finding terms in a text ------------------------------------------------------------- */

/* How far a row of parts has been found (Knuth, Morris, Pratt). */
typedef struct Follow {
    size_t *back; /* where to go on when part i does not fit */
    size_t at;
} Follow;

enum { RECENT_PARTS = QUOTED_MAX }; /* a term has no more */

typedef struct Finding {
    const Query *q;
    Stemmer *stemmer;
    Arena *into;
    Follow *follows;
    Str text;
    bool dense;                  /* the chunk at hand is */
    size_t begins[RECENT_PARTS]; /* of the last parts, by their number */
    size_t parts;                /* seen so far */
    Matches found;
    size_t cap;
} Finding;

static void prepare(Finding *f)
{
    f->follows = NEW_ARRAY(f->into, Follow, f->q->n + 1);
    for (size_t i = 0; i < f->q->n; i++) {
        const Term *t = &f->q->terms[i];
        size_t *back = NEW_ARRAY(f->into, size_t, t->parts_n + 1), k = 0;
        for (size_t j = 1; j < t->parts_n; j++) {
            while (k && !str_eq(t->parts[j], t->parts[k]))
                k = back[k];
            k += str_eq(t->parts[j], t->parts[k]);
            back[j + 1] = k;
        }
        f->follows[i] = (Follow){ back, 0 };
    }
}

static void found(Finding *f, size_t term, size_t from, size_t to)
{
    Matches *m = &f->found;
    if (m->n == MATCHES_MAX)
        return;
    m->items = arena_grow(f->into, m->items, m->n, &f->cap, sizeof(Match), alignof(Match));
    m->items[m->n++] = (Match){ term, from, to };
}

static bool part_fits(const Term *t, size_t at, Str part)
{
    if (t->kind == TERM_PREFIX && at + 1 == t->parts_n)
        return str_starts(part, t->parts[at]);
    return str_eq(part, t->parts[at]);
}

static void follow(Finding *f, size_t term, const Word *part)
{
    const Term *t = &f->q->terms[term];
    Follow *x = &f->follows[term];
    if (t->parts_n == 0)
        return;
    while (x->at && !part_fits(t, x->at, part->text))
        x->at = x->back[x->at];
    if (!part_fits(t, x->at, part->text))
        return;
    if (++x->at < t->parts_n)
        return;
    size_t first = f->begins[(f->parts - (t->parts_n - 1)) % RECENT_PARTS], to = part->to;
    if (t->kind == TERM_PREFIX && t->parts_n == 1 && f->dense && utf8_count(t->parts[0]) == 1) {
        to = first; /* of a pair only the character that was asked for */
        (void)utf8_next(f->text, &to);
    }
    found(f, term, first, to);
    x->at = x->back[x->at];
}

static void match_part(Finding *f, const Word *part)
{
    f->begins[f->parts % RECENT_PARTS] = part->from;
    Str stem = { 0 };
    for (size_t i = 0; i < f->q->n; i++) {
        const Term *t = &f->q->terms[i];
        if (t->kind != TERM_WORD) {
            follow(f, i, part);
            continue;
        }
        if (!stem.n)
            stem = stem_of(f->stemmer, part->text);
        if (str_eq(part->text, t->parts[0]) || str_eq(stem, t->stem))
            found(f, i, part->from, part->to);
    }
    f->parts++;
}

static void match_wholes(Finding *f, const Chunk *c)
{
    for (size_t i = 0; i < f->q->n; i++) {
        const Term *t = &f->q->terms[i];
        bool prefix = t->kind == TERM_PREFIX, fits = false;
        Str whole = t->whole.n || !prefix ? t->whole : t->parts[0];
        if (whole.n == 0 || (prefix && !t->whole.n && t->parts_n > 1))
            continue;
        for (size_t k = 0; k < c->wholes_n && !fits; k++)
            fits = prefix ? str_starts(c->wholes[k], whole) : str_eq(c->wholes[k], whole);
        if (fits)
            found(f, i, c->from, c->to);
    }
}

Matches query_match(const Query *q, Stemmer *stemmer, Str text, Arena *into)
{
    AUTO(Words) words = { 0 };
    Finding *f = NEW(into, Finding);
    Chunk *c = NEW(into, Chunk);
    *f = (Finding){ .q = q, .stemmer = stemmer, .into = into, .text = text };
    prepare(f);
    words_init(&words, text);
    while (f->found.n < MATCHES_MAX && words_next(&words, c)) {
        f->dense = c->dense;
        for (size_t i = 0; i < c->parts_n; i++)
            match_part(f, &c->parts[i]);
        match_wholes(f, c);
    }
    return f->found;
}

bool query_is_strict(const Query *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (!q->terms[i].must && q->terms[i].kind != TERM_PREFIX && !q->terms[i].bonus)
            return false;
    return true;
}
