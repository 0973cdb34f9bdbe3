/* flight.c - sending commands and scripts, and understanding what comes back.
 *
 * Most refusals come before anything was done, so the same call may be sent again:
 *   NOSCRIPT              the server has forgotten the scripts: load them
 *   MOVED                 the pad is on another node of the cluster: go there
 *   ASK, TRYAGAIN         it is being moved: wait, for a script would see only half of it
 *   LOADING, BUSY ...     the server is not ready: wait
 *   READONLY, MASTERDOWN  it is a replica by now: begin at the address of the URL
 * What is waited for is bounded by the handle's wait_ms.
 *
 * A connection that breaks while an answer is missing is another matter (p->lost): the script may
 * have run.  redis_do() connects again and runs the work again, which then looks for what it wrote:
 *
 *     run ──► answer ──────────────────────────────► done
 *      ▲ └──► lost ──► connect ─┐
 *      └────────────────────────┘    until the deadline; then JOT_UNKNOWN, if anything was sent */
#include "store/redis/flight.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/redis/connect.h"
#include "store/row.h"

enum {
    CHUNK = 64 * 1024,
    PAUSE_US = 20 * 1000,
    REPLICAS_MS = 5000,
    MOVES_MAX = 5,               /* from node to node without a pause */
    OUT_MAX = 512 * 1024 * 1024, /* what is sent at once; records of one step are far less */
    OUT_KEPT = 1024 * 1024,
    LOOK_AROUND = 4, /* commands of a look beside what is asked: MULTI, WAIT, HGET, EXEC */
};

/* --- Words ------------------------------------------------------------------------------- */

void words_add(Words *w, Str word)
{
    assert(w->arena && (word.p || word.n == 0));
    if (w->n == w->cap) {
        size_t cap = w->cap;
        w->at = arena_grow(w->arena, w->at, w->n, &cap, sizeof *w->at, alignof(const char *));
        cap = w->cap;
        w->lengths =
            arena_grow(w->arena, w->lengths, w->n, &cap, sizeof *w->lengths, alignof(size_t));
        w->cap = cap;
    }
    w->at[w->n] = word.n ? word.p : "";
    w->lengths[w->n++] = word.n;
}

void words_add_u64(Words *w, uint64_t n)
{
    words_add(w, arena_printf(w->arena, "%llu", (unsigned long long)n));
}

void words_add_seq(Words *w, uint64_t seq)
{
    words_add(w, arena_copy(w->arena, str(row_seq(seq).text)));
}

static void add_key(Words *w, const Redis *p, const char *kind, Str name)
{
    Str parts[] = { str(p->prefix), str(kind), name };
    char *key = arena_alloc(w->arena, parts[0].n + parts[1].n + parts[2].n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(parts); n += parts[i++].n)
        if (parts[i].n)
            memcpy(key + n, parts[i].p, parts[i].n);
    words_add(w, (Str){ key, n });
}

Script script_begin(const Redis *p, Arena *arena, RedisScript which, const char *verb, Str stream,
                    Str guard)
{
    Script s = { which, { .arena = arena } };
    assert(stream.n || !guard.n); /* what is guarded is a stream */
    Words *w = &s.words;
    words_add(w, S("EVALSHA"));
    words_add(w, (Str){ p->sha[which], REDIS_SHA_HEX }); /* loaded again, it is the same */
    words_add_u64(w, stream.n ? guard.n ? 7 : 6 : 4);
    add_key(w, p, "pad", S(""));
    add_key(w, p, "names", S(""));
    add_key(w, p, "live", S(""));
    add_key(w, p, "changes", S(""));
    if (stream.n) {
        add_key(w, p, "s:", stream);
        add_key(w, p, "b:", stream);
    }
    if (stream.n && guard.n)
        add_key(w, p, "s:", guard);
    words_add(w, str(verb));
    words_add(w, str(p->id));
    words_add(w, stream);
    return s;
}

