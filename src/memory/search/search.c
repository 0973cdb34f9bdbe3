/* search.c - a search: bring the index up to date, rank what it holds, read the hits from the pad,
 * unless they were read since it last changed (kept.h).
 *
 * Whatever is wrong with the index is mended here, and no search fails by it:
 * its files are emptied and filled again, and if even that does not work (a
 * read-only directory, a full disk) the same index is made in memory, for this
 * handle alone. */
#include "memory/search/search.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "memory/doc/doc.h"
#include "memory/frame/tokens.h"
#include "memory/search/index.h"
#include "memory/search/rank.h"
#include "memory/search/scale.h"

/* Candidates that are kept beyond those wanted: the pad may have lost some since. */
enum { SPARE = 64, LOST_MAX = 16 };

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
    s->index = (Index){ .m = m,
                        .wait_ms = o->wait_ms > 0 ? o->wait_ms : STORE_WAIT_MS,
                        .progress = o->progress,
                        .ctx = o->ctx };
    s->announce = o->announce;
    s->ctx = o->ctx;
    find_place(&s->index, m);
    TRY(choose_language(&s->index, o->language, e));
    *out = TAKE(s);
    return JOT_OK;
}

void search_close(Search *s)
{
    if (!s)
        return;
    index_unload(&s->index);
    kept_free(&s->kept);
    likeness_free(&s->like);
    search_server_done(&s->server);
    stemmer_free(s->index.stemmer);
    free(s->index.path);
    free(s);
}

jot_status search_of(Memory *m, Search **out, Err *e)
{
    if (!m->search)
        TRY(search_open(&m->search, m, NULL, e));
    *out = m->search;
    return JOT_OK;
}

/* Do something with the index; if the index is at fault, mend it and try again. */
static jot_status with_index(Index *x, jot_status (*act)(Index *x, void *ctx, Err *e), void *ctx,
                             Err *e)
{
    for (int tries = 0;; tries++) {
        x->broken = x->busy = x->full = false;
        jot_status st = act(x, ctx, e);
        if (!x->broken && !x->busy)
            return st;
        if (!x->path[0])
            return st; /* there is nothing left to try */
        bool held = x->busy;
        index_unload(x);
        if (tries == 0 && !held && index_empty(x, e) == JOT_OK)
            continue;
        index_leave_files(x, held ? "somebody else holds its files" : "its files cannot be used");
    }
}

/* --- Finding ----------------------------------------------------------------------------- */

typedef struct Finding {
    const SearchQuery *asked;
    Query query;
    Str from, to; /* names */
    int64_t now_ms;
    size_t want;
    Arena *into, *answer; /* what is needed for this search, and what is given back */
    Search *search;
    RankHits hits;
    Hit *bare;    /* of the first of them what the index says */
    size_t named; /* so many */
    const View *view;
    Str lost[LOST_MAX]; /* edits that nobody had recorded, and that are gone */
    size_t lost_n;
} Finding;

/* A time that is still to come is a wrong clock's: it counts as now. */
static bool is_asked_for(void *ctx, const SegRow *row, Segment *seg)
{
    const Finding *f = ctx;
    const SearchQuery *a = f->asked;
    AUTO(Arena) arena = { 0 };
    int64_t at = row->at_ms < f->now_ms ? row->at_ms : f->now_ms;
    if ((a->since_ms && at < a->since_ms) || (a->until_ms && at > a->until_ms))
        return false;
    if (a->by.n && !str_eq(seg_author(seg, row->author), a->by))
        return false;
    if (f->from.n == 0)
        return true;
    Str name = seg_stream_name(seg, row->stream, &arena);
    return str_cmp(name, f->from) >= 0 && str_cmp(name, f->to) < 0;
}

static jot_status damaged(Index *x, Err *e)
{
    x->broken = true;
    return err_set(e, JOT_CORRUPT, "the search index is damaged");
}

static int by_points(const void *a, const void *b)
{
    double x = ((const HitPart *)a)->points, y = ((const HitPart *)b)->points;
    return (x < y) - (x > y);
}

