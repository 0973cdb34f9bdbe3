/* caller.c - setting a Caller up and running the tests. */
#define _XOPEN_SOURCE 700
#include "api/caller.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/remove.h"

static jot_pad *open_as(const Caller *c, const char *as)
{
    jot_open_options o = { 0 };
    jot_pad *pad = jot_new();
    o.size = sizeof o;
    o.as = as;
    ok(pad, jot_open(pad, c->url, &o));
    return pad;
}

jot_pad *caller_open(Caller *c, const char *as)
{
    return open_as(c, as);
}

const char *caller_path(const Caller *c, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", c->dir, name);
    return path;
}

void caller_check(const jot_pad *pad, jot_status want, jot_status got, const char *call,
                  const char *file, int line)
{
    if (got != want)
        print_error("%s: %s, not %s: %s\n", call, jot_status_name(got), jot_status_name(want),
                    jot_error(pad));
    _assert_true(got == want, call, file, line);
}

void caller_check_text(jot_text got, const char *want, const char *file, int line)
{
    if (!got.data || got.data[got.size] != 0)
        print_error("not a text\n");
    else if (got.size != strlen(want) || memcmp(got.data, want, got.size) != 0)
        print_error("got  '%s'\nwant '%s'\n", got.data, want);
    else
        return;
    _fail(file, line);
}

void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

typedef struct Turn {
    const CallerTest *test;
    const char *engine;
} Turn;

static void run_turn(void **state)
{
    const Turn *turn = *state;
    Caller c = { 0 };
    c.engine = turn->engine;
    snprintf(c.dir, sizeof c.dir, "%s/jotter-api-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(c.dir));
    setenv("XDG_STATE_HOME", caller_path(&c, "state"), 1);
    setenv("XDG_CONFIG_HOME", caller_path(&c, "config"), 1);
    snprintf(c.url, sizeof c.url, "%s:%s/%s", c.engine, c.dir,
             strcmp(c.engine, "files") == 0 ? "pad" : "pad.db");
    c.pad = open_as(&c, "ann");
    turn->test->run(&c);
    jot_free(c.pad);
    assert_int_equal(remove_all(c.dir), 0);
}

int caller_run(const CallerTest *tests, size_t n)
{
    static const char *const engines[] = { "files", "sqlite" };
    size_t all = n * 2, i;
    struct CMUnitTest *list = calloc(all, sizeof *list);
    Turn *turns = calloc(all, sizeof *turns);
    char(*names)[160] = calloc(all, sizeof *names);
    int failed;
    for (i = 0; i < all; i++) {
        turns[i].test = &tests[i / 2];
        turns[i].engine = engines[i % 2];
        snprintf(names[i], sizeof names[i], "%s (%s)", turns[i].test->name, turns[i].engine);
        list[i].name = names[i];
        list[i].test_func = run_turn;
        list[i].initial_state = &turns[i];
    }
    failed = _cmocka_run_group_tests("api", list, all, NULL, NULL);
    free(list);
    free(turns);
    free(names);
    return failed;
}
