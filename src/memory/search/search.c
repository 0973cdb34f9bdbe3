/* search.c - a search: bring the index up to date, rank what it finds, read the hits from the pad.
 *
 * Whatever is wrong with the index is mended here, and no search fails by it:
 * it is opened again, then emptied and filled again, and if even that does not
 * work (a read-only directory, a full disk, somebody who holds it for ever) the
 * same index is made in memory, for this handle alone. */
#include "memory/search/search.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "memory/doc/doc.h"
#include "memory/frame/tokens.h"
#include "memory/search/index.h"

/* Candidates that are kept beyond those wanted: the pad may have lost some since. */
enum { SPARE = 64 };

/* --- The handle ------------------------------------------------------------------------- */

static jot_status choose_language(Index *x, const char *language, Err *e)
{
    const char *wanted = language && language[0] ? language : STEM_DEFAULT;
    Shown shown;
    Stemmer *known = stemmer_new(STEM_DEFAULT);
    x->stemmer = stemmer_new(wanted);
    bool good = x->stemmer || !known || strcmp(wanted, STEM_NONE) == 0;
    stemmer_free(known);
    if (!good || strlen(wanted) >= sizeof x->language || strpbrk(wanted, "'\""))
        return err_set(e, JOT_INVALID,
                       "no language '%s': use english, german, ... as libstemmer calls them, or "
                       "none",
                       err_show(&shown, str(wanted)));
    snprintf(x->language, sizeof x->language, "%s", x->stemmer ? wanted : STEM_NONE);
    return JOT_OK;
}

static void find_place(Index *x, Memory *m)
{
    AUTO(Arena) arena = { 0 };
    Str path = { 0 };
    if (store_read_only_why(m->store)[0])
        x->why = "the pad is open read-only";
    else if (store_index_path(m->store, &arena, &path, NULL) != JOT_OK)
        x->why = "there is no place for its file";
    x->path = mem_alloc(path.n + 1);
    if (path.n)
        memcpy(x->path, path.p, path.n);
}

jot_status search_open(Search **out, Memory *m, const SearchOptions *o, Err *e)
{
    static const SearchOptions plain = { 0 };
    assert(out && m && m->store);
    o = o ? o : &plain;
    AUTO_PTR(Search) s = mem_alloc(sizeof *s);
    bool set = o->wait_ms > 0 && o->wait_ms < INT_MAX;
    s->index = (Index){ .m = m,
                        .wait_ms = set ? (int)o->wait_ms : STORE_WAIT_MS,
                        .progress = o->progress,
                        .ctx = o->ctx };
    find_place(&s->index, m);
    TRY(choose_language(&s->index, o->language, e));
    *out = TAKE(s);
    return JOT_OK;
}

void search_close(Search *s)
{
    if (!s)
        return;
    index_close(&s->index);
    stemmer_free(s->index.stemmer);
    free(s->index.path);
    free(s);
}

/* Do something with the index; if the index is at fault, mend it and try again. */
static jot_status with_index(Index *x, jot_status (*act)(Index *x, void *ctx, Err *e), void *ctx,
                             Err *e)
{
    for (int tries = 0;; tries++) {
        x->broken = x->busy = false;
        jot_status st = act(x, ctx, e);
        if (!x->broken)
            return st;
        if (!x->path[0])
            return st; /* there is nothing left to try */
        bool held = x->busy;
        index_close(x);
        if (tries == 0 && !held)
            continue; /* somebody may have mended it meanwhile */
        if (tries == 1 && !held && index_reset(x, e) == JOT_OK)
            continue;
        index_leave_file(x, held ? "somebody else holds its file" : "its file cannot be used");
    }
}

/* --- Finding candidates ------------------------------------------------------------------ */

typedef struct Ranked {
    Candidate candidate;
    Rank rank;
} Ranked;

/* The best so far, the worst of them on top (a heap). */
typedef struct Best {
    Ranked **items;
    size_t n, max;
    uint64_t seen; /* all that count */
} Best;

