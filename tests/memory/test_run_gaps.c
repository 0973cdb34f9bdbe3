/* test_run_gaps.c - runs that are not as a single writer leaves them: folds that were redacted,
 * others who write between two reads, numbers far beyond what there is. */
#include "memory/context/context.h"
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

static jot_status read_watched(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                               Err *e)
{
    jot_status st = between.own->read(s, stream, range, into, out, e);
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

/* The fold of a run in which nothing happened, but for its member `open` and these tools. */
static Str fold_of(Desk *d, Str open, Str tools)
{
    return arena_printf(
        &d->a,
        "{" STR_FMT
        "\"results\":0,\"result_seq\":0,\"compacted\":0,\"compact_seq\":0,\"cleared\":0,"
        "\"plan_seq\":0,\"answer_seq\":0,\"thoughts\":0,\"damaged\":0,"
        "\"usage\":{\"tools\":[" STR_FMT "],\"queries\":[],\"last\":\"\",\"streak\":0}}",
        STR_ARG(open), STR_ARG(tools));
}

/* Made-up records can add up to numbers that no fold can hold. */
static void a_count_beyond_all_counting_does_no_harm(Desk *d)
{
    AUTO(Buf) open = { 0 };
    AUTO(Run) r = { 0 };
    AUTO(Run) again = { 0 };
    buf_add(&open, S("\"open\":[{\"tool\":\"f\",\"call\":\""));
    for (unsigned i = 0; i < 5 * 1024 * 1024 / 16; i++)
        buf_add(&open, S("sixteen letters."));
    buf_add(&open, S("\"}],"));
    Str fold = fold_of(d, buf_str(&open),
                       S("{\"name\":\"f\",\"calls\":9223372036854775807,\"errors\":0}"));
    put(d, S("runs/made-up"), 64, "{\"kind\":\"fold\"}", fold.p);
    desk_ok(d, run_open(&d->m, S("made-up"), &r, &d->e));
    assert_int_equal(r.state.open_n, 1);
    call_as(d, &r, "c1", "f", "{}");
    desk_ok(d, run_open(&d->m, S("made-up"), &again, &d->e));
    assert_int_equal(again.state.open_n, 2);
}

static void a_fold_that_nobody_wrote_is_none(Desk *d)
{
    AUTO(Buf) tools = { 0 };
    RunState state;
    Str open = S("\"open\":[],"), none = { 0 };
    assert_true(run_state_read(fold_of(d, open, none), &d->a, &state));
    Str twice = arena_printf(&d->a, STR_FMT STR_FMT, STR_ARG(open), STR_ARG(open));
    assert_false(run_state_read(fold_of(d, twice, none), &d->a, &state));
    for (int i = 0; i < 5000; i++)
        buf_addf(&tools, "%s{\"name\":\"t%d\",\"calls\":1,\"errors\":0}", i ? "," : "", i);
    assert_false(run_state_read(fold_of(d, open, buf_str(&tools)), &d->a, &state));
    tools.n = 0;
    for (int i = 0; i < 500; i++)
        buf_addf(&tools, "%s{\"name\":\"t%d\",\"calls\":1,\"errors\":0}", i ? "," : "", i);
    assert_true(run_state_read(fold_of(d, open, buf_str(&tools)), &d->a, &state));
    assert_int_equal(state.usage.tools_n, 500);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_result_that_comes_between_two_reads_is_shown),
        DESK_TEST(no_fold_is_needed),
        DESK_TEST(a_number_far_beyond_what_there_is_costs_few_reads),
        DESK_TEST(a_count_beyond_all_counting_does_no_harm),
        DESK_TEST(a_fold_that_nobody_wrote_is_none),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
