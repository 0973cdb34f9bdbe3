/* test_base64.c - bytes as text. */
#include "unit/unit.h"

#include "base/base64.h"

/* RFC 4648, section 10. */
static const struct {
    Str bytes, text;
} vectors[] = {
    { T(""), T("") },
    { T("f"), T("Zg==") },
    { T("fo"), T("Zm8=") },
    { T("foo"), T("Zm9v") },
    { T("foob"), T("Zm9vYg==") },
    { T("fooba"), T("Zm9vYmE=") },
    { T("foobar"), T("Zm9vYmFy") },
    { T("\xff\xfe\xfb"), T("//77") },
    { T("\0\0\0"), T("AAAA") },
    { T("\xfb"), T("+w==") },
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
        { "one letter", T("Z") },
        { "two letters", T("Zg") },
        { "three letters", T("Zg=") },
        { "five letters", T("Zm9vY") },
        { "padding alone", T("====") },
        { "three signs of padding", T("Z===") },
        { "padding in front", T("=Zm9") },
        { "padding in the middle", T("Zg==Zg==") },
        { "padding before a letter", T("Zg=g") },
        { "bits set behind one byte", T("Zh==") },
        { "bits set behind two bytes", T("Zm9=") },
        { "a space", T("Zm 9") },
        { "a line break at the end", T("Zm9v\n\n\n\n") },
        { "a line break in front", T("\n\n\n\nZm9v") },
        { "the other alphabet", T("_-_-") },
        { "a NUL", T("Zm\0v") },
        { "a byte above ASCII", T("Zm9\xf6") },
        { "a minus as OpenSSL's end of data", T("Zm9v-AAA") },
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
