/* test_race.c - people who save in the very moment in which we write.
 *
 * Between our look at a view and its replacement there is a moment, and after
 * it an editor may still hold the file that was replaced.  Whatever a person
 * saves then becomes a version, or lies in quarantine/; it is never lost. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>

/* --- Between our look and the exchange -------------------------------------------------- */

static void save_in_place(Bench *b, IoCall *call)
{
    (void)call;
    person_writes(b, "notes/plan.txt", "theirs");
}

static void save_by_rename(Bench *b, IoCall *call)
{
    (void)call;
    person_saves(b, "notes/plan.txt", "theirs");
}

static void remove_it(Bench *b, IoCall *call)
{
    (void)call;
    person_removes(b, "notes/plan.txt");
}

static void edit_during_write_is_kept(Bench *b, void (*edit)(Bench *, IoCall *))
{
    put(b, "notes/plan", "ours");
    Trap *t = trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = edit });
    Mark m = put(b, "notes/plan", "new");
    assert_int_equal(t->sprung, 1);
    assert_int_equal(m.seq, 4);
    assert_int_equal(head(b, "notes/plan").mark.seq, 4);
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
    assert_version(b, "notes/plan", 1, "ann", "ours");
    assert_version(b, "notes/plan", 2, "ann", "new");
    assert_version(b, "notes/plan", 4, "ann", "new");
    assert_int_equal(store_report(b->s)->outside, 1);
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_edit_in_place_during_a_write_is_kept_as_a_version(void **state)
{
    edit_during_write_is_kept(*state, save_in_place);
    assert_version(*state, "notes/plan", 3, STORE_OUTSIDE, "theirs");
}

static void an_edit_by_rename_during_a_write_is_kept_as_a_version(void **state)
{
    edit_during_write_is_kept(*state, save_by_rename);
    assert_version(*state, "notes/plan", 3, STORE_OUTSIDE, "theirs");
}

static void a_removal_during_a_write_is_kept_as_a_version(void **state)
{
    edit_during_write_is_kept(*state, remove_it);
    assert_version(*state, "notes/plan", 3, STORE_OUTSIDE, NULL);
}

static void first_write_meets_a_file(Bench *b, int skip)
{
    Trap *t =
        trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .skip = skip, .act = save_in_place });
    Mark m = put(b, "notes/plan", "ours");
    assert_int_equal(t->sprung, 1);
    assert_int_equal(m.seq, 3);
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "theirs");
    assert_text(bytes_of(b, "notes/plan.txt"), "ours");
}

static void a_file_made_during_the_first_write_is_kept_as_a_version(void **state)
{
    first_write_meets_a_file(*state, 0);
}

static void a_file_made_in_the_last_moment_of_the_first_write_is_kept_too(void **state)
{
    first_write_meets_a_file(*state, 1);
}

static void an_edit_during_a_delete_is_kept_as_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = save_in_place });
    assert_int_equal(bury(b, "notes/plan").seq, 4);
    assert_version(b, "notes/plan", 3, STORE_OUTSIDE, "theirs");
    assert_version(b, "notes/plan", 4, "ann", NULL);
    assert_false(there(b, "notes/plan.txt"));
}

static void a_removal_during_a_delete_is_the_same_removal(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = remove_it });
    assert_int_equal(bury(b, "notes/plan").seq, 2);
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
    assert_int_equal(files_in(b, "notes"), 0);
}

static void an_edit_during_a_purge_does_not_turn_seq_back(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/plan", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = save_in_place });
    assert_ok(b, store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e));
    assert_int_equal(m.seq, 4);
    assert_int_equal(head(b, "notes/plan").mark.seq, 4);
    assert_int_equal(records(b, "notes/plan").n, 1);
    assert_null(find_text(b, "theirs"));
}

static void a_write_repeated_behind_an_edit_keeps_its_id(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    Draft d = { .op = OP_PUT, .by = S("ann"), .id = S("once"), .body = S("new") };
    Mark m, again;
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = save_in_place });
    assert_ok(b, store_append(b->s, S("notes/plan"), NULL, &d, &m, &b->e));
    assert_ok(b, store_append(b->s, S("notes/plan"), NULL, &d, &again, &b->e));
    assert_int_equal(m.seq, 4);
    assert_int_equal(again.seq, 4);
}

static void put_something_else(Bench *b, IoCall *call)
{
    (void)call;
    person_removes(b, "notes/plan.txt");
    assert_int_equal(symlink("/dev/zero", full_path(b, "notes/plan.txt")), 0);
}

