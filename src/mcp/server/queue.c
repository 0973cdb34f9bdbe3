/* queue.c - the queue and the workers; follow.c follows changes.
 *
 * Who owns what: a worker owns its pad; the follower owns a pad of its own.  A
 * client belongs to the transport until it is gone, and then to its last request.
 * The queue has a lock; the list of those who may be told of changes has another,
 * held while they are told.  Neither is taken while the other is held.
 *
 * A pad in memory is one handle's own, so there one worker does everything and
 * looks for changes itself, after each request. */
#include "mcp/server/queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "mcp/server/feed.h"
#include "mcp/server/follow.h"
#include "mcp/server/progress.h"
#include "memory/watch.h"

struct QueueClient {
    Queue *queue;
    McpSession *session;
    QueueSend *send;
    void *ctx;
    uint64_t number;
    size_t jobs;       /* that wait, run, or are being let go; under the queue's lock */
    bool gone;         /* the last job frees it */
    bool claims;       /* the next one is for whoever takes its messages, */
    QueueJob *claimed; /* and is this */
    QueueClient *next;
};

struct QueueJob {
    McpRequest *request; /* NULL: the slot is free */
    QueueClient *client;
    uint64_t arrival; /* its place in the order */
    bool running;
    bool cancelled;
    bool answered; /* or about to be: its id may come again as soon as the client has read it */
};
typedef QueueJob Job;

/* How far following has come. */
typedef enum Following { FOLLOW_OFF = 0, FOLLOW_STARTING, FOLLOW_ON } Following;

struct Queue {
    const McpOptions *o;
    bool alone; /* the pad belongs to one handle */

    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t todo;  /* something may begin: one worker is enough, he calls the next */
    pthread_cond_t moved; /* something else of it changed */
    Job jobs[QUEUE_MAX];
    uint64_t arrivals;
    size_t n, waiting, running; /* all in the queue, those that have not begun; running */
    bool ending;                /* nothing more is begun */
    Following following;

    pthread_mutex_t members;
    QueueClient *clients;

    Watch *watch; /* of the one worker, where it is alone */
    bool had;     /* there was a pad; the pads' own */
    void (*end)(void *ctx);
    void *end_ctx;
};

/* --- The queue --------------------------------------------------------------------------- */

static Job *find_job(QueueClient *c, Str id)
{
    Job *jobs = c->queue->jobs;
    if (c->jobs == 0)
        return NULL;
    for (size_t i = 0; i < QUEUE_MAX; i++)
        if (jobs[i].client == c && !jobs[i].cancelled && !jobs[i].answered &&
            rpc_id_same(jobs[i].request->msg.id, id))
            return &jobs[i];
    return NULL;
}

static bool is_busy(void *ctx, Str id)
{
    QueueClient *c = ctx;
    pthread_mutex_lock(&c->queue->lock);
    bool busy = find_job(c, id) != NULL;
    pthread_mutex_unlock(&c->queue->lock);
    return busy;
}

static Job *next_job(Queue *q);

/* Wake a worker if there is something for one; with the lock held. */
static void call_worker(Queue *q)
{
    if (next_job(q))
        pthread_cond_signal(&q->todo);
}

/* The request of a job, which leaves the queue. */
static McpRequest *take_out(Queue *q, Job *job)
{
    McpRequest *r = job->request;
    q->waiting -= !job->running;
    *job = (Job){ 0 };
    q->n--;
    pthread_cond_broadcast(&q->moved);
    return r;
}

/* One job less; true if it was the last of a client that is gone. */
static bool count_down(QueueClient *c, bool ran)
{
    Queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    bool over = --c->jobs == 0 && c->gone;
    if (ran)
        q->running--;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
    return over;
}

/* Let go of a request that has left the queue.  Without the lock, because that may send the answers
 * of a batch; only then is its client free of it. */
static void let_go(QueueClient *c, McpRequest *r, bool ran)
{
    mcp_request_free(r);
    if (!count_down(c, ran))
        return;
    mcp_session_free(c->session);
    free(c);
}

static void cancel_running(Job *job)
{
    job->cancelled = true;
    mcp_request_cancel(job->request);
}

/* One that has not begun never will; one that runs is not answered, and ends if it only reads. */
static void cancel(void *ctx, Str id)
{
    QueueClient *c = ctx;
    pthread_mutex_lock(&c->queue->lock);
    Job *job = find_job(c, id);
    McpRequest *dropped = NULL;
    if (job && job->running)
        cancel_running(job);
    else if (job)
        dropped = take_out(c->queue, job);
    call_worker(c->queue); /* others may have waited for it */
    pthread_mutex_unlock(&c->queue->lock);
    if (!dropped)
        return;
    mcp_drop(c->session, dropped);
    let_go(c, dropped, false);
}

