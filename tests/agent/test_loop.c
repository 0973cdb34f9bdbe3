/* test_loop.c - the loop with a scripted model: what is recorded, and how it ends. */
#include <errno.h>

#include "agent/played.h"
#include "memory/run/factor.h"
#include "memory/task/plan.h"

/* --- Words ------------------------------------------------------------------------------- */

/* It goes well, and the answer is this one. */
static void assert_answer(const Played *p, const char *answer)
{
    assert_int_equal(p->st, JOT_OK);
    assert_int_equal(p->o.end, LOOP_ANSWERED);
    assert_text(p->o.answer, answer);
}

/* A script comes to this answer; `p` may be NULL if nothing more is asked. */
static void comes_to(Desk *d, const char *script, const char *answer, Played *p)
{
    AUTO(Played) own = { 0 };
    Played *q = p ? p : &own;
    play(d, script, q);
    assert_answer(q, answer);
}

/* The same in the other protocol. */
static void comes_to_in_json(Desk *d, const char *script, const char *answer, Played *p)
{
    begin(d, script, p);
    p->s.loop.setup.json = true;
    go(d, p);
    assert_answer(p, answer);
}

/* The kinds of the run's records, in their order. */
static jot_status add_kind(void *ctx, const RunStep *s)
{
    if (s->kind != RUN_FOLD)
        buf_addf(ctx, "%s ", run_kind_name(s->kind));
    return JOT_OK;
}

static void assert_kinds(Desk *d, Played *p, const char *want)
{
    AUTO(Buf) kinds = { 0 };
    desk_ok(d, run_each(&p->run, 1, add_kind, &kinds, NULL, &d->e));
    assert_text(buf_str(&kinds), want);
}

/* --- Answers ----------------------------------------------------------------------------- */

static void every_step_is_a_record(Desk *d)
{
    AUTO(Played) p;
    play(d,
         "- text: Let me see.\n"
         "  calls: [{id: a, name: count, args: {x: 1}}, {id: b, name: scratchpad_list}]\n"
         "- text: There is nothing.\n",
         &p);
    assert_int_equal(p.st, JOT_OK);
    assert_int_equal(p.o.end, LOOP_ANSWERED);
    assert_text(p.o.answer, "There is nothing.");
    assert_kinds(d, &p,
                 "init setup reply tool_call tool_result tool_call tool_result reply answer ");
    assert_int_equal(scene_times(beside_get(d->dir, "counter", &d->a), "\n"), 1);
    assert_int_equal(p.s.budgets, 2);
    assert_int_equal(p.o.replies, 2);
    assert_int_equal(p.o.results, 2);
}

static void an_answered_run_is_answered_again_without_asking(Desk *d)
{
    AUTO(Played) p;
    comes_to(d, "- text: It is so.\n", "It is so.", &p);
    resume(d, &p);
    assert_answer(&p, "It is so.");
    assert_int_equal(scene_times(requests(d), "\n"), 1);
}

static void something_more_can_be_said_to_an_answered_run(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "- text: It is so.\n- {text: \"Because.\", expect: [\"and why?\", \"It is so.\"]}\n",
             "It is so.", &p);
    desk_ok(d, loop_say(&p.run, S("and why?"), &d->e));
    resume(d, &p);
    assert_answer(&p, "Because.");
}

static void a_result_goes_back_to_the_model(Desk *d)
{
    comes_to(d,
             "- calls: [{id: a, name: count, args: {}}]\n"
             "- {text: \"{{result:a}}!\", expect: [counted]}\n",
             "counted!", NULL);
}

/* --- Bad input --------------------------------------------------------------------------- */

static void a_tool_that_is_not_there_is_answered_so(Desk *d)
{
    comes_to(d,
             "- calls: [{name: nosuch, args: {}}, {name: \"a\\nb c\", args: {}}]\n"
             "- {text: fine, expect: [\"[UNKNOWN TOOL]\"]}\n",
             "fine", NULL);
}

static void a_call_that_was_cut_off_is_not_made(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "- calls: [{id: a, name: count, args_text: '{\"x\": \"hal'}]\n"
             "  stop: max_tokens\n"
             "- {text: fine, expect: [\"nothing was done\"]}\n",
             "fine", &p);
    assert_text(beside_get(d->dir, "counter", &d->a), "");
}

