/* follow.c - a watch, opened and opened again. */
#include "mcp/server/follow.h"

#include <stdio.h>
#include <string.h>

typedef struct Follower {
    const FollowTells *tells;
    WorkerPad pad;
    Watch *watch;                         /* NULL: there is no pad, or none that can be read */
    int64_t pause_ms;                     /* before the next try */
    char told[sizeof((Err *)NULL)->text]; /* the failure that was told last */
} Follower;

static void tell_failure(Follower *f, const Err *e)
{
    int64_t longer = f->pause_ms * 2;
    if (strcmp(f->told, e->text) != 0)
        f->tells->warning(f->tells->ctx, e->text);
    snprintf(f->told, sizeof f->told, "%s", e->text);
    if (e->status != JOT_UNAVAILABLE) /* which may be otherwise soon, and costs little to ask */
        f->pause_ms = longer < FOLLOW_PAUSE_MAX_MS ? longer : FOLLOW_PAUSE_MAX_MS;
}

static void open_watch(Follower *f)
{
    Memory *m;
    Err e = { 0 };
    worker_pad_check(&f->pad);
    jot_status st = worker_pad_open(&f->pad, false, &m, &e);
    if (st == JOT_OK)
        st = watch_open(&f->watch, m, (Str){ 0 }, &e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        tell_failure(f, &e);
}

/* The next one begins with a handle of its own, whatever was wrong with this. */
static void close_watch(Follower *f)
{
    watch_close(TAKE(f->watch));
    worker_pad_done(&f->pad);
}

static void look(Follower *f)
{
    AUTO(Arena) arena = { 0 };
    Change *changes;
    size_t n;
    Err e = { 0 };
    if (store_moved(f->pad.memory.store)) {
        close_watch(f);
        f->tells->all(f->tells->ctx);
    } else if (watch_next(f->watch, FOLLOW_LOOK_MS, &arena, &changes, &n, &e) != JOT_OK) {
        tell_failure(f, &e);
        close_watch(f);
    } else {
        f->tells->changes(f->tells->ctx, changes, n);
        f->pause_ms = FOLLOW_LOOK_MS;
        f->told[0] = 0;
    }
}

void follow_pad(const McpOptions *o, bool *had, const FollowTells *tells)
{
    Follower f = { .tells = tells, .pause_ms = FOLLOW_LOOK_MS };
    worker_pad_init(&f.pad, o, had);
    open_watch(&f);
    tells->begun(tells->ctx);
    for (;;) {
        if (f.watch) {
            look(&f);
            continue;
        }
        io_sleep_us(o->io ? o->io : &io_system, f.pause_ms * 1000);
        open_watch(&f);
        if (f.watch)
            tells->all(tells->ctx); /* all of it is new */
    }
}
