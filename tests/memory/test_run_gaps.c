/* test_run_gaps.c - runs that are not as a single writer leaves them: folds that were redacted,
 * others who write between two reads, numbers far beyond what there is. */
#include "memory/context.h"
#include "memory/run_desk.h"
#include "store/engine.h"

enum { READS_MAX = 4000 };

/* What happens behind a read of the store, once. */
static struct Between {
    Desk *d;
    Run *r;
    const StoreOps *own;
    StoreOps ops;
    unsigned reads;
    bool writes;
} between;

static jot_status read_watched(Store *s, Str stream, uint64_t from, size_t limit, Arena *into,
                               Records *out, Err *e)
{
    jot_status st = between.own->read(s, stream, from, limit, into, out, e);
    between.reads++;
    assert_true(between.reads < READS_MAX);
    if (between.writes) {
        between.writes = false;
        round_trip(between.d, between.r, 1000);
    }
    return st;
}

static void watch(Desk *d, Run *r, bool writes)
{
    between = (struct Between){ .d = d, .r = r, .own = d->m.store->ops, .writes = writes };
    between.ops = *between.own;
    between.ops.read = read_watched;
    d->m.store->ops = &between.ops;
}

static void watch_no_more(Desk *d)
{
    d->m.store->ops = between.own;
}

static Context context_of(Desk *d, Run *r)
{
    Context c;
    ContextAsk ask = { .run = r };
    desk_ok(d, context_build(&d->m, &ask, &d->a, &c, &d->e));
    return c;
}

/* Without the newest fold there are two reads from a fold on, and somebody writes between them. */
static void a_result_that_comes_between_two_reads_is_shown(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    AUTO(Run) late = { 0 };
    for (unsigned i = 1; i <= 64; i++)
        round_trip(d, &r, i);
    desk_ok(d, memory_redact(&d->m, str(r.stream), 128, &d->e));
    desk_ok(d, run_at(&d->m, str(r.id), &late, &d->e));
    watch(d, &r, true);
    Context c = context_of(d, &late);
    watch_no_more(d);
    assert_int_equal(late.state.seq, r.state.seq);
    assert_has(c.text, "result 1000");
    assert_str(c.text, context_of(d, &r).text);
}

static void no_fold_is_needed(Desk *d)
{
    AUTO(Run) r = begin(d, "q");
    for (unsigned i = 1; i <= 300; i++)
        round_trip(d, &r, i);
    Str whole = context_of(d, &r).text, state = state_text(d, &r.state);
    for (uint64_t at = r.state.seq - r.state.seq % RUN_FOLD_EVERY; at; at -= RUN_FOLD_EVERY) {
        AUTO(Run) again = { 0 };
        desk_ok(d, memory_redact(&d->m, str(r.stream), at, &d->e));
        desk_ok(d, run_at(&d->m, str(r.id), &again, &d->e));
        assert_str(context_of(d, &again).text, whole);
        assert_str(state_text(d, &again.state), state);
        for (uint64_t n = 1; n <= 300; n += 23) {
            Results list;
            desk_ok(d, run_results(&again, n, n, &d->a, &list, &d->e));
            assert_int_equal(list.n, 1);
            assert_int_equal(list.items[0].n, n);
        }
    }
}

static void put(Desk *d, Str stream, uint64_t seq, const char *meta, const char *body)
{
    Record x = { .mark = { .seq = seq, .at_ms = 5, .op = OP_APPEND }, .by = S("ann") };
    x.meta = str(meta);
    x.body = str(body);
    x.mark.size = x.body.n;
    x.mark.sha256 = hash_of(x.body);
    desk_ok(d, store_put_records(d->m.store, stream, &x, 1, &d->e));
}

/* An archive can hold a stream whose first records were trimmed, and say any number. */
static void a_number_far_beyond_what_there_is_costs_few_reads(Desk *d)
{
    static const uint64_t numbers[] = { 1000, 1000000, INT64_MAX / 1000, INT64_MAX - 100 };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        AUTO(Run) r = { 0 };
        Results list;
        Str id = arena_printf(&d->a, "run-%zu", i);
        put(d, arena_printf(&d->a, "runs/" STR_FMT, STR_ARG(id)), numbers[i],
            "{\"kind\":\"tool_result\",\"tool\":\"f\",\"of\":3,\"n\":7,\"ok\":true}", "far away");
        watch(d, NULL, false);
        desk_ok(d, run_at(&d->m, id, &r, &d->e));
        assert_has(context_of(d, &r).text, "far away");
        desk_ok(d, run_results(&r, 7, 7, &d->a, &list, &d->e));
        watch_no_more(d);
        assert_int_equal(list.n, 1);
        assert_str(list.items[0].result, S("far away"));
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_result_that_comes_between_two_reads_is_shown),
        DESK_TEST(no_fold_is_needed),
        DESK_TEST(a_number_far_beyond_what_there_is_costs_few_reads),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
