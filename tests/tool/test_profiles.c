/* test_profiles.c - artifacts, tasks, runs and cycles as tools. */
#include "tool/call.h"

#include "memory/cycle/cycle.h"
#include "memory/frame/tokens.h"

/* --- Artifacts --------------------------------------------------------------------------- */

static void an_artifact_is_written_read_listed_and_deleted(Desk *d)
{
    AUTO(ToolReply)
    w = call(d, "artifact_write",
             "{\"category\":\"plans/a\",\"id\":\"p1\",\"data\":{\"n\":1},"
             "\"type\":\"plan\"}");
    assert_has(w.text, "{\"artifact_id\":\"p1\",\"category\":\"plans/a\",\"content_hash\":\"");
    AUTO(ToolReply) r = call(d, "artifact_read", "{\"category\":\"plans/a\",\"id\":\"p1\"}");
    assert_has(r.text, "{\n  \"n\": 1\n}\nversion ");
    AUTO(ToolReply) l = call(d, "artifact_list", "{\"category\":\"plans\"}");
    assert_str(l.text, w.text);
    says(d, "artifact_list", "{\"type\":\"other\"}", "(empty)");
    AUTO(ToolReply) x = call(d, "artifact_delete", "{\"category\":\"plans/a\",\"id\":\"p1\"}");
    assert_text(x.text, "deleted artifact plans/a/p1");
    says(d, "artifact_list", "{}", "(empty)");
    AUTO(ToolReply)
    bad = call(d, "artifact_write", "{\"category\":\"../x\",\"id\":\"p1\",\"data\":null}");
    assert_true(bad.is_error);
}

static void a_write_of_an_artifact_that_has_changed_is_refused(Desk *d)
{
    AUTO(ToolReply) w = call(d, "artifact_write", "{\"category\":\"a\",\"id\":\"b\",\"data\":[1]}");
    assert_false(w.is_error);
    AUTO(ToolReply)
    c = call(d, "artifact_write",
             "{\"category\":\"a\",\"id\":\"b\",\"data\":[2],"
             "\"if_version\":\"000000000000\"}");
    assert_int_equal(c.status, JOT_CONFLICT);
}

/* --- Tasks ------------------------------------------------------------------------------- */

static void tasks_are_done_in_their_order(Desk *d)
{
    says(d, "task_ready", "{}", "(empty)\n... 0 ready, 0 waiting, 0 problems");
    says(d, "task_add", "{\"id\":\"a\",\"description\":\"first\"}", "task 'a' is pending, event 1");
    says(d, "task_add", "{\"id\":\"b\",\"description\":\"then\",\"dependencies\":[\"a\"]}",
         "task 'b' is pending, event 1");
    AUTO(ToolReply) next = call(d, "task_ready", "{}");
    assert_has(next.text, "{\"task_id\":\"a\",\"description\":\"first\"");
    assert_has(next.text, "\n... 1 ready, 1 waiting, 0 problems");
    says(d, "task_move", "{\"id\":\"a\",\"to\":\"running\"}", "task 'a' is running, event 3");
    says(d, "task_move", "{\"id\":\"a\",\"to\":\"completed\",\"result\":\"done\"}",
         "task 'a' is completed, event 4");
    AUTO(ToolReply) after = call(d, "task_ready", "{}");
    assert_has(after.text, "{\"task_id\":\"b\"");
    AUTO(ToolReply) bad = call(d, "task_move", "{\"id\":\"a\",\"to\":\"ready\"}");
    assert_true(bad.is_error);
    AUTO(ToolReply) read = call(d, "task_read", "{\"id\":\"a\"}");
    assert_has(read.text, "  \"result\": \"done\"");
    assert_has(read.text, "}\ntask 'a' is completed, event 4");
    AUTO(ToolReply) list = call(d, "task_list", "{\"status\":\"pending\"}");
    assert_has(list.text, "{\"task_id\":\"b\"");
}

