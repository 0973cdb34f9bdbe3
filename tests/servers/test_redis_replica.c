/* test_redis_replica.c - what ?replicas=N says when the replica is stopped and an answer is lost.
 */
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

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(a_record_that_no_replica_has_is_unknown_also_after_a_lost_answer),
    };
    const CaseTable tables[] = { { own, COUNT_OF(own) } };
    return place_main(&redis, tables, COUNT_OF(tables), argc, argv);
}
