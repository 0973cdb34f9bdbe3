/* test_memory_dir.c - the memory tool: the commands and the sentences of the vendor's SDKs.
 *
 * tools/conformance compares with the SDKs themselves; here is what must hold without them. */
#include "tool/call.h"

#include "memory/doc/doc.h"

#define M "memory"

#define IN(dialect) DIALECT_##dialect

/* In a dialect the answer is exactly this, and it is an error or not. */
static void answers(Desk *d, MemoryDialect dialect, const char *args, bool error, const char *want)
{
    ToolHost h = { .m = &d->m, .profiles = TOOLS_MEMORY, .dialect = dialect };
    AUTO(ToolReply) r = call_on(d, &h, M, args);
    assert_text(r.text, want);
    assert_int_equal(r.is_error, error);
}

static void file_is(Desk *d, const char *stream, const char *want)
{
    Doc doc;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &doc, &d->e));
    assert_text(doc.text, want);
}

static void make(Desk *d, const char *path, const char *text)
{
    AUTO_PTR(json_t)
    o = json_pack("{s:s, s:s, s:s}", "command", "create", "path", path, "file_text", text);
    AUTO(Buf) args = { 0 };
    json_write(&args, o);
    buf_add_char(&args, 0);
    Str want = arena_printf(&d->a, "File created successfully at: %s", path);
    says(d, M, args.p, want.p);
}

static void an_empty_directory_is_viewed_and_not_an_error(Desk *d)
{
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n0B\t/memories");
}

static void a_directory_is_viewed_two_levels_deep(Desk *d)
{
    make(d, "/memories/a.txt", "0123456789");
    make(d, "/memories/p/b.txt", "x");
    make(d, "/memories/p/q/c.txt", "yy");
    make(d, "/memories/node_modules/m.js", "z");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n14B\t/memories\n10B\t/memories/a.txt\n3B\t/memories/p/\n"
         "1B\t/memories/p/b.txt\n2B\t/memories/p/q/");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/p\"}",
         "Here're the files and directories up to 2 levels deep in /memories/p, excluding hidden "
         "items and node_modules:\n3B\t/memories/p\n1B\t/memories/p/b.txt\n2B\t/memories/p/q/\n"
         "2B\t/memories/p/q/c.txt");
    answers(d, IN(PYTHON), "{\"command\":\"view\",\"path\":\"/memories\"}", false,
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
            "items:\n14B\t/memories\n10B\t/memories/a.txt\n1B\t/memories/node_modules/\n"
            "1B\t/memories/node_modules/m.js\n3B\t/memories/p/\n1B\t/memories/p/b.txt\n"
            "2B\t/memories/p/q/");
}

static void a_directory_stands_where_its_name_does(Desk *d)
{
    make(d, "/memories/a-b", "");
    make(d, "/memories/a/x", "");
    make(d, "/memories/a.txt", "");
    make(d, "/memories/\xEE\x80\x80", ""); /* U+E000 */
    make(d, "/memories/\U0001F600", "");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n0B\t/memories\n0B\t/memories/a/\n0B\t/memories/a/x\n"
         "0B\t/memories/a-b\n0B\t/memories/a.txt\n0B\t/memories/\xEE\x80\x80\n"
         "0B\t/memories/\U0001F600");
    answers(d, IN(TYPESCRIPT), "{\"command\":\"view\",\"path\":\"/memories\"}", false,
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
            "items and node_modules:\n0B\t/memories\n0B\t/memories/a/\n0B\t/memories/a/x\n"
            "0B\t/memories/a-b\n0B\t/memories/a.txt\n0B\t/memories/\U0001F600\n"
            "0B\t/memories/\xEE\x80\x80");
}

static void what_is_deep_in_node_modules_hides_nothing_above(Desk *d)
{
    make(d, "/memories/a/b/node_modules/x", "1");
    make(d, "/memories/c/node_modules", "22");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n3B\t/memories\n1B\t/memories/a/\n1B\t/memories/a/b/\n"
         "2B\t/memories/c/");
}

