/* care.c - verifying, repairing, trimming and counting, on top of the store.
 *
 * The store verifies and repairs its own bytes; here the search index is verified beside
 * them, and it is decided what may be trimmed.  Trimming is per stream and can be
 * stopped anywhere: what went is gone, the rest goes next time.  The value of a document
 * is its newest record, so its older ones may go.  Of a log the value is all of its
 * records, so logs are trimmed only where they are named; streams that are added up from
 * all their records (tasks, plans) never. */
#include "memory/care.h"

#include <assert.h>
#include <stdlib.h>

#include "base/time.h"
#include "memory/search/search.h"
#include "memory/task/share.h"

/* --- Is it whole? ------------------------------------------------------------------------ */

typedef struct IndexFaults {
    const VerifyHooks *hooks;
    CareCount *out;
} IndexFaults;

static void report_index(void *ctx, Str stream, const char *what)
{
    const IndexFaults *x = ctx;
    StoreFault f = { .kind = FAULT_INDEX,
                     .stream = stream,
                     .what = what,
                     .advice = "make it again: jotter search --reindex, or jotter doctor --fix",
                     .mends = true };
    x->out->faults++;
    if (x->hooks && x->hooks->fault)
        x->hooks->fault(x->hooks->ctx, &f);
}

/* The first member of anything that stands between the store and the caller's hooks. */
typedef struct Passing {
    const VerifyHooks *hooks; /* the caller's; may be NULL */
} Passing;

static void pass_progress(void *ctx, const VerifyCount *so_far)
{
    const Passing *p = ctx;
    p->hooks->progress(p->hooks->ctx, so_far);
}

static bool pass_go_on(void *ctx)
{
    const Passing *p = ctx;
    return p->hooks->go_on(p->hooks->ctx);
}

/* Hooks that hear of faults themselves, and leave the rest to the caller's. */
static VerifyHooks passing(Passing *p, void (*fault)(void *ctx, const StoreFault *f))
{
    return (VerifyHooks){ .fault = fault,
                          .progress = p->hooks && p->hooks->progress ? pass_progress : NULL,
                          .ctx = p,
                          .go_on = p->hooks && p->hooks->go_on ? pass_go_on : NULL };
}

/* The shared files that the store has told of: what is wrong with a file is told once. */
typedef struct Told {
    Passing from;
    Arena arena;
    Str streams[SHARE_REFUSALS_MAX];
    size_t n;
} Told;

static void pass_on(void *ctx, const StoreFault *f)
{
    Told *t = ctx;
    bool file = f->kind == FAULT_VIEW || f->kind == FAULT_FORK;
    if (file && t->n < SHARE_REFUSALS_MAX && str_starts(f->stream, S(SHARE_KIND)))
        t->streams[t->n++] = arena_copy(&t->arena, f->stream);
    if (t->from.hooks && t->from.hooks->fault)
        t->from.hooks->fault(t->from.hooks->ctx, f);
}

static jot_status verify_pad(Memory *m, Told *told, CareCount *out, Err *e)
{
    VerifyHooks hooks = passing(&told->from, pass_on);
    TRY(store_verify(m->store, &hooks, &out->pad, e));
    out->faults = out->pad.faults;
    /* What the store cannot see: files that are whole, and say what they may not. */
    ShareRefusals refused;
    TRY(share_refusals(m, &told->arena, &refused, e));
    size_t known = told->n;
    for (size_t i = 0; i < refused.n; i++) {
        const ShareRefusal *r = &refused.items[i];
        StoreFault f = { .kind = FAULT_VIEW,
                         .stream = r->stream,
                         .what = r->why.p,
                         .advice = "edit the file, or change the task or plan: its text is kept" };
        bool again = false;
        for (size_t k = 0; k < known; k++)
            again = again || str_eq(told->streams[k], r->stream);
        if (again)
            continue;
        out->faults++;
        pass_on(told, &f);
    }
    return JOT_OK;
}

jot_status care_verify(Memory *m, const VerifyHooks *hooks, CareCount *out, Err *e)
{
    *out = (CareCount){ 0 };
    Told told = { .from = { hooks } };
    jot_status st = verify_pad(m, &told, out, e);
    arena_free(&told.arena);
    TRY(st);
    AUTO_PTR(Search) s = NULL;
    SearchCheck check;
    IndexFaults x = { hooks, out };
    TRY(search_open(&s, m, NULL, e));
    TRY(search_verify(s, report_index, &x, &check, e));
    bool unchecked = check.unchecked.text[0];
    StoreFault f = { .kind = FAULT_UNCHECKED,
                     .what = check.unchecked.text,
                     .advice = "searches do without it; look again later" };
    if (unchecked && hooks && hooks->fault)
        hooks->fault(hooks->ctx, &f);
    out->index = check.there && !unchecked;
    out->index_rows = check.rows;
    return JOT_OK;
}

