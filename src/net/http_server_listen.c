/* http_server_listen.c - addresses, and sockets that listen at them.
 *
 * Addresses are numbers: a name could mean another machine tomorrow, or this one to
 * everybody.  "localhost" is 127.0.0.1. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "net/http_server_internal.h"

enum { BACKLOG = 128 };

typedef union Address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} Address;

static jot_status parse_address(Str text, Address *out, bool *loopback, Err *e)
{
    Shown shown;
    char host[64];
    uint64_t port = 0;
    size_t colon = str_find_last(text, ':');
    Str name = str_slice(text, 0, colon);
    bool good = colon < text.n && str_to_u64(str_from(text, colon + 1), UINT16_MAX, &port) &&
                name.n > 2 && name.n < sizeof host;
    bool v6 = good && name.p[0] == '[' && name.p[name.n - 1] == ']';
    *out = (Address){ 0 };
    name = v6                                ? str_slice(name, 1, name.n - 1)
           : http_same(name, S("localhost")) ? S("127.0.0.1")
                                             : name;
    if (good) {
        memcpy(host, name.p, name.n);
        host[name.n] = 0;
        good = inet_pton(v6 ? AF_INET6 : AF_INET, host,
                         v6 ? (void *)&out->v6.sin6_addr : (void *)&out->v4.sin_addr) == 1;
    }
    if (!good)
        return err_set(e, JOT_INVALID,
                       "invalid address '%s': use one like 127.0.0.1:7437 or [::1]:0",
                       err_show(&shown, text));
    out->any.sa_family = v6 ? AF_INET6 : AF_INET;
    *(v6 ? &out->v6.sin6_port : &out->v4.sin_port) = htons((uint16_t)port);
    *loopback = v6 ? IN6_IS_ADDR_LOOPBACK(&out->v6.sin6_addr)
                   : (ntohl(out->v4.sin_addr.s_addr) >> 24) == 127;
    return JOT_OK;
}

jot_status http_address(Str address, bool *loopback, Err *e)
{
    Address parsed;
    return parse_address(address, &parsed, loopback, e);
}

static bool is_any(const Address *a)
{
    return a->any.sa_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr)
                                        : a->v4.sin_addr.s_addr == htonl(INADDR_ANY);
}

Str http_address_host(Str address)
{
    Address parsed;
    bool loopback;
    if (parse_address(address, &parsed, &loopback, NULL) != JOT_OK || is_any(&parsed))
        return (Str){ 0 };
    return str_slice(address, 0, str_find_last(address, ':'));
}

jot_status http_listen(Str text, Fd *out, uint16_t *port, Err *e)
{
    Address a;
    bool loopback;
    int on = 1;
    Shown shown;
    TRY(parse_address(text, &a, &loopback, e));
    socklen_t size = a.any.sa_family == AF_INET6 ? sizeof a.v6 : sizeof a.v4;
    AUTO(Fd) fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_errno(e, errno, "could not make a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &a.any, size) != 0 || listen(fd, BACKLOG) != 0)
        return err_set(e, errno == EADDRINUSE ? JOT_UNAVAILABLE : JOT_DENIED,
                       "could not listen at '%s': %s", err_show(&shown, text),
                       strerrordesc_np(errno));
    getsockname(fd, &a.any, &size);
    *port = ntohs(a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port);
    *out = fd_take(&fd);
    return JOT_OK;
}
