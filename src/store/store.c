/* store.c - the gatekeeper: every argument and limit is checked here, once, for all engines, and
 * what a reader gets is verified on its way out.
 *
 *     caller            store.c                engine                    seal.c
 *     ------            -------                ------                    ------
 *     append  ------->  names, limits,
 *                       may it write?  ----->  lock, repair, head  --->  id seen before?
 *                                                                        guard, fence, condition
 *                                              store it  <-------------  the record, or why not
 *     mark    <-------  what changed   <-----  unlock
 *
 *     read    ------->  names, limits  ----->  records
 *     records <-------  hash of each body,
 *                       chain of each pair
 *
 * What this file keeps true:
 *   1. An engine sees only names, sizes and texts within the limits, and checks none again.
 *   2. Records that are read are what their headers say: bodies have their hash,
 *      neighbours their chain.  A head is checked by the engine, which has its bytes
 *      at hand; so are bodies by an engine whose codec does it.
 *   3. In a child made by fork no call reaches an engine.
 *
 * name.c says what a stream may be called, seal.c decides appends. */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/boot.h"
#include "base/json.h"
#include "base/process.h"
#include "base/utf8.h"
#include "store/engine.h"
#include "store/record.h"

/* How long a server may take to answer. */
#define ANSWER_MS ((int64_t)10000)

/* Adding an engine is one file and one line here. */
static const StoreOps *const engines[] = {
    &files_ops, &sqlite_ops, &postgres_ops, &redis_ops, &s3_ops, &mem_ops,
};

/* --- Arguments ------------------------------------------------------------------------- */

jot_status store_check_by(Str by, Err *e)
{
    Shown shown;
    if (by.n > STORE_BY_MAX || !utf8_valid(by) || utf8_control_at(by) < by.n)
        return err_set(
            e, JOT_INVALID,
            "invalid author '%s': use at most %d bytes of UTF-8 without control characters",
            err_show(&shown, by), STORE_BY_MAX);
    if (str_eq(by, S(STORE_OUTSIDE)))
        return err_set(e, JOT_INVALID, "the author '%s' stands for edits made outside Jotter",
                       STORE_OUTSIDE);
    return JOT_OK;
}

static jot_status check_meta(Str meta, Err *e)
{
    if (meta.n == 0)
        return JOT_OK;
    if (meta.n > STORE_META_MAX)
        return err_set(e, JOT_TOO_BIG, "meta of %zu bytes: the limit is %d", meta.n,
                       STORE_META_MAX);
    json_t *value = NULL;
    if (json_read(meta, &value, e) != JOT_OK)
        return err_at(e, "meta");
    bool object = json_is_object(value);
    json_decref(value);
    return object ? JOT_OK : err_set(e, JOT_INVALID, "meta must be a JSON object");
}

static jot_status check_id(Str id, Err *e)
{
    Shown shown;
    if (id.n > STORE_ID_MAX || !utf8_valid(id) || utf8_control_at(id) < id.n)
        return err_set(e, JOT_INVALID,
                       "invalid id '%s': use at most %d bytes of UTF-8 without control characters",
                       err_show(&shown, id), STORE_ID_MAX);
    return JOT_OK;
}

