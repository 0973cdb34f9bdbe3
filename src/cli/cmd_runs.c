/* cmd_runs.c - `runs add RUN KIND`, which was the one word for say, call, result, finish and
 * compact, and is understood for one release.  The verbs are rows in src/tool/run.c and run_look.c.
 */
#include "cli/cmd_runs.h"

#include <stdio.h>
#include <string.h>

#include "memory/run/run_newest.h"

extern const Cmd cmd_runs_add;

/* The argument at `at`, or standard input. */
static jot_status text_or_input(Session *s, int at, Str *out)
{
    if (s->n <= at)
        return read_input(s, STORE_BODY_MAX, out);
    *out = arg_at(s, at);
    return JOT_OK;
}

jot_status runs_limits(Session *s, UsageLimits *out)
{
    int64_t calls, similar;
    TRY(opt_number(s, "limit", 1, INT64_MAX, 0, &calls));
    TRY(opt_number(s, "similarity", 1, 100, 0, &similar));
    *out = (UsageLimits){ .calls = (uint64_t)calls, .similar = (uint64_t)similar };
    return JOT_OK;
}

/* Adds to `out` what the answer says besides run and seq. */
typedef jot_status (*AddStep)(Session *s, Run *r, RunKind kind, json_t *out);

static jot_status add_text(Session *s, Run *r, RunKind kind, json_t *out)
{
    (void)out;
    Str text;
    TRY(text_or_input(s, 2, &text));
    return kind == RUN_COMPACT ? run_compact(r, text, &s->err) : run_say(r, kind, text, &s->err);
}

/* The call that the options name. */
static jot_status read_call(Session *s, RunCall *out)
{
    if (!opt_given(s, "tool"))
        return err_set(&s->err, JOT_INVALID, "a call needs --tool NAME");
    *out = (RunCall){ .call = str(opt_text(s, "call")),
                      .tool = str(opt_text(s, "tool")),
                      .args = str(opt_text(s, "args")),
                      .mutating = opt_given(s, "mutating") };
    return runs_limits(s, &out->limits);
}

static void print_called(Session *s, const RunCalled *called, uint64_t n, json_t *out)
{
    const UsageWarnings *w = &called->warnings;
    AUTO_PTR(json_t) value = run_called_json(called, n);
    json_object_update(out, value);
    if (s->json)
        return;
    if (n)
        printf("result #%llu\n", (unsigned long long)n);
    else
        print_name_line(called->call);
    if (w->limit.n)
        fprintf(stderr, STR_FMT "\n", STR_ARG(w->limit));
    if (w->loop.n)
        fprintf(stderr, STR_FMT "\n", STR_ARG(w->loop));
}

static jot_status add_call(Session *s, Run *r, RunKind kind, json_t *out)
{
    (void)kind;
    RunCall c;
    RunCalled called;
    TRY(read_call(s, &c));
    TRY(run_issue(r, &c, &s->arena, &called, &s->err));
    print_called(s, &called, 0, out);
    return JOT_OK;
}

static jot_status add_done(Session *s, Run *r, RunKind kind, json_t *out)
{
    (void)kind;
    RunFinish f = { .ok = !opt_given(s, "error") };
    RunCalled called;
    uint64_t n;
    TRY(read_call(s, &f.call));
    TRY(text_or_input(s, 2, &f.result));
    TRY(run_finish(r, &f, &s->arena, &called, &n, &s->err));
    print_called(s, &called, n, out);
    return JOT_OK;
}

static jot_status add_result(Session *s, Run *r, RunKind kind, json_t *out)
{
    (void)kind;
    Str result;
    uint64_t n;
    const char *call = opt_text(s, "call");
    if (!call)
        return err_set(&s->err, JOT_INVALID, "a result needs --call ID");
    TRY(text_or_input(s, 2, &result));
    TRY(run_result(r, str(call), !opt_given(s, "error"), result, &n, &s->err));
    json_object_set_new(out, "n", json_integer((json_int_t)n));
    if (!s->json)
        printf("result #%llu\n", (unsigned long long)n);
    return JOT_OK;
}

static const struct {
    const char *word;
    RunKind kind;
    AddStep add;
} kinds[] = {
    { "thinking", RUN_THINKING, add_text }, { "call", RUN_CALL, add_call },
    { "result", RUN_RESULT, add_result },   { "done", RUN_RESULT, add_done },
    { "summary", RUN_COMPACT, add_text },   { "plan", RUN_PLAN, add_text },
    { "answer", RUN_ANSWER, add_text },
};

static jot_status run_add(Session *s)
{
    size_t i = 0;
    while (i < COUNT_OF(kinds) && strcmp(kinds[i].word, s->args[1]) != 0)
        i++;
    Shown shown;
    if (i == COUNT_OF(kinds))
        return err_set(&s->err, JOT_INVALID,
                       "no kind '%s': use thinking, call, result, done, summary, plan or answer",
                       err_show(&shown, str(s->args[1])));
    AUTO(Run) r = { 0 };
    TRY(session_open(s, false));
    TRY(run_open_named(&s->memory, arg_at(s, 0), &r, &s->err));
    AUTO_PTR(json_t) out = json_object();
    TRY(kinds[i].add(s, &r, kinds[i].kind, out));
    json_object_set_new(out, "run", json_string(r.id));
    json_object_set_new(out, "seq", json_integer((json_int_t)r.state.seq));
    if (s->json)
        print_json(TAKE(out));
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------------- */

static const Opt add_opts[] = {
    { "tool", "NAME", "call, done: the tool" },
    { "args", "JSON", "call, done: its arguments, an object" },
    { "mutating", NULL, "call: it changes something, so it must not be repeated unseen" },
    RUNS_LIMIT_OPTS,
    { "call", "ID", "call, result, done: which call; made up for a call if not given" },
    { "error", NULL, "result, done: the tool failed" },
    { 0 },
};

const Cmd cmd_runs_add = {
    .name = "add",
    .stands_for = "runs add",
    .args = "RUN KIND [TEXT]",
    .summary = "Record a step of a run",
    .help = "KIND is thinking, call, result, done, summary, plan or answer.  The text comes from\n"
            "standard input if it is not given.  Record a call before it is made: it prints the\n"
            "call's id, and on standard error what there is to say about it.  Then record its\n"
            "result with that id.  'done' records both at once: a call that has ended, and as the\n"
            "text its result.  A summary stands for all results so far.\n"
            "RUN is an id, or 'last' for the run that was written to last.\n",
    .opts = add_opts,
    .args_min = 2,
    .args_max = 3,
    .run = run_add,
};
