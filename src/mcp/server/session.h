/* session.h - McpSession, one client's conversation, and McpRequest, one request of it.
 *
 * Both eras of MCP are spoken, and each message says which it is of: one whose
 * params._meta names a protocol version is of the stateless era (2026-07-28) and is
 * answered from itself alone; any other belongs to the conversation that
 * `initialize` began (2024-11-05 to 2025-11-25).
 *
 * A request takes one way down, and its answer one way out:
 *
 *      transport           queue                 session            pad
 *     pipe, http
 *      a message ------> queue_take ----> mcp_request_new
 *                            |             what is asked for,
 *                            |             or why it is refused
 *                        waits its turn
 *                            |
 *                        queue_run -----> mcp_handle -------> tools, resources ...
 *                            |
 *      writes it <-------- McpSink
 *
 * A session knows no transport and no queue.  All that it has of them is its sink, which takes
 * what goes to the client: answers, progress, and notifications of what changed. */
#ifndef MCP_SERVER_SESSION_H
#define MCP_SERVER_SESSION_H

#include "mcp/protocol/message.h"
#include "tool/worker_pad.h"

#define MCP_MODERN "2026-07-28"

typedef PadOptions McpOptions;

enum {
    MCP_PAGE = 100,       /* names on a page of a list */
    MCP_LISTENS_MAX = 64, /* subscriptions/listen at one time */
    MCP_URIS_MAX = 1000,  /* resources one client may follow */
};

typedef enum McpEra { MCP_ERA_LEGACY = 1, MCP_ERA_MODERN = 2 } McpEra;

/* One message to the client. */
typedef struct McpOut {
    Str text;     /* without a line break; empty: there is no answer, because it was cancelled */
    uint64_t via; /* of the request it belongs to; 0: it belongs to none */
    bool last;    /* the answer: nothing else belongs to that request */
    int error;    /* the code of an answer that is an error; else 0 */
} McpOut;

/* Where messages to the client go; the transport's.  `send` is called from any thread. */
typedef struct McpSink {
    void (*send)(void *ctx, uint64_t number, const McpOut *out);
    void *ctx;
    uint64_t number; /* which client, for a transport that has many */
} McpSink;

/* --- Sessions ---------------------------------------------------------------------------- */

typedef struct McpSession McpSession;
struct Follower;
struct McpFeed;

/* `o` and `follower` must outlive it.  Never NULL. */
McpSession *mcp_session_new(const McpOptions *o, const McpSink *sink, struct Follower *follower);
void mcp_session_free(McpSession *s); /* NULL is fine */

/* May be called from any thread. */
void mcp_session_send(const McpSession *s, const McpOut *out);
const McpOptions *mcp_options(const McpSession *s);
struct McpFeed *mcp_feed(const McpSession *s);

/* The rest is for the thread that takes the client's messages. */

/* The revision that initialize agreed on; NULL: nothing yet. */
const char *mcp_version(const McpSession *s);
/* The name the client gave itself there; empty: none that records can be signed with. */
Str mcp_client_name_of(const McpSession *s);
/* True if its revision has batches: one of them does, and demands them. */
bool mcp_session_batches(const McpSession *s);
/* Continue a conversation that initialize began before this process did.  `version` is an old
 * one.  The client hears what was lost. */
void mcp_session_restore(McpSession *s, Str version, Str name);
/* True for a revision of the protocol that begins with initialize. */
bool mcp_version_old(Str version);

/* --- Requests ---------------------------------------------------------------------------- */

typedef struct McpRequest {
    McpSession *session;
    const struct McpMethod *method; /* NULL only if it is refused */
    McpEra era;
    RpcMessage msg;
    Arena arena;            /* of the message's bytes and of the answer */
    uint64_t via;           /* the transport's word for where it came from */
    RpcError refusal;       /* its code is not 0: this is the answer */
    bool mendable;          /* a call with a part that could not be read: a model can mend that */
    int error;              /* the code of its answer, if that is an error */
    Str by;                 /* the author of what it writes: the client's name, or the option's */
    Str subject;            /* requests about the same one run in order, no matter who sent them */
    bool alone;             /* it is about nothing else: need not wait for others of its client */
    bool reads;             /* changes nothing: may run beside others that do not, and be ended */
    bool cancelled;         /* nobody waits for it: see progress.h */
    struct McpBatch *batch; /* what it came in with; NULL: it came alone */
} McpRequest;

/* What a message asks for.  Takes the message's parts, whose owner only frees the rest; it is no
 * notification.  What can be refused without the pad is, by `refusal`.  For the thread that takes
 * the client's messages.  Never NULL. */
McpRequest *mcp_request_new(McpSession *s, McpMessage *m, struct McpBatch *batch, uint64_t via);
/* One that has not been answered never will be.  NULL is fine. */
void mcp_request_free(McpRequest *r);
DEFINE_AUTO_PTR(McpRequest, mcp_request_free)

/* True if mcp_handle must be given a pad, and so belongs on a thread that may take its time. */
bool mcp_request_needs_pad(const McpRequest *r);

/* Do what is asked and write the answer; nothing is written if there is none yet, as for
 * subscriptions/listen.  `pad` is NULL for a request that needs none: then on the thread that takes
 * the client's messages. */
void mcp_handle(McpRequest *r, WorkerPad *pad, Buf *reply);

/* --- For the methods ----------------------------------------------------------------------- */

/* Fill *result (the caller owns it) or *why.  `pad` is NULL for methods that need none. */
typedef bool McpAnswer(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why);

/* The status's error, or its old form for what was not found. */
bool mcp_fail(const McpRequest *r, const Err *e, RpcError *why);
/* For the stateless era: the only version it has is another one. */
bool mcp_refuse_version(RpcError *why, Str version);
/* A string of params that must be there. */
bool mcp_param(const McpRequest *r, const char *name, Str *out, RpcError *why);
/* The name after which a page begins, from params.cursor; empty: the first page. */
bool mcp_cursor(McpRequest *r, Str *after, RpcError *why);
/* Say where the next page begins. */
void mcp_next(json_t *result, Str last);
/* A JSON string of text known to be UTF-8; the caller owns it. */
json_t *mcp_text(Str text);

/* From now on the client may want to know what changes: returns when no change is missed. */
void mcp_follow(const McpRequest *r, WorkerPad *pad);

#endif
