/* run_results.c - looking at a run: results by their numbers, the next prompt, newest first.
 *
 *     records    1 .. 63   64     65 .. 127   128    129 .. 140
 *                steps     fold   steps       fold   steps
 *
 * Forwards, a result is found by bisecting over the folds (run_seek), then records are read on from
 * there.  A result needs its call, for the heading.  Calls stand shortly before their results, so
 * those met on the way are remembered; one from further back is read by the seq its result names.
 *
 * Backwards, a page is what stands between two folds.  A page without any result begins with a fold
 * that says where the result before it is, so the walk jumps there and does not read what lies
 * between. */
#include "memory/run/run_results.h"

#include <assert.h>
#include <string.h>

#include "memory/artifact/artifact.h"
#include "memory/frame/frame.h"

enum { PAGE = 100, PAGE_BACK = RUN_FOLD_EVERY / 2 };

typedef struct Gather {
    Run *r;
    Arena *into;
    Results *list;
    size_t cap;
    size_t bytes;
    RunStep *calls; /* met so far, by seq */
    size_t calls_n, calls_cap;
} Gather;

/* The arguments of the call at this seq, if it is among these steps. */
static bool find_args(const RunStep *steps, size_t n, uint64_t seq, Str *args)
{
    for (size_t i = n; i-- > 0 && steps[i].seq >= seq;)
        if (steps[i].seq == seq && steps[i].kind == RUN_CALL) {
            *args = steps[i].body;
            return true;
        }
    return false;
}

/* The same, read.  What cannot be read is empty. */
static jot_status read_args(Run *r, uint64_t seq, Arena *into, Str *args, Err *e)
{
    RunStep call;
    *args = (Str){ 0 };
    jot_status st = run_step(r, seq, into, &call, e);
    if (st == JOT_OK && call.kind == RUN_CALL)
        *args = call.body;
    return st == JOT_NOT_FOUND ? JOT_OK : st;
}

static Result *new_item(Gather *g)
{
    Results *v = g->list;
    v->items = arena_grow(g->into, v->items, v->n, &g->cap, sizeof(Result), alignof(Result));
    v->items[v->n] = (Result){ 0 };
    return &v->items[v->n++];
}

static jot_status keep_result(Gather *g, const RunStep *s, Err *e)
{
    Str args;
    g->bytes += s->body.n;
    if (g->bytes > RUN_RESULTS_MAX)
        return err_set(e, JOT_TOO_BIG, "these results have more than %d bytes: ask for fewer",
                       RUN_RESULTS_MAX);
    if (!find_args(g->calls, g->calls_n, s->of, &args))
        TRY(read_args(g->r, s->of, g->into, &args, e));
    *new_item(g) =
        (Result){ .n = s->n,
                  .ok = s->ok,
                  .tool = arena_copy(g->into, s->tool),
                  .args = args,
                  .result = arena_copy(g->into, s->redacted ? S(FORGET_MARK) : s->body) };
    return JOT_OK;
}

/* Add results `from` to `to` to the list. */
static jot_status gather(Run *r, uint64_t from, uint64_t to, Arena *into, Results *list, Err *e)
{
    Gather g = { .r = r, .into = into, .list = list };
    g.cap = list->n;
    uint64_t seq;
    if (from > to)
        return JOT_OK;
    size_t before = list->n;
    /* Results have numbers, records have seqs: the folds lead from one to the other. */
    TRY(run_seek(r, from, &seq, e));
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Records page;
        TRY(store_read(r->m->store, str(r->stream), (SeqRange){ seq, PAGE }, &arena, &page, e));
        more = page.more && page.n;
        for (size_t i = 0; i < page.n; i++) {
            RunStep s = run_step_of(&page.items[i], &arena);
            seq = s.seq + 1;
            if (s.kind == RUN_CALL) {
                g.calls = arena_grow(into, g.calls, g.calls_n, &g.calls_cap, sizeof(RunStep),
                                     alignof(RunStep));
                g.calls[g.calls_n++] =
                    (RunStep){ .kind = RUN_CALL, .seq = s.seq, .body = arena_copy(into, s.body) };
            }
            if (s.kind != RUN_RESULT || s.n < from)
                continue;
            if (s.n <= to)
                TRY(keep_result(&g, &s, e));
            if (s.n >= to) {
                more = false;
                break;
            }
        }
    }
    /* Numbers that should be there and were not met: their records cannot be read. */
    list->damaged += (to - from + 1) - (list->n - before);
    return JOT_OK;
}

