/* proxy.h - Proxy, what can happen between a client and its server.
 *
 * A process of its own that passes bytes between a unix socket and a server's (or
 * two ports of loopback), and on command loses answers, swallows everything, waits, cuts, or lets
 * connections overtake each other. */
#ifndef RIG_PROXY_H
#define RIG_PROXY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

typedef enum ProxyMode {
    PROXY_PASS = 0,
    PROXY_HOLE, /* takes everything and passes nothing on */
    PROXY_CUT,  /* ends every connection */
    PROXY_WAIT, /* passes answers on after a tenth of a second */
    PROXY_HTML, /* answers as a web server does */
    PROXY_MIX,  /* holds what each connection says for some time of its own, so that requests and
                   answers  come in another order than they were sent in; never those of one
                   connection */
} ProxyMode;

typedef struct ProxyState {
    atomic_int mode;
    atomic_int lose; /* the so-maniest answer from now on: the connection ends instead, and the
                        server has done what it was asked */
    atomic_int then; /* the mode that this loss begins */
    atomic_int page; /* the status of what a web server says; if not 0, that comes in the place of
                        an answer that is lost, too */
    atomic_int lost; /* answers lost so far */
    atomic_int overtaken; /* answers so far that another connection's, which came later, were passed
                             on before */
} ProxyState;

typedef struct Proxy {
    ProxyState *state; /* shared with the process */
    pid_t pid;
    char dir[64];  /* of its socket ... */
    char path[96]; /* ... and the socket */
    int port;      /* or where it listens on loopback */
} Proxy;

/* Listen at DIR/NAME for what is meant for `server`, the path of a unix socket. */
bool proxy_start(Proxy *p, const char *name, const char *server);
/* The same on loopback, at a port that is free, for what listens at a port there. */
bool proxy_start_tcp(Proxy *p, int port);
void proxy_stop(Proxy *p);

#endif
