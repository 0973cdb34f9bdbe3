/* test_glyph.c - what can be seen stays, and what cannot is written out. */
#include "base/glyph.h"

#include "base/utf8.h"
#include "unit/unit.h"
#include "unit/unseen.h"

static Str shown(Str bytes, GlyphHow how, Arena *into)
{
    AUTO(Buf) to = { 0 };
    glyph_add(&to, bytes, how);
    return arena_copy(into, buf_str(&to));
}

static void text_of_every_script_stays_as_it_is(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    static const char *const plain[] = {
        "",
        "plan b, with 100 % of ASCII: ~!@#$^&*()_+{}|:\"<>?`-=[]\\;',./",
        "größe, naïve, Ærøskøbing",
        "cafe\xCC\x81 a\xCC\x83\xCC\x81",
        "Москва, Ελλάδα, Հայաստան",
        "日本語 한국어 中文 ไทยน้ำ",
        "हिन्दी தமிழ் עִבְרִית العَرَبِيَّة",
        "\xE2\x9D\xA4 \xF0\x9F\x98\x80",
    };
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        assert_str(shown(str(plain[i]), GLYPH_LINE, &a), str(plain[i]));
        assert_str(shown(str(plain[i]), GLYPH_TEXT, &a), str(plain[i]));
        assert_int_equal(glyph_hidden_at(str(plain[i]), GLYPH_LINE), strlen(plain[i]));
    }
}

static Str around(const char *before, uint32_t c, const char *after, Arena *into)
{
    AUTO(Buf) text = { 0 };
    buf_add(&text, str(before));
    utf8_add(&text, c);
    buf_add(&text, str(after));
    return arena_copy(into, buf_str(&text));
}

static Str written(const char *before, uint32_t c, const char *after, Arena *into)
{
    if (c < 0x80)
        return arena_printf(into, "%s\\x%02X%s", before, (unsigned)c, after);
    return arena_printf(into, "%s\\u{%X}%s", before, (unsigned)c, after);
}

static void whatever_is_not_seen_is_written_out_wherever_it_stands(void **state)
{
    (void)state;
    static const char *const places[][2] = {
        { "", "" },
        { "", "a" },
        { "a", "" },
        { "a", "b" },
        { "a ", " b" },
        { "a text of more than sixteen bytes", "b" },
        { "plain plain plain plain ", "plain plain plain plain" },
    };
    for (size_t i = 0; i < COUNT_OF(unseen); i++)
        for (size_t k = 0; k < COUNT_OF(places); k++) {
            AUTO(Arena) a = { 0 };
            Str text = around(places[k][0], unseen[i], places[k][1], &a);
            Str want = written(places[k][0], unseen[i], places[k][1], &a);
            assert_str(shown(text, GLYPH_LINE, &a), want);
            assert_str(shown(text, GLYPH_TEXT, &a), want);
            assert_int_equal(glyph_hidden_at(text, GLYPH_LINE), strlen(places[k][0]));
        }
}

static void a_line_has_no_space_but_the_plain_one_and_no_break(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    for (size_t i = 1; i < COUNT_OF(spaces); i++)
        assert_str(shown(around("a", spaces[i], "b", &a), GLYPH_LINE, &a),
                   written("a", spaces[i], "b", &a));
    for (size_t i = 4; i < COUNT_OF(breaks); i++)
        assert_str(shown(around("a", breaks[i], "b", &a), GLYPH_LINE, &a),
                   written("a", breaks[i], "b", &a));
    assert_str(shown(S("a\tb\nc\rd\ve f"), GLYPH_LINE, &a), S("a\\tb\\nc\\rd\\x0Be f"));
    assert_str(shown(S("a\tb\nc\rd\ve f"), GLYPH_TEXT, &a), S("a\tb\nc\\rd\\x0Be f"));
}

static void a_mark_needs_a_character_and_there_are_few_on_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        AUTO(Arena) a = { 0 };
        assert_str(shown(around("", marks[i], "", &a), GLYPH_TEXT, &a),
                   written("", marks[i], "", &a));
        assert_str(shown(around("a ", marks[i], "b", &a), GLYPH_LINE, &a),
                   written("a ", marks[i], "b", &a));
        assert_str(shown(around("a\n", marks[i], "b", &a), GLYPH_TEXT, &a),
                   written("a\n", marks[i], "b", &a));
        assert_str(shown(around("a", marks[i], "b", &a), GLYPH_LINE, &a),
                   around("a", marks[i], "b", &a));
        AUTO(Buf) many = { 0 };
        AUTO(Buf) want = { 0 };
        buf_add_char(&many, 'a');
        buf_add_char(&want, 'a');
        for (size_t n = 0; n < 100; n++) {
            utf8_add(&many, marks[i]);
            if (n < GLYPH_MARKS_MAX)
                utf8_add(&want, marks[i]);
            else
                buf_addf(&want, "\\u{%X}", (unsigned)marks[i]);
            if (n == GLYPH_MARKS_MAX)
                break;
        }
        assert_str(shown(buf_str(&many), GLYPH_TEXT, &a), buf_str(&want));
    }
}

