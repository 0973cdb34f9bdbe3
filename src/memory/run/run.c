/* run.c - the stream of a run: opening, taking in, finding.
 *
 *     seq    1     2 ..... 63   64     65 .... 127   128    129 .... 150
 *           init   records     fold    records      fold    records
 *                                                    |      \______/
 *                                                    |       read by who opens
 *                                                    44 results so far, open calls, use of tools
 *
 * Record 64, 128 ... is a fold (run_add.c): what all records before it add up to.  So
 * opening reads one fold and at most 63 records, however long the run is.  A fold
 * that cannot be read is passed over for the one before it; without any, reading
 * begins at the first record.  The answer is the same, only slower.
 *
 * Result number n is found by halving over the folds, each of which says how many
 * results came before it, and then reading on from the fold below it.  A handle that is
 * kept open takes in only what is new. */
#include "memory/run/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    PAGE = RUN_FOLD_EVERY + 1,   /* a fold and what follows it */
    FOLDS_TRIED = 1000,          /* one by one */
    ARENA_MAX = 4 * 1024 * 1024, /* of a handle that is kept for long, before it is tidied */
};

/* --- Opening ----------------------------------------------------------------------------- */

static Str stream_of(const Run *r)
{
    return str(r->stream);
}

static jot_status not_found(Str id, Err *e)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "run '%s' not found", err_show(&shown, id));
}

jot_status run_at(Memory *m, Str id, Run *r, Err *e)
{
    Shown shown;
    *r = (Run){ .m = m };
    if (id.n == 0 || id.n > RUN_ID_MAX || memchr(id.p, 0, id.n))
        return err_set(e, JOT_INVALID,
                       "invalid run '%s': use 1 to %d bytes, as a list of runs shows",
                       err_show(&shown, id), RUN_ID_MAX);
    snprintf(r->id, sizeof r->id, STR_FMT, STR_ARG(id));
    snprintf(r->stream, sizeof r->stream, "runs/%s", r->id);
    return store_check_name(stream_of(r), e);
}

jot_status run_stream(Str id, Arena *into, Str *out, Err *e)
{
    Run named;
    TRY(run_at(NULL, id, &named, e));
    *out = arena_copy(into, stream_of(&named));
    return JOT_OK;
}

/* --- Taking in --------------------------------------------------------------------------- */

/* Take in what a page has from its record `from` on. */
static void take_page(Run *r, const Records *page, size_t from)
{
    AUTO(Arena) scratch = { 0 };
    if (page->n > from && r->state.seq == 0) {
        /* What is missing in front was damaged, if the store says so, or else trimmed. */
        uint64_t before = page->items[from].mark.seq - 1;
        r->state.damaged += page->damaged < before ? page->damaged : before;
    }
    for (size_t i = from; i < page->n; i++) {
        RunStep s = run_step_of(&page->items[i], &scratch);
        run_state_take(&r->state, &r->arena, &s);
    }
}

/* One page, into `tail` if that is wanted and this is the last one. */
static jot_status read_page(Run *r, uint64_t from, RunTail *tail, Arena *own, Records *page, Err *e)
{
    TRY(store_read(r->m->store, stream_of(r), (SeqRange){ from, PAGE }, tail ? &tail->arena : own,
                   page, e));
    if (tail && !page->more)
        tail->records = *page;
    return JOT_OK;
}

/* Everything from `from` on. */
static jot_status take_from(Run *r, uint64_t from, RunTail *tail, Err *e)
{
    for (bool more = true; more; tail = NULL) {
        AUTO(Arena) arena = { 0 };
        Records page;
        TRY(read_page(r, from, tail, &arena, &page, e));
        take_page(r, &page, 0);
        more = page.more && page.n;
        from = r->state.seq + 1;
    }
    return JOT_OK;
}

/* Begin at the fold with this seq, if it is one. */
static jot_status begin_at(Run *r, uint64_t seq, RunTail *tail, bool *begun, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Records page;
    TRY(read_page(r, seq, tail, &arena, &page, e));
    *begun = false;
    if (page.n == 0 || page.items[0].mark.seq != seq)
        return JOT_OK;
    /* A record of this seq need not be a fold: a run that was imported, or appended to by another
     * program, has its folds elsewhere.  One that claims more results than records is no fold. */
    RunStep s = run_step_of(&page.items[0], &arena);
    bool fold = s.kind == RUN_FOLD && run_state_read(s.body, &r->arena, &r->state);
    if (!fold || r->state.results >= seq)
        return JOT_OK;
    *begun = true;
    assert(seq % RUN_FOLD_EVERY == 0);
    r->state.seq = seq;
    take_page(r, &page, 1);
    return page.more ? take_from(r, r->state.seq + 1, NULL, e) : JOT_OK;
}

