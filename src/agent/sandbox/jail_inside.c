/* jail_inside.c - the second wall: this program, run by bubblewrap in the namespaces it made.
 *
 * Namespaces decide what is there; one forgotten option, or one file that the
 * kernel lets root write without asking for a privilege, and a command is out.  So
 * where the kernel has Landlock, that too says what the command may write,
 * and the two do not depend on each other.  Landlock forbids mounts to a process
 * under it, so it can only begin when bubblewrap is done: bubblewrap runs this
 * program, and this program becomes the command.
 *
 * It does so before main(), in a constructor: whichever program has the agent in
 * it, a test too, can then be the one that is run. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "agent/sandbox/jail.h"

#define SELF "/proc/self/fd/4"
#define WORD "jotter-jail-inside"
static_assert(JAIL_SELF_FD == 4, "SELF names it");

void jail_inside(const char *dir, const char **argv, size_t *n)
{
    argv[(*n)++] = SELF;
    argv[(*n)++] = WORD;
    argv[(*n)++] = dir;
}

static NO_RETURN void stop(const char *why)
{
    fprintf(stderr, "the command was not run: %s\n", why);
    _exit(126);
}

static void wall_up(const char *dir)
{
    AUTO(Fd) ruleset = FD_NONE;
    Err e;
    jot_status st = jail_second_wall(dir, &ruleset, &e);
    if (st == JOT_UNSUPPORTED)
        return;
    if (st != JOT_OK)
        stop(e.text);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(JAIL_RESTRICT_SELF, ruleset, 0) != 0)
        stop("could not use Landlock");
}

__attribute__((constructor)) static void inside(int argc, char **argv, char **envp)
{
    if (argc < 4 || strcmp(argv[0], SELF) != 0 || strcmp(argv[1], WORD) != 0)
        return;
    wall_up(argv[2]);
    if (!jail_limit_data())
        stop("could not set a limit");
    syscall(SYS_close_range, 3, ~0U, 0);
    execve(argv[3], argv + 3, envp);
    stop("could not start the shell");
}
