/* test_task.c - tasks: the nine ways and no other, retries, dependencies, order, races. */
#include "memory/task/task.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"

static TaskNames names_of(Desk *d, const char *words)
{
    TaskNames out = { .items = NEW_ARRAY(&d->a, Str, 32) };
    Str rest = str(words), one;
    while (str_cut(&rest, ' ', &one))
        out.items[out.n++] = one;
    if (rest.n)
        out.items[out.n++] = rest;
    return out;
}

/* A task with these dependencies, which may come later. */
static void add(Desk *d, const char *id, const char *needs, int64_t priority)
{
    Task t;
    TaskAdd a = {
        .id = str(id), .dependencies = names_of(d, needs), .priority = priority, .later = true
    };
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
}

static Task get(Desk *d, const char *id)
{
    Task t;
    desk_ok(d, task_read(&d->m, str(id), &d->a, &t, &d->e));
    return t;
}

static jot_status move(Desk *d, const char *id, TaskStatus to, const char *reason, bool manual)
{
    Task t;
    TaskMove m = { .to = to, .reason = str(reason), .manual = manual };
    return task_move(&d->m, str(id), &m, &d->a, &t, &d->e);
}

static void start(Desk *d, const char *id)
{
    Task t;
    desk_ok(d, task_start(&d->m, str(id), false, &d->a, &t, &d->e));
}

static void finish(Desk *d, const char *id)
{
    start(d, id);
    desk_ok(d, move(d, id, TASK_COMPLETED, "", false));
}

/* Bring a fresh task into a state. */
static void bring_to(Desk *d, const char *id, TaskStatus status)
{
    add(d, id, "", 0);
    if (status == TASK_BLOCKED)
        desk_ok(d, move(d, id, TASK_BLOCKED, "why", false));
    if (status == TASK_READY)
        desk_ok(d, move(d, id, TASK_READY, "", false));
    if (status == TASK_RUNNING || status == TASK_COMPLETED || status == TASK_FAILED)
        start(d, id);
    if (status == TASK_COMPLETED)
        desk_ok(d, move(d, id, TASK_COMPLETED, "", false));
    if (status == TASK_FAILED)
        desk_ok(d, move(d, id, TASK_FAILED, "why", false));
    assert_int_equal(get(d, id).status, status);
}

static TaskOrder order(Desk *d)
{
    TaskOrder o;
    desk_ok(d, task_order(&d->m, &d->a, &o, &d->e));
    return o;
}

static Str ready_ids(Desk *d)
{
    TaskOrder o = order(d);
    Str all = { 0 };
    for (size_t i = 0; i < o.ready_n; i++)
        all = arena_printf(&d->a, STR_FMT "%s" STR_FMT, STR_ARG(all), i ? " " : "",
                           STR_ARG(o.ready[i].id));
    return all;
}

/* --- One task -------------------------------------------------------------------------- */

static void a_task_is_read_as_it_was_added(Desk *d)
{
    Task t;
    add(d, "first", "", 0);
    TaskAdd a = { .id = S("analyse:report.1"),
                  .description = S("read it"),
                  .expected_output = S("a summary"),
                  .agent = S("bob"),
                  .tools = names_of(d, "grep read"),
                  .dependencies = names_of(d, "first"),
                  .priority = 7,
                  .max_retries = 2 };
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
    t = get(d, "analyse:report.1");
    assert_text(t.description, "read it");
    assert_text(t.expected_output, "a summary");
    assert_text(t.agent, "bob");
    assert_int_equal(t.tools.n, 2);
    assert_text(t.tools.items[1], "read");
    assert_text(t.dependencies.items[0], "first");
    assert_int_equal(t.priority, 7);
    assert_int_equal(t.max_retries, 2);
    assert_int_equal(t.status, TASK_PENDING);
    assert_text(t.by, "ann");
}

static void an_id_is_given_once(Desk *d)
{
    Task t;
    TaskAdd a = { .id = S("a") };
    add(d, "a", "", 3);
    desk_expect(d, JOT_CONFLICT, task_add(&d->m, &a, &d->a, &t, &d->e));
    assert_says(d, "duplicate task id 'a'");
    assert_int_equal(get(d, "a").priority, 3);
}