Script script_get(const Redis *p, Arena *arena, const char *verb, Str stream, const char *set)
{
    Script s = { SCRIPT_READ, { .arena = arena } };
    Words *w = &s.words;
    assert(!stream.n == !!set); /* it is about one of them */
    words_add(w, S("EVALSHA"));
    words_add(w, (Str){ p->sha[SCRIPT_READ], REDIS_SHA_HEX });
    words_add(w, set ? S("2") : S("3"));
    add_key(w, p, "pad", S(""));
    if (set) {
        add_key(w, p, set, S(""));
    } else {
        add_key(w, p, "s:", stream);
        add_key(w, p, "b:", stream);
    }
    words_add(w, str(verb));
    words_add(w, str(p->id));
    return s;
}

Script script_if(const Redis *p, Arena *arena, RedisScript which, const char *verb,
                 const Standing *now)
{
    assert(now->stream.n);
    Script s = script_begin(p, arena, which, verb, now->stream, now->guard);
    words_add_seq(&s.words, now->nonce);
    words_add_seq(&s.words, now->head.seq);
    words_add(&s.words, str(arena_cstr(arena, str(hash_hex(now->head.chain).text))));
    if (now->guard.n)
        words_add_seq(&s.words, now->guard_seq);
    else
        words_add(&s.words, (Str){ 0 });
    return s;
}

/* --- One flight -------------------------------------------------------------------------- */

uint64_t redis_nonce(Redis *p)
{
    uint64_t nonce;
    io_random(p->base.io, &nonce, sizeof nonce);
    return nonce;
}

bool redis_pause(Redis *p)
{
    int64_t left_ms = p->deadline_ms - io_awake_ms(&io_system);
    if (left_ms * 1000 <= PAUSE_US)
        return false;
    io_sleep_us(&io_system, PAUSE_US);
    return true;
}

jot_status redis_say(Redis *p, Err *e, jot_status st, const char *why)
{
    Shown shown;
    bool named = p->subject.n > 0;
    return err_set(e, st, "could not %s%s%s%s: %s", p->verb ? p->verb : "ask", named ? " '" : "",
                   named ? err_show(&shown, p->subject) : "", named ? "'" : "", why);
}

/* The connection is of no use any more, and nobody knows what became of the flight. */
static jot_status lose(Redis *p, const char *why, Err *e)
{
    redis_disconnect(p);
    p->lost = true;
    return redis_say(p, e, JOT_UNAVAILABLE, why);
}

static void add_length(Buf *to, char kind, size_t n)
{
    buf_add_char(to, kind);
    buf_add_u64(to, n);
    buf_add(to, S("\r\n"));
}

void redis_queue(Redis *p, const Words *w)
{
    p->out.max = OUT_MAX;
    add_length(&p->out, '*', w->n);
    for (size_t i = 0; i < w->n; i++) {
        add_length(&p->out, '$', w->lengths[i]);
        buf_add(&p->out, (Str){ w->at[i], w->lengths[i] });
        buf_add(&p->out, S("\r\n"));
    }
}

static jot_status receive(Redis *p, redisReply **out, Err *e)
{
    char chunk[CHUNK];
    void *reply = NULL;
    for (;;) {
        if (p->hi->reader_get(p->reader, &reply) != REDIS_OK) {
            if (p->reader->err == REDIS_ERR_OOM)
                mem_exhausted();
            return lose(p, "what answers there is not a Redis server", e);
        }
        if (reply)
            break;
        bool late = false;
        size_t n = sock_receive(&p->sock, chunk, sizeof chunk, p->deadline_ms, &late);
        if (n == 0)
            return lose(p, late ? "Redis does not answer" : "the connection to Redis was lost", e);
        if (p->hi->reader_feed(p->reader, chunk, n) != REDIS_OK)
            mem_exhausted();
    }
    *out = reply;
    return JOT_OK;
}

