/* cycle_loop.h - CycleLoop, an agent that wakes, works on its state and sleeps again.
 *
 * The state is the whole memory between two iterations: each request is the rules
 * and the state as it is now, and what the reply asks for changes the state
 * (cycle.h).  So there is nothing to compact, and the notes in it are bounded.
 *
 * Every reply and every result is a step on the disk before the next one.  A
 * process that is killed leaves a cycle that the next wake ends as failed, with the
 * state as it was before: the lease it held ends with it, so that is known at once.
 * No call of it is repeated: each was made once at most, under a name of its own,
 * and the notes of the state say which tools had answered and which one nobody
 * knows about.  The model decides what to do about that.
 *
 * Rules of directories below the working directory (prompt_nested.h) are read when a call first
 * touches one, and stand in every request of the cycle from then on.
 *
 * A scripted model continues after the replies that were recorded (Cycle.earlier). */
#ifndef AGENT_CYCLE_LOOP_H
#define AGENT_CYCLE_LOOP_H

#include "agent/loop.h"
#include "memory/cycle/cycle.h"
#include "memory/frame/frame.h"

typedef struct CycleLoop {
    Memory *m;
    Llm *llm;
    LoopTools tools;
    LoopView view; /* text, again, replied, call, result, notice, cancelled */
    Str agent;
    Str system;          /* from prompt_build_cycle ... */
    Frame frame;         /* ... and the frame it was made in; without a sign: the pad's */
    uint32_t max_tokens; /* of a reply */
    uint64_t window;     /* tokens the model can take in; 0: BUDGET_WINDOW */
    int64_t iterations_max;
    int64_t wait_ms; /* for another process to release the agent */
} CycleLoop;

/* One cycle from wake to sleep.  JOT_LEASED: one of this agent is running.  If the model fails the
 * cycle has failed too, and the status is the model's; out->end says how it ended in any case in
 * which it was woken. */
MUST_USE jot_status cycle_loop_run(CycleLoop *w, Arena *into, Cycle *out, Err *e);

#endif
