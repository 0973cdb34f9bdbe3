/* run_issue.c - what doors do with calls of a run: record one with all there is to say about it.
 *
 * The warnings are those of the moment before the call, because the call itself counts from then
 * on.  A finished call is two records, as any other: between the two it is an open call, which is
 * what it is if the process dies there. */
#include "base/id.h"
#include "memory/run/run.h"

enum { ID_BYTES = 8 /* random, so that ids made up at different doors do not meet */ };

jot_status run_issue(Run *r, const RunCall *given, Arena *into, RunCalled *out, Err *e)
{
    RunCall c = *given;
    if (!c.call.n)
        c.call = arena_printf(into, "call_%s", id_random(r->m->io, ID_BYTES).text);
    UsageWarnings warnings = run_warnings(r, c.limits, c.tool, c.args, into);
    TRY(run_call(r, &c, e));
    *out =
        (RunCalled){ .call = arena_copy(into, c.call), .seq = r->state.seq, .warnings = warnings };
    return JOT_OK;
}

jot_status run_finish(Run *r, const RunFinish *f, Arena *into, RunCalled *out, uint64_t *n, Err *e)
{
    TRY(run_refresh(r, e));
    const RunOpen *open = run_open_call(&r->state, f->call.call);
    if (open && str_eq(open->tool, f->call.tool))
        *out = (RunCalled){ .call = arena_copy(into, open->call), .seq = open->seq };
    else
        TRY(run_issue(r, &f->call, into, out, e));
    return run_result(r, out->call, f->ok, f->result, n, e);
}

/* --- What is answered -------------------------------------------------------------------- */

json_t *run_called_json(const RunCalled *c, uint64_t n)
{
    json_t *out = json_pack("{s:o, s:I, s:o}", "call", json_text(c->call), "seq",
                            (json_int_t)c->seq, "warnings", warnings_json(&c->warnings));
    if (n)
        json_object_set_new(out, "n", json_integer((json_int_t)n));
    return out;
}

json_t *run_cleared_json(const Run *r, uint64_t cleared)
{
    return json_pack("{s:s, s:s, s:I, s:I}", "event", "context_cleared", "run", r->id, "cleared",
                     (json_int_t)cleared, "kept", (json_int_t)run_shown(&r->state));
}
