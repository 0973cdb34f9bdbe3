/* test_leftover.c - what a writer that was killed leaves behind, met in the same boot.
 *
 * A draft found under the lock is a dead writer's, and the stream says how far
 * it came.  Whatever a person did since is a person's edit all the same. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>

/* --- Killing a writer at a step ---------------------------------------------------------- */

static bool put_new(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_put(b, "notes/plan", ANYTHING, "new", NULL) == JOT_OK;
}

static bool delete_it(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_delete(b, "notes/plan", NULL) == JOT_OK;
}

static bool purge_it(Bench *b)
{
    Mark m;
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e) == JOT_OK;
}

static void killed_at(Bench *b, bool (*write)(Bench *), IoKind kind, const char *at)
{
    trap(b, (Trap){ .kind = kind, .at = at, .act = die_here });
    assert_false(elsewhere(b, write));
    traps_clear(b);
}

#define STREAM "plan.jsonl"
#define VIEW "plan.txt"
#define DRAFT ".plan.txt.new"

/* The document is as wanted for a reader, after the next writer, and clean. */
static void then_it_is(Bench *b, uint64_t seq, const char *text)
{
    Expect x = AT_SEQ(seq);
    Mark m;
    assert_ok(b, try_put(b, "notes/plan", x, "next", &m));
    assert_int_equal(m.seq, seq + 1);
    assert_version(b, "notes/plan", seq, "ann", text);
    assert_text(bytes_of(b, "notes/plan.txt"), "next");
    assert_false(there(b, "notes/" DRAFT));
    assert_int_equal(store_report(b->s)->outside, 0);
}

/* --- Overwriting ------------------------------------------------------------------------- */

static void killed_before_the_append_nothing_has_happened(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_WRITE, STREAM);
    assert_text(head(b, "notes/plan").body, "old");
    assert_true(there(b, "notes/" DRAFT));
    then_it_is(b, 1, "old");
    assert_int_equal(quarantined(b, "new"), 1); /* nobody else has this text */
}

static void killed_while_drafting_nothing_has_happened(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_WRITE, DRAFT);
    assert_text(head(b, "notes/plan").body, "old");
    then_it_is(b, 1, "old");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void killed_before_the_sync_it_has_happened_and_who_sees_it_syncs_it(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_FDATASYNC, STREAM);
    assert_text(head(b, "notes/plan").body, "new"); /* a record counts when it is there */
    assert_int_equal(b->calls[IO_FDATASYNC], 1);
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
    assert_int_equal(records(b, "notes/plan").n, 2);
    traps_clear(b);
    then_it_is(b, 2, "new");
    assert_int_equal(b->calls[IO_FDATASYNC], 2); /* what it builds on is made durable first */
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void killed_before_the_exchange_the_next_writer_finishes_it(void **state)
{
    Bench *b = *state;
    Record r;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_RENAME, VIEW);
    assert_text(head(b, "notes/plan").body, "new");
    assert_ok(b, store_head(b->s, S("notes/plan"), HEAD_VALUE, &b->arena, &r, &b->e));
    assert_text(r.body, "new");
    assert_text(bytes_of(b, "notes/plan.txt"), "old");
    then_it_is(b, 2, "new");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void killed_after_the_exchange_it_has_happened(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_UNLINK, DRAFT);
    assert_text(head(b, "notes/plan").body, "new");
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
    assert_text(bytes_of(b, "notes/" DRAFT), "old");
    then_it_is(b, 2, "new");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void what_a_killed_writer_left_is_settled_before_a_conflict_is_told(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_RENAME, VIEW);
    assert_status(b, try_put(b, "notes/plan", VERSION("old"), "next", &m), JOT_CONFLICT);
    assert_int_equal(m.seq, 2);
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
}

/* --- First writes ------------------------------------------------------------------------ */

static void a_first_write_killed_before_the_append_leaves_no_note(void **state)
{
    Bench *b = *state;
    Record r;
    killed_at(b, put_new, IO_WRITE, STREAM);
    assert_status(b, try_head(b, "notes/plan", &r), JOT_NOT_FOUND);
    assert_int_equal(listed(b, "").n, 0);
    assert_ok(b, try_put(b, "notes/plan", AT_SEQ(0), "first", NULL));
    assert_version(b, "notes/plan", 1, "ann", "first");
}

