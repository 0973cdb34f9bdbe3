/* test_redis_cluster.c - pads in a cluster of Redis, and pads with a replica.
 *
 * tests/rig/with-servers started three nodes on loopback, and a replica of the first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "store/redis/redis.h"
#include "unit/unit.h"

enum { NODES = 4, REPLICA = 3, PADS = 12 };

typedef struct Place {
    int ports[NODES];
    Arena a;
    Err e;
} Place;

static int set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    Str rest = str(getenv("JOT_TEST_CLUSTER")), word;
    for (int i = 0; i < NODES; i++) {
        int64_t port = 0;
        word = rest;
        (void)str_cut(&rest, ' ', &word);
        assert_true(str_to_i64(word, 1, 65535, &port));
        p->ports[i] = (int)port;
    }
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    Place *p = *state;
    arena_free(&p->a);
    free(p);
    return 0;
}

static const char *url(Place *p, int node, const char *pad, const char *more)
{
    return arena_printf(&p->a, "redis://127.0.0.1:%d/?pad=%s%s", p->ports[node], pad, more).p;
}

static Store *open_pad(Place *p, const char *where)
{
    Store *s = NULL;
    StoreOptions o = { .create = true, .wait_ms = 5000 };
    jot_status st = store_open(&s, str(where), &o, &p->e);
    if (st != JOT_OK)
        print_error("%s: %s\n", where, p->e.text);
    assert_int_equal(st, JOT_OK);
    return s;
}

static jot_status put(Place *p, Store *s, const char *text, Mark *m)
{
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = str(text) };
    return store_append(s, S("notes/a"), NULL, &d, m, &p->e);
}

/* What redis-cli answers, in one line. */
static const char *ask(Place *p, int node, const char *command)
{
    char text[4096] = "";
    Str line = arena_printf(&p->a, "redis-cli -p %d %s", p->ports[node], command);
    FILE *f = popen(line.p, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    assert_int_equal(pclose(f), 0);
    return arena_cstr(&p->a, str_trim((Str){ text, n }));
}

/* Which of the three has the slot of a pad. */
static int node_of(const Store *s, const Place *p)
{
    const Redis *r = (const Redis *)s;
    int i = 0;
    while (i < NODES && p->ports[i] != r->at.port)
        i++;
    return i;
}

static void a_pad_is_found_from_any_node(void **state)
{
    Place *p = *state;
    bool seen[NODES] = { false };
    for (int i = 0; i < PADS; i++) {
        char pad[24];
        Mark m;
        snprintf(pad, sizeof pad, "pad%d", i);
        for (int from = 0; from < NODES; from++) { /* the replica sends us on, too */
            Store *s = open_pad(p, url(p, from, pad, ""));
            assert_int_equal(put(p, s, "text", &m), JOT_OK);
            assert_int_equal(m.seq, from + 1);
            assert_int_not_equal(node_of(s, p), REPLICA);
            seen[node_of(s, p)] = true;
            store_close(s);
        }
    }
    assert_true(seen[0] && seen[1] && seen[2]); /* twelve names do not share two nodes */
}

static void everything_of_a_pad_works_where_it_was_sent(void **state)
{
    Place *p = *state;
    Store *s = open_pad(p, url(p, 0, "all", ""));
    Mark m;
    Listing names;
    Records records;
    Changes changes;
    uint64_t dropped;
    VerifyCount count;
    for (int i = 0; i < 20; i++)
        assert_int_equal(put(p, s, "text", &m), JOT_OK);
    assert_int_equal(store_list(s, &(ListQuery){ .limit = 10 }, &p->a, &names, &p->e), JOT_OK);
    assert_int_equal(names.n, 1);
    assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 0, 50 }, &p->a, &records, &p->e),
                     JOT_OK);
    assert_int_equal(records.n, 20);
    assert_int_equal(store_changes(s, NULL, 0, &p->a, &changes, &p->e), JOT_OK);
    Cursor c = changes.next;
    assert_int_equal(store_changes(s, &c, 100, &p->a, &changes, &p->e), JOT_OK);
    assert_int_equal(changes.n, 0);
    assert_int_equal(store_trim(s, S("notes/a"), NULL, 3, &dropped, &p->e), JOT_OK);
    assert_int_equal(store_redact(s, S("notes/a"), NULL, 5, &p->e), JOT_OK);
    assert_int_equal(store_verify(s, NULL, &count, &p->e), JOT_OK);
    assert_int_equal(count.faults, 0);
    assert_int_equal(store_purge(s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    assert_int_equal(store_scrub(s, &p->e), JOT_OK);
    store_close(s);
}

/* Move one slot with all its keys, or only some of them, and let nobody see half a pad. */
static void a_pad_that_is_moved_is_followed_and_never_seen_in_halves(void **state)
{
    Place *p = *state;
    Store *s = open_pad(p, url(p, 0, "wanderer", ""));
    Mark m;
    for (int i = 0; i < 5; i++)
        assert_int_equal(put(p, s, "text", &m), JOT_OK);
    int from = node_of(s, p), to = (from + 1) % REPLICA;
    const char *slot = ask(p, from, "CLUSTER KEYSLOT '{wanderer}'");
    const char *source = ask(p, from, "CLUSTER MYID"), *target = ask(p, to, "CLUSTER MYID");
    ask(p, to, arena_printf(&p->a, "CLUSTER SETSLOT %s IMPORTING %s", slot, source).p);
    ask(p, from, arena_printf(&p->a, "CLUSTER SETSLOT %s MIGRATING %s", slot, target).p);
    /* One key is there already, the others are not. */
    ask(p, from,
        arena_printf(&p->a, "MIGRATE 127.0.0.1 %d 'jotter:{wanderer}:s:notes/a' 0 5000",
                     p->ports[to])
            .p);
    Store *hasty = NULL;
    StoreOptions o = { .wait_ms = 200 };
    Record head;
    assert_int_equal(store_open(&hasty, str(url(p, from, "wanderer", "")), &o, &p->e), JOT_OK);
    assert_int_equal(store_head(hasty, S("notes/a"), HEAD_MARK, &p->a, &head, &p->e),
                     JOT_UNAVAILABLE);
    assert_non_null(strstr(p->e.text, "moving"));
    assert_int_equal(put(p, hasty, "text", &m), JOT_UNAVAILABLE);
    store_close(hasty);
    ask(p, from,
        arena_printf(&p->a,
                     "MIGRATE 127.0.0.1 %d '' 0 5000 KEYS 'jotter:{wanderer}:pad' "
                     "'jotter:{wanderer}:names' 'jotter:{wanderer}:live' "
                     "'jotter:{wanderer}:changes' 'jotter:{wanderer}:b:notes/a'",
                     p->ports[to])
            .p);
    /* All keys are there by now, but the slot is not: the one node asks to ask the other. */
    assert_non_null(strstr(ask(p, from, "HGET 'jotter:{wanderer}:pad' id 2>&1"), "ASK"));
    assert_int_equal(store_open(&hasty, str(url(p, from, "wanderer", "")), &o, &p->e),
                     JOT_UNAVAILABLE);
    assert_non_null(strstr(p->e.text, "moving"));
    for (int i = 0; i < REPLICA; i++)
        ask(p, i, arena_printf(&p->a, "CLUSTER SETSLOT %s NODE %s", slot, target).p);
    jot_status st = put(p, s, "text", &m);
    if (st != JOT_OK)
        print_error("%s\n", p->e.text);
    assert_int_equal(st, JOT_OK);
    assert_int_equal(m.seq, 6);
    assert_int_equal(node_of(s, p), to);
    store_close(s);
}

static void a_write_waits_for_the_replicas_that_were_asked_for(void **state)
{
    Place *p = *state;
    char pad[24];
    Mark m;
    for (int i = 0; i < 40; i++) { /* one whose node has the replica, and no other */
        snprintf(pad, sizeof pad, "copy%d", i);
        Store *s = open_pad(p, url(p, 0, pad, "&replicas=1"));
        bool copied = node_of(s, p) == 0;
        if (copied) {
            assert_int_equal(put(p, s, "text", &m), JOT_OK);
            assert_non_null(strstr(store_promise(s).caveats, "replicas"));
        }
        store_close(s);
        if (!copied)
            continue;
        s = open_pad(p, url(p, 0, pad, "&replicas=2"));
        assert_int_equal(put(p, s, "text", &m), JOT_UNKNOWN);
        assert_non_null(strstr(p->e.text, "1 of 2 replicas"));
        store_close(s);
        return;
    }
    fail_msg("no pad fell to the first node");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pad_is_found_from_any_node),
        TEST(everything_of_a_pad_works_where_it_was_sent),
        TEST(a_pad_that_is_moved_is_followed_and_never_seen_in_halves),
        TEST(a_write_waits_for_the_replicas_that_were_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
