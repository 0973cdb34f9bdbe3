/* test_artifact.c - artifacts, indexes, the sink, line logs and checkpoints through jotter.h. */
#include "api/caller.h"

static void an_artifact_is_json_with_a_type_and_a_task(Caller *c)
{
    const jot_artifact *a;
    const jot_doc *d;
    jot_artifact_options o = { 0 };
    o.size = sizeof o;
    o.type = "plan";
    o.task = "t1";
    o.if_absent = true;
    ok(c->pad, jot_artifact_write(c->pad, "planning", "call_1.2:3", jot_str("{\"a\":1}"), &o, &a));
    assert_string_equal(a->category, "planning");
    assert_string_equal(a->id, "call_1.2:3");
    assert_string_equal(a->type, "plan");
    assert_string_equal(a->task, "t1");
    assert_int_equal(strlen(a->sha256), 64);
    expect(c->pad, JOT_CONFLICT,
           jot_artifact_write(c->pad, "planning", "call_1.2:3", jot_str("2"), &o, &a));
    assert_int_equal(a->seq, 1);
    ok(c->pad, jot_artifact_read(c->pad, "planning", "call_1.2:3", NULL, &a));
    assert_text(a->text, "{\n  \"a\": 1\n}");
    ok(c->pad, jot_doc_read(c->pad, "artifacts/planning/call_1.2:3", NULL, &d));
    assert_text(d->text, "{\n  \"a\": 1\n}");
    expect(c->pad, JOT_INVALID, jot_artifact_write(c->pad, "x", "y", jot_str("{"), NULL, &a));
    assert_null(a);
}

static void older_versions_of_an_artifact_stay_readable(Caller *c)
{
    const jot_artifact *a;
    char first[65];
    ok(c->pad, jot_artifact_write(c->pad, "x", "y", jot_str("1"), NULL, &a));
    memcpy(first, a->sha256, sizeof first);
    ok(c->pad, jot_artifact_write(c->pad, "x", "y", jot_str("2"), NULL, NULL));
    ok(c->pad, jot_artifact_read(c->pad, "x", "y", first, &a));
    assert_text(a->text, "1");
    expect(c->pad, JOT_CONFLICT, jot_artifact_delete(c->pad, "x", "y", first));
    ok(c->pad, jot_artifact_delete(c->pad, "x", "y", NULL));
    expect(c->pad, JOT_NOT_FOUND, jot_artifact_read(c->pad, "x", "y", NULL, &a));
    ok(c->pad, jot_artifact_read(c->pad, "x", "y", first, &a));
}

static void artifacts_are_found_by_what_is_known_of_them(Caller *c)
{
    const jot_artifacts *list;
    jot_artifact_options o = { 0 };
    jot_artifact_query q = { 0 };
    o.size = sizeof o;
    q.size = sizeof q;
    o.type = "note";
    ok(c->pad, jot_artifact_write(c->pad, "a", "1", jot_str("1"), NULL, NULL));
    ok(c->pad, jot_artifact_write(c->pad, "a", "2", jot_str("2"), &o, NULL));
    ok(c->pad, jot_artifact_write(c->pad, "a/b", "3", jot_str("3"), &o, NULL));
    q.below = true;
    ok(c->pad, jot_artifact_list(c->pad, &q, &list));
    assert_int_equal(list->count, 3);
    assert_int_equal(list->problems_total, 0);
    q.type = "note";
    q.limit = 1;
    ok(c->pad, jot_artifact_list(c->pad, &q, &list));
    assert_int_equal(list->count, 1);
    assert_true(list->more);
    assert_string_equal(list->items[0]->id, "2");
    q.below = false;
    q.category = "a/b";
    ok(c->pad, jot_artifact_list(c->pad, &q, &list));
    assert_string_equal(list->items[0]->id, "3");
}

static void a_named_index_is_replaced_as_one(Caller *c)
{
    const jot_artifact *a;
    const jot_artifacts *list;
    jot_artifact_query q = { 0 };
    q.size = sizeof q;
    q.indexes = true;
    q.below = true;
    ok(c->pad, jot_artifact_index_write(c->pad, "a", "by_day", jot_str("[1]"), NULL, NULL));
    expect(c->pad, JOT_CONFLICT,
           jot_artifact_index_write(c->pad, "a", "by_day", jot_str("[2]"), "0123456789ab", &a));
    ok(c->pad, jot_artifact_index_read(c->pad, "a", "by_day", &a));
    assert_text(a->text, "[\n  1\n]");
    ok(c->pad, jot_artifact_list(c->pad, &q, &list));
    assert_int_equal(list->count, 1);
    ok(c->pad, jot_artifact_index_delete(c->pad, "a", "by_day"));
    expect(c->pad, JOT_NOT_FOUND, jot_artifact_index_read(c->pad, "a", "by_day", &a));
}