static void sizes_are_rounded_as_in_each_dialect(Desk *d)
{
    static const struct {
        size_t bytes;
        const char *shown, *typescript;
    } rows[] = {
        { 1023, "1023B", "1023B" }, { 1024, "1K", "1K" },
        { 1536, "1.5K", "1.5K" },   { 1280, "1.2K", "1.3K" },
        { 1792, "1.8K", "1.8K" },   { 2201, "2.1K", "2.1K" },
        { 1048576, "1M", "1M" },    { 1048575, "1024.0K", "1024.0K" },
    };
    AUTO(Buf) text = { 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        buf_clear(&text);
        for (size_t n = 0; n < rows[i].bytes; n++)
            buf_add_char(&text, 'x');
        buf_add_char(&text, 0);
        make(d, "/memories/d/f", text.p);
        static const char head[] =
            "Here're the files and directories up to 2 levels deep in /memories/d, excluding "
            "hidden items and node_modules:\n";
        const char *view = "{\"command\":\"view\",\"path\":\"/memories/d\"}", *s = rows[i].shown;
        Str want = arena_printf(&d->a, "%s%s\t/memories/d\n%s\t/memories/d/f", head, s, s);
        answers(d, IN(DOCUMENTED), view, false, want.p);
        s = rows[i].typescript;
        want = arena_printf(&d->a, "%s%s\t/memories/d\n%s\t/memories/d/f", head, s, s);
        answers(d, IN(TYPESCRIPT), view, false, want.p);
        says(d, M, "{\"command\":\"delete\",\"path\":\"/memories/d\"}",
             "Successfully deleted /memories/d");
    }
}

static void a_path_is_shown_as_it_was_said(Desk *d)
{
    make(d, "/memories/p/a.txt", "one");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories//./p/x/../a.txt/\"}",
         "Here's the content of /memories//./p/x/../a.txt/ with line numbers:\n     1\tone");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/\"}",
         "Here're the files and directories up to 2 levels deep in /memories/, excluding hidden "
         "items and node_modules:\n3B\t/memories/\n3B\t/memories//p/\n3B\t/memories//p/a.txt");
    make(d, "/memories/../memories/q/", "two");
    file_is(d, "memories/q", "two");
}

static void a_file_is_viewed_with_line_numbers(Desk *d)
{
    make(d, "/memories/a.txt", "one\ntwo\nthree");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/a.txt\"}",
         "Here's the content of /memories/a.txt with line numbers:\n     1\tone\n     2\ttwo\n"
         "     3\tthree");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/a.txt\",\"view_range\":[2,-1]}",
         "Here's the content of /memories/a.txt with line numbers:\n     2\ttwo\n     3\tthree");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/a.txt\",\"view_range\":[2,2]}",
         "Here's the content of /memories/a.txt with line numbers:\n     2\ttwo");
    refuses(d, M, "{\"command\":\"view\",\"path\":\"/memories/b.txt\"}",
            "The path /memories/b.txt does not exist. Please provide a valid path.");
    refuses(d, M, "{\"command\":\"view\",\"path\":\"/memories/a.txt/b\"}",
            "The path /memories/a.txt/b does not exist. Please provide a valid path.");
    refuses(d, M, "{\"command\":\"view\",\"path\":\"/memories/.hidden\"}",
            "The path /memories/.hidden does not exist. Please provide a valid path.");
}

static void a_range_is_cut_to_the_lines_there_are(Desk *d)
{
    static const struct {
        const char *range, *shown;
    } rows[] = {
        { "[4,5]", "" },
        { "[3,2]", "" },
        { "[1,0]", "" },
        { "[0,1]", "     1\tone" },
        { "[-5,-1]", "     1\tone\n     2\ttwo\n     3\tthree" },
        { "[1,-2]", "     1\tone" }, /* without the last two */
        { "[1,-9]", "" },
        { "[2,99]", "     2\ttwo\n     3\tthree" },
        { "[]", "     1\tone\n     2\ttwo\n     3\tthree" },
        { "[2]", "     1\tone\n     2\ttwo\n     3\tthree" },
        { "[2,2,2]", "     1\tone\n     2\ttwo\n     3\tthree" },
        { "null", "     1\tone\n     2\ttwo\n     3\tthree" },
    };
    make(d, "/memories/a.txt", "one\ntwo\nthree");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str args = arena_printf(
            &d->a, "{\"command\":\"view\",\"path\":\"/memories/a.txt\",\"view_range\":%s}",
            rows[i].range);
        Str want = arena_printf(
            &d->a, "Here's the content of /memories/a.txt with line numbers:\n%s", rows[i].shown);
        says(d, M, args.p, want.p);
    }
}

