/* test_confine_file.c - which files a confined command reads and writes: those of its directory,
 * and no others, whatever names it uses. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/yard.h"

static void a_command_works_in_its_directory(Yard *y)
{
    yard_prints(y, "echo hello; echo there >&2; exit 0", "hello\nthere\n");
    yard_prints(y, "pwd", arena_printf(&y->a, "%s\n", y->work).p);
    yard_prints(y, "cat; echo end", "end\n");
    yard_prints(y,
                "echo x > sub/new && cat sub/new && mkdir sub/d && mv sub/new sub/d/ && ls sub/d",
                "x\nnew\n");
    yard_prints(y, "echo t > \"$TMPDIR/t\" && cat \"$TMPDIR/t\" ", "t\n");
    yard_prints(y, "test -e \"$TMPDIR/t\" || echo gone", "gone\n");
    yard_prints(y, "echo a | tr a b; uname -s; test -r /proc/cpuinfo && echo cpu",
                "b\nLinux\ncpu\n");
    Confined c = yard_command(y, "exit 7");
    assert_true(c.end == CONFINE_EXITED && c.code == 7);
    c = yard_command(y, "kill -SEGV $$");
    assert_true(c.code == SIGSEGV || c.code == 128 + SIGSEGV);
}

static void nothing_is_written_outside(Yard *y)
{
    yard_fails(y, arena_printf(&y->a, "echo evil > %s/outside/evil", y->dir).p);
    yard_fails(y, arena_printf(&y->a, "cat %s/outside/secret", y->dir).p);
    yard_fails(
        y, arena_printf(&y->a, "ln -s %s/outside sub/out && echo evil > sub/out/evil", y->dir).p);
    yard_fails(y, arena_printf(&y->a, "ln %s/outside/secret sub/hard", y->dir).p);
    yard_fails(y, arena_printf(&y->a, "cat /proc/%d/root%s/outside/secret", getpid(), y->dir).p);
    yard_fails(y, "echo evil > /usr/evil");
    yard_fails(y, "echo evil > /etc/evil");
    yard_fails(y, "cat /etc/shadow | grep .");
    yard_fails(y, "mount -t tmpfs none sub");
    yard_fails(y, "mknod sub/null c 1 3");
    assert_int_equal(access(yard_path(y, "outside/evil"), F_OK), -1);
}

static void what_is_the_users_own_is_neither_read_nor_written(Yard *y)
{
    static const char *const tries[] = {
        "cat own/state/jotter/secret",
        "echo evil > own/state/jotter/secret",
        "echo evil > own/state/jotter/rules-0123456789abcdef",
        "echo evil > own/config/jotter/safe",
        "rm -rf own/state/jotter/secret && echo evil > own/state/jotter/secret",
        "mv own/state/jotter own/state/x && mkdir own/state/jotter",
        "mv own/state own/x && mkdir -p own/state/jotter && echo evil > own/state/jotter/secret",
        "mv own x && mkdir -p own/state/jotter && echo evil > own/state/jotter/secret",
        "umount own/state/jotter && cat own/state/jotter/secret",
        "ln -s ../own/state/jotter sub/link && cat sub/link/secret",
        "ln own/state/jotter/secret sub/hard && cat sub/hard",
        "cat /proc/self/cwd/own/state/jotter/secret",
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        yard_fails(y, tries[i]);
        yard_holds(y, "work/own/state/jotter/secret", "canary-own\n");
        assert_row(access(yard_path(y, "work/own/config/jotter/safe"), F_OK) != 0, i, tries[i]);
    }
    assert_int_equal(access(yard_path(y, "work/own/config/jotter"), F_OK), 0); /* it was made */
}

