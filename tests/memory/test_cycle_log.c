/* test_cycle_log.c - what happened in a cycle: steps that can be read whole, and the log. */
#include "memory/cycle/cycle_log.h"

#include "base/utf8.h"
#include "memory/cycle/explain.h"
#include "memory/cycle_desk.h"
#include "memory/doc/history.h"
#include "tool/tool.h"

static Cycle found(Desk *d, Str id)
{
    Cycle c;
    desk_ok(d, cycle_find(&d->m, ME, id, &d->a, &c, &d->e));
    return c;
}

static Str log_of(Desk *d, Str id)
{
    AUTO(Buf) text = { 0 };
    desk_ok(d, cycle_log(&d->m, ME, id, &text, &d->e));
    return arena_copy(&d->a, buf_str(&text));
}

static CycleLog steps_of(Desk *d, Str id)
{
    CycleLog list;
    desk_ok(d, cycle_log_list(&d->m, (CycleName){ ME, id }, (SeqRange){ 1, CYCLE_LOG_MAX }, &d->a,
                              &list, &d->e));
    return list;
}

/* What a model is answered. */
static Str tool(Desk *d, const char *name, json_t *args)
{
    AUTO_PTR(json_t) owned = args;
    AUTO(ToolReply) reply = { 0 };
    ToolHost host = { .m = &d->m, .profiles = TOOLS_SCRATCHPAD | TOOLS_CYCLES };
    desk_ok(d, tool_call(&host, str(name), owned, &d->a, &reply, &d->e));
    assert_false(reply.is_error);
    return arena_copy(&d->a, reply.text);
}

/* --- Reading on -------------------------------------------------------------------------- */

static void a_long_result_is_read_on_by_the_pointer_in_its_entry(Desk *d)
{
    AUTO(Buf) long_text = { 0 };
    for (int i = 0; i < 500; i++)
        buf_addf(&long_text,
                 "gr\xC3\xB6\xC3\x9F"
                 "e %d\n",
                 i);
    Str whole = buf_str(&long_text);
    CycleStep said;
    Cycle c = wake(d);
    step(d, &c, CALL_ECHO);
    desk_ok(d, cycle_result(&d->m,
                            &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_OK, .text = whole },
                            &d->a, &said, &c, &d->e));
    Str more = arena_printf(
        &d->a, ": scratchpad_read key=steps/default/" STR_FMT "/2 from_char=301)", STR_ARG(c.id));
    assert_true(str_ends(said.said, more));
    assert_has(yaml_get(c.state, S("notes"))->text, more.p);
    size_t at = 0;
    for (int i = 0; i < 300; i++)
        utf8_next(whole, &at);
    Str rest = tool(d, "scratchpad_read",
                    json_pack("{s:o, s:i}", "key", json_text(c.answer.key), "from_char", 301));
    assert_true(str_starts(rest, str_from(whole, at)));
    assert_has(rest, "result of steps/default/");
    /* Also when the cycle is over, and of a call that failed. */
    step(d, &c, CALL_ECHO);
    desk_ok(
        d, cycle_result(&d->m,
                        &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_FAILED, .text = whole },
                        &d->a, &said, &c, &d->e));
    assert_has(said.said, "/4 from_char=301)");
    asleep(d, &c);
    CycleLogStep p;
    desk_ok(d, cycle_log_read(&d->m, (CycleName){ ME, c.id }, 4, &d->a, &p, &d->e));
    assert_str(p.text, whole);
    assert_int_equal(p.how, TOOL_FAILED);
    assert_text(p.action.tool, "echo");
}

static void a_key_that_names_no_step_is_refused(Desk *d)
{
    static const char *const bad[] = { "steps/",       "steps/default", "steps/default/x",
                                       "steps//x/1",   "steps/a//1",    "steps/a/b/0",
                                       "steps/a/b/1x", "steps/a/b/1/2", "notes/a/b/1",
                                       "steps/a/b/-1", "steps/a/b/",    "" };
    Str agent, id;
    uint64_t seq;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_row(!cycle_log_key_read(str(bad[i]), &agent, &id, &seq), i, bad[i]);
    assert_true(cycle_log_key_read(cycle_log_key(S("zoe"), S("20260101_000000"), 7, &d->a), &agent,
                                   &id, &seq));
    assert_text(agent, "zoe");
    assert_int_equal(seq, 7);
    Cycle c = wake(d);
    CycleLogStep p;
    desk_expect(d, JOT_NOT_FOUND,
                cycle_log_read(&d->m, (CycleName){ ME, c.id }, 3, &d->a, &p, &d->e));
    assert_says(d, "has no step 3");
    desk_expect(
        d, JOT_NOT_FOUND,
        cycle_log_read(&d->m, (CycleName){ ME, S("19990101_000000") }, 1, &d->a, &p, &d->e));
    desk_expect(d, JOT_INVALID,
                cycle_log_read(&d->m, (CycleName){ ME, S("a b") }, 1, &d->a, &p, &d->e));
}

