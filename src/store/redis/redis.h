/* redis.h - Redis, a pad on a Redis server: one connection, and what the files of the engine share.
 *
 * A pad is a set of keys that begin with jotter:{PAD}: (docs/format.md has them all):
 *   pad        a hash: what the pad says of itself
 *   names      a sorted set of all names, in byte order; live has those that live
 *   s:STREAM   a sorted set of rows, the headers of its records (row.h)
 *   b:STREAM   a hash of bodies, by seq
 *   changes    a stream of names that have changed
 * The braces make a cluster keep all of them on one node.
 *
 * sock.c has the socket, hi.c the protocol, connect.c makes the connection and judges
 * what the server promises, flight.c sends scripts and understands refusals, script.c has
 * the scripts; redis.c, append.c, change.c and forget.c are the operations.
 *
 * Invariants:
 *   1. Nothing waits without a deadline.  A connection that misses one is closed: what was
 *      under way on it may still happen, and is resolved by position.
 *   2. What is compared and what is written is one script, so one step.
 *   3. No replica is ever believed, and none is written to. */
#ifndef STORE_REDIS_REDIS_H
#define STORE_REDIS_REDIS_H

#include "base/buf.h"
#include "store/engine.h"
#include "store/known.h"
#include "store/redis/hi.h"
#include "store/redis/script.h"
#include "store/redis/sock.h"

enum {
    REDIS_SERVER_MIN = 7,   /* scripts that say what they do */
    REDIS_READ_FORMAT = 1,  /* who knows less than this cannot read what we write ... */
    REDIS_WRITE_FORMAT = 1, /* ... and who knows less than this must not write */
    REDIS_PAD_MAX = 48,     /* bytes of a pad's name */
    REDIS_HOSTS_MAX = 8,
    REDIS_HOST_MAX = 256,   /* bytes of a host's name, or of a socket's path */
    REDIS_MARGIN_MS = 1000, /* of the server's clock */
    REDIS_CAVEATS_MAX = 768,
    REDIS_PORT = 6379,
    REDIS_ALONG = 16 * 1024, /* bytes of bodies that come with their rows, through a script */
    REDIS_SHA_HEX = 40,
};

/* Where a server listens. */
typedef struct RedisAddress {
    char host[REDIS_HOST_MAX]; /* or the path of a socket */
    int port;                  /* 0: it is a path */
} RedisAddress;

typedef struct Redis {
    Store base;
    const Hi *hi;
    Arena keep; /* what lives as long as the handle */
    RedisAddress
        hosts[REDIS_HOSTS_MAX]; /* where the URL leads: any of them may be the primary ... */
    size_t hosts_n;
    RedisAddress at;      /* ... and where we are: a cluster sends us to the pad's node */
    const char *user;     /* "": the default one */
    const char *password; /* "": none is sent */
    TlsOptions tls;       /* without the host */
    uint64_t db;
    uint64_t replicas;  /* so many must have a record before it is acknowledged */
    const char *prefix; /* of every key of the pad */
    char pad[REDIS_PAD_MAX + 1];
    bool encrypted;
    bool relaxed; /* the user has said that the server need not be durable */
    Sock sock;
    redisReader *reader; /* NULL: not connected */
    Arena *texts;        /* where the texts of the next answer go; NULL: with it */
    Buf out;             /* what is sent next */
    char sha[SCRIPTS][REDIS_SHA_HEX + 1];
    bool no_looks;    /* this user may not ask several things at once */
    bool large;       /* the last page of records had more bodies than come along */
    bool flying;      /* something was sent and not answered: memory ran out */
    bool lost;        /* the last flight was lost: what it asked for may have happened */
    bool durable;     /* what is acknowledged survives a power loss */
    char weak[200];   /* why not */
    bool logs;        /* it has an append-only file */
    char replid[48];  /* of the server's history: another one may have lost something */
    char process[48]; /* the server's name of itself, another one after each start */
    bool clustered;
    char id[STORE_PAD_ID + 1];
    char caveats[REDIS_CAVEATS_MAX];
    int64_t deadline_ms; /* of the operation under way, by the system's CLOCK_BOOTTIME */
    uint64_t trips;      /* flights made: what an operation costs is measured in these */
    Known known;
    const char *verb; /* what is being done, for sentences ... */
    Str subject;      /* ... and to what */
    int hops;         /* from node to node in this operation */
    bool settling;    /* tokens are being raised: not again within that */
} Redis;

#endif
