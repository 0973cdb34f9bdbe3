/* schema.h - a pad as a schema of its database. */
#ifndef STORE_POSTGRES_SCHEMA_H
#define STORE_POSTGRES_SCHEMA_H

#include "store/postgres/pg.h"

/* Recognise the pad, or make it: JOT_NOT_FOUND if it is not there and `create` is not set. */
MUST_USE jot_status pg_identify(Pg *p, bool create, Err *e);

#endif
