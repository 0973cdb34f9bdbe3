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

/* The machine of the first host is off: nobody refuses anything. */
static void of_several_hosts_one_that_says_nothing_is_passed_over(void **state)
{
    Place *p = *state;
    Mark m;
    p->proxy.state->mode = PROXY_HOLE;
    Str url = arena_printf(&p->a, "postgres://jotter@/pads?host=%s,%s&pad=%s", p->proxy.dir,
                           place_dir(p), p->pad);
    Store *s = place_open(p, url.p, (StoreOptions){ .wait_ms = -1 });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
    store_close(s);
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

/* A server counts the rows a session has read when the session ends, which takes a moment. */
static void await_others_end(const Place *p)
{
    by_hand(p, "DO $$ BEGIN"
               " FOR i IN 1 .. 2000 LOOP"
               "  PERFORM pg_stat_clear_snapshot();"
               "  EXIT WHEN (SELECT count(*) FROM pg_stat_activity WHERE datname = 'pads'"
               "   AND backend_type = 'client backend' AND pid <> pg_backend_pid()) <= 1;"
               "  PERFORM pg_sleep(0.01);"
               " END LOOP; END $$");
}

static void a_page_of_a_long_stream_reads_its_own_records_alone(void **state)
{
    enum { LONG = 2000, PAGE = 10, PAGES = 10 };
    Place *p = *state;
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    place_put_many(p, s, "notes/a", LONG);
    store_close(s);
    await_others_end(p);
    by_hand(p, "SELECT pg_stat_reset()");
    s = place_open(p, p->direct, (StoreOptions){ 0 });
    for (uint64_t i = 0; i < PAGES; i++) {
        Records got = { 0 };
        const SeqRange range = { 1 + i * PAGE, PAGE };
        assert_int_equal(store_read(s, S("notes/a"), range, &p->a, &got, &p->e), JOT_OK);
        assert_int_equal(got.n, PAGE);
        assert_true(got.more);
    }
    store_close(s);
    await_others_end(p);
    by_hand(p, arena_printf(
                   &p->a,
                   "DO $$ DECLARE n bigint; BEGIN"
                   " SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read INTO n"
                   "  FROM pg_stat_user_tables WHERE schemaname = '%s' AND relname = 'records';"
                   " IF n < %d OR n >= %d THEN RAISE 'read %% rows', n; END IF; END $$",
                   p->pad, PAGE * PAGES, LONG)
                   .p);
}

/* A trigger notes how each change will be committed. */
static void whatever_is_set_every_change_is_synced(void **state)
{
    Place *p = *state;
    const char *pad = p->pad;
    by_hand(p, arena_printf(
                   &p->a,
                   "CREATE TABLE %s.seen(setting text); CREATE FUNCTION %s.see() RETURNS trigger"
                   " LANGUAGE plpgsql AS 'BEGIN INSERT INTO %s.seen"
                   " SELECT current_setting(''synchronous_commit''); RETURN NULL; END';"
                   " CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON %s.records"
                   " FOR EACH ROW EXECUTE FUNCTION %s.see();"
                   " ALTER ROLE jotter SET synchronous_commit = off",
                   pad, pad, pad, pad, pad)
                   .p);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    Records got = { 0 };
    Mark m;
    uint64_t dropped = 0;
    place_put_many(p, s, "notes/a", 20);
    assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 1, 20 }, &p->a, &got, &p->e), JOT_OK);
    assert_int_equal(store_redact(s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    assert_int_equal(store_trim(s, S("notes/a"), NULL, 3, &dropped, &p->e), JOT_OK);
    assert_int_equal(store_forget_before(s, S("notes/a"), NULL, 5, &p->e), JOT_OK);
    assert_int_equal(store_purge(s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    Record elsewhere = got.items[0];
    elsewhere.mark.chain = record_chain((Hash){ 0 }, S("notes/b"), &elsewhere);
    assert_int_equal(store_put_records(s, S("notes/b"), &elsewhere, 1, &p->e), JOT_OK);
    store_close(s);
    by_hand(p, "ALTER ROLE jotter RESET synchronous_commit");
    by_hand(p, arena_printf(&p->a,
                            "DO 'BEGIN ASSERT (SELECT count(*) >= 40 AND bool_and(setting = ''on'')"
                            " FROM %s.seen); END'",
                            pad)
                   .p);
}

/* Numbers of transactions that were brought along are of another cluster, and may be far ahead. */
static void a_pad_that_was_brought_from_another_cluster_has_quiet_changes(void **state)
{
    Place *p = *state;
    const char *pad = p->pad;
    Mark m;
    Changes got = { 0 };
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, arena_printf(&p->a,
                            "UPDATE %s.records SET xact = '4000000000000'; INSERT INTO %s.pad"
                            " VALUES('forgot', '4000000000000')",
                            pad, pad)
                   .p);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.n == 0 && !got.rescan && !got.forgot);
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_OK);
    c = got.next;
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_int_equal(got.n, 1);
    assert_str(got.names[0], S("notes/b"));
}

