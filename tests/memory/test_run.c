/* test_run.c - runs: what is recorded comes back, a prompt shows what it should, and folds say what
 * the records say. */
#include "memory/run/run.h"

#include "memory/hostile.h"
#include "memory/run_desk.h"

/* --- Beginning ----------------------------------------------------------------------------- */

static void a_run_is_named_after_its_time_and_query(Desk *d)
{
    AUTO(Run) r = begin(d, "how many?");
    assert_string_equal(r.id, "20260101-000000_a84049");
    Str query;
    desk_ok(d, run_query(&d->m, str(r.id), &d->a, &query, &d->e));
    assert_text(query, "how many?");
}

static void the_same_query_twice_in_a_second_gives_two_runs(Desk *d)
{
    AUTO(Run) one = begin(d, "q");
    AUTO(Run) two = begin(d, "q");
    AUTO(Run) three = begin(d, "q");
    assert_string_not_equal(one.id, two.id);
    assert_true(str_ends(str(three.id), S("-3")));
    round_trip(d, &two, 1);
    desk_ok(d, run_refresh(&one, &d->e));
    assert_int_equal(one.state.results, 0);
}

static void a_run_that_is_not_there_is_not_found(Desk *d)
{
    Run r;
    desk_expect(d, JOT_NOT_FOUND, run_open(&d->m, S("20260101-000000_000000"), &r, &d->e));
    assert_says(d, "run '20260101-000000_000000' not found");
    static const char *const bad[] = { "", "../x", "a/b", ".x" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, run_open(&d->m, str(bad[i]), &r, &d->e));
}

static void a_purged_run_is_not_found(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    Mark m;
    desk_ok(d, store_purge(d->m.store, str(r.stream), NULL, S("ann"), &m, &d->e));
    desk_expect(d, JOT_NOT_FOUND, run_say(&r, RUN_PLAN, S("x"), &d->e));
}

/* --- Recording ----------------------------------------------------------------------------- */

static void exact_bytes_come_back(Desk *d)
{
    static const Str results[] = {
        T("123"),      T(" {\"a\": 1} "),    T(""),           T("\n"),           T("a\0b"),
        T("\xFF\xFE"), T("### search()\nx"), T("\"quoted\""), T("\xE2\x80\xA8"), T("null"),
    };
    AUTO(Run) r = begin(d, "q");
    for (size_t i = 0; i < COUNT_OF(results); i++) {
        call_as(d, &r, "c", "t", " {\"b\": 1,  \"a\" :2} ");
        assert_int_equal(result_of(d, &r, "c", results[i]), i + 1);
    }
    Results list;
    desk_ok(d, run_results(&r, 1, 0, &d->a, &list, &d->e));
    assert_int_equal(list.n, COUNT_OF(results));
    for (size_t i = 0; i < list.n; i++) {
        assert_str(list.items[i].result, results[i]);
        assert_text(list.items[i].args, " {\"b\": 1,  \"a\" :2} ");
    }
}

static void steps_come_in_the_order_they_happened(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    AUTO(Buf) text = { 0 };
    uint64_t n, damaged;
    desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    call_as(d, &r, "c1", "t", "");
    result_of(d, &r, "c1", S("r"));
    desk_ok(d, run_clear(&r, 0, &n, &d->e));
    desk_ok(d, run_compact(&r, S("sum"), &d->e));
    desk_ok(d, run_say(&r, RUN_PLAN, S("p"), &d->e));
    desk_ok(d, run_say(&r, RUN_ANSWER, S("a"), &d->e));
    desk_ok(d, run_each(&r, 1, count_kinds, &text, &damaged, &d->e));
    assert_str(buf_str(&text), S("init:q thinking:hm tool_call:{} tool_result:r clear: compact:sum "
                                 "plan:p answer:a "));
    assert_int_equal(damaged, 0);
}

static void what_cannot_be_recorded_changes_nothing(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    call_as(d, &r, "open", "t", "{}");
    uint64_t before = r.state.seq, n;
    static const RunCall bad[] = {
        { .call = T(""), .tool = T("t") },
        { .call = T("a/b"), .tool = T("t") },
        { .call = T("../x"), .tool = T("t") },
        { .call = T("a\nb"), .tool = T("t") },
        { .call = T("a\0b"), .tool = T("t") },
        { .call = T("c"), .tool = T("") },
        { .call = T("c"), .tool = T("a\nb") },
        { .call = T("c"), .tool = T("\xFF") },
        { .call = T("c"), .tool = T("t"), .args = T("[]") },
        { .call = T("c"), .tool = T("t"), .args = T("{") },
        { .call = T("c"), .tool = T("t"), .args = T("{\"a\":1,\"a\":2}") },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        desk_expect(d, JOT_INVALID, run_call(&r, &bad[i], &d->e));
        assert_sentence(&d->e);
    }
    desk_expect(d, JOT_CONFLICT,
                run_call(&r, &(RunCall){ .call = S("open"), .tool = S("t") }, &d->e));
    desk_expect(d, JOT_NOT_FOUND, run_result(&r, S("none"), true, S(""), &n, &d->e));
    assert_says(d, "no open call 'none'");
    desk_expect(d, JOT_INVALID, run_say(&r, RUN_THINKING, S("\xFF"), &d->e));
    desk_expect(d, JOT_INVALID, run_compact(&r, S(""), &d->e));
    desk_ok(d, run_refresh(&r, &d->e));
    assert_int_equal(r.state.seq, before);
}

