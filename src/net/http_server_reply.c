/* http_server_reply.c - answers: whole ones, refusals and event streams.
 *
 * Nothing that is answered may be kept by anybody on the way, and nothing is guessed
 * to be of another type than it says. */
#include <assert.h>

#include "base/json.h"
#include "net/http_server_internal.h"

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 412, "Precondition Failed" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 417, "Expectation Failed" },
        { 421, "Misdirected Request" },
        { 423, "Locked" },
        { 431, "Request Header Fields Too Large" },
        { 499, "Client Closed Request" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 503, "Service Unavailable" },
        { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].status == status)
            return texts[i].text;
    return "Other";
}

static void send_text(HttpExchange *x, Str text)
{
    if (text.n && x->server->ev->bufferevent_write(x->bev, text.p, text.n) != 0)
        http_drop(x);
}

void http_reply_header(HttpExchange *x, const char *name, Str value)
{
    /* A line break would begin a header of somebody else's choice: values are ours, or checked. */
    assert(str_find(value, '\n') == value.n && str_find(value, '\r') == value.n);
    buf_addf(&x->extra, "%s: " STR_FMT "\r\n", name, STR_ARG(value));
}

void http_reply_tag(HttpExchange *x, Str tag)
{
    buf_addf(&x->extra, "ETag: \"" STR_FMT "\"\r\n", STR_ARG(tag));
    x->tagged = true;
}

/* The head but for its last, empty line. */
static void begin(HttpExchange *x, Buf *head, int status, Str type)
{
    buf_addf(head, "HTTP/1.1 %d %s\r\nCache-Control: %s\r\nX-Content-Type-Options: nosniff\r\n",
             status, status_text(status), x->tagged ? "no-cache" : "no-store");
    if (type.n)
        buf_addf(head, "Content-Type: " STR_FMT "\r\n", STR_ARG(type));
    if (x->last)
        buf_add(head, S("Connection: close\r\n"));
    buf_add(head, buf_str(&x->extra));
    buf_clear(&x->extra);
    x->tagged = false;
}

void http_reply(HttpExchange *x, int status, Str type, Str body)
{
    AUTO(Buf) head = { 0 };
    assert(x->state == HTTP_WAITING);
    begin(x, &head, status, type);
    if (status != 204 && status != 304)
        buf_addf(&head, "Content-Length: %zu\r\n", body.n);
    buf_add(&head, S("\r\n"));
    send_text(x, buf_str(&head));
    if (!str_eq(x->reader.request.method, S("HEAD")))
        send_text(x, body);
    http_answered(x);
}

void http_refuse(HttpExchange *x, int status, const char *why)
{
    AUTO(Buf) body = { 0 };
    buf_add(&body, S("{\"error\":"));
    json_quote(&body, str(why));
    buf_add(&body, S("}\n"));
    if (status == 401)
        http_reply_header(x, "WWW-Authenticate", S("Bearer"));
    if (status == 503)
        http_reply_header(x, "Retry-After", S("1"));
    http_reply(x, status, S("application/json"), buf_str(&body));
}

/* --- Event streams ----------------------------------------------------------------------- */

static bool in_chunks(const HttpExchange *x)
{
    return x->reader.request.minor == 1;
}

static void send_piece(HttpExchange *x, Str text)
{
    AUTO(Buf) size = { 0 };
    const EventLibrary *ev = x->server->ev;
    if (ev->evbuffer_get_length(ev->bufferevent_get_output(x->bev)) >
        x->server->limits.backlog_max) {
        http_drop(x); /* it does not read */
        return;
    }
    buf_addf(&size, "%zx\r\n", text.n);
    if (in_chunks(x))
        send_text(x, buf_str(&size));
    send_text(x, text);
    if (in_chunks(x))
        send_text(x, S("\r\n"));
    if (x->state == HTTP_STREAMING)
        http_set_timer(x, x->server->limits.alive_ms);
}

void http_stream(HttpExchange *x)
{
    AUTO(Buf) head = { 0 };
    assert(x->state == HTTP_WAITING);
    x->last = x->last || !in_chunks(x); /* HTTP/1.0 sees the end of a stream by the connection's */
    begin(x, &head, 200, S("text/event-stream"));
    buf_add(&head, S("X-Accel-Buffering: no\r\n"));
    if (in_chunks(x))
        buf_add(&head, S("Transfer-Encoding: chunked\r\n"));
    buf_add(&head, S("\r\n"));
    x->state = HTTP_STREAMING;
    send_text(x, buf_str(&head));
    http_set_timer(x, x->server->limits.alive_ms);
}

bool http_streaming(const HttpExchange *x)
{
    return x->state == HTTP_STREAMING;
}

void http_stream_event(HttpExchange *x, Str id, Str data)
{
    AUTO(Buf) text = { .max = (size_t)BUF_MAX_DEFAULT * 2 };
    Str line;
    if (x->state != HTTP_STREAMING)
        return;
    if (id.n)
        buf_addf(&text, "id: " STR_FMT "\n", STR_ARG(id));
    /* Each line of the text is a line of the event: a break in it would end the field. */
    while (str_cut(&data, '\n', &line))
        buf_addf(&text, "data: " STR_FMT "\n", STR_ARG(line));
    buf_add(&text, S("data: "));
    buf_add(&text, data);
    buf_add(&text, S("\n\n"));
    send_piece(x, buf_str(&text));
}

void http_stream_keep_alive(HttpExchange *x)
{
    send_piece(x, S(":\n\n"));
}

void http_stream_end(HttpExchange *x)
{
    if (x->state != HTTP_STREAMING)
        return;
    if (in_chunks(x))
        send_text(x, S("0\r\n\r\n"));
    http_answered(x);
}
