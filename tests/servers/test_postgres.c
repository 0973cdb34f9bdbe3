/* test_postgres.c - what can go wrong between Jotter and a Postgres server, beside what can on any
 * way (way.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/way.h"
#include "store/engine.h"

static const ServerKind postgres = { .dir = "JOT_TEST_POSTGRES_DIR",
                                     .socket = ".s.PGSQL.5432",
                                     .url = "postgres://jotter@/pads?host=*&pad=",
                                     .secrets = "hunter2 knock",
                                     .rounds = 12,
                                     .answers = 8,
                                     .wait_ms = 1000 };

/* --- On the way ------------------------------------------------------------------------ */

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
        st = place_put(p, s, arena_printf(&p->a, "notes/first%d", i).p, "theirs", &m);
    store_close(s);
    _exit(st != JOT_OK);
}

/* A reader that asks twice must not put together an answer that never was right. */
static void a_read_beside_the_first_write_finds_nothing_or_the_record(void **state)
{
    Place *p = *state;
    enum { STREAMS = 300 };
    pid_t writer = start_first_writer(p, STREAMS);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
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
    place_end_well(writer);
}

static void a_lost_session_is_a_lost_hold(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(place_put(p, p->s, "notes/a", "one", &m), JOT_OK);
    assert_int_equal(store_hold(p->s, 5, &p->e), JOT_OK);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_OK);
    Store *other = place_open(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < 2000 && store_held(other, 5); i++)
        io_sleep_us(&io_system, 5000);
    assert_false(store_held(other, 5));
    store_close(other);
}

/* --- The server itself ----------------------------------------------------------------- */

/* What a person does to the database while Jotter is not looking. */
static void by_hand(const Place *p, const char *sql)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("psql", "psql", "-q", "-h", place_dir(p), "-U", "jotter", "-d", "pads", "-v",
               "ON_ERROR_STOP=1", "-c", sql, NULL);
        _exit(127);
    }
    place_end_well(child);
}

/* A psql that keeps its session from one statement to the next. */
typedef struct Session {
    pid_t pid;
    FILE *to, *from;
} Session;

static Session session_open(const Place *p)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execlp("psql", "psql", "-qtA", "-h", place_dir(p), "-U", "jotter", "-d", "pads", "-v",
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
    place_end_well(s->pid);
}

/* Transactions do not end in the order of their numbers. */
static void what_was_open_when_changes_were_looked_for_is_named_later(void **state)
{
    Place *p = *state;
    Mark m;
    Changes got = { 0 };
    const char *pad = p->pad;
    assert_int_equal(place_put(p, p->s, "notes/slow", "text", &m), JOT_OK);
    Session slow = session_open(p);
    session_do(&slow, "BEGIN");
    session_do(&slow,
               arena_printf(&p->a, "UPDATE %s.records SET xact = pg_current_xact_id()", pad).p);
    assert_int_equal(place_put(p, p->s, "notes/quick", "text", &m), JOT_OK);
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
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    const char *pad = p->pad;
    by_hand(
        p, arena_printf(&p->a,
                        "DELETE FROM %s.records WHERE seq = 3; UPDATE %s.heads SET seq = 2, chain ="
                        " (SELECT chain FROM %s.records WHERE seq = 2)",
                        pad, pad, pad)
               .p);
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "went back"));
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_CORRUPT);
    assert_int_equal(place_count(p, "notes/a"), 2);
}

/* --- Bad input ------------------------------------------------------------------------- */

static void what_cannot_be_opened_is_said_in_one_sentence(void **state)
{
    Place *p = *state;
    static const Refusal rows[] = {
        { "postgres://stranger:hunter2@/pads?host=*", JOT_DENIED, "check the password" },
        { "postgres://jotter:hunter2@/nothing?host=*", JOT_UNAVAILABLE, "createdb" },
        { "postgres://stranger:knock@/pads?host=*&pad=x", JOT_DENIED, "privilege" },
        { "postgres://ann:hunter2@127.0.0.1:1/x", JOT_UNAVAILABLE, "refused" },
        { "postgres://ann:hunter2@no-such-host.invalid/x", JOT_UNAVAILABLE,
          "no-such-host.invalid" },
        { "postgres://ann:hunter2@/x?host=/nonexistent", JOT_UNAVAILABLE, "No such file" },
        { "postgres://ann:hunter2@/x?colour=red", JOT_INVALID, "'colour'" },
        { "postgres://ann:hunter2@/x?pad=a%20b", JOT_INVALID, "[A-Za-z0-9_-]+" },
        { "postgres://ann:hunter2@/x?pad=pg_catalog", JOT_INVALID, "pg_" },
        { "postgres:x", JOT_INVALID, "postgres://HOST/DATABASE" },
    };
    place_refuses_all(p, rows, COUNT_OF(rows));
    by_hand(p, "CREATE SCHEMA others CREATE TABLE t(x int)");
    place_refuses(p, "postgres://jotter:hunter2@/pads?host=*&pad=others", JOT_INVALID, "not a pad");
}

static void a_newer_pad_is_refused_or_only_read(void **state)
{
    Place *p = *state;
    Mark m;
    by_hand(p,
            arena_printf(&p->a, "UPDATE %s.pad SET value = '1 9' WHERE key = 'format'", p->pad).p);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_READ_ONLY);
    store_close(s);
    by_hand(p,
            arena_printf(&p->a, "UPDATE %s.pad SET value = '9 9' WHERE key = 'format'", p->pad).p);
    place_refuses(p, p->direct, JOT_UNSUPPORTED, "newer");
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(a_read_beside_the_first_write_finds_nothing_or_the_record),
        CASE(a_lost_session_is_a_lost_hold),
        CASE(what_was_open_when_changes_were_looked_for_is_named_later),
        CASE(a_server_that_went_back_is_an_error),
        CASE(what_cannot_be_opened_is_said_in_one_sentence),
        CASE(a_newer_pad_is_refused_or_only_read),
    };
    const CaseTable tables[] = { way_cases, database_cases, { own, COUNT_OF(own) } };
    return place_main(&postgres, tables, COUNT_OF(tables), argc, argv);
}
