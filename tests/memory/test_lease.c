/* test_lease.c - leases: who gets one, when it ends, and the table they stand in. */
#include "memory/lease.h"

#include "memory/lease_desk.h"

/* --- Taking ---------------------------------------------------------------------------- */

static void a_lease_tells_who_has_it_and_for_how_long(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), seen;
    assert_int_equal(l.token, 1);
    assert_int_equal(l.left_ms, LEASE_TTL_MS);
    pass(d, 1500);
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &seen, &d->e));
    assert_text(seen.on, "notes/plan");
    assert_text(seen.by, "ann");
    assert_int_equal(seen.left_ms, LEASE_TTL_MS - 1500);
    assert_false(seen.prefix);
    assert_false(seen.live);
}

static void tokens_grow_and_never_come_back(Desk *d)
{
    uint64_t last = 0;
    for (int i = 0; i < 200; i++) {
        Lease l = take(d, &d->m, "notes/plan");
        assert_true(l.token > last);
        last = l.token;
        desk_ok(d, lease_release(&d->m, l.token, &d->e));
    }
    Mark mark;
    desk_ok(d, store_purge(d->m.store, S("leases/table"), NULL, S("ann"), &mark, &d->e));
    assert_true(take(d, &d->m, "notes/plan").token > last);
}

/* The table is gone, as with its file; what was written under its tokens is not. */
static void tokens_of_a_table_that_was_lost_go_on_behind_the_fence(Desk *d)
{
    Mark mark;
    Draft was = { .op = OP_PUT, .by = S("ann"), .body = S("before"), .fence = 19 };
    desk_ok(d, store_append(d->m.store, S("notes/plan"), NULL, &was, &mark, &d->e));
    Lease other = take(d, &d->m, "notes/other"), l = take(d, &d->m, "notes/plan"), seen;
    assert_true(other.token > 19 && l.token > other.token);
    desk_ok(d, put(d, &d->m, S("notes/plan"), "behind it", &mark));
    assert_int_equal(mark.fence, l.token);
    desk_ok(d, lease_check(&d->m, other.token, &d->a, &seen, &d->e)); /* it still stands */
}

static void the_table_does_not_grow_for_ever(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    for (int i = 0; i < 300; i++)
        desk_ok(d, lease_renew(&d->m, l.token, 0, &d->a, &l, &d->e));
    Records kept;
    desk_ok(d,
            store_read(d->m.store, S("leases/table"), (SeqRange){ 1, 1000 }, &d->a, &kept, &d->e));
    assert_true(kept.n < 100);
    assert_false(kept.more);
}

static void asking_again_for_what_one_has_renews_it(Desk *d)
{
    Lease first = take(d, &d->m, "notes/plan");
    pass(d, 30000);
    Lease again = take(d, &d->m, "notes/plan");
    assert_int_equal(again.token, first.token);
    assert_int_equal(again.left_ms, LEASE_TTL_MS);
}

static void what_overlaps_is_in_the_way_and_what_does_not_is_not(Desk *d)
{
    static const struct {
        const char *held;
        bool held_prefix;
        const char *asked;
        bool asked_prefix, in_the_way;
    } rows[] = {
        { "notes/plan", false, "notes/plan2", false, false },
        { "notes/plan", false, "notes/plan", true, true },
        { "notes/plan", false, "notes/", true, true },
        { "notes/plan", false, "notes/q", true, false },
        { "notes/plan", false, "artifacts/", true, false },
        { "notes/", true, "notes/plan", false, true },
        { "notes/pl", true, "notes/plan", false, true },
        { "notes/pl", true, "notes/p", false, false },
        { "notes/pl", true, "notes/", true, true },
        { "notes/", true, "notes/pl", true, true },
        { "notes/a", true, "notes/b", true, false },
        { "memories/a", false, "memories/a/b", false, false },
        { "memories/a/", true, "memories/a/b/c", false, true },
        { "memories/a/", true, "memories/a", false, false },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Lease held, asked;
        if ((rows[i].held_prefix || rows[i].asked_prefix) && !desk_leases_prefixes(d))
            continue;
        desk_ok(d, ask(d, &d->m, rows[i].held, rows[i].held_prefix, 0, &held));
        desk_expect(d, rows[i].in_the_way ? JOT_LEASED : JOT_OK,
                    ask(d, &d->m, rows[i].asked, rows[i].asked_prefix, 0, &asked));
        assert_int_equal(asked.token == held.token, rows[i].in_the_way);
        if (!rows[i].in_the_way)
            desk_ok(d, lease_release(&d->m, asked.token, &d->e));
        desk_ok(d, lease_release(&d->m, held.token, &d->e));
    }
}

