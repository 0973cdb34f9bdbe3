/* call.h - Call, a tool that the model wants used, and Reply, what came of it.
 *
 * There is one of each on the whole way, and each step adds what it knows:
 *
 *     reply of the model
 *       | transcript.c   TurnCall: the Call, and what the run records about it
 *       | loop_call.c    reads the arguments, records that it is issued
 *       | act.c          policy, then the tool's own ToolCall (tool.h), then the sink
 *       v
 *     tool
 *       | act.c          Reply: text for the model, whether it failed
 *       v loop_call.c    records it as the TurnCall's result */
#ifndef AGENT_CALL_H
#define AGENT_CALL_H

#include "base/err.h"
#include "base/json.h"

typedef struct Call {
    Str id;   /* ours, of this call and no other in the pad: RUN.r3c1.  It names the result, too */
    Str tool; /* as the model wrote it */
    Str args; /* likewise: JSON, or what came instead if the call is broken */
    const json_t *object; /* `args`, read, for the one who makes the call; NULL: an empty object */
} Call;

typedef struct Reply {
    Str text;          /* for the model: UTF-8, never empty */
    bool failed;       /* the tool failed, was refused, or is not there; text says why */
    bool refused;      /* by policy, or by the person who was asked */
    bool unknown;      /* there is no such tool, and nothing was called */
    bool spilled;      /* text is the beginning of the result; the rest is in the sink */
    jot_status status; /* why it failed; JOT_OK otherwise */
} Reply;

#endif
