/* sock.c - sockets with deadlines. */
#include "store/redis/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"

enum { TICK_US = 100 * 1000, CHUNK = 16 * 1024 };

static int64_t left_ms(int64_t deadline_ms)
{
    return deadline_ms - io_awake_ms(&io_system);
}

/* From here on a call blocks for a tick at most. */
static void set_up(int fd)
{
    struct timeval tick = { .tv_usec = TICK_US };
    int one = 1, idle = 30;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof tick);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tick, sizeof tick);
    /* These fail on a unix socket, which needs neither. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

/* Connect in time; 0 or an errno. */
static int connect_in_time(int fd, const struct sockaddr *to, socklen_t n, int64_t deadline_ms)
{
    if (connect(fd, to, n) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    struct pollfd wait = { fd, POLLOUT, 0 };
    int failed = 0;
    socklen_t size = sizeof failed;
    for (int64_t left = left_ms(deadline_ms); left > 0; left = left_ms(deadline_ms))
        if (poll(&wait, 1, (int)left) > 0)
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) == 0 ? failed : errno;
    return ETIMEDOUT;
}

static int open_one(Sock *c, const struct sockaddr *to, socklen_t n, int64_t deadline_ms)
{
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    int failed = connect_in_time(fd, to, n, deadline_ms);
    if (failed) {
        close(fd);
        return failed;
    }
    set_up(fd);
    *c = (Sock){ .fd = fd };
    return 0;
}

jot_status sock_open_unix(Sock *c, const char *path, int64_t deadline_ms, Err *e)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof to.sun_path)
        return err_set(e, JOT_INVALID, "the path of a socket has at most %zu bytes",
                       sizeof to.sun_path - 1);
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    int failed = open_one(c, (const struct sockaddr *)&to, sizeof to, deadline_ms);
    return failed ? err_set(e, JOT_UNAVAILABLE, "%s", strerror(failed)) : JOT_OK;
}

jot_status sock_open_tcp(Sock *c, const char *host, int port, int64_t deadline_ms, Err *e)
{
    struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *found = NULL;
    char service[8];
    snprintf(service, sizeof service, "%d", port);
    int asked = getaddrinfo(host, service, &want, &found);
    if (asked != 0)
        return err_set(e, JOT_UNAVAILABLE, "%s", gai_strerror(asked));
    int failed = ETIMEDOUT;
    size_t left = 0;
    for (const struct addrinfo *a = found; a; a = a->ai_next)
        left++;
    /* One that says nothing takes no more than its share from the others. */
    for (const struct addrinfo *a = found; a && failed; a = a->ai_next, left--) {
        int64_t now = io_awake_ms(&io_system), share = (deadline_ms - now) / (int64_t)left;
        failed = open_one(c, a->ai_addr, a->ai_addrlen, now + share);
    }
    freeaddrinfo(found);
    return failed ? err_set(e, JOT_UNAVAILABLE, "%s", strerror(failed)) : JOT_OK;
}

void sock_close(Sock *c)
{
    tls_free(c->tls);
    if (c->fd >= 0)
        close(c->fd);
    *c = (Sock){ .fd = -1 };
}

static bool may_try_again(int64_t deadline_ms)
{
    return (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) && left_ms(deadline_ms) > 0;
}

static bool send_plain(Sock *c, Str bytes, int64_t deadline_ms)
{
    while (bytes.n) {
        ssize_t n = send(c->fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n > 0)
            bytes = str_from(bytes, (size_t)n);
        else if (!may_try_again(deadline_ms))
            return false;
    }
    return true;
}

/* What TLS has to say goes out. */
static bool send_taken(Sock *c, int64_t deadline_ms)
{
    char bytes[CHUNK];
    for (size_t n; (n = tls_take(c->tls, bytes, sizeof bytes)) > 0;)
        if (!send_plain(c, (Str){ bytes, n }, deadline_ms))
            return false;
    return true;
}

bool sock_send(Sock *c, Str bytes, int64_t deadline_ms)
{
    if (!c->tls)
        return send_plain(c, bytes, deadline_ms);
    return tls_write(c->tls, bytes) && send_taken(c, deadline_ms);
}

static size_t receive_plain(Sock *c, char *into, size_t room, int64_t deadline_ms, bool *late)
{
    for (;;) {
        errno = 0;
        ssize_t n = recv(c->fd, into, room, 0);
        if (n > 0)
            return (size_t)n;
        *late = n < 0 && left_ms(deadline_ms) <= 0;
        if (n == 0 || !may_try_again(deadline_ms))
            return 0;
    }
}

/* Feed what comes next; false: nothing did. */
static bool feed(Sock *c, int64_t deadline_ms, bool *late)
{
    char bytes[CHUNK];
    size_t n = receive_plain(c, bytes, sizeof bytes, deadline_ms, late);
    tls_feed(c->tls, (Str){ bytes, n });
    return n > 0;
}

size_t sock_receive(Sock *c, char *into, size_t room, int64_t deadline_ms, bool *late)
{
    if (!c->tls)
        return receive_plain(c, into, room, deadline_ms, late);
    for (;;) {
        ptrdiff_t n = tls_read(c->tls, into, room);
        if (n > 0)
            return (size_t)n;
        if (n < 0 || !send_taken(c, deadline_ms) || !feed(c, deadline_ms, late))
            return 0;
    }
}

jot_status sock_encrypt(Sock *c, const TlsOptions *o, int64_t deadline_ms, Err *e)
{
    TRY(tls_new(&c->tls, o, e));
    for (bool done = false, late = false;;) {
        jot_status st = tls_shake(c->tls, &done, e);
        /* Also what is wrong is said to the other side. */
        bool sent = send_taken(c, deadline_ms);
        TRY(st);
        if (done && sent)
            return JOT_OK;
        if (!sent || !feed(c, deadline_ms, &late))
            return err_set(e, JOT_UNAVAILABLE,
                           late ? "it does not answer"
                                : "it ended the connection: check the port, and whether it wants a "
                                  "certificate");
    }
}
