/* session.h - McpSession, one client and what it was promised.
 *
 * Both eras of MCP are spoken, and each message says which it is of: one whose
 * params._meta names a protocol version is of the stateless era (2026-07-28) and is
 * answered from itself alone; any other belongs to the conversation that
 * `initialize` began (2024-11-05 to 2025-11-25).
 *
 * A session knows no transport.  It takes messages on one thread, answers at once
 * what needs no pad, and hands back the rest as requests, which a transport runs
 * on threads of its own, each with its own pad.  Nothing opens the pad before the
 * first such request. */
#ifndef MCP_SERVER_SESSION_H
#define MCP_SERVER_SESSION_H

#include "mcp/protocol/message.h"
#include "memory/memory.h"
#include "tool/tool.h"

#define MCP_MODERN "2026-07-28"

enum {
    MCP_PAGE = 100,       /* names on a page of a list */
    MCP_LISTENS_MAX = 64, /* subscriptions/listen at one time */
    MCP_URIS_MAX = 1000,  /* resources one client may follow */
};

typedef enum McpEra { MCP_ERA_LEGACY = 1, MCP_ERA_MODERN = 2 } McpEra;

/* The pad, and how it is used; must outlive the session. */
typedef struct McpOptions {
    Str url;
    const char *found;     /* as in Where: nobody named it */
    Str by;                /* the author; empty: each client by its own name, */
    Str user;              /* or, if it has none, this */
    uint64_t lease;        /* the token to write under; 0: none */
    unsigned profiles;     /* of tools; 0: the default */
    MemoryDialect dialect; /* of the memory tool */
    const Io *io;          /* NULL: the system */
} McpOptions;

typedef struct McpSession McpSession;
typedef struct WorkerPad WorkerPad;
typedef struct McpRequest McpRequest;

/* One message on its way out. */
typedef struct McpOut {
    Str text;     /* without a line break; empty: there is no answer, because it was cancelled */
    uint64_t via; /* what mcp_take was told of the message it belongs to; 0: nobody asked for it */
    bool last;    /* the answer: nothing else belongs to that message */
    int error;    /* the code of an answer that is an error; 0: it is none */
} McpOut;

/* What a transport does for its session.  All of it may be called from any thread. */
typedef struct McpHooks {
    void (*send)(void *ctx, const McpOut *out);
    bool (*busy)(void *ctx, Str id);   /* a request of this id has not been answered yet */
    void (*cancel)(void *ctx, Str id); /* nobody waits for this one any more */
    /* Run this some time, as below; the transport owns it now.  Called by mcp_take only. */
    void (*work)(void *ctx, McpRequest *r);
    /* From now on somebody wants to know what changes; returns when no change is missed any more.
     * Called by whoever works at this pad. */
    void (*follow)(void *ctx, WorkerPad *pad);
    void *ctx;
} McpHooks;

McpSession *mcp_session_new(const McpOptions *o, const McpHooks *hooks); /* never NULL */
void mcp_session_free(McpSession *s);                                    /* NULL is fine */
DEFINE_AUTO_PTR(McpSession, mcp_session_free)

/* --- A pad of one's own ------------------------------------------------------------------ */

/* A worker's open pad.  Belongs to one thread. */
struct WorkerPad {
    const McpOptions *o;
    bool *had; /* there was a pad, for any pad of this server; atomic */
    Memory memory;
    ToolHost host;
    MemoryProgress *progress; /* of who waits for what is done now; NULL: endless */
    Str by;                   /* who asked for it */
};

/* `had` is shared by all pads of a server, and outlives them. */
void worker_pad_init(WorkerPad *d, const McpOptions *o, bool *had);
void worker_pad_done(WorkerPad *d);
/* Let go of a pad that was moved, replaced or removed: the next request opens what is there then.
 */
