/* test_changes.c - what changed lately: by writers, dead or alive, and by people.
 *
 * Every change is named at least once, or the answer is RESCAN.  Handles are
 * fresh where people's edits are looked for, because one that lives looks at
 * all files only every two seconds. */
#include "bench.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

/* A cursor from which everything that comes is a change. */
static Cursor start(Bench *b)
{
    Changes c = changes(b, NULL, 0);
    assert_true(c.rescan);
    c = changes(b, &c.next, 0);
    assert_false(c.rescan);
    return c.next;
}

static Changes by_a_fresh_handle(Bench *b, const Cursor *since)
{
    reopen(b);
    return changes(b, since, 0);
}

/* --- People -------------------------------------------------------------------------------- */

static void a_persons_edit_is_announced(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    Cursor at = start(b);
    person_writes(b, "notes/plan.txt", "theirs");
    Changes c = by_a_fresh_handle(b, &at);
    assert_true(names(&c, "notes/plan"));
}

static void a_persons_file_is_announced(void **state)
{
    static const char *const files[][2] = {
        { "notes/new.txt", "notes/new" },
        { "memories/a/b/c", "memories/a/b/c" },
        { "artifacts/x/y.json", "artifacts/x/y" },
        { "cycles/active.yaml", "cycles/default" },
        { "cycles/bob/active.yaml", "cycles/bob" },
        { "cycles/c1_before.yaml", "snapshots/default/c1_before" },
        { "cycles/bob/c1_after.yaml", "snapshots/bob/c1_after" },
    };
    Bench *b = *state;
    Cursor at = start(b);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        person_saves(b, files[i][0], "theirs");
    Changes c = by_a_fresh_handle(b, &at);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        assert_true(names(&c, files[i][1]));
}

static void a_persons_deletion_is_announced(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    put(b, "memories/a/b", "ours");
    Cursor at = start(b);
    person_removes(b, "notes/plan.txt");
    person_removes(b, "memories/a/b");
    assert_int_equal(rmdir(full_path(b, "memories/a")), 0);
    Changes c = by_a_fresh_handle(b, &at);
    assert_true(names(&c, "notes/plan"));
    assert_true(names(&c, "memories/a/b"));
}

static void an_old_file_moved_here_is_announced(void **state)
{
    Bench *b = *state;
    person_writes(b, "old.txt", "theirs");
    struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(utimensat(AT_FDCWD, full_path(b, "old.txt"), long_ago, 0), 0);
    Cursor at = start(b);
    assert_int_equal(rename(full_path(b, "old.txt"), full_path(b, "notes/old.txt")), 0);
    Changes c = by_a_fresh_handle(b, &at);
    assert_true(names(&c, "notes/old"));
}

/* Wait until the file system's clock has ticked past everything that was done so far. */
static void let_time_pass(Bench *b, long ms)
{
    (void)b;
    struct timespec t = { .tv_nsec = ms * 1000000 };
    nanosleep(&t, NULL);
}

static void a_directory_moved_here_is_announced_with_all_its_files(void **state)
{
    Bench *b = *state;
    person_writes(b, "aside/sub/x", "theirs");
    put(b, "memories/m", "ours");
    let_time_pass(b, 120); /* the files are older than the cursor: only the move is new */
    Cursor at = start(b);
    assert_int_equal(rename(full_path(b, "aside"), full_path(b, "memories/here")), 0);
    Changes c = by_a_fresh_handle(b, &at);
    assert_true(names(&c, "memories/here/sub/x"));
    assert_false(names(&c, "memories/m"));
}

static void an_edit_that_is_taken_back_is_announced_too(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    let_time_pass(b, 999);
    let_time_pass(b, 200);
    Cursor at = start(b);
    person_writes(b, "notes/plan.txt", "theirs");
    Changes c = by_a_fresh_handle(b, &at);
    assert_true(names(&c, "notes/plan"));
    person_writes(b, "notes/plan.txt", "ours");
    c = by_a_fresh_handle(b, &c.next);
    assert_true(names(&c, "notes/plan")); /* or somebody would believe in the edit for ever */
    let_time_pass(b, 120);
    c = by_a_fresh_handle(b, &c.next);
    c = by_a_fresh_handle(b, &c.next);
    assert_int_equal(c.n, 0);
}