static void words_that_were_cut_off_are_no_answer(Desk *d)
{
    comes_to(d, "- {text: the beginn, stop: max_tokens}\n- {text: all, expect: [\"[cut off]\"]}\n",
             "all", NULL);
}

static void bytes_that_are_no_text_are_shown_as_such(Desk *d)
{
    comes_to(d, "- calls: [{id: a, name: bytes}]\n- text: \"{{result:a}}\"\n",
             "bad \xEF\xBF\xBD\xEF\xBF\xBD bytes", NULL);
}

static void nonsense_ends_in_a_defined_state(Desk *d)
{
    AUTO(Played) p;
    play(d, "- {text: \"\", repeat: true}\n", &p);
    assert_int_equal(p.st, JOT_OK);
    assert_int_equal(p.o.end, LOOP_NONSENSE);
    assert_has(p.o.why, "5 replies in a row");
    assert_int_equal(scene_times(requests(d), "\n"), LOOP_UNREADABLE_MAX);
    assert_has(requests(d), "[PARSE ERROR] the reply was empty");
}

static void an_endless_loop_is_warned_about_and_ends(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- {calls: [{name: scratchpad_list, args: {}}], repeat: true}\n", &p);
    p.s.loop.iterations_max = 6;
    go(d, &p);
    assert_int_equal(p.st, JOT_OK);
    assert_int_equal(p.o.end, LOOP_LIMIT);
    assert_text(p.o.why, "6 replies without an answer; the same call of 'scratchpad_list' came 6 "
                         "times in a row");
    assert_has(requests(d), arena_printf(&d->a, "[warning %s] ", p.s.loop.frame.sign).p);
    assert_has(requests(d), "loop");
    resume(d, &p);
    assert_int_equal(p.o.end, LOOP_LIMIT);
    assert_int_equal(p.o.replies, 12);
}

static void tokens_can_run_out(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- {calls: [{name: scratchpad_list, args: {}}], repeat: true, usage: {input: 90}}\n",
          &p);
    p.s.loop.tokens_max = 200;
    go(d, &p);
    assert_int_equal(p.o.end, LOOP_SPENT);
    assert_true(p.o.tokens >= 200);
}

static void what_a_provider_counts_teaches_the_next_run(Desk *d)
{
    static const char script[] =
        "- {calls: [{name: big, args: {lines: 90}}], usage: {input: 3000}}\n"
        "- {calls: [{name: big, args: {lines: 91}}], usage: {input: 4600}}\n"
        "- {calls: [{name: big, args: {lines: 92}}], usage: {input: 6200}}\n"
        "- {calls: [{name: big, args: {lines: 93}}], usage: {input: 7800}}\n"
        "- {text: done, usage: {input: 9400}}\n";
    AUTO(Played) first;
    play(d, script, &first);
    assert_int_equal(first.s.newest.factor, FACTOR_ONE);
    TokenFactor known;
    desk_ok(d, factor_read(&d->m, first.s.loop.setup.model, &known, &d->e));
    assert_int_equal(known.requests, 4);
    assert_int_equal(known.reported, 6400);
    assert_true(factor_of(&known) > FACTOR_ONE);
    AUTO(Played) second;
    play(d, script, &second);
    assert_int_equal(second.s.newest.factor, factor_of(&known));
    assert_true(budget_estimate(&second.s.newest) > budget_estimate(&first.s.newest));
    assert_true(second.s.newest.missed < first.s.newest.missed);
}

static void a_refusal_is_an_end(Desk *d)
{
    AUTO(Played) p;
    play(d, "- {text: no, stop: refusal, why: policy}\n", &p);
    assert_int_equal(p.st, JOT_OK);
    assert_int_equal(p.o.end, LOOP_REFUSED);
    assert_text(p.o.why, "policy");
}

static void a_pause_is_gone_on_with(Desk *d)
{
    comes_to(d, "- {text: one, stop: pause}\n- {text: two}\n", "two", NULL);
}

static void a_request_that_is_too_long_is_made_shorter(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "limit: 3000\n"
             "answers:\n"
             "- calls: [{name: big, args: {lines: 40}}]\n"
             "- calls: [{name: big, args: {lines: 40}}]\n"
             "- {text: done, expect: [\"elided\"], without: [\"left out to make room\"]}\n",
             "done", &p);
    assert_int_equal(p.s.compacted.masked, 1);
}