static jot_status check_draft(Str stream, const Draft *d, Err *e)
{
    if (d->op != OP_PUT && d->op != OP_DELETE && d->op != OP_APPEND)
        return err_set(e, JOT_INVALID, "op must be put, delete or append");
    if (d->op == OP_APPEND && store_kind(stream)->document)
        return err_set(e, JOT_INVALID, "%s/ holds documents: write them with put",
                       store_kind(stream)->name);
    TRY(store_check_by(d->by, e));
    TRY(check_id(d->id, e));
    TRY(check_meta(d->meta, e));
    if (d->body.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "body of %zu bytes: the limit is %d", d->body.n,
                       STORE_BODY_MAX);
    if (d->op == OP_DELETE && d->body.n)
        return err_set(e, JOT_INVALID, "a delete has no body");
    if (d->fence > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a fence token is at most %lld", (long long)STORE_SEQ_MAX);
    return JOT_OK;
}

static const Expect expect_any = { .kind = EXPECT_ANY };

static jot_status check_expect(Str stream, const Expect *x, Err *e)
{
    if ((unsigned)x->kind > EXPECT_HASH)
        return err_set(e, JOT_INVALID, "expect must be any, absent, a seq or a sha256");
    if (x->guard.n == 0)
        return JOT_OK;
    if (store_check_name(x->guard, e) != JOT_OK)
        return err_at(e, "guard");
    if (str_eq(x->guard, stream))
        return err_set(e, JOT_INVALID, "a stream cannot guard itself: expect its seq instead");
    return JOT_OK;
}

/* --- Shared sentences ------------------------------------------------------------------ */

jot_status store_not_found(Err *e, Str stream)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "'%s' not found", err_show(&shown, stream));
}

jot_status store_all_lost(Err *e, Str stream)
{
    Shown shown;
    return err_set(e, JOT_NOT_FOUND, "'%s' not found: its only record was damaged",
                   err_show(&shown, stream));
}

/* What was met last is a loss, which doors warn of. */
static void count_loss(Store *s)
{
    s->report.lost++;
    memcpy(s->report.loss, s->report.last, sizeof s->report.loss);
}

void store_met_lost(Store *s, Str stream, const Mark *head)
{
    Shown shown;
    store_met(s, &s->report.damaged,
              "record %llu of '%s' was damaged and cannot be read: record %llu counts",
              (unsigned long long)mark_last(head), err_show(&shown, stream),
              (unsigned long long)head->seq);
    count_loss(s);
}

void store_met_foreign(Store *s, Str stream, uint64_t seq, const char *what)
{
    Shown shown;
    store_met(s, &s->report.damaged, "record %llu of '%s' is %s", (unsigned long long)seq,
              err_show(&shown, stream), what);
    count_loss(s);
}

jot_status store_name_taken(Err *e, Str stream, Str other)
{
    Shown a, b;
    bool above = str_starts(stream, other);
    return err_set(e, JOT_INVALID, "cannot create '%s': '%s' %s", err_show(&a, stream),
                   err_show(&b, other),
                   above ? "is not a directory" : "is in it, so it is a directory");
}

jot_status store_refuse_write(const Store *s, Err *e)
{
    return err_set(e, JOT_READ_ONLY, "this pad is open read-only: %s", s->read_only_why);
}

void store_met(Store *s, uint64_t *counter, const char *fmt, ...)
{
    (*counter)++;
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->report.last, sizeof s->report.last, fmt, args);
    va_end(args);
}

/* --- The operations -------------------------------------------------------------------- */

void store_init(Store *s, const StoreOps *ops, const StoreOptions *o)
{
    assert(ops->close && ops->head && ops->read && ops->list && ops->changes && ops->promise);
    s->ops = ops;
    s->io = o->io ? o->io : &io_system;
    s->pid = process_id();
    s->answer_ms = ANSWER_MS;
    s->wait_ms = o->wait_ms == 0 ? STORE_WAIT_MS : o->wait_ms < 0 ? 0 : o->wait_ms;
    if (o->read_only)
        snprintf(s->read_only_why, sizeof s->read_only_why, "it was asked for");
}

jot_status store_check_mine(const Store *s, Err *e)
{
    if (s->pid == 0 || s->pid == process_id())
        return JOT_OK;
    return err_set(
        e, JOT_INVALID,
        "this pad was opened before this process was forked: open it again in this process");
}

static jot_status check_writable(const Store *s, Err *e)
{
    return s->read_only_why[0] ? store_refuse_write(s, e) : JOT_OK;
}

