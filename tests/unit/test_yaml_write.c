/* test_yaml_write.c - YAML that is written: every text survives, and people would write it so. */
#include "base/yaml.h"

#include "unit/yaml_trip.h"

/* --- Texts that try to be something else ----------------------------------------------- */

static const Str hostile[] = {
    T(""),
    T(" "),
    T("  "),
    T("\t"),
    T("\n"),
    T("\n\n"),
    T("\r"),
    T("\r\n"),
    T("null"),
    T("~"),
    T("true"),
    T("No"),
    T("yes"),
    T("Off"),
    T("y"),
    T("1"),
    T("-1"),
    T("0x10"),
    T("1e3"),
    T(".5"),
    T(".inf"),
    T("1_000"),
    T("12:30:00"),
    T("2026-01-31"),
    T("="),
    T("<<"),
    T("- x"),
    T("-"),
    T("? x"),
    T("?"),
    T(": "),
    T(":"),
    T("a: b"),
    T("a:"),
    T("a :b"),
    T("# no comment"),
    T("a # b"),
    T("a#b"),
    T("["),
    T("[]"),
    T("{}"),
    T("{a: b}"),
    T(","),
    T("&a"),
    T("*a"),
    T("!a"),
    T("!!str a"),
    T("|"),
    T(">"),
    T("| x\n"),
    T("'"),
    T("''"),
    T("\""),
    T("\\"),
    T("\\n"),
    T("%"),
    T("%YAML 1.2"),
    T("@"),
    T("`"),
    T("---"),
    T("--- x"),
    T("..."),
    T("---\n"),
    T("x\n---\ny"),
    T("x\n...\n"),
    T("a "),
    T("a \nb"),
    T("a\n "),
    T("a\n\t"),
    T("a\t"),
    T(" a"),
    T("\ta"),
    T(" a\nb"),
    T("\n a\nb\n"),
    T("\ta\nb\n"),
    T("a\n\nb\n\n\n"),
    T("a\rb"),
    T("a\r\nb\r\n"),
    T("a\x1b[0m"),
    T("\x01\x02\x7f"),
    T("\xc2\x85"),
    T("a\xe2\x80\xa8goals: []"),
    T("\xe2\x80\xa9"),
    T("\xef\xbb\xbf"),
    { "\xef\xbb\xbf"
      "a: b",
      7 },
    T("\xef\xbf\xbe"),
    T("\xef\xbf\xbf"),
    T("\xf0\x9f\x98\x80"),
    T("a\n\xf0\x9f\x98\x80\n"),
    T("\xe6\x97\xa5\xe6\x9c\xac\n\xe8\xaa\x9e"),
    T("\xc2\xa0"),
    T("\xe3\x80\x80"),
    T("\xf4\x8f\xbf\xbf"),
    T("\xe2\x80\xae"),
    T("goals: []\ncurrent_task: done\n"),
    T("### tool(...)\n[TOOL] x \xe2\x86\x92 y\n"),
};

static void hostile_texts_come_back_as_they_were(void **state)
{
    for (size_t i = 0; i < COUNT_OF(hostile); i++)
        check_text(hostile[i]);
}

static void all_short_texts_of_troublesome_characters_come_back(void **state)
{
    static const char alphabet[] = "a \n#\t:-'\"|1";
    /* The first letters are those that make the shape of a block. */
    static const size_t letters[] = { 0, 11, 11, 11, 5, 4 };
    for (size_t n = 1; n < COUNT_OF(letters); n++) {
        size_t all = 1;
        for (size_t i = 0; i < n; i++)
            all *= letters[n];
        for (size_t k = 0; k < all; k++) {
            char text[COUNT_OF(letters)];
            for (size_t i = 0, rest = k; i < n; i++, rest /= letters[n])
                text[i] = alphabet[rest % letters[n]];
            check_text((Str){ text, n });
        }
    }
}

/* The character between two letters, and alone. */
static void check_code_point(uint32_t c)
{
    AUTO(Arena) a = { 0 };
    unsigned char text[6] = { 'a' };
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    uint32_t rest = c;
    for (size_t i = n; i > 1; i--, rest >>= 6)
        text[i] = (unsigned char)(0x80 | (rest & 0x3F));
    text[1] = (unsigned char)(n == 1 ? rest : (0xF00u >> n & 0xFF) | rest);
    text[n + 1] = 'z';
    check_round_trip(yaml_text(&a, (Str){ (const char *)text, n + 2 }));
    check_round_trip(yaml_text(&a, (Str){ (const char *)text + 1, n }));
}

