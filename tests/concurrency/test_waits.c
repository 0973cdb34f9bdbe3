/* test_waits.c - who waits for a writer that was stopped, how long, and what it is told.
 *
 * A child stops itself in the middle of a write, at a step it was given.  Then others read,
 * list and write.  No time is measured: whoever waits for ever is ended by an alarm. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig/vfs.h"
#include "store/store.h"
#include "trial.h"

enum { HANG_S = 300, STEPS_MAX = 500 };

#define HELD S("notes/held")
#define OTHER S("notes/other")
#define LOG S("runs/held")
#define VFS "waits"

/* --- The stage -------------------------------------------------------------------------- */

typedef struct Stage {
    Arena arena;
    const char *dir;
    Str url;
    Str hooked_url; /* the same pad, for one whose own steps can be seen */
} Stage;

/* With `io`, the steps of SQLite are seen too. */
static jot_status open_pad(const Stage *g, Store **out, int64_t wait_ms, const Io *io, Err *e)
{
    StoreOptions o = { .create = true, .wait_ms = wait_ms, .io = io };
    return store_open(out, io ? g->hooked_url : g->url, &o, e);
}

static jot_status put(Store *s, Str stream, Str body, Mark *mark, Err *e)
{
    Draft d = { .op = OP_PUT, .by = S("waits"), .body = body };
    return store_append(s, stream, &(Expect){ 0 }, &d, mark, e);
}

/* A pad with one record in each stream. */
static void stage_init(Stage *g, const char *engine)
{
    *g = (Stage){ 0 };
    g->dir = trial_make(trial_where(), &g->arena);
    assert_non_null(g->dir);
    g->url = g->hooked_url = trial_url(&g->arena, engine, g->dir);
    if (strcmp(engine, "sqlite:") == 0)
        g->hooked_url = trial_url(&g->arena, "sqlite:?vfs=" VFS, g->dir);
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    Mark mark;
    jot_status st = open_pad(g, &s, 0, NULL, &e);
    if (st == JOT_UNSUPPORTED)
        skip();
    assert_int_equal(st, JOT_OK);
    assert_int_equal(put(s, HELD, S("first"), &mark, &e), JOT_OK);
    assert_int_equal(put(s, OTHER, S("first"), &mark, &e), JOT_OK);
    assert_int_equal(put(s, LOG, S("first"), &mark, &e), JOT_OK);
}

static void stage_done(Stage *g)
{
    if (g->dir)
        trial_remove(g->dir);
    arena_free(&g->arena);
    *g = (Stage){ 0 };
}

/* The one under test, where a failed assertion cannot lose it. */
static Stage stage;

static int tear_down(void **state)
{
    alarm(0);
    stage_done(&stage);
    return 0;
}

/* --- The one who stops ------------------------------------------------------------------ */

typedef struct Holder {
    const Stage *stage;
    Str stream;
    bool at_lock; /* stop once the lock is taken; otherwise before step `step` */
    int step;
    int seen; /* steps so far; below 0: not counting */
} Holder;

static long before_step(void *ctx, IoCall *call)
{
    Holder *h = ctx;
    if (h->seen >= 0 && !h->at_lock && h->seen++ == h->step)
        raise(SIGSTOP);
    return 0;
}

static void after_step(void *ctx, const IoCall *call)
{
    Holder *h = ctx;
    bool taken = call->kind == IO_LOCK && call->flags == F_WRLCK && call->at == 0 && !call->result;
    if (h->seen >= 0 && h->at_lock && taken) {
        h->seen = -1;
        raise(SIGSTOP);
    }
}

/* Write "second", stopping on the way; 0 if it was acknowledged. */
static int live_as_holder(void *ctx)
{
    Holder *h = ctx;
    Err e = { 0 };
    Mark mark;
    IoHook hook = { before_step, after_step, h };
    Io io = { .hook = &hook };
    vfs_install(VFS, &io);
    AUTO_PTR(Store) s = NULL;
    h->seen = -1;
    if (open_pad(h->stage, &s, 0, &io, &e) != JOT_OK)
        return 2;
    h->seen = 0;
    jot_status st = put(s, h->stream, S("second"), &mark, &e);
    h->seen = -1;
    if (st != JOT_OK)
        fprintf(stderr, "the stopped writer: %s\n", e.text);
    return st != JOT_OK;
}

static pid_t start_holder(Holder *h)
{
    /* No alarm: it would count while the child is stopped. */
    pid_t pid = child_start(live_as_holder, h, 0);
    assert_true(pid > 0);
    return pid;
}

