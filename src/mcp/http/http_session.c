/* http_session.c - the old era over HTTP: sessions, and the channels they are heard on.
 *
 *     POST ---> session ---> queue ... answer ---> its channel ---> JSON, if it is there
 *               (by id)                                             within 250 ms, else
 *                                                                   an event stream
 *     GET  ---> channel 0: notifications; or the channel of an event that was seen last
 *
 * A session lives until DELETE.  If nobody has used it for a while, or another needs its
 * place, it is closed, as it is when the server ends: only its id is left.  A client that
 * comes with that id within a day resumes it, and hears that nothing else of it is left.
 *
 * What is sent on a stream is numbered and kept first, and then written to the exchange
 * that reads the channel, if there is one: so a stream that was cut can be resumed. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "mcp/http/headers.h"
#include "mcp/http/http_internal.h"
#include "mcp/server/feed.h"

/* From here on an event stream begins with an event that has an id and nothing else. */
#define PRIMED "2025-11-25"

static void send(void *ctx, uint64_t number, const McpOut *out);

/* --- Sessions ---------------------------------------------------------------------------- */

static McpHttpSession *by_number(McpHttp *h, uint64_t number)
{
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++)
        if (h->sessions[i] && h->sessions[i]->number == number)
            return h->sessions[i];
    return NULL;
}

static McpHttpSession *by_id(McpHttp *h, Str id)
{
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++)
        if (id.n && h->sessions[i] && str_eq(str(h->sessions[i]->id), id))
            return h->sessions[i];
    return NULL;
}

static bool in_use(const McpHttp *h, const McpHttpSession *s)
{
    for (size_t i = 0; i < CHANNELS_MAX; i++)
        if (s->channels.all[i].exchange)
            return true;
    return queue_client_busy(s->client) || mcp_http_reading(h, str(s->id));
}

/* Close a session: streams that are still open end. */
static void end_session(McpHttp *h, size_t place)
{
    McpHttpSession *s = h->sessions[place];
    assert(s);
    h->sessions[place] = NULL;
    for (size_t i = 0; i < CHANNELS_MAX; i++) {
        HttpExchange *x = http_find(h->server, s->channels.all[i].exchange);
        if (x && http_streaming(x))
            http_stream_end(x);
        else if (x)
            http_refuse(x, 404, "the session has ended");
    }
    queue_client_free(s->client);
    channels_done(&s->channels);
    free(s);
}

static void end_this(McpHttp *h, const McpHttpSession *s)
{
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++)
        if (h->sessions[i] == s)
            end_session(h, i);
}

void mcp_http_session_expire(McpHttp *h)
{
    int64_t now = io_awake_ms(h->io);
    int64_t idle_ms = (h->o->idle_s ? h->o->idle_s : MCP_HTTP_IDLE_S) * 1000;
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++) {
        McpHttpSession *s = h->sessions[i];
        if (s && in_use(h, s))
            s->used_ms = now;
        else if (s && now - s->used_ms > idle_ms)
            end_session(h, i);
    }
}

/* A free place, if need be that of the session that has not been used for longest; or none. */
static size_t find_place(McpHttp *h)
{
    size_t best = MCP_HTTP_SESSIONS_MAX;
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++) {
        McpHttpSession *s = h->sessions[i];
        if (!s)
            return i;
        if (in_use(h, s))
            continue;
        if (best == MCP_HTTP_SESSIONS_MAX || s->used_ms < h->sessions[best]->used_ms)
            best = i;
    }
    if (best < MCP_HTTP_SESSIONS_MAX)
        end_session(h, best);
    return best;
}

/* NULL: all places are taken by sessions in use. */
static McpHttpSession *new_session(McpHttp *h, bool resumed)
{
    size_t place = find_place(h);
    if (place == MCP_HTTP_SESSIONS_MAX)
        return NULL;
    McpHttpSession *s = mem_alloc(sizeof *s);
    s->number = ++h->numbers;
    s->client = queue_client_new(h->queue, &(McpSink){ send, h, s->number });
    channels_init(&s->channels, id_random(h->io, 8).text, resumed);
    h->sessions[place] = s;
    return s;
}