/* Remember a change that was acknowledged; anyone who cannot be answered hears of it otherwise. */
static jot_status changed(Store *s, Str stream, const Mark *head, jot_status st)
{
    StoreReport *r = &s->report;
    if (st != JOT_OK)
        return st;
    r->changes++;
    snprintf(r->changed, sizeof r->changed, STR_FMT, STR_ARG(stream));
    r->mark = head ? *head : (Mark){ 0 };
    return JOT_OK;
}

jot_status store_append(Store *s, Str stream, const Expect *expect, const Draft *draft, Mark *out,
                        Err *e)
{
    assert(s && draft && out);
    *out = (Mark){ 0 };
    TRY(store_check_mine(s, e));
    TRY(store_check_name(stream, e));
    const Expect *x = expect ? expect : &expect_any;
    TRY(check_expect(stream, x, e));
    TRY(check_draft(stream, draft, e));
    /* Last: a caller learns what is wrong with what it asks also where nothing can be written. */
    TRY(check_writable(s, e));
    return changed(s, stream, out, s->ops->append(s, stream, x, draft, out, e));
}

/* One of many whose turn has not come yet. */
static bool is_due(const Append *a)
{
    return a->status == JOT_CANCELLED;
}

/* May it be tried at all?  If not, its status says why. */
static bool check_one(Append *a)
{
    Err *e = &a->why;
    *e = (Err){ 0 };
    a->mark = (Mark){ 0 };
    a->status = store_check_name(a->stream, e);
    if (a->status == JOT_OK)
        a->status = check_expect(a->stream, &a->expect, e);
    if (a->status == JOT_OK)
        a->status = check_draft(a->stream, &a->draft, e);
    if (a->status == JOT_OK)
        a->status = JOT_CANCELLED;
    return is_due(a);
}

jot_status store_append_many(Store *s, Append *items, size_t n, Err *e)
{
    assert(s && (items || n == 0));
    TRY(store_check_mine(s, e));
    if (n > STORE_MANY_MAX)
        return err_set(e, JOT_TOO_BIG, "at most %d appends at once", STORE_MANY_MAX);
    TRY(check_writable(s, e));
    /* One that is refused here takes no part in the rest, and no room. */
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += check_one(&items[i]) ? items[i].draft.body.n : 0;
    if (n > 1 && bytes > STORE_MANY_BYTES)
        return err_set(e, JOT_TOO_BIG, "at most %d bytes at once", STORE_MANY_BYTES);
    if (s->ops->append_many)
        TRY(s->ops->append_many(s, items, n, e));
    /* What the engine left: all, if it has no step for many; else what was not simple, such as one
     * whose condition did not hold, which is answered with the head as it is now. */
    for (size_t i = 0; i < n; i++) {
        Append *a = &items[i];
        if (is_due(a))
            a->status = s->ops->append(s, a->stream, &a->expect, &a->draft, &a->mark, &a->why);
        a->status = changed(s, a->stream, &a->mark, a->status);
    }
    return JOT_OK;
}

/* Bodies came from outside the process: they must be what their header says. */
static jot_status check_record(Str stream, const Record *r, Err *e)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return JOT_OK;
    if (r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256))
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_CORRUPT, "record %llu of '%s' does not have the hash in its header",
                   (unsigned long long)m->seq, err_show(&shown, stream));
}

jot_status store_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    assert(s && into && out);
    TRY(store_check_mine(s, e));
    TRY(store_check_name(stream, e));
    return s->ops->head(s, stream, want, into, out, e);
}

/* A body that is not what its header says is passed over.  A record that does not continue the one
 * before it is itself whole, so it is returned; but something is missing or was put there. */
static void pass_over_damaged(Store *s, Str stream, Records *got)
{
    size_t kept = 0;
    Err e = { 0 };
    uint64_t before = got->damaged;
    for (size_t i = 0; i < got->n; i++) {
        if (!s->ops->bodies_checked && check_record(stream, &got->items[i], &e) != JOT_OK) {
            got->damaged++;
            continue;
        }
        /* In front of the first one ever there is nothing, and that is known too. */
        Mark last = kept ? got->items[kept - 1].mark : (Mark){ 0 };
        bool neighbours = last.seq + 1 == got->items[i].mark.seq;
        if (neighbours && store_check_next(stream, &last, &got->items[i], &e) != JOT_OK)
            got->damaged++;
        got->items[kept++] = got->items[i];
    }
    got->n = kept;
    if (got->damaged > before)
        store_met(s, &s->report.damaged, "%.150s", e.text);
}

