/* test_reboot.c - the first look after the machine went down.
 *
 * Streams are synced and views are not: after a power loss a view may be
 * missing, old, empty or cut.  Readers see the right value at once and write
 * nothing; the first writers put the views right.  What cannot be explained by
 * lost writes is a person's, and kept. */
#include "bench.h"

#include <errno.h>

static void view_is_put_right(Bench *b, const char *want)
{
    assert_text(head(b, "notes/plan").body, want);
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/plan.txt"), want);
    assert_int_equal(store_report(b->s)->restored, 1);
    assert_int_equal(store_report(b->s)->outside, 0);
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
}

static void two_versions(Bench *b)
{
    put(b, "notes/plan", "the first");
    put(b, "notes/plan", "the second");
}

/* --- What lost writes leave -------------------------------------------------------------- */

static void a_missing_view_is_restored(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_removes(b, "notes/plan.txt");
    reboot(b);
    view_is_put_right(b, "the second");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_older_version_is_replaced(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "the first");
    reboot(b);
    view_is_put_right(b, "the second");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_empty_view_is_replaced(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "");
    reboot(b);
    view_is_put_right(b, "the second");
}

static void a_view_of_zeros_is_put_aside_and_replaced(void **state)
{
    Bench *b = *state;
    static const char zeros[10];
    two_versions(b);
    write_bytes(b, "notes/plan.txt", (Str){ zeros, sizeof zeros });
    reboot(b);
    view_is_put_right(b, "the second");
    assert_int_equal(quarantined(b, NULL), 1);
}

static void a_beginning_of_the_head_is_put_aside_and_replaced(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "the sec");
    reboot(b);
    view_is_put_right(b, "the second");
    assert_int_equal(quarantined(b, "the sec"), 1);
}

static void an_unknown_text_becomes_a_version(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "theirs");
    reboot(b);
    assert_text(head(b, "notes/plan").body, "theirs");
    put(b, "notes/other", "any write");
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "theirs");
    assert_text(bytes_of(b, "notes/plan.txt"), "theirs");
    assert_int_equal(store_report(b->s)->restored, 0);
}

static void a_known_view_under_a_tombstone_is_removed(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "the first");
    bury(b, "notes/plan");
    person_writes(b, "notes/plan.txt", "the first");
    reboot(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    assert_false(lists(b, "", "notes/plan"));
    put(b, "notes/other", "any write");
    assert_false(there(b, "notes/plan.txt"));
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
}

static void an_unknown_view_under_a_tombstone_becomes_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "the first");
    bury(b, "notes/plan");
    person_writes(b, "notes/plan.txt", "theirs");
    reboot(b);
    assert_text(head(b, "notes/plan").body, "theirs");
    put(b, "notes/other", "any write");
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "theirs");
}

static void a_lost_view_directory_is_made_again(void **state)
{
    Bench *b = *state;
    put(b, "memories/a/b/c", "deep");
    person_removes(b, "memories/a/b/c");
    assert_int_equal(rmdir(full_path(b, "memories/a/b")), 0);
    assert_int_equal(rmdir(full_path(b, "memories/a")), 0);
    assert_int_equal(rmdir(full_path(b, "memories")), 0);
    reboot(b);
    assert_text(head(b, "memories/a/b/c").body, "deep");
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "memories/a/b/c"), "deep");
}

static void a_file_without_a_stream_is_a_persons(void **state)
{
    Bench *b = *state;
    person_writes(b, "notes/plan.txt", "");
    reboot(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_PUT);
    put(b, "notes/other", "any write");
    assert_true(there(b, "notes/plan.txt"));
}

/* The exchange was never written to the disk: the write was acknowledged, the view is the old one
 * and its draft lies beside it. */
static void a_draft_left_by_the_power_loss_does_not_hide_what_was_acknowledged(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "the first");
    person_writes(b, "notes/.plan.txt.new", "the second");
    reboot(b);
    Record r = head(b, "notes/plan");
    assert_text(r.body, "the second");
    assert_int_equal(r.mark.seq, 2);
    assert_int_equal(records(b, "notes/plan").n, 2);
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
    assert_false(there(b, "notes/.plan.txt.new"));
}

static void a_draft_left_by_a_first_write_does_not_hide_it(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "only");
    person_removes(b, "notes/plan.txt");
    person_writes(b, "notes/.plan.txt.new", "only");
    reboot(b);
    assert_text(head(b, "notes/plan").body, "only");
    assert_int_equal(records(b, "notes/plan").n, 1);
    assert_true(lists(b, "", "notes/plan"));
}

static void a_draft_left_by_a_delete_does_not_bring_it_back(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "gone");
    bury(b, "notes/plan");
    person_writes(b, "notes/plan.txt", "gone");
    person_writes(b, "notes/.plan.txt.new", "");
    reboot(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    put(b, "notes/other", "any write");
    assert_false(there(b, "notes/plan.txt"));
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
}

