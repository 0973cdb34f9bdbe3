/* seal.c - the one place in which an append is decided and a record is made.
 *
 * An engine shows the head, the newest records and the guard's seq under its own
 * lock; store_seal() answers with the record to store, or with why not.  It asks in
 * this order, and the order matters:
 *
 *     1. id      A retry of what was done must hear so, whatever happened since.
 *     2. guard   A lease that moved: the caller may not even learn of the head from here.
 *     3. fence   A token lower than one seen: somebody else has the lease now.
 *     4. expect  Only now the condition, which answers with the present head.
 *     5. room    Numbers end at 2^63 - 1.
 *
 * A record's seq, time, fence and chain follow from its predecessor by store_next()
 * and from nothing else:
 *
 *     seq   = seq + lost + 1      the numbers of lost records are never given again
 *     at    = max(now, at)        a clock that was set back makes time stand still
 *     fence = max(token, fence)
 *     chain = sha256(chain, sha256(header)), and the header has the body's hash, not the body:
 *             so a redacted record still verifies */
#include <assert.h>

#include "base/mutant.h"
#include "store/engine.h"

Hash record_chain(Hash previous, Str stream, const Record *r)
{
    const Mark *m = &r->mark;
    HashState h;
    hash_init(&h);
    hash_add_field(&h, stream);
    hash_add_u64(&h, m->seq);
    hash_add_u64(&h, (uint64_t)m->at_ms);
    hash_add_field(&h, r->by);
    hash_add_u64(&h, (uint64_t)m->op);
    hash_add_u64(&h, m->fence);
    hash_add_u64(&h, m->size);
    hash_add_field(&h, r->id);
    hash_add_field(&h, r->meta);
    hash_add_field(&h, r->extra);
    hash_add(&h, (Str){ (const char *)m->sha256.b, sizeof m->sha256.b });
    Hash header = hash_end(&h);
    hash_init(&h);
    hash_add(&h, (Str){ (const char *)previous.b, sizeof previous.b });
    hash_add(&h, (Str){ (const char *)header.b, sizeof header.b });
    return hash_end(&h);
}

Record store_next(Store *s, Str stream, const Draft *d, const Mark *head)
{
    assert(mark_last(head) < STORE_SEQ_MAX);
    Record r = { .by = d->by, .id = d->id, .meta = d->meta, .body = d->body };
    /* A draft may say when it was made, as an import does, but not that it is of the future: one
     * such record would move all that follow it, because time does not go back. */
    int64_t now = store_now_ms(s);
    if (d->at_ms > 0 && d->at_ms < now)
        now = d->at_ms;
    if (now < head->at_ms && !MUTANT(TIME_GOES_BACK))
        now = head->at_ms; /* the clock was set back: time stands still instead */
    uint64_t fence = d->fence > head->fence ? d->fence : head->fence;
    r.mark = (Mark){ .seq = mark_last(head) + 1,
                     .at_ms = now < 0 ? 0 : now,
                     .op = d->op,
                     .fence = fence,
                     .size = d->body.n };
    if (d->op != OP_DELETE)
        r.mark.sha256 = hash_of(d->body);
    r.mark.chain = record_chain(head->chain, stream, &r);
    assert(r.mark.seq == head->seq + head->lost + 1 && r.mark.fence >= head->fence);
    return r;
}

jot_status store_check_room(Str stream, const Mark *head, uint64_t n, Err *e)
{
    Shown shown;
    if (n <= STORE_SEQ_MAX - mark_last(head))
        return JOT_OK;
    return err_set(e, JOT_TOO_BIG, "'%s' cannot hold more records", err_show(&shown, stream));
}

