/* test_diff.c - diff and merge: exact outputs, and identities over random texts.
 *
 * JOT_TEST_SEED repeats a random run; the seed is printed. */
#include "memory/doc/diff.h"

#include <time.h>

#include "memory/desk.h"
#include "rig/volume.h"

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

static void seed_random(const char *what)
{
    const char *given = getenv("JOT_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u;
    state = (seed ^ 0x9E3779B97F4A7C15u) | 1;
    print_message("%s: JOT_TEST_SEED=%llu\n", what, (unsigned long long)seed);
}

/* Put the second text together from the first and the hunks; checks what they promise. */
static Str apply(const Diff *d, Arena *a)
{
    AUTO(Buf) b = { 0 };
    size_t at = 0, b_at = 0, added = 0, removed = 0;
    for (size_t i = 0; i < d->n; i++) {
        const Hunk *h = &d->hunks[i];
        assert_true(h->a_n || h->b_n);
        assert_true(h->a >= at && h->a - at == h->b - b_at);
        assert_true(i == 0 || h->a > at); /* two hunks never touch */
        buf_add(&b, lines_slice(&d->a, at, h->a));
        buf_add(&b, lines_slice(&d->b, h->b, h->b + h->b_n));
        at = h->a + h->a_n;
        b_at = h->b + h->b_n;
        removed += h->a_n;
        added += h->b_n;
    }
    buf_add(&b, lines_slice(&d->a, at, d->a.n));
    assert_int_equal(d->a.n - at, d->b.n - b_at);
    assert_int_equal(d->added, added);
    assert_int_equal(d->removed, removed);
    return arena_copy(a, buf_str(&b));
}

static void check_apply(Str a, Str b)
{
    AUTO(Arena) arena = { 0 };
    Diff d;
    diff_make(a, b, &arena, &d);
    assert_true(str_eq(apply(&d, &arena), b));
}

/* A text of up to `lines` lines out of `words` different ones. */
static Str random_text(Arena *a, size_t lines, size_t words)
{
    AUTO(Buf) b = { 0 };
    size_t n = below(lines + 1);
    for (size_t i = 0; i < n; i++)
        buf_addf(&b, "%zu%s", below(words), i + 1 == n && below(3) == 0 ? "" : "\n");
    return arena_copy(a, buf_str(&b));
}

/* The text with a few lines removed, added or changed. */
static Str random_change(Arena *a, Str text, size_t words)
{
    AUTO(Buf) b = { 0 };
    DiffLines l = lines_of(text, a);
    size_t often = 2 + below(20);
    for (size_t i = 0; i < l.n; i++) {
        size_t what = below(often);
        if (what == 0)
            continue;
        if (what == 1)
            buf_addf(&b, "%zu\n", below(words));
        buf_add(&b, lines_slice(&l, i, i + 1));
    }
    return arena_copy(a, buf_str(&b));
}

static void applying_a_diff_gives_the_second_text(void **ctx)
{
    (void)ctx;
    seed_random("diff");
    for (int i = 0; i < volume_of(20000); i++) {
        AUTO(Arena) a = { 0 };
        size_t words = 1 + below(12);
        Str one = random_text(&a, 40, words);
        Str two = below(2) ? random_change(&a, one, words) : random_text(&a, 40, words);
        check_apply(one, two);
    }
}

static size_t common_lines(const DiffLines *a, const DiffLines *b)
{
    enum { MOST = 41 };
    size_t table[MOST][MOST] = { 0 };
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            size_t up = table[i][j + 1], left = table[i + 1][j];
            bool same = str_eq(lines_slice(a, i, i + 1), lines_slice(b, j, j + 1));
            table[i + 1][j + 1] = same ? table[i][j] + 1 : up > left ? up : left;
        }
    return table[a->n][b->n];
}

static void a_small_diff_is_as_small_as_it_can_be(void **ctx)
{
    (void)ctx;
    seed_random("smallest");
    for (int i = 0; i < volume_of(3000); i++) {
        AUTO(Arena) a = { 0 };
        Diff d;
        diff_make(random_text(&a, 40, 6), random_text(&a, 40, 6), &a, &d);
        assert_false(d.coarse);
        assert_int_equal(d.a.n - d.removed, common_lines(&d.a, &d.b));
    }
}

static void merging_with_an_unchanged_side_gives_the_other(void **ctx)
{
    (void)ctx;
    seed_random("merge");
    for (int i = 0; i < volume_of(10000); i++) {
        AUTO(Arena) a = { 0 };
        size_t words = 1 + below(30);
        Str base = random_text(&a, 30, words), x = random_change(&a, base, words);
        Str y = random_change(&a, base, words);
        Merge m, back;
        diff_merge(base, x, base, &a, &m);
        assert_true(m.conflicts == 0 && str_eq(m.text, x));
        diff_merge(base, base, x, &a, &m);
        assert_true(m.conflicts == 0 && str_eq(m.text, x));
        diff_merge(base, x, x, &a, &m);
        assert_true(m.conflicts == 0 && str_eq(m.text, x));
        /* Whose change it is does not matter. */
        diff_merge(base, x, y, &a, &m);
        diff_merge(base, y, x, &a, &back);
        assert_int_equal(m.conflicts, back.conflicts);
        assert_true(m.conflicts || str_eq(m.text, back.text));
    }
}

