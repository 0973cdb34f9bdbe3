/* client_process.h - ClientProcess, a program at the other end of two pipes that answers requests.
 *
 * One request at a time, one thread.  Whatever the program does, a request ends: by
 * its answer, by its time, by cancellation, or because the program is gone.  What
 * it sends besides is taken as a stranger's: answers to other requests are passed
 * over, its own requests are refused (but for `ping`), a line that is no message is
 * counted, and after CLIENT_PROCESS_BAD_LINES_MAX of those it is not spoken to any more.  Of a
 * request that may take long its progress is heard: a number that grows, and nothing else, gives it
 * more time. */
#ifndef MCP_CLIENT_CLIENT_PROCESS_H
#define MCP_CLIENT_CLIENT_PROCESS_H

#include "base/fd.h"
#include "mcp/protocol/jsonrpc.h"

enum {
    CLIENT_PROCESS_LINE_MAX = 8 * 1024 * 1024, /* bytes of a message */
    CLIENT_PROCESS_BAD_LINES_MAX = 100,        /* lines that are no messages */
    CLIENT_PROCESS_ERR_MAX = 2048,             /* bytes kept of what it says on standard error */
    CLIENT_PROCESS_END_MS = 500, /* to end by itself, and again after being asked to */
};

typedef struct ClientProcess {
    Str command;
    int pid;         /* of the leader of its process group; 0: none */
    Fd in, out, err; /* its standard input, output, error */
    RpcLines lines;
    Buf to_send; /* what its input has not taken yet */
    char err_tail[CLIENT_PROCESS_ERR_MAX];
    size_t err_tail_n;
    unsigned bad_lines;
    double progress;     /* of the request that is asked; below 0: none was reported */
    int64_t progress_ms; /* when that was */
    int64_t next_id;
    bool gone;
    bool (*cancelled)(void *ctx); /* may be NULL */
    void *ctx;
    Arena arena;
} ClientProcess;

/* Start a command of the shell.  `out` is {0} but for cancelled and ctx.  The program gets our
 * environment without what looks like a model's key. */
MUST_USE jot_status client_process_open(ClientProcess *out, Str command, Err *e);
/* Close its input, and end it and its process group, by force if need be.  {0} is fine. */
void client_process_close(ClientProcess *p);

typedef struct ClientProcessAsk {
    const char *method;
    json_t *params;      /* the reference is taken; NULL: none */
    int64_t time_ms;     /* for the answer ... */
    int64_t time_ms_max; /* ... or, if this is not 0, for each progress it reports, and this for
                            all of it; `params` must be there */
} ClientProcessAsk;

/* Ask, and wait for the answer.  The caller owns *result.  JOT_UNSUPPORTED: it answered with an
 * error that says there is no such method. JOT_INVALID: with another error, whose sentence is
 * quoted.  JOT_UNAVAILABLE: it is gone, does not answer in time, or makes no sense.  JOT_CANCELLED.
 */
MUST_USE jot_status client_process_ask(ClientProcess *p, const ClientProcessAsk *ask,
                                       json_t **result, Err *e);
/* Tell; takes the reference to `params`. */
void client_process_notify(ClientProcess *p, const char *method, json_t *params);

#endif
