/* wire.c - asking a model over HTTP: one attempt, and the next.
 *
 *     attempt ---- 2xx, event stream ---> dialect reads events into a draft
 *        ^   \                              | whole        -> the reply
 *        |    \                             | broke off    -> retry
 *        |     `-- 4xx, 5xx, an error event -> fault.c: what does it mean?
 *        |              | worth a retry (408, 409, 429, 5xx, overload)
 *        |              v
 *        +---- wait: retry-after-ms, retry-after, or 0.5 s doubled
 *              at most twice, and never longer than a minute
 *
 * A server that refuses the option which asks for a count of tokens is asked again without it,
 * at once and from then on.
 *
 * These are the rules of the vendors' own programs: two retries, x-should-retry wins, a
 * quarter of the wait is taken off by chance.  Two things differ.  A stream that breaks
 * off is asked for again too, because half a reply is of no use to anybody.  A wait of
 * more than a minute is not begun: the caller gets the error and decides.
 *
 * Waits go through io_sleep_us in short steps, so that they can be cancelled and a test
 * need not wait. */
#include "llm/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "llm/fault.h"

enum {
    REFUSAL_MAX = 64 * 1024, /* bytes of an error's body that are looked at */
    WAIT_STEP_MS = 50,
    BACKOFF_MS = 500,
    BACKOFF_MAX_MS = 8000,
};

typedef struct Attempt {
    Wire *wire;
    const LlmRequest *request;
    HttpAnswer answer;
    Draft draft;
    Sse sse;
    Buf body;      /* of an answer that is no stream */
    bool event;    /* there was one */
    bool option;   /* its refusal names the dialect's option */
    jot_status st; /* what an event decided; JOT_OK: nothing */
    bool retry;
} Attempt;

static void attempt_done(Attempt *a)
{
    http_answer_done(&a->answer);
    draft_done(&a->draft);
    sse_done(&a->sse);
    buf_free(&a->body);
}

DEFINE_AUTO(Attempt, attempt_done)

/* --- One attempt ------------------------------------------------------------------------- */

static bool is_good(const HttpAnswer *a)
{
    return a->status >= 200 && a->status < 300;
}

/* Servers that cannot stream answer with one object. */
static bool is_object(const HttpAnswer *a)
{
    Str type = { 0 };
    return http_answer_header(a, S("content-type"), &type) &&
           str_starts(type, S("application/json"));
}

static jot_status on_event(void *ctx, const SseEvent *event, Err *e)
{
    Attempt *a = ctx;
    a->event = true;
    return a->st = a->wire->dialect->event(&a->draft, event, e);
}

static jot_status on_body(void *ctx, Str bytes, Err *e)
{
    Attempt *a = ctx;
    bool good = is_good(&a->answer);
    if (good && !is_object(&a->answer))
        return sse_feed(&a->sse, bytes, on_event, a, e);
    a->body.max = good ? BUF_MAX_DEFAULT : REFUSAL_MAX;
    /* Of a long refusal the beginning will do; too much of a reply fails as no JSON. */
    buf_add(&a->body, str_slice(bytes, 0, a->body.max - a->body.n));
    return JOT_OK;
}

static bool on_cancelled(void *ctx)
{
    return llm_cancelled(((Attempt *)ctx)->request);
}

/* The connection failed, or a limit was passed. */
static jot_status failed(Attempt *a, jot_status st, Err *e)
{
    /* An event has ended the stream: what it said counts, not that the stream then ended. */
    if (a->st != JOT_OK) {
        a->retry = a->draft.retry;
        return a->st;
    }
    a->retry = st == JOT_UNAVAILABLE;
    /* For callers of llm_ask these two mean something else. */
    if (st == JOT_UNAVAILABLE || st == JOT_TOO_BIG)
        st = e->status = JOT_IO;
    return st;
}

static jot_status receive(Attempt *a, Arena *into, LlmReply *out, Err *e)
{
    if (!is_good(&a->answer)) {
        /* The provider has answered, but not with a reply. */
        Str wish = { 0 }, body = buf_str(&a->body);
        for (size_t i = 0; i < COUNT_OF(a->wire->dialect->option_words); i++) {
            const char *word = a->wire->dialect->option_words[i];
            a->option = a->option || (word && body.n && memmem(body.p, body.n, word, strlen(word)));
        }
        jot_status st = fault_read(a->answer.status, body, buf_str(&a->wire->key), &a->retry, e);
        /* Whether to ask again: what the body means, less a limit without a time where that is the
         * account's, and the server's own word above both. */
        bool timed = http_answer_header(&a->answer, S("retry-after"), &wish) ||
                     http_answer_header(&a->answer, S("retry-after-ms"), &wish);
        if (a->answer.status == 429 && !timed && !a->wire->dialect->bare_429)
            a->retry = false;
        if (http_answer_header(&a->answer, S("x-should-retry"), &wish))
            a->retry = str_eq(wish, S("true")) || (a->retry && !str_eq(wish, S("false")));
        return st;
    }
    if (is_object(&a->answer)) {
        SseEvent whole = { .data = buf_str(&a->body) };
        if (on_event(a, &whole, e) != JOT_OK)
            return failed(a, a->st, e);
    }
    Str type = { 0 };
    Shown shown;
    /* A page, say, at an address that is not the model's: asking again would not change it.  What
     * is called otherwise and holds events all the same is taken. */
    if (!a->event && http_answer_header(&a->answer, S("content-type"), &type) &&
        !str_starts(type, S("text/event-stream")))
        return err_set(e, JOT_INVALID,
                       "the address answers with '%s', not with an event stream: see that it is "
                       "the provider's",
                       err_show(&shown, type));
    jot_status st = draft_finish(&a->draft, into, out, e);
    a->retry = a->draft.retry;
    return st;
}