static void what_a_person_left_alone_is_not_announced(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/read.me", "not a note");
    let_time_pass(b, 120);
    Cursor at = start(b);
    person_writes(b, "notes/read.me", "still not");
    Changes c = by_a_fresh_handle(b, &at);
    assert_int_equal(c.n, 0);
    assert_false(c.rescan);
}

/* --- While waiting ------------------------------------------------------------------------- */

static bool edit_soon(Bench *b)
{
    let_time_pass(b, 100);
    person_saves(b, "notes/plan.txt", "theirs");
    return true;
}

static bool make_soon(Bench *b)
{
    let_time_pass(b, 100);
    person_saves(b, "memories/new/deep/note", "theirs");
    return true;
}

static bool remove_soon(Bench *b)
{
    let_time_pass(b, 100);
    person_removes(b, "notes/plan.txt");
    return true;
}

static bool write_soon(Bench *b)
{
    let_time_pass(b, 100);
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_put(b, "notes/plan", ANYTHING, "by another process", NULL) == JOT_OK;
}

static void wakes(Bench *b, bool (*act)(Bench *), const char *name)
{
    put(b, "notes/plan", "ours");
    Cursor at = start(b);
    pid_t pid = start_elsewhere(b, act);
    Changes c = { 0 };
    /* A file in a directory that is being made may take a second look. */
    for (int i = 0; i < 5 && !names(&c, name); i++) {
        c = changes(b, &at, 20 * 1000);
        at = c.next;
        assert_false(c.rescan);
    }
    assert_true(finish(pid));
    assert_true(names(&c, name));
}

static void a_persons_edit_wakes_who_waits(void **state)
{
    wakes(*state, edit_soon, "notes/plan");
}

static void a_persons_file_in_a_new_directory_wakes_who_waits(void **state)
{
    wakes(*state, make_soon, "memories/new/deep/note");
}

static void a_persons_deletion_wakes_who_waits(void **state)
{
    wakes(*state, remove_soon, "notes/plan");
}

static bool remove_new_soon(Bench *b)
{
    let_time_pass(b, 100);
    person_removes(b, "notes/new.txt");
    return true;
}

static void what_no_write_recorded_is_told_when_it_goes(void **state)
{
    Bench *b = *state;
    Record r;
    person_saves(b, "notes/new.txt", "theirs");
    let_time_pass(b, 500); /* so that its coming is no news */
    wakes(b, remove_new_soon, "notes/new");
    assert_status(b, try_head(b, "notes/new", &r), JOT_NOT_FOUND);
}

static bool move_away_soon(Bench *b)
{
    let_time_pass(b, 100);
    char from[sizeof b->path + 32], to[sizeof b->path + 32];
    snprintf(from, sizeof from, "%s/memories/new", b->path);
    snprintf(to, sizeof to, "%s/away", b->dir);
    return rename(from, to) == 0;
}

static void a_directory_that_goes_with_all_that_is_in_it_is_a_rescan(void **state)
{
    Bench *b = *state;
    person_saves(b, "memories/new/deep/note", "theirs");
    let_time_pass(b, 500);
    Cursor at = start(b);
    pid_t pid = start_elsewhere(b, move_away_soon);
    Changes c = { 0 };
    for (int i = 0; i < 5 && !c.rescan; i++) {
        c = changes(b, &at, 20 * 1000);
        at = c.next;
    }
    assert_true(finish(pid));
    assert_true(c.rescan);
}

static void a_write_by_another_process_wakes_who_waits(void **state)
{
    wakes(*state, write_soon, "notes/plan");
}

/* --- Writers ------------------------------------------------------------------------------- */

static bool put_new(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_put(b, "notes/plan", ANYTHING, "new", NULL) == JOT_OK;
}

static void the_name_of_a_writer_that_was_killed_is_not_lost(void **state)
{
    Bench *b = *state;
    static const IoKind kinds[] = { IO_FDATASYNC, IO_RENAME, IO_UNLINK };
    put(b, "notes/plan", "old");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        put(b, "notes/plan", "old"); /* with what the last one left put right */
        Cursor at = start(b);
        trap(b, (Trap){ .kind = kinds[i], .act = die_here });
        assert_false(elsewhere(b, put_new));
        traps_clear(b);
        Changes c = changes(b, &at, 0);
        assert_true(names(&c, "notes/plan"));
    }
}