typedef struct Listening {
    Passing from;
    bool faults; /* they hear of faults; else only of progress */
    uint64_t index_faults;
} Listening;

static void hear(void *ctx, const StoreFault *f)
{
    Listening *l = ctx;
    l->index_faults += f->kind == FAULT_INDEX;
    if (l->faults && l->from.hooks->fault)
        l->from.hooks->fault(l->from.hooks->ctx, f);
}

jot_status care_doctor(Memory *m, const DoctorOptions *o, const VerifyHooks *hooks,
                       DoctorReport *out, Err *e)
{
    assert(o && out);
    *out = (DoctorReport){ 0 };
    if (o->after_crash && !o->fix)
        return err_set(e, JOT_INVALID, "comparing as after a crash changes files: it needs fix");
    Listening l = { .from = { hooks }, .faults = hooks && !o->fix };
    /* The first look is told only if it is all there is: with `fix` the second one counts, and what
     * was repaired in between is no fault any more. */
    VerifyHooks first = passing(&l.from, hear);
    TRY(care_verify(m, &first, &out->before, e));
    out->after = out->before;
    if (!o->fix)
        return JOT_OK;
    TRY(store_mend(m->store, &(MendOptions){ .after_crash = o->after_crash }, e));
    out->index_made = l.index_faults > 0;
    if (out->index_made) {
        AUTO_PTR(Search) s = NULL;
        TRY(search_open(&s, m, NULL, e));
        TRY(search_rebuild(s, e));
    }
    out->done = *store_report(m->store);
    return care_verify(m, hooks, &out->after, e);
}

json_t *fault_json(const StoreFault *f)
{
    return json_pack("{s:s, s:b, s:o, s:s, s:s, s:b}", "kind", fault_name(f->kind), "counts",
                     fault_counts(f->kind), "stream", json_text(f->stream), "what", f->what,
                     "advice", f->advice, "mends", f->mends);
}

json_t *care_json(const CareCount *c)
{
    json_t *out = json_pack("{s:I, s:I, s:I, s:I, s:b, s:I}", "streams", (json_int_t)c->pad.streams,
                            "records", (json_int_t)c->pad.records, "bytes",
                            (json_int_t)c->pad.bytes, "faults", (json_int_t)c->faults, "index",
                            c->index, "index_rows", (json_int_t)c->index_rows);
    const HeadsSeen *h = &c->pad.heads;
    if (h->kept)
        json_object_set_new(
            out, "heads",
            json_pack("{s:I, s:o}", "names", (json_int_t)h->names, "at",
                      h->at_ms > 0 ? json_string(time_text(h->at_ms).text) : json_null()));
    return out;
}

json_t *doctor_json(const DoctorReport *r, bool fix)
{
    json_t *out = json_pack("{s:b, s:o, s:o}", "fixed", fix, "before", care_json(&r->before),
                            "after", care_json(&r->after));
    json_object_set_new(out, "done",
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:b}", "torn",
                                  (json_int_t)r->done.torn, "lost", (json_int_t)r->done.accepted,
                                  "restored", (json_int_t)r->done.restored, "outside",
                                  (json_int_t)r->done.outside, "quarantined",
                                  (json_int_t)r->done.quarantined, "index_made", r->index_made));
    return out;
}

/* --- What can go? ------------------------------------------------------------------------ */

static const char *const gc_documents[] = { "artifacts/", "cycles/", "memories/", "notes/",
                                            "shared/" };
static const char *const gc_whole[] = { "leases/", "plans/", "tasks/" };

typedef struct Gc {
    Memory *m;
    const GcPolicy *p;
    const GcHooks *hooks;
    uint64_t done, total; /* streams */
    GcCount *out;
    Str *runs; /* that lost records: each can be found */
    size_t runs_n, runs_cap;
    Arena *arena;
    Err *e;
} Gc;

/* What is known of one record. */
typedef struct GcRecord {
    uint64_t seq, size;
    int64_t at_ms;
} GcRecord;

typedef struct GcRecords {
    Arena arena;
    GcRecord *items;
    size_t n, cap;
} GcRecords;

static jot_status gc_collect(void *ctx, const Record *r)
{
    GcRecords *all = ctx;
    all->items = arena_grow(&all->arena, all->items, all->n, &all->cap, sizeof *all->items,
                            alignof(GcRecord));
    all->items[all->n++] =
        (GcRecord){ r->mark.seq, r->mark.redacted ? 0 : r->mark.size, r->mark.at_ms };
    return JOT_OK;
}

