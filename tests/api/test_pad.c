/* test_pad.c - whole pads through jotter.h: opening, borrowing, searching, copying, verifying. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/caller.h"

static void write_text(jot_pad *pad, const char *name, const char *text)
{
    ok(pad, jot_doc_write(pad, name, jot_str(text), NULL, NULL));
}

static void what_needs_no_pad_works_without_one(Caller *c)
{
    (void)c;
    assert_string_equal(jot_version(), JOT_VERSION);
    assert_string_equal(jot_status_name(JOT_ID_REUSED), "id_reused");
    assert_non_null(jot_status_name((jot_status)999));
    assert_text(jot_str(NULL), "");
    assert_text(jot_str("abc"), "abc");
    assert_int_equal(jot_tokens(jot_str("")), 0);
    assert_true(jot_tokens(jot_str("two words")) >= 2);
    assert_true(strlen(jot_prompt(true)) < 2048);
    assert_true(strlen(jot_prompt(false)) > strlen(jot_prompt(true)));
}

static void a_pad_says_where_it_is_and_what_it_promises(Caller *c)
{
    const jot_info *info;
    ok(c->pad, jot_where(c->pad, &info));
    assert_string_equal(info->url, c->url);
    assert_string_equal(info->engine, c->engine);
    assert_string_equal(info->read_only, "");
    assert_true(info->durable && info->shared);
    assert_int_equal(info->edits_seen, strcmp(c->engine, "files") == 0);
}

static void a_pad_is_made_unless_it_must_exist(Caller *c)
{
    jot_pad *pad = jot_new();
    jot_open_options o = { 0 };
    char url[300];
    o.size = sizeof o;
    o.existing = true;
    snprintf(url, sizeof url, "%s:%s", c->engine, caller_path(c, "other"));
    expect(pad, JOT_NOT_FOUND, jot_open(pad, url, &o));
    assert_true(jot_error(pad)[0] != 0);
    o.existing = false;
    ok(pad, jot_open(pad, url, &o));
    assert_string_equal(jot_error(pad), "");
    jot_free(pad);
}

static void a_pad_of_another_user_is_opened_only_by_its_name(Caller *c)
{
    jot_pad *pad = jot_new();
    char before[4096], found[300], url[320];
    snprintf(found, sizeof found, "%s", caller_path(c, ".jotter"));
    snprintf(url, sizeof url, "files:%s", found);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(c->dir), 0);
    ok(pad, jot_open(pad, url, NULL));
    unsetenv("JOTTER_PAD");
    ok(pad, jot_open(pad, NULL, NULL)); /* the one that is found, which is ours */
    if (geteuid() == 0) {               /* only root can give it away */
        assert_int_equal(chown(found, 65534, 65534), 0);
        expect(pad, JOT_DENIED, jot_open(pad, NULL, NULL));
        assert_says(jot_error(pad), "belongs to another user (uid 65534)");
        ok(pad, jot_open(pad, url, NULL));
    }
    assert_int_equal(chdir(before), 0);
    jot_free(pad);
}

static void a_path_is_opened_as_it_is(Caller *c)
{
    static const struct {
        const char *name, *encoded;
    } rows[] = { { "a%20b", "a%2520b" }, { "50%", "50%25" }, { "x?y#z", "x%3Fy%23z" } };
    const jot_info *info;
    const jot_report *r;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jot_pad *pad = jot_new();
        char path[300], copy[320], view[320];
        snprintf(path, sizeof path, "%s", caller_path(c, rows[i].name));
        ok(pad, jot_open(pad, path, NULL));
        ok(pad, jot_where(pad, &info));
        assert_says(info->url, "files:/");
        assert_says(info->url, rows[i].encoded);
        write_text(pad, "plan", "text");
        snprintf(view, sizeof view, "%s/notes/plan.txt", path);
        assert_int_equal(access(view, F_OK), 0);
        snprintf(copy, sizeof copy, "%s.copy", path);
        ok(pad, jot_copy(pad, copy, &r));
        ok(pad, jot_open(pad, copy, NULL));
        expect(pad, JOT_INVALID, jot_open(pad, "neither", NULL));
        assert_says(jot_error(pad), "put ./ in front");
        expect(pad, JOT_INVALID, jot_copy(pad, "neither", &r));
        jot_free(pad);
    }
}