/* The session of this id, resumed if it was closed; NULL if there is none, or (*full) no place for
 * it. */
static McpHttpSession *find_or_restore(McpHttp *h, Str id, bool *full)
{
    McpHttpSession *s = by_id(h, id);
    McpIdClaims claims;
    *full = false;
    if (!s && mcp_ids_read(&h->ids, id, &claims) && mcp_version_old(str(claims.version))) {
        s = new_session(h, true);
        *full = !s;
        if (s) {
            snprintf(s->id, sizeof s->id, STR_FMT, STR_ARG(id));
            mcp_session_restore(queue_session(s->client), str(claims.version), str(claims.name));
        }
    }
    if (s)
        s->used_ms = io_awake_ms(h->io);
    return s;
}

/* The id a request names; false if it was refused. */
static bool session_id(HttpExchange *x, Str *out)
{
    const HttpRequest *q = http_request(x);
    *out = http_header(q, "mcp-session-id");
    if (http_header_count(q, "mcp-session-id") == 1)
        return true;
    RpcError why = rpc_error(RPC_INVALID_REQUEST, "send exactly one header 'mcp-session-id'");
    mcp_http_fail(x, 400, (Str){ 0 }, &why);
    return false;
}

static void refuse_unknown(HttpExchange *x)
{
    RpcError why = rpc_error(RPC_INVALID_REQUEST, "unknown session: send initialize without one");
    mcp_http_fail(x, 404, (Str){ 0 }, &why);
}

/* The session a request names, or NULL if it was refused. */
static McpHttpSession *find_session(McpHttp *h, HttpExchange *x)
{
    bool full;
    Str id;
    if (!session_id(x, &id))
        return NULL;
    McpHttpSession *s = find_or_restore(h, id, &full);
    if (full)
        http_refuse(x, 503, "too many sessions");
    else if (!s)
        refuse_unknown(x);
    return s;
}

/* --- Streams ----------------------------------------------------------------------------- */

static void send_event(const McpHttpSession *s, HttpExchange *x, McpChannel *one, uint64_t number,
                       Str text)
{
    McpEventId id = channel_event_id(&s->channels, one, number);
    http_stream_event(x, str(id.text), text);
    if (number > one->sent)
        one->sent = number;
}

/* Make the exchange the one that reads the channel. */
static void attach(McpHttp *h, McpHttpSession *s, McpChannel *one, HttpExchange *x)
{
    /* A client that comes back is quicker than the news that its connection broke: the older
     * exchange makes way. */
    HttpExchange *before = http_find(h->server, one->exchange);
    one->exchange = http_number(x);
    if (before && before != x)
        http_stream_end(before);
    const char *version = mcp_version(queue_session(s->client));
    one->begun = true;
    http_reply_header(x, "Mcp-Session-Id", str(s->id));
    http_stream(x);
    if (version && strcmp(version, PRIMED) >= 0)
        send_event(s, x, one, one->sent, (Str){ 0 });
}

static void begin_stream(void *ctx, HttpExchange *x)
{
    McpHttp *h = ctx;
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++) {
        McpHttpSession *s = h->sessions[i];
        McpChannel *one = s ? channel_read_by(&s->channels, http_number(x)) : NULL;
        if (one && !one->json_only)
            attach(h, s, one, x);
    }
}

/* Send what was kept after an event; the end, if it was the end. */
static void replay(McpHttpSession *s, McpChannel *one, HttpExchange *x, uint64_t number)
{
    for (const McpEvent *e; (e = channel_next(&s->channels, one, number)) != NULL;) {
        number = e->number;
        send_event(s, x, one, number, (Str){ e->text, e->n });
        if (one->exchange == 0)
            return; /* it went in the middle of it */
    }
    if (!one->ended)
        return;
    one->exchange = 0;
    http_stream_end(x);
}

/* --- Answers ----------------------------------------------------------------------------- */

