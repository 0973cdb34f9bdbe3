/* test_forget.c - text that must go: out of runs, out of the whole pad, out of every file. */
#include "memory/forget.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "memory/artifact.h"
#include "memory/care.h"
#include "memory/checkpoint.h"
#include "memory/cycle.h"
#include "memory/desk.h"
#include "memory/graph.h"
#include "memory/lease.h"
#include "memory/note.h"
#include "memory/phrase.h"
#include "memory/plan.h"
#include "memory/run_results.h"
#include "memory/search.h"
#include "memory/sink.h"
#include "memory/task.h"

/* One word for the index, and nothing that anybody escapes. */
#define CANARY "zqxjkvcanary"

/* --- Words ------------------------------------------------------------------------------- */

static void put(Desk *d, const char *stream, const char *text)
{
    Doc now;
    DocWrite w = { .text = str(text) };
    desk_ok(d, doc_write(&d->m, str(stream), &w, &d->a, &now, &d->e));
}

static void line(Desk *d, const char *stream, const char *text)
{
    Mark mark;
    Draft w = { .op = OP_APPEND, .body = str(text) };
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &w, &mark, &d->e));
}

static void assert_reads(Desk *d, const char *stream, const char *text)
{
    Doc now;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &now, &d->e));
    assert_text(now.text, text);
}

/* Make an index file, with all that is in the pad. */
static void make_index(Desk *d)
{
    AUTO_PTR(Search) s = NULL;
    Hits hits;
    SearchQuery q = { .text = S(CANARY), .limit = 10 };
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_find(s, &q, &d->a, &hits, &d->e));
    assert_true(hits.n > 0);
}

static void assert_finds_nothing(Desk *d)
{
    AUTO_PTR(Search) s = NULL;
    Hits hits;
    SearchQuery q = { .text = S(CANARY), .limit = 10 };
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_find(s, &q, &d->a, &hits, &d->e));
    assert_int_equal(hits.n, 0);
}

/* How many bodies hold the canary. */
static jot_status count_record(void *ctx, const Record *r)
{
    size_t *n = ctx;
    *n += r->body.n && memmem(r->body.p, r->body.n, CANARY, sizeof CANARY - 1);
    return JOT_OK;
}

typedef struct Bodies {
    Desk *d;
    size_t n;
} Bodies;

static jot_status count_stream(void *ctx, const Listed *l)
{
    Bodies *b = ctx;
    return memory_each_record(&b->d->m, l->name, 1, count_record, &b->n, NULL, &b->d->e);
}

static size_t bodies(Desk *d)
{
    Bodies b = { .d = d };
    desk_ok(d, memory_each(&d->m, (Str){ 0 }, LIST_ALL, count_stream, &b, &d->e));
    return b.n;
}

/* In no record, and in no file. */
static void assert_gone(Desk *d)
{
    assert_int_equal(bodies(d), 0);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    CareCount count;
    desk_ok(d, care_verify(&d->m, NULL, &count, &d->e));
    assert_int_equal(count.faults, 0);
}

static bool on_disk(const Desk *d)
{
    return strcmp(d->engine, "mem") != 0;
}

/* A run of five records: init, call, result, thinking, answer. */
static void record_run(Desk *d, const char *args, Str result, Run *r)
{
    uint64_t n;
    RunCall call = { .call = S("c1"), .tool = S("fetch"), .args = str(args) };
    d->now_ms += 1000;
    desk_ok(d, run_new(&d->m, S("what is it?"), r, &d->e));
    desk_ok(d, run_call(r, &call, &d->e));
    desk_ok(d, run_result(r, S("c1"), true, result, &n, &d->e));
    desk_ok(d, run_say(r, RUN_THINKING, S("hm"), &d->e));
    desk_ok(d, run_say(r, RUN_ANSWER, S("so"), &d->e));
}

static Step step_at(Desk *d, Run *r, uint64_t seq)
{
    Step s;
    desk_ok(d, run_step(r, seq, &d->a, &s, &d->e));
    return s;
}

/* --- Phrases ----------------------------------------------------------------------------- */