static void a_failed_open_leaves_the_open_pad_alone(Caller *c)
{
    const jot_doc *d;
    jot_open_options o = { 0 };
    o.size = sizeof o;
    o.language = "no such language";
    write_text(c->pad, "plan", "here");
    expect(c->pad, JOT_UNSUPPORTED, jot_open(c->pad, "nosuch:engine", NULL));
    expect(c->pad, JOT_INVALID, jot_open(c->pad, c->url, &o));
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &d));
    ok(c->pad, jot_open(c->pad, "mem:", NULL));
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "plan", NULL, &d));
}

static void a_read_only_pad_is_not_written(Caller *c)
{
    const jot_info *info;
    const jot_doc *d;
    jot_pad *pad = jot_new();
    jot_open_options o = { 0 };
    o.size = sizeof o;
    o.read_only = true;
    write_text(c->pad, "plan", "text");
    ok(pad, jot_open(pad, c->url, &o));
    expect(pad, JOT_READ_ONLY, jot_doc_write(pad, "plan", jot_str("no"), NULL, &d));
    assert_null(d);
    ok(pad, jot_where(pad, &info));
    assert_true(info->read_only[0] != 0);
    ok(pad, jot_doc_read(pad, "plan", NULL, &d));
    assert_text(d->text, "text");
    jot_free(pad);
}

static void options_of_another_version_are_understood(Caller *c)
{
    struct {
        jot_read_options known;
        size_t unknown;
    } newer;
    const jot_doc *d;
    jot_read_options o = { 0 };
    memset(&newer, 0, sizeof newer);
    newer.known.size = sizeof newer;
    write_text(c->pad, "plan", "one\ntwo\n");
    newer.known.lines = 1;
    ok(c->pad, jot_doc_read(c->pad, "plan", &newer.known, &d));
    assert_text(d->text, "one\n");
    newer.unknown = 1;
    expect(c->pad, JOT_UNSUPPORTED, jot_doc_read(c->pad, "plan", &newer.known, &d));
    /* An older program knew only the first members. */
    o.size = offsetof(jot_read_options, lines);
    o.line_from = 2;
    o.lines = 77;
    ok(c->pad, jot_doc_read(c->pad, "plan", &o, &d));
    assert_text(d->text, "two\n");
}

/* --- Borrowing --------------------------------------------------------------------------- */

static void a_result_may_be_an_argument_of_the_next_call(Caller *c)
{
    const jot_doc *d;
    const jot_docs *list;
    jot_write_options o = { 0 };
    write_text(c->pad, "plan", "text\n");
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &d));
    ok(c->pad, jot_doc_write(c->pad, "copy", d->text, NULL, &d));
    assert_text(d->text, "text\n");
    o.size = sizeof o;
    o.if_version = d->version;
    ok(c->pad, jot_doc_write(c->pad, d->name, jot_str("new\n"), &o, &d));
    ok(c->pad, jot_doc_list(c->pad, NULL, NULL, &list));
    ok(c->pad, jot_doc_read(c->pad, list->items[0]->name, NULL, &d));
    assert_text(d->text, "new\n");
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "missing", NULL, NULL));
    ok(c->pad, jot_doc_write(c->pad, "error", jot_str(jot_error(c->pad)), NULL, &d));
    assert_says(d->text.data, "missing");
}

static void an_error_lasts_until_the_next_call(Caller *c)
{
    assert_string_equal(jot_error(c->pad), "");
    expect(c->pad, JOT_NOT_FOUND, jot_doc_read(c->pad, "missing", NULL, NULL));
    assert_says(jot_error(c->pad), "missing");
    assert_says(jot_error(c->pad), "missing");
    write_text(c->pad, "plan", "x");
    assert_string_equal(jot_error(c->pad), "");
}

