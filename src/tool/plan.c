/* plan.c - the noun `plan`: steps and postconditions, closed with evidence.
 *
 *     steps            pending -> in_progress -> done (with evidence) or blocked (with the reason)
 *     postconditions   satisfied, with evidence; what was seen, not what was meant to happen
 *     ready            all of both: until then the agent's loop takes no answer (agent/loop.c)
 *
 * A command names its plan.  A tool's call may leave that out: it then means the host's, in the
 * agent's loop that of its run. */
#include "memory/task/plan.h"

#include "base/time.h"
#include "tool/verb.h"

extern const Noun noun_plan;

/* clang-format off */
static const char *const states[] = { "pending", "in_progress", "done", "blocked", NULL };

static const Param step_fields[] = {
    { "id", .type = PARAM_TEXT }, { "description", .type = PARAM_TEXT },
    { "status", PARAM_CHOICE, .choices = states }, { "evidence", .type = PARAM_TEXT },
    { "notes", .type = PARAM_TEXT }, { 0 } };
static const Param post_fields[] = {
    { "description", .type = PARAM_TEXT }, { "satisfied", .type = PARAM_BOOL },
    { "evidence", .type = PARAM_TEXT }, { 0 } };
static const Param plan_fields[] = {
    { "id", .type = PARAM_TEXT },
    { "objective", .type = PARAM_TEXT },
    { "steps", PARAM_OBJECTS, .fields = step_fields },
    { "postconditions", PARAM_OBJECTS, .fields = post_fields },
    { "created", PARAM_TEXT, .about = "time" },
    { "ready", PARAM_BOOL, .about = "every step is closed, every postcondition satisfied" },
    { "seq", .type = PARAM_NUMBER },
    { "at", PARAM_TEXT, .about = "time" },
    { "by", .type = PARAM_TEXT },
    { "closed", PARAM_NUMBER, .about = "steps that are done or blocked" },
    { "satisfied", PARAM_NUMBER, .about = "postconditions that are" },
    { "n", PARAM_NUMBER, .about = "the step or postcondition that was updated" },
    { "status", PARAM_CHOICE, .about = "of that step", .choices = states },
    { 0 },
};

#define PLAN { "plan", PARAM_TEXT, .about = "its id, if not your own", .optional = true, \
               .must = true, .max = STORE_SEGMENT_MAX, .place = 1 }
#define N { "n", PARAM_NUMBER, .about = "its number, from 1", .min = 1, .max = PLAN_STEPS_MAX, \
            .place = 2 }
#define PROGRESS "{closed} of {steps} steps closed, {satisfied} of {postconditions} " \
                 "postconditions satisfied{ready&; ready for the final answer}"
/* clang-format on */

static Str plan_of(const ToolCall *c)
{
    if (arg_given(c, "plan"))
        return arg_text(c, "plan");
    return c->plan.n ? c->plan : S("main");
}

static jot_status give(ToolCall *c, const Plan *p, VerbData *out)
{
    size_t closed = 0, satisfied = 0;
    for (size_t i = 0; i < p->steps_n; i++)
        closed += p->steps[i].status == PLAN_DONE || p->steps[i].status == PLAN_BLOCKED;
    for (size_t i = 0; i < p->posts_n; i++)
        satisfied += p->posts[i].satisfied;
    out->json = plan_json(p);
    json_object_set_new(out->json, "closed", json_integer((json_int_t)closed));
    json_object_set_new(out->json, "satisfied", json_integer((json_int_t)satisfied));
    out->body = plan_text(p, c->into);
    return JOT_OK;
}

static jot_status create(ToolCall *c, VerbData *out)
{
    PlanDraft d = { .objective = arg_text(c, "objective") };
    Plan p;
    d.steps = arg_texts(c, "steps", &d.steps_n);
    d.posts = arg_texts(c, "postconditions", &d.posts_n);
    TRY(plan_create(c->m, plan_of(c), &d, c->into, &p, c->e));
    return give(c, &p, out);
}

static const Verb verb_create = {
    .tool = { .name = "plan_create",
              .title = "Make a plan",
              .about = "Write down what is to be done in steps, and what must be true at the end. "
                       "Use it for work of more than three steps. Replaces your present plan.",
              .effects = TOOL_WRITES,
              .params = PARAMS(
                  { "objective", PARAM_TEXT, .min = 1, .max = PLAN_TEXT_MAX, .place = 2 },
                  { "steps", PARAM_TEXTS, .items = PLAN_STEPS_MAX, .max = PLAN_TEXT_MAX,
                    .option = "step", .word = "TEXT", .help = "one step; repeatable" },
                  { "postconditions", PARAM_TEXTS, .about = "each can be checked", .optional = true,
                    .items = PLAN_POSTCONDITIONS_MAX, .max = PLAN_TEXT_MAX, .option = "post",
                    .word = "TEXT", .help = "what must be true at the end; repeatable" },
                  PLAN),
              .run = verb_answer },
    .verb = "create",
    .summary = "Make a plan, or replace the one of that name",
    .fields = plan_fields,
    .says = PROGRESS,
    .shows = "[ready{?ready}][open{!ready}]",
    .brief = true,
    .run = create,
};

