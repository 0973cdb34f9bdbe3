/* desk.c - setting a Desk up and running the tests at it. */
#include "memory/desk.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "unit/remove.h"

enum { AWAKE_MS = 1000000 }; /* since the boot, when a test begins */

static int64_t wall(void *ctx)
{
    return ((Desk *)ctx)->now_ms;
}

static int64_t awake(void *ctx)
{
    return ((Desk *)ctx)->awake_ms;
}

/* On a server one clock dates records and judges leases: it moves with either of the two. */
static int64_t served(void *ctx)
{
    const Desk *d = ctx;
    return d->now_ms + (d->awake_ms - AWAKE_MS);
}

/* The same numbers in every run, and others in each process: a writer is known by what it has
 * drawn, so two that draw the same would take each other's records for their own. */
static void count_up(void *ctx, void *out, size_t n)
{
    Desk *d = ctx;
    unsigned char *to = out;
    uint64_t child = getpid() == d->pid ? 0 : (uint64_t)getpid() << 32;
    uint64_t value = (++d->random + child) * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(value >> (i % 8 * 8));
}

static Memory open_as(Desk *d, const char *by)
{
    Memory m = { 0 };
    MemoryOptions o = { .io = &d->io, .by = str(by), .create = true };
    desk_ok(d, memory_open(&m, str(d->url), &o, &d->e));
    return m;
}

Mark desk_put(Desk *d, const char *stream, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_PUT, .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e));
    return m;
}

Memory desk_open(Desk *d, const char *by)
{
    assert_string_not_equal(d->engine, "mem");
    return open_as(d, by);
}

/* nftw has no place for a caller's own. */
static struct {
    const char *text;
    size_t n;
} looked_for;

static int look(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)at;
    FILE *f = kind == FTW_F ? fopen(path, "r") : NULL;
    if (!f)
        return 0;
    size_t n = (size_t)info->st_size;
    char *text = mem_alloc(n + 1);
    n = fread(text, 1, n, f);
    looked_for.n += memmem(text, n, looked_for.text, strlen(looked_for.text)) != NULL;
    free(text);
    fclose(f);
    return 0;
}

size_t desk_files_with(Desk *d, const char *text)
{
    looked_for.text = text;
    looked_for.n = 0;
    nftw(d->dir, look, 16, FTW_PHYS);
    return looked_for.n;
}

void desk_reopen(Desk *d)
{
    assert_string_not_equal(d->engine, "mem");
    memory_close(&d->m);
    d->m = open_as(d, "ann");
}

void desk_check(Desk *d, jot_status want, jot_status got, const char *call, const char *file,
                int line)
{
    if (got != want)
        print_error("[%s] %s: %s, not %s: %s\n", d->engine, call, status_info(got)->name,
                    status_info(want)->name, got == JOT_OK ? "" : d->e.text);
    _assert_true(got == want, call, file, line);
}

bool desk_lived(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFEXITED(status);
}

void assert_has(Str text, const char *part)
{
    if (!memmem(text.p, text.n, part, strlen(part)))
        fail_msg("'" STR_FMT "' does not say '%s'", STR_ARG(text), part);
}

void assert_says(const Desk *d, const char *part)
{
    if (!strstr(d->e.text, part))
        fail_msg("'%s' does not say '%s'", d->e.text, part);
}

bool desk_on_server(const Desk *d)
{
    return strcmp(d->engine, "postgres") == 0 || strcmp(d->engine, "redis") == 0 ||
           strcmp(d->engine, "s3") == 0;
}

bool desk_leases_prefixes(const Desk *d)
{
    return strcmp(d->engine, "s3") != 0;
}

void desk_outlast(Desk *d, int64_t ms)
{
    enum { MARGIN_MS = 1000, S3_MARGIN_MS = 5000 };
    bool s3 = strcmp(d->engine, "s3") == 0;
    d->awake_ms += ms + (s3 ? S3_MARGIN_MS : desk_on_server(d) ? MARGIN_MS : 0);
}

