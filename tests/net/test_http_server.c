/* test_http_server.c - a server with short patience and little room, and clients that try them. */
#include "unit/unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "net/http_server.h"

enum { PATIENCE_MS = 1000, CONNECTIONS = 4, LONG_MS = 120000 };

typedef struct Rig {
    HttpServer *server;
    HttpOptions o;
    pthread_t thread;
    pthread_mutex_t lock; /* of the rest */
    uint64_t later[64];   /* exchanges that wait for an answer */
    size_t later_n;
    uint64_t gone[64];
    size_t gone_n;
    uint64_t streamed;
    Buf taken; /* a body, and its share */
    size_t share;
    int order[1000]; /* what was posted, as it came */
    size_t order_n;
} Rig;

/* --- The server's side ------------------------------------------------------------------- */

static void hello(void *ctx, HttpExchange *x)
{
    (void)ctx;
    http_reply(x, 200, S("text/plain"), S("hello"));
}

static void echo(void *ctx, HttpExchange *x)
{
    (void)ctx;
    http_reply(x, 200, S("application/json"), http_request(x)->body);
}

static void later(void *ctx, HttpExchange *x)
{
    Rig *d = ctx;
    pthread_mutex_lock(&d->lock);
    d->later[d->later_n++] = http_number(x);
    pthread_mutex_unlock(&d->lock);
}

/* Answer the one that came to wait as the query says, and this one. */
static void free_other(void *ctx, HttpExchange *x)
{
    Rig *d = ctx;
    size_t which = (size_t)(http_request(x)->query.p[0] - '0');
    http_reply(http_find(d->server, d->later[which]), 200, (Str){ 0 }, S("freed"));
    http_reply(x, 200, (Str){ 0 }, S("done"));
}

static void later_even_so(void *ctx, HttpExchange *x)
{
    http_allow_half_close(x);
    later(ctx, x);
}

static void take_body(void *ctx, HttpExchange *x)
{
    Rig *d = ctx;
    buf_free(&d->taken);
    d->taken = http_take_body(x, &d->share);
    later(ctx, x);
}

static void return_share(void *ctx, void *arg)
{
    Rig *d = ctx;
    (void)arg;
    http_return_share(d->server, http_find(d->server, d->later[d->later_n - 1]), d->share);
    pthread_mutex_lock(&d->lock);
    d->order_n++;
    pthread_mutex_unlock(&d->lock);
}

static void answer_last(void *ctx, void *arg)
{
    Rig *d = ctx;
    (void)arg;
    http_reply(http_find(d->server, d->later[d->later_n - 1]), 200, (Str){ 0 }, (Str){ 0 });
}

static void waited(void *ctx, HttpExchange *x)
{
    (void)ctx;
    http_reply(x, 202, (Str){ 0 }, (Str){ 0 });
}

static void patient(void *ctx, HttpExchange *x)
{
    (void)ctx;
    http_wait(x, 50, waited);
}

/* Events until the client is gone, some at a time. */
static void flood(void *ctx, void *arg)
{
    static char text[16 * 1024];
    Rig *d = ctx;
    (void)arg;
    memset(text, 'x', sizeof text);
    HttpExchange *x = http_find(d->server, d->streamed);
    if (!x)
        return;
    for (int i = 0; i < 10; i++)
        http_stream_event(x, S("1"), (Str){ text, sizeof text });
    http_server_post(d->server, flood, NULL);
}

static void stream(void *ctx, HttpExchange *x)
{
    Rig *d = ctx;
    d->streamed = http_number(x);
    http_stream(x);
    http_stream_event(x, S("a-1"), S("two\nlines"));
    if (str_eq(http_request(x)->query, S("flood")))
        http_server_post(d->server, flood, NULL);
    else if (str_eq(http_request(x)->query, S("end")))
        http_stream_end(x);
}

static void gone(void *ctx, uint64_t number)
{
    Rig *d = ctx;
    pthread_mutex_lock(&d->lock);
    d->gone[d->gone_n++] = number;
    pthread_mutex_unlock(&d->lock);
}

