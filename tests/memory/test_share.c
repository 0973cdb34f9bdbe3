/* test_share.c - tasks and plans in files that git carries: what a pull brings, and what it may
 * not. */
#include "memory/task/share.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/doc/history.h"
#include "memory/forget/forget.h"
#include "memory/kinds.h"
#include "memory/task/plan.h"
#include "memory/task/task.h"

enum { RACERS = 6, EDITS = 20, MANY = 300 };

/* --- The pad and the files ----------------------------------------------------------------- */

static Str path_of(Desk *d, const char *file)
{
    return arena_printf(&d->a, "%s/pad/shared/%s", d->dir, file);
}

/* As git does: another file takes the name. */
static void bring(Desk *d, const char *file, Str text)
{
    Str path = path_of(d, file), fresh = arena_printf(&d->a, STR_FMT ".tmp", STR_ARG(path));
    char *slash = strrchr(path.p, '/');
    *slash = 0;
    (void)mkdir(arena_printf(&d->a, "%s/pad/shared", d->dir).p, 0700);
    (void)mkdir(path.p, 0700);
    *slash = '/';
    FILE *f = fopen(fresh.p, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
    assert_int_equal(rename(fresh.p, path.p), 0);
}

static Str file_text(Desk *d, const char *file)
{
    FILE *f = fopen(path_of(d, file).p, "r");
    if (!f)
        return (Str){ 0 };
    char *text = arena_alloc(&d->a, 65536, 1);
    size_t n = fread(text, 1, 65535, f);
    fclose(f);
    return (Str){ text, n };
}

static void share(Desk *d, unsigned what)
{
    ShareCount count;
    desk_ok(d, share_change(&d->m, what, &count, &d->e));
}

static void add(Desk *d, const char *id, const char *needs)
{
    Task t;
    Str need = str(needs);
    TaskAdd a = { .id = str(id),
                  .description = S("a thing"),
                  .dependencies = { &need, need.n ? 1 : 0 },
                  .later = true };
    desk_ok(d, task_add(&d->m, &a, &d->a, &t, &d->e));
}

static Task get(Desk *d, const char *id)
{
    Task t;
    desk_ok(d, task_read(&d->m, str(id), &d->a, &t, &d->e));
    return t;
}

static jot_status start(Desk *d, const char *id)
{
    Task t;
    return task_start(&d->m, str(id), false, &d->a, &t, &d->e);
}

static jot_status move(Desk *d, const char *id, TaskStatus to, const char *reason)
{
    Task t;
    TaskMove m = { .to = to, .reason = str(reason) };
    return task_move(&d->m, str(id), &m, &d->a, &t, &d->e);
}

/* A file as another machine would have written it. */
static Str task_text(Desk *d, const char *id, const char *status, const char *more)
{
    return arena_printf(&d->a,
                        "{\n  \"task_id\": \"%s\",\n  \"description\": \"a thing\",\n"
                        "  \"status\": \"%s\"%s\n}\n",
                        id, status, more);
}

static void bring_task(Desk *d, const char *id, const char *status, const char *more)
{
    bring(d, arena_printf(&d->a, "tasks/%s.json", id).p, task_text(d, id, status, more));
}

/* Does some version of this stream have the text? */
static bool in_history(Desk *d, const char *stream, Str text)
{
    Records got;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 100 }, &d->a, &got, &d->e));
    for (size_t i = 0; i < got.n; i++)
        if (str_eq(got.items[i].body, text))
            return true;
    return false;
}

static uint64_t seq_of(Desk *d, const char *stream)
{
    Record head;
    Err missing = { 0 };
    jot_status st = store_head(d->m.store, str(stream), HEAD_MARK, &d->a, &head, &missing);
    return st == JOT_OK ? head.mark.seq : 0;
}

static TaskList list(Desk *d)
{
    TaskList l;
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &l, &d->e));
    return l;
}

/* --- What Jotter writes -------------------------------------------------------------------- */

