/* fault.c - a disk that fails: at every step, once or from then on.
 *
 * What a workload was told must be honest: an operation that met an error is
 * not acknowledged, "unknown" is said only where it is meant, and what was
 * acknowledged before stays readable.  When the fault is gone, a fresh handle
 * opens, reads and writes.
 *
 * A sync that fails is a case of its own: the power fails some time after it,
 * and what it should have made durable may be gone although a later sync
 * of the same file has succeeded. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum {
    HANG_S = 300,
    STEPS_MAX = 20000,
    TRIES_PER_POINT = 12,
    STATES_PER_SYNC = 20,
    POINTS_PER_SYNC = 60, /* behind it; what comes much later is not special any more */
};

typedef struct Fault {
    const char *name;
    int error;      /* 0: writes are cut short */
    bool reads;     /* it can hit a reader too, who may sync what he is about to show */
    unsigned kinds; /* the steps it can happen at, a bit for each IoKind */
} Fault;

#define AT(kind) (1u << (kind))
enum {
    AT_CHANGES = AT(IO_WRITE) | AT(IO_FSYNC) | AT(IO_FDATASYNC) | AT(IO_TRUNCATE) | AT(IO_RENAME) |
                 AT(IO_UNLINK) | AT(IO_MKDIR),
    AT_SYNCS = AT(IO_FSYNC) | AT(IO_FDATASYNC),
    AT_ROOM = AT(IO_OPEN) | AT(IO_WRITE) | AT(IO_RENAME) | AT(IO_MKDIR),
    AT_ALL = AT(IO_KINDS) - 1,
};

/* Not every open can fail for every reason; see `applies`.  A reader of SQLite opens its files for
 * writing too. */
static const Fault faults[] = {
    { "eio", EIO, true, AT_ALL & ~(AT(IO_LOCK)) },
    { "enospc", ENOSPC, false, AT_ROOM },
    { "enospc-sync", ENOSPC, true, AT_SYNCS }, /* what was put off finds no room */
    { "edquot", EDQUOT, false, AT_ROOM },
    { "erofs", EROFS, false, AT_CHANGES | AT(IO_OPEN) },
    { "eintr", EINTR, true, AT_ALL & ~(AT(IO_STAT)) },
    { "emfile", EMFILE, true, AT(IO_OPEN) | AT(IO_BOOT) },
    { "short", 0, false, AT(IO_WRITE) },
};

typedef struct Injector {
    IoHook hook;
    const Fault *fault;
    const Run *run; /* people are spared */
    size_t at;      /* the step to fail, among those the fault can happen at, from 1 */
    bool sticky;
    size_t steps;
    bool fired;
} Injector;

/* SQLite does not look whether the sync of a directory succeeded, and its VFS only announces it:
 * with a descriptor that names the directory and can do nothing else. */
