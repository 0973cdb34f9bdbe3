/* test_artifact.c - artifacts: layout, refs, versions, the index made from the streams, and what
 * a person's edit leaves of it. */
#include "memory/artifact/artifact.h"

#include <fcntl.h>
#include <unistd.h>

#include "memory/desk.h"

static ArtifactRef put(Desk *d, const char *category, const char *id, const char *json,
                       const char *type, const char *task)
{
    ArtifactRef ref;
    ArtifactWrite w = { .category = str(category),
                        .id = str(id),
                        .json = str(json),
                        .type = str(type),
                        .task = str(task) };
    desk_ok(d, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
    return ref;
}

static Artifact get(Desk *d, const char *category, const char *id)
{
    Artifact a;
    desk_ok(d, artifact_read(&d->m, &(ArtifactRead){ .category = str(category), .id = str(id) },
                             &d->a, &a, &d->e));
    return a;
}

static ArtifactList find(Desk *d, ArtifactQuery q)
{
    ArtifactList list;
    desk_ok(d, artifact_find(&d->m, &q, &d->a, &list, &d->e));
    return list;
}

/* The ids of a list, with spaces between. */
static Str ids(Desk *d, const ArtifactList *list)
{
    Str all = { 0 };
    for (size_t i = 0; i < list->n; i++)
        all = arena_printf(&d->a, STR_FMT "%s" STR_FMT, STR_ARG(all), i ? " " : "",
                           STR_ARG(list->items[i].id));
    return all;
}

static void write_file(Desk *d, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pad/%s", d->dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* --- One artifact ---------------------------------------------------------------------- */

static void an_artifact_is_stored_as_json_dumps_would_indent_it(Desk *d)
{
    put(d, "planning", "plan_001", "{\"plan\":[\"step 1\",\"step 2\"],\"goal\":\"done\"}", "plan",
        "");
    assert_text(get(d, "planning", "plan_001").text,
                "{\n  \"plan\": [\n    \"step 1\",\n    \"step 2\"\n  ],\n  \"goal\": \"done\"\n}");
}

static void a_ref_carries_the_hash_of_the_stored_bytes(Desk *d)
{
    ArtifactRef written = put(d, "planning", "p", "[1]", "plan", "t1");
    Artifact a = get(d, "planning", "p");
    assert_true(hash_eq(written.sha256, hash_of(a.text)));
    assert_true(hash_eq(a.ref.sha256, hash_of(a.text)));
    assert_text(a.ref.category, "planning");
    assert_text(a.ref.id, "p");
    assert_text(a.ref.type, "plan");
    assert_text(a.ref.task, "t1");
    assert_text(a.ref.by, "ann");
    assert_int_equal(a.ref.at_ms, d->now_ms);
}

static void a_file_of_the_pad_is_the_artifact(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "tasks/snapshots", "call_1.2:3", "{\"a\":1}", "", "");
    char path[256], text[64] = "";
    snprintf(path, sizeof path, "%s/pad/artifacts/tasks/snapshots/call_1.2:3.json", d->dir);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    assert_str(((Str){ text, n }), S("{\n  \"a\": 1\n}"));
}

static void an_id_may_hold_what_tool_calls_hold(Desk *d)
{
    static const char *const good[] = { "call_1.2:3",  "toolu_01:A.b-c",
                                        "x.json",      "a b",
                                        "caf\xc3\xa9", "tool_0123456789abcdef01234567" };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        put(d, "c", good[i], "1", "", "");
        assert_text(get(d, "c", good[i]).ref.id, good[i]);
    }
    assert_int_equal(find(d, (ArtifactQuery){ .category = S("c") }).n, COUNT_OF(good));
}

