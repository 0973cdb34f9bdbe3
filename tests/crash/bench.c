/* bench.c - directories, counters and reports of the crash rig. */
#include "bench.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig/ramdisk.h"

/* --- A case that ends the process ------------------------------------------------------ */

/* Plain memory that a signal handler may read: what repeats the present case, in two parts. */
static char command[600] = "crash";
static char now_running[300] = "--state none-yet";
static char to_remove[200];

void bench_case(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(now_running, sizeof now_running, fmt, args);
    va_end(args);
}

/* The program itself, with the bug it was given. */
static void name_command(const Options *o, const Target *t)
{
    const char *mutant = getenv("JOTTER_MUTANT");
    bool bug = mutant && mutant[0];
    snprintf(command, sizeof command, "%s%s%s%s --engine %s --seed %llu",
             bug ? "JOTTER_MUTANT=" : "", bug ? mutant : "", bug ? " " : "",
             program_invocation_name, o->engine ? o->engine : t->name, (unsigned long long)o->seed);
}

void bench_disown(void)
{
    to_remove[0] = 0;
}

static void say(const char *text)
{
    ssize_t put = write(STDERR_FILENO, text, strlen(text));
    (void)put;
}

static void died(int signal)
{
    bool told = signal == SIGTERM || signal == SIGINT;
    say(told ? "\nended" : signal == SIGALRM ? "\nviolation: hangs" : "\nviolation: dies");
    say("\n  again: ");
    say(command);
    say(" ");
    say(now_running);
    say("\n");
    if (to_remove[0] && fork() == 0)
        execl("/bin/rm", "rm", "-rf", to_remove, (char *)NULL);
    _exit(1);
}

static void catch_deaths(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM, SIGTERM, SIGINT };
    struct sigaction action = { .sa_handler = died };
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &action, NULL);
}

/* --- Directories ----------------------------------------------------------------------- */

void bench_clear(const char *path)
{
    dir_remove(path);
    int got = mkdir(path, 0700);
    assert(got == 0);
    (void)got;
}

static const char *temp_dir(void)
{
    const char *chosen = getenv("TMPDIR");
    struct stat st;
    if (chosen && chosen[0] && strlen(chosen) < 60)
        return chosen;
    return stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
}

void bench_init(Bench *b, const Options *o, const Target *t)
{
    *b = (Bench){ .options = o, .target = t };
    snprintf(b->home, sizeof b->home, "%s/jotter-crash-XXXXXX", temp_dir());
    char *made = mkdtemp(b->home);
    assert(made);
    (void)made;
    snprintf(b->work, sizeof b->work, "%s/work", b->home);
    snprintf(b->look, sizeof b->look, RAMDISK "/look");
    snprintf(b->real, sizeof b->real, "%s/real", b->home);
    name_command(o, t);
    ramdisk_serve_sqlite();
    bench_clear(b->work);
    bench_clear(b->look);
    bench_clear(b->real);
    snprintf(to_remove, sizeof to_remove, "%s", b->home);
    catch_deaths();
}

void bench_done(Bench *b)
{
    dir_remove(b->home);
    dir_remove(b->look);
    free(b->disks);
    b->disks = NULL;
}

static size_t held_by(const Live *live)
{
    size_t n = 0;
    for (size_t i = 0; live && i < live->n; i++)
        n += live->inodes[i].fd >= 0;
    return n;
}

size_t bench_descriptors(const Oracle *o)
{
    DIR *d = opendir("/proc/self/fd");
    assert(d);
    size_t n = ramdisk_descriptors();
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n - held_by(&o->live) - held_by(o->twin ? &o->twin->live : NULL);
}

/* --- Counting -------------------------------------------------------------------------- */

static uint64_t *place_of(const Bench *b, uint64_t hash)
{
    size_t i = hash & (b->disks_cap - 1);
    while (b->disks[i] && b->disks[i] != hash)
        i = (i + 1) & (b->disks_cap - 1);
    return &b->disks[i];
}

bool bench_count_disk(Bench *b, uint64_t hash)
{
    if (2 * b->disks_n >= b->disks_cap) {
        uint64_t *old = b->disks;
        size_t cap = b->disks_cap;
        b->disks_cap = cap ? cap * 2 : 1 << 14;
        b->disks = mem_alloc(b->disks_cap * sizeof *b->disks);
        for (size_t i = 0; i < cap; i++)
            if (old[i])
                *place_of(b, old[i]) = old[i];
        free(old);
    }
    uint64_t *place = place_of(b, hash);
    bool fresh = *place == 0;
    *place = hash;
    b->disks_n += fresh;
    return fresh;
}

