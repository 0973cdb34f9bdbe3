/* test_cycle.c - cycles: the six events, ids, steps, failing, one at a time, and the first state.
 */
#include "memory/cycle/cycle.h"

#include "memory/cycle_desk.h"
#include "memory/lease.h"

/* --- The six events ---------------------------------------------------------------------- */

static void a_cycle_goes_from_wake_to_sleep(Desk *d)
{
    put_state(d, ME, by_hand);
    Cycle c = wake(d);
    assert_text(c.id, "20260101_000000");
    assert_int_equal(c.end, CYCLE_RUNNING);
    assert_int_equal(c.iterations_max, 5);
    CycleStep s = step(d, &c, "I say hi: " CALL_ECHO);
    assert_int_equal(s.action.kind, ACTION_TOOL);
    assert_true(c.waiting);
    result(d, &c, "ECHO: hi");
    assert_false(c.waiting);
    assert_text(yaml_get(c.state, S("notes"))->text,
                "[TOOL] echo({\"message\":\"hi\"}) -> ECHO: hi\n");
    step(d, &c, SAY_DONE);
    assert_true(c.done);
    d->now_ms += 5000;
    Cycle end = asleep(d, &c);
    assert_int_equal(end.end, CYCLE_DONE);
    assert_int_equal(end.iterations, 2);
    assert_text(value(d, active(d), "current_task"), "rest");
    assert_text(value(d, active(d), "mood"), "sunny");
    assert_text(value(d, active(d), "last_updated"), "2026-01-01T00:00:05.000Z");
}

static void before_is_what_the_state_was_to_the_byte(Desk *d)
{
    static const char *const texts[] = { "", "# only a comment",
                                         "notes: \"a\\r\\n\"\r\ngoals: []\r\n",
                                         "{goals: [a], notes: \"\\u2028\"}",
                                         "current_task: caf\xc3\xa9 \xf0\x9f\x98\x80\n\n\n" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        put_state(d, ME, texts[i]);
        Cycle c = wake(d);
        assert_text(c.before, texts[i]);
        assert_text(snapshot(d, &c, "before"), texts[i]);
        assert_text(active(d), texts[i]);
        Cycle end = asleep(d, &c);
        assert_text(end.before, texts[i]);
    }
}

static void after_is_the_state_without_the_new_time(Desk *d)
{
    put_state(d, ME, "current_task: t\nlast_updated: long ago\n");
    Cycle c = wake(d);
    step(d, &c, SAY_DONE);
    Cycle end = asleep(d, &c);
    assert_str(snapshot(d, &c, "after"), end.after);
    assert_text(value(d, end.after, "last_updated"), "long ago");
    Yaml *now = state(d, active(d));
    yaml_set(&d->a, now, S("last_updated"), yaml_text(&d->a, S("long ago")));
    assert_true(yaml_eq(now, state(d, end.after)));
}

static void the_next_before_is_the_state_the_last_one_left(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[\"g\"]}}");
    asleep(d, &c);
    Str left = active(d);
    Cycle next = wake(d);
    assert_str(next.before, left);
}

static void without_a_state_a_cycle_begins_with_the_empty_one(Desk *d)
{
    Cycle c = wake(d);
    assert_int_equal(yaml_get(c.state, S("goals"))->n, 0);
    assert_str(c.before, active(d));
    asleep(d, &c);
}

static void hostile_values_come_back_as_they_were(Desk *d)
{
    static const char *const values[] = {
        "no",           "null", "1e3",       "- a",
        "a: b",         "# c",  "\n\n  x\n", "trailing ",
        "\ttab",        "'\"",  "---\n...",  "\xe2\x80\xa8",
        "\x01\x1b[31m", "%TAG", "&a *b !c",  "x\n[TOOL] y() -> z",
    };
    AUTO_PTR(json_t) list = json_array();
    for (size_t i = 0; i < COUNT_OF(values); i++)
        json_array_append_new(list, json_string(values[i]));
    AUTO_PTR(json_t)
    call = json_pack("{s:s, s:{s:O, s:O}}", "tool", "update_scratchpad", "args", "pending_actions",
                     list, "odd", list);
    AUTO(Buf) reply = { 0 };
    json_write(&reply, call);
    buf_add_char(&reply, 0);
    Cycle c = wake(d);
    step(d, &c, reply.p);
    asleep(d, &c);
    c = wake(d);
    static const char *const keys[] = { "pending_actions", "odd" };
    for (size_t k = 0; k < COUNT_OF(keys); k++)
        for (size_t i = 0; i < COUNT_OF(values); i++)
            assert_text(yaml_get(c.state, str(keys[k]))->items[i]->text, values[i]);
}

