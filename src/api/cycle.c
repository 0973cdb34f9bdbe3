/* cycle.c - cycles of jotter.h. */
#include "memory/cycle/cycle.h"

#include "api/api.h"
#include "memory/cycle/cycle_log.h"
#include "memory/cycle/explain.h"

enum { GOALS_MAX = 1000 };

_Static_assert(JOT_CYCLE_DONE == (int)CYCLE_DONE && JOT_CYCLE_KILLED == (int)CYCLE_KILLED,
               "the ends of a cycle have the numbers of jotter.h");
_Static_assert(JOT_ACTION_UNREADABLE == (int)ACTION_UNREADABLE &&
                   JOT_ACTION_TOOL == (int)ACTION_TOOL && JOT_ACTION_UPDATE == (int)ACTION_UPDATE &&
                   JOT_ACTION_DONE == (int)ACTION_DONE &&
                   JOT_ACTION_REDACTED == (int)ACTION_REDACTED,
               "actions have the numbers of jotter.h");
static Str agent_of(const char *given)
{
    return str(given ? given : CYCLE_DEFAULT_AGENT);
}

static jot_status give(jot_pad *p, const Cycle *c, const jot_cycle **out)
{
    Str state = { 0 };
    if (c->state)
        TRY(cycle_state_write(c->state, api_arena(p), &state, api_err(p)));
    jot_cycle *cycle = NEW_RESULT(p, jot_cycle);
    *cycle = (jot_cycle){ .agent = api_give_name(p, c->agent),
                          .id = api_give_name(p, c->id),
                          .by = api_give_name(p, c->by),
                          .started_ms = c->started_ms,
                          .ended_ms = c->ended_ms,
                          .end = (jot_cycle_end)c->end,
                          .why = api_give_text(p, c->why),
                          .before = api_give_text(p, c->before),
                          .after = api_give_text(p, c->after),
                          .state = api_give_text(p, state),
                          .done = c->done,
                          .dead = c->dead,
                          .waiting = c->waiting,
                          .tool = c->waiting ? api_give_name(p, c->call.tool) : "",
                          .arguments = c->waiting ? api_give_name(p, c->call.args) : "",
                          .left_ms = c->left_ms,
                          .iterations = c->iterations,
                          .iterations_max = c->iterations_max,
                          .notice = api_give_name(p, c->notice) };
    GIVE(out, cycle);
    return JOT_OK;
}

/* --- A cycle ----------------------------------------------------------------------------- */

jot_status jot_cycle_init(jot_pad *pad, const char *agent, const jot_cycle_options *options,
                          const jot_text **out)
{
    jot_cycle_options o;
    Str text;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    Str *goals;
    ApiStrings given = { "goals", o.goals, o.goals_count, GOALS_MAX };
    TRY(api_strings(pad, &given, &goals));
    CycleInit init = {
        .goals = goals, .goals_n = o.goals_count, .task = str(o.task), .notes = str(o.notes)
    };
    TRY(cycle_init(&pad->m, agent_of(agent), &init, api_arena(pad), &text, api_err(pad)));
    jot_text *result = NEW_RESULT(pad, jot_text);
    *result = api_give_text(pad, text);
    GIVE(out, result);
    return JOT_OK;
}

jot_status jot_cycle_wake(jot_pad *pad, const char *agent, const jot_wake_options *options,
                          const jot_cycle **out)
{
    jot_wake_options o;
    Cycle c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    CycleWake wake = { .iterations_max = o.iterations_max, .ttl_ms = o.ttl_ms, .lease = o.lease };
    TRY(cycle_wake(&pad->m, agent_of(agent), &wake, api_arena(pad), &c, api_err(pad)));
    return give(pad, &c, out);
}

static jot_status give_step(jot_pad *p, const CycleStep *s, const Cycle *c,
                            const jot_cycle_stepped **out)
{
    jot_cycle_stepped *step = NEW_RESULT(p, jot_cycle_stepped);
    *step = (jot_cycle_stepped){ .action = (jot_action)s->action.kind,
                                 .tool = api_give_name(p, s->action.tool),
                                 .arguments = api_give_name(p, s->action.args),
                                 .said = api_give_text(p, s->said) };
    TRY(give(p, c, &step->cycle));
    GIVE(out, step);
    return JOT_OK;
}

