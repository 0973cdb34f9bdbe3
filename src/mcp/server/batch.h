/* batch.h - McpBatch, answers that go out together, when the last of them is there.
 *
 * A request that still owes an answer has joined it, and so has the thread that still
 * takes messages of it; the last to leave sends what there is.  May be used from any thread. */
#ifndef MCP_SERVER_BATCH_H
#define MCP_SERVER_BATCH_H

#include "mcp/server/session.h"

typedef struct McpBatch McpBatch;

/* One that its maker has joined; never NULL. */
McpBatch *mcp_batch_new(McpSession *s, uint64_t via);
McpBatch *mcp_batch_join(McpBatch *b); /* NULL is fine, and returned */
void mcp_batch_leave(McpBatch *b);     /* NULL is fine */
void mcp_batch_add(McpBatch *b, Str reply);

#endif
