/* copy.c - a pad moved from one store to another, with history.
 *
 * Each stream is brought over by itself: what the target already has is
 * compared, what it lacks is put behind it, and every record is read back.  A
 * copy that was interrupted goes on when it is started again.  Bodies that
 * were redacted at the source since the last copy are redacted at the target.
 *
 * A name can have become a directory since, or a directory a name: a stream
 * whose place is still taken waits until the others have been copied.
 *
 * A target whose history differs is never changed: the copy stops there. */
#include <assert.h>
#include <string.h>

#include "store/engine.h"

enum { BATCH = 256 };

typedef struct Copy {
    Store *from, *to;
    void (*progress)(void *ctx, const CopyCount *count);
    void *ctx;
    CopyCount count;
    uint64_t have;   /* the target's head in the stream at hand */
    uint64_t redact; /* its live value, redacted at the source: to be done behind its successor */
    Arena arena;     /* of the names below */
    Str *waiting;    /* streams whose place was taken */
    size_t waiting_n, waiting_cap;
} Copy;

static jot_status record_edits(Store *s, Str stream, Err *e)
{
    /* An append that cannot succeed: a conflict always answers with a head that exists. */
    Expect never = { .kind = EXPECT_SEQ, .seq = STORE_SEQ_MAX };
    Draft nothing = { .op = OP_PUT };
    Mark head;
    jot_status st = store_append(s, stream, &never, &nothing, &head, e);
    assert(st != JOT_OK);
    return st == JOT_CONFLICT ? JOT_OK : st;
}

jot_status store_each_recorded(Store *s, jot_status (*each)(void *ctx, Str stream, Err *e),
                               void *ctx, Err *e)
{
    char after[STORE_NAME_MAX];
    size_t after_n = 0;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(store_list(s, S(""), (Str){ after, after_n }, STORE_LIST_MAX, LIST_ALL, &arena, &page,
                       e));
        for (size_t i = 0; i < page.n; i++) {
            if (page.items[i].mark.seq == 0)
                TRY(record_edits(s, page.items[i].name, e));
            TRY(each(ctx, page.items[i].name, e));
        }
        more = page.more && page.n;
        if (page.n) {
            after_n = page.items[page.n - 1].name.n;
            memcpy(after, page.items[page.n - 1].name.p, after_n);
        }
    }
    return JOT_OK;
}

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
    if (source->mark.seq == c->have) {
        c->redact = c->have;
        return JOT_OK;
    }
    return store_redact(c->to, stream, NULL, source->mark.seq, e);
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

static jot_status copy_batch(Copy *c, Str stream, const Records *batch, Err *e)
{
    size_t known = 0;
    while (known < batch->n && batch->items[known].mark.seq <= c->have)
        known++;
    size_t fresh = batch->n - known;
    /* Known ones first: they decide whether the two histories are one. */
    TRY(compare(c, stream, batch->items, known, e));
    if (fresh) {
        TRY(store_put_records(c->to, stream, batch->items + known, fresh, e));
        TRY(compare(c, stream, batch->items + known, fresh, e));
        c->have = batch->items[batch->n - 1].mark.seq;
    }
    c->count.records += batch->n;
    c->count.copied += fresh;
    for (size_t i = 0; i < batch->n; i++)
        c->count.bytes += batch->items[i].body.n;
    if (c->progress)
        c->progress(c->ctx, &c->count);
    return JOT_OK;
}

static jot_status copy_stream(Copy *c, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    jot_status st = store_head(c->to, stream, HEAD_MARK, &arena, &head, e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    c->have = head.mark.seq;
    c->redact = 0;
    uint64_t from = 1;
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
        if (from == 1 && c->have && batch.items[0].mark.seq > c->have + 1)
            return err_set(e, JOT_CONFLICT,
                           "the source has trimmed what '%s' needs behind seq %llu",
                           err_show(&shown, stream), (unsigned long long)c->have);
        TRY(copy_batch(c, stream, &batch, e));
        from = batch.items[batch.n - 1].mark.seq + 1;
        more = batch.more;
    }
    if (c->have >= from)
        return differs(e, stream, from);
    if (c->redact)
        TRY(store_redact(c->to, stream, NULL, c->redact, e));
    c->count.streams++;
    return JOT_OK;
}

/* JOT_INVALID is the answer to a name that is taken. */
static jot_status copy_or_wait(void *copy, Str stream, Err *e)
{
    Copy *c = copy;
    jot_status st = copy_stream(c, stream, e);
    if (st != JOT_INVALID)
        return st;
    c->waiting =
        arena_grow(&c->arena, c->waiting, c->waiting_n, &c->waiting_cap, sizeof(Str), alignof(Str));
    c->waiting[c->waiting_n++] = arena_copy(&c->arena, stream);
    return JOT_OK;
}

/* Each round must help somebody, otherwise nothing ever will. */
static jot_status copy_waiting(Copy *c, Err *e)
{
    while (c->waiting_n) {
        Str *names = c->waiting;
        size_t n = c->waiting_n;
        c->waiting = NULL;
        c->waiting_n = c->waiting_cap = 0;
        for (size_t i = 0; i < n; i++)
            TRY(copy_or_wait(c, names[i], e));
        if (c->waiting_n == n)
            TRY(copy_stream(c, names[0], e));
    }
    return JOT_OK;
}

jot_status store_copy(Store *from, Store *to, void (*progress)(void *, const CopyCount *),
                      void *ctx, CopyCount *out, Err *e)
{
    assert(from && to && out && from != to);
    Copy c = { .from = from, .to = to, .progress = progress, .ctx = ctx };
    jot_status st = store_each_recorded(from, copy_or_wait, &c, e);
    if (st == JOT_OK)
        st = copy_waiting(&c, e);
    arena_free(&c.arena);
    *out = c.count;
    return st;
}