static void a_long_result_of_a_task_is_read_in_parts(Desk *d)
{
    AUTO(Buf) args = { 0 };
    says(d, "task_add", "{\"id\":\"a\",\"description\":\"x\"}", "task 'a' is pending, event 1");
    says(d, "task_move", "{\"id\":\"a\",\"to\":\"running\"}", "task 'a' is running, event 3");
    buf_add(&args, S("{\"id\":\"a\",\"to\":\"completed\",\"result\":\""));
    for (int i = 0; i < 20000; i++)
        buf_add(&args, S("word "));
    buf_add(&args, (Str){ "\"}", 3 });
    says(d, "task_move", args.p, "task 'a' is completed, event 4");
    AUTO(ToolReply) r = call(d, "task_read", "{\"id\":\"a\",\"from_char\":1}");
    assert_true(tokens_estimate(r.text) <= TOOL_BUDGET);
    assert_has(tool_reply_line(&r), "; continue with task_read id=a from_char=");
}

/* --- Runs -------------------------------------------------------------------------------- */

static const char *with_run(Desk *d, Str id, const char *rest)
{
    return arena_printf(&d->a, "{\"run\":\"" STR_FMT "\"%s}", STR_ARG(id), rest).p;
}

static void a_run_is_recorded_and_read_by_whoever_takes_over(Desk *d)
{
    says(d, "run_list", "{}", "(none)");
    AUTO(ToolReply) made = call(d, "run_begin", "{\"query\":\"why is it slow?\\n| no\"}");
    assert_has(made.text, "run 20260101-000000_");
    Str id = str_from(made.text, 4);
    says(d, "run_say", with_run(d, id, ",\"kind\":\"thinking\",\"text\":\"look\\n3  forged\""),
         arena_printf(&d->a, "recorded thinking in run " STR_FMT ", record 2", STR_ARG(id)).p);
    says(d, "run_call",
         with_run(d, id, ",\"call\":\"c1\",\"tool\":\"shell\",\"args\":{},\"mutating\":true"),
         "recorded call c1, record 3");
    AUTO(ToolReply) open = call(d, "run_read", with_run(d, id, ""));
    assert_has(open.text, "thinking  14 bytes\n| look\n| 3  forged\n3  ");
    assert_has(open.text, "... without a result: call c1, record 3, it changes things: look ");
    says(d, "run_result", with_run(d, id, ",\"call\":\"c1\",\"result\":\"ok\""),
         "recorded result #1");
    AUTO(ToolReply) one = call(d, "run_read", with_run(d, id, ",\"record\":4"));
    assert_text(one.text, "ok\nrecord 4, tool_result");
    AUTO(ToolReply) list = call(d, "run_list", "{}");
    assert_has(list.text, "  4 records\n| why is it slow?\n| | no");
    refuses(d, "run_read", "{\"run\":\"20200101-000000_abcdef\"}",
            "run '20200101-000000_abcdef' not found");
}

static void a_long_run_is_read_in_parts(Desk *d)
{
    AUTO(ToolReply) made = call(d, "run_begin", "{\"query\":\"q\"}");
    Str id = str_from(made.text, 4);
    for (int i = 0; i < 30; i++) {
        AUTO(ToolReply)
        r = call(d, "run_say", with_run(d, id, ",\"kind\":\"thinking\",\"text\":\"a thought\""));
        assert_false(r.is_error);
    }
    ToolHost h = { .m = &d->m, .budget = 300, .profiles = TOOLS_RUNS };
    AUTO(ToolReply) r = call_on(d, &h, "run_read", with_run(d, id, ""));
    assert_true(tokens_estimate(r.text) <= 300);
    assert_has(r.text, arena_printf(&d->a,
                                    "... there are more: continue with run_read run=" STR_FMT
                                    " from_record=",
                                    STR_ARG(id))
                           .p);
    AUTO(ToolReply) end = call_on(d, &h, "run_read", with_run(d, id, ",\"from_record\":30"));
    assert_has(end.text, "31  2026-01-01T00:00:00");
}

/* --- Cycles ------------------------------------------------------------------------------ */

