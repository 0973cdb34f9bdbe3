/* pipe.c - the loop, the queue, the workers and the one that follows changes.
 *
 * Who owns what: the reading thread owns the session's conversation; a worker owns
 * its desk; the follower owns a desk of its own.  The queue and the output have a
 * lock each, and neither is held while the other is taken.
 *
 * The process ends by _exit: threads may wait for the pad or for a client that does
 * not read, and there is nothing to give back that the kernel does not take.  A
 * store that is left in the middle of a write is as after any crash.
 *
 * A pad in memory is one handle's own, so there one worker does everything and
 * looks for changes itself, after each request. */
#include "mcp/pipe.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mcp/feed.h"
#include "memory/watch.h"

typedef struct Job {
    McpRequest *request; /* NULL: the slot is free */
    uint64_t arrival;    /* its place in the order */
    bool running;
    bool cancelled;
} Job;

/* How far following has come. */
typedef enum Following { FOLLOW_OFF = 0, FOLLOW_STARTING, FOLLOW_ON } Following;

typedef struct Server {
    const McpOptions *o;
    McpSession *session;
    bool alone; /* the pad belongs to one handle */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t moved; /* something of it changed */
    Job jobs[PIPE_QUEUE_MAX];
    uint64_t arrivals;
    size_t n, running;
    bool ending; /* nothing more is begun */
    Following following;

    pthread_mutex_t out;
    Watch *watch; /* of the one worker, where it is alone */
} Server;

/* --- Output ------------------------------------------------------------------------------ */

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

static void send_line(void *ctx, Str message)
{
    Server *s = ctx;
    AUTO(Buf) line = { .max = BUF_MAX_DEFAULT + 1 };
    buf_add(&line, message);
    buf_add_char(&line, '\n');
    assert(buf_ok(&line));
    pthread_mutex_lock(&s->out);
    write_all(buf_str(&line));
    pthread_mutex_unlock(&s->out);
}

/* --- The queue --------------------------------------------------------------------------- */

static Job *find_job(Server *s, Str id)
{
    for (size_t i = 0; i < PIPE_QUEUE_MAX; i++)
        if (s->jobs[i].request && !s->jobs[i].cancelled &&
            rpc_id_same(s->jobs[i].request->msg.id, id))
            return &s->jobs[i];
    return NULL;
}

static bool is_busy(void *ctx, Str id)
{
    Server *s = ctx;
    pthread_mutex_lock(&s->lock);
    bool busy = find_job(s, id) != NULL;
    pthread_mutex_unlock(&s->lock);
    return busy;
}

/* The request of a job, which leaves the queue; it is freed without the lock, because that may send
 * the answers of a batch. */
static McpRequest *take_out(Server *s, Job *job)
{
    McpRequest *r = job->request;
    *job = (Job){ 0 };
    s->n--;
    pthread_cond_broadcast(&s->moved);
    return r;
}

/* One that has not begun never will; one that runs is not answered. */
static void cancel(void *ctx, Str id)
{
    Server *s = ctx;
    pthread_mutex_lock(&s->lock);
    Job *job = find_job(s, id);
    McpRequest *dropped = NULL;
    if (job && job->running)
        job->cancelled = true;
    else if (job)
        dropped = take_out(s, job);
    pthread_mutex_unlock(&s->lock);
    mcp_request_free(dropped);
}

static void enqueue(void *ctx, McpRequest *r)
{
    Server *s = ctx;
    pthread_mutex_lock(&s->lock);
    while (s->n == PIPE_QUEUE_MAX)
        pthread_cond_wait(&s->moved, &s->lock);
    size_t i = 0;
    while (s->jobs[i].request)
        i++;
    s->jobs[i] = (Job){ .request = r, .arrival = ++s->arrivals };
    s->n++;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static bool must_wait_for(const Job *later, const Job *earlier)
{
    Str a = earlier->request->subject, b = later->request->subject;
    return a.n == 0 || b.n == 0 || str_eq(a, b);
}

static bool may_begin(const Server *s, const Job *job)
{
    for (size_t i = 0; i < PIPE_QUEUE_MAX; i++) {
        const Job *other = &s->jobs[i];
        if (other->request && other->arrival < job->arrival && must_wait_for(job, other))
            return false;
    }
    return true;
}

/* The oldest one that may begin, or NULL. */
static Job *next_job(Server *s)
{
    Job *best = NULL;
    if (s->ending)
        return NULL;
    for (size_t i = 0; i < PIPE_QUEUE_MAX; i++) {
        Job *job = &s->jobs[i];
        bool older = job->request && !job->running && (!best || job->arrival < best->arrival);
        if (older && may_begin(s, job))
            best = job;
    }
    return best;
}

/* --- Following --------------------------------------------------------------------------- */

static void rest(const Server *s)
{
    io_sleep_us(s->o->io ? s->o->io : &io_system, (int64_t)PIPE_LOOK_MS * 1000);
}

/* Open the watch; false if there is no pad yet, or none that can be read. */
static bool open_watch(Server *s, McpDesk *desk, Watch **out, bool *told)
{
    Memory *m;
    Err e = { 0 };
    jot_status st = mcp_desk_open(desk, false, &m, &e);
    if (st == JOT_OK)
        st = watch_open(out, m, (Str){ 0 }, &e);
    if (st == JOT_OK)
        return true;
    if (st != JOT_NOT_FOUND && !*told) {
        mcp_feed_warn(mcp_feed(s->session), e.text);
        *told = true;
    }
    return false;
}

static void look(Server *s, Watch *w, int64_t wait_ms)
{
    AUTO(Arena) arena = { 0 };
    Change *changes;
    size_t n;
    Err e = { 0 };
    if (watch_next(w, wait_ms, &arena, &changes, &n, &e) == JOT_OK) {
        mcp_feed_tell(mcp_feed(s->session), changes, n);
    } else {
        mcp_feed_warn(mcp_feed(s->session), e.text);
        rest(s);
    }
}

static void set_following(Server *s, Following f)
{
    pthread_mutex_lock(&s->lock);
    s->following = f;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void *follow_changes(void *ctx)
{
    Server *s = ctx;
    McpDesk desk;
    Watch *w = NULL;
    bool told = false;
    mcp_desk_init(&desk, s->o);
    bool there = open_watch(s, &desk, &w, &told);
    set_following(s, FOLLOW_ON);
    while (!there) {
        rest(s);
        there = open_watch(s, &desk, &w, &told);
        if (there)
            mcp_feed_tell_all(mcp_feed(s->session)); /* all of it is new */
    }
    for (;;)
        look(s, w, PIPE_LOOK_MS);
    return NULL;
}

static void start(void *(*run)(void *), Server *s)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, s) != 0)
        mem_exhausted();
    pthread_detach(thread);
}

