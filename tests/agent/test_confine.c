/* test_confine.c - what a confined command cannot do: every promise, for every mechanism that
 * works here, as the user who runs the test and, if that is root, as nobody too. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/confine.h"
#include "agent/marked.h"
#include "unit/unit.h"

enum { WAIT_TRIES = 6000 }; /* of 10 ms: only keeps a mistake from hanging */
enum { NOBODY = 65534, LIMIT_MS = 10000 };

/* A working directory with a pad in it, and one pad outside. */
typedef struct Yard {
    ConfineHow how;
    char dir[64], work[80];
    Place place;
    Arena a;
    Err e;
} Yard;

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static const char *path(Yard *y, const char *name)
{
    return arena_printf(&y->a, "%s/%s", y->dir, name).p;
}

static void open_yard(Yard *y, const char *pad)
{
    snprintf(y->dir, sizeof y->dir, "/tmp/jotter-yard-XXXXXX");
    assert_non_null(mkdtemp(y->dir));
    setenv("TMPDIR", y->dir, 1); /* for what is left where we are killed */
    snprintf(y->work, sizeof y->work, "%s/work", y->dir);
    assert_int_equal(mkdir(y->work, 0700), 0);
    assert_int_equal(mkdir(path(y, "work/sub"), 0700), 0);
    assert_int_equal(mkdir(path(y, "work/deep"), 0700), 0);
    assert_int_equal(mkdir(path(y, "work/deep/pad"), 0700), 0);
    assert_int_equal(mkdir(path(y, "work/deep/pad/notes"), 0700), 0);
    assert_int_equal(mkdir(path(y, "outside"), 0700), 0);
    write_text(path(y, "work/deep/pad/notes/key"), "remembered\n");
    write_text(path(y, "work/pad.db"), "database\n");
    write_text(path(y, "outside/secret"), "canary-outside\n");
    const char *url =
        arena_printf(&y->a, "%s%s/%s",
                     strcmp(pad, "work/pad.db") == 0 ? "sqlite:" : "files:", y->dir, pad)
            .p;
    if (place_open(&y->place, &io_system, str(y->work), str(url), &y->e) != JOT_OK)
        fail_msg("%s", y->e.text);
}

static int remove_one(const char *name, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(name);
}

