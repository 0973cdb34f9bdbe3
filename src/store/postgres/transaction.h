/* transaction.h - writing in steps, with the stream locked. */
#ifndef STORE_POSTGRES_TRANSACTION_H
#define STORE_POSTGRES_TRANSACTION_H

#include "store/postgres/pg.h"

/* A stream that this handle has locked, within a transaction. */
typedef struct PgHead {
    Mark mark;      /* seq 0: there is none */
    int64_t number; /* of the stream; 0: none */
    uint64_t guard; /* where the guard's head stands */
    uint64_t mine;  /* the number under which this call writes */
} PgHead;

/* Begin a transaction and lock the stream and its guard.  out->mine stays as it is. */
MUST_USE jot_status pg_begin(Pg *p, Str stream, const Expect *x, PgHead *out, Err *e);
/* Commit if `st` is JOT_OK, else roll back; returns `st` or what went wrong. */
MUST_USE jot_status pg_end(Pg *p, jot_status st, Err *e);
/* Do `work` as often as its answer is lost and there is time.  *again is true from the second time
 * on: what it finds may be its own. */
typedef struct PgWork {
    jot_status (*run)(Pg *p, void *ctx, bool again, Err *e);
    void *ctx;
    /* An answer that was lost is still open; NULL: every lost answer is, and doing the work twice
     * is doing it once. */
    const bool *under_way;
} PgWork;
MUST_USE jot_status pg_do(Pg *p, const char *verb, Str stream, const PgWork *work, Err *e);
uint64_t pg_nonce(Pg *p);
/* It is not known whether it happened. */
jot_status pg_unknown(Pg *p, Str stream, Err *e);
/* JOT_INVALID if a live stream lies above or below `name`; the birth of the name is locked. */
MUST_USE jot_status pg_check_clash(Pg *p, Str name, Err *e);
/* Within a transaction: records after the head. */
MUST_USE jot_status pg_add_records(Pg *p, Str stream, PgHead *head, const Record *records, size_t n,
                                   Err *e);
/* The same before it, into a gap. */
MUST_USE jot_status pg_fill_records(Pg *p, const PgHead *head, const Record *records, size_t n,
                                    Err *e);

#endif
