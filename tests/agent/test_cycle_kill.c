/* test_cycle_kill.c - a cycle that is killed at every step it takes towards the disk, and the next
 * one, which begins at once.
 *
 * What is true in between and afterwards is asked in the parent: the state, the
 * lease, how the dead cycle ended, how often its tools really ran (a file that the
 * pad knows nothing of says so), and where the script goes on. */
#include "agent/cycle_loop.h"
#include "agent/killer.h"
#include "agent/scene.h"
#include "memory/cycle/explain.h"
#include "memory/lease.h"

#define ME S(CYCLE_DEFAULT_AGENT)

enum { ANSWERS = 5, ITERATIONS = 8 }; /* of the script's first cycle; allowed */

static const char *const script =
    "- text: '{\"tool\": \"count\", \"args\": {}}'\n"
    "- text: '{\"tool\": \"update_scratchpad\", \"args\": {\"mood\": \"fine\"}}'\n"
    "- text: Hm.\n"
    "- text: '{\"tool\": \"count\", \"args\": {\"again\": true}}'\n"
    "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"counted\"}}'\n"
    "- {text: '{\"tool\": \"done\", \"args\": {\"summary\": \"rest\"}}', repeat: true}\n";

static int init(Desk *d, Memory *m, const void *ctx)
{
    AUTO(Arena) a = { 0 };
    Str goal = S("count"), state;
    CycleInit o = { .goals = &goal, .goals_n = 1 };
    (void)d, (void)ctx;
    return cycle_init(m, ME, &o, &a, &state, NULL) == JOT_OK ? 0 : 1;
}

/* One cycle, without waiting for anybody. */
static int live(Desk *d, Memory *m, const void *ctx)
{
    AUTO(Arena) a = { 0 };
    AUTO(Scene) s = { 0 };
    Err e = { 0 };
    Cycle c = { 0 };
    (void)ctx;
    jot_status st = scene_open(&s, m, d->dir, &e);
    CycleLoop w = { .m = m,
                    .llm = s.llm,
                    .tools = s.loop.tools,
                    .agent = ME,
                    .system = S("Work."),
                    .iterations_max = ITERATIONS };
    if (st == JOT_OK)
        st = cycle_loop_run(&w, &a, &c, &e);
    if (st != JOT_OK || c.end != CYCLE_DONE)
        fprintf(stderr, "%s: %s\n", status_info(st)->name, e.text);
    return st == JOT_OK && c.end == CYCLE_DONE ? 0 : 1;
}

/* --- What is true ------------------------------------------------------------------------ */

/* The texts that people may ever see as the state, in the order in which they come. */
typedef struct Texts {
    Str before, after, state;
} Texts;

static void begin(Desk *d)
{
    killer_forget(d);
    assert_true(killer_run(d, 0, init, NULL));
}

static Str state_text(Desk *d, CycleStatus *s)
{
    desk_ok(d, cycle_status(&d->m, ME, &d->a, s, &d->e));
    return s->text;
}

static Texts play_whole(Desk *d)
{
    Texts t;
    CycleStatus s;
    Cycle c;
    begin(d);
    assert_true(killer_run(d, 0, live, NULL));
    d->m = desk_open(d, "ann");
    t.state = state_text(d, &s);
    desk_ok(d, cycle_find(&d->m, ME, s.newest, &d->a, &c, &d->e));
    t.before = c.before;
    t.after = c.after;
    memory_close(&d->m);
    return t;
}

/* Right after the kill.  The id of the cycle that was begun, or empty. */
static Str look_at_once(Desk *d, const Texts *t, size_t at)
{
    CycleStatus s;
    Lease lease;
    Err ignored = { 0 };
    d->m = desk_open(d, "ann");
    Str text = state_text(d, &s);
    assert_row(str_eq(text, t->before) || str_eq(text, t->after) || str_eq(text, t->state), at,
               "the state is neither the one before nor the one after");
    assert_row(lease_find(&d->m, S("cycles/default"), false, &d->a, &lease, &ignored) ==
                   JOT_NOT_FOUND,
               at, "the lease is still there");
    memory_close(&d->m);
    return s.newest;
}

