/* test_json_cursor.c - JSON read front to back: the same documents are good as for the others. */
#include "base/json_cursor.h"

#include "base/json.h"
#include "unit/json_rows.h"
#include "unit/unit.h"

static void what_is_expected_is_read(void **state)
{
    AUTO(Arena) a = { 0 };
    JsonCursor c = { .text =
                         S(" { \"n\" : 12, \"t\":\"a\\nb\", \"p\":\"\", \"yes\":true,\"no\":false,"
                           "\"list\":[ 1,[],{} , 2],\"x\":{\"y\":[{\"z\":1}]} } ") };
    Str name, t = { 0 };
    uint64_t n = 0, elements = 0;
    bool yes = false, no = true;
    for (json_cursor_enter(&c, '{'); json_cursor_member(&c, &name);) {
        if (str_eq(name, S("n")))
            n = json_cursor_number(&c);
        else if (str_eq(name, S("t")))
            t = json_cursor_text(&c, &a);
        else if (str_eq(name, S("yes")))
            yes = json_cursor_bool(&c);
        else if (str_eq(name, S("no")))
            no = json_cursor_bool(&c);
        else if (str_eq(name, S("list")))
            for (json_cursor_enter(&c, '['); json_cursor_element(&c); elements++)
                json_cursor_skip(&c);
        else
            json_cursor_skip(&c);
    }
    assert_true(json_cursor_done(&c));
    assert_int_equal(n, 12);
    assert_int_equal(elements, 4);
    assert_str(t, S("a\nb"));
    assert_true(yes && !no);
}

static void a_value_of_another_kind_makes_it_bad(void **state)
{
    AUTO(Arena) a = { 0 };
    static const char *const values[] = { "\"text\"", "12", "true", "{}", "[]", "null" };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        JsonCursor text = { .text = str(values[i]) }, number = text, boolean = text, object = text;
        (void)json_cursor_text(&text, &a);
        (void)json_cursor_number(&number);
        (void)json_cursor_bool(&boolean);
        Str name;
        for (json_cursor_enter(&object, '{'); json_cursor_member(&object, &name);)
            json_cursor_skip(&object);
        assert_int_equal(json_cursor_done(&text), i == 0);
        assert_int_equal(json_cursor_done(&number), i == 1);
        assert_int_equal(json_cursor_done(&boolean), i == 2);
        assert_int_equal(json_cursor_done(&object), i == 3);
    }
}

static void a_number_is_whole_and_not_negative(void **state)
{
    static const char *const bad[] = { "-1", "1.0", "1e3", "9223372036854775808" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        JsonCursor c = { .text = str(bad[i]) };
        assert_int_equal(json_cursor_number(&c), 0);
        assert_false(json_cursor_done(&c));
    }
    JsonCursor most = { .text = S("9223372036854775807") };
    assert_true(json_cursor_number(&most) == INT64_MAX && json_cursor_done(&most));
}

/* Whether all of an object or an array can be walked over. */
static bool walk(Str text)
{
    JsonCursor c = { .text = text };
    Str name;
    if (text.p[0] == '{')
        for (json_cursor_enter(&c, '{'); json_cursor_member(&c, &name);)
            json_cursor_skip(&c);
    else
        for (json_cursor_enter(&c, '['); json_cursor_element(&c);)
            json_cursor_skip(&c);
    return json_cursor_done(&c);
}

/* The table's documents inside a list and an object: as good as for json_skip. */
static void walking_agrees_with_skipping(void **state)
{
    static const char *const around[][2] = { { "[", "]" },  { "{\"a\":", "}" },   { "[1, ", "]" },
                                             { "[1", "]" }, { "{\"a\":1,", "}" }, { "[", ",2]" } };
    size_t good = 0;
    for (size_t i = 0; i < COUNT_OF(json_rows) * COUNT_OF(around); i++) {
        const char *const *way = around[i % COUNT_OF(around)];
        Str inner = json_rows[i / COUNT_OF(around)].text;
        AUTO(Buf) text = { 0 };
        buf_add(&text, str(way[0]));
        buf_add(&text, inner);
        buf_add(&text, str(way[1]));
        bool whole = json_skip(buf_str(&text), 0) == text.n;
        assert_row(walk(buf_str(&text)) == whole, i, json_rows[i / COUNT_OF(around)].about);
        good += whole;
    }
    assert_true(good > 100);
}

static void a_cut_document_is_bad_wherever_it_is_cut(void **state)
{
    Str text = S("{\"a\": [1, {\"b\": \"x\\ty\"}, true], \"c\": {} }");
    assert_true(walk(text));
    for (size_t n = 1; n < text.n; n++) {
        char *exact = malloc(n); /* a step past the end is noticed */
        memcpy(exact, text.p, n);
        assert_false(walk((Str){ exact, n }));
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected_is_read),
        cmocka_unit_test(a_value_of_another_kind_makes_it_bad),
        cmocka_unit_test(a_number_is_whole_and_not_negative),
        cmocka_unit_test(walking_agrees_with_skipping),
        cmocka_unit_test(a_cut_document_is_bad_wherever_it_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
