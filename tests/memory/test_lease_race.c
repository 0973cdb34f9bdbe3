/* test_lease_race.c - leases between real processes: kills, stops, and races.
 *
 * Time is the machine's here, because processes share it.  Nothing depends on
 * how fast they are: a process says when it is ready, and what must not happen
 * is checked, not when something happens. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/lease.h"

static Str plan = { "notes/plan", 10 };

/* A handle by the system's clock. */
static Memory open_real(Desk *d, const char *by)
{
    Memory m = { 0 };
    MemoryOptions o = { .by = str(by), .create = true };
    desk_ok(d, memory_open(&m, str(d->url), &o, &d->e));
    return m;
}

static jot_status put(Memory *m, Str stream, const char *text, Err *e)
{
    Mark mark;
    Draft draft = { .op = OP_PUT, .body = str(text) };
    return memory_append(m, stream, NULL, &draft, &mark, e);
}

/* Another process and the two lines to it. */
typedef struct Other {
    pid_t pid;
    int to, from;
} Other;

static Other start(Desk *d, void (*work)(Desk *d, int in, int out))
{
    int down[2], up[2];
    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        close(up[0]);
        alarm(120);
        work(d, down[0], up[1]);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    return (Other){ pid, down[1], up[0] };
}

static char hear(Other *o)
{
    char c = 0;
    return read(o->from, &c, 1) == 1 ? c : 0;
}

static void say(int to, char c)
{
    if (write(to, &c, 1) != 1)
        _exit(3);
}

static int finish(Other *o)
{
    int status = 0;
    close(o->to);
    close(o->from);
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    return status;
}

/* Take a lease, say so, wait for a word, write, say what came of it. */
static void hold_and_write(Desk *d, int in, int out, bool live, int64_t ttl_ms)
{
    Memory m = { 0 };
    Err e;
    AUTO(Arena) arena = { 0 };
    Lease l;
    MemoryOptions o = { .by = S("holder") };
    LeaseAsk ask = { .on = plan, .ttl_ms = ttl_ms, .live = live };
    bool good = memory_open(&m, str(d->url), &o, &e) == JOT_OK &&
                lease_acquire(&m, &ask, &arena, &l, &e) == JOT_OK;
    /* On a busy machine a short one may have ended by now. */
    jot_status first = good ? put(&m, plan, "holder", &e) : JOT_UNAVAILABLE;
    say(out, first == JOT_OK || first == JOT_FENCED ? 'y' : 'n');
    char c;
    if (read(in, &c, 1) != 1)
        _exit(4);
    jot_status st = put(&m, plan, "too late", &e);
    say(out, st == JOT_FENCED ? 'f' : st == JOT_OK ? 'o' : '?');
    memory_close(&m);
}

static void hold_briefly(Desk *d, int in, int out)
{
    hold_and_write(d, in, out, false, LEASE_TTL_MS_MIN);
}

static void hold_briefly_alive(Desk *d, int in, int out)
{
    hold_and_write(d, in, out, true, LEASE_TTL_MS_MIN);
}

static void hold_alive(Desk *d, int in, int out)
{
    hold_and_write(d, in, out, true, LEASE_TTL_MS_MAX);
}

static void hold_by_time_only(Desk *d, int in, int out)
{
    hold_and_write(d, in, out, false, LEASE_TTL_MS_MAX);
}

static jot_status acquire(Desk *d, Memory *m, int64_t wait_ms, Lease *out)
{
    LeaseAsk ask = { .on = plan, .wait_ms = wait_ms };
    return lease_acquire(m, &ask, &d->a, out, &d->e);
}

static void check_sleeper(Desk *d, void (*work)(Desk *d, int in, int out))
{
    Other o = start(d, work);
    assert_int_equal(hear(&o), 'y');
    assert_int_equal(kill(o.pid, SIGSTOP), 0);
    Memory m = open_real(d, "bob");
    Lease l;
    desk_ok(d, acquire(d, &m, 30000, &l)); /* waits for its time to be over */
    desk_ok(d, put(&m, plan, "bob", &d->e));
    assert_int_equal(kill(o.pid, SIGCONT), 0);
    say(o.to, 'g');
    assert_int_equal(hear(&o), 'f');
    assert_int_equal(finish(&o), 0);
    Record head;
    desk_ok(d, store_head(m.store, plan, HEAD_RECORD, &d->a, &head, &d->e));
    assert_text(head.body, "bob");
    assert_int_equal(head.mark.fence, l.token);
    memory_close(&m);
}

