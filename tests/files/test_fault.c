/* test_fault.c - disks that fill up, syncs that fail, descriptors that run out.
 *
 * What did not happen is undone and can be tried again; what may have happened
 * is UNKNOWN and never ok; a failed sync is never tried again on the same file.
 * And in the steady state a write costs exactly one sync. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>

#define STREAM "streams/notes.d/plan.jsonl"

static void it_is_still(Bench *b, uint64_t seq, const char *text)
{
    traps_clear(b);
    assert_text(head(b, "notes/plan").body, text);
    assert_text(bytes_of(b, "notes/plan.txt"), text);
    assert_int_equal(records(b, "notes/plan").n, seq);
    assert_int_equal(put(b, "notes/plan", "next").seq, seq + 1);
    assert_text(bytes_of(b, "notes/plan.txt"), "next");
    assert_false(there(b, "notes/.plan.txt.new"));
    assert_int_equal(files_in(b, "quarantine"), 0);
    assert_int_equal(store_report(b->s)->torn, 0);
}

/* --- Writes that fail ---------------------------------------------------------------------- */

static void a_write_to_a_full_disk_is_undone(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Str before = bytes_of(b, STREAM);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .answer = -ENOSPC });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    assert_true(str_eq(bytes_of(b, STREAM), before));
    it_is_still(b, 1, "old");
}

static void a_write_that_got_half_way_is_undone(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Str before = bytes_of(b, STREAM);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .cut = 40 });
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .skip = 1, .answer = -ENOSPC });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    assert_true(str_eq(bytes_of(b, STREAM), before));
    it_is_still(b, 1, "old");
}

static void short_writes_are_continued(void **state)
{
    Bench *b = *state;
    trap(b, (Trap){ .kind = IO_WRITE, .cut = 1, .stays = true });
    put(b, "notes/plan", "old");
    put(b, "notes/plan", "new");
    it_is_still(b, 2, "new");
}

static void a_draft_that_cannot_be_written_changes_nothing(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_WRITE, .at = ".plan.txt.new", .answer = -ENOSPC });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    it_is_still(b, 1, "old");
}

static void a_change_that_cannot_be_announced_does_not_happen(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_WRITE, .at = "/recent", .answer = -ENOSPC });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    it_is_still(b, 1, "old");
}

static void a_write_that_cannot_be_undone_ends_the_handles_writing(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .cut = 40 });
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .skip = 1, .answer = -ENOSPC });
    trap(b, (Trap){ .kind = IO_TRUNCATE, .answer = -EIO });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    traps_clear(b);
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_READ_ONLY);
    assert_string_not_equal(store_read_only_why(b->s), "");
    assert_text(head(b, "notes/plan").body, "old");
    reopen(b);
    assert_int_equal(put(b, "notes/plan", "next").seq, 2);
    assert_int_equal(store_report(b->s)->torn, 1);
}

static void a_first_write_that_fails_leaves_no_note(void **state)
{
    Bench *b = *state;
    Record r;
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .answer = -ENOSPC });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
    assert_status(b, try_head(b, "notes/plan", &r), JOT_NOT_FOUND);
    assert_false(there(b, STREAM));
    assert_false(there(b, "notes/.plan.txt.new"));
    assert_int_equal(listed(b, "").n, 0);
}

static void a_name_that_cannot_be_made_durable_gets_no_record(void **state)
{
    Bench *b = *state;
    Record r;
    for (int skip = 0; skip < 3; skip++) {
        Trap *t = trap(b, (Trap){ .kind = IO_FSYNC, .skip = skip, .answer = -EIO });
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_IO);
        assert_int_equal(t->sprung, 1);
        traps_clear(b);
        assert_status(b, try_head(b, "notes/plan", &r), JOT_NOT_FOUND);
    }
    put(b, "notes/plan", "new");
    it_is_still(b, 1, "new");
}

/* --- Syncs that fail ----------------------------------------------------------------------- */

