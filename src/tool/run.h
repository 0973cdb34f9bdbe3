/* run.h - what the tools about runs share. */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "memory/run/usage.h"
#include "tool/args.h"

/* clang-format off */
#define RUN_PARAM { "run", PARAM_TEXT, .about = "its id", .max = RUN_ID_MAX }
/* clang-format on */

/* "limit" and "similarity"; 0 where they are not given. */
UsageLimits run_arg_limits(const ToolCall *c);

#endif
