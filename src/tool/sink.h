/* sink.h - what the tools that read results of tools share. */
#ifndef TOOL_SINK_H
#define TOOL_SINK_H

#include "tool/args.h"

/* The answer is the result of a call, or the part of it that was asked for (REPLY_BODY_PARAMS). */
MUST_USE jot_status sink_answer(ToolCall *c, Str call, ToolReply *out);

#endif
