/* lease_table.h - LeaseTable, the stream that decides who has which lease.
 *
 * The head of leases/table is the table of all leases; older records are only
 * history and are trimmed.  A change is one append on the condition that the
 * table is still the one that was read, so whoever wins, all agree.  Members
 * that this version does not know are kept. */
#ifndef MEMORY_LEASE_TABLE_H
#define MEMORY_LEASE_TABLE_H

#include "memory/lease.h"

#define LEASE_TABLE STORE_TOKENS

typedef struct LeaseTable {
    uint64_t seq;     /* of the head; 0: nobody ever took a lease */
    uint64_t next;    /* the seq of the next record, and the token of a lease it grants */
    json_t *root;     /* owned */
    json_t *list;     /* its array of leases; borrowed */
    StoreTime time;   /* when it was read */
    int64_t asked_ms; /* by io_awake_ms, before that: a holder counts from here */
} LeaseTable;

/* JOT_CORRUPT if it is not as this file writes it. */
MUST_USE jot_status lease_table_read(Memory *m, LeaseTable *out, Err *e);
void lease_table_done(LeaseTable *t); /* {0} is fine */
DEFINE_AUTO(LeaseTable, lease_table_done)

size_t lease_table_count(const LeaseTable *t);
/* The lease in this place; its texts are borrowed from the table. */
Lease lease_table_at(const LeaseTable *t, size_t i);
/* The place of a token, or the count. */
size_t lease_table_find(const LeaseTable *t, uint64_t token);

/* True while it binds: its time is not over, and who must be alive is. */
bool lease_table_valid(Memory *m, const Lease *l);

/* The next append's edits. */
void lease_table_drop(LeaseTable *t, size_t i);
void lease_table_add(LeaseTable *t, const Lease *l);
void lease_table_renew(LeaseTable *t, size_t i, int64_t ttl_ms);

/* Write it, if it is still what was read: JOT_CONFLICT otherwise. */
MUST_USE jot_status lease_table_write(Memory *m, LeaseTable *t, const char *event, uint64_t token,
                                      Err *e);

/* True if this handle itself took the lease and lives with it (lease.c). */
bool lease_lives_here(const Memory *m, uint64_t token);

#endif
