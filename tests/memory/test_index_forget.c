/* test_index_forget.c - text that is forgotten leaves the files of the index and nothing else does:
 * on a disk that is full, when the process is killed at any step, beside others that write. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/forget/forget.h"
#include "memory/search_desk.h"
#include "rig/volume.h"

enum { NOTES = 30, STEPS_MAX = 400 };

#define SECRET "xylophonequartz"

/* Something happens at one step and at all that follow. */
typedef struct Trouble {
    IoHook hook;
    long at, step;
    bool kill; /* else the disk is full */
} Trouble;

static bool takes_room(const IoCall *c)
{
    return c->kind == IO_WRITE || c->kind == IO_FSYNC || c->kind == IO_RENAME ||
           (c->kind == IO_OPEN && (c->flags & O_CREAT));
}

static long before(void *ctx, IoCall *call)
{
    Trouble *t = ctx;
    if (t->kill && t->step++ == t->at)
        kill(getpid(), SIGKILL);
    if (t->kill || !takes_room(call))
        return 0;
    return t->step++ >= t->at ? -ENOSPC : 0;
}

static void expect_trouble(Desk *d, Trouble *t, long at, bool kill)
{
    *t = (Trouble){ .at = at, .kill = kill };
    t->hook = (IoHook){ before, NULL, t };
    d->io.hook = &t->hook;
}

/* A pad with one secret in the index, already purged. */
static void keep_a_secret(Desk *d, int round)
{
    Mark m;
    for (int i = 0; i < NOTES; i++)
        desk_put(d, arena_printf(&d->a, "notes/n%d", i).p,
                 arena_printf(&d->a, "pear number %d of round %d", i, round).p);
    desk_put(d, "notes/secret", "it is " SECRET " and a pear");
    AUTO_PTR(Search) s = begin(d, &d->m);
    desk_ok(d, search_rebuild(s, &d->e));
    assert_true(traced(d, SECRET));
    desk_ok(d, store_purge(d->m.store, S("notes/secret"), NULL, S("ann"), &m, &d->e));
}

static void expect_the_rest(Desk *d)
{
    AUTO_PTR(Search) s = begin(d, &d->m);
    assert_finds(d, s, SECRET, "");
    assert_int_equal(find(d, s, "pear").n, 10);
    assert_finds(d, s, "\"number 7\"", "notes/n7");
}

static void a_full_disk_keeps_no_text_that_is_forgotten(Desk *d)
{
    Trouble t;
    long at = 0;
    do {
        keep_a_secret(d, (int)at);
        expect_trouble(d, &t, at, false);
        jot_status st = search_forget(&d->m, &S("notes/secret"), 1, &d->e);
        d->io.hook = NULL;
        assert_int_equal(st == JOT_OK && traced(d, SECRET), 0);
        desk_ok(d, search_forget(&d->m, &S("notes/secret"), 1, &d->e));
        assert_false(traced(d, SECRET));
        expect_the_rest(d);
    } while (at++ < t.step && at < STEPS_MAX);
    assert_true(at > 3 && at < STEPS_MAX);
}

static void forgetting_again_after_a_kill_leaves_no_text(Desk *d)
{
    bool done = false;
    long at = 0;
    for (; !done && at < STEPS_MAX; at += volume_small() ? 5 : 1) {
        keep_a_secret(d, (int)at);
        pid_t child = fork();
        if (child == 0) {
            Trouble t;
            expect_trouble(d, &t, at, true);
            _exit(search_forget(&d->m, &S("notes/secret"), 1, NULL) != JOT_OK);
        }
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        done = !WIFSIGNALED(how);
        if (at % 2)
            expect_the_rest(d);
        desk_ok(d, search_forget(&d->m, &S("notes/secret"), 1, &d->e));
        assert_false(traced(d, SECRET));
        expect_the_rest(d);
    }
    assert_true(done && at > 10);
}

/* One that searches and writes until it is told to end. */
static pid_t somebody_else(Desk *d, int who)
{
    pid_t child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
    Memory m = { 0 };
    MemoryOptions o = { .by = S("bob") };
    Search *s = NULL;
    if (memory_open(&m, str(d->url), &o, NULL) != JOT_OK ||
        search_open(&s, &m, NULL, NULL) != JOT_OK)
        _exit(1);
    for (int i = 0;; i++) {
        AUTO(Arena) a = { 0 };
        Mark mark;
        Hits h;
        Draft draft = { .op = OP_PUT, .body = arena_printf(&a, "plum %d", i) };
        Str name = arena_printf(&a, "notes/by-%d-%d", who, i % 40);
        if (memory_append(&m, name, NULL, &draft, &mark, NULL) != JOT_OK ||
            search_find(s, &(SearchQuery){ .text = S("plum") }, &a, &h, NULL) != JOT_OK)
            _exit(2);
    }
}

static void what_is_forgotten_does_not_come_back_from_others(Desk *d)
{
    pid_t others[] = { somebody_else(d, 0), somebody_else(d, 1) };
    AUTO_PTR(Search) s = begin(d, &d->m);
    for (int i = 0; i < (volume_small() ? 5 : 25); i++) {
        Mark m;
        Str name = arena_printf(&d->a, "notes/secret%d", i);
        desk_put(d, name.p, "it is " SECRET);
        (void)find(d, s, SECRET);
        jot_status st = forget_document(&d->m, name, &m, &d->e);
        for (int tries = 0; st == JOT_UNAVAILABLE && tries < 100; tries++)
            st = search_forget(&d->m, &name, 1, &d->e);
        assert_int_equal(st, JOT_OK);
        assert_false(traced(d, SECRET));
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        int how = 0;
        kill(others[i], SIGKILL);
        assert_int_equal(waitpid(others[i], &how, 0), others[i]);
        assert_true(WIFSIGNALED(how));
    }
    assert_false(traced(d, SECRET));
    assert_finds(d, s, SECRET, "");
    assert_int_equal(find(d, s, "plum").n, 10);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_full_disk_keeps_no_text_that_is_forgotten),
        DESK_TEST(forgetting_again_after_a_kill_leaves_no_text),
        DESK_TEST(what_is_forgotten_does_not_come_back_from_others),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