static void what_is_no_file_and_comes_during_a_write_is_put_aside(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = put_something_else });
    put(b, "notes/plan", "new");
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
    put(b, "notes/plan", "newer");
    assert_text(bytes_of(b, "notes/plan.txt"), "newer");
    assert_int_equal(store_report(b->s)->quarantined, 1);
}

/* --- When keeping it fails --------------------------------------------------------------- */

/* The text is a version of the note, or was put aside. */
static void assert_not_lost(Bench *b, const char *text)
{
    bool version = false;
    Records all = records(b, "notes/plan");
    for (size_t i = 0; i < all.n; i++)
        version = version || str_eq(all.items[i].body, str(text));
    assert_true(version || quarantined(b, text) == 1);
}

static void fill_the_disk(Bench *b, IoCall *call)
{
    save_in_place(b, call);
    trap(b, (Trap){ .kind = IO_WRITE, .at = "plan.jsonl", .answer = -ENOSPC, .stays = true });
}

static void an_edit_that_cannot_be_recorded_is_not_lost_and_not_hidden(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.txt", .act = fill_the_disk });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNKNOWN);
    traps_clear(b);
    assert_text(head(b, "notes/plan").body, "new");
    put(b, "notes/plan", "newer");
    assert_not_lost(b, "theirs");
}

/* --- Editors that still hold the file ---------------------------------------------------- */

static void hold(Bench *b, const char *path)
{
    b->held = open(full_path(b, path), O_WRONLY | O_CLOEXEC);
    assert_true(b->held >= 0);
}

static void let_go(Bench *b)
{
    assert_int_equal(close(b->held), 0);
    b->held = -1;
}

static void late_save(Bench *b)
{
    assert_int_equal(ftruncate(b->held, 0), 0);
    assert_int_equal(pwrite(b->held, "late", 4, 0), 4);
}

static void a_displaced_file_somebody_has_open_for_writing_is_put_aside(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    hold(b, "notes/plan.txt");
    put(b, "notes/plan", "new");
    assert_int_equal(quarantined(b, "ours"), 1);
    assert_int_equal(store_report(b->s)->quarantined, 1);
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
}

static void a_late_file_that_was_not_changed_is_removed_at_the_next_open(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    hold(b, "notes/plan.txt");
    put(b, "notes/plan", "new");
    reopen(b); /* it is still open: nobody can tell yet */
    assert_int_equal(quarantined(b, NULL), 1);
    let_go(b);
    reopen(b);
    assert_int_equal(files_in(b, "quarantine"), 0);
    assert_int_equal(store_report(b->s)->quarantined, 0);
}

static void a_late_edit_stays_and_is_reported_at_the_next_open(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    hold(b, "notes/plan.txt");
    put(b, "notes/plan", "new");
    late_save(b);
    let_go(b);
    reopen(b);
    assert_int_equal(quarantined(b, "late"), 1);
    assert_int_equal(store_report(b->s)->quarantined, 1);
    assert_non_null(strstr(store_report(b->s)->last, "notes/plan"));
    reopen(b);
    assert_int_equal(quarantined(b, "late"), 1);
}

static void a_late_file_that_cannot_be_read_is_not_taken_for_an_empty_one(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", ""); /* the empty text is a known version */
    put(b, "notes/plan", "ours");
    hold(b, "notes/plan.txt");
    put(b, "notes/plan", "new");
    late_save(b);
    let_go(b);
    trap(b, (Trap){ .kind = IO_READ, .at = ".late", .answer = -EIO });
    reopen(b);
    assert_int_equal(quarantined(b, "late"), 1);
}

static void save_and_let_go(Bench *b, IoCall *call)
{
    (void)call;
    if (b->held < 0)
        return;
    late_save(b);
    let_go(b);
}

/* The editor opened the file before we replaced it; it saves and closes at the given step after
 * the exchange. */
static void a_save_at_step_is_not_lost(Bench *b, IoKind kind, const char *at, int skip)
{
    put(b, "notes/plan", "ours");
    hold(b, "notes/plan.txt");
    trap(b, (Trap){ .kind = kind, .at = at, .skip = skip, .act = save_and_let_go });
    put(b, "notes/plan", "new");
    save_and_let_go(b, NULL); /* at the latest */
    reopen(b);
    put(b, "notes/plan", "newer");
    assert_not_lost(b, "late");
}

static void a_save_while_the_displaced_file_is_looked_at_is_not_lost(void **state)
{
    static const struct {
        IoKind kind;
        const char *at;
    } steps[] = {
        { IO_OPEN, ".plan.txt.new" },   { IO_STAT, ".plan.txt.new" }, { IO_READ, ".plan.txt.new" },
        { IO_UNLINK, ".plan.txt.new" }, { IO_RENAME, ".late" },       { IO_WRITE, "plan.jsonl" },
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (int skip = 0; skip < 4; skip++) {
            void *fresh = NULL;
            assert_int_equal(bench_new(&fresh), 0);
            a_save_at_step_is_not_lost(fresh, steps[i].kind, steps[i].at, skip);
            bench_free(&fresh);
        }
    }
    (void)state;
}

