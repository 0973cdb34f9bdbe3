/* test_sent.c - what leaves this machine, and to whom: bytes, keys, certificates, addresses. */
#include "llm/desk.h"

#include <sys/stat.h>

/* --- What is sent ------------------------------------------------------------------------ */

static const LlmPart asked_parts[] = { { .text = T("which kernel?") } };
static const LlmPart said_parts[] = {
    { .kind = LLM_RAW,
      .text = T("{\"type\":\"thinking\",\"thinking\":\"h\\u0000m\","
                "\"signature\":\"s==\"}") },
    { .text = T("I look.") },
    { .kind = LLM_CALL, .id = T("a"), .name = T("shell"), .args = T("{\"c\":\n \"uname\"}") },
    { .kind = LLM_CALL,
      .id = T("b"),
      .name = T("shell"),
      .args = T("{\"c\": \"un"),
      .broken = true },
};
static const LlmPart result_parts[] = {
    { .text = T("a warning") },
    { .kind = LLM_RESULT, .id = T("a"), .text = T("6.1\xff\n") },
    { .kind = LLM_RESULT, .id = T("b"), .text = T("not run"), .is_error = true },
    { .text = T("") },
    { .text = T("go on") },
};
static const LlmMessage talk[] = {
    { LLM_USER, asked_parts, COUNT_OF(asked_parts) },
    { LLM_ASSISTANT, NULL, 0 },
    { LLM_ASSISTANT, said_parts, COUNT_OF(said_parts) },
    { LLM_USER, result_parts, COUNT_OF(result_parts) },
};
static const LlmTool tools[] = {
    { T("shell"), T("Runs a \"command\"."),
      T("{\n  \"type\": \"object\",\r\n  \"properties\": {}}") },
};

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}}"

static const char *const sent[] = {
    "{\"model\":\"claude-test\",\"max_tokens\":100,\"stream\":true,\"system\":[{\"type\":\"text\","
    "\"text\":\"be brief\"" MARK "],\"tools\":[{\"name\":\"shell\",\"description\":"
    "\"Runs a \\\"command\\\".\",\"input_schema\":{   \"type\": \"object\",    \"properties\": "
    "{}}}],\"messages\":["
    "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"which kernel?\"" MARK "]},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\\u0000m\","
    "\"signature\":\"s==\"},{\"type\":\"text\",\"text\":\"I look.\"},{\"type\":\"tool_use\","
    "\"id\":\"a\",\"name\":\"shell\",\"input\":{\"c\":  \"uname\"}},{\"type\":\"tool_use\","
    "\"id\":\"b\",\"name\":\"shell\",\"input\":{\"INVALID_JSON\":\"{\\\"c\\\": \\\"un\"}}]},"
    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":"
    "\"6.1\xEF\xBF\xBD\\n\"},{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":"
    "\"not run\",\"is_error\":true},{\"type\":\"text\",\"text\":\"a warning\"},{\"type\":"
    "\"text\",\"text\":\"go on\"" MARK "]}]}",
    "{\"model\":\"gpt-test\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
    "\"max_completion_tokens\":100,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
    "\"shell\",\"description\":\"Runs a \\\"command\\\".\",\"parameters\":{   \"type\": "
    "\"object\",  "
    "  \"properties\": {}}}}],\"messages\":[{\"role\":\"system\",\"content\":\"be "
    "brief\"},{\"role\":\"user\","
    "\"content\":\"which kernel?\"},{\"role\":\"assistant\",\"content\":\"I look.\",\"tool_calls\":"
    "[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"shell\",\"arguments\":"
    "\"{\\\"c\\\":  \\\"uname\\\"}\"}},{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":"
    "\"shell\",\"arguments\":\"{\\\"INVALID_JSON\\\":\\\"{\\\\\\\"c\\\\\\\": \\\\\\\"un\\\"}\"}}]},"
    "{\"role\":\"tool\",\"content\":\"6.1\xEF\xBF\xBD\\n\",\"tool_call_id\":\"a\"},{\"role\":"
    "\"tool\",\"content\":\"Error: not run\",\"tool_call_id\":\"b\"},{\"role\":\"user\",\"content\""
    ":\"a warning\\n\\ngo on\"}]}",
    NULL,
    "{\"model\":\"gpt-test\",\"stream\":true,\"store\":false,\"include\":["
    "\"reasoning.encrypted_content\"],\"max_output_tokens\":100,\"instructions\":\"be brief\","
    "\"tools\":[{\"type\":\"function\",\"name\":\"shell\",\"description\":\"Runs a "
    "\\\"command\\\".\",\"parameters\":{   \"type\": \"object\",    \"properties\": {}},\"strict\":"
    "false}],\"input\":[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
    "\"input_text\",\"text\":\"which kernel?\"}]},{\"type\":\"message\",\"role\":\"assistant\","
    "\"content\":[{\"type\":\"output_text\",\"text\":\"I look.\"}]},{\"type\":\"function_call\","
    "\"call_id\":\"a\",\"name\":\"shell\",\"arguments\":\"{\\\"c\\\":  \\\"uname\\\"}\"},{\"type\":"
    "\"function_call\",\"call_id\":\"b\",\"name\":\"shell\",\"arguments\":\"{\\\"INVALID_JSON\\\":"
    "\\\"{\\\\\\\"c\\\\\\\": "
    "\\\\\\\"un\\\"}\"},{\"type\":\"function_call_output\",\"call_id\":\"a\","
    "\"output\":\"6.1\xEF\xBF\xBD\\n\"},{\"type\":\"function_call_output\",\"call_id\":\"b\","
    "\"output\":\"Error: not run\"},{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
    "\"input_text\",\"text\":\"a "
    "warning\"}]},{\"type\":\"message\",\"role\":\"user\",\"content\":[{"
    "\"type\":\"input_text\",\"text\":\"go on\"}]}]}",
};

