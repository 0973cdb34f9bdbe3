/* test_open.c - what is a pad, who may make one, and what opening leaves alone.
 *
 * A directory is a pad or it is not; one that is damaged, newer, or somebody
 * else's is never taken for a new one.  An open that fails changes nothing, and
 * a handle that only reads never writes a byte. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

/* --- Formats ------------------------------------------------------------------------------- */

static jot_status open_fails(Bench *b, bool create)
{
    Str before = tree_of(b, b->dir);
    Store *s = open_pad(b, (StoreOptions){ .create = create });
    if (s) {
        store_close(s);
        return JOT_OK;
    }
    assert_true(str_eq(tree_of(b, b->dir), before));
    assert_string_not_equal(b->e.text, "");
    return b->e.status;
}

static void a_format_that_cannot_be_read_by_this_version_is_refused(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    person_writes(b, "format", "jotter 5 5\n");
    assert_int_equal(open_fails(b, false), JOT_UNSUPPORTED);
    assert_int_equal(open_fails(b, true), JOT_UNSUPPORTED);
}

static void a_format_that_cannot_be_written_by_this_version_is_opened_for_reading(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    person_writes(b, "format", "jotter 3 4\n");
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_non_null(b->s);
    assert_non_null(strstr(store_read_only_why(b->s), "newer"));
    Str before = tree_of(b, b->path);
    assert_text(head(b, "notes/plan").body, "text");
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_READ_ONLY);
    assert_true(str_eq(tree_of(b, b->path), before));
}

static void a_format_that_is_none_is_refused(void **state)
{
    Bench *b = *state;
    static const Str formats[] = {
        { "", 0 },
        { "\0\0\0\0\0\0\0\0\0\0\0", 11 },
        { "jotter\n", 7 },
        { "jotter 1\n", 9 },
        { "jotter 0 1\n", 11 },
        { "jotter -1 1\n", 12 },
        { "jotter 1 0\n", 11 },
        { "jotter 1 x\n", 11 },
        { "jotter 3 3x\n", 12 },
        { "jotter 3 3 more\n", 16 },
        { "jotter 1 1 more\n", 16 },
        { "joker 1 1\n", 10 },
        { "SQLite format 3", 16 },
    };
    put(b, "notes/plan", "text");
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        write_bytes(b, "format", formats[i]);
        jot_status st = open_fails(b, true);
        if (st != JOT_CORRUPT)
            fail_msg("row %zu: %s: %s", i, status_info(st)->name, b->e.text);
    }
}

static void a_pad_that_lost_its_format_is_not_taken_for_a_new_one(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    entry(b, "runs/r", "text");
    store_close(b->s);
    b->s = NULL;
    person_removes(b, "format");
    person_removes(b, ".format");
    assert_int_equal(open_fails(b, true), JOT_CORRUPT);
    assert_non_null(strstr(b->e.text, "jotter 3 3"));
    assert_int_equal(open_fails(b, false), JOT_CORRUPT);
    person_writes(b, "format", "jotter 3 3\n"); /* as it says */
    b->s = open_pad(b, (StoreOptions){ 0 });
    assert_text(head(b, "notes/plan").body, "text");
}

/* --- Directories --------------------------------------------------------------------------- */

static void somebody_elses_directory_is_refused_and_left_as_it_is(void **state)
{
    static const char *const files[] = { "main.c", "notes.txt", "recent", "x/y" };
    Bench *b = *state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        person_writes(b, files[i], "mine");
        assert_int_equal(open_fails(b, true), JOT_INVALID);
        assert_int_equal(open_fails(b, false), JOT_INVALID);
        person_removes(b, files[i]);
        rmdir(full_path(b, "x"));
    }
}

static void a_directory_with_a_persons_notes_becomes_a_pad(void **state)
{
    Bench *b = *state;
    person_writes(b, "notes/plan.txt", "theirs");
    person_writes(b, "memories/a/b", "theirs too");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_non_null(b->s);
    assert_int_equal(listed(b, "").n, 2);
    assert_text(head(b, "memories/a/b").body, "theirs too");
}