static void a_file_with_a_million_lines_is_not_viewed(Desk *d)
{
    const char *view = "{\"command\":\"view\",\"path\":\"/memories/long\"}";
    AUTO(Buf) text = { 0 };
    for (int i = 1; i < MEMORY_DIR_LINES_MAX; i++)
        buf_add_char(&text, '\n');
    buf_add_char(&text, 0);
    make(d, "/memories/long", text.p);
    AUTO(ToolReply) r = call(d, M, view);
    assert_false(r.is_error);
    says(d, M,
         "{\"command\":\"insert\",\"path\":\"/memories/long\",\"insert_line\":0,"
         "\"insert_text\":\"x\"}",
         "The file /memories/long has been edited.");
    refuses(d, M, view, "File /memories/long exceeds maximum line limit of 999,999 lines.");
    answers(d, IN(PYTHON), view, true,
            "File /memories/long exceeds maximum line limit of 999,999 lines.");
    answers(d, IN(TYPESCRIPT), view, true,
            "File /memories/long has too many lines (1000000). Maximum is 999,999 lines.");
}

static void a_long_file_is_cut_and_says_how_to_go_on(Desk *d)
{
    AUTO(Buf) text = { 0 };
    for (int i = 1; i <= 3000; i++)
        buf_addf(&text, "line %d\n", i);
    buf_add_char(&text, 0);
    make(d, "/memories/long.txt", text.p);
    AUTO(ToolReply) r = call(d, M, "{\"command\":\"view\",\"path\":\"/memories/long.txt\"}");
    assert_false(r.is_error);
    assert_true(r.text.n < 2 * 16000);
    assert_has(r.text, " of 3001; continue with view_range [");
}

static void what_exists_is_not_created_again(Desk *d)
{
    make(d, "/memories/a.txt", "one");
    make(d, "/memories/p/b.txt", "x");
    refuses(d, M, "{\"command\":\"create\",\"path\":\"/memories/a.txt\",\"file_text\":\"two\"}",
            "File /memories/a.txt already exists");
    refuses(d, M, "{\"command\":\"create\",\"path\":\"/memories/p\",\"file_text\":\"two\"}",
            "File /memories/p already exists");
    refuses(d, M, "{\"command\":\"create\",\"path\":\"/memories\",\"file_text\":\"two\"}",
            "File /memories already exists");
}

static void what_is_no_file_is_not_edited(Desk *d)
{
    make(d, "/memories/p/b.txt", "x");
    refuses(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p\",\"old_str\":\"x\"}",
            "The path /memories/p is not a file.");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories\",\"insert_line\":0,"
            "\"insert_text\":\"x\"}",
            "The path /memories is not a file.");
}

static void one_unique_place_is_replaced(Desk *d)
{
    make(d, "/memories/p.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    says(d, M,
         "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"four\","
         "\"new_str\":\"FOUR $& \\\\1\"}",
         "The memory file has been edited. Here is the snippet showing the change (with line "
         "numbers):\n     2\ttwo\n     3\tthree\n     4\tFOUR $& \\1\n     5\tfive\n     6\tsix");
    refuses(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"nine\"}",
            "No replacement was performed, old_str `nine` did not appear verbatim in "
            "/memories/p.txt.");
    refuses(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"o\"}",
            "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. "
            "Please ensure it is unique");
    refuses(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/no\",\"old_str\":\"o\"}",
            "The path /memories/no does not exist. Please provide a valid path.");
    says(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"two\\n\"}",
         "The memory file has been edited. Here is the snippet showing the change (with line "
         "numbers):\n     1\tone\n     2\tthree\n     3\tFOUR $& \\1\n     4\tfive");
}

static void the_snippet_is_two_lines_around_where_the_change_begins(Desk *d)
{
    make(d, "/memories/p.txt", "1\n2\n3\nx\n5\n6\n7\n8");
    says(d, M,
         "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"x\","
         "\"new_str\":\"a\\nb\\nc\\nd\"}",
         "The memory file has been edited. Here is the snippet showing the change (with line "
         "numbers):\n     2\t2\n     3\t3\n     4\ta\n     5\tb\n     6\tc");
}

