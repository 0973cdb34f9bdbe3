/* test_import.c - other programs' files on their way in and out. */
#include "memory/graph/graph.h"
#include "memory/import_desk.h"

/* --- Notes ----------------------------------------------------------------------------- */

static void notes_come_in_and_go_out(Desk *d)
{
    file(d, "pads/plan.txt", "do it\n");
    file(d, "pads/empty.txt", "");
    file(d, "pads/latin.txt", "caf\xe9");
    file(d, "pads/readme.rst", "x");
    file(d, "pads/.gitkeep", "");
    assert_int_equal(recognised(d, "pads"), LAYOUT_NOTES);
    LayoutReport r = bring_in(d, "pads", false);
    assert_int_equal(r.added, 2);
    assert_int_equal(r.skipped_total, 3);
    says_why(&r, "latin.txt", "not UTF-8 at byte 3");
    says_why(&r, "readme.rst", "neither KEY.txt nor KEY.md");
    says_why(&r, ".gitkeep", "hidden");
    holds(d, "notes/plan", "do it\n");
    adds_nothing(d, "pads");
    write_out(d, LAYOUT_NOTES, "out");
    file_holds(d, "out/plan.txt", "do it\n");
    file_holds(d, "out/empty.txt", "");
}

static bool stop_after_seven(void *ctx, uint64_t done, uint64_t total)
{
    uint64_t *seen_total = ctx;
    *seen_total = total;
    return done < 7;
}

static void an_import_that_is_ended_keeps_what_it_read_and_goes_on_later(Desk *d)
{
    char path[32], stream[32];
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "many/n%02d.md", i);
        file(d, path, "text");
    }
    ImportFrom from;
    LayoutReport r;
    uint64_t total = 0;
    ImportOptions o = { .go_on = stop_after_seven, .ctx = &total };
    desk_ok(d, import_find(&d->io, at(d, "many"), LAYOUT_NOTES, &d->a, &from, &d->e));
    assert_int_equal(import_run(&d->m, &from, &o, &d->a, &r, &d->e), JOT_CANCELLED);
    assert_non_null(strstr(d->e.text, "interrupted after 7 files"));
    assert_int_equal(total, 20);
    assert_int_equal(r.added, 7);
    for (int i = 0; i < 7; i++) {
        snprintf(stream, sizeof stream, "notes/n%02d", i);
        holds(d, stream, "text");
    }
    r = bring_in(d, "many", false);
    assert_int_equal(r.added, 13);
    assert_int_equal(r.unchanged, 7);
}

static void more_notes_than_are_written_at_once_come_in(Desk *d)
{
    enum { N = 2 * STORE_MANY_MAX + 3 };
    char path[32];
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "pile/n%04d.txt", i);
        file(d, path, path);
    }
    LayoutReport r = bring_in(d, "pile", false);
    assert_int_equal(r.added, N);
    holds(d, "notes/n0000", "pile/n0000.txt");
    holds(d, "notes/n1026", "pile/n1026.txt");
    adds_nothing(d, "pile");
}

static void what_changed_since_is_not_replaced_unless_asked(Desk *d)
{
    file(d, "pads/plan.txt", "one");
    bring_in(d, "pads", false);
    Doc doc;
    DocWrite w = { .text = S("mine") };
    desk_ok(d, doc_write(&d->m, S("notes/plan"), &w, &d->a, &doc, &d->e));
    LayoutReport r = bring_in(d, "pads", false);
    says_why(&r, "plan.txt", "it is an older version in the pad: use --replace");
    assert_int_equal(r.added + r.unchanged, 0);
    holds(d, "notes/plan", "mine");
    bring_in(d, "pads", true);
    holds(d, "notes/plan", "one");
    r = bring_in(d, "pads", true);
    assert_int_equal(r.added, 0); /* it is there */
    assert_int_equal(r.unchanged, 1);
    file(d, "pads/plan.txt", "two");
    r = bring_in(d, "pads", false);
    says_why(&r, "plan.txt", "exists with another text");
    holds(d, "notes/plan", "one");
    bring_in(d, "pads", true);
    holds(d, "notes/plan", "two");
}

