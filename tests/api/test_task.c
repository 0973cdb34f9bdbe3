/* test_task.c - tasks, plans and leases through jotter.h. */
#include <string.h>

#include "api/caller.h"

static void add(Caller *c, const char *id, const char *dependency)
{
    jot_task_options o = { 0 };
    o.size = sizeof o;
    o.description = jot_str("do it");
    o.dependencies = &dependency;
    o.dependencies_count = dependency != NULL;
    ok(c->pad, jot_task_add(c->pad, id, &o, NULL));
}

static void a_task_is_as_it_was_described(Caller *c)
{
    static const char *const tools[] = { "search", "fetch" };
    const jot_task *t;
    jot_task_options o = { 0 };
    o.size = sizeof o;
    o.description = jot_str("find out");
    o.expected_output = jot_str("a number");
    o.agent = "bob";
    o.tools = tools;
    o.tools_count = 2;
    o.priority = 5;
    o.max_retries = 1;
    ok(c->pad, jot_task_add(c->pad, "t1", &o, NULL));
    expect(c->pad, JOT_CONFLICT, jot_task_add(c->pad, "t1", &o, &t));
    ok(c->pad, jot_task_read(c->pad, "t1", &t));
    assert_text(t->description, "find out");
    assert_text(t->expected_output, "a number");
    assert_string_equal(t->agent, "bob");
    assert_int_equal(t->tools_count, 2);
    assert_string_equal(t->tools[1], "fetch");
    assert_int_equal(t->priority, 5);
    assert_int_equal(t->status, JOT_TASK_PENDING);
    expect(c->pad, JOT_NOT_FOUND, jot_task_read(c->pad, "t2", &t));
}

static void a_task_goes_its_ways_and_no_others(Caller *c)
{
    const jot_task *t;
    const jot_task_events *events;
    jot_task_move_options o = { 0 };
    o.size = sizeof o;
    add(c, "t1", NULL);
    expect(c->pad, JOT_INVALID, jot_task_move(c->pad, "t1", JOT_TASK_COMPLETED, NULL, &t));
    assert_int_equal(t->status, JOT_TASK_PENDING);
    ok(c->pad, jot_task_start(c->pad, "t1", false, &t));
    assert_int_equal(t->status, JOT_TASK_RUNNING);
    o.if_seq = 1;
    expect(c->pad, JOT_CONFLICT, jot_task_move(c->pad, "t1", JOT_TASK_COMPLETED, &o, &t));
    assert_int_equal(t->status, JOT_TASK_RUNNING);
    o.if_seq = t->seq;
    o.result = jot_str("42");
    ok(c->pad, jot_task_move(c->pad, "t1", JOT_TASK_COMPLETED, &o, &t));
    assert_text(t->result, "42");
    ok(c->pad, jot_task_history(c->pad, "t1", 1, 0, &events));
    assert_int_equal(events->count, 4);
    assert_string_equal(events->items[0]->type, "created");
    assert_string_equal(events->items[3]->to, "completed");
    assert_string_equal(events->items[3]->by, "ann");
}

static void what_can_be_done_next_comes_in_order(Caller *c)
{
    const jot_tasks *ready, *waiting, *list;
    jot_task_query q = { 0 };
    q.size = sizeof q;
    add(c, "a", NULL);
    add(c, "b", "a");
    ok(c->pad, jot_task_ready(c->pad, &ready, &waiting));
    assert_int_equal(ready->count, 1);
    assert_string_equal(ready->items[0]->id, "a");
    assert_int_equal(waiting->count, 1);
    assert_string_equal(waiting->items[0]->id, "b");
    assert_int_equal(waiting->items[0]->waits_count, 1);
    assert_says(waiting->items[0]->waits[0], "a");
    expect(c->pad, JOT_CONFLICT, jot_task_start(c->pad, "b", false, NULL));
    q.status = JOT_TASK_PENDING;
    q.after = "a";
    ok(c->pad, jot_task_list(c->pad, &q, &list));
    assert_int_equal(list->count, 1);
    assert_string_equal(list->items[0]->id, "b");
    assert_string_equal(list->items[0]->dependencies[0], "a");
}

static void the_next_task_is_taken_edited_and_cancelled(Caller *c)
{
    const jot_task *t;
    const jot_tasks *list;
    int64_t high = 9;
    jot_text better = jot_str("do it well");
    jot_task_options o = { 0 };
    jot_task_edit_options edit = { 0 };
    jot_task_move_options why = { 0 };
    jot_task_query q = { 0 };
    o.size = sizeof o;
    edit.size = sizeof edit;
    why.size = sizeof why;
    q.size = sizeof q;
    o.description = jot_str("Do it, soon");
    ok(c->pad, jot_task_add(c->pad, NULL, &o, &t));
    assert_string_equal(t->id, "do-it-soon");
    add(c, "b", NULL);
    edit.priority = &high;
    edit.description = &better;
    ok(c->pad, jot_task_edit(c->pad, "b", &edit, &t));
    assert_int_equal(t->priority, 9);
    assert_text(t->description, "do it well");
    assert_int_equal(t->status, JOT_TASK_PENDING);
    expect(c->pad, JOT_INVALID, jot_task_edit(c->pad, "b", &edit, &t));
    ok(c->pad, jot_task_next(c->pad, &t));
    assert_string_equal(t->id, "b");
    assert_string_equal(t->holder, "ann");
    q.mine = true;
    ok(c->pad, jot_task_list(c->pad, &q, &list));
    assert_int_equal(list->count, 1);
    why.reason = jot_str("no need");
    ok(c->pad, jot_task_cancel(c->pad, "b", &why, &t));
    assert_true(t->cancelled);
    assert_int_equal(t->status, JOT_TASK_BLOCKED);
    assert_string_equal(t->holder, "");
    ok(c->pad, jot_task_next(c->pad, &t));
    assert_string_equal(t->id, "do-it-soon");
    expect(c->pad, JOT_NOT_FOUND, jot_task_next(c->pad, &t));
    assert_null(t);
}

