/* outage.h - Outage, what happens to a server, or on the way to it, while a crew works on its pad.
 *
 * The workers reach the server through a proxy (rig/proxy.h).  An outage is one of these, and the
 * dice say which: answers are lost, late, or overtake each other, connections are cut, nothing
 * passes at all for a while, or the server is killed with SIGKILL and started again by
 * tests/rig/with-servers.  Where that has a standby (the file JOT_TEST_FAILOVER may be made), one
 * outage is a failover: the server is killed for good and the standby takes its place; then there
 * is no proxy, for the client itself must find it. */
#ifndef CONCURRENCY_OUTAGE_H
#define CONCURRENCY_OUTAGE_H

#include "rig/proxy.h"
#include "scene.h"

typedef struct Outage {
    Proxy proxy;
    bool through;         /* the proxy stands between */
    const char *failover; /* the file that asks for one; NULL: there is no standby */
    const char *pid;      /* the file that has the server's process */
    uint64_t end_ns;      /* when the proxy passes everything again; 0: it does */
    unsigned kills, cuts, lost, holes, waits, mixes, failovers; /* so far */
    char url[256]; /* of the server, through the proxy, if there is one */
} Outage;

/* For the server of an engine, "postgres:" or "redis:".  False: there is none. */
bool outage_begin(Outage *o, Str scheme);
void outage_end(Outage *o);
DEFINE_AUTO(Outage, outage_end)

/* Let one happen; `dice` choose. */
void outage_next(Outage *o, Dice *dice);
/* Call now and then: what has lasted long enough ends. */
void outage_tend(Outage *o);
/* No more of it: everything passes from now on. */
void outage_calm(Outage *o);

#endif
