/* http.c - the path, the beginning and the end, and which era a request is of.
 *
 * Four kinds of threads:
 *
 *     the server's thread   connections, headers, sessions, event streams; all of McpHttp
 *        |  ^  ^
 *        |  |  +---- posted: an answer, progress, a notification (McpHttpOut)
 *        |  +------- posted: a large message that has been read
 *        |
 *        +---> large reader   parses messages of more than MCP_HTTP_LARGE bytes, one by one
 *        +---> queue          8 workers, each with the pad open (queue.h)
 *                             and the follower (follow.h)
 *
 * Parsing 4 MB takes 0.2 to 0.9 s.  On the server's thread all clients would wait for it;
 * so a small message is parsed at once and a large one by the reader, and in a session
 * what comes after it waits for it, to keep the order. */
#include "mcp/http/http.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/http/headers.h"
#include "mcp/http/http_internal.h"

enum { END_MS = 300, END_AT_LAST_MS = 2000, EXPIRE_MS = 1000 };

/* --- Mail -------------------------------------------------------------------------------- */

void mcp_http_out_post(McpHttp *h, uint64_t number, const McpOut *out,
                       void (*run)(void *ctx, void *mail))
{
    McpHttpOut *m = mem_alloc(sizeof *m);
    char *text = mem_alloc(out->text.n + 1);
    if (out->text.n)
        memcpy(text, out->text.p, out->text.n);
    *m = (McpHttpOut){ h, number, out->via, out->last, out->error, { text, out->text.n } };
    http_server_post(h->server, run, m);
}

void mcp_http_out_free(McpHttpOut *m)
{
    if (!m)
        return;
    free((char *)m->text.p);
    free(m);
}

void mcp_http_fail(HttpExchange *x, int status, Str id, const RpcError *why)
{
    AUTO(Buf) text = { 0 };
    rpc_write_error(&text, id, why);
    http_reply(x, status, S("application/json"), buf_str(&text));
}

/* --- POST -------------------------------------------------------------------------------- */

/* Check all that the headers say; false, with the error to answer with 400. */
static bool check(const HttpRequest *q, const RpcMessage *m, McpEra era, RpcError *why)
{
    if (era == MCP_ERA_LEGACY)
        return mcp_headers_check_old(q, why);
    return m->kind != RPC_REQUEST || mcp_headers_check(q, m, why);
}

/* Large ones are forgotten where they were read. */
static void drop(McpHttp *h, McpMessage *m)
{
    if (m && m->text.n > MCP_HTTP_LARGE)
        large_reader_forget(h->large_reader, m);
    else
        mcp_message_free(m);
}

/* What was posted, and has been read; takes it. */
static void handle(McpHttp *h, HttpExchange *x, McpMessage *taken)
{
    const HttpRequest *q = http_request(x);
    const RpcMessage *m = &taken->msg;
    AUTO(RpcError) why = { 0 };
    McpEra era = mcp_headers_era(q, m);
    /* Who has a session, or begins one, speaks the old era; all else stands for itself. */
    bool named = http_header_count(q, "mcp-session-id") > 0;
    bool first = m->kind == RPC_REQUEST && str_eq(m->method, S("initialize"));
    /* An array may be a batch of the old era: its session says what is wrong with it. */
    bool in_session =
        era == MCP_ERA_LEGACY && (named ? taken->good || taken->array : taken->good && first);
    if (!mcp_headers_accepts(q, "application/json") && !mcp_headers_accepts(q, "text/event-stream"))
        http_refuse(x, 406, "accept application/json and text/event-stream");
    else if (!check(q, m, era, &why))
        mcp_http_fail(x, 400, m->id, &why);
    else if (in_session)
        mcp_http_session_post(h, x, &taken);
    else if (taken->good)
        mcp_http_stateless_post(h, x, &taken, era);
    else
        mcp_http_fail(x, 400, m->id, &taken->why);
    drop(h, taken);
}

/* --- Large messages ---------------------------------------------------------------------- */

typedef struct Read {
    uint64_t number;
    McpMessage *message;
} Read;

