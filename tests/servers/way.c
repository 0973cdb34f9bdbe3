/* way.c - what can happen on the way to any server, one thing at a time.
 *
 * Whatever happens, an answer is right or says that it does not know, it comes in bounded time, and
 * nothing acknowledged is gone. */
#include "servers/way.h"

#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/engine.h"

#define WAIT_MS ((int64_t)20000) /* for a change, or for a server that starts again */

/* --- Answers that are lost ------------------------------------------------------------------ */

static void an_append_whose_answer_is_lost_is_written_once(void **state)
{
    Place *p = *state;
    int rounds = p->kind->rounds;
    for (int i = 1; i <= rounds; i++) {
        Mark m;
        p->proxy.state->lose = 1;
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
    assert_true(p->proxy.state->lost >= rounds);
    assert_int_equal(place_count(p, "notes/a"), rounds);
}

/* Another writer comes between the lost answer and the question for it. */
static void a_lost_answer_is_not_taken_from_another_writer(void **state)
{
    Place *p = *state;
    Store *other = place_open(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < p->kind->rounds; i++) {
        Mark mine;
        Records got = { 0 };
        p->proxy.state->lose = 1;
        pid_t child = place_start_writer(p, 5, 0);
        assert_int_equal(place_put(p, p->s, "notes/a", "mine", &mine), JOT_OK);
        place_end_well(child);
        assert_int_equal(
            store_read(other, S("notes/a"), (SeqRange){ mine.seq, 1 }, &p->a, &got, &p->e), JOT_OK);
        assert_str(got.items[0].body, S("mine"));
        assert_true(hash_eq(got.items[0].mark.chain, mine.chain));
    }
    store_close(other);
    assert_int_equal(place_count(p, "notes/a"), p->kind->rounds * 6);
}

/* The answer that is lost said that another was faster. */
static void a_lost_refusal_is_not_taken_for_a_written_record(void **state)
{
    Place *p = *state;
    Store *other = place_open(p, p->direct, (StoreOptions){ 0 });
    place_put_many(p, p->s, "notes/a", 1);
    for (int i = 0; i < p->kind->rounds; i++) {
        Mark theirs, mine;
        Records got = { 0 };
        assert_int_equal(place_put(p, other, "notes/a", "theirs", &theirs), JOT_OK);
        p->proxy.state->lose = 1;
        assert_int_equal(place_put(p, p->s, "notes/a", "mine", &mine), JOT_OK);
        assert_int_equal(mine.seq, theirs.seq + 1);
        assert_int_equal(
            store_read(other, S("notes/a"), (SeqRange){ mine.seq, 1 }, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, 1);
        assert_str(got.items[0].body, S("mine"));
    }
    store_close(other);
    assert_int_equal(place_count(p, "notes/a"), 2 * p->kind->rounds + 1);
}

/* Every answer of an operation is lost in turn; what it did is done once. */
static void whatever_answer_is_lost_an_operation_is_done_once(void **state)
{
    Place *p = *state;
    int step = p->kind->answers > 8 ? 2 : 1;
    for (int nth = 1; nth <= p->kind->answers; nth += step) {
        const char *stream = arena_printf(&p->a, "notes/n%d", nth).p;
        Mark m;
        uint64_t dropped = 0;
        p->proxy.state->lose = nth;
        place_put_many(p, p->s, stream, 20);
        p->proxy.state->lose = nth;
        assert_int_equal(store_redact(p->s, str(stream), NULL, 3, &p->e), JOT_OK);
        p->proxy.state->lose = nth;
        assert_int_equal(store_trim(p->s, str(stream), NULL, 3, &dropped, &p->e), JOT_OK);
        p->proxy.state->lose = 0;
        assert_int_equal(place_count(p, stream), 18);
        p->proxy.state->lose = nth;
        assert_int_equal(store_purge(p->s, str(stream), NULL, S("ann"), &m, &p->e), JOT_OK);
        p->proxy.state->lose = 0;
        assert_int_equal(m.seq, 21);
        assert_int_equal(place_count(p, stream), 1);
    }
}

/* A process that waits until an answer was lost, writes or purges past the proxy, and opens it
 * again; it ends with 1 if it found a tombstone. */
static pid_t start_late_writer(Place *p, const char *stream, bool purges)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    Record head;
    Mark m;
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    while (p->proxy.state->lost == 0)
        io_sleep_us(&io_system, 1000);
    jot_status st = store_head(s, str(stream), HEAD_MARK, &p->a, &head, &p->e);
    if (st == JOT_OK && purges)
        st = store_purge(s, str(stream), NULL, S("bob"), &m, &p->e);
    else if (st == JOT_OK)
        st = place_put(p, s, stream, "later", &m);
    store_close(s);
    p->proxy.state->mode = PROXY_PASS;
    _exit(st != JOT_OK ? 2 : head.mark.op == OP_DELETE);
}

static void a_purge_whose_answer_was_lost_takes_nothing_that_came_after_it(void **state)
{
    Place *p = *state;
    enum { PARTS = 100 }; /* more than the answers of a purge come in */
    int status, purged = 0;
    for (int nth = 1; nth < PARTS && !purged; nth++) {
        const char *stream = arena_printf(&p->a, "notes/p%d", nth).p;
        Mark m;
        Record head;
        place_put_many(p, p->s, stream, 2);
        p->proxy.state->lost = 0;
        p->proxy.state->then = PROXY_CUT;
        pid_t child = start_late_writer(p, stream, false);
        p->proxy.state->lose = nth;
        jot_status st = store_purge(p->s, str(stream), NULL, S("ann"), &m, &p->e);
        assert_true(st == JOT_OK || st == JOT_UNKNOWN);
        bool lost = p->proxy.state->lost > 0; /* else it had fewer answers */
        p->proxy.state->lose = 0;
        p->proxy.state->lost = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        p->proxy.state->then = PROXY_PASS;
        assert_int_equal(store_head(p->s, str(stream), HEAD_VALUE, &p->a, &head, &p->e), JOT_OK);
        purged += lost && WEXITSTATUS(status);
        if (WEXITSTATUS(status))
            assert_str(head.body, S("later"));
    }
    assert_true(purged > 0);
}

static void an_append_that_was_purged_before_its_answer_came_is_not_done_again(void **state)
{
    Place *p = *state;
    Mark m;
    place_put_many(p, p->s, "notes/a", 2);
    p->proxy.state->then = PROXY_CUT;
    pid_t child = start_late_writer(p, "notes/a", true);
    p->proxy.state->lose = 1;
    jot_status st = place_put(p, p->s, "notes/a", "gone", &m);
    place_end_well(child);
    p->proxy.state->then = PROXY_PASS;
    /* On S3 once in ten minutes the first answer is another one, and the record comes later. */
    assert_true(st == JOT_UNKNOWN || m.seq == 4);
    assert_int_equal(place_count(p, "notes/a"), st == JOT_UNKNOWN ? 1 : 2);
}

/* --- Connections ----------------------------------------------------------------------------- */

/* Those of this process to the proxy. */
static int connections(const Place *p)
{
    enum { FDS = 1024 };
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_un un;
    } peer;
    int n = 0;
    for (int fd = 0; fd < FDS; fd++) {
        socklen_t len = sizeof peer;
        memset(&peer, 0, sizeof peer);
        if (getpeername(fd, &peer.any, &len) != 0)
            continue;
        if (peer.any.sa_family == AF_INET)
            n += p->proxy.port && ntohs(peer.in.sin_port) == p->proxy.port;
        else if (peer.any.sa_family == AF_UNIX)
            n += !p->proxy.port && strcmp(peer.un.sun_path, p->proxy.path) == 0;
    }
    return n;
}

