/* test_redis_replica.c - what ?replicas=N says when the replica is stopped and an answer is lost,
 * and which of several hosts is used. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/place.h"

static const ServerKind redis = { .dir = "JOT_TEST_REDIS_DIR",
                                  .port = "JOT_TEST_REDIS_PORT",
                                  .url = "redis://127.0.0.1:*/?replicas=1&pad=",
                                  .secrets = "hunter2",
                                  .rounds = 1,
                                  .answers = 4,
                                  .wait_ms = 1000 };

/* The process of the replica, as it says itself. */
static pid_t replica(void)
{
    char command[200], line[64] = "";
    const char *port = strrchr(place_variable("JOT_TEST_REPLICA"), ':') + 1;
    snprintf(command, sizeof command,
             "redis-cli -p %s INFO server | tr -d '\\r' | sed -n 's/^process_id://p'", port);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(pclose(f), 0);
    int64_t pid = 0;
    assert_true(str_to_i64(str_trim(str(line)), 2, INT32_MAX, &pid));
    return (pid_t)pid;
}

/* The record is found by its number on a new connection, which has written nothing itself: any
 * command of it counts as if it had. */
static void a_record_that_no_replica_has_is_unknown_also_after_a_lost_answer(void **state)
{
    Place *p = *state;
    Mark m;
    assert_int_equal(place_put(p, p->s, "notes/a", "one", &m), JOT_OK);
    p->proxy.state->lose = 1;
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_OK);
    pid_t stopped = replica();
    assert_int_equal(kill(stopped, SIGSTOP), 0);
    p->proxy.state->lose = 1;
    jot_status st = place_put(p, p->s, "notes/a", "three", &m);
    assert_int_equal(kill(stopped, SIGCONT), 0);
    assert_int_equal(st, JOT_UNKNOWN);
    assert_non_null(strstr(p->e.text, "0 of 1 replicas have it"));
    assert_int_equal(place_put(p, p->s, "notes/a", "four", &m), JOT_OK);
    assert_int_equal(m.seq, 4);
}

static const char *replica_port(void)
{
    return strrchr(place_variable("JOT_TEST_REPLICA"), ':') + 1;
}

/* The pad by several hosts: these two ports of loopback. */
static const char *by_ports(Place *p, const char *first, const char *second)
{
    return arena_printf(&p->a, "redis:///?host=127.0.0.1,127.0.0.1&port=%s,%s&pad=%s", first,
                        second, p->pad)
        .p;
}

static void of_several_hosts_the_one_that_is_no_replica_is_used(void **state)
{
    Place *p = *state;
    const char *primary = place_variable("JOT_TEST_REDIS_PORT");
    const char *urls[] = { by_ports(p, replica_port(), primary),
                           by_ports(p, primary, replica_port()), by_ports(p, "1", primary) };
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        Mark m;
        Store *s = place_open(p, urls[i], (StoreOptions){ .create = true });
        assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i + 1);
        store_close(s);
    }
    place_refuses(p, by_ports(p, "1", replica_port()), JOT_UNAVAILABLE, "is a replica");
}

static void replicate(const char *of)
{
    char command[200];
    snprintf(command, sizeof command, "redis-cli -p %s REPLICAOF %s >/dev/null", replica_port(),
             of);
    assert_int_equal(system(command), 0);
}

/* A primary that was replaced is started again, and knows nothing of it.  Each command opens the
 * pad anew: the first host in the list would be the wrong one, and take writes that nobody else
 * sees. */
static void of_two_primaries_none_is_used(void **state)
{
    Place *p = *state;
    Mark m;
    char to[64], port[16];
    const char *primary = place_variable("JOT_TEST_REDIS_PORT");
    snprintf(port, sizeof port, "%d", p->proxy.port);
    snprintf(to, sizeof to, "127.0.0.1 %s", primary);
    replicate("NO ONE");
    place_refuses(p, by_ports(p, primary, replica_port()), JOT_UNAVAILABLE, "two say that they");
    place_refuses(p, by_ports(p, replica_port(), primary), JOT_UNAVAILABLE, "two say that they");
    /* The same server under two names is one. */
    Store *s = place_open(p, by_ports(p, port, primary), (StoreOptions){ .create = true });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
    store_close(s);
    replicate(to);
}

/* The machine of the first host is off: nobody refuses anything. */
static void of_several_hosts_one_that_says_nothing_is_passed_over(void **state)
{
    Place *p = *state;
    Mark m;
    char port[16];
    snprintf(port, sizeof port, "%d", p->proxy.port);
    p->proxy.state->mode = PROXY_HOLE;
    Store *s = place_open(p, by_ports(p, port, place_variable("JOT_TEST_REDIS_PORT")),
                          (StoreOptions){ .wait_ms = -1 });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
    p->proxy.state->mode = PROXY_PASS;
    store_close(s);
}

/* It answers, and then ends every connection. */
static void a_host_whose_connections_break_is_followed_by_the_next(void **state)
{
    Place *p = *state;
    Mark m;
    char port[16];
    snprintf(port, sizeof port, "%d", p->proxy.port);
    Store *s = place_open(p, by_ports(p, port, place_variable("JOT_TEST_REDIS_PORT")),
                          (StoreOptions){ .wait_ms = 1000 });
    assert_int_equal(place_put(p, s, "notes/a", "one", &m), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    assert_int_equal(place_put(p, s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
    p->proxy.state->mode = PROXY_PASS;
    store_close(s);
}

static void a_list_of_hosts_that_makes_no_sense_is_refused(void **state)
{
    static const Refusal rows[] = {
        { "redis://a,,b/?pad=x", JOT_INVALID, "1 to 255 bytes" },
        { "redis:///?host=a,b,c&port=1,2", JOT_INVALID, "more hosts than ports" },
        { "redis:///?host=a,b&port=1,2,3", JOT_INVALID, "more ports than hosts" },
        { "redis:///?host=a&port=0", JOT_INVALID, "from 1 to" },
        { "redis:///?host=a&port=70000", JOT_INVALID, "use a number" },
        { "redis:///?host=&port=1", JOT_INVALID, "more ports than hosts" },
        { "redis://a,a,a,a,a,a,a,a,a/", JOT_INVALID, "at most 8 hosts" },
        { "redis+unix:///s?host=a", JOT_INVALID, "'host'" },
    };
    place_refuses_all(*state, rows, COUNT_OF(rows));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(a_record_that_no_replica_has_is_unknown_also_after_a_lost_answer),
        CASE(of_several_hosts_the_one_that_is_no_replica_is_used),
        CASE(of_several_hosts_one_that_says_nothing_is_passed_over),
        CASE(a_host_whose_connections_break_is_followed_by_the_next),
        CASE(a_list_of_hosts_that_makes_no_sense_is_refused),
        CASE(of_two_primaries_none_is_used), /* the replica needs a while afterwards */
    };
    const CaseTable tables[] = { { own, COUNT_OF(own) } };
    return place_main(&redis, tables, COUNT_OF(tables), argc, argv);
}
