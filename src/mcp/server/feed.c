/* feed.c - subscriptions, and notifications made from what a watch sees.
 *
 * listens[0] is the old era's and always there; each subscriptions/listen adds one.  A
 * change is compared with all that each of them follows:
 *
 *     Change (stream) ---> listens[0]: uri, uri, list      ---> updated, list_changed
 *                          listens[1]: uri, ...   (id "a")  ---> the same, with the id
 *
 * A subscription is acknowledged and notified under the same lock, so no notification comes
 * before its acknowledgement or after its end.  Sending takes a lock of the transport,
 * which never takes this one: there is one order. */
#include "mcp/server/feed.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/server/progress.h"
#include "mcp/server/resource.h"

#define SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

static const char *const levels[] = { "debug", "info",     "notice", "warning",
                                      "error", "critical", "alert",  "emergency" };
enum { LEVEL_WARNING = 3, LEVEL_NONE = COUNT_OF(levels) };

typedef struct Followed {
    Str uri;    /* as the client wrote it */
    Str stream; /* what it means */
} Followed;

/* The first one is the old era's and has no id; it is there for as long as the feed. */
typedef struct Listen {
    Str id;
    uint64_t via;
    bool list; /* wants to know when the list of resources changes */
    Followed *followed;
    size_t n, cap;
} Listen;

struct McpFeed {
    pthread_mutex_t lock;
    const McpSession *session;
    Listen listens[MCP_LISTENS_MAX + 1];
    size_t n;
    size_t level;
};

static Str own(Str s)
{
    char *p = mem_alloc(s.n + 1);
    memcpy(p, s.p, s.n);
    return (Str){ p, s.n };
}

static void disown(Str s)
{
    free((char *)s.p);
}

McpFeed *mcp_feed_new(const McpSession *s)
{
    McpFeed *f = mem_alloc(sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    f->session = s;
    f->n = 1;
    f->level = LEVEL_NONE;
    return f;
}

static void drop_followed(Listen *l, size_t i)
{
    assert(i < l->n);
    disown(l->followed[i].uri);
    disown(l->followed[i].stream);
    l->followed[i] = l->followed[--l->n];
}

static void drop_listen(McpFeed *f, size_t i)
{
    assert(i < f->n);
    Listen *l = &f->listens[i];
    while (l->n)
        drop_followed(l, l->n - 1);
    free(l->followed);
    disown(l->id);
    *l = f->listens[--f->n];
    f->listens[f->n] = (Listen){ 0 };
}

void mcp_feed_free(McpFeed *f)
{
    if (!f)
        return;
    while (f->n)
        drop_listen(f, f->n - 1);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* --- What is wanted ---------------------------------------------------------------------- */

static jot_status follow(Listen *l, Str uri, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ResourceRef ref;
    TRY(resource_parse(uri, &arena, &ref, e));
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->followed[i].uri, uri))
            return JOT_OK; /* twice is once: it is unsubscribed from once, too */
    if (l->n == MCP_URIS_MAX)
        return err_set(e, JOT_TOO_BIG, "at most %d resources can be subscribed to", MCP_URIS_MAX);
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 8;
        l->followed = mem_grow(l->followed, l->cap * sizeof *l->followed);
    }
    l->followed[l->n++] = (Followed){ own(uri), own(ref.stream) };
    return JOT_OK;
}

jot_status mcp_feed_subscribe(McpFeed *f, Str uri, Err *e)
{
    pthread_mutex_lock(&f->lock);
    jot_status st = follow(&f->listens[0], uri, e);
    pthread_mutex_unlock(&f->lock);
    return st;
}

void mcp_feed_unsubscribe(McpFeed *f, Str uri)
{
    pthread_mutex_lock(&f->lock);
    Listen *l = &f->listens[0];
    for (size_t i = l->n; i > 0; i--)
        if (str_eq(l->followed[i - 1].uri, uri))
            drop_followed(l, i - 1);
    pthread_mutex_unlock(&f->lock);
}

void mcp_feed_follow_list(McpFeed *f)
{
    pthread_mutex_lock(&f->lock);
    f->listens[0].list = true;
    pthread_mutex_unlock(&f->lock);
}

/* The subscription of this id; f->n: there is none. */
static size_t find(const McpFeed *f, Str id)
{
    size_t i = 1;
    assert(f->n > 0 && f->n <= COUNT_OF(f->listens));
    while (i < f->n && !rpc_id_same(f->listens[i].id, id))
        i++;
    return i;
}

bool mcp_feed_is_open(McpFeed *f, Str id)
{
    pthread_mutex_lock(&f->lock);
    bool busy = find(f, id) < f->n;
    pthread_mutex_unlock(&f->lock);
    return busy;
}

bool mcp_feed_cancel(McpFeed *f, Str id)
{
    pthread_mutex_lock(&f->lock);
    size_t i = find(f, id);
    bool found = i < f->n;
    if (found)
        drop_listen(f, i);
    pthread_mutex_unlock(&f->lock);
    return found;
}

static size_t level_of(Str level)
{
    size_t i = 0;
    while (i < COUNT_OF(levels) && !str_eq(level, str(levels[i])))
        i++;
    return i;
}

bool mcp_level_known(Str level)
{
    return level_of(level) < LEVEL_NONE;
}

bool mcp_feed_level(McpFeed *f, Str level)
{
    if (!mcp_level_known(level))
        return false;
    pthread_mutex_lock(&f->lock);
    f->level = level_of(level);
    pthread_mutex_unlock(&f->lock);
    return true;
}

/* --- Saying it --------------------------------------------------------------------------- */

static json_t *id_value(Str id)
{
    json_t *value = NULL;
    return json_read(id, &value, NULL) == JOT_OK ? value : json_null();
}