void worker_pad_check(WorkerPad *d);
/* Whose request is done next at this pad, and who waits for it. */
void worker_pad_serve(WorkerPad *d, Str by, MemoryProgress *progress);
/* JOT_NOT_FOUND: there is no pad yet, and it was not to be made.  JOT_UNAVAILABLE: there was one,
 * and it is gone: whatever a client knows of it, "empty" would be the wrong answer, and to make
 * another is not for it to decide. */
MUST_USE jot_status worker_pad_open(WorkerPad *d, bool create, Memory **out, Err *e);

/* --- Requests ---------------------------------------------------------------------------- */

struct McpRequest {
    McpSession *session;
    const struct McpMethod *method;
    McpEra era;
    RpcMessage msg;
    Arena arena;            /* of the message's bytes and of the answer */
    uint64_t via;           /* the transport's word for where it came from */
    int error;              /* the code of its answer, if that is an error */
    Str by;                 /* the author of what it writes: the client's name, or the option's */
    Str subject;            /* requests of the same one run in order, whoever sent them */
    bool alone;             /* it is about nothing else: need not wait for others of its client */
    bool reads;             /* changes nothing: may run beside others that do not, and be ended */
    bool cancelled;         /* nobody waits for it: see progress.h */
    struct McpBatch *batch; /* what it came in with; NULL: it came alone */
};

/* One that has not been answered never will be.  NULL is fine. */
void mcp_request_free(McpRequest *r);
DEFINE_AUTO_PTR(McpRequest, mcp_request_free)

/* Take one message, or a batch of them where the conversation allows that.  What can be answered is
 * answered through the hooks; what needs the pad is handed to the work hook.  `via` comes back with
 * everything that belongs to it.  False: there is nothing to answer, now or later. */
bool mcp_take(McpSession *s, Str text, uint64_t via);
/* The same with one that has been read, which the session owns now. */
bool mcp_take_read(McpSession *s, McpMessage *taken, uint64_t via);

/* Tell the client that a message was too long to be read; `id` is its id, if that was found. */
void mcp_refuse_long(McpSession *s, Str id);

/* Do what was asked; the answer goes to `to` and, if anybody still waits for it, from there to
 * mcp_deliver. */
void mcp_work(McpRequest *r, WorkerPad *pad, Buf *to);
void mcp_deliver(McpSession *s, McpRequest *r, Str reply);
/* Instead of both: nobody waits for it. */
void mcp_drop(McpSession *s, McpRequest *r);

/* --- For the methods ----------------------------------------------------------------------- */

/* Fill *result (the caller owns it) or *why.  `pad` is NULL for what is answered at once. */
typedef bool McpAnswer(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why);

/* The status's error, or its old form for what was not found. */
bool mcp_fail(const McpRequest *r, const Err *e, RpcError *why);
bool mcp_refuse(RpcError *why, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A string of params that must be there. */
bool mcp_param(const McpRequest *r, const char *name, Str *out, RpcError *why);
/* The name a page begins behind, from params.cursor; empty: the first page. */
bool mcp_cursor(McpRequest *r, Str *after, RpcError *why);
/* Say where the next page begins. */
void mcp_next(json_t *result, Str last);
/* A JSON string of text known to be UTF-8; the caller owns it. */
json_t *mcp_text(Str text);

const McpOptions *mcp_options(const McpSession *s);
/* What initialize agreed on; NULL: nothing yet.  For the thread that takes messages, as the next
 * two. */
const char *mcp_version(const McpSession *s);
/* The name the client gave itself there; empty: none that can sign. */
Str mcp_clients_name(const McpSession *s);
/* Go on with a conversation that initialize began before this process did.  `version` is an old
 * one.  The client is told what was lost. */
void mcp_session_restore(McpSession *s, Str version, Str name);
/* True for a revision of the protocol that begins with initialize. */
bool mcp_version_old(Str version);
const McpHooks *mcp_hooks(const McpSession *s);
struct McpFeed *mcp_feed(McpSession *s);

#endif
