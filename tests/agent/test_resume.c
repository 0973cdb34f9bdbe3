/* test_resume.c - a loop that is killed at every step it takes towards the disk.
 *
 * The child works with an Io whose hook kills it, by a real SIGKILL, in front of
 * its n-th step; a second child takes the run over.  What both sent to the model
 * is compared, byte for byte, with what a run sent that nobody killed, and a file
 * that the pad knows nothing of says how often the tool that changes something
 * really ran. */
#include <signal.h>
#include <sys/wait.h>

#include "agent/scene.h"
#include "unit/remove.h"

enum { STEPS_MAX = 20000, REQUESTS_MAX = 64 };

/* What is played. */
typedef struct Story {
    const char *script;
    uint64_t window;
    bool json;
    const char *counts[2]; /* the calls that count */
    size_t requests;
} Story;

/* Masks, a summary, a spilled result, a tool that counts, tools of the pad. */
static const Story native = {
    .window = 2000,
    .counts = { ".r1c1\n", ".r4c2\n" },
    .requests = 9,
    .script = "- {when: \"# The turns since\", text: \"It was long.\"}\n"
              "- text: I begin.\n"
              "  calls: [{name: count, args: {}}, {name: big, args: {lines: 40}}]\n"
              "- calls: [{name: big, args: {lines: 300}}]\n"
              "- calls: [{name: scratchpad_write, args: {key: findings, content: long}}]\n"
              "- calls: [{name: big, args: {lines: 60}}, {name: count, args: {again: true}}]\n"
              "- calls: [{name: big, args: {lines: 90}}]\n"
              "- calls: [{name: big, args: {lines: 70}}]\n"
              "- text: done\n",
};

/* The other protocol, with a reply that cannot be read. */
static const Story in_json = {
    .window = 20000,
    .json = true,
    .counts = { ".r1c1\n", ".r3c1\n" },
    .requests = 4,
    .script = "- text: 'First {\"tool\": \"count\", \"args\": {}}'\n"
              "- text: Hm.\n"
              "- text: '{\"tool\": \"count\", \"args\": {\"again\": true}}'\n"
              "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"done\"}}'\n",
};

/* --- A process that dies ----------------------------------------------------------------- */

typedef struct Killer {
    size_t at, steps;
    bool all;
} Killer;

/* Between two steps that leave something on the disk every moment to die is the same. */
static bool changes(const IoCall *call)
{
    switch (call->kind) {
    case IO_READ:
    case IO_STAT:
    case IO_LOCK:
    case IO_FSYNC:
    case IO_FDATASYNC:
        return false;
    case IO_OPEN:
        return call->flags & O_CREAT;
    case IO_WRITE:
    case IO_TRUNCATE:
    case IO_RENAME:
    case IO_UNLINK:
    case IO_MKDIR:
    case IO_KINDS:
        break;
    }
    return true;
}

static bool volume_is(const char *word)
{
    return str_eq(str(getenv("JOT_TEST_VOLUME")), str(word));
}

static long before(void *ctx, IoCall *call)
{
    Killer *k = ctx;
    if ((k->all || changes(call)) && ++k->steps == k->at)
        kill(getpid(), SIGKILL);
    return call->kind == IO_FSYNC || call->kind == IO_FDATASYNC ? IO_PRETEND : 0;
}

/* SQLite has its own way to the disk; every record's time comes from the clock, so one that kills
 * when it is asked for the n-th time kills in front of the n-th append. */
static Killer clock_killer;

static int64_t dying_clock(void *ctx)
{
    if (++clock_killer.steps == clock_killer.at)
        kill(getpid(), SIGKILL);
    return ((Desk *)ctx)->now_ms;
}

static jot_status keep_id(void *ctx, const RunLine *l)
{
    snprintf(ctx, RUN_ID_MAX + 1, STR_FMT, STR_ARG(l->id));
    return JOT_OK;
}

/* Begin a run, or take over the one there is. */
static int work(Desk *d, const Story *story, Memory *m)
{
    AUTO(Arena) a = { 0 };
    AUTO(Scene) s = { 0 };
    AUTO(Run) r = { 0 };
    Err e = { 0 };
    LoopOutcome o;
    char id[RUN_ID_MAX + 1] = "";
    jot_status st = scene_open(&s, m, d->dir, &e);
    s.loop.setup.window = story->window;
    s.loop.setup.headroom = 200;
    s.loop.setup.json = story->json;
    if (st == JOT_OK)
        st = run_list(m, keep_id, id, &e);
    if (st == JOT_OK)
        st = id[0] ? loop_resume(&s.loop, str(id), &r, &e)
                   : loop_begin(&s.loop, S("how long is it?"), &r, &e);
    if (st == JOT_OK)
        st = loop_go(&s.loop, &r, &a, &o, &e);
    bool fine = st == JOT_OK && o.end == LOOP_ANSWERED && str_eq(o.answer, S("done"));
    if (!fine)
        fprintf(stderr, "%s: %s\n", status_info(st)->name, e.text);
    return fine ? 0 : 1;
}

