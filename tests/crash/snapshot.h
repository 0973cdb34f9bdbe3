/* snapshot.h - Snapshot, everything a store holds at one moment.
 *
 * Two stores that were told the same hold the same: the rig reads a store
 * after a crash and compares it with mem:, record by record, through a digest
 * of all that belongs to a record. */
#ifndef CRASH_SNAPSHOT_H
#define CRASH_SNAPSHOT_H

#include "store/store.h"

typedef struct Shot {
    Str name;
    Record *records;
    uint64_t *digests; /* one a record; equal digests are equal records */
    size_t n;
    bool pending; /* the value is an edit by a person that is no record yet ... */
    bool gone;    /* ... and there is no value: the edit was a removal */
    Str edit;     /* its text */
} Shot;

typedef struct Snapshot {
    Shot *shots; /* by name */
    size_t n;
    uint64_t digest; /* of all of it */
} Snapshot;

/* Read everything and check that the doors of the store agree: list, head and records, without
 * gaps, with chains that follow from their beginning.  False with a sentence if something is
 * wrong.  The snapshot lives in `into`. */
typedef enum Doors {
    DOORS_SOME = 0,
    DOORS_ALL, /* also the value alone, and the list of what lives */
} Doors;
MUST_USE bool snapshot_take(Store *s, Doors doors, Arena *into, Snapshot *out, char *wrong,
                            size_t size);
/* The same of the streams of an earlier snapshot and of `more`, without asking for a list. */
MUST_USE bool snapshot_again(Store *s, const Snapshot *earlier, const char *const *more, size_t n,
                             Arena *into, Snapshot *out, char *wrong, size_t size);

/* The stream's shot, or NULL if it has none. */
const Shot *snapshot_find(const Snapshot *s, Str name);

enum { ALLOWED_MAX = 12 };

/* What a store may hold: any of these, and of a stream that grows from one to another of them
 * also what lies between. */
typedef struct Allowed {
    const Snapshot *any[ALLOWED_MAX];
    size_t n;
} Allowed;

void allowed_add(Allowed *a, const Snapshot *s);
/* True if this may be what a stream holds. */
bool allowed_stream(const Allowed *a, const Shot *seen);
/* True if every stream of `seen` is allowed and none is missing; else a sentence. */
MUST_USE bool allowed_fits(const Allowed *a, const Snapshot *seen, char *wrong, size_t size);

#endif
