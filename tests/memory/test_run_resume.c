/* test_run_resume.c - runs that outlast a process: several writers at once, going on after a kill,
 * and a stream that was damaged. */
#include "memory/run/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/run_desk.h"

/* --- Several writers ----------------------------------------------------------------------------
 */

static void a_child_records(Desk *d, const char *id, unsigned who, unsigned rounds)
{
    Memory m = desk_open(d, "bob");
    Run r;
    if (run_open(&m, str(id), &r, &d->e) != JOT_OK)
        _exit(1);
    for (unsigned i = 0; i < rounds; i++) {
        char call[32];
        uint64_t n;
        snprintf(call, sizeof call, "w%u-%u", who, i);
        RunCall c = { .call = str(call), .tool = S("t") };
        if (run_call(&r, &c, &d->e) != JOT_OK ||
            run_result(&r, str(call), true, str(call), &n, &d->e) != JOT_OK)
            _exit(2);
    }
    run_close(&r);
    memory_close(&m);
    _exit(0);
}

static void writers_at_the_same_run_lose_and_double_nothing(Desk *d)
{
    enum { WRITERS = 3, ROUNDS = 50 };
    AUTO(Run) r = begin(d, "q");
    pid_t pids[WRITERS];
    memory_close(&d->m); /* a handle does not survive a fork */
    for (unsigned i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            a_child_records(d, r.id, i, ROUNDS);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    desk_reopen(d);
    desk_ok(d, run_refresh(&r, &d->e));
    assert_int_equal(r.state.results, WRITERS * ROUNDS);
    assert_int_equal(r.state.open_n, 0);
    assert_int_equal(r.state.damaged, 0);
    Results list;
    desk_ok(d, run_results(&r, 1, 0, &d->a, &list, &d->e));
    for (size_t i = 0; i < list.n; i++)
        assert_int_equal(list.items[i].n, i + 1);
    assert_int_equal(list.n, WRITERS * ROUNDS);
    for (uint64_t seq = RUN_FOLD_EVERY; seq <= r.state.seq; seq += RUN_FOLD_EVERY) {
        RunStep s;
        desk_ok(d, run_step(&r, seq, &d->a, &s, &d->e));
        assert_int_equal(s.kind, RUN_FOLD);
    }
    assert_str(from_scratch(d, &r), state_text(d, &r.state));
}

/* --- Going on ------------------------------------------------------------------------------------
 */

static void a_run_killed_between_call_and_result_goes_on(Desk *d)
{
    int ready[2];
    char id[RUN_ID_MAX + 1] = "";
    assert_int_equal(pipe(ready), 0);
    memory_close(&d->m);
    pid_t pid = fork();
    if (pid == 0) {
        d->m = desk_open(d, "ann");
        Run r;
        RunCall read = { .call = S("r1"), .tool = S("read_file"), .args = S("{\"path\":\"x\"}") };
        RunCall change = { .call = S("w1"), .tool = S("write_file"), .mutating = true };
        if (run_begin(&d->m, NULL, S("q"), &r, &d->e) == JOT_OK &&
            run_call(&r, &read, &d->e) == JOT_OK && run_call(&r, &change, &d->e) == JOT_OK &&
            write(ready[1], r.id, strlen(r.id)) > 0)
            pause();
        _exit(1);
    }
    assert_true(read(ready[0], id, sizeof id - 1) > 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);
    desk_reopen(d);
    AUTO(Run) r = { 0 };
    desk_ok(d, run_open(&d->m, str(id), &r, &d->e));
    UnfinishedList list;
    desk_ok(d, run_unfinished(&r, &d->a, &list, &d->e));
    assert_int_equal(list.n, 2);
    assert_text(list.items[0].open.call, "r1");
    assert_text(list.items[0].args, "{\"path\":\"x\"}");
    assert_false(list.items[0].open.mutating);
    assert_text(list.items[1].open.tool, "write_file");
    assert_true(list.items[1].open.mutating);
    assert_false(list.items[1].stored);
    result_of(d, &r, "r1", S("x"));
    desk_ok(d, run_unfinished(&r, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
}

static void a_call_whose_result_was_put_aside_is_known_to_have_happened(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    RunCall change = { .call = S("w:1"), .tool = S("write_file"), .mutating = true };
    desk_ok(d, run_call(&r, &change, &d->e));
    Mark m;
    Draft sink = { .op = OP_PUT, .body = S("{}") };
    desk_ok(d, memory_append(&d->m, S("artifacts/tool_results/w:1"), NULL, &sink, &m, &d->e));
    UnfinishedList list;
    desk_ok(d, run_unfinished(&r, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_true(list.items[0].stored);
}

static void open_calls_are_known_across_a_fold(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    call_as(d, &r, "early", "slow", "{\"a\":1}");
    for (unsigned i = 1; i <= 70; i++)
        round_trip(d, &r, i);
    AUTO(Run) other = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &other, &d->e));
    UnfinishedList list;
    desk_ok(d, run_unfinished(&other, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_text(list.items[0].args, "{\"a\":1}");
    assert_int_equal(result_of(d, &other, "early", S("x")), 71);
}

/* --- Damage -------------------------------------------------------------------------------------
 */

/* Overwrite a byte of the record with this seq, in the file itself. */
static void damage(Desk *d, const Run *r, uint64_t seq)
{
    char path[300], mark[40];
    snprintf(path, sizeof path, "%s/pad/runs/%s.jsonl", d->dir, r->id);
    snprintf(mark, sizeof mark, "{\"seq\":%llu,", (unsigned long long)seq);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = arena_alloc(&d->a, (size_t)size + 1, 1);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    char *at = strstr(text, mark);
    assert_non_null(at);
    assert_int_equal(pwrite(fd, "!!", 2, at - text + 1), 2);
    close(fd);
}

static void damaged_lines_are_passed_over_and_counted(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    AUTO(Run) r = begin(d, "q");
    for (unsigned i = 1; i <= 90; i++)
        round_trip(d, &r, i);
    damage(d, &r, 5);   /* the result of call-2 */
    damage(d, &r, 128); /* a fold */
    desk_reopen(d);
    AUTO(Run) after = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &after, &d->e));
    assert_int_equal(after.state.results, 90);
    assert_int_equal(after.state.damaged,
                     1); /* the fold; what is before the one before is not read */
    Results list;
    desk_ok(d, run_results(&after, 1, 0, &d->a, &list, &d->e));
    assert_int_equal(list.n, 89);
    assert_int_equal(list.damaged, 1);
    assert_int_equal(list.items[1].n, 3);
    uint64_t damaged;
    AUTO(Buf) text = { 0 };
    desk_ok(d, run_each(&after, 1, count_kinds, &text, &damaged, &d->e));
    assert_int_equal(damaged, 2);
    round_trip(d, &after, 91);
    assert_int_equal(after.state.results, 91);
    for (uint64_t n = 1; n <= 91; n += 9) {
        desk_ok(d, run_results(&after, n, n, &d->a, &list, &d->e));
        assert_int_equal(list.n, 1);
    }
}

static void a_torn_last_line_is_cut_and_reported(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    AUTO(Run) r = begin(d, "q");
    round_trip(d, &r, 1);
    char path[300];
    snprintf(path, sizeof path, "%s/pad/runs/%s.jsonl", d->dir, r.id);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "{\"seq\":4,\"at\":17", 16), 16);
    close(fd);
    desk_reopen(d);
    AUTO(Run) after = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &after, &d->e));
    assert_int_equal(after.state.seq, 3);
    round_trip(d, &after, 2);
    assert_int_equal(after.state.results, 2);
    assert_int_equal(after.state.damaged, 0);
    assert_int_equal(store_report(d->m.store)->torn, 1);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_call_whose_result_was_put_aside_is_known_to_have_happened),
        DESK_TEST(open_calls_are_known_across_a_fold),
    };
    static const DeskTest lasting[] = {
        DESK_TEST(writers_at_the_same_run_lose_and_double_nothing),
        DESK_TEST(a_run_killed_between_call_and_result_goes_on),
        DESK_TEST(damaged_lines_are_passed_over_and_counted),
        DESK_TEST(a_torn_last_line_is_cut_and_reported),
    };
    return desk_run(tests, COUNT_OF(tests), false) + desk_run(lasting, COUNT_OF(lasting), true);
}
