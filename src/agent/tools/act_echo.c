/* act_echo.c - say a text back: for trying whether tools work at all.
 *
 * The echo of other programs takes a "message", and models that know one of them ask for that. */
#include "tool/args.h"

enum { TEXT_MAX = 64 * 1024 /* bytes */ };

static jot_status run(ToolCall *c, ToolReply *out)
{
    if (arg_given(c, "text") == arg_given(c, "message"))
        return err_set(c->e, JOT_INVALID, "give either 'text' or 'message'");
    out->text = arena_copy(c->into, arg_text(c, arg_given(c, "text") ? "text" : "message"));
    return JOT_OK;
}

extern const Tool act_echo;
const Tool act_echo = {
    .name = "echo",
    .title = "Echo",
    .about = "Say a text back, as it is.",
    .effects = TOOL_READS | TOOL_OUTSIDE | TOOL_IDEMPOTENT,
    .params =
        PARAMS({ "text", PARAM_TEXT, .optional = true, .max = TEXT_MAX },
               { "message", PARAM_TEXT, .about = "the same", .optional = true, .max = TEXT_MAX }),
    .run = run,
};
