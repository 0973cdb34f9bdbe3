/* change.h - which streams have changed. */
#ifndef STORE_REDIS_CHANGE_H
#define STORE_REDIS_CHANGE_H

#include "store/redis/redis.h"

jot_status redis_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                         Err *e);

#endif