jot_status store_check_next(Str stream, const Mark *head, const Record *r, Err *e)
{
    Shown shown;
    unsigned long long seq = r->mark.seq;
    /* A number left out is a lost record's, if the chain continues over it. */
    uint64_t last = mark_last(head);
    bool leaps = head->seq && r->mark.seq > last + 1 &&
                 !hash_eq(r->mark.chain, record_chain(head->chain, stream, r));
    if (last && (r->mark.seq <= last || leaps))
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' does not follow %llu", seq,
                       err_show(&shown, stream), (unsigned long long)last);
    if (head->seq && (r->mark.at_ms < head->at_ms || r->mark.fence < head->fence))
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' goes back in time or fence", seq,
                       err_show(&shown, stream));
    /* The first record ever has the chain of nothing; one that comes first because what stood
     * before it was trimmed has a predecessor that nobody knows any more. */
    bool anchored = head->seq || r->mark.seq == 1;
    if (anchored && !hash_eq(r->mark.chain, record_chain(head->chain, stream, r)))
        return err_set(e, JOT_CONFLICT, "the chain of record %llu of '%s' does not fit", seq,
                       err_show(&shown, stream));
    return JOT_OK;
}

jot_status store_check_behind(Str stream, const Mark *head, const Record *r, Err *e)
{
    Shown shown;
    unsigned long long seq = r->mark.seq;
    if (head->seq == 0 || r->mark.seq <= head->seq + 1) {
        /* A lost record may come back: from a copy, and with a chain that fits. */
        Mark there = *head;
        there.lost = 0;
        return store_check_next(stream, &there, r, e);
    }
    if (r->mark.at_ms < head->at_ms || r->mark.fence < head->fence)
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' goes back in time or fence", seq,
                       err_show(&shown, stream));
    return JOT_OK;
}

jot_status store_check_place(Str stream, const Batch *b, const Mark *before, const Record *after,
                             Err *e)
{
    Shown shown;
    assert(b->n > 0);
    const Record *last = batch_last(b);
    assert(last->mark.seq - b->items[0].mark.seq >= b->n - 1); /* store.c: they ascend */
    if (!b->gaps && !after)
        return store_check_next(stream, before, b->items, e);
    /* Between two records: both edges must fit, and no number may be there twice. */
    if (after && after->mark.seq == 0)
        return err_set(e, JOT_CORRUPT, "the newest record of '%s' cannot be read",
                       err_show(&shown, stream));
    if (after && last->mark.seq >= after->mark.seq)
        return err_set(e, JOT_CONFLICT, "record %llu of '%s' is there already",
                       (unsigned long long)after->mark.seq, err_show(&shown, stream));
    TRY(store_check_behind(stream, before, b->items, e));
    return after ? store_check_behind(stream, &last->mark, after, e) : JOT_OK;
}

/* --- Deciding an append ---------------------------------------------------------------- */

static const char *conflict_with(const Expect *x, const Mark *head)
{
    switch (x->kind) {
    case EXPECT_ANY:
        return NULL;
    case EXPECT_ABSENT:
        return mark_live(head) ? "it exists" : NULL;
    case EXPECT_SEQ:
        if (head->seq == x->seq && head->seq == 0 && head->lost)
            return "its only record was damaged and cannot be read";
        return head->seq != x->seq ? "it is not at that seq" : NULL;
    case EXPECT_HASH:
        return head->op == OP_PUT && hash_eq(head->sha256, x->sha256) ? NULL
                                                                      : "it is not that version";
    }
    return "the expectation is of no known kind";
}

static jot_status check_guard(Str stream, const Expect *x, uint64_t guard_seq, Err *e)
{
    Shown shown;
    if (x->guard.n == 0 || guard_seq == x->guard_seq)
        return JOT_OK;
    return err_set(e, JOT_FENCED, "'%s' was guarded by a lease that has changed",
                   err_show(&shown, stream));
}

bool store_must_report(const Expect *x, const Mark *head)
{
    /* A number that nobody can have seen is no condition: it asks for the head. */
    bool asked = x->kind == EXPECT_SEQ && x->seq > mark_last(head);
    return head->lost && !head->loss_reported && x->kind != EXPECT_ANY && !asked;
}

