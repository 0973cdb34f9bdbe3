/* test_redacted.c - a run is taken over of which something was redacted: each kind of record.
 *
 * It goes on and the model sees the mark, or it is refused in one sentence; what
 * was redacted is in no request. */
#include "agent/played.h"
#include "memory/forget/forget.h"

#define SECRET "swordfish"
#define ONE_CALL "- {text: " SECRET ", calls: [{id: a, name: count, args: {}}]}\n"

/* What an unfinished run has: init, setup, reply, tool_call, tool_result, end. */
enum { INIT = 1, SETUP, REPLY, CALL, RESULT, END };

/* Play the first reply of a script, and no more. */
static void play_one(Desk *d, const char *script, Played *p)
{
    begin(d, script, p);
    p->s.loop.iterations_max = 1;
    go(d, p);
    assert_int_equal(p->o.end, LOOP_LIMIT);
}

static void redact(Desk *d, const Played *p, uint64_t seq)
{
    desk_ok(d, forget_run_record(&d->m, str(p->run.id), seq, &d->e));
}

/* Take it over with another script; the requests are those from here on. */
static void go_on(Desk *d, const char *script, Played *p)
{
    bool json = p->s.loop.setup.json;
    jot_status failed = p->s.failed;
    scene_close(&p->s);
    scene_put(d->dir, "script", script);
    scene_put(d->dir, "requests", "");
    desk_ok(d, scene_open(&p->s, &d->m, d->dir, &d->e));
    p->s.loop.setup.json = json;
    p->s.failed = failed;
    resume(d, p);
}

/* Which of a script's answers is given depends on how many turns are shown. */
static void assert_goes_on(Desk *d, Played *p, const char *shown)
{
    go_on(d, "- text: done\n- text: done\n", p);
    if (p->st != JOT_OK)
        fail_msg("%s", d->e.text);
    assert_text(p->o.answer, "done");
    assert_has(requests(d), shown);
    assert_int_equal(scene_times(requests(d), SECRET), 0);
}

static size_t counted(Desk *d)
{
    return scene_times(beside_get(d->dir, "counter", &d->a), "\n");
}

/* --- Each kind --------------------------------------------------------------------------- */

static void of_a_redacted_reply_the_results_are_shown_in_words(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    redact(d, &p, REPLY);
    assert_goes_on(d, &p, "[redacted]");
    assert_has(requests(d), "### count()\\ncounted");
    assert_int_equal(scene_times(requests(d), "\"tool_use\""), 0);
    assert_int_equal(counted(d), 1);
}

static void so_it_is_where_tools_are_asked_for_in_json(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: '" SECRET " {\"tool\": \"count\", \"args\": {}}'\n", &p);
    p.s.loop.setup.json = true;
    p.s.loop.iterations_max = 1;
    go(d, &p);
    redact(d, &p, REPLY);
    go_on(d, "- text: no\n- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"done\"}}'\n", &p);
    assert_text(p.o.answer, "done");
    assert_has(requests(d), "### count()\\ncounted");
    assert_int_equal(scene_times(requests(d), SECRET), 0);
    assert_int_equal(counted(d), 1);
}

static void a_redacted_answer_that_was_not_taken_is_asked_for_again(Desk *d)
{
    AUTO(Played) p;
    begin(d, "- text: " SECRET "\n", &p);
    desk_ok(d, loop_begin(&p.s.loop, S("what is it?"), &p.run, &d->e));
    AUTO(Buf) body = { 0 };
    setup_write(&p.s.loop.setup, &body);
    desk_ok(d, run_set_up(&p.run, (UsageLimits){ 0 }, buf_str(&body), &d->e));
    desk_ok(d, run_record(&p.run, RUN_REPLY, NULL,
                          S("{\"stop\":\"end\",\"parts\":[{\"text\":\"" SECRET "\"}]}"), &d->e));
    redact(d, &p, REPLY);
    assert_goes_on(d, &p, "your last reply was redacted");
}

static void a_redacted_call_changes_nothing(Desk *d)
{
    AUTO(Played) p;
    play_one(d, "- {text: hm, calls: [{id: a, name: count, args: {x: 1}}]}\n", &p);
    redact(d, &p, CALL);
    assert_goes_on(d, &p, "counted");
    assert_has(requests(d), "\"x\":1"); /* the reply has it too */
    assert_int_equal(counted(d), 1);
}