/* On a server a pad of its own, as tests/rig/with-servers says where. */
static void name_pad(Desk *d)
{
    const char *engine = d->engine;
    const char *server = strcmp(engine, "postgres") == 0 ? getenv("JOT_TEST_POSTGRES")
                         : strcmp(engine, "redis") == 0  ? getenv("JOT_TEST_REDIS")
                         : strcmp(engine, "s3") == 0     ? getenv("JOT_TEST_S3")
                                                         : NULL;
    if (server)
        snprintf(d->url, sizeof d->url, "%s%cpad=d%s", server, strchr(server, '?') ? '&' : '?',
                 id_random(&io_system, 6).text);
    else if (strcmp(engine, "mem") == 0)
        snprintf(d->url, sizeof d->url, "mem:");
    else
        snprintf(d->url, sizeof d->url, "%s:%s/pad%s", engine, d->dir,
                 strcmp(engine, "files") == 0 ? "" : ".db");
}

static void set_up(Desk *d, const char *engine)
{
    *d = (Desk){ .engine = engine, .now_ms = 1767225600000, .awake_ms = AWAKE_MS, .pid = getpid() };
    snprintf(d->boot, sizeof d->boot, "%s", "0123456789abcdef0123456789abcdef");
    const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(d->dir, sizeof d->dir, "%s/jotter-desk-XXXXXX", tmp);
    assert_non_null(mkdtemp(d->dir));
    setenv("XDG_STATE_HOME", arena_printf(&d->a, "%s/state", d->dir).p, 1);
    setenv("XDG_CONFIG_HOME", arena_printf(&d->a, "%s/config", d->dir).p, 1);
    name_pad(d);
    if (desk_on_server(d)) /* pads that share a server have ids of their own */
        io_random(&io_system, &d->random, sizeof d->random);
    d->io = (Io){ .wall_ms = wall,
                  .awake_ms = awake,
                  .served_ms = served,
                  .random = count_up,
                  .boot_id = d->boot,
                  .ctx = d };
    char state[96];
    snprintf(state, sizeof state, "%s/state", d->dir);
    setenv("XDG_CACHE_HOME", arena_printf(&d->a, "%s/cache", d->dir).p, 1); /* a server's index */
    assert_int_equal(setenv("XDG_STATE_HOME", state, 1), 0); /* not that of whoever tests */
    d->m = open_as(d, "ann");
}

static void tear_down(Desk *d)
{
    memory_close(&d->m);
    arena_free(&d->a);
    assert_int_equal(remove_all(d->dir), 0);
}

/* What cmocka hands to one test. */
typedef struct Turn {
    const DeskTest *test;
    const char *engine;
} Turn;

static void run_turn(void **state)
{
    const Turn *turn = *state;
    Desk d;
    set_up(&d, turn->engine);
    turn->test->run(&d);
    tear_down(&d);
}

static int run_each(const char *const *engines, size_t engines_n, const DeskTest *tests, size_t n)
{
    size_t all = n * engines_n;
    struct CMUnitTest *list = calloc(all, sizeof *list);
    Turn *turns = calloc(all, sizeof *turns);
    char(*names)[160] = calloc(all, sizeof *names);
    for (size_t i = 0; i < all; i++) {
        turns[i] = (Turn){ &tests[i / engines_n], engines[i % engines_n] };
        snprintf(names[i], sizeof names[i], "%s (%s)", turns[i].test->name, turns[i].engine);
        list[i] = (struct CMUnitTest){ .name = names[i],
                                       .test_func = run_turn,
                                       .initial_state = &turns[i] };
    }
    int failed = _cmocka_run_group_tests("memory", list, all, NULL, NULL);
    free(list);
    free(turns);
    free(names);
    return failed;
}

int desk_run(const DeskTest *tests, size_t n, bool lasting)
{
    static const char *const engines[] = { "files", "sqlite", "mem" };
    const char *server = getenv("JOT_TEST_DESK");
    if (server)
        return run_each(&server, 1, tests, n);
    return run_each(engines, lasting ? 2 : 3, tests, n);
}

int desk_run_on(const char *engine, const DeskTest *tests, size_t n)
{
    return getenv("JOT_TEST_DESK") ? 0 : run_each(&engine, 1, tests, n);
}
