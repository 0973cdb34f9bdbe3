/* append.c - writing: one record in one round trip, transactions, and answers that are lost.
 *
 * A record is sealed by store_seal() against the head this handle saw last, and
 * sent together with that head's seq and chain.  The server stores it if that is
 * still the head and the guard stands where it should; otherwise it answers with
 * the head and the last ids, and the record is sealed again.  A stream that many
 * write to is locked after two such tries, so that nobody starves.
 *
 * If the answer is lost, the same record is sent again under the same number of
 * its writer: it is stored then, or was, or another's stands in its place. */
#include "store/postgres/append.h"

#include "base/mutant.h"
#include "store/postgres/flight.h"
#include "store/postgres/transaction.h"
#include "store/postgres/tuple.h"

enum {
    TRIES_OPEN = 2, /* before the stream is locked */
};

/* What append() answers. */
typedef enum AppendCode {
    APPEND_DONE = 0,
    APPEND_WAS_DONE = 1, /* by an earlier sending */
    APPEND_AGAIN = 2,    /* seal again: the rows say against what */
    APPEND_CLASH = 3,
    APPEND_UNKNOWN = 4, /* the place of the record was trimmed */
} AppendCode;

/* --- One append ------------------------------------------------------------------------ */

/* What a record is sealed against. */
typedef struct Base {
    Arena arena;
    Mark head;
    Record recent[STORE_ID_WINDOW]; /* newest first, with mark, id and meta */
    size_t recent_n;
    uint64_t guard;
} Base;

static void base_free(Base *b)
{
    arena_free(&b->arena);
}
DEFINE_AUTO(Base, base_free)

typedef struct Append {
    Str stream;
    const Expect *x;
    const Draft *draft;
    Mark *out;
    Record sealed;  /* what was sent last ... */
    Mark against;   /* ... and against which head ... */
    uint64_t nonce; /* ... under this number */
    bool under_way; /* its answer was lost */
    bool again;     /* the id was found: nothing is to be stored */
    int beaten;     /* how often somebody else was faster */
} Append;

/* Rows as append() and PG_LOOK give them. */
static jot_status read_base(Pg *p, const Append *a, const PGresult *r, Base *out, Err *e)
{
    arena_free(&out->arena);
    *out = (Base){ .guard = (uint64_t)tuple_i64(p, r, 0, 3) };
    store_saw_clock(&p->base, tuple_i64(p, r, 0, 2));
    for (int i = 0; i < p->pq->ntuples(r) && i < STORE_ID_WINDOW && !tuple_null(p, r, i, 5); i++) {
        Record *one = &out->recent[out->recent_n++];
        *one = (Record){ .id = arena_copy(&out->arena, tuple_bytes(p, r, i, 13)),
                         .meta = arena_copy(&out->arena, tuple_bytes(p, r, i, 14)) };
        TRY(tuple_mark(p, r, i, 5, &one->mark, e));
    }
    if (out->recent_n)
        out->head = out->recent[0].mark;
    return known_keep(&p->known, a->stream, &out->head, e);
}

static jot_status look(Pg *p, const Append *a, Base *out, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_bytes(&q, a->stream);
    pg_add_bytes(&q, a->x->guard);
    pg_add_u64(&q, a->draft->id.n ? STORE_ID_WINDOW : 1);
    TRY(pg_ask(p, PG_LOOK, &q, &r, e));
    return read_base(p, a, r, out, e);
}

static jot_status seal(Pg *p, Append *a, const Base *b, Err *e)
{
    Sealing asked = {
        .stream = a->stream,
        .x = a->x,
        .draft = a->draft,
        .head = &b->head,
        .recent = b->recent,
        .recent_n = a->draft->id.n ? b->recent_n : 0,
        .guard_seq = b->guard,
    };
    jot_status st = store_seal(&p->base, &asked, &a->sealed, &a->again, e);
    a->against = b->head;
    a->nonce = MUTANT(PG_SAME_NUMBER) ? 1 : pg_nonce(p);
    *a->out = a->sealed.mark;
    return st;
}

