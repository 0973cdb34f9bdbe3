/* test_forget.c - text that must go: out of runs, out of logs and documents, out of every file. */
#include "memory/forget/forget.h"

#include "memory/artifact/checkpoint.h"
#include "memory/artifact/sink.h"
#include "memory/forget_desk.h"
#include "memory/run/run_results.h"
#include "memory/task/task.h"

/* --- Runs -------------------------------------------------------------------------------- */

static void a_purged_run_is_in_no_file_and_its_id_is_not_given_again(Desk *d)
{
    AUTO(Run) r = { 0 };
    AUTO(Run) next = { 0 };
    RunForgotten f;
    Str query;
    record_run(d, "{\"q\":\"" CANARY "\"}", S("it is " CANARY), &r);
    make_index(d);
    desk_ok(d, forget_run(&d->m, str(r.id), &d->a, &f, &d->e));
    assert_int_equal(f.n, 0);
    assert_gone(d);
    assert_finds_nothing(d);
    desk_expect(d, JOT_NOT_FOUND, run_refresh(&r, &d->e));
    assert_says(d, "run '");
    desk_expect(d, JOT_NOT_FOUND, run_say(&r, RUN_THINKING, S("x"), &d->e));
    desk_expect(d, JOT_NOT_FOUND, run_query(&d->m, str(r.id), &d->a, &query, &d->e));
    desk_expect(d, JOT_NOT_FOUND, forget_run(&d->m, str(r.id), &d->a, &f, &d->e));
    desk_expect(d, JOT_NOT_FOUND, forget_run_record(&d->m, str(r.id), 1, &d->e));
    desk_ok(d, run_begin(&d->m, NULL, S("what is it?"), &next, &d->e)); /* in the same second */
    assert_string_not_equal(next.id, r.id);
    desk_expect(d, JOT_NOT_FOUND, forget_run(&d->m, S("none"), &d->a, &f, &d->e));
    desk_expect(d, JOT_INVALID, forget_run(&d->m, S(""), &d->a, &f, &d->e));
}

static void a_purge_tells_what_belongs_to_the_run_and_is_still_there(Desk *d)
{
    AUTO(Run) r = { 0 };
    RunForgotten f;
    SinkView view;
    SinkPut kept = { .call = S("c1"), .tool = S("fetch"), .result = S("text") };
    record_run(d, "{}", S("text"), &r);
    desk_ok(d, sink_write(&d->m, &kept, &d->a, &view, NULL, &d->e));
    Checkpoint c;
    desk_ok(d,
            checkpoint_write(&d->m, str(r.id), &(CheckpointWrite){ .state = S("s") }, &c, &d->e));
    put(d, arena_printf(&d->a, "plans/%s", r.id).p, "{}");
    desk_ok(d, forget_run(&d->m, str(r.id), &d->a, &f, &d->e));
    assert_int_equal(f.n, 3);
    assert_text(f.beside[0], "artifacts/tool_results/c1");
    assert_true(str_starts(f.beside[1], S("plans/")));
    assert_true(str_starts(f.beside[2], S("checkpoints/")));
}

static void a_redacted_record_keeps_its_place_in_the_run(Desk *d)
{
    AUTO(Run) r = { 0 };
    record_run(d, "{}", S("it is " CANARY), &r);
    make_index(d);
    desk_ok(d, forget_run_record(&d->m, str(r.id), 3, &d->e));
    assert_gone(d);
    RunStep s = step_at(d, &r, 3);
    assert_true(s.redacted && s.kind == RUN_RESULT && s.ok && s.n == 1);
    Results all;
    desk_ok(d, run_prompt(&r, &d->a, &all, &d->e));
    assert_int_equal(all.n, 1);
    assert_text(all.items[0].result, "[redacted]");
    AUTO(Buf) final = { 0 };
    desk_ok(d, run_final(&r, &final, &d->e));
    assert_text(buf_str(&final), "### fetch()\n[redacted]");
    desk_ok(d, forget_run_record(&d->m, str(r.id), 3, &d->e)); /* once more is fine */
    desk_expect(d, JOT_NOT_FOUND, forget_run_record(&d->m, str(r.id), 99, &d->e));
    assert_says(d, "has no record 99");
    desk_ok(d, forget_run_record(&d->m, str(r.id), 5, &d->e)); /* the newest one too */
    desk_ok(d, forget_run_record(&d->m, str(r.id), 1, &d->e));
    Str query;
    desk_ok(d, run_query(&d->m, str(r.id), &d->a, &query, &d->e));
    assert_text(query, "[redacted]");
    desk_ok(d, run_say(&r, RUN_THINKING, S("more"), &d->e));
}

