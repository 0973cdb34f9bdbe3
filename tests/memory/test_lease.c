/* test_lease.c - leases: who gets one, when it ends, and what writing under it means. */
#include "memory/lease.h"

#include "memory/desk.h"
#include "memory/forget.h"

enum { STALE_WRITES = 10000 };

static Str plan = { "notes/plan", 10 };

static jot_status ask(Desk *d, Memory *m, const char *on, bool prefix, int64_t ttl_ms, Lease *out)
{
    LeaseAsk a = { .on = str(on), .prefix = prefix, .ttl_ms = ttl_ms };
    return lease_acquire(m, &a, &d->a, out, &d->e);
}

/* A lease that must be had. */
static Lease take(Desk *d, Memory *m, const char *on)
{
    Lease l = { 0 };
    desk_ok(d, ask(d, m, on, false, 0, &l));
    return l;
}

static jot_status put(Desk *d, Memory *m, Str stream, const char *text, Mark *out)
{
    Draft draft = { .op = OP_PUT, .body = str(text) };
    return memory_append(m, stream, NULL, &draft, out, &d->e);
}

static Mark write_plan(Desk *d, Memory *m, const char *text)
{
    Mark mark = { 0 };
    desk_ok(d, put(d, m, plan, text, &mark));
    return mark;
}

static void pass(Desk *d, int64_t ms)
{
    d->awake_ms += ms;
}

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

static void the_table_does_not_grow_for_ever(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    for (int i = 0; i < 300; i++)
        desk_ok(d, lease_renew(&d->m, l.token, 0, &d->a, &l, &d->e));
    Records kept;
    desk_ok(d, store_read(d->m.store, S("leases/table"), 1, 1000, &d->a, &kept, &d->e));
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
    static const char *const bad[] = { "",           "plan",         "notes/", "notes/a b",
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
    pass(d, LEASE_TTL_MS);
    desk_expect(d, JOT_FENCED, lease_renew(&d->m, l.token, 0, &d->a, &out, &d->e));
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    desk_expect(d, JOT_NOT_FOUND, lease_find(&d->m, plan, false, &d->a, &out, &d->e));
    desk_expect(d, JOT_FENCED, lease_release(&d->m, l.token, &d->e));
    assert_says(d, "was over already");
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
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->now_ms += 1000LL * 3600 * 24 * 365;
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    d->now_ms = 5;
    desk_ok(d, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    assert_int_equal(out.left_ms, LEASE_TTL_MS);
}

static void another_boot_ends_every_lease(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->boot[0] = 'f';
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
    assert_true(take(d, &d->m, "notes/plan").token > l.token);
}

static void a_clock_that_began_anew_ends_every_lease_even_without_boot_ids(Desk *d)
{
    d->boot[0] = 0;
    Lease l = take(d, &d->m, "notes/plan"), out;
    d->awake_ms = 17;
    desk_expect(d, JOT_FENCED, lease_check(&d->m, l.token, &d->a, &out, &d->e));
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

/* --- Writing under one ----------------------------------------------------------------- */

static void a_write_under_a_lease_carries_its_token(Desk *d)
{
    write_plan(d, &d->m, "before");
    take(d, &d->m, "notes/other");
    Lease l = take(d, &d->m, "notes/plan");
    assert_int_equal(write_plan(d, &d->m, "under").fence, l.token);
    Mark mark;
    desk_ok(d, put(d, &d->m, S("notes/free"), "x", &mark));
    assert_int_equal(mark.fence, 0);
    desk_ok(d, lease_release(&d->m, l.token, &d->e));
    assert_int_equal(write_plan(d, &d->m, "after").fence, l.token); /* it is never lowered */
}

static void a_write_goes_on_when_only_the_table_moved(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    write_plan(d, &d->m, "one");
    for (int i = 0; i < 5; i++) {
        Memory other = strcmp(d->engine, "mem") ? desk_open(d, "bob") : d->m;
        Lease more = take(d, &other, "notes/other");
        desk_ok(d, lease_release(&other, more.token, &d->e));
        if (strcmp(d->engine, "mem") != 0)
            memory_close(&other);
        assert_int_equal(write_plan(d, &d->m, "two").fence, l.token);
    }
}

static void a_prefix_covers_what_begins_with_it(Desk *d)
{
    Lease l;
    Mark mark;
    desk_ok(d, ask(d, &d->m, "memories/a/", true, 0, &l));
    desk_ok(d, put(d, &d->m, S("memories/a/b/c.md"), "x", &mark));
    assert_int_equal(mark.fence, l.token);
    desk_ok(d, put(d, &d->m, S("memories/b.md"), "x", &mark));
    assert_int_equal(mark.fence, 0);
}

static void a_write_under_a_lease_that_is_over_is_refused(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    write_plan(d, &d->m, "one");
    pass(d, LEASE_TTL_MS);
    Mark mark;
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "two", &mark));
    assert_says(d, "lease 1 on 'notes/plan' is over: nothing was written");
    assert_int_equal(mark.seq, 1); /* the head */
    desk_ok(d, put(d, &d->m, S("notes/free"), "x", &mark));
    Lease again = take(d, &d->m, "notes/plan");
    assert_true(again.token > l.token);
    assert_int_equal(write_plan(d, &d->m, "three").fence, again.token);
}

static void an_adopted_lease_is_written_under(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan");
    if (strcmp(d->engine, "mem") == 0)
        return; /* it has no second handle */
    Memory other = desk_open(d, "bob");
    lease_adopt(&other, l.token);
    assert_int_equal(write_plan(d, &other, "one").fence, l.token);
    desk_ok(d, lease_release(&d->m, l.token, &d->e));
    Mark mark;
    desk_expect(d, JOT_FENCED, put(d, &other, plan, "two", &mark));
    desk_ok(d, put(d, &other, S("notes/free"), "x", &mark));
    memory_close(&other);
}

static void an_adopted_lease_that_is_over_refuses_every_write(Desk *d)
{
    lease_adopt(&d->m, 77);
    Mark mark;
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "one", &mark));
    assert_says(d, "lease 77 is over");
    desk_expect(d, JOT_FENCED, lease_release(&d->m, 77, &d->e));
    write_plan(d, &d->m, "two");
}