/* --- Ids --------------------------------------------------------------------------------- */

static void cycles_of_one_second_have_distinct_ids_and_the_newest_is_listed_first(Desk *d)
{
    static const char *const want[] = { "20260101_000000", "20260101_000000_2",
                                        "20260101_000000_3" };
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        Cycle c = wake(d);
        assert_text(c.id, want[i]);
        asleep(d, &c);
    }
    d->now_ms -= 3600 * 1000; /* the clock is set back */
    Cycle c = wake(d);
    assert_text(c.id, "20260101_000000_4");
    asleep(d, &c);
    CycleList list;
    desk_ok(d, cycle_list(&d->m, ME, &d->a, &list, &d->e));
    assert_int_equal(list.n, 4);
    assert_text(list.items[0].id, "20260101_000000_4");
    for (size_t i = 0; i < COUNT_OF(want); i++)
        assert_text(list.items[3 - i].id, want[i]);
}

static void ids_are_not_used_again_after_a_reset_with_clean(Desk *d)
{
    uint64_t n;
    Cycle c = wake(d);
    asleep(d, &c);
    desk_ok(d, cycle_reset(&d->m, ME, S(""), S("x"), &d->a, &d->e));
    desk_ok(d, cycle_clean(&d->m, ME, &n, &d->e));
    c = wake(d);
    assert_text(c.id, "20260101_000000_2");
}

static void agents_have_cycles_of_their_own(Desk *d)
{
    put_state(d, S("zoe"), "current_task: hers\n");
    Cycle mine = wake(d), hers = wake_as(d, S("zoe"), NULL);
    assert_str(mine.id, hers.id);
    step(d, &hers, SAY_DONE);
    asleep(d, &hers);
    asleep(d, &mine);
    assert_false(holds(active(d), "hers"));
    assert_true(holds(text_of(d, "cycles/zoe"), "task: hers"));
    Cycle found;
    desk_ok(d, cycle_find(&d->m, S("zoe"), hers.id, &d->a, &found, &d->e));
    assert_int_equal(found.end, CYCLE_DONE);
}

/* --- Steps ------------------------------------------------------------------------------- */

static void a_reply_waits_for_the_result_before_it(Desk *d)
{
    CycleStep out;
    Cycle c = wake(d);
    desk_expect(d, JOT_INVALID,
                cycle_result(
                    &d->m, &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_OK, .text = S("x") },
                    &d->a, &out, &c, &d->e));
    assert_says(d, "no tool was called");
    step(d, &c, CALL_ECHO);
    desk_expect(d, JOT_INVALID,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = S("x") }, &d->a,
                           &out, &c, &d->e));
    assert_says(d, "the result of 'echo' is missing");
    desk_ok(d,
            cycle_result(
                &d->m, &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_UNKNOWN, .text = S("") },
                &d->a, &out, &c, &d->e));
    assert_text(out.said, "[UNKNOWN TOOL] echo");
}

static void after_done_or_the_limit_there_are_no_more_replies(Desk *d)
{
    CycleStep out;
    Cycle c = wake(d);
    step(d, &c, SAY_DONE);
    desk_expect(d, JOT_INVALID,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = S("x") }, &d->a,
                           &out, &c, &d->e));
    assert_says(d, "is done");
    asleep(d, &c);
    c = wake_as(d, ME, &(CycleWake){ .iterations_max = 2 });
    step(d, &c, "x");
    step(d, &c, "y");
    desk_expect(d, JOT_INVALID,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = S("x") }, &d->a,
                           &out, &c, &d->e));
    assert_says(d, "has had its 2 iterations");
    assert_int_equal(asleep(d, &c).end, CYCLE_LIMIT);
}

static void a_cycle_that_is_over_takes_no_steps(Desk *d)
{
    CycleStep out;
    Cycle c = wake(d), other;
    asleep(d, &c);
    desk_expect(d, JOT_FENCED,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = S("x") }, &d->a,
                           &out, &other, &d->e));
    assert_says(d, "has ended (stopped)");
    wake(d);
    desk_expect(d, JOT_FENCED,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = S("x") }, &d->a,
                           &out, &other, &d->e));
    desk_expect(d, JOT_NOT_FOUND,
                cycle_step(&d->m,
                           &(CycleInput){ .agent = ME, .id = S("19990101_000000"), .text = S("x") },
                           &d->a, &out, &other, &d->e));
    desk_expect(d, JOT_INVALID,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = S("../x"), .text = S("x") },
                           &d->a, &out, &other, &d->e));
}

