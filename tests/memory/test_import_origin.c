/* test_import_origin.c - what four programs keep, brought in and given back: tasks, results,
 * databases, names that are no keys, times, logs. */
#include <sqlite3.h>
#include <sys/time.h>

#include "base/time.h"
#include "memory/artifact/artifact.h"
#include "memory/artifact/sink.h"
#include "memory/cycle/cycle_log.h"
#include "memory/import_desk.h"
#include "memory/port/note_file.h"
#include "memory/task/task.h"

static int64_t ms(const char *text)
{
    int64_t out = 0;
    assert_true(time_parse_any(str(text), &out));
    return out;
}

/* The clock of a desk begins in 1970; imports are of files that were made before now. */
static void today(Desk *d)
{
    d->now_ms = ms("2026-11-01T00:00:00Z");
}

static void touch_at(Desk *d, const char *path, const char *when)
{
    struct timeval then = { .tv_sec = (time_t)(ms(when) / 1000) };
    assert_int_equal(utimes(at(d, path), (struct timeval[]){ then, then }), 0);
}

static void made_at(Desk *d, const char *stream, const char *when)
{
    Record head;
    desk_ok(d, store_head(d->m.store, str(stream), HEAD_MARK, &d->a, &head, &d->e));
    assert_string_equal(time_text(head.mark.at_ms).text, time_text(ms(when)).text);
}

static void there_is_no(Desk *d, const char *path)
{
    assert_int_equal(access(at(d, path), F_OK), -1);
}

static Str renamed(const LayoutReport *r, const char *name)
{
    for (size_t i = 0; i < r->renamed_n; i++)
        if (str_eq(r->renamed[i].name, str(name)))
            return r->renamed[i].as;
    fail_msg("'%s' was not renamed", name);
    return (Str){ 0 };
}

/* --- Notes ------------------------------------------------------------------------------- */

static void notes_in_markdown_and_in_directories_come_and_go(Desk *d)
{
    file(d, "vault/plan.md", "# plan\n");
    file(d, "vault/work/week 7.md", "busy\n");
    file(d, "vault/work/.obsidian/x.md", "no");
    assert_int_equal(recognised(d, "vault"), LAYOUT_NOTES);
    LayoutReport r = bring_in(d, "vault", false);
    assert_int_equal(r.added, 2);
    assert_int_equal(r.missed, 0);
    says_why(&r, "work/.obsidian", "hidden");
    holds(d, "notes/plan", "# plan\n");
    adds_nothing(d, "vault");
    write_out(d, LAYOUT_NOTES, "out");
    file_holds(d, "out/plan.md", "# plan\n");
    file_holds(d, "out/work/week 7.md", "busy\n");
    there_is_no(d, "out/plan.txt");
}

static void of_two_files_with_one_key_the_plain_one_has_it(Desk *d)
{
    file(d, "pads/plan.md", "marked");
    file(d, "pads/plan.txt", "plain");
    LayoutReport r = bring_in(d, "pads", false);
    assert_int_equal(r.added, 2);
    holds(d, "notes/plan", "plain");
    holds(d, renamed(&r, "plan.md").p, "marked");
    write_out(d, LAYOUT_NOTES, "out");
    file_holds(d, "out/plan.md", "marked");
    file_holds(d, "out/plan.txt", "plain");
}

/* Python's isalnum() takes letters of any script, and no length is too long but the file system's.
 */
static void names_that_are_no_keys_become_keys_and_come_back(Desk *d)
{
    char long_name[256];
    memset(long_name, 'k', 251);
    memcpy(long_name + 251, ".txt", 5);
    const char *names[] = { "gr\xC3\xB6\xC3\x9F"
                            "e?.txt",
                            "\xE6\x97\xA5\xE6\x9C\xAC!.txt", "two (words).txt", "a:b.txt",
                            long_name };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        file(d, arena_printf(&d->a, ".scratchpad/%s", names[i]).p, names[i]);
    ImportFrom from;
    desk_ok(d, import_find(&d->io, d->dir, LAYOUT_NONE, &d->a, &from, &d->e));
    assert_int_equal(from.layout, LAYOUT_NOTES);
    LayoutReport r = bring_in(d, ".scratchpad", false);
    assert_int_equal(r.added, COUNT_OF(names));
    assert_int_equal(r.missed, 0);
    assert_true(str_starts(renamed(&r, names[0]), S("notes/grosse-")));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        holds(d, renamed(&r, names[i]).p, names[i]);
    adds_nothing(d, ".scratchpad");
    /* What is written since goes back under the same name. */
    Doc doc;
    DocWrite w = { .text = S("new") };
    desk_ok(d, doc_write(&d->m, renamed(&r, names[0]), &w, &d->a, &doc, &d->e));
    write_out(d, LAYOUT_NOTES, "out");
    file_holds(d, arena_printf(&d->a, "out/%s", names[0]).p, "new");
    for (size_t i = 1; i < COUNT_OF(names); i++)
        file_holds(d, arena_printf(&d->a, "out/%s", names[i]).p, names[i]);
}

