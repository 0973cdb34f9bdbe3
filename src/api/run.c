/* run.c - recording runs, of jotter.h.
 *
 * There is no handle of a run in jotter.h: a run is named by its id, and any
 * process may continue with it at any time. */
#include "api/run.h"

#include <stdlib.h>

void api_run_close(jot_pad *p)
{
    if (p->run)
        run_close(p->run);
    free(p->run);
    p->run = NULL;
}

jot_status api_run(jot_pad *p, const char *id, Run **out)
{
    Str name;
    TRY(api_name(p, "a run's id", id, &name));
    if (p->run && str_eq(str(p->run->id), name)) {
        *out = p->run;
        return run_refresh(p->run, api_err(p));
    }
    api_run_close(p);
    p->run = mem_alloc(sizeof *p->run);
    jot_status st = run_open(&p->m, name, p->run, api_err(p));
    if (st != JOT_OK)
        api_run_close(p);
    *out = p->run;
    return st;
}

jot_status jot_run_begin(jot_pad *pad, jot_text query, const jot_run_options *options,
                         const char **out)
{
    Str text;
    jot_run_options o;
    AUTO(Run) r = { 0 };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_text(pad, query, &text));
    TRY(api_options(pad, options, &o, sizeof o));
    RunBegin begin = { .limits = { .calls = o.limit, .similar = o.similarity } };
    TRY(run_begin(&pad->m, &begin, text, &r, api_err(pad)));
    GIVE(out, api_give_name(pad, str(r.id)));
    return JOT_OK;
}

static jot_status said(jot_pad *p, jot_step_kind given, RunKind *out)
{
    *out = RUN_OTHER;
    if (given == JOT_STEP_THINKING || given == JOT_STEP_PLAN || given == JOT_STEP_ANSWER) {
        *out = (RunKind)given;
        return JOT_OK;
    }
    return err_set(api_err(p), JOT_INVALID,
                   "a step of kind %d is not said: use JOT_STEP_THINKING, JOT_STEP_PLAN or "
                   "JOT_STEP_ANSWER",
                   (int)given);
}

jot_status jot_run_say(jot_pad *pad, const char *run, jot_step_kind kind, jot_text text)
{
    Run *r;
    Str s;
    RunKind k;
    API_BEGIN(pad);
    TRY(said(pad, kind, &k));
    TRY(api_text(pad, text, &s));
    TRY(api_run(pad, run, &r));
    return run_say(r, k, s, api_err(pad));
}

static jot_status read_limits(jot_pad *p, uint64_t calls, uint64_t similarity, UsageLimits *out)
{
    *out = (UsageLimits){ .calls = calls, .similar = similarity };
    return usage_check_limits(*out, api_err(p));
}

static jot_warnings give_warnings(jot_pad *p, const UsageWarnings *w)
{
    return (jot_warnings){ .limit = api_give_name(p, w->limit), .loop = api_give_name(p, w->loop) };
}

jot_status jot_run_call(jot_pad *pad, const char *run, const char *call, const char *tool,
                        const jot_call_options *options, const jot_warnings **out)
{
    jot_call_options o;
    Run *r;
    RunCall c = { 0 };
    RunCalled called;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a call's id", call, &c.call));
    if (!c.call.n)
        return err_set(api_err(pad), JOT_INVALID, "a call's id cannot be empty");
    TRY(api_name(pad, "a tool's name", tool, &c.tool));
    TRY(api_options(pad, options, &o, sizeof o));
    c.args = str(o.arguments);
    c.mutating = o.mutating;
    TRY(read_limits(pad, o.limit, o.similarity, &c.limits));
    TRY(api_run(pad, run, &r));
    TRY(run_issue(r, &c, api_arena(pad), &called, api_err(pad)));
    jot_warnings *warnings = NEW_RESULT(pad, jot_warnings);
    *warnings = give_warnings(pad, &called.warnings);
    GIVE(out, warnings);
    return JOT_OK;
}

jot_status jot_run_finish(jot_pad *pad, const char *run, const char *tool, jot_text result,
                          const jot_finish_options *options, const jot_finished **out)
{
    jot_finish_options o;
    Run *r;
    RunFinish f = { 0 };
    RunCalled called;
    uint64_t n;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a tool's name", tool, &f.call.tool));
    TRY(api_text(pad, result, &f.result));
    TRY(api_options(pad, options, &o, sizeof o));
    f.call.call = str(o.call);
    f.call.args = str(o.arguments);
    f.ok = !o.failed;
    TRY(read_limits(pad, o.limit, o.similarity, &f.call.limits));
    TRY(api_run(pad, run, &r));
    TRY(run_finish(r, &f, api_arena(pad), &called, &n, api_err(pad)));
    jot_finished *finished = NEW_RESULT(pad, jot_finished);
    *finished = (jot_finished){ .call = api_give_name(pad, called.call),
                                .number = n,
                                .warnings = give_warnings(pad, &called.warnings) };
    GIVE(out, finished);
    return JOT_OK;
}

jot_status jot_run_result(jot_pad *pad, const char *run, const char *call, bool ok, jot_text result,
                          uint64_t *number)
{
    Run *r;
    Str id, text;
    uint64_t n;
    GIVE(number, 0);
    API_BEGIN(pad);
    TRY(api_name(pad, "a call's id", call, &id));
    TRY(api_text(pad, result, &text));
    TRY(api_run(pad, run, &r));
    TRY(run_result(r, id, ok, text, &n, api_err(pad)));
    GIVE(number, n);
    return JOT_OK;
}

jot_status jot_run_clear(jot_pad *pad, const char *run, uint64_t keep, uint64_t *cleared)
{
    Run *r;
    uint64_t n;
    GIVE(cleared, 0);
    API_BEGIN(pad);
    TRY(api_run(pad, run, &r));
    TRY(run_clear(r, keep, &n, api_err(pad)));
    GIVE(cleared, n);
    return JOT_OK;
}

jot_status jot_run_compact(jot_pad *pad, const char *run, jot_text summary)
{
    Run *r;
    Str text;
    API_BEGIN(pad);
    TRY(api_text(pad, summary, &text));
    TRY(api_run(pad, run, &r));
    return run_compact(r, text, api_err(pad));
}