static void a_name_that_could_escape_is_refused(Desk *d)
{
    static const struct {
        Str category, id;
    } bad[] = {
        { T(""), T("x") },         { T("c"), T("") },        { T("../etc"), T("x") },
        { T("c"), T("../x") },     { T("c"), T("a/b") },     { T("/c"), T("x") },
        { T("c/"), T("x") },       { T("c//d"), T("x") },    { T("c"), T(".") },
        { T("c"), T("..") },       { T("c"), T(".hidden") }, { T("c"), T("dot.") },
        { T("c"), T("a\nb") },     { T("c"), T("a\0b") },    { T("c\0d"), T("x") },
        { T("c"), T("\xc0\xae") }, { T("c"), T("end ") },    { T("c.json"), T("x") },
        { T("c"), T("\x7f") },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        ArtifactRef ref;
        Artifact a;
        ArtifactWrite w = { .category = bad[i].category, .id = bad[i].id, .json = S("1") };
        desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
        assert_sentence(&d->e);
        desk_expect(d, JOT_INVALID,
                    artifact_read(&d->m, &(ArtifactRead){ .category = w.category, .id = w.id },
                                  &d->a, &a, &d->e));
        desk_expect(d, JOT_INVALID, artifact_delete(&d->m, w.category, w.id, NULL, &d->a, &d->e));
    }
    assert_int_equal(find(d, (ArtifactQuery){ 0 }).n, 0);
}

static void an_id_that_is_too_long_is_refused(Desk *d)
{
    char id[STORE_SEGMENT_MAX + 2];
    memset(id, 'x', sizeof id);
    id[STORE_SEGMENT_MAX] = 0;
    put(d, "c", id, "1", "", "");
    id[STORE_SEGMENT_MAX] = 'x';
    id[STORE_SEGMENT_MAX + 1] = 0;
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("c"), .id = str(id), .json = S("1") };
    desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
    assert_says(d, "at most 200 bytes");
}

static void what_is_no_json_is_refused_with_its_byte(Desk *d)
{
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("c"), .id = S("x"), .json = S("{\"a\": 1,}") };
    desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
    assert_says(d, "not valid JSON at byte 9");
    Artifact a;
    desk_expect(d, JOT_NOT_FOUND,
                artifact_read(&d->m, &(ArtifactRead){ .category = S("c"), .id = S("x") }, &d->a, &a,
                              &d->e));
}

static void a_type_or_task_that_cannot_be_one_is_refused(Desk *d)
{
    char type[ARTIFACT_WORD_MAX + 2];
    memset(type, 't', sizeof type);
    type[ARTIFACT_WORD_MAX + 1] = 0;
    const char *const types[] = { type, "a\nb", "\xff" }, *const tasks[] = { "a/b", "..", "\n" };
    ArtifactRef ref;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        ArtifactWrite w = {
            .category = S("c"), .id = S("x"), .json = S("1"), .type = str(types[i])
        };
        desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
        w = (ArtifactWrite){
            .category = S("c"), .id = S("x"), .json = S("1"), .task = str(tasks[i])
        };
        desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
    }
    assert_int_equal(find(d, (ArtifactQuery){ 0 }).n, 0);
}

static void a_write_that_names_another_version_changes_nothing(Desk *d)
{
    ArtifactRef one = put(d, "c", "x", "1", "plan", ""), now;
    put(d, "c", "x", "2", "plan", "");
    Version old = version_of(one.sha256);
    ArtifactWrite w = {
        .category = S("c"), .id = S("x"), .json = S("3"), .when = { str(old.text), false }
    };
    desk_expect(d, JOT_CONFLICT, artifact_write(&d->m, &w, &d->a, &now, &d->e));
    assert_true(hash_eq(now.sha256, hash_of(S("2"))));
    assert_text(get(d, "c", "x").text, "2");
    w.when = (DocIf){ .absent = true };
    desk_expect(d, JOT_CONFLICT, artifact_write(&d->m, &w, &d->a, &now, &d->e));
}

