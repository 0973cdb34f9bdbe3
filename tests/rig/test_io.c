/* test_io.c - clocks and dice that a test holds in its hand. */
#include "rig/test_io.h"

#include <string.h>

#include "rig/tree.h"

const char *const test_boots[3] = { "11111111111111111111111111111111",
                                    "22222222222222222222222222222222",
                                    "33333333333333333333333333333333" };

static int64_t wall_ms(void *ctx)
{
    return ((TestIo *)ctx)->wall_ms;
}

static int64_t awake_ms(void *ctx)
{
    TestIo *t = ctx;
    t->awake_us += 50;
    return t->awake_us / 1000;
}

static void sleep_us(void *ctx, int64_t us)
{
    ((TestIo *)ctx)->awake_us += us;
}

static void fill_random(void *ctx, void *out, size_t n)
{
    TestIo *t = ctx;
    for (size_t i = 0; i < n; i++) {
        t->random = mix64(t->random, i + 1);
        memcpy((char *)out + i, &t->random, 1);
    }
}

static long pretend_syncs(void *ctx, IoCall *call)
{
    return call->kind == IO_FSYNC || call->kind == IO_FDATASYNC ? IO_PRETEND : 0;
}

TestLost test_lost = LOST_BOOT;
const char *const test_lost_names[] = {
    [LOST_BOOT] = "boot", [LOST_MOUNT] = "mount", [LOST_UNTOLD] = "untold"
};

void test_io_boot(TestIo *t, const char *boot)
{
    t->io.boot_id = test_lost == LOST_BOOT ? boot : test_boots[0];
    t->io.mount_id = test_lost == LOST_BOOT ? "m1" : test_lost == LOST_MOUNT ? boot : "";
}

static const IoHook plain = { .before = pretend_syncs };

void test_io_init(TestIo *t, const IoHook *hook, const char *boot, uint64_t seed)
{
    *t = (TestIo){ .wall_ms = TEST_EPOCH_MS, .awake_us = 1000000, .random = seed };
    t->io = (Io){ .hook = hook ? hook : &plain,
                  .wall_ms = wall_ms,
                  .awake_ms = awake_ms,
                  .random = fill_random,
                  .sleep_us = sleep_us,
                  .ctx = t };
    test_io_boot(t, boot);
}