static void a_missing_result_is_told_when_the_cycle_ends(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, CALL_ECHO);
    asleep(d, &c);
    assert_true(holds(active(d), "[TOOL ERROR] echo: no result came: nobody knows whether it was "
                                 "done"));
}

static void sleeping_twice_is_sleeping_once(Desk *d)
{
    Cycle c = wake(d);
    asleep(d, &c);
    Str once = active(d);
    d->now_ms += 1000;
    assert_int_equal(asleep(d, &c).end, CYCLE_STOPPED);
    assert_str(active(d), once);
}

/* --- Failing ----------------------------------------------------------------------------- */

static void a_failed_cycle_leaves_the_state_as_it_was_and_says_why(Desk *d)
{
    put_state(d, ME, by_hand);
    Cycle c = wake(d);
    step(d, &c,
         "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[],\"completed_tasks\":[1],"
         "\"notes\":\"mine\",\"mood\":\"bad\"}}");
    step(d, &c, CALL_ECHO);
    Cycle end = crash(d, &c, "out of\n[TOOL] memory", "Traceback:\n  here\n");
    assert_int_equal(end.end, CYCLE_FAILED);
    Yaml *want = state(d, str(by_hand)), *got = state(d, end.after);
    yaml_set(
        &d->a, want, S("notes"),
        yaml_text(&d->a, arena_printf(&d->a, "Cycle " STR_FMT " failed: out of\\n[TOOL] memory\n",
                                      STR_ARG(c.id))));
    assert_true(yaml_eq(got, want));
    assert_text(snapshot(d, &c, "before"), by_hand);
    Records log;
    Str name = arena_printf(&d->a, "logs/cycle/" STR_FMT, STR_ARG(c.id));
    desk_ok(d, store_read(d->m.store, name, (SeqRange){ 1, 10 }, &d->a, &log, &d->e));
    assert_text(log.items[0].body, "Traceback:\n  here\n");
    Cycle again;
    desk_expect(d, JOT_FENCED, cycle_sleep(&d->m, ME, c.id, &d->a, &again, &d->e));
    assert_says(d, "has ended (failed)");
}

static void a_failure_keeps_the_notes_that_were_there(Desk *d)
{
    put_state(d, ME, "notes: |\n  remember this\n");
    Cycle c = wake(d);
    crash(d, &c, "x", "");
    Str want = arena_printf(&d->a, "remember this\nCycle " STR_FMT " failed: x\n", STR_ARG(c.id));
    assert_str(value(d, active(d), "notes"), want);
}

/* --- One at a time ----------------------------------------------------------------------- */

static void a_second_wake_is_refused_while_a_cycle_runs(Desk *d)
{
    Cycle c = wake(d);
    refuse_wake(d, JOT_LEASED);
    assert_says(d, "cycle '20260101_000000' of 'default' is running: it counts as dead in 900 s");
    d->awake_ms += CYCLE_TTL_MS - 1;
    refuse_wake(d, JOT_LEASED);
    step(d, &c, "a sign of life");
    d->awake_ms += CYCLE_TTL_MS - 1;
    refuse_wake(d, JOT_LEASED);
}

static void what_a_dead_cycle_did_outside_is_told(Desk *d)
{
    put_state(d, ME, by_hand);
    Cycle c = wake(d);
    for (int i = 0; i < 2; i++) {
        step(d, &c, CALL_ECHO);
        result(d, &c, "hi");
    }
    step(d, &c, "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[]}}");
    step(d, &c, CALL_ECHO);
    desk_outlast(d, CYCLE_TTL_MS);
    Cycle next = wake(d);
    Str notes = value(d, next.before, "notes");
    assert_true(holds(notes,
                      "while 'echo' was called: nobody knows whether it was done\n"
                      "Cycle 20260101_000000 had called 'echo' (2 times): what that did is not "
                      "undone\n"));
    assert_false(holds(notes, "update_scratchpad"));
}

