/* test_confine_plant.c - what a confined command leaves behind for other programs to run: nothing.
 */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/sandbox/plant.h"
#include "agent/yard.h"

static void make_dir(Yard *y, const char *name)
{
    assert_int_equal(mkdir(yard_path(y, name), 0700), 0);
}

/* A repository as git makes it, as far as it matters here, and what else a project has. */
static void settle(Yard *y)
{
    make_dir(y, "work/.git");
    make_dir(y, "work/.git/hooks");
    make_dir(y, "work/.git/objects");
    make_dir(y, "work/.git/refs");
    make_dir(y, "work/.git/info");
    make_dir(y, "work/.vscode");
    yard_put(yard_path(y, "work/.git/HEAD"), "ref: refs/heads/main\n");
    yard_put(yard_path(y, "work/.git/config"), "[core]\n\tbare = false\n");
    yard_put(yard_path(y, "work/.git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
    yard_put(yard_path(y, "work/.vscode/tasks.json"), "{}\n");
    yard_put(yard_path(y, "work/AGENTS.md"), "be good\n");
    yard_put(yard_path(y, "work/sub/AGENTS.md"), "be good here\n");
    yard_put(yard_path(y, "work/Makefile"), "all:\n");
}

static void settled(Yard *y)
{
    yard_holds(y, "work/.git/config", "[core]\n\tbare = false\n");
    yard_holds(y, "work/.git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    yard_holds(y, "work/.vscode/tasks.json", "{}\n");
    yard_holds(y, "work/AGENTS.md", "be good\n");
    yard_holds(y, "work/sub/AGENTS.md", "be good here\n");
}

static bool there(Yard *y, const char *name)
{
    struct stat info;
    return lstat(yard_path(y, arena_printf(&y->a, "work/%s", name).p), &info) == 0;
}

static bool told_of(const Confined *c, const char *name)
{
    for (size_t i = 0; i < c->planted.n; i++)
        if (memmem(c->planted.at[i].text.p, c->planted.at[i].text.n, name, strlen(name)))
            return true;
    return false;
}

/* Whatever it is, by whatever name: afterwards it is not there, and the result names it, or it
 * could not be made at all. */
static void what_others_would_run_is_put_aside(Yard *y)
{
    static const char *const tries[][2] = {
        { "echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout",
          ".git/hooks/post-checkout" },
        { "echo '* filter=evil' > .git/info/attributes", ".git/info/attributes" },
        { "echo ../x > .git/commondir", ".git/commondir" },
        { "echo '[core] fsmonitor = evil' > .git/config.worktree", ".git/config.worktree" },
        { "echo evil > CLAUDE.md", "CLAUDE.md" },
        { "echo evil > claude.MD", "claude.MD" },
        { "mkdir -p sub/a/b; echo evil > sub/a/b/AGENTS.md", "sub/a/b/AGENTS.md" },
        { "echo {} > .mcp.json", ".mcp.json" },
        { "mkdir .claude; echo {} > .claude/settings.json", ".claude" },
        { "mkdir -p .github/workflows; echo evil > .github/workflows/x.yml", ".github" },
        { "echo evil > .envrc", ".envrc" },
        { "echo {} > my.code-workspace", "my.code-workspace" },
        { "mkdir .hg; printf '[hooks]\nupdate = evil\n' > .hg/hgrc", ".hg/hgrc" },
        { "mkdir .helix; echo evil > .helix/languages.toml", ".helix" },
        { "echo evil > .Rprofile", ".Rprofile" },
        { "echo evil > .pdbrc", ".pdbrc" },
        { "echo evil > lefthook.toml", "lefthook.toml" },
        { "ln -s sub .vscode2; ln -s Makefile .envrc", ".envrc" },
        { "mkdir -p sub/x/.git/hooks; echo evil > sub/x/.git/hooks/pre-commit",
          "sub/x/.git/hooks/pre-commit" },
        { "mkdir -p sub/n; echo 'gitdir: ../y' > sub/n/.git", "sub/n/.git" },
        /* A directory of git's by another name. */
        { "mkdir -p sub/bare/objects sub/bare/refs; echo x > sub/bare/HEAD; echo '[core] "
          "fsmonitor = evil' > sub/bare/config",
          "sub/bare/config" },
        /* Not to be listed, but to be found by its name. */
        { "mkdir sub/shut; echo evil > sub/shut/CLAUDE.md; chmod 311 sub/shut",
          "sub/shut/CLAUDE.md" },
        /* Too much to be looked at. */
        { "mkdir .cursor; cd .cursor; python3 -c 'for i in range(20500): open(str(i), \"w\")'",
          ".cursor" },
        { "mkdir -p .git/y; echo '* filter=evil' > .git/y/attributes; rm -rf .git/info; ln -s y "
          ".git/info",
          ".git/info" },
        { "mkdir .jotter; echo 1 > .jotter/format", ".jotter" },
    };
    settle(y);
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        Confined c = yard_command(y, tries[i][0]);
        if (there(y, tries[i][1]) || (!told_of(&c, tries[i][1]) && c.code == 0))
            fail_msg("%s: '%s' left %s: " STR_FMT, confine_name(y->how), tries[i][0], tries[i][1],
                     STR_ARG(plant_sentences(&c.planted, &y->a)));
    }
    settled(y);
    assert_true(there(y, "jotter-aside"));
    yard_prints(y, "cat jotter-aside/*my.code-workspace.aside", "{}\n");
}

/* Mounted read-only, or put back: either way it is as it was. */
static void what_others_run_stays_as_it_is(Yard *y)
{
    static const char *const tries[] = {
        "echo evil >> .git/config",
        "echo evil > .git/config.lock && mv -f .git/config.lock .git/config",
        "echo evil > .git/hooks/pre-commit",
        "rm -f .git/hooks/pre-commit",
        "rm -rf .git/hooks; ln -s ../../sub .git/hooks",
        "rm -rf .vscode",
        "mv .vscode sub/v; mkdir .vscode; echo evil > .vscode/tasks.json",
        "echo evil > AGENTS.md",
        "rm AGENTS.md; ln -s Makefile AGENTS.md",
        "chmod 777 .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
        "echo evil > sub/AGENTS.md",
        "mv sub sub2; mkdir sub; echo evil > sub/AGENTS.md; rm -rf sub2",
    };
    settle(y);
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        yard_command(y, tries[i]);
        if (!there(y, "sub"))
            fail_msg("%s: '%s'", confine_name(y->how), tries[i]);
        settled(y);
    }
}

/* The repository is where `commondir` leads; that is then no place where one is looked for. */
static void a_repository_in_pieces_is_put_aside(Yard *y)
{
    settle(y);
    Confined c = yard_command(
        y, "mkdir -p deep/.git objects refs; echo 'ref: refs/heads/main' > deep/.git/HEAD; echo "
           "../.. > deep/.git/commondir; printf '[core]\n\tfsmonitor = evil\n' > config");
    if (there(y, "deep/.git/commondir") || !told_of(&c, "deep/.git/commondir"))
        fail_msg("%s: " STR_FMT, confine_name(y->how), STR_ARG(plant_sentences(&c.planted, &y->a)));
    /* A linked working tree has one, too. */
    c = yard_command(y, "mkdir -p .git/worktrees/w; echo x > .git/worktrees/w/HEAD; echo ../.. > "
                        ".git/worktrees/w/commondir");
    assert_true(there(y, ".git/worktrees/w/commondir") && c.planted.n == 0);
    settled(y);
}

/* Without a HEAD it is no directory of git's, until it has one again. */
static void a_repository_without_head_keeps_its_configuration(Yard *y)
{
    settle(y);
    yard_command(y,
                 "mkdir -p sub/b/objects sub/b/refs; echo x > sub/b/HEAD; printf '[core]\n\tbare "
                 "= true\n' > sub/b/config");
    yard_holds(y, "work/sub/b/config", "[core]\n\tbare = true\n");
    yard_command(y, "rm sub/b/HEAD; mv sub/b sub/c; mkdir sub/b; cp -r sub/c/* sub/b/; echo evil > "
                    "sub/b/config");
    yard_holds(y, "work/sub/b/config", "[core]\n\tbare = true\n");
}

/* A link that is made anew gets the inode of the old one; and a file is changed by another name. */
static void a_link_still_leads_where_it_led(Yard *y)
{
    char to[16] = "";
    settle(y);
    assert_int_equal(symlink("AGENTS.md", yard_path(y, "work/GEMINI.md")), 0);
    yard_put(yard_path(y, "work/sub/other-name"), "be good\n");
    assert_int_equal(link(yard_path(y, "work/sub/other-name"), yard_path(y, "work/CLAUDE.md")), 0);
    sleep(2); /* older than the command, so that its time of change counts */
    yard_command(y, "for i in 1 2 3 4 5 6 7 8 9; do rm -f GEMINI.md; ln -s EVILXX.md GEMINI.md; "
                    "done; echo evil > sub/other-name");
    assert_int_equal(readlink(yard_path(y, "work/GEMINI.md"), to, sizeof to), 9);
    assert_memory_equal(to, "AGENTS.md", 9);
    yard_holds(y, "work/CLAUDE.md", "be good\n");
}

/* A hook or a file of rules is often a link to one that lies with the sources. */
static void what_a_link_leads_to_stays_too(Yard *y)
{
    settle(y);
    make_dir(y, "work/scripts");
    make_dir(y, "work/claude");
    yard_put(yard_path(y, "work/scripts/rules.md"), "be good\n");
    yard_put(yard_path(y, "work/scripts/hook"), "true\n");
    yard_put(yard_path(y, "work/claude/settings.json"), "{}\n");
    yard_put(yard_path(y, "work/scripts/other"), "free\n");
    assert_int_equal(symlink("scripts/rules.md", yard_path(y, "work/CLAUDE.md")), 0);
    assert_int_equal(symlink("../scripts/rules.md", yard_path(y, "work/sub/GEMINI.md")), 0);
    assert_int_equal(symlink("../../scripts/hook", yard_path(y, "work/.git/hooks/post-merge")), 0);
    assert_int_equal(symlink(yard_path(y, "work/claude"), yard_path(y, "work/.claude")), 0);
    Confined c = yard_command(y, "echo evil > scripts/rules.md; rm scripts/hook; echo evil > "
                                 "claude/settings.json; echo mine > scripts/other");
    yard_holds(y, "work/scripts/rules.md", "be good\n");
    yard_holds(y, "work/scripts/hook", "true\n");
    yard_holds(y, "work/claude/settings.json", "{}\n");
    yard_holds(y, "work/scripts/other", "mine\n");
    assert_true(told_of(&c, "scripts/rules.md"));
}

/* By who is not root; a directory that is moved is written to as well. */
static void what_is_shut_against_us_is_put_aside(Yard *y)
{
    settle(y);
    Confined c = yard_command(y, "echo evil > CLAUDE.md; mkdir -p sub/d/.claude; echo evil > "
                                 "sub/d/CLAUDE.md; echo evil > sub/d/.claude/settings.json; mv sub "
                                 "sub2; mkdir -p sub; echo evil > sub/AGENTS.md; chmod 555 sub "
                                 "sub2/d/.claude sub2/d .");
    if (there(y, "CLAUDE.md") || there(y, "sub2/d/CLAUDE.md") || there(y, "sub2/d/.claude"))
        fail_msg("%s: " STR_FMT, confine_name(y->how), STR_ARG(plant_sentences(&c.planted, &y->a)));
    settled(y);
}

/* In a home others write to these all the time, and to other pads: they are not compared, so no
 * command writes to them at all. */
static void what_is_not_compared_is_not_written(Yard *y)
{
    static const char *const dirs[] = { "work/.config",      "work/.config/fish", "work/.local",
                                        "work/.local/bin",   "work/.claude",      "work/sub/p",
                                        "work/sub/p/.jotter" };
    static const char *const files[] = { "work/.config/fish/config.fish", "work/.local/bin/ls",
                                         "work/.claude/settings.json", "work/sub/p/.jotter/note" };
    for (size_t i = 0; i < COUNT_OF(dirs); i++)
        make_dir(y, dirs[i]);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        yard_put(yard_path(y, files[i]), "good\n");
    setenv("HOME", y->work, 1);
    yard_command(y, "for f in .config/fish/config.fish .local/bin/ls .claude/settings.json "
                    "sub/p/.jotter/note; do echo evil > $f; rm -f $f; done; echo evil > "
                    ".local/bin/cat; mv .claude sub/x; mv sub/p/.jotter sub/j");
    unsetenv("HOME");
    for (size_t i = 0; i < COUNT_OF(files); i++)
        yard_holds(y, files[i], "good\n");
    assert_false(there(y, ".local/bin/cat"));
}

/* What a command makes in between does not hide what it changed. */
static void no_number_of_files_ends_the_comparison(Yard *y)
{
    settle(y);
    y->workdir.plants_looked_at_max = 100;
    Confined c = yard_command(
        y, "mkdir deep/a sub/many; for i in $(seq 300); do echo > $i; echo > deep/$i; echo "
           "> deep/a/$i; echo > sub/many/$i; done; echo evil > sub/CLAUDE.md; "
           "mv sub x; mkdir sub; mv x/* sub/; echo evil > sub/AGENTS.md; mkdir "
           "-p sub/.vscode; echo evil > sub/.vscode/tasks.json");
    if (there(y, "sub/CLAUDE.md") || there(y, "sub/.vscode"))
        fail_msg("%s: " STR_FMT, confine_name(y->how), STR_ARG(plant_sentences(&c.planted, &y->a)));
    assert_true(told_of(&c, "too large"));
    settled(y);
}

static long no_descriptor_for_sub(void *ctx, IoCall *call)
{
    (void)ctx;
    return call->kind == IO_OPEN && call->name && strcmp(call->name, "sub") == 0 ? -EMFILE : 0;
}

/* A process that has no descriptor left for a moment is no reason to trust what a command made. */
static void a_directory_that_cannot_be_looked_at_is_reported(Yard *y)
{
    IoHook hook = { .before = no_descriptor_for_sub };
    Io io = { .hook = &hook };
    Workdir hooked = y->workdir;
    PlantReport report;
    AUTO(PlantWatch) watch = { 0 };
    settle(y);
    plant_before(&watch, &y->workdir);
    yard_put(yard_path(y, "work/sub/CLAUDE.md"), "evil\n");
    hooked.io = &io;
    watch.workdir = &hooked;
    plant_after(&watch, &y->a, &report);
    Str told = plant_sentences(&report, &y->a);
    if (!strstr(arena_cstr(&y->a, told), "cannot be read"))
        fail_msg("nothing was told: " STR_FMT, STR_ARG(told));
    settled(y);
}

static void what_has_a_name_like_the_pad_is_none(Yard *y)
{
    struct stat info;
    settle(y);
    yard_put(yard_path(y, "work/pad.db.reserve"), "room\n");
    Confined c = yard_command(y, "mkdir -p pad.db-x; echo evil > pad.db-x/AGENTS.md; rm -f "
                                 "pad.db.reserve; mkdir pad.db.reserve");
    assert_false(there(y, "pad.db-x/AGENTS.md"));
    if (lstat(yard_path(y, "work/pad.db.reserve"), &info) != 0 || !S_ISREG(info.st_mode))
        fail_msg("%s: " STR_FMT, confine_name(y->how), STR_ARG(c.head));
}

/* A mount is passed by moving what is above it; what appears under the old name is not believed. */
static void a_repository_that_is_moved_leaves_no_hooks(Yard *y)
{
    settle(y);
    Confined c = yard_command(y, "mv .git x; mkdir -p .git/hooks .git/objects .git/refs; cp "
                                 "x/HEAD .git/; echo evil > .git/hooks/pre-commit; echo '[core] "
                                 "fsmonitor = evil' > .git/config; true");
    (void)c;
    char text[64] = "";
    FILE *f = fopen(yard_path(y, "work/.git/hooks/pre-commit"), "r");
    if (f) {
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = 0;
        fclose(f);
    }
    assert_null(strstr(text, "evil"));
    yard_fails(y, "grep -r fsmonitor .git/config");
}

/* The work that git and builds do. */
static void ordinary_commits_go_on(Yard *y)
{
    if (access("/usr/bin/git", X_OK) != 0)
        yard_skip(y);
    const char *git = "git -c user.name=n -c user.email=e -c safe.directory='*'";
    Confined c = yard_command(y, "git init -q . && echo 1 > f");
    assert_int_equal(c.planted.n, 0);
    for (int i = 0; i < 3; i++) {
        c = yard_command(y, arena_printf(&y->a,
                                         "echo %d >> f && %s add f && %s commit -qm m%d && %s "
                                         "status -s f && %s checkout -qb b%d && %s log --oneline | "
                                         "wc -l",
                                         i, git, git, i, git, git, i, git)
                                .p);
        if (!str_eq(c.head, str(arena_printf(&y->a, "%d\n", i + 1).p)) || c.planted.n)
            fail_msg("%s: " STR_FMT STR_FMT, confine_name(y->how), STR_ARG(c.head),
                     STR_ARG(plant_sentences(&c.planted, &y->a)));
    }
    c = yard_command(y, "printf 'all:\\n\\techo made\\n' > Makefile; echo '{}' > package.json; ! "
                        "command -v make >/dev/null || make -s all >/dev/null; echo fine");
    assert_str(c.head, S("fine\n"));
    assert_int_equal(c.planted.n, 0);
}

static void what_is_allowed_by_name_stays(Yard *y)
{
    settle(y);
    y->workdir.plants_allowed[obeyed_find(S("AGENTS.md"))] = true;
    Confined c = yard_command(y, "echo new > AGENTS.md; echo evil > CLAUDE.md");
    yard_holds(y, "work/AGENTS.md", "new\n");
    assert_true(!there(y, "CLAUDE.md") && told_of(&c, "CLAUDE.md"));
    y->workdir.plants_allowed[obeyed_find(S(".git"))] = true;
    c = yard_command(y, "echo x > .git/hooks/new; echo x > .git/config; echo ok");
    assert_str(c.head, S("ok\n"));
    assert_int_equal(c.planted.n, 0);
    yard_holds(y, "work/.git/config", "x\n");
}

/* Whoever runs commands is killed in mid-command: the supervisor looks. */
static void it_is_put_aside_also_when_we_are_killed(Yard *y)
{
    settle(y);
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        if (freopen(yard_path(y, "said"), "w", stderr))
            yard_command(y, "echo evil > CLAUDE.md; touch sub/begun; sleep 100");
        _exit(0);
    }
    yard_await(y, "work/sub/begun");
    assert_true(there(y, "CLAUDE.md"));
    kill(us, SIGKILL);
    waitpid(us, NULL, 0);
    for (int i = 0; i < YARD_WAIT_TRIES && there(y, "CLAUDE.md"); i++)
        usleep(10000);
    assert_false(there(y, "CLAUDE.md"));
    /* The supervisor tells the person: nobody else is left who could. */
    struct stat said = { 0 };
    for (int i = 0; i < YARD_WAIT_TRIES && said.st_size == 0; i++)
        if (stat(yard_path(y, "said"), &said) != 0 || said.st_size == 0)
            usleep(10000);
    assert_true(said.st_size > 0);
}

