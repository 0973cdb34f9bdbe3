/* test_json.c - JSON: a table of documents, the limits, and round trips. */
#include "unit/unit.h"

#include "base/json.h"
#include "base/utf8.h"
#include "unit/json_rows.h"

static Str write(Buf *b, const json_t *value)
{
    buf_clear(b);
    json_write(b, value);
    assert_true(buf_ok(b));
    return buf_str(b);
}

static json_t *read_good(Str text)
{
    Err e = { 0 };
    json_t *value = NULL;
    if (json_read(text, &value, &e) != JOT_OK)
        fail_msg("'" STR_FMT "': %s", STR_ARG(text), e.text);
    return value;
}

/* True if json_skip finds one value and nothing but space behind it. */
static bool skips_all(Str text)
{
    size_t end = json_skip(text, 0);
    if (end > text.n)
        fail_msg("json_skip ran past the end");
    while (end && end < text.n && strchr(" \t\r\n", text.p[end]) && text.p[end])
        end++;
    return end == text.n && end > 0;
}

static void the_table_is_of_a_good_size(void **state)
{
    size_t count[3] = { 0 };
    for (size_t i = 0; i < COUNT_OF(json_rows); i++)
        count[json_rows[i].verdict]++;
    assert_true(COUNT_OF(json_rows) >= 150);
    assert_true(count[YES] >= 50 && count[NO] >= 80 && count[STRICT] >= 10);
}

static void every_document_is_accepted_or_refused_as_the_table_says(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        const JsonRow *row = &json_rows[i];
        Err e = { 0 };
        AUTO_PTR(json_t) value = NULL;
        jot_status st = json_read(row->text, &value, &e);
        assert_row((st == JOT_OK) == (row->verdict == YES), i, row->about);
        assert_row((value != NULL) == (st == JOT_OK), i, row->about);
        if (st != JOT_OK) {
            assert_row(st == JOT_INVALID && e.status == st, i, row->about);
            assert_sentence(&e);
        }
    }
}

static void skipping_agrees_with_reading(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++)
        assert_row(skips_all(json_rows[i].text) == (json_rows[i].verdict != NO), i,
                   json_rows[i].about);
}

static void a_cut_document_is_never_read_past_its_end(void **state)
{
    /* Each prefix is a memory block of its own, so that one byte too far is noticed. */
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        for (size_t n = 0; n < json_rows[i].text.n; n++) {
            AUTO(Buf) b = { .max = n + 1 };
            char *room = buf_room(&b, n);
            memcpy(room, json_rows[i].text.p, n);
            json_t *value = NULL;
            if (json_read((Str){ room, n }, &value, NULL) == JOT_OK)
                json_decref(value);
            assert_true(json_skip((Str){ room, n }, 0) <= n);
        }
    }
}

static void what_was_read_is_written_and_read_back_the_same(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        if (json_rows[i].verdict != YES)
            continue;
        AUTO(Buf) first = { 0 };
        AUTO(Buf) second = { 0 };
        AUTO_PTR(json_t) value = read_good(json_rows[i].text);
        AUTO_PTR(json_t) back = read_good(write(&first, value));
        assert_row(json_equal(value, back), i, json_rows[i].about);
        assert_str(write(&second, back), buf_str(&first));
        assert_row(utf8_valid(buf_str(&first)) && str_find(buf_str(&first), '\n') == first.n, i,
                   json_rows[i].about);
    }
}

