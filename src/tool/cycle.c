/* cycle.c - the profile `cycles`: wake, steps, sleep, and what became of a cycle.
 *
 * A cycle is known by its agent and id alone, so every call may come from another
 * process. */
#include "memory/cycle/cycle.h"

#include "memory/cycle/cycle_log.h"
#include "memory/cycle/explain.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"

static Str agent_of(const ToolCall *c)
{
    Str agent = arg_text(c, "agent");
    return agent.n ? agent : S(CYCLE_DEFAULT_AGENT);
}

static Str label_of(ToolCall *c, const Cycle *k)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, "cycle " STR_FMT " is %s, %zu of %zu iterations", STR_ARG(k->id),
             k->dead ? "dead" : cycle_end_name(k->end), k->iterations, k->iterations_max);
    if (k->waiting) {
        buf_add(&text, S(", it waits for the result of "));
        frame_name_add(&text, k->call.tool);
    }
    return arena_copy(c->into, buf_str(&text));
}

static jot_status say_state(ToolCall *c, Str state, Str label, ToolReply *out)
{
    TRY(reply_check_text(arena_printf(c->into, "cycles/" STR_FMT, STR_ARG(agent_of(c))), state,
                         c->e));
    reply_body(c, state, label, out);
    return JOT_OK;
}

static jot_status run_status(ToolCall *c, ToolReply *out)
{
    CycleStatus s;
    TRY(reply_body_check(c));
    TRY(cycle_status(c->m, agent_of(c), c->into, &s, c->e));
    if (!s.there) {
        out->text = arena_copy(c->into, S("(there is no state)"));
        return JOT_OK;
    }
    Str label =
        arena_printf(c->into, "version %s; %llu cycles, the newest " STR_FMT "%s",
                     version_of(s.mark.sha256).text, (unsigned long long)s.cycles,
                     STR_ARG(s.newest.n ? s.newest : S("none")), s.running ? " is running" : "");
    return say_state(c, s.text, label, out);
}

static jot_status run_wake(ToolCall *c, ToolReply *out)
{
    CycleWake o = { .iterations_max = arg_number(c, "iterations", 0) };
    Cycle k;
    TRY(reply_body_check(c));
    TRY(cycle_wake(c->m, agent_of(c), &o, c->into, &k, c->e));
    return say_state(c, k.before, label_of(c, &k), out);
}

static jot_status run_step(ToolCall *c, ToolReply *out)
{
    CycleStep step;
    Cycle k;
    AUTO(Buf) text = { 0 };
    bool unknown = arg_bool(c, "unknown"), result = arg_given(c, "result") || unknown;
    if (result == arg_given(c, "reply"))
        return err_set(c->e, JOT_INVALID, "say 'reply' or 'result', one of them");
    if (unknown && arg_bool(c, "failed"))
        return err_set(c->e, JOT_INVALID, "a tool failed or is unknown, not both");
    ToolEnd end = unknown ? TOOL_UNKNOWN : arg_bool(c, "failed") ? TOOL_FAILED : TOOL_OK;
    if (result)
        TRY(cycle_result(c->m, agent_of(c), arg_text(c, "cycle"), end, arg_text(c, "result"),
                         c->into, &step, &k, c->e));
    else
        TRY(cycle_step(c->m, agent_of(c), arg_text(c, "cycle"), arg_text(c, "reply"), c->into,
                       &step, &k, c->e));
    buf_addf(&text, "%s\n", result ? "result" : action_name(step.action.kind));
    if (step.said.n)
        reply_quote(&text, step.said, c->budget / 2);
    buf_add(&text, label_of(c, &k));
    reply_set(c, &text, out);
    return JOT_OK;
}

static jot_status run_sleep(ToolCall *c, ToolReply *out)
{
    Cycle k;
    TRY(cycle_sleep(c->m, agent_of(c), arg_text(c, "cycle"), c->into, &k, c->e));
    out->text = label_of(c, &k);
    return JOT_OK;
}

static jot_status run_fail(ToolCall *c, ToolReply *out)
{
    Cycle k;
    TRY(cycle_fail(c->m, agent_of(c), arg_text(c, "cycle"), arg_text(c, "why"), (Str){ 0 }, c->into,
                   &k, c->e));
    out->text = label_of(c, &k);
    return JOT_OK;
}

/* --- Looking --------------------------------------------------------------------------- */

