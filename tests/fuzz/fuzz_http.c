/* fuzz_http.c - any bytes as what a client sends to the HTTP server.
 *
 * The requests must not depend on how the bytes were cut on their way; whatever passes
 * the guard carried the token and named us; what is refused is refused with a status and a
 * sentence.  Requests are looked at as MCP does: headers against body, ids of events. */
#include "fuzz/fuzz.h"
#include "mcp/http/channel.h"
#include "mcp/http/headers.h"
#include "net/http_guard.h"

const char *const fuzz_words[] = { "GET /mcp HTTP/1.1\r\n",
                                   "POST /mcp HTTP/1.1\r\n",
                                   "HTTP/1.0",
                                   "\r\n",
                                   "\r\n\r\n",
                                   "\n",
                                   "Host: localhost:7437\r\n",
                                   "Host: evil.example\r\n",
                                   "[::1]",
                                   "Origin: http://localhost:7437\r\n",
                                   "Origin: null\r\n",
                                   "Authorization: Bearer token-of-the-fuzzer\r\n",
                                   "Content-Length: 5\r\n",
                                   "Content-Length: 40\r\n",
                                   "Transfer-Encoding: chunked\r\n",
                                   "Expect: 100-continue\r\n",
                                   "Connection: close\r\n",
                                   "5\r\nhello\r\n",
                                   "0\r\n\r\n",
                                   "ffffffff\r\n",
                                   "MCP-Protocol-Version: 2026-07-28\r\n",
                                   "Mcp-Method: tools/call\r\n",
                                   "Mcp-Name: =?base64?eA==?=\r\n",
                                   "Last-Event-ID: 1-2\r\n",
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                                   "Accept: application/json, text/event-stream\r\n",
                                   NULL };

enum { BODY_MAX = 300, REQUESTS_MAX = 50 };

#define TOKEN "token-of-the-fuzzer"

static bool is_ours(Str host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Str name = str_slice(host, 0, strlen(names[i]));
        if (http_same(name, str(names[i])) && (host.n == name.n || host.p[name.n] == ':'))
            return true;
    }
    return false;
}

static void check_guard(const HttpRequest *q)
{
    HttpGuard g = { .port = 7437, .locked = true, .token = hash_of(S(TOKEN)) };
    const char *why = NULL;
    int status = http_guard_check(&g, q, g.locked ? &g.token : NULL, &why);
    MUST(status == 0 || status == 400 || status == 401 || status == 403 || status == 421);
    if (status) {
        MUST(why && why[0]);
        return;
    }
    Str origin = http_header(q, "origin");
    MUST(str_ends(http_header(q, "authorization"), S(" " TOKEN)));
    MUST(is_ours(http_header(q, "host")));
    MUST(origin.n == 0 || str_starts(origin, S("http://")) || str_starts(origin, S("https://")));
    MUST(origin.n == 0 || is_ours(str_from(origin, origin.p[4] == 's' ? 8 : 7)));
}

static void check_mcp(const HttpRequest *q)
{
    AUTO(RpcMessage) m = { 0 };
    AUTO(RpcError) why = { 0 };
    (void)mcp_headers_accepts(q, "text/event-stream");
    if (!rpc_read(q->body, &m, &why))
        return;
    McpEra era = mcp_headers_era(q, &m);
    bool good =
        era == MCP_ERA_MODERN ? mcp_headers_check(q, &m, &why) : mcp_headers_check_old(q, &why);
    MUST(good || (why.code <= -32020 && why.text[0]));
    if (good && era == MCP_ERA_MODERN &&
        json_is_string(json_object_get(json_object_get(m.params, "_meta"),
                                       "io.modelcontextprotocol/protocolVersion")))
        MUST(http_header_count(q, "mcp-method") == 1);
}

static void check_event_id(Str id)
{
    McpChannels s;
    uint64_t number = 0;
    channels_init(&s, "life", id.n % 2);
    McpChannel *one = channel_new(&s, 7);
    one->begun = true;
    channel_add(&s, one, S("x"));
    McpChannel *found = channel_find(&s, id, &number);
    MUST(!found || (number <= found->events && (found == one || found == &s.all[0])));
    channels_done(&s);
}

static void check_request(const HttpRequest *q, Buf *to)
{
    MUST(q->method.n && q->path.n && q->path.p[0] == '/' && q->n <= HTTP_HEADERS_MAX);
    MUST(q->body.n <= BODY_MAX && (q->chunked || q->body.n == q->bytes));
    MUST(http_header_count(q, "content-length") + http_header_count(q, "transfer-encoding") <= 1);
    buf_addf(to, STR_FMT " " STR_FMT "?" STR_FMT " %d\n", STR_ARG(q->method), STR_ARG(q->path),
             STR_ARG(q->query), q->minor);
    for (size_t i = 0; i < q->n; i++) {
        MUST(!memchr(q->headers[i].value.p, '\n', q->headers[i].value.n));
        buf_addf(to, STR_FMT ":" STR_FMT "\n", STR_ARG(q->headers[i].name),
                 STR_ARG(q->headers[i].value));
    }
    buf_add(to, q->body);
    check_guard(q);
    check_mcp(q);
    check_event_id(http_header(q, "last-event-id"));
}

/* All requests in the bytes that have come; false: no more can come. */
static bool take(HttpReader *r, size_t *n, Buf *to)
{
    for (;;) {
        HttpStep step = http_reader_step(r);
        if (step == HTTP_MORE)
            return true;
        if (step == HTTP_BAD) {
            MUST(r->status >= 400 && r->status < 600 && r->why && r->why[0]);
            buf_addf(to, "bad %d\n", r->status);
            return false;
        }
        if (step == HTTP_HEAD)
            continue;
        check_request(&r->request, to);
        http_reader_next(r);
        if (++*n == REQUESTS_MAX)
            return false;
    }
}

static void feed(Str text, size_t step, Buf *to)
{
    AUTO(HttpReader) r = { .body_max = BODY_MAX };
    size_t n = 0;
    bool more = true;
    for (size_t at = 0; at < text.n && more; at += step) {
        http_reader_add(&r, str_slice(text, at, at + step));
        more = take(&r, &n, to);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str text = { (const char *)data, size };
    AUTO(Buf) whole = { 0 };
    AUTO(Buf) bits = { 0 };
    feed(text, size ? size : 1, &whole);
    feed(text, 1 + size % 7, &bits);
    MUST(str_eq(buf_str(&whole), buf_str(&bits)));
    return 0;
}