static const HttpRoute routes[] = {
    { .method = "GET", .path = "/hello", .answer = hello },
    { .method = "POST", .path = "/echo", .json = true, .answer = echo },
    { .method = "GET", .path = "/later", .answer = later },
    { .method = "GET", .path = "/kept", .answer = later_even_so },
    { .method = "GET", .path = "/free", .answer = free_other },
    { .method = "POST", .path = "/take", .json = true, .answer = take_body },
    { .method = "GET", .path = "/patient", .answer = patient },
    { .method = "GET", .path = "/stream", .answer = stream },
    { .method = "GET", .path = "/page/*", .open = true, .answer = hello },
    { 0 },
};

static void *run(void *ctx)
{
    Rig *d = ctx;
    http_server_run(d->server);
    return NULL;
}

static int open_with(void **state, int patience_ms, size_t room)
{
    Rig *d = mem_alloc(sizeof *d);
    Err e = { 0 };
    signal(SIGPIPE, SIG_IGN);
    pthread_mutex_init(&d->lock, NULL);
    d->o = (HttpOptions){ .address = S("127.0.0.1:0"),
                          .guard = { .locked = true, .token = hash_of(S("token")) },
                          .limits = { .body_max = room * 100000,
                                      .bodies_max = room * 150000,
                                      .connections_max = CONNECTIONS,
                                      .backlog_max = 64 * 1024,
                                      .head_ms = patience_ms,
                                      .body_ms = patience_ms,
                                      .idle_ms = patience_ms,
                                      .write_ms = LONG_MS,
                                      .alive_ms = 50 },
                          .routes = routes,
                          .gone = gone,
                          .ctx = d };
    if (http_server_open(&d->server, &d->o, &e) != JOT_OK)
        fail_msg("%s", e.text);
    pthread_create(&d->thread, NULL, run, d);
    *state = d;
    return 0;
}

static int open_patient(void **state)
{
    return open_with(state, LONG_MS, 1);
}

/* One that has room for two steps of bodies whose size nobody says. */
static int open_roomy(void **state)
{
    return open_with(state, LONG_MS, 4);
}

static int open_impatient(void **state)
{
    return open_with(state, PATIENCE_MS, 1);
}

static void stop(void *ctx, void *arg)
{
    Rig *d = ctx;
    (void)arg;
    http_server_stop(d->server, 1000);
}

static int close_rig(void **state)
{
    Rig *d = *state;
    http_server_post(d->server, stop, NULL);
    pthread_join(d->thread, NULL);
    http_server_close(d->server);
    buf_free(&d->taken);
    free(d);
    return 0;
}

/* --- The client's side ------------------------------------------------------------------- */

#define HEAD "Host: localhost\r\nAuthorization: Bearer token\r\n"

static Fd dial(const Rig *d)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(http_server_port(d->server)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    Fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    size_t n = strlen(text);
    assert_int_equal(send(fd, text, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* Read until `text` has come; false at the end of input. */
static bool hears(int fd, const char *text)
{
    AUTO(Buf) got = { 0 };
    while (got.n < 4096) {
        char c;
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, LONG_MS) != 1 || recv(fd, &c, 1, 0) != 1)
            return false;
        buf_add_char(&got, c);
        if (str_ends(buf_str(&got), str(text)))
            return true;
    }
    return false;
}

static bool hears_nothing_more(int fd)
{
    char c;
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, LONG_MS) == 1 && recv(fd, &c, 1, 0) <= 0;
}

/* A connection whose first request was answered, on a server of little patience. */
static Fd dial_for_hello(const Rig *d)
{
    static const char request[] = "GET /hello HTTP/1.1\r\n" HEAD "\r\n";
    Fd fd = FD_NONE;
    do { /* we may have been too slow */
        fd_close(&fd);
        fd = dial(d);
        (void)send(fd, request, sizeof request - 1, MSG_NOSIGNAL);
    } while (!hears(fd, "hello"));
    return fd;
}

static bool has_come(Rig *d, const size_t *count, size_t n)
{
    pthread_mutex_lock(&d->lock);
    bool there = *count >= n;
    pthread_mutex_unlock(&d->lock);
    return there;
}

static bool comes(Rig *d, const size_t *count, size_t n)
{
    for (int i = 0; i < LONG_MS / 5; i++) {
        if (has_come(d, count, n))
            return true;
        io_sleep_us(&io_system, 5000);
    }
    return false;
}

