/* test_usage.c - what is said about calls: the exact words, and when. */
#include "memory/run/usage.h"

#include "unit/unit.h"

static const UsageLimits usual; /* nobody asked for others */

static void call(Usage *u, Arena *a, const char *tool, const char *args)
{
    usage_take_call(u, a, 1, str(tool), str(args));
}

static Str about(const Usage *u, Arena *a, const char *tool, const char *args)
{
    return usage_check(u, usual, str(tool), str(args), a).limit;
}

static void nothing_is_said_about_a_first_call(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    UsageWarnings w = usage_check(&u, usual, S("search"), S("{\"query\":\"apple shares\"}"), &a);
    assert_int_equal(w.limit.n + w.loop.n, 0);
}

static void the_last_call_within_the_limit_is_told_of(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    call(&u, &a, "search", "{\"a\":1}");
    call(&u, &a, "search", "{\"a\":2}");
    assert_str(about(&u, &a, "search", "{\"a\":3}"),
               S("You are approaching the suggested limit for 'search' (3/3). If this doesn't "
                 "return the needed data, consider trying a different approach."));
    assert_int_equal(about(&u, &a, "other", "{}").n, 0);
}

static void a_call_beyond_the_limit_is_told_of(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    for (int i = 0; i < 4; i++)
        call(&u, &a, "search", "{}");
    assert_str(about(&u, &a, "search", "{}"),
               S("Tool 'search' has been called 4 times (suggested limit: 3). If previous calls "
                 "didn't return the needed data, consider: (1) trying a different tool, (2) using "
                 "different search terms, or (3) proceeding with what you have and noting any data "
                 "gaps to the user."));
    assert_int_equal(
        usage_check(&u, (UsageLimits){ .calls = 6 }, S("search"), S("{\"a\":1}"), &a).limit.n, 0);
}

static void a_similar_query_of_the_same_tool_is_told_of(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    call(&u, &a, "search", "{\"limit\":3,\"query\":\"How many Shares did Apple buy in 2023?\"}");
    assert_str(about(&u, &a, "search", "{\"query\":\"how many shares, did apple buy 2023\"}"),
               S("This query is very similar to a previous 'search' call. You have 2 attempt(s) "
                 "before reaching the suggested limit. If the tool isn't returning useful results, "
                 "consider: (1) trying a different tool, (2) using different search terms, or (3) "
                 "acknowledging the data limitation to the user."));
    assert_int_equal(about(&u, &a, "fetch", "{\"query\":\"how many shares did apple buy\"}").n, 0);
}

static void similar_begins_at_seven_words_in_ten(void **state)
{
    (void)state;
    static const struct {
        const char *before, *now;
        bool similar;
    } rows[] = {
        { "one two six ten", "one two six ten", true },
        { "aaa bbb ccc ddd eee fff ggg hhh iii jjj", "aaa bbb ccc ddd eee fff ggg", true },
        { "aaa bbb ccc ddd eee fff ggg hhh iii jjj", "aaa bbb ccc ddd eee fff", false },
        { "of to in", "of to in", false },                 /* no word is longer than two letters */
        { "aaa bbb of", "aaa bbb to", true },              /* short words do not count */
        { "aaa aaa aaa bbb", "aaa bbb", true },            /* neither do repeats */
        { "AAA_bbb", "aaa bbb", false },                   /* an underscore is a letter */
        { "\xC3\xBC\xC3\xBC", "\xC3\xBC\xC3\xBC", false }, /* letters are counted, not bytes */
        { "\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97", "\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97", true },
        { "", "", false },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Arena) a = { 0 };
        Usage u = { 0 };
        AUTO_PTR(json_t) before = json_pack("{s:s}", "q", rows[i].before);
        AUTO_PTR(json_t) now = json_pack("{s:s}", "text", rows[i].now);
        AUTO(Buf) one = { 0 };
        AUTO(Buf) two = { 0 };
        json_write(&one, before);
        json_write(&two, now);
        usage_take_call(&u, &a, 1, S("t"), buf_str(&one));
        assert_row(
            (usage_check(&u, (UsageLimits){ .calls = 9 }, S("t"), buf_str(&two), &a).limit.n > 0) ==
                rows[i].similar,
            i, rows[i].before);
    }
}

static void how_similar_is_for_the_caller_to_say(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    call(&u, &a, "t", "{\"q\":\"aaa bbb ccc ddd\"}");
    Str half = S("{\"q\":\"aaa bbb ccc eee fff\"}"); /* 3 of 6 */
    assert_int_equal(usage_check(&u, usual, S("t"), half, &a).limit.n, 0);
    assert_int_equal(usage_check(&u, (UsageLimits){ .similar = 51 }, S("t"), half, &a).limit.n, 0);
    assert_int_not_equal(usage_check(&u, (UsageLimits){ .similar = 50 }, S("t"), half, &a).limit.n,
                         0);
}