static void a_conflict_names_the_holder_and_the_time_left(Desk *d)
{
    Lease held, asked;
    if (!desk_leases_prefixes(d)) {
        desk_expect(d, JOT_UNSUPPORTED, ask(d, &d->m, "notes/", true, 0, &held));
        return;
    }
    desk_ok(d, ask(d, &d->m, "notes/", true, 0, &held));
    pass(d, 18500);
    desk_expect(d, JOT_LEASED, ask(d, &d->m, "notes/plan", false, 0, &asked));
    assert_says(d, "'notes/plan' is leased, with 'notes/', to 'ann' for 42 s more");
    assert_text(asked.by, "ann");
    assert_int_equal(asked.left_ms, 41500);
    desk_expect(d, JOT_LEASED,
                lease_acquire(&d->m, &(LeaseAsk){ .on = S("notes/x"), .wait_ms = 30 }, &d->a,
                              &asked, &d->e));
}

static void bad_names_and_times_are_refused_and_change_nothing(Desk *d)
{
    static const char *const bad[] = { "",           "plan",         "notes/", "notes/a b ",
                                       "notes/../x", "leases/table", "x//y" };
    Lease l;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(d, JOT_INVALID, ask(d, &d->m, bad[i], false, 0, &l));
    desk_expect(d, JOT_INVALID, ask(d, &d->m, "", true, 0, &l));
    desk_expect(d, JOT_INVALID, ask(d, &d->m, "leases/", true, 0, &l));
    desk_expect(d, JOT_INVALID, ask(d, &d->m, "notes/a", false, LEASE_TTL_MS_MIN - 1, &l));
    desk_expect(d, JOT_INVALID, ask(d, &d->m, "notes/a", false, (int64_t)LEASE_TTL_MS_MAX + 1, &l));
    assert_says(d, "a lease lasts from");
    LeaseList all;
    desk_ok(d, lease_list(&d->m, &d->a, &all, &d->e));
    assert_int_equal(all.n, 0);
}

static void there_are_at_most_a_thousand(Desk *d)
{
    if (strcmp(d->engine, "mem") != 0)
        return; /* the limit is the noun's, and syncing a thousand times proves nothing more */
    char name[40];
    Lease l;
    for (int i = 0; i < LEASE_MAX; i++) {
        snprintf(name, sizeof name, "notes/%04d", i);
        desk_ok(d, ask(d, &d->m, name, false, i ? 0 : 1000, &l));
    }
    desk_expect(d, JOT_TOO_BIG, ask(d, &d->m, "notes/more", false, 0, &l));
    pass(d, 1000);
    take(d, &d->m, "notes/more");
}

static void the_list_is_in_order_of_names(Desk *d)
{
    take(d, &d->m, "notes/b");
    take(d, &d->m, "notes/c");
    take(d, &d->m, "notes/a");
    LeaseList all;
    desk_ok(d, lease_list(&d->m, &d->a, &all, &d->e));
    assert_int_equal(all.n, 3);
    assert_text(all.items[0].on, "notes/a");
    assert_text(all.items[2].on, "notes/c");
}

/* --- Ending ---------------------------------------------------------------------------- */

static void a_lease_ends_when_its_time_is_over_and_cannot_be_renewed_then(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), out;
    pass(d, LEASE_TTL_MS - 1);
    desk_ok(d, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    assert_int_equal(out.token, l.token);
    desk_outlast(d, LEASE_TTL_MS);
    desk_expect(d, JOT_FENCED, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND, lease_find(&d->m, plan, false, &d->a, &out, &d->e));
    desk_expect(d, JOT_FENCED, lease_release(&d->m, l.token, &d->e));
    assert_says(d, "had ended already");
}

