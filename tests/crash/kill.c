/* kill.c - the process kills itself at every step of a workload.
 *
 * The kernel lives on: nothing that was written is lost, locks are let go, the
 * boot is the same.  A write is also killed in its middle.  After some of the
 * kills the recovery is killed too, at every one of its steps. */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum {
    HANG_S = 300,
    STEPS_MAX = 20000,
    TWICE_EVERY = 199,      /* kills after which the recovery is killed as well ... */
    TWICE_EVERY_WHOLE = 67, /* ... and in `make soak` */
    WRONG_EXIT = 3,
};

typedef struct Killer {
    IoHook hook;
    size_t at, steps; /* die in step `at`, counted from 1 */
    bool torn;        /* ... if it is a write, in its middle; else live on */
    bool missed;      /* it was no write */
} Killer;

/* The descriptor of a step may be one that only names the file. */
static void write_half(const IoCall *call)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", call->fd);
    size_t half = call->data.n / 2;
    int fd = call->at < 0 ? call->fd : open(path, O_WRONLY | O_CLOEXEC);
    ssize_t put =
        call->at < 0 ? write(fd, call->data.p, half) : pwrite(fd, call->data.p, half, call->at);
    assert(put == (ssize_t)half);
    (void)put;
}

static long before(void *ctx, IoCall *call)
{
    Killer *k = ctx;
    if (++k->steps != k->at) /* a kill asks nothing of the disk, so syncs are pretended */
        return call->kind == IO_FSYNC || call->kind == IO_FDATASYNC ? IO_PRETEND : 0;
    bool tears = call->kind == IO_WRITE && call->data.n > 1;
    if (k->torn && !tears)
        _exit(0);
    if (k->torn)
        write_half(call);
    kill(getpid(), SIGKILL);
    return 0;
}

/* A story, from an image, that ends in a kill. */
typedef struct Story {
    const Workload *workload; /* mem: is set up by it, or ... */
    const Snapshot *adopted;  /* ... begins with this */
    const Action *actions;
    const Image *image;
    bool clean; /* the secret is gone before it begins */
} Story;

typedef struct Kills {
    Bench *bench;
    Oracle *oracle; /* looks where the stories are told */
    const Workload *workload;
    Progress *progress; /* shared with the child */
    uint64_t reports;
    const char *boot;
} Kills;

static void child(const Kills *k, const Story *story, Killer *killer)
{
    AUTO(History) history = { 0 };
    Run run;
    bench_disown();
    run_init(&run, k->bench->target, k->bench->work, &killer->hook, &history);
    run.progress = k->progress;
    const Allowed any = { 0 };
    bool ready = true;
    if (story->adopted)
        run_adopt(&run, story->adopted, &any, story->clean);
    else
        ready = run_setup(&run, story->workload, SETUP_MODEL);
    bool ok = ready && run_story(&run, story->actions);
    if (!ok)
        fprintf(stderr, "%s\n", run.wrong);
    _exit(ok ? 0 : WRONG_EXIT);
}

typedef enum Ending { ENDED_KILLED, ENDED_WELL, ENDED_WRONG } Ending;

static Ending run_child(Kills *k, const Story *story, size_t at, bool torn)
{
    oracle_refresh(k->oracle);
    live_become(&k->oracle->live, story->image);
    *k->progress = (Progress){ 0 };
    Killer killer = { .at = at, .torn = torn };
    killer.hook = (IoHook){ before, NULL, &killer };
    fflush(NULL);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0)
        child(k, story, &killer);
    int status = 0;
    pid_t got = waitpid(pid, &status, 0);
    assert(got == pid);
    (void)got;
    oracle_refresh(k->oracle);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return ENDED_KILLED;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ENDED_WELL : ENDED_WRONG;
}

static void report(Kills *k, const char *wrong, const Seen *seen, const Image *image)
{
    AUTO(Buf) about = { 0 };
    if (seen)
        oracle_describe(seen, &about);
    buf_add_char(&about, 0);
    k->reports++;
    bench_violation(k->bench, wrong, about.p, image);
}

/* Look at what a kill has left. */
static const Seen *judge(Kills *k, const History *history, const Image *left)
{
    const Seen *seen = oracle_look(k->oracle, k->boot);
    Past past = { history, k->progress->begun, k->progress->acked, true };
    char wrong[500];
    if (!oracle_judge(seen, &past, wrong, sizeof wrong)) {
        report(k, wrong, seen, left);
        return NULL;
    }
    return seen;
}

/* --- The second kill ------------------------------------------------------------------- */

/* Tell the recovery's story once to the end, to know what it does. */
static bool tell_recovery(Kills *k, const Story *story, const Allowed *allowed, History *history)
{
    oracle_refresh(k->oracle);
    live_become(&k->oracle->live, story->image);
    Run run;
    run_init(&run, k->bench->target, k->bench->work, NULL, history);
    run_adopt(&run, story->adopted, allowed, story->clean);
    bool ok = run_story(&run, story->actions);
    if (!ok)
        report(k, run.wrong, NULL, story->image);
    run_done(&run);
    return ok;
}

