/* run.h - what the verbs about runs share. */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "memory/run/run_newest.h"
#include "tool/template.h"
#include "tool/verb.h"

/* clang-format off */
#define RUN_PARAM { "run", PARAM_TEXT, .about = "its id, or last", .max = RUN_ID_MAX, .place = 1 }
/* clang-format on */

/* "limit" and "similarity"; 0 where they are not given. */
UsageLimits run_arg_limits(const ToolCall *c);
/* The run that "run" names, opened. */
MUST_USE jot_status run_arg_open(const ToolCall *c, Run *out);

extern const Verb verb_run_begin, verb_run_say, verb_run_call, verb_run_result, verb_run_finish,
    verb_run_clear, verb_run_compact, verb_run_timeline;

#endif