static void the_bytes_shown_are_the_bytes_sent(void **state)
{
    for (size_t w = 0; w < COUNT_OF(sent); w++) {
        AUTO(Desk) d;
        AUTO(Buf) text = { 0 };
        if (!sent[w])
            continue;
        open_steps(&d, &everybody[w], "ok-text");
        d.request.system = S("be brief");
        d.request.max_tokens = 100;
        d.request.tools = tools;
        d.request.n_tools = 1;
        d.request.messages = talk;
        d.request.n_messages = COUNT_OF(talk);
        assert_int_equal(llm_request_text(d.llm, &d.request, &text, &d.e), JOT_OK);
        assert_str(buf_str(&text), str(sent[w]));
        assert_int_equal(ask(&d), JOT_OK);
        AUTO_PTR(json_t) log = log_of(d.id);
        assert_str(json_str(json_object_get(json_array_get(log, 0), "body")), buf_str(&text));
        AUTO_PTR(json_t) value = NULL;
        assert_int_equal(json_read(buf_str(&text), &value, &d.e), JOT_OK);
    }
}

static void each_key_goes_to_its_own_provider_only(void **state)
{
    static const char *const headers[] = { "x-api-key", "authorization", "authorization",
                                           "authorization", "authorization" };
    static const char *const values[] = { "key-of-anthropic", "Bearer key-of-openai",
                                          "Bearer key-of-others", "Bearer key-of-openai",
                                          "Bearer key-of-others" };
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        AUTO(Buf) all = { 0 };
        open_steps(&d, &everybody[w], "ok-text");
        assert_int_equal(ask(&d), JOT_OK);
        AUTO_PTR(json_t) log = log_of(d.id);
        json_t *got = json_object_get(json_array_get(log, 0), "headers");
        assert_str(json_str(json_object_get(got, headers[w])), str(values[w]));
        assert_int_equal(json_object_get(got, "anthropic-version") != NULL, w == 0);
        json_write(&all, log);
        buf_add_char(&all, 0);
        const char *first = strstr(all.p, "key-of-");
        assert_non_null(first);
        assert_null(strstr(first + 1, "key-of-"));
    }
}

