/* test_forget.c - what was purged or redacted is nowhere in the pad any more.
 *
 * Not in the stream, not in a view, not in a draft, not in quarantine/, and not
 * in what an interrupted rewrite left.  And what is put aside does not pile up
 * while nothing goes wrong. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>

#define CANARY "the canary sings only here"

static void nowhere(Bench *b)
{
    const char *found = find_text(b, CANARY);
    if (found)
        fail_msg("the text is still in %s", found);
}

static void purge(Bench *b, const char *stream)
{
    Mark m;
    assert_non_null(find_text(b, CANARY)); /* it can be found */
    assert_ok(b, store_purge(b->s, str(stream), NULL, S("ann"), &m, &b->e));
    nowhere(b);
}

static void redact(Bench *b, const char *stream, uint64_t seq)
{
    assert_non_null(find_text(b, CANARY));
    assert_ok(b, store_redact(b->s, str(stream), NULL, seq, &b->e));
    nowhere(b);
}

/* --- Purging ------------------------------------------------------------------------------- */

static void a_purged_document_is_nowhere(void **state)
{
    static const char *const streams[] = { "notes/n", "memories/a/b", "artifacts/x/y",
                                           "cycles/default", "cycles/ann" };
    Bench *b = *state;
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        put(b, streams[i], CANARY);
        put(b, streams[i], "later");
        put(b, streams[i], CANARY);
        purge(b, streams[i]);
        assert_int_equal(head(b, streams[i]).mark.seq, 4);
    }
}

static void a_purged_log_is_nowhere(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", CANARY);
    entry(b, "runs/r", "later");
    purge(b, "runs/r");
    assert_int_equal(entry(b, "runs/r", "again").seq, 4);
}

static void a_purged_tombstone_leaves_nothing_either(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    bury(b, "notes/n");
    purge(b, "notes/n");
}

static void a_purged_edit_is_nowhere(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", "ours");
    person_saves(b, "notes/n.txt", CANARY);
    purge(b, "notes/n");
    assert_false(there(b, "notes/n.txt"));
}

static void save_canary(Bench *b, IoCall *call)
{
    (void)call;
    person_writes(b, "notes/n.txt", CANARY);
}

static void an_edit_made_during_a_purge_is_purged(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/n", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "n.txt", .act = save_canary });
    assert_ok(b, store_purge(b->s, S("notes/n"), NULL, S("ann"), &m, &b->e));
    nowhere(b);
}

static void a_torn_record_that_was_put_aside_is_purged(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "text");
    AUTO(Fd) fd = open(full_path(b, "runs/r.jsonl"), O_WRONLY | O_APPEND | O_CLOEXEC);
    static const char torn[] = "{\"seq\":2,\"body\":\"" CANARY;
    assert_int_equal(write(fd, torn, sizeof torn - 1), (ssize_t)sizeof torn - 1);
    entry(b, "runs/r", "text");
    assert_int_equal(quarantined(b, NULL), 1);
    purge(b, "runs/r");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void a_torn_record_that_nobody_met_yet_is_purged(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "text");
    AUTO(Fd) fd = open(full_path(b, "runs/r.jsonl"), O_WRONLY | O_APPEND | O_CLOEXEC);
    static const char torn[] = "{\"seq\":2,\"body\":\"" CANARY;
    assert_int_equal(write(fd, torn, sizeof torn - 1), (ssize_t)sizeof torn - 1);
    purge(b, "runs/r");
}

static void a_late_file_is_purged(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    b->held = open(full_path(b, "notes/n.txt"), O_WRONLY | O_CLOEXEC);
    put(b, "notes/n", "later");
    assert_int_equal(quarantined(b, CANARY), 1);
    purge(b, "notes/n");
}

static void a_view_somebody_holds_open_is_purged(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    b->held = open(full_path(b, "notes/n.txt"), O_WRONLY | O_CLOEXEC);
    purge(b, "notes/n");
}

static bool put_canary(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_put(b, "notes/n", ANYTHING, CANARY, NULL) == JOT_OK;
}

static bool trim_run(Bench *b)
{
    uint64_t dropped;
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && store_trim(b->s, S("runs/r"), NULL, 3, &dropped, &b->e) == JOT_OK;
}