static void a_task_that_is_not_there_is_not_found(Desk *d)
{
    Task t;
    TaskEvents v;
    desk_expect(d, JOT_NOT_FOUND, task_read(&d->m, S("x"), &d->a, &t, &d->e));
    assert_says(d, "task 'x' not found");
    desk_expect(d, JOT_NOT_FOUND, move(d, "x", TASK_READY, "", false));
    desk_expect(d, JOT_NOT_FOUND,
                task_history(&d->m, S("x"), (SeqRange){ 1, 10 }, &d->a, &v, &d->e));
}

static void nine_ways_are_open_and_no_other(Desk *d)
{
    static const char open[6][7] = {
        /* to:            P R U C F B */
        [TASK_PENDING] = "-R---B",   [TASK_READY] = "--U--B",  [TASK_RUNNING] = "---CFB",
        [TASK_COMPLETED] = "------", [TASK_FAILED] = "-R----", [TASK_BLOCKED] = "-R----",
    };
    int ways = 0;
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++) {
            Task t;
            TaskAdd a = { .id = arena_printf(&d->a, "t-%d-%d", from, to), .max_retries = 1 };
            desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
            if (from == TASK_BLOCKED)
                desk_ok(d, move(d, a.id.p, TASK_BLOCKED, "why", false));
            if (from == TASK_READY)
                desk_ok(d, move(d, a.id.p, TASK_READY, "", false));
            if (from == TASK_RUNNING || from == TASK_COMPLETED || from == TASK_FAILED)
                start(d, a.id.p);
            if (from == TASK_COMPLETED || from == TASK_FAILED)
                desk_ok(d, move(d, a.id.p, (TaskStatus)from, "why", false));
            bool legal = open[from][to] != '-';
            desk_expect(d, legal ? JOT_OK : JOT_INVALID,
                        move(d, a.id.p, (TaskStatus)to, "why", true));
            assert_int_equal(get(d, a.id.p).status, legal ? to : from);
            ways += legal;
        }
    assert_int_equal(ways, 9);
}

static void an_illegal_way_lists_those_there_are(Desk *d)
{
    bring_to(d, "p", TASK_PENDING);
    desk_expect(d, JOT_INVALID, move(d, "p", TASK_COMPLETED, "", true));
    assert_string_equal(
        d->e.text,
        "illegal transition for task 'p': pending -> completed; allowed: blocked, ready");
    bring_to(d, "r", TASK_RUNNING);
    desk_expect(d, JOT_INVALID, move(d, "r", TASK_READY, "", true));
    assert_says(d, "allowed: blocked, completed, failed");
    bring_to(d, "c", TASK_COMPLETED);
    desk_expect(d, JOT_INVALID, move(d, "c", TASK_READY, "", true));
    assert_says(d, "allowed: none");
}

static void blocking_and_failing_take_a_reason(Desk *d)
{
    bring_to(d, "a", TASK_RUNNING);
    desk_expect(d, JOT_INVALID, move(d, "a", TASK_FAILED, "", true));
    assert_says(d, "a reason is required");
    desk_expect(d, JOT_INVALID, move(d, "a", TASK_BLOCKED, "", true));
    assert_says(d, "a reason is required");
    desk_ok(d, move(d, "a", TASK_BLOCKED, "no key", false));
    Task t = get(d, "a");
    assert_text(t.reason, "no key");
    assert_true(t.blocked_until_manual);
}

static void a_blocked_task_leaves_only_by_a_manual_action(Desk *d)
{
    bring_to(d, "a", TASK_BLOCKED);
    desk_expect(d, JOT_INVALID, move(d, "a", TASK_READY, "key found", false));
    assert_says(d, "manual action required");
    desk_ok(d, move(d, "a", TASK_READY, "key found", true));
    Task t = get(d, "a");
    assert_false(t.blocked_until_manual);
    assert_text(t.reason, "");
}

