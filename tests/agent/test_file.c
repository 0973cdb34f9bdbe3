/* test_file.c - read_file and write_file: inside the working directory, never into the pad. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "agent/act_desk.h"
#include "base/home.h"

static void a_file_is_read_whole_or_in_parts(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    desk_file(d, "a.txt", S("one\ntwo\nthree\nfour"));
    act_desk_says(d, a, "read_file", "{\"path\": \"a.txt\"}",
                  "one\ntwo\nthree\nfour\n(lines 1-4, bytes 0-18 of 18)");
    act_desk_says(
        d, a, "read_file", "{\"path\": \"a.txt\", \"from_line\": 2, \"lines\": 2}",
        "two\nthree\n(lines 2-3, bytes 4-14 of 18; continue with read_file path=a.txt lines=2 "
        "from_line=4)");
    act_desk_says(d, a, "read_file", "{\"path\": \"a.txt\", \"from_byte\": 4, \"bytes\": 3}",
                  "two\n(bytes 4-7 of 18; continue with read_file path=a.txt bytes=3 from_byte=7)");
    act_desk_fails(d, a, "read_file", "{\"path\": \"a.txt\", \"from_line\": 9}",
                   "the file has no line 9");
    act_desk_fails(d, a, "read_file", "{\"path\": \"a.txt\", \"from_line\": 1, \"bytes\": 1}",
                   "say 'from_line' and 'lines', or 'from_byte' and 'bytes', not both");
    Str whole = arena_printf(&d->a, "{\"path\": \"%s/a.txt\", \"lines\": 1}", d->dir);
    Str want = arena_printf(&d->a,
                            "one\n(lines 1-1, bytes 0-4 of 18; continue with read_file "
                            "path=%s/a.txt lines=1 from_line=2)",
                            d->dir);
    act_desk_says(d, a, "read_file", whole.p, want.p);
}

static void what_is_not_text_is_not_passed_off_as_text(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    desk_file(d, "latin", S("caf\xE9\n"));
    desk_file(d, "binary",
              S("\x7f"
                "ELF\0\0"));
    desk_file(d, "empty", S(""));
    act_desk_says(d, a, "read_file", "{\"path\": \"latin\"}",
                  "caf\xEF\xBF\xBD\n(lines 1-1, bytes 0-5 of 5; 1 byte is not UTF-8 and shown as "
                  "U+FFFD)");
    act_desk_fails(d, a, "read_file", "{\"path\": \"binary\"}",
                   "'binary' is not text: it holds NUL bytes");
    act_desk_says(d, a, "read_file", "{\"path\": \"empty\"}", "(lines 1-1, bytes 0-0 of 0)");
}

static void nothing_outside_is_read(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    assert_int_equal(symlink("/etc/hostname", desk_path(d, "link")), 0);
    assert_int_equal(symlink("a.txt", desk_path(d, "inside")), 0);
    assert_int_equal(mkfifo(desk_path(d, "fifo"), 0600), 0);
    desk_file(d, "a.txt", S("x\n"));
    act_desk_fails(d, a, "read_file", "{\"path\": \"/etc/hostname\"}",
                   "'/etc/hostname' lies outside the working directory");
    act_desk_fails(d, a, "read_file", "{\"path\": \"../../etc/hostname\"}",
                   "'../../etc/hostname' lies outside the working directory");
    act_desk_fails(d, a, "read_file", "{\"path\": \"link\"}",
                   "'link' lies outside the working directory");
    act_desk_fails(d, a, "read_file", "{\"path\": \"nothing\"}", "there is no file 'nothing'");
    act_desk_fails(d, a, "read_file", "{\"path\": \".\"}", "'.' is a directory, not a file");
    act_desk_fails(d, a, "read_file", "{\"path\": \"fifo\"}",
                   "'fifo' is something special, not a file");
    act_desk_says(d, a, "read_file", "{\"path\": \"inside\"}", "x\n(lines 1-1, bytes 0-2 of 2)");
    Str sibling = arena_printf(&d->a, "{\"path\": \"%s-evil/x\"}", d->dir);
    assert_true(act_desk_call(d, a, "read_file", sibling.p).failed);
}

/* Its other name may be anywhere. */
static void a_file_with_two_names_is_not_read(Desk *d)
{
    Policy p = act_desk_allow("outside");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    desk_file(d, "one", S("x\n"));
    assert_int_equal(link(desk_path(d, "one"), desk_path(d, "two")), 0);
    Reply r = act_desk_call(d, a, "read_file", "{\"path\": \"two\"}");
    assert_true(r.failed);
    assert_has(r.text, "has 2 names (hard links)");
    assert_int_equal(unlink(desk_path(d, "one")), 0);
    act_desk_says(d, a, "read_file", "{\"path\": \"two\"}", "x\n(lines 1-1, bytes 0-2 of 2)");
}

