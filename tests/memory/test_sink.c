/* test_sink.c - results of tools: once and for ever, thresholds, previews, ranges. */
#include "memory/artifact/sink.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"
#include "memory/desk.h"
#include "memory/frame/pointer.h"

static Str repeat(Desk *d, const char *unit, size_t times)
{
    AUTO(Buf) b = { 0 };
    for (size_t i = 0; i < times; i++)
        buf_add(&b, str(unit));
    return arena_copy(&d->a, buf_str(&b));
}

static SinkView put(Desk *d, const char *call, Str result)
{
    SinkView v;
    SinkPut p = { .call = str(call), .tool = S("grep"), .result = result };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    return v;
}

static SinkSlice get(Desk *d, const char *call, SinkUnit unit, uint64_t from, uint64_t count)
{
    SinkSlice s;
    SinkRange r = { unit, from, count };
    desk_ok(d, sink_read(&d->m, str(call), &r, &d->a, &s, &d->e));
    return s;
}

/* --- Once and for ever ----------------------------------------------------------------- */

static void refuses(Desk *d, Memory *m, const char *call)
{
    SinkView v;
    SinkPut p = { .call = str(call), .tool = S("grep"), .result = S("other") };
    desk_expect(d, JOT_ID_REUSED, sink_write(m, &p, &d->a, &v, NULL, &d->e));
    assert_says(d, "already persisted; overwrites are immutable");
}

static void a_result_is_persisted_once(Desk *d)
{
    put(d, "call_1.2:3", S("first"));
    refuses(d, &d->m, "call_1.2:3");
    assert_text(get(d, "call_1.2:3", SINK_WHOLE, 0, 0).text, "first");
}

static void a_duplicate_gets_what_was_persisted_and_whether_it_is_the_same(Desk *d)
{
    SinkView v;
    bool same;
    put(d, "c", S("first"));
    SinkPut p = { .call = S("c"), .tool = S("grep"), .result = S("first") };
    desk_expect(d, JOT_ID_REUSED, sink_write(&d->m, &p, &d->a, &v, &same, &d->e));
    assert_true(same);
    p.result = S("second");
    desk_expect(d, JOT_ID_REUSED, sink_write(&d->m, &p, &d->a, &v, &same, &d->e));
    assert_false(same);
    assert_text(v.shown, "first");
}

static void a_call_stays_taken_after_delete_and_purge(Desk *d)
{
    Mark mark;
    put(d, "gone", S("text"));
    put(d, "purged", S("text"));
    desk_ok(d, artifact_delete(&d->m, S("tool_results"), S("gone"), NULL, &d->a, &d->e));
    desk_ok(d, store_purge(d->m.store, S("artifacts/tool_results/purged"), NULL, S("ann"), &mark,
                           &d->e));
    refuses(d, &d->m, "gone");
    refuses(d, &d->m, "purged");
    SinkSlice s;
    desk_expect(d, JOT_NOT_FOUND, sink_read(&d->m, S("gone"), &(SinkRange){ 0 }, &d->a, &s, &d->e));
}

static void a_call_stays_taken_after_a_restart_and_for_others(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    put(d, "c", S("text"));
    Memory other = desk_open(d, "bob");
    refuses(d, &other, "c");
    memory_close(&other);
    desk_reopen(d);
    refuses(d, &d->m, "c");
}

/* A child persists results and says so for each, until it is killed. */
static pid_t start_child(Desk *d, int to)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Memory m = desk_open(d, "child");
    for (int i = 0;; i++) {
        AUTO(Arena) a = { 0 };
        SinkView v;
        SinkPut p = { .call = arena_printf(&a, "call:%d", i),
                      .tool = S("grep"),
                      .result = S("kept") };
        if (sink_write(&m, &p, &a, &v, NULL, NULL) != JOT_OK || write(to, "x", 1) != 1)
            _exit(1);
    }
}

