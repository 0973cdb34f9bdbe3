/* killer.c - an Io, or a clock, that kills. */
#include "agent/killer.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "rig/volume.h"
#include "unit/remove.h"

typedef struct Killer {
    size_t at, steps;
    bool all;
} Killer;

size_t killer_stride(void)
{
    return volume_small() ? 17 : 1;
}

/* Between two steps that leave something on the disk every moment to die is the same. */
static bool changes(const IoCall *call)
{
    switch (call->kind) {
    case IO_READ:
    case IO_STAT:
    case IO_LOCK:
    case IO_ASK:
    case IO_LIST:
    case IO_BOOT:
    case IO_MOUNT:
    case IO_FSYNC:
    case IO_FDATASYNC:
    case IO_SYNCFS:
        return false;
    case IO_OPEN:
        return call->flags & O_CREAT;
    case IO_WRITE:
    case IO_TRUNCATE:
    case IO_RENAME:
    case IO_UNLINK:
    case IO_MKDIR:
    case IO_TIMES:
    case IO_KINDS:
        break;
    }
    return true;
}

static long before(void *ctx, IoCall *call)
{
    Killer *k = ctx;
    if ((k->all || changes(call)) && ++k->steps == k->at)
        kill(getpid(), SIGKILL);
    return call->kind == IO_FSYNC || call->kind == IO_FDATASYNC ? IO_PRETEND : 0;
}

static Killer clock_killer;

static int64_t dying_clock(void *ctx)
{
    if (++clock_killer.steps == clock_killer.at)
        kill(getpid(), SIGKILL);
    return ((Desk *)ctx)->now_ms;
}

static NO_RETURN void be_child(Desk *d, size_t at, KillerWork work, const void *ctx)
{
    Killer k = { .at = at, .all = volume_is("full") };
    IoHook hook = { before, NULL, &k };
    Memory m = { 0 };
    Err e = { 0 };
    clock_killer = k;
    if (strcmp(d->engine, "sqlite") == 0)
        d->io.wall_ms = dying_clock;
    else
        d->io.hook = &hook;
    MemoryOptions o = { .io = &d->io, .by = S("child"), .create = true };
    int code = memory_open(&m, str(d->url), &o, &e) == JOT_OK ? work(d, &m, ctx) : 2;
    memory_close(&m);
    _exit(code);
}

bool killer_run(Desk *d, size_t at, KillerWork work, const void *ctx)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_child(d, at, work, ctx);
    return desk_lived(child);
}

void killer_forget(Desk *d)
{
    static const char *const names[] = { "pad",         "pad.db",       "pad.db-wal", "pad.db-shm",
                                         "pad.db.lock", "pad.db.index", "counter",    "requests" };
    char path[96];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", d->dir, names[i]);
        if (access(path, F_OK) == 0)
            assert_int_equal(remove_all(path), 0);
    }
}