jot_status run_results(Run *r, uint64_t from, uint64_t to, Arena *into, Results *out, Err *e)
{
    *out = (Results){ 0 };
    TRY(run_refresh(r, e));
    TRY(run_frame(r, &out->frame, e));
    uint64_t last = r->state.results;
    return gather(r, from ? from : 1, to && to < last ? to : last, into, out, e);
}

jot_status run_prompt(Run *r, Arena *into, Results *out, Err *e)
{
    *out = (Results){ 0 };
    TRY(run_refresh(r, e));
    TRY(run_frame(r, &out->frame, e));
    const RunState *s = &r->state;
    if (s->compact_seq) {
        RunStep summary;
        jot_status st = run_step(r, s->compact_seq, into, &summary, e);
        if (st == JOT_NOT_FOUND)
            out->damaged++;
        else
            TRY(st);
        out->summary = st == JOT_OK ? summary.body : S("(the summary cannot be read)");
        if (st == JOT_OK && summary.redacted)
            out->summary = S(FORGET_MARK);
    }
    uint64_t first = s->results - run_shown(s) + 1;
    if (first - s->compacted > RUN_RESULTS_CLEARED_MAX)
        return err_set(
            e, JOT_TOO_BIG,
            "more than %d results of run '%s' were cleared: compact it, or use a context",
            RUN_RESULTS_CLEARED_MAX, r->id);
    Gather cleared = { .into = into, .list = out };
    for (uint64_t n = s->compacted + 1; n < first; n++)
        *new_item(&cleared) = (Result){ .n = n, .cleared = true };
    return gather(r, first, s->results, into, out, e);
}

/* --- Newest first ------------------------------------------------------------------------ */

RunBack run_back(Run *r, RunTail *tail)
{
    RunBack b = { .r = r, .next = r->state.seq + 1, .span = PAGE_BACK };
    if (tail)
        b.tail = TAKE(*tail);
    return b;
}

static void page_done(RunPage *p)
{
    arena_free(&p->arena);
    *p = (RunPage){ 0 };
}

void run_back_done(RunBack *b)
{
    run_tail_free(&b->tail);
    page_done(&b->page);
    page_done(&b->older);
}

/* The page has no result: the fold it begins with says where the one before it is. */
static uint64_t jump(const RunPage *page, uint64_t from)
{
    AUTO(Arena) arena = { 0 };
    RunState state;
    const RunStep *first = page->steps;
    if (page->n == 0 || first->kind != RUN_FOLD || !run_state_read(first->body, &arena, &state))
        return from;
    return state.result_seq < from ? state.result_seq + 1 : from;
}

static bool has_result(const RunPage *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->steps[i].kind == RUN_RESULT)
            return true;
    return false;
}

/* Where the page before `next` begins: at a fold, or half way between two. */
static uint64_t page_start(const RunBack *b)
{
    uint64_t last = b->next - 1, from = last - last % PAGE_BACK, more = b->span - PAGE_BACK;
    return from > more ? from - more : 1;
}

/* The records from `from` to `last`, or the newer half of them if they do not fit in one read. */
static jot_status read_back(RunBack *b, uint64_t *from, uint64_t last, Arena *into, Records *page,
                            Err *e)
{
    assert(*from >= 1 && *from <= last);
    RunTail tail = TAKE(b->tail);
    if (tail.records.n && tail.records.items[0].mark.seq <= *from) {
        *from = tail.records.items[0].mark.seq;
        *into = tail.arena;
        *page = tail.records;
        return JOT_OK;
    }
    run_tail_free(&tail);
    for (;;) {
        size_t limit = last - *from < PAGE_BACK ? (size_t)(last - *from + 1) : PAGE_BACK;
        TRY(store_read(b->r->m->store, str(b->r->stream), (SeqRange){ *from, limit }, into, page,
                       e));
        /* A read goes forward and stops when it has enough bytes, which would leave out the newest
         * ones; they are wanted first, so the older half is left for the next page. */
        bool cut = page->more && page->n && page->items[page->n - 1].mark.seq < last;
        if (!cut || *from == last)
            return JOT_OK;
        *from += (last - *from + 1) / 2;
        arena_free(into);
    }
}

/* The records from the fold before `next` up to it; from further back, if there were none. */
static jot_status page_back(RunBack *b, RunPage *out, Err *e)
{
    assert(b->next > 1 && b->span >= PAGE_BACK);
    uint64_t last = b->next - 1, from = page_start(b);
    Records read;
    page_done(out);
    TRY(read_back(b, &from, last, &out->arena, &read, e));
    out->steps = NEW_ARRAY(&out->arena, RunStep, read.n);
    /* Where records are damaged, a read continues with later ones, which have been seen. */
    for (size_t i = 0; i < read.n && read.items[i].mark.seq <= last; i++)
        out->steps[out->n++] = run_step_of(&read.items[i], &out->arena);
    b->next = has_result(out) ? from : jump(out, from);
    b->span = out->n ? PAGE_BACK : 2 * b->span;
    return JOT_OK;
}

