/* test_buf.c - owned bytes that grow up to a ceiling. */
#include "unit/unit.h"

static void what_is_added_is_there_in_order(void **state)
{
    AUTO(Buf) b = { 0 };
    buf_add(&b, S("one"));
    buf_add_char(&b, ' ');
    buf_addf(&b, "%s-%d", "two", 3);
    buf_add(&b, (Str){ 0 });
    buf_add(&b, S("\0end"));
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), S("one two-3\0end"));
}

static void text_that_ends_at_the_ceiling_is_kept(void **state)
{
    for (int way = 0; way < 3; way++) {
        AUTO(Buf) b = { .max = 5 };
        if (way == 0)
            buf_add(&b, S("hello"));
        else if (way == 1)
            buf_addf(&b, "%s", "hello");
        else
            for (int i = 0; i < 5; i++)
                buf_add_char(&b, "hello"[i]);
        assert_true(buf_ok(&b));
        assert_str(buf_str(&b), S("hello"));
    }
}

static void one_byte_beyond_the_ceiling_is_refused_whole(void **state)
{
    for (int way = 0; way < 2; way++) {
        AUTO(Buf) b = { .max = 5 };
        buf_add(&b, S("hi"));
        if (way == 0)
            buf_add(&b, S("four"));
        else
            buf_addf(&b, "%d", 1234);
        assert_false(buf_ok(&b));
        assert_str(buf_str(&b), S("hi"));
    }
}

static void after_a_refusal_nothing_more_is_taken(void **state)
{
    AUTO(Buf) b = { .max = 4 };
    buf_add(&b, S("ab"));
    buf_add(&b, S("too long"));
    buf_add(&b, S("c"));
    buf_addf(&b, "d");
    buf_add_char(&b, 'e');
    assert_null(buf_room(&b, 1));
    assert_false(buf_ok(&b));
    assert_str(buf_str(&b), S("ab"));
}

static void clearing_forgets_content_and_refusal(void **state)
{
    AUTO(Buf) b = { .max = 4 };
    buf_add(&b, S("too long"));
    buf_clear(&b);
    buf_add(&b, S("abcd"));
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), S("abcd"));
}

static void memory_never_passes_the_ceiling(void **state)
{
    AUTO(Buf) b = { .max = 1000 };
    for (int i = 0; i < 1000; i++) {
        buf_add_char(&b, 'x');
        assert_true(b.cap <= 1000 && b.n <= b.cap);
    }
    assert_true(buf_ok(&b));
    assert_int_equal(b.n, 1000);
    buf_add_char(&b, 'x');
    assert_false(buf_ok(&b));
}

static void without_a_ceiling_the_default_holds(void **state)
{
    AUTO(Buf) b = { 0 };
    assert_non_null(buf_room(&b, 1024));
    assert_true(buf_ok(&b));
    assert_null(buf_room(&b, (size_t)BUF_MAX_DEFAULT + 1));
    assert_false(buf_ok(&b));
    assert_int_equal(b.n, 0);
}

static void room_is_refused_only_beyond_the_ceiling(void **state)
{
    AUTO(Buf) b = { .max = 8 };
    assert_non_null(buf_room(&b, 0));
    char *to = buf_room(&b, 8);
    assert_non_null(to);
    memcpy(to, "12345678", 8);
    buf_grew(&b, 8);
    assert_non_null(buf_room(&b, 0));
    assert_true(buf_ok(&b));
    assert_null(buf_room(&b, SIZE_MAX));
    assert_str(buf_str(&b), S("12345678"));
}

static void a_freed_buf_is_empty_and_usable(void **state)
{
    AUTO(Buf) b = { .max = 3 };
    buf_add(&b, S("abc"));
    buf_free(&b);
    buf_free(&b);
    buf_free(NULL);
    assert_null(b.p);
    assert_int_equal(b.n, 0);
    buf_add(&b, S("abcd"));
    assert_false(buf_ok(&b)); /* the ceiling is kept */
}

static void taking_a_buf_leaves_an_empty_one(void **state)
{
    AUTO(Buf) b = { 0 };
    buf_add(&b, S("mine"));
    AUTO(Buf) taken = TAKE(b);
    assert_null(b.p);
    assert_str(buf_str(&taken), S("mine"));
}

static void numbers_are_written_as_a_format_would(void **state)
{
    static const uint64_t numbers[] = { 0,          1,          9,         10,
                                        99,         100,        255,       256,
                                        1234567890, UINT32_MAX, INT64_MAX, 10000000000000000000U,
                                        UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        AUTO(Buf) b = { 0 };
        char want[64];
        buf_add_u64(&b, numbers[i]);
        buf_add_char(&b, ' ');
        buf_add_hex(&b, numbers[i], 16);
        buf_add_char(&b, ' ');
        buf_add_hex(&b, numbers[i], 2); /* the last ones */
        snprintf(want, sizeof want, "%llu %016llx %02x", (unsigned long long)numbers[i],
                 (unsigned long long)numbers[i], (unsigned)(numbers[i] & 255));
        assert_str(buf_str(&b), str(want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_there_in_order),
        cmocka_unit_test(text_that_ends_at_the_ceiling_is_kept),
        cmocka_unit_test(one_byte_beyond_the_ceiling_is_refused_whole),
        cmocka_unit_test(after_a_refusal_nothing_more_is_taken),
        cmocka_unit_test(clearing_forgets_content_and_refusal),
        cmocka_unit_test(memory_never_passes_the_ceiling),
        cmocka_unit_test(without_a_ceiling_the_default_holds),
        cmocka_unit_test(room_is_refused_only_beyond_the_ceiling),
        cmocka_unit_test(a_freed_buf_is_empty_and_usable),
        cmocka_unit_test(taking_a_buf_leaves_an_empty_one),
        cmocka_unit_test(numbers_are_written_as_a_format_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
