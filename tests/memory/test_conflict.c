/* test_conflict.c - conflicts that are shown and merged, and text that is forgotten for good. */
#include "memory/doc/conflict.h"

#include <signal.h>
#include <sys/wait.h>

#include "memory/desk.h"
#include "memory/forget/forget.h"

static Str plan = { "notes/plan", 10 };

static Doc put(Desk *d, const char *text, const char *version, jot_status want)
{
    Doc out;
    DocWrite w = { .text = str(text), .when = { .version = str(version) } };
    desk_expect(d, want, doc_write(&d->m, plan, &w, &d->a, &out, &d->e));
    return out;
}

static jot_status look(Desk *d, Str base, Str mine, const Doc *now, Conflict *out)
{
    *out = (Conflict){ .stream = plan, .base = base, .mine = mine, .now = *now };
    return conflict_look(&d->m, out, &d->a, &d->e);
}

/* --- Conflicts -------------------------------------------------------------------------- */

static void a_conflict_shows_both_texts_and_their_clean_merge(Desk *d)
{
    Version base = version_of(put(d, "a\nb\nc\nd\n", NULL, JOT_OK).mark.sha256);
    put(d, "A\nb\nc\nd\n", NULL, JOT_OK);
    Doc now = put(d, "a\nb\nc\nD\n", base.text, JOT_CONFLICT);
    Conflict c;
    desk_ok(d, look(d, str(base.text), S("a\nb\nc\nD\n"), &now, &c));
    assert_text(c.now.text, "A\nb\nc\nd\n");
    assert_true(c.based && c.clean);
    assert_text(c.merged, "A\nb\nc\nD\n");
    AUTO_PTR(json_t) json = conflict_json(&c, &d->e);
    assert_text(json_str(json_object_get(json, "merge")), "A\nb\nc\nD\n");
    assert_text(json_str(json_object_get(json_object_get(json, "present"), "text")),
                "A\nb\nc\nd\n");
    assert_text(json_str(json_object_get(json, "status")), "conflict");
}

static void a_conflict_without_a_clean_merge_or_a_base_says_so(Desk *d)
{
    Version base = version_of(put(d, "a\n", NULL, JOT_OK).mark.sha256);
    Doc now = put(d, "b\n", NULL, JOT_OK);
    Conflict c;
    desk_ok(d, look(d, str(base.text), S("c\n"), &now, &c));
    assert_true(c.based && !c.clean);
    desk_ok(d, look(d, S("0123456789ab"), S("c\n"), &now, &c));
    assert_false(c.based || c.clean);
}

static void a_write_that_may_merge_does_so_only_when_it_is_clean(Desk *d)
{
    Version base = version_of(put(d, "a\nb\nc\nd\n", NULL, JOT_OK).mark.sha256);
    put(d, "A\nb\nc\nd\n", NULL, JOT_OK);
    DocWrite w = { .text = S("a\nb\nc\nD\n"), .when = { .version = str(base.text) } };
    Doc out;
    Conflict c;
    desk_expect(d, JOT_CONFLICT, conflict_write(&d->m, plan, &w, &d->a, &c, &d->e));
    assert_true(c.clean && !c.joined);
    assert_text(c.now.text, "A\nb\nc\nd\n");
    w.merge = true;
    desk_ok(d, conflict_write(&d->m, plan, &w, &d->a, &c, &d->e));
    assert_true(c.joined);
    assert_text(c.now.text, "A\nb\nc\nD\n");
    w.text = S("x\nb\nc\nd\n");
    desk_expect(d, JOT_CONFLICT, conflict_write(&d->m, plan, &w, &d->a, &c, &d->e));
    assert_false(c.joined);
    assert_text(c.mine, "x\nb\nc\nd\n");
    desk_ok(d, doc_read(&d->m, plan, &d->a, &out, &d->e));
    assert_text(out.text, "A\nb\nc\nD\n");
}

static void a_write_that_contradicts_itself_is_refused(Desk *d)
{
    Conflict c;
    DocWrite w = { .text = S("x"), .merge = true };
    desk_expect(d, JOT_INVALID, conflict_write(&d->m, plan, &w, &d->a, &c, &d->e));
    assert_string_equal(d->e.text, "a merge needs the version you read");
    w = (DocWrite){ .text = S("x"), .when = { .version = S("0123456789ab"), .absent = true } };
    desk_expect(d, JOT_INVALID, conflict_write(&d->m, plan, &w, &d->a, &c, &d->e));
}

/* --- Several processes ------------------------------------------------------------------ */

enum { CHILDREN = 6, APPENDS = 20 };

static void append_often(Desk *d, int who)
{
    Memory m = { 0 };
    Err e;
    MemoryOptions o = { .by = S("child") };
    if (memory_open(&m, str(d->url), &o, &e) != JOT_OK)
        _exit(2);
    for (int i = 0; i < APPENDS; i++) {
        Arena a = { 0 };
        Doc out;
        DocAppend x = { .text = arena_printf(&a, "%d-%d\n", who, i) };
        if (doc_append(&m, plan, &x, &a, &out, &e) != JOT_OK)
            _exit(3);
        arena_free(&a);
    }
    memory_close(&m);
    _exit(0);
}

