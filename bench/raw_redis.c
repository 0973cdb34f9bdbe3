/* raw_redis.c - the same with hiredis alone: a sorted set of headers and a hash of bodies a stream.
 *
 * An append is a script that compares the newest number with the one that is expected and stores
 * header and body; what needs two commands sends both at once. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/raw.h"

struct Raw {
    redisContext *c;
    Text text;
    char sha[41];
    uint64_t seq; /* of the stream that is written to */
    uint64_t sum; /* of bytes that came back: they must be looked at by somebody */
    bool hashing, paging;
};

enum { RAW_NAME = 64 }; /* bytes: no name is longer, and no header as short */

/* What is made of a header. */
typedef struct Header {
    uint64_t seq, nonce, op, at, fence, size;
    Hash chain, sha256;
    char by[16];
} Header;

static redisReply *checked(Raw *r, void *got)
{
    redisReply *reply = got;
    if (!reply)
        die("hiredis: %s", r->c->errstr);
    if (reply->type == REDIS_REPLY_ERROR)
        die("hiredis: %s", reply->str);
    return reply;
}

/* SEQ NONCE CHAIN OP AT FENCE SIZE SHA256 BY: as many bytes as a row of a pad has. */
static void write_header(char *to, size_t room, uint64_t seq)
{
    static const Hash some;
    const char *hex = hash_hex(some).text;
    int n =
        snprintf(to, room, "%016llx %016llx %s 1 %013llu 0 %d %s bench", (unsigned long long)seq,
                 (unsigned long long)seq * 7, hex, (unsigned long long)seq, RAW_BYTES, hex);
    must(n > 0 && (size_t)n < room, "a header");
}

static Hash next_hash(const char **at)
{
    Hash out = { 0 };
    must(hash_parse((Str){ *at + 1, HASH_HEX }, &out), "hiredis: a hash of a header");
    *at += 1 + HASH_HEX;
    return out;
}

static uint64_t next_number(const char **at, int base)
{
    char *end;
    uint64_t n = strtoull(*at, &end, base);
    *at = end;
    return n;
}

static Header read_header(const char *at)
{
    Header h = { .seq = next_number(&at, 16), .nonce = next_number(&at, 16) };
    h.chain = next_hash(&at);
    h.op = next_number(&at, 10);
    h.at = next_number(&at, 10);
    h.fence = next_number(&at, 10);
    h.size = next_number(&at, 10);
    h.sha256 = next_hash(&at);
    snprintf(h.by, sizeof h.by, "%.15s", at + 1);
    return h;
}

/* A header, a body, or a name, as its length tells. */
static void look_at_text(Raw *r, const char *text, size_t n)
{
    char copy[RAW_BYTES];
    if (n < RAW_BYTES && n > RAW_NAME) {
        Header h = read_header(text);
        r->sum += h.seq + h.size + h.chain.b[0] + (unsigned char)h.by[0];
        return;
    }
    memcpy(copy, text, n < sizeof copy ? n : sizeof copy);
    r->sum += n + (unsigned char)copy[0];
    if (r->hashing && n == RAW_BYTES)
        r->sum += raw_hash(text, n, r->paging);
}

static void look_at(Raw *r, const redisReply *reply)
{
    for (size_t i = 0; i < reply->elements; i++)
        look_at(r, reply->element[i]);
    if (reply->type == REDIS_REPLY_STRING)
        look_at_text(r, reply->str, (size_t)reply->len);
}

static void take(Raw *r, size_t answers, size_t elements)
{
    for (size_t i = 0; i < answers; i++) {
        void *got = NULL;
        must(redisGetReply(r->c, &got) == REDIS_OK, "hiredis: no answer");
        redisReply *reply = checked(r, got);
        must(reply->elements == elements || reply->type != REDIS_REPLY_ARRAY,
             "hiredis: another number of elements");
        look_at(r, reply);
        freeReplyObject(reply);
    }
}

static const char script[] = "local top = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')\n"
                             "if (top[2] or '0') ~= ARGV[1] then return {0, top[2]} end\n"
                             "redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])\n"
                             "redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])\n"
                             "return {1}\n";

