/* test_list.c - names in byte order out of two trees that people and processes change.
 *
 * A large directory is kept between two calls, so that the next page of a
 * listing costs a page.  What is kept is never older than the directory. */
#include "bench.h"

#include "store/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 400 }; /* more than what is worth keeping */

static const char *note(Bench *b, const char *format, int i)
{
    char name[64];
    snprintf(name, sizeof name, "%s", format);
    char *at = strchr(name, '#');
    char text[96];
    snprintf(text, sizeof text, "%.*s%04d%s", (int)(at - name), name, i, at + 1);
    return arena_cstr(&b->arena, str(text));
}

/* Let a directory look as if it had not been changed for a while: only then is it kept. */
static void settle(Bench *b, const char *path)
{
    struct timespec past[2] = { { .tv_sec = 1700000000 }, { .tv_sec = 1700000000 } };
    assert_int_equal(utimensat(AT_FDCWD, full_path(b, path), past, 0), 0);
}

static void many_notes(Bench *b)
{
    for (int i = 0; i < MANY; i++)
        put(b, note(b, "notes/n#", i), "text");
    settle(b, "notes");
    settle(b, "streams/notes.d");
}

static Listing page_after(Bench *b, const char *prefix, const char *after, size_t limit)
{
    Listing page = { 0 };
    assert_ok(b,
              store_list(b->s,
                         &(ListQuery){ .prefix = str(prefix), .after = str(after), .limit = limit },
                         &b->arena, &page, &b->e));
    return page;
}

/* All names, page by page; they must ascend. */
static size_t count_all(Bench *b, const char *prefix, size_t limit)
{
    const char *after = "";
    for (size_t n = 0;;) {
        Listing page = page_after(b, prefix, after, limit);
        for (size_t i = 0; i < page.n; i++, n++) {
            assert_true(str_cmp(page.items[i].name, str(after)) > 0);
            after = arena_cstr(&b->arena, page.items[i].name);
        }
        if (!page.more)
            return n;
        assert_int_equal(page.n, limit);
    }
}

/* --- What is kept -------------------------------------------------------------------------- */

static void the_next_page_is_taken_from_what_was_kept(void **state)
{
    Bench *b = *state;
    many_notes(b);
    assert_int_equal(count_all(b, "notes/", 50), MANY);
    traps_clear(b);
    page_after(b, "notes/", "notes/n0100", 10);
    int opened = b->calls[IO_OPEN];
    assert_true(opened < 60); /* the page, and not another pass over all */
}

static void a_name_made_between_two_pages_is_there(void **state)
{
    Bench *b = *state;
    many_notes(b);
    page_after(b, "notes/", "", 10);
    put(b, "notes/n0399x", "text");
    assert_int_equal(count_all(b, "notes/", 50), MANY + 1);
    assert_true(lists(b, "notes/", "notes/n0399x"));
}

static void a_file_dropped_between_two_pages_is_there(void **state)
{
    Bench *b = *state;
    many_notes(b);
    page_after(b, "notes/", "", 10);
    person_writes(b, "notes/found.txt", "by hand");
    assert_true(lists(b, "notes/", "notes/found"));
}

static void a_name_deleted_between_two_pages_is_gone(void **state)
{
    Bench *b = *state;
    many_notes(b);
    page_after(b, "notes/", "", 10);
    bury(b, "notes/n0200");
    person_removes(b, "notes/n0300.txt");
    assert_int_equal(count_all(b, "notes/", 50), MANY - 2);
    assert_false(lists(b, "notes/", "notes/n0200"));
    assert_false(lists(b, "notes/", "notes/n0300"));
}

static bool add_one(Bench *b)
{
    b->s = open_pad(b, (StoreOptions){ 0 });
    return try_put(b, "notes/elsewhere", ANYTHING, "text", NULL) == JOT_OK;
}