static void a_token_is_sent_as_a_token_where_there_is_no_key(void **state)
{
    AUTO(Desk) both, d;
    setenv("ANTHROPIC_AUTH_TOKEN", "token-of-anthropic", 1);
    open_steps(&both, &everybody[0], "ok-text");
    assert_int_equal(ask(&both), JOT_OK);
    unsetenv("ANTHROPIC_API_KEY");
    open_steps(&d, &everybody[0], "ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) with_key = log_of(both.id);
    AUTO_PTR(json_t) log = log_of(d.id);
    const json_t *first = json_object_get(json_array_get(with_key, 0), "headers");
    const json_t *got = json_object_get(json_array_get(log, 0), "headers");
    assert_str(json_str(json_object_get(first, "x-api-key")), S("key-of-anthropic"));
    assert_null(json_object_get(first, "authorization"));
    assert_str(json_str(json_object_get(got, "authorization")), S("Bearer token-of-anthropic"));
    assert_null(json_object_get(got, "x-api-key"));
    setenv("ANTHROPIC_API_KEY", "key-of-anthropic", 1);
    unsetenv("ANTHROPIC_AUTH_TOKEN");
}

static void an_option_that_was_refused_is_not_sent_again(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[2], "422-usage/ok-text/ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    assert_int_equal(json_array_size(log), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *body = json_object_get(json_array_get(log, i), "body");
        AUTO_PTR(json_t) sent_body = NULL;
        assert_int_equal(json_read(json_str(body), &sent_body, NULL), JOT_OK);
        assert_int_equal(json_object_get(sent_body, "stream_options") != NULL, i == 0);
        assert_true(json_is_true(json_object_get(sent_body, "stream")));
    }
}

static void effort_is_one_setting_for_all(void **state)
{
    static const struct {
        const char *url, *want;
    } models[] = {
        { "anthropic:claude-x?effort=low", ",\"output_config\":{\"effort\":\"low\"}" },
        { "anthropic:claude-x?thinking=adaptive&effort=max",
          ",\"thinking\":{\"type\":\"adaptive\"},\"output_config\":{\"effort\":\"max\"}" },
        { "openai:gpt-5?effort=minimal", ",\"reasoning_effort\":\"minimal\"" },
        { "http://127.0.0.1:9/v1?effort=high#m", ",\"reasoning_effort\":\"high\"" },
        { "openai:gpt-5?api=responses&effort=high", ",\"reasoning\":{\"effort\":\"high\"}" },
    };
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        AUTO_PTR(Llm) llm = NULL;
        AUTO(Buf) text = { 0 };
        LlmRequest r = { .max_tokens = 100 };
        assert_int_equal(llm_open(str(models[i].url), NULL, &llm, NULL), JOT_OK);
        assert_int_equal(llm_request_text(llm, &r, &text, NULL), JOT_OK);
        buf_add_char(&text, 0);
        assert_row(strstr(text.p, models[i].want), i, text.p);
    }
}

static void a_redirect_takes_nothing_along(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "302-elsewhere");
        assert_int_equal(ask(&d), JOT_INVALID);
        AUTO_PTR(json_t) log = log_of("stolen");
        assert_int_equal(json_array_size(log), 0);
    }
}

static void a_key_is_not_shown_even_if_the_provider_shows_it(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "401-echo");
        assert_int_equal(ask(&d), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "bad key"));
        assert_null(strstr(d.e.text, "key-of"));
    }
}

static void a_reply_goes_back_as_it_came(void **state)
{
    AUTO(Desk) d;
    AUTO(Buf) text = { 0 };
    open_steps(&d, &everybody[0], "ok-thinking");
    assert_int_equal(ask(&d), JOT_OK);
    LlmPart more = { .text = S("and?") };
    const LlmMessage messages[] = { d.message,
                                    { LLM_ASSISTANT, d.reply.parts, d.reply.n },
                                    { LLM_USER, &more, 1 } };
    d.request.messages = messages;
    d.request.n_messages = 3;
    assert_int_equal(llm_request_text(d.llm, &d.request, &text, &d.e), JOT_OK);
    buf_add_char(&text, 0);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(text.p, d.reply.parts[i].text.p));
    assert_non_null(strstr(text.p, "\"signature\":\"EqQBCgIYAhIM1gbcDa9GJwZA2b3h==\"}"));
}

