/* statement.h - every statement of the engine. */
#ifndef STORE_POSTGRES_STATEMENT_H
#define STORE_POSTGRES_STATEMENT_H

#include "store/postgres/pg.h"

/* `text` with the schema's name for each '@' (statement.c).  Lives as long as the handle. */
const char *pg_with_schema(Pg *p, const char *text);
void pg_make_texts(Pg *p);

#endif
