/* test_model.c - what users of today's models expect: caches, effort, choices, strict schemas,
 * files, windows and prices.  Requests are looked at as text; nobody is asked. */
#include "llm/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#include "llm/model.h"
#include "llm/schema.h"

static const char *const addresses[] = { "anthropic:claude-x", "openai:gpt-test",
                                         "http://127.0.0.1:9/v1#m",
                                         "openai:gpt-test?api=responses" };

/* The request of this address as JSON; the caller owns it. */
static json_t *sent_by(const char *url, const LlmRequest *r)
{
    AUTO_PTR(Llm) llm = NULL;
    AUTO(Buf) text = { 0 };
    Err e = { 0 };
    json_t *value = NULL;
    if (llm_open(str(url), NULL, &llm, &e) != JOT_OK ||
        llm_request_text(llm, r, &text, &e) != JOT_OK)
        fail_msg("%s: %s", url, e.text);
    assert_int_equal(json_read(buf_str(&text), &value, &e), JOT_OK);
    return value;
}

static void assert_json(const json_t *got, const char *want, size_t i)
{
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) wanted = NULL;
    if (!want) {
        assert_null(got);
        return;
    }
    AUTO(Buf) wrapped = { 0 };
    buf_addf(&wrapped, "[%s]", want);
    assert_int_equal(json_read(buf_str(&wrapped), &wanted, NULL), JOT_OK);
    if (got)
        json_write(&text, got);
    buf_add_char(&text, 0);
    assert_row(got && json_equal(got, json_array_get(wanted, 0)), i, text.p);
}

/* --- Caches ------------------------------------------------------------------------------ */

/* Where the marks of a conversation with so many turns stand: "s" for the system, then the
 * messages' numbers. */
static void marks_of(const char *url, size_t turns, Buf *to)
{
    LlmPart question = { .text = T("why?") },
            call = { .kind = LLM_CALL, .id = T("c"), .name = T("t"), .args = T("{}") },
            result = { .kind = LLM_RESULT, .id = T("c"), .text = T("r") };
    LlmMessage messages[64] = { { LLM_USER, &question, 1 } };
    for (size_t i = 0; i < turns; i++) {
        messages[1 + 2 * i] = (LlmMessage){ LLM_ASSISTANT, &call, 1 };
        messages[2 + 2 * i] = (LlmMessage){ LLM_USER, &result, 1 };
    }
    LlmRequest r = { .system = S("rules"), .messages = messages, .n_messages = 1 + 2 * turns };
    AUTO_PTR(json_t) sent = sent_by(url, &r);
    const json_t *list = json_object_get(sent, "messages");
    if (json_object_get(json_array_get(json_object_get(sent, "system"), 0), "cache_control"))
        buf_add_char(to, 's');
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *parts = json_object_get(json_array_get(list, i), "content");
        if (json_object_get(json_array_get(parts, json_array_size(parts) - 1), "cache_control"))
            buf_addf(to, " %zu", i);
    }
}

static void marks_for_the_cache_stand_where_the_beginning_stays(void **state)
{
    static const char *const want[] = { "s 0", "s 0 2", "s 0 2 4", "s 0 4 6", "s 0 6 8" };
    for (size_t turns = 0; turns < COUNT_OF(want); turns++) {
        AUTO(Buf) got = { 0 };
        AUTO(Buf) none = { 0 };
        marks_of("anthropic:claude-x", turns, &got);
        assert_str(buf_str(&got), str(want[turns]));
        marks_of("anthropic:claude-x?cache=no", turns, &none);
        assert_int_equal(none.n, 0);
    }
}

