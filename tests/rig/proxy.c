/* proxy.c - one process, poll, at most a few connections. */
#include "rig/proxy.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS_MAX = 64, CHUNK = 64 * 1024, WAIT_US = 100 * 1000, TICK_MS = 10, HOLD_US = 20 * 1000 };

/* What one side has said and was not passed on yet: it stays in the socket. */
typedef struct Held {
    int64_t until_us; /* 0: nothing is held */
    uint64_t number;  /* in the order of coming */
} Held;

typedef struct Pair {
    int client, server;   /* -1: none */
    Held asked, answered; /* by the client, by the server */
} Pair;

static int at_path(const char *path, bool listening)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    bool good = listening ? bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0
                          : connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
    if (good)
        return fd;
    close(fd);
    return -1;
}

/* A port of loopback to listen at (0: any, *port tells which), or a connection to one. */
static int at_port(int *port, bool listening)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    bool good = listening ? bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0
                          : connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
    if (good && getsockname(fd, (struct sockaddr *)&a, &n) == 0) {
        *port = listening ? ntohs(a.sin_port) : *port;
        return fd;
    }
    close(fd);
    return -1;
}

/* A connection to the server, which is a path or a port. */
static int to_server(const char *server)
{
    if (server[0] == '/')
        return at_path(server, false);
    int port = (int)strtol(server, NULL, 10);
    return at_port(&port, false);
}

static void end_pair(Pair *p)
{
    if (p->client >= 0)
        close(p->client);
    if (p->server >= 0)
        close(p->server);
    *p = (Pair){ .client = -1, .server = -1 };
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t put = send(fd, bytes, n, MSG_NOSIGNAL);
        if (put <= 0)
            return false;
        bytes += put;
        n -= (size_t)put;
    }
    return true;
}

static bool write_page(const ProxyState *s, int client)
{
    char page[100];
    int n =
        snprintf(page, sizeof page, "HTTP/1.1 %d Indeed\r\nContent-Type: text/html\r\n\r\n<html>",
                 s->page ? (int)s->page : 400);
    return write_all(client, page, (size_t)n);
}

static bool answer_html(const ProxyState *s, int client)
{
    char asked[CHUNK];
    return recv(client, asked, sizeof asked, 0) > 0 && write_page(s, client);
}

/* Pass on what one side said; false: the pair is over. */
static bool pass(ProxyState *s, const Pair *p, bool from_client)
{
    static char bytes[CHUNK];
    ssize_t n = recv(from_client ? p->client : p->server, bytes, sizeof bytes, 0);
    int mode = s->mode;
    if (n <= 0 || mode == PROXY_CUT)
        return false;
    if (mode == PROXY_HOLE)
        return true;
    if (!from_client && s->lose > 0 && --s->lose == 0) {
        s->mode = (int)s->then;
        s->lost++;
        if (s->page)
            write_page(s, p->client);
        return false;
    }
    if (!from_client && mode == PROXY_WAIT)
        usleep(WAIT_US);
    return write_all(from_client ? p->server : p->client, bytes, (size_t)n);
}

static void take(const ProxyState *s, int listener, Pair *pairs, const char *server)
{
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    bool refused = s->mode == PROXY_CUT || (s->mode == PROXY_HTML && answer_html(s, client));
    int i = 0;
    while (i < PAIRS_MAX && pairs[i].client >= 0)
        i++;
    Pair fresh = { .client = client, .server = refused ? -1 : to_server(server) };
    if (fresh.server < 0 || i == PAIRS_MAX)
        end_pair(&fresh);
    else
        pairs[i] = fresh;
}

static int64_t clock_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Others whose answers came before this one, and wait. */
static int count_before(const Pair *pairs, const Held *h)
{
    int n = 0;
    for (int i = 0; i < PAIRS_MAX; i++)
        n += pairs[i].answered.until_us != 0 && pairs[i].answered.number < h->number;
    return n;
}

