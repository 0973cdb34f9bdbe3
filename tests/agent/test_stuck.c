/* test_stuck.c - replies that a provider would not take back do not end a run.
 *
 * What goes out is looked at in the script's log, after everything that is done to it on the way;
 * the rules themselves are tests/llm/test_history.c. */
#include "agent/played.h"

static void assert_answer(const Played *p, const char *answer)
{
    assert_int_equal(p->st, JOT_OK);
    assert_int_equal(p->o.end, LOOP_ANSWERED);
    assert_text(p->o.answer, answer);
}

/* A run as a version before has left it: so far recorded, and then refused by its provider. */
static void record_stuck(Desk *d, Played *p, const char *reply, const char *notice)
{
    AUTO(Buf) body = { 0 };
    desk_ok(d, run_begin(&d->m, &(RunBegin){ .frame = &p->s.loop.frame }, S("what is it?"), &p->run,
                         &d->e));
    setup_write(&p->s.loop.setup, &body);
    desk_ok(d, run_set_up(&p->run, (UsageLimits){ 0 }, buf_str(&body), &d->e));
    desk_ok(d, run_record(&p->run, RUN_REPLY, NULL, str(reply), &d->e));
    if (notice)
        desk_ok(d, run_record(&p->run, RUN_NOTICE, "cut", str(notice), &d->e));
    desk_ok(d, run_record(&p->run, RUN_END, "failed", S("the provider refuses it"), &d->e));
}

static void a_run_that_a_cut_thought_has_stuck_goes_on(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: first\n- text: done\n", &p);
    record_stuck(d, &p,
                 "{\"stop\":\"max_tokens\",\"usage\":{},\"parts\":[{\"raw\":\"{\\\"type\\\":"
                 "\\\"thinking\\\",\\\"thinking\\\":\\\"hmm\\\",\\\"signature\\\":\\\"\\\"}\"}]}",
                 "[cut off] say it again");
    resume(d, &p);
    assert_answer(&p, "done");
    assert_int_equal(scene_times(requests(d), "\"thinking\""), 0);
    assert_has(requests(d), "(an empty reply)");
}

static void a_run_that_could_only_think_gets_a_higher_limit(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: first\n- text: done\n", &p);
    record_stuck(d, &p, "{\"stop\":\"max_tokens\",\"usage\":{},\"parts\":[]}",
                 "[cut off] say it again in fewer words");
    resume(d, &p);
    assert_answer(&p, "done");
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":4000,"), 1);
}

static void a_run_whose_refusal_held_a_call_goes_on(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: first\n- text: done\n", &p);
    record_stuck(d, &p,
                 "{\"stop\":\"refusal\",\"usage\":{},\"parts\":[{\"text\":\"\\n\\n\"},{\"call\":"
                 "\"toolu_1\",\"name\":\"count\",\"args\":\"{}\"}]}",
                 NULL);
    desk_ok(d, loop_say(&p.run, S("please go on"), &d->e));
    resume(d, &p);
    assert_answer(&p, "done");
    assert_text(beside_get(d->dir, "counter", &d->a), "");
    assert_has(requests(d), "\"id\":\"toolu_1\",\"text\":\"this call was not made");
    assert_int_equal(scene_times(requests(d), "\\n\\n"), 0);
}

static void names_that_a_model_made_up_do_not_go_back(Desk *d)
{
    AUTO(Played) p;
    play(d,
         "- calls: [{id: a, name: functions.count, args: {}}, {id: b, name: a.b c, args: {}}]\n"
         "- text: done\n",
         &p);
    assert_answer(&p, "done");
    assert_has(requests(d), "\"name\":\"functions_count\"");
    assert_has(requests(d), "\"name\":\"a_b_c\"");
    assert_int_equal(scene_times(requests(d), "\"functions.count\""), 0);
}

static const DeskTest tests[] = {
    DESK_TEST(a_run_that_a_cut_thought_has_stuck_goes_on),
    DESK_TEST(a_run_that_could_only_think_gets_a_higher_limit),
    DESK_TEST(a_run_whose_refusal_held_a_call_goes_on),
    DESK_TEST(names_that_a_model_made_up_do_not_go_back),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
