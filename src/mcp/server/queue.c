/* queue.c - the queue, its order, and the workers.
 *
 * A job is in one of these states, and jobs[] holds those that are not over:
 *
 *     waiting ---> running ---> answered ---> over
 *        |            |
 *        |            +-- cancelled: ends soon if it only reads; its answer is not sent
 *        +--------------- cancelled: over at once
 *
 * One worker is there from the start; another is started when something may begin and none is
 * idle, up to the number that the transport asked for.  Most clients send one request and wait:
 * their server starts sooner by the threads that it never needs.
 *
 * Who owns what: a worker owns its pad.  A client belongs to the transport until it is
 * gone, and then to its last job, which frees it.  `lock` guards the queue and is never
 * held while something is sent or a request runs. */
#include "mcp/server/queue.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "mcp/server/batch.h"
#include "mcp/server/follow.h"
#include "mcp/server/progress.h"

struct QueueClient {
    Queue *queue;
    McpSession *session;
    size_t jobs; /* that wait or run; under the queue's lock, as the next */
    bool gone;   /* the last job frees it */
};

struct QueueJob {
    McpRequest *request; /* NULL: the slot is free */
    QueueClient *client;
    uint64_t arrival; /* its place in the order */
    bool running;
    bool answered; /* or about to be: its id may come again as soon as the client has read it */
};

struct Queue {
    const McpOptions *o;
    bool single; /* the pad belongs to one handle: one worker, and nobody beside it */
    Follower *follower;
    bool existed; /* there was a pad; see worker_pad.h */

    pthread_mutex_t lock;    /* of the rest */
    pthread_cond_t todo;     /* something may begin: one worker is enough, it calls the next */
    pthread_cond_t job_over; /* a job was removed */
    QueueJob jobs[QUEUE_MAX];
    uint64_t arrivals;
    size_t waiting, running;
    int workers, workers_max; /* threads there are, and may be */
    int idle;                 /* of them, those that wait for something to do */
    bool ending;              /* nothing more is begun */

    void (*end)(void *ctx);
    void *end_ctx;
};

/* --- The order --------------------------------------------------------------------------- */

/* Two that only read never wait for each other.  A client's own requests take effect in the order
 * in which it sent them, but for calls that say that they are alone: of those, and of different
 * clients, only two about the same subject wait. */
static bool must_wait_for(const QueueJob *later, const QueueJob *earlier)
{
    const McpRequest *a = earlier->request, *b = later->request;
    if (a->reads && b->reads)
        return false;
    if (earlier->client == later->client && !(a->alone && b->alone))
        return true;
    return a->subject.n && str_eq(a->subject, b->subject);
}

static bool may_begin(const Queue *q, const QueueJob *job)
{
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        const QueueJob *other = &q->jobs[i];
        if (other->request && other->arrival < job->arrival && must_wait_for(job, other))
            return false;
    }
    return true;
}

/* The oldest one that may begin, or NULL. */
static QueueJob *next_job(Queue *q)
{
    QueueJob *best = NULL;
    if (q->ending || q->waiting == 0)
        return NULL;
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        QueueJob *job = &q->jobs[i];
        bool older = job->request && !job->running && (!best || job->arrival < best->arrival);
        if (older && may_begin(q, job))
            best = job;
    }
    return best;
}

/* --- Jobs come and go, with the lock held -------------------------------------------------- */

static void *work(void *ctx);

static bool start(void *(*run)(void *), Queue *q)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, q) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

/* Wake a worker if there is something for one, or start one.  Where the system has no thread to
 * give, those that are there do it when they come to it. */
static void call_worker(Queue *q)
{
    if (!next_job(q))
        return;
    assert(q->workers > 0 && q->idle >= 0 && q->idle <= q->workers);
    if (q->idle == 0 && q->workers < q->workers_max)
        q->workers += start(work, q);
    else
        pthread_cond_signal(&q->todo);
}

