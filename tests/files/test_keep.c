/* test_keep.c - listing directories large enough to be remembered.
 *
 * Most files here are dropped past the store, for speed; a file a person made
 * is a document.  Directories are given an old time where the store must
 * believe that nothing is changing them. */
#include "bench.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { LARGE = 300 };

static void drop_many(Bench *b, const char *dir, const char *start, int n)
{
    char path[128];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s%03d", dir, start, i);
        person_writes(b, path, "x");
    }
}

static void set_time(Bench *b, const char *dir, time_t seconds)
{
    struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };
    assert_int_equal(utimensat(AT_FDCWD, full_path(b, dir), times, 0), 0);
}

static void let_settle(Bench *b, const char *dir)
{
    set_time(b, dir, 1000000000);
}

static Listing page(Bench *b, const char *after, size_t limit)
{
    Listing out;
    assert_ok(
        b, store_list(b->s,
                      &(ListQuery){ .prefix = S("memories/"), .after = str(after), .limit = limit },
                      &b->arena, &out, &b->e));
    return out;
}

static int directories_opened;

static void count_directory(Bench *b, IoCall *call)
{
    directories_opened += (call->flags & O_DIRECTORY) != 0;
}

/* How many directories a page opens. */
static int opened_for(Bench *b, const char *after, size_t limit)
{
    Trap *t = trap(b, (Trap){ .kind = IO_OPEN, .stays = true, .act = count_directory });
    directories_opened = 0;
    page(b, after, limit);
    *t = (Trap){ 0 };
    return directories_opened;
}

static void a_page_goes_on_behind_a_large_directory_within_a_large_one(void **state)
{
    Bench *b = *state;
    drop_many(b, "memories", "a", LARGE);
    drop_many(b, "memories/m", "b", LARGE);
    drop_many(b, "memories", "z", LARGE);
    let_settle(b, "memories/m");
    let_settle(b, "memories");
    assert_text(page(b, "", 10).items[9].name, "memories/a009");
    Listing rest = page(b, "memories/a009", STORE_LIST_MAX);
    assert_int_equal(rest.n, 3 * LARGE - 10);
    assert_text(rest.items[LARGE - 10].name, "memories/m/b000");
    assert_text(rest.items[2 * LARGE - 10].name, "memories/z000");
    assert_text(rest.items[rest.n - 1].name, "memories/z299");
    assert_false(rest.more);
}

static void the_next_page_reads_no_large_directory_again(void **state)
{
    Bench *b = *state;
    drop_many(b, "memories", "a", LARGE);
    drop_many(b, "memories/m", "b", LARGE);
    let_settle(b, "memories/m");
    let_settle(b, "memories");
    int first = opened_for(b, "memories/m/b000", 10);
    int second = opened_for(b, "memories/m/b009", 10);
    /* Both levels, each of them a directory of streams and one of views. */
    assert_int_equal(first - second, 4);
}

static void a_name_that_came_since_the_last_page_is_listed(void **state)
{
    Bench *b = *state;
    drop_many(b, "memories", "a", LARGE);
    let_settle(b, "memories");
    page(b, "", 10);
    person_writes(b, "memories/a100b", "x");
    Listing next = page(b, "memories/a100", 1);
    assert_text(next.items[0].name, "memories/a100b");
    put(b, "memories/a200b", "x");
    next = page(b, "memories/a200", 1);
    assert_text(next.items[0].name, "memories/a200b");
}

static void a_directory_that_may_still_change_is_read_again(void **state)
{
    Bench *b = *state;
    drop_many(b, "memories", "a", LARGE);
    /* Its time is not past: another file could come without changing it. */
    set_time(b, "memories", 4000000000);
    int first = opened_for(b, "", 10);
    assert_int_equal(opened_for(b, "", 10), first);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_that_differ_early_late_or_in_length_stand_in_byte_order(void **state)
{
    Bench *b = *state;
    const char *tails[] = { "",         "0",         "00000000",   "000000000", "0000000z",
                            "00000001", "000000010", "z",          "zzzzzzzzz", "zzzzzzzz",
                            "\xc3\xa9", "A",         "000000000a", "-",         "~" };
    const char *want[COUNT_OF(tails)];
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        char path[64];
        snprintf(path, sizeof path, "memories/common-start%s", tails[i]);
        want[i] = arena_cstr(&b->arena, str(path));
        person_writes(b, path, "x");
    }
    qsort(want, COUNT_OF(want), sizeof *want, by_text);
    Listing all = page(b, "", STORE_LIST_MAX);
    assert_int_equal(all.n, COUNT_OF(want));
    for (size_t i = 0; i < all.n; i++)
        assert_text(all.items[i].name, want[i]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_page_goes_on_behind_a_large_directory_within_a_large_one),
        BENCH_TEST(the_next_page_reads_no_large_directory_again),
        BENCH_TEST(a_name_that_came_since_the_last_page_is_listed),
        BENCH_TEST(a_directory_that_may_still_change_is_read_again),
        BENCH_TEST(names_that_differ_early_late_or_in_length_stand_in_byte_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
