/* client.h - McpClient, the tools of an external server, as tools of ours.
 *
 * A server is a command of the user's, spoken to over its standard input and
 * output.  The stateless era of MCP is tried first (server/discover), then the
 * conversation that `initialize` begins; everything else is the same for both.
 *
 * Its tools are listed once, when it is opened.  They are called mcp_SERVER_TOOL,
 * so that none can stand in for one of ours; arguments are checked by the server,
 * and what it answers is text of a stranger.  A server that dies makes its tools
 * fail, and nothing else.  A call that reports progress is given more time. */
#ifndef MCP_CLIENT_CLIENT_H
#define MCP_CLIENT_CLIENT_H

#include "tool/tool.h"

#define MCP_CLIENT_PREFIX "mcp_"

enum {
    MCP_CLIENT_TOOLS_MAX = 256,
    MCP_CLIENT_PAGES_MAX = 64,
    MCP_CLIENT_NAME_MAX = 20,          /* bytes of a server's name */
    MCP_CLIENT_TEXT_MAX = 1024 * 1024, /* bytes of an answer; it says what was cut */
    MCP_CLIENT_START_MS = 30 * 1000,   /* for the first answer: some install themselves first */
    MCP_CLIENT_PROBE_MS = 5 * 1000,    /* for server/discover, which old servers may not answer */
    MCP_CLIENT_CALL_MS = 120 * 1000,   /* without an answer or progress */
    MCP_CLIENT_CALL_MS_MAX = 3600 * 1000, /* of a call, whatever it says of its progress */
};

typedef struct McpClientOptions {
    Str command; /* "NAME=COMMAND", or a command, which is called by its first word */
    bool (*cancelled)(void *ctx); /* may be NULL */
    void *ctx;
    int64_t start_ms;
    int64_t call_ms; /* of a longer time than MCP_CLIENT_CALL_MS_MAX all; 0, also above: as above */
    /* True if a name is taken: another one is made.  May be NULL. */
    bool (*taken)(void *ctx, Str name);
} McpClientOptions;

typedef struct McpClient McpClient;

/* Start the server and list its tools.  JOT_UNAVAILABLE: it does not start, or does not speak MCP;
 * the sentence has its last words. */
MUST_USE jot_status mcp_client_open(McpClient **out, const McpClientOptions *o, Err *e);
void mcp_client_close(McpClient *c); /* NULL is fine */
DEFINE_AUTO_PTR(McpClient, mcp_client_close)

/* The i-th tool, or NULL after the last; lives as long as the client. */
const Tool *mcp_client_tool(const McpClient *c, size_t i);
/* The protocol version that is spoken, and the server's name in the names of its tools. */
const char *mcp_client_version(const McpClient *c);
const char *mcp_client_name(const McpClient *c);

#endif
