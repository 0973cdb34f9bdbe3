/* hands.h - the tools of act.h as the loop wants them. */
#ifndef AGENT_HANDS_H
#define AGENT_HANDS_H

#include "agent/act.h"
#include "agent/loop.h"

/* Borrowed from `a`. */
LoopHands hands_of(Act *a);

/* The tools as a model is told of them.  They live in `into`. */
LlmTool *hands_tools(const Act *a, Arena *into, size_t *n);

#endif