static void beyond_the_limit_a_warning_is_news_when_the_calls_have_doubled(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    AUTO(Buf) news = { 0 };
    Usage u = { 0 };
    for (int i = 0; i < 30; i++) {
        AUTO(Buf) args = { 0 };
        buf_addf(&args, "{\"i\":%d}", i);
        UsageWarnings w = usage_check(&u, usual, S("t"), buf_str(&args), &a);
        assert_int_equal(w.limit.n > 0, i >= 2);
        if (w.limit.n && !w.again)
            buf_addf(&news, "%d ", i);
        usage_take_call(&u, &a, 1, S("t"), buf_str(&args));
    }
    assert_str(buf_str(&news), S("2 3 6 12 24 "));
}

static void the_query_is_the_first_string_among_the_known_arguments(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    call(&u, &a, "t", "{\"input\":\"other words\",\"query\":5,\"search\":\"alpha beta gamma\"}");
    assert_int_not_equal(about(&u, &a, "t", "{\"question\":\"alpha beta gamma\"}").n, 0);
    assert_int_equal(about(&u, &a, "t", "{\"url\":\"alpha beta gamma\"}").n, 0);
}

static void the_third_equal_call_in_a_row_is_a_loop(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    Usage u = { 0 };
    Str args = S("{\"b\":{\"x\":1,\"y\":[2]},\"a\":null}");
    call(&u, &a, "t", "{\"a\":null, \"b\":{\"y\":[2],\"x\":1}}");
    assert_int_equal(usage_check(&u, usual, S("t"), args, &a).loop.n, 0);
    usage_take_call(&u, &a, 2, S("t"), args);
    assert_str(usage_check(&u, usual, S("t"), args, &a).loop,
               S("tool-call loop detected: 't' with the same arguments, 3 times in a row"));
    assert_int_equal(usage_check(&u, usual, S("u"), args, &a).loop.n, 0);
    assert_int_equal(usage_check(&u, usual, S("t"), S("{}"), &a).loop.n, 0);
    call(&u, &a, "t", "{}");
    assert_int_equal(usage_check(&u, usual, S("t"), args, &a).loop.n, 0);
}

static void the_block_for_the_prompt_counts_each_tool(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    Usage u = { 0 };
    usage_add_block(&text, &u, usual);
    assert_int_equal(text.n, 0);
    call(&u, &a, "search", "{}");
    for (int i = 0; i < 3; i++)
        call(&u, &a, "fetch", "{}");
    usage_add_block(&text, &u, usual);
    assert_str(
        buf_str(&text),
        S("## Tool Usage This Query\n\n- search: 1/3 calls\n- fetch: 3 calls (over suggested "
          "limit of 3)\n\nNote: If a tool isn't returning useful results after several "
          "attempts, consider trying a different tool/approach."));
}

static void only_hashes_of_words_are_kept(void **state)
{
    (void)state;
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    Usage u = { 0 }, back;
    call(&u, &a, "search", "{\"query\":\"swordfish password\"}");
    usage_take_result(&u, S("search"), false);
    AUTO_PTR(json_t) value = usage_json(&u);
    json_write(&text, value);
    assert_null(memmem(text.p, text.n, "swordfish", 9));
    JsonCursor c = { .text = buf_str(&text) };
    usage_read(&c, &a, &back);
    assert_true(json_cursor_done(&c));
    assert_int_not_equal(about(&back, &a, "search", "{\"query\":\"swordfish password\"}").n, 0);
    assert_int_equal(usage_find(&back, S("search"))->errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_about_a_first_call),
        cmocka_unit_test(the_last_call_within_the_limit_is_told_of),
        cmocka_unit_test(a_call_beyond_the_limit_is_told_of),
        cmocka_unit_test(a_similar_query_of_the_same_tool_is_told_of),
        cmocka_unit_test(how_similar_is_for_the_caller_to_say),
        cmocka_unit_test(beyond_the_limit_a_warning_is_news_when_the_calls_have_doubled),
        cmocka_unit_test(similar_begins_at_seven_words_in_ten),
        cmocka_unit_test(the_query_is_the_first_string_among_the_known_arguments),
        cmocka_unit_test(the_third_equal_call_in_a_row_is_a_loop),
        cmocka_unit_test(the_block_for_the_prompt_counts_each_tool),
        cmocka_unit_test(only_hashes_of_words_are_kept),
    };
    return cmocka_run_group_tests_name("usage", tests, NULL, NULL);
}
