/* sign.h - AWS Signature Version 4: who sends a request, and that nobody has changed it.
 *
 * What is signed is what is sent: the path and the query are written here, once,
 * and go both into the URL and into the signature. */
#ifndef STORE_S3_SIGN_H
#define STORE_S3_SIGN_H

#include "base/buf.h"
#include "base/hash.h"

enum {
    S3_PAIRS_MAX = 16, /* headers or arguments of one request */
    S3_DATE = 16,      /* 20260131T184500Z */
};

typedef struct S3Pair {
    Str name, value;
} S3Pair;

typedef struct S3Request {
    Str method;
    Str path; /* as it is, not escaped; it begins with '/' */
    /* In any order; what is changed is the order and the case of the headers' names. */
    S3Pair query[S3_PAIRS_MAX];
    size_t query_n;
    S3Pair headers[S3_PAIRS_MAX]; /* host and x-amz-date must be among them */
    size_t headers_n;
    Hash payload; /* of the body */
} S3Request;

typedef struct S3Key {
    Str id, secret;
} S3Key;

/* What a signature is good for. */
typedef struct S3Scope {
    Str region, service;
    int64_t at_ms;
} S3Scope;

typedef struct S3Date {
    char text[S3_DATE + 1];
} S3Date;

/* A moment as the header x-amz-date has it. */
S3Date s3_date(int64_t ms);

/* The path with everything escaped but '/' and what never needs it. */
void s3_write_path(Buf *to, Str path);
/* The arguments, escaped, in the order in which they are signed; without '?'. */
void s3_write_query(Buf *to, const S3Request *r);
/* The value of the header Authorization. */
void s3_write_authorization(Buf *to, const S3Request *r, const S3Scope *scope, const S3Key *key);

#endif