jot_status store_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    assert(s && into && out);
    TRY(store_check_mine(s, e));
    TRY(store_check_name(stream, e));
    if (range.limit == 0 || range.limit > STORE_READ_MAX)
        return err_set(e, JOT_INVALID, "a read takes 1 to %d records", STORE_READ_MAX);
    if (range.from > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a seq is at most %lld", (long long)STORE_SEQ_MAX);
    Records got = { 0 };
    /* A page of which everything was passed over is empty, and to a reader an empty page is the end
     * of the stream: so the next one is read, until there is something or nothing is left. */
    for (bool again = true; again;) {
        uint64_t damaged = got.damaged;
        TRY(s->ops->read(s, stream, range, into, &got, e));
        range.from = got.n ? got.items[got.n - 1].mark.seq + 1 : range.from;
        again = got.n && got.more;
        pass_over_damaged(s, stream, &got);
        got.damaged += damaged;
        again = again && got.n == 0; /* all of these were damaged */
    }
    *out = got;
    return JOT_OK;
}

jot_status store_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    assert(s && q && into && out);
    TRY(store_check_mine(s, e));
    if (q->limit == 0 || q->limit > STORE_LIST_MAX)
        return err_set(e, JOT_INVALID, "a list takes 1 to %d names", STORE_LIST_MAX);
    if (store_check_prefix(q->prefix, e) != JOT_OK)
        return err_at(e, "prefix");
    if (q->after.n && store_check_name(q->after, e) != JOT_OK)
        return err_at(e, "after");
    TRY(s->ops->list(s, q, into, out, e));
    assert(out->n <= q->limit);
    /* Who asks for names gets names on every engine, also on those that have the heads at hand:
     * nobody can come to rely on what another engine would have to fetch. */
    for (size_t i = 0; !list_takes_heads(q->which) && i < out->n; i++)
        out->items[i] = (Listed){ .name = out->items[i].name };
    return JOT_OK;
}

jot_status store_changes(Store *s, const Cursor *cursor, int64_t wait_ms, Arena *into, Changes *out,
                         Err *e)
{
    static const Cursor start = { "" };
    assert(s && into && out);
    TRY(store_check_mine(s, e));
    const Cursor *from = cursor ? cursor : &start;
    if (!memchr(from->text, 0, sizeof from->text))
        return err_set(e, JOT_INVALID, "a cursor has at most %d bytes", STORE_CURSOR_MAX - 1);
    return s->ops->changes(s, from, wait_ms < 0 ? 0 : wait_ms, into, out, e);
}

/* What is asked of every forgetting. */
static jot_status check_forget(Store *s, Str stream, const Expect *x, Err *e)
{
    TRY(store_check_mine(s, e));
    TRY(store_check_name(stream, e));
    TRY(check_expect(stream, x, e));
    return check_writable(s, e);
}

jot_status store_trim(Store *s, Str stream, const Expect *expect, uint64_t before,
                      uint64_t *dropped, Err *e)
{
    assert(s && dropped);
    *dropped = 0;
    const Expect *x = expect ? expect : &expect_any;
    TRY(check_forget(s, stream, x, e));
    jot_status st = s->ops->trim(s, stream, x, before, dropped, e);
    return *dropped ? changed(s, stream, NULL, st) : st;
}

jot_status store_redact(Store *s, Str stream, const Expect *expect, uint64_t seq, Err *e)
{
    return store_redact_set(s, stream, expect, &(Redaction){ &seq, 1, true }, e);
}

