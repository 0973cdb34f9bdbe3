/* append.c - writing one record: the PUT of the number after the head, if it is not there.
 *
 *     head known ──► seal ──► PUT n+1 ──► 200 ───────────────────────────► done
 *                     ▲          ├──────► 412, the record there is ours ──► done
 *                     │          ├──────► 409, 5xx, no answer: the same PUT again
 *                     └── look ◄─┴──────► 412, another's
 *
 * The same record is sent under the same nonce until an answer says what became of it; sent
 * twice it is written once, because the second PUT finds the first.  Before the first record of
 * a life stands its mark (mark.c), before a tombstone its own.
 *
 * A guard is another object, so it is looked at before, and not in the same step; what makes up
 * for that is the fence (memory/lease.c). */
#include "store/s3/append.h"

#include <assert.h>

#include "base/mutant.h"
#include "store/s3/look.h"
#include "store/s3/mark.h"
#include "store/s3/request.h"
#include "store/sending.h"

/* What is known of the stream while one append is under way. */
typedef struct Base {
    Arena arena;
    S3Object head; /* seq 0: there is none */
    int64_t seen_ms;
    bool fresh; /* it was looked at for this append */
} Base;

static void base_done(Base *b)
{
    arena_free(&b->arena);
}
DEFINE_AUTO(Base, base_done)

/* --- One object --------------------------------------------------------------------------- */

/* Whose is the record with this number? */
static jot_status look_whose(S3 *p, Str stream, const S3Object *o, S3Put *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object there;
    S3Found found;
    TRY(s3_fetch(p, &(S3At){ stream, o->record.mark.seq, false }, &arena, &there, &found, e));
    bool ours = there.nonce == o->nonce || MUTANT(S3_SAME_NUMBER);
    *out = found != S3_THERE ? S3_PUT_GONE : ours ? S3_PUT_DONE : S3_PUT_TAKEN;
    return JOT_OK;
}

/* What an answer to the PUT means.  One that is not S3's own, but of something on the way that did
 * not refuse it (a gateway's timeout), says nothing about what became of it. */
static jot_status judge(S3 *p, Str stream, const S3Object *o, const S3Answer *a, S3Put *out, Err *e)
{
    *out = S3_PUT_DONE;
    if (a->status / 100 == 2 && !a->foreign)
        return JOT_OK;
    if (a->status == 412)
        return look_whose(p, stream, o, out, e);
    *out = a->status == 0 ? S3_PUT_LATE : S3_PUT_AGAIN;
    return a->status == 0 || a->foreign || s3_is_busy(a) ? JOT_OK : s3_refused(p, a, e);
}

/* Send it once.  JOT_OK with S3_PUT_AGAIN: nobody knows yet, and `why` says what came. */
static jot_status send_record(S3 *p, Str stream, const S3Object *o, const S3Call *c, S3Put *out,
                              Err *why)
{
    AUTO(S3Answer) a = { 0 };
    jot_status st = s3_send(p, c, &a, why);
    if (st != JOT_OK && p->lost) {
        *out = S3_PUT_AGAIN;
        return JOT_OK;
    }
    TRY(st);
    TRY(judge(p, stream, o, &a, out, why));
    if (*out == S3_PUT_AGAIN)
        (void)s3_refused(p, &a, why);
    return JOT_OK;
}

jot_status s3_put_record(S3 *p, Str stream, const S3Object *o, int64_t seen_ms, S3Put *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) body = { 0 };
    bool sent = false; /* and nobody knows what became of it */
    s3_write_object(&body, stream, o);
    S3Call c = { .method = "PUT",
                 .key = s3_record(&arena, stream, o->record.mark.seq),
                 .body = buf_str(&body),
                 .absent = true,
                 .before_ms = seen_ms + S3_BELIEVE_MS };
    for (;;) {
        Err why = { 0 };
        jot_status st = send_record(p, stream, o, &c, out, &why);
        bool again = st == JOT_OK && *out == S3_PUT_AGAIN;
        if (st == JOT_OK && *out == S3_PUT_GONE) {
            if (sent)
                return sending_unknown(e);
            *out = S3_PUT_TAKEN;
        }
        if (st == JOT_OK && !again && !(sent && *out == S3_PUT_LATE))
            return JOT_OK;
        sent = sent || again;
        if (again && s3_pause(p))
            continue;
        if (sent)
            return err_set(e, JOT_UNKNOWN, "it is not known whether it was written: %s", why.text);
        return err_pass(e, &why, st);
    }
}

jot_status s3_guard_seq(S3 *p, const Expect *x, uint64_t *out, Err *e)
{
    *out = 0;
    return x->guard.n ? s3_newest(p, x->guard, out, e) : JOT_OK;
}

/* --- One append --------------------------------------------------------------------------- */