static QueueJob *add_job(QueueClient *c, McpRequest *r)
{
    Queue *q = c->queue;
    size_t i = 0;
    while (q->jobs[i].request)
        i++;
    assert(i < QUEUE_MAX && !c->gone);
    q->jobs[i] = (QueueJob){ .request = r, .client = c, .arrival = ++q->arrivals };
    q->waiting++;
    c->jobs++;
    return &q->jobs[i];
}

static void begin(Queue *q, QueueJob *job)
{
    assert(job->request && !job->running && q->waiting > 0);
    assert(!q->ending && may_begin(q, job));
    job->running = true;
    q->waiting--;
    q->running++;
}

/* The job leaves the queue; its request, for the caller to free without the lock. */
static McpRequest *remove_job(Queue *q, QueueJob *job)
{
    McpRequest *r = job->request;
    assert(r && job->client->jobs > 0 && (job->running ? q->running : q->waiting) > 0);
    if (job->running)
        q->running--;
    else
        q->waiting--;
    job->client->jobs--;
    *job = (QueueJob){ 0 };
    pthread_cond_broadcast(&q->job_over);
    call_worker(q); /* others may have waited for it */
    return r;
}

/* The client's job whose request has this id and is not answered, or NULL. */
static QueueJob *find_job(QueueClient *c, Str id)
{
    if (c->jobs == 0)
        return NULL;
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        QueueJob *job = &c->queue->jobs[i];
        if (job->client == c && !job->answered && !mcp_request_cancelled(job->request) &&
            rpc_id_same(job->request->msg.id, id))
            return job;
    }
    return NULL;
}

/* --- Running ----------------------------------------------------------------------------- */

/* An empty reply says that there will be none. */
static void send_reply(McpRequest *r, Str reply)
{
    if (!r->batch)
        mcp_session_send(r->session, &(McpOut){ reply, r->via, true, reply.n ? r->error : 0 });
    else if (reply.n)
        mcp_batch_add(r->batch, reply);
    mcp_batch_leave(TAKE(r->batch));
}

static void free_client(QueueClient *c)
{
    assert(c->jobs == 0);
    mcp_session_free(c->session);
    free(c);
}

void queue_run(QueueJob *job, WorkerPad *pad)
{
    AUTO(Buf) reply = { 0 };
    QueueClient *c = job->client;
    Queue *q = c->queue;
    assert(job->running && !job->answered);
    mcp_handle(job->request, pad, &reply);

    /* From here on a cancellation comes too late. */
    pthread_mutex_lock(&q->lock);
    bool cancelled = mcp_request_cancelled(job->request);
    job->answered = true;
    pthread_mutex_unlock(&q->lock);
    if (cancelled)
        send_reply(job->request, (Str){ 0 });
    else if (reply.n) /* else it comes later, as that of subscriptions/listen */
        send_reply(job->request, buf_str(&reply));

    pthread_mutex_lock(&q->lock);
    McpRequest *r = remove_job(q, job);
    bool quiet = q->waiting == 0, last = c->gone && c->jobs == 0;
    pthread_mutex_unlock(&q->lock);
    mcp_request_free(r);
    if (last)
        free_client(c);
    if (quiet)
        memory_idle(&pad->memory);
    if (q->single)
        follower_look(q->follower);
}

static void *work(void *ctx)
{
    Queue *q = ctx;
    WorkerPad pad;
    queue_pad(q, &pad);
    for (;;) {
        QueueJob *job;
        pthread_mutex_lock(&q->lock);
        while (!(job = next_job(q))) {
            q->idle++;
            pthread_cond_wait(&q->todo, &q->lock);
            q->idle--;
        }
        begin(q, job);
        call_worker(q); /* the next one: each that begins calls one more */
        pthread_mutex_unlock(&q->lock);
        queue_run(job, &pad);
    }
    return NULL;
}

void queue_pad(Queue *q, WorkerPad *pad)
{
    worker_pad_init(pad, q->o, &q->existed);
}

/* --- Taking messages ----------------------------------------------------------------------- */

