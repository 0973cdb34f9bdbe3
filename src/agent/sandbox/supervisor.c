/* supervisor.c - the process that stands between us and a command, and outlives nothing.
 *
 * It is the reaper of all descendants of the command (PR_SET_CHILD_SUBREAPER): what
 * loses its parent becomes the supervisor's child, wherever it has moved.  So this ends
 * a command for good:
 *
 *     until there are no children left:
 *         SIGKILL to the command's process group
 *         SIGKILL to every descendant (under Landlock: to "all", which the fence bounds)
 *         reap whatever has died
 *
 * A process that forks between two rounds is found in the next one, and their number is
 * bounded.  If none has ended for five seconds and some are left all the same, the
 * report says so: that is never a command that ended.
 *
 * While the command runs it looks every 20 ms at how many processes there are, and at
 * memory and disk every 100 ms.  If we die, the control channel ends, and it kills
 * everything, moves away what was planted and removes what we would have removed.
 *
 * It was forked from a process that may have threads: nothing here allocates, but for
 * plant_after() at the end. */
#include "agent/sandbox/supervisor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/sandbox/descendants.h"
#include "base/time.h"

enum {
    TICK_MS = 20,     /* between two looks at how many there are */
    METER_MS = 100,   /* between two looks at memory and disk, at least, and ... */
    METER_SHARE = 20, /* ... so much longer than one takes: a twentieth of a processor at most */
    SUPERVISOR_NICE = -10,
    PLANTS_S = 60, /* to look for what was left */
    PLACES = 2,    /* the working directory and the one for temporary files */
};

/* --- The end of everything ----------------------------------------------------------------- */

/* To the command's process group.  A number below 2 would be everybody's, or our own. */
static void signal_command(pid_t command, int sig)
{
    assert(command > 1);
    kill(-command, sig);
}

/* Kill all that is below; the status of `command` is kept if it is reaped here.  Behind a fence
 * "all processes" are those below, and the kernel finds every one of them in one step.  False:
 * some are left. */
static bool kill_all(pid_t command, bool fenced, int *status)
{
    int64_t now = time_steady_ms(), end = now + JAIL_ENDING_MS, give_up = now + JAIL_LEFT_MS;
    for (int round = 0; now < give_up && now < end; round++) {
        int st;
        pid_t pid;
        signal_command(command, SIGKILL);
        if (fenced)
            kill(-1, SIGKILL);
        else
            descendants_kill();
        now = time_steady_ms();
        while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
            give_up = now + JAIL_LEFT_MS;
            if (pid == command)
                *status = st;
        }
        if (pid < 0 && errno == ECHILD)
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = (round < 10 ? 1 : 5) * 1000000L }, NULL);
    }
    return false;
}

/* --- Supervisor ------------------------------------------------------------------------------- */

static unsigned processes(void)
{
    struct sysinfo s;
    return sysinfo(&s) == 0 ? s.procs : 0;
}

typedef struct Supervisor {
    const Jail *jail;
    pid_t command;
    int control;
    unsigned procs;        /* the fewest of others that were seen on the machine */
    int places[PLACES];    /* where it writes */
    uint64_t room[PLACES]; /* the most that was free there */
    uint64_t memory_max, disk_max;
    int64_t meter_at;     /* when memory and disk are looked at next */
    SupervisorEnd excess; /* what it had too much of; 0: nothing */
    bool fenced, left;
    int64_t kill_at; /* 0: not yet */
    bool ended;      /* the command has, with `status` */
    bool orphan;     /* our parent is gone */
    int status;
} Supervisor;

/* Counting what is below means reading all of /proc; a look at the machine's total is free.  A
 * fork bomb would leave no time to count, so its process group is stopped before; a process that
 * has left that is found by the count. */
static void count(Supervisor *k)
{
    unsigned total = processes();
    k->procs = total < k->procs ? total : k->procs; /* others have ended */
    if (total <= k->procs + CONFINE_PROCESSES_MAX)
        return;
    signal_command(k->command, SIGSTOP);
    size_t n = descendants_count();
    if (n > CONFINE_PROCESSES_MAX) {
        k->excess = SUPERVISOR_SWARMED;
        return;
    }
    signal_command(k->command, SIGCONT);
    k->procs = total > n ? total - (unsigned)n : 0; /* the others are somebody else's */
}

