/* session.c - which era a message is of, which method it means, and the methods that need no pad.
 *
 * The table `methods` is the protocol: a row says in which eras a method exists, whether
 * it needs the pad, and whether its results carry hints for caches.  A message becomes a
 * request in three steps, each of which may refuse it: its era, its method, its subject.
 * A refusal is kept in the request, so that everything that is answered goes through
 * mcp_handle.
 *
 * A session's own state is the version and the name that `initialize` agreed on, which
 * only the thread that takes messages touches, and the feed, which has a lock of its own. */
#include "mcp/server/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "mcp/server/author.h"
#include "mcp/server/batch.h"
#include "mcp/server/complete.h"
#include "mcp/server/feed.h"
#include "mcp/server/follow.h"
#include "mcp/server/progress.h"
#include "mcp/server/prompt.h"
#include "mcp/server/resource.h"
#include "mcp/server/tools.h"

#define META "io.modelcontextprotocol/"

enum { BOTH = MCP_ERA_LEGACY | MCP_ERA_MODERN };

struct McpSession {
    const McpOptions *o;
    McpSink sink;
    Follower *follower;
    McpFeed *feed;
    const char *version;         /* what initialize agreed on; NULL: nothing yet */
    char name[STORE_BY_MAX + 1]; /* the client's, likewise; empty: it has none that can sign */
};

typedef struct McpMethod {
    const char *name;
    unsigned eras;
    bool works;  /* needs the pad */
    bool reads;  /* changes nothing */
    bool cached; /* its results say how long they hold */
    McpAnswer *answer;
} McpMethod;

/* Newest first: the first is offered to a client that asks for something else. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

McpSession *mcp_session_new(const McpOptions *o, const McpSink *sink, Follower *follower)
{
    McpSession *s = mem_alloc(sizeof *s);
    s->o = o;
    s->sink = *sink;
    s->follower = follower;
    s->feed = mcp_feed_new(s);
    follower_add(follower, s->feed);
    return s;
}

void mcp_session_free(McpSession *s)
{
    if (!s)
        return;
    follower_remove(s->follower, s->feed);
    mcp_feed_free(s->feed);
    free(s);
}

void mcp_session_send(const McpSession *s, const McpOut *out)
{
    s->sink.send(s->sink.ctx, s->sink.number, out);
}

const McpOptions *mcp_options(const McpSession *s)
{
    return s->o;
}

McpFeed *mcp_feed(const McpSession *s)
{
    return s->feed;
}

const char *mcp_version(const McpSession *s)
{
    return s->version;
}

bool mcp_session_batches(const McpSession *s)
{
    return s->version && strcmp(s->version, "2025-03-26") == 0;
}

void mcp_request_free(McpRequest *r)
{
    if (!r)
        return;
    mcp_batch_leave(r->batch);
    rpc_message_done(&r->msg);
    rpc_error_done(&r->refusal);
    arena_free(&r->arena);
    free(r);
}

/* --- Words of the methods ---------------------------------------------------------------- */

bool mcp_refuse_version(RpcError *why, Str version)
{
    Shown shown;
    rpc_refuse(why, RPC_UNSUPPORTED_VERSION, "unsupported protocol version '%s': use %s",
               err_show(&shown, version), MCP_MODERN);
    why->data = json_pack("{s:[s], s:o}", "supported", MCP_MODERN, "requested", json_text(version));
    return false;
}

bool mcp_fail(const McpRequest *r, const Err *e, RpcError *why)
{
    *why = rpc_error_of(e);
    if (e->status == JOT_NOT_FOUND && r->era == MCP_ERA_LEGACY)
        why->code = RPC_RESOURCE_NOT_FOUND;
    return false;
}

bool mcp_param(const McpRequest *r, const char *name, Str *out, RpcError *why)
{
    const json_t *value = json_object_get(r->msg.params, name);
    *out = json_str(value);
    if (json_is_string(value))
        return true;
    return rpc_refuse(why, RPC_INVALID_PARAMS, "params must have a string '%s'", name);
}

bool mcp_cursor(McpRequest *r, Str *after, RpcError *why)
{
    const json_t *value = json_given(r->msg.params, "cursor");
    Str text = json_str(value);
    *after = (Str){ 0 };
    if (!value || (json_is_string(value) && text.n == 0))
        return true;
    if (json_is_string(value) && base64_read(text, &r->arena, after) &&
        store_check_name(*after, NULL) == JOT_OK)
        return true;
    return rpc_refuse(why, RPC_INVALID_PARAMS, "invalid cursor: use the nextCursor of a page");
}