static void explain_hit(const RankHit *r, Arena *into, Hit *hit)
{
    hit->parts = NEW_ARRAY(into, HitPart, RANK_PARTS);
    for (int i = 0; i < RANK_PARTS; i++)
        if (r->parts[i])
            hit->parts[hit->parts_n++] = (HitPart){ rank_part_names[i], (double)r->parts[i] / ONE };
    qsort(hit->parts, hit->parts_n, sizeof *hit->parts, by_points);
}

/* What the index alone says of a hit; false: it is damaged. */
static bool bare_hit(const Finding *f, const RankHit *r, Arena *into, Hit *out)
{
    SegRow row;
    Segment *seg;
    if (!view_row(f->view, r->place, &row, &seg))
        return false;
    *out = (Hit){ .stream = seg_stream_name(seg, row.stream, into),
                  .seq = row.seq,
                  .at_ms = row.at_ms,
                  .by = arena_copy(into, seg_author(seg, row.author)),
                  .score = (double)r->score / ONE };
    if (f->asked->explain)
        explain_hit(r, into, out);
    return out->stream.n > 0 && !seg->bad;
}

/* What a hit is called is read now, while the index can still be made anew; of those to spare when
 * the pad has lost others. */
static bool bare_hits(Finding *f)
{
    size_t n = f->hits.n < f->want - SPARE + 1 ? f->hits.n : f->want - SPARE + 1;
    f->bare = NEW_ARRAY(f->into, Hit, f->hits.n + 1);
    for (f->named = 0; f->named < n; f->named++)
        if (!bare_hit(f, &f->hits.items[f->named], f->answer, &f->bare[f->named]))
            return false;
    return true;
}

static jot_status find_once(Index *x, void *ctx, Err *e)
{
    Finding *f = ctx;
    const SearchQuery *a = f->asked;
    TRY(index_catch_up(x, e));
    bool bad = index_view(x) == NULL;
    const int32_t *like = bad ? NULL : search_ask_server(f->search, a->text, f->into, &bad);
    f->view = bad ? NULL : index_view(x);
    if (!f->view)
        return damaged(x, e);
    bool filtered = a->since_ms || a->until_ms || a->by.n || f->from.n;
    RankAsk ask = { .view = f->view,
                    .stemmer = x->stemmer,
                    .query = &f->query,
                    .keep = filtered ? is_asked_for : NULL,
                    .ctx = f,
                    .limit = f->want,
                    .scratch = &x->scratch,
                    .like = like,
                    .liked = {
                        [PROFILE_TURN] = true, [PROFILE_NOTE] = like, [PROFILE_ARTIFACT] = like } };
    f->now_ms = io_wall_ms(x->m->io);
    if (!like)
        ask.like = likeness_find(&f->search->like, f->view, &f->query, x->stemmer, f->into, &bad);
    return !bad && rank_find(&ask, f->into, &f->hits) && bare_hits(f) ? JOT_OK : damaged(x, e);
}

/* --- Reading hits ------------------------------------------------------------------------ */

jot_status search_read_row(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out,
                           Str *label)
{
    bool log = str_starts(stream, S("runs/"));
    if (log) {
        Records one;
        TRY(store_read(m->store, stream, (SeqRange){ seq, 1 }, into, &one, NULL));
        if (one.n == 0 || one.items[0].mark.seq != seq)
            return JOT_NOT_FOUND;
        *out = one.items[0];
    } else {
        TRY(store_head(m->store, stream, HEAD_RECORD, into, out, NULL));
    }
    return index_label(stream, out, into, label) ? JOT_OK : JOT_NOT_FOUND;
}