static void what_was_deleted_comes_back_only_if_asked(Desk *d)
{
    Doc doc;
    Mark mark;
    file(d, "pads/plan.txt", "one");
    file(d, "pads/gone.txt", "secret");
    bring_in(d, "pads", false);
    desk_ok(d, doc_delete(&d->m, S("notes/plan"), NULL, &d->a, &doc, &d->e));
    desk_ok(d, store_purge(d->m.store, S("notes/gone"), NULL, S("ann"), &mark, &d->e));
    LayoutReport r = bring_in(d, "pads", false);
    assert_int_equal(r.added + r.unchanged, 0);
    assert_int_equal(r.missed, 2);
    says_why(&r, "plan.txt", "it was deleted in the pad: use --replace");
    says_why(&r, "gone.txt", "it was deleted in the pad");
    desk_expect(d, JOT_NOT_FOUND, doc_read(&d->m, S("notes/plan"), &d->a, &doc, &d->e));
    r = bring_in(d, "pads", true);
    assert_int_equal(r.added, 2);
    assert_int_equal(r.missed, 0);
    holds(d, "notes/plan", "one");
}

/* Whatever is not there afterwards, but for hidden files; what is of the layout decides the status.
 */
static void what_was_missed_is_counted(Desk *d)
{
    file(d, "pads/plan.txt", "one");
    file(d, "pads/readme.rst", "x");
    file(d, "pads/.hidden", "x");
    LayoutReport r = bring_in(d, "pads", false);
    assert_int_equal(r.skipped_total, 2);
    assert_int_equal(r.missed, 1);
    desk_expect(d, JOT_INVALID, layout_missed(&r, "imported", &d->e));
    assert_says(d, "not everything was imported: 1 missed");
    file(d, "pads/plan.txt", "two");
    r = bring_in(d, "pads", false);
    desk_expect(d, JOT_CONFLICT, layout_missed(&r, "imported", &d->e));
    r = (LayoutReport){ 0 };
    desk_ok(d, layout_missed(&r, "imported", &d->e));
    file(d, "cycles/active.yaml", "a: [");
    file(d, "cycles/1_before.yaml", "a: 1");
    r = bring_in(d, "cycles", false);
    assert_int_equal(r.missed, 1);
}

static void two_memories_with_one_file_name_are_not_mixed_up(Desk *d)
{
    Mark mark;
    Draft line = { .op = OP_APPEND, .body = S("a line") };
    desk_put(d, "artifacts/x/y", "{\"a\":1}");
    desk_put(d, "artifacts/index/index", "{\"b\":1}");
    desk_put(d, "artifacts/p/q", "{}");
    desk_ok(d, memory_append(&d->m, S("logs/x/y.json"), NULL, &line, &mark, &d->e));
    desk_ok(d, memory_append(&d->m, S("logs/p"), NULL, &line, &mark, &d->e));
    desk_ok(d, memory_append(&d->m, S("logs/z/last.log"), NULL, &line, &mark, &d->e));
    LayoutReport r = write_out(d, LAYOUT_ARTIFACTS, "out");
    assert_int_equal(r.files, 4);
    assert_int_equal(r.missed, 3);
    says_why(&r, "logs/x/y.json", "'x/y.json' is there already, of another memory");
    says_why(&r, "logs/p", "'p' is there already");
    says_why(&r, "index/index.json", "is there already");
    file_holds(d, "out/x/y.json", "{\"a\":1}");
    file_holds(d, "out/index/index.json", "{\"b\":1}");
    file_holds(d, "out/z/last.log", "a line\n");
}

/* --- Artifacts ------------------------------------------------------------------------- */

