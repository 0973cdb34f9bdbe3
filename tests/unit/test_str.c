/* test_str.c - borrowed runs of bytes. */
#include "unit/unit.h"

static void a_str_may_hold_nul_bytes(void **state)
{
    Str a = S("a\0b"), b = S("a\0c");
    assert_int_equal(a.n, 3);
    assert_false(str_eq(a, b));
    assert_true(str_cmp(a, b) < 0);
    assert_int_equal(str_find(a, 0), 1);
}

static void the_empty_str_equals_every_other_empty_str(void **state)
{
    assert_true(str_eq((Str){ 0 }, S("")));
    assert_int_equal(str_cmp((Str){ 0 }, S("")), 0);
    assert_true(str_eq(str(NULL), str("")));
    assert_true(str_starts(S("a"), (Str){ 0 }));
    assert_true(str_ends((Str){ 0 }, S("")));
}

static void order_is_that_of_unsigned_bytes(void **state)
{
    static const char *const ascending[] = { "", "A", "AA", "Z", "a", "a!", "aa", "\x7f", "\xc3" };
    for (size_t i = 0; i + 1 < COUNT_OF(ascending); i++) {
        assert_true(str_cmp(str(ascending[i]), str(ascending[i + 1])) < 0);
        assert_true(str_cmp(str(ascending[i + 1]), str(ascending[i])) > 0);
    }
}

static void starts_and_ends_need_all_of_it(void **state)
{
    assert_true(str_starts(S("notes/plan"), S("notes/")));
    assert_false(str_starts(S("note"), S("notes")));
    assert_true(str_ends(S("plan.txt"), S(".txt")));
    assert_true(str_ends(S(".txt"), S(".txt")));
    assert_false(str_ends(S("txt"), S(".txt")));
}

static void find_gives_the_length_when_there_is_none(void **state)
{
    assert_int_equal(str_find(S("a/b/c"), '/'), 1);
    assert_int_equal(str_find_last(S("a/b/c"), '/'), 3);
    assert_int_equal(str_find(S("abc"), '/'), 3);
    assert_int_equal(str_find_last(S("abc"), '/'), 3);
    assert_int_equal(str_find((Str){ 0 }, 'x'), 0);
    assert_int_equal(str_find_last((Str){ 0 }, 'x'), 0);
}

static void slices_stay_inside(void **state)
{
    Str s = S("hello");
    assert_str(str_from(s, 2), S("llo"));
    assert_str(str_from(s, 5), S(""));
    assert_str(str_from(s, SIZE_MAX), S(""));
    assert_str(str_slice(s, 1, 3), S("el"));
    assert_str(str_slice(s, 1, SIZE_MAX), S("ello"));
    assert_str(str_slice(s, 4, 2), S(""));
    assert_str(str_slice((Str){ 0 }, 3, 9), S(""));
}

static void cut_takes_the_first_part_or_changes_nothing(void **state)
{
    Str rest = S("a/b//c"), head = { 0 };
    assert_true(str_cut(&rest, '/', &head));
    assert_str(head, S("a"));
    assert_true(str_cut(&rest, '/', &head));
    assert_str(head, S("b"));
    assert_true(str_cut(&rest, '/', &head));
    assert_str(head, S(""));
    assert_false(str_cut(&rest, '/', &head));
    assert_str(rest, S("c"));
    assert_str(head, S(""));
}