/* The newest fold is the best one, as it knows what can no longer be read.  But a number can be far
 * beyond what there is, so after many that are none the steps grow. */
static jot_status take_all(Run *r, uint64_t head, RunTail *tail, Err *e)
{
    arena_free(&r->arena);
    r->state = (RunState){ 0 };
    /* From the newest place where a fold can be, backwards. */
    uint64_t at = head - head % RUN_FOLD_EVERY;
    uint64_t step = RUN_FOLD_EVERY;
    for (unsigned tried = 1; at > 0; tried++) {
        bool begun;
        TRY(begin_at(r, at, tail, &begun, e));
        if (begun)
            return JOT_OK;
        r->state = (RunState){ 0 };
        run_tail_free(tail); /* what is read now may have more than that */
        at -= step < at ? step : at;
        step *= tried < FOLDS_TRIED ? 1 : 2;
    }
    return take_from(r, 1, tail, e);
}

/* A handle that is used for long keeps what it no longer needs; the state without that is what a
 * fold would say.  A state beyond all limits, as made-up records add up to, stays as it is. */
static void tidy(Run *r)
{
    if (r->arena.total < ARENA_MAX)
        return;
    AUTO_PTR(json_t) value = run_state_json(&r->state);
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    Arena fresh = { 0 };
    RunState state;
    if (!run_state_read(buf_str(&text), &fresh, &state)) {
        arena_free(&fresh);
        return;
    }
    assert(state.results == r->state.results && state.open_n == r->state.open_n);
    state.seq = r->state.seq;
    arena_free(&r->arena);
    r->arena = fresh;
    r->state = state;
}

static jot_status refresh(Run *r, RunTail *tail, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    assert(r->m && r->stream[0]); /* named with run_at */
    jot_status st = store_head(r->m->store, stream_of(r), HEAD_MARK, &arena, &head, e);
    if (st == JOT_NOT_FOUND || (st == JOT_OK && !mark_live(&head.mark)))
        return not_found(str(r->id), e);
    TRY(st);
    uint64_t seq = head.mark.seq;
    r->lost = head.mark.lost;
    if (seq == r->state.seq)
        return JOT_OK;
    /* Back: what was taken in last has been damaged since. */
    bool back = seq < r->state.seq;
    /* Far behind, it is cheaper to begin at the newest fold than to read all that came since. */
    if (r->state.seq == 0 || back || seq - r->state.seq > RUN_FOLD_EVERY)
        TRY(take_all(r, seq, tail, e));
    else
        TRY(take_from(r, r->state.seq + 1, NULL, e));
    tidy(r);
    return JOT_OK;
}

jot_status run_refresh(Run *r, Err *e)
{
    return refresh(r, NULL, e);
}

jot_status run_refresh_tail(Run *r, RunTail *tail, Err *e)
{
    return refresh(r, tail, e);
}

void run_tail_free(RunTail *t)
{
    if (!t)
        return;
    arena_free(&t->arena);
    *t = (RunTail){ 0 };
}

jot_status run_open(Memory *m, Str id, Run *out, Err *e)
{
    TRY(run_at(m, id, out, e));
    jot_status st = run_refresh(out, e);
    if (st != JOT_OK)
        run_close(out);
    return st;
}

void run_close(Run *r)
{
    if (!r)
        return;
    arena_free(&r->arena);
    *r = (Run){ 0 };
}

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Walk {
    jot_status (*each)(void *ctx, const RunStep *s);
    void *ctx;
} Walk;

static jot_status visit(void *walk, const Record *r)
{
    const Walk *w = walk;
    AUTO(Arena) arena = { 0 };
    RunStep s = run_step_of(r, &arena);
    return w->each(w->ctx, &s);
}

