/* test_share_kill.c - a process that takes in what a pull brought, and is killed at every step that
 * it takes towards the disk.
 *
 * Whatever it left, the parent finds each task in a state on its way, the texts that people put
 * there in a file or in a history, and nothing to complain of; and who does the same work again
 * comes to the end that an undisturbed one comes to. */
#include "agent/killer.h"
#include "memory/doc/doc.h"
#include "memory/task/plan.h"
#include "memory/task/share.h"
#include "memory/task/task.h"

#define NONSENSE "{\"task_id\": \"bad\", \"status\": \"completed\", \"dependencies\": [\"none\"]}\n"

static const struct {
    const char *file, *text;
} brought[] = {
    { "tasks/old.json",
      "{\"task_id\": \"old\", \"status\": \"completed\", \"result\": \"pulled\"}\n" },
    { "tasks/new.json", "{\"task_id\": \"new\", \"status\": \"ready\", \"priority\": 5}\n" },
    { "tasks/bad.json", NONSENSE },
};

/* --- What the process does ------------------------------------------------------------------- */

static bool add(Memory *m, const char *id)
{
    AUTO(Arena) a = { 0 };
    Task t;
    TaskAdd add = { .id = str(id) };
    jot_status st = task_add(m, &add, &a, &t, NULL);
    return st == JOT_OK || st == JOT_CONFLICT;
}

/* Before the pull. */
static int prepare(Desk *d, Memory *m, const void *ctx)
{
    AUTO(Arena) a = { 0 };
    ShareCount count;
    Plan p;
    Str step = S("build");
    PlanDraft draft = { .objective = S("ship"), .steps = &step, .steps_n = 1 };
    (void)d, (void)ctx;
    return share_change(m, SHARE_TASKS | SHARE_PLANS, &count, NULL) == JOT_OK && add(m, "old") &&
                   add(m, "bad") && add(m, "gone") &&
                   plan_create(m, S("p"), &draft, &a, &p, NULL) == JOT_OK
               ? 0
               : 1;
}

/* The task stands where it is to be afterwards, or comes there now. */
static bool finish(Memory *m, const char *id)
{
    AUTO(Arena) a = { 0 };
    Task t = { 0 };
    jot_status st = JOT_CONFLICT;
    for (int i = 0; i < 3 && st == JOT_CONFLICT; i++) {
        st = task_read(m, str(id), &a, &t, NULL);
        if (st == JOT_OK && t.status != TASK_RUNNING && t.status != TASK_COMPLETED)
            st = task_start(m, str(id), false, &a, &t, NULL);
        if (st == JOT_OK && t.status == TASK_RUNNING) {
            TaskMove move = { .to = TASK_COMPLETED, .result = S("worked") };
            st = task_move(m, str(id), &move, &a, &t, NULL);
        }
    }
    return st == JOT_OK;
}

/* After it. */
static int work(Desk *d, Memory *m, const void *ctx)
{
    AUTO(Arena) a = { 0 };
    Task t;
    Plan p;
    PlanMove done = { .n = 1, .status = PLAN_DONE, .evidence = S("it runs") };
    (void)d, (void)ctx;
    Str none = S("noted"); /* an event of the completed one is refused, after it was taken in */
    jot_status st = task_edit(m, S("old"), &(TaskEdit){ .description = &none }, &a, &t, NULL);
    bool fine = st == JOT_INVALID && finish(m, "new") && finish(m, "bad");
    st = task_cancel(m, S("gone"), &(TaskMove){ .manual = true }, &a, &t, NULL);
    fine = fine && st == JOT_NOT_FOUND;
    return fine && plan_step(m, S("p"), &done, &a, &p, NULL) == JOT_OK ? 0 : 1;
}

/* --- What is true then ----------------------------------------------------------------------- */

static Str path_of(Desk *d, const char *file)
{
    return arena_printf(&d->a, "%s/pad/shared/%s", d->dir, file);
}

