/* verify.c - reading all of a pad, and saying what is wrong with it.
 *
 *     engine     files, tables, quarantine ──► faults; damaged streams are remembered (blamed)
 *     heads      what was there, and is not ──► lost; unless blamed already
 *     streams    each one, from 1 to its head:
 *
 *         1 ──► 2 ──► 3      5 ──► 6 ──► head      body and hash, chain of each pair,
 *                         ^                 ^      a gap that no trim explains,
 *                        lost           its seq    a head that is behind its records
 *
 * First the engine looks at what only it knows: files, tables, what was
 * quarantined.  Then every stream is read as any reader would, record by record, and
 * each record is held against its header and its predecessor.  A stream of which
 * the engine has said already that it is damaged is read too, but not blamed
 * twice.
 *
 * Mending is left to what every write does anyway: under its lock a stream is
 * repaired.  So mending is writing to each stream once, without changing it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mutant.h"
#include "base/time.h"
#include "store/engine.h"
#include "store/walk.h"

enum { PAGE = 200, PROGRESS_EVERY = 50, SENTENCE = 300 };

static const struct {
    const char *name;
    bool counts;
} kinds[] = {
    [FAULT_DAMAGE] = { "damage", true },
    [FAULT_LOST] = { "lost", true },
    [FAULT_FORK] = { "fork", true },
    [FAULT_VIEW] = { "view", true },
    [FAULT_LEFTOVER] = { "leftover", true },
    [FAULT_STRAY] = { "stray", true },
    [FAULT_PAD] = { "pad", true },
    [FAULT_INDEX] = { "index", true },
    [FAULT_QUARANTINE] = { "quarantine", false },
    [FAULT_EDIT] = { "edit", false },
    [FAULT_OTHER] = { "other", false },
    [FAULT_UNCHECKED] = { "unchecked", false },
    [FAULT_TIME] = { "time", false },
    [FAULT_GAP] = { "gap", false },
};

const char *fault_name(FaultKind kind)
{
    assert(kind < COUNT_OF(kinds));
    return kinds[kind].name;
}

bool fault_counts(FaultKind kind)
{
    assert(kind < COUNT_OF(kinds));
    return kinds[kind].counts;
}

typedef struct Verify {
    Store *s;
    const VerifyHooks *hooks;
    VerifyCount *count;
    Str *blamed; /* streams the engine has reported */
    size_t n, cap;
    Str *lost; /* of which records are missing */
    size_t lost_n, lost_cap;
    Arena arena;
} Verify;

static void report(Verify *v, const StoreFault *f)
{
    assert(f->what); /* a fault has a sentence */
    v->count->faults += fault_counts(f->kind);
    if (v->hooks->fault)
        v->hooks->fault(v->hooks->ctx, f);
}

static void report_for_engine(void *ctx, const StoreFault *f)
{
    Verify *v = ctx;
    if (f->stream.n && (f->kind == FAULT_DAMAGE || f->kind == FAULT_FORK)) {
        v->blamed = arena_grow(&v->arena, v->blamed, v->n, &v->cap, sizeof(Str), alignof(Str));
        v->blamed[v->n++] = arena_copy(&v->arena, f->stream);
    }
    report(v, f);
}

/* The engine's streams and the store's are looked at one after the other. */
static bool may_go_on(void *ctx)
{
    const Verify *v = ctx;
    return !v->hooks->go_on || v->hooks->go_on(v->hooks->ctx);
}

static bool is_among(const Str *names, size_t n, Str stream)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(names[i], stream))
            return true;
    return false;
}

static void report_loss(void *ctx, const StoreFault *f)
{
    Verify *v = ctx;
    if (is_among(v->blamed, v->n, f->stream))
        return;
    if (f->kind == FAULT_LOST) {
        v->lost =
            arena_grow(&v->arena, v->lost, v->lost_n, &v->lost_cap, sizeof(Str), alignof(Str));
        v->lost[v->lost_n++] = arena_copy(&v->arena, f->stream);
    }
    report(v, f);
}

