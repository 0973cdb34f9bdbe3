/* test_err.c - the table of statuses, and the sentence behind a fault. */
#include "unit/unit.h"

#include <errno.h>

#include "base/utf8.h"

enum { STATUSES = JOT_ID_REUSED + 1 };

static void every_status_has_a_row_with_its_own_name(void **state)
{
    for (int i = 0; i < STATUSES; i++) {
        const char *name = status_info((jot_status)i)->name;
        assert_non_null(name);
        assert_true(name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name));
        assert_string_equal(jot_status_name((jot_status)i), name);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(name, status_info((jot_status)k)->name);
    }
}

static void exit_codes_are_zero_for_ok_and_nothing_else(void **state)
{
    for (int i = 0; i < STATUSES; i++) {
        const StatusInfo *info = status_info((jot_status)i);
        assert_in_range(info->exit_code, 0, 255);
        assert_int_equal(info->exit_code == 0, i == JOT_OK);
    }
}

static void http_says_ok_or_error_as_the_status_does(void **state)
{
    for (int i = 0; i < STATUSES; i++) {
        int http = status_info((jot_status)i)->http;
        if (i == JOT_OK)
            assert_int_equal(http, 200);
        else
            assert_in_range(http, 400, 599);
    }
}

static void own_rpc_codes_stay_out_of_the_reserved_range(void **state)
{
    for (int i = 0; i < STATUSES; i++) {
        int rpc = status_info((jot_status)i)->rpc;
        bool reserved = rpc >= -32768 && rpc <= -32000;
        assert_true(!reserved || rpc == -32602); /* invalid params */
        assert_int_equal(rpc == 0, i == JOT_OK);
    }
}

static void a_retry_is_advised_where_it_can_help_and_cannot_harm(void **state)
{
    for (int i = 0; i < STATUSES; i++) {
        bool helps = i == JOT_CONFLICT || i == JOT_UNAVAILABLE || i == JOT_LEASED;
        assert_int_equal(status_info((jot_status)i)->retry, helps);
    }
}

static void a_number_that_is_no_status_has_a_row_too(void **state)
{
    static const int numbers[] = { -1, STATUSES, 1000, INT32_MIN, INT32_MAX };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const StatusInfo *info = status_info((jot_status)numbers[i]);
        assert_non_null(info);
        assert_string_equal(info->name, "no such status");
        assert_true(info->exit_code != 0);
    }
}

static void setting_returns_the_status_it_records(void **state)
{
    Err e = { 0 };
    assert_int_equal(err_set(&e, JOT_TOO_BIG, "%d is more than %d", 2, 1), JOT_TOO_BIG);
    assert_int_equal(e.status, JOT_TOO_BIG);
    assert_string_equal(e.text, "2 is more than 1");
    assert_int_equal(err_set(NULL, JOT_IO, "nobody listens"), JOT_IO);
    assert_int_equal(err_errno(NULL, ENOENT, "nobody listens"), JOT_NOT_FOUND);
}

static void where_comes_in_front_and_keeps_the_status(void **state)
{
    Err e = { 0 };
    err_set(&e, JOT_CONFLICT, "it has changed");
    assert_int_equal(err_at(&e, "stream '%s'", "notes/a"), JOT_CONFLICT);
    assert_string_equal(e.text, "stream 'notes/a': it has changed");
    assert_int_equal(e.status, JOT_CONFLICT);
}

static void what_is_passed_on_is_what_was_recorded(void **state)
{
    Err own = { 0 }, e = { 0 };
    err_set(&own, JOT_IO, "the disk is gone");
    assert_int_equal(err_pass(&e, &own, JOT_OK), JOT_OK);
    assert_int_equal(e.status, JOT_OK);
    assert_int_equal(err_pass(&e, &own, JOT_IO), JOT_IO);
    assert_string_equal(e.text, "the disk is gone");
    assert_int_equal(err_pass(NULL, &own, JOT_IO), JOT_IO);
}

