/* test_confine_escape.c - the ways out that a hostile command tries, each once under every
 * mechanism and every user.
 *
 * Each name is an attempt; that it passes means that it came to nothing.  How many
 * there were under which mechanism is printed in the end. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/marked.h"
#include "agent/sandbox/jail.h"
#include "agent/yard.h"

/* --- More than its share --------------------------------------------------------------------- */

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
    yard_put(yard_path(y, arena_printf(&y->a, "work/%s", name).p),
             arena_printf(&y->a,
                          "test $1 -gt 0 && { %s sh %s $(($1 - 1)) & %s sh %s $(($1 - 1)) & }\n"
                          "exec sleep %s\n",
                          how, name, how, name, peak.mark)
                 .p);
    ConfineJob job = yard_job(y, arena_printf(&y->a, "sh %s 10", name).p);
    job.cancelled = look_at_peak;
    job.ctx = &peak;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    /* How many there were meanwhile depends on who was quicker.  Where the user's other programs
     * start more processes at the same time, the user's limit stops it before the count does. */
    bool stopped = c.end == CONFINE_TIMED_OUT && peak.most <= CONFINE_PROCESSES_MAX;
    if (c.end != CONFINE_SWARMED && !stopped)
        fail_msg("%s: end %d, up to %d processes", confine_name(y->how), c.end, peak.most);
    assert_int_equal(count_marked(peak.mark), 0);
}

static void by_forking_without_end(Yard *y)
{
    explode(y, "");
    explode(y, "setsid");
    yard_prints(y, "echo alive", "alive\n");
}

static void by_endless_output(Yard *y)
{
    Confined c = yard_command(y, "yes x");
    assert_int_equal(c.end, CONFINE_FLOODED);
    assert_int_equal(c.head.n, 3072);
    assert_int_equal(c.tail.n, 1024);
    assert_true(c.left_out > 1000000);
    c = yard_command(y, "seq 1 2000");
    assert_true(c.end == CONFINE_EXITED && c.code == 0);
    assert_int_equal(c.head.n + c.tail.n + c.left_out, 8893);
    assert_true(str_starts(c.head, S("1\n2\n")) && str_ends(c.tail, S("\n1999\n2000\n")));
}

static void by_writing_ten_gigabytes(Yard *y)
{
    struct stat info;
    yard_fails(y, "dd if=/dev/zero of=sub/big bs=1M seek=10239 count=1 2>/dev/null");
    yard_fails(y, "fallocate -l 10G sub/big || truncate -s 10G sub/big");
    assert_int_equal(stat(yard_path(y, "work/sub/big"), &info), 0);
    assert_true(info.st_size <= CONFINE_FILE_BYTES);
    unlink(yard_path(y, "work/sub/big"));
}

/* What a command takes of the disk in many small files, or in ways that are not seen, is too much;
 * with a limit that a test can reach.  Others may empty the disk meanwhile, which hides what this
 * one takes: then it is tried again. */
static void fill(Yard *y, const char *command)
{
    for (int i = 0; i < 20; i++) {
        ConfineJob job = yard_job(y, command);
        Confined c;
        job.disk_bytes = 48 << 20;
        job.time_ms = 300000;
        assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
        Confined used = yard_command(y, "du -sm sub | cut -f 1");
        yard_command(y, "rm -f sub/*");
        if (c.end == CONFINE_DISK || atoi(arena_cstr(&y->a, used.head)) <= 48)
            return;
    }
    fail_msg("%s: '%s' was not ended", confine_name(y->how), command);
}

static void by_filling_the_disk_with_many_files(Yard *y)
{
    fill(y, "for i in 1 2 3 4 5 6 7 8; do head -c 16M /dev/urandom > sub/$i; sync sub/$i; done; "
            "sleep 5");
}

/* Room that is taken but not written, and writing that the supervisor is not let see. */
static void by_filling_the_disk_unseen(Yard *y)
{
    fill(y, "for i in 1 2 3 4 5 6 7 8; do fallocate -l 16M sub/$i; done; sleep 3");
    fill(y, "for i in 1 2 3 4 5 6 7 8; do fallocate -n -l 16M sub/$i; done; sleep 3");
    fill(y, "python3 -c '\n"
            "import ctypes, os, time\n"
            "ctypes.CDLL(None).prctl(4, 0)\n"
            "for i in range(8):\n"
            "    f = os.open(\"sub/%d\" % i, os.O_CREAT | os.O_WRONLY)\n"
            "    for k in range(16): os.write(f, os.urandom(1 << 20))\n"
            "    os.fsync(f)\n"
            "time.sleep(5)'");
}

