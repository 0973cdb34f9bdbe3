/* connect.h - a connection that is fit to be used. */
#ifndef STORE_POSTGRES_CONNECT_H
#define STORE_POSTGRES_CONNECT_H

#include "store/postgres/pg.h"

/* Take a URL apart (connect.c). */
MUST_USE jot_status pg_address(Pg *p, const Url *url, Err *e);
MUST_USE jot_status pg_connect(Pg *p, Err *e);
void pg_disconnect(Pg *p);

#endif
