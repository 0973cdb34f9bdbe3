/* test_postgres_pooled.c - a pooler that leads elsewhere while a pad is open.
 *
 * To the sessions that it makes anew the server says that it is a standby. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"
#include "unit/unit.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    assert_non_null(value);
    return value;
}

static void by_hand(const char *sql)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        execlp("psql", "psql", "-qtA", "-d", variable("JOT_TEST_DIRECT"), "-v", "ON_ERROR_STOP=1",
               "-o", "/dev/null", "-c", sql, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void end_sessions(void)
{
    by_hand("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'pads' AND pid"
            " <> pg_backend_pid() AND backend_type = 'client backend'");
}

static void a_pooler_that_leads_to_a_standby_is_noticed(void **state)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Store *s = NULL;
    Mark m;
    Record head;
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = S("text") };
    StoreOptions make = { .create = true, .wait_ms = -1 };
    Str url = arena_printf(&a, "%s&pad=standby", variable("JOT_TEST_POSTGRES"));
    (void)state;
    assert_int_equal(store_open(&s, url, &make, &e), JOT_OK);
    assert_int_equal(store_append(s, S("notes/a"), NULL, &d, &m, &e), JOT_OK);
    by_hand("CREATE SCHEMA other");
    by_hand("CREATE FUNCTION other.pg_is_in_recovery() RETURNS boolean LANGUAGE sql"
            " AS 'SELECT true'");
    by_hand("ALTER ROLE jotter SET search_path = other, pg_catalog");
    end_sessions();
    jot_status st = JOT_OK;
    for (int i = 0; i < 100 && st == JOT_OK; i++) /* a session may still be the old one */
        st = store_head(s, S("notes/a"), HEAD_VALUE, &a, &head, &e);
    assert_int_equal(st, JOT_UNAVAILABLE);
    assert_non_null(strstr(e.text, "standby"));
    assert_int_equal(store_append(s, S("notes/a"), NULL, &d, &m, &e), JOT_UNAVAILABLE);
    by_hand("ALTER ROLE jotter RESET search_path");
    end_sessions();
    for (int i = 0; i < 100 && st != JOT_OK; i++)
        st = store_append(s, S("notes/a"), NULL, &d, &m, &e);
    assert_int_equal(st, JOT_OK);
    assert_int_equal(m.seq, 2);
    store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pooler_that_leads_to_a_standby_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
