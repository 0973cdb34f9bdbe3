/* test_waiting.c - what waits for a person: each kind once, and nothing that does not wait. */
#include "memory/waiting.h"

#include "memory/context/rule.h"
#include "memory/desk.h"
#include "memory/doc/doc.h"
#include "memory/run/run.h"
#include "memory/task/task.h"

static const WaitingItem *find(const Waiting *w, const char *what, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (str_eq(str(w->items[i].what), str(what)) && str_eq(w->items[i].name, str(name)))
            return &w->items[i];
    return NULL;
}

static Waiting look(Desk *d)
{
    Waiting w;
    desk_ok(d, waiting_look(&d->m, &d->a, &w, &d->e));
    return w;
}

static void a_pad_in_which_nothing_waits_has_no_items(Desk *d)
{
    desk_put(d, "notes/plan", "ship it");
    Waiting w = look(d);
    assert_int_equal(w.n, 0);
    assert_false(w.more);
}

static void a_pinned_note_waits_until_it_is_approved_and_again_when_it_changed(Desk *d)
{
    char id[STORE_PAD_ID + 1];
    desk_put(d, "notes/pinned-x", "be kind");
    Waiting w = look(d);
    const WaitingItem *x = find(&w, "rule", "pinned-x");
    assert_non_null(x);
    assert_text(x->about, "be kind");
    assert_true(hash_eq(x->sha256, hash_of(S("be kind"))) && x->approved.n == 0);
    if (store_id(d->m.store, id, &d->e) != JOT_OK || !id[0])
        return; /* a pad without an id has no approvals */
    desk_ok(d, rules_approve(&d->m, S("pinned-x"), S("be kind"), &d->e));
    w = look(d);
    assert_null(find(&w, "rule", "pinned-x"));
    desk_put(d, "notes/pinned-x", "be unkind");
    w = look(d);
    x = find(&w, "rule", "pinned-x");
    assert_non_null(x);
    assert_text(x->approved, hash_hex(hash_of(S("be kind"))).text);
}

static void a_blocked_task_waits_and_one_that_runs_does_not(Desk *d)
{
    Task t;
    const TaskAdd a = { .id = S("stuck"), .description = S("paint") };
    const TaskAdd b = { .id = S("going"), .description = S("build") };
    const TaskMove block = { .to = TASK_BLOCKED, .reason = S("no paint") };
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
    desk_ok(d, task_add(&d->m, &b, &d->a, &t, &d->e));
    desk_ok(d, task_start(&d->m, S("going"), false, &d->a, &t, &d->e));
    desk_ok(d, task_move(&d->m, S("stuck"), &block, &d->a, &t, &d->e));
    Waiting w = look(d);
    assert_int_equal(w.n, 1);
    const WaitingItem *x = find(&w, "task", "stuck");
    assert_non_null(x);
    assert_text(x->says, "blocked: no paint");
    assert_text(x->command, "jotter task unblock stuck");
}

static void a_run_waits_if_it_ended_without_an_answer_not_if_it_was_answered(Desk *d)
{
    AUTO(Run) bad = { 0 };
    AUTO(Run) good = { 0 };
    AUTO(Run) going = { 0 };
    desk_ok(d, run_begin(&d->m, NULL, S("why?"), &bad, &d->e));
    desk_ok(d, run_begin(&d->m, NULL, S("how?"), &good, &d->e));
    desk_ok(d, run_begin(&d->m, NULL, S("when?"), &going, &d->e));
    desk_ok(d, run_record(&bad, RUN_END, "spent", S("no tokens left"), &d->e));
    desk_ok(d, run_say(&good, RUN_ANSWER, S("so"), &d->e));
    Waiting w = look(d);
    assert_int_equal(w.n, 1);
    assert_non_null(find(&w, "run", bad.id));
    RunningRuns running;
    desk_ok(d, waiting_running(&d->m, &d->a, &running, &d->e));
    assert_int_equal(running.n, 1);
    assert_text(running.items[0].id, going.id);
}

static void what_looks_like_a_secret_is_named_and_not_shown(Desk *d)
{
    desk_put(d, "notes/keys", "use AKIAIOSFODNN7EXAMPLE\n");
    Waiting w = look(d);
    const WaitingItem *x = find(&w, "secret", "keys");
    assert_non_null(x);
    assert_int_equal(x->about.n, 0);
    AUTO_PTR(json_t) json = waiting_json(&w);
    AUTO(Buf) text = { 0 };
    json_write(&text, json);
    assert_null(memmem(text.p, text.n, "AKIA", 4));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_pad_in_which_nothing_waits_has_no_items),
        DESK_TEST(a_pinned_note_waits_until_it_is_approved_and_again_when_it_changed),
        DESK_TEST(a_blocked_task_waits_and_one_that_runs_does_not),
        DESK_TEST(a_run_waits_if_it_ended_without_an_answer_not_if_it_was_answered),
        DESK_TEST(what_looks_like_a_secret_is_named_and_not_shown),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
