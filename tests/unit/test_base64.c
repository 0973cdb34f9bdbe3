/* test_base64.c - bytes as text. */
#include "unit/unit.h"

#include "base/base64.h"

/* RFC 4648, section 10. */
static const struct {
    Str bytes, text;
} vectors[] = {
    { { "", 0 }, { "", 0 } },
    { { "f", 1 }, { "Zg==", 4 } },
    { { "fo", 2 }, { "Zm8=", 4 } },
    { { "foo", 3 }, { "Zm9v", 4 } },
    { { "foob", 4 }, { "Zm9vYg==", 8 } },
    { { "fooba", 5 }, { "Zm9vYmE=", 8 } },
    { { "foobar", 6 }, { "Zm9vYmFy", 8 } },
    { { "\xff\xfe\xfb", 3 }, { "//77", 4 } },
    { { "\0\0\0", 3 }, { "AAAA", 4 } },
    { { "\xfb", 1 }, { "+w==", 4 } },
};

static void the_vectors_of_the_rfc_hold_both_ways(void **state)
{
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        AUTO(Buf) b = { 0 };
        base64_write(&b, vectors[i].bytes);
        assert_str(buf_str(&b), vectors[i].text);
        assert_int_equal(base64_size(vectors[i].bytes.n), vectors[i].text.n);
        Str back = { 0 };
        assert_true(base64_read(vectors[i].text, &a, &back));
        assert_str(back, vectors[i].bytes);
    }
}

static void every_length_and_byte_comes_back(void **state)
{
    char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) b = { 0 };
        buf_add(&b, S("in front "));
        base64_write(&b, (Str){ bytes, n });
        assert_int_equal(b.n, 9 + base64_size(n));
        Str back = { 0 };
        assert_true(base64_read(str_from(buf_str(&b), 9), &a, &back));
        assert_str(back, ((Str){ bytes, n }));
    }
}

static void text_that_ends_at_the_ceiling_is_kept(void **state)
{
    AUTO(Buf) b = { .max = 8 };
    base64_write(&b, S("foobar"));
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), S("Zm9vYmFy"));
    base64_write(&b, S("f"));
    assert_false(buf_ok(&b));
    assert_str(buf_str(&b), S("Zm9vYmFy"));
}

static void whatever_could_not_have_been_written_is_refused(void **state)
{
    static const struct {
        const char *why;
        Str text;
    } rows[] = {
        { "one letter", { "Z", 1 } },
        { "two letters", { "Zg", 2 } },
        { "three letters", { "Zg=", 3 } },
        { "five letters", { "Zm9vY", 5 } },
        { "padding alone", { "====", 4 } },
        { "three signs of padding", { "Z===", 4 } },
        { "padding in front", { "=Zm9", 4 } },
        { "padding in the middle", { "Zg==Zg==", 8 } },
        { "padding before a letter", { "Zg=g", 4 } },
        { "bits set behind one byte", { "Zh==", 4 } },
        { "bits set behind two bytes", { "Zm9=", 4 } },
        { "a space", { "Zm 9", 4 } },
        { "a line break at the end", { "Zm9v\n\n\n\n", 8 } },
        { "a line break in front", { "\n\n\n\nZm9v", 8 } },
        { "the other alphabet", { "_-_-", 4 } },
        { "a NUL", { "Zm\0v", 4 } },
        { "a byte above ASCII", { "Zm9\xf6", 4 } },
        { "a minus as OpenSSL's end of data", { "Zm9v-AAA", 8 } },
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str out = S("untouched");
        assert_row(!base64_read(rows[i].text, &a, &out), i, rows[i].why);
        assert_str(out, S("untouched"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc_hold_both_ways),
        cmocka_unit_test(every_length_and_byte_comes_back),
        cmocka_unit_test(text_that_ends_at_the_ceiling_is_kept),
        cmocka_unit_test(whatever_could_not_have_been_written_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
