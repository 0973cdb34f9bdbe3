/* test_line_log.c - logs of lines: numbers, ranges, following, and several writers. */
#include "memory/artifact/line_log.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"

#define BUILD ((LineLogName){ S("build"), S("out") })

static Line add(Desk *d, const char *text)
{
    Line line;
    desk_ok(d, line_log_append(&d->m, BUILD, str(text), S(""), &line, &d->e));
    return line;
}

static Lines read_from(Desk *d, uint64_t from, size_t limit)
{
    Lines lines;
    desk_ok(d, line_log_read(&d->m, BUILD, (SeqRange){ from, limit }, &d->a, &lines, &d->e));
    return lines;
}

/* The texts, each with its number. */
static Str texts(Desk *d, const Lines *lines)
{
    Str all = { 0 };
    for (size_t i = 0; i < lines->n; i++)
        all = arena_printf(&d->a, STR_FMT "%s%llu:" STR_FMT, STR_ARG(all), i ? " " : "",
                           (unsigned long long)lines->items[i].seq, STR_ARG(lines->items[i].text));
    return all;
}

static void lines_are_numbered_from_one_in_the_order_of_appending(Desk *d)
{
    assert_int_equal(add(d, "a").seq, 1);
    assert_int_equal(add(d, "").seq, 2);
    assert_int_equal(add(d, "c").seq, 3);
    Lines lines = read_from(d, 1, 10);
    assert_text(texts(d, &lines), "1:a 2: 3:c");
    assert_text(lines.items[0].by, "ann");
    assert_int_equal(lines.items[0].at_ms, d->now_ms);
}

static void a_range_says_where_to_go_on(Desk *d)
{
    for (int i = 1; i <= 5; i++)
        add(d, arena_printf(&d->a, "l%d", i).p);
    Lines lines = read_from(d, 2, 2);
    assert_text(texts(d, &lines), "2:l2 3:l3");
    assert_true(lines.more);
    lines = read_from(d, lines.next, 10);
    assert_text(texts(d, &lines), "4:l4 5:l5");
    assert_false(lines.more);
    lines = read_from(d, lines.next, 10);
    assert_int_equal(lines.n, 0);
    assert_int_equal(lines.next, 6);
}

static void the_tail_is_the_newest_lines(Desk *d)
{
    Lines lines;
    for (int i = 1; i <= 5; i++)
        add(d, arena_printf(&d->a, "l%d", i).p);
    desk_ok(d, line_log_tail(&d->m, BUILD, 2, &d->a, &lines, &d->e));
    assert_text(texts(d, &lines), "4:l4 5:l5");
    desk_ok(d, line_log_tail(&d->m, BUILD, 100, &d->a, &lines, &d->e));
    assert_int_equal(lines.n, 5);
}

static void a_log_that_is_not_there_is_not_found(Desk *d)
{
    Lines lines;
    desk_expect(d, JOT_NOT_FOUND,
                line_log_read(&d->m, BUILD, (SeqRange){ 1, 10 }, &d->a, &lines, &d->e));
    desk_expect(d, JOT_NOT_FOUND, line_log_tail(&d->m, BUILD, 10, &d->a, &lines, &d->e));
}

static void what_is_no_line_is_refused(Desk *d)
{
    Line line;
    Lines lines;
    Str long_line = { arena_alloc(&d->a, LINE_LOG_LINE_MAX + 1, 1), LINE_LOG_LINE_MAX + 1 };
    desk_expect(
        d, JOT_INVALID,
        line_log_append(&d->m, (LineLogName){ S("c"), S("n") }, S("a\nb"), S(""), &line, &d->e));
    assert_says(d, "no line break");
    desk_expect(
        d, JOT_TOO_BIG,
        line_log_append(&d->m, (LineLogName){ S("c"), S("n") }, long_line, S(""), &line, &d->e));
    desk_expect(d, JOT_NOT_FOUND,
                line_log_read(&d->m, (LineLogName){ S("c"), S("n") }, (SeqRange){ 1, 1 }, &d->a,
                              &lines, &d->e));
    static const struct {
        Str category, name;
    } bad[] = { { T(""), T("n") },   { T("c"), T("") },   { T("c"), T("a/b") },
                { T(".."), T("n") }, { T("c"), T("..") }, { T("c\0"), T("n") },
                { T("c"), T("a\n") } };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID,
                    line_log_append(&d->m, (LineLogName){ bad[i].category, bad[i].name }, S("x"),
                                    S(""), &line, &d->e));
    desk_expect(d, JOT_INVALID,
                line_log_read(&d->m, (LineLogName){ S("c"), S("n") }, (SeqRange){ 1, 0 }, &d->a,
                              &lines, &d->e));
}

static void a_line_with_an_id_is_appended_once(Desk *d)
{
    Line one, two;
    desk_ok(
        d, line_log_append(&d->m, (LineLogName){ S("c"), S("n") }, S("x"), S("id-1"), &one, &d->e));
    desk_ok(
        d, line_log_append(&d->m, (LineLogName){ S("c"), S("n") }, S("x"), S("id-1"), &two, &d->e));
    assert_int_equal(one.seq, two.seq);
}

static void a_follower_gets_each_line_once(Desk *d)
{
    LineLogCursor at = { .log = BUILD };
    Lines lines;
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    assert_int_equal(lines.n, 0);
    add(d, "a");
    add(d, "b");
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    assert_text(texts(d, &lines), "1:a 2:b");
    desk_ok(d, line_log_follow(&d->m, &at, 1, &d->a, &lines, &d->e));
    assert_int_equal(lines.n, 0);
    add(d, "c");
    desk_ok(d, line_log_follow(&d->m, &at, 1, &d->a, &lines, &d->e));
    assert_text(texts(d, &lines), "3:c");
}

