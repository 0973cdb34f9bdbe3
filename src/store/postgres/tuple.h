/* tuple.h - rows of results as marks and records. */
#ifndef STORE_POSTGRES_TUPLE_H
#define STORE_POSTGRES_TUPLE_H

#include "store/postgres/pg.h"

int64_t tuple_i64(const Pg *p, const PGresult *r, int row, int at);
Str tuple_bytes(const Pg *p, const PGresult *r, int row, int at); /* borrowed from the result */
bool tuple_null(const Pg *p, const PGresult *r, int row, int at);
/* Eight columns from `at` on.  JOT_CORRUPT if they cannot be a mark. */
MUST_USE jot_status tuple_mark(Pg *p, const PGresult *r, int row, int at, Mark *out, Err *e);
/* JOT_CORRUPT if it cannot be one. */
MUST_USE jot_status pg_check_mark(Pg *p, const Mark *m, Err *e);
/* Eight columns of the mark, then four texts; what follows is not read. */
MUST_USE jot_status tuple_record(Pg *p, const PGresult *r, int row, Arena *into, Record *out,
                                 Err *e);
/* The column after them. */
Str tuple_body(const Pg *p, const PGresult *r, int row, Arena *into);

#endif
