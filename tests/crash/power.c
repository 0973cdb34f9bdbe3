/* power.c - the power fails after every step of a workload.
 *
 * Every state the two disk models allow is a case; some of them are recovered
 * from under a recorder, and the power fails again during that. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum {
    HANG_S = 300,
    TRIES_PER_POINT = 4000,
    NEW_PER_POINT = 4,
    RECOVERIES = 10,     /* states of a workload from which a second crash is tried */
    RECOVERY_SHARE = 12, /* percent of the states that are second crashes */
};

/* One recording being replayed in one model. */
typedef struct Power {
    Bench *bench;
    Oracle *oracle;
    const Workload *workload;
    const Recording *recording;
    const History *history;
    DiskModel model;
    const char *boot; /* of the machine after the crash */
    char before[80];  /* the first crash, if this is the second */
    size_t point;     /* the last one seen */
    uint64_t reports;
    size_t descriptors;
    /* States to recover from, taken at regular distances. */
    size_t fresh, every;
    struct Chosen {
        size_t point, number;
    } chosen[RECOVERIES];
    size_t chosen_n;
} Power;

static void name_case(const Power *p, const CrashState *s)
{
    bench_case("--part power --lost %s --workload %s --model %s --state %s%zu.%zu",
               test_lost_names[test_lost], p->workload->name, model_names[p->model], p->before,
               s->point, s->number);
}

/* The name of a state or of a whole point, without the crash before it, if --state asks for one. */
static const char *only_here(const Power *p)
{
    const char *only = p->bench->options->only;
    size_t n = strlen(p->before);
    return only && strncmp(only, p->before, n) == 0 && !strchr(only + n, '+') ? only + n : NULL;
}

static bool is_wanted(const Power *p, const CrashState *s)
{
    const char *only = only_here(p);
    char name[40];
    snprintf(name, sizeof name, "%zu.%zu", s->point, s->number);
    return !p->bench->options->only || (only && (!strchr(only, '.') || strcmp(name, only) == 0));
}

static void report(Power *p, const CrashState *s, const Seen *seen, const char *wrong)
{
    AUTO(Buf) about = { 0 };
    crash_describe(s, &about);
    if (seen)
        oracle_describe(seen, &about);
    buf_add_char(&about, 0);
    p->reports++;
    bench_violation(p->bench, wrong, about.p, s->image);
}

/* Behind all states of a point: nobody has lost a descriptor on the way. */
static void check_descriptors(Power *p)
{
    size_t now = bench_descriptors(p->oracle);
    if (p->descriptors && now != p->descriptors) {
        bench_case("--part power --workload %s --model %s --state %s%zu", p->workload->name,
                   model_names[p->model], p->before, p->point);
        p->reports++;
        bench_violation(p->bench,
                        now > p->descriptors ? "the states of a point leaked descriptors"
                                             : "the states of a point closed descriptors of others",
                        "", NULL);
    }
    p->descriptors = now;
}

/* Once at every point, where also nothing hangs. */
static void new_point(Power *p, const CrashState *s)
{
    if (s->point == p->point)
        return;
    alarm(HANG_S);
    check_descriptors(p);
    p->point = s->point;
}

static void choose(Power *p, const CrashState *s)
{
    if (p->fresh++ % p->every == p->every - 1 && p->chosen_n < RECOVERIES)
        p->chosen[p->chosen_n++] = (struct Chosen){ s->point, s->number };
}

static Visit visit(void *ctx, const CrashState *s)
{
    Power *p = ctx;
    if (!is_wanted(p, s))
        return VISIT_PASSED;
    new_point(p, s);
    name_case(p, s);
    bool fresh;
    const Seen *seen = oracle_state(p->oracle, s->image, s->hash, p->boot, &fresh);
    Totals *t = &p->bench->totals;
    t->states++;
    t->distinct += bench_count_disk(p->bench, s->hash);
    if (fresh && p->every)
        choose(p, s);
    Past past = { p->history, s->begun, s->acked, p->model == MODEL_KILL };
    char wrong[500];
    if (!oracle_judge(seen, &past, wrong, sizeof wrong))
        report(p, s, seen, wrong);
    if (p->reports >= REPORTS_MAX)
        return VISIT_STOP;
    return fresh ? VISIT_NEW : VISIT_SEEN;
}

static void replay_all(Power *p, size_t budget)
{
    const Options *o = p->bench->options;
    ReplayOptions options = { .model = p->model,
                              .seed = o->seed,
                              .budget = budget,
                              .new_min = o->quick ? 1 : NEW_PER_POINT,
                              .tries_max = TRIES_PER_POINT,
                              .point_last = p->recording->n };
    p->point = SIZE_MAX;
    p->descriptors = 0;
    p->fresh = p->chosen_n = 0;
    const char *only = only_here(p);
    if (o->only && (!only || !replay_only(&options, only)))
        return;
    replay(p->recording, &options, visit, p);
    check_descriptors(p);
}

/* --- The second crash ------------------------------------------------------------------ */

typedef struct Second {
    Power *first;
    const struct Chosen *at;
    size_t budget;
} Second;