static void results_of_two_pads_do_not_disturb_each_other(Caller *c)
{
    const jot_doc *mine, *his;
    jot_pad *bob = caller_open(c, "bob");
    int i;
    write_text(c->pad, "plan", "text");
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &mine));
    for (i = 0; i < 10; i++)
        ok(bob, jot_doc_append(bob, "plan", jot_str("!"), NULL, &his));
    assert_text(mine->text, "text");
    assert_text(his->text, "text!!!!!!!!!!");
    assert_string_equal(his->by, "bob");
    jot_free(bob);
    assert_text(mine->text, "text");
}

/* --- The rest ---------------------------------------------------------------------------- */

static void what_somebody_else_wrote_is_found(Caller *c)
{
    const jot_hits *hits;
    const char *json;
    jot_pad *bob = caller_open(c, "bob");
    jot_search_options o = { 0 };
    o.size = sizeof o;
    o.kind = "notes";
    write_text(c->pad, "plan", "restore the backups\n");
    ok(c->pad, jot_search(c->pad, "backup", NULL, &hits));
    assert_int_equal(hits->count, 1);
    write_text(bob, "findings", "the backup is broken\n");
    ok(c->pad, jot_search(c->pad, "backup", &o, &hits));
    assert_int_equal(hits->count, 2);
    o.by = "bob";
    ok(c->pad, jot_search(c->pad, "backup", &o, &hits));
    assert_int_equal(hits->count, 1);
    assert_string_equal(hits->items[0]->name, "findings");
    assert_says(hits->items[0]->snippet, "**backup**");
    assert_int_equal(strlen(hits->items[0]->version), 12);
    ok(c->pad, jot_search_rebuild(c->pad));
    ok(c->pad, jot_search_json(c->pad, "backup", NULL, &json));
    assert_says(json, "\"explain\"");
    jot_free(bob);
}

static void evidence_is_lines_with_where_they_are_from(Caller *c)
{
    const jot_evidence *v;
    write_text(c->pad, "plan", "first\nrestore the backups\n");
    write_text(c->pad, "copy", "first\nrestore the backups\n");
    ok(c->pad, jot_search_evidence(c->pad, "backup", 500, NULL, &v));
    assert_int_equal(v->count, 1);
    assert_int_equal(v->same, 1);
    assert_int_equal(v->left, 0);
    assert_text(v->items[0]->text, "first\nrestore the backups");
    assert_int_equal(v->items[0]->from_line, 1);
    assert_int_equal(v->items[0]->to_line, 2);
    assert_int_equal(v->items[0]->lines, 2);
    assert_true(v->items[0]->found);
    assert_false(v->items[0]->joins);
    assert_int_equal(strlen(v->items[0]->version), 12);
    assert_says(v->text.data, "| restore the backups\n(1 more says the same)\n");
    assert_true(v->tokens > 10 && v->tokens <= v->budget);
}

static void changes_are_told_from_a_cursor_on(Caller *c)
{
    const jot_changed *changed;
    char cursor[200];
    bool told;
    ok(c->pad, jot_changes(c->pad, NULL, 0, &changed));
    snprintf(cursor, sizeof cursor, "%s", changed->next);
    write_text(c->pad, "plan", "x");
    ok(c->pad, jot_changes(c->pad, cursor, 1000, &changed));
    told = changed->rescan || (changed->count == 1 && strcmp(changed->names[0], "notes/plan") == 0);
    assert_true(told);
}

static void a_copy_and_an_archive_hold_everything(Caller *c)
{
    const jot_report *r;
    const jot_docs *h;
    char url[300], file[300];
    jot_pad *other = jot_new();
    write_text(c->pad, "plan", "one");
    write_text(c->pad, "plan", "two");
    snprintf(url, sizeof url, "sqlite:%s", caller_path(c, "copy.db"));
    ok(c->pad, jot_copy(c->pad, url, &r));
    assert_string_equal(r->layout, "pad");
    assert_int_equal(r->added, 2);
    ok(c->pad, jot_copy(c->pad, url, &r));
    assert_int_equal(r->added, 0);
    snprintf(file, sizeof file, "%s", caller_path(c, "all.jotter"));
    ok(c->pad, jot_export(c->pad, file, NULL, &r));
    assert_int_equal(r->records, 2);
    expect(c->pad, JOT_CONFLICT, jot_export(c->pad, file, NULL, &r));
    ok(other, jot_open(other, "mem:", NULL));
    ok(other, jot_import(other, file, NULL, false, &r));
    assert_string_equal(r->layout, "archive");
    ok(other, jot_doc_history(other, "plan", 0, 0, &h));
    assert_int_equal(h->count, 2);
    jot_free(other);
}