/* Send the sealed record: JOT_OK with *code, and for APPEND_AGAIN what to seal against. */
static jot_status send(Pg *p, Append *a, AppendCode *code, Base *b, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_bytes(&q, a->stream);
    pg_add_u64(&q, a->against.seq);
    pg_add_bytes(&q, (Str){ (const char *)a->against.chain.b, sizeof a->against.chain.b });
    pg_add_bytes(&q, MUTANT(PG_GUARD_BEFORE) ? (Str){ 0 } : a->x->guard);
    pg_add_u64(&q, a->x->guard_seq);
    pg_add_u64(&q, STORE_ID_WINDOW);
    pg_add_record(&q, &a->sealed, a->nonce);
    jot_status st = pg_ask(p, PG_APPEND, &q, &r, e);
    /* One that was sent and lost stays under way until an answer says what became of it. */
    a->under_way = st != JOT_OK && (a->under_way || p->lost);
    TRY(st);
    *code = (AppendCode)tuple_i64(p, r, 0, 0);
    store_saw_clock(&p->base, tuple_i64(p, r, 0, 2));
    bool heard = tuple_i64(p, r, 0, 1);
    if (*code == APPEND_CLASH) {
        *a->out = a->against;
        return store_name_taken(e, a->stream, tuple_bytes(p, r, 0, 4));
    }
    if (*code == APPEND_DONE && heard && !p->flying)
        pg_notify(p);
    return *code == APPEND_AGAIN ? read_base(p, a, r, b, e) : JOT_OK;
}

static jot_status done(Pg *p, Append *a, Err *e)
{
    *a->out = a->sealed.mark;
    return known_keep(&p->known, a->stream, &a->sealed.mark, e);
}

/* With the stream locked: nobody is faster. */
static jot_status append_locked(Pg *p, Append *a, Err *e)
{
    AUTO(Base) b = { 0 };
    PgHead head = { 0 };
    AppendCode code = APPEND_AGAIN;
    TRY(pg_begin(p, a->stream, a->x, &head, e));
    jot_status st = look(p, a, &b, e);
    if (st == JOT_OK)
        st = seal(p, a, &b, e);
    if (st == JOT_OK && !a->again)
        st = send(p, a, &code, &b, e);
    bool stored = st == JOT_OK && !a->again;
    if (stored && code != APPEND_DONE) {
        stored = false;
        st = pg_say(p, e, JOT_UNAVAILABLE, "another writer was in the way");
    }
    st = pg_end(p, st, e);
    a->under_way = p->lost && stored;
    if (stored && st == JOT_OK) {
        pg_notify(p);
        return done(p, a, e);
    }
    return st;
}

/* Is the head that is known enough?  A condition that it does not meet may be met by now, and an
 * id is looked up before any condition. */
static bool is_known(Pg *p, Append *a)
{
    const Mark *seen = known_find(&p->known, a->stream);
    if (!seen)
        return false;
    Base b = { .head = *seen, .guard = a->x->guard_seq };
    Err ignored = { 0 };
    return seal(p, a, &b, &ignored) == JOT_OK;
}

static jot_status append_once(Pg *p, void *ctx, bool again, Err *e)
{
    Append *a = ctx;
    AUTO(Base) b = { 0 };
    AppendCode code = APPEND_AGAIN;
    bool resent = again && a->under_way && !MUTANT(PG_SEAL_AGAIN);
    if (!resent && (MUTANT(PG_GUARD_BEFORE) || !is_known(p, a))) {
        TRY(look(p, a, &b, e));
        TRY(seal(p, a, &b, e));
        if (a->again)
            return JOT_OK;
    }
    for (;;) {
        TRY(send(p, a, &code, &b, e));
        if (code == APPEND_UNKNOWN && resent)
            return err_set(e, JOT_UNKNOWN,
                           "it is not known whether the record was written: its answer was lost, "
                           "and its place was trimmed since");
        if (code == APPEND_DONE || (code == APPEND_WAS_DONE && resent))
            return done(p, a, e);
        resent = false;
        if (code != APPEND_AGAIN) /* a number that two writers drew, or a gap: look again */
            TRY(look(p, a, &b, e));
        TRY(seal(p, a, &b, e));
        if (a->again)
            return JOT_OK;
        if (++a->beaten >= TRIES_OPEN)
            return append_locked(p, a, e);
    }
}

jot_status pg_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    Pg *p = (Pg *)s;
    Append a = { .stream = stream, .x = x, .draft = d, .out = out };
    PgWork work = { append_once, &a, &a.under_way };
    return pg_do(p, "write", stream, &work, e);
}