static void a_tree_of_markdown_is_notes_in_folders_with_their_front_matter(Desk *d)
{
    Doc doc;
    static const char *const names[] = { "plan.md", "guide/intro.md",
                                         "T\xC3\xA4glich/18 Treffen.md" };
    static const char with[] = "---\ntitle: The Plan\ntags: [a, b]\n---\n[x](guide/intro.md)\n";
    static const char bad[] = "---\nbad: [\n---\ntext\n";
    AUTO(Buf) large = { 0 };
    buf_add(&large, S("---\nbig: "));
    for (int i = 0; i < STORE_META_MAX; i++)
        buf_add_char(&large, 'x');
    buf_add(&large, S("\n---\ntext\n"));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        file(d, arena_printf(&d->a, "tree/%s", names[i]).p, i ? names[i] : with);
    file(d, "tree/bad.md", bad);
    file(d, "tree/large.md", arena_cstr(&d->a, buf_str(&large)));
    file(d, "tree/guide.md", "is a folder, too");
    file(d, "tree/img/a.png", "no text");
    assert_int_equal(recognised(d, "tree"), LAYOUT_NOTES);
    LayoutReport r = bring_in(d, "tree", false);
    assert_int_equal(r.added, 6);
    assert_int_equal(r.missed, 1); /* the image */
    assert_int_equal(r.skipped_total, 3);
    holds(d, "notes/plan", with);
    holds(d, "notes/guide/intro", names[1]);
    holds(d, "notes/T\xC3\xA4glich/18 Treffen", names[2]);
    holds(d, "notes/bad", bad);
    holds(d, renamed(&r, "guide.md").p, "is a folder, too");
    desk_ok(d, doc_read(&d->m, S("notes/plan"), &d->a, &doc, &d->e));
    assert_text(doc.meta,
                "{\"file\":\"plan.md\",\"front\":{\"title\":\"The Plan\",\"tags\":[\"a\",\"b\"]}}");
    desk_ok(d, doc_read(&d->m, S("notes/bad"), &d->a, &doc, &d->e));
    assert_text(doc.meta, "{\"file\":\"bad.md\"}");
    desk_ok(d, doc_read(&d->m, S("notes/large"), &d->a, &doc, &d->e));
    assert_text(doc.meta, "{\"file\":\"large.md\"}");
    adds_nothing(d, "tree");
    write_out(d, LAYOUT_NOTES, "out");
    file_holds(d, "out/plan.md", with);
    file_holds(d, "out/guide.md", "is a folder, too");
    /* A project with a README is none. */
    file(d, "project/README.md", "x");
    file(d, "project/a.c", "x");
    ImportFrom from;
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "project"), LAYOUT_NONE, &d->a, &from, &d->e));
}

static void a_name_that_leads_out_of_the_directory_is_not_written(Desk *d)
{
    static const char *const bad[] = { "../evil.txt", "/evil.txt", "a//b.txt", ".evil.txt",
                                       "a/../b.txt" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Mark mark;
        Draft draft = { .op = OP_PUT,
                        .meta = arena_printf(&d->a, "{\"file\":\"%s\"}", bad[i]),
                        .body = S("x") };
        Str stream = arena_printf(&d->a, "notes/n%zu", i);
        desk_ok(d, memory_append(&d->m, stream, NULL, &draft, &mark, &d->e));
    }
    LayoutReport r = write_out(d, LAYOUT_NOTES, "out");
    assert_int_equal(r.files, COUNT_OF(bad));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        file_holds(d, arena_printf(&d->a, "out/n%zu.txt", i).p, "x");
    there_is_no(d, "evil.txt");
}

static void the_time_of_a_note_is_that_of_its_file(Desk *d)
{
    today(d);
    struct stat info;
    file(d, "pads/plan.txt", "x");
    touch_at(d, "pads/plan.txt", "2026-01-31T18:45:00Z");
    bring_in(d, "pads", false);
    made_at(d, "notes/plan", "2026-01-31T18:45:00Z");
    write_out(d, LAYOUT_NOTES, "out");
    assert_int_equal(stat(at(d, "out/plan.txt"), &info), 0);
    assert_int_equal(info.st_mtim.tv_sec, ms("2026-01-31T18:45:00Z") / 1000);
}

