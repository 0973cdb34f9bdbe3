/* append.h - writing one record. */
#ifndef STORE_S3_APPEND_H
#define STORE_S3_APPEND_H

#include "store/s3/object.h"

jot_status s3_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e);

/* --- One object, for what else adds records (forget.c) ------------------------------------- */

typedef enum S3Put {
    S3_PUT_DONE,
    S3_PUT_TAKEN, /* another record has the number */
    S3_PUT_LATE,  /* the head was seen too long ago */
    S3_PUT_AGAIN, /* nobody knows yet; never the last answer, as the next */
    S3_PUT_GONE,  /* whoever had the number: it was trimmed or purged since */
} S3Put;

/* Put a record that is not there, until that is known to be done or not; it may be followed by
 * none but the head that was seen at `seen_ms`.  JOT_UNKNOWN: nobody knows. */
MUST_USE jot_status s3_put_record(S3 *p, Str stream, const S3Object *o, int64_t seen_ms, S3Put *out,
                                  Err *e);

/* Where the guard stands; 0 if there is none. */
MUST_USE jot_status s3_guard_seq(S3 *p, const Expect *x, uint64_t *out, Err *e);

#endif
