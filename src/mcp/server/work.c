/* work.c - the queue and the workers; follow.c follows changes.
 *
 * Who owns what: a worker owns its desk; the follower owns a desk of its own.  A
 * client belongs to the transport until it is gone, and then to its last request.
 * The queue has a lock; the list of those who may be told of changes has another,
 * held while they are told.  Neither is taken while the other is held.
 *
 * A pad in memory is one handle's own, so there one worker does everything and
 * looks for changes itself, after each request. */
#include "mcp/server/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "mcp/server/feed.h"
#include "mcp/server/follow.h"
#include "mcp/server/notifications.h"
#include "memory/watch.h"

struct WorkClient {
    Work *work;
    McpSession *session;
    WorkSend *send;
    void *ctx;
    uint64_t number;
    size_t jobs;      /* that wait, run, or are being let go; under the queue's lock */
    bool gone;        /* the last job frees it */
    bool claims;      /* the next one is for whoever takes its messages, */
    WorkJob *claimed; /* and is this */
    WorkClient *next;
};

struct WorkJob {
    McpRequest *request; /* NULL: the slot is free */
    WorkClient *client;
    uint64_t arrival; /* its place in the order */
    bool running;
    bool cancelled;
    bool answered; /* or about to be: its id may come again as soon as the client has read it */
};
typedef WorkJob Job;

/* How far following has come. */
typedef enum Following { FOLLOW_OFF = 0, FOLLOW_STARTING, FOLLOW_ON } Following;

struct Work {
    const McpOptions *o;
    bool alone; /* the pad belongs to one handle */

    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t todo;  /* something may begin: one worker is enough, he calls the next */
    pthread_cond_t moved; /* something else of it changed */
    Job jobs[WORK_QUEUE_MAX];
    uint64_t arrivals;
    size_t n, waiting, running; /* all in the queue, those that have not begun; running */
    bool ending;                /* nothing more is begun */
    Following following;

    pthread_mutex_t members;
    WorkClient *clients;

    Watch *watch; /* of the one worker, where it is alone */
    bool had;     /* there was a pad; the desks' own */
    void (*end)(void *ctx);
    void *end_ctx;
};

/* --- The queue --------------------------------------------------------------------------- */

static Job *find_job(WorkClient *c, Str id)
{
    Job *jobs = c->work->jobs;
    if (c->jobs == 0)
        return NULL;
    for (size_t i = 0; i < WORK_QUEUE_MAX; i++)
        if (jobs[i].client == c && !jobs[i].cancelled && !jobs[i].answered &&
            rpc_id_same(jobs[i].request->msg.id, id))
            return &jobs[i];
    return NULL;
}

static bool is_busy(void *ctx, Str id)
{
    WorkClient *c = ctx;
    pthread_mutex_lock(&c->work->lock);
    bool busy = find_job(c, id) != NULL;
    pthread_mutex_unlock(&c->work->lock);
    return busy;
}

static Job *next_job(Work *w);

/* Wake a worker if there is something for one; with the lock held. */
static void call_worker(Work *w)
{
    if (next_job(w))
        pthread_cond_signal(&w->todo);
}

/* The request of a job, which leaves the queue. */
static McpRequest *take_out(Work *w, Job *job)
{
    McpRequest *r = job->request;
    w->waiting -= !job->running;
    *job = (Job){ 0 };
    w->n--;
    pthread_cond_broadcast(&w->moved);
    return r;
}

/* One job less; true if it was the last of a client that is gone. */
static bool count_down(WorkClient *c, bool ran)
{
    Work *w = c->work;
    pthread_mutex_lock(&w->lock);
    bool over = --c->jobs == 0 && c->gone;
    if (ran)
        w->running--;
    pthread_cond_broadcast(&w->moved);
    pthread_mutex_unlock(&w->lock);
    return over;
}

/* Let go of a request that has left the queue.  Without the lock, because that may send the answers
 * of a batch; only then is its client free of it. */