static McpLarge **find_reading(McpHttp *h, uint64_t number)
{
    McpLarge **at = &h->large;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

/* It has been read or dropped: its share of the room for bodies is free.  x is NULL if its client
 * is gone.  The caller owns it. */
static McpLarge *end_reading(McpHttp *h, McpLarge **at, HttpExchange *x)
{
    McpLarge *r = *at;
    assert(r && h->large_n > 0);
    *at = r->next;
    h->large_n--;
    http_return_share(h->server, x, r->share);
    return r;
}

/* What was posted by a client that has gone; takes it. */
static void handle_late(McpHttp *h, const McpLarge *r, McpMessage *taken)
{
    bool good = taken->good || taken->array;
    if (r->outlives_client && good && mcp_headers_era_of_body(&taken->msg) == MCP_ERA_LEGACY)
        mcp_http_session_post_late(h, r, &taken);
    drop(h, taken);
}

static void take_read(void *ctx, void *arg)
{
    McpHttp *h = ctx;
    Read *r = arg;
    HttpExchange *x = http_find(h->server, r->number);
    McpLarge *reading = end_reading(h, find_reading(h, r->number), x);
    if (x)
        handle(h, x, r->message);
    else
        handle_late(h, reading, r->message);
    large_reader_collected(h->large_reader);
    free(reading);
    free(r);
}

/* On the thread that reads. */
static void post_read(void *ctx, uint64_t number, McpMessage *m)
{
    McpHttp *h = ctx;
    Read *r = mem_alloc(sizeof *r);
    *r = (Read){ number, m };
    http_server_post(h->server, take_read, r);
}

bool mcp_http_reading(const McpHttp *h, Str session)
{
    for (const McpLarge *r = h->large; session.n && r; r = r->next)
        if (str_eq(str(r->session), session))
            return true;
    return false;
}

static void read_large(McpHttp *h, HttpExchange *x, Str session)
{
    assert(h->large_n <= MCP_HTTP_LARGE_MAX);
    if (h->large_n == MCP_HTTP_LARGE_MAX) {
        http_refuse(x, 503, "too many large messages are waiting: try again");
        return;
    }
    const HttpRequest *q = http_request(x);
    AUTO(RpcError) why = { 0 };
    McpLarge *r = mem_alloc(sizeof *r);
    *r = (McpLarge){ .number = http_number(x), .next = h->large };
    r->json_only = !mcp_headers_accepts(q, "text/event-stream");
    r->outlives_client = http_header_count(q, "mcp-session-id") == 1 &&
                         session.n < sizeof r->session && mcp_headers_check_old(q, &why) &&
                         (!r->json_only || mcp_headers_accepts(q, "application/json"));
    snprintf(r->session, sizeof r->session, STR_FMT, STR_ARG(session));
    h->large = r;
    h->large_n++;
    large_reader_read(h->large_reader, r->number, http_take_body(x, &r->share));
}

static void post(void *ctx, HttpExchange *x)
{
    McpHttp *h = ctx;
    const HttpRequest *q = http_request(x);
    Str session = http_header(q, "mcp-session-id");
    /* What comes after a large one waits its turn: a session gets what it would have got one by
     * one. */
    if (q->body.n > MCP_HTTP_LARGE || mcp_http_reading(h, session))
        read_large(h, x, session);
    else
        handle(h, x, mcp_message_new(q->body));
}

/* --- The server -------------------------------------------------------------------------- */

static void gone(void *ctx, uint64_t number)
{
    McpHttp *h = ctx;
    McpLarge **reading = find_reading(h, number);
    if (h->o->beside)
        h->o->beside->gone(h->o->beside->ctx, number);
    if (*reading && !(*reading)->outlives_client && large_reader_withdraw(h->large_reader, number))
        free(end_reading(h, reading, NULL));
    else if (!*reading && !mcp_http_session_gone(h, number))
        mcp_http_stateless_gone(h, number);
}

static void every_second(void *ctx)
{
    mcp_http_session_expire(ctx);
}

/* What the subscriptions are answered with is posted too, and comes first. */
static void end_at_last(void *ctx, void *arg)
{
    McpHttp *h = ctx;
    (void)arg;
    http_server_stop(h->server, END_MS);
}

static void end_streams(void *ctx, void *arg)
{
    McpHttp *h = ctx;
    (void)arg;
    if (h->o->beside)
        h->o->beside->end(h->o->beside->ctx);
    mcp_http_session_end(h);
    queue_end_subscriptions(h->queue);
    http_server_post(h->server, end_at_last, NULL);
}

/* On the thread that waited for the signal. */
static void end(void *ctx)
{
    McpHttp *h = ctx;
    http_server_post(h->server, end_streams, NULL);
    io_sleep_us(&io_system, (int64_t)END_AT_LAST_MS * 1000);
    _exit(0);
}

/* clang-format off */
static const HttpRoute routes[] = {
    { .method = "POST",   .path = "/mcp", .json = true, .answer = post },
    { .method = "GET",    .path = "/mcp", .answer = mcp_http_session_get },
    { .method = "DELETE", .path = "/mcp", .answer = mcp_http_session_delete },
    { 0 },
};
/* clang-format on */

/* Ours, and those beside them. */
static void make_routes(McpHttp *h)
{
    size_t n = 0;
    for (const HttpRoute *r = routes; r->path; r++)
        h->routes[n++] = *r;
    for (const HttpRoute *r = h->o->beside ? h->o->beside->routes : routes + n; r->path; r++) {
        assert(n + 1 < MCP_HTTP_ROUTES_MAX);
        h->routes[n++] = *r;
    }
}

static void open_ids(McpHttp *h)
{
    const HttpGuard *g = &h->o->guard;
    Err e = { 0 };
    AUTO(Buf) text = { 0 };
    if (mcp_ids_open(&h->ids, h->io, g->token, h->o->mcp.url, &e) == JOT_OK)
        return;
    buf_addf(&text, "sessions will not survive a restart of this server: %s%c", e.text, 0);
    if (h->o->warn)
        h->o->warn(h->o->ctx, text.p);
}

jot_status mcp_http(const McpHttpOptions *o, Err *e)
{
    static McpHttp http;
    McpHttp *h = &http;
    h->o = o;
    h->io = o->mcp.io ? o->mcp.io : &io_system;
    make_routes(h);
    h->http = (HttpOptions){ .address = o->address,
                             .guard = o->guard,
                             .limits = { .body_max = RPC_LINE_MAX },
                             .routes = h->routes,
                             .gone = gone,
                             .ctx = h };
    TRY(http_server_open(&h->server, &h->http, e));
    open_ids(h);
    h->queue = queue_start(&o->mcp, MCP_HTTP_WORKERS);
    h->large_reader = large_reader_start(post_read, h); /* signals are blocked by now, for it too */
    queue_on_signal(h->queue, end, h);
    if (o->beside)
        o->beside->start(o->beside->ctx, h->server);
    http_server_every(h->server, EXPIRE_MS, every_second);
    if (o->ready)
        o->ready(o->ctx, http_server_port(h->server));
    http_server_run(h->server);
    _exit(0);
}