static void a_retry_of_what_was_written_in_time_is_answered(Desk *d)
{
    take(d, &d->m, "notes/plan");
    Draft draft = { .op = OP_PUT, .id = S("call-1"), .body = S("one") };
    Mark first, again;
    desk_ok(d, memory_append(&d->m, plan, NULL, &draft, &first, &d->e));
    pass(d, LEASE_TTL_MS);
    desk_ok(d, memory_append(&d->m, plan, NULL, &draft, &again, &d->e));
    assert_int_equal(again.seq, first.seq);
}

static void an_expectation_is_checked_under_a_lease_too(Desk *d)
{
    take(d, &d->m, "notes/plan");
    Mark mark = write_plan(d, &d->m, "one");
    Draft draft = { .op = OP_PUT, .body = S("two") };
    Expect x = { .kind = EXPECT_SEQ, .seq = 9 };
    desk_expect(d, JOT_CONFLICT, memory_append(&d->m, plan, &x, &draft, &mark, &d->e));
    x.seq = 1;
    desk_ok(d, memory_append(&d->m, plan, &x, &draft, &mark, &d->e));
}

/* Every way in which an old token can come: from the handle that had it, from one that was told
 * it, and from a writer that looked in time and wrote too late. */
static void ten_thousand_stale_writes_are_refused(Desk *d)
{
    Lease old = take(d, &d->m, "notes/plan");
    write_plan(d, &d->m, "old holder");
    bool mem = strcmp(d->engine, "mem") == 0;
    pass(d, LEASE_TTL_MS);
    Memory other =
        mem ? (Memory){ .store = d->m.store, .io = d->m.io, .by = S("bob") } : desk_open(d, "bob");
    Lease now = take(d, &other, "notes/plan");
    assert_true(now.token > old.token);
    Mark good = write_plan(d, &other, "new holder"), mark;
    int refused = 0;
    for (int i = 0; i < STALE_WRITES; i++) {
        jot_status st = JOT_OK;
        Draft draft = { .op = OP_PUT, .by = S("ann"), .body = S("stale"), .fence = old.token };
        Expect x = { .guard = S("leases/table"), .guard_seq = old.token };
        switch (i % 4) {
        case 0:
            st = put(d, &d->m, plan, "stale", &mark);
            break;
        case 1: { /* a handle that was given the token */
            Memory told = { .store = other.store, .io = other.io, .by = S("eve") };
            lease_adopt(&told, old.token);
            st = put(d, &told, plan, "stale", &mark);
            lease_close(&told);
            break;
        }
        case 2: /* the table was looked at before it moved */
            st = store_append(other.store, plan, &x, &draft, &mark, &d->e);
            break;
        default: /* without any guard the fence alone refuses */
            st = store_append(other.store, plan, NULL, &draft, &mark, &d->e);
            break;
        }
        refused += st == JOT_FENCED;
        assert_int_equal(mark.seq, good.seq);
    }
    assert_int_equal(refused, STALE_WRITES);
    Record head;
    desk_ok(d, store_head(other.store, plan, HEAD_RECORD, &d->a, &head, &d->e));
    assert_text(head.body, "new holder");
    assert_int_equal(head.mark.seq, good.seq);
    if (mem)
        lease_close(&other);
    else
        memory_close(&other);
}