static void a_project_is_what_it_keeps_below(Desk *d)
{
    ImportFrom from;
    file(d, "one/.scratchpad/plan.txt", "x");
    file(d, "one/readme.txt", "not this");
    assert_int_equal(recognised(d, "one"), LAYOUT_NOTES);
    assert_int_equal(bring_in(d, "one", false).added, 1);
    holds(d, "notes/plan", "x");
    file(d, "two/.scratchbook/planning/p.json", "{}");
    assert_int_equal(recognised(d, "two"), LAYOUT_ARTIFACTS);
    file(d, "two/scratchpad/active.yaml", "goals: []\n");
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "two"), LAYOUT_NONE, &d->a, &from, &d->e));
    assert_says(d, "has several: .scratchbook, scratchpad; name one");
    desk_ok(d, import_find(&d->io, at(d, "two"), LAYOUT_CYCLES, &d->a, &from, &d->e));
    assert_true(str_ends(from.dir, S("/scratchpad")));
}

/* --- A database -------------------------------------------------------------------------- */

static void database(Desk *d, const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(at(d, path), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

#define TABLE                                                                           \
    "CREATE TABLE scratchpad (key TEXT PRIMARY KEY, content TEXT NOT NULL, updated_at " \
    "TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"

static void the_rows_of_a_table_become_notes_and_come_back(Desk *d)
{
    today(d);
    database(d, "seed.db",
             TABLE "INSERT INTO scratchpad VALUES ('plan', 'ship', '2026-01-31 18:45:00'),"
                   "('a/b: \xC3\xBC', '', '2026-02-01 00:00:00'), ('', 'nobody', NULL);");
    assert_int_equal(recognised(d, "seed.db"), LAYOUT_NOTES);
    LayoutReport r = bring_in(d, "seed.db", false);
    assert_int_equal(r.added, 3);
    holds(d, "notes/plan", "ship");
    made_at(d, "notes/plan", "2026-01-31T18:45:00Z");
    holds(d, renamed(&r, "a/b: \xC3\xBC").p, "");
    holds(d, renamed(&r, "").p, "nobody");
    adds_nothing(d, "seed.db");
    r = write_out(d, LAYOUT_NOTES, "out.db");
    assert_int_equal(r.files, 3);
    LayoutReport ignored;
    desk_expect(d, JOT_CONFLICT,
                export_layout(&d->m, LAYOUT_NOTES, at(d, "out.db"), &d->a, &ignored, &d->e));
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(at(d, "out.db"), &db), SQLITE_OK);
    char *sql = sqlite3_mprintf("ATTACH %Q AS seed", at(d, "seed.db"));
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    sqlite3_stmt *q = NULL;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT count(*) FROM scratchpad JOIN seed.scratchpad s "
                                        "USING (key, content) WHERE s.updated_at IS NULL OR "
                                        "s.updated_at = main.scratchpad.updated_at",
                                        -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(q, 0), 3);
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static void a_database_that_is_something_else_is_refused(Desk *d)
{
    ImportFrom from;
    LayoutReport r;
    database(d, "other.db", "CREATE TABLE notes (a);");
    desk_ok(d, import_find(&d->io, at(d, "other.db"), LAYOUT_NONE, &d->a, &from, &d->e));
    desk_expect(d, JOT_INVALID, import_run(&d->m, &from, NULL, &d->a, &r, &d->e));
    assert_says(d, "has no table 'scratchpad'");
    database(d, "view.db",
             "CREATE TABLE t (a); CREATE VIEW scratchpad AS SELECT a AS key, a AS content FROM t;");
    desk_ok(d, import_find(&d->io, at(d, "view.db"), LAYOUT_NONE, &d->a, &from, &d->e));
    desk_expect(d, JOT_INVALID, import_run(&d->m, &from, NULL, &d->a, &r, &d->e));
    file(d, "torn.db", "SQLite format 3");
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "torn.db"), LAYOUT_NONE, &d->a, &from, &d->e));
    AUTO(Memory) other = { 0 };
    MemoryOptions o = { .create = true };
    desk_ok(d, memory_open(&other, arena_printf(&d->a, "sqlite:%s", at(d, "pad2.db")), &o, &d->e));
    desk_expect(d, JOT_INVALID,
                import_find(&d->io, at(d, "pad2.db"), LAYOUT_NONE, &d->a, &from, &d->e));
    assert_says(d, "is a pad of Jotter");
}