static jot_status look(S3 *p, Str stream, Base *b, Err *e)
{
    arena_free(&b->arena);
    *b = (Base){ .seen_ms = io_awake_ms(p->base.io), .fresh = true };
    return s3_look(p, stream, false, &b->arena, &b->head, e);
}

/* What this handle believes, or what there is. */
static jot_status begin(S3 *p, Str stream, Base *b, Err *e)
{
    const S3Sight *s = s3_believed(p, stream);
    if (!s)
        return look(p, stream, b, e);
    b->head = (S3Object){ .record.mark = s->head,
                          .floor = s->floor,
                          .ids = arena_copy(&b->arena, str(s->ids)) };
    b->seen_ms = s->seen_ms;
    return JOT_OK;
}

/* What the sealing needs beside the head: the guard, and the record that has the id. */
static jot_status see(S3 *p, const Sending *a, Base *b, Seen *out, Err *e)
{
    S3Object same;
    S3Found found = S3_ABSENT;
    *out = (Seen){ .head = b->head.record.mark };
    TRY(s3_guard_seq(p, a->x, &out->guard_seq, e));
    uint64_t seq = a->draft->id.n ? s3_find_id(b->head.ids, a->draft->id) : 0;
    if (seq < b->head.floor)
        seq = 0;
    if (seq)
        TRY(s3_fetch(p, &(S3At){ a->stream, seq, false }, &b->arena, &same, &found, e));
    if (found == S3_THERE)
        out->recent[out->recent_n++] = same.record;
    return JOT_OK;
}

/* Seal it.  What is decided without a PUT is decided by a head that was looked at: one that is
 * believed may have been followed by others since. */
static jot_status seal(S3 *p, Sending *a, Base *b, Err *e)
{
    for (;;) {
        AUTO(Seen) seen = { 0 };
        TRY(see(p, a, b, &seen, e));
        jot_status st = sending_seal(&p->base, a, &seen, s3_nonce(p), e);
        if (b->fresh || (st == JOT_OK && !a->again))
            return st;
        TRY(look(p, a->stream, b, e));
    }
}

static jot_status prepare(S3 *p, const Sending *a, Arena *arena, S3Claim *claim, Err *e)
{
    bool begins = mark_live(&a->sealed.mark) && !mark_live(&a->against);
    *claim = (S3Claim){ a->stream, a->sealed.mark.seq, a->nonce, { 0 } };
    if (begins)
        TRY(s3_claim(p, claim, arena, e));
    if (a->sealed.mark.op == OP_DELETE)
        TRY(s3_bury(p, a->stream, e));
    return s3_hint(p, a->stream, false, e);
}

static jot_status done(S3 *p, Sending *a, const S3Object *o, int64_t sent_ms, Err *e)
{
    Err ignored = { 0 };
    *a->out = a->sealed.mark;
    TRY(s3_saw(p, a->stream, o, sent_ms, e));
    /* A mark that stays is a name that a list may show: the record is written all the same. */
    if (a->sealed.mark.op == OP_DELETE)
        (void)!s3_retire(p, a->stream, a->sealed.mark.seq, &ignored);
    return JOT_OK;
}

/* One try: *again if another was faster, or it took too long. */
static jot_status try_once(S3 *p, Sending *a, Base *b, bool *again, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Claim claim = { 0 };
    S3Put put = S3_PUT_DONE;
    *again = false;
    TRY(seal(p, a, b, e));
    if (a->again)
        return JOT_OK;
    jot_status st = prepare(p, a, &arena, &claim, e);
    if (st == JOT_INVALID)
        *a->out = a->against;
    S3Object o = { .record = a->sealed,
                   .nonce = a->nonce,
                   .floor = b->head.floor,
                   .ids = s3_next_ids(&arena, b->head.ids, a->sealed.mark.seq, a->sealed.id) };
    int64_t sent_ms = io_awake_ms(p->base.io);
    if (st == JOT_OK)
        st = s3_put_record(p, a->stream, &o, b->seen_ms, &put, e);
    if (st == JOT_UNKNOWN)
        return st;
    if (st == JOT_OK && put == S3_PUT_DONE)
        return done(p, a, &o, sent_ms, e);
    s3_withdraw(p, &claim);
    TRY(st);
    *again = true;
    return look(p, a->stream, b, e);
}

jot_status s3_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    S3 *p = (S3 *)s;
    Sending a = { .stream = stream, .x = x, .draft = d, .out = out };
    AUTO(Base) b = { 0 };
    TRY(s3_ready(p, "write", stream, e));
    int64_t until = io_awake_ms(&io_system) + s->wait_ms;
    TRY(begin(p, stream, &b, e));
    for (;;) {
        bool again = false;
        TRY(try_once(p, &a, &b, &again, e));
        if (!again)
            return JOT_OK;
        /* A writer is only beaten by a write that happened, so somebody makes progress. */
        if (io_awake_ms(&io_system) > until)
            return s3_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}