static void dialects_differ_in_what_is_unique(Desk *d)
{
    static const char done[] = "The memory file has been edited. Here is the snippet showing the "
                               "change (with line numbers):\n     1\t";
    const char *twice = "{\"command\":\"str_replace\",\"path\":\"/memories/p\",\"old_str\":\"ab\","
                        "\"new_str\":\"X\"}";
    make(d, "/memories/p", "ab ab");
    answers(d, IN(DOCUMENTED), twice, true,
            "No replacement was performed. Multiple occurrences of old_str `ab` in lines: 1. "
            "Please ensure it is unique");
    answers(d, IN(PYTHON), twice, true,
            "No replacement was performed. Multiple occurrences of old_str `ab` in lines: 1, 1. "
            "Please ensure it is unique");
    answers(d, IN(TYPESCRIPT), twice, false, arena_printf(&d->a, "%sX ab", done).p);

    const char *over = "{\"command\":\"str_replace\",\"path\":\"/memories/q\","
                       "\"old_str\":\"a\\nb\",\"new_str\":\"X\"}";
    make(d, "/memories/q", "a\nb");
    answers(d, IN(TYPESCRIPT), over, true,
            "No replacement was performed, old_str `a\nb` did not appear verbatim in "
            "/memories/q.");
    answers(d, IN(PYTHON), over, false, arena_printf(&d->a, "%sX", done).p);
}

static void places_that_overlap_are_one(Desk *d)
{
    make(d, "/memories/p", "aaa");
    says(d, M,
         "{\"command\":\"str_replace\",\"path\":\"/memories/p\",\"old_str\":\"aa\","
         "\"new_str\":\"b\"}",
         "The memory file has been edited. Here is the snippet showing the change (with line "
         "numbers):\n     1\tba");
    refuses(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p\",\"old_str\":\"\"}",
            "No replacement was performed, old_str `` did not appear verbatim in /memories/p.");
}

static void lines_are_inserted_behind_a_line(Desk *d)
{
    make(d, "/memories/p.txt", "one\nthree\n");
    says(d, M,
         "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":1,"
         "\"insert_text\":\"two\\n\"}",
         "The file /memories/p.txt has been edited.");
    says(d, M,
         "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":0,"
         "\"insert_text\":\"zero\"}",
         "The file /memories/p.txt has been edited.");
    file_is(d, "memories/p.txt", "zero\none\ntwo\nthree\n");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":9,"
            "\"insert_text\":\"x\"}",
            "Invalid `insert_line` parameter: 9. It should be within the range of lines of "
            "the file: [0, 5]");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":-1,"
            "\"insert_text\":\"x\"}",
            "Invalid `insert_line` parameter: -1. It should be within the range of lines "
            "of the file: [0, 5]");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/no\",\"insert_line\":0,"
            "\"insert_text\":\"x\"}",
            "The path /memories/no does not exist. Please provide a valid path.");
}

