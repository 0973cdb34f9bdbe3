/* copy.c - a pad moved from one store to another, with history.
 *
 * Each stream is brought over by itself: what the target already has is
 * compared, what it lacks is put behind it, and every record is read back.  A
 * copy that was interrupted goes on when it is started again.  Bodies that
 * were redacted at the source since the last copy are redacted at the target.
 *
 * A target whose history differs is never changed: the copy stops there. */
#include <assert.h>
#include <stdio.h>

#include "store/engine.h"

enum { BATCH = 256 };

typedef struct Copy {
    Store *from, *to;
    void (*progress)(void *ctx, const CopyCount *count);
    void *ctx;
    CopyCount count;
} Copy;

static jot_status differs(Err *e, Str stream, uint64_t seq)
{
    Shown shown;
    return err_set(e, JOT_CONFLICT, "record %llu of '%s' is another one in the target",
                   (unsigned long long)seq, err_show(&shown, stream));
}

static bool same_record(const Record *a, const Record *b)
{
    const Mark *m = &a->mark, *n = &b->mark;
    return m->seq == n->seq && m->at_ms == n->at_ms && m->op == n->op && m->fence == n->fence &&
           m->size == n->size && m->redacted == n->redacted && hash_eq(m->sha256, n->sha256) &&
           hash_eq(m->chain, n->chain) && str_eq(a->by, b->by) && str_eq(a->id, b->id) &&
           str_eq(a->meta, b->meta) && str_eq(a->extra, b->extra) && str_eq(a->body, b->body);
}

/* Compare the target's record with the source's; redact it if only that is missing. */
static jot_status settle(Copy *c, Str stream, const Record *source, const Record *target, Err *e)
{
    if (same_record(source, target))
        return JOT_OK;
    bool redact = source->mark.redacted && !target->mark.redacted;
    if (!redact || !hash_eq(source->mark.chain, target->mark.chain))
        return differs(e, stream, source->mark.seq);
    return store_redact(c->to, stream, source->mark.seq, e);
}

/* Records `want` as they stand in the target now, against the source's. */
static jot_status compare(Copy *c, Str stream, const Record *want, size_t n, Err *e)
{
    for (size_t done = 0; done < n;) {
        AUTO(Arena) arena = { 0 };
        Records got;
        TRY(store_read(c->to, stream, want[done].mark.seq, n - done, &arena, &got, e));
        if (got.n == 0)
            return differs(e, stream, want[done].mark.seq);
        for (size_t i = 0; i < got.n && done < n; i++, done++)
            TRY(settle(c, stream, &want[done], &got.items[i], e));
    }
    return JOT_OK;
}

static jot_status copy_batch(Copy *c, Str stream, const Records *batch, uint64_t *have, Err *e)
{
    size_t known = 0;
    while (known < batch->n && batch->items[known].mark.seq <= *have)
        known++;
    size_t fresh = batch->n - known;
    /* Known ones first: they decide whether the two histories are one. */
    TRY(compare(c, stream, batch->items, known, e));
    if (fresh) {
        TRY(store_put_records(c->to, stream, batch->items + known, fresh, e));
        TRY(compare(c, stream, batch->items + known, fresh, e));
        *have = batch->items[batch->n - 1].mark.seq;
    }
    c->count.records += batch->n;
    c->count.copied += fresh;
    for (size_t i = 0; i < batch->n; i++)
        c->count.bytes += batch->items[i].body.n;
    if (c->progress)
        c->progress(c->ctx, &c->count);
    return JOT_OK;
}

/* An edit from outside has no record yet.  An append that cannot succeed makes the source record
 * it: a conflict always answers with a head that exists. */
static jot_status record_edits(Copy *c, Str stream, Err *e)
{
    Expect never = { .kind = EXPECT_SEQ, .seq = STORE_SEQ_MAX };
    Draft nothing = { .op = OP_PUT };
    Mark head;
    jot_status st = store_append(c->from, stream, &never, &nothing, &head, e);
    assert(st != JOT_OK);
    return st == JOT_CONFLICT ? JOT_OK : st;
}

static jot_status copy_stream(Copy *c, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    jot_status st = store_head(c->to, stream, HEAD_MARK, &arena, &head, e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    uint64_t have = head.mark.seq, from = 1;
    for (bool more = true; more;) {
        AUTO(Arena) work = { 0 };
        Records batch;
        TRY(store_read(c->from, stream, from, BATCH, &work, &batch, e));
        Shown shown;
        if (batch.damaged)
            return err_set(e, JOT_CORRUPT, "'%s' has damaged records from seq %llu on",
                           err_show(&shown, stream), (unsigned long long)from);
        if (batch.n == 0)
            break;
        if (from == 1 && have && batch.items[0].mark.seq > have + 1)
            return err_set(e, JOT_CONFLICT,
                           "the source has trimmed what '%s' needs behind seq %llu",
                           err_show(&shown, stream), (unsigned long long)have);
        TRY(copy_batch(c, stream, &batch, &have, e));
        from = batch.items[batch.n - 1].mark.seq + 1;
        more = batch.more;
    }
    if (have >= from)
        return differs(e, stream, from);
    c->count.streams++;
    return JOT_OK;
}

jot_status store_copy(Store *from, Store *to, void (*progress)(void *, const CopyCount *),
                      void *ctx, CopyCount *out, Err *e)
{
    assert(from && to && out && from != to);
    Copy c = { .from = from, .to = to, .progress = progress, .ctx = ctx };
    char after[STORE_NAME_MAX];
    size_t after_n = 0;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(store_list(from, S(""), (Str){ after, after_n }, STORE_LIST_MAX, LIST_ALL, &arena,
                       &page, e));
        for (size_t i = 0; i < page.n; i++) {
            if (page.items[i].mark.seq == 0)
                TRY(record_edits(&c, page.items[i].name, e));
            TRY(copy_stream(&c, page.items[i].name, e));
            *out = c.count;
        }
        more = page.more && page.n;
        if (page.n) {
            Str last = page.items[page.n - 1].name;
            after_n = last.n;
            for (size_t i = 0; i < last.n; i++)
                after[i] = last.p[i];
        }
    }
    *out = c.count;
    return JOT_OK;
}