static void it_is_summed_up_before_anything_is_dropped(Desk *d)
{
    AUTO(Played) p;
    comes_to(
        d,
        "limit: 2900\n"
        "answers:\n"
        "- {when: \"the turns\", text: \"It was long.\"}\n"
        "- {when: \"<jotter-turns\", text: \"It was long.\"}\n"
        "- calls: [{name: big, args: {lines: 1}}, {name: nosuch, args: {a: AAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA}}]\n"
        "- calls: [{name: big, args: {lines: 60}}]\n"
        "- {text: done, expect: [\"It was long.\"]}\n",
        "done", &p);
    assert_int_equal(p.s.compacted.summed, 1);
}

static void after_a_drop_there_are_only_keys_that_exist(Desk *d)
{
    AUTO(Buf) script = { 0 };
    AUTO(Played) p;
    buf_add(&script, S("limit: 3000\n"
                       "answers:\n"
                       "- {when: \"<jotter-turns\", text: \"\"}\n"
                       "- calls: [{name: scratchpad_write, args: {key: plan, content: THE PLAN}},\n"
                       "          {name: count, args: {}}, {name: nosuch, args: {a: "));
    for (int i = 0; i < 1500; i++)
        buf_add_char(&script, 'A');
    buf_add(&script, S("}}]\n"
                       "- calls: [{name: big, args: {lines: 40}}]\n"
                       "- {text: done, expect: [\"1 turn was left out\"]}\n"));
    buf_add_char(&script, 0);
    comes_to(d, script.p, "done", &p);
    assert_int_equal(p.s.compacted.dropped, 1);
    Str text = requests(d);
    assert_has(text, "- scratchpad_write(key=plan, content=THE PLAN): done\\n");
    assert_has(text, "...: it failed\\n");
    Str key = arena_printf(&d->a, "- count(): key=artifacts/tool_results/%s.r1c2\\n", p.run.id);
    assert_has(text, key.p);
    assert_int_equal(scene_times(text, "key=artifacts/tool_results/"), 1);
}

static void a_newest_turn_that_is_too_long_is_shown_in_part(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "limit: 3000\n"
             "answers:\n"
             "- calls: [{name: big, args: {lines: 100}}, {name: big, args: {lines: 200}}]\n"
             "- {text: done, expect: [\"from_char=\", \"[shortened] \"]}\n",
             "done", &p);
    assert_int_equal(p.s.compacted.shortened, 2);
}

static void a_request_that_is_always_too_long_fails_with_that(Desk *d)
{
    AUTO(Played) p;
    play(d, "limit: 400\nanswers:\n- calls: [{name: big, args: {lines: 200}}]\n- text: done\n", &p);
    assert_int_equal(p.st, JOT_TOO_BIG);
    assert_int_equal(p.o.end, LOOP_FAILED);
}

/* --- Replies that were cut --------------------------------------------------------------- */

static void a_reply_that_was_cut_before_it_said_anything_raises_its_limit(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "- {text: \"\", stop: max_tokens}\n"
             "- {text: all, expect: [\"the limit is higher now\"]}\n",
             "all", &p);
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":1000,"), 1);
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":4000,"), 1);
    assert_int_equal(scene_times(requests(d), "fewer words"), 0);
    assert_kinds(d, &p, "init setup reply setup notice reply answer ");
}

static void a_limit_is_raised_once(Desk *d)
{
    AUTO(Played) p;
    play(d, "- {text: \"\", stop: max_tokens, repeat: true}\n", &p);
    assert_int_equal(p.o.end, LOOP_NONSENSE);
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":1000,"), 1);
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":4000,"), LOOP_UNREADABLE_MAX - 1);
    assert_has(requests(d), "fewer words");
}

static void so_does_a_reply_that_ends_in_its_first_call(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "- calls: [{id: a, name: count, args_text: '{\"x\": \"hal'}]\n"
             "  stop: max_tokens\n"
             "- {text: fine, expect: [\"nothing was done\"]}\n",
             "fine", &p);
    assert_int_equal(scene_times(requests(d), "{\"max_tokens\":4000,"), 1);
}