/* --- Who does it, and when --------------------------------------------------------------- */

static void readers_see_the_right_value_and_write_nothing(void **state)
{
    Bench *b = *state;
    static const char *const notes[] = { "notes/missing", "notes/old", "notes/cut", "notes/gone" };
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        put(b, notes[i], "the first");
        put(b, notes[i], "the second");
    }
    bury(b, "notes/gone");
    person_removes(b, "notes/missing.txt");
    person_writes(b, "notes/old.txt", "the first");
    person_writes(b, "notes/cut.txt", "the s");
    person_writes(b, "notes/gone.txt", "the second");
    store_idle(b->s); /* what closing it would note */
    Str before = tree_of(b, b->path);
    for (int i = 0; i < 2; i++) { /* a handle that may write, and one that may not */
        if (i == 0)
            reboot(b);
        else
            reboot_read_only(b);
        for (size_t k = 0; k < 3; k++) {
            Record r;
            assert_text(head(b, notes[k]).body, "the second");
            assert_ok(b, store_head(b->s, str(notes[k]), HEAD_VALUE, &b->arena, &r, &b->e));
            assert_text(r.body, "the second");
        }
        assert_int_equal(head(b, "notes/gone").mark.op, OP_DELETE);
        assert_int_equal(listed(b, "").n, 3);
        assert_true(str_eq(tree_of(b, b->path), before));
    }
}

static void the_first_write_says_that_all_was_compared(void **state)
{
    Bench *b = *state;
    two_versions(b);
    reboot(b);
    put(b, "notes/plan", "the third");
    assert_true(compared(b));
    person_removes(b, "notes/plan.txt");
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE); /* from now on a person's doing */
    reopen(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
}

static void every_kind_of_write_compares_first(void **state)
{
    Bench *b = *state;
    for (int kind = 0; kind < 3; kind++) {
        put(b, "notes/a", "kept");
        put(b, "notes/b", "kept");
        put(b, "notes/b", "kept too");
        person_removes(b, "notes/a.txt");
        reboot(b);
        Mark m;
        uint64_t dropped;
        if (kind == 0)
            assert_ok(b, store_purge(b->s, S("notes/b"), NULL, S("ann"), &m, &b->e));
        else if (kind == 1)
            assert_ok(
                b, store_redact(b->s, S("notes/b"), NULL, head(b, "notes/b").mark.seq - 1, &b->e));
        else
            assert_ok(b, store_trim(b->s, S("notes/b"), NULL, 1, &dropped, &b->e));
        assert_text(bytes_of(b, "notes/a.txt"), "kept");
    }
}

enum { MANY = 2300 };

static void many_notes(Bench *b)
{
    for (int i = 0; i < MANY; i++)
        put(b, arena_printf(&b->arena, "notes/n%05d", i).p, "text");
}

static const char *const last_view = "notes/n02200.txt";

static void more_than_a_thousand_streams_are_compared_over_several_writes(void **state)
{
    Bench *b = *state;
    many_notes(b);
    person_removes(b, "notes/n00000.txt");
    person_removes(b, last_view);
    reboot(b);
    put(b, "notes/n00007", "one");
    assert_true(there(b, "notes/n00000.txt"));
    assert_false(there(b, last_view));
    assert_false(compared(b));
    put(b, "notes/n00007", "two");
    assert_false(there(b, last_view));
    assert_false(compared(b));
    put(b, "notes/n00007", "three");
    assert_true(there(b, last_view));
    assert_true(compared(b));
}

static void processes_that_write_once_each_finish_the_comparing_together(void **state)
{
    Bench *b = *state;
    many_notes(b);
    person_removes(b, last_view);
    reboot(b);
    for (int i = 0; i < 3; i++) {
        put(b, "notes/n00007", "again");
        reopen(b);
    }
    assert_true(there(b, last_view));
    assert_true(compared(b));
}

/* --- A boot that cannot be told ------------------------------------------------------------ */

/* Taken for another boot, every deletion would be undone, and every older text replaced. */
static void while_the_boot_cannot_be_told_a_deletion_is_neither_believed_nor_undone(void **state)
{
    static const int errors[] = { EMFILE, EINTR, ENOENT, EACCES };
    Bench *b = *state;
    two_versions(b);
    put(b, "notes/other", "whole");
    person_removes(b, "notes/plan.txt");
    store_idle(b->s); /* what closing it would note */
    Str before = tree_of(b, b->path);
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        trap(b, (Trap){ .kind = IO_BOOT, .answer = -errors[i], .stays = true });
        reopen(b);
        Record r;
        assert_status(b, try_head(b, "notes/plan", &r), JOT_UNAVAILABLE);
        assert_non_null(strstr(b->e.text, "could not tell which boot of the machine this is"));
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "third", NULL), JOT_UNAVAILABLE);
        assert_status(b, store_mend(b->s, NULL, &b->e), JOT_UNAVAILABLE);
        VerifyCount count;
        assert_status(b, store_verify(b->s, NULL, &count, &b->e), JOT_UNAVAILABLE);
        assert_text(head(b, "notes/other").body, "whole"); /* nothing has to be judged here */
        assert_true(str_eq(tree_of(b, b->path), before));
        traps_clear(b);
    }
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE); /* the same handle */
    assert_int_equal(put(b, "notes/plan", "four").seq, 4);
}

