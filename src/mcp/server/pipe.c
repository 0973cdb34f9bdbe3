/* pipe.c - lines in, lines out.
 *
 * One thread reads, and owns the session's conversation.  If the queue is full it waits,
 * and what the client sent stays in the pipe.  Whoever has an answer writes it, under a
 * lock.  The process ends by _exit: threads may wait for the pad, or for a client that
 * does not read.
 *
 * A client that sends one request and waits for the answer is the rule, and there a
 * second thread would only cost the way to it and back.  So the reader runs such a
 * request itself, and a spare thread looks every PIPE_HANDOVER_MS, as long as there is
 * anything to do, whether it is still the same one.  Then the spare one reads on, so
 * that cancellations and further requests are heard, and the first is spare when it has
 * done.  (A timer for each request was tried: setting it costs more than the way to a
 * worker.) */
#include "mcp/server/pipe.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mcp/server/queue.h"

static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;

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

static void write_all(Str text)
{
    while (text.n) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.n);
        if (n < 0 && again(STDOUT_FILENO, POLLOUT, errno))
            continue;
        if (n <= 0)
            end_broken("write to standard output", errno);
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

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Pipe {
    const McpOptions *o;
    Queue *queue;
    QueueClient *client;
    RpcLines lines; /* the reader's */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t roused;
    uint64_t reader; /* the number of the present reader's turn */
    uint64_t done;   /* requests the readers have run, */
    bool doing;      /* and one is being run */
    bool spare;      /* the other thread could read */
    bool watched;    /* and looks now and then whether it has to */
} Pipe;

/* Run the request that was claimed; false if somebody else has become the reader meanwhile. */
static bool do_claimed(Pipe *p, QueueJob *job, WorkerPad *pad, uint64_t turn)
{
    pthread_mutex_lock(&p->lock);
    p->doing = true;
    if (!p->watched) {
        p->watched = true;
        pthread_cond_signal(&p->roused);
    }
    pthread_mutex_unlock(&p->lock);
    queue_do(job, pad);
    pthread_mutex_lock(&p->lock);
    p->done++;
    bool mine = p->reader == turn;
    if (mine)
        p->doing = false;
    pthread_mutex_unlock(&p->lock);
    return mine;
}

/* A request that stands alone, with somebody there to read on, need not go to a worker. */
static void claim_last(Pipe *p)
{
    pthread_mutex_lock(&p->lock);
    bool spare = p->spare;
    pthread_mutex_unlock(&p->lock);
    if (spare && !rpc_lines_more(&p->lines))
        queue_claim(p->client);
}

static bool take_lines(Pipe *p, WorkerPad *pad, uint64_t turn, bool at_end)
{
    McpSession *s = queue_session(p->client);
    Str line;
    for (;;) {
        RpcLine got = rpc_lines_next(&p->lines, at_end, &line);
        if (got == RPC_LINE_NONE)
            return true;
        if (got == RPC_LINE_TOO_LONG) {
            mcp_refuse_long(s, line);
            continue;
        }
        claim_last(p);
        (void)mcp_take(s, line, 0);
        QueueJob *job = queue_claimed(p->client);
        if (job && !do_claimed(p, job, pad, turn))
            return false;
    }
}

NO_RETURN static void end(Pipe *p, int errnum)
{
    queue_drain(p->queue);
    queue_end_feeds(p->queue);
    if (errnum)
        end_broken("read standard input", errnum);
    _exit(0);
}

/* Read until somebody else does. */
static void read_on(Pipe *p, WorkerPad *pad, uint64_t turn)
{
    for (;;) {
        size_t room;
        char *to = rpc_lines_room(&p->lines, &room);
        ssize_t n = read(STDIN_FILENO, to, room);
        int failed = n < 0 ? errno : 0;
        if (again(STDIN_FILENO, POLLIN, failed))
            continue;
        rpc_lines_grew(&p->lines, n > 0 ? (size_t)n : 0);
        if (!take_lines(p, pad, turn, n <= 0))
            return;
        if (n <= 0)
            end(p, failed);
    }
}

/* Look twice: has the reader been running the same request all the time?  *quiet counts the looks
 * at which nothing happened at all. */
static bool is_stuck(Pipe *p, unsigned *quiet)
{
    uint64_t done = p->done;
    bool doing = p->doing;
    pthread_mutex_unlock(&p->lock);
    io_sleep_us(p->o->io ? p->o->io : &io_system, (int64_t)PIPE_HANDOVER_MS * 1000);
    pthread_mutex_lock(&p->lock);
    bool same = p->done == done && p->doing == doing;
    *quiet = same && !doing ? *quiet + 1 : 0;
    return same && doing;
}

/* Wait until the reader does not come back; the number of one's own turn.  Looking costs nothing
 * while requests come, and ends when none do. */
static uint64_t stand_by(Pipe *p)
{
    unsigned quiet = 0;
    pthread_mutex_lock(&p->lock);
    p->spare = true;
    while (!is_stuck(p, &quiet)) {
        if (quiet < PIPE_LOOKS)
            continue;
        p->watched = false;
        while (!p->watched)
            pthread_cond_wait(&p->roused, &p->lock);
        quiet = 0;
    }
    p->doing = p->spare = false;
    uint64_t turn = ++p->reader;
    pthread_mutex_unlock(&p->lock);
    return turn;
}

NO_RETURN static void attend(Pipe *p, bool reads)
{
    WorkerPad pad;
    uint64_t turn = 0;
    queue_pad(p->queue, &pad);
    for (;; reads = true) {
        if (reads)
            read_on(p, &pad, turn);
        turn = stand_by(p);
    }
}

static void *attend_spare(void *ctx)
{
    attend(ctx, false);
}

static void end_now(void *ctx)
{
    (void)ctx;
    _exit(0);
}

void mcp_pipe(const McpOptions *o)
{
    static Pipe pipe = { .lock = PTHREAD_MUTEX_INITIALIZER,
                         .roused = PTHREAD_COND_INITIALIZER,
                         .watched = true };
    Pipe *p = &pipe;
    pthread_t spare;
    p->o = o;
    p->queue = queue_start(o, PIPE_WORKERS);
    p->client = queue_client_new(p->queue, send_line, NULL, 0);
    queue_on_signal(p->queue, end_now, NULL);
    if (pthread_create(&spare, NULL, attend_spare, p) != 0)
        mem_exhausted();
    pthread_detach(spare);
    attend(p, true);
}
