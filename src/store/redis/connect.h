/* connect.h - from a URL to a connection that is fit to be used. */
#ifndef STORE_REDIS_CONNECT_H
#define STORE_REDIS_CONNECT_H

#include "store/redis/redis.h"

MUST_USE jot_status redis_address(Redis *p, const Url *url, Err *e);
/* Connect, and judge the server; a pad that was open before must still be the same. */
MUST_USE jot_status redis_connect(Redis *p, Err *e);
void redis_disconnect(Redis *p);
/* Go where a cluster says the pad is: "MOVED SLOT HOST:PORT". */
MUST_USE jot_status redis_move(Redis *p, Str said, Err *e);
MUST_USE jot_status redis_load_scripts(Redis *p, Err *e);

#endif
