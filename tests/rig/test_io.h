/* test_io.h - TestIo, an Io whose clocks, random bytes and boot are chosen by a test.
 *
 * The wall clock stands still until the test moves it; the other one advances
 * with every look and every sleep, so that whoever waits comes to an end, and
 * at once.  The random bytes follow from a seed.  Two runs of the same
 * program are the same, byte for byte. */
#ifndef RIG_TEST_IO_H
#define RIG_TEST_IO_H

#include "base/io.h"

/* Where the wall clock stands at first: some moment in November 2025. */
#define TEST_EPOCH_MS INT64_C(1763241838000)

typedef struct TestIo {
    Io io; /* hand out &io */
    int64_t wall_ms, awake_us;
    uint64_t random;
} TestIo;

/* Boots of the machine, in order. */
extern const char *const test_boots[3];

/* What is lost with unsynced bytes when the power fails: the boot; only the mount of the file
 * system; or that too, but the system has no word for it. */
typedef enum TestLost { LOST_BOOT, LOST_MOUNT, LOST_UNTOLD } TestLost;
extern TestLost test_lost; /* for the whole program; LOST_BOOT at first */
extern const char *const test_lost_names[3];

/* It is `boot` now, or whatever stands for it. */
void test_io_boot(TestIo *t, const char *boot);

/* Without a `hook` syncs are only pretended: no test that uses this asks what the disk does. */
void test_io_init(TestIo *t, const IoHook *hook, const char *boot, uint64_t seed);

#endif
