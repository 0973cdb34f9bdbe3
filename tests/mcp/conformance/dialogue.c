/* dialogue.c - what only fixtures say: log lines, questions to the client, lists that change.
 *
 * Jotter asks its clients nothing, logs only warnings, and its tools and prompts never
 * change; the suite wants to see all of it.  So what a client sends and what is sent to
 * it pass through here (see wrap.h), and one lock guards what is remembered of it. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conformance/fixtures.h"
#include "conformance/wrap.h"
#include "mcp/server/progress.h"

#define META "io.modelcontextprotocol/"

enum { FEEDS_MAX = 256, ASK_S = 60, LOOK_MS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;

/* --- What a client wants to hear of ------------------------------------------------------- */

/* A log level, or a subscription to lists; free if `feed` is NULL. */
typedef struct Wish {
    McpFeed *feed;
    bool info;           /* lines of the level "info" */
    bool tools, prompts; /* or changes of these lists, */
    char id[64];         /* on this subscription */
    McpSession *session;
    uint64_t via;
} Wish;

static Wish wishes[FEEDS_MAX];

static void remember(const Wish *wish)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FEEDS_MAX; i++)
        if (!wishes[i].feed) {
            wishes[i] = *wish;
            break;
        }
    pthread_mutex_unlock(&lock);
}

static bool has_info(Str level)
{
    return str_eq(level, S("debug")) || str_eq(level, S("info"));
}

bool WRAP(mcp_feed_level)(McpFeed *f, Str level)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FEEDS_MAX; i++)
        if (wishes[i].feed == f && !wishes[i].session)
            wishes[i] = (Wish){ 0 };
    pthread_mutex_unlock(&lock);
    remember(&(Wish){ .feed = f, .info = has_info(level) });
    return REAL(mcp_feed_level)(f, level);
}

void WRAP(mcp_feed_free)(McpFeed *f)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FEEDS_MAX; i++)
        if (f && wishes[i].feed == f)
            wishes[i] = (Wish){ 0 };
    pthread_mutex_unlock(&lock);
    REAL(mcp_feed_free)(f);
}

static _Thread_local const json_t *listening; /* what the subscription asks for */

static bool wants(const json_t *wanted, const char *list)
{
    return json_is_true(json_object_get(wanted, list));
}

jot_status WRAP(mcp_feed_listen)(McpFeed *f, const McpRequest *r, const json_t *wanted, Err *e)
{
    Wish wish = { .feed = f, .session = r->session, .via = r->via };
    wish.tools = wants(wanted, "toolsListChanged");
    wish.prompts = wants(wanted, "promptsListChanged");
    snprintf(wish.id, sizeof wish.id, STR_FMT, STR_ARG(r->msg.id));
    listening = wanted;
    jot_status st = REAL(mcp_feed_listen)(f, r, wanted, e);
    listening = NULL;
    if (st == JOT_OK)
        remember(&wish);
    return st;
}

/* The acknowledgement says that changes of these lists will be told too. */
void WRAP(rpc_write_notification)(Buf *to, const char *method, const json_t *params)
{
    static const char *const lists[] = { "toolsListChanged", "promptsListChanged" };
    json_t *kept = json_object_get(params, "notifications");
    for (size_t i = 0; i < COUNT_OF(lists) && listening && kept; i++)
        if (wants(listening, lists[i]))
            json_object_set_new(kept, lists[i], json_true());
    REAL(rpc_write_notification)(to, method, params);
}

/* Lists can change, and a result may say that something is missing. */
void WRAP(rpc_write_result)(Buf *to, Str id, const json_t *result)
{
    json_t *whole = (json_t *)result, *can = json_object_get(result, "capabilities");
    if (can) {
        json_object_set_new(json_object_get(can, "tools"), "listChanged", json_true());
        json_object_set_new(json_object_get(can, "prompts"), "listChanged", json_true());
    }
    if (json_object_get(result, "inputRequests")) {
        json_object_set_new(whole, "resultType", json_string("input_required"));
        json_object_del(whole, "ttlMs");
        json_object_del(whole, "cacheScope");
    }
    REAL(rpc_write_result)(to, id, result);
}

/* --- Telling ------------------------------------------------------------------------------- */

static void send(McpSession *s, uint64_t via, Str text)
{

    mcp_session_send(s, &(McpOut){ .text = text, .via = via });
}

