/* message.h - McpMessage, one message as it came, and as it was read.
 *
 * Reading is the only part of taking a message that takes time by its size: half a
 * second for some of 4 MB.  It needs no session, so it can be done on any thread
 * before a session takes the message (mcp_take_read). */
#ifndef MCP_PROTOCOL_MESSAGE_H
#define MCP_PROTOCOL_MESSAGE_H

#include "mcp/protocol/jsonrpc.h"

typedef struct McpMessage {
    Arena arena; /* of the text */
    Str text;
    RpcMessage msg;
    bool good;    /* it could be read; if not: */
    RpcError why; /* what to answer with */
    bool array;   /* it begins like one, and so may be a batch */
    /* A whole array: its messages, at most RPC_BATCH_MAX of them; `parts_n` may be more. */
    bool batch;
    struct McpMessage **parts;
    size_t parts_n;
} McpMessage;

/* Read it, from a copy of its own; never NULL. */
McpMessage *mcp_message_new(Str text);
void mcp_message_free(McpMessage *m); /* NULL is fine */
DEFINE_AUTO_PTR(McpMessage, mcp_message_free)

#endif