static jot_status read_one(ToolCall *c, VerbData *out)
{
    Plan p;
    TRY(plan_read(c->m, plan_of(c), c->into, &p, c->e));
    return give(c, &p, out);
}

static const Verb verb_read = {
    .tool = { .name = "plan_show",
              .title = "Show the plan",
              .about = "The plan, with the state and the evidence of each step and postcondition.",
              .effects = TOOL_READS,
              .params = PARAMS(PLAN, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "show",
    .summary = "Print a plan",
    .help = "The plan of a run has the run's id.\n",
    .fields = plan_fields,
    .says = PROGRESS,
    .shows = "[ready{?ready}][open{!ready}]",
    .run = read_one,
};

static jot_status step(ToolCall *c, VerbData *out)
{
    PlanMove move = { .n = (size_t)arg_number(c, "n", 0),
                      .evidence = arg_text(c, "evidence"),
                      .notes = arg_text(c, "notes") };
    Plan p;
    if (!plan_status_parse(arg_text(c, "status"), &move.status))
        return err_set(c->e, JOT_INVALID, "'status' is no state of a step");
    TRY(plan_step(c->m, plan_of(c), &move, c->into, &p, c->e));
    TRY(give(c, &p, out));
    json_object_set_new(out->json, "n", json_integer((json_int_t)move.n));
    json_object_set_new(out->json, "status", json_string(plan_status_name(move.status)));
    return JOT_OK;
}

static const Verb verb_step = {
    .tool = { .name = "step_update",
              .title = "Update a step",
              .about = "Mark a step of the plan as in_progress, done (with evidence: what you saw "
                       "that shows it) or blocked (with notes: why).",
              .effects = TOOL_WRITES | TOOL_EXISTING | TOOL_IDEMPOTENT,
              .params = PARAMS(
                  N, { "status", PARAM_CHOICE, .choices = states, .place = 3, .word = "STATE" },
                  { "evidence", PARAM_TEXT, .optional = true, .max = PLAN_TEXT_MAX, .word = "TEXT",
                    .help = "what was seen that shows that it is done" },
                  { "notes", PARAM_TEXT, .optional = true, .max = PLAN_TEXT_MAX, .word = "TEXT",
                    .help = "why it is blocked" },
                  PLAN),
              .run = verb_answer },
    .verb = "step",
    .summary = "Mark a step as pending, in_progress, done or blocked",
    .help = "Done needs --evidence, blocked needs --notes.\n",
    .fields = plan_fields,
    .says = "step {n} is {status}\n" PROGRESS,
    .shows = "[ready{?ready}][open{!ready}]",
    .brief = true,
    .run = step,
};

static jot_status verify(ToolCall *c, VerbData *out)
{
    Plan p;
    PlanVerify what = { (size_t)arg_number(c, "n", 0), arg_text(c, "evidence") };
    TRY(plan_verify(c->m, plan_of(c), &what, c->into, &p, c->e));
    TRY(give(c, &p, out));
    json_object_set_new(out->json, "n", json_integer((json_int_t)what.n));
    return JOT_OK;
}

static const Verb verb_verify = {
    .tool = { .name = "postcondition_verify",
              .title = "Verify a postcondition",
              .about = "Mark a postcondition of the plan as satisfied, with evidence: what you saw "
                       "that shows it. Look first.",
              .effects = TOOL_WRITES | TOOL_EXISTING | TOOL_IDEMPOTENT,
              .params =
                  PARAMS(N, { "evidence", PARAM_TEXT, .max = PLAN_TEXT_MAX, .place = 3 }, PLAN),
              .run = verb_answer },
    .verb = "verify",
    .summary = "Mark a postcondition as satisfied",
    .fields = plan_fields,
    .says = "postcondition {n} is satisfied\n" PROGRESS,
    .shows = "[ready{?ready}][open{!ready}]",
    .brief = true,
    .run = verify,
};

static jot_status add_plan(void *ctx, const Plan *p)
{
    json_array_append_new(
        ctx, json_pack("{s:o, s:s}", "id", json_text(p->id), "at", time_text(p->at_ms).text));
    return JOT_OK;
}

static jot_status list(ToolCall *c, VerbData *out)
{
    json_t *plans = json_array();
    out->json = json_pack("{s:o}", "plans", plans);
    return plan_each(c->m, add_plan, plans, c->e);
}

static const Verb verb_list = {
    .tool = { .name = "plan_list",
              .title = "List plans",
              .about = "The ids of all plans.",
              .effects = TOOL_READS,
              .run = verb_answer },
    .verb = "list",
    .summary = "List the plans",
    .fields = (const Param[]){ { "plans", PARAM_OBJECTS,
                                 .fields = (const Param[]){ { "id", .type = PARAM_TEXT },
                                                            { "at", .type = PARAM_TEXT },
                                                            { 0 } } },
                               { 0 } },
    .items = "plans",
    .line = "{id}  {at}",
    .row = "{id}",
    .unit = "plan",
    .run = list,
};

static const Verb *const verbs[] = { &verb_create, &verb_list,   &verb_read,
                                     &verb_step,   &verb_verify, NULL };

const Noun noun_plan = {
    .name = "plan",
    .summary = "Steps and postconditions, closed with evidence",
    .help = "An agent whose plan is open is not done: its final answer is refused.\n",
    .verbs = verbs,
    .profile = TOOLS_PLANS,
};
