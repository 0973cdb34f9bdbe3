/* test_doc.c - documents: versions, writing under a condition, edit, append, move. */
#include "memory/doc/doc.h"

#include "memory/desk.h"

static Str plan = { "notes/plan", 10 };

static Doc put(Desk *d, const char *text, DocIf when, jot_status want)
{
    Doc out;
    DocWrite w = { .text = str(text), .when = when };
    desk_expect(d, want, doc_write(&d->m, plan, &w, &d->a, &out, &d->e));
    return out;
}

static void what_was_written_is_read_with_its_version_and_author(Desk *d)
{
    Doc written = put(d, "one", (DocIf){ 0 }, JOT_OK), read;
    desk_ok(d, doc_read(&d->m, plan, &d->a, &read, &d->e));
    assert_text(read.text, "one");
    assert_text(read.by, "ann");
    assert_true(hash_eq(read.mark.sha256, written.mark.sha256));
    assert_int_equal(read.mark.seq, written.mark.seq);
}

static void a_document_that_never_was_is_not_found(Desk *d)
{
    Doc read;
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, plan, &d->a, &read, &d->e));
    assert_says(d, "scratchpad[plan] not found");
}

static void a_deleted_document_is_not_found(Desk *d)
{
    Doc out;
    put(d, "one", (DocIf){ 0 }, JOT_OK);
    desk_ok(d, doc_delete(&d->m, plan, NULL, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, plan, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND, doc_delete(&d->m, plan, NULL, &d->a, &out, &d->e));
}

static void a_write_that_names_the_version_read_succeeds(Desk *d)
{
    Doc one = put(d, "one", (DocIf){ 0 }, JOT_OK);
    Doc two = put(d, "two", (DocIf){ .version = str(version_of(one.mark.sha256).text) }, JOT_OK);
    assert_int_equal(two.mark.seq, 2);
}

static void a_write_that_names_an_older_version_gets_the_present_document(Desk *d)
{
    Doc one = put(d, "one", (DocIf){ 0 }, JOT_OK);
    put(d, "two", (DocIf){ 0 }, JOT_OK);
    Version old = version_of(one.mark.sha256);
    Doc now = put(d, "three", (DocIf){ .version = str(old.text) }, JOT_CONFLICT);
    assert_text(now.text, "two");
    assert_int_equal(now.mark.seq, 2);
    desk_expect(d, JOT_CONFLICT,
                doc_delete(&d->m, plan, &(DocIf){ .version = str(old.text) }, &d->a, &now, &d->e));
    assert_text(now.text, "two");
}

static void a_write_that_demands_absence_meets_what_is_there(Desk *d)
{
    put(d, "one", (DocIf){ .absent = true }, JOT_OK);
    Doc now = put(d, "two", (DocIf){ .absent = true }, JOT_CONFLICT);
    assert_text(now.text, "one");
    assert_says(d, "exists");
}

static void a_version_of_what_is_gone_does_not_hold(Desk *d)
{
    Doc one = put(d, "one", (DocIf){ 0 }, JOT_OK), out;
    Version v = version_of(one.mark.sha256);
    desk_ok(d, doc_delete(&d->m, plan, NULL, &d->a, &out, &d->e));
    out = put(d, "two", (DocIf){ .version = str(v.text) }, JOT_CONFLICT);
    assert_false(mark_live(&out.mark));
}

static void a_version_that_is_none_is_refused(Desk *d)
{
    put(d, "one", (DocIf){ 0 }, JOT_OK);
    static const char *const bad[] = { "abc", "0123456789AB", "0123456789a\xc3\xa9",
                                       "latest-one-xx" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        put(d, "two", (DocIf){ .version = str(bad[i]) }, JOT_INVALID);
        assert_says(d, "hex digits");
    }
}

/* --- Edit and append -------------------------------------------------------------------- */

static Doc edit(Desk *d, const char *old_text, const char *new_text, jot_status want)
{
    Doc out;
    DocEdit w = { .old_text = str(old_text), .new_text = str(new_text) };
    desk_expect(d, want, doc_edit(&d->m, plan, &w, &d->a, &out, &d->e));
    return out;
}

static void assert_now(Desk *d, Str text)
{
    Doc now;
    desk_ok(d, doc_read(&d->m, plan, &d->a, &now, &d->e));
    assert_str(now.text, text);
}

static void an_edit_replaces_the_one_place_and_says_its_line(Desk *d)
{
    put(d, "one\ntwo\nthree\n", (DocIf){ 0 }, JOT_OK);
    Doc out;
    DocEdit w = { .old_text = S("two"), .new_text = S("2") };
    desk_ok(d, doc_edit(&d->m, plan, &w, &d->a, &out, &d->e));
    assert_int_equal(w.line, 2);
    assert_text(out.text, "one\n2\nthree\n");
    assert_now(d, S("one\n2\nthree\n"));
}

static void an_edit_of_a_text_that_is_missing_or_ambiguous_says_so_and_changes_nothing(Desk *d)
{
    put(d, "a\nb\na\nc a\n", (DocIf){ 0 }, JOT_OK);
    edit(d, "x", "y", JOT_INVALID);
    assert_says(d, "the text to replace is not in scratchpad[plan]");
    edit(d, "a", "y", JOT_INVALID);
    assert_says(d, "is in scratchpad[plan] 3 times, at lines 1, 3, 4");
    edit(d, "", "y", JOT_INVALID);
    assert_says(d, "cannot be empty");
    edit(d, "b", "b", JOT_INVALID);
    assert_says(d, "the same");
    Doc now;
    desk_ok(d, doc_read(&d->m, plan, &d->a, &now, &d->e));
    assert_int_equal(now.mark.seq, 1);
}

static void places_that_overlap_are_two_places(Desk *d)
{
    put(d, "aaa", (DocIf){ 0 }, JOT_OK);
    edit(d, "aa", "b", JOT_INVALID);
    assert_says(d, "2 times");
}

static void an_edit_of_what_is_not_there_is_not_found(Desk *d)
{
    edit(d, "a", "b", JOT_NOT_FOUND);
    assert_says(d, "scratchpad[plan] not found");
}

static Doc append(Desk *d, Memory *m, Str text, bool line, jot_status want)
{
    Doc out;
    DocAppend a = { .text = text, .line = line };
    desk_expect(d, want, doc_append(m, plan, &a, &d->a, &out, &d->e));
    return out;
}

static void an_append_makes_the_document_and_then_adds_to_it_exactly(Desk *d)
{
    append(d, &d->m, S("one"), false, JOT_OK);
    append(d, &d->m, S("\0two"), false, JOT_OK);
    assert_now(d, S("one\0two"));
    append(d, &d->m, S("three\n"), true, JOT_OK);
    append(d, &d->m, S("four\n"), true, JOT_OK);
    assert_now(d, S("one\0two\nthree\nfour\n"));
}

static void an_append_on_condition_of_an_older_version_changes_nothing(Desk *d)
{
    Version old = version_of(put(d, "one", (DocIf){ 0 }, JOT_OK).mark.sha256);
    put(d, "two", (DocIf){ 0 }, JOT_OK);
    Doc out;
    DocAppend a = { .text = S("x"), .when = { .version = str(old.text) } };
    desk_expect(d, JOT_CONFLICT, doc_append(&d->m, plan, &a, &d->a, &out, &d->e));
    assert_text(out.text, "two");
    assert_now(d, S("two"));
}

static void an_append_beyond_the_limit_is_refused(Desk *d)
{
    char *big = arena_alloc(&d->a, STORE_BODY_MAX, 1);
    memset(big, 'x', STORE_BODY_MAX);
    Doc out;
    DocWrite w = { .text = { big, STORE_BODY_MAX } };
    desk_ok(d, doc_write(&d->m, plan, &w, &d->a, &out, &d->e));
    append(d, &d->m, S("y"), false, JOT_TOO_BIG);
    assert_says(d, "the limit is");
}

static void a_document_as_long_as_the_limit_can_be_appended_up_to(Desk *d)
{
    char *big = arena_alloc(&d->a, STORE_BODY_MAX, 1);
    memset(big, 'x', STORE_BODY_MAX);
    Doc out;
    DocWrite w = { .text = { big, STORE_BODY_MAX - 1 } };
    desk_ok(d, doc_write(&d->m, plan, &w, &d->a, &out, &d->e));
    out = append(d, &d->m, S("y"), false, JOT_OK);
    assert_int_equal(out.text.n, STORE_BODY_MAX);
}

/* --- Move ------------------------------------------------------------------------------- */

static Str other = { "notes/other", 11 };

static void a_move_takes_the_text_along_and_says_where_it_came_from(Desk *d)
{
    put(d, "one", (DocIf){ 0 }, JOT_OK);
    Doc out;
    desk_ok(d, doc_move(&d->m, plan, other, &d->a, &out, &d->e));
    desk_ok(d, doc_read(&d->m, other, &d->a, &out, &d->e));
    assert_text(out.text, "one");
    assert_text(meta_text(out.meta, "from", &d->a), "notes/plan");
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, plan, &d->a, &out, &d->e));
}

