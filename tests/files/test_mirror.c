/* test_mirror.c - the files that only show: line logs, tasks, index documents.
 *
 * The stream decides.  A mirror follows each write, is made again where it is
 * missing or old, and is never read back: what a person made of it lies in quarantine/
 * afterwards.  What is forgotten is in no mirror. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define LOG "logs/tasks/events"
#define FILE_OF_LOG "logs/tasks/events.jsonl"
#define TASK "tasks/t1"
#define SNAPSHOT "tasks/t1.json"
#define EVENTS "tasks/t1.events.jsonl"
#define INDEX "artifacts/index/tasks/task_index.json"
#define FILE_OF_INDEX "index/tasks/task_index.json"
#define DID(what, status) "{\"event\":{\"type\":\"" what "\"},\"task\":{\"status\":\"" status "\"}}"

static void lines(Bench *b)
{
    entry(b, LOG, "{\"e\": 1}");
    entry(b, LOG, "two");
}

/* --- What they show ---------------------------------------------------------------------- */

static void a_line_log_is_a_file_of_its_lines(void **state)
{
    Bench *b = *state;
    lines(b);
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\n");
    entry(b, LOG, "");
    entry(b, LOG, "four");
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\n\nfour\n");
    reopen(b);
    entry(b, LOG, "five");
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\n\nfour\nfive\n");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void a_task_is_a_file_of_its_state_and_one_of_its_events(void **state)
{
    Bench *b = *state;
    entry(b, TASK, DID("created", "pending"));
    entry(b, TASK, DID("state_changed", "ready"));
    assert_text(bytes_of(b, SNAPSHOT), "{\n  \"status\": \"ready\"\n}\n");
    Str events = bytes_of(b, EVENTS);
    assert_non_null(
        strstr(events.p, "\"by\":\"ann\",\"event\":{\"type\":\"created\"}}\n{\"at\":\"2"));
    assert_true(str_ends(events, S("\"event\":{\"type\":\"state_changed\"}}\n")));
}

static void an_index_document_is_a_file_under_its_own_name(void **state)
{
    Bench *b = *state;
    put(b, INDEX, "{\n  \"entries\": []\n}");
    assert_text(bytes_of(b, FILE_OF_INDEX), "{\n  \"entries\": []\n}");
    put(b, INDEX, "{}");
    put(b, "artifacts/index/plain", "[]");
    assert_text(bytes_of(b, FILE_OF_INDEX), "{}");
    assert_text(bytes_of(b, "index/plain.json"), "[]");
    assert_false(there(b, "artifacts/index"));
    bury(b, INDEX);
    assert_false(there(b, FILE_OF_INDEX));
    put(b, INDEX, "[1]");
    assert_text(bytes_of(b, FILE_OF_INDEX), "[1]");
    assert_text(head(b, INDEX).body, "[1]");
}

static void of_two_names_that_lead_to_one_file_the_files_own_has_it(void **state)
{
    Bench *b = *state;
    entry(b, "logs/a", "short");
    assert_text(bytes_of(b, "logs/a.jsonl"), "short\n");
    entry(b, "logs/a.jsonl", "own");
    assert_text(bytes_of(b, "logs/a.jsonl"), "own\n");
    entry(b, "logs/a", "again");
    entry(b, "logs/a.jsonl", "once more");
    assert_text(bytes_of(b, "logs/a.jsonl"), "own\nonce more\n");
    assert_int_equal(files_in(b, "quarantine"), 2); /* what showed the other, once */
    entry(b, "logs/build.log", "a name with a dot");
    assert_text(bytes_of(b, "logs/build.log"), "a name with a dot\n");
}

/* --- Following --------------------------------------------------------------------------- */

static void a_mirror_that_is_missing_or_old_is_made_again_by_the_next_write(void **state)
{
    static const char *const left[] = { NULL, "", "{\"e\":", "{\"e\": 1}\n", "{\"e\": 1}\ntw" };
    Bench *b = *state;
    lines(b);
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        if (left[i])
            person_writes(b, FILE_OF_LOG, left[i]);
        else
            person_removes(b, FILE_OF_LOG);
        entry(b, LOG, "x");
        assert_int_equal(bytes_of(b, FILE_OF_LOG).n, strlen("{\"e\": 1}\ntwo\n") + 2 * (i + 1));
    }
    entry(b, TASK, DID("created", "pending"));
    entry(b, TASK, DID("changed", "ready"));
    person_writes(b, SNAPSHOT, "{\n  \"status\": \"pending\"\n}\n"); /* as it was */
    entry(b, TASK, DID("changed", "running"));
    assert_text(bytes_of(b, SNAPSHOT), "{\n  \"status\": \"running\"\n}\n");
    assert_int_equal(files_in(b, "quarantine"), 0);
}

