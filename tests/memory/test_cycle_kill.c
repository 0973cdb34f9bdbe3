/* test_cycle_kill.c - cycles whose process is killed between any two appends, and two at once.
 *
 * Every record's time comes from the clock, so a clock that kills the process
 * when it is asked for the n-th time kills it in front of its n-th append (and
 * wherever else a time is asked for).  The child is a real process and the signal
 * a real SIGKILL; what the next wake says is asked in the parent. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/cycle/cycle.h"
#include "memory/desk.h"
#include "memory/doc/doc.h"

#define ME S(CYCLE_DEFAULT_AGENT)
#define SAY_DONE "{\"tool\":\"done\",\"args\":{\"summary\":\"it works\"}}"
#define UPDATE "{\"tool\":\"update_scratchpad\",\"args\":{\"goals\":[],\"extra\":1}}"
#define CALL_ECHO "{\"tool\":\"echo\",\"args\":{\"message\":\"hi\"}}"

enum { POINTS_MAX = 100 };

static const char *const begin = "# mine\ngoals: [g]\ncurrent_task: one\npending_actions: [two]\n";

/* --- A process that dies ----------------------------------------------------------------- */

static int ticks_left; /* in the child */

static int64_t dying_clock(void *ctx)
{
    if (--ticks_left < 0)
        kill(getpid(), SIGKILL);
    return ((Desk *)ctx)->now_ms;
}

/* One cycle from wake to its end; false if anything is refused. */
static bool live(Memory *m, bool fails)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Cycle c;
    CycleStep s;
    return cycle_wake(m, ME, NULL, &a, &c, &e) == JOT_OK &&
           cycle_step(m, &(CycleInput){ .agent = ME, .id = c.id, .text = S(UPDATE) }, &a, &s, &c,
                      &e) == JOT_OK &&
           cycle_step(m, &(CycleInput){ .agent = ME, .id = c.id, .text = S(CALL_ECHO) }, &a, &s, &c,
                      &e) == JOT_OK &&
           cycle_result(m,
                        &(CycleInput){ .agent = ME, .id = c.id, .end = TOOL_OK, .text = S("hi") },
                        &a, &s, &c, &e) == JOT_OK &&
           cycle_step(m, &(CycleInput){ .agent = ME, .id = c.id, .text = S(SAY_DONE) }, &a, &s, &c,
                      &e) == JOT_OK &&
           (fails ? cycle_fail(
                        m,
                        &(CycleFailure){
                            .agent = ME, .id = c.id, .why = S("because"), .trace = S("trace") },
                        &a, &c, &e)
                  : cycle_sleep(m, ME, c.id, &a, &c, &e)) == JOT_OK;
}

/* True if the child lived to its end. */
static bool run_child(Desk *d, int ticks, bool fails)
{
    memory_close(&d->m);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ticks_left = ticks;
        d->io.wall_ms = dying_clock;
        Memory m = { 0 };
        Err e = { 0 };
        MemoryOptions o = { .io = &d->io, .by = S("child"), .create = true };
        bool fine = memory_open(&m, str(d->url), &o, &e) == JOT_OK && live(&m, fails);
        memory_close(&m);
        _exit(fine ? 0 : 1);
    }
    bool lived = desk_lived(child);
    desk_reopen(d);
    return lived;
}

/* --- What is true then ------------------------------------------------------------------- */

static Str body_of(Desk *d, const char *stream)
{
    Doc doc;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &doc, &d->e));
    return doc.text;
}

static void put_begin(Desk *d)
{
    Doc out;
    DocWrite w = { .text = str(begin) };
    desk_ok(d, doc_write(&d->m, S("cycles/default"), &w, &d->a, &out, &d->e));
}

static Str wanted_notes(Desk *d, const Cycle *c)
{
    bool answered = false; /* what a tool did stays done, and is told */
    for (size_t i = 0; i < c->calls_n; i++)
        answered = answered || str_eq(c->calls[i].tool, S("echo"));
    answered = answered && !memmem(c->why.p, c->why.n, "while 'echo'", 12);
    Str called = answered
                     ? arena_printf(&d->a,
                                    "Cycle " STR_FMT " had called 'echo': what that did is not "
                                    "undone\n",
                                    STR_ARG(c->id))
                     : S("");
    return arena_printf(&d->a, "Cycle " STR_FMT " failed: " STR_FMT "\n" STR_FMT, STR_ARG(c->id),
                        STR_ARG(c->why), STR_ARG(called));
}