/* The place where it is put is not chosen by the command. */
static void nothing_is_put_aside_outside(Yard *y)
{
    yard_command(
        y, arena_printf(&y->a, "ln -s %s/outside jotter-aside; echo evil > CLAUDE.md", y->dir).p);
    assert_false(there(y, "CLAUDE.md"));
    assert_int_equal(access(yard_path(y, "outside/secret"), F_OK), 0);
    Confined c = yard_command(y, "ls | grep -c jotter-aside-");
    assert_str(c.head, S("1\n"));
}

/* Twice at once: a time of change does not tell two changes of one moment apart. */
static void a_change_that_follows_at_once_is_seen(Yard *y)
{
    for (int i = 0; i < 10; i++) {
        yard_put(yard_path(y, "work/AGENTS.md"), "be good\n");
        yard_command(y, "echo 'be evil' > AGENTS.md");
        yard_holds(y, "work/AGENTS.md", "be good\n");
    }
}

/* Packages bring what they want; git's hooks are run in them as well. */
static void packages_may_bring_files_of_these_names(Yard *y)
{
    Confined c =
        yard_command(y, "mkdir -p node_modules/p/.github node_modules/p/.git/hooks; echo x > "
                        "node_modules/p/AGENTS.md; echo x > node_modules/p/.github/x; echo x "
                        "> node_modules/p/.git/hooks/pre-commit");
    assert_true(there(y, "node_modules/p/AGENTS.md") && there(y, "node_modules/p/.github/x"));
    assert_true(!there(y, "node_modules/p/.git/hooks/pre-commit") && told_of(&c, "pre-commit"));
}

