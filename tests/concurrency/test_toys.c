/* test_toys.c - the rig finds what is wrong with each toy, and nothing wrong with a good one.
 *
 * What it finds depends on which process runs when; so each bug gets a few runs, and one of
 * them must notice it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rig.h"
#include "toy.h"
#include "trial.h"

enum { TRIES = 8 };

typedef struct Trial {
    const char *engine;
    uint64_t seed;
} Trial;

/* The rig as a process of its own, as everybody else calls it. */
static int live_as_rig(void *ctx)
{
    const Trial *t = ctx;
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    char *argv[] = { (char *)(uintptr_t) "concurrency",
                     (char *)(uintptr_t) "--engine",
                     (char *)(uintptr_t)t->engine,
                     (char *)(uintptr_t) "--seed",
                     seed,
                     (char *)(uintptr_t) "--racing",
                     (char *)(uintptr_t) "0",
                     NULL };
    /* What it says about a toy is no result of this suite. */
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return 2;
    return rig_main((int)COUNT_OF(argv) - 1, argv);
}

static int rig_says(const char *engine, uint64_t seed)
{
    Trial t = { engine, seed };
    pid_t pid = child_start(live_as_rig, &t, 120);
    assert_true(pid > 0);
    return child_end(pid);
}

static void a_good_toy_is_accepted(void **state)
{
    uint64_t seed = trial_seed(1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rig_says("toy:", seed + (uint64_t)i), 0);
}

static void every_bug_is_found(void **state)
{
    uint64_t seed = trial_seed(1);
    int found = 0, bugs = 0;
    for (size_t i = 1; toy_bugs[i]; i++, bugs++) {
        char engine[64];
        snprintf(engine, sizeof engine, "toy:?bug=%s", toy_bugs[i]);
        int said = 0;
        for (uint64_t k = 0; k < TRIES && said == 0; k++)
            said = rig_says(engine, seed + k);
        if (said != 1)
            fail_msg("%s was not found", toy_bugs[i]);
        found++;
    }
    printf("concurrency toys: bugs found %d/%d\n", found, bugs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_toy_is_accepted),
        cmocka_unit_test(every_bug_is_found),
    };
    return cmocka_run_group_tests_name("toys", tests, NULL, NULL);
}