/* Something was said: is it kept back for now? */
static bool hold(ProxyState *s, const Pair *pairs, Held *h, bool answer)
{
    static uint64_t said;
    int64_t now = clock_us();
    if (s->mode != PROXY_MIX) {
        *h = (Held){ 0 };
        return false;
    }
    if (h->until_us == 0) {
        said++;
        /* Multiplied so that neighbours are far from each other; the clock adds what nobody
         * repeats. */
        uint64_t mixed = (said + (uint64_t)now) * 0x9E3779B97F4A7C15u >> 40;
        *h = (Held){ now + 1 + (int64_t)(mixed % HOLD_US), said };
    }
    if (now < h->until_us)
        return true;
    s->overtaken += answer && count_before(pairs, h) > 0;
    *h = (Held){ 0 };
    return false;
}

/* What is held is not asked for again before its time. */
static short wanted(const Held *h)
{
    return h->until_us > clock_us() ? 0 : POLLIN;
}

/* Both sides of a pair; false: it is over. */
static bool tend_pair(ProxyState *s, const Pair *pairs, Pair *p, const struct pollfd fds[2])
{
    bool good = s->mode != PROXY_CUT || p->client < 0;
    if (good && fds[0].revents && !hold(s, pairs, &p->asked, false))
        good = pass(s, p, true);
    if (good && fds[1].revents && !hold(s, pairs, &p->answered, true))
        good = pass(s, p, false);
    return good;
}

static void serve(ProxyState *s, int listener, const char *server)
{
    Pair pairs[PAIRS_MAX];
    for (int i = 0; i < PAIRS_MAX; i++)
        pairs[i] = (Pair){ .client = -1, .server = -1 };
    for (;;) {
        struct pollfd fds[1 + 2 * PAIRS_MAX];
        fds[0] = (struct pollfd){ listener, POLLIN, 0 };
        for (int i = 0; i < PAIRS_MAX; i++) {
            fds[1 + 2 * i] = (struct pollfd){ pairs[i].client, wanted(&pairs[i].asked), 0 };
            fds[2 + 2 * i] = (struct pollfd){ pairs[i].server, wanted(&pairs[i].answered), 0 };
        }
        poll(fds, 1 + 2 * PAIRS_MAX, s->mode == PROXY_MIX ? 1 : TICK_MS);
        for (int i = 0; i < PAIRS_MAX; i++)
            if (!tend_pair(s, pairs, &pairs[i], &fds[1 + 2 * i]))
                end_pair(&pairs[i]);
        if (fds[0].revents)
            take(s, listener, pairs, server);
    }
}

static bool start(Proxy *p, int listener, const char *server)
{
    p->state =
        mmap(NULL, sizeof *p->state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (listener < 0 || p->state == MAP_FAILED)
        return false;
    pid_t parent = getpid();
    p->pid = fork();
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            serve(p->state, listener, server);
        _exit(1);
    }
    close(listener);
    return p->pid > 0;
}

bool proxy_start(Proxy *p, const char *name, const char *server)
{
    *p = (Proxy){ .pid = -1 };
    snprintf(p->dir, sizeof p->dir, "/tmp/jot-proxy-XXXXXX");
    if (!mkdtemp(p->dir))
        return false;
    snprintf(p->path, sizeof p->path, "%s/%s", p->dir, name);
    return start(p, at_path(p->path, true), server);
}

bool proxy_start_tcp(Proxy *p, int port)
{
    char server[16];
    *p = (Proxy){ .pid = -1 };
    snprintf(server, sizeof server, "%d", port);
    return start(p, at_port(&p->port, true), server);
}

void proxy_stop(Proxy *p)
{
    if (p->pid > 0 && kill(p->pid, SIGKILL) == 0)
        waitpid(p->pid, NULL, 0);
    if (p->path[0]) {
        unlink(p->path);
        rmdir(p->dir);
    }
    munmap(p->state, sizeof *p->state);
}
