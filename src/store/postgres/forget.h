/* forget.h - trim, redact, purge, and records that are put as they were. */
#ifndef STORE_POSTGRES_FORGET_H
#define STORE_POSTGRES_FORGET_H

#include "store/postgres/pg.h"

/* As in StoreOps. */
jot_status pg_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e);
jot_status pg_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                   Err *e);
jot_status pg_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e);
jot_status pg_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e);
jot_status pg_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);
jot_status pg_scrub(Store *s, Err *e);

#endif