static void what_was_acknowledged_before_a_kill_is_refused_afterwards(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    int ends[2], acknowledged = 0;
    char x;
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_child(d, ends[1]);
    close(ends[1]);
    for (; acknowledged < 10; acknowledged++)
        assert_int_equal(read(ends[0], &x, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    while (read(ends[0], &x, 1) == 1)
        acknowledged++;
    close(ends[0]);
    for (int i = 0; i < acknowledged; i++) {
        const char *call = arena_printf(&d->a, "call:%d", i).p;
        refuses(d, &d->m, call);
        assert_text(get(d, call, SINK_WHOLE, 0, 0).text, "kept");
    }
    /* The next one was kept whole or not at all, and the second try learns which. */
    SinkView v;
    bool same;
    SinkPut p = { .call = arena_printf(&d->a, "call:%d", acknowledged),
                  .tool = S("grep"),
                  .result = S("kept") };
    jot_status st = sink_write(&d->m, &p, &d->a, &v, &same, &d->e);
    assert_true(st == JOT_OK || (st == JOT_ID_REUSED && same));
}

static void of_two_processes_with_one_call_exactly_one_wins(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    enum { CALLS = 15 };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        Memory m = desk_open(d, "child");
        for (int i = 0; i < CALLS; i++) {
            AUTO(Arena) a = { 0 };
            SinkView v;
            SinkPut p = { .call = arena_printf(&a, "c%d", i),
                          .tool = S("t"),
                          .result = S("child") };
            char won = sink_write(&m, &p, &a, &v, NULL, NULL) == JOT_OK ? '1' : '0';
            if (write(ends[1], &won, 1) != 1)
                _exit(1);
        }
        memory_close(&m);
        _exit(0);
    }
    close(ends[1]);
    Memory mine = desk_open(d, "parent");
    for (int i = 0; i < CALLS; i++) {
        SinkView v;
        char won;
        SinkPut p = { .call = arena_printf(&d->a, "c%d", i),
                      .tool = S("t"),
                      .result = S("parent") };
        bool here = sink_write(&mine, &p, &d->a, &v, NULL, NULL) == JOT_OK;
        assert_int_equal(read(ends[0], &won, 1), 1);
        assert_true(here != (won == '1'));
        assert_text(get(d, p.call.p, SINK_WHOLE, 0, 0).text, here ? "parent" : "child");
    }
    close(ends[0]);
    memory_close(&mine);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* --- What the context gets ------------------------------------------------------------- */

static void at_the_threshold_a_result_is_inline_and_a_byte_more_is_spilled(Desk *d)
{
    SinkView v = put(d, "n", repeat(d, "x", SINK_INLINE_BYTES));
    assert_false(v.spilled);
    assert_int_equal(v.shown.n, SINK_INLINE_BYTES);
    v = put(d, "n1", repeat(d, "x", SINK_INLINE_BYTES + 1));
    assert_true(v.spilled);
    assert_int_equal(v.shown.n, SINK_PREVIEW_CHARS);
    SinkPut p = {
        .call = S("own"), .tool = S("t"), .result = repeat(d, "x", 3000), .inline_max = 3000
    };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    assert_false(v.spilled);
    desk_ok(d, sink_view(&d->m, S("own"), 2999, &d->a, &v, &d->e));
    assert_true(v.spilled);
}

static void the_threshold_counts_bytes_and_the_preview_characters(Desk *d)
{
    Str text = repeat(d, "\xc3\xa9", SINK_INLINE_BYTES / 2 + 1);
    SinkView v = put(d, "c", text);
    assert_true(v.spilled);
    assert_int_equal(v.shown.n, 2 * SINK_PREVIEW_CHARS);
    assert_int_equal(utf8_count(v.shown), SINK_PREVIEW_CHARS);
    assert_true(utf8_valid(v.shown));
}

static void a_preview_is_never_longer_than_the_threshold(Desk *d)
{
    SinkView v;
    SinkPut p = { .call = S("c"), .tool = S("t"), .result = S("abc\xc3\xa9z"), .inline_max = 4 };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    assert_true(v.spilled);
    assert_text(v.shown, "abc");
}

static void a_tool_that_is_always_inline_is_shown_whole_also_later(Desk *d)
{
    SinkView v;
    SinkPut p = {
        .call = S("c"), .tool = S("t"), .result = repeat(d, "x", 50000), .always_inline = true
    };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    assert_false(v.spilled);
    desk_ok(d, sink_view(&d->m, S("c"), 0, &d->a, &v, &d->e));
    assert_int_equal(v.shown.n, 50000);
}

static void a_spilled_result_names_its_handle_and_where_to_read_on(Desk *d)
{
    SinkView v = put(d, "c", repeat(d, "line\n", 2000));
    assert_text(v.handle, "tool_results/c");
    assert_int_equal(v.lines, 2000);
    Str text = sink_text(&v, POINT_SHELL, &d->a);
    assert_true(
        str_starts(text, S("[Result persisted as tool_results/c (10000 bytes, 2000 lines)]")));
    assert_true(
        str_ends(text, S("[8000 bytes left out; continue with jotter sink read c --bytes 2000]")));
    assert_true(str_ends(sink_text(&v, POINT_ALL, &d->a),
                         S("[8000 bytes left out; continue with scratchpad_read "
                           "key=artifacts/tool_results/c from_char=2001]")));
    assert_true(str_ends(sink_text(&v, POINT_TOOLS, &d->a),
                         S("; continue with jotter://artifacts/tool_results/c]")));
    assert_text(sink_call(v.handle), "c");
    assert_text(sink_call(S("c")), "c");
}

static void where_to_read_on_is_counted_in_the_readers_units(Desk *d)
{
    SinkView v = put(d, "a b", repeat(d, "\xC3\xBC", 9000));
    assert_true(str_ends(sink_text(&v, POINT_ALL, &d->a),
                         S("key=\"artifacts/tool_results/a b\" from_char=2001]")));
    assert_true(str_ends(sink_text(&v, POINT_SHELL, &d->a), S("read 'a b' --bytes 4000]")));
    SinkView evil = put(d, "$(id)'`x", repeat(d, "y", 9000));
    assert_true(str_ends(sink_text(&evil, POINT_SHELL, &d->a),
                         S("jotter sink read '$(id)'\\''`x' --bytes 2000]")));
    SinkView raw = put(d, "raw", repeat(d, "\xFF", 9000));
    assert_true(str_ends(sink_text(&raw, POINT_ALL, &d->a),
                         S("[9000 bytes left out; get it with jotter sink read raw]")));
}

/* --- Exact bytes and ranges ------------------------------------------------------------ */

static void any_bytes_come_back_as_they_were(Desk *d)
{
    char all[512];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)i;
    static const Str texts[] = { T(""), T("\n"), T("a\0b"), T("### tool(x=1)\n[TOOL] y"),
                                 T("\"\\\x1b[31m") };
    put(d, "bytes", (Str){ all, sizeof all });
    assert_str(get(d, "bytes", SINK_WHOLE, 0, 0).text, ((Str){ all, sizeof all }));
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *call = arena_printf(&d->a, "t%zu", i).p;
        put(d, call, texts[i]);
        assert_str(get(d, call, SINK_WHOLE, 0, 0).text, texts[i]);
    }
}