static void room_is_made_for_a_reply_that_the_window_has_cut(Desk *d)
{
    AUTO(Played) p;
    comes_to(d,
             "- calls: [{name: big, args: {lines: 90}}]\n"
             "- calls: [{name: scratchpad_list}]\n"
             "- {text: and th, stop: window}\n"
             "- {text: done, expect: [\"the context was full\", elided]}\n",
             "done", &p);
    assert_int_equal(p.s.compacted.masked, 2);
}

static void a_model_that_fails_leaves_a_run_that_goes_on(Desk *d)
{
    AUTO(Played) p;
    play(d,
         "- calls: [{id: a, name: count, args: {}}]\n"
         "- {error: broken, times: 1, text: \"{{result:a}}\"}\n",
         &p);
    assert_int_not_equal(p.st, JOT_OK);
    assert_int_equal(p.o.end, LOOP_FAILED);
    resume(d, &p);
    assert_answer(&p, "counted");
    assert_kinds(d, &p, "init setup reply tool_call tool_result end reply answer ");
}

static void a_pad_that_fails_stops_the_loop_with_its_status(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- calls: [{id: a, name: stop, args: {}}]\n- text: done\n", &p);
    p.s.failed = JOT_IO;
    go(d, &p);
    assert_int_equal(p.st, JOT_IO);
    assert_says(d, "stopped on purpose");
    p.s.failed = JOT_OK;
    resume(d, &p);
    assert_answer(&p, "done");
}

static bool stop_at_once(void *ctx)
{
    (void)ctx;
    return true;
}

static void what_is_cancelled_can_go_on(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: done\n", &p);
    p.s.loop.view.cancelled = stop_at_once;
    go(d, &p);
    assert_int_equal(p.st, JOT_CANCELLED);
    p.s.loop.view.cancelled = NULL;
    resume(d, &p);
    assert_answer(&p, "done");
}

/* --- Plans ------------------------------------------------------------------------------- */

static void an_answer_is_put_off_twice_while_a_plan_is_open(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- {text: done, repeat: true}\n", &p);
    desk_ok(d, loop_begin(&p.s.loop, S("what is it?"), &p.run, &d->e));
    Str look = S("look");
    Plan plan;
    PlanDraft draft = { .objective = S("know"), .steps = &look, .steps_n = 1 };
    desk_ok(d, plan_create(&d->m, str(p.run.id), &draft, &d->a, &plan, &d->e));
    p.st = loop_go(&p.s.loop, &p.run, &d->a, &p.o, &d->e);
    assert_int_equal(p.o.end, LOOP_INCOMPLETE_PLAN);
    assert_has(p.o.why, "steps 1");
    assert_text(p.o.answer, "done");
    assert_int_equal(p.o.replies, 1 + PLAN_NUDGES_MAX);
    PlanMove move = { .n = 1, .status = PLAN_DONE, .evidence = S("seen") };
    desk_ok(d, plan_step(&d->m, str(p.run.id), &move, &d->a, &plan, &d->e));
    resume(d, &p);
    assert_int_equal(p.o.end, LOOP_ANSWERED);
}

/* --- The other protocol ------------------------------------------------------------------ */

static void a_call_in_words_that_were_cut_off_is_not_made(Desk *d)
{
    AUTO(Played) p;
    comes_to_in_json(
        d,
        "- {text: '{\"tool\": \"count\", \"args\": {}} and th', stop: max_tokens}\n"
        "- {text: '{\"tool\": \"a\", \"args\": {\"b\": {\"tool\": \"count\"}, \"c', stop: "
        "max_tokens}\n"
        "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"fine\"}}'\n",
        "fine", &p);
    assert_text(beside_get(d->dir, "counter", &d->a), "");
}

static void tools_can_be_asked_for_in_json(Desk *d)
{
    AUTO(Played) p;
    comes_to_in_json(d,
                     "- text: 'I call {\"tool\": \"count\", \"args\": {}} now.'\n"
                     "- text: Hm.\n"
                     "- {text: '{\"tool\": \"done\", \"args\": {\"summary\": \"it is 1\"}}',\n"
                     "   expect: [\"### count()\", counted, \"[PARSE ERROR]\"]}\n",
                     "it is 1", &p);
    assert_kinds(d, &p, "init setup reply tool_call tool_result reply notice reply answer ");
}

/* --- Going on ---------------------------------------------------------------------------- */

