/* store.c - bench/store: what the store costs beside the limits of the machine.
 *
 * The work is done in a child.  The parent only waits and removes the
 * directories, however the child ended.
 *
 * Exit status: 0 if everything that was asked for was measured, whatever the
 * figures say; 1 if something went wrong; 64 for a wrong option. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum { EXIT_USAGE = 64, ROUNDS = 7, STREAMS = 100 * 1000, STREAMS_MAX = 10 * 1000 * 1000 };

static const char usage[] =
    "usage: bench/store [OPTION...]\n"
    "  --only LIST        measure only these, as in R1,R3 (R1 R2 R3 R4 R10 R11 R12 R14 R18 start)\n"
    "  --engine NAME      only files or only sqlite\n"
    "  --rounds N         rounds a figure is the median of (7)\n"
    "  --streams N        streams of the large pad of R10 and R11, results of R12 (100000)\n"
    "  --dir DIR          where the disk is measured (beside this program)\n"
    "  --fill-dir DIR     where R10, R11 and R12 fill their pads (/dev/shm)\n"
    "  --json             one JSON object a line\n"
    "  --smoke            a few operations of each, to see that it runs\n";

/* --- The measurements ------------------------------------------------------------------ */

typedef struct Measurement {
    const char *ids[2]; /* asking for any of them runs it */
    void (*run)(Bench *b, const char *engine);
    bool plain;             /* not of an engine */
    unsigned files, sqlite; /* lines it prints for each */
} Measurement;

/* Adding one is a function and a line here. */
static const Measurement table[] = {
    { .ids = { "R1" }, .run = measure_overwrite, .files = 2, .sqlite = 2 },
    { .ids = { "R2" }, .run = measure_append, .files = 1, .sqlite = 1 },
    { .ids = { "R3" }, .run = measure_read, .files = 2, .sqlite = 2 },
    { .ids = { "R4" }, .run = measure_crowd, .files = 1, .sqlite = 2 },
    { .ids = { "R14" }, .run = measure_bytes, .files = 3, .sqlite = 3 },
    { .ids = { "R18" }, .run = measure_many, .files = 1, .sqlite = 1 },
    { .ids = { "R12" }, .run = measure_context, .files = 2, .sqlite = 2 },
    { .ids = { "R10", "R11" }, .run = measure_growth, .files = 6, .sqlite = 6 },
    { .ids = { "start" }, .run = measure_start, .plain = true, .files = 1 },
};

static bool asked_for(const Bench *b, const Measurement *m)
{
    return wanted(b, m->ids[0]) || (m->ids[1] && wanted(b, m->ids[1]));
}

static void clear(const char *path)
{
    remove_tree(path);
    must(mkdir(path, 0700) == 0, "mkdir");
}

static void run_one(Bench *b, const Measurement *m, const char *engine)
{
    unsigned before = b->lines;
    m->run(b, engine);
    unsigned all = strcmp(engine, "sqlite") == 0 ? m->sqlite : m->files;
    if (!b->only && b->lines - before != all)
        die("%s printed %u lines instead of %u", m->ids[0], b->lines - before, all);
    /* What one measurement leaves behind must not be found by the next. */
    clear(b->disk);
    clear(b->fill);
}

static bool in_this_build(const Bench *b, const char *engine)
{
    Store *s = pad_open_in(b->disk, engine, "probe");
    store_close(s);
    clear(b->disk);
    if (!s)
        report_note(b, "%s: left out of this build", engine);
    return s != NULL;
}

static int run_all(Bench *b)
{
    static const char *const engines[] = { "files", "sqlite" };
    clear(b->disk);
    clear(b->fill);
    pin();
    report_header(b);
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        if ((b->one && strcmp(b->one, engines[i]) != 0) || !in_this_build(b, engines[i]))
            continue;
        for (size_t k = 0; k < COUNT_OF(table); k++)
            if (!table[k].plain && asked_for(b, &table[k]))
                run_one(b, &table[k], engines[i]);
    }
    for (size_t k = 0; k < COUNT_OF(table); k++)
        if (table[k].plain && asked_for(b, &table[k]))
            run_one(b, &table[k], "");
    return 0;
}

/* --- Directories and processes --------------------------------------------------------- */

/* The directory this program lies in. */
static void own_directory(char *to, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", to, size - 1);
    must(n > 0, "find this program");
    to[n] = 0;
    *strrchr(to, '/') = 0;
}

