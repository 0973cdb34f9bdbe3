/* http_server.h - HttpServer, HTTP/1.1 for a few clients nearby: routes, answers, event streams.
 *
 * One thread runs the server and owns everything in it; other threads hand over what
 * they have with http_server_post.  A request reaches its route when its head has passed
 * the guard and its body is there.  The route answers at once or keeps the exchange's
 * number and answers later: a number is never used twice, and http_find says whether its
 * client still waits.
 *
 * Limits: the sizes in http_message.h and below; a head, a body and a pause between
 * requests have a time each, from their first byte to their last (the first head from
 * the connection's first moment), so trickling bytes or empty lines gains nothing; a
 * client that does not read is cut off. */
#ifndef NET_HTTP_SERVER_H
#define NET_HTTP_SERVER_H

#include "net/http_guard.h"

typedef struct HttpServer HttpServer;
typedef struct HttpExchange HttpExchange; /* a request and its answer */

typedef struct HttpRoute {
    const char *method;
    const char *path; /* all of it; the beginning, if it ends in a slash and a star */
    bool open;        /* needs no token */
    bool json; /* takes a body, which must be application/json: no page can send that unasked */
    void (*answer)(void *ctx, HttpExchange *x);
    void *ctx;         /* what it is called with; NULL: the server's */
    const Hash *token; /* of the token it needs; NULL: the guard's */
} HttpRoute;

/* 0 means the default, in the comment. */
typedef struct HttpLimits {
    size_t body_max;        /* 32 MiB */
    size_t bodies_max;      /* of all that are on their way: 128 MiB */
    size_t connections_max; /* 256 */
    size_t backlog_max;     /* of an event stream nobody reads: 8 MiB */
    int head_ms;            /* 10 s */
    int body_ms;            /* 60 s */
    int idle_ms;            /* between two requests: 60 s */
    int write_ms;           /* nothing can be sent: 30 s */
    int alive_ms;           /* between two signs of life on an event stream: 15 s */
} HttpLimits;

typedef struct HttpOptions {
    Str address;     /* "127.0.0.1:80", "[::1]:0"; port 0: any that is free */
    HttpGuard guard; /* its port and its own name are filled in */
    HttpLimits limits;
    const HttpRoute *routes; /* ends in {0} */
    /* A client went before its answer was complete. */
    void (*gone)(void *ctx, uint64_t number);
    void *ctx;
} HttpOptions;

/* True for an address that only this machine can reach; JOT_INVALID for what is none. */
MUST_USE jot_status http_address(Str address, bool *loopback, Err *e);

/* The name by which a server at this address is asked, as an address bar has it; empty for one that
 * means every address of the machine.  Borrowed from `address`. */
Str http_address_host(Str address);

/* Listen; clients that connect wait until the server runs.  JOT_UNAVAILABLE: the address is in use.
 * `o` must outlive the server. */
MUST_USE jot_status http_server_open(HttpServer **out, const HttpOptions *o, Err *e);
void http_server_close(HttpServer *s); /* NULL is fine */
DEFINE_AUTO_PTR(HttpServer, http_server_close)

uint16_t http_server_port(const HttpServer *s);

/* Until http_server_stop. */
void http_server_run(HttpServer *s);
/* Accept nobody, send what is to be sent for at most this long, then return from run.  For the
 * server's thread, while it runs. */
void http_server_stop(HttpServer *s, int linger_ms);

/* Call `run` on the server's thread, soon, in the order of posting.  From any thread. */
void http_server_post(HttpServer *s, void (*run)(void *ctx, void *arg), void *arg);
/* The same with another ctx than the server's. */
void http_server_post_to(HttpServer *s, void (*run)(void *ctx, void *arg), void *ctx, void *arg);

/* Call `run` every so often, on the server's thread; at most once a server. */
void http_server_every(HttpServer *s, int ms, void (*run)(void *ctx));

/* --- One exchange ------------------------------------------------------------------------ */

const HttpRequest *http_request(const HttpExchange *x);
uint64_t http_number(const HttpExchange *x);
/* The body's bytes for the caller to own: the request has none from then on.  *share is what they
 * take of the room for all bodies, also when their client has gone: the caller returns it. */
Buf http_take_body(HttpExchange *x, size_t *share);
/* Such a body is gone.  Its share is its exchange's until that is answered; NULL: it was answered.
 */
void http_return_share(HttpServer *s, HttpExchange *x, size_t share);
/* NULL: its answer is complete, or nobody waits for it. */
HttpExchange *http_find(HttpServer *s, uint64_t number);

/* Its answer is wanted also by a client that has shut down its sending half, as some do when they
 * have said all.  Without this that counts as going: from here the two look the same. */
void http_allow_half_close(HttpExchange *x);

/* Call `run` if nothing has been answered by then. */
void http_wait(HttpExchange *x, int ms, void (*run)(void *ctx, HttpExchange *x));

/* A header for the answer, before it begins. */
void http_reply_header(HttpExchange *x, const char *name, Str value);
/* The answer may be kept, but is asked for again with this tag before it is used; without this
 * nobody may keep it. */
void http_reply_tag(HttpExchange *x, Str tag);
/* The whole answer; `type` may be empty if there is no body. */
void http_reply(HttpExchange *x, int status, Str type, Str body);
/* {"error": "..."} with this status. */
void http_refuse(HttpExchange *x, int status, const char *why);

/* An event stream: begin, events, end. */
void http_stream(HttpExchange *x);
bool http_streaming(const HttpExchange *x);
void http_stream_event(HttpExchange *x, Str id, Str data); /* an empty id is left out */
void http_stream_end(HttpExchange *x);

#endif
