/* child.c - one piece of work, one process.
 *
 * The parent makes the directory and removes it, whatever becomes of the child.
 * The child tells through a pipe what went wrong, by fail_at(); silence and a
 * clean exit mean that nothing did.  It leaves by exit() and not by _exit(), so
 * that a sanitizer's leak check has its say. */
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "contract.h"

/* Where fail_at() writes its sentence; -1: to stderr. */
static int why_fd = -1;
static const char *said_file;
static int said_line;

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

void said_at(const char *file, int line)
{
    said_file = base_name(file);
    said_line = line;
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
    char text[CHILD_WHY_MAX];
    file = base_name(file);
    int n = snprintf(text, sizeof text, "%s:%d: ", file, line);
    if (said_file && strcmp(said_file, file) != 0)
        n += snprintf(text + n, sizeof text - (size_t)n, "near %s:%d: ", said_file, said_line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    va_end(args);
    if (why_fd < 0)
        fprintf(stderr, "%s\n", text);
    else if (write(why_fd, text, strlen(text)) < 0)
        perror("contract");
    _exit(1);
}

int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* What the child has to say, until it ends. */
static void read_why(int fd, char *why)
{
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, why + n, CHILD_WHY_MAX - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    why[n] = 0;
}

/* Wait for the child; true if it ended well. */
static bool ended_well(pid_t child, char *why)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, CHILD_WHY_MAX, "it did not end within %d s", CHILD_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(why, CHILD_WHY_MAX, "it ended with signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) && !why[0])
        snprintf(why, CHILD_WHY_MAX, "it ended with code %d", WEXITSTATUS(status));
    return status == 0;
}

static bool fork_and_run(void (*work)(void *ctx, const char *dir), void *ctx, const char *dir,
                         char *why)
{
    fflush(NULL);
    int ends[2];
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0)
        FAIL("cannot start a child");
    if (child == 0) {
        close(ends[0]);
        why_fd = ends[1];
        alarm(CHILD_SECONDS);
        work(ctx, dir);
        exit(0);
    }
    close(ends[1]);
    read_why(ends[0], why);
    close(ends[0]);
    return ended_well(child, why);
}

bool child_run(void (*work)(void *ctx, const char *dir), void *ctx, bool stay, char *why)
{
    char dir[64];
    dir_make(dir, sizeof dir);
    bool good = true;
    why[0] = 0;
    if (stay)
        work(ctx, dir);
    else
        good = fork_and_run(work, ctx, dir, why);
    dir_remove(dir);
    return good;
}
