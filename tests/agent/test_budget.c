/* test_budget.c - how full a context is: sums, colours, the provider's count as a floor. */
#include "agent/budget.h"

#include "unit/unit.h"

static Budget of(uint64_t window, uint64_t headroom, uint64_t history, uint64_t missed)
{
    Budget b = { .window = window, .headroom = headroom, .history = history, .missed = missed };
    budget_add_up(&b);
    return b;
}

static void colours_change_at_sixty_and_eighty_per_cent(void **state)
{
    (void)state;
    static const struct {
        uint64_t used;
        BudgetState want;
    } rows[] = {
        { 0, BUDGET_GREEN }, { 599, BUDGET_GREEN }, { 600, BUDGET_YELLOW }, { 799, BUDGET_YELLOW },
        { 800, BUDGET_RED }, { 1000, BUDGET_RED },  { 5000, BUDGET_RED },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_row(of(1100, 100, rows[i].used, 0).state == rows[i].want, i, "colour");
}

static void a_border_that_is_no_whole_number_is_not_rounded_down(void **state)
{
    (void)state;
    /* 0.8 of 1001 is 800.8. */
    assert_int_equal(of(1001, 0, 800, 0).state, BUDGET_YELLOW);
    assert_int_equal(of(1001, 0, 801, 0).state, BUDGET_RED);
}

static void what_the_estimate_missed_is_added(void **state)
{
    (void)state;
    assert_int_equal(of(1100, 100, 500, 400).used, 900);
    assert_int_equal(of(1100, 100, 500, 400).state, BUDGET_RED);
    assert_int_equal(of(1100, 100, 700, 0).used, 700);
}

static void a_window_without_room_is_red(void **state)
{
    (void)state;
    assert_int_equal(of(100, 100, 1, 0).state, BUDGET_RED);
    assert_int_equal(of(100, 200, 0, 0).state, BUDGET_RED);
}

static void headroom_is_a_quarter_of_a_small_window(void **state)
{
    (void)state;
    assert_int_equal(budget_headroom(200 * 1000), 4096);
    assert_int_equal(budget_headroom(4000), 1000);
}

static void a_reply_has_its_own_limit(void **state)
{
    (void)state;
    LlmLimits nothing = { 0 }, claude = { 16384, 64000, false }, gpt = { .unlimited = true };
    assert_int_equal(budget_reply(&nothing, 32 * 1000), 8000);
    assert_int_equal(budget_reply(&nothing, 400 * 1000), BUDGET_REPLY);
    assert_int_equal(budget_reply(&claude, 200 * 1000), 16384);
    assert_int_equal(budget_reply(&gpt, 400 * 1000), 0);
}

static void a_limit_is_raised_as_far_as_the_model_goes(void **state)
{
    (void)state;
    static const struct {
        LlmLimits known;
        uint64_t window;
        uint32_t from, to; /* equal: it cannot be raised */
    } rows[] = {
        { { 0 }, 32 * 1000, 4096, 16000 },
        { { 0 }, 200 * 1000, 4096, 16384 },
        { { 0 }, 32 * 1000, 16000, 16000 },
        { { 16384, 64000, false }, 200 * 1000, 16384, 64000 },
        { { 4096, 4096, false }, 200 * 1000, 4096, 4096 },
        { { .unlimited = true }, 400 * 1000, 4096, 0 },
        { { .unlimited = true }, 400 * 1000, 0, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t limit = rows[i].from;
        bool raised = budget_raise(&rows[i].known, rows[i].window, &limit);
        assert_row(limit == rows[i].to && raised == (rows[i].from != rows[i].to), i, "limit");
    }
}

static RunStep step(uint64_t seq, RunKind kind, const char *body)
{
    return (RunStep){ .seq = seq, .kind = kind, .body = str(body) };
}

/* One turn with a call of a tool of the pad and one of another. */
static void fill(Transcript *t)
{
    LlmTool tool = { S("shell"), S("Run a command."), S("{\"type\":\"object\"}") };
    Setup setup = {
        .system = S("Follow the rules."), .tools = &tool, .tools_n = 1, .window = 9000
    };
    AUTO(Buf) body = { 0 };
    setup_write(&setup, &body);
    RunStep s = step(1, RUN_INIT, "what is it?");
    transcript_take(t, &s);
    s = (RunStep){ .seq = 2, .kind = RUN_SETUP, .body = buf_str(&body) };
    transcript_take(t, &s);
    s = step(
        3, RUN_REPLY,
        "{\"stop\":\"calls\",\"usage\":{\"input\":70,\"cache_read\":20,\"output\":5},\"parts\":["
        "{\"call\":\"a\",\"name\":\"scratchpad_read\",\"args\":\"{\\\"key\\\":\\\"plan\\\"}\"},"
        "{\"call\":\"b\",\"name\":\"shell\",\"args\":\"{}\"}]}");
    transcript_take(t, &s);
    static const char *const calls[] = { ".r1c1", ".r1c2" };
    for (uint64_t i = 0; i < 2; i++) {
        s = (RunStep){
            .seq = 4 + i, .kind = RUN_RESULT, .call = str(calls[i]), .ok = true, .n = i + 1
        };
        s.body = S("some words that came back");
        transcript_take(t, &s);
    }
}

static void each_part_is_counted_where_it_belongs(void **state)
{
    (void)state;
    AUTO(Transcript) t = { 0 };
    fill(&t);
    Budget b = budget_measure(&t);
    assert_true(b.system > 0 && b.tools > 0 && b.history > 0);
    assert_true(b.retrieved >= BUDGET_PER_RESULT + 5 && b.retrieved < 20);
    assert_int_equal(b.reported, 90);
    assert_true(b.missed > 0 && b.missed < 90);
    assert_int_equal(b.used, budget_estimate(&b) + b.missed);
    assert_int_equal(t.spent, 95);
}

static void what_has_become_shorter_is_taken_off_the_provider_s_count(void **state)
{
    (void)state;
    AUTO(Transcript) t = { 0 };
    fill(&t);
    AUTO(Buf) words = { 0 };
    for (int i = 0; i < 200; i++)
        buf_add(&words, S("word "));
    t.turns[0].calls[1].result = buf_str(&words);
    Budget before = budget_measure(&t);
    RunStep s = { .seq = 6, .kind = RUN_CLEAR, .from = 1, .to = 2 };
    transcript_take(&t, &s);
    Budget after = budget_measure(&t);
    assert_true(budget_estimate(&after) < budget_estimate(&before));
    assert_int_equal(after.missed, before.missed);
    assert_int_equal(before.used - after.used, budget_estimate(&before) - budget_estimate(&after));
}

static void a_snapshot_says_all_of_it(void **state)
{
    (void)state;
    Budget b = of(1100, 100, 850, 0);
    AUTO_PTR(json_t) value = budget_json(&b);
    assert_int_equal(json_integer_value(json_object_get(value, "used")), 850);
    assert_str(json_str(json_object_get(value, "state")), S("red"));
    assert_int_equal(json_object_size(value), 12);
    assert_int_equal(budget_percent(&b), 85);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_change_at_sixty_and_eighty_per_cent),
        cmocka_unit_test(a_border_that_is_no_whole_number_is_not_rounded_down),
        cmocka_unit_test(what_the_estimate_missed_is_added),
        cmocka_unit_test(a_window_without_room_is_red),
        cmocka_unit_test(headroom_is_a_quarter_of_a_small_window),
        cmocka_unit_test(a_reply_has_its_own_limit),
        cmocka_unit_test(a_limit_is_raised_as_far_as_the_model_goes),
        cmocka_unit_test(each_part_is_counted_where_it_belongs),
        cmocka_unit_test(what_has_become_shorter_is_taken_off_the_provider_s_count),
        cmocka_unit_test(a_snapshot_says_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