/* What was given before a failover that lost it, or after a backup was made, is not given again. */
static void tokens_of_leases_leap_when_the_cluster_is_another(void **state)
{
    Place *p = *state;
    const char *pad = p->pad;
    Mark before, after;
    assert_int_equal(place_put(p, p->s, STORE_TOKENS, "{}", &before), JOT_OK);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(place_put(p, s, STORE_TOKENS, "{}", &after), JOT_OK);
    assert_int_equal(after.seq, before.seq + 1);
    store_close(s);
    by_hand(p,
            arena_printf(&p->a, "UPDATE %s.pad SET value = '7-0000' WHERE key = 'system'", pad).p);
    for (int i = 0; i < 2; i++) { /* once */
        Record head;
        s = place_open(p, p->direct, (StoreOptions){ 0 });
        assert_int_equal(store_head(s, S(STORE_TOKENS), HEAD_RECORD, &p->a, &head, &p->e), JOT_OK);
        assert_true(i ? head.mark.seq == after.seq
                      : head.mark.seq > after.seq + STORE_TOKENS_UNSEEN / 2);
        assert_str(head.body, S("{}"));
        assert_int_equal(place_put(p, s, STORE_TOKENS, "{}", &after), JOT_OK);
        assert_int_equal(after.seq, head.mark.seq + 1);
        store_close(s);
    }
    /* One that is being used meanwhile hears of it when it connects again. */
    by_hand(p,
            arena_printf(&p->a, "UPDATE %s.pad SET value = '8-0000' WHERE key = 'system'", pad).p);
    p->proxy.state->lose = 1;
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &before), JOT_OK);
    assert_int_equal(place_put(p, p->s, STORE_TOKENS, "{}", &before), JOT_OK);
    assert_true(before.seq > after.seq + STORE_TOKENS_UNSEEN / 2);
}

/* Nobody is there to confirm what is committed, and somebody ends the wait for it. */
static void a_commit_that_no_standby_has_confirmed_is_unknown(void **state)
{
    Place *p = *state;
    Mark m;
    place_put_many(p, p->s, "notes/a", 1);
    by_hand(p, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    by_hand(p, "SELECT pg_reload_conf()");
    pid_t child = fork();
    if (child == 0)
        execlp("sh", "sh", "-c",
               "until psql -qtA -h \"$0\" -U jotter -d pads -c \"SELECT pg_cancel_backend(pid) FROM"
               " pg_stat_activity WHERE wait_event = 'SyncRep'\" | grep -q t; do sleep 0.05; done",
               place_dir(p), NULL);
    jot_status st = JOT_OK;
    uint64_t n = 1; /* the setting is taken up some time later */
    for (; st == JOT_OK; n++)
        st = place_put(p, p->s, "notes/a", "text", &m);
    assert_int_equal(st, JOT_UNKNOWN);
    place_end_well(child);
    by_hand(p, "ALTER SYSTEM RESET synchronous_standby_names");
    by_hand(p, "SELECT pg_reload_conf()");
    assert_non_null(strstr(p->e.text, "standby"));
    assert_int_equal(place_put(p, p->s, "notes/a", "last", &m), JOT_OK);
    assert_int_equal(m.seq, n + 1);
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

/* What a handle says of a pad that is another one now, or none: never that a note is not there. */
static void assert_no_answer(Place *p, Store *s, const char *why)
{
    enum { TIMES = 3 }; /* it does not get used to it */
    jot_status st = JOT_OK;
    for (int i = 0; i < TIMES; i++) {
        Record head;
        st = store_head(s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e);
        assert_true(st == JOT_CORRUPT || st == JOT_UNAVAILABLE);
    }
    assert_int_equal(st, JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, why));
}

static void set_id(Place *p, const char *id)
{
    by_hand(p,
            arena_printf(&p->a, "UPDATE %s.pad SET value = '%s' WHERE key = 'id'", p->pad, id).p);
}

/* Whichever answer is lost while it connects again. */
static void a_pad_that_was_replaced_stays_refused(void **state)
{
    enum { ANSWERS = 6 }; /* more than it takes to connect */
    Place *p = *state;
    for (int n = 0; n <= ANSWERS; n++) {
        Mark m;
        Store *s = place_open(p, p->url, (StoreOptions){ .wait_ms = p->kind->wait_ms });
        char was[STORE_PAD_ID + 1];
        assert_int_equal(store_id(s, was, &p->e), JOT_OK);
        assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
        p->proxy.state->mode = PROXY_CUT;
        io_sleep_us(&io_system, MOMENT_US);
        p->proxy.state->mode = PROXY_PASS;
        set_id(p, "0123456789abcdef");
        p->proxy.state->lose = n;
        assert_no_answer(p, s, "replaced");
        p->proxy.state->lose = 0;
        set_id(p, was);
        store_close(s);
    }
}

static void a_pad_that_is_gone_is_no_missing_note(void **state)
{
    Place *p = *state;
    Mark m;
    Store *s = NULL;
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, arena_printf(&p->a, "DROP SCHEMA %s CASCADE", p->pad).p);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    p->proxy.state->mode = PROXY_PASS;
    assert_no_answer(p, p->s, "is gone");
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_CORRUPT);
    assert_int_equal(store_open(&s, str(p->direct), NULL, &p->e), JOT_NOT_FOUND);
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

