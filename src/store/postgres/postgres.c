/* postgres.c - the engine that keeps a pad in a Postgres database: opening it and reading.
 *
 * For fleets: any number of machines, one memory.  A read is one statement and
 * sees one moment; a write is one transaction, and durable when it is committed.
 * pg.h says what always holds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/postgres/append.h"
#include "store/postgres/change.h"
#include "store/postgres/connect.h"
#include "store/postgres/flight.h"
#include "store/postgres/forget.h"
#include "store/postgres/schema.h"
#include "store/postgres/tuple.h"

/* --- Opening --------------------------------------------------------------------------- */

static void pg_close(Store *s)
{
    Pg *p = (Pg *)s;
    if (p->pq)
        pg_disconnect(p);
    known_free(&p->known);
    free(p->holds);
    arena_free(&p->keep);
    free(p);
}

static jot_status open_pad(Pg *p, const Url *url, bool create, Err *e)
{
    TRY(pq_open(&p->pq, e));
    TRY(pg_address(p, url, e));
    TRY(pg_ready(p, "open", str(p->pad), e));
    return pg_identify(p, create && !p->base.read_only_why[0], e);
}

static jot_status pg_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    Pg *p = mem_alloc(sizeof *p);
    AUTO_PTR(Store) fresh = &p->base;
    store_init(&p->base, &postgres_ops, o);
    TRY(open_pad(p, url, o->create, e));
    *out = TAKE(fresh);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

/* A question that changes nothing is asked once more if the connection was lost. */
static jot_status ask_twice(Pg *p, PgStmt which, const PgParams *q, PGresult **out, Err *e)
{
    jot_status st = pg_ask(p, which, q, out, e);
    if (!p->lost)
        return st;
    const char *verb = p->verb;
    Str subject = p->subject;
    TRY(pg_ready(p, verb, subject, e));
    return pg_ask(p, which, q, out, e);
}

static bool body_fits(const Record *r)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return r->body.n == 0;
    return r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256);
}

static jot_status pg_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    Shown shown;
    *out = (Record){ 0 };
    bool body = want != HEAD_MARK;
    TRY(pg_ready(p, "read", stream, e));
    pg_add_bytes(&q, stream);
    TRY(ask_twice(p, body ? PG_HEAD : PG_HEAD_MARK, &q, &r, e));
    if (p->pq->ntuples(r))
        TRY(tuple_record(p, r, 0, into, out, e));
    if (body && p->pq->ntuples(r))
        out->body = tuple_body(p, r, 0, into);
    TRY(known_keep(&p->known, stream, &out->mark, e));
    if (out->mark.seq == 0)
        return store_not_found(e, stream);
    if (body && !body_fits(out))
        return err_set(e, JOT_CORRUPT, "record %llu of '%s' does not have the hash in its header",
                       (unsigned long long)out->mark.seq, err_show(&shown, stream));
    return JOT_OK;
}

/* The rows of the records from `from` on.  If there are none, the head says whether there is a
 * stream at all; if that has reached `from` by now, the first answer is older than the stream may
 * be, and the question is asked again. */
static jot_status ask_records(Pg *p, Str stream, uint64_t from, size_t limit, PGresult **out,
                              Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    PgParams q = { 0 };
    pg_add_bytes(&q, stream);
    pg_add_u64(&q, from);
    pg_add_u64(&q, limit);
    pg_add_u64(&q, STORE_READ_BYTES);
    TRY(pg_ready(p, "read", stream, e));
    TRY(ask_twice(p, PG_READ, &q, out, e));
    if (p->pq->ntuples(*out) > 0)
        return JOT_OK;
    TRY(pg_head(&p->base, stream, HEAD_MARK, &arena, &head, e));
    if (head.mark.seq < from)
        return JOT_OK;
    pq_clear(TAKE(*out));
    TRY(pg_ready(p, "read", stream, e));
    return ask_twice(p, PG_READ, &q, out, e);
}

static jot_status pg_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) r = NULL;
    *out = (Records){ 0 };
    TRY(ask_records(p, stream, range.from, range.limit, &r, e));
    int n = p->pq->ntuples(r);
    if (n == 0)
        return JOT_OK;
    out->items = NEW_ARRAY(into, Record, (size_t)n);
    for (int i = 0; i < n; i++) {
        Record *to = &out->items[out->n];
        out->more = tuple_null(p, r, i, 12); /* no body: it is behind the page */
        if (out->more)
            break;
        bool good = tuple_record(p, r, i, into, to, NULL) == JOT_OK;
        to->body = tuple_body(p, r, i, into);
        *(good ? &out->n : &out->damaged) += 1;
    }
    return JOT_OK;
}

/* --- Listing --------------------------------------------------------------------------- */

static jot_status read_listed(Pg *p, const PGresult *r, int row, Arena *into, Listed *out, Err *e)
{
    out->name = arena_copy(into, tuple_bytes(p, r, row, 8));
    out->by = arena_copy(into, tuple_bytes(p, r, row, 9));
    out->meta = arena_copy(into, tuple_bytes(p, r, row, 10));
    return tuple_mark(p, r, row, 0, &out->mark, e);
}