static void a_failed_task_is_retried_as_often_as_it_may_be(Desk *d)
{
    Task t;
    TaskAdd a = { .id = S("a"), .max_retries = 2 };
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
    for (int i = 1; i <= 3; i++) {
        start(d, "a");
        desk_ok(d, move(d, "a", TASK_FAILED, "broken", false));
        assert_int_equal(get(d, "a").retry_count, i);
        desk_expect(d, JOT_INVALID, move(d, "a", TASK_READY, "", false));
        assert_says(d, "manual action required");
        desk_expect(d, i <= 2 ? JOT_OK : JOT_INVALID, move(d, "a", TASK_READY, "", true));
    }
    assert_says(d, "no retries remaining");
    assert_text(get(d, "a").reason, "broken");
}

static void a_result_is_kept_with_the_completed_task(Desk *d)
{
    Task t;
    bring_to(d, "a", TASK_RUNNING);
    TaskMove m = { .to = TASK_COMPLETED, .result = S("caf\xc3\xa9 \"x\"") };
    desk_ok(d, task_move(&d->m, S("a"), &m, &d->a, &t, &d->e));
    assert_text(get(d, "a").result, "caf\xc3\xa9 \"x\"");
}

static void events_tell_the_whole_story(Desk *d)
{
    TaskEvents v;
    bring_to(d, "a", TASK_PENDING);
    start(d, "a");
    desk_ok(d, move(d, "a", TASK_BLOCKED, "no key", false));
    desk_ok(d, move(d, "a", TASK_READY, "found", true));
    start(d, "a");
    desk_ok(d, move(d, "a", TASK_COMPLETED, "", false));
    desk_ok(d, task_history(&d->m, S("a"), (SeqRange){ 1, 100 }, &d->a, &v, &d->e));
    static const char *const types[] = { "created",   "state_changed", "state_changed", "blocked",
                                         "unblocked", "state_changed", "completed" };
    assert_int_equal(v.n, COUNT_OF(types));
    for (size_t i = 0; i < v.n; i++) {
        assert_text(v.items[i].type, types[i]);
        assert_int_equal(v.items[i].seq, i + 1);
    }
    assert_text(v.items[3].reason, "no key");
    assert_text(v.items[4].from, "blocked");
    assert_text(v.items[4].to, "ready");
    assert_true(v.items[4].manual);
    desk_ok(d, task_history(&d->m, S("a"), (SeqRange){ 6, 1 }, &d->a, &v, &d->e));
    assert_int_equal(v.n, 1);
    assert_true(v.more);
    assert_int_equal(v.next, 7);
}

static void bad_input_is_refused_and_changes_nothing(Desk *d)
{
    static const Str ids[] = { T(""), T("a/b"), T(".."), T("a\nb"), T("a\0b"), T("\xff") };
    Task t;
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        TaskAdd a = { .id = ids[i] };
        desk_expect(d, JOT_INVALID, task_add(&d->m, &a, &d->a, &t, &d->e));
        assert_sentence(&d->e);
        desk_expect(d, JOT_INVALID, task_read(&d->m, ids[i], &d->a, &t, &d->e));
    }
    TaskAdd bad[] = {
        { .id = S("a"), .description = S("\xff") },
        { .id = S("a"), .priority = TASK_PRIORITY_MAX + 1 },
        { .id = S("a"), .max_retries = -1 },
        { .id = S("a"), .dependencies = names_of(d, "../x"), .later = true },
        { .id = S("a"), .dependencies = names_of(d, "b b"), .later = true },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, task_add(&d->m, &bad[i], &d->a, &t, &d->e));
    assert_says(d, "duplicate dependency 'b' of task 'a'");
    TaskAdd big = {
        .id = S("a"), .description = { arena_alloc(&d->a, TASK_TEXT_MAX + 1, 1), TASK_TEXT_MAX + 1 }
    };
    desk_expect(d, JOT_TOO_BIG, task_add(&d->m, &big, &d->a, &t, &d->e));
    TaskList list;
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 0);
}