jot_status redis_fly(Redis *p, size_t n, redisReply **out, Err *e)
{
    p->lost = false;
    for (size_t i = 0; i < n; i++)
        out[i] = NULL;
    if (!p->reader) {
        buf_clear(&p->out);
        return lose(p, "the connection to Redis was lost", e);
    }
    if (!buf_ok(&p->out)) {
        redis_disconnect(p);
        return redis_say(p, e, JOT_TOO_BIG, "that is too much for one step");
    }
    p->flying = true;
    p->trips++;
    bool sent = sock_send(&p->sock, buf_str(&p->out), p->deadline_ms);
    if (p->out.cap > OUT_KEPT)
        buf_free(&p->out);
    buf_clear(&p->out);
    if (!sent)
        return lose(p, "the connection to Redis was lost", e);
    for (size_t i = 0; i < n; i++) {
        jot_status st = receive(p, &out[i], e);
        for (size_t k = 0; st != JOT_OK && k < i; k++) {
            hi_free(out[k]);
            out[k] = NULL;
        }
        TRY(st);
    }
    p->flying = false;
    return JOT_OK;
}

jot_status redis_command(Redis *p, const Words *w, redisReply **out, Err *e)
{
    redis_queue(p, w);
    jot_status st = redis_fly(p, 1, out, e);
    assert(st != JOT_OK || *out);
    return st;
}

/* --- Refusals ---------------------------------------------------------------------------- */

bool redis_is_error(const redisReply *r, const char *code)
{
    return r && r->type == REDIS_REPLY_ERROR && str_starts((Str){ r->str, r->len }, str(code));
}

jot_status redis_refused(Redis *p, const redisReply *r, Err *e)
{
    static const struct {
        const char *code; /* what it begins with */
        jot_status status;
        const char *why; /* NULL: what the server says */
    } meanings[] = {
        { "LOADING", JOT_UNAVAILABLE, "the Redis server is starting" },
        { "BUSY", JOT_UNAVAILABLE, "the Redis server is busy with somebody's script" },
        { "ASK", JOT_UNAVAILABLE, "the cluster is moving the pad to another node" },
        { "TRYAGAIN", JOT_UNAVAILABLE, "the cluster is moving the pad to another node" },
        { "MOVED", JOT_UNAVAILABLE, "the cluster does not agree where the pad is" },
        { "CLUSTERDOWN", JOT_UNAVAILABLE, "the Redis cluster is down" },
        { "READONLY", JOT_UNAVAILABLE, "the Redis server is a replica: name the primary" },
        { "MASTERDOWN", JOT_UNAVAILABLE, "the Redis server is a replica: name the primary" },
        { "NOREPLICAS", JOT_UNAVAILABLE, "the Redis server has too few replicas to write" },
        { "OOM", JOT_IO, "the Redis server's memory is full: raise maxmemory" },
        { "MISCONF", JOT_IO, "the Redis server cannot write to its disk" },
        { "NOAUTH", JOT_DENIED, "the Redis server wants a password" },
        { "NOPERM", JOT_DENIED, NULL },
        { "WRONGTYPE", JOT_CORRUPT, "a key of the pad holds something else" },
        { "ERR WAIT cannot", JOT_UNAVAILABLE, "the Redis server is a replica: name the primary" },
    };
    Shown shown;
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (redis_is_error(r, meanings[i].code) && meanings[i].why)
            return redis_say(p, e, meanings[i].status, meanings[i].why);
    Str said = { r->str, r->len };
    if (redis_is_error(r, "NOPERM"))
        return redis_say(p, e, JOT_DENIED, err_show(&shown, str_from(said, 7)));
    return redis_say(p, e, JOT_IO, err_show(&shown, said));
}

/* What a refusal asks for. */
typedef enum Remedy {
    REMEDY_NONE,
    REMEDY_LOAD, /* the scripts */
    REMEDY_MOVE, /* to another node */
    REMEDY_WAIT,
    REMEDY_HOME, /* begin where the URL leads, and wait */
    REMEDY_LOOK, /* nothing can be written: read with the script that says it does not */
} Remedy;