/* Wait for the child, passing on what asks us to end; then nobody of its group is left. */
static int watch(pid_t child, const sigset_t *signals)
{
    int status = -1, met = 0;
    while (met != SIGCHLD || waitpid(child, &status, WNOHANG) != child) {
        met = sigwaitinfo(signals, NULL);
        if (met > 0 && met != SIGCHLD)
            kill(child, SIGKILL);
    }
    kill(-child, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_in_child(Bench *b)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that we can wait for the child's children */
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        exit(run_all(b));
    }
    return watch(child, &signals);
}

static int run_in_directories(Bench *b, const char *disk, const char *fill)
{
    AUTO(Arena) arena = { 0 };
    char *tops[] = { arena_cstr(&arena, arena_printf(&arena, "%s/bench.XXXXXX", disk)),
                     arena_cstr(&arena, arena_printf(&arena, "%s/jotter-bench.XXXXXX", fill)) };
    for (size_t i = 0; i < COUNT_OF(tops); i++)
        if (!mkdtemp(tops[i]))
            die("could not make a directory in '%s': %s", i ? fill : disk, strerrordesc_np(errno));
    b->disk = arena_printf(&arena, "%s/disk", tops[0]).p;
    b->fill = arena_printf(&arena, "%s/fill", tops[1]).p;
    int status = run_in_child(b);
    remove_tree(tops[0]);
    remove_tree(tops[1]);
    return status;
}

/* --- Options --------------------------------------------------------------------------- */

NO_RETURN static void refuse(const char *text)
{
    fprintf(stderr, "bench/store: %s\n%s", text, usage);
    exit(EXIT_USAGE);
}

static uint64_t number(const char *text, uint64_t min, uint64_t max)
{
    uint64_t n = 0;
    if (!str_to_u64(str(text), max, &n) || n < min)
        refuse("a number is out of range");
    return n;
}

static void check_only(const char *list)
{
    Str rest = str(list), one = rest;
    for (bool more = true; more;) {
        more = str_cut(&rest, ',', &one);
        Str id = more ? one : rest;
        bool known = false;
        for (size_t k = 0; k < COUNT_OF(table); k++)
            known = known || str_eq(id, str(table[k].ids[0])) || str_eq(id, str(table[k].ids[1]));
        if (!known || id.n == 0)
            refuse("--only names a measurement that is not there");
    }
}

int main(int argc, char **argv)
{
    enum { ONLY, ENGINE, ROUNDS_OPTION, STREAMS_OPTION, DIR, FILL_DIR, JSON, SMOKE };
    static const struct option options[] = {
        { "only", required_argument, NULL, ONLY },
        { "engine", required_argument, NULL, ENGINE },
        { "rounds", required_argument, NULL, ROUNDS_OPTION },
        { "streams", required_argument, NULL, STREAMS_OPTION },
        { "dir", required_argument, NULL, DIR },
        { "fill-dir", required_argument, NULL, FILL_DIR },
        { "json", no_argument, NULL, JSON },
        { "smoke", no_argument, NULL, SMOKE },
        { 0 },
    };
    char own[PATH_MAX], jotter[PATH_MAX + 16], nothing[PATH_MAX + 16];
    own_directory(own, sizeof own);
    snprintf(jotter, sizeof jotter, "%s/../jotter", own);
    snprintf(nothing, sizeof nothing, "%s/nothing", own);
    Bench b = { .rounds = ROUNDS, .streams = STREAMS, .jotter = jotter, .nothing = nothing };
    const char *disk = own, *fill = "/dev/shm";
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case ONLY:
            check_only(b.only = optarg);
            break;
        case ENGINE:
            b.one = optarg;
            break;
        case ROUNDS_OPTION:
            b.rounds = (unsigned)number(optarg, 1, ROUNDS_MAX);
            break;
        case STREAMS_OPTION:
            b.streams = number(optarg, (uint64_t)2 * PAGE, STREAMS_MAX);
            break;
        case DIR:
            disk = optarg;
            break;
        case FILL_DIR:
            fill = optarg;
            break;
        case JSON:
            b.json = true;
            break;
        case SMOKE:
            b.smoke = true;
            b.rounds = 1;
            b.streams = 400;
            break;
        default:
            refuse("there is no such option");
        }
    }
    if (optind < argc)
        refuse("too many arguments");
    if (b.one && strcmp(b.one, "files") != 0 && strcmp(b.one, "sqlite") != 0)
        refuse("--engine is files or sqlite");
    return run_in_directories(&b, disk, fill);
}