static void a_redacted_summary_is_shown_as_such(Desk *d)
{
    AUTO(Run) r = { 0 };
    Results all;
    record_run(d, "{}", S("text"), &r);
    desk_ok(d, run_compact(&r, S("all was " CANARY), &d->e));
    desk_ok(d, forget_run_record(&d->m, str(r.id), r.state.compact_seq, &d->e));
    desk_ok(d, run_prompt(&r, &d->a, &all, &d->e));
    assert_text(all.summary, "[redacted]");
    assert_int_equal(all.damaged, 0);
}

static void a_phrase_goes_from_every_record_of_a_run(Desk *d)
{
    AUTO(Run) r = { 0 };
    Forgotten f;
    record_run(d, "{\"q\":\"say \\\"" CANARY "\\\"\\nx\"}", S("say \"" CANARY "\"\nx"), &r);
    Str phrase = S("say \"" CANARY "\"\nx");
    desk_ok(d,
            run_record(&r, RUN_REPLY, NULL,
                       S("{\"args\":\"{\\\"q\\\":\\\"say \\\\\\\"" CANARY "\\\\\\\"\\\\nx\\\"}\"}"),
                       &d->e));
    make_index(d);
    desk_ok(d, forget_run_phrase(&d->m, str(r.id), phrase, &f, &d->e));
    assert_int_equal(f.n, 3);
    assert_int_equal(f.kept, 0);
    assert_gone(d);
    assert_finds_nothing(d);
    desk_expect(d, JOT_NOT_FOUND, forget_run_phrase(&d->m, str(r.id), phrase, &f, &d->e));
    assert_says(d, "no record of run '");
    desk_expect(d, JOT_INVALID, forget_run_phrase(&d->m, str(r.id), (Str){ 0 }, &f, &d->e));
    desk_expect(d, JOT_INVALID, forget_run_phrase(&d->m, str(r.id), S("redact"), &f, &d->e));
}

