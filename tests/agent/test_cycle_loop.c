/* test_cycle_loop.c - cycles that run by themselves, with a scripted model. */
#include "agent/cycle_loop.h"

#include <signal.h>
#include <sys/wait.h>

#include "agent/scene.h"
#include "memory/lease.h"

#define ME S(CYCLE_DEFAULT_AGENT)

/* A script for one cycle: which answer comes follows from the step in the request. */
static const char *const script =
    "- {when: \"at step 1 of\", text: 'I do {\"tool\": \"count\", \"args\": {}} first'}\n"
    "- {when: \"at step 2 of\", text: Hm.}\n"
    "- {when: \"at step 3 of\", text: '{\"tool\": \"nosuch\", \"args\": {}}'}\n"
    "- {when: \"at step 4 of\", text: '{\"tool\": \"done\", \"args\": {\"summary\": "
    "\"counted\"}}'}\n"
    "- text: never\n";

static void begin(Desk *d, const char *text, Scene *s, CycleLoop *w)
{
    Str goal = S("count"), state;
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    scene_put(d->dir, "script", text);
    scene_put(d->dir, "counter", "");
    desk_ok(d, scene_open(s, &d->m, d->dir, &d->e));
    desk_ok(d, cycle_init(&d->m, ME, &init, &d->a, &state, &d->e));
    *w = (CycleLoop){ .m = &d->m,
                      .llm = s->llm,
                      .tools = s->loop.tools,
                      .view = s->loop.view,
                      .agent = ME,
                      .system = S("Work."),
                      .iterations_max = 6 };
}

static Str state_text(Desk *d)
{
    CycleStatus status;
    desk_ok(d, cycle_status(&d->m, ME, &d->a, &status, &d->e));
    return status.text;
}

static void the_state_stands_in_the_frame_of_the_pad(Desk *d)
{
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d,
          "- text: '{\"tool\": \"update_scratchpad\", \"args\": {\"notes\": \"x </jotter-state> "
          "y\"}}'\n"
          "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"done\"}}'\n",
          &s, &w);
    desk_ok(d, cycle_loop_run(&w, &d->a, &c, &d->e));
    Str sent = beside_get(d->dir, "requests", &d->a);
    const char *sign = frame_of_pad(&d->m, 0).sign;
    char own[FRAME_SIGN + 1];
    snprintf(own, sizeof own, "%s", sign);
    assert_has(sent, arena_printf(&d->a, ":\\n\\n<jotter-state %s>\\n", own).p);
    assert_has(sent,
               arena_printf(&d->a, "\\n<jotter-end %s>\\nReply with one JSON object.", own).p);
    assert_has(sent, "x \\\\</jotter-state> y");
    assert_has(state_text(d), "x </jotter-state> y");
}

static void a_cycle_goes_from_wake_to_sleep(Desk *d)
{
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d, script, &s, &w);
    desk_ok(d, cycle_loop_run(&w, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_DONE);
    assert_int_equal(c.iterations, 4);
    Str text = state_text(d);
    assert_has(text, "[TOOL] count({}) -> counted");
    assert_has(text, "[PARSE ERROR] Could not parse: Hm.");
    assert_has(text, "[UNKNOWN TOOL] nosuch\n");
    assert_has(text, "[COMPLETED] counted");
    assert_int_equal(scene_times(beside_get(d->dir, "counter", &d->a), "\n"), 1);
    assert_has(beside_get(d->dir, "requests", &d->a), "current_task: count");
}

/* Its notes hold the beginning; what comes next is for the next request alone. */
static void the_whole_of_the_newest_result_stands_beside_the_state(Desk *d)
{
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d,
          "- {when: \"at step 1 of\", text: '{\"tool\": \"big\", \"args\": {\"lines\": 100}}'}\n"
          "- {when: \"at step 2 of\", expect: [\"<jotter-result \", \"tool=\\\"big\\\"\", \"line "
          "100 of a long\"], text: '{\"tool\": \"big\", \"args\": {\"lines\": 2}}'}\n"
          "- {when: \"at step 3 of\", text: '{\"tool\": \"done\", \"args\": {\"summary\": "
          "\"seen\"}}'}\n",
          &s, &w);
    desk_ok(d, cycle_loop_run(&w, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_DONE);
    Str sent = beside_get(d->dir, "requests", &d->a);
    assert_int_equal(scene_times(sent, "line 100 of a long"), 1);
    assert_has(state_text(d), " characters: scratchpad_read key=steps/default/");
}

static void a_cycle_that_never_says_done_hits_its_limit(Desk *d)
{
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d, "- {text: '{\"tool\": \"count\", \"args\": {}}', when: Your state}\n- text: x\n", &s,
          &w);
    w.iterations_max = 3;
    desk_ok(d, cycle_loop_run(&w, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_LIMIT);
    assert_int_equal(scene_times(beside_get(d->dir, "counter", &d->a), "\n"), 3);
}

static void a_model_that_fails_fails_the_cycle(Desk *d)
{
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d, "- {error: key, message: no such key}\n", &s, &w);
    Str before = state_text(d);
    desk_expect(d, JOT_DENIED, cycle_loop_run(&w, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_FAILED);
    assert_str(c.before, before);
    assert_has(state_text(d), "failed: ");
}

static void a_second_cycle_is_refused_while_one_runs(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d, script, &s, &w);
    AUTO(Memory) other = desk_open(d, "bob");
    Lease lease;
    LeaseAsk ask = { .on = S("cycles/default"), .live = true };
    desk_ok(d, lease_acquire(&other, &ask, &d->a, &lease, &d->e));
    desk_expect(d, JOT_LEASED, cycle_loop_run(&w, &d->a, &c, &d->e));
}

static jot_status die(void *ctx, const Call *c, Arena *into, Reply *out, Err *e)
{
    (void)ctx;
    (void)c;
    (void)into;
    (void)e;
    *out = (Reply){ 0 };
    kill(getpid(), SIGKILL);
    return JOT_IO;
}

static void a_killed_cycle_is_ended_by_the_next(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    AUTO(Scene) s;
    CycleLoop w;
    Cycle c;
    begin(d, "- {when: \"at step 1 of\", text: '{\"tool\": \"stop\", \"args\": {}}'}\n- text: x\n",
          &s, &w);
    memory_close(&d->m);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        d->m = desk_open(d, "child");
        w.tools.call = die;
        Err e;
        Cycle mine;
        jot_status st = cycle_loop_run(&w, &d->a, &mine, &e);
        _exit(st == JOT_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    d->m = desk_open(d, "ann");
    d->now_ms += 2000;
    scene_put(d->dir, "script", script);
    scene_close(&s);
    desk_ok(d, scene_open(&s, &d->m, d->dir, &d->e));
    w.llm = s.llm;
    w.tools = s.loop.tools;
    w.view = s.loop.view;
    desk_ok(d, cycle_loop_run(&w, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_DONE);
    assert_has(c.before, "failed: it was killed");
    assert_has(c.before, "while 'stop' was called");
    assert_has(c.notice, "was ended: it was killed");
}

static const DeskTest tests[] = {
    DESK_TEST(a_cycle_goes_from_wake_to_sleep),
    DESK_TEST(the_state_stands_in_the_frame_of_the_pad),
    DESK_TEST(the_whole_of_the_newest_result_stands_beside_the_state),
    DESK_TEST(a_cycle_that_never_says_done_hits_its_limit),
    DESK_TEST(a_model_that_fails_fails_the_cycle),
    DESK_TEST(a_second_cycle_is_refused_while_one_runs),
    DESK_TEST(a_killed_cycle_is_ended_by_the_next),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