/* --- The ones who read ------------------------------------------------------------------ */

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* The head as `want` shows it must be the first or the second text, and never go back. */
static int look_at_head(Store *s, Str stream, HeadWant want, uint64_t *newest)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Record r;
    if (store_head(s, stream, want, &arena, &r, &e) != JOT_OK)
        return complain("head", e.text);
    Hash first = hash_of(S("first")), second = hash_of(S("second"));
    bool old = hash_eq(r.mark.sha256, first);
    if (!old && !hash_eq(r.mark.sha256, second))
        return complain("head", "a text that nobody wrote");
    uint64_t seq = old ? 1 : 2;
    if (r.mark.seq && r.mark.seq != seq)
        return complain("head", "seq and text do not belong together");
    if (seq < *newest)
        return complain("head", "older than what was read before");
    *newest = seq;
    return 0;
}

static int look_at_records(Store *s, Str stream, uint64_t *newest)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Records got;
    if (store_read(s, stream, (SeqRange){ 1, 10 }, &arena, &got, &e) != JOT_OK)
        return complain("read", e.text);
    if (got.n < *newest || got.n > 2 || got.more)
        return complain("read", "older than what was read before, or more than there is");
    *newest = got.n;
    return 0;
}

static int look_at_list(Store *s, ListWhich which)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Listing got;
    if (store_list(s, &(ListQuery){ .limit = 10, .which = which }, &arena, &got, &e) != JOT_OK)
        return complain("list", e.text);
    return got.n == 3 ? 0 : complain("list", "not all names");
}

static int look_at_changes(Store *s)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Changes got;
    if (store_changes(s, NULL, 0, &arena, &got, &e) != JOT_OK)
        return complain("changes", e.text);
    return 0;
}

/* Everything that reads, in every order that could show a step back. */
static int live_as_reader(void *ctx)
{
    const Holder *h = ctx;
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    if (open_pad(h->stage, &s, 0, NULL, &e) != JOT_OK)
        return complain("open", e.text);
    uint64_t held = 0, other = 0;
    int bad = look_at_changes(s) | look_at_head(s, OTHER, HEAD_VALUE, &other);
    for (int i = 0; i < 3; i++) {
        bad |= look_at_head(s, h->stream, HEAD_RECORD, &held);
        bad |= look_at_head(s, h->stream, HEAD_VALUE, &held);
        bad |= look_at_records(s, h->stream, &held);
        bad |= look_at_head(s, h->stream, HEAD_MARK, &held);
        bad |= look_at_list(s, i % 2 ? LIST_ALL : LIST_LIVE);
    }
    return bad;
}

static void assert_readers_go_on(Holder *h)
{
    pid_t pid = child_start(live_as_reader, h, HANG_S);
    assert_true(pid > 0);
    assert_int_equal(child_end(pid), 0);
}

/* --- The one who waits ------------------------------------------------------------------ */

/* The sentence names what was wanted and who holds it. */
static void assert_names(const Err *e, Str stream, pid_t holder)
{
    char pid[32];
    snprintf(pid, sizeof pid, "pid %d ", (int)holder);
    char name[64];
    snprintf(name, sizeof name, "'" STR_FMT "'", STR_ARG(stream));
    if (!strstr(e->text, pid) || !strstr(e->text, name))
        fail_msg("it should name %s and %s: %s", name, pid, e->text);
}

static uint64_t count_records(const Stage *g, Str stream)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Record r;
    AUTO_PTR(Store) s = NULL;
    assert_int_equal(open_pad(g, &s, 0, NULL, &e), JOT_OK);
    assert_int_equal(store_head(s, stream, HEAD_RECORD, &arena, &r, &e), JOT_OK);
    return r.mark.seq;
}

/* --- Tests ------------------------------------------------------------------------------ */

static void a_writer_waits_a_bounded_time_and_names_the_holder(void **state)
{
    Stage *g = &stage;
    stage_init(g, *state);
    Holder h = { .stage = g, .stream = HELD, .at_lock = true };
    pid_t pid = start_holder(&h);
    int code = -1;
    assert_true(child_stopped(pid, &code));
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    alarm(HANG_S);
    assert_int_equal(open_pad(g, &s, 300, NULL, &e), JOT_OK);
    assert_int_equal(put(s, HELD, S("third"), &mark, &e), JOT_UNAVAILABLE);
    assert_names(&e, HELD, pid);
    assert_int_equal(count_records(g, HELD), 1);
    kill(pid, SIGCONT);
    assert_int_equal(child_end(pid), 0);
    assert_int_equal(count_records(g, HELD), 2);
    assert_int_equal(put(s, HELD, S("third"), &mark, &e), JOT_OK);
    assert_int_equal(mark.seq, 3);
    alarm(0);
}

