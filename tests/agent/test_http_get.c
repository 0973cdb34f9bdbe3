/* test_http_get.c - fetching from a small server on this machine, which is allowed here only where
 * the test says so. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "agent/act_desk.h"

/* --- The server -------------------------------------------------------------------------- */

typedef struct Server {
    pid_t pid;
    int port;
} Server;

static void send_text(int fd, const char *text)
{
    ssize_t sent = send(fd, text, strlen(text), MSG_NOSIGNAL);
    (void)sent;
}

/* A head that does not end: in one line, in lines, or in one interim answer after the other. */
static void flood(int fd, const char *piece)
{
    send_text(fd, "HTTP/1.1 100 Continue\r\nX: y");
    while (send(fd, piece, strlen(piece), MSG_NOSIGNAL) > 0)
        continue;
}

static void answer(int fd, const char *path)
{
    static const struct Page {
        const char *path, *answer;
    } pages[] = {
        { "/ok",
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n" },
        { "/none", "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope" },
        { "/there", "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n" },
        { "/dir/beside", "HTTP/1.1 302 Found\r\nLocation: ../ok\r\nContent-Length: 0\r\n\r\n" },
        { "/loop", "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n" },
        { "/file",
          "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n" },
        { "/binary", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG" },
        { "/garbage", "\r\n\r\n\xFF\xFE not http\r\n" },
        { "/words", "220 mail.example.com ESMTP\r\n" },
        { "/nothing", "" },
        { "/cut", "HTTP/1.1 200 OK\r\nContent-Ty" },
        { "/headless", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" },
        { "/gone", "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nbegun" },
        { "/gigabyte", "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nbegun" },
        { "/chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n" },
        { "/gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/plain\r\n"
                   "Content-Length: 12\r\n\r\n\x1F\x8B\x08\x01\x01\x01\x01\x01\x02\x03xx" },
        { "/latin", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n"
                    "\xE9t\xE9\n" },
        { "/ping", "HTTP/1.1 307 Go\r\nLocation: /pong\r\nContent-Length: 0\r\n\r\n" },
        { "/pong", "HTTP/1.1 307 Go\r\nLocation: /ping\r\nContent-Length: 0\r\n\r\n" },
        { "/ftp", "HTTP/1.1 301 Go\r\nLocation: ftp://h/x\r\nContent-Length: 0\r\n\r\n" },
        { "/user", "HTTP/1.1 301 Go\r\nLocation: http://a:b@h/\r\nContent-Length: 0\r\n\r\n" },
        { "/space", "HTTP/1.1 301 Go\r\nLocation: http://h/a b\r\nContent-Length: 0\r\n\r\n" },
    };
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        if (strncmp(path, pages[i].path, strlen(pages[i].path)) == 0)
            send_text(fd, pages[i].answer);
    if (strncmp(path, "/binary", 7) == 0)
        send(fd, "\0\0", 2, MSG_NOSIGNAL);
    if (strncmp(path, "/endless", 8) == 0) {
        send_text(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
        while (send(fd, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", 32, MSG_NOSIGNAL) > 0)
            continue;
    }
    if (strncmp(path, "/silent", 7) == 0 || strncmp(path, "/gigabyte", 9) == 0)
        pause();
    if (strncmp(path, "/line", 5) == 0)
        flood(fd, "endless");
    if (strncmp(path, "/fields", 7) == 0)
        flood(fd, "\r\nX: y");
    if (strncmp(path, "/interim", 8) == 0)
        flood(fd, "\r\n\r\nHTTP/1.1 100 Continue\r\nX: y");
}

static NO_RETURN void serve(int at)
{
    alarm(600);
    for (;;) {
        char request[4096] = "";
        int fd = accept(at, NULL, NULL);
        if (fork() == 0) {
            alarm(600);
            ssize_t n = recv(fd, request, sizeof request - 1, 0);
            if (n > 4)
                answer(fd, request + 4);
            _exit(0);
        }
        close(fd);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    }
}

/* A server on a port of its own; pid 0 if this machine has no such addresses. */
static Server start_at(int family)
{
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    bool old = family == AF_INET;
    struct sockaddr *at = old ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t n = old ? sizeof four : sizeof six;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!old && (fd < 0 || bind(fd, at, n) != 0)) {
        close(fd);
        return (Server){ 0 };
    }
    assert_true(!old || bind(fd, at, n) == 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, at, &n), 0);
    Server s = { .pid = fork(), .port = ntohs(old ? four.sin_port : six.sin6_port) };
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        setpgid(0, 0);
        serve(fd);
    }
    setpgid(s.pid, s.pid);
    close(fd);
    return s;
}

static Server start(void)
{
    return start_at(AF_INET);
}

static void stop(Server s)
{
    kill(-s.pid, SIGKILL);
    waitpid(s.pid, NULL, 0);
}

static const char *url(Desk *d, Server s, const char *path)
{
    return arena_printf(&d->a, "{\"url\": \"http://127.0.0.1:%d%s\"}", s.port, path).p;
}

/* --- Tests ------------------------------------------------------------------------------- */

static void a_page_is_fetched_and_redirects_are_followed(Desk *d)
{
    Policy p = act_desk_allow("network,private");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    Server s = start();
    act_desk_says(d, a, "http_get", url(d, s, "/ok"), "hello\n(status 200, text/plain, 6 bytes)");
    act_desk_says(d, a, "http_get", url(d, s, "/none"), "nope\n(status 404, no type, 4 bytes)");
    act_desk_says(d, a, "http_get", url(d, s, "/there"),
                  arena_printf(&d->a,
                               "hello\n(status 200, text/plain, 6 bytes, from "
                               "'http://127.0.0.1:%d/ok')",
                               s.port)
                      .p);
    assert_false(act_desk_call(d, a, "http_get", url(d, s, "/dir/beside")).failed);
    stop(s);
    assert_true(act_desk_call(d, a, "http_get", url(d, s, "/ok")).failed);
}

static void what_a_server_does_wrong_is_told(Desk *d)
{
    Policy p = act_desk_allow("network,private");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    Server s = start();
    act_desk_fails(d, a, "http_get", url(d, s, "/loop"), "more than 5 redirects");
    act_desk_fails(d, a, "http_get", url(d, s, "/file"),
                   "the server redirects to 'file:///etc/passwd', which is not followed");
    act_desk_fails(d, a, "http_get", url(d, s, "/binary"),
                   "the answer is not text: it is image/png");
    assert_true(act_desk_call(d, a, "http_get", url(d, s, "/garbage")).failed);
    Reply r = act_desk_call(d, a, "http_get", url(d, s, "/endless"));
    assert_false(r.failed);
    assert_true(r.spilled);
    stop(s);
}

/* Each gets one sentence, and the next call is made as if nothing had been. */
static void nonsense_gets_a_sentence_each(Desk *d)
{
    static const struct Nonsense {
        const char *path, *say;
    } all[] = {
        { "/garbage", "the server's answer is not HTTP: " },
        { "/words", "the server's answer is not HTTP: " },
        { "/nothing", "could not complete the HTTP request: Empty reply from server" },
        { "/cut", "the server's answer ended within its headers" },
        { "/headless", "the server's answer ended within its headers" },
        { "/line", "a header line of the answer is too long" },
        { "/fields", "the headers of the answer are too long: at most 65536 bytes" },
        { "/interim", "the headers of the answer are too long: at most 65536 bytes" },
        { "/gone", "could not complete the HTTP request: transfer closed with 1073741819 bytes" },
        { "/chunks", "could not complete the HTTP request: " },
        { "/gzip", "the answer is compressed ('gzip'), which was not asked for and is not read" },
        { "/ping", "more than 5 redirects" },
        { "/ftp", "the server redirects to 'ftp://h/x', which is not followed" },
        { "/user", "the server redirects to 'http://a:b@h/', which is not followed" },
        { "/space", "the server redirects to 'http://h/a b', which is not followed" },
    };
    Policy p = act_desk_allow("network,private");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    Server s = start();
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        Reply r = act_desk_call(d, a, "http_get", url(d, s, all[i].path));
        bool good = r.failed && str_starts(r.text, str(all[i].say));
        if (!good || memchr(r.text.p, '\n', r.text.n))
            fail_msg("%s: " STR_FMT, all[i].path, STR_ARG(r.text));
    }
    act_desk_says(
        d, a, "http_get", url(d, s, "/latin"),
        "\xEF\xBF\xBDt\xEF\xBF\xBD\n(status 200, text/plain, 4 bytes, 2 of them no UTF-8: shown "
        "as U+FFFD)");
    act_desk_says(d, a, "http_get", url(d, s, "/ok"), "hello\n(status 200, text/plain, 6 bytes)");
    stop(s);
}

/* Every look at it is a second later. */
static int64_t hasty_clock(void *ctx)
{
    return ((Desk *)ctx)->awake_ms += 1000;
}

static void a_server_that_takes_too_long_is_left(Desk *d)
{
    Policy p = act_desk_allow("network,private");
    d->io.awake_ms = hasty_clock;
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    Server s = start();
    act_desk_fails(d, a, "http_get", url(d, s, "/silent"), "the server did not answer within 30 s");
    act_desk_fails(d, a, "http_get", url(d, s, "/gigabyte"),
                   "the server was not done after 30 s: status 200, 5 bytes of its answer came");
    stop(s);
}

static void this_machine_and_private_networks_are_refused(Desk *d)
{
    static const char *const hosts[] = {
        "127.0.0.1:1",       "127.9.9.9:1",   "localhost:1",  "0.0.0.0:1",
        "10.0.0.1:1",        "192.168.1.1:1", "172.20.0.1:1", "169.254.169.254:1",
        "2130706433",        "0x7f000001",    "[::1]:1",      "[::ffff:127.0.0.1]:1",
        "[fe80::1]:1",       "[fd00::1]:1",   "127.1:1",      "[64:ff9b::7f00:1]:1",
        "[2002:7f00:1::]:1", "100.64.0.1:1",
    };
    Policy p = act_desk_allow("network");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        Reply r = act_desk_call(d, a, "http_get",
                                arena_printf(&d->a, "{\"url\": \"http://%s/\"}", hosts[i]).p);
        assert_true(r.failed);
        if (!str_eq(r.text, S("the server is this machine or in a private network: that is not "
                              "allowed here")))
            print_message("%s: " STR_FMT "\n", hosts[i], STR_ARG(r.text));
        assert_true(r.status == JOT_DENIED || r.status == JOT_UNAVAILABLE ||
                    r.status == JOT_INVALID);
    }
    Server s = start();
    act_desk_fails(d, a, "http_get", url(d, s, "/ok"),
                   "the server is this machine or in a private network: that is not allowed here");
    stop(s);
}

static void an_address_in_numbers_is_one_like_others(Desk *d)
{
    Policy p = act_desk_allow("network,private");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    Server s = start_at(AF_INET6);
    if (!s.pid)
        skip(); /* no IPv6 on this machine */
    const char *there = arena_printf(&d->a, "{\"url\": \"http://[::1]:%d/ok\"}", s.port).p;
    act_desk_says(d, a, "http_get", there, "hello\n(status 200, text/plain, 6 bytes)");
    stop(s);
    Reply r = act_desk_call(d, a, "http_get", "{\"url\": \"http://[::1/ok\"}");
    assert_true(r.failed && r.status == JOT_INVALID);
}

static void what_is_no_web_address_is_refused(Desk *d)
{
    static const char *const wrong[] = { "file:///etc/passwd",
                                         "ftp://example.com/",
                                         "gopher://127.0.0.1:25/x",
                                         "http:///x",
                                         "example.com",
                                         "http://a:b@example.com/",
                                         "http://exa mple.com/",
                                         "http://example.com/\\r\\nX: y" };
    Policy p = act_desk_allow("network,private");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Reply r =
            act_desk_call(d, a, "http_get", arena_printf(&d->a, "{\"url\": \"%s\"}", wrong[i]).p);
        if (!r.failed || r.status != JOT_INVALID)
            fail_msg("%s: " STR_FMT, wrong[i], STR_ARG(r.text));
    }
}

