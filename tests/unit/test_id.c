/* test_id.c - names nobody else has chosen. */
#include "unit/unit.h"

#include "base/id.h"

static void count_up(void *ctx, void *out, size_t n)
{
    unsigned char *next = ctx, *to = out;
    for (size_t i = 0; i < n; i++)
        to[i] = (*next)++;
}

static void a_test_may_choose_the_random_bytes(void **state)
{
    unsigned char next = 0x0A;
    Io io = { .random = count_up, .ctx = &next };
    assert_string_equal(id_random(&io, 3).text, "0a0b0c");
    assert_string_equal(id_random(&io, 2).text, "0d0e");
    next = 0xF0;
    assert_string_equal(id_random(&io, 16).text, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
}

static void an_id_has_two_digits_a_byte(void **state)
{
    for (size_t bytes = 0; bytes <= 16; bytes++) {
        Id id = id_random(&io_system, bytes);
        assert_int_equal(strlen(id.text), 2 * bytes);
        assert_int_equal(strspn(id.text, "0123456789abcdef"), 2 * bytes);
    }
}

static void ids_of_the_system_differ(void **state)
{
    Id ids[64];
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        ids[i] = id_random(&io_system, 16);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ids[i].text, ids[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_may_choose_the_random_bytes),
        cmocka_unit_test(an_id_has_two_digits_a_byte),
        cmocka_unit_test(ids_of_the_system_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