static jot_status try_once(Attempt *a, Str body, Arena *into, LlmReply *out, Err *e)
{
    Wire *w = a->wire;
    HttpField headers[WIRE_HEADERS + 2] = { { "content-type", S("application/json") },
                                            { "user-agent", S("jotter/" JOT_VERSION) } };
    HttpCall r = { .method = "POST",
                   .url = w->url,
                   .headers = headers,
                   .n_headers = 2 + w->dialect->headers(w, headers + 2),
                   .body = body,
                   .ca_file = w->ca_file,
                   .answer_max = WIRE_STREAM_MAX,
                   .on_body = on_body,
                   .cancelled = on_cancelled,
                   .ctx = a };
    assert(r.n_headers <= COUNT_OF(headers));
    assert(!a->draft.n && !a->draft.stopped); /* each attempt begins with nothing */
    a->draft.request = a->request;
    a->draft.io = w->base.io;
    a->draft.key = buf_str(&w->key);
    a->draft.base = w->base_url;
    jot_status st = http_send(w->http, &r, &a->answer, e);
    /* A server that has said everything may hang up as it likes. */
    bool whole = st == JOT_UNAVAILABLE && is_good(&a->answer) && a->draft.stopped;
    return st == JOT_OK || whole ? receive(a, into, out, e) : failed(a, st, e);
}

/* --- The next attempt -------------------------------------------------------------------- */

/* A number with an optional fraction, times 1000. */
static bool thousandths(Str text, int64_t *out)
{
    uint64_t whole = 0, part = 0;
    Str head = text;
    bool fraction = str_cut(&text, '.', &head);
    if (!str_to_u64(head, UINT32_MAX, &whole))
        return false;
    for (size_t i = 0; i < 3; i++) {
        int digit = fraction && i < text.n ? text.p[i] - '0' : 0;
        if (digit < 0 || digit > 9)
            return false;
        part = part * 10 + (uint64_t)digit;
    }
    *out = (int64_t)(whole * 1000 + part);
    return true;
}

/* As long as the server wishes, else twice as long each time, less up to a quarter by chance. */
static int64_t wait_ms(const Attempt *a, int attempt)
{
    Str wish = { 0 };
    const Io *io = a->wire->base.io;
    int64_t ms = -1;
    if (http_answer_header(&a->answer, S("retry-after-ms"), &wish) && thousandths(wish, &ms))
        ms = ms / 1000 + (ms % 1000 != 0);
    else if (http_answer_header(&a->answer, S("retry-after"), &wish) && !thousandths(wish, &ms)) {
        int64_t then = 0;
        if (http_date(wish, &then))
            ms = then > io_wall_ms(io) ? then - io_wall_ms(io) : 0;
    }
    if (ms >= 0)
        return ms;
    /* By chance, so that many programs that were refused together do not come back together. */
    uint32_t dice = 0;
    ms = BACKOFF_MS * (INT64_C(1) << attempt);
    io_random(io, &dice, sizeof dice);
    if (ms > BACKOFF_MAX_MS)
        ms = BACKOFF_MAX_MS;
    return ms - (int64_t)((uint64_t)(ms / 4) * dice / UINT32_MAX);
}

/* The same request without the option, if it has it.  The first place is the right one: within a
 * text its quotes would be escaped. */
static bool without_option(Str body, const char *option, Buf *to)
{
    const char *at = memmem(body.p, body.n, option, strlen(option));
    if (!at)
        return false;
    to->max = LLM_REQUEST_MAX;
    buf_add(to, (Str){ body.p, (size_t)(at - body.p) });
    buf_add(to, str_from(body, (size_t)(at - body.p) + strlen(option)));
    return true;
}

jot_status wire_ask(Llm *llm, const LlmRequest *r, Str body, Arena *into, LlmReply *out, Err *e)
{
    Wire *w = (Wire *)llm;
    Err own = { 0 };
    Err *err = e ? e : &own;
    AUTO(Buf) plain = { 0 };
    for (int attempt = 0;; attempt++) {
        AUTO(Attempt) a = { .wire = w, .request = r };
        *err = (Err){ 0 };
        jot_status st = try_once(&a, body, into, out, err);
        assert(attempt <= WIRE_RETRIES);
        assert(st == JOT_OK || err->text[0]);
        /* Not counted as an attempt: it can happen once for an address. */
        if (st == JOT_INVALID && a.option && !w->no_option &&
            without_option(body, w->dialect->option, &plain)) {
            w->no_option = true;
            body = buf_str(&plain);
            if (r->on_again)
                r->on_again(r->ctx, 0, err->text);
            attempt--;
            continue;
        }
        if (st == JOT_OK || !a.retry || attempt == WIRE_RETRIES)
            return st;
        int64_t ms = wait_ms(&a, attempt);
        if (ms > WIRE_WAIT_MAX_MS)
            return err_at(err, "not before %lld seconds", (long long)ms / 1000);
        if (r->on_again)
            r->on_again(r->ctx, ms, err->text);
        for (; ms > 0; ms -= WAIT_STEP_MS) {
            if (llm_cancelled(r))
                return err_set(err, JOT_CANCELLED, "cancelled while waiting to ask again");
            io_sleep_us(w->base.io, 1000 * (ms < WAIT_STEP_MS ? ms : WAIT_STEP_MS));
        }
    }
}

jot_status wire_write(Llm *llm, const LlmRequest *request, Buf *to, Err *e)
{
    Wire *w = (Wire *)llm;
    return w->dialect->write(w, request, to, e);
}
