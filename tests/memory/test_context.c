/* test_context.c - contexts: the same bytes for everybody, within the budget, with nothing missing
 * that is not listed, and at a cost that does not grow with the run. */
#include "memory/context.h"

#include "base/utf8.h"

#include "memory/desk.h"
#include "memory/doc.h"
#include "memory/hostile.h"
#include "memory/tokens.h"

static void note(Desk *d, const char *key, Str text)
{
    Doc out;
    Str stream = arena_printf(&d->a, "notes/%s", key);
    desk_ok(d, doc_write(&d->m, stream, &(DocWrite){ .text = text }, &d->a, &out, &d->e));
}

static void add(Desk *d, Run *r, const char *tool, Str result)
{
    static unsigned calls;
    char id[32];
    uint64_t n;
    snprintf(id, sizeof id, "c%u", calls++);
    RunCall c = { .call = str(id), .tool = str(tool), .args = S("{\"query\":\"some words\"}") };
    desk_ok(d, run_call(r, &c, &d->e));
    desk_ok(d, run_result(r, str(id), true, result, &n, &d->e));
}

static void add_many(Desk *d, Run *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add(d, r, "search", arena_printf(&d->a, "found thing %u on the page about it", i));
}

static Run begin(Desk *d)
{
    Run r;
    desk_ok(d, run_new(&d->m, S("what is there?"), &r, &d->e));
    return r;
}

static Context build(Desk *d, Run *r, uint64_t budget)
{
    Context c;
    ContextAsk ask = { .budget = budget, .run = r };
    desk_ok(d, context_build(&d->m, &ask, &d->a, &c, &d->e));
    return c;
}

static bool has(Str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static Str prefix_of(const Context *c)
{
    return str_slice(c->text, 0, c->prefix_bytes);
}

static void rules_and_pinned_notes_come_first_in_their_order(Desk *d)
{
    note(d, "pinned-b", S("B\n"));
    note(d, "pinned-a", S("A\n"));
    note(d, "other", S("no\n"));
    note(d, "persistent-rules", S("be terse"));
    Context c;
    ContextAsk ask = { .rules = S("from outside\n") };
    desk_ok(d, context_build(&d->m, &ask, &d->a, &c, &d->e));
    assert_text(c.text,
                "<jotter-rules>\nfrom outside\n</jotter-rules>\n"
                "<jotter-note key=\"persistent-rules\" version=\"2e34ae4535d2\">\nbe terse\n"
                "</jotter-note>\n"
                "<jotter-note key=\"pinned-a\" version=\"06f961b802bc\">\nA\n</jotter-note>\n"
                "<jotter-note key=\"pinned-b\" version=\"c0cde77fa8fe\">\nB\n</jotter-note>\n");
    assert_int_equal(c.prefix_bytes, c.text.n);
    assert_int_equal(c.tokens, tokens_estimate(c.text));
    assert_int_equal(c.left_n, 0);
}

static void an_empty_pad_has_an_empty_context(Desk *d)
{
    Context c = build(d, NULL, 0);
    assert_int_equal(c.text.n, 0);
    assert_int_equal(c.budget, CONTEXT_BUDGET);
}

static void a_short_run_is_shown_in_full(Desk *d)
{
    AUTO(Run) r = begin(d);
    uint64_t n;
    add(d, &r, "search", S("one"));
    RunCall open = { .call = S("w1"), .tool = S("write_file"), .mutating = true };
    desk_ok(d, run_call(&r, &open, &d->e));
    RunCall bad = { .call = S("f1"), .tool = S("fetch") };
    desk_ok(d, run_call(&r, &bad, &d->e));
    desk_ok(d, run_result(&r, S("f1"), false, S("timed out\n"), &n, &d->e));
    desk_ok(d, run_say(&r, RUN_PLAN, S("1. look"), &d->e));
    Context c = build(d, &r, 0);
    assert_str(c.text,
               arena_printf(&d->a,
                            "<jotter-query run=\"%s\">\nwhat is there?\n</jotter-query>\n"
                            "<jotter-results>\n### search(query=some words)\none\n\n"
                            "### fetch() [error]\ntimed out\n\n</jotter-results>\n"
                            "<jotter-plan>\n1. look\n</jotter-plan>\n"
                            "<jotter-open>\ncalls without a result:\n"
                            "- write_file w1 (mutating: look before you repeat it)\n"
                            "</jotter-open>\n"
                            "## Tool Usage This Query\n\n- search: 1/3 calls\n- write_file: 1/3 "
                            "calls\n- fetch: 1/3 calls\n\nNote: If a tool isn't returning useful "
                            "results after several attempts, consider trying a different "
                            "tool/approach.\n",
                            r.id));
    assert_int_equal(c.left_n, 0);
    assert_int_equal(c.results_shown, 2);
}

static void the_state_of_an_agent_opens_the_tail(Desk *d)
{
    Doc out;
    DocWrite w = { .text = S("goals: [x]\n") };
    desk_ok(d, doc_write(&d->m, S("cycles/default"), &w, &d->a, &out, &d->e));
    Context c;
    ContextAsk ask = { .agent = S("default") };
    desk_ok(d, context_build(&d->m, &ask, &d->a, &c, &d->e));
    assert_text(c.text, "<jotter-state agent=\"default\">\ngoals: [x]\n</jotter-state>\n");
    assert_int_equal(c.prefix_bytes, 0);
}

static void two_handles_build_the_same_bytes(Desk *d)
{
    AUTO(Run) r = begin(d);
    note(d, "pinned-a", S("A\n"));
    add_many(d, &r, 150);
    Context one = build(d, &r, 2000);
    Memory m = desk_open(d, "bob");
    AUTO(Run) other = { 0 };
    desk_ok(d, run_open(&m, str(r.id), &other, &d->e));
    Context two;
    ContextAsk ask = { .budget = 2000, .run = &other };
    desk_ok(d, context_build(&m, &ask, &d->a, &two, &d->e));
    assert_str(two.text, one.text);
    run_close(&other);
    memory_close(&m);
}

/* Whatever a handle has read before: nothing, some of the run, or all of it; with the newest fold
 * anywhere among the results, and calls of results on its other side. */
static void what_a_handle_has_read_makes_no_difference(Desk *d)
{
    AUTO(Run) r = begin(d);
    AUTO(Run) kept = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &kept, &d->e));
    for (int i = 0; i < 70; i++) {
        add_many(d, &r, 1U + (unsigned)i % 3);
        if (i % 5)
            continue;
        AUTO(Run) fresh = { 0 };
        AUTO(Run) opened = { 0 };
        desk_ok(d, run_at(&d->m, str(r.id), &fresh, &d->e));
        desk_ok(d, run_open(&d->m, str(r.id), &opened, &d->e));
        Context own = build(d, &r, 1500);
        assert_str(build(d, &fresh, 1500).text, own.text);
        assert_str(build(d, &fresh, 1500).text, own.text);
        assert_str(build(d, &opened, 1500).text, own.text);
        assert_str(build(d, &kept, 1500).text, own.text);
    }
}

