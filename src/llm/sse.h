/* sse.h - Sse, server-sent events out of a stream of bytes.
 *
 * The bytes may be split anywhere.  Lines end in CR, LF or CRLF; a comment, an
 * id, a retry and anything unknown is passed over; an event without data is
 * none; one that the stream ends in is dropped, as the standard says: half of it
 * may be missing. */
#ifndef LLM_SSE_H
#define LLM_SSE_H

#include "base/buf.h"
#include "base/err.h"

enum { SSE_EVENT_MAX = 20 * 1024 * 1024 }; /* bytes of one event, and of one line */

typedef struct SseEvent {
    Str name; /* empty: none was given */
    Str data; /* its lines, with LF between them */
} SseEvent;

typedef struct Sse {
    Buf line; /* begun, not ended yet */
    Buf name, data;
    bool has_data;
    bool begun;    /* the first line has been seen, and a byte order mark taken off */
    bool after_cr; /* an LF now belongs to the line that has ended */
} Sse;

/* Called with each whole event, which is borrowed until it returns. */
typedef jot_status SseSink(void *ctx, const SseEvent *event, Err *e);

/* More bytes.  JOT_TOO_BIG beyond SSE_EVENT_MAX, or what the sink returned. */
MUST_USE jot_status sse_feed(Sse *s, Str bytes, SseSink *sink, void *ctx, Err *e);
void sse_done(Sse *s);

DEFINE_AUTO(Sse, sse_done)

#endif
