/* run.c - the noun `runs`: recording what an agent does on a query, step by step.
 *
 * A run is known by its id alone, so every call opens it again.  What is said about a call (that
 * its tool was called often, or with nearly the same words) is part of the answer to recording it,
 * so that a model learns it before it makes the call; it is never a refusal.  run_look.c reads. */
#include "tool/run.h"

#include "tool/verb.h"

enum { QUERY_MAX = 1024 * 1024 };

static const char *const kinds[] = { "thinking", "plan", "answer", NULL };

/* clang-format off */
#define LIMIT(words, at) { "limit", PARAM_NUMBER, .about = words, .optional = true, .min = 1, .door = at, \
                       .help = "calls of one tool before a warning; else the run's own, or 3" }
#define SIMILARITY(words, at) { "similarity", PARAM_NUMBER, .about = words, .optional = true, .door = at, \
                            .min = 1, .max = 100, .word = "PERCENT", \
                            .help = "of their words similar queries share; else the run's own, or 70" }
#define ARGS { "args", PARAM_OBJECT, .optional = true, .help = "its arguments, an object" }
#define FAILED { "failed", PARAM_BOOL, .optional = true, .option = "error", \
                 .help = "the tool failed" }
#define OWN_CALL { "call", PARAM_TEXT, .about = "its id, made up if you have none", \
                   .optional = true, .min = 1, .max = STORE_SEGMENT_MAX, .word = "ID" }
#define TOOL_NAME { "tool", PARAM_TEXT, .max = RUN_TOOL_MAX, .place = 2 }

static const Param step_fields[] = {
    { "run", .type = PARAM_TEXT },
    { "seq", PARAM_NUMBER, .about = "of the record" },
    { "kind", .type = PARAM_TEXT },
    { "call", .type = PARAM_TEXT },
    { "n", PARAM_NUMBER, .about = "number of the result" },
    { "warnings", .type = PARAM_TEXTS },
    { "warning", PARAM_TEXT, .about = "the same as lines" },
    { "compacted", PARAM_NUMBER, .about = "results that a summary stands for" },
    { 0 },
};
/* clang-format on */

UsageLimits run_arg_limits(const ToolCall *c)
{
    return (UsageLimits){ .calls = (uint64_t)arg_number(c, "limit", 0),
                          .similar = (uint64_t)arg_number(c, "similarity", 0) };
}

jot_status run_arg_open(const ToolCall *c, Run *out)
{
    return run_open_named(c->m, arg_text(c, "run"), out, c->e);
}

/* The answer to every step: which run, which record. */
static jot_status give(const Run *r, VerbData *out)
{
    if (!out->json)
        out->json = json_object();
    json_object_set_new(out->json, "run", json_string(r->id));
    json_object_set_new(out->json, "seq", json_integer((json_int_t)r->state.seq));
    return JOT_OK;
}

/* --- begin, say ---------------------------------------------------------------------------- */

static jot_status begin(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    RunBegin b = { .limits = run_arg_limits(c) };
    TRY(run_begin(c->m, &b, arg_text(c, "query"), &r, c->e));
    out->json = json_pack("{s:s}", "run", r.id);
    return JOT_OK;
}

const Verb verb_run_begin = {
    .tool = { .name = "run_begin",
              .title = "Begin a run",
              .about = "Begin the log of your work on a query; answers with the run's id.",
              .effects = TOOL_WRITES,
              .params = PARAMS(
                  { "query", PARAM_TEXT, .max = QUERY_MAX, .place = 1, .input = INPUT_ELSE },
                  LIMIT("calls of one tool before you are warned (3)", DOOR_ALL),
                  SIMILARITY("per cent of words that makes two queries similar (70)", DOOR_ALL)),
              .run = verb_answer },
    .verb = "begin",
    .was = "new",
    .summary = "Begin a run and print its id",
    .help = "The query comes from standard input if it is not given.  The run keeps its limits:\n"
            "everything that is said about its calls later goes by them.\n",
    .fields = step_fields,
    .says = "run {run}",
    .shows = "{run}",
    .run = begin,
};

static RunKind kind_of(Str word)
{
    if (str_eq(word, S("plan")))
        return RUN_PLAN;
    return str_eq(word, S("answer")) ? RUN_ANSWER : RUN_THINKING;
}