static void a_sentence_says_where_what_is_wrong_begins(void **state)
{
    static const struct {
        Str text;
        const char *says;
    } rows[] = {
        { S("[1, 2, x]"), "not valid JSON at byte 8: " },
        { S("{broken"), "not valid JSON at byte 2: " },
        { S("{\"a\": tru}"), "not valid JSON at byte 7: " },
        { S("[1,\n  a_word_of_more_than_twenty_letters]"), "not valid JSON at byte 7: " },
        { S("{\"a\" \"a string of more than twenty letters\"}"), "not valid JSON at byte 6: " },
        { S("[\"\\\"\", 01]"), "not valid JSON at byte 8: " },
        { S("{\"a\": 1,}"), "not valid JSON at byte 9: " },
        { S("[1] x"), "not valid JSON at byte 5: " },
        { S("[\"a\nb\"]"), "not valid JSON at byte 3: " },
        { S("[\0]"), "not valid JSON at byte 2: a NUL byte" },
        { S("[1"), "not valid JSON at byte 2: " },
        { S(""), "not valid JSON at byte 1: " },
        { S("[18446744073709551615]"), "out of range at byte 2: " },
        { S("{\"a\":1, \"a\":2}"), "refused at byte 9: duplicate" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Err e = { 0 };
        json_t *value = NULL;
        assert_int_equal(json_read(rows[i].text, &value, &e), JOT_INVALID);
        assert_row(strstr(e.text, rows[i].says) != NULL, i, e.text);
        assert_null(value);
    }
    json_t *value = NULL;
    assert_int_equal(json_read(S("x"), &value, NULL), JOT_INVALID);
}

static void a_refusal_says_whether_it_was_json(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        JsonFlaw flaw = 0;
        AUTO_PTR(json_t) value = NULL;
        if (json_read_flaw(json_rows[i].text, &value, &flaw, NULL) == JOT_OK)
            continue;
        bool broken = json_rows[i].verdict == NO;
        assert_row(flaw == (broken ? JSON_BROKEN : JSON_BEYOND), i, json_rows[i].about);
    }
}