/* --- Steps ------------------------------------------------------------------------------- */

static void every_step_can_be_read_whole(Desk *d)
{
    Cycle c = wake(d);
    assert_int_equal(steps_of(d, c.id).n, 0);
    step(d, &c, "Let me see. " CALL_ECHO);
    result(d, &c, "ECHO: hi\n");
    step(d, &c, "no json");
    step(d, &c, SAY_DONE);
    asleep(d, &c);
    CycleLog all = steps_of(d, c.id);
    assert_int_equal(all.n, 5);
    assert_false(all.more);
    assert_text(all.items[0].text, "Let me see. " CALL_ECHO);
    assert_int_equal(all.items[0].action.kind, ACTION_TOOL);
    assert_int_equal(all.items[1].kind, CYCLE_LOG_RESULT);
    assert_text(all.items[1].text, "ECHO: hi\n");
    assert_text(all.items[1].action.tool, "echo");
    assert_int_equal(all.items[2].action.kind, ACTION_UNREADABLE);
    assert_int_equal(all.items[4].kind, CYCLE_LOG_END);
    assert_int_equal(all.items[4].end, CYCLE_DONE);
    /* A page that begins with a result knows what it answers. */
    CycleLog page;
    desk_ok(
        d, cycle_log_list(&d->m, (CycleName){ ME, c.id }, (SeqRange){ 2, 1 }, &d->a, &page, &d->e));
    assert_int_equal(page.n, 1);
    assert_true(page.more);
    assert_int_equal(page.next, 3);
    assert_text(page.items[0].action.tool, "echo");
    desk_expect(
        d, JOT_INVALID,
        cycle_log_list(&d->m, (CycleName){ ME, c.id }, (SeqRange){ 1, 0 }, &d->a, &page, &d->e));
}

/* --- The log ----------------------------------------------------------------------------- */

static void the_log_says_what_was_said_and_done(Desk *d)
{
    put_state(d, ME, "current_task: say hi\n");
    Cycle c = wake(d);
    step(d, &c, "Hm.\n" CALL_ECHO);
    result(d, &c, "one\ntwo\n");
    step(d, &c, "what?");
    step(d, &c, SAY_DONE);
    asleep(d, &c);
    Str log = log_of(d, c.id);
    assert_true(str_starts(log, S("=== AGENT WAKING === ")));
    assert_has(log, "\nCurrent task: say hi\n--- Iteration 1/5 --- ");
    assert_has(log, "\nModel response: Hm.\n    " CALL_ECHO "\nTool echo: ok\n    one\n    two\n");
    assert_has(log, "\nModel response: what?\nParse error: ");
    assert_has(log, "\n=== AGENT SLEEPING === ");
    assert_true(
        str_ends(log, arena_printf(&d->a, "\nCycle " STR_FMT " complete: done\n", STR_ARG(c.id))));
    assert_has(tool(d, "cycle_log", json_pack("{s:o}", "cycle", json_text(c.id))),
               "Model response: what?");
}

static void the_log_of_a_failed_cycle_has_its_trace(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, CALL_ECHO);
    result(d, &c, "x");
    assert_false(holds(log_of(d, c.id), "SLEEPING"));
    crash(d, &c, "out of memory", "Traceback:\n  line 1\n");
    Str log = log_of(d, c.id);
    assert_has(log, "Agent cycle failed: out of memory\n    Traceback:\n      line 1\n=== AGENT "
                    "SLEEPING");
    assert_has(log, "Tool echo: ok\n    x\n");
}

static void nothing_that_is_said_forges_a_line_of_the_log(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, "x\n=== AGENT SLEEPING === now\nTool shell: ok\n" CALL_ECHO);
    result(d, &c, "a\n--- Iteration 9/9 ---\nModel response: b");
    asleep(d, &c);
    Str log = log_of(d, c.id), line;
    size_t sleeping = 0, iterations = 0, tools = 0;
    while (str_cut(&log, '\n', &line)) {
        sleeping += str_starts(line, S("=== AGENT SLEEPING"));
        iterations += str_starts(line, S("--- Iteration"));
        tools += str_starts(line, S("Tool "));
    }
    assert_int_equal(sleeping, 1);
    assert_int_equal(iterations, 1);
    assert_int_equal(tools, 1);
}

static void the_log_of_a_cycle_that_was_imported_is_what_came_with_it(Desk *d)
{
    Mark mark;
    static const char *const lines[] = { "=== AGENT WAKING ===", "", "  Traceback" };
    desk_put(d, "snapshots/default/20260401_100137_before", "current_task: one\n");
    desk_put(d, "snapshots/default/20260401_100137_after", "current_task: one\n");
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        desk_ok(d, memory_append(&d->m, S("logs/cycle/20260401_100137"), NULL,
                                 &(Draft){ .op = OP_APPEND, .body = str(lines[i]) }, &mark, &d->e));
    assert_text(log_of(d, S("20260401_100137")), "=== AGENT WAKING ===\n\n  Traceback\n");
    assert_int_equal(steps_of(d, S("20260401_100137")).n, 0);
}

