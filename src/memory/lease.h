/* lease.h - Lease, a name that one writer has for a while, and the token that proves it.
 *
 * A lease is taken on one stream or on all streams whose names begin alike, for
 * a time (ttl).  Its token is a number that only grows: the seq of the record
 * that granted it.  Writes of a handle that holds the lease carry the token and
 * succeed only while the lease stands; once somebody else got it they are
 * refused with JOT_FENCED, however long the old holder slept.
 *
 * A lease ends when it is released, when it expires, or, if it was taken
 * to live with its handle, at once when that handle is closed or its process
 * dies, in whatever way.  Time is the machine's since it was started, never the
 * wall clock; a reboot ends all leases.
 *
 * Leases bind those who use them: a writer that holds none is not stopped. */
#ifndef MEMORY_LEASE_H
#define MEMORY_LEASE_H

#include "memory/lease_table.h"
#include "memory/memory.h"

enum {
    LEASE_TTL_MS = 60 * 1000, /* unless asked for otherwise */
    LEASE_TTL_MS_MIN = 100,
    LEASE_TTL_MS_MAX = 24 * 3600 * 1000,
};

/* A token as a person or a model typed it.  JOT_INVALID. */
MUST_USE jot_status lease_read_token(Str text, uint64_t *out, Err *e);

/* --- Taking and letting go ------------------------------------------------------------- */

typedef struct LeaseAsk {
    Str on;
    bool prefix;
    int64_t ttl_ms;  /* 0: LEASE_TTL_MS */
    int64_t wait_ms; /* for others to let go; 0: do not wait */
    bool live;       /* it ends with this handle */
} LeaseAsk;

/* From now on this handle writes under the lease.  Asking again for what the handle has renews it.
 * JOT_LEASED: *out is the lease that is in the way.  *out lives in `into`. */
MUST_USE jot_status lease_acquire(Memory *m, const LeaseAsk *ask, Arena *into, Lease *out, Err *e);

/* The whole time again, under the same token; `ttl_ms` of 0: as before.  JOT_FENCED: it has ended,
 * and was perhaps given to somebody else: only lease_acquire helps. */
MUST_USE jot_status lease_renew(Memory *m, uint64_t token, int64_t ttl_ms, Arena *into, Lease *out,
                                Err *e);

/* Let others have it.  Also with JOT_FENCED, which says that it had ended already, this handle does
 * not write under it any more. */
MUST_USE jot_status lease_release(Memory *m, uint64_t token, Err *e);

/* Write under a lease that another handle took, as if this one had.  Nothing is looked up before
 * the first write; if the lease has ended by then, all writes of this handle are refused. */
void lease_adopt(Memory *m, uint64_t token);

/* Do not write under it any more; it stands as it stood.  A lease that lives with this handle, and
 * one it does not hold, are left alone. */
void lease_disown(Memory *m, uint64_t token);

/* --- Looking --------------------------------------------------------------------------- */

/* JOT_FENCED: there is no such lease, or it has ended.  From then on this handle knows what a lease
 * that it adopted is on, and when that has ended refuses no other writes. */
MUST_USE jot_status lease_check(Memory *m, uint64_t token, Arena *into, Lease *out, Err *e);

/* The lease that is in the way of one on this.  JOT_NOT_FOUND: there is none. */
MUST_USE jot_status lease_find(Memory *m, Str on, bool prefix, Arena *into, Lease *out, Err *e);

typedef struct LeaseList {
    Lease *items; /* by name */
    size_t n;
} LeaseList;
MUST_USE jot_status lease_list(Memory *m, Arena *into, LeaseList *out, Err *e);

/* Until when, as the end of a sentence: " for 42 s more", or that it ends with its process. */
typedef struct LeaseRest {
    char text[80];
} LeaseRest;
LeaseRest lease_rest(const Lease *l);

json_t *lease_json(const Lease *l);

#endif