void mcp_next(json_t *result, Str last)
{
    AUTO(Buf) text = { 0 };
    base64_write(&text, last);
    json_object_set_new(result, "nextCursor", mcp_text(buf_str(&text)));
}

json_t *mcp_text(Str text)
{
    return json_stringn_nocheck(text.n ? text.p : "", text.n);
}

/* --- Who we are -------------------------------------------------------------------------- */

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "jotter", "title", "Jotter", "version",
                     jot_version());
}

static json_t *capabilities(McpEra era)
{
    json_t *c = json_pack("{s:{}, s:{s:b, s:b}, s:{}, s:{}}", "tools", "resources", "subscribe", 1,
                          "listChanged", 1, "prompts", "completions");
    if (era == MCP_ERA_LEGACY)
        json_object_set_new(c, "logging", json_object());
    return c;
}

static const char *find_version(Str wanted)
{
    for (size_t i = 0; i < COUNT_OF(versions); i++)
        if (str_eq(wanted, str(versions[i])))
            return versions[i];
    return NULL;
}

bool mcp_version_old(Str version)
{
    return find_version(version) != NULL;
}

/* The name a client goes by, if records can be signed with it; else empty. */
static Str client_name(const json_t *info)
{
    Str name = author_of_client(json_member(info, "name"));
    return store_check_by(name, NULL) == JOT_OK ? name : (Str){ 0 };
}

/* When to use the tools that this client has. */
static json_t *instructions(const McpSession *s)
{
    AUTO(Buf) text = { 0 };
    tool_teach(&text, s->o->profiles, true);
    return mcp_text(buf_str(&text));
}

Str mcp_client_name_of(const McpSession *s)
{
    return str(s->name);
}

void mcp_session_restore(McpSession *s, Str version, Str name)
{
    s->version = find_version(version);
    if (store_check_by(name, NULL) == JOT_OK)
        snprintf(s->name, sizeof s->name, STR_FMT, STR_ARG(name));
    mcp_feed_restored(s->feed);
}

static bool initialize(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    McpSession *s = r->session;
    Str wanted;
    (void)pad;
    if (!mcp_param(r, "protocolVersion", &wanted, why))
        return false;
    s->version = find_version(wanted);
    if (!s->version)
        s->version = versions[0];
    Str name = client_name(json_object_get(r->msg.params, "clientInfo"));
    snprintf(s->name, sizeof s->name, STR_FMT, STR_ARG(name));
    *result = json_pack("{s:s, s:o, s:o, s:o}", "protocolVersion", s->version, "capabilities",
                        capabilities(MCP_ERA_LEGACY), "serverInfo", server_info(), "instructions",
                        instructions(s));
    return true;
}

static bool discover(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    (void)pad, (void)why;
    *result = json_pack("{s:[s], s:o, s:o}", "supportedVersions", MCP_MODERN, "capabilities",
                        capabilities(MCP_ERA_MODERN), "instructions", instructions(r->session));
    return true;
}

static bool ping(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    (void)r, (void)pad, (void)why;
    *result = json_object();
    return true;
}

/* --- Following --------------------------------------------------------------------------- */

void mcp_follow(const McpRequest *r, WorkerPad *pad)
{
    follower_start(r->session->follower, pad);
}

static bool subscribe(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str uri;
    Err e = { 0 };
    if (!mcp_param(r, "uri", &uri, why))
        return false;
    mcp_follow(r, pad);
    if (mcp_feed_subscribe(r->session->feed, uri, &e) != JOT_OK)
        return mcp_fail(r, &e, why);
    *result = json_object();
    return true;
}

static bool unsubscribe(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str uri;
    (void)pad;
    if (!mcp_param(r, "uri", &uri, why))
        return false;
    mcp_feed_unsubscribe(r->session->feed, uri);
    *result = json_object();
    return true;
}

/* The answer of listen comes when the subscription ends: what is sent now is an acknowledgement. */
static bool listen_to(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Err e = { 0 };
    (void)result;
    const json_t *wanted = json_object_get(r->msg.params, "notifications");
    if (!json_is_object(wanted))
        return rpc_refuse(why, RPC_INVALID_PARAMS, "params must have an object 'notifications'");
    mcp_follow(r, pad);
    if (mcp_feed_listen(r->session->feed, r, wanted, &e) != JOT_OK)
        return mcp_fail(r, &e, why);
    return true;
}

