/* http_server.c - connections, and the way from bytes to a route.
 *
 * Everything runs in callbacks of one thread.  Each of them does its part and ends in
 * settle(): connections that can continue do, and those that are over are freed.  Until
 * then a connection that has ended is only marked, so no callback holds a pointer to one
 * that is gone.
 *
 * Other threads reach the server by http_server_post alone: a list under a lock, and an
 * eventfd that wakes the loop. */
#include "net/http_server.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "net/http_server_internal.h"

enum {
    READ_AHEAD = 64 * 1024,
    LINGER_MS = 1000,
    PIECE = 16 * 1024,
    UNSENT_MAX = 256 * 1024, /* bytes of answers with which no further request is read */
};

/* --- Timers and ends --------------------------------------------------------------------- */

static struct timeval after(int ms)
{
    return (struct timeval){ ms / 1000, (suseconds_t)(ms % 1000) * 1000 };
}

void http_set_timer(HttpExchange *x, int ms)
{
    struct timeval t = after(ms);
    x->server->ev->event_add(x->timer, &t);
}

static void stop_timer(HttpExchange *x)
{
    x->server->ev->event_del(x->timer);
}

/* The connection is over.  It is only marked: settle() frees it, and who waits to answer hears of
 * it at once. */
void http_drop(HttpExchange *x)
{
    HttpServer *s = x->server;
    bool on_wait = x->state == HTTP_WAITING || x->state == HTTP_STREAMING;
    if (x->state == HTTP_DEAD)
        return;
    x->state = HTTP_DEAD;
    if (on_wait && s->o->gone)
        s->o->gone(s->o->ctx, x->number);
}

static void release(HttpExchange *x)
{
    assert(x->server->bodies >= x->reserved);
    x->server->bodies -= x->reserved;
    x->reserved = 0;
}

static void free_exchange(HttpExchange *x)
{
    const EventLibrary *ev = x->server->ev;
    release(x);
    ev->bufferevent_free(x->bev);
    ev->event_free(x->timer);
    http_reader_done(&x->reader);
    buf_free(&x->extra);
    free(x);
}

static size_t unsent(const HttpExchange *x)
{
    const EventLibrary *ev = x->server->ev;
    return ev->evbuffer_get_length(ev->bufferevent_get_output(x->bev));
}

/* Everything is sent: say so, and wait a moment for the client to go. */
static void linger(HttpExchange *x)
{
    x->state = HTTP_LINGERING;
    shutdown(x->fd, SHUT_WR);
    http_set_timer(x, LINGER_MS);
}

/* What is written is sent first. */
static void begin_closing(HttpExchange *x)
{
    assert(x->state != HTTP_DEAD);
    x->state = HTTP_CLOSING;
    stop_timer(x);
    if (unsent(x) == 0)
        linger(x);
}

/* --- From bytes to a route --------------------------------------------------------------- */

