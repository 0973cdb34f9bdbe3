/* keeper.c - the process that stands between us and a command, and outlives nothing.
 *
 * It is the reaper of all descendants of the command, wherever they have moved:
 * what loses its parent becomes its child.  So when the command has ended, or has
 * to, it kills what is below it in rounds until it has no children any more; a
 * process that forks in between is below it in the next round.
 *
 * If we die, the control channel ends, and it kills everything all the same.  It was
 * forked from a process that may have threads: nothing here allocates. */
#include "agent/jail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/capability.h>
#include <linux/seccomp.h>

enum {
    TICK_MS = 20,             /* between two looks at how many there are */
    SEEN_MAX = 32 * 1024,     /* processes of the machine that are looked at in one round */
    ROUNDS_MAX = 2000,        /* of killing */
    DATA_BYTES_MAX = 1 << 30, /* of a process, times 4 */
    FILES_MAX = 1024,
    CAPS = 64,
    NICE_KEEPER = -10,
    PID_LIMIT = 4 * 1024 * 1024, /* the kernel's own */
};

/* --- The command's own process ----------------------------------------------------------- */

static NO_RETURN void fail(int report, const char *what)
{
    KeeperReport r = { .end = KEEPER_FAILED, .code = errno };
    size_t n = strlen(what);
    memcpy(r.what, what, n < sizeof r.what ? n : sizeof r.what - 1);
    ssize_t told = write(report, &r, sizeof r);
    _exit(told == (ssize_t)sizeof r ? 126 : 127);
}

static bool limit(int which, uint64_t value)
{
    struct rlimit now, want;
    if (getrlimit((__rlimit_resource_t)which, &now) != 0)
        return false;
    want.rlim_cur = want.rlim_max = value < now.rlim_max ? value : now.rlim_max;
    return setrlimit((__rlimit_resource_t)which, &want) == 0;
}

static bool set_limits(const Jail *j)
{
    uint64_t seconds = (uint64_t)j->time_ms / 1000 + 2;
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_CPU, seconds) &&
           limit(RLIMIT_FSIZE, CONFINE_FILE_BYTES) && limit(RLIMIT_NOFILE, FILES_MAX) &&
           limit(RLIMIT_DATA, 4 * (uint64_t)DATA_BYTES_MAX) &&
           (!j->nproc || limit(RLIMIT_NPROC, j->nproc));
}

/* Not even root keeps a privilege, nor gets one by running something. */
static bool drop_privileges(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { 0 };
    for (unsigned long cap = 0; cap < CAPS; cap++)
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EINVAL && errno != EPERM)
            return false;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) == 0;
}

static void seal(const Jail *j, int report)
{
    enum { LANDLOCK_RESTRICT_SELF = 446 };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail(report, "no_new_privs");
    if (!drop_privileges())
        fail(report, "capabilities");
    if (syscall(LANDLOCK_RESTRICT_SELF, j->ruleset, 0) != 0)
        fail(report, "landlock");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &j->filter, 0, 0) != 0)
        fail(report, "seccomp");
}

static NO_RETURN void become(const Jail *j, int report)
{
    setsid(); /* a session of its own is also a share of the processor of its own */
    if (j->herd_fd >= 0 && write(j->herd_fd, "0", 1) != 1)
        fail(report, "control group");
    if (getpriority(PRIO_PROCESS, 0) < 0)
        setpriority(PRIO_PROCESS, 0, 0);
    if (chdir(j->cwd) != 0)
        fail(report, "chdir");
    int empty = open("/dev/null", O_RDONLY);
    if (empty < 0 || dup2(empty, 0) < 0 || dup2(j->output, 1) < 0 || dup2(j->output, 2) < 0)
        fail(report, "descriptors");
    /* The report moves out of the way of the filter; both ends are closed by exec or below. */
    int told = fcntl(report, F_DUPFD_CLOEXEC, 100);
    if (told < 0)
        fail(report, "descriptors");
    if (j->filter_fd >= 0 && dup2(j->filter_fd, JAIL_FILTER_FD) < 0)
        fail(told, "descriptors");
    umask(022);
    if (!set_limits(j))
        fail(told, "limits");
    if (j->sealed)
        seal(j, told);
    int first = j->filter_fd >= 0 ? JAIL_FILTER_FD + 1 : 3;
    for (int fd = first; fd < told; fd++)
        close(fd);
    syscall(SYS_close_range, told + 1, ~0U, 0);
    execve(j->argv[0], j->argv, j->envp);
    fail(told, "exec");
}