static void the_status_follows_from_errno(void **state)
{
    static const struct {
        int errnum;
        jot_status status;
    } rows[] = {
        { ENOENT, JOT_NOT_FOUND },   { EACCES, JOT_DENIED },      { EPERM, JOT_DENIED },
        { EROFS, JOT_READ_ONLY },    { EAGAIN, JOT_UNAVAILABLE }, { EMFILE, JOT_UNAVAILABLE },
        { ENFILE, JOT_UNAVAILABLE }, { ENOMEM, JOT_UNAVAILABLE }, { EIO, JOT_IO },
        { ENOSPC, JOT_IO },          { EDQUOT, JOT_IO },          { 99999, JOT_IO },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Err e = { 0 };
        jot_status st = err_errno(&e, rows[i].errnum, "could not open '%s'", "x");
        assert_row(st == rows[i].status && e.status == st, i, e.text);
        assert_row(strncmp(e.text, "could not open 'x': ", 20) == 0, i, e.text);
    }
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
    static const char *const characters[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        for (int shift = 0; shift < 4; shift++) {
            AUTO(Buf) text = { 0 };
            for (int k = 0; k < shift; k++)
                buf_add_char(&text, '.');
            while (text.n < 400)
                buf_add(&text, str(characters[i]));
            Err e = { 0 };
            err_set(&e, JOT_INVALID, STR_FMT, STR_ARG(buf_str(&text)));
            assert_true(utf8_valid(str(e.text)) && strlen(e.text) >= 240);
            err_at(&e, "somewhere");
            assert_true(utf8_valid(str(e.text)) && strlen(e.text) < sizeof e.text);
            err_errno(&e, EIO, STR_FMT, STR_ARG(buf_str(&text)));
            assert_true(utf8_valid(str(e.text)));
        }
    }
}

static void shown_names_are_printable_and_short(void **state)
{
    Shown shown;
    assert_string_equal(err_show(&shown, S("plan b")), "plan b");
    assert_string_equal(err_show(&shown, S("a\nb\x1b\xff")), "a\\nb\\x1B\\xFF");
    assert_string_equal(err_show(&shown, S("gr\xC3\xB6\xC3\x9F"
                                           "e")),
                        "gr\xC3\xB6\xC3\x9F"
                        "e");
    assert_string_equal(err_show(&shown, S("a\xE2\x80\xAE"
                                           "b")),
                        "a\\u{202E}b");
    assert_string_equal(err_show(&shown, S("")), "");
    assert_string_equal(err_show(&shown, (Str){ 0 }), "");
    char name[300];
    memset(name, 'x', sizeof name);
    for (size_t n = 0; n < sizeof name; n++) {
        const char *text = err_show(&shown, (Str){ name, n });
        size_t shown_n = strlen(text);
        assert_true(shown_n < sizeof shown.text);
        assert_true(shown_n == n || strcmp(text + shown_n - 3, "...") == 0);
    }
    memset(name, 0, sizeof name);
    for (size_t n = 0; n < sizeof name; n++)
        assert_true(strlen(err_show(&shown, (Str){ name, n })) < sizeof shown.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_row_with_its_own_name),
        cmocka_unit_test(exit_codes_are_zero_for_ok_and_nothing_else),
        cmocka_unit_test(http_says_ok_or_error_as_the_status_does),
        cmocka_unit_test(own_rpc_codes_stay_out_of_the_reserved_range),
        cmocka_unit_test(a_retry_is_advised_where_it_can_help_and_cannot_harm),
        cmocka_unit_test(a_number_that_is_no_status_has_a_row_too),
        cmocka_unit_test(setting_returns_the_status_it_records),
        cmocka_unit_test(where_comes_in_front_and_keeps_the_status),
        cmocka_unit_test(what_is_passed_on_is_what_was_recorded),
        cmocka_unit_test(the_status_follows_from_errno),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
        cmocka_unit_test(shown_names_are_printable_and_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