static void dialects_differ_in_how_an_insert_ends(Desk *d)
{
    static const struct {
        const char *text, *line, *added, *typescript, *python; /* NULL: there is no such line */
    } rows[] = {
        { "a", "1", "b", "a\nb", "a\nb\n" },
        { "a", "0", "b", "b\na", "b\na\n" },
        { "a\\n", "1", "b\\n", "a\nb\n", "a\nb\n" },
        { "a\\n", "2", "b", "a\n\nb", NULL },
        { "a\\n", "1", "b\\n\\n", "a\nb\n\n", "a\nb\n" },
        { "a\\n\\n", "1", "x", "a\nx\n\n", "a\nx\n" },
        { "", "0", "", "\n", "\n" },
        { "", "0", "x", "x\n", "x\n" },
        { "", "1", "x", "\nx", NULL },
        { "a", "1", "", "a\n", "a\n" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int python = 0; python < 2; python++) {
            ToolHost h = { .m = &d->m,
                           .profiles = TOOLS_MEMORY,
                           .dialect = python ? DIALECT_PYTHON : DIALECT_TYPESCRIPT };
            Str name = arena_printf(&d->a, "memories/%zu-%d", i, python);
            Str args = arena_printf(
                &d->a, "{\"command\":\"create\",\"path\":\"/%s\",\"file_text\":\"%s\"}", name.p,
                rows[i].text);
            AUTO(ToolReply) made = call_on(d, &h, M, args.p);
            assert_false(made.is_error);
            args = arena_printf(&d->a,
                                "{\"command\":\"insert\",\"path\":\"/%s\",\"insert_line\":%s,"
                                "\"insert_text\":\"%s\"}",
                                name.p, rows[i].line, rows[i].added);
            AUTO(ToolReply) r = call_on(d, &h, M, args.p);
            const char *want = python ? rows[i].python : rows[i].typescript;
            assert_int_equal(r.is_error, want == NULL);
            if (want)
                file_is(d, name.p, want);
        }
    answers(d, IN(PYTHON),
            "{\"command\":\"insert\",\"path\":\"/memories/3-1\",\"insert_line\":2,"
            "\"insert_text\":\"b\"}",
            true, "Invalid `insert_line` parameter: 2. It should be within the range [0, 1].");
}

static void files_and_directories_are_deleted(Desk *d)
{
    make(d, "/memories/a.txt", "one");
    make(d, "/memories/p/b.txt", "x");
    make(d, "/memories/p/q/c.txt", "yy");
    says(d, M, "{\"command\":\"delete\",\"path\":\"/memories/p\"}",
         "Successfully deleted /memories/p");
    refuses(d, M, "{\"command\":\"delete\",\"path\":\"/memories/p\"}",
            "The path /memories/p does not exist");
    says(d, M, "{\"command\":\"delete\",\"path\":\"/memories/a.txt\"}",
         "Successfully deleted /memories/a.txt");
    static const char *const roots[] = { "/memories", "/memories/", "/memories/.",
                                         "/memories/sub/.." };
    for (size_t i = 0; i < COUNT_OF(roots); i++) {
        Str args = arena_printf(&d->a, "{\"command\":\"delete\",\"path\":\"%s\"}", roots[i]);
        refuses(d, M, args.p, "Cannot delete the /memories directory itself");
        args = arena_printf(
            &d->a, "{\"command\":\"rename\",\"old_path\":\"%s\",\"new_path\":\"/memories/x\"}",
            roots[i]);
        refuses(d, M, args.p, "Cannot rename the /memories directory itself");
    }
}

static void files_and_directories_are_renamed_but_never_over_others(Desk *d)
{
    make(d, "/memories/a.txt", "one");
    make(d, "/memories/p/b.txt", "x");
    make(d, "/memories/p/q/c.txt", "yy");
    says(d, M, "{\"command\":\"rename\",\"old_path\":\"/memories/p\",\"new_path\":\"/memories/r\"}",
         "Successfully renamed /memories/p to /memories/r");
    refuses(d, M,
            "{\"command\":\"rename\",\"old_path\":\"/memories/p\",\"new_path\":\"/memories/s\"}",
            "The path /memories/p does not exist");
    refuses(
        d, M,
        "{\"command\":\"rename\",\"old_path\":\"/memories/no\",\"new_path\":\"/memories/a.txt\"}",
        "The destination /memories/a.txt already exists");
    refuses(
        d, M,
        "{\"command\":\"rename\",\"old_path\":\"/memories/a.txt\",\"new_path\":\"/memories/r\"}",
        "The destination /memories/r already exists");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/r/q/c.txt\"}",
         "Here's the content of /memories/r/q/c.txt with line numbers:\n     1\tyy");
}

static void no_path_leads_out(Desk *d)
{
    static const char *const paths[] = { "/etc/passwd",          "/memoriesX",
                                         "/memories/../a",       "/memories/a/../..",
                                         "/memories/%2e%2e%2fa", "/memories/..\\\\a",
                                         "memories/a",           "/memories/../../memories/a",
                                         "/memories/.hidden",    "" };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        Str args = arena_printf(
            &d->a, "{\"command\":\"create\",\"path\":\"%s\",\"file_text\":\"x\"}", paths[i]);
        AUTO(ToolReply) r = call(d, M, args.p);
        assert_true(r.is_error);
    }
    an_empty_directory_is_viewed_and_not_an_error(d);
    refuses(d, M, "{\"command\":\"view\"}", "Missing required parameter: path");
}

static void to_look_is_a_tool_that_changes_nothing(Desk *d)
{
    make(d, "/memories/a.txt", "one\ntwo");
    says(d, "memory_view", "{\"path\":\"/memories\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n7B\t/memories\n7B\t/memories/a.txt");
    says(d, "memory_view", "{\"path\":\"/memories/a.txt\",\"view_range\":[2,2]}",
         "Here's the content of /memories/a.txt with line numbers:\n     2\ttwo");
    refuses(d, "memory_view", "{\"path\":\"/memories/no\"}",
            "The path /memories/no does not exist. Please provide a valid path.");
    refuses(d, "memory_view", "{\"path\":\"/memories/a.txt\",\"command\":\"delete\"}",
            "memory_view has no parameter 'command': use path, view_range");
    AUTO_PTR(json_t) view = tool_json(tool_find(TOOLS_MEMORY, S("memory_view")));
    const json_t *hints = json_object_get(view, "annotations");
    assert_true(json_is_true(json_object_get(hints, "readOnlyHint")));
    assert_null(json_object_get(hints, "destructiveHint"));
    AUTO_PTR(json_t) all = tool_json(tool_find(TOOLS_MEMORY, S(M)));
    hints = json_object_get(all, "annotations");
    assert_true(json_is_true(json_object_get(hints, "destructiveHint")));
}

