/* pad.h - the pad's facts: making and recognising it, and the tokens of its leases. */
#ifndef STORE_REDIS_PAD_H
#define STORE_REDIS_PAD_H

#include "store/redis/redis.h"

/* Read the facts; JOT_NOT_FOUND if there is no pad and `create` is not set.  JOT_CORRUPT if it is
 * not the one this handle had. */
MUST_USE jot_status redis_identify(Redis *p, bool create, Err *e);
/* As store_scrub. */
MUST_USE jot_status redis_scrub(Store *s, Err *e);

#endif
