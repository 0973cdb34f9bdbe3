/* race.c - timing several sides, interleaved.
 *
 * The sides take turns every batch, so that whatever else the machine does
 * hits all of them alike.  A batch is the smallest that makes the clock's own
 * cost vanish.  Of the batches of a round the median counts: on a shared
 * machine a mean tells about the neighbours. */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(const double *values, size_t n)
{
    assert(n > 0);
    double *sorted = mem_alloc(n * sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double middle = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    free(sorted);
    return middle;
}

static double time_batch(const Side *side, unsigned batch)
{
    double begin = now_us();
    for (unsigned i = 0; i < batch; i++)
        side->step(side->ctx);
    return (now_us() - begin) / batch;
}

/* One round; the median of each side goes to `us`. */
static void run_round(const Race *race, unsigned turns, double us[SIDES_MAX])
{
    double *taken[SIDES_MAX] = { NULL };
    for (size_t s = 0; s < race->n; s++)
        taken[s] = mem_alloc(turns * sizeof **taken);
    for (unsigned turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < race->n; i++) {
            size_t s = (turn + i) % race->n;
            taken[s][turn] = time_batch(&race->sides[s], race->batch);
        }
    for (size_t s = 0; s < race->n; s++) {
        us[s] = median(taken[s], turns);
        free(taken[s]);
    }
}

void race_run(const Bench *b, const Race *race, Times *out)
{
    assert(race->n <= SIDES_MAX && b->rounds <= ROUNDS_MAX);
    Race shape = *race;
    if (b->smoke) {
        shape.batch = 1;
        shape.turns = 2;
    }
    double us[SIDES_MAX] = { 0 };
    run_round(&shape, shape.turns / 4 + 1, us);
    *out = (Times){ .rounds = b->rounds };
    for (unsigned round = 0; round < b->rounds; round++) {
        run_round(&shape, shape.turns, us);
        for (size_t s = 0; s < race->n; s++)
            out->us[s][round] = us[s];
    }
}

static cpu_set_t free_set;
static int pin_processor = -1;

int pinned_to(void)
{
    return pin_processor;
}

void pin(void)
{
    if (pin_processor < 0) {
        must(sched_getaffinity(0, sizeof free_set, &free_set) == 0, "sched_getaffinity");
        pin_processor = sched_getcpu();
        must(pin_processor >= 0, "sched_getcpu");
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)pin_processor, &one);
    must(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

void unpin(void)
{
    if (pin_processor >= 0)
        must(sched_setaffinity(0, sizeof free_set, &free_set) == 0, "sched_setaffinity");
}