static void artifacts_come_in_and_go_out(Desk *d)
{
    file(d, "book/planning/plan_001.json", "{\n  \"goal\": \"x\"\n}");
    file(d, "book/no/snapshots/t1_snapshot.json", "{}");
    file(d, "book/no/events/t1_events.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    file(d, "book/tool_results/tool-result-call:1.json",
         "{\"stable_id\":\"tool-result-call:1\",\"tool_call_id\":\"call:1\",\"tool_name\":\"ls\","
         "\"result\":\"a\\nb\",\"timestamp\":\"2026-01-01T00:00:00+00:00\"}");
    file(d, "book/planning/torn.json", "{\"goal\": ");
    file(d, "book/planning/plan.md", "# plan");
    file(d, "book/top.json", "{}");
    file(d, "book/index/index.json",
         "{\"entries\":[{\"stable_id\":\"t1\",\"artifact_id\":\"plan_001\",\"artifact_type\":"
         "\"plan\",\"category\":\"planning\",\"content_hash\":\"x\",\"timestamp\":\"y\"}]}");
    assert_int_equal(recognised(d, "book"), LAYOUT_ARTIFACTS);
    LayoutReport r = bring_in(d, "book", false);
    assert_int_equal(r.added, 6);
    says_why(&r, "planning/torn.json", "");
    says_why(&r, "planning/plan.md", "neither JSON nor a log");
    says_why(&r, "top.json", "no category");
    assert_int_equal(r.skipped_total, 3);
    assert_int_equal(r.missed, 3);
    holds(d, "artifacts/planning/plan_001", "{\n  \"goal\": \"x\"\n}");
    Doc doc;
    desk_ok(d, doc_read(&d->m, S("artifacts/planning/plan_001"), &d->a, &doc, &d->e));
    assert_text(doc.meta, "{\"type\":\"plan\",\"task_id\":\"t1\",\"hash\":\"x\",\"was\":\"y\"}");
    desk_ok(d, doc_read(&d->m, S("artifacts/tool_results/call:1"), &d->a, &doc, &d->e));
    assert_text(doc.meta, "{\"type\":\"tool_result\",\"listed\":false,\"tool\":\"ls\",\"bytes\":3,"
                          "\"lines\":2}");
    adds_nothing(d, "book");
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/planning/plan_001.json", "{\n  \"goal\": \"x\"\n}");
    file_holds(d, "out/no/events/t1_events.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    adds_nothing(d, "out");
}

static void a_log_that_grew_is_gone_on_with(Desk *d)
{
    file(d, "book/c/x.json", "{}");
    file(d, "book/c/x.log", "one\n");
    bring_in(d, "book", false);
    file(d, "book/c/x.log", "one\ntwo\nthree");
    LayoutReport r = bring_in(d, "book", false);
    assert_int_equal(r.added, 2);
    file(d, "book/c/x.log", "other\ntwo\n");
    r = bring_in(d, "book", true);
    says_why(&r, "c/x.log", "other entries");
}

/* --- Runs ------------------------------------------------------------------------------ */

#define RUN ".dexter/scratchpad/2026-01-31-184500_0123456789ab.jsonl"
#define INIT "{\"type\":\"init\",\"timestamp\":\"2026-01-31T18:45:00.000Z\",\"content\":\"why?\"}\n"
#define THINK                                                                              \
    "{\"type\":\"thinking\",\"timestamp\":\"2026-01-31T18:45:01.000Z\",\"content\":\"### " \
    "x(y)\\nhm\"}\n"
#define RESULT                                                                           \
    "{\"type\":\"tool_result\",\"timestamp\":\"2026-01-31T18:45:02.000Z\",\"toolName\":" \
    "\"get\",\"args\":{\"q\":\"a b\"},\"result\":{\"price\":1.50,\"n\":[1, 2]}}\n"
#define RESULT_TEXT                                                                      \
    "{\"type\":\"tool_result\",\"timestamp\":\"2026-01-31T18:45:03.000Z\",\"toolName\":" \
    "\"get\",\"args\":{},\"result\":\"Error: no\"}\n"

static void runs_come_in_and_go_out_byte_for_byte(Desk *d)
{
    file(d, "project/" RUN, INIT THINK RESULT RESULT_TEXT);
    assert_int_equal(recognised(d, "project"), LAYOUT_RUNS);
    assert_int_equal(recognised(d, "project/" RUN), LAYOUT_RUNS);
    LayoutReport r = bring_in(d, "project", false);
    assert_int_equal(r.added, 6);
    assert_int_equal(r.skipped_total, 0);
    adds_nothing(d, "project");
    Records all;
    desk_ok(d, store_read(d->m.store, S("runs/2026-01-31-184500_0123456789ab"),
                          (SeqRange){ 1, 100 }, &d->a, &all, &d->e));
    assert_text(all.items[2].body, "{\"q\":\"a b\"}");
    assert_text(all.items[3].body, "{\"price\":1.50,\"n\":[1, 2]}");
    assert_text(all.items[5].meta,
                "{\"kind\":\"tool_result\",\"call\":\"c2\",\"tool\":\"get\",\"of\":5,\"n\":2,"
                "\"ok\":false,\"was\":\"2026-01-31T18:45:03.000Z\"}");
    write_out(d, LAYOUT_RUNS, "out");
    file_holds(d, "out/2026-01-31-184500_0123456789ab.jsonl", INIT THINK RESULT RESULT_TEXT);
}

static void a_run_with_torn_lines_is_imported_without_them_and_goes_on(Desk *d)
{
    file(d, "project/" RUN, INIT "{\"type\":\"thin\n" THINK "{\"type\":\"tool_res");
    LayoutReport r = bring_in(d, "project", false);
    assert_int_equal(r.added, 2);
    says_why(&r, "2026-01-31-184500_0123456789ab.jsonl",
             "line 2 and others: no entry of a run; all others are imported");
    file(d, "project/" RUN, INIT "{\"type\":\"thin\n" THINK RESULT);
    r = bring_in(d, "project", false);
    assert_int_equal(r.added, 2);
    file(d, "project/" RUN, THINK INIT);
    r = bring_in(d, "project", false);
    says_why(&r, "2026-01-31-184500_0123456789ab.jsonl", "other entries");
}

/* --- Cycles ---------------------------------------------------------------------------- */

static void cycles_come_in_and_go_out(Desk *d)
{
    const char *state = "goals: []\ncurrent_task: x # mine\nnotes: ''\n";
    file(d, "msa/scratchpad/active.yaml", state);
    file(d, "msa/scratchpad/20260401_100137_before.yaml", "goals: []\n");
    file(d, "msa/scratchpad/20260401_100137_after.yaml", state);
    file(d, "msa/scratchpad/.gitkeep", "");
    file(d, "msa/config/config.json", "{}");
    assert_int_equal(recognised(d, "msa"), LAYOUT_CYCLES);
    assert_int_equal(recognised(d, "msa/scratchpad"), LAYOUT_CYCLES);
    LayoutReport r = bring_in(d, "msa", false);
    assert_int_equal(r.added, 3);
    says_why(&r, ".gitkeep", "hidden");
    holds(d, "cycles/default", state);
    holds(d, "snapshots/default/20260401_100137_after", state);
    adds_nothing(d, "msa");
    write_out(d, LAYOUT_CYCLES, "out");
    file_holds(d, "out/active.yaml", state);
    file_holds(d, "out/20260401_100137_before.yaml", "goals: []\n");
}

static void a_state_that_is_no_yaml_is_skipped(Desk *d)
{
    file(d, "msa/active.yaml", "goals: [\n");
    LayoutReport r = bring_in(d, "msa", false);
    assert_int_equal(r.added, 0);
    says_why(&r, "active.yaml", "");
}

/* --- The graph ------------------------------------------------------------------------- */

#define GRAPH                                                                                \
    "{\"type\":\"entity\",\"name\":\"Zoe/\\u0001 \\\"q\\\"\",\"entityType\":\"person\","     \
    "\"observations\":[\"likes tea\",\"\"]}\n"                                               \
    "{\"type\":\"entity\",\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[]}\n" \
    "{\"type\":\"relation\",\"from\":\"Zoe\",\"to\":\"Ann\",\"relationType\":\"knows\"}"

static void a_graph_comes_in_and_goes_out_byte_for_byte(Desk *d)
{
    file(d, "memory.jsonl", GRAPH);
    assert_int_equal(recognised(d, "memory.jsonl"), LAYOUT_GRAPH);
    LayoutReport r = bring_in(d, "memory.jsonl", false);
    assert_int_equal(r.added, 3);
    adds_nothing(d, "memory.jsonl");
    Doc doc;
    desk_ok(d, doc_read(&d->m, graph_entity_stream(S("Ann"), &d->a), &d->a, &doc, &d->e));
    assert_text(doc.text, "{\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[]}");
    write_out(d, LAYOUT_GRAPH, "out");
    file_holds(d, "out/memory.jsonl", GRAPH);
}

static void lines_that_are_no_graph_are_skipped(Desk *d)
{
    file(d, "memory.jsonl", GRAPH "\n{\"type\":\"entity\",\"name\":1}\n{\"type\":\"x\"}\n{\n");
    LayoutReport r = bring_in(d, "memory.jsonl", false);
    assert_int_equal(r.added, 3);
    assert_int_equal(r.skipped_total, 3);
    says_why(&r, "memory.jsonl", "line 4 is neither");
    says_why(&r, "memory.jsonl", "line 6: ");
}

/* --- Recognising ----------------------------------------------------------------------- */

static void what_is_nothing_or_could_be_several_things_is_refused(Desk *d)
{
    ImportFrom from;
    file(d, "nothing/readme.rst", "x");
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "nothing"), LAYOUT_NONE, &d->a, &from, &d->e));
    assert_says(d, "is not recognised");
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "nothing/readme.rst"), LAYOUT_NONE, &d->a, &from, &d->e));
    file(d, "both/plan.txt", "x");
    file(d, "both/active.yaml", "goals: []\n");
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "both"), LAYOUT_NONE, &d->a, &from, &d->e));
    assert_says(d, "could be any of these: notes, cycles");
    desk_ok(d, import_find(&d->io, at(d, "both"), LAYOUT_NOTES, &d->a, &from, &d->e));
    assert_int_equal(from.layout, LAYOUT_NOTES);
    desk_expect(d, JOT_NOT_FOUND,
                import_find(&d->io, at(d, "gone"), LAYOUT_NONE, &d->a, &from, &d->e));
    if (strcmp(d->engine, "files") == 0) {
        desk_expect(d, JOT_INVALID,
                    import_find(&d->io, at(d, "pad"), LAYOUT_NONE, &d->a, &from, &d->e));
        assert_says(d, "is a pad of Jotter");
    }
}

