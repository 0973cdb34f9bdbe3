/* tools.h - tools/list and tools/call. */
#ifndef MCP_SERVER_TOOLS_H
#define MCP_SERVER_TOOLS_H

#include "mcp/server/session.h"

McpAnswer mcp_tools_list, mcp_tools_call;

/* What a call is about, which decides which other requests it waits for.  False, with the error to
 * answer with: there is no such tool, or `arguments` is no object; that needs no pad. */
MUST_USE bool mcp_tools_scope(McpRequest *r, RpcError *why);

#endif
