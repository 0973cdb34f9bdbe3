/* plan.c - the profile `plans`: steps and postconditions, closed with evidence.
 *
 * A call names its plan, or means the host's: in the agent loop that of its run. */
#include "memory/task/plan.h"

#include "tool/reply.h"

static const char *const states[] = { "pending", "in_progress", "done", "blocked", NULL };

static Str plan_of(const ToolCall *c)
{
    if (arg_given(c, "plan"))
        return arg_text(c, "plan");
    return c->plan.n ? c->plan : S("main");
}

static const Str *texts_of(ToolCall *c, const char *param, size_t *n)
{
    const json_t *list = arg_json(c, param);
    *n = json_array_size(list);
    Str *texts = NEW_ARRAY(c->into, Str, *n + 1);
    for (size_t i = 0; i < *n; i++)
        texts[i] = json_str(json_array_get(list, i));
    return texts;
}

/* How far the plan is, as a line of ours. */
static Str label_of(ToolCall *c, const Plan *p)
{
    size_t closed = 0, held = 0;
    for (size_t i = 0; i < p->steps_n; i++)
        closed += p->steps[i].status == PLAN_DONE || p->steps[i].status == PLAN_BLOCKED;
    for (size_t i = 0; i < p->posts_n; i++)
        held += p->posts[i].satisfied;
    return arena_printf(c->into, "%zu of %zu steps closed, %zu of %zu postconditions hold%s",
                        closed, p->steps_n, held, p->posts_n,
                        plan_ready(p) ? "; ready for the final answer" : "");
}

static jot_status run_create(ToolCall *c, ToolReply *out)
{
    PlanDraft d = { .objective = arg_text(c, "objective") };
    Plan p;
    d.steps = texts_of(c, "steps", &d.steps_n);
    d.posts = texts_of(c, "postconditions", &d.posts_n);
    TRY(plan_create(c->m, plan_of(c), &d, c->into, &p, c->e));
    out->text = label_of(c, &p);
    return JOT_OK;
}

static jot_status run_show(ToolCall *c, ToolReply *out)
{
    Plan p;
    TRY(reply_body_check(c));
    TRY(plan_read(c->m, plan_of(c), c->into, &p, c->e));
    reply_body(c, plan_text(&p, c->into), label_of(c, &p), out);
    return JOT_OK;
}

static jot_status run_step(ToolCall *c, ToolReply *out)
{
    PlanMove move = { .n = (size_t)arg_number(c, "n", 0),
                      .evidence = arg_text(c, "evidence"),
                      .notes = arg_text(c, "notes") };
    Plan p;
    if (!plan_status_parse(arg_text(c, "status"), &move.status))
        return err_set(c->e, JOT_INVALID, "'status' is pending, in_progress, done or blocked");
    TRY(plan_step(c->m, plan_of(c), &move, c->into, &p, c->e));
    out->text = arena_printf(c->into, "step %zu is %s\n" STR_FMT, move.n,
                             plan_status_name(move.status), STR_ARG(label_of(c, &p)));
    return JOT_OK;
}

static jot_status run_verify(ToolCall *c, ToolReply *out)
{
    Plan p;
    size_t n = (size_t)arg_number(c, "n", 0);
    TRY(plan_verify(c->m, plan_of(c), n, arg_text(c, "evidence"), c->into, &p, c->e));
    out->text =
        arena_printf(c->into, "postcondition %zu holds\n" STR_FMT, n, STR_ARG(label_of(c, &p)));
    return JOT_OK;
}

/* clang-format off */
#define PLAN { "plan", PARAM_TEXT, .about = "its id, if not your own", .optional = true, \
               .max = STORE_SEGMENT_MAX }
#define N { "n", PARAM_NUMBER, .about = "its number, from 1 on", .min = 1, .max = 100 }
/* clang-format on */

extern const Tool tool_plan_create, tool_plan_show, tool_step_update, tool_postcondition_verify;

const Tool tool_plan_create = {
    .name = "plan_create",
    .title = "Make a plan",
    .about = "Write down what is to be done in steps, and what must be true at the end. Use it for "
             "work of more than three steps. Replaces the plan there is.",
    .effects = TOOL_WRITES,
    .params = {
        { "objective", PARAM_TEXT, .min = 1, .max = PLAN_TEXT_MAX },
        { "steps", PARAM_TEXTS, .items = PLAN_STEPS_MAX, .max = PLAN_TEXT_MAX },
        { "postconditions", PARAM_TEXTS, .about = "each can be checked", .optional = true,
          .items = PLAN_POSTCONDITIONS_MAX, .max = PLAN_TEXT_MAX },
        PLAN,
    },
    .run = run_create,
};

const Tool tool_plan_show = {
    .name = "plan_show",
    .title = "Show the plan",
    .about = "The plan, with the state and the evidence of each step and postcondition.",
    .effects = TOOL_READS,
    .params = { PLAN, REPLY_BODY_PARAMS },
    .run = run_show,
};

const Tool tool_step_update = {
    .name = "step_update",
    .title = "Update a step",
    .about = "Say that a step of the plan is in_progress, done (with evidence: what you saw that "
             "shows it) or blocked (with notes: why).",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = {
        N,
        { "status", PARAM_CHOICE, .choices = states },
        { "evidence", PARAM_TEXT, .optional = true, .max = PLAN_TEXT_MAX },
        { "notes", PARAM_TEXT, .optional = true, .max = PLAN_TEXT_MAX },
        PLAN,
    },
    .run = run_step,
};

const Tool tool_postcondition_verify = {
    .name = "postcondition_verify",
    .title = "Verify a postcondition",
    .about = "Say that a postcondition of the plan holds, with evidence: what you saw that shows "
             "it. Look first.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { N, { "evidence", PARAM_TEXT, .max = PLAN_TEXT_MAX }, PLAN },
    .run = run_verify,
};