/* An older table of leases must not come back: its tokens would be given a second time. */
static void blame_as(Verify *v, FaultKind kind, Str stream, const char *what)
{
    bool tokens = str_eq(stream, S(STORE_TOKENS));
    StoreFault f = { .kind = kind,
                     .stream = stream,
                     .what = what,
                     .advice = tokens ? "nobody needs what is lost: jotter doctor --fix drops it"
                                      : "bring the stream back from a copy of the pad; what can be "
                                        "read stays readable",
                     .mends = tokens };
    if (!is_among(v->blamed, v->n, stream))
        report(v, &f);
}

static void blame(Verify *v, Str stream, const char *what)
{
    blame_as(v, FAULT_DAMAGE, stream, what);
}

/* --- One stream -------------------------------------------------------------------------- */

/* Where the reading of a stream has come to. */
typedef struct Through {
    Mark last;        /* of the record before; seq 0: none */
    uint64_t next;    /* the seq to read from */
    uint64_t damaged; /* records that were passed over */
    bool told;
} Through;

/* Write "record N is", or "records N to M are". */
static void say_range(char to[SENTENCE], uint64_t from, uint64_t last, const char *what)
{
    if (from == last)
        snprintf(to, SENTENCE, "record %llu is %s", (unsigned long long)from, what);
    else
        snprintf(to, SENTENCE, "records %llu to %llu are %s", (unsigned long long)from,
                 (unsigned long long)last, what);
}

/* Numbers that nothing has between `before` and `r`, which are both there: a trim takes the oldest
 * only.  `damaged`: something there could not be read. */
static void check_gap(Verify *v, Str stream, Through *t, uint64_t before, const Record *r,
                      bool damaged)
{
    assert(before > 0 && r->mark.seq > before + 1);
    char what[SENTENCE];
    uint64_t from = before + 1, to = r->mark.seq - 1;
    uint64_t trimmed = r->mark.gap < to - before ? r->mark.gap : to - before;
    StoreFault f = { .kind = FAULT_GAP,
                     .stream = stream,
                     .what = what,
                     .advice = "nothing: copy more often than gc runs to have all of them" };
    if (trimmed && !damaged) {
        say_range(what, to - trimmed + 1, to, "not here: trimmed before this copy was made");
        report(v, &f);
        to -= trimmed;
    }
    if (from > to || t->told)
        return;
    say_range(what, from, to, "lost: damaged, or missing");
    blame_as(v, damaged ? FAULT_DAMAGE : FAULT_LOST, stream, what);
    t->told = true;
}

static void take_record(Verify *v, Str stream, Through *t, const Record *r)
{
    Err why = { 0 };
    bool neighbours = t->last.seq + 1 == r->mark.seq;
    if (neighbours && store_check_next(stream, &t->last, r, &why) != JOT_OK) {
        blame(v, stream, why.text);
        t->told = true;
    }
    t->last = r->mark;
    t->next = r->mark.seq + 1;
    v->count->records++;
    v->count->bytes += r->body.n;
}

/* True if a record that was read is still there: then nobody has trimmed what stood after it. */
static bool still_there(Verify *v, Str stream, uint64_t seq)
{
    AUTO(Arena) arena = { 0 };
    Records one;
    return seq && store_read(v->s, stream, (SeqRange){ seq, 1 }, &arena, &one, NULL) == JOT_OK &&
           one.n && one.items[0].mark.seq == seq;
}

/* A page that cannot be had is read one by one, so that one bad record is reported alone. */
static jot_status read_page(Verify *v, Str stream, Through *t, bool *more, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Records page;
    Err why = { 0 };
    jot_status st = store_read(v->s, stream, (SeqRange){ t->next, PAGE }, &arena, &page, &why);
    bool single = st == JOT_CORRUPT;
    if (single)
        st = store_read(v->s, stream, (SeqRange){ t->next, 1 }, &arena, &page, &why);
    if (st == JOT_CORRUPT) {
        blame(v, stream, why.text);
        t->told = true;
        t->last = (Mark){ 0 };
        *more = ++t->next <= STORE_SEQ_MAX;
        return JOT_OK;
    }
    if (st != JOT_OK)
        return err_pass(e, &why, st);
    for (size_t i = 0; i < page.n; i++) {
        const Record *r = &page.items[i];
        uint64_t before = t->last.seq;
        /* Between two pages somebody may have trimmed what stood after the one before: then that
         * one is gone, too, and nothing is missing. */
        if (before && r->mark.seq > before + 1 && (i || still_there(v, stream, before)))
            check_gap(v, stream, t, before, r, page.damaged);
        take_record(v, stream, t, r);
    }
    t->damaged += page.damaged;
    *more = page.more && page.n;
    return JOT_OK;
}