static void a_first_write_killed_before_the_exchange_is_finished_by_the_next(void **state)
{
    Bench *b = *state;
    killed_at(b, put_new, IO_RENAME, VIEW);
    assert_text(head(b, "notes/plan").body, "new");
    assert_status(b, try_put(b, "notes/plan", NOTHING, "first", NULL), JOT_CONFLICT);
    assert_text(bytes_of(b, "notes/plan.txt"), "new");
    then_it_is(b, 1, "new");
}

/* --- Deleting ---------------------------------------------------------------------------- */

static void then_it_is_deleted(Bench *b)
{
    assert_status(b, try_delete(b, "notes/plan", NULL), JOT_NOT_FOUND);
    assert_int_equal(head(b, "notes/plan").mark.seq, 2);
    assert_version(b, "notes/plan", 2, "ann", NULL);
    assert_false(there(b, "notes/plan.txt"));
    assert_false(there(b, "notes/" DRAFT));
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void a_delete_killed_before_the_append_has_not_happened(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, delete_it, IO_WRITE, STREAM);
    assert_text(head(b, "notes/plan").body, "old");
    then_it_is(b, 1, "old");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void a_delete_killed_before_the_removal_is_finished_by_the_next_writer(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, delete_it, IO_RENAME, VIEW);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    then_it_is_deleted(b);
}

static void a_delete_killed_after_the_removal_has_happened(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, delete_it, IO_UNLINK, DRAFT);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    then_it_is_deleted(b);
}

static void a_purge_killed_between_its_halves_can_be_asked_for_again(void **state)
{
    Bench *b = *state;
    Mark m;
    put(b, "notes/plan", "secret");
    killed_at(b, purge_it, IO_RENAME, STREAM);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    assert_ok(b, store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e));
    assert_int_equal(m.seq, 3);
    assert_null(find_text(b, "secret"));
}

/* --- People in between ------------------------------------------------------------------- */

static void edit_of(Bench *b, uint64_t seq)
{
    put(b, "notes/plan", "next");
    assert_version(b, "notes/plan", seq, STORE_OUTSIDE, "theirs");
    assert_version(b, "notes/plan", seq + 1, "ann", "next");
    assert_text(bytes_of(b, "notes/plan.txt"), "next");
    assert_false(there(b, "notes/" DRAFT));
}

static void an_edit_after_a_kill_before_the_append_is_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_WRITE, STREAM);
    person_saves(b, "notes/plan.txt", "theirs");
    edit_of(b, 2);
}

static void an_edit_after_a_kill_before_the_exchange_is_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_RENAME, VIEW);
    person_saves(b, "notes/plan.txt", "theirs");
    assert_text(head(b, "notes/plan").body, "theirs");
    edit_of(b, 3);
    assert_version(b, "notes/plan", 2, "ann", "new");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_edit_after_a_kill_after_the_exchange_is_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, put_new, IO_UNLINK, DRAFT);
    person_saves(b, "notes/plan.txt", "theirs");
    edit_of(b, 3);
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_edit_after_a_killed_delete_is_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, delete_it, IO_RENAME, VIEW);
    person_saves(b, "notes/plan.txt", "theirs");
    edit_of(b, 3);
    assert_version(b, "notes/plan", 2, "ann", NULL);
}

static void a_file_made_after_a_killed_delete_is_a_version(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    killed_at(b, delete_it, IO_UNLINK, DRAFT);
    person_saves(b, "notes/plan.txt", "theirs");
    edit_of(b, 3);
}

static void save_theirs(Bench *b, IoCall *call)
{
    (void)call;
    person_writes(b, "notes/plan.txt", "theirs");
    /* The first to be written from here on is the record of this edit. */
    trap(b, (Trap){ .kind = IO_WRITE, .at = STREAM, .act = die_here });
}

static void an_edit_displaced_by_a_writer_that_died_is_put_aside(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    trap(b, (Trap){ .kind = IO_RENAME, .at = VIEW, .act = save_theirs });
    assert_false(elsewhere(b, put_new));
    traps_clear(b);
    assert_text(head(b, "notes/plan").body, "new");
    then_it_is(b, 2, "new");
    assert_int_equal(quarantined(b, "theirs"), 1);
}

static void a_draft_a_person_planted_is_put_aside(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    person_writes(b, "notes/" DRAFT, "planted");
    assert_text(head(b, "notes/plan").body, "old");
    then_it_is(b, 1, "old");
    assert_int_equal(quarantined(b, "planted"), 1);
}

