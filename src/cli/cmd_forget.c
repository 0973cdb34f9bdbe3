/* cmd_forget.c - taking text out for good, from the shell: purge, redact, and both of runs.
 *
 * A phrase that could not be taken out everywhere is a failure (unsupported), reported after the
 * answer of what was done: a caller that looks at the exit code alone learns that the text is still
 * there. */
#include <unistd.h>

#include "cli/docs.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "memory/forget/forget.h"
#include "memory/run/run_newest.h"

extern const Cmd cmd_purge, cmd_redact;

enum { BESIDE_SHOWN = 10 };

/* The streams and what goes with them, from the words of the command. */
extern const Cmd cmd_runs_purge, cmd_runs_redact;

/* Records that cannot be read, on standard error. */
static void warn_damage(uint64_t damaged)
{
    if (damaged)
        say("%s cannot be read", counted(damaged, "record").text);
}

static jot_status open_stream(Session *s, Str *stream)
{
    TRY(forget_resolve(arg_at(s, 0), &s->arena, stream, &s->err));
    return docs_open(s, *stream);
}

/* The phrase to take out: from the words, or from standard input without its last line break. */
static jot_status read_phrase(Session *s, Str *out)
{
    *out = str(opt_text(s, "text"));
    if (opt_given(s, "stdin")) {
        TRY(read_input(s, STORE_BODY_MAX, out));
        if (str_ends(*out, S("\n")))
            out->n--;
    }
    return forget_check_phrase(*out, &s->err);
}

static jot_status read_seq(Session *s, const char *text, uint64_t *out)
{
    Shown shown;
    if (str_to_u64(str(text), STORE_SEQ_MAX, out) && *out)
        return JOT_OK;
    return err_set(&s->err, JOT_INVALID, "invalid record '%s': use its number, as 'log show' shows",
                   err_show(&shown, str(text)));
}

/* Print the answer (takes it); where something stays, the failure is in it. */
static jot_status answer(Session *s, json_t *value, jot_status st)
{
    if (st != JOT_OK) {
        json_object_set_new(value, "status", json_string(status_info(st)->name));
        json_object_set_new(value, "error", json_text(str(s->err.text)));
        json_object_set_new(value, "retry", json_boolean(status_info(st)->retry));
        s->told = true;
    }
    print_json(value);
    return st;
}

static void add_rest(json_t *value, const Forgotten *f)
{
    json_object_set_new(value, "redacted", json_integer((json_int_t)f->n));
    json_object_set_new(value, "kept", json_integer((json_int_t)f->kept));
    json_object_set_new(value, "damaged", json_integer((json_int_t)f->damaged));
    json_object_set_new(value, "quarantined", json_integer((json_int_t)f->quarantined));
}

/* --- Documents, and other streams by their names ----------------------------------------- */

static jot_status run_purge(Session *s)
{
    Str stream;
    Mark mark;
    TRY(open_stream(s, &stream));
    TRY(forget_document(&s->memory, stream, &mark, &s->err));
    if (s->json)
        print_json(mark_json(stream, &mark, s->by, (Str){ 0 }));
    else
        printf("purged %s and all its versions\n", doc_name(stream).text);
    return JOT_OK;
}

static jot_status redact_phrase(Session *s)
{
    Str stream, phrase;
    Forgotten f;
    TRY(forget_resolve(arg_at(s, 0), &s->arena, &stream, &s->err));
    TRY(read_phrase(s, &phrase));
    TRY(docs_open(s, stream));
    jot_status st = forget_phrase(&s->memory, stream, phrase, &f, &s->err);
    if (st != JOT_OK && st != JOT_UNSUPPORTED)
        return st;
    if (s->json) {
        json_t *value =
            json_pack("{s:o, s:b}", "present", mark_json(stream, &f.mark, (Str){ 0 }, (Str){ 0 }),
                      "rewritten", f.rewritten);
        add_rest(value, &f);
        return answer(s, value, st);
    }
    bool document = forget_is_document(stream);
    printf("redacted %s of %s%s\n", counted(f.n, document ? "older version" : "record").text,
           doc_name(stream).text, f.rewritten ? ", and rewrote the present one" : "");
    if (document && mark_live(&f.mark))
        docs_print_version(&f.mark);
    warn_damage(f.damaged);
    return st;
}

static jot_status redact_text(Session *s, Str stream, uint64_t *n)
{
    When which;
    TRY(docs_when(s, s->args[1], &which));
    TRY(docs_open(s, stream));
    return forget_version(&s->memory, stream, &which, n, &s->err);
}

static jot_status redact_record(Session *s, Str stream, uint64_t *n)
{
    uint64_t seq;
    *n = 1;
    TRY(read_seq(s, s->args[1], &seq));
    TRY(docs_open(s, stream));
    return forget_record(&s->memory, stream, seq, &s->err);
}

