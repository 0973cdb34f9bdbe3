/* checker.c - every record against its writer, every answer against the records, and then all
 * of them against the clock.
 *
 * It does not trust the store: it is given what was asked, what was answered, and the bytes
 * that were left.  It does not stop at the first violation, so that the numbers it gives are
 * whole; the first is told in full. */
#include "checker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "order.h"

static const char *const rule_texts[RULE_COUNT] = {
    [RULE_NONE] = "nothing is wrong",
    [RULE_STREAM] = "a stream is not whole",
    [RULE_FOREIGN] = "a record that nobody asked for",
    [RULE_CONTENT] = "a record is not what its writer asked for",
    [RULE_DOUBLED] = "one append made two records",
    [RULE_ID] = "an id made two records or was answered wrongly",
    [RULE_REMAINS] = "an append that was refused left a record",
    [RULE_EXPECT] = "an append succeeded against its expectation",
    [RULE_LOST] = "an acknowledged append is not where its answer says",
    [RULE_STATUS] = "an answer that must not occur",
    [RULE_REFUSED] = "an append was refused although nothing stood against it",
    [RULE_HEAD] = "an answer shows a head that never was",
    [RULE_VALUE] = "a body does not belong to its version",
    [RULE_LISTING] = "a listing is out of order or out of range",
    [RULE_ORDER] = "an append that ended before another began stands behind it",
    [RULE_STALE] = "an answer is older than what was known before it was asked for",
    [RULE_FUTURE] = "an answer shows a record before its append was invoked",
    [RULE_NEVER] = "at no moment between question and answer was the answer right",
    [RULE_GUARD] = "an append was decided while its guard stood elsewhere",
    [RULE_CYCLE] = "no order of all operations makes their guards hold",
};

const char *rule_text(Rule rule)
{
    return rule < RULE_COUNT ? rule_texts[rule] : "?";
}