/* --- Everything below us ------------------------------------------------------------------- */

typedef struct Seen {
    pid_t pid, parent;
} Seen;

/* Not on the stack: they are large, and there is one keeper in a process. */
static Seen seen[SEEN_MAX];
static unsigned char below[PID_LIMIT / 8]; /* a bit for each process */

static bool is_below(pid_t pid)
{
    return pid > 0 && pid < PID_LIMIT && (below[pid / 8] >> pid % 8 & 1);
}

static pid_t number(const char *p)
{
    long n = 0;
    for (; *p >= '0' && *p <= '9' && n < INT32_MAX / 10; p++)
        n = n * 10 + (*p - '0');
    return (pid_t)n;
}

/* The parent of a process, from "PID (NAME) STATE PARENT ..."; the name may hold anything. */
static pid_t parent_of(int proc, const char *pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "%.20s/stat", pid);
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')');
    return end && end[1] && end[2] ? number(end + 4) : 0;
}

static size_t look(void)
{
    char names[8192];
    size_t n = 0;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;
    while (proc >= 0 && (got = syscall(SYS_getdents64, proc, names, sizeof names)) > 0)
        for (long at = 0; at < got;) {
            /* The kernel's layout: inode, offset, length of this one, type, name. */
            unsigned short length;
            const char *name = names + at + 19;
            memcpy(&length, names + at + 16, sizeof length);
            if (name[0] >= '0' && name[0] <= '9' && n < SEEN_MAX)
                seen[n++] = (Seen){ .pid = number(name), .parent = parent_of(proc, name) };
            at += length;
        }
    if (proc >= 0)
        close(proc);
    return n;
}

/* Mark what is below this process; returns how many those are.  Children mostly come behind their
 * parents, so that two passes do. */
static size_t mark(size_t n)
{
    size_t marked = 0, before;
    pid_t self = getpid();
    memset(below, 0, sizeof below);
    do {
        before = marked;
        for (size_t i = 0; i < n; i++) {
            pid_t pid = seen[i].pid;
            bool mine = seen[i].parent == self || is_below(seen[i].parent);
            if (!mine || is_below(pid) || pid <= 0 || pid >= PID_LIMIT)
                continue;
            below[pid / 8] = (unsigned char)(below[pid / 8] | 1 << pid % 8);
            marked++;
        }
    } while (marked > before);
    return marked;
}

static void sleep_ms(long ms)
{
    struct timespec t = { .tv_nsec = ms * 1000000 };
    nanosleep(&t, NULL);
}

/* Kill all that is below; the status of `command` is kept if it is reaped here. */
static void kill_all(pid_t command, int *status)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        int st;
        pid_t pid;
        kill(-command, SIGKILL);
        size_t n = look();
        mark(n);
        for (size_t i = 0; i < n; i++)
            if (is_below(seen[i].pid))
                kill(seen[i].pid, SIGKILL);
        while ((pid = waitpid(-1, &st, WNOHANG)) > 0)
            if (pid == command)
                *status = st;
        if (pid < 0 && errno == ECHILD)
            return;
        sleep_ms(round < 10 ? 1 : 5);
    }
}

