/* pool.c - the jobs, and the workers.
 *
 * One worker is there from the start; another is started when a job waits and none is idle.  They
 * last as long as the process, which ends by _exit. */
#include "web/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "memory/roll.h"
#include "tool/args.h"

struct Pool {
    WebOptions *o;
    void (*done)(void *ctx, PoolJob *job);
    void *ctx;

    pthread_mutex_t lock; /* of the rest */
    pthread_cond_t todo;
    PoolJob *jobs; /* oldest first; waiting and running */
    size_t n, waiting;
    int workers, idle;
};

PoolJob *pool_job_new(uint64_t number, const Verb *verb, size_t pad)
{
    PoolJob *job = mem_alloc(sizeof *job);
    *job = (PoolJob){ .number = number, .verb = verb, .pad = pad, .args = json_object() };
    return job;
}

void pool_job_free(PoolJob *job)
{
    if (!job)
        return;
    buf_free(&job->body);
    buf_free(&job->text);
    json_decref(job->args);
    verb_data_done(&job->data);
    arena_free(&job->arena);
    free(job);
}

/* --- Doing one ------------------------------------------------------------------------------- */

/* What the body says is added to what the address and the headers said; a member that is said in
 * both places is refused. */
static jot_status read_body(PoolJob *job, Err *e)
{
    AUTO_PTR(json_t) given = NULL;
    const char *name;
    json_t *value;
    Shown shown;
    if (!job->body.n)
        return JOT_OK;
    if (json_read(buf_str(&job->body), &given, e) != JOT_OK)
        return err_at(e, "the body");
    if (!json_is_object(given))
        return err_set(e, JOT_INVALID, "the body must be a JSON object");
    json_object_foreach(given, name, value)
    {
        if (json_object_get(job->args, name))
            return err_set(e, JOT_INVALID, "'%s' is given twice", err_show(&shown, str(name)));
        json_object_set(job->args, name, value);
    }
    return JOT_OK;
}

static bool still_wanted(void *ctx, uint64_t scanned)
{
    const PoolJob *job = ctx;
    (void)scanned;
    return !__atomic_load_n(&job->cancelled, __ATOMIC_RELAXED);
}

/* The pad, or an empty one in `none` if there is none and the verb makes none. */
static jot_status open_pad(WorkerPad *pad, const Verb *v, Memory *none, Memory **out, Err *e)
{
    bool make = verb_makes_pad(v);
    jot_status st = worker_pad_open(pad, make, out, e);
    if (st != JOT_NOT_FOUND || make)
        return st;
    TRY(memory_open(none, S("mem:"), &(MemoryOptions){ .create = true }, e));
    *out = none;
    return JOT_OK;
}

/* A request that waits for others keeps a thread from everybody. */
static jot_status check_wait(const PoolJob *job, Err *e)
{
    const json_t *wait = json_object_get(job->args, "wait");
    if (!json_is_integer(wait) || json_integer_value(wait) == 0)
        return JOT_OK;
    return err_set(e, JOT_INVALID, "a server does not wait: leave out 'wait', and ask again");
}

static jot_status do_job(PoolJob *job, WorkerPad *pad)
{
    AUTO(Memory) none = { 0 };
    Err *e = &job->err;
    ToolCall c = { .tool = &job->verb->tool, .args = job->args, .into = &job->arena, .e = e };
    TRY(read_body(job, e));
    TRY(args_check_program(c.tool, c.args, e));
    TRY(check_wait(job, e));
    if (pad->o->read_only && !verb_reads(job->verb))
        return err_set(e, JOT_READ_ONLY, "this server was started with --read-only");
    TRY(open_pad(pad, job->verb, &none, &c.m, e));
    if (!job->at_ms)
        return verb_do(job->verb, &c, &job->data);
    AUTO(Memory) past = { 0 };
    memory_open_past(&past, c.m, job->at_ms);
    c.m = &past;
    return verb_do(job->verb, &c, &job->data);
}

