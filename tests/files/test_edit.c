/* test_edit.c - people beside the store: what they see, and that nothing they do is lost.
 *
 * A person's edit is seen at the next read, becomes a version by "outside" at
 * the next write, and is never overwritten unseen, in whatever moment and by
 * whatever kind of editor it is made. */
#include "bench.h"

#include <fcntl.h>

/* --- What a person sees ---------------------------------------------------------------- */

static void a_written_note_is_a_plain_file_with_exactly_its_text(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "no newline is added");
    assert_text(bytes_of(b, "notes/plan.txt"), "no newline is added");
    put(b, "notes/plan", "");
    assert_true(there(b, "notes/plan.txt"));
    assert_text(bytes_of(b, "notes/plan.txt"), "");
    bury(b, "notes/plan");
    assert_false(there(b, "notes/plan.txt"));
}

static void every_kind_of_document_has_its_place(void **state)
{
    Bench *b = *state;
    static const char *const places[][2] = {
        { "notes/plan", "notes/plan.txt" },
        { "memories/a/b.md", "memories/a/b.md" },
        { "artifacts/planning/plan_001", "artifacts/planning/plan_001.json" },
        { "cycles/default", "cycles/active.yaml" },
        { "cycles/ann", "cycles/ann/active.yaml" },
        { "snapshots/default/c1_before", "cycles/c1_before.yaml" },
        { "snapshots/ann/c1_after", "cycles/ann/c1_after.yaml" },
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        put(b, places[i][0], places[i][0]);
        assert_text(bytes_of(b, places[i][1]), places[i][0]);
    }
}

/* --- Files people make ----------------------------------------------------------------- */

static void a_file_a_person_drops_into_notes_is_a_note(void **state)
{
    Bench *b = *state;
    person_writes(b, "notes/found.txt", "by hand");
    Record r = head(b, "notes/found");
    assert_int_equal(r.mark.seq, 0);
    assert_int_equal(r.mark.op, OP_PUT);
    assert_text(r.by, STORE_OUTSIDE);
    assert_text(r.body, "by hand");
    assert_true(lists(b, "notes/", "notes/found"));
}

static void the_next_write_records_a_dropped_file_first(void **state)
{
    Bench *b = *state;
    person_writes(b, "notes/found.txt", "by hand");
    assert_int_equal(put(b, "notes/found", "ours").seq, 2);
    assert_version(b, "notes/found", 1, STORE_OUTSIDE, "by hand");
    assert_version(b, "notes/found", 2, "ann", "ours");
    assert_int_equal(store_report(b->s)->outside, 1);
}

/* --- Two endings ----------------------------------------------------------------------- */

static void a_file_that_ends_in_md_is_a_note_and_stays_one(void **state)
{
    Bench *b = *state;
    person_writes(b, "notes/guide.md", "# By hand");
    assert_text(head(b, "notes/guide").body, "# By hand");
    assert_true(lists(b, "notes/", "notes/guide"));
    assert_int_equal(put(b, "notes/guide", "# Ours").seq, 2);
    assert_text(bytes_of(b, "notes/guide.md"), "# Ours");
    assert_false(there(b, "notes/guide.txt"));
    person_saves(b, "notes/guide.md", "# Again");
    assert_text(head(b, "notes/guide").body, "# Again");
    put(b, "notes/guide", "# And ours");
    assert_version(b, "notes/guide", 3, STORE_OUTSIDE, "# Again");
    assert_text(bytes_of(b, "notes/guide.md"), "# And ours");
    bury(b, "notes/guide");
    assert_false(there(b, "notes/guide.md"));
    assert_false(there(b, "notes/guide.txt"));
}

static void another_ending_is_no_edit(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    assert_int_equal(rename(full_path(b, "notes/plan.txt"), full_path(b, "notes/plan.md")), 0);
    assert_int_equal(head(b, "notes/plan").mark.seq, 1);
    assert_int_equal(put(b, "notes/plan", "more").seq, 2);
    assert_text(bytes_of(b, "notes/plan.md"), "more");
    assert_false(there(b, "notes/plan.txt"));
    reboot(b);
    assert_int_equal(put(b, "notes/plan", "and more").seq, 3);
    assert_text(bytes_of(b, "notes/plan.md"), "and more");
    assert_int_equal(store_report(b->s)->outside, 0);
}

static void count_double(void *ctx, const StoreFault *f)
{
    int *n = ctx;
    *n += f->kind == FAULT_VIEW && strstr(f->what, "'notes/plan.txt' and 'notes/plan.md'");
}

