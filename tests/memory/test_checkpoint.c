/* test_checkpoint.c - checkpoints: versions, undo as a stack, keeping the last or the young. */
#include "memory/artifact/checkpoint.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"

static uint64_t save(Desk *d, const char *state)
{
    Checkpoint c;
    CheckpointWrite s = { .state = str(state) };
    desk_ok(d, checkpoint_write(&d->m, S("run"), &s, &c, &d->e));
    return c.version;
}

static Str load(Desk *d, uint64_t version)
{
    Checkpoint c;
    desk_ok(d, checkpoint_read(&d->m, S("run"), version, &d->a, &c, &d->e));
    return c.state;
}

static Str undo(Desk *d)
{
    Checkpoint c;
    desk_ok(d, checkpoint_undo(&d->m, S("run"), 0, &d->a, &c, &d->e));
    return c.state;
}

static void undo_fails(Desk *d)
{
    Checkpoint c;
    desk_expect(d, JOT_NOT_FOUND, checkpoint_undo(&d->m, S("run"), 0, &d->a, &c, &d->e));
    assert_says(d, "no checkpoint snapshots available to restore");
}

static CheckpointList list(Desk *d)
{
    CheckpointList l;
    desk_ok(d, checkpoint_list(&d->m, S("run"), 0, &d->a, &l, &d->e));
    return l;
}

static void a_saved_state_is_loaded_with_its_bytes(Desk *d)
{
    Checkpoint c;
    CheckpointWrite s = { .state = S("a\0b\xff"), .label = S("before the change") };
    desk_ok(d, checkpoint_write(&d->m, S("run"), &s, &c, &d->e));
    assert_int_equal(c.version, 1);
    desk_ok(d, checkpoint_read(&d->m, S("run"), 0, &d->a, &c, &d->e));
    assert_str(c.state, S("a\0b\xff"));
    assert_text(c.label, "before the change");
    assert_text(c.by, "ann");
    assert_int_equal(c.at_ms, d->now_ms);
}

static void every_version_can_be_loaded(Desk *d)
{
    save(d, "one");
    save(d, "two");
    save(d, "three");
    assert_text(load(d, 1), "one");
    assert_text(load(d, 2), "two");
    assert_text(load(d, 0), "three");
    Checkpoint c;
    desk_expect(d, JOT_NOT_FOUND, checkpoint_read(&d->m, S("run"), 9, &d->a, &c, &d->e));
    assert_says(d, "checkpoint 9 of 'run' is not kept");
}

static void a_run_without_checkpoints_has_none(Desk *d)
{
    Checkpoint c;
    desk_expect(d, JOT_NOT_FOUND, checkpoint_read(&d->m, S("run"), 0, &d->a, &c, &d->e));
    assert_says(d, "'run' has no checkpoints");
    assert_int_equal(list(d).n, 0);
    undo_fails(d);
}

static void undo_restores_the_state_below(Desk *d)
{
    save(d, "one");
    save(d, "two");
    save(d, "three");
    assert_text(undo(d), "two");
    assert_text(load(d, 0), "two");
    assert_text(undo(d), "one");
    assert_text(load(d, 0), "one");
}

static void the_only_state_is_restored_itself_and_then_there_is_none(Desk *d)
{
    save(d, "one");
    assert_text(undo(d), "one");
    assert_text(load(d, 0), "one");
    undo_fails(d);
    assert_text(load(d, 0), "one");
    /* Of two states, the second undo restores the first once more. */
    save(d, "a");
    save(d, "b");
    assert_text(undo(d), "a");
    assert_text(undo(d), "a");
    undo_fails(d);
}

static void a_state_saved_after_an_undo_lies_on_what_was_restored(Desk *d)
{
    save(d, "one");
    save(d, "two");
    undo(d);
    save(d, "other");
    assert_text(undo(d), "one");
    CheckpointList l = list(d);
    assert_int_equal(l.total, 5);
    assert_int_equal(l.depth, 1);
    assert_true(l.items[0].live);
    for (size_t i = 1; i < l.n; i++)
        assert_false(l.items[i].live);
    assert_int_equal(l.items[4].undone, 4);
    assert_int_equal(l.items[4].restored, 1);
    /* Nothing is lost by going back. */
    assert_text(load(d, 2), "two");
    assert_text(load(d, 4), "other");
}

static void undo_that_names_another_version_changes_nothing(Desk *d)
{
    Checkpoint c;
    save(d, "one");
    save(d, "two");
    desk_expect(d, JOT_CONFLICT, checkpoint_undo(&d->m, S("run"), 1, &d->a, &c, &d->e));
    assert_says(d, "version 2 is the newest now");
    assert_text(load(d, 0), "two");
    desk_ok(d, checkpoint_undo(&d->m, S("run"), 2, &d->a, &c, &d->e));
    assert_text(c.state, "one");
}

