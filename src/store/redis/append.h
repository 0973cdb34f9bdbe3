/* append.h - writing one record. */
#ifndef STORE_REDIS_APPEND_H
#define STORE_REDIS_APPEND_H

#include "store/redis/redis.h"

jot_status redis_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e);

#endif