static jot_status check_head(Str stream, const Expect *x, const Mark *head, Err *e)
{
    Shown shown;
    if (store_must_report(x, head))
        return err_set(e, JOT_CONFLICT,
                       "'%s' has changed: record %llu was damaged and cannot be read (seq %llu "
                       "counts now)",
                       err_show(&shown, stream), (unsigned long long)mark_last(head),
                       (unsigned long long)head->seq);
    const char *wrong = conflict_with(x, head);
    if (!wrong)
        return JOT_OK;
    return err_set(e, JOT_CONFLICT, "'%s' has changed: %s (seq %llu now)", err_show(&shown, stream),
                   wrong, (unsigned long long)head->seq);
}

jot_status store_check_expect(Str stream, const Expect *x, const Mark *head, uint64_t guard_seq,
                              Err *e)
{
    TRY(check_guard(stream, x, guard_seq, e));
    return check_head(stream, x, head, e);
}

/* The record that carries the draft's id, or NULL. */
static const Record *find_id(const Sealing *a)
{
    assert(a->recent_n <= STORE_ID_WINDOW);
    for (size_t i = 0; a->draft->id.n && i < a->recent_n; i++)
        if (str_eq(a->recent[i].id, a->draft->id))
            return &a->recent[i];
    return NULL;
}

static bool same_content(const Draft *d, const Record *r)
{
    Hash sha256 = { 0 };
    if (d->op != OP_DELETE)
        sha256 = hash_of(d->body);
    return r->mark.op == d->op && str_eq(r->meta, d->meta) && hash_eq(r->mark.sha256, sha256);
}

jot_status store_seal(Store *s, const Sealing *a, Record *out, bool *again, Err *e)
{
    Shown shown;
    const Draft *d = a->draft;
    const Mark *head = a->head;
    const char *name = err_show(&shown, a->stream);
    assert(a->x && d && head && (a->recent_n == 0 || a->recent));
    *again = false;
    *out = (Record){ .mark = *head };
    /* 1. A retry.  Before everything else: the writer of the first try may have lost its lease, or
     * the head may have moved, and what it wrote is written all the same. */
    const Record *same = find_id(a);
    if (same && !MUTANT(ID_NOT_LOOKED_UP)) {
        out->mark = same->mark;
        if (!same_content(d, same))
            return err_set(e, JOT_ID_REUSED,
                           "the id was used for other content in record %llu of '%s'",
                           (unsigned long long)same->mark.seq, name);
        *again = true;
        return JOT_OK;
    }
    /* 2. and 3. Is the writer still the one it takes itself for? */
    TRY(check_guard(a->stream, a->x, a->guard_seq, e));
    if (d->fence && d->fence < head->fence && !MUTANT(FENCE_NOT_CHECKED))
        return err_set(e, JOT_FENCED, "'%s' was written under token %llu; %llu is too old", name,
                       (unsigned long long)head->fence, (unsigned long long)d->fence);
    /* 4. Is the stream as the writer saw it? */
    TRY(check_head(a->stream, a->x, head, e));
    if (d->op == OP_DELETE && !mark_live(head))
        return store_not_found(e, a->stream);
    TRY(store_check_room(a->stream, head, 1, e));
    *out = store_next(s, a->stream, d, head);
    return JOT_OK;
}

uint64_t store_trim_from(const Mark *head, uint64_t before)
{
    /* The newest records stay whatever was asked for: retries are recognised by their ids. */
    uint64_t keep = head->seq > STORE_ID_WINDOW ? head->seq - STORE_ID_WINDOW + 1 : 1;
    return before < keep ? before : keep;
}

jot_status store_check_redact(Str stream, const Mark *head, const Mark *m, Err *e)
{
    Shown shown;
    if (m->op == OP_DELETE)
        return err_set(e, JOT_INVALID, "record %llu of '%s' is a tombstone: there is no body",
                       (unsigned long long)m->seq, err_show(&shown, stream));
    if (m->seq == head->seq && m->op == OP_PUT)
        return err_set(e, JOT_INVALID,
                       "record %llu of '%s' is the live value: write a new version first",
                       (unsigned long long)m->seq, err_show(&shown, stream));
    return JOT_OK;
}
