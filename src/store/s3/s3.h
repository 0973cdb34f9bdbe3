/* s3.h - S3, a pad in a bucket: what its files share.
 *
 * A pad is a set of objects below one prefix (docs/format.md has them all):
 *   pad                      what the pad says of itself
 *   r/HASH/NUMBER        a record: a header and its body.  HASH is that of the stream's name,
 *                        NUMBER 2^63-1-seq, so that a LIST shows the newest first
 *   n/NAME SEQ-NONCE     NAME lives, or is about to, since the record SEQ
 *   t/NAME               NAME had a tombstone once
 *   c/WINDOW/NAME        NAME may change within these ten minutes; c/forgot: text has gone
 *   g/NAME               something of NAME is to be removed for good later
 *
 * S3 can do one thing in one step: make an object that is not there (PUT with If-None-Match: *).
 * So an append is the PUT of the number after the head:
 *
 *     seen head n, at most ten minutes ago ──► PUT n+1 if absent ──► 200: it is written
 *                ▲                                   │
 *                └────── LIST, GET ◄─────────────────┴── 412: another's, or ours, by its nonce
 *
 * "n+1 is not there" means "the head is n" only if numbers that were there do not go away too
 * soon.  Three rules see to that:
 *   1. A head is believed for ten minutes, and S3 refuses a signature after fifteen, so no PUT
 *      comes more than 25 minutes after the head that it follows was seen.
 *   2. Nothing younger than an hour, by the server's clock, is deleted.  What must go sooner is
 *      overwritten by a stub, which keeps its number.
 *   3. A head is never removed.
 *
 * address.c reads the URL, keys.c finds credentials, sign.c signs, request.c sends, listing.c
 * reads lists, cache.c keeps records, object.c has the objects' names and texts, look.c what this
 * handle saw, mark.c the names; s3.c, append.c, forget.c and change.c are the operations. */
#ifndef STORE_S3_S3_H
#define STORE_S3_S3_H

#include "net/http_client.h"
#include "store/engine.h"
#include "store/known.h"
#include "store/s3/sign.h"

enum {
    S3_READ_FORMAT = 1,  /* who knows less than this cannot read what we write ... */
    S3_WRITE_FORMAT = 1, /* ... and who knows less than this must not write */
    S3_PREFIX_MAX = 256, /* bytes before the names of objects; a key has 1024 */
    S3_HOST_MAX = 256,
    S3_SECRET_MAX = 4096,           /* bytes of a key or token */
    S3_MARGIN_MS = 5000,            /* of the server's clock: it counts whole seconds */
    S3_BELIEVE_MS = 10 * 60 * 1000, /* how long a head that was seen may be followed */
    S3_YOUNG_MS = 60 * 60 * 1000,   /* nothing younger is deleted */
    S3_STUB_MAX = 64,               /* an object of fewer bytes is a stub, and no record */
    S3_PAGE = 1000,                 /* objects in one answer to LIST */
    S3_ETAG_MAX = 80,
    S3_SIGHTS = 256,     /* streams whose heads are remembered */
    S3_CACHE_MAX = 1024, /* MiB of records that may be kept */
};

/* Who we are to the server. */
typedef struct S3Keys {
    char *id, *secret, *token; /* owned; token may be NULL */
    int64_t until_ms;          /* UTC; 0: they do not end */
    const char *from;          /* where they were found, for sentences */
} S3Keys;

/* A stream's head, as this handle saw it. */
typedef struct S3Sight {
    bool used;
    Hash stream; /* of its name */
    Mark head;
    uint64_t floor;  /* records before this number were purged */
    char *ids;       /* owned: those of the newest records (object.h) */
    int64_t seen_ms; /* by the store's CLOCK_BOOTTIME */
    uint64_t window; /* of time in which its hint was put */
} S3Sight;

typedef struct Told Told;

/* Records that were read (cache.c). */
typedef struct S3Cache {
    struct S3Kept *kept;
    size_t bytes, bytes_max; /* 0: nothing is kept */
    size_t next;             /* the place that is given up next */
} S3Cache;

typedef struct S3 {
    Store base;
    Arena keep; /* what lives as long as the handle */
    HttpClient *http;
    /* From the URL. */
    bool encrypted;
    char host[S3_HOST_MAX]; /* as the header Host has it */
    Str bucket;             /* "": it is part of the host's name */
    Str shown;              /* the bucket, for sentences */
    Str prefix;             /* ends in '/', or is empty */
    Str region;
    Str profile;
    const char *ca_file; /* NULL: the system's */
    bool one_writer;     /* the user's word that nobody else writes */
    bool matches;        /* the server is known to heed If-Match */
    bool bare_etags;     /* If-Match must have them without quotes here */
    S3Keys keys;
    /* The server's clock, as its answers have it. */
    int64_t date_ms;                    /* the last one, in whole seconds */
    int64_t server_ms, server_awake_ms; /* 0: not heard yet */
    int64_t deadline_ms;                /* of what is under way, by the system's CLOCK_BOOTTIME */
    bool lost;                          /* the last request was: it may have been done */
    const char *verb;                   /* what is being done, for sentences ... */
    Str subject;                        /* ... and to what */
    char id[STORE_PAD_ID + 1];
    char caveats[768];
    Known known;
    S3Sight sights[S3_SIGHTS];
    S3Cache cache;
    uint64_t operation; /* counts them */
    Told *told;         /* change.c */
} S3;

#endif