jot_status run_each(Run *r, uint64_t from, jot_status (*each)(void *ctx, const RunStep *s),
                    void *ctx, uint64_t *damaged, Err *e)
{
    Walk w = { each, ctx };
    return memory_each_record(
        r->m, stream_of(r),
        &(RecordVisit){ .from = from, .each = visit, .ctx = &w, .damaged = damaged }, e);
}

jot_status run_step(Run *r, uint64_t seq, Arena *into, RunStep *out, Err *e)
{
    Records page;
    TRY(store_read(r->m->store, stream_of(r), (SeqRange){ seq, 1 }, into, &page, e));
    if (page.n == 0 || page.items[0].mark.seq != seq)
        return err_set(e, JOT_NOT_FOUND, "record %llu of run '%s' cannot be read",
                       (unsigned long long)seq, r->id);
    *out = run_step_of(&page.items[0], into);
    return JOT_OK;
}

/* How many results came before the fold at this seq; false if it cannot be read. */
static bool results_before(Run *r, uint64_t seq, uint64_t *results)
{
    AUTO(Arena) arena = { 0 };
    RunStep s;
    RunState state;
    if (run_step(r, seq, &arena, &s, NULL) != JOT_OK || s.kind != RUN_FOLD ||
        !run_state_read(s.body, &arena, &state))
        return false;
    *results = state.results;
    return true;
}

jot_status run_seek(Run *r, uint64_t n, uint64_t *seq, Err *e)
{
    TRY(run_refresh(r, e));
    /* Folds, counted from 1: result n is after fold `low` (0: the beginning), before `high`. */
    uint64_t low = 0, high = r->state.seq / RUN_FOLD_EVERY + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2, at = middle, results = 0;
        /* One that cannot be read is answered for by one below it, if there is one that is not
         * stepped over; then reading begins earlier. */
        for (uint64_t step = 1; at > low && !results_before(r, at * RUN_FOLD_EVERY, &results);) {
            at -= step < at - low ? step : at - low;
            step *= 2;
        }
        assert(low <= at && at <= middle && middle < high);
        if (at == low)
            high = middle;
        else if (results < n)
            low = at;
        else
            high = at;
    }
    /* The last fold that has fewer results than n: result n comes after it. */
    *seq = low ? low * RUN_FOLD_EVERY : 1;
    return JOT_OK;
}

/* --- Lists ------------------------------------------------------------------------------- */

typedef struct Lines {
    jot_status (*each)(void *ctx, const RunLine *l);
    void *ctx;
    int64_t now_ms;
} Lines;

static jot_status list_one(void *lines, const Listed *l)
{
    const Lines *to = lines;
    RunLine line = { .id = str_from(l->name, 5),
                     .at_ms = l->mark.at_ms,
                     .records = l->mark.seq,
                     .by = l->by,
                     .ahead = l->mark.at_ms - STORE_AHEAD_MS > to->now_ms };
    return to->each(to->ctx, &line);
}

jot_status run_list(Memory *m, jot_status (*each)(void *ctx, const RunLine *l), void *ctx, Err *e)
{
    Lines to = { each, ctx, io_wall_ms(m->io) };
    return memory_each(m, S("runs/"), LIST_LIVE, list_one, &to, e);
}

jot_status run_frame(const Run *r, Frame *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Records page;
    *out = (Frame){ 0 };
    TRY(store_read(r->m->store, stream_of(r), (SeqRange){ 1, 1 }, &arena, &page, e));
    if (page.n && page.items[0].mark.seq == 1)
        *out = frame_of_text(run_step_of(&page.items[0], &arena).sign);
    return JOT_OK;
}

jot_status run_query(Memory *m, Str id, Arena *into, Str *query, Err *e)
{
    Run named;
    TRY(run_at(m, id, &named, e));
    Records page;
    *query = (Str){ 0 };
    jot_status st = store_read(m->store, stream_of(&named), (SeqRange){ 1, 1 }, into, &page, e);
    if (st == JOT_NOT_FOUND)
        return not_found(id, e);
    TRY(st);
    const Record *first = page.items;
    if (page.n == 1 && !page.more && first->mark.op == OP_DELETE)
        return not_found(id, e); /* purged */
    if (page.n && first->mark.seq == 1)
        *query = first->mark.redacted ? S(FORGET_MARK) : first->body;
    return JOT_OK;
}