/* --- Results of tools -------------------------------------------------------------------- */

#define RESULT_3                                                                     \
    "{\n  \"stable_id\": \"tool-result-call_3\",\n  \"tool_call_id\": \"call_3\",\n" \
    "  \"tool_name\": \"get\",\n  \"result\": {\n    \"price\": 1.50\n  },\n"        \
    "  \"timestamp\": \"2026-01-31T18:45:00.123456+00:00\"\n}"

static void a_result_of_any_kind_is_the_sinks(Desk *d)
{
    SinkSlice got;
    SinkView view;
    today(d);
    file(d, "book/tool_results/tool-result-call_3.json", RESULT_3);
    file(d, "book/tool_results/tool-result-x.json", "{\"tool_name\":\"t\",\"result\":null}");
    file(d, "book/tool_results/other.json", "{\"a\":1}");
    assert_int_equal(bring_in(d, "book", false).added, 3);
    desk_ok(d, sink_read(&d->m, S("call_3"), &(SinkRange){ 0 }, &d->a, &got, &d->e));
    assert_text(got.text, "{\n    \"price\": 1.50\n  }");
    desk_ok(d, sink_read(&d->m, S("x"), &(SinkRange){ 0 }, &d->a, &got, &d->e));
    assert_text(got.text, "null");
    made_at(d, "artifacts/tool_results/call_3", "2026-01-31T18:45:00.123Z");
    SinkPut put = { .call = S("call_3"), .tool = S("get"), .result = S("again") };
    desk_expect(d, JOT_ID_REUSED, sink_write(&d->m, &put, &d->a, &view, NULL, &d->e));
    adds_nothing(d, "book");
    /* As often as you like: no name grows. */
    const char *from = "book";
    for (int i = 0; i < 3; i++) {
        const char *to = arena_printf(&d->a, "out%d", i).p;
        write_out(d, LAYOUT_ARTIFACTS, to);
        file_holds(d, arena_printf(&d->a, "%s/tool_results/tool-result-call_3.json", to).p,
                   RESULT_3);
        file_holds(d, arena_printf(&d->a, "%s/tool_results/other.json", to).p, "{\"a\":1}");
        there_is_no(d, arena_printf(&d->a, "%s/tool_results/tool-result-other.json", to).p);
        from = to;
        adds_nothing(d, from);
    }
}

/* --- Tasks ------------------------------------------------------------------------------- */

#define CREATED                                                                   \
    "{\"entity_id\": 7, \"task_id\": \"t1\", \"description\": \"look \\u00fc\", " \
    "\"_event_type\": \"TaskCreatedEvent\", \"_timestamp\": 1769885100.123}\n"
#define READY                                                                               \
    "{\"entity_id\": 7, \"task_id\": \"t1\", \"old_status\": \"pending\", \"new_status\": " \
    "\"ready\", \"_event_type\": \"TaskStateChangedEvent\", \"_timestamp\": 1769885101.5}\n"
#define RUNNING                                                                           \
    "{\"entity_id\": 7, \"task_id\": \"t1\", \"old_status\": \"ready\", \"new_status\": " \
    "\"running\", \"_event_type\": \"TaskStateChangedEvent\", \"_timestamp\": 1769885102.0}\n"
#define FAILED                                                                          \
    "{\"entity_id\": 7, \"task_id\": \"t1\", \"error\": \"boom\", \"retry_count\": 1, " \
    "\"_event_type\": \"TaskFailedEvent\", \"_timestamp\": 1769885103.0}\n"

static const char *snapshot_of(Desk *d, const char *status)
{
    return arena_printf(&d->a,
                        "{\n  \"description\": \"look \\u00fc\",\n  \"expected_output\": \"o\",\n"
                        "  \"assigned_agent\": 42,\n  \"tools\": [\n    \"ls\"\n  ],\n"
                        "  \"context_dependencies\": [\n    \"t0\"\n  ],\n  \"task_id\": \"t1\",\n"
                        "  \"status\": \"%s\",\n  \"priority\": 5,\n  \"output_schema\": {\n"
                        "    \"type\": \"object\"\n  },\n  \"max_retries\": 2\n}",
                        status)
        .p;
}

#define SNAPSHOT "book/tasks/snapshots/t1_snapshot.json"
#define EVENTS "book/tasks/events/t1_events.jsonl"

