/* pipe.c - lines in, lines out.
 *
 * A client that sends one request and waits for the answer is the rule.  There a second
 * thread would only cost the way to it and back, about a third of a read's time, so the
 * reader runs such a request itself.  But while it runs one that takes long, somebody
 * must read on: or further requests would wait, and a cancellation would be heard too
 * late.  So there are two threads of this kind, and they take turns:
 *
 *     the reader     reads a line -> takes it -> runs it, if it is alone -> reads a line ...
 *     the stand-by   looks every PIPE_LOOK_MS: is the reader still in the same request?
 *                    Then it becomes the reader; the other, when it is done, the stand-by.
 *
 * A stand-by that has seen nothing happen for PIPE_LOOKS looks sleeps until the next
 * request.  (A timer for each request, and waking the stand-by for each, cost as much as the
 * way to a worker.)
 *
 * If the queue is full the reader waits, and what the client sent stays in the pipe.  Who
 * has an answer writes it, under a lock.  The process ends by _exit: threads may wait for
 * the pad, or for a client that does not read. */
#include "mcp/server/pipe.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mcp/server/queue.h"

/* --- Standard input and output ------------------------------------------------------------- */

/* A client that has gone is the usual end; a full disk or a closed stream is none. */
NO_RETURN static void end_broken(const char *what, int errnum)
{
    if (errnum == EPIPE || errnum == ECONNRESET)
        _exit(0);
    fprintf(stderr, "jotter: could not %s: %s\n", what, strerror(errnum));
    _exit(status_info(JOT_IO)->exit_code);
}

/* Whether to try it again: a client may have made the stream one that does not wait. */
static bool again(int fd, short event, int errnum)
{
    struct pollfd wait = { .fd = fd, .events = event };
    if (errnum == EAGAIN)
        (void)poll(&wait, 1, -1);
    return errnum == EAGAIN || errnum == EINTR;
}

static void send_line(void *ctx, uint64_t number, const McpOut *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    AUTO(Buf) line = { .max = BUF_MAX_DEFAULT + 1 };
    (void)ctx, (void)number;
    if (out->text.n == 0)
        return;
    buf_add(&line, out->text);
    buf_add_char(&line, '\n');
    assert(buf_ok(&line));
    pthread_mutex_lock(&lock);
    Str text = buf_str(&line);
    while (text.n) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.n);
        if (n < 0 && again(STDOUT_FILENO, POLLOUT, errno))
            continue;
        if (n <= 0)
            end_broken("write to standard output", errno);
        text = str_from(text, (size_t)n);
    }
    pthread_mutex_unlock(&lock);
}

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Pipe {
    const McpOptions *o;
    Queue *queue;
    QueueClient *client;
    RpcLines lines; /* the reader's */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t woken;
    int reader;     /* which of the two reads: 0 or 1 */
    bool running;   /* it runs a request */
    uint64_t ended; /* requests that readers have run */
    bool stand_by;  /* the other is free to take over, */
    bool asleep;    /* and looks no more until it is woken */
} Pipe;

/* Run a job in the reader's place; false if the stand-by has become the reader meanwhile. */
static bool run_here(Pipe *p, QueueJob *job, WorkerPad *pad, int self)
{
    pthread_mutex_lock(&p->lock);
    assert(p->reader == self && !p->running);
    p->running = true;
    if (p->asleep) {
        p->asleep = false;
        pthread_cond_signal(&p->woken);
    }
    pthread_mutex_unlock(&p->lock);
    queue_run(job, pad);
    pthread_mutex_lock(&p->lock);
    bool still = p->reader == self;
    p->ended++;
    if (still)
        p->running = false;
    pthread_mutex_unlock(&p->lock);
    return still;
}

static bool has_stand_by(Pipe *p)
{
    pthread_mutex_lock(&p->lock);
    bool has = p->stand_by;
    pthread_mutex_unlock(&p->lock);
    return has;
}

/* Take all lines that are there; false if somebody else has become the reader. */
static bool take_lines(Pipe *p, WorkerPad *pad, int self, bool at_end)
{
    Str line;
    for (;;) {
        QueueJob *job = NULL;
        RpcLine got = rpc_lines_next(&p->lines, at_end, &line);
        if (got == RPC_LINE_NONE)
            return true;
        if (got == RPC_LINE_TOO_LONG) {
            queue_refuse_long(p->client, line);
            continue;
        }
        bool only = !rpc_lines_more(&p->lines) && has_stand_by(p);
        (void)queue_take(p->client, mcp_message_new(line), 0, only ? &job : NULL);
        if (job && !run_here(p, job, pad, self))
            return false;
    }
}

NO_RETURN static void end(Pipe *p, int errnum)
{
    queue_drain(p->queue);
    queue_end_subscriptions(p->queue);
    if (errnum)
        end_broken("read standard input", errnum);
    _exit(0);
}

/* Read until somebody else does. */
static void read_on(Pipe *p, WorkerPad *pad, int self)
{
    for (;;) {
        size_t room;
        char *to = rpc_lines_room(&p->lines, &room);
        ssize_t n = read(STDIN_FILENO, to, room);
        int failed = n < 0 ? errno : 0;
        if (again(STDIN_FILENO, POLLIN, failed))
            continue;
        rpc_lines_grew(&p->lines, n > 0 ? (size_t)n : 0);
        if (!take_lines(p, pad, self, n <= 0))
            return;
        if (n <= 0)
            end(p, failed);
    }
}

/* Look until the reader is stuck in a request, then be the reader. */
static void stand_by(Pipe *p, int self)
{
    const Io *io = p->o->io ? p->o->io : &io_system;
    bool stuck = false;
    pthread_mutex_lock(&p->lock);
    assert(p->reader != self);
    p->stand_by = true;
    for (unsigned quiet = 0; !stuck;) {
        bool running = p->running;
        uint64_t ended = p->ended;
        pthread_mutex_unlock(&p->lock);
        io_sleep_us(io, (int64_t)PIPE_LOOK_MS * 1000);
        pthread_mutex_lock(&p->lock);
        bool same = p->running == running && p->ended == ended;
        stuck = same && running;
        quiet = same && !running ? quiet + 1 : 0;
        if (quiet < PIPE_LOOKS)
            continue;
        p->asleep = true;
        while (p->asleep)
            pthread_cond_wait(&p->woken, &p->lock);
        quiet = 0;
    }
    p->reader = self;
    p->running = p->stand_by = false;
    pthread_mutex_unlock(&p->lock);
}

NO_RETURN static void take_turns(Pipe *p, int self)
{
    WorkerPad pad;
    queue_pad(p->queue, &pad);
    for (bool reads = self == 0;; reads = true) {
        if (reads)
            read_on(p, &pad, self);
        stand_by(p, self);
    }
}

static void *take_turns_second(void *ctx)
{
    take_turns(ctx, 1);
}

static void end_now(void *ctx)
{
    (void)ctx;
    _exit(0);
}

void mcp_pipe(const McpOptions *o)
{
    static Pipe pipe = { .lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER };
    Pipe *p = &pipe;
    pthread_t second;
    p->o = o;
    p->queue = queue_start(o, PIPE_WORKERS);
    p->client = queue_client_new(p->queue, &(McpSink){ .send = send_line });
    queue_on_signal(p->queue, end_now, NULL);
    if (pthread_create(&second, NULL, take_turns_second, p) != 0)
        mem_exhausted();
    pthread_detach(second);
    take_turns(p, 0);
}