static void half_a_surrogate_pair_is_mended_and_nothing_else(void **state)
{
    static const struct {
        const char *text, *mended;
    } rows[] = {
        { "\"\\ud83d\"", "\"\\uFFFD\"" },
        { "\"\\uDE00\"", "\"\\uFFFD\"" },
        { "\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\"" },
        { "\"\\ud83d\\ud83d\\ude00\"", "\"\\uFFFD\\ud83d\\ude00\"" },
        { "\"\\ude00\\ud83d\"", "\"\\uFFFD\\uFFFD\"" },
        { "\"\\\\ud83d\"", "\"\\\\ud83d\"" },
        { "\"\\\\\\ud83d\"", "\"\\\\\\uFFFD\"" },
        { "\"\\ud83d\\n\"", "\"\\uFFFD\\n\"" },
        { "\"\\ud83d\\u0061\"", "\"\\uFFFD\\u0061\"" },
        { "{\"\\ud83d\":1}", "{\"\\uFFFD\":1}" },
        { "\\ud83d", "\\uFFFD" },
        { "\"\\ud83", "\"\\ud83" },
        { "\"\\ud83d\\ude0", "\"\\uFFFD\\ude0" },
        { "\"\\u00e9\\ufffd\"", "\"\\u00e9\\ufffd\"" },
        { "\\", "\\" },
        { "", "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t n = strlen(rows[i].text);
        char *text = malloc(n ? n : 1); /* as long as it is, so that one byte too far is noticed */
        memcpy(text, rows[i].text, n);
        size_t mended = json_mend_surrogates(text, n);
        Str got = { text, n };
        assert_str(got, str(rows[i].mended));
        assert_true((mended > 0) == (strcmp(rows[i].text, rows[i].mended) != 0));
        free(text);
    }
}

static Str nested(Arena *a, size_t depth, bool objects)
{
    AUTO(Buf) b = { 0 };
    for (size_t i = 0; i < depth; i++)
        buf_add(&b, objects ? S("{\"a\":") : S("["));
    buf_add(&b, S("1"));
    for (size_t i = 0; i < depth; i++)
        buf_add_char(&b, objects ? '}' : ']');
    return arena_copy(a, buf_str(&b));
}

static void sixty_four_levels_are_read_and_no_more(void **state)
{
    AUTO(Arena) a = { 0 };
    for (int objects = 0; objects < 2; objects++) {
        Str most = nested(&a, JSON_DEPTH_MAX, objects);
        AUTO_PTR(json_t) value = read_good(most);
        AUTO(Buf) b = { 0 };
        assert_str(write(&b, value), most);
        assert_int_equal(json_skip(most, 0), most.n);
        static const size_t too_deep[] = { JSON_DEPTH_MAX + 1, 2048, 100000 };
        for (size_t i = 0; i < COUNT_OF(too_deep); i++) {
            Str text = nested(&a, too_deep[i], objects);
            Err e = { 0 };
            json_t *none = NULL;
            assert_int_equal(json_read(text, &none, &e), JOT_INVALID);
            assert_non_null(strstr(e.text, "deeper than 64 levels"));
            assert_int_equal(json_skip(text, 0), 0);
        }
    }
}

static void brackets_in_strings_are_not_depth(void **state)
{
    AUTO(Buf) b = { 0 };
    buf_add_char(&b, '"');
    for (int i = 0; i < 1000; i++)
        buf_add(&b, S("[{\\\""));
    buf_add_char(&b, '"');
    AUTO_PTR(json_t) value = read_good(buf_str(&b));
    assert_int_equal(json_str(value).n, 3000);
    assert_int_equal(json_skip(buf_str(&b), 0), b.n);
}

static void integers_are_exact(void **state)
{
    static const char *const texts[] = { "0", "9007199254740993", "-9007199254740993",
                                         "9223372036854775807", "-9223372036854775808" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(Buf) b = { 0 };
        AUTO_PTR(json_t) value = read_good(str(texts[i]));
        assert_true(json_is_integer(value));
        assert_str(write(&b, value), str(texts[i]));
    }
}

static void reals_are_written_as_short_as_they_read_back(void **state)
{
    static const struct {
        const char *text, *written;
    } rows[] = {
        { "0.1", "0.1" },
        { "1.0", "1.0" },
        { "-0.0", "-0.0" },
        { "1e5", "100000.0" },
        { "1e15", "1e+15" },
        { "1e300", "1e+300" },
        { "5e-324", "4.94065645841247e-324" },
        { "0.30000000000000004", "0.30000000000000004" },
        { "1.7976931348623157e308", "1.7976931348623157e+308" },
        { "123456789.125", "123456789.125" },
        { "-2.5e-3", "-0.0025" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Buf) b = { 0 };
        AUTO_PTR(json_t) value = read_good(str(rows[i].text));
        assert_str(write(&b, value), str(rows[i].written));
        AUTO_PTR(json_t) back = read_good(buf_str(&b));
        assert_true(json_real_value(back) == json_real_value(value));
    }
}

static void keys_keep_their_order(void **state)
{
    AUTO(Buf) b = { 0 };
    Str text = S("{\"z\":1,\"a\":{\"y\":[],\"b\":{}},\"m\":null,\"\":true}");
    AUTO_PTR(json_t) value = read_good(text);
    assert_str(write(&b, value), text);
}

static void every_byte_is_quoted_and_unquoted(void **state)
{
    for (uint32_t c = 0; c < 0x80; c++) {
        char text[3] = { 'a', (char)c, 'b' };
        AUTO(Buf) quoted = { 0 };
        AUTO(Buf) back = { 0 };
        json_quote(&quoted, (Str){ text, 3 });
        assert_int_equal(quoted.n, json_quoted_size((Str){ text, 3 }));
        assert_int_equal(json_unquote(buf_str(&quoted), 0, &back), quoted.n);
        assert_str(buf_str(&back), ((Str){ text, 3 }));
        AUTO_PTR(json_t) value = read_good(buf_str(&quoted));
        assert_str(json_str(value), ((Str){ text, 3 }));
        for (size_t i = 0; i < quoted.n; i++)
            assert_true(quoted.p[i] >= 0x20 && quoted.p[i] < 0x7F);
    }
}

/* Text is looked at in blocks; a byte must not fare otherwise for where it stands in one. */
static void a_byte_is_quoted_alike_wherever_it_stands(void **state)
{
    for (uint32_t c = 0; c < 0x80; c++) {
        char alone[1] = { (char)c };
        AUTO(Buf) form = { 0 };
        json_quote(&form, (Str){ alone, 1 });
        Str inner = str_slice(buf_str(&form), 1, form.n - 1);
        for (size_t at = 0; at < 40; at++) {
            char text[40];
            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            AUTO(Buf) expected = { 0 };
            AUTO(Buf) quoted = { 0 };
            AUTO(Buf) back = { 0 };
            buf_addf(&expected, "\"%.*s" STR_FMT "%.*s\"", (int)at, text, STR_ARG(inner),
                     (int)(sizeof text - at - 1), text + at + 1);
            json_quote(&quoted, (Str){ text, sizeof text });
            assert_str(buf_str(&quoted), buf_str(&expected));
            assert_int_equal(quoted.n, json_quoted_size((Str){ text, sizeof text }));
            assert_int_equal(json_unquote(buf_str(&quoted), 0, &back), quoted.n);
            assert_str(buf_str(&back), ((Str){ text, sizeof text }));
        }
    }
}

static void a_raw_control_character_is_refused_wherever_it_stands(void **state)
{
    for (unsigned char c = 0; c < 0x20; c++)
        for (size_t at = 1; at < 40; at++) {
            char text[41];
            memset(text, 'x', sizeof text);
            text[0] = text[40] = '"';
            text[at] = (char)c;
            assert_int_equal(json_unquote((Str){ text, sizeof text }, 0, NULL), 0);
        }
}

static void unquoting_gives_what_reading_gives(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        Str text = json_rows[i].text;
        if (text.n == 0 || text.p[0] != '"')
            continue;
        AUTO(Buf) b = { 0 };
        AUTO_PTR(json_t) value = NULL;
        bool good = json_read(text, &value, NULL) == JOT_OK;
        assert_row((json_unquote(text, 0, &b) == text.n) == good, i, json_rows[i].about);
        assert_row((json_unquote(text, 0, NULL) == text.n) == good, i, json_rows[i].about);
        if (good)
            assert_str(buf_str(&b), json_str(value));
    }
}

