/* test_doc.c - documents through jotter.h. */
#include "api/caller.h"

static void write_text(jot_pad *pad, const char *name, const char *text)
{
    ok(pad, jot_doc_write(pad, name, jot_str(text), NULL, NULL));
}

static void a_text_comes_back_byte_for_byte(Caller *c)
{
    const char bytes[] = "a\0b\xff\n";
    const jot_doc *d;
    jot_text text = { bytes, sizeof bytes - 1 };
    ok(c->pad, jot_doc_write(c->pad, "plan", text, NULL, &d));
    assert_string_equal(d->name, "plan");
    assert_string_equal(d->by, "ann");
    assert_int_equal(d->seq, 1);
    assert_int_equal(strlen(d->version), 12);
    assert_int_equal(strlen(d->sha256), 64);
    assert_memory_equal(d->version, d->sha256, 12);
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &d));
    assert_int_equal(d->text.size, text.size);
    assert_int_equal(d->bytes, text.size);
    assert_memory_equal(d->text.data, bytes, sizeof bytes); /* the NUL behind it too */
}

static void documents_of_other_kinds_have_the_same_functions(Caller *c)
{
    const jot_doc *d;
    const jot_docs *list;
    write_text(c->pad, "memories/a/b.md", "one\n");
    ok(c->pad, jot_doc_append(c->pad, "memories/a/b.md", jot_str("two\n"), NULL, NULL));
    ok(c->pad, jot_doc_read(c->pad, "memories/a/b.md", NULL, &d));
    assert_text(d->text, "one\ntwo\n");
    ok(c->pad, jot_doc_list(c->pad, "memories/", NULL, &list));
    assert_int_equal(list->count, 1);
    assert_string_equal(list->items[0]->name, "memories/a/b.md");
}

static void a_write_can_demand_a_version_or_that_there_is_none(Caller *c)
{
    const jot_doc *d;
    char version[13];
    jot_write_options o = { 0 };
    o.size = sizeof o;
    o.if_absent = true;
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("one"), &o, &d));
    memcpy(version, d->version, sizeof version);
    expect(c->pad, JOT_CONFLICT, jot_doc_write(c->pad, "plan", jot_str("two"), &o, &d));
    assert_text(d->text, "one");
    o.if_absent = false;
    o.if_version = version;
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("two"), &o, NULL));
    expect(c->pad, JOT_CONFLICT, jot_doc_write(c->pad, "plan", jot_str("three"), &o, &d));
    assert_text(d->text, "two");
    ok(c->pad, jot_doc_delete(c->pad, "plan", NULL, NULL));
    expect(c->pad, JOT_CONFLICT, jot_doc_write(c->pad, "plan", jot_str("four"), &o, &d));
    assert_true(d->deleted);
    assert_string_equal(d->version, "");
}

static void a_retry_with_the_same_id_changes_nothing(Caller *c)
{
    const jot_doc *d;
    jot_write_options o = { 0 };
    o.size = sizeof o;
    o.id = "call_1";
    o.meta = "{\"why\":\"test\"}";
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("one"), &o, NULL));
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("one"), &o, &d));
    assert_int_equal(d->seq, 1);
    assert_string_equal(d->meta, o.meta);
    expect(c->pad, JOT_ID_REUSED, jot_doc_write(c->pad, "plan", jot_str("two"), &o, &d));
    assert_null(d);
}

static void a_conflict_has_both_texts_and_their_merge(Caller *c)
{
    const jot_doc *d;
    const jot_merge *m;
    char base[13];
    jot_write_options o = { 0 };
    jot_text mine = jot_str("ONE\ntwo\nthree\nfour\n");
    o.size = sizeof o;
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("one\ntwo\nthree\nfour\n"), NULL, &d));
    memcpy(base, d->version, sizeof base);
    write_text(c->pad, "plan", "one\ntwo\nthree\nFOUR\n");
    ok(c->pad, jot_doc_merge(c->pad, "plan", base, mine, &m));
    assert_true(m->based && m->clean);
    assert_text(m->now->text, "one\ntwo\nthree\nFOUR\n");
    assert_text(m->text, "ONE\ntwo\nthree\nFOUR\n");
    ok(c->pad, jot_doc_merge(c->pad, "plan", base, jot_str("one\ntwo\nthree\nfoUr\n"), &m));
    assert_true(m->based && !m->clean);
    assert_says(m->text.data, "<<<<<<<");
    ok(c->pad, jot_doc_merge(c->pad, "plan", "0123456789ab", mine, &m));
    assert_false(m->based);
    assert_text(m->text, "");
    o.if_version = base;
    o.merge = true;
    ok(c->pad, jot_doc_write(c->pad, "plan", mine, &o, &d));
    assert_true(d->merged);
    assert_text(d->text, "ONE\ntwo\nthree\nFOUR\n");
    expect(c->pad, JOT_CONFLICT, jot_doc_write(c->pad, "plan", jot_str("x"), &o, &d));
    assert_text(d->text, "ONE\ntwo\nthree\nFOUR\n");
}