static void a_follower_reads_a_log_that_began_anew_from_its_start(Desk *d)
{
    LineLogCursor at = { .log = BUILD };
    Lines lines;
    Mark mark;
    add(d, "a");
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    desk_ok(d, store_purge(d->m.store, S("logs/build/out"), NULL, S("ann"), &mark, &d->e));
    add(d, "fresh");
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    assert_text(texts(d, &lines), "3:fresh");
}

static void a_follower_whose_place_was_trimmed_gets_what_is_kept(Desk *d)
{
    LineLogCursor at = { .log = BUILD };
    Lines lines;
    uint64_t dropped;
    add(d, "l1");
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    for (int i = 2; i <= 30; i++)
        add(d, arena_printf(&d->a, "l%d", i).p);
    desk_ok(d, store_trim(d->m.store, S("logs/build/out"), NULL, 11, &dropped, &d->e));
    assert_int_equal(dropped, 10);
    desk_ok(d, line_log_follow(&d->m, &at, 0, &d->a, &lines, &d->e));
    assert_int_equal(lines.n, 20);
    assert_int_equal(lines.items[0].seq, 11);
}

static void a_redacted_line_keeps_its_number(Desk *d)
{
    add(d, "secret");
    add(d, "b");
    desk_ok(d, store_redact(d->m.store, S("logs/build/out"), NULL, 1, &d->e));
    Lines lines = read_from(d, 1, 10);
    assert_int_equal(lines.n, 2);
    assert_true(lines.items[0].redacted);
    assert_text(lines.items[0].text, "");
}

static void logs_are_listed_by_name(Desk *d)
{
    static const char *const places[] = { "b/two", "b/one", "a/x", "b/deep/z" };
    Line line;
    LineLogs logs;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        Str rest = str(places[i]);
        size_t slash = str_find_last(rest, '/');
        desk_ok(d, line_log_append(
                       &d->m, (LineLogName){ str_slice(rest, 0, slash), str_from(rest, slash + 1) },
                       S("t"), S(""), &line, &d->e));
    }
    desk_ok(d, line_log_list(&d->m, &(LineLogQuery){ .limit = 10 }, &d->a, &logs, &d->e));
    assert_int_equal(logs.n, 4);
    assert_text(logs.items[0].category, "a");
    assert_text(logs.items[1].category, "b/deep");
    desk_ok(d, line_log_list(
                   &d->m, &(LineLogQuery){ .category = S("b"), .after = S("b/deep/z"), .limit = 1 },
                   &d->a, &logs, &d->e));
    assert_int_equal(logs.n, 1);
    assert_text(logs.items[0].name, "one");
    assert_true(logs.more);
    desk_expect(d, JOT_INVALID,
                line_log_list(&d->m, &(LineLogQuery){ .category = S(".."), .limit = 1 }, &d->a,
                              &logs, &d->e));
}

/* A child appends lines and tells how many are acknowledged, until it is killed. */
static pid_t start_writer(Desk *d, int to)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Memory m = desk_open(d, "child");
    for (int i = 1;; i++) {
        char text[32];
        Line line;
        snprintf(text, sizeof text, "line %d", i);
        if (line_log_append(&m, BUILD, str(text), S(""), &line, NULL) != JOT_OK)
            _exit(1);
        if (write(to, "x", 1) != 1)
            _exit(2);
    }
}

static void every_line_acknowledged_before_a_kill_is_there_and_whole(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    int ends[2];
    char x;
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_writer(d, ends[1]);
    close(ends[1]);
    for (int i = 0; i < 25; i++)
        assert_int_equal(read(ends[0], &x, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    size_t acknowledged = 25;
    while (read(ends[0], &x, 1) == 1)
        acknowledged++;
    close(ends[0]);
    add(d, "after");
    Lines lines = read_from(d, 1, LINE_LOG_READ_MAX);
    assert_true(lines.n == acknowledged + 1 || lines.n == acknowledged + 2);
    for (size_t i = 0; i + 1 < lines.n; i++)
        assert_str(lines.items[i].text, arena_printf(&d->a, "line %zu", i + 1));
    assert_text(lines.items[lines.n - 1].text, "after");
    assert_int_equal(lines.damaged, 0);
}

static void two_handles_append_without_losing_a_line(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    Memory other = desk_open(d, "bob");
    for (int i = 0; i < 20; i++) {
        Line line;
        desk_ok(d, line_log_append(i % 2 ? &other : &d->m, BUILD, S("x"), S(""), &line, &d->e));
        assert_int_equal(line.seq, i + 1);
    }
    memory_close(&other);
    assert_int_equal(read_from(d, 1, 100).n, 20);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(lines_are_numbered_from_one_in_the_order_of_appending),
        DESK_TEST(a_range_says_where_to_go_on),
        DESK_TEST(the_tail_is_the_newest_lines),
        DESK_TEST(a_log_that_is_not_there_is_not_found),
        DESK_TEST(what_is_no_line_is_refused),
        DESK_TEST(a_line_with_an_id_is_appended_once),
        DESK_TEST(a_follower_gets_each_line_once),
        DESK_TEST(a_follower_reads_a_log_that_began_anew_from_its_start),
        DESK_TEST(a_follower_whose_place_was_trimmed_gets_what_is_kept),
        DESK_TEST(a_redacted_line_keeps_its_number),
        DESK_TEST(logs_are_listed_by_name),
        DESK_TEST(every_line_acknowledged_before_a_kill_is_there_and_whole),
        DESK_TEST(two_handles_append_without_losing_a_line),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
