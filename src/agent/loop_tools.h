/* loop_tools.h - the tools of act.h as the loop wants them. */
#ifndef AGENT_LOOP_TOOLS_H
#define AGENT_LOOP_TOOLS_H

#include "agent/loop.h"
#include "agent/tools/act.h"

/* Borrowed from `a`. */
LoopTools loop_tools_of(Act *a);

/* The tools as they are offered to a model.  They live in `into`. */
LlmTool *loop_tools_list(const Act *a, Arena *into, size_t *n);

#endif
