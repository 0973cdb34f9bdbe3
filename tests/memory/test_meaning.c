/* test_meaning.c - vectors of rows: compared, kept in files, found again. */
#include "memory/search/meaning.h"

#include <math.h>

#include "memory/search_desk.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void a_product_is_the_same_with_and_without_vector_instructions(Desk *d)
{
    (void)d;
    static int8_t a[ROW_VECTOR_COLUMNS_MAX], b[ROW_VECTOR_COLUMNS_MAX];
    for (size_t i = 0; i < ROW_VECTOR_COLUMNS_MAX; i++) {
        a[i] = (int8_t)(draw() % 255 - 127);
        b[i] = (int8_t)(draw() % 255 - 127);
    }
    for (size_t n = 0; n < 200; n++)
        for (size_t from = 0; from < 3; from++)
            assert_int_equal(row_vector_dot(a + from, b, n), row_vector_dot_plain(a + from, b, n));
    memset(a, -127, sizeof a);
    memset(b, 127, sizeof b);
    assert_int_equal(row_vector_dot(a, b, sizeof a), -127 * 127 * (int)sizeof a);
}

static void a_direction_survives_eight_bits(Desk *d)
{
    (void)d;
    float x[384], y[384];
    int8_t small[384], large[384];
    double dot = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < 384; i++) {
        x[i] = (float)(draw() % 2001) / 1000 - 1;
        y[i] = x[i] + (float)(draw() % 2001) / 1000 - 1;
        dot += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        x[i] *= 1e-4f; /* how long it is says nothing */
    }
    row_vector_take(x, 384, small);
    row_vector_take(y, 384, large);
    double got =
        row_vector_dot(small, large, 384) /
        sqrt((double)row_vector_dot(small, small, 384) * row_vector_dot(large, large, 384));
    assert_true(fabs(got - dot / sqrt(xx * yy)) < 0.01);
    memset(x, 0, sizeof x);
    row_vector_take(x, 384, small);
    assert_int_equal(row_vector_dot(small, small, 384), 0);
}

static void write_some(Buf *to)
{
    static const int8_t rows[3][4] = { { 1, 2, 3, 4 }, { -1, 0, 5, 9 }, { 7, 7, 7, 7 } };
    RowVector items[] = { { 30, rows[0] }, { 10, rows[1] }, { 20, rows[2] }, { 10, rows[2] } };
    row_vectors_write(S("a model"), 4, items, COUNT_OF(items), to);
}

static void what_was_written_is_found_by_its_key(Desk *d)
{
    (void)d;
    AUTO(Buf) bytes = { 0 };
    RowVectors v = { 0 };
    write_some(&bytes);
    assert_true(row_vectors_from_bytes(&v, &bytes));
    assert_int_equal(v.n, 3);
    assert_text(v.model, "a model");
    assert_int_equal(row_vectors_find(&v, 30)[3], 4);
    assert_int_equal(row_vectors_find(&v, 20)[0], 7);
    assert_null(row_vectors_find(&v, 15));
    assert_null(row_vectors_find(&v, 31));
    row_vectors_free(&v);
}

static void a_file_that_is_not_whole_is_refused_at_every_byte(Desk *d)
{
    (void)d;
    AUTO(Buf) good = { 0 };
    write_some(&good);
    for (size_t i = 0; i < good.n; i++) {
        AUTO(Buf) flipped = { 0 };
        AUTO(Buf) cut = { 0 };
        RowVectors v = { 0 };
        buf_add(&flipped, buf_str(&good));
        flipped.p[i] ^= 0x10;
        assert_false(row_vectors_from_bytes(&v, &flipped));
        buf_add(&cut, str_slice(buf_str(&good), 0, i));
        assert_false(row_vectors_from_bytes(&v, &cut));
    }
}

/* Sizes that lead out of the file, under a right checksum. */
static void a_file_that_says_nonsense_is_refused(Desk *d)
{
    (void)d;
    for (size_t at = 8; at < 32; at += 4) {
        AUTO(Buf) bytes = { 0 };
        RowVectors v = { 0 };
        uint32_t nonsense = 0xFFFFFFF0;
        write_some(&bytes);
        if (at == 28)
            continue; /* nobody uses it */
        memcpy(bytes.p + at, &nonsense, sizeof nonsense);
        uint64_t sum = seg_hash(str_slice(buf_str(&bytes), 0, bytes.n - sizeof sum));
        memcpy(bytes.p + bytes.n - sizeof sum, &sum, sizeof sum);
        assert_false(row_vectors_from_bytes(&v, &bytes));
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_product_is_the_same_with_and_without_vector_instructions),
        DESK_TEST(a_direction_survives_eight_bits),
        DESK_TEST(what_was_written_is_found_by_its_key),
        DESK_TEST(a_file_that_is_not_whole_is_refused_at_every_byte),
        DESK_TEST(a_file_that_says_nonsense_is_refused),
    };
    return desk_run_on("mem", tests, COUNT_OF(tests));
}