static void a_name_is_told_again_until_its_writer_is_done(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    put(b, "notes/other", "text");
    Cursor at = start(b);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .act = stop_here });
    pid_t pid = start_elsewhere(b, put_new);
    traps_clear(b);
    wait_until_stopped(pid);
    put(b, "notes/other", "more");
    Changes c = changes(b, &at, 0);
    assert_true(names(&c, "notes/plan")); /* too early: its record is not there yet */
    assert_true(names(&c, "notes/other"));
    c = changes(b, &c.next, 0);
    assert_true(names(&c, "notes/plan"));
    kill(pid, SIGCONT);
    assert_true(finish(pid));
    c = changes(b, &c.next, 0);
    assert_true(names(&c, "notes/plan")); /* now it counts */
    c = changes(b, &c.next, 0);
    assert_false(names(&c, "notes/plan"));
}

static void a_stopped_writer_does_not_keep_the_news_of_others(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .act = stop_here });
    pid_t pid = start_elsewhere(b, put_new);
    traps_clear(b);
    wait_until_stopped(pid);
    int64_t before = io_awake_ms(&io_system);
    for (int i = 0; i < 3; i++) {
        put(b, "notes/other", "more");
        Changes c = changes(b, &at, 60 * 1000);
        assert_true(names(&c, "notes/other"));
        at = c.next;
    }
    assert_true(io_awake_ms(&io_system) - before < 50 * 1000);
    kill_it(pid);
}

static Cursor while_writing;

static void look_from_another_handle(Bench *b, IoCall *call)
{
    (void)call;
    Store *mine = b->s;
    b->s = open_pad(b, (StoreOptions){ 0 });
    Changes c = changes(b, NULL, 0);
    assert_true(c.rescan);
    while_writing = c.next;
    store_close(b->s);
    b->s = mine;
}

/* Who is told to look at everything just before a record is there does not see it; so its name must
 * come again. */
static void a_write_under_way_during_a_rescan_is_announced_behind_it(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .act = look_from_another_handle });
    put(b, "notes/plan", "new");
    reopen(b);
    Changes c = changes(b, &while_writing, 0);
    assert_true(c.rescan || names(&c, "notes/plan"));
}

static void a_spoiled_line_spoils_only_itself(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    AUTO(Fd) fd = open(full_path(b, "recent"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "\nnotes/pl", 9), 9); /* its writer was killed */
    put(b, "notes/plan", "new");
    Changes c = changes(b, &at, 0);
    assert_true(names(&c, "notes/plan"));
    assert_int_equal(write(fd, "\0\xff\n../../x\nNotes/x\n", 19), 19);
    put(b, "notes/other", "new");
    c = changes(b, &c.next, 0);
    assert_true(names(&c, "notes/other"));
    assert_int_equal(c.n, 1);
}

/* --- Starting over ------------------------------------------------------------------------- */

static void when_recent_is_begun_anew_the_answer_is_rescan(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    ino_t before = inode_of(b, "recent");
    static char junk[1100 * 1024];
    memset(junk, '\n', sizeof junk);
    AUTO(Fd) fd = open(full_path(b, "recent"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, junk, sizeof junk), (ssize_t)sizeof junk);
    put(b, "notes/plan", "new");
    assert_int_not_equal(inode_of(b, "recent"), before);
    assert_true(bytes_of(b, "recent").n < 1000);
    Changes c = changes(b, &at, 0);
    assert_true(c.rescan);
    c = changes(b, &c.next, 0);
    assert_false(c.rescan);
}

static void a_recent_that_somebody_uses_is_not_begun_anew(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    static char junk[1100 * 1024];
    memset(junk, '\n', sizeof junk);
    AUTO(Fd) fd = open(full_path(b, "recent"), O_RDWR | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, junk, sizeof junk), (ssize_t)sizeof junk);
    assert_int_equal(io_lock(&io_system, fd, F_RDLCK, 0), 0);
    ino_t before = inode_of(b, "recent");
    Cursor at = start(b);
    put(b, "notes/plan", "new");
    assert_int_equal(inode_of(b, "recent"), before);
    Changes c = changes(b, &at, 0);
    assert_true(names(&c, "notes/plan"));
}

static void a_recent_that_was_removed_is_a_rescan(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    person_removes(b, "recent");
    Changes c = changes(b, &at, 0);
    assert_true(c.rescan);
    put(b, "notes/plan", "new");
    c = changes(b, &c.next, 0);
    assert_true(c.rescan || names(&c, "notes/plan"));
}

