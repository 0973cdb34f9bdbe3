/* test_notes_dir.c - a pad whose notes are the files of a directory that people have anyway.
 *
 * In that directory nothing is touched but notes, whatever an enemy or a careless person does to it
 * meanwhile; and that it is gone is never taken for "everything was deleted". */
#include "base/obeyed.h"
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CANARY "canary: not to be read or changed"

static int notes_dir_new(void **state)
{
    if (bench_empty(state) != 0)
        return -1;
    Bench *b = *state;
    snprintf(b->url, sizeof b->url, "files:%s?notes=docs", b->path);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    return b->s ? 0 : -1;
}

#define NOTES_DIR_TEST(f) cmocka_unit_test_setup_teardown(f, notes_dir_new, bench_free)

static mode_t mode_of(Bench *b, const char *path)
{
    struct stat info;
    assert_int_equal(stat(full_path(b, path), &info), 0);
    return info.st_mode & 07777;
}

static void move(Bench *b, const char *from, const char *to)
{
    char *other = strdup(full_path(b, to));
    assert_int_equal(rename(full_path(b, from), other), 0);
    free(other);
}

static void plant_link(Bench *b, const char *to, const char *at)
{
    assert_int_equal(symlink(to, full_path(b, at)), 0);
}

/* --- What is a note ------------------------------------------------------------------------ */

static void its_notes_are_the_markdown_and_text_files_of_the_directory(void **state)
{
    Bench *b = *state;
    person_writes(b, "../docs/README.md", "read me");
    person_writes(b, "../docs/deep/er/todo.txt", "all");
    person_writes(b, "../docs/picture.png", "png");
    person_writes(b, "../docs/.hidden.md", "hidden");
    person_writes(b, "../docs/.git/notes.md", "hidden");
    plant_link(b, "README.md", "../docs/link.md");
    Listing all = listed(b, "notes/");
    assert_int_equal(all.n, 2);
    assert_text(all.items[0].name, "notes/README");
    assert_text(all.items[1].name, "notes/deep/er/todo");
    assert_text(head(b, "notes/README").body, "read me");
    put(b, "notes/README", "read me twice");
    assert_text(bytes_of(b, "../docs/README.md"), "read me twice");
    assert_int_equal(records(b, "notes/README").n, 2);
    assert_text(bytes_of(b, "../docs/.hidden.md"), "hidden");
}

static void a_new_note_is_markdown_and_as_open_as_its_owner_makes_files(void **state)
{
    Bench *b = *state;
    mode_t mask = umask(027);
    put(b, "notes/a/plan", "text");
    umask(mask);
    assert_text(bytes_of(b, "../docs/a/plan.md"), "text");
    assert_int_equal(mode_of(b, "../docs/a/plan.md"), 0640);
    assert_int_equal(mode_of(b, "../docs/a"), 0750);
    assert_false(there(b, "notes"));
}

static void a_file_keeps_its_permissions_and_its_ending(void **state)
{
    Bench *b = *state;
    person_writes(b, "../docs/list.txt", "one");
    assert_int_equal(chmod(full_path(b, "../docs/list.txt"), 0664), 0);
    put(b, "notes/list", "two");
    assert_text(bytes_of(b, "../docs/list.txt"), "two");
    assert_int_equal(mode_of(b, "../docs/list.txt"), 0664);
    assert_false(there(b, "../docs/list.md"));
}

static void a_note_with_both_endings_is_refused(void **state)
{
    Bench *b = *state;
    Record r;
    put(b, "notes/before", "compared, so values are read without their stream");
    person_writes(b, "../docs/two.md", "one");
    person_writes(b, "../docs/two.txt", "other");
    assert_status(b, try_head(b, "notes/two", &r), JOT_DENIED);
    jot_status value = store_head(b->s, S("notes/two"), HEAD_VALUE, &b->arena, &r, &b->e);
    assert_int_equal(value, JOT_DENIED);
    assert_status(b, try_put(b, "notes/two", ANYTHING, "new", NULL), JOT_DENIED);
    assert_text(bytes_of(b, "../docs/two.md"), "one");
    assert_text(bytes_of(b, "../docs/two.txt"), "other");
}

