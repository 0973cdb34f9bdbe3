/* test_run.c - runs and the context through jotter.h. */
#include "api/caller.h"

/* A new run; its id is copied to `id`. */
static void begin(Caller *c, const char *query, char id[80])
{
    const char *got;
    ok(c->pad, jot_run_begin(c->pad, jot_str(query), NULL, &got));
    snprintf(id, 80, "%s", got);
}

static void call(Caller *c, const char *run, const char *name, const char *tool, const char *result)
{
    ok(c->pad, jot_run_call(c->pad, run, name, tool, NULL, NULL));
    ok(c->pad, jot_run_result(c->pad, run, name, true, jot_str(result), NULL));
}

static void a_run_remembers_what_happened(Caller *c)
{
    char id[80];
    const jot_run *r;
    const jot_steps *steps;
    uint64_t n;
    begin(c, "how many shares?", id);
    ok(c->pad, jot_run_say(c->pad, id, JOT_STEP_THINKING, jot_str("look it up")));
    ok(c->pad, jot_run_say(c->pad, id, JOT_STEP_PLAN, jot_str("1. search")));
    ok(c->pad, jot_run_call(c->pad, id, "call_1", "search", NULL, NULL));
    ok(c->pad, jot_run_result(c->pad, id, "call_1", true, jot_str("120000"), &n));
    assert_int_equal(n, 1);
    ok(c->pad, jot_run_say(c->pad, id, JOT_STEP_ANSWER, jot_str("120,000")));
    ok(c->pad, jot_run_read(c->pad, id, &r));
    assert_text(r->query, "how many shares?");
    assert_text(r->plan, "1. search");
    assert_text(r->answer, "120,000");
    assert_int_equal(r->results, 1);
    assert_int_equal(r->thoughts, 1);
    assert_int_equal(r->open, 0);
    ok(c->pad, jot_run_history(c->pad, id, 1, 0, &steps));
    assert_int_equal(steps->count, 6);
    assert_int_equal(steps->next, 0);
    assert_int_equal(steps->items[3]->kind, JOT_STEP_CALL);
    assert_string_equal(steps->items[3]->tool, "search");
    assert_int_equal(steps->items[4]->kind, JOT_STEP_RESULT);
    assert_text(steps->items[4]->text, "120000");
    ok(c->pad, jot_run_history(c->pad, id, 2, 2, &steps));
    assert_int_equal(steps->count, 2);
    assert_int_equal(steps->next, 4);
}

static void another_process_goes_on_with_a_run(Caller *c)
{
    char id[80];
    const jot_run *r;
    const jot_open_calls *open;
    jot_call_options o = { 0 };
    jot_pad *bob = caller_open(c, "bob");
    o.size = sizeof o;
    o.arguments = "{\"to\":\"x\"}";
    o.mutating = true;
    begin(c, "q", id);
    ok(c->pad, jot_run_call(c->pad, id, "call_1", "send", &o, NULL));
    ok(c->pad, jot_run_call(c->pad, id, "call_2", "fetch", NULL, NULL));
    ok(bob, jot_run_unfinished(bob, id, &open));
    assert_int_equal(open->count, 2);
    assert_true(open->items[0]->mutating);
    assert_text(open->items[0]->arguments, o.arguments);
    ok(bob, jot_run_result(bob, id, "call_2", false, jot_str("timed out"), NULL));
    ok(c->pad, jot_run_read(c->pad, id, &r));
    assert_int_equal(r->open, 1);
    expect(c->pad, JOT_CONFLICT, jot_run_call(c->pad, id, "call_1", "send", &o, NULL));
    expect(c->pad, JOT_NOT_FOUND,
           jot_run_result(c->pad, id, "call_2", true, jot_str("late"), NULL));
    jot_free(bob);
}

static void results_are_cleared_and_summed_up(Caller *c)
{
    char id[80];
    const jot_text *text;
    uint64_t n;
    begin(c, "q", id);
    call(c, id, "c1", "a", "result one");
    call(c, id, "c2", "b", "### b()\nresult two");
    ok(c->pad, jot_run_clear(c->pad, id, 1, &n));
    assert_int_equal(n, 1);
    ok(c->pad, jot_run_results(c->pad, id, 0, 0, &text));
    assert_null(strstr(text->data, "result one"));
    assert_says(text->data, "[Tool result #1 cleared from context]");
    assert_says(text->data, "\n\\### b()\n"); /* a value forges no structure */
    ok(c->pad, jot_run_results(c->pad, id, 1, 0, &text));
    assert_says(text->data, "result one");
    ok(c->pad, jot_run_compact(c->pad, id, jot_str("both are known")));
    ok(c->pad, jot_run_results(c->pad, id, 0, 0, &text));
    assert_text(*text, "both are known");
    ok(c->pad, jot_run_final(c->pad, id, &text));
    assert_says(text->data, "result two");
}

