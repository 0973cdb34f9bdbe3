/* forget.c - trim, redact, purge, and records that are put where they were before.
 *
 * Each is a transaction that holds the stream.  Doing one of them twice is doing
 * it once, so one whose answer was lost is done again; what adds a record knows
 * it by the writer's number. */
#include "store/postgres/forget.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "store/postgres/flight.h"
#include "store/postgres/statement.h"
#include "store/postgres/transaction.h"
#include "store/postgres/tuple.h"
#include "store/sending.h"

enum { TRIM_BATCH = 1000 }; /* records dropped in one transaction, so that others get a turn */

static jot_status meet(Str stream, const Expect *x, const PgHead *head, Err *e)
{
    if (head->mark.seq == 0)
        return store_not_found(e, stream);
    return store_check_expect(stream, x, &head->mark, head->guard, e);
}

/* Something was forgotten: anyone who follows the pad must know, and the files be cleared. */
static jot_status note_forgotten(Pg *p, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    return pg_ask(p, PG_FORGOT, NULL, &r, e);
}

static jot_status drop_before(Pg *p, int64_t number, uint64_t seq, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_u64(&q, (uint64_t)number);
    pg_add_u64(&q, seq);
    return pg_ask(p, PG_DROP, &q, &r, e);
}

/* --- Trim ------------------------------------------------------------------------------ */

static jot_status trim_locked(Pg *p, Forget *f, const PgHead *head, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    TRY(meet(f->stream, f->x, head, e));
    pg_add_u64(&q, (uint64_t)head->number);
    pg_add_u64(&q, store_trim_from(&head->mark, f->seq));
    pg_add_u64(&q, TRIM_BATCH);
    TRY(pg_ask(p, PG_TRIM, &q, &r, e));
    uint64_t n = (uint64_t)tuple_i64(p, r, 0, 0);
    f->dropped += n;
    f->more = n == TRIM_BATCH;
    return JOT_OK;
}

static jot_status trim_once(Pg *p, void *ctx, bool again, Err *e)
{
    Forget *f = ctx;
    PgHead head = { 0 };
    TRY(pg_begin(p, f->stream, f->x, &head, e));
    return pg_end(p, trim_locked(p, f, &head, e), e);
}

jot_status pg_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                   Err *e)
{
    Forget f = { .stream = stream, .x = x, .seq = before, .more = true };
    PgWork work = { trim_once, &f, NULL };
    while (f.more) {
        f.more = false;
        TRY(pg_do((Pg *)s, "trim", stream, &work, e));
        *dropped = f.dropped;
    }
    return JOT_OK;
}

/* --- Redact ---------------------------------------------------------------------------- */

/* The seqs as Postgres writes an array. */
static void write_array(const Redaction *set, Buf *to)
{
    buf_add(to, S("{"));
    for (size_t i = 0; i < set->n; i++)
        buf_addf(to, "%s%llu", i ? "," : "", (unsigned long long)set->seqs[i]);
    buf_add(to, S("}"));
}

static jot_status check_all(Pg *p, const Forget *f, const PgHead *head, const PGresult *r, Err *e)
{
    for (size_t i = 0; i < f->set->n; i++) {
        Mark m;
        if ((int)i >= p->pq->ntuples(r) || (uint64_t)tuple_i64(p, r, (int)i, 0) != f->set->seqs[i])
            return store_not_found(e, f->stream);
        TRY(tuple_mark(p, r, (int)i, 0, &m, e));
        TRY(store_check_redact(f->stream, &head->mark, &m, e));
    }
    return JOT_OK;
}

static jot_status redact_locked(Pg *p, Forget *f, const PgHead *head, Err *e)
{
    AUTO_PTR(PGresult) found = NULL;
    AUTO_PTR(PGresult) blanked = NULL;
    AUTO(Buf) seqs = { 0 };
    PgParams q = { 0 };
    TRY(meet(f->stream, f->x, head, e));
    if (f->set->seqs[f->set->n - 1] > STORE_SEQ_MAX)
        return store_not_found(e, f->stream);
    write_array(f->set, &seqs);
    pg_add_u64(&q, (uint64_t)head->number);
    pg_add_bytes(&q, buf_str(&seqs));
    TRY(pg_ask(p, PG_FIND, &q, &found, e));
    TRY(check_all(p, f, head, found, e));
    TRY(pg_ask(p, PG_BLANK, &q, &blanked, e));
    return note_forgotten(p, e);
}

static jot_status redact_once(Pg *p, void *ctx, bool again, Err *e)
{
    Forget *f = ctx;
    PgHead head = { 0 };
    TRY(pg_begin(p, f->stream, f->x, &head, e));
    TRY(pg_end(p, redact_locked(p, f, &head, e), e));
    pg_notify(p);
    return JOT_OK;
}

