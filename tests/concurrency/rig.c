/* rig.c - run a crew on a fresh pad, gather what is left, let the checker judge, say one line.
 *
 *   concurrency --engine sqlite: [--ops N] [--processes P] [--kills K] [--stops S] [--outages U]
 * [--seed X]
 *               [--where DIR] [--minutes M] [--racing PERCENT] [--verbose]
 *
 * With --minutes it is done again and again, each time on a fresh pad with the next seed, and the
 * line counts all rounds together.
 *
 * The run is a child of its own.  Whatever happens to it, the parent ends it in time and takes
 * the directory away. */
#include "rig.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>

#include "checker.h"
#include "crew.h"
#include "rig/volume.h"
#include "search.h"
#include "toy.h"
#include "trial.h"

enum {
    EXIT_VIOLATION = 1,
    EXIT_USAGE = 2,
    EXIT_SKIP = 77, /* as meson counts it */
    STUCK_MS = 40 * 1000,
    RUN_S_MAX = 600, /* of one round */
    WINDOWS = 40,
    TMPFS = 0x01021994,
};

typedef struct Options {
    const char *engine; /* "sqlite:", "files:", "toy:" */
    const char *where;
    uint64_t ops, processes, kills, stops, outages, seed, minutes, racing;
    bool verbose;
} Options;

/* What all rounds came to. */
typedef struct Total {
    uint64_t operations, appends, racing, kills, stops, outages, mid_append, lost, doubled,
        lock_errors;
    uint64_t rounds;
} Total;

/* --- Judging ---------------------------------------------------------------------------- */

/* Pieces of the history by the other checker. */
static bool search_windows(const History *h, uint64_t seed)
{
    Dice d = { seed };
    for (int i = 0; i < WINDOWS; i++) {
        size_t s = dice_below(&d, h->stream_n), n = SEARCH_MAX + 1;
        Culprit ops[SEARCH_MAX + 1];
        uint64_t count = h->streams[s].n, from = dice_below(&d, count + 1), to = from;
        for (uint64_t width = 16; n > SEARCH_MAX && width > 0; width /= 2) {
            to = from + width < count ? from + width : count;
            n = search_window(h, s, from, to, ops);
        }
        if (n > SEARCH_MAX || search_run(h, s, from, to, ops, n) != SEARCH_NO)
            continue;
        printf("VIOLATION: no order of the operations on %s between records %" PRIu64
               " and %" PRIu64 "\n",
               h->streams[s].name, from, to);
        return false;
    }
    return true;
}

/* Nothing may be left behind that keeps the next writer waiting. */
static bool still_writable(const char *url, const Scene *scene)
{
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    StoreOptions do_not_wait = { .wait_ms = -1 };
    jot_status st = open_any(&s, str(url), &do_not_wait, &e);
    for (size_t i = 0; st == JOT_OK && i < scene->n; i++) {
        Mark mark;
        Draft d = { .op = OP_PUT, .by = S("after"), .body = S("the crew has gone") };
        st = store_append(s, str(scene->streams[i].name), &(Expect){ 0 }, &d, &mark, &e);
    }
    if (st != JOT_OK)
        printf("VIOLATION: the pad cannot be written when all have gone: %s\n", e.text);
    return st == JOT_OK;
}

static bool gather(Crew *crew, const char *url, Arena *into)
{
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    if (open_any(&s, str(url), NULL, &e) != JOT_OK) {
        printf("VIOLATION: the pad cannot be opened when all have gone: %s\n", e.text);
        return false;
    }
    history_gather(&crew->history, s, into);
    return true;
}

static void add_total(Total *t, const Crew *crew, const Verdict *v)
{
    t->rounds++;
    t->operations += v->operations;
    t->appends += v->appends;
    t->racing += v->racing;
    t->kills += crew->kills;
    t->stops += crew->stops;
    t->outages += crew->outages;
    t->mid_append += crew->mid_append;
    t->lost += v->broken[RULE_LOST];
    t->doubled += v->broken[RULE_DOUBLED] + v->broken[RULE_ID];
    t->lock_errors += v->broken[RULE_STATUS];
}

static void tell_more(const Crew *crew, const Verdict *v)
{
    printf("  %" PRIu64 " records, %" PRIu64 " without an answer, %u kills in the middle of an "
           "append\n",
           v->records, v->unanswered, crew->mid_append);
    for (size_t i = 0; i < crew->history.stream_n; i++)
        printf("  %s: %zu\n", crew->history.streams[i].name, crew->history.streams[i].n);
}

