/* test_history.c - what documents were: pages, any version again, undo, restore, blame. */
#include "memory/doc/history.h"

#include <fcntl.h>

#include "base/fd.h"
#include "memory/desk.h"

static Str plan = { "notes/plan", 10 };

static Doc put(Desk *d, const char *text)
{
    Doc out;
    DocWrite w = { .text = str(text) };
    d->now_ms += 1000;
    desk_ok(d, doc_write(&d->m, plan, &w, &d->a, &out, &d->e));
    return out;
}

static void delete (Desk *d)
{
    Doc out;
    d->now_ms += 1000;
    desk_ok(d, doc_delete(&d->m, plan, NULL, &d->a, &out, &d->e));
}

/* What the document is now; NULL: deleted. */
static void assert_now(Desk *d, const char *text)
{
    Doc now;
    desk_ok(d, doc_present(&d->m, plan, &d->a, &now, &d->e));
    assert_int_equal(mark_live(&now.mark), text != NULL);
    if (text)
        assert_text(now.text, text);
}

static void undo(Desk *d, const char *then)
{
    Doc out;
    d->now_ms += 1000;
    desk_ok(d, history_undo(&d->m, plan, NULL, &d->a, &out, &d->e));
    assert_now(d, then);
}

static void redo(Desk *d, const char *then)
{
    Doc out;
    d->now_ms += 1000;
    desk_ok(d, history_redo(&d->m, plan, NULL, &d->a, &out, &d->e));
    assert_now(d, then);
}

static void no_redo(Desk *d)
{
    Doc out;
    desk_expect(d, JOT_NOT_FOUND, history_redo(&d->m, plan, NULL, &d->a, &out, &d->e));
    assert_says(d, "there is nothing to redo in scratchpad[plan]");
}

static void no_undo(Desk *d, const char *why)
{
    Doc out;
    desk_expect(d, JOT_NOT_FOUND, history_undo(&d->m, plan, NULL, &d->a, &out, &d->e));
    assert_says(d, why);
}

static Doc at(Desk *d, const char *word, jot_status want)
{
    When when;
    Doc out = { 0 };
    desk_ok(d, when_parse(str(word), &when, &d->e));
    desk_expect(d, want, history_at(&d->m, plan, &when, &d->a, &out, &d->e));
    return out;
}

/* On files: write the view as a person would. */
static bool edit_outside(Desk *d, const char *text)
{
    if (strcmp(d->engine, "files") != 0)
        return false;
    Str path = arena_printf(&d->a, "%s/pad/notes/plan.txt", d->dir);
    AUTO(Fd) fd = open(path.p, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return true;
}

/* --- undo ------------------------------------------------------------------------------- */

static void repeated_undo_walks_back_to_the_time_before_the_first_write(Desk *d)
{
    put(d, "one");
    put(d, "two");
    put(d, "three");
    undo(d, "two");
    undo(d, "one");
    undo(d, NULL);
    no_undo(d, "nothing to undo in scratchpad[plan]");
}

static void undoing_a_delete_brings_the_document_back(Desk *d)
{
    put(d, "one");
    delete (d);
    undo(d, "one");
    undo(d, NULL);
}

static void a_write_after_an_undo_is_a_new_change(Desk *d)
{
    put(d, "one");
    put(d, "two");
    undo(d, "one");
    put(d, "three");
    undo(d, "one");
    undo(d, NULL);
}

static void undo_passes_over_writes_that_changed_nothing(Desk *d)
{
    put(d, "one");
    put(d, "two");
    put(d, "two");
    undo(d, "one");
}

static void undo_goes_through_a_delete_and_a_second_life(Desk *d)
{
    put(d, "one");
    delete (d);
    put(d, "two");
    undo(d, NULL);
    undo(d, "one");
    undo(d, NULL);
    no_undo(d, "nothing to undo");
}

static void undo_of_what_never_was_is_not_found(Desk *d)
{
    no_undo(d, "scratchpad[plan] not found");
}

static void undo_never_brings_back_what_was_purged_or_redacted(Desk *d)
{
    put(d, "one");
    put(d, "two");
    desk_ok(d, store_redact(d->m.store, plan, NULL, 1, &d->e));
    no_undo(d, "was redacted");
    Mark mark;
    desk_ok(d, store_purge(d->m.store, plan, NULL, S("ann"), &mark, &d->e));
    no_undo(d, "not kept any more");
}

static void undo_on_condition_of_another_version_changes_nothing(Desk *d)
{
    Version old = version_of(put(d, "one").mark.sha256);
    put(d, "two");
    Doc out;
    DocIf when = { .version = str(old.text) };
    desk_expect(d, JOT_CONFLICT, history_undo(&d->m, plan, &when, &d->a, &out, &d->e));
    assert_text(out.text, "two");
    assert_now(d, "two");
}

static void undo_takes_back_an_edit_from_outside_and_keeps_it_as_a_version(Desk *d)
{
    put(d, "one");
    put(d, "two");
    if (!edit_outside(d, "edited"))
        return;
    undo(d, "two");
    History h;
    desk_ok(d,
            history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 10 }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 4);
    assert_text(h.items[1].by, STORE_OUTSIDE);
    undo(d, "one");
}