static void append_to(Raw *r, const char *name, uint64_t seq)
{
    char expected[24], next[24], header[256];
    write_header(header, sizeof header, seq + 1);
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)seq);
    snprintf(next, sizeof next, "%llu", (unsigned long long)seq + 1);
    Str body = text_next(&r->text);
    if (r->hashing)
        r->sum += raw_hash(body.p, body.n, true);
    redisReply *reply =
        checked(r, redisCommand(r->c, "EVALSHA %s 2 {raw}:s:%s {raw}:b:%s %s %s %s %b", r->sha,
                                name, name, expected, next, header, body.p, body.n));
    must(reply->elements == 1 && reply->element[0]->integer == 1, "hiredis: not stored");
    freeReplyObject(reply);
}

static Raw *raw_open(const char *address, size_t notes)
{
    Raw *r = mem_alloc(sizeof *r);
    NoteName name;
    *r = (Raw){ .c = redisConnectUnix(address), .text = text_new(RAW_BYTES) };
    if (!r->c || r->c->err)
        die("hiredis: %s", r->c ? r->c->errstr : "no memory");
    redisReply *sha = checked(r, redisCommand(r->c, "SCRIPT LOAD %s", script));
    snprintf(r->sha, sizeof r->sha, "%.40s", sha->str);
    freeReplyObject(sha);
    for (size_t i = 0; i < notes; i++) {
        append_to(r, note_name(&name, i).p, 0);
        freeReplyObject(checked(r, redisCommand(r->c, "ZADD {raw}:names 0 %s", name.text)));
    }
    for (; r->seq < RAW_RECORDS; r->seq++)
        append_to(r, "runs/log", r->seq);
    return r;
}

static void raw_append(void *raw)
{
    Raw *r = raw;
    append_to(r, "runs/log", r->seq++);
}

static void raw_head(void *raw)
{
    Raw *r = raw;
    redisAppendCommand(r->c, "ZREVRANGE {raw}:s:notes/n00000000 0 0");
    redisAppendCommand(r->c, "HGET {raw}:b:notes/n00000000 1");
    take(r, 2, 1);
}

static void raw_read(void *raw)
{
    Raw *r = raw;
    const char *words[RAW_RECORDS + 2] = { "HMGET", "{raw}:b:runs/log" };
    char numbers[RAW_RECORDS][8];
    for (int i = 0; i < RAW_RECORDS; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%d", i + 1);
        words[i + 2] = numbers[i];
    }
    redisAppendCommand(r->c, "ZRANGEBYSCORE {raw}:s:runs/log 1 %d", RAW_RECORDS);
    take(r, 1, RAW_RECORDS); /* which records there are, and how long */
    redisAppendCommandArgv(r->c, RAW_RECORDS + 2, words, NULL);
    r->paging = true;
    take(r, 1, RAW_RECORDS);
    r->paging = false;
}

static void ask_names(Raw *r)
{
    redisAppendCommand(r->c, "ZRANGEBYLEX {raw}:names (notes/ + LIMIT 0 %d", RAW_NAMES);
    take(r, 1, RAW_NAMES);
}

static void only_names(void *raw)
{
    ask_names(raw);
}

/* Whoever knows the names asks for all headers at once: they are known from the page before. */
static void raw_list(void *raw)
{
    Raw *r = raw;
    NoteName name;
    redisAppendCommand(r->c, "ZRANGEBYLEX {raw}:names (notes/ + LIMIT 0 %d", RAW_NAMES);
    for (unsigned i = 0; i < RAW_NAMES; i++)
        redisAppendCommand(r->c, "ZREVRANGE {raw}:s:%s 0 0", note_name(&name, i).p);
    take(r, 1, RAW_NAMES);
    take(r, RAW_NAMES, 1);
}

static void raw_hashing(void *raw, bool hashing)
{
    ((Raw *)raw)->hashing = hashing;
}

static void raw_close(Raw *r)
{
    redisFree(r->c);
    text_free(&r->text);
    free(r);
}

const RawOps raw_redis = { "hiredis", raw_open,   raw_append,  raw_head, raw_read,
                           raw_list,  only_names, raw_hashing, raw_close };
