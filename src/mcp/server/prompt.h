/* prompt.h - prompts/list and prompts/get. */
#ifndef MCP_SERVER_PROMPT_H
#define MCP_SERVER_PROMPT_H

#include "mcp/server/session.h"

McpAnswer mcp_prompts_list, mcp_prompts_get;

/* True if there is a prompt of this name. */
bool mcp_prompt_known(Str name);

#endif