/* Three processes, each well below what one may have.  They sleep until they are ended. */
static void by_eating_the_memory_together(Yard *y)
{
    ConfineJob job =
        yard_job(y, "for i in 1 2 3; do python3 -c 'import time; x = bytearray(b\"1\") * "
                    "(96 << 20); time.sleep(1000)' & done; wait");
    Confined c;
    job.memory_bytes = 192 << 20;
    job.time_ms = 300000;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    if (c.end != CONFINE_MEMORY)
        fail_msg("%s: end %d, code %d", confine_name(y->how), c.end, c.code);
}

static void by_outliving_its_time(Yard *y)
{
    const char *mark = arena_printf(&y->a, "82%d", getpid()).p;
    Confined c = yard_command_for(
        y,
        arena_printf(
            &y->a,
            "trap '' TERM HUP INT; (setsid sh -c 'trap \"\" TERM; (setsid sleep %s &); sleep "
            "%s' &); sleep %s; sleep %s",
            mark, mark, mark, mark)
            .p,
        400);
    assert_int_equal(c.end, CONFINE_TIMED_OUT);
    assert_int_equal(count_marked(mark), 0);
}

/* --- What it must not see -------------------------------------------------------------------- */

static void by_reading_a_key_in_the_home(Yard *y)
{
    const char *home = yard_path(y, "home"), *key = yard_path(y, "home/.ssh/id_ed25519");
    assert_int_equal(mkdir(home, 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "home/.ssh"), 0700), 0);
    yard_put(key, "canary-key\n");
    setenv("HOME", home, 1);
    yard_fails(y, arena_printf(&y->a, "cat %s", key).p);
    yard_fails(y, "cat ~/.ssh/id_ed25519");
    yard_fails(y, "ls -A ~root | grep . || ls /home | grep .");
    yard_fails(y, arena_printf(&y->a, "ln -s %s sub/k && cat sub/k", key).p);
    yard_fails(y, arena_printf(&y->a, "cat /proc/self/root%s", key).p);
    yard_fails(y, arena_printf(&y->a, "cat /proc/%d/cwd/../home/.ssh/id_ed25519", getpid()).p);
    unsetenv("HOME");
}

static void by_reading_our_environment(Yard *y)
{
    setenv("OPENAI_API_KEY", "canary-env", 1);
    yard_fails(y, "env | grep canary");
    yard_fails(y, "cat /proc/[0-9]*/environ 2>/dev/null | grep -a canary-env");
    yard_fails(y, "cat /proc/$PPID/environ /proc/$PPID/mem");
    unsetenv("OPENAI_API_KEY");
}

/* --- Whom it must not reach ------------------------------------------------------------------ */

static int listening(int type, int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0);
    if (type == SOCK_STREAM)
        assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void by_connecting_to_this_machine(Yard *y)
{
    int port, fd = listening(SOCK_STREAM, &port);
    yard_fails(y,
               arena_printf(&y->a,
                            "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", "
                            "%d))'",
                            port)
                   .p);
    assert_int_equal(poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0), 0);
    close(fd);
}

static void by_datagrams(Yard *y)
{
    int port, fd = listening(SOCK_DGRAM, &port);
    char got[8];
    yard_command(y, arena_printf(&y->a,
                                 "python3 -c 'import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM)"
                                 ".sendto(b\"x\", (\"127.0.0.1\", %d))'",
                                 port)
                        .p);
    assert_true(recv(fd, got, sizeof got, MSG_DONTWAIT) < 0);
    close(fd);
}

/* A pair of sockets for datagrams sends them anywhere, with descriptors. */
static void by_datagrams_from_a_pair(Yard *y)
{
    struct sockaddr_un outside = { .sun_family = AF_UNIX }, inside = outside;
    char got[8];
    snprintf(outside.sun_path, sizeof outside.sun_path, "%s/outside/s", y->dir);
    snprintf(inside.sun_path, sizeof inside.sun_path, "%s/sub/s", y->work);
    AUTO(Fd) a = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    AUTO(Fd) b = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(a, (struct sockaddr *)&outside, sizeof outside), 0);
    assert_int_equal(bind(b, (struct sockaddr *)&inside, sizeof inside), 0);
    yard_prints(y,
                arena_printf(&y->a,
                             "python3 -c '\n"
                             "import socket as s\n"
                             "for t in s.SOCK_DGRAM, s.SOCK_RAW, s.SOCK_DGRAM | s.SOCK_CLOEXEC:\n"
                             "    for to in \"%s\", \"%s\":\n"
                             "        try: s.socketpair(s.AF_UNIX, t)[0].sendto(b\"x\", to)\n"
                             "        except OSError: pass\n"
                             "for t in s.SOCK_STREAM, s.SOCK_SEQPACKET:\n"
                             "    a, b = s.socketpair(s.AF_UNIX, t)\n"
                             "    a.send(b\"fine\")\n"
                             "    print(b.recv(9).decode())'",
                             outside.sun_path, inside.sun_path)
                    .p,
                "fine\nfine\n");
    assert_true(recv(a, got, sizeof got, MSG_DONTWAIT) < 0);
    assert_true(recv(b, got, sizeof got, MSG_DONTWAIT) < 0);
}