static void enqueue(void *ctx, McpRequest *r)
{
    QueueClient *c = ctx;
    Queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    while (q->n == QUEUE_MAX)
        pthread_cond_wait(&q->moved, &q->lock);
    size_t i = 0;
    while (q->jobs[i].request)
        i++;
    q->jobs[i] = (Job){ .request = r, .client = c, .arrival = ++q->arrivals };
    c->jobs++;
    if (c->claims && q->n == 0 && !q->ending && !q->alone) {
        c->claimed = &q->jobs[i];
        c->claimed->running = true;
        q->running++;
    } else {
        q->waiting++;
    }
    q->n++;
    c->claims = false;
    call_worker(q);
    pthread_mutex_unlock(&q->lock);
}

/* Two that only read never wait for each other. */
static bool must_wait_for(const Job *later, const Job *earlier)
{
    const McpRequest *a = earlier->request, *b = later->request;
    if (a->reads && b->reads)
        return false;
    if (earlier->client == later->client && !(a->alone && b->alone))
        return true;
    return a->subject.n && str_eq(a->subject, b->subject);
}

static bool may_begin(const Queue *q, const Job *job)
{
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        const Job *other = &q->jobs[i];
        if (other->request && other->arrival < job->arrival && must_wait_for(job, other))
            return false;
    }
    return true;
}

/* The oldest one that may begin, or NULL. */
static Job *next_job(Queue *q)
{
    Job *best = NULL;
    if (q->ending || q->waiting == 0)
        return NULL;
    for (size_t i = 0; i < QUEUE_MAX; i++) {
        Job *job = &q->jobs[i];
        bool older = job->request && !job->running && (!best || job->arrival < best->arrival);
        if (older && may_begin(q, job))
            best = job;
    }
    return best;
}

size_t queue_room(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    size_t room = QUEUE_MAX - q->n;
    pthread_mutex_unlock(&q->lock);
    return room;
}

/* --- Following --------------------------------------------------------------------------- */

static void tell(void *ctx, const Change *changes, size_t n)
{
    Queue *q = ctx;
    pthread_mutex_lock(&q->members);
    for (QueueClient *c = q->clients; c; c = c->next)
        mcp_feed_tell(mcp_feed(c->session), changes, n);
    pthread_mutex_unlock(&q->members);
}

static void tell_all(void *ctx)
{
    Queue *q = ctx;
    pthread_mutex_lock(&q->members);
    for (QueueClient *c = q->clients; c; c = c->next)
        mcp_feed_tell_all(mcp_feed(c->session));
    pthread_mutex_unlock(&q->members);
}

static void warn(void *ctx, const char *text)
{
    Queue *q = ctx;
    pthread_mutex_lock(&q->members);
    for (QueueClient *c = q->clients; c; c = c->next)
        mcp_feed_warn(mcp_feed(c->session), text);
    pthread_mutex_unlock(&q->members);
}

void queue_end_feeds(Queue *q)
{
    pthread_mutex_lock(&q->members);
    for (QueueClient *c = q->clients; c; c = c->next)
        mcp_feed_end(mcp_feed(c->session));
    pthread_mutex_unlock(&q->members);
}

/* From now on no change is missed. */
static void is_following(void *ctx)
{
    Queue *q = ctx;
    pthread_mutex_lock(&q->lock);
    q->following = FOLLOW_ON;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

static void *follow_changes(void *ctx)
{
    Queue *q = ctx;
    FollowTells tells = {
        .begun = is_following, .changes = tell, .all = tell_all, .warning = warn, .ctx = q
    };
    follow_pad(q->o, &q->had, &tells);
}

/* Where one worker does everything: a pad in memory, which nobody takes away. */
static void open_own_watch(Queue *q, WorkerPad *pad)
{
    Memory *m;
    Err e = { 0 };
    bool there = q->watch || worker_pad_open(pad, false, &m, &e) == JOT_OK;
    if (!q->watch && there && watch_open(&q->watch, m, (Str){ 0 }, &e) != JOT_OK)
        warn(q, e.text);
}

static void look_oneself(Queue *q)
{
    AUTO(Arena) arena = { 0 };
    Change *changes;
    size_t n;
    if (q->watch && watch_next(q->watch, 0, &arena, &changes, &n, NULL) == JOT_OK)
        tell(q, changes, n);
}

static void start(void *(*run)(void *), Queue *q)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, q) != 0)
        mem_exhausted();
    pthread_detach(thread);
}

