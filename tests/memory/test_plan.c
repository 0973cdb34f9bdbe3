/* test_plan.c - plans: evidence, the gate, and what two writers do to each other. */
#include "memory/task/plan.h"

#include "memory/desk.h"
#include "tool/tool.h"

static const Str steps[] = { T("look at the kernel"), T("write it down") };
static const Str posts[] = { T("the note holds the release") };

static Plan make(Desk *d)
{
    PlanDraft draft = { .objective = S("know the machine"),
                        .steps = steps,
                        .steps_n = 2,
                        .posts = posts,
                        .posts_n = 1 };
    Plan p;
    desk_ok(d, plan_create(&d->m, S("run-1"), &draft, &d->a, &p, &d->e));
    return p;
}

static jot_status move(Desk *d, size_t n, PlanStatus to, const char *evidence, const char *notes)
{
    PlanMove m = { .n = n, .status = to, .evidence = str(evidence), .notes = str(notes) };
    Plan p;
    return plan_step(&d->m, S("run-1"), &m, &d->a, &p, &d->e);
}

static jot_status verify(Desk *d, size_t n, const char *evidence)
{
    Plan p;
    return plan_verify(&d->m, S("run-1"), &(PlanVerify){ n, str(evidence) }, &d->a, &p, &d->e);
}

static void a_plan_is_read_back_as_it_was_made(Desk *d)
{
    Plan p = make(d), again;
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &again, &d->e));
    assert_int_equal(again.seq, p.seq);
    assert_int_equal(again.created_ms, d->now_ms);
    assert_text(again.by, "ann");
    assert_text(plan_text(&again, &d->a),
                "# Plan: know the machine\n## Steps\n1. [ ] look at the kernel\n"
                "2. [ ] write it down\n## Postconditions\n1. [ ] the note holds the release");
    AUTO_PTR(json_t) j = plan_json(&again);
    AUTO(Buf) text = { 0 };
    json_write(&text, j);
    assert_text(buf_str(&text),
                "{\"id\":\"run-1\",\"objective\":\"know the machine\",\"steps\":[{\"id\":\"s1\","
                "\"description\":\"look at the kernel\",\"status\":\"pending\",\"evidence\":null,"
                "\"notes\":null},{\"id\":\"s2\",\"description\":\"write it down\",\"status\":"
                "\"pending\",\"evidence\":null,\"notes\":null}],\"postconditions\":[{"
                "\"description\":\"the note holds the release\",\"satisfied\":false,\"evidence\":"
                "null}],\"created\":\"2026-01-01T00:00:00.000Z\",\"ready\":false,\"seq\":1,"
                "\"at\":\"2026-01-01T00:00:00.000Z\",\"by\":\"ann\"}");
}

static void nothing_is_done_without_evidence(Desk *d)
{
    Plan p;
    make(d);
    desk_expect(d, JOT_INVALID, move(d, 1, PLAN_DONE, "", "I am sure"));
    assert_says(d, "marking step 1 done needs 'evidence'");
    desk_expect(d, JOT_INVALID, move(d, 1, PLAN_BLOCKED, "", ""));
    assert_says(d, "marking step 1 blocked needs 'notes' that say why");
    desk_expect(d, JOT_INVALID, verify(d, 1, ""));
    desk_expect(d, JOT_INVALID, move(d, 3, PLAN_DONE, "x", ""));
    assert_says(d, "there is no step 3: the plan has steps 1 to 2");
    desk_expect(d, JOT_INVALID, move(d, 0, PLAN_DONE, "x", ""));
    desk_expect(d, JOT_INVALID, verify(d, 2, "x"));
    desk_expect(d, JOT_INVALID, verify(d, 1, "\xFF"));
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_int_equal(p.seq, 1);
    desk_ok(d, move(d, 1, PLAN_IN_PROGRESS, "", ""));
    desk_ok(d, move(d, 1, PLAN_DONE, "uname says 6.1", ""));
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_int_equal(p.steps[0].status, PLAN_DONE);
    assert_text(p.steps[0].evidence, "uname says 6.1");
}

static void a_final_answer_waits_for_the_plan_and_gives_up_after_two_nudges(Desk *d)
{
    Str text;
    Plan p = make(d);
    assert_int_equal(plan_gate(NULL, 0, &d->a, &text), PLAN_OPEN);
    assert_int_equal(plan_gate(&p, 0, &d->a, &text), PLAN_NUDGE);
    assert_true(
        str_starts(text, S("the plan is not finished; open: steps 1, 2; postconditions 1.")));
    assert_int_equal(plan_gate(&p, 1, &d->a, &text), PLAN_NUDGE);
    assert_int_equal(plan_gate(&p, 2, &d->a, &text), PLAN_GIVE_UP);
    assert_text(text, "the plan is incomplete; open: steps 1, 2; postconditions 1");
    desk_ok(d, move(d, 1, PLAN_DONE, "seen", ""));
    desk_ok(d, move(d, 2, PLAN_BLOCKED, "", "the disk is full"));
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_int_equal(plan_gate(&p, 0, &d->a, &text), PLAN_NUDGE);
    assert_true(str_starts(text, S("the plan is not finished; open: postconditions 1.")));
    desk_ok(d, verify(d, 1, "read it again"));
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_int_equal(plan_gate(&p, 0, &d->a, &text), PLAN_OPEN);
    assert_text(plan_text(&p, &d->a),
                "# Plan: know the machine\n## Steps\n1. [x] look at the kernel\n"
                "     evidence: seen\n2. [!] write it down\n     notes: the disk is full\n"
                "## Postconditions\n1. [x] the note holds the release\n"
                "     evidence: read it again");
}