static void what_is_allowed_outside_is_read(Desk *d)
{
    Policy p = act_desk_allow("outside");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    assert_has(act_desk_call(d, a, "read_file", "{\"path\": \"/etc/passwd\"}").text, "root:");
    assert_true(act_desk_call(d, a, "read_file", "{\"path\": \"/proc/self/mem\"}").failed);
}

/* The keys of providers are in our environment. */
static void our_own_environment_is_never_read(Desk *d)
{
    Policy p = act_desk_allow("outside");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = S("/"), .policy = NULL };
    AUTO_PTR(Act) root = NULL;
    desk_ok(d, act_open(&root, &o, &d->e));
    assert_int_equal(symlink("/proc/self/environ", desk_path(d, "env")), 0);
    act_desk_fails(d, a, "read_file", "{\"path\": \"/proc/self/environ\"}",
                   "'/proc/self/environ' is a file about processes, which is never read");
    act_desk_fails(d, a, "read_file", "{\"path\": \"env\"}",
                   "'env' is a file about processes, which is never read");
    Str own = arena_printf(&d->a, "proc/%d/environ", getpid());
    act_desk_fails(
        d, root, "read_file", arena_printf(&d->a, "{\"path\": \"%s\"}", own.p).p,
        arena_printf(&d->a, "'%s' is a file about processes, which is never read", own.p).p);
}