static void an_empty_directory_becomes_a_pad_and_hidden_files_stay(void **state)
{
    Bench *b = *state;
    person_writes(b, ".gitignore", "mine");
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_non_null(b->s);
    put(b, "notes/plan", "text");
    assert_text(bytes_of(b, ".gitignore"), "mine");
}

static void what_is_not_there_is_not_found_and_not_made(void **state)
{
    Bench *b = *state;
    assert_int_equal(open_fails(b, false), JOT_NOT_FOUND);
    assert_null(open_pad(b, (StoreOptions){ .create = true, .read_only = true }));
    assert_int_equal(b->e.status, JOT_NOT_FOUND);
    assert_int_not_equal(access(b->path, F_OK), 0);
    assert_int_equal(mkdir(b->path, 0700), 0);
    assert_int_equal(open_fails(b, false), JOT_NOT_FOUND);
}

static void a_path_that_is_no_directory_is_refused(void **state)
{
    Bench *b = *state;
    AUTO(Fd) fd = open(b->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(open_fails(b, true), JOT_INVALID);
    assert_int_equal(open_fails(b, false), JOT_INVALID);
}

static void directories_above_a_pad_are_made(void **state)
{
    Bench *b = *state;
    snprintf(b->url, sizeof b->url, "files:%.60s/a/b/../c/pad/", b->dir);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    assert_non_null(b->s);
    put(b, "notes/plan", "text");
    snprintf(b->path, sizeof b->path, "%.60s/a/c/pad", b->dir);
    assert_text(bytes_of(b, "notes/plan.txt"), "text");
}

static void opening_a_pad_changes_nothing(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    store_idle(b->s); /* what closing it would note */
    Str before = tree_of(b, b->path);
    for (int create = 0; create < 2; create++) {
        store_close(b->s);
        b->s = open_pad(b, (StoreOptions){ .create = create });
        assert_non_null(b->s);
        assert_true(str_eq(tree_of(b, b->path), before));
    }
}

static void unknown_parameters_are_refused_by_name(void **state)
{
    Bench *b = *state;
    char good[sizeof b->url];
    memcpy(good, b->url, sizeof good);
    snprintf(b->url, sizeof b->url, "files:%s?shared=no", b->path);
    reopen(b);
    snprintf(b->url, sizeof b->url, "files:%s?colour=red", b->path);
    assert_int_equal(open_fails(b, false), JOT_INVALID);
    assert_non_null(strstr(b->e.text, "colour"));
    memcpy(b->url, good, sizeof good);
}

/* --- Failures ------------------------------------------------------------------------------ */

static const int errors[] = { EMFILE, EACCES, ENOMEM, EIO };

static void an_open_that_fails_changes_nothing(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    int failed = 0;
    for (int kind = 0; kind < IO_KINDS; kind++) {
        for (int skip = 0; skip < 12; skip++) {
            for (size_t i = 0; i < COUNT_OF(errors); i++) {
                Trap *t =
                    trap(b, (Trap){ .kind = (IoKind)kind, .skip = skip, .answer = -errors[i] });
                failed += open_fails(b, true) != JOT_OK;
                t->set = false;
            }
        }
    }
    assert_true(failed > 10);
    reopen(b);
    assert_text(head(b, "notes/plan").body, "text");
}

static void a_pad_whose_making_failed_can_be_made_again(void **state)
{
    Bench *b = *state;
    for (int kind = 0; kind < IO_KINDS; kind++) {
        for (int skip = 0; skip < 12; skip++) {
            Trap *t = trap(b, (Trap){ .kind = (IoKind)kind, .skip = skip, .answer = -EMFILE });
            Store *s = open_pad(b, (StoreOptions){ .create = true });
            store_close(s);
            t->set = false;
            b->s = open_pad(b, (StoreOptions){ .create = true });
            assert_non_null(b->s);
            assert_int_equal(put(b, "notes/plan", "text").seq, 1);
            store_close(b->s);
            b->s = NULL;
            assert_int_equal(files_in(b, "quarantine"), 0);
            char *gone =
                arena_cstr(&b->arena, arena_printf(&b->arena, "%s/gone-%d-%d", b->dir, kind, skip));
            assert_int_equal(rename(b->path, gone), 0);
        }
    }
}

static void without_permission_to_write_a_pad_is_read_only_and_says_why(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    store_close(b->s);
    trap(b, (Trap){ .kind = IO_OPEN, .at = "format", .answer = -EACCES });
    b->s = open_pad(b, (StoreOptions){ 0 });
    assert_non_null(b->s);
    assert_string_not_equal(store_read_only_why(b->s), "");
    assert_text(head(b, "notes/plan").body, "text");
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_READ_ONLY);
}

