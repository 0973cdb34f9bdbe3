/* test_forget_pad.c - a phrase that must go out of the whole pad: what is left of it reads well,
 * what cannot be taken out is told, and a call that was killed is finished by the next. */
#include "memory/forget/forget.h"

#include <signal.h>
#include <sys/wait.h>

#include "memory/artifact/checkpoint.h"
#include "memory/artifact/sink.h"
#include "memory/cycle/cycle.h"
#include "memory/doc/doc.h"
#include "memory/forget_desk.h"
#include "memory/graph/graph.h"
#include "memory/lease.h"
#include "memory/task/plan.h"
#include "memory/task/task.h"

static jot_status forget_everywhere(Desk *d, Str phrase, ForgetCount *c, Str *told)
{
    AUTO(Told) t = { 0 };
    ForgetHooks hooks = { .left = tell, .ctx = &t };
    jot_status st = forget_all(&d->m, phrase, &hooks, c, &d->e);
    *told = arena_copy(&d->a, buf_str(&t.text));
    return st;
}

/* An agent's cycle: state, two snapshots, steps, a log of its failure. */
static void fill_cycle(Desk *d, const char *agent)
{
    Str text, goal = S("find " CANARY);
    Cycle c;
    CycleStep step;
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    desk_ok(d, cycle_init(&d->m, str(agent), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, str(agent), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    Str id = arena_copy(&d->a, c.id);
    desk_ok(d,
            cycle_step(&d->m,
                       &(CycleInput){
                           .agent = str(agent),
                           .id = id,
                           .text = S("{\"tool\": \"look\", \"args\": {\"q\": \"" CANARY "\"}}") },
                       &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_result(
                   &d->m,
                   &(CycleInput){
                       .agent = str(agent), .id = id, .end = TOOL_OK, .text = S("seen " CANARY) },
                   &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_fail(&d->m,
                          &(CycleFailure){ .agent = str(agent),
                                           .id = id,
                                           .why = S("broken"),
                                           .trace = S("at " CANARY) },
                          &d->a, &c, &d->e));
}

/* Something in every kind of stream, that can all be taken out. */
static void fill_pad(Desk *d)
{
    AUTO(Run) r = { 0 };
    Doc gone;
    Checkpoint c;
    SinkView view;
    bool added;
    put(d, "notes/a", "first " CANARY "\n");
    put(d, "notes/a", "second " CANARY "\n");
    put(d, "notes/clean", "nothing\n");
    put(d, "notes/deleted", "it was " CANARY "\n");
    desk_ok(d, doc_delete(&d->m, S("notes/deleted"), NULL, &d->a, &gone, &d->e));
    put(d, "memories/m.md", CANARY "\n");
    put(d, "artifacts/planning/p", "{\n  \"a\": \"x\\n" CANARY "\"\n}");
    SinkPut spilled = { .call = S("c1"), .tool = S("fetch"), .result = S("spilled " CANARY) };
    desk_ok(d, sink_write(&d->m, &spilled, &d->a, &view, NULL, &d->e));
    record_run(d, "{\"q\":\"" CANARY "\"}", S("it is " CANARY), &r);
    line(d, "logs/build/out", "a line " CANARY);
    CheckpointWrite with = { .state = S("s " CANARY) }, without = { .state = S("s") };
    desk_ok(d, checkpoint_write(&d->m, S("cp"), &with, &c, &d->e));
    desk_ok(d, checkpoint_write(&d->m, S("cp"), &without, &c, &d->e));
    fill_cycle(d, "ann");
    AUTO_PTR(json_t)
    entity = json_pack("{s:s, s:s, s:[s]}", "name", "Ann", "entityType", "person", "observations",
                       "knows " CANARY);
    desk_ok(d, graph_add_entity(&d->m, entity, &added, &d->e));
}

static void a_phrase_goes_from_the_whole_pad(Desk *d)
{
    ForgetCount c;
    Str told;
    fill_pad(d);
    make_index(d);
    assert_true(bodies(d) >= 15);
    assert_true(!on_disk(d) || desk_files_with(d, CANARY) > 0);
    jot_status st = forget_everywhere(d, S(CANARY), &c, &told);
    if (st != JOT_OK)
        fail_msg("%s: " STR_FMT, d->e.text, STR_ARG(told));
    assert_int_equal(c.left, 0);
    assert_gone(d);
    assert_finds_nothing(d);
    desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, S(CANARY), &c, &told));
    assert_int_equal(c.changed, 0);
    if (on_disk(d))
        desk_reopen(d);
    assert_int_equal(desk_files_with(d, CANARY), 0);
}

static void what_is_left_of_it_reads_well(Desk *d)
{
    ForgetCount c;
    Str told;
    CycleList cycles;
    Cycle one;
    Checkpoint back;
    SinkSlice slice;
    fill_pad(d);
    desk_ok(d, forget_everywhere(d, S(CANARY), &c, &told));
    assert_reads(d, "notes/a", "second [redacted]\n");
    assert_reads(d, "notes/clean", "nothing\n");
    assert_reads(d, "artifacts/planning/p", "{\n  \"a\": \"x\\n[redacted]\"\n}");
    SinkRange whole = { 0 };
    desk_ok(d, sink_read(&d->m, S("c1"), &whole, &d->a, &slice, &d->e));
    assert_text(slice.text, "spilled [redacted]");
    desk_expect(d, JOT_NOT_FOUND, checkpoint_read(&d->m, S("cp"), 1, &d->a, &back, &d->e));
    desk_ok(d, checkpoint_undo(&d->m, S("cp"), 0, &d->a, &back, &d->e));
    assert_text(back.state, "s");
    desk_ok(d, cycle_list(&d->m, S("ann"), &d->a, &cycles, &d->e));
    assert_int_equal(cycles.n, 1);
    desk_ok(d, cycle_find(&d->m, S("ann"), cycles.items[0].id, &d->a, &one, &d->e));
    assert_int_equal(one.end, CYCLE_FAILED);
    assert_non_null(memmem(one.before.p, one.before.n, "find [redacted]", 15));
    assert_non_null(memmem(one.after.p, one.after.n, "[redacted]", 10));
    d->now_ms += 1000;
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &one, &d->e));
    desk_ok(d, cycle_find(&d->m, S("ann"), cycles.items[0].id, &d->a, &one, &d->e));
    assert_non_null(memmem(one.before.p, one.before.n, "find [redacted]", 15)); /* a snapshot */
    AUTO(Graph) g = { 0 };
    desk_ok(d, graph_read(&d->m, &d->a, &g, &d->e));
    assert_int_equal(g.n, 1);
    assert_int_equal(g.damaged, 0);
}