static void a_plan_is_closed_with_evidence(Caller *c)
{
    static const char *const steps[] = { "look", "write it down" }, *const posts[] = {
        "a note has it"
    };
    const jot_plan *p;
    const jot_plans *all;
    jot_plan_options o = { 0 };
    o.size = sizeof o;
    o.objective = "know the kernel";
    o.steps = steps;
    o.steps_count = 2;
    o.postconditions = posts;
    o.postconditions_count = 1;
    ok(c->pad, jot_plan_create(c->pad, "p", &o, &p));
    assert_string_equal(p->steps[1]->description, "write it down");
    jot_plan_step_options done = { 0 };
    done.size = sizeof done;
    done.status = JOT_PLAN_DONE;
    expect(c->pad, JOT_INVALID, jot_plan_step(c->pad, "p", 1, &done, &p));
    done.evidence = "uname says 6.1";
    ok(c->pad, jot_plan_step(c->pad, "p", 1, &done, &p));
    assert_int_equal(p->steps[0]->status, JOT_PLAN_DONE);
    ok(c->pad, jot_plan_step(c->pad, "p", 2, &done, &p));
    assert_false(p->ready);
    ok(c->pad, jot_plan_verify(c->pad, "p", 1, "read it", NULL));
    ok(c->pad, jot_plan_read(c->pad, "p", &p));
    assert_true(p->ready && p->postconditions[0]->satisfied);
    assert_non_null(strstr(p->text.data, "evidence: uname says 6.1"));
    expect(c->pad, JOT_NOT_FOUND, jot_plan_read(c->pad, "none", &p));
    ok(c->pad, jot_plan_list(c->pad, &all));
    assert_int_equal(all->count, 1);
    assert_string_equal(all->ids[0], "p");
}

static void a_lease_is_had_by_one(Caller *c)
{
    const jot_lease *l;
    const jot_leases *all;
    jot_pad *bob = caller_open(c, "bob");
    uint64_t token;
    jot_lease_options o = { 0 };
    o.size = sizeof o;
    o.ttl_ms = 60000;
    expect(c->pad, JOT_NOT_FOUND, jot_lease_find(c->pad, "plan", false, &l));
    ok(c->pad, jot_lease_acquire(c->pad, "plan", &o, &l));
    assert_string_equal(l->on, "notes/plan");
    token = l->token;
    expect(bob, JOT_LEASED, jot_lease_acquire(bob, "notes/", &o, &l));
    assert_int_equal(l->token, token);
    assert_string_equal(l->by, "ann");
    ok(bob, jot_lease_find(bob, "pl", true, &l));
    assert_int_equal(l->token, token);
    ok(c->pad, jot_lease_renew(c->pad, token, 0, &l));
    ok(c->pad, jot_lease_check(c->pad, token, &l));
    assert_int_equal(l->ttl_ms, 60000);
    ok(c->pad, jot_lease_list(c->pad, &all));
    assert_int_equal(all->count, 1);
    ok(c->pad, jot_lease_release(c->pad, token));
    expect(c->pad, JOT_FENCED, jot_lease_check(c->pad, token, &l));
    ok(bob, jot_lease_acquire(bob, "plan", NULL, NULL));
    jot_free(bob);
}

static void a_write_under_a_lease_that_is_over_is_refused(Caller *c)
{
    const jot_lease *l;
    jot_pad *bob = caller_open(c, "bob");
    uint64_t token;
    ok(c->pad, jot_lease_acquire(c->pad, "plan", NULL, &l));
    token = l->token;
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("mine"), NULL, NULL));
    ok(bob, jot_lease_adopt(bob, token));
    ok(bob, jot_doc_write(bob, "plan", jot_str("ours"), NULL, NULL));
    ok(c->pad, jot_lease_release(c->pad, token));
    expect(bob, JOT_FENCED, jot_doc_write(bob, "plan", jot_str("too late"), NULL, NULL));
    jot_free(bob);
}

static void a_live_lease_is_free_when_its_pad_is_closed(Caller *c)
{
    jot_pad *bob = caller_open(c, "bob");
    jot_lease_options o = { 0 };
    o.size = sizeof o;
    o.live = true;
    ok(bob, jot_lease_acquire(bob, "plan", &o, NULL));
    expect(c->pad, JOT_LEASED, jot_lease_acquire(c->pad, "plan", NULL, NULL));
    jot_free(bob);
    ok(c->pad, jot_lease_acquire(c->pad, "plan", NULL, NULL));
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(a_task_is_as_it_was_described),
        CALLER_TEST(a_task_goes_its_ways_and_no_others),
        CALLER_TEST(what_can_be_done_next_comes_in_order),
        CALLER_TEST(the_next_task_is_taken_edited_and_cancelled),
        CALLER_TEST(a_plan_is_closed_with_evidence),
        CALLER_TEST(a_lease_is_had_by_one),
        CALLER_TEST(a_write_under_a_lease_that_is_over_is_refused),
        CALLER_TEST(a_live_lease_is_free_when_its_pad_is_closed),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