/* Its owner makes what it lacks; others read it until then. */
static void a_pad_of_an_older_format_is_raised_by_its_owner_alone(void **state)
{
    Place *p = *state;
    const char *pad = p->pad;
    Mark m;
    Record head;
    place_put_many(p, p->s, "notes/a", 2);
    by_hand(p, arena_printf(&p->a,
                            "CREATE ROLE of_%s LOGIN; GRANT USAGE ON SCHEMA %s TO of_%s;"
                            " GRANT SELECT, INSERT, UPDATE, DELETE ON %s.pad, %s.heads, %s.records"
                            " TO of_%s; DROP FUNCTION %s.add; DROP FUNCTION %s.newest;"
                            " UPDATE %s.pad SET value = '1 1' WHERE key = 'format'",
                            pad, pad, pad, pad, pad, pad, pad, pad, pad, pad)
                   .p);
    const char *url =
        arena_printf(&p->a, "postgres://of_%s@/pads?host=%s&pad=%s", pad, place_dir(p), pad).p;
    for (uint64_t i = 0; i < 2; i++) {
        Store *agent = place_open(p, url, (StoreOptions){ 0 });
        assert_int_equal(store_head(agent, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_OK);
        assert_int_equal(head.mark.seq, 2 + i);
        assert_int_equal(place_put(p, agent, "notes/a", "text", &m), i ? JOT_OK : JOT_READ_ONLY);
        if (i == 0)
            assert_non_null(strstr(p->e.text, "its owner raises"));
        store_close(agent);
        Store *owner = place_open(p, p->direct, (StoreOptions){ 0 });
        assert_int_equal(place_put(p, owner, "notes/a", "text", &m), JOT_OK);
        store_close(owner);
    }
    by_hand(p, arena_printf(&p->a, "DROP OWNED BY of_%s; DROP ROLE of_%s", pad, pad).p);
    assert_int_equal(place_count(p, "notes/a"), 5);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(a_read_beside_the_first_write_finds_nothing_or_the_record),
        CASE(of_several_hosts_one_that_says_nothing_is_passed_over),
        CASE(a_lost_session_is_a_lost_hold),
        CASE(what_was_open_when_changes_were_looked_for_is_named_later),
        CASE(a_page_of_a_long_stream_reads_its_own_records_alone),
        CASE(whatever_is_set_every_change_is_synced),
        CASE(a_pad_that_was_brought_from_another_cluster_has_quiet_changes),
        CASE(tokens_of_leases_leap_when_the_cluster_is_another),
        CASE(a_commit_that_no_standby_has_confirmed_is_unknown),
        CASE(a_server_that_went_back_is_an_error),
        CASE(a_pad_that_was_replaced_stays_refused),
        CASE(a_pad_that_is_gone_is_no_missing_note),
        CASE(what_cannot_be_opened_is_said_in_one_sentence),
        CASE(a_newer_pad_is_refused_or_only_read),
        CASE(a_pad_of_an_older_format_is_raised_by_its_owner_alone),
    };
    const CaseTable tables[] = { way_cases, database_cases, { own, COUNT_OF(own) } };
    return place_main(&postgres, tables, COUNT_OF(tables), argc, argv);
}