static void a_writer_that_does_not_want_to_wait_does_not(void **state)
{
    Stage *g = &stage;
    stage_init(g, *state);
    Holder h = { .stage = g, .stream = LOG, .at_lock = true };
    pid_t pid = start_holder(&h);
    int code = -1;
    assert_true(child_stopped(pid, &code));
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    alarm(HANG_S);
    assert_int_equal(open_pad(g, &s, -1, NULL, &e), JOT_OK);
    assert_int_equal(put(s, LOG, S("third"), &mark, &e), JOT_UNAVAILABLE);
    assert_names(&e, LOG, pid);
    kill(pid, SIGCONT);
    assert_int_equal(child_end(pid), 0);
    assert_int_equal(count_records(g, LOG), 2);
    alarm(0);
}

/* One lock for the whole pad, or one for each stream: both are allowed, but whoever promises
 * that streams do not wait for each other must keep it. */
static void a_writer_of_another_stream_waits_only_for_the_pad(void **state)
{
    Stage *g = &stage;
    stage_init(g, *state);
    bool files = strncmp(*state, "files:", 6) == 0;
    Holder h = { .stage = g, .stream = HELD, .at_lock = true };
    pid_t pid = start_holder(&h);
    int code = -1;
    assert_true(child_stopped(pid, &code));
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    alarm(HANG_S);
    assert_int_equal(open_pad(g, &s, 300, NULL, &e), JOT_OK);
    jot_status st = put(s, OTHER, S("second"), &mark, &e);
    assert_int_equal(st, files ? JOT_OK : JOT_UNAVAILABLE);
    if (st != JOT_OK)
        assert_names(&e, OTHER, pid);
    kill(pid, SIGCONT);
    assert_int_equal(child_end(pid), 0);
    alarm(0);
}

static void a_killed_holder_leaves_no_lock(void **state)
{
    Stage *g = &stage;
    stage_init(g, *state);
    Holder h = { .stage = g, .stream = HELD, .at_lock = true };
    pid_t pid = start_holder(&h);
    int code = -1;
    assert_true(child_stopped(pid, &code));
    kill(pid, SIGKILL);
    assert_int_equal(child_end(pid), 128 + SIGKILL);
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    assert_int_equal(open_pad(g, &s, -1, NULL, &e), JOT_OK);
    assert_int_equal(put(s, HELD, S("third"), &mark, &e), JOT_OK);
    assert_int_equal(mark.seq, 2);
}

/* Stop a writer before its step `step`; false if it has no such step. */
static bool stop_at(const char *engine, Str stream, int step)
{
    Stage *g = &stage;
    stage_init(g, engine);
    Holder h = { .stage = g, .stream = stream, .step = step };
    pid_t pid = start_holder(&h);
    int code = -1;
    if (!child_stopped(pid, &code)) {
        assert_int_equal(code, 0);
        stage_done(g);
        return false;
    }
    assert_readers_go_on(&h);
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    alarm(HANG_S);
    assert_int_equal(open_pad(g, &s, 20, NULL, &e), JOT_OK);
    jot_status st = put(s, stream, S("third"), &mark, &e);
    if (st != JOT_OK) {
        assert_int_equal(st, JOT_UNAVAILABLE);
        assert_names(&e, stream, pid);
    }
    kill(pid, SIGCONT);
    assert_int_equal(child_end(pid), 0);
    assert_int_equal(count_records(g, stream), st == JOT_OK ? 3 : 2);
    alarm(0);
    store_close(TAKE(s));
    stage_done(g);
    return true;
}

static void readers_go_on_wherever_a_writer_is_stopped(void **state)
{
    const char *engine = *state;
    int steps = 0;
    const Str streams[] = { HELD, LOG };
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        for (int step = 0; step < STEPS_MAX && stop_at(engine, streams[i], step); step++)
            steps++;
    assert_true(steps > 0 && steps < STEPS_MAX);
    printf("concurrency waits " STR_FMT ": readers went on with a writer stopped at each of %d "
           "steps\n",
           STR_ARG(str_slice(str(engine), 0, str_find(str(engine), ':'))), steps);
}

#define ON(engine, name) \
    cmocka_unit_test_prestate_setup_teardown(name, NULL, tear_down, (void *)(uintptr_t)(engine))
#define EACH(name) ON("files:", name), ON("sqlite:", name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(a_writer_waits_a_bounded_time_and_names_the_holder),
        EACH(a_writer_that_does_not_want_to_wait_does_not),
        EACH(a_writer_of_another_stream_waits_only_for_the_pad),
        EACH(a_killed_holder_leaves_no_lock),
        EACH(readers_go_on_wherever_a_writer_is_stopped),
    };
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
