/* http_server_admit.c - what is decided when the head of a request is there, before its body is
 * read.
 *
 * The guard comes first, whatever the path is: who may not ask does not learn what there
 * is to ask for. */
#include "net/http_server_internal.h"

enum {
    SMALL = 64 * 1024, /* bytes of a body that are free */
    STEP = 256 * 1024, /* by which the room of a body grows whose size nobody says */
};

static bool path_fits(const HttpRoute *route, Str path)
{
    Str want = str(route->path);
    if (str_ends(want, S("/*")))
        return str_starts(path, str_slice(want, 0, want.n - 1));
    return str_eq(path, want);
}

/* A browser asks, before it lets a page of another origin ask: that carries no token. */
static bool is_preflight(const HttpServer *s, const HttpRequest *q)
{
    return str_eq(q->method, S("OPTIONS")) && http_guard_cross_origin(&s->guard, q) &&
           http_header_count(q, "access-control-request-method") == 1;
}

/* What the browser of a page that was allowed wants to hear with every answer. */
static void add_cors_headers(HttpExchange *x, Str methods)
{
    const HttpRequest *q = &x->reader.request;
    http_reply_header(x, "Access-Control-Allow-Origin", http_header(q, "origin"));
    http_reply_header(x, "Vary", S("Origin"));
    if (!is_preflight(x->server, q)) {
        http_reply_header(x, "Access-Control-Expose-Headers",
                          S("Mcp-Session-Id, WWW-Authenticate"));
        return;
    }
    http_reply_header(x, "Access-Control-Allow-Methods", methods);
    http_reply_header(x, "Access-Control-Allow-Headers",
                      S("Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, "
                        "Mcp-Method, Mcp-Name, Mcp-Session-Id"));
}

void http_refuse_and_close(HttpExchange *x, int status, const char *why)
{
    x->last = true;
    x->state = HTTP_WAITING;
    http_refuse(x, status, why);
}

/* Large bodies share what room there is; small ones always find some.  Less than before always
 * fits. */
static bool reserve(HttpExchange *x, size_t n)
{
    HttpServer *s = x->server;
    size_t others = s->bodies - x->reserved;
    n = n <= SMALL ? 0 : n;
    if (n > x->reserved && n > s->limits.bodies_max - others)
        return false;
    s->bodies = others + n;
    x->reserved = n;
    return true;
}

/* In chunks a body says nothing about its size before its end: most are small, and a client
 * that keeps one waiting must not hold the room of the largest. */
bool http_body_grew(HttpExchange *x, bool whole)
{
    size_t n = x->reader.body.n;
    if (!x->reader.request.chunked)
        return true;
    if (!whole && n > SMALL)
        n = (n + STEP - 1) / STEP * STEP;
    if (reserve(x, n))
        return true;
    http_refuse_and_close(x, 503, "too many bytes are being sent at once: try again");
    return false;
}

/* One type, and that is JSON: a page may send other types without asking, also those that only
 * look like a list with this one in it. */
static bool is_json(const HttpRequest *q)
{
    Str type = http_header(q, "content-type");
    type.n = str_find(type, ';');
    while (str_ends(type, S(" ")) || str_ends(type, S("\t")))
        type.n--;
    return http_header_count(q, "content-type") == 1 && http_same(type, S("application/json"));
}

/* What a request must carry; NULL: nothing.  A method that its path does not have needs the token
 * of the first route there; a path that is none, the guard's. */
static const Hash *token_for(const HttpServer *s, const HttpRoute *found, const HttpRoute *first,
                             const HttpRequest *q)
{
    const HttpRoute *route = found ? found : first;
    if (is_preflight(s, q) || (found && found->open))
        return NULL;
    if (route && route->token)
        return route->token;
    return s->guard.locked ? &s->guard.token : NULL;
}

bool http_admit(HttpExchange *x)
{
    HttpServer *s = x->server;
    const HttpRequest *q = &x->reader.request;
    AUTO(Buf) allow = { 0 };
    const char *why = "";
    /* The route, or NULL; `allow` lists the methods of the path. */
    const HttpRoute *found = NULL, *first = NULL;
    for (const HttpRoute *r = s->o->routes; r->path; r++) {
        if (!path_fits(r, q->path))
            continue;
        if (!found && str_eq(q->method, str(r->method)))
            found = r;
        buf_addf(&allow, "%s%s", allow.n ? ", " : "", r->method);
        first = first ? first : r;
    }
    x->route = found;
    int status = http_guard_check(&s->guard, q, token_for(s, found, first, q), &why);
    if (http_guard_cross_origin(&s->guard, q) && (status == 0 || status == 401))
        add_cors_headers(x, buf_str(&allow));
    if (status) {
        http_refuse_and_close(x, status, why);
    } else if (is_preflight(s, q) && allow.n) {
        x->state = HTTP_WAITING;
        x->last = x->last || q->bytes || q->chunked; /* a body would be the next request */
        http_reply(x, 204, (Str){ 0 }, (Str){ 0 });
    } else if (!x->route && allow.n) {
        http_reply_header(x, "Allow", buf_str(&allow));
        http_refuse_and_close(x, 405, "this path does not allow this method");
    } else if (!x->route) {
        http_refuse_and_close(x, 404, "there is nothing at this path");
    } else if (x->route->json && !is_json(q)) {
        http_refuse_and_close(x, 415, "the body must be application/json");
    } else if (!x->route->json && (q->bytes || q->chunked)) {
        http_refuse_and_close(x, 400, "this request must not have a body");
    } else if (!reserve(x, q->chunked ? 0 : (size_t)q->bytes)) {
        http_refuse_and_close(x, 503, "too many bytes are being sent at once: try again");
    } else {
        return true;
    }
    return false;
}