/* How many of the oldest records go. */
static size_t gc_decide(const GcPolicy *p, const GcRecords *all)
{
    if (all->n <= GC_KEEP_MIN)
        return 0;
    /* Each rule alone says how many go; the one that lets most go counts.  By age only the oldest
     * in a row: a trim cannot leave one out. */
    size_t may = all->n - GC_KEEP_MIN, go = 0;
    if (p->keep && all->n > p->keep)
        go = all->n - p->keep;
    for (size_t i = go; p->before_ms && i < all->n && all->items[i].at_ms < p->before_ms; i++)
        go = i + 1;
    uint64_t bytes = 0;
    for (size_t i = all->n; p->bytes && i-- > go;) {
        bytes += all->items[i].size;
        if (bytes > p->bytes)
            go = i + 1;
    }
    return go < may ? go : may;
}

static jot_status gc_stream(void *ctx, const Listed *l)
{
    Gc *gc = ctx;
    const GcHooks *hooks = gc->hooks;
    if (hooks->go_on && !hooks->go_on(hooks->ctx, gc->done++, gc->total))
        return err_set(gc->e, JOT_CANCELLED,
                       "interrupted after %llu of %llu streams: what was dropped is gone, and the "
                       "same command does the rest",
                       (unsigned long long)gc->done - 1, (unsigned long long)gc->total);
    GcRecords all = { 0 };
    GcCount of_it = { .streams = 1 };
    jot_status st = memory_each_record(gc->m, l->name,
                                       &(RecordVisit){ .each = gc_collect, .ctx = &all }, gc->e);
    size_t go = st == JOT_OK ? gc_decide(gc->p, &all) : 0;
    assert(go == 0 || go + GC_KEEP_MIN <= all.n);
    uint64_t before = go ? all.items[go].seq : 0, dropped = 0;
    of_it.records = go;
    for (size_t i = 0; i < go; i++)
        of_it.bytes += all.items[i].size;
    arena_free(&all.arena);
    if (st == JOT_NOT_FOUND || st == JOT_CORRUPT) /* a file without records; or verify's business */
        return JOT_OK;
    TRY(st);
    if (go == 0)
        return JOT_OK;
    if (!gc->p->dry_run)
        TRY(memory_trim(gc->m, l->name, before, &dropped, gc->e));
    gc->out->streams++;
    gc->out->records += of_it.records;
    gc->out->bytes += of_it.bytes;
    if (str_starts(l->name, S("runs/"))) {
        gc->runs =
            arena_grow(gc->arena, gc->runs, gc->runs_n, &gc->runs_cap, sizeof(Str), alignof(Str));
        gc->runs[gc->runs_n++] = arena_copy(gc->arena, l->name);
    }
    if (hooks->each)
        hooks->each(hooks->ctx, l->name, &of_it);
    return JOT_OK;
}

static jot_status gc_count(void *ctx, const Listed *l)
{
    (void)l;
    ((Gc *)ctx)->total++;
    return JOT_OK;
}

static jot_status gc_walk(Gc *gc, ListWhich which, jot_status (*each)(void *ctx, const Listed *l))
{
    if (gc->p->prefix.n)
        return memory_each(gc->m, gc->p->prefix, which, each, gc, gc->e);
    for (size_t i = 0; i < COUNT_OF(gc_documents); i++)
        TRY(memory_each(gc->m, str(gc_documents[i]), which, each, gc, gc->e));
    return JOT_OK;
}

static jot_status gc_check(const GcPolicy *p, Err *e)
{
    if (!p->keep && !p->before_ms && !p->bytes)
        return err_set(e, JOT_INVALID, "give what to keep: by count, by age or by size");
    if (p->keep && p->keep < GC_KEEP_MIN)
        return err_set(e, JOT_INVALID,
                       "keep %llu: the newest %d versions always stay, because a repeated write is "
                       "recognised by them; use %d or more",
                       (unsigned long long)p->keep, GC_KEEP_MIN, GC_KEEP_MIN);
    for (size_t i = 0; i < COUNT_OF(gc_whole); i++)
        if (str_starts(p->prefix, str(gc_whole[i])))
            return err_set(e, JOT_INVALID, "%s are added up from all their records: none can go",
                           gc_whole[i]);
    if (p->prefix.n && str_find(p->prefix, '/') == p->prefix.n)
        return err_set(e, JOT_INVALID, "a prefix has its kind in front: notes/, runs/");
    return JOT_OK;
}