static void report_edit(Verify *v, Str stream, const Mark *head, bool recorded)
{
    StoreFault f = { .kind = FAULT_EDIT,
                     .stream = stream,
                     .what = head->op == OP_DELETE ? "its file was removed by hand"
                                                   : "its file was edited by hand",
                     .advice = "nothing: the next write records it as a version",
                     .mends = true };
    if (!recorded && is_among(v->lost, v->lost_n, stream))
        return; /* what became of its history has been reported */
    if (!recorded) {
        f.what = "its file has no history: a person made it, or its stream was not copied";
        f.advice = "if the pad was copied, copy all of it; else the next write records it";
    }
    report(v, &f);
}

/* Times do not run backwards in a stream, so one wrong clock moves all that follow. */
static void check_time(Verify *v, Str stream, const Mark *head)
{
    char what[SENTENCE];
    if (head->seq == 0 || head->at_ms - STORE_AHEAD_MS <= store_now_ms(v->s))
        return;
    snprintf(what, sizeof what, "its newest record is of %s, which is still to come",
             time_text(head->at_ms).text);
    StoreFault f = { .kind = FAULT_TIME,
                     .stream = stream,
                     .what = what,
                     .advice = "a clock was wrong: order and versions are right, new records get "
                               "the same time until then" };
    report(v, &f);
}

static void check_head(Verify *v, Str stream, Through *t)
{
    AUTO(Arena) arena = { 0 };
    char what[SENTENCE];
    Record head = { 0 };
    Err why = { 0 };
    jot_status st = store_head(v->s, stream, HEAD_RECORD, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND) {
        blame(v, stream, why.text);
        return;
    }
    if (st == JOT_OK && head.mark.seq == 0) {
        report_edit(v, stream, &head.mark, t->last.seq || t->told || t->damaged);
        return;
    }
    if (st == JOT_OK)
        check_time(v, stream, &head.mark);
    uint64_t newest = st == JOT_OK ? head.mark.seq : 0;
    if (head.mark.lost && !t->told) {
        snprintf(what, sizeof what,
                 "record %llu, its newest, is damaged and cannot be read: record %llu counts",
                 (unsigned long long)mark_last(&head.mark), (unsigned long long)newest);
        blame(v, stream, what);
        t->told = true;
        return;
    }
    /* A writer may have been quicker than we. */
    if (newest >= t->last.seq || t->told)
        return;
    snprintf(what, sizeof what, "its newest record is %llu, but its head is %llu",
             (unsigned long long)t->last.seq, (unsigned long long)newest);
    blame(v, stream, what);
}

static jot_status verify_stream(Verify *v, Str stream, Err *e)
{
    Through t = { 0 };
    char what[SENTENCE];
    uint64_t limit = 0;
    for (bool more = true; more;) {
        jot_status st = read_page(v, stream, &t, &more, e);
        if (st == JOT_NOT_FOUND)
            break; /* a file a person made, with no record yet */
        TRY(st);
        /* One after the other nothing could be read: the rest is reported as one. */
        limit = t.told && t.last.seq == 0 ? limit + 1 : 0;
        if (limit > STORE_READ_MAX)
            break;
    }
    check_head(v, stream, &t);
    if (t.damaged && !t.told) {
        snprintf(what, sizeof what, "%llu of its records cannot be read",
                 (unsigned long long)t.damaged);
        blame(v, stream, what);
    }
    if (++v->count->streams % PROGRESS_EVERY == 0 && v->hooks->progress)
        v->hooks->progress(v->hooks->ctx, v->count);
    return JOT_OK;
}

/* --- All streams ------------------------------------------------------------------------- */

static jot_status each_stream(Store *s, jot_status (*each)(void *ctx, Str stream, Err *e),
                              void *ctx, Err *e)
{
    Pages p = pages_new(s, &(ListQuery){ .limit = PAGE, .which = LIST_ALL });
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        for (size_t i = 0; i < page.n; i++)
            TRY(each(ctx, page.items[i].name, e));
    }
    return JOT_OK;
}