static void a_name_made_by_another_process_is_there(void **state)
{
    Bench *b = *state;
    many_notes(b);
    page_after(b, "notes/", "", 10);
    assert_true(elsewhere(b, add_one));
    assert_true(lists(b, "notes/", "notes/elsewhere"));
}

static void an_edit_shows_although_the_names_are_the_same(void **state)
{
    Bench *b = *state;
    many_notes(b);
    page_after(b, "notes/", "", 10);
    person_writes(b, "notes/n0001.txt", "changed in place");
    Listing page = page_after(b, "notes/n0001", "", 1);
    assert_int_equal(page.items[0].mark.seq, 0);
    assert_int_equal(page.items[0].mark.size, strlen("changed in place"));
}

static void a_level_that_is_kept_survives_its_own_sublevels(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY; i++) {
        put(b, note(b, "memories/m#", i), "text");
        put(b, note(b, "memories/a/s#", i), "text");
    }
    settle(b, "memories");
    settle(b, "streams/memories.d");
    settle(b, "memories/a");
    settle(b, "streams/memories.d/a.d");
    page_after(b, "memories/m", "", 10); /* the upper level is kept now */
    assert_int_equal(page_after(b, "memories/", "", 1000).n,
                     2 * MANY); /* and used above the lower */
    assert_int_equal(count_all(b, "memories/", 300), 2 * MANY);
}

static void snapshots_are_listed_from_streams_and_from_files(void **state)
{
    Bench *b = *state;
    put(b, "snapshots/default/b_before", "text");
    put(b, "snapshots/zoe/b_after", "text");
    person_writes(b, "cycles/a_before.yaml", "by hand");
    person_writes(b, "cycles/ann/a_after.yaml", "by hand");
    person_writes(b, "cycles/ann.yaml", "nobody's");
    put(b, "snapshots/ann/c_after", "text");
    static const char *const want[] = { "snapshots/ann/a_after", "snapshots/ann/c_after",
                                        "snapshots/default/a_before", "snapshots/default/b_before",
                                        "snapshots/zoe/b_after" };
    assert_int_equal(count_all(b, "snapshots/", 2), COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++)
        assert_true(lists(b, "snapshots/", want[i]));
    assert_int_equal(count_all(b, "snapshots/default/", 1), 2);
    assert_int_equal(count_all(b, "cycles/", 10), 0);
}

static void many_cycles_are_seen_when_they_begin_and_end(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY; i++)
        put(b, note(b, "cycles/c#", i), "text");
    assert_int_equal(mkdir(full_path(b, "cycles/late"), 0700), 0);
    settle(b, "cycles");
    settle(b, "streams/cycles.d");
    assert_int_equal(count_all(b, "cycles/", 50), MANY);
    person_writes(b, "cycles/late/active.yaml", "by hand"); /* changes only the directory below */
    assert_true(lists(b, "cycles/", "cycles/late"));
}

/* --- Order --------------------------------------------------------------------------------- */

static void names_come_in_byte_order_whatever_is_a_directory(void **state)
{
    Bench *b = *state;
    static const char *const sorted[] = {
        "artifacts/a",
        "artifacts/a-b/x",
        "artifacts/a.b",
        "artifacts/a/b",
        "artifacts/a0",
        "cycles/default",
        "cycles/zoe",
        "logs/x/1",
        "logs/x/2",
        "memories/A",
        "memories/a b",
        "memories/a!b/c",
        "memories/a-",
        "memories/a.d/x.md",
        "memories/a/b",
        "memories/a/b.jsonl",
        "memories/b\xc3\xa9",
        "memories/\xc3\xa9",
        "notes/-",
        "notes/B",
        "notes/a",
        "notes/a-",
        "notes/b/c",
        "notes/\xc3\xa4",
        "runs/r",
        "tasks/t.jsonl",
    };
    for (size_t i = COUNT_OF(sorted); i-- > 0;) {
        if (strcmp(sorted[i], "artifacts/a") == 0)
            continue; /* it cannot be beside artifacts/a/b */
        if (i % 3 && store_kind(str(sorted[i]))->document)
            put(b, sorted[i], "text");
        else if (store_kind(str(sorted[i]))->document)
            put(b, sorted[i], "text too");
        else
            entry(b, sorted[i], "text");
    }
    for (size_t limit = 1; limit < 40; limit += 6) {
        size_t n = count_all(b, "", limit);
        assert_int_equal(n, COUNT_OF(sorted) - 1);
    }
    Listing all = listed(b, "");
    for (size_t i = 0; i < all.n; i++)
        assert_text(all.items[i].name, sorted[i + 1]);
}

