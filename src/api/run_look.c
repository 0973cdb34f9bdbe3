/* run_look.c - looking at runs, of jotter.h: steps, lists, results, and the context. */
#include "api/run.h"
#include "memory/context/context.h"
#include "memory/frame/pointer.h"
#include "memory/run/run_newest.h"
#include "memory/run/run_results.h"

enum {
    STEPS_MAX = 1000,
    RUNS_MAX = 1000,
    BYTES_MAX = 64 * 1024 * 1024 /* of texts in one answer; the first always fits */
};

_Static_assert(JOT_STEP_INIT == (int)RUN_INIT && JOT_STEP_ANSWER == (int)RUN_ANSWER,
               "kinds of steps have the numbers of jotter.h");

/* --- One run ----------------------------------------------------------------------------- */

/* The text of the step at a seq; 0: none.  One that cannot be read is empty. */
static jot_status text_at(jot_pad *p, Run *r, uint64_t seq, jot_text *out)
{
    RunStep step = { 0 };
    if (seq) {
        jot_status st = run_step(r, seq, api_arena(p), &step, api_err(p));
        if (st == JOT_NOT_FOUND)
            *api_err(p) = (Err){ 0 };
        else
            TRY(st);
    }
    *out = api_give_text(p, step.redacted ? S(FORGET_MARK) : step.body);
    return JOT_OK;
}

jot_status jot_run_read(jot_pad *pad, const char *run, const jot_run **out)
{
    Run *r;
    Str query;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    const RunState *s = &r->state;
    jot_run *result = NEW_RESULT(pad, jot_run);
    *result = (jot_run){ .id = api_give_name(pad, str(r->id)),
                         .seq = s->seq,
                         .results = s->results,
                         .shown = run_shown(s),
                         .compacted = s->compacted,
                         .cleared = s->cleared,
                         .thoughts = s->thoughts,
                         .open = s->open_n,
                         .damaged = s->damaged + r->lost };
    TRY(run_query(&pad->m, str(r->id), api_arena(pad), &query, api_err(pad)));
    result->query = api_give_text(pad, query);
    TRY(text_at(pad, r, s->plan_seq, &result->plan));
    TRY(text_at(pad, r, s->answer_seq, &result->answer));
    GIVE(out, result);
    return JOT_OK;
}

/* Steps as they are met. */
typedef struct Met {
    jot_pad *p;
    jot_step **items;
    size_t n, max, bytes;
    uint64_t next;
} Met;

static jot_status meet(void *ctx, const RunStep *x)
{
    Met *m = ctx;
    if (x->kind == RUN_FOLD) /* it only adds up what is before it */
        return JOT_OK;
    m->bytes += x->body.n;
    if (m->n == m->max || (m->n && m->bytes > BYTES_MAX)) {
        m->next = x->seq;
        return JOT_CANCELLED;
    }
    jot_step_kind kind = x->kind > RUN_ANSWER ? JOT_STEP_OTHER : (jot_step_kind)x->kind;
    *m->items[m->n++] = (jot_step){ .kind = kind,
                                    .seq = x->seq,
                                    .at_ms = x->at_ms,
                                    .by = api_give_name(m->p, x->by),
                                    .text = api_give_text(m->p, x->body),
                                    .call = api_give_name(m->p, x->call),
                                    .tool = api_give_name(m->p, x->tool),
                                    .mutating = x->mutating,
                                    .ok = x->ok,
                                    .redacted = x->redacted,
                                    .number = x->n,
                                    .from = x->from,
                                    .to = x->to };
    return JOT_OK;
}

jot_status jot_run_history(jot_pad *pad, const char *run, uint64_t from, size_t limit,
                           const jot_steps **out)
{
    Run *r;
    uint64_t damaged = 0;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_limit(pad, limit, STEPS_MAX, &limit));
    TRY(api_run(pad, run, &r));
    Met met = { .p = pad, .items = NEW_RESULTS(pad, jot_step, limit), .max = limit };
    jot_status st = run_each(r, from, meet, &met, &damaged, api_err(pad));
    if (st != JOT_CANCELLED)
        TRY(st);
    jot_steps *steps = NEW_RESULT(pad, jot_steps);
    *steps = (jot_steps){ .items = (const jot_step *const *)met.items,
                          .count = met.n,
                          .next = met.next,
                          .damaged = damaged };
    GIVE(out, steps);
    return JOT_OK;
}

/* --- Which runs there are ---------------------------------------------------------------- */

static jot_status give_line(jot_pad *p, const RunLine *l, jot_run_line *to)
{
    Str query;
    TRY(run_query(&p->m, l->id, api_arena(p), &query, api_err(p)));
    *to = (jot_run_line){ .id = api_give_name(p, l->id),
                          .query = api_give_text(p, query),
                          .at_ms = l->at_ms,
                          .by = api_give_name(p, l->by),
                          .records = l->records };
    return JOT_OK;
}

