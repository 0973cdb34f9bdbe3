/* notifications.c - notifications of a request, and questions that wait for their answers.
 *
 * Questions of all sessions are in one list under one lock, which is never held
 * while something is sent.  A question lives in the frame of whoever waits. */
#include "mcp/server/notifications.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "mcp/server/feed.h"

#define META "io.modelcontextprotocol/"

enum {
    PROGRESS_FIRST = 200, /* names and records before the first word of progress */
    PROGRESS_MS = 100,    /* between two of them */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;

/* --- Telling ----------------------------------------------------------------------------- */

void mcp_request_cancel(McpRequest *r)
{
    __atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

bool mcp_request_cancelled(const McpRequest *r)
{
    return __atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE);
}

static void send(McpSession *s, const McpRequest *r, Str text)
{
    const McpHooks *hooks = mcp_hooks(s);
    if (!mcp_request_cancelled(r))
        hooks->send(hooks->ctx, &(McpOut){ .text = text, .via = r->via });
}

void mcp_tell(McpSession *s, const McpRequest *r, const char *method, json_t *params)
{
    AUTO(Buf) text = { 0 };
    rpc_write_notification(&text, method, params);
    json_decref(params);
    send(s, r, buf_str(&text));
}

static json_t *meta_of(const McpRequest *r, const char *name)
{
    return json_object_get(json_object_get(r->msg.params, "_meta"), name);
}

bool mcp_progress_wanted(const McpRequest *r)
{
    const json_t *token = meta_of(r, "progressToken");
    return json_is_string(token) || json_is_integer(token);
}

void mcp_progress(McpSession *s, const McpRequest *r, uint64_t progress, uint64_t total)
{
    if (!mcp_progress_wanted(r))
        return;
    json_t *params =
        json_pack("{s:o, s:I}", "progressToken", json_deep_copy(meta_of(r, "progressToken")),
                  "progress", (json_int_t)progress);
    if (total)
        json_object_set_new(params, "total", json_integer((json_int_t)total));
    mcp_tell(s, r, "notifications/progress", params);
}

void mcp_log(McpSession *s, const McpRequest *r, const char *level, const char *text)
{
    Str wanted = json_str(meta_of(r, META "logLevel"));
    bool asked = r->era == MCP_ERA_MODERN ? wanted.n && mcp_level_at_least(str(level), wanted)
                                          : mcp_feed_wants(mcp_feed(s), str(level));
    if (asked)
        mcp_tell(s, r, "notifications/message",
                 json_pack("{s:s, s:s, s:s}", "level", level, "logger", "jotter", "data", text));
}

/* --- Asking ------------------------------------------------------------------------------ */

typedef struct Question {
    const McpSession *session;
    uint64_t number;
    bool answered;
    json_t *result; /* NULL: an error */
    struct Question *next;
} Question;

static Question *questions;
static uint64_t numbers;

static void add_question(Question *q)
{
    pthread_mutex_lock(&lock);
    q->number = ++numbers;
    q->next = questions;
    questions = q;
    pthread_mutex_unlock(&lock);
}

static void send_question(McpSession *s, const McpRequest *r, const Question *q, const char *method,
                          json_t *params)
{
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t)
    message = json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", (json_int_t)q->number,
                        "method", method, "params", params);
    json_write(&text, message);
    send(s, r, buf_str(&text));
}

/* Wait, then take the question out of the list. */
static void await(Question *q, const McpRequest *r)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until); /* which nobody sets */
    until.tv_sec += MCP_ASK_MS / 1000;
    pthread_mutex_lock(&lock);
    while (!q->answered && !mcp_request_cancelled(r) &&
           pthread_cond_clockwait(&moved, &lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        ;
    Question **at = &questions;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    pthread_mutex_unlock(&lock);
}

jot_status mcp_ask(McpSession *s, const McpRequest *r, const char *method, json_t *params,
                   json_t **out, Err *e)
{
    Question q = { .session = s };
    if (r->era == MCP_ERA_MODERN) {
        json_decref(params);
        return err_set(e, JOT_UNSUPPORTED, "a server asks nothing in this revision");
    }
    add_question(&q);
    send_question(s, r, &q, method, params);
    await(&q, r);
    *out = q.result;
    if (q.result)
        return JOT_OK;
    if (mcp_request_cancelled(r))
        return err_set(e, JOT_CANCELLED, "the request was cancelled");
    return err_set(e, JOT_UNAVAILABLE, "the client did not answer '%s'", method);
}

void mcp_answered(McpSession *s, const RpcMessage *m)
{
    uint64_t number;
    if (!str_to_u64(m->id, UINT64_MAX, &number))
        return; /* none of ours */
    pthread_mutex_lock(&lock);
    for (Question *q = questions; q; q = q->next)
        if (q->session == s && q->number == number && !q->answered) {
            q->answered = true;
            q->result = json_deep_copy(json_object_get(m->whole, "result"));
        }
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

/* --- Interest ---------------------------------------------------------------------------- */

static bool go_on(void *ctx, uint64_t looked_at)
{
    RequestInterest *p = ctx;
    const McpOptions *o = mcp_options(p->session);
    if (mcp_request_cancelled(p->request))
        return false;
    if (looked_at < p->told + PROGRESS_FIRST || !mcp_progress_wanted(p->request))
        return true;
    int64_t now = io_awake_ms(o->io ? o->io : &io_system);
    if (p->told && now < p->told_ms + PROGRESS_MS)
        return true;
    p->told = looked_at;
    p->told_ms = now;
    mcp_progress(p->session, p->request, looked_at, 0);
    return true;
}

void request_interest_init(RequestInterest *p, McpSession *s, const McpRequest *r)
{
    *p = (RequestInterest){ .session = s, .request = r };
    p->progress = (MemoryProgress){ .report = go_on, .ctx = p };
}