static void undo_survives_a_restart(Desk *d)
{
    put(d, "one");
    put(d, "two");
    put(d, "three");
    undo(d, "two");
    if (strcmp(d->engine, "mem") != 0)
        desk_reopen(d);
    undo(d, "one");
}

static void redo_takes_back_as_many_undos_as_there_were(Desk *d)
{
    put(d, "one");
    put(d, "two");
    put(d, "two");
    put(d, "three");
    no_redo(d);
    undo(d, "two");
    undo(d, "one");
    undo(d, NULL);
    redo(d, "one");
    redo(d, "two");
    undo(d, "one");
    redo(d, "two");
    if (strcmp(d->engine, "mem") != 0)
        desk_reopen(d);
    redo(d, "three");
    no_redo(d);
    undo(d, "two");
    put(d, "other");
    no_redo(d);
    undo(d, "two");
    redo(d, "other");
    no_redo(d);
}

static void what_an_undo_did_is_what_diff_shows_and_one_version_back_is_before_it(Desk *d)
{
    HistoryDiff diff;
    put(d, "one\n");
    put(d, "two\n");
    undo(d, "one\n");
    assert_text(at(d, "~1", JOT_OK).text, "two\n");
    assert_text(at(d, "~2", JOT_OK).text, "one\n");
    desk_ok(d, history_diff(&d->m, &(HistoryDiffAsk){ .stream = plan }, &d->a, &diff, &d->e));
    assert_non_null(memmem(diff.text.p, diff.text.n, "-two\n+one\n", 10));
}

/* --- any version ------------------------------------------------------------------------ */

static void any_version_is_found_by_seq_hash_time_and_distance(Desk *d)
{
    Doc one = put(d, "one"), two = put(d, "two"), three = put(d, "three");
    assert_text(at(d, "2", JOT_OK).text, "two");
    assert_text(at(d, version_of(one.mark.sha256).text, JOT_OK).text, "one");
    assert_text(
        at(d, arena_cstr(&d->a, str_slice(str(version_of(one.mark.sha256).text), 0, 7)), JOT_OK)
            .text,
        "one");
    assert_text(at(d, hash_hex(three.mark.sha256).text, JOT_OK).text, "three");
    assert_text(at(d, "now", JOT_OK).text, "three");
    assert_text(at(d, "~1", JOT_OK).text, "two");
    assert_text(at(d, "~2", JOT_OK).text, "one");
    When then = { .kind = WHEN_TIME, .at_ms = two.mark.at_ms };
    Doc out;
    desk_ok(d, history_at(&d->m, plan, &then, &d->a, &out, &d->e));
    assert_text(out.text, "two");
    then.at_ms = three.mark.at_ms - 1;
    desk_ok(d, history_at(&d->m, plan, &then, &d->a, &out, &d->e));
    assert_text(out.text, "two");
    then.at_ms = one.mark.at_ms - 1;
    desk_expect(d, JOT_NOT_FOUND, history_at(&d->m, plan, &then, &d->a, &out, &d->e));
    assert_says(d, "has no version as old as");
}