/* --- Dependencies ---------------------------------------------------------------------- */

static void a_missing_dependency_is_refused_unless_it_comes_later(Desk *d)
{
    Task t;
    TaskAdd a = { .id = S("b"), .dependencies = names_of(d, "a") };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &a, &d->a, &t, &d->e));
    assert_says(d, "missing dependency id 'a' referenced by task 'b'");
    a.later = true;
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
    TaskOrder o = order(d);
    assert_int_equal(o.ready_n, 0);
    assert_int_equal(o.problems_n, 1);
    assert_text(o.problems[0].why, "missing dependency: a");
    add(d, "a", "", 0);
    assert_text(ready_ids(d), "a");
    assert_int_equal(order(d).problems_n, 0);
}

static void a_task_that_closes_a_cycle_is_refused_with_the_path(Desk *d)
{
    Task t;
    add(d, "a", "b", 0);
    add(d, "b", "c", 0);
    TaskAdd c = { .id = S("c"), .dependencies = names_of(d, "a"), .later = true };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &c, &d->a, &t, &d->e));
    assert_string_equal(d->e.text, "dependency cycle: c -> a -> b -> c");
    desk_expect(d, JOT_NOT_FOUND, task_read(&d->m, S("c"), &d->a, &t, &d->e));
    TaskAdd self = { .id = S("s"), .dependencies = names_of(d, "s"), .later = true };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &self, &d->a, &t, &d->e));
    assert_says(d, "dependency cycle: s -> s");
}

static void a_long_cycle_is_shown_by_its_ends(Desk *d)
{
    Task t;
    for (int i = 0; i < 30; i++)
        add(d, arena_printf(&d->a, "t%02d", i).p, arena_printf(&d->a, "t%02d", i + 1).p, 0);
    TaskAdd last = { .id = S("t30"), .dependencies = names_of(d, "t00"), .later = true };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &last, &d->a, &t, &d->e));
    assert_string_equal(d->e.text,
                        "dependency cycle: t30 -> t00 -> t01 -> t02 -> (26 more) -> t29 -> t30");
}

/* Whoever was there before may be named by anybody, also by tasks that awaited nothing. */
static void a_task_that_comes_again_closes_no_cycle_unseen(Desk *d)
{
    Task t;
    Mark mark;
    add(d, "a", "", 0);
    add(d, "b", "a", 0);
    add(d, "c", "b", 0);
    Draft gone = { .op = OP_DELETE };
    desk_ok(d, memory_append(&d->m, S("tasks/a"), NULL, &gone, &mark, &d->e));
    TaskAdd again = { .id = S("a"), .dependencies = names_of(d, "c") };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &again, &d->a, &t, &d->e));
    assert_string_equal(d->e.text, "dependency cycle: a -> c -> b -> a");
}

static void what_is_completed_closes_no_cycle(Desk *d)
{
    Task t;
    add(d, "a", "b", 0);
    desk_ok(d, move(d, "a", TASK_READY, "", true));
    finish(d, "a");
    TaskAdd b = { .id = S("b"), .dependencies = names_of(d, "a") };
    desk_ok(d, task_add(&d->m, &b, &d->a, &t, &d->e));
    assert_text(ready_ids(d), "b");
}

static bool always(void *ctx, uint64_t looked_at)
{
    (void)ctx, (void)looked_at;
    return true;
}

/* How many tasks the adding of one looks at. */
static uint64_t work_of(Desk *d, const char *id, const char *needs)
{
    AUTO(Arena) a = { 0 };
    MemoryProgress counted = { .report = always };
    Task t;
    Str one = str(needs);
    TaskAdd add = { .id = str(id), .dependencies = { &one, one.n ? 1 : 0 } };
    d->m.progress = &counted;
    desk_ok(d, task_add(&d->m, &add, &a, &t, &d->e));
    d->m.progress = NULL;
    return counted.scanned;
}

