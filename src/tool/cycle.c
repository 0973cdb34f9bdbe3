/* cycle.c - the noun `cycle`: wake, step, sleep, and what begins and ends a state.
 *
 * A cycle is known by its agent and id alone, so every call may come from another process: a model
 * by its tools, a script under cron by the commands:
 *
 *     id=$(jotter cycle wake) || exit
 *     while reply=$(jotter cycle read "$id" | model) &&
 *           said=$(printf %s "$reply" | jotter cycle step "$id"); do
 *         case $said in
 *         tool\ *) run_tool "$said" | jotter cycle step "$id" --result ;;
 *         done*)   break ;;
 *         esac
 *     done
 *     jotter cycle sleep "$id"
 *
 * A step beyond the last iteration is refused, and that ends the loop.  cycle_look.c looks;
 * `jotter cycle run`, which drives a whole cycle with a model, is by hand: it shows the work live.
 */
#include "tool/cycle.h"

#include "memory/doc/doc.h"

enum { SECOND = 1000, GOALS_MAX = 100, NAME_CHARS = 200 };

extern const Noun noun_cycle;

static const Param action_fields[] = {
    { "action", PARAM_TEXT, .about = "tool, update, done, unreadable or redacted" },
    { "tool", .type = PARAM_TEXT },
    { "args", .type = PARAM_OBJECT },
    { "why", PARAM_TEXT, .about = "it cannot be read" },
    { 0 },
};

static const Param call_fields[] = {
    { "tool", .type = PARAM_TEXT },
    { "calls", .type = PARAM_NUMBER },
    { "unknown", PARAM_NUMBER, .about = "of these, because there is no such tool" },
    { "same", PARAM_NUMBER, .about = "the most calls with the same arguments" },
    { "same_args", .type = PARAM_TEXT },
    { 0 },
};

const Param cycle_fields[] = {
    { "cycle", PARAM_TEXT, .about = "its id" },
    { "agent", .type = PARAM_TEXT },
    { "end", PARAM_TEXT, .about = "running, done, limit, stopped, failed or killed" },
    { "by", .type = PARAM_TEXT },
    { "started", PARAM_TEXT, .about = "time" },
    { "ended", PARAM_TEXT, .about = "time" },
    { "iterations", .type = PARAM_NUMBER },
    { "iterations_max", .type = PARAM_NUMBER },
    { "done", PARAM_BOOL, .about = "the model said so" },
    { "calls", PARAM_OBJECTS, .fields = call_fields },
    { "unreadable_replies", .type = PARAM_NUMBER },
    { "why", PARAM_TEXT, .about = "it failed" },
    { "unreadable", PARAM_TEXT, .about = "why what it ended with is no state" },
    { "dead", PARAM_BOOL, .about = "it gave no sign for its time to live" },
    { "orphaned", PARAM_BOOL, .about = "the lease it ran under has expired" },
    { "left_ms", PARAM_NUMBER, .about = "until it counts as dead" },
    { "waiting_for", PARAM_OBJECT, .fields = action_fields },
    { "notice", PARAM_TEXT, .about = "what was met on the way" },
    { "state", PARAM_OBJECT, .about = "the state now" },
    { 0 },
};

Str cycle_arg_agent(const ToolCall *c)
{
    Str agent = arg_text(c, "agent");
    return agent.n ? agent : S(CYCLE_DEFAULT_AGENT);
}

jot_status cycle_refused(ToolCall *c, jot_status st)
{
    if (st == JOT_NOT_FOUND)
        verb_next(c, S("see 'jotter cycle list'"), S("call cycle_list"));
    return st;
}

jot_status cycle_say_state(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) label = { 0 };
    if (!d->body.p) {
        out->text = arena_copy(c->into, S("(there is no state)"));
        return JOT_OK;
    }
    template_add(&label, tool_verb(c->tool)->says, d->json, TEMPLATE_FRAMED);
    TRY(reply_check_text(arena_printf(c->into, "cycles/" STR_FMT, STR_ARG(cycle_arg_agent(c))),
                         d->body, c->e));
    reply_body(c, d->body, buf_str(&label), out);
    return JOT_OK;
}

/* --- init, reset --------------------------------------------------------------------------- */

static jot_status init(ToolCall *c, VerbData *out)
{
    CycleInit o = { .task = arg_text(c, "task"), .notes = arg_text(c, "notes") };
    o.goals = arg_texts(c, "goals", &o.goals_n);
    TRY(cycle_init(c->m, cycle_arg_agent(c), &o, c->into, &out->body, c->e));
    out->json = json_pack("{s:o, s:o}", "agent", json_text(cycle_arg_agent(c)), "text",
                          json_text(out->body));
    return JOT_OK;
}