static void a_move_refuses_a_name_that_is_taken_and_changes_nothing(Desk *d)
{
    put(d, "one", (DocIf){ 0 }, JOT_OK);
    Doc out;
    DocWrite w = { .text = S("there") };
    desk_ok(d, doc_write(&d->m, other, &w, &d->a, &out, &d->e));
    desk_expect(d, JOT_CONFLICT, doc_move(&d->m, plan, other, &d->a, &out, &d->e));
    assert_text(out.text, "there");
    assert_now(d, S("one"));
    desk_expect(d, JOT_INVALID, doc_move(&d->m, plan, plan, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND,
                doc_move(&d->m, S("notes/no"), S("notes/yes"), &d->a, &out, &d->e));
}

static void a_move_that_was_cut_short_is_finished_by_the_same_call(Desk *d)
{
    put(d, "one", (DocIf){ 0 }, JOT_OK);
    Doc out;
    DocWrite w = { .text = S("one"), .meta = S("{\"from\":\"notes/plan\"}") };
    desk_ok(d, doc_write(&d->m, other, &w, &d->a, &out, &d->e));
    desk_ok(d, doc_move(&d->m, plan, other, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, plan, &d->a, &out, &d->e));
    desk_ok(d, doc_read(&d->m, other, &d->a, &out, &d->e));
    assert_int_equal(out.mark.seq, 1);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(what_was_written_is_read_with_its_version_and_author),
        DESK_TEST(a_document_that_never_was_is_not_found),
        DESK_TEST(a_deleted_document_is_not_found),
        DESK_TEST(a_write_that_names_the_version_read_succeeds),
        DESK_TEST(a_write_that_names_an_older_version_gets_the_present_document),
        DESK_TEST(a_write_that_demands_absence_meets_what_is_there),
        DESK_TEST(a_version_of_what_is_gone_does_not_hold),
        DESK_TEST(a_version_that_is_none_is_refused),
        DESK_TEST(an_edit_replaces_the_one_place_and_says_its_line),
        DESK_TEST(an_edit_of_a_text_that_is_missing_or_ambiguous_says_so_and_changes_nothing),
        DESK_TEST(places_that_overlap_are_two_places),
        DESK_TEST(an_edit_of_what_is_not_there_is_not_found),
        DESK_TEST(an_append_makes_the_document_and_then_adds_to_it_exactly),
        DESK_TEST(an_append_on_condition_of_an_older_version_changes_nothing),
        DESK_TEST(an_append_beyond_the_limit_is_refused),
        DESK_TEST(a_document_as_long_as_the_limit_can_be_appended_up_to),
        DESK_TEST(a_move_takes_the_text_along_and_says_where_it_came_from),
        DESK_TEST(a_move_refuses_a_name_that_is_taken_and_changes_nothing),
        DESK_TEST(a_move_that_was_cut_short_is_finished_by_the_same_call),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
