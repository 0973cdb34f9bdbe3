/* test_back.c - a run taken back to an earlier turn: the same requests up to there, and the old run
 * as it was. */
#include "agent/killer.h"
#include "agent/played.h"
#include "memory/forget/forget.h"
#include "memory/task/plan.h"

/* Four turns; the last call changes something. */
#define SCRIPT                                                      \
    "- calls: [{name: count, args: {}}]\n"                          \
    "- calls: [{name: big, args: {lines: 300}}]\n"                  \
    "- calls: [{name: scratchpad_list}, {name: count, args: {}}]\n" \
    "- text: first answer\n"

static void assert_answer(const Played *p, const char *answer)
{
    assert_int_equal(p->st, JOT_OK);
    assert_int_equal(p->o.end, LOOP_ANSWERED);
    assert_text(p->o.answer, answer);
}

/* The run that was played, as a list of its records. */
static jot_status add_step(void *ctx, const RunStep *s)
{
    buf_addf(ctx, "%llu %s %lld " STR_FMT "\n", (unsigned long long)s->seq, run_kind_name(s->kind),
             (long long)s->at_ms, STR_ARG(s->body));
    return JOT_OK;
}

static Str all_of(Desk *d, const char *id)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { 0 };
    desk_ok(d, run_open(&d->m, str(id), &r, &d->e));
    desk_ok(d, run_each(&r, 1, add_step, &text, NULL, &d->e));
    return arena_copy(&d->a, buf_str(&text));
}

static jot_status count_run(void *ctx, const RunLine *l)
{
    (void)l;
    ++*(size_t *)ctx;
    return JOT_OK;
}

static size_t runs(Desk *d)
{
    size_t n = 0;
    desk_ok(d, run_list(&d->m, count_run, &n, &d->e));
    return n;
}

/* The n-th request, from 1. */
static Str request(Desk *d, int n)
{
    Str rest = requests(d), line = { 0 };
    for (; n > 0; n--)
        assert_true(str_cut(&rest, '\n', &line));
    return line;
}

/* Take what `p` has played back, and go on with another script. */
static void take_back(Desk *d, Played *p, uint64_t turn, const char *script, Played *out)
{
    begin(d, script, out);
    desk_ok(d, loop_back(&out->s.loop, str(p->run.id), turn, &out->run, &d->e));
    out->st = loop_go(&out->s.loop, &out->run, &d->a, &out->o, &d->e);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void a_turn_is_asked_for_again_with_the_same_bytes(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    play(d,
         "- calls: [{name: count, args: {}}]\n- calls: [{name: big, args: {lines: 300}}]\n"
         "- calls: [{name: scratchpad_list}]\n- text: first answer\n",
         &p);
    Str before = all_of(d, p.run.id), third = request(d, 3);
    take_back(d, &p, 3, "- text: a\n- text: b\n- text: second answer\n", &back);
    assert_answer(&back, "second answer");
    assert_str(request(d, 1), third);
    assert_str(all_of(d, p.run.id), before);
    assert_string_not_equal(back.run.id, p.run.id);
    AUTO(Arena) a = { 0 };
    RunStep first;
    desk_ok(d, run_origin(&back.run, &a, &first, &d->e));
    assert_text(first.origin, p.run.id);
    assert_int_equal(first.turn, 3);
    /* What was counted once is not counted again, and its result is where it was. */
    assert_int_equal(back.o.results, 2);
    assert_has(third, arena_printf(&d->a, "key=artifacts/tool_results/%s.r2c1", p.run.id).p);
}

static void the_first_turn_can_be_asked_for_again(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    play(d, "- text: no\n", &p);
    Str first = request(d, 1);
    take_back(d, &p, 1, "- text: yes\n", &back);
    assert_answer(&back, "yes");
    assert_str(request(d, 1), first);
}

static void what_later_calls_changed_is_told(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    play(d, SCRIPT, &p);
    take_back(d, &p, 2,
              "- text: a\n- {text: again, expect: [\"[taken back]\", \"not undone: count.\"]}\n",
              &back);
    assert_answer(&back, "again");
}

static void a_turn_that_is_not_there_is_refused_and_nothing_is_made(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Run) out = { 0 };
    play(d, SCRIPT, &p);
    desk_expect(d, JOT_INVALID, loop_back(&p.s.loop, str(p.run.id), 5, &out, &d->e));
    assert_says(d, "has turns 1 to 4, not 5");
    desk_expect(d, JOT_NOT_FOUND, loop_back(&p.s.loop, S("nosuch"), 1, &out, &d->e));
    assert_int_equal(runs(d), 1);
}

