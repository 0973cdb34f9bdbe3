/* act_write_file.c - write a file of the working directory, as one step. */
#include "agent/sandbox/workdir.h"
#include "agent/tools/act.h"
#include "tool/args.h"
#include "tool/template.h"

enum { FILE_MAX = 4 * 1024 * 1024 /* bytes */ };

static jot_status run(ToolCall *c, ToolReply *out)
{
    Shown shown;
    bool made = false;
    Str path = arg_text(c, "path"), content = arg_text(c, "content");
    TRY(workdir_write(act_workdir(c->outside), path, content, &made, c->e));
    out->text = arena_printf(c->into, "%s '%s', %s", made ? "made" : "replaced",
                             err_show(&shown, path), counted(content.n, "byte").text);
    return JOT_OK;
}

extern const Tool act_write_file;
const Tool act_write_file = {
    .name = "write_file",
    .title = "Write a file",
    .about = "Write a file of the working directory; what was there is replaced. What you have to "
             "remember belongs into the scratchpad instead.",
    .effects = TOOL_WRITES | TOOL_OUTSIDE,
    .params = PARAMS({ "path", PARAM_TEXT, .max = WORKDIR_PATH_MAX },
                     { "content", PARAM_TEXT, .max = FILE_MAX }),
    .run = run,
};