static void a_cache_can_last_an_hour(void **state)
{
    LlmPart question = { .text = T("why?") };
    LlmMessage message = { LLM_USER, &question, 1 };
    LlmRequest r = { .system = S("rules"), .messages = &message, .n_messages = 1 };
    AUTO_PTR(json_t) sent = sent_by("anthropic:claude-x?cache=1h", &r);
    assert_json(
        json_object_get(json_array_get(json_object_get(sent, "system"), 0), "cache_control"),
        "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}", 0);
    AUTO_PTR(Llm) llm = NULL;
    Err e = { 0 };
    assert_int_equal(llm_open(S("anthropic:claude-x?cache=2h"), NULL, &llm, &e), JOT_INVALID);
    assert_non_null(strstr(e.text, "5m, 1h or no"));
    assert_int_equal(llm_open(S("openai:gpt-5?cache=1h"), NULL, &llm, &e), JOT_INVALID);
}

/* --- Thinking ---------------------------------------------------------------------------- */

static void a_word_for_the_effort_is_said_in_the_models_own_way(void **state)
{
    static const struct {
        const char *url, *thinking, *output_config;
    } rows[] = {
        { "anthropic:claude-opus-5-5?effort=high", "{\"type\":\"adaptive\"}",
          "{\"effort\":\"high\"}" },
        { "anthropic:claude-opus-5-5?effort=minimal", "{\"type\":\"adaptive\"}",
          "{\"effort\":\"low\"}" },
        { "anthropic:claude-opus-5-5?effort=none", NULL, "{\"effort\":\"low\"}" },
        { "anthropic:claude-haiku-4-5?effort=low", "{\"type\":\"enabled\",\"budget_tokens\":4096}",
          NULL },
        { "anthropic:claude-haiku-4-5?effort=none", NULL, NULL },
        { "anthropic:claude-haiku-4-5?effort=high&thinking=2048",
          "{\"type\":\"enabled\",\"budget_tokens\":2048}", NULL },
        { "anthropic:claude-3-5-haiku-latest?effort=none", NULL, NULL },
        { "anthropic:claude-opus-5-5", NULL, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        LlmRequest r = { .max_tokens = 100 };
        AUTO_PTR(json_t) sent = sent_by(rows[i].url, &r);
        assert_json(json_object_get(sent, "thinking"), rows[i].thinking, i);
        assert_json(json_object_get(sent, "output_config"), rows[i].output_config, i);
    }
}

static void effort_for_a_model_that_does_not_think_is_refused(void **state)
{
    AUTO_PTR(Llm) llm = NULL;
    Err e = { 0 };
    assert_int_equal(llm_open(S("anthropic:claude-3-5-haiku-latest?effort=high"), NULL, &llm, &e),
                     JOT_INVALID);
    assert_non_null(strstr(e.text, "does not think"));
    LlmOptions options = { .effort = "very" };
    assert_int_equal(llm_open(S("openai:gpt-5"), &options, &llm, &e), JOT_INVALID);
    options.effort = "low";
    assert_int_equal(llm_open(S("openai:gpt-5?effort=high"), &options, &llm, &e), JOT_OK);
    AUTO(Buf) text = { 0 };
    assert_int_equal(llm_request_text(llm, &(LlmRequest){ 0 }, &text, &e), JOT_OK);
    buf_add_char(&text, 0);
    assert_non_null(strstr(text.p, "\"reasoning_effort\":\"high\""));
}

/* --- Tools ------------------------------------------------------------------------------- */

#define SCHEMA                                                                              \
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"minLength\":1},"  \
    "\"lines\":{\"type\":\"integer\",\"minimum\":1},\"how\":{\"type\":\"string\",\"enum\":" \
    "[\"a\",\"b\"]}},\"required\":[\"path\"]}"
static const LlmTool tools[] = {
    { T("look"), T("Looks."), T(SCHEMA) },
    { T("any"), T("Takes anything."),
      T("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"object\"}}}") },
};

static void which_tool_is_called_can_be_chosen(void **state)
{
    static const struct {
        const char *choice, *want[4];
    } rows[] = {
        { "", { NULL, NULL, NULL, NULL } },
        { "required", { "{\"type\":\"any\"}", "\"required\"", "\"required\"", "\"required\"" } },
        { "none", { "{\"type\":\"none\"}", "\"none\"", "\"none\"", "\"none\"" } },
        { "look",
          { "{\"type\":\"tool\",\"name\":\"look\"}",
            "{\"type\":\"function\",\"function\":{\"name\":\"look\"}}",
            "{\"type\":\"function\",\"function\":{\"name\":\"look\"}}",
            "{\"type\":\"function\",\"name\":\"look\"}" } },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t a = 0; a < COUNT_OF(addresses); a++) {
            LlmRequest r = { .tools = tools,
                             .n_tools = COUNT_OF(tools),
                             .tool_choice = str(rows[i].choice) };
            AUTO_PTR(json_t) sent = sent_by(addresses[a], &r);
            assert_json(json_object_get(sent, "tool_choice"), rows[i].want[a], i);
            r.n_tools = 0;
            AUTO_PTR(json_t) without = sent_by(addresses[a], &r);
            assert_null(json_object_get(without, "tool_choice"));
        }
}

/* The schema and the mark of the i-th tool, wherever a dialect has them. */
static const json_t *tool_of(const json_t *sent, size_t i, const json_t **schema)
{
    const json_t *tool = json_array_get(json_object_get(sent, "tools"), i);
    const json_t *inner =
        json_object_get(tool, "function") ? json_object_get(tool, "function") : tool;
    *schema = json_object_get(inner, "parameters") ? json_object_get(inner, "parameters")
                                                   : json_object_get(inner, "input_schema");
    return json_object_get(inner, "strict");
}

static void schemas_are_strict_where_that_is_asked_for_and_possible(void **state)
{
    static const char *const strict[] = {
        "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"lines\":{\"type\":"
        "\"integer\"},\"how\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}},\"required\":[\"path\"]"
        ","
        "\"additionalProperties\":false}",
        "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"lines\":{\"type\":"
        "[\"integer\",\"null\"]},\"how\":{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",\"b\","
        "null]}"
        "},\"required\":[\"path\",\"lines\",\"how\"],\"additionalProperties\":false}",
    };
    static const char *const asked[] = { "anthropic:claude-x?strict=yes",
                                         "openai:gpt-test?strict=yes",
                                         "http://127.0.0.1:9/v1?strict=yes#m",
                                         "openai:gpt-test?api=responses&strict=yes" };
    LlmRequest r = { .tools = tools, .n_tools = COUNT_OF(tools) };
    for (size_t a = 0; a < COUNT_OF(asked); a++) {
        const json_t *schema;
        AUTO_PTR(json_t) sent = sent_by(asked[a], &r);
        assert_true(json_is_true(tool_of(sent, 0, &schema)));
        assert_json(schema, strict[a > 0], a);
        assert_false(json_is_true(tool_of(sent, 1, &schema)));
        assert_null(json_object_get(schema, "additionalProperties"));
        AUTO_PTR(json_t) plain = sent_by(addresses[a], &r);
        assert_false(json_is_true(tool_of(plain, 0, &schema)));
        assert_json(schema, SCHEMA, a);
    }
}

static void a_null_for_what_may_be_left_out_is_left_out(void **state)
{
    AUTO(Arena) arena = { 0 };
    static const char *const rows[][2] = {
        { "{\"path\":\"a\",\"lines\":null,\"how\":\"b\"}", "{\"path\":\"a\",\"how\":\"b\"}" },
        { "{\"path\":null,\"lines\":3}", "{\"path\":null,\"lines\":3}" },
        { "{\"path\" : 1}", "{\"path\" : 1}" },
        { "{\"other\":null}", "{\"other\":null}" },
        { "no json", "no json" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(schema_without_nulls(str(rows[i][0]), &tools[0], &arena), str(rows[i][1]));
}

static void no_more_strict_tools_are_sent_than_are_taken(void **state)
{
    AUTO(Arena) arena = { 0 };
    LlmTool many[40];
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = (LlmTool){ .name = arena_printf(&arena, "t%zu", i),
                             .about = S("x"),
                             .schema = S(SCHEMA) };
    LlmRequest r = { .tools = many, .n_tools = COUNT_OF(many) };
    AUTO_PTR(json_t) sent = sent_by("anthropic:claude-x?strict=yes", &r);
    size_t strict = 0;
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        const json_t *schema;
        strict += json_is_true(tool_of(sent, i, &schema));
    }
    assert_int_equal(strict, SCHEMA_STRICT_OPTIONAL / 2);
}

/* --- Files ------------------------------------------------------------------------------- */

static void images_and_documents_go_along_with_a_question(void **state)
{
    static const char *const want[] = {
        "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/"
        "png\",\"data\":"
        "\"iVA=\"}},{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":"
        "\"application/pdf\",\"data\":\"JVBE\"},\"title\":\"b.pdf\"},{\"type\":\"text\",\"text\":"
        "\"what?\",\"cache_control\":{\"type\":\"ephemeral\"}}]",
        "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
        "png;base64,iVA=\"}},{\"type\":"
        "\"file\",\"file\":{\"filename\":\"b.pdf\",\"file_data\":\"data:application/pdf;base64,"
        "JVBE\"}},{\"type\":\"text\",\"text\":\"what?\"}]",
    };
    static const LlmPart parts[] = {
        { .kind = LLM_FILE, .text = T("\x89P"), .name = T("a.png"), .args = T("image/png") },
        { .kind = LLM_FILE, .text = T("%PD"), .name = T("b.pdf"), .args = T("application/pdf") },
        { .text = T("what?") },
    };
    static const LlmMessage message = { LLM_USER, parts, COUNT_OF(parts) };
    LlmRequest r = { .messages = &message, .n_messages = 1 };
    for (size_t a = 0; a < 3; a++) {
        AUTO_PTR(json_t) sent = sent_by(addresses[a], &r);
        const json_t *first = json_array_get(json_object_get(sent, "messages"), 0);
        assert_json(json_object_get(first, "content"), want[a > 0], a);
    }
    AUTO_PTR(json_t) sent = sent_by(addresses[3], &r);
    assert_json(
        json_object_get(sent, "input"),
        "[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_image\","
        "\"image_url\":\"data:image/png;base64,iVA=\"}]},{\"type\":\"message\",\"role\":"
        "\"user\",\"content\":[{\"type\":\"input_file\",\"filename\":\"b.pdf\",\"file_data\":"
        "\"data:application/pdf;base64,JVBE\"}]},{\"type\":\"message\",\"role\":\"user\","
        "\"content\":[{\"type\":\"input_text\",\"text\":\"what?\"}]}]",
        3);
}

static void a_file_is_known_by_its_first_bytes(void **state)
{
    static const struct {
        Str bytes;
        const char *type;
    } rows[] = {
        { T("\x89PNG\r\n\x1a\n."), "image/png" },
        { T("\xff\xd8\xff\xe0"), "image/jpeg" },
        { T("GIF89a"), "image/gif" },
        { T("RIFF....WEBPVP8 "), "image/webp" },
        { T("RIFF....WAVE"), "" },
        { T("%PDF-1.7"), "application/pdf" },
        { T("plain"), "" },
        { T(""), "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(llm_file_type(rows[i].bytes), str(rows[i].type));
}

/* --- Windows and prices ------------------------------------------------------------------ */

static char config[] = "/tmp/jotter-models-XXXXXX";

static void write_models(const char *text)
{
    AUTO(Buf) path = { 0 };
    buf_addf(&path, "%s/jotter", config);
    buf_add_char(&path, 0);
    mkdir(path.p, 0700);
    path.n--;
    buf_add(&path, S("/models.yaml"));
    buf_add_char(&path, 0);
    FILE *f = fopen(path.p, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path.p, 0600), 0);
}

static void the_longest_name_that_fits_says_what_a_model_is(void **state)
{
    static const struct {
        const char *model;
        uint64_t window, reply;
    } rows[] = {
        { "claude-opus-4-20250514", 200000, 32000 },
        { "claude-opus-4-6", 1000000, 128000 },
        { "claude-opus-5-5-20260922", 1000000, 128000 },
        { "claude-haiku-4-5", 200000, 64000 },
        { "claude-sonnet-5-5", 1000000, 128000 },
        { "gpt-4o-mini", 128000, 0 },
        { "gpt-5.4-mini", 400000, 0 },
        { "nobody-knows", 0, 0 },
    };
    write_models("");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) arena = { 0 };
        Model m;
        assert_int_equal(model_find(&io_system, str(rows[i].model), &arena, &m, NULL), JOT_OK);
        assert_row(m.window == rows[i].window && m.reply == rows[i].reply, i, rows[i].model);
    }
}

static void the_users_file_counts_more_than_the_table(void **state)
{
    AUTO(Arena) arena = { 0 };
    Model m;
    double cost;
    LlmUsage u = { .input = 1000000, .cache_read = 2000000, .cache_write = 0, .output = 500000 };
    write_models(
        "# mine\nclaude-opus-5-5: {input: 1.5}\nmy-model: {window: 12345, thinking: none}\n");
    assert_int_equal(model_find(&io_system, S("claude-opus-5-5"), &arena, &m, NULL), JOT_OK);
    assert_int_equal(m.window, 1000000);
    assert_true(model_cost(&m, &u, &cost));
    assert_true(cost > 1.5 + 0.4 + 10 - 1e-9 && cost < 1.5 + 0.4 + 10 + 1e-9);
    AUTO_PTR(Llm) llm = NULL;
    assert_int_equal(llm_open(S("http://127.0.0.1:9/v1#my-model"), NULL, &llm, NULL), JOT_OK);
    assert_int_equal(llm_window(llm), 12345);
    assert_false(llm_cost(llm, &u, &cost));
    write_models("");
}

static void a_line_that_is_not_understood_is_named(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "a: {window: many}\n", "line 1" },
        { "a: {}\nb: {price: 3}\n", "line 2" },
        { "- a\n", "NAME" },
        { "a: {input: -1}\n", "a price is a number" },
        { "a: {thinking: hard}\n", "adaptive" },
        { "a: [\n", "models.yaml" },
        { "a: {output: 1e9999}\n", "a price is" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_PTR(Llm) llm = NULL;
        Err e = { 0 };
        write_models(rows[i].text);
        assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_INVALID);
        assert_row(strstr(e.text, rows[i].want), i, e.text);
    }
    write_models("");
}