static void let_go(WorkClient *c, McpRequest *r, bool ran)
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
    WorkClient *c = ctx;
    pthread_mutex_lock(&c->work->lock);
    Job *job = find_job(c, id);
    McpRequest *dropped = NULL;
    if (job && job->running)
        cancel_running(job);
    else if (job)
        dropped = take_out(c->work, job);
    call_worker(c->work); /* others may have waited for it */
    pthread_mutex_unlock(&c->work->lock);
    if (!dropped)
        return;
    mcp_drop(c->session, dropped);
    let_go(c, dropped, false);
}

static void enqueue(void *ctx, McpRequest *r)
{
    WorkClient *c = ctx;
    Work *w = c->work;
    pthread_mutex_lock(&w->lock);
    while (w->n == WORK_QUEUE_MAX)
        pthread_cond_wait(&w->moved, &w->lock);
    size_t i = 0;
    while (w->jobs[i].request)
        i++;
    w->jobs[i] = (Job){ .request = r, .client = c, .arrival = ++w->arrivals };
    c->jobs++;
    if (c->claims && w->n == 0 && !w->ending && !w->alone) {
        c->claimed = &w->jobs[i];
        c->claimed->running = true;
        w->running++;
    } else {
        w->waiting++;
    }
    w->n++;
    c->claims = false;
    call_worker(w);
    pthread_mutex_unlock(&w->lock);
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

static bool may_begin(const Work *w, const Job *job)
{
    for (size_t i = 0; i < WORK_QUEUE_MAX; i++) {
        const Job *other = &w->jobs[i];
        if (other->request && other->arrival < job->arrival && must_wait_for(job, other))
            return false;
    }
    return true;
}

/* The oldest one that may begin, or NULL. */
static Job *next_job(Work *w)
{
    Job *best = NULL;
    if (w->ending || w->waiting == 0)
        return NULL;
    for (size_t i = 0; i < WORK_QUEUE_MAX; i++) {
        Job *job = &w->jobs[i];
        bool older = job->request && !job->running && (!best || job->arrival < best->arrival);
        if (older && may_begin(w, job))
            best = job;
    }
    return best;
}

size_t work_room(Work *w)
{
    pthread_mutex_lock(&w->lock);
    size_t room = WORK_QUEUE_MAX - w->n;
    pthread_mutex_unlock(&w->lock);
    return room;
}

/* --- Following --------------------------------------------------------------------------- */

static void tell(void *ctx, const Change *changes, size_t n)
{
    Work *w = ctx;
    pthread_mutex_lock(&w->members);
    for (WorkClient *c = w->clients; c; c = c->next)
        mcp_feed_tell(mcp_feed(c->session), changes, n);
    pthread_mutex_unlock(&w->members);
}

static void tell_all(void *ctx)
{
    Work *w = ctx;
    pthread_mutex_lock(&w->members);
    for (WorkClient *c = w->clients; c; c = c->next)
        mcp_feed_tell_all(mcp_feed(c->session));
    pthread_mutex_unlock(&w->members);
}

static void tell_list(void *ctx, const char *what)
{
    WorkClient *asker = ctx;
    pthread_mutex_lock(&asker->work->members);
    for (WorkClient *c = asker->work->clients; c; c = c->next)
        mcp_feed_tell_list(mcp_feed(c->session), what);
    pthread_mutex_unlock(&asker->work->members);
}

static void warn(void *ctx, const char *text)
{
    Work *w = ctx;
    pthread_mutex_lock(&w->members);
    for (WorkClient *c = w->clients; c; c = c->next)
        mcp_feed_warn(mcp_feed(c->session), text);
    pthread_mutex_unlock(&w->members);
}

void work_end_feeds(Work *w)
{
    pthread_mutex_lock(&w->members);
    for (WorkClient *c = w->clients; c; c = c->next)
        mcp_feed_end(mcp_feed(c->session));
    pthread_mutex_unlock(&w->members);
}

/* From now on no change is missed. */
static void is_following(void *ctx)
{
    Work *w = ctx;
    pthread_mutex_lock(&w->lock);
    w->following = FOLLOW_ON;
    pthread_cond_broadcast(&w->moved);
    pthread_mutex_unlock(&w->lock);
}

static void *follow_changes(void *ctx)
{
    Work *w = ctx;
    FollowTells tells = {
        .begun = is_following, .changes = tell, .all = tell_all, .warning = warn, .ctx = w
    };
    follow_pad(w->o, &w->had, &tells);
}

/* Where one worker does everything: a pad in memory, which nobody takes away. */
static void open_own_watch(Work *w, McpDesk *desk)
{
    Memory *m;
    Err e = { 0 };
    bool there = w->watch || mcp_desk_open(desk, false, &m, &e) == JOT_OK;
    if (!w->watch && there && watch_open(&w->watch, m, (Str){ 0 }, &e) != JOT_OK)
        warn(w, e.text);
}

static void look_oneself(Work *w)
{
    AUTO(Arena) arena = { 0 };
    Change *changes;
    size_t n;
    if (w->watch && watch_next(w->watch, 0, &arena, &changes, &n, NULL) == JOT_OK)
        tell(w, changes, n);
}

static void start(void *(*run)(void *), Work *w)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, w) != 0)
        mem_exhausted();
    pthread_detach(thread);
}

