/* flight.h - sending commands and scripts, and understanding what comes back. */
#ifndef STORE_REDIS_FLIGHT_H
#define STORE_REDIS_FLIGHT_H

#include "store/redis/redis.h"

enum { LOOK_MAX = 2 }; /* commands of one look */

/* The words of one command; what they point to must live until it was sent. */
typedef struct Words {
    Arena *arena;
    const char **at;
    size_t *lengths;
    size_t n, cap;
} Words;

void words_add(Words *w, Str word);
void words_add_u64(Words *w, uint64_t n);
void words_add_seq(Words *w, uint64_t seq);

/* What was seen of a stream, on which a change depends. */
typedef struct Standing {
    Str stream;
    Str guard; /* "": none */
    uint64_t nonce;
    Mark head;
    uint64_t guard_seq;
} Standing;

/* One call of a script. */
typedef struct Script {
    RedisScript which;
    Words words;
} Script;

/* Begin a call that is about `stream` ("": about none) and perhaps its guard: verb, id, name and
 * the writer's number are in it. */
Script script_begin(const Redis *p, Arena *arena, RedisScript which, const char *verb, Str stream,
                    Str guard);
/* A call of SCRIPT_READ, about a stream, or about a set of names ("live"): the verb and the pad's
 * id are in it. */
Script script_get(const Redis *p, Arena *arena, const char *verb, Str stream, const char *set);
/* As script_begin with the writer's number, and the condition that head and guard are still there.
 */
Script script_if(const Redis *p, Arena *arena, RedisScript which, const char *verb,
                 const Standing *now);

/* --- Operations -------------------------------------------------------------------------- */

/* Begin an operation: its deadline, its name for sentences, a connection. */
MUST_USE jot_status redis_ready(Redis *p, const char *verb, Str subject, Err *e);

/* Call a script, wherever the pad is by now, and wait for a server that starts or is moving it.
 * JOT_OK: *out is an array that begins with a number, *code.  p->lost: the connection was lost, and
 * nobody knows what became of it. */
MUST_USE jot_status redis_call(Redis *p, const Script *s, RedisCode *code, redisReply **out,
                               Err *e);
/* The same for what changes nothing: it is asked once more if the connection was lost. */
MUST_USE jot_status redis_ask(Redis *p, const Script *s, redisReply **out, Err *e);

/* Plain commands that only read, together in one moment of a server that is no replica: cheaper
 * than a script by what Lua takes for every word.  JOT_OK: *out is their answers from LOOK_FIRST
 * on, or NULL if this user may not do so; then a script has to. */
enum { LOOK_FIRST = 2 };
MUST_USE jot_status redis_look(Redis *p, const Words *asks, size_t n, redisReply **out, Err *e);
/* A command about keys of the pad: "s:NAME", "live". */
Words look_begin(const Redis *p, Arena *arena, const char *command, const char *kind, Str name);

/* What is done until it is known to be done, or time is over. */
typedef struct RedisWork {
    jot_status (*run)(Redis *p, void *ctx, bool again, Err *e);
    void *ctx;
    const bool *under_way; /* NULL: it always is.  A lost answer matters only if this holds */
} RedisWork;
MUST_USE jot_status redis_do(Redis *p, const char *verb, Str stream, const RedisWork *work, Err *e);

/* After a write: wait for as many replicas as the URL asks for.  JOT_UNKNOWN: it is written, and
 * fewer have it. */
MUST_USE jot_status redis_wait_replicas(Redis *p, Err *e);

/* --- One flight -------------------------------------------------------------------------- */

/* Queue a command; redis_fly sends all that are queued and takes as many answers. */
void redis_queue(Redis *p, const Words *w);
MUST_USE jot_status redis_fly(Redis *p, size_t n, redisReply **out, Err *e);
/* One command and its answer, which may be a refusal. */
MUST_USE jot_status redis_command(Redis *p, const Words *w, redisReply **out, Err *e);

/* "could not VERB 'SUBJECT': WHY". */
jot_status redis_say(Redis *p, Err *e, jot_status st, const char *why);
/* A refusal as a status and a sentence. */
jot_status redis_refused(Redis *p, const redisReply *r, Err *e);
bool redis_is_error(const redisReply *r, const char *code); /* it begins so */
uint64_t redis_nonce(Redis *p);
/* Sleep before something is tried again, but not beyond the deadline; false: it is over. */
MUST_USE bool redis_pause(Redis *p);

/* --- Answers ----------------------------------------------------------------------------- */

/* The text, or the number, at a place of an array; what is not there is empty, or 0. */
Str reply_text(const redisReply *r, size_t i);
int64_t reply_number(const redisReply *r, size_t i);
/* NULL has none. */
size_t reply_count(const redisReply *r);
/* The array at a place of one; NULL: there is none. */
const redisReply *reply_list(const redisReply *r, size_t i);
/* A seq of 16 hex digits. */
uint64_t reply_seq(const redisReply *r, size_t i);
/* The row there; JOT_CORRUPT if it is none.  An empty one gives a record of seq 0. */
MUST_USE jot_status reply_row(Redis *p, const redisReply *r, size_t i, Arena *into, Record *out,
                              Err *e);

#endif