static void links_are_not_followed(Desk *d)
{
    file(d, "secret", "top secret");
    file(d, "pads/plan.txt", "x");
    assert_int_equal(symlink("../secret", at(d, "pads/leak.txt")), 0);
    LayoutReport r = bring_in(d, "pads", false);
    assert_int_equal(r.added, 1);
    says_why(&r, "leak.txt", "not a regular file");
}

static void an_export_goes_only_where_nothing_is(Desk *d)
{
    file(d, "out/x", "mine");
    LayoutReport report;
    desk_expect(d, JOT_CONFLICT,
                export_layout(&d->m, LAYOUT_NOTES, at(d, "out"), &d->a, &report, &d->e));
    assert_says(d, "is not empty");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(notes_come_in_and_go_out),
        DESK_TEST(what_changed_since_is_not_replaced_unless_asked),
        DESK_TEST(an_import_that_is_ended_keeps_what_it_read_and_goes_on_later),
        DESK_TEST(more_notes_than_are_written_at_once_come_in),
        DESK_TEST(what_was_deleted_comes_back_only_if_asked),
        DESK_TEST(what_was_missed_is_counted),
        DESK_TEST(two_memories_with_one_file_name_are_not_mixed_up),
        DESK_TEST(artifacts_come_in_and_go_out),
        DESK_TEST(a_log_that_grew_is_gone_on_with),
        DESK_TEST(runs_come_in_and_go_out_byte_for_byte),
        DESK_TEST(a_run_with_torn_lines_is_imported_without_them_and_goes_on),
        DESK_TEST(cycles_come_in_and_go_out),
        DESK_TEST(a_state_that_is_no_yaml_is_skipped),
        DESK_TEST(a_graph_comes_in_and_goes_out_byte_for_byte),
        DESK_TEST(lines_that_are_no_graph_are_skipped),
        DESK_TEST(what_is_nothing_or_could_be_several_things_is_refused),
        DESK_TEST(links_are_not_followed),
        DESK_TEST(an_export_goes_only_where_nothing_is),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
