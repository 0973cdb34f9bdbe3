/* run.c - the profile `runs`: recording what an agent does on a query, step by step.
 *
 * A run is known by its id alone, so every call opens it anew.  What is said about a call (that its
 * tool was called often, or with nearly the same words) is part of the answer to recording it, so
 * that a model learns it before it makes the call; it is never a refusal.  run_look.c reads. */
#include "memory/run/run.h"

#include "tool/reply.h"
#include "tool/run.h"

enum { QUERY_MAX = 1024 * 1024 };

static const char *const kinds[] = { "thinking", "plan", "answer", NULL };

UsageLimits run_arg_limits(const ToolCall *c)
{
    return (UsageLimits){ .calls = (uint64_t)arg_number(c, "limit", 0),
                          .similar = (uint64_t)arg_number(c, "similarity", 0) };
}

static jot_status run_start(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    RunBegin begin = { .limits = run_arg_limits(c) };
    TRY(run_new(c->m, &begin, arg_text(c, "query"), &r, c->e));
    out->text = arena_printf(c->into, "run %s", r.id);
    return JOT_OK;
}

static RunKind kind_of(Str word)
{
    if (str_eq(word, S("plan")))
        return RUN_PLAN;
    return str_eq(word, S("answer")) ? RUN_ANSWER : RUN_THINKING;
}

static jot_status run_note(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_say(&r, kind_of(arg_text(c, "kind")), arg_text(c, "text"), c->e));
    out->text = arena_printf(c->into, "recorded " STR_FMT " in run %s, record %llu",
                             STR_ARG(arg_text(c, "kind")), r.id, (unsigned long long)r.state.seq);
    return JOT_OK;
}

/* --- Calls ------------------------------------------------------------------------------- */

/* The call that the arguments name; its arguments live in c->into. */
static RunCall read_call(const ToolCall *c)
{
    AUTO(Buf) args = { 0 };
    if (arg_json(c, "args"))
        json_write(&args, arg_json(c, "args"));
    return (RunCall){ .call = arg_text(c, "call"),
                      .tool = arg_text(c, "tool"),
                      .args = arena_copy(c->into, buf_str(&args)) };
}

static void answer(ToolCall *c, const RunCalled *called, uint64_t n, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    run_called_add(&text, called, n);
    reply_set(c, &text, out);
}

static jot_status run_begin_call(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    RunCall call = read_call(c);
    RunCalled called;
    call.mutating = arg_bool(c, "mutating");
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_issue(&r, &call, c->into, &called, c->e));
    answer(c, &called, 0, out);
    return JOT_OK;
}

static jot_status run_end_call(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    uint64_t n;
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_result(&r, arg_text(c, "call"), !arg_bool(c, "failed"), arg_text(c, "result"), &n,
                   c->e));
    out->text = arena_printf(c->into, "recorded result #%llu", (unsigned long long)n);
    return JOT_OK;
}

static jot_status run_end_at_once(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    RunFinish f = { .call = read_call(c),
                    .ok = !arg_bool(c, "failed"),
                    .result = arg_text(c, "result") };
    RunCalled called;
    uint64_t n;
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_finish(&r, &f, c->into, &called, &n, c->e));
    answer(c, &called, n, out);
    return JOT_OK;
}

/* --- What is shown from now on ----------------------------------------------------------- */

static jot_status run_hide(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    AUTO(Buf) text = { 0 };
    uint64_t cleared;
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_clear(&r, (uint64_t)arg_number(c, "keep", 0), &cleared, c->e));
    run_cleared_add(&text, &r, cleared);
    reply_set(c, &text, out);
    out->data = run_cleared_json(&r, cleared);
    return JOT_OK;
}

static jot_status run_sum_up(ToolCall *c, ToolReply *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_open(c->m, arg_text(c, "run"), &r, c->e));
    TRY(run_compact(&r, arg_text(c, "text"), c->e));
    out->text =
        arena_printf(c->into, "the summary stands for %llu result%s from now on",
                     (unsigned long long)r.state.compacted, r.state.compacted == 1 ? "" : "s");
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

