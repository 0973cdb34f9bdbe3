/* test_cycle.c - cycles through jotter.h. */
#include "api/caller.h"

/* Begin a cycle; its id is copied to `id`. */
static void wake(Caller *c, char id[40])
{
    const jot_cycle *cycle;
    ok(c->pad, jot_cycle_wake(c->pad, NULL, NULL, &cycle));
    assert_int_equal(cycle->end, JOT_CYCLE_RUNNING);
    assert_int_equal(cycle->iterations_max, 5);
    snprintf(id, 40, "%s", cycle->id);
}

static void init(Caller *c)
{
    static const char *const goals[] = { "learn", "teach" };
    jot_cycle_options o = { 0 };
    const jot_text *text;
    o.size = sizeof o;
    o.goals = goals;
    o.goals_count = 2;
    ok(c->pad, jot_cycle_init(c->pad, NULL, &o, &text));
    assert_says(text->data, "learn");
    expect(c->pad, JOT_CONFLICT, jot_cycle_init(c->pad, NULL, &o, &text));
}

static void a_cycle_wakes_steps_and_sleeps(Caller *c)
{
    char id[40];
    const jot_cycle_stepped *s;
    const jot_cycle *cycle;
    const jot_doc *d;
    const char *json;
    const jot_cycles *list;
    init(c);
    wake(c, id);
    expect(c->pad, JOT_LEASED, jot_cycle_wake(c->pad, NULL, NULL, &cycle));
    ok(c->pad, jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY,
                              jot_str("{\"tool\":\"search\",\"args\":{\"q\":\"x\"}}"), &s));
    assert_int_equal(s->action, JOT_ACTION_TOOL);
    assert_string_equal(s->tool, "search");
    assert_true(s->cycle->waiting);
    expect(c->pad, JOT_INVALID,
           jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY, jot_str("again"), &s));
    ok(c->pad, jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_RESULT, jot_str("found"), &s));
    assert_false(s->cycle->waiting);
    assert_true(s->said.size > 0);
    ok(c->pad, jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY,
                              jot_str("{\"tool\":\"done\",\"args\":{\"summary\":\"ok\"}}"), &s));
    assert_int_equal(s->action, JOT_ACTION_DONE);
    ok(c->pad, jot_cycle_sleep(c->pad, NULL, id, &cycle));
    assert_int_equal(cycle->end, JOT_CYCLE_DONE);
    assert_int_equal(cycle->iterations, 2);
    assert_says(cycle->before.data, "learn");
    assert_true(cycle->after.size > cycle->before.size);
    ok(c->pad, jot_doc_read(c->pad, "cycles/default", NULL, &d));
    assert_says(d->text.data, "found");
    ok(c->pad, jot_cycle_explain_json(c->pad, NULL, NULL, &json));
    assert_says(json, "\"finished\"");
    ok(c->pad, jot_cycle_list(c->pad, NULL, &list));
    assert_int_equal(list->count, 1);
    assert_string_equal(list->items[0]->id, id);
    assert_int_equal(list->items[0]->end, JOT_CYCLE_DONE);
}

static void a_failed_cycle_leaves_the_state_as_it_was(Caller *c)
{
    char id[40];
    const jot_cycle *cycle;
    const jot_lines *lines;
    const jot_doc *d;
    init(c);
    wake(c, id);
    ok(c->pad,
       jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY, jot_str("no json here"), NULL));
    ok(c->pad, jot_cycle_fail(c->pad, NULL, id, jot_str("it broke"), jot_str("line one"), &cycle));
    assert_int_equal(cycle->end, JOT_CYCLE_FAILED);
    assert_text(cycle->why, "it broke");
    expect(c->pad, JOT_FENCED,
           jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY, jot_str("late"), NULL));
    ok(c->pad, jot_doc_read(c->pad, "cycles/default", NULL, &d));
    assert_says(d->text.data, "it broke");
    assert_null(strstr(d->text.data, "no json here"));
    ok(c->pad, jot_line_log_read(c->pad, "cycle", id, 1, 0, &lines));
    assert_text(lines->items[0]->text, "line one");
    ok(c->pad, jot_cycle_read(c->pad, NULL, id, &cycle));
    assert_int_equal(cycle->end, JOT_CYCLE_FAILED);
}

static void steps_and_log_say_what_happened(Caller *c)
{
    char id[40];
    const jot_cycle_records *steps;
    const jot_text *log;
    init(c);
    wake(c, id);
    ok(c->pad, jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_REPLY,
                              jot_str("{\"tool\":\"search\",\"args\":{\"q\":\"x\"}}"), NULL));
    ok(c->pad, jot_cycle_step(c->pad, NULL, id, JOT_CYCLE_STEP_ERROR, jot_str("no\nnet"), NULL));
    ok(c->pad, jot_cycle_sleep(c->pad, NULL, id, NULL));
    ok(c->pad, jot_cycle_steps(c->pad, NULL, NULL, 1, 100, &steps));
    assert_int_equal(steps->count, 3);
    assert_false(steps->more);
    assert_int_equal(steps->items[0]->action, JOT_ACTION_TOOL);
    assert_string_equal(steps->items[0]->arguments, "{\"q\":\"x\"}");
    assert_int_equal(steps->items[1]->kind, JOT_CYCLE_STEP_ERROR);
    assert_string_equal(steps->items[1]->tool, "search");
    assert_text(steps->items[1]->text, "no\nnet");
    assert_int_equal(steps->items[2]->end, JOT_CYCLE_STOPPED);
    ok(c->pad, jot_cycle_steps(c->pad, NULL, id, 2, 1, &steps));
    assert_int_equal(steps->count, 1);
    assert_int_equal(steps->items[0]->seq, 2);
    ok(c->pad, jot_cycle_log(c->pad, NULL, id, &log));
    assert_says(log->data, "Tool search: error\n    no\n    net\n");
    expect(c->pad, JOT_NOT_FOUND, jot_cycle_log(c->pad, NULL, "19990101_000000", &log));
    assert_null(log);
}

static void a_reset_begins_anew(Caller *c)
{
    char id[40];
    const jot_cycle *cycle;
    const jot_doc *d;
    uint64_t removed;
    init(c);
    wake(c, id);
    expect(c->pad, JOT_LEASED, jot_cycle_reset(c->pad, NULL, jot_str(""), true, &removed));
    ok(c->pad, jot_cycle_sleep(c->pad, NULL, id, NULL));
    ok(c->pad, jot_cycle_reset(c->pad, NULL, jot_str("goals: [new]\n"), true, &removed));
    assert_true(removed > 0);
    ok(c->pad, jot_doc_read(c->pad, "cycles/default", NULL, &d));
    assert_text(d->text, "goals: [new]\n");
    expect(c->pad, JOT_NOT_FOUND, jot_cycle_read(c->pad, "nobody", NULL, &cycle));
    assert_null(cycle);
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(a_cycle_wakes_steps_and_sleeps),
        CALLER_TEST(a_failed_cycle_leaves_the_state_as_it_was),
        CALLER_TEST(steps_and_log_say_what_happened),
        CALLER_TEST(a_reset_begins_anew),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