static void a_run_keeps_its_protocol(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- {calls: [{name: scratchpad_list}]}\n- text: done\n", &p);
    p.s.loop.iterations_max = 1;
    go(d, &p);
    p.s.loop.setup.json = p.s.loop.protocol_given = true;
    resume(d, &p);
    assert_int_equal(p.st, JOT_INVALID);
    assert_says(d, "uses the native protocol and keeps it");
    p.s.loop.protocol_given = false;
    resume(d, &p);
    assert_answer(&p, "done");
}

static void a_run_of_somebody_else_is_not_gone_on_with(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: done\n", &p);
    desk_ok(d, run_begin(&d->m, NULL, S("by hand"), &p.run, &d->e));
    desk_ok(d, run_say(&p.run, RUN_THINKING, S("hm"), &d->e));
    resume(d, &p);
    assert_int_equal(p.st, JOT_INVALID);
    assert_says(d, "was not started by 'jotter run'");
}

static void one_process_works_on_a_run_at_a_time(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    AUTO(Played) p;
    begin(d, "- text: done\n", &p);
    desk_ok(d, loop_begin(&p.s.loop, S("mine"), &p.run, &d->e));
    AUTO(Memory) other = desk_open(d, "bob");
    AUTO(Run) r = { 0 };
    Loop l = p.s.loop;
    l.m = &other;
    desk_expect(d, JOT_LEASED, loop_resume(&l, str(p.run.id), &r, &d->e));
}

static void another_model_may_go_on(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- {calls: [{name: scratchpad_list}]}\n- text: done\n", &p);
    p.s.loop.iterations_max = 1;
    go(d, &p);
    assert_int_equal(p.o.end, LOOP_LIMIT);
    p.s.loop.setup.model = S("other");
    p.s.loop.setup.window = 50 * 1000;
    p.s.loop.setup.system = S("Something else.");
    resume(d, &p);
    assert_answer(&p, "done");
    assert_int_equal(p.o.budget.window, 50 * 1000);
    assert_int_equal(scene_times(requests(d), "Something else."), 0);
}

static const DeskTest tests[] = {
    DESK_TEST(every_step_is_a_record),
    DESK_TEST(an_answered_run_is_answered_again_without_asking),
    DESK_TEST(something_more_can_be_said_to_an_answered_run),
    DESK_TEST(a_result_goes_back_to_the_model),
    DESK_TEST(a_tool_that_is_not_there_is_answered_so),
    DESK_TEST(a_call_that_was_cut_off_is_not_made),
    DESK_TEST(words_that_were_cut_off_are_no_answer),
    DESK_TEST(bytes_that_are_no_text_are_shown_as_such),
    DESK_TEST(nonsense_ends_in_a_defined_state),
    DESK_TEST(an_endless_loop_is_warned_about_and_ends),
    DESK_TEST(tokens_can_run_out),
    DESK_TEST(what_a_provider_counts_teaches_the_next_run),
    DESK_TEST(a_refusal_is_an_end),
    DESK_TEST(a_pause_is_gone_on_with),
    DESK_TEST(a_request_that_is_too_long_is_made_shorter),
    DESK_TEST(it_is_summed_up_before_anything_is_dropped),
    DESK_TEST(after_a_drop_there_are_only_keys_that_exist),
    DESK_TEST(a_newest_turn_that_is_too_long_is_shown_in_part),
    DESK_TEST(a_request_that_is_always_too_long_fails_with_that),
    DESK_TEST(a_reply_that_was_cut_before_it_said_anything_raises_its_limit),
    DESK_TEST(a_limit_is_raised_once),
    DESK_TEST(so_does_a_reply_that_ends_in_its_first_call),
    DESK_TEST(room_is_made_for_a_reply_that_the_window_has_cut),
    DESK_TEST(a_model_that_fails_leaves_a_run_that_goes_on),
    DESK_TEST(a_pad_that_fails_stops_the_loop_with_its_status),
    DESK_TEST(what_is_cancelled_can_go_on),
    DESK_TEST(an_answer_is_put_off_twice_while_a_plan_is_open),
    DESK_TEST(tools_can_be_asked_for_in_json),
    DESK_TEST(a_call_in_words_that_were_cut_off_is_not_made),
    DESK_TEST(a_run_keeps_its_protocol),
    DESK_TEST(a_run_of_somebody_else_is_not_gone_on_with),
    DESK_TEST(one_process_works_on_a_run_at_a_time),
    DESK_TEST(another_model_may_go_on),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
