/* test_row.c - headers of records as text: what is written is read, and nothing else is. */
#include "unit/unit.h"

#include "base/hash.h"
#include "store/row.h"

static Record some(int i)
{
    static const char text[] = "some text that is cut into pieces of every length";
    Record r = { .mark = { .seq = i % 3 ? (uint64_t)i + 1 : STORE_SEQ_MAX,
                           .at_ms = i % 2 ? 1786000000000 + i : INT64_MAX,
                           .op = (Op)(i % 3 + 1),
                           .fence = i % 5 ? (uint64_t)i : INT64_MAX,
                           .size = (uint64_t)i * 1000,
                           .gap = (uint64_t)i % 7,
                           .redacted = i % 4 == 0,
                           .chain = hash_of((Str){ text, (size_t)i % sizeof text }) },
                 .by = { text, (size_t)i % 20 },
                 .id = { text, (size_t)i % 30 },
                 .meta = { text, (size_t)i % 40 },
                 .extra = { text, (size_t)i % 10 } };
    if (r.mark.op != OP_DELETE)
        r.mark.sha256 = hash_of((Str){ text, 1 });
    return r;
}

static void assert_same(const Record *got, const Record *want)
{
    assert_int_equal(got->mark.seq, want->mark.seq);
    assert_int_equal(got->mark.at_ms, want->mark.at_ms);
    assert_int_equal(got->mark.op, want->mark.op);
    assert_int_equal(got->mark.fence, want->mark.fence);
    assert_int_equal(got->mark.size, want->mark.size);
    assert_int_equal(got->mark.gap, want->mark.gap);
    assert_int_equal(got->mark.redacted, want->mark.redacted);
    assert_true(hash_eq(got->mark.sha256, want->mark.sha256));
    assert_true(hash_eq(got->mark.chain, want->mark.chain));
    assert_str(got->by, want->by);
    assert_str(got->id, want->id);
    assert_str(got->meta, want->meta);
    assert_str(got->extra, want->extra);
}

static void what_is_written_is_read_back(void **state)
{
    for (int i = 0; i < 200; i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) row = { 0 };
        Record want = some(i), got;
        row_write(&row, &want, 0xfedcba9876543210u + (uint64_t)i);
        assert_true(row_read(buf_str(&row), &a, &got));
        assert_same(&got, &want);
    }
}

static void a_row_that_lost_its_end_is_none(void **state)
{
    for (int i = 0; i < 12; i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) row = { 0 };
        Record want = some(i), got;
        row_write(&row, &want, 7);
        for (size_t n = 0; n < row.n; n++)
            assert_false(row_read((Str){ row.p, n }, &a, &got));
    }
}

/* Each byte by some others: it is none, or means something that is allowed. */
static void a_row_with_another_byte_is_none_or_within_the_limits(void **state)
{
    static const char others[] = " \n0a:-9f/G";
    AUTO(Buf) row = { 0 };
    Record want = some(17), got;
    row_write(&row, &want, 7);
    for (size_t at = 0; at < row.n; at++)
        for (size_t k = 0; k < sizeof others; k++) {
            AUTO(Arena) a = { 0 };
            char *bytes = arena_cstr(&a, buf_str(&row));
            bytes[at] = others[k];
            if (!row_read((Str){ bytes, row.n }, &a, &got))
                continue;
            assert_true(got.mark.seq > 0 && got.mark.seq <= STORE_SEQ_MAX);
            assert_true(got.mark.op >= OP_PUT && got.mark.op <= OP_APPEND);
            assert_true(got.mark.fence <= INT64_MAX && got.mark.size <= INT64_MAX);
            assert_true(got.id.n + got.by.n + got.meta.n + got.extra.n < row.n);
        }
}

static void numbers_that_no_limit_allows_are_refused(void **state)
{
    static const char head[] = "0000000000000001 0000000000000007 "
                               "0000000000000000000000000000000000000000000000000000000000000000 ";
    static const struct {
        const char *rest;
        bool good;
    } rows[] = {
        { "2 0 00 5 0 0 0 - 0 0 0\n", true },
        { "2 0 00 9223372036854775807 0 0 0 - 0 0 0\n", true },
        { "2 0 00 9223372036854775808 0 0 0 - 0 0 0\n", false },
        { "2 0 00 99999999999999999999 0 0 0 - 0 0 0\n", false },
        { "2 0 00 05 0 0 0 - 0 0 0\n", false },
        { "2 0 00 -5 0 0 0 - 0 0 0\n", false },
        { "2 0 00  0 0 0 - 0 0 0\n", false },
        { "4 0 00 5 0 0 0 - 0 0 0\n", false },
        { "0 0 00 5 0 0 0 - 0 0 0\n", false },
        { "2 2 00 5 0 0 0 - 0 0 0\n", false },
        { "1 0 00 5 0 0 0 - 0 0 0\n", false },
        { "2 0 0 5 0 0 0 - 0 0 0\n", false },
        { "2 0 00 5 0 0 0 - 0 0 99999999999\n", false },
        { "2 0 00 5 0 0 0 -\n", false },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        Record got;
        Str row = arena_printf(&a, "%s%s", head, rows[i].rest);
        if (row_read(row, &a, &got) != rows[i].good)
            fail_msg("%s", rows[i].rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_row_that_lost_its_end_is_none),
        cmocka_unit_test(a_row_with_another_byte_is_none_or_within_the_limits),
        cmocka_unit_test(numbers_that_no_limit_allows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
