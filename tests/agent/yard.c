/* yard.c - making and clearing a yard, and running trials in it. */
#include "agent/yard.h"

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/remove.h"

enum { NOBODY = 65534, TURNS_MAX = 64 };

void yard_put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

const char *yard_path(Yard *y, const char *name)
{
    return arena_printf(&y->a, "%s/%s", y->dir, name).p;
}

/* Make a directory and those above it, below the yard's. */
static void make_dirs(Yard *y, Str name)
{
    for (size_t at = 0; at <= name.n; at++)
        if (at == name.n || name.p[at] == '/')
            mkdir(yard_path(y, arena_cstr(&y->a, str_slice(name, 0, at))), 0700);
}

/* The user's state is there, the configuration would be. */
static void put_own(Yard *y, const char *own)
{
    setenv("XDG_STATE_HOME", yard_path(y, arena_printf(&y->a, "%s/state", own).p), 1);
    setenv("XDG_CONFIG_HOME", yard_path(y, arena_printf(&y->a, "%s/config", own).p), 1);
    make_dirs(y, arena_printf(&y->a, "%s/state/jotter", own));
    yard_put(yard_path(y, arena_printf(&y->a, "%s/state/jotter/secret", own).p), "canary-own\n");
}

static void open_yard(Yard *y, const char *pad, const char *own)
{
    snprintf(y->dir, sizeof y->dir, "/tmp/jotter-yard-XXXXXX");
    assert_non_null(mkdtemp(y->dir));
    setenv("TMPDIR", y->dir, 1); /* for what is left where we are killed */
    snprintf(y->work, sizeof y->work, "%s/work", y->dir);
    assert_int_equal(mkdir(y->work, 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "work/sub"), 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "work/deep"), 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "work/deep/pad"), 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "work/deep/pad/notes"), 0700), 0);
    assert_int_equal(mkdir(yard_path(y, "outside"), 0700), 0);
    if (strcmp(pad, "work/.jotter") == 0) {
        assert_int_equal(mkdir(yard_path(y, pad), 0700), 0);
        assert_int_equal(mkdir(yard_path(y, "work/.jotter/notes"), 0700), 0);
        yard_put(yard_path(y, "work/.jotter/notes/key"), "remembered\n");
    }
    put_own(y, own);
    yard_put(yard_path(y, "work/deep/pad/notes/key"), "remembered\n");
    yard_put(yard_path(y, "work/pad.db"), "database\n");
    yard_put(yard_path(y, "outside/secret"), "canary-outside\n");
    const char *url =
        arena_printf(&y->a, "%s%s/%s",
                     strcmp(pad, "work/pad.db") == 0 ? "sqlite:" : "files:", y->dir, pad)
            .p;
    if (workdir_open(&y->workdir, &io_system, str(y->work), str(url), &y->e) != JOT_OK)
        fail_msg("%s", y->e.text);
}

static void close_yard(Yard *y)
{
    workdir_close(&y->workdir);
    arena_free(&y->a);
    assert_int_equal(remove_all(y->dir), 0);
}

void yard_skip(Yard *y)
{
    close_yard(y);
    skip();
}

ConfineJob yard_job(Yard *y, const char *command)
{
    return (ConfineJob){ .workdir = &y->workdir,
                         .command = str(command),
                         .how = y->how,
                         .time_ms = YARD_MS,
                         .output_max = YARD_OUTPUT };
}

Confined yard_command_for(Yard *y, const char *command, int64_t time_ms)
{
    ConfineJob job = yard_job(y, command);
    Confined c;
    job.time_ms = time_ms;
    if (confine_run(&job, &y->a, &c, &y->e) != JOT_OK)
        fail_msg("%s", y->e.text);
    return c;
}

Confined yard_command(Yard *y, const char *command)
{
    return yard_command_for(y, command, YARD_MS);
}

void yard_prints(Yard *y, const char *command, const char *want)
{
    Confined c = yard_command(y, command);
    if ((want && !str_eq(c.head, str(want))) || c.end != CONFINE_EXITED)
        fail_msg("%s: '%s' printed '" STR_FMT "', not '%s' (%d, %d)", confine_name(y->how), command,
                 STR_ARG(c.head), want, c.end, c.code);
}

void yard_fails(Yard *y, const char *command)
{
    Confined c = yard_command(y, command);
    if (c.end == CONFINE_EXITED && c.code == 0)
        fail_msg("%s: '%s' worked: " STR_FMT, confine_name(y->how), command, STR_ARG(c.head));
}

void yard_holds(Yard *y, const char *name, const char *want)
{
    char text[256] = "";
    FILE *f = fopen(yard_path(y, name), "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    assert_string_equal(text, want);
}

void yard_await(Yard *y, const char *name)
{
    for (int i = 0; i < YARD_WAIT_TRIES && access(yard_path(y, name), F_OK) != 0; i++)
        usleep(10000);
}

/* --- Running ----------------------------------------------------------------------------- */

typedef struct Turn {
    const Trial *trial;
    ConfineHow how;
    char name[160];
} Turn;

typedef struct Group {
    const char *name;
    const Trial *trials;
    size_t n;
} Group;

static void take_turn(void **state)
{
    const Turn *turn = *state;
    Yard y = { .how = turn->how };
    open_yard(&y, turn->trial->pad, turn->trial->own);
    turn->trial->run(&y);
    close_yard(&y);
}

static bool works(ConfineHow how)
{
    Yard y = { 0 };
    open_yard(&y, "outside", "own");
    bool fine = confine_try(&y.workdir, how, &y.e) == JOT_OK;
    if (!fine)
        print_message("skipped: %s: %s\n", confine_name(how), y.e.text);
    close_yard(&y);
    return fine;
}

/* JOT_TEST_ONLY: a part of the names of the tests to run. */
static bool wanted(const char *name)
{
    const char *only = getenv("JOT_TEST_ONLY");
    return !only || strstr(name, only);
}

static int run_all(const Group *g, const char *who)
{
    struct CMUnitTest list[TURNS_MAX];
    static Turn turns[TURNS_MAX];
    size_t n = 0, counts[CONFINE_HOWS] = { 0 };
    for (ConfineHow how = CONFINE_BWRAP; how <= CONFINE_NOT; how++) {
        bool there = works(how);
        for (size_t i = 0; there && i < g->n; i++) {
            if (how == CONFINE_NOT && g->trials[i].needs_walls)
                continue;
            assert_true(n < TURNS_MAX);
            Turn *t = &turns[n];
            *t = (Turn){ .trial = &g->trials[i], .how = how };
            snprintf(t->name, sizeof t->name, "%s (%s, %s)", t->trial->name, confine_name(how),
                     who);
            list[n] =
                (struct CMUnitTest){ .name = t->name, .test_func = take_turn, .initial_state = t };
            counts[how] += wanted(t->name);
            n += wanted(t->name);
        }
    }
    int failed = _cmocka_run_group_tests(g->name, list, n, NULL, NULL);
    for (ConfineHow how = CONFINE_BWRAP; how <= CONFINE_NOT; how++)
        if (counts[how])
            print_message("%s: %zu tried under %s as %s\n", g->name, counts[how], confine_name(how),
                          who);
    return failed;
}

/* The same again without root's rights, in a process of its own. */
static int run_as_nobody(const Group *g)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(99);
        _exit(run_all(g, "nobody") ? 1 : 0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int yard_run(const char *group, const Trial *trials, size_t n)
{
    Group g = { group, trials, n };
    int failed = run_all(&g, getuid() == 0 ? "root" : "user");
    return getuid() == 0 ? failed + run_as_nobody(&g) : failed;
}