static void close_yard(Yard *y)
{
    place_close(&y->place);
    arena_free(&y->a);
    assert_int_equal(nftw(y->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static Confined run_for(Yard *y, const char *command, int64_t time_ms)
{
    ConfineJob job = { .place = &y->place,
                       .command = str(command),
                       .how = y->how,
                       .time_ms = time_ms,
                       .output_max = 4096 };
    Confined c;
    if (confine_run(&job, &y->a, &c, &y->e) != JOT_OK)
        fail_msg("%s", y->e.text);
    return c;
}

static Confined run(Yard *y, const char *command)
{
    return run_for(y, command, LIMIT_MS);
}

static void prints(Yard *y, const char *command, const char *want)
{
    Confined c = run(y, command);
    if (!str_eq(c.head, str(want)) || c.end != CONFINE_EXITED)
        fail_msg("%s: '%s' printed '" STR_FMT "', not '%s' (%d, %d)", confine_name(y->how), command,
                 STR_ARG(c.head), want, c.end, c.code);
}

/* The command must fail, whatever it says. */
static void fails(Yard *y, const char *command)
{
    Confined c = run(y, command);
    if (c.end == CONFINE_EXITED && c.code == 0)
        fail_msg("%s: '%s' worked: " STR_FMT, confine_name(y->how), command, STR_ARG(c.head));
}

static void holds(Yard *y, const char *name, const char *want)
{
    char text[256] = "";
    FILE *f = fopen(path(y, name), "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    assert_string_equal(text, want);
}

/* --- What it can do ------------------------------------------------------------------------ */

static void a_command_works_in_its_directory(Yard *y)
{
    prints(y, "echo hello; echo there >&2; exit 0", "hello\nthere\n");
    prints(y, "pwd", arena_printf(&y->a, "%s\n", y->work).p);
    prints(y, "cat; echo end", "end\n");
    prints(y, "echo x > sub/new && cat sub/new && mkdir sub/d && mv sub/new sub/d/ && ls sub/d",
           "x\nnew\n");
    prints(y, "echo t > \"$TMPDIR/t\" && cat \"$TMPDIR/t\" ", "t\n");
    prints(y, "test -e \"$TMPDIR/t\" || echo gone", "gone\n");
    prints(y, "echo a | tr a b; uname -s; test -r /proc/cpuinfo && echo cpu", "b\nLinux\ncpu\n");
    Confined c = run(y, "exit 7");
    assert_true(c.end == CONFINE_EXITED && c.code == 7);
    c = run(y, "kill -SEGV $$");
    assert_true(c.code == SIGSEGV || c.code == 128 + SIGSEGV);
}

/* --- What it cannot ------------------------------------------------------------------------ */

static void nothing_is_written_outside(Yard *y)
{
    fails(y, arena_printf(&y->a, "echo evil > %s/outside/evil", y->dir).p);
    fails(y, arena_printf(&y->a, "cat %s/outside/secret", y->dir).p);
    fails(y, arena_printf(&y->a, "ln -s %s/outside sub/out && echo evil > sub/out/evil", y->dir).p);
    fails(y, arena_printf(&y->a, "ln %s/outside/secret sub/hard", y->dir).p);
    fails(y, arena_printf(&y->a, "cat /proc/%d/root%s/outside/secret", getpid(), y->dir).p);
    fails(y, "echo evil > /usr/evil");
    fails(y, "echo evil > /etc/evil");
    fails(y, "cat /etc/shadow | grep .");
    fails(y, "mount -t tmpfs none sub");
    fails(y, "mknod sub/null c 1 3");
    assert_int_equal(access(path(y, "outside/evil"), F_OK), -1);
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
        "unshare -rm sh -c 'umount -l deep/pad; mount -o remount,bind,rw deep/pad; "
        "echo evil > deep/pad/notes/key'",
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        fails(y, tries[i]);
    fails(
        y,
        arena_printf(&y->a, "echo evil > /proc/%d/cwd%s/deep/pad/notes/key", getpid(), y->work).p);
    holds(y, "work/deep/pad/notes/key", "remembered\n");
    assert_int_equal(access(path(y, "work/deep/pad/new"), F_OK), -1);
    prints(y, "cat deep/pad/notes/key", "remembered\n");
    prints(y, "echo fine > sub/file && cat sub/file", "fine\n");
}

static unsigned mode_of(Yard *y, const char *name)
{
    struct stat info;
    assert_int_equal(stat(path(y, name), &info), 0);
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
            fails(y, arena_printf(&y->a, "%s %s", tries[k], files[i]).p);
        fails(y, arena_printf(&y->a,
                              "python3 -c 'import os, sys; os.setxattr(sys.argv[1], \"user.x\", "
                              "b\"evil\")' %s",
                              files[i])
                     .p);
    }
    fails(y, "exec 3<deep/pad/notes/key; python3 -c 'import os; os.fchmod(3, 0)'");
    assert_int_equal(mode_of(y, "outside/secret"), file);
    assert_int_equal(mode_of(y, "work/deep/pad/notes/key"), file);
    assert_int_equal(mode_of(y, "work/deep/pad"), pad);
}

static void ordinary_work_with_files_goes_on(Yard *y)
{
    prints(y, "cd sub; echo echo hi > s && chmod +x s && ./s && touch t && cp -p s s2 && ./s2",
           "hi\nhi\n");
    prints(y, "cd sub; mkdir -p a/b && cp -r a c && touch -d yesterday t && install s i && ./i",
           "hi\n");
    prints(
        y,
        "cd sub; tar cf x.tar s a && mkdir e && tar xof x.tar -C e && e/s; sed -i s/hi/ho/ s; ./s",
        "hi\nho\n");
    prints(y, "cd sub; python3 -c 'import shutil; print(shutil.copy(\"s\", \"p\"))'", "p\n");
    prints(y,
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
        fails(y, tries[i]);
    holds(y, "work/pad.db", "database\n");
    assert_int_equal(access(path(y, "work/pad.db-wal"), F_OK), -1);
    assert_int_equal(access(path(y, "work/pad.db-journal"), F_OK), -1);
    prints(y, "cat pad.db; echo fine > sub/file && cat sub/file", "database\nfine\n");
    assert_int_equal(access(path(y, "work/pad.db.lock"), F_OK), -1);
    write_text(path(y, "work/pad.db.lock"), "");
    fails(y, "echo evil > pad.db.lock");
    holds(y, "work/pad.db.lock", "");
}

/* Two at once: the first to end leaves the other's walls standing. */
static void walls_stay_until_the_last_command_ends(Yard *y)
{
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        Confined c = run(y, "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; "
                            "echo evil > pad.db-journal");
        _exit(c.end == CONFINE_EXITED && c.code != 0 ? 0 : 1);
    }
    for (int i = 0; i < WAIT_TRIES && access(path(y, "work/sub/begun"), F_OK) != 0; i++)
        usleep(10000);
    fails(y, "echo evil > pad.db-journal");
    write_text(path(y, "work/sub/go"), "");
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_int_equal(access(path(y, "work/pad.db-journal"), F_OK), -1);
}

static void no_key_is_in_the_environment(Yard *y)
{
    setenv("ANTHROPIC_API_KEY", "canary-env", 1);
    setenv("SOME_HARMLESS_NAME", "canary-env", 1);
    setenv("BASH_ENV", "/tmp/canary-env", 1);
    setenv("LD_PRELOAD_X", "canary-env", 1);
    prints(y, "env | grep canary; echo \"$ANTHROPIC_API_KEY\"", "\n");
    fails(y, "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep canary-env");
    fails(y, arena_printf(&y->a, "cat /proc/%d/environ /proc/%d/mem", getpid(), getpid()).p);
    unsetenv("ANTHROPIC_API_KEY");
    unsetenv("SOME_HARMLESS_NAME");
    unsetenv("BASH_ENV");
    unsetenv("LD_PRELOAD_X");
}

static int listening(int type, int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    if (type == SOCK_STREAM)
        assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void there_is_no_network_unless_it_is_given(Yard *y)
{
    int tcp_port, udp_port;
    int tcp = listening(SOCK_STREAM, &tcp_port), udp = listening(SOCK_DGRAM, &udp_port);
    if (access("/bin/bash", X_OK) != 0)
        skip();
    const char *connect = arena_printf(&y->a, "exec 3<>/dev/tcp/127.0.0.1/%d", tcp_port).p;
    fails(y, connect);
    run(y, arena_printf(&y->a, "echo x > /dev/udp/127.0.0.1/%d", udp_port).p);
    char got[8];
    assert_true(recv(udp, got, sizeof got, MSG_DONTWAIT) < 0);
    ConfineJob job = { .place = &y->place,
                       .command = str(connect),
                       .how = y->how,
                       .network = true,
                       .time_ms = LIMIT_MS,
                       .output_max = 4096 };
    Confined c;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    assert_true(c.end == CONFINE_EXITED && c.code == 0);
    close(tcp);
    close(udp);
}

static void only_sockets_of_the_internet_are_there(Yard *y)
{
    static const char *const families[] = { "AF_UNIX", "40", "AF_PACKET" }; /* 40: AF_VSOCK */
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s/work/sub/ear", y->dir);
    int ear = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(ear >= 0 && bind(ear, (struct sockaddr *)&at, sizeof at) == 0);
    assert_int_equal(listen(ear, 8), 0);
    for (size_t i = 0; i < COUNT_OF(families); i++)
        prints(y,
               arena_printf(&y->a,
                            "python3 -c 'import socket as s\n"
                            "try: s.socket(%s%s, s.SOCK_STREAM)\n"
                            "except PermissionError: print(\"refused\")'",
                            families[i][0] == 'A' ? "s." : "", families[i])
                   .p,
               "refused\n");
    fails(y, "python3 -c 'import socket as s; s.socket(s.AF_UNIX).connect(\"sub/ear\")'");
    assert_int_equal(poll(&(struct pollfd){ .fd = ear, .events = POLLIN }, 1, 0), 0);
    prints(y,
           "python3 -c 'import socket as s; a, b = s.socketpair(); a.send(b\"x\"); "
           "print(b.recv(1).decode())'",
           "x\n");
    prints(y,
           "python3 -c 'import asyncio, subprocess as s\n"
           "async def f(): return 7\n"
           "print(asyncio.run(f()), s.run([\"echo\", \"sub\"], capture_output=True).stdout)'",
           "7 b'sub\\n'\n");
    close(ear);
}

/* --- How it ends --------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void what_is_left_behind_is_killed(Yard *y)
{
    const char *mark = arena_printf(&y->a, "77%d", getpid()).p;
    prints(y,
           arena_printf(&y->a,
                        "sleep %s & (setsid sleep %s &) ; nohup setsid sh -c 'sleep %s; echo' "
                        ">/dev/null 2>&1 & sleep 0.1; echo started",
                        mark, mark, mark)
               .p,
           "started\n");
    assert_int_equal(count_marked(mark), 0);
}

static void a_command_that_does_not_end_is_killed_with_its_children(Yard *y)
{
    const char *mark = arena_printf(&y->a, "78%d", getpid()).p;
    int64_t began = now_ms();
    Confined c = run_for(y,
                         arena_printf(&y->a,
                                      "trap '' TERM HUP INT; echo begun; (trap '' TERM; setsid "
                                      "sleep %s) & sleep %s; sleep %s",
                                      mark, mark, mark)
                             .p,
                         400);
    assert_int_equal(c.end, CONFINE_TIMED_OUT);
    assert_str(c.head, S("begun\n"));
    assert_true(now_ms() - began < 8000);
    assert_int_equal(count_marked(mark), 0);
}

/* We are stopped while the command ends, and go on when its time is over: its keeper is gone. */
static void a_command_that_ended_while_we_slept_is_not_late(Yard *y)
{
    enum { SHORT_MS = 2000 };
    int status;
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c = run_for(y,
                             "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; "
                             "echo done; exit 5",
                             SHORT_MS);
        _exit(c.end == CONFINE_EXITED && c.code == 5 && str_eq(c.head, S("done\n")) ? 0 : 1);
    }
    for (int i = 0; i < WAIT_TRIES && access(path(y, "work/sub/begun"), F_OK) != 0; i++)
        usleep(10000);
    kill(us, SIGSTOP);
    write_text(path(y, "work/sub/go"), "");
    usleep((SHORT_MS + 200) * 1000);
    kill(us, SIGCONT);
    assert_int_equal(waitpid(us, &status, 0), us);
    assert_int_equal(status, 0);
}

static void endless_output_is_cut_and_ended(Yard *y)
{
    Confined c = run(y, "yes x");
    assert_int_equal(c.end, CONFINE_FLOODED);
    assert_int_equal(c.head.n, 3072);
    assert_int_equal(c.tail.n, 1024);
    assert_true(c.left_out > 1000000);
    c = run(y, "seq 1 2000");
    assert_true(c.end == CONFINE_EXITED && c.code == 0);
    assert_int_equal(c.head.n + c.tail.n + c.left_out, 8893);
    assert_true(str_starts(c.head, S("1\n2\n")) && str_ends(c.tail, S("\n1999\n2000\n")));
}

typedef struct Peak {
    const char *mark;
    int most;
} Peak;

static bool look_at_peak(void *ctx)
{
    Peak *p = ctx;
    int now = count_marked(p->mark);
    p->most = now > p->most ? now : p->most;
    return false;
}

/* It forks to a depth and no further, so that a machine on which the limit does not hold survives
 * the test: 2047 processes at most.  Each has the mark in its arguments. */
static void explode(Yard *y, const char *how)
{
    Peak peak = { .mark = arena_printf(&y->a, "79%d", getpid()).p };
    const char *name = arena_printf(&y->a, "sub/bomb%s", peak.mark).p;
    Confined c;
    write_text(path(y, arena_printf(&y->a, "work/%s", name).p),
               arena_printf(&y->a,
                            "test $1 -gt 0 && { %s sh %s $(($1 - 1)) & %s sh %s $(($1 - 1)) & }\n"
                            "exec sleep %s\n",
                            how, name, how, name, peak.mark)
                   .p);
    ConfineJob job = { .place = &y->place,
                       .command = arena_printf(&y->a, "sh %s 10", name),
                       .how = y->how,
                       .time_ms = LIMIT_MS,
                       .output_max = 4096,
                       .cancelled = look_at_peak,
                       .ctx = &peak };
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    if (c.end != CONFINE_SWARMED || peak.most > 2 * CONFINE_PROCESSES_MAX)
        fail_msg("%s: end %d, up to %d processes", confine_name(y->how), c.end, peak.most);
    assert_int_equal(count_marked(peak.mark), 0);
}

static void a_fork_bomb_is_bounded(Yard *y)
{
    explode(y, "");
    explode(y, "setsid");
    prints(y, "echo alive", "alive\n");
}

static bool say_yes(void *ctx)
{
    int *left = ctx;
    return --*left < 0;
}

static void a_cancelled_command_is_dead(Yard *y)
{
    const char *mark = arena_printf(&y->a, "80%d", getpid()).p;
    int left = 3;
    ConfineJob job = { .place = &y->place,
                       .command = arena_printf(&y->a, "trap '' TERM; sleep %s", mark),
                       .how = y->how,
                       .time_ms = LIMIT_MS,
                       .output_max = 4096,
                       .cancelled = say_yes,
                       .ctx = &left };
    Confined c;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_CANCELLED);
    assert_int_equal(count_marked(mark), 0);
}

static void a_command_cannot_reach_other_processes(Yard *y)
{
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0)
        for (;;)
            pause();
    run(y, arena_printf(&y->a, "kill -9 %d", other).p);
    /* Nor the keeper: outside of bwrap's namespace that is the command's parent. */
    prints(y, "kill -9 $PPID 2>/dev/null; echo alive", "alive\n");
    int status;
    pid_t ended = waitpid(other, &status, WNOHANG);
    kill(other, SIGKILL);
    if (ended == 0)
        waitpid(other, &status, 0);
    assert_int_equal(ended, 0);
}

/* Directories for temporary files that are left. */
static int shells_in(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    int n = 0;
    assert_non_null(d);
    while ((entry = readdir(d)))
        n += strncmp(entry->d_name, "jotter-shell-", 13) == 0;
    closedir(d);
    return n;
}

/* Whoever runs commands is killed in mid-command: nothing of it stays. */
static void the_command_dies_with_us(Yard *y)
{
    const char *mark = arena_printf(&y->a, "81%d", getpid()).p;
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        run(y, arena_printf(&y->a, "trap '' TERM; setsid sleep %s & sleep %s", mark, mark).p);
        _exit(0);
    }
    for (int i = 0; i < WAIT_TRIES && count_marked(mark) < 2; i++)
        usleep(10000);
    assert_true(count_marked(mark) >= 2);
    kill(us, SIGKILL);
    waitpid(us, NULL, 0);
    for (int i = 0; i < WAIT_TRIES && (count_marked(mark) > 0 || shells_in(y->dir) > 0); i++)
        usleep(10000);
    assert_int_equal(count_marked(mark), 0);
    assert_int_equal(shells_in(y->dir), 0);
    /* Nor what stood beside a database. */
    for (int i = 0; i < WAIT_TRIES && access(path(y, "work/pad.db-wal"), F_OK) == 0; i++)
        usleep(10000);
    static const char *const beside[] = { "-wal", "-shm", "-journal", ".lock", ".index" };
    for (size_t i = 0; i < COUNT_OF(beside); i++)
        assert_int_equal(access(path(y, arena_printf(&y->a, "work/pad.db%s", beside[i]).p), F_OK),
                         -1);
}

