/* search_care.c - keeping the index honest: making it again, forgetting, comparing.
 *
 * This is the same index as in search.c, without its patience: who asks for care
 * wants to hear what is wrong. */
#include "base/utf8.h"
#include "memory/search/index.h"

jot_status search_rebuild(Search *s, Err *e)
{
    Index *x = &s->index;
    TRY(index_empty(x, e));
    TRY(index_catch_up(x, e));
    index_publish(x, true);
    return JOT_OK;
}

jot_status search_forget(Memory *m, const Str *streams, size_t n, Err *e)
{
    AUTO_PTR(Search) s = NULL;
    AUTO(Arena) arena = { 0 };
    Str *covered = NEW_ARRAY(&arena, Str, n + 1);
    size_t covered_n = 0;
    for (size_t i = 0; i < n; i++) {
        TRY(store_check_name(streams[i], e));
        if (index_covers(streams[i]))
            covered[covered_n++] = streams[i];
    }
    TRY(search_open(&s, m, NULL, e));
    if (n && covered_n == 0)
        return JOT_OK;
    return n ? index_forget(&s->index, covered, covered_n, e) : index_empty(&s->index, e);
}

/* Killed half-way, a call before this one may have left more than this one changed: what the pad
 * says counts, not what the caller did. */
jot_status search_forget_all(Memory *m, Err *e)
{
    enum { TRIES = 3 };
    AUTO_PTR(Search) s = NULL;
    TRY(search_open(&s, m, NULL, e));
    Index *x = &s->index;
    bool done = false;
    for (int i = 0; i < TRIES && !done && index_has_files(x); i++)
        if (index_catch_up(x, NULL) != JOT_OK || index_scrub(x, &done, NULL) != JOT_OK)
            break;
    return done ? index_forget(x, NULL, 0, e) : index_empty(x, e);
}

/* --- Comparing --------------------------------------------------------------------------- */

typedef struct Compare {
    Index *x;
    void (*report)(void *ctx, Str stream, const char *what);
    void *ctx;
    SearchCheck *out;
    uint64_t expected; /* rows the pad should have */
    Err *e;
} Compare;

static void report(Compare *c, Str stream, const char *what)
{
    c->out->problems++;
    if (c->report)
        c->report(c->ctx, stream, what);
}

/* The record a row stands for, or JOT_NOT_FOUND. */
static jot_status read_row(const Compare *c, Str stream, uint64_t seq, Arena *into, Record *out)
{
    Store *store = c->x->m->store;
    if (!str_starts(stream, S("runs/")))
        return store_head(store, stream, HEAD_RECORD, into, out, NULL);
    Records one;
    TRY(store_read(store, stream, (SeqRange){ seq, 1 }, into, &one, NULL));
    if (one.n == 0 || one.items[0].mark.seq != seq)
        return JOT_NOT_FOUND;
    *out = one.items[0];
    return JOT_OK;
}

static void compare_row(Compare *c, const View *v, uint32_t place)
{
    AUTO(Arena) arena = { 0 };
    SegRow row;
    Segment *seg;
    Record r;
    Str label;
    c->out->rows++;
    if (!view_row(v, place, &row, &seg))
        return;
    Str stream = seg_stream_name(seg, row.stream, &arena);
    if (read_row(c, stream, row.seq, &arena, &r) != JOT_OK ||
        !index_label(stream, &r, &arena, &label)) {
        report(c, stream, "the search index has text that is not in the pad");
        return;
    }
    Str text = index_text(stream, r.body, &arena);
    if (r.mark.seq != row.seq || r.mark.at_ms != row.at_ms ||
        !str_eq(r.by, seg_author(seg, row.author)) ||
        text_digest(utf8_valid(text) ? text : (Str){ 0 }) != row.digest)
        report(c, stream, "the search index has other words than the pad");
}

static jot_status count_expected(void *ctx, const Record *r)
{
    Compare *c = ctx;
    AUTO(Arena) arena = { 0 };
    Str label;
    if (r->mark.op == OP_DELETE)
        c->expected = 0;
    else
        c->expected += index_label(S("runs/x"), r, &arena, &label);
    return JOT_OK;
}

/* Rows that should be there. */
static jot_status count_listed(void *ctx, const Listed *l)
{
    uint64_t *all = ctx;
    (*all) += mark_live(&l->mark) && !l->mark.redacted;
    return JOT_OK;
}

typedef struct CountRuns {
    Compare *c;
    uint64_t *all;
} CountRuns;

static jot_status count_run(void *ctx, const Listed *l)
{
    CountRuns *x = ctx;
    x->c->expected = 0;
    jot_status st = memory_each_record(x->c->x->m, l->name,
                                       &(RecordVisit){ .each = count_expected, .ctx = x->c }, NULL);
    if (st == JOT_OK)
        *x->all += x->c->expected;
    return JOT_OK;
}

static jot_status count_rows(Compare *c, uint64_t *out, Err *e)
{
    static const char *const documents[] = { "artifacts/", "memories/", "notes/" };
    *out = 0;
    for (size_t i = 0; i < COUNT_OF(documents); i++)
        TRY(memory_each(c->x->m, str(documents[i]), LIST_LIVE, count_listed, out, e));
    CountRuns runs = { c, out };
    return memory_each(c->x->m, S("runs/"), LIST_LIVE, count_run, &runs, e);
}

/* Every byte of every file. */
static jot_status check_files(Compare *c, Err *e)
{
    Index *x = c->x;
    for (size_t i = 0; i < x->n; i++)
        if (!seg_check(&x->segs[i])) {
            x->broken = true;
            return err_set(e, JOT_CORRUPT, "the search index is damaged");
        }
    return JOT_OK;
}

static jot_status compare_all(Compare *c, Err *e)
{
    uint64_t wanted;
    TRY(index_load(c->x, e));
    TRY(check_files(c, e));
    TRY(index_catch_up(c->x, e));
    TRY(count_rows(c, &wanted, e));
    const View *v = index_view(c->x);
    if (!v)
        return err_set(e, JOT_CORRUPT, "the search index is damaged");
    for (uint32_t p = 0; p < v->rows; p++)
        compare_row(c, v, p);
    if (c->out->rows < wanted)
        report(c, (Str){ 0 }, "the search index lacks text that is in the pad");
    return JOT_OK;
}

jot_status search_verify(Search *s, void (*to)(void *ctx, Str stream, const char *what), void *ctx,
                         SearchCheck *out, Err *e)
{
    Index *x = &s->index;
    Err why = { 0 };
    *out = (SearchCheck){ .there = index_has_files(x) };
    if (!out->there)
        return JOT_OK;
    Compare c = { .x = x, .report = to, .ctx = ctx, .out = out, .e = e };
    x->broken = x->busy = x->full = false;
    index_unload(x); /* what is in the files counts, not what was read of them */
    jot_status st = compare_all(&c, &why);
    if (st != JOT_OK && (x->broken || x->busy)) {
        if (x->busy || x->full)
            out->unchecked = why;
        else
            report(&c, (Str){ 0 }, why.text);
        index_unload(x);
        return JOT_OK;
    }
    if (st != JOT_OK && e)
        *e = why;
    return st;
}
