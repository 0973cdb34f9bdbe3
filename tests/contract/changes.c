/* changes.c - promises about changes: every changed stream is named at least once, or the
 * answer is RESCAN, which stands for all of them. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "contract.h"

/* Long enough for any machine; a promise that holds never waits for it. */
enum { WAIT_MS = 30 * 1000 };

static Cursor now(Trial *p)
{
    return changes(p, NULL).next;
}

/* What changed since *cursor, which moves on, must tell of `name`. */
static void check_told(const char *file, int line, Trial *p, Cursor *cursor, const char *name)
{
    Changes got = changes(p, cursor);
    if (!got.rescan && !names_hold(&got, name))
        fail_at(file, line, "'%s' has changed and was not named", name);
    *cursor = got.next;
}
#define CHECK_TOLD(p, cursor, name) check_told(__FILE__, __LINE__, p, cursor, name)

static void the_first_answer_is_rescan(Trial *p)
{
    Cursor nobodys = { "" };
    CHECK(changes(p, &nobodys).rescan);
    CHECK(changes(p, NULL).rescan);
    put(p, "notes/a", "one");
    CHECK(changes(p, &nobodys).rescan);
    CHECK(changes(p, NULL).rescan);
}

static void every_kind_of_append_is_a_change(Trial *p)
{
    Cursor c = now(p);
    put(p, "notes/a", "one");
    CHECK_TOLD(p, &c, "notes/a");
    put(p, "notes/a", "two");
    CHECK_TOLD(p, &c, "notes/a");
    bury(p, "notes/a");
    CHECK_TOLD(p, &c, "notes/a");
    entry(p, "runs/r", "one");
    CHECK_TOLD(p, &c, "runs/r");
}

static void a_redaction_is_a_change(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    Cursor c = now(p);
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    CHECK_TOLD(p, &c, "notes/a");
}

static void a_purge_is_a_change(Trial *p)
{
    put(p, "notes/a", "one");
    Cursor c = now(p);
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    CHECK_TOLD(p, &c, "notes/a");
}

/* Whoever keeps words of the pad learns when some must go, also behind later writes, and only
 * then. */
static void forgetting_is_told_and_writing_is_none(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    put(p, "notes/b", "one");
    Cursor c = now(p);
    put(p, "notes/a", "three");
    bury(p, "notes/b");
    Changes got = changes(p, &c);
    CHECK(!got.rescan && !got.forgot);
    c = got.next;
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    put(p, "notes/a", "four");
    got = changes(p, &c);
    CHECK(got.rescan || got.forgot);
    CHECK(changes(p, &c).forgot == got.forgot);
    c = got.next;
    CHECK(!changes(p, &c).forgot);
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    put(p, "notes/a", "five");
    got = changes(p, &c);
    CHECK(got.rescan || got.forgot);
    put(p, "notes/c", "x");
    CHECK(!changes(p, &got.next).forgot);
}

static void records_put_verbatim_are_a_change(Trial *p)
{
    Cursor c = now(p);
    Mark none = { 0 };
    Record r = next_record("notes/a", &none, PUT("one"), 5);
    CHECK_IS(p, store_put_records(p->s, S("notes/a"), &r, 1, &p->e), JOT_OK);
    CHECK_TOLD(p, &c, "notes/a");
}

