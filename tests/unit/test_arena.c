/* test_arena.c - memory that dies together. */
#include "unit/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    AUTO(Arena) a = { 0 };
    for (size_t size = 0; size < 3000; size = size * 2 + 1) {
        for (size_t align = 1; align <= alignof(max_align_t); align *= 2) {
            unsigned char *p = arena_alloc(&a, size, align);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % align, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xEE, size); /* the next one must be zero all the same */
        }
    }
}

static void allocations_never_overlap(void **state)
{
    enum { N = 2000 };
    static unsigned char *at[N];
    static size_t size[N];
    AUTO(Arena) a = { 0 };
    unsigned random = 1;
    for (size_t i = 0; i < N; i++) {
        random = random * 1103515245u + 12345u;
        size[i] = (random >> 16) % (i % 100 == 0 ? 100000 : 300);
        at[i] = arena_alloc(&a, size[i], 1);
        memset(at[i], (int)(i % 251), size[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(at[i][k], i % 251);
}

static void total_counts_what_was_handed_out(void **state)
{
    AUTO(Arena) a = { 0 };
    assert_int_equal(a.total, 0);
    arena_alloc(&a, 10, 1);
    arena_alloc(&a, 1 << 20, 8);
    NEW_ARRAY(&a, uint64_t, 3);
    assert_int_equal(a.total, 10 + (1 << 20) + 24);
}

static void a_large_allocation_leaves_the_current_block_in_use(void **state)
{
    AUTO(Arena) a = { 0 };
    char *first = arena_alloc(&a, 16, 1);
    arena_alloc(&a, 1 << 20, 1);
    char *second = arena_alloc(&a, 16, 1);
    assert_true(second > first && second - first < 256);
}

static void a_copy_is_independent_and_ends_in_nul(void **state)
{
    AUTO(Arena) a = { 0 };
    char text[] = "ab\0cd";
    Str copy = arena_copy(&a, (Str){ text, 5 });
    text[0] = 'X';
    assert_str(copy, S("ab\0cd"));
    assert_int_equal(copy.p[5], 0);
    Str nothing = arena_copy(&a, (Str){ 0 });
    assert_int_equal(nothing.n, 0);
    assert_string_equal(nothing.p, "");
    assert_string_equal(arena_cstr(&a, S("xyz")), "xyz");
}

static void printf_takes_as_much_as_it_needs(void **state)
{
    AUTO(Arena) a = { 0 };
    Str s = arena_printf(&a, "%0*d", 10000, 7);
    assert_int_equal(s.n, 10000);
    assert_int_equal(s.p[9999], '7');
    assert_int_equal(s.p[10000], 0);
    assert_str(arena_printf(&a, "%s", ""), S(""));
}

static void a_growing_array_keeps_its_elements(void **state)
{
    AUTO(Arena) a = { 0 };
    int *items = NULL;
    size_t n = 0, cap = 0;
    for (int i = 0; i < 1000; i++) {
        items = arena_grow(&a, items, n, &cap, sizeof *items, alignof(int));
        assert_true(n < cap);
        items[n++] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
}

static void a_freed_arena_is_empty_and_usable(void **state)
{
    Arena a = { 0 };
    arena_free(&a);
    arena_alloc(&a, 100, 1);
    arena_free(&a);
    arena_free(NULL);
    assert_null(a.top);
    assert_int_equal(a.total, 0);
    assert_non_null(arena_alloc(&a, 1, 1));
    arena_free(&a);
}

/* Run `act` in a child that must not come back from it; the signal it died of. */
static int death_of(void (*act)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_word_of_a_shell_is_one_word_and_runs_nothing(void **state)
{
    static const char *const words[][2] = {
        { "plan", "plan" },
        { "memories/a.md", "memories/a.md" },
        { "my note", "'my note'" },
        { "", "''" },
        { "a;touch b", "'a;touch b'" },
        { "$(touch b)", "'$(touch b)'" },
        { "it's", "'it'\\''s'" },
        { "größe", "'größe'" },
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_string_equal(arena_shell_word(&a, str(words[i][0])).p, words[i][1]);
}

static void ask_for_too_many(void)
{
    AUTO(Arena) a = { 0 };
    volatile size_t n = SIZE_MAX / 4;
    NEW_ARRAY(&a, uint64_t, n);
}

static void an_array_whose_size_overflows_ends_the_process(void **state)
{
    assert_int_equal(death_of(ask_for_too_many), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(allocations_never_overlap),
        cmocka_unit_test(total_counts_what_was_handed_out),
        cmocka_unit_test(a_large_allocation_leaves_the_current_block_in_use),
        cmocka_unit_test(a_copy_is_independent_and_ends_in_nul),
        cmocka_unit_test(printf_takes_as_much_as_it_needs),
        cmocka_unit_test(a_word_of_a_shell_is_one_word_and_runs_nothing),
        cmocka_unit_test(a_growing_array_keeps_its_elements),
        cmocka_unit_test(a_freed_arena_is_empty_and_usable),
        cmocka_unit_test(an_array_whose_size_overflows_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