static void no_append_of_several_processes_is_lost(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    put(d, "", NULL, JOT_OK);
    pid_t children[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] == 0)
            append_often(d, i);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    Doc now;
    desk_ok(d, doc_read(&d->m, plan, &d->a, &now, &d->e));
    DiffLines l = lines_of(now.text, &d->a);
    assert_int_equal(l.n, CHILDREN * APPENDS);
    for (int who = 0; who < CHILDREN; who++)
        for (int i = 0; i < APPENDS; i++)
            assert_non_null(strstr(now.text.p, arena_printf(&d->a, "%d-%d\n", who, i).p));
}

/* A process that is killed in the middle of a move leaves the text under one of the names or
 * under both, and the same call finishes it. */
static void a_move_killed_at_any_moment_loses_nothing(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    for (int i = 0; i < 40; i++) {
        Str from = arena_printf(&d->a, "notes/from%d", i),
            to = arena_printf(&d->a, "notes/to%d", i);
        Doc out;
        DocWrite w = { .text = S("text") };
        desk_ok(d, doc_write(&d->m, from, &w, &d->a, &out, &d->e));
        pid_t child = fork();
        if (child == 0) {
            Memory m = { 0 };
            Arena a = { 0 };
            MemoryOptions o = { .by = S("child") };
            if (memory_open(&m, str(d->url), &o, NULL) == JOT_OK)
                (void)!doc_move(&m, from, to, &a, &out, NULL);
            _exit(0);
        }
        usleep((useconds_t)(i * 100));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        jot_status st = doc_move(&d->m, from, to, &d->a, &out, &d->e);
        assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
        desk_ok(d, doc_read(&d->m, to, &d->a, &out, &d->e));
        assert_text(out.text, "text");
        desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, from, &d->a, &out, &d->e));
    }
}

/* --- Forgetting ------------------------------------------------------------------------- */

#define CANARY "c4n4ry-Zx81"

static void a_redacted_phrase_is_in_no_version_and_in_no_file(Desk *d)
{
    put(d, "one", NULL, JOT_OK);
    put(d, "key is " CANARY "\n", NULL, JOT_OK);
    put(d, "key is " CANARY ", again " CANARY "\n", NULL, JOT_OK);
    if (strcmp(d->engine, "mem") != 0 && !desk_on_server(d))
        assert_true(desk_files_with(d, CANARY) > 0);
    Forgotten f;
    desk_ok(d, forget_phrase(&d->m, plan, S(CANARY), &f, &d->e));
    assert_true(f.rewritten);
    assert_int_equal(f.n, 2);
    Doc now;
    desk_ok(d, doc_read(&d->m, plan, &d->a, &now, &d->e));
    assert_text(now.text, "key is [redacted], again [redacted]\n");
    if (strcmp(d->engine, "mem") != 0)
        desk_reopen(d);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    History h;
    desk_ok(d,
            history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 10 }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 4);
    assert_true(h.items[1].mark.redacted && h.items[2].mark.redacted);
    desk_expect(d, JOT_NOT_FOUND, forget_phrase(&d->m, plan, S(CANARY), &f, &d->e));
    desk_expect(d, JOT_INVALID, forget_phrase(&d->m, plan, S("red"), &f, &d->e));
}

static void a_purged_document_is_in_no_file(Desk *d)
{
    put(d, "key is " CANARY "\n", NULL, JOT_OK);
    put(d, "another " CANARY "\n", NULL, JOT_OK);
    Mark mark;
    desk_ok(d, forget_document(&d->m, plan, &mark, &d->e));
    if (strcmp(d->engine, "mem") != 0)
        desk_reopen(d);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    Doc now;
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, plan, &d->a, &now, &d->e));
    desk_expect(d, JOT_NOT_FOUND, forget_document(&d->m, S("notes/no"), &mark, &d->e));
    assert_says(d, "scratchpad[no] not found");
}

static void a_version_is_redacted_wherever_it_stands_but_never_the_present_one(Desk *d)
{
    Version one = version_of(put(d, "one", NULL, JOT_OK).mark.sha256);
    put(d, "two", NULL, JOT_OK);
    put(d, "one", NULL, JOT_OK);
    uint64_t n;
    When which = { .kind = WHEN_VERSION, .version = str(one.text) };
    desk_expect(d, JOT_INVALID, forget_version(&d->m, plan, &which, &n, &d->e));
    assert_says(d, "present text");
    put(d, "three", NULL, JOT_OK);
    desk_ok(d, forget_version(&d->m, plan, &which, &n, &d->e));
    assert_int_equal(n, 2);
    Doc out;
    desk_expect(d, JOT_NOT_FOUND, history_at(&d->m, plan, &which, &d->a, &out, &d->e));
    assert_says(d, "redacted");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_conflict_shows_both_texts_and_their_clean_merge),
        DESK_TEST(a_conflict_without_a_clean_merge_or_a_base_says_so),
        DESK_TEST(a_write_that_may_merge_does_so_only_when_it_is_clean),
        DESK_TEST(a_write_that_contradicts_itself_is_refused),
        DESK_TEST(no_append_of_several_processes_is_lost),
        DESK_TEST(a_move_killed_at_any_moment_loses_nothing),
        DESK_TEST(a_redacted_phrase_is_in_no_version_and_in_no_file),
        DESK_TEST(a_purged_document_is_in_no_file),
        DESK_TEST(a_version_is_redacted_wherever_it_stands_but_never_the_present_one),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
