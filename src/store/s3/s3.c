/* s3.c - the engine that keeps a pad in a bucket of S3: opening it and reading.
 *
 * For durability across machines, without a server of one's own.  It is the slowest engine, and
 * every request costs money, so what is cheap and what is not follows from the objects: a name is
 * a mark, a thousand of which come in one LIST; a head is a LIST and a GET.  s3.h says what always
 * holds. */
#include "store/s3/s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/s3/address.h"
#include "store/s3/append.h"
#include "store/s3/cache.h"
#include "store/s3/change.h"
#include "store/s3/forget.h"
#include "store/s3/keys.h"
#include "store/s3/listing.h"
#include "store/s3/look.h"
#include "store/s3/mark.h"
#include "store/s3/pad.h"
#include "store/s3/request.h"

/* --- Opening --------------------------------------------------------------------------- */

static void s3_close(Store *s)
{
    S3 *p = (S3 *)s;
    s3_drop_keys(p);
    s3_forget_sights(p);
    s3_forget_told(p);
    s3_cache_free(p);
    http_client_free(p->http);
    arena_free(&p->keep);
    free(p);
}

static void say_promises(S3 *p)
{
    snprintf(p->caveats, sizeof p->caveats,
             "%sa lease on one name is safe once its holder has written, or the name had a value; "
             "on a prefix there is none\n"
             "leases end by time only: S3 cannot tell who lives\n"
             "a list of names may show one that was just deleted\n"
             "purged text stays in older versions of objects, if the bucket keeps those",
             p->one_writer ? "the server cannot keep several writers apart: only one may write\n"
                           : "");
}

static jot_status s3_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    S3 *p = mem_alloc(sizeof *p);
    AUTO_PTR(Store) fresh = &p->base;
    store_init(&p->base, &s3_ops, o);
    p->http = http_client_new(&io_system);
    TRY(s3_address(p, url, e));
    TRY(s3_ready(p, "open", p->shown, e));
    TRY(s3_identify(p, o->create && !p->base.read_only_why[0], e));
    say_promises(p);
    *out = TAKE(fresh);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

static bool body_fits(const Record *r)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return r->body.n == 0;
    return r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256);
}

static jot_status s3_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    S3 *p = (S3 *)s;
    Shown shown;
    S3Object o;
    bool body = want != HEAD_MARK;
    *out = (Record){ 0 };
    TRY(s3_ready(p, "read", stream, e));
    TRY(s3_look(p, stream, body, into, &o, e));
    if (o.record.mark.seq == 0)
        return store_not_found(e, stream);
    *out = o.record;
    if (!body)
        out->body = (Str){ 0 };
    if (body && !body_fits(out))
        return err_set(e, JOT_CORRUPT, "record %llu of '%s' does not have the hash in its header",
                       (unsigned long long)out->mark.seq, err_show(&shown, stream));
    return JOT_OK;
}

static jot_status s3_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(Arena) arena = { 0 };
    S3Numbers numbers;
    size_t bytes = 0;
    *out = (Records){ 0 };
    TRY(s3_ready(p, "read", stream, e));
    TRY(s3_numbers(p, stream, (SeqRange){ range.from, range.limit }, &arena, &numbers, e));
    if (numbers.head == 0)
        return store_not_found(e, stream);
    out->items = NEW_ARRAY(into, Record, numbers.n + 1);
    out->more = numbers.more;
    for (size_t i = 0; i < numbers.n; i++) {
        S3Object o;
        S3Found found;
        TRY(s3_fetch(p, &(S3At){ stream, numbers.seqs[i], true }, into, &o, &found, e));
        s3_more(p);
        out->damaged += found == S3_BROKEN;
        if (found != S3_THERE)
            continue;
        bytes += o.record.body.n;
        if (out->n && bytes > STORE_READ_BYTES) {
            out->more = true;
            break;
        }
        out->items[out->n++] = o.record;
    }
    return JOT_OK;
}

/* --- Listing --------------------------------------------------------------------------- */

/* Names of both kinds of marks, in order, each once. */
typedef struct Walk {
    S3Names live, dead;
    bool has_live, has_dead;
} Walk;

static void walk_done(Walk *w)
{
    s3_names_done(&w->live);
    s3_names_done(&w->dead);
}
DEFINE_AUTO(Walk, walk_done)

static jot_status walk_begin(S3 *p, const ListQuery *q, Walk *w, Err *e)
{
    *w = (Walk){ .live = s3_names_begin("n", q->prefix, q->after),
                 .dead = s3_names_begin("t", q->prefix, q->after) };
    TRY(s3_names_next(p, &w->live, &w->has_live, e));
    /* A name that has just died is in t/ before it leaves n/, so n/ is asked first. */
    return list_takes_all(q->which) ? s3_names_next(p, &w->dead, &w->has_dead, e) : JOT_OK;
}

static jot_status walk_next(S3 *p, Walk *w, Arena *into, Str *name, bool *there, Err *e)
{
    *there = w->has_live || w->has_dead;
    if (!*there)
        return JOT_OK;
    int order = !w->has_dead ? -1 : !w->has_live ? 1 : str_cmp(w->live.name, w->dead.name);
    *name = arena_copy(into, order <= 0 ? w->live.name : w->dead.name);
    if (order <= 0)
        TRY(s3_names_next(p, &w->live, &w->has_live, e));
    return order >= 0 ? s3_names_next(p, &w->dead, &w->has_dead, e) : JOT_OK;
}