static void seven_digits_are_a_version_while_they_name_one(Desk *d)
{
    /* The SHA-256 of both begins with b30a892. */
    Doc one = put(d, "text 859"), out;
    DocIf seen = { .version = S("b30a892") };
    assert_text(at(d, "b30a892", JOT_OK).text, "text 859");
    desk_ok(d, doc_write(&d->m, plan, &(DocWrite){ .text = S("text 4460"), .when = seen }, &d->a,
                         &out, &d->e));
    at(d, "b30a892", JOT_INVALID);
    assert_says(d, "'b30a892' names more than one version of scratchpad[plan]: use more digits");
    desk_expect(
        d, JOT_INVALID,
        doc_write(&d->m, plan, &(DocWrite){ .text = S("x"), .when = seen }, &d->a, &out, &d->e));
    desk_expect(d, JOT_INVALID, history_undo(&d->m, plan, &seen, &d->a, &out, &d->e));
    assert_text(at(d, version_of(one.mark.sha256).text, JOT_OK).text, "text 859");
    assert_now(d, "text 4460");
}

static void a_version_that_is_not_there_is_not_found(Desk *d)
{
    put(d, "one");
    delete (d);
    at(d, "7", JOT_NOT_FOUND);
    assert_says(d, "has no record 7");
    at(d, "0123456789ab", JOT_NOT_FOUND);
    assert_says(d, "has no version 0123456789ab");
    at(d, "2", JOT_NOT_FOUND);
    assert_says(d, "was deleted at seq 2");
    at(d, "~2", JOT_NOT_FOUND);
}

static void every_moment_of_a_long_history_is_found(Desk *d)
{
    Doc all[60];
    char text[16];
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        snprintf(text, sizeof text, "%zu", i);
        all[i] = put(d, arena_cstr(&d->a, str(text)));
    }
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        When then = { .kind = WHEN_TIME, .at_ms = all[i].mark.at_ms };
        Doc out;
        desk_ok(d, history_at(&d->m, plan, &then, &d->a, &out, &d->e));
        assert_int_equal(out.mark.seq, all[i].mark.seq);
    }
}

static void words_that_name_no_version_are_refused(Desk *d)
{
    static const char *const bad[] = { "0",   "~",          "~x",   "yesterday",
                                       "-1",  "2026-13-01", "0x12", "ABCDEF012345",
                                       "1.5", "~99999999" };
    When when;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        desk_expect(d, JOT_INVALID, when_parse(str(bad[i]), &when, &d->e));
        assert_says(d, "names no version");
        assert_sentence(&d->e);
    }
    desk_ok(d, when_parse(S("2026-01-31"), &when, &d->e));
    assert_int_equal(when.at_ms, 1769817600000);
    desk_ok(d, when_parse(S("123456789012"), &when, &d->e));
    assert_int_equal(when.kind, WHEN_VERSION);
    desk_ok(d, when_parse(S("12345678901"), &when, &d->e));
    assert_int_equal(when.kind, WHEN_SEQ);
}

static void restore_writes_an_older_version_and_says_which(Desk *d)
{
    put(d, "one");
    put(d, "two");
    Doc out;
    When which = { .kind = WHEN_SEQ, .number = 1 };
    desk_ok(d, history_restore(&d->m, plan, &(Restore){ .which = which }, &d->a, &out, &d->e));
    assert_int_equal(meta_number(out.meta, "restored"), 1);
    assert_now(d, "one");
    undo(d, "two");
    /* What is written next does not carry the mark on. */
    DocAppend a = { .text = S("!") };
    desk_ok(d, doc_append(&d->m, plan, &a, &d->a, &out, &d->e));
    assert_int_equal(out.meta.n, 0);
}

/* --- pages ------------------------------------------------------------------------------ */

