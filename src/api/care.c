/* care.c - looking after a pad, of jotter.h: verifying and mending. */
#include "api/api.h"
#include "memory/search.h"

enum { TOLD_MAX = 1000 };

/* Faults as they are met. */
typedef struct Told {
    jot_pad *p;
    const jot_fault **items;
    size_t n, cap;
    uint64_t total;
} Told;

static void tell(Told *t, const jot_fault *fault)
{
    t->total++;
    if (t->n == TOLD_MAX)
        return;
    Arena *into = api_arena(t->p);
    if (t->n == t->cap)
        t->items = arena_grow(into, (void *)t->items, t->n, &t->cap, sizeof *t->items,
                              alignof(const jot_fault *));
    jot_fault *kept = NEW(into, jot_fault);
    *kept = *fault;
    t->items[t->n++] = kept;
}

static void tell_fault(void *ctx, const StoreFault *f)
{
    Told *t = ctx;
    tell(t, &(jot_fault){ .kind = fault_name(f->kind),
                          .stream = api_give_name(t->p, f->stream),
                          .what = api_give_name(t->p, str(f->what)),
                          .advice = api_give_name(t->p, str(f->advice)),
                          .counts = fault_counts(f->kind),
                          .mends = f->mends });
}

static void tell_index(void *ctx, Str stream, const char *what)
{
    Told *t = ctx;
    tell(t, &(jot_fault){ .kind = "index",
                          .stream = api_give_name(t->p, stream),
                          .what = api_give_name(t->p, str(what)),
                          .advice = "make the index again: it is a cache",
                          .counts = true });
}

jot_status jot_verify(jot_pad *pad, const jot_verified **out)
{
    GIVE(out, NULL);
    TRY(api_begin(pad));
    Told told = { .p = pad };
    VerifyHooks hooks = { .fault = tell_fault, .ctx = &told };
    VerifyCount count;
    SearchCheck index;
    AUTO_PTR(Search) search = NULL;
    SearchOptions so = { .language = pad->language };
    TRY(store_verify(pad->m.store, &hooks, &count, api_err(pad)));
    TRY(search_open(&search, &pad->m, &so, api_err(pad)));
    TRY(search_verify(search, tell_index, &told, &index, api_err(pad)));
    jot_verified *v = NEW_RESULT(pad, jot_verified);
    *v = (jot_verified){ .streams = count.streams,
                         .records = count.records,
                         .bytes = count.bytes,
                         .faults = count.faults + index.problems,
                         .items = told.items ? told.items
                                             : NEW_ARRAY(api_arena(pad), const jot_fault *, 1),
                         .count = told.n,
                         .total = told.total };
    GIVE(out, v);
    return JOT_OK;
}

jot_status jot_mend(jot_pad *pad, bool after_crash)
{
    TRY(api_begin(pad));
    return store_mend(pad->m.store, &(MendOptions){ .after_crash = after_crash }, api_err(pad));
}