static jot_status say(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_arg_open(c, &r));
    TRY(run_say(&r, kind_of(arg_text(c, "kind")), arg_text(c, "text"), c->e));
    out->json = json_pack("{s:o}", "kind", json_text(arg_text(c, "kind")));
    return give(&r, out);
}

const Verb verb_run_say = {
    .tool = { .name = "run_say",
              .title = "Record a thought",
              .about = "Record what you think, your plan as it is now, or your answer, in a run.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(RUN_PARAM, { "kind", PARAM_CHOICE, .choices = kinds, .place = 2 },
                               { "text", .type = PARAM_TEXT, .place = 3, .input = INPUT_ELSE }),
              .run = verb_answer },
    .verb = "say",
    .summary = "Record a thought, a plan or an answer",
    .help = "KIND is thinking, plan or answer.  The text comes from standard input if it is not\n"
            "given.  RUN is an id, or 'last' for the run that was written to last.\n",
    .fields = step_fields,
    .says = "recorded {kind} in run {run}, record {seq}",
    .run = say,
};

/* --- Calls --------------------------------------------------------------------------------- */

static RunCall read_call(const ToolCall *c)
{
    return (RunCall){ .call = arg_text(c, "call"),
                      .tool = arg_text(c, "tool"),
                      .args = arg_json_text(c, "args"),
                      .limits = run_arg_limits(c) };
}

/* The answer to recording a call.  The warnings are there twice: as a list for who shows each, and
 * as lines for a terminal. */
static jot_status called(const Run *r, const RunCalled *x, uint64_t n, VerbData *out)
{
    AUTO(Buf) lines = { 0 };
    out->json = run_called_json(x, n);
    if (x->warnings.limit.n)
        buf_addf(&lines, STR_FMT "\n", STR_ARG(x->warnings.limit));
    if (x->warnings.loop.n)
        buf_addf(&lines, STR_FMT "\n", STR_ARG(x->warnings.loop));
    if (lines.n)
        json_object_set_new(out->json, "warning", json_text(buf_str(&lines)));
    return give(r, out);
}

/* "recorded call ID, record N", and a line "warning: ..." for each. */
static jot_status say_called(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    const json_t *warnings = json_object_get(d->json, "warnings");
    template_add(&text, "recorded call {call}[ and its result #{n}][, record {seq}{!n}]", d->json,
                 TEMPLATE_FRAMED);
    for (size_t i = 0; i < json_array_size(warnings); i++)
        buf_addf(&text, "\nwarning: " STR_FMT, STR_ARG(json_str(json_array_get(warnings, i))));
    reply_set(c, &text, out);
    return JOT_OK;
}

static jot_status call(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    RunCall x = read_call(c);
    RunCalled done;
    x.mutating = arg_bool(c, "mutating");
    TRY(run_arg_open(c, &r));
    TRY(run_issue(&r, &x, c->into, &done, c->e));
    return called(&r, &done, 0, out);
}

const Verb verb_run_call = {
    .tool = { .name = "run_call",
              .title = "Record a call",
              .about =
                  "Record a tool call before you make it, so that an agent that takes over knows "
                  "it was begun. The answer warns you if the tool was called often, or with nearly "
                  "the same words.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params =
                  PARAMS(RUN_PARAM, TOOL_NAME, ARGS, OWN_CALL,
                         { "mutating", PARAM_BOOL, .about = "it changes something outside",
                           .optional = true,
                           .help = "it changes something, so it must not be repeated unseen" },
                         LIMIT(NULL, DOOR_CLI), SIMILARITY(NULL, DOOR_CLI)),
              .run = verb_answer },
    .verb = "call",
    .summary = "Record a tool call before it is made, and print its id",
    .help =
        "What there is to say about it, such as that it was made before, is on standard error.\n",
    .fields = step_fields,
    .shows = "{call}",
    .run = call,
    .say = say_called,
};

static jot_status result(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    uint64_t n;
    TRY(run_arg_open(c, &r));
    TRY(run_result(&r, arg_text(c, "call"), !arg_bool(c, "failed"), arg_text(c, "result"), &n,
                   c->e));
    out->json = json_pack("{s:I}", "n", (json_int_t)n);
    return give(&r, out);
}