jot_status pg_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    Forget f = { .stream = stream, .x = x, .set = r };
    PgWork work = { redact_once, &f, NULL };
    return pg_do((Pg *)s, "redact", stream, &work, e);
}

/* --- Purge ----------------------------------------------------------------------------- */

/* What stands before a seq, and from it on; seq 0 if there is none. */
typedef struct Beside {
    Record before, from;
} Beside;

static jot_status beside(Pg *p, int64_t number, uint64_t seq, Arena *into, Beside *out, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    *out = (Beside){ 0 };
    pg_add_u64(&q, (uint64_t)number);
    pg_add_u64(&q, seq);
    TRY(pg_ask(p, PG_BESIDE, &q, &r, e));
    for (int i = 0; i < p->pq->ntuples(r); i++) {
        Record *to = (uint64_t)tuple_i64(p, r, i, 0) < seq ? &out->before : &out->from;
        TRY(tuple_record(p, r, i, into, to, e));
    }
    return JOT_OK;
}

static jot_status find_newest(Pg *p, int64_t number, Arena *into, Gone *out, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_u64(&q, (uint64_t)number);
    pg_add_u64(&q, STORE_TOLD_MAX);
    TRY(pg_ask(p, PG_NEWEST, &q, &r, e));
    Record *newest = NEW_ARRAY(into, Record, STORE_TOLD_MAX);
    out->newest = newest;
    for (int i = 0; i < p->pq->ntuples(r) && out->n < STORE_TOLD_MAX; i++)
        out->n += tuple_mark(p, r, i, 0, &newest[out->n].mark, NULL) == JOT_OK;
    return JOT_OK;
}

/* Whose record has a seq? */
typedef enum Whose { WHOSE_NOBODYS, WHOSE_OURS, WHOSE_ANOTHERS } Whose;

/* An answer of this call was lost: did it put this record? */
static jot_status look_whose(Pg *p, const Forget *f, const PgHead *head, uint64_t seq, Whose *out,
                             Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_u64(&q, (uint64_t)head->number);
    pg_add_u64(&q, seq);
    pg_add_u64(&q, f->nonce);
    TRY(pg_ask(p, PG_MINE, &q, &r, e));
    *out = p->pq->ntuples(r) == 0  ? WHOSE_NOBODYS
           : tuple_i64(p, r, 0, 0) ? WHOSE_OURS
                                   : WHOSE_ANOTHERS;
    return JOT_OK;
}

/* Was it done, and its answer lost?  What came after it stays. */
static jot_status was_purged(Pg *p, const Forget *f, const PgHead *head, bool *out, Err *e)
{
    Whose whose = WHOSE_NOBODYS;
    *out = false;
    if (f->sent.seq == 0 || head->mark.seq < f->sent.seq)
        return JOT_OK;
    TRY(look_whose(p, f, head, f->sent.seq, &whose, e));
    *out = whose == WHOSE_OURS;
    return whose == WHOSE_NOBODYS ? sending_unknown(e) : JOT_OK;
}

static jot_status purge_locked(Pg *p, Forget *f, PgHead *head, bool again, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Beside all;
    Gone gone = { 0 };
    bool done = false;
    if (again)
        TRY(was_purged(p, f, head, &done, e));
    *f->out = done ? f->sent : head->mark;
    if (done)
        return JOT_OK;
    TRY(meet(f->stream, f->x, head, e));
    TRY(store_check_room(f->stream, &head->mark, 1, e));
    TRY(beside(p, head->number, 0, &arena, &all, e));
    if (all.from.mark.seq)
        gone.oldest = &all.from;
    TRY(find_newest(p, head->number, &arena, &gone, e));
    Record tombstone = store_tombstone(&p->base, f->stream, f->by, &head->mark, &gone, &arena);
    f->sent = tombstone.mark;
    TRY(pg_add_records(p, f->stream, head, &tombstone, 1, e));
    TRY(drop_before(p, head->number, tombstone.mark.seq, e));
    TRY(note_forgotten(p, e));
    *f->out = tombstone.mark;
    return JOT_OK;
}

static jot_status purge_once(Pg *p, void *ctx, bool again, Err *e)
{
    Forget *f = ctx;
    PgHead head = { .mine = f->nonce };
    TRY(pg_begin(p, f->stream, f->x, &head, e));
    TRY(pg_end(p, purge_locked(p, f, &head, again, e), e));
    pg_notify(p);
    /* If something came after it, that was seen. */
    return f->out->seq < head.mark.seq ? JOT_OK : known_keep(&p->known, f->stream, f->out, e);
}

