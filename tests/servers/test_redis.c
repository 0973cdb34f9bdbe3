/* test_redis.c - what can go wrong between Jotter and a Redis server, beside what can on any way
 * (way.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/way.h"
#include "store/redis/redis.h"

static const ServerKind redis = { .dir = "JOT_TEST_REDIS_DIR",
                                  .socket = "socket",
                                  .url = "redis+unix://*/socket?pad=",
                                  .secrets = "hunter2",
                                  .rounds = 12,
                                  .answers = 4,
                                  .wait_ms = 1000 };

/* What a person does to the server while Jotter is not looking: words between spaces. */
static void by_hand(Place *p, const char *fmt, const char *a)
{
    pid_t child = fork();
    if (child == 0) {
        Str line = arena_printf(&p->a, "exec redis-cli -e -s %s/socket %s '%s' >/dev/null",
                                place_dir(p), fmt, a);
        execl("/bin/sh", "sh", "-c", line.p, NULL);
        _exit(127);
    }
    place_end_well(child);
}

static const char *key(Place *p, const char *name)
{
    return arena_printf(&p->a, "jotter:{%s}:%s", p->pad, name).p;
}

/* --- On the way ------------------------------------------------------------------------ */

/* The server has a cache of scripts, and no duty to keep it. */
static void scripts_that_the_server_has_forgotten_are_sent_again(void **state)
{
    Place *p = *state;
    Mark m;
    for (uint64_t i = 1; i <= 3; i++) {
        by_hand(p, "SCRIPT", "FLUSH");
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
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
    COSTS(p, 2, place_put(p, p->s, "notes/a", "one", &m));
    COSTS(p, 1, place_put(p, p->s, "notes/a", "two", &m));
    COSTS(p, 1, store_append(p->s, S("notes/a"), NULL, &with_id, &m, &p->e));
    place_end_well(place_start_writer(p, 1, 0));
    COSTS(p, 2, place_put(p, p->s, "notes/a", "four", &m)); /* somebody was faster */
    COSTS(p, 1, store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e));
    COSTS(p, 1, store_read(p->s, S("notes/a"), (SeqRange){ 0, 10 }, &p->a, &records, &p->e));
    COSTS(p, 1, store_list(p->s, &(ListQuery){ .limit = 10 }, &p->a, &names, &p->e));
    COSTS(p, 1, store_changes(p->s, NULL, 0, &p->a, &changes, &p->e));
    COSTS(p, 2, store_trim(p->s, S("notes/a"), NULL, 2, &dropped, &p->e));
    COSTS(p, 2, store_redact(p->s, S("notes/a"), NULL, 1, &p->e));
    COSTS(p, 2, store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e));
}

/* --- Changes --------------------------------------------------------------------------- */

/* A failover has lost the entry that was seen last, and others have come since. */
static void a_cursor_of_a_lost_entry_is_a_rescan(void **state)
{
    Place *p = *state;
    Mark m;
    Changes got = { 0 };
    assert_int_equal(place_put(p, p->s, "notes/a", "one", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    Str rest = str(c.text), id;
    assert_true(str_cut(&rest, '.', &id) && str_cut(&rest, '.', &id));
    by_hand(p, arena_printf(&p->a, "XDEL '%s'", key(p, "changes")).p, arena_cstr(&p->a, id));
    assert_int_equal(place_put(p, p->s, "notes/b", "one", &m), JOT_OK);
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.rescan);
}

/* --- The server itself ----------------------------------------------------------------- */

static void a_server_that_went_back_is_an_error(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    for (int i = 0; i < 3; i++)
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, "ZPOPMAX", key(p, "s:notes/a"));
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "went back"));
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_CORRUPT);
    assert_int_equal(place_count(p, "notes/a"), 2);
}

static void a_pad_that_was_flushed_is_not_made_again_unasked(void **state)
{
    Place *p = *state;
    Mark m;
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    by_hand(p, "DEL", key(p, "pad"));
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "is gone"));
    Store *s = NULL;
    assert_int_equal(store_open(&s, str(p->direct), NULL, &p->e), JOT_NOT_FOUND);
}

/* What was given before a restart, or before a failover that lost it, is not given again. */
static void tokens_of_leases_leap_when_the_server_is_another(void **state)
{
    Place *p = *state;
    Mark before, after;
    assert_int_equal(place_put(p, p->s, STORE_TOKENS, "{}", &before), JOT_OK);
    uint64_t last = before.seq;
    for (int round = 0; round < 2; round++) {
        place_kill_server(p);
        Store *s = place_open(p, p->direct, (StoreOptions){ .wait_ms = 20 * 1000 });
        Record head;
        assert_int_equal(store_head(s, S(STORE_TOKENS), HEAD_RECORD, &p->a, &head, &p->e), JOT_OK);
        assert_true(head.mark.seq > last + 1000 * 1000);
        assert_str(head.body, S("{}"));
        assert_int_equal(place_put(p, s, STORE_TOKENS, "{}", &after), JOT_OK);
        last = after.seq;
        store_close(s);
    }
    /* The handle that was open meanwhile continues from there. */
    Record seen;
    assert_int_equal(store_head(p->s, S(STORE_TOKENS), HEAD_MARK, &p->a, &seen, &p->e), JOT_OK);
    assert_int_equal(place_put(p, p->s, STORE_TOKENS, "{}", &after), JOT_OK);
    assert_true(after.seq > last);
}