static void a_shared_task_has_a_file_that_says_what_it_is(Desk *d)
{
    add(d, "old", "");
    share(d, SHARE_TASKS);
    add(d, "new", "old");
    assert_has(file_text(d, "tasks/old.json"), "\"status\": \"pending\"");
    assert_has(file_text(d, "tasks/new.json"), "\"old\"");
    desk_ok(d, start(d, "old"));
    assert_has(file_text(d, "tasks/old.json"), "\"status\": \"running\"");
    assert_has(file_text(d, "tasks/old.json"), "\"holder\": \"ann\"");
    assert_text(file_text(d, "kinds.json"), "[\"tasks\"]\n");
}

static void a_pad_that_shares_nothing_has_no_such_files(Desk *d)
{
    add(d, "one", "");
    assert_int_equal(file_text(d, "tasks/one.json").n, 0);
    bring_task(d, "two", "pending", "");
    assert_int_equal(list(d).n, 1);
}

static void sharing_ends_with_what_was_brought_taken_in_and_the_files_gone(Desk *d)
{
    share(d, SHARE_TASKS | SHARE_PLANS);
    add(d, "mine", "");
    bring_task(d, "theirs", "ready", "");
    share(d, 0);
    assert_int_equal(list(d).n, 2);
    assert_int_equal(get(d, "theirs").status, TASK_READY);
    assert_int_equal(file_text(d, "tasks/mine.json").n + file_text(d, "tasks/theirs.json").n +
                         file_text(d, "kinds.json").n,
                     0);
    desk_ok(d, start(d, "theirs"));
    share(d, SHARE_TASKS);
    assert_has(file_text(d, "tasks/theirs.json"), "running");
}

static void a_file_that_a_dead_writer_left_behind_is_not_an_edit(Desk *d)
{
    ShareRefusals r;
    share(d, SHARE_TASKS);
    add(d, "one", "");
    Str before = file_text(d, "tasks/one.json");
    /* What it leaves: the event, and a file from before it. */
    share(d, 0);
    desk_ok(d, start(d, "one"));
    desk_ok(d, move(d, "one", TASK_COMPLETED, ""));
    Draft old = { .op = OP_PUT, .meta = S("{\"shows\":1}"), .body = before };
    Mark mark;
    desk_ok(d, memory_append(&d->m, S("shared/tasks/one"), NULL, &old, &mark, &d->e));
    desk_ok(d, share_say(&d->m, SHARE_TASKS, &d->e));
    assert_int_equal(get(d, "one").status, TASK_COMPLETED);
    desk_ok(d, share_refusals(&d->m, &d->a, &r, &d->e));
    assert_int_equal(r.total, 0);
    assert_int_equal(r.behind, 1);
    share(d, SHARE_TASKS);
    assert_has(file_text(d, "tasks/one.json"), "completed");
}

/* Killed between the event and the file, which still says what was taken in before. */
static void what_was_taken_in_is_not_taken_again(Desk *d)
{
    share(d, SHARE_TASKS);
    bring_task(d, "one", "ready", "");
    desk_expect(d, JOT_INVALID, move(d, "one", TASK_COMPLETED, ""));
    desk_ok(d, share_say(&d->m, 0, &d->e));
    desk_ok(d, start(d, "one"));
    desk_ok(d, share_say(&d->m, SHARE_TASKS, &d->e));
    assert_has(file_text(d, "tasks/one.json"), "ready");
    assert_int_equal(get(d, "one").status, TASK_RUNNING);
    desk_ok(d, move(d, "one", TASK_COMPLETED, ""));
    assert_has(file_text(d, "tasks/one.json"), "completed");
}

static void a_task_that_was_taken_away_can_be_added_again(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(unlink(path_of(d, "tasks/one.json").p), 0);
        if (i) {
            desk_expect(d, JOT_NOT_FOUND, start(d, "one")); /* recorded, here and there */
            desk_expect(d, JOT_NOT_FOUND, start(d, "one"));
        }
        add(d, "one", "");
        assert_int_equal(get(d, "one").status, TASK_PENDING);
        assert_has(file_text(d, "tasks/one.json"), "pending");
    }
}

/* --- What a pull brings -------------------------------------------------------------------- */