/* --- Tests ------------------------------------------------------------------------------- */

static void one_connection_serves_many_requests(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    for (int i = 0; i < 100; i++) {
        say(fd, "GET /hello?x HTTP/1.1\r\n" HEAD "\r\n");
        assert_true(hears(fd, "\r\n\r\nhello"));
    }
    say(fd, "POST /echo HTTP/1.1\r\n" HEAD "Content-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n{}GET /hello HTTP/1.0\r\n" HEAD "\r\n");
    assert_true(hears(fd, "\r\n\r\n{}"));
    assert_true(hears(fd, "Connection: close\r\n"));
    assert_true(hears(fd, "\r\n\r\nhello"));
    assert_true(hears_nothing_more(fd));
}

static void every_path_but_an_open_one_needs_the_token(void **state)
{
    Rig *d = *state;
    static const struct Row {
        const char *line, *status;
    } rows[] = {
        { "GET /hello", " 401 " }, { "GET /none", " 401 " },      { "PUT /hello", " 401 " },
        { "GET /page/", " 200 " }, { "GET /page/a/b", " 200 " },  { "GET /page", " 401 " },
        { "PUT /page/", " 401 " }, { "GET /page/../x", " 200 " },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Fd) fd = dial(d);
        say(fd, rows[i].line);
        say(fd, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_row(hears(fd, rows[i].status), i, rows[i].line);
    }
}

/* Something has come, or the connection has ended, before a byte more should be sent. */
static bool comes_soon(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, PATIENCE_MS / 10) == 1;
}

/* One byte at a time, each before the server would lose patience with a single one; after the text
 * the same byte again and again. */
static bool is_cut_off(int fd, Str text)
{
    for (size_t i = 0; i < LONG_MS / (PATIENCE_MS / 10); i++) {
        if (comes_soon(fd))
            return hears(fd, "HTTP/1.1 408 ");
        (void)send(fd, i < text.n ? text.p + i : "x", 1, MSG_NOSIGNAL);
    }
    return false;
}

static void a_client_that_trickles_its_head_is_cut_off(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    assert_true(is_cut_off(fd, S("GET /hello HTTP/1.1\r\nX: ")));
}

