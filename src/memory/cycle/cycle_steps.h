/* cycle_steps.h - the steps of a running cycle, in the stream steps/AGENT/ID.
 *
 *   {"kind":"reply"}                        a model's reply, as it came
 *   {"kind":"result","status":"ok", ...}    what the tool it called gave, as it came
 *   {"kind":"end","end":"done", ...}        nothing comes after this
 *
 * Each append names the seq it follows, so steps never mix: a process that ends a cycle,
 * or takes a dead one over, first puts `end` after the last step, and a step of a
 * process that was thought dead is refused.  Each carries the machine's time since
 * it was started, as a sign of life.  The state at any step is folded from the text
 * the cycle began with and the steps, by action.h. */
#ifndef MEMORY_CYCLE_CYCLE_STEPS_H
#define MEMORY_CYCLE_CYCLE_STEPS_H

#include "memory/cycle/cycle_tail.h"

/* Fold the steps of the tail's newest cycle into *out, which cycle_tail_cycle() began; out->state
 * is what they make of the state before. */
MUST_USE jot_status cycle_steps_fold(Memory *m, const Tail *t, Arena *into, Cycle *out, Err *e);

/* Add a step after c->steps; takes `meta`.  JOT_CONFLICT: somebody else was faster. */
MUST_USE jot_status cycle_steps_add(Memory *m, const Cycle *c, json_t *meta, Str body, Err *e);

/* Say that nothing comes any more.  If somebody has said so already, c->end and c->why become what
 * he said.  JOT_CONFLICT: there is a new step. */
MUST_USE jot_status cycle_steps_seal(Memory *m, Cycle *c, CycleEnd end, Str why, Arena *into,
                                     Err *e);

/* The stream's name, in `into`. */
Str cycle_steps_stream(Str agent, Str id, Arena *into);
/* How a tool ended, by its name in a meta, and the name. */
ToolEnd cycle_steps_tool_end(Str status);
const char *cycle_steps_tool_end_name(ToolEnd end);

#endif
