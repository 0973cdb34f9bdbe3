/* pipe.h - MCP over standard input and output: one JSON message a line.
 *
 * Messages are read on one thread; what needs the pad runs on a few others, each
 * with the pad open for itself.  Requests about the same thing run in the order they
 * came in, and one that may be about anything waits for all before it and holds up
 * all behind it: so whoever sends several at once gets what he would have got
 * one by one.
 *
 * An answer is written after its write is durable.  So the process may end at any
 * moment: at the end of input, when everything read has been answered; on SIGINT,
 * SIGTERM and SIGHUP at once, after what is running has ended or PIPE_GRACE_MS are
 * over. */
#ifndef MCP_PIPE_H
#define MCP_PIPE_H

#include "mcp/session.h"

enum {
    PIPE_WORKERS = 4,
    PIPE_QUEUE_MAX = 256, /* requests that wait or run; the rest stays unread */
    PIPE_GRACE_MS = 500,
    PIPE_LOOK_MS = 200, /* between two looks at what changed */
};

/* Serve one client until it goes; ends the process. */
NO_RETURN void mcp_pipe(const McpOptions *o);

#endif
