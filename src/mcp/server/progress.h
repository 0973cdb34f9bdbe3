/* progress.h - what is said between a request and its answer, and whether anybody still waits.
 *
 * A request that looks through much (the first search of a large pad, a large graph)
 * asks now and then whether to continue.  That is where its client hears how far it
 * has come, if it sent a token, and where a request that was cancelled ends.
 *
 * May be called from any thread that works on the request. */
#ifndef MCP_SERVER_PROGRESS_H
#define MCP_SERVER_PROGRESS_H

#include "mcp/server/session.h"

/* Nobody waits for this one any more. */
void mcp_request_cancel(McpRequest *r);
bool mcp_request_cancelled(const McpRequest *r);

/* A notification that belongs to a request and travels where its answer will; takes the reference
 * to `params`.  Nothing, if the request was cancelled. */
void mcp_notify(const McpRequest *r, const char *method, json_t *params);

/* What memory asks now and then: whether to continue, and who hears how far it has come. */
typedef struct RequestProgress {
    MemoryProgress progress;
    const McpRequest *request;
    uint64_t sent; /* the count that was sent last */
    int64_t sent_ms;
} RequestProgress;

void request_progress_init(RequestProgress *p, const McpRequest *r);

#endif