static void a_file_is_made_and_replaced(Desk *d)
{
    Policy p = act_desk_allow("write");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    struct stat info;
    act_desk_says(d, a, "write_file", "{\"path\": \"sub/dir/f\", \"content\": \"one\"}",
                  "made 'sub/dir/f', 3 bytes");
    assert_text(desk_content(d, "sub/dir/f"), "one");
    assert_int_equal(chmod(desk_path(d, "sub/dir/f"), 0750), 0);
    act_desk_says(d, a, "write_file", "{\"path\": \"sub/dir/f\", \"content\": \"twoo\"}",
                  "replaced 'sub/dir/f', 4 bytes");
    assert_text(desk_content(d, "sub/dir/f"), "twoo");
    assert_int_equal(stat(desk_path(d, "sub/dir/f"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0750);
}

static void nothing_outside_and_no_link_is_written(Desk *d)
{
    Policy p = act_desk_allow("write,outside");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    desk_file(d, "a.txt", S("x"));
    assert_int_equal(symlink("/tmp", desk_path(d, "out")), 0);
    assert_int_equal(symlink("a.txt", desk_path(d, "link")), 0);
    static const struct Row {
        const char *path, *why;
    } rows[] = {
        { "/tmp/jotter-evil", "'/tmp/jotter-evil' lies outside the working directory" },
        { "../evil", "'../evil' holds '..': name the file from the working directory" },
        { "a/../../evil", "'a/../../evil' holds '..': name the file from the working directory" },
        { "out/evil", "'out/evil' goes through a symbolic link, which is not followed" },
        { "link", "'link' is something special or a link, not a file" },
        { "a.txt/b", "there is no file 'a.txt/b'" },
        { "..", "'..' holds '..': name the file from the working directory" },
        { ".", "'.' is no name of a file" },
        { "sub/", "'sub/' is no name of a file" },
        { "", "'path' cannot be empty" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        act_desk_fails(d, a, "write_file",
                       arena_printf(&d->a, "{\"path\": \"%s\", \"content\": \"\"}", rows[i].path).p,
                       rows[i].why);
    assert_text(desk_content(d, "a.txt"), "x");
    assert_int_not_equal(access("/tmp/jotter-evil", F_OK), 0);
}

static void the_pad_is_never_written(Desk *d)
{
    Policy p = act_desk_allow("all");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    static const char *const files[] = { "pad/notes/evil.md", "pad/x", "./pad/new/dir/x" };
    static const char *const sqlite[] = { "pad.db", "pad.db-wal", "pad.db-journal" };
    bool db = strcmp(d->engine, "sqlite") == 0;
    for (size_t i = 0; i < 3 && strcmp(d->engine, "mem") != 0; i++) {
        const char *path = db ? sqlite[i] : files[i];
        Reply r =
            act_desk_call(d, a, "write_file",
                          arena_printf(&d->a, "{\"path\": \"%s\", \"content\": \"evil\"}", path).p);
        assert_true(r.failed);
        assert_has(r.text, "lies in the pad");
    }
    assert_int_not_equal(access(desk_path(d, "pad/new"), F_OK), 0);
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(desk_path(d, "pad/notes")) };
    Act *inside = NULL;
    if (strcmp(d->engine, "files") == 0) {
        assert_true(mkdir(o.dir.p, 0700) == 0 || access(o.dir.p, F_OK) == 0);
        desk_expect(d, JOT_INVALID, act_open(&inside, &o, &d->e));
        assert_says(d, "the working directory lies in the pad");
    }
}

/* The table of base/obeyed.h, also where the directory of git has another name. */
static void what_other_programs_obey_is_not_written(Desk *d)
{
    static const char *const paths[] = {
        "AGENTS.md",
        "agents.MD",
        "sub/CLAUDE.md",
        ".git/config",
        ".git/hooks/x",
        "a/.git/index",
        ".vscode/t",
        "x/.github/workflows/y.yml",
        "w.code-workspace",
        ".mcp.json",
        ".jotter/format",
        "bare/config",
        "bare/hooks/pre-commit",
        "bare/info/attributes",
        "other/HEAD",
        "./.envrc",
    };
    /* "config" itself is where the desk keeps the user's own. */
    static const char *const fine[] = { "Makefile",   "attributes",    "sub/config",      "hooks/x",
                                        ".gitignore", "AGENTS.md.txt", "bare/description" };
    Policy p = act_desk_allow("all");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    assert_int_equal(mkdir(desk_path(d, "bare"), 0700), 0);
    assert_int_equal(mkdir(desk_path(d, "bare/objects"), 0700), 0);
    assert_int_equal(mkdir(desk_path(d, "bare/refs"), 0700), 0);
    desk_file(d, "bare/HEAD", S("ref: refs/heads/main\n"));
    for (size_t i = 0; i < COUNT_OF(paths) + COUNT_OF(fine); i++) {
        bool kept = i < COUNT_OF(paths);
        const char *path = kept ? paths[i] : fine[i - COUNT_OF(paths)];
        Reply r =
            act_desk_call(d, a, "write_file",
                          arena_printf(&d->a, "{\"path\": \"%s\", \"content\": \"evil\"}", path).p);
        assert_row(r.failed == kept, i, path);
        if (kept)
            assert_has(r.text, "--allow plant:");
    }
    Policy more = act_desk_allow("write,plant:AGENTS.md");
    AUTO_PTR(Act) b = act_desk_open(d, &more);
    act_desk_says(d, b, "write_file", "{\"path\": \"AGENTS.md\", \"content\": \"x\"}",
                  "made 'AGENTS.md', 1 byte");
    assert_true(
        act_desk_call(d, b, "write_file", "{\"path\": \"CLAUDE.md\", \"content\": \"x\"}").failed);
}

static void what_is_the_users_own_is_neither_read_nor_written(Desk *d)
{
    Policy p = act_desk_allow("all");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    static const char *const paths[] = { "state/jotter/rules-0123456789abcdef",
                                         "./state/jotter/x/y", "config/jotter/safe" };
    desk_ok(d, home_write(&d->io, HOME_STATE, "secret", S("canary"), &d->e));
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        Str args = arena_printf(&d->a, "{\"path\": \"%s\", \"content\": \"evil\"}", paths[i]);
        Reply r = act_desk_call(d, a, "write_file", args.p);
        assert_true(r.failed);
        assert_has(r.text, "the user's own");
        assert_int_not_equal(access(desk_path(d, paths[i]), F_OK), 0);
    }
    assert_int_equal(symlink("state/jotter/secret", desk_path(d, "link")), 0);
    act_desk_fails(d, a, "read_file", "{\"path\": \"state/jotter/secret\"}",
                   "'state/jotter/secret' lies in what is the user's own, which no agent reads");
    act_desk_fails(d, a, "read_file", "{\"path\": \"link\"}",
                   "'link' lies in what is the user's own, which no agent reads");
    Str outside = arena_printf(&d->a, "{\"path\": \"%s\"}", desk_path(d, "state/jotter/secret"));
    assert_has(act_desk_call(d, a, "read_file", outside.p).text, "which no agent reads");
}

/* Every write finds the disk full. */
static long full(void *ctx, IoCall *call)
{
    (void)ctx;
    return call->kind == IO_WRITE ? -ENOSPC : 0;
}

static void a_full_disk_leaves_the_file_as_it_was(Desk *d)
{
    Policy p = act_desk_allow("write");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    IoHook hook = { .before = full };
    desk_file(d, "f", S("old"));
    bool made;
    d->io.hook = &hook;
    jot_status st = workdir_write(act_workdir(a), S("f"), S("new"), &made, &d->e);
    d->io.hook = NULL;
    assert_int_equal(st, JOT_IO);
    assert_says(d, "could not write 'f'; it is as it was");
    assert_text(desk_content(d, "f"), "old");
    DIR *dir = opendir(d->dir);
    struct dirent *entry;
    while ((entry = readdir(dir)))
        assert_false(str_ends(str(entry->d_name), S(".tmp")));
    closedir(dir);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_file_is_read_whole_or_in_parts),
        DESK_TEST(what_is_not_text_is_not_passed_off_as_text),
        DESK_TEST(nothing_outside_is_read),
        DESK_TEST(a_file_with_two_names_is_not_read),
        DESK_TEST(what_is_allowed_outside_is_read),
        DESK_TEST(our_own_environment_is_never_read),
        DESK_TEST(a_file_is_made_and_replaced),
        DESK_TEST(nothing_outside_and_no_link_is_written),
        DESK_TEST(the_pad_is_never_written),
        DESK_TEST(what_other_programs_obey_is_not_written),
        DESK_TEST(what_is_the_users_own_is_neither_read_nor_written),
        DESK_TEST(a_full_disk_leaves_the_file_as_it_was),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