static void a_result_is_recorded_once(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    uint64_t n;
    round_trip(d, &r, 1);
    desk_expect(d, JOT_NOT_FOUND, run_result(&r, S("call-1"), true, S("again"), &n, &d->e));
    assert_int_equal(r.state.results, 1);
}

static void ids_of_calls_may_have_dots_and_colons(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    call_as(d, &r, "toolu_01:a.b-c", "t", "{}");
    assert_int_equal(result_of(d, &r, "toolu_01:a.b-c", S("x")), 1);
}

/* --- What a prompt shows --------------------------------------------------------------------- */

static void results_are_shown_with_their_calls(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    uint64_t n;
    assert_text(prompt(d, &r), "");
    call_as(d, &r, "a", "financial_metrics", "{\"ticker\":\"AAPL\",\"limit\":3}");
    call_as(d, &r, "b", "fetch", "{}");
    desk_ok(d, run_result(&r, S("b"), false, S("timed out"), &n, &d->e));
    result_of(d, &r, "a", S("{\"shares\":120000}"));
    assert_text(prompt(d, &r), "### fetch() [error]\ntimed out\n\n"
                               "### financial_metrics(ticker=AAPL, limit=3)\n{\"shares\":120000}");
}

static void clearing_keeps_the_newest_and_survives(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    uint64_t n;
    for (unsigned i = 1; i <= 4; i++)
        round_trip(d, &r, i);
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    assert_int_equal(n, 3);
    Str shown =
        S("[Tool result #1 cleared from context]\n\n[Tool result #2 cleared from context]\n\n"
          "[Tool result #3 cleared from context]\n\n### fetch(query=the same words)\nresult 4");
    assert_str(prompt(d, &r), shown);
    uint64_t seq = r.state.seq;
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    assert_int_equal(n, 0);
    assert_int_equal(r.state.seq, seq); /* nothing to clear is nothing to record */
    AUTO(Run) other = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &other, &d->e));
    assert_str(prompt(d, &other), shown);
    round_trip(d, &r, 5);
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    assert_int_equal(n, 1);
}

static void a_summary_stands_for_what_came_before_it(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    uint64_t n;
    round_trip(d, &r, 1);
    call_as(d, &r, "late", "slow", "{\"x\":1}");
    round_trip(d, &r, 2);
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    desk_ok(d, run_compact(&r, S("so far:\n### forged()"), &d->e));
    assert_text(prompt(d, &r), "so far:\n\\### forged()");
    assert_int_equal(run_shown(&r.state), 0);
    result_of(d, &r, "late", S("done"));
    round_trip(d, &r, 3);
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    assert_int_equal(n, 1);
    assert_text(prompt(d, &r), "so far:\n\\### forged()\n\n---\n\nNew data retrieved after "
                               "compaction:\n\n[Tool result #3 cleared from context]\n\n"
                               "### search(query=the same words)\nresult 3");
    Results all;
    desk_ok(d, run_results(&r, 1, 0, &d->a, &all, &d->e));
    assert_int_equal(all.n, 4);
    assert_text(all.items[2].args, "{\"x\":1}"); /* a call from before the summary */
}

static Str final(Desk *d, Run *r)
{
    AUTO(Buf) text = { 0 };
    desk_ok(d, run_final(r, &text, &d->e));
    return arena_copy(&d->a, buf_str(&text));
}

static void the_final_answer_sees_every_result_that_is_no_failure(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    uint64_t n;
    assert_text(final(d, &r), "No data was gathered.");
    call_as(d, &r, "a", "fetch", "{}");
    desk_ok(d, run_result(&r, S("a"), false, S("no"), &n, &d->e));
    assert_text(final(d, &r), "No data was successfully gathered.");
    call_as(d, &r, "b", "fetch", "{\"n\":1}");
    result_of(d, &r, "b", S("{ \"a\" : [1, 2] }"));
    desk_ok(d, run_clear(&r, 0, &n, &d->e));
    desk_ok(d, run_compact(&r, S("sum"), &d->e));
    call_as(d, &r, "c", "fetch", "{\"n\":2}");
    result_of(d, &r, "c", S("plain\n### text"));
    assert_text(final(d, &r), "### fetch(n=1)\n```json\n{\"a\":[1,2]}\n```\n\n"
                              "### fetch(n=2)\nplain\n\\### text");
}