static void an_append_and_an_edit_change_a_part(Caller *c)
{
    const jot_doc *d;
    jot_append_options o = { 0 };
    o.size = sizeof o;
    o.line = true;
    ok(c->pad, jot_doc_append(c->pad, "log", jot_str("one"), NULL, NULL));
    ok(c->pad, jot_doc_append(c->pad, "log", jot_str("two"), &o, &d));
    assert_text(d->text, "one\ntwo");
    ok(c->pad, jot_doc_edit(c->pad, "log", jot_str("two"), jot_str("three"), NULL, &d));
    assert_text(d->text, "one\nthree");
    assert_int_equal(d->line, 2);
    expect(c->pad, JOT_INVALID,
           jot_doc_edit(c->pad, "log", jot_str("e"), jot_str("x"), NULL, NULL));
    expect(c->pad, JOT_CONFLICT,
           jot_doc_edit(c->pad, "log", jot_str("one"), jot_str("x"), "0123456789ab", &d));
    assert_text(d->text, "one\nthree");
}

static void a_secret_is_stored_and_warned_of(Caller *c)
{
    const jot_doc *d;
    ok(c->pad, jot_doc_write(c->pad, "keys", jot_str("key AKIAIOSFODNN7EXAMPLE\n"), NULL, &d));
    assert_says(d->warning, "line 1");
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("nothing\n"), NULL, &d));
    assert_string_equal(d->warning, "");
}

static void a_bounded_read_says_what_it_left_out(Caller *c)
{
    const jot_doc *d;
    jot_read_options o = { 0 };
    o.size = sizeof o;
    write_text(c->pad, "plan", "one\ntwo\nthree\n");
    o.line_from = 2;
    o.lines = 1;
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_text(d->text, "two\n");
    assert_int_equal(d->bytes, 14);
    assert_int_equal(d->next_line, 3);
    assert_says(d->left_out, "of 3");
    o.line_from = 0;
    o.lines = 0;
    o.tokens = 2;
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_int_equal(d->next_line, 2);
    o.tokens = 1000;
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_int_equal(d->next_line, 0);
    assert_string_equal(d->left_out, "");
}

static void every_version_can_be_read(Caller *c)
{
    const jot_docs *h;
    const jot_doc *d;
    char first[65];
    jot_read_options o = { 0 };
    o.size = sizeof o;
    write_text(c->pad, "plan", "one\n");
    write_text(c->pad, "plan", "two\n");
    ok(c->pad, jot_doc_history(c->pad, "plan", 0, 0, &h));
    assert_int_equal(h->count, 2);
    assert_int_equal(h->items[0]->seq, 2);
    assert_text(h->items[0]->text, "");
    memcpy(first, h->items[1]->sha256, sizeof first);
    o.version = first;
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_text(d->text, "one\n");
    o.version = "~1";
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_text(d->text, "one\n");
    o.version = "9";
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "plan", &o, &d));
    ok(c->pad, jot_doc_history(c->pad, "plan", 2, 1, &h));
    assert_int_equal(h->count, 1);
    assert_int_equal(h->items[0]->seq, 1);
    assert_false(h->more);
}

