/* http.h - MCP over HTTP, both eras, at one path: /mcp.
 *
 * The old era has sessions (Mcp-Session-Id): POST is answered plainly if the answer is
 * there soon and by an event stream otherwise, GET opens the stream of what nobody asked
 * for or resumes one that was cut, DELETE ends the session.  Losing the connection
 * cancels nothing, and a session outlives the server that began it (http_id.h).
 *
 * The stateless era has POST only, each for itself; there closing the connection means
 * that nobody wants the answer any more, and what has not been read is not.
 *
 * An answer is sent after its write is durable; SIGINT, SIGTERM and SIGHUP end the
 * process, after what is running has ended or QUEUE_GRACE_MS are over. */
#ifndef MCP_HTTP_HTTP_H
#define MCP_HTTP_HTTP_H

#include "mcp/server/session.h"
#include "net/http_server.h"

#define MCP_HTTP_ADDRESS "127.0.0.1:7437"

enum {
    MCP_HTTP_WORKERS = 8,
    MCP_HTTP_ROUTES_MAX = 32, /* with those beside it */
    MCP_HTTP_SESSIONS_MAX = 64,
    MCP_HTTP_PATIENCE_MS = 250, /* an answer that takes longer comes as an event stream */
    MCP_HTTP_IDLE_S = 30 * 60,  /* a session nobody uses is closed after this, and can be resumed */
    MCP_HTTP_LARGE = 16 * 1024, /* a message of more bytes is read by another thread */
    MCP_HTTP_LARGE_MAX = 256,   /* messages that wait for that */
};

/* What is served beside MCP at the same address. */
typedef struct McpBeside {
    const HttpRoute *routes; /* with a ctx of their own; end in {0} */
    void (*start)(void *ctx, HttpServer *s);
    void (*gone)(void *ctx, uint64_t number); /* as HttpOptions has it */
    void (*end)(void *ctx);                   /* the server ends */
    void *ctx;
} McpBeside;

typedef struct McpHttpOptions {
    McpOptions mcp;
    Str address;
    HttpGuard guard;
    int64_t idle_s;          /* 0: MCP_HTTP_IDLE_S */
    const McpBeside *beside; /* NULL: nothing */
    /* Called when something is not as it should be, and yet works; may be NULL. */
    void (*warn)(void *ctx, const char *text);
    /* Called once, when the server accepts connections. */
    void (*ready)(void *ctx, uint16_t port);
    void *ctx;
} McpHttpOptions;

/* Serve until a signal comes, which ends the process; returns only if it cannot begin.  `o` must
 * last as long as the process. */
MUST_USE jot_status mcp_http(const McpHttpOptions *o, Err *e);

#endif
