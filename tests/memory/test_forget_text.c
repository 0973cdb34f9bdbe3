/* test_forget_text.c - what is left is still a document; and what lies beside the streams goes too.
 */
#include <sys/stat.h>

#include "memory/artifact/artifact.h"
#include "memory/artifact/sink.h"
#include "memory/cycle/cycle.h"
#include "memory/forget/forget.h"
#include "memory/forget_desk.h"
#include "memory/lease.h"
#include "memory/task/task.h"

/* --- Words ------------------------------------------------------------------------------- */

static jot_status forget_everywhere(Desk *d, Str phrase, ForgetCount *c, Str *told)
{
    AUTO(Told) t = { 0 };
    ForgetHooks hooks = { .left = tell, .ctx = &t };
    jot_status st = forget_all(&d->m, phrase, &hooks, c, &d->e);
    *told = arena_copy(&d->a, buf_str(&t.text));
    return st;
}

/* --- States ------------------------------------------------------------------------------ */

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
        desk_ok(d, cycle_step(
                       &d->m,
                       &(CycleInput){
                           .agent = agent,
                           .id = id,
                           .text = S("{\"tool\": \"update_scratchpad\", \"args\": {\"x\": 1}}") },
                       &d->a, &step, &c, &d->e));
        desk_ok(d, cycle_sleep(&d->m, agent, id, &d->a, &c, &d->e));
        assert_has(c.after, rows[i].then);
        desk_ok(d, cycle_wake(&d->m, agent, &(CycleWake){ 0 }, &d->a, &c, &d->e));
        desk_ok(d, cycle_fail(&d->m, &(CycleFailure){ .agent = agent, .id = c.id, .why = S("no") },
                              &d->a, &c, &d->e));
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
    put(d, "snapshots/ann/c_after", rows[1].text);
    desk_ok(d, forget_phrase(&d->m, S("snapshots/ann/c_after"), S(CANARY), &f, &d->e));
    assert_reads(d, "snapshots/ann/c_after", rows[1].then);
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
    desk_ok(d,
            cycle_step(&d->m,
                       &(CycleInput){
                           .agent = S("ann"),
                           .id = id,
                           .text = S("{\"tool\": \"look\", \"args\": {\"q\": \"" CANARY "\"}}") },
                       &d->a, &step, &c, &d->e));
    assert_true(c.waiting && !c.lost);
    desk_ok(d, forget_everywhere(d, S(CANARY), &count, &told));
    desk_ok(d, cycle_result(
                   &d->m,
                   &(CycleInput){ .agent = S("ann"), .id = id, .end = TOOL_OK, .text = S("seen") },
                   &d->a, &step, &c, &d->e));
    assert_int_equal(step.action.kind, ACTION_REDACTED);
    assert_false(c.lost);
    desk_expect(
        d, JOT_INVALID,
        cycle_result(
            &d->m, &(CycleInput){ .agent = S("ann"), .id = id, .end = TOOL_OK, .text = S("again") },
            &d->a, &step, &c, &d->e));
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
        desk_ok(d, artifact_read(&d->m, &(ArtifactRead){ .category = S("p"), .id = S("a") }, &d->a,
                                 &got, &d->e));
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
    desk_ok(d, sink_write(&d->m, &kept, &d->a, &view, NULL, &d->e));
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

/* --- Beside the streams ------------------------------------------------------------------ */

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
        assert_int_equal(c.quarantined, 1);
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
    assert_int_equal(f.quarantined, 1);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    assert_int_equal(desk_files_with(d, "other words"), 1);
    desk_expect(d, JOT_NOT_FOUND, forget_phrase(&d->m, S("notes/a"), S(CANARY), &f, &d->e));
}

/* No record holds it, so that nothing but the search for leftovers can find it. */
static void what_a_dead_writer_left_of_one_stream_is_reached(Desk *d)
{
    Forgotten f;
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one\n");
    memory_close(&d->m);
    leave(d, "notes/.a.txt.new", "w", "never written " CANARY "\n");
    d->m = desk_open(d, "ann");
    desk_ok(d, forget_phrase(&d->m, S("notes/a"), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, 0);
    assert_int_equal(f.quarantined, 1);
    assert_int_equal(desk_files_with(d, CANARY), 0);
}

static void what_cannot_be_read_in_quarantine_is_told(Desk *d)
{
    Forgotten f;
    ForgetCount c;
    Str told;
    char path[256];
    if (strcmp(d->engine, "files") != 0)
        return;
    put(d, "notes/a", "one " CANARY "\n");
    const char *pad = d->url + strlen("files:");
    snprintf(path, sizeof path, "%s/quarantine", pad);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/quarantine/%.16s-00000000", pad,
             hash_hex(hash_of(S("notes/a"))).text);
    assert_int_equal(mkdir(path, 0700), 0);
    desk_expect(d, JOT_UNSUPPORTED, forget_phrase(&d->m, S("notes/a"), S(CANARY), &f, &d->e));
    assert_says(d, "lies in quarantine cannot be read");
    assert_int_equal(f.unread, 1);
    desk_expect(d, JOT_UNSUPPORTED, forget_everywhere(d, S(CANARY), &c, &told));
    assert_text(told, "quarantine \n");
    assert_int_equal(bodies(d), 0);
}

