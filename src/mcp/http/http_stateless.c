/* http_stateless.c - requests over HTTP that stand for themselves.
 *
 * Those of the stateless era, and those of the old one that need no session.  Each has
 * a session object to itself, because its id need not differ from anybody else's, and
 * because its end is the end of all that it asked for. */
#include <assert.h>
#include <stdlib.h>

#include "mcp/http/headers.h"
#include "mcp/http/http_internal.h"

static McpStateless **find(McpHttp *h, uint64_t number)
{
    McpStateless **at = &h->stateless;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static void drop(McpStateless **at)
{
    McpStateless *l = *at;
    assert(l && l->client);
    *at = l->next;
    queue_client_free(l->client);
    free(l);
}

void mcp_http_stateless_gone(McpHttp *h, uint64_t number)
{
    McpStateless **at = find(h, number);
    if (*at)
        drop(at);
}

/* --- Answers ----------------------------------------------------------------------------- */

/* The status of an answer that was not begun as a stream. */
static int status_of(const McpStateless *l, int error)
{
    switch (error) {
    case RPC_METHOD_NOT_FOUND:
        return 404;
    case RPC_PARSE_ERROR:
    case RPC_INVALID_REQUEST:
    case RPC_HEADER_MISMATCH:
    case RPC_MISSING_CAPABILITY:
    case RPC_UNSUPPORTED_VERSION:
        return 400;
    default:
        return error && l->refused ? 400 : 200;
    }
}

static void deliver(void *ctx, void *arg)
{
    McpHttp *h = ctx;
    AUTO_PTR(McpHttpOut) m = arg;
    McpStateless **at = find(h, m->number);
    HttpExchange *x = http_find(h->server, m->number);
    if (!*at || !x)
        return; /* its client has gone, and with it everything it asked for */
    if (m->last && !http_streaming(x)) {
        http_reply(x, m->text.n ? status_of(*at, m->error) : 202, S("application/json"), m->text);
        drop(at);
        return;
    }
    if (!http_streaming(x) && (*at)->json_only)
        return;
    if (!http_streaming(x))
        http_stream(x);
    if (m->text.n)
        http_stream_event(x, (Str){ 0 }, m->text);
    at = find(h, m->number); /* it may have gone in the middle of it */
    if (!m->last || !*at)
        return;
    drop(at);
    http_stream_end(x);
}

static void send(void *ctx, uint64_t number, const McpOut *out)
{
    mcp_http_out_post(ctx, number, out, deliver);
}

/* --- Questions --------------------------------------------------------------------------- */

static void begin_stream(void *ctx, HttpExchange *x)
{
    McpHttp *h = ctx;
    McpStateless *l = *find(h, http_number(x));
    if (l && !l->json_only)
        http_stream(x);
}

/* A subscription is a stream from its first moment on: some clients wait for that. */
static bool is_listen(const RpcMessage *m)
{
    return str_eq(m->method, S("subscriptions/listen")) && mcp_headers_current(m) &&
           json_is_object(json_object_get(m->params, "notifications"));
}

void mcp_http_stateless_post(McpHttp *h, HttpExchange *x, McpMessage **message, McpEra era)
{
    const HttpRequest *q = http_request(x);
    const RpcMessage *m = &(*message)->msg;
    if (m->kind != RPC_REQUEST) {
        http_reply(x, 202, (Str){ 0 }, (Str){ 0 });
        return;
    }
    if (queue_room(h->queue) == 0) {
        http_refuse(x, 503, "too many requests are waiting: try again");
        return;
    }
    McpStateless *l = mem_alloc(sizeof *l);
    *l = (McpStateless){ .number = http_number(x), .next = h->stateless };
    l->refused = era == MCP_ERA_LEGACY || !mcp_headers_complete(m);
    l->json_only = !mcp_headers_accepts(q, "text/event-stream");
    bool listens = is_listen(m);
    if (listens && l->json_only) {
        free(l);
        http_refuse(x, 406, "accept text/event-stream");
        return;
    }
    assert(l->number && !*find(h, l->number));
    l->client = queue_client_new(h->queue, &(McpSink){ send, h, l->number });
    h->stateless = l;
    (void)queue_take(l->client, TAKE(*message), l->number, NULL);
    if (listens)
        http_stream(x);
    else
        http_wait(x, MCP_HTTP_PATIENCE_MS, begin_stream);
}
