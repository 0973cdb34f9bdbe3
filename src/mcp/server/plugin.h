/* plugin.h - McpPlugin, what a program offers over MCP besides the pad.
 *
 * jotter has none.  The program that the official conformance suite is run against
 * (tests/mcp/conformance-server) has the tools, resources and prompts the suite asks
 * for, and hangs them in here, so that the suite speaks to the same code as clients
 * do.  A request for something of the plug-in's own never touches the pad, and runs
 * beside all others. */
#ifndef MCP_SERVER_PLUGIN_H
#define MCP_SERVER_PLUGIN_H

#include "mcp/server/notifications.h"

typedef struct McpPlugin {
    bool lists_change; /* its tools and prompts come and go: see McpHooks.changed */
    /* Add to a list: of "tools", "resources", "resourceTemplates" or "prompts". */
    void (*list)(const char *what, json_t *to);
    /* True if this request (tools/call, resources/read, completion/complete and the like) names
     * something of the plug-in's own. */
    bool (*owns)(Str method, const json_t *params);
    /* Answer it.  `client` are the capabilities the client declared. */
    bool (*answer)(McpSession *s, McpRequest *r, const json_t *client, json_t **result,
                   RpcError *why);
} McpPlugin;

#endif