/* The same text twice, and once more in what was put aside. */
static void a_version_goes_wherever_its_text_is(Desk *d)
{
    uint64_t n;
    put(d, "notes/a", "one " CANARY "\n");
    put(d, "notes/a", "two\n");
    put(d, "notes/a", "one " CANARY "\n");
    if (strcmp(d->engine, "files") == 0) {
        memory_close(&d->m);
        leave(d, "notes/.a.txt.new", "w", "never written " CANARY "\n");
        d->m = desk_open(d, "ann");
    }
    put(d, "notes/a", "three\n");
    When first = { .kind = WHEN_SEQ, .number = 1 };
    desk_ok(d, forget_version(&d->m, S("notes/a"), &first, &n, &d->e));
    assert_int_equal(n, 2);
    assert_gone(d);
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

/* More than the store takes in one step: the engine makes no difference. */
static void any_number_of_records_goes_step_by_step(Desk *d)
{
    Forgotten f;
    if (on_disk(d))
        return;
    for (int i = 0; i < STORE_REDACT_MAX + 1; i++)
        line(d, "logs/build/out", CANARY);
    desk_ok(d, forget_phrase(&d->m, S("logs/build/out"), S(CANARY), &f, &d->e));
    assert_int_equal(f.n, STORE_REDACT_MAX + 1);
    assert_int_equal(bodies(d), 0);
}

static void a_stream_that_refuses_is_told_and_the_others_are_done(Desk *d)
{
    ForgetCount c;
    Str told;
    put(d, "notes/a", "one " CANARY "\n");
    put(d, "notes/b", "one " CANARY "\n");
    put(d, "notes/c", "one " CANARY "\n");
    LeaseAsk ask = { .on = S("notes/b"), .ttl_ms = 1000 };
    Lease lease;
    desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &lease, &d->e));
    d->now_ms += 5000;
    d->awake_ms += 5000;
    desk_expect(d, JOT_UNSUPPORTED, forget_everywhere(d, S(CANARY), &c, &told));
    assert_text(told, "failed notes/b\n");
    assert_int_equal(c.rewritten, 2);
    /* On S3 whoever takes a lease writes the value once more. */
    assert_int_equal(bodies(d), strcmp(d->engine, "s3") == 0 ? 2 : 1);
}

/* Nothing can be written to the search index any more: where its manifest must be made is a
 * directory. */
static void spoil_index(Desk *d)
{
    char path[256];
    snprintf(path, sizeof path, "%s/index.d/manifest.new", d->url + strlen("files:"));
    assert_int_equal(mkdir(path, 0700), 0);
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

static const DeskTest tests[] = {
    DESK_TEST(a_state_that_begins_with_the_phrase_can_be_read_afterwards),
    DESK_TEST(in_a_state_people_s_keys_and_comments_are_kept_or_cleaned),
    DESK_TEST(a_cycle_whose_beginning_cannot_be_read_is_ended_and_reset),
    DESK_TEST(a_redacted_reply_is_told_from_one_that_cannot_be_read),
    DESK_TEST(a_phrase_of_several_lines_goes_from_what_jotter_lays_out),
    DESK_TEST(an_artifact_is_json_afterwards),
    DESK_TEST(the_names_of_a_kept_result_stay),
    DESK_TEST(what_dead_writers_left_is_reached),
    DESK_TEST(only_what_holds_the_phrase_is_taken_from_what_was_put_aside),
    DESK_TEST(what_a_dead_writer_left_of_one_stream_is_reached),
    DESK_TEST(what_cannot_be_read_in_quarantine_is_told),
    DESK_TEST(a_version_goes_wherever_its_text_is),
    DESK_TEST(records_that_cannot_be_read_are_told),
    DESK_TEST(many_records_of_one_stream_go_together),
    DESK_TEST(any_number_of_records_goes_step_by_step),
    DESK_TEST(a_stream_that_refuses_is_told_and_the_others_are_done),
    DESK_TEST(what_stays_is_told_also_if_the_index_stays_too),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