static bool set_level(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str level;
    (void)pad;
    if (!mcp_param(r, "level", &level, why))
        return false;
    if (!mcp_feed_level(r->session->feed, level))
        return rpc_refuse(why, RPC_INVALID_PARAMS,
                          "invalid level: use debug, info, notice, warning, "
                          "error, critical, alert or emergency");
    *result = json_object();
    return true;
}

/* --- The protocol ------------------------------------------------------------------------ */

/* clang-format off */
static const McpMethod methods[] = {
    { "initialize",               MCP_ERA_LEGACY, false, true,  false, initialize },
    { "ping",                     MCP_ERA_LEGACY, false, true,  false, ping },
    { "logging/setLevel",         MCP_ERA_LEGACY, false, false, false, set_level },
    { "resources/subscribe",      MCP_ERA_LEGACY, true,  false, false, subscribe },
    { "resources/unsubscribe",    MCP_ERA_LEGACY, true,  false, false, unsubscribe },
    { "server/discover",          MCP_ERA_MODERN, false, true,  true,  discover },
    { "subscriptions/listen",     MCP_ERA_MODERN, true,  false, false, listen_to },
    { "tools/list",               BOTH,           false, true,  true,  mcp_tools_list },
    { "tools/call",               BOTH,           true,  false, false, mcp_tools_call },
    { "resources/list",           BOTH,           true,  true,  true,  mcp_resources_list },
    { "resources/read",           BOTH,           true,  true,  true,  mcp_resources_read },
    { "resources/templates/list", BOTH,           false, true,  true,  mcp_templates_list },
    { "prompts/list",             BOTH,           false, true,  true,  mcp_prompts_list },
    { "prompts/get",              BOTH,           true,  true,  false, mcp_prompts_get },
    { "completion/complete",      BOTH,           true,  true,  false, mcp_complete },
};
/* clang-format on */