static void an_edit_is_kept_aside_and_never_read(void **state)
{
    Bench *b = *state;
    lines(b);
    person_writes(b, FILE_OF_LOG, "{\"e\": 1}\nTWO\n");
    assert_text(records(b, LOG).items[1].body, "two");
    entry(b, LOG, "three");
    assert_int_equal(records(b, LOG).n, 3);
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\nthree\n");
    assert_int_equal(quarantined(b, "{\"e\": 1}\nTWO\n"), 1);
    put(b, INDEX, "{}");
    person_saves(b, FILE_OF_INDEX, "{\"mine\":1}");
    assert_text(head(b, INDEX).body, "{}");
    put(b, INDEX, "[]");
    assert_text(bytes_of(b, FILE_OF_INDEX), "[]");
    assert_int_equal(quarantined(b, "{\"mine\":1}"), 1);
    assert_int_equal(records(b, INDEX).n, 2);
}

static int edits, stale;

static void count(void *ctx, const StoreFault *f)
{
    (void)ctx;
    edits += f->kind == FAULT_EDIT && strstr(f->what, "was edited") != NULL;
    stale += f->kind == FAULT_EDIT && strstr(f->what, "newest") != NULL;
}

static void verify_tells_and_mending_makes_it_again(void **state)
{
    Bench *b = *state;
    VerifyHooks hooks = { .fault = count };
    VerifyCount seen;
    lines(b);
    entry(b, "logs/other", "1");
    entry(b, TASK, DID("created", "pending"));
    assert_ok(b, store_verify(b->s, &hooks, &seen, &b->e));
    assert_int_equal(seen.faults + (uint64_t)edits + (uint64_t)stale, 0);
    person_writes(b, FILE_OF_LOG, "mine");
    person_writes(b, SNAPSHOT, "mine");
    person_writes(b, "logs/other.jsonl", "");
    assert_ok(b, store_verify(b->s, &hooks, &seen, &b->e));
    assert_int_equal(edits, 2);
    assert_int_equal(stale, 1);
    assert_int_equal(seen.faults, 0);
    assert_ok(b, store_mend(b->s, &(MendOptions){ 0 }, &b->e));
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\n");
    assert_text(bytes_of(b, SNAPSHOT), "{\n  \"status\": \"pending\"\n}\n");
    assert_text(bytes_of(b, "logs/other.jsonl"), "1\n");
    assert_int_equal(quarantined(b, "mine"), 2);
}

static void after_a_reboot_every_mirror_is_compared_whatever_its_time_says(void **state)
{
    Bench *b = *state;
    struct stat info;
    lines(b);
    assert_int_equal(stat(full_path(b, FILE_OF_LOG), &info), 0);
    person_writes(b, FILE_OF_LOG, "{\"e\": 1}\n");
    struct timespec times[2] = { info.st_atim, info.st_mtim };
    assert_int_equal(utimensat(AT_FDCWD, full_path(b, FILE_OF_LOG), times, 0), 0);
    reboot(b);
    put(b, "notes/any", "write");
    assert_text(bytes_of(b, FILE_OF_LOG), "{\"e\": 1}\ntwo\n");
}

static void what_stands_in_the_way_of_a_mirror_stops_no_write(void **state)
{
    Bench *b = *state;
    assert_int_equal(mkdir(full_path(b, "logs"), 0700), 0);
    assert_int_equal(mkdir(full_path(b, "logs/a.jsonl"), 0700), 0);
    entry(b, "logs/a", "one");
    entry(b, "logs/a.jsonl/b", "below it");
    person_writes(b, "tasks", "a file");
    entry(b, TASK, DID("created", "pending"));
    assert_int_equal(symlink("/etc/passwd", full_path(b, "logs/s.jsonl")), 0);
    entry(b, "logs/s", "one");
    assert_text(bytes_of(b, "logs/s.jsonl"), "one\n");
    trap(b, (Trap){ .kind = IO_WRITE, .at = "s.jsonl", .skip = 1, .answer = -ENOSPC });
    entry(b, "logs/s", "two");
    entry(b, "logs/s", "three");
    assert_text(bytes_of(b, "logs/s.jsonl"), "one\ntwo\nthree\n");
    assert_int_equal(records(b, "logs/a").n + records(b, TASK).n, 2);
}

/* --- Forgetting -------------------------------------------------------------------------- */