/* clang-format off */
#define CALL_ARGS { "args", PARAM_OBJECT, .optional = true }
#define FAILED { "failed", PARAM_BOOL, .optional = true }
#define OWN_CALL { "call", PARAM_TEXT, .about = "its id, made up if you have none", .optional = true, .min = 1, .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_run_new, tool_run_say, tool_run_call, tool_run_result, tool_run_record,
    tool_run_clear, tool_run_summary;

const Tool tool_run_new = {
    .name = "run_new",
    .title = "Begin a run",
    .about = "Begin the log of your work on a query; answers with the run's id.",
    .effects = TOOL_WRITES,
    .params = { { "query", PARAM_TEXT, .max = QUERY_MAX },
                { "limit", PARAM_NUMBER, .about = "calls of one tool before you are warned (3)",
                  .optional = true, .min = 1 },
                { "similarity", PARAM_NUMBER,
                  .about = "per cent of their words two queries share to be similar (70)",
                  .optional = true, .min = 1, .max = 100 } },
    .run = run_start,
};

const Tool tool_run_say = {
    .name = "run_say",
    .title = "Record a thought",
    .about = "Record what you think, your plan as it is now, or your answer, in a run.",
    .effects = TOOL_WRITES,
    .params = { RUN_PARAM,
                { "kind", PARAM_CHOICE, .choices = kinds },
                { "text", .type = PARAM_TEXT } },
    .run = run_note,
};

const Tool tool_run_call = {
    .name = "run_call",
    .title = "Record a call",
    .about =
        "Record a tool call before you make it, so that whoever takes over knows it was begun. "
        "The answer warns you if the tool was called often, or with nearly the same words.",
    .effects = TOOL_WRITES,
    .params = { RUN_PARAM,
                { "tool", PARAM_TEXT, .max = RUN_TOOL_MAX },
                CALL_ARGS,
                OWN_CALL,
                { "mutating", PARAM_BOOL, .about = "it changes something outside",
                  .optional = true } },
    .run = run_begin_call,
};

const Tool tool_run_result = {
    .name = "run_result",
    .title = "Record a result",
    .about = "Record what came of a call that run_call recorded, exactly.",
    .effects = TOOL_WRITES,
    .params = { RUN_PARAM,
                { "call", PARAM_TEXT, .about = "the id of the call", .max = STORE_SEGMENT_MAX },
                { "result", .type = PARAM_TEXT },
                FAILED },
    .run = run_end_call,
};

const Tool tool_run_record = {
    .name = "run_record",
    .title = "Record a call with its result",
    .about = "Record a tool call that is over, with its result, in one step. The answer warns you "
             "as run_call does.",
    .effects = TOOL_WRITES,
    .params = { RUN_PARAM,
                { "tool", PARAM_TEXT, .max = RUN_TOOL_MAX },
                CALL_ARGS,
                { "result", .type = PARAM_TEXT },
                FAILED,
                OWN_CALL },
    .run = run_end_at_once,
};

static const Param cleared_output[] = {
    { "event", PARAM_TEXT, .about = "context_cleared" },
    { "run", .type = PARAM_TEXT },
    { "cleared", .type = PARAM_NUMBER },
    { "kept", .type = PARAM_NUMBER },
    { 0 },
};

const Tool tool_run_clear = {
    .name = "run_clear",
    .title = "Clear old results",
    .about = "Show only the newest results of a run from now on; all stay in it.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { RUN_PARAM, { "keep", PARAM_NUMBER, .about = "how many stay" } },
    .output = cleared_output,
    .run = run_hide,
};

const Tool tool_run_summary = {
    .name = "run_summary",
    .title = "Sum up results",
    .about = "From now on this text stands for all results of the run so far; they stay in it.",
    .effects = TOOL_WRITES,
    .params = { RUN_PARAM, { "text", PARAM_TEXT, .min = 1 } },
    .run = run_sum_up,
};