static const ToolEnd tool_ends[] = { [JOT_CYCLE_STEP_RESULT] = TOOL_OK,
                                     [JOT_CYCLE_STEP_ERROR] = TOOL_FAILED,
                                     [JOT_CYCLE_STEP_UNKNOWN] = TOOL_UNKNOWN };

jot_status jot_cycle_step(jot_pad *pad, const char *agent, const char *id, jot_cycle_step_kind kind,
                          jot_text text, const jot_cycle_stepped **out)
{
    Str name, said;
    CycleStep step;
    Cycle c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a cycle's id", id, &name));
    TRY(api_text(pad, text, &said));
    if ((unsigned)kind > JOT_CYCLE_STEP_UNKNOWN)
        return err_set(api_err(pad), JOT_INVALID,
                       "%d is no step to take: use JOT_CYCLE_STEP_REPLY, JOT_CYCLE_STEP_RESULT, "
                       "JOT_CYCLE_STEP_ERROR "
                       "or JOT_CYCLE_STEP_UNKNOWN",
                       (int)kind);
    if (kind == JOT_CYCLE_STEP_REPLY)
        TRY(cycle_step(&pad->m, &(CycleInput){ .agent = agent_of(agent), .id = name, .text = said },
                       api_arena(pad), &step, &c, api_err(pad)));
    else
        TRY(cycle_result(
            &pad->m,
            &(CycleInput){
                .agent = agent_of(agent), .id = name, .end = tool_ends[kind], .text = said },
            api_arena(pad), &step, &c, api_err(pad)));
    return give_step(pad, &step, &c, out);
}

jot_status jot_cycle_sleep(jot_pad *pad, const char *agent, const char *id, const jot_cycle **out)
{
    Str name;
    Cycle c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a cycle's id", id, &name));
    TRY(cycle_sleep(&pad->m, agent_of(agent), name, api_arena(pad), &c, api_err(pad)));
    return give(pad, &c, out);
}

jot_status jot_cycle_fail(jot_pad *pad, const char *agent, const char *id, jot_text why,
                          jot_text trace, const jot_cycle **out)
{
    Str name, reason, text;
    Cycle c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a cycle's id", id, &name));
    TRY(api_text(pad, why, &reason));
    TRY(api_text(pad, trace, &text));
    TRY(cycle_fail(
        &pad->m,
        &(CycleFailure){ .agent = agent_of(agent), .id = name, .why = reason, .trace = text },
        api_arena(pad), &c, api_err(pad)));
    return give(pad, &c, out);
}

/* --- Looking ----------------------------------------------------------------------------- */

/* This id, or that of the newest cycle. */
static jot_status name_cycle(jot_pad *p, const char *agent, const char *id, Str *out)
{
    *out = str(id);
    return id ? JOT_OK : cycle_newest(&p->m, agent_of(agent), api_arena(p), out, api_err(p));
}

static jot_status find(jot_pad *p, const char *agent, const char *id, Cycle *out)
{
    Str name;
    TRY(name_cycle(p, agent, id, &name));
    return cycle_find(&p->m, agent_of(agent), name, api_arena(p), out, api_err(p));
}

jot_status jot_cycle_read(jot_pad *pad, const char *agent, const char *id, const jot_cycle **out)
{
    Cycle c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(find(pad, agent, id, &c));
    return give(pad, &c, out);
}

static jot_cycle_step_kind kind_of(const CycleLogStep *step)
{
    if (step->kind == CYCLE_LOG_REPLY)
        return JOT_CYCLE_STEP_REPLY;
    if (step->kind == CYCLE_LOG_END)
        return JOT_CYCLE_STEP_END;
    for (size_t kind = JOT_CYCLE_STEP_RESULT; kind < COUNT_OF(tool_ends); kind++)
        if (tool_ends[kind] == step->how)
            return (jot_cycle_step_kind)kind;
    return JOT_CYCLE_STEP_ERROR; /* not reached: cycle_log.c reads no other */
}