/* `only`: the one step to die at, or "". */
static void kill_recovery(Kills *k, const Image *left, const Snapshot *seen, const Allowed *allowed,
                          bool clean, const char *first, const char *only)
{
    Action actions[RECOVERY_MAX];
    recovery_story(k->oracle, seen, actions);
    Story story = { NULL, seen, actions, left, clean };
    AUTO(History) history = { 0 };
    bench_case("%s+%s", first, only[0] ? only : "again");
    if (!tell_recovery(k, &story, allowed, &history))
        return;
    for (size_t at = 1; at < STEPS_MAX && k->reports < REPORTS_MAX; at++) {
        AUTO(Arena) arena = { 0 };
        char name[24];
        snprintf(name, sizeof name, "%zu", at);
        if (only[0] && strcmp(only, name) != 0)
            continue;
        bench_case("%s+%s", first, name);
        Ending ending = run_child(k, &story, at, false);
        if (ending == ENDED_WRONG)
            report(k, "the recovery ends wrongly", NULL, left);
        if (ending != ENDED_KILLED)
            return;
        k->bench->totals.kills_again++;
        Image image;
        live_image(&k->oracle->live, &arena, &image);
        judge(k, &history, &image);
    }
}

/* --- The first kill -------------------------------------------------------------------- */

static bool is_due(const Kills *k)
{
    return k->bench->totals.kills % (getenv("JOT_TEST_WHOLE") ? TWICE_EVERY_WHOLE : TWICE_EVERY) ==
           0;
}

/* Kill at one step; false when the story has ended before it. */
static bool kill_at(Kills *k, const Reference *ref, size_t at, bool torn)
{
    AUTO(Arena) arena = { 0 };
    char name[40];
    snprintf(name, sizeof name, "%zu%s", at, torn ? "torn" : "");
    char first[120];
    snprintf(first, sizeof first, "--part kill --workload %s --state %s", k->workload->name, name);
    bench_case("%s", first);
    Story story = { k->workload, NULL, k->workload->story, &ref->recording.start, false };
    const char *behind;
    Wanted wanted = bench_wanted(k->bench, name, &behind);
    if (wanted == WANTED_NOT)
        return true;
    alarm(HANG_S);
    Ending ending = run_child(k, &story, at, torn);
    if (ending == ENDED_WRONG)
        report(k, "the story ends wrongly", NULL, NULL);
    if (ending != ENDED_KILLED)
        return torn && ending == ENDED_WELL;
    Image left;
    live_image(&k->oracle->live, &arena, &left);
    k->bench->totals.kills += wanted != WANTED_BEHIND;
    Allowed allowed = history_allowed(&ref->history, k->progress->begun, k->progress->acked);
    const Seen *seen = judge(k, &ref->history, &left);
    bool twice = wanted == WANTED_BEHIND || (wanted == WANTED_ALL && is_due(k));
    /* A recovery that adds records of its own gives them the time of the day. */
    char why[400];
    twice = twice && seen && allowed_fits(&allowed, &seen->second, why, sizeof why);
    if (twice && !workload_edited(k->workload))
        kill_recovery(k, &left, &seen->second, &allowed, ref->history.clean[k->progress->acked],
                      first, behind);
    return true;
}

/* How many steps the story has: every one of them is a place to die. */
static size_t count_steps(Kills *k, const Reference *ref)
{
    Killer counter = { 0 };
    counter.hook = (IoHook){ before, NULL, &counter };
    AUTO(History) history = { 0 };
    oracle_refresh(k->oracle);
    live_become(&k->oracle->live, &ref->recording.start);
    Run run;
    run_init(&run, k->bench->target, k->bench->work, &counter.hook, &history);
    if (!run_setup(&run, k->workload, SETUP_MODEL) || !run_story(&run, k->workload->story))
        report(k, run.wrong, NULL, NULL);
    run_done(&run);
    return counter.steps;
}

void kill_run(Bench *b, const Workload *w)
{
    Reference ref;
    if (reference_make(b, w, &ref)) {
        Oracle oracle;
        oracle_init(&oracle, b->target, w, &ref.history, b->work);
        oracle.thorough = true;
        Kills k = { .bench = b, .oracle = &oracle, .workload = w, .boot = test_boots[0] };
        k.progress = mmap(NULL, sizeof *k.progress, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert(k.progress != MAP_FAILED);
        size_t steps = count_steps(&k, &ref),
               stride = b->options->quick && !b->options->only ? 5 : 1;
        for (size_t at = 1; at <= steps && k.reports < REPORTS_MAX; at += stride) {
            (void)kill_at(&k, &ref, at, false);
            (void)kill_at(&k, &ref, at, true);
        }
        munmap(k.progress, sizeof *k.progress);
        oracle_done(&oracle);
        b->totals.workloads++;
    }
    reference_done(&ref);
}