/* Agents take a file of such a name for orders of its owner's.  Whoever may write a note must not
 * be able to give them. */
static void a_file_that_programs_obey_is_no_note(void **state)
{
    Bench *b = *state;
    Record r;
    Mark mark;
    Err e = { 0 };
    person_writes(b, "../docs/AGENTS.md", CANARY);
    person_writes(b, "../docs/agent.md", "a document");
    static const char *const names[] = { "notes/AGENTS", "notes/CLAUDE", "notes/deep/GEMINI",
                                         "notes/CLAUDE.local" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_status(b, try_head(b, names[i], &r), JOT_DENIED);
        assert_status(b, try_put(b, names[i], ANYTHING, "obey me", NULL), JOT_DENIED);
        assert_non_null(strstr(b->e.text, "edit the file itself"));
        assert_status(b, try_put(b, names[i], NOTHING, "obey me", NULL), JOT_DENIED);
        assert_status(b, try_delete(b, names[i], NULL), JOT_DENIED);
    }
    assert_int_equal(store_purge(b->s, S("notes/AGENTS"), NULL, S("ann"), &mark, &e), JOT_DENIED);
    assert_text(bytes_of(b, "../docs/AGENTS.md"), CANARY);
    assert_int_equal(files_in(b, "../docs"), 2);
    Listing all = listed(b, "notes/");
    assert_int_equal(all.n, 1);
    assert_text(all.items[0].name, "notes/agent");
    reboot(b);
    put(b, "notes/other", "a write compares all");
    assert_text(bytes_of(b, "../docs/AGENTS.md"), CANARY);
    assert_int_equal(listed(b, "notes/").n, 2);
    for (int row = 0; obeyed_name(row); row++) { /* none stands where it is not looked for */
        Str name = str(obeyed_name(row));
        if (str_ends(name, S(".md")) || str_ends(name, S(".txt")))
            assert_int_equal(obeyed_find_document(name), row);
    }
}

/* --- Nothing else is touched ---------------------------------------------------------------- */

static int strangers; /* names seen in the directory that no person gave */

static void look_for_strangers(Bench *b, IoCall *call)
{
    DIR *d = opendir(full_path(b, "../docs"));
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        strangers += e->d_type == DT_REG && strcmp(e->d_name, "plan.md") != 0 &&
                     strcmp(e->d_name, "other.png") != 0;
    if (d)
        closedir(d);
}

static void at_no_moment_lies_anything_but_notes_there(void **state)
{
    Bench *b = *state;
    person_writes(b, "../docs/other.png", "png");
    strangers = 0;
    trap(b, (Trap){ .kind = IO_KINDS, .stays = true, .act = look_for_strangers });
    put(b, "notes/plan", "one");
    put(b, "notes/plan", "two");
    person_saves(b, "../docs/plan.md", "a person's");
    put(b, "notes/plan", "three");
    bury(b, "notes/plan");
    traps_clear(b);
    assert_int_equal(strangers, 0);
    assert_int_equal(files_in(b, "../docs"), 1);
    assert_int_equal(files_in(b, "drafts"), 0);
}

static void a_file_that_may_not_be_written_stays_as_it_is(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "mine");
    assert_int_equal(chmod(full_path(b, "../docs/plan.md"), 0444), 0);
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_DENIED);
    assert_non_null(strstr(b->e.text, "may not be written"));
    assert_status(b, try_delete(b, "notes/plan", NULL), JOT_DENIED);
    assert_text(bytes_of(b, "../docs/plan.md"), "mine");
    assert_int_equal(records(b, "notes/plan").n, 1);
    assert_int_equal(files_in(b, "drafts"), 0);
    put(b, "notes/other", "goes on");
}

