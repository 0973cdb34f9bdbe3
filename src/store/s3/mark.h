/* mark.h - the objects that say which names there are. */
#ifndef STORE_S3_MARK_H
#define STORE_S3_MARK_H

#include "store/s3/listing.h"
#include "store/s3/s3.h"

/* A name that is about to live. */
typedef struct S3Claim {
    Str stream;
    uint64_t seq;   /* from this record on ... */
    uint64_t nonce; /* ... which is its writer's */
    Str key;        /* of the mark, once it is put */
} S3Claim;

/* Put the mark, and see that the name may live.  JOT_INVALID: a name above or below does. */
MUST_USE jot_status s3_claim(S3 *p, S3Claim *c, Arena *into, Err *e);
/* The same without a look at other names. */
MUST_USE jot_status s3_put_mark(S3 *p, S3Claim *c, Arena *into, Err *e);
/* The record was not written, and will not be.  One without a mark is fine. */
void s3_withdraw(S3 *p, S3Claim *c);

/* Say that a name has a tombstone: before that is written. */
MUST_USE jot_status s3_bury(S3 *p, Str stream, Err *e);
/* Its tombstone has this seq: nothing before it makes the name live. */
MUST_USE jot_status s3_retire(S3 *p, Str stream, uint64_t seq, Err *e);

/* Say that a stream may change soon, unless that was said within these ten minutes; with `anew`
 * always, because what changes is not its head. */
MUST_USE jot_status s3_hint(S3 *p, Str stream, bool anew, Err *e);
enum { S3_WINDOW_MS = 10 * 60 * 1000 };

/* Names of a kind of mark, in order, page by page. */
typedef struct S3Names {
    const char *kind;
    Str prefix;
    Arena arena; /* of the place */
    Str after;   /* the last key that was seen */
    S3List page;
    size_t at;
    bool over;
    Str name; /* the present one; valid until the next */
    int64_t at_ms;
} S3Names;

S3Names s3_names_begin(const char *kind, Str prefix, Str after);
/* The next name; *there false at the end.  One with several marks comes once. */
MUST_USE jot_status s3_names_next(S3 *p, S3Names *n, bool *there, Err *e);
void s3_names_done(S3Names *n);
DEFINE_AUTO(S3Names, s3_names_done)

#endif