/* Changes to different blocks, far from each other, always merge, and to what is expected. */
static void changes_apart_from_each_other_merge_cleanly(void **ctx)
{
    (void)ctx;
    seed_random("apart");
    for (int i = 0; i < volume_of(2000); i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) base = { 0 }, mine = { 0 }, theirs = { 0 }, both = { 0 };
        for (size_t line = 0; line < 24; line++) {
            bool by_me = line % 4 == 1 && below(2), by_them = line % 4 == 3 && below(2);
            buf_addf(&base, "line %zu\n", line);
            buf_addf(&mine, by_me ? "mine %zu\n" : "line %zu\n", line);
            buf_addf(&theirs, by_them ? "theirs %zu\n" : "line %zu\n", line);
            buf_addf(&both, by_me ? "mine %zu\n" : by_them ? "theirs %zu\n" : "line %zu\n", line);
        }
        Merge m;
        diff_merge(buf_str(&base), buf_str(&mine), buf_str(&theirs), &a, &m);
        assert_int_equal(m.conflicts, 0);
        assert_str(m.text, buf_str(&both));
    }
}

static void changes_that_touch_are_a_conflict_with_both_sides_shown(void **ctx)
{
    (void)ctx;
    AUTO(Arena) a = { 0 };
    Merge m;
    diff_merge(S("1\n2\n3\n"), S("1\nmine\n3\n"), S("1\ntheirs\n3\n"), &a, &m);
    assert_int_equal(m.conflicts, 1);
    assert_str(m.text, S("1\n<<<<<<< mine\nmine\n=======\ntheirs\n>>>>>>> theirs\n3\n"));
    diff_merge(S("1\n2\n"), S("1\n2\nx\n"), S("1\n2\ny\n"), &a, &m);
    assert_int_equal(m.conflicts, 1);
    diff_merge(S(""), S("x"), S("y"), &a, &m);
    assert_str(m.text, S("<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\n"));
}

static void the_diff_reads_like_that_of_everybody(void **ctx)
{
    (void)ctx;
    static const struct {
        Str a, b, want;
    } rows[] = {
        { T("same\n"), T("same\n"), T("") },
        { T(""), T("x\n"), T("--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n") },
        { T("x\n"), T(""), T("--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n") },
        { T("x"), T("x\n"),
          T("--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n") },
        { T("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), T("1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
          T("--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n") },
        { T("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), T("one\n2\n3\n4\n5\n6\n7\n8\nnine\n"),
          T("--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n"
            "-9\n+nine\n") },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) b = { 0 };
        Diff d;
        diff_make(rows[i].a, rows[i].b, &a, &d);
        diff_write(&d, S("a"), S("b"), &b);
        assert_str(buf_str(&b), rows[i].want);
    }
}

/* The longest body there is, filled by a rule. */
static Str large(Arena *a, size_t size, size_t (*fill)(char *to, size_t i, size_t room))
{
    char *p = arena_alloc(a, size + 1, 1);
    for (size_t at = 0, i = 0; at < size; i++)
        at += fill(p + at, i, size - at);
    return (Str){ p, size };
}

static size_t empty_line(char *to, size_t i, size_t room)
{
    (void)i, (void)room;
    *to = '\n';
    return 1;
}

static size_t random_digit(char *to, size_t i, size_t room)
{
    (void)room;
    *to = (char)(i % 2 ? '\n' : '0' + (char)below(4));
    return 1;
}

static size_t random_line(char *to, size_t i, size_t room)
{
    char line[32];
    (void)i;
    size_t n = (size_t)snprintf(line, sizeof line, "%zu\n", below(1 << 20));
    n = n < room ? n : room;
    memcpy(to, line, n);
    return n;
}

static void the_largest_bodies_take_bounded_work(void **ctx)
{
    (void)ctx;
    seed_random("large");
    const size_t size = (size_t)volume_of(16 * 1024 * 1024);
    AUTO(Arena) a = { 0 };
    Str empty = large(&a, size, empty_line), digits = large(&a, size, random_digit);
    Str other = large(&a, size, random_digit), lines = large(&a, size, random_line);
    Str few = large(&a, size / 16, random_digit), few_more = large(&a, size / 16, random_digit);
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    check_apply(empty, digits);
    check_apply(digits, other);
    check_apply(lines, digits);
    check_apply(few, few_more); /* within the limits, and as hard as it gets */
    check_apply(lines, large(&a, size, random_line));
    check_apply(lines, str_slice(lines, 100, size));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    print_message("six diffs of large texts: %lld ms of work\n",
                  (long long)(end.tv_sec - begin.tv_sec) * 1000 +
                      (end.tv_nsec - begin.tv_nsec) / 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applying_a_diff_gives_the_second_text),
        cmocka_unit_test(a_small_diff_is_as_small_as_it_can_be),
        cmocka_unit_test(merging_with_an_unchanged_side_gives_the_other),
        cmocka_unit_test(changes_apart_from_each_other_merge_cleanly),
        cmocka_unit_test(changes_that_touch_are_a_conflict_with_both_sides_shown),
        cmocka_unit_test(the_diff_reads_like_that_of_everybody),
        cmocka_unit_test(the_largest_bodies_take_bounded_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
