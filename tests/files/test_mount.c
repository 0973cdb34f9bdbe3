/* test_mount.c - a file system that was gone and is back, or is seen from elsewhere, in one boot.
 *
 * A pulled disk comes back without the bytes that were not synced: views are
 * missing, old, empty or cut, as after a power loss, but the boot is the same.
 * A container sees the same file system through a mount of its own: there
 * nothing was lost, and what people did must not be undone. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static void two_versions(Bench *b)
{
    put(b, "notes/plan", "the first");
    put(b, "notes/plan", "the second");
}

/* --- Gone and back ------------------------------------------------------------------------- */

static void what_a_lost_mount_left_is_put_right(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        int aside;
    } left[] = { { NULL, 0, 0 },         /* the file is gone */
                 { "", 0, 0 },           /* or empty */
                 { "\0\0\0\0\0", 5, 1 }, /* or zeros */
                 { "the sec", 7, 1 },    /* or cut */
                 { "the first", 9, 0 } };
    Bench *b = *state;
    two_versions(b);
    int aside = 0;
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        if (left[i].text)
            write_bytes(b, "notes/plan.txt", (Str){ left[i].text, left[i].n });
        else
            person_removes(b, "notes/plan.txt");
        remount(b, arena_printf(&b->arena, "m%zu", i + 2).p);
        assert_text(head(b, "notes/plan").body, "the second"); /* a reader sees it at once */
        put(b, "notes/other", "any write");
        assert_text(bytes_of(b, "notes/plan.txt"), "the second");
        assert_int_equal(records(b, "notes/plan").n, 2);
        aside += 2 * left[i].aside;
        assert_int_equal(files_in(b, "quarantine"), aside);
    }
}

static void an_edit_before_the_mount_was_lost_is_a_version(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_writes(b, "notes/plan.txt", "a person's");
    remount(b, "m2");
    put(b, "notes/other", "any write");
    assert_version(b, "notes/plan", 3, "outside", "a person's");
}

static void a_cursor_from_before_is_a_rescan(void **state)
{
    Bench *b = *state;
    put(b, "notes/plan", "old");
    Cursor at = changes(b, NULL, 0).next;
    remount(b, "m2");
    assert_true(changes(b, &at, 0).rescan);
}

/* --- In the same mount ---------------------------------------------------------------------- */

static void in_one_mount_a_deletion_and_an_emptied_file_are_a_persons(void **state)
{
    Bench *b = *state;
    two_versions(b);
    put(b, "notes/other", "text");
    reopen(b);
    person_removes(b, "notes/plan.txt");
    person_writes(b, "notes/other.txt", "");
    reopen(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    assert_text(head(b, "notes/other").body, "");
    put(b, "notes/third", "any write");
    assert_false(there(b, "notes/plan.txt"));
    assert_int_equal(put(b, "notes/other", "next").seq, 3);
    assert_version(b, "notes/other", 2, "outside", "");
}

static void a_mount_that_cannot_be_asked_for_is_unavailable(void **state)
{
    Bench *b = *state;
    Record r;
    two_versions(b);
    person_removes(b, "notes/plan.txt");
    store_idle(b->s); /* what closing it would note */
    Str before = tree_of(b, b->path);
    trap(b, (Trap){ .kind = IO_MOUNT, .answer = -EIO, .stays = true });
    reopen(b);
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "third", NULL), JOT_UNAVAILABLE);
    assert_status(b, try_head(b, "notes/plan", &r), JOT_UNAVAILABLE);
    assert_true(str_eq(tree_of(b, b->path), before));
    traps_clear(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
}

/* --- Several mounts of one file system ------------------------------------------------------- */

/* How many files one write opens through this mount. */
static int cost_of_a_write(Bench *b, const char *mount)
{
    remount(b, mount);
    int before = b->calls[IO_OPEN];
    put(b, "notes/other", "any write");
    return b->calls[IO_OPEN] - before;
}

static void a_host_and_a_container_by_turns_compare_once_each(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 50; i++)
        put(b, arena_printf(&b->arena, "notes/n%02d", i).p, "text");
    put(b, "notes/other", "the first");
    int host = cost_of_a_write(b, "m1"), first = cost_of_a_write(b, "m2");
    assert_true(first > host + 50);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(cost_of_a_write(b, "m1"), host);
        assert_int_equal(cost_of_a_write(b, "m2"), host);
    }
}

