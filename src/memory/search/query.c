/* query.c - reading a query, writing it for FTS5, and finding its terms in a text.
 *
 * A word is looked for as written, by its stem, and as a whole identifier; an
 * identifier as a whole and as its parts in a row; a run of a dense script as
 * its pairs of characters, each for itself, with a bonus for all in a row.
 * Words so common that they say nothing are left out, unless there is nothing
 * else or they stand in quotes.
 *
 * The expression only collects candidates: all terms, joined by OR.  What a hit
 * must have, and what it is worth, is decided behind it (search_rank.c). */
#include "memory/search/query.h"

#include <string.h>

#include "base/utf8.h"

/* Must stand for the names of the index's columns. */
#define IN_TEXT "{name plain}"
#define IN_STEM "{name plain stem}"
#define IN_STEM_ONLY "{stem}"
#define IN_WHOLE "{whole}"
#define IN_NAMES "{name whole}"
#define IN_ANY "{name plain whole}"

static const char *const common[] = {
    "a",     "an",    "and",   "are",  "as",   "at",   "be",  "by",   "can",  "did",  "do",
    "does",  "for",   "from",  "had",  "has",  "have", "how", "i",    "if",   "in",   "is",
    "it",    "its",   "me",    "my",   "of",   "on",   "or",  "our",  "so",   "that", "the",
    "their", "there", "these", "they", "this", "to",   "was", "we",   "were", "what", "when",
    "where", "which", "who",   "why",  "will", "with", "you", "your",
};

bool query_is_common(Str word)
{
    for (size_t i = 0; i < COUNT_OF(common); i++)
        if (str_eq(word, str(common[i])))
            return true;
    return false;
}

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Reading {
    Query *q;
    Stemmer *stemmer;
    Arena *into;
    size_t counted; /* terms that are no bonus */
} Reading;

static jot_status add_term(Reading *r, Term t, Err *e)
{
    r->counted += !t.bonus;
    if (r->counted > SEARCH_TERMS_MAX || r->q->n == COUNT_OF(r->q->terms))
        return err_set(e, JOT_TOO_BIG, "the query has more than %d words", SEARCH_TERMS_MAX);
    r->q->terms[r->q->n++] = t;
    return JOT_OK;
}

static Str *copy_parts(Reading *r, const Word *words, size_t n)
{
    Str *parts = NEW_ARRAY(r->into, Str, n);
    for (size_t i = 0; i < n; i++)
        parts[i] = arena_copy(r->into, words[i].text);
    return parts;
}

