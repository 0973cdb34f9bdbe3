/* known.h - the heads a handle saw last. */
#ifndef STORE_POSTGRES_KNOWN_H
#define STORE_POSTGRES_KNOWN_H

#include "store/postgres/pg.h"

/* The mark, or NULL. */
const Mark *known_find(const Pg *p, Str stream);
/* Remember it; seq 0: there is no such stream.  JOT_CORRUPT: the server went back. */
MUST_USE jot_status known_keep(Pg *p, Str stream, const Mark *mark, Err *e);
void known_free(Pg *p);

#endif