static void a_link_of_a_chain_costs_the_same_however_long_it_is(Desk *d)
{
    /* In memory beyond all that could be put in order. */
    int length = strcmp(d->engine, "mem") ? 300 : TASK_ORDER_MAX + 50;
    char id[32], last[32] = "";
    for (int i = 0; i < length; i++) {
        snprintf(id, sizeof id, "t%d", i);
        uint64_t work = work_of(d, id, last);
        if (work > 1)
            fail_msg("%s: %llu tasks were looked at", id, (unsigned long long)work);
        snprintf(last, sizeof last, "%s", id);
    }
}

/* What was awaited has come: those behind it are not looked through again and again. */
static void a_chain_behind_what_was_awaited_costs_no_more(Desk *d)
{
    char id[32], last[32] = "late";
    add(d, "late", "missing", 0);
    add(d, "missing", "", 0);
    assert_int_equal(work_of(d, "first", last), 2);
    snprintf(last, sizeof last, "first");
    for (int i = 0; i < 20; i++) {
        snprintf(id, sizeof id, "u%d", i);
        assert_int_equal(work_of(d, id, last), 1);
        snprintf(last, sizeof last, "%s", id);
    }
}

/* Two processes can close a cycle between them; write what the second would have written. */
static void add_unchecked(Desk *d, const char *id, const char *needs)
{
    Mark mark;
    Str stream = arena_printf(&d->a, "tasks/%s", id);
    Str body = arena_printf(&d->a,
                            "{\"event\":{\"type\":\"created\"},\"task\":{\"task_id\":\"%s\","
                            "\"status\":\"pending\",\"dependencies\":[\"%s\"]}}",
                            id, needs);
    Draft draft = { .op = OP_APPEND, .body = body };
    desk_ok(d, memory_append(&d->m, stream, NULL, &draft, &mark, &d->e));
}

static void a_cycle_that_came_about_is_told_and_stops_only_its_own(Desk *d)
{
    add(d, "free", "", 0);
    add_unchecked(d, "x", "y");
    add_unchecked(d, "y", "x");
    add_unchecked(d, "z", "z");
    TaskOrder o = order(d);
    assert_text(ready_ids(d), "free");
    assert_int_equal(o.problems_n, 2);
    assert_text(o.problems[0].id, "x");
    assert_text(o.problems[0].why, "dependency cycle: x -> y -> x");
    assert_text(o.problems[1].why, "dependency cycle: z -> z");
    /* Somebody who depends on it can still be added. */
    add(d, "below", "x", 0);
}

static void ready_tasks_come_by_priority_and_then_by_id(Desk *d)
{
    add(d, "b", "", 5);
    add(d, "a", "", 5);
    add(d, "low", "", -1);
    add(d, "high", "", 10);
    add(d, "later", "a", 100);
    assert_text(ready_ids(d), "high a b low");
    desk_ok(d, move(d, "b", TASK_READY, "", false));
    assert_text(ready_ids(d), "high a b low");
    start(d, "high");
    assert_text(ready_ids(d), "a b low");
    finish(d, "a");
    assert_text(ready_ids(d), "later b low");
}

static void a_waiting_task_says_for_what(Desk *d)
{
    bring_to(d, "failed", TASK_FAILED);
    bring_to(d, "done", TASK_COMPLETED);
    add(d, "open", "", 0);
    add(d, "t", "failed done open", 0);
    TaskOrder o = order(d);
    assert_int_equal(o.waiting_n, 1);
    assert_int_equal(o.waiting[0].reasons.n, 2);
    assert_text(o.waiting[0].reasons.items[0], "upstream dependency failed: failed");
    assert_text(o.waiting[0].reasons.items[1], "waiting for dependency: open");
}

static void a_task_waits_for_its_dependencies_unless_somebody_decides_otherwise(Desk *d)
{
    Task t;
    add(d, "a", "", 0);
    add(d, "b", "a", 0);
    desk_expect(d, JOT_CONFLICT, task_start(&d->m, S("b"), false, &d->a, &t, &d->e));
    assert_says(d, "task 'b' waits for dependency 'a', which is pending");
    assert_int_equal(get(d, "b").status, TASK_PENDING);
    desk_ok(d, task_start(&d->m, S("b"), true, &d->a, &t, &d->e));
    assert_int_equal(t.status, TASK_RUNNING);
    add(d, "c", "gone", 0);
    desk_expect(d, JOT_CONFLICT, task_start(&d->m, S("c"), false, &d->a, &t, &d->e));
    assert_says(d, "which is missing");
}

