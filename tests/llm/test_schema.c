/* test_schema.c - which schemas of tools are sent, and as what. */
#include "unit/unit.h"

#include "llm/provider.h"
#include "llm/schema.h"

typedef struct Row {
    const char *schema;
    const char *why; /* a part of it; NULL: it is taken */
} Row;

static const Row rows[] = {
    { "{\"type\":\"object\"}", NULL },
    { "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}", NULL },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]}}}", NULL },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},true]}}}",
      NULL },
    { "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"]}", NULL },
    { "{\"type\":\"object\",\"$defs\":{\"x\":{\"type\":\"array\"}}}", NULL },
    { "{}", "not of type 'object'" },
    { "{\"type\":[\"object\"]}", "not of type 'object'" },
    { "{\"type\":\"object\",\"oneOf\":[]}", "at its top" },
    { "{\"type\":\"object\",\"allOf\":[{}]}", "at its top" },
    { "{\"type\":\"object\",\"properties\":[]}", "no object where properties" },
    { "{\"type\":\"object\",\"properties\":{\"gr\xC3\xB6\xC3\x9F"
      "e\":{}}}",
      "whose name" },
    { "{\"type\":\"object\",\"properties\":{\"\":{}}}", "whose name" },
    { "{\"type\":\"object\",\"properties\":{\"a\":3}}", "no schema" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"any\"}}}", "does not know" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[]}}}", "does not know" },
    { "{\"type\":\"object\",\"required\":true}", "'required'" },
    { "{\"type\":\"object\",\"required\":[1]}", "'required'" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":[{}]}}}",
      "no schema" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[]}}}", "'enum'" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"exclusiveMinimum\":true}}}", "old draft" },
};

static json_t *schema_of(const char *text)
{
    json_t *value = NULL;
    Err e = { 0 };
    if (json_read(str(text), &value, &e) != JOT_OK)
        fail_msg("%s: %s", text, e.text);
    return value;
}

static void what_vendors_refuse_is_known(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_PTR(json_t) schema = schema_of(rows[i].schema);
        const char *why = schema_refused(schema);
        bool good = rows[i].why ? why && strstr(why, rows[i].why) : !why;
        assert_row(good, i, why ? why : "it is taken");
    }
}

static void depth_and_length_have_a_limit(void **state)
{
    AUTO(Buf) deep = { 0 };
    for (int i = 0; i < SCHEMA_DEPTH_MAX + 1; i++)
        buf_add(&deep, S("{\"type\":\"object\",\"properties\":{\"a\":"));
    buf_add(&deep, S("{}"));
    for (int i = 0; i < SCHEMA_DEPTH_MAX + 1; i++)
        buf_add(&deep, S("}}"));
    buf_add_char(&deep, 0);
    AUTO_PTR(json_t) one = schema_of(deep.p);
    assert_string_equal(schema_refused(one), "is nested too deeply");
    AUTO(Buf) words = { 0 };
    for (int i = 0; i < SCHEMA_BYTES_MAX; i++)
        buf_add_char(&words, 'x');
    AUTO_PTR(json_t)
    two = json_pack("{s:s, s:s%}", "type", "object", "description", words.p, words.n);
    assert_string_equal(schema_refused(two), "is longer than 64 KiB");
}

/* A run may have recorded tools that nobody had judged. */
static void a_request_has_only_tools_that_are_taken(void **state)
{
    static const LlmTool tools[] = {
        { T("bad"), T("-"), T("{\"type\":\"object\",\"anyOf\":[]}") },
        { T("bare"), T("-"), T("{ \"type\": \"object\" }") },
        { T("list"), T("-"),
          T("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\"}}}") },
        { T("good"), T("-"), T("{ \"type\": \"object\",  \"properties\": {} }") },
    };
    AUTO(Arena) a = { 0 };
    const LlmTool *out;
    assert_int_equal(schema_good_tools(tools, COUNT_OF(tools), &a, &out), 3);
    assert_str(out[0].schema, S("{\"type\":\"object\",\"properties\":{}}"));
    assert_str(out[1].schema, S("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
                                "\"array\",\"items\":{}}}}"));
    assert_str(out[2].schema, tools[3].schema); /* as it is, to the byte */
    AUTO_PTR(Llm) llm = NULL;
    AUTO(Buf) text = { 0 };
    LlmRequest r = { .tools = tools, .n_tools = 1 };
    assert_int_equal(llm_open(S("http://127.0.0.1:9/v1#m"), NULL, &llm, NULL), JOT_OK);
    assert_int_equal(llm_request_text(llm, &r, &text, NULL), JOT_OK);
    buf_add_char(&text, 0);
    assert_null(strstr(text.p, "tools"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_vendors_refuse_is_known),
        cmocka_unit_test(depth_and_length_have_a_limit),
        cmocka_unit_test(a_request_has_only_tools_that_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