static void a_failed_sync_is_unknown_and_the_stream_is_written_anew(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    ino_t before = inode_of(b, STREAM);
    Str bytes = bytes_of(b, STREAM);
    Trap *t = trap(b, (Trap){ .kind = IO_FDATASYNC, .answer = -EIO });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    assert_int_equal(t->sprung, 1);
    assert_int_equal(b->calls[IO_FDATASYNC], 2); /* the first put's and the failed one: no third */
    assert_int_not_equal(inode_of(b, STREAM), before);
    assert_true(str_eq(bytes_of(b, STREAM), bytes));
    assert_string_equal(store_read_only_why(b->s), "");
    it_is_still(b, 1, "old");
}

static void a_failed_sync_of_a_first_record_leaves_no_note(void **state)
{
    Bench *b = *state;
    Record r;
    trap(b, (Trap){ .kind = IO_FDATASYNC, .answer = -EIO });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    traps_clear(b);
    assert_status(b, try_head(b, "notes/plan", &r), JOT_NOT_FOUND);
    put(b, "notes/plan", "old");
    it_is_still(b, 1, "old");
}

static void if_the_stream_cannot_be_written_anew_the_handle_stops_writing(void **state)
{
    static const IoKind kinds[] = { IO_FSYNC, IO_RENAME };
    Bench *b = *state;
    put(b, "notes/plan", "old");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        trap(b, (Trap){ .kind = IO_FDATASYNC, .answer = -EIO });
        trap(b, (Trap){ .kind = kinds[i], .answer = -EIO, .stays = true });
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
        traps_clear(b);
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_READ_ONLY);
        assert_false(there(b, "streams/notes.d/.plan.jsonl.new"));
        reopen(b);
        put(b, "notes/plan", "old");
    }
}

static void waiters_of_a_stream_written_anew_write_to_the_new_one(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Store *other = open_pad(b, (StoreOptions){ 0 });
    trap(b, (Trap){ .kind = IO_FDATASYNC, .answer = -EIO });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    store_close(b->s);
    b->s = other;
    it_is_still(b, 1, "old");
}

/* --- Exchanges that fail ------------------------------------------------------------------- */

static void a_failed_exchange_after_the_sync_is_unknown(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .answer = -EIO, .stays = true });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    traps_clear(b);
    assert_text(head(b, "notes/plan").body, "new"); /* it is in the stream */
    Mark m;
    assert_status(b, try_put(b, "notes/plan", AT_SEQ(1), "next", &m), JOT_CONFLICT);
    assert_int_equal(m.seq, 2);
    it_is_still(b, 2, "new");
}

static void a_displaced_file_that_cannot_be_removed_is_unknown(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_UNLINK, .at = ".plan.txt.new", .answer = -EIO });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    traps_clear(b);
    assert_text(head(b, "notes/plan").body, "new");
    it_is_still(b, 2, "new");
}

static void without_exchange_a_plain_rename_does(void **state)
{
    Bench *b = *state;
    assert_true(store_promise(b->s).edits_guarded);
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .answer = -EINVAL });
    put(b, "notes/plan", "new");
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
    assert_false(store_promise(b->s).edits_guarded);
    person_writes(b, "notes/plan.txt", "theirs"); /* an edit before the write is still kept */
    put(b, "notes/plan", "newer");
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "theirs");
    person_removes(b, "notes/plan.txt");
    put(b, "notes/plan", "newest");
    assert_version(b, "notes/plan", 5, STORE_OUTSIDE, NULL);
    assert_text(bytes_of(b, "notes/plan.txt"), "newest");
}

/* --- What a write costs -------------------------------------------------------------------- */

static void an_overwrite_costs_one_sync(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    put(b, "notes/plan", "older");
    for (int i = 0; i < 10; i++) {
        traps_clear(b);
        put(b, "notes/plan", "new");
        assert_int_equal(b->calls[IO_FDATASYNC], 1);
        assert_int_equal(b->calls[IO_FSYNC], 0);
    }
}

