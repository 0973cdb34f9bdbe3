/* test_postgres.c - what can go wrong between Jotter and a Postgres server, one thing at a time.
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
#include "store/engine.h"
#include "unit/unit.h"

enum { BOUND_MS = 30 * 1000, ROUNDS = 12 };

typedef struct Place {
    Proxy proxy;
    char url[256];    /* through the proxy ... */
    char direct[256]; /* ... and not */
    Store *s;
    Arena a;
    Err e;
} Place;

static const char *server_dir(void)
{
    const char *dir = getenv("JOT_TEST_POSTGRES_DIR");
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
    Id pad = id_random(&io_system, 8);
    snprintf(server, sizeof server, "%s/.s.PGSQL.5432", server_dir());
    assert_true(proxy_start(&p->proxy, ".s.PGSQL.5432", server));
    snprintf(p->direct, sizeof p->direct, "postgres://jotter@/pads?host=%s&pad=n%s", server_dir(),
             pad.text);
    snprintf(p->url, sizeof p->url, "postgres://jotter@/pads?host=%s&pad=n%s", p->proxy.dir,
             pad.text);
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

static void end_writer(pid_t child)
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

/* A process that writes the first record of one stream after another. */
static pid_t start_first_writer(Place *p, int streams)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Store *s = NULL;
    Mark m;
    jot_status st = store_open(&s, str(p->direct), NULL, &p->e);
    for (int i = 0; i < streams && st == JOT_OK; i++)
        st = put(p, s, arena_printf(&p->a, "notes/first%d", i).p, "theirs", &m);
    store_close(s);
    _exit(st != JOT_OK);
}

/* A reader that asks twice must not put together an answer that never was right. */
static void a_read_beside_the_first_write_finds_nothing_or_the_record(void **state)
{
    Place *p = *state;
    enum { STREAMS = 300 };
    pid_t writer = start_first_writer(p, STREAMS);
    Store *s = open_url(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < STREAMS; i++) {
        Str stream = arena_printf(&p->a, "notes/first%d", i);
        jot_status st = JOT_NOT_FOUND;
        while (st == JOT_NOT_FOUND) {
            Records got = { 0 };
            st = store_read(s, stream, (SeqRange){ 1, 5 }, &p->a, &got, &p->e);
            assert_int_equal(got.n, st == JOT_OK);
        }
        assert_int_equal(st, JOT_OK);
    }
    store_close(s);
    end_writer(writer);
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
        end_writer(child);
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
    for (int nth = 1; nth <= 8; nth++) {
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
    assert_int_equal(store_hold(p->s, 5, &p->e), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, 100 * 1000);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(put(p, p->s, "notes/a", "two", &m), JOT_OK);
    /* A lost session is a lost hold. */
    Store *other = open_url(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < 2000 && store_held(other, 5); i++)
        io_sleep_us(&io_system, 5000);
    assert_false(store_held(other, 5));
    store_close(other);
}

/* --- Changes --------------------------------------------------------------------------- */

static void changes_are_told_after_a_cut(void **state)
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
    end_writer(start_writer(p, 1, 0));
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(store_changes(p->s, &c, 5000, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.rescan || got.n == 1);
}

/* Who waits is woken: long before it would look again by itself. */
static void a_waiter_is_woken_by_a_write(void **state)
{
    Place *p = *state;
    Changes got = { 0 };
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    assert_int_equal(store_changes(p->s, &c, 20, &p->a, &got, &p->e), JOT_OK); /* it listens now */
    int woken = 0;
    for (int i = 0; i < 5; i++) {
        pid_t child = start_writer(p, 1, 100 * 1000);
        int64_t start = io_awake_ms(&io_system);
        c = got.next;
        assert_int_equal(store_changes(p->s, &c, 20 * 1000, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, 1);
        woken += io_awake_ms(&io_system) - start < 1500;
        end_writer(child);
    }
    assert_true(woken > 0); /* on a busy machine one may be late */
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
    jot_status st = JOT_UNAVAILABLE;
    for (int i = 0; i < 200 && st != JOT_OK; i++) {
        st = store_head(s, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e);
        if (st != JOT_OK)
            io_sleep_us(&io_system, 50 * 1000);
    }
    assert_int_equal(st, JOT_OK);
    assert_true(head.mark.seq >= last && last > 60);
    store_close(s);
}

/* What a person does to the database while Jotter is not looking. */
static void by_hand(const char *sql)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("psql", "psql", "-q", "-h", server_dir(), "-U", "jotter", "-d", "pads", "-v",
               "ON_ERROR_STOP=1", "-c", sql, NULL);
        _exit(127);
    }
    end_writer(child);
}

static const char *pad_of(const Place *p)
{
    return strstr(p->direct, "pad=") + 4;
}

/* A psql that keeps its session from one statement to the next. */
typedef struct Session {
    pid_t pid;
    FILE *to, *from;
} Session;

static Session session_open(void)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execlp("psql", "psql", "-qtA", "-h", server_dir(), "-U", "jotter", "-d", "pads", "-v",
               "ON_ERROR_STOP=1", NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    return (Session){ child, fdopen(in[1], "w"), fdopen(out[0], "r") };
}