/* The answer as it is, without a stream. */
static void answer_plainly(McpHttp *h, McpHttpSession *s, McpChannel *one, const McpHttpOut *m)
{
    HttpExchange *x = http_find(h->server, one->exchange);
    channel_drop(&s->channels, one);
    if (!x)
        return;   /* it went without the id of an event to come back with */
    if (s->id[0]) /* else initialize has failed, and there is none */
        http_reply_header(x, "Mcp-Session-Id", str(s->id));
    bool unreadable = m->error == RPC_PARSE_ERROR || m->error == RPC_INVALID_REQUEST;
    http_reply(x, m->text.n == 0 ? 202 : unreadable ? 400 : 200, S("application/json"), m->text);
}

static void deliver_event(McpHttp *h, McpHttpSession *s, McpChannel *one, const McpHttpOut *m)
{
    HttpExchange *x = http_find(h->server, one->exchange);
    if (!one->begun && x)
        attach(h, s, one, x);
    one->begun = true;
    one->ended = m->last;
    /* Kept first: a client that loses it on the way asks for it by its number. */
    uint64_t number = m->text.n ? channel_add(&s->channels, one, m->text) : 0;
    if (x && number)
        send_event(s, x, one, number, m->text);
    if (!m->last || one->exchange == 0)
        return;
    one->exchange = 0;
    http_stream_end(x);
}

static void deliver(void *ctx, void *arg)
{
    McpHttp *h = ctx;
    AUTO_PTR(McpHttpOut) m = arg;
    McpHttpSession *s = by_number(h, m->number);
    McpChannel *one = s ? channel_of(&s->channels, m->via) : NULL;
    if (!one)
        return;
    if (m->last && !one->begun)
        answer_plainly(h, s, one, m);
    else if (one->begun || !one->json_only)
        deliver_event(h, s, one, m);
    if (m->last && !mcp_version(queue_session(s->client)))
        end_this(h, s); /* initialize did not come about */
}

static void send(void *ctx, uint64_t number, const McpOut *out)
{
    mcp_http_out_post(ctx, number, out, deliver);
}

bool mcp_http_session_gone(McpHttp *h, uint64_t number)
{
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++) {
        McpChannel *one =
            h->sessions[i] ? channel_read_by(&h->sessions[i]->channels, number) : NULL;
        if (one) {
            one->exchange = 0;
            return true;
        }
    }
    return false;
}

void mcp_http_session_end(McpHttp *h)
{
    for (size_t i = 0; i < MCP_HTTP_SESSIONS_MAX; i++)
        if (h->sessions[i])
            end_session(h, i);
}

/* --- Questions --------------------------------------------------------------------------- */

/* How many requests a message may be; what could not be read may be a batch. */
static size_t requests_in(const RpcMessage *m)
{
    if (m->kind == RPC_REQUEST)
        return 1;
    return m->kind == RPC_NOTIFICATION || m->kind == RPC_RESPONSE ? 0 : RPC_BATCH_MAX;
}

void mcp_http_session_post(McpHttp *h, HttpExchange *x, McpMessage **message)
{
    const HttpRequest *q = http_request(x);
    bool fresh = http_header_count(q, "mcp-session-id") == 0;
    if (queue_room(h->queue) < requests_in(&(*message)->msg)) {
        http_refuse(x, 503, "too many requests are waiting: try again");
        return;
    }
    McpHttpSession *s = fresh ? new_session(h, false) : find_session(h, x);
    if (!s && !fresh)
        return; /* it was refused */
    McpChannel *one = s ? channel_new(&s->channels, http_number(x)) : NULL;
    if (!one) {
        http_refuse(x, 503,
                    s ? "too many requests of this session are waiting" : "too many sessions");
        return;
    }
    s->used_ms = io_awake_ms(h->io);
    one->json_only = !mcp_headers_accepts(q, "text/event-stream");
    McpSession *session = queue_session(s->client);
    http_allow_half_close(x);
    bool answers = queue_take(s->client, TAKE(*message), http_number(x), NULL);
    /* Initialize has agreed on a version by now: it needs no pad, so queue_take has answered it. */
    if (fresh && mcp_version(session))
        mcp_ids_make(&h->ids, mcp_version(session), mcp_client_name_of(session), s->id);
    if (answers) {
        http_wait(x, MCP_HTTP_PATIENCE_MS, begin_stream);
        return;
    }
    channel_drop(&s->channels, one);
    http_reply(x, 202, (Str){ 0 }, (Str){ 0 });
}

