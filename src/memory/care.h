/* care.h - looking after a pad: is it whole, what is in it, what can go.
 *
 * Nothing here is needed for a pad to work: writers repair what they meet.
 * Care is for people who want to know, and to make room. */
#ifndef MEMORY_CARE_H
#define MEMORY_CARE_H

#include "base/json.h"
#include "memory/memory.h"

/* --- Is it whole? ------------------------------------------------------------------------ */

typedef struct CareCount {
    VerifyCount pad;
    uint64_t faults;     /* that count, of the pad and of its search index */
    uint64_t index_rows; /* compared */
    bool index;          /* there is a search index, and it was compared */
} CareCount;

/* store_verify, and the search index held against the pad. */
MUST_USE jot_status care_verify(Memory *m, const VerifyHooks *hooks, CareCount *out, Err *e);

typedef struct DoctorOptions {
    bool fix;         /* do it; otherwise only the faults are reported */
    bool after_crash; /* compare everything as after a power loss; needs fix */
} DoctorOptions;

typedef struct DoctorReport {
    CareCount before, after; /* equal without fix */
    StoreReport done;        /* what was repair */
    bool index_made;         /* the search index was rebuilt */
} DoctorReport;

/* The hooks hear the faults that are there, and with fix those that are left. */
MUST_USE jot_status care_doctor(Memory *m, const DoctorOptions *o, const VerifyHooks *hooks,
                                DoctorReport *out, Err *e);

json_t *fault_json(const StoreFault *f);
json_t *care_json(const CareCount *c);
json_t *doctor_json(const DoctorReport *r, bool fix);

/* --- What can go? ------------------------------------------------------------------------ */

enum { GC_KEEP_MIN = STORE_ID_WINDOW };

/* A record goes if any of the rules says so; the newest GC_KEEP_MIN of a stream always stay. */
typedef struct GcPolicy {
    Str prefix;        /* of names; empty: all documents (their history, never their value) */
    uint64_t keep;     /* more than so many records; 0: no rule */
    int64_t before_ms; /* older than this; 0: no rule */
    uint64_t bytes;    /* beyond so many bytes of bodies, counted from the newest; 0: no rule */
    bool dry_run;      /* only say what would go */
} GcPolicy;

typedef struct GcCount {
    uint64_t streams; /* of which something went */
    uint64_t records, bytes;
} GcCount;

typedef struct GcHooks {
    /* Hears of every stream of which something goes; may be NULL. */
    void (*each)(void *ctx, Str stream, const GcCount *of_it);
    /* Asked before each stream, of which `done` of `total` were looked at; may be NULL.  False ends
     * it with JOT_CANCELLED: what went is gone, the rest goes next time. */
    bool (*go_on)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
} GcHooks;

/* `hooks` may be NULL.  JOT_INVALID: no rule at all, or a kind whose value is all of its records.
 */
MUST_USE jot_status care_gc(Memory *m, const GcPolicy *p, const GcHooks *hooks, GcCount *out,
                            Err *e);

/* --- What is in it? ---------------------------------------------------------------------- */

enum { STATS_DAYS = 90 };

typedef struct KindStats {
    Str kind;
    uint64_t streams, deleted; /* living ones, and tombstones */
    uint64_t records, bytes;
    uint64_t damaged;             /* records that cannot be read */
    int64_t oldest_ms, newest_ms; /* of its records; 0: there is none */
    uint64_t grew[STATS_DAYS];    /* of the bytes, those written on each day (UTC), today last */
} KindStats;

typedef struct Stats {
    KindStats *kinds; /* by name */
    size_t n;
    uint64_t requests; /* that this took, where a server bills them; else 0 */
} Stats;

MUST_USE jot_status care_stats(Memory *m, Arena *into, Stats *out, Err *e);
json_t *stats_json(const Stats *s);

#endif
