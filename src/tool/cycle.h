/* cycle.h - what the verbs about cycles share. */
#ifndef TOOL_CYCLE_H
#define TOOL_CYCLE_H

#include "memory/cycle/cycle.h"
#include "tool/template.h"
#include "tool/verb.h"

/* clang-format off */
#define CYCLE_AGENT { "agent", PARAM_TEXT, .optional = true, .max = STORE_KEY_MAX, \
                      .word = "NAME", .help = "the agent; else 'default'" }
#define CYCLE_ONE { "cycle", PARAM_TEXT, .about = "its id", .max = CYCLE_ID_MAX, .place = 1, \
                    .word = "ID" }
#define CYCLE_ANY { "cycle", PARAM_TEXT, .about = "its id; else the newest", .optional = true, \
                    .max = CYCLE_ID_MAX, .place = 1, .word = "ID" }

/* "cycle 20260101_000000 is running, 1 of 5 iterations": the last line of an answer to a model. */
#define CYCLE_LABEL \
    "cycle {cycle} is [dead{?dead}][{end}{!dead}], {iterations} of {iterations_max#iteration}" \
    "[, it waits for the result of {waiting_for.tool}]"
/* "cycle 20260101_000000: done, 2 of 5 iterations": how a person reads that it ended. */
#define CYCLE_ENDED "cycle {cycle}: {end}, {iterations} of {iterations_max#iteration}"
/* clang-format on */

/* The members of a cycle (cycle_json). */
extern const Param cycle_fields[];

/* The agent that "agent" names, else the default one. */
Str cycle_arg_agent(const ToolCall *c);

/* Add to a refusal that a cycle was not found how to find one; returns `st`. */
jot_status cycle_refused(ToolCall *c, jot_status st);

/* The state as the body of an answer to a model, with what the row says below it. */
jot_status cycle_say_state(ToolCall *c, const VerbData *d, ToolReply *out);

extern const Verb verb_cycle_status, verb_cycle_list, verb_cycle_read, verb_cycle_steps,
    verb_cycle_log, verb_cycle_diff, verb_cycle_explain;

#endif