static void a_ref_finds_its_version_after_a_rewrite_and_a_delete(Desk *d)
{
    ArtifactRef one = put(d, "c", "x", "{\"v\":1}", "plan", "t");
    put(d, "c", "x", "{\"v\":2}", "other", "");
    desk_ok(d, artifact_delete(&d->m, S("c"), S("x"), NULL, &d->a, &d->e));
    HashHex hex = hash_hex(one.sha256);
    Artifact a;
    desk_ok(d, artifact_read(
                   &d->m,
                   &(ArtifactRead){ .category = S("c"), .id = S("x"), .version = str(hex.text) },
                   &d->a, &a, &d->e));
    assert_text(a.text, "{\n  \"v\": 1\n}");
    assert_text(a.ref.type, "plan");
    desk_expect(d, JOT_NOT_FOUND,
                artifact_read(&d->m,
                              &(ArtifactRead){
                                  .category = S("c"), .id = S("x"), .version = S("0123456789ab") },
                              &d->a, &a, &d->e));
    desk_expect(d, JOT_NOT_FOUND,
                artifact_read(&d->m, &(ArtifactRead){ .category = S("c"), .id = S("x") }, &d->a, &a,
                              &d->e));
}

static void deleting_what_is_not_there_says_so(Desk *d)
{
    desk_expect(d, JOT_NOT_FOUND, artifact_delete(&d->m, S("c"), S("x"), NULL, &d->a, &d->e));
    put(d, "c", "x", "1", "", "");
    desk_ok(d, artifact_delete(&d->m, S("c"), S("x"), NULL, &d->a, &d->e));
    assert_int_equal(find(d, (ArtifactQuery){ 0 }).n, 0);
}

static void the_categories_of_the_sink_and_the_index_are_taken(Desk *d)
{
    static const char *const taken[] = { "tool_results", "tool_results/deeper", "index",
                                         "index/tasks" };
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        ArtifactRef ref;
        ArtifactWrite w = { .category = str(taken[i]), .id = S("x"), .json = S("1") };
        desk_expect(d, JOT_INVALID, artifact_write(&d->m, &w, &d->a, &ref, &d->e));
        assert_says(d, "the category '");
    }
}

/* --- Finding --------------------------------------------------------------------------- */

static void lookups_by_id_category_type_and_task_are_in_order(Desk *d)
{
    put(d, "planning", "b", "1", "plan", "t1");
    put(d, "planning", "a", "1", "plan", "t2");
    put(d, "planning/old", "a", "1", "plan", "t1");
    put(d, "drafts", "c", "1", "text", "t1");
    ArtifactList list = find(d, (ArtifactQuery){ 0 });
    assert_text(ids(d, &list), "c a b a");
    list = find(d, (ArtifactQuery){ .category = S("planning") });
    assert_text(ids(d, &list), "a b");
    list = find(d, (ArtifactQuery){ .category = S("planning"), .below = true });
    assert_text(ids(d, &list), "a b a");
    list = find(d, (ArtifactQuery){ .id = S("a") });
    assert_int_equal(list.n, 2);
    assert_text(list.items[1].category, "planning/old");
    list = find(d, (ArtifactQuery){ .type = S("text") });
    assert_text(ids(d, &list), "c");
    list = find(d, (ArtifactQuery){ .task = S("t1") });
    assert_text(ids(d, &list), "c b a");
    list = find(d, (ArtifactQuery){ .task = S("t1"), .type = S("plan"), .id = S("a") });
    assert_int_equal(list.n, 1);
    assert_int_equal(find(d, (ArtifactQuery){ .category = S("plan") }).n, 0);
}

static void a_long_answer_goes_on_behind_its_last_one(Desk *d)
{
    for (int i = 0; i < 7; i++)
        put(d, "c", arena_printf(&d->a, "x%d", i).p, "1", i % 2 ? "odd" : "even", "");
    ArtifactQuery q = { .type = S("even"), .limit = 2 };
    ArtifactList list = find(d, q);
    assert_text(ids(d, &list), "x0 x2");
    assert_true(list.more);
    q.after = S("c/x2");
    list = find(d, q);
    assert_text(ids(d, &list), "x4 x6");
    assert_false(list.more);
    q.limit = ARTIFACT_FIND_MAX + 1;
    desk_expect(d, JOT_INVALID, artifact_find(&d->m, &q, &d->a, &list, &d->e));
}

