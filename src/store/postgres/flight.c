/* flight.c - sending statements and waiting for their answers, never without a deadline.
 *
 * Statements that belong together are sent together (libpq's pipeline), so what
 * they cost is one round trip.  An answer counts only when the one to the final
 * sync is there: only then has the server committed. */
#include "store/postgres/flight.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "store/postgres/connect.h"

/* --- Parameters ------------------------------------------------------------------------ */

void pg_add_bytes(PgParams *p, Str bytes)
{
    assert(p->n < PG_PARAMS_MAX);
    p->values[p->n] = bytes.p ? bytes.p : ""; /* NULL would be SQL's */
    p->lengths[p->n] = (int)bytes.n;
    p->formats[p->n++] = 1;
}

void pg_add_u64(PgParams *p, uint64_t number)
{
    char *to = p->numbers[p->n];
    for (int i = 0; i < 8; i++)
        to[i] = (char)(number >> (56 - 8 * i));
    pg_add_bytes(p, (Str){ to, 8 });
}

static void add_null(PgParams *p)
{
    pg_add_bytes(p, (Str){ 0 });
    p->values[p->n - 1] = NULL;
}

static Str hash_bytes(const Hash *h)
{
    return (Str){ (const char *)h->b, sizeof h->b };
}

void pg_add_record(PgParams *p, const Record *r, uint64_t nonce)
{
    const Mark *m = &r->mark;
    pg_add_u64(p, m->seq);
    pg_add_u64(p, (uint64_t)m->at_ms);
    pg_add_u64(p, (uint64_t)m->op);
    pg_add_u64(p, m->fence);
    pg_add_u64(p, m->size);
    pg_add_u64(p, m->gap << 1 | m->redacted);
    if (m->op == OP_DELETE)
        add_null(p);
    else
        pg_add_bytes(p, hash_bytes(&m->sha256));
    pg_add_bytes(p, hash_bytes(&m->chain));
    pg_add_bytes(p, r->by);
    pg_add_bytes(p, r->id);
    pg_add_bytes(p, r->meta);
    pg_add_bytes(p, r->extra);
    pg_add_bytes(p, r->body);
    pg_add_u64(p, nonce);
}

PgParams pg_limits(const Pg *p)
{
    PgParams q = { 0 };
    for (size_t i = 0; i < COUNT_OF(p->limits); i++)
        pg_add_bytes(&q, str(p->limits[i]));
    return q;
}

/* --- Waiting --------------------------------------------------------------------------- */

int64_t pg_left_ms(const Pg *p)
{
    return p->deadline_ms - io_awake_ms(&io_system);
}

bool pg_wait(Pg *p, short events, int64_t wait_ms)
{
    struct pollfd fd = { p->pq->socket(p->conn), events, 0 };
    return wait_ms > 0 && fd.fd >= 0 && poll(&fd, 1, (int)wait_ms) != 0;
}

/* The connection is of no use any more, and nobody knows what became of the flight. */
static jot_status lose(Pg *p, const char *why, Err *e)
{
    pg_disconnect(p);
    p->lost = true;
    return pg_say(p, e, JOT_UNAVAILABLE, why);
}

static jot_status flush(Pg *p, Err *e)
{
    for (;;) {
        int left = p->pq->flush(p->conn);
        if (left == 0)
            return JOT_OK;
        if (left < 0)
            return lose(p, "the connection to Postgres was lost", e);
        /* The server may be telling something that it must be rid of first. */
        if (!pg_wait(p, POLLIN | POLLOUT, pg_left_ms(p)))
            return lose(p, "Postgres does not answer", e);
        if (!p->pq->consume(p->conn))
            return lose(p, "the connection to Postgres was lost", e);
    }
}

/* The next result, or NULL between two of them. */
static jot_status next_result(Pg *p, PGresult **out, Err *e)
{
    while (p->pq->is_busy(p->conn)) {
        if (!pg_wait(p, POLLIN, pg_left_ms(p)))
            return lose(p, "Postgres does not answer", e);
        if (!p->pq->consume(p->conn))
            return lose(p, "the connection to Postgres was lost", e);
    }
    *out = p->pq->get_result(p->conn);
    if (!*out && p->pq->status(p->conn) == CONNECTION_BAD)
        return lose(p, "the connection to Postgres was lost", e);
    return JOT_OK;
}

/* --- Sending --------------------------------------------------------------------------- */