jot_status store_redact_set(Store *s, Str stream, const Expect *expect, const Redaction *r, Err *e)
{
    assert(s && r);
    const Expect *x = expect ? expect : &expect_any;
    TRY(check_forget(s, stream, x, e));
    if (r->n == 0 || r->n > STORE_REDACT_MAX)
        return err_set(e, JOT_INVALID, "1 to %d records are redacted in one step",
                       STORE_REDACT_MAX);
    /* An engine that goes through the stream once meets them in this order. */
    for (size_t i = 1; i < r->n; i++)
        if (r->seqs[i] <= r->seqs[i - 1])
            return err_set(e, JOT_INVALID, "the seqs of records to redact must ascend");
    return changed(s, stream, NULL, s->ops->redact(s, stream, x, r, e));
}

jot_status store_purge(Store *s, Str stream, const Expect *expect, Str by, Mark *out, Err *e)
{
    assert(s && out);
    *out = (Mark){ 0 };
    const Expect *x = expect ? expect : &expect_any;
    TRY(store_check_by(by, e));
    TRY(check_forget(s, stream, x, e));
    return changed(s, stream, out, s->ops->purge(s, stream, x, by, out, e));
}

jot_status store_forget_before(Store *s, Str stream, const Expect *expect, uint64_t seq, Err *e)
{
    assert(s);
    const Expect *x = expect ? expect : &expect_any;
    TRY(check_forget(s, stream, x, e));
    return changed(s, stream, NULL, s->ops->forget_before(s, stream, x, seq, e));
}

jot_status store_scrub(Store *s, Err *e)
{
    assert(s);
    return s->ops->scrub ? s->ops->scrub(s, e) : JOT_OK;
}

jot_status store_forget_quarantined(Store *s, Str stream, bool (*holds)(void *ctx, Str text),
                                    void *ctx, QuarantineCount *out, Err *e)
{
    assert(s && holds && out);
    *out = (QuarantineCount){ 0 };
    TRY(store_check_mine(s, e));
    if (stream.n)
        TRY(store_check_name(stream, e));
    TRY(check_writable(s, e));
    if (!s->ops->forget_quarantined)
        return JOT_OK;
    jot_status st = s->ops->forget_quarantined(s, stream, holds, ctx, out, e);
    return out->removed ? changed(s, stream, NULL, st) : st;
}

static bool count_one(void *ctx, Str text)
{
    uint64_t *n = ctx;
    (void)text;
    ++*n;
    return false; /* it stays */
}

jot_status store_count_quarantined(Store *s, uint64_t *out, Err *e)
{
    QuarantineCount count = { 0 };
    *out = 0;
    TRY(store_check_mine(s, e));
    if (!s->ops->forget_quarantined)
        return JOT_OK;
    TRY(s->ops->forget_quarantined(s, (Str){ 0 }, count_one, out, &count, e));
    *out += count.unread;
    return JOT_OK;
}

/* Members of a newer version lie in a record's line as they are, so the codec must give back what
 * it was given. */
static jot_status check_extra(Str extra, Err *e)
{
    if (extra.n == 0)
        return JOT_OK;
    if (extra.n > STORE_EXTRA_MAX)
        return err_set(e, JOT_TOO_BIG, "members of a newer version take %zu bytes: the limit is %d",
                       extra.n, STORE_EXTRA_MAX);
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) line = { 0 };
    Record back = { .mark = { .seq = 1, .op = OP_PUT, .sha256 = hash_of(S("")) }, .extra = extra };
    record_write(&line, &back, RECORD_NESTED);
    bool one_line = str_find(extra, '\n') == extra.n && str_find(extra, '\r') == extra.n;
    if (!one_line || record_read(buf_str(&line), RECORD_ALL, &arena, &back, NULL) != JOT_OK ||
        !str_eq(back.extra, extra))
        return err_set(e, JOT_INVALID,
                       "members of a newer version must be those of JSON, on one "
                       "line, and none of this version's");
    return JOT_OK;
}