/* Takes the reference to `params`. */
static void notify(McpFeed *f, const Listen *l, const char *method, json_t *params)
{
    AUTO(Buf) text = { 0 };
    assert(!l->id.n == (l == &f->listens[0]));
    if (l->id.n)
        json_object_set_new(params, "_meta", json_pack("{s:o}", SUBSCRIPTION, id_value(l->id)));
    rpc_write_notification(&text, method, json_object_size(params) ? params : NULL);
    json_decref(params);
    mcp_session_send(f->session, &(McpOut){ buf_str(&text), l->via, false, 0 });
}

/* Take what the client wants into `l`; what of it will be sent, which the acknowledgement says. */
static json_t *honour(Listen *l, const json_t *wanted, Err *e)
{
    assert(l->id.n && !l->n);
    AUTO_PTR(json_t) kept = json_object();
    const json_t *uris = json_given(wanted, "resourceSubscriptions");
    l->list = json_is_true(json_object_get(wanted, "resourcesListChanged"));
    if (l->list)
        json_object_set_new(kept, "resourcesListChanged", json_true());
    if (uris)
        json_object_set_new(kept, "resourceSubscriptions", json_array());
    for (size_t i = 0; i < json_array_size(uris); i++) {
        json_t *uri = json_array_get(uris, i);
        jot_status st = follow(l, json_str(uri), e);
        if (st == JOT_TOO_BIG)
            return NULL;
        if (st == JOT_OK) /* what is no address of ours is not honoured */
            json_array_append(json_object_get(kept, "resourceSubscriptions"), uri);
    }
    return TAKE(kept);
}

static jot_status listen_locked(McpFeed *f, const McpRequest *r, const json_t *wanted, Err *e)
{
    if (mcp_request_cancelled(r))
        return err_set(e, JOT_CANCELLED, "the request was cancelled");
    if (f->n > MCP_LISTENS_MAX)
        return err_set(e, JOT_TOO_BIG, "at most %d subscriptions can be open", MCP_LISTENS_MAX);
    Listen *l = &f->listens[f->n++];
    l->id = own(r->msg.id);
    l->via = r->via;
    json_t *kept = honour(l, wanted, e);
    if (!kept) {
        drop_listen(f, f->n - 1);
        return e ? e->status : JOT_TOO_BIG;
    }
    notify(f, l, "notifications/subscriptions/acknowledged",
           json_pack("{s:o}", "notifications", kept));
    return JOT_OK;
}

jot_status mcp_feed_listen(McpFeed *f, const McpRequest *r, const json_t *wanted, Err *e)
{
    pthread_mutex_lock(&f->lock);
    jot_status st = listen_locked(f, r, wanted, e);
    pthread_mutex_unlock(&f->lock);
    return st;
}

void mcp_feed_end(McpFeed *f)
{
    pthread_mutex_lock(&f->lock);
    while (f->n > 1) {
        AUTO(Buf) text = { 0 };
        const Listen *l = &f->listens[f->n - 1];
        AUTO_PTR(json_t)
        result = json_pack("{s:s, s:{s:o}}", "resultType", "complete", "_meta", SUBSCRIPTION,
                           id_value(l->id));
        rpc_write_result(&text, l->id, result);
        mcp_session_send(f->session, &(McpOut){ buf_str(&text), l->via, true, 0 });
        drop_listen(f, f->n - 1);
    }
    pthread_mutex_unlock(&f->lock);
}

/* --- Notifications ----------------------------------------------------------------------- */

static void notify_updated(McpFeed *f, const Listen *l, Str stream, bool any)
{
    for (size_t i = 0; i < l->n; i++)
        if (any || str_eq(l->followed[i].stream, stream))
            notify(f, l, "notifications/resources/updated",
                   json_pack("{s:o}", "uri", mcp_text(l->followed[i].uri)));
}

void mcp_feed_notify(McpFeed *f, const Change *changes, size_t n)
{
    bool list = false; /* one came or went */
    for (size_t i = 0; i < n && !list; i++)
        list = resource_is(changes[i].stream) && changes[i].relisted;
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        const Listen *l = &f->listens[i];
        for (size_t k = 0; k < n; k++)
            notify_updated(f, l, changes[k].stream, false);
        if (list && l->list)
            notify(f, l, "notifications/resources/list_changed", json_object());
    }
    pthread_mutex_unlock(&f->lock);
}

void mcp_feed_notify_all(McpFeed *f)
{
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        const Listen *l = &f->listens[i];
        notify_updated(f, l, (Str){ 0 }, true);
        if (l->list)
            notify(f, l, "notifications/resources/list_changed", json_object());
    }
    pthread_mutex_unlock(&f->lock);
}

static void notify_warning(McpFeed *f, const char *text)
{
    notify(f, &f->listens[0], "notifications/message",
           json_pack("{s:s, s:s, s:o}", "level", levels[LEVEL_WARNING], "logger", "jotter", "data",
                     mcp_text(str(text))));
}

void mcp_feed_warn(McpFeed *f, const char *text)
{
    pthread_mutex_lock(&f->lock);
    if (f->level <= LEVEL_WARNING)
        notify_warning(f, text);
    pthread_mutex_unlock(&f->lock);
}

/* Which levels it wanted is forgotten too, so this is sent in any case. */
void mcp_feed_restored(McpFeed *f)
{
    pthread_mutex_lock(&f->lock);
    notify_warning(f, "this session was resumed after a restart or a long pause: its subscriptions "
                      "and log level are gone, and so are leases that ended with the server's "
                      "process; subscribe again, and acquire again what you still need");
    notify(f, &f->listens[0], "notifications/resources/list_changed", json_object());
    pthread_mutex_unlock(&f->lock);
}
