/* cmd_plan.c - plans from the shell: make one, close its steps with evidence, look at it. */
#include <stdio.h>

#include "base/time.h"
#include "cli/cmd.h"
#include "cli/refusal.h"
#include "memory/task/plan.h"

extern const Cmd cmd_plan;

static jot_status print_plan(Session *s, const Plan *p)
{
    if (s->json) {
        print_json(plan_json(p));
    } else {
        print_text(plan_text(p, &s->arena));
        printf("\n%s\n", plan_ready(p) ? "ready" : "open");
    }
    return JOT_OK;
}

static jot_status run_create(Session *s)
{
    Str *steps, *posts;
    size_t steps_n = opt_all(s, "step", &steps), posts_n = opt_all(s, "post", &posts);
    PlanDraft d = { .objective = arg_at(s, 1),
                    .steps = steps,
                    .steps_n = steps_n,
                    .posts = posts,
                    .posts_n = posts_n };
    Plan p;
    TRY(session_open(s, true));
    TRY(plan_create(&s->memory, arg_at(s, 0), &d, &s->arena, &p, &s->err));
    return print_plan(s, &p);
}

static jot_status read_number(Session *s, size_t *out)
{
    int64_t n;
    Shown shown;
    if (!str_to_i64(arg_at(s, 1), 1, PLAN_STEPS_MAX, &n))
        return err_set(&s->err, JOT_INVALID, "invalid number '%s': use 1 to %d",
                       err_show(&shown, arg_at(s, 1)), PLAN_STEPS_MAX);
    *out = (size_t)n;
    return JOT_OK;
}

static jot_status run_step(Session *s)
{
    PlanMove move = { .evidence = str(opt_text(s, "evidence")),
                      .notes = str(opt_text(s, "notes")) };
    Plan p;
    Shown shown;
    TRY(read_number(s, &move.n));
    if (!plan_status_parse(arg_at(s, 2), &move.status))
        return err_set(&s->err, JOT_INVALID,
                       "invalid state '%s': use pending, in_progress, done or blocked",
                       err_show(&shown, arg_at(s, 2)));
    TRY(session_open(s, false));
    TRY(plan_step(&s->memory, arg_at(s, 0), &move, &s->arena, &p, &s->err));
    return print_plan(s, &p);
}

static jot_status run_verify(Session *s)
{
    size_t n;
    Plan p;
    TRY(read_number(s, &n));
    TRY(session_open(s, false));
    TRY(plan_verify(&s->memory, arg_at(s, 0), n, arg_at(s, 2), &s->arena, &p, &s->err));
    return print_plan(s, &p);
}

static jot_status run_show(Session *s)
{
    Plan p;
    TRY(session_open(s, false));
    TRY(plan_read(&s->memory, arg_at(s, 0), &s->arena, &p, &s->err));
    return print_plan(s, &p);
}

/* --- All of them ------------------------------------------------------------------------- */

typedef struct List {
    json_t *plans; /* NULL: print them */
    size_t n;
} List;

static jot_status add_line(void *ctx, const Listed *l)
{
    List *list = ctx;
    Str id = str_from(l->name, S(PLAN_KIND).n);
    list->n++;
    if (list->plans) {
        json_t *one =
            json_pack("{s:o, s:s}", "id", json_text(id), "updated", time_text(l->mark.at_ms).text);
        json_array_append_new(list->plans, one);
    } else {
        print_name(id);
        printf("\n");
    }
    return JOT_OK;
}

static jot_status run_list(Session *s)
{
    bool there;
    AUTO_PTR(json_t) plans = s->json ? json_array() : NULL;
    List list = { .plans = plans };
    TRY(session_open_any(s, &there));
    if (there)
        TRY(memory_each(&s->memory, S(PLAN_KIND), LIST_LIVE, add_line, &list, &s->err));
    if (s->json)
        print_json(json_pack("{s:O}", "plans", plans));
    else if (!list.n)
        puts("(empty)");
    return JOT_OK;
}

/* --- The table --------------------------------------------------------------------------- */

static const Opt create_opts[] = {
    { "step", "TEXT", "one step; more than once" },
    { "post", "TEXT", "what must be true at the end; more than once" },
    { 0 },
};

static const Cmd create_cmd = {
    .name = "create",
    .args = "PLAN OBJECTIVE",
    .summary = "Make a plan, or put it in the place of the one of that name",
    .help = "",
    .opts = create_opts,
    .args_min = 2,
    .args_max = 2,
    .run = run_create,
};

static const Opt step_opts[] = {
    { "evidence", "TEXT", "what was seen that shows that it is done" },
    { "notes", "TEXT", "why it is blocked" },
    { 0 },
};

static const Cmd step_cmd = {
    .name = "step",
    .args = "PLAN N STATE",
    .summary = "Say that a step is pending, in_progress, done or blocked",
    .help = "Done needs --evidence, blocked needs --notes.\n",
    .opts = step_opts,
    .args_min = 3,
    .args_max = 3,
    .run = run_step,
};

static const Cmd verify_cmd = {
    .name = "verify",
    .args = "PLAN N EVIDENCE",
    .summary = "Say that a postcondition holds",
    .help = "",
    .args_min = 3,
    .args_max = 3,
    .run = run_verify,
};

static const Cmd show_cmd = {
    .name = "show",
    .args = "PLAN",
    .summary = "Print a plan",
    .help = "The plan of a run has the run's id.\n",
    .args_min = 1,
    .args_max = 1,
    .run = run_show,
};

static const Cmd list_cmd = {
    .name = "list",
    .args = "",
    .summary = "List the plans there are",
    .help = "",
    .run = run_list,
};

static const Cmd *const subs[] = {
    &create_cmd, &list_cmd, &show_cmd, &step_cmd, &verify_cmd, NULL
};

const Cmd cmd_plan = {
    .name = "plan",
    .args = "",
    .summary = "What is to be done, closed step by step with evidence",
    .help = "An agent whose plan is open is not done: its final answer is refused.\n",
    .subs = subs,
};