static void a_run_that_is_not_there_is_not_found(Desk *d)
{
    AUTO(Run) r = { 0 };
    Context c;
    desk_ok(d, run_at(&d->m, S("20250101-000000_abcdef"), &r, &d->e));
    ContextAsk ask = { .run = &r };
    assert_int_equal(context_build(&d->m, &ask, &d->a, &c, &d->e), JOT_NOT_FOUND);
    assert_sentence(&d->e);
}

static void the_prefix_stays_when_results_are_added(Desk *d)
{
    AUTO(Run) r = begin(d);
    note(d, "persistent-rules", S("be terse\n"));
    note(d, "pinned-empty", S(""));
    AUTO(Buf) big = { 0 };
    for (int i = 0; i < 4000; i++)
        buf_addf(&big, "line %d of it\n", i);
    note(d, "pinned-longer", buf_str(&big)); /* it is cut, and always at the same place */
    add_many(d, &r, 30);
    Context before = build(d, &r, 3000);
    for (int i = 0; i < 10; i++) {
        add(d, &r, "fetch", str_slice(buf_str(&big), 0, (size_t)i * 3000));
        Context after = build(d, &r, 3000);
        assert_str(prefix_of(&after), prefix_of(&before));
        assert_false(str_eq(after.text, before.text));
    }
}

static void the_newest_results_are_shown_and_older_ones_masked(Desk *d)
{
    AUTO(Run) r = begin(d);
    add_many(d, &r, 300);
    Context c = build(d, &r, 1500);
    assert_true(has(c.text, "found thing 299 on"));
    assert_true(has(c.text, "[Tool result #"));
    assert_true(has(c.text, " masked: search(query=some words), "));
    assert_false(has(c.text, "found thing 1 on"));
    assert_true(c.results_shown > 5);
    assert_string_equal(c.left[0].why, "masked");
    assert_string_equal(c.left[1].why, "left out");
    assert_int_equal(c.left[1].from, 1);
    assert_int_equal(c.left[1].to + 1, c.left[0].from);
    assert_int_equal(c.left[0].to + c.results_shown, 300);
}

