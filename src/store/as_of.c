/* as_of.c - the engine that shows another store as it was.
 *
 *     seq        1     2     3     4     5     6
 *     at      10:00 10:05 10:05 11:30 12:00 12:10
 *                                  ^
 *     the past of 11:45:  head 4, read 1 to 4, listed if 4 is no tombstone
 *
 * Nothing is kept.  Time never goes back in a stream, so what was there at a moment is the
 * beginning of what is there now, and its end is found by halving.  What was trimmed or redacted
 * since is missing in the past, too. */
#include "store/as_of.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "store/engine.h"

typedef struct AsOf {
    Store base;
    Store *of;
    int64_t at_ms;
} AsOf;

static void as_of_close(Store *s)
{
    free(s);
}

/* --- One stream ------------------------------------------------------------------------------ */

/* The first record from a seq on; its seq is 0 if there is none. */
static jot_status first_from(AsOf *p, Str stream, uint64_t seq, Arena *into, Record *out, Err *e)
{
    Records got;
    TRY(store_read(p->of, stream, (SeqRange){ seq, 1 }, into, &got, e));
    *out = got.n ? got.items[0] : (Record){ 0 };
    return JOT_OK;
}

/* *old: there is a record at this seq or later that is not younger than the moment; *seq is its. */
static jot_status look_from(AsOf *p, Str stream, uint64_t from, bool *old, uint64_t *seq, Err *e)
{
    AUTO(Arena) scratch = { 0 };
    Record r;
    TRY(first_from(p, stream, from, &scratch, &r, e));
    *old = r.mark.seq && r.mark.at_ms <= p->at_ms;
    *seq = r.mark.seq;
    return JOT_OK;
}

/* The seq of the newest record that is not younger than the moment; 0: there is none. */
static jot_status last_seq(AsOf *p, Str stream, uint64_t *out, Err *e)
{
    /* Doubling until a record is too young, or there is none: `low` is old, `high` is not. */
    uint64_t low = 0, high = 1;
    bool old = true;
    for (; old && high < STORE_SEQ_MAX; high *= 2) {
        uint64_t seq;
        TRY(look_from(p, stream, high, &old, &seq, e));
        if (!old)
            break;
        low = seq;
        high = seq > high ? seq : high;
    }
    /* Then halving.  A number may be missing: the answer is about the next one that is there. */
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2, seq;
        TRY(look_from(p, stream, middle, &old, &seq, e));
        if (old)
            low = seq;
        else
            high = middle;
    }
    *out = low;
    return JOT_OK;
}

static jot_status as_of_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    AsOf *p = (AsOf *)s;
    uint64_t seq;
    /* A value alone may come without its time. */
    TRY(store_head(p->of, stream, want == HEAD_VALUE ? HEAD_RECORD : want, into, out, e));
    if (out->mark.at_ms <= p->at_ms)
        return JOT_OK;
    TRY(last_seq(p, stream, &seq, e));
    if (!seq)
        return store_not_found(e, stream);
    return first_from(p, stream, seq, into, out, e);
}

static jot_status as_of_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                             Err *e)
{
    AsOf *p = (AsOf *)s;
    TRY(store_read(p->of, stream, range, into, out, e));
    size_t n = out->n;
    while (out->n && out->items[out->n - 1].mark.at_ms > p->at_ms)
        out->n--;
    if (out->n < n)
        out->more = false;
    if (out->n || range.from > 1)
        return JOT_OK;
    return n ? store_not_found(e, stream) : JOT_OK;
}

/* --- All of them ----------------------------------------------------------------------------- */

/* What was listed as it was then; false: it was not there. */
static jot_status look_back(AsOf *p, Listed *l, Arena *into, bool *there, Err *e)
{
    Record r;
    *there = true;
    if (l->mark.at_ms <= p->at_ms)
        return JOT_OK;
    jot_status st = as_of_head(&p->base, l->name, HEAD_MARK, into, &r, e);
    *there = st == JOT_OK;
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    l->mark = r.mark;
    l->by = r.by;
    l->meta = r.meta;
    return JOT_OK;
}

static jot_status as_of_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    AsOf *p = (AsOf *)s;
    ListQuery ask = *q;
    ask.which = LIST_ALL; /* what is deleted now was perhaps not then */
    /* Of a page perhaps few were there then, so pages are read until there are enough.  A page that
     * fills up half-way is left there: the next list begins after the last name that was judged. */
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, q->limit), .more = true };
    while (out->more && out->n < q->limit) {
        Listing page;
        TRY(store_list(p->of, &ask, into, &page, e));
        size_t i = 0;
        for (; i < page.n && out->n < q->limit; i++) {
            bool there;
            Listed *l = &page.items[i];
            TRY(look_back(p, l, into, &there, e));
            if (there && (list_takes_all(q->which) || mark_live(&l->mark)))
                out->items[out->n++] = *l;
        }
        if (i)
            ask.after = page.items[i - 1].name;
        out->more = i < page.n || (page.more && page.n);
    }
    return JOT_OK;
}

/* The past does not change. */
static jot_status as_of_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into,
                                Changes *out, Err *e)
{
    (void)into, (void)e;
    io_sleep_us(s->io, wait_ms * 1000);
    *out = (Changes){ .next = *c };
    return JOT_OK;
}

static StorePromise as_of_promise(const Store *s)
{
    const AsOf *p = (const AsOf *)s;
    return store_promise(p->of);
}

static jot_status as_of_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    AsOf *p = (AsOf *)s;
    return store_id(p->of, out, e);
}

/* An index of the past would be another one for every moment. */
static jot_status as_of_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    (void)s, (void)into, (void)e;
    *out = S("");
    return JOT_OK;
}

/* Nothing is written, so what writes is never called: store.c refuses it. */
static const StoreOps as_of_ops = {
    .scheme = "past",
    .close = as_of_close,
    .head = as_of_head,
    .read = as_of_read,
    .bodies_checked = true,
    .list = as_of_list,
    .changes = as_of_changes,
    .promise = as_of_promise,
    .id = as_of_id,
    .index_path = as_of_index_path,
};

Store *store_as_of(Store *of, int64_t at_ms)
{
    assert(of);
    AsOf *p = mem_alloc(sizeof *p);
    StoreOptions o = { .io = of->io, .read_only = true };
    *p = (AsOf){ .of = of, .at_ms = at_ms };
    store_init(&p->base, &as_of_ops, &o);
    p->base.url = of->url;
    snprintf(p->base.read_only_why, sizeof p->base.read_only_why, "it is shown as it was at %s",
             time_text(at_ms).text);
    return &p->base;
}