static void a_phrase_is_found_as_it_stands_and_as_json_writes_it(Desk *d)
{
    static const struct {
        const char *text, *phrase, *without; /* NULL: it is not in it */
    } rows[] = {
        { "a key b", "key", "a # b" },
        { "keykey key", "key", "## #" },
        { "a k\xC3\xA9y b", "k\xC3\xA9y", "a # b" },
        { "a k\\u00e9y b", "k\xC3\xA9y", "a # b" },
        { "a k\\u00E9y b", "k\xC3\xA9y", "a # b" },
        { "a \\uD83D\\uDE00 b", "\xF0\x9F\x98\x80", "a # b" },
        { "a \\uD83D b", "\xF0\x9F\x98\x80", NULL },
        { "{\"a\":\"say \\\"key\\\"\"}", "say \"key\"", "{\"a\":\"#\"}" },
        { "{\"a\":\"one\\ntwo\"}", "one\ntwo", "{\"a\":\"#\"}" },
        { "{\"a\":\"{\\\"b\\\":\\\"one\\\\ntwo\\\"}\"}", "one\ntwo",
          "{\"a\":\"{\\\"b\\\":\\\"#\\\"}\"}" },
        { "{\"a\":\"{\\\"b\\\":\\\"\\\\\\\"key\\\\\\\"\\\"}\"}", "\"key\"",
          "{\"a\":\"{\\\"b\\\":\\\"#\\\"}\"}" },
        { "a\\/b", "a/b", "#" },
        { "C:\\\\dir", "C:\\dir", "#" },
        { "C:\\dir", "C:\\dir", "#" },
        /* A character of JSON is taken whole, so that JSON stays JSON. */
        { "{\"a\":\"\\nfoo\"}", "nfoo", "{\"a\":\"#\"}" },
        { "{\"a\":\"\\u00e9foo\"}", "e9foo", "{\"a\":\"#\"}" },
        { "a \\", "key", NULL },
        { "a \\u12", "key", NULL },
        { "\\\\\\\\\\\\", "key", NULL },
        { "", "key", NULL },
        /* As Jotter lays texts out. */
        { "a: |\n  one\n    two\n  three\n", "one\n  two\nthree", "a: |\n  #\n" },
        { "{\"a\":\"x\\n  one\\n  two\"}", "one\ntwo", "{\"a\":\"x\\n  #\"}" },
        { "alpha **bravo** charlie", "alpha bravo", "# charlie" },
        { "**alpha** **bravo** x", "alpha\nbravo", "**#** x" },
        { "my **pass**-**word** is", "pass-word", "my **#** is" },
        { "| one\n| two\n|\n| three", "one\ntwo\n\nthree", "| #" },
        { "     9\tone\n    10\ttwo", "one\ntwo", "     9\t#" },
        { "| a |\n| b |", "| a |\n| b |\n", "#" },
        { "  | a |\n  | b |", "| a |\n| b |", "  #" },
        { "one two", "one  two", "#" },
        { "a \\\\n", "  a \\ ", "#n" },
        { "onetwo one-two one|two", "one two", NULL },
        { "one\n7 two", "one two", NULL },
        { "se**cr**et sec ret", "secret", NULL },
        { "one-two one -two", "one - two", NULL },
        { "a b", "  ", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str text = str(rows[i].text), phrase = str(rows[i].phrase);
        bool in = rows[i].without != NULL;
        if (phrase_in(text, phrase) != in)
            fail_msg("'%s' in '%s'", rows[i].phrase, rows[i].text);
        Str got = phrase_replace(text, phrase, S("#"), &d->a);
        assert_text(got, in ? rows[i].without : rows[i].text);
    }
}

/* Any text around any phrase, of characters that JSON writes in other ways, quoted again and again:
 * the phrase is found, and what is left is JSON. */
static void json_without_a_phrase_is_json(Desk *d)
{
    static const char *const letters[] = { "a",  "n",  "u", "0",        "\"",
                                           "\\", "\n", "/", "\xC3\xA9", "b" };
    uint64_t state = 81;
    for (int round = 0; round < 2000; round++) {
        Str parts[3];
        AUTO(Buf) whole = { 0 };
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            AUTO(Buf) part = { 0 };
            for (int k = 0; k < 1 + round % 5; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                buf_add(&part, str(letters[(state >> 33) % COUNT_OF(letters)]));
            }
            parts[i] = arena_copy(&d->a, buf_str(&part));
            buf_add(&whole, parts[i]);
        }
        Str text = arena_copy(&d->a, buf_str(&whole));
        for (int level = 0; level < PHRASE_DEPTH; level++) {
            AUTO(Buf) quoted = { 0 };
            json_quote(&quoted, text);
            text = arena_copy(&d->a, buf_str(&quoted));
            Str without = phrase_replace(text, parts[1], S("#"), &d->a);
            /* With a quote in it, it may stand across the quotes of a string. */
            bool across = str_find(parts[1], '"') < parts[1].n;
            bool json = across || json_skip(without, 0) == without.n;
            if (!phrase_in(text, parts[1]) || !json)
                fail_msg("'" STR_FMT "' in '" STR_FMT "': '" STR_FMT "'", STR_ARG(parts[1]),
                         STR_ARG(text), STR_ARG(without));
        }
    }
}

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
    desk_ok(d, run_new(&d->m, S("what is it?"), &next, &d->e)); /* in the same second */
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
    desk_ok(d, sink_put(&d->m, &kept, &d->a, &view, NULL, &d->e));
    Checkpoint c;
    desk_ok(d, checkpoint_save(&d->m, str(r.id), &(CheckpointSave){ .state = S("s") }, &c, &d->e));
    desk_ok(d, forget_run(&d->m, str(r.id), &d->a, &f, &d->e));
    assert_int_equal(f.n, 2);
    assert_text(f.beside[0], "artifacts/tool_results/c1");
    assert_true(str_starts(f.beside[1], S("checkpoints/")));
}