static void an_empty_draft_is_nothing_to_keep(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    person_writes(b, "notes/" DRAFT, "");
    then_it_is(b, 1, "old");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

/* --- Logs and rewritten streams ----------------------------------------------------------- */

static bool log_new(Bench *b)
{
    Draft d = { .op = OP_APPEND, .by = S("ann"), .id = S("once"), .body = S("new") };
    Mark m;
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && store_append(b->s, S("runs/r"), NULL, &d, &m, &b->e) == JOT_OK;
}

static void who_asks_again_for_what_was_never_synced_hears_ok_only_after_a_sync(void **state)
{
    Bench *b = *state;
    Draft d = { .op = OP_APPEND, .by = S("ann"), .id = S("once"), .body = S("new") };
    Mark m;
    entry(b, "runs/r", "old");
    killed_at(b, log_new, IO_FDATASYNC, "r.jsonl");
    assert_ok(b, store_append(b->s, S("runs/r"), NULL, &d, &m, &b->e));
    assert_int_equal(m.seq, 2);
    assert_int_equal(b->calls[IO_FDATASYNC], 1);
    trap(b, (Trap){ .kind = IO_FDATASYNC, .answer = -EIO });
    assert_status(b, store_append(b->s, S("runs/r"), NULL, &d, &m, &b->e), JOT_UNKNOWN);
}

static bool trim_it(Bench *b)
{
    uint64_t dropped;
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && store_trim(b->s, S("runs/r"), NULL, 10, &dropped, &b->e) == JOT_OK;
}

static void a_rewrite_that_was_killed_leaves_the_stream_as_it_was(void **state)
{
    Bench *b = *state;
    uint64_t dropped;
    for (int i = 0; i < 30; i++)
        entry(b, "runs/r", "text");
    killed_at(b, trim_it, IO_RENAME, "r.jsonl");
    assert_true(there(b, "runs/.r.jsonl.new"));
    assert_int_equal(records(b, "runs/r").n, 30);
    assert_int_equal(listed(b, "").n, 1);
    assert_ok(b, store_trim(b->s, S("runs/r"), NULL, 10, &dropped, &b->e));
    assert_int_equal(dropped, 9);
    assert_false(there(b, "runs/.r.jsonl.new"));
    assert_int_equal(entry(b, "runs/r", "next").seq, 31);
}

/* --- Mending ------------------------------------------------------------------------------- */

/* A name that is new in every round. */
static char fresh[40];

static bool first_write(Bench *b, const char *where)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    const char *name = arena_printf(&b->arena, "%s%s", where, fresh).p;
    jot_status st = JOT_OK;
    if (b->s)
        st = strcmp(where, "runs/") == 0 ? try_entry(b, name, "new", NULL)
                                         : try_put(b, name, ANYTHING, "new", NULL);
    return b->s && st == JOT_OK;
}

static bool first_put(Bench *b)
{
    return first_write(b, "notes/");
}

static bool first_put_below(Bench *b)
{
    return first_write(b, "memories/a/b/");
}

static bool first_entry(Bench *b)
{
    return first_write(b, "runs/");
}

static void count_fault(void *ctx, const StoreFault *f)
{
    if (fault_counts(f->kind))
        print_message("%s: %s\n", fault_name(f->kind), f->what);
    ++*(int *)ctx;
}

static void whatever_was_killed_is_mended_and_verify_says_so(void **state)
{
    static bool (*const stories[])(Bench *) = { first_put, first_put_below, first_entry,
                                                put_new,   purge_it,        trim_it };
    Bench *b = *state;
    int kills = 0;
    for (size_t i = 0; i < COUNT_OF(stories); i++) {
        bool lived = false;
        for (int step = 0; !lived && step < 300; step++) {
            put(b, "notes/plan", "old");
            for (int k = 0; k < 20; k++)
                entry(b, "runs/r", "text");
            snprintf(fresh, sizeof fresh, "new-%zu-%d", i, step);
            trap(b, (Trap){ .kind = IO_KINDS, .skip = step, .act = die_here });
            lived = elsewhere(b, stories[i]);
            traps_clear(b);
            kills += !lived;
            int told = 0;
            VerifyCount count;
            VerifyHooks hooks = { .fault = count_fault, .ctx = &told };
            assert_ok(b, store_mend(b->s, NULL, &b->e));
            assert_ok(b, store_verify(b->s, &hooks, &count, &b->e));
            assert_int_equal(count.faults, 0);
            assert_int_equal(told, files_in(b, "quarantine") / 2);
        }
        assert_true(lived);
    }
    assert_true(kills > 60);
}

