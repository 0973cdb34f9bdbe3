/* test_lease_write.c - writing and forgetting under a lease: what one that has ended still allows,
 * which is nothing. */
#include "memory/lease.h"

#include "memory/forget/forget.h"
#include "memory/holding.h"
#include "memory/lease_desk.h"

enum { STALE_WRITES = 10000 };

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
    if (!desk_leases_prefixes(d))
        return;
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
    desk_outlast(d, LEASE_TTL_MS);
    Mark mark;
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "two", &mark));
    assert_says(d, "lease 1 on 'notes/plan' has ended: nothing was written");
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

static void an_adopted_lease_that_was_looked_at_refuses_its_own_name_only(Desk *d)
{
    Lease l = take(d, &d->m, "notes/plan"), seen;
    if (strcmp(d->engine, "mem") == 0)
        return; /* it has no second handle */
    Memory other = desk_open(d, "bob");
    Mark mark;
    lease_adopt(&other, l.token);
    desk_ok(d, lease_check(&other, l.token, &d->a, &seen, &d->e));
    desk_ok(d, lease_release(&d->m, l.token, &d->e));
    desk_ok(d, put(d, &other, S("notes/free"), "x", &mark));
    desk_expect(d, JOT_FENCED, put(d, &other, plan, "one", &mark));
    memory_close(&other);
}

static void an_adopted_lease_that_is_over_refuses_every_write(Desk *d)
{
    lease_adopt(&d->m, 77);
    Mark mark;
    desk_expect(d, JOT_FENCED, put(d, &d->m, plan, "one", &mark));
    assert_says(d, "lease 77 has ended");
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
    desk_outlast(d, LEASE_TTL_MS);
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
            holdings_close(&told);
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
        holdings_close(&other);
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
        assert_says(d, "lease 1 on 'notes/plan' has ended: nothing was written");
        desk_expect(d, JOT_FENCED, forget_phrase(stale[i], plan, S("plain"), &f, &d->e));
        desk_expect(d, JOT_FENCED, memory_redact(stale[i], plan, 1, &d->e));
        desk_expect(d, JOT_FENCED, memory_trim(stale[i], plan, 2, &n, &d->e));
    }
    Memory late = told(&d->m, 99); /* never was one: it covers everything */
    Mark mark;
    desk_expect(d, JOT_FENCED, forget_document(&late, plan, &mark, &d->e));
    Records kept;
    desk_ok(d, store_read(d->m.store, plan, (SeqRange){ 1, 10 }, &d->a, &kept, &d->e));
    assert_int_equal(kept.n, 2);
    assert_text(kept.items[1].body, "plain");
    holdings_close(&eve);
    holdings_close(&late);
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
    desk_outlast(in->d, in->passes_ms);
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
        holdings_close(bob);
    else
        memory_close(bob);
}

static void whoever_takes_a_lease_between_two_looks_at_the_clock_has_it(Desk *d)
{
    /* On S3 the clock is also looked at when the lease is taken already, and the value written once
     * more. */
    if (strcmp(d->engine, "s3") == 0)
        return;
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

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_write_under_a_lease_carries_its_token),
        DESK_TEST(a_write_goes_on_when_only_the_table_moved),
        DESK_TEST(a_prefix_covers_what_begins_with_it),
        DESK_TEST(a_write_under_a_lease_that_is_over_is_refused),
        DESK_TEST(an_adopted_lease_is_written_under),
        DESK_TEST(an_adopted_lease_that_was_looked_at_refuses_its_own_name_only),
        DESK_TEST(an_adopted_lease_that_is_over_refuses_every_write),
        DESK_TEST(a_retry_of_what_was_written_in_time_is_answered),
        DESK_TEST(an_expectation_is_checked_under_a_lease_too),
        DESK_TEST(ten_thousand_stale_writes_are_refused),
        DESK_TEST(nothing_is_forgotten_under_a_lease_that_is_over),
        DESK_TEST(what_is_leased_may_be_forgotten_and_so_may_what_is_not),
        DESK_TEST(whoever_takes_a_lease_between_two_looks_at_the_clock_has_it),
        DESK_TEST(a_holder_that_sleeps_before_it_forgets_takes_nothing_of_the_next),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