static void an_entry_that_cannot_be_understood_is_told_and_hides_nothing(Desk *d)
{
    Mark mark;
    put(d, "c", "a", "1", "plan", "t");
    put(d, "c", "z", "1", "plan", "t");
    Draft odd = { .op = OP_PUT, .meta = S("{\"type\":5}"), .body = S("1") };
    desk_ok(d, memory_append(&d->m, S("artifacts/c/m"), NULL, &odd, &mark, &d->e));
    Draft homeless = { .op = OP_PUT, .body = S("1") };
    desk_ok(d, memory_append(&d->m, S("artifacts/nowhere"), NULL, &homeless, &mark, &d->e));
    ArtifactList list = find(d, (ArtifactQuery){ .task = S("t") });
    assert_text(ids(d, &list), "a z");
    assert_int_equal(list.problems_n, 2);
    assert_text(list.problems[0].name, "artifacts/c/m");
    assert_text(list.problems[0].why, "the type in its meta is not a string");
    assert_text(list.problems[1].name, "artifacts/nowhere");
    assert_text(list.problems[1].why, "it has no category");
    list = find(d, (ArtifactQuery){ .id = S("a") });
    assert_int_equal(list.problems_n, 0);
}

static void problems_beyond_a_hundred_are_counted(Desk *d)
{
    Mark mark;
    for (int i = 0; i < ARTIFACT_PROBLEMS_MAX + 3; i++) {
        Draft odd = { .op = OP_PUT, .meta = S("{\"type\":5}"), .body = S("1") };
        Str name = arena_printf(&d->a, "artifacts/c/%d", i);
        desk_ok(d, memory_append(&d->m, name, NULL, &odd, &mark, &d->e));
    }
    ArtifactList list = find(d, (ArtifactQuery){ 0 });
    assert_int_equal(list.problems_n, ARTIFACT_PROBLEMS_MAX);
    assert_int_equal(list.problems_total, ARTIFACT_PROBLEMS_MAX + 3);
}

static void the_index_needs_no_file_of_its_own(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    put(d, "c", "a", "1", "plan", "t");
    Memory other = desk_open(d, "bob");
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("c"), .id = S("b"), .json = S("2"), .task = S("t") };
    desk_ok(d, artifact_write(&other, &w, &d->a, &ref, &d->e));
    memory_close(&other);
    ArtifactList list = find(d, (ArtifactQuery){ .task = S("t") });
    assert_text(ids(d, &list), "a b");
    desk_reopen(d);
    list = find(d, (ArtifactQuery){ .task = S("t") });
    assert_text(ids(d, &list), "a b");
    assert_text(list.items[1].by, "bob");
}

/* --- People ---------------------------------------------------------------------------- */

static void an_edit_from_outside_keeps_type_and_task(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", "a", "{\"v\":1}", "plan", "t");
    write_file(d, "artifacts/c/a.json", "{\"v\": 2}\n");
    ArtifactList list = find(d, (ArtifactQuery){ .task = S("t"), .type = S("plan") });
    assert_text(ids(d, &list), "a");
    Artifact a = get(d, "c", "a");
    assert_text(a.text, "{\"v\": 2}\n");
    assert_text(a.ref.task, "t");
    assert_true(hash_eq(list.items[0].sha256, hash_of(a.text)));
}

static void a_file_dropped_there_is_an_artifact(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", "a", "1", "", "");
    write_file(d, "artifacts/c/dropped.json", "[]");
    ArtifactList list = find(d, (ArtifactQuery){ .category = S("c") });
    assert_text(ids(d, &list), "a dropped");
    assert_int_equal(list.problems_n, 0);
    assert_text(get(d, "c", "dropped").text, "[]");
}

