/* run_desk.h - what the tests of runs say to a desk: begin, call, result, and what came of it. */
#ifndef TESTS_MEMORY_RUN_DESK_H
#define TESTS_MEMORY_RUN_DESK_H

#include "memory/desk.h"
#include "memory/run/run_results.h"

static inline Run begin(Desk *d, const char *query)
{
    Run r;
    desk_ok(d, run_begin(&d->m, NULL, str(query), &r, &d->e));
    return r;
}

static inline void call_as(Desk *d, Run *r, const char *call, const char *tool, const char *args)
{
    RunCall c = { .call = str(call), .tool = str(tool), .args = str(args) };
    desk_ok(d, run_call(r, &c, &d->e));
}

static inline uint64_t result_of(Desk *d, Run *r, const char *call, Str result)
{
    uint64_t n = 0;
    desk_ok(d, run_result(r, str(call), true, result, &n, &d->e));
    return n;
}

/* One call with its result; the call's id is its number. */
static inline void round_trip(Desk *d, Run *r, unsigned i)
{
    char id[32], text[64];
    snprintf(id, sizeof id, "call-%u", i);
    snprintf(text, sizeof text, "result %u", i);
    call_as(d, r, id, i % 2 ? "search" : "fetch", "{\"query\":\"the same words\"}");
    result_of(d, r, id, str(text));
}

static inline Str prompt(Desk *d, Run *r)
{
    Results list;
    AUTO(Buf) text = { 0 };
    desk_ok(d, run_prompt(r, &d->a, &list, &d->e));
    results_add(&text, &list);
    return arena_copy(&d->a, buf_str(&text));
}

static inline Str state_text(Desk *d, const RunState *s)
{
    AUTO_PTR(json_t) value = run_state_json(s);
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    return arena_copy(&d->a, buf_str(&text));
}

static inline jot_status count_kinds(void *ctx, const RunStep *s)
{
    Buf *text = ctx;
    buf_addf(text, "%s:" STR_FMT " ", run_kind_name(s->kind), STR_ARG(s->body));
    return JOT_OK;
}

static inline jot_status take_step(void *ctx, const RunStep *s)
{
    Run *scratch = ctx;
    run_state_take(&scratch->state, &scratch->arena, s);
    return JOT_OK;
}

/* The state by all records and no fold. */
static inline Str from_scratch(Desk *d, Run *r)
{
    AUTO(Run) scratch = { 0 };
    desk_ok(d, run_each(r, 1, take_step, &scratch, NULL, &d->e));
    return state_text(d, &scratch.state);
}

#endif