/* A link beside the pad is no way out, and a name that turns into one at the wrong moment neither.
 */
static void links_in_the_directory_allow_nothing(Yard *y)
{
    enum { TURNS = 20 };
    const char *out = arena_printf(&y->a, "%s/outside", y->dir).p;
    const char *way = path(y, "work/way"), *link = path(y, "work/link"), *spare = path(y, "spare");
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
        Confined c = run(y, arena_printf(&y->a, "cat %s/secret", out).p);
        if (c.end == CONFINE_EXITED && c.code == 0) {
            kill(other, SIGKILL);
            fail_msg("%s: read through a link", confine_name(y->how));
        }
    }
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

/* --- All of them --------------------------------------------------------------------------- */

typedef struct Trial {
    const char *name;
    void (*run)(Yard *y);
    const char *pad;
    bool needs_walls; /* true of confined commands only */
} Trial;

#define TRIAL(function, pad, walls)     \
    {                                   \
#function, function, pad, walls \
    }
/* clang-format off */
static const Trial trials[] = {
    TRIAL(a_command_works_in_its_directory, "work/deep/pad", false),
    TRIAL(nothing_is_written_outside, "work/deep/pad", true),
    TRIAL(the_pad_is_not_written, "work/deep/pad", true),
    TRIAL(modes_and_owners_elsewhere_are_kept, "work/deep/pad", true),
    TRIAL(ordinary_work_with_files_goes_on, "work/deep/pad", true),
    TRIAL(a_database_and_its_journals_are_not_written, "work/pad.db", true),
    TRIAL(walls_stay_until_the_last_command_ends, "work/pad.db", true),
    TRIAL(no_key_is_in_the_environment, "work/deep/pad", true),
    TRIAL(there_is_no_network_unless_it_is_given, "outside", true),
    TRIAL(only_sockets_of_the_internet_are_there, "outside", true),
    TRIAL(what_is_left_behind_is_killed, "outside", false),
    TRIAL(a_command_that_does_not_end_is_killed_with_its_children, "outside", false),
    TRIAL(a_command_that_ended_while_we_slept_is_not_late, "outside", false),
    TRIAL(endless_output_is_cut_and_ended, "outside", false),
    TRIAL(a_fork_bomb_is_bounded, "outside", true),
    TRIAL(a_cancelled_command_is_dead, "outside", false),
    TRIAL(a_command_cannot_reach_other_processes, "outside", true),
    TRIAL(the_command_dies_with_us, "outside", false),
    TRIAL(the_command_dies_with_us, "work/pad.db", true),
    TRIAL(links_in_the_directory_allow_nothing, "work/deep/pad", true),
};
/* clang-format on */