static bool send_one(Pg *p, const PgQuery *q)
{
    static const PgParams none;
    const PgParams *a = q->params ? q->params : &none;
    char name[16];
    if (p->pooled) /* a named statement would be another's session's */
        return p->pq->send_params(p->conn, p->texts[q->which], a->n, NULL, a->values, a->lengths,
                                  a->formats, 1) == 1;
    snprintf(name, sizeof name, "jot%d", (int)q->which);
    if (!p->prepared[q->which] &&
        p->pq->send_prepare(p->conn, name, p->texts[q->which], a->n, NULL) != 1)
        return false;
    return p->pq->send_prepared(p->conn, name, a->n, a->values, a->lengths, a->formats, 1) == 1;
}

/* What the server said against it, as a status. */
static jot_status refused(Pg *p, const PGresult *r, Err *e)
{
    static const struct {
        const char *code; /* or what it begins with */
        jot_status status;
        const char *why; /* NULL: what the server says */
    } meanings[] = {
        { "40", JOT_UNAVAILABLE, "another writer was in the way" },
        { "55P03", JOT_UNAVAILABLE, "another writer holds it" },
        { "57014", JOT_UNAVAILABLE, "it took too long" },
        { "57P", JOT_UNAVAILABLE, "the Postgres server shuts down or starts" },
        { "53300", JOT_UNAVAILABLE, "the Postgres server has too many connections" },
        { "53100", JOT_IO, "the server's disk is full" },
        { "25006", JOT_READ_ONLY, "the database is read-only" },
        { "42501", JOT_DENIED,
          "the role has no privilege for it: grant USAGE on the schema, and "
          "SELECT, INSERT, UPDATE, DELETE on its tables" },
        { "3F000", JOT_UNAVAILABLE, "the pad's schema is gone" },
        { "42P01", JOT_UNAVAILABLE, "the pad's tables are gone" },
        { "XX001", JOT_CORRUPT, "the server's files are damaged" },
        { "22012", JOT_UNAVAILABLE, /* PG_LOCAL */
          "the pooler leads to a standby: let it lead to the primary alone" },
    };
    const char *code = p->pq->error_field(r, PG_DIAG_SQLSTATE);
    const char *said = p->pq->error_field(r, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(p->sqlstate, sizeof p->sqlstate, "%s", code ? code : "");
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (str_starts(str(p->sqlstate), str(meanings[i].code)))
            return pg_say(p, e, meanings[i].status, meanings[i].why);
    Shown shown;
    return pg_say(p, e, JOT_IO, err_show(&shown, str(said ? said : "the server refused it")));
}

jot_status pg_say(Pg *p, Err *e, jot_status st, const char *why)
{
    Shown shown;
    bool named = p->subject.n > 0;
    return err_set(e, st, "could not %s%s%s%s: %s", p->verb ? p->verb : "ask", named ? " '" : "",
                   named ? err_show(&shown, p->subject) : "", named ? "'" : "", why);
}

bool pg_refused_with(const Pg *p, const char *sqlstate)
{
    return str_starts(str(p->sqlstate), str(sqlstate));
}

/* Wait for what a wake-up was answered. */
static jot_status drain(Pg *p, Err *e)
{
    while (p->trailing) {
        PGresult *r = NULL;
        TRY(next_result(p, &r, e));
        if (r && p->pq->result_status(r) == PGRES_PIPELINE_SYNC)
            p->trailing = false;
        pq_clear(r);
    }
    return JOT_OK;
}

static bool is_good(ExecStatusType st)
{
    return st == PGRES_TUPLES_OK || st == PGRES_COMMAND_OK;
}

/* Take the answers to `n` statements, of which some were prepared in front (a bit each), up to the
 * final sync; the first refusal is the flight's. */
static jot_status land(Pg *p, const PgQuery *queries, size_t n, unsigned preparing, PGresult **out,
                       Err *e)
{
    jot_status st = JOT_OK;
    size_t at = 0;
    for (;;) {
        AUTO_PTR(PGresult) r = NULL;
        TRY(next_result(p, &r, e));
        if (!r)
            continue;
        ExecStatusType got = p->pq->result_status(r);
        if (got == PGRES_PIPELINE_SYNC)
            break;
        if (got == PGRES_FATAL_ERROR && p->pq->status(p->conn) == CONNECTION_BAD)
            return lose(p, "the connection to Postgres was lost", e);
        if (st == JOT_OK && !is_good(got))
            st = refused(p, r, e);
        if (st != JOT_OK || at >= n)
            continue;
        if (preparing >> at & 1) {
            preparing &= ~(1U << at);
            p->prepared[queries[at].which] = true;
        } else {
            out[at++] = TAKE(r);
        }
    }
    assert(st != JOT_OK || at == n);
    return st;
}

static jot_status fly(Pg *p, const PgQuery *queries, size_t n, PGresult **out, Err *e)
{
    p->lost = p->unconfirmed = false;
    p->sqlstate[0] = 0;
    if (!p->conn)
        return lose(p, "the connection to Postgres was lost", e);
    TRY(drain(p, e));
    bool within = p->flying; /* a transaction */
    unsigned preparing = 0;
    bool sent = p->flying = true;
    for (size_t i = 0; i < n && sent; i++) {
        preparing |= !p->pooled && !p->prepared[queries[i].which] ? 1U << i : 0;
        sent = send_one(p, &queries[i]);
    }
    if (!sent || p->pq->pipeline_sync(p->conn) != 1)
        return lose(p, "the connection to Postgres was lost", e);
    p->trips++;
    TRY(flush(p, e));
    jot_status st = land(p, queries, n, preparing, out, e);
    p->flying = within && p->conn;
    if (st == JOT_OK && p->unconfirmed)
        return pg_say(p, e, JOT_UNKNOWN,
                      "it is done, but somebody has ended the wait for the synchronous standby: a "
                      "failover may lose it");
    return st;
}

/* Behind a pooler the session is not ours to set up, so its limits travel with each flight: up to
 * the final sync all statements are one transaction, and what is set is set for that. */
static jot_status fly_limited(Pg *p, const PgQuery *queries, size_t n, PGresult **out, Err *e)
{
    PgParams limits = pg_limits(p);
    PgQuery all[PG_FLIGHT_MAX + 1] = { { PG_LOCAL, &limits } };
    PGresult *got[PG_FLIGHT_MAX + 1] = { NULL };
    memcpy(all + 1, queries, n * sizeof *queries);
    jot_status st = fly(p, all, n + 1, got, e);
    pq_clear(got[0]);
    for (size_t i = 0; i < n; i++)
        out[i] = got[i + 1];
    return st;
}

jot_status pg_fly(Pg *p, const PgQuery *queries, size_t n, PGresult **out, Err *e)
{
    assert(n <= PG_FLIGHT_MAX);
    bool limited = p->pooled && !p->flying;
    return limited ? fly_limited(p, queries, n, out, e) : fly(p, queries, n, out, e);
}

jot_status pg_ask(Pg *p, PgStmt which, const PgParams *params, PGresult **out, Err *e)
{
    return pg_fly(p, &(PgQuery){ which, params }, 1, out, e);
}

void pg_notify(Pg *p)
{
    PgQuery q = { PG_NOTIFY, NULL };
    if (!p->conn || p->trailing)
        return;
    /* A prepared NOTIFY would cost one more answer: this one is sent as it is. */
    bool sent = p->pq->send_params(p->conn, p->texts[q.which], 0, NULL, NULL, NULL, NULL, 1) == 1 &&
                p->pq->pipeline_sync(p->conn) == 1;
    p->trailing = sent;
    if (!sent || p->pq->flush(p->conn) < 0)
        pg_disconnect(p); /* what was to be woken looks again by itself */
}

/* --- Scripts --------------------------------------------------------------------------- */

jot_status pg_script(Pg *p, const char *sql, Err *e)
{
    p->lost = false;
    p->sqlstate[0] = 0;
    if (!p->conn)
        return lose(p, "the connection to Postgres was lost", e);
    TRY(drain(p, e));
    if (p->pq->exit_pipeline(p->conn) != 1 || p->pq->send_query(p->conn, sql) != 1)
        return lose(p, "the connection to Postgres was lost", e);
    p->trips++;
    TRY(flush(p, e));
    jot_status st = JOT_OK;
    for (;;) {
        AUTO_PTR(PGresult) r = NULL;
        TRY(next_result(p, &r, e));
        if (!r)
            break;
        if (st == JOT_OK && !is_good(p->pq->result_status(r)))
            st = refused(p, r, e);
    }
    if (p->pq->enter_pipeline(p->conn) != 1)
        return lose(p, "the connection to Postgres was lost", e);
    return st;
}

/* --- Operations ------------------------------------------------------------------------ */

jot_status pg_ready(Pg *p, const char *verb, Str subject, Err *e)
{
    p->verb = verb;
    p->subject = subject;
    p->deadline_ms = io_awake_ms(&io_system) + p->base.wait_ms + p->base.answer_ms;
    p->lost = false;
    if (p->flying)
        pg_disconnect(p);
    if (p->conn)
        return JOT_OK;
    jot_status st = pg_connect(p, e);
    p->verb = verb;
    p->subject = subject;
    return st;
}
