/* append.c - writing one record in one round trip, and answers that are lost.
 *
 * A record is sealed by store_seal() against the head this handle saw last, and sent
 * together with that head's seq and chain.  The server stores it if that is still the
 * head and the guard stands where it should; otherwise it answers with the head and the
 * last ids, and the record is sealed again.
 *
 * If the answer is lost, the same record is sent again under the same number of its
 * writer: it is stored then, or was, or another's stands in its place. */
#include "store/redis/append.h"

#include <stdio.h>

#include "base/mutant.h"
#include "store/redis/flight.h"
#include "store/redis/row.h"

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
} Append;

static size_t window(const Append *a)
{
    return a->draft->id.n ? STORE_ID_WINDOW : 1;
}

/* Rows as the verbs append and look give them. */
static jot_status read_base(Redis *p, const Append *a, const redisReply *r, Base *out, Err *e)
{
    enum { FIRST = 3 };
    arena_free(&out->arena);
    *out = (Base){ .guard = reply_seq(r, 2) };
    for (size_t i = FIRST; i < reply_count(r) && out->recent_n < STORE_ID_WINDOW; i++)
        TRY(reply_row(p, r, i, &out->arena, &out->recent[out->recent_n++], e));
    if (out->recent_n)
        out->head = out->recent[0].mark;
    return known_keep(&p->known, a->stream, &out->head, e);
}

static jot_status look(Redis *p, const Append *a, Base *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Script s = script_begin(p, &arena, SCRIPT_REST, "look", a->stream, a->x->guard);
    words_add(&s.words, (Str){ 0 });
    words_add_u64(&s.words, window(a));
    TRY(redis_call(p, &s, &code, &r, e));
    store_saw_clock(&p->base, reply_number(r, 1));
    return read_base(p, a, r, out, e);
}

static jot_status seal(Redis *p, Append *a, const Base *b, Err *e)
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
    a->nonce = MUTANT(REDIS_SAME_NUMBER) ? 1 : redis_nonce(p);
    *a->out = a->sealed.mark;
    return st;
}

/* Send the sealed record: JOT_OK with *code, and for CODE_AGAIN what to seal against. */
static jot_status send(Redis *p, Append *a, RedisCode *code, Base *b, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) row = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Standing now = { a->stream, a->x->guard, a->nonce, a->against, a->x->guard_seq };
    if (MUTANT(REDIS_GUARD_BEFORE))
        now.guard = (Str){ 0 };
    Script s = script_if(p, &arena, SCRIPT_ADD, "append", &now);
    row_write(&row, &a->sealed, a->nonce);
    words_add_u64(&s.words, window(a));
    words_add(&s.words, buf_str(&row));
    words_add(&s.words, a->sealed.body);
    jot_status st = redis_call(p, &s, code, &r, e);
    /* One that was sent and lost stays under way until an answer says what became of it. */
    a->under_way = st != JOT_OK && (a->under_way || p->lost);
    TRY(st);
    store_saw_clock(&p->base, reply_number(r, 1));
    if (*code == CODE_CLASH) {
        *a->out = a->against;
        return store_name_taken(e, a->stream, reply_text(r, 2));
    }
    return *code == CODE_AGAIN ? read_base(p, a, r, b, e) : JOT_OK;
}

/* Is the head that is known enough?  A condition that it does not meet may be met by now, and an
 * id is looked up before any condition. */
static bool is_known(Redis *p, Append *a)
{
    const Mark *seen = known_find(&p->known, a->stream);
    if (!seen)
        return false;
    Base b = { .head = *seen, .guard = a->x->guard_seq };
    Err ignored = { 0 };
    return seal(p, a, &b, &ignored) == JOT_OK;
}

static jot_status done(Redis *p, Append *a, Err *e)
{
    *a->out = a->sealed.mark;
    TRY(known_keep(&p->known, a->stream, &a->sealed.mark, e));
    return redis_wait_replicas(p, e);
}

static jot_status trimmed(Err *e)
{
    return err_set(e, JOT_UNKNOWN,
                   "it is not known whether the record was written: its answer was lost, and its "
                   "place was trimmed since");
}

static jot_status append_once(Redis *p, void *ctx, bool again, Err *e)
{
    Append *a = ctx;
    AUTO(Base) b = { 0 };
    RedisCode code = CODE_AGAIN;
    bool resent = again && a->under_way && !MUTANT(REDIS_SEAL_AGAIN);
    int64_t until = io_awake_ms(&io_system) + p->base.wait_ms;
    if (!resent && (MUTANT(REDIS_GUARD_BEFORE) || !is_known(p, a))) {
        TRY(look(p, a, &b, e));
        TRY(seal(p, a, &b, e));
        if (a->again)
            return JOT_OK;
    }
    for (;;) {
        TRY(send(p, a, &code, &b, e));
        if (code == CODE_TRIMMED && resent)
            return trimmed(e);
        if (code == CODE_DONE || (code == CODE_WAS_DONE && resent))
            return done(p, a, e);
        resent = false;
        if (code != CODE_AGAIN) /* a number that two writers drew, or a gap: look again */
            TRY(look(p, a, &b, e));
        TRY(seal(p, a, &b, e));
        if (a->again)
            return JOT_OK;
        /* Whoever is beaten has been beaten by a write that happened, so somebody gets on. */
        if (io_awake_ms(&io_system) > until)
            return redis_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}

jot_status redis_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    Append a = { .stream = stream, .x = x, .draft = d, .out = out };
    RedisWork work = { append_once, &a, &a.under_way };
    return redis_do((Redis *)s, "write", stream, &work, e);
}
