/* tls.h - Tls, the client's side of TLS, without a socket.
 *
 * Bytes that came are fed in, bytes to be sent are taken out, and in between text
 * is written and read; who has the socket keeps its deadlines.  libssl is opened by
 * the first use and never linked. */
#ifndef BASE_TLS_H
#define BASE_TLS_H

#include "base/err.h"

typedef struct Tls Tls;

/* NULL where there is none. */
typedef struct TlsOptions {
    const char *host;   /* the certificate must be this one's: a name, or an address */
    const char *cacert; /* a file of certificates to trust; NULL: the system's */
    const char *cert;   /* our own certificate, and its key */
    const char *key;
} TlsOptions;

/* JOT_UNSUPPORTED: there is no libssl.  JOT_INVALID: a file cannot be used. */
MUST_USE jot_status tls_new(Tls **out, const TlsOptions *o, Err *e);
void tls_free(Tls *t); /* NULL is fine */

/* Continue the handshake: *done when it has ended; until then more bytes are wanted.  JOT_DENIED:
 * the certificate is not to be trusted.  JOT_UNAVAILABLE: what answers does not speak TLS. */
MUST_USE jot_status tls_shake(Tls *t, bool *done, Err *e);

void tls_feed(Tls *t, Str bytes);
/* Up to `room` bytes that must be sent; 0: none. */
size_t tls_take(Tls *t, char *into, size_t room);

/* Encrypt all of it; false: the connection is of no use any more. */
MUST_USE bool tls_write(Tls *t, Str text);
/* Up to `room` bytes of text; 0: more must be fed; below 0: it ended. */
MUST_USE ptrdiff_t tls_read(Tls *t, char *into, size_t room);

#endif