static void versions_come_with_their_texts_oldest_first(Caller *c)
{
    const jot_docs *v;
    const jot_doc *d;
    uint64_t count;
    const char *name = "threads/mine/1";
    write_text(c->pad, name, "one\n");
    write_text(c->pad, name, "two\n");
    write_text(c->pad, name, "three\n");
    ok(c->pad, jot_doc_versions(c->pad, name, 0, 2, &v));
    assert_int_equal(v->count, 2);
    assert_true(v->more);
    assert_text(v->items[0]->text, "one\n");
    assert_text(v->items[1]->text, "two\n");
    ok(c->pad, jot_doc_redact(c->pad, name, "2", &count));
    ok(c->pad, jot_doc_versions(c->pad, name, 2, 0, &v));
    assert_int_equal(v->count, 2);
    assert_false(v->more);
    assert_true(v->items[0]->redacted);
    assert_text(v->items[0]->text, "");
    assert_text(v->items[1]->text, "three\n");
    ok(c->pad, jot_doc_versions(c->pad, name, 4, 0, &v));
    assert_int_equal(v->count, 0);
    ok(c->pad, jot_doc_purge(c->pad, name));
    ok(c->pad, jot_doc_versions(c->pad, name, 0, 0, &v));
    assert_int_equal(v->count, 1); /* that it was purged */
    assert_true(v->items[0]->deleted);
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, name, NULL, &d));
    expect(c->pad, JOT_NOT_FOUND, jot_doc_versions(c->pad, "never", 0, 0, &v));
}

static void a_diff_and_a_blame_say_who_changed_what(Caller *c)
{
    const jot_diff *d;
    const char *json;
    write_text(c->pad, "plan", "one\ntwo\n");
    write_text(c->pad, "plan", "one\nTWO\n");
    ok(c->pad, jot_doc_diff(c->pad, "plan", NULL, NULL, &d));
    assert_int_equal(d->added, 1);
    assert_int_equal(d->removed, 1);
    assert_says(d->text.data, "-two\n+TWO\n");
    ok(c->pad, jot_doc_diff(c->pad, "plan", "2", "now", &d));
    assert_text(d->text, "");
    write_text(c->pad, "new", "x\n");
    ok(c->pad, jot_doc_diff(c->pad, "new", NULL, NULL, &d));
    assert_string_equal(jot_error(c->pad), "");
    assert_int_equal(d->added, 1);
    ok(c->pad, jot_doc_blame_json(c->pad, "plan", &json));
    assert_says(json, "\"by\":\"ann\"");
    expect(c->pad, JOT_NOT_FOUND, jot_doc_diff(c->pad, "none", NULL, NULL, &d));
}

static void undo_walks_back_and_restore_jumps(Caller *c)
{
    const jot_doc *d;
    write_text(c->pad, "plan", "one");
    write_text(c->pad, "plan", "two");
    write_text(c->pad, "plan", "three");
    ok(c->pad, jot_doc_undo(c->pad, "plan", NULL, &d));
    assert_text(d->text, "two");
    ok(c->pad, jot_doc_undo(c->pad, "plan", NULL, &d));
    assert_text(d->text, "one");
    ok(c->pad, jot_doc_redo(c->pad, "plan", NULL, &d));
    assert_text(d->text, "two");
    ok(c->pad, jot_doc_restore(c->pad, "plan", "3", NULL, &d));
    assert_text(d->text, "three");
    expect(c->pad, JOT_CONFLICT, jot_doc_undo(c->pad, "plan", "0123456789ab", &d));
    assert_text(d->text, "three");
    expect(c->pad, JOT_CONFLICT, jot_doc_restore(c->pad, "plan", "1", "0123456789ab", NULL));
    ok(c->pad, jot_doc_delete(c->pad, "plan", NULL, &d));
    assert_true(d->deleted);
    ok(c->pad, jot_doc_undo(c->pad, "plan", NULL, &d));
    assert_text(d->text, "three");
}

/* On files: save the note `plan` as a person would. */
static void save(const Caller *c, const char *text)
{
    FILE *out = fopen(caller_path(c, "pad/notes/plan.txt"), "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void what_is_shown_of_an_edit_stays_a_version(Caller *c)
{
    const jot_doc *doc;
    const jot_docs *list;
    const jot_diff *diff;
    const char *json;
    if (strcmp(c->engine, "files") != 0)
        return;
    write_text(c->pad, "plan", "written");
    save(c, "edit 2");
    ok(c->pad, jot_doc_list(c->pad, "plan", NULL, &list));
    assert_int_equal(list->items[0]->seq, 0);
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &doc));
    assert_int_equal(doc->seq, 2);
    save(c, "edit 3");
    ok(c->pad, jot_doc_history(c->pad, "plan", 0, 10, &list));
    assert_int_equal(list->items[0]->seq, 3);
    save(c, "edit 4");
    ok(c->pad, jot_doc_diff(c->pad, "plan", NULL, NULL, &diff));
    assert_says(diff->text.data, "+edit 4");
    save(c, "edit 5");
    ok(c->pad, jot_doc_blame_json(c->pad, "plan", &json));
    save(c, "edit 6");
    write_text(c->pad, "plan", "written");
    for (int seq = 2; seq <= 6; seq++) {
        char version[4], want[8];
        snprintf(version, sizeof version, "%d", seq);
        snprintf(want, sizeof want, "edit %d", seq);
        jot_read_options o = { .size = sizeof o, .version = version };
        ok(c->pad, jot_doc_read(c->pad, "plan", &o, &doc));
        assert_text(doc->text, want);
    }
}