static void a_renewal_can_set_another_time(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), out;
    desk_ok(d, lease_renew(&d->m, l.token, 5000, &d->a, &out, &d->e));
    assert_int_equal(out.left_ms, 5000);
    desk_ok(d, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    assert_int_equal(out.ttl_ms, 5000);
}

static void the_wall_clock_does_not_matter(Desk *d)
{
    if (desk_on_server(d))
        return; /* the server's clock is the only one */
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->now_ms += 1000LL * 3600 * 24 * 365;
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    d->now_ms = 5;
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    assert_int_equal(out.left_ms, LEASE_TTL_MS);
}

static void another_boot_ends_every_lease(Desk *d)
{
    if (desk_on_server(d))
        return; /* whoever boots, the server counts */
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->boot[0] = 'f';
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    assert_true(take(d, &d->m, "notes/plan").token > l.token);
}

static void a_clock_that_began_anew_ends_every_lease_whatever_the_boot_id_says(Desk *d)
{
    if (desk_on_server(d))
        return; /* the server's clock does not begin with a boot */
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->awake_ms = 17;
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
}

/* It would look as if every lease were of another boot, and so free. */
static void while_the_boot_cannot_be_told_no_lease_is_judged_given_or_ended(Desk *d)
{
    if (desk_on_server(d))
        return; /* no boot is asked for */
    Lease l = take(d, &d->m, "notes/plan"), out;
    uint64_t was = 0;
    Record head;
    desk_ok(d, store_head(d->m.store, S("leases/table"), HEAD_MARK, &d->a, &head, &d->e));
    was = head.mark.seq;
    LeaseList all;
    Memory bob = d->m;
    bob.leases = NULL;
    d->boot[0] = 0;
    desk_expect(d, JOT_UNAVAILABLE, ask(d, &bob, "notes/plan", false, 0, &out));
    assert_says(d, "could not tell which boot of the machine this is");
    desk_expect(d, JOT_UNAVAILABLE, ask(d, &bob, "notes/other", false, 0, &out));
    desk_expect(d, JOT_UNAVAILABLE, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    desk_expect(d, JOT_UNAVAILABLE, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    desk_expect(d, JOT_UNAVAILABLE, lease_list(&d->m, &d->a, &all, &d->e));
    d->boot[0] = '0';
    desk_ok(d, store_head(d->m.store, S("leases/table"), HEAD_MARK, &d->a, &head, &d->e));
    assert_int_equal(head.mark.seq, was);
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
}

static int64_t years_ago(void *ctx)
{
    return ((Desk *)ctx)->now_ms - 1000LL * 3600 * 24 * 3650;
}

static int64_t long_awake(void *ctx)
{
    return ((Desk *)ctx)->awake_ms + 1000LL * 3600 * 24 * 30;
}

/* Two machines share nothing but the server: neither the date nor the boot nor the time since. */
static void a_lease_of_one_machine_holds_on_another_until_the_server_ends_it(Desk *d)
{
    if (!desk_on_server(d))
        return;
    Io machine = d->io;
    machine.wall_ms = years_ago;
    machine.awake_ms = long_awake;
    machine.boot_id = "ffffffffffffffffffffffffffffffff";
    MemoryOptions o = { .io = &machine, .by = S("bob") };
    Memory bob = { 0 };
    desk_ok(d, memory_open(&bob, str(d->url), &o, &d->e));
    Lease l = take(d, &d->m, "notes/plan"), out;
    desk_expect(d, JOT_LEASED, ask(d, &bob, "notes/plan", false, 0, &out));
    assert_int_equal(out.token, l.token);
    pass(d, LEASE_TTL_MS - 1);
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    desk_expect(d, JOT_LEASED, ask(d, &bob, "notes/plan", false, 0, &out));
    Mark mark;
    pass(d, 1); /* the holder counts to the end of it, the others a margin more */
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "late", &mark));
    desk_expect(d, JOT_LEASED, ask(d, &bob, "notes/plan", false, 0, &out));
    desk_outlast(d, 0);
    assert_true(take(d, &bob, "notes/plan").token > l.token);
    desk_ok(d, put(d, &bob, plan, "bob's", &mark));
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "late", &mark));
    memory_close(&bob);
}