static void only_whole_numbers_in_range_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t min, max;
        bool good;
        int64_t value;
    } rows[] = {
        { "0", INT64_MIN, INT64_MAX, true, 0 },
        { "7", 0, 7, true, 7 },
        { "8", 0, 7, false, 0 },
        { "-1", 0, 7, false, 0 },
        { "-1", -1, 7, true, -1 },
        { "9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX },
        { "9223372036854775808", INT64_MIN, INT64_MAX, false, 0 },
        { "-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN },
        { "-9223372036854775809", INT64_MIN, INT64_MAX, false, 0 },
        { "99999999999999999999999", INT64_MIN, INT64_MAX, false, 0 },
        { "", INT64_MIN, INT64_MAX, false, 0 },
        { "-", INT64_MIN, INT64_MAX, false, 0 },
        { "-0", INT64_MIN, INT64_MAX, false, 0 },
        { "00", INT64_MIN, INT64_MAX, false, 0 },
        { "01", INT64_MIN, INT64_MAX, false, 0 },
        { "-01", INT64_MIN, INT64_MAX, false, 0 },
        { "+1", INT64_MIN, INT64_MAX, false, 0 },
        { " 1", INT64_MIN, INT64_MAX, false, 0 },
        { "1 ", INT64_MIN, INT64_MAX, false, 0 },
        { "1x", INT64_MIN, INT64_MAX, false, 0 },
        { "0x1", INT64_MIN, INT64_MAX, false, 0 },
        { "1.0", INT64_MIN, INT64_MAX, false, 0 },
        { "1e3", INT64_MIN, INT64_MAX, false, 0 },
        { "\xd9\xa1", INT64_MIN, INT64_MAX, false, 0 }, /* an Arabic digit one */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t value = 4711;
        bool good = str_to_i64(str(rows[i].text), rows[i].min, rows[i].max, &value);
        assert_row(good == rows[i].good, i, rows[i].text);
        assert_row(value == (good ? rows[i].value : 4711), i, rows[i].text);
    }
}

static void unsigned_numbers_go_up_to_64_bits(void **state)
{
    uint64_t value = 1;
    assert_true(str_to_u64(S("18446744073709551615"), UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    assert_false(str_to_u64(S("18446744073709551616"), UINT64_MAX, &value));
    assert_false(str_to_u64(S("-1"), UINT64_MAX, &value));
    assert_false(str_to_u64(S("1\0"), UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
}

static void hex_digits_are_those_of_both_cases_and_no_others(void **state)
{
    (void)state;
    static const char digits[] = "0123456789abcdefABCDEF";
    for (int c = -128; c < 128; c++) {
        const char *at = c ? strchr(digits, c) : NULL;
        int want = !at ? -1 : at - digits < 16 ? (int)(at - digits) : (int)(at - digits) - 6;
        assert_int_equal(hex_digit((char)c), want);
    }
}

static void trimming_takes_space_from_both_ends_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        Str text, want;
    } rows[] = {
        { { "", 0 }, { "", 0 } },
        { { " \t\r\n", 4 }, { "", 0 } },
        { { " a b\n", 5 }, { "a b", 3 } },
        { { "\0 a\0", 4 }, { "\0 a\0", 4 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(str_eq(str_trim(rows[i].text), rows[i].want));
}

static void a_path_is_a_directory_and_a_last_segment(void **state)
{
    (void)state;
    static const struct {
        const char *path, *dir, *base;
    } rows[] = {
        { "a/b/c", "a/b", "c" }, { "c", ".", "c" }, { "/c", "/", "c" },
        { "/a/b", "/a", "b" },   { "a/", "a", "" }, { "", ".", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(str_eq(str_dir_name(str(rows[i].path)), str(rows[i].dir)));
        assert_true(str_eq(str_base_name(str(rows[i].path)), str(rows[i].base)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex_digits_are_those_of_both_cases_and_no_others),
        cmocka_unit_test(trimming_takes_space_from_both_ends_and_nothing_else),
        cmocka_unit_test(a_str_may_hold_nul_bytes),
        cmocka_unit_test(the_empty_str_equals_every_other_empty_str),
        cmocka_unit_test(order_is_that_of_unsigned_bytes),
        cmocka_unit_test(starts_and_ends_need_all_of_it),
        cmocka_unit_test(find_gives_the_length_when_there_is_none),
        cmocka_unit_test(slices_stay_inside),
        cmocka_unit_test(cut_takes_the_first_part_or_changes_nothing),
        cmocka_unit_test(only_whole_numbers_in_range_are_read),
        cmocka_unit_test(unsigned_numbers_go_up_to_64_bits),
        cmocka_unit_test(a_path_is_a_directory_and_a_last_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
