/* mcp.h - a server of MCP over pipes, as bench/mcp talks to it. */
#ifndef BENCH_MCP_H
#define BENCH_MCP_H

#include <sys/types.h>

#include "bench/bench.h"

enum { MCP_BODY = 2048, MCP_LINE_MAX = 1 << 16 };

typedef struct Server {
    const char *argv[6]; /* how it is started; ends in NULL */
    const char *env[2];  /* its environment; ends in NULL */
    pid_t pid;           /* 0: it does not run */
    int to, from;
    uint64_t id, turn;
    bool odd; /* for what is asked by turns */
    char reply[MCP_LINE_MAX];
    void (*ask)(struct Server *s); /* what step_ask does */
} Server;

void server_start(Server *s);
void server_stop(Server *s); /* one that does not run is fine */

/* A request whose params are given as JSON, and its answer, which must be no error. */
void server_ask(Server *s, const char *method, const char *params);
void server_hello(Server *s);
/* A call of a tool with arguments as JSON. */
void server_call(Server *s, const char *tool, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A text of MCP_BODY bytes that is another one each time; valid until the next. */
const char *server_text(Server *s);

/* VmRSS, in bytes. */
double server_memory(const Server *s);

/* Sides of a race; each takes a Server. */
void step_ask(void *server);
void step_first_answer(void *server); /* start, initialize, end */

#endif