static void a_client_that_trickles_its_body_is_cut_off(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    say(fd, "POST /echo HTTP/1.1\r\n" HEAD
            "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    assert_true(is_cut_off(fd, (Str){ 0 }));
}

/* Empty lines before a request are passed over, and its time runs all the same. */
static bool ends_despite_empty_lines(int fd)
{
    for (int i = 0; i < LONG_MS / (PATIENCE_MS / 10); i++) {
        if (comes_soon(fd))
            return hears_nothing_more(fd);
        (void)send(fd, "\r\n", 2, MSG_NOSIGNAL);
    }
    return false;
}

static void a_client_that_sends_empty_lines_is_cut_off(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fresh = dial(d);
    assert_true(ends_despite_empty_lines(fresh));
    AUTO(Fd) used = dial_for_hello(d);
    assert_true(ends_despite_empty_lines(used));
}

static void a_connection_nobody_uses_is_closed(void **state)
{
    Rig *d = *state;
    AUTO(Fd) silent = dial(d);
    AUTO(Fd) fd = dial_for_hello(d);
    assert_true(hears_nothing_more(fd));
    assert_true(hears_nothing_more(silent));
}

static void an_answer_may_come_later_and_nobody_may_want_it(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    say(fd, "GET /later HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(comes(d, &d->later_n, 1));
    fd_close(&fd);
    assert_true(comes(d, &d->gone_n, 1));
    assert_int_equal(d->gone[0], d->later[0]);
    AUTO(Fd) other = dial(d);
    say(other, "GET /patient HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(other, "HTTP/1.1 202 Accepted\r\n"));
}

static void one_that_another_answers_goes_on_at_once(void **state)
{
    Rig *d = *state;
    AUTO(Fd) first = dial_for_hello(d);
    AUTO(Fd) second = dial_for_hello(d); /* stands before the first one in the server's list */
    AUTO(Fd) third = dial_for_hello(d);
    say(first, "GET /later HTTP/1.1\r\n" HEAD "\r\nGET /free?1 HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(comes(d, &d->later_n, 1));
    say(second, "GET /later HTTP/1.1\r\n" HEAD "\r\nGET /hello HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(comes(d, &d->later_n, 2));
    say(third, "GET /free?0 HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(third, "done"));
    assert_true(hears(first, "freed") && hears(first, "done"));
    assert_true(hears(second, "freed") && hears(second, "hello"));
}

static void a_client_that_sends_nothing_more_is_answered_if_that_is_wanted(void **state)
{
    Rig *d = *state;
    AUTO(Fd) kept = dial(d);
    say(kept, "GET /kept HTTP/1.1\r\n" HEAD "\r\nGET /hello HTTP/1.1\r\n" HEAD "\r\nGET /");
    shutdown(kept, SHUT_WR);
    assert_true(comes(d, &d->later_n, 1));
    AUTO(Fd) not_kept = dial(d);
    say(not_kept, "GET /later HTTP/1.1\r\n" HEAD "\r\n");
    shutdown(not_kept, SHUT_WR);
    assert_true(comes(d, &d->gone_n, 1));
    assert_int_equal(d->gone[0], d->later[1]);
    assert_true(hears_nothing_more(not_kept));
    AUTO(Fd) other = dial(d);
    say(other, "GET /free?0 HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(kept, "freed") && hears(kept, "hello"));
    assert_true(hears_nothing_more(kept));
}

/* A connection on which a body was sent that leaves no room for a second one. */
static Fd send_much(const Rig *d)
{
    AUTO(Buf) body = { 0 };
    Fd fd = dial(d);
    say(fd, "POST /take HTTP/1.1\r\n" HEAD
            "Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n");
    for (int i = 0; i < 90000; i++)
        buf_add_char(&body, 'x');
    (void)send(fd, body.p, body.n, MSG_NOSIGNAL); /* it may be refused before its end */
    return fd;
}

static void a_body_that_was_taken_keeps_its_share_when_its_client_goes(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = send_much(d);
    assert_true(comes(d, &d->later_n, 1));
    fd_close(&fd);
    assert_true(comes(d, &d->gone_n, 1));
    AUTO(Fd) refused = send_much(d);
    assert_true(hears(refused, "HTTP/1.1 503 "));
    http_server_post(d->server, return_share, NULL);
    assert_true(comes(d, &d->order_n, 1));
    AUTO(Fd) taken = send_much(d);
    assert_true(comes(d, &d->later_n, 2));
    http_server_post(d->server, answer_last, NULL);
    assert_true(hears(taken, "HTTP/1.1 200 "));
}

static void a_share_that_was_returned_is_its_exchanges_until_that_is_answered(void **state)
{
    Rig *d = *state;
    AUTO(Fd) first = send_much(d);
    assert_true(comes(d, &d->later_n, 1));
    http_server_post(d->server, return_share, NULL);
    assert_true(comes(d, &d->order_n, 1));
    AUTO(Fd) refused = send_much(d);
    assert_true(hears(refused, "HTTP/1.1 503 "));
    http_server_post(d->server, answer_last, NULL);
    assert_true(hears(first, "HTTP/1.1 200 "));
    AUTO(Fd) second = send_much(d);
    assert_true(comes(d, &d->later_n, 2));
    http_server_post(d->server, answer_last, NULL);
    assert_true(hears(second, "HTTP/1.1 200 "));
}

/* A connection on which so many bytes of a body were sent in chunks, and not its end. */
static Fd send_chunks(const Rig *d, int thousands)
{
    AUTO(Buf) body = { 0 };
    Fd fd = dial(d);
    say(fd, "POST /take HTTP/1.1\r\n" HEAD
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < thousands; i++)
        buf_addf(&body, "3e8\r\n%01000d\r\n", 0);
    (void)send(fd, body.p, body.n, MSG_NOSIGNAL); /* it may be refused before its end */
    return fd;
}

/* However slowly they come: the server is patient. */
static void large_bodies_in_chunks_are_bounded_together(void **state)
{
    Rig *d = *state;
    AUTO(Fd) first = send_chunks(d, 70);
    AUTO(Fd) second = send_chunks(d, 70);
    AUTO(Fd) third = send_chunks(d, 70);
    /* Which of them is refused is for the server to say. */
    struct pollfd p[] = { { first, POLLIN, 0 }, { second, POLLIN, 0 }, { third, POLLIN, 0 } };
    assert_int_equal(poll(p, COUNT_OF(p), LONG_MS), 1);
    Fd *refused = p[0].revents ? &first : p[1].revents ? &second : &third;
    Fd *large = refused == &first ? &second : &first;
    assert_true(hears(*refused, "HTTP/1.1 503 "));
    AUTO(Fd) small = send_chunks(d, 60); /* finds room all the same */
    say(small, "0\r\n\r\n");
    assert_true(comes(d, &d->later_n, 1));
    http_server_post(d->server, answer_last, NULL);
    assert_true(hears(small, "HTTP/1.1 200 "));
    fd_close(large); /* and there is room for another */
    for (bool room = false; !room;) {
        AUTO(Fd) next = send_chunks(d, 70);
        (void)send(next, "0\r\n\r\n", 5, MSG_NOSIGNAL);
        struct pollfd refusal = { next, POLLIN, 0 };
        do
            room = has_come(d, &d->later_n, 2);
        while (!room && poll(&refusal, 1, 5) == 0);
    }
}

static void events_are_chunks_and_signs_of_life_come_between(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    say(fd, "GET /stream HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(fd, "\r\n\r\n1f\r\nid: a-1\ndata: two\ndata: lines\n\n\r\n"));
    assert_true(hears(fd, "3\r\n:\n\n\r\n3\r\n:\n\n\r\n"));
    AUTO(Fd) ending = dial(d);
    say(ending, "GET /stream?end HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(ending, "lines\n\n\r\n0\r\n\r\n"));
    AUTO(Fd) old = dial(d);
    say(old, "GET /stream?end HTTP/1.0\r\n" HEAD "\r\n");
    assert_true(hears(old, "\r\n\r\nid: a-1\ndata: two\ndata: lines\n\n"));
    assert_true(hears_nothing_more(old));
}

static void a_client_that_does_not_read_its_stream_is_cut_off(void **state)
{
    Rig *d = *state;
    AUTO(Fd) fd = dial(d);
    say(fd, "GET /stream?flood HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(comes(d, &d->gone_n, 1));
    AUTO(Fd) other = dial(d);
    say(other, "GET /hello HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(other, "hello"));
}

static void a_pause_gives_way_and_work_does_not(void **state)
{
    Rig *d = *state;
    Fd fds[CONNECTIONS];
    for (size_t i = 0; i < CONNECTIONS; i++)
        fds[i] = dial(d); /* they say nothing */
    AUTO(Fd) fd = dial(d);
    say(fd, "GET /hello HTTP/1.1\r\n" HEAD "\r\n");
    assert_true(hears(fd, "hello"));
    for (size_t i = 0; i < CONNECTIONS; i++) {
        fd_close(&fds[i]);
        fds[i] = dial(d);
        say(fds[i], "GET /later HTTP/1.1\r\n" HEAD "\r\n");
        assert_true(comes(d, &d->later_n, i + 1));
    }
    AUTO(Fd) refused = dial(d);
    assert_true(hears(refused, "HTTP/1.1 503 "));
    fd_close(&fds[0]);
    assert_true(comes(d, &d->gone_n, 1));
    fd_close(&refused);
    AUTO(Fd) served = FD_NONE;
    for (int i = 0; i < 100; i++) { /* until the refused one has gone too */
        fd_close(&served);
        served = dial(d);
        say(served, "GET /hello HTTP/1.1\r\n" HEAD "\r\n");
        if (hears(served, "HTTP/1.1 200 "))
            break;
        assert_true(i < 99);
    }
    for (size_t i = 0; i < CONNECTIONS; i++)
        fd_close(&fds[i]);
}

/* Descriptors that this process has, which is both sides. */
static size_t open_files(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void refused_clients_that_stay_make_room_for_each_other(void **state)
{
    enum { REFUSED = 40 };
    Rig *d = *state;
    Fd fds[CONNECTIONS + REFUSED];
    for (size_t i = 0; i < CONNECTIONS; i++) {
        fds[i] = dial(d);
        say(fds[i], "GET /later HTTP/1.1\r\n" HEAD "\r\n");
        assert_true(comes(d, &d->later_n, i + 1));
    }
    size_t before = open_files();
    for (size_t i = 0; i < REFUSED; i++) {
        fds[CONNECTIONS + i] = dial(d);
        assert_true(hears(fds[CONNECTIONS + i], "HTTP/1.1 503 "));
    }
    /* Their own ends, and no more than two of the server's. */
    assert_true(open_files() <= before + REFUSED + 2);
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        fd_close(&fds[i]);
}

static void note_order(void *ctx, void *arg)
{
    Rig *d = ctx;
    pthread_mutex_lock(&d->lock);
    d->order[d->order_n++] = *(int *)arg;
    pthread_mutex_unlock(&d->lock);
    free(arg);
}

typedef struct Poster {
    Rig *desk;
    int from;
} Poster;

static void *post_some(void *ctx)
{
    const Poster *p = ctx;
    for (int i = 0; i < 250; i++) {
        int *n = mem_alloc(sizeof *n);
        *n = p->from + i;
        http_server_post(p->desk->server, note_order, n);
    }
    return NULL;
}

static void what_is_posted_comes_in_order(void **state)
{
    Rig *d = *state;
    pthread_t threads[4];
    Poster posters[4];
    for (int i = 0; i < 4; i++) {
        posters[i] = (Poster){ d, i * 1000 };
        pthread_create(&threads[i], NULL, post_some, &posters[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_true(comes(d, &d->order_n, 1000));
    int next[4] = { 0, 1000, 2000, 3000 };
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(d->order[i], next[d->order[i] / 1000]++);
}

static void an_address_is_a_number_and_a_port(void **state)
{
    (void)state;
    bool loopback;
    Err e = { 0 };
    static const char *const bad[] = { "",       "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                                       "::1:80", "[::1]",     "[::1:80",    "host:80",
                                       ":80",    "127.1:80",  "1.2.3.4.5:6" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_row(http_address(str(bad[i]), &loopback, &e) == JOT_INVALID, i, bad[i]);
        assert_sentence(&e);
    }
    assert_true(http_address(S("127.9.9.9:1"), &loopback, &e) == JOT_OK && loopback);
    assert_true(http_address(S("localhost:1"), &loopback, &e) == JOT_OK && loopback);
    assert_true(http_address(S("[::1]:0"), &loopback, &e) == JOT_OK && loopback);
    assert_true(http_address(S("0.0.0.0:1"), &loopback, &e) == JOT_OK && !loopback);
    assert_true(http_address(S("[::]:1"), &loopback, &e) == JOT_OK && !loopback);
    assert_true(http_address(S("128.0.0.1:1"), &loopback, &e) == JOT_OK && !loopback);
}

#define WITH_DESK(f) cmocka_unit_test_setup_teardown(f, open_patient, close_rig)
#define IMPATIENT(f) cmocka_unit_test_setup_teardown(f, open_impatient, close_rig)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DESK(one_connection_serves_many_requests),
        WITH_DESK(every_path_but_an_open_one_needs_the_token),
        IMPATIENT(a_client_that_trickles_its_head_is_cut_off),
        IMPATIENT(a_client_that_trickles_its_body_is_cut_off),
        IMPATIENT(a_client_that_sends_empty_lines_is_cut_off),
        IMPATIENT(a_connection_nobody_uses_is_closed),
        WITH_DESK(an_answer_may_come_later_and_nobody_may_want_it),
        WITH_DESK(one_that_another_answers_goes_on_at_once),
        WITH_DESK(a_client_that_sends_nothing_more_is_answered_if_that_is_wanted),
        WITH_DESK(a_body_that_was_taken_keeps_its_share_when_its_client_goes),
        WITH_DESK(a_share_that_was_returned_is_its_exchanges_until_that_is_answered),
        cmocka_unit_test_setup_teardown(large_bodies_in_chunks_are_bounded_together, open_roomy,
                                        close_rig),
        WITH_DESK(events_are_chunks_and_signs_of_life_come_between),
        WITH_DESK(a_client_that_does_not_read_its_stream_is_cut_off),
        WITH_DESK(a_pause_gives_way_and_work_does_not),
        WITH_DESK(refused_clients_that_stay_make_room_for_each_other),
        WITH_DESK(what_is_posted_comes_in_order),
        cmocka_unit_test(an_address_is_a_number_and_a_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