static bool mutates(Desk *d, const char *tool, const char *args)
{
    AUTO_PTR(json_t) o = NULL;
    desk_ok(d, json_read(str(args), &o, &d->e));
    return tool_mutates(tool_find(TOOLS_ALL, str(tool)), o);
}

static void what_changes_something_is_not_repeated_by_itself(Desk *d)
{
    assert_true(mutates(d, M, "{\"command\":\"insert\"}"));
    assert_true(mutates(d, M, "{\"command\":\"str_replace\"}"));
    assert_true(mutates(d, M, "{\"command\":\"create\"}"));
    assert_true(mutates(d, M, "{\"command\":\"rename\"}"));
    assert_true(mutates(d, M, "{\"command\":\"delete\"}"));
    assert_false(mutates(d, M, "{\"command\":\"view\"}"));
    assert_false(mutates(d, "memory_view", "{}"));
    assert_true(mutates(d, "scratchpad_edit", "{\"old_text\":\"a\",\"new_text\":\"aa\"}"));
    assert_true(mutates(d, "scratchpad_edit", "{\"append\":\"a\"}"));
    assert_true(mutates(d, "scratchpad_edit", "{\"restore\":\"undo\"}"));
    assert_true(mutates(d, "scratchpad_lease", "{\"action\":\"acquire\"}"));
    assert_false(mutates(d, "scratchpad_lease", "{\"action\":\"release\"}"));
}

static void a_dialect_is_one_of_three(Desk *d)
{
    MemoryDialect dialect = DIALECT_PYTHON;
    desk_ok(d, memory_dialect(S(""), &dialect, &d->e));
    assert_int_equal(dialect, DIALECT_DOCUMENTED);
    desk_ok(d, memory_dialect(S("typescript"), &dialect, &d->e));
    assert_int_equal(dialect, DIALECT_TYPESCRIPT);
    assert_int_equal(memory_dialect(S("perl"), &dialect, &d->e), JOT_INVALID);
    assert_string_equal(d->e.text, "there is no dialect 'perl' of the memory tool: use documented, "
                                   "typescript or python");
}

static const DeskTest tests[] = {
    DESK_TEST(an_empty_directory_is_viewed_and_not_an_error),
    DESK_TEST(a_directory_is_viewed_two_levels_deep),
    DESK_TEST(a_directory_stands_where_its_name_does),
    DESK_TEST(what_is_deep_in_node_modules_hides_nothing_above),
    DESK_TEST(sizes_are_rounded_as_in_each_dialect),
    DESK_TEST(a_path_is_shown_as_it_was_said),
    DESK_TEST(a_file_is_viewed_with_line_numbers),
    DESK_TEST(a_range_is_cut_to_the_lines_there_are),
    DESK_TEST(a_file_with_a_million_lines_is_not_viewed),
    DESK_TEST(a_long_file_is_cut_and_says_how_to_go_on),
    DESK_TEST(what_exists_is_not_created_again),
    DESK_TEST(what_is_no_file_is_not_edited),
    DESK_TEST(one_unique_place_is_replaced),
    DESK_TEST(the_snippet_is_two_lines_around_where_the_change_begins),
    DESK_TEST(dialects_differ_in_what_is_unique),
    DESK_TEST(places_that_overlap_are_one),
    DESK_TEST(lines_are_inserted_behind_a_line),
    DESK_TEST(dialects_differ_in_how_an_insert_ends),
    DESK_TEST(files_and_directories_are_deleted),
    DESK_TEST(files_and_directories_are_renamed_but_never_over_others),
    DESK_TEST(no_path_leads_out),
    DESK_TEST(to_look_is_a_tool_that_changes_nothing),
    DESK_TEST(what_changes_something_is_not_repeated_by_itself),
    DESK_TEST(a_dialect_is_one_of_three),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