static void a_large_result_is_kept_whole_and_shown_in_part(Caller *c)
{
    char large[3000];
    const jot_kept *k;
    const jot_slice *s;
    jot_text text = { large, sizeof large };
    jot_sink_options o = { 0 };
    o.size = sizeof o;
    o.arguments = "{\"q\":1}";
    o.inline_max = 1000;
    memset(large, 'x', sizeof large);
    large[9] = '\n';
    ok(c->pad, jot_sink_write(c->pad, "call_1", "search", text, &o, &k));
    assert_true(k->spilled && k->is_text);
    assert_int_equal(k->bytes, sizeof large);
    assert_int_equal(k->shown.size, 1000);
    assert_true(k->prompt.size > k->shown.size);
    ok(c->pad, jot_sink_read(c->pad, k->handle, JOT_LINES, 1, 1, &s));
    assert_int_equal(s->text.size, 10);
    assert_true(s->more);
    ok(c->pad, jot_sink_read(c->pad, "call_1", JOT_BYTES, 2990, 0, &s));
    assert_text(s->text, "xxxxxxxxxx");
    assert_false(s->more);
    ok(c->pad, jot_sink_read(c->pad, "call_1", JOT_WHOLE, 0, 0, &s));
    assert_int_equal(s->text.size, sizeof large);
    ok(c->pad, jot_sink_view(c->pad, "call_1", 0, &k));
    assert_false(k->spilled);
}

static void a_call_has_one_result_for_ever(Caller *c)
{
    const jot_kept *k;
    ok(c->pad, jot_sink_write(c->pad, "call_1", "search", jot_str("one"), NULL, &k));
    expect(c->pad, JOT_ID_REUSED,
           jot_sink_write(c->pad, "call_1", "search", jot_str("one"), NULL, &k));
    assert_true(k->same);
    expect(c->pad, JOT_ID_REUSED,
           jot_sink_write(c->pad, "call_1", "search", jot_str("two"), NULL, &k));
    assert_false(k->same);
    assert_text(k->shown, "one");
    expect(c->pad, JOT_NOT_FOUND, jot_sink_view(c->pad, "call_2", 0, &k));
}

static void lines_are_kept_in_order_and_followed(Caller *c)
{
    const jot_line *line;
    const jot_lines *lines;
    jot_line_log_cursor place = { 0 };
    ok(c->pad, jot_line_log_append(c->pad, "events", "today", jot_str("one"), NULL, &line));
    assert_int_equal(line->seq, 1);
    assert_text(line->text, "one");
    ok(c->pad, jot_line_log_append(c->pad, "events", "today", jot_str("two"), "id-2", NULL));
    ok(c->pad, jot_line_log_append(c->pad, "events", "today", jot_str("two"), "id-2", NULL));
    ok(c->pad, jot_line_log_read(c->pad, "events", "today", 1, 0, &lines));
    assert_int_equal(lines->count, 2);
    ok(c->pad, jot_line_log_tail(c->pad, "events", "today", 1, &lines));
    assert_int_equal(lines->count, 1);
    assert_text(lines->items[0]->text, "two");
    ok(c->pad, jot_line_log_follow(c->pad, "events", "today", &place, 0, &lines));
    assert_int_equal(lines->count, 2);
    ok(c->pad, jot_line_log_append(c->pad, "events", "today", jot_str("three"), NULL, NULL));
    ok(c->pad, jot_line_log_follow(c->pad, "events", "today", &place, 0, &lines));
    assert_int_equal(lines->count, 1);
    assert_text(lines->items[0]->text, "three");
    ok(c->pad, jot_line_log_follow(c->pad, "events", "today", &place, 0, &lines));
    assert_int_equal(lines->count, 0);
    expect(c->pad, JOT_INVALID,
           jot_line_log_append(c->pad, "a", "b", jot_str("a\nb"), NULL, &line));
    expect(c->pad, JOT_NOT_FOUND, jot_line_log_read(c->pad, "a", "b", 1, 0, &lines));
}

static void a_checkpoint_can_be_undone(Caller *c)
{
    const jot_checkpoint *p;
    const jot_checkpoints *list;
    uint64_t n;
    ok(c->pad, jot_checkpoint_write(c->pad, "run_1", jot_str("state 1"), "begin", &p));
    assert_int_equal(p->version, 1);
    ok(c->pad, jot_checkpoint_write(c->pad, "run_1", jot_str("state 2"), NULL, NULL));
    ok(c->pad, jot_checkpoint_read(c->pad, "run_1", 0, &p));
    assert_text(p->state, "state 2");
    expect(c->pad, JOT_CONFLICT, jot_checkpoint_undo(c->pad, "run_1", 1, &p));
    ok(c->pad, jot_checkpoint_undo(c->pad, "run_1", 2, &p));
    assert_text(p->state, "state 1");
    assert_int_equal(p->undone, 2);
    ok(c->pad, jot_checkpoint_list(c->pad, "run_1", 0, &list));
    assert_int_equal(list->total, 3);
    assert_int_equal(list->depth, 1);
    assert_string_equal(list->items[0]->label, "begin");
    ok(c->pad, jot_checkpoint_trim(c->pad, "run_1", 1, 0, &n));
    assert_int_equal(n, 0); /* so few are always kept */
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(an_artifact_is_json_with_a_type_and_a_task),
        CALLER_TEST(older_versions_of_an_artifact_stay_readable),
        CALLER_TEST(artifacts_are_found_by_what_is_known_of_them),
        CALLER_TEST(a_named_index_is_replaced_as_one),
        CALLER_TEST(a_large_result_is_kept_whole_and_shown_in_part),
        CALLER_TEST(a_call_has_one_result_for_ever),
        CALLER_TEST(lines_are_kept_in_order_and_followed),
        CALLER_TEST(a_checkpoint_can_be_undone),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