static void take_notification(QueueClient *c, const RpcMessage *m)
{
    AUTO(Buf) id = { 0 };
    const json_t *which = json_object_get(m->params, "requestId");
    if (!str_eq(m->method, S("notifications/cancelled")) ||
        (!json_is_string(which) && !json_is_integer(which)))
        return; /* initialized, progress, roots: nothing depends on them */
    json_write(&id, which);
    if (mcp_feed_cancel(mcp_feed(c->session), buf_str(&id)))
        return;
    /* A job that has not begun never will; one that runs is not answered, and ends if it only
     * reads. */
    McpRequest *dropped = NULL;
    pthread_mutex_lock(&c->queue->lock);
    QueueJob *job = find_job(c, buf_str(&id));
    if (job && job->running)
        mcp_request_cancel(job->request);
    else if (job)
        dropped = remove_job(c->queue, job);
    pthread_mutex_unlock(&c->queue->lock);
    if (dropped)
        send_reply(dropped, (Str){ 0 });
    mcp_request_free(dropped);
    /* A subscription that was about to begin has seen that it is cancelled, or has begun meanwhile.
     */
    (void)mcp_feed_cancel(mcp_feed(c->session), buf_str(&id));
}

static bool in_flight(QueueClient *c, Str id)
{
    pthread_mutex_lock(&c->queue->lock);
    bool found = find_job(c, id) != NULL;
    pthread_mutex_unlock(&c->queue->lock);
    return found || mcp_feed_is_open(mcp_feed(c->session), id);
}

static bool take_one(QueueClient *c, McpMessage *m, McpBatch *b, uint64_t via, QueueJob **here)
{
    AUTO(Buf) reply = { 0 };
    if (m->good && m->msg.kind == RPC_NOTIFICATION)
        take_notification(c, &m->msg);
    if (m->msg.kind == RPC_NOTIFICATION || (m->good && m->msg.kind == RPC_RESPONSE))
        return false; /* whatever is wrong with a notification; and nobody asked the client */
    AUTO_PTR(McpRequest) r = mcp_request_new(c->session, m, b, via);
    if (!r->refusal.code && in_flight(c, r->msg.id))
        rpc_refuse(&r->refusal, RPC_INVALID_REQUEST,
                   "id in use: a request with this id has not been answered yet");
    if (mcp_request_needs_pad(r)) {
        Queue *q = c->queue;
        pthread_mutex_lock(&q->lock);
        /* The client waits in its pipe; over HTTP there was room before (queue_room). */
        while (q->waiting + q->running == QUEUE_MAX)
            pthread_cond_wait(&q->job_over, &q->lock);
        bool only = q->waiting + q->running == 0;
        QueueJob *job = add_job(c, TAKE(r));
        if (here && only && !q->ending && !q->single) {
            begin(q, job);
            *here = job;
        } else {
            call_worker(q);
        }
        pthread_mutex_unlock(&q->lock);
        return true;
    }
    mcp_handle(r, NULL, &reply);
    send_reply(r, buf_str(&reply));
    return true;
}

static void send_error(QueueClient *c, Str id, uint64_t via, RpcError why)
{
    AUTO(Buf) text = { 0 };
    rpc_write_error(&text, id, &why);
    mcp_session_send(c->session, &(McpOut){ buf_str(&text), via, true, why.code });
}

bool queue_take(QueueClient *c, McpMessage *taken, uint64_t via, QueueJob **here)
{
    AUTO_PTR(McpMessage) m = taken;
    bool answered = false;
    if (!mcp_session_batches(c->session) || !m->batch)
        return take_one(c, m, NULL, via, here);
    if (m->parts_n == 0 || m->parts_n > RPC_BATCH_MAX) {
        send_error(
            c, (Str){ 0 }, via,
            rpc_error(RPC_INVALID_REQUEST, "a batch must have 1 to %d messages", RPC_BATCH_MAX));
        return true;
    }
    McpBatch *b = mcp_batch_new(c->session, via);
    for (size_t i = 0; i < m->parts_n; i++)
        answered = take_one(c, m->parts[i], b, via, NULL) || answered;
    mcp_batch_leave(b);
    return answered;
}