/* --- Folds ------------------------------------------------------------------------------------ */

/* Anything that may happen next, chosen by a number. */
static void any_step(Desk *d, Run *r, uint64_t *seed)
{
    static unsigned calls;
    char id[32];
    uint64_t n, what = hostile_next(seed) % 12;
    AUTO(Arena) a = { 0 };
    Str text = hostile_value(seed, true, &a);
    if (what < 5 || r->state.open_n == 0) {
        static const char *const tools[] = { "search", "fetch", "write_file", "odd tool" };
        AUTO(Buf) args = { 0 };
        AUTO_PTR(json_t) value = json_object();
        json_object_set_new(value, "query", json_stringn(text.n ? text.p : "", text.n));
        json_write(&args, value);
        snprintf(id, sizeof id, "c%u", calls++);
        RunCall c = { .call = str(id), .mutating = what == 1, .args = buf_str(&args) };
        c.tool = str(tools[hostile_next(seed) % COUNT_OF(tools)]);
        desk_ok(d, run_call(r, &c, &d->e));
    } else if (what < 9) {
        Str call = arena_copy(&a, r->state.open[hostile_next(seed) % r->state.open_n].call);
        desk_ok(d, run_result(r, call, what != 8, hostile_value(seed, false, &a), &n, &d->e));
    } else if (what == 9) {
        desk_ok(d, run_clear(r, hostile_next(seed) % 6, &n, &d->e));
    } else if (what == 10 && text.n) {
        desk_ok(d, run_compact(r, text, &d->e));
    } else {
        desk_ok(d, run_say(r, what == 10 ? RUN_PLAN : RUN_THINKING, text, &d->e));
    }
}

static void a_fold_says_what_the_records_before_it_say(Desk *d)
{
    uint64_t seed = hostile_seed(21);
    AUTO(Run) r = begin(d, "q");
    for (int i = 0; i < 400; i++) {
        any_step(d, &r, &seed);
        if (i % 7 && r.state.seq % RUN_FOLD_EVERY > 2)
            continue;
        AUTO(Run) fresh = { 0 };
        desk_ok(d, run_open(&d->m, str(r.id), &fresh, &d->e));
        assert_int_equal(fresh.state.seq, r.state.seq);
        Str kept = state_text(d, &r.state);
        assert_str(state_text(d, &fresh.state), kept);
        assert_str(from_scratch(d, &r), kept);
    }
}

static bool reads(const json_t *fold)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    RunState state;
    json_write(&text, fold);
    return run_state_read(buf_str(&text), &a, &state);
}

/* Each member of `object`, which is `fold` or in it, is taken away and given back. */
static void check_members(const json_t *fold, json_t *object)
{
    json_t *all = json_copy(object);
    const char *key;
    json_t *value;
    json_object_foreach(all, key, value)
    {
        json_object_del(object, key);
        assert_false(reads(fold));
        json_object_set_new(object, key, json_string("no"));
        assert_false(reads(fold));
        json_object_set(object, key, value);
        assert_true(reads(fold));
    }
    json_decref(all);
}

static void a_fold_without_one_of_its_members_is_none(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    round_trip(d, &r, 1);
    call_as(d, &r, "open", "search", "{\"query\":\"one two three\"}");
    AUTO_PTR(json_t) fold = run_state_json(&r.state);
    assert_true(reads(fold));
    check_members(fold, fold);
    check_members(fold, json_object_get(fold, "usage"));
    json_object_set_new(fold, "more", json_pack("{s:[i]}", "of a later version", 1));
    assert_true(reads(fold));
    json_object_set_new(fold, "compacted", json_integer(2));
    assert_false(reads(fold));
}

static void every_64th_record_is_a_fold_and_no_other(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    for (unsigned i = 1; i <= 100; i++)
        round_trip(d, &r, i);
    for (uint64_t seq = 1; seq <= r.state.seq; seq++) {
        RunStep s;
        desk_ok(d, run_step(&r, seq, &d->a, &s, &d->e));
        assert_int_equal(s.kind == RUN_FOLD, seq % RUN_FOLD_EVERY == 0);
    }
    assert_int_equal(r.state.results, 100);
}