static void a_run_that_was_taken_back_can_be_taken_back_again(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    AUTO(Played) again = { 0 };
    play(d, SCRIPT, &p);
    take_back(d, &p, 3,
              "- text: a\n- text: b\n- calls: [{name: big, args: {lines: 300}}]\n- text: c\n",
              &back);
    assert_answer(&back, "c");
    take_back(d, &back, 4, "- text: a\n- text: b\n- text: c\n- text: d\n", &again);
    assert_answer(&again, "d");
    /* Calls have the names of the run they were made in, and each result is there to be read. */
    Str sent = request(d, 1);
    assert_has(sent, arena_printf(&d->a, "artifacts/tool_results/%s.r2c1", p.run.id).p);
    assert_has(sent, arena_printf(&d->a, "artifacts/tool_results/%s.r3c1", back.run.id).p);
}

static void what_was_redacted_stays_so(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    Forgotten gone;
    play(d, "- calls: [{name: count, args: {secret: sesame}}]\n- text: done\n", &p);
    desk_ok(d, forget_phrase(&d->m, str(p.run.stream), S("sesame"), &gone, &d->e));
    take_back(d, &p, 2, "- text: a\n- {text: fine, expect: [\"[redacted]\"]}\n", &back);
    assert_answer(&back, "fine");
    assert_int_equal(scene_times(requests(d), "sesame"), 0);
}

static void a_plan_comes_along_as_it_was(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    begin(d, "- calls: [{name: count, args: {}}]\n- text: done\n", &p);
    desk_ok(d, loop_begin(&p.s.loop, S("what is it?"), &p.run, &d->e));
    Str look = S("look");
    Plan plan;
    PlanDraft draft = { .objective = S("know"), .steps = &look, .steps_n = 1 };
    desk_ok(d, plan_create(&d->m, str(p.run.id), &draft, &d->a, &plan, &d->e));
    p.s.loop.iterations_max = 1;
    p.st = loop_go(&p.s.loop, &p.run, &d->a, &p.o, &d->e);
    d->now_ms += 1000;
    PlanMove move = { .n = 1, .status = PLAN_DONE, .evidence = S("seen") };
    desk_ok(d, plan_step(&d->m, str(p.run.id), &move, &d->a, &plan, &d->e));
    take_back(d, &p, 1, "- {text: done, repeat: true}\n", &back);
    assert_int_equal(back.o.end, LOOP_INCOMPLETE_PLAN);
    desk_ok(d, plan_read(&d->m, str(back.run.id), &d->a, &plan, &d->e));
    assert_int_equal(plan.steps[0].status, PLAN_PENDING);
}

/* Folds are at the same numbers, and say the same. */
static void a_long_run_is_the_same_in_its_copy(Desk *d)
{
    AUTO(Played) p = { 0 };
    AUTO(Played) back = { 0 };
    AUTO(Run) copy = { 0 };
    begin(d, "- {calls: [{name: scratchpad_list, args: {}}], repeat: true}\n", &p);
    p.s.loop.iterations_max = 60;
    go(d, &p);
    take_back(d, &p, 51, "- {text: done, repeat: true}\n", &back);
    assert_answer(&back, "done");
    desk_ok(d, run_open(&d->m, str(back.run.id), &copy, &d->e));
    assert_int_equal(back.o.replies, 51);
    assert_true(back.o.tokens < p.o.tokens / 10); /* what the old one cost is the old one's */
    assert_int_equal(copy.state.results, 50);
    assert_int_equal(copy.state.damaged, 0);
    assert_int_equal(usage_find(&copy.state.usage, S("scratchpad_list"))->calls, 50);
}