static bool record_recovery(const Power *first, const CrashState *s, History *history,
                            Recording *to)
{
    Bench *b = first->bench;
    bool fresh;
    const Seen *seen = oracle_state(first->oracle, s->image, s->hash, first->boot, &fresh);
    Allowed allowed = history_allowed(first->history, s->begun, s->acked);
    char why[400];
    if (!seen->wrong[0] && !allowed_fits(&allowed, &seen->second, why, sizeof why))
        return false; /* the recovery adds records of its own, with the time of the day */
    Live live;
    live_open(&live, b->work, b->target->untracked);
    live_become(&live, s->image);
    live_close(&live);
    live_open(&live, b->work, b->target->untracked);
    Recorder recorder;
    recorder_start(&recorder, &live, to, NULL);
    Run run;
    run_init(&run, b->target, b->work, &recorder.hook, history);
    test_io_boot(&run.io, first->boot);
    run.recorder = &recorder;
    Action story[RECOVERY_MAX];
    recovery_story(first->oracle, &seen->second, story);
    run_adopt(&run, &seen->second, &allowed, first->history->clean[s->acked]);
    bool ok = !seen->wrong[0] && run_story(&run, story);
    if (!ok)
        bench_violation(b, seen->wrong[0] ? seen->wrong : run.wrong, "", s->image);
    run_done(&run);
    live_close(&live);
    bench_show(b, to, "recovery");
    return ok;
}

static Visit visit_second(void *ctx, const CrashState *s)
{
    Second *second = ctx;
    Power *first = second->first;
    if (s->point != second->at->point || s->number != second->at->number)
        return VISIT_PASSED;
    name_case(first, s);
    AUTO(History) history = { 0 };
    AUTO(Recording) recording = { 0 };
    if (!record_recovery(first, s, &history, &recording))
        return VISIT_STOP;
    const char *wanted = first->bench->options->model;
    for (DiskModel model = MODEL_ORDERED; model <= MODEL_WEAK; model++) {
        if (wanted && strcmp(wanted, model_names[model]) != 0)
            continue;
        Power p = { .bench = first->bench,
                    .oracle = first->oracle,
                    .workload = first->workload,
                    .recording = &recording,
                    .history = &history,
                    .model = model,
                    .boot = test_boots[2] };
        snprintf(p.before, sizeof p.before, "%s:%zu.%zu+", model_names[first->model], s->point,
                 s->number);
        replay_all(&p, second->budget / 2);
        first->reports += p.reports;
    }
    return VISIT_STOP;
}

static void crash_again(Power *p, size_t budget)
{
    uint64_t before = p->bench->totals.distinct;
    for (size_t i = 0; i < p->chosen_n && p->reports < REPORTS_MAX; i++) {
        /* Every point of every recovery has something to show, more than a quick run wants. */
        if (p->bench->options->quick && p->bench->totals.distinct - before > budget)
            break;
        Second second = { p, &p->chosen[i], budget / RECOVERIES };
        ReplayOptions options = { .model = p->model,
                                  .seed = p->bench->options->seed,
                                  .budget = SIZE_MAX / 4,
                                  .tries_max = TRIES_PER_POINT,
                                  .point_first = p->chosen[i].point,
                                  .point_last = p->chosen[i].point };
        replay(p->recording, &options, visit_second, &second);
    }
}

/* The state whose recovery is asked for by name: "weak:12.3+...". */
static void choose_by_name(Power *p)
{
    const char *only = p->bench->options->only;
    char model[20];
    struct Chosen at;
    if (!only || sscanf(only, "%19[a-z]:%zu.%zu+", model, &at.point, &at.number) != 3)
        return;
    if (strcmp(model, model_names[p->model]) == 0)
        p->chosen[p->chosen_n++] = at;
}

/* --- All of it ------------------------------------------------------------------------- */

static bool model_wanted(const Bench *b, DiskModel model)
{
    const char *wanted = b->options->model;
    /* Of a second crash the name says in which model the first one was. */
    return !wanted || strcmp(wanted, model_names[model]) == 0 ||
           (b->options->only && strchr(b->options->only, '+'));
}

/* What is left of the states, shared among the workloads that are left: one with little to show
 * leaves more for the others. */
static size_t budget_for(const Bench *b, const Workload *from)
{
    size_t n = 0;
    for (const Workload *w = from; w->name; w++)
        n += bench_wants(b, w);
    size_t done = b->totals.distinct, all = b->options->states;
    return n > 0 && all > done ? (all - done) / n : 0;
}

void power_run(Bench *b, const Workload *w)
{
    static const size_t percent[MODEL_COUNT] = { 34, 54, 100 };
    Reference ref;
    if (reference_make(b, w, &ref)) {
        Oracle oracle, twin;
        bench_clear(b->look);
        bench_clear(b->real);
        oracle_init(&oracle, b->target, w, &ref.history, b->look);
        oracle_init(&twin, b->target, w, &ref.history, b->real);
        oracle.twin = &twin;
        oracle.thorough = b->options->only != NULL;
        size_t budget = budget_for(b, w);
        bool again = !workload_edited(w); /* edits are no story of the recovery */
        for (DiskModel model = MODEL_ORDERED; model < MODEL_COUNT; model++) {
            Power p = { .bench = b,
                        .oracle = &oracle,
                        .workload = w,
                        .recording = &ref.recording,
                        .history = &ref.history,
                        .model = model,
                        .boot = test_boots[model != MODEL_KILL] };
            p.every = again && model != MODEL_KILL ? budget * percent[model] / 100 / RECOVERIES : 0;
            p.every += again && model != MODEL_KILL;
            if (!model_wanted(b, model))
                continue;
            replay_all(&p, budget * percent[model] / 100);
            choose_by_name(&p);
            crash_again(&p, budget * RECOVERY_SHARE / 200);
        }
        oracle_done(&oracle);
        oracle_done(&twin);
        b->totals.workloads++;
    }
    reference_done(&ref);
}