static bool after_three(void *ctx)
{
    int *left = ctx;
    return --*left < 0;
}

static void a_silent_server_is_left_when_somebody_says_so(Desk *d)
{
    Policy p = act_desk_allow("network,private");
    int left = 3;
    Server s = start();
    ActOptions o = { .m = &d->m,
                     .pad = str(d->url),
                     .dir = str(d->dir),
                     .policy = &p,
                     .cancelled = after_three,
                     .ctx = &left };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    AUTO_PTR(json_t)
    args = json_pack("{s:o}", "url", json_sprintf("http://127.0.0.1:%d/silent", s.port));
    Call c = { .id = S("x"), .tool = S("http_get"), .object = args };
    Reply r;
    desk_expect(d, JOT_CANCELLED, act_call(a, &c, &d->a, &r, &d->e));
    stop(s);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_page_is_fetched_and_redirects_are_followed),
        DESK_TEST(what_a_server_does_wrong_is_told),
        DESK_TEST(nonsense_gets_a_sentence_each),
        DESK_TEST(a_server_that_takes_too_long_is_left),
        DESK_TEST(an_address_in_numbers_is_one_like_others),
        DESK_TEST(this_machine_and_private_networks_are_refused),
        DESK_TEST(what_is_no_web_address_is_refused),
        DESK_TEST(a_silent_server_is_left_when_somebody_says_so),
    };
    unsetenv("http_proxy");
    return desk_run_on("files", tests, COUNT_OF(tests));
}
