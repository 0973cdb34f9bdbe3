/* http_client.h - HttpClient, requests that can be stopped at any moment.
 *
 * One request at a time, its answer given as it comes.  Certificates are
 * verified, redirects are answers like any other (the caller that follows one decides
 * which secrets go along), nothing is decompressed, and everything has a limit.
 * The connection is kept for the next request.
 *
 * A client belongs to one thread; libcurl is opened by the first request. */
#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include <sys/socket.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/url.h"

enum {
    HTTP_ANSWER_HEAD_MAX = 64 * 1024, /* bytes of all header lines of an answer */
    HTTP_CONNECT_MS = 15 * 1000,
    HTTP_IDLE_MS = 600 * 1000, /* a model may think for minutes before its first byte */
    HTTP_POLL_MS = 50,         /* how long a cancellation may go unnoticed */
};

typedef struct HttpField {
    const char *name;
    Str value;
} HttpField;

typedef struct HttpCall {
    const char *method; /* "GET", "POST" ... */
    const char *url;    /* http:// or https:// */
    const HttpField *headers;
    size_t n_headers;
    Str body;
    const char *ca_file; /* certificates to trust instead of the system's; NULL: those */
    int64_t connect_ms;  /* 0: HTTP_CONNECT_MS */
    int64_t idle_ms;     /* without a byte either way; 0: HTTP_IDLE_MS */
    size_t answer_max;   /* bytes of the answer's body; 0: BUF_MAX_DEFAULT */

    /* The body as it comes; the head is complete by then.  A failure ends the request. */
    jot_status (*on_body)(void *ctx, Str bytes, Err *e);
    bool (*cancelled)(void *ctx); /* may be NULL */
    /* Asked about each address, after its name was resolved and before it is connected to.  With
     * it no proxy is used, because that would resolve the name for itself.  NULL: any. */
    bool (*may_connect)(void *ctx, const struct sockaddr *to);
    void *ctx;
} HttpCall;

/* The head of an answer.  {0} before, http_answer_done after. */
typedef struct HttpAnswer {
    int status;  /* 0: none came */
    Buf headers; /* lines, as they came */
} HttpAnswer;

typedef struct HttpClient HttpClient;

/* Never NULL.  `io` outlives it and gives the clock for idle_ms. */
HttpClient *http_client_new(const Io *io);
void http_client_free(HttpClient *c); /* NULL is fine */

/* Send and receive.  JOT_OK whenever a whole answer came, whatever its status.
 *
 *   JOT_UNAVAILABLE  not reached, broken off, or idle for too long: it may work later
 *   JOT_CANCELLED    cancelled() said so
 *   JOT_DENIED       the certificate is not to be trusted, or may_connect() said no
 *   JOT_TOO_BIG      the answer passes a limit
 *   JOT_INVALID      the URL or a header cannot be sent
 *   JOT_UNSUPPORTED  libcurl is not installed
 *
 * or what on_body returned. */
MUST_USE jot_status http_send(HttpClient *c, const HttpCall *request, HttpAnswer *out, Err *e);

/* The value of a header, by its name in any case; false if there is none.  Borrowed from `a`. */
bool http_answer_header(const HttpAnswer *a, Str name, Str *value);
void http_answer_done(HttpAnswer *a);

/* A date as headers have it, in ms since 1970; false if it is none, or libcurl is not open. */
MUST_USE bool http_date(Str text, int64_t *ms);

/* True for a host that is this machine: localhost, 127.0.0.0/8, ::1. */
bool http_host_is_here(Str host);

/* JOT_DENIED: what goes there could be read on the way, for it is neither https:// nor this
 * machine. */
MUST_USE jot_status http_check_private(const Url *u, Err *e);

DEFINE_AUTO(HttpAnswer, http_answer_done)
DEFINE_AUTO_PTR(HttpClient, http_client_free)

#endif
