/* test_confine_end.c - how a command ends: in its time, within its limits, and with everything it
 * started. */
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/marked.h"
#include "agent/yard.h"

enum { PATIENCE_MS_MAX = 60000 }; /* on a busy machine a command takes a while to begin */

/* The first child of a process; 0: it has none, or that is not told. */
static pid_t child_of(pid_t pid)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    FILE *f = pid > 0 ? fopen(path, "r") : NULL;
    if (!f)
        return 0;
    bool got = fgets(text, sizeof text, f);
    fclose(f);
    return got ? (pid_t)strtol(text, NULL, 10) : 0;
}

static void what_is_left_behind_is_killed(Yard *y)
{
    const char *mark = arena_printf(&y->a, "77%d", getpid()).p;
    yard_prints(y,
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
    const char *command = arena_printf(&y->a,
                                       "trap '' TERM HUP INT; echo begun; (trap '' TERM; setsid "
                                       "sleep %s) & sleep %s; sleep %s",
                                       mark, mark, mark)
                              .p;
    Confined c = { 0 };
    for (int64_t ms = 400; c.head.n == 0 && ms <= PATIENCE_MS_MAX; ms *= 2)
        c = yard_command_for(y, command, ms);
    assert_int_equal(c.end, CONFINE_TIMED_OUT);
    assert_str(c.head, S("begun\n"));
    assert_int_equal(count_marked(mark), 0);
}

/* We are stopped while the command ends, and go on when its time is over: its supervisor is gone.
 */
static bool is_late(Yard *y, int64_t time_ms)
{
    int status;
    unlink(yard_path(y, "work/sub/begun"));
    unlink(yard_path(y, "work/sub/go"));
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c =
            yard_command_for(y,
                             "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; "
                             "echo done; exit 5",
                             time_ms);
        _exit(c.end == CONFINE_EXITED && c.code == 5 && str_eq(c.head, S("done\n")) ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    kill(us, SIGSTOP);
    yard_put(yard_path(y, "work/sub/go"), "");
    usleep((useconds_t)(time_ms + 200) * 1000);
    kill(us, SIGCONT);
    assert_int_equal(waitpid(us, &status, 0), us);
    return status != 0;
}

static void a_command_that_ended_while_we_slept_is_not_late(Yard *y)
{
    int64_t ms = 2000;
    while (is_late(y, ms)) { /* it may have had no time to begin */
        ms *= 2;
        assert_true(ms <= PATIENCE_MS_MAX);
    }
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
    ConfineJob job = yard_job(y, arena_printf(&y->a, "trap '' TERM; sleep %s", mark).p);
    job.cancelled = say_yes;
    job.ctx = &left;
    Confined c;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_CANCELLED);
    assert_int_equal(count_marked(mark), 0);
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
        yard_command(y,
                     arena_printf(&y->a, "trap '' TERM; setsid sleep %s & sleep %s", mark, mark).p);
        _exit(0);
    }
    for (int i = 0; i < YARD_WAIT_TRIES && count_marked(mark) < 2; i++)
        usleep(10000);
    assert_true(count_marked(mark) >= 2);
    kill(us, SIGKILL);
    waitpid(us, NULL, 0);
    for (int i = 0; i < YARD_WAIT_TRIES && (count_marked(mark) > 0 || shells_in(y->dir) > 0); i++)
        usleep(10000);
    assert_int_equal(count_marked(mark), 0);
    assert_int_equal(shells_in(y->dir), 0);
    /* Nor what stood beside a database. */
    for (int i = 0; i < YARD_WAIT_TRIES && access(yard_path(y, "work/pad.db-wal"), F_OK) == 0; i++)
        usleep(10000);
    static const char *const beside[] = { "-wal", "-shm", "-journal", ".lock", ".index" };
    for (size_t i = 0; i < COUNT_OF(beside); i++)
        assert_int_equal(
            access(yard_path(y, arena_printf(&y->a, "work/pad.db%s", beside[i]).p), F_OK), -1);
}

static bool is_told_to_go(void *yard)
{
    return access(yard_path(yard, "work/sub/go"), F_OK) == 0;
}

/* A process that somebody else traces stays, dead, until that one has looked at it: for the
 * supervisor it is a child that does not go. */