static void an_edit_that_left_no_json_is_a_problem_of_a_list_and_hides_nothing(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", "a", "{\"v\":1}", "plan", "");
    put(d, "c", "b", "{\"v\":1}", "plan", "");
    write_file(d, "artifacts/c/a.json", "{broken");
    ArtifactList list = find(d, (ArtifactQuery){ .type = S("plan") });
    assert_text(ids(d, &list), "b");
    assert_int_equal(list.problems_total, 1);
    assert_text(list.problems[0].name, "artifacts/c/a");
    assert_has(list.problems[0].why, "it is not valid JSON at byte ");
    ArtifactList others = find(d, (ArtifactQuery){ .type = S("other") });
    assert_int_equal(others.problems_total, 0);
    put(d, "c", "a", "{\"v\":2}", "plan", "");
    ArtifactList mended = find(d, (ArtifactQuery){ .type = S("plan") });
    assert_text(ids(d, &mended), "a b");
}

static void a_string_that_holds_json_is_kept_with_a_hint(Desk *d)
{
    static const char *const meant[] = { "\"{\\\"a\\\":1}\"", "\" [1]\"", "\"{}\"" };
    static const char *const fine[] = { "\"text\"", "{\"a\":1}", "\"1\"", "\"{no\"", "\"\"", "x" };
    (void)d;
    for (size_t i = 0; i < COUNT_OF(meant); i++)
        assert_has(artifact_hint(str(meant[i])), "a string that holds JSON");
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        assert_int_equal(artifact_hint(str(fine[i])).n, 0);
}

static void an_edit_that_left_no_json_is_told_with_its_text(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", "a", "{\"v\":1}", "plan", "");
    write_file(d, "artifacts/c/a.json", "{\"v\": }");
    Artifact a;
    desk_expect(d, JOT_CORRUPT,
                artifact_read(&d->m, &(ArtifactRead){ .category = S("c"), .id = S("a") }, &d->a, &a,
                              &d->e));
    assert_says(d, "'artifacts/c/a' is not valid JSON at byte 7");
    assert_text(a.text, "{\"v\": }");
    put(d, "c", "a", "{\"v\":2}", "plan", "");
    assert_text(get(d, "c", "a").text, "{\n  \"v\": 2\n}");
}

static void a_damaged_stream_hides_no_other_artifact(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "c", "a", "1", "plan", "t");
    put(d, "c", "b", "1", "plan", "t");
    put(d, "c", "z", "1", "plan", "t");
    write_file(d, "streams/artifacts.d/c.d/b.jsonl", "no record at all\nnor this\n");
    desk_reopen(d);
    ArtifactList list = find(d, (ArtifactQuery){ .category = S("c") });
    bool first = false, last = false;
    for (size_t i = 0; i < list.n; i++) {
        first = first || str_eq(list.items[i].id, S("a"));
        last = last || str_eq(list.items[i].id, S("z"));
    }
    assert_true(first && last);
    /* Its file is still there, so people have not lost it. */
    assert_text(get(d, "c", "b").text, "1");
}

/* --- Named index documents ------------------------------------------------------------- */

static void an_index_document_is_replaced_and_not_listed_among_artifacts(Desk *d)
{
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("tasks"),
                        .id = S("task_index"),
                        .json = S("{\"entries\":[]}") };
    desk_ok(d, artifact_index_write(&d->m, &w, &d->a, &ref, &d->e));
    w.json = S("{\"entries\":[1]}");
    desk_ok(d, artifact_index_write(&d->m, &w, &d->a, &ref, &d->e));
    put(d, "tasks", "task_index", "\"an artifact of the same name\"", "", "");
    Artifact a;
    desk_ok(d, artifact_index_read(&d->m, S("tasks"), S("task_index"), &d->a, &a, &d->e));
    assert_text(a.text, "{\n  \"entries\": [\n    1\n  ]\n}");
    ArtifactList list = find(d, (ArtifactQuery){ .category = S("tasks"), .below = true });
    assert_int_equal(list.n, 1);
    list = find(d, (ArtifactQuery){ .category = S("tasks"), .documents = true });
    assert_text(ids(d, &list), "task_index");
    assert_text(list.items[0].category, "tasks");
    list = find(d, (ArtifactQuery){ .documents = true, .after = S("tasks/task_index") });
    assert_int_equal(list.n, 0);
    desk_ok(d, artifact_index_delete(&d->m, S("tasks"), S("task_index"), &d->a, &d->e));
    desk_expect(d, JOT_NOT_FOUND,
                artifact_index_read(&d->m, S("tasks"), S("task_index"), &d->a, &a, &d->e));
    assert_text(get(d, "tasks", "task_index").text, "\"an artifact of the same name\"");
}