/* The conversation in which that reply is answered, as this model is sent it. */
static void answer_call(const Desk *d, Llm *llm, Buf *text)
{
    static const LlmPart result = { .kind = LLM_RESULT, .id = T("toolu_01"), .text = T("6.1") };
    const LlmMessage messages[] = { d->message,
                                    { LLM_ASSISTANT, d->reply.parts, d->reply.n },
                                    { LLM_USER, &result, 1 } };
    LlmRequest r = { .messages = messages, .n_messages = 3 };
    Err e = { 0 };
    buf_clear(text);
    if (llm_request_text(llm, &r, text, &e) != JOT_OK)
        fail_msg("%s", e.text);
    buf_add_char(text, 0);
}

static void reasoning_goes_back_to_where_it_came_from_only(void **state)
{
    static const char *const streams[] = { "ok-reasoning", "ok-extra_content" };
    static const char *const wants[] = {
        "\"content\":\"I look.\",\"reasoning_content\":\"Let me \\\"see\\\"\\n\",\"tool_calls\":[",
        "\"arguments\":\"{}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"c2ln\"}}},{",
    };
    static const char *const others[] = { "anthropic:claude-x", "openai:gpt-test",
                                          "http://127.0.0.1:9/v1#gpt-test" };
    for (size_t w = 1; w <= 2; w++)
        for (size_t i = 0; i < COUNT_OF(streams); i++) {
            AUTO(Desk) d;
            AUTO(Buf) text = { 0 };
            open_steps(&d, &everybody[w], streams[i]);
            assert_int_equal(ask(&d), JOT_OK);
            answer_call(&d, d.llm, &text);
            assert_row(strstr(text.p, wants[i]), i, text.p);
            for (size_t o = 0; o < COUNT_OF(others); o++) {
                AUTO_PTR(Llm) other = NULL;
                assert_int_equal(llm_open(str(others[o]), NULL, &other, NULL), JOT_OK);
                answer_call(&d, other, &text);
                assert_row(!strstr(text.p, "see") && !strstr(text.p, "c2ln"), o, text.p);
            }
        }
}

static void encrypted_reasoning_goes_back_to_where_it_came_from_only(void **state)
{
    static const char *const others[] = { "anthropic:claude-x", "openai:gpt-test",
                                          "openai:gpt-test?api=responses",
                                          "http://127.0.0.1:9/v1?api=responses#gpt-test" };
    for (size_t w = 3; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        AUTO(Buf) text = { 0 };
        open_steps(&d, &everybody[w], "ok-reasoning");
        assert_int_equal(ask(&d), JOT_OK);
        answer_call(&d, d.llm, &text);
        assert_non_null(strstr(text.p, ",{\"id\":\"rs_0\",\"type\":\"reasoning\",\"summary\":[],"
                                       "\"encrypted_content\":\"gAAA==\"},{\"type\":"
                                       "\"function_call\",\"call_id\":\"toolu_01\""));
        for (size_t o = 0; o < COUNT_OF(others); o++) {
            AUTO_PTR(Llm) other = NULL;
            assert_int_equal(llm_open(str(others[o]), NULL, &other, NULL), JOT_OK);
            answer_call(&d, other, &text);
            assert_row(!strstr(text.p, "gAAA"), o, text.p);
        }
    }
}

static void a_model_that_does_not_think_is_not_asked_for_its_reasoning_again(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[3], "400-usage/ok-text/ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    assert_int_equal(json_array_size(log), 3);
    for (size_t i = 0; i < 3; i++) {
        Str body = json_str(json_object_get(json_array_get(log, i), "body"));
        AUTO_PTR(json_t) sent_body = NULL;
        assert_int_equal(json_read(body, &sent_body, NULL), JOT_OK);
        assert_int_equal(json_object_get(sent_body, "include") != NULL, i == 0);
        assert_true(json_is_false(json_object_get(sent_body, "store")));
    }
}

