/* test_raise.c - pads of an older format: they are read, raised and written on.
 *
 * samples/format1 is a pad that the last version with format 1 made: notes, an
 * artifact, an index document, a line log, a task and a run.  Nothing of what it
 * holds may change, and nobody who has it open may be surprised. */
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN "runs/20261118-014621_f5b2b9"
#define NOTE "notes/plan"
#define IGNORE_HEAD "# Not content: what Jotter derives, and its history.\n"
#define FILE_OF_NOTE "streams/notes.d/plan.jsonl"
#define JSON "{\"seq\" : 1, \"a\":[ 1,1 ]}"

/* --- The pad ----------------------------------------------------------------------------- */

static char copy_from[512], copy_to[512];

static int copy_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)where;
    char to[1200], bytes[8192];
    snprintf(to, sizeof to, "%s%s", copy_to, path + strlen(copy_from));
    if (kind == FTW_D)
        return mkdir(to, 0700) != 0 && errno != EEXIST;
    FILE *in = fopen(path, "re"), *out = fopen(to, "we");
    assert_true(in && out);
    size_t n = fread(bytes, 1, sizeof bytes, in);
    assert_true(n < sizeof bytes && fwrite(bytes, 1, n, out) == n);
    assert_int_equal(fclose(in), 0);
    return fclose(out);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