static void an_entry_of_a_log_costs_one_sync(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "first");
    for (int i = 0; i < 10; i++) {
        traps_clear(b);
        entry(b, "runs/r", "next");
        assert_int_equal(b->calls[IO_FDATASYNC], 1);
        assert_int_equal(b->calls[IO_FSYNC], 0);
    }
}

static void an_edit_is_recorded_with_the_same_sync(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    person_saves(b, "notes/plan.txt", "theirs");
    traps_clear(b);
    put(b, "notes/plan", "new");
    assert_int_equal(b->calls[IO_FDATASYNC], 1);
    assert_int_equal(b->calls[IO_FSYNC], 0);
}

static void deleting_and_making_again_costs_one_sync_each(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    traps_clear(b);
    bury(b, "notes/plan");
    put(b, "notes/plan", "new");
    assert_int_equal(b->calls[IO_FDATASYNC], 2);
    assert_int_equal(b->calls[IO_FSYNC], 0);
}

static void reading_syncs_nothing(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    entry(b, "runs/r", "first");
    traps_clear(b);
    head(b, "notes/plan");
    head(b, "runs/r");
    records(b, "notes/plan");
    listed(b, "");
    changes(b, NULL, 0);
    assert_int_equal(b->calls[IO_FDATASYNC], 0);
    assert_int_equal(b->calls[IO_FSYNC], 0);
    assert_int_equal(b->calls[IO_WRITE], 0);
}

static void nothing_leaks_over_a_thousand_operations_of_every_kind(void **state)
{
    Bench *b = *state;
    int before = 0;
    for (int i = 0; i < 1010; i++) {
        Arena kept = TAKE(b->arena);
        Mark m;
        uint64_t dropped;
        Cursor at = changes(b, NULL, 0).next;
        put(b, "notes/plan", "text");
        put(b, "memories/a/b", "text");
        entry(b, "runs/r", "text");
        person_saves(b, "notes/plan.txt", "theirs");
        assert_status(b, try_put(b, "notes/plan", VERSION("never"), "x", NULL), JOT_CONFLICT);
        Expect guarded = { .kind = EXPECT_ANY, .guard = S("leases/table"), .guard_seq = 7 };
        assert_status(b, try_put(b, "notes/plan", guarded, "x", NULL), JOT_FENCED);
        assert_ok(b, store_trim(b->s, S("runs/r"), NULL, (uint64_t)i, &dropped, &b->e));
        assert_ok(b, store_redact(b->s, S("notes/plan"), NULL, head(b, "notes/plan").mark.seq - 1,
                                  &b->e));
        bury(b, "memories/a/b");
        put(b, "notes/gone", "text");
        assert_ok(b, store_purge(b->s, S("notes/gone"), NULL, S("ann"), &m, &b->e));
        listed(b, "");
        changes(b, &at, 1);
        assert_status(b, try_put(b, "memories/a/b/c/../d", ANYTHING, "x", NULL), JOT_INVALID);
        arena_free(&b->arena);
        b->arena = kept;
        if (i == 9) /* what a handle keeps open is open now */
            before = open_descriptors();
    }
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(files_in(b, "quarantine"), 0);
}

/* --- Looks that fail ----------------------------------------------------------------------- */

/* Were a stream that cannot be looked at one that was taken away, it would be written again. */
static void a_stream_that_cannot_be_looked_at_is_not_written_twice(void **state)
{
    Bench *b = *state;
    entry(b, "runs/r", "first");
    int unknown = 0;
    for (int skip = 0; skip < 8; skip++) {
        size_t had = records(b, "runs/r").n;
        trap(b, (Trap){ .kind = IO_STAT, .at = "r.jsonl", .skip = skip, .answer = -EIO });
        jot_status st = try_entry(b, "runs/r", "once", NULL);
        traps_clear(b);
        size_t has = records(b, "runs/r").n;
        unknown += st == JOT_UNKNOWN;
        assert_true(has == had + (st == JOT_OK) || (st == JOT_UNKNOWN && has == had + 1));
    }
    assert_true(unknown > 0);
}