static void a_file_that_came_is_a_task_at_once_and_has_a_record_when_it_is_moved(Desk *d)
{
    share(d, SHARE_TASKS);
    bring_task(d, "one", "pending", ", \"priority\": 7");
    Task t = get(d, "one");
    assert_int_equal(t.priority, 7);
    assert_int_equal(t.seq, 0);
    assert_text(t.by, "outside");
    assert_int_equal(list(d).n, 1);
    assert_int_equal(seq_of(d, "tasks/one") + seq_of(d, "shared/tasks/one"), 0);
    desk_ok(d, start(d, "one"));
    TaskEvents events;
    desk_ok(d, task_history(&d->m, S("one"), (SeqRange){ 1, 10 }, &d->a, &events, &d->e));
    assert_int_equal(events.n, 3);
    assert_text(events.items[0].type, "created");
    assert_text(events.items[0].by, "outside");
    assert_text(events.items[1].by, "ann");
    assert_true(
        in_history(d, "shared/tasks/one", task_text(d, "one", "pending", ", \"priority\": 7")));
}

static void a_pulled_move_counts_and_its_bytes_stay_as_they_are(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    add(d, "two", "one");
    desk_expect(d, JOT_CONFLICT, start(d, "two"));
    bring_task(d, "one", "completed", ", \"result\": \"all well\"");
    Str brought = file_text(d, "tasks/one.json");
    assert_text(get(d, "one").result, "all well");
    desk_ok(d, start(d, "two")); /* what it needs is completed */
    desk_expect(d, JOT_INVALID, move(d, "one", TASK_READY, ""));
    assert_str(file_text(d, "tasks/one.json"), brought);
    TaskEvents events;
    desk_ok(d, task_history(&d->m, S("one"), (SeqRange){ 1, 10 }, &d->a, &events, &d->e));
    assert_text(events.items[1].type, "completed");
    assert_text(events.items[1].by, "outside");
    assert_text(events.items[1].from, "pending");
}

static void a_file_that_went_takes_the_task_along_and_a_new_one_brings_it_back(Desk *d)
{
    Task t;
    share(d, SHARE_TASKS);
    add(d, "one", "");
    assert_int_equal(unlink(path_of(d, "tasks/one.json").p), 0);
    assert_int_equal(list(d).n, 0);
    desk_expect(d, JOT_NOT_FOUND, start(d, "one"));
    desk_expect(d, JOT_NOT_FOUND, task_read(&d->m, S("one"), &d->a, &t, &d->e));
    bring_task(d, "one", "pending", "");
    desk_ok(d, start(d, "one"));
}

static void a_file_that_is_edited_through_jotter_is_judged_like_any_other(Desk *d)
{
    Doc out;
    DocEdit edit = { .old_text = S("a thing"), .new_text = S("another") };
    share(d, SHARE_TASKS);
    add(d, "one", "");
    desk_ok(d, doc_edit(&d->m, S("shared/tasks/one"), &edit, &d->a, &out, &d->e));
    assert_text(get(d, "one").description, "another");
    desk_ok(d, start(d, "one"));
    assert_text(get(d, "one").description, "another");
    desk_ok(d, history_undo(&d->m, S("shared/tasks/one"), &(DocIf){ 0 }, &d->a, &out, &d->e));
    assert_int_equal(get(d, "one").status, TASK_READY); /* running, blocked, ready by hand */
}

static void an_id_that_a_file_has_is_taken(Desk *d)
{
    Task t;
    share(d, SHARE_TASKS);
    bring_task(d, "one", "pending", "");
    TaskAdd a = { .id = S("one"), .description = S("x") };
    desk_expect(d, JOT_CONFLICT, task_add(&d->m, &a, &d->a, &t, &d->e));
    assert_says(d, "duplicate task id 'one'");
}

static void lists_record_nothing(Desk *d)
{
    TaskOrder o;
    share(d, SHARE_TASKS);
    for (int i = 0; i < MANY; i++)
        bring_task(d, arena_printf(&d->a, "t%03d", i).p, "pending", "");
    assert_int_equal(list(d).n, MANY);
    desk_ok(d, task_order(&d->m, &d->a, &o, &d->e));
    assert_int_equal(o.ready_n, MANY);
    uint64_t streams = 0;
    desk_ok(d, memory_count(&d->m, S("tasks/"), &streams, &d->e));
    assert_int_equal(streams, 0);
    assert_int_equal(seq_of(d, "shared/tasks/t007"), 0);
    /* Pages go on where they ended, between what has a stream and what has not. */
    desk_ok(d, start(d, "t100"));
    TaskList page;
    Str after = { 0 };
    size_t seen = 0;
    for (bool more = true; more; more = page.more) {
        TaskQuery q = { .after = after, .limit = 7 };
        desk_ok(d, task_list(&d->m, &q, &d->a, &page, &d->e));
        for (size_t i = 0; i < page.n; i++)
            assert_str(page.items[i].id, arena_printf(&d->a, "t%03zu", seen++));
        after = page.items[page.n - 1].id;
    }
    assert_int_equal(seen, MANY);
}