static void characters_of_every_kind_come_back(void **state)
{
    static const struct {
        uint32_t from, to, step;
    } ranges[] = {
        { 1, 0x200, 1 },         { 0x200, 0xD800, 97 },   { 0x2000, 0x2070, 1 },
        { 0xD7F0, 0xD800, 1 },   { 0xE000, 0xE010, 1 },   { 0xFE00, 0x10010, 1 },
        { 0x1F600, 0x1F610, 1 }, { 0x1FFF0, 0x20010, 1 }, { 0x10FFF0, 0x110000, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        for (uint32_t c = ranges[i].from; c < ranges[i].to; c += ranges[i].step)
            check_code_point(c);
}

static void keys_of_any_length_come_back(void **state)
{
    AUTO(Arena) a = { 0 };
    char *text = arena_alloc(&a, 5000, 1);
    memset(text, 'k', 5000);
    static const size_t lengths[] = { 127, 128, 999, 1000, 1001, 1023, 1024, 1025, 5000 };
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        check_round_trip(everywhere(&a, (Str){ text, lengths[i] }));
        text[1] = ':';
        text[2] = ' ';
        check_round_trip(everywhere(&a, (Str){ text, lengths[i] }));
        text[1] = text[2] = 'k';
    }
}

static void nul_and_invalid_bytes_are_not_written(void **state)
{
    static const Str texts[] = { T("\0"), T("a\0b"), T("\xff"), T("\xed\xa0\x80") };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) b = { 0 };
        Err e = { 0 };
        assert_int_equal(yaml_write(&b, yaml_text(&a, texts[i]), &e), JOT_INVALID);
        assert_sentence(&e);
        Yaml *map = yaml_map(&a);
        yaml_set(&a, map, S("fine"), yaml_text(&a, S("x")));
        yaml_set(&a, map, texts[i], yaml_text(&a, S("x")));
        assert_int_equal(yaml_write(&b, map, &e), JOT_INVALID);
        assert_int_equal(b.n, 0);
    }
}

/* --- Writing --------------------------------------------------------------------------- */

static void documents_look_as_people_would_write_them(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = yaml_map(&a), *goals = yaml_list(&a), *item = yaml_map(&a), *pair = yaml_list(&a);
    yaml_add(&a, goals, yaml_text(&a, S("watch the camera")));
    yaml_add(&a, goals, yaml_text(&a, S("report: birds")));
    yaml_set(&a, item, S("tool"), yaml_text(&a, S("echo")));
    yaml_set(&a, item, S("args"), yaml_map(&a));
    yaml_set(&a, item, S("out"), yaml_text(&a, S("one\n\n  two \xf0\x9f\x98\x80\n")));
    yaml_add(&a, pair, yaml_int(&a, INT64_MIN));
    yaml_add(&a, pair, yaml_bool(&a, true));
    yaml_add(&a, goals, item);
    yaml_add(&a, goals, pair);
    yaml_set(&a, doc, S("goals"), goals);
    yaml_set(&a, doc, S("pending_actions"), yaml_list(&a));
    yaml_set(&a, doc, S("last_updated"), yaml_null(&a));
    yaml_set(&a, doc, S("version"), yaml_text(&a, S("1.10")));
    yaml_set(&a, doc, S("no"), yaml_text(&a, S("  indented\nnot")));
    yaml_set(&a, doc, S("at"), yaml_text(&a, S("http://x/y?z#f (really), 3 times")));
    assert_str(write_good(&a, doc), S("goals:\n"
                                      "  - watch the camera\n"
                                      "  - \"report: birds\"\n"
                                      "  - tool: echo\n"
                                      "    args: {}\n"
                                      "    out: |\n"
                                      "      one\n"
                                      "\n"
                                      "        two \xf0\x9f\x98\x80\n"
                                      "  - - -9223372036854775808\n"
                                      "    - true\n"
                                      "pending_actions: []\n"
                                      "last_updated: null\n"
                                      "version: \"1.10\"\n"
                                      "\"no\": |2-\n"
                                      "    indented\n"
                                      "  not\n"
                                      "at: http://x/y?z#f (really), 3 times\n"));
    check_round_trip(doc);
}

