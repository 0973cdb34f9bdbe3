/* follow.c - a watch, opened and opened again, and the feeds that hear of it.
 *
 * The thread is always in one of two states:
 *
 *     +----------+   it opens: "everything has changed"       +---------+
 *     | no pad,  | -----------------------------------------> | watches | --> changes to all feeds
 *     | sleeps   | <----------------------------------------- |         |
 *     +----------+   it failed, or its path leads elsewhere   +---------+
 *
 * A failure is reported once and doubles the sleep, up to FOLLOW_PAUSE_MAX_MS, but for one that
 * may be over soon; the first look that succeeds forgets it.
 *
 * Two locks, and neither is taken while the other is held: `feeds_lock` guards the list
 * of feeds and is held while they are notified, `lock` only the step from "off" to "on". */
#include "mcp/server/follow.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "memory/watch.h"

typedef enum FollowState { FOLLOW_OFF = 0, FOLLOW_STARTING, FOLLOW_ON } FollowState;

struct Follower {
    const McpOptions *o;

    pthread_mutex_t lock;
    pthread_cond_t is_on;
    FollowState state;

    pthread_mutex_t feeds_lock;
    McpFeed **feeds;
    size_t n, cap;

    /* The follower's thread's own; of a pad in memory, its one worker's. */
    WorkerPad pad;
    Watch *watch;     /* NULL: there is no pad, or none that can be read */
    int64_t pause_ms; /* before the next try */
    char last_failure[sizeof((Err *)NULL)->text]; /* reported once, not at every try */
};

Follower *follower_new(const McpOptions *o, bool *existed)
{
    Follower *f = mem_alloc(sizeof *f);
    f->o = o;
    f->pause_ms = FOLLOW_LOOK_MS;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->is_on, NULL);
    pthread_mutex_init(&f->feeds_lock, NULL);
    worker_pad_init(&f->pad, o, existed);
    return f;
}

/* --- The feeds --------------------------------------------------------------------------- */

void follower_add(Follower *f, McpFeed *feed)
{
    pthread_mutex_lock(&f->feeds_lock);
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 4;
        f->feeds = mem_grow(f->feeds, f->cap * sizeof(McpFeed *));
    }
    f->feeds[f->n++] = feed;
    pthread_mutex_unlock(&f->feeds_lock);
}

void follower_remove(Follower *f, McpFeed *feed)
{
    pthread_mutex_lock(&f->feeds_lock);
    size_t i = 0;
    while (i < f->n && f->feeds[i] != feed)
        i++;
    assert(i < f->n);
    f->feeds[i] = f->feeds[--f->n];
    pthread_mutex_unlock(&f->feeds_lock);
}

static void notify_changes(Follower *f, const Change *changes, size_t n)
{
    pthread_mutex_lock(&f->feeds_lock);
    for (size_t i = 0; i < f->n; i++)
        mcp_feed_notify(f->feeds[i], changes, n);
    pthread_mutex_unlock(&f->feeds_lock);
}

static void notify_all(Follower *f)
{
    pthread_mutex_lock(&f->feeds_lock);
    for (size_t i = 0; i < f->n; i++)
        mcp_feed_notify_all(f->feeds[i]);
    pthread_mutex_unlock(&f->feeds_lock);
}

static void warn(Follower *f, const char *text)
{
    pthread_mutex_lock(&f->feeds_lock);
    for (size_t i = 0; i < f->n; i++)
        mcp_feed_warn(f->feeds[i], text);
    pthread_mutex_unlock(&f->feeds_lock);
}

void follower_end(Follower *f)
{
    pthread_mutex_lock(&f->feeds_lock);
    for (size_t i = 0; i < f->n; i++)
        mcp_feed_end(f->feeds[i]);
    pthread_mutex_unlock(&f->feeds_lock);
}

/* --- The follower's thread --------------------------------------------------------------- */

static void report_failure(Follower *f, const Err *e)
{
    int64_t longer = f->pause_ms * 2;
    if (strcmp(f->last_failure, e->text) != 0)
        warn(f, e->text);
    snprintf(f->last_failure, sizeof f->last_failure, "%s", e->text);
    if (e->status != JOT_UNAVAILABLE) /* which may be otherwise soon, and costs little to ask */
        f->pause_ms = longer < FOLLOW_PAUSE_MAX_MS ? longer : FOLLOW_PAUSE_MAX_MS;
}

static void open_watch(Follower *f)
{
    Memory *m;
    Err e = { 0 };
    assert(!f->watch);
    worker_pad_check(&f->pad);
    jot_status st = worker_pad_open(&f->pad, false, &m, &e);
    if (st == JOT_OK)
        st = watch_open(&f->watch, m, &(WatchAsk){ 0 }, &e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        report_failure(f, &e);
}

/* The next one begins with a handle of its own, whatever was wrong with this. */
static void close_watch(Follower *f)
{
    watch_close(TAKE(f->watch));
    worker_pad_done(&f->pad);
}

static void *run(void *ctx)
{
    Follower *f = ctx;
    open_watch(f);
    pthread_mutex_lock(&f->lock);
    f->state = FOLLOW_ON;
    pthread_cond_broadcast(&f->is_on);
    pthread_mutex_unlock(&f->lock);
    for (;;) {
        if (f->watch) {
            AUTO(Arena) arena = { 0 };
            Change *changes;
            size_t n;
            Err e = { 0 };
            if (store_moved(f->pad.memory.store)) {
                close_watch(f);
                notify_all(f);
            } else if (watch_next(f->watch, FOLLOW_LOOK_MS, &arena, &changes, &n, &e) != JOT_OK) {
                report_failure(f, &e);
                close_watch(f);
            } else {
                notify_changes(f, changes, n);
                f->pause_ms = FOLLOW_LOOK_MS;
                f->last_failure[0] = 0;
            }
            continue;
        }
        io_sleep_us(f->o->io ? f->o->io : &io_system, f->pause_ms * 1000);
        open_watch(f);
        if (f->watch)
            notify_all(f); /* all of it is new */
    }
    return NULL;
}

/* --- For the workers --------------------------------------------------------------------- */

/* A pad in memory, which nobody takes away, through the handle of its one worker. */
static void start_single(Follower *f, WorkerPad *pad)
{
    Memory *m;
    Err e = { 0 };
    if (f->watch || worker_pad_open(pad, false, &m, &e) != JOT_OK)
        return;
    if (watch_open(&f->watch, m, &(WatchAsk){ 0 }, &e) != JOT_OK)
        warn(f, e.text);
}

void follower_look(Follower *f)
{
    AUTO(Arena) arena = { 0 };
    Change *changes;
    size_t n;
    assert(worker_pad_single(f->o));
    if (f->watch && watch_next(f->watch, 0, &arena, &changes, &n, NULL) == JOT_OK)
        notify_changes(f, changes, n);
}

void follower_start(Follower *f, WorkerPad *pad)
{
    pthread_t thread;
    if (worker_pad_single(f->o)) {
        start_single(f, pad);
        return;
    }
    pthread_mutex_lock(&f->lock);
    if (f->state == FOLLOW_OFF) {
        f->state = FOLLOW_STARTING;
        if (pthread_create(&thread, NULL, run, f) != 0)
            mem_exhausted();
        pthread_detach(thread);
    }
    while (f->state != FOLLOW_ON)
        pthread_cond_wait(&f->is_on, &f->lock);
    pthread_mutex_unlock(&f->lock);
}
