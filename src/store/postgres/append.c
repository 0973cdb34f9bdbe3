/* append.c - writing one record in one round trip (sending.h says how), or under a lock.
 *
 * A function of the server stores the record if the head and the guard are where they
 * should be; otherwise it answers with the head and the last ids.  A stream that many
 * write to is locked after two such tries, so that nobody starves. */
#include "store/postgres/append.h"

#include <string.h>

#include "base/mutant.h"
#include "store/postgres/flight.h"
#include "store/postgres/transaction.h"
#include "store/postgres/tuple.h"
#include "store/sending.h"

#define SINCE_2000_MS ((int64_t)946684800000)

enum {
    TRIES_OPEN = 2, /* before the stream is locked */
};

/* What add() answers. */
typedef enum AppendCode {
    APPEND_DONE = 0,
    APPEND_WAS_DONE = 1, /* by an earlier sending */
    APPEND_AGAIN = 2,    /* seal again: the rows say against what */
    APPEND_CLASH = 3,
    APPEND_UNKNOWN = 4, /* the place of the record was trimmed */
} AppendCode;

/* --- One append ------------------------------------------------------------------------ */

/* The number of one sending. */
static uint64_t draw_number(Pg *p)
{
    return MUTANT(PG_SAME_NUMBER) ? 1 : pg_nonce(p);
}

/* What add() and PG_LOOK answer with: bytes (schema.c). */
typedef struct Answer {
    AppendCode code;
    bool heard;    /* somebody waits for changes */
    int64_t at_ms; /* by the server's clock */
    uint64_t guard_seq;
    Str rest;
} Answer;

static Str take(Str *from, uint64_t n)
{
    Str one = str_slice(*from, 0, n);
    *from = str_from(*from, n);
    return one;
}

static uint64_t take_u64(Str *from)
{
    Str bytes = take(from, 8);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.n; i++)
        number = number << 8 | (unsigned char)bytes.p[i];
    return number;
}

static Hash take_hash(Str *from)
{
    Hash h = { 0 };
    Str bytes = take(from, sizeof h.b);
    memcpy(h.b, bytes.p, bytes.n);
    return h;
}

static Answer read_answer(Pg *p, const PGresult *r)
{
    Answer a = { .rest = tuple_bytes(p, r, 0, 0) };
    a.code = (AppendCode)take_u64(&a.rest);
    a.heard = take_u64(&a.rest);
    a.at_ms = (int64_t)take_u64(&a.rest) / 1000 + SINCE_2000_MS; /* microseconds */
    a.guard_seq = take_u64(&a.rest);
    store_saw_clock(&p->base, a.at_ms);
    return a;
}

static void take_record(Str *from, Arena *into, Record *out)
{
    Mark *m = &out->mark;
    *out = (Record){ 0 };
    m->seq = take_u64(from);
    m->at_ms = (int64_t)take_u64(from);
    m->op = (Op)take_u64(from);
    m->fence = take_u64(from);
    m->size = take_u64(from);
    uint64_t flags = take_u64(from);
    m->redacted = flags & 1;
    m->gap = flags >> 1;
    m->sha256 = take_hash(from);
    m->chain = take_hash(from);
    out->id = arena_copy(into, take(from, take_u64(from)));
    out->meta = arena_copy(into, take(from, take_u64(from)));
}

static jot_status read_seen(Pg *p, const Sending *a, const Answer *got, Seen *out, Err *e)
{
    Str rest = got->rest;
    arena_free(&out->arena);
    *out = (Seen){ .guard_seq = got->guard_seq };
    while (rest.n && out->recent_n < STORE_ID_WINDOW) {
        Record *one = &out->recent[out->recent_n++];
        take_record(&rest, &out->arena, one);
        TRY(pg_check_mark(p, &one->mark, e));
    }
    if (out->recent_n)
        out->head = out->recent[0].mark;
    return known_keep(&p->known, a->stream, &out->head, e);
}

static jot_status look(Pg *p, const Sending *a, Seen *out, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_bytes(&q, a->stream);
    pg_add_bytes(&q, a->x->guard);
    pg_add_u64(&q, sending_window(a));
    TRY(pg_ask(p, PG_LOOK, &q, &r, e));
    Answer got = read_answer(p, r);
    return read_seen(p, a, &got, out, e);
}