static void lists_come_page_by_page(Caller *c)
{
    const jot_docs *list;
    jot_list_options o = { 0 };
    o.size = sizeof o;
    o.limit = 2;
    write_text(c->pad, "a", "1");
    write_text(c->pad, "b", "2");
    write_text(c->pad, "c", "3");
    ok(c->pad, jot_doc_delete(c->pad, "c", NULL, NULL));
    write_text(c->pad, "d", "4");
    ok(c->pad, jot_doc_list(c->pad, NULL, &o, &list));
    assert_int_equal(list->count, 2);
    assert_true(list->more);
    o.after = list->items[1]->name; /* a result may be the next call's argument */
    ok(c->pad, jot_doc_list(c->pad, NULL, &o, &list));
    assert_int_equal(list->count, 1);
    assert_string_equal(list->items[0]->name, "d");
    assert_false(list->more);
    o.after = NULL;
    o.deleted = true;
    ok(c->pad, jot_doc_list(c->pad, NULL, &o, &list));
    assert_int_equal(list->count, 1);
    assert_string_equal(list->items[0]->name, "c");
}

static void a_moved_note_is_under_its_new_key(Caller *c)
{
    const jot_doc *d;
    write_text(c->pad, "old", "text");
    write_text(c->pad, "taken", "other");
    expect(c->pad, JOT_CONFLICT, jot_doc_move(c->pad, "old", "taken", NULL));
    ok(c->pad, jot_doc_move(c->pad, "old", "new", &d));
    assert_string_equal(d->name, "new");
    assert_text(d->text, "text");
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "old", NULL, &d));
    assert_null(d);
}

static void what_was_forgotten_is_gone(Caller *c)
{
    const jot_doc *d;
    const jot_docs *h;
    uint64_t n;
    jot_read_options o = { 0 };
    o.size = sizeof o;
    write_text(c->pad, "plan", "the password is swordfish\n");
    write_text(c->pad, "plan", "still swordfish\n");
    write_text(c->pad, "plan", "swordfish again\n");
    ok(c->pad, jot_doc_redact(c->pad, "plan", "1", &n));
    assert_int_equal(n, 1);
    ok(c->pad, jot_doc_redact_text(c->pad, "plan", jot_str("swordfish"), &n));
    assert_true(n >= 2);
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &d));
    assert_text(d->text, "[redacted] again\n");
    o.version = "2";
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "plan", &o, NULL));
    ok(c->pad, jot_doc_history(c->pad, "plan", 0, 0, &h));
    assert_true(h->items[h->count - 1]->redacted);
    ok(c->pad, jot_doc_purge(c->pad, "plan"));
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "plan", NULL, &d));
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(a_text_comes_back_byte_for_byte),
        CALLER_TEST(documents_of_other_kinds_have_the_same_functions),
        CALLER_TEST(a_write_can_demand_a_version_or_that_there_is_none),
        CALLER_TEST(a_retry_with_the_same_id_changes_nothing),
        CALLER_TEST(a_conflict_has_both_texts_and_their_merge),
        CALLER_TEST(an_append_and_an_edit_change_a_part),
        CALLER_TEST(a_secret_is_stored_and_warned_of),
        CALLER_TEST(a_bounded_read_says_what_it_left_out),
        CALLER_TEST(every_version_can_be_read),
        CALLER_TEST(versions_come_with_their_texts_oldest_first),
        CALLER_TEST(a_diff_and_a_blame_say_who_changed_what),
        CALLER_TEST(undo_walks_back_and_restore_jumps),
        CALLER_TEST(what_is_shown_of_an_edit_stays_a_version),
        CALLER_TEST(lists_come_page_by_page),
        CALLER_TEST(a_moved_note_is_under_its_new_key),
        CALLER_TEST(what_was_forgotten_is_gone),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