static void each_text_is_written_in_the_style_that_suits_it(void **state)
{
    static const struct {
        const char *about, *text, *as_value, *as_root;
    } rows[] = {
        { "a word", "word", " word\n", "word\n" },
        { "a sentence", "do it, then rest (2 h)", " do it, then rest (2 h)\n",
          "do it, then rest (2 h)\n" },
        { "a word of YAML 1.1", "Yes", " \"Yes\"\n", "\"Yes\"\n" },
        { "a date", "2026-01-31", " \"2026-01-31\"\n", "\"2026-01-31\"\n" },
        { "a count", "3 apples", " 3 apples\n", "3 apples\n" },
        { "two lines", "a\nb", " |-\n  a\n  b\n", "|-\n  a\n  b\n" },
        { "two whole lines", "a\nb\n", " |\n  a\n  b\n", "|\n  a\n  b\n" },
        { "empty lines behind", "a\n\n", " |+\n  a\n\n", "|+\n  a\n\n" },
        { "a tab inside", "a\n\tb", " |-\n  a\n  \tb\n", "|-\n  a\n  \tb\n" },
        { "blanks in front, which count differently at the root", " a\nb", " |2-\n   a\n  b\n",
          "\" a\\nb\"\n" },
        { "blanks at the end of a line", "a \nb", " |-\n  a \n  b\n", "|-\n  a \n  b\n" },
        { "blanks at the very end", "a\nb\t", " |-\n  a\n  b\t\n", "|-\n  a\n  b\t\n" },
        { "a line of blanks", "a\n   \nb\n", " |\n  a\n     \n  b\n", "|\n  a\n     \n  b\n" },
        { "nothing but blanks", " \n ", " \" \\n \"\n", "\" \\n \"\n" },
        { "nothing but line ends", "\n\n", " \"\\n\\n\"\n", "\"\\n\\n\"\n" },
        { "a carriage return", "a\r\nb", " \"a\\r\\nb\"\n", "\"a\\r\\nb\"\n" },
        { "an escape sequence", "\x1b[0m", " \"\\u001B[0m\"\n", "\"\\u001B[0m\"\n" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        Yaml *map = yaml_map(&a), *text = yaml_text(&a, str(rows[i].text));
        yaml_set(&a, map, S("k"), text);
        assert_str(write_good(&a, map), arena_printf(&a, "k:%s", rows[i].as_value));
        assert_str(write_good(&a, text), str(rows[i].as_root));
    }
}

static void setting_a_key_again_keeps_its_place(void **state)
{
    AUTO(Arena) a = { 0 };
    Yaml *doc = read_good(&a, S("a: 1\nmine: {x: [1, two]}\nb: 2\n"));
    yaml_set(&a, doc, S("a"), yaml_text(&a, S("new")));
    yaml_set(&a, doc, S("c"), yaml_int(&a, 3));
    assert_str(write_good(&a, doc), S("a: new\nmine:\n  x:\n    - 1\n    - two\nb: 2\nc: 3\n"));
}

static void equal_trees_have_equal_types_texts_and_order(void **state)
{
    AUTO(Arena) a = { 0 };
    static const char *const different[] = { "1",       "'1'",          "1.0",          "[1]",
                                             "[1, 2]",  "[2, 1]",       "{a: 1}",       "{a: 2}",
                                             "{b: 1}",  "{a: 1, b: 2}", "{b: 2, a: 1}", "{1: a}",
                                             "{'1': a}" };
    for (size_t i = 0; i < COUNT_OF(different); i++)
        for (size_t k = 0; k < COUNT_OF(different); k++)
            assert_int_equal(
                yaml_eq(read_good(&a, str(different[i])), read_good(&a, str(different[k]))),
                i == k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_texts_come_back_as_they_were),
        cmocka_unit_test(all_short_texts_of_troublesome_characters_come_back),
        cmocka_unit_test(characters_of_every_kind_come_back),
        cmocka_unit_test(keys_of_any_length_come_back),
        cmocka_unit_test(nul_and_invalid_bytes_are_not_written),
        cmocka_unit_test(documents_look_as_people_would_write_them),
        cmocka_unit_test(each_text_is_written_in_the_style_that_suits_it),
        cmocka_unit_test(setting_a_key_again_keeps_its_place),
        cmocka_unit_test(equal_trees_have_equal_types_texts_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
