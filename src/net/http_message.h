/* http_message.h - HttpReader, one HTTP/1.1 request after the other out of a stream of bytes.
 *
 * Strict where being lenient lets two programs read two different requests out of
 * the same bytes: lines end in CR LF, a header's name stands directly before its
 * colon, no header is folded, Content-Length is there once and not beside
 * Transfer-Encoding, the only transfer coding is chunked.  Everything has a limit.
 *
 * Nothing here knows sockets, routes or who may ask. */
#ifndef NET_HTTP_MESSAGE_H
#define NET_HTTP_MESSAGE_H

#include "base/buf.h"

enum {
    HTTP_HEAD_MAX = 16 * 1024, /* bytes of a request's line and headers */
    HTTP_HEADERS_MAX = 64,
    HTTP_CHUNK_LINE_MAX = 256, /* a chunk's size and what follows it */
};

typedef struct HttpHeader {
    Str name; /* lower case */
    Str value;
} HttpHeader;

/* Borrowed from its reader, until http_reader_next. */
typedef struct HttpRequest {
    Str method;
    Str authority; /* "host:port" of a target in absolute form, as proxies send it; else empty */
    Str path;      /* as it was sent, without the question mark and what follows */
    Str query;     /* after the question mark */
    HttpHeader headers[HTTP_HEADERS_MAX];
    size_t n;
    int minor;      /* HTTP/1.0 or HTTP/1.1 */
    bool close;     /* the client wants no further request here */
    bool expects;   /* it waits for "100 Continue" before it sends the body */
    bool chunked;   /* the body comes in chunks */
    uint64_t bytes; /* Content-Length */
    Str body;       /* complete when the reader says HTTP_BODY */
} HttpRequest;

/* The value of a header; its name is given in lower case.  The empty Str if there is none. */
Str http_header(const HttpRequest *r, const char *name);
/* How many headers of this name there are. */
size_t http_header_count(const HttpRequest *r, const char *name);
/* True if a header's value, a list with commas, holds this word; case does not matter. */
bool http_header_has(const HttpRequest *r, const char *name, const char *word);
bool http_same(Str a, Str b); /* case does not matter */

typedef enum HttpStep {
    HTTP_MORE = 0, /* the next bytes are needed */
    HTTP_HEAD,     /* the head is there: decide whether the body is wanted */
    HTTP_BODY,     /* all of it is there */
    HTTP_BAD,      /* answer with `status` and close: what follows cannot be read */
} HttpStep;

typedef struct HttpReader {
    HttpRequest request;
    int status;      /* of what is wrong */
    const char *why; /* a sentence about it */
    size_t body_max;
    /* The rest is its own. */
    Buf in;   /* what has come; its beginning has been used up to `at` */
    Buf head; /* the request's line and headers */
    Buf body;
    size_t at;
    uint64_t chunk; /* bytes that are missing of this chunk */
    enum {
        AT_HEAD,
        AT_DECISION,
        AT_BYTES,
        AT_SIZE,
        AT_CHUNK,
        AT_CHUNK_END,
        AT_TRAILER,
        AT_END
    } state;
} HttpReader;

void http_reader_add(HttpReader *r, Str bytes);
/* Goes as far as the bytes reach.  After HTTP_HEAD it continues with the body. */
HttpStep http_reader_step(HttpReader *r);
/* Done with this request: the next one begins after it. */
void http_reader_next(HttpReader *r);
/* True if nothing of a request has come. */
bool http_reader_idle(const HttpReader *r);
void http_reader_done(HttpReader *r);
DEFINE_AUTO(HttpReader, http_reader_done)

#endif