/* Returns when it is done. */
static void session_do(Session *s, const char *sql)
{
    char line[100];
    fprintf(s->to, "%s;\n\\echo done\n", sql);
    fflush(s->to);
    assert_non_null(fgets(line, sizeof line, s->from));
    assert_string_equal(line, "done\n");
}

static void session_close(Session *s)
{
    fclose(s->to);
    fclose(s->from);
    end_writer(s->pid);
}

/* Transactions do not end in the order of their numbers. */
static void what_was_open_when_changes_were_looked_for_is_named_later(void **state)
{
    Place *p = *state;
    Mark m;
    Changes got = { 0 };
    const char *pad = pad_of(p);
    assert_int_equal(put(p, p->s, "notes/slow", "text", &m), JOT_OK);
    Session slow = session_open();
    session_do(&slow, "BEGIN");
    session_do(&slow,
               arena_printf(&p->a, "UPDATE %s.records SET xact = pg_current_xact_id()", pad).p);
    assert_int_equal(put(p, p->s, "notes/quick", "text", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    session_do(&slow, "COMMIT");
    session_close(&slow);
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_false(got.rescan);
    assert_int_equal(got.n, 1);
    assert_str(got.names[0], S("notes/slow"));
}

static void a_server_that_went_back_is_an_error(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    for (int i = 0; i < 3; i++)
        assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_OK);
    const char *pad = pad_of(p);
    by_hand(
        arena_printf(&p->a,
                     "DELETE FROM %s.records WHERE seq = 3; UPDATE %s.heads SET seq = 2, chain ="
                     " (SELECT chain FROM %s.records WHERE seq = 2)",
                     pad, pad, pad)
            .p);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "went back"));
    assert_int_equal(put(p, p->s, "notes/a", "text", &m), JOT_CORRUPT);
    assert_int_equal(count(p, "notes/a"), 2);
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
    check_refused(p, arena_printf(&p->a, "postgres://stranger:hunter2@/pads?host=%s", dir).p,
                  JOT_DENIED, "check the password");
    check_refused(p, arena_printf(&p->a, "postgres://jotter:hunter2@/nothing?host=%s", dir).p,
                  JOT_UNAVAILABLE, "createdb");
    check_refused(p, arena_printf(&p->a, "postgres://stranger:knock@/pads?host=%s&pad=x", dir).p,
                  JOT_DENIED, "privilege");
    check_refused(p, "postgres://ann:hunter2@127.0.0.1:1/x", JOT_UNAVAILABLE, "refused");
    check_refused(p, "postgres://ann:hunter2@/x?host=/nonexistent", JOT_UNAVAILABLE,
                  "No such file");
    check_refused(p, "postgres://ann:hunter2@/x?colour=red", JOT_INVALID, "'colour'");
    check_refused(p, "postgres://ann:hunter2@/x?pad=a%20b", JOT_INVALID, "[A-Za-z0-9_-]+");
    check_refused(p, "postgres://ann:hunter2@/x?pad=pg_catalog", JOT_INVALID, "pg_");
    check_refused(p, "postgres:x", JOT_INVALID, "postgres://HOST/DATABASE");
    by_hand("CREATE SCHEMA others CREATE TABLE t(x int)");
    check_refused(p,
                  arena_printf(&p->a, "postgres://jotter:hunter2@/pads?host=%s&pad=others", dir).p,
                  JOT_INVALID, "not a pad");
}

static void a_newer_pad_is_refused_or_only_read(void **state)
{
    Place *p = *state;
    Mark m;
    by_hand(
        arena_printf(&p->a, "UPDATE %s.pad SET value = '1 9' WHERE key = 'format'", pad_of(p)).p);
    Store *s = open_url(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(put(p, s, "notes/a", "text", &m), JOT_READ_ONLY);
    store_close(s);
    by_hand(
        arena_printf(&p->a, "UPDATE %s.pad SET value = '9 9' WHERE key = 'format'", pad_of(p)).p);
    check_refused(p, p->direct, JOT_UNSUPPORTED, "newer");
}

static void a_web_server_is_not_taken_for_postgres(void **state)
{
    Place *p = *state;
    p->proxy.state->mode = PROXY_HTML;
    check_refused(p, p->url, JOT_UNAVAILABLE, "not a Postgres server");
}

/* With an argument only the case of that name. */
int main(int argc, char **argv)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_append_whose_answer_is_lost_is_written_once),
        TEST(a_read_beside_the_first_write_finds_nothing_or_the_record),
        TEST(a_lost_answer_is_not_taken_from_another_writer),
        TEST(a_lost_refusal_is_not_taken_for_a_written_record),
        TEST(whatever_answer_is_lost_an_operation_is_done_once),
        TEST(a_server_that_says_nothing_is_not_waited_for_for_ever),
        TEST(slow_answers_are_right_answers),
        TEST(a_connection_that_was_cut_is_made_again),
        TEST(changes_are_told_after_a_cut),
        TEST(a_waiter_is_woken_by_a_write),
        TEST(what_was_open_when_changes_were_looked_for_is_named_later),
        TEST(nothing_acknowledged_is_gone_when_the_server_is_killed),
        TEST(a_server_that_went_back_is_an_error),
        TEST(what_cannot_be_opened_is_said_in_one_sentence),
        TEST(a_newer_pad_is_refused_or_only_read),
        TEST(a_web_server_is_not_taken_for_postgres),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
