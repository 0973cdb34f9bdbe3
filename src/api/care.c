/* care.c - looking after a pad, of jotter.h: verifying, mending, trimming, counting. */
#include "memory/care.h"

#include <assert.h>

#include "api/api.h"

enum { FAULTS_MAX = 1000 };

/* Faults as they are met: the first FAULTS_MAX are kept, all are counted. */
typedef struct Faults {
    jot_pad *p;
    const jot_fault **items; /* room for FAULTS_MAX */
    size_t n;
    uint64_t total;
} Faults;

static Faults faults_new(jot_pad *p)
{
    return (Faults){ .p = p, .items = NEW_ARRAY(api_arena(p), const jot_fault *, FAULTS_MAX) };
}

static void add_fault(void *ctx, const StoreFault *f)
{
    Faults *t = ctx;
    t->total++;
    if (t->n == FAULTS_MAX)
        return;
    jot_fault *kept = NEW_RESULT(t->p, jot_fault);
    *kept = (jot_fault){ .kind = fault_name(f->kind),
                         .stream = api_give_name(t->p, f->stream),
                         .what = api_give_name(t->p, str(f->what)),
                         .advice = api_give_name(t->p, str(f->advice)),
                         .counts = fault_counts(f->kind),
                         .repairable = f->mends };
    t->items[t->n++] = kept;
}

static jot_verified *give(jot_pad *p, const Faults *met, const CareCount *c)
{
    jot_verified *v = NEW_RESULT(p, jot_verified);
    assert(met->n <= met->total);
    *v = (jot_verified){ .streams = c->pad.streams,
                         .records = c->pad.records,
                         .bytes = c->pad.bytes,
                         .faults = c->faults,
                         .items = met->items,
                         .count = met->n,
                         .total = met->total,
                         .heads_at = c->pad.heads.kept ? c->pad.heads.at_ms : -1 };
    return v;
}

jot_status jot_verify(jot_pad *pad, const jot_verified **out)
{
    GIVE(out, NULL);
    API_BEGIN(pad);
    Faults met = faults_new(pad);
    VerifyHooks hooks = { .fault = add_fault, .ctx = &met };
    CareCount count;
    TRY(care_verify(&pad->m, &hooks, &count, api_err(pad)));
    GIVE(out, give(pad, &met, &count));
    return JOT_OK;
}

jot_status jot_doctor(jot_pad *pad, bool after_crash, const jot_verified **out)
{
    GIVE(out, NULL);
    API_BEGIN(pad);
    Faults met = faults_new(pad);
    VerifyHooks hooks = { .fault = add_fault, .ctx = &met };
    DoctorOptions o = { .fix = true, .after_crash = after_crash };
    DoctorReport report;
    TRY(care_doctor(&pad->m, &o, &hooks, &report, api_err(pad)));
    GIVE(out, give(pad, &met, &report.after));
    return JOT_OK;
}

jot_status jot_gc(jot_pad *pad, const jot_gc_options *options, const jot_gc_count **out)
{
    jot_gc_options o;
    GcCount gone;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_options(pad, options, &o, sizeof o));
    GcPolicy policy = { .prefix = str(o.prefix),
                        .keep = o.keep,
                        .before_ms = o.before_ms,
                        .bytes = o.bytes,
                        .dry_run = o.dry_run };
    TRY(care_gc(&pad->m, &policy, NULL, &gone, api_err(pad)));
    jot_gc_count *count = NEW_RESULT(pad, jot_gc_count);
    *count = (jot_gc_count){ gone.streams, gone.records, gone.bytes };
    GIVE(out, count);
    return JOT_OK;
}

jot_status jot_stats(jot_pad *pad, const jot_stats_list **out)
{
    Stats stats;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(care_stats(&pad->m, api_arena(pad), &stats, api_err(pad)));
    jot_kind_stats **items = NEW_RESULTS(pad, jot_kind_stats, stats.n);
    for (size_t i = 0; i < stats.n; i++) {
        const KindStats *k = &stats.kinds[i];
        *items[i] = (jot_kind_stats){ .kind = api_give_name(pad, k->kind),
                                      .streams = k->streams,
                                      .deleted = k->deleted,
                                      .records = k->records,
                                      .bytes = k->bytes,
                                      .damaged = k->damaged,
                                      .oldest_ms = k->oldest_ms,
                                      .newest_ms = k->newest_ms };
    }
    jot_stats_list *list = NEW_RESULT(pad, jot_stats_list);
    *list = (jot_stats_list){ .items = (const jot_kind_stats *const *)items, .count = stats.n };
    GIVE(out, list);
    return JOT_OK;
}