static const Verb verb_init = {
    .tool = { .effects = TOOL_WRITES,
              .params = PARAMS({ "goals", PARAM_TEXTS, .optional = true, .items = GOALS_MAX,
                                 .place = 1, .word = "GOAL" },
                               CYCLE_AGENT,
                               { "task", PARAM_TEXT, .optional = true, .word = "TEXT",
                                 .help = "the first task; else the first goal" },
                               { "notes", PARAM_TEXT, .optional = true, .word = "TEXT",
                                 .help = "what else to know" }),
              .run = verb_answer },
    .verb = "init",
    .summary = "Write an agent's first state",
    .help = "Refused if there is one.  On files it is cycles/active.yaml, for you to edit.\n",
    .fields =
        (const Param[]){ { "agent", .type = PARAM_TEXT }, { "text", .type = PARAM_TEXT }, { 0 } },
    .run = init,
};

/* A template is a file, which the door has read, or the note of its name. */
static jot_status read_template(ToolCall *c, Str *text)
{
    Doc doc;
    *text = arg_text(c, "template");
    if (!text->n || arg_from_input(c, "template"))
        return JOT_OK;
    Str stream = arena_printf(c->into, "notes/cycle-template-" STR_FMT, STR_ARG(*text));
    TRY(doc_read(c->m, stream, c->into, &doc, c->e));
    *text = doc.text;
    return JOT_OK;
}

static jot_status reset(ToolCall *c, VerbData *out)
{
    Str text, name = arg_word(c, "template");
    uint64_t removed = 0;
    TRY(read_template(c, &text));
    TRY(cycle_reset(c->m, cycle_arg_agent(c), text, cycle_state_line(c->into, name, NAME_CHARS),
                    c->into, c->e));
    if (arg_bool(c, "clean"))
        TRY(cycle_clean(c->m, cycle_arg_agent(c), &removed, c->e));
    out->json = json_pack("{s:o, s:I}", "agent", json_text(cycle_arg_agent(c)), "removed",
                          (json_int_t)removed);
    return JOT_OK;
}

static const Verb verb_reset = {
    .tool = { .effects = TOOL_WRITES,
              .params =
                  PARAMS(CYCLE_AGENT,
                         { "template", PARAM_TEXT, .optional = true, .max = CYCLE_STATE_BYTES_MAX,
                           .input = INPUT_FILE_OR_NAME, .word = "FILE|NAME",
                           .help = "a file, or the note cycle-template-NAME; else the empty "
                                   "state" },
                         { "clean", PARAM_BOOL, .optional = true,
                           .help = "also delete the snapshots, steps and logs of its cycles" }),
              .run = verb_answer },
    .verb = "reset",
    .summary = "Start over, from a template or with an empty state",
    .help = "What was there stays in the history.  A word with a '/' or '.' in it is a file.\n",
    .fields = (const Param[]){ { "agent", .type = PARAM_TEXT },
                               { "removed", PARAM_NUMBER, .about = "snapshots, steps and logs" },
                               { 0 } },
    .shows = "reset the state of {'agent}[, removed {removed} of its snapshots, steps and logs]",
    .run = reset,
};

/* --- wake, step, sleep, fail --------------------------------------------------------------- */

static jot_status wake(ToolCall *c, VerbData *out)
{
    CycleWake o = { .iterations_max = arg_number(c, "iterations", 0),
                    .ttl_ms = arg_number(c, "ttl", 0) * SECOND,
                    .lease = c->lease };
    Cycle k;
    TRY(cycle_wake(c->m, cycle_arg_agent(c), &o, c->into, &k, c->e));
    out->json = cycle_json(&k);
    out->body = k.before.p ? k.before : S("");
    return JOT_OK;
}

