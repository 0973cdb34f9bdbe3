/* test_history.c - whatever was recorded, what is sent keeps the vendors' rules.
 *
 * The rules are written down once more here, on the bytes: a message of Anthropic has content, no
 * text of it is blank, thinking is signed and never last, a call is answered in the next message
 * and nothing else is.  OpenAI's say the same of their own form.  They are asked of single
 * conversations that a provider has refused, and of thousands that are thrown together from good
 * and bad parts; JOT_TEST_SEED adds one more. */
#include "unit/unit.h"

#include "base/json.h"
#include "llm/history.h"
#include "rig/volume.h"

enum { ANTHROPIC, OPENAI, COMPATIBLE, MODELS, TRIES = 4000, MESSAGES = 9, PARTS = 6 };

static const char *const addresses[] = {
    "anthropic:claude-test?base=http://127.0.0.1:9",
    "openai:gpt-test",
    "http://127.0.0.1:9/v1#test",
};

static Llm *open_model(int model)
{
    Llm *llm = NULL;
    Err e = { 0 };
    if (llm_open(str(addresses[model]), NULL, &llm, &e) != JOT_OK)
        print_error("%s\n", e.text);
    assert_non_null(llm);
    return llm;
}

/* The messages as they are sent; the caller owns them. */
static json_t *sent(int model, const LlmMessage *messages, size_t n, Buf *bytes)
{
    AUTO_PTR(Llm) llm = open_model(model);
    LlmRequest r = { .messages = messages, .n_messages = n };
    Err e = { 0 };
    json_t *read = NULL;
    buf_clear(bytes);
    assert_int_equal(llm_request_text(llm, &r, bytes, &e), JOT_OK);
    assert_int_equal(json_read(buf_str(bytes), &read, &e), JOT_OK);
    AUTO_PTR(json_t) whole = read;
    return json_incref(json_object_get(whole, "messages"));
}

/* --- The rules ---------------------------------------------------------------------------- */

static Str member(const json_t *object, const char *name)
{
    return json_str(json_object_get(object, name));
}

static bool is_words(Str s, size_t max)
{
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", s.p[i]))
            return false;
    return s.n > 0 && s.n <= max;
}

typedef struct Seen {
    Str ids[MESSAGES * PARTS + 1]; /* of all calls */
    size_t n, open;                /* the last `open` of them wait for results */
} Seen;

static const char *see_call(Seen *s, Str id, Str name, int model)
{
    if (!is_words(name, 64))
        return "a name that no tool can have";
    if (model != COMPATIBLE && !is_words(id, 40))
        return "an id that is refused";
    for (size_t i = 0; i < s->n; i++)
        if (str_eq(s->ids[i], id))
            return "an id that another call has";
    s->ids[s->n++] = id;
    s->open++;
    return id.n ? NULL : "an empty id";
}

static const char *see_result(Seen *s, Str id)
{
    for (size_t i = s->n - s->open; i < s->n; i++) {
        if (!str_eq(s->ids[i], id))
            continue;
        Str last = s->ids[s->n - s->open];
        s->ids[s->n - s->open] = s->ids[i];
        s->ids[i] = last;
        s->open--;
        return NULL;
    }
    return "a result without a call";
}

static const char *see_block(Seen *s, const json_t *block, bool user, bool last, bool words)
{
    Str type = member(block, "type");
    if (str_eq(type, S("text")))
        return history_blank(member(block, "text")) ? "a blank text" : NULL;
    if (str_eq(type, S("tool_result")))
        return user && !words ? see_result(s, member(block, "tool_use_id"))
                              : "a result behind words";
    if (user)
        return "a block that only a model has";
    if (str_eq(type, S("tool_use")))
        return see_call(s, member(block, "id"), member(block, "name"), ANTHROPIC);
    if (str_eq(type, S("thinking")) && (!member(block, "signature").n || last))
        return "thinking that is refused";
    if (str_eq(type, S("redacted_thinking")) && (!member(block, "data").n || last))
        return "hidden thinking that is refused";
    return type.n ? NULL : "a block without a type";
}

static const char *judge_anthropic(const json_t *messages)
{
    Seen s = { 0 };
    for (size_t i = 0; i < json_array_size(messages); i++) {
        const json_t *m = json_array_get(messages, i), *content = json_object_get(m, "content");
        bool user = str_eq(member(m, "role"), S("user")), words = false;
        size_t n = json_array_size(content);
        if (n == 0 || (i == 0 && !user))
            return "a message that cannot be";
        if (!user && s.open)
            return "a call without a result";
        for (size_t k = 0; k < n; k++) {
            const json_t *block = json_array_get(content, k);
            const char *why = see_block(&s, block, user, k + 1 == n, words);
            if (why)
                return why;
            words = words || str_eq(member(block, "type"), S("text"));
        }
        if (user && s.open)
            return "a call without a result";
    }
    return s.open ? "a call without a result" : NULL;
}