jot_status jot_run_list(jot_pad *pad, size_t limit, const jot_runs **out)
{
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_limit(pad, limit, RUNS_MAX, &limit));
    RunNewest newest;
    TRY(run_newest(&pad->m, limit, api_arena(pad), &newest, api_err(pad)));
    size_t n = newest.n;
    jot_run_line **items = NEW_RESULTS(pad, jot_run_line, n);
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        TRY(give_line(pad, &newest.items[i], items[i]));
        bytes += items[i]->query.size;
        if (bytes > BYTES_MAX)
            n = i + 1;
    }
    jot_runs *runs = NEW_RESULT(pad, jot_runs);
    *runs = (jot_runs){ .items = (const jot_run_line *const *)items,
                        .count = n,
                        .older = newest.total - n };
    GIVE(out, runs);
    return JOT_OK;
}

/* --- For a prompt ------------------------------------------------------------------------ */

static const jot_text *give_text(jot_pad *p, Str s)
{
    jot_text *text = NEW_RESULT(p, jot_text);
    *text = api_give_text(p, s);
    return text;
}

jot_status jot_run_results(jot_pad *pad, const char *run, uint64_t from, uint64_t to,
                           const jot_text **out)
{
    Run *r;
    Results list;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    if (from)
        TRY(run_results(r, from, to, api_arena(pad), &list, api_err(pad)));
    else
        TRY(run_prompt(r, api_arena(pad), &list, api_err(pad)));
    results_add(&text, &list);
    GIVE(out, give_text(pad, buf_str(&text)));
    return JOT_OK;
}

jot_status jot_run_final(jot_pad *pad, const char *run, const jot_text **out)
{
    Run *r;
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    TRY(run_final(r, &text, api_err(pad)));
    GIVE(out, give_text(pad, buf_str(&text)));
    return JOT_OK;
}

jot_status jot_run_usage(jot_pad *pad, const char *run, uint64_t limit, const jot_text **out)
{
    Run *r;
    AUTO(Buf) text = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    usage_add_block(&text, &r->state.usage, run_limits(r, (UsageLimits){ .calls = limit }));
    GIVE(out, give_text(pad, buf_str(&text)));
    return JOT_OK;
}

jot_status jot_run_unfinished(jot_pad *pad, const char *run, const jot_open_calls **out)
{
    Run *r;
    UnfinishedList all;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    TRY(run_unfinished(r, api_arena(pad), &all, api_err(pad)));
    jot_open_call **items = NEW_RESULTS(pad, jot_open_call, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const Unfinished *u = &all.items[i];
        *items[i] = (jot_open_call){ .call = api_give_name(pad, u->open.call),
                                     .tool = api_give_name(pad, u->open.tool),
                                     .arguments = api_give_text(pad, u->args),
                                     .seq = u->open.seq,
                                     .mutating = u->open.mutating,
                                     .stored = u->stored };
    }
    jot_open_calls *list = NEW_RESULT(pad, jot_open_calls);
    *list = (jot_open_calls){ .items = (const jot_open_call *const *)items, .count = all.n };
    GIVE(out, list);
    return JOT_OK;
}

/* --- The context ------------------------------------------------------------------------- */

static jot_shown *give_context(jot_pad *p, const Context *c)
{
    jot_left **left = NEW_RESULTS(p, jot_left, c->left_n);
    for (size_t i = 0; i < c->left_n; i++) {
        const ContextLeft *x = &c->left[i];
        *left[i] = (jot_left){ .what = x->what,
                               .why = x->why,
                               .name = api_give_name(p, x->name),
                               .from = x->from,
                               .to = x->to,
                               .get = api_give_name(p, x->get),
                               .count = x->count };
    }
    jot_shown *shown = NEW_RESULT(p, jot_shown);
    *shown = (jot_shown){ .text = api_give_text(p, c->text),
                          .prefix = c->prefix_bytes,
                          .tokens = c->tokens,
                          .budget = c->budget,
                          .results = c->results_shown,
                          .damaged = c->damaged,
                          .left = (const jot_left *const *)left,
                          .left_count = c->left_n };
    return shown;
}

jot_status jot_context(jot_pad *pad, const jot_context_options *options, const jot_shown **out)
{
    jot_context_options o;
    ContextAsk ask = { 0 };
    Context c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    TRY(api_text(pad, o.rules, &ask.rules));
    ask.budget = o.budget;
    ask.agent = str(o.agent);
    ask.query = str(o.query);
    ask.language = pad->language;
    ask.limit = o.limit;
    ask.reach = o.tools ? POINT_ALL : POINT_SHELL;
    if (o.run)
        TRY(api_run(pad, o.run, &ask.run));
    TRY(context_build(&pad->m, &ask, api_arena(pad), &c, api_err(pad)));
    GIVE(out, give_context(pad, &c));
    return JOT_OK;
}