static void what_a_person_did_on_the_host_is_not_undone_in_the_container(void **state)
{
    Bench *b = *state;
    two_versions(b);
    cost_of_a_write(b, "m2");
    cost_of_a_write(b, "m1");
    person_removes(b, "notes/plan.txt");
    cost_of_a_write(b, "m2");
    assert_false(there(b, "notes/plan.txt"));
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
}

/* As design.md says: where mounts have nothing but ids of their own, another mount namespace is
 * another mount, and what differs there is restored. */
static void another_namespace_is_another_mount_where_only_the_mount_has_a_word(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_removes(b, "notes/plan.txt");
    remount(b, "m2");
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
    assert_int_equal(records(b, "notes/plan").n, 2);
}

static void one_word_for_all_mounts_keeps_what_a_person_did(void **state)
{
    static const char *const words[] = { "t1f", "s0.77" };
    Bench *b = *state;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        remount(b, words[i]);
        put(b, "notes/plan", "the first");
        put(b, "notes/plan", "the second");
        person_writes(b, "notes/plan.txt", "the first");
        remount(b, words[i]); /* another process, in another namespace */
        put(b, "notes/other", "any write");
        assert_text(head(b, "notes/plan").body, "the first");
        person_removes(b, "notes/plan.txt");
        remount(b, words[i]);
        put(b, "notes/other", "any write");
        assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    }
}

static void sixteen_mounts_are_remembered(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 20; i++)
        cost_of_a_write(b, arena_printf(&b->arena, "m%d", i + 1).p);
    Str said = bytes_of(b, "checked"), word;
    int words = 1;
    while (str_cut(&said, ' ', &word))
        words++;
    assert_int_equal(words, 1 + 16);
    assert_text(said, "m5");
}

static void how_far_another_mount_has_come_is_not_believed(void **state)
{
    Bench *b = *state;
    enum { MANY = 1100 };
    for (int i = 0; i < MANY; i++)
        put(b, arena_printf(&b->arena, "notes/n%05d", i).p, "text");
    remount(b, "m2");
    put(b, "notes/n00000", "again"); /* compares the first thousand */
    assert_false(compared(b));
    person_removes(b, "notes/n00007.txt");
    remount(b, "m3"); /* gone and back once more */
    put(b, "notes/n00000", "again");
    assert_true(there(b, "notes/n00007.txt"));
}

/* --- Where mounts have no word ---------------------------------------------------------------- */

static int syncs(const Bench *b)
{
    return b->calls[IO_FSYNC] + b->calls[IO_FDATASYNC];
}

static void where_mounts_have_no_word_views_are_synced_and_people_believed(void **state)
{
    Bench *b = *state;
    remount(b, "");
    two_versions(b);
    int before = syncs(b);
    put(b, "notes/plan", "the third");
    assert_int_equal(syncs(b) - before, 5); /* draft, two directories, record, exchange */
    person_removes(b, "notes/plan.txt");
    reopen(b);
    assert_int_equal(head(b, "notes/plan").mark.op, OP_DELETE);
    put(b, "notes/other", "any write");
    assert_false(there(b, "notes/plan.txt"));
}

static void where_mounts_have_no_word_zeros_are_not_believed(void **state)
{
    Bench *b = *state;
    remount(b, "");
    two_versions(b);
    reopen(b);
    write_bytes(b, "notes/plan.txt", (Str){ "\0\0\0", 3 });
    assert_text(head(b, "notes/plan").body, "the second");
    put(b, "notes/plan", "the third");
    assert_int_equal(records(b, "notes/plan").n, 3);
    assert_int_equal(files_in(b, "quarantine"), 2);
}

/* A writer died with the mount: its record has a page that was never written. */
static void where_mounts_have_no_word_a_record_without_a_page_was_never_there(void **state)
{
    Bench *b = *state;
    char text[9001] = "";
    memset(text, 'x', sizeof text - 1);
    remount(b, "");
    two_versions(b);
    put(b, "notes/plan", text);
    Str file = bytes_of(b, "streams/notes.d/plan.jsonl");
    memset((char *)file.p + 4096, 0, 4096);
    write_bytes(b, "streams/notes.d/plan.jsonl", file);
    write_bytes(b, "notes/plan.txt", S("the second"));
    reopen(b);
    assert_text(head(b, "notes/plan").body, "the second");
    assert_int_equal(head(b, "notes/plan").mark.lost, 0);
    assert_int_equal(put(b, "notes/plan", "the third").seq, 3);
}