static void a_directory_that_may_not_be_written_stays_as_it_is(void **state)
{
    Bench *b = *state;
    put(b, "notes/deep/plan", "mine");
    assert_int_equal(chmod(full_path(b, "../docs/deep"), 0555), 0);
    if (geteuid() == 0) /* who may write everywhere */
        trap(b, (Trap){ .kind = IO_STAT, .at = ".", .answer = -EACCES, .stays = true });
    assert_status(b, try_put(b, "notes/deep/plan", ANYTHING, "new", NULL), JOT_DENIED);
    assert_non_null(strstr(b->e.text, "permissions of 'docs/deep'"));
    assert_status(b, try_put(b, "notes/deep/more", ANYTHING, "new", NULL), JOT_DENIED);
    assert_status(b, try_delete(b, "notes/deep/plan", NULL), JOT_DENIED);
    traps_clear(b);
    assert_int_equal(chmod(full_path(b, "../docs/deep"), 0755), 0);
    assert_text(bytes_of(b, "../docs/deep/plan.md"), "mine");
    assert_int_equal(records(b, "notes/deep/plan").n, 1);
    assert_int_equal(files_in(b, "drafts"), 0);
}

static void a_file_that_nobody_recorded_is_never_purged(void **state)
{
    Bench *b = *state;
    Mark mark;
    person_writes(b, "../docs/theirs.md", "a person's own");
    Err e = { 0 };
    jot_status st = store_purge(b->s, S("notes/theirs"), NULL, S("ann"), &mark, &e);
    assert_int_equal(st, JOT_DENIED);
    assert_non_null(strstr(e.text, "yours to remove"));
    assert_text(bytes_of(b, "../docs/theirs.md"), "a person's own");
    put(b, "notes/plan", "zqx-secret");
    assert_int_equal(store_purge(b->s, S("notes/plan"), NULL, S("ann"), &mark, &e), JOT_OK);
    assert_false(there(b, "../docs/plan.md"));
    assert_null(find_text(b, "zqx-secret"));
}

static void a_text_an_editor_still_has_open_is_put_aside_in_the_pad(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "one");
    AUTO(Fd) editor = open(full_path(b, "../docs/plan.md"), O_RDWR | O_CLOEXEC);
    put(b, "notes/plan", "two");
    assert_int_equal(ftruncate(editor, 0), 0);
    assert_int_equal(pwrite(editor, "late", 4, 0), 4);
    assert_int_equal(quarantined(b, "late"), 1);
    assert_text(bytes_of(b, "../docs/plan.md"), "two");
    assert_int_equal(files_in(b, "../docs"), 1);
}

/* --- Links ------------------------------------------------------------------------------------ */

static void a_link_in_the_place_of_a_note_is_not_followed(void **state)
{
    Bench *b = *state;
    Record r;
    person_writes(b, "../outside/file.md", CANARY);
    put(b, "notes/plan", "mine");
    person_removes(b, "../docs/plan.md");
    plant_link(b, "../outside/file.md", "../docs/plan.md");
    assert_status(b, try_head(b, "notes/plan", &r), JOT_DENIED);
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_DENIED);
    plant_link(b, "../outside", "../docs/folder");
    assert_status(b, try_head(b, "notes/folder/file", &r), JOT_DENIED);
    assert_status(b, try_put(b, "notes/folder/file", ANYTHING, "new", NULL), JOT_DENIED);
    assert_text(bytes_of(b, "../outside/file.md"), CANARY);
    assert_int_equal(files_in(b, "../outside"), 1);
    assert_false(lists(b, "notes/", "notes/folder/file"));
}