static void a_note_with_two_files_is_refused_by_both_names_and_neither_is_touched(void **state)
{
    Bench *b = *state;
    Mark m;
    Record r;
    int told = 0;
    VerifyCount count;
    put(b, "notes/plan", "text");
    person_writes(b, "notes/plan.md", "another");
    assert_status(b, try_head(b, "notes/plan", &r), JOT_DENIED);
    assert_non_null(strstr(b->e.text, "'notes/plan.txt' and 'notes/plan.md'"));
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "ours", &m), JOT_DENIED);
    assert_status(b, try_delete(b, "notes/plan", &m), JOT_DENIED);
    assert_ok(b, store_verify(b->s, &(VerifyHooks){ .ctx = &told, .fault = count_double }, &count,
                              &b->e));
    assert_int_equal(told, 1);
    reboot(b);
    put(b, "notes/other", "is written all the same");
    assert_text(bytes_of(b, "notes/plan.txt"), "text");
    assert_text(bytes_of(b, "notes/plan.md"), "another");
    person_removes(b, "notes/plan.txt");
    assert_text(head(b, "notes/plan").body, "another");
    put(b, "notes/plan", "ours");
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "another");
    assert_text(bytes_of(b, "notes/plan.md"), "ours");
}

static void a_new_file_ends_as_the_one_its_text_came_from(void **state)
{
    Bench *b = *state;
    Draft d = {
        .op = OP_PUT, .by = S("ann"), .body = S("# A"), .meta = S("{\"file\":\"x/a.md\"}")
    };
    Mark m;
    assert_ok(b, store_append(b->s, S("notes/x/a"), &(Expect){ 0 }, &d, &m, &b->e));
    assert_text(bytes_of(b, "notes/x/a.md"), "# A");
    person_removes(b, "notes/x/a.md");
    reboot(b); /* lost, as far as anybody can tell */
    put(b, "notes/other", "compares all");
    assert_text(bytes_of(b, "notes/x/a.md"), "# A");
    assert_false(there(b, "notes/x/a.txt"));
}

static void a_twin_of_a_file_made_by_hand_is_refused_once_it_is_recorded(void **state)
{
    Bench *b = *state;
    Mark m;
    person_writes(b, "notes/Plan.md", "by hand");
    put(b, "notes/Plan", "ours");
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "x", &m), JOT_INVALID);
    assert_non_null(strstr(b->e.text, "from 'Plan'"));
    person_writes(b, "notes/plan.txt", "by hand, too"); /* nobody can refuse that */
    assert_text(head(b, "notes/plan").body, "by hand, too");
    assert_text(head(b, "notes/Plan").body, "ours");
}

/* --- Files people make, and who writes ---------------------------------------------------- */

static void a_dropped_file_is_something_for_who_expects_nothing(void **state)
{
    Bench *b = *state;
    Mark m;
    person_writes(b, "notes/found.txt", "by hand");
    assert_status(b, try_put(b, "notes/found", NOTHING, "ours", &m), JOT_CONFLICT);
    assert_int_equal(m.seq, 1);
    assert_version(b, "notes/found", 1, STORE_OUTSIDE, "by hand");
    assert_text(bytes_of(b, "notes/found.txt"), "by hand");
}

static void only_a_key_and_its_ending_is_a_note_and_other_files_are_left_alone(void **state)
{
    Bench *b = *state;
    static const char *const others[] = { "notes/read.me",          "notes/a b .txt",
                                          "notes/.hidden.txt",      "notes/sub/x.TXT",
                                          "notes/runs/x.txt",       "notes/cafe\xcc\x81.md",
                                          "notes/sub.md/x.txt",     "notes/.txt",
                                          "notes/plan.txt~",        "notes/plan.txt.md",
                                          "notes/$(x).md",          "cycles/x.yaml",
                                          "cycles/x/y.yaml",        "cycles/x y_after.yaml",
                                          "artifacts/x/y.yaml",     "cycles/default/x_after.yaml",
                                          "snapshots/x_after.yaml", "other/z.txt" };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        person_writes(b, others[i], others[i]);
    put(b, "notes/plan", "text");
    put(b, "cycles/x", "text");
    reboot(b);
    put(b, "notes/plan", "more");
    bury(b, "notes/plan");
    assert_int_equal(listed(b, "").n, 1);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_text(bytes_of(b, others[i]), others[i]);
    assert_int_equal(store_report(b->s)->outside, 0);
}

/* --- Files people edit ----------------------------------------------------------------- */

/* How an editor saves. */
typedef void (*Save)(Bench *b, const char *path, const char *text);