/* Whoever has a word has left views unsynced. */
static void what_others_compared_is_no_proof_for_one_without_a_word(void **state)
{
    Bench *b = *state;
    two_versions(b);
    person_removes(b, "notes/plan.txt");
    remount(b, "");
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
    person_removes(b, "notes/plan.txt");
    remount(b, "m1");
    put(b, "notes/other", "any write");
    assert_text(bytes_of(b, "notes/plan.txt"), "the second");
}

/* --- The system's own words ------------------------------------------------------------------- */

static void the_system_says_the_same_word_for_one_mount(void **state)
{
    Bench *b = *state;
    char first[MOUNT_TEXT], again[MOUNT_TEXT];
    AUTO(Fd) fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(Fd) below = open(full_path(b, "notes"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int got = io_mount_id(&io_system, fd, first);
    if (got == -ENODATA)
        skip(); /* an old system, and no file system that it shows in /sys/fs */
    assert_int_equal(got, 0);
    assert_int_equal(io_mount_id(&io_system, below, again), 0);
    assert_string_equal(first, again);
    assert_true(first[0] == 's' || first[0] == 'm' || first[0] == 't');
    AUTO(Fd) proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (io_mount_id(&io_system, proc, again) == 0)
        assert_string_not_equal(first, again);
}

static bool tells(const char *path, char out[MOUNT_TEXT])
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return io_mount_id(&io_system, fd, out) == 0;
}

enum { MAY_NOT = 77, NO_TMPFS, OTHER_WORD, UNDONE };

/* As a child of the test, because nobody comes back from another namespace.  A pad in a tmpfs, a
 * person who deletes and reverts, then the same pad in a namespace of its own. */
static int use_a_tmpfs_from_two_namespaces(Bench *b)
{
    char here[MOUNT_TEXT], there_too[MOUNT_TEXT];
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return MAY_NOT;
    if (mount("jotter-test", b->dir, "tmpfs", 0, NULL) != 0)
        return MAY_NOT;
    b->io.mount_id = NULL; /* whatever the system says */
    b->s = open_pad(b, (StoreOptions){ .create = true });
    two_versions(b);
    put(b, "notes/other", "the first");
    put(b, "notes/other", "the second");
    reopen(b);
    if (!tells(b->path, here) || here[0] != 't')
        return NO_TMPFS;
    person_removes(b, "notes/plan.txt");
    person_writes(b, "notes/other.txt", "the first");
    if (unshare(CLONE_NEWNS) != 0 || !tells(b->path, there_too) || strcmp(here, there_too) != 0)
        return OTHER_WORD;
    reopen(b);
    put(b, "notes/third", "any write");
    bool good = head(b, "notes/plan").mark.op == OP_DELETE && !there(b, "notes/plan.txt") &&
                str_eq(head(b, "notes/other").body, S("the first"));
    return good ? 0 : UNDONE;
}

static void what_a_person_did_in_a_tmpfs_holds_in_every_mount_namespace(void **state)
{
    Bench *b = *state;
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(use_a_tmpfs_from_two_namespaces(b));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == MAY_NOT)
        skip(); /* only root may, and not everywhere */
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(what_a_lost_mount_left_is_put_right),
        BENCH_TEST(an_edit_before_the_mount_was_lost_is_a_version),
        BENCH_TEST(a_cursor_from_before_is_a_rescan),
        BENCH_TEST(in_one_mount_a_deletion_and_an_emptied_file_are_a_persons),
        BENCH_TEST(a_mount_that_cannot_be_asked_for_is_unavailable),
        BENCH_TEST(a_host_and_a_container_by_turns_compare_once_each),
        BENCH_TEST(what_a_person_did_on_the_host_is_not_undone_in_the_container),
        BENCH_TEST(another_namespace_is_another_mount_where_only_the_mount_has_a_word),
        BENCH_TEST(one_word_for_all_mounts_keeps_what_a_person_did),
        BENCH_TEST(sixteen_mounts_are_remembered),
        BENCH_TEST(how_far_another_mount_has_come_is_not_believed),
        BENCH_TEST(where_mounts_have_no_word_views_are_synced_and_people_believed),
        BENCH_TEST(where_mounts_have_no_word_zeros_are_not_believed),
        BENCH_TEST(where_mounts_have_no_word_a_record_without_a_page_was_never_there),
        BENCH_TEST(what_others_compared_is_no_proof_for_one_without_a_word),
        BENCH_TEST(the_system_says_the_same_word_for_one_mount),
        EMPTY_TEST(what_a_person_did_in_a_tmpfs_holds_in_every_mount_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