/* --- What it may not ------------------------------------------------------------------------ */

typedef struct Bad {
    const char *text, *why;
} Bad;

#define ONE "\"task_id\": \"one\""

static const Bad bad[] = {
    { "", "end" },
    { "{" ONE, "expected" },
    { "[1]", "not an object" },
    { "{" ONE "}", "holds no task" },
    { "{" ONE ", \"status\": \"dancing\"}", "holds no task" },
    { "{\"task_id\": \"two\", \"status\": \"running\"}", "it is task 'two'" },
    { "{" ONE ", \"status\": \"running\", \"description\": [1]}",
      "'description' is of another type" },
    { "{" ONE ", \"status\": \"running\", \"priority\": \"high\"}",
      "'priority' is of another type" },
    { "{" ONE ", \"status\": \"running\", \"priority\": 99999999}", "priority 99999999" },
    { "{" ONE ", \"status\": \"running\", \"tools\": [1]}", "holds no task" },
    { "{" ONE ", \"status\": \"pending\"}", "running -> pending; allowed" },
    { "{" ONE ", \"status\": \"failed\"}", "failed without a reason" },
    { "{" ONE ", \"status\": \"blocked\"}", "blocked without a reason" },
    { "{" ONE ", \"status\": \"running\", \"dependencies\": [\"one\"]}", "depends on itself" },
    { "{" ONE ", \"status\": \"running\", \"dependencies\": [\"x\", \"x\"]}", "on 'x' twice" },
    { "{" ONE ", \"status\": \"running\", \"dependencies\": [\"x\"]}", "while it is pending" },
    { "{" ONE ", \"status\": \"running\", \"retry_count\": -1}", "no number of retries" },
    { "<<<<<<< HEAD\n{" ONE "}\n=======\n{}\n>>>>>>> theirs\n", "marks of a conflict" },
    { "{" ONE ", \"status\": \"running\", \"status\": \"ready\"}", "duplicate object key" },
};

/* The stream counts, the file stays, the first change is refused with the reason and keeps the
 * text, the second goes over it. */
static void what_may_not_be_is_told_once_and_kept(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    desk_ok(d, start(d, "one"));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Str text = str(bad[i].text);
        bring(d, "tasks/one.json", text);
        Task t = get(d, "one");
        assert_row(t.status == TASK_RUNNING && t.refused.n, i, "it was taken");
        assert_row(memmem(t.refused.p, t.refused.n, bad[i].why, strlen(bad[i].why)), i,
                   t.refused.p);
        TaskList l = list(d);
        assert_row(l.n == 1 && l.problems_n == 1, i, "no list tells");
        int64_t priority = (int64_t)i + 1;
        TaskEdit edit = { .priority = &priority };
        desk_expect(d, JOT_CONFLICT, task_edit(&d->m, S("one"), &edit, &d->a, &t, &d->e));
        assert_says(d, "is not taken");
        assert_sentence(&d->e);
        assert_row(str_eq(file_text(d, "tasks/one.json"), text), i, "it was written over unseen");
        desk_ok(d, task_edit(&d->m, S("one"), &edit, &d->a, &t, &d->e));
        assert_row(in_history(d, "shared/tasks/one", text), i, "its text is lost");
        assert_row(!get(d, "one").refused.n, i, "the file was not written");
    }
}

static void what_was_never_a_task_and_may_not_be_one_is_a_problem_and_no_task(Desk *d)
{
    Task t;
    share(d, SHARE_TASKS);
    bring(d, "tasks/one.json", S("{nonsense"));
    bring_task(d, "good", "pending", "");
    TaskList l = list(d);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.problems_n, 1);
    assert_has(l.problems[0].why, "the file of task 'one' is not taken");
    desk_expect(d, JOT_INVALID, start(d, "one"));
    TaskAdd a = { .id = S("one"), .description = S("x") };
    desk_expect(d, JOT_INVALID, task_add(&d->m, &a, &d->a, &t, &d->e));
    assert_text(file_text(d, "tasks/one.json"), "{nonsense");
}