void verdict_add(Verdict *v, const History *h, Rule rule, const Culprit *culprits, size_t n,
                 const char *fmt, ...)
{
    v->broken[rule]++;
    if (v->first != RULE_NONE)
        return;
    v->first = rule;
    char about[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(about, sizeof about, fmt, args);
    va_end(args);
    int used = snprintf(v->text, sizeof v->text, "%s\n  %s\n", rule_text(rule), about);
    for (size_t i = 0; i < n && (size_t)used < sizeof v->text; i++) {
        EntryText shown = entry_text(h, culprits[i].worker, culprits[i].index);
        used += snprintf(v->text + used, sizeof v->text - (size_t)used, "  %s\n", shown.text);
    }
}

/* --- Records against their writers ------------------------------------------------------ */

typedef struct Check {
    const History *h;
    Verdict *v;
    Order order;
    uint32_t *made[HISTORY_WORKERS_MAX]; /* the seq of the record an entry made; 0: none */
} Check;

static const Entry *entry_of(const Check *c, const Found *f)
{
    bool known = f->signed_by_us && f->worker < c->h->log_n && f->index < c->h->logs[f->worker].n;
    return known ? &c->h->logs[f->worker].items[f->index] : NULL;
}

static bool refused(const Entry *e)
{
    return e->answered && e->status != JOT_OK && e->status != JOT_UNKNOWN;
}

static void check_maker(Check *c, size_t stream, uint64_t seq, const Entry *e)
{
    const Stream *st = &c->h->streams[stream];
    const Found *f = stream_head(st, seq);
    Culprit one = { f->worker, f->index };
    uint32_t *made = &c->made[f->worker][f->index];
    if (*made)
        verdict_add(c->v, c->h, RULE_DOUBLED, &one, 1, "%s: records %" PRIu32 " and %" PRIu64,
                    st->name, *made, seq);
    else
        *made = (uint32_t)seq;
    if (refused(e))
        verdict_add(c->v, c->h, RULE_REMAINS, &one, 1, "%s: record %" PRIu64, st->name, seq);
    if (!found_is(f, e))
        verdict_add(c->v, c->h, RULE_CONTENT, &one, 1,
                    "%s: record %" PRIu64 " has op %d, content %" PRIx64 ", id %" PRIx64 "%s",
                    st->name, seq, f->op, f->content, f->id, f->sound ? "" : ", and is not sound");
    else if (id_found(e, st, seq - 1))
        verdict_add(c->v, c->h, RULE_ID, &one, 1, "%s: records %" PRIu64 " and %" PRIu64, st->name,
                    id_found(e, st, seq - 1), seq);
    else if (!append_fits_before(e, st, seq))
        verdict_add(c->v, c->h, RULE_EXPECT, &one, 1, "%s: it made record %" PRIu64, st->name, seq);
}

static void check_records(Check *c)
{
    for (size_t s = 0; s < c->h->stream_n; s++) {
        const Stream *st = &c->h->streams[s];
        c->v->records += st->n;
        if (st->fault[0])
            verdict_add(c->v, c->h, RULE_STREAM, NULL, 0, "%s: %s", st->name, st->fault);
        for (uint64_t seq = 1; seq <= st->n; seq++) {
            const Found *f = stream_head(st, seq);
            const Entry *e = entry_of(c, f);
            bool asked =
                e && e->kind == ENTRY_APPEND && e->stream == s && e->incarnation == f->incarnation;
            if (asked)
                check_maker(c, s, seq, e);
            else
                verdict_add(c->v, c->h, RULE_FOREIGN, NULL, 0,
                            "%s: record %" PRIu64 ", signed w%" PRIu32 ".%" PRIu32 ".%" PRIu32,
                            st->name, seq, f->worker, f->incarnation, f->index);
        }
    }
}

/* --- Answers against the records -------------------------------------------------------- */

/* The guard was looked at, and stood where it should. */
static void place_guard(Check *c, size_t worker, size_t index, const Entry *e)
{
    if (e->guard == HISTORY_NO_STREAM)
        return;
    const Stream *guard = &c->h->streams[e->guard];
    Culprit one = { worker, index };
    if (e->guard_seq <= guard->n)
        order_place(&c->order, worker, index, e->guard, ROLE_GUARD, e->guard_seq);
    else
        verdict_add(c->v, c->h, RULE_GUARD, &one, 1, "%s never came to %" PRIu64, guard->name,
                    e->guard_seq);
}

/* An append without a record of its own was answered JOT_OK: its id must have been there. */
static void check_repeat(Check *c, size_t worker, size_t index, const Entry *e)
{
    const Stream *st = &c->h->streams[e->stream];
    const Found *f = stream_head(st, e->seq);
    Culprit one = { worker, index };
    if (e->id && f && f->id == e->id && found_is(f, e) && mark_fits(e, st, e->seq))
        order_vague(&c->order, worker, index, e->stream, ROLE_SAW);
    else
        verdict_add(c->v, c->h, RULE_LOST, &one, 1, "%s: record %" PRIu64 " is %s", st->name,
                    e->seq, f ? "somebody else's" : "not there");
}

static void check_success(Check *c, size_t worker, size_t index, const Entry *e)
{
    uint64_t seq = c->made[worker][index];
    const Stream *st = &c->h->streams[e->stream];
    Culprit one = { worker, index };
    if (seq == 0) {
        if (e->answered)
            check_repeat(c, worker, index, e);
        return;
    }
    if (e->answered && (e->seq != seq || !mark_fits(e, st, seq)))
        verdict_add(c->v, c->h, RULE_LOST, &one, 1, "%s: its record is %" PRIu64, st->name, seq);
    order_place(&c->order, worker, index, e->stream, ROLE_MADE, seq);
    place_guard(c, worker, index, e);
}

/* Refused in one known state: is that state against it? */
static void check_refusal(Check *c, size_t worker, size_t index, const Entry *e, uint64_t state)
{
    const Stream *st = &c->h->streams[e->stream];
    Culprit one = { worker, index };
    bool shows_head = e->status != JOT_NOT_FOUND;
    if (shows_head && (state > st->n || !mark_fits(e, st, state)))
        verdict_add(c->v, c->h, RULE_HEAD, &one, 1, "%s has %zu records", st->name, st->n);
    else if (state > st->n || !answer_fits(e, st, state))
        verdict_add(c->v, c->h, id_found(e, st, state) ? RULE_ID : RULE_REFUSED, &one, 1,
                    "%s: in state %" PRIu64 " that is wrong", st->name, state);
    else
        order_place(&c->order, worker, index, e->stream, ROLE_SAW, state);
}

static bool append_status(jot_status status)
{
    return status == JOT_OK || status == JOT_CONFLICT || status == JOT_FENCED ||
           status == JOT_NOT_FOUND || status == JOT_ID_REUSED;
}

static void check_append(Check *c, size_t worker, size_t index, const Entry *e)
{
    Culprit one = { worker, index };
    uint64_t state;
    bool unknown = !e->answered || e->status == JOT_OK;
    if (unknown) {
        check_success(c, worker, index, e);
        return;
    }
    if (e->status == JOT_UNAVAILABLE && e->flags & ENTRY_OUTAGE)
        return; /* it made no record: check_maker would have said so */
    if (!append_status(e->status)) {
        verdict_add(c->v, c->h, RULE_STATUS, &one, 1, "%s", status_info(e->status)->name);
        return;
    }
    if ((e->status == JOT_FENCED && e->guard == HISTORY_NO_STREAM) ||
        (e->status == JOT_NOT_FOUND && e->op != OP_DELETE) ||
        (e->status == JOT_ID_REUSED && !e->id)) {
        verdict_add(c->v, c->h, RULE_REFUSED, &one, 1, "there is no ground for %s",
                    status_info(e->status)->name);
        return;
    }
    if (answer_state(e, &state))
        check_refusal(c, worker, index, e, state);
    else
        order_vague(&c->order, worker, index, e->stream, ROLE_SAW);
    if (e->status == JOT_FENCED)
        order_vague(&c->order, worker, index, e->guard, ROLE_GUARD);
    else if (e->status != JOT_ID_REUSED)
        place_guard(c, worker, index, e);
}

/* A read shows records that are there, each as it is. */
static bool read_is_true(const Entry *e, const Stream *st)
{
    uint64_t from = e->expect_seq ? e->expect_seq : 1;
    if (e->count == 0)
        return true;
    if (e->seq > st->n || e->seq != from + e->count - 1)
        return false;
    Hash digest = { 0 };
    for (uint64_t seq = from; seq <= e->seq; seq++)
        digest = digest_add(digest, seq, &stream_head(st, seq)->sha);
    return hash_eq(digest, e->sha);
}

static void check_look(Check *c, size_t worker, size_t index, const Entry *e)
{
    const Stream *st = &c->h->streams[e->stream];
    Culprit one = { worker, index };
    uint64_t state;
    if (e->status != JOT_OK && e->status != JOT_NOT_FOUND) {
        verdict_add(c->v, c->h, RULE_STATUS, &one, 1, "%s", status_info(e->status)->name);
        return;
    }
    if (e->kind == ENTRY_READ && e->status == JOT_OK && !read_is_true(e, st)) {
        verdict_add(c->v, c->h, RULE_HEAD, &one, 1, "%s: these records never were", st->name);
        return;
    }
    bool needs_seq = e->kind == ENTRY_HEAD && e->which != HEAD_VALUE && e->status == JOT_OK;
    if (needs_seq && e->seq == 0)
        verdict_add(c->v, c->h, RULE_HEAD, &one, 1, "%s: nobody edits it from outside", st->name);
    else if (!answer_state(e, &state))
        order_vague(&c->order, worker, index, e->stream, ROLE_SAW);
    else if (state <= st->n && answer_fits(e, st, state))
        order_place(&c->order, worker, index, e->stream, ROLE_SAW, state);
    else
        verdict_add(c->v, c->h, RULE_HEAD, &one, 1, "%s has %zu records", st->name, st->n);
}

static void check_entry(Check *c, size_t worker, size_t index)
{
    const Entry *e = &c->h->logs[worker].items[index];
    Culprit one = { worker, index };
    if (e->flags & ENTRY_BAD_VALUE)
        verdict_add(c->v, c->h, RULE_VALUE, &one, 1, "the worker saw it");
    if (e->flags & ENTRY_BAD_LISTING)
        verdict_add(c->v, c->h, RULE_LISTING, &one, 1, "the worker saw it");
    bool call = e->kind != ENTRY_LISTED && e->kind != ENTRY_UNLISTED;
    c->v->operations += call && e->answered;
    c->v->unanswered += call && !e->answered;
    c->v->appends += e->kind == ENTRY_APPEND && e->answered;
    if (e->kind == ENTRY_APPEND)
        check_append(c, worker, index, e);
    else if (e->kind == ENTRY_LIST && e->answered && e->status != JOT_OK)
        verdict_add(c->v, c->h, RULE_STATUS, &one, 1, "%s", status_info(e->status)->name);
    else if (e->kind != ENTRY_LIST && e->answered)
        check_look(c, worker, index, e);
}

/* --- Racing ----------------------------------------------------------------------------- */

typedef struct Span {
    uint64_t invoke_ns, answer_ns;
    uint16_t stream, worker;
} Span;

static int by_stream_and_start(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return x->invoke_ns < y->invoke_ns ? -1 : x->invoke_ns > y->invoke_ns;
}

/* Spans of one stream, by start: one races if a span of another worker that began earlier is
 * still open when it begins, or if another worker's begins before it ends. */
static uint64_t count_racing(const Span *spans, size_t n)
{
    uint64_t racing = 0;
    size_t *next_other = mem_alloc((n + 1) * sizeof *next_other);
    for (size_t i = n; i-- > 0;) {
        bool same = i + 1 < n && spans[i + 1].worker == spans[i].worker;
        next_other[i] = same ? next_other[i + 1] : i + 1;
    }
    uint64_t open_until[HISTORY_WORKERS_MAX] = { 0 };
    for (size_t i = 0; i < n; i++) {
        const Span *s = &spans[i];
        size_t next = next_other[i];
        bool races = next < n && spans[next].invoke_ns < s->answer_ns;
        for (size_t w = 0; w < HISTORY_WORKERS_MAX; w++)
            races = races || (w != s->worker && open_until[w] > s->invoke_ns);
        racing += races;
        if (s->answer_ns > open_until[s->worker])
            open_until[s->worker] = s->answer_ns;
    }
    free(next_other);
    return racing;
}

static void measure_racing(const History *h, Verdict *v)
{
    size_t n = 0;
    Span *spans = mem_alloc((v->appends + 1) * sizeof *spans);
    for (size_t w = 0; w < h->log_n; w++)
        for (size_t i = 0; i < h->logs[w].n; i++) {
            const Entry *e = &h->logs[w].items[i];
            if (e->kind == ENTRY_APPEND && e->answered)
                spans[n++] = (Span){ e->invoke_ns, e->answer_ns, e->stream, (uint16_t)w };
        }
    qsort(spans, n, sizeof *spans, by_stream_and_start);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && spans[end].stream == spans[i].stream;)
            end++;
        v->racing += count_racing(spans + i, end - i);
    }
    free(spans);
}

bool checker_run(const History *h, Verdict *out)
{
    *out = (Verdict){ 0 };
    Check c = { .h = h, .v = out, .order = { .h = h } };
    for (size_t w = 0; w < h->log_n; w++)
        c.made[w] = mem_alloc((h->logs[w].n + 1) * sizeof *c.made[w]);
    check_records(&c);
    for (size_t w = 0; w < h->log_n; w++)
        for (size_t i = 0; i < h->logs[w].n; i++)
            check_entry(&c, w, i);
    order_check(&c.order, out);
    measure_racing(h, out);
    order_done(&c.order);
    for (size_t w = 0; w < h->log_n; w++)
        free(c.made[w]);
    return out->first == RULE_NONE;
}
