/* forget.h - trim, redact, purge, and records that are put where they were before. */
#ifndef STORE_S3_FORGET_H
#define STORE_S3_FORGET_H

#include "store/s3/s3.h"

jot_status s3_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                   Err *e);
jot_status s3_redact(Store *s, Str stream, const Expect *x, const Redaction *set, Err *e);
jot_status s3_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);
jot_status s3_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e);
jot_status s3_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e);
/* As store_scrub: what had to wait for its hour, and what others left half done. */
jot_status s3_scrub(Store *s, Err *e);
/* As store_settle: names that no record came for within an hour. */
jot_status s3_settle(Store *s, Err *e);

#endif
