/* test_lock.c - writers that stop, wait, or lose their stream file.
 *
 * A stopped process holds up only who wants the same stream, and that one for a
 * bounded time.  Who waits for a stream notices when its file is replaced or
 * taken away meanwhile, and writes to the one that has the name. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* --- Stopped writers ----------------------------------------------------------------------- */

/* What the writer that is stopped was about to do. */
static bool overwrite(Bench *b)
{
    return try_put(b, "notes/plan", ANYTHING, "new", NULL) == JOT_OK;
}

static bool write_first(Bench *b)
{
    return try_put(b, "memories/new/deep/note", ANYTHING, "new", NULL) == JOT_OK;
}

static bool delete_it(Bench *b)
{
    return try_delete(b, "notes/plan", NULL) == JOT_OK;
}

static bool append_it(Bench *b)
{
    return try_entry(b, "runs/r", "new", NULL) == JOT_OK;
}

static bool purge_it(Bench *b)
{
    Mark m;
    return store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e) == JOT_OK;
}

static bool trim_it(Bench *b)
{
    uint64_t dropped;
    return store_trim(b->s, S("runs/r"), NULL, 5, &dropped, &b->e) == JOT_OK;
}

/* True if it stopped, false if it came to its end. */
static bool stops(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    return WIFSTOPPED(status);
}

static pid_t stopped_at(Bench *b, bool (*write)(Bench *), int step)
{
    traps_clear(b);
    trap(b, (Trap){ .kind = IO_KINDS, .skip = step, .act = stop_here });
    pid_t pid = start_elsewhere(b, write);
    traps_clear(b);
    if (stops(pid))
        return pid;
    return 0;
}

/* Everybody who wants something else goes on, at once. */
static void others_go_on(Bench *b, int step)
{
    Record r;
    b->asleep = NULL;
    jot_status st = try_put(b, "notes/other", ANYTHING, "text", NULL);
    if (st != JOT_OK)
        fail_msg("step %d: %s: %s", step, status_info(st)->name, b->e.text);
    put(b, "memories/other/deep/note", "text");
    bury(b, "memories/other/deep/note");
    entry(b, "runs/other", "text");
    st = try_head(b, "notes/plan", &r); /* readers of the same stream too */
    assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
    records(b, "runs/r");
    listed(b, "");
    changes(b, NULL, 0);
}

static void stopped_at_every_step(Bench *b, bool (*write)(Bench *), int steps_at_least)
{
    int step = 0;
    Store *mine = b->s;
    for (;; step++) {
        AUTO(Arena) kept = TAKE(b->arena);
        pid_t pid = stopped_at(b, write, step);
        if (pid) {
            others_go_on(b, step);
            kill_it(pid);
        }
        put(b, "notes/plan", "text"); /* and after it is dead, this one too */
        entry(b, "runs/r", "text");
        arena_free(&b->arena);
        b->arena = TAKE(kept);
        b->s = mine;
        if (!pid)
            break;
    }
    assert_true(step >= steps_at_least);
}

static void prepare(Bench *b)
{
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .wait_ms = 2000 });
    put(b, "notes/plan", "old");
    for (int i = 0; i < 30; i++)
        entry(b, "runs/r", "text");
}

static void a_writer_stopped_while_overwriting_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, overwrite, 12);
}

static void a_writer_stopped_in_a_first_write_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, write_first, 20);
}

static void a_writer_stopped_while_deleting_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, delete_it, 12);
}

static void a_writer_stopped_while_appending_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, append_it, 6);
}

static void a_writer_stopped_while_purging_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, purge_it, 12);
}

static void a_writer_stopped_while_trimming_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, trim_it, 10);
}

/* Names enough that the next writer begins `recent` anew. */
static void fill_recent(Bench *b)
{
    static char names[1100 * 1024];
    for (size_t i = 0; i < sizeof names; i += 11)
        memcpy(names + i, "\nnotes/xxx\n", sizeof names - i < 11 ? sizeof names - i : 11);
    AUTO(Fd) fd = open(full_path(b, "recent"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, names, sizeof names), (ssize_t)sizeof names);
}

static bool overwrite_large(Bench *b)
{
    fill_recent(b);
    return overwrite(b);
}

static void a_writer_stopped_while_beginning_recent_anew_holds_up_nobody_else(void **state)
{
    prepare(*state);
    stopped_at_every_step(*state, overwrite_large, 16);
}

