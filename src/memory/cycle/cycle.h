/* cycle.h - Cycle, one turn of an agent that sleeps in between: wake, steps, sleep.
 *
 * What an agent knows between two cycles is one document, its state
 * (cycle_state.h), in the stream cycles/AGENT; on files people see it as
 * cycles/active.yaml (agent "default") or cycles/AGENT/active.yaml.  A cycle is
 *
 *   wake      names the cycle, reads the state, and keeps it as it was
 *   step      a model's reply, or the result of the tool it called
 *   sleep     keeps what the steps made of the state, and makes that the state
 *   fail      keeps the state as it was before, with a line that says why
 *
 * and each of them is durable when it returns.  Nothing is held in memory in
 * between: every call may come from another process, so a shell script can drive
 * a cycle, and a process that dies leaves a cycle that can continue.
 *
 * 1. One cycle at a time: of two that wake at once, one succeeds.
 * 2. A cycle that gives no sign for its ttl is dead; so is one from before a
 *    reboot.  The next wake ends it as failed, with the state as it was before.
 * 3. Once a cycle has ended, or was ended by another, its steps are refused.
 * 4. A person may edit the state at any time: cycle_state_merge().
 *
 * Who takes a lease on cycles/AGENT before waking, and says so, is known to be gone
 * as soon as that lease ends; a caller who knows it otherwise says so by
 * CycleWake.gone. */
#ifndef MEMORY_CYCLE_CYCLE_H
#define MEMORY_CYCLE_CYCLE_H

#include "memory/cycle/action.h"
#include "memory/memory.h"

enum {
    CYCLE_ITERATIONS = 5, /* replies in a cycle, unless asked for otherwise */
    CYCLE_ITERATIONS_MAX = 1000,
    CYCLE_TTL_MS = 15 * 60 * 1000, /* between two signs of life */
    CYCLE_TTL_MS_MAX = 7 * 24 * 3600 * 1000,
    CYCLE_TRACE_MAX = 1024 * 1024, /* bytes */
    CYCLE_ID_MAX = 24,             /* YYYYMMDD_HHMMSS, with _2, _3 ... after it if need be */
    CYCLE_SAME_MAX = 1000 * 1000,  /* cycles of an agent in one second */
};

#define CYCLE_DEFAULT_AGENT "default"

/* How a cycle ended. */
typedef enum CycleEnd {
    CYCLE_RUNNING = 0,
    CYCLE_DONE,    /* the model said done */
    CYCLE_LIMIT,   /* all its iterations are used up */
    CYCLE_STOPPED, /* it was put to sleep before that */
    CYCLE_FAILED,  /* somebody said so */
    CYCLE_KILLED,  /* nobody did: it gave no sign any more */
} CycleEnd;

/* "running", "done", "limit", "stopped", "failed", "killed"; never NULL. */
const char *cycle_end_name(CycleEnd end);

/* A tool and how often it was called. */
typedef struct CycleCall {
    Str tool;
    size_t n;
    size_t unknown; /* of these: there was no such tool, so nothing was called */
    size_t same;    /* the most calls with the same arguments ... */
    Str args;       /* ... which are these */
} CycleCall;

typedef struct Cycle {
    Str agent, id;
    Str by; /* who woke */
    int64_t started_ms, ended_ms;
    CycleEnd end;
    Str why;     /* of a failed one */
    Str before;  /* exactly what the state was when it woke */
    Str after;   /* exactly what it ended with; empty while it runs */
    Yaml *state; /* as it stands now: after the last step, or at the end; NULL: see below */
    Err unreadable_after; /* why `after` is no state, of a cycle that ended */
    bool done;            /* the model said so: no more replies */
    bool dead;            /* it runs, but gave no sign for its ttl, or: */
    bool orphaned;        /* the lease it was woken under has ended: no process is left to end it */
    uint64_t lease;       /* the token it runs under; 0: none */
    bool sealed;          /* it is about to end: no more steps */
    bool lost;       /* its newest reply was redacted: perhaps a result is missing, perhaps not */
    bool waiting;    /* a tool was called and its result is missing: */
    Action call;     /* this one */
    int64_t left_ms; /* until it counts as dead */
    size_t iterations, iterations_max;
    uint64_t earlier; /* replies of the cycles before it, since the state was begun or reset; only
                         of a cycle that runs */
    int64_t ttl_ms;
    CycleCall *calls; /* by the first call */
    size_t calls_n;
    size_t unreadable; /* replies with no JSON object that names a tool */
    uint64_t steps;    /* the seq of the newest one */
    bool answered;     /* the newest one is the result of `call`: */
    ToolResult answer; /* this, whole */
    Str notice;        /* what was met on the way, in sentences, one a line; empty if nothing */
} Cycle;

/* The whole of it, with the state; the caller owns it. */
json_t *cycle_json(const Cycle *c);

/* --- The six events -------------------------------------------------------------------- */

