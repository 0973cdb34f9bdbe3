/* wrong.c - the layer that breaks one rule.
 *
 * Every function asks the good engine below and then spoils the question or the
 * answer.  What cannot be done wrong that way is pretended: for whoever looks
 * from outside it is the same. */
#include "wrong.h"

#include <stdlib.h>
#include <string.h>

typedef struct WrongStore {
    Store base;
    Store *inner;
    Wrong wrong;
    bool holds;                    /* HOLD_SEES_ITSELF: it holds something */
    int puts_left;                 /* STOPS_WORKING */
    char redacted[STORE_NAME_MAX]; /* CHANGES_FORGETS_REDACTION: this one, ... */
    size_t redacted_n;             /* ... until something else happens to it */
} WrongStore;

static const StoreOps wrong_ops;

const char *wrong_name(Wrong wrong)
{
    static const char *const names[] = { "NOTHING",
#define X(name, about) #name,
                                         WRONGS(X)
#undef X
    };
    return names[wrong];
}

const char *wrong_about(Wrong wrong)
{
    static const char *const abouts[] = { "all is well",
#define X(name, about) about,
                                          WRONGS(X)
#undef X
    };
    return abouts[wrong];
}

Store *wrong_wrap(Store *inner, Wrong wrong)
{
    WrongStore *w = mem_alloc(sizeof *w);
    store_init(&w->base, &wrong_ops, &(StoreOptions){ .io = inner->io, .wait_ms = inner->wait_ms });
    memcpy(w->base.read_only_why, inner->read_only_why, sizeof w->base.read_only_why);
    w->inner = inner;
    w->wrong = wrong;
    return &w->base;
}

void wrong_allow(Store *s, int puts)
{
    ((WrongStore *)s)->puts_left = puts;
}

Store *wrong_unwrap(Store *s)
{
    Store *inner = ((WrongStore *)s)->inner;
    free(s);
    return inner;
}

static void close_both(Store *s)
{
    store_close(wrong_unwrap(s));
}

/* --- Appending ------------------------------------------------------------------------- */

static Mark mark_of(WrongStore *w, Str stream)
{
    AUTO(Arena) arena = { 0 };
    Err e;
    Record r = { 0 };
    jot_status st = w->inner->ops->head(w->inner, stream, HEAD_MARK, &arena, &r, &e);
    return st == JOT_OK ? r.mark : (Mark){ 0 };
}

static bool fits(const Expect *x, const Mark *head)
{
    if (x->kind == EXPECT_ABSENT)
        return !mark_live(head);
    if (x->kind == EXPECT_SEQ)
        return head->seq == x->seq;
    return x->kind == EXPECT_ANY || (head->op == OP_PUT && hash_eq(head->sha256, x->sha256));
}

/* True if the 16th newest record, and so none of the 15 before it, has the id. */
static bool id_at_edge(WrongStore *w, Str stream, Str id, const Mark *head)
{
    AUTO(Arena) arena = { 0 };
    Err e;
    Records got = { 0 };
    if (!id.n || head->seq < STORE_ID_WINDOW)
        return false;
    uint64_t edge = head->seq - STORE_ID_WINDOW + 1;
    jot_status st = w->inner->ops->read(w->inner, stream, (SeqRange){ edge, 1 }, &arena, &got, &e);
    return st == JOT_OK && got.n && got.items[0].mark.seq == edge && str_eq(got.items[0].id, id);
}

/* Ask wrongly. */
static void spoil_question(WrongStore *w, Str stream, const Mark *head, Expect *x, Draft *d)
{
    if (w->wrong == WRONG_EXPECT_IGNORED)
        x->kind = EXPECT_ANY;
    if (w->wrong == WRONG_HASH_FITS_ENTRIES && x->kind == EXPECT_HASH && head->op == OP_APPEND &&
        hash_eq(x->sha256, head->sha256))
        x->kind = EXPECT_ANY;
    if (w->wrong == WRONG_GUARD_IGNORED)
        x->guard = (Str){ 0 };
    if (w->wrong == WRONG_FENCE_IGNORED && d->fence < head->fence)
        d->fence = 0;
    if (w->wrong == WRONG_ID_IGNORED || (w->wrong == WRONG_ID_AFTER_EXPECT && !fits(x, head)))
        d->id = (Str){ 0 };
    if (w->wrong == WRONG_ID_WINDOW_SHORT && id_at_edge(w, stream, d->id, head))
        d->id = (Str){ 0 };
    if (w->wrong == WRONG_BODY_STOPS_AT_NUL)
        d->body.n = str_find(d->body, 0);
}