static void a_spilled_result_that_is_no_text_shows_nothing_and_can_be_read(Desk *d)
{
    SinkView v = put(d, "c", repeat(d, "\xff", SINK_INLINE_BYTES + 1));
    assert_true(v.spilled);
    assert_int_equal(v.shown.n, 0);
    SinkSlice s = get(d, "c", SINK_BYTES, 10, 5);
    assert_str(s.text, S("\xff\xff\xff\xff\xff"));
}

static void ranges_of_bytes_side_by_side_fit_together(Desk *d)
{
    Str text = repeat(d, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 40);
    put(d, "c", text);
    for (uint64_t step = 4; step < 20; step++) {
        AUTO(Buf) all = { 0 };
        for (uint64_t from = 0; from < text.n; from += step) {
            SinkSlice s = get(d, "c", SINK_BYTES, from, step);
            assert_true(utf8_valid(s.text));
            assert_int_equal(s.from, all.n);
            assert_int_equal(s.more, s.to < text.n);
            buf_add(&all, s.text);
        }
        assert_str(buf_str(&all), text);
    }
}

static void a_range_within_a_character_gives_that_character(Desk *d)
{
    put(d, "c",
        S("a\xe2\x82\xac"
          "b"));
    SinkSlice s = get(d, "c", SINK_BYTES, 2, 1);
    assert_str(s.text, S("\xe2\x82\xac"));
    assert_int_equal(s.from, 1);
    assert_int_equal(s.to, 4);
    s = get(d, "c", SINK_BYTES, 5, 1);
    assert_int_equal(s.text.n, 0);
    assert_int_equal(get(d, "c", SINK_BYTES, UINT64_MAX, UINT64_MAX).text.n, 0);
    assert_text(get(d, "c", SINK_BYTES, 4, 0).text, "b");
}

static void ranges_of_lines_count_from_one(Desk *d)
{
    put(d, "c", S("one\ntwo\n\nfour"));
    SinkSlice s = get(d, "c", SINK_LINES, 2, 2);
    assert_text(s.text, "two\n\n");
    assert_int_equal(s.line_from, 2);
    assert_int_equal(s.line_to, 3);
    assert_int_equal(s.lines, 4);
    assert_true(s.more);
    assert_text(get(d, "c", SINK_LINES, 0, 1).text, "one\n");
    s = get(d, "c", SINK_LINES, 4, 100);
    assert_text(s.text, "four");
    assert_false(s.more);
    s = get(d, "c", SINK_LINES, 5, 1);
    assert_int_equal(s.text.n, 0);
    assert_false(s.more);
    assert_text(get(d, "c", SINK_LINES, 3, 0).text, "\nfour");
}

