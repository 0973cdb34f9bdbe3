/* holding.h - Holding, a lease as the handle that writes under it knows it.
 *
 * A Memory has any number of holdings: leases it took, and leases it adopted by
 * their token.  Everything it writes or forgets in a stream that one of them
 * covers is guarded by the table of leases, as holding.c says; memory.c asks
 * for that, nouns do not. */
#ifndef MEMORY_HOLDING_H
#define MEMORY_HOLDING_H

#include "memory/lease_table.h"
#include "memory/memory.h"

typedef struct Holding {
    uint64_t token;
    char *on; /* owned; NULL: adopted and never seen in the table yet */
    size_t on_n;
    bool prefix;
    bool lives;       /* this handle holds the number: the lease ends with it */
    bool lost;        /* it was not in the table, or had expired, when last looked at */
    int64_t until_ms; /* by io_awake_ms, when last looked at */
} Holding;

struct Holdings {
    Holding *items;
    size_t n, cap;
    uint64_t seq; /* of the table when last looked at */
};

/* NULL: this handle does not hold it.  Borrowed until the next add or drop. */
Holding *holding_find(const Memory *m, uint64_t token);
Holding *holding_add(Memory *m, uint64_t token);
void holding_drop(Memory *m, Holding *h); /* NULL is fine */
/* Remember the lease as the table has it. */
void holding_saw(Holding *h, const LeaseTable *t, const Lease *l);
/* Forget them all; numbers of those that live with the handle are free when the store is closed. */
void holdings_close(Memory *m);

/* True while a row of the table binds: it has not expired, and the handle it lives with is alive.
 */
bool holding_binds(const Memory *m, const Lease *l);

/* True if a lease on `on` is about this stream. */
bool holding_covers(Str on, bool prefix, Str stream);

/* store_append under the lease that covers the stream, if any.  JOT_FENCED: that has ended, and
 * nothing was written. */
MUST_USE jot_status holding_append(Memory *m, Str stream, const Expect *expect, const Draft *draft,
                                   Mark *out, Err *e);

/* The guard under which this handle may change the stream; empty: none of its leases covers it.
 * JOT_FENCED: the one that does has ended.  The table is read again. */
MUST_USE jot_status holding_guard(Memory *m, Str stream, Expect *out, Err *e);

#endif
