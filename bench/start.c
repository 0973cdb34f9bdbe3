/* start.c - how long `jotter --version` takes, beside a program that does nothing.
 *
 * Both are started and waited for by turns, on one processor. */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

typedef struct Program {
    const char *path;
    const char *arg; /* NULL: none */
    posix_spawn_file_actions_t quiet;
} Program;

static void step_start(void *program)
{
    Program *p = program;
    char *const argv[] = { (char *)p->path, (char *)p->arg, NULL };
    char *const env[] = { NULL };
    pid_t pid;
    int status;
    must(posix_spawn(&pid, p->path, &p->quiet, NULL, argv, env) == 0, "start a program");
    must(waitpid(pid, &status, 0) == pid && status == 0, "a program has failed");
}

static Program program_new(const char *path, const char *arg)
{
    Program p = { .path = path, .arg = arg };
    posix_spawn_file_actions_init(&p.quiet);
    posix_spawn_file_actions_addopen(&p.quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    return p;
}

void measure_start(Bench *b, const char *engine)
{
    Program jotter = program_new(b->jotter, "--version"), nothing = program_new(b->nothing, NULL);
    Side sides[] = { { step_start, &jotter }, { step_start, &nothing } };
    Times times;
    race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 100 }, &times);
    Line line = {
        "start", engine, "jotter --version / a C program that does nothing", { GOAL_AT_MOST, 4 }
    };
    report_times(b, &line, &times, 0, 1);
    posix_spawn_file_actions_destroy(&jotter.quiet);
    posix_spawn_file_actions_destroy(&nothing.quiet);
}