void queue_refuse_long(QueueClient *c, Str id)
{
    send_error(c, id, 0,
               rpc_error(status_info(JOT_TOO_BIG)->rpc, "the message is larger than %d bytes",
                         RPC_LINE_MAX));
}

size_t queue_room(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    size_t room = QUEUE_MAX - q->waiting - q->running;
    pthread_mutex_unlock(&q->lock);
    return room;
}

/* --- Clients ----------------------------------------------------------------------------- */

QueueClient *queue_client_new(Queue *q, const McpSink *sink)
{
    QueueClient *c = mem_alloc(sizeof *c);
    c->queue = q;
    c->session = mcp_session_new(q->o, sink, q->follower);
    return c;
}

void queue_client_free(QueueClient *c)
{
    McpRequest *dropped[QUEUE_MAX];
    size_t n = 0;
    if (!c)
        return;
    pthread_mutex_lock(&c->queue->lock);
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        QueueJob *job = &c->queue->jobs[i];
        if (job->client == c && job->running)
            mcp_request_cancel(job->request);
        else if (job->client == c)
            dropped[n++] = remove_job(c->queue, job);
    }
    pthread_mutex_unlock(&c->queue->lock);
    while (n)
        mcp_request_free(dropped[--n]); /* may send the answer of a batch: the session is needed */
    pthread_mutex_lock(&c->queue->lock);
    c->gone = true;
    bool last = c->jobs == 0;
    pthread_mutex_unlock(&c->queue->lock);
    if (last)
        free_client(c);
}

McpSession *queue_session(QueueClient *c)
{
    return c->session;
}

bool queue_client_busy(QueueClient *c)
{
    pthread_mutex_lock(&c->queue->lock);
    bool busy = c->jobs > 0;
    pthread_mutex_unlock(&c->queue->lock);
    return busy;
}

/* --- The beginning and the end ----------------------------------------------------------- */

/* The signals that end us.  A parent that started us with SIGHUP or SIGINT ignored (nohup, a shell
 * that runs us in the background) wants us to keep running.  sigwait fetches a blocked signal even
 * if it is ignored, so those are left out. */
static sigset_t signals(void)
{
    static const int asked[] = { SIGHUP, SIGINT };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct sigaction now;
        if (sigaction(asked[i], NULL, &now) != 0 || now.sa_handler != SIG_IGN)
            sigaddset(&set, asked[i]);
    }
    return set;
}

Queue *queue_start(const McpOptions *o, int workers)
{
    Queue *q = mem_alloc(sizeof *q);
    sigset_t set = signals();
    q->o = o;
    q->single = worker_pad_single(o);
    q->follower = follower_new(o, &q->existed);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->todo, NULL);
    pthread_cond_init(&q->job_over, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    q->workers = 1;
    q->workers_max = q->single ? 1 : workers;
    if (!start(work, q))
        mem_exhausted();
    return q;
}

static struct timespec later(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* a clock that is set back must not keep us */
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static void *wait_for_signal(void *ctx)
{
    Queue *q = ctx;
    sigset_t set = signals();
    int which;
    sigwait(&set, &which);
    struct timespec until = later(QUEUE_GRACE_MS);
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    while (q->running &&
           pthread_cond_clockwait(&q->job_over, &q->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&q->lock);
    q->end(q->end_ctx);
    return NULL;
}

void queue_on_signal(Queue *q, void (*end)(void *ctx), void *ctx)
{
    q->end = end;
    q->end_ctx = ctx;
    if (!start(wait_for_signal, q))
        mem_exhausted();
}

void queue_drain(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->waiting || q->running)
        pthread_cond_wait(&q->job_over, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

void queue_end_subscriptions(Queue *q)
{
    follower_end(q->follower);
}