/* A handle that was told a token.  On mem: it shares the store, which another handle would not see.
 */
static Memory told(const Memory *m, uint64_t token)
{
    Memory copy = { .store = m->store, .io = m->io, .by = S("eve") };
    lease_adopt(&copy, token);
    return copy;
}

static void nothing_is_forgotten_under_a_lease_that_is_over(Desk *d)
{
    Lease old = take(d, &d->m, "notes/plan");
    write_plan(d, &d->m, "secret");
    write_plan(d, &d->m, "plain");
    Memory eve = told(&d->m, old.token);
    desk_ok(d, memory_redact(&eve, plan, 1, &d->e));
    pass(d, LEASE_TTL_MS);
    Memory *const stale[] = { &d->m, &eve };
    for (size_t i = 0; i < COUNT_OF(stale); i++) {
        Mark mark;
        Forgotten f;
        uint64_t n;
        desk_expect(d, JOT_FENCED, forget_document(stale[i], plan, &mark, &d->e));
        assert_says(d, "lease 1 on 'notes/plan' is over: nothing was written");
        desk_expect(d, JOT_FENCED, forget_phrase(stale[i], plan, S("plain"), &f, &d->e));
        desk_expect(d, JOT_FENCED, memory_redact(stale[i], plan, 1, &d->e));
        desk_expect(d, JOT_FENCED, memory_trim(stale[i], plan, 2, &n, &d->e));
    }
    Memory late = told(&d->m, 99); /* never was one: it covers everything */
    Mark mark;
    desk_expect(d, JOT_FENCED, forget_document(&late, plan, &mark, &d->e));
    Records kept;
    desk_ok(d, store_read(d->m.store, plan, 1, 10, &d->a, &kept, &d->e));
    assert_int_equal(kept.n, 2);
    assert_text(kept.items[1].body, "plain");
    lease_close(&eve);
    lease_close(&late);
}

static void what_is_leased_may_be_forgotten_and_so_may_what_is_not(Desk *d)
{
    Mark mark;
    take(d, &d->m, "notes/plan");
    write_plan(d, &d->m, "one");
    desk_ok(d, put(d, &d->m, S("notes/other"), "two", &mark));
    desk_ok(d, forget_document(&d->m, plan, &mark, &d->e));
    pass(d, LEASE_TTL_MS);
    desk_ok(d, forget_document(&d->m, S("notes/other"), &mark, &d->e));
}

/* Somebody else takes the lease, and writes, when the clock is read for the nth time, in which
 * time goes on. */
typedef struct Intruder {
    Desk *d;
    Memory *m;
    int calls, nth;
    int64_t passes_ms;
    const char *writes; /* NULL: nothing */
    Lease got;
} Intruder;

static int64_t clock_with_intruder(void *ctx)
{
    Intruder *in = ctx;
    int64_t was_ms = in->d->awake_ms;
    if (++in->calls != in->nth)
        return was_ms;
    pass(in->d, in->passes_ms);
    desk_ok(in->d, ask(in->d, in->m, "notes/plan", false, 0, &in->got));
    if (in->writes)
        write_plan(in->d, in->m, in->writes);
    return was_ms;
}

/* The clock of this desk, with the intruder in it. */
static Io io_with(Intruder *in)
{
    Io io = in->d->io;
    io.awake_ms = clock_with_intruder;
    io.wall_ms = NULL;
    io.random = NULL;
    io.ctx = in;
    return io;
}

/* Another handle for bob, with a clock of its own. */
static Memory bob_open(Desk *d, const Io *io)
{
    bool mem = strcmp(d->engine, "mem") == 0;
    Memory bob = mem ? (Memory){ .store = d->m.store, .by = S("bob") } : desk_open(d, "bob");
    bob.io = io;
    return bob;
}