static jot_status redact_version(Session *s)
{
    Str stream;
    uint64_t n;
    TRY(forget_resolve(arg_at(s, 0), &s->arena, &stream, &s->err));
    TRY(forget_is_document(stream) ? redact_text(s, stream, &n) : redact_record(s, stream, &n));
    if (s->json)
        print_json(json_pack("{s:o, s:I}", "stream", json_text(stream), "redacted", (json_int_t)n));
    else
        printf("redacted %s of %s\n", counted(n, "record").text, doc_name(stream).text);
    return JOT_OK;
}

/* --- The whole pad ------------------------------------------------------------------------- */

typedef struct ForgetReport {
    json_t *left; /* with --json */
    bool json;
    Progress progress;
} ForgetReport;

static void report_left(void *ctx, const ForgetLeft *l)
{
    ForgetReport *t = ctx;
    if (t->json) {
        json_array_append_new(t->left, forget_left_json(l));
        return;
    }
    progress_clear(&t->progress);
    printf("%sleft%s  ", ink(INK_RED), ink(INK_PLAIN));
    print_name(l->stream.n ? l->stream : S("the pad"));
    fputs(": ", stdout);
    print_name_line(str(l->what));
}

static void show_progress(void *ctx, const ForgetCount *c)
{
    ForgetReport *t = ctx;
    char more[80];
    snprintf(more, sizeof more, "%s redacted", counted(c->redacted, "record").text);
    progress_show(&t->progress, c->streams, c->total, more);
}

static jot_status redact_all(Session *s)
{
    Str phrase;
    ForgetCount c;
    TRY(read_phrase(s, &phrase));
    TRY(session_open(s, false));
    AUTO_PTR(json_t) left = json_array();
    ForgetReport t = { .left = left, .json = s->json, .progress = progress_new("stream") };
    ForgetHooks hooks = { report_left, t.progress.terminal ? show_progress : NULL, &t };
    interrupt_catch();
    s->memory.progress = &interrupt_scan;
    jot_status st = forget_all(&s->memory, phrase, &hooks, &c, &s->err);
    progress_clear(&t.progress);
    if (st == JOT_CANCELLED)
        return err_set(
            &s->err, st,
            "interrupted after %llu of %llu streams: the text is still in the others, and "
            "the same command does the rest",
            (unsigned long long)c.streams, (unsigned long long)c.total);
    if (st != JOT_OK && st != JOT_UNSUPPORTED)
        return st;
    if (s->json) {
        json_t *value = forget_count_json(&c);
        json_object_set(value, "left", left);
        return answer(s, value, st);
    }
    printf("redacted %s and rewrote %s, in %llu of %s\n", counted(c.redacted, "record").text,
           counted(c.rewritten, "document").text, (unsigned long long)c.changed,
           counted(c.streams, "stream").text);
    if (c.quarantined)
        printf("removed %s from quarantine\n", counted(c.quarantined, "file").text);
    return st;
}