/* The head of a name, if it is wanted; *take: whether the name is. */
static jot_status list_head(S3 *p, const ListQuery *q, Arena *into, Listed *l, bool *take, Err *e)
{
    S3Object o;
    *take = true;
    if (!list_takes_heads(q->which))
        return JOT_OK;
    TRY(s3_look(p, l->name, false, into, &o, e));
    s3_more(p);
    const Mark *m = &o.record.mark;
    *take = list_takes_all(q->which) ? m->seq > 0 : mark_live(m);
    l->mark = *m;
    l->by = o.record.by;
    l->meta = o.record.meta;
    return JOT_OK;
}

static jot_status s3_list_names(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(Walk) w = { 0 };
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, q->limit) };
    TRY(s3_ready(p, "list", q->prefix, e));
    TRY(walk_begin(p, q, &w, e));
    for (;;) {
        Listed one = { 0 };
        bool there = false, take = false;
        TRY(walk_next(p, &w, into, &one.name, &there, e));
        if (!there)
            return JOT_OK;
        if (store_check_name(one.name, NULL) != JOT_OK)
            continue; /* an object of somebody else's */
        TRY(list_head(p, q, into, &one, &take, e));
        if (!take)
            continue;
        out->more = out->n == q->limit;
        if (out->more)
            return JOT_OK;
        out->items[out->n++] = one;
    }
}

/* --- Time ------------------------------------------------------------------------------ */

static jot_status s3_clock(Store *s, StoreTime *out, Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(S3Answer) a = { 0 };
    bool there = false;
    TRY(s3_ready(p, "ask for the time", (Str){ 0 }, e));
    TRY(s3_get(p, S("pad"), NULL, &a, &there, e));
    /* As it was said: what is added to it differs between handles. */
    *out = (StoreTime){ .now_ms = s->io->served_ms ? s->served_ms : p->date_ms,
                        .margin_ms = S3_MARGIN_MS,
                        .served = true };
    snprintf(out->era, sizeof out->era, "server");
    return JOT_OK;
}

/* --- What the pad says of itself ------------------------------------------------------- */

static jot_status s3_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    (void)e;
    snprintf(out, STORE_PAD_ID + 1, "%s", ((S3 *)s)->id);
    return JOT_OK;
}

static StorePromise s3_promise(const Store *s)
{
    const S3 *p = (const S3 *)s;
    return (StorePromise){
        .scheme = "s3", .durable = true, .shared = !p->one_writer, .caveats = p->caveats
    };
}

/* --- Verifying ------------------------------------------------------------------------- */

typedef struct NameSet {
    Hash *items; /* of names, sorted */
    size_t n, cap;
} NameSet;

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Hash));
}

static jot_status collect_names(S3 *p, Arena *arena, NameSet *out, Err *e)
{
    ListQuery q = { .limit = STORE_LIST_MAX, .which = LIST_ALL_NAMES };
    AUTO(Walk) w = { 0 };
    TRY(walk_begin(p, &q, &w, e));
    for (;;) {
        Str name;
        bool there = false;
        TRY(walk_next(p, &w, arena, &name, &there, e));
        if (!there)
            break;
        if (out->n == out->cap)
            out->items =
                arena_grow(arena, out->items, out->n, &out->cap, sizeof *out->items, alignof(Hash));
        out->items[out->n++] = hash_of(name);
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_bytes);
    return JOT_OK;
}

/* Is there a name whose hash begins so? */
static bool is_named(const NameSet *names, Str hex)
{
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = str_cmp((Str){ hash_hex(names->items[mid]).text, hex.n }, hex);
        if (order == 0)
            return true;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

/* Records that belong to no name. */
static jot_status verify_records(S3 *p, const VerifyHooks *hooks, Err *e)
{
    AUTO(Arena) arena = { 0 };
    NameSet names = { 0 };
    S3Where w = { .prefix = S("r/"), .max = S3_PAGE, .folders = true };
    StoreFault f = { .kind = FAULT_PAD,
                     .what = "records belong to no name",
                     .advice = "bring the marks (n/ and t/) back from a backup of the bucket" };
    TRY(collect_names(p, &arena, &names, e));
    for (bool more = true; more;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        s3_more(p);
        for (size_t i = 0; i < l.n; i++) {
            Str hex = str_slice(l.items[i].key, 2, l.items[i].key.n - 1);
            if (!is_named(&names, hex))
                hooks->fault(hooks->ctx, &f);
        }
        more = l.more && l.n;
        if (more) /* after everything that is in the last folder */
            w.after = arena_printf(&arena, STR_FMT "~", STR_ARG(l.items[l.n - 1].key));
    }
    return JOT_OK;
}

static jot_status s3_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    S3 *p = (S3 *)s;
    Err why = { 0 };
    TRY(s3_ready(p, "verify", p->shown, e));
    jot_status st = s->read_only_why[0] ? JOT_OK : s3_probe(p, &why);
    if (st == JOT_OK && !s->read_only_why[0])
        st = s3_probe_match(p, &why);
    StoreFault f = { .kind = FAULT_PAD,
                     .what = why.text,
                     .advice = "move the pad with 'jotter copy'" };
    if (st == JOT_UNSUPPORTED)
        hooks->fault(hooks->ctx, &f);
    else if (st != JOT_OK)
        return err_pass(e, &why, st);
    return verify_records(p, hooks, e);
}

const StoreOps s3_ops = {
    .scheme = "s3",
    .open = s3_open,
    .close = s3_close,
    .append = s3_append,
    .head = s3_head,
    .read = s3_read,
    .list = s3_list_names,
    .changes = s3_changes,
    .trim = s3_trim,
    .redact = s3_redact,
    .purge = s3_purge,
    .put_records = s3_put_records,
    .forget_before = s3_forget_before,
    .promise = s3_promise,
    .clock = s3_clock,
    .id = s3_id,
    .verify = s3_verify,
    .scrub = s3_scrub,
    .settle = s3_settle,
};