/* --- Reporting ------------------------------------------------------------------------- */

static void keep_image(const Image *image, const char *untracked)
{
    char path[160];
    snprintf(path, sizeof path, "%s/jotter-crash-kept-XXXXXX", temp_dir());
    if (!mkdtemp(path))
        return;
    Live live;
    live_open(&live, path, untracked);
    live.recycle = true;
    live_become(&live, image);
    live_close(&live);
    fprintf(stderr, "  the disk is kept in %s\n", path);
}

void bench_violation(Bench *b, const char *wrong, const char *about, const Image *image)
{
    b->totals.violations++;
    if (b->options->silent)
        return;
    fprintf(stderr, "violation: %s: %s\n%s", now_running, wrong, about);
    if (image)
        keep_image(image, b->target->untracked);
    fprintf(stderr, "  again: %s %s\n", command, now_running);
}

Wanted bench_wanted(const Bench *b, const char *name, const char **rest)
{
    const char *only = b->options->only;
    size_t n = strlen(name);
    *rest = "";
    if (!only)
        return WANTED_ALL;
    if (strncmp(only, name, n) != 0 || (only[n] != 0 && only[n] != '+'))
        return WANTED_NOT;
    *rest = only[n] ? only + n + 1 : "";
    return only[n] ? WANTED_BEHIND : WANTED_ALONE;
}

bool bench_wants(const Bench *b, const Workload *w)
{
    const Options *o = b->options;
    if (workload_needs_files(w) && !b->target->views)
        return false;
    if (o->workload)
        return strcmp(o->workload, w->name) == 0;
    return o->shares <= 1 || (size_t)(w - workloads) % o->shares == o->share;
}

void bench_show(const Bench *b, const Recording *recording, const char *of)
{
    if (!b->options->steps)
        return;
    printf("%s\n", of);
    for (size_t i = 0; i < recording->n; i++)
        printf("%4zu  %s\n", i + 1, recording->steps[i].about);
}

/* --- References ------------------------------------------------------------------------ */

static Visit keep_hash(void *ctx, const CrashState *state)
{
    *(uint64_t *)ctx = state->hash;
    return VISIT_NEW;
}

/* The recording must end where the real directory has ended, or steps were missed. */
static bool check_recording(const Recorder *r, const Recording *recording, char *why, size_t size)
{
    if (!live_agrees(r->live, why, size))
        return false;
    AUTO(Arena) arena = { 0 };
    Image real;
    live_image(r->live, &arena, &real);
    ReplayOptions last = {
        .model = MODEL_KILL, .tries_max = 1, .point_first = recording->n, .point_last = recording->n
    };
    uint64_t replayed = 0;
    replay(recording, &last, keep_hash, &replayed);
    if (r->strays == 0 && replayed == image_hash(&real))
        return true;
    snprintf(why, size, "the recording misses steps (%llu of unknown files)",
             (unsigned long long)r->strays);
    return false;
}

static bool record_story(Run *r, const Workload *w, Recording *to)
{
    Live live;
    Recorder recorder;
    live_open(&live, r->root, r->target->untracked);
    recorder_start(&recorder, &live, to, NULL);
    r->recorder = &recorder;
    r->io.io.hook = &recorder.hook;
    bool ok = run_story(r, w->story) && check_recording(&recorder, to, r->wrong, sizeof r->wrong);
    r->recorder = NULL;
    live_close(&live);
    return ok;
}

bool reference_make(Bench *b, const Workload *w, Reference *out)
{
    *out = (Reference){ 0 };
    bench_case("--workload %s", w->name);
    bench_clear(b->work);
    Run run;
    run_init(&run, b->target, b->work, NULL, &out->history);
    bool ok = run_setup(&run, w, SETUP_BOTH) && record_story(&run, w, &out->recording);
    if (!ok)
        bench_violation(b, run.wrong, "  while nothing fails\n", NULL);
    run_done(&run);
    bench_show(b, &out->recording, w->name);
    return ok;
}

void reference_done(Reference *ref)
{
    history_free(&ref->history);
    recording_free(&ref->recording);
}

void recovery_story(const Oracle *o, const Snapshot *seen, Action out[RECOVERY_MAX])
{
    size_t n = 0;
    for (; n < o->streams_n; n++) {
        bool log = str_starts(str(o->streams[n]), S("runs/"));
        out[n] = (Action){ .kind = log ? DO_APPEND : DO_PUT,
                           .stream = o->streams[n],
                           .text = "written by the recovery" };
    }
    if (o->workload->secret)
        n += secret_again(o->workload, seen, out + n);
    out[n] = (Action){ 0 };
}