/* Other processes write to other pads meanwhile, and to their own directories in a home. */
static void what_others_write_meanwhile_is_left_alone(Yard *y)
{
    make_dir(y, "work/.jotter");
    make_dir(y, "work/.claude");
    make_dir(y, "work/free"); /* Landlock lets nothing be made beside a pad */
    make_dir(y, "work/sub/.jotter");
    yard_put(yard_path(y, "work/.jotter/stream"), "1\n");
    yard_put(yard_path(y, "work/sub/.jotter/stream"), "1\n");
    yard_put(yard_path(y, "work/.claude/log"), "1\n");
    setenv("HOME", y->work, 1);
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c =
            yard_command(y, "touch free/begun; while test ! -e free/go; do sleep 0.01; done");
        _exit(c.end == CONFINE_EXITED && c.code == 0 && c.planted.n == 0 ? 0 : 1);
    }
    yard_await(y, "work/free/begun");
    yard_put(yard_path(y, "work/.jotter/stream"), "2\n");
    yard_put(yard_path(y, "work/sub/.jotter/stream"), "2\n");
    yard_put(yard_path(y, "work/.claude/log"), "2\n");
    yard_put(yard_path(y, "work/free/go"), "");
    int status;
    assert_int_equal(waitpid(us, &status, 0), us);
    unsetenv("HOME");
    assert_int_equal(status, 0);
    yard_holds(y, "work/.jotter/stream", "2\n");
    yard_holds(y, "work/sub/.jotter/stream", "2\n");
    yard_holds(y, "work/.claude/log", "2\n");
}

