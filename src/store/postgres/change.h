/* change.h - which streams have changed. */
#ifndef STORE_POSTGRES_CHANGE_H
#define STORE_POSTGRES_CHANGE_H

#include "store/postgres/pg.h"

/* As in StoreOps. */
jot_status pg_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                      Err *e);

#endif