static void pages_show_every_version_once_newest_first(Desk *d)
{
    char text[16];
    for (int i = 1; i <= 25; i++) {
        snprintf(text, sizeof text, "%d", i);
        put(d, arena_cstr(&d->a, str(text)));
    }
    uint64_t before = 0, expected = 25;
    for (bool more = true; more;) {
        History h;
        desk_ok(d, history_page(&d->m, plan, &(HistoryAsk){ .before = before, .limit = 10 }, &d->a,
                                &h, &d->e));
        for (size_t i = 0; i < h.n; i++)
            assert_int_equal(h.items[i].mark.seq, expected--);
        before = expected + 1;
        more = h.more;
    }
    assert_int_equal(expected, 0);
}

static void a_page_of_a_trimmed_history_ends_where_it_was_trimmed(Desk *d)
{
    char text[16];
    for (int i = 1; i <= 40; i++) {
        snprintf(text, sizeof text, "%d", i);
        put(d, arena_cstr(&d->a, str(text)));
    }
    uint64_t dropped;
    desk_ok(d, store_trim(d->m.store, plan, NULL, 21, &dropped, &d->e));
    History h;
    desk_ok(d,
            history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 20 }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 20);
    assert_false(h.more);
    desk_ok(d, history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 1000 }, &d->a, &h,
                            &d->e));
    assert_int_equal(h.n, 20);
    desk_ok(d,
            history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 5 }, &d->a, &h, &d->e));
    assert_true(h.more);
}

static void an_edit_that_a_list_shows_is_the_newest_version_and_not_recorded(Desk *d)
{
    if (!edit_outside(d, "dropped here by a person"))
        return;
    History h;
    Doc doc;
    desk_ok(d, history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 10, .glance = true },
                            &d->a, &h, &d->e));
    assert_int_equal(h.n, 1);
    assert_int_equal(h.items[0].mark.seq, 0);
    for (int i = 0; i < 5; i++)
        put(d, i % 2 ? "odd" : "even");
    edit_outside(d, "edited");
    desk_ok(d, history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 3, .glance = true },
                            &d->a, &h, &d->e));
    assert_int_equal(h.n, 3);
    assert_int_equal(h.items[0].mark.seq, 0);
    assert_int_equal(h.items[1].mark.seq, 6);
    assert_true(h.more);
    desk_ok(d, doc_glance(&d->m, plan, &d->a, &doc, &d->e));
    assert_text(doc.text, "edited");
    assert_int_equal(doc.mark.seq, 0);
    assert_text(str(version_listed(doc.mark.seq, doc.mark.sha256).text), "edited");
}

static void whoever_names_the_version_of_an_edit_records_it(Desk *d)
{
    put(d, "one");
    if (!edit_outside(d, "the first edit"))
        return;
    assert_int_equal(at(d, "now", JOT_OK).mark.seq, 2);
    edit_outside(d, "the second edit");
    put(d, "two");
    assert_text(at(d, "2", JOT_OK).text, "the first edit");
    assert_text(at(d, "3", JOT_OK).text, "the second edit");
    edit_outside(d, "the third edit");
    assert_text(at(d, "~1", JOT_OK).text, "two");
    History h;
    desk_ok(d,
            history_page(&d->m, plan, &(HistoryAsk){ .before = 0, .limit = 10 }, &d->a, &h, &d->e));
    assert_int_equal(h.items[0].mark.seq, 5);
    assert_int_equal(store_report(d->m.store)->outside, 3);
}