static void folds_that_hold_a_phrase_go_too_and_nothing_depends_on_them(Desk *d)
{
    AUTO(Run) r = { 0 };
    AUTO(Run) again = { 0 };
    Forgotten f;
    uint64_t n;
    RunCall open = { .call = S(CANARY), .tool = S("fetch") };
    record_run(d, "{}", S("text"), &r);
    desk_ok(d, run_call(&r, &open, &d->e));
    for (int i = 0; i < 2 * RUN_FOLD_EVERY; i++)
        desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    desk_expect(d, JOT_UNSUPPORTED, forget_run_phrase(&d->m, str(r.id), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, 2); /* folds */
    assert_int_equal(f.kept, 1);
    assert_says(d, "1 record of run '");
    assert_int_equal(bodies(d), 0);
    desk_ok(d, run_open(&d->m, str(r.id), &again, &d->e));
    assert_int_equal(again.state.thoughts, r.state.thoughts);
    assert_int_equal(again.state.open_n, 1);
    desk_ok(d, run_result(&again, S(CANARY), true, S("late"), &n, &d->e));
    assert_int_equal(n, 2);
}

static void an_index_that_a_killed_call_left_is_cleared_by_the_next(Desk *d)
{
    Forgotten f;
    RunForgotten gone;
    Mark mark;
    for (int purge = 0; purge < 2; purge++) {
        AUTO(Run) r = { 0 };
        record_run(d, "{}", S("it is " CANARY), &r);
        make_index(d);
        if (purge)
            desk_ok(d, memory_purge(&d->m, str(r.stream), &mark, &d->e));
        else
            desk_ok(d, memory_redact(&d->m, str(r.stream), 3, &d->e));
        assert_int_equal(desk_files_with(d, CANARY), on_disk(d));
        jot_status st = purge ? forget_run(&d->m, str(r.id), &d->a, &gone, &d->e)
                              : forget_run_phrase(&d->m, str(r.id), S(CANARY), &f, &d->e);
        assert_int_equal(st, JOT_NOT_FOUND);
        assert_int_equal(desk_files_with(d, CANARY), 0);
    }
}

static void what_stands_in_a_meta_is_counted(Desk *d)
{
    AUTO(Run) r = { 0 };
    Forgotten f;
    uint64_t n;
    RunCall call = { .call = S("c2"), .tool = S("use_" CANARY), .warning = S("not " CANARY) };
    record_run(d, "{\"q\":\"" CANARY "\"}", S("text"), &r);
    desk_ok(d, run_call(&r, &call, &d->e));
    desk_ok(d, run_result(&r, S("c2"), true, S("a " CANARY), &n, &d->e));
    for (int i = 0; i < 2; i++) {
        desk_expect(d, JOT_UNSUPPORTED, forget_run_phrase(&d->m, str(r.id), S(CANARY), &f, &d->e));
        assert_says(d, "2 records of run '");
        assert_int_equal(f.kept, 2);
        assert_int_equal(f.n, i == 0 ? 2 : 0);
    }
    assert_int_equal(bodies(d), 0);
}

/* --- Other streams ----------------------------------------------------------------------- */

static void lines_of_a_log_are_redacted_and_purged(Desk *d)
{
    Forgotten f;
    Mark mark;
    line(d, "logs/build/out", "one " CANARY);
    line(d, "logs/build/out", "two");
    line(d, "logs/build/out", "three " CANARY);
    desk_ok(d, forget_phrase(&d->m, S("logs/build/out"), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, 2);
    assert_gone(d);
    desk_ok(d, forget_record(&d->m, S("logs/build/out"), 2, &d->e));
    desk_ok(d, forget_document(&d->m, S("logs/build/out"), &mark, &d->e));
    desk_expect(d, JOT_NOT_FOUND, forget_record(&d->m, S("logs/build/out"), 2, &d->e));
}

static void a_value_others_work_with_stays_and_is_told(Desk *d)
{
    Task t;
    Forgotten f;
    TaskAdd add = { .id = S("t1"), .description = S("use " CANARY) };
    TaskMove block = { .to = TASK_BLOCKED, .reason = S("why"), .manual = true };
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    desk_ok(d, task_move(&d->m, S("t1"), &block, &d->a, &t, &d->e));
    desk_expect(d, JOT_UNSUPPORTED, forget_phrase(&d->m, S("tasks/t1"), S(CANARY), &f, &d->e));
    assert_says(d, "the present value of 'tasks/t1'");
    assert_true(f.live);
    assert_int_equal(f.n, 1);
    desk_expect(d, JOT_INVALID, forget_record(&d->m, S("tasks/t1"), 2, &d->e));
    desk_ok(d, task_read(&d->m, S("t1"), &d->a, &t, &d->e));
    assert_text(t.description, "use " CANARY);
}

static void only_names_of_streams_that_can_be_forgotten_are_taken(Desk *d)
{
    static const struct {
        const char *word, *stream; /* NULL: refused */
    } rows[] = {
        { "plan", "notes/plan" },
        { "notes/plan", "notes/plan" },
        { "tasks/t1", "tasks/t1" },
        { "logs/a/b", "logs/a/b" },
        { "runs/r", "runs/r" },
        { "memories/a.md", "memories/a.md" },
        { "leases/table", NULL },
        { "no*key", NULL },
        { "tasks/../x", NULL },
        { "notes/a b ", NULL },
        { "checkpoints/r", "checkpoints/r" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str stream = { 0 };
        desk_expect(d, rows[i].stream ? JOT_OK : JOT_INVALID,
                    forget_resolve(str(rows[i].word), &d->a, &stream, &d->e));
        if (rows[i].stream)
            assert_text(stream, rows[i].stream);
    }
}

static void a_person_s_edit_that_no_write_has_recorded_is_reached(Desk *d)
{
    Forgotten f;
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/plan", "one " CANARY "\n");
    char path[256];
    snprintf(path, sizeof path, "%s/notes/plan.txt", d->url + strlen("files:"));
    for (int held = 0; held < 2; held++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(held ? "mine " CANARY "\n" : "mine\n", out);
        fclose(out);
        desk_ok(d, forget_phrase(&d->m, S("notes/plan"), S(CANARY), &f, &d->e));
        assert_int_equal(f.rewritten, held);
        assert_reads(d, "notes/plan", held ? "mine [redacted]\n" : "mine\n");
        assert_gone(d);
    }
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_purged_run_is_in_no_file_and_its_id_is_not_given_again),
        DESK_TEST(a_purge_tells_what_belongs_to_the_run_and_is_still_there),
        DESK_TEST(a_redacted_record_keeps_its_place_in_the_run),
        DESK_TEST(a_redacted_summary_is_shown_as_such),
        DESK_TEST(a_phrase_goes_from_every_record_of_a_run),
        DESK_TEST(folds_that_hold_a_phrase_go_too_and_nothing_depends_on_them),
        DESK_TEST(an_index_that_a_killed_call_left_is_cleared_by_the_next),
        DESK_TEST(what_stands_in_a_meta_is_counted),
        DESK_TEST(lines_of_a_log_are_redacted_and_purged),
        DESK_TEST(a_value_others_work_with_stays_and_is_told),
        DESK_TEST(only_names_of_streams_that_can_be_forgotten_are_taken),
        DESK_TEST(a_person_s_edit_that_no_write_has_recorded_is_reached),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