/* --- Killed while it is taken back -------------------------------------------------------- */

typedef struct Ids {
    char first[RUN_ID_MAX + 1], last[RUN_ID_MAX + 1];
} Ids;

static jot_status keep_ids(void *ctx, const RunLine *l)
{
    Ids *ids = ctx;
    if (!ids->first[0])
        snprintf(ids->first, sizeof ids->first, STR_FMT, STR_ARG(l->id));
    snprintf(ids->last, sizeof ids->last, STR_FMT, STR_ARG(l->id));
    return JOT_OK;
}

/* Without a run: play one.  With one: take it back.  With two: go on with the second. */
static int work(Desk *d, Memory *m, const void *ctx)
{
    AUTO(Arena) a = { 0 };
    AUTO(Scene) s = { 0 };
    AUTO(Run) r = { 0 };
    Err e = { 0 };
    Ids ids = { 0 };
    LoopOutcome o = { 0 };
    const bool *play_first = ctx;
    jot_status st = scene_open(&s, m, d->dir, &e);
    if (st == JOT_OK)
        st = run_list(m, keep_ids, &ids, &e);
    if (!*play_first)
        d->now_ms += 5000;
    if (st == JOT_OK && *play_first)
        st = loop_begin(&s.loop, S("what is it?"), &r, &e);
    else if (st == JOT_OK && strcmp(ids.first, ids.last) == 0)
        st = loop_back(&s.loop, str(ids.first), 3, &r, &e);
    else if (st == JOT_OK)
        st = loop_resume(&s.loop, str(ids.last), &r, &e);
    if (st == JOT_OK)
        st = loop_go(&s.loop, &r, &a, &o, &e);
    bool fine = st == JOT_OK && o.end == LOOP_ANSWERED;
    if (!fine)
        fprintf(stderr, "%s: %s\n", status_info(st)->name, e.text);
    return fine ? 0 : 1;
}

static void a_copy_that_was_killed_is_finished_by_the_next_process(Desk *d)
{
    const bool first = true, then = false;
    size_t kills = 0, stride = killer_stride();
    Str want = { 0 };
    bool ended = false;
    memory_close(&d->m);
    scene_put(d->dir, "script", SCRIPT);
    for (size_t at = 0; !ended && at < KILLER_STEPS_MAX; at += at ? stride : 1) {
        killer_forget(d);
        assert_true(killer_run(d, 0, work, &first));
        scene_put(d->dir, "requests", "");
        ended = killer_run(d, at, work, &then) && at > 0;
        if (at == 0) /* nobody killed it */
            want = request(d, 1);
        if (at == 0 || ended)
            continue;
        kills++;
        scene_put(d->dir, "requests", "");
        assert_true(killer_run(d, 0, work, &then));
        if (requests(d).n && scene_times(requests(d), "\n") == 2) /* it had not asked yet */
            assert_str(request(d, 1), want);
    }
    assert_true(ended && kills > 4 / stride);
    killer_forget(d);
    desk_reopen(d);
}

static const DeskTest tests[] = {
    DESK_TEST(a_turn_is_asked_for_again_with_the_same_bytes),
    DESK_TEST(the_first_turn_can_be_asked_for_again),
    DESK_TEST(what_later_calls_changed_is_told),
    DESK_TEST(a_turn_that_is_not_there_is_refused_and_nothing_is_made),
    DESK_TEST(a_run_that_was_taken_back_can_be_taken_back_again),
    DESK_TEST(what_was_redacted_stays_so),
    DESK_TEST(a_plan_comes_along_as_it_was),
    DESK_TEST(a_long_run_is_the_same_in_its_copy),
    DESK_TEST(a_copy_that_was_killed_is_finished_by_the_next_process),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), true);
}
