/* pool.h - Pool, threads that do verbs, each with the pads open for itself.
 *
 *     server's thread                       workers, up to POOL_WORKERS
 *
 *       pool_add  ---> [ job job job ] ---> verb_do ---> `done`, which posts it back
 *
 * A job whose client has gone is not begun, and one that only reads ends soon: its scan is
 * cancelled.  One that writes and has begun is finished. */
#ifndef WEB_POOL_H
#define WEB_POOL_H

#include "tool/verb.h"
#include "web/web.h"

enum {
    POOL_WORKERS = 6,
    POOL_JOBS_MAX = 256, /* that wait or run */
};

/* What is to be done, and then what came of it. */
typedef struct PoolJob {
    uint64_t number; /* of the exchange */
    const Verb *verb;
    size_t pad;
    Buf body;      /* of a POST: a JSON object, not read yet */
    size_t share;  /* of the room for all bodies */
    json_t *args;  /* what the address and the headers said */
    int64_t at_ms; /* the moment of the past that is asked for; 0: now */
    Arena arena;

    jot_status status;
    Err err;
    VerbData data;
    Buf text;       /* all of that as the answer's body: for `done` */
    bool cancelled; /* atomic */
    bool running;   /* the pool's, as the next */
    struct PoolJob *next;
} PoolJob;

PoolJob *pool_job_new(uint64_t number, const Verb *verb, size_t pad);
void pool_job_free(PoolJob *job); /* NULL is fine */
DEFINE_AUTO_PTR(PoolJob, pool_job_free)

typedef struct Pool Pool;

/* `done` is called on a worker's thread with each job that was not dropped, and owns it then. */
Pool *pool_new(WebOptions *o, void (*done)(void *ctx, PoolJob *job), void *ctx);

/* Takes the job; false, and it is the caller's, if there are too many. */
MUST_USE bool pool_add(Pool *p, PoolJob *job);
/* Nobody waits for it any more.  The job, for the caller to free, if it had not begun. */
PoolJob *pool_drop(Pool *p, uint64_t number);

#endif