static void a_pad_among_them_is_no_plant(Yard *y)
{
    Confined c = yard_command(y, "ls -a | grep -c jotter");
    assert_str(c.head, S("1\n"));
    assert_int_equal(c.planted.n, 0);
}

/* The user's state lies in a directory that is kept: that is read-only, and the state hidden. */
static void the_users_own_is_hidden_where_plants_are_kept(Yard *y)
{
    static const char *const tries[] = {
        "cat .local/state/jotter/secret",
        "echo evil > .local/state/jotter/secret",
        "echo evil > .local/state/jotter/rules-0123456789abcdef",
        "echo evil > .local/config/jotter/safe",
        "rm -rf .local/state/jotter/secret && echo evil > .local/state/jotter/secret",
        "mv .local/state sub/x && cat sub/x/jotter/secret",
        "mv .local sub/x && cat sub/x/state/jotter/secret",
        "umount .local/state/jotter && cat .local/state/jotter/secret",
        "mkdir .local/new",
        "echo evil > .local/evil",
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        yard_fails(y, tries[i]);
        yard_holds(y, "work/.local/state/jotter/secret", "canary-own\n");
    }
    make_dir(y, "work/.local/bin");
    yard_put(yard_path(y, "work/.local/bin/tool"), "good\n");
    yard_command(y, "echo evil > .local/bin/tool; echo evil > .local/bin/other");
    yard_holds(y, "work/.local/bin/tool", "good\n");
    assert_false(there(y, ".local/bin/other") || there(y, ".local/evil") || there(y, ".local/new"));
    assert_false(there(y, ".local/config/jotter/safe"));
    assert_true(there(y, ".local/config/jotter")); /* it was made */
}