static void a_holder_that_slept_too_long_is_refused(Desk *d)
{
    check_sleeper(d, hold_briefly);
}

static void a_holder_that_is_alive_but_slept_too_long_is_refused(Desk *d)
{
    check_sleeper(d, hold_briefly_alive);
}

/* A server has to notice that the holder's session is gone; nobody else needs any time. */
static void await_end(Desk *d, Memory *m, uint64_t token)
{
    for (int i = 0; desk_on_server(d) && i < 3000 && store_held(m->store, token); i++)
        io_sleep_us(&io_system, 10 * 1000);
}

static void what_a_killed_process_held_alive_is_free_at_once(Desk *d)
{
    if (!store_promise(d->m.store).holds)
        return; /* only time tells */
    Other o = start(d, hold_alive);
    assert_int_equal(hear(&o), 'y');
    Memory m = open_real(d, "bob");
    Lease l;
    desk_expect(d, JOT_LEASED, acquire(d, &m, 0, &l));
    assert_text(l.by, "holder");
    assert_true(l.live);
    uint64_t old = l.token;
    assert_int_equal(kill(o.pid, SIGKILL), 0);
    assert_true(WIFSIGNALED(finish(&o)));
    await_end(d, &m, old);
    desk_ok(d, acquire(d, &m, 0, &l)); /* a day before its time */
    assert_true(l.token > old);
    desk_ok(d, put(&m, plan, "bob", &d->e));
    memory_close(&m);
}

static void what_a_killed_process_held_by_time_is_not_free(Desk *d)
{
    Other o = start(d, hold_by_time_only);
    assert_int_equal(hear(&o), 'y');
    assert_int_equal(kill(o.pid, SIGKILL), 0);
    assert_true(WIFSIGNALED(finish(&o)));
    Memory m = open_real(d, "bob");
    Lease l;
    desk_expect(d, JOT_LEASED, acquire(d, &m, 0, &l));
    assert_false(l.live);
    /* Whoever knows the token can go on. */
    lease_adopt(&m, l.token);
    desk_ok(d, put(&m, plan, "bob", &d->e));
    desk_ok(d, lease_release(&m, l.token, &d->e));
    memory_close(&m);
}

static void a_lease_that_lives_with_its_handle_ends_when_that_is_closed(Desk *d)
{
    if (!store_promise(d->m.store).holds)
        return; /* only time tells */
    Memory one = open_real(d, "ann"), two = open_real(d, "bob");
    Lease l;
    LeaseAsk ask = { .on = plan, .live = true };
    desk_ok(d, lease_acquire(&one, &ask, &d->a, &l, &d->e));
    desk_expect(d, JOT_LEASED, acquire(d, &two, 0, &l));
    lease_adopt(&two, l.token);
    desk_ok(d, put(&two, plan, "adopted", &d->e));
    memory_close(&one);
    await_end(d, &two, l.token);
    /* Who adopted it cannot keep it alive. */
    Lease seen;
    desk_expect(d, JOT_FENCED, lease_check(&two, l.token, &d->a, &seen, &d->e));
    desk_expect(d, JOT_FENCED, lease_release(&two, l.token, &d->e));
    desk_ok(d, acquire(d, &two, 0, &l));
    memory_close(&two);
}

/* --- A race ---------------------------------------------------------------------------- */

enum { RACERS = 6, ROUNDS = 12 };

static Str counter = { "notes/counter", 13 };

static int64_t read_counter(Memory *m)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err e;
    int64_t value = 0;
    if (store_head(m->store, counter, HEAD_VALUE, &arena, &head, &e) == JOT_OK &&
        !str_to_i64(head.body, 0, INT64_MAX, &value))
        _exit(5);
    return value;
}

