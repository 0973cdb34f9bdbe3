/* fuzz_sse.c - any bytes as a stream of events: wherever it is cut, the events are the same. */
#include "base/buf.h"
#include "fuzz/fuzz.h"
#include "llm/sse.h"

const char *const fuzz_words[] = {
    "data: ",  "data:",     "data",   "event: ",   "event:",       "id: 1",
    "retry: ", ": comment", "\n\n",   "\r\n\r\n",  "\r\r",         "\n",
    "\r",      "\r\n",      "[DONE]", "{\"a\":1}", "\xEF\xBB\xBF", "data: a\ndata: b\n\n",
    "\xff",    NULL
};

static jot_status list(void *ctx, const SseEvent *event, Err *e)
{
    buf_addf(ctx, "%zu:" STR_FMT ",%zu:" STR_FMT ";", event->name.n, STR_ARG(event->name),
             event->data.n, STR_ARG(event->data));
    MUST(str_find(event->data, '\r') == event->data.n);
    MUST(str_find(event->name, '\r') == event->name.n &&
         str_find(event->name, '\n') == event->name.n);
    return JOT_OK;
}

/* The events of the stream when it comes in pieces of `step` bytes. */
static void events(Str stream, size_t step, Buf *to)
{
    AUTO(Sse) s = { 0 };
    Err e = { 0 };
    for (size_t at = 0; at < stream.n; at += step)
        MUST(sse_feed(&s, str_slice(stream, at, at + step), list, to, &e) == JOT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str stream = { (const char *)data, size };
    AUTO(Buf) whole = { 0 };
    events(stream, size + 1, &whole);
    for (size_t step = 1; step < 8; step += 2) {
        AUTO(Buf) pieces = { 0 };
        events(stream, step, &pieces);
        MUST(str_eq(buf_str(&pieces), buf_str(&whole)));
    }
    return 0;
}