/* Answer wrongly. */
static jot_status spoil_answer(WrongStore *w, Str stream, const Mark *head, const Draft *d,
                               jot_status st, Mark *out, Err *e)
{
    if (st == JOT_CONFLICT && w->wrong == WRONG_CONFLICT_BLIND)
        *out = (Mark){ 0 };
    if (st == JOT_CONFLICT && w->wrong == WRONG_CONFLICT_WRITES) {
        Mark ignored;
        (void)!w->inner->ops->append(w->inner, stream, &(Expect){ 0 }, d, &ignored, e);
    }
    if (st == JOT_OK && w->wrong == WRONG_ID_ANSWERS_HEAD && out->seq <= head->seq)
        *out = *head;
    if (st == JOT_NOT_FOUND && w->wrong == WRONG_DELETE_OF_NOTHING)
        return JOT_OK;
    if (st == JOT_INVALID && w->wrong == WRONG_NAMES_CLASH)
        return JOT_OK;
    return st;
}

static jot_status wrong_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                               Err *e)
{
    WrongStore *w = (WrongStore *)s;
    Mark before = mark_of(w, stream);
    w->redacted_n = 0;
    Expect expect = *x;
    Draft draft = *d;
    spoil_question(w, stream, &before, &expect, &draft);
    if (w->wrong == WRONG_GUARD_NEEDS_STREAM && x->guard.n && !mark_of(w, x->guard).seq) {
        *out = before;
        return err_set(e, JOT_FENCED, "there is no guard");
    }
    jot_status st = w->inner->ops->append(w->inner, stream, &expect, &draft, out, e);
    return spoil_answer(w, stream, &before, d, st, out, e);
}

/* --- Reading --------------------------------------------------------------------------- */

static jot_status wrong_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    TRY(w->inner->ops->head(w->inner, stream, want, into, out, e));
    if (w->wrong == WRONG_HEAD_SKIPS_TOMBSTONES && out->mark.op == OP_DELETE)
        return store_not_found(e, stream);
    return JOT_OK;
}

static jot_status wrong_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                             Err *e)
{
    WrongStore *w = (WrongStore *)s;
    if (w->wrong == WRONG_READ_FROM_EXCLUSIVE)
        range.from++;
    TRY(w->inner->ops->read(w->inner, stream, range, into, out, e));
    while (w->wrong == WRONG_READ_UNBOUNDED && out->more && out->n < range.limit) {
        Records rest;
        range.from = out->items[out->n - 1].mark.seq + 1;
        TRY(w->inner->ops->read(w->inner, stream, (SeqRange){ range.from, range.limit - out->n },
                                into, &rest, e));
        Record *both = NEW_ARRAY(into, Record, out->n + rest.n);
        memcpy(both, out->items, out->n * sizeof *both);
        memcpy(both + out->n, rest.items, rest.n * sizeof *both);
        *out = (Records){ .items = both, .n = out->n + rest.n, .more = rest.more };
    }
    if (w->wrong == WRONG_READ_MORE_ALWAYS_FALSE)
        out->more = false;
    for (size_t i = 0; i < out->n && w->wrong == WRONG_RECORD_DAMAGED; i++)
        if (out->items[i].mark.seq == 3)
            out->items[i].body = S("damaged");
    return JOT_OK;
}

static bool whole_segments(Str name, Str prefix)
{
    return prefix.n == 0 || prefix.p[prefix.n - 1] == '/' || name.n == prefix.n ||
           name.p[prefix.n] == '/';
}

static jot_status wrong_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    ListQuery ask = *q;
    if (w->wrong == WRONG_LIST_SHOWS_TOMBSTONES)
        ask.which = LIST_ALL;
    if (w->wrong < WRONG_LIST_AFTER_INCLUSIVE || w->wrong > WRONG_LIST_WITHOUT_META)
        return w->inner->ops->list(w->inner, &ask, into, out, e);
    Listing all;
    ask.after = (Str){ 0 };
    ask.limit = STORE_LIST_MAX;
    TRY(w->inner->ops->list(w->inner, &ask, into, &all, e));
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, q->limit) };
    for (size_t i = 0; i < all.n; i++) {
        Listed *one = &all.items[i];
        int order = str_cmp(one->name, q->after);
        if (q->after.n && (w->wrong == WRONG_LIST_AFTER_INCLUSIVE ? order < 0 : order <= 0))
            continue;
        if (w->wrong == WRONG_LIST_PREFIX_BY_SEGMENT && !whole_segments(one->name, q->prefix))
            continue;
        if (w->wrong == WRONG_LIST_WITHOUT_META)
            one->meta = (Str){ 0 };
        if (out->n < q->limit)
            out->items[out->n++] = *one;
        else
            out->more = true;
    }
    return JOT_OK;
}

static jot_status wrong_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into,
                                Changes *out, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    TRY(w->inner->ops->changes(w->inner, c, wait_ms, into, out, e));
    if (w->wrong == WRONG_CHANGES_TRUSTS_CURSORS && c->text[0])
        out->rescan = false;
    Str hidden = { w->redacted, w->redacted_n };
    size_t kept = 0;
    for (size_t i = 0; i < out->n; i++)
        if (!hidden.n || !str_eq(out->names[i], hidden))
            out->names[kept++] = out->names[i];
    out->n = kept;
    return JOT_OK;
}