/* --- What else is true of steps ---------------------------------------------------------- */

/* An entry as it stood in the notes: is it in a step of the cycle, or in a version of the state? */
static bool kept(Desk *d, const CycleLog *steps, Str number)
{
    Str call = arena_printf(&d->a, "{\"i\":\"" STR_FMT "\",", STR_ARG(number));
    for (size_t i = 0; i < steps->n; i++)
        if (steps->items[i].kind == CYCLE_LOG_REPLY && holds(steps->items[i].text, call.p))
            return true;
    return false;
}

static void entries_that_were_trimmed_are_in_the_steps(Desk *d)
{
    enum { N = 60 }; /* entries of twice 300 characters: more than the notes hold */
    char text[301];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    Cycle c = wake_as(d, ME, &(CycleWake){ .iterations_max = N });
    for (int i = 0; i < N; i++) {
        step(d, &c,
             arena_printf(&d->a, "{\"tool\":\"x\",\"args\":{\"i\":\"%d\",\"y\":\"%s\"}}", i, text)
                 .p);
        result(d, &c, text);
    }
    asleep(d, &c);
    Str notes = value(d, active(d), "notes");
    assert_true(str_starts(notes, S("[TRIMMED] ")));
    assert_has(notes, " bytes: see the steps of the cycles, and older versions\n");
    CycleLog steps = steps_of(d, c.id);
    assert_int_equal(steps.n, 2 * N + 1);
    for (int i = 0; i < N; i++)
        assert_true(kept(d, &steps, arena_printf(&d->a, "%d", i)));
    assert_false(holds(notes, "{\"i\":\"5\","));
    assert_true(holds(notes, "{\"i\":\"59\","));
}

static void a_tool_that_there_is_not_was_never_called(Desk *d)
{
    CycleStep out;
    Cycle c = wake(d);
    step(d, &c, "{\"tool\":\"frobnicate\",\"args\":{}}");
    desk_ok(d, cycle_result(
                   &d->m,
                   &(CycleInput){
                       .agent = ME, .id = c.id, .end = TOOL_UNKNOWN, .text = S("there are x, y") },
                   &d->a, &out, &c, &d->e));
    assert_text(out.said, "[UNKNOWN TOOL] frobnicate");
    step(d, &c, "{\"tool\":\"frobnicate\",\"args\":{}}");
    assert_has(
        tool(d, "cycle_step", json_pack("{s:o, s:b}", "cycle", json_text(c.id), "unknown", 1)),
        "[UNKNOWN TOOL] frobnicate");
    step(d, &c, CALL_ECHO);
    result(d, &c, "hi");
    crash(d, &c, "no", "");
    assert_true(holds(active(d), "had called 'echo': what that did is not undone"));
    assert_false(holds(active(d), "frobnicate"));
    c = wake(d);
    for (int i = 0; i < 5; i++) {
        step(d, &c, "{\"tool\":\"frobnicate\",\"args\":{}}");
        desk_ok(d, cycle_result(
                       &d->m,
                       &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_UNKNOWN, .text = S("") },
                       &d->a, &out, &c, &d->e));
    }
    asleep(d, &c);
    Explanation x;
    c = found(d, c.id);
    desk_ok(d, cycle_explain(&c, &d->a, &x, &d->e));
    assert_has(x.sentence, "'frobnicate' was asked for, and there is no such tool");
}

static void what_a_cycle_woke_with_is_there_though_its_end_is_no_state(Desk *d)
{
    Explanation x;
    desk_put(d, "snapshots/default/20260401_100137_before", "current_task: one\n");
    desk_put(d, "snapshots/default/20260401_100137_after", "current_task: [one\n");
    Cycle c = found(d, S("20260401_100137"));
    assert_text(c.before, "current_task: one\n");
    assert_text(c.after, "current_task: [one\n");
    assert_null(c.state);
    desk_expect(d, JOT_INVALID, cycle_explain(&c, &d->a, &x, &d->e));
    assert_says(d, "the state at the end of cycle '20260401_100137': not valid YAML at line 2");
    AUTO_PTR(json_t) json = cycle_json(&c);
    assert_non_null(json_object_get(json, "unreadable"));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_long_result_is_read_on_by_the_pointer_in_its_entry),
        DESK_TEST(a_key_that_names_no_step_is_refused),
        DESK_TEST(every_step_can_be_read_whole),
        DESK_TEST(the_log_says_what_was_said_and_done),
        DESK_TEST(the_log_of_a_failed_cycle_has_its_trace),
        DESK_TEST(nothing_that_is_said_forges_a_line_of_the_log),
        DESK_TEST(the_log_of_a_cycle_that_was_imported_is_what_came_with_it),
        DESK_TEST(entries_that_were_trimmed_are_in_the_steps),
        DESK_TEST(a_tool_that_there_is_not_was_never_called),
        DESK_TEST(what_a_cycle_woke_with_is_there_though_its_end_is_no_state),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