/* A head is whole: does anybody want the body? */
static void take_head(HttpExchange *x)
{
    HttpServer *s = x->server;
    assert(!x->number); /* it gets one here, and loses it with its answer */
    x->number = ++s->numbers;
    x->last = x->reader.request.close || s->stopping;
    if (!http_admit(x))
        return;
    if (x->reader.request.expects)
        s->ev->bufferevent_write(x->bev, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    http_set_timer(x, s->limits.body_ms);
}

static void take_request(HttpExchange *x)
{
    HttpServer *s = x->server;
    assert(x->state == HTTP_READING && x->route && x->number);
    stop_timer(x);
    x->on_wait = NULL;
    x->half_close_ok = false;
    x->state = HTTP_WAITING;
    x->route->answer(x->route->ctx ? x->route->ctx : s->o->ctx, x);
}

/* As much as there is, one request after the other. */
static void read_requests(HttpExchange *x)
{
    /* A route may answer from within its call: then this loop continues, not another one in it. */
    assert(!x->inside);
    x->inside = true;
    while (x->state == HTTP_READING && !x->held) {
        HttpStep step = http_reader_step(&x->reader);
        /* A body takes its share of the room for all bodies as it comes, not as it announces. */
        bool body = step == HTTP_MORE || step == HTTP_BODY;
        if ((body && !http_body_grew(x, step == HTTP_BODY)) || step == HTTP_MORE)
            break;
        if (step == HTTP_HEAD)
            take_head(x);
        else if (step == HTTP_BODY)
            take_request(x);
        else
            http_refuse_and_close(x, x->reader.status, x->reader.why);
    }
    x->inside = false;
}

static void read_all(HttpExchange *x)
{
    char piece[PIECE];
    for (size_t n; (x->state == HTTP_READING && !x->held) || x->state == HTTP_LINGERING;) {
        n = x->server->ev->bufferevent_read(x->bev, piece, sizeof piece);
        if (n == 0)
            break;
        if (x->state == HTTP_LINGERING)
            continue; /* what comes after the last answer is read so that no reset overtakes it */
        http_reader_add(&x->reader, (Str){ piece, n });
        if (!x->begun)
            http_set_timer(x, x->server->limits.head_ms);
        x->begun = true;
        read_requests(x);
    }
    if (x->eof && x->state == HTTP_READING && !x->held)
        begin_closing(x); /* nothing more can come */
}

/* Before its next request, of which something may have come. */
static void begin_pause(HttpExchange *x)
{
    const HttpLimits *l = &x->server->limits;
    x->begun = !http_reader_idle(&x->reader);
    http_set_timer(x, x->begun ? l->head_ms : l->idle_ms);
}

void http_answered(HttpExchange *x)
{
    HttpServer *s = x->server;
    if (x->state == HTTP_DEAD)
        return;
    stop_timer(x);
    release(x);
    x->number = 0;
    if (x->last || s->stopping) {
        begin_closing(x);
        return;
    }
    http_reader_next(&x->reader);
    x->state = HTTP_READING;
    /* A client that sends and does not read is not read from, until on_sent(). */
    x->held = unsent(x) > UNSENT_MAX;
    if (!x->held)
        begin_pause(x);
    x->pending = !x->inside; /* else the loop above continues */
}

static HttpExchange *next_pending(const HttpServer *s)
{
    HttpExchange *x = s->all;
    while (x && !x->pending)
        x = x->next;
    return x;
}

/* Connections that another connection's callback has answered continue, and those that are over are
 * freed.  At the end of every callback.  One that continues may answer others, wherever they stand
 * in the list. */
static void settle(HttpServer *s)
{
    for (HttpExchange *x; (x = next_pending(s)) != NULL;) {
        x->pending = false;
        read_requests(x);
        read_all(x);
    }
    for (HttpExchange **at = &s->all; *at;) {
        HttpExchange *x = *at;
        if (x->state != HTTP_DEAD) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        assert(s->n > 0);
        s->n--;
        free_exchange(x);
    }
    if (s->stopping && !s->all)
        s->ev->event_base_loopbreak(s->base);
}

/* --- libevent's callbacks ---------------------------------------------------------------- */

static void on_read(struct bufferevent *bev, void *ctx)
{
    HttpExchange *x = ctx;
    HttpServer *s = x->server;
    (void)bev;
    read_all(x);
    settle(s);
}

static void on_sent(struct bufferevent *bev, void *ctx)
{
    HttpExchange *x = ctx;
    (void)bev;
    if (x->state == HTTP_CLOSING && x->server->stopping) {
        http_drop(x);
    } else if (x->state == HTTP_CLOSING) {
        linger(x);
    } else if (x->state == HTTP_READING && x->held) {
        x->held = false;
        x->pending = true;
        begin_pause(x);
    }
    settle(x->server);
}

/* The client went, or did not read for too long.  One that only sends nothing more may still read:
 * its route has said whether that counts (http_allow_half_close). */
static void on_event(struct bufferevent *bev, short what, void *ctx)
{
    HttpExchange *x = ctx;
    HttpServer *s = x->server;
    bool may_read = x->state == HTTP_CLOSING || (x->state == HTTP_READING && x->held) ||
                    (x->state == HTTP_WAITING && x->half_close_ok);
    (void)bev;
    x->eof = true;
    if (!(what & BEV_EVENT_EOF) || !may_read)
        http_drop(x);
    settle(s);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    HttpExchange *x = ctx;
    HttpServer *s = x->server;
    (void)fd, (void)what;
    if (x->state == HTTP_WAITING && x->on_wait)
        x->on_wait(s->o->ctx, x);
    else if (x->state == HTTP_STREAMING)
        http_stream_keep_alive(x);
    else if (x->state == HTTP_READING && !http_reader_idle(&x->reader))
        http_refuse_and_close(x, 408, "the request took too long");
    else
        http_drop(x);
    settle(s);
}

/* --- Accepting --------------------------------------------------------------------------- */

/* How well a connection can be spared; 0: not at all.  Best one that pauses between two requests;
 * then one whose head does not come, so that nobody who has shown no token keeps others out, and
 * one whose last answer is not read. */
static int spare(const HttpExchange *x)
{
    if (x->state == HTTP_READING && !x->held && http_reader_idle(&x->reader))
        return 2;
    bool head = x->state == HTTP_READING && !x->number;
    return head || x->state == HTTP_CLOSING || x->state == HTTP_LINGERING;
}

/* When somebody else needs the place, the oldest of those that can be spared best ends early. */
static void make_room(HttpServer *s)
{
    HttpExchange *oldest = NULL;
    for (HttpExchange *x = s->all; x; x = x->next)
        if (spare(x) && (!oldest || spare(x) >= spare(oldest)))
            oldest = x; /* new ones stand in front */
    if (oldest)
        http_drop(oldest);
    settle(s);
}

static void on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *from, int n,
                      void *ctx)
{
    HttpServer *s = ctx;
    const EventLibrary *ev = s->ev;
    int on = 1;
    struct timeval write_time = after(s->limits.write_ms);
    (void)l, (void)from, (void)n;
    /* One that was refused counts, too, and is spared first: however many come, one more than the
     * limit is the most there are. */
    if (s->n >= s->limits.connections_max)
        make_room(s);
    assert(s->n <= s->limits.connections_max);
    HttpExchange *x = mem_alloc(sizeof *x);
    *x = (HttpExchange){ .server = s, .fd = (int)fd, .next = s->all, .begun = true };
    setsockopt(x->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    x->reader.body_max = s->limits.body_max;
    x->bev = ev->bufferevent_socket_new(s->base, fd, BEV_OPT_CLOSE_ON_FREE);
    x->timer = ev->event_new(s->base, -1, 0, on_timer, x);
    if (!x->bev || !x->timer)
        mem_exhausted();
    s->all = x;
    s->n++;
    ev->bufferevent_setcb(x->bev, on_read, on_sent, on_event, x);
    ev->bufferevent_setwatermark(x->bev, EV_READ, 0, READ_AHEAD);
    ev->bufferevent_set_timeouts(x->bev, NULL, &write_time);
    ev->bufferevent_enable(x->bev, EV_READ | EV_WRITE);
    http_set_timer(x, s->limits.head_ms);
    /* Nobody could be spared: one more is there for as long as it takes to say so. */
    if (s->n > s->limits.connections_max)
        http_refuse_and_close(x, 503, "too many connections: try again");
}

/* No descriptor is left: the one who knocks has to wait. */
static void on_accept_error(struct evconnlistener *l, void *ctx)
{
    HttpServer *s = ctx;
    (void)l;
    make_room(s);
    io_sleep_us(&io_system, 10000);
}

/* --- Posting ----------------------------------------------------------------------------- */

void http_server_post(HttpServer *s, void (*run)(void *ctx, void *arg), void *arg)
{
    http_server_post_to(s, run, s->o->ctx, arg);
}

void http_server_post_to(HttpServer *s, void (*run)(void *ctx, void *arg), void *ctx, void *arg)
{
    HttpPosted *p = mem_alloc(sizeof *p);
    *p = (HttpPosted){ .run = run, .ctx = ctx, .arg = arg };
    pthread_mutex_lock(&s->lock);
    *s->last = p;
    s->last = &p->next;
    pthread_mutex_unlock(&s->lock);
    eventfd_write(s->wake, 1);
}

static void on_posted(evutil_socket_t fd, short what, void *ctx)
{
    HttpServer *s = ctx;
    eventfd_t times;
    (void)what;
    eventfd_read((int)fd, &times);
    /* The whole list at once: what is run may post. */
    pthread_mutex_lock(&s->lock);
    HttpPosted *p = s->first;
    s->first = NULL;
    s->last = &s->first;
    pthread_mutex_unlock(&s->lock);
    while (p) {
        HttpPosted *next = p->next;
        p->run(p->ctx, p->arg);
        free(p);
        p = next;
    }
    settle(s);
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
    HttpServer *s = ctx;
    (void)fd, (void)what;
    s->every(s->o->ctx);
    settle(s);
}

void http_server_every(HttpServer *s, int ms, void (*run)(void *ctx))
{
    struct timeval t = after(ms);
    s->every = run;
    s->tick = s->ev->event_new(s->base, -1, EV_PERSIST, on_tick, s);
    if (!s->tick)
        mem_exhausted();
    s->ev->event_add(s->tick, &t);
}

/* --- Beginning and end ------------------------------------------------------------------- */

#define MIB ((size_t)1024 * 1024)

static void set_limits(HttpLimits *l)
{
    static const HttpLimits usual = { .body_max = 32 * MIB,
                                      .bodies_max = 128 * MIB,
                                      .connections_max = 256,
                                      .backlog_max = 8 * MIB,
                                      .head_ms = 10 * 1000,
                                      .body_ms = 60 * 1000,
                                      .idle_ms = 60 * 1000,
                                      .write_ms = 30 * 1000,
                                      .alive_ms = 15 * 1000 };
    l->body_max = l->body_max ? l->body_max : usual.body_max;
    l->bodies_max = l->bodies_max ? l->bodies_max : usual.bodies_max;
    l->connections_max = l->connections_max ? l->connections_max : usual.connections_max;
    l->backlog_max = l->backlog_max ? l->backlog_max : usual.backlog_max;
    l->head_ms = l->head_ms ? l->head_ms : usual.head_ms;
    l->body_ms = l->body_ms ? l->body_ms : usual.body_ms;
    l->idle_ms = l->idle_ms ? l->idle_ms : usual.idle_ms;
    l->write_ms = l->write_ms ? l->write_ms : usual.write_ms;
    l->alive_ms = l->alive_ms ? l->alive_ms : usual.alive_ms;
}

static void on_deadline(evutil_socket_t fd, short what, void *ctx)
{
    HttpServer *s = ctx;
    (void)fd, (void)what;
    s->ev->event_base_loopbreak(s->base);
}

static void make_events(HttpServer *s, int fd)
{
    const EventLibrary *ev = s->ev;
    s->base = ev->event_base_new();
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!s->base || s->wake < 0)
        mem_exhausted();
    s->listener = ev->evconnlistener_new(s->base, on_accept, s,
                                         LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, fd);
    s->woken = ev->event_new(s->base, s->wake, EV_READ | EV_PERSIST, on_posted, s);
    s->deadline = ev->event_new(s->base, -1, 0, on_deadline, s);
    if (!s->listener || !s->woken || !s->deadline)
        mem_exhausted();
    ev->evconnlistener_set_error_cb(s->listener, on_accept_error);
    ev->event_add(s->woken, NULL);
}