/* A beginning counts anew, and so does a state that was deleted. */
static void replies_are_counted_since_the_beginning(Desk *d)
{
    Cycle c = wake(d);
    assert_int_equal(c.earlier, 0);
    step(d, &c, CALL_ECHO);
    result(d, &c, "hi");
    step(d, &c, SAY_DONE);
    asleep(d, &c);
    c = wake(d);
    assert_int_equal(c.earlier, 2);
    step(d, &c, CALL_ECHO);
    desk_outlast(d, CYCLE_TTL_MS); /* those of a dead cycle count too */
    c = wake(d);
    assert_int_equal(c.earlier, 3);
    asleep(d, &c);
    desk_ok(d, cycle_reset(&d->m, ME, (Str){ 0 }, (Str){ 0 }, &d->a, &d->e));
    c = wake(d);
    assert_int_equal(c.earlier, 0);
}

static void a_cycle_without_a_sign_is_ended_by_the_next_wake(Desk *d)
{
    put_state(d, ME, by_hand);
    Cycle c = wake(d);
    step(d, &c, "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[]}}");
    step(d, &c, CALL_ECHO);
    desk_outlast(d, CYCLE_TTL_MS);
    Cycle next = wake(d), dead;
    assert_true(holds(next.notice, "cycle '20260101_000000' was ended: it was killed"));
    assert_true(holds(value(d, next.before, "notes"),
                      "Cycle 20260101_000000 failed: it was killed, or gave no sign for 900 s, "
                      "after 2 of 5 iterations, while 'echo' was called: nobody knows whether "
                      "it was done"));
    assert_int_equal(yaml_get(next.state, S("goals"))->n, 1);
    desk_ok(d, cycle_find(&d->m, ME, c.id, &d->a, &dead, &d->e));
    assert_int_equal(dead.end, CYCLE_KILLED);
    CycleStep out;
    desk_expect(
        d, JOT_FENCED,
        cycle_result(&d->m,
                     &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_OK, .text = S("late") },
                     &d->a, &out, &dead, &d->e));
    desk_expect(d, JOT_FENCED, cycle_sleep(&d->m, ME, c.id, &d->a, &dead, &d->e));
}

static void while_the_boot_cannot_be_told_no_cycle_begins_ends_or_steps(Desk *d)
{
    if (desk_on_server(d))
        return; /* no boot is asked for */
    Cycle c = wake(d);
    Str before = text_of(d, "cycles/default");
    CycleStep out;
    char was = d->boot[0];
    d->boot[0] = 0;
    refuse_wake(d, JOT_UNAVAILABLE);
    assert_says(d, "could not tell which boot of the machine this is");
    desk_expect(d, JOT_UNAVAILABLE,
                cycle_step(&d->m,
                           &(CycleInput){ .agent = c.agent, .id = c.id, .text = S(CALL_ECHO) },
                           &d->a, &out, &c, &d->e));
    d->boot[0] = was;
    assert_str(text_of(d, "cycles/default"), before);
    step(d, &c, CALL_ECHO);
    refuse_wake(d, JOT_LEASED);
}

static void a_reboot_ends_a_cycle(Desk *d)
{
    if (desk_on_server(d))
        return; /* whoever boots, the server counts */
    wake(d);
    snprintf(d->boot, sizeof d->boot, "%s", "ffffffffffffffffffffffffffffffff");
    Cycle next = wake(d);
    assert_true(next.notice.n > 0);
}

static bool say_gone(void *ctx, const Cycle *running)
{
    *(bool *)ctx = running->end == CYCLE_RUNNING && running->id.n;
    return true;
}

static void who_knows_that_the_holder_is_gone_need_not_wait(Desk *d)
{
    bool asked = false;
    wake(d);
    wake_as(d, ME, &(CycleWake){ .gone = say_gone, .ctx = &asked });
    assert_true(asked);
}

static void a_cycle_under_a_lease_is_dead_when_the_lease_is_over(Desk *d)
{
    Lease l;
    LeaseAsk ask = { .on = S("cycles/default"), .ttl_ms = 5000 };
    desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &l, &d->e));
    Cycle c = wake_as(d, ME, &(CycleWake){ .lease = l.token });
    step(d, &c, "x");
    refuse_wake(d, JOT_LEASED);
    desk_ok(d, lease_release(&d->m, l.token, &d->e));
    Cycle next = wake(d);
    assert_true(holds(next.notice, "was ended: it was killed"));
}

/* --- The state --------------------------------------------------------------------------- */

static void init_writes_the_first_state_once(Desk *d)
{
    Str goals[] = { S("first"), S("no") }, text;
    CycleInit o = { .goals = goals, .goals_n = 2 };
    desk_ok(d, cycle_init(&d->m, ME, &o, &d->a, &text, &d->e));
    assert_text(text, "goals:\n  - first\n  - \"no\"\ncurrent_task: first\npending_actions: []\n"
                      "completed_tasks: []\nnotes: \"\"\nlast_updated: null\n");
    assert_str(active(d), text);
    desk_expect(d, JOT_CONFLICT, cycle_init(&d->m, ME, &o, &d->a, &text, &d->e));
    assert_says(d, "'default' already has a state");
}