static const char *judge_openai(const json_t *messages, int model)
{
    Seen s = { 0 };
    for (size_t i = 0; i < json_array_size(messages); i++) {
        const json_t *m = json_array_get(messages, i), *calls = json_object_get(m, "tool_calls");
        Str role = member(m, "role");
        bool tool = str_eq(role, S("tool"));
        const char *why = NULL;
        if (tool)
            why = see_result(&s, member(m, "tool_call_id"));
        else if (s.open)
            why = "a call without a result";
        else if (history_blank(member(m, "content")) && !json_array_size(calls))
            why = "a message of nothing";
        else if (i == 0 && !str_eq(role, S("user")))
            why = "a beginning that cannot be";
        for (size_t k = 0; !why && k < json_array_size(calls); k++) {
            const json_t *call = json_array_get(calls, k);
            why = see_call(&s, member(call, "id"),
                           member(json_object_get(call, "function"), "name"), model);
        }
        if (why)
            return why;
    }
    return s.open ? "a call without a result" : NULL;
}

static void assert_taken(const LlmMessage *messages, size_t n, size_t row)
{
    for (int model = 0; model < MODELS; model++) {
        AUTO(Buf) bytes = { 0 };
        AUTO_PTR(json_t) list = sent(model, messages, n, &bytes);
        const char *why = model == ANTHROPIC ? judge_anthropic(list) : judge_openai(list, model);
        if (why)
            print_error("%s: %s\n" STR_FMT "\n", addresses[model], why, STR_ARG(buf_str(&bytes)));
        assert_row(!why, row, "refused");
    }
}

/* --- Conversations that were refused ------------------------------------------------------ */

#define TEXT(words)           \
    {                         \
        .text = S_INIT(words) \
    }
#define CALL(as, tool)                                                                 \
    {                                                                                  \
        .kind = LLM_CALL, .id = S_INIT(as), .name = S_INIT(tool), .args = S_INIT("{}") \
    }
#define RESULT(as)                                                   \
    {                                                                \
        .kind = LLM_RESULT, .id = S_INIT(as), .text = S_INIT("fine") \
    }
#define RAW(json)                             \
    {                                         \
        .kind = LLM_RAW, .text = S_INIT(json) \
    }
#define CUT_THOUGHT RAW("{\"type\":\"thinking\",\"thinking\":\"hmm hmm\",\"signature\":\"\"}")
#define THOUGHT RAW("{\"type\":\"thinking\",\"thinking\":\"so\",\"signature\":\"s==\"}")

/* What the model said, and what it heard; a part without anything ends the list. */
typedef struct Case {
    LlmPart said[4], heard[4];
    const char *sent[MODELS]; /* what the bytes have; NULL: nothing in particular */
} Case;

static size_t count(const LlmPart *parts)
{
    size_t n = 0;
    while (n < 4 && (parts[n].kind != LLM_TEXT || parts[n].text.p))
        n++;
    return n;
}

static void check_case(const Case *c, size_t row)
{
    static const LlmPart question = TEXT("what is it?");
    const LlmMessage talk[] = { { LLM_USER, &question, 1 },
                                { LLM_ASSISTANT, c->said, count(c->said) },
                                { LLM_USER, c->heard, count(c->heard) } };
    assert_taken(talk, COUNT_OF(talk), row);
    for (int model = 0; model < MODELS; model++) {
        AUTO(Buf) bytes = { 0 };
        AUTO_PTR(json_t) list = sent(model, talk, COUNT_OF(talk), &bytes);
        buf_add_char(&bytes, 0);
        assert_non_null(list);
        assert_row(!c->sent[model] || strstr(bytes.p, c->sent[model]), row, bytes.p);
    }
}

static void check_cases(const Case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_case(&cases[i], i);
}

static void thinking_that_was_cut_off_is_not_sent_back(void **state)
{
    static const Case cases[] = {
        { { CUT_THOUGHT },
          { TEXT("[cut off]") },
          { "\"content\":[{\"type\":\"text\",\"text\":\"(an empty reply)\"}]",
            "\"content\":\"(an empty reply)\"", "\"content\":\"(an empty reply)\"" } },
        { { CUT_THOUGHT, TEXT("I look."), CALL("a", "look") },
          { RESULT("a") },
          { "\"content\":[{\"type\":\"text\",\"text\":\"I look.\"}" } },
        { { RAW("{\"type\":\"redacted_thinking\"}") }, { TEXT("and?") }, { "(an empty reply)" } },
        { { RAW("{\"type\":\"thinking\",\"thi") }, { TEXT("and?") }, { "(an empty reply)" } },
    };
    check_cases(cases, COUNT_OF(cases));
}

