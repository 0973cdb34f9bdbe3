/* pad.c - the pad's facts: making and recognising it, and the tokens of its leases.
 *
 * A server with another replication id than the pad was last used under was
 * restarted, or has taken over from one that failed: what was acknowledged last may
 * be lost, and with it the newest tokens.  So before this handle does anything else
 * it raises the tokens beyond every one that can have been given.  A count kept in the
 * pad could be lost with the rest. */
#include "store/redis/pad.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/mutant.h"
#include "store/redis/flight.h"

/* "READ WRITE", as everywhere: older than READ refuses, older than WRITE opens read-only. */
static jot_status check_format(Redis *p, Str text, Err *e)
{
    uint64_t read = 0, write = 0;
    Str first = { 0 };
    if (!str_cut(&text, ' ', &first) || !str_to_u64(first, INT32_MAX, &read) ||
        !str_to_u64(text, INT32_MAX, &write))
        return err_set(e, JOT_CORRUPT, "the pad '%s' does not say which format it has", p->pad);
    if (read > REDIS_READ_FORMAT)
        return err_set(e, JOT_UNSUPPORTED,
                       "the pad '%s' has format %llu, and this version knows %d: use a newer one",
                       p->pad, (unsigned long long)read, REDIS_READ_FORMAT);
    if (write > REDIS_WRITE_FORMAT && !p->base.read_only_why[0])
        snprintf(p->base.read_only_why, sizeof p->base.read_only_why,
                 "it was written by a newer version");
    return JOT_OK;
}

typedef struct Facts {
    char id[STORE_PAD_ID + 1];
    char format[32];
    char replid[48];
    char scrub[24];
} Facts;

static void keep_text(char *to, size_t room, Str text)
{
    snprintf(to, room, STR_FMT, STR_ARG(text));
}

static jot_status read_facts(Redis *p, Facts *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Script s = script_begin(p, &arena, SCRIPT_REST, "facts", (Str){ 0 }, (Str){ 0 });
    *out = (Facts){ 0 };
    TRY(redis_call(p, &s, &code, &r, e));
    store_saw_clock(&p->base, reply_number(r, 1));
    keep_text(out->id, sizeof out->id, reply_text(r, 2));
    keep_text(out->format, sizeof out->format, reply_text(r, 3));
    keep_text(out->replid, sizeof out->replid, reply_text(r, 4));
    keep_text(out->scrub, sizeof out->scrub, reply_text(r, 5));
    return JOT_OK;
}

/* A fact changes if it still is what it was. */
static jot_status set_fact(Redis *p, const char *which, const char *was, const char *is, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Script s = script_begin(p, &arena, SCRIPT_REST, "fact", (Str){ 0 }, (Str){ 0 });
    words_add(&s.words, (Str){ 0 });
    words_add(&s.words, str(which));
    words_add(&s.words, str(was));
    words_add(&s.words, str(is));
    return redis_call(p, &s, &code, &r, e);
}

/* The server has another history than the one the pad was last used under. */
static jot_status settle(Redis *p, const Facts *f, Err *e)
{
    if (MUTANT(REDIS_TOKENS_STAY) || p->settling || p->base.read_only_why[0] ||
        strcmp(f->replid, p->replid) == 0)
        return JOT_OK;
    const char *verb = p->verb;
    Str subject = p->subject;
    int64_t deadline_ms = p->deadline_ms;
    p->settling = true;
    jot_status st = store_leap_tokens(&p->base, e);
    p->settling = false;
    p->verb = verb;
    p->subject = subject;
    p->deadline_ms = deadline_ms;
    return st == JOT_OK ? set_fact(p, "replid", f->replid, p->replid, e) : st;
}

static jot_status make(Redis *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    RedisCode code;
    Id id = id_random(p->base.io, STORE_PAD_ID / 2);
    keep_text(p->id, sizeof p->id, str(id.text));
    Script s = script_begin(p, &arena, SCRIPT_ADD, "make", (Str){ 0 }, (Str){ 0 });
    words_add_seq(&s.words, redis_nonce(p));
    words_add(&s.words, arena_printf(&arena, "%d %d", REDIS_READ_FORMAT, REDIS_WRITE_FORMAT));
    words_add(&s.words, str(p->replid));
    jot_status st = redis_call(p, &s, &code, &r, e);
    p->id[0] = 0; /* it is not ours: somebody else may have made the pad just now */
    return st;
}

jot_status redis_identify(Redis *p, bool create, Err *e)
{
    Facts f;
    TRY(read_facts(p, &f, e));
    if (!f.id[0] && create && !p->id[0]) {
        TRY(make(p, e));
        TRY(read_facts(p, &f, e));
    }
    if (p->id[0] && strcmp(p->id, f.id) != 0)
        return err_set(e, JOT_CORRUPT,
                       "the pad '%s' is gone from the Redis server, or was replaced by another "
                       "one: open it again",
                       p->pad);
    if (!f.id[0])
        return err_set(e, JOT_NOT_FOUND, "there is no pad '%s' on the Redis server", p->pad);
    TRY(check_format(p, str(f.format), e));
    keep_text(p->id, sizeof p->id, str(f.id));
    return settle(p, &f, e);
}

/* --- The server's files ------------------------------------------------------------------ */

static bool is_rewriting(const redisReply *r)
{
    return !r || !r->str || strstr(r->str, "aof_rewrite_in_progress:1") ||
           strstr(r->str, "aof_rewrite_scheduled:1");
}

static jot_status command(Redis *p, Arena *arena, const char *a, const char *b, redisReply **out,
                          Err *e)
{
    Words w = { .arena = arena };
    words_add(&w, str(a));
    if (b)
        words_add(&w, str(b));
    TRY(redis_command(p, &w, out, e));
    /* One is under way, or waits for a snapshot: it is asked for again after that. */
    if (redis_is_error(*out, "ERR Background"))
        return JOT_UNAVAILABLE;
    return (*out)->type == REDIS_REPLY_ERROR ? redis_refused(p, *out, e) : JOT_OK;
}

/* Wait until no log is being rewritten. */
static jot_status wait_for_rewrite(Redis *p, Arena *arena, Err *e)
{
    for (;;) {
        AUTO_PTR(redisReply) r = NULL;
        TRY(command(p, arena, "INFO", "persistence", &r, e));
        if (!is_rewriting(r))
            return JOT_OK;
        if (!redis_pause(p))
            return redis_say(p, e, JOT_UNAVAILABLE, "the server is still rewriting its log");
    }
}

/* The log keeps what was written to it until it is rewritten. */
static jot_status rewrite_log(Redis *p, Arena *arena, Err *e)
{
    for (;;) {
        AUTO_PTR(redisReply) r = NULL;
        Err why = { 0 };
        TRY(wait_for_rewrite(p, arena, e));
        jot_status st = command(p, arena, "BGREWRITEAOF", NULL, &r, &why);
        bool busy = redis_is_error(r, "ERR Background");
        if (st == JOT_OK)
            return wait_for_rewrite(p, arena, e);
        if (!busy || !redis_pause(p))
            return err_pass(e, &why, st);
    }
}

jot_status redis_scrub(Store *s, Err *e)
{
    Redis *p = (Redis *)s;
    AUTO(Arena) arena = { 0 };
    Facts f;
    TRY(redis_ready(p, "clear", str(p->pad), e));
    TRY(read_facts(p, &f, e));
    if (!f.scrub[0])
        return JOT_OK;
    if (s->read_only_why[0])
        return store_refuse_write(s, e);
    if (p->logs)
        TRY(rewrite_log(p, &arena, e));
    return set_fact(p, "scrub", f.scrub, "", e);
}
