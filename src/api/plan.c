/* plan.c - plans of jotter.h. */
#include "memory/task/plan.h"

#include "api/api.h"

_Static_assert((int)JOT_PLAN_PENDING == (int)PLAN_PENDING &&
                   (int)JOT_PLAN_IN_PROGRESS == (int)PLAN_IN_PROGRESS &&
                   (int)JOT_PLAN_DONE == (int)PLAN_DONE &&
                   (int)JOT_PLAN_BLOCKED == (int)PLAN_BLOCKED,
               "the states of a step have the numbers of jotter.h");

static const jot_plan *give(jot_pad *p, const Plan *x)
{
    jot_plan_step_state **steps = NEW_RESULTS(p, jot_plan_step_state, x->steps_n);
    jot_plan_postcondition **posts = NEW_RESULTS(p, jot_plan_postcondition, x->posts_n);
    for (size_t i = 0; i < x->steps_n; i++)
        *steps[i] = (jot_plan_step_state){ .description = api_give_name(p, x->steps[i].description),
                                           .status = (jot_plan_status)x->steps[i].status,
                                           .evidence = api_give_name(p, x->steps[i].evidence),
                                           .notes = api_give_name(p, x->steps[i].notes) };
    for (size_t i = 0; i < x->posts_n; i++)
        *posts[i] =
            (jot_plan_postcondition){ .description = api_give_name(p, x->posts[i].description),
                                      .satisfied = x->posts[i].satisfied,
                                      .evidence = api_give_name(p, x->posts[i].evidence) };
    jot_plan *out = NEW_RESULT(p, jot_plan);
    *out = (jot_plan){ .id = api_give_name(p, x->id),
                       .objective = api_give_name(p, x->objective),
                       .steps = (const jot_plan_step_state *const *)steps,
                       .steps_count = x->steps_n,
                       .postconditions = (const jot_plan_postcondition *const *)posts,
                       .postconditions_count = x->posts_n,
                       .ready = plan_ready(x),
                       .text = api_give_text(p, plan_text(x, api_arena(p))),
                       .seq = x->seq,
                       .at_ms = x->at_ms,
                       .by = api_give_name(p, x->by) };
    return out;
}

jot_status jot_plan_create(jot_pad *pad, const char *id, const jot_plan_options *options,
                           const jot_plan **out)
{
    jot_plan_options o;
    PlanDraft d = { 0 };
    Str *step_texts, *post_texts;
    Str name;
    Plan plan;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a plan's id", id, &name));
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_name(pad, "an objective", o.objective, &d.objective));
    ApiStrings steps = { "steps", o.steps, o.steps_count, PLAN_STEPS_MAX };
    ApiStrings posts = { "postconditions", o.postconditions, o.postconditions_count,
                         PLAN_STEPS_MAX };
    TRY(api_strings(pad, &steps, &step_texts));
    TRY(api_strings(pad, &posts, &post_texts));
    d.steps = step_texts;
    d.posts = post_texts;
    d.steps_n = o.steps_count;
    d.posts_n = o.postconditions_count;
    TRY(plan_create(&pad->m, name, &d, api_arena(pad), &plan, api_err(pad)));
    GIVE(out, give(pad, &plan));
    return JOT_OK;
}

jot_status jot_plan_read(jot_pad *pad, const char *id, const jot_plan **out)
{
    Str name;
    Plan plan;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a plan's id", id, &name));
    TRY(plan_read(&pad->m, name, api_arena(pad), &plan, api_err(pad)));
    GIVE(out, give(pad, &plan));
    return JOT_OK;
}

jot_status jot_plan_step(jot_pad *pad, const char *id, size_t n,
                         const jot_plan_step_options *options, const jot_plan **out)
{
    jot_plan_step_options o;
    Str name;
    Plan plan;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a plan's id", id, &name));
    TRY(api_options(pad, options, &o, sizeof o));
    if ((int)o.status < JOT_PLAN_PENDING || (int)o.status > JOT_PLAN_BLOCKED)
        return err_set(api_err(pad), JOT_INVALID,
                       "no status %d: use JOT_PLAN_PENDING to JOT_PLAN_BLOCKED", (int)o.status);
    PlanMove move = {
        .n = n, .status = (PlanStatus)o.status, .evidence = str(o.evidence), .notes = str(o.notes)
    };
    TRY(plan_step(&pad->m, name, &move, api_arena(pad), &plan, api_err(pad)));
    GIVE(out, give(pad, &plan));
    return JOT_OK;
}

jot_status jot_plan_verify(jot_pad *pad, const char *id, size_t n, const char *evidence,
                           const jot_plan **out)
{
    Str name;
    Plan plan;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a plan's id", id, &name));
    PlanVerify what = { n, str(evidence) };
    TRY(plan_verify(&pad->m, name, &what, api_arena(pad), &plan, api_err(pad)));
    GIVE(out, give(pad, &plan));
    return JOT_OK;
}

/* The ids as they are met. */
typedef struct Ids {
    Arena *into;
    Str *items;
    size_t n, cap;
} Ids;

static jot_status add_id(void *ctx, const Plan *p)
{
    Ids *ids = ctx;
    ids->items =
        arena_grow(ids->into, ids->items, ids->n, &ids->cap, sizeof *ids->items, alignof(Str));
    ids->items[ids->n++] = arena_copy(ids->into, p->id);
    return JOT_OK;
}

jot_status jot_plan_list(jot_pad *pad, const jot_plans **out)
{
    GIVE(out, NULL);
    API_BEGIN(pad);
    Ids ids = { .into = api_arena(pad) };
    TRY(plan_each(&pad->m, add_id, &ids, api_err(pad)));
    jot_plans *plans = NEW_RESULT(pad, jot_plans);
    *plans = (jot_plans){ .ids = api_give_names(pad, ids.items, ids.n), .count = ids.n };
    GIVE(out, plans);
    return JOT_OK;
}
