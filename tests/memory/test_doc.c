/* test_doc.c - documents: versions, and writing under a condition. */
#include "memory/doc.h"

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
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
