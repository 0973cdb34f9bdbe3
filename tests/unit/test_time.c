/* test_time.c - moments as text. */
#include "unit/unit.h"

#include "base/time.h"

static const struct {
    int64_t ms;
    const char *text, *stamp;
} moments[] = {
    { 0, "1970-01-01T00:00:00.000Z", "19700101-000000" },
    { 1, "1970-01-01T00:00:00.001Z", "19700101-000000" },
    { 999, "1970-01-01T00:00:00.999Z", "19700101-000000" },
    { -1, "1969-12-31T23:59:59.999Z", "19691231-235959" },
    { -1000, "1969-12-31T23:59:59.000Z", "19691231-235959" },
    { -1001, "1969-12-31T23:59:58.999Z", "19691231-235958" },
    { INT64_C(951782400000), "2000-02-29T00:00:00.000Z", "20000229-000000" },
    { INT64_C(1769885100123), "2026-01-31T18:45:00.123Z", "20260131-184500" },
    { INT64_C(2147483648000), "2038-01-19T03:14:08.000Z", "20380119-031408" },
    { INT64_C(253402300799999), "9999-12-31T23:59:59.999Z", "99991231-235959" },
    { INT64_C(-62167219200000), "0000-01-01T00:00:00.000Z", "00000101-000000" },
};

static void moments_are_written_and_read_back(void **state)
{
    for (size_t i = 0; i < COUNT_OF(moments); i++) {
        assert_string_equal(time_text(moments[i].ms).text, moments[i].text);
        assert_string_equal(time_stamp(moments[i].ms).text, moments[i].stamp);
        int64_t back = 0;
        assert_true(time_parse(str(moments[i].text), &back));
        assert_true(back == moments[i].ms);
    }
}

static void years_beyond_four_digits_are_not_shortened(void **state)
{
    assert_string_equal(time_text(INT64_C(253402300800000)).text, "10000-01-01T00:00:00.000Z");
    assert_string_equal(time_text(INT64_MAX).text, "292278994-08-17T07:12:55.807Z");
    assert_string_equal(time_text(INT64_MIN).text, "-292275055-05-16T16:47:04.192Z");
}

static void milliseconds_may_be_missing(void **state)
{
    int64_t ms = 0;
    assert_true(time_parse(S("2026-01-31T18:45:00Z"), &ms));
    assert_true(ms == INT64_C(1769885100000));
}

static void everything_else_is_refused(void **state)
{
    static const char *const rows[] = {
        "",
        "2026-01-31",
        "2026-01-31T18:45:00",
        "2026-01-31T18:45:00.123",
        "2026-01-31T18:45:00.12Z",
        "2026-01-31T18:45:00.1234Z",
        "2026-01-31 18:45:00Z",
        "2026-01-31T18:45:00z",
        "2026-01-31T18:45:00,123Z",
        "2026-01-31T18:45:00+00:0",
        "2026-01-31T18:45:00+1",
        "2026-00-31T18:45:00Z",
        "2026-13-31T18:45:00Z",
        "2026-01-00T18:45:00Z",
        "2026-01-32T18:45:00Z",
        "2026-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T18:60:00Z",
        "2026-01-31T18:45:60Z",
        "2026-01-31T18:45:0 Z",
        "2026-01-31T18:45:-1Z",
        "+026-01-31T18:45:00Z",
        "2026/01/31T18:45:00Z",
        " 026-01-31T18:45:00Z",
        "2026-01-31T18:45:00.1a3Z",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t ms = 42;
        assert_row(!time_parse(str(rows[i]), &ms) && ms == 42, i, rows[i]);
    }
    int64_t ms = 0;
    assert_false(time_parse(S("2026-01-31T18:45:0\0Z"), &ms));
    assert_false(time_parse((Str){ 0 }, &ms));
}

static void the_zone_of_the_process_does_not_matter(void **state)
{
    setenv("TZ", "Asia/Tokyo", 1);
    int64_t ms = 0;
    assert_true(time_parse(S("1970-01-01T00:00:00Z"), &ms));
    assert_true(ms == 0);
    assert_string_equal(time_text(0).text, "1970-01-01T00:00:00.000Z");
    unsetenv("TZ");
}

static void moments_of_other_programs_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = {
        { "2026-01-31T18:45:00.123Z", INT64_C(1769885100123) },
        { "2026-01-31T18:45:00+00:00", INT64_C(1769885100000) },
        { "2026-01-31T18:45:00.123456+00:00", INT64_C(1769885100123) },
        { "2026-01-31T19:45:00.5+01:00", INT64_C(1769885100500) },
        { "2026-01-31T13:15:00-0530", INT64_C(1769885100000) },
        { "2026-01-31T20:45:00+02", INT64_C(1769885100000) },
        { "2026-01-31 18:45:00", INT64_C(1769885100000) },
        { "2026-01-31T18:45:00.203841", INT64_C(1769885100203) },
        { "1769885100", INT64_C(1769885100000) },
        { "1769885100.1239", INT64_C(1769885100123) },
    };
    static const char *const bad[] = { "",
                                       "x",
                                       "2026-01-31",
                                       "2026-02-31 18:45:00",
                                       "2026-01-31x18:45:00",
                                       "2026-01-31T18:45:00+1",
                                       "2026-01-31T18:45:00+01:0",
                                       "2026-01-31T18:45:00+01-00",
                                       "2026-01-31T18:45:00 UTC",
                                       "1769885100x",
                                       "1769885100.1x",
                                       "-1",
                                       "999999999999999" };
    int64_t ms;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_row(time_parse_any(str(rows[i].text), &ms) && ms == rows[i].ms, i, rows[i].text);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_row(!time_parse_any(str(bad[i]), &ms), i, bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_written_and_read_back),
        cmocka_unit_test(years_beyond_four_digits_are_not_shortened),
        cmocka_unit_test(milliseconds_may_be_missing),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(the_zone_of_the_process_does_not_matter),
        cmocka_unit_test(moments_of_other_programs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