static void a_cursor_of_another_boot_is_a_rescan(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    reboot(b);
    Changes c = changes(b, &at, 0);
    assert_true(c.rescan);
    put(b, "notes/plan", "new");
    c = changes(b, &c.next, 0);
    assert_false(c.rescan);
    assert_true(names(&c, "notes/plan"));
}

/* A cursor from before a power loss could not be told from one of now. */
static void while_the_boot_cannot_be_told_nothing_is_said_of_changes(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = start(b);
    trap(b, (Trap){ .kind = IO_BOOT, .answer = -EMFILE, .stays = true });
    reopen(b);
    Changes c;
    assert_status(b, store_changes(b->s, &at, 0, &b->arena, &c, &b->e), JOT_UNAVAILABLE);
    traps_clear(b);
    put(b, "notes/plan", "new");
    c = changes(b, &at, 0);
    assert_false(c.rescan);
    assert_true(names(&c, "notes/plan"));
}

/* A view in it may have been edited. */
static void a_directory_that_cannot_be_looked_at_is_a_rescan(void **state)
{
    Bench *b = *state;
    static const IoKind kinds[] = { IO_LIST, IO_OPEN };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        put(b, "notes/plan", "old");
        reopen(b);
        Cursor at = start(b);
        person_writes(b, "notes/plan.txt", i ? "edited" : "once more");
        reopen(b);
        trap(b, (Trap){ .kind = kinds[i], .at = "notes", .answer = -EMFILE, .stays = true });
        Changes c = changes(b, &at, 0);
        assert_true(c.rescan);
        traps_clear(b);
    }
}

static void a_cursor_that_is_none_is_a_rescan(void **state)
{
    Bench *b = *state;
    static const char *const wrong[] = {
        "x",
        "....",
        "11111111.0.0",
        "11111111.0123456789abcdef.-1.0",
        "11111111.0123456789abcdef.999999999999999999.0",
        "zzzzzzzz.0123456789abcdef.1.1",
        "11111111.0123456789abcdef.1.1 and more",
    };
    put(b, "notes/plan", "old");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Cursor at = { "" };
        snprintf(at.text, sizeof at.text, "%s", wrong[i]);
        Changes c = changes(b, &at, 0);
        assert_true(c.rescan);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_persons_edit_is_announced),
        BENCH_TEST(a_persons_file_is_announced),
        BENCH_TEST(a_persons_deletion_is_announced),
        BENCH_TEST(an_old_file_moved_here_is_announced),
        BENCH_TEST(a_directory_moved_here_is_announced_with_all_its_files),
        BENCH_TEST(an_edit_that_is_taken_back_is_announced_too),
        BENCH_TEST(what_a_person_left_alone_is_not_announced),
        BENCH_TEST(a_persons_edit_wakes_who_waits),
        BENCH_TEST(a_persons_file_in_a_new_directory_wakes_who_waits),
        BENCH_TEST(a_persons_deletion_wakes_who_waits),
        BENCH_TEST(what_no_write_recorded_is_told_when_it_goes),
        BENCH_TEST(a_directory_that_goes_with_all_that_is_in_it_is_a_rescan),
        BENCH_TEST(a_write_by_another_process_wakes_who_waits),
        BENCH_TEST(the_name_of_a_writer_that_was_killed_is_not_lost),
        BENCH_TEST(a_name_is_told_again_until_its_writer_is_done),
        BENCH_TEST(a_stopped_writer_does_not_keep_the_news_of_others),
        BENCH_TEST(a_write_under_way_during_a_rescan_is_announced_behind_it),
        BENCH_TEST(a_spoiled_line_spoils_only_itself),
        BENCH_TEST(when_recent_is_begun_anew_the_answer_is_rescan),
        BENCH_TEST(a_recent_that_somebody_uses_is_not_begun_anew),
        BENCH_TEST(a_recent_that_was_removed_is_a_rescan),
        BENCH_TEST(a_cursor_of_another_boot_is_a_rescan),
        BENCH_TEST(while_the_boot_cannot_be_told_nothing_is_said_of_changes),
        BENCH_TEST(a_directory_that_cannot_be_looked_at_is_a_rescan),
        BENCH_TEST(a_cursor_that_is_none_is_a_rescan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