static jot_status pg_list(Store *s, const ListQuery *ask, Arena *into, Listing *out, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    Str from, to;
    bool heads = list_takes_heads(ask->which);
    TRY(pg_ready(p, "list", ask->prefix, e));
    list_range(ask, &arena, &from, &to);
    pg_add_bytes(&q, from);
    pg_add_bytes(&q, to);
    pg_add_u64(&q, list_takes_all(ask->which));
    pg_add_u64(&q, ask->limit + 1);
    TRY(ask_twice(p, heads ? PG_LIST : PG_LIST_NAMES, &q, &r, e));
    size_t n = (size_t)p->pq->ntuples(r);
    *out = (Listing){ .n = n < ask->limit ? n : ask->limit, .more = n > ask->limit };
    out->items = NEW_ARRAY(into, Listed, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        if (heads)
            TRY(read_listed(p, r, (int)i, into, &out->items[i], e));
        else
            out->items[i].name = arena_copy(into, tuple_bytes(p, r, (int)i, 0));
    return JOT_OK;
}

/* --- Time and life --------------------------------------------------------------------- */

static jot_status pg_clock(Store *s, StoreTime *out, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) r = NULL;
    TRY(pg_ready(p, "ask for the time", (Str){ 0 }, e));
    TRY(ask_twice(p, PG_CLOCK, NULL, &r, e));
    store_saw_clock(s, tuple_i64(p, r, 0, 0));
    *out = (StoreTime){ .now_ms = s->served_ms, .margin_ms = PG_MARGIN_MS, .served = true };
    snprintf(out->era, sizeof out->era, "server");
    return JOT_OK;
}

/* The key of a number: pads of one database share its keys, so the pad is part of it. */
static uint64_t hold_key(const Pg *p, uint64_t number)
{
    HashState h;
    hash_init(&h);
    hash_add_field(&h, str(p->id));
    hash_add_u64(&h, number);
    Hash all = hash_end(&h);
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key = key << 8 | all.b[i];
    return key >> 1;
}

static size_t find_hold(const Pg *p, uint64_t number)
{
    size_t i = 0;
    while (i < p->holds_n && p->holds[i] != number)
        i++;
    return i;
}

static int let_go(Pg *p, uint64_t number)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    size_t i = find_hold(p, number);
    if (i == p->holds_n || !p->conn)
        return 0;
    p->holds[i] = p->holds[--p->holds_n];
    pg_add_u64(&q, hold_key(p, number));
    if (pg_ready(p, "let go", (Str){ 0 }, NULL) == JOT_OK &&
        pg_ask(p, PG_LET_GO, &q, &r, NULL) != JOT_OK)
        pg_disconnect(p); /* which lets go of it, too */
    return 0;
}

static int pg_hold(Store *s, uint64_t number, bool hold)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    if (!hold)
        return let_go(p, number);
    if (pg_ready(p, "hold a number", (Str){ 0 }, NULL) != JOT_OK)
        return -ENOTCONN;
    if (p->pooled)
        return -EOPNOTSUPP;
    if (find_hold(p, number) < p->holds_n)
        return 0;
    pg_add_u64(&q, hold_key(p, number));
    if (pg_ask(p, PG_HOLD, &q, &r, NULL) != JOT_OK)
        return -ENOTCONN;
    if (!tuple_i64(p, r, 0, 0))
        return -EAGAIN;
    if (p->holds_n == p->holds_cap) {
        p->holds_cap = p->holds_cap ? p->holds_cap * 2 : 8;
        p->holds = mem_grow(p->holds, p->holds_cap * sizeof *p->holds);
    }
    p->holds[p->holds_n++] = number;
    return 0;
}

static bool pg_held(Store *s, uint64_t number)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_u64(&q, hold_key(p, number));
    /* One that cannot be asked for may live. */
    if (pg_ready(p, "ask who lives", (Str){ 0 }, NULL) != JOT_OK || p->pooled ||
        ask_twice(p, PG_HELD, &q, &r, NULL) != JOT_OK)
        return true;
    return tuple_i64(p, r, 0, 0);
}

/* --- What the pad says of itself ------------------------------------------------------- */

static jot_status pg_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    (void)e;
    snprintf(out, STORE_PAD_ID + 1, "%s", ((Pg *)s)->id);
    return JOT_OK;
}

static StorePromise pg_promise(const Store *s)
{
    const Pg *p = (const Pg *)s;
    return (StorePromise){ .scheme = "postgres",
                           .durable = p->durable,
                           .shared = true,
                           .holds = !p->pooled,
                           .guards = true,
                           .caveats = p->caveats };
}

static jot_status pg_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) heads = NULL;
    AUTO_PTR(PGresult) strays = NULL;
    char what[128];
    StoreFault f = { .kind = FAULT_DAMAGE,
                     .what = "its row in heads does not stand for its newest record",
                     .advice = "bring the database back from a backup; 'jotter copy' saves what "
                               "can still be read" };
    TRY(pg_ready(p, "verify", str(p->pad), e));
    TRY(ask_twice(p, PG_HEADS_WRONG, NULL, &heads, e));
    for (int i = 0; i < p->pq->ntuples(heads); i++) {
        f.stream = tuple_bytes(p, heads, i, 0);
        hooks->fault(hooks->ctx, &f);
    }
    TRY(ask_twice(p, PG_STRAYS, NULL, &strays, e));
    long long n = tuple_i64(p, strays, 0, 0);
    if (n == 0)
        return JOT_OK;
    snprintf(what, sizeof what, "%lld record%s to no stream", n, n == 1 ? " belongs" : "s belong");
    f = (StoreFault){ .kind = FAULT_PAD, .what = what, .advice = f.advice };
    hooks->fault(hooks->ctx, &f);
    return JOT_OK;
}

const StoreOps postgres_ops = {
    .scheme = "postgres",
    .open = pg_open,
    .close = pg_close,
    .append = pg_append,
    .head = pg_head,
    .read = pg_read,
    .list = pg_list,
    .changes = pg_changes,
    .trim = pg_trim,
    .redact = pg_redact,
    .purge = pg_purge,
    .put_records = pg_put_records,
    .forget_before = pg_forget_before,
    .promise = pg_promise,
    .clock = pg_clock,
    .hold = pg_hold,
    .held = pg_held,
    .id = pg_id,
    .verify = pg_verify,
    .scrub = pg_scrub,
};