static void joiners_and_selectors_stay_in_text_that_is_written_with_them(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    static const Str good[] = {
        T("\xE2\x9D\xA4\xEF\xB8\x8F"),                             /* a heart, red */
        T("1\xEF\xB8\x8F\xE2\x83\xA3"),                            /* a keycap */
        T("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7"),         /* a family */
        T("\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5"), /* on fire */
        T("\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE\xD9\x88\xD8\xA7\xD9\x87\xD9\x85"), /* Persian */
    };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_str(shown(good[i], GLYPH_TEXT, &a), good[i]);
        assert_row(glyph_hidden_at(good[i], GLYPH_LINE) < good[i].n, i, "a line has none");
    }
    assert_str(shown(S("r\xE2\x80\x8Dm a\xEF\xB8\x8F"), GLYPH_TEXT, &a),
               S("r\\u{200D}m a\\u{FE0F}"));
    assert_str(shown(S("\xE4\xB8\xAD\xE2\x80\x8D"), GLYPH_TEXT, &a), S("\xE4\xB8\xAD\\u{200D}"));
    assert_str(shown(S("\xE4\xB8\xAD\xEF\xB8\x8F\xEF\xB8\x8F"), GLYPH_TEXT, &a),
               S("\xE4\xB8\xAD\xEF\xB8\x8F\\u{FE0F}"));
}

static void bytes_that_are_no_text_are_written_out(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    assert_str(shown(S("a\xFF\xC3(\xE2\x80"), GLYPH_LINE, &a), S("a\\xFF\\xC3(\\xE2\\x80"));
    assert_str(shown(S("\xED\xA0\x80"), GLYPH_LINE, &a), S("\\xED\\xA0\\x80"));
    assert_str(shown(S("\xEE\x80\x80\xCD\xB8"), GLYPH_LINE, &a), S("\\u{E000}\\u{378}"));
}

/* Whatever the bytes are: what comes out is text, and showing it again changes nothing. */
static void what_is_shown_has_nothing_left_to_show(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) text = { 0 };
        for (int n = 0; n < 6; n++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            uint64_t pick = seed >> 33;
            if (pick % 7 == 0)
                buf_add_char(&text, (char)(pick >> 8));
            else if (pick % 7 == 1)
                utf8_add(&text, unseen[pick / 7 % COUNT_OF(unseen)]);
            else if (pick % 7 == 2)
                utf8_add(&text, marks[pick / 7 % COUNT_OF(marks)]);
            else if (pick % 7 == 3)
                utf8_add(&text, (uint32_t)(pick / 7 % 2 ? 0xE000 + pick / 14 % 0x102000
                                                        : pick / 14 % 0xD800));
            else
                buf_add(&text, S("some plain text of ours"));
        }
        for (GlyphHow how = GLYPH_LINE; how <= GLYPH_TEXT; how++) {
            Str once = shown(buf_str(&text), how, &a);
            assert_true(utf8_valid(once));
            assert_str(shown(once, how, &a), once);
            assert_int_equal(glyph_hidden_at(once, how), once.n);
        }
    }
}

static void a_part_ends_at_the_end_of_a_character(void **state)
{
    (void)state;
    Str text = S("gr\xC3\xB6\xC3\x9F\xE2\x80\xAE"
                 "e\xFF");
    for (size_t max = 0; max < 30; max++) {
        AUTO(Buf) to = { 0 };
        AUTO(Buf) rest = { 0 };
        size_t n = glyph_add_most(&to, text, GLYPH_LINE, max);
        assert_true(to.n <= max && utf8_valid(buf_str(&to)));
        glyph_add(&to, str_from(text, n), GLYPH_LINE);
        glyph_add(&rest, text, GLYPH_LINE);
        assert_str(buf_str(&to), buf_str(&rest));
    }
}

static void columns_are_those_of_a_terminal(void **state)
{
    (void)state;
    assert_int_equal(glyph_columns(S("")), 0);
    assert_int_equal(glyph_columns(S("plan")), 4);
    assert_int_equal(glyph_columns(S("gr\xC3\xB6\xC3\x9F"
                                     "e")),
                     5);
    assert_int_equal(glyph_columns(S("\xE6\x97\xA5\xE6\x9C\xAC")), 4); /* two of East Asia */
    assert_int_equal(glyph_columns(S("e\xCC\x81")), 1);                /* a mark on another */
    assert_int_equal(glyph_columns(S("\xFF")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_script_stays_as_it_is),
        cmocka_unit_test(whatever_is_not_seen_is_written_out_wherever_it_stands),
        cmocka_unit_test(a_line_has_no_space_but_the_plain_one_and_no_break),
        cmocka_unit_test(a_mark_needs_a_character_and_there_are_few_on_one),
        cmocka_unit_test(joiners_and_selectors_stay_in_text_that_is_written_with_them),
        cmocka_unit_test(bytes_that_are_no_text_are_written_out),
        cmocka_unit_test(what_is_shown_has_nothing_left_to_show),
        cmocka_unit_test(a_part_ends_at_the_end_of_a_character),
        cmocka_unit_test(columns_are_those_of_a_terminal),
    };
    return cmocka_run_group_tests_name("glyph", tests, NULL, NULL);
}
