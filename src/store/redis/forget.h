/* forget.h - trim, redact, purge, and records that are put where they were before. */
#ifndef STORE_REDIS_FORGET_H
#define STORE_REDIS_FORGET_H

#include "store/redis/redis.h"

jot_status redis_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                      Err *e);
jot_status redis_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e);
jot_status redis_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);
jot_status redis_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e);
jot_status redis_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e);

#endif
