/* test_lock.c - waiting, but never for ever.
 *
 * Time is made here: a pause moves a clock of our own, and may do something
 * that somebody else would do meanwhile. */
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/lock.h"

typedef struct World {
    int64_t now_us;
    bool stopped; /* the clock stands still */
    int pauses;
    int64_t slept_us, shortest_us, longest_us;
    unsigned char random;
    int release_after, release_fd; /* after so many pauses, the lock on byte 0 of it */
} World;

static int64_t clock_ms(void *ctx)
{
    return ((World *)ctx)->now_us / 1000;
}

static void sleep_us(void *ctx, int64_t us)
{
    World *w = ctx;
    if (!w->stopped)
        w->now_us += us;
    if (w->pauses == 0 || us < w->shortest_us)
        w->shortest_us = us;
    if (us > w->longest_us)
        w->longest_us = us;
    w->slept_us += us;
    if (++w->pauses == w->release_after)
        lock_release(&io_system, w->release_fd, 0);
}

static void fill(void *ctx, void *out, size_t n)
{
    memset(out, ((World *)ctx)->random, n);
}

static Io io_of(World *w)
{
    return (Io){ .awake_ms = clock_ms, .sleep_us = sleep_us, .random = fill, .ctx = w };
}

/* Two descriptors of one file that each count as somebody else. */
static void open_two(Fd *a, Fd *b)
{
    char path[64];
    *a = memfd_create("lock", MFD_CLOEXEC);
    assert_true(*a >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", *a);
    *b = open(path, O_RDWR | O_CLOEXEC);
    assert_true(*b >= 0);
}

static void a_free_lock_is_taken_without_waiting(void **state)
{
    World w = { 0 };
    Io io = io_of(&w);
    AUTO(Fd) a = FD_NONE;
    AUTO(Fd) b = FD_NONE;
    open_two(&a, &b);
    assert_int_equal(lock_wait(&io, a, F_WRLCK, 0, 1000), 0);
    assert_int_equal(lock_wait_turn(&io, b, 5, 6, 1000), 0);
    assert_int_equal(w.pauses, 0);
    lock_release(&io, a, 0);
    assert_int_equal(lock_wait(&io, b, F_RDLCK, 0, 0), 0);
    assert_int_equal(lock_wait(&io, a, F_RDLCK, 0, 0), 0);
}

static void without_patience_one_looks_once(void **state)
{
    for (int64_t wait_ms = -5; wait_ms <= 0; wait_ms += 5) {
        World w = { 0 };
        Io io = io_of(&w);
        AUTO(Fd) a = FD_NONE;
        AUTO(Fd) b = FD_NONE;
        open_two(&a, &b);
        assert_int_equal(lock_wait(&io, a, F_WRLCK, 0, 0), 0);
        assert_int_equal(lock_wait(&io, b, F_WRLCK, 0, wait_ms), -EAGAIN);
        assert_int_equal(lock_wait_turn(&io, b, 0, 1, wait_ms), -EAGAIN);
        assert_int_equal(w.pauses, 0);
    }
}

static void one_waits_as_long_as_was_said_and_no_longer(void **state)
{
    for (int random = 0; random < 256; random += 51) {
        for (int stopped = 0; stopped < 2; stopped++) {
            World w = { .stopped = stopped, .random = (unsigned char)random };
            Io io = io_of(&w);
            AUTO(Fd) a = FD_NONE;
            AUTO(Fd) b = FD_NONE;
            open_two(&a, &b);
            assert_int_equal(lock_wait(&io, a, F_WRLCK, 0, 0), 0);
            assert_int_equal(lock_wait(&io, b, F_WRLCK, 0, 500), -EAGAIN);
            /* The clock counts whole milliseconds. */
            assert_in_range(w.slept_us, 500 * 1000 - 2000, 500 * 1000 + 1000);
        }
    }
}

static void a_clock_that_jumps_ahead_ends_the_wait(void **state)
{
    World w = { 0 };
    Io io = io_of(&w);
    Patience p = patience_new(&io, 1000, 100, 1000);
    assert_true(patience_pause(&p));
    w.now_us += INT64_C(3600000000);
    assert_false(patience_pause(&p));
    assert_int_equal(w.pauses, 1);
}

static void pauses_grow_up_to_a_limit(void **state)
{
    World w = { .random = 255 };
    Io io = io_of(&w);
    Patience p = patience_new(&io, 1000, 50, 2000);
    while (patience_pause(&p))
        assert_true(w.pauses < 10000);
    assert_int_equal(w.shortest_us <= 50, 1);
    assert_int_equal(w.longest_us, 2000);
    assert_in_range(w.pauses, 500, 510);
}

static void a_lock_that_is_let_go_is_taken(void **state)
{
    World w = { .release_after = 3 };
    Io io = io_of(&w);
    AUTO(Fd) a = FD_NONE;
    AUTO(Fd) b = FD_NONE;
    open_two(&a, &b);
    w.release_fd = a;
    assert_int_equal(lock_wait(&io, a, F_WRLCK, 0, 0), 0);
    assert_int_equal(lock_wait(&io, b, F_WRLCK, 0, 10000), 0);
    assert_int_equal(w.pauses, 3);
    assert_true(io_locked(&io, a, F_RDLCK, 0));
}

static void a_stopped_waiter_delays_and_does_not_block(void **state)
{
    World w = { 0 };
    Io io = io_of(&w);
    AUTO(Fd) a = FD_NONE;
    AUTO(Fd) b = FD_NONE;
    open_two(&a, &b);
    assert_int_equal(lock_wait(&io, a, F_WRLCK, 1, 0), 0); /* its turn, for ever */
    assert_int_equal(lock_wait_turn(&io, b, 0, 1, 10000), 0);
    assert_in_range(w.slept_us, 1, 200 * 1000);
    assert_true(io_locked(&io, b, F_RDLCK, 1)); /* it was not taken away */
}

static void a_turn_is_given_back_in_the_end(void **state)
{
    World w = { 0 };
    Io io = io_of(&w);
    AUTO(Fd) a = FD_NONE;
    AUTO(Fd) b = FD_NONE;
    open_two(&a, &b);
    assert_int_equal(lock_wait(&io, a, F_WRLCK, 0, 0), 0);
    assert_int_equal(lock_wait_turn(&io, b, 0, 1, 50), -EAGAIN);
    assert_false(io_locked(&io, a, F_RDLCK, 1));
    lock_release(&io, a, 0);
    assert_int_equal(lock_wait_turn(&io, b, 0, 1, 50), 0);
    assert_false(io_locked(&io, a, F_RDLCK, 1));
    assert_true(io_locked(&io, a, F_RDLCK, 0));
}

static void other_errors_are_not_waited_out(void **state)
{
    World w = { 0 };
    Io io = io_of(&w);
    assert_int_equal(lock_wait(&io, -1, F_WRLCK, 0, 1000), -EBADF);
    assert_int_equal(lock_wait_turn(&io, -1, 0, 1, 1000), -EBADF);
    assert_int_equal(w.pauses, 0);
    lock_release(&io, -1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_lock_is_taken_without_waiting),
        cmocka_unit_test(without_patience_one_looks_once),
        cmocka_unit_test(one_waits_as_long_as_was_said_and_no_longer),
        cmocka_unit_test(a_clock_that_jumps_ahead_ends_the_wait),
        cmocka_unit_test(pauses_grow_up_to_a_limit),
        cmocka_unit_test(a_lock_that_is_let_go_is_taken),
        cmocka_unit_test(a_stopped_waiter_delays_and_does_not_block),
        cmocka_unit_test(a_turn_is_given_back_in_the_end),
        cmocka_unit_test(other_errors_are_not_waited_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
