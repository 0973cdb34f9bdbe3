/* test_memory_dir.c - the memory tool: documented commands, documented sentences. */
#include "tool/call.h"

#include "memory/doc.h"

#define M "memory"

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
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/\"}",
         "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
         "items and node_modules:\n14B\t/memories\n10B\t/memories/a.txt\n3B\t/memories/p\n"
         "1B\t/memories/p/b.txt\n2B\t/memories/p/q");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/p\"}",
         "Here're the files and directories up to 2 levels deep in /memories/p, excluding hidden "
         "items and node_modules:\n3B\t/memories/p\n1B\t/memories/p/b.txt\n2B\t/memories/p/q\n"
         "2B\t/memories/p/q/c.txt");
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
    refuses(d, M, "{\"command\":\"view\",\"path\":\"/memories/a.txt\",\"view_range\":[4,5]}",
            "Invalid `view_range` parameter: it must be [first, last] within the lines of the "
            "file: [1, 3], or [first, -1]");
    refuses(d, M, "{\"command\":\"view\",\"path\":\"/memories/b.txt\"}",
            "The path /memories/b.txt does not exist. Please provide a valid path.");
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
    assert_has(r.text, " of 3001; go on with view_range [");
}

static void what_exists_is_not_created_again(Desk *d)
{
    make(d, "/memories/a.txt", "one");
    make(d, "/memories/p/b.txt", "x");
    refuses(d, M, "{\"command\":\"create\",\"path\":\"/memories/a.txt\",\"file_text\":\"two\"}",
            "Error: File /memories/a.txt already exists");
    refuses(d, M, "{\"command\":\"create\",\"path\":\"/memories/p\",\"file_text\":\"two\"}",
            "Error: File /memories/p already exists");
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
            "Error: The path /memories/no does not exist. Please provide a valid path.");
    says(d, M, "{\"command\":\"str_replace\",\"path\":\"/memories/p.txt\",\"old_str\":\"two\\n\"}",
         "The memory file has been edited. Here is the snippet showing the change (with line "
         "numbers):\n     1\tone\n     2\tthree\n     3\tFOUR $& \\1\n     4\tfive");
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
    Doc doc;
    desk_ok(d, doc_read(&d->m, S("memories/p.txt"), &d->a, &doc, &d->e));
    assert_text(doc.text, "zero\none\ntwo\nthree\n");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":9,"
            "\"insert_text\":\"x\"}",
            "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of "
            "the file: [0, 5]");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/p.txt\",\"insert_line\":-1,"
            "\"insert_text\":\"x\"}",
            "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines "
            "of the file: [0, 5]");
    refuses(d, M,
            "{\"command\":\"insert\",\"path\":\"/memories/no\",\"insert_line\":0,"
            "\"insert_text\":\"x\"}",
            "Error: The path /memories/no does not exist");
}

static void files_and_directories_are_deleted(Desk *d)
{
    make(d, "/memories/a.txt", "one");
    make(d, "/memories/p/b.txt", "x");
    make(d, "/memories/p/q/c.txt", "yy");
    says(d, M, "{\"command\":\"delete\",\"path\":\"/memories/p\"}",
         "Successfully deleted /memories/p");
    refuses(d, M, "{\"command\":\"delete\",\"path\":\"/memories/p\"}",
            "Error: The path /memories/p does not exist");
    says(d, M, "{\"command\":\"delete\",\"path\":\"/memories/a.txt\"}",
         "Successfully deleted /memories/a.txt");
    refuses(d, M, "{\"command\":\"delete\",\"path\":\"/memories/\"}",
            "Cannot delete the /memories directory itself");
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
            "Error: The path /memories/p does not exist");
    refuses(
        d, M,
        "{\"command\":\"rename\",\"old_path\":\"/memories/a.txt\",\"new_path\":\"/memories/r\"}",
        "Error: The destination /memories/r already exists");
    says(d, M, "{\"command\":\"view\",\"path\":\"/memories/r/q/c.txt\"}",
         "Here's the content of /memories/r/q/c.txt with line numbers:\n     1\tyy");
    refuses(d, M,
            "{\"command\":\"rename\",\"old_path\":\"/memories\",\"new_path\":\"/memories/x\"}",
            "Cannot rename the /memories directory itself");
}

static void no_path_leads_out(Desk *d)
{
    static const char *const paths[] = { "/etc/passwd",          "/memoriesX",
                                         "/memories/../a",       "/memories/a/..",
                                         "/memories/%2e%2e%2fa", "/memories/..\\\\a",
                                         "memories/a",           "/memories/a//b",
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

static const DeskTest tests[] = {
    DESK_TEST(an_empty_directory_is_viewed_and_not_an_error),
    DESK_TEST(a_directory_is_viewed_two_levels_deep),
    DESK_TEST(a_file_is_viewed_with_line_numbers),
    DESK_TEST(a_long_file_is_cut_and_says_how_to_go_on),
    DESK_TEST(what_exists_is_not_created_again),
    DESK_TEST(one_unique_place_is_replaced),
    DESK_TEST(lines_are_inserted_behind_a_line),
    DESK_TEST(files_and_directories_are_deleted),
    DESK_TEST(files_and_directories_are_renamed_but_never_over_others),
    DESK_TEST(no_path_leads_out),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