static Str wanted(Desk *d, const Cycle *c)
{
    CycleEnd end = c->end;
    Yaml *s;
    Str text;
    if (end == CYCLE_DONE)
        desk_ok(d, cycle_state_read(S("goals: []\ncurrent_task: two\npending_actions: []\n"
                                      "completed_tasks:\n- task: one\n  summary: it works\n"
                                      "extra: 1\nnotes: |\n"
                                      "  [TOOL] echo({\"message\":\"hi\"}) -> hi\n"
                                      "  [COMPLETED] it works\n"),
                                    &d->a, &s, &d->e));
    else
        desk_ok(d, cycle_state_read(str(begin), &d->a, &s, &d->e));
    if (end != CYCLE_DONE)
        yaml_set(&d->a, s, S("notes"), yaml_text(&d->a, wanted_notes(d, c)));
    desk_ok(d, cycle_state_write(s, &d->a, &text, &d->e));
    return text;
}

static void assert_same_but_order(Desk *d, Str got, Str want)
{
    Yaml *g, *w;
    desk_ok(d, cycle_state_read(got, &d->a, &g, &d->e));
    desk_ok(d, cycle_state_read(want, &d->a, &w, &d->e));
    assert_int_equal(g->n, w->n);
    for (size_t i = 0; i < w->n; i++)
        if (!str_eq(w->pairs[i].key, S("last_updated")))
            assert_true(yaml_eq(yaml_get(g, w->pairs[i].key), w->pairs[i].value));
}

/* The cycle a child left, once the next wake has been there. */
static CycleEnd check_after_wake(Desk *d, Str id, const Cycle *next)
{
    Cycle c;
    desk_ok(d, cycle_find(&d->m, ME, id, &d->a, &c, &d->e));
    assert_int_not_equal(c.end, CYCLE_RUNNING);
    assert_text(c.before, begin);
    Str want = wanted(d, &c);
    assert_same_but_order(d, next->before, want);
    assert_same_but_order(d, c.after, want);
    Str before = arena_printf(&d->a, "snapshots/default/" STR_FMT "_before", STR_ARG(id));
    Str after = arena_printf(&d->a, "snapshots/default/" STR_FMT "_after", STR_ARG(id));
    assert_text(body_of(d, before.p), begin);
    assert_str(body_of(d, after.p), c.after);
    return c.end;
}

/* Kill at every point; count how the cycles ended. */
static void kill_everywhere(Desk *d, bool fails, size_t ends[CYCLE_KILLED + 1])
{
    bool lived = false;
    for (int ticks = 0; ticks < POINTS_MAX && !lived; ticks++) {
        put_begin(d);
        d->now_ms += 10 * 1000;
        lived = run_child(d, ticks, fails);
        CycleStatus s;
        Cycle next;
        desk_ok(d, cycle_status(&d->m, ME, &d->a, &s, &d->e));
        Str id = arena_copy(&d->a, s.newest);
        bool begun = s.running || !str_eq(body_of(d, "cycles/default"), str(begin));
        d->awake_ms += CYCLE_TTL_MS;
        d->now_ms += 10 * 1000;
        desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &next, &d->e));
        if (begun)
            ends[check_after_wake(d, id, &next)]++;
        else
            assert_text(next.before, begin);
        desk_ok(d, cycle_sleep(&d->m, ME, next.id, &d->a, &next, &d->e));
    }
    assert_true(lived);
}

static void a_kill_at_any_point_leaves_the_state_before_or_after(Desk *d)
{
    size_t ends[CYCLE_KILLED + 1] = { 0 };
    kill_everywhere(d, false, ends);
    assert_true(ends[CYCLE_KILLED] >= 5); /* behind before, snapshot, and each of four steps */
    assert_true(ends[CYCLE_DONE] >= 4);   /* behind end, after, two snapshots or none, and state */
    assert_int_equal(ends[CYCLE_FAILED], 0);
}

static void a_kill_while_failing_leaves_the_state_before(Desk *d)
{
    size_t ends[CYCLE_KILLED + 1] = { 0 };
    kill_everywhere(d, true, ends);
    assert_true(ends[CYCLE_KILLED] >= 5);
    assert_true(ends[CYCLE_FAILED] >= 4);
    assert_int_equal(ends[CYCLE_DONE], 0);
}

