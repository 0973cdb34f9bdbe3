/* search_rank.c - what is better than what.
 *
 * BM25 over the terms of the query, with weights that are never negative: the
 * rarer a term, the heavier, but a term that every row has still counts a
 * little.  A term found in the name counts double, a word found only by its
 * stem a little less than one found as written, a whole identifier more.
 *
 * That is multiplied by
 *   coverage  the share of the query's weight that was found at all, of what is
 *             not an artifact: a question is often longer than what answers it,
 *             so nothing is left out for it;
 *   kind      notes and memory files are what somebody chose to keep, artifacts
 *             and runs are what came along;
 *   recency   at most a quarter more for what is new.  New is what is near the
 *             newest record of the pad: no clock is asked, so the same pad
 *             always gives the same order.
 *
 * FTS5 finds the candidates and counts; its own bm25() is not used, because it
 * gives terms that half of the rows have no weight at all, and small pads have
 * hardly any other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/index.h"

/* Long texts of artifacts are long because they hold more than one thing. */
typedef struct Shape {
    double saturation, length_share;
} Shape;
static const Shape shape_text = { 0.9, 0.4 }, shape_artifact = { 1.2, 0.75 };
static const double name_factor = 2.0, stem_factor = 0.7, whole_factor = 1.5;
static const double recency_share = 0.25, recency_half_ms = 30.0 * 24 * 3600 * 1000;
static const double bonus_share = 0.5;

static double term_weight(const Field *f, size_t term)
{
    double n = f->rows_with[term];
    return log(1 + (f->rows - n + 0.5) / (n + 0.5));
}

static double kind_factor(Str stream)
{
    if (str_starts(stream, S("runs/")))
        return 0.7;
    return str_starts(stream, S("artifacts/")) ? 0.85 : 1.0;
}

static double term_count(const TermHits *h)
{
    /* What is found by its stem is found as written too, if it is written so. */
    unsigned stem = h->stem > h->exact ? h->stem - h->exact : 0;
    return h->exact + name_factor * h->name + stem_factor * stem + whole_factor * h->whole;
}

Rank search_rank(const Field *f, const Candidate *c)
{
    Rank r = { .counts = true };
    double found = 0, all = 0;
    double length = f->words_mean > 0 ? (double)c->words / f->words_mean : 1;
    bool artifact = str_starts(c->stream, S("artifacts/"));
    Shape shape = artifact ? shape_artifact : shape_text;
    double slow = shape.saturation * (1 - shape.length_share + shape.length_share * length);
    for (size_t i = 0; i < f->query->n; i++) {
        const Term *t = &f->query->terms[i];
        double count = term_count(&c->hits[i]);
        r.weight[i] = term_weight(f, i) * (t->bonus ? bonus_share : 1);
        r.term[i] = r.weight[i] * count * (shape.saturation + 1) / (count + slow);
        r.points += r.term[i];
        if (t->must && count <= 0)
            r.counts = false;
        if (t->bonus || f->rows_with[i] <= 0) /* what is nowhere chooses nothing */
            continue;
        all += r.weight[i];
        found += count > 0 ? r.weight[i] : 0;
    }
    r.coverage = artifact ? 1 : all > 0 ? found / all : 0;
    r.kind = kind_factor(c->stream);
    double age = (double)(f->newest_ms - c->at_ms);
    r.recency = 1 + recency_share * exp2(-(age > 0 ? age : 0) / recency_half_ms);
    r.score = r.points * r.coverage * r.kind * r.recency;
    return r;
}

int search_order(double score_a, const Candidate *a, double score_b, const Candidate *b)
{
    if (score_a != score_b)
        return score_a > score_b ? -1 : 1;
    if (a->at_ms != b->at_ms)
        return a->at_ms > b->at_ms ? -1 : 1;
    int names = str_cmp(a->stream, b->stream);
    if (names || a->seq == b->seq)
        return names;
    return a->seq > b->seq ? -1 : 1;
}

/* --- Counting, inside FTS5 --------------------------------------------------------------- */

static int count_row(const Fts5ExtensionApi *api, Fts5Context *fts, void *rows)
{
    (void)api, (void)fts;
    *(double *)rows += 1;
    return SQLITE_OK;
}

/* How many rows have each term, and how long they are: asked once a search. */
static int count_field(const Fts5ExtensionApi *api, Fts5Context *fts, Scorer *s)
{
    const Query *q = s->field.query;
    sqlite3_int64 rows = 0, words = 0;
    int rc = api->xRowCount(fts, &rows);
    if (rc == SQLITE_OK)
        rc = api->xColumnTotalSize(fts, COLUMN_PLAIN, &words);
    for (size_t i = 0; rc == SQLITE_OK && i < q->phrases_n; i++) {
        double with = 0, *most = &s->field.rows_with[q->term_of[i]];
        rc = api->xQueryPhrase(fts, (int)i, &with, count_row);
        *most = with > *most ? with : *most;
    }
    s->field.rows = (double)rows;
    s->field.words_mean = rows ? (double)words / (double)rows : 0;
    s->counted = true;
    return rc;
}

static void count_hit(const Query *q, Candidate *c, int phrase, int column)
{
    if (phrase < 0 || (size_t)phrase >= q->phrases_n)
        return;
    TermHits *h = &c->hits[q->term_of[phrase]];
    PhraseClass class = q->class_of[phrase];
    if (column == COLUMN_NAME)
        h->name++;
    else if (class == PHRASE_WHOLE || column == COLUMN_WHOLE)
        h->whole++;
    else if (class == PHRASE_STEM)
        h->stem++;
    else
        h->exact++;
}

static void score(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *to, int n,
                  sqlite3_value **values)
{
    (void)n, (void)values;
    Scorer *s = ((Index *)api->xUserData(fts))->scorer;
    int rc = s ? SQLITE_OK : SQLITE_MISUSE;
    if (s && !s->counted)
        rc = count_field(api, fts, s);
    int hits = 0, words = 0;
    if (rc == SQLITE_OK)
        rc = api->xInstCount(fts, &hits);
    if (rc == SQLITE_OK)
        rc = api->xColumnSize(fts, COLUMN_PLAIN, &words);
    if (rc == SQLITE_OK) {
        memset(s->now.hits, 0, sizeof s->now.hits);
        s->now.words = (size_t)words;
    }
    for (int i = 0; rc == SQLITE_OK && i < hits; i++) {
        int phrase, column, at;
        rc = api->xInst(fts, i, &phrase, &column, &at);
        if (rc == SQLITE_OK)
            count_hit(s->field.query, &s->now, phrase, column);
    }
    if (rc == SQLITE_OK)
        sqlite3_result_int(to, 1);
    else
        sqlite3_result_error_code(to, rc);
}

jot_status index_add_scorer(Index *x, Err *e)
{
    fts5_api *api = NULL;
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(x->sql, "SELECT fts5(?1)", -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_pointer(q, 1, &api, "fts5_api_ptr", NULL);
    if (rc == SQLITE_OK)
        sqlite3_step(q);
    sqlite3_finalize(q);
    if (rc != SQLITE_OK || !api)
        return index_fault(x, rc == SQLITE_OK ? SQLITE_ERROR : rc, e);
    rc = api->xCreateFunction(api, "score", x, score, NULL);
    return rc == SQLITE_OK ? JOT_OK : index_fault(x, rc, e);
}