static void purged_text_is_in_no_file_of_the_server(void **state)
{
    Place *p = *state;
    Mark m;
    char command[300];
    snprintf(command, sizeof command, "grep -rq xyzzy-plugh %s/appendonlydir", place_dir(p));
    assert_int_equal(place_put(p, p->s, "notes/a", "xyzzy-plugh", &m), JOT_OK);
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
        { "appendonly", "no", "yes" },
        { "appendfsync", "everysec", "always" },
        { "no-appendfsync-on-rewrite", "yes", "no" },
        { "maxmemory-policy", "allkeys-lru", "noeviction" },
        { "maxmemory-policy", "allkeys-random", "volatile-lru" },
    };
    Mark m;
    assert_true(store_promise(p->s).durable && caveat(p->s, "durable on this server"));
    by_hand(p, "CONFIG SET maxmemory", "1gb"); /* without a limit nothing is removed */
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        const char *set = arena_printf(&p->a, "CONFIG SET %s", settings[i].name).p;
        Store *s = NULL;
        by_hand(p, set, settings[i].weak);
        jot_status st = store_open(&s, str(p->direct), NULL, &p->e);
        assert_int_equal(st, JOT_UNSUPPORTED);
        assert_non_null(strstr(p->e.text, settings[i].name));
        assert_non_null(strstr(p->e.text, "durability=relaxed"));
        s = place_open(p, arena_printf(&p->a, "%s&durability=relaxed", p->direct).p,
                       (StoreOptions){ 0 });
        assert_false(store_promise(s).durable);
        assert_true(caveat(s, settings[i].name));
        assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
        store_close(s);
        s = place_open(p, p->direct, (StoreOptions){ .read_only = true });
        assert_false(store_promise(s).durable);
        store_close(s);
        by_hand(p, set, settings[i].good);
    }
    by_hand(p, "CONFIG SET maxmemory", "0");
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
}

/* The settings are looked at again after a reconnect. */
static void a_server_that_stopped_syncing_is_noticed_after_a_cut(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(place_put(p, p->s, "notes/a", "one", &m), JOT_OK);
    by_hand(p, "CONFIG SET appendfsync", "no");
    p->proxy.state->mode = PROXY_CUT;
    assert_int_equal(store_head(p->s, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_UNSUPPORTED);
    by_hand(p, "CONFIG SET appendfsync", "always");
    assert_int_equal(place_put(p, p->s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
}

/* The rights that docs/engines.md names are enough, and each is needed for something. */
#define RIGHTS                                                                                   \
    "-@all +evalsha '+script|load' +info '+config|get' +select +multi +exec +xread +wait +scan " \
    "+bgrewriteaof "                                                                             \
    "+hget +hmget +hset +hdel +hstrlen +exists +unlink +time +zadd +zrem +zscore +zrevrange "    \
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
                                   place_dir(p), p->pad)
                          .p;
    Store *s = place_open(p, url, (StoreOptions){ 0 });
    assert_true(store_promise(s).durable);
    for (int i = 0; i < 3; i++)
        assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
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

enum { LARGE = 20, LARGE_BYTES = 1024 }; /* records of a page whose bodies do not come along */

/* Read in each way that reads: a head that stands still, names, and a large page. */
static void read_all(Place *p, Store *s, jot_status want)
{
    Record head;
    Listing names;
    Records page;
    const ListQuery q = { .prefix = S("notes/"), .limit = 9, .which = LIST_LIVE_NAMES };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_head(s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), want);
        if (want == JOT_OK)
            assert_int_equal(head.body.n, LARGE_BYTES);
        assert_int_equal(store_list(s, &q, &p->a, &names, &p->e), want);
        if (want == JOT_OK)
            assert_str(names.items[0].name, S("notes/a"));
        jot_status st = store_read(s, S("notes/a"), (SeqRange){ 1, LARGE }, &p->a, &page, &p->e);
        assert_int_equal(st, want);
        if (want == JOT_OK)
            assert_int_equal(page.n, LARGE);
    }
}

static void put_large(Place *p)
{
    char text[LARGE_BYTES + 1] = "";
    Mark m;
    memset(text, 'x', LARGE_BYTES);
    for (int i = 0; i < LARGE; i++)
        assert_int_equal(place_put(p, p->s, "notes/a", text, &m), JOT_OK);
}