/* --- One that cannot be put right does not stop the others -------------------------------- */

static void others_can_be_written(Bench *b)
{
    person_removes(b, "notes/z.txt");
    reboot(b);
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/z.txt"), "last in order");
}

static void a_stream_that_cannot_be_written_does_not_stop_the_others(void **state)
{
    Bench *b = *state;
    put(b, "notes/a", "first in order");
    put(b, "notes/z", "last in order");
    assert_int_equal(link(full_path(b, "streams/notes.d/a.jsonl"), full_path(b, "link")), 0);
    others_can_be_written(b);
    assert_true(compared(b));
    assert_status(b, try_put(b, "notes/a", ANYTHING, "more", NULL), JOT_DENIED);
}

static void a_file_where_a_view_directory_was_does_not_stop_the_others(void **state)
{
    Bench *b = *state;
    put(b, "memories/a/b", "first in order");
    put(b, "notes/z", "last in order");
    person_removes(b, "memories/a/b");
    assert_int_equal(rmdir(full_path(b, "memories/a")), 0);
    person_writes(b, "memories/a", "a file");
    others_can_be_written(b);
}

static bool hold_a(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    trap(b, (Trap){ .kind = IO_FDATASYNC, .act = stop_here });
    return b->s && try_put(b, "notes/a", ANYTHING, "in flight", NULL) == JOT_OK;
}

static void a_stopped_writer_does_not_stop_the_first_write_after_a_reboot(void **state)
{
    Bench *b = *state;
    put(b, "notes/a", "first in order");
    put(b, "notes/z", "last in order");
    pid_t pid = start_elsewhere(b, hold_a);
    wait_until_stopped(pid);
    person_removes(b, "notes/z.txt");
    reboot(b);
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .wait_ms = 200 });
    assert_ok(b, try_put(b, "notes/other", ANYTHING, "any write", NULL));
    assert_text(bytes_of(b, "notes/z.txt"), "last in order");
    kill_it(pid);
    put(b, "notes/other", "another");
    assert_true(compared(b));
}

static void an_error_in_one_stream_leaves_it_for_later(void **state)
{
    Bench *b = *state;
    put(b, "notes/a", "first in order");
    put(b, "notes/z", "last in order");
    person_removes(b, "notes/a.txt");
    trap(b, (Trap){ .kind = IO_OPEN, .at = ".a.txt.new", .skip = 1, .answer = -EIO });
    others_can_be_written(b);
    assert_false(there(b, "notes/a.txt"));
    put(b, "notes/other", "another");
    assert_text(bytes_of(b, "notes/a.txt"), "first in order");
    assert_true(compared(b));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_missing_view_is_restored),
        BENCH_TEST(an_older_version_is_replaced),
        BENCH_TEST(an_empty_view_is_replaced),
        BENCH_TEST(a_view_of_zeros_is_put_aside_and_replaced),
        BENCH_TEST(a_beginning_of_the_head_is_put_aside_and_replaced),
        BENCH_TEST(an_unknown_text_becomes_a_version),
        BENCH_TEST(a_known_view_under_a_tombstone_is_removed),
        BENCH_TEST(an_unknown_view_under_a_tombstone_becomes_a_version),
        BENCH_TEST(a_lost_view_directory_is_made_again),
        BENCH_TEST(a_file_without_a_stream_is_a_persons),
        BENCH_TEST(a_draft_left_by_the_power_loss_does_not_hide_what_was_acknowledged),
        BENCH_TEST(a_draft_left_by_a_first_write_does_not_hide_it),
        BENCH_TEST(a_draft_left_by_a_delete_does_not_bring_it_back),
        BENCH_TEST(readers_see_the_right_value_and_write_nothing),
        BENCH_TEST(the_first_write_says_that_all_was_compared),
        BENCH_TEST(every_kind_of_write_compares_first),
        BENCH_TEST(more_than_a_thousand_streams_are_compared_over_several_writes),
        BENCH_TEST(processes_that_write_once_each_finish_the_comparing_together),
        BENCH_TEST(while_the_boot_cannot_be_told_a_deletion_is_neither_believed_nor_undone),
        BENCH_TEST(a_stream_that_cannot_be_written_does_not_stop_the_others),
        BENCH_TEST(a_file_where_a_view_directory_was_does_not_stop_the_others),
        BENCH_TEST(a_stopped_writer_does_not_stop_the_first_write_after_a_reboot),
        BENCH_TEST(an_error_in_one_stream_leaves_it_for_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
