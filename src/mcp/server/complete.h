/* complete.h - completion/complete: names of the pad that begin with what was typed so far. */
#ifndef MCP_SERVER_COMPLETE_H
#define MCP_SERVER_COMPLETE_H

#include "mcp/server/session.h"

McpAnswer mcp_complete;

#endif