static void a_copy_reports_each_stream_that_differs(Caller *c)
{
    const jot_report *r = NULL;
    const jot_doc *d;
    char url[300];
    jot_pad *other = jot_new();
    write_text(c->pad, "a", "theirs");
    write_text(c->pad, "b", "theirs");
    write_text(c->pad, "c", "theirs");
    snprintf(url, sizeof url, "sqlite:%s", caller_path(c, "differs.db"));
    ok(other, jot_open(other, url, NULL));
    write_text(other, "b", "mine");
    expect(c->pad, JOT_CONFLICT, jot_copy(c->pad, url, &r));
    assert_non_null(r);
    assert_int_equal(r->added, 2);
    assert_int_equal(r->missed, 1);
    assert_int_equal(r->skipped_count, 1);
    assert_string_equal(r->skipped[0]->name, "notes/b");
    ok(other, jot_doc_read(other, "c", NULL, &d));
    assert_text(d->text, "theirs");
    jot_free(other);
}

static void files_of_other_programs_come_in_and_go_out(Caller *c)
{
    const jot_report *r;
    const jot_doc *d;
    char dir[300];
    jot_pad *other = jot_new();
    write_text(c->pad, "plan", "text");
    snprintf(dir, sizeof dir, "%s", caller_path(c, "out"));
    ok(c->pad, jot_export(c->pad, dir, "notes", &r));
    assert_int_equal(r->files, 1);
    assert_int_equal(r->skipped_total, r->skipped_count);
    ok(other, jot_open(other, "mem:", NULL));
    ok(other, jot_import(other, dir, "notes", false, &r));
    assert_int_equal(r->added, 1);
    ok(other, jot_doc_read(other, "plan", NULL, &d));
    assert_text(d->text, "text");
    write_text(other, "plan", "changed");
    ok(other, jot_import(other, dir, NULL, false, &r));
    assert_int_equal(r->skipped_total, 1);
    assert_int_equal(r->missed, 1);
    ok(other, jot_import(other, dir, NULL, true, &r));
    assert_int_equal(r->added, 1);
    ok(other, jot_doc_read(other, "plan", NULL, &d));
    assert_text(d->text, "text");
    jot_free(other);
}

static void a_name_that_is_no_key_is_told_with_the_one_it_got(Caller *c)
{
    const jot_report *r;
    const jot_doc *d;
    char path[300];
    snprintf(path, sizeof path, "%s", caller_path(c, "names"));
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/two (words).md", caller_path(c, "names"));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("text", f) >= 0 && fclose(f) == 0);
    ok(c->pad, jot_import(c->pad, caller_path(c, "names"), NULL, false, &r));
    assert_int_equal(r->renamed_total, 1);
    assert_int_equal(r->renamed_count, 1);
    assert_string_equal(r->renamed[0]->name, "two (words).md");
    assert_says(r->renamed[0]->why, "notes/two-words-");
    ok(c->pad, jot_doc_read(c->pad, r->renamed[0]->why, NULL, &d));
    assert_text(d->text, "text");
}

static void a_sound_pad_has_no_faults(Caller *c)
{
    const jot_verified *v;
    write_text(c->pad, "plan", "text");
    ok(c->pad, jot_verify(c->pad, &v));
    assert_int_equal(v->faults, 0);
    assert_true(v->records >= 1 && v->streams >= 1);
    ok(c->pad, jot_doctor(c->pad, false, &v));
    assert_int_equal(v->faults, 0);
}

static void damage_is_told(Caller *c)
{
    const jot_verified *v;
    FILE *f;
    if (strcmp(c->engine, "files") != 0)
        return;
    write_text(c->pad, "plan", "one");
    write_text(c->pad, "plan", "two");
    f = fopen(caller_path(c, "pad/streams/notes.d/plan.jsonl"), "r+");
    assert_non_null(f);
    fputs("{\"seq\":7", f);
    fclose(f);
    ok(c->pad, jot_verify(c->pad, &v));
    assert_true(v->faults >= 1 && v->count >= 1 && v->total >= v->count);
    assert_string_equal(v->items[0]->kind, "damage");
    assert_string_equal(v->items[0]->stream, "notes/plan");
    assert_true(v->items[0]->counts && v->items[0]->what[0] && v->items[0]->advice[0]);
}

