/* test_alloc.c - memory runs out at any allocation: nothing acknowledged is lost.
 *
 * malloc and its kin are replaced here, for this program and for every library in
 * it.  A child works on a pad and tells each acknowledged write through a pipe;
 * at its Nth allocation there is no memory, once or from then on.  Whether the
 * library ends the process (its own way of saying so) or a call fails, the parent
 * then opens the pad as anybody would, reads everything, and writes. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/engine.h"
#include "unit/remove.h"
#include "unit/unit.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { WRITES = 6, EVERY_MAX = 400, TRIES = 160, HANG_S = 300 };

/* Counts down to the allocation that fails; below 0: none does. */
static long left = -1;
static long seen;
static bool sticky;

static bool exhausted(void)
{
    seen++;
    if (left < 0)
        return false;
    if (left > 0) {
        left--;
        return left == 0;
    }
    return sticky;
}

/* Names are hidden by default; these must be seen by the libraries. */
#define SEEN __attribute__((visibility("default")))

SEEN void *malloc(size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_malloc(size);
}

SEEN void *calloc(size_t n, size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_calloc(n, size);
}

SEEN void *realloc(void *old, size_t size)
{
    errno = ENOMEM;
    return exhausted() ? NULL : __libc_realloc(old, size);
}

/* --- The child ------------------------------------------------------------------------- */

/* A note in versions, a log, a delete and a purge; every acknowledged write of the note is told. */
static bool work(Store *s, int tell)
{
    for (char i = 1; i <= WRITES; i++) {
        char text[64];
        Mark m;
        Draft put = { .op = OP_PUT, .by = S("ann"), .body = str(text) };
        Draft entry = { .op = OP_APPEND, .by = S("ann"), .body = S("entry") };
        snprintf(text, sizeof text, "version %d", i);
        put.body = str(text);
        if (store_append(s, S("notes/a"), NULL, &put, &m, NULL) != JOT_OK)
            return false;
        if (tell >= 0 && write(tell, &i, 1) != 1)
            _exit(3);
        if (store_append(s, S("runs/r"), NULL, &entry, &m, NULL) != JOT_OK)
            return false;
    }
    return true;
}

/* Runs in the child.  Returns how many allocations there were. */
static long live(const char *url, long fail_at, bool for_good, int tell)
{
    Store *s = NULL;
    seen = 0;
    sticky = for_good;
    left = fail_at;
    if (store_open(&s, str(url), &(StoreOptions){ .create = true }, NULL) == JOT_OK)
        (void)work(s, tell);
    store_close(s);
    left = -1;
    return seen;
}

/* --- The parent ------------------------------------------------------------------------ */

typedef struct Trial {
    char dir[64], url[96];
} Trial;

static void trial_new(Trial *t, const char *engine)
{
    snprintf(t->dir, sizeof t->dir, "%s/jotter-alloc-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(t->dir));
    snprintf(t->url, sizeof t->url, "%s:%s/pad", engine, t->dir);
}

static void trial_free(Trial *t)
{
    assert_int_equal(remove_all(t->dir), 0);
}

/* The last write that was acknowledged; the child has ended, one way or the other. */
static int run_child(const Trial *t, long fail_at, bool for_good)
{
    int ends[2], last = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = { 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        close(ends[0]);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        alarm(HANG_S);
        live(t->url, fail_at, for_good, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    for (char told; read(ends[0], &told, 1) == 1;)
        last = told;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT)
        fail_msg("allocation %ld: ended by signal %d", fail_at, WTERMSIG(status));
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return last;
}

/* Everything acknowledged is there, in order, and the pad goes on. */
static void check_pad(const Trial *t, long fail_at, int acknowledged)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Store *s = NULL;
    if (store_open(&s, str(t->url), &(StoreOptions){ .create = true }, &e) != JOT_OK)
        fail_msg("allocation %ld: %s", fail_at, e.text);
    Records all = { 0 };
    jot_status st = store_read(s, S("notes/a"), (SeqRange){ 1, 100 }, &arena, &all, &e);
    if (st != JOT_NOT_FOUND && st != JOT_OK)
        fail_msg("allocation %ld: %s", fail_at, e.text);
    if (all.n < (size_t)acknowledged || all.n > (size_t)acknowledged + 1 || all.damaged)
        fail_msg("allocation %ld: %d acknowledged, %zu there, %llu damaged", fail_at, acknowledged,
                 all.n, (unsigned long long)all.damaged);
    for (size_t i = 0; i < all.n; i++)
        assert_str(all.items[i].body, arena_printf(&arena, "version %zu", i + 1));
    Mark m;
    Draft d = { .op = OP_PUT, .by = S("bob"), .body = S("after") };
    if (store_append(s, S("notes/a"), NULL, &d, &m, &e) != JOT_OK)
        fail_msg("allocation %ld: %s", fail_at, e.text);
    assert_int_equal(m.seq, all.n + 1);
    store_close(s);
}

/* The number of allocations of the whole story, counted in a child as well. */
static long count_allocations(const char *engine)
{
    Trial t;
    int ends[2];
    long n = 0;
    trial_new(&t, engine);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        n = live(t.url, -1, false, -1);
        _exit(write(ends[1], &n, sizeof n) == sizeof n ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &n, sizeof n), sizeof n);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ends[0]);
    close(ends[1]);
    trial_free(&t);
    return n;
}

static void fail_everywhere(const char *engine)
{
    long all = count_allocations(engine), tried = 0;
    assert_true(all > 20);
    long step = all <= EVERY_MAX / 2 ? 1 : all / (TRIES / 2) + 1;
    for (int for_good = 0; for_good < 2; for_good++) {
        for (long at = 1 + for_good % step; at <= all; at += step, tried++) {
            Trial t;
            trial_new(&t, engine);
            check_pad(&t, at, run_child(&t, at, for_good));
            trial_free(&t);
        }
    }
    printf("crash %s: %ld failed allocations, 0 violations\n", engine, tried);
}

static void without_memory_a_files_pad_loses_nothing_it_acknowledged(void **state)
{
    (void)state;
    fail_everywhere("files");
}

static void without_memory_a_sqlite_pad_loses_nothing_it_acknowledged(void **state)
{
    (void)state;
    fail_everywhere("sqlite");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_a_files_pad_loses_nothing_it_acknowledged),
        cmocka_unit_test(without_memory_a_sqlite_pad_loses_nothing_it_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