const Verb verb_run_result = {
    .tool = { .name = "run_result",
              .title = "Record a result",
              .about = "Record what came of a call that run_call recorded, exactly.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params =
                  PARAMS(RUN_PARAM,
                         { "call", PARAM_TEXT, .about = "the id of the call",
                           .max = STORE_SEGMENT_MAX, .place = 2 },
                         { "result", .type = PARAM_TEXT, .place = 3, .input = INPUT_ELSE }, FAILED),
              .run = verb_answer },
    .verb = "result",
    .summary = "Record the result of a call",
    .help = "The result comes from standard input if it is not given.\n",
    .fields = step_fields,
    .says = "recorded result #{n}",
    .shows = "result #{n}",
    .run = result,
};

static jot_status finish(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    RunFinish f = { .call = read_call(c),
                    .ok = !arg_bool(c, "failed"),
                    .result = arg_text(c, "result") };
    RunCalled done;
    uint64_t n;
    TRY(run_arg_open(c, &r));
    TRY(run_finish(&r, &f, c->into, &done, &n, c->e));
    return called(&r, &done, n, out);
}

const Verb verb_run_finish = {
    .tool = { .name = "run_finish",
              .title = "Record a call with its result",
              .about =
                  "Record a tool call that has ended, with its result, in one step. The answer "
                  "warns you as run_call does.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(RUN_PARAM, TOOL_NAME, ARGS,
                               { "result", .type = PARAM_TEXT, .place = 3, .input = INPUT_ELSE },
                               FAILED, OWN_CALL, LIMIT(NULL, DOOR_CLI), SIMILARITY(NULL, DOOR_CLI)),
              .run = verb_answer },
    .verb = "finish",
    .summary = "Record a call that has ended, with its result",
    .help = "The result comes from standard input if it is not given.\n",
    .fields = step_fields,
    .shows = "result #{n}",
    .run = finish,
    .say = say_called,
};

/* --- What is shown from now on ------------------------------------------------------------- */

static const Param cleared_fields[] = {
    { "event", PARAM_TEXT, .about = "context_cleared" },
    { "run", .type = PARAM_TEXT },
    { "cleared", .type = PARAM_NUMBER },
    { "kept", .type = PARAM_NUMBER },
    { 0 },
};

static jot_status clear(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    uint64_t cleared;
    TRY(run_arg_open(c, &r));
    TRY(run_clear(&r, (uint64_t)arg_number(c, "keep", 0), &cleared, c->e));
    out->json = run_cleared_json(&r, cleared);
    return JOT_OK;
}

const Verb verb_run_clear = {
    .tool = { .name = "run_clear",
              .title = "Clear old results",
              .about = "Show only the newest results of a run from now on; all stay in it.",
              .effects = TOOL_WRITES | TOOL_EXISTING | TOOL_IDEMPOTENT,
              .params = PARAMS(RUN_PARAM, { "keep", PARAM_NUMBER, .about = "how many stay",
                                            .help = "how many results to keep" }),
              .output = cleared_fields,
              .run = verb_answer },
    .verb = "clear",
    .summary = "Show only the newest results in prompts from now on",
    .help = "The results stay in the run.\n",
    .fields = cleared_fields,
    .says = "cleared {cleared}, kept {kept}",
    .run = clear,
};

static jot_status compact(ToolCall *c, VerbData *out)
{
    AUTO(Run) r = { 0 };
    TRY(run_arg_open(c, &r));
    TRY(run_compact(&r, arg_text(c, "text"), c->e));
    out->json = json_pack("{s:I}", "compacted", (json_int_t)r.state.compacted);
    return give(&r, out);
}

const Verb verb_run_compact = {
    .tool = { .name = "run_compact",
              .title = "Sum up results",
              .about = "From now on this text stands for all results of the run so far; they stay "
                       "in it.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(RUN_PARAM,
                               { "text", PARAM_TEXT, .min = 1, .place = 2, .input = INPUT_ELSE }),
              .run = verb_answer },
    .verb = "compact",
    .summary = "Let a summary replace all results so far in prompts",
    .help = "The summary comes from standard input if it is not given.  The results stay in the\n"
            "run.\n",
    .fields = step_fields,
    .says = "the summary stands for {compacted#result} from now on",
    .run = compact,
};