typedef struct Turn {
    const Trial *trial;
    ConfineHow how;
} Turn;

static void take_turn(void **state)
{
    const Turn *turn = *state;
    Yard y = { .how = turn->how };
    open_yard(&y, turn->trial->pad);
    turn->trial->run(&y);
    close_yard(&y);
}

static void a_machine_without_any_mechanism_says_so(void **state)
{
    (void)state;
    Yard y = { 0 };
    open_yard(&y, "outside");
    ConfineHow how;
    jot_status st = confine_best(&y.place, &how, &y.e);
    assert_true(st == JOT_OK || st == JOT_UNSUPPORTED);
    if (st == JOT_OK)
        assert_true(how == CONFINE_BWRAP || how == CONFINE_LANDLOCK);
    Place root = y.place;
    root.path = S("/");
    assert_int_equal(confine_try(&root, CONFINE_LANDLOCK, &y.e), JOT_UNSUPPORTED);
    assert_sentence(&y.e);
    close_yard(&y);
}

static bool works(ConfineHow how)
{
    Yard y = { 0 };
    open_yard(&y, "outside");
    bool fine = confine_try(&y.place, how, &y.e) == JOT_OK;
    if (!fine)
        print_message("skipped: %s: %s\n", confine_name(how), y.e.text);
    close_yard(&y);
    return fine;
}