/* --- Keeping ------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static unsigned processes(void)
{
    struct sysinfo s;
    return sysinfo(&s) == 0 ? s.procs : 0;
}

typedef struct Keeping {
    pid_t command;
    int control;
    unsigned procs;  /* on the machine, when it began */
    int64_t kill_at; /* 0: not yet */
    bool ended;      /* the command has, with `status` */
    bool swarmed;
    bool orphan; /* whoever wanted it is gone */
    int status;
} Keeping;

static void reap(Keeping *k)
{
    int st;
    pid_t pid;
    while ((pid = waitpid(-1, &st, WNOHANG)) > 0)
        if (pid == k->command) {
            k->ended = true;
            k->status = st;
        }
}

static void listen_to(Keeping *k)
{
    char word;
    ssize_t n = read(k->control, &word, 1);
    if (n == 1 && word == KEEPER_TERM) {
        kill(-k->command, SIGTERM);
        k->kill_at = now_ms() + CONFINE_GRACE_MS;
    } else if (n >= 0 || errno != EINTR) {
        k->kill_at = 1;
        k->orphan = n <= 0;
    }
}

/* Whoever wanted the command may have gone while its end was awaited. */
static void look_for_end(Keeping *k)
{
    char word;
    k->orphan = recv(k->control, &word, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Counting what is below means reading all of /proc; a look at the machine's total is free.  A
 * fork bomb would leave no time to count, so its process group is stopped before; whoever has left
 * that is found by the count. */
static void count(Keeping *k)
{
    unsigned total = processes();
    if (total <= k->procs + CONFINE_PROCESSES_MAX)
        return;
    kill(-k->command, SIGSTOP);
    size_t marked = mark(look());
    k->swarmed = marked > CONFINE_PROCESSES_MAX;
    if (k->swarmed)
        return;
    kill(-k->command, SIGCONT);
    k->procs = total > marked ? total - (unsigned)marked : 0; /* the others are somebody else's */
}

static void keep(Keeping *k)
{
    while (!k->ended && !k->swarmed && !(k->kill_at && now_ms() >= k->kill_at)) {
        struct pollfd p = { .fd = k->control, .events = POLLIN };
        bool spoken = poll(&p, 1, TICK_MS) > 0;
        reap(k);
        if (spoken && !k->ended) /* a word that comes too late changes nothing */
            listen_to(k);
        count(k);
    }
    kill_all(k->command, &k->status);
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

void jail_keep(Jail *j, int control, int report)
{
    Keeping k = { .control = control, .procs = processes() };
    set_signals();
    setsid();
    /* Only root may, and only root's processes are not limited in number by the kernel. */
    setpriority(PRIO_PROCESS, 0, NICE_KEEPER);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        fail(report, "subreaper");
    k.command = fork();
    if (k.command < 0)
        fail(report, "fork");
    if (k.command == 0) {
        signal(SIGCHLD, SIG_DFL);
        close(control);
        become(j, report);
    }
    close(j->output);
    keep(&k);
    if (!k.orphan)
        look_for_end(&k);
    if (k.orphan) /* nobody else is left to remove them */
        jail_release(j);
    if (k.orphan && j->herd)
        rmdir(j->herd);
    if (k.orphan && j->tmp.n)
        execve("/bin/rm",
               (char *const[]){ (char[]){ "rm" }, (char[]){ "-rf" }, (char[]){ "--" }, j->tmp_path,
                                NULL },
               j->envp);
    KeeperReport r = { .end = KEEPER_EXITED, .code = WEXITSTATUS(k.status) };
    if (WIFSIGNALED(k.status))
        r = (KeeperReport){ .end = KEEPER_SIGNALLED, .code = WTERMSIG(k.status) };
    if (k.swarmed)
        r = (KeeperReport){ .end = KEEPER_SWARMED };
    r.stopped = k.kill_at != 0;
    ssize_t told = write(report, &r, sizeof r);
    _exit(told == (ssize_t)sizeof r ? 0 : 1);
}
