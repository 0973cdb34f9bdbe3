/* cmd_mcp.c - the pad for programs that speak MCP, over standard input and output. */
#include "base/url.h"
#include "cli/cmd.h"
#include "mcp/pipe.h"

extern const Cmd cmd_mcp;

static jot_status run_mcp(Session *s)
{
    McpOptions o = { .url = s->where.url, .by = s->by, .lease = s->lease };
    /* A pad that cannot be meant is told now; whether it is there only the first call asks. */
    Url url;
    TRY(url_parse(o.url, &s->arena, &url, &s->err));
    TRY(tool_profiles(str(opt_text(s, "tools")), &o.profiles, &s->err));
    mcp_pipe(&o);
}

static const Opt opts[] = {
    { "tools", "PROFILES", "artifacts, runs, cycles, tasks, memory, graph, plans, all" },
    { 0 },
};

const Cmd cmd_mcp = {
    .name = "mcp",
    .args = "",
    .summary = "Serve the pad to an agent over MCP, on standard input and output",
    .help =
        "One JSON message a line, of every revision of MCP from 2024-11-05 to 2026-07-28.  The\n"
        "tools of the scratchpad are always there; --tools adds others.  Nothing is written\n"
        "before the first write; the end of input, SIGINT and SIGTERM end it, and what was\n"
        "acknowledged is durable.  Give --pad an absolute path: clients start servers anywhere.\n",
    .opts = opts,
    .run = run_mcp,
};