/* A verbatim record has passed store.c once before, somewhere; it is not believed. */
static jot_status check_verbatim(Str stream, const Record *r, Err *e)
{
    Draft d = { .op = r->mark.op, .id = r->id, .meta = r->meta, .body = r->body };
    if (!str_eq(r->by, S(STORE_OUTSIDE)))
        d.by = r->by;
    TRY(check_draft(stream, &d, e));
    if (r->mark.seq == 0 || r->mark.seq > STORE_SEQ_MAX || r->mark.at_ms < 0 ||
        r->mark.fence > STORE_SEQ_MAX)
        return err_set(e, JOT_INVALID, "a record's seq, time or fence is out of range");
    if (r->mark.size > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "body of %llu bytes: the limit is %d",
                       (unsigned long long)r->mark.size, STORE_BODY_MAX);
    TRY(check_extra(r->extra, e));
    if (r->mark.redacted && (r->body.n || r->mark.op == OP_DELETE))
        return err_set(e, JOT_INVALID, "a redacted record has no body and is not a tombstone");
    if (r->mark.op == OP_DELETE && (r->mark.size || !hash_is_zero(r->mark.sha256)))
        return err_set(e, JOT_INVALID, "a tombstone has no size and no sha256");
    return check_record(stream, r, e);
}

static jot_status put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    assert(s && b->items && b->n);
    TRY(store_check_mine(s, e));
    TRY(store_check_name(stream, e));
    TRY(check_expect(stream, x, e));
    /* All of them, before the first is stored: half a batch would be a history nobody wrote. */
    for (size_t i = 0; i < b->n; i++) {
        TRY(check_verbatim(stream, &b->items[i], e));
        const Mark *last = i ? &b->items[i - 1].mark : NULL;
        if (last)
            TRY(b->gaps ? store_check_behind(stream, last, &b->items[i], e)
                        : store_check_next(stream, last, &b->items[i], e));
    }
    TRY(check_writable(s, e));
    return changed(s, stream, &batch_last(b)->mark, s->ops->put_records(s, stream, x, b, e));
}

jot_status store_put_records(Store *s, Str stream, const Record *records, size_t n, Err *e)
{
    return put_records(s, stream, &expect_any, &(Batch){ records, n, false }, e);
}

jot_status store_place_records(Store *s, Str stream, const Expect *expect, const Record *records,
                               size_t n, Err *e)
{
    return put_records(s, stream, expect ? expect : &expect_any, &(Batch){ records, n, true }, e);
}

/* --- Time ------------------------------------------------------------------------------ */

void store_saw_clock(Store *s, int64_t now_ms)
{
    s->served_ms = s->io->served_ms ? s->io->served_ms(s->io->ctx) : now_ms;
    s->served_awake_ms = io_awake_ms(s->io);
}

int64_t store_now_ms(const Store *s)
{
    if (!s->ops->clock)
        return io_wall_ms(s->io);
    if (s->io->served_ms)
        return s->io->served_ms(s->io->ctx);
    return s->served_ms + (io_awake_ms(s->io) - s->served_awake_ms);
}

jot_status store_clock(Store *s, StoreTime *out, Err *e)
{
    assert(s && out);
    *out = (StoreTime){ 0 };
    TRY(store_check_mine(s, e));
    if (s->ops->clock)
        return s->ops->clock(s, out, e);
    TRY(boot_read(s->io, out->era, e));
    out->now_ms = io_awake_ms(s->io);
    return JOT_OK;
}

/* --- Being alive ----------------------------------------------------------------------- */