static void a_user_who_may_not_ask_several_things_at_once_reads_the_same(void **state)
{
    Place *p = *state;
    put_large(p);
    by_hand(p,
            arena_printf(&p->a, "ACL SETUSER %s on '>hunter2' '~jotter:{%s}:*' " RIGHTS " -multi",
                         p->pad, p->pad)
                .p,
            "resetchannels");
    const char *url = arena_printf(&p->a, "redis+unix://%s:hunter2@%s/socket?pad=%s", p->pad,
                                   place_dir(p), p->pad)
                          .p;
    Store *s = place_open(p, url, (StoreOptions){ 0 });
    read_all(p, s, JOT_OK);
    store_close(s);
    by_hand(p, "ACL DELUSER", p->pad);
}

/* What it has may be old: somebody else is the primary. */
static void a_primary_that_became_a_replica_is_read_by_nobody(void **state)
{
    Place *p = *state;
    put_large(p);
    read_all(p, p->s, JOT_OK);
    by_hand(p, "REPLICAOF 127.0.0.1", "1");
    read_all(p, p->s, JOT_UNAVAILABLE);
    assert_non_null(strstr(p->e.text, "is a replica: name the primary"));
    by_hand(p, "REPLICAOF NO", "ONE");
    read_all(p, p->s, JOT_OK);
}

/* --- Bad input ------------------------------------------------------------------------- */

static void what_cannot_be_opened_is_said_in_one_sentence(void **state)
{
    Place *p = *state;
    static const Refusal rows[] = {
        { "redis+unix://ann:hunter2@*/socket", JOT_DENIED, "check name and password" },
        { "redis+unix://*/socket?db=99", JOT_INVALID, "no database 99" },
        { "redis://ann:hunter2@127.0.0.1:1", JOT_UNAVAILABLE, "refused" },
        { "redis://ann:hunter2@no-such-host.invalid", JOT_UNAVAILABLE, "no-such-host.invalid" },
        { "redis+unix://ann:hunter2@*/none", JOT_UNAVAILABLE, "No such file" },
        { "redis://ann:hunter2@h/?colour=red", JOT_INVALID, "'colour'" },
        { "redis://ann:hunter2@h/?pad=a%7Bb", JOT_INVALID, "[A-Za-z0-9_-]+" },
        { "redis://ann:hunter2@h/zero", JOT_INVALID, "use a number" },
        { "redis://ann:hunter2@h/?replicas=many", JOT_INVALID, "use a number" },
        { "redis://ann:hunter2@h/?durability=never", JOT_INVALID, "relaxed" },
        { "redis:x", JOT_INVALID, "redis://HOST" },
        { "redis+unix://host/path", JOT_INVALID, "redis+unix:///" },
    };
    place_refuses_all(p, rows, COUNT_OF(rows));
    by_hand(p, arena_printf(&p->a, "SET 'jotter:{others%s}:pad'", p->pad).p, "x");
    place_refuses(p, arena_printf(&p->a, "redis+unix://*/socket?pad=others%s", p->pad).p,
                  JOT_CORRUPT, "holds something else");
}

static void a_newer_pad_is_refused_or_only_read(void **state)
{
    Place *p = *state;
    Mark m;
    const char *set = arena_printf(&p->a, "HSET '%s' format", key(p, "pad")).p;
    by_hand(p, set, "1 9");
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_READ_ONLY);
    store_close(s);
    by_hand(p, set, "9 9");
    place_refuses(p, p->direct, JOT_UNSUPPORTED, "use a newer one");
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
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_OK);
    assert_int_equal(verify(p), 0);
    by_hand(p, arena_printf(&p->a, "ZREM '%s'", key(p, "live")).p, "notes/a");
    assert_int_equal(verify(p), 1);
    by_hand(p, arena_printf(&p->a, "ZREM '%s'", key(p, "names")).p, "notes/b");
    assert_true(verify(p) >= 2);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(scripts_that_the_server_has_forgotten_are_sent_again),
        CASE(an_append_is_one_round_trip_and_two_if_the_head_is_not_known),
        CASE(a_cursor_of_a_lost_entry_is_a_rescan),
        CASE(a_server_that_went_back_is_an_error),
        CASE(a_pad_that_was_flushed_is_not_made_again_unasked),
        CASE(tokens_of_leases_leap_when_the_server_is_another),
        CASE(purged_text_is_in_no_file_of_the_server),
        CASE(a_server_that_does_not_sync_is_refused_unless_that_is_fine),
        CASE(a_server_that_stopped_syncing_is_noticed_after_a_cut),
        CASE(everything_works_with_the_rights_that_the_documentation_names),
        CASE(a_user_who_may_not_ask_several_things_at_once_reads_the_same),
        CASE(a_primary_that_became_a_replica_is_read_by_nobody),
        CASE(what_cannot_be_opened_is_said_in_one_sentence),
        CASE(a_newer_pad_is_refused_or_only_read),
        CASE(verify_reports_names_and_rows_that_do_not_fit),
    };
    const CaseTable tables[] = { way_cases, database_cases, { own, COUNT_OF(own) } };
    return place_main(&redis, tables, COUNT_OF(tables), argc, argv);
}