static jot_status add_word(Reading *r, Str word, Str shown, Err *e)
{
    Term t = { .kind = TERM_WORD, .shown = arena_copy(r->into, shown), .parts_n = 1 };
    t.parts = NEW_ARRAY(r->into, Str, 1);
    t.parts[0] = t.whole = arena_copy(r->into, word);
    t.stem = arena_copy(r->into, stem_of(r->stemmer, word));
    return add_term(r, t, e);
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
static jot_status add_dense(Reading *r, const Chunk *c, Str shown, Err *e)
{
    bool single = c->parts_n == 1;
    if (single)
        return add_term(r, sequence(r, TERM_PREFIX, c->parts, 1, shown), e);
    size_t pairs = utf8_count(c->parts[c->parts_n - 1].text) == 1 ? c->parts_n - 1 : c->parts_n;
    for (size_t i = 0; i < pairs; i++)
        TRY(add_term(r, sequence(r, TERM_SEQUENCE, c->parts + i, 1, c->parts[i].text), e));
    if (pairs < 2)
        return JOT_OK;
    Term all = sequence(r, TERM_SEQUENCE, c->parts, pairs, shown);
    all.bonus = true;
    return add_term(r, all, e);
}

static jot_status add_chunk(Reading *r, const Chunk *c, Str shown, bool prefix, Err *e)
{
    if (prefix) {
        size_t n = c->dense && c->parts_n > 1 ? c->parts_n - 1 : c->parts_n;
        Term t = sequence(r, TERM_PREFIX, c->parts, n, shown);
        if (c->wholes_n)
            t.whole = arena_copy(r->into, c->wholes[c->wholes_n - 1]);
        return add_term(r, t, e);
    }
    if (c->dense)
        return add_dense(r, c, shown, e);
    if (c->wholes_n == 0)
        return add_word(r, c->parts[0].text, shown, e);
    Term name = sequence(r, TERM_NAME, c->parts, c->parts_n, shown);
    name.whole = arena_copy(r->into, c->wholes[c->wholes_n - 1]);
    if (c->marked && c->parts_n == 1)
        name.parts_n = 0; /* C++ is not C */
    name.bonus = c->loose;
    for (size_t i = 0; c->loose && i < c->parts_n; i++)
        TRY(add_word(r, c->parts[i].text, c->parts[i].text, e));
    return add_term(r, name, e);
}

/* Words outside of quotes. */
static jot_status read_plain(Reading *r, Str text, Err *e)
{
    AUTO(Words) words;
    Chunk *c = NEW(r->into, Chunk);
    words_init(&words, text);
    while (words_next(&words, c)) {
        bool prefix = c->to < text.n && text.p[c->to] == '*';
        TRY(add_chunk(r, c, str_slice(text, c->from, c->to + prefix), prefix, e));
    }
    return JOT_OK;
}

/* What stands in quotes: every part, in a row. */
static jot_status read_quoted(Reading *r, Str text, Err *e)
{
    AUTO(Words) words;
    Chunk *c = NEW(r->into, Chunk);
    Term t = { .kind = TERM_SEQUENCE, .shown = arena_copy(r->into, text), .must = true };
    size_t cap = 0;
    bool dense = false;
    words_init(&words, text);
    while (words_next(&words, c)) {
        size_t n = c->parts_n;
        dense = c->dense;
        for (size_t i = 0; i < n; i++) {
            t.parts = arena_grow(r->into, t.parts, t.parts_n, &cap, sizeof(Str), alignof(Str));
            t.parts[t.parts_n++] = arena_copy(r->into, c->parts[i].text);
        }
    }
    if (t.parts_n == 0)
        return JOT_OK;
    /* In the text the run may go on behind its last character. */
    if (dense && t.parts_n > 1 && utf8_count(t.parts[t.parts_n - 1]) == 1)
        t.parts_n--;
    else if (dense && t.parts_n == 1)
        t.kind = TERM_PREFIX;
    return add_term(r, t, e);
}

static void drop_common(Query *q)
{
    size_t kept = 0, telling = 0;
    for (size_t i = 0; i < q->n; i++)
        telling += q->terms[i].kind != TERM_WORD || !query_is_common(q->terms[i].parts[0]);
    for (size_t i = 0; telling && i < q->n; i++) {
        bool drop = q->terms[i].kind == TERM_WORD && query_is_common(q->terms[i].parts[0]);
        if (!drop)
            q->terms[kept++] = q->terms[i];
    }
    q->n = telling ? kept : q->n;
}

/* --- Writing ----------------------------------------------------------------------------- */

static void add_phrase(Query *q, Buf *to, size_t term, PhraseClass class, const char *in,
                       const Str *parts, size_t n, bool prefix)
{
    if (n == 0 || q->phrases_n == QUERY_PHRASES_MAX)
        return;
    q->term_of[q->phrases_n] = term;
    q->class_of[q->phrases_n] = class;
    buf_addf(to, "%s%s : \"", q->phrases_n ? " OR " : "", in);
    q->phrases_n++;
    for (size_t i = 0; i < n; i++)
        buf_addf(to, "%s" STR_FMT, i ? " " : "", STR_ARG(parts[i]));
    buf_addf(to, "\"%s", prefix ? " *" : "");
}

static void write_term(Query *q, size_t i, Buf *to)
{
    const Term *t = &q->terms[i];
    switch (t->kind) {
    case TERM_WORD:
        add_phrase(q, to, i, PHRASE_EXACT, IN_TEXT, t->parts, 1, false);
        add_phrase(q, to, i, PHRASE_STEM, str_eq(t->stem, t->parts[0]) ? IN_STEM_ONLY : IN_STEM,
                   &t->stem, 1, false);
        add_phrase(q, to, i, PHRASE_WHOLE, IN_WHOLE, &t->whole, 1, false);
        return;
    case TERM_NAME:
        add_phrase(q, to, i, PHRASE_WHOLE, IN_NAMES, &t->whole, 1, false);
        add_phrase(q, to, i, PHRASE_EXACT, IN_TEXT, t->parts, t->parts_n, false);
        return;
    case TERM_PREFIX:
        add_phrase(q, to, i, PHRASE_EXACT, t->parts_n == 1 ? IN_ANY : IN_TEXT, t->parts, t->parts_n,
                   true);
        if (t->whole.n)
            add_phrase(q, to, i, PHRASE_WHOLE, IN_NAMES, &t->whole, 1, true);
        return;
    case TERM_SEQUENCE:
        add_phrase(q, to, i, PHRASE_EXACT, IN_TEXT, t->parts, t->parts_n, false);
        return;
    }
}

jot_status query_read(Str text, Stemmer *stemmer, Arena *into, Query *out, Err *e)
{
    if (text.n > SEARCH_QUERY_MAX)
        return err_set(e, JOT_TOO_BIG, "a query of %zu bytes: the limit is %d", text.n,
                       SEARCH_QUERY_MAX);
    if (!utf8_valid(text))
        return err_set(e, JOT_INVALID, "the query is not UTF-8");
    *out = (Query){ 0 };
    Reading r = { .q = out, .stemmer = stemmer, .into = into };
    Str rest = text, part;
    bool quoted = false;
    for (; str_cut(&rest, '"', &part); quoted = !quoted)
        TRY(quoted ? read_quoted(&r, part, e) : read_plain(&r, part, e));
    if (quoted)
        return err_set(e, JOT_INVALID, "the query opens a quote and does not close it");
    TRY(read_plain(&r, rest, e));
    if (out->n == 0)
        return err_set(e, JOT_INVALID, "the query has no word: give at least one letter or digit");
    drop_common(out);
    AUTO(Buf) expression = { 0 };
    for (size_t i = 0; i < out->n; i++)
        write_term(out, i, &expression);
    out->expression = arena_copy(into, buf_str(&expression));
    return JOT_OK;
}

/* --- Finding terms in a text ------------------------------------------------------------- */

/* How far a row of parts has been found (Knuth, Morris, Pratt). */
typedef struct Follow {
    size_t *back; /* where to go on when part i does not fit */
    size_t at;
} Follow;

enum { RECENT_PARTS = 1024 }; /* a query has no more */

typedef struct Finding {
    const Query *q;
    Stemmer *stemmer;
    Arena *into;
    Follow follows[2 * SEARCH_TERMS_MAX];
    Str text;
    bool dense;                  /* the chunk at hand is */
    size_t begins[RECENT_PARTS]; /* of the last parts, by their number */
    size_t parts;                /* seen so far */
    Matches found;
    size_t cap;
} Finding;

static void prepare(Finding *f)
{
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
    AUTO(Words) words;
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
