/* worker_pad.c - a worker's pad, opened by the first request that needs it.
 *
 * A server lives for days, and a pad may be taken away under it: by `git clean`, by a
 * branch without it, by a backup that is restored.  So before each request the worker
 * asks whether the pad is where it was, and if not opens what is there. */
#include "mcp/server/session.h"
#include "memory/lease.h"

static jot_status open_for_tools(void *ctx, bool create, Memory **out, Err *e)
{
    return worker_pad_open(ctx, create, out, e);
}

void worker_pad_init(WorkerPad *d, const McpOptions *o, bool *had)
{
    *d = (WorkerPad){ .o = o, .had = had, .by = o->by };
    d->host = (ToolHost){
        .open = open_for_tools, .ctx = d, .profiles = o->profiles, .dialect = o->dialect
    };
}

void worker_pad_done(WorkerPad *d)
{
    memory_close(&d->memory);
    d->host.m = NULL;
}

void worker_pad_check(WorkerPad *d)
{
    if (d->memory.store && store_moved(d->memory.store))
        worker_pad_done(d);
}

void worker_pad_serve(WorkerPad *d, Str by, MemoryProgress *progress)
{
    d->by = d->memory.by = by;
    d->progress = d->memory.progress = progress;
}

static jot_status is_gone(const WorkerPad *d, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNAVAILABLE,
                   "the pad '%s' is gone: it was moved or removed while this server ran; put it "
                   "back, or make another with 'jotter init'",
                   err_show(&shown, d->o->url));
}

static jot_status open_pad(WorkerPad *d, bool create, Err *e)
{
    SafeFound found = { .path = d->o->found };
    MemoryOptions o = {
        .io = d->o->io, .by = d->by, .create = create, .found = d->o->found ? &found : NULL
    };
    TRY(memory_open(&d->memory, d->o->url, &o, e));
    d->memory.progress = d->progress;
    if (d->o->lease)
        lease_adopt(&d->memory, d->o->lease);
    return JOT_OK;
}

jot_status worker_pad_open(WorkerPad *d, bool create, Memory **out, Err *e)
{
    if (!d->memory.store) {
        bool had = __atomic_load_n(d->had, __ATOMIC_ACQUIRE);
        jot_status st = open_pad(d, create && !had, e);
        if (st == JOT_NOT_FOUND && had)
            return is_gone(d, e);
        TRY(st);
        __atomic_store_n(d->had, true, __ATOMIC_RELEASE);
    }
    *out = &d->memory;
    return JOT_OK;
}
