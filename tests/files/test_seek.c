/* test_seek.c - finding a record in a long stream file by its seq.
 *
 * Where a record lies is guessed from its seq and the size of the file, so the
 * streams here are such that the guess is wrong in every way: sizes that grow,
 * shrink, or jump, a stream without its beginning, and lines that are damaged. */
#include "bench.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { RECORDS = 400 };

static size_t size_growing(size_t i)
{
    return 2 * i;
}

static size_t size_shrinking(size_t i)
{
    return 2 * (RECORDS - i);
}

static size_t size_jumping(size_t i)
{
    return i % 97 == 50 ? 100 * 1000 : 10;
}

static size_t size_early(size_t i)
{
    return i < 5 ? 300 * 1000 : 0;
}

static size_t size_late(size_t i)
{
    return i > RECORDS - 5 ? 300 * 1000 : 0;
}

static size_t (*const sizes[])(size_t i) = { size_growing, size_shrinking, size_jumping, size_early,
                                             size_late };

static Str fill(Bench *b, size_t which)
{
    Str name = arena_printf(&b->arena, "runs/r%zu", which);
    AUTO(Buf) body = { 0 };
    for (size_t i = 0; i < RECORDS; i++) {
        buf_clear(&body);
        size_t n = sizes[which](i);
        memset(buf_room(&body, n), 'x', n);
        buf_grew(&body, n);
        Draft d = { .op = OP_APPEND, .by = S("ann"), .body = buf_str(&body) };
        Mark m;
        assert_ok(b, store_append(b->s, name, NULL, &d, &m, &b->e));
    }
    return name;
}

/* The first record at or behind `seq` has seq `want`; 0: there is none. */
static void check_found(Bench *b, Str name, uint64_t seq, uint64_t want)
{
    AUTO(Arena) arena = { 0 };
    Records got;
    assert_ok(b, store_read(b->s, name, (SeqRange){ seq, 1 }, &arena, &got, &b->e));
    assert_int_equal(got.n, want ? 1 : 0);
    if (want)
        assert_int_equal(got.items[0].mark.seq, want);
}

static void every_record_is_found_whatever_its_neighbours_weigh(void **state)
{
    Bench *b = *state;
    for (size_t which = 0; which < COUNT_OF(sizes); which++) {
        Str name = fill(b, which);
        check_found(b, name, 0, 1);
        for (uint64_t seq = 1; seq <= RECORDS; seq++)
            check_found(b, name, seq, seq);
        check_found(b, name, RECORDS + 1, 0);
        check_found(b, name, STORE_SEQ_MAX, 0);
    }
}

static void a_stream_that_lost_its_beginning_is_searched_as_well(void **state)
{
    Bench *b = *state;
    Str name = fill(b, 0);
    uint64_t dropped = 0;
    assert_ok(b, store_trim(b->s, name, NULL, RECORDS / 2, &dropped, &b->e));
    assert_int_equal(dropped, RECORDS / 2 - 1);
    for (uint64_t seq = 0; seq <= RECORDS; seq++)
        check_found(b, name, seq, seq < RECORDS / 2 ? RECORDS / 2 : seq);
}

static void a_damaged_line_hides_no_other(void **state)
{
    Bench *b = *state;
    Str name = fill(b, 1);
    const char *path = full_path(b, "runs/r1.jsonl");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    /* What is written over a line is no record, and has no '\n'. */
    AUTO(Fd) fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    static char text[600];
    memset(text, '#', sizeof text);
    assert_int_equal(pwrite(fd, text, sizeof text, info.st_size / 2), sizeof text);
    AUTO(Arena) arena = { 0 };
    Records all;
    assert_ok(b, store_read(b->s, name, (SeqRange){ 1, STORE_READ_MAX }, &arena, &all, &b->e));
    assert_in_range(all.n, RECORDS - 4, RECORDS - 1);
    for (size_t i = 0; i < all.n; i++)
        check_found(b, name, all.items[i].mark.seq, all.items[i].mark.seq);
}

/* One digit of a line's own number is another, so that it seems to stand somewhere else. */
static void a_damaged_number_hides_no_other(void **state)
{
    Bench *b = *state;
    Str name = fill(b, 0);
    AUTO(Fd) fd = open(full_path(b, "runs/r0.jsonl"), O_RDWR | O_CLOEXEC);
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    char *text = arena_alloc(&b->arena, (size_t)info.st_size + 1, 1);
    assert_int_equal(pread(fd, text, (size_t)info.st_size, 0), info.st_size);
    for (uint64_t seq = 100; seq < RECORDS; seq += 15) {
        char mark[40];
        snprintf(mark, sizeof mark, "\n{\"seq\":%llu,", (unsigned long long)seq);
        const char *digit = strstr(text, mark) + strlen("\n{\"seq\":");
        assert_int_equal(pwrite(fd, seq % 2 ? "9" : "1", 1, digit - text), 1);
        for (uint64_t other = seq < 50 ? 1 : seq - 50; other <= RECORDS; other++)
            if (other != seq)
                check_found(b, name, other, other);
        if (seq + 15 < RECORDS)
            assert_int_equal(pwrite(fd, digit, 1, digit - text), 1);
    }
    /* The last one stays: what is behind it can still be redacted. */
    uint64_t last = RECORDS - (RECORDS - 100 - 1) % 15;
    for (uint64_t seq = last; seq < last + 5; seq++)
        assert_ok(b, store_redact(b->s, name, NULL, seq, &b->e));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(every_record_is_found_whatever_its_neighbours_weigh),
        BENCH_TEST(a_stream_that_lost_its_beginning_is_searched_as_well),
        BENCH_TEST(a_damaged_line_hides_no_other),
        BENCH_TEST(a_damaged_number_hides_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
