/* place.c - a pad on a real server with a proxy before it. */
#include "servers/place.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"

enum { CASES_MAX = 64 };

/* --- The server --------------------------------------------------------------------------- */

const char *place_variable(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        print_error("%s is not set: run it beside tests/rig/with-servers\n", name);
    assert_non_null(value);
    return value;
}

const char *place_dir(const Place *p)
{
    return place_variable(p->kind->dir);
}

pid_t place_server(const Place *p)
{
    char path[200], text[32] = "";
    snprintf(path, sizeof path, "%s/pid", place_dir(p));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    int64_t pid = 0;
    assert_true(str_to_i64(str_trim(str(text)), 2, INT32_MAX, &pid));
    return (pid_t)pid;
}

void place_await_server(const Place *p, pid_t killed)
{
    enum { LOOKS = 2400, PAUSE_US = 50000 };
    for (int i = 0; i < LOOKS && place_server(p) == killed; i++)
        io_sleep_us(&io_system, PAUSE_US);
    assert_int_not_equal(place_server(p), killed);
}

void place_kill_server(const Place *p)
{
    pid_t server = place_server(p);
    assert_int_equal(kill(server, SIGKILL), 0);
    place_await_server(p, server);
}

/* --- Set up and tear down ------------------------------------------------------------------ */

static int64_t jumping_clock(void *ctx)
{
    Jump *j = ctx;
    int64_t now = io_awake_ms(&io_system);
    if (j->after > 0) {
        j->after--;
        return now;
    }
    return now + j->by_ms;
}

/* `text` with `at` where the star is. */
static Str fill_in(Arena *into, const char *text, const char *at)
{
    const char *star = strchr(text, '*');
    return star ? arena_printf(into, "%.*s%s%s", (int)(star - text), text, at, star + 1)
                : arena_copy(into, str(text));
}

/* Where the server is: the directory of its socket, or its port. */
static const char *where(const ServerKind *k)
{
    return place_variable(k->socket ? k->dir : k->port);
}

static void name_pad(Place *p, const char *at, char out[sizeof p->url])
{
    snprintf(out, sizeof p->url, "%s%s", fill_in(&p->a, p->kind->url, at).p, p->pad);
}

int place_set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    const ServerKind *k = p->kind = *state;
    char at[sizeof p->proxy.path];
    snprintf(p->pad, sizeof p->pad, "n%s", id_random(&io_system, 8).text);
    if (k->socket) {
        assert_true(
            proxy_start(&p->proxy, k->socket, arena_printf(&p->a, "%s/%s", where(k), k->socket).p));
        snprintf(at, sizeof at, "%s", p->proxy.dir);
    } else {
        int64_t port = 0;
        assert_true(str_to_i64(str(where(k)), 1, 65535, &port));
        assert_true(proxy_start_tcp(&p->proxy, (int)port));
        snprintf(at, sizeof at, "%d", p->proxy.port);
    }
    name_pad(p, at, p->url);
    name_pad(p, where(k), p->direct);
    p->io = io_system;
    p->io.awake_ms = jumping_clock;
    p->io.ctx = &p->jump;
    p->s = place_open(p, p->url,
                      (StoreOptions){ .create = true, .wait_ms = k->wait_ms, .io = &p->io });
    *state = p;
    return 0;
}

int place_tear_down(void **state)
{
    Place *p = *state;
    store_close(p->s);
    proxy_stop(&p->proxy);
    arena_free(&p->a);
    free(p);
    return 0;
}

int place_main(const ServerKind *kind, const CaseTable *tables, size_t n, int argc, char **argv)
{
    static struct CMUnitTest all[CASES_MAX];
    static ServerKind of_all;
    size_t cases = 0;
    of_all = *kind;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < tables[i].n && cases < CASES_MAX; k++) {
            all[cases] = tables[i].items[k];
            all[cases++].initial_state = &of_all;
        }
    if (argc > 1 && argv[1][0] == '-')
        cmocka_set_skip_filter(argv[1] + 1);
    else if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests(kind->dir, all, cases, NULL, NULL);
}

/* --- Pads --------------------------------------------------------------------------------- */

Store *place_open(Place *p, const char *url, StoreOptions o)
{
    Store *s = NULL;
    jot_status st = store_open(&s, str(url), &o, &p->e);
    if (st != JOT_OK)
        print_error("%s\n", p->e.text);
    assert_int_equal(st, JOT_OK);
    return s;
}

jot_status place_put(Place *p, Store *s, const char *stream, const char *text, Mark *m)
{
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = str(text) };
    return store_append(s, str(stream), NULL, &d, m, &p->e);
}

void place_put_many(Place *p, Store *s, const char *stream, int n)
{
    Mark m;
    for (int i = 0; i < n; i++)
        assert_int_equal(place_put(p, s, stream, "text", &m), JOT_OK);
}

size_t place_count(Place *p, const char *stream)
{
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    Records got = { 0 };
    jot_status st = store_read(s, str(stream), (SeqRange){ 0, STORE_READ_MAX }, &p->a, &got, &p->e);
    assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
    assert_int_equal(got.damaged, 0);
    store_close(s);
    return got.n;
}

static pid_t start_writer(Place *p, const char *url, int n, int64_t pause_us)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Store *s = NULL;
    Mark m;
    StoreOptions patient = { .wait_ms = PATIENT_MS };
    jot_status st = store_open(&s, str(url), pause_us < 0 ? &patient : NULL, &p->e);
    if (pause_us > 0)
        io_sleep_us(&io_system, pause_us);
    for (int i = 0; i < n && st == JOT_OK; i++)
        st = place_put(p, s, "notes/a", "theirs", &m);
    store_close(s);
    _exit(st != JOT_OK);
}

pid_t place_start_writer(Place *p, int n, int64_t pause_us)
{
    return start_writer(p, p->direct, n, pause_us);
}

pid_t place_start_writer_at(Place *p, const char *url, int n)
{
    return start_writer(p, url, n, -1);
}

void place_end_well(pid_t child)
{
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* --- Bad input ---------------------------------------------------------------------------- */

/* Is one of the words with spaces between in the text? */
static bool has_one_of(const char *text, const char *words)
{
    AUTO(Arena) arena = { 0 };
    Str rest = str(words), word;
    bool found = false;
    while (rest.n) {
        word = rest;
        if (!str_cut(&rest, ' ', &word))
            rest = (Str){ 0 };
        found = found || strstr(text, arena_cstr(&arena, word));
    }
    return found;
}

void place_refuses(Place *p, const char *url, jot_status want, const char *part)
{
    Store *s = NULL;
    int64_t start = io_awake_ms(&io_system);
    StoreOptions o = { .create = true, .wait_ms = 500 };
    jot_status st = store_open(&s, fill_in(&p->a, url, where(p->kind)), &o, &p->e);
    if (st != want || !strstr(p->e.text, part))
        print_error("%s: %s: %s\n", url, jot_status_name(st), p->e.text);
    assert_int_equal(st, want);
    assert_null(s);
    assert_non_null(strstr(p->e.text, part));
    assert_sentence(&p->e);
    assert_false(has_one_of(p->e.text, p->kind->secrets));
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
}

void place_refuses_all(Place *p, const Refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        place_refuses(p, rows[i].url, rows[i].want, rows[i].part);
}