static void what_is_forgotten_is_in_no_mirror(void **state)
{
    Bench *b = *state;
    Mark out;
    uint64_t dropped;
    entry(b, LOG, "canary");
    entry(b, LOG, "two");
    entry(b, TASK, DID("canary", "canary"));
    entry(b, TASK, DID("clean", "clean"));
    put(b, INDEX, "[\"canary\"]");
    put(b, INDEX, "[]");
    assert_ok(b, store_redact(b->s, S(LOG), NULL, 1, &b->e));
    assert_ok(b, store_redact(b->s, S(TASK), NULL, 1, &b->e));
    assert_ok(b, store_redact(b->s, S(INDEX), NULL, 1, &b->e));
    assert_null(find_text(b, "canary"));
    assert_text(bytes_of(b, FILE_OF_LOG), "[redacted]\ntwo\n");
    assert_true(str_starts(bytes_of(b, EVENTS), S("{\"at\":")));
    for (int i = 0; i < 20; i++)
        entry(b, LOG, "x");
    assert_ok(b, store_trim(b->s, S(LOG), NULL, 100, &dropped, &b->e));
    assert_int_equal(bytes_of(b, FILE_OF_LOG).n, 2 * STORE_ID_WINDOW);
    entry(b, LOG, "canary");
    entry(b, TASK, DID("canary", "canary"));
    put(b, INDEX, "[\"canary\"]");
    person_writes(b, FILE_OF_LOG, "canary of a person");
    assert_ok(b, store_purge(b->s, S(LOG), NULL, S("ann"), &out, &b->e));
    assert_ok(b, store_purge(b->s, S(TASK), NULL, S("ann"), &out, &b->e));
    assert_ok(b, store_purge(b->s, S(INDEX), NULL, S("ann"), &out, &b->e));
    assert_null(find_text(b, "canary"));
    assert_false(there(b, FILE_OF_LOG) || there(b, SNAPSHOT) || there(b, EVENTS));
    assert_false(there(b, FILE_OF_INDEX));
    entry(b, LOG, "clean");
    assert_text(bytes_of(b, FILE_OF_LOG), "clean\n");
}

static int kill_at;

static bool writes_and_dies(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    trap(b, (Trap){ .kind = IO_KINDS, .skip = kill_at, .act = die_here });
    entry(b, LOG, "canary");
    entry(b, TASK, DID("canary", "canary"));
    return true;
}

static void whoever_dies_at_a_mirror_leaves_nothing_that_a_purge_would_not_find(void **state)
{
    Bench *b = *state;
    Mark out;
    bool done = false;
    for (kill_at = 0; !done; kill_at++) {
        lines(b);
        entry(b, TASK, DID("created", "pending"));
        done = elsewhere(b, writes_and_dies);
        reopen(b);
        if (kill_at % 2) {
            entry(b, LOG, "next");
            assert_true(str_ends(bytes_of(b, FILE_OF_LOG), S("next\n")));
            Str shown = bytes_of(b, FILE_OF_LOG);
            Records all = records(b, LOG);
            size_t bytes = 0;
            for (size_t i = 0; i < all.n; i++)
                bytes += all.items[i].mark.op == OP_APPEND ? all.items[i].body.n + 1 : 0;
            assert_int_equal(shown.n, bytes);
        }
        assert_ok(b, store_purge(b->s, S(LOG), NULL, S("ann"), &out, &b->e));
        assert_ok(b, store_purge(b->s, S(TASK), NULL, S("ann"), &out, &b->e));
        assert_null(find_text(b, "canary"));
    }
    assert_true(kill_at > 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(a_line_log_is_a_file_of_its_lines),
        BENCH_TEST(a_task_is_a_file_of_its_state_and_one_of_its_events),
        BENCH_TEST(an_index_document_is_a_file_under_its_own_name),
        BENCH_TEST(of_two_names_that_lead_to_one_file_the_files_own_has_it),
        BENCH_TEST(a_mirror_that_is_missing_or_old_is_made_again_by_the_next_write),
        BENCH_TEST(an_edit_is_kept_aside_and_never_read),
        BENCH_TEST(verify_tells_and_mending_makes_it_again),
        BENCH_TEST(after_a_reboot_every_mirror_is_compared_whatever_its_time_says),
        BENCH_TEST(what_stands_in_the_way_of_a_mirror_stops_no_write),
        BENCH_TEST(what_is_forgotten_is_in_no_mirror),
        BENCH_TEST(whoever_dies_at_a_mirror_leaves_nothing_that_a_purge_would_not_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