/* --- Modes --------------------------------------------------------------------------------- */

static void check_modes(Bench *b, const char *path, bool exact)
{
    Str tree = tree_of(b, path), line;
    while (str_cut(&tree, '\n', &line)) {
        unsigned mode = 0;
        char name[200] = "";
        assert_int_equal(sscanf(arena_cstr(&b->arena, line), "%199s %o", name, &mode), 2);
        unsigned want = S_ISDIR(mode) ? 0700 : 0600;
        if (exact ? (mode & 07777) != want : (mode & 07777) & ~want)
            fail_msg("%s has mode %o", name, mode);
    }
}

static void work_under(Bench *b, mode_t mask, bool exact)
{
    mode_t before = umask(mask);
    b->s = open_pad(b, (StoreOptions){ .create = true });
    umask(before);
    assert_non_null(b->s);
    umask(mask);
    put(b, "notes/plan", "text");
    put(b, "notes/plan", "more");
    put(b, "memories/a/b", "text");
    entry(b, "runs/r", "text");
    uint64_t dropped;
    jot_status st = store_trim(b->s, S("runs/r"), NULL, 1, &dropped, &b->e);
    umask(before);
    assert_int_equal(st, JOT_OK);
    reboot(b);
    umask(mask);
    put(b, "notes/plan", "checked");
    umask(before);
    check_modes(b, b->dir, exact);
}

static void files_are_private_whatever_the_mask(void **state)
{
    work_under(*state, 0, true);
}

static void files_are_usable_under_a_private_mask(void **state)
{
    work_under(*state, 077, true);
}

static void a_mask_that_takes_everything_gives_nothing_away(void **state)
{
    if (geteuid() != 0)
        skip(); /* nobody else could go on */
    work_under(*state, 0777, false);
}

/* --- Copies, handles, removals ------------------------------------------------------------- */

static void a_pad_copied_while_idle_opens(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 20; i++)
        put(b, arena_printf(&b->arena, "memories/d%d/n%d", i % 3, i).p, "text");
    entry(b, "runs/r", "text");
    put(b, "memories/d0/n0", "second");
    char to[sizeof b->path];
    snprintf(to, sizeof to, "%s/copy", b->dir);
    pid_t pid = fork();
    if (pid == 0) {
        execlp("cp", "cp", "-a", b->path, to, (char *)NULL);
        _exit(127);
    }
    assert_true(finish(pid));
    snprintf(b->url, sizeof b->url, "files:%s", to);
    reopen(b);
    assert_int_equal(listed(b, "").n, 21);
    assert_text(head(b, "memories/d0/n0").body, "second");
    assert_int_equal(head(b, "memories/d0/n0").mark.seq, 2);
    assert_int_equal(put(b, "memories/d0/n0", "third").seq, 3);
    assert_int_equal(store_report(b->s)->outside, 0);
    assert_int_equal(store_report(b->s)->restored, 0);
}