static void edit_is_seen_and_kept(Bench *b, const char *stream, const char *path, Save save)
{
    put(b, stream, "ours");
    save(b, path, "theirs");
    Record r = head(b, stream);
    assert_int_equal(r.mark.seq, 0);
    assert_text(r.by, STORE_OUTSIDE);
    assert_text(r.body, "theirs");
    assert_int_equal(put(b, stream, "ours again").seq, 3);
    assert_version(b, stream, 1, "ann", "ours");
    assert_version(b, stream, 2, STORE_OUTSIDE, "theirs");
    assert_version(b, stream, 3, "ann", "ours again");
    assert_text(bytes_of(b, path), "ours again");
    assert_int_equal(store_report(b->s)->quarantined, 0);
}

static void an_edit_in_place_is_seen_at_the_next_read_and_kept_by_the_next_write(void **state)
{
    edit_is_seen_and_kept(*state, "notes/plan", "notes/plan.txt", person_writes);
}

static void an_edit_by_rename_is_seen_at_the_next_read_and_kept_by_the_next_write(void **state)
{
    edit_is_seen_and_kept(*state, "notes/plan", "notes/plan.txt", person_saves);
}

static void an_edit_of_a_nested_memory_is_seen_and_kept(void **state)
{
    edit_is_seen_and_kept(*state, "memories/a/b/c.md", "memories/a/b/c.md", person_saves);
}

static void an_edit_of_an_artifact_is_seen_and_kept(void **state)
{
    edit_is_seen_and_kept(*state, "artifacts/x/y", "artifacts/x/y.json", person_saves);
}

static void an_edit_of_the_default_cycle_is_seen_and_kept(void **state)
{
    edit_is_seen_and_kept(*state, "cycles/default", "cycles/active.yaml", person_saves);
}

static void an_edit_of_an_agents_cycle_is_seen_and_kept(void **state)
{
    edit_is_seen_and_kept(*state, "cycles/ann", "cycles/ann/active.yaml", person_writes);
}

static void an_edit_back_to_an_older_version_is_an_edit(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "one");
    put(b, "notes/plan", "two");
    person_saves(b, "notes/plan.txt", "one");
    Record r = head(b, "notes/plan");
    assert_int_equal(r.mark.seq, 0);
    assert_text(r.body, "one");
    assert_int_equal(put(b, "notes/plan", "four").seq, 4);
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "one");
}

static void an_edit_counts_as_later_than_what_it_changed(void **state)
{
    Bench *b = *state;
    Mark m = put(b, "notes/plan", "ours");
    person_removes(b, "notes/plan.txt");
    assert_true(head(b, "notes/plan").mark.at_ms >= m.at_ms);
    person_writes(b, "notes/plan.txt", "old file, new place");
    struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(utimensat(AT_FDCWD, full_path(b, "notes/plan.txt"), long_ago, 0), 0);
    assert_true(head(b, "notes/plan").mark.at_ms >= m.at_ms);
}

static void a_guard_on_the_version_before_an_edit_does_not_hold(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/plan.txt", "theirs");
    assert_status(b, try_put(b, "notes/plan", VERSION("ours"), "new", &m), JOT_CONFLICT);
    assert_int_equal(m.seq, 2);
    Record r = head(b, "notes/plan");
    assert_int_equal(r.mark.seq, 2);
    assert_true(hash_eq(r.mark.sha256, m.sha256));
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "theirs");
    assert_text(bytes_of(b, "notes/plan.txt"), "theirs");
}

static int64_t ticking(void *ctx)
{
    static int64_t ms = 1763241838000;
    (void)ctx;
    return ms++;
}

static void the_mark_of_a_conflict_is_the_recorded_one(void **state)
{
    Bench *b = *state;
    Mark m;
    b->io.wall_ms = ticking;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/plan.txt", "theirs");
    assert_status(b, try_put(b, "notes/plan", VERSION("ours"), "new", &m), JOT_CONFLICT);
    Record r = head(b, "notes/plan");
    assert_int_equal(r.mark.at_ms, m.at_ms);
    assert_true(hash_eq(r.mark.chain, m.chain));
}

static void a_guard_on_the_edited_version_holds(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/plan.txt", "theirs");
    assert_ok(b, try_put(b, "notes/plan", VERSION("theirs"), "new", NULL));
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "theirs");
    assert_version(b, "notes/plan", 3, "ann", "new");
}

/* --- Files people remove --------------------------------------------------------------- */

static void a_deleted_file_is_seen_as_deleted(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_removes(b, "notes/plan.txt");
    Record r = head(b, "notes/plan");
    assert_int_equal(r.mark.seq, 0);
    assert_int_equal(r.mark.op, OP_DELETE);
    assert_text(r.by, STORE_OUTSIDE);
    assert_false(lists(b, "notes/", "notes/plan"));
}

static void the_next_write_records_the_tombstone_of_a_deleted_file(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_removes(b, "notes/plan.txt");
    assert_ok(b, try_put(b, "notes/plan", NOTHING, "again", NULL));
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, NULL);
    assert_version(b, "notes/plan", 3, "ann", "again");
}

