/* follow.h - Follower, which notifies the feeds of all clients of changes in the pad.
 *
 * It starts with the first client that wants to know (a start that many clients make
 * twice must cost nothing), and then has a thread and a handle of its own.  A pad in memory
 * belongs to its one worker, which looks for changes itself, after each request.
 *
 *      watch ---> the follower's thread ---> feeds ---> sessions' sinks
 *
 * The pad may not be there yet, may be moved, replaced or removed, and looking at it may
 * fail for a while (no descriptors left) or for good.  A failure is reported once,
 * and then it tries again, less and less often; what was missed meanwhile is reported as a
 * change of everything. */
#ifndef MCP_SERVER_FOLLOW_H
#define MCP_SERVER_FOLLOW_H

#include "mcp/server/feed.h"

enum {
    FOLLOW_LOOK_MS = 200,            /* between two looks at what changed */
    FOLLOW_PAUSE_MAX_MS = 30 * 1000, /* between two tries, where looking keeps failing */
};

typedef struct Follower Follower;

/* Lasts as long as the process.  `existed` as for worker_pad_init.  Never NULL. */
Follower *follower_new(const McpOptions *o, bool *existed);

/* The feeds to notify; may be called from any thread.  After follower_remove that one hears nothing
 * more. */
void follower_add(Follower *f, McpFeed *feed);
void follower_remove(Follower *f, McpFeed *feed);

/* Follow from now on, if that has not begun; returns when no change is missed any more.  Called by
 * the worker that has `pad`. */
void follower_start(Follower *f, WorkerPad *pad);
/* Look for changes of a pad in memory, where that has begun; for its one worker. */
void follower_look(Follower *f);

/* Answer all open subscriptions: the server ends. */
void follower_end(Follower *f);

#endif