/* The one that puts things right may be killed too. */
static void a_kill_of_whoever_puts_it_right_changes_nothing(Desk *d)
{
    bool lived = false;
    for (int ticks = 0; ticks < POINTS_MAX && !lived; ticks++) {
        Cycle dead, next;
        put_begin(d);
        d->now_ms += 10 * 1000;
        desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &dead, &d->e));
        d->awake_ms += CYCLE_TTL_MS;
        d->now_ms += 10 * 1000;
        lived = run_child(d, ticks, false);
        d->awake_ms += CYCLE_TTL_MS;
        d->now_ms += 10 * 1000;
        desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &next, &d->e));
        Cycle c;
        desk_ok(d, cycle_find(&d->m, ME, dead.id, &d->a, &c, &d->e));
        assert_int_equal(c.end, CYCLE_KILLED);
        assert_same_but_order(d, c.after, wanted(d, &c));
        desk_ok(d, cycle_sleep(&d->m, ME, next.id, &d->a, &next, &d->e));
    }
    assert_true(lived);
}

static void a_killed_process_leaves_a_cycle_that_can_go_on(Desk *d)
{
    put_begin(d);
    CycleStatus s;
    Cycle c;
    CycleStep out;
    for (int ticks = 0; ticks < POINTS_MAX; ticks++) {
        assert_false(run_child(d, ticks, false));
        desk_ok(d, cycle_status(&d->m, ME, &d->a, &s, &d->e));
        if (s.running)
            break;
    }
    desk_ok(d, cycle_find(&d->m, ME, s.newest, &d->a, &c, &d->e));
    while (!c.done) {
        const char *reply = c.iterations == 0 ? UPDATE : c.iterations == 1 ? CALL_ECHO : SAY_DONE;
        if (c.waiting)
            desk_ok(d, cycle_result(&d->m,
                                    &(CycleInput){
                                        .agent = ME, .id = c.id, .end = TOOL_OK, .text = S("hi") },
                                    &d->a, &out, &c, &d->e));
        else
            desk_ok(d,
                    cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = c.id, .text = str(reply) },
                               &d->a, &out, &c, &d->e));
    }
    desk_ok(d, cycle_sleep(&d->m, ME, c.id, &d->a, &c, &d->e));
    assert_same_but_order(d, c.after, wanted(d, &c));
}

/* --- Several at once --------------------------------------------------------------------- */

enum { CROWD = 6 };

static void of_many_that_wake_at_once_one_succeeds(Desk *d)
{
    for (int round = 0; round < 5; round++) {
        pid_t pids[CROWD];
        int go[2], winners = 0;
        assert_int_equal(pipe(go), 0);
        memory_close(&d->m);
        for (int i = 0; i < CROWD; i++) {
            pids[i] = fork();
            assert_true(pids[i] >= 0);
            if (pids[i])
                continue;
            Memory m = { 0 };
            AUTO(Arena) a = { 0 };
            Err e = { 0 };
            Cycle c;
            char byte;
            close(go[1]);
            MemoryOptions o = { .io = &d->io, .by = S("child"), .create = true };
            jot_status st = memory_open(&m, str(d->url), &o, &e);
            ssize_t got = read(go[0], &byte, 1); /* all start when the parent lets go */
            if (st == JOT_OK && got == 0)
                st = cycle_wake(&m, ME, NULL, &a, &c, &e);
            memory_close(&m);
            _exit(st == JOT_OK ? 0 : st == JOT_LEASED ? 1 : 2);
        }
        close(go[0]);
        close(go[1]);
        for (int i = 0; i < CROWD; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_true(WIFEXITED(status));
            assert_int_not_equal(WEXITSTATUS(status), 2);
            winners += WEXITSTATUS(status) == 0;
        }
        desk_reopen(d);
        assert_int_equal(winners, 1);
        d->awake_ms += CYCLE_TTL_MS; /* the next round takes over a dead cycle */
    }
    CycleList list;
    desk_ok(d, cycle_list(&d->m, ME, &d->a, &list, &d->e));
    assert_int_equal(list.n, 5);
}

/* Somebody else's turn, between the moment a step has looked and the moment it is written: that
 * is where it asks how long the machine has been awake for the second time. */