static void the_last_states_are_kept_and_older_ones_dropped(Desk *d)
{
    uint64_t dropped;
    for (int i = 1; i <= 40; i++)
        save(d, arena_printf(&d->a, "s%d", i).p);
    desk_ok(d,
            checkpoint_trim(&d->m, S("run"), &(CheckpointKeep){ .states = 20 }, &dropped, &d->e));
    assert_int_equal(dropped, 20);
    assert_int_equal(list(d).total, 20);
    assert_text(load(d, 21), "s21");
    Checkpoint c;
    desk_expect(d, JOT_NOT_FOUND, checkpoint_read(&d->m, S("run"), 20, &d->a, &c, &d->e));
    for (int i = 39; i >= 21; i--)
        assert_str(undo(d), arena_printf(&d->a, "s%d", i));
    /* What was dropped is no longer below: the last one is the only one. */
    assert_text(undo(d), "s21");
    undo_fails(d);
}

static void undoing_does_not_use_up_what_is_kept(Desk *d)
{
    uint64_t dropped;
    for (int i = 1; i <= 30; i++)
        save(d, arena_printf(&d->a, "s%d", i).p);
    for (int i = 0; i < 10; i++)
        undo(d);
    desk_ok(d,
            checkpoint_trim(&d->m, S("run"), &(CheckpointKeep){ .states = 18 }, &dropped, &d->e));
    assert_int_equal(dropped, 2); /* s3 to s20 are the newest 18 on the stack */
    assert_int_equal(list(d).depth, 18);
    assert_text(undo(d), "s19");
}

static void old_states_are_dropped_by_age_and_the_newest_never(Desk *d)
{
    uint64_t dropped;
    for (int i = 1; i <= 20; i++)
        save(d, "old");
    d->now_ms += 3600 * 1000;
    for (int i = 1; i <= 20; i++)
        save(d, "young");
    CheckpointKeep half_hour = { .age_ms = 1800 * 1000 };
    desk_ok(d, checkpoint_trim(&d->m, S("run"), &half_hour, &dropped, &d->e));
    assert_int_equal(dropped, 20);
    assert_int_equal(list(d).total, 20);
    d->now_ms += 3600 * 1000;
    desk_ok(d, checkpoint_trim(&d->m, S("run"), &half_hour, &dropped, &d->e));
    assert_int_equal(dropped, 19);
    assert_int_equal(list(d).total, 1);
    assert_text(load(d, 0), "young");
}

/* Fewer than a stream always keeps of its records. */
static void any_number_of_states_can_be_kept(Desk *d)
{
    uint64_t dropped;
    Checkpoint c;
    for (uint64_t keep = 1; keep <= 12; keep += 11) {
        for (int i = 1; i <= 25; i++) {
            CheckpointWritten saved;
            CheckpointWrite s = { .state = arena_printf(&d->a, "s%d", i) };
            CheckpointKeep newest = { .states = keep };
            desk_ok(d, checkpoint_write_keep(&d->m, S("run"), &s, &newest, &saved, &d->e));
            assert_int_equal(saved.not_dropped.status, JOT_OK);
            assert_int_equal(saved.dropped, saved.c.version > keep && (keep == 1 || i + 1 > 12));
        }
        CheckpointList l = list(d);
        assert_int_equal(l.total, keep);
        assert_int_equal(l.depth, keep);
        uint64_t first = l.items[0].version;
        assert_str(load(d, first), arena_printf(&d->a, "s%d", (int)(26 - keep)));
        desk_expect(d, JOT_NOT_FOUND,
                    checkpoint_read(&d->m, S("run"), first - 1, &d->a, &c, &d->e));
    }
    for (int i = 24; i >= 14; i--)
        assert_str(undo(d), arena_printf(&d->a, "s%d", i));
    assert_text(undo(d), "s14"); /* the only one there is comes back itself */
    undo_fails(d);
    desk_ok(d, checkpoint_trim(&d->m, S("run"), &(CheckpointKeep){ .states = 1 }, &dropped, &d->e));
    assert_text(load(d, 0), "s14");
}

static void a_list_has_the_newest_versions_up_to_its_limit(Desk *d)
{
    for (int i = 1; i <= 5; i++)
        save(d, "s");
    CheckpointList l;
    desk_ok(d, checkpoint_list(&d->m, S("run"), 2, &d->a, &l, &d->e));
    assert_int_equal(l.n, 2);
    assert_int_equal(l.total, 5);
    assert_int_equal(l.items[0].version, 4);
    desk_expect(d, JOT_INVALID,
                checkpoint_list(&d->m, S("run"), CHECKPOINT_LIST_MAX + 1, &d->a, &l, &d->e));
}