static void no_message_ends_in_thinking(void **state)
{
    static const Case cases[] = {
        { { THOUGHT },
          { TEXT("[cut off]") },
          { "\"signature\":\"s==\"},{\"type\":\"text\",\"text\":\"(an empty reply)\"}]" } },
        { { TEXT("I look."), THOUGHT }, { TEXT("and?") }, { "s==\"},{\"type\":\"text\"" } },
        { { THOUGHT, TEXT("37") },
          { TEXT("and?") },
          { "s==\"},{\"type\":\"text\",\"text\":\"37\"}]" } },
    };
    check_cases(cases, COUNT_OF(cases));
}

static void a_call_of_a_refused_reply_is_answered(void **state)
{
    static const Case cases[] = {
        { { TEXT("I"), CALL("toolu_1", "look") },
          { TEXT("please go on") },
          { "\"tool_use_id\":\"toolu_1\",\"content\":\"this call was not made",
            "Error: this call was not made", "Error: this call was not made" } },
        { { CALL("a", "look"), CALL("b", "look") },
          { RESULT("b") },
          { "\"tool_use_id\":\"a\",\"content\":\"this call was not made" } },
        { { TEXT("no call") }, { RESULT("a") }, { "\"type\":\"text\",\"text\":\"fine\"" } },
        { { CALL("a", "look") }, { RESULT("a"), RESULT("a") }, { NULL } },
        { { CALL("a", "look"), CALL("a", "look") }, { RESULT("a"), RESULT("a") }, { NULL } },
    };
    check_cases(cases, COUNT_OF(cases));
}

static void blank_texts_are_left_out(void **state)
{
    static const Case cases[] = {
        { { TEXT("\n\n"), CALL("a", "look") },
          { RESULT("a"), TEXT(" ") },
          { "\"content\":[{\"type\":\"tool_use\"", "\"content\":null", "\"content\":\"\"" } },
        { { TEXT("\xE2\x80\x83\xC2\xA0\t") }, { TEXT("\xE3\x80\x80") }, { "(an empty reply)" } },
        { { TEXT("\xE2\x80\x8B") }, { TEXT("go on") }, { "(an empty reply)" } },
        { { CALL("a", "look") },
          { { .kind = LLM_RESULT, .id = S_INIT("a"), .text = S_INIT("\n"), .is_error = true } },
          { "\"content\":\"(nothing)\",\"is_error\":true" } },
    };
    check_cases(cases, COUNT_OF(cases));
}

static void names_and_ids_that_no_vendor_takes_are_others(void **state)
{
    static const Case cases[] = {
        { { CALL("a", "functions.echo") },
          { RESULT("a") },
          { "\"name\":\"functions_echo\"", "\"name\":\"functions_echo\"",
            "\"name\":\"functions_echo\"" } },
        { { CALL("a", "") }, { RESULT("a") }, { "\"name\":\"unknown\"", "\"name\":\"unknown\"" } },
        { { CALL("a", "gr\xC3\xB6\xC3\x9F e") }, { RESULT("a") }, { "\"name\":\"gr_____e\"" } },
        /* A server that reads something into its ids gets them back. */
        { { CALL("functions.look:0", "look") },
          { RESULT("functions.look:0") },
          { "\"id\":\"call_", "\"tool_call_id\":\"call_", "\"id\":\"functions.look:0\"" } },
        { { CALL("0123456789012345678901234567890123456789+", "look") },
          { RESULT("0123456789012345678901234567890123456789+") },
          { "\"tool_use_id\":\"call_", "\"id\":\"call_", "\"id\":\"01234567890" } },
        { { CALL("", "look") }, { RESULT("") }, { "\"id\":\"call_", NULL, "\"id\":\"call_" } },
    };
    check_cases(cases, COUNT_OF(cases));
}

static void a_conversation_begins_with_somebody_who_asks(void **state)
{
    static const LlmPart said = TEXT("I begin. \n"), call = CALL("a", "look");
    const LlmMessage alone[] = { { LLM_ASSISTANT, &said, 1 } };
    const LlmMessage open[] = { { LLM_ASSISTANT, &call, 1 } };
    assert_taken(alone, 1, 0);
    assert_taken(open, 1, 1);
    AUTO(Buf) bytes = { 0 };
    AUTO_PTR(json_t) list = sent(ANTHROPIC, alone, 1, &bytes);
    assert_non_null(list);
    buf_add_char(&bytes, 0);
    assert_non_null(strstr(bytes.p, "\"text\":\"I begin.\"}]}"));
}