static void deleting_what_a_person_deleted_finds_nothing_and_records_it(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_removes(b, "notes/plan.txt");
    assert_status(b, try_delete(b, "notes/plan", NULL), JOT_NOT_FOUND);
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, NULL);
}

static void a_file_deleted_and_made_again_is_an_edit(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_removes(b, "notes/plan.txt");
    person_writes(b, "notes/plan.txt", "anew");
    assert_int_equal(put(b, "notes/plan", "ours again").seq, 3);
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "anew");
}

static void a_file_made_where_we_deleted_one_is_a_note_again(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    bury(b, "notes/plan");
    person_writes(b, "notes/plan.txt", "ours"); /* even with a text that is known */
    assert_text(head(b, "notes/plan").body, "ours");
    assert_int_equal(put(b, "notes/plan", "four").seq, 4);
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "ours");
}

static void a_removed_directory_is_many_deleted_files(void **state)
{
    Bench *b = *state;
    put(b, "memories/a/b", "one");
    person_removes(b, "memories/a/b");
    assert_int_equal(rmdir(full_path(b, "memories/a")), 0);
    assert_int_equal(head(b, "memories/a/b").mark.op, OP_DELETE);
    assert_int_equal(put(b, "memories/a/b", "three").seq, 3);
    assert_text(bytes_of(b, "memories/a/b"), "three");
}

/* --- Trimming, redacting and purging what people edited --------------------------------- */

static void purging_a_file_a_person_made_leaves_a_tombstone(void **state)
{
    Bench *b = *state;
    Mark m;
    person_writes(b, "notes/found.txt", "by hand");
    assert_ok(b, store_purge(b->s, S("notes/found"), NULL, S("ann"), &m, &b->e));
    assert_int_equal(m.seq, 2);
    assert_false(there(b, "notes/found.txt"));
    assert_null(find_text(b, "by hand"));
}

static void redacting_records_an_edit_first(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "secret");
    person_saves(b, "notes/plan.txt", "public");
    assert_ok(b, store_redact(b->s, S("notes/plan"), NULL, 1, &b->e));
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "public");
    assert_null(find_text(b, "secret"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_written_note_is_a_plain_file_with_exactly_its_text),
        BENCH_TEST(every_kind_of_document_has_its_place),
        BENCH_TEST(a_file_a_person_drops_into_notes_is_a_note),
        BENCH_TEST(the_next_write_records_a_dropped_file_first),
        BENCH_TEST(a_dropped_file_is_something_for_who_expects_nothing),
        BENCH_TEST(only_a_key_and_its_ending_is_a_note_and_other_files_are_left_alone),
        BENCH_TEST(a_file_that_ends_in_md_is_a_note_and_stays_one),
        BENCH_TEST(another_ending_is_no_edit),
        BENCH_TEST(a_note_with_two_files_is_refused_by_both_names_and_neither_is_touched),
        BENCH_TEST(a_new_file_ends_as_the_one_its_text_came_from),
        BENCH_TEST(a_twin_of_a_file_made_by_hand_is_refused_once_it_is_recorded),
        BENCH_TEST(an_edit_in_place_is_seen_at_the_next_read_and_kept_by_the_next_write),
        BENCH_TEST(an_edit_by_rename_is_seen_at_the_next_read_and_kept_by_the_next_write),
        BENCH_TEST(an_edit_of_a_nested_memory_is_seen_and_kept),
        BENCH_TEST(an_edit_of_an_artifact_is_seen_and_kept),
        BENCH_TEST(an_edit_of_the_default_cycle_is_seen_and_kept),
        BENCH_TEST(an_edit_of_an_agents_cycle_is_seen_and_kept),
        BENCH_TEST(an_edit_back_to_an_older_version_is_an_edit),
        BENCH_TEST(an_edit_counts_as_later_than_what_it_changed),
        BENCH_TEST(a_guard_on_the_version_before_an_edit_does_not_hold),
        BENCH_TEST(the_mark_of_a_conflict_is_the_recorded_one),
        BENCH_TEST(a_guard_on_the_edited_version_holds),
        BENCH_TEST(a_deleted_file_is_seen_as_deleted),
        BENCH_TEST(the_next_write_records_the_tombstone_of_a_deleted_file),
        BENCH_TEST(deleting_what_a_person_deleted_finds_nothing_and_records_it),
        BENCH_TEST(a_file_deleted_and_made_again_is_an_edit),
        BENCH_TEST(a_file_made_where_we_deleted_one_is_a_note_again),
        BENCH_TEST(a_removed_directory_is_many_deleted_files),
        BENCH_TEST(purging_a_file_a_person_made_leaves_a_tombstone),
        BENCH_TEST(redacting_records_an_edit_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
