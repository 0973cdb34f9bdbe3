/* test_query.c - the parameters of an address, by the type that the table has for each. */
#include "web/query.h"

#include "unit/unit.h"

static const Param params[] = {
    { "text", .type = PARAM_TEXT },
    { "n", .type = PARAM_NUMBER },
    { "yes", .type = PARAM_BOOL },
    { "many", .type = PARAM_TEXTS },
    { "counts", .type = PARAM_NUMBERS },
    { "any", .type = PARAM_OBJECT },
    { 0 },
};

static void makes(const char *query, const char *want)
{
    Err e = { 0 };
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) args = json_object();
    assert_int_equal(query_args(str(query), params, "pad", args, &e), JOT_OK);
    json_write(&text, args);
    assert_str(buf_str(&text), str(want));
}

static void refuses(const char *query)
{
    Err e = { 0 };
    AUTO_PTR(json_t) args = json_object();
    assert_int_equal(query_args(str(query), params, "pad", args, &e), JOT_INVALID);
    assert_sentence(&e);
}

static void values_have_the_type_of_their_parameter(void **state)
{
    (void)state;
    makes("", "{}");
    makes("text=a+b%2Bc&n=-7&yes=true", "{\"text\":\"a b+c\",\"n\":-7,\"yes\":true}");
    makes("many=a&many=b&counts=1&counts=2", "{\"many\":[\"a\",\"b\"],\"counts\":[1,2]}");
    makes("any=%7B%22a%22:1%7D", "{\"any\":{\"a\":1}}");
    makes("text=1&yes=0", "{\"text\":\"1\",\"yes\":false}");
    makes("text=%C3%A4&pad=x", "{\"text\":\"\xC3\xA4\"}");
    makes("text", "{\"text\":\"\"}");
    makes("&&text==&", "{\"text\":\"=\"}");
    makes("other=1", "{\"other\":\"1\"}"); /* for the check of the arguments to refuse */
}

static void what_is_not_well_written_is_refused(void **state)
{
    (void)state;
    refuses("text=%");
    refuses("text=%4");
    refuses("text=%zz");
    refuses("text=%00");
    refuses("text=%FF");
    refuses("%FF=1");
    refuses("n=x");
    refuses("n=");
    refuses("n=1.5");
    refuses("n=9223372036854775808");
    refuses("yes=maybe");
    refuses("any=%7B");
    refuses("text=a&text=b");
}

static void one_value_is_found_by_its_name(void **state)
{
    (void)state;
    AUTO(Arena) arena = { 0 };
    assert_str(query_value(S("a=1&pad=x%20y&b=2"), "pad", &arena), S("x y"));
    assert_int_equal(query_value(S("a=1"), "pad", &arena).n, 0);
    assert_int_equal(query_value(S("pad=%zz"), "pad", &arena).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_type_of_their_parameter),
        cmocka_unit_test(what_is_not_well_written_is_refused),
        cmocka_unit_test(one_value_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
