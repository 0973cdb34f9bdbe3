/* cmd_log_add.c - recording a run from the shell: so that any harness can, whatever it is written
 * in. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd_log.h"
#include "memory/frame/frame.h"

/* The argument at `at`, or standard input. */
static jot_status text_or_input(Session *s, int at, Str *out)
{
    if (s->n <= at)
        return read_input(s, STORE_BODY_MAX, out);
    *out = arg_at(s, at);
    return JOT_OK;
}

static jot_status run_begin(Session *s)
{
    Str query;
    AUTO(Run) r = { 0 };
    RunBegin begin = { 0 };
    TRY(log_limits(s, &begin.limits));
    TRY(text_or_input(s, 0, &query));
    TRY(check_text(s, "a query", query));
    TRY(session_open(s, true));
    TRY(run_new(&s->memory, &begin, query, &r, &s->err));
    if (s->json)
        print_json(json_pack("{s:s}", "run", r.id));
    else
        puts(r.id);
    return JOT_OK;
}

/* --- Kinds of steps ----------------------------------------------------------------------------
 */

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
    return log_limits(s, &out->limits);
}

static void tell_call(Session *s, const RunCalled *called, uint64_t n, json_t *out)
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
    tell_call(s, &called, 0, out);
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
    tell_call(s, &called, n, out);
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
    TRY(log_open(s, &r));
    AUTO_PTR(json_t) out = json_object();
    TRY(kinds[i].add(s, &r, kinds[i].kind, out));
    json_object_set_new(out, "run", json_string(r.id));
    json_object_set_new(out, "seq", json_integer((json_int_t)r.state.seq));
    if (s->json)
        print_json(TAKE(out));
    return JOT_OK;
}

static jot_status run_clear_old(Session *s)
{
    int64_t keep;
    uint64_t cleared;
    AUTO(Run) r = { 0 };
    if (!opt_given(s, "keep"))
        return err_set(&s->err, JOT_INVALID, "say how many results to keep: --keep N");
    TRY(opt_number(s, "keep", 0, INT64_MAX, 0, &keep));
    TRY(log_open(s, &r));
    TRY(run_clear(&r, (uint64_t)keep, &cleared, &s->err));
    AUTO(Buf) text = { 0 };
    run_cleared_add(&text, &r, cleared);
    if (s->json)
        print_json(run_cleared_json(&r, cleared));
    else
        print_text(buf_str(&text));
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------------- */

static const Opt add_opts[] = {
    { "tool", "NAME", "call, done: the tool" },
    { "args", "JSON", "call, done: its arguments, an object" },
    { "mutating", NULL, "call: it changes something, so it must not be repeated unseen" },
    LOG_LIMIT_OPTS,
    { "call", "ID", "call, result, done: which call; made up for a call if not given" },
    { "error", NULL, "result, done: the tool failed" },
    { 0 },
};

static const Opt new_opts[] = {
    { "limit", "N", "calls of one tool that are suggested in this run; 3 if not given" },
    { "similarity", "PERCENT", "of their words two queries share to be similar; 70 if not given" },
    { 0 },
};

static const Opt clear_opts[] = {
    { "keep", "N", "how many of the newest stay" },
    { 0 },
};

const Cmd log_new_cmd = {
    .name = "new",
    .args = "[QUERY]",
    .summary = "Begin a run and print its id",
    .help = "The query comes from standard input if it is not given.  The run keeps its limits:\n"
            "everything that is said about its calls later goes by them.\n",
    .opts = new_opts,
    .args_max = 1,
    .run = run_begin,
};

const Cmd log_add_cmd = {
    .name = "add",
    .args = "RUN KIND [TEXT]",
    .summary = "Record a step of a run",
    .help = "KIND is thinking, call, result, done, summary, plan or answer.  The text comes from\n"
            "standard input if it is not given.  Record a call before it is made: it prints the\n"
            "call's id, and on standard error what there is to say about it.  Then record its\n"
            "result with that id.  'done' records both at once: a call that is over, and as the\n"
            "text its result.  A summary stands for all results so far.\n"
            "RUN is an id, or 'last' for the run that was written to last.\n",
    .opts = add_opts,
    .args_min = 2,
    .args_max = 3,
    .run = run_add,
};

const Cmd log_clear_cmd = {
    .name = "clear",
    .args = "RUN --keep N",
    .summary = "Show only the newest results in prompts from now on",
    .help = "The results stay in the run.\n",
    .opts = clear_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_clear_old,
};