static void bad_input_is_refused(Desk *d)
{
    static const Str runs[] = { T(""), T("a/b"), T(".."), T("a\nb"), T("a\0b") };
    Checkpoint c;
    CheckpointWrite s = { .state = S("x") };
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        desk_expect(d, JOT_INVALID, checkpoint_write(&d->m, runs[i], &s, &c, &d->e));
        assert_sentence(&d->e);
        desk_expect(d, JOT_INVALID, checkpoint_undo(&d->m, runs[i], 0, &d->a, &c, &d->e));
        desk_expect(d, JOT_INVALID, checkpoint_read(&d->m, runs[i], 0, &d->a, &c, &d->e));
    }
    s.label = S("a\nb");
    desk_expect(d, JOT_INVALID, checkpoint_write(&d->m, S("run"), &s, &c, &d->e));
    uint64_t dropped;
    desk_expect(
        d, JOT_INVALID,
        checkpoint_trim(&d->m, S("run"), &(CheckpointKeep){ .age_ms = -1 }, &dropped, &d->e));
}

static void a_purged_run_begins_anew(Desk *d)
{
    Mark mark;
    save(d, "one");
    save(d, "two");
    desk_ok(d, store_purge(d->m.store, S("checkpoints/run"), NULL, S("ann"), &mark, &d->e));
    undo_fails(d);
    assert_int_equal(list(d).n, 0);
    save(d, "three");
    assert_text(undo(d), "three");
    undo_fails(d);
}

static void checkpoints_survive_a_kill(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        Memory m = desk_open(d, "child");
        Checkpoint c;
        Arena a = { 0 };
        CheckpointWrite one = { .state = S("one") }, two = { .state = S("two") },
                        three = { .state = S("three") };
        bool good = checkpoint_write(&m, S("run"), &one, &c, NULL) == JOT_OK &&
                    checkpoint_write(&m, S("run"), &two, &c, NULL) == JOT_OK &&
                    checkpoint_write(&m, S("run"), &three, &c, NULL) == JOT_OK &&
                    checkpoint_undo(&m, S("run"), 0, &a, &c, NULL) == JOT_OK;
        kill(getpid(), good ? SIGKILL : SIGTERM);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_text(load(d, 0), "two");
    assert_text(undo(d), "one");
}

static void of_two_who_undo_the_same_version_one_is_told(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    Checkpoint c;
    save(d, "one");
    save(d, "two");
    save(d, "three");
    Memory other = desk_open(d, "bob");
    desk_ok(d, checkpoint_undo(&other, S("run"), 3, &d->a, &c, &d->e));
    desk_expect(d, JOT_CONFLICT, checkpoint_undo(&d->m, S("run"), 3, &d->a, &c, &d->e));
    memory_close(&other);
    assert_text(load(d, 0), "two");
}

static void states_saved_by_two_processes_are_all_on_the_stack(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    enum { EACH = 15 };
    pid_t child = fork();
    if (child == 0) {
        Memory m = desk_open(d, "child");
        for (int i = 0; i < EACH; i++) {
            Checkpoint c;
            CheckpointWrite s = { .state = S("child") };
            if (checkpoint_write(&m, S("run"), &s, &c, NULL) != JOT_OK)
                _exit(1);
        }
        memory_close(&m);
        _exit(0);
    }
    Memory mine = desk_open(d, "parent");
    for (int i = 0; i < EACH; i++) {
        Checkpoint c;
        CheckpointWrite s = { .state = S("parent") };
        desk_ok(d, checkpoint_write(&mine, S("run"), &s, &c, &d->e));
    }
    memory_close(&mine);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    CheckpointList l = list(d);
    assert_int_equal(l.total, 2 * EACH);
    assert_int_equal(l.depth, 2 * EACH);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_saved_state_is_loaded_with_its_bytes),
        DESK_TEST(every_version_can_be_loaded),
        DESK_TEST(a_run_without_checkpoints_has_none),
        DESK_TEST(undo_restores_the_state_below),
        DESK_TEST(the_only_state_is_restored_itself_and_then_there_is_none),
        DESK_TEST(a_state_saved_after_an_undo_lies_on_what_was_restored),
        DESK_TEST(undo_that_names_another_version_changes_nothing),
        DESK_TEST(the_last_states_are_kept_and_older_ones_dropped),
        DESK_TEST(undoing_does_not_use_up_what_is_kept),
        DESK_TEST(old_states_are_dropped_by_age_and_the_newest_never),
        DESK_TEST(any_number_of_states_can_be_kept),
        DESK_TEST(a_list_has_the_newest_versions_up_to_its_limit),
        DESK_TEST(bad_input_is_refused),
        DESK_TEST(a_purged_run_begins_anew),
        DESK_TEST(checkpoints_survive_a_kill),
        DESK_TEST(of_two_who_undo_the_same_version_one_is_told),
        DESK_TEST(states_saved_by_two_processes_are_all_on_the_stack),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
