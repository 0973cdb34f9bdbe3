/* cmd_tool.c - tools from the shell: memory-tool, for harnesses that run a program a call.
 *
 * The answer goes to standard output whether the command succeeded or not, because
 * the model is to read it; the exit code says which it was. */
#include "cli/cmd.h"
#include "tool/tool.h"

enum { COMMAND_MAX = 2 * STORE_BODY_MAX };

extern const Cmd cmd_memory_tool;

static jot_status open_session(void *ctx, bool create, Memory **out, Err *e)
{
    Session *s = ctx;
    jot_status st = session_open(s, create);
    if (st == JOT_OK)
        *out = &s->memory;
    else
        *e = s->err;
    return st;
}

static jot_status run_memory_tool(Session *s)
{
    Str text;
    json_t *read = NULL;
    ToolReply reply;
    ToolHost host = { .open = open_session, .ctx = s, .profiles = TOOLS_MEMORY };
    TRY(memory_dialect(str(opt_text(s, "dialect")), &host.dialect, &s->err));
    TRY(read_input(s, COMMAND_MAX, &text));
    TRY(json_read(text, &read, &s->err));
    AUTO_PTR(json_t) args = read;
    TRY(tool_call(&host, S("memory"), args, &s->arena, &reply, &s->err));
    if (s->json)
        print_json(
            json_pack("{s:o, s:b}", "text", json_text(reply.text), "is_error", reply.is_error));
    else
        print_line(reply.text);
    s->exit_code = reply.is_error ? status_info(reply.status)->exit_code : 0;
    return JOT_OK;
}

static const Opt opts[] = {
    { "dialect", "NAME", "documented, typescript, python: where the SDKs' own tools differ" },
    { 0 },
};

const Cmd cmd_memory_tool = {
    .name = "memory-tool",
    .args = "",
    .summary = "Answer one command of Anthropic's memory tool, JSON on standard input",
    .help = "The input of a memory_20250818 tool call, as the model made it:\n"
            "    {\"command\": \"view\", \"path\": \"/memories\"}\n"
            "The answer is the text of the tool's result; the exit code is not 0 if it is an\n"
            "error.  The files are the documents below memories/.  The words are those of the\n"
            "memory tools in the vendor's SDKs; where those differ, typescript and python are\n"
            "each as its SDK, and documented (the default) as the documentation has it.\n",
    .opts = opts,
    .run = run_memory_tool,
};