/* --- Conversations thrown together ------------------------------------------------------- */

static uint64_t dice;

static size_t roll(size_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (size_t)(dice % n);
}

static Str pick(const char *const *list, size_t n)
{
    return str(list[roll(n)]);
}

static LlmPart any_part(void)
{
    static const char *const texts[] = { "", " ", "\n", "words", " more \n", "\xFF", "\xC2\xA0" };
    static const char *const ids[] = { "a", "b", "c", "a.b", "", "toolu_01", "f:0", "\xC3\xA4" };
    static const char *const names[] = { "look", "functions.look", "", "multi_tool_use.parallel" };
    static const char *const raws[] = {
        "{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"s\"}",
        "{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"\"}",
        "{\"type\":\"thinking\",\"thinking\":\"x\"}",
        "{\"type\":\"redacted_thinking\",\"data\":\"d\"}",
        "{\"type\":\"redacted_thinking\"}",
        "{\"type\":\"server_tool_use\",\"id\":\"s\"}",
        "{}",
        "no JSON",
    };
    LlmPart p = { .kind = (LlmPartKind)roll(4), .id = pick(ids, COUNT_OF(ids)) };
    p.text = p.kind == LLM_RAW ? pick(raws, COUNT_OF(raws)) : pick(texts, COUNT_OF(texts));
    p.name = pick(names, COUNT_OF(names));
    p.args = roll(3) ? S("{}") : S("{\"x\": ");
    p.is_error = roll(4) == 0;
    return p;
}

static void any_conversation_is_taken(void **state)
{
    const char *seed = getenv("JOT_TEST_SEED");
    int tries = volume_of(TRIES);
    uint64_t more = 0;
    bool given = str_to_u64(str(seed), UINT64_MAX, &more);
    for (int i = 1; i <= tries + given; i++) {
        LlmPart parts[MESSAGES][PARTS];
        LlmMessage talk[MESSAGES];
        size_t n = 1;
        dice = (i > tries ? more : (uint64_t)i) * UINT64_C(0x9E3779B97F4A7C15) | 1;
        roll(2);
        n += roll(MESSAGES);
        for (size_t k = 0; k < n; k++) {
            talk[k] = (LlmMessage){ (LlmRole)roll(2), parts[k], roll(PARTS + 1) };
            for (size_t p = 0; p < talk[k].n; p++)
                parts[k][p] = any_part();
        }
        assert_taken(talk, n, (size_t)i);
    }
}

/* What is good already is not touched: caches of prompts live on equal bytes. */
static void a_good_conversation_stays_as_it_is(void **state)
{
    static const LlmPart asked = TEXT(" what is it? "),
                         said[] = { THOUGHT, TEXT("\nI look.\n"), CALL("a-1", "look"),
                                    CALL("b_2", "look") };
    static const LlmPart heard[] = { RESULT("a-1"), RESULT("b_2"), TEXT("hurry") };
    static const LlmPart answer[] = { TEXT("it is so") }, more[] = { TEXT("and why?") };
    const LlmMessage talk[] = { { LLM_USER, &asked, 1 },
                                { LLM_ASSISTANT, said, 4 },
                                { LLM_USER, heard, 3 },
                                { LLM_ASSISTANT, answer, 1 },
                                { LLM_USER, more, 1 } };
    LlmRequest r = { .messages = talk, .n_messages = COUNT_OF(talk) };
    for (int model = 0; model < MODELS; model++) {
        AUTO_PTR(Llm) llm = open_model(model);
        AUTO(Buf) mended = { 0 }, plain = { .max = LLM_REQUEST_MAX };
        assert_int_equal(llm_request_text(llm, &r, &mended, NULL), JOT_OK);
        assert_int_equal(llm->provider->write(llm, &r, &plain, NULL), JOT_OK);
        assert_str(buf_str(&mended), buf_str(&plain));
    }
}

int main(void)
{
    setenv("JOTTER_API_KEY", "none", 1);
    unsetenv("JOTTER_API_KEY_FILE");
    unsetenv("OPENAI_BASE_URL");
    unsetenv("ANTHROPIC_BASE_URL");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinking_that_was_cut_off_is_not_sent_back),
        cmocka_unit_test(no_message_ends_in_thinking),
        cmocka_unit_test(a_call_of_a_refused_reply_is_answered),
        cmocka_unit_test(blank_texts_are_left_out),
        cmocka_unit_test(names_and_ids_that_no_vendor_takes_are_others),
        cmocka_unit_test(a_conversation_begins_with_somebody_who_asks),
        cmocka_unit_test(any_conversation_is_taken),
        cmocka_unit_test(a_good_conversation_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