static bool judge(Crew *crew, const CrewPlan *plan, const Options *o, Total *total)
{
    AUTO(Arena) arena = { 0 };
    if (crew->fault[0])
        printf("VIOLATION: %s\n", crew->fault);
    if (!gather(crew, plan->url, &arena))
        return false;
    Verdict v;
    clock_t before = clock();
    bool right = checker_run(&crew->history, &v);
    if (o->verbose)
        printf("  judged in %.3f s\n", (double)(clock() - before) / CLOCKS_PER_SEC);
    if (!right)
        printf("VIOLATION: %s", v.text);
    for (Rule i = 0; i < RULE_COUNT; i++)
        if (v.broken[i])
            printf("  %" PRIu64 " times: %s\n", v.broken[i], rule_text(i));
    add_total(total, crew, &v);
    if (o->verbose)
        tell_more(crew, &v);
    return right && crew->fault[0] == 0 && search_windows(&crew->history, plan->seed) &&
           still_writable(plan->url, &plan->scene);
}

/* --- One round -------------------------------------------------------------------------- */

static bool make_pad(const char *url, bool *unsupported)
{
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    jot_status st = open_any(&s, str(url), &(StoreOptions){ .create = true }, &e);
    *unsupported = st == JOT_UNSUPPORTED;
    if (st != JOT_OK)
        printf("%s: %s\n", *unsupported ? "SKIP" : "VIOLATION", e.text);
    return st == JOT_OK;
}

static int run_round(const Options *o, const char *dir, uint64_t round, Total *total)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Crew) crew = { 0 };
    const char *round_dir = arena_printf(&arena, "%s/%" PRIu64, dir, round).p;
    if (mkdir(round_dir, 0700) != 0)
        return EXIT_VIOLATION;
    AUTO(Outage) outage = { 0 };
    Str scheme = str_slice(str(o->engine), 0, str_find(str(o->engine), ':') + 1);
    if (o->outages && !outage_begin(&outage, scheme)) {
        printf("VIOLATION: there is no server that could fail\n");
        return EXIT_VIOLATION;
    }
    CrewPlan plan = { .url = arena_cstr(&arena, trial_url(&arena, o->engine, round_dir)),
                      .workers = o->processes,
                      .ops = o->ops,
                      .kills = (unsigned)o->kills,
                      .stops = (unsigned)o->stops,
                      .outages = (unsigned)o->outages,
                      .outage = o->outages ? &outage : NULL,
                      .seed = o->seed + round,
                      .stuck_ms = STUCK_MS };
    scene_full(&plan.scene);
    if (str_starts(str(o->engine), S("s3:")))
        scene_unguard(&plan.scene);
    bool unsupported;
    if (!make_pad(plan.url, &unsupported))
        return unsupported ? EXIT_SKIP : EXIT_VIOLATION;
    crew_run(&crew, &plan);
    if (o->outages)
        printf("  outages: %u kills of the server, %u failovers, %u cuts, %u black holes, %u "
               "delays, %u mixings of connections (%d answers overtaken), %u answers lost\n",
               outage.kills, outage.failovers, outage.cuts, outage.holes, outage.waits,
               outage.mixes, outage.through ? outage.proxy.state->overtaken : 0, outage.lost);
    bool right = judge(&crew, &plan, o, total);
    if (!right)
        printf("  seed %" PRIu64 "\n", plan.seed);
    trial_remove(round_dir);
    return right ? 0 : EXIT_VIOLATION;
}

static const char *place_name(const char *dir)
{
    struct statfs fs;
    return statfs(dir, &fs) == 0 && fs.f_type == TMPFS ? "shm" : "disk";
}

static double percent_racing(const Total *t)
{
    return t->appends ? 100.0 * (double)t->racing / (double)t->appends : 0;
}

static void say_total(const Options *o, const char *dir, const Total *t)
{
    Str engine = str(o->engine);
    printf("concurrency " STR_FMT " %s: %" PRIu64 " operations checked, %" PRIu64
           " processes, %.0f %% racing, %" PRIu64 " kills, %" PRIu64 " stops, %" PRIu64
           " outages, %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64 " lock errors\n",
           STR_ARG(str_slice(engine, 0, str_find(engine, ':'))), place_name(dir), t->operations,
           o->processes, percent_racing(t), t->kills, t->stops, t->outages, t->lost, t->doubled,
           t->lock_errors);
}

/* A run in which little happened proves little. */
static bool wild_enough(const Options *o, const Total *t)
{
    bool wild = percent_racing(t) >= (double)o->racing && t->kills >= o->kills &&
                t->stops >= o->stops && t->outages >= o->outages && t->operations >= o->ops;
    if (!wild)
        printf("VIOLATION: the run was too tame: at least %" PRIu64 " %% racing, %" PRIu64
               " kills, %" PRIu64 " stops and %" PRIu64 " operations are asked for\n",
               o->racing, o->kills, o->stops, o->ops);
    return wild;
}

static int64_t seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* --- The directory and the time limit --------------------------------------------------- */