static const Verb verb_wake = {
    .tool = { .name = "cycle_wake",
              .title = "Begin a cycle",
              .about = "Begin a cycle: answers with the state and the cycle's id. One at a time.",
              .effects = TOOL_WRITES,
              .params = PARAMS(
                  CYCLE_AGENT,
                  { "iterations", PARAM_NUMBER, .about = "replies in it", .optional = true,
                    .min = 1, .max = CYCLE_ITERATIONS_MAX, .option = "max",
                    .help = "at most N iterations; 5 unless given" },
                  { "ttl", PARAM_NUMBER, .optional = true, .min = 1,
                    .max = CYCLE_TTL_MS_MAX / SECOND, .door = DOOR_CLI, .word = "SECONDS",
                    .help =
                        "presumed dead after this long without a sign of life; 900 unless given" },
                  REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "wake",
    .summary = "Begin a cycle and print its id",
    .help = "What a dead cycle left is finished first, and reported on standard error.  Refused\n"
            "while another cycle of the agent is running.  A cycle that is woken under a lease is\n"
            "dead as soon as the lease expires: jotter lease run cycles/default -- SCRIPT\n",
    .fields = cycle_fields,
    .says = CYCLE_LABEL,
    .run = wake,
    .say = cycle_say_state,
};

/* What a step is: a model's reply, or what came of the tool it called. */
typedef struct Taken {
    bool result;
    ToolEnd end;
    Str text;
} Taken;

/* A command has the text on standard input, and options that say what it is. */
static jot_status read_step(const ToolCall *c, Taken *out)
{
    bool failed = arg_bool(c, "failed"), unknown = arg_bool(c, "unknown");
    bool given = c->shell ? arg_bool(c, "is_result") : arg_given(c, "result");
    if (c->shell && given + failed + unknown > 1)
        return err_set(c->e, JOT_INVALID, "say one of --result, --error and --unknown");
    *out = (Taken){ .result = given || unknown || (c->shell && failed),
                    .end = unknown  ? TOOL_UNKNOWN
                           : failed ? TOOL_FAILED
                                    : TOOL_OK };
    out->text = arg_text(c, out->result && !c->shell ? "result" : "reply");
    if (c->shell)
        return JOT_OK;
    if (out->result == arg_given(c, "reply"))
        return err_set(c->e, JOT_INVALID, "give either 'reply' or 'result'");
    if (unknown && failed)
        return err_set(c->e, JOT_INVALID, "a tool failed or is unknown, not both");
    return JOT_OK;
}

static jot_status take(ToolCall *c, const Taken *t, CycleStep *step, Cycle *k)
{
    Str agent = cycle_arg_agent(c), id = arg_text(c, "cycle");
    if (t->result)
        return cycle_result(
            c->m, &(CycleInput){ .agent = agent, .id = id, .end = t->end, .text = t->text },
            c->into, step, k, c->e);
    return cycle_step(c->m, &(CycleInput){ .agent = agent, .id = id, .text = t->text }, c->into,
                      step, k, c->e);
}

static jot_status step(ToolCall *c, VerbData *out)
{
    Taken t = { 0 };
    CycleStep taken;
    Cycle k;
    TRY(read_step(c, &t));
    TRY(cycle_refused(c, take(c, &t, &taken, &k)));
    out->json = action_json(&taken.action);
    json_object_set_new(out->json, "said", json_text(taken.said));
    json_object_set_new(out->json, "result", json_boolean(t.result));
    AUTO_PTR(json_t) cycle = cycle_json(&k);
    static const char *const kept[] = { "cycle",      "end",        "dead",
                                        "done",       "iterations", "iterations_max",
                                        "waiting_for" };
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        if (json_object_get(cycle, kept[i]))
            json_object_set(out->json, kept[i], json_object_get(cycle, kept[i]));
    return JOT_OK;
}

static jot_status say_step(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    Str said = json_str(json_object_get(d->json, "said"));
    template_add(&text, "[result{?result}][{action}{!result}]\n", d->json, TEMPLATE_FRAMED);
    if (said.n)
        reply_quote(&text, said, c->budget / 2);
    template_add(&text, CYCLE_LABEL, d->json, TEMPLATE_FRAMED);
    reply_set(c, &text, out);
    return JOT_OK;
}

static const Verb verb_step = {
    .tool = { .name = "cycle_step",
              .title = "Take a step",
              .about = "One iteration: reply is {\"tool\": \"update_scratchpad\", \"args\": {...}} "
                       "to change the state, {\"tool\": \"done\", \"args\": {\"summary\": ...}} to "
                       "end the task, or any other tool, whose result is the next step.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(
                  CYCLE_ONE, CYCLE_AGENT,
                  { "reply", PARAM_TEXT, .optional = true, .max = ACTION_REPLY_MAX,
                    .input = INPUT_ONLY, .unless = "unknown" },
                  { "result", PARAM_TEXT, .optional = true, .max = ACTION_REPLY_MAX,
                    .door = DOOR_TOOL },
                  { "is_result", PARAM_BOOL, .optional = true, .door = DOOR_CLI, .option = "result",
                    .help = "standard input is the tool's result" },
                  { "failed", PARAM_BOOL, .about = "the tool did", .optional = true,
                    .option = "error", .help = "standard input is why the tool failed" },
                  { "unknown", PARAM_BOOL, .about = "there is no such tool", .optional = true }),
              .run = verb_answer },
    .verb = "step",
    .summary = "Take a model's reply from standard input, or a tool's result",
    .help = "A reply holds {\"tool\": NAME, \"args\": {...}}, alone or inside prose.  Printed is\n"
            "what it asks for: 'tool NAME ARGS', 'update', 'done' or 'unreadable'; then the entry\n"
            "that went into the notes.\n",
    .fields =
        (const Param[]){
            { "action", PARAM_TEXT, .about = "tool, update, done, unreadable or redacted" },
            { "tool", .type = PARAM_TEXT },
            { "args", .type = PARAM_OBJECT },
            { "why", PARAM_TEXT, .about = "it cannot be read" },
            { "said", PARAM_TEXT, .about = "the entry that went into the notes" },
            { "result", PARAM_BOOL, .about = "it was a tool's result" },
            { "cycle", .type = PARAM_TEXT },
            { "end", .type = PARAM_TEXT },
            { "dead", .type = PARAM_BOOL },
            { "done", .type = PARAM_BOOL },
            { "iterations", .type = PARAM_NUMBER },
            { "iterations_max", .type = PARAM_NUMBER },
            { "waiting_for", PARAM_OBJECT, .fields = action_fields },
            { 0 } },
    .run = step,
    .say = say_step,
};

static jot_status sleep_now(ToolCall *c, VerbData *out)
{
    Cycle k;
    TRY(cycle_refused(
        c, cycle_sleep(c->m, cycle_arg_agent(c), arg_text(c, "cycle"), c->into, &k, c->e)));
    out->json = cycle_json(&k);
    return JOT_OK;
}

static const Verb verb_sleep = {
    .tool = { .name = "cycle_sleep",
              .title = "End a cycle",
              .about = "End a cycle: what its steps made of the state becomes the state.",
              .effects = TOOL_WRITES | TOOL_EXISTING | TOOL_IDEMPOTENT,
              .params = PARAMS(CYCLE_ONE, CYCLE_AGENT),
              .run = verb_answer },
    .verb = "sleep",
    .summary = "End a cycle and keep what it made of the state",
    .fields = cycle_fields,
    .says = CYCLE_LABEL,
    .shows = CYCLE_ENDED,
    .run = sleep_now,
};

static jot_status fail(ToolCall *c, VerbData *out)
{
    Cycle k;
    TRY(cycle_refused(c, cycle_fail(c->m,
                                    &(CycleFailure){ .agent = cycle_arg_agent(c),
                                                     .id = arg_text(c, "cycle"),
                                                     .why = arg_text(c, "why"),
                                                     .trace = arg_text(c, "trace") },
                                    c->into, &k, c->e)));
    out->json = cycle_json(&k);
    return JOT_OK;
}

static const Verb verb_fail = {
    .tool = { .name = "cycle_fail",
              .title = "Fail a cycle",
              .about = "End a cycle as failed: the state is as it was before, with a line that "
                       "says why.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(
                  CYCLE_ONE,
                  { "why", PARAM_TEXT, .optional = true, .max = ACTION_REPLY_MAX, .place = 2 },
                  CYCLE_AGENT,
                  { "trace", PARAM_TEXT, .optional = true, .max = CYCLE_TRACE_MAX, .door = DOOR_CLI,
                    .input = INPUT_FILE, .word = "FILE",
                    .help = "for the log of the cycle; '-' is standard input" }),
              .run = verb_answer },
    .verb = "fail",
    .summary = "End a cycle and keep the state as it was before",
    .help = "The notes get one more line, Cycle ID failed: WHY, and one that says which tools had\n"
            "answered, for what they did is not undone.\n",
    .fields = cycle_fields,
    .says = CYCLE_LABEL,
    .shows = CYCLE_ENDED,
    .run = fail,
};

static const Verb *const verbs[] = { &verb_init,        &verb_cycle_status,
                                     &verb_wake,        &verb_step,
                                     &verb_sleep,       &verb_fail,
                                     &verb_cycle_list,  &verb_cycle_read,
                                     &verb_cycle_steps, &verb_cycle_log,
                                     &verb_cycle_diff,  &verb_cycle_explain,
                                     &verb_reset,       NULL };

const Noun noun_cycle = {
    .name = "cycle",
    .summary = "Wake, step and put to sleep an agent that keeps one state between its turns",
    .verbs = verbs,
    .profile = TOOLS_CYCLES,
};