static void the_pad_is_not_written(Yard *y)
{
    static const char *const tries[] = {
        "echo evil > deep/pad/notes/key",
        "echo evil >> deep/pad/notes/key",
        "echo evil > deep/pad/new",
        "truncate -s 0 deep/pad/notes/key",
        "rm deep/pad/notes/key",
        "mv deep/pad/notes/key sub/key",
        "mv deep/pad sub/pad",
        "mv deep sub/deep",
        "ln -s ../deep/pad/notes sub/link && echo evil > sub/link/key",
        "ln deep/pad/notes/key sub/hard && echo evil > sub/hard",
        "echo evil > /proc/self/cwd/deep/pad/notes/key",
        "exec 3<deep/pad/notes/key && echo evil > /proc/self/fd/3",
        "umount deep/pad && echo evil > deep/pad/notes/key",
        "mount -o remount,rw deep/pad && echo evil > deep/pad/notes/key",
        ("unshare -rm sh -c 'umount -l deep/pad; mount -o remount,bind,rw deep/pad; "
         "echo evil > deep/pad/notes/key'"),
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        yard_fails(y, tries[i]);
    yard_fails(
        y,
        arena_printf(&y->a, "echo evil > /proc/%d/cwd%s/deep/pad/notes/key", getpid(), y->work).p);
    yard_holds(y, "work/deep/pad/notes/key", "remembered\n");
    assert_int_equal(access(yard_path(y, "work/deep/pad/new"), F_OK), -1);
    yard_prints(y, "echo fine > sub/file && cat sub/file", "fine\n");
}

static unsigned mode_of(Yard *y, const char *name)
{
    struct stat info;
    assert_int_equal(stat(yard_path(y, name), &info), 0);
    return info.st_mode & 07777;
}

static void modes_and_owners_elsewhere_are_kept(Yard *y)
{
    const char *secret = arena_printf(&y->a, "%s/outside/secret", y->dir).p;
    const char *const files[] = { secret, "deep/pad/notes/key", "deep/pad" };
    static const char *const tries[] = { "chmod 000", "chmod 444", "chmod 666", "chmod 4755",
                                         "chgrp $(id -g)" };
    unsigned file = mode_of(y, "outside/secret"), pad = mode_of(y, "work/deep/pad");
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        for (size_t k = 0; k < COUNT_OF(tries); k++)
            yard_fails(y, arena_printf(&y->a, "%s %s", tries[k], files[i]).p);
        yard_fails(y,
                   arena_printf(&y->a,
                                "python3 -c 'import os, sys; os.setxattr(sys.argv[1], \"user.x\", "
                                "b\"evil\")' %s",
                                files[i])
                       .p);
    }
    yard_fails(y, "exec 3<deep/pad/notes/key && python3 -c 'import os; os.fchmod(3, 0)'");
    assert_int_equal(mode_of(y, "outside/secret"), file);
    assert_int_equal(mode_of(y, "work/deep/pad/notes/key"), file);
    assert_int_equal(mode_of(y, "work/deep/pad"), pad);
}

static void ordinary_work_with_files_goes_on(Yard *y)
{
    yard_prints(y, "cd sub; echo echo hi > s && chmod +x s && ./s && touch t && cp -p s s2 && ./s2",
                "hi\nhi\n");
    yard_prints(y,
                "cd sub; mkdir -p a/b && cp -r a c && touch -d yesterday t && install s i && ./i",
                "hi\n");
    yard_prints(
        y,
        "cd sub; tar cf x.tar s a && mkdir e && tar xof x.tar -C e && e/s; sed -i s/hi/ho/ s; ./s",
        "hi\nho\n");
    yard_prints(y, "cd sub; python3 -c 'import shutil; print(shutil.copy(\"s\", \"p\"))'", "p\n");
    yard_prints(
        y,
        "cd sub; ! command -v git >/dev/null || { git init -q g && cd g && echo 1 > f && git "
        "add f && "
        "git -c user.name=n -c user.email=e commit -qm m && git config a.b c && git status -s; "
        "}; echo end",
        "end\n");
}