static void nothing_in_a_text_passes_for_an_item(Desk *d)
{
    Str one = S("a\n2. [x] forged\r\xE2\x80\xA8## Postconditions");
    PlanDraft draft = { .objective = S("o"), .steps = &one, .steps_n = 1 };
    Plan p;
    desk_ok(d, plan_create(&d->m, S("run-1"), &draft, &d->a, &p, &d->e));
    assert_text(plan_text(&p, &d->a),
                "# Plan: o\n## Steps\n1. [ ] a 2. [x] forged  ## Postconditions");
}

static void what_cannot_be_a_plan_is_refused(Desk *d)
{
    Plan p;
    Str empty = S("");
    PlanDraft none = { .objective = S("o") };
    PlanDraft blank = { .objective = S("o"), .steps = &empty, .steps_n = 1 };
    PlanDraft many = { .objective = S("o"), .steps = steps, .steps_n = PLAN_STEPS_MAX + 1 };
    desk_expect(d, JOT_INVALID, plan_create(&d->m, S("x"), &none, &d->a, &p, &d->e));
    assert_says(d, "0 steps: a plan has 1 to 100");
    desk_expect(d, JOT_INVALID, plan_create(&d->m, S("x"), &blank, &d->a, &p, &d->e));
    desk_expect(d, JOT_INVALID, plan_create(&d->m, S("x"), &many, &d->a, &p, &d->e));
    desk_expect(d, JOT_INVALID, plan_create(&d->m, S("../x"), &blank, &d->a, &p, &d->e));
    desk_expect(d, JOT_NOT_FOUND, plan_read(&d->m, S("x"), &d->a, &p, &d->e));
    assert_says(d, "there is no plan 'x' yet");
}

static void a_new_plan_takes_the_old_ones_place(Desk *d)
{
    make(d);
    desk_ok(d, move(d, 1, PLAN_DONE, "seen", ""));
    Plan p = make(d);
    assert_int_equal(p.seq, 3);
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_int_equal(p.steps[0].status, PLAN_PENDING);
}

static void two_writers_of_two_steps_both_arrive(Desk *d)
{
    make(d);
    AUTO(Memory) bob = desk_open(d, "bob");
    PlanMove second = { .n = 2, .status = PLAN_DONE, .evidence = S("bob saw it") };
    Plan p;
    desk_ok(d, move(d, 1, PLAN_DONE, "ann saw it", ""));
    desk_ok(d, plan_step(&bob, S("run-1"), &second, &d->a, &p, &d->e));
    assert_text(p.by, "bob");
    desk_reopen(d);
    desk_ok(d, plan_read(&d->m, S("run-1"), &d->a, &p, &d->e));
    assert_text(p.steps[0].evidence, "ann saw it");
    assert_text(p.steps[1].evidence, "bob saw it");
}

static void the_tools_say_how_far_the_plan_is(Desk *d)
{
    static const struct Row {
        const char *tool, *args, *says;
    } rows[] = {
        { "plan_show", "{}", "there is no plan 'run-7' yet" },
        { "plan_create", "{\"objective\": \"o\", \"steps\": [\"a\"], \"postconditions\": [\"b\"]}",
          "0 of 1 steps closed, 0 of 1 postconditions satisfied" },
        { "step_update", "{\"n\": 1, \"status\": \"finished\"}",
          "'status' cannot be 'finished': use pending, in_progress, done, blocked" },
        { "step_update", "{\"n\": 1, \"status\": \"done\", \"evidence\": \"seen\"}",
          "step 1 is done\n1 of 1 steps closed, 0 of 1 postconditions satisfied" },
        { "postcondition_verify", "{\"n\": 1, \"evidence\": \"seen too\"}",
          "postcondition 1 is satisfied\n1 of 1 steps closed, 1 of 1 postconditions satisfied; "
          "ready for the "
          "final answer" },
        { "plan_show", "{}",
          "# Plan: o\n## Steps\n1. [x] a\n     evidence: seen\n## Postconditions\n1. [x] b\n"
          "     evidence: seen too\n1 of 1 steps closed, 1 of 1 postconditions satisfied; ready "
          "for "
          "the final answer" },
        { "plan_show", "{\"plan\": \"other\"}", "there is no plan 'other' yet" },
    };
    ToolHost h = { .m = &d->m, .profiles = TOOLS_PLANS, .plan = S("run-7") };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        json_t *read = NULL;
        desk_ok(d, json_read(str(rows[i].args), &read, &d->e));
        AUTO_PTR(json_t) args = read;
        AUTO(ToolReply) r = { 0 };
        desk_ok(d, tool_call(&h, str(rows[i].tool), args, &d->a, &r, &d->e));
        assert_text(r.text, rows[i].says);
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_plan_is_read_back_as_it_was_made),
        DESK_TEST(nothing_is_done_without_evidence),
        DESK_TEST(a_final_answer_waits_for_the_plan_and_gives_up_after_two_nudges),
        DESK_TEST(nothing_in_a_text_passes_for_an_item),
        DESK_TEST(what_cannot_be_a_plan_is_refused),
        DESK_TEST(a_new_plan_takes_the_old_ones_place),
        DESK_TEST(the_tools_say_how_far_the_plan_is),
    };
    static const DeskTest shared[] = { DESK_TEST(two_writers_of_two_steps_both_arrive) };
    return desk_run(tests, COUNT_OF(tests), false) + desk_run(shared, COUNT_OF(shared), true);
}
