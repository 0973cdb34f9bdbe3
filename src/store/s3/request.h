/* request.h - one request to S3, and what came back. */
#ifndef STORE_S3_REQUEST_H
#define STORE_S3_REQUEST_H

#include "store/s3/s3.h"

typedef struct S3Call {
    const char *method;
    Str key; /* of the object, without the pad's prefix; "": the bucket */
    S3Pair query[6];
    size_t query_n;
    Str body;
    bool absent;       /* only if there is no such object */
    Str match;         /* only if the object has this ETag; "": whatever it has */
    const char *range; /* of bytes, as the header has it; NULL: all */
    /* By the store's CLOCK_BOOTTIME: once this has passed it is not sent, also if that is while
     * it was being signed; 0: it may always be. */
    int64_t before_ms;
} S3Call;

typedef struct S3Answer {
    int status; /* 0: it was not sent, because it was too late */
    Buf body;
    bool foreign;  /* it is not S3's: a web page of something on the way */
    char code[64]; /* of a refusal: "NoSuchKey" ... */
    char
        etag[S3_ETAG_MAX]; /* of the object, as the header has it; "": it has none, or a long one */
} S3Answer;

void s3_answer_done(S3Answer *a);
DEFINE_AUTO(S3Answer, s3_answer_done)

/* Begin an operation: its deadline, and its name for sentences. */
MUST_USE jot_status s3_ready(S3 *p, const char *verb, Str subject, Err *e);
/* A part of it is done: the rest has the same time again. */
void s3_more(S3 *p);

/* Send one request.  JOT_OK whenever S3 has answered, whatever it said.  JOT_UNAVAILABLE with
 * p->lost: nobody knows what became of it. */
MUST_USE jot_status s3_send(S3 *p, const S3Call *c, S3Answer *out, Err *e);
/* The same for what may be done twice: it is sent again until there is an answer that means
 * something.  JOT_OK: it was done, or there is no such object (404), or it is there already (412).
 */
MUST_USE jot_status s3_ask(S3 *p, const S3Call *c, S3Answer *out, Err *e);

/* May the same request have another answer soon? */
bool s3_is_busy(const S3Answer *a);
/* Sleep before something is tried again, but not beyond the deadline; false: it is over. */
MUST_USE bool s3_pause(S3 *p);

/* "could not VERB 'SUBJECT': WHY". */
jot_status s3_say(S3 *p, Err *e, jot_status st, const char *why);
/* A refusal as a status and a sentence. */
jot_status s3_refused(S3 *p, const S3Answer *a, Err *e);

uint64_t s3_nonce(const S3 *p);
/* The server's time; the machine's before its first answer. */
int64_t s3_server_ms(const S3 *p);

/* --- Whole objects ---------------------------------------------------------------------- */

MUST_USE jot_status s3_put(S3 *p, Str key, Str body, Err *e);
/* The same only while the object has this ETag; *done false: it has another by now, or is gone. */
MUST_USE jot_status s3_put_over(S3 *p, Str key, Str etag, Str body, bool *done, Err *e);
MUST_USE jot_status s3_delete(S3 *p, Str key, Err *e);
/* The bytes of an object, in `out`; *there: whether there is one.  `range` as in a call. */
MUST_USE jot_status s3_get(S3 *p, Str key, const char *range, S3Answer *out, bool *there, Err *e);

#endif