static void nothing_is_taken_that_starts_before_what_it_needs(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    add(d, "two", "one");
    bring_task(d, "two", "running", ", \"dependencies\": [\"one\"]");
    assert_has(get(d, "two").refused, "waits for 'one'");
    bring_task(d, "one", "completed", "");
    assert_int_equal(get(d, "two").status, TASK_RUNNING);
}

static void a_completed_task_stays_and_retries_are_counted(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "done", "");
    desk_ok(d, start(d, "done"));
    desk_ok(d, move(d, "done", TASK_COMPLETED, ""));
    bring_task(d, "done", "ready", "");
    assert_has(get(d, "done").refused, "completed -> ready; allowed: none");
    bring_task(d, "done", "completed", ", \"result\": \"another\"");
    assert_has(get(d, "done").refused, "stays as it is");
    add(d, "bad", "");
    desk_ok(d, start(d, "bad"));
    desk_ok(d, move(d, "bad", TASK_FAILED, "why"));
    bring_task(d, "bad", "ready", ", \"retry_count\": 1");
    assert_has(get(d, "bad").refused, "no retries are left");
    bring_task(d, "bad", "ready", ", \"retry_count\": 1, \"max_retries\": 1");
    assert_int_equal(get(d, "bad").status, TASK_READY);
    bring_task(d, "bad", "ready", "");
    assert_has(get(d, "bad").refused, "goes back");
}

static void a_cycle_that_two_files_close_is_told_and_not_recorded(Desk *d)
{
    TaskOrder o;
    share(d, SHARE_TASKS);
    bring_task(d, "a", "pending", ", \"dependencies\": [\"b\"]");
    bring_task(d, "b", "pending", ", \"dependencies\": [\"a\"]");
    desk_ok(d, task_order(&d->m, &d->a, &o, &d->e));
    assert_int_equal(o.ready_n, 0);
    assert_true(o.problems_n >= 1);
    desk_expect(d, JOT_INVALID, start(d, "a"));
    assert_says(d, "dependency cycle");
    assert_int_equal(seq_of(d, "tasks/a"), 0);
}

/* --- What is no file ------------------------------------------------------------------------ */

