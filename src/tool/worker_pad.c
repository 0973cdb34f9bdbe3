/* worker_pad.c - a worker's pad, opened by the first request that needs it.
 *
 *     no pad yet    a request that makes one makes it; others find nothing
 *     a pad         opened once, and used until its path leads elsewhere (worker_pad_check)
 *     gone          it was there and is no more: an error for all, and none is made in its place,
 *                   or what was written until now would seem to be lost
 *
 * `existed` is what all workers of a server know together. */
#include "tool/worker_pad.h"

#include <assert.h>

#include "base/url.h"
#include "memory/lease.h"

static jot_status open_for_tools(void *ctx, bool create, Memory **out, Err *e)
{
    return worker_pad_open(ctx, create, out, e);
}

void worker_pad_init(WorkerPad *p, const PadOptions *o, bool *existed)
{
    *p = (WorkerPad){ .o = o, .existed = existed, .by = o->by };
    p->host = (ToolHost){
        .open = open_for_tools, .ctx = p, .profiles = o->profiles, .dialect = o->dialect
    };
}

void worker_pad_done(WorkerPad *p)
{
    memory_close(&p->memory);
    p->host.m = NULL;
}

void worker_pad_check(WorkerPad *p)
{
    if (p->memory.store && store_moved(p->memory.store))
        worker_pad_done(p);
}

void worker_pad_serve(WorkerPad *p, Str by, MemoryProgress *progress)
{
    p->by = p->memory.by = by;
    p->progress = p->memory.progress = progress;
}

static jot_status is_gone(const WorkerPad *p, Err *e)
{
    Shown shown;
    AUTO(Arena) arena = { 0 };
    return err_set(e, JOT_UNAVAILABLE,
                   "the pad '%s' is gone: it was moved or removed while this server ran; put it "
                   "back, or make another with 'jotter init'",
                   err_show(&shown, url_bare(&arena, p->o->url)));
}

static jot_status open_pad(WorkerPad *p, bool create, Err *e)
{
    SafeFound found = { .path = p->o->found };
    MemoryOptions o = { .io = p->o->io,
                        .by = p->by,
                        .create = create && !p->o->read_only,
                        .read_only = p->o->read_only,
                        .found = p->o->found ? &found : NULL };
    assert(!p->memory.store);
    TRY(memory_open(&p->memory, p->o->url, &o, e));
    p->memory.looks = p->o->looks;
    p->memory.roll = p->o->roll;
    p->memory.progress = p->progress;
    if (p->o->lease)
        lease_adopt(&p->memory, p->o->lease);
    return JOT_OK;
}

jot_status worker_pad_open(WorkerPad *p, bool create, Memory **out, Err *e)
{
    if (!p->memory.store) {
        assert(p->existed);
        bool existed = __atomic_load_n(p->existed, __ATOMIC_ACQUIRE);
        jot_status st = open_pad(p, create && !existed, e);
        if (st == JOT_NOT_FOUND && existed)
            return is_gone(p, e);
        TRY(st);
        __atomic_store_n(p->existed, true, __ATOMIC_RELEASE);
    }
    *out = &p->memory;
    return JOT_OK;
}

bool worker_pad_single(const PadOptions *o)
{
    return str_starts(o->url, S("mem:"));
}