static uint64_t room_at(int dir)
{
    struct statvfs fs;
    return dir >= 0 && fstatvfs(dir, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
}

/* A control group has its own eyes for memory; where it has killed one process, the rest is of no
 * use.  Elsewhere the processes themselves are asked: what the machine has lost meanwhile says
 * nothing, because others take and give back at the same time. */
static bool eats(const Supervisor *k)
{
    return jail_limits_have_memory(k->jail) ? jail_limits_starved(k->jail)
                                            : descendants_memory_exceeds(k->memory_max);
}

/* What a process wrote it may have removed again.  So a disk must also have less room, than at any
 * moment since this began, by as much as a command may take. */
static bool fills(Supervisor *k)
{
    for (size_t i = 0; i < PLACES; i++) {
        uint64_t room = room_at(k->places[i]);
        k->room[i] = room > k->room[i] ? room : k->room[i];
        if (k->room[i] - room > k->disk_max && descendants_written() > k->disk_max)
            return true;
    }
    return false;
}

static void measure(Supervisor *k)
{
    int64_t begin = time_steady_ms();
    if (begin < k->meter_at || k->excess)
        return;
    if (eats(k))
        k->excess = SUPERVISOR_MEMORY;
    else if (fills(k))
        k->excess = SUPERVISOR_DISK;
    int64_t pause = (time_steady_ms() - begin) * METER_SHARE;
    k->meter_at = begin + (pause > METER_MS ? pause : METER_MS);
}

static void keep(Supervisor *k)
{
    while (!k->ended && !k->excess && !(k->kill_at && time_steady_ms() >= k->kill_at)) {
        struct pollfd p = { .fd = k->control, .events = POLLIN };
        bool spoken = poll(&p, 1, TICK_MS) > 0;
        int st;
        pid_t pid;
        while ((pid = waitpid(-1, &st, WNOHANG)) > 0)
            if (pid == k->command) {
                k->ended = true;
                k->status = st;
            }
        /* A word that comes too late changes nothing. */
        if (spoken && !k->ended) {
            char word;
            ssize_t n = read(k->control, &word, 1);
            if (n == 1 && word == SUPERVISOR_TERM) {
                signal_command(k->command, SIGTERM);
                k->kill_at = time_steady_ms() + CONFINE_GRACE_MS;
            } else if (n >= 0 || errno != EINTR) {
                k->kill_at = 1;
                k->orphan = n <= 0;
            }
        }
        count(k);
        measure(k);
    }
    k->left = !kill_all(k->command, k->fenced, &k->status);
}

/* A quick command should not wait for a tick: its end interrupts the poll. */
static void interrupt(int sig)
{
    (void)sig;
}

static void set_signals(void)
{
    sigset_t none;
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = interrupt }, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static Supervisor begin(const Jail *j, int control)
{
    Supervisor k = { .jail = j,
                     .control = control,
                     .procs = processes(),
                     .places = { j->workdir_fd, j->tmp_fd },
                     .memory_max = j->memory_bytes,
                     .disk_max = j->disk_bytes };
    for (size_t i = 0; i < PLACES; i++)
        k.room[i] = room_at(k.places[i]);
    return k;
}

/* Signals of a fenced supervisor reach nobody but its descendants, so it can signal "all". What
 * that would mean without a fence is reason enough to try it: our parent is outside. */
static bool raise_fence(const Jail *j)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(JAIL_RESTRICT_SELF, j->fence, 0) == 0 && kill(getppid(), 0) != 0 &&
           errno == EPERM;
}

/* This does allocate, which the C library allows after a fork; should it not, a signal ends it. */
static void put_plants_aside(const Jail *j, Arena *into, PlantReport *found)
{
    alarm(PLANTS_S);
    if (j->plants)
        plant_after(j->plants, into, found);
    alarm(0);
}

/* The process that would have told the person and the model is gone; its standard error may not be.
 * If nobody reads that either, a signal ends this process, which has nothing else to do by then. */
static void report_planted(const PlantReport *found)
{
    alarm(PLANTS_S);
    for (size_t i = 0; i < found->n; i++)
        dprintf(STDERR_FILENO, "jotter: " STR_FMT "\n", STR_ARG(found->at[i].text));
}

static SupervisorReport report_on(const Supervisor *k)
{
    bool killed = WIFSIGNALED(k->status);
    assert(k->ended || k->excess || k->kill_at);
    SupervisorReport r = { .end = killed ? SUPERVISOR_SIGNALLED : SUPERVISOR_EXITED,
                           .code = killed ? WTERMSIG(k->status) : WEXITSTATUS(k->status),
                           .stopped = k->kill_at != 0 };
    bool by_kill = killed ? r.code == SIGKILL : r.code == 128 + SIGKILL;
    if (by_kill && !k->kill_at && jail_limits_starved(k->jail))
        r.end = SUPERVISOR_MEMORY;
    if (k->excess)
        r.end = k->excess;
    if (k->left)
        r.end = SUPERVISOR_LEFT;
    return r;
}

void supervisor_run(Jail *j, int control, int report)
{
    set_signals();
    setsid();
    /* Only root may, and only root's processes are not limited in number by the kernel. */
    setpriority(PRIO_PROCESS, 0, SUPERVISOR_NICE);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        jail_fail(report, "subreaper");
    if (!descendants_begin())
        jail_fail(report, "/proc");
    Supervisor k = begin(j, control);
    k.fenced = j->fence >= 0;
    if (k.fenced && !raise_fence(j))
        jail_fail(report, "landlock");
    k.command = fork();
    if (k.command < 0)
        jail_fail(report, "fork");
    if (k.command == 0) {
        signal(SIGCHLD, SIG_DFL);
        close(control);
        jail_enter(j, report);
    }
    close(j->output);
    keep(&k);
    if (!k.orphan) {
        /* Our parent may have died while the end of the command was awaited. */
        char word;
        k.orphan = recv(k.control, &word, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    }
    SupervisorReport r = report_on(&k);
    AUTO(Arena) arena = { 0 };
    PlantReport found = { 0 };
    if (k.orphan) { /* nobody else is left to clear up */
        put_plants_aside(j, &arena, &found);
        jail_release(j);
        jail_limits_done(j);
        jail_remove(j->tmp_above, j->tmp_name, j->tmp_fd);
        report_planted(&found);
    }
    ssize_t told = write(report, &r, sizeof r);
    _exit(told == (ssize_t)sizeof r ? 0 : 1);
}