static void follow(void *ctx, WorkerPad *pad)
{
    QueueClient *c = ctx;
    Queue *q = c->queue;
    if (q->alone) {
        open_own_watch(q, pad);
        return;
    }
    pthread_mutex_lock(&q->lock);
    bool first = q->following == FOLLOW_OFF;
    if (first)
        q->following = FOLLOW_STARTING;
    pthread_mutex_unlock(&q->lock);
    if (first)
        start(follow_changes, q);
    pthread_mutex_lock(&q->lock);
    while (q->following != FOLLOW_ON)
        pthread_cond_wait(&q->moved, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

/* --- The workers ------------------------------------------------------------------------- */

static void finish(Queue *q, Job *job, Str reply)
{
    QueueClient *c = job->client;
    pthread_mutex_lock(&q->lock);
    bool cancelled = job->cancelled;
    job->answered = true;
    pthread_mutex_unlock(&q->lock);
    if (cancelled)
        mcp_drop(c->session, job->request);
    else if (reply.n)
        mcp_deliver(c->session, job->request, reply);
    pthread_mutex_lock(&q->lock);
    McpRequest *done = take_out(q, job);
    pthread_mutex_unlock(&q->lock);
    let_go(c, done, true);
}

/* The answer is on its way, and nobody waits for another. */
static void rest_at(Queue *q, WorkerPad *pad)
{
    pthread_mutex_lock(&q->lock);
    bool quiet = q->waiting == 0;
    pthread_mutex_unlock(&q->lock);
    if (quiet)
        memory_idle(&pad->memory);
}

static void *work(void *ctx)
{
    Queue *q = ctx;
    WorkerPad pad;
    queue_pad(q, &pad);
    for (;;) {
        AUTO(Buf) reply = { 0 };
        pthread_mutex_lock(&q->lock);
        Job *job;
        while (!(job = next_job(q)))
            pthread_cond_wait(&q->todo, &q->lock);
        job->running = true;
        q->waiting--;
        q->running++;
        call_worker(q);
        pthread_mutex_unlock(&q->lock);
        mcp_work(job->request, &pad, &reply);
        finish(q, job, buf_str(&reply));
        rest_at(q, &pad);
        look_oneself(q);
    }
    return NULL;
}

void queue_claim(QueueClient *c)
{
    c->claims = true;
}

QueueJob *queue_claimed(QueueClient *c)
{
    c->claims = false;
    return TAKE(c->claimed);
}

void queue_do(QueueJob *job, WorkerPad *pad)
{
    AUTO(Buf) reply = { 0 };
    Queue *q = job->client->queue;
    mcp_work(job->request, pad, &reply);
    finish(q, job, buf_str(&reply));
    pthread_mutex_lock(&q->lock);
    call_worker(q); /* what came meanwhile may have waited for it */
    pthread_mutex_unlock(&q->lock);
    rest_at(q, pad);
}

/* --- Clients ----------------------------------------------------------------------------- */

static void pass_on(void *ctx, const McpOut *out)
{
    QueueClient *c = ctx;
    c->send(c->ctx, c->number, out);
}

QueueClient *queue_client_new(Queue *q, QueueSend *send, void *ctx, uint64_t number)
{
    QueueClient *c = mem_alloc(sizeof *c);
    McpHooks hooks = { .send = pass_on,
                       .busy = is_busy,
                       .cancel = cancel,
                       .work = enqueue,
                       .follow = follow,
                       .ctx = c };
    *c = (QueueClient){ .queue = q, .send = send, .ctx = ctx, .number = number };
    c->session = mcp_session_new(q->o, &hooks);
    pthread_mutex_lock(&q->members);
    c->next = q->clients;
    q->clients = c;
    pthread_mutex_unlock(&q->members);
    return c;
}

static void leave_members(QueueClient *c)
{
    pthread_mutex_lock(&c->queue->members);
    QueueClient **at = &c->queue->clients;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&c->queue->members);
}

/* The next request of a client that has not begun; those that run are not answered. */
static McpRequest *withdraw(QueueClient *c)
{
    McpRequest *r = NULL;
    pthread_mutex_lock(&c->queue->lock);
    for (size_t i = 0; i < QUEUE_MAX && !r; i++) {
        Job *job = &c->queue->jobs[i];
        if (job->client == c && job->running)
            cancel_running(job);
        else if (job->client == c)
            r = take_out(c->queue, job);
    }
    call_worker(c->queue);
    pthread_mutex_unlock(&c->queue->lock);
    return r;
}

void queue_client_free(QueueClient *c)
{
    if (!c)
        return;
    leave_members(c);
    pthread_mutex_lock(&c->queue->lock);
    c->jobs++; /* this one holds it while the others go */
    c->gone = true;
    pthread_mutex_unlock(&c->queue->lock);
    for (McpRequest *r; (r = withdraw(c)) != NULL;) {
        mcp_request_free(r);
        (void)count_down(c, false); /* never the last one */
    }
    let_go(c, NULL, false);
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

/* Those that end us.  Whoever started us with SIGHUP or SIGINT ignored (nohup, a shell that starts
 * what it runs in the background) wants us to live on; a signal that is blocked is fetched by
 * sigwait also if it is ignored, so these are left out. */
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
    q->alone = str_starts(o->url, S("mem:"));
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->todo, NULL);
    pthread_cond_init(&q->moved, NULL);
    pthread_mutex_init(&q->members, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < (q->alone ? 1 : workers); i++)
        start(work, q);
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
    while (q->running && pthread_cond_clockwait(&q->moved, &q->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&q->lock);
    q->end(q->end_ctx);
    return NULL;
}

void queue_pad(Queue *q, WorkerPad *pad)
{
    worker_pad_init(pad, q->o, &q->had);
}

void queue_on_signal(Queue *q, void (*end)(void *ctx), void *ctx)
{
    q->end = end;
    q->end_ctx = ctx;
    start(wait_for_signal, q);
}

void queue_drain(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->n || q->running)
        pthread_cond_wait(&q->moved, &q->lock);
    pthread_mutex_unlock(&q->lock);
}