/* The pad as it was left by the older version; nobody has it open. */
static void old_pad(Bench *b)
{
    const char *samples = getenv("JOT_TEST_SAMPLES");
    assert_non_null(samples);
    store_close(b->s);
    b->s = NULL;
    snprintf(copy_from, sizeof copy_from, "%s/format1", samples);
    snprintf(copy_to, sizeof copy_to, "%s", b->path);
    nftw(b->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(nftw(copy_from, copy_one, 16, FTW_PHYS), 0);
}

static Store *open_it(Bench *b)
{
    Store *s = open_pad(b, (StoreOptions){ .wait_ms = 2000 });
    if (!s)
        fail_msg("%s", b->e.text);
    return s;
}

/* All that it held is there. */
static void holds_records(Bench *b)
{
    assert_version(b, NOTE, 1, "ann", "ship on friday\n");
    assert_version(b, NOTE, 2, "ann", "ship on monday\n");
    assert_version(b, "notes/gone", 2, "ann", NULL);
    assert_text(records(b, "logs/tasks/events").items[0].body, "{\"e\":1}");
    assert_text(records(b, "logs/tasks/events").items[1].body, "two");
    assert_text(records(b, RUN).items[0].body, "why?");
    assert_int_equal(records(b, "tasks/t1").n, 3);
    assert_text(head(b, "artifacts/planning/p1").body, "{\n  \"a\": 1\n}");
    assert_text(head(b, "artifacts/index/tasks/task_index.json").body,
                "{\n  \"entries\": [\n    1\n  ]\n}");
}

/* The same, and verify finds nothing. */
static void holds_everything(Bench *b)
{
    VerifyCount count;
    holds_records(b);
    assert_ok(b, store_verify(b->s, NULL, &count, &b->e));
    assert_int_equal(count.faults, 0);
}

/* --- Reading and writing ----------------------------------------------------------------- */

static void a_pad_of_format_1_is_read_as_it_is(void **state)
{
    Bench *b = *state;
    old_pad(b);
    Str before = tree_of(b, b->path);
    b->s = open_pad(b, (StoreOptions){ .read_only = true });
    holds_everything(b);
    assert_text(bytes_of(b, "format"), "jotter 1 1\n");
    assert_true(str_eq(tree_of(b, b->path), before));
}

static void the_first_write_raises_it_and_keeps_every_line(void **state)
{
    Bench *b = *state;
    old_pad(b);
    Str history = bytes_of(b, FILE_OF_NOTE), run = bytes_of(b, "runs/20261118-014621_f5b2b9.jsonl");
    b->s = open_it(b);
    assert_text(bytes_of(b, "format"), "jotter 1 1\n"); /* looking changes nothing */
    assert_int_equal(put(b, NOTE, JSON).seq, 3);
    assert_text(bytes_of(b, "format"), "jotter 3 3\n");
    assert_int_equal(entry(b, RUN, JSON).seq, 2);
    assert_true(str_starts(bytes_of(b, FILE_OF_NOTE), history));
    assert_true(str_starts(bytes_of(b, "runs/20261118-014621_f5b2b9.jsonl"), run));
    assert_true(str_ends(bytes_of(b, FILE_OF_NOTE), S("\"body\":" JSON "}\n")));
    for (int i = 0; i < 2; i++) {
        assert_text(head(b, NOTE).body, JSON);
        assert_text(head(b, RUN).body, JSON);
        holds_everything(b);
        reopen(b);
    }
}

static void where_names_ignore_case_that_is_kept(void **state)
{
    Bench *b = *state;
    old_pad(b);
    person_writes(b, "format", "jotter 1 1 casefold\n");
    b->s = open_it(b);
    put(b, NOTE, "raised");
    assert_text(bytes_of(b, "format"), "jotter 3 3 casefold\n");
}

#define INDEX "artifacts/index/tasks/task_index.json"
static void a_pad_of_format_2_gets_room_for_folders_when_nobody_else_has_it_open(void **state)
{
    Bench *b = *state;
    Record r;
    Mark m;
    put(b, "notes/Plan", "made before");
    person_writes(b, "format", "jotter 2 2\n");
    person_writes(b, ".format", "jotter 2 2\n");
    person_writes(b, "notes/hand.md", "by hand");
    DIR *signs = opendir(full_path(b, "cases"));
    assert_non_null(signs);
    for (struct dirent *d; (d = readdir(signs));)
        if (d->d_name[0] != '.')
            unlinkat(dirfd(signs), d->d_name, 0);
    closedir(signs);
    assert_int_equal(rmdir(full_path(b, "cases")), 0);
    person_writes(b, ".gitignore", IGNORE_HEAD "/streams/\n/mine"); /* and what a person added */
    reopen(b);
    Store *other = open_it(b);
    assert_status(b, try_head(b, "notes/hand", &r), JOT_NOT_FOUND);
    assert_status(b, try_put(b, "notes/a/b", ANYTHING, "x", &m), JOT_UNAVAILABLE);
    assert_non_null(strstr(b->e.text, "other programs have open"));
    put(b, "notes/plain", "is written as ever");
    assert_text(bytes_of(b, "format"), "jotter 2 2\n");
    store_close(other);
    reopen(b);
    put(b, "notes/a/b", "x");
    assert_text(bytes_of(b, "format"), "jotter 3 3\n");
    assert_text(head(b, "notes/hand").body, "by hand");
    assert_status(b, try_put(b, "notes/plan", ANYTHING, "x", &m), JOT_INVALID);
    assert_non_null(strstr(b->e.text, "from 'Plan'"));
    /* What it keeps of its own since then does not go into git. */
    assert_text(bytes_of(b, ".gitignore"), IGNORE_HEAD "/streams/\n/mine\n/cases/\n");
}

#define OLD_VIEW "artifacts/index/tasks/task_index.json.json"

static void the_view_of_an_index_document_becomes_a_mirror_and_its_last_edit_a_version(void **state)
{
    Bench *b = *state;
    old_pad(b);
    b->s = open_it(b);
    person_writes(b, "checked", ""); /* as after a reboot; then an edit is one all the same */
    person_writes(b, OLD_VIEW, "{\"edited\": 1}");
    put(b, NOTE, "raised");
    assert_text(bytes_of(b, "format"), "jotter 3 3\n");
    assert_text(head(b, INDEX).body, "{\"edited\": 1}");
    assert_text(head(b, INDEX).by, "outside");
    assert_false(there(b, OLD_VIEW));
    put(b, INDEX, "[]");
    assert_text(bytes_of(b, "index/tasks/task_index.json"), "[]");
    assert_int_equal(records(b, INDEX).n, 3);
}

/* Whoever raised it died before it came to the old views. */
static void an_old_view_that_was_left_is_nobodys_and_goes_with_a_purge_or_by_mending(void **state)
{
    Bench *b = *state;
    Mark out;
    for (int i = 0; i < 2; i++) {
        old_pad(b);
        person_writes(b, "format", "jotter 3 3\n");
        b->s = open_it(b);
        put(b, INDEX, "[2]");
        assert_true(there(b, OLD_VIEW));
        if (i)
            assert_ok(b, store_mend(b->s, &(MendOptions){ 0 }, &b->e));
        else
            assert_ok(b, store_purge(b->s, S(INDEX), NULL, S("ann"), &out, &b->e));
        assert_false(there(b, OLD_VIEW));
        assert_int_equal(files_in(b, "quarantine"), 0);
    }
}

static void a_pad_that_was_not_raised_has_no_mirrors(void **state)
{
    Bench *b = *state;
    old_pad(b);
    Store *other = open_it(b);
    b->s = open_it(b);
    entry(b, "logs/tasks/events", "three");
    put(b, INDEX, "[]");
    assert_false(there(b, "logs") || there(b, "index") || there(b, "tasks"));
    assert_text(bytes_of(b, OLD_VIEW), "[]");
    store_close(other);
    reopen(b);
    entry(b, "logs/tasks/events", "four");
    assert_text(bytes_of(b, "logs/tasks/events.jsonl"), "{\"e\":1}\ntwo\nthree\nfour\n");
}

/* --- Others ------------------------------------------------------------------------------ */

static void while_somebody_else_has_it_open_it_is_written_as_the_older_version_does(void **state)
{
    Bench *b = *state;
    old_pad(b);
    Store *other = open_it(b);
    b->s = open_it(b);
    put(b, NOTE, JSON);
    assert_text(bytes_of(b, "format"), "jotter 1 1\n");
    assert_non_null(strstr(bytes_of(b, FILE_OF_NOTE).p, "\"body\":\"{\\\"seq\\\" : 1"));
    assert_text(head(b, NOTE).body, JSON);
    store_close(other);
    put(b, NOTE, "as before"); /* a handle asks once */
    assert_text(bytes_of(b, "format"), "jotter 1 1\n");
    reopen(b);
    put(b, NOTE, "raised");
    assert_text(bytes_of(b, "format"), "jotter 3 3\n");
    holds_everything(b);
}

static void a_handle_that_holds_a_number_raises_nothing(void **state)
{
    Bench *b = *state;
    old_pad(b);
    b->s = open_it(b);
    assert_ok(b, store_hold(b->s, 7, &b->e));
    put(b, NOTE, "as before");
    assert_text(bytes_of(b, "format"), "jotter 1 1\n");
    Store *other = open_it(b);
    assert_true(store_held(other, 7));
    store_close(other);
}

/* In another process: open the pad while it is being raised, and see who holds what. */
static bool opens_meanwhile(Bench *b)
{
    Store *s = open_pad(b, (StoreOptions){ .wait_ms = 5000 });
    char word;
    if (!s || read(b->pipe[0], &word, 1) != 1)
        return false;
    bool held = store_held(s, 9);
    store_close(s);
    return held;
}

static void somebody_comes(Bench *b, IoCall *call)
{
    (void)call;
    b->other = start_elsewhere(b, opens_meanwhile);
    io_sleep_us(&io_system, 20 * 1000); /* if it comes later, it has only less to do */
}

static void whoever_waited_for_the_old_file_holds_the_new_one(void **state)
{
    Bench *b = *state;
    old_pad(b);
    b->s = open_it(b);
    assert_int_equal(pipe(b->pipe), 0);
    trap(b, (Trap){ .kind = IO_RENAME, .at = "format", .act = somebody_comes });
    put(b, NOTE, "raised");
    assert_text(bytes_of(b, "format"), "jotter 3 3\n");
    assert_ok(b, store_hold(b->s, 9, &b->e));
    assert_int_equal(write(b->pipe[1], "x", 1), 1);
    assert_true(finish(b->other));
    close(b->pipe[0]);
    close(b->pipe[1]);
}

/* --- Faults and kills -------------------------------------------------------------------- */

static void still_right(Bench *b)
{
    traps_clear(b);
    store_close(b->s);
    b->s = open_it(b);
    holds_records(b); /* what a dead writer left is told until the next write */
    put(b, NOTE, JSON);
    assert_text(head(b, NOTE).body, JSON);
    const char *boot = b->io.boot_id;
    b->io.boot_id = "99999999999999999999999999999999"; /* a reboot; there are many here */
    reopen(b);
    assert_text(head(b, NOTE).body, JSON);
    put(b, NOTE, "on");
    b->io.boot_id = boot;
    holds_everything(b);
}

static void whatever_fails_while_it_is_raised_nothing_is_lost(void **state)
{
    static const int answers[] = { -EIO, -ENOSPC };
    Bench *b = *state;
    for (int skip = 0, sprung = 1; sprung; skip++) {
        for (size_t i = 0; i < COUNT_OF(answers); i++) {
            old_pad(b);
            b->s = open_it(b);
            Trap *t = trap(b, (Trap){ .kind = IO_KINDS, .skip = skip, .answer = answers[i] });
            jot_status st = try_put(b, NOTE, ANYTHING, "x", NULL);
            (void)st;
            sprung = t->sprung;
            still_right(b);
        }
    }
}

static int kill_at;

static bool puts_and_dies(Bench *b)
{
    b->s = open_it(b);
    trap(b, (Trap){ .kind = IO_KINDS, .skip = kill_at, .act = die_here });
    put(b, NOTE, "x");
    return true;
}

static void whoever_dies_while_it_is_raised_leaves_a_pad_of_the_one_format_or_the_other(
    void **state)
{
    Bench *b = *state;
    bool done = false;
    for (kill_at = 0; !done; kill_at++) {
        old_pad(b);
        done = elsewhere(b, puts_and_dies);
        Str format = bytes_of(b, "format");
        assert_true(str_eq(format, S("jotter 1 1\n")) || str_eq(format, S("jotter 3 3\n")));
        still_right(b);
    }
    assert_true(kill_at > 10);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EMPTY_TEST(a_pad_of_format_1_is_read_as_it_is),
        BENCH_TEST(a_pad_of_format_2_gets_room_for_folders_when_nobody_else_has_it_open),
        EMPTY_TEST(the_first_write_raises_it_and_keeps_every_line),
        EMPTY_TEST(where_names_ignore_case_that_is_kept),
        EMPTY_TEST(the_view_of_an_index_document_becomes_a_mirror_and_its_last_edit_a_version),
        EMPTY_TEST(an_old_view_that_was_left_is_nobodys_and_goes_with_a_purge_or_by_mending),
        EMPTY_TEST(a_pad_that_was_not_raised_has_no_mirrors),
        EMPTY_TEST(while_somebody_else_has_it_open_it_is_written_as_the_older_version_does),
        EMPTY_TEST(a_handle_that_holds_a_number_raises_nothing),
        EMPTY_TEST(whoever_waited_for_the_old_file_holds_the_new_one),
        EMPTY_TEST(whatever_fails_while_it_is_raised_nothing_is_lost),
        EMPTY_TEST(whoever_dies_while_it_is_raised_leaves_a_pad_of_the_one_format_or_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
