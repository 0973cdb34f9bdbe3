/* test_random.c - the same random programs on an engine and on the model in memory.
 *
 *   test_random [--engine NAME] [--programs N] [--seed N]
 *
 * Programs 1 to N are always the same.  --seed (or JOT_TEST_SEED) adds one more; with
 * --programs 0 it runs alone, which is how a failure is repeated.  A program
 * that fails is shrunk and printed.  Exit codes as for test_store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "program.h"
#include "rig/volume.h"

enum { EXIT_USAGE = 2, EXIT_MISSING = 77, PROGRAMS_SMALL = 40 };

typedef struct Options {
    const char *engine;
    uint64_t programs;
    uint64_t seed; /* 0: none */
} Options;

static bool agrees_on(const Program *program, void *ctx)
{
    char why[CHILD_WHY_MAX];
    return program_agrees(program, ctx, why);
}

/* Show what failed, as small as it gets. */
static void show_failure(const Program *program, const Engine *engine)
{
    Program small = program_shrink(program, agrees_on, (void *)engine);
    char why[CHILD_WHY_MAX];
    bool agrees = program_agrees(&small, engine, why);
    AUTO(Buf) text = { 0 };
    program_print(&text, &small);
    printf("not ok - %s differs from mem: program %llu, %d of its %d steps are enough\n" STR_FMT
           "%s\nrepeat with: test_random --engine %s --programs 0 --seed %llu\n",
           engine->name, (unsigned long long)program->seed, small.n, program->n,
           STR_ARG(buf_str(&text)), agrees ? "it failed only once" : why, engine->name,
           (unsigned long long)program->seed);
    fflush(stdout);
}

static bool try_seed(uint64_t seed, const Engine *engine)
{
    Program program = program_make(seed);
    char why[CHILD_WHY_MAX];
    if (program_agrees(&program, engine, why))
        return true;
    show_failure(&program, engine);
    return false;
}

/* How many differ; one is enough to see, so it stops there. */
static int run(const Options *o, const Engine *engine, uint64_t *done)
{
    for (uint64_t seed = 1; seed <= o->programs; seed++, ++*done)
        if (!try_seed(seed, engine))
            return 1;
    if (o->seed == 0)
        return 0;
    ++*done;
    return !try_seed(o->seed, engine);
}

static bool read_number(const char *text, uint64_t *out)
{
    return text && str_to_u64(str(text), STORE_SEQ_MAX, out);
}

static bool read_options(int argc, char **argv, Options *o)
{
    const char *seed = getenv("JOT_TEST_SEED");
    if (seed && !read_number(seed, &o->seed))
        return false;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--engine") == 0 && value)
            o->engine = value;
        else if (strcmp(argv[i], "--programs") != 0 && strcmp(argv[i], "--seed") != 0)
            return false;
        else if (!read_number(value, argv[i][2] == 'p' ? &o->programs : &o->seed))
            return false;
    }
    if (volume_small() && o->programs > PROGRAMS_SMALL)
        o->programs = PROGRAMS_SMALL;
    return true;
}

int main(int argc, char **argv)
{
    Options o = { .engine = "mem", .programs = 200 };
    if (!read_options(argc, argv, &o) || !engine_find(o.engine)) {
        fprintf(stderr, "usage: %s [--engine mem|files|placed|sqlite] [--programs N] [--seed N]\n",
                argv[0]);
        return EXIT_USAGE;
    }
    const Engine *engine = engine_find(o.engine);
    if (!engine_present(engine)) {
        printf("# MISSING: this build has no engine '%s'\n", o.engine);
        return contract_expects(o.engine) ? EXIT_FAILURE : EXIT_MISSING;
    }
    uint64_t done = 0;
    int64_t start = io_awake_ms(&io_system);
    int differ = run(&o, engine, &done);
    double seconds = (double)(io_awake_ms(&io_system) - start) / 1000;
    printf("%sok - %s answers as mem does\n", differ ? "not " : "", o.engine);
    printf("contract %s: %llu random programs, %llu operations compared with mem, %d differ (%.1f "
           "s)\n",
           o.engine, (unsigned long long)done, (unsigned long long)counters()->operations, differ,
           seconds);
    return differ ? EXIT_FAILURE : EXIT_SUCCESS;
}