static jot_status verify_each(void *ctx, Str stream, Err *e)
{
    Err why = { 0 };
    if (!may_go_on(ctx))
        return err_set(e, JOT_CANCELLED, "cancelled: nobody waits for it any more");
    jot_status st = verify_stream(ctx, stream, &why);
    /* What one stream refuses is its own; what the pad refuses is the end. */
    if (st == JOT_OK || st == JOT_IO || st == JOT_UNAVAILABLE)
        return err_pass(e, &why, st);
    blame(ctx, stream, why.text);
    return JOT_OK;
}

jot_status store_verify(Store *s, const VerifyHooks *hooks, VerifyCount *out, Err *e)
{
    static const VerifyHooks none = { 0 };
    assert(s && out);
    *out = (VerifyCount){ 0 };
    TRY(store_check_mine(s, e));
    Verify v = { .s = s, .hooks = hooks ? hooks : &none, .count = out };
    VerifyHooks for_engine = { .fault = report_for_engine, .ctx = &v, .go_on = may_go_on };
    VerifyHooks for_heads = { .fault = report_loss, .ctx = &v };
    /* The engine goes first: what it says of a stream is nearer to the cause than what a reader
     * finds, and each stream is blamed once. */
    jot_status st = s->ops->verify ? s->ops->verify(s, &for_engine, e) : JOT_OK;
    if (st == JOT_OK && s->ops->heads)
        st = s->ops->heads(s, &for_heads, false, &out->heads, e);
    if (st == JOT_OK && v.hooks->progress) {
        st = walk_count(s, &out->total, e);
        v.hooks->progress(v.hooks->ctx, out);
    }
    if (st == JOT_OK)
        st = each_stream(s, verify_each, &v, e);
    arena_free(&v.arena);
    return st;
}

/* Is this the pad's refusal, and not one stream's? */
static bool is_over(jot_status st)
{
    return st == JOT_IO || st == JOT_UNAVAILABLE || st == JOT_READ_ONLY || st == JOT_UNKNOWN;
}

/* A trim that drops nothing takes the lock, repairs what is broken, and records edits. */
static jot_status mend_each(void *ctx, Str stream, Err *e)
{
    Store *s = ctx;
    Err why = { 0 };
    uint64_t dropped;
    jot_status st = store_trim(s, stream, NULL, 0, &dropped, &why);
    if (st == JOT_OK || st == JOT_NOT_FOUND)
        return JOT_OK;
    if (is_over(st))
        return err_pass(e, &why, st);
    store_met(s, &s->report.damaged, "%.150s", why.text);
    return JOT_OK;
}

/* Streams of which something was left. */
typedef struct Leftovers {
    Arena arena;
    Str *names;
    size_t n, cap;
} Leftovers;

static void leftovers_done(Leftovers *l)
{
    arena_free(&l->arena);
}
DEFINE_AUTO(Leftovers, leftovers_done)

static void note_leftover(void *ctx, const StoreFault *fault)
{
    Leftovers *l = ctx;
    if (fault->kind != FAULT_LEFTOVER || fault->stream.n == 0)
        return;
    l->names = arena_grow(&l->arena, l->names, l->n, &l->cap, sizeof(Str), alignof(Str));
    l->names[l->n++] = arena_copy(&l->arena, fault->stream);
}

/* Where there is no record yet, a trim finds nothing: an append that is refused does the same. */
static jot_status settle_one(Store *s, Str stream, Err *e)
{
    uint64_t dropped;
    Err missing = { 0 };
    jot_status st = store_trim(s, stream, NULL, 0, &dropped, &missing);
    if (st == JOT_NOT_FOUND)
        return store_record_edits(s, stream, e);
    return err_pass(e, &missing, st);
}

typedef void SettleFailed(void *ctx, Str stream, const char *why);

