/* test_redis.c - what can go wrong between Jotter and a Redis server, one thing at a time.
 *
 * The server is the one tests/rig/with-servers started; between it and us stands
 * a proxy (tests/rig/proxy.h).  Whatever happens, an answer is right or says that
 * it does not know, it comes in bounded time, and nothing acknowledged is gone. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "rig/proxy.h"
#include "store/redis/redis.h"
#include "unit/unit.h"

enum { BOUND_MS = 30 * 1000, ROUNDS = 12 };

typedef struct Place {
    Proxy proxy;
    char pad[40];
    char url[256];    /* through the proxy ... */
    char direct[256]; /* ... and not */
    Store *s;
    Arena a;
    Err e;
} Place;

static const char *server_dir(void)
{
    const char *dir = getenv("JOT_TEST_REDIS_DIR");
    assert_non_null(dir);
    return dir;
}

static Store *open_url(Place *p, const char *url, StoreOptions o)
{
    Store *s = NULL;
    jot_status st = store_open(&s, str(url), &o, &p->e);
    if (st != JOT_OK)
        print_error("%s\n", p->e.text);
    assert_int_equal(st, JOT_OK);
    return s;
}

static int set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    char server[200];
    snprintf(p->pad, sizeof p->pad, "n%s", id_random(&io_system, 8).text);
    snprintf(server, sizeof server, "%s/socket", server_dir());
    assert_true(proxy_start(&p->proxy, "socket", server));
    snprintf(p->direct, sizeof p->direct, "redis+unix://%s/socket?pad=%s", server_dir(), p->pad);
    snprintf(p->url, sizeof p->url, "redis+unix://%s/socket?pad=%s", p->proxy.dir, p->pad);
    p->s = open_url(p, p->url, (StoreOptions){ .create = true, .wait_ms = 1000 });
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    Place *p = *state;
    store_close(p->s);
    proxy_stop(&p->proxy);
    arena_free(&p->a);
    free(p);
    return 0;
}

static jot_status put(Place *p, Store *s, const char *stream, const char *text, Mark *m)
{
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = str(text) };
    return store_append(s, str(stream), NULL, &d, m, &p->e);
}

/* Another process that writes `n` times past the proxy, after a pause. */
static pid_t start_writer(Place *p, int n, int64_t pause_us)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Store *s = NULL;
    Mark m;
    jot_status st = store_open(&s, str(p->direct), NULL, &p->e);
    io_sleep_us(&io_system, pause_us);
    for (int i = 0; i < n && st == JOT_OK; i++)
        st = put(p, s, "notes/a", "theirs", &m);
    store_close(s);
    _exit(st != JOT_OK);
}

