/* test_confine_end.c - how a command ends: in its time, within its limits, and with everything it
 * started. */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/marked.h"
#include "agent/yard.h"

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
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
    int64_t began = now_ms();
    Confined c =
        yard_command_for(y,
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
        Confined c =
            yard_command_for(y,
                             "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; "
                             "echo done; exit 5",
                             SHORT_MS);
        _exit(c.end == CONFINE_EXITED && c.code == 5 && str_eq(c.head, S("done\n")) ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    kill(us, SIGSTOP);
    yard_put(yard_path(y, "work/sub/go"), "");
    usleep((SHORT_MS + 200) * 1000);
    kill(us, SIGCONT);
    assert_int_equal(waitpid(us, &status, 0), us);
    assert_int_equal(status, 0);
}

static void endless_output_is_cut_and_ended(Yard *y)
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
    /* How many there were meanwhile depends on who was quicker. */
    if (c.end != CONFINE_SWARMED)
        fail_msg("%s: end %d, up to %d processes", confine_name(y->how), c.end, peak.most);
    assert_int_equal(count_marked(peak.mark), 0);
}

static void a_fork_bomb_is_bounded(Yard *y)
{
    explode(y, "");
    explode(y, "setsid");
    yard_prints(y, "echo alive", "alive\n");
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

/* clang-format off */
static const Trial trials[] = {
    TRIAL(what_is_left_behind_is_killed, "outside", false),
    TRIAL(a_command_that_does_not_end_is_killed_with_its_children, "outside", false),
    TRIAL(a_command_that_ended_while_we_slept_is_not_late, "outside", false),
    TRIAL(endless_output_is_cut_and_ended, "outside", false),
    TRIAL(a_fork_bomb_is_bounded, "outside", true),
    TRIAL(a_cancelled_command_is_dead, "outside", false),
    TRIAL(the_command_dies_with_us, "outside", false),
    TRIAL(the_command_dies_with_us, "work/pad.db", true),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_end", trials, COUNT_OF(trials));
}