static void by_tracing_its_parent(Yard *y)
{
    yard_prints(y,
                "python3 -c 'import ctypes, os; l = ctypes.CDLL(None); p = os.getppid()\n"
                "print(l.ptrace(16, p, 0, 0), l.ptrace(0x4206, p, 0, 0))'",
                "-1 -1\n");
    yard_fails(y, "exec 3<>/proc/$PPID/mem");
}

/* First it is seen that a signal does not get out, so that a jail that leaks costs nobody's life.
 */
static void by_killing_everything(Yard *y)
{
    pid_t other = fork();
    assert_true(other >= 0);
    while (other == 0)
        pause();
    Confined c = yard_command(
        y,
        arena_printf(&y->a, "kill -0 %d 2>/dev/null && exit 9; kill -9 -1; echo still", other).p);
    bool alive = waitpid(other, NULL, WNOHANG) == 0;
    kill(other, SIGKILL);
    if (alive)
        waitpid(other, NULL, 0);
    assert_true(alive);
    assert_true(c.code != 9);
    yard_prints(y, "echo alive", "alive\n");
}

/* An editor whose files may not grow cannot save any more. */
static void by_limiting_others(Yard *y)
{
    pid_t other = getpid();
    yard_prints(y,
                arena_printf(&y->a,
                             "python3 -c '\n"
                             "import os, resource as r\n"
                             "for p in %d, os.getppid():\n"
                             "    for what in r.RLIMIT_FSIZE, r.RLIMIT_NOFILE:\n"
                             "        try: r.prlimit(p, what, (0, 0)); print(\"limited\", p)\n"
                             "        except (OSError, ValueError): pass'; echo tried",
                             other)
                    .p,
                y->how == CONFINE_BWRAP ? NULL : "tried\n");
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    assert_true(now.rlim_cur > 0);
}

/* --- What it must not write ------------------------------------------------------------------ */

static void by_writing_into_the_pad(Yard *y)
{
    yard_fails(y, "echo evil >> deep/pad/notes/key");
    yard_fails(y, "echo evil > deep/pad/notes/new");
    yard_fails(y, "mv deep sub/deep");
    yard_fails(y, "rm -rf deep");
    yard_holds(y, "work/deep/pad/notes/key", "remembered\n");
}

/* It would be for other users, outside; and what it is asked for is a call, not a command. */
static void by_a_program_that_runs_as_its_owner(Yard *y)
{
    struct stat info;
    static const char *const tries[] = {
        "chmod 4755 sub/p",
        "chmod u+s sub/p",
        "chmod g+s sub/p",
        "python3 -c 'import os; os.fchmod(os.open(\"sub/p\", 0), 0o6755)'",
        "python3 -c 'import ctypes; exit(ctypes.CDLL(None).syscall(452, -100, b\"sub/p\", 0o4755, "
        "0) "
        "!= 0)'",
    };
    yard_command(y, "cp /bin/true sub/p");
    for (size_t i = 0; i < COUNT_OF(tries); i++)
        yard_fails(y, tries[i]);
    assert_int_equal(stat(yard_path(y, "work/sub/p"), &info), 0);
    assert_int_equal(info.st_mode & 07000, 0);
    yard_prints(y, "chmod 755 sub/p && sub/p && echo fine", "fine\n");
}

/* The keys of encrypted directories are the file system's: any file of it will do.  A file system
 * that has none says so in another way (EOPNOTSUPP, ENOTTY). */
static void by_locking_files_of_the_user(Yard *y)
{
    yard_prints(y,
                "python3 -c '\n"
                "import fcntl, os\n"
                "for order in 0x800C6613, 0xC0506617, 0xC0406618, 0xC0406619, 0x40806685:\n"
                "    try: fcntl.ioctl(os.open(\"sub\", 0), order, bytes(256))\n"
                "    except OSError as e: print(e.errno)'",
                "1\n1\n1\n1\n1\n");
}

