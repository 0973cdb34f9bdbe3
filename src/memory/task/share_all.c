/* share_all.c - all shared files at once: beginning to share, ending it, what is wrong with them.
 */
#include <stdlib.h>

#include "memory/task/plan_internal.h"
#include "memory/task/share.h"
#include "memory/task/task_internal.h"

enum { BATCH = 100 };

static jot_status take_task(Memory *m, Str id, Arena *into, Str *refused, Err *e)
{
    Task t = { 0 };
    jot_status st = task_take(m, id, into, &t, e);
    *refused = t.refused;
    return st;
}

static jot_status take_plan(Memory *m, Str id, Arena *into, Str *refused, Err *e)
{
    Plan p = { 0 };
    jot_status st = plan_take(m, id, into, &p, e);
    *refused = p.refused;
    return st;
}

static jot_status read_task(Memory *m, Str id, Arena *into, Str *refused, Err *e)
{
    Task t = { 0 };
    jot_status st = task_read(m, id, into, &t, e);
    *refused = t.refused;
    return st;
}

static jot_status read_plan(Memory *m, Str id, Arena *into, Str *refused, Err *e)
{
    Plan p = { 0 };
    jot_status st = plan_read(m, id, into, &p, e);
    *refused = p.refused;
    return st;
}

typedef jot_status Reader(Memory *m, Str id, Arena *into, Str *refused, Err *e);

static const struct Kind {
    const char *prefix;
    Shares share;
    jot_status (*behind)(Memory *m, Str id, Arena *into, ShareText *out, Err *e);
    Reader *read, *take;
} kinds[] = {
    { TASK_KIND, SHARE_TASKS, task_file_due, read_task, take_task },
    { PLAN_KIND, SHARE_PLANS, plan_file_due, read_plan, take_plan },
};

/* --- Changing what is shared ----------------------------------------------------------------- */

/* Files that are written together. */
typedef struct Writing {
    Memory *m;
    const struct Kind *kind;
    Arena arena;
    Append items[BATCH];
    size_t n;
    uint64_t *count;
    Err *e;
} Writing;

static jot_status flush(Writing *w)
{
    if (w->n)
        TRY(memory_append_many(w->m, w->items, w->n, w->e));
    for (size_t i = 0; i < w->n; i++) {
        jot_status st = w->items[i].status;
        /* Somebody was faster: what stands there now is judged when it is looked at. */
        if (st != JOT_OK && st != JOT_CONFLICT && st != JOT_NOT_FOUND)
            return err_pass(w->e, &w->items[i].why, st);
        *w->count += st == JOT_OK;
    }
    w->n = 0;
    arena_free(&w->arena);
    w->arena = (Arena){ 0 };
    return JOT_OK;
}

static jot_status add(Writing *w, const Append *a)
{
    w->items[w->n++] = *a;
    return w->n == BATCH ? flush(w) : JOT_OK;
}

static jot_status bring(void *ctx, Str id)
{
    Writing *w = ctx;
    ShareText t;
    Err why = { 0 };
    jot_status st = w->kind->behind(w->m, id, &w->arena, &t, &why);
    if (st == JOT_CORRUPT || st == JOT_INVALID)
        return JOT_OK; /* nobody can read it; verify tells */
    if (st != JOT_OK || !t.text.n)
        return err_pass(w->e, &why, st);
    Str stream = arena_printf(&w->arena, SHARE_KIND "%s" STR_FMT, w->kind->prefix, STR_ARG(id));
    if (store_check_name(stream, NULL) != JOT_OK)
        return JOT_OK; /* a name too long for a file */
    return add(w, &(Append){ .stream = stream,
                             .expect = { .kind = EXPECT_SEQ, .seq = t.seen },
                             .draft = share_draft(&t, &w->arena) });
}

/* What is brought and refused stays in the history of the file. */
static jot_status take_back(void *ctx, Str id)
{
    Writing *w = ctx;
    Str refused;
    Err why = { 0 };
    jot_status st = w->kind->take(w->m, id, &w->arena, &refused, &why);
    if (st == JOT_READ_ONLY || st == JOT_IO || st == JOT_UNKNOWN || st == JOT_UNAVAILABLE)
        return err_pass(w->e, &why, st);
    Str stream = arena_printf(&w->arena, SHARE_KIND "%s" STR_FMT, w->kind->prefix, STR_ARG(id));
    return add(w, &(Append){ .stream = stream, .draft = { .op = OP_DELETE } });
}

static jot_status change_kind(Memory *m, const struct Kind *kind, bool on, uint64_t *count, Err *e)
{
    Writing *w = mem_alloc(sizeof *w);
    *w = (Writing){ .m = m, .kind = kind, .count = count, .e = e };
    jot_status st = share_each(
        m, &(ShareWalk){ .kind = kind->prefix, .each = on ? bring : take_back, .ctx = w }, e);
    if (st == JOT_OK)
        st = flush(w);
    arena_free(&w->arena);
    free(w);
    return st;
}

jot_status share_change(Memory *m, unsigned shares, ShareCount *out, Err *e)
{
    unsigned before;
    *out = (ShareCount){ 0 };
    TRY(share_now(m, &before, e));
    /* While they still count. */
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if ((before & kinds[i].share) && !(shares & kinds[i].share))
            TRY(change_kind(m, &kinds[i], false, &out->removed, e));
    if (before != shares)
        TRY(share_say(m, shares, e));
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (shares & kinds[i].share)
            TRY(change_kind(m, &kinds[i], true, &out->written, e));
    return JOT_OK;
}

/* --- What is not taken ----------------------------------------------------------------------- */

typedef struct Asking {
    Memory *m;
    const struct Kind *kind;
    Arena *into;
    ShareRefusals *out;
    Err *e;
} Asking;

static void note(const Asking *a, Str id, Str why)
{
    ShareRefusals *out = a->out;
    if (out->total++ >= SHARE_REFUSALS_MAX)
        return;
    if (!out->items)
        out->items = NEW_ARRAY(a->into, ShareRefusal, SHARE_REFUSALS_MAX);
    out->items[out->n++] = (ShareRefusal){ .stream = arena_printf(a->into, SHARE_KIND "%s" STR_FMT,
                                                                  a->kind->prefix, STR_ARG(id)),
                                           .why = arena_copy(a->into, why) };
}

static jot_status ask(void *ctx, Str id)
{
    const Asking *a = ctx;
    AUTO(Arena) arena = { 0 };
    ShareText behind;
    Str refused = { 0 };
    Err why = { 0 };
    jot_status st = a->kind->read(a->m, id, &arena, &refused, &why);
    if (st == JOT_INVALID)
        refused = str(why.text);
    else if (st == JOT_NOT_FOUND || st == JOT_CORRUPT)
        return JOT_OK;
    else if (st != JOT_OK)
        return err_pass(a->e, &why, st);
    if (refused.n) {
        note(a, id, refused);
        return JOT_OK;
    }
    TRY(a->kind->behind(a->m, id, &arena, &behind, a->e));
    a->out->behind += behind.text.n > 0;
    return JOT_OK;
}

jot_status share_refusals(Memory *m, Arena *into, ShareRefusals *out, Err *e)
{
    unsigned shares;
    *out = (ShareRefusals){ 0 };
    TRY(share_now(m, &shares, e));
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        Asking a = { m, &kinds[i], into, out, e };
        if (shares & kinds[i].share)
            TRY(share_each(m, &(ShareWalk){ .kind = kinds[i].prefix, .each = ask, .ctx = &a }, e));
    }
    return JOT_OK;
}