static void all_changes_since_the_cursor_are_told(Trial *p)
{
    put(p, "notes/before", "x");
    Cursor c = now(p);
    static const char *const names[] = { "notes/a", "x/a/b", "memories/d/e", "runs/r",
                                         "notes/before" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    Changes got = changes(p, &c);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        CHECK(got.rescan || names_hold(&got, names[i]));
}

static void an_old_cursor_stays_good(Trial *p)
{
    Cursor old = now(p), c = old;
    put(p, "notes/a", "x");
    CHECK_TOLD(p, &c, "notes/a");
    put(p, "notes/b", "x");
    CHECK_TOLD(p, &c, "notes/b");
    Changes got = changes(p, &old);
    CHECK(got.rescan || (names_hold(&got, "notes/a") && names_hold(&got, "notes/b")));
}

static void a_cursor_just_given_is_answered_with_names(Trial *p)
{
    put(p, "notes/a", "x");
    Cursor c = now(p);
    put(p, "notes/b", "x");
    Changes got = changes(p, &c);
    CHECK(!got.rescan);
    CHECK(names_hold(&got, "notes/b"));
}

static void where_nothing_happens_nothing_is_told_for_ever(Trial *p)
{
    put(p, "notes/a", "x");
    Cursor c = now(p);
    Changes got = changes(p, &c);
    for (int i = 0; i < 3; i++)
        got = changes(p, &got.next);
    CHECK(!got.rescan);
    CHECK_NUM(got.n, 0);
}

static void only_names_of_streams_are_told(Trial *p)
{
    Cursor c = now(p);
    put(p, "memories/d/e", "x");
    put(p, "notes/a", "x");
    entry(p, "runs/r", "x");
    refused(p, JOT_CONFLICT, "notes/never", AT_SEQ(4), PUT("x"));
    Changes got = changes(p, &c);
    for (size_t i = 0; i < got.n; i++)
        CHECK_IS(p, store_check_name(got.names[i], &p->e), JOT_OK);
}

static void a_cursor_of_another_pad_is_answered_with_rescan(Trial *p)
{
    Trial *other = trial_other(p, p->engine);
    /* Both pads have seen as much, so that a bare count would look like one's own. */
    for (int i = 0; i < 3; i++) {
        put(p, "notes/a", "x");
        put(other, "notes/b", "x");
    }
    Cursor foreign = now(other);
    put(p, "notes/a", "y");
    CHECK(changes(p, &foreign).rescan);
    Cursor own = now(p);
    put(other, "notes/b", "y");
    CHECK(changes(other, &own).rescan);
}

static void a_cursor_of_another_engine_is_answered_with_rescan(Trial *p)
{
    for (size_t i = 0; engine_at(i); i++) {
        if (engine_at(i) == p->engine || !engine_present(engine_at(i)))
            continue;
        Trial *other = trial_other(p, engine_at(i));
        put(other, "notes/b", "x");
        Cursor foreign = now(other);
        put(p, "notes/a", "y");
        CHECK(changes(p, &foreign).rescan);
    }
}

static void a_cursor_nobody_has_given_is_answered_with_rescan(Trial *p)
{
    static const char *const garbage[] = {
        "0",
        "1",
        "-1",
        "18446744073709551615",
        "99999999999999999999",
        "x",
        " ",
        "1 ",
        " 1",
        "1x",
        "1.2.3",
        "{}",
        "%s%n",
        "\n",
        "\x01",
        "\xFF\xFE",
        "../../etc",
        "v1:0:0",
        "NULL",
        "'; drop",
        "1e3",
        "0x10",
        "+1",
        "-0",
        "......",
        "::::",
        "0.0.0",
        "00000000000000000000000000000000.1",
    };
    put(p, "notes/a", "x");
    put(p, "notes/b", "x");
    for (size_t i = 0; i < COUNT_OF(garbage); i++) {
        Cursor c = { "" };
        snprintf(c.text, sizeof c.text, "%s", garbage[i]);
        Changes got = changes(p, &c);
        if (!got.rescan)
            FAIL("the cursor '%s' was believed", garbage[i]);
    }
}

/* A byte changed or missing: still a cursor perhaps, but nothing may be missed by it. */
static void a_damaged_cursor_never_hides_a_change(Trial *p)
{
    put(p, "notes/a", "x");
    Cursor before = now(p);
    put(p, "notes/b", "x");
    size_t n = strlen(before.text);
    for (size_t i = 0; i < n; i++) {
        Cursor cut = before;
        cut.text[i] = 0;
        Changes got = changes(p, &cut);
        CHECK(got.rescan || names_hold(&got, "notes/b"));
    }
    Cursor longer = before;
    snprintf(longer.text + n, sizeof longer.text - n, "0");
    Changes got = changes(p, &longer);
    CHECK(got.rescan || names_hold(&got, "notes/b"));
}

static void a_cursor_is_good_for_other_handles_and_after_reopening(Trial *p)
{
    put(p, "notes/a", "x");
    Cursor c = now(p);
    put(p, "notes/b", "x");
    trial_use(p, 1);
    CHECK_TOLD(p, &c, "notes/b");
    put(p, "notes/c", "x");
    trial_reopen(p);
    CHECK_TOLD(p, &c, "notes/c");
}

static void changes_by_another_handle_are_told(Trial *p)
{
    Cursor c = now(p);
    static const char *const names[] = { "notes/a", "x/a/b", "memories/d/e" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        trial_use(p, 1);
        put(p, names[i], "x");
        trial_use(p, 0);
        CHECK_TOLD(p, &c, names[i]);
    }
}

static void waiting_ends_without_a_change(Trial *p)
{
    Cursor c = now(p);
    Changes got = { 0 };
    CHECK_IS(p, store_changes(p->s, &c, 30, &p->arena, &got, &p->e), JOT_OK);
    CHECK_IS(p, store_changes(p->s, &got.next, -5, &p->arena, &got, &p->e), JOT_OK);
}

static void waiting_does_not_wait_for_what_has_already_happened(Trial *p)
{
    Cursor c = now(p);
    put(p, "notes/a", "x");
    int64_t start = io_awake_ms(&io_system);
    Changes got = { 0 };
    CHECK_IS(p, store_changes(p->s, &c, WAIT_MS, &p->arena, &got, &p->e), JOT_OK);
    CHECK(got.rescan || names_hold(&got, "notes/a"));
    CHECK(io_awake_ms(&io_system) - start < WAIT_MS);
}

static void waiting_ends_with_the_change_of_another_process(Trial *p)
{
    Cursor c = now(p);
    /* A handle belongs to its process: each of the two opens its own. */
    trial_close(p);
    pid_t child = fork();
    CHECK(child >= 0);
    trial_use(p, 0);
    if (child == 0) {
        io_sleep_us(&io_system, 20 * 1000);
        put(p, "notes/a", "x");
        trial_close(p);
        _exit(0);
    }
    Changes got = { 0 };
    CHECK_IS(p, store_changes(p->s, &c, WAIT_MS, &p->arena, &got, &p->e), JOT_OK);
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(got.rescan || names_hold(&got, "notes/a"));
}

const Promise changes_promises[] = {
    PROMISE(the_first_answer_is_rescan),
    PROMISE(every_kind_of_append_is_a_change),
    PROMISE(a_redaction_is_a_change),
    PROMISE(a_purge_is_a_change),
    PROMISE(forgetting_is_told_and_writing_is_none),
    PROMISE(records_put_verbatim_are_a_change),
    PROMISE(all_changes_since_the_cursor_are_told),
    PROMISE(an_old_cursor_stays_good),
    PROMISE(a_cursor_just_given_is_answered_with_names),
    PROMISE(where_nothing_happens_nothing_is_told_for_ever),
    PROMISE(only_names_of_streams_are_told),
    PROMISE(a_cursor_of_another_pad_is_answered_with_rescan),
    PROMISE(a_cursor_of_another_engine_is_answered_with_rescan),
    PROMISE(a_cursor_nobody_has_given_is_answered_with_rescan),
    PROMISE(a_damaged_cursor_never_hides_a_change),
    LASTING(a_cursor_is_good_for_other_handles_and_after_reopening),
    LASTING(changes_by_another_handle_are_told),
    PROMISE(waiting_ends_without_a_change),
    PROMISE(waiting_does_not_wait_for_what_has_already_happened),
    LASTING(waiting_ends_with_the_change_of_another_process),
    { 0 },
};
