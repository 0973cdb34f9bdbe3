/* act_echo.c - say a text back: for trying whether tools work at all. */
#include "tool/args.h"

enum { TEXT_MAX = 64 * 1024 /* bytes */ };

static jot_status run(ToolCall *c, ToolReply *out)
{
    out->text = arena_copy(c->into, arg_text(c, "text"));
    return JOT_OK;
}

extern const Tool act_echo;
const Tool act_echo = {
    .name = "echo",
    .title = "Echo",
    .about = "Say a text back, as it is.",
    .effects = TOOL_READS | TOOL_OUTSIDE | TOOL_IDEMPOTENT,
    .params = { { "text", PARAM_TEXT, .max = TEXT_MAX } },
    .run = run,
};
