/* transaction.c - what is written in steps: lock, compare, change, commit.
 *
 *     us                                    server
 *     BEGIN, lock stream and guard, head ─────►        one round trip
 *                                        ◄─────        the head, and where the guard stands
 *     (decide)
 *     change, change ... ─────────────────────►        one round trip each
 *     COMMIT ─────────────────────────────────►
 *                                        ◄─────        only now it has happened
 *
 * The answer to the commit may be lost, and then nobody knows whether it happened.  So all of it is
 * done again on a new connection until the deadline: work that adds a record finds it by the number
 * under which it was written, and for the rest twice is as good as once.  A deadlock, or a
 * transaction that was beaten, is rolled back by the server and done again as well. */
#include "store/postgres/transaction.h"

#include <assert.h>
#include <string.h>

#include "store/postgres/connect.h"
#include "store/postgres/flight.h"
#include "store/postgres/tuple.h"

enum { LOST_PAUSE_US = 20 * 1000 };

uint64_t pg_nonce(Pg *p)
{
    uint64_t nonce;
    io_random(p->base.io, &nonce, sizeof nonce);
    return nonce >> 1; /* a bigint */
}

jot_status pg_unknown(Pg *p, Str stream, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN,
                   "it is not known whether '%s' was written: the Postgres server does not answer",
                   err_show(&shown, stream));
}

/* --- Transactions ---------------------------------------------------------------------- */

jot_status pg_begin(Pg *p, Str stream, const Expect *x, PgHead *out, Err *e)
{
    AUTO_PTR(PGresult) locked = NULL;
    AUTO_PTR(PGresult) head = NULL;
    PGresult *got[3] = { NULL, NULL, NULL };
    PgParams both = { 0 }, name = { 0 };
    pg_add_bytes(&both, stream);
    pg_add_bytes(&both, x->guard);
    pg_add_bytes(&name, stream);
    PgQuery queries[] = { { PG_BEGIN, NULL }, { PG_LOCK, &both }, { PG_LOCKED, &name } };
    jot_status st = pg_fly(p, queries, COUNT_OF(queries), got, e);
    pq_clear(got[0]);
    locked = got[1];
    head = got[2];
    if (st != JOT_OK)
        return p->lost ? st : pg_end(p, st, e);
    p->flying = true;
    *out = (PgHead){ .guard = (uint64_t)tuple_i64(p, locked, 0, 0), .mine = out->mine };
    if (p->pq->ntuples(head)) {
        out->number = tuple_i64(p, head, 0, 0);
        store_saw_clock(&p->base, tuple_i64(p, head, 0, 1));
        st = tuple_mark(p, head, 0, 2, &out->mark, e);
    }
    if (st == JOT_OK)
        st = known_keep(&p->known, stream, &out->mark, e);
    return st == JOT_OK ? JOT_OK : pg_end(p, st, e);
}

jot_status pg_end(Pg *p, jot_status st, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    if (!p->conn)
        return st;
    char why[sizeof p->sqlstate];
    memcpy(why, p->sqlstate, sizeof why);
    jot_status ended =
        pg_ask(p, st == JOT_OK ? PG_COMMIT : PG_ROLLBACK, NULL, &r, st == JOT_OK ? e : NULL);
    p->flying = false;
    if (st != JOT_OK)
        memcpy(p->sqlstate, why, sizeof why);
    if (st != JOT_OK && ended != JOT_OK) {
        pg_disconnect(p); /* which rolls back */
        p->lost = false;
    }
    return st == JOT_OK ? ended : st;
}

jot_status pg_do(Pg *p, const char *verb, Str stream, const PgWork *work, Err *e)
{
    bool again = false;
    TRY(pg_ready(p, verb, stream, e));
    int64_t until = p->deadline_ms;
    for (;;) {
        p->lost = false;
        jot_status st = p->conn ? JOT_OK : pg_connect(p, e);
        p->verb = verb;
        p->subject = stream;
        if (st == JOT_OK)
            st = work->run(p, work->ctx, again, e);
        bool lost = p->lost || !p->conn;
        bool beaten = !lost && (pg_refused_with(p, "40P01") || pg_refused_with(p, "40001"));
        again = again || lost;
        bool open = again && st != JOT_OK && (!work->under_way || *work->under_way);
        if (!lost && !(beaten && st == JOT_UNAVAILABLE))
            return open && st != JOT_UNKNOWN ? pg_unknown(p, stream, e) : st;
        p->deadline_ms = until;
        if (pg_left_ms(p) <= 0)
            return open ? pg_unknown(p, stream, e) : st;
        io_sleep_us(&io_system, LOST_PAUSE_US);
    }
}

/* --- Adding records in a transaction --------------------------------------------------- */

jot_status pg_check_clash(Pg *p, Str name, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_bytes(&q, name);
    TRY(pg_ask(p, PG_CLASH, &q, &r, e));
    return tuple_null(p, r, 0, 0) ? JOT_OK : store_name_taken(e, name, tuple_bytes(p, r, 0, 0));
}

static jot_status add_one(Pg *p, int64_t number, const Record *r, uint64_t nonce, Err *e)
{
    AUTO_PTR(PGresult) got = NULL;
    PgParams q = { 0 };
    pg_add_u64(&q, (uint64_t)number);
    pg_add_record(&q, r, nonce);
    return pg_ask(p, PG_ADD, &q, &got, e);
}

static jot_status set_head(Pg *p, Str stream, PgHead *head, const Mark *m, Err *e)
{
    AUTO_PTR(PGresult) got = NULL;
    PgParams q = { 0 };
    if (head->number)
        pg_add_u64(&q, (uint64_t)head->number);
    else
        pg_add_bytes(&q, stream);
    pg_add_u64(&q, m->seq);
    pg_add_bytes(&q, (Str){ (const char *)m->chain.b, sizeof m->chain.b });
    pg_add_u64(&q, mark_live(m));
    TRY(pg_ask(p, head->number ? PG_SET_HEAD : PG_NEW_HEAD, &q, &got, e));
    if (!head->number)
        head->number = tuple_i64(p, got, 0, 0);
    return JOT_OK;
}

jot_status pg_fill_records(Pg *p, const PgHead *head, const Record *records, size_t n, Err *e)
{
    assert(p->flying && n > 0);
    for (size_t i = 0; i < n; i++)
        TRY(add_one(p, head->number, &records[i], head->mine, e));
    return JOT_OK;
}

jot_status pg_add_records(Pg *p, Str stream, PgHead *head, const Record *records, size_t n, Err *e)
{
    assert(p->flying && n > 0); /* within a transaction */
    assert(records[0].mark.seq > head->mark.seq);
    TRY(set_head(p, stream, head, &records[n - 1].mark, e));
    TRY(pg_fill_records(p, head, records, n, e));
    head->mark = records[n - 1].mark;
    return JOT_OK;
}