static void run(PoolJob *job, WorkerPad *pad)
{
    MemoryProgress progress = { .report = still_wanted, .ctx = job };
    worker_pad_check(pad);
    worker_pad_serve(pad, pad->o->by, verb_reads(job->verb) ? &progress : NULL);
    job->status = do_job(job, pad);
    worker_pad_serve(pad, pad->o->by, NULL);
}

/* --- What is remembered ------------------------------------------------------------------------
 */

/* One roll for what all workers read of a pad. */
static void make_rolls(WebOptions *o)
{
    for (size_t i = 0; i < o->n; i++) {
        PadOptions *look = &o->pads[i].look;
        SafeFound found = { .path = look->found };
        MemoryOptions options = {
            .io = look->io, .by = look->by, .read_only = true, .found = look->found ? &found : NULL
        };
        look->roll = roll_new(look->url, &options);
    }
}

/* --- The threads ----------------------------------------------------------------------------- */

static PoolJob *next_job(Pool *p)
{
    PoolJob *job = p->jobs;
    while (job && job->running)
        job = job->next;
    return job;
}

static void take_out(Pool *p, PoolJob *job)
{
    PoolJob **at = &p->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    job->next = NULL;
    p->n--;
    p->waiting -= !job->running;
}

/* A worker's own handles on a pad: what reads goes through one that cannot write. */
typedef struct Handles {
    WorkerPad all, look;
} Handles;

static void *work(void *ctx)
{
    Pool *p = ctx;
    Handles pads[WEB_PADS_MAX];
    for (size_t i = 0; i < p->o->n; i++) {
        WebPad *pad = &p->o->pads[i];
        worker_pad_init(&pads[i].all, &pad->o, &pad->existed);
        worker_pad_init(&pads[i].look, &pad->look, &pad->existed);
    }
    for (;;) {
        PoolJob *job;
        pthread_mutex_lock(&p->lock);
        p->idle++;
        while (!(job = next_job(p)))
            pthread_cond_wait(&p->todo, &p->lock);
        p->idle--;
        job->running = true;
        p->waiting--;
        pthread_mutex_unlock(&p->lock);
        bool look = verb_reads(job->verb) && !job->verb->searches;
        Handles *h = &pads[job->pad];
        WorkerPad *pad = look ? &h->look : &h->all;
        run(job, pad);
        pthread_mutex_lock(&p->lock);
        take_out(p, job);
        pthread_mutex_unlock(&p->lock);
        p->done(p->ctx, job);
        if (!look)
            memory_idle(&pad->memory);
    }
    return NULL;
}

static void start_worker(Pool *p)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, p) == 0) {
        pthread_detach(thread);
        p->workers++;
    } else if (p->workers == 0) {
        mem_exhausted();
    }
}

Pool *pool_new(WebOptions *o, void (*done)(void *ctx, PoolJob *job), void *ctx)
{
    Pool *p = mem_alloc(sizeof *p);
    *p = (Pool){ .o = o, .done = done, .ctx = ctx };
    make_rolls(o);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->todo, NULL);
    pthread_mutex_lock(&p->lock);
    start_worker(p);
    pthread_mutex_unlock(&p->lock);
    return p;
}

bool pool_add(Pool *p, PoolJob *job)
{
    pthread_mutex_lock(&p->lock);
    bool room = p->n < POOL_JOBS_MAX;
    if (room) {
        PoolJob **end = &p->jobs;
        while (*end)
            end = &(*end)->next;
        *end = job;
        p->n++;
        p->waiting++;
        if (p->idle < (int)p->waiting && p->workers < POOL_WORKERS)
            start_worker(p);
        pthread_cond_signal(&p->todo);
    }
    pthread_mutex_unlock(&p->lock);
    return room;
}

PoolJob *pool_drop(Pool *p, uint64_t number)
{
    pthread_mutex_lock(&p->lock);
    PoolJob *job = p->jobs;
    while (job && job->number != number)
        job = job->next;
    bool waits = job && !job->running;
    if (waits)
        take_out(p, job);
    else if (job)
        __atomic_store_n(&job->cancelled, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&p->lock);
    return waits ? job : NULL;
}