static void repeated_calls_are_warned_of_and_never_refused(Caller *c)
{
    char id[80], name[16];
    const jot_warnings *w = NULL;
    const jot_text *text;
    int i;
    begin(c, "q", id);
    for (i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "c%d", i);
        ok(c->pad, jot_run_call(c->pad, id, name, "search", NULL, &w));
        if (i == 0)
            assert_string_equal(w->limit, "");
        ok(c->pad, jot_run_result(c->pad, id, name, true, jot_str("x"), NULL));
    }
    assert_says(w->limit, "search");
    assert_true(w->loop[0] != 0);
    ok(c->pad, jot_run_usage(c->pad, id, 0, &text));
    assert_says(text->data, "search: 4 calls");
}

static void a_finished_call_is_recorded_at_once_by_the_limits_of_its_run(Caller *c)
{
    const char *id;
    const jot_finished *f;
    const jot_warnings *w;
    const jot_text *text;
    jot_run_options o = { 0 };
    jot_finish_options late = { 0 };
    jot_call_options near = { 0 };
    char run[80];
    o.size = sizeof o;
    o.limit = 5;
    o.similarity = 100;
    ok(c->pad, jot_run_begin(c->pad, jot_str("q"), &o, &id));
    snprintf(run, sizeof run, "%s", id);
    late.size = sizeof late;
    late.arguments = "{\"query\":\"apples pears\"}";
    late.failed = true;
    ok(c->pad, jot_run_finish(c->pad, run, "search", jot_str("none"), &late, &f));
    assert_int_equal(f->number, 1);
    assert_true(f->call[0] != 0);
    assert_string_equal(f->warnings.limit, "");
    near.size = sizeof near;
    near.arguments = "{\"query\":\"apples pears plums\"}";
    ok(c->pad, jot_run_call(c->pad, run, "c2", "search", &near, &w));
    assert_string_equal(w->limit, "");
    near.similarity = 50;
    ok(c->pad, jot_run_call(c->pad, run, "c3", "search", &near, &w));
    assert_says(w->limit, "very similar to a previous 'search' call. You have 3 attempt(s)");
    late.call = "c3";
    ok(c->pad, jot_run_finish(c->pad, run, "search", jot_str("x"), &late, &f));
    assert_string_equal(f->call, "c3");
    ok(c->pad, jot_run_usage(c->pad, run, 0, &text));
    assert_says(text->data, "search: 3/5 calls");
}

static void runs_are_listed_newest_first(Caller *c)
{
    char first[80], second[80];
    const jot_runs *runs;
    begin(c, "one", first);
    begin(c, "one", second);
    assert_string_not_equal(first, second);
    ok(c->pad, jot_run_list(c->pad, 1, &runs));
    assert_int_equal(runs->count, 1);
    assert_int_equal(runs->older, 1);
    assert_string_equal(runs->items[0]->id, second);
    assert_text(runs->items[0]->query, "one");
    ok(c->pad, jot_run_list(c->pad, 0, &runs));
    assert_int_equal(runs->count, 2);
    assert_string_equal(runs->items[1]->id, first);
}

static void a_context_keeps_its_budget_and_says_what_it_left_out(Caller *c)
{
    char id[80], name[16], *large = malloc(8001);
    const jot_shown *s;
    size_t prefix;
    int i;
    jot_context_options o = { 0 };
    o.size = sizeof o;
    o.budget = 3000;
    o.run = id;
    o.rules = jot_str("be brief\n");
    assert_non_null(large);
    for (i = 0; i < 8000; i++)
        large[i] = "words "[i % 6];
    large[8000] = 0;
    begin(c, "the question", id);
    ok(c->pad, jot_doc_write(c->pad, "pinned-goal", jot_str("win\n"), NULL, NULL));
    ok(c->pad, jot_context(c->pad, &o, &s));
    prefix = s->prefix;
    for (i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "c%d", i);
        call(c, id, name, "fetch", large);
    }
    ok(c->pad, jot_context(c->pad, &o, &s));
    assert_int_equal(s->prefix, prefix);
    assert_true(s->tokens <= 3000 && s->budget == 3000);
    assert_true(s->results >= 1 && s->results < 6);
    assert_true(s->left_count > 0 && s->left[0]->get[0] != 0);
    assert_says(s->text.data, "be brief");
    assert_says(s->text.data, "win");
    assert_says(s->text.data, "the question");
    o.tools = true;
    ok(c->pad, jot_context(c->pad, &o, &s));
    assert_null(strstr(s->text.data, "jotter runs"));
    assert_says(s->text.data, "run_results run=");
    ok(c->pad, jot_context(c->pad, NULL, &s));
    assert_int_equal(s->budget, 8000);
    free(large);
}