static struct {
    int left;
    Memory *other;
    void (*turn)(Desk *d, Memory *other);
} between;

static int64_t interrupted(void *ctx)
{
    Desk *d = ctx;
    if (--between.left == 0)
        between.turn(d, between.other);
    return d->awake_ms;
}

static bool gone(void *ctx, const Cycle *running)
{
    (void)ctx, (void)running;
    return true;
}

static void take_over(Desk *d, Memory *other)
{
    Cycle c;
    desk_ok(d, cycle_wake(other, ME, &(CycleWake){ .gone = gone }, &d->a, &c, &d->e));
}

static void step_too(Desk *d, Memory *other)
{
    Cycle c;
    CycleStep out;
    CycleStatus s;
    desk_ok(d, cycle_status(other, ME, &d->a, &s, &d->e));
    desk_ok(d, cycle_step(other, &(CycleInput){ .agent = ME, .id = s.newest, .text = S(UPDATE) },
                          &d->a, &out, &c, &d->e));
}

static size_t steps_of(Desk *d, Str id)
{
    Records r;
    Str stream = arena_printf(&d->a, "steps/default/" STR_FMT, STR_ARG(id));
    desk_ok(d, store_read(d->m.store, stream, (SeqRange){ 1, 100 }, &d->a, &r, &d->e));
    return r.n;
}

static void a_step_of_a_process_thought_dead_is_refused(Desk *d)
{
    AUTO(Memory) bob = desk_open(d, "bob");
    Cycle c;
    CycleStep out;
    desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &c, &d->e));
    Str id = c.id;
    between.left = 2;
    between.other = &bob;
    between.turn = take_over;
    d->io.awake_ms = interrupted;
    desk_expect(d, JOT_CONFLICT,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = id, .text = S(UPDATE) }, &d->a,
                           &out, &c, &d->e));
    assert_true(between.left <= 0);
    desk_expect(d, JOT_FENCED,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = id, .text = S(UPDATE) }, &d->a,
                           &out, &c, &d->e));
    assert_int_equal(steps_of(d, id), 1); /* its end */
}

static void of_two_steps_at_once_one_is_refused(Desk *d)
{
    AUTO(Memory) bob = desk_open(d, "bob");
    Cycle c;
    CycleStep out;
    desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &c, &d->e));
    Str id = c.id;
    between.left = 2;
    between.other = &bob;
    between.turn = step_too;
    d->io.awake_ms = interrupted;
    desk_expect(d, JOT_CONFLICT,
                cycle_step(&d->m, &(CycleInput){ .agent = ME, .id = id, .text = S(UPDATE) }, &d->a,
                           &out, &c, &d->e));
    assert_says(d, "somebody else took a step");
    assert_int_equal(steps_of(d, id), 1);
}

/* A sign of life in the moment of a takeover: the cycle lives on. */
static void a_wake_that_meets_a_sign_of_life_is_refused(Desk *d)
{
    AUTO(Memory) bob = desk_open(d, "bob");
    Cycle c;
    desk_ok(d, cycle_wake(&d->m, ME, NULL, &d->a, &c, &d->e));
    Str id = c.id;
    d->awake_ms += CYCLE_TTL_MS;
    between.left = 2;
    between.other = &bob;
    between.turn = step_too;
    d->io.awake_ms = interrupted;
    desk_expect(d, JOT_LEASED, cycle_wake(&d->m, ME, NULL, &d->a, &c, &d->e));
    desk_ok(d, cycle_find(&d->m, ME, id, &d->a, &c, &d->e));
    assert_int_equal(c.end, CYCLE_RUNNING);
    assert_int_equal(c.iterations, 1);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_kill_at_any_point_leaves_the_state_before_or_after),
        DESK_TEST(a_kill_while_failing_leaves_the_state_before),
        DESK_TEST(a_kill_of_whoever_puts_it_right_changes_nothing),
        DESK_TEST(a_killed_process_leaves_a_cycle_that_can_go_on),
        DESK_TEST(a_step_of_a_process_thought_dead_is_refused),
        DESK_TEST(of_two_steps_at_once_one_is_refused),
        DESK_TEST(a_wake_that_meets_a_sign_of_life_is_refused),
        DESK_TEST(of_many_that_wake_at_once_one_succeeds),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
