/* append.c - writing one record in one round trip (sending.h says how).
 *
 * A script of the server stores the record if the head and the guard are where they should
 * be; otherwise it answers with the head and the last ids.  A writer that others beat all
 * the time tries until it has waited long enough. */
#include "store/redis/append.h"

#include "base/mutant.h"
#include "store/redis/flight.h"
#include "store/row.h"
#include "store/sending.h"

/* The number of one sending. */
static uint64_t draw_number(Redis *p)
{
    return MUTANT(REDIS_SAME_NUMBER) ? 1 : redis_nonce(p);
}

/* Rows as the verbs append and look give them. */
static jot_status read_seen(Redis *p, const Sending *a, const redisReply *r, Seen *out, Err *e)
{
    enum { FIRST = 3 };
    arena_free(&out->arena);
    *out = (Seen){ .guard_seq = reply_seq(r, 2) };
    for (size_t i = FIRST; i < reply_count(r) && out->recent_n < STORE_ID_WINDOW; i++)
        TRY(reply_row(p, r, i, &out->arena, &out->recent[out->recent_n++], e));
    if (out->recent_n)
        out->head = out->recent[0].mark;
    return known_keep(&p->known, a->stream, &out->head, e);
}

static jot_status look(Redis *p, const Sending *a, Seen *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Script s = script_begin(p, &arena, SCRIPT_REST, "look", a->stream, a->x->guard);
    words_add(&s.words, (Str){ 0 });
    words_add_u64(&s.words, sending_window(a));
    TRY(redis_call(p, &s, &code, &r, e));
    store_saw_clock(&p->base, reply_number(r, 1));
    return read_seen(p, a, r, out, e);
}

static jot_status seal(Redis *p, Sending *a, const Seen *seen, Err *e)
{
    return sending_seal(&p->base, a, seen, draw_number(p), e);
}

/* Is it time to ask for the server's?  One that steps is noticed within a second. */
static bool clock_is_old(const Redis *p)
{
    enum { SECOND_MS = 1000 };
    int64_t age_ms = io_awake_ms(p->base.io) - p->base.served_awake_ms;
    return !p->base.served_ms || age_ms < 0 || age_ms >= SECOND_MS;
}

/* Send the sealed record: JOT_OK with *code, and for CODE_AGAIN what to seal against. */
static jot_status send(Redis *p, Sending *a, RedisCode *code, Seen *seen, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) row = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Standing now = { a->stream, a->x->guard, a->nonce, a->against, a->x->guard_seq };
    if (MUTANT(REDIS_GUARD_BEFORE))
        now.guard = (Str){ 0 };
    Script s = script_if(p, &arena, SCRIPT_ADD, "append", &now);
    row_write(&row, &a->sealed, a->nonce);
    words_add_u64(&s.words, sending_window(a));
    words_add(&s.words, buf_str(&row));
    words_add(&s.words, a->sealed.body);
    words_add(&s.words, clock_is_old(p) ? S("1") : S(""));
    jot_status st = redis_call(p, &s, code, &r, e);
    /* One that was sent and lost stays under way until an answer says what became of it. */
    a->under_way = st != JOT_OK && (a->under_way || p->lost);
    TRY(st);
    if (reply_count(r) > 1)
        store_saw_clock(&p->base, reply_number(r, 1));
    if (*code == CODE_CLASH) {
        *a->out = a->against;
        return store_name_taken(e, a->stream, reply_text(r, 2));
    }
    return *code == CODE_AGAIN ? read_seen(p, a, r, seen, e) : JOT_OK;
}

static jot_status done(Redis *p, Sending *a, Err *e)
{
    TRY(sending_done(a, &p->known, e));
    return redis_wait_replicas(p, e);
}

static jot_status append_once(Redis *p, void *ctx, bool again, Err *e)
{
    Sending *a = ctx;
    AUTO(Seen) seen = { 0 };
    RedisCode code = CODE_AGAIN;
    bool resent = again && a->under_way && !MUTANT(REDIS_SEAL_AGAIN);
    int64_t until = io_awake_ms(&io_system) + p->base.wait_ms;
    if (!resent && (MUTANT(REDIS_GUARD_BEFORE) ||
                    !sending_seal_known(&p->base, a, &p->known, draw_number(p)))) {
        TRY(look(p, a, &seen, e));
        TRY(seal(p, a, &seen, e));
        if (a->again)
            return JOT_OK;
    }
    for (;;) {
        TRY(send(p, a, &code, &seen, e));
        if (code == CODE_TRIMMED && resent)
            return sending_unknown(e);
        if (code == CODE_DONE || (code == CODE_WAS_DONE && resent))
            return done(p, a, e);
        resent = false;
        if (code != CODE_AGAIN) /* a number that two writers drew, or a gap: look again */
            TRY(look(p, a, &seen, e));
        TRY(seal(p, a, &seen, e));
        if (a->again)
            return JOT_OK;
        /* A writer is only beaten by a write that happened, so somebody makes progress. */
        if (io_awake_ms(&io_system) > until)
            return redis_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}

jot_status redis_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    Sending a = { .stream = stream, .x = x, .draft = d, .out = out };
    RedisWork work = { append_once, &a, &a.under_way };
    return redis_do((Redis *)s, "write", stream, &work, e);
}