static void a_handle_has_one_connection(void **state)
{
    Place *p = *state;
    const ListQuery notes = { .prefix = S("notes/"), .limit = 9 };
    Mark m;
    Changes got = { 0 };
    Listing names;
    for (int round = 0; round < 2; round++) {
        place_put_many(p, p->s, "notes/a", 3);
        assert_int_equal(connections(p), 1);
        assert_int_equal(store_list(p->s, &notes, &p->a, &names, &p->e), JOT_OK);
        (void)!store_hold(p->s, 7, &p->e);
        assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
        Cursor c = got.next;
        assert_int_equal(store_changes(p->s, &c, 20, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(connections(p), 1);
        assert_int_equal(store_redact(p->s, S("notes/a"), NULL, round ? 6 : 2, &p->e), JOT_OK);
        assert_int_equal(store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
        assert_int_equal(store_scrub(p->s, &p->e), JOT_OK);
        assert_int_equal(connections(p), 1);
        p->proxy.state->mode = PROXY_CUT;
        io_sleep_us(&io_system, MOMENT_US);
        p->proxy.state->mode = PROXY_PASS;
    }
}

/* --- Answers that are late, or never come ---------------------------------------------------- */

static void a_server_that_says_nothing_is_not_waited_for_for_ever(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    place_put_many(p, p->s, "notes/a", 1);
    p->proxy.state->mode = PROXY_HOLE;
    int64_t usual_ms = p->s->answer_ms, start = io_awake_ms(&io_system);
    p->s->answer_ms = 1000; /* nobody sees more of it by waiting for longer */
    /* It was sent, so nobody knows. */
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_UNKNOWN);
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
    start = io_awake_ms(&io_system);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    assert_true(io_awake_ms(&io_system) - start < BOUND_MS);
    p->s->answer_ms = usual_ms;
    p->proxy.state->mode = PROXY_CUT; /* what stood in the hole is gone */
    io_sleep_us(&io_system, MOMENT_US);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_put(p, p->s, "notes/a", "three", &m), JOT_OK);
    assert_true(m.seq == 2 || m.seq == 3);
}

static void slow_answers_are_right_answers(void **state)
{
    Place *p = *state;
    p->proxy.state->mode = PROXY_WAIT;
    for (uint64_t i = 1; i <= 4; i++) {
        Mark m;
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
}

/* Each on a connection of its own: what they ask, and what they are told, comes in another order
 * than it was said. */
static void answers_that_overtake_each_other_are_right_answers(void **state)
{
    enum { WRITERS = 4 };
    Place *p = *state;
    pid_t writers[WRITERS];
    int n = p->kind->rounds > 10 ? 10 : p->kind->rounds;
    Store *s = place_open(p, p->url, (StoreOptions){ .wait_ms = PATIENT_MS });
    p->proxy.state->mode = PROXY_MIX;
    for (int i = 0; i < WRITERS; i++)
        writers[i] = place_start_writer_at(p, p->url, n);
    uint64_t last = 0;
    for (int i = 0; i < n; i++) {
        Record head;
        Mark m;
        assert_int_equal(place_put(p, s, "notes/a", "mine", &m), JOT_OK);
        assert_true(m.seq > last);
        last = m.seq;
        assert_int_equal(store_head(s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_OK);
        assert_true(head.mark.seq >= last);
        last = head.mark.seq;
    }
    for (int i = 0; i < WRITERS; i++)
        place_end_well(writers[i]);
    p->proxy.state->mode = PROXY_PASS;
    store_close(s);
    assert_true(p->proxy.state->overtaken > 0);
    assert_int_equal(place_count(p, "notes/a"), (WRITERS + 1) * n);
}

static void a_connection_that_was_cut_is_made_again(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    place_put_many(p, p->s, "notes/a", 1);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
}

static void a_web_server_is_not_taken_for_the_server(void **state)
{
    Place *p = *state;
    Mark m;
    p->proxy.state->mode = PROXY_HTML;
    place_refuses(p, p->url, JOT_UNAVAILABLE, "what answers");
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
}

static const struct CMUnitTest on_the_way[] = {
    CASE(an_append_whose_answer_is_lost_is_written_once),
    CASE(a_lost_answer_is_not_taken_from_another_writer),
    CASE(a_lost_refusal_is_not_taken_for_a_written_record),
    CASE(whatever_answer_is_lost_an_operation_is_done_once),
    CASE(a_purge_whose_answer_was_lost_takes_nothing_that_came_after_it),
    CASE(an_append_that_was_purged_before_its_answer_came_is_not_done_again),
    CASE(a_handle_has_one_connection),
    CASE(a_server_that_says_nothing_is_not_waited_for_for_ever),
    CASE(slow_answers_are_right_answers),
    CASE(answers_that_overtake_each_other_are_right_answers),
    CASE(a_connection_that_was_cut_is_made_again),
    CASE(a_web_server_is_not_taken_for_the_server),
};
const CaseTable way_cases = { on_the_way, COUNT_OF(on_the_way) };

/* --- Changes --------------------------------------------------------------------------------- */

static void changes_are_reported_after_a_cut(void **state)
{
    Place *p = *state;
    Changes got = { 0 };
    place_put_many(p, p->s, "notes/a", 1);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    assert_int_equal(store_changes(p->s, &c, 50, &p->a, &got, &p->e), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    place_end_well(place_start_writer(p, 1, 0));
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
        pid_t child = place_start_writer(p, 1, MOMENT_US);
        int64_t start = io_awake_ms(&io_system);
        c = got.next;
        assert_int_equal(store_changes(p->s, &c, WAIT_MS, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, 1);
        woken += io_awake_ms(&io_system) - start < 1500;
        place_end_well(child);
    }
    assert_true(woken > 0); /* on a busy machine one may be late */
}

/* --- The server itself ----------------------------------------------------------------------- */

/* Write, and kill the server in the middle of it; the last seq that was acknowledged. */
static uint64_t write_and_kill(Place *p, Store *s, pid_t server, uint64_t last)
{
    enum { PAUSE_US = 50000 };
    for (int i = 0; i < 40; i++) {
        Mark m = { 0 };
        if (i == 20)
            assert_int_equal(kill(server, SIGKILL), 0);
        jot_status st = place_put(p, s, "notes/a", "text", &m);
        if (st == JOT_OK) {
            assert_true(m.seq > last);
            last = m.seq;
        } else {
            assert_true(st == JOT_UNKNOWN || st == JOT_UNAVAILABLE);
            io_sleep_us(&io_system, PAUSE_US);
        }
    }
    return last;
}

static void nothing_acknowledged_is_gone_when_the_server_is_killed(void **state)
{
    Place *p = *state;
    Store *s = place_open(p, p->direct, (StoreOptions){ .wait_ms = WAIT_MS });
    uint64_t last = 0;
    for (int round = 0; round < 3; round++) {
        pid_t server = place_server(p);
        last = write_and_kill(p, s, server, last);
        place_await_server(p, server);
    }
    assert_true(last > 60);
    store_close(s);
    s = place_open(p, p->direct, (StoreOptions){ .wait_ms = BOUND_MS });
    Record head = { 0 };
    assert_int_equal(store_head(s, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e), JOT_OK);
    assert_true(head.mark.seq >= last);
    store_close(s);
    assert_int_equal(place_count(p, "notes/a"), head.mark.seq);
}

static const struct CMUnitTest of_databases[] = {
    CASE(changes_are_reported_after_a_cut),
    CASE(a_waiter_is_woken_by_a_write),
    CASE(nothing_acknowledged_is_gone_when_the_server_is_killed),
};
const CaseTable database_cases = { of_databases, COUNT_OF(of_databases) };