static void bring(Desk *d, const char *file, const char *text)
{
    Str fresh = arena_printf(&d->a, "%s/pad/shared/tmp", d->dir);
    FILE *f = fopen(fresh.p, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(rename(fresh.p, path_of(d, file).p), 0);
}

static void begin(Desk *d)
{
    killer_forget(d);
    assert_true(killer_run(d, 0, prepare, NULL));
    for (size_t i = 0; i < COUNT_OF(brought); i++)
        bring(d, brought[i].file, brought[i].text);
    assert_int_equal(remove(path_of(d, "tasks/gone.json").p), 0);
}

/* Every task and plan as JSON, without what a record says of itself. */
static Str all_of(Desk *d)
{
    AUTO(Buf) all = { 0 };
    TaskList list;
    Plan p;
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    for (size_t i = 0; i < list.n; i++) {
        const Task *t = &list.items[i];
        buf_addf(&all, STR_FMT " %s %lld " STR_FMT "\n", STR_ARG(t->id),
                 task_status_name(t->status), (long long)t->priority, STR_ARG(t->result));
    }
    desk_ok(d, plan_read(&d->m, S("p"), &d->a, &p, &d->e));
    buf_addf(&all, "p %s\n", plan_status_name(p.steps[0].status));
    return arena_copy(&d->a, buf_str(&all));
}

static bool is_kept(Desk *d, const char *stream, const char *file, const char *text)
{
    char there[4096] = "";
    Records got = { 0 };
    Err missing = { 0 };
    FILE *f = fopen(path_of(d, file).p, "r");
    if (f) {
        there[fread(there, 1, sizeof there - 1, f)] = 0;
        fclose(f);
    }
    jot_status st =
        store_read(d->m.store, str(stream), (SeqRange){ 1, 100 }, &d->a, &got, &missing);
    bool kept = strcmp(there, text) == 0;
    for (size_t i = 0; st == JOT_OK && i < got.n; i++)
        kept = kept || str_eq(got.items[i].body, str(text));
    return kept;
}

static void look_at_once(Desk *d, size_t at)
{
    Task t;
    d->m = desk_open(d, "ann");
    for (size_t i = 0; i < COUNT_OF(brought); i++) {
        Str id = str_slice(str(brought[i].file), 6, 9);
        Str stream = arena_printf(&d->a, "shared/tasks/" STR_FMT, STR_ARG(id));
        assert_row(is_kept(d, stream.p, brought[i].file, brought[i].text), at,
                   "what was brought is lost");
    }
    desk_ok(d, task_read(&d->m, S("old"), &d->a, &t, &d->e));
    assert_row(t.status == TASK_COMPLETED && str_eq(t.result, S("pulled")), at, "old went back");
    desk_ok(d, task_read(&d->m, S("new"), &d->a, &t, &d->e));
    assert_row(t.priority == 5 && t.status != TASK_PENDING, at, "new went back");
    Record head;
    Err missing = { 0 };
    jot_status st = store_head(d->m.store, S("tasks/new"), HEAD_MARK, &d->a, &head, &missing);
    assert_row(st == JOT_NOT_FOUND ||
                   str_eq(meta_text(head.meta, "status", &d->a), str(task_status_name(t.status))),
               at, "its file took an event back");
    desk_ok(d, task_read(&d->m, S("bad"), &d->a, &t, &d->e));
    desk_expect(d, JOT_NOT_FOUND, task_read(&d->m, S("gone"), &d->a, &t, &d->e));
    memory_close(&d->m);
}

static Str look_at_last(Desk *d)
{
    ShareRefusals r;
    d->m = desk_open(d, "ann");
    Str all = all_of(d);
    desk_ok(d, share_refusals(&d->m, &d->a, &r, &d->e));
    assert_int_equal(r.total, 0);
    memory_close(&d->m);
    return all;
}

static void a_kill_at_any_step_loses_nothing_that_was_brought(Desk *d)
{
    bool ended = false;
    size_t kills = 0;
    memory_close(&d->m);
    begin(d);
    assert_true(killer_run(d, 0, work, NULL));
    Str whole = look_at_last(d);
    assert_has(whole, "bad completed 0 worked\n");
    assert_has(whole, "new completed 5 worked\n");
    assert_has(whole, "old completed 0 pulled\n");
    assert_has(whole, "p done\n");
    for (size_t at = 1; !ended && at < KILLER_STEPS_MAX; at += killer_stride()) {
        begin(d);
        ended = killer_run(d, at, work, NULL);
        if (ended)
            break;
        kills++;
        look_at_once(d, at);
        assert_true(killer_run(d, 0, work, NULL));
        assert_str(look_at_last(d), whole);
    }
    assert_true(ended && kills > 3);
    d->m = desk_open(d, "ann");
}

/* --- Beginning and ending -------------------------------------------------------------------- */

static int add_some(Desk *d, Memory *m, const void *ctx)
{
    (void)d, (void)ctx;
    return add(m, "one") && add(m, "two") ? 0 : 1;
}

static int change(Desk *d, Memory *m, const void *ctx)
{
    ShareCount count;
    (void)d, (void)ctx;
    return share_change(m, SHARE_TASKS, &count, NULL) == JOT_OK &&
                   share_change(m, 0, &count, NULL) == JOT_OK
               ? 0
               : 1;
}

static void a_kill_while_sharing_begins_or_ends_leaves_every_task(Desk *d)
{
    bool ended = false;
    memory_close(&d->m);
    for (size_t at = 1; !ended && at < KILLER_STEPS_MAX; at += killer_stride()) {
        TaskList list;
        killer_forget(d);
        assert_true(killer_run(d, 0, add_some, NULL));
        ended = killer_run(d, at, change, NULL);
        for (int again = 0; again < 2; again++) {
            d->m = desk_open(d, "ann");
            desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
            assert_row(list.n == 2 && list.problems_n == 0, at, "a task is missing");
            memory_close(&d->m);
            assert_true(killer_run(d, 0, change, NULL));
        }
    }
    assert_true(ended);
    d->m = desk_open(d, "ann");
}

static const DeskTest tests[] = {
    DESK_TEST(a_kill_at_any_step_loses_nothing_that_was_brought),
    DESK_TEST(a_kill_while_sharing_begins_or_ends_leaves_every_task),
};

int main(void)
{
    return desk_run_on("files", tests, COUNT_OF(tests));
}
