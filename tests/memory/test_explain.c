/* test_explain.c - explanations: what a cycle came to, in one sentence, also of another program's.
 */
#include "memory/cycle/explain.h"

#include "memory/cycle_desk.h"

static Explanation explain(Desk *d, const Cycle *c)
{
    Cycle found;
    Explanation x;
    desk_ok(d, cycle_find(&d->m, c->agent, c->id, &d->a, &found, &d->e));
    desk_ok(d, cycle_explain(&found, &d->a, &x, &d->e));
    AUTO_PTR(json_t) json = explanation_json(&x);
    assert_non_null(json);
    AUTO_PTR(json_t) whole = cycle_json(&found);
    assert_non_null(whole);
    return x;
}

static void a_cycle_that_finished_is_explained(Desk *d)
{
    put_state(d, ME, "current_task: one\npending_actions: [two]\n");
    Cycle c = wake(d);
    step(d, &c, SAY_DONE);
    assert_int_equal(explain(d, &c).reading, READING_RUNNING);
    asleep(d, &c);
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_FINISHED);
    assert_text(x.sentence, "it finished after 1 of 5 iterations; the task was 'one' and is 'two'");
    assert_int_equal(x.diff.n, 4); /* task, pending, completed, notes */
}

static void the_limit_is_explained_by_the_tool_that_was_repeated(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, CALL_ECHO);
    result(d, &c, "x");
    for (int i = 0; i < 4; i++) {
        step(d, &c, "{\"tool\":\"shell\",\"args\":{\"command\":\"date -u\"}}");
        result(d, &c, "Thu");
    }
    asleep(d, &c);
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_LIMIT);
    assert_text(x.sentence,
                "it hit the limit of 5 iterations; 'shell' was called 4 times, 4 of them "
                "with {\"command\":\"date -u\"}");
}

static void replies_that_cannot_be_read_are_the_explanation_if_there_were_many(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, CALL_ECHO);
    result(d, &c, "x");
    for (int i = 0; i < 4; i++)
        step(d, &c, "I would call echo.");
    asleep(d, &c);
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_LIMIT);
    assert_text(x.sentence, "it hit the limit of 5 iterations; 4 of 5 replies could not be read");
    assert_has(x.hint, "the model does not answer with one JSON object that names a tool");
    assert_true(x.see_log);
    c = wake(d);
    for (int i = 0; i < 4; i++) {
        step(d, &c, CALL_ECHO);
        result(d, &c, "x");
    }
    step(d, &c, "hm");
    asleep(d, &c);
    assert_has(explain(d, &c).sentence, "'echo' was called 4 times");
    assert_int_equal(c.unreadable, 1);
}

static void a_crash_is_explained_by_its_reason(Desk *d)
{
    Cycle c = wake(d);
    crash(d, &c, "out of memory", "");
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_CRASHED);
    assert_text(x.sentence, "it crashed: out of memory; the state is what it was before");
}

static void a_cycle_that_changed_nothing_is_explained(Desk *d)
{
    Cycle c = wake(d);
    step(d, &c, "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[]}}");
    asleep(d, &c);
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_NOTHING);
    assert_int_equal(x.diff.n, 0);
    c = wake_as(d, ME, &(CycleWake){ .iterations_max = 1 });
    step(d, &c, CALL_ECHO);
    result(d, &c, "x");
    asleep(d, &c);
    assert_int_equal(explain(d, &c).reading, READING_NOTHING);
    c = wake(d);
    step(d, &c, "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[\"g\"]}}");
    asleep(d, &c);
    assert_int_equal(explain(d, &c).reading, READING_STOPPED);
}

static void a_cycle_of_another_program_is_explained_by_its_pair(Desk *d)
{
    static const struct {
        const char *after;
        Reading want;
    } rows[] = {
        { "current_task: two\ncompleted_tasks: [{task: one}]\n", READING_FINISHED },
        { "current_task: one\nnotes: \"Cycle 20260401_100137 failed: no key\"\n", READING_CRASHED },
        { "current_task: one\n", READING_NOTHING },
    };
    Cycle c = { .agent = ME };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t n;
        desk_ok(d, cycle_clean(&d->m, ME, &n, &d->e));
        c.id = arena_printf(&d->a, "20260401_10013%zu", i);
        Str before = arena_printf(&d->a, "snapshots/default/" STR_FMT "_before", STR_ARG(c.id));
        Str after = arena_printf(&d->a, "snapshots/default/" STR_FMT "_after", STR_ARG(c.id));
        desk_put(d, before.p, "current_task: one\n");
        AUTO(Buf) text = { 0 };
        buf_add(&text, str(rows[i].after));
        char *id = memmem(text.p, text.n, "20260401_100137", 15);
        if (id)
            memcpy(id, c.id.p, 15);
        buf_add_char(&text, 0);
        desk_put(d, after.p, text.p);
        assert_row(explain(d, &c).reading == rows[i].want, i, rows[i].after);
        CycleList list;
        desk_ok(d, cycle_list(&d->m, ME, &d->a, &list, &d->e));
        assert_int_equal(list.n, 1);
        static const CycleEnd ends[] = { CYCLE_DONE, CYCLE_FAILED, CYCLE_LIMIT };
        assert_row(list.items[0].end == ends[i], i, cycle_end_name(list.items[0].end));
        assert_true(list.items[0].imported);
        assert_true(list.items[0].started_ms > 0 && list.items[0].ended_ms > 0);
        assert_row((list.items[0].why.n > 0) == (i == 1), i, "why");
    }
}

/* The notes of such a cycle, as its program writes them. */
static void a_cycle_of_another_program_is_explained_by_its_entries(Desk *d)
{
    desk_put(d, "snapshots/default/20260401_100137_before",
             "current_task: one\nnotes: \"\\n[TOOL] old({}) \xE2\x86\x92 1\"\n");
    desk_put(
        d, "snapshots/default/20260401_100137_after",
        "current_task: one\nnotes: \"\\n[TOOL] old({}) \xE2\x86\x92 1\\n[TOOL] shell({'command': "
        "'date -u'}) \xE2\x86\x92 Wed\\n[TOOL] shell({'command': 'date -u'}) \xE2\x86\x92 Wed\"\n");
    Cycle c = { .agent = ME, .id = S("20260401_100137") };
    Explanation x = explain(d, &c);
    assert_int_equal(x.reading, READING_LIMIT);
    assert_text(x.sentence, "it hit its limit of iterations; 'shell' was called 2 times, 2 of them "
                            "with {'command': 'date -u'}");
    c.id = S("20260401_100138");
    desk_put(d, "snapshots/default/20260401_100138_before", "current_task: one\n");
    desk_put(
        d, "snapshots/default/20260401_100138_after",
        "current_task: one\nnotes: \"\\n[PARSE ERROR] Could not parse: x\\n[PARSE ERROR] Could "
        "not parse: y\"\n");
    x = explain(d, &c);
    assert_has(x.sentence, "2 replies could not be read");
    assert_has(x.hint, "JSON object");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_cycle_that_finished_is_explained),
        DESK_TEST(the_limit_is_explained_by_the_tool_that_was_repeated),
        DESK_TEST(replies_that_cannot_be_read_are_the_explanation_if_there_were_many),
        DESK_TEST(a_crash_is_explained_by_its_reason),
        DESK_TEST(a_cycle_that_changed_nothing_is_explained),
        DESK_TEST(a_cycle_of_another_program_is_explained_by_its_pair),
        DESK_TEST(a_cycle_of_another_program_is_explained_by_its_entries),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