static void a_draft_of_a_killed_writer_is_purged(void **state)
{
    static const IoKind kinds[] = { IO_FDATASYNC, IO_RENAME, IO_UNLINK };
    Bench *b = *state;
    put(b, "notes/n", "ours");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        trap(b, (Trap){ .kind = kinds[i], .act = die_here });
        assert_false(elsewhere(b, put_canary));
        traps_clear(b);
        purge(b, "notes/n");
        put(b, "notes/n", "ours");
    }
    trap(b, (Trap){ .kind = IO_WRITE, .at = "n.jsonl", .act = die_here });
    assert_false(elsewhere(b, put_canary));
    traps_clear(b);
    purge(b, "notes/n"); /* a draft nobody knew had gone to quarantine/ */
}

static void what_an_interrupted_rewrite_left_is_purged(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 30; i++)
        entry(b, "runs/r", CANARY);
    trap(b, (Trap){ .kind = IO_RENAME, .at = "r.jsonl", .act = die_here });
    assert_false(elsewhere(b, trim_run));
    traps_clear(b);
    assert_true(there(b, "runs/.r.jsonl.new"));
    purge(b, "runs/r");
}

static void purging_one_stream_leaves_what_was_put_aside_of_another(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/n", "ours");
    person_writes(b, "notes/.n.txt.new", "of n");
    put(b, "notes/n", "more");
    put(b, "notes/m", "ours");
    assert_ok(b, store_purge(b->s, S("notes/m"), NULL, S("ann"), &m, &b->e));
    assert_int_equal(quarantined(b, "of n"), 1);
}

static void a_purged_document_does_not_come_back_after_a_power_loss(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", "text");
    Mark m;
    traps_clear(b);
    assert_ok(b, store_purge(b->s, S("notes/n"), NULL, S("ann"), &m, &b->e));
    /* The view's removal is durable before the history goes: else it would look like a person's. */
    assert_true(b->calls[IO_FSYNC] >= 2);
    reboot(b);
    assert_int_equal(head(b, "notes/n").mark.op, OP_DELETE);
    put(b, "notes/other", "any write");
    assert_false(lists(b, "", "notes/n"));
}

/* --- Redacting ----------------------------------------------------------------------------- */

static void a_redacted_version_is_nowhere(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", "first");
    put(b, "notes/n", CANARY);
    put(b, "notes/n", "third");
    redact(b, "notes/n", 2);
    Records all = records(b, "notes/n");
    assert_int_equal(all.n, 3);
    assert_true(all.items[1].mark.redacted);
    assert_text(all.items[0].body, "first");
    assert_text(bytes_of(b, "notes/n.txt"), "third");
}

static void a_redacted_entry_is_nowhere(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "first");
    entry(b, "runs/r", CANARY);
    redact(b, "runs/r", 2); /* even the newest of a log */
    assert_int_equal(entry(b, "runs/r", "third").seq, 3);
    assert_int_equal(records(b, "runs/r").damaged, 0);
}

static void the_live_value_is_redacted_behind_its_successor(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    assert_status(b, store_redact(b->s, S("notes/n"), NULL, 1, &b->e), JOT_INVALID);
    put(b, "notes/n", "clean");
    redact(b, "notes/n", 1);
}

static void what_was_put_aside_of_a_redacted_version_goes_too(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    b->held = open(full_path(b, "notes/n.txt"), O_WRONLY | O_CLOEXEC);
    put(b, "notes/n", "later");
    assert_int_equal(quarantined(b, CANARY), 1);
    redact(b, "notes/n", 1);
}

static void a_redacted_version_that_a_person_brings_back_is_a_persons(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    put(b, "notes/n", "clean");
    redact(b, "notes/n", 1);
    person_saves(b, "notes/n.txt", CANARY);
    assert_text(head(b, "notes/n").body, CANARY);
    assert_int_equal(put(b, "notes/n", "again").seq, 4);
    assert_version(b, "notes/n", 3, STORE_OUTSIDE, CANARY);
    redact(b, "notes/n", 3);
}

