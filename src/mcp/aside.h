/* aside.h - McpAside, the thread that reads large messages, and forgets them.
 *
 * A server's thread serves everybody; what takes long by the size of one message is
 * done here, one message after the other, in the order they came.  The thread lasts as
 * long as the process. */
#ifndef MCP_ASIDE_H
#define MCP_ASIDE_H

#include "mcp/message.h"

typedef struct McpAside McpAside;

/* A message was read; called on the thread that reads.  The receiver owns it. */
typedef void McpAsideRead(void *ctx, uint64_t number, McpMessage *m);

McpAside *mcp_aside_start(McpAsideRead *done, void *ctx); /* never NULL */

/* Read a message some time; `body` is its bytes, and taken.  The number comes back with it.  For
 * one thread. */
void mcp_aside_read(McpAside *a, uint64_t number, Buf body);
/* Nobody wants it; NULL is fine. */
void mcp_aside_forget(McpAside *a, McpMessage *m);

#endif
