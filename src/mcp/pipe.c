/* pipe.c - lines in, lines out.
 *
 * One thread reads, and owns the session's conversation.  If the queue is full it waits,
 * and what the client sent stays in the pipe.  Whoever has an answer writes it, under a
 * lock.  The process ends by _exit: threads may wait for the pad, or for a client that
 * does not read. */
#include "mcp/pipe.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "mcp/work.h"

static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_all(Str text)
{
    while (text.n) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0); /* nobody listens any more */
        text = str_from(text, (size_t)n);
    }
}

static void send_line(void *ctx, uint64_t number, const McpOut *out)
{
    AUTO(Buf) line = { .max = BUF_MAX_DEFAULT + 1 };
    (void)ctx, (void)number;
    if (out->text.n == 0)
        return;
    buf_add(&line, out->text);
    buf_add_char(&line, '\n');
    assert(buf_ok(&line));
    pthread_mutex_lock(&out_lock);
    write_all(buf_str(&line));
    pthread_mutex_unlock(&out_lock);
}

static void take_lines(McpSession *s, RpcLines *lines, bool at_end)
{
    Str line;
    for (;;) {
        RpcLine got = rpc_lines_next(lines, at_end, &line);
        if (got == RPC_LINE_NONE)
            return;
        if (got == RPC_LINE_TOO_LONG)
            mcp_refuse_long(s);
        else
            (void)mcp_take(s, line, 0);
    }
}

static void end_now(void *ctx)
{
    (void)ctx;
    _exit(0);
}

void mcp_pipe(const McpOptions *o)
{
    RpcLines lines = { 0 };
    Work *w = work_start(o, PIPE_WORKERS);
    McpSession *s = work_session(work_client_new(w, send_line, NULL, 0));
    work_on_signal(w, end_now, NULL);
    for (bool at_end = false; !at_end;) {
        size_t room;
        char *to = rpc_lines_room(&lines, &room);
        ssize_t n = read(STDIN_FILENO, to, room);
        if (n < 0 && errno == EINTR)
            continue;
        at_end = n <= 0;
        rpc_lines_grew(&lines, at_end ? 0 : (size_t)n);
        take_lines(s, &lines, at_end);
    }
    work_drain(w);
    work_end_feeds(w);
    _exit(0);
}
