/* test_cycle_edit.c - states that people edit, delete, break or import while a cycle runs.
 *
 * An edit is merged with what the cycle did; where both changed the same, the
 * person wins and the notes have both. */
#include "memory/cycle/cycle.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/cycle/cycle_tail.h"
#include "memory/cycle_desk.h"
#include "memory/doc/doc.h"

static void an_edit_during_a_cycle_is_merged(Desk *d)
{
    put_state(d, ME, "current_task: one\npending_actions: [two]\nnotes: n\n");
    Cycle c = wake(d);
    put_state(d, ME,
              "# mine\ncurrent_task: one\npending_actions: [two, three]\nnotes: n\nnew: 1\n");
    step(d, &c, SAY_DONE);
    Cycle end = asleep(d, &c);
    assert_true(holds(end.notice, "an edit during the cycle was merged\n"));
    assert_text(value(d, active(d), "current_task"), "two");
    assert_text(value(d, active(d), "new"), "1");
    assert_int_equal(yaml_get(state(d, active(d)), S("pending_actions"))->n, 1);
    assert_text(end.before, "current_task: one\npending_actions: [two]\nnotes: n\n");
}

/* A state that people edit and no cycle was ever woken on is read from its start, every time. */
static void a_state_that_was_only_edited_takes_the_memory_of_a_few(Desk *d)
{
    enum { EDITS = 256, BYTES = 256 * 1024, ROOM = 48 * 1024 * 1024, PAGES_MAX = 1 << 28 };
    if (strcmp(d->engine, "mem"))
        return; /* where a read costs the most, and a write the least */
    AUTO(Buf) text = { 0 };
    buf_add(&text, S("notes: "));
    while (text.n < BYTES)
        buf_add_char(&text, 'x');
    buf_add(&text, S("\n\0"));
    for (int i = 0; i < EDITS; i++)
        put_state(d, ME, text.p);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        long pages = 0;
        FILE *f = fopen("/proc/self/statm", "r");
        struct rlimit most = { 0 };
        if (!f || fscanf(f, "%ld", &pages) != 1)
            _exit(9);
        if (pages > PAGES_MAX)
            _exit(0); /* a sanitizer takes all addresses there are */
        most.rlim_cur = most.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ROOM;
        AUTO(Arena) a = { 0 };
        Tail t;
        Err e = { 0 };
        if (setrlimit(RLIMIT_AS, &most) != 0)
            _exit(8);
        jot_status st = cycle_tail_read(&d->m, ME, &a, &t, &e);
        _exit(st == JOT_OK && t.edited && t.edit.n == text.n - 1 && t.edit_base.n == 0 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void an_edit_that_contradicts_the_cycle_wins_and_the_notes_have_both(Desk *d)
{
    put_state(d, ME, "current_task: one\npending_actions: [two]\n");
    Cycle c = wake(d);
    step(d, &c, SAY_DONE);
    put_state(d, ME, "current_task: mine\npending_actions: [two]\n");
    Cycle end = asleep(d, &c);
    assert_true(holds(end.notice, "1 values were changed on both sides"));
    assert_text(value(d, active(d), "current_task"), "mine");
    assert_true(holds(active(d),
                      "[CONFLICT] current_task: a person's edit was kept, the cycle had: "
                      "two"));
}

static void an_edit_during_a_cycle_that_fails_is_kept(Desk *d)
{
    put_state(d, ME, "current_task: one\n");
    Cycle c = wake(d);
    put_state(d, ME, "current_task: mine\n");
    step(d, &c, SAY_DONE);
    crash(d, &c, "x", "");
    assert_text(value(d, active(d), "current_task"), "mine");
    assert_true(holds(active(d), " failed: x"));
}

static void an_edit_that_is_no_state_stays_in_the_history(Desk *d)
{
    put_state(d, ME, "current_task: one\n");
    Cycle c = wake(d);
    put_state(d, ME, "current_task: [one\noops");
    Cycle end = asleep(d, &c);
    assert_true(holds(end.notice,
                      "an edit during the cycle is in the history as version 3, but not "
                      "in the state: not valid YAML at line"));
    assert_true(holds(active(d), "[EDIT] an edit during the cycle is in the history as version 3"));
    Records r;
    desk_ok(d, store_read(d->m.store, S("cycles/default"), (SeqRange){ 3, 1 }, &d->a, &r, &d->e));
    assert_text(r.items[0].body, "current_task: [one\noops");
}

static void a_state_deleted_during_a_cycle_is_written_again(Desk *d)
{
    Doc out;
    put_state(d, ME, "current_task: one\n");
    Cycle c = wake(d);
    desk_ok(d, doc_delete(&d->m, S("cycles/default"), NULL, &d->a, &out, &d->e));
    asleep(d, &c);
    assert_true(holds(active(d), "[EDIT] the state was deleted during the cycle"));
    assert_text(value(d, active(d), "current_task"), "one");
}

static void many_edits_during_a_cycle_are_one(Desk *d)
{
    put_state(d, ME, "current_task: one\n");
    Cycle c = wake(d);
    for (int i = 0; i < 100; i++)
        put_state(d, ME, arena_printf(&d->a, "current_task: one\nn: %d\n", i).p);
    step(d, &c, SAY_DONE);
    asleep(d, &c);
    assert_text(value(d, active(d), "n"), "99");
    assert_int_equal(yaml_get(state(d, active(d)), S("current_task"))->type, YAML_NULL);
}

static void a_state_that_is_none_does_not_wake_and_nothing_is_lost(Desk *d)
{
    put_state(d, ME, "goals: [a\nnotes: x\n");
    refuse_wake(d, JOT_INVALID);
    assert_says(d, "the state of 'default': not valid YAML at line 2, column");
    assert_text(active(d), "goals: [a\nnotes: x\n");
    put_state(d, ME, "goals: a\n");
    refuse_wake(d, JOT_INVALID);
    assert_says(d, "the state of 'default': 'goals' must be a list, at line 1, column 8");
    CycleStatus s;
    desk_ok(d, cycle_status(&d->m, ME, &d->a, &s, &d->e));
    assert_int_equal(s.unreadable.status, JOT_INVALID);
    assert_false(s.running);
    put_state(d, ME, "goals: [a]\n");
    wake(d);
}

static void write_file(Desk *d, const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(&d->a, "%s/pad/%s", d->dir, name).p, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static Str read_file(Desk *d, const char *name)
{
    char text[4096];
    FILE *f = fopen(arena_printf(&d->a, "%s/pad/%s", d->dir, name).p, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    return arena_copy(&d->a, (Str){ text, n });
}

static void people_see_and_edit_the_files(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return; /* only there are files to edit */
    put_state(d, ME, "current_task: one\n");
    write_file(d, "cycles/active.yaml", by_hand);
    Cycle c = wake(d);
    assert_text(read_file(d, "cycles/20260101_000000_before.yaml"), by_hand);
    assert_text(read_file(d, "cycles/active.yaml"), by_hand);
    write_file(d, "cycles/active.yaml", "mood: edited\n");
    step(d, &c, SAY_DONE);
    CycleStatus s;
    desk_ok(d, cycle_status(&d->m, ME, &d->a, &s, &d->e));
    assert_true(s.running);
    assert_text(s.text, "mood: edited\n");
    Cycle end = asleep(d, &c);
    assert_str(read_file(d, "cycles/20260101_000000_after.yaml"), end.after);
    assert_text(value(d, read_file(d, "cycles/active.yaml"), "mood"), "edited");
    Cycle hers = wake_as(d, S("zoe"), NULL);
    assert_str(read_file(d, "cycles/zoe/20260101_000000_before.yaml"), hers.before);
}

/* A person who saves the state in the very moment in which it is written for the n-th time. */
typedef struct Editor {
    Desk *d;
    int left;
} Editor;

static long save_now(void *ctx, IoCall *call)
{
    Editor *editor = ctx;
    bool ours = call->kind == IO_RENAME && call->name2 && strcmp(call->name2, "active.yaml") == 0;
    if (ours && --editor->left == 0) {
        Str old = read_file(editor->d, "cycles/active.yaml");
        write_file(editor->d, "cycles/active.yaml",
                   arena_printf(&editor->d->a, STR_FMT "person: was here\n", STR_ARG(old)).p);
    }
    return 0;
}

static void an_edit_in_the_moment_of_a_write_is_merged(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return; /* only there an edit can come in between */
    for (int n = 1; n <= 4; n++) {
        Editor editor = { d, n };
        IoHook hook = { .before = save_now, .ctx = &editor };
        desk_ok(d, cycle_reset(&d->m, ME, S("current_task: one\npending_actions: [two]\n"), S("t"),
                               &d->a, &d->e));
        d->io.hook = &hook; /* writes: before, after, state */
        Cycle c = wake(d);
        assert_text(c.before, "current_task: one\npending_actions: [two]\n");
        step(d, &c, SAY_DONE);
        asleep(d, &c);
        c = wake(d); /* before */
        assert_int_equal(c.earlier, 1);
        d->io.hook = NULL;
        asleep(d, &c);
        assert_true(editor.left <= 0);
        assert_text(value(d, active(d), "person"), "was here");
        assert_text(value(d, active(d), "current_task"), "two");
        assert_false(holds(active(d), "[CONFLICT]"));
    }
}

static void an_imported_state_is_an_edit_and_ends_no_cycle(Desk *d)
{
    Doc out;
    Cycle c = wake(d);
    DocWrite w = { .text = S("mood: imported\n"), .meta = S("{\"kind\":\"state\"}") };
    desk_ok(d, doc_write(&d->m, S("cycles/default"), &w, &d->a, &out, &d->e));
    refuse_wake(d, JOT_LEASED);
    asleep(d, &c);
    assert_text(value(d, active(d), "mood"), "imported");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(an_edit_during_a_cycle_is_merged),
        DESK_TEST(a_state_that_was_only_edited_takes_the_memory_of_a_few),
        DESK_TEST(an_edit_that_contradicts_the_cycle_wins_and_the_notes_have_both),
        DESK_TEST(an_edit_during_a_cycle_that_fails_is_kept),
        DESK_TEST(an_edit_that_is_no_state_stays_in_the_history),
        DESK_TEST(a_state_deleted_during_a_cycle_is_written_again),
        DESK_TEST(many_edits_during_a_cycle_are_one),
        DESK_TEST(a_state_that_is_none_does_not_wake_and_nothing_is_lost),
        DESK_TEST(people_see_and_edit_the_files),
        DESK_TEST(an_edit_in_the_moment_of_a_write_is_merged),
        DESK_TEST(an_imported_state_is_an_edit_and_ends_no_cycle),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
