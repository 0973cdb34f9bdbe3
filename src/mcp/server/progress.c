/* progress.c - notifications that belong to a request. */
#include "mcp/server/progress.h"

enum {
    PROGRESS_FIRST = 200, /* names and records before the first word of progress */
    PROGRESS_MS = 100,    /* between two of them */
};

void mcp_request_cancel(McpRequest *r)
{
    __atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
}

bool mcp_request_cancelled(const McpRequest *r)
{
    return __atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE);
}

void mcp_notify(const McpRequest *r, const char *method, json_t *params)
{
    AUTO(Buf) text = { 0 };
    rpc_write_notification(&text, method, params);
    json_decref(params);
    if (!mcp_request_cancelled(r))
        mcp_session_send(r->session, &(McpOut){ .text = buf_str(&text), .via = r->via });
}

static bool report(void *ctx, uint64_t looked_at)
{
    RequestProgress *p = ctx;
    const McpRequest *r = p->request;
    const McpOptions *o = mcp_options(r->session);
    json_t *token = json_object_get(json_object_get(r->msg.params, "_meta"), "progressToken");
    if (mcp_request_cancelled(r))
        return false;
    if (looked_at < p->sent + PROGRESS_FIRST || (!json_is_string(token) && !json_is_integer(token)))
        return true;
    int64_t now = io_awake_ms(o->io ? o->io : &io_system);
    if (p->sent && now < p->sent_ms + PROGRESS_MS)
        return true;
    p->sent = looked_at;
    p->sent_ms = now;
    mcp_notify(r, "notifications/progress",
               json_pack("{s:O, s:I}", "progressToken", token, "progress", (json_int_t)looked_at));
    return true;
}

void request_progress_init(RequestProgress *p, const McpRequest *r)
{
    *p = (RequestProgress){ .request = r };
    p->progress = (MemoryProgress){ .report = report, .ctx = p };
}