static void a_stale_temporary_file_beside_a_document_is_harmless(Desk *d)
{
    if (strcmp(d->engine, "files") != 0)
        return;
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("tasks"), .id = S("i"), .json = S("1") };
    desk_ok(d, artifact_index_write(&d->m, &w, &d->a, &ref, &d->e));
    write_file(d, "index/tasks/i.json.tmp", "{ torn");
    write_file(d, "index/tasks/.i.json.new", "{ torn");
    Artifact a;
    desk_ok(d, artifact_index_read(&d->m, S("tasks"), S("i"), &d->a, &a, &d->e));
    assert_text(a.text, "1");
    w.json = S("2");
    desk_ok(d, artifact_index_write(&d->m, &w, &d->a, &ref, &d->e));
    desk_ok(d, artifact_index_read(&d->m, S("tasks"), S("i"), &d->a, &a, &d->e));
    assert_text(a.text, "2");
}

/* --- As JSON --------------------------------------------------------------------------- */

static void a_ref_as_json_has_its_four_members_first(Desk *d)
{
    ArtifactRef ref = put(d, "c", "x", "1", "", "t");
    AUTO(Buf) b = { 0 };
    AUTO_PTR(json_t) json = artifact_ref_json(&ref);
    json_write(&b, json);
    Str want = arena_printf(&d->a,
                            "{\"artifact_id\":\"x\",\"category\":\"c\",\"content_hash\":\"%s\","
                            "\"at\":\"2026-01-01T00:00:00.000Z\",\"type\":null,"
                            "\"task_id\":\"t\",\"by\":\"ann\",\"seq\":1,\"size\":1}",
                            hash_hex(hash_of(S("1"))).text);
    assert_str(buf_str(&b), want);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(an_artifact_is_stored_as_json_dumps_would_indent_it),
        DESK_TEST(a_ref_carries_the_hash_of_the_stored_bytes),
        DESK_TEST(a_file_of_the_pad_is_the_artifact),
        DESK_TEST(an_id_may_hold_what_tool_calls_hold),
        DESK_TEST(a_name_that_could_escape_is_refused),
        DESK_TEST(an_id_that_is_too_long_is_refused),
        DESK_TEST(what_is_no_json_is_refused_with_its_byte),
        DESK_TEST(a_type_or_task_that_cannot_be_one_is_refused),
        DESK_TEST(a_write_that_names_another_version_changes_nothing),
        DESK_TEST(a_ref_finds_its_version_after_a_rewrite_and_a_delete),
        DESK_TEST(deleting_what_is_not_there_says_so),
        DESK_TEST(the_categories_of_the_sink_and_the_index_are_taken),
        DESK_TEST(lookups_by_id_category_type_and_task_are_in_order),
        DESK_TEST(a_long_answer_goes_on_behind_its_last_one),
        DESK_TEST(an_entry_that_cannot_be_understood_is_told_and_hides_nothing),
        DESK_TEST(problems_beyond_a_hundred_are_counted),
        DESK_TEST(the_index_needs_no_file_of_its_own),
        DESK_TEST(an_edit_from_outside_keeps_type_and_task),
        DESK_TEST(an_edit_that_left_no_json_is_a_problem_of_a_list_and_hides_nothing),
        DESK_TEST(a_string_that_holds_json_is_kept_with_a_hint),
        DESK_TEST(a_file_dropped_there_is_an_artifact),
        DESK_TEST(an_edit_that_left_no_json_is_told_with_its_text),
        DESK_TEST(a_damaged_stream_hides_no_other_artifact),
        DESK_TEST(an_index_document_is_replaced_and_not_listed_among_artifacts),
        DESK_TEST(a_stale_temporary_file_beside_a_document_is_harmless),
        DESK_TEST(a_ref_as_json_has_its_four_members_first),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
