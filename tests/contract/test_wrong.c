/* test_wrong.c - the tests are tested: each engine that is wrong on purpose must be noticed.
 *
 * Every rule of wrong.h is broken in turn.  The promises must say so, and so must
 * the random programs, where the rule is one they can reach; the program that
 * shows it must shrink to a handful of steps.  An engine that breaks nothing but
 * goes through the same layer must pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "program.h"

/* A program that still has more steps than this has not been shrunk. */
enum { STEPS_MAX = 6, SEEDS_MAX = 1500 };

static bool agrees_on(const Program *program, void *ctx)
{
    char why[CHILD_WHY_MAX];
    return program_agrees(program, ctx, why);
}

/* Rules that need what programs do not have: megabytes, cursors of other pads, and holding. */
static bool out_of_reach(Wrong wrong)
{
    return wrong == WRONG_READ_UNBOUNDED || wrong == WRONG_CHANGES_TRUSTS_CURSORS ||
           wrong == WRONG_HOLD_SEES_ITSELF;
}

typedef struct Broken {
    char promise[128];
} Broken;

static void keep_name(void *ctx, const char *promise, const char *why)
{
    Broken *broken = ctx;
    snprintf(broken->promise, sizeof broken->promise, "%s", promise);
}

static bool caught_by_promises(const Engine *engine, Broken *broken)
{
    ContractRun run = { .silent = true, .first = true, .failed = keep_name, .ctx = broken };
    return contract_run(engine->name, &run).broken > 0;
}

/* The first program that fails, made small; false if none does. */
static bool caught_by_programs(const Engine *engine, Program *small)
{
    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++) {
        Program program = program_make(seed);
        char why[CHILD_WHY_MAX];
        if (program_agrees(&program, engine, why))
            continue;
        *small = program_shrink(&program, agrees_on, (void *)engine);
        return !program_agrees(small, engine, why) && strstr(why, "compare.c");
    }
    return false;
}

static void show(const Engine *engine, const Broken *broken, const Program *small)
{
    printf("# %s\n# breaks: %s\n", wrong_about(engine->wrong),
           broken->promise[0] ? broken->promise : "NO PROMISE");
    AUTO(Buf) text = { 0 };
    program_print(&text, small);
    Str rest = buf_str(&text), line;
    while (str_cut(&rest, '\n', &line))
        printf("# " STR_FMT "\n", STR_ARG(line));
}

/* True if the wrong engine is noticed in every way it can be. */
static bool test_one(int number, Wrong wrong)
{
    char name[64];
    snprintf(name, sizeof name, "wrong:%s", wrong_name(wrong));
    const Engine *engine = engine_find(name);
    Broken broken = { 0 };
    Program small = { 0 };
    bool promises = caught_by_promises(engine, &broken);
    bool programs = out_of_reach(wrong) || caught_by_programs(engine, &small);
    bool good = promises && programs && small.n <= STEPS_MAX;
    printf("%s %d - %s is noticed\n", good ? "ok" : "not ok", number, wrong_name(wrong));
    show(engine, &broken, &small);
    fflush(stdout);
    return good;
}

/* The layer alone is no fault. */
static bool test_none(int number)
{
    Engine through = { .name = "wrong:NOTHING", .wrong = WRONG_NOTHING, .layered = true };
    bool good = true;
    char why[CHILD_WHY_MAX];
    for (uint64_t seed = 1; good && seed <= 20; seed++) {
        Program program = program_make(seed);
        good = program_agrees(&program, &through, why);
    }
    printf("%s %d - the layer alone changes nothing\n", good ? "ok" : "not ok", number);
    return good;
}

int main(void)
{
    int failed = 0, tried = 0;
    for (int wrong = 1; wrong < WRONG_COUNT; wrong++)
        failed += !test_one(++tried, (Wrong)wrong);
    int noticed = tried - failed;
    failed += !test_none(tried + 1);
    printf("contract: %d of %d wrong engines noticed\n", noticed, tried);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