static void a_redacted_record_keeps_its_place_in_the_run(Desk *d)
{
    AUTO(Run) r = { 0 };
    record_run(d, "{}", S("it is " CANARY), &r);
    make_index(d);
    desk_ok(d, forget_run_record(&d->m, str(r.id), 3, &d->e));
    assert_gone(d);
    Step s = step_at(d, &r, 3);
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
        { "no key", NULL },
        { "tasks/../x", NULL },
        { "notes/a b", NULL },
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

/* --- The whole pad ----------------------------------------------------------------------- */

typedef struct Told {
    Buf text; /* "kind stream\n" */
    bool die;
} Told;

static void told_done(Told *t)
{
    buf_free(&t->text);
}
DEFINE_AUTO(Told, told_done)

static void tell(void *ctx, const ForgetLeft *l)
{
    Told *t = ctx;
    buf_addf(&t->text, "%s " STR_FMT "\n", forget_left_name(l->kind), STR_ARG(l->stream));
    if (t->die)
        kill(getpid(), SIGKILL);
}

static jot_status forget_everywhere(Desk *d, Str phrase, ForgetCount *c, Str *told)
{
    AUTO(Told) t = { 0 };
    ForgetHooks hooks = { .left = tell, .ctx = &t };
    jot_status st = forget_all(&d->m, phrase, &hooks, c, &d->e);
    *told = arena_copy(&d->a, buf_str(&t.text));
    return st;
}

/* An agent's cycle: state, two snapshots, steps, a log of its failure. */
static void fill_cycle(Desk *d, const char *agent)
{
    Str text, goal = S("find " CANARY);
    Cycle c;
    CycleStep step;
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    desk_ok(d, cycle_init(&d->m, str(agent), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, str(agent), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    Str id = arena_copy(&d->a, c.id);
    desk_ok(d, cycle_step(&d->m, str(agent), id,
                          S("{\"tool\": \"look\", \"args\": {\"q\": \"" CANARY "\"}}"), &d->a,
                          &step, &c, &d->e));
    desk_ok(d, cycle_result(&d->m, str(agent), id, TOOL_OK, S("seen " CANARY), &d->a, &step, &c,
                            &d->e));
    desk_ok(d, cycle_fail(&d->m, str(agent), id, S("broken"), S("at " CANARY), &d->a, &c, &d->e));
}

/* Something in every kind of stream, that can all be taken out. */
static void fill_pad(Desk *d)
{
    AUTO(Run) r = { 0 };
    Doc gone;
    Checkpoint c;
    SinkView view;
    bool added;
    put(d, "notes/a", "first " CANARY "\n");
    put(d, "notes/a", "second " CANARY "\n");
    put(d, "notes/clean", "nothing\n");
    put(d, "notes/deleted", "it was " CANARY "\n");
    desk_ok(d, doc_delete(&d->m, S("notes/deleted"), NULL, &d->a, &gone, &d->e));
    put(d, "memories/m.md", CANARY "\n");
    put(d, "artifacts/planning/p", "{\n  \"a\": \"x\\n" CANARY "\"\n}");
    SinkPut spilled = { .call = S("c1"), .tool = S("fetch"), .result = S("spilled " CANARY) };
    desk_ok(d, sink_put(&d->m, &spilled, &d->a, &view, NULL, &d->e));
    record_run(d, "{\"q\":\"" CANARY "\"}", S("it is " CANARY), &r);
    line(d, "logs/build/out", "a line " CANARY);
    CheckpointSave with = { .state = S("s " CANARY) }, without = { .state = S("s") };
    desk_ok(d, checkpoint_save(&d->m, S("cp"), &with, &c, &d->e));
    desk_ok(d, checkpoint_save(&d->m, S("cp"), &without, &c, &d->e));
    fill_cycle(d, "ann");
    AUTO_PTR(json_t)
    entity = json_pack("{s:s, s:s, s:[s]}", "name", "Ann", "entityType", "person", "observations",
                       "knows " CANARY);
    desk_ok(d, graph_add_entity(&d->m, entity, 1, &added, &d->e));
}

static void a_phrase_goes_from_the_whole_pad(Desk *d)
{
    ForgetCount c;
    Str told;
    fill_pad(d);
    make_index(d);
    assert_true(bodies(d) >= 15);
    assert_true(!on_disk(d) || desk_files_with(d, CANARY) > 0);
    jot_status st = forget_everywhere(d, S(CANARY), &c, &told);
    if (st != JOT_OK)
        fail_msg("%s: " STR_FMT, d->e.text, STR_ARG(told));
    assert_int_equal(c.left, 0);
    assert_gone(d);
    assert_finds_nothing(d);
    desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, S(CANARY), &c, &told));
    assert_int_equal(c.changed, 0);
    if (on_disk(d))
        desk_reopen(d);
    assert_int_equal(desk_files_with(d, CANARY), 0);
}

static void what_is_left_of_it_reads_well(Desk *d)
{
    ForgetCount c;
    Str told;
    CycleList cycles;
    Cycle one;
    Checkpoint back;
    SinkSlice slice;
    fill_pad(d);
    desk_ok(d, forget_everywhere(d, S(CANARY), &c, &told));
    assert_reads(d, "notes/a", "second [redacted]\n");
    assert_reads(d, "notes/clean", "nothing\n");
    assert_reads(d, "artifacts/planning/p", "{\n  \"a\": \"x\\n[redacted]\"\n}");
    SinkRange whole = { 0 };
    desk_ok(d, sink_read(&d->m, S("c1"), &whole, &d->a, &slice, &d->e));
    assert_text(slice.text, "spilled [redacted]");
    desk_expect(d, JOT_NOT_FOUND, checkpoint_load(&d->m, S("cp"), 1, &d->a, &back, &d->e));
    desk_ok(d, checkpoint_undo(&d->m, S("cp"), 0, &d->a, &back, &d->e));
    assert_text(back.state, "s");
    desk_ok(d, cycle_list(&d->m, S("ann"), &d->a, &cycles, &d->e));
    assert_int_equal(cycles.n, 1);
    desk_ok(d, cycle_find(&d->m, S("ann"), cycles.items[0].id, &d->a, &one, &d->e));
    assert_int_equal(one.end, CYCLE_FAILED);
    assert_non_null(memmem(one.before.p, one.before.n, "find [redacted]", 15));
    assert_non_null(memmem(one.after.p, one.after.n, "[redacted]", 10));
    d->now_ms += 1000;
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &one, &d->e));
    desk_ok(d, cycle_find(&d->m, S("ann"), cycles.items[0].id, &d->a, &one, &d->e));
    assert_non_null(memmem(one.before.p, one.before.n, "find [redacted]", 15)); /* a snapshot */
    AUTO(Graph) g = { 0 };
    desk_ok(d, graph_read(&d->m, &d->a, &g, &d->e));
    assert_int_equal(g.n, 1);
    assert_int_equal(g.damaged, 0);
}

