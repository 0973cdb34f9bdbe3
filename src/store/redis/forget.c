/* forget.c - trim, redact, purge, and records that are put where they were before.
 *
 * Each looks first, decides, and then changes what it saw on the condition that head and
 * guard still stand there; otherwise it looks again.  Doing one of them twice is doing it
 * once, so one whose answer was lost is done again; what adds a record knows it by the
 * writer's number. */
#include "store/redis/forget.h"

#include <assert.h>

#include "base/mutant.h"
#include "store/redis/flight.h"
#include "store/row.h"
#include "store/sending.h"

enum { TRIM_BATCH = 1000 }; /* records dropped in one step, so that others get a turn */

/* What is looked for, and what was found; the change depends on it. */
typedef struct Found {
    uint64_t seq;      /* what is beside it is looked for ... */
    size_t newest_max; /* ... and so many of the newest */
    Standing now;
    bool mine;           /* the head, or the last of the records to put, is this writer's */
    Record before, from; /* seq 0: there is none */
    Record *newest;
    size_t newest_n;
} Found;

static jot_status look(Redis *p, const Forget *f, Arena *into, Found *out, Err *e)
{
    enum { FIRST = 7 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Record head;
    out->now = (Standing){ f->stream, f->x->guard, f->nonce, { 0 }, 0 };
    Script s = script_begin(p, into, SCRIPT_REST, "beside", f->stream, f->x->guard);
    words_add_seq(&s.words, f->nonce);
    words_add_seq(&s.words, out->seq);
    words_add_seq(&s.words, f->batch ? batch_last(f->batch)->mark.seq : f->sent.seq);
    words_add_u64(&s.words, out->newest_max);
    TRY(redis_call(p, &s, &code, &r, e));
    store_saw_clock(&p->base, reply_number(r, 1));
    out->now.guard_seq = reply_seq(r, 2);
    out->mine = reply_number(r, 3);
    TRY(reply_row(p, r, 4, into, &head, e));
    TRY(reply_row(p, r, 5, into, &out->before, e));
    TRY(reply_row(p, r, 6, into, &out->from, e));
    out->now.head = head.mark;
    out->newest = NEW_ARRAY(into, Record, out->newest_max + 1);
    for (size_t i = FIRST; i < reply_count(r) && out->newest_n < out->newest_max; i++)
        TRY(reply_row(p, r, i, into, &out->newest[out->newest_n++], e));
    return known_keep(&p->known, f->stream, &head.mark, e);
}

static jot_status meet(const Forget *f, const Found *found, Err *e)
{
    if (found->now.head.seq == 0)
        return store_not_found(e, f->stream);
    return store_check_expect(f->stream, f->x, &found->now.head, found->now.guard_seq, e);
}

/* One try: *beaten if somebody has changed the stream between the look and the step. */
typedef jot_status (*ForgetTry)(Redis *p, Forget *f, bool again, bool *beaten, Err *e);

typedef struct ForgetWork {
    Forget *f;
    ForgetTry once;
} ForgetWork;

static jot_status run(Redis *p, void *ctx, bool again, Err *e)
{
    ForgetWork *w = ctx;
    int64_t until = io_awake_ms(&io_system) + p->base.wait_ms;
    for (;;) {
        bool beaten = false;
        TRY(w->once(p, w->f, again, &beaten, e));
        if (!beaten)
            return redis_wait_replicas(p, e);
        if (io_awake_ms(&io_system) > until)
            return redis_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}

static jot_status forget(Store *s, const char *verb, Forget *f, ForgetTry once, Err *e)
{
    ForgetWork w = { f, once };
    RedisWork work = { run, &w, NULL };
    return redis_do((Redis *)s, verb, f->stream, &work, e);
}

/* Call what changes something, if everything still stands. */
static jot_status change(Redis *p, const Script *s, redisReply **r, bool *beaten, Err *e)
{
    RedisCode code;
    TRY(redis_call(p, s, &code, r, e));
    /* CODE_WAS_DONE: what was lost on its way has arrived since it was looked for. */
    *beaten = code == CODE_AGAIN || code == CODE_WAS_DONE;
    return JOT_OK;
}

/* --- Trim ------------------------------------------------------------------------------ */

static jot_status trim_once(Redis *p, Forget *f, bool again, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Found found = { 0 };
    TRY(look(p, f, &arena, &found, e));
    TRY(meet(f, &found, e));
    Script s = script_if(p, &arena, SCRIPT_REST, "trim", &found.now);
    words_add_seq(&s.words, store_trim_from(&found.now.head, f->seq));
    words_add_u64(&s.words, TRIM_BATCH);
    TRY(change(p, &s, &r, beaten, e));
    uint64_t n = *beaten ? 0 : (uint64_t)reply_number(r, 1);
    f->dropped += n;
    f->more = n == TRIM_BATCH;
    return JOT_OK;
}

jot_status redis_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                      Err *e)
{
    Forget f = { .stream = stream, .x = x, .seq = before, .more = true };
    while (f.more) {
        f.more = false;
        TRY(forget(s, "trim", &f, trim_once, e));
        *dropped = f.dropped;
    }
    return JOT_OK;
}

/* --- Redact ---------------------------------------------------------------------------- */

static void add_seqs(Script *s, const Redaction *set)
{
    for (size_t i = 0; i < set->n; i++)
        words_add_seq(&s->words, set->seqs[i]);
}

/* May each of them be redacted? */
static jot_status find(Redis *p, const Forget *f, Arena *arena, Found *out, Err *e)
{
    enum { FIRST = 4 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Record one;
    *out = (Found){ .now = { f->stream, f->x->guard, f->nonce, { 0 }, 0 } };
    Script s = script_begin(p, arena, SCRIPT_REST, "find", f->stream, f->x->guard);
    words_add_seq(&s.words, f->nonce);
    add_seqs(&s, f->set);
    TRY(redis_call(p, &s, &code, &r, e));
    store_saw_clock(&p->base, reply_number(r, 1));
    out->now.guard_seq = reply_seq(r, 2);
    TRY(reply_row(p, r, 3, arena, &one, e));
    out->now.head = one.mark;
    TRY(known_keep(&p->known, f->stream, &one.mark, e));
    TRY(meet(f, out, e));
    for (size_t i = 0; i < f->set->n; i++) {
        TRY(reply_row(p, r, FIRST + i, arena, &one, e));
        if (one.mark.seq == 0)
            return store_not_found(e, f->stream);
        TRY(store_check_redact(f->stream, &out->now.head, &one.mark, e));
    }
    return JOT_OK;
}

static jot_status redact_once(Redis *p, Forget *f, bool again, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Found found;
    TRY(find(p, f, &arena, &found, e));
    Script s = script_if(p, &arena, SCRIPT_REST, "blank", &found.now);
    add_seqs(&s, f->set);
    return change(p, &s, &r, beaten, e);
}

jot_status redis_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    Forget f = { .stream = stream, .x = x, .set = r, .nonce = redis_nonce((Redis *)s) };
    return forget(s, "redact", &f, redact_once, e);
}

/* --- Purge ----------------------------------------------------------------------------- */

/* Was it done, and its answer lost?  What came after it stays. */
static jot_status was_purged(Redis *p, const Forget *f, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Found found = { .seq = f->sent.seq };
    *out = false;
    if (f->sent.seq == 0)
        return JOT_OK;
    TRY(look(p, f, &arena, &found, e));
    *out = found.mine;
    if (found.mine)
        *f->out = found.from.mark;
    bool trimmed = found.now.head.seq >= f->sent.seq && found.from.mark.seq != f->sent.seq;
    return trimmed ? sending_unknown(e) : JOT_OK;
}

static jot_status purge_once(Redis *p, Forget *f, bool again, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) row = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Found found = { .newest_max = STORE_TOLD_MAX };
    bool done = false;
    if (again)
        TRY(was_purged(p, f, &done, e));
    if (done)
        return JOT_OK;
    TRY(look(p, f, &arena, &found, e));
    const Mark *head = &found.now.head;
    *f->out = *head;
    TRY(meet(f, &found, e));
    TRY(store_check_room(f->stream, head, 1, e));
    Gone gone = { found.from.mark.seq ? &found.from : NULL, found.newest, found.newest_n };
    Record tombstone = store_tombstone(&p->base, f->stream, f->by, head, &gone, &arena);
    row_write(&row, &tombstone, f->nonce);
    f->sent = tombstone.mark;
    Script s = script_if(p, &arena, SCRIPT_REST, "purge", &found.now);
    words_add(&s.words, buf_str(&row));
    TRY(change(p, &s, &r, beaten, e));
    if (*beaten)
        return JOT_OK;
    *f->out = tombstone.mark;
    return known_keep(&p->known, f->stream, &tombstone.mark, e);
}