static jot_status seal(Pg *p, Sending *a, const Seen *seen, Err *e)
{
    return sending_seal(&p->base, a, seen, draw_number(p), e);
}

/* Send the sealed record: JOT_OK with *code, and for APPEND_AGAIN what to seal against. */
static jot_status send(Pg *p, Sending *a, AppendCode *code, Seen *seen, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    pg_add_bytes(&q, a->stream);
    pg_add_u64(&q, a->against.seq);
    pg_add_bytes(&q, (Str){ (const char *)a->against.chain.b, sizeof a->against.chain.b });
    pg_add_bytes(&q, MUTANT(PG_GUARD_BEFORE) ? S("") : a->x->guard);
    pg_add_u64(&q, a->x->guard_seq);
    pg_add_u64(&q, STORE_ID_WINDOW);
    pg_add_record(&q, &a->sealed, a->nonce);
    jot_status st = pg_ask(p, PG_APPEND, &q, &r, e);
    /* One that was sent and lost stays under way until an answer says what became of it. */
    a->under_way = st != JOT_OK && (a->under_way || p->lost);
    TRY(st);
    Answer got = read_answer(p, r);
    *code = got.code;
    if (*code == APPEND_CLASH) {
        *a->out = a->against;
        return store_name_taken(e, a->stream, got.rest);
    }
    if (*code == APPEND_DONE && got.heard && !p->flying)
        pg_notify(p);
    return *code == APPEND_AGAIN ? read_seen(p, a, &got, seen, e) : JOT_OK;
}

/* With the stream locked: nobody is faster. */
static jot_status append_locked(Pg *p, Sending *a, Err *e)
{
    AUTO(Seen) seen = { 0 };
    PgHead head = { 0 };
    AppendCode code = APPEND_AGAIN;
    TRY(pg_begin(p, a->stream, a->x, &head, e));
    jot_status st = look(p, a, &seen, e);
    if (st == JOT_OK)
        st = seal(p, a, &seen, e);
    if (st == JOT_OK && !a->again)
        st = send(p, a, &code, &seen, e);
    bool stored = st == JOT_OK && !a->again;
    if (stored && code != APPEND_DONE) {
        stored = false;
        st = pg_say(p, e, JOT_UNAVAILABLE, "another writer was in the way");
    }
    st = pg_end(p, st, e);
    a->under_way = p->lost && stored;
    if (stored && st == JOT_OK) {
        pg_notify(p);
        return sending_done(a, &p->known, e);
    }
    return st;
}

static jot_status append_once(Pg *p, void *ctx, bool again, Err *e)
{
    Sending *a = ctx;
    AUTO(Seen) seen = { 0 };
    AppendCode code = APPEND_AGAIN;
    int beaten = 0; /* how often somebody else was faster */
    bool resent = again && a->under_way && !MUTANT(PG_SEAL_AGAIN);
    if (!resent &&
        (MUTANT(PG_GUARD_BEFORE) || !sending_seal_known(&p->base, a, &p->known, draw_number(p)))) {
        TRY(look(p, a, &seen, e));
        TRY(seal(p, a, &seen, e));
        if (a->again)
            return JOT_OK;
    }
    for (;;) {
        TRY(send(p, a, &code, &seen, e));
        if (code == APPEND_UNKNOWN && resent)
            return sending_unknown(e);
        if (code == APPEND_DONE || (code == APPEND_WAS_DONE && resent))
            return sending_done(a, &p->known, e);
        resent = false;
        if (code != APPEND_AGAIN) /* a number that two writers drew, or a gap: look again */
            TRY(look(p, a, &seen, e));
        TRY(seal(p, a, &seen, e));
        if (a->again)
            return JOT_OK;
        if (++beaten >= TRIES_OPEN)
            return append_locked(p, a, e);
    }
}

jot_status pg_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    Pg *p = (Pg *)s;
    Sending a = { .stream = stream, .x = x, .draft = d, .out = out };
    PgWork work = { append_once, &a, &a.under_way };
    return pg_do(p, "write", stream, &work, e);
}