static jot_status run_explain(ToolCall *c, ToolReply *out)
{
    static const char *const signs[] = { "+", "-", "~" };
    Cycle k;
    Explanation x;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(cycle_find(c->m, agent_of(c), arg_text(c, "cycle"), c->into, &k, c->e));
    TRY(cycle_explain(&k, c->into, &x, c->e));
    for (bool fits = true; n < x.diff.n && fits; n += fits) {
        const TreeChange *t = &x.diff.items[n];
        AUTO(Buf) line = { 0 };
        buf_addf(&line, "%s ", signs[t->kind]);
        buf_add(&line, t->path);
        buf_addf(&line, ": " STR_FMT "%s" STR_FMT, STR_ARG(t->was),
                 t->kind == CHANGE_CHANGED ? " -> " : "", STR_ARG(t->is));
        AUTO(Buf) quoted = { 0 };
        reply_quote(&quoted, buf_str(&line), c->budget / 4);
        fits = lister_add(&l, str_slice(buf_str(&quoted), 0, quoted.n - 1));
    }
    if (n < x.diff.n)
        buf_addf(&l.text, "... and %zu more changes\n", x.diff.n - n);
    buf_addf(&l.text, "%s: " STR_FMT, reading_name(x.reading), STR_ARG(x.sentence));
    if (x.hint.n)
        buf_addf(&l.text, "; " STR_FMT, STR_ARG(x.hint));
    if (x.see_log)
        buf_addf(&l.text, " (cycle_log cycle=" STR_FMT ")", STR_ARG(k.id));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    CycleList list;
    AUTO(Lister) l = lister_begin(c);
    size_t offset = (size_t)arg_number(c, "offset", 0), n = offset;
    TRY(cycle_list(c->m, agent_of(c), c->into, &list, c->e));
    for (bool fits = true; n < list.n && fits; n += fits)
        fits = lister_add_json(&l, cycle_line_json(&list.items[n]));
    if (n < list.n)
        reply_more(c, &l.text, "offset", arena_printf(c->into, "%zu", n));
    else if (n == offset)
        buf_add(&l.text, S("(none)"));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status run_log(ToolCall *c, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    Str id = arg_text(c, "cycle");
    TRY(reply_body_check(c));
    TRY(cycle_log(c->m, agent_of(c), id, &text, c->e));
    Str log = arena_copy(c->into, buf_str(&text));
    TRY(reply_check_text(id, log, c->e));
    reply_body(c, log, arena_printf(c->into, "log of cycle " STR_FMT, STR_ARG(id)), out);
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

/* clang-format off */
#define AGENT { "agent", PARAM_TEXT, .optional = true, .max = STORE_KEY_MAX }
#define CYCLE { "cycle", PARAM_TEXT, .about = "its id", .max = CYCLE_ID_MAX }
/* clang-format on */

extern const Tool tool_cycle_status, tool_cycle_wake, tool_cycle_step, tool_cycle_sleep,
    tool_cycle_fail, tool_cycle_explain, tool_cycle_list, tool_cycle_log;

const Tool tool_cycle_status = {
    .name = "cycle_status",
    .title = "State of an agent",
    .about = "What an agent that sleeps in between knows: goals, task, pending actions, notes.",
    .effects = TOOL_READS,
    .params = { AGENT, REPLY_BODY_PARAMS },
    .run = run_status,
};

const Tool tool_cycle_wake = {
    .name = "cycle_wake",
    .title = "Begin a cycle",
    .about = "Begin a cycle: answers with the state and the cycle's id. One at a time.",
    .effects = TOOL_WRITES,
    .params = { AGENT,
                { "iterations", PARAM_NUMBER, .about = "replies in it", .optional = true, .min = 1,
                  .max = CYCLE_ITERATIONS_MAX },
                REPLY_BODY_PARAMS },
    .run = run_wake,
};

const Tool tool_cycle_step = {
    .name = "cycle_step",
    .title = "Take a step",
    .about =
        "One iteration: reply is {\"tool\": \"update_scratchpad\", \"args\": {...}} to change the "
        "state, {\"tool\": \"done\", \"args\": {\"summary\": ...}} to end the task, or any other "
        "tool, whose result is the next step.",
    .effects = TOOL_WRITES,
    .params = { CYCLE,
                AGENT,
                { "reply", PARAM_TEXT, .optional = true, .max = ACTION_REPLY_MAX },
                { "result", PARAM_TEXT, .optional = true, .max = ACTION_REPLY_MAX },
                { "failed", PARAM_BOOL, .about = "the tool did", .optional = true },
                { "unknown", PARAM_BOOL, .about = "there is no such tool", .optional = true } },
    .run = run_step,
};

const Tool tool_cycle_sleep = {
    .name = "cycle_sleep",
    .title = "End a cycle",
    .about = "End a cycle: what its steps made of the state becomes the state.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { CYCLE, AGENT },
    .run = run_sleep,
};

const Tool tool_cycle_fail = {
    .name = "cycle_fail",
    .title = "Fail a cycle",
    .about = "End a cycle as failed: the state is as it was before, with a line that says why.",
    .effects = TOOL_WRITES,
    .params = { CYCLE, { "why", PARAM_TEXT, .min = 1, .max = ACTION_REPLY_MAX }, AGENT },
    .run = run_fail,
};

const Tool tool_cycle_explain = {
    .name = "cycle_explain",
    .title = "Explain a cycle",
    .about = "What became of a cycle, and how it changed the state.",
    .effects = TOOL_READS,
    .params = { CYCLE, AGENT },
    .run = run_explain,
};

const Tool tool_cycle_list = {
    .name = "cycle_list",
    .title = "List cycles",
    .about = "The cycles of an agent, newest first.",
    .effects = TOOL_READS,
    .params = { AGENT, { "offset", PARAM_NUMBER, .about = "pass over so many", .optional = true } },
    .run = run_list,
};

const Tool tool_cycle_log = {
    .name = "cycle_log",
    .title = "Log of a cycle",
    .about = "What was said and done in a cycle: every reply and every result, whole. One of them: "
             "scratchpad_read key=steps/AGENT/CYCLE/NUMBER.",
    .effects = TOOL_READS,
    .params = { CYCLE, AGENT, REPLY_BODY_PARAMS },
    .run = run_log,
};