static void bob_close(Desk *d, Memory *bob)
{
    if (strcmp(d->engine, "mem") == 0)
        lease_close(bob);
    else
        memory_close(bob);
}

static void whoever_takes_a_lease_between_two_looks_at_the_clock_has_it(Desk *d)
{
    Io plain = d->io;
    Memory bob = bob_open(d, &plain);
    bool came = true;
    for (int nth = 1; came; nth++) {
        assert_in_range(nth, 1, 50);
        Intruder in = { .d = d, .m = &bob, .nth = nth, .passes_ms = 50 };
        Lease mine;
        Io io = io_with(&in);
        d->m.io = &io;
        jot_status st = ask(d, &d->m, "notes/plan", false, 0, &mine);
        d->m.io = &d->io;
        came = in.got.token != 0;
        desk_check(d, came ? JOT_LEASED : JOT_OK, st, "acquire", __FILE__, __LINE__);
        if (came)
            desk_ok(d, lease_release(&bob, in.got.token, &d->e));
        else
            assert_true(nth > 3); /* it came between any two looks before */
    }
    bob_close(d, &bob);
}

static void a_holder_that_sleeps_before_it_forgets_takes_nothing_of_the_next(Desk *d)
{
    Io plain = d->io;
    Memory bob = bob_open(d, &plain);
    bool came = true;
    for (int nth = 1; came; nth++) {
        assert_in_range(nth, 1, 50);
        Lease mine = take(d, &d->m, "notes/plan");
        write_plan(d, &d->m, "of ann");
        Intruder in = {
            .d = d, .m = &bob, .nth = nth, .passes_ms = LEASE_TTL_MS, .writes = "of bob"
        };
        Io io = io_with(&in);
        Mark mark;
        d->m.io = &io;
        jot_status st = memory_purge(&d->m, plan, &mark, &d->e);
        d->m.io = &d->io;
        came = in.got.token != 0;
        desk_check(d, came ? JOT_FENCED : JOT_OK, st, "purge", __FILE__, __LINE__);
        if (!came) {
            assert_true(nth > 1); /* once at least it came */
            break;
        }
        Record now;
        desk_ok(d, store_head(d->m.store, plan, HEAD_RECORD, &d->a, &now, &d->e));
        assert_text(now.body, "of bob");
        desk_ok(d, lease_release(&bob, in.got.token, &d->e));
        lease_disown(&d->m, mine.token);
    }
    bob_close(d, &bob);
}

/* --- The table ------------------------------------------------------------------------- */

static void members_of_a_newer_version_are_kept(Desk *d)
{
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

static void a_table_that_is_none_is_said_to_be_damaged(Desk *d)
{
    static const char *const bad[] = { "", "[]", "{\"leases\":1}", "{\"leases\":[{\"on\":1}]}",
                                       "not json" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Mark mark;
        Lease l;
        desk_ok(d, put(d, &d->m, S("leases/table"), bad[i], &mark));
        desk_expect(d, JOT_CORRUPT, ask(d, &d->m, "notes/plan", false, 0, &l));
        assert_says(d, "is not a table of leases");
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
        DESK_TEST(a_clock_that_began_anew_ends_every_lease_even_without_boot_ids),
        DESK_TEST(a_released_lease_is_free),
        DESK_TEST(a_write_under_a_lease_carries_its_token),
        DESK_TEST(a_write_goes_on_when_only_the_table_moved),
        DESK_TEST(a_prefix_covers_what_begins_with_it),
        DESK_TEST(a_write_under_a_lease_that_is_over_is_refused),
        DESK_TEST(an_adopted_lease_is_written_under),
        DESK_TEST(an_adopted_lease_that_is_over_refuses_every_write),
        DESK_TEST(a_retry_of_what_was_written_in_time_is_answered),
        DESK_TEST(an_expectation_is_checked_under_a_lease_too),
        DESK_TEST(ten_thousand_stale_writes_are_refused),
        DESK_TEST(nothing_is_forgotten_under_a_lease_that_is_over),
        DESK_TEST(what_is_leased_may_be_forgotten_and_so_may_what_is_not),
        DESK_TEST(whoever_takes_a_lease_between_two_looks_at_the_clock_has_it),
        DESK_TEST(a_holder_that_sleeps_before_it_forgets_takes_nothing_of_the_next),
        DESK_TEST(members_of_a_newer_version_are_kept),
        DESK_TEST(a_table_that_is_none_is_said_to_be_damaged),
        DESK_TEST(a_lease_is_shown_as_json),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