static void end_well(pid_t child)
{
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* How many records a stream has, asked past the proxy. */
static size_t count(Place *p, const char *stream)
{
    Store *s = open_url(p, p->direct, (StoreOptions){ 0 });
    Records got = { 0 };
    jot_status st = store_read(s, str(stream), (SeqRange){ 0, STORE_READ_MAX }, &p->a, &got, &p->e);
    assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
    assert_int_equal(got.damaged, 0);
    store_close(s);
    return got.n;
}

/* What a person does to the server while Jotter is not looking: words between spaces. */
static void by_hand(Place *p, const char *fmt, const char *a)
{
    pid_t child = fork();
    if (child == 0) {
        Str line = arena_printf(&p->a, "exec redis-cli -e -s %s/socket %s '%s' >/dev/null",
                                server_dir(), fmt, a);
        execl("/bin/sh", "sh", "-c", line.p, NULL);
        _exit(127);
    }
    end_well(child);
}

static const char *key(Place *p, const char *name)
{
    return arena_printf(&p->a, "jotter:{%s}:%s", p->pad, name).p;
}

/* --- On the way ------------------------------------------------------------------------ */

static void an_append_whose_answer_is_lost_is_written_once(void **state)
{
    Place *p = *state;
    for (int i = 1; i <= ROUNDS; i++) {
        Mark m;
        p->proxy.state->lose = 1;
        assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
    assert_true(p->proxy.state->lost >= ROUNDS);
    assert_int_equal(count(p, "notes/a"), ROUNDS);
}

/* Another writer comes between the lost answer and the question for it. */
static void a_lost_answer_is_not_taken_from_another_writer(void **state)
{
    Place *p = *state;
    Store *other = open_url(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < ROUNDS; i++) {
        Mark mine;
        Records got = { 0 };
        p->proxy.state->lose = 1;
        pid_t child = start_writer(p, 5, 0);
        assert_int_equal(put(p, p->s, "notes/a", "mine", &mine), JOT_OK);
        end_well(child);
        assert_int_equal(
            store_read(other, S("notes/a"), (SeqRange){ mine.seq, 1 }, &p->a, &got, &p->e), JOT_OK);
        assert_str(got.items[0].body, S("mine"));
        assert_true(hash_eq(got.items[0].mark.chain, mine.chain));
    }
    store_close(other);
    assert_int_equal(count(p, "notes/a"), ROUNDS * 6);
}

/* The answer that is lost said that another was faster. */
static void a_lost_refusal_is_not_taken_for_a_written_record(void **state)
{
    Place *p = *state;
    Store *other = open_url(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < ROUNDS; i++) {
        Mark theirs, mine;
        Records got = { 0 };
        assert_int_equal(put(p, other, "notes/a", "theirs", &theirs), JOT_OK);
        p->proxy.state->lose = 1;
        assert_int_equal(put(p, p->s, "notes/a", "mine", &mine), JOT_OK);
        assert_int_equal(mine.seq, theirs.seq + 1);
        assert_int_equal(
            store_read(other, S("notes/a"), (SeqRange){ mine.seq, 1 }, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, 1);
        assert_str(got.items[0].body, S("mine"));
    }
    store_close(other);
    assert_int_equal(count(p, "notes/a"), 2 * ROUNDS);
}

/* Every answer of an operation is lost in turn; what it did is done once. */
static void whatever_answer_is_lost_an_operation_is_done_once(void **state)
{
    Place *p = *state;
    for (int nth = 1; nth <= 4; nth++) {
        char stream[32];
        Mark m;
        uint64_t dropped = 0;
        snprintf(stream, sizeof stream, "notes/n%d", nth);
        for (int i = 0; i < 20; i++)
            assert_int_equal(put(p, p->s, stream, "text", &m), JOT_OK);
        p->proxy.state->lose = nth;
        assert_int_equal(store_redact(p->s, str(stream), NULL, 3, &p->e), JOT_OK);
        p->proxy.state->lose = nth;
        assert_int_equal(store_trim(p->s, str(stream), NULL, 3, &dropped, &p->e), JOT_OK);
        p->proxy.state->lose = 0;
        assert_int_equal(count(p, stream), 18);
        p->proxy.state->lose = nth;
        assert_int_equal(store_purge(p->s, str(stream), NULL, S("ann"), &m, &p->e), JOT_OK);
        p->proxy.state->lose = 0;
        assert_int_equal(m.seq, 21);
        assert_int_equal(count(p, stream), 1);
    }
}

static void a_server_that_says_nothing_is_not_waited_for_for_ever(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(put(p, p->s, "notes/a", "one", &m), JOT_OK);
    p->proxy.state->mode = PROXY_HOLE;
    int64_t start = io_awake_ms(&io_system);
    /* It was sent, so nobody knows. */
    assert_int_equal(put(p, p->s, "notes/a", "two", &m), JOT_UNKNOWN);
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
    start = io_awake_ms(&io_system);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
    p->proxy.state->mode = PROXY_CUT; /* what stood in the hole is gone */
    io_sleep_us(&io_system, 100 * 1000);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(put(p, p->s, "notes/a", "three", &m), JOT_OK);
    assert_true(m.seq == 2 || m.seq == 3);
}

static void slow_answers_are_right_answers(void **state)
{
    Place *p = *state;
    p->proxy.state->mode = PROXY_WAIT;
    for (uint64_t i = 1; i <= 5; i++) {
        Mark m;
        assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
}

static void a_connection_that_was_cut_is_made_again(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(put(p, p->s, "notes/a", "one", &m), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, 100 * 1000);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(put(p, p->s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
}

/* The server has a cache of scripts, and no duty to keep it. */
static void scripts_that_the_server_has_forgotten_are_sent_again(void **state)
{
    Place *p = *state;
    Mark m;
    for (uint64_t i = 1; i <= 3; i++) {
        by_hand(p, "SCRIPT", "FLUSH");
        assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
}

/* --- What it costs --------------------------------------------------------------------- */

static uint64_t trips(const Place *p)
{
    return ((const Redis *)p->s)->trips;
}

#define COSTS(p, n, call)                          \
    do {                                           \
        uint64_t before_ = trips(p);               \
        assert_int_equal(call, JOT_OK);            \
        assert_int_equal(trips(p) - before_, (n)); \
    } while (0)

static void an_append_is_one_round_trip_and_two_if_the_head_is_not_known(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    Records records;
    Listing names;
    uint64_t dropped;
    Changes changes = { 0 };
    Draft with_id = { .op = OP_PUT, .by = S("ann"), .id = S("call-1"), .body = S("x") };
    COSTS(p, 2, put(p, p->s, "notes/a", "one", &m));
    COSTS(p, 1, put(p, p->s, "notes/a", "two", &m));
    COSTS(p, 1, store_append(p->s, S("notes/a"), NULL, &with_id, &m, &p->e));
    end_well(start_writer(p, 1, 0));
    COSTS(p, 2, put(p, p->s, "notes/a", "four", &m)); /* somebody was faster */
    COSTS(p, 1, store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e));
    COSTS(p, 1, store_read(p->s, S("notes/a"), (SeqRange){ 0, 10 }, &p->a, &records, &p->e));
    COSTS(p, 1, store_list(p->s, &(ListQuery){ .limit = 10 }, &p->a, &names, &p->e));
    COSTS(p, 1, store_changes(p->s, NULL, 0, &p->a, &changes, &p->e));
    COSTS(p, 2, store_trim(p->s, S("notes/a"), NULL, 2, &dropped, &p->e));
    COSTS(p, 2, store_redact(p->s, S("notes/a"), NULL, 1, &p->e));
    COSTS(p, 2, store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e));
}

/* --- Changes --------------------------------------------------------------------------- */

static void changes_are_reported_after_a_cut(void **state)
{
    Place *p = *state;
    Mark m;
    Changes got = { 0 };
    assert_int_equal(put(p, p->s, "notes/a", "one", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    assert_int_equal(store_changes(p->s, &c, 50, &p->a, &got, &p->e), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, 100 * 1000);
    end_well(start_writer(p, 1, 0));
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(store_changes(p->s, &c, 5000, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.rescan || got.n == 1);
}

/* Who waits is woken: long before the read in the server ends by itself. */
static void a_waiter_is_woken_by_a_write(void **state)
{
    Place *p = *state;
    Changes got = { 0 };
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    int woken = 0;
    for (int i = 0; i < 5; i++) {
        pid_t child = start_writer(p, 1, 100 * 1000);
        int64_t start = io_awake_ms(&io_system);
        Cursor c = got.next;
        assert_int_equal(store_changes(p->s, &c, 20 * 1000, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, 1);
        woken += io_awake_ms(&io_system) - start < 1500;
        end_well(child);
    }
    assert_true(woken > 0); /* on a busy machine one may be late */
}

/* A failover has lost the entry that was seen last, and others have come since. */
static void a_cursor_of_a_lost_entry_is_a_rescan(void **state)
{
    Place *p = *state;
    Mark m;
    Changes got = { 0 };
    assert_int_equal(put(p, p->s, "notes/a", "one", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    Str rest = str(c.text), id;
    assert_true(str_cut(&rest, '.', &id) && str_cut(&rest, '.', &id));
    by_hand(p, arena_printf(&p->a, "XDEL '%s'", key(p, "changes")).p, arena_cstr(&p->a, id));
    assert_int_equal(put(p, p->s, "notes/b", "one", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.rescan);
}

/* --- The server itself ----------------------------------------------------------------- */

static pid_t server_pid(void)
{
    char path[200], text[32] = "";
    snprintf(path, sizeof path, "%s/pid", server_dir());
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    int64_t pid = 0;
    assert_true(str_to_i64(str_trim(str(text)), 2, INT32_MAX, &pid));
    return (pid_t)pid;
}

/* Write, and kill the server in the middle of it; the last seq that was acknowledged. */
static uint64_t write_and_kill(Place *p, Store *s, pid_t server, uint64_t last)
{
    for (int i = 0; i < 40; i++) {
        Mark m = { 0 };
        if (i == 20)
            assert_int_equal(kill(server, SIGKILL), 0);
        jot_status st = put(p, s, "notes/a", "text", &m);
        if (st == JOT_OK) {
            assert_true(m.seq > last);
            last = m.seq;
        } else {
            assert_true(st == JOT_UNKNOWN || st == JOT_UNAVAILABLE);
            io_sleep_us(&io_system, 50 * 1000);
        }
    }
    return last;
}

static void kill_server(Place *p)
{
    pid_t server = server_pid();
    assert_int_equal(kill(server, SIGKILL), 0);
    for (int i = 0; i < 600 && server_pid() == server; i++)
        io_sleep_us(&io_system, 50 * 1000);
    (void)p;
}

static void nothing_acknowledged_is_gone_when_the_server_is_killed(void **state)
{
    Place *p = *state;
    Store *s = open_url(p, p->direct, (StoreOptions){ .wait_ms = 20 * 1000 });
    uint64_t last = 0;
    for (int round = 0; round < 3; round++) {
        pid_t server = server_pid();
        last = write_and_kill(p, s, server, last);
        for (int i = 0; i < 600 && server_pid() == server; i++)
            io_sleep_us(&io_system, 50 * 1000);
    }
    Record head = { 0 };
    assert_int_equal(store_head(s, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e), JOT_OK);
    assert_true(head.mark.seq >= last && last > 60);
    store_close(s);
    assert_int_equal(count(p, "notes/a"), head.mark.seq);
}

static void a_server_that_went_back_is_an_error(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    for (int i = 0; i < 3; i++)
        assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, "ZPOPMAX", key(p, "s:notes/a"));
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "went back"));
    assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_CORRUPT);
    assert_int_equal(count(p, "notes/a"), 2);
}

static void a_pad_that_was_flushed_is_not_made_again_unasked(void **state)
{
    Place *p = *state;
    Mark m;
    assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, "DEL", key(p, "pad"));
    assert_int_equal(put(p, p->s, "notes/b", "text", &m), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "is gone"));
    Store *s = NULL;
    assert_int_equal(store_open(&s, str(p->direct), NULL, &p->e), JOT_NOT_FOUND);
}

/* What was given before a restart, or before a failover that lost it, is not given again. */
static void tokens_of_leases_leap_when_the_server_is_another(void **state)
{
    Place *p = *state;
    Mark before, after;
    assert_int_equal(put(p, p->s, STORE_TOKENS, "{}", &before), JOT_OK);
    uint64_t last = before.seq;
    for (int round = 0; round < 2; round++) {
        kill_server(p);
        Store *s = open_url(p, p->direct, (StoreOptions){ .wait_ms = 20 * 1000 });
        Record head;
        assert_int_equal(store_head(s, S(STORE_TOKENS), HEAD_RECORD, &p->a, &head, &p->e), JOT_OK);
        assert_true(head.mark.seq > last + 1000 * 1000);
        assert_str(head.body, S("{}"));
        assert_int_equal(put(p, s, STORE_TOKENS, "{}", &after), JOT_OK);
        last = after.seq;
        store_close(s);
    }
    /* The handle that was open meanwhile continues from there. */
    Record seen;
    assert_int_equal(store_head(p->s, S(STORE_TOKENS), HEAD_MARK, &p->a, &seen, &p->e), JOT_OK);
    assert_int_equal(put(p, p->s, STORE_TOKENS, "{}", &after), JOT_OK);
    assert_true(after.seq > last);
}

static void purged_text_is_in_no_file_of_the_server(void **state)
{
    Place *p = *state;
    Mark m;
    char command[300];
    snprintf(command, sizeof command, "grep -rq xyzzy-plugh %s/appendonlydir", server_dir());
    assert_int_equal(put(p, p->s, "notes/a", "xyzzy-plugh", &m), JOT_OK);
    assert_int_equal(system(command), 0);
    assert_int_equal(store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    assert_int_equal(store_scrub(p->s, &p->e), JOT_OK);
    /* The old file is removed by a thread of the server. */
    for (int i = 0; i < 200 && system(command) == 0; i++)
        io_sleep_us(&io_system, 50 * 1000);
    assert_int_not_equal(system(command), 0);
    assert_int_equal(store_scrub(p->s, &p->e), JOT_OK); /* nothing is due */
}

/* --- What the server promises ---------------------------------------------------------- */

static bool caveat(Store *s, const char *part)
{
    return strstr(store_promise(s).caveats, part) != NULL;
}

static void a_server_that_does_not_sync_is_refused_unless_that_is_fine(void **state)
{
    Place *p = *state;
    static const struct {
        const char *name, *weak, *good;
    } settings[] = {
        { "appendfsync", "everysec", "always" },
        { "no-appendfsync-on-rewrite", "yes", "no" },
    };
    Mark m;
    assert_true(store_promise(p->s).durable && caveat(p->s, "durable on this server"));
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        const char *set = arena_printf(&p->a, "CONFIG SET %s", settings[i].name).p;
        Store *s = NULL;
        by_hand(p, set, settings[i].weak);
        jot_status st = store_open(&s, str(p->direct), NULL, &p->e);
        assert_int_equal(st, JOT_UNSUPPORTED);
        assert_non_null(strstr(p->e.text, settings[i].name));
        assert_non_null(strstr(p->e.text, "durability=relaxed"));
        s = open_url(p, arena_printf(&p->a, "%s&durability=relaxed", p->direct).p,
                     (StoreOptions){ 0 });
        assert_false(store_promise(s).durable);
        assert_true(caveat(s, settings[i].name));
        assert_int_equal(put(p, s, "notes/a", "text", &m), JOT_OK);
        store_close(s);
        s = open_url(p, p->direct, (StoreOptions){ .read_only = true });
        assert_false(store_promise(s).durable);
        store_close(s);
        by_hand(p, set, settings[i].good);
    }
    assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
}

/* The settings are looked at again after a reconnect. */
static void a_server_that_stopped_syncing_is_noticed_after_a_cut(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(put(p, p->s, "notes/a", "one", &m), JOT_OK);
    by_hand(p, "CONFIG SET appendfsync", "no");
    p->proxy.state->mode = PROXY_CUT;
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(put(p, p->s, "notes/a", "two", &m), JOT_UNSUPPORTED);
    by_hand(p, "CONFIG SET appendfsync", "always");
    assert_int_equal(put(p, p->s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
}

/* The rights that docs/engines.md names are enough, and each is needed for something. */
#define RIGHTS                                                                                    \
    "-@all +evalsha '+script|load' +info '+config|get' +select +xread +wait +scan +bgrewriteaof " \
    "+hget +hmget +hset +hdel +hstrlen +exists +unlink +time +zadd +zrem +zscore +zrevrange "     \
    "+zrangebylex +zrevrangebylex +zlexcount +xadd +xrange +xrevrange"

static void everything_works_with_the_rights_that_the_documentation_names(void **state)
{
    Place *p = *state;
    Mark m;
    Listing names;
    Changes changes;
    VerifyCount seen;
    by_hand(
        p,
        arena_printf(&p->a, "ACL SETUSER %s on '>hunter2' '~jotter:{%s}:*' " RIGHTS, p->pad, p->pad)
            .p,
        "resetchannels");
    const char *url = arena_printf(&p->a, "redis+unix://%s:hunter2@%s/socket?pad=%s", p->pad,
                                   server_dir(), p->pad)
                          .p;
    Store *s = open_url(p, url, (StoreOptions){ 0 });
    assert_true(store_promise(s).durable);
    for (int i = 0; i < 3; i++)
        assert_int_equal(put(p, s, "notes/a", "text", &m), JOT_OK);
    assert_int_equal(
        store_list(s, &(ListQuery){ .prefix = S("notes/"), .limit = 9 }, &p->a, &names, &p->e),
        JOT_OK);
    assert_int_equal(store_changes(s, NULL, 0, &p->a, &changes, &p->e), JOT_OK);
    Cursor c = changes.next;
    assert_int_equal(store_changes(s, &c, 20, &p->a, &changes, &p->e), JOT_OK);
    assert_int_equal(store_redact(s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    assert_int_equal(store_verify(s, NULL, &seen, &p->e), JOT_OK);
    assert_int_equal(store_purge(s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    assert_int_equal(store_scrub(s, &p->e), JOT_OK);
    store_close(s);
    /* Another pad is not theirs, and what CONFIG does not say counts as not durable. */
    Store *none = NULL;
    StoreOptions create = { .create = true };
    const char *other = arena_printf(&p->a, "%sx", url).p;
    assert_int_equal(store_open(&none, str(other), &create, &p->e), JOT_DENIED);
    assert_null(strstr(p->e.text, "hunter2"));
    by_hand(p, arena_printf(&p->a, "ACL SETUSER %s", p->pad).p, "-config|get");
    assert_int_equal(store_open(&none, str(url), NULL, &p->e), JOT_UNSUPPORTED);
    assert_non_null(strstr(p->e.text, "CONFIG GET"));
    by_hand(p, "ACL DELUSER", p->pad);
}

/* --- Bad input ------------------------------------------------------------------------- */

/* Opening `url` ends so, with a sentence that says `part` and never the password. */
static void check_refused(Place *p, const char *url, jot_status want, const char *part)
{
    Store *s = NULL;
    int64_t start = io_awake_ms(&io_system);
    StoreOptions o = { .create = true, .wait_ms = 500 };
    jot_status st = store_open(&s, str(url), &o, &p->e);
    if (st != want || !strstr(p->e.text, part))
        print_error("%s: %s: %s\n", url, jot_status_name(st), p->e.text);
    assert_int_equal(st, want);
    assert_null(s);
    assert_non_null(strstr(p->e.text, part));
    assert_null(strstr(p->e.text, "hunter2"));
    assert_null(strchr(p->e.text, '\n'));
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
}

static void what_cannot_be_opened_is_said_in_one_sentence(void **state)
{
    Place *p = *state;
    const char *dir = server_dir();
    check_refused(p, arena_printf(&p->a, "redis+unix://ann:hunter2@%s/socket", dir).p, JOT_DENIED,
                  "check name and password");
    check_refused(p, arena_printf(&p->a, "redis+unix://%s/socket?db=99", dir).p, JOT_INVALID,
                  "no database 99");
    check_refused(p, "redis://ann:hunter2@127.0.0.1:1", JOT_UNAVAILABLE, "refused");
    check_refused(p, "redis://ann:hunter2@no-such-host.invalid", JOT_UNAVAILABLE,
                  "no-such-host.invalid");
    check_refused(p, arena_printf(&p->a, "redis+unix://ann:hunter2@%s/none", dir).p,
                  JOT_UNAVAILABLE, "No such file");
    check_refused(p, "redis://ann:hunter2@h/?colour=red", JOT_INVALID, "'colour'");
    check_refused(p, "redis://ann:hunter2@h/?pad=a%7Bb", JOT_INVALID, "[A-Za-z0-9_-]+");
    check_refused(p, "redis://ann:hunter2@h/zero", JOT_INVALID, "use a number");
    check_refused(p, "redis://ann:hunter2@h/?replicas=many", JOT_INVALID, "use a number");
    check_refused(p, "redis://ann:hunter2@h/?durability=never", JOT_INVALID, "relaxed");
    check_refused(p, "redis:x", JOT_INVALID, "redis://HOST");
    check_refused(p, "redis+unix://host/path", JOT_INVALID, "redis+unix:///");
    by_hand(p, arena_printf(&p->a, "SET 'jotter:{others%s}:pad'", p->pad).p, "x");
    check_refused(p, arena_printf(&p->a, "redis+unix://%s/socket?pad=others%s", dir, p->pad).p,
                  JOT_CORRUPT, "holds something else");
    p->proxy.state->mode = PROXY_HTML;
    check_refused(p, p->url, JOT_UNAVAILABLE, "not a Redis server");
    p->proxy.state->mode = PROXY_PASS;
}

static void a_newer_pad_is_refused_or_only_read(void **state)
{
    Place *p = *state;
    Mark m;
    const char *set = arena_printf(&p->a, "HSET '%s' format", key(p, "pad")).p;
    by_hand(p, set, "1 9");
    Store *s = open_url(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(put(p, s, "notes/a", "text", &m), JOT_READ_ONLY);
    store_close(s);
    by_hand(p, set, "9 9");
    check_refused(p, p->direct, JOT_UNSUPPORTED, "use a newer one");
}

/* --- Care ------------------------------------------------------------------------------ */

static void count_fault(void *ctx, const StoreFault *f)
{
    (void)f;
    ++*(int *)ctx;
}

static int verify(Place *p)
{
    int faults = 0;
    VerifyCount seen;
    VerifyHooks hooks = { .fault = count_fault, .ctx = &faults };
    assert_int_equal(store_verify(p->s, &hooks, &seen, &p->e), JOT_OK);
    return faults;
}

static void verify_reports_names_and_rows_that_do_not_fit(void **state)
{
    Place *p = *state;
    Mark m;
    assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
    assert_int_equal(put(p, p->s, "notes/b", "text", &m), JOT_OK);
    assert_int_equal(verify(p), 0);
    by_hand(p, arena_printf(&p->a, "ZREM '%s'", key(p, "live")).p, "notes/a");
    assert_int_equal(verify(p), 1);
    by_hand(p, arena_printf(&p->a, "ZREM '%s'", key(p, "names")).p, "notes/b");
    assert_true(verify(p) >= 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* With an argument only the case of that name. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(an_append_whose_answer_is_lost_is_written_once),
        TEST(a_lost_answer_is_not_taken_from_another_writer),
        TEST(a_lost_refusal_is_not_taken_for_a_written_record),
        TEST(whatever_answer_is_lost_an_operation_is_done_once),
        TEST(a_server_that_says_nothing_is_not_waited_for_for_ever),
        TEST(slow_answers_are_right_answers),
        TEST(a_connection_that_was_cut_is_made_again),
        TEST(scripts_that_the_server_has_forgotten_are_sent_again),
        TEST(an_append_is_one_round_trip_and_two_if_the_head_is_not_known),
        TEST(changes_are_reported_after_a_cut),
        TEST(a_waiter_is_woken_by_a_write),
        TEST(a_cursor_of_a_lost_entry_is_a_rescan),
        TEST(nothing_acknowledged_is_gone_when_the_server_is_killed),
        TEST(a_server_that_went_back_is_an_error),
        TEST(a_pad_that_was_flushed_is_not_made_again_unasked),
        TEST(tokens_of_leases_leap_when_the_server_is_another),
        TEST(purged_text_is_in_no_file_of_the_server),
        TEST(a_server_that_does_not_sync_is_refused_unless_that_is_fine),
        TEST(a_server_that_stopped_syncing_is_noticed_after_a_cut),
        TEST(everything_works_with_the_rights_that_the_documentation_names),
        TEST(what_cannot_be_opened_is_said_in_one_sentence),
        TEST(a_newer_pad_is_refused_or_only_read),
        TEST(verify_reports_names_and_rows_that_do_not_fit),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