static void who_waits_too_long_is_told_for_whom(void **state)
{
    Bench *b = *state;
    prepare(b);
    trap(b, (Trap){ .kind = IO_FDATASYNC, .act = stop_here });
    pid_t pid = start_elsewhere(b, overwrite);
    traps_clear(b);
    assert_true(stops(pid));
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .wait_ms = 50 });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "mine", NULL), JOT_UNAVAILABLE);
    char who[32];
    snprintf(who, sizeof who, "pid %d", (int)pid);
    assert_non_null(strstr(b->e.text, who));
    assert_non_null(strstr(b->e.text, "notes/plan"));
    kill(pid, SIGCONT);
    assert_true(finish(pid));
    assert_int_equal(put(b, "notes/plan", "mine").seq, 3);
}

/* --- Waiting for a file that goes ----------------------------------------------------------- */

/* A fork shares the locks of its parent, so whoever is to wait is started before there are any. */

static void say_that_we_wait(Bench *b, IoCall *call)
{
    (void)call;
    assert_int_equal(write(b->pipe[1], "w", 1), 1);
}

static bool wait_and_append(Bench *b)
{
    char c;
    b->s = open_pad(b, (StoreOptions){ 0 });
    trap(b, (Trap){ .kind = IO_LOCK, .at = "r.jsonl", .act = say_that_we_wait });
    return b->s && read(b->held, &c, 1) == 1 && try_entry(b, "runs/r", "waited", NULL) == JOT_OK;
}

/* Start one that will want the lock of runs/r. */
static void start_waiter(Bench *b)
{
    int go[2];
    assert_int_equal(pipe2(b->pipe, O_CLOEXEC), 0);
    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    b->held = go[0];
    b->other = start_elsewhere(b, wait_and_append);
    close(go[0]);
    close(b->pipe[1]);
    b->held = go[1];
}

/* Let it go; when this returns it has the file open. */
static void let_it_wait(Bench *b, IoCall *call)
{
    char c;
    (void)call;
    assert_int_equal(write(b->held, "g", 1), 1);
    assert_int_equal(read(b->pipe[0], &c, 1), 1);
    close(b->pipe[0]);
}

static void a_stream_trimmed_under_a_waiting_writer_is_noticed(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 40; i++)
        entry(b, "runs/r", "text");
    start_waiter(b);
    trap(b, (Trap){ .kind = IO_RENAME, .at = "r.jsonl", .act = let_it_wait });
    assert_ok(b, store_trim(b->s, S("runs/r"), NULL, 20, &dropped, &b->e));
    assert_true(finish(b->other));
    Records all = records(b, "runs/r");
    assert_int_equal(all.n, 22);
    assert_int_equal(all.items[0].mark.seq, 20);
    assert_int_equal(all.items[21].mark.seq, 41);
    assert_text(all.items[21].body, "waited");
}

static void a_stream_file_deleted_under_a_waiting_writer_is_noticed(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "text");
    start_waiter(b);
    AUTO(Fd) fd = open(full_path(b, "runs/r.jsonl"), O_RDWR | O_CLOEXEC);
    assert_int_equal(io_lock(&io_system, fd, F_WRLCK, 0), 0);
    let_it_wait(b, NULL);
    person_removes(b, "runs/r.jsonl");
    assert_int_equal(io_lock(&io_system, fd, F_UNLCK, 0), 0);
    assert_true(finish(b->other));
    assert_text(head(b, "runs/r").body, "waited");
}

static void a_file_that_was_made_in_vain_does_not_swallow_a_record(void **state)
{
    Bench *b = *state;
    Mark m;
    /* The first one makes the file, is refused, and takes it away while the second waits for it. */
    start_waiter(b);
    trap(b, (Trap){ .kind = IO_UNLINK, .at = "r.jsonl", .act = let_it_wait });
    assert_status(b, try_put(b, "runs/r", AT_SEQ(5), "never", &m), JOT_CONFLICT);
    assert_true(finish(b->other));
    assert_int_equal(head(b, "runs/r").mark.seq, 1);
}

/* --- A file that goes under the writer ------------------------------------------------------ */

static void take_the_stream_away(Bench *b, IoCall *call)
{
    (void)call;
    person_removes(b, "streams/notes.d/plan.jsonl");
}

static void a_stream_file_removed_during_a_write_is_written_again(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = take_the_stream_away });
    put(b, "notes/plan", "new");
    Record r = head(b, "notes/plan");
    assert_text(r.body, "new");
    assert_text(r.by, "ann");
    assert_true(there(b, "streams/notes.d/plan.jsonl"));
    assert_int_equal(put(b, "notes/plan", "next").seq, r.mark.seq + 1);
}