static Remedy remedy_for(const redisReply *r)
{
    static const struct {
        const char *code;
        Remedy remedy;
    } remedies[] = {
        { "NOSCRIPT", REMEDY_LOAD },
        { "MOVED", REMEDY_MOVE },
        { "ASK", REMEDY_WAIT },
        { "TRYAGAIN", REMEDY_WAIT },
        { "LOADING", REMEDY_WAIT },
        { "BUSY", REMEDY_WAIT },
        { "READONLY", REMEDY_HOME },
        { "MASTERDOWN", REMEDY_HOME },
        { "MISCONF", REMEDY_LOOK },
        { "CLUSTERDOWN", REMEDY_WAIT },
        { "NOREPLICAS", REMEDY_LOOK },
        { "ERR WAIT cannot be used with replica", REMEDY_HOME },
        /* What a script says that meets a key which was moved already. */
        { "ERR Script attempted to access a non local key", REMEDY_WAIT },
    };
    for (size_t i = 0; i < COUNT_OF(remedies); i++)
        if (redis_is_error(r, remedies[i].code))
            return remedies[i].remedy;
    return REMEDY_NONE;
}

/* How often something was done about a call. */
typedef struct Care {
    int moves, loads;
    int64_t until_ms; /* it is waited for so long */
    RedisScript which;
} Care;

static bool may_wait(Redis *p, const Care *c)
{
    return io_awake_ms(&io_system) < c->until_ms && redis_pause(p);
}

/* Do what the refusal asks for; *again: the call may be sent once more. */
static jot_status care(Redis *p, const redisReply *r, Care *c, bool *again, Err *e)
{
    *again = true;
    switch (remedy_for(r)) {
    case REMEDY_LOAD:
        *again = c->loads++ < 2;
        return redis_load_scripts(p, e);
    case REMEDY_MOVE:
        *again = ++c->moves <= MOVES_MAX || may_wait(p, c);
        return *again ? redis_move(p, (Str){ r->str, r->len }, e) : JOT_OK;
    case REMEDY_WAIT:
        *again = may_wait(p, c);
        return JOT_OK;
    case REMEDY_HOME:
        *again = may_wait(p, c);
        redis_disconnect(p);
        p->at = p->hosts[0];
        return *again ? redis_connect(p, e) : JOT_OK;
    case REMEDY_LOOK:
        *again = c->which == SCRIPT_REST || c->which == SCRIPT_READ;
        c->which = c->which == SCRIPT_READ ? SCRIPT_READ_LOOK : SCRIPT_LOOK;
        return JOT_OK;
    case REMEDY_NONE:
        break;
    }
    *again = false;
    return JOT_OK;
}

static jot_status say_gone(const Redis *p, Err *e)
{
    return err_set(
        e, JOT_CORRUPT,
        "the pad '%s' is gone from the Redis server, or was replaced by another one: open "
        "it again",
        p->pad);
}

jot_status redis_call(Redis *p, const Script *s, RedisCode *code, redisReply **out, Err *e)
{
    Care c = { .until_ms = io_awake_ms(&io_system) + p->base.wait_ms, .which = s->which };
    for (;;) {
        AUTO_PTR(redisReply) r = NULL;
        s->words.at[1] = p->sha[c.which];
        TRY(redis_command(p, &s->words, &r, e));
        if (r->type == REDIS_REPLY_ARRAY && r->elements &&
            r->element[0]->type == REDIS_REPLY_INTEGER) {
            *code = (RedisCode)r->element[0]->integer;
            if (*code == CODE_GONE)
                return say_gone(p, e);
            *out = TAKE(r);
            return JOT_OK;
        }
        if (r->type != REDIS_REPLY_ERROR)
            return redis_say(p, e, JOT_CORRUPT, "the Redis server answers something else");
        bool again = false;
        TRY(care(p, r, &c, &again, e));
        if (!again)
            return redis_refused(p, r, e);
    }
}