static void nothing_that_a_stranger_plants_breaks_anything(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "good", "");
    for (int i = 0; i < 4; i++)
        add(d, (const char *[]){ "link", "pipe", "folder", "huge" }[i], "");
    Str link = path_of(d, "tasks/link.json"), fifo = path_of(d, "tasks/pipe.json"),
        folder = path_of(d, "tasks/folder.json"), huge = path_of(d, "tasks/huge.json");
    assert_int_equal(unlink(link.p) | unlink(fifo.p) | unlink(folder.p), 0);
    assert_int_equal(symlink("/etc/passwd", link.p) | mkfifo(fifo.p, 0600) | mkdir(folder.p, 0700),
                     0);
    assert_int_equal(truncate(huge.p, 100 * 1024 * 1024), 0);
    bring(d, "tasks/a b.json", task_text(d, "a b", "pending", ""));
    bring(d, "tasks/new\nline.json", S("{}"));
    bring(d, "tasks/.hidden.json", S("{}"));
    bring(d, "tasks/bell.json",
          S("{\"task_id\": \"bell\", \"status\": \"pending\", \"description\": "
            "\"\\u0007\\u001b[31m\"}"));
    TaskList l = list(d);
    assert_int_equal(l.problems_n, 3);
    for (size_t i = 0; i < l.problems_n; i++)
        assert_has(l.problems[i].why, "is not taken: the file of 'shared/tasks/");
    assert_int_equal(l.n, 6); /* all but `folder`, whose file is gone */
    desk_ok(d, start(d, "good"));
    desk_ok(d, start(d, "link")); /* the stream counts, and nobody writes through the link */
    desk_ok(d, start(d, "huge"));
    desk_ok(d, start(d, "a b"));
    struct stat info;
    assert_int_equal(lstat(link.p, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void what_is_shared_may_be_nonsense_itself(Desk *d)
{
    add(d, "one", "");
    static const char *const texts[] = { "", "tasks", "{\"tasks\": true}", "[1, null, \"songs\"]" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        unsigned shares = 7;
        bring(d, "kinds.json", str(texts[i]));
        desk_ok(d, share_now(&d->m, &shares, &d->e));
        assert_int_equal(shares, 0);
    }
    assert_int_equal(list(d).n, 1);
}

/* --- Power, races, forgetting ---------------------------------------------------------------- */

static void what_a_power_loss_leaves_of_a_file_is_no_edit(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    Str old = file_text(d, "tasks/one.json");
    desk_ok(d, start(d, "one"));
    Str newest = file_text(d, "tasks/one.json");
    Str torn = str_slice(newest, 0, newest.n / 2), zeros = { "\0\0\0\0\0\0", 6 };
    Str left[] = { old, torn, zeros, S("") };
    static const char *const boots[] = { "11111111111111111111111111111111",
                                         "22222222222222222222222222222222",
                                         "33333333333333333333333333333333",
                                         "44444444444444444444444444444444",
                                         "55555555555555555555555555555555" };
    for (size_t i = 0; i <= COUNT_OF(left); i++) {
        if (i < COUNT_OF(left))
            bring(d, "tasks/one.json", left[i]);
        else
            assert_int_equal(unlink(path_of(d, "tasks/one.json").p), 0);
        d->io.boot_id = boots[i];
        desk_reopen(d);
        Task t = get(d, "one");
        assert_row(t.status == TASK_RUNNING && !t.refused.n, i, "it was taken for an edit");
        int64_t priority = (int64_t)i + 1;
        TaskEdit edit = { .priority = &priority };
        desk_ok(d, task_edit(&d->m, S("one"), &edit, &d->a, &t, &d->e));
        newest = file_text(d, "tasks/one.json");
        assert_has(newest, "running");
    }
}

static void of_many_who_take_a_file_in_at_once_one_does(Desk *d)
{
    share(d, SHARE_TASKS);
    bring_task(d, "one", "ready", "");
    memory_close(&d->m);
    pid_t racers[RACERS];
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        assert_true(racers[i] >= 0);
        if (racers[i] == 0) {
            AUTO(Arena) a = { 0 };
            Memory m = { 0 };
            Task t;
            Str by = arena_printf(&a, "racer%d", i);
            MemoryOptions o = { .io = &d->io, .by = by, .create = true };
            jot_status st = memory_open(&m, str(d->url), &o, NULL);
            if (st == JOT_OK)
                st = task_start(&m, S("one"), false, &a, &t, NULL);
            memory_close(&m);
            _exit(st == JOT_OK ? 0 : st == JOT_CONFLICT || st == JOT_INVALID ? 1 : 2);
        }
    }
    int won = 0;
    for (int i = 0; i < RACERS; i++) {
        int code = 0;
        assert_int_equal(waitpid(racers[i], &code, 0), racers[i]);
        assert_true(WIFEXITED(code) && WEXITSTATUS(code) < 2);
        won += WEXITSTATUS(code) == 0;
    }
    assert_int_equal(won, 1);
    desk_reopen(d);
    TaskEvents events;
    desk_ok(d, task_history(&d->m, S("one"), (SeqRange){ 1, 10 }, &d->a, &events, &d->e));
    assert_int_equal(events.n, 2);
    assert_has(file_text(d, "tasks/one.json"), "running");
}

static int edit_often(Desk *d, int racer)
{
    AUTO(Arena) a = { 0 };
    Memory m = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("racer"), .create = true };
    jot_status st = memory_open(&m, str(d->url), &o, NULL);
    for (int i = 0; st == JOT_OK && i < EDITS;) {
        Task t;
        int64_t priority = racer * EDITS + i + 1;
        st = task_edit(&m, S("one"), &(TaskEdit){ .priority = &priority }, &a, &t, NULL);
        i += st == JOT_OK;
        st = st == JOT_CONFLICT ? JOT_OK : st;
    }
    memory_close(&m);
    return st == JOT_OK ? 0 : 1;
}