jot_status http_server_open(HttpServer **out, const HttpOptions *o, Err *e)
{
    const EventLibrary *ev;
    AUTO(Fd) fd = FD_NONE;
    uint16_t port = 0;
    TRY(event_library(&ev, e));
    TRY(http_listen(o->address, &fd, &port, e));
    HttpServer *s = mem_alloc(sizeof *s);
    *s = (HttpServer){ .o = o, .limits = o->limits, .guard = o->guard, .ev = ev };
    set_limits(&s->limits);
    s->guard.port = port;
    s->guard.own = http_address_host(o->address);
    s->last = &s->first;
    pthread_mutex_init(&s->lock, NULL);
    signal(SIGPIPE, SIG_IGN); /* a client that goes must not take the process along */
    make_events(s, fd_take(&fd));
    *out = s;
    return JOT_OK;
}

void http_server_close(HttpServer *s)
{
    if (!s)
        return;
    while (s->all) {
        HttpExchange *x = s->all;
        s->all = x->next;
        free_exchange(x);
    }
    while (s->first) {
        HttpPosted *p = s->first;
        s->first = p->next;
        free(p);
    }
    if (s->listener)
        s->ev->evconnlistener_free(s->listener);
    s->ev->event_free(s->woken);
    s->ev->event_free(s->deadline);
    if (s->tick)
        s->ev->event_free(s->tick);
    s->ev->event_base_free(s->base);
    close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

uint16_t http_server_port(const HttpServer *s)
{
    return s->guard.port;
}

void http_server_run(HttpServer *s)
{
    s->ev->event_base_dispatch(s->base);
}

void http_server_stop(HttpServer *s, int linger_ms)
{
    struct timeval t = after(linger_ms);
    s->stopping = true;
    s->ev->event_add(s->deadline, &t);
    if (s->listener)
        s->ev->evconnlistener_free(s->listener);
    s->listener = NULL;
    for (HttpExchange *x = s->all; x; x = x->next) {
        bool answering = x->state == HTTP_WAITING || x->state == HTTP_STREAMING;
        if (!answering && unsent(x))
            x->state = HTTP_CLOSING;
        else if (!answering)
            http_drop(x);
    }
}

/* --- One exchange ------------------------------------------------------------------------ */

const HttpRequest *http_request(const HttpExchange *x)
{
    return &x->reader.request;
}

Buf http_take_body(HttpExchange *x, size_t *share)
{
    assert(x->state == HTTP_WAITING);
    *share = TAKE(x->reserved);
    x->reader.request.body = (Str){ 0 };
    return TAKE(x->reader.body);
}

void http_return_share(HttpServer *s, HttpExchange *x, size_t share)
{
    if (x)
        x->reserved += share;
    else {
        assert(s->bodies >= share);
        s->bodies -= share;
    }
    assert(s->bodies <= s->limits.bodies_max);
}

uint64_t http_number(const HttpExchange *x)
{
    return x->number;
}

HttpExchange *http_find(HttpServer *s, uint64_t number)
{
    for (HttpExchange *x = s->all; x; x = x->next)
        if (number && x->number == number && x->state != HTTP_DEAD)
            return x;
    return NULL;
}

void http_allow_half_close(HttpExchange *x)
{
    x->half_close_ok = true;
}

void http_wait(HttpExchange *x, int ms, void (*run)(void *ctx, HttpExchange *x))
{
    x->on_wait = run;
    http_set_timer(x, ms);
}
