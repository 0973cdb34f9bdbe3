/* pipe.h - MCP over standard input and output: one JSON message a line.
 *
 * An answer is written after its write is durable.  So the process may end at any
 * moment: at the end of input, when everything read has been answered; on SIGINT,
 * SIGTERM and SIGHUP at once, after what is running has ended or QUEUE_GRACE_MS are
 * over. */
#ifndef MCP_SERVER_PIPE_H
#define MCP_SERVER_PIPE_H

#include "mcp/server/session.h"

enum {
    PIPE_WORKERS = 4,
    PIPE_LOOK_MS = 2, /* between two looks of the stand-by: see pipe.c */
    PIPE_LOOKS = 25,  /* at nothing, before it sleeps */
};

/* Serve one client until it goes; ends the process. */
NO_RETURN void mcp_pipe(const McpOptions *o);

#endif