/* Opened only: a crash after a write would run a program as root. */
static void by_naming_a_program_for_crashes(Yard *y)
{
    static const char *const files[] = { "kernel/core_pattern", "kernel/modprobe",
                                         "vm/overcommit_memory", "fs/protected_symlinks",
                                         "kernel/randomize_va_space" };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        yard_fails(y, arena_printf(&y->a, ": >> /proc/sys/%s", files[i]).p);
    yard_fails(y, ": >> /proc/sysrq-trigger");
}

/* --- What is cleared away after it ----------------------------------------------------------- */

enum { OUTSIDE_FILES = 100, SWAPS = 10 };

static int files_in(const char *dir)
{
    int n = 0;
    char path[160];
    for (int i = 0; i < OUTSIDE_FILES; i++) {
        snprintf(path, sizeof path, "%s/%d", dir, i);
        n += access(path, F_OK) == 0;
    }
    return n;
}

/* Its directory for temporary files is removed while a directory in it turns into a link and back,
 * as by a process that was left. */
static void by_turning_a_directory_into_a_link(Yard *y)
{
    char path[160];
    for (int i = 0; i < OUTSIDE_FILES; i++) {
        snprintf(path, sizeof path, "%s/outside/%d", y->dir, i);
        yard_put(path, "x");
    }
    const char *tmp = yard_path(y, "tmp"), *way = yard_path(y, "tmp/way"),
               *link = yard_path(y, "tmp/link");
    for (int i = 0; i < SWAPS; i++) {
        assert_int_equal(mkdir(tmp, 0700), 0);
        assert_int_equal(mkdir(way, 0700), 0);
        assert_int_equal(symlink(yard_path(y, "outside"), link), 0);
        for (int k = 0; k < OUTSIDE_FILES; k++) {
            snprintf(path, sizeof path, "%s/%d", way, k);
            yard_put(path, "x");
        }
        pid_t us = getpid(), other = fork();
        assert_true(other >= 0);
        while (other == 0 && getppid() == us)
            renameat2(AT_FDCWD, way, AT_FDCWD, link, RENAME_EXCHANGE);
        if (other == 0)
            _exit(0);
        AUTO(Fd) above = open(y->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        AUTO(Fd) dir = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        jail_remove(above, "tmp", dir);
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
        jail_remove(above, "tmp", dir);
        assert_int_equal(access(tmp, F_OK), -1);
    }
    assert_int_equal(files_in(yard_path(y, "outside")), OUTSIDE_FILES);
    for (int i = 0; i < OUTSIDE_FILES; i++) {
        snprintf(path, sizeof path, "%s/outside/%d", y->dir, i);
        unlink(path);
    }
}

/* Deeper than there are descriptors, and shut. */
static void by_leaving_what_cannot_be_removed(Yard *y)
{
    yard_command(y, "cd \"$TMPDIR\" && mkdir -p s/t && touch s/t/f && chmod 000 s/t s; "
                    "ln -s / root; python3 -c 'import os\n"
                    "for i in range(600): os.mkdir(\"d\"); os.chdir(\"d\")\n"
                    "open(\"f\", \"w\")'");
    int left = 0;
    yard_prints(y, "echo next", "next\n");
    DIR *d = opendir(y->dir);
    struct dirent *entry;
    assert_non_null(d);
    while ((entry = readdir(d)))
        left += strncmp(entry->d_name, "jotter-shell-", 13) == 0;
    closedir(d);
    assert_int_equal(left, 0);
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(by_forking_without_end, "outside", true),
    TRIAL(by_endless_output, "outside", true),
    TRIAL(by_writing_ten_gigabytes, "outside", true),
    TRIAL(by_filling_the_disk_with_many_files, "outside", true),
    TRIAL(by_filling_the_disk_unseen, "outside", true),
    TRIAL(by_eating_the_memory_together, "outside", true),
    TRIAL(by_outliving_its_time, "outside", true),
    TRIAL(by_reading_a_key_in_the_home, "outside", true),
    TRIAL(by_reading_our_environment, "outside", true),
    TRIAL(by_connecting_to_this_machine, "outside", true),
    TRIAL(by_datagrams, "outside", true),
    TRIAL(by_datagrams_from_a_pair, "outside", true),
    TRIAL(by_tracing_its_parent, "outside", true),
    TRIAL(by_killing_everything, "outside", true),
    TRIAL(by_limiting_others, "outside", true),
    TRIAL(by_writing_into_the_pad, "work/deep/pad", true),
    TRIAL(by_a_program_that_runs_as_its_owner, "outside", true),
    TRIAL(by_locking_files_of_the_user, "outside", true),
    TRIAL(by_naming_a_program_for_crashes, "outside", true),
    TRIAL(by_turning_a_directory_into_a_link, "outside", true),
    TRIAL(by_leaving_what_cannot_be_removed, "outside", true),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_escape", trials, COUNT_OF(trials));
}