static Task task(Desk *d, const char *id)
{
    Task t;
    desk_ok(d, task_read(&d->m, str(id), &d->a, &t, &d->e));
    return t;
}

static void a_snapshot_and_its_events_become_a_task(Desk *d)
{
    today(d);
    const char *snapshot = snapshot_of(d, "failed");
    file(d, SNAPSHOT, snapshot);
    file(d, EVENTS, CREATED READY RUNNING FAILED);
    file(d, "book/tasks/task_index.json", "{\"entries\":[{\"id\":\"t1\"}]}");
    assert_int_equal(recognised(d, "book"), LAYOUT_ARTIFACTS);
    LayoutReport r = bring_in(d, "book", false);
    assert_int_equal(r.files, 3);
    assert_int_equal(r.added, 5);
    assert_int_equal(r.skipped_total, 0);
    Task t = task(d, "t1");
    assert_int_equal(t.status, TASK_FAILED);
    assert_text(t.description, "look \xC3\xBC");
    assert_text(t.agent, "42");
    assert_text(t.reason, "boom");
    assert_int_equal(t.priority, 5);
    assert_int_equal(t.retry_count, 1);
    assert_int_equal(t.dependencies.n, 1);
    TaskEvents events;
    desk_ok(d, task_history(&d->m, S("t1"), (SeqRange){ 1, 100 }, &d->a, &events, &d->e));
    assert_int_equal(events.n, 4);
    assert_text(events.items[0].type, "created");
    assert_text(events.items[3].from, "running");
    assert_true(events.items[0].at_ms == INT64_C(1769885100123));
    adds_nothing(d, "book");
    Artifact a;
    desk_expect(
        d, JOT_NOT_FOUND,
        artifact_read(&d->m,
                      &(ArtifactRead){ .category = S("tasks/snapshots"), .id = S("t1_snapshot") },
                      &d->a, &a, &d->e));
    desk_ok(d, artifact_index_read(&d->m, S("tasks"), S("task_index.json"), &d->a, &a, &d->e));
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/tasks/snapshots/t1_snapshot.json", snapshot);
    file_holds(d, "out/tasks/events/t1_events.jsonl", CREATED READY RUNNING FAILED);
    file_holds(d, "out/tasks/task_index.json", "{\"entries\":[{\"id\":\"t1\"}]}");
    there_is_no(d, "out/index");
    adds_nothing(d, "out");
}

static void a_task_that_went_on_there_goes_on_here(Desk *d)
{
    today(d);
    file(d, SNAPSHOT, snapshot_of(d, "pending"));
    file(d, EVENTS, CREATED);
    assert_int_equal(bring_in(d, "book", false).added, 1);
    file(d, SNAPSHOT, snapshot_of(d, "running"));
    file(d, EVENTS, CREATED READY RUNNING);
    assert_int_equal(bring_in(d, "book", false).added, 2);
    assert_int_equal(task(d, "t1").status, TASK_RUNNING);
    /* A snapshot that says more than the events. */
    file(d, SNAPSHOT, snapshot_of(d, "completed"));
    assert_int_equal(bring_in(d, "book", false).added, 1);
    assert_int_equal(task(d, "t1").status, TASK_COMPLETED);
    TaskEvents events;
    desk_ok(d, task_history(&d->m, S("t1"), (SeqRange){ 4, 1 }, &d->a, &events, &d->e));
    assert_text(events.items[0].type, "imported");
    adds_nothing(d, "book");
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/tasks/snapshots/t1_snapshot.json", snapshot_of(d, "completed"));
    file_holds(d, "out/tasks/events/t1_events.jsonl", CREATED READY RUNNING);
}

static void a_task_that_was_moved_here_is_not_moved_back(Desk *d)
{
    Task t;
    today(d);
    file(d, SNAPSHOT, snapshot_of(d, "ready"));
    file(d, EVENTS, CREATED READY);
    bring_in(d, "book", false);
    desk_ok(d, task_start(&d->m, S("t1"), true, &d->a, &t, &d->e));
    adds_nothing(d, "book"); /* all of it is there, and more */
    file(d, EVENTS, CREATED READY RUNNING FAILED);
    file(d, SNAPSHOT, snapshot_of(d, "failed"));
    LayoutReport r = bring_in(d, "book", false);
    says_why(&r, "tasks/snapshots/t1_snapshot.json", "it was moved on in the pad");
    assert_int_equal(task(d, "t1").status, TASK_RUNNING);
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/tasks/snapshots/t1_snapshot.json", snapshot_of(d, "running"));
    assert_int_equal(bring_in(d, "book", true).added, 1);
    assert_int_equal(task(d, "t1").status, TASK_FAILED);
    /* Another task of that name. */
    file(d, EVENTS, READY);
    r = bring_in(d, "book", false);
    says_why(&r, "tasks/snapshots/t1_snapshot.json", "has other events");
}