static void reasoning_can_be_kept_from_a_server(void **state)
{
    AUTO(Desk) d;
    AUTO(Buf) text = { 0 };
    char base[128];
    open_steps(&d, &everybody[2], "ok-reasoning");
    assert_int_equal(ask(&d), JOT_OK);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/%s/ok-reasoning", port, d.id);
    assert_int_equal(open_at(&d, &everybody[2], base, "?reasoning=no"), JOT_OK);
    answer_call(&d, d.llm, &text);
    assert_null(strstr(text.p, "reasoning"));
}

static void a_call_without_words_has_a_text_where_servers_want_one(void **state)
{
    static const struct {
        const char *url, *want;
    } rows[] = { { "openai:gpt-test", "\"content\":null,\"tool_calls\"" },
                 { "openai:gpt-test?base=http://127.0.0.1:9/v1",
                   "\"content\":\"\",\"tool_calls\"" },
                 { "http://127.0.0.1:9/v1#m", "\"content\":\"\",\"tool_calls\"" } };
    AUTO(Desk) d;
    open_steps(&d, &everybody[2], "ok-reasoning_twice");
    assert_int_equal(ask(&d), JOT_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_PTR(Llm) llm = NULL;
        AUTO(Buf) text = { 0 };
        assert_int_equal(llm_open(str(rows[i].url), NULL, &llm, NULL), JOT_OK);
        answer_call(&d, llm, &text);
        assert_row(strstr(text.p, rows[i].want), i, text.p);
    }
}

static void a_request_that_is_too_long_is_not_sent(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        AUTO(Buf) text = { 0 };
        open_steps(&d, &everybody[w], "ok-text");
        memset(buf_room(&text, LLM_REQUEST_MAX), w == 1 ? 0xff : 'x', LLM_REQUEST_MAX);
        buf_grew(&text, LLM_REQUEST_MAX);
        d.question.text = buf_str(&text);
        assert_int_equal(ask(&d), JOT_TOO_BIG);
        assert_int_equal(times_asked(&d), 0);
    }
}

static void thinking_does_not_eat_the_reply(void **state)
{
    static const struct {
        const char *setting, *want;
    } settings[] = {
        { "2000", "\"max_tokens\":2100,\"stream\":true,\"thinking\":{\"type\":\"enabled\","
                  "\"budget_tokens\":2000}" },
        { "adaptive", "\"max_tokens\":100,\"stream\":true,\"thinking\":{\"type\":\"adaptive\"}" },
        { "63990", "\"max_tokens\":64000,\"stream\":true,\"thinking\":{\"type\":\"enabled\"," },
        { "70000", "\"max_tokens\":70001,\"stream\":true,\"thinking\":{\"type\":\"enabled\"," },
    };
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        char url[96];
        AUTO_PTR(Llm) llm = NULL;
        AUTO(Buf) text = { 0 };
        LlmRequest r = { .max_tokens = 100 };
        snprintf(url, sizeof url, "anthropic:claude-x?thinking=%s", settings[i].setting);
        assert_int_equal(llm_open(str(url), NULL, &llm, NULL), JOT_OK);
        assert_int_equal(llm_request_text(llm, &r, &text, NULL), JOT_OK);
        buf_add_char(&text, 0);
        assert_row(strstr(text.p, settings[i].want), i, text.p);
    }
}

/* --- TLS --------------------------------------------------------------------------------- */

static void an_unknown_certificate_is_refused_before_the_key_is_sent(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost" };
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        AUTO(Desk) d;
        char base[128], behind[600];
        desk_init(&d);
        snprintf(base, sizeof base, "https://%s:%d/%s/ok-text", hosts[i], tls_port, d.id);
        assert_int_equal(open_at(&d, &everybody[1], base, ""), JOT_OK);
        assert_int_equal(ask(&d), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "certificate"));
        assert_int_equal(d.again, 0);
        assert_int_equal(times_asked(&d), 0);
        /* Known, it is good for the name it was made for and for no other. */
        snprintf(behind, sizeof behind, "&ca=%s", getenv("LLM_PEM"));
        assert_int_equal(open_at(&d, &everybody[1], base, behind), JOT_OK);
        assert_int_equal(ask(&d), i == 0 ? JOT_OK : JOT_DENIED);
        assert_int_equal(times_asked(&d), i == 0 ? 1 : 0);
    }
}

