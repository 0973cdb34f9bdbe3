/* notifications.h - what is said between a request and its answer: progress, log lines, questions.
 *
 * All of it belongs to the request and travels where its answer will.  Nothing is
 * said that the client did not ask for: progress only with a token, log lines only
 * from the level it named, and in the stateless era no questions at all.
 *
 * May be called from any thread that works on the request. */
#ifndef MCP_SERVER_NOTIFICATIONS_H
#define MCP_SERVER_NOTIFICATIONS_H

#include "mcp/server/session.h"

enum { MCP_ASK_MS = 60 * 1000 }; /* how long an answer is waited for */

/* Nobody waits for this one any more; also wakes whoever waits for an answer on its behalf. */
void mcp_request_cancel(McpRequest *r);
bool mcp_request_cancelled(const McpRequest *r);

/* A notification; takes the reference to `params`. */
void mcp_tell(McpSession *s, const McpRequest *r, const char *method, json_t *params);

/* How far it has come, which only grows; total 0: nobody knows.  Nothing, if it was not asked for.
 */
void mcp_progress(McpSession *s, const McpRequest *r, uint64_t progress, uint64_t total);
bool mcp_progress_wanted(const McpRequest *r);

/* A line for the client's log, if it wants lines of this level. */
void mcp_log(McpSession *s, const McpRequest *r, const char *level, const char *text);

/* A request to the client, and the result of it, which the caller owns.  Takes the reference to
 * `params`.  JOT_UNSUPPORTED: in this era a server asks nothing.  JOT_CANCELLED, JOT_UNAVAILABLE:
 * there is no answer, or it is an error. */
MUST_USE jot_status mcp_ask(McpSession *s, const McpRequest *r, const char *method, json_t *params,
                            json_t **out, Err *e);
/* A response has come. */
void mcp_answered(McpSession *s, const RpcMessage *m);

/* --- Looking through much --------------------------------------------------------------- */

/* Interest that lasts until the request is cancelled, and tells of progress meanwhile. */
typedef struct RequestInterest {
    MemoryProgress progress;
    McpSession *session;
    const McpRequest *request;
    uint64_t told; /* what was told last */
    int64_t told_ms;
} RequestInterest;

void request_interest_init(RequestInterest *p, McpSession *s, const McpRequest *r);

#endif
