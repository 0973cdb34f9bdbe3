/* sock.h - Sock, a connection to a server: bytes in both directions, with deadlines.
 *
 * The socket blocks, but never for longer than a tick; then the deadline is
 * looked at.  So an exchange is two system calls, and nothing waits for ever. */
#ifndef STORE_REDIS_SOCK_H
#define STORE_REDIS_SOCK_H

#include "base/tls.h"

typedef struct Sock {
    int fd;   /* -1: none */
    Tls *tls; /* NULL: the bytes go as they are */
} Sock;

/* Deadlines are moments of CLOCK_BOOTTIME in milliseconds.  Faults are one sentence that begins
 * with what was tried; the caller says with whom. */
MUST_USE jot_status sock_open_unix(Sock *c, const char *path, int64_t deadline_ms, Err *e);
MUST_USE jot_status sock_open_tcp(Sock *c, const char *host, int port, int64_t deadline_ms, Err *e);
/* Speak TLS from here on. */
MUST_USE jot_status sock_encrypt(Sock *c, const TlsOptions *o, int64_t deadline_ms, Err *e);
void sock_close(Sock *c); /* one that is not open is fine */

/* All of it, or false: the connection is of no use any more. */
MUST_USE bool sock_send(Sock *c, Str bytes, int64_t deadline_ms);
/* At least one byte, or 0: the connection ended, or nothing came in time (*late). */
MUST_USE size_t sock_receive(Sock *c, char *into, size_t room, int64_t deadline_ms, bool *late);

#endif