/* A cycle that runs, and whose goal is the secret; its id. */
static Str wake_with_secret(Desk *d, Cycle *c)
{
    Str text, goal = S("find " CANARY);
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    desk_ok(d, cycle_init(&d->m, S("ann"), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, c, &d->e));
    return arena_copy(&d->a, c->id);
}

static void a_cycle_that_runs_goes_on(Desk *d)
{
    Str told;
    Cycle c;
    CycleStep step;
    ForgetCount count;
    Str id = wake_with_secret(d, &c);
    desk_ok(d, cycle_step(&d->m,
                          &(CycleInput){ .agent = S("ann"),
                                         .id = id,
                                         .text = S("{\"tool\": \"look\", \"args\": {\"q\": 1}}") },
                          &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_result(
                   &d->m,
                   &(CycleInput){
                       .agent = S("ann"), .id = id, .end = TOOL_OK, .text = S("seen " CANARY) },
                   &d->a, &step, &c, &d->e));
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    assert_gone(d);
    desk_ok(d, cycle_find(&d->m, S("ann"), id, &d->a, &c, &d->e));
    assert_int_equal(c.iterations, 1);
    desk_ok(d, cycle_step(&d->m,
                          &(CycleInput){
                              .agent = S("ann"),
                              .id = id,
                              .text = S("{\"tool\": \"done\", \"args\": {\"summary\": \"so\"}}") },
                          &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_sleep(&d->m, S("ann"), id, &d->a, &c, &d->e));
    assert_non_null(memmem(c.after.p, c.after.n, "find [redacted]", 15));
    assert_gone(d);
}

/* The text a cycle woke with is older than the edit, so all that is left of it is the edit. */
static void a_cycle_whose_state_a_person_edited_goes_on(Desk *d)
{
    Str told;
    Cycle c;
    CycleStep step;
    ForgetCount count;
    Str id = wake_with_secret(d, &c);
    AUTO(Buf) edited = { 0 };
    buf_add(&edited, c.before);
    buf_add(&edited, S("mine: hello\n"));
    buf_add_char(&edited, 0);
    put(d, "cycles/ann", edited.p);
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    assert_gone(d);
    desk_ok(d, cycle_step(&d->m,
                          &(CycleInput){
                              .agent = S("ann"),
                              .id = id,
                              .text = S("{\"tool\": \"done\", \"args\": {\"summary\": \"so\"}}") },
                          &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_sleep(&d->m, S("ann"), id, &d->a, &c, &d->e));
    CycleStatus now;
    desk_ok(d, cycle_status(&d->m, S("ann"), &d->a, &now, &d->e));
    assert_int_equal(now.unreadable.status, JOT_OK);
    assert_non_null(memmem(now.text.p, now.text.n, "find [redacted]", 15));
    assert_non_null(memmem(now.text.p, now.text.n, "mine: hello", 11));
}

static void what_cannot_be_taken_out_is_told_by_name(Desk *d)
{
    Task t;
    Plan plan;
    Checkpoint cp;
    Lease lease;
    SinkView view;
    ForgetCount c;
    Str told, step = S("use " CANARY);
    bool added;
    TaskAdd add = { .id = S("t1"), .description = step };
    PlanDraft draft = { .objective = S("o"), .steps = &step, .steps_n = 1 };
    SinkPut coded = { .call = S("c2"), .tool = S("fetch"), .result = S("\xFF " CANARY) };
    DocWrite w = { .text = S("text"), .meta = S("{\"who\":\"" CANARY "\"}") };
    Doc now;
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    desk_ok(d, plan_create(&d->m, S("main"), &draft, &d->a, &plan, &d->e));
    CheckpointWrite save = { .state = step };
    desk_ok(d, checkpoint_write(&d->m, S("cp"), &save, &cp, &d->e));
    LeaseAsk ask = { .on = S("notes/" CANARY), .ttl_ms = 60000 };
    desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &lease, &d->e));
    desk_ok(d, sink_write(&d->m, &coded, &d->a, &view, NULL, &d->e));
    desk_ok(d, doc_write(&d->m, S("notes/" CANARY), &w, &d->a, &now, &d->e));
    AUTO_PTR(json_t)
    entity = json_pack("{s:s, s:s, s:[]}", "name", CANARY, "entityType", "thing", "observations");
    desk_ok(d, graph_add_entity(&d->m, entity, &added, &d->e));
    put(d, "notes/z", "the end: " CANARY "\n");
    for (int i = 0; i < 2; i++) {
        desk_expect(d, JOT_UNSUPPORTED, forget_everywhere(d, S(CANARY), &c, &told));
        assert_says(d, "still in the pad");
        assert_int_equal(c.left, 8);
        assert_int_equal(c.changed, i == 0 ? 1 : 0);
        static const char *const parts[] = {
            "value artifacts/tool_results/c2\n",
            "value checkpoints/cp\n",
            "value graph/entities/",
            "value leases/table\n",
            "meta notes/" CANARY "\n",
            "name notes/" CANARY "\n",
            "value plans/main\n",
            "value tasks/t1\n",
        };
        for (size_t k = 0; k < COUNT_OF(parts); k++)
            if (!memmem(told.p, told.n, parts[k], strlen(parts[k])))
                fail_msg("not told: %s of " STR_FMT, parts[k], STR_ARG(told));
    }
    assert_reads(d, "notes/z", "the end: [redacted]\n");
}

static void what_was_put_aside_is_reached(Desk *d)
{
    ForgetCount c;
    Str told;
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one\n");
    memory_close(&d->m);
    char path[256];
    const char *dir = d->url + strlen("files:");
    snprintf(path, sizeof path, "%s/notes/.a.txt.new", dir); /* a dead writer's draft */
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("never written " CANARY "\n", out);
    fclose(out);
    d->m = desk_open(d, "ann");
    put(d, "notes/a", "two\n");
    assert_int_equal(store_report(d->m.store)->quarantined, 1);
    assert_int_equal(desk_files_with(d, CANARY), 1);
    desk_ok(d, forget_everywhere(d, S(CANARY), &c, &told));
    assert_int_equal(c.quarantined, 1);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, S(CANARY), &c, &told));
}