static void what_cannot_be_killed_is_no_good_end(Yard *y)
{
    int report[2];
    char said = 0;
    assert_int_equal(pipe(report), 0);
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        ConfineJob job = yard_job(y, "touch sub/begun; exec sleep 1000");
        Confined c;
        job.time_ms = 1000000;
        job.cancelled = is_told_to_go;
        job.ctx = y;
        jot_status st = confine_run(&job, &y->a, &c, &y->e);
        said = st == JOT_IO && strstr(y->e.text, "could not be killed") ? 'y' : 'n';
        ssize_t told = write(report[1], &said, 1);
        _exit(told == 1 ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    pid_t pid = child_of(child_of(us));
    bool traced = pid > 0 && ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
    yard_put(yard_path(y, "work/sub/go"), "");
    assert_int_equal(read(report[0], &said, 1), 1);
    if (traced)
        waitpid(pid, NULL, __WALL);
    waitpid(us, NULL, 0);
    close(report[0]);
    close(report[1]);
    if (!traced)
        yard_skip(y);
    assert_int_equal(said, 'y');
}

/* Four processes of about 100 MiB each, which is one and the same; more than ten looks go by. */
static void memory_that_processes_share_counts_once(Yard *y)
{
    ConfineJob job = yard_job(y, "python3 -c '\n"
                                 "import os, time\n"
                                 "x = bytearray(b\"1\") * (96 << 20)\n"
                                 "for i in range(3):\n"
                                 "    if os.fork() == 0: break\n"
                                 "time.sleep(2)'");
    Confined c;
    job.memory_bytes = 256 << 20;
    job.time_ms = 300000;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    assert_int_equal(c.end, CONFINE_EXITED);
    assert_int_equal(c.code, 0);
}

/* --- Control groups ------------------------------------------------------------------------- */

enum {
    GROUP_MEMORY = 192 << 20,
    GROUP_PROCESSES = CONFINE_PROCESSES_MAX + CONFINE_PROCESSES_MAX / 4,
    LOOKS_MAX = 10
};

/* Which limits were found in groups of ours, on the way through the tree. */
static struct {
    char name[64];
    bool pids, memory;
} groups;

static bool says(const char *dir, const char *file, unsigned long want)
{
    char path[1024];
    unsigned long got = 0;
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    assert_int_equal(fscanf(f, "%lu", &got), 1);
    fclose(f);
    return got == want;
}

static int look_at_group(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    if (kind != FTW_D || strncmp(path + where->base, groups.name, strlen(groups.name)) != 0)
        return 0;
    groups.pids = groups.pids || says(path, "pids.max", GROUP_PROCESSES);
    groups.memory = groups.memory || says(path, "memory.max", GROUP_MEMORY) ||
                    says(path, "memory.limit_in_bytes", GROUP_MEMORY);
    return 0;
}

/* Called while a command runs, whose groups are there from before it begins until it has ended. */
static bool look_at_groups(void *ctx)
{
    int *looks = ctx;
    nftw("/sys/fs/cgroup", look_at_group, 16, FTW_PHYS);
    return (groups.pids && groups.memory) || ++*looks == LOOKS_MAX;
}

/* Where none can be made there is none, and the supervisor counts.  JOT_TEST_GROUPS says what this
 * place lets be made ("pids memory"): tools/soak-groups knows. */
static void control_groups_have_the_limits_and_go(Yard *y)
{
    const char *want = getenv("JOT_TEST_GROUPS");
    ConfineJob job = yard_job(y, "sleep 1000");
    Confined c;
    int looks = 0;
    snprintf(groups.name, sizeof groups.name, "jotter-shell-%d-", getpid());
    groups.pids = groups.memory = false;
    job.memory_bytes = GROUP_MEMORY;
    job.cancelled = look_at_groups;
    job.ctx = &looks;
    jot_status st = confine_run(&job, &y->a, &c, &y->e);
    if (want) {
        assert_int_equal(groups.pids, strstr(want, "pids") != NULL);
        assert_int_equal(groups.memory, strstr(want, "memory") != NULL);
    }
    assert_int_equal(st, JOT_CANCELLED);
    groups.pids = groups.memory = false;
    look_at_groups(&looks);
    assert_false(groups.pids || groups.memory);
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(what_is_left_behind_is_killed, "outside", false),
    TRIAL(a_command_that_does_not_end_is_killed_with_its_children, "outside", false),
    TRIAL(a_command_that_ended_while_we_slept_is_not_late, "outside", false),
    TRIAL(a_cancelled_command_is_dead, "outside", false),
    TRIAL(what_cannot_be_killed_is_no_good_end, "outside", true),
    TRIAL(memory_that_processes_share_counts_once, "outside", true),
    TRIAL(control_groups_have_the_limits_and_go, "outside", true),
    TRIAL(the_command_dies_with_us, "outside", false),
    TRIAL(the_command_dies_with_us, "work/pad.db", true),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_end", trials, COUNT_OF(trials));
}