void mcp_http_session_post_late(McpHttp *h, const McpLarge *r, McpMessage **message)
{
    /* It was taken from a session, so it is done like any other; its answer is kept for who comes
     * back with the id of an event. */
    bool full, room = queue_room(h->queue) >= requests_in(&(*message)->msg);
    McpHttpSession *s = room ? find_or_restore(h, str(r->session), &full) : NULL;
    McpChannel *one = s ? channel_new(&s->channels, r->number) : NULL;
    if (!one)
        return; /* nobody waits for an answer */
    s->used_ms = io_awake_ms(h->io);
    one->json_only = r->json_only;
    one->exchange = 0;
    if (!queue_take(s->client, TAKE(*message), r->number, NULL))
        channel_drop(&s->channels, one);
}

/* Continue a channel after an event.  Notifications that are no longer kept are made good by saying
 * that anything may have changed. */
static void continue_channel(McpHttp *h, McpHttpSession *s, McpChannel *one, HttpExchange *x,
                             uint64_t number)
{
    bool lost = number < one->dropped;
    one->sent = number;
    attach(h, s, one, x);
    replay(s, one, x, number);
    if (lost)
        mcp_feed_notify_all(mcp_feed(queue_session(s->client)));
}

static void resume(McpHttp *h, McpHttpSession *s, HttpExchange *x, Str last)
{
    uint64_t number;
    McpChannel *one = channel_find(&s->channels, last, &number);
    if (one && (one->via == 0 || number >= one->dropped)) {
        continue_channel(h, s, one, x, number);
        return;
    }
    RpcError why = rpc_error(RPC_INVALID_REQUEST, "the events after this one are no longer kept");
    mcp_http_fail(x, 400, (Str){ 0 }, &why);
}

/* GET and DELETE are the old era's; false if the request was refused. */
static bool check_old(HttpExchange *x)
{
    const HttpRequest *q = http_request(x);
    AUTO(RpcError) why = { 0 };
    if (str_eq(http_header(q, "mcp-protocol-version"), S(MCP_MODERN))) {
        http_reply_header(x, "Allow", S("POST"));
        http_refuse(x, 405, "this revision uses POST only");
        return false;
    }
    if (mcp_headers_check_old(q, &why))
        return true;
    mcp_http_fail(x, 400, (Str){ 0 }, &why);
    return false;
}

void mcp_http_session_get(void *ctx, HttpExchange *x)
{
    McpHttp *h = ctx;
    const HttpRequest *q = http_request(x);
    if (!check_old(x))
        return;
    if (!mcp_headers_accepts(q, "text/event-stream")) {
        http_refuse(x, 406, "accept text/event-stream");
        return;
    }
    McpHttpSession *s = find_session(h, x);
    if (!s)
        return;
    if (http_header_count(q, "last-event-id"))
        resume(h, s, x, http_header(q, "last-event-id"));
    else /* what came while nobody listened comes first */
        continue_channel(h, s, &s->channels.all[0], x, s->channels.all[0].sent);
}

void mcp_http_session_delete(void *ctx, HttpExchange *x)
{
    McpHttp *h = ctx;
    McpIdClaims claims;
    Err e = { 0 };
    if (!check_old(x))
        return;
    Str id;
    if (!session_id(x, &id))
        return;
    McpHttpSession *s = by_id(h, id);
    if (!s && !mcp_ids_read(&h->ids, id, &claims)) {
        refuse_unknown(x);
        return;
    }
    /* Also where it is only an id any more: nobody takes it up again. */
    jot_status st = mcp_ids_end(&h->ids, id, &e);
    if (s)
        end_this(h, s);
    if (st == JOT_OK)
        http_reply(x, 204, (Str){ 0 }, (Str){ 0 });
    else
        http_refuse(x, 500, e.text);
}
