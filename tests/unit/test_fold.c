/* test_fold.c - what characters are, and how they are folded. */
#include "base/fold.h"

#include "base/utf8.h"
#include "unit/unit.h"

static Str folded(Buf *to, const char *text)
{
    Str s = str(text);
    buf_clear(to);
    for (size_t at = 0; at < s.n;) {
        uint32_t out[FOLD_MAX];
        size_t n = fold_char(utf8_next(s, &at), out);
        for (size_t i = 0; i < n; i++)
            utf8_add(to, out[i]);
    }
    return buf_str(to);
}

static void case_width_and_accents_are_folded(void **state)
{
    static const char *const rows[][2] = {
        { "Hello World", "hello world" },
        { "CAFÉ", "cafe" },
        { "cafe\xCC\x81", "cafe" },
        { "Straße", "strasse" },
        { "ＡＢＣ１２", "abc12" },
        { "ﬁx", "fix" },
        { "ΑΘΉΝΑ", "αθηνα" },
        { "Москва", "москва" },
        { "İstanbul", "istanbul" },
    };
    AUTO(Buf) to = { 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(folded(&to, rows[i][0]), str(rows[i][1]));
}

static void lower_case_folds_case_and_nothing_else(void **state)
{
    static const char *const rows[][2] = {
        { "Hello World", "hello world" },
        { "CAFÉ", "café" },
        { "CAFE\xCC\x81", "cafe\xCC\x81" },
        { "Straße", "straße" },
        { "ＡＢＣ", "ａｂｃ" },
        { "ΟΔΟΣ ὁδός", "οδοσ ὁδόσ" },
        { "ЮЛЯ", "юля" },
        { "ǅ", "ǆ" },
        { "İ", "i\xCC\x87" },
        { "Ა𐐀日本", "ა𐐨日本" },
        { "", "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Buf) to = { 0 };
        fold_add_lower(&to, str(rows[i][0]));
        assert_str(buf_str(&to), str(rows[i][1]));
    }
}

static void what_tells_words_apart_in_other_scripts_stays(void **state)
{
    AUTO(Buf) to = { 0 };
    assert_str(folded(&to, "ダ"), str("ダ"));
    assert_str(folded(&to, "한국"), str("한국"));
    assert_str(folded(&to, "हिन्दी"), str("हिन्दी"));
}

static void marks_join_what_they_belong_to(void **state)
{
    assert_int_equal(fold_join(0x30BF, 0x3099), 0x30C0); /* ta, voiced: da */
    assert_int_equal(fold_join(0x1112, 0x1161), 0xD558); /* h, a: ha */
    assert_int_equal(fold_join('a', 'b'), 0);
}

static void kinds_are_told_apart(void **state)
{
    assert_int_equal(fold_kind('a'), FOLD_LOWER);
    assert_int_equal(fold_kind('Z'), FOLD_UPPER);
    assert_int_equal(fold_kind('7'), FOLD_DIGIT);
    assert_int_equal(fold_kind('_'), FOLD_NONE);
    assert_int_equal(fold_kind(0xC9), FOLD_UPPER);   /* É */
    assert_int_equal(fold_kind(0x4E2D), FOLD_DENSE); /* 中 */
    assert_int_equal(fold_kind(0xAC00), FOLD_DENSE);
    assert_int_equal(fold_kind(0x3042), FOLD_DENSE);
    assert_int_equal(fold_kind(0x0E01), FOLD_DENSE);
    assert_int_equal(fold_kind(0x3001), FOLD_NONE); /* ideographic comma */
    assert_int_equal(fold_kind(0x0301), FOLD_MARK);
    assert_int_equal(fold_kind(0x00AD), FOLD_MARK); /* soft hyphen */
    assert_int_equal(fold_kind(0x1F600), FOLD_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_width_and_accents_are_folded),
        cmocka_unit_test(lower_case_folds_case_and_nothing_else),
        cmocka_unit_test(what_tells_words_apart_in_other_scripts_stays),
        cmocka_unit_test(marks_join_what_they_belong_to),
        cmocka_unit_test(kinds_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