/* --- Addresses and keys ------------------------------------------------------------------ */

typedef struct Wrong {
    const char *url;
    jot_status status;
    const char *why;
} Wrong;

static const Wrong wrongs[] = {
    { "anthropic:", JOT_INVALID, "names its model" },
    { "openai:", JOT_INVALID, "names its model" },
    { "http://127.0.0.1/v1", JOT_INVALID, "names its model" },
    { "https:gpt", JOT_INVALID, "https://HOST/PATH" },
    { "http:///v1#x", JOT_INVALID, "https://HOST/PATH" },
    { "http://ann:secret@127.0.0.1/v1#x", JOT_INVALID, "holds no key" },
    { "http://example.com/v1#x", JOT_DENIED, "'example.com' would show everything" },
    { "http://127.0.0.1.example.com/v1#x", JOT_DENIED, "would show everything" },
    { "http://127.0.0.256/v1#x", JOT_DENIED, "would show everything" },
    { "http://10.0.0.1/v1#x", JOT_DENIED, "would show everything" },
    { "http://10.0.0.1/v1?plain_http=maybe#x", JOT_INVALID, "yes or no" },
    { "openai:x?base=http://example.com", JOT_DENIED, "would show everything" },
    { "openai:x?base=ftp://example.com", JOT_INVALID, "https://HOST/PATH" },
    { "openai:x?windows=1", JOT_INVALID, "unknown setting 'windows'" },
    { "anthropic:x?think=1", JOT_INVALID, "plain_http, base, thinking" },
    { "openai:x?thinking=5", JOT_INVALID, "anthropic: only" },
    { "anthropic:x?thinking=much", JOT_INVALID, "adaptive" },
    { "anthropic:x?thinking=0", JOT_INVALID, "at least 1024 tokens" },
    { "anthropic:x?thinking=1023", JOT_INVALID, "thinking=1023 is too little" },
    { "openai:x?effort=much", JOT_INVALID, "none, minimal, low, medium, high, xhigh or max" },
    { "anthropic:x?effort=", JOT_INVALID, "none, minimal, low" },
    { "http://127.0.0.1/v1?base=http://127.0.0.1#x", JOT_INVALID, "unknown setting 'base'" },
};

static void a_wrong_address_is_refused(void **state)
{
    for (size_t i = 0; i < COUNT_OF(wrongs); i++) {
        AUTO_PTR(Llm) llm = NULL;
        Err e = { 0 };
        jot_status st = llm_open(str(wrongs[i].url), NULL, &llm, &e);
        assert_row(st == wrongs[i].status && strstr(e.text, wrongs[i].why), i, e.text);
        assert_null(strstr(e.text, "secret"));
        assert_sentence(&e);
    }
}

static void places_that_are_allowed_open(void **state)
{
    static const char *const urls[] = {
        "http://127.0.0.1:11434/v1#qwen3:8b",
        "http://127.9.9.9/v1/#x",
        "http://localhost/v1#x",
        "http://[::1]:8080/v1#x",
        "http://10.0.0.1/v1?plain_http=yes#x",
        "https://example.com/v1#x",
        "anthropic:claude-x?thinking=2048",
        "anthropic:claude-x?thinking=1024",
        "anthropic:claude-x?thinking=adaptive",
        "openai:gpt-5",
    };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        AUTO_PTR(Llm) llm = NULL;
        Err e = { 0 };
        assert_row(llm_open(str(urls[i]), NULL, &llm, &e) == JOT_OK, i, e.text);
    }
}

static void windows_are_known_or_given(void **state)
{
    static const struct {
        const char *url;
        uint64_t given, want;
    } known[] = {
        { "anthropic:claude-sonnet-4-5", 0, 200000 },
        { "openai:gpt-4o-mini", 0, 128000 },
        { "openai:gpt-4.1", 0, 1047576 },
        { "openai:gpt-4", 0, 8192 },
        { "openai:whatever", 0, 0 },
        { "openai:whatever", 77, 77 },
        { "openai:gpt-4o", 77, 77 },
        { "openai:gpt-4o?window=99", 77, 99 },
        { "http://127.0.0.1/v1#m?window=4096", 0, 4096 },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        AUTO_PTR(Llm) llm = NULL;
        LlmOptions options = { .window = known[i].given };
        assert_int_equal(llm_open(str(known[i].url), &options, &llm, NULL), JOT_OK);
        assert_row(llm_window(llm) == known[i].want, i, known[i].url);
    }
}

