/* raw.h - Raw, what a client of a server does who needs no Jotter: the same records with headers as
 * long, the same number of round trips; no chain, no hash, no history of names.
 *
 *   raw_postgres.c   libpq: two tables, prepared statements, binary parameters
 *   raw_redis.c      hiredis: a sorted set and a hash a stream, a script that compares and stores
 *   raw_s3.c         libcurl: an object a record, signed by the same code
 *
 * What comes back is made values of, as by any caller who goes on: texts are copied, numbers and
 * hashes are read, where the server does not send them in binary.  With `hashing` bodies and
 * headers are hashed by SHA-256, too, where Jotter does so: a body and a header when a record is
 * written or read in a page, a body when it is the head's. */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "base/hash.h"
#include "bench/bench.h"

enum { RAW_BYTES = 2048, RAW_RECORDS = 100, RAW_NAMES = 100 };

typedef struct Raw Raw;
typedef struct RawOps {
    const char *name;                                /* of the library */
    Raw *(*open)(const char *address, size_t notes); /* with so many streams of one record */
    void (*append)(void *raw);             /* one record of RAW_BYTES, if the head is as known */
    void (*head)(void *raw);               /* the newest record with its body */
    void (*read)(void *raw);               /* RAW_RECORDS records with their bodies */
    void (*list)(void *raw);               /* RAW_NAMES names, each with its newest header */
    void (*names)(void *raw);              /* the names alone */
    void (*hash)(void *raw, bool hashing); /* from now on, or no more */
    void (*close)(Raw *raw);
} RawOps;

enum { RAW_HEADER = 230 }; /* bytes of what is chained: about a header */

/* Hash a body of `n` bytes, and perhaps a header; the sum of some bytes, so that it must be done.
 */
static inline uint64_t raw_hash(const char *body, size_t n, bool header)
{
    static const char chained[RAW_HEADER];
    Hash h = hash_of((Str){ body, n });
    uint64_t sum = h.b[0];
    if (header) {
        h = hash_of((Str){ chained, sizeof chained });
        sum += h.b[0];
    }
    return sum;
}

extern const RawOps raw_postgres, raw_redis, raw_s3;

#endif
