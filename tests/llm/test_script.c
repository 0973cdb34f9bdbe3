/* test_script.c - the model whose answers stand in a file. */
#include "unit/unit.h"

#include <unistd.h>

#include "base/json.h"
#include "llm/llm.h"

/* --- A script on disk and a conversation ------------------------------------------------- */

typedef struct Desk {
    char dir[64], file[96], log[96];
    Arena arena;
    Llm *llm;
    LlmPart parts[64];
    LlmMessage messages[32];
    size_t n_parts;
    LlmRequest request;
    Buf said; /* what on_text got */
    int asked_cancel;
    Err e;
} Desk;

static void hear(void *ctx, Str piece)
{
    buf_add(&((Desk *)ctx)->said, piece);
}

static bool cancel_third(void *ctx)
{
    return ++((Desk *)ctx)->asked_cancel >= 3;
}

static void write_script(Desk *d, const char *text)
{
    FILE *f = fopen(d->file, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void desk_init(Desk *d, const char *script)
{
    *d = (Desk){ 0 };
    snprintf(d->dir, sizeof d->dir, "/tmp/jotter-script-XXXXXX");
    assert_non_null(mkdtemp(d->dir));
    snprintf(d->file, sizeof d->file, "%s/s.yaml", d->dir);
    snprintf(d->log, sizeof d->log, "%s/log", d->dir);
    write_script(d, script);
    d->request.messages = d->messages;
    d->request.on_text = hear;
    d->request.ctx = d;
}

static jot_status desk_open(Desk *d, const char *behind)
{
    llm_close(d->llm);
    d->llm = NULL;
    d->e = (Err){ 0 };
    Str url = arena_printf(&d->arena, "script:%s%s", d->file, behind);
    return llm_open(url, NULL, &d->llm, &d->e);
}

static void desk_done(Desk *d)
{
    llm_close(d->llm);
    buf_free(&d->said);
    arena_free(&d->arena);
    unlink(d->file);
    unlink(d->log);
    rmdir(d->dir);
}

static void say_part(Desk *d, LlmRole role, LlmPart part)
{
    LlmMessage *last = d->request.n_messages ? &d->messages[d->request.n_messages - 1] : NULL;
    d->parts[d->n_parts] = part;
    if (last && last->role == role) {
        last->n++;
    } else {
        d->messages[d->request.n_messages++] = (LlmMessage){ role, &d->parts[d->n_parts], 1 };
    }
    d->n_parts++;
}

static void say(Desk *d, const char *text)
{
    say_part(d, LLM_USER, (LlmPart){ .text = str(text) });
}

static void give(Desk *d, const char *id, const char *text)
{
    say_part(d, LLM_USER, (LlmPart){ .kind = LLM_RESULT, .id = str(id), .text = str(text) });
}

static LlmReply ask(Desk *d)
{
    LlmReply r = { 0 };
    d->e = (Err){ 0 };
    if (llm_ask(d->llm, &d->request, &d->arena, &r, &d->e) != JOT_OK) {
        print_error("%s\n", d->e.text);
        fail();
    }
    for (size_t i = 0; i < r.n; i++)
        say_part(d, LLM_ASSISTANT, r.parts[i]);
    return r;
}

static jot_status refuse(Desk *d)
{
    LlmReply r = { 0 };
    d->e = (Err){ 0 };
    jot_status st = llm_ask(d->llm, &d->request, &d->arena, &r, &d->e);
    assert_int_not_equal(st, JOT_OK);
    assert_sentence(&d->e);
    assert_int_equal(r.n, 0);
    return st;
}

/* --- Answers ----------------------------------------------------------------------------- */

static void answers_come_in_order_with_text_calls_and_stops(void **state)
{
    Desk d;
    desk_init(&d, "- text: looking\n"
                  "  calls: [{id: k, name: shell, args: {command: uname -r, n: 2}}]\n"
                  "- text: done\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "which kernel?");
    LlmReply r = ask(&d);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.stop, LLM_STOP_CALLS);
    assert_str(r.parts[0].text, S("looking"));
    assert_int_equal(r.parts[1].kind, LLM_CALL);
    assert_str(r.parts[1].id, S("k"));
    assert_str(r.parts[1].name, S("shell"));
    assert_str(r.parts[1].args, S("{\"command\":\"uname -r\",\"n\":2}"));
    assert_false(r.parts[1].broken);
    give(&d, "k", "6.1");
    r = ask(&d);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.stop, LLM_STOP_END);
    assert_str(buf_str(&d.said), S("lookingdone"));
    desk_done(&d);
}

static void a_new_process_continues_with_the_right_answer(void **state)
{
    Desk d;
    desk_init(&d, "- {text: a, calls: [{name: t}]}\n- {text: b, calls: [{name: t}]}\n- text: c\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    LlmReply r = ask(&d);
    assert_str(r.parts[1].id, S("call_1_1"));
    give(&d, "call_1_1", "x");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    r = ask(&d);
    assert_str(r.parts[0].text, S("b"));
    /* The beginning is dropped, as compaction does: the ids tell. */
    d.request.messages = &d.messages[3];
    d.request.n_messages -= 3;
    LlmPart result = { .kind = LLM_RESULT, .id = S("call_2_1"), .text = S("y") };
    d.messages[4] = (LlmMessage){ LLM_USER, &result, 1 };
    d.request.n_messages = 2;
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    LlmReply last = { 0 };
    assert_int_equal(llm_ask(d.llm, &d.request, &d.arena, &last, &d.e), JOT_OK);
    assert_str(last.parts[0].text, S("c"));
    desk_done(&d);
}

static void whoever_sends_no_conversation_says_where_the_script_stands(void **state)
{
    Desk d;
    desk_init(&d, "- text: a\n- text: b\n- text: c\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "the state");
    d.request.earlier = 1;
    assert_str(ask(&d).parts[0].text, S("b"));
    assert_str(ask(&d).parts[0].text, S("c"));
    d.request.earlier = 3;
    d.request.n_messages = 1;
    assert_int_equal(refuse(&d), JOT_INVALID);
    assert_non_null(strstr(d.e.text, "this would be number 4"));
    desk_done(&d);
}

static void a_used_up_script_says_so(void **state)
{
    Desk d;
    desk_init(&d, "- text: a\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    ask(&d);
    say(&d, "more");
    assert_int_equal(refuse(&d), JOT_INVALID);
    assert_non_null(strstr(d.e.text, "is used up: it has 1 answers, this would be number 2"));
    desk_done(&d);
}

static void a_repeated_answer_has_fresh_ids(void **state)
{
    Desk d;
    desk_init(&d, "- {text: again, repeat: true, calls: [{name: t}]}\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    assert_str(ask(&d).parts[1].id, S("call_1_1"));
    give(&d, "call_1_1", "x");
    assert_str(ask(&d).parts[1].id, S("call_2_1"));
    give(&d, "call_2_1", "x");
    assert_str(ask(&d).parts[1].id, S("call_3_1"));
    desk_done(&d);
}

static void an_aside_answers_whatever_asks_for_it_and_does_not_count(void **state)
{
    Desk d;
    desk_init(&d, "- {when: Summarise, text: short}\n- text: a\n- text: b\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    ask(&d);
    say(&d, "Summarise the conversation");
    assert_str(ask(&d).parts[0].text, S("short"));
    desk_done(&d);
}

static void every_kind_of_part_stop_and_usage_can_be_scripted(void **state)
{
    Desk d;
    desk_init(&d, "- raw: [{type: thinking, thinking: hm, signature: s==}]\n"
                  "  stop: refusal\n"
                  "  why: no\n"
                  "  usage: {input: 10, cache_read: 20, cache_write: 30, output: 4}\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    LlmReply r = ask(&d);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.parts[0].kind, LLM_RAW);
    assert_str(r.parts[0].text,
               S("{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s==\"}"));
    assert_int_equal(r.stop, LLM_STOP_REFUSAL);
    assert_str(r.why, S("no"));
    assert_int_equal(r.usage.input, 10);
    assert_int_equal(r.usage.cache_read, 20);
    assert_int_equal(r.usage.cache_write, 30);
    assert_int_equal(r.usage.output, 4);
    desk_done(&d);
}

static void a_cut_or_malformed_call_is_broken(void **state)
{
    Desk d;
    desk_init(&d, "- calls: [{name: t, args_text: '{\"a\": 1'}, {name: t, args_text: '[1]'}]\n"
                  "- {stop: max_tokens, calls: [{name: t}, {name: u}]}\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    LlmReply r = ask(&d);
    assert_true(r.parts[0].broken && r.parts[1].broken);
    assert_str(r.parts[0].args, S("{\"a\": 1"));
    give(&d, "call_1_1", "x");
    give(&d, "call_1_2", "x");
    r = ask(&d);
    assert_false(r.parts[0].broken);
    assert_true(r.parts[1].broken);
    desk_done(&d);
}

/* --- Templates --------------------------------------------------------------------------- */

typedef struct Cut {
    const char *template, *want;
} Cut;

static const Cut cuts[] = {
    { "{{result:k}}", "Linux box 6.1.0\nCPUs:  8 of 16\n" },
    { "{{result:k|line 1}}", "Linux box 6.1.0" },
    { "{{result:k|line 2}}", "CPUs:  8 of 16" },
    { "{{result:k|line -1}}", "CPUs:  8 of 16" },
    { "{{result:k|word 3}}", "6.1.0" },
    { "{{ result:k | line 2 | word 2 }}", "8" },
    { "{{result:k|word -1}}", "16" },
    { "{{result:k|after CPUs:|word 1}}", "8" },
    { "{{result:k|before Linux}}", "" },
    { "{{result:k|after Linux|before 6.1|trim}}", "box" },
    { "{{result:j|json a}}", "x y" },
    { "{{result:j|json b}}", "[1,2]" },
    { "{{text:1}} and {{user:1}}", "first and question" },
    { "no template, {{ no end", "no template, {{ no end" },
    { "a{{result:k|word 1}}b{{result:k|word 1}}", "aLinuxbLinux" },
};

static const Cut bad_cuts[] = {
    { "{{result:none}}", "finds no such result" },
    { "{{result:k|line 3}}", "finds nothing to cut" },
    { "{{result:k|line 0}}", "needs a number" },
    { "{{result:k|word x}}", "needs a number" },
    { "{{result:k|after nowhere}}", "finds nothing to cut" },
    { "{{result:k|json a}}", "finds nothing to cut" },
    { "{{result:k|shout}}", "unknown cut" },
    { "{{text:9}}", "finds no such message" },
    { "{{text:0}}", "needs a number" },
    { "{{nothing}}", "has no source" },
    { "{{env:HOME}}", "unknown source" },
};

static void talk(Desk *d, const char *template)
{
    AUTO(Buf) script = { 0 };
    buf_add(&script, S("- {text: first, calls: [{id: k, name: t}, {id: j, name: t}]}\n- text: "));
    json_quote(&script, str(template));
    buf_add(&script, S("\n  calls:\n  - {name: t, args: {a: {b: ["));
    json_quote(&script, str(template));
    buf_add(&script, S("]}}}\n"));
    buf_add_char(&script, 0);
    desk_init(d, script.p);
    assert_int_equal(desk_open(d, ""), JOT_OK);
    say(d, "question");
    ask(d);
    give(d, "k", "Linux box 6.1.0\nCPUs:  8 of 16\n");
    give(d, "j", "{\"a\":\"x y\",\"b\":[1,2]}");
}

static void templates_are_filled_from_the_conversation(void **state)
{
    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        Desk d;
        talk(&d, cuts[i].template);
        LlmReply r = ask(&d);
        Str want = str(cuts[i].want);
        if (want.n)
            assert_row(str_eq(r.parts[0].text, want), i, cuts[i].template);
        AUTO(Buf) args = { 0 };
        buf_add(&args, S("{\"a\":{\"b\":["));
        json_quote(&args, want);
        buf_add(&args, S("]}}"));
        assert_row(str_eq(r.parts[r.n - 1].args, buf_str(&args)), i, cuts[i].template);
        desk_done(&d);
    }
}

static void a_template_that_finds_nothing_is_refused(void **state)
{
    for (size_t i = 0; i < COUNT_OF(bad_cuts); i++) {
        Desk d;
        talk(&d, bad_cuts[i].template);
        assert_row(refuse(&d) == JOT_INVALID, i, bad_cuts[i].template);
        assert_row(strstr(d.e.text, bad_cuts[i].want), i, d.e.text);
        desk_done(&d);
    }
}

/* --- Errors and expectations ------------------------------------------------------------- */

static void an_expectation_that_does_not_hold_is_an_error(void **state)
{
    Desk d;
    desk_init(&d, "- {expect: [system words, hello, shell], without: [secret], text: ok}\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    LlmTool tool = { S("shell"), S("runs"), S("{}") };
    say(&d, "hello");
    assert_int_equal(refuse(&d), JOT_INVALID);
    assert_string_equal(d.e.text, "answer 1 of the script expects 'system words' in the request");
    d.request.system = S("the system words");
    d.request.tools = &tool;
    d.request.n_tools = 1;
    assert_str(ask(&d).parts[0].text, S("ok"));
    d.request.n_messages = d.n_parts = 1;
    say(&d, "a secret");
    assert_int_equal(refuse(&d), JOT_INVALID);
    assert_non_null(strstr(d.e.text, "without 'secret'"));
    desk_done(&d);
}

static void errors_have_the_status_a_caller_acts_on(void **state)
{
    static const struct {
        const char *word;
        jot_status status;
    } rows[] = {
        { "overflow", JOT_TOO_BIG },
        { "key", JOT_DENIED },
        { "rate_limit", JOT_UNAVAILABLE },
        { "not_found", JOT_NOT_FOUND },
        { "invalid", JOT_INVALID },
        { "overloaded", JOT_UNAVAILABLE },
        { "broken", JOT_IO },
        { "cancelled", JOT_CANCELLED },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Desk d;
        char script[96];
        snprintf(script, sizeof script, "- {error: %s, times: 2, text: ok, message: mine}\n",
                 rows[i].word);
        desk_init(&d, script);
        assert_int_equal(desk_open(&d, ""), JOT_OK);
        say(&d, "go");
        assert_row(refuse(&d) == rows[i].status, i, rows[i].word);
        assert_string_equal(d.e.text, "mine");
        refuse(&d);
        assert_str(ask(&d).parts[0].text, S("ok"));
        desk_done(&d);
    }
}

static void a_request_beyond_the_limit_overflows_until_it_is_shorter(void **state)
{
    Desk d;
    desk_init(&d, "{limit: 200, window: 50, model: tiny, answers: [{text: ok}]}");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    assert_int_equal(llm_window(d.llm), 50);
    assert_str(llm_model(d.llm), S("tiny"));
    char longer[300] = { 0 };
    memset(longer, 'x', sizeof longer - 1);
    say(&d, longer);
    assert_int_equal(refuse(&d), JOT_TOO_BIG);
    d.request.n_messages = 0;
    say(&d, "short");
    ask(&d);
    desk_done(&d);
}

static void a_hanging_model_can_be_cancelled(void **state)
{
    Desk d;
    desk_init(&d, "- hang: true\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    assert_int_equal(refuse(&d), JOT_INVALID);
    d.request.cancelled = cancel_third;
    assert_int_equal(refuse(&d), JOT_CANCELLED);
    desk_done(&d);
}

typedef struct Wrong {
    const char *script, *behind, *why;
} Wrong;

static const Wrong wrongs[] = {
    { "- text: a\n- texts: b\n", "", "line 2" },
    { "- text: [a]\n", "", "a text is expected" },
    { "- calls: {name: x}\n", "", "a list is expected" },
    { "- calls: [{args: {}}]\n", "", "a call has a name" },
    { "- calls: [{name: x, args: [1]}]\n", "", "args of a call are a map" },
    { "- calls: [{name: x, arg: {}}]\n", "", "nothing else" },
    { "- stop: halt\n", "", "stop is end" },
    { "- error: bang\n", "", "error is overflow" },
    { "- usage: {input: -1}\n", "", "a number" },
    { "- repeat: yes\n", "", "true or false" },
    { "- {when: x, calls: [{name: t}]}\n", "", "no calls" },
    { "- expect: x\n", "", "a list of texts" },
    { "- just text\n", "", "an answer is a map" },
    { "answers: {a: b}\n", "", "a list" },
    { "other: []\n", "", "no list of answers called 'answers'" },
    { "one: []\n", "#two", "no list of answers called 'two'" },
    { "- text: a\n", "?lag=x", "only 'log' and 'window'" },
    { "- text: a\n", "?window=much", "a number of tokens" },
    { "- text: 'a\n", "", "the script '" },
};

static void a_wrong_script_is_refused_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT_OF(wrongs); i++) {
        Desk d;
        desk_init(&d, wrongs[i].script);
        assert_row(desk_open(&d, wrongs[i].behind) == JOT_INVALID, i, wrongs[i].script);
        assert_row(strstr(d.e.text, wrongs[i].why), i, d.e.text);
        assert_sentence(&d.e);
        assert_null(d.llm);
        desk_done(&d);
    }
}

static void a_missing_script_is_not_found_and_an_unknown_scheme_invalid(void **state)
{
    Llm *llm = NULL;
    Err e = { 0 };
    assert_int_equal(llm_open(S("script:/nowhere/at/all"), NULL, &llm, &e), JOT_NOT_FOUND);
    assert_sentence(&e);
    assert_int_equal(llm_open(S("gemini:pro"), NULL, &llm, &e), JOT_INVALID);
    assert_non_null(strstr(e.text, "gemini"));
    assert_int_equal(llm_open(S("no scheme"), NULL, &llm, &e), JOT_INVALID);
    llm_close(NULL);
}

/* --- The bytes --------------------------------------------------------------------------- */

static void parts_of_one_file_are_chosen_by_name(void **state)
{
    Desk d;
    desk_init(&d, "one: [{text: a}]\ntwo: [{text: b}]\n");
    say(&d, "go");
    assert_int_equal(desk_open(&d, "#two?window=7"), JOT_OK);
    assert_int_equal(llm_window(d.llm), 7);
    assert_str(ask(&d).parts[0].text, S("b"));
    desk_done(&d);
}

static void every_request_is_logged_as_the_line_that_was_sent(void **state)
{
    Desk d;
    desk_init(&d, "- {text: a, calls: [{name: t, args_text: '{x'}]}\n- text: b\n");
    char behind[128];
    snprintf(behind, sizeof behind, "?log=%s", d.log);
    assert_int_equal(desk_open(&d, behind), JOT_OK);
    LlmTool tool = { S("t"), S("about \"t\""), S("{\n \"type\": \"object\",\n\"properties\":{}}") };
    d.request.tools = &tool;
    d.request.n_tools = 1;
    d.request.max_tokens = 9;
    d.request.system = S("sys\xff");
    AUTO(Buf) want = { 0 };
    say(&d, "go\n");
    assert_int_equal(llm_request_text(d.llm, &d.request, &want, &d.e), JOT_OK);
    assert_str(
        buf_str(&want),
        S("{\"max_tokens\":9,\"system\":\"sys\xEF\xBF\xBD\",\"tools\":[{\"name\":\"t\","
          "\"about\":\"about \\\"t\\\"\",\"schema\":{  \"type\": \"object\", \"properties\":{}}}],"
          "\"messages\":[{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"go\\n\""
          "}]}]}"));
    ask(&d);
    give(&d, "call_1_1", "r");
    buf_add_char(&want, '\n');
    assert_int_equal(llm_request_text(d.llm, &d.request, &want, &d.e), JOT_OK);
    Str broken = S("\"args\":{\"INVALID_JSON\":\"{x\"}");
    assert_non_null(memmem(want.p, want.n, broken.p, broken.n));
    buf_add_char(&want, '\n');
    ask(&d);
    char got[4096];
    FILE *f = fopen(d.log, "r");
    size_t n = fread(got, 1, sizeof got, f);
    fclose(f);
    assert_str(((Str){ got, n }), buf_str(&want));
    desk_done(&d);
}

static void a_schema_that_is_no_object_is_refused(void **state)
{
    Desk d;
    desk_init(&d, "- text: a\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    LlmTool tool = { S("t"), S(""), S("[]") };
    d.request.tools = &tool;
    d.request.n_tools = 1;
    say(&d, "go");
    assert_int_equal(refuse(&d), JOT_INVALID);
    assert_string_equal(d.e.text, "the schema of 't' must be one object in JSON");
    desk_done(&d);
}

static void a_request_that_is_cancelled_already_is_not_sent(void **state)
{
    Desk d;
    desk_init(&d, "- text: a\n");
    assert_int_equal(desk_open(&d, ""), JOT_OK);
    say(&d, "go");
    d.asked_cancel = 5;
    d.request.cancelled = cancel_third;
    assert_int_equal(refuse(&d), JOT_CANCELLED);
    desk_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_in_order_with_text_calls_and_stops),
        cmocka_unit_test(a_new_process_continues_with_the_right_answer),
        cmocka_unit_test(whoever_sends_no_conversation_says_where_the_script_stands),
        cmocka_unit_test(a_used_up_script_says_so),
        cmocka_unit_test(a_repeated_answer_has_fresh_ids),
        cmocka_unit_test(an_aside_answers_whatever_asks_for_it_and_does_not_count),
        cmocka_unit_test(every_kind_of_part_stop_and_usage_can_be_scripted),
        cmocka_unit_test(a_cut_or_malformed_call_is_broken),
        cmocka_unit_test(templates_are_filled_from_the_conversation),
        cmocka_unit_test(a_template_that_finds_nothing_is_refused),
        cmocka_unit_test(an_expectation_that_does_not_hold_is_an_error),
        cmocka_unit_test(errors_have_the_status_a_caller_acts_on),
        cmocka_unit_test(a_request_beyond_the_limit_overflows_until_it_is_shorter),
        cmocka_unit_test(a_hanging_model_can_be_cancelled),
        cmocka_unit_test(a_wrong_script_is_refused_with_its_line),
        cmocka_unit_test(a_missing_script_is_not_found_and_an_unknown_scheme_invalid),
        cmocka_unit_test(parts_of_one_file_are_chosen_by_name),
        cmocka_unit_test(every_request_is_logged_as_the_line_that_was_sent),
        cmocka_unit_test(a_schema_that_is_no_object_is_refused),
        cmocka_unit_test(a_request_that_is_cancelled_already_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