/* Nobody who could be writing, or have it open, is taken for gone. */
static void what_cannot_be_asked_of_others_is_taken_as_yes(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_ASK, .answer = -ENOMEM, .stays = true });
    assert_true(store_held(b->s, 7));
    put(b, "notes/plan", "new");
    assert_int_equal(quarantined(b, "old"), 1); /* an editor may have had it open */
}

static void failures_leak_nothing_either(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    entry(b, "runs/r", "text");
    listed(b, "");
    changes(b, NULL, 0);
    static const IoKind kinds[] = { IO_OPEN,     IO_READ,   IO_WRITE,  IO_FSYNC, IO_FDATASYNC,
                                    IO_TRUNCATE, IO_RENAME, IO_UNLINK, IO_MKDIR, IO_STAT,
                                    IO_LOCK,     IO_ASK,    IO_LIST,   IO_BOOT };
    int before = open_descriptors();
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (int skip = 0; skip < 25; skip++) {
            Record r;
            Listing page;
            Mark m;
            trap(b, (Trap){ .kind = kinds[k], .skip = skip, .answer = -EMFILE });
            jot_status st = try_put(b, "notes/plan", ANYTHING, "new", NULL);
            st = try_put(b, "notes/fresh", ANYTHING, "new", NULL);
            st = try_entry(b, "runs/r", "new", NULL);
            st = try_head(b, "notes/plan", &r);
            st = store_list(b->s, &(ListQuery){ .limit = 10, .which = LIST_ALL }, &b->arena, &page,
                            &b->e);
            st = store_purge(b->s, S("notes/fresh"), NULL, S("ann"), &m, &b->e);
            (void)st;
            traps_clear(b);
            if (store_read_only_why(b->s)[0])
                reopen(b);
        }
    }
    reopen(b);
    put(b, "notes/plan", "new");
    listed(b, "");
    changes(b, NULL, 0);
    assert_int_equal(open_descriptors(), before);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_write_to_a_full_disk_is_undone),
        BENCH_TEST(a_write_that_got_half_way_is_undone),
        BENCH_TEST(short_writes_are_continued),
        BENCH_TEST(a_draft_that_cannot_be_written_changes_nothing),
        BENCH_TEST(a_change_that_cannot_be_announced_does_not_happen),
        BENCH_TEST(a_write_that_cannot_be_undone_ends_the_handles_writing),
        BENCH_TEST(a_first_write_that_fails_leaves_no_note),
        BENCH_TEST(a_name_that_cannot_be_made_durable_gets_no_record),
        BENCH_TEST(a_failed_sync_is_unknown_and_the_stream_is_written_anew),
        BENCH_TEST(a_failed_sync_of_a_first_record_leaves_no_note),
        BENCH_TEST(if_the_stream_cannot_be_written_anew_the_handle_stops_writing),
        BENCH_TEST(waiters_of_a_stream_written_anew_write_to_the_new_one),
        BENCH_TEST(a_failed_exchange_after_the_sync_is_unknown),
        BENCH_TEST(a_displaced_file_that_cannot_be_removed_is_unknown),
        BENCH_TEST(without_exchange_a_plain_rename_does),
        BENCH_TEST(a_stream_that_cannot_be_looked_at_is_not_written_twice),
        BENCH_TEST(what_cannot_be_asked_of_others_is_taken_as_yes),
        BENCH_TEST(an_overwrite_costs_one_sync),
        BENCH_TEST(an_entry_of_a_log_costs_one_sync),
        BENCH_TEST(an_edit_is_recorded_with_the_same_sync),
        BENCH_TEST(deleting_and_making_again_costs_one_sync_each),
        BENCH_TEST(reading_syncs_nothing),
        BENCH_TEST(nothing_leaks_over_a_thousand_operations_of_every_kind),
        BENCH_TEST(failures_leak_nothing_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