typedef struct Finding {
    const SearchQuery *asked;
    Query *query;
    Str from, to; /* names */
    Arena *into;
    Best best;
} Finding;

static bool worse(const Ranked *a, const Ranked *b)
{
    return search_order(a->rank.score, &a->candidate, b->rank.score, &b->candidate) > 0;
}

static void sift_up(Best *b, size_t i)
{
    for (; i && worse(b->items[i], b->items[(i - 1) / 2]); i = (i - 1) / 2) {
        Ranked *above = b->items[(i - 1) / 2];
        b->items[(i - 1) / 2] = b->items[i];
        b->items[i] = above;
    }
}

static void sift_down(Best *b, size_t i)
{
    for (;;) {
        size_t top = i;
        for (size_t below = 2 * i + 1; below <= 2 * i + 2 && below < b->n; below++)
            if (worse(b->items[below], b->items[top]))
                top = below;
        if (top == i)
            return;
        Ranked *moved = b->items[top];
        b->items[top] = b->items[i];
        b->items[i] = moved;
        i = top;
    }
}

static void consider(Finding *f, const Candidate *c, const Rank *rank)
{
    Best *b = &f->best;
    Ranked fresh = { *c, *rank };
    b->seen++;
    if (b->n == b->max && worse(&fresh, b->items[0]))
        return;
    Ranked *place = b->n < b->max ? NEW(f->into, Ranked) : b->items[0];
    *place = fresh;
    place->candidate.stream = arena_copy(f->into, c->stream);
    place->candidate.by = arena_copy(f->into, c->by);
    if (b->n == b->max) {
        sift_down(b, 0);
        return;
    }
    b->items[b->n++] = place;
    sift_up(b, b->n - 1);
}

/* The newest time that is not still to come: a clock that was wrong once must not make everything
 * else old. */
static jot_status find_newest(Index *x, int64_t now_ms, int64_t *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(x, INDEX_NEWEST, &q, e));
    bind_i64(q, 1, now_ms);
    TRY(index_step(x, q, &row, e));
    *out = row ? sqlite3_column_int64(q, 0) : 0;
    return JOT_OK;
}

static jot_status find_candidates(Index *x, Finding *f, Err *e)
{
    Scorer *s = NEW(f->into, Scorer);
    s->field.query = f->query;
    int64_t now_ms = io_wall_ms(x->m->io);
    TRY(find_newest(x, now_ms, &s->field.newest_ms, e));
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(x, INDEX_FIND, &q, e));
    const SearchQuery *a = f->asked;
    bind_str(q, 1, f->query->expression);
    bind_str(q, 2, f->from);
    bind_str(q, 3, f->to);
    bind_i64(q, 4, a->since_ms ? a->since_ms : INT64_MIN);
    bind_i64(q, 5, a->until_ms ? a->until_ms : INT64_MAX);
    bind_str(q, 6, a->by);
    bind_i64(q, 7, now_ms);
    x->scorer = s;
    jot_status st = index_step(x, q, &row, e);
    for (; st == JOT_OK && row; st = index_step(x, q, &row, e)) {
        Candidate *c = &s->now;
        c->row = sqlite3_column_int64(q, 0);
        c->stream = column_str(q, 1);
        c->seq = (uint64_t)sqlite3_column_int64(q, 2);
        c->at_ms = sqlite3_column_int64(q, 3);
        c->at_ms = c->at_ms < now_ms ? c->at_ms : now_ms;
        c->by = column_str(q, 4);
        Rank rank = search_rank(&s->field, c);
        if (rank.counts)
            consider(f, c, &rank);
    }
    x->scorer = NULL;
    return st;
}

static jot_status find_once(Index *x, void *ctx, Err *e)
{
    Finding *f = ctx;
    f->best = (Best){ .items = f->best.items, .max = f->best.max };
    TRY(index_catch_up(x, e));
    return find_candidates(x, f, e);
}