/* --- Small files --------------------------------------------------------------------------- */

#define DEAD "0123456789abcdef"

static void drafts_of_small_files_go_with_the_first_write_after_a_reboot(void **state)
{
    static const char *const dead[] = { (".checked." DEAD), (".recent." DEAD), (".format." DEAD),
                                        (".checking." DEAD) };
    static const char *const others[] = { ".hidden", ".recent.old", (".recent." DEAD "0"),
                                          ("recent." DEAD), ".checked.0123456789ABCDEF" };
    Bench *b = *state;
    put(b, "notes/plan", "text");
    for (size_t i = 0; i < COUNT_OF(dead); i++)
        person_writes(b, dead[i], "left by somebody who was killed");
    for (size_t i = 0; i < COUNT_OF(others); i++)
        person_writes(b, others[i], "mine");
    person_writes(b, ".recent.aaaaaaaaaaaaaaaa", "of somebody who lives");
    b->held = open(full_path(b, ".recent.aaaaaaaaaaaaaaaa"), O_RDWR | O_CLOEXEC);
    assert_int_equal(io_lock(&io_system, b->held, F_WRLCK, 1), 0);
    reboot(b);
    put(b, "notes/plan", "more");
    for (size_t i = 0; i < COUNT_OF(dead); i++)
        assert_false(there(b, dead[i]));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_true(there(b, others[i]));
    assert_true(there(b, ".recent.aaaaaaaaaaaaaaaa"));
}

static void a_draft_is_held_by_who_makes_it(void **state)
{
    Bench *b = *state;
    trap(b, (Trap){ .kind = IO_RENAME, .at = "checked", .act = die_here });
    assert_false(elsewhere(b, put_new));
    traps_clear(b);
    bool found = false;
    Str tree = tree_of(b, b->path), line;
    while (str_cut(&tree, '\n', &line))
        found = found || memmem(line.p, line.n, "/.checked.", 10);
    assert_true(found);
    put(b, "notes/plan", "text");
    tree = tree_of(b, b->path);
    while (str_cut(&tree, '\n', &line))
        assert_null(memmem(line.p, line.n, "/.checked.", 10));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(killed_before_the_append_nothing_has_happened),
        BENCH_TEST(killed_while_drafting_nothing_has_happened),
        BENCH_TEST(killed_before_the_sync_it_has_happened_and_who_sees_it_syncs_it),
        BENCH_TEST(killed_before_the_exchange_the_next_writer_finishes_it),
        BENCH_TEST(killed_after_the_exchange_it_has_happened),
        BENCH_TEST(what_a_killed_writer_left_is_settled_before_a_conflict_is_told),
        BENCH_TEST(a_first_write_killed_before_the_append_leaves_no_note),
        BENCH_TEST(a_first_write_killed_before_the_exchange_is_finished_by_the_next),
        BENCH_TEST(a_delete_killed_before_the_append_has_not_happened),
        BENCH_TEST(a_delete_killed_before_the_removal_is_finished_by_the_next_writer),
        BENCH_TEST(a_delete_killed_after_the_removal_has_happened),
        BENCH_TEST(a_purge_killed_between_its_halves_can_be_asked_for_again),
        BENCH_TEST(an_edit_after_a_kill_before_the_append_is_a_version),
        BENCH_TEST(an_edit_after_a_kill_before_the_exchange_is_a_version),
        BENCH_TEST(an_edit_after_a_kill_after_the_exchange_is_a_version),
        BENCH_TEST(an_edit_after_a_killed_delete_is_a_version),
        BENCH_TEST(a_file_made_after_a_killed_delete_is_a_version),
        BENCH_TEST(an_edit_displaced_by_a_writer_that_died_is_put_aside),
        BENCH_TEST(a_draft_a_person_planted_is_put_aside),
        BENCH_TEST(an_empty_draft_is_nothing_to_keep),
        BENCH_TEST(who_asks_again_for_what_was_never_synced_hears_ok_only_after_a_sync),
        BENCH_TEST(a_rewrite_that_was_killed_leaves_the_stream_as_it_was),
        BENCH_TEST(whatever_was_killed_is_mended_and_verify_says_so),
        BENCH_TEST(drafts_of_small_files_go_with_the_first_write_after_a_reboot),
        BENCH_TEST(a_draft_is_held_by_who_makes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
