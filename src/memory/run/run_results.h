/* run_results.h - ways of looking at a run: for the next prompt, for the final answer, for
 * continuing after a crash.
 *
 * All of them are functions of the stream alone, so every process sees the same. */
#ifndef MEMORY_RUN_RUN_RESULTS_H
#define MEMORY_RUN_RUN_RESULTS_H

#include "memory/run/results.h"
#include "memory/run/run.h"

enum {
    RUN_RESULTS_MAX = 64 * 1024 * 1024,   /* bytes of results at once */
    RUN_RESULTS_CLEARED_MAX = 100 * 1000, /* cleared results at once: a line each */
};

/* The results for a prompt: the summary if there is one, then the later results, those that were
 * cleared as one line each.  JOT_TOO_BIG beyond RUN_RESULTS_MAX.  Lives in `into`. */
MUST_USE jot_status run_prompt(Run *r, Arena *into, Results *out, Err *e);

/* Results `from` to `to` in full, whether cleared or not; `to` 0 is the newest. */
MUST_USE jot_status run_results(Run *r, uint64_t from, uint64_t to, Arena *into, Results *out,
                                Err *e);

/* Some records of a run in a row. */
typedef struct RunPage {
    RunStep *steps;
    size_t n;
    Arena arena; /* of all of it */
} RunPage;

/* A walk over the results, newest first, that reads no more than it is asked for: 32 records at a
 * time, and stretches without a result are jumped over.  It holds two pages at most. */
typedef struct RunBack {
    Run *r;
    RunTail tail;  /* the newest records, if they were read before */
    uint64_t next; /* records before this seq are still to be read */
    uint64_t span; /* how far back: more if nothing was there, as a number can be far beyond */
    RunPage page;  /* the page at hand ... */
    size_t left;   /* ... of which so many are not yet looked at */
    RunPage older; /* the one before it, if a call in it was wanted already */
} RunBack;

/* Begins after the newest record of the run's state.  `tail` is what run_refresh_tail left in the
 * same moment, and is taken over, or NULL. */
RunBack run_back(Run *r, RunTail *tail);
void run_back_done(RunBack *b);
DEFINE_AUTO(RunBack, run_back_done)
/* The next older result, borrowed until the next call; *there is false if there is none. */
MUST_USE jot_status run_back_next(RunBack *b, Result *out, bool *there, Err *e);

/* What the final answer is made from: every result of the run that is no failure, each below its
 * call, JSON fenced. */
MUST_USE jot_status run_final(Run *r, Buf *to, Err *e);

/* A call issued and not completed, as far as the run knows. */
typedef struct Unfinished {
    RunOpen open;
    Str args;
    bool stored; /* its result is in artifacts/tool_results/<call>: only recording it is missing */
} Unfinished;

typedef struct UnfinishedList {
    Unfinished *items; /* in the order they were issued */
    size_t n;
} UnfinishedList;

/* What a process that takes over has to decide about.  A mutating call that is not stored may or
 * may not have happened: it must not be repeated without looking. */
MUST_USE jot_status run_unfinished(Run *r, Arena *into, UnfinishedList *out, Err *e);
json_t *unfinished_json(const UnfinishedList *list);

#endif