/* Nor is it looked at: the user may approve of something while a command is at work. */
static void what_the_user_decides_meanwhile_is_left_alone(Yard *y)
{
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c =
            yard_command(y, "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done");
        _exit(c.end == CONFINE_EXITED && c.code == 0 && c.planted.n == 0 ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    yard_put(yard_path(y, "work/.local/state/jotter/secret"), "another\n");
    yard_put(yard_path(y, "work/.local/state/jotter/rules"), "approved\n");
    yard_put(yard_path(y, "work/.local/config/jotter/safe"), "decided\n");
    yard_put(yard_path(y, "work/sub/go"), "");
    int status;
    assert_int_equal(waitpid(us, &status, 0), us);
    assert_int_equal(status, 0);
    yard_holds(y, "work/.local/state/jotter/secret", "another\n");
    yard_holds(y, "work/.local/state/jotter/rules", "approved\n");
    yard_holds(y, "work/.local/config/jotter/safe", "decided\n");
}

/* A directory that became too full to be seen is put aside, but not with the user's own in it:
 * under its new name the next command would read that. */
static void the_users_own_is_never_put_aside(Yard *y)
{
    make_dir(y, "work/.local/bin");
    make_dir(y, "work/.local/state/other");
    yard_command(y, "cd .local/bin; python3 -c 'for i in range(20500): open(str(i), \"w\")'");
    yard_holds(y, "work/.local/state/jotter/secret", "canary-own\n");
    assert_false(there(y, ".local/bin/0"));
    yard_prints(y, "find . -path '*aside*' -name secret", "");
    yard_fails(y, "cat .local/state/jotter/secret");
}

/* The directory of git is a mount on the way to it, once. */
static void the_users_own_is_not_moved_within_git(Yard *y)
{
    yard_fails(y, "mv .git/own .git/x");
    yard_fails(y, "mv .git/own/state .git/own/x");
    yard_fails(y, "mv .git x");
    yard_fails(y, "cat .git/own/state/jotter/secret");
    yard_holds(y, "work/.git/own/state/jotter/secret", "canary-own\n");
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(what_others_would_run_is_put_aside, "outside", true),
    TRIAL(what_others_run_stays_as_it_is, "outside", true),
    TRIAL(a_repository_in_pieces_is_put_aside, "outside", true),
    TRIAL(a_repository_without_head_keeps_its_configuration, "outside", true),
    TRIAL(a_link_still_leads_where_it_led, "outside", true),
    TRIAL(what_a_link_leads_to_stays_too, "outside", true),
    TRIAL(what_is_shut_against_us_is_put_aside, "outside", true),
    TRIAL(what_is_not_compared_is_not_written, "outside", true),
    TRIAL(no_number_of_files_ends_the_comparison, "outside", true),
    TRIAL(a_directory_that_cannot_be_looked_at_is_reported, "outside", false),
    TRIAL(what_has_a_name_like_the_pad_is_none, "work/pad.db", true),
    TRIAL(a_repository_that_is_moved_leaves_no_hooks, "outside", true),
    TRIAL(ordinary_commits_go_on, "outside", true),
    TRIAL(what_is_allowed_by_name_stays, "outside", true),
    TRIAL(it_is_put_aside_also_when_we_are_killed, "outside", true),
    TRIAL(nothing_is_put_aside_outside, "outside", true),
    TRIAL(a_change_that_follows_at_once_is_seen, "outside", true),
    TRIAL(packages_may_bring_files_of_these_names, "outside", true),
    TRIAL(what_others_write_meanwhile_is_left_alone, "outside", true),
    TRIAL(a_pad_among_them_is_no_plant, "work/.jotter", true),
    TRIAL_OWN(the_users_own_is_hidden_where_plants_are_kept, "outside", true, "work/.local"),
    TRIAL_OWN(what_the_user_decides_meanwhile_is_left_alone, "outside", true, "work/.local"),
    TRIAL_OWN(the_users_own_is_never_put_aside, "outside", true, "work/.local"),
    TRIAL_OWN(the_users_own_is_not_moved_within_git, "outside", true, "work/.git/own"),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_plant", trials, COUNT_OF(trials));
}
