/* wrap.h - functions of src/mcp that the linker replaces here (--wrap): WRAP(f) is what the product
 * calls, REAL(f) is its own. */
#ifndef CONFORMANCE_WRAP_H
#define CONFORMANCE_WRAP_H

#include "mcp/server/complete.h"
#include "mcp/server/feed.h"
#include "mcp/server/prompt.h"
#include "mcp/server/resource.h"
#include "mcp/server/tools.h"

#define WRAP(f) __wrap_##f
#define REAL(f) __real_##f
#define DECLARE(f) __typeof__(f) WRAP(f), REAL(f)

/* server.c */
DECLARE(mcp_tools_list);
DECLARE(mcp_tools_call);
DECLARE(mcp_tools_scope);
DECLARE(mcp_prompts_list);
DECLARE(mcp_prompts_get);
DECLARE(mcp_resources_list);
DECLARE(mcp_resources_read);
DECLARE(mcp_templates_list);
DECLARE(mcp_complete);
DECLARE(resource_parse);

/* dialogue.c */
DECLARE(mcp_message_new);
DECLARE(mcp_feed_listen);
DECLARE(mcp_feed_level);
DECLARE(mcp_feed_free);
DECLARE(rpc_write_notification);
DECLARE(rpc_write_result);

#endif