static int begin(void **state)
{
    assert_non_null(mkdtemp(config));
    setenv("XDG_CONFIG_HOME", config, 1);
    setenv("ANTHROPIC_API_KEY", "key-of-anthropic", 1);
    setenv("OPENAI_API_KEY", "key-of-openai", 1);
    unsetenv("ANTHROPIC_BASE_URL");
    unsetenv("OPENAI_BASE_URL");
    unsetenv("JOTTER_API_KEY_FILE");
    return 0;
}

static int end(void **state)
{
    char path[sizeof config + 32];
    snprintf(path, sizeof path, "%s/jotter/models.yaml", config);
    unlink(path);
    snprintf(path, sizeof path, "%s/jotter", config);
    rmdir(path);
    return rmdir(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_for_the_cache_stand_where_the_beginning_stays),
        cmocka_unit_test(a_cache_can_last_an_hour),
        cmocka_unit_test(a_word_for_the_effort_is_said_in_the_models_own_way),
        cmocka_unit_test(effort_for_a_model_that_does_not_think_is_refused),
        cmocka_unit_test(which_tool_is_called_can_be_chosen),
        cmocka_unit_test(schemas_are_strict_where_that_is_asked_for_and_possible),
        cmocka_unit_test(a_null_for_what_may_be_left_out_is_left_out),
        cmocka_unit_test(no_more_strict_tools_are_sent_than_are_taken),
        cmocka_unit_test(images_and_documents_go_along_with_a_question),
        cmocka_unit_test(a_file_is_known_by_its_first_bytes),
        cmocka_unit_test(the_longest_name_that_fits_says_what_a_model_is),
        cmocka_unit_test(the_users_file_counts_more_than_the_table),
        cmocka_unit_test(a_line_that_is_not_understood_is_named),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