static void a_cycle_that_runs_goes_on(Desk *d)
{
    Str text, goal = S("find " CANARY), told;
    Cycle c;
    CycleStep step;
    ForgetCount count;
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    desk_ok(d, cycle_init(&d->m, S("ann"), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    Str id = arena_copy(&d->a, c.id);
    desk_ok(d, cycle_step(&d->m, S("ann"), id, S("{\"tool\": \"look\", \"args\": {\"q\": 1}}"),
                          &d->a, &step, &c, &d->e));
    desk_ok(d,
            cycle_result(&d->m, S("ann"), id, TOOL_OK, S("seen " CANARY), &d->a, &step, &c, &d->e));
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    assert_gone(d);
    desk_ok(d, cycle_find(&d->m, S("ann"), id, &d->a, &c, &d->e));
    assert_int_equal(c.iterations, 1);
    desk_ok(d, cycle_step(&d->m, S("ann"), id,
                          S("{\"tool\": \"done\", \"args\": {\"summary\": \"so\"}}"), &d->a, &step,
                          &c, &d->e));
    desk_ok(d, cycle_sleep(&d->m, S("ann"), id, &d->a, &c, &d->e));
    assert_non_null(memmem(c.after.p, c.after.n, "find [redacted]", 15));
    assert_gone(d);
}

/* The text a cycle woke with is older than the edit, so all that is left of it is the edit. */
static void a_cycle_whose_state_a_person_edited_goes_on(Desk *d)
{
    Str text, goal = S("find " CANARY), told;
    Cycle c;
    CycleStep step;
    ForgetCount count;
    CycleInit init = { .goals = &goal, .goals_n = 1 };
    desk_ok(d, cycle_init(&d->m, S("ann"), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    Str id = arena_copy(&d->a, c.id);
    AUTO(Buf) edited = { 0 };
    buf_add(&edited, c.before);
    buf_add(&edited, S("mine: hello\n"));
    buf_add_char(&edited, 0);
    put(d, "cycles/ann", edited.p);
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    assert_gone(d);
    desk_ok(d, cycle_step(&d->m, S("ann"), id,
                          S("{\"tool\": \"done\", \"args\": {\"summary\": \"so\"}}"), &d->a, &step,
                          &c, &d->e));
    desk_ok(d, cycle_sleep(&d->m, S("ann"), id, &d->a, &c, &d->e));
    CycleStatus now;
    desk_ok(d, cycle_status(&d->m, S("ann"), &d->a, &now, &d->e));
    assert_int_equal(now.unreadable.status, JOT_OK);
    assert_non_null(memmem(now.text.p, now.text.n, "find [redacted]", 15));
    assert_non_null(memmem(now.text.p, now.text.n, "mine: hello", 11));
}

/* Does a state, or any text, hold these words? */
static bool has(Str text, const char *words)
{
    return text.n && memmem(text.p, text.n, words, strlen(words));
}

/* A mark begins a list in YAML, so it cannot stand there as the phrase did. */
static void a_state_that_begins_with_the_phrase_can_be_read_afterwards(Desk *d)
{
    static const struct {
        const char *task, *then;
    } rows[] = {
        { CANARY " is the password", "current_task: \"[redacted] is the password\"\n" },
        { CANARY, "current_task: \"[redacted]\"\n" },
        { "it is: " CANARY, "it is: [redacted]" },
        { "line one\n" CANARY "\nline three", "line one\n  [redacted]\n  line three" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str text, told, agent = arena_printf(&d->a, "agent%zu", i);
        Cycle c;
        CycleStep step;
        CycleStatus now;
        ForgetCount count;
        CycleInit init = { .task = str(rows[i].task) };
        desk_ok(d, cycle_init(&d->m, agent, &init, &d->a, &text, &d->e));
        desk_ok(d, cycle_wake(&d->m, agent, &(CycleWake){ 0 }, &d->a, &c, &d->e));
        Str id = arena_copy(&d->a, c.id);
        desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
        assert_gone(d);
        desk_ok(d, cycle_status(&d->m, agent, &d->a, &now, &d->e));
        assert_int_equal(now.unreadable.status, JOT_OK);
        assert_has(now.text, rows[i].then);
        desk_ok(d, cycle_step(&d->m, agent, id,
                              S("{\"tool\": \"update_scratchpad\", \"args\": {\"x\": 1}}"), &d->a,
                              &step, &c, &d->e));
        desk_ok(d, cycle_sleep(&d->m, agent, id, &d->a, &c, &d->e));
        assert_has(c.after, rows[i].then);
        desk_ok(d, cycle_wake(&d->m, agent, &(CycleWake){ 0 }, &d->a, &c, &d->e));
        desk_ok(d, cycle_fail(&d->m, agent, c.id, S("no"), (Str){ 0 }, &d->a, &c, &d->e));
    }
}

static void in_a_state_people_s_keys_and_comments_are_kept_or_cleaned(Desk *d)
{
    static const struct {
        const char *text, *then; /* NULL: it stays, and is told */
    } rows[] = {
        { "# about " CANARY "\ngoals: []\nmine: x # y\n",
          "# about [redacted]\ngoals: []\nmine: x # y\n" },
        { "mine: [a, " CANARY "]\n", "mine:\n  - a\n  - \"[redacted]\"\n" },
        { CANARY ": 1\nother: 2\n", "\"[redacted]\": 1\nother: 2\n" },
        { "phone: 5" CANARY "\n", "phone: 5[redacted]\n" },
        { "a: 1\n" CANARY ": [\n", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Forgotten f;
        put(d, "cycles/ann", rows[i].text);
        jot_status st = forget_phrase(&d->m, S("cycles/ann"), S(CANARY), &f, &d->e);
        assert_int_equal(st, rows[i].then ? JOT_OK : JOT_UNSUPPORTED);
        assert_reads(d, "cycles/ann", rows[i].then ? rows[i].then : rows[i].text);
    }
    Forgotten f;
    put(d, "cycles/ann", "goals: []\nphone: 5551234567\nnotes: ''\n");
    desk_ok(d, forget_phrase(&d->m, S("cycles/ann"), S("5551234567"), &f, &d->e));
    assert_reads(d, "cycles/ann", "goals: []\nphone: \"[redacted]\"\nnotes: \"\"\n");
    desk_expect(d, JOT_UNSUPPORTED, forget_phrase(&d->m, S("cycles/ann"), S("notes"), &f, &d->e));
    assert_says(d, "the present value of");
}

/* As a pad of an older version may hold it. */
static void a_cycle_whose_beginning_cannot_be_read_is_ended_and_reset(Desk *d)
{
    static const char *const broken[] = { "current_task: [redacted] is it\n", "goals: x\n" };
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        for (int reset = 0; reset < 2; reset++) {
            Str agent = arena_printf(&d->a, "agent%zu%d", i, reset);
            Str stream = arena_printf(&d->a, "cycles/" STR_FMT, STR_ARG(agent));
            Cycle c;
            Mark mark;
            Draft w = { .op = OP_PUT,
                        .body = str(broken[i]),
                        .meta = S("{\"kind\":\"before\",\"cycle\":\"20260101_000000\",\"max\":9,"
                                  "\"ttl\":1,\"boot\":\"x\",\"awake\":1}") };
            desk_ok(d, memory_append(&d->m, stream, NULL, &w, &mark, &d->e));
            if (reset) {
                desk_ok(d, cycle_reset(&d->m, agent, S("goals: [a]\n"), (Str){ 0 }, &d->a, &d->e));
                continue;
            }
            desk_ok(d, cycle_wake(&d->m, agent, &(CycleWake){ 0 }, &d->a, &c, &d->e));
            assert_has(c.before, "[EDIT] the state cannot be read any more");
            assert_has(c.before, "it was killed");
            desk_ok(d, cycle_sleep(&d->m, agent, c.id, &d->a, &c, &d->e));
        }
    }
}

static void a_redacted_reply_is_told_from_one_that_cannot_be_read(Desk *d)
{
    Str text, told;
    Cycle c;
    CycleStep step;
    ForgetCount count;
    desk_ok(d, cycle_init(&d->m, S("ann"), &(CycleInit){ 0 }, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    Str id = arena_copy(&d->a, c.id);
    desk_ok(d, cycle_step(&d->m, S("ann"), id,
                          S("{\"tool\": \"look\", \"args\": {\"q\": \"" CANARY "\"}}"), &d->a,
                          &step, &c, &d->e));
    assert_true(c.waiting && !c.lost);
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    desk_ok(d, cycle_result(&d->m, S("ann"), id, TOOL_OK, S("seen"), &d->a, &step, &c, &d->e));
    assert_int_equal(step.action.kind, ACTION_REDACTED);
    assert_false(c.lost);
    desk_expect(d, JOT_INVALID,
                cycle_result(&d->m, S("ann"), id, TOOL_OK, S("again"), &d->a, &step, &c, &d->e));
    desk_ok(d, cycle_sleep(&d->m, S("ann"), id, &d->a, &c, &d->e));
    assert_has(c.after, "[REDACTED] a reply was redacted: what it asked for is not known");
    assert_has(c.after, "[TOOL] [redacted]({}) -> seen");
    assert_false(has(c.after, "PARSE ERROR"));
}

/* A key of several lines: indented in a state and its snapshot, quoted and numbered in a run. */
static void a_phrase_of_several_lines_goes_from_what_jotter_lays_out(Desk *d)
{
    Str key = S("-----BEGIN KEY-----\n" CANARY "\nabc/def+\n-----END KEY-----\n");
    AUTO(Run) r = { 0 };
    Str text, told;
    Cycle c;
    ForgetCount count;
    CycleInit init = { .notes = arena_printf(&d->a, "the key:\n" STR_FMT "so", STR_ARG(key)) };
    desk_ok(d, cycle_init(&d->m, S("ann"), &init, &d->a, &text, &d->e));
    desk_ok(d, cycle_wake(&d->m, S("ann"), &(CycleWake){ 0 }, &d->a, &c, &d->e));
    record_run(d, "{}", S("| -----BEGIN KEY-----\n| " CANARY "\n| abc/def+\n| -----END KEY-----\n"),
               &r);
    desk_ok(d, run_say(&r, RUN_THINKING,
                       S("     1\t-----BEGIN KEY-----\n     2\t" CANARY
                         "\n     3\tabc/def+\n     4\t-----END KEY-----\n"),
                       &d->e));
    desk_ok(d, run_say(&r, RUN_ANSWER,
                       S("... -----BEGIN **KEY**----- **" CANARY
                         "** abc/def+ -----END **KEY**----- ..."),
                       &d->e));
    desk_ok(d, forget_everywhere(d, key, &count, &told));
    assert_gone(d);
    desk_ok(d, cycle_sleep(&d->m, S("ann"), c.id, &d->a, &c, &d->e));
    assert_has(c.after, "the key:\n  [redacted]so");
    desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, key, &count, &told));
}

/* --- Artifacts --------------------------------------------------------------------------- */

static void an_artifact_is_json_afterwards(Desk *d)
{
    static const struct {
        const char *text, *phrase, *then; /* NULL: it stays, and is told */
    } rows[] = {
        { "{\"phone\": 5551234567}", "5551234567", "{\"phone\": \"[redacted]\"}" },
        { "[15551234567, 1.50]", "5551234567", "[\"[redacted]\", 1.50]" },
        { "{\"a\": false}", "false", "{\"a\": \"[redacted]\"}" },
        { "{\"secret\": \"secret \\u00e9\"}", "secret",
          "{\"[redacted]\": \"[redacted] \\u00e9\"}" },
        { "{\"secret\": 1, \"[redacted]\": \"secret\"}", "secret",
          NULL }, /* two names would be one */
        { "{\"a\": 1, \"b\": 2}", "1, \"b\"", NULL },
        { "{\"a\": \"\\nfoos\"}", "nfoo", "{\"a\": \"[redacted]s\"}" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Forgotten f;
        Artifact got;
        put(d, "artifacts/p/a", rows[i].text);
        jot_status st = forget_phrase(&d->m, S("artifacts/p/a"), str(rows[i].phrase), &f, &d->e);
        assert_int_equal(st, rows[i].then ? JOT_OK : JOT_UNSUPPORTED);
        desk_ok(d, artifact_read(&d->m, S("p"), S("a"), (Str){ 0 }, &d->a, &got, &d->e));
        if (rows[i].then)
            assert_text(got.text, rows[i].then);
    }
    assert_reads(d, "artifacts/p/a", rows[COUNT_OF(rows) - 1].then);
}

static void the_names_of_a_kept_result_stay(Desk *d)
{
    Forgotten f;
    SinkView view;
    SinkSlice slice;
    SinkRange whole = { 0 };
    SinkPut kept = { .call = S("c1"),
                     .tool = S("fetch"),
                     .arguments = S("{\"result\": 1}"),
                     .result = S("the result is") };
    desk_ok(d, sink_put(&d->m, &kept, &d->a, &view, NULL, &d->e));
    Str stream = S("artifacts/tool_results/c1");
    desk_expect(d, JOT_UNSUPPORTED, forget_phrase(&d->m, stream, S("result"), &f, &d->e));
    assert_true(f.rewritten && f.live);
    desk_ok(d, sink_read(&d->m, S("c1"), &whole, &d->a, &slice, &d->e));
    assert_text(slice.text, "the [redacted] is");
    Doc now;
    desk_ok(d, doc_read(&d->m, stream, &d->a, &now, &d->e));
    assert_has(now.text, "\"[redacted]\": 1");
    desk_expect(d, JOT_UNSUPPORTED, forget_phrase(&d->m, stream, S("result"), &f, &d->e));
    assert_false(f.rewritten);
}

static void what_cannot_be_taken_out_is_told_by_name(Desk *d)
{
    Task t;
    Plan plan;
    Checkpoint cp;
    Lease lease;
    SinkView view;
    ForgetCount c;
    Str told, step = S("use " CANARY);
    bool added;
    TaskAdd add = { .id = S("t1"), .description = step };
    PlanDraft draft = { .objective = S("o"), .steps = &step, .steps_n = 1 };
    SinkPut coded = { .call = S("c2"), .tool = S("fetch"), .result = S("\xFF " CANARY) };
    DocWrite w = { .text = S("text"), .meta = S("{\"who\":\"" CANARY "\"}") };
    Doc now;
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    desk_ok(d, plan_create(&d->m, S("main"), &draft, &d->a, &plan, &d->e));
    CheckpointSave save = { .state = step };
    desk_ok(d, checkpoint_save(&d->m, S("cp"), &save, &cp, &d->e));
    LeaseAsk ask = { .on = S("notes/" CANARY), .ttl_ms = 60000 };
    desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &lease, &d->e));
    desk_ok(d, sink_put(&d->m, &coded, &d->a, &view, NULL, &d->e));
    desk_ok(d, doc_write(&d->m, S("notes/" CANARY), &w, &d->a, &now, &d->e));
    AUTO_PTR(json_t)
    entity = json_pack("{s:s, s:s, s:[]}", "name", CANARY, "entityType", "thing", "observations");
    desk_ok(d, graph_add_entity(&d->m, entity, 1, &added, &d->e));
    put(d, "notes/z", "the end: " CANARY "\n");
    for (int i = 0; i < 2; i++) {
        desk_expect(d, JOT_UNSUPPORTED, forget_everywhere(d, S(CANARY), &c, &told));
        assert_says(d, "still in the pad");
        assert_int_equal(c.left, 8);
        assert_int_equal(c.changed, i == 0 ? 1 : 0);
        static const char *const parts[] = {
            "value artifacts/tool_results/c2\n",
            "value checkpoints/cp\n",
            "value graph/entities/",
            "value leases/table\n",
            "meta notes/" CANARY "\n",
            "name notes/" CANARY "\n",
            "value plans/main\n",
            "value tasks/t1\n",
        };
        for (size_t k = 0; k < COUNT_OF(parts); k++)
            if (!memmem(told.p, told.n, parts[k], strlen(parts[k])))
                fail_msg("not told: %s of " STR_FMT, parts[k], STR_ARG(told));
    }
    assert_reads(d, "notes/z", "the end: [redacted]\n");
}

static void what_was_put_aside_is_reached(Desk *d)
{
    ForgetCount c;
    Str told;
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one\n");
    memory_close(&d->m);
    char path[256];
    const char *dir = d->url + strlen("files:");
    snprintf(path, sizeof path, "%s/notes/.a.txt.new", dir); /* a dead writer's draft */
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("never written " CANARY "\n", out);
    fclose(out);
    d->m = desk_open(d, "ann");
    put(d, "notes/a", "two\n");
    assert_int_equal(store_report(d->m.store)->quarantined, 1);
    assert_int_equal(desk_files_with(d, CANARY), 1);
    desk_ok(d, forget_everywhere(d, S(CANARY), &c, &told));
    assert_int_equal(c.aside, 1);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, S(CANARY), &c, &told));
}

/* Add bytes to a file of the pad, as a dead writer or a bad disk leaves them. */
static void leave(Desk *d, const char *file, const char *mode, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", d->url + strlen("files:"), file);
    FILE *out = fopen(path, mode);
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void what_dead_writers_left_is_reached(Desk *d)
{
    static const struct {
        const char *file, *text;
    } rows[] = {
        { "notes/.a.txt.new", "never written " CANARY "\n" },
        { "notes/.b.txt.new", "the first one, never written " CANARY "\n" },
        { "streams/logs.d/build.d/out.jsonl", "{\"seq\":2,\"body\":\"" CANARY },
        { "streams/logs.d/build.d/new.jsonl", "{\"seq\":1,\"body\":\"" CANARY },
    };
    if (strcmp(d->engine, "files") != 0)
        return;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ForgetCount c;
        Str told;
        put(d, "notes/a", "one\n");
        line(d, "logs/build/out", "a line");
        memory_close(&d->m);
        leave(d, rows[i].file, "a", rows[i].text);
        d->m = desk_open(d, "ann");
        assert_int_equal(desk_files_with(d, CANARY), 1);
        jot_status st = forget_everywhere(d, S(CANARY), &c, &told);
        if (st != JOT_OK)
            fail_msg("%s: %s", rows[i].file, d->e.text);
        assert_int_equal(c.aside, 1);
        assert_int_equal(desk_files_with(d, CANARY), 0);
        desk_expect(d, JOT_NOT_FOUND, forget_everywhere(d, S(CANARY), &c, &told));
    }
}

static void only_what_holds_the_phrase_is_taken_from_what_was_put_aside(Desk *d)
{
    Forgotten f;
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one " CANARY "\n");
    memory_close(&d->m);
    leave(d, "notes/.a.txt.new", "w", "never written, other words\n");
    d->m = desk_open(d, "ann");
    put(d, "notes/a", "two\n");
    memory_close(&d->m);
    leave(d, "notes/.a.txt.new", "w", "never written " CANARY "\n");
    d->m = desk_open(d, "ann");
    desk_ok(d, forget_phrase(&d->m, S("notes/a"), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, 1);
    assert_int_equal(f.aside, 1);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    assert_int_equal(desk_files_with(d, "other words"), 1);
    desk_expect(d, JOT_NOT_FOUND, forget_phrase(&d->m, S("notes/a"), S(CANARY), &f, &d->e));
}

static void records_that_cannot_be_read_are_told(Desk *d)
{
    Forgotten f;
    if (strcmp(d->engine, "files") != 0)
        return;
    line(d, "logs/build/out", "a line");
    memory_close(&d->m);
    leave(d, "streams/logs.d/build.d/out.jsonl", "a", "{\"seq\":2,\"body\":\"damage\"}\n");
    d->m = desk_open(d, "ann");
    line(d, "logs/build/out", "a line");
    desk_expect(d, JOT_UNSUPPORTED,
                forget_phrase(&d->m, S("logs/build/out"), S(CANARY), &f, &d->e));
    assert_says(d, "1 record of 'logs/build/out' cannot be read");
    assert_int_equal(f.damaged, 1);
}

static void many_records_of_one_stream_go_together(Desk *d)
{
    enum { N = 1200 };
    Forgotten f;
    for (int i = 0; i < N; i++)
        line(d, "logs/build/out", i % 3 ? "x " CANARY : "a line");
    desk_ok(d, forget_phrase(&d->m, S("logs/build/out"), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, N - N / 3);
    assert_gone(d);
}

static void a_phrase_for_a_whole_pad_is_not_too_short(Desk *d)
{
    ForgetCount c;
    put(d, "notes/a", "abc abcd\n");
    desk_expect(d, JOT_INVALID, forget_all(&d->m, S("abc"), NULL, &c, &d->e));
    assert_says(d, "at least 4");
    desk_expect(d, JOT_INVALID, forget_all(&d->m, (Str){ 0 }, NULL, &c, &d->e));
    desk_expect(d, JOT_INVALID, forget_all(&d->m, S("[redacted]"), NULL, &c, &d->e));
    assert_reads(d, "notes/a", "abc abcd\n");
    desk_ok(d, forget_all(&d->m, S("abcd"), NULL, &c, &d->e));
    assert_reads(d, "notes/a", "abc [redacted]\n");
}

/* Nothing can be written to the search index any more: where its log must be is a directory. */
static void spoil_index(Desk *d)
{
    static const char *const logs[] = { "-journal", "-wal" };
    for (size_t i = 0; i < COUNT_OF(logs); i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/index.sqlite%s", d->url + strlen("files:"), logs[i]);
        unlink(path);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static void what_stays_is_told_also_if_the_index_stays_too(Desk *d)
{
    ForgetCount c;
    Str told;
    Task t;
    TaskAdd add = { .id = S("t1"), .description = S("use " CANARY) };
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one " CANARY "\n");
    make_index(d);
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    spoil_index(d);
    desk_expect(d, JOT_IO, forget_everywhere(d, S(CANARY), &c, &told));
    assert_says(d, "in 1 place, and in the search index: ");
    assert_text(told, "value tasks/t1\n");
}

/* Killed, by a real SIGKILL: in the middle of the walk, and at any moment. */
static void killed_half_way_the_same_call_does_the_rest(Desk *d)
{
    if (!on_disk(d))
        return;
    enum { ROUNDS = 8 };
    ForgetCount c;
    Str told;
    for (int i = 0; i < ROUNDS; i++) {
        Checkpoint cp;
        put(d, "artifacts/a/a", arena_printf(&d->a, "\"%d " CANARY "\"", i).p);
        put(d, "notes/a", arena_printf(&d->a, "%d " CANARY "\n", i).p);
        put(d, "notes/a", arena_printf(&d->a, "%d again " CANARY "\n", i).p);
        line(d, "logs/build/out", CANARY);
        CheckpointSave with = { .state = S(CANARY) }, without = { .state = S("s") };
        desk_ok(d, checkpoint_save(&d->m, S("cp"), &with, &cp, &d->e));
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            Memory m = desk_open(d, "bob");
            Told t = { .die = i == 0 }; /* at the checkpoint: artifacts are done, notes are not */
            ForgetHooks hooks = { .left = tell, .ctx = &t };
            jot_status st = forget_all(&m, S(CANARY), &hooks, &c, &d->e);
            _exit(st == JOT_UNSUPPORTED ? 0 : 1);
        }
        if (i > 0) {
            usleep((useconds_t)(i * 700));
            kill(child, SIGKILL);
        }
        waitpid(child, NULL, 0);
        desk_ok(d, checkpoint_save(&d->m, S("cp"), &without, &cp, &d->e));
        jot_status st = forget_everywhere(d, S(CANARY), &c, &told);
        if (st != JOT_OK)
            fail_msg("%s: " STR_FMT, d->e.text, STR_ARG(told));
        assert_true(c.redacted > 0); /* the checkpoint at least, which was a value before */
        assert_gone(d);
    }
}

static const DeskTest tests[] = {
    DESK_TEST(a_phrase_is_found_as_it_stands_and_as_json_writes_it),
    DESK_TEST(json_without_a_phrase_is_json),
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
    DESK_TEST(a_phrase_goes_from_the_whole_pad),
    DESK_TEST(what_is_left_of_it_reads_well),
    DESK_TEST(a_cycle_that_runs_goes_on),
    DESK_TEST(a_cycle_whose_state_a_person_edited_goes_on),
    DESK_TEST(a_state_that_begins_with_the_phrase_can_be_read_afterwards),
    DESK_TEST(in_a_state_people_s_keys_and_comments_are_kept_or_cleaned),
    DESK_TEST(a_cycle_whose_beginning_cannot_be_read_is_ended_and_reset),
    DESK_TEST(a_redacted_reply_is_told_from_one_that_cannot_be_read),
    DESK_TEST(a_phrase_of_several_lines_goes_from_what_jotter_lays_out),
    DESK_TEST(an_artifact_is_json_afterwards),
    DESK_TEST(the_names_of_a_kept_result_stay),
    DESK_TEST(what_cannot_be_taken_out_is_told_by_name),
    DESK_TEST(what_was_put_aside_is_reached),
    DESK_TEST(what_dead_writers_left_is_reached),
    DESK_TEST(only_what_holds_the_phrase_is_taken_from_what_was_put_aside),
    DESK_TEST(records_that_cannot_be_read_are_told),
    DESK_TEST(many_records_of_one_stream_go_together),
    DESK_TEST(a_phrase_for_a_whole_pad_is_not_too_short),
    DESK_TEST(what_stays_is_told_also_if_the_index_stays_too),
    DESK_TEST(killed_half_way_the_same_call_does_the_rest),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