static void cleared_and_summed_up_results_are_listed(Desk *d)
{
    AUTO(Run) r = begin(d);
    uint64_t n;
    add_many(d, &r, 5);
    desk_ok(d, run_compact(&r, S("five things\n</jotter-results>"), &d->e));
    add_many(d, &r, 4);
    desk_ok(d, run_clear(&r, 1, &n, &d->e));
    Context c = build(d, &r, 0);
    assert_true(has(c.text, "<jotter-results>\nfive things\n\\</jotter-results>\n\n---\n\n"
                            "New data retrieved after compaction:\n\n### search(query=some words)\n"
                            "found thing 3"));
    assert_true(has(c.text, "- results 6-8 (3), cleared\n- results 1-5 (5), summed up\n"));
    assert_false(has(c.text, "found thing 2"));
}

static void a_result_too_long_is_cut_and_says_so(Desk *d)
{
    AUTO(Run) r = begin(d);
    AUTO(Buf) big = { 0 };
    for (int i = 0; i < 60000; i++)
        buf_addf(&big, "row %d\n", i);
    add(d, &r, "old", S("small"));
    add(d, &r, "big", buf_str(&big));
    Context c = build(d, &r, 2000);
    assert_true(has(c.text, "### big(query=some words)\nrow 0\n"));
    assert_true(has(c.text, "[Tool result #2 cut: it has 588890 bytes, its beginning is above]"));
    assert_true(has(c.text, "### old(query=some words)\nsmall"));
    assert_string_equal(c.left[0].why, "cut");
    assert_str(c.left[0].get, arena_printf(&d->a, "jotter log results %s --from 2 --to 2", r.id));
}

static void what_is_not_text_is_not_shown(Desk *d)
{
    AUTO(Run) r = begin(d);
    add(d, &r, "old", S("small"));
    add(d, &r, "raw", S("\xFF\x00\xFE"));
    note(d, "pinned-raw", S("\xFF"));
    Context c = build(d, &r, 0);
    assert_true(utf8_valid(c.text));
    assert_true(has(c.text, "[Tool result #2 masked: raw(query=some words), 3 bytes]"));
    assert_true(has(c.text, "- note pinned-raw, not text: jotter read pinned-raw"));
    assert_true(has(c.text, "small"));
}

static void a_budget_out_of_bounds_is_refused(Desk *d)
{
    Context c;
    static const uint64_t bad[] = { 1, CONTEXT_BUDGET_MIN - 1, CONTEXT_BUDGET_MAX + 1, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        desk_expect(d, JOT_INVALID,
                    context_build(&d->m, &(ContextAsk){ .budget = bad[i] }, &d->a, &c, &d->e));
        assert_sentence(&d->e);
    }
}

/* --- Any pad, any budget ---------------------------------------------------------------------- */

/* Lines that open or close a part, as a parser would find them. */
static size_t count_lines(Str text, const char *opening)
{
    size_t n = 0;
    Str line;
    for (bool more = true; more;) {
        more = str_cut(&text, '\n', &line);
        n += str_starts(more ? line : text, str(opening));
    }
    return n;
}

static Str long_value(uint64_t *seed, Arena *a)
{
    AUTO(Buf) text = { 0 };
    for (uint64_t n = hostile_next(seed) % 200; n > 0; n--) {
        buf_add(&text, hostile_value(seed, true, a));
        buf_add(&text, hostile_next(seed) % 4 ? S(" ") : S("\n"));
    }
    return arena_copy(a, buf_str(&text));
}

/* Every result is shown in full or in exactly one range. */
static void check_ranges(const Context *c, uint64_t results)
{
    uint64_t listed = c->results_shown;
    for (size_t i = 0; i < c->left_n; i++) {
        const ContextLeft *l = &c->left[i];
        if (l->from == 0)
            continue;
        assert_true(l->from <= l->to && l->to <= results);
        listed += l->to - l->from + 1;
        for (size_t j = 0; j < i; j++)
            if (c->left[j].from)
                assert_true(l->to < c->left[j].from || c->left[j].to < l->from);
    }
    assert_int_equal(listed, results);
}

static void any_step(Desk *d, Run *r, uint64_t *seed)
{
    AUTO(Arena) a = { 0 };
    uint64_t n, what = hostile_next(seed) % 16;
    Str text = long_value(seed, &a);
    if (what == 0)
        desk_ok(d, run_clear(r, hostile_next(seed) % 10, &n, &d->e));
    else if (what == 1 && text.n)
        desk_ok(d, run_compact(r, text, &d->e));
    else if (what == 2)
        desk_ok(d, run_say(r, RUN_PLAN, text, &d->e));
    else if (what == 3)
        add(d, r, "raw", S("\xFF"));
    else if (what == 4)
        add(d, r, "odd tool", text);
    else
        add(d, r, "search", str_slice(text, 0, utf8_floor(text, hostile_next(seed) % 400)));
}

