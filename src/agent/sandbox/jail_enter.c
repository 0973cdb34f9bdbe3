/* jail_enter.c - from a forked process to the command: descriptors, limits, and the walls that a
 * process puts around itself.
 *
 * Between fork and exec nothing is allocated.  What does not work is reported to the
 * supervisor's reader (jail_fail), and the command is not run. */
#include "agent/sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/capability.h>
#include <linux/seccomp.h>

#include "agent/sandbox/supervisor.h"

enum {
    DATA_BYTES_MAX = 1 << 30, /* of a process, times 4 */
    FILES_MAX = 1024,
    CAPS = 64,
    FREE_FD = 100, /* descriptors from here on are given to nobody by number */
};

void jail_fail(int report, const char *what)
{
    SupervisorReport r = { .end = SUPERVISOR_FAILED, .code = errno };
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

bool jail_limit_data(void)
{
    return limit(RLIMIT_DATA, 4 * (uint64_t)DATA_BYTES_MAX);
}

/* Inside bwrap this program runs once more, which may be a build that needs a lot of memory to
 * begin with: there the limit on it is set last. */
static bool set_limits(const Jail *j)
{
    uint64_t seconds = (uint64_t)j->time_ms / 1000 + 2;
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_CPU, seconds) &&
           limit(RLIMIT_FSIZE, CONFINE_FILE_BYTES) && limit(RLIMIT_NOFILE, FILES_MAX) &&
           (j->self_fd >= 0 || jail_limit_data()) && (!j->nproc || limit(RLIMIT_NPROC, j->nproc));
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
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        jail_fail(report, "no_new_privs");
    if (!drop_privileges())
        jail_fail(report, "capabilities");
    if (syscall(JAIL_RESTRICT_SELF, j->ruleset, 0) != 0)
        jail_fail(report, "landlock");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &j->filter, 0, 0) != 0)
        jail_fail(report, "seccomp");
}

/* Descriptors that bwrap gets by number.  They go through numbers that are free: one of them
 * may stand where another belongs. */
static bool hand_over(const Jail *j)
{
    if (j->filter_fd < 0)
        return true;
    int filter = fcntl(j->filter_fd, F_DUPFD_CLOEXEC, FREE_FD);
    int self = fcntl(j->self_fd, F_DUPFD_CLOEXEC, FREE_FD);
    return filter >= 0 && self >= 0 && dup2(filter, JAIL_FILTER_FD) >= 0 &&
           dup2(self, JAIL_SELF_FD) >= 0;
}

void jail_enter(const Jail *j, int report)
{
    setsid(); /* a session of its own is also a share of the processor of its own */
    for (size_t i = 0; i < COUNT_OF(j->groups); i++)
        if (j->groups[i].fd >= 0 && write(j->groups[i].fd, "0", 1) != 1)
            jail_fail(report, "control group");
    if (getpriority(PRIO_PROCESS, 0) < 0)
        setpriority(PRIO_PROCESS, 0, 0);
    if (chdir(j->cwd) != 0)
        jail_fail(report, "chdir");
    int empty = open("/dev/null", O_RDONLY);
    if (empty < 0 || dup2(empty, 0) < 0 || dup2(j->output, 1) < 0 || dup2(j->output, 2) < 0)
        jail_fail(report, "descriptors");
    /* The report moves out of the way; it is closed by exec. */
    int told = fcntl(report, F_DUPFD_CLOEXEC, FREE_FD);
    if (told < 0)
        jail_fail(report, "descriptors");
    if (!hand_over(j))
        jail_fail(told, "descriptors");
    umask(022);
    if (!set_limits(j))
        jail_fail(told, "limits");
    if (j->sealed)
        seal(j, told);
    int first = j->filter_fd >= 0 ? JAIL_SELF_FD + 1 : 3;
    for (int fd = first; fd < told; fd++)
        close(fd);
    syscall(SYS_close_range, told + 1, ~0U, 0);
    execve(j->argv[0], j->argv, j->envp);
    jail_fail(told, "exec");
}