/* Strings of all lengths around a block, of bytes that mean something to the reader. */
static void unquoting_any_bytes_gives_what_reading_gives(void **state)
{
    static const Str pieces[] = {
        T("x"),         T("\\n"),          T("\\\""), T("\\u00e9"),  T("\xc3\xa9"),
        T("\x7f"),      T("\xe4\xb8\xad"), T("ab"),   T("xxxxxxxx"), T("\\u0000"),
        T("xxxxxxxxx"), T("\xc3"),         T("\\"),   T("\x01"),     T("\"")
    };
    srand(1);
    size_t refused = 0;
    for (size_t i = 0; i < 20000; i++) {
        AUTO(Buf) text = { 0 };
        AUTO(Buf) back = { 0 };
        AUTO_PTR(json_t) value = NULL;
        size_t n = (size_t)rand() % 12, most = i % 4 ? COUNT_OF(pieces) - 4 : COUNT_OF(pieces);
        buf_add_char(&text, '"');
        while (n--)
            buf_add(&text, pieces[(size_t)rand() % most]);
        buf_add_char(&text, '"');
        bool good = json_read(buf_str(&text), &value, NULL) == JOT_OK;
        refused += !good;
        assert_row((json_unquote(buf_str(&text), 0, &back) == text.n) == good, i, "with its text");
        assert_row((json_unquote(buf_str(&text), 0, NULL) == text.n) == good, i, "without it");
        if (good)
            assert_str(buf_str(&back), json_str(value));
    }
    assert_true(refused > 1000 && refused < 10000);
}

static void a_value_is_skipped_wherever_it_begins(void **state)
{
    Str text = S("{\"a\": [1,2] ,\"b\":\"x\\\"y\"}");
    assert_int_equal(json_skip(text, 5), 11); /* the space in front belongs to it */
    assert_int_equal(json_skip(text, 6), 11);
    assert_int_equal(json_skip(text, 17), 23);
    assert_int_equal(json_skip(text, 0), text.n);
    assert_int_equal(json_skip(text, 11), 0);
    assert_int_equal(json_skip(text, text.n), 0);
    assert_int_equal(json_skip(text, text.n + 10), 0);
    assert_int_equal(json_unquote(text, 0, NULL), 0);
    assert_int_equal(json_unquote(text, text.n, NULL), 0);
}

static void what_is_no_string_has_an_empty_text(void **state)
{
    AUTO_PTR(json_t) number = read_good(S("5"));
    assert_str(json_str(number), S(""));
    assert_str(json_str(NULL), S(""));
    AUTO_PTR(json_t) text = read_good(S("\"a\\u0000b\""));
    assert_str(json_str(text), S("a\0b"));
}