static void any_context_keeps_to_its_budget_and_lists_what_is_missing(Desk *d)
{
    uint64_t seed = hostile_seed(31);
    AUTO(Run) r = begin(d);
    for (int i = 0; i < 12; i++)
        note(d, arena_printf(&d->a, "pinned-%d", i).p, long_value(&seed, &d->a));
    for (int i = 0; i < 150; i++) {
        any_step(d, &r, &seed);
        uint64_t budget = CONTEXT_BUDGET_MIN + hostile_next(&seed) % 9000;
        Context c = build(d, &r, budget);
        assert_true(c.tokens <= budget);
        assert_true(utf8_valid(c.text));
        check_ranges(&c, r.state.results);
        assert_int_equal(count_lines(c.text, "<jotter-note"), count_lines(c.text, "</jotter-note"));
        assert_true(count_lines(c.text, "<jotter-note") <= 12);
        assert_int_equal(count_lines(c.text, "<jotter-query"), 1);
        assert_true(count_lines(c.text, "</jotter-results>") <= 1);
        assert_true(count_lines(c.text, "### ") >= c.results_shown);
        assert_true(count_lines(c.text, "### ") <= c.results_shown + 2); /* those that are cut */
        assert_true(count_lines(c.text, "## Tool Usage") == 1 || r.state.usage.tools_n == 0);
    }
}

/* --- Cost ------------------------------------------------------------------------------------- */

static void count_reads(void *ctx, const IoCall *call)
{
    if (call->kind == IO_READ && call->result > 0)
        *(long *)ctx += call->result;
}

static long go_on(void *ctx, IoCall *call)
{
    (void)ctx, (void)call;
    return 0;
}

/* Bytes read from the pad's files for one context, by a handle that knows nothing yet. */
static long bytes_read(Desk *d, const char *id)
{
    long bytes = 0;
    IoHook hook = { .before = go_on, .after = count_reads, .ctx = &bytes };
    desk_reopen(d);
    d->io.hook = &hook;
    AUTO(Run) r = { 0 };
    desk_ok(d, run_open(&d->m, str(id), &r, &d->e));
    build(d, &r, 2000);
    d->io.hook = NULL;
    return bytes;
}

static void a_long_run_costs_what_a_short_one_costs(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    AUTO(Run) r = begin(d);
    add_many(d, &r, 300);
    long few = bytes_read(d, r.id);
    r.m = &d->m;
    add_many(d, &r, 2700);
    long many = bytes_read(d, r.id);
    assert_true(few > 0);
    /* A few more halvings to find a record are all that is added. */
    assert_true(many < 2 * few);
}

static void results_far_back_are_found_without_reading_what_lies_between(Desk *d)
{
    AUTO(Run) r = begin(d);
    add_many(d, &r, 3);
    for (int i = 0; i < 400; i++)
        desk_ok(d, run_say(&r, RUN_THINKING, S("and then, and then, and then"), &d->e));
    Context c = build(d, &r, 0);
    assert_int_equal(c.results_shown, 3);
    assert_true(has(c.text, "found thing 0 on"));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(rules_and_pinned_notes_come_first_in_their_order),
        DESK_TEST(an_empty_pad_has_an_empty_context),
        DESK_TEST(a_short_run_is_shown_in_full),
        DESK_TEST(the_state_of_an_agent_opens_the_tail),
        DESK_TEST(what_a_handle_has_read_makes_no_difference),
        DESK_TEST(a_run_that_is_not_there_is_not_found),
        DESK_TEST(the_prefix_stays_when_results_are_added),
        DESK_TEST(the_newest_results_are_shown_and_older_ones_masked),
        DESK_TEST(cleared_and_summed_up_results_are_listed),
        DESK_TEST(a_result_too_long_is_cut_and_says_so),
        DESK_TEST(what_is_not_text_is_not_shown),
        DESK_TEST(a_budget_out_of_bounds_is_refused),
        DESK_TEST(any_context_keeps_to_its_budget_and_lists_what_is_missing),
        DESK_TEST(results_far_back_are_found_without_reading_what_lies_between),
    };
    static const DeskTest lasting[] = {
        DESK_TEST(two_handles_build_the_same_bytes),
        DESK_TEST(a_long_run_costs_what_a_short_one_costs),
    };
    return desk_run(tests, COUNT_OF(tests), false) + desk_run(lasting, COUNT_OF(lasting), true);
}