static void a_page_can_begin_anywhere_and_a_prefix_end_anywhere(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < 30; i++)
        put(b, note(b, i % 2 ? "memories/d/x#" : "memories/d#/x", i), "text");
    Listing all = listed(b, "");
    for (size_t i = 0; i < all.n; i++) {
        const char *name = arena_cstr(&b->arena, all.items[i].name);
        Listing rest = page_after(b, "", name, 1000);
        assert_int_equal(rest.n, all.n - i - 1);
        for (size_t cut = 0; cut <= strlen(name); cut++) {
            Str prefix = { name, cut };
            size_t want = 0;
            for (size_t k = 0; k < all.n; k++)
                want += str_starts(all.items[k].name, prefix);
            assert_int_equal(page_after(b, arena_cstr(&b->arena, prefix), "", 1000).n, want);
        }
    }
}

static void strange_files_in_a_pad_are_no_names(void **state)
{
    Bench *b = *state;
    static const char *const files[] = {
        "streams/x.jsonl",        "streams/notes.d/a b.jsonl", "streams/notes.d/.x.jsonl",
        "streams/notes.d/x.json", "streams/Bad.d/x.jsonl",     "runs/sub/x.jsonl",
        "runs/.x.jsonl",          "streams/runs.d/x.jsonl",    "streams/notes.d/sub.d/x.jsonl",
        "other/x.jsonl",          "memories/.hidden/x",        "memories/end./x",
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        person_writes(b, files[i], "{\"seq\":1}\n");
    put(b, "notes/plan", "text");
    reboot(b);
    put(b, "notes/plan", "more");
    assert_int_equal(listed(b, "").n, 1);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        assert_text(bytes_of(b, files[i]), "{\"seq\":1}\n");
}

static void an_error_while_listing_is_told(void **state)
{
    Bench *b = *state;
    Listing page;
    put(b, "notes/plan", "text");
    trap(b, (Trap){ .kind = IO_OPEN, .at = "streams", .answer = -EMFILE });
    jot_status st = store_list(b->s, &(ListQuery){ .limit = 10 }, &b->arena, &page, &b->e);
    assert_status(b, st, JOT_UNAVAILABLE);
    trap(b, (Trap){ .kind = IO_READ, .at = "plan.jsonl", .answer = -EIO });
    st = store_list(b->s, &(ListQuery){ .limit = 10 }, &b->arena, &page, &b->e);
    assert_status(b, st, JOT_IO);
}

static void the_file_of_a_note_has_one_of_two_endings_and_leads_back_to_it(void **state)
{
    Bench *b = *state;
    static const struct {
        const char *name, *stream, *view, *turned;
    } rows[] = {
        { "notes/plan", "streams/notes.d/plan.jsonl", "notes/plan.txt", "notes/plan.md" },
        { "notes/v1.2", "streams/notes.d/v1.2.jsonl", "notes/v1.2.txt", "notes/v1.2.md" },
        { "notes/a/b", "streams/notes.d/a.d/b.jsonl", "notes/a/b.txt", "notes/a/b.md" },
        { "notes/\xc3\xa4/\xe8\xa8\x88", "streams/notes.d/\xc3\xa4.d/\xe8\xa8\x88.jsonl",
          "notes/\xc3\xa4/\xe8\xa8\x88.txt", "notes/\xc3\xa4/\xe8\xa8\x88.md" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Buf) name = { 0 };
        Paths p = paths_of((Files *)b->s, str(rows[i].name));
        assert_string_equal(p.path, rows[i].stream);
        assert_string_equal(p.view_path, rows[i].view);
        paths_turn(&p);
        assert_string_equal(p.view_path, rows[i].turned);
        assert_true(stream_of_view((Files *)b->s, str(p.view_path), &name));
        assert_true(str_eq(buf_str(&name), str(rows[i].name)));
        paths_turn(&p);
        assert_string_equal(p.view_path, rows[i].view);
    }
}

/* Both forms of a listing of what lives have the same names. */
static void check_both_forms(Bench *b)
{
    ListQuery q = { .limit = 100, .which = LIST_LIVE };
    Listing heads = { 0 }, alone = { 0 };
    assert_ok(b, store_list(b->s, &q, &b->arena, &heads, &b->e));
    q.which = LIST_LIVE_NAMES;
    assert_ok(b, store_list(b->s, &q, &b->arena, &alone, &b->e));
    assert_int_equal(alone.n, heads.n);
    for (size_t i = 0; i < heads.n; i++)
        assert_true(str_eq(alone.items[i].name, heads.items[i].name));
}

/* Names alone are read off the directories where that is enough, and nowhere else. */
static void names_alone_are_those_of_heads_whatever_people_do(void **state)
{
    Bench *b = *state;
    const char *names[] = { "notes/a", "notes/b", "notes/c", "notes/d", "notes/e" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(b, names[i], "text");
    entry(b, "runs/r", "one");
    put(b, "memories/deep/er.md", "text");
    check_both_forms(b);
    bury(b, "notes/b");
    assert_int_equal(unlink(full_path(b, "notes/c.txt")), 0); /* a person deletes it */
    person_writes(b, "notes/d.txt", "edited");
    person_writes(b, "notes/dropped.txt", "new");
    check_both_forms(b);
    assert_int_equal(symlink("a.txt", full_path(b, "notes/link.txt")), 0);
    assert_int_equal(mkfifo(full_path(b, "notes/pipe.txt"), 0600), 0);
    person_writes(b, "notes/no key.txt", "text");
    check_both_forms(b);
    person_writes(b, "notes/.e.txt.new", ""); /* as a writer that died leaves it */
    check_both_forms(b);
    assert_int_equal(unlink(full_path(b, "notes/a.txt")), 0);
    person_writes(b, "notes/b.txt", "text"); /* a version that was deleted */
    reboot(b); /* what is missing was lost, what is known was removed */
    check_both_forms(b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BENCH_TEST(the_file_of_a_note_has_one_of_two_endings_and_leads_back_to_it),
        BENCH_TEST(the_next_page_is_taken_from_what_was_kept),
        BENCH_TEST(a_name_made_between_two_pages_is_there),
        BENCH_TEST(a_file_dropped_between_two_pages_is_there),
        BENCH_TEST(a_name_deleted_between_two_pages_is_gone),
        BENCH_TEST(a_name_made_by_another_process_is_there),
        BENCH_TEST(an_edit_shows_although_the_names_are_the_same),
        BENCH_TEST(a_level_that_is_kept_survives_its_own_sublevels),
        BENCH_TEST(snapshots_are_listed_from_streams_and_from_files),
        BENCH_TEST(many_cycles_are_seen_when_they_begin_and_end),
        BENCH_TEST(names_come_in_byte_order_whatever_is_a_directory),
        BENCH_TEST(a_page_can_begin_anywhere_and_a_prefix_end_anywhere),
        BENCH_TEST(strange_files_in_a_pad_are_no_names),
        BENCH_TEST(an_error_while_listing_is_told),
        BENCH_TEST(names_alone_are_those_of_heads_whatever_people_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