jot_status store_hold(Store *s, uint64_t number, Err *e)
{
    assert(s);
    if (number >> STORE_HOLD_BITS)
        return err_set(e, JOT_INVALID, "a number to hold has at most %d bits", STORE_HOLD_BITS);
    TRY(store_check_mine(s, e));
    if (!s->ops->hold)
        return err_set(e, JOT_UNSUPPORTED, "this engine cannot tell which handles are alive");
    TRY(check_writable(s, e));
    int got = s->ops->hold(s, number, true);
    if (got == -EAGAIN)
        return err_set(e, JOT_CONFLICT, "another handle holds %llu", (unsigned long long)number);
    if (got == -EOPNOTSUPP)
        return err_set(e, JOT_UNSUPPORTED, "this engine cannot tell which handles are alive");
    return got < 0 ? err_errno(e, -got, "could not hold %llu", (unsigned long long)number) : JOT_OK;
}

void store_let_go(Store *s, uint64_t number)
{
    if (s->ops->hold && !(number >> STORE_HOLD_BITS) && store_check_mine(s, NULL) == JOT_OK)
        (void)s->ops->hold(s, number, false);
}

bool store_held(Store *s, uint64_t number)
{
    /* What cannot be looked for may be held: to say no would end a lease that somebody has. */
    if (!s->ops->held || number >> STORE_HOLD_BITS || store_check_mine(s, NULL) != JOT_OK)
        return true;
    return s->ops->held(s, number);
}

/* --- Opening --------------------------------------------------------------------------- */

static bool serves(const StoreOps *engine, Str scheme)
{
    bool found = str_eq(scheme, str(engine->scheme));
    for (const char *const *also = engine->also; also && *also && !found; also++)
        found = str_eq(scheme, str(*also));
    return found;
}

jot_status store_open(Store **out, Str url, const StoreOptions *options, Err *e)
{
    static const StoreOptions plain = { 0 };
    assert(out);
    AUTO(Arena) arena = { 0 };
    Url parsed;
    TRY(url_parse(url, &arena, &parsed, e));
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        if (!serves(engines[i], parsed.scheme))
            continue;
        TRY(engines[i]->open(out, &parsed, options ? options : &plain, e));
        assert((*out)->ops == engines[i] && (*out)->io);
        (*out)->url = hash_of(url);
        return JOT_OK;
    }
    Shown shown;
    return err_set(e, JOT_UNSUPPORTED,
                   "no engine '%s': use files:DIR, sqlite:FILE, postgres://HOST/DATABASE, "
                   "redis://HOST, s3://BUCKET/PREFIX or mem:",
                   err_show(&shown, parsed.scheme));
}

void store_close(Store *s)
{
    /* A child's copy is left as it is: its descriptors are closed, or are the parent's concern. */
    if (s && store_check_mine(s, NULL) == JOT_OK)
        s->ops->close(s);
}

const StoreReport *store_report(const Store *s)
{
    return &s->report;
}

const char *store_read_only_why(const Store *s)
{
    return s->read_only_why;
}

StorePromise store_promise(const Store *s)
{
    return s->ops->promise(s);
}

jot_status store_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    assert(s && out);
    out[0] = 0;
    return s->ops->id ? s->ops->id(s, out, e) : JOT_OK;
}

/* Make a directory of the user's; one that is there is fine. */
static bool make_directory(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* $XDG_CACHE_HOME/jotter/ has the index of pads that have no directory of their own. */
static jot_status cache_path(const Store *s, Arena *into, Str *out, Err *e)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache && cache[0] == '/', own = home && home[0] == '/';
    if (!given && !own)
        return err_set(e, JOT_UNAVAILABLE, "there is no directory for caches: set XDG_CACHE_HOME");
    Str dir = given ? arena_printf(into, "%s", cache) : arena_printf(into, "%s/.cache", home);
    Str below = arena_printf(into, "%s/jotter", dir.p);
    if (!make_directory(dir.p) || !make_directory(below.p))
        return err_errno(e, errno, "could not make the directory for caches");
    *out = arena_printf(into, "%s/%.16s.index", below.p, hash_hex(s->url).text);
    return JOT_OK;
}

jot_status store_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    assert(s && into && out);
    *out = (Str){ 0 };
    return s->ops->index_path ? s->ops->index_path(s, into, out, e) : cache_path(s, into, out, e);
}