static void a_task_is_made_of_what_there_is(Desk *d)
{
    today(d);
    file(d, SNAPSHOT, snapshot_of(d, "blocked"));
    file(d, "book/tasks/events/t2_events.jsonl", CREATED "{broken\n" READY);
    file(d, "book/tasks/snapshots/t3_snapshot.json", "{\"task_id\":\"t3\",\"status\":\"odd\"}");
    LayoutReport r = bring_in(d, "book", false);
    says_why(&r, "tasks/events/t2_events.jsonl", "line 2: no event; it is kept as it is");
    assert_int_equal(r.missed, 1);
    assert_int_equal(task(d, "t1").status, TASK_BLOCKED);
    assert_true(task(d, "t1").blocked_until_manual);
    assert_int_equal(task(d, "t2").status, TASK_READY);
    holds(d, "artifacts/tasks/snapshots/t3_snapshot", "{\"task_id\":\"t3\",\"status\":\"odd\"}");
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/tasks/events/t2_events.jsonl", CREATED "{broken\n" READY);
    there_is_no(d, "out/tasks/snapshots/t2_snapshot.json");
    there_is_no(d, "out/tasks/events/t1_events.jsonl");
}

static void a_task_of_the_pads_own_goes_out_and_comes_in_elsewhere(Desk *d)
{
    Task t;
    TaskAdd add = { .id = S("own"), .description = S("mine"), .priority = 3 };
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    desk_ok(d, task_start(&d->m, S("own"), false, &d->a, &t, &d->e));
    TaskMove move = { .to = TASK_BLOCKED, .reason = S("rain") };
    desk_ok(d, task_move(&d->m, S("own"), &move, &d->a, &t, &d->e));
    write_out(d, LAYOUT_ARTIFACTS, "out");
    AUTO(Memory) other = { 0 };
    MemoryOptions o = { .io = &d->io, .create = true };
    ImportFrom from;
    LayoutReport r;
    desk_ok(d, memory_open(&other, S("mem:"), &o, &d->e));
    desk_ok(d, import_find(&d->io, at(d, "out"), LAYOUT_NONE, &d->a, &from, &d->e));
    desk_ok(d, import_run(&other, &from, NULL, &d->a, &r, &d->e));
    desk_ok(d, task_read(&other, S("own"), &d->a, &t, &d->e));
    assert_int_equal(t.status, TASK_BLOCKED);
    assert_text(t.reason, "rain");
    assert_text(t.description, "mine");
    assert_int_equal(t.priority, 3);
    TaskEvents events;
    desk_ok(d, task_history(&other, S("own"), (SeqRange){ 1, 100 }, &d->a, &events, &d->e));
    assert_int_equal(events.n, 4);
}

/* --- Artifacts --------------------------------------------------------------------------- */

#define ENTRY(id, more)                                                         \
    "    {\n      \"stable_id\": \"t1\",\n      \"artifact_id\": \"" id "\",\n" \
    "      \"artifact_type\": \"plan\",\n      \"category\": \"planning\",\n"   \
    "      \"content_hash\": \"odd\",\n"                                        \
    "      \"timestamp\": \"2026-01-31T18:45:00.123456+00:00\"\n    }" more
#define INDEX_JSON "{\n  \"entries\": [\n" ENTRY("p2", ",\n") ENTRY("p1", "\n") "  ]\n}"

static void the_index_tells_times_and_stays_as_it_was(Desk *d)
{
    today(d);
    file(d, "book/planning/p1.json", "{}");
    file(d, "book/planning/p2.json", "{}");
    file(d, "book/planning/p3.json", "{}");
    file(d, "book/index/index.json", INDEX_JSON);
    assert_int_equal(bring_in(d, "book", false).added, 4);
    made_at(d, "artifacts/planning/p1", "2026-01-31T18:45:00.123Z");
    Artifact a;
    desk_ok(d, artifact_read(&d->m, &(ArtifactRead){ .category = S("planning"), .id = S("p1") },
                             &d->a, &a, &d->e));
    assert_text(a.ref.type, "plan");
    assert_text(a.ref.task, "t1");
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/index/index.json", INDEX_JSON);
    /* What is new since is added, as its program would. */
    ArtifactWrite w = { .category = S("planning"), .id = S("p4"), .json = S("[]") };
    ArtifactRef ref;
    desk_ok(d, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
    write_out(d, LAYOUT_ARTIFACTS, "more");
    AUTO(Fd) fd = open(at(d, "more/index/index.json"), O_RDONLY | O_CLOEXEC);
    char text[4096] = "";
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "\"p2\""));
    assert_non_null(strstr(text, "\"p4\""));
    assert_null(strstr(text, "\"p3\""));
}