static void a_document_beyond_the_ceiling_is_noticed(void **state)
{
    AUTO(Buf) b = { .max = 10 };
    AUTO_PTR(json_t) value = read_good(S("[1,2,3,4,5,6]"));
    json_write(&b, value);
    assert_false(buf_ok(&b));
}

static void an_indented_document_is_laid_out_as_json_dumps_does(void **state)
{
    static const struct {
        Str text, want;
    } rows[] = {
        { T("{}"), T("{}") },
        { T(" [ ] "), T("[]") },
        { T("5"), T("5") },
        { T("{\"a\":{ },\"b\":[\n]}"), T("{\n  \"a\": {},\n  \"b\": []\n}") },
        { T("[1,[2,{\"k\":null}]]"),
          T("[\n  1,\n  [\n    2,\n    {\n      \"k\": null\n    }\n  ]\n]") },
        /* What is inside a string or a number is the writer's. */
        { T("[\"a,{b}: \\\" \\u00e9\xc3\xa9\",1.10,1E5,12345678901234567]"),
          T("[\n  \"a,{b}: \\\" \\u00e9\xc3\xa9\",\n  1.10,\n  1E5,\n  12345678901234567\n]") },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Buf) b = { 0 };
        json_decref(read_good(rows[i].text)); /* a row is a document */
        json_indent(&b, rows[i].text);
        assert_str(buf_str(&b), rows[i].want);
    }
}

static void indenting_changes_no_document_of_the_table(void **state)
{
    for (size_t i = 0; i < COUNT_OF(json_rows); i++) {
        if (json_rows[i].verdict != YES)
            continue;
        AUTO(Buf) b = { 0 }, again = { 0 };
        AUTO_PTR(json_t) before = read_good(json_rows[i].text);
        json_indent(&b, json_rows[i].text);
        AUTO_PTR(json_t) after = read_good(buf_str(&b));
        assert_row(json_equal(before, after), i, json_rows[i].about);
        json_indent(&again, buf_str(&b));
        assert_str(buf_str(&again), buf_str(&b));
    }
}

static void bytes_that_are_no_text_become_base64(void **state)
{
    AUTO(Buf) b = { 0 };
    AUTO_PTR(json_t) text = json_text(S("caf\xc3\xa9"));
    assert_str(json_str(text), S("caf\xc3\xa9"));
    AUTO_PTR(json_t) bytes = json_text(S("\xff\x00"));
    assert_str(write(&b, bytes), S("{\"base64\":\"/wA=\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_of_a_good_size),
        cmocka_unit_test(every_document_is_accepted_or_refused_as_the_table_says),
        cmocka_unit_test(skipping_agrees_with_reading),
        cmocka_unit_test(a_cut_document_is_never_read_past_its_end),
        cmocka_unit_test(what_was_read_is_written_and_read_back_the_same),
        cmocka_unit_test(a_sentence_says_where_what_is_wrong_begins),
        cmocka_unit_test(a_refusal_says_whether_it_was_json),
        cmocka_unit_test(half_a_surrogate_pair_is_mended_and_nothing_else),
        cmocka_unit_test(sixty_four_levels_are_read_and_no_more),
        cmocka_unit_test(brackets_in_strings_are_not_depth),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(reals_are_written_as_short_as_they_read_back),
        cmocka_unit_test(keys_keep_their_order),
        cmocka_unit_test(every_byte_is_quoted_and_unquoted),
        cmocka_unit_test(a_byte_is_quoted_alike_wherever_it_stands),
        cmocka_unit_test(a_raw_control_character_is_refused_wherever_it_stands),
        cmocka_unit_test(unquoting_gives_what_reading_gives),
        cmocka_unit_test(unquoting_any_bytes_gives_what_reading_gives),
        cmocka_unit_test(a_value_is_skipped_wherever_it_begins),
        cmocka_unit_test(what_is_no_string_has_an_empty_text),
        cmocka_unit_test(a_document_beyond_the_ceiling_is_noticed),
        cmocka_unit_test(an_indented_document_is_laid_out_as_json_dumps_does),
        cmocka_unit_test(indenting_changes_no_document_of_the_table),
        cmocka_unit_test(bytes_that_are_no_text_become_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