/* --- Bad input, and the index ---------------------------------------------------------- */

static void bad_input_is_refused_and_takes_no_id(Desk *d)
{
    SinkView v;
    static const SinkPut bad[] = {
        { .call = T(""), .tool = T("t") },
        { .call = T("a/b"), .tool = T("t") },
        { .call = T("../x"), .tool = T("t") },
        { .call = T("c"), .tool = T("") },
        { .call = T("c"), .tool = T("a\nb") },
        { .call = T("c"), .tool = T("t"), .task = T("a/b") },
        { .call = T("c"), .tool = T("t"), .arguments = T("{broken") },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        desk_expect(d, JOT_INVALID, sink_write(&d->m, &bad[i], &d->a, &v, NULL, &d->e));
        assert_sentence(&d->e);
    }
    /* Each of these bytes takes six as JSON. */
    SinkPut big = { .call = S("c"),
                    .tool = S("t"),
                    .result = { arena_alloc(&d->a, 3000000, 1), 3000000 } };
    desk_expect(d, JOT_TOO_BIG, sink_write(&d->m, &big, &d->a, &v, NULL, &d->e));
    put(d, "c", S("fine"));
}

static void results_are_found_by_type_and_task_with_their_arguments_kept(Desk *d)
{
    SinkView v;
    SinkPut p = { .call = S("c:1"),
                  .tool = S("grep"),
                  .arguments = S("{\"re\":\"x\"}"),
                  .result = S("hit"),
                  .task = S("t1") };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    ArtifactList list;
    ArtifactQuery q = { .type = S("tool_result"), .task = S("t1") };
    desk_ok(d, artifact_find(&d->m, &q, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_text(list.items[0].id, "c:1");
    Artifact a;
    desk_ok(d,
            artifact_read(&d->m, &(ArtifactRead){ .category = S("tool_results"), .id = S("c:1") },
                          &d->a, &a, &d->e));
    assert_text(a.text, "{\n  \"tool_call_id\": \"c:1\",\n  \"tool_name\": \"grep\",\n"
                        "  \"arguments\": {\n    \"re\": \"x\"\n  },\n  \"result\": \"hit\"\n}");
    assert_true(hash_eq(v.ref.sha256, hash_of(a.text)));
}

static void a_result_edited_into_something_else_is_told(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", S("text"));
    char path[256];
    snprintf(path, sizeof path, "%s/pad/artifacts/tool_results/c.json", d->dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[]", f);
    fclose(f);
    SinkSlice s;
    desk_expect(d, JOT_CORRUPT, sink_read(&d->m, S("c"), &(SinkRange){ 0 }, &d->a, &s, &d->e));
    refuses(d, &d->m, "c");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_result_is_persisted_once),
        DESK_TEST(a_duplicate_gets_what_was_persisted_and_whether_it_is_the_same),
        DESK_TEST(a_call_stays_taken_after_delete_and_purge),
        DESK_TEST(a_call_stays_taken_after_a_restart_and_for_others),
        DESK_TEST(what_was_acknowledged_before_a_kill_is_refused_afterwards),
        DESK_TEST(of_two_processes_with_one_call_exactly_one_wins),
        DESK_TEST(at_the_threshold_a_result_is_inline_and_a_byte_more_is_spilled),
        DESK_TEST(the_threshold_counts_bytes_and_the_preview_characters),
        DESK_TEST(a_preview_is_never_longer_than_the_threshold),
        DESK_TEST(a_tool_that_is_always_inline_is_shown_whole_also_later),
        DESK_TEST(a_spilled_result_names_its_handle_and_where_to_read_on),
        DESK_TEST(where_to_read_on_is_counted_in_the_readers_units),
        DESK_TEST(any_bytes_come_back_as_they_were),
        DESK_TEST(a_spilled_result_that_is_no_text_shows_nothing_and_can_be_read),
        DESK_TEST(ranges_of_bytes_side_by_side_fit_together),
        DESK_TEST(a_range_within_a_character_gives_that_character),
        DESK_TEST(ranges_of_lines_count_from_one),
        DESK_TEST(bad_input_is_refused_and_takes_no_id),
        DESK_TEST(results_are_found_by_type_and_task_with_their_arguments_kept),
        DESK_TEST(a_result_edited_into_something_else_is_told),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