static void a_link_in_the_place_of_the_directory_is_not_followed(void **state)
{
    Bench *b = *state;
    Record r;
    put(b, "notes/plan", "mine");
    person_writes(b, "../outside/plan.md", CANARY);
    move(b, "../docs", "../moved");
    plant_link(b, "outside", "../docs");
    for (int i = 0; i < 2; i++) {
        assert_status(b, try_head(b, "notes/new", &r), JOT_UNAVAILABLE);
        assert_status(b, try_put(b, "notes/new", ANYTHING, "new", NULL), JOT_UNAVAILABLE);
        assert_int_equal(files_in(b, "../outside"), 1);
        assert_text(bytes_of(b, "../outside/plan.md"), CANARY);
        reopen(b);
    }
    person_removes(b, "../docs");
    move(b, "../moved", "../docs");
    assert_text(head(b, "notes/plan").body, "mine");
    assert_int_equal(records(b, "notes/plan").n, 1);
}

/* --- The directory goes ------------------------------------------------------------------------
 */

static void a_directory_that_is_gone_deletes_no_note(void **state)
{
    Bench *b = *state;
    Record r;
    Listing page;
    put(b, "notes/plan", "mine");
    put(b, "notes/a/b", "too");
    put(b, "memories/m.md", "elsewhere");
    for (int i = 0; i < 2; i++) {
        move(b, "../docs", "../gone");
        assert_status(b, try_head(b, "notes/plan", &r), JOT_UNAVAILABLE);
        assert_non_null(strstr(b->e.text, "'docs'"));
        assert_status(b, try_head(b, "notes/never", &r), JOT_UNAVAILABLE);
        assert_int_equal(store_list(b->s, &(ListQuery){ .prefix = S("notes/"), .limit = 9 },
                                    &b->arena, &page, &b->e),
                         JOT_UNAVAILABLE);
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNAVAILABLE);
        assert_status(b, try_delete(b, "notes/a/b", NULL), JOT_UNAVAILABLE);
        assert_false(there(b, "../docs"));
        put(b, "memories/m.md", "goes on");
        if (i)
            reopen(b);
        move(b, "../gone", "../docs");
        assert_text(head(b, "notes/plan").body, "mine");
        assert_int_equal(records(b, "notes/plan").n, 1);
        assert_int_equal(records(b, "notes/a/b").n, 1);
        reboot(b);
    }
}

/* 'not found' would say that there is no such note. */
static void a_folder_that_goes_while_a_dead_write_is_finished_is_said(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "one");
    trap(b, (Trap){ .kind = IO_RENAME, .at = "plan.md", .answer = -ENOENT, .stays = true });
    for (int i = 0; i < 2; i++) {
        jot_status expected = i ? JOT_UNAVAILABLE : JOT_UNKNOWN;
        assert_status(b, try_put(b, "notes/plan", ANYTHING, "two", NULL), expected);
    }
    assert_non_null(strstr(b->e.text, "try again"));
    traps_clear(b);
    put(b, "notes/plan", "three");
    assert_int_equal(records(b, "notes/plan").n, 3);
}

static void another_directory_in_its_place_is_the_one_that_counts(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "mine");
    put(b, "notes/rest", "stays");
    move(b, "../docs", "../before");
    person_writes(b, "../docs/plan.md", "of another branch");

    assert_text(head(b, "notes/plan").body, "of another branch");
    put(b, "notes/plan", "mine again");
    assert_text(bytes_of(b, "../docs/plan.md"), "mine again");
    assert_text(bytes_of(b, "../before/plan.md"), "mine");
    assert_int_equal(records(b, "notes/plan").n, 3);
}

static void a_folder_that_a_person_removed_is_not_made_again(void **state)
{
    Bench *b = *state;
    Record r;
    put(b, "notes/a/b", "one");
    person_removes(b, "../docs/a/b.md");
    assert_int_equal(rmdir(full_path(b, "../docs/a")), 0);
    assert_status(b, try_head(b, "notes/a/b", &r), JOT_OK);
    assert_int_equal(r.mark.op, OP_DELETE);
    assert_status(b, try_put(b, "notes/a/b", AT_SEQ(1), "two", NULL), JOT_CONFLICT);
    assert_false(there(b, "../docs/a"));
    put(b, "notes/a/b", "three");
    assert_text(bytes_of(b, "../docs/a/b.md"), "three");
}

