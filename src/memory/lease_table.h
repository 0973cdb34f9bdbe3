/* lease_table.h - LeaseTable, the stream that decides who has which lease.
 *
 * The head of leases/table is the table of all leases; older records are only
 * history and are trimmed.  A change is one append on the condition that the
 * table is still the one that was read, so all agree on who won.  Members
 * that this version does not know are kept.
 *
 * It knows streams and nothing else: who writes under which lease is holding.h's,
 * who gets one lease.h's. */
#ifndef MEMORY_LEASE_TABLE_H
#define MEMORY_LEASE_TABLE_H

#include "base/json.h"
#include "store/store.h"

#define LEASE_TABLE STORE_TOKENS

enum { LEASE_MAX = 1000 /* at the same time, in one pad */ };

/* One row of it. */
typedef struct Lease {
    Str on;      /* the stream, or what the streams' names begin with */
    bool prefix; /* the latter */
    uint64_t token;
    Str by;          /* who took it */
    int64_t ttl_ms;  /* what it was taken or renewed for */
    int64_t left_ms; /* until it expires; 0: it has */
    bool late;       /* it has, but others wait a moment longer: clocks differ */
    bool live;       /* it also ends with the handle that took it */
} Lease;

typedef struct LeaseTable {
    uint64_t seq;     /* of the head; 0: nobody ever took a lease */
    uint64_t next;    /* the seq of the next record, and the token of a lease it grants */
    json_t *root;     /* owned */
    json_t *list;     /* its array of leases; borrowed */
    StoreTime time;   /* when it was read */
    int64_t asked_ms; /* by io_awake_ms, before that: a holder counts from here */
} LeaseTable;

/* A record that is no table is taken for an empty one, and reported by store_report. */
MUST_USE jot_status lease_table_read(Store *s, const Io *io, LeaseTable *out, Err *e);
void lease_table_done(LeaseTable *t); /* {0} is fine */
DEFINE_AUTO(LeaseTable, lease_table_done)

size_t lease_table_count(const LeaseTable *t);
/* Row `i`; its texts are borrowed from the table. */
Lease lease_table_at(const LeaseTable *t, size_t i);
/* The row of a token, or the count. */
size_t lease_table_find(const LeaseTable *t, uint64_t token);

/* The next append's edits. */
void lease_table_drop(LeaseTable *t, size_t i);
void lease_table_add(LeaseTable *t, const Lease *l);
void lease_table_renew(LeaseTable *t, size_t i, int64_t ttl_ms);

/* Write it as `by`, if it is still what was read: JOT_CONFLICT otherwise. */
MUST_USE jot_status lease_table_write(Store *s, Str by, LeaseTable *t, const char *event,
                                      uint64_t token, Err *e);

#endif
