/* test_run_tools.c - runs as tools: what a model learns from recording its calls, and what it gets
 * back of them. */
#include "tool/call.h"

#include "memory/frame/tokens.h"

typedef struct Recorded {
    Desk *d;
    Str id;
} Recorded;

static Recorded begin(Desk *d, const char *args)
{
    AUTO(ToolReply) r = call(d, "run_begin", args);
    assert_false(r.is_error);
    assert_has(r.text, "run ");
    return (Recorded){ d, arena_copy(&d->a, str_from(r.text, 4)) };
}

static ToolReply on(Recorded *r, const char *tool, const char *rest)
{
    Str args = arena_printf(&r->d->a, "{\"run\":\"" STR_FMT "\"%s}", STR_ARG(r->id), rest);
    return call(r->d, tool, args.p);
}

static void answers(Recorded *r, const char *tool, const char *rest, const char *want)
{
    AUTO(ToolReply) x = on(r, tool, rest);
    assert_text(x.text, want);
    assert_false(x.is_error);
}

#define LIMIT_WARNING                                                                          \
    "warning: Tool 'search' has been called 3 times (suggested limit: 3). If previous calls "  \
    "didn't return the needed data, consider: (1) trying a different tool, (2) using "         \
    "different search terms, or (3) proceeding with what you have and noting any data gaps to" \
    " the user."
#define LOOP_WARNING(n) \
    "\nwarning: tool-call loop detected: 'search' with the same arguments, " n " times in a row"

/* Four equal calls in a row, as in the origin: nothing, similar, similar and a loop, too often. */
static void a_call_is_answered_with_the_warnings_of_the_origin(Desk *d)
{
    Recorded r = begin(d, "{\"query\":\"q\"}");
#define SEARCH ",\"tool\":\"search\",\"args\":{\"query\":\"apple shares\"},\"call\":"
    answers(&r, "run_call", SEARCH "\"c1\"", "recorded call c1, record 2");
    AUTO(ToolReply) two = on(&r, "run_call", SEARCH "\"c2\"");
    assert_has(two.text, "recorded call c2, record 3\nwarning: This query is very similar to a "
                         "previous 'search' call. You have 2 attempt(s) before");
    AUTO(ToolReply) three = on(&r, "run_call", SEARCH "\"c3\"");
    assert_has(three.text, "You have 1 attempt(s)");
    assert_has(three.text, LOOP_WARNING("3"));
    answers(&r, "run_call", SEARCH "\"c4\"",
            "recorded call c4, record 5\n" LIMIT_WARNING LOOP_WARNING("4"));
    AUTO(ToolReply) again = on(&r, "run_call", SEARCH "\"c4\"");
    assert_int_equal(again.status, JOT_CONFLICT);
    AUTO(ToolReply) none = on(&r, "run_call", SEARCH "\"\"");
    assert_text(none.text, "'call' cannot be empty");
}

static void the_limits_of_a_run_are_set_when_it_begins(Desk *d)
{
    Recorded r = begin(d, "{\"query\":\"q\",\"limit\":2,\"similarity\":100}");
    AUTO(ToolReply)
    one = on(&r, "run_finish",
             ",\"tool\":\"t\",\"args\":{\"q\":\"apples pears\"},"
             "\"result\":\"\"");
    assert_false(one.is_error);
    AUTO(ToolReply)
    two = on(&r, "run_call", ",\"tool\":\"t\",\"args\":{\"q\":\"apples pears figs\"}");
    assert_has(two.text, "\nwarning: You are approaching the suggested limit for 't' (2/2).");
    AUTO(ToolReply) usage = on(&r, "run_usage", "");
    assert_has(usage.text,
               "## Tool Usage This Query\n\n- t: 2 calls (over suggested limit of 2)\n");
    AUTO(ToolReply)
    asked = on(&r, "run_usage",
               ",\"limit\":9,\"similarity\":50,\"tool\":\"t\","
               "\"args\":{\"q\":\"apples pears\"}");
    assert_has(asked.text, "- t: 2/9 calls\n");
    assert_has(asked.text,
               "\nwarning: This query is very similar to a previous 't' call. You have 7 "
               "attempt(s)");
    AUTO(ToolReply) bad = call(d, "run_begin", "{\"query\":\"q\",\"similarity\":101}");
    assert_text(bad.text, "'similarity' is 101: use 1 to 100");
}