/* What every result of the stateless era says besides what was asked for. */
static void add_common(const McpRequest *r, json_t *result)
{
    if (r->era != MCP_ERA_MODERN)
        return;
    json_object_set_new(result, "resultType", json_string("complete"));
    if (r->method->cached) {
        json_object_set_new(result, "ttlMs", json_integer(0));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    json_object_set_new(result, "_meta", json_pack("{s:o}", META "serverInfo", server_info()));
}

/* --- What a message asks for --------------------------------------------------------------- */

static bool check_modern(const json_t *meta, Str version, RpcError *why)
{
    if (!str_eq(version, S(MCP_MODERN)))
        return mcp_refuse_version(why, version);
    if (!json_is_object(json_object_get(meta, META "clientCapabilities")))
        return rpc_refuse(why, RPC_INVALID_PARAMS, "params._meta must have an object '%s'",
                          META "clientCapabilities");
    const json_t *level = json_given(meta, META "logLevel");
    if (level && !mcp_level_known(json_str(level)))
        return rpc_refuse(why, RPC_INVALID_PARAMS, "params._meta has an unknown value of '%s'",
                          META "logLevel");
    return true;
}

/* The era of a request, from itself: the modern one names its version in every request, the old one
 * agreed on one in the beginning.  Both may come over one connection. */
static bool choose_era(const McpSession *s, McpRequest *r, RpcError *why)
{
    const json_t *meta = json_object_get(r->msg.params, "_meta");
    const json_t *version = json_given(meta, META "protocolVersion");
    if (version) {
        r->era = MCP_ERA_MODERN;
        if (!json_is_string(version))
            return rpc_refuse(why, RPC_INVALID_PARAMS, "params._meta must have a string '%s'",
                              META "protocolVersion");
        return check_modern(meta, json_str(version), why);
    }
    r->era = MCP_ERA_LEGACY;
    bool first = str_eq(r->msg.method, S("initialize")) || str_eq(r->msg.method, S("ping"));
    if (first || s->version)
        return true;
    return rpc_refuse(why, RPC_INVALID_PARAMS,
                      "send initialize first, or name '%s' in params._meta",
                      META "protocolVersion");
}

static bool choose_method(McpRequest *r, RpcError *why)
{
    Shown shown;
    /* It is remembered also where it is of the other era: what is refused has a name. */
    for (size_t i = 0; i < COUNT_OF(methods) && !r->method; i++)
        if (str_eq(r->msg.method, str(methods[i].name)))
            r->method = &methods[i];
    if (r->method && (r->method->eras & r->era))
        return true;
    return rpc_refuse(why, RPC_METHOD_NOT_FOUND, "unknown method '%s'",
                      err_show(&shown, r->msg.method));
}

/* Who signs what this request writes. */
static Str author(const McpSession *s, McpRequest *r)
{
    const json_t *meta = json_object_get(r->msg.params, "_meta");
    if (s->o->by.n)
        return s->o->by;
    Str name = r->era == MCP_ERA_LEGACY ? arena_copy(&r->arena, str(s->name))
                                        : client_name(json_object_get(meta, META "clientInfo"));
    return name.n ? name : s->o->user;
}

/* Its era, its method, its subject. */
static bool choose(McpRequest *r, RpcError *why)
{
    if (r->batch && str_eq(r->msg.method, S("initialize")))
        return rpc_refuse(why, RPC_INVALID_REQUEST, "initialize cannot be sent in a batch");
    if (!choose_era(r->session, r, why) || !choose_method(r, why))
        return false;
    /* A call that can be refused without the pad is, and what it is about decides whom it waits
     * for: one method has as many subjects as there are tools. */
    r->reads = r->method->reads;
    r->by = author(r->session, r);
    return r->method->answer != mcp_tools_call || mcp_tools_scope(r, why);
}

McpRequest *mcp_request_new(McpSession *s, McpMessage *m, McpBatch *batch, uint64_t via)
{
    assert(!m->good || m->msg.kind == RPC_REQUEST);
    McpRequest *r = mem_alloc(sizeof *r);
    *r = (McpRequest){ .session = s, .batch = mcp_batch_join(batch), .via = via };
    r->arena = TAKE(m->arena);
    r->msg = TAKE(m->msg);
    bool meant = m->good && choose(r, &r->refusal);
    if (!m->good || (meant && r->msg.flawed))
        r->refusal = TAKE(m->why);
    r->mendable = meant && r->msg.flawed && r->method->answer == mcp_tools_call;
    assert(r->refusal.code || r->method);
    return r;
}

bool mcp_request_needs_pad(const McpRequest *r)
{
    return !r->refusal.code && r->method->works;
}

/* --- The answer ---------------------------------------------------------------------------- */

/* A part of the call could not be read, so it is not made.  It is answered in words, because most
 * clients show those to their model, which can mend what it wrote. */
static json_t *flawed_call(const RpcError *why)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, "the call was not made: %s", why->text);
    return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                     mcp_text(buf_str(&text)), "isError", 1);
}

/* The method's result or an error; NULL with no error: the answer comes later. */
static json_t *result_of(McpRequest *r, WorkerPad *pad, RpcError *why)
{
    json_t *result = NULL;
    if (r->mendable)
        return flawed_call(&r->refusal);
    if (r->refusal.code)
        *why = TAKE(r->refusal);
    else if (!r->method->answer(r, pad, &result, why))
        json_decref(TAKE(result));
    return result;
}

static void write_error(McpRequest *r, const RpcError *why, Buf *reply)
{
    r->error = why->code;
    buf_clear(reply);
    rpc_write_error(reply, r->msg.id, why);
}

static void write_answer(McpRequest *r, WorkerPad *pad, Buf *reply)
{
    AUTO(RpcError) why = { 0 };
    AUTO_PTR(json_t) result = result_of(r, pad, &why);
    if (result) {
        add_common(r, result);
        rpc_write_result(reply, r->msg.id, result);
    } else if (why.code) {
        write_error(r, &why, reply);
    }
    if (buf_ok(reply))
        return;
    /* Half an answer is none: what was done is done, and the client reads why it cannot see it. */
    rpc_error_done(&why);
    why = rpc_error(status_info(JOT_TOO_BIG)->rpc, "the answer is larger than %d bytes",
                    BUF_MAX_DEFAULT);
    write_error(r, &why, reply);
}

void mcp_handle(McpRequest *r, WorkerPad *pad, Buf *reply)
{
    assert(!pad == !mcp_request_needs_pad(r));
    if (!pad) {
        write_answer(r, NULL, reply);
        return;
    }
    RequestProgress p;
    request_progress_init(&p, r);
    worker_pad_check(pad);
    worker_pad_serve(pad, r->by, r->reads ? &p.progress : NULL); /* only what reads can be ended */
    write_answer(r, pad, reply);
    worker_pad_serve(pad, r->session->o->by, NULL);
}