/* --- Lists ----------------------------------------------------------------------------- */

static void a_list_is_by_id_and_by_status(Desk *d)
{
    TaskList list;
    add(d, "b", "", 9);
    add(d, "a", "", 0);
    bring_to(d, "c", TASK_RUNNING);
    desk_ok(d, task_list(&d->m, &(TaskQuery){ .limit = 2 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 2);
    assert_text(list.items[0].id, "a");
    assert_true(list.more);
    desk_ok(d, task_list(&d->m, &(TaskQuery){ .after = S("b") }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_text(list.items[0].id, "c");
    TaskStatus running = TASK_RUNNING;
    desk_ok(d, task_list(&d->m, &(TaskQuery){ .status = &running }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_text(list.items[0].id, "c");
}

static void a_task_that_is_none_is_told_and_hides_no_other(Desk *d)
{
    Mark mark;
    TaskList list;
    add(d, "a", "", 0);
    add(d, "z", "", 0);
    static const Str bodies[] = { T("no json"), T("{}"),
                                  T("{\"task\":{\"task_id\":\"m2\",\"status\":\"odd\"}}"),
                                  T("{\"task\":{\"task_id\":\"other\",\"status\":\"ready\"}}") };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Draft draft = { .op = OP_APPEND, .body = bodies[i] };
        desk_ok(d, memory_append(&d->m, arena_printf(&d->a, "tasks/m%zu", i), NULL, &draft, &mark,
                                 &d->e));
    }
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 2);
    assert_int_equal(list.problems_n, COUNT_OF(bodies));
    assert_text(list.problems[0].id, "m0");
    assert_text(ready_ids(d), "a z");
}

/* Replace a byte near the end of a stream's file. */
static void damage(Desk *d, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pad/streams/tasks.d/%s.jsonl", d->dir, name);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, -5, SEEK_END), 0);
    assert_true(fputs("#", f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void a_task_whose_newest_record_is_damaged_goes_on_from_the_one_before(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    TaskList list;
    add(d, "a", "", 0);
    add(d, "n", "", 0);
    add(d, "z", "", 0);
    start(d, "n");
    damage(d, "n");
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 3);
    assert_int_equal(list.problems_n, 0);
    assert_text(ready_ids(d), "a n z");
    TaskEvents v;
    desk_ok(d, task_history(&d->m, S("n"), (SeqRange){ 1, 10 }, &d->a, &v, &d->e));
    assert_int_equal(v.n, 2);
    assert_int_equal(v.damaged, 1);
}

/* --- Several processes ----------------------------------------------------------------- */

static void of_two_who_start_a_task_exactly_one_wins(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    enum { TASKS = 12 };
    int ends[2];
    for (int i = 0; i < TASKS; i++)
        add(d, arena_printf(&d->a, "t%d", i).p, "", 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        Memory m = desk_open(d, "child");
        for (int i = 0; i < TASKS; i++) {
            AUTO(Arena) a = { 0 };
            Task t;
            jot_status st = task_start(&m, arena_printf(&a, "t%d", i), false, &a, &t, NULL);
            char won = st == JOT_OK ? '1' : st == JOT_CONFLICT || st == JOT_INVALID ? '0' : '?';
            if (write(ends[1], &won, 1) != 1)
                _exit(1);
        }
        memory_close(&m);
        _exit(0);
    }
    close(ends[1]);
    Memory mine = desk_open(d, "parent");
    for (int i = 0; i < TASKS; i++) {
        Task t;
        char won;
        Str id = arena_printf(&d->a, "t%d", i);
        jot_status st = task_start(&mine, id, false, &d->a, &t, &d->e);
        assert_true(st == JOT_OK || st == JOT_CONFLICT || st == JOT_INVALID);
        assert_int_equal(read(ends[0], &won, 1), 1);
        assert_true(won == '0' || won == '1');
        assert_true((st == JOT_OK) != (won == '1'));
        t = get(d, id.p);
        assert_int_equal(t.status, TASK_RUNNING);
        assert_text(t.by, st == JOT_OK ? "parent" : "child");
    }
    close(ends[0]);
    memory_close(&mine);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void who_moves_what_was_moved_meanwhile_is_told_by_whom(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    Task t;
    bring_to(d, "a", TASK_READY);
    uint64_t seen = get(d, "a").seq;
    Memory other = desk_open(d, "bob");
    TaskMove run = { .to = TASK_RUNNING, .if_seq = seen };
    desk_ok(d, task_move(&other, S("a"), &run, &d->a, &t, &d->e));
    memory_close(&other);
    desk_expect(d, JOT_CONFLICT, task_move(&d->m, S("a"), &run, &d->a, &t, &d->e));
    assert_says(d, "task 'a' was moved meanwhile: 'bob' made it running");
    assert_int_equal(t.status, TASK_RUNNING);
}

static void a_task_is_where_its_last_event_left_it_after_a_kill(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    add(d, "a", "", 0);
    pid_t child = fork();
    if (child == 0) {
        Memory m = desk_open(d, "child");
        Arena a = { 0 };
        Task t;
        TaskMove ready = { .to = TASK_READY };
        /* Killed between the two events of a start. */
        kill(getpid(), task_move(&m, S("a"), &ready, &a, &t, NULL) == JOT_OK ? SIGKILL : SIGTERM);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(get(d, "a").status, TASK_READY);
    start(d, "a");
    desk_reopen(d);
    assert_int_equal(get(d, "a").status, TASK_RUNNING);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_task_is_read_as_it_was_added),
        DESK_TEST(an_id_is_given_once),
        DESK_TEST(a_task_that_is_not_there_is_not_found),
        DESK_TEST(nine_ways_are_open_and_no_other),
        DESK_TEST(an_illegal_way_lists_those_there_are),
        DESK_TEST(blocking_and_failing_take_a_reason),
        DESK_TEST(a_blocked_task_leaves_only_by_a_manual_action),
        DESK_TEST(a_failed_task_is_retried_as_often_as_it_may_be),
        DESK_TEST(a_result_is_kept_with_the_completed_task),
        DESK_TEST(events_tell_the_whole_story),
        DESK_TEST(bad_input_is_refused_and_changes_nothing),
        DESK_TEST(a_missing_dependency_is_refused_unless_it_comes_later),
        DESK_TEST(a_task_that_closes_a_cycle_is_refused_with_the_path),
        DESK_TEST(a_long_cycle_is_shown_by_its_ends),
        DESK_TEST(a_task_that_comes_again_closes_no_cycle_unseen),
        DESK_TEST(what_is_completed_closes_no_cycle),
        DESK_TEST(a_link_of_a_chain_costs_the_same_however_long_it_is),
        DESK_TEST(a_chain_behind_what_was_awaited_costs_no_more),
        DESK_TEST(a_cycle_that_came_about_is_told_and_stops_only_its_own),
        DESK_TEST(ready_tasks_come_by_priority_and_then_by_id),
        DESK_TEST(a_waiting_task_says_for_what),
        DESK_TEST(a_task_waits_for_its_dependencies_unless_somebody_decides_otherwise),
        DESK_TEST(a_list_is_by_id_and_by_status),
        DESK_TEST(a_task_that_is_none_is_told_and_hides_no_other),
        DESK_TEST(a_task_whose_newest_record_is_damaged_goes_on_from_the_one_before),
        DESK_TEST(of_two_who_start_a_task_exactly_one_wins),
        DESK_TEST(who_moves_what_was_moved_meanwhile_is_told_by_whom),
        DESK_TEST(a_task_is_where_its_last_event_left_it_after_a_kill),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