static void two_handles_in_one_process_see_each_other(void **state)
{
    Bench *b = *state;
    Store *one = b->s, *two = open_pad(b, (StoreOptions){ 0 });
    for (uint64_t i = 1; i <= 20; i++) {
        b->s = i % 2 ? one : two;
        assert_ok(b, try_put(b, "notes/plan", AT_SEQ(i - 1), "text", NULL));
        assert_status(b, try_put(b, "notes/plan", AT_SEQ(i - 1), "text", NULL), JOT_CONFLICT);
        b->s = i % 2 ? two : one;
        assert_int_equal(head(b, "notes/plan").mark.seq, i);
    }
    b->s = one;
    store_close(two);
    assert_int_equal(put(b, "notes/plan", "text").seq,
                     21); /* its locks did not go with the other */
}

static void a_handle_that_waits_for_the_other_in_its_process_gives_up_in_time(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    int fd = open(full_path(b, "streams/notes.d/plan.jsonl"), O_RDWR | O_CLOEXEC);
    b->held = fd;
    assert_int_equal(io_lock(&io_system, fd, F_WRLCK, 0), 0);
    store_close(b->s);
    b->s = open_pad(b, (StoreOptions){ .wait_ms = 20 });
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "new", NULL), JOT_UNAVAILABLE);
    assert_non_null(strstr(b->e.text, "notes/plan"));
    assert_text(head(b, "notes/plan").body, "text"); /* readers do not wait */
    assert_int_equal(records(b, "notes/plan").n, 1);
}

static void everything_a_reader_can_do(Bench *b)
{
    Record r;
    Mark m;
    uint64_t dropped;
    for (size_t i = 0; i < 2; i++) {
        const char *name = i ? "runs/r" : "notes/plan";
        assert_ok(b, try_head(b, name, &r));
        assert_ok(b, store_head(b->s, str(name), HEAD_VALUE, &b->arena, &r, &b->e));
        records(b, name);
        assert_status(b, try_put(b, name, ANYTHING, "new", NULL), JOT_READ_ONLY);
        assert_status(b, try_delete(b, name, NULL), JOT_READ_ONLY);
        assert_status(b, store_trim(b->s, str(name), NULL, 1, &dropped, &b->e), JOT_READ_ONLY);
        assert_status(b, store_redact(b->s, str(name), NULL, 1, &b->e), JOT_READ_ONLY);
        assert_status(b, store_purge(b->s, str(name), NULL, S("ann"), &m, &b->e), JOT_READ_ONLY);
    }
    listed(b, "");
    Changes c = changes(b, NULL, 0);
    changes(b, &c.next, 1);
}

static void a_handle_that_only_reads_never_writes_a_byte(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    put(b, "notes/late", "old");
    b->held = open(full_path(b, "notes/late.txt"), O_WRONLY | O_CLOEXEC);
    put(b, "notes/late", "new"); /* leaves a late file */
    entry(b, "runs/r", "text");
    person_writes(b, "notes/plan.txt", "theirs");
    person_writes(b, "notes/found.txt", "theirs");
    person_writes(b, "notes/.plan.txt.new", "left over");
    Str torn = arena_printf(&b->arena, STR_FMT "{\"seq\":", STR_ARG(bytes_of(b, "runs/r.jsonl")));
    write_bytes(b, "runs/r.jsonl", torn);
    store_idle(b->s); /* what closing it would note */
    Str before = tree_of(b, b->dir);
    for (int i = 0; i < 2; i++) {
        if (i)
            reboot_read_only(b);
        store_close(b->s);
        b->s = open_pad(b, (StoreOptions){ .read_only = true, .create = i });
        traps_clear(b);
        everything_a_reader_can_do(b);
        assert_true(str_eq(tree_of(b, b->dir), before));
        assert_int_equal(b->calls[IO_WRITE] + b->calls[IO_RENAME] + b->calls[IO_UNLINK] +
                             b->calls[IO_TRUNCATE] + b->calls[IO_MKDIR],
                         0);
    }
}

