/* forget.c - taking text out of runs and of the whole pad, of jotter.h. */
#include "memory/forget/forget.h"

#include "api/api.h"

enum { LEFT_MAX = 1000 };

jot_status jot_run_purge(jot_pad *pad, const char *run)
{
    Str id;
    RunForgotten gone;
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    return forget_run(&pad->m, id, api_arena(pad), &gone, api_err(pad));
}

jot_status jot_run_redact(jot_pad *pad, const char *run, uint64_t seq, jot_text phrase,
                          uint64_t *count)
{
    Str id, text;
    Forgotten f = { .n = 1 };
    GIVE(count, 0);
    API_BEGIN(pad);
    TRY(api_name(pad, "a run's id", run, &id));
    TRY(api_text(pad, phrase, &text));
    if (seq && text.n)
        return err_set(api_err(pad), JOT_INVALID, "give a seq or a phrase, not both");
    jot_status st = seq ? forget_run_record(&pad->m, id, seq, api_err(pad))
                        : forget_run_phrase(&pad->m, id, text, &f, api_err(pad));
    if (st == JOT_OK || st == JOT_UNSUPPORTED)
        GIVE(count, f.n);
    return st;
}

/* Places where the phrase is left, as they are met. */
typedef struct Left {
    jot_pad *p;
    const jot_fault **items; /* room for LEFT_MAX */
    size_t n;
} Left;

static void add_left(void *ctx, const ForgetLeft *l)
{
    Left *t = ctx;
    if (t->n == LEFT_MAX)
        return;
    jot_fault *kept = NEW_RESULT(t->p, jot_fault);
    *kept = (jot_fault){ .kind = forget_left_name(l->kind),
                         .stream = api_give_name(t->p, l->stream),
                         .what = api_give_name(t->p, str(l->what)),
                         .advice = "",
                         .counts = true };
    t->items[t->n++] = kept;
}

jot_status jot_redact_all(jot_pad *pad, jot_text phrase, const jot_redacted **out)
{
    Str text;
    ForgetCount c;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_text(pad, phrase, &text));
    Left left = { .p = pad, .items = NEW_ARRAY(api_arena(pad), const jot_fault *, LEFT_MAX) };
    ForgetHooks hooks = { .left = add_left, .ctx = &left };
    jot_status st = forget_all(&pad->m, text, &hooks, &c, api_err(pad));
    if (st != JOT_OK && st != JOT_UNSUPPORTED)
        return st;
    jot_redacted *result = NEW_RESULT(pad, jot_redacted);
    *result = (jot_redacted){ .streams = c.streams,
                              .rewritten = c.rewritten,
                              .records = c.redacted,
                              .items = left.items,
                              .count = left.n,
                              .total = c.left };
    GIVE(out, result);
    return st;
}