jot_status redis_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Forget f = { .stream = stream, .x = x, .by = by, .out = out };
    f.nonce = redis_nonce((Redis *)s);
    return forget(s, "purge", &f, purge_once, e);
}

/* --- Forget what is before a record ---------------------------------------------------- */

static jot_status drop_once(Redis *p, Forget *f, bool again, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Found found = { .seq = f->seq };
    TRY(look(p, f, &arena, &found, e));
    TRY(meet(f, &found, e));
    if (f->seq == 0 || found.from.mark.seq != f->seq)
        return store_not_found(e, f->stream);
    Script s = script_if(p, &arena, SCRIPT_REST, "drop", &found.now);
    words_add_seq(&s.words, f->seq);
    return change(p, &s, &r, beaten, e);
}

jot_status redis_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Forget f = { .stream = stream, .x = x, .seq = seq, .nonce = redis_nonce((Redis *)s) };
    return forget(s, "forget the beginning of", &f, drop_once, e);
}

/* --- Records as they were -------------------------------------------------------------- */

/* At the end, or into a gap: what stands before and after it must fit. */
static jot_status put_at(Redis *p, const Forget *f, const Found *found, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    const Mark *head = &found->now.head;
    assert(f->batch && f->batch->n > 0);
    bool fills = f->batch->gaps && f->batch->items[0].mark.seq <= head->seq;
    TRY(store_check_place(f->stream, f->batch, fills ? &found->before.mark : head,
                          fills ? &found->from : NULL, e));
    Script s = script_if(p, &arena, SCRIPT_ADD, "put", &found->now);
    words_add_seq(&s.words, found->before.mark.seq);
    if (fills)
        words_add_seq(&s.words, found->from.mark.seq);
    else
        words_add(&s.words, (Str){ 0 });
    for (size_t i = 0; i < f->batch->n; i++) {
        AUTO(Buf) row = { 0 };
        row_write(&row, &f->batch->items[i], f->nonce);
        words_add(&s.words, arena_copy(&arena, buf_str(&row)));
        words_add(&s.words, f->batch->items[i].body);
    }
    TRY(redis_call(p, &s, &code, &r, e));
    if (code == CODE_CLASH)
        return store_name_taken(e, f->stream, reply_text(r, 1));
    *beaten = code == CODE_AGAIN;
    if (*beaten || fills)
        return JOT_OK;
    return known_keep(&p->known, f->stream, &batch_last(f->batch)->mark, e);
}

static jot_status put_once(Redis *p, Forget *f, bool again, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Found found = { .seq = f->batch->items[0].mark.seq };
    TRY(look(p, f, &arena, &found, e));
    if (again && found.mine)
        return JOT_OK;
    TRY(store_check_expect(f->stream, f->x, &found.now.head, found.now.guard_seq, e));
    return put_at(p, f, &found, beaten, e);
}

jot_status redis_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Forget f = { .stream = stream, .x = x, .batch = b };
    f.nonce = redis_nonce((Redis *)s);
    return forget(s, "write", &f, put_once, e);
}