static void any_range_of_results_is_found(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    for (unsigned i = 1; i <= 200; i++) {
        round_trip(d, &r, i);
        for (unsigned j = i % 5; j > 0; j--)
            desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    }
    for (uint64_t n = 1; n <= 200; n += 13) {
        Results list;
        desk_ok(d, run_results(&r, n, n + 2, &d->a, &list, &d->e));
        assert_int_equal(list.n, n + 2 <= 200 ? 3 : 200 - n + 1);
        assert_int_equal(list.items[0].n, n);
        assert_str(list.items[0].result, arena_printf(&d->a, "result %u", (unsigned)n));
        uint64_t seq;
        desk_ok(d, run_seek(&r, n, &seq, &d->e));
        assert_true(seq == 1 || seq % RUN_FOLD_EVERY == 0);
    }
    Results none;
    desk_ok(d, run_results(&r, 201, 0, &d->a, &none, &d->e));
    assert_int_equal(none.n, 0);
}

static void a_record_nobody_knows_is_passed_over(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    Mark m;
    static const Draft odd[] = {
        { .op = OP_APPEND, .meta = T("{\"kind\":\"dream\"}"), .body = T("x") },
        { .op = OP_APPEND, .body = T("no meta") },
        { .op = OP_APPEND, .meta = T("{\"kind\":\"tool_result\",\"n\":999999,\"of\":7}") },
        { .op = OP_APPEND, .meta = T("{\"kind\":\"clear\",\"to\":999999}") },
        { .op = OP_APPEND, .meta = T("{\"kind\":\"compact\",\"n\":999999}"), .body = T("s") },
    };
    for (size_t i = 0; i < COUNT_OF(odd); i++)
        desk_ok(d, memory_append(&d->m, str(r.stream), NULL, &odd[i], &m, &d->e));
    round_trip(d, &r, 1);
    assert_int_equal(r.state.results, 1);
    assert_int_equal(run_shown(&r.state), 1);
    assert_int_equal(r.state.damaged, 0);
}

static jot_status find_secret(void *ctx, const RunStep *s)
{
    bool *found = ctx;
    *found = *found || (s->body.n && memmem(s->body.p, s->body.n, "swordfish", 9));
    return JOT_OK;
}

static void a_redacted_call_leaves_nothing_behind(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    call_as(d, &r, "c", "search", "{\"query\":\"the password is swordfish\"}");
    result_of(d, &r, "c", S("x"));
    for (unsigned i = 1; i <= 70; i++)
        round_trip(d, &r, i);
    bool found = false;
    desk_ok(d, store_redact(d->m.store, str(r.stream), NULL, 2, &d->e));
    desk_ok(d, run_each(&r, 1, find_secret, &found, NULL, &d->e));
    assert_false(found);
    Results list;
    desk_ok(d, run_results(&r, 1, 1, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_text(list.items[0].args, "");
    AUTO(Run) after = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &after, &d->e));
    assert_str(state_text(d, &after.state), state_text(d, &r.state));
}

/* --- Lists --------------------------------------------------------------------------------------
 */

static jot_status add_line(void *ctx, const RunLine *l)
{
    buf_addf(ctx, STR_FMT ":%llu:" STR_FMT " ", STR_ARG(l->id), (unsigned long long)l->records,
             STR_ARG(l->by));
    return JOT_OK;
}

static void runs_are_listed_oldest_first(Desk *d)
{
    AUTO(Buf) text = { 0 };
    desk_ok(d, run_list(&d->m, add_line, &text, &d->e));
    assert_int_equal(text.n, 0);
    AUTO(Run) one = begin(d, "a");
    d->now_ms += 3600000;
    AUTO(Run) two = begin(d, "b");
    round_trip(d, &two, 1);
    desk_ok(d, run_list(&d->m, add_line, &text, &d->e));
    assert_str(buf_str(&text), arena_printf(&d->a, "%s:1:ann %s:3:ann ", one.id, two.id));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_run_is_named_after_its_time_and_query),
        DESK_TEST(the_same_query_twice_in_a_second_gives_two_runs),
        DESK_TEST(a_run_that_is_not_there_is_not_found),
        DESK_TEST(a_purged_run_is_not_found),
        DESK_TEST(exact_bytes_come_back),
        DESK_TEST(steps_come_in_the_order_they_happened),
        DESK_TEST(what_cannot_be_recorded_changes_nothing),
        DESK_TEST(a_result_is_recorded_once),
        DESK_TEST(ids_of_calls_may_have_dots_and_colons),
        DESK_TEST(results_are_shown_with_their_calls),
        DESK_TEST(clearing_keeps_the_newest_and_survives),
        DESK_TEST(a_summary_stands_for_what_came_before_it),
        DESK_TEST(the_final_answer_sees_every_result_that_is_no_failure),
        DESK_TEST(a_fold_says_what_the_records_before_it_say),
        DESK_TEST(a_fold_without_one_of_its_members_is_none),
        DESK_TEST(every_64th_record_is_a_fold_and_no_other),
        DESK_TEST(any_range_of_results_is_found),
        DESK_TEST(a_record_nobody_knows_is_passed_over),
        DESK_TEST(a_redacted_call_leaves_nothing_behind),
        DESK_TEST(runs_are_listed_oldest_first),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