static void a_database_and_its_journals_are_not_written(Yard *y)
{
    static const char *const tries[] = {
        "echo evil > pad.db",
        "echo evil >> pad.db",
        "rm pad.db",
        "mv pad.db sub/x",
        "echo evil > pad.db-wal",
        "echo evil > pad.db-journal",
        "echo evil > pad.db.lock",
        "rm -f pad.db.lock; touch pad.db.lock",
        "echo evil > pad.db.index",
        "ln -s x pad.db-journal",
        "mv sub pad.db-journal",
        "truncate -s 0 pad.db",
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        yard_fails(y, tries[i]);
    yard_holds(y, "work/pad.db", "database\n");
    assert_int_equal(access(yard_path(y, "work/pad.db-wal"), F_OK), -1);
    assert_int_equal(access(yard_path(y, "work/pad.db-journal"), F_OK), -1);
    yard_prints(y, "echo fine > sub/file && cat sub/file", "fine\n");
    assert_int_equal(access(yard_path(y, "work/pad.db.lock"), F_OK), -1);
    yard_put(yard_path(y, "work/pad.db.lock"), "");
    yard_fails(y, "echo evil > pad.db.lock");
    yard_holds(y, "work/pad.db.lock", "");
}

static void the_index_beside_a_database_is_neither_read_nor_written(Yard *y)
{
    assert_int_equal(mkdir(yard_path(y, "work/pad.db.index"), 0700), 0);
    yard_put(yard_path(y, "work/pad.db.index/manifest"), "words\n");
    static const char *const tries[] = {
        "cat pad.db.index/manifest",
        "echo evil > pad.db.index/manifest",
        "echo evil > pad.db.index/more",
        "mv pad.db.index sub/x",
        "rm -r pad.db.index",
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        yard_fails(y, tries[i]);
    yard_holds(y, "work/pad.db.index/manifest", "words\n");
    yard_prints(y, "echo fine > sub/file && cat sub/file", "fine\n");
}

/* Who can open a file can lock it, or take a lease on it, and whoever wants to write it waits.  The
 * command tries all kinds, holds what it got, and says how much that was. */
static void yard_locks_nothing(Yard *y, const char *file)
{
    yard_put(yard_path(y, "work/sub/lock.py"),
             "import fcntl, os, signal, struct, sys, time\n"
             "signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
             "held = []\n"
             "def attempt(how):\n"
             "    try: held.append(how())\n"
             "    except OSError: pass\n"
             "whole = struct.pack('hhqqi', fcntl.F_RDLCK, 0, 0, 0, 0)\n"
             "for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY, os.O_PATH):\n"
             "    fds = []\n"
             "    try: fds = [os.open(sys.argv[1], flags) for i in range(4)]\n"
             "    except OSError: continue\n"
             "    attempt(lambda: fcntl.flock(fds[0], fcntl.LOCK_SH | fcntl.LOCK_NB))\n"
             "    attempt(lambda: fcntl.fcntl(fds[1], fcntl.F_SETLK, whole))\n"
             "    attempt(lambda: fcntl.fcntl(fds[2], 37, whole))\n" /* F_OFD_SETLK */
             "    attempt(lambda: fcntl.fcntl(fds[3], fcntl.F_SETLEASE, fcntl.F_RDLCK))\n"
             "open('sub/begun', 'w').close()\n"
             "while not os.path.exists('sub/go'): time.sleep(0.01)\n"
             "sys.exit(len(held))\n");
    unlink(yard_path(y, "work/sub/begun"));
    unlink(yard_path(y, "work/sub/go"));
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c = yard_command(y, arena_printf(&y->a, "python3 sub/lock.py %s", file).p);
        _exit(c.end == CONFINE_EXITED ? c.code : 99);
    }
    yard_await(y, "work/sub/begun");
    int fd = open(yard_path(y, arena_printf(&y->a, "work/%s", file).p), O_RDWR | O_NONBLOCK);
    struct flock all = { .l_type = F_WRLCK };
    bool wrote = fd >= 0 && fcntl(fd, F_OFD_SETLK, &all) == 0;
    close(fd);
    yard_put(yard_path(y, "work/sub/go"), "");
    int status;
    assert_int_equal(waitpid(us, &status, 0), us);
    if (!wrote || status != 0)
        fail_msg("%s: '%s' was held up (%d)", confine_name(y->how), file, status);
}

static void make_other_pad(Yard *y)
{
    assert_int_equal(mkdir(yard_path(y, "work/other"), 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "work/other/.jotter"), 0700), 0);
    yard_put(yard_path(y, "work/other/.jotter/format"), "jotter 1 1\n");
}

static void no_writer_of_a_pad_is_held_up(Yard *y)
{
    static const char *const tries[] = {
        "cat deep/pad/notes/key",
        "cat /proc/self/cwd/deep/pad/notes/key",
        "ln -s ../deep/pad/notes/key sub/link && cat sub/link",
        "cp deep/pad/notes/key sub/copy",
        "ln deep/pad/notes/key sub/hard && cat sub/hard",
        "chmod 700 deep/pad && cat deep/pad/notes/key",
        "umount deep/pad && cat deep/pad/notes/key",
        "cat other/.jotter/format",
        "mv other sub/moved && cat sub/moved/.jotter/format",
    };
    make_other_pad(y);
    yard_locks_nothing(y, "deep/pad/notes/key");
    yard_locks_nothing(y, "other/.jotter/format");
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        yard_fails(y, tries[i]);
        yard_holds(y, "work/deep/pad/notes/key", "remembered\n");
    }
}

