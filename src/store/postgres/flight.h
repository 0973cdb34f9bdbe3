/* flight.h - statements on their way, and what came back. */
#ifndef STORE_POSTGRES_FLIGHT_H
#define STORE_POSTGRES_FLIGHT_H

#include "store/postgres/pg.h"

/* The values of one statement, in the form in which they travel. */
typedef struct PgParams {
    const char *values[PG_PARAMS_MAX];
    int lengths[PG_PARAMS_MAX];
    int formats[PG_PARAMS_MAX];
    char numbers[PG_PARAMS_MAX][8];
    int n;
} PgParams;

void pg_add_u64(PgParams *p, uint64_t number);
void pg_add_bytes(PgParams *p, Str bytes); /* a text or a bytea; borrowed */
/* What a statement may take, for PG_SETTINGS and PG_LOCAL. */
PgParams pg_limits(const Pg *p);
/* All columns of a record but its stream: thirteen and the writer's number. */
void pg_add_record(PgParams *p, const Record *r, uint64_t nonce);

/* Begin an operation: it has base.wait_ms and base.answer_ms; be connected; and remember what for:
 * "could not VERB 'subject': ..." */
MUST_USE jot_status pg_ready(Pg *p, const char *verb, Str subject, Err *e);
int64_t pg_left_ms(const Pg *p);
/* Wait until the connection can be read or written (POLLIN, POLLOUT); false: the time is over. */
bool pg_wait(Pg *p, short events, int64_t wait_ms);

typedef struct PgQuery {
    PgStmt which;
    const PgParams *params; /* NULL: none */
} PgQuery;

/* Send up to PG_FLIGHT_MAX statements together and wait for all answers: one round trip.
 * `out` has room for `n`; the results are the caller's, also those before a refusal.
 * p->lost: the connection broke or no answer came; otherwise p->sqlstate says why it was refused.
 */
MUST_USE jot_status pg_fly(Pg *p, const PgQuery *queries, size_t n, PGresult **out, Err *e);
/* One statement. */
MUST_USE jot_status pg_ask(Pg *p, PgStmt which, const PgParams *params, PGresult **out, Err *e);
/* Several statements without parameters, by the simple protocol: one transaction. */
MUST_USE jot_status pg_script(Pg *p, const char *sql, Err *e);
/* Wake anyone who waits for changes; nothing is waited for. */
void pg_notify(Pg *p);

/* "could not VERB 'subject': why" */
jot_status pg_say(Pg *p, Err *e, jot_status st, const char *why);
bool pg_refused_with(const Pg *p, const char *sqlstate);

#endif
