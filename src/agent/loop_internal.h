/* loop_internal.h - LoopWork, a loop at work: what the files of the loop share.
 *
 * loop.c decides what is next; loop_call.c makes calls; loop_ask.c asks the model;
 * loop_back.c takes a run back. */
#ifndef AGENT_LOOP_INTERNAL_H
#define AGENT_LOOP_INTERNAL_H

#include "agent/loop.h"
#include "memory/run/factor.h"

typedef struct LoopWork {
    Loop *l;
    Run *r;
    Transcript t;
    Err *e;
    bool over;
    LoopOutcome *out;
    Arena *into;
    int64_t renewed_ms;
    TokenFactor learned; /* from the requests of this process */
    uint64_t estimated;  /* the newest of them, without the factor, ... */
    uint64_t reported;   /* ... and as its provider counted; 0: there is none */
} LoopWork;

/* Take in what was added to the run. */
MUST_USE jot_status loop_refresh(LoopWork *w);
/* End it, for another reason than an answer. */
MUST_USE jot_status loop_end(LoopWork *w, LoopEnd how, Str why);

/* Make the call, or find out what came of it if it was issued before; record both. */
MUST_USE jot_status loop_call(LoopWork *w, const TurnCall *c);
/* Record the rules of a directory that calls of this turn touched and the model does not see yet.
 * *added: there was one; there may be more. */
MUST_USE jot_status loop_rules(LoopWork *w, const Turn *turn, bool *added);
/* A name the run can record, whatever the model wrote. */
Str loop_safe_name(Str tool);

/* One process works on a run at a time. */
MUST_USE jot_status loop_lease(Loop *l, const Run *r, Err *e);
/* Can this loop resume the run? */
MUST_USE jot_status loop_check_setup(const Loop *l, const Run *r, const Transcript *t, Err *e);
/* Finish what loop_back() began, if the process died in between; of any other run nothing. */
MUST_USE jot_status loop_finish_back(Run *r, Err *e);

/* Ask the model, in a context that has room, and record its reply; or end at a limit. */
MUST_USE jot_status loop_ask(LoopWork *w);

#endif
