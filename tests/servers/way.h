/* way.h - what can happen on the way to any server. */
#ifndef SERVERS_WAY_H
#define SERVERS_WAY_H

#include "servers/place.h"

/* For every server. */
extern const CaseTable way_cases;
/* For those that wake whoever waits for changes, and keep a log of their own: Postgres and Redis.
 */
extern const CaseTable database_cases;

#endif