static void after_many_writers_the_file_shows_the_newest(Desk *d)
{
    ShareRefusals r;
    share(d, SHARE_TASKS);
    add(d, "one", "");
    memory_close(&d->m);
    pid_t racers[RACERS];
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        assert_true(racers[i] >= 0);
        if (racers[i] == 0)
            _exit(edit_often(d, i));
    }
    for (int i = 0; i < RACERS; i++) {
        int code = 0;
        assert_int_equal(waitpid(racers[i], &code, 0), racers[i]);
        assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    }
    desk_reopen(d);
    desk_ok(d, share_refusals(&d->m, &d->a, &r, &d->e));
    assert_int_equal(r.total + r.behind, 0);
    assert_int_equal(get(d, "one").seq, RACERS * EDITS + 1);
}

static void who_forgets_a_task_forgets_its_file(Desk *d)
{
    Mark mark;
    Forgotten f;
    share(d, SHARE_TASKS);
    add(d, "one", "");
    Str what = S("the hidden word"), other = S("another word");
    Task t;
    desk_ok(d, task_edit(&d->m, S("one"), &(TaskEdit){ .description = &what }, &d->a, &t, &d->e));
    desk_ok(d, task_edit(&d->m, S("one"), &(TaskEdit){ .description = &other }, &d->a, &t, &d->e));
    assert_true(desk_files_with(d, "the hidden word") > 0);
    desk_ok(d, forget_record(&d->m, S("tasks/one"), 2, &d->e));
    assert_int_equal(desk_files_with(d, "the hidden word"), 0);
    desk_ok(d, task_edit(&d->m, S("one"), &(TaskEdit){ .description = &what }, &d->a, &t, &d->e));
    desk_ok(d, task_edit(&d->m, S("one"), &(TaskEdit){ .description = &other }, &d->a, &t, &d->e));
    desk_ok(d, forget_phrase(&d->m, S("tasks/one"), what, &f, &d->e));
    assert_int_equal(desk_files_with(d, "the hidden word"), 0);
    desk_ok(d, forget_document(&d->m, S("tasks/one"), &mark, &d->e));
    assert_int_equal(file_text(d, "tasks/one.json").n, 0);
    assert_int_equal(list(d).n, 0);
    assert_int_equal(desk_files_with(d, "another word"), 0);
}

static void the_past_is_as_it_was(Desk *d)
{
    share(d, SHARE_TASKS);
    add(d, "one", "");
    int64_t then = d->now_ms;
    d->now_ms += 60000;
    bring_task(d, "one", "blocked", ", \"reason\": \"rain\"");
    desk_expect(d, JOT_INVALID, move(d, "one", TASK_COMPLETED, ""));
    AUTO(Memory) past = { 0 };
    memory_open_past(&past, &d->m, then);
    Task t;
    desk_ok(d, task_read(&past, S("one"), &d->a, &t, &d->e));
    assert_int_equal(t.status, TASK_PENDING);
}

/* --- Plans ----------------------------------------------------------------------------------- */

static Str plan_file(Desk *d, const char *status, const char *evidence)
{
    return arena_printf(&d->a,
                        "{\"id\": \"p\", \"objective\": \"ship\", \"steps\": [{\"id\": \"s1\", "
                        "\"description\": \"build\", \"status\": \"%s\", \"evidence\": %s, "
                        "\"notes\": null}], \"postconditions\": [], "
                        "\"created\": \"2026-01-31T18:45:00Z\"}\n",
                        status, evidence);
}

static void a_plan_travels_likewise(Desk *d)
{
    Plan p;
    share(d, SHARE_PLANS);
    bring(d, "plans/p.json", plan_file(d, "pending", "null"));
    desk_ok(d, plan_read(&d->m, S("p"), &d->a, &p, &d->e));
    assert_text(p.objective, "ship");
    assert_int_equal(seq_of(d, "plans/p"), 0);
    PlanMove done = { .n = 1, .status = PLAN_DONE, .evidence = S("it runs") };
    desk_ok(d, plan_step(&d->m, S("p"), &done, &d->a, &p, &d->e));
    assert_int_equal(p.seq, 2);
    assert_has(file_text(d, "plans/p.json"), "it runs");
    bring(d, "plans/p.json", plan_file(d, "done", "\"it flies\""));
    desk_ok(d, plan_read(&d->m, S("p"), &d->a, &p, &d->e));
    assert_text(p.steps[0].evidence, "it flies");
    assert_text(p.by, "outside");
}