/* JOT_TEST_ONLY: a part of the names of the tests to run. */
static bool wanted(const char *name)
{
    const char *only = getenv("JOT_TEST_ONLY");
    return !only || strstr(name, only);
}

static int run_all(const char *who)
{
    struct CMUnitTest list[3 * COUNT_OF(trials) + 1];
    static Turn turns[3 * COUNT_OF(trials)];
    static char names[3 * COUNT_OF(trials)][160];
    size_t n = 0;
    for (ConfineHow how = CONFINE_BWRAP; how <= CONFINE_NOT; how++) {
        bool there = works(how);
        for (size_t i = 0; there && i < COUNT_OF(trials); i++) {
            if (how == CONFINE_NOT && trials[i].needs_walls)
                continue;
            turns[n] = (Turn){ &trials[i], how };
            snprintf(names[n], sizeof names[n], "%s (%s, %s)", trials[i].name, confine_name(how),
                     who);
            list[n] = (struct CMUnitTest){ .name = names[n],
                                           .test_func = take_turn,
                                           .initial_state = &turns[n] };
            n += wanted(names[n]);
        }
    }
    list[n++] = (struct CMUnitTest)cmocka_unit_test(a_machine_without_any_mechanism_says_so);
    return _cmocka_run_group_tests("confine", list, n, NULL, NULL);
}

/* The same again without root's rights, in a process of its own. */
static int run_as_nobody(void)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(99);
        _exit(run_all("nobody") ? 1 : 0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
    int failed = run_all(getuid() == 0 ? "root" : "user");
    return getuid() == 0 ? failed + run_as_nobody() : failed;
}