static void a_released_lease_is_free(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), out;
    desk_ok(d, lease_release(&d->m, l.token, &d->e));
    desk_expect(d, JOT_FENCED, lease_release(&d->m, l.token, &d->e));
    desk_expect(d, JOT_FENCED, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    write_plan(d, &d->m, "without any lease");
    take(d, &d->m, "notes/plan");
}

/* --- The table ------------------------------------------------------------------------- */

static void members_of_a_newer_version_are_kept(Desk *d)
{
    if (desk_on_server(d))
        return; /* the lease below is of this machine's boot */
    Mark mark;
    desk_ok(d, put(d, &d->m, S("leases/table"),
                   "{\"leases\":[{\"on\":\"notes/x\",\"token\":1,\"by\":\"eve\",\"ttl_ms\":60000,"
                   "\"until_ms\":1030000,\"boot\":\"0123456789abcdef0123456789abcdef\","
                   "\"colour\":\"red\"}],\"more\":1}",
                   &mark));
    take(d, &d->m, "notes/plan");
    Record head;
    desk_ok(d, store_head(d->m.store, S("leases/table"), HEAD_RECORD, &d->a, &head, &d->e));
    assert_non_null(strstr(head.body.p, "\"colour\":\"red\""));
    assert_non_null(strstr(head.body.p, "\"more\":1"));
}

/* A file of another stream in the place of the table's gives such a head, too. */
static void a_table_that_is_none_ends_all_leases_and_stops_nobody(Desk *d)
{
    static const char *const bad[] = { "", "[]", "{\"leases\":1}", "{\"leases\":[{\"on\":1}]}",
                                       "not json" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Mark mark;
        Lease l = take(d, &d->m, "notes/plan"), seen;
        uint64_t warned = store_report(d->m.store)->lost;
        Draft draft = { .op = OP_PUT, .by = S("eve"), .body = str(bad[i]) };
        desk_ok(d, store_append(d->m.store, S("leases/table"), NULL, &draft, &mark, &d->e));
        desk_expect(d, JOT_FENCED, put(d, &d->m, S("notes/plan"), "too late", &mark));
        desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &seen, &d->e));
        assert_true(store_report(d->m.store)->lost > warned);
        assert_non_null(strstr(store_report(d->m.store)->loss, "is no table of leases"));
        assert_true(take(d, &d->m, "notes/other").token > l.token);
        desk_expect(d, JOT_FENCED, lease_release(&d->m, l.token, &d->e));
    }
}

static void a_lease_is_shown_as_json(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) value = lease_json(&l);
    json_write(&text, value);
    assert_text(buf_str(&text),
                "{\"on\":\"notes/plan\",\"prefix\":false,\"token\":1,\"by\":\"ann\","
                "\"ttl_ms\":60000,\"left_ms\":60000,\"live\":false}");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_lease_tells_who_has_it_and_for_how_long),
        DESK_TEST(tokens_grow_and_never_come_back),
        DESK_TEST(tokens_of_a_table_that_was_lost_go_on_behind_the_fence),
        DESK_TEST(the_table_does_not_grow_for_ever),
        DESK_TEST(asking_again_for_what_one_has_renews_it),
        DESK_TEST(what_overlaps_is_in_the_way_and_what_does_not_is_not),
        DESK_TEST(a_conflict_names_the_holder_and_the_time_left),
        DESK_TEST(bad_names_and_times_are_refused_and_change_nothing),
        DESK_TEST(there_are_at_most_a_thousand),
        DESK_TEST(the_list_is_in_order_of_names),
        DESK_TEST(a_lease_ends_when_its_time_is_over_and_cannot_be_renewed_then),
        DESK_TEST(a_renewal_can_set_another_time),
        DESK_TEST(the_wall_clock_does_not_matter),
        DESK_TEST(another_boot_ends_every_lease),
        DESK_TEST(a_clock_that_began_anew_ends_every_lease_whatever_the_boot_id_says),
        DESK_TEST(while_the_boot_cannot_be_told_no_lease_is_judged_given_or_ended),
        DESK_TEST(a_lease_of_one_machine_holds_on_another_until_the_server_ends_it),
        DESK_TEST(a_released_lease_is_free),
        DESK_TEST(members_of_a_newer_version_are_kept),
        DESK_TEST(a_table_that_is_none_ends_all_leases_and_stops_nobody),
        DESK_TEST(a_lease_is_shown_as_json),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
