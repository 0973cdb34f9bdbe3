/* trial.c - see trial.h. */
#include "trial.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/hash.h"

const char *trial_where(void)
{
    const char *tmp = getenv("TMPDIR");
    if (access("/dev/shm", W_OK | X_OK) == 0)
        return "/dev/shm";
    return tmp && tmp[0] ? tmp : "/tmp";
}

char *trial_make(const char *where, Arena *into)
{
    char *dir = arena_cstr(into, arena_printf(into, "%s/jotter-crew-XXXXXX", where));
    return mkdtemp(dir);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    return remove(path);
}

void trial_remove(const char *dir)
{
    enum { OPEN_AT_ONCE = 16 };
    nftw(dir, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

/* The server that tests/rig/with-servers started for an engine, or NULL: it has none. */
static const char *server_of(Str scheme)
{
    if (str_eq(scheme, S("redis:")))
        return getenv("JOT_TEST_REDIS");
    if (str_eq(scheme, S("s3:")))
        return getenv("JOT_TEST_S3");
    return str_eq(scheme, S("postgres:")) ? getenv("JOT_TEST_POSTGRES") : NULL;
}

Str trial_url(Arena *into, const char *engine, const char *dir)
{
    Str all = str(engine), query = str_from(all, str_find(all, '?'));
    Str scheme = str_slice(all, 0, all.n - query.n);
    const char *server = server_of(scheme);
    if (server) /* a pad is called by its directory, which nobody else has */
        return arena_printf(into, "%s%cpad=c%.16s", server, strchr(server, '?') ? '&' : '?',
                            hash_hex(hash_of(str(dir))).text);
    return arena_printf(into, STR_FMT "%s/pad%s" STR_FMT, STR_ARG(scheme), dir,
                        str_eq(scheme, S("sqlite:")) ? ".db" : "", STR_ARG(query));
}

uint64_t trial_seed(uint64_t otherwise)
{
    uint64_t seed;
    return str_to_u64(str(getenv("JOT_TEST_SEED")), UINT64_MAX, &seed) ? seed : otherwise;
}

pid_t child_start(int (*life)(void *ctx), void *ctx, unsigned seconds)
{
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    alarm(seconds);
    exit(life(ctx));
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_end(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return code_of(status);
}

bool child_stopped(pid_t pid, int *code)
{
    int status = 0;
    while (waitpid(pid, &status, WUNTRACED) < 0)
        if (errno != EINTR)
            return false;
    if (!WIFSTOPPED(status))
        *code = code_of(status);
    return WIFSTOPPED(status);
}
