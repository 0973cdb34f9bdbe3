/* raw.h - Raw, what a client of a server does who needs no Jotter: the same records, the same
 * number of round trips, no chain, no hash, no history of names.
 *
 *   raw_postgres.c   libpq: two tables, prepared statements, binary parameters
 *   raw_redis.c      hiredis: a sorted set and a hash a stream, a script that compares and stores
 */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "bench/bench.h"

enum { RAW_BYTES = 2048, RAW_RECORDS = 100, RAW_NAMES = 100 };

typedef struct Raw Raw;
typedef struct RawOps {
    const char *name;                                /* of the library */
    Raw *(*open)(const char *address, size_t notes); /* with so many streams of one record */
    void (*append)(void *raw); /* one record of RAW_BYTES, if the head is as known */
    void (*head)(void *raw);   /* the newest record with its body */
    void (*read)(void *raw);   /* RAW_RECORDS records with their bodies */
    void (*list)(void *raw);   /* RAW_NAMES names, each with its newest header */
    void (*names)(void *raw);  /* the names alone */
    void (*close)(Raw *raw);
} RawOps;

extern const RawOps raw_postgres, raw_redis;

#endif