static void a_last_line_without_its_end_comes_back_so(Desk *d)
{
    file(d, "book/c/x.json", "{}");
    file(d, "book/c/x.log", "one\ntwo");
    file(d, "book/c/none.log", "");
    LayoutReport r = bring_in(d, "book", false);
    says_why(&r, "c/none.log", "empty");
    assert_int_equal(r.missed, 0);
    write_out(d, LAYOUT_ARTIFACTS, "out");
    file_holds(d, "out/c/x.log", "one\ntwo");
    file(d, "book/c/x.log", "one\ntwo\nthree\n");
    assert_int_equal(bring_in(d, "book", false).added, 1);
    write_out(d, LAYOUT_ARTIFACTS, "more");
    file_holds(d, "more/c/x.log", "one\ntwo\nthree\n");
}

/* --- Runs -------------------------------------------------------------------------------- */

#define RUN "2026-01-31-184500_0123456789ab.jsonl"
#define LINES                                                                                  \
    "{\"type\":\"init\",\"timestamp\":\"2026-01-31T18:45:00.000Z\",\"content\":\"why?\"}\n"    \
    "{\"type\":\"tool_result\",\"timestamp\":\"2026-01-31T18:45:02.000Z\",\"toolName\":"       \
    "\"get\",\"args\":{},\"result\":{\"n\":1},\"llmSummary\":\"it is \\\"1\\\"\",\"x\":[1]}\n" \
    "{\"type\":\"summary\",\"timestamp\":\"2026-01-31T18:45:03.000Z\",\"content\":\"s\"}\n"

static void a_run_keeps_its_times_summaries_and_unknown_lines(Desk *d)
{
    today(d);
    file(d, "project/.dexter/scratchpad/" RUN, LINES);
    LayoutReport r = bring_in(d, "project", false);
    assert_int_equal(r.added, 4);
    assert_int_equal(r.skipped_total, 0);
    made_at(d, "runs/2026-01-31-184500_0123456789ab", "2026-01-31T18:45:03.000Z");
    Records all;
    desk_ok(d, store_read(d->m.store, S("runs/2026-01-31-184500_0123456789ab"), (SeqRange){ 1, 10 },
                          &d->a, &all, &d->e));
    assert_true(all.items[0].mark.at_ms == ms("2026-01-31T18:45:00Z"));
    assert_true(all.items[1].mark.at_ms == ms("2026-01-31T18:45:02Z"));
    adds_nothing(d, "project");
    write_out(d, LAYOUT_RUNS, "out");
    file_holds(d, "out/" RUN, LINES);
}

/* --- Cycles ------------------------------------------------------------------------------ */

#define STATE "goals: &id001\n- a\nagain: *id001\ncurrent_task: x\nnotes: ''\ndue: 2026-04-01\n"
#define LOG "=== AGENT WAKING ===\nTraceback (most recent call last):\n  File \"x\"\n"

