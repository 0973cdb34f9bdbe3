/* test_run_issue.c - runs as doors use them: limits that a run keeps, calls with what there is to
 * say about them, a call and its result in one. */
#include "memory/run_desk.h"

static Str warned(Desk *d, Run *r, UsageLimits asked, const char *query)
{
    AUTO_PTR(json_t) args = json_pack("{s:s}", "query", query);
    AUTO(Buf) text = { 0 };
    json_write(&text, args);
    return run_warnings(r, asked, S("search"), buf_str(&text), &d->a).limit;
}

/* --- Limits -------------------------------------------------------------------------------- */

static void a_run_keeps_its_limits_for_everybody_and_over_folds(Desk *d)
{
    AUTO(Run) r = { 0 };
    AUTO(Run) later = { 0 };
    RunBegin begin = { .limits = { .calls = 40, .similar = 50 } };
    desk_ok(d, run_begin(&d->m, &begin, S("q"), &r, &d->e));
    for (unsigned i = 0; i < 2 * RUN_FOLD_EVERY; i++)
        desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    desk_ok(d, run_open(&d->m, str(r.id), &later, &d->e));
    UsageLimits own = run_limits(&later, (UsageLimits){ 0 });
    assert_int_equal(own.calls, 40);
    assert_int_equal(own.similar, 50);
    UsageLimits asked = run_limits(&later, (UsageLimits){ .calls = 2 });
    assert_int_equal(asked.calls, 2);
    assert_int_equal(asked.similar, 50);
    assert_str(state_text(d, &later.state), from_scratch(d, &later));
}

static void a_run_without_limits_has_the_usual_ones(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    UsageLimits own = run_limits(&r, (UsageLimits){ 0 });
    assert_int_equal(own.calls, USAGE_LIMIT);
    assert_int_equal(own.similar, USAGE_SIMILAR);
}

static void limits_that_are_none_are_refused(Desk *d)
{
    Run r;
    RunBegin begin = { .limits = { .similar = 101 } };
    desk_expect(d, JOT_INVALID, run_begin(&d->m, &begin, S("q"), &r, &d->e));
    assert_says(d, "a similarity of 101 per cent: use 1 to 100");
    begin.limits = (UsageLimits){ .calls = UINT64_MAX };
    desk_expect(d, JOT_INVALID, run_begin(&d->m, &begin, S("q"), &r, &d->e));
}

static void what_is_similar_is_for_the_run_to_say(Desk *d)
{
    AUTO(Run) r = { 0 };
    RunBegin begin = { .limits = { .calls = 9, .similar = 30 } };
    desk_ok(d, run_begin(&d->m, &begin, S("q"), &r, &d->e));
    call_as(d, &r, "c1", "search", "{\"query\":\"apples pears plums\"}");
    assert_true(warned(d, &r, (UsageLimits){ 0 }, "apples cherries").n == 0); /* 1 of 4 */
    assert_true(warned(d, &r, (UsageLimits){ .similar = 25 }, "apples cherries").n > 0);
    assert_true(warned(d, &r, (UsageLimits){ 0 }, "apples pears cherries").n > 0); /* 2 of 4 */
    assert_true(warned(d, &r, (UsageLimits){ .similar = 70 }, "apples pears cherries").n == 0);
}

/* --- Calls --------------------------------------------------------------------------------- */

static void a_call_is_issued_with_the_warnings_before_it(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    RunCalled called;
    RunCall c = { .tool = S("search"), .args = S("{\"query\":\"apples and pears\"}") };
    desk_ok(d, run_issue(&r, &c, &d->a, &called, &d->e));
    assert_true(str_starts(called.call, S("call_")));
    assert_int_equal(called.seq, 2);
    assert_int_equal(called.warnings.limit.n, 0);
    Str first = called.call;
    desk_ok(d, run_issue(&r, &c, &d->a, &called, &d->e));
    assert_false(str_eq(called.call, first));
    assert_has(called.warnings.limit, "very similar to a previous 'search' call");
    desk_ok(d, run_issue(&r, &c, &d->a, &called, &d->e));
    assert_has(called.warnings.loop, "3 times in a row");
    desk_ok(d, run_issue(&r, &c, &d->a, &called, &d->e));
    assert_has(called.warnings.limit, "has been called 3 times (suggested limit: 3)");
}

static void a_finished_call_is_recorded_with_its_result(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    RunCalled called;
    uint64_t n;
    RunFinish f = { .call = { .tool = S("search"), .args = S("{\"q\":1}") },
                    .ok = true,
                    .result = S("a\0b") };
    desk_ok(d, run_finish(&r, &f, &d->a, &called, &n, &d->e));
    assert_int_equal(n, 1);
    f.ok = false;
    desk_ok(d, run_finish(&r, &f, &d->a, &called, &n, &d->e));
    assert_int_equal(n, 2);
    assert_int_equal(r.state.open_n, 0);
    Results list;
    desk_ok(d, run_results(&r, 1, 0, &d->a, &list, &d->e));
    assert_str(list.items[0].result, S("a\0b"));
    assert_text(list.items[0].args, "{\"q\":1}");
    assert_true(list.items[0].ok && !list.items[1].ok);
}

static void a_finished_call_that_was_begun_gets_its_result_only(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    RunCalled called;
    uint64_t n;
    RunFinish f = { .call = { .call = S("c1"), .tool = S("search") }, .ok = true };
    call_as(d, &r, "c1", "search", "");
    desk_ok(d, run_finish(&r, &f, &d->a, &called, &n, &d->e));
    assert_int_equal(called.seq, 2);
    assert_int_equal(n, 1);
    call_as(d, &r, "c2", "search", "");
    f.call.call = S("c2");
    f.call.tool = S("fetch");
    desk_expect(d, JOT_CONFLICT, run_finish(&r, &f, &d->a, &called, &n, &d->e));
    assert_int_equal(r.state.results, 1);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_run_keeps_its_limits_for_everybody_and_over_folds),
        DESK_TEST(a_run_without_limits_has_the_usual_ones),
        DESK_TEST(limits_that_are_none_are_refused),
        DESK_TEST(what_is_similar_is_for_the_run_to_say),
        DESK_TEST(a_call_is_issued_with_the_warnings_before_it),
        DESK_TEST(a_finished_call_is_recorded_with_its_result),
        DESK_TEST(a_finished_call_that_was_begun_gets_its_result_only),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
