/* sse.c - server-sent events out of a stream of bytes.
 *
 *     bytes, cut anywhere      lines                  events
 *     "event: a\r" "\ndata"    event: a               name "a"
 *     ": 1\r\ndata: 2\n\n"      data: 1  data: 2       data "1\n2", at the empty line
 *
 * A line is handed on from where it lies; only one that two pieces share is copied.  CR, LF and
 * CRLF end a line, and a CR at the end of a piece may turn out to be half of a CRLF.  Fields other
 * than these two (id, retry, comments) say nothing that is wanted here. */
#include "llm/sse.h"

#include <string.h>

static jot_status too_long(Err *e)
{
    return err_set(e, JOT_TOO_BIG, "an event of the stream is too long: at most %d bytes",
                   SSE_EVENT_MAX);
}

/* The field of a line that begins with `name`; one space after the colon is not part of it. */
static bool field(Str line, Str name, Str *value)
{
    if (!str_starts(line, name))
        return false;
    Str rest = str_from(line, name.n);
    if (rest.n && rest.p[0] != ':')
        return false;
    rest = str_from(rest, 1);
    *value = rest.n && rest.p[0] == ' ' ? str_from(rest, 1) : rest;
    return true;
}

static jot_status end_line(Sse *s, Str line, SseSink *sink, void *ctx, Err *e)
{
    Str value = { 0 };
    /* A byte order mark may come before the first line, and counts for nothing. */
    if (!s->begun && str_starts(line, S("\xEF\xBB\xBF")))
        line = str_from(line, 3);
    s->begun = true;
    s->name.max = s->data.max = SSE_EVENT_MAX;
    if (line.n == 0) {
        SseEvent event = { buf_str(&s->name), buf_str(&s->data) };
        jot_status st = s->has_data ? sink(ctx, &event, e) : JOT_OK; /* a name alone is no event */
        buf_clear(&s->name);
        buf_clear(&s->data);
        s->has_data = false;
        return st;
    }
    if (field(line, S("data"), &value)) {
        if (s->has_data)
            buf_add_char(&s->data, '\n');
        buf_add(&s->data, value);
        s->has_data = true;
    } else if (field(line, S("event"), &value)) {
        buf_clear(&s->name);
        buf_add(&s->name, value);
    }
    return buf_ok(&s->data) && buf_ok(&s->name) ? JOT_OK : too_long(e);
}

jot_status sse_feed(Sse *s, Str bytes, SseSink *sink, void *ctx, Err *e)
{
    s->line.max = SSE_EVENT_MAX;
    while (bytes.n) {
        if (s->after_cr && bytes.p[0] == '\n') {
            bytes = str_from(bytes, 1);
            s->after_cr = false;
            continue;
        }
        s->after_cr = false;
        /* A line ends at the next CR or LF. */
        size_t lf = str_find(bytes, '\n');
        size_t end = str_find(str_slice(bytes, 0, lf), '\r');
        Str line = str_slice(bytes, 0, end);
        if (end == bytes.n || s->line.n) {
            buf_add(&s->line, line);
            line = buf_str(&s->line);
        }
        if (!buf_ok(&s->line))
            return too_long(e);
        if (end == bytes.n)
            return JOT_OK;
        s->after_cr = bytes.p[end] == '\r';
        bytes = str_from(bytes, end + 1);
        TRY(end_line(s, line, sink, ctx, e));
        buf_clear(&s->line);
    }
    return JOT_OK;
}

void sse_done(Sse *s)
{
    buf_free(&s->line);
    buf_free(&s->name);
    buf_free(&s->data);
    *s = (Sse){ 0 };
}