/* Each of them; one that refuses is reported, unless the pad does. */
static jot_status settle_leftovers(Store *s, SettleFailed *failed, void *ctx, Err *e)
{
    AUTO(Leftovers) l = { 0 };
    VerifyHooks hooks = { .fault = note_leftover, .ctx = &l };
    if (s->ops->verify)
        TRY(s->ops->verify(s, &hooks, e));
    for (size_t i = 0; i < l.n; i++) {
        Err why = { 0 };
        jot_status st = settle_one(s, l.names[i], &why);
        if (st == JOT_OK)
            continue;
        if (is_over(st) && st != JOT_UNAVAILABLE)
            return err_pass(e, &why, st);
        if (failed)
            failed(ctx, l.names[i], why.text);
    }
    return JOT_OK;
}

jot_status store_settle(Store *s, SettleFailed *failed, void *ctx, Err *e)
{
    assert(s);
    TRY(store_check_mine(s, e));
    if (s->read_only_why[0])
        return store_refuse_write(s, e);
    if (s->ops->settle)
        TRY(s->ops->settle(s, e));
    return settle_leftovers(s, failed, ctx, e);
}

static void meet_unsettled(void *ctx, Str stream, const char *why)
{
    Store *s = ctx;
    store_met(s, &s->report.damaged, "%.150s", why);
}

static void note_fault(void *ctx, const StoreFault *f)
{
    bool *damaged = ctx;
    *damaged = *damaged || fault_counts(f->kind);
}

/* Only the newest table counts, so one that is damaged is dropped with all before it.  If it is the
 * newest, all leases have expired, and a tombstone says so from now on. */
static jot_status drop_lost_tables(Store *s, Err *e)
{
    AUTO(Arena) arena = { 0 };
    bool damaged = false;
    VerifyHooks hooks = { .fault = note_fault, .ctx = &damaged };
    VerifyCount count = { 0 };
    Verify v = { .s = s, .hooks = &hooks, .count = &count };
    Record head = { 0 };
    Err why = { 0 };
    TRY(verify_stream(&v, S(STORE_TOKENS), e));
    if (!damaged)
        return JOT_OK;
    jot_status st = store_head(s, S(STORE_TOKENS), HEAD_MARK, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return JOT_OK; /* the file itself: each_stream has more to say */
    if (head.mark.lost)
        TRY(store_append(s, S(STORE_TOKENS), NULL, &(Draft){ .op = OP_DELETE, .by = S("doctor") },
                         &head.mark, e));
    return store_forget_before(s, S(STORE_TOKENS), NULL, head.mark.seq, e);
}

/* Tokens that are not known any more were given: the next one is higher than they. */
static jot_status mend_tokens(Store *s, Err *e)
{
    uint64_t given = 0;
    if (s->ops->tokens && !MUTANT(DOCTOR_DROPS_TOKENS))
        TRY(s->ops->tokens(s, &given, e));
    if (given)
        TRY(store_raise_tokens(s, given, e));
    return MUTANT(DOCTOR_KEEPS_TABLES) ? JOT_OK : drop_lost_tables(s, e);
}

jot_status store_mend(Store *s, const MendOptions *o, Err *e)
{
    static const MendOptions plain = { 0 };
    assert(s);
    TRY(store_check_mine(s, e));
    if (s->read_only_why[0])
        return store_refuse_write(s, e);
    if (s->ops->mend)
        TRY(s->ops->mend(s, o ? o : &plain, e));
    /* Before anything is written: afterwards others would stand in the place of what is lost. */
    HeadsSeen seen;
    TRY(mend_tokens(s, e));
    if (s->ops->heads)
        TRY(s->ops->heads(s, NULL, true, &seen, e));
    TRY(each_stream(s, mend_each, s, e));
    /* A name that never came to its first record is in no list. */
    TRY(settle_leftovers(s, meet_unsettled, s, e));
    return store_note_heads(s, e);
}

jot_status store_note_heads(Store *s, Err *e)
{
    HeadsSeen seen;
    assert(s);
    TRY(store_check_mine(s, e));
    return s->ops->heads ? s->ops->heads(s, NULL, false, &seen, e) : JOT_OK;
}

bool store_moved(Store *s)
{
    return s->ops->moved && store_check_mine(s, NULL) == JOT_OK && s->ops->moved(s);
}

void store_idle(Store *s)
{
    if (s->ops->idle && store_check_mine(s, NULL) == JOT_OK)
        s->ops->idle(s);
}