jot_status run_back_next(RunBack *b, Result *out, bool *there, Err *e)
{
    *there = false;
    while (b->left > 0 || b->older.n > 0 || b->next > 1) {
        if (b->left == 0) {
            page_done(&b->page);
            b->page = TAKE(b->older);
            if (b->page.n == 0)
                TRY(page_back(b, &b->page, e));
            b->left = b->page.n;
            continue;
        }
        assert(b->left <= b->page.n);
        const RunStep *s = &b->page.steps[--b->left];
        if (s->kind != RUN_RESULT)
            continue;
        *out = (Result){ .n = s->n, .ok = s->ok, .tool = s->tool };
        out->result = s->redacted ? S(FORGET_MARK) : s->body;
        *there = true;
        /* A result near the beginning of a page has its call in the page before, which is most
         * likely wanted next. */
        if (find_args(b->page.steps, b->page.n, s->of, &out->args))
            return JOT_OK;
        if (b->older.n == 0 && s->of < b->next && s->of >= page_start(b))
            TRY(page_back(b, &b->older, e));
        return find_args(b->older.steps, b->older.n, s->of, &out->args)
                   ? JOT_OK
                   : read_args(b->r, s->of, &b->page.arena, &out->args, e);
    }
    return JOT_OK;
}

/* --- The final answer -------------------------------------------------------------------- */

static void add_final(Buf *to, const Frame *f, const Result *item)
{
    json_t *read = NULL;
    if (json_read(item->result, &read, NULL) != JOT_OK) {
        results_add_item(to, f, item);
        return;
    }
    AUTO_PTR(json_t) value = read;
    Result fenced = *item;
    fenced.result = (Str){ 0 };
    results_add_item(to, f, &fenced);
    buf_add(to, S("```json\n"));
    json_write(to, value);
    buf_add(to, S("\n```"));
}

jot_status run_final(Run *r, Buf *to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Results all;
    TRY(run_results(r, 1, 0, &arena, &all, e));
    size_t good = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (!all.items[i].ok)
            continue;
        if (good++)
            buf_add(to, S("\n\n"));
        add_final(to, &all.frame, &all.items[i]);
    }
    if (all.n == 0)
        buf_add(to, S("No data was gathered."));
    else if (good == 0)
        buf_add(to, S("No data was successfully gathered."));
    return JOT_OK;
}

/* --- Going on ---------------------------------------------------------------------------- */

static jot_status look_up(Run *r, const RunOpen *open, Arena *into, Unfinished *out, Err *e)
{
    *out = (Unfinished){ .open = { .call = arena_copy(into, open->call),
                                   .tool = arena_copy(into, open->tool),
                                   .seq = open->seq,
                                   .mutating = open->mutating } };
    RunStep call;
    jot_status st = run_step(r, open->seq, into, &call, e);
    if (st != JOT_NOT_FOUND)
        TRY(st);
    out->args = st == JOT_OK ? call.body : (Str){ 0 };
    AUTO(Arena) arena = { 0 };
    Record head;
    Str sink;
    TRY(artifact_stream(S(ARTIFACT_TOOL_RESULTS), open->call, &arena, &sink, e));
    st = store_head(r->m->store, sink, HEAD_MARK, &arena, &head, e);
    if (st != JOT_NOT_FOUND)
        TRY(st);
    out->stored = st == JOT_OK && mark_live(&head.mark);
    return JOT_OK;
}

jot_status run_unfinished(Run *r, Arena *into, UnfinishedList *out, Err *e)
{
    *out = (UnfinishedList){ 0 };
    TRY(run_refresh(r, e));
    const RunState *s = &r->state;
    out->items = NEW_ARRAY(into, Unfinished, s->open_n);
    for (; out->n < s->open_n; out->n++)
        TRY(look_up(r, &s->open[out->n], into, &out->items[out->n], e));
    return JOT_OK;
}

json_t *unfinished_json(const UnfinishedList *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->n; i++) {
        const Unfinished *u = &list->items[i];
        json_t *args = NULL;
        if (json_read(u->args, &args, NULL) != JOT_OK)
            args = json_null();
        json_array_append_new(out,
                              json_pack("{s:o, s:o, s:o, s:I, s:b, s:b}", "call",
                                        json_text(u->open.call), "tool", json_text(u->open.tool),
                                        "args", args, "seq", (json_int_t)u->open.seq, "mutating",
                                        u->open.mutating, "stored", u->stored));
    }
    return out;
}