/* How often the cycle's tool really ran, in whichever iteration; never twice in one. */
static size_t counted(Desk *d, Str id, size_t at)
{
    AUTO(Arena) a = { 0 };
    Str counter = beside_get(d->dir, "counter", &a);
    size_t n = 0;
    for (size_t i = 1; i <= ITERATIONS; i++) {
        Str line = arena_printf(&a, "default." STR_FMT ".i%zu\n", STR_ARG(id), i);
        size_t times = scene_times(counter, line.p);
        assert_row(times <= 1, at, "counted twice");
        n += times;
    }
    return n;
}

/* Everything but the notes is as it was before. */
static void assert_rolled_back(Desk *d, const Cycle *c, size_t at)
{
    Yaml *was, *is;
    desk_ok(d, cycle_state_read(c->before, &d->a, &was, &d->e));
    desk_ok(d, cycle_state_read(c->after, &d->a, &is, &d->e));
    assert_row(was->n == is->n, at, "a key came or went");
    for (size_t i = 0; i < was->n; i++)
        assert_row(str_eq(was->pairs[i].key, S("notes")) ||
                       yaml_eq(was->pairs[i].value, yaml_get(is, was->pairs[i].key)),
                   at, "something of a step is in the state");
}

/* What the notes say that the cycle had called is what the file says, but for one call. */
static void assert_calls_told(Desk *d, const Cycle *c, size_t at)
{
    Str told = c->after;
    size_t n = counted(d, c->id, at);
    bool unknown = scene_times(told, "while 'count' was called: nobody knows") == 1;
    size_t answered =
        scene_times(told, "had called 'count'") + scene_times(told, "had called 'count' (2 times)");
    assert_row(n == answered || (unknown && n == answered + 1), at, "a call is not told");
}

static void check_dead(Desk *d, Str id, size_t at, size_t *replies, size_t ends[])
{
    Cycle c;
    Explanation x;
    desk_ok(d, cycle_find(&d->m, ME, id, &d->a, &c, &d->e));
    desk_ok(d, cycle_explain(&c, &d->a, &x, &d->e));
    ends[c.end]++;
    *replies = c.iterations;
    if (c.end == CYCLE_DONE) {
        assert_row(x.reading == READING_FINISHED && counted(d, id, at) == 2, at, "not finished");
        return;
    }
    assert_row(c.end == CYCLE_KILLED && x.reading == READING_CRASHED, at, "how it ended");
    assert_rolled_back(d, &c, at);
    assert_calls_told(d, &c, at);
}

/* The next cycle has been there. */
static void look_afterwards(Desk *d, Str dead, size_t at, size_t ends[])
{
    CycleStatus s;
    Cycle next;
    size_t replies = 0;
    d->m = desk_open(d, "ann");
    state_text(d, &s);
    assert_row(!s.running && !str_eq(s.newest, dead), at, "there was no next cycle");
    if (dead.n)
        check_dead(d, dead, at, &replies, ends);
    desk_ok(d, cycle_find(&d->m, ME, s.newest, &d->a, &next, &d->e));
    counted(d, next.id, at);
    size_t left = replies < ANSWERS ? ANSWERS - replies : 1;
    assert_row(next.iterations == left, at, "the script went on elsewhere");
    memory_close(&d->m);
}

/* --- The tests --------------------------------------------------------------------------- */

static void a_kill_at_any_step_leaves_a_whole_state_and_a_free_agent(Desk *d)
{
    size_t ends[CYCLE_KILLED + 1] = { 0 }, kills = 0;
    bool ended = false;
    memory_close(&d->m);
    scene_put(d->dir, "script", script);
    Texts t = play_whole(d);
    for (size_t at = 1; !ended && at < KILLER_STEPS_MAX; at += killer_stride()) {
        begin(d);
        ended = killer_run(d, at, live, NULL);
        if (ended)
            break;
        kills++;
        Str dead = look_at_once(d, &t, at);
        assert_true(killer_run(d, 0, live, NULL));
        look_afterwards(d, dead, at, ends);
    }
    assert_true(ended);
    assert_true(ends[CYCLE_KILLED] > 0 || killer_stride() > 1);
    print_message("%zu kills: %zu cycles were ended by the next, %zu had finished\n", kills,
                  ends[CYCLE_KILLED], ends[CYCLE_DONE]);
    killer_forget(d);
    desk_reopen(d);
}

static const DeskTest tests[] = {
    DESK_TEST(a_kill_at_any_step_leaves_a_whole_state_and_a_free_agent),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), true);
}
