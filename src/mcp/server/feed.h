/* feed.h - McpFeed, what one client has subscribed to, and the notifications it gets.
 *
 * The old era subscribes to one resource at a time (resources/subscribe), and hears of
 * changes of the list once it has asked for the list.  The stateless era opens
 * subscriptions by subscriptions/listen, and every notification on one carries its id.
 * Tools and prompts never change while a server runs.
 *
 * A feed may be used from any thread: each function takes its lock. */
#ifndef MCP_SERVER_FEED_H
#define MCP_SERVER_FEED_H

#include "mcp/server/session.h"
#include "memory/watch.h"

typedef struct McpFeed McpFeed;

/* What it says goes to the session's sink.  Never NULL. */
McpFeed *mcp_feed_new(const McpSession *s);
void mcp_feed_free(McpFeed *f); /* NULL is fine */

/* --- What is wanted ---------------------------------------------------------------------- */

/* JOT_INVALID: it is no address of a resource.  JOT_TOO_BIG: there are too many. */
MUST_USE jot_status mcp_feed_subscribe(McpFeed *f, Str uri, Err *e);
void mcp_feed_unsubscribe(McpFeed *f, Str uri);
/* The list was asked for, in the old era: notify when it changes. */
void mcp_feed_follow_list(McpFeed *f);

/* Open the subscription that `r` asks for, and acknowledge what of `wanted` is honoured.
 * JOT_CANCELLED: `r` was cancelled before; one that is cancelled later mcp_feed_cancel finds. */
MUST_USE jot_status mcp_feed_listen(McpFeed *f, const McpRequest *r, const json_t *wanted, Err *e);
/* End one; false if there is none of this id.  Nothing more is said on it. */
bool mcp_feed_cancel(McpFeed *f, Str id);
bool mcp_feed_is_open(McpFeed *f, Str id);
/* Answer every open subscription: the server ends. */
void mcp_feed_end(McpFeed *f);

/* Messages of this level and above, in the old era; false: there is no such level. */
bool mcp_feed_level(McpFeed *f, Str level);
bool mcp_level_known(Str level);

/* --- Notifications ----------------------------------------------------------------------- */

void mcp_feed_notify(McpFeed *f, const Change *changes, size_t n);
/* Anything may have changed. */
void mcp_feed_notify_all(McpFeed *f);
/* The session was resumed by a new process: what was subscribed to before is forgotten. */
void mcp_feed_restored(McpFeed *f);
/* A warning, to a client that asked for such. */
void mcp_feed_warn(McpFeed *f, const char *text);

#endif