static jot_status run_redact(Session *s)
{
    bool all = opt_given(s, "all");
    int ways = (s->n > 1) + opt_given(s, "text") + opt_given(s, "stdin");
    if (all && s->n > 0)
        return err_set(&s->err, JOT_INVALID, "--all is the whole pad: leave out KEY");
    if (all && ways != 1)
        return err_set(&s->err, JOT_INVALID, "--all needs either --text or --stdin");
    if (!all && s->n == 0)
        return err_set(&s->err, JOT_INVALID, "give a KEY, or --all");
    if (ways != 1)
        return err_set(&s->err, JOT_INVALID, "give one of VERSION, --text and --stdin");
    if (all)
        return redact_all(s);
    return s->n > 1 ? redact_version(s) : redact_phrase(s);
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* The id the first argument means; of a run that is not there too. */
static jot_status find_run(Session *s, Str *id)
{
    AUTO(Run) r = { 0 };
    *id = arg_at(s, 0);
    TRY(session_open(s, false));
    if (!str_eq(*id, S("last")))
        return JOT_OK;
    TRY(run_open_named(&s->memory, *id, &r, &s->err));
    *id = arena_copy(&s->arena, str(r.id));
    return JOT_OK;
}

static void print_beside(Session *s, const RunForgotten *f)
{
    if (f->n == 0)
        return;
    say("%s of this run %s still in the pad:", counted(f->n, "thing").text,
        f->n == 1 ? "is" : "are");
    for (size_t i = 0; i < f->n && i < BESIDE_SHOWN; i++) {
        Str word = arena_shell_word(&s->arena, f->beside[i]);
        say("jotter purge " STR_FMT, STR_ARG(word));
    }
    if (f->n > BESIDE_SHOWN)
        say("and %zu more: --json tells all", f->n - BESIDE_SHOWN);
}

static jot_status run_log_purge(Session *s)
{
    Str id;
    RunForgotten f;
    TRY(find_run(s, &id));
    TRY(forget_run(&s->memory, id, &s->arena, &f, &s->err));
    if (s->json) {
        json_t *beside = json_array();
        for (size_t i = 0; i < f.n; i++)
            json_array_append_new(beside, json_text(f.beside[i]));
        print_json(json_pack("{s:o, s:I, s:o}", "run", json_text(id), "seq", (json_int_t)f.mark.seq,
                             "beside", beside));
        return JOT_OK;
    }
    print_sentence("purged run '" STR_FMT "' and all its records", STR_ARG(id));
    print_beside(s, &f);
    return JOT_OK;
}

static jot_status redact_run_record(Session *s)
{
    Str id;
    uint64_t seq;
    TRY(read_seq(s, s->args[1], &seq));
    TRY(find_run(s, &id));
    TRY(forget_run_record(&s->memory, id, seq, &s->err));
    if (s->json)
        print_json(json_pack("{s:o, s:i, s:i, s:i}", "run", json_text(id), "redacted", 1, "kept", 0,
                             "damaged", 0));
    else
        print_sentence("redacted record %llu of run '" STR_FMT "'", (unsigned long long)seq,
                       STR_ARG(id));
    return JOT_OK;
}

static jot_status redact_run_phrase(Session *s)
{
    Str id, phrase;
    Forgotten f;
    TRY(read_phrase(s, &phrase));
    TRY(find_run(s, &id));
    jot_status st = forget_run_phrase(&s->memory, id, phrase, &f, &s->err);
    if (st != JOT_OK && st != JOT_UNSUPPORTED)
        return st;
    if (s->json) {
        json_t *value = json_pack("{s:o}", "run", json_text(id));
        add_rest(value, &f);
        return answer(s, value, st);
    }
    print_sentence("redacted %s of run '" STR_FMT "'", counted(f.n, "record").text, STR_ARG(id));
    warn_damage(f.damaged);
    return st;
}

static jot_status run_log_redact(Session *s)
{
    int ways = (s->n > 1) + opt_given(s, "text") + opt_given(s, "stdin");
    if (ways != 1)
        return err_set(&s->err, JOT_INVALID, "give one of SEQ, --text and --stdin");
    return s->n > 1 ? redact_run_record(s) : redact_run_phrase(s);
}

/* --- The tables ---------------------------------------------------------------------------- */

const Cmd cmd_purge = {
    .name = "purge",
    .args = "KEY",
    .summary = "Remove a note and all its versions for good",
    .help = "This cannot be undone.  'jotter delete' keeps the history.\n"
            "KEY is a note's key, or the whole name of any stream: memories/a.md, logs/build/out,\n"
            "tasks/t1.  What runs have seen of it they still hold: 'jotter redact --all --text T'\n"
            "takes a text out of everything, 'jotter runs purge RUN' removes a run.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_purge,
};

static const Opt redact_opts[] = {
    { "text", "TEXT", "remove this text from every version" },
    { "stdin", NULL, "the same, with the text on standard input" },
    { "all", NULL, "remove it from the whole pad: documents, runs, logs" },
    { 0 },
};

const Cmd cmd_redact = {
    .name = "redact",
    .args = "[KEY [VERSION]]",
    .summary = "Remove the text of an older version, or a phrase from all of them",
    .help = "This cannot be undone.  Numbers, times and hashes stay, so that the log verifies.\n"
            "A phrase becomes '[redacted]' in the present text; older versions that hold it lose\n"
            "their text.  It is found as it stands, and as JSON writes it.\n"
            "With --all every stream is looked through, runs and line logs too.  What cannot be\n"
            "redacted (the present value of a task, a plan, a checkpoint or a lease; names,\n"
            "authors, metas) is reported, and the exit code is 78 as long as it is there.\n"
            "KEY is also the whole name of any stream (logs/build/out), then with a record's\n"
            "number for VERSION.\n",
    .opts = redact_opts,
    .args_max = 2,
    .run = run_redact,
};

const Cmd cmd_runs_purge = {
    .name = "purge",
    .args = "RUN",
    .summary = "Remove a run and all its records for good",
    .help = "There is no way back, and its id is not given again.  What belongs to it and lies\n"
            "elsewhere (results of its calls, its plan, its checkpoints) is reported.\n"
            "RUN is an id, or 'last' for the run that was written to last.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_log_purge,
};

static const Opt log_redact_opts[] = {
    { "text", "TEXT", "every record that holds this text" },
    { "stdin", NULL, "the same, with the text on standard input" },
    { 0 },
};

const Cmd cmd_runs_redact = {
    .name = "redact",
    .args = "RUN [SEQ]",
    .summary = "Remove the text of one record of a run, or of all that hold a phrase",
    .help =
        "This cannot be undone.  Numbers, times and names of tools stay; where a model would be\n"
        "shown the text it is shown '[redacted]'.  A call's arguments stand in the model's\n"
        "reply too, and a result may be kept as artifacts/tool_results/CALL: a phrase is found\n"
        "in all records, and 'jotter redact --all' reaches the rest of the pad.\n"
        "A run whose setup was redacted cannot be resumed.\n"
        "RUN is an id, or 'last' for the run that was written to last.\n",
    .opts = log_redact_opts,
    .args_min = 1,
    .args_max = 2,
    .run = run_log_redact,
};
