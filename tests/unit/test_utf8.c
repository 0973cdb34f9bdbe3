/* test_utf8.c - well-formedness, against a second, slow definition of it.
 *
 * The reference here decodes a sequence by arithmetic and then asks whether
 * its code point may be written that way; the product goes by a table of byte
 * ranges.  They share no line. */
#include "unit/unit.h"

#include "base/utf8.h"

/* The length of the sequence at `p` if it is well-formed, else 0; *c is its code point. */
static size_t reference(const unsigned char *p, size_t left, uint32_t *c)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = p[0] < 0x80             ? 1
               : (p[0] & 0xE0) == 0xC0 ? 2
               : (p[0] & 0xF0) == 0xE0 ? 3
               : (p[0] & 0xF8) == 0xF0 ? 4
                                       : 0;
    if (n == 0 || n > left)
        return 0;
    *c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] / 64 != 2)
            return 0;
        *c = *c * 64 + p[i] % 64;
    }
    bool surrogate = *c / 0x800 == 0xD800 / 0x800;
    return *c < smallest[n] || *c > 0x10FFFF || surrogate ? 0 : n;
}

static size_t reference_bad_at(Str s)
{
    uint32_t c = 0;
    size_t at = 0, n = 1;
    for (; at < s.n && n; at += n)
        n = reference((const unsigned char *)s.p + at, s.n - at, &c);
    return at;
}

/* Second, third and fourth bytes around every boundary of the standard's table 3-7. */
static const unsigned char edges[] = { 0x00, 0x41, 0x7F, 0x80, 0x81, 0x8E, 0x8F, 0x90, 0x91,
                                       0x9E, 0x9F, 0xA0, 0xA1, 0xBE, 0xBF, 0xC0, 0xC1, 0xC2,
                                       0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFE, 0xFF };

static void every_one_and_two_byte_text_is_judged_rightly(void **state)
{
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            char text[2] = { (char)a, (char)b };
            assert_int_equal(utf8_bad_at((Str){ text, 1 }), reference_bad_at((Str){ text, 1 }));
            assert_int_equal(utf8_bad_at((Str){ text, 2 }), reference_bad_at((Str){ text, 2 }));
        }
    }
}

static void every_lead_byte_is_judged_rightly_before_every_edge(void **state)
{
    size_t n = COUNT_OF(edges);
    for (size_t i = 0; i < 256 * n * n * n; i++) {
        unsigned char text[4] = { (unsigned char)(i / (n * n * n)), edges[i / (n * n) % n],
                                  edges[i / n % n], edges[i % n] };
        Str s = { (const char *)text, 4 };
        size_t want = reference_bad_at(s);
        if (utf8_bad_at(s) != want || utf8_valid(s) != (want == 4))
            fail_msg("%02x %02x %02x %02x", text[0], text[1], text[2], text[3]);
    }
}

static void every_code_point_is_read_back(void **state)
{
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        unsigned char text[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        uint32_t rest = c;
        for (size_t i = n - 1; i > 0; i--, rest >>= 6)
            text[i] = (unsigned char)(0x80 | (rest & 0x3F));
        text[0] = (unsigned char)(n == 1 ? rest : (0xF00u >> n & 0xFF) | rest);
        Str s = { (const char *)text, n };
        size_t at = 0;
        if (!utf8_valid(s) || utf8_next(s, &at) != c || at != n || utf8_count(s) != 1)
            fail_msg("U+%04X", c);
    }
}

static void the_first_bad_byte_is_found_wherever_it_stands(void **state)
{
    char text[64];
    memset(text, 'x', sizeof text);
    for (size_t at = 0; at < sizeof text; at++) {
        text[at] = '\x80';
        assert_int_equal(utf8_bad_at((Str){ text, sizeof text }), at);
        assert_int_equal(utf8_bad_at((Str){ text, at }), at);
        text[at] = 'x';
    }
    assert_true(utf8_valid((Str){ text, sizeof text }));
    assert_true(utf8_valid((Str){ 0 }));
}

/* Text is looked at in blocks; characters begin, end and go wrong anywhere in one. */
static void any_mixture_is_judged_rightly(void **state)
{
    static const Str pieces[] = { T("x"),
                                  T("xxxxxxx"),
                                  T("\xc3\xa9"),
                                  T("\xe4\xb8\xad"),
                                  T("\xf0\x9f\x98\x80"),
                                  T("xxxxxxxxxxxxxxx"),
                                  T("\xc3"),
                                  T("\x80"),
                                  T("\xed\xa0\x80") };
    srand(1);
    for (size_t i = 0; i < 20000; i++) {
        AUTO(Buf) text = { 0 };
        size_t most = i % 2 ? COUNT_OF(pieces) - 3 : COUNT_OF(pieces);
        for (size_t n = (size_t)rand() % 16; n > 0; n--)
            buf_add(&text, pieces[(size_t)rand() % most]);
        assert_int_equal(utf8_bad_at(buf_str(&text)), reference_bad_at(buf_str(&text)));
    }
}

static void a_character_cut_off_at_the_end_is_bad_at_its_first_byte(void **state)
{
    Str s = S("ab\xf0\x9f\x98\x80");
    assert_true(utf8_valid(s));
    for (size_t n = 3; n < 6; n++)
        assert_int_equal(utf8_bad_at(str_slice(s, 0, n)), 2);
}

static void characters_are_counted_and_never_split(void **state)
{
    Str s = S("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80!");
    static const size_t floors[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11 };
    assert_int_equal(utf8_count(s), 5);
    assert_int_equal(utf8_count((Str){ 0 }), 0);
    for (size_t n = 0; n < COUNT_OF(floors); n++)
        assert_int_equal(utf8_floor(s, n), floors[n]);
    assert_int_equal(utf8_floor((Str){ 0 }, 5), 0);
}

static void each_byte_that_is_no_text_is_mended_alone(void **state)
{
    AUTO(Buf) to = { 0 };
    AUTO(Arena) a = { 0 };
    assert_int_equal(utf8_mend(&to, S("a\xff\xf0\x9f\x98z\xc3\xa9\xc3")), 5);
    assert_str(buf_str(&to), S("a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\xc3\xa9"
                               "\xEF\xBF\xBD"));
    assert_str(utf8_mended(S("\x80z"), &a), S("\xEF\xBF\xBDz"));
    Str good = S("caf\xc3\xa9");
    assert_ptr_equal(utf8_mended(good, &a).p, good.p);
    assert_int_equal(utf8_mend(&to, (Str){ 0 }), 0);
}

static void the_first_control_character_is_found(void **state)
{
    assert_int_equal(utf8_control_at(S("a\tb")), 1);
    assert_int_equal(utf8_control_at(S("ab\x7f")), 2);
    assert_int_equal(utf8_control_at(S("caf\xc3\xa9\xc2\x9f")), 5);
    assert_int_equal(utf8_control_at(S("\xc2\xa0 caf\xc3\xa9")), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_one_and_two_byte_text_is_judged_rightly),
        cmocka_unit_test(every_lead_byte_is_judged_rightly_before_every_edge),
        cmocka_unit_test(every_code_point_is_read_back),
        cmocka_unit_test(the_first_bad_byte_is_found_wherever_it_stands),
        cmocka_unit_test(any_mixture_is_judged_rightly),
        cmocka_unit_test(a_character_cut_off_at_the_end_is_bad_at_its_first_byte),
        cmocka_unit_test(characters_are_counted_and_never_split),
        cmocka_unit_test(the_first_control_character_is_found),
        cmocka_unit_test(each_byte_that_is_no_text_is_mended_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