static void where_an_edit_cannot_be_recorded_it_is_read_and_that_is_said(Desk *d)
{
    put(d, "one");
    put(d, "two");
    if (!edit_outside(d, "edited"))
        return;
    AUTO(Memory) m = { 0 };
    Doc doc;
    History h;
    desk_ok(d, memory_open(&m, str(d->url), &(MemoryOptions){ .read_only = true, .io = &d->io },
                           &d->e));
    desk_ok(d, doc_read(&m, plan, &d->a, &doc, &d->e));
    assert_text(doc.text, "edited");
    assert_int_equal(doc.mark.seq, 0);
    assert_int_equal(m.unrecorded.status, JOT_READ_ONLY);
    desk_ok(d, history_page(&m, plan, &(HistoryAsk){ .before = 0, .limit = 10 }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 3);
    assert_int_equal(h.items[0].mark.seq, 0);
    assert_text(at(d, "~1", JOT_OK).text, "two");
    desk_ok(d, doc_read(&m, plan, &d->a, &doc, &d->e));
    assert_int_equal(doc.mark.seq, 3);
    assert_int_equal(m.unrecorded.status, JOT_OK);
}

/* --- blame ------------------------------------------------------------------------------ */

static void blame(Desk *d, const uint64_t *seqs, size_t n)
{
    Blame b;
    desk_ok(d, history_blame(&d->m, plan, &d->a, &b, &d->e));
    assert_int_equal(b.lines.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(b.from[i]->mark.seq, seqs[i]);
    assert_false(b.cut);
}

static void each_line_is_traced_to_the_version_it_came_with(Desk *d)
{
    put(d, "a\nb\nc\n");
    put(d, "a\nB\nc\n");
    put(d, "0\na\nB\nc\nd\n");
    put(d, "0\na\nB\nd\n");
    blame(d, (const uint64_t[]){ 3, 1, 2, 3 }, 4);
}

static void what_was_brought_back_keeps_its_origin(Desk *d)
{
    put(d, "a\nb\n");
    put(d, "a\n");
    undo(d, "a\nb\n");
    blame(d, (const uint64_t[]){ 1, 1 }, 2);
    delete (d);
    undo(d, "a\nb\n");
    put(d, "a\nb\nc\n");
    blame(d, (const uint64_t[]){ 1, 1, 6 }, 3);
}

static void lines_behind_a_redacted_version_may_be_older(Desk *d)
{
    put(d, "a\n");
    put(d, "a\nsecret\n");
    put(d, "a\nb\n");
    desk_ok(d, store_redact(d->m.store, plan, NULL, 2, &d->e));
    Blame b;
    desk_ok(d, history_blame(&d->m, plan, &d->a, &b, &d->e));
    assert_int_equal(b.from[0]->mark.seq, 3);
    assert_true(b.cut);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(repeated_undo_walks_back_to_the_time_before_the_first_write),
        DESK_TEST(undoing_a_delete_brings_the_document_back),
        DESK_TEST(a_write_after_an_undo_is_a_new_change),
        DESK_TEST(undo_passes_over_writes_that_changed_nothing),
        DESK_TEST(undo_goes_through_a_delete_and_a_second_life),
        DESK_TEST(undo_of_what_never_was_is_not_found),
        DESK_TEST(undo_never_brings_back_what_was_purged_or_redacted),
        DESK_TEST(undo_on_condition_of_another_version_changes_nothing),
        DESK_TEST(undo_takes_back_an_edit_from_outside_and_keeps_it_as_a_version),
        DESK_TEST(undo_survives_a_restart),
        DESK_TEST(redo_takes_back_as_many_undos_as_there_were),
        DESK_TEST(what_an_undo_did_is_what_diff_shows_and_one_version_back_is_before_it),
        DESK_TEST(any_version_is_found_by_seq_hash_time_and_distance),
        DESK_TEST(seven_digits_are_a_version_while_they_name_one),
        DESK_TEST(a_version_that_is_not_there_is_not_found),
        DESK_TEST(every_moment_of_a_long_history_is_found),
        DESK_TEST(words_that_name_no_version_are_refused),
        DESK_TEST(restore_writes_an_older_version_and_says_which),
        DESK_TEST(pages_show_every_version_once_newest_first),
        DESK_TEST(a_page_of_a_trimmed_history_ends_where_it_was_trimmed),
        DESK_TEST(an_edit_that_a_list_shows_is_the_newest_version_and_not_recorded),
        DESK_TEST(whoever_names_the_version_of_an_edit_records_it),
        DESK_TEST(where_an_edit_cannot_be_recorded_it_is_read_and_that_is_said),
        DESK_TEST(each_line_is_traced_to_the_version_it_came_with),
        DESK_TEST(what_was_brought_back_keeps_its_origin),
        DESK_TEST(lines_behind_a_redacted_version_may_be_older),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