static void a_phrase_for_a_whole_pad_is_not_too_short(Desk *d)
{
    ForgetCount c;
    put(d, "notes/a", "abc abcd\n");
    desk_expect(d, JOT_INVALID, forget_all(&d->m, S("abc"), NULL, &c, &d->e));
    assert_says(d, "at least 4");
    desk_expect(d, JOT_INVALID, forget_all(&d->m, (Str){ 0 }, NULL, &c, &d->e));
    desk_expect(d, JOT_INVALID, forget_all(&d->m, S("[redacted]"), NULL, &c, &d->e));
    assert_reads(d, "notes/a", "abc abcd\n");
    desk_ok(d, forget_all(&d->m, S("abcd"), NULL, &c, &d->e));
    assert_reads(d, "notes/a", "abc [redacted]\n");
}

/* Killed, by a real SIGKILL: in the middle of the walk, and at any moment. */
static void killed_half_way_the_same_call_does_the_rest(Desk *d)
{
    if (!on_disk(d))
        return;
    enum { ROUNDS = 8 };
    ForgetCount c;
    Str told;
    for (int i = 0; i < ROUNDS; i++) {
        Checkpoint cp;
        put(d, "artifacts/a/a", arena_printf(&d->a, "\"%d " CANARY "\"", i).p);
        put(d, "notes/a", arena_printf(&d->a, "%d " CANARY "\n", i).p);
        put(d, "notes/a", arena_printf(&d->a, "%d again " CANARY "\n", i).p);
        line(d, "logs/build/out", CANARY);
        CheckpointWrite with = { .state = S(CANARY) }, without = { .state = S("s") };
        desk_ok(d, checkpoint_write(&d->m, S("cp"), &with, &cp, &d->e));
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            Memory m = desk_open(d, "bob");
            Told t = { .die = i == 0 }; /* at the checkpoint: artifacts are done, notes are not */
            ForgetHooks hooks = { .left = tell, .ctx = &t };
            jot_status st = forget_all(&m, S(CANARY), &hooks, &c, &d->e);
            _exit(st == JOT_UNSUPPORTED ? 0 : 1);
        }
        if (i > 0) {
            usleep((useconds_t)(i * 700));
            kill(child, SIGKILL);
        }
        waitpid(child, NULL, 0);
        desk_ok(d, checkpoint_write(&d->m, S("cp"), &without, &cp, &d->e));
        jot_status st = forget_everywhere(d, S(CANARY), &c, &told);
        if (st != JOT_OK)
            fail_msg("%s: " STR_FMT, d->e.text, STR_ARG(told));
        assert_true(c.redacted > 0); /* the checkpoint at least, which was a value before */
        assert_gone(d);
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_phrase_goes_from_the_whole_pad),
        DESK_TEST(what_is_left_of_it_reads_well),
        DESK_TEST(a_cycle_that_runs_goes_on),
        DESK_TEST(a_cycle_whose_state_a_person_edited_goes_on),
        DESK_TEST(what_cannot_be_taken_out_is_told_by_name),
        DESK_TEST(what_was_put_aside_is_reached),
        DESK_TEST(a_phrase_for_a_whole_pad_is_not_too_short),
        DESK_TEST(killed_half_way_the_same_call_does_the_rest),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