static void give_taken(jot_pad *p, const CycleLogStep *from, jot_cycle_record *to)
{
    *to = (jot_cycle_record){ .seq = from->seq,
                              .at_ms = from->at_ms,
                              .by = api_give_name(p, from->by),
                              .kind = kind_of(from),
                              .text = api_give_text(p, from->text),
                              .action = (jot_action)from->action.kind,
                              .tool = api_give_name(p, from->action.tool),
                              .arguments = api_give_name(p, from->action.args),
                              .end = (jot_cycle_end)from->end,
                              .why = api_give_text(p, from->why) };
}

jot_status jot_cycle_steps(jot_pad *pad, const char *agent, const char *id, uint64_t from,
                           size_t limit, const jot_cycle_records **out)
{
    Str name;
    CycleLog all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(name_cycle(pad, agent, id, &name));
    TRY(cycle_log_list(&pad->m, (CycleName){ agent_of(agent), name }, (SeqRange){ from, limit },
                       api_arena(pad), &all, api_err(pad)));
    jot_cycle_record **items = NEW_RESULTS(pad, jot_cycle_record, all.n);
    for (size_t i = 0; i < all.n; i++)
        give_taken(pad, &all.items[i], items[i]);
    jot_cycle_records *list = NEW_RESULT(pad, jot_cycle_records);
    *list = (jot_cycle_records){ .items = (const jot_cycle_record *const *)items,
                                 .count = all.n,
                                 .more = all.more,
                                 .next = all.next,
                                 .damaged = all.damaged };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_cycle_log(jot_pad *pad, const char *agent, const char *id, const jot_text **out)
{
    Str name;
    AUTO(Buf) text = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(name_cycle(pad, agent, id, &name));
    TRY(cycle_log(&pad->m, agent_of(agent), name, &text, api_err(pad)));
    jot_text *result = NEW_RESULT(pad, jot_text);
    *result = api_give_text(pad, buf_str(&text));
    GIVE(out, result);
    return JOT_OK;
}

jot_status jot_cycle_explain_json(jot_pad *pad, const char *agent, const char *id, const char **out)
{
    Cycle c;
    Explanation x;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(find(pad, agent, id, &c));
    TRY(cycle_explain(&c, api_arena(pad), &x, api_err(pad)));
    json_t *value = explanation_json(&x);
    json_object_set_new(value, "cycle", cycle_json(&c));
    GIVE(out, api_give_json(pad, value));
    return JOT_OK;
}

jot_status jot_cycle_list(jot_pad *pad, const char *agent, const jot_cycles **out)
{
    CycleList all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(cycle_list(&pad->m, agent_of(agent), api_arena(pad), &all, api_err(pad)));
    jot_cycle_line **items = NEW_RESULTS(pad, jot_cycle_line, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const CycleLine *l = &all.items[i];
        *items[i] = (jot_cycle_line){ .id = api_give_name(pad, l->id),
                                      .started_ms = l->started_ms,
                                      .ended_ms = l->ended_ms,
                                      .end = (jot_cycle_end)l->end,
                                      .iterations = l->iterations,
                                      .why = api_give_text(pad, l->why) };
    }
    jot_cycles *list = NEW_RESULT(pad, jot_cycles);
    *list = (jot_cycles){ .items = (const jot_cycle_line *const *)items, .count = all.n };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_cycle_reset(jot_pad *pad, const char *agent, jot_text state, bool clean,
                           uint64_t *removed)
{
    Str text;
    uint64_t n = 0;
    GIVE(removed, 0);
    API_BEGIN(pad);
    TRY(api_text(pad, state, &text));
    TRY(cycle_reset(&pad->m, agent_of(agent), text, (Str){ 0 }, api_arena(pad), api_err(pad)));
    if (clean)
        TRY(cycle_clean(&pad->m, agent_of(agent), &n, api_err(pad)));
    GIVE(removed, n);
    return JOT_OK;
}