typedef struct CycleWake {
    int64_t iterations_max; /* 0: CYCLE_ITERATIONS */
    int64_t ttl_ms;         /* 0: CYCLE_TTL_MS */
    uint64_t lease;         /* the token under which the cycle runs; 0: none */
    /* True if the process that runs the cycle in the way is certainly gone; NULL: only time
     * shows. */
    bool (*gone)(void *ctx, const Cycle *running);
    void *ctx;
} CycleWake;

/* Begin a cycle.  What a dead one left is finished first; c->notice says so.  JOT_LEASED: a
 * cycle of this agent is running.  JOT_INVALID: the state is no state; the sentence gives line and
 * column, and nothing was changed. */
MUST_USE jot_status cycle_wake(Memory *m, Str agent, const CycleWake *o, Arena *into, Cycle *out,
                               Err *e);

typedef struct CycleStep {
    Action action;
    Str said; /* the entry that went into the notes, or empty */
} CycleStep;

/* What a cycle takes in: a model's reply, or what came of the tool that it called. */
typedef struct CycleInput {
    Str agent, id;
    ToolEnd end; /* of a result */
    Str text;    /* any bytes */
} CycleInput;

/* One iteration: a model's reply, as it came.  JOT_INVALID: a tool's result is missing, or there
 * is nothing left to do.  JOT_CONFLICT: somebody else took a step.  JOT_FENCED: the cycle has
 * ended.
 */
MUST_USE jot_status cycle_step(Memory *m, const CycleInput *in, Arena *into, CycleStep *out,
                               Cycle *c, Err *e);
/* What came of the tool that was called. */
MUST_USE jot_status cycle_result(Memory *m, const CycleInput *in, Arena *into, CycleStep *out,
                                 Cycle *c, Err *e);

/* End a cycle.  Repeating it is fine.  JOT_FENCED: it was ended by another, in another way. */
MUST_USE jot_status cycle_sleep(Memory *m, Str agent, Str id, Arena *into, Cycle *out, Err *e);

typedef struct CycleFailure {
    Str agent, id;
    Str why;   /* shown as one line */
    Str trace; /* goes to the log logs/cycle/ID, for other agents logs/cycle/ID.AGENT; may be empty
                */
} CycleFailure;

/* End it as failed. */
MUST_USE jot_status cycle_fail(Memory *m, const CycleFailure *f, Arena *into, Cycle *out, Err *e);

/* --- The state ------------------------------------------------------------------------- */

typedef struct CycleStatus {
    Str agent;
    bool there;      /* there is a state */
    Str text;        /* of the state, exactly */
    Str by;          /* who wrote it last */
    Mark mark;       /* seq 0: a person's edit that will be recorded */
    Err unreadable;  /* status JOT_OK, or why the text is no state */
    Str newest;      /* the id of the newest cycle, or empty */
    bool running;    /* it runs: see cycle_find */
    uint64_t cycles; /* how many there are */
} CycleStatus;
MUST_USE jot_status cycle_status(Memory *m, Str agent, Arena *into, CycleStatus *out, Err *e);
/* The id of the newest cycle.  JOT_NOT_FOUND: there was none. */
MUST_USE jot_status cycle_newest(Memory *m, Str agent, Arena *into, Str *id, Err *e);
json_t *cycle_status_json(const CycleStatus *s);

/* The first state: goals, the first of which is the task unless another is given.
 * JOT_CONFLICT: there is one already. */
typedef struct CycleInit {
    const Str *goals;
    size_t goals_n;
    Str task, notes;
} CycleInit;
MUST_USE jot_status cycle_init(Memory *m, Str agent, const CycleInit *o, Arena *into, Str *text,
                               Err *e);

/* Begin again with this text, which is kept as it is; empty: the empty state.  `from` says where it
 * came from.  JOT_LEASED: a cycle is running. */
MUST_USE jot_status cycle_reset(Memory *m, Str agent, Str text, Str from, Arena *into, Err *e);

/* Delete the snapshots and logs of all cycles but a running one; their history stays.  *n counts
 * what was deleted. */
MUST_USE jot_status cycle_clean(Memory *m, Str agent, uint64_t *n, Err *e);

/* --- Looking --------------------------------------------------------------------------- */

/* One cycle, running or ended.  JOT_NOT_FOUND.  If what it ended with is no state, out->state is
 * NULL; everything else is there. */
MUST_USE jot_status cycle_find(Memory *m, Str agent, Str id, Arena *into, Cycle *out, Err *e);
/* For a caller that needs the state: JOT_OK, or why there is none. */
MUST_USE jot_status cycle_check_state(const Cycle *c, Err *e);

/* A cycle in a list. */
typedef struct CycleLine {
    Str id;
    int64_t started_ms, ended_ms; /* 0: not known */
    CycleEnd end;
    size_t iterations;
    Str why;
    bool imported; /* of another program, or edited: its times are its files' */
    uint64_t seq;  /* of its first record */
} CycleLine;

typedef struct CycleList {
    CycleLine *items; /* newest first */
    size_t n;
} CycleList;
MUST_USE jot_status cycle_list(Memory *m, Str agent, Arena *into, CycleList *out, Err *e);
json_t *cycle_line_json(const CycleLine *l);

#endif