/* --- Editors that empty the file first --------------------------------------------------- */

static void refill(Bench *b)
{
    person_writes(b, "notes/plan.txt", "refilled");
}

static void an_emptied_view_is_looked_at_again(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/plan.txt", "");
    b->asleep = refill;
    put(b, "notes/plan", "new");
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "refilled");
    assert_version(b, "notes/plan", 3, "ann", "new");
}

static int slept;

static void count_sleep(Bench *b)
{
    (void)b;
    slept++;
}

static void a_view_that_stays_empty_is_an_empty_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "ours");
    person_writes(b, "notes/plan.txt", "");
    slept = 0;
    b->asleep = count_sleep;
    put(b, "notes/plan", "new");
    assert_version(b, "notes/plan", 2, STORE_OUTSIDE, "");
    assert_int_equal(slept, 3);
}

static void an_empty_view_of_an_empty_text_is_believed_at_once(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "");
    slept = 0;
    b->asleep = count_sleep;
    assert_int_equal(put(b, "notes/plan", "new").seq, 2);
    assert_int_equal(slept, 0);
}

/* --- Readers that writers overtake ------------------------------------------------------- */

/* Each time a reader has seen the view and comes to the stream, twenty versions are written. */
static void overtake(Bench *b, IoCall *call)
{
    (void)call;
    Store *mine = b->s;
    b->deaf = true;
    b->s = open_pad(b, (StoreOptions){ 0 });
    assert_non_null(b->s);
    for (int i = 0; i < 20; i++) {
        char text[32];
        snprintf(text, sizeof text, "version %d", (int)head(b, "notes/plan").mark.seq + 1);
        put(b, "notes/plan", text);
    }
    store_close(b->s);
    b->s = mine;
    b->deaf = false;
}

static void a_reader_that_writers_overtake_tells_of_no_edit(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "version 1");
    Trap *t =
        trap(b, (Trap){ .kind = IO_OPEN, .at = "plan.jsonl", .act = overtake, .stays = true });
    for (int i = 0; i < 3; i++) {
        Record r = head(b, "notes/plan");
        char text[32];
        snprintf(text, sizeof text, "version %d", (int)r.mark.seq);
        assert_true(r.mark.seq > 1);
        assert_text(r.by, "ann");
        assert_text(r.body, text);
    }
    assert_true(t->sprung > 3);
    traps_clear(b);
    person_writes(b, "notes/plan.txt", "theirs");
    assert_text(head(b, "notes/plan").by, STORE_OUTSIDE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_reader_that_writers_overtake_tells_of_no_edit),
        BENCH_TEST(an_edit_in_place_during_a_write_is_kept_as_a_version),
        BENCH_TEST(an_edit_by_rename_during_a_write_is_kept_as_a_version),
        BENCH_TEST(a_removal_during_a_write_is_kept_as_a_version),
        BENCH_TEST(a_file_made_during_the_first_write_is_kept_as_a_version),
        BENCH_TEST(a_file_made_in_the_last_moment_of_the_first_write_is_kept_too),
        BENCH_TEST(an_edit_during_a_delete_is_kept_as_a_version),
        BENCH_TEST(a_removal_during_a_delete_is_the_same_removal),
        BENCH_TEST(an_edit_during_a_purge_does_not_turn_seq_back),
        BENCH_TEST(a_write_repeated_behind_an_edit_keeps_its_id),
        BENCH_TEST(what_is_no_file_and_comes_during_a_write_is_put_aside),
        BENCH_TEST(an_edit_that_cannot_be_recorded_is_not_lost_and_not_hidden),
        BENCH_TEST(a_displaced_file_somebody_has_open_for_writing_is_put_aside),
        BENCH_TEST(a_late_file_that_was_not_changed_is_removed_at_the_next_open),
        BENCH_TEST(a_late_edit_stays_and_is_reported_at_the_next_open),
        BENCH_TEST(a_late_file_that_cannot_be_read_is_not_taken_for_an_empty_one),
        BENCH_TEST(a_save_while_the_displaced_file_is_looked_at_is_not_lost),
        BENCH_TEST(an_emptied_view_is_looked_at_again),
        BENCH_TEST(a_view_that_stays_empty_is_an_empty_version),
        BENCH_TEST(an_empty_view_of_an_empty_text_is_believed_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