/* Add one, unguarded but for the lease: two at a time would lose some. */
static bool count_one(Memory *m, int64_t wait_ms)
{
    AUTO(Arena) arena = { 0 };
    Lease l;
    Err e;
    char text[24];
    LeaseAsk ask = { .on = counter, .live = true, .wait_ms = wait_ms };
    if (lease_acquire(m, &ask, &arena, &l, &e) != JOT_OK)
        return false;
    snprintf(text, sizeof text, "%lld", (long long)read_counter(m) + 1);
    bool good = put(m, counter, text, &e) == JOT_OK;
    return lease_release(m, l.token, &e) == JOT_OK && good;
}

static void race(Desk *d, int in, int out)
{
    Memory m = { 0 };
    Err e;
    char c;
    MemoryOptions o = { .by = S("racer"), .wait_ms = 60000 };
    if (memory_open(&m, str(d->url), &o, &e) != JOT_OK || read(in, &c, 1) != 1)
        _exit(6);
    for (int i = 0; i < ROUNDS; i++)
        if (!count_one(&m, 60000))
            _exit(7);
    say(out, 'd');
    memory_close(&m);
}

static void many_processes_count_under_one_lease_and_none_is_lost(Desk *d)
{
    Other racers[RACERS];
    for (int i = 0; i < RACERS; i++)
        racers[i] = start(d, race);
    for (int i = 0; i < RACERS; i++)
        say(racers[i].to, 'g');
    for (int i = 0; i < RACERS; i++) {
        assert_int_equal(hear(&racers[i]), 'd');
        assert_int_equal(finish(&racers[i]), 0);
    }
    assert_int_equal(read_counter(&d->m), RACERS * ROUNDS);
    Records all;
    desk_ok(d, store_read(d->m.store, counter, (SeqRange){ 1, 1000 }, &d->a, &all, &d->e));
    /* On S3 whoever takes a lease writes the value once more, under its token, before its own. */
    bool twice = strcmp(d->engine, "s3") == 0;
    assert_int_equal(all.n, twice ? 2 * RACERS * ROUNDS - 1 : RACERS * ROUNDS);
    for (size_t i = 1; i < all.n; i++)
        assert_true(all.items[i].mark.fence + (twice && i % 2 == 0) > all.items[i - 1].mark.fence);
}

/* Count until killed; say each count that was acknowledged. */
static void race_until_killed(Desk *d, int in, int out)
{
    Memory m = { 0 };
    Err e;
    (void)in;
    MemoryOptions o = { .by = S("racer"), .wait_ms = 60000 };
    if (memory_open(&m, str(d->url), &o, &e) != JOT_OK)
        _exit(6);
    while (count_one(&m, 60000)) {
        say(out, 'd');
        usleep(20 * 1000); /* whoever waits for the lease looks now and then only */
    }
    _exit(7);
}

static void killing_holders_loses_no_count_and_blocks_nobody(Desk *d)
{
    enum { KILLS = 10 };
    int64_t acknowledged = 0;
    for (int i = 0; i < KILLS; i++) {
        Other a = start(d, race_until_killed), b = start(d, race_until_killed);
        for (int k = 0; k < 3; k++) {
            acknowledged += hear(&a) == 'd';
            acknowledged += hear(&b) == 'd';
        }
        assert_int_equal(kill(a.pid, SIGKILL), 0);
        for (int k = 0; k < 2; k++) /* the other goes on although its rival died */
            acknowledged += hear(&b) == 'd';
        assert_int_equal(kill(b.pid, SIGKILL), 0);
        for (Other *o = &a;; o = &b) {
            while (hear(o) == 'd')
                acknowledged++;
            assert_true(WIFSIGNALED(finish(o)));
            if (o == &b)
                break;
        }
    }
    /* What was said is counted; what was not said may be: once for each kill at most. */
    int64_t counted = read_counter(&d->m);
    assert_in_range(counted, acknowledged, acknowledged + 2 * KILLS);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_holder_that_slept_too_long_is_refused),
        DESK_TEST(a_holder_that_is_alive_but_slept_too_long_is_refused),
        DESK_TEST(what_a_killed_process_held_alive_is_free_at_once),
        DESK_TEST(what_a_killed_process_held_by_time_is_not_free),
        DESK_TEST(a_lease_that_lives_with_its_handle_ends_when_that_is_closed),
        DESK_TEST(many_processes_count_under_one_lease_and_none_is_lost),
        DESK_TEST(killing_holders_loses_no_count_and_blocks_nobody),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