static void follow(void *ctx, McpDesk *desk)
{
    Server *s = ctx;
    bool told = false;
    if (s->alone) {
        if (!s->watch)
            (void)open_watch(s, desk, &s->watch, &told);
        return;
    }
    pthread_mutex_lock(&s->lock);
    bool first = s->following == FOLLOW_OFF;
    if (first)
        s->following = FOLLOW_STARTING;
    pthread_mutex_unlock(&s->lock);
    if (first)
        start(follow_changes, s);
    pthread_mutex_lock(&s->lock);
    while (s->following != FOLLOW_ON)
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* --- The workers ------------------------------------------------------------------------- */

static void finish(Server *s, Job *job, Str reply)
{
    pthread_mutex_lock(&s->lock);
    bool wanted = !job->cancelled && reply.n;
    pthread_mutex_unlock(&s->lock);
    if (wanted)
        mcp_deliver(s->session, job->request, reply);
    pthread_mutex_lock(&s->lock);
    McpRequest *done = take_out(s, job);
    pthread_mutex_unlock(&s->lock);
    mcp_request_free(done);
    pthread_mutex_lock(&s->lock);
    s->running--; /* only now is all of it sent */
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *ctx)
{
    Server *s = ctx;
    McpDesk desk;
    mcp_desk_init(&desk, s->o);
    for (;;) {
        AUTO(Buf) reply = { 0 };
        pthread_mutex_lock(&s->lock);
        Job *job;
        while (!(job = next_job(s)))
            pthread_cond_wait(&s->moved, &s->lock);
        job->running = true;
        s->running++;
        pthread_mutex_unlock(&s->lock);
        mcp_work(s->session, job->request, &desk, &reply);
        finish(s, job, buf_str(&reply));
        if (s->alone && s->watch)
            look(s, s->watch, 0);
    }
    return NULL;
}

/* --- The end ----------------------------------------------------------------------------- */

static struct timespec later(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* A signal begins nothing new, lets what runs come to its end for a moment, and ends it all. */
static void *wait_for_signal(void *ctx)
{
    Server *s = ctx;
    sigset_t set;
    int which;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigwait(&set, &which);
    struct timespec until = later(PIPE_GRACE_MS);
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    while (s->running && pthread_cond_timedwait(&s->moved, &s->lock, &until) == 0)
        ;
    _exit(0);
}

/* The end of input: what was read is answered. */
NO_RETURN static void drain(Server *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->n || s->running)
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
    mcp_feed_end(mcp_feed(s->session));
    _exit(0);
}

/* --- The loop ---------------------------------------------------------------------------- */

static void take_lines(Server *s, RpcLines *lines, bool at_end)
{
    Str line;
    for (;;) {
        RpcLine got = rpc_lines_next(lines, at_end, &line);
        if (got == RPC_LINE_NONE)
            return;
        if (got == RPC_LINE_TOO_LONG) {
            mcp_refuse_long(s->session);
            continue;
        }
        mcp_take(s->session, line);
    }
}

static void block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void mcp_pipe(const McpOptions *o)
{
    static Server server = { .lock = PTHREAD_MUTEX_INITIALIZER,
                             .moved = PTHREAD_COND_INITIALIZER,
                             .out = PTHREAD_MUTEX_INITIALIZER };
    Server *s = &server;
    McpHooks hooks = { .send = send_line,
                       .busy = is_busy,
                       .cancel = cancel,
                       .work = enqueue,
                       .follow = follow,
                       .ctx = s };
    RpcLines lines = { 0 };
    s->o = o;
    s->alone = str_starts(o->url, S("mem:"));
    s->session = mcp_session_new(o, &hooks);
    block_signals();
    start(wait_for_signal, s);
    for (int i = 0; i < (s->alone ? 1 : PIPE_WORKERS); i++)
        start(work, s);
    for (;;) {
        size_t room;
        char *to = rpc_lines_room(&lines, &room);
        ssize_t n = read(STDIN_FILENO, to, room);
        if (n < 0 && errno == EINTR)
            continue;
        rpc_lines_grew(&lines, n > 0 ? (size_t)n : 0);
        take_lines(s, &lines, n <= 0);
        if (n <= 0)
            drain(s);
    }
}
