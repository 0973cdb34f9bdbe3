/* forget_shared.c - forgetting a task or a plan forgets its shared file, too (task/share.h).
 *
 * The file is a stream of its own, whose versions say which record of the task they show.  It goes
 * first: a process that dies in between leaves a task without a file, which is written again, and
 * never a file that would bring the task back. */
#include "memory/forget/forget_internal.h"
#include "memory/forget/phrase.h"
#include "memory/task/plan.h"
#include "memory/task/share.h"
#include "memory/task/task.h"

/* False for what has no such file. */
static bool file_of(Str stream, Arena *into, Str *out)
{
    bool kind = str_starts(stream, S(TASK_KIND)) || str_starts(stream, S(PLAN_KIND));
    *out = arena_printf(into, SHARE_KIND STR_FMT, STR_ARG(stream));
    return kind && store_check_name(*out, NULL) == JOT_OK;
}

jot_status forget_shared_file(Memory *m, Str stream, bool *was, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str file;
    Mark mark;
    Err missing = { 0 };
    *was = false;
    if (!file_of(stream, &arena, &file))
        return JOT_OK;
    jot_status st = memory_purge(m, file, &mark, &missing);
    *was = st == JOT_OK;
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

typedef struct Showing {
    Arena *into;
    uint64_t of, newest;
    uint64_t *seqs;
    size_t n, cap;
} Showing;

static jot_status find_showing(void *ctx, const Record *r)
{
    Showing *x = ctx;
    x->newest = r->mark.seq;
    if (r->mark.op != OP_PUT || r->mark.redacted || meta_number(r->meta, "shows") != x->of)
        return JOT_OK;
    x->seqs = arena_grow(x->into, x->seqs, x->n, &x->cap, sizeof *x->seqs, alignof(uint64_t));
    x->seqs[x->n++] = r->mark.seq;
    return JOT_OK;
}

jot_status forget_shared_record(Memory *m, Str stream, uint64_t seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Showing x = { .into = &arena, .of = seq };
    Err missing = { 0 };
    Str file;
    if (!file_of(stream, &arena, &file))
        return JOT_OK;
    jot_status st = memory_each_record(
        m, file, &(RecordVisit){ .from = 1, .each = find_showing, .ctx = &x }, &missing);
    if (st != JOT_OK)
        return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
    for (size_t i = 0; i < x.n; i++)
        if (x.seqs[i] != x.newest)
            TRY(memory_redact(m, file, x.seqs[i], e));
    return JOT_OK;
}

jot_status forget_shared_phrase(Memory *m, Str stream, Str phrase, Forgotten *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Forgotten of_it = { 0 };
    Str file;
    if (!file_of(stream, &arena, &file))
        return JOT_OK;
    TRY(forget_in_stream(m, file, &(ForgetWhat){ .phrase = phrase }, &of_it, e));
    out->live = out->live || of_it.live;
    out->n += of_it.n;
    out->kept += of_it.kept;
    out->damaged += of_it.damaged;
    return JOT_OK;
}
