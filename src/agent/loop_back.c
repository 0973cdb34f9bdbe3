/* loop_back.c - taking a run back to an earlier turn.
 *
 * The old run stays as it is.  A new one gets its records up to the turn that is asked for again
 * (memory/run_branch.c), its plan as it was then, and a notice if calls that came later have
 * changed something: nobody can take that back, and the model must not believe that it has not
 * happened. */
#include "agent/loop_internal.h"
#include "memory/task/plan.h"

enum { TOOLS_NAMED_MAX = 8 };

/* --- Where a turn begins ------------------------------------------------------------------ */

typedef struct Find {
    uint64_t turn; /* that is looked for */
    uint64_t seen; /* replies so far */
    uint64_t seq;  /* of its reply; 0: not found */
} Find;

static jot_status find_reply(void *ctx, const RunStep *s)
{
    Find *f = ctx;
    if (s->kind == RUN_REPLY && ++f->seen == f->turn)
        f->seq = s->seq;
    return JOT_OK;
}

/* --- What is not taken back --------------------------------------------------------------- */

typedef struct Later {
    Arena *into;
    Str tools[TOOLS_NAMED_MAX];
    size_t n;
} Later;

static jot_status note_tool(void *ctx, const RunStep *s)
{
    Later *l = ctx;
    if (s->kind != RUN_CALL || !s->mutating || l->n == TOOLS_NAMED_MAX)
        return JOT_OK;
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->tools[i], s->tool))
            return JOT_OK;
    l->tools[l->n++] = arena_copy(l->into, s->tool);
    return JOT_OK;
}

static jot_status note_later(Run *r, const RunStep *first, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    AUTO(Run) from = { 0 };
    Later later = { .into = &arena };
    Err missing = { 0 };
    if (run_open(r->m, first->origin, &from, &missing) != JOT_OK)
        return missing.status == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, missing.status);
    TRY(run_each(&from, first->until + 1, note_tool, &later, NULL, e));
    if (!later.n)
        return JOT_OK;
    buf_add(&text, S("[taken back] You continue from here a second time.  The first time, calls "
                     "after this point changed something, and that is not undone: "));
    for (size_t i = 0; i < later.n; i++)
        buf_addf(&text, "%s" STR_FMT, i ? ", " : "", STR_ARG(later.tools[i]));
    buf_add(&text, S(".  Check before you rely on what you saw."));
    return run_record(r, RUN_NOTICE, "back", buf_str(&text), e);
}

jot_status loop_finish_back(Run *r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Run) from = { 0 };
    RunStep first, reply;
    TRY(run_branch_fill(r, e));
    if (run_origin(r, &arena, &first, NULL) != JOT_OK || !first.origin.n ||
        r->state.seq > first.until)
        return JOT_OK;
    /* What was planned before the reply that is asked for again counts; if the old run is gone,
     * there is nothing to take over. */
    TRY(run_at(r->m, first.origin, &from, e));
    if (run_step(&from, first.until + 1, &arena, &reply, NULL) == JOT_OK)
        TRY(plan_take_over(r->m, first.origin, reply.at_ms, str(r->id), e));
    return note_later(r, &first, e);
}

jot_status loop_back(Loop *l, Str id, uint64_t turn, Run *out, Err *e)
{
    AUTO(Run) from = { 0 };
    AUTO(Transcript) t = { 0 };
    Find f = { .turn = turn };
    TRY(run_open(l->m, id, &from, e));
    TRY(transcript_refresh(&t, &from, e));
    TRY(loop_check_setup(l, &from, &t, e));
    TRY(run_each(&from, 1, find_reply, &f, NULL, e));
    if (!f.seq && !f.seen)
        return err_set(e, JOT_INVALID, "run '%s' has no turn yet: leave out --from", from.id);
    if (!f.seq)
        return err_set(e, JOT_INVALID, "run '%s' has turns 1 to %llu, not %llu", from.id,
                       (unsigned long long)f.seen, (unsigned long long)turn);
    /* The copy ends just before the reply that is asked for again. */
    TRY(run_branch(&from, &(RunPoint){ .until = f.seq - 1, .turn = turn }, out, e));
    TRY(loop_lease(l, out, e));
    return loop_finish_back(out, e);
}