static void after_a_reboot_what_a_checkout_brought_is_an_edit(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "one");
    put(b, "notes/plan", "two");
    put(b, "notes/gone", "here");
    reboot(b);
    person_writes(b, "../docs/plan.md", "one");
    person_removes(b, "../docs/gone.md");
    put(b, "notes/other", "a write compares all");
    assert_text(bytes_of(b, "../docs/plan.md"), "one");
    assert_false(there(b, "../docs/gone.md"));
    assert_int_equal(records(b, "notes/plan").n, 3);
    assert_int_equal(records(b, "notes/gone").n, 2);
}

/* The removal of its file may have been refused by the disk, which cannot be told apart. */
static void after_a_reboot_the_old_text_of_a_deleted_note_is_removed_again(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "one");
    bury(b, "notes/plan");
    reboot(b);
    person_writes(b, "../docs/plan.md", "one");
    put(b, "notes/other", "a write compares all");
    assert_false(there(b, "../docs/plan.md"));
    assert_int_equal(records(b, "notes/plan").n, 2);
    person_writes(b, "../docs/plan.md", "one");
    assert_text(head(b, "notes/plan").body, "one");
}

/* --- Where it may lie --------------------------------------------------------------------------
 */

static void refused(Bench *b, const char *notes, const char *why)
{
    store_close(b->s);
    snprintf(b->url, sizeof b->url, "files:%s/fresh?notes=%s", b->dir, notes);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_null(b->s);
    if (!strstr(b->e.text, why))
        fail_msg("'%s' is refused with: %s", notes, b->e.text);
}

static void it_lies_beside_the_pad_or_below_and_nowhere_else(void **state)
{
    Bench *b = *state;
    refused(b, "../docs", "no '..'");
    refused(b, "/etc", "beside the pad");
    refused(b, "a/../../b", "no '..'");
    refused(b, ".git", "hidden");
    refused(b, "fresh/notes", "in the pad");
    refused(b, ".", "begins with '.'");
    plant_link(b, "/tmp", "../link");
    refused(b, "link", "symlink");
    refused(b, "link/below", "symlink");
    person_writes(b, "../file", "x");
    refused(b, "file", "no directory");
}

static void one_on_another_mount_is_refused(void **state)
{
    Bench *b = *state;
    trap(b, (Trap){
                .kind = IO_RENAME, .at = ".jotter-no-such-file", .answer = -EXDEV, .stays = true });
    refused(b, "docs", "another file system");
}

static void a_pad_keeps_its_notes_where_it_was_told_when_it_was_made(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "mine");
    store_close(b->s);
    snprintf(b->url, sizeof b->url, "files:%s?notes=other", b->path);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_null(b->s);
    assert_non_null(strstr(b->e.text, "'docs', not in 'other'"));
    snprintf(b->url, sizeof b->url, "files:%s", b->path);
    b->s = open_pad(b, (StoreOptions){ 0 });
    assert_text(head(b, "notes/plan").body, "mine");
    assert_string_equal(store_promise(b->s).notes, "docs");
}

static void the_format_says_where_they_are(void **state)
{
    Bench *b = *state;
    static const char *const wrong[] = {
        "jotter 4 4\n",         "jotter 3 3\nnotes docs\n",       "jotter 4 4\nnotes ../docs\n",
        "jotter 4 4\nnotes \n", "jotter 4 4\nnotes docs\nmore\n", "jotter 4 5\nnotes docs\nmore\n"
    };
    put(b, "notes/plan", "mine");
    assert_text(bytes_of(b, "format"), "jotter 4 4\nnotes docs\n");
    snprintf(b->url, sizeof b->url, "files:%s", b->path);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        store_close(b->s);
        person_writes(b, "format", wrong[i]);
        b->s = open_pad(b, (StoreOptions){ .create = true });
        assert_null(b->s);
        assert_int_equal(b->e.status, JOT_CORRUPT);
    }
    assert_non_null(strstr(b->e.text, "copy '.format'"));
    /* What is kept of it when git takes the file away says so, too. */
    person_removes(b, "format");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_text(head(b, "notes/plan").body, "mine");
    assert_text(bytes_of(b, "format"), "jotter 4 4\nnotes docs\n");
}

