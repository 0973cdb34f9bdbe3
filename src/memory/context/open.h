/* open.h - OpenWork, what is under way in a pad: leases, runs, tasks, plans.
 *
 * For a reader who is new to a pad, a model at the beginning of a session or a person: what
 * somebody has, has begun or waits for.  A lease that has expired, a run that was answered or has
 * ended, a task that is completed and a plan that is ready are not open. */
#ifndef MEMORY_CONTEXT_OPEN_H
#define MEMORY_CONTEXT_OPEN_H

#include "base/json.h"
#include "memory/memory.h"

enum {
    OPEN_LEASES = 10, /* that are listed, of each kind ... */
    OPEN_RUNS = 5,
    OPEN_TASKS = 20,
    OPEN_PLANS = 5,
    OPEN_LOOKED_AT = 50, /* ... and runs and plans that are looked at for it, the newest */
};

typedef struct OpenItem {
    const char *what; /* "lease", "run", "task", "plan" */
    Str name;         /* what is leased, or the id */
    Str says;         /* its state: "running, alice", "2 of 5 steps done" */
    Str about;        /* the run's query, the task's description, the plan's objective */
    int64_t at_ms;    /* of its newest record; 0: not known */
} OpenItem;

typedef struct OpenWork {
    OpenItem *items; /* leases, runs, tasks, plans */
    size_t n;
    uint64_t leases, tasks; /* that are open, listed or not */
} OpenWork;

/* Lives in `into`.  What cannot be read is left out: verify reports it. */
MUST_USE jot_status open_work(Memory *m, Arena *into, OpenWork *out, Err *e);

/* [{"what", "name", "state", "about", "at"} ...]; the caller owns it. */
json_t *open_work_json(const OpenWork *w);

#endif