static void what_is_no_run_is_not_found(Caller *c)
{
    const jot_run *r;
    jot_context_options o = { 0 };
    o.size = sizeof o;
    o.run = "20260101-000000_abcdef";
    expect(c->pad, JOT_NOT_FOUND, jot_run_read(c->pad, o.run, &r));
    assert_null(r);
    expect(c->pad, JOT_NOT_FOUND, jot_context(c->pad, &o, NULL));
    expect(c->pad, JOT_NOT_FOUND,
           jot_run_say(c->pad, o.run, JOT_STEP_PLAN, jot_str("no place for it")));
}

static void a_run_forgets_what_it_is_told_to(Caller *c)
{
    char id[80], next[80];
    const jot_run *r;
    const jot_steps *steps;
    const jot_text *results;
    uint64_t n;
    begin(c, "what is the swordfish?", id);
    call(c, id, "call_1", "search", "it is a swordfish");
    ok(c->pad, jot_run_say(c->pad, id, JOT_STEP_ANSWER, jot_str("a fish")));
    ok(c->pad, jot_run_redact(c->pad, id, 0, jot_str("swordfish"), &n));
    assert_int_equal(n, 2);
    expect(c->pad, JOT_NOT_FOUND, jot_run_redact(c->pad, id, 0, jot_str("swordfish"), &n));
    assert_int_equal(n, 0);
    ok(c->pad, jot_run_redact(c->pad, id, 4, jot_str(""), &n));
    assert_int_equal(n, 1);
    expect(c->pad, JOT_NOT_FOUND, jot_run_redact(c->pad, id, 99, jot_str(""), NULL));
    expect(c->pad, JOT_UNSUPPORTED, jot_run_redact(c->pad, id, 0, jot_str("search"), &n));
    ok(c->pad, jot_run_read(c->pad, id, &r));
    assert_text(r->query, "[redacted]");
    assert_text(r->answer, "[redacted]");
    ok(c->pad, jot_run_results(c->pad, id, 0, 0, &results));
    assert_says(results->data, "[redacted]");
    ok(c->pad, jot_run_history(c->pad, id, 1, 0, &steps));
    assert_true(steps->items[0]->redacted && steps->items[2]->redacted);
    ok(c->pad, jot_run_purge(c->pad, id));
    expect(c->pad, JOT_NOT_FOUND, jot_run_read(c->pad, id, NULL));
    expect(c->pad, JOT_NOT_FOUND, jot_run_say(c->pad, id, JOT_STEP_THINKING, jot_str("x")));
    expect(c->pad, JOT_NOT_FOUND, jot_run_purge(c->pad, id));
    begin(c, "what is the swordfish?", next);
    assert_string_not_equal(next, id);
}

static void a_whole_pad_forgets_a_phrase(Caller *c)
{
    char id[80];
    const jot_redacted *done;
    const jot_doc *d;
    jot_task_options o = { 0 };
    o.size = sizeof o;
    o.description = jot_str("use swordfish");
    begin(c, "what is the swordfish?", id);
    ok(c->pad, jot_doc_write(c->pad, "plan", jot_str("a swordfish\n"), NULL, NULL));
    ok(c->pad, jot_redact_all(c->pad, jot_str("swordfish"), &done));
    assert_int_equal(done->rewritten, 1);
    assert_int_equal(done->records, 2);
    assert_int_equal(done->total, 0);
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &d));
    assert_text(d->text, "a [redacted]\n");
    expect(c->pad, JOT_NOT_FOUND, jot_redact_all(c->pad, jot_str("swordfish"), &done));
    assert_null(done);
    ok(c->pad, jot_task_add(c->pad, "t1", &o, NULL));
    expect(c->pad, JOT_UNSUPPORTED, jot_redact_all(c->pad, jot_str("swordfish"), &done));
    assert_int_equal(done->count, 1);
    assert_string_equal(done->items[0]->kind, "value");
    assert_string_equal(done->items[0]->stream, "tasks/t1");
    assert_says(done->items[0]->what, "purge it");
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(a_run_remembers_what_happened),
        CALLER_TEST(another_process_goes_on_with_a_run),
        CALLER_TEST(results_are_cleared_and_summed_up),
        CALLER_TEST(repeated_calls_are_warned_of_and_never_refused),
        CALLER_TEST(a_finished_call_is_recorded_at_once_by_the_limits_of_its_run),
        CALLER_TEST(runs_are_listed_newest_first),
        CALLER_TEST(a_context_keeps_its_budget_and_says_what_it_left_out),
        CALLER_TEST(what_is_no_run_is_not_found),
        CALLER_TEST(a_run_forgets_what_it_is_told_to),
        CALLER_TEST(a_whole_pad_forgets_a_phrase),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
