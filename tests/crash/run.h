/* run.h - Run, one telling of a workload: to the store under test, and to the model.
 *
 * The model must answer what the store has answered.  What it holds after each
 * operation is what a crash behind it must leave; that is kept as a list of
 * snapshots.
 *
 * While an operation is in flight the store may hold what was before it or
 * what comes after; for several records at once, also some of them, in order;
 * for a purge, also the tombstone with all that is yet to go. */
#ifndef CRASH_RUN_H
#define CRASH_RUN_H

#include "model.h"
#include "rig/recorder.h"
#include "target.h"

/* What a person did to a file. */
typedef struct Edit {
    size_t op; /* which operation of the story it was */
    Str stream, text;
    bool removal;
    bool synced;   /* it cannot be lost by a power failure either */
    bool replaced; /* the person saved again before any write had met it */
} Edit;

typedef struct History {
    Arena arena;
    Allowed after[ACTIONS_MAX + 1]; /* when so many operations have returned */
    Allowed amid[ACTIONS_MAX + 1];  /* also allowed before that, while the last one runs */
    bool clean[ACTIONS_MAX + 1];    /* the secret is in no file when so many have returned */
    size_t n;                       /* operations that have returned */
    Edit edits[EDITS_MAX];
    size_t edits_n;
} History;

void history_free(History *h);
DEFINE_AUTO(History, history_free)

/* How far a run has come, in memory that outlives a process that kills itself. */
typedef struct Progress {
    volatile size_t begun, acked;
} Progress;

typedef struct Run {
    const Target *target;
    const char *root;
    TestIo io;
    Recorder *recorder; /* told what begins and what is acknowledged; may be NULL */
    Progress *progress; /* likewise */
    History *history;   /* filled in */
    bool faulty;        /* the disk fails: operations may, and say so */
    bool readable;      /* ... but reading does not */
    bool editing;       /* a person is at work now, not the store */
    Store *store;
    Model model;
    bool stopped; /* the rest of the story cannot be told */
    bool missed;  /* something that forgets has failed */
    char wrong[400];
} Run;

/* Fill a new run.  The hook may be NULL. */
void run_init(Run *r, const Target *t, const char *root, const IoHook *hook, History *to);
void run_done(Run *r);

/* Make what the story begins with: on disk and in mem:, or in mem: alone. */
typedef enum SetupWhere { SETUP_BOTH, SETUP_MODEL } SetupWhere;
MUST_USE bool run_setup(Run *r, const Workload *w, SetupWhere where);

/* Let mem: begin with what a store was seen to hold; a crash may leave any of `allowed`.  `clean`:
 * the secret is gone already. */
void run_adopt(Run *r, const Snapshot *seen, const Allowed *allowed, bool clean);

/* Open the store, tell it the story, close it.  False if something is wrong: r->wrong. */
MUST_USE bool run_story(Run *r, const Action *story);

/* What a crash may leave when so many operations had begun and so many returned. */
Allowed history_allowed(const History *h, size_t begun, size_t acked);

#endif