static void reset_begins_anew_with_the_bytes_of_a_template(Desk *d)
{
    Cycle c = wake(d);
    desk_expect(d, JOT_LEASED, cycle_reset(&d->m, ME, str(by_hand), S("t"), &d->a, &d->e));
    asleep(d, &c);
    desk_expect(d, JOT_INVALID, cycle_reset(&d->m, ME, S("goals: x"), S("t"), &d->a, &d->e));
    assert_says(d, "the template: 'goals' must be a list");
    desk_ok(d, cycle_reset(&d->m, ME, str(by_hand), S("t"), &d->a, &d->e));
    assert_text(active(d), by_hand);
}

static void clean_deletes_what_cycles_left_but_not_of_one_that_runs(Desk *d)
{
    Cycle failed = wake(d), hers = wake_as(d, S("zoe"), NULL), c;
    uint64_t n;
    CycleList list;
    step(d, &failed, "x");
    crash(d, &failed, "x", "trace");
    crash(d, &hers, "x", "trace");
    Cycle runs = wake(d);
    step(d, &runs, "x");
    desk_ok(d, cycle_clean(&d->m, ME, &n, &d->e));
    assert_int_equal(n, 4); /* two snapshots, the steps, the log */
    desk_ok(d, cycle_list(&d->m, ME, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    desk_expect(d, JOT_NOT_FOUND, cycle_find(&d->m, ME, failed.id, &d->a, &c, &d->e));
    desk_ok(d, cycle_find(&d->m, ME, runs.id, &d->a, &c, &d->e));
    assert_int_equal(c.iterations, 1);
    desk_ok(d, cycle_find(&d->m, S("zoe"), hers.id, &d->a, &c, &d->e));
}

static void a_name_that_is_none_is_refused(Desk *d)
{
    Cycle c;
    static const char *const bad[] = { "", "a/b", "..", "a b", "caf\xc3\xa9" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, cycle_wake(&d->m, str(bad[i]), NULL, &d->a, &c, &d->e));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_cycle_goes_from_wake_to_sleep),
        DESK_TEST(before_is_what_the_state_was_to_the_byte),
        DESK_TEST(after_is_the_state_without_the_new_time),
        DESK_TEST(the_next_before_is_the_state_the_last_one_left),
        DESK_TEST(without_a_state_a_cycle_begins_with_the_empty_one),
        DESK_TEST(hostile_values_come_back_as_they_were),
        DESK_TEST(cycles_of_one_second_have_distinct_ids_and_the_newest_is_listed_first),
        DESK_TEST(ids_are_not_used_again_after_a_reset_with_clean),
        DESK_TEST(agents_have_cycles_of_their_own),
        DESK_TEST(a_reply_waits_for_the_result_before_it),
        DESK_TEST(after_done_or_the_limit_there_are_no_more_replies),
        DESK_TEST(a_cycle_that_is_over_takes_no_steps),
        DESK_TEST(a_missing_result_is_told_when_the_cycle_ends),
        DESK_TEST(sleeping_twice_is_sleeping_once),
        DESK_TEST(a_failed_cycle_leaves_the_state_as_it_was_and_says_why),
        DESK_TEST(a_failure_keeps_the_notes_that_were_there),
        DESK_TEST(a_second_wake_is_refused_while_a_cycle_runs),
        DESK_TEST(a_cycle_without_a_sign_is_ended_by_the_next_wake),
        DESK_TEST(what_a_dead_cycle_did_outside_is_told),
        DESK_TEST(replies_are_counted_since_the_beginning),
        DESK_TEST(while_the_boot_cannot_be_told_no_cycle_begins_ends_or_steps),
        DESK_TEST(a_reboot_ends_a_cycle),
        DESK_TEST(who_knows_that_the_holder_is_gone_need_not_wait),
        DESK_TEST(a_cycle_under_a_lease_is_dead_when_the_lease_is_over),
        DESK_TEST(init_writes_the_first_state_once),
        DESK_TEST(reset_begins_anew_with_the_bytes_of_a_template),
        DESK_TEST(clean_deletes_what_cycles_left_but_not_of_one_that_runs),
        DESK_TEST(a_name_that_is_none_is_refused),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