jot_status redis_ask(Redis *p, const Script *s, redisReply **out, Err *e)
{
    RedisCode code;
    jot_status st = redis_call(p, s, &code, out, e);
    if (!p->lost)
        return st;
    TRY(redis_ready(p, p->verb, p->subject, e));
    return redis_call(p, s, &code, out, e);
}

/* --- Looking ------------------------------------------------------------------------------ */

Words look_begin(const Redis *p, Arena *arena, const char *command, const char *kind, Str name)
{
    Words w = { .arena = arena };
    words_add(&w, str(command));
    add_key(&w, p, kind, name);
    return w;
}

static void queue_text(Redis *p, const char *command)
{
    buf_add(&p->out, str(command));
}

/* A transaction of commands; the answers to all of them, of which the last is an array of theirs.
 * A replica refuses WAIT, so what it says counts only if that did not. */
static void queue_look(Redis *p, const Words *asks, size_t n)
{
    AUTO(Arena) arena = { 0 };
    Words id = look_begin(p, &arena, "HGET", "pad", (Str){ 0 });
    words_add(&id, S("id"));
    p->out.max = OUT_MAX;
    queue_text(p, "*1\r\n$5\r\nMULTI\r\n*3\r\n$4\r\nWAIT\r\n$1\r\n0\r\n$1\r\n0\r\n");
    redis_queue(p, &id);
    for (size_t i = 0; i < n; i++)
        redis_queue(p, &asks[i]);
    queue_text(p, "*1\r\n$4\r\nEXEC\r\n");
}

/* The first refusal among the answers to a transaction, or among its parts. */
static const redisReply *find_refusal(redisReply *const *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r[i]->type == REDIS_REPLY_ERROR)
            return r[i];
    const redisReply *last = r[n - 1];
    for (size_t i = 0; i < reply_count(last); i++)
        if (last->element[i]->type == REDIS_REPLY_ERROR)
            return last->element[i];
    return NULL;
}

typedef struct LookAnswers {
    redisReply *replies[LOOK_MAX + LOOK_AROUND];
} LookAnswers;

static void look_answers_free(LookAnswers *a)
{
    for (size_t i = 0; i < COUNT_OF(a->replies); i++)
        hi_free(a->replies[i]);
}
DEFINE_AUTO(LookAnswers, look_answers_free)

static jot_status look_once(Redis *p, const Words *asks, size_t n, redisReply **out, Err *e)
{
    Care c = { .until_ms = io_awake_ms(&io_system) + p->base.wait_ms };
    for (;;) {
        AUTO(LookAnswers) got = { 0 };
        size_t all = n + LOOK_AROUND;
        queue_look(p, asks, n);
        TRY(redis_fly(p, all, got.replies, e));
        const redisReply *refusal = find_refusal(got.replies, all);
        const redisReply *last = got.replies[all - 1];
        if (refusal) {
            bool again = false;
            p->no_looks =
                redis_is_error(refusal, "NOPERM") || redis_is_error(refusal, "ERR unknown command");
            if (p->no_looks)
                return JOT_OK;
            TRY(care(p, refusal, &c, &again, e));
            if (!again)
                return redis_refused(p, refusal, e);
        } else if (reply_count(last) != n + LOOK_FIRST) {
            return redis_say(p, e, JOT_CORRUPT, "the Redis server answers something else");
        } else if (!str_eq(reply_text(last, 1), str(p->id))) {
            return say_gone(p, e);
        } else {
            *out = TAKE(got.replies[all - 1]);
            return JOT_OK;
        }
    }
}

jot_status redis_look(Redis *p, const Words *asks, size_t n, redisReply **out, Err *e)
{
    assert(n <= LOOK_MAX);
    *out = NULL;
    if (p->no_looks)
        return JOT_OK;
    jot_status st = look_once(p, asks, n, out, e);
    if (!p->lost)
        return st;
    TRY(redis_ready(p, p->verb, p->subject, e));
    return look_once(p, asks, n, out, e);
}