void fixture_log(const Call *c, const char *text)
{
    const json_t *meta = json_object_get(c->r->msg.params, "_meta");
    bool wanted = has_info(json_str(json_object_get(meta, META "logLevel")));
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FEEDS_MAX && c->r->era == MCP_ERA_LEGACY; i++)
        wanted = wanted || (wishes[i].feed == mcp_feed(c->r->session) && wishes[i].info);
    pthread_mutex_unlock(&lock);
    if (wanted)
        mcp_notify(c->r, "notifications/message",
                   json_pack("{s:s, s:s, s:s}", "level", "info", "logger", "jotter", "data", text));
}

void fixture_progress(const Call *c, int progress, int total)
{
    json_t *token = json_object_get(json_object_get(c->r->msg.params, "_meta"), "progressToken");
    if (token)
        mcp_notify(c->r, "notifications/progress",
                   json_pack("{s:O, s:i, s:i}", "progressToken", token, "progress", progress,
                             "total", total));
}

static void tell_change(const Wish *w, const char *what)
{
    char method[64];
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t)
    params = json_pack("{s:{s:o}}", "_meta", META "subscriptionId", fixture_json(w->id));
    snprintf(method, sizeof method, "notifications/%s/list_changed", what);
    rpc_write_notification(&text, method, params);
    send(w->session, w->via, buf_str(&text));
}

void fixture_list_changed(const char *what)
{
    bool tools = strcmp(what, "tools") == 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FEEDS_MAX; i++) {
        Wish *w = &wishes[i];
        if (w->feed && w->session && !mcp_feed_is_open(w->feed, str(w->id)))
            *w = (Wish){ 0 }; /* the subscription has ended */
        else if (w->feed && (tools ? w->tools : w->prompts))
            tell_change(w, what);
    }
    pthread_mutex_unlock(&lock);
}

/* --- Asking -------------------------------------------------------------------------------- */

/* Lives in the frame of the fixture that waits. */
typedef struct Question {
    uint64_t number;
    bool answered;
    json_t *result; /* NULL: an error */
    struct Question *next;
} Question;

static Question *questions;
static uint64_t numbers;

/* Everything that is read passes here, so that answers are seen. */
McpMessage *WRAP(mcp_message_new)(Str text)
{
    McpMessage *m = REAL(mcp_message_new)(text);
    uint64_t number;
    if (!m->good || m->msg.kind != RPC_RESPONSE || !str_to_u64(m->msg.id, UINT64_MAX, &number))
        return m;
    pthread_mutex_lock(&lock);
    for (Question *q = questions; q; q = q->next)
        if (q->number == number && !q->answered) {
            q->answered = true;
            q->result = json_deep_copy(json_object_get(m->msg.whole, "result"));
        }
    pthread_cond_broadcast(&answered);
    pthread_mutex_unlock(&lock);
    return m;
}

static struct timespec after_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* Until there is an answer, nobody waits for it, or it has taken too long; with the lock held. */
static void await(Question *q, const McpRequest *r)
{
    for (int i = 0; i < ASK_S * 1000 / LOOK_MS; i++) {
        struct timespec until = after_ms(LOOK_MS);
        if (q->answered || mcp_request_cancelled(r))
            break;
        pthread_cond_clockwait(&answered, &lock, CLOCK_MONOTONIC, &until);
    }
    Question **at = &questions;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
}

json_t *fixture_ask(const Call *c, const char *method, json_t *params)
{
    char text[128];
    Question q = { 0 };
    AUTO(Buf) line = { 0 };
    if (c->r->era == MCP_ERA_MODERN) {
        json_decref(params);
        fixture_fail(c, "a server asks nothing in this revision");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    q.number = ++numbers;
    q.next = questions;
    questions = &q;
    pthread_mutex_unlock(&lock);
    AUTO_PTR(json_t)
    message = json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", (json_int_t)q.number,
                        "method", method, "params", params);
    json_write(&line, message);
    send(c->r->session, c->r->via, buf_str(&line));
    pthread_mutex_lock(&lock);
    await(&q, c->r);
    pthread_mutex_unlock(&lock);
    if (q.result)
        return q.result;
    snprintf(text, sizeof text, "the client did not answer '%s'", method);
    fixture_fail(c, text);
    return NULL;
}