static void a_plan_that_may_not_be_is_told_once_and_kept(Desk *d)
{
    Plan p;
    Str texts[] = { plan_file(d, "done", "null"), S("{}"), S("<<<<<<< a\n=======\n>>>>>>> b\n") };
    Str step = S("build");
    PlanDraft draft = { .objective = S("ship"), .steps = &step, .steps_n = 1 };
    share(d, SHARE_PLANS);
    desk_ok(d, plan_create(&d->m, S("p"), &draft, &d->a, &p, &d->e));
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        PlanMove move = { .n = 1, .status = PLAN_IN_PROGRESS };
        bring(d, "plans/p.json", texts[i]);
        desk_ok(d, plan_read(&d->m, S("p"), &d->a, &p, &d->e));
        assert_row(p.refused.n, i, "it was taken");
        desk_expect(d, JOT_CONFLICT,
                    i ? plan_step(&d->m, S("p"), &move, &d->a, &p, &d->e)
                      : plan_create(&d->m, S("p"), &draft, &d->a, &p, &d->e));
        assert_says(d, "the file of plan 'p' is not taken");
        desk_ok(d, plan_step(&d->m, S("p"), &move, &d->a, &p, &d->e));
        assert_row(in_history(d, "shared/plans/p", texts[i]), i, "its text is lost");
    }
}

static void a_pad_without_files_cannot_be_shared(Desk *d)
{
    ShareCount count;
    desk_expect(d, JOT_UNSUPPORTED, share_change(&d->m, SHARE_TASKS, &count, &d->e));
    assert_says(d, "has no files that git could carry");
    add(d, "one", "");
    assert_int_equal(list(d).n, 1);
}

static const DeskTest on_files[] = {
    DESK_TEST(a_shared_task_has_a_file_that_says_what_it_is),
    DESK_TEST(a_pad_that_shares_nothing_has_no_such_files),
    DESK_TEST(sharing_ends_with_what_was_brought_taken_in_and_the_files_gone),
    DESK_TEST(a_file_that_a_dead_writer_left_behind_is_not_an_edit),
    DESK_TEST(what_was_taken_in_is_not_taken_again),
    DESK_TEST(a_task_that_was_taken_away_can_be_added_again),
    DESK_TEST(a_file_that_came_is_a_task_at_once_and_has_a_record_when_it_is_moved),
    DESK_TEST(a_pulled_move_counts_and_its_bytes_stay_as_they_are),
    DESK_TEST(a_file_that_went_takes_the_task_along_and_a_new_one_brings_it_back),
    DESK_TEST(a_file_that_is_edited_through_jotter_is_judged_like_any_other),
    DESK_TEST(an_id_that_a_file_has_is_taken),
    DESK_TEST(lists_record_nothing),
    DESK_TEST(what_may_not_be_is_told_once_and_kept),
    DESK_TEST(what_was_never_a_task_and_may_not_be_one_is_a_problem_and_no_task),
    DESK_TEST(nothing_is_taken_that_starts_before_what_it_needs),
    DESK_TEST(a_completed_task_stays_and_retries_are_counted),
    DESK_TEST(a_cycle_that_two_files_close_is_told_and_not_recorded),
    DESK_TEST(nothing_that_a_stranger_plants_breaks_anything),
    DESK_TEST(what_is_shared_may_be_nonsense_itself),
    DESK_TEST(what_a_power_loss_leaves_of_a_file_is_no_edit),
    DESK_TEST(of_many_who_take_a_file_in_at_once_one_does),
    DESK_TEST(after_many_writers_the_file_shows_the_newest),
    DESK_TEST(who_forgets_a_task_forgets_its_file),
    DESK_TEST(the_past_is_as_it_was),
    DESK_TEST(a_plan_travels_likewise),
    DESK_TEST(a_plan_that_may_not_be_is_told_once_and_kept),
};

static const DeskTest elsewhere[] = { DESK_TEST(a_pad_without_files_cannot_be_shared) };

int main(void)
{
    return desk_run_on("files", on_files, COUNT_OF(on_files)) |
           desk_run_on("sqlite", elsewhere, COUNT_OF(elsewhere)) |
           desk_run_on("mem", elsewhere, COUNT_OF(elsewhere));
}