static void a_redacted_result_is_shown_as_such(Desk *d)
{
    AUTO(Played) p;
    play_one(d, "- {calls: [{id: a, name: big, args: {lines: 3}}]}\n", &p);
    redact(d, &p, RESULT);
    assert_goes_on(d, &p, "[redacted]");
    assert_int_equal(scene_times(requests(d), "this is line"), 0);
}

static void a_redacted_query_is_shown_as_such(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    redact(d, &p, INIT);
    redact(d, &p, REPLY);
    assert_goes_on(d, &p, "[redacted]");
    assert_int_equal(scene_times(requests(d), "what is it?"), 0);
    assert_true(scene_times(requests(d), "[redacted]") >= 2);
}

static void what_a_person_said_and_redacted_still_asks_for_an_answer(Desk *d)
{
    AUTO(Played) p;
    play(d, "- text: It is so.\n", &p);
    desk_ok(d, loop_say(&p.run, S("and " SECRET "?"), &d->e));
    redact(d, &p, p.run.state.seq);
    assert_goes_on(d, &p, "[redacted]");
    assert_has(requests(d), "It is so.");
}

static void a_redacted_summary_still_stands_for_its_turns(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    RunSummary sum = { .text = S("it was " SECRET), .n = 1, .until = RESULT, .word = "summary" };
    desk_ok(d, run_compact_until(&p.run, &sum, &d->e));
    redact(d, &p, p.run.state.seq);
    assert_goes_on(d, &p, " turns=\\\"1\\\">\\n[redacted]\\n<jotter-end ");
}

static void a_redacted_answer_is_not_asked_for_again(Desk *d)
{
    AUTO(Played) p;
    play(d, "- text: " SECRET "\n", &p);
    redact(d, &p, p.run.state.answer_seq);
    go_on(d, "- text: no\n", &p);
    assert_int_equal(p.st, JOT_OK);
    assert_text(p.o.answer, "[redacted]");
    assert_int_equal(requests(d).n, 0);
}

static void a_redacted_end_does_not_matter(Desk *d)
{
    AUTO(Played) p;
    play_one(d, "- {text: hm, calls: [{id: a, name: count, args: {}}]}\n", &p);
    redact(d, &p, END);
    assert_goes_on(d, &p, "counted");
}

static void all_but_the_setup_may_be_redacted(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    for (uint64_t seq = INIT; seq <= END; seq++)
        if (seq != SETUP)
            redact(d, &p, seq);
    assert_goes_on(d, &p, "### count()\\n[redacted]");
    assert_int_equal(counted(d), 1);
}

static void without_its_setup_a_run_does_not_go_on(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    redact(d, &p, SETUP);
    uint64_t before = p.run.state.seq;
    go_on(d, "- text: done\n", &p);
    assert_int_equal(p.st, JOT_INVALID);
    assert_says(d, "was redacted: it cannot be resumed");
    desk_expect(d, JOT_INVALID, loop_say(&p.run, S("more"), &d->e));
    assert_says(d, "cannot be resumed");
    desk_ok(d, run_refresh(&p.run, &d->e));
    assert_int_equal(p.run.state.seq, before);
    assert_int_equal(requests(d).n, 0);
}

static void an_answered_run_without_its_setup_is_still_answered(Desk *d)
{
    AUTO(Played) p;
    play(d, "- text: It is so.\n", &p);
    redact(d, &p, SETUP);
    go_on(d, "- text: no\n", &p);
    assert_int_equal(p.st, JOT_OK);
    assert_text(p.o.answer, "It is so.");
    desk_expect(d, JOT_INVALID, loop_say(&p.run, S("and why?"), &d->e));
}

static void a_later_setup_may_be_redacted(Desk *d)
{
    AUTO(Played) p;
    play_one(d, "- {text: hm, calls: [{id: a, name: count, args: {}}]}\n", &p);
    AUTO(Buf) body = { 0 };
    Setup other = p.s.loop.setup;
    other.model = S("another");
    setup_write(&other, &body);
    desk_ok(d, run_set_up(&p.run, (UsageLimits){ 0 }, buf_str(&body), &d->e));
    redact(d, &p, p.run.state.seq);
    assert_goes_on(d, &p, "counted");
}

