/* follow.h - following a pad, for all clients of a server, on a thread of its own.
 *
 * The pad may not be there yet, may be moved, replaced or removed, and looking at it may
 * fail for a while (no descriptors left) or for good.  Whatever happens is told once, and
 * then tried again, less and less often; what was missed meanwhile is told as a change
 * of everything. */
#ifndef MCP_SERVER_FOLLOW_H
#define MCP_SERVER_FOLLOW_H

#include "mcp/server/session.h"
#include "memory/watch.h"

enum {
    FOLLOW_LOOK_MS = 200,            /* between two looks at what changed */
    FOLLOW_PAUSE_MAX_MS = 30 * 1000, /* between two tries, where looking keeps failing */
};

/* Who is told.  All of it is called on the following thread. */
typedef struct FollowTells {
    void (*begun)(void *ctx); /* once: from now on nothing is missed */
    void (*changes)(void *ctx, const Change *changes, size_t n);
    void (*all)(void *ctx); /* anything may have changed */
    void (*warning)(void *ctx, const char *text);
    void *ctx;
} FollowTells;

/* Never returns.  `had` as for worker_pad_init. */
NO_RETURN void follow_pad(const McpOptions *o, bool *had, const FollowTells *tells);

#endif