static void replace_the_stream(Bench *b, IoCall *call)
{
    (void)call;
    Str bytes = bytes_of(b, "streams/notes.d/plan.jsonl");
    Str lines = bytes, first;
    assert_true(str_cut(&lines, '\n', &first)); /* a backup from before this write */
    person_removes(b, "streams/notes.d/plan.jsonl");
    write_bytes(b, "streams/notes.d/plan.jsonl", (Str){ bytes.p, first.n + 1 });
}

static void a_stream_file_replaced_during_a_write_is_noticed(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = replace_the_stream });
    put(b, "notes/plan", "new");
    assert_text(head(b, "notes/plan").body, "new");
    assert_version(b, "notes/plan", 1, "ann", "old");
    assert_text(head(b, "notes/plan").by, "ann");
}

static void always_take_it_away(Bench *b, IoCall *call)
{
    (void)call;
    if (there(b, "streams/notes.d/plan.jsonl"))
        person_removes(b, "streams/notes.d/plan.jsonl");
}

static void a_stream_file_that_is_always_taken_away_is_unknown_in_the_end(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b,
         (Trap){
             .kind = IO_UNLINK, .at = ".plan.txt.new", .stays = true, .act = always_take_it_away });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
}

static void look_at_it(Bench *b, IoCall *call)
{
    (void)call;
    Store *mine = b->s;
    b->s = open_pad(b, (StoreOptions){ .wait_ms = -1 });
    assert_int_equal(entry(b, "runs/r", "by who does not wait").seq, 2);
    store_close(b->s);
    b->s = mine;
}

static void a_reader_never_holds_up_a_writer(void **state)
{
    static const IoKind kinds[] = { IO_STAT, IO_READ, IO_LOCK };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        void *fresh = NULL;
        assert_int_equal(bench_new(&fresh), 0);
        Bench *b = fresh;
        entry(b, "runs/r", "text");
        trap(b, (Trap){ .kind = kinds[i], .at = "r.jsonl", .act = look_at_it });
        assert_true(records(b, "runs/r").n >= 1);
        bench_free(&fresh);
    }
    (void)state;
}

/* --- Two at once ---------------------------------------------------------------------------- */

enum { ROUNDS = 200 };

static bool count_up(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    for (int i = 0; i < ROUNDS; i++) {
        AUTO(Arena) arena = { 0 };
        Record r = { 0 };
        jot_status st = store_head(b->s, S("notes/count"), HEAD_RECORD, &arena, &r, &b->e);
        if (st != JOT_OK && st != JOT_NOT_FOUND)
            return false;
        char next[32];
        snprintf(next, sizeof next, "%lld", strtoll(arena_cstr(&arena, r.body), NULL, 10) + 1);
        st = try_put(b, "notes/count", AT_SEQ(r.mark.seq), next, NULL);
        if (st == JOT_CONFLICT)
            i--;
        else if (st != JOT_OK)
            return false;
    }
    return true;
}

static void two_processes_that_count_lose_nothing(void **state)
{
    Bench *b = *state;
    pid_t one = start_elsewhere(b, count_up), two = start_elsewhere(b, count_up);
    assert_true(finish(one));
    assert_true(finish(two));
    assert_text(bytes_of(b, "notes/count.txt"), "400");
    assert_int_equal(head(b, "notes/count").mark.seq, 2 * ROUNDS);
    assert_int_equal(files_in(b, "quarantine"), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_writer_stopped_while_overwriting_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_in_a_first_write_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_while_deleting_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_while_appending_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_while_purging_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_while_trimming_holds_up_nobody_else),
        BENCH_TEST(a_writer_stopped_while_beginning_recent_anew_holds_up_nobody_else),
        BENCH_TEST(who_waits_too_long_is_told_for_whom),
        BENCH_TEST(a_stream_trimmed_under_a_waiting_writer_is_noticed),
        BENCH_TEST(a_stream_file_deleted_under_a_waiting_writer_is_noticed),
        BENCH_TEST(a_file_that_was_made_in_vain_does_not_swallow_a_record),
        BENCH_TEST(a_stream_file_removed_during_a_write_is_written_again),
        BENCH_TEST(a_stream_file_replaced_during_a_write_is_noticed),
        BENCH_TEST(a_stream_file_that_is_always_taken_away_is_unknown_in_the_end),
        cmocka_unit_test(a_reader_never_holds_up_a_writer),
        BENCH_TEST(two_processes_that_count_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
