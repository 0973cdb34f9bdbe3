/* http_id.h - McpIds, the ids of sessions over HTTP, which outlive the server that gave them.
 *
 * Many clients take "404: unknown session" for the end of the server, although the
 * protocol says that it is the beginning of a new session: a server that is restarted
 * would be lost for them.  So an id says itself what a session must know, and proves that
 * we said it:
 *
 *     1.EXPIRES.VERSION.NONCE.NAME.MAC
 *
 * EXPIRES is a time (24 h after the session began, in seconds), VERSION the revision of
 * the protocol, NAME the client's in base64, and MAC an HMAC over all of this, the hash of
 * the token the client must hold, and the pad.  The key is the user's secret in the state
 * directory.  A client that comes with such an id and the token resumes its session.
 *
 * A session that its client has ended (DELETE) stays ended: its MAC stands in a file
 * beside the secret until it expires.  If there are too many of those, all ids that were
 * given so far end with them. */
#ifndef MCP_HTTP_HTTP_ID_H
#define MCP_HTTP_HTTP_ID_H

#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"
#include "memory/memory.h"

enum {
    MCP_ID_MAX = 320,           /* bytes of an id */
    MCP_ID_LASTS_S = 24 * 3600, /* how long it can be resumed */
    MCP_IDS_ENDED_MAX = 10000,  /* ids that are known to have ended */
};

typedef struct McpIds {
    const Io *io;
    Hash key;
    Hash token;      /* of the guard; zero: none is asked for */
    Str pad;         /* its URL */
    bool persistent; /* the key and what has ended lie in the state directory */
    char *ended;     /* else only here; owned */
} McpIds;

/* What an id stands for. */
typedef struct McpIdClaims {
    char version[16];
    char name[STORE_BY_MAX + 1];
} McpIdClaims;

/* `out` lasts as long as the process.  Fails if the state directory cannot be used: then the ids
 * are good for this process alone, and `out` can be used all the same. */
MUST_USE jot_status mcp_ids_open(McpIds *out, const Io *io, Hash token, Str pad, Err *e);

/* A new id. */
void mcp_ids_make(McpIds *ids, const char *version, Str name, char out[MCP_ID_MAX + 1]);
/* True if it is one of ours that neither expired nor was ended. */
bool mcp_ids_read(McpIds *ids, Str id, McpIdClaims *out);
/* It is never resumed, not even after a restart.  Fails if that cannot be stored. */
MUST_USE jot_status mcp_ids_end(McpIds *ids, Str id, Err *e);

#endif