/* What the pad has of a hit: kept, or read now.  JOT_NOT_FOUND: nothing any more. */
static jot_status know_row(Search *s, const Hit *bare, uint32_t place, Arena *into, KeptRow *out)
{
    Record record;
    const KeptRow *kept = kept_find(&s->kept, place);
    if (kept) {
        *out = *kept;
        return JOT_OK;
    }
    *out = (KeptRow){ .place = place };
    TRY(search_read_row(s->index.m, bare->stream, bare->seq, into, &record, &out->label));
    out->mark = record.mark;
    out->mark.size = record.body.n;
    out->by = record.by;
    out->text = index_text(bare->stream, record.body, into);
    out->tokens = tokens_estimate(record.body);
    /* Nothing tells that an edit which nobody recorded is gone, or that a run was trimmed. */
    bool told = bare->seq && !str_starts(bare->stream, S("runs/"));
    if (told && record.mark.seq == bare->seq && !record.mark.lost)
        kept_put(&s->kept, out);
    return JOT_OK;
}

/* False if the pad has nothing of it any more. */
static bool make_hit(Search *s, Finding *f, size_t i, Arena *into, Hit *out)
{
    AUTO(Arena) scratch = { 0 };
    KeptRow row;
    bool matched = false;
    if (i >= f->named && !bare_hit(f, &f->hits.items[i], into, &f->bare[i]))
        return false;
    *out = f->bare[i];
    if (f->asked->bare)
        return true;
    jot_status st = know_row(s, out, f->hits.items[i].place, &scratch, &row);
    if (st == JOT_NOT_FOUND && out->seq == 0 && f->lost_n < LOST_MAX)
        f->lost[f->lost_n++] = out->stream;
    if (st != JOT_OK)
        return false;
    SnippetSource source = { .stream = out->stream, .label = row.label, .text = row.text };
    Str snippet = search_snippet(&f->query, s->index.stemmer, &source, &scratch, &matched);
    if (!matched && query_is_strict(&f->query))
        return false;
    out->seq = row.mark.seq;
    out->at_ms = row.mark.at_ms;
    out->by = arena_copy(into, row.by);
    out->sha256 = row.mark.sha256;
    out->size = row.mark.size;
    out->tokens = row.tokens;
    out->snippet = arena_copy(into, snippet);
    return true;
}

static void read_hits(Search *s, Finding *f, size_t limit, Arena *into, Hits *out)
{
    size_t passed = 0;
    kept_follow(&s->kept, f->view->number, s->index.changes);
    out->items = NEW_ARRAY(into, Hit, limit);
    for (size_t i = 0; i < f->hits.n && !out->more; i++) {
        Hit hit;
        if (!make_hit(s, f, i, into, &hit))
            continue;
        if (passed++ < f->asked->offset)
            continue;
        out->more = out->n == limit;
        if (!out->more)
            out->items[out->n++] = hit;
    }
}

/* A file that a person made and removed before any write recorded it leaves nothing by which a
 * change could be told (store/files/recent.c): its text goes from the index when it is missed here.
 */
static void forget_lost(Index *x, const Finding *f)
{
    int64_t wait_ms = x->wait_ms;
    x->wait_ms = 0; /* whoever writes now: the next search misses it again */
    if (f->lost_n)
        (void)!index_forget(x, f->lost, f->lost_n, NULL);
    x->wait_ms = wait_ms;
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
    Finding f = {
        .asked = q, .into = &arena, .answer = into, .want = q->offset + limit + SPARE, .search = s
    };
    TRY(name_range(q, &arena, &f.from, &f.to, e));
    query_read(q->text, s->index.stemmer, &arena, &f.query);
    *out = (Hits){ .stemmed = s->index.stemmer != NULL, .where = s->index.why };
    if (f.query.n == 0)
        return JOT_OK;
    TRY(with_index(&s->index, find_once, &f, e));
    out->where = s->index.why;
    out->notice = search_notice(s, into);
    read_hits(s, &f, limit, into, out);
    forget_lost(&s->index, &f);
    return JOT_OK;
}

/* --- As JSON ----------------------------------------------------------------------------- */

static json_t *explain_json(const Hit *h)
{
    json_t *parts = json_object();
    for (size_t i = 0; i < h->parts_n; i++)
        json_object_set_new(parts, h->parts[i].what, json_real(h->parts[i].points));
    return parts;
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
    if (h->notice.n)
        json_object_set_new(out, "notice", json_text(h->notice));
    return out;
}
