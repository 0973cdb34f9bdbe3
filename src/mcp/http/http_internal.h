/* http_internal.h - McpHttp, the server of both eras, for the files that make it up.
 *
 * All of it belongs to the server's thread.  What sessions send on other threads is
 * posted to it as McpHttpOut. */
#ifndef MCP_HTTP_HTTP_INTERNAL_H
#define MCP_HTTP_HTTP_INTERNAL_H

#include "mcp/http/channel.h"
#include "mcp/http/http.h"
#include "mcp/http/http_id.h"
#include "mcp/http/large_reader.h"
#include "mcp/server/queue.h"

/* A session of the old era. */
typedef struct McpHttpSession {
    char id[MCP_ID_MAX + 1]; /* empty until initialize has succeeded */
    uint64_t number;
    QueueClient *client;
    McpChannels channels;
    int64_t used_ms; /* when it was used last */
} McpHttpSession;

/* A request that stands for itself. */
typedef struct McpStateless {
    uint64_t number; /* of its exchange */
    QueueClient *client;
    bool refused;   /* an error is its own fault, and its status says so */
    bool json_only; /* its client takes no event streams */
    struct McpStateless *next;
} McpStateless;

/* A request whose message the large reader has, and what must be known of it if its client goes. */
typedef struct McpLarge {
    uint64_t number; /* of its exchange */
    char session[MCP_ID_MAX + 1];
    bool outlives_client; /* its session takes it even so, unless the body is of the other era */
    bool json_only;       /* its client takes no event streams */
    size_t share;         /* of the room for bodies */
    struct McpLarge *next;
} McpLarge;

typedef struct McpHttp {
    const McpHttpOptions *o;
    HttpOptions http;
    HttpRoute routes[MCP_HTTP_ROUTES_MAX];
    HttpServer *server;
    Queue *queue;
    const Io *io;
    McpHttpSession *sessions[MCP_HTTP_SESSIONS_MAX];
    uint64_t numbers; /* of sessions */
    McpIds ids;
    McpStateless *stateless;
    LargeReader *large_reader;
    McpLarge *large;
    size_t large_n;
} McpHttp;

typedef struct McpHttpOut {
    McpHttp *http;
    uint64_t number; /* of the session, or of the exchange of a stateless request */
    uint64_t via;
    bool last;
    int error;
    Str text; /* owned */
} McpHttpOut;

/* Hand what a session sends to the server's thread. */
void mcp_http_out_post(McpHttp *h, uint64_t number, const McpOut *out,
                       void (*run)(void *ctx, void *mail));
void mcp_http_out_free(McpHttpOut *m);
DEFINE_AUTO_PTR(McpHttpOut, mcp_http_out_free)

/* True if the large reader has a message of this session. */
bool mcp_http_reading(const McpHttp *h, Str session);

/* Answer with a JSON-RPC error and this status. */
void mcp_http_fail(HttpExchange *x, int status, Str id, const RpcError *why);

/* --- The old era ------------------------------------------------------------------------- */

/* *message is taken if it comes to that: then it is NULL. */
void mcp_http_session_post(McpHttp *h, HttpExchange *x, McpMessage **message);
/* The same for one whose client has gone. */
void mcp_http_session_post_late(McpHttp *h, const McpLarge *r, McpMessage **message);
void mcp_http_session_get(void *ctx, HttpExchange *x);
void mcp_http_session_delete(void *ctx, HttpExchange *x);
/* True if the exchange was one of the old era. */
bool mcp_http_session_gone(McpHttp *h, uint64_t number);
void mcp_http_session_expire(McpHttp *h);
/* The server ends: so do the streams. */
void mcp_http_session_end(McpHttp *h);

/* --- Each for itself --------------------------------------------------------------------- */

/* *message is taken if it comes to that: then it is NULL. */
void mcp_http_stateless_post(McpHttp *h, HttpExchange *x, McpMessage **message, McpEra era);
void mcp_http_stateless_gone(McpHttp *h, uint64_t number);

#endif