static void a_pad_that_is_removed_while_open_is_gone_and_does_not_come_back(void **state)
{
    Bench *b = *state;
    Record r;
    put(b, "notes/plan", "text");
    pid_t pid = fork();
    if (pid == 0) {
        execlp("rm", "rm", "-rf", b->path, (char *)NULL);
        _exit(127);
    }
    assert_true(finish(pid));
    assert_status(b, try_head(b, "notes/plan", &r), JOT_NOT_FOUND);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "notes/fresh" : "notes/plan";
        assert_status(b, try_put(b, name, ANYTHING, "new", NULL), JOT_IO);
        assert_non_null(strstr(b->e.text, "removed"));
    }
    assert_status(b, try_entry(b, "runs/r", "new", NULL), JOT_IO);
    assert_int_equal(listed(b, "").n, 0);
    assert_int_not_equal(access(b->path, F_OK), 0);
}

static void a_pad_that_is_moved_while_open_goes_on(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "text");
    char to[sizeof b->path];
    snprintf(to, sizeof to, "%s/moved", b->dir);
    assert_int_equal(rename(b->path, to), 0);
    assert_int_equal(put(b, "notes/plan", "more").seq, 2);
    assert_int_equal(put(b, "memories/a/b", "new").seq, 1);
    assert_int_not_equal(access(b->path, F_OK), 0);
}

static void a_handle_can_tell_that_its_path_leads_elsewhere(void **state)
{
    Bench *b = *state;
    char to[sizeof b->path + 16], format[sizeof b->path + 16], aside[sizeof b->path + 16];
    snprintf(to, sizeof to, "%s/moved", b->dir);
    snprintf(format, sizeof format, "%s/format", b->path);
    snprintf(aside, sizeof aside, "%s/aside", b->dir);
    put(b, "notes/plan", "text");
    assert_false(store_moved(b->s));
    assert_int_equal(rename(b->path, to), 0);
    assert_true(store_moved(b->s)); /* there is nothing */
    assert_int_equal(mkdir(b->path, 0700), 0);
    assert_true(store_moved(b->s)); /* there is something else */
    assert_int_equal(rmdir(b->path), 0);
    assert_int_equal(symlink(to, b->path), 0);
    assert_false(store_moved(b->s)); /* it is what the path leads to */
    assert_int_equal(unlink(b->path), 0);
    assert_int_equal(rename(to, b->path), 0);
    assert_false(store_moved(b->s));
    assert_int_equal(rename(format, aside), 0);
    assert_true(store_moved(b->s)); /* emptied, at least of this */
    assert_int_equal(rename(aside, format), 0);
    assert_false(store_moved(b->s));
}

/* --- Other users --------------------------------------------------------------------------- */

enum { NOBODY = 65534 };

static bool become_nobody(void)
{
    return setgid(NOBODY) == 0 && setuid(NOBODY) == 0;
}

static bool make_as_nobody(Bench *b)
{
    if (!become_nobody())
        return false;
    b->s = open_pad(b, (StoreOptions){ .create = true });
    return b->s && try_put(b, "notes/plan", ANYTHING, "text", NULL) == JOT_OK;
}

static void a_pad_can_be_made_below_directories_we_may_not_read(void **state)
{
    Bench *b = *state;
    if (geteuid() != 0)
        skip(); /* it takes two users */
    char *home = arena_cstr(&b->arena, arena_printf(&b->arena, "%s/home", b->dir));
    assert_int_equal(chmod(b->dir, 0711), 0);
    assert_int_equal(mkdir(home, 0700), 0);
    assert_int_equal(chown(home, NOBODY, NOBODY), 0);
    snprintf(b->url, sizeof b->url, "files:%s/deep/pad", home);
    assert_true(elsewhere(b, make_as_nobody));
}

static bool put_as_nobody(Bench *b)
{
    if (!become_nobody())
        return false;
    b->s = open_pad(b, (StoreOptions){ 0 });
    return b->s && try_put(b, "notes/plan", ANYTHING, "new", NULL) == JOT_OK;
}