static void cycles_come_with_their_logs_and_templates(Desk *d)
{
    today(d);
    file(d, "msa/scratchpad/active.yaml", STATE);
    file(d, "msa/scratchpad/20260401_100137_before.yaml", STATE);
    file(d, "msa/scratchpad/20260401_100137_after.yaml", STATE);
    file(d, "msa/logs/cycle_20260401_100137.log", LOG);
    file(d, "msa/config/active.yolo.yaml", "goals: [yolo]\n");
    file(d, "msa/config/config.yaml", "model: x\n");
    touch_at(d, "msa/scratchpad/20260401_100137_before.yaml", "2026-04-01T10:01:37Z");
    touch_at(d, "msa/scratchpad/20260401_100137_after.yaml", "2026-04-01T10:02:00Z");
    LayoutReport r = bring_in(d, "msa", false);
    assert_int_equal(r.files, 5);
    assert_int_equal(r.missed, 0);
    adds_nothing(d, "msa");
    holds(d, "notes/cycle-template-yolo", "goals: [yolo]\n");
    AUTO(Buf) log = { 0 };
    desk_ok(d, cycle_log(&d->m, S("default"), S("20260401_100137"), &log, &d->e));
    assert_text(buf_str(&log), LOG);
    CycleList list;
    desk_ok(d, cycle_list(&d->m, S("default"), &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    assert_int_equal(list.items[0].end, CYCLE_LIMIT);
    assert_true(list.items[0].started_ms == ms("2026-04-01T10:01:37Z"));
    assert_true(list.items[0].ended_ms == ms("2026-04-01T10:02:00Z"));
    write_out(d, LAYOUT_CYCLES, "out");
    file_holds(d, "out/active.yaml", STATE);
    file_holds(d, "out/20260401_100137_after.yaml", STATE);
    file_holds(d, "out/logs/cycle_20260401_100137.log", LOG);
    file_holds(d, "out/config/active.yolo.yaml", "goals: [yolo]\n");
    adds_nothing(d, "out");
    /* And the agent goes on from there. */
    Cycle c;
    desk_ok(d, cycle_wake(&d->m, S("default"), NULL, &d->a, &c, &d->e));
    assert_text(c.before, STATE);
    assert_int_equal(yaml_get(c.state, S("again"))->n, 1);
}

static void a_cycle_of_ours_goes_out_with_its_log(Desk *d)
{
    Cycle c;
    CycleStep said;
    desk_ok(d, cycle_wake(&d->m, S("zoe"), NULL, &d->a, &c, &d->e));
    desk_ok(d, cycle_step(&d->m, &(CycleInput){ .agent = S("zoe"), .id = c.id, .text = S("hm") },
                          &d->a, &said, &c, &d->e));
    desk_ok(d, cycle_fail(&d->m,
                          &(CycleFailure){
                              .agent = S("zoe"), .id = c.id, .why = S("no"), .trace = S("trace") },
                          &d->a, &c, &d->e));
    LayoutReport r = write_out(d, LAYOUT_CYCLES, "out");
    assert_int_equal(r.files, 4);
    assert_int_equal(r.missed, 0);
    AUTO(Buf) log = { 0 };
    desk_ok(d, cycle_log(&d->m, S("zoe"), c.id, &log, &d->e));
    buf_add_char(&log, 0);
    file_holds(d, arena_printf(&d->a, "out/zoe/logs/cycle_" STR_FMT ".log", STR_ARG(c.id)).p,
               log.p);
    assert_non_null(strstr(log.p, "Model response: hm"));
    r = write_out(d, LAYOUT_ARTIFACTS, "other");
    assert_int_equal(r.files, 0); /* the trace belongs to the cycle */
}

static void a_state_no_cycle_could_begin_with_is_missed(Desk *d)
{
    file(d, "msa/active.yaml", "goals: one goal\n");
    LayoutReport r = bring_in(d, "msa", false);
    assert_int_equal(r.missed, 1);
    assert_int_equal(r.added, 0);
    says_why(&r, "active.yaml", "'goals' must be a list, at line 1, column 8 it is a text");
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(notes_in_markdown_and_in_directories_come_and_go),
        DESK_TEST(of_two_files_with_one_key_the_plain_one_has_it),
        DESK_TEST(names_that_are_no_keys_become_keys_and_come_back),
        DESK_TEST(a_tree_of_markdown_is_notes_in_folders_with_their_front_matter),
        DESK_TEST(a_name_that_leads_out_of_the_directory_is_not_written),
        DESK_TEST(the_time_of_a_note_is_that_of_its_file),
        DESK_TEST(a_project_is_what_it_keeps_below),
        DESK_TEST(the_rows_of_a_table_become_notes_and_come_back),
        DESK_TEST(a_database_that_is_something_else_is_refused),
        DESK_TEST(a_result_of_any_kind_is_the_sinks),
        DESK_TEST(a_snapshot_and_its_events_become_a_task),
        DESK_TEST(a_task_that_went_on_there_goes_on_here),
        DESK_TEST(a_task_that_was_moved_here_is_not_moved_back),
        DESK_TEST(a_task_is_made_of_what_there_is),
        DESK_TEST(a_task_of_the_pads_own_goes_out_and_comes_in_elsewhere),
        DESK_TEST(the_index_tells_times_and_stays_as_it_was),
        DESK_TEST(a_last_line_without_its_end_comes_back_so),
        DESK_TEST(a_run_keeps_its_times_summaries_and_unknown_lines),
        DESK_TEST(cycles_come_with_their_logs_and_templates),
        DESK_TEST(a_cycle_of_ours_goes_out_with_its_log),
        DESK_TEST(a_state_no_cycle_could_begin_with_is_missed),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
