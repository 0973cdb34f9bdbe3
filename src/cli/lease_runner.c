/* lease_runner.c - waiting for a program, renewing a lease, passing signals on.
 *
 * There is one process and no thread: the signals that matter are blocked and
 * fetched with a deadline, which is when the lease must be renewed next.  So a
 * renewal never meets a signal half-way.  A blocked signal is fetched even if it is
 * ignored; what was ignored when we began (by nohup) is therefore left out.
 *
 * A signal is passed on only to a program that has not been waited for: until then
 * its process id cannot be another's.
 *
 * The lease lives with this process.  If this process is killed the lease is
 * free at once, and what the program writes after that with JOTTER_LEASE is
 * refused; the program itself is never killed from here.  A renewal that fails
 * for lack of time is tried again until the lease is over. */
#include "cli/lease_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"

enum { NOT_FOUND = 127, NOT_RUNNABLE = 126, BY_SIGNAL = 128, RENEWALS = 3 };
enum { NOT_KNOWN = 71 }; /* as for JOT_UNKNOWN: it has ended, nobody can say how */

/* What a person or a supervisor may send to a program to be passed on. */
static const int passed_on[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH };

static bool is_ignored(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* SIGTERM is always among them: somebody means the program to end. */
static void set_of_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        if (passed_on[i] == SIGTERM || !is_ignored(passed_on[i]))
            sigaddset(set, passed_on[i]);
}

/* In the child: become the program. */
NO_RETURN static void become(char **words, uint64_t token, bool quiet, const sigset_t *mask)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)token);
    sigprocmask(SIG_SETMASK, mask, NULL);
    bool ready =
        setenv("JOTTER_LEASE", text, 1) == 0 && (!quiet || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
    if (ready)
        execvp(words[0], words);
    Shown shown;
    int errnum = errno;
    dprintf(STDERR_FILENO, "jotter: could not run '%s': %s\n", err_show(&shown, str(words[0])),
            strerrordesc_np(errnum));
    _exit(errnum == ENOENT ? NOT_FOUND : NOT_RUNNABLE);
}

/* True if the program has ended, or is not ours to wait for any more. */
static bool ended(pid_t pid, int *exit_code)
{
    int status;
    pid_t got = waitpid(pid, &status, WNOHANG);
    if (got < 0 && errno == ECHILD) {
        *exit_code = NOT_KNOWN;
        return true;
    }
    if (got != pid)
        return false;
    *exit_code = WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

/* What a terminal sends goes to the whole foreground group, the program included. */
static void pass_on(pid_t pid, const siginfo_t *info)
{
    if (info->si_signo != SIGCHLD && info->si_code != SI_KERNEL)
        kill(pid, info->si_signo);
}

/* Wait for a signal until `until_ms`; false if none came. */
static bool fetch(const Io *io, const sigset_t *set, int64_t until_ms, siginfo_t *info)
{
    int64_t left_ms = until_ms - io_awake_ms(io);
    if (left_ms < 0)
        left_ms = 0;
    struct timespec wait = { .tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000 };
    return sigtimedwait(set, info, &wait) > 0;
}

/* Renew; when to come again. */
static int64_t renew(Memory *m, const Lease *l, Kept *out)
{
    AUTO(Arena) arena = { 0 };
    Lease renewed;
    Err e;
    int64_t pause_ms = l->ttl_ms / RENEWALS;
    if (!out->lost && lease_renew(m, l->token, 0, &arena, &renewed, &e) == JOT_FENCED) {
        out->lost = true;
        say("%s", e.text);
    }
    return io_awake_ms(m->io) + (out->lost ? LEASE_TTL_MS_MAX : pause_ms);
}

jot_status keeper_run(Memory *m, const Lease *l, char **words, bool quiet, Kept *out, Err *e)
{
    sigset_t set, before;
    set_of_signals(&set);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(words, l->token, quiet, &before);
    int errnum = errno;
    int64_t next_ms = io_awake_ms(m->io) + l->ttl_ms / RENEWALS;
    while (pid > 0 && !ended(pid, &out->exit_code)) {
        siginfo_t info;
        if (fetch(m->io, &set, next_ms, &info))
            pass_on(pid, &info);
        if (io_awake_ms(m->io) >= next_ms)
            next_ms = renew(m, l, out);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid < 0 ? err_errno(e, errnum, "could not start a process") : JOT_OK;
}