/* --- Calls that were not completed ------------------------------------------------------- */

/* A run that stopped in the middle of a call. */
static void stop_in_a_call(Desk *d, Played *p)
{
    begin(d, "- {text: " SECRET ", calls: [{id: a, name: stop, args: {k: v}}]}\n", p);
    p->s.failed = JOT_DENIED;
    go(d, p);
    assert_int_equal(p->st, JOT_DENIED);
    p->s.failed = JOT_OK;
}

static void an_open_call_of_a_redacted_reply_is_known_by_its_record(Desk *d)
{
    AUTO(Played) p;
    stop_in_a_call(d, &p);
    redact(d, &p, REPLY);
    assert_goes_on(d, &p, "[UNKNOWN TOOL]");
    assert_has(requests(d), "### stop(k=v)");
}

static void an_open_call_without_arguments_is_not_made_again(Desk *d)
{
    AUTO(Played) p;
    stop_in_a_call(d, &p);
    redact(d, &p, REPLY);
    redact(d, &p, CALL);
    assert_goes_on(d, &p, "[unknown outcome]");
}

/* --- A phrase ---------------------------------------------------------------------------- */

static void a_phrase_goes_from_every_record_that_holds_it_escaped(Desk *d)
{
    AUTO(Played) p;
    play_one(d,
             "- calls: [{id: a, name: scratchpad_write, args: {key: k, content: "
             "\"the \\\"" SECRET "\\\"\\nline\"}}]\n",
             &p);
    Forgotten f;
    Str phrase = S("\"" SECRET "\"\nline");
    desk_ok(d, forget_run_phrase(&d->m, str(p.run.id), phrase, &f, &d->e));
    assert_int_equal(f.n, 2); /* the reply has it escaped twice, the call once */
    RunStep s;
    desk_ok(d, run_step(&p.run, REPLY, &d->a, &s, &d->e));
    assert_true(s.redacted);
    desk_ok(d, run_step(&p.run, CALL, &d->a, &s, &d->e));
    assert_true(s.redacted);
    assert_goes_on(d, &p, "[redacted]");
}

static void a_purged_run_does_not_go_on(Desk *d)
{
    AUTO(Played) p;
    play_one(d, ONE_CALL, &p);
    RunForgotten f;
    desk_ok(d, forget_run(&d->m, str(p.run.id), &d->a, &f, &d->e));
    assert_int_equal(f.n, 1);
    assert_has(f.beside[0], "artifacts/tool_results/");
    AUTO(Run) r = { 0 };
    desk_expect(d, JOT_NOT_FOUND, loop_resume(&p.s.loop, str(p.run.id), &r, &d->e));
    desk_expect(d, JOT_NOT_FOUND, loop_say(&p.run, S("more"), &d->e));
}

static const DeskTest tests[] = {
    DESK_TEST(of_a_redacted_reply_the_results_are_shown_in_words),
    DESK_TEST(so_it_is_where_tools_are_asked_for_in_json),
    DESK_TEST(a_redacted_answer_that_was_not_taken_is_asked_for_again),
    DESK_TEST(a_redacted_call_changes_nothing),
    DESK_TEST(a_redacted_result_is_shown_as_such),
    DESK_TEST(a_redacted_query_is_shown_as_such),
    DESK_TEST(what_a_person_said_and_redacted_still_asks_for_an_answer),
    DESK_TEST(a_redacted_summary_still_stands_for_its_turns),
    DESK_TEST(a_redacted_answer_is_not_asked_for_again),
    DESK_TEST(a_redacted_end_does_not_matter),
    DESK_TEST(all_but_the_setup_may_be_redacted),
    DESK_TEST(without_its_setup_a_run_does_not_go_on),
    DESK_TEST(an_answered_run_without_its_setup_is_still_answered),
    DESK_TEST(a_later_setup_may_be_redacted),
    DESK_TEST(an_open_call_of_a_redacted_reply_is_known_by_its_record),
    DESK_TEST(an_open_call_without_arguments_is_not_made_again),
    DESK_TEST(a_phrase_goes_from_every_record_that_holds_it_escaped),
    DESK_TEST(a_purged_run_does_not_go_on),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