/* Whoever wrote what an ordinary pad says would find every note deleted. */
static void a_format_that_says_nothing_of_them_is_not_believed(void **state)
{
    Bench *b = *state;
    static const char *const wrong[] = { "jotter 3 3\n", "jotter 4 4\nnotes other\n" };
    put(b, "notes/plan", "mine");
    snprintf(b->url, sizeof b->url, "files:%s", b->path);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        store_close(b->s);
        person_writes(b, "format", wrong[i]);
        b->s = open_pad(b, (StoreOptions){ .create = true });
        assert_null(b->s);
        assert_int_equal(b->e.status, JOT_CORRUPT);
        assert_non_null(strstr(b->e.text, "were in docs"));
    }
    person_writes(b, "format", "jotter 4 4\nnotes docs\n");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_int_equal(records(b, "notes/plan").n, 1);
    /* With neither, it is at least not said to be an ordinary pad. */
    store_close(b->s);
    person_removes(b, "format");
    person_removes(b, ".format");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_null(b->s);
    assert_non_null(strstr(b->e.text, "notes DIR"));
    person_writes(b, "format", "jotter 4 4\nnotes docs\n");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_text(head(b, "notes/plan").body, "mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NOTES_DIR_TEST(its_notes_are_the_markdown_and_text_files_of_the_directory),
        NOTES_DIR_TEST(a_new_note_is_markdown_and_as_open_as_its_owner_makes_files),
        NOTES_DIR_TEST(a_file_keeps_its_permissions_and_its_ending),
        NOTES_DIR_TEST(a_note_with_both_endings_is_refused),
        NOTES_DIR_TEST(a_file_that_programs_obey_is_no_note),
        NOTES_DIR_TEST(at_no_moment_lies_anything_but_notes_there),
        NOTES_DIR_TEST(a_file_that_may_not_be_written_stays_as_it_is),
        NOTES_DIR_TEST(a_directory_that_may_not_be_written_stays_as_it_is),
        NOTES_DIR_TEST(a_file_that_nobody_recorded_is_never_purged),
        NOTES_DIR_TEST(a_text_an_editor_still_has_open_is_put_aside_in_the_pad),
        NOTES_DIR_TEST(a_link_in_the_place_of_a_note_is_not_followed),
        NOTES_DIR_TEST(a_link_in_the_place_of_the_directory_is_not_followed),
        NOTES_DIR_TEST(a_directory_that_is_gone_deletes_no_note),
        NOTES_DIR_TEST(a_folder_that_goes_while_a_dead_write_is_finished_is_said),
        NOTES_DIR_TEST(another_directory_in_its_place_is_the_one_that_counts),
        NOTES_DIR_TEST(a_folder_that_a_person_removed_is_not_made_again),
        NOTES_DIR_TEST(after_a_reboot_what_a_checkout_brought_is_an_edit),
        NOTES_DIR_TEST(after_a_reboot_the_old_text_of_a_deleted_note_is_removed_again),
        NOTES_DIR_TEST(it_lies_beside_the_pad_or_below_and_nowhere_else),
        NOTES_DIR_TEST(one_on_another_mount_is_refused),
        NOTES_DIR_TEST(a_pad_keeps_its_notes_where_it_was_told_when_it_was_made),
        NOTES_DIR_TEST(the_format_says_where_they_are),
        NOTES_DIR_TEST(a_format_that_says_nothing_of_them_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