static void a_file_of_another_user_is_put_aside_when_it_is_displaced(void **state)
{
    Bench *b = *state;
    if (geteuid() != 0)
        skip(); /* it takes two users */
    assert_int_equal(chmod(b->dir, 0777), 0);
    assert_true(elsewhere(b, make_as_nobody));
    person_saves(b, "notes/plan.txt", "root's");
    assert_int_equal(chmod(full_path(b, "notes/plan.txt"), 0644), 0);
    b->held = open(full_path(b, "notes/plan.txt"), O_WRONLY | O_CLOEXEC);
    assert_true(elsewhere(b, put_as_nobody));
    assert_int_equal(pwrite(b->held, "late!!", 6, 0), 6);
    assert_int_equal(quarantined(b, "late!!"), 1);
}

/* --- Where case does not count --------------------------------------------------------- */

static void where_case_does_not_count_names_that_differ_only_in_case_are_refused(void **state)
{
    Bench *b = *state;
    static const char *const taken[] = { "notes/Plan", "memories/A/x.md", "memories/a/X.md",
                                         "runs/ID" };
    person_writes(b, "format", "jotter 1 1 casefold\n");
    reopen(b);
    put(b, "notes/plan", "text");
    put(b, "memories/a/x.md", "text");
    entry(b, "runs/id", "text");
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        Mark m;
        Record r;
        assert_int_equal(try_put(b, taken[i], ANYTHING, "other", &m), JOT_INVALID);
        assert_non_null(strstr(b->e.text, "only in case"));
        assert_int_equal(try_head(b, taken[i], &r), JOT_INVALID);
    }
    put(b, "notes/plan", "more");
    put(b, "notes/plan-2", "text");
    assert_int_equal(listed(b, "").n, 4);
}

static void where_case_counts_they_are_two_names(void **state)
{
    Bench *b = *state;
    put(b, "memories/plan", "text");
    put(b, "memories/Plan", "other");
    assert_int_equal(listed(b, "memories/").n, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_format_that_cannot_be_read_by_this_version_is_refused),
        BENCH_TEST(a_format_that_cannot_be_written_by_this_version_is_opened_for_reading),
        BENCH_TEST(a_format_that_is_none_is_refused),
        BENCH_TEST(a_pad_that_lost_its_format_is_not_taken_for_a_new_one),
        EMPTY_TEST(somebody_elses_directory_is_refused_and_left_as_it_is),
        EMPTY_TEST(a_directory_with_a_persons_notes_becomes_a_pad),
        EMPTY_TEST(an_empty_directory_becomes_a_pad_and_hidden_files_stay),
        EMPTY_TEST(what_is_not_there_is_not_found_and_not_made),
        EMPTY_TEST(a_path_that_is_no_directory_is_refused),
        EMPTY_TEST(directories_above_a_pad_are_made),
        BENCH_TEST(opening_a_pad_changes_nothing),
        BENCH_TEST(unknown_parameters_are_refused_by_name),
        BENCH_TEST(an_open_that_fails_changes_nothing),
        EMPTY_TEST(a_pad_whose_making_failed_can_be_made_again),
        BENCH_TEST(without_permission_to_write_a_pad_is_read_only_and_says_why),
        EMPTY_TEST(files_are_private_whatever_the_mask),
        EMPTY_TEST(files_are_usable_under_a_private_mask),
        EMPTY_TEST(a_mask_that_takes_everything_gives_nothing_away),
        BENCH_TEST(a_pad_copied_while_idle_opens),
        BENCH_TEST(two_handles_in_one_process_see_each_other),
        BENCH_TEST(a_handle_that_waits_for_the_other_in_its_process_gives_up_in_time),
        BENCH_TEST(a_handle_that_only_reads_never_writes_a_byte),
        BENCH_TEST(a_pad_that_is_removed_while_open_is_gone_and_does_not_come_back),
        BENCH_TEST(a_pad_that_is_moved_while_open_goes_on),
        BENCH_TEST(a_handle_can_tell_that_its_path_leads_elsewhere),
        EMPTY_TEST(a_pad_can_be_made_below_directories_we_may_not_read),
        EMPTY_TEST(a_file_of_another_user_is_put_aside_when_it_is_displaced),
        BENCH_TEST(where_case_does_not_count_names_that_differ_only_in_case_are_refused),
        BENCH_TEST(where_case_counts_they_are_two_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