jot_status care_gc(Memory *m, const GcPolicy *p, const GcHooks *hooks, GcCount *out, Err *e)
{
    static const GcHooks none = { 0 };
    *out = (GcCount){ 0 };
    TRY(gc_check(p, e));
    AUTO(Arena) arena = { 0 };
    Gc gc = { .m = m, .p = p, .hooks = hooks ? hooks : &none, .out = out, .arena = &arena, .e = e };
    if (gc.hooks->go_on)
        TRY(gc_walk(&gc, LIST_ALL_NAMES, gc_count));
    jot_status st = gc_walk(&gc, LIST_ALL, gc_stream);
    /* What went is forgotten by searches, too, also if somebody ended it half-way. */
    if (gc.runs_n && !p->dry_run && (st == JOT_OK || st == JOT_CANCELLED)) {
        jot_status forgotten = search_forget(m, gc.runs, gc.runs_n, st == JOT_OK ? e : NULL);
        st = st == JOT_OK ? forgotten : st;
    }
    TRY(st);
    if (p->dry_run)
        return JOT_OK;
    TRY(store_note_heads(m->store, e));
    /* What was forgotten and had to stay for a while goes now; what somebody still reads, later. */
    jot_status scrubbed = store_scrub(m->store, e);
    return scrubbed == JOT_UNAVAILABLE ? JOT_OK : scrubbed;
}

/* --- What is in it? ---------------------------------------------------------------------- */

typedef struct Counting {
    Memory *m;
    Arena *into;
    Stats *out;
    size_t cap;
} Counting;

static KindStats *kind_stats(Counting *c, Str stream)
{
    Str kind = str_slice(stream, 0, str_find(stream, '/'));
    Stats *s = c->out;
    if (s->n && str_eq(s->kinds[s->n - 1].kind, kind))
        return &s->kinds[s->n - 1];
    s->kinds = arena_grow(c->into, s->kinds, s->n, &c->cap, sizeof(KindStats), alignof(KindStats));
    s->kinds[s->n] = (KindStats){ .kind = arena_copy(c->into, kind) };
    return &s->kinds[s->n++];
}

enum { DAY_MS = 24 * 3600 * 1000 };

typedef struct CountingKind {
    KindStats *k;
    int64_t today;
} CountingKind;

static jot_status count_record(void *ctx, const Record *r)
{
    const CountingKind *of = ctx;
    KindStats *k = of->k;
    int64_t ago = of->today - r->mark.at_ms / DAY_MS;
    if (ago < STATS_DAYS) /* what is of the future was written today */
        k->grew[STATS_DAYS - 1 - (ago > 0 ? ago : 0)] += r->body.n;
    k->records++;
    k->bytes += r->body.n;
    if (k->oldest_ms == 0 || r->mark.at_ms < k->oldest_ms)
        k->oldest_ms = r->mark.at_ms;
    if (r->mark.at_ms > k->newest_ms)
        k->newest_ms = r->mark.at_ms;
    return JOT_OK;
}

static jot_status count_stream(void *ctx, const Listed *l)
{
    Counting *c = ctx;
    KindStats *k = kind_stats(c, l->name);
    *(mark_live(&l->mark) ? &k->streams : &k->deleted) += 1;
    uint64_t damaged = 0;
    CountingKind of = { k, io_wall_ms(c->m->io) / DAY_MS };
    jot_status st = memory_each_record(
        c->m, l->name, &(RecordVisit){ .each = count_record, .ctx = &of, .damaged = &damaged },
        NULL);
    /* What cannot be read at all counts as one. */
    k->damaged += damaged + (st != JOT_OK && st != JOT_NOT_FOUND);
    return JOT_OK;
}

jot_status care_stats(Memory *m, Arena *into, Stats *out, Err *e)
{
    *out = (Stats){ 0 };
    Counting c = { m, into, out, 0 };
    TRY(memory_each(m, (Str){ 0 }, LIST_ALL, count_stream, &c, e));
    out->requests = store_report(m->store)->requests;
    return JOT_OK;
}

/* null where there is none. */
static json_t *moment(int64_t at_ms)
{
    return at_ms ? json_string(time_text(at_ms).text) : json_null();
}

json_t *stats_json(const Stats *s)
{
    json_t *kinds = json_array();
    for (size_t i = 0; i < s->n; i++) {
        const KindStats *k = &s->kinds[i];
        json_array_append_new(
            kinds, json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "kind", json_text(k->kind),
                             "streams", (json_int_t)k->streams, "deleted", (json_int_t)k->deleted,
                             "records", (json_int_t)k->records, "bytes", (json_int_t)k->bytes,
                             "damaged", (json_int_t)k->damaged, "oldest", moment(k->oldest_ms),
                             "newest", moment(k->newest_ms)));
    }
    json_t *all = json_pack("{s:o}", "kinds", kinds);
    if (s->requests)
        json_object_set_new(all, "requests", json_integer((json_int_t)s->requests));
    return all;
}