static void a_server_is_asked_for_a_window_that_nobody_knows(void **state)
{
    static const struct {
        const char *how;
        uint64_t want;
    } servers[] = { { "max_model_len", 8192 },
                    { "openrouter", 163840 },
                    { "llama", 4096 },
                    { "ollama", 16384 },
                    { "ollama_unloaded", 0 },
                    { "small", 0 },
                    { "text", 0 },
                    { "trained", 0 },
                    { "others", 0 },
                    { "none", 0 },
                    { "page", 0 } };
    for (size_t i = 0; i < COUNT_OF(servers); i++) {
        AUTO_PTR(Llm) llm = NULL;
        char url[128];
        snprintf(url, sizeof url, "http://127.0.0.1:%d/windows/%s/v1#gpt-test", port,
                 servers[i].how);
        assert_int_equal(llm_open(str(url), NULL, &llm, NULL), JOT_OK);
        assert_int_equal(llm_window(llm), 0);
        llm_find_window(llm);
        assert_row(llm_window(llm) == servers[i].want, i, servers[i].how);
    }
}

static void a_server_that_says_nothing_of_its_window_is_not_waited_for(void **state)
{
    AUTO(Desk) d;
    desk_init(&d);
    d.io.awake_ms = awake_ms;
    d.clock_step_ms = 500;
    char base[96];
    snprintf(base, sizeof base, "http://127.0.0.1:%d/windows/stall/v1", port);
    assert_int_equal(open_at(&d, &everybody[2], base, ""), JOT_OK);
    llm_find_window(d.llm);
    assert_int_equal(llm_window(d.llm), 0);
}