/* True if the child came to its end. */
static bool run_child(Desk *d, const Story *story, size_t at)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        Killer k = { .at = at, .all = volume_is("full") };
        IoHook hook = { before, NULL, &k };
        Memory m = { 0 };
        Err e = { 0 };
        clock_killer = k;
        if (strcmp(d->engine, "sqlite") == 0)
            d->io.wall_ms = dying_clock;
        else
            d->io.hook = &hook;
        MemoryOptions o = { .io = &d->io, .by = S("child"), .create = true };
        int code = memory_open(&m, str(d->url), &o, &e) == JOT_OK ? work(d, story, &m) : 2;
        memory_close(&m);
        _exit(code);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFEXITED(status);
}

/* --- What was sent ----------------------------------------------------------------------- */

typedef struct Sent {
    Str lines[REQUESTS_MAX];
    size_t n;
} Sent;

static Sent take_sent(Desk *d)
{
    Sent out = { 0 };
    Str rest = scene_get(d->dir, "requests", &d->a), line;
    while (str_cut(&rest, '\n', &line)) {
        assert_true(out.n < REQUESTS_MAX);
        out.lines[out.n++] = line;
    }
    scene_put(d->dir, "requests", "");
    return out;
}

static void forget(Desk *d)
{
    static const char *const names[] = { "pad",         "pad.db",       "pad.db-wal", "pad.db-shm",
                                         "pad.db.lock", "pad.db.index", "counter",    "requests" };
    char path[96];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", d->dir, names[i]);
        if (access(path, F_OK) == 0)
            assert_int_equal(remove_all(path), 0);
    }
}

/* The same requests in the same order: the one that got no answer is sent again. */
static void assert_goes_on(const Sent *whole, const Sent *first, const Sent *second, size_t at)
{
    size_t from = first->n;
    for (size_t i = 0; i < first->n; i++)
        assert_row(i < whole->n && str_eq(first->lines[i], whole->lines[i]), at, "sent before");
    if (second->n && from && str_eq(second->lines[0], whole->lines[from - 1]))
        from--;
    assert_row(from + second->n == whole->n, at, "number of requests");
    for (size_t i = 0; i < second->n; i++)
        assert_row(str_eq(second->lines[i], whole->lines[from + i]), at, "sent afterwards");
}

/* A call whose outcome nobody knows is told of; it was made once, or not at all. */
static bool told_unknown(const Sent *second)
{
    return second->n && scene_times(second->lines[0], "[unknown outcome]") > 0;
}

static void assert_counted(Desk *d, const Story *story, bool unknown, size_t at)
{
    AUTO(Arena) a = { 0 };
    Str counter = scene_get(d->dir, "counter", &a);
    size_t one = scene_times(counter, story->counts[0]),
           two = scene_times(counter, story->counts[1]);
    assert_row(one <= 1 && two <= 1, at, "counted twice");
    assert_row(unknown || (one == 1 && two == 1), at, "not counted");
}

/* --- The tests --------------------------------------------------------------------------- */

static void kill_everywhere(Desk *d, const Story *story)
{
    size_t stride = volume_is("small") ? 17 : 1, unknown = 0, kills = 0;
    memory_close(&d->m);
    scene_put(d->dir, "script", story->script);
    forget(d);
    assert_true(run_child(d, story, 0));
    Sent whole = take_sent(d);
    assert_int_equal(whole.n, story->requests);
    bool ended = false;
    for (size_t at = 1; !ended && at < STEPS_MAX; at += stride) {
        forget(d);
        ended = run_child(d, story, at);
        if (ended)
            break;
        kills++;
        Sent first = take_sent(d);
        assert_true(run_child(d, story, 0));
        Sent second = take_sent(d);
        bool told = told_unknown(&second);
        unknown += told;
        if (!told)
            assert_goes_on(&whole, &first, &second, at);
        assert_counted(d, story, told, at);
    }
    assert_true(ended);
    print_message("%zu kills, %zu of them with an outcome nobody knows, %zu requests\n", kills,
                  unknown, whole.n);
    forget(d);
    desk_reopen(d);
}

static void a_killed_run_goes_on_as_if_nothing_had_happened(Desk *d)
{
    kill_everywhere(d, &native);
}

static void so_does_one_that_speaks_json(Desk *d)
{
    kill_everywhere(d, &in_json);
}

static const DeskTest tests[] = {
    DESK_TEST(a_killed_run_goes_on_as_if_nothing_had_happened),
    DESK_TEST(so_does_one_that_speaks_json),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), true);
}