static int run(const Options *o, const char *dir)
{
    Total total = { 0 };
    int64_t end = seconds_now() + (int64_t)o->minutes * 60;
    uint64_t round = 0;
    int code;
    do {
        alarm(RUN_S_MAX);
        code = run_round(o, dir, round, &total);
        round++;
        if (code != EXIT_SKIP)
            say_total(o, dir, &total);
        fflush(stdout);
    } while (code == 0 && seconds_now() < end);
    if (code == EXIT_SKIP)
        return code;
    if (code == 0 && !wild_enough(o, &total))
        code = EXIT_VIOLATION;
    return code;
}

static volatile sig_atomic_t run_pid;

static void end_run(int signal_number)
{
    if (run_pid > 0)
        kill((pid_t)run_pid, SIGKILL);
}

typedef struct Run {
    const Options *options;
    const char *dir;
} Run;

static int live_as_run(void *ctx)
{
    const Run *r = ctx;
    return run(r->options, r->dir);
}

static int run_in_child(const Options *o, const char *dir)
{
    Run r = { o, dir };
    pid_t pid = child_start(live_as_run, &r, 0);
    run_pid = pid;
    struct sigaction end = { .sa_handler = end_run };
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    int code = pid > 0 ? child_end(pid) : -1;
    run_pid = 0;
    if (code == 0 || code == EXIT_VIOLATION || code == EXIT_SKIP)
        return code;
    printf("VIOLATION: the run did not end by itself (%d)\n", code);
    return EXIT_VIOLATION;
}

/* --- The command line ------------------------------------------------------------------- */

static const struct option long_options[] = {
    { "engine", required_argument, NULL, 'e' },  { "where", required_argument, NULL, 'w' },
    { "ops", required_argument, NULL, 'o' },     { "processes", required_argument, NULL, 'p' },
    { "kills", required_argument, NULL, 'k' },   { "stops", required_argument, NULL, 's' },
    { "outages", required_argument, NULL, 'u' }, { "seed", required_argument, NULL, 'x' },
    { "minutes", required_argument, NULL, 'm' }, { "racing", required_argument, NULL, 'r' },
    { "verbose", no_argument, NULL, 'v' },       { NULL, 0, NULL, 0 },
};

static uint64_t *number_option(Options *o, int c)
{
    switch (c) {
    case 'o':
        return &o->ops;
    case 'p':
        return &o->processes;
    case 'k':
        return &o->kills;
    case 's':
        return &o->stops;
    case 'u':
        return &o->outages;
    case 'x':
        return &o->seed;
    case 'm':
        return &o->minutes;
    case 'r':
        return &o->racing;
    default:
        return NULL;
    }
}

static bool parse_options(int argc, char **argv, Options *o)
{
    int c;
    optind = 1;
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        uint64_t *number = number_option(o, c);
        if (c == 'e')
            o->engine = optarg;
        else if (c == 'w')
            o->where = optarg;
        else if (c == 'v')
            o->verbose = true;
        else if (!number || !str_to_u64(str(optarg), 1000000000000u, number))
            return false;
    }
    return o->engine && strchr(o->engine, ':') && optind == argc && o->ops >= 100 &&
           o->processes >= 2 && o->processes <= HISTORY_WORKERS_MAX && o->kills <= o->ops / 50 &&
           o->stops <= o->ops / 50;
}

/* The same run, a tenth of it; long enough for every kind of signal. */
static void make_small(Options *o)
{
    o->ops = o->ops / 10 > 4000 ? o->ops / 10 : 4000;
    o->kills = o->kills / 10 > 10 ? o->kills / 10 : o->kills;
    o->stops = o->stops / 10 > 10 ? o->stops / 10 : o->stops;
    o->outages = o->outages / 10 > 10 ? o->outages / 10 : o->outages;
}

int rig_main(int argc, char **argv)
{
    Options o = { .where = trial_where(),
                  .ops = 8000,
                  .processes = 8,
                  .kills = 12,
                  .stops = 12,
                  .seed = trial_seed(1),
                  .racing = 30 };
    if (!parse_options(argc, argv, &o)) {
        fprintf(stderr,
                "usage: concurrency --engine URLPREFIX [--ops N] [--processes 2..%d]"
                " [--kills K] [--stops S] [--outages U] [--seed X] [--where DIR] [--minutes M]"
                " [--racing PERCENT] [--verbose]\n",
                HISTORY_WORKERS_MAX);
        return EXIT_USAGE;
    }
    AUTO(Arena) arena = { 0 };
    if (volume_small())
        make_small(&o);
    const char *dir = trial_make(o.where, &arena);
    if (!dir) {
        fprintf(stderr, "could not make a directory in %s: %s\n", o.where, strerror(errno));
        return EXIT_VIOLATION;
    }
    int code = run_in_child(&o, dir);
    trial_remove(dir);
    return code;
}