static void limits_of_replies_are_known_per_model(void **state)
{
    static const struct {
        const char *url;
        LlmLimits want;
        const char *sent; /* without a wish of the caller's */
    } rows[] = {
        { "anthropic:claude-sonnet-4-5", { 16384, 64000, false }, "\"max_tokens\":16384," },
        { "anthropic:claude-sonnet-4-5?thinking=adaptive", { 32000, 64000, false }, "32000," },
        { "anthropic:claude-opus-4-20250514?thinking=adaptive", { 32000, 32000, false }, "32000," },
        { "anthropic:claude-3-5-haiku-latest", { 8192, 8192, false }, "\"max_tokens\":8192," },
        { "anthropic:something-else", { 16384, 0, false }, "\"max_tokens\":16384," },
        { "openai:gpt-5", { 0, 0, true }, NULL },
        { "http://127.0.0.1:9/v1#claude-3-5", { 0, 0, false }, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_PTR(Llm) llm = NULL;
        AUTO(Buf) text = { 0 };
        LlmRequest r = { 0 };
        assert_int_equal(llm_open(str(rows[i].url), NULL, &llm, NULL), JOT_OK);
        LlmLimits got = llm_limits(llm), want = rows[i].want;
        assert_row(got.reply == want.reply && got.reply_max == want.reply_max &&
                       got.unlimited == want.unlimited,
                   i, rows[i].url);
        assert_int_equal(llm_request_text(llm, &r, &text, NULL), JOT_OK);
        buf_add_char(&text, 0);
        assert_row(rows[i].sent ? strstr(text.p, rows[i].sent) != NULL : !strstr(text.p, "_tokens"),
                   i, text.p);
    }
}

static jot_status open_with_file(const char *path, Desk *d, const char *steps)
{
    char url[256];
    LlmOptions options = { .io = &d->io, .key_file = path };
    llm_close(d->llm);
    d->llm = NULL;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s/%s#m", port, d->id, steps);
    return llm_open(str(url), &options, &d->llm, &d->e);
}

static void write_key(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void a_key_file_must_be_closed_to_others(void **state)
{
    char path[] = "/tmp/jotter-key-XXXXXX";
    AUTO(Desk) d;
    desk_init(&d);
    close(mkstemp(path));
    static const mode_t wide[] = { 0644, 0640, 0604, 0620, 0601 };
    for (size_t i = 0; i < COUNT_OF(wide); i++) {
        write_key(path, "file-key\n", wide[i]);
        assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
        assert_non_null(strstr(d.e.text, "chmod 600"));
    }
    write_key(path, "two words\n", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
    assert_null(strstr(d.e.text, "two words"));
    write_key(path, "", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_DENIED);
    write_key(path, "file-key\n", 0600);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_OK);
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    json_t *headers = json_object_get(json_array_get(log, 0), "headers");
    assert_str(json_str(json_object_get(headers, "authorization")), S("Bearer file-key"));
    unlink(path);
    assert_int_equal(open_with_file(path, &d, "ok-text"), JOT_NOT_FOUND);
}

static void without_a_key_a_vendor_is_not_asked(void **state)
{
    AUTO_PTR(Llm) llm = NULL;
    Err e = { 0 };
    unsetenv("OPENAI_API_KEY");
    unsetenv("JOTTER_API_KEY");
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_DENIED);
    assert_non_null(strstr(e.text, "set OPENAI_API_KEY"));
    setenv("OPENAI_API_KEY", "a\nX-Evil: 1", 1);
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_DENIED);
    assert_null(strstr(e.text, "Evil"));
    setenv("OPENAI_API_KEY", "key-of-openai", 1);
    setenv("JOTTER_API_KEY_FILE", "/nowhere/at/all", 1);
    assert_int_equal(llm_open(S("openai:gpt-5"), NULL, &llm, &e), JOT_OK);
    llm_close(llm);
    llm = NULL;
    assert_int_equal(llm_open(S("https://example.com/v1#m"), NULL, &llm, &e), JOT_NOT_FOUND);
    unsetenv("JOTTER_API_KEY_FILE");
    AUTO(Desk) d;
    open_steps(&d, &everybody[2], "ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    AUTO_PTR(json_t) log = log_of(d.id);
    assert_null(
        json_object_get(json_object_get(json_array_get(log, 0), "headers"), "authorization"));
    setenv("JOTTER_API_KEY", "key-of-others", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_shown_are_the_bytes_sent),
        cmocka_unit_test(each_key_goes_to_its_own_provider_only),
        cmocka_unit_test(a_token_is_sent_as_a_token_where_there_is_no_key),
        cmocka_unit_test(an_option_that_was_refused_is_not_sent_again),
        cmocka_unit_test(effort_is_one_setting_for_all),
        cmocka_unit_test(a_redirect_takes_nothing_along),
        cmocka_unit_test(a_key_is_not_shown_even_if_the_provider_shows_it),
        cmocka_unit_test(a_reply_goes_back_as_it_came),
        cmocka_unit_test(reasoning_goes_back_to_where_it_came_from_only),
        cmocka_unit_test(encrypted_reasoning_goes_back_to_where_it_came_from_only),
        cmocka_unit_test(a_model_that_does_not_think_is_not_asked_for_its_reasoning_again),
        cmocka_unit_test(reasoning_can_be_kept_from_a_server),
        cmocka_unit_test(a_call_without_words_has_a_text_where_servers_want_one),
        cmocka_unit_test(a_request_that_is_too_long_is_not_sent),
        cmocka_unit_test(thinking_does_not_eat_the_reply),
        cmocka_unit_test(an_unknown_certificate_is_refused_before_the_key_is_sent),
        cmocka_unit_test(a_wrong_address_is_refused),
        cmocka_unit_test(places_that_are_allowed_open),
        cmocka_unit_test(windows_are_known_or_given),
        cmocka_unit_test(a_server_is_asked_for_a_window_that_nobody_knows),
        cmocka_unit_test(a_server_that_says_nothing_of_its_window_is_not_waited_for),
        cmocka_unit_test(limits_of_replies_are_known_per_model),
        cmocka_unit_test(a_key_file_must_be_closed_to_others),
        cmocka_unit_test(without_a_key_a_vendor_is_not_asked),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