/* --- Operations -------------------------------------------------------------------------- */

jot_status redis_ready(Redis *p, const char *verb, Str subject, Err *e)
{
    p->deadline_ms = io_awake_ms(&io_system) + p->base.wait_ms + p->base.answer_ms;
    p->verb = verb;
    p->subject = subject;
    p->lost = false;
    p->texts = NULL;
    if (p->flying)
        redis_disconnect(p);
    buf_clear(&p->out);
    return p->reader ? JOT_OK : redis_connect(p, e);
}

static jot_status unknown(Str stream, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN,
                   "it is not known whether '%s' was written: the Redis server does not answer",
                   err_show(&shown, stream));
}

jot_status redis_do(Redis *p, const char *verb, Str stream, const RedisWork *work, Err *e)
{
    bool again = false;
    TRY(redis_ready(p, verb, stream, e));
    for (;;) {
        p->lost = false;
        jot_status st = p->reader ? JOT_OK : redis_connect(p, e);
        if (st == JOT_OK) {
            st = work->run(p, work->ctx, again, e);
            again = again || p->lost;
        }
        bool open = again && st != JOT_OK && (!work->under_way || *work->under_way);
        if (p->reader || st != JOT_UNAVAILABLE || !redis_pause(p))
            return open && st != JOT_UNKNOWN && st != JOT_CORRUPT ? unknown(stream, e) : st;
    }
}

jot_status redis_wait_replicas(Redis *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Words w = { .arena = &arena };
    if (p->replicas == 0)
        return JOT_OK;
    words_add(&w, S("WAIT"));
    words_add_u64(&w, p->replicas);
    words_add_u64(&w, REPLICAS_MS);
    jot_status st = redis_command(p, &w, &r, NULL);
    p->lost = false; /* what was to be written is */
    if (st == JOT_OK && r->type == REDIS_REPLY_ERROR)
        return redis_refused(p, r, e);
    if (st != JOT_OK || r->type != REDIS_REPLY_INTEGER || (uint64_t)r->integer < p->replicas)
        return err_set(e, JOT_UNKNOWN,
                       "it is written to the Redis server, but %lld of %llu replicas have it: a "
                       "failover may lose it",
                       st == JOT_OK ? r->integer : 0LL, (unsigned long long)p->replicas);
    return JOT_OK;
}

/* --- Answers ----------------------------------------------------------------------------- */

size_t reply_count(const redisReply *r)
{
    return r ? r->elements : 0;
}

const redisReply *reply_list(const redisReply *r, size_t i)
{
    bool there = i < r->elements && r->element[i] && r->element[i]->type == REDIS_REPLY_ARRAY;
    return there ? r->element[i] : NULL;
}

Str reply_text(const redisReply *r, size_t i)
{
    if (i >= r->elements || !r->element[i] || !r->element[i]->str)
        return (Str){ 0 };
    return (Str){ r->element[i]->str, r->element[i]->len };
}

int64_t reply_number(const redisReply *r, size_t i)
{
    int64_t n = 0;
    if (i >= r->elements)
        return 0;
    if (r->element[i]->type == REDIS_REPLY_INTEGER)
        return r->element[i]->integer;
    return str_to_i64(reply_text(r, i), 0, INT64_MAX, &n) ? n : 0;
}

uint64_t reply_seq(const redisReply *r, size_t i)
{
    Str text = reply_text(r, i);
    uint64_t seq = 0;
    for (size_t k = 0; k < text.n && k < ROW_SEQ; k++)
        seq = seq << 4 | ((uint64_t)hex_digit(text.p[k]) & 0xF);
    return seq;
}

jot_status reply_row(Redis *p, const redisReply *r, size_t i, Arena *into, Record *out, Err *e)
{
    Str row = reply_text(r, i);
    *out = (Record){ 0 };
    if (row.n && !row_read(row, into, out))
        return redis_say(p, e, JOT_CORRUPT, "a row of it is not as Jotter writes it");
    return JOT_OK;
}