static bool is_only_announced(const IoCall *call)
{
    struct stat st;
    bool sync = call->kind == IO_FSYNC || call->kind == IO_FDATASYNC;
    return sync && fcntl(call->fd, F_GETFL) & O_PATH && fstat(call->fd, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

static bool applies(const Injector *i, const IoCall *call)
{
    struct stat st;
    if (is_only_announced(call))
        return false;
    if (!(i->fault->kinds & AT(call->kind)))
        return false;
    if (call->kind != IO_OPEN || i->fault->reads)
        return true;
    if (i->fault->error == EROFS)
        return call->flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR);
    /* Only a new file needs room. */
    return call->flags & O_CREAT && fstatat(call->dir, call->name, &st, 0) != 0;
}

static long before(void *ctx, IoCall *call)
{
    Injector *i = ctx;
    if (i->run->editing || !applies(i, call))
        return 0;
    i->steps++;
    bool hit = i->sticky ? i->steps >= i->at : i->steps == i->at;
    if (!hit)
        return 0;
    i->fired = true;
    if (i->fault->error)
        return -i->fault->error;
    if (call->data.n > 1)
        call->data.n = (call->data.n + 1) / 2;
    return 0;
}

typedef struct Faults {
    Bench *bench;
    Oracle *oracle;
    const Workload *workload;
    const Reference *ref;
    uint64_t reports;
    size_t descriptors; /* open before each fault, and after it */
} Faults;

static void report(Faults *f, const char *wrong, const char *about, const Image *image)
{
    f->reports++;
    bench_violation(f->bench, wrong, about, image);
}

/* Fail one step; false when the story has no such step. */
static bool fail_at(Faults *f, const Fault *fault, size_t at, bool sticky)
{
    char name[60];
    snprintf(name, sizeof name, "%s%s%zu", fault->name, sticky ? "-from-" : "-at-", at);
    bench_case("--part fault --workload %s --state %s", f->workload->name, name);
    const char *behind;
    Wanted wanted = bench_wanted(f->bench, name, &behind);
    if (wanted == WANTED_NOT || wanted == WANTED_BEHIND)
        return true;
    alarm(HANG_S);
    Oracle *o = f->oracle;
    live_become(&o->live, &f->ref->recording.start);
    AUTO(History) history = { 0 };
    Run run;
    Injector injector = { .fault = fault, .run = &run, .at = at, .sticky = sticky };
    injector.hook = (IoHook){ before, NULL, &injector };
    o->follow.next = &injector.hook;
    run_init(&run, f->bench->target, o->root, &o->follow.hook, &history);
    run.faulty = true;
    run.readable = !sticky || (!fault->reads && fault->error != EROFS);
    bool ok = run_setup(&run, f->workload, SETUP_MODEL) && run_story(&run, f->workload->story);
    o->follow.next = NULL;
    run_done(&run);
    if (!ok) {
        report(f, run.wrong, "", NULL);
        return true;
    }
    if (!injector.fired)
        return false;
    f->bench->totals.faults++;
    AUTO(Arena) arena = { 0 };
    Image left;
    live_image(&o->live, &arena, &left);
    const Seen *seen = oracle_left(o, &left, test_boots[0]);
    Past past = { &history, history.n, history.n, true };
    char wrong[500];
    size_t open_now = bench_descriptors(o);
    if (open_now != f->descriptors)
        report(f, "descriptors were leaked, or closed for others", "", NULL);
    f->descriptors = open_now;
    if (!oracle_judge(seen, &past, wrong, sizeof wrong)) {
        AUTO(Buf) about = { 0 };
        buf_addf(&about, "  when the fault was gone\n");
        oracle_describe(seen, &about);
        buf_add_char(&about, 0);
        report(f, wrong, about.p, &left);
    }
    return true;
}

/* --- A sync that fails, and then the power --------------------------------------------- */

typedef struct LostSync {
    Faults *faults;
    const History *history;
    DiskModel model;
    const char *name;
} LostSync;

static Visit visit(void *ctx, const CrashState *s)
{
    LostSync *l = ctx;
    Faults *f = l->faults;
    const char *only = f->bench->options->only;
    char name[120];
    snprintf(name, sizeof name, "%s+%s:%zu.%zu", l->name, model_names[l->model], s->point,
             s->number);
    if (only && strcmp(only, name) != 0)
        return VISIT_PASSED;
    bench_case("--part fault --workload %s --state %s", f->workload->name, name);
    bool fresh;
    const char *boot = test_boots[l->model != MODEL_KILL];
    const Seen *seen = oracle_state(f->oracle, s->image, s->hash, boot, &fresh);
    f->bench->totals.states++;
    f->bench->totals.distinct += bench_count_disk(f->bench, s->hash);
    Past past = { l->history, s->begun, s->acked, l->model == MODEL_KILL };
    char wrong[500];
    if (!oracle_judge(seen, &past, wrong, sizeof wrong)) {
        AUTO(Buf) about = { 0 };
        crash_describe(s, &about);
        oracle_describe(seen, &about);
        buf_add_char(&about, 0);
        report(f, wrong, about.p, s->image);
    }
    if (f->reports >= REPORTS_MAX)
        return VISIT_STOP;
    return fresh ? VISIT_NEW : VISIT_SEEN;
}

static size_t failed_sync(const Recording *rec)
{
    size_t i = 0;
    while (i < rec->n && rec->steps[i].kind != STEP_SYNC_FAILED &&
           rec->steps[i].kind != STEP_SYNC_ALL_FAILED)
        i++;
    return i;
}

/* `only`: the one state to look at, as MODEL:STATE, or "". */
static void replay_lost(Faults *f, const Recording *rec, const History *history, const char *name,
                        const char *only)
{
    for (DiskModel model = MODEL_ORDERED; model < MODEL_COUNT; model++) {
        LostSync lost = { f, history, model, name };
        ReplayOptions options = { .model = model,
                                  .seed = f->bench->options->seed,
                                  .budget = f->bench->options->quick ? 0 : STATES_PER_SYNC,
                                  .new_min = 1,
                                  .tries_max = TRIES_PER_POINT,
                                  .point_first = failed_sync(rec),
                                  .point_last = failed_sync(rec) + POINTS_PER_SYNC };
        size_t n = strlen(model_names[model]);
        if (only[0] && (strncmp(only, model_names[model], n) != 0 || only[n] != ':' ||
                        !replay_only(&options, only + n + 1)))
            continue;
        replay(rec, &options, visit, &lost);
    }
}

/* Let one sync fail and record what the store does about it; false if there is no such sync. */
static bool lose_sync(Faults *f, size_t at)
{
    static const Fault fault = { "sync", EIO, true, AT_SYNCS };
    char name[40];
    snprintf(name, sizeof name, "sync-at-%zu", at);
    bench_case("--part fault --workload %s --state %s", f->workload->name, name);
    const char *behind;
    Wanted wanted = bench_wanted(f->bench, name, &behind);
    if (wanted == WANTED_NOT)
        return at < STEPS_MAX;
    alarm(HANG_S);
    Bench *b = f->bench;
    Live live;
    live_open(&live, b->work, b->target->untracked);
    live.recycle = true;
    live_become(&live, &f->ref->recording.start);
    live_close(&live);
    live_open(&live, b->work, b->target->untracked);
    AUTO(History) history = { 0 };
    AUTO(Recording) recording = { 0 };
    Run run;
    Injector injector = { .fault = &fault, .run = &run, .at = at };
    injector.hook = (IoHook){ before, NULL, &injector };
    Recorder recorder;
    recorder_start(&recorder, &live, &recording, &injector.hook);
    run_init(&run, b->target, b->work, &recorder.hook, &history);
    run.recorder = &recorder;
    run.faulty = true;
    bool ok = run_setup(&run, f->workload, SETUP_MODEL) && run_story(&run, f->workload->story);
    if (!ok)
        report(f, run.wrong, "", NULL);
    run_done(&run);
    live_close(&live);
    bench_show(b, &recording, name);
    if (ok && injector.fired && wanted != WANTED_ALONE)
        replay_lost(f, &recording, &history, name, behind);
    return injector.fired;
}

/* --- All of it ------------------------------------------------------------------------- */

static void run_faults(Faults *f)
{
    size_t stride = f->bench->options->quick && !f->bench->options->only ? 7 : 1;
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        for (int sticky = 0; sticky <= 1; sticky++)
            for (size_t at = 1; at < STEPS_MAX && f->reports < REPORTS_MAX; at += stride)
                if (!fail_at(f, &faults[i], at, sticky))
                    break;
}

void fault_run(Bench *b, const Workload *w)
{
    Reference ref;
    if (reference_make(b, w, &ref)) {
        Oracle oracle;
        bench_clear(b->look);
        oracle_init(&oracle, b->target, w, &ref.history, b->look);
        oracle.thorough = b->options->only != NULL;
        Faults f = { b, &oracle, w, &ref, 0, bench_descriptors(&oracle) };
        run_faults(&f);
        size_t stride = b->options->quick && !b->options->only ? 3 : 1;
        for (size_t at = 1; at < STEPS_MAX && f.reports < REPORTS_MAX; at += stride)
            if (!lose_sync(&f, at))
                break;
        oracle_done(&oracle);
        b->totals.workloads++;
    }
    reference_done(&ref);
}