static int best_first(const void *a, const void *b)
{
    const Ranked *x = *(Ranked *const *)a, *y = *(Ranked *const *)b;
    return search_order(x->rank.score, &x->candidate, y->rank.score, &y->candidate);
}

/* --- Reading hits ------------------------------------------------------------------------ */

/* The record a candidate stands for, as it is now; JOT_NOT_FOUND if it is not there any more. */
static jot_status read_candidate(Memory *m, const Candidate *c, Arena *into, Record *out,
                                 Str *label, Err *e)
{
    bool log = str_starts(c->stream, S("runs/"));
    if (log) {
        Records one;
        TRY(store_read(m->store, c->stream, c->seq, 1, into, &one, e));
        if (one.n == 0 || one.items[0].mark.seq != c->seq)
            return err_set(e, JOT_NOT_FOUND, "the record is gone");
        *out = one.items[0];
    } else {
        TRY(store_head(m->store, c->stream, HEAD_RECORD, into, out, e));
    }
    return index_label(c->stream, out, into, label) ? JOT_OK
                                                    : err_set(e, JOT_NOT_FOUND, "the text is gone");
}

static void explain_hit(const Query *q, const Ranked *r, Arena *into, Hit *hit)
{
    hit->points = r->rank.points;
    hit->coverage = r->rank.coverage;
    hit->kind = r->rank.kind;
    hit->recency = r->rank.recency;
    hit->terms = NEW_ARRAY(into, HitTerm, q->n);
    hit->terms_n = q->n;
    for (size_t i = 0; i < q->n; i++) {
        const TermHits *h = &r->candidate.hits[i];
        hit->terms[i] = (HitTerm){ .word = q->terms[i].shown,
                                   .weight = r->rank.weight[i],
                                   .name = h->name,
                                   .exact = h->exact,
                                   .stem = h->stem > h->exact ? h->stem - h->exact : 0,
                                   .whole = h->whole,
                                   .points = r->rank.term[i] };
    }
}

/* False if the pad has nothing of it any more. */
static bool make_hit(Search *s, const Finding *f, const Ranked *r, Arena *into, Hit *out)
{
    AUTO(Arena) scratch = { 0 };
    Record record;
    Str label;
    bool matched = false;
    if (read_candidate(s->index.m, &r->candidate, &scratch, &record, &label, NULL) != JOT_OK)
        return false;
    Str snippet =
        search_snippet(f->query, s->index.stemmer, r->candidate.stream, label,
                       index_text(r->candidate.stream, record.body, &scratch), &scratch, &matched);
    if (!matched)
        return false;
    *out = (Hit){ .stream = arena_copy(into, r->candidate.stream),
                  .seq = record.mark.seq,
                  .at_ms = record.mark.at_ms,
                  .by = arena_copy(into, record.by),
                  .sha256 = record.mark.sha256,
                  .size = record.body.n,
                  .tokens = tokens_estimate(record.body),
                  .snippet = arena_copy(into, snippet),
                  .score = r->rank.score };
    if (f->asked->explain)
        explain_hit(f->query, r, into, out);
    return true;
}

static void read_hits(Search *s, Finding *f, size_t limit, Arena *into, Hits *out)
{
    Best *b = &f->best;
    size_t passed = 0;
    qsort(b->items, b->n, sizeof(void *), best_first);
    out->items = NEW_ARRAY(into, Hit, limit);
    for (size_t i = 0; i < b->n && !out->more; i++) {
        Hit hit;
        if (!make_hit(s, f, b->items[i], into, &hit))
            continue;
        if (passed++ < f->asked->offset)
            continue;
        out->more = out->n == limit;
        if (!out->more)
            out->items[out->n++] = hit;
    }
}

/* --- Asking ------------------------------------------------------------------------------ */