jot_status pg_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Forget f = { .stream = stream, .x = x, .by = by, .out = out, .nonce = pg_nonce((Pg *)s) };
    PgWork work = { purge_once, &f, NULL };
    return pg_do((Pg *)s, "purge", stream, &work, e);
}

/* --- Forget what is before a record ---------------------------------------------------- */

static jot_status forget_locked(Pg *p, Forget *f, const PgHead *head, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(PGresult) r = NULL;
    Beside all;
    PgParams q = { 0 };
    TRY(meet(f->stream, f->x, head, e));
    TRY(beside(p, head->number, f->seq, &arena, &all, e));
    if (f->seq == 0 || all.from.mark.seq != f->seq)
        return store_not_found(e, f->stream);
    TRY(drop_before(p, head->number, f->seq, e));
    pg_add_u64(&q, (uint64_t)head->number);
    pg_add_u64(&q, head->mark.seq);
    TRY(pg_ask(p, PG_TOUCH, &q, &r, e));
    return note_forgotten(p, e);
}

static jot_status forget_once(Pg *p, void *ctx, bool again, Err *e)
{
    Forget *f = ctx;
    PgHead head = { 0 };
    TRY(pg_begin(p, f->stream, f->x, &head, e));
    TRY(pg_end(p, forget_locked(p, f, &head, e), e));
    pg_notify(p);
    return JOT_OK;
}

jot_status pg_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Forget f = { .stream = stream, .x = x, .seq = seq };
    PgWork work = { forget_once, &f, NULL };
    return pg_do((Pg *)s, "forget the beginning of", stream, &work, e);
}

/* --- Records as they were -------------------------------------------------------------- */

/* Into a gap: what stands before and after it must fit. */
static jot_status fill_locked(Pg *p, const Forget *f, PgHead *head, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Beside all;
    TRY(beside(p, head->number, f->batch->items[0].mark.seq, &arena, &all, e));
    TRY(store_check_place(f->stream, f->batch, &all.before.mark, &all.from, e));
    return pg_fill_records(p, head, f->batch->items, f->batch->n, e);
}

static jot_status put_locked(Pg *p, Forget *f, PgHead *head, bool again, Err *e)
{
    Whose whose = WHOSE_NOBODYS;
    if (again)
        TRY(look_whose(p, f, head, batch_last(f->batch)->mark.seq, &whose, e));
    if (whose == WHOSE_OURS)
        return JOT_OK;
    TRY(store_check_expect(f->stream, f->x, &head->mark, head->guard, e));
    if (f->batch->gaps && f->batch->items[0].mark.seq <= head->mark.seq)
        return fill_locked(p, f, head, e);
    TRY(store_check_place(f->stream, f->batch, &head->mark, NULL, e));
    if (mark_live(&batch_last(f->batch)->mark) && !mark_live(&head->mark))
        TRY(pg_check_clash(p, f->stream, e));
    return pg_add_records(p, f->stream, head, f->batch->items, f->batch->n, e);
}

static jot_status put_once(Pg *p, void *ctx, bool again, Err *e)
{
    Forget *f = ctx;
    PgHead head = { .mine = f->nonce };
    TRY(pg_begin(p, f->stream, f->x, &head, e));
    TRY(pg_end(p, put_locked(p, f, &head, again, e), e));
    pg_notify(p);
    return known_keep(&p->known, f->stream, &head.mark, e);
}

jot_status pg_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Forget f = { .stream = stream, .x = x, .batch = b, .nonce = pg_nonce((Pg *)s) };
    PgWork work = { put_once, &f, NULL };
    return pg_do((Pg *)s, "write", stream, &work, e);
}

/* --- The server's files ---------------------------------------------------------------- */

jot_status pg_scrub(Store *s, Err *e)
{
    Pg *p = (Pg *)s;
    AUTO_PTR(PGresult) due = NULL;
    AUTO_PTR(PGresult) done = NULL;
    TRY(pg_ready(p, "clear", str(p->pad), e));
    TRY(pg_ask(p, PG_SCRUB_DUE, NULL, &due, e));
    if (p->pq->ntuples(due) == 0)
        return JOT_OK;
    if (s->read_only_why[0])
        return store_refuse_write(s, e);
    /* Not in one script: VACUUM is a transaction of its own.  Who may not gets a warning. */
    p->warned = false;
    TRY(pg_script(p, pg_with_schema(p, "VACUUM @.records"), e));
    TRY(pg_script(p, pg_with_schema(p, "VACUUM @.heads"), e));
    if (p->warned)
        return err_set(e, JOT_DENIED,
                       "only their owner may VACUUM the tables of '%s'; 'jotter gc' as that role "
                       "does it",
                       p->pad);
    return pg_ask(p, PG_SCRUBBED, NULL, &done, e);
}