static void a_call_that_is_over_is_recorded_in_one_step(Desk *d)
{
    Recorded r = begin(d, "{\"query\":\"q\"}");
    answers(&r, "run_finish",
            ",\"tool\":\"fetch\",\"args\":{\"url\":\"x\"},\"result\":\"a\\nb\",\"call\":\"c1\"",
            "recorded call c1 and its result #1");
    AUTO(ToolReply)
    made_up = on(&r, "run_finish", ",\"tool\":\"fetch\",\"result\":\"no\",\"failed\":true");
    assert_has(made_up.text, "recorded call call_");
    assert_has(made_up.text, " and its result #2");
    answers(&r, "run_results", "",
            "### fetch(url=x)\na\nb\n\n### fetch() [error]\nno\n2 of 2 results in full");
    answers(
        &r, "run_final", "",
        arena_printf(&d->a, "### fetch(url=x)\na\nb\nwhat run " STR_FMT " found", STR_ARG(r.id)).p);
}

static void results_are_cleared_and_summed_up_and_stay(Desk *d)
{
    Recorded r = begin(d, "{\"query\":\"q\"}");
    answers(&r, "run_usage", "", "no tool was called yet");
    for (int i = 1; i <= 5; i++) {
        Str rest =
            arena_printf(&d->a, ",\"tool\":\"t\",\"args\":{\"i\":%d},\"result\":\"r%d\"", i, i);
        AUTO(ToolReply) x = on(&r, "run_finish", rest.p);
        assert_false(x.is_error);
    }
    AUTO(ToolReply) cleared = on(&r, "run_clear", ",\"keep\":2");
    assert_text(cleared.text, "cleared 3, kept 2");
    AUTO(Buf) event = { 0 };
    json_write(&event, cleared.data);
    assert_text(buf_str(&event), arena_printf(&d->a,
                                              "{\"event\":\"context_cleared\",\"run\":\"" STR_FMT
                                              "\",\"cleared\":3,\"kept\":2}",
                                              STR_ARG(r.id))
                                     .p);
    AUTO(ToolReply) shown = on(&r, "run_results", "");
    assert_has(shown.text,
               "[Tool result #3 cleared from context]\n\n### t(i=4)\nr4\n\n### t(i=5)\nr5");
    assert_text(tool_reply_line(&shown), "2 of 5 results in full, 3 cleared");
    answers(&r, "run_results", ",\"from\":2,\"to\":3",
            "### t(i=2)\nr2\n\n### t(i=3)\nr3\n2 of 5 results in full");
    answers(&r, "run_compact", ",\"text\":\"it is known\"",
            "the summary stands for 5 results from now on");
    answers(&r, "run_results", "", "it is known\n0 of 5 results in full, 5 summed up");
    AUTO(ToolReply) all = on(&r, "run_final", "");
    assert_has(all.text, "### t(i=1)\nr1\n\n### t(i=2)");
    AUTO(ToolReply) bad = on(&r, "run_results", ",\"from\":3,\"to\":2");
    assert_text(bad.text, "'from' 3 is after 'to' 2");
    AUTO(ToolReply) empty = on(&r, "run_compact", ",\"text\":\"\"");
    assert_true(empty.is_error);
}

static void long_results_are_read_on_with_the_call_that_is_named(Desk *d)
{
    Recorded r = begin(d, "{\"query\":\"q\"}");
    AUTO(Buf) rest = { 0 };
    buf_add(&rest, S(",\"tool\":\"t\",\"result\":\""));
    for (int i = 0; i < 3000; i++)
        buf_add(&rest, S("a line of it\\n"));
    buf_add(&rest, (Str){ "\"", 2 });
    AUTO(ToolReply) put = on(&r, "run_finish", rest.p);
    assert_false(put.is_error);
    AUTO(ToolReply) steps = on(&r, "run_read", "");
    assert_has(
        steps.text,
        arena_printf(&d->a, "\n... all of a step: run_read run=" STR_FMT " record=3", STR_ARG(r.id))
            .p);
    AUTO(ToolReply) part = on(&r, "run_results", ",\"from\":1");
    assert_true(tokens_estimate(part.text) <= TOOL_BUDGET);
    assert_has(tool_reply_line(&part),
               arena_printf(&d->a, "; continue with run_results run=" STR_FMT " from=1 from_line=",
                            STR_ARG(r.id))
                   .p);
}

static const DeskTest tests[] = {
    DESK_TEST(a_call_is_answered_with_the_warnings_of_the_origin),
    DESK_TEST(the_limits_of_a_run_are_set_when_it_begins),
    DESK_TEST(a_call_that_is_over_is_recorded_in_one_step),
    DESK_TEST(results_are_cleared_and_summed_up_and_stay),
    DESK_TEST(long_results_are_read_on_with_the_call_that_is_named),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
