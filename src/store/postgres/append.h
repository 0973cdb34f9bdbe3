/* append.h - one record, in one round trip. */
#ifndef STORE_POSTGRES_APPEND_H
#define STORE_POSTGRES_APPEND_H

#include "store/postgres/pg.h"

/* As in StoreOps. */
jot_status pg_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e);

#endif