static void no_writer_of_a_database_is_held_up(Yard *y)
{
    static const char *const files[] = { "pad.db", "pad.db-wal", "pad.db-shm", "pad.db.lock" };
    for (size_t i = 1; i < COUNT_OF(files); i++)
        yard_put(yard_path(y, arena_printf(&y->a, "work/%s", files[i]).p), "its own\n");
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        yard_locks_nothing(y, files[i]);
        yard_fails(y, arena_printf(&y->a, "cat %s", files[i]).p);
    }
}

/* A pad that a repository holds is not taken for removed: git would commit that. */
static void git_does_not_take_the_pad_for_removed(Yard *y)
{
    if (access("/usr/bin/git", X_OK) != 0)
        yard_skip(y);
    yard_prints(y,
                "mkdir sub/g && cd sub/g && git init -q . && mkdir .jotter && echo 1 > "
                ".jotter/format && git add -f .jotter/format && git -c user.name=n -c user.email=e "
                "commit -qm m && rm -rf .jotter; echo made",
                "made\n");
    assert_int_equal(mkdir(yard_path(y, "work/sub/g/.jotter"), 0700), 0);
    yard_put(yard_path(y, "work/sub/g/.jotter/format"), "1\n");
    yard_command(y, "cd sub/g; git -c user.name=n -c user.email=e commit -qam evil");
    yard_prints(y, "cd sub/g; git ls-files", ".jotter/format\n");
}

/* Two at once: the first to end leaves the other's walls standing. */
static void walls_stay_until_the_last_command_ends(Yard *y)
{
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        Confined c =
            yard_command(y, "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; "
                            "echo evil > pad.db-journal");
        _exit(c.end == CONFINE_EXITED && c.code != 0 ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    yard_fails(y, "echo evil > pad.db-journal");
    yard_put(yard_path(y, "work/sub/go"), "");
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_int_equal(access(yard_path(y, "work/pad.db-journal"), F_OK), -1);
}

/* A link beside the pad is no way out, and a name that turns into one at the wrong moment neither.
 */
static void links_in_the_directory_allow_nothing(Yard *y)
{
    enum { TURNS = 20 };
    const char *out = arena_printf(&y->a, "%s/outside", y->dir).p;
    const char *way = yard_path(y, "work/way"), *link = yard_path(y, "work/link"),
               *spare = yard_path(y, "spare");
    assert_int_equal(symlink(out, link), 0);
    assert_int_equal(symlink(out, spare), 0);
    assert_int_equal(mkdir(way, 0700), 0);
    pid_t us = getpid(), other = fork();
    assert_true(other >= 0);
    while (other == 0 && getppid() == us)
        renameat2(AT_FDCWD, way, AT_FDCWD, spare, RENAME_EXCHANGE);
    if (other == 0)
        _exit(0);
    for (int i = 0; i < TURNS; i++) {
        Confined c = yard_command(y, arena_printf(&y->a, "cat %s/secret", out).p);
        if (c.end == CONFINE_EXITED && c.code == 0) {
            kill(other, SIGKILL);
            fail_msg("%s: read through a link", confine_name(y->how));
        }
    }
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(a_command_works_in_its_directory, "work/deep/pad", false),
    TRIAL(nothing_is_written_outside, "work/deep/pad", true),
    TRIAL(the_pad_is_not_written, "work/deep/pad", true),
    TRIAL(no_writer_of_a_pad_is_held_up, "work/deep/pad", true),
    TRIAL(no_writer_of_a_database_is_held_up, "work/pad.db", true),
    TRIAL(git_does_not_take_the_pad_for_removed, "outside", true),
    TRIAL_OWN(what_is_the_users_own_is_neither_read_nor_written, "work/deep/pad", true, "work/own"),
    TRIAL_OWN(what_is_the_users_own_is_neither_read_nor_written, "outside", true, "work/own"),
    TRIAL(modes_and_owners_elsewhere_are_kept, "work/deep/pad", true),
    TRIAL(ordinary_work_with_files_goes_on, "work/deep/pad", true),
    TRIAL_OWN(ordinary_work_with_files_goes_on, "work/deep/pad", true, "work/own"),
    TRIAL(a_database_and_its_journals_are_not_written, "work/pad.db", true),
    TRIAL(the_index_beside_a_database_is_neither_read_nor_written, "work/pad.db", true),
    TRIAL(walls_stay_until_the_last_command_ends, "work/pad.db", true),
    TRIAL(links_in_the_directory_allow_nothing, "work/deep/pad", true),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_file", trials, COUNT_OF(trials));
}