static void follow(void *ctx, McpDesk *desk)
{
    WorkClient *c = ctx;
    Work *w = c->work;
    if (w->alone) {
        open_own_watch(w, desk);
        return;
    }
    pthread_mutex_lock(&w->lock);
    bool first = w->following == FOLLOW_OFF;
    if (first)
        w->following = FOLLOW_STARTING;
    pthread_mutex_unlock(&w->lock);
    if (first)
        start(follow_changes, w);
    pthread_mutex_lock(&w->lock);
    while (w->following != FOLLOW_ON)
        pthread_cond_wait(&w->moved, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* --- The workers ------------------------------------------------------------------------- */

static void finish(Work *w, Job *job, Str reply)
{
    WorkClient *c = job->client;
    pthread_mutex_lock(&w->lock);
    bool cancelled = job->cancelled;
    job->answered = true;
    pthread_mutex_unlock(&w->lock);
    if (cancelled)
        mcp_drop(c->session, job->request);
    else if (reply.n)
        mcp_deliver(c->session, job->request, reply);
    pthread_mutex_lock(&w->lock);
    McpRequest *done = take_out(w, job);
    pthread_mutex_unlock(&w->lock);
    let_go(c, done, true);
}

/* The answer is on its way, and nobody waits for another. */
static void rest_at(Work *w, McpDesk *desk)
{
    pthread_mutex_lock(&w->lock);
    bool quiet = w->waiting == 0;
    pthread_mutex_unlock(&w->lock);
    if (quiet)
        memory_idle(&desk->memory);
}

static void *work(void *ctx)
{
    Work *w = ctx;
    McpDesk desk;
    work_desk(w, &desk);
    for (;;) {
        AUTO(Buf) reply = { 0 };
        pthread_mutex_lock(&w->lock);
        Job *job;
        while (!(job = next_job(w)))
            pthread_cond_wait(&w->todo, &w->lock);
        job->running = true;
        w->waiting--;
        w->running++;
        call_worker(w);
        pthread_mutex_unlock(&w->lock);
        mcp_work(job->client->session, job->request, &desk, &reply);
        finish(w, job, buf_str(&reply));
        rest_at(w, &desk);
        look_oneself(w);
    }
    return NULL;
}

void work_claim(WorkClient *c)
{
    c->claims = true;
}

WorkJob *work_claimed(WorkClient *c)
{
    c->claims = false;
    return TAKE(c->claimed);
}

void work_do(WorkJob *job, McpDesk *desk)
{
    AUTO(Buf) reply = { 0 };
    Work *w = job->client->work;
    mcp_work(job->client->session, job->request, desk, &reply);
    finish(w, job, buf_str(&reply));
    pthread_mutex_lock(&w->lock);
    call_worker(w); /* what came meanwhile may have waited for it */
    pthread_mutex_unlock(&w->lock);
    rest_at(w, desk);
}

/* --- Clients ----------------------------------------------------------------------------- */

static void pass_on(void *ctx, const McpOut *out)
{
    WorkClient *c = ctx;
    c->send(c->ctx, c->number, out);
}

WorkClient *work_client_new(Work *w, WorkSend *send, void *ctx, uint64_t number)
{
    WorkClient *c = mem_alloc(sizeof *c);
    McpHooks hooks = { .send = pass_on,
                       .busy = is_busy,
                       .cancel = cancel,
                       .work = enqueue,
                       .follow = follow,
                       .changed = tell_list,
                       .ctx = c };
    *c = (WorkClient){ .work = w, .send = send, .ctx = ctx, .number = number };
    c->session = mcp_session_new(w->o, &hooks);
    pthread_mutex_lock(&w->members);
    c->next = w->clients;
    w->clients = c;
    pthread_mutex_unlock(&w->members);
    return c;
}

static void leave_members(WorkClient *c)
{
    pthread_mutex_lock(&c->work->members);
    WorkClient **at = &c->work->clients;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&c->work->members);
}

/* The next request of a client that has not begun; those that run are not answered. */
static McpRequest *withdraw(WorkClient *c)
{
    McpRequest *r = NULL;
    pthread_mutex_lock(&c->work->lock);
    for (size_t i = 0; i < WORK_QUEUE_MAX && !r; i++) {
        Job *job = &c->work->jobs[i];
        if (job->client == c && job->running)
            cancel_running(job);
        else if (job->client == c)
            r = take_out(c->work, job);
    }
    call_worker(c->work);
    pthread_mutex_unlock(&c->work->lock);
    return r;
}

void work_client_free(WorkClient *c)
{
    if (!c)
        return;
    leave_members(c);
    pthread_mutex_lock(&c->work->lock);
    c->jobs++; /* this one holds it while the others go */
    c->gone = true;
    pthread_mutex_unlock(&c->work->lock);
    for (McpRequest *r; (r = withdraw(c)) != NULL;) {
        mcp_request_free(r);
        (void)count_down(c, false); /* never the last one */
    }
    let_go(c, NULL, false);
}

McpSession *work_session(WorkClient *c)
{
    return c->session;
}

bool work_client_busy(WorkClient *c)
{
    pthread_mutex_lock(&c->work->lock);
    bool busy = c->jobs > 0;
    pthread_mutex_unlock(&c->work->lock);
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

Work *work_start(const McpOptions *o, int workers)
{
    Work *w = mem_alloc(sizeof *w);
    sigset_t set = signals();
    w->o = o;
    w->alone = str_starts(o->url, S("mem:"));
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->todo, NULL);
    pthread_cond_init(&w->moved, NULL);
    pthread_mutex_init(&w->members, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < (w->alone ? 1 : workers); i++)
        start(work, w);
    return w;
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
    Work *w = ctx;
    sigset_t set = signals();
    int which;
    sigwait(&set, &which);
    struct timespec until = later(WORK_GRACE_MS);
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    while (w->running && pthread_cond_clockwait(&w->moved, &w->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&w->lock);
    w->end(w->end_ctx);
    return NULL;
}

void work_desk(Work *w, McpDesk *desk)
{
    mcp_desk_init(desk, w->o, &w->had);
}

void work_on_signal(Work *w, void (*end)(void *ctx), void *ctx)
{
    w->end = end;
    w->end_ctx = ctx;
    start(wait_for_signal, w);
}

void work_drain(Work *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->n || w->running)
        pthread_cond_wait(&w->moved, &w->lock);
    pthread_mutex_unlock(&w->lock);
}