/* --- Forgetting ------------------------------------------------------------------------ */

static jot_status wrong_trim(Store *s, Str stream, const Expect *x, uint64_t before,
                             uint64_t *dropped, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    if (w->wrong != WRONG_TRIM_NOTHING)
        return w->inner->ops->trim(w->inner, stream, x, before, dropped, e);
    AUTO(Arena) arena = { 0 };
    Records got;
    TRY(w->inner->ops->read(w->inner, stream, (SeqRange){ 1, 1 }, &arena, &got, e));
    Mark head = mark_of(w, stream);
    uint64_t from = store_trim_from(&head, before), oldest = got.items[0].mark.seq;
    *dropped = from > oldest ? from - oldest : 0;
    return JOT_OK;
}

static jot_status wrong_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    if (w->wrong == WRONG_REDACT_NOTHING)
        return JOT_OK;
    jot_status st = w->inner->ops->redact(w->inner, stream, x, r, e);
    if (st == JOT_INVALID && w->wrong == WRONG_REDACT_LIVE)
        return JOT_OK;
    if (st == JOT_OK && w->wrong == WRONG_CHANGES_FORGETS_REDACTION) {
        memcpy(w->redacted, stream.p, stream.n);
        w->redacted_n = stream.n;
    }
    return st;
}

static jot_status wrong_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    w->redacted_n = 0;
    if (w->wrong != WRONG_PURGE_KEEPS_HISTORY)
        return w->inner->ops->purge(w->inner, stream, x, by, out, e);
    Draft d = { .op = OP_DELETE, .by = by };
    return w->inner->ops->append(w->inner, stream, x, &d, out, e);
}

/* --- Copying --------------------------------------------------------------------------- */

static jot_status put_one_by_one(WrongStore *w, Str stream, const Expect *x, const Batch *b, Err *e)
{
    for (size_t i = 0; i < b->n; i++)
        TRY(w->inner->ops->put_records(w->inner, stream, x, &(Batch){ &b->items[i], 1, b->gaps },
                                       e));
    return JOT_OK;
}

static jot_status put_without_extra(WrongStore *w, Str stream, const Expect *x, const Batch *b,
                                    Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record *bare = NEW_ARRAY(&arena, Record, b->n);
    for (size_t i = 0; i < b->n; i++) {
        bare[i] = b->items[i];
        bare[i].extra = (Str){ 0 };
    }
    return w->inner->ops->put_records(w->inner, stream, x, &(Batch){ bare, b->n, b->gaps }, e);
}

static jot_status wrong_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    w->redacted_n = 0;
    if (w->wrong == WRONG_STOPS_WORKING && w->puts_left-- <= 0)
        return err_set(e, JOT_UNAVAILABLE, "it has stopped working");
    if (w->wrong == WRONG_PUT_RECORDS_ONE_BY_ONE)
        return put_one_by_one(w, stream, x, b, e);
    if (w->wrong == WRONG_EXTRA_DROPPED)
        return put_without_extra(w, stream, x, b, e);
    static const Expect any = { .kind = EXPECT_ANY };
    if (w->wrong == WRONG_PLACE_ANYWHERE)
        x = &any;
    jot_status st = w->inner->ops->put_records(w->inner, stream, x, b, e);
    return w->wrong == WRONG_PUT_RECORDS_AGREES ? JOT_OK : st;
}

static jot_status wrong_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    WrongStore *w = (WrongStore *)s;
    w->redacted_n = 0;
    if (w->wrong == WRONG_STOPS_WORKING && w->puts_left-- <= 0)
        return err_set(e, JOT_UNAVAILABLE, "it has stopped working");
    if (w->wrong == WRONG_FORGET_BEFORE_NOTHING)
        return JOT_OK;
    return w->inner->ops->forget_before(w->inner, stream, x, seq, e);
}

static StorePromise wrong_promise(const Store *s)
{
    return store_promise(((const WrongStore *)s)->inner);
}

static int wrong_hold(Store *s, uint64_t number, bool hold)
{
    WrongStore *w = (WrongStore *)s;
    w->holds = hold;
    return w->inner->ops->hold(w->inner, number, hold);
}

static bool wrong_held(Store *s, uint64_t number)
{
    WrongStore *w = (WrongStore *)s;
    return (w->wrong == WRONG_HOLD_SEES_ITSELF && w->holds) || store_held(w->inner, number);
}

static const StoreOps wrong_ops = {
    .scheme = "wrong",
    .close = close_both,
    .append = wrong_append,
    .head = wrong_head,
    .read = wrong_read,
    .list = wrong_list,
    .changes = wrong_changes,
    .trim = wrong_trim,
    .redact = wrong_redact,
    .purge = wrong_purge,
    .put_records = wrong_put_records,
    .forget_before = wrong_forget_before,
    .promise = wrong_promise,
    .hold = wrong_hold,
    .held = wrong_held,
};