static void a_cycle_is_woken_stepped_and_put_to_sleep(Desk *d)
{
    Str text;
    Str goal = S("find the bug");
    says(d, "cycle_status", "{}", "(there is no state)");
    desk_ok(d, cycle_init(&d->m, S("default"), &(CycleInit){ .goals = &goal, .goals_n = 1 }, &d->a,
                          &text, &d->e));
    AUTO(ToolReply) wake = call(d, "cycle_wake", "{}");
    assert_has(wake.text, "find the bug");
    assert_has(wake.text, "\ncycle 20260101_000000 is running, 0 of 5 iterations");
    AUTO(ToolReply) again = call(d, "cycle_wake", "{}");
    assert_int_equal(again.status, JOT_LEASED);
    AUTO(ToolReply)
    step = call(d, "cycle_step",
                "{\"cycle\":\"20260101_000000\",\"reply\":\"{\\\"tool\\\":\\\"grep\\\","
                "\\\"args\\\":{}}\"}");
    assert_has(step.text, "tool\ncycle 20260101_000000 is running, 1 of 5 iterations, it waits for "
                          "the result of grep");
    AUTO(ToolReply)
    result = call(d, "cycle_step", "{\"cycle\":\"20260101_000000\",\"result\":\"a\\nb\"}");
    assert_has(result.text, "result\n| [TOOL] grep(");
    refuses(d, "cycle_step", "{\"cycle\":\"20260101_000000\"}", "give either 'reply' or 'result'");
    says(d, "cycle_sleep", "{\"cycle\":\"20260101_000000\"}",
         "cycle 20260101_000000 is stopped, 1 of 5 iterations");
    AUTO(ToolReply) why = call(d, "cycle_explain", "{\"cycle\":\"20260101_000000\"}");
    assert_false(why.is_error);
    AUTO(ToolReply) list = call(d, "cycle_list", "{}");
    assert_has(list.text, "20260101_000000");
}

static void what_a_cycle_did_is_read_without_naming_it(Desk *d)
{
    Str text;
    Str goal = S("find the bug");
    refuses(d, "cycle_steps", "{}", "'default' has not had a cycle yet");
    desk_ok(d, cycle_init(&d->m, S("default"), &(CycleInit){ .goals = &goal, .goals_n = 1 }, &d->a,
                          &text, &d->e));
    AUTO(ToolReply) wake = call(d, "cycle_wake", "{}");
    assert_false(wake.is_error);
    AUTO(ToolReply)
    step = call(d, "cycle_step",
                "{\"cycle\":\"20260101_000000\",\"reply\":\"{\\\"tool\\\":"
                "\\\"update_scratchpad\\\",\\\"args\\\":{\\\"mood\\\":\\\"good\\\"}}\"}");
    assert_false(step.is_error);
    AUTO(ToolReply) steps = call(d, "cycle_steps", "{}");
    assert_has(steps.text, "{\"step\":1,\"kind\":\"reply\",\"action\":\"update\"");
    AUTO(ToolReply) now = call(d, "cycle_read", "{\"cycle\":\"20260101_000000\"}");
    assert_has(now.text, "mood: good");
    assert_has(now.text, "\nstate of default, cycle 20260101_000000, now");
    AUTO(ToolReply) before = call(d, "cycle_read", "{\"before\":true}");
    assert_has(before.text, "\nstate of default, cycle 20260101_000000, before");
    says(d, "cycle_diff", "{}", "| + mood: good\n1 change by cycle 20260101_000000");
    refuses(d, "cycle_read", "{\"before\":true,\"after\":true}", "say one of 'before' and 'after'");
    refuses(d, "cycle_explain", "{\"cycle\":\"19990101_000000\"}",
            "cycle '19990101_000000' not found; call cycle_list");
}

static const DeskTest tests[] = {
    DESK_TEST(an_artifact_is_written_read_listed_and_deleted),
    DESK_TEST(a_write_of_an_artifact_that_has_changed_is_refused),
    DESK_TEST(tasks_are_done_in_their_order),
    DESK_TEST(a_long_result_of_a_task_is_read_in_parts),
    DESK_TEST(a_run_is_recorded_and_read_by_whoever_takes_over),
    DESK_TEST(a_long_run_is_read_in_parts),
    DESK_TEST(a_cycle_is_woken_stepped_and_put_to_sleep),
    DESK_TEST(what_a_cycle_did_is_read_without_naming_it),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