/* The names [from, to) that begin with kind and prefix. */
static jot_status name_range(const SearchQuery *q, Arena *into, Str *from, Str *to, Err *e)
{
    Shown shown;
    Str kind = q->kind.n ? arena_printf(into, STR_FMT "/", STR_ARG(q->kind)) : (Str){ 0 };
    if (kind.n && (!index_covers(kind) || str_find(q->kind, '/') < q->kind.n))
        return err_set(e, JOT_INVALID, "no kind '%s': use notes, memories, artifacts or runs",
                       err_show(&shown, q->kind));
    if (q->prefix.n > STORE_NAME_MAX)
        return err_set(e, JOT_TOO_BIG, "a prefix has at most %d bytes", STORE_NAME_MAX);
    bool inside = str_starts(q->prefix, kind), around = str_starts(kind, q->prefix);
    Str begin = inside ? q->prefix : kind;
    if (!inside && !around) {
        *from = *to = S("x"); /* nothing is of two kinds */
        return JOT_OK;
    }
    /* No byte of UTF-8 is 0xFF. */
    *from = begin;
    *to = arena_printf(into, STR_FMT "\xFF", STR_ARG(begin));
    return JOT_OK;
}

jot_status search_find(Search *s, const SearchQuery *q, Arena *into, Hits *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    size_t limit = q->limit ? q->limit : SEARCH_LIMIT;
    if (limit > SEARCH_LIMIT_MAX || q->offset > SEARCH_OFFSET_MAX)
        return err_set(e, JOT_TOO_BIG, "a search gives at most %d hits, from %d on",
                       SEARCH_LIMIT_MAX, SEARCH_OFFSET_MAX);
    Finding f = { .asked = q, .query = NEW(&arena, Query), .into = &arena };
    TRY(name_range(q, &arena, &f.from, &f.to, e));
    query_read(q->text, s->index.stemmer, &arena, f.query);
    *out = (Hits){ .stemmed = s->index.stemmer != NULL, .where = s->index.why };
    if (f.query->n == 0)
        return JOT_OK;
    f.best.max = q->offset + limit + SPARE;
    f.best.items = NEW_ARRAY(&arena, Ranked *, f.best.max);
    TRY(with_index(&s->index, find_once, &f, e));
    out->where = s->index.why;
    for (size_t i = 0; i < f.query->n; i++)
        f.query->terms[i].shown = arena_copy(into, f.query->terms[i].shown);
    read_hits(s, &f, limit, into, out);
    return JOT_OK;
}

/* --- As JSON ----------------------------------------------------------------------------- */

static json_t *explain_json(const Hit *h)
{
    json_t *terms = json_array();
    for (size_t i = 0; i < h->terms_n; i++) {
        const HitTerm *t = &h->terms[i];
        json_array_append_new(
            terms, json_pack("{s:o, s:f, s:f, s:i, s:i, s:i, s:i}", "word", json_text(t->word),
                             "weight", t->weight, "points", t->points, "name", (int)t->name,
                             "exact", (int)t->exact, "stem", (int)t->stem, "whole", (int)t->whole));
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "points", h->points, "coverage", h->coverage,
                     "kind", h->kind, "recency", h->recency, "terms", terms);
}

json_t *search_json(const Hits *h, bool explain)
{
    json_t *hits = json_array();
    for (size_t i = 0; i < h->n; i++) {
        const Hit *x = &h->items[i];
        json_t *hit = json_pack(
            "{s:o, s:I, s:s, s:s, s:o, s:I, s:I, s:f, s:o}", "stream", json_text(x->stream), "seq",
            (json_int_t)x->seq, "version", version_of(x->sha256).text, "at",
            time_text(x->at_ms).text, "by", json_text(x->by), "size", (json_int_t)x->size, "tokens",
            (json_int_t)x->tokens, "score", x->score, "snippet", json_text(x->snippet));
        if (explain)
            json_object_set_new(hit, "explain", explain_json(x));
        json_array_append_new(hits, hit);
    }
    json_t *out = json_pack("{s:o, s:b}", "hits", hits, "more", h->more);
    if (explain)
        json_object_set_new(out, "stemmed", json_boolean(h->stemmed));
    if (explain && h->where)
        json_object_set_new(out, "in_memory", json_string(h->where));
    return out;
}