static void what_can_go_is_counted_before_it_goes(Caller *c)
{
    const jot_gc_count *count;
    const jot_stats_list *stats;
    const jot_docs *h;
    int i;
    jot_gc_options o = { 0 };
    o.size = sizeof o;
    o.keep = 16;
    o.dry_run = true;
    for (i = 0; i < 20; i++)
        ok(c->pad, jot_doc_append(c->pad, "plan", jot_str("x"), NULL, NULL));
    ok(c->pad, jot_gc(c->pad, &o, &count));
    assert_int_equal(count->records, 4);
    ok(c->pad, jot_doc_history(c->pad, "plan", 0, 0, &h));
    assert_int_equal(h->count, 20);
    o.dry_run = false;
    ok(c->pad, jot_gc(c->pad, &o, &count));
    assert_int_equal(count->streams, 1);
    ok(c->pad, jot_doc_history(c->pad, "plan", 0, 0, &h));
    assert_int_equal(h->count, 16);
    ok(c->pad, jot_stats(c->pad, &stats));
    assert_int_equal(stats->count, 1);
    assert_string_equal(stats->items[0]->kind, "notes");
    assert_int_equal(stats->items[0]->records, 16);
}

static void a_watcher_is_told_of_each_change_once(Caller *c)
{
    const jot_docs *news;
    jot_pad *bob = caller_open(c, "bob");
    ok(bob, jot_watch(bob, "notes/", 0, &news));
    assert_int_equal(news->count, 0);
    write_text(c->pad, "plan", "x");
    write_text(c->pad, "memories/a", "x");
    ok(bob, jot_watch(bob, "notes/", 1000, &news));
    assert_int_equal(news->count, 1);
    assert_string_equal(news->items[0]->name, "plan");
    assert_string_equal(news->items[0]->by, "ann");
    ok(bob, jot_watch(bob, "notes/", 0, &news));
    assert_int_equal(news->count, 0);
    ok(c->pad, jot_doc_delete(c->pad, "plan", NULL, NULL));
    ok(bob, jot_watch(bob, "notes/", 1000, &news));
    assert_int_equal(news->count, 1);
    assert_true(news->items[0]->deleted);
    jot_free(bob);
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(what_needs_no_pad_works_without_one),
        CALLER_TEST(a_pad_says_where_it_is_and_what_it_promises),
        CALLER_TEST(a_pad_is_made_unless_it_must_exist),
        CALLER_TEST(a_pad_of_another_user_is_opened_only_by_its_name),
        CALLER_TEST(a_path_is_opened_as_it_is),
        CALLER_TEST(a_failed_open_leaves_the_open_pad_alone),
        CALLER_TEST(a_read_only_pad_is_not_written),
        CALLER_TEST(options_of_another_version_are_understood),
        CALLER_TEST(a_result_may_be_an_argument_of_the_next_call),
        CALLER_TEST(an_error_lasts_until_the_next_call),
        CALLER_TEST(results_of_two_pads_do_not_disturb_each_other),
        CALLER_TEST(what_somebody_else_wrote_is_found),
        CALLER_TEST(evidence_is_lines_with_where_they_are_from),
        CALLER_TEST(changes_are_told_from_a_cursor_on),
        CALLER_TEST(a_copy_and_an_archive_hold_everything),
        CALLER_TEST(a_copy_reports_each_stream_that_differs),
        CALLER_TEST(files_of_other_programs_come_in_and_go_out),
        CALLER_TEST(a_name_that_is_no_key_is_told_with_the_one_it_got),
        CALLER_TEST(a_sound_pad_has_no_faults),
        CALLER_TEST(damage_is_told),
        CALLER_TEST(what_can_go_is_counted_before_it_goes),
        CALLER_TEST(a_watcher_is_told_of_each_change_once),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