static void after_a_reboot_a_redacted_text_in_the_view_is_not_believed(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", CANARY);
    put(b, "notes/n", "clean");
    redact(b, "notes/n", 1);
    person_writes(b, "notes/n.txt", CANARY); /* the old view came back with the power */
    reboot(b);
    assert_text(head(b, "notes/n").body, "clean");
    put(b, "notes/other", "any write");
    nowhere(b);
}

/* --- Not piling up ------------------------------------------------------------------------- */

static void normal_use_puts_nothing_aside(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 200; i++) {
        uint64_t dropped;
        put(b, "notes/n", i % 2 ? "odd" : "even");
        put(b, "memories/a/b", i % 3 ? "text" : "");
        if (i % 5 == 0)
            person_saves(b, "notes/n.txt", arena_printf(&b->arena, "edit %d", i).p);
        if (i % 7 == 0)
            person_removes(b, "memories/a/b");
        else
            bury(b, "memories/a/b");
        entry(b, "runs/r", "text");
        assert_ok(b, store_trim(b->s, S("runs/r"), NULL, (uint64_t)i, &dropped, &b->e));
        if (i % 50 == 0)
            reopen(b);
    }
    reboot(b);
    put(b, "notes/n", "last");
    assert_false(there(b, "quarantine"));
    assert_int_equal(files_in(b, "."), 8); /* with format checked recent heads */
}

static void an_editor_that_always_holds_the_file_leaves_one_late_file_at_most(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", "text");
    for (int i = 0; i < 5; i++) {
        AUTO(Fd) fd = open(full_path(b, "notes/n.txt"), O_WRONLY | O_CLOEXEC);
        put(b, "notes/n", arena_printf(&b->arena, "version %d", i).p);
        fd_close(&fd);
        reopen(b);
        assert_int_equal(files_in(b, "quarantine"), 0);
    }
}

static void nothing_hidden_is_left_at_the_top_of_a_pad(void **state)
{
    Bench *b = *state;
    put(b, "notes/n", "text");
    reboot(b);
    put(b, "notes/n", "more");
    Str tree = tree_of(b, b->path), line;
    while (str_cut(&tree, '\n', &line)) {
        Str path = str_slice(line, strlen(b->path) + 1, str_find(line, ' '));
        if (path.p[0] == '.' && !str_eq(path, S(".gitignore")) && !str_eq(path, S(".format")))
            fail_msg("left over: " STR_FMT, STR_ARG(path));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_purged_document_is_nowhere),
        BENCH_TEST(a_purged_log_is_nowhere),
        BENCH_TEST(a_purged_tombstone_leaves_nothing_either),
        BENCH_TEST(a_purged_edit_is_nowhere),
        BENCH_TEST(an_edit_made_during_a_purge_is_purged),
        BENCH_TEST(a_torn_record_that_was_put_aside_is_purged),
        BENCH_TEST(a_torn_record_that_nobody_met_yet_is_purged),
        BENCH_TEST(a_late_file_is_purged),
        BENCH_TEST(a_view_somebody_holds_open_is_purged),
        BENCH_TEST(a_draft_of_a_killed_writer_is_purged),
        BENCH_TEST(what_an_interrupted_rewrite_left_is_purged),
        BENCH_TEST(purging_one_stream_leaves_what_was_put_aside_of_another),
        BENCH_TEST(a_purged_document_does_not_come_back_after_a_power_loss),
        BENCH_TEST(a_redacted_version_is_nowhere),
        BENCH_TEST(a_redacted_entry_is_nowhere),
        BENCH_TEST(the_live_value_is_redacted_behind_its_successor),
        BENCH_TEST(what_was_put_aside_of_a_redacted_version_goes_too),
        BENCH_TEST(a_redacted_version_that_a_person_brings_back_is_a_persons),
        BENCH_TEST(after_a_reboot_a_redacted_text_in_the_view_is_not_believed),
        BENCH_TEST(normal_use_puts_nothing_aside),
        BENCH_TEST(an_editor_that_always_holds_the_file_leaves_one_late_file_at_most),
        BENCH_TEST(nothing_hidden_is_left_at_the_top_of_a_pad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
