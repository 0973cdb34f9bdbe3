/* http_server_internal.h - a connection of the HTTP server, for the files that make it up.
 *
 * A connection has one exchange at a time; what its client sends meanwhile stays
 * unread, also while it leaves much of its answers unread.  It has one timer, whose meaning follows
 * from its state:
 *
 *                 head and body are there           http_reply
 *     READING ------------------------> WAITING -----------------+
 *        ^  timer: head, body, pause      |  timer: http_wait    |
 *        |                                | http_stream          |
 *        |                                v                      v
 *        |                            STREAMING ----------> answered
 *        |                                timer: keep-alive      |
 *        +------------ another request may follow ---------------+
 *                                                                | it was the last
 *                                    LINGERING <--- CLOSING <----+
 *                                     timer: 1 s     until all is sent
 *
 * From every state it may become DEAD: the client went, or the time is up. */
#ifndef NET_HTTP_SERVER_INTERNAL_H
#define NET_HTTP_SERVER_INTERNAL_H

#include <pthread.h>

#include "net/event.h"
#include "net/http_server.h"

typedef enum HttpState {
    HTTP_READING = 0, /* a request, or the pause before one */
    HTTP_WAITING,     /* for its route's answer */
    HTTP_STREAMING,
    HTTP_CLOSING,   /* what is left is sent */
    HTTP_LINGERING, /* what still comes is thrown away, or the client might not see the answer */
    HTTP_DEAD,      /* freed when the callback that found it over returns */
} HttpState;

struct HttpExchange {
    HttpServer *server;
    struct bufferevent *bev;
    struct event *timer;
    int fd; /* the bufferevent's */
    HttpReader reader;
    HttpState state;
    uint64_t number;
    const HttpRoute *route;
    size_t reserved;    /* of all bodies together */
    Buf extra;          /* headers of the answer */
    bool tagged;        /* it may be kept */
    bool inside;        /* its requests are being worked through, further down the stack */
    bool pending;       /* its next request has to be looked at */
    bool last;          /* no further request after this one */
    bool half_close_ok; /* the answer is sent also if its client sends nothing more, */
    bool eof;           /* and it does not: what has come is all */
    bool held;          /* its next request waits until its answers are sent */
    bool begun; /* the time of its next head runs, whatever comes: empty lines gain nothing */
    void (*on_wait)(void *ctx, HttpExchange *x);
    HttpExchange *next;
};

typedef struct HttpPosted {
    void (*run)(void *ctx, void *arg);
    void *ctx, *arg;
    struct HttpPosted *next;
} HttpPosted;

struct HttpServer {
    const HttpOptions *o;
    HttpLimits limits;
    HttpGuard guard;
    const EventLibrary *ev;
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *woken, *deadline, *tick;
    void (*every)(void *ctx);
    HttpExchange *all;
    size_t n;
    size_t bodies; /* bytes that are reserved for them */
    uint64_t numbers;
    bool stopping;
    int wake; /* an eventfd */
    pthread_mutex_t lock;
    HttpPosted *first, **last; /* under the lock */
};

/* A socket that listens at an address, and its port. */
MUST_USE jot_status http_listen(Str address, Fd *out, uint16_t *port, Err *e);

void http_set_timer(HttpExchange *x, int ms);
/* Decide whether a body is wanted.  False: the request has been answered. */
MUST_USE bool http_admit(HttpExchange *x);
/* A body has grown, or is there: it takes as much of the room for all as it has bytes.  False:
 * there is no room, and the request has been answered. */
MUST_USE bool http_body_grew(HttpExchange *x, bool whole);
/* Refuse, and read nothing more: the rest of what it sends is not worth the reading. */
void http_refuse_and_close(HttpExchange *x, int status, const char *why);
/* The connection has ended; a route that has not answered yet hears of it. */
void http_drop(HttpExchange *x);
/* Send a comment on a stream on which nothing happens, so that nobody takes it for dead. */
void http_stream_keep_alive(HttpExchange *x);
/* An answer is complete: close, or continue with the next request. */
void http_answered(HttpExchange *x);

#endif
