/* forget.c - trim, redact, purge, and records that are put where they were before.
 *
 * A purge is decided by the PUT of its tombstone, which says that everything before it does not
 * count (its floor, which every later record repeats).  What follows is cleaning, in any order and
 * by anybody:
 *
 *     an object of an hour or more ──► DELETE
 *     a younger one ─────────────────► overwritten by a stub; g/NAME reminds gc to delete it later
 *
 * Redact and trim look at head and guard, and act then: S3 has no step of several objects.  One
 * that was interrupted has done a part, and repeating completes it.  A trim begins with the oldest
 * record, so that what it leaves has no hole.
 *
 * Whoever keeps words of the pad learns from c/forgot that some must go.  That is put after they
 * have gone; before, c/forgetting-NONCE says that it is under way, in case nobody lives to put the
 * other. */
#include "store/s3/forget.h"

#include <assert.h>

#include "base/mutant.h"
#include "store/s3/append.h"
#include "store/s3/listing.h"
#include "store/s3/look.h"
#include "store/s3/mark.h"
#include "store/s3/pad.h"
#include "store/s3/request.h"
#include "store/sending.h"

/* --- Removing objects ---------------------------------------------------------------------- */

typedef struct Removing {
    Str stream;
    uint64_t below;   /* what is to go: numbers below this ... */
    uint64_t floor;   /* ... and of those below this nobody counts how many */
    uint64_t dropped; /* records that went */
    bool later;       /* something must be removed later */
} Removing;

/* The numbers below, of a whole stream; newest first. */
typedef struct Doomed {
    uint64_t seq;
    bool young, stub;
} Doomed;

typedef struct DoomedSet {
    Doomed *items;
    size_t n, cap;
} DoomedSet;

static jot_status collect(S3 *p, const Removing *r, Arena *arena, DoomedSet *out, Err *e)
{
    S3Where w = { .prefix = s3_records(arena, r->stream), .max = S3_PAGE };
    if (r->below <= STORE_SEQ_MAX)
        w.after = s3_record(arena, r->stream, r->below);
    for (bool more = true; more;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        s3_more(p);
        int64_t now = s3_server_ms(p);
        for (size_t i = 0; i < l.n; i++) {
            Doomed d = { .young = now - l.items[i].at_ms < S3_YOUNG_MS,
                         .stub = l.items[i].size < S3_STUB_MAX };
            if (!s3_seq_of(l.items[i].key, &d.seq))
                continue;
            if (out->n == out->cap)
                out->items = arena_grow(arena, out->items, out->n, &out->cap, sizeof *out->items,
                                        alignof(Doomed));
            out->items[out->n++] = d;
        }
        more = l.more && l.n;
        if (more)
            w.after = arena_copy(arena, l.items[l.n - 1].key);
    }
    return JOT_OK;
}

/* The oldest goes first. */
static jot_status remove_below(S3 *p, Removing *r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    DoomedSet set = { 0 };
    TRY(collect(p, r, &arena, &set, e));
    for (size_t i = set.n; i-- > 0;) {
        const Doomed *d = &set.items[i];
        Str key = s3_record(&arena, r->stream, d->seq);
        if (!d->young || MUTANT(S3_DELETE_YOUNG))
            TRY(s3_delete(p, key, e));
        else if (!d->stub)
            TRY(s3_put(p, key, S(S3_STUB), e));
        r->later = r->later || d->young;
        r->dropped += !d->stub && d->seq >= r->floor;
        s3_more(p);
    }
    return JOT_OK;
}

/* --- Telling ------------------------------------------------------------------------------ */

static Str reminder(Arena *into, Str stream)
{
    return s3_named(into, "g", stream, S(" "));
}

static Str forgetting(Arena *into, uint64_t nonce)
{
    return arena_printf(into, "c/forgetting-%016llx", (unsigned long long)nonce);
}

static jot_status announce(S3 *p, Str stream, uint64_t nonce, Err *e)
{
    AUTO(Arena) arena = { 0 };
    TRY(s3_put(p, reminder(&arena, stream), S(""), e));
    return s3_put(p, forgetting(&arena, nonce), stream, e);
}

static jot_status conclude(S3 *p, Str stream, uint64_t nonce, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str said = arena_printf(&arena, "%016llx", (unsigned long long)nonce);
    TRY(s3_hint(p, stream, true, e));
    TRY(s3_put(p, S("c/forgot"), said, e));
    return s3_delete(p, forgetting(&arena, nonce), e);
}

/* What was decided has happened, but a part of it is still to be done. */
static jot_status half_done(jot_status st, const Err *why, Err *e)
{
    if (st == JOT_OK)
        return JOT_OK;
    Err own = *why;
    return err_set(e, JOT_UNKNOWN, "not all of it is removed yet, do it again: %s", own.text);
}

/* --- Conditions ---------------------------------------------------------------------------- */

static jot_status meet(S3 *p, const Forget *f, Arena *into, S3Object *head, Err *e)
{
    uint64_t guard_seq = 0;
    TRY(s3_look(p, f->stream, false, into, head, e));
    if (f->out)
        *f->out = head->record.mark;
    if (head->record.mark.seq == 0 && !f->batch)
        return store_not_found(e, f->stream);
    TRY(s3_guard_seq(p, f->x, &guard_seq, e));
    return store_check_expect(f->stream, f->x, &head->record.mark, guard_seq, e);
}

/* --- Trim ---------------------------------------------------------------------------------- */

jot_status s3_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                   Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(Arena) arena = { 0 };
    S3Object head;
    Forget f = { .stream = stream, .x = x, .seq = before };
    TRY(s3_ready(p, "trim", stream, e));
    TRY(meet(p, &f, &arena, &head, e));
    Removing r = { .stream = stream,
                   .below = store_trim_from(&head.record.mark, before),
                   .floor = head.floor };
    jot_status st = remove_below(p, &r, e);
    *dropped = r.dropped;
    TRY(st);
    return r.later ? s3_put(p, reminder(&arena, stream), S(""), e) : JOT_OK;
}

jot_status s3_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(Arena) arena = { 0 };
    S3Object head, from;
    S3Found found = S3_ABSENT;
    Err why = { 0 };
    Forget f = { .stream = stream, .x = x, .seq = seq, .nonce = s3_nonce(p) };
    TRY(s3_ready(p, "forget the beginning of", stream, e));
    TRY(meet(p, &f, &arena, &head, e));
    if (seq && seq <= STORE_SEQ_MAX && seq >= head.floor)
        TRY(s3_fetch(p, &(S3At){ stream, seq, false }, &arena, &from, &found, e));
    if (found != S3_THERE)
        return store_not_found(e, stream);
    TRY(announce(p, stream, f.nonce, e));
    Removing r = { .stream = stream, .below = seq, .floor = head.floor };
    jot_status st = remove_below(p, &r, &why);
    if (st == JOT_OK)
        st = conclude(p, stream, f.nonce, &why);
    return half_done(st, &why, e);
}

/* --- Redact -------------------------------------------------------------------------------- */

/* May each of them be redacted?  Their headers, for the objects that take their place. */
static jot_status find(S3 *p, const Forget *f, Arena *into, S3Object *out, Err *e)
{
    S3Object head;
    TRY(meet(p, f, into, &head, e));
    for (size_t i = 0; i < f->set->n; i++) {
        S3Found found = S3_ABSENT;
        uint64_t seq = f->set->seqs[i];
        if (seq && seq <= STORE_SEQ_MAX && seq >= head.floor)
            TRY(s3_fetch(p, &(S3At){ f->stream, seq, false }, into, &out[i], &found, e));
        if (found != S3_THERE)
            return store_not_found(e, f->stream);
        TRY(store_check_redact(f->stream, &head.record.mark, &out[i].record.mark, e));
        s3_more(p);
    }
    return JOT_OK;
}

/* Replace the object by its header, if it is still what was seen.  If it is not, a trim, a purge or
 * another redaction came first, and its body has gone: the header must not come back in their
 * stead. */
static jot_status blank(S3 *p, Str stream, S3Object *o, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    bool done = false;
    if (o->record.mark.redacted)
        return JOT_OK;
    o->record.mark.redacted = true;
    s3_write_object(&text, stream, o);
    s3_more(p);
    Str key = s3_record(&arena, stream, o->record.mark.seq);
    return s3_put_over(p, key, o->etag, buf_str(&text), &done, e);
}

jot_status s3_redact(Store *s, Str stream, const Expect *x, const Redaction *set, Err *e)
{
    S3 *p = (S3 *)s;
    AUTO(Arena) arena = { 0 };
    Err why = { 0 };
    Forget f = { .stream = stream, .x = x, .set = set, .nonce = s3_nonce(p) };
    S3Object *objects = NEW_ARRAY(&arena, S3Object, set->n);
    TRY(s3_ready(p, "redact", stream, e));
    TRY(s3_probe_match(p, e));
    TRY(find(p, &f, &arena, objects, e));
    TRY(announce(p, stream, f.nonce, e));
    jot_status st = JOT_OK;
    for (size_t i = 0; i < set->n && st == JOT_OK; i++)
        st = blank(p, stream, &objects[i], &why);
    if (st == JOT_OK)
        st = conclude(p, stream, f.nonce, &why);
    return half_done(st, &why, e);
}

/* --- Purge --------------------------------------------------------------------------------- */

/* What goes: the oldest record, and the newest ones. */
typedef struct GoneSet {
    Record oldest;
    Record *newest; /* their chains are told, and each is a request, as its removal is */
    size_t n;
} GoneSet;

static jot_status read_gone(S3 *p, Str stream, uint64_t head, Arena *into, GoneSet *out, Err *e)
{
    S3Object o;
    S3Found found;
    S3Numbers first, last;
    uint64_t from = head > STORE_TOLD_MAX ? head - STORE_TOLD_MAX + 1 : 1;
    *out = (GoneSet){ .newest = NEW_ARRAY(into, Record, STORE_TOLD_MAX) };
    TRY(s3_numbers(p, stream, (SeqRange){ 0, 1 }, into, &first, e));
    if (first.n) {
        TRY(s3_fetch(p, &(S3At){ stream, first.seqs[0], false }, into, &o, &found, e));
        if (found == S3_THERE)
            out->oldest = o.record;
    }
    TRY(s3_numbers(p, stream, (SeqRange){ from, STORE_TOLD_MAX }, into, &last, e));
    for (size_t i = 0; i < last.n; i++) {
        TRY(s3_fetch(p, &(S3At){ stream, last.seqs[i], false }, into, &o, &found, e));
        if (found == S3_THERE)
            out->newest[out->n++] = o.record;
        s3_more(p);
    }
    return JOT_OK;
}

/* The tombstone is there: take away what it stands for. */
static jot_status clean(S3 *p, Str stream, const S3Object *tombstone, Err *e)
{
    Removing r = { .stream = stream, .below = tombstone->record.mark.seq };
    TRY(remove_below(p, &r, e));
    TRY(s3_retire(p, stream, tombstone->record.mark.seq, e));
    return conclude(p, stream, tombstone->nonce, e);
}

/* One try: *beaten if somebody was faster. */
static jot_status purge_once(S3 *p, Forget *f, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object head;
    GoneSet set;
    S3Put put;
    Err why = { 0 };
    int64_t seen_ms = io_awake_ms(p->base.io);
    TRY(meet(p, f, &arena, &head, e));
    TRY(store_check_room(f->stream, &head.record.mark, 1, e));
    TRY(read_gone(p, f->stream, head.record.mark.seq, &arena, &set, e));
    Gone gone = { set.oldest.mark.seq ? &set.oldest : NULL, set.newest, set.n };
    S3Object o = { .nonce = f->nonce };
    o.record = store_tombstone(&p->base, f->stream, f->by, &head.record.mark, &gone, &arena);
    o.floor = o.record.mark.seq;
    TRY(s3_bury(p, f->stream, e));
    TRY(announce(p, f->stream, f->nonce, e));
    int64_t sent_ms = io_awake_ms(p->base.io);
    TRY(s3_put_record(p, f->stream, &o, seen_ms, &put, e));
    *beaten = put != S3_PUT_DONE;
    if (*beaten)
        return JOT_OK;
    *f->out = o.record.mark;
    TRY(s3_saw(p, f->stream, &o, sent_ms, e));
    return half_done(clean(p, f->stream, &o, &why), &why, e);
}

jot_status s3_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    S3 *p = (S3 *)s;
    Forget f = { .stream = stream, .x = x, .by = by, .out = out, .nonce = s3_nonce(p) };
    TRY(s3_ready(p, "purge", stream, e));
    int64_t until = io_awake_ms(&io_system) + s->wait_ms;
    for (;;) {
        bool beaten = false;
        TRY(purge_once(p, &f, &beaten, e));
        if (!beaten)
            return JOT_OK;
        if (io_awake_ms(&io_system) > until)
            return s3_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}

/* --- Records as they were ------------------------------------------------------------------- */

/* What is before and after the place, if the records go between others. */
typedef struct Gap {
    S3Object before, after;
} Gap;

static jot_status look_beside(S3 *p, const Forget *f, Arena *into, Gap *out, Err *e)
{
    uint64_t seq = f->batch->items[0].mark.seq, before = 0;
    S3Numbers from;
    S3Found found;
    *out = (Gap){ 0 };
    TRY(s3_before(p, f->stream, seq, &before, e));
    if (before)
        TRY(s3_fetch(p, &(S3At){ f->stream, before, false }, into, &out->before, &found, e));
    TRY(s3_numbers(p, f->stream, (SeqRange){ seq, 1 }, into, &from, e));
    if (from.n)
        TRY(s3_fetch(p, &(S3At){ f->stream, from.seqs[0], false }, into, &out->after, &found, e));
    return JOT_OK;
}

/* One of the records; a stub in its place is what a trim has left, and gives way. */
static jot_status put_one(S3 *p, const Forget *f, const S3Object *o, S3Put *put, Err *e)
{
    Str stream = f->stream;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    S3Object there;
    S3Found found;
    s3_more(p);
    TRY(s3_put_record(p, stream, o, f->seen_ms, put, e));
    if (*put != S3_PUT_TAKEN)
        return JOT_OK;
    TRY(s3_fetch(p, &(S3At){ stream, o->record.mark.seq, false }, &arena, &there, &found, e));
    if (found != S3_GONE)
        return JOT_OK;
    *put = S3_PUT_DONE;
    s3_write_object(&text, stream, o);
    return s3_put(p, s3_record(&arena, stream, o->record.mark.seq), buf_str(&text), e);
}

static bool any_live(const Batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (mark_live(&b->items[i].mark))
            return true;
    return false;
}

static jot_status put_all(S3 *p, Forget *f, const S3Object *after, bool *beaten, S3Object *last,
                          Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str ids = after->ids;
    for (size_t i = 0; i < f->batch->n; i++) {
        const Record *r = &f->batch->items[i];
        S3Put put = S3_PUT_DONE;
        ids = s3_next_ids(&arena, ids, r->mark.seq, r->id);
        *last = (S3Object){ .record = *r, .nonce = f->nonce, .floor = after->floor, .ids = ids };
        int64_t sent_ms = io_awake_ms(p->base.io);
        TRY(put_one(p, f, last, &put, e));
        *beaten = put != S3_PUT_DONE;
        if (*beaten)
            return JOT_OK;
        f->seen_ms = sent_ms; /* the next one follows this */
    }
    return s3_saw(p, f->stream, last, f->seen_ms, e);
}

/* At the end: what lives has its mark first, what is dead its own. */
static jot_status put_behind(S3 *p, Forget *f, const S3Object *head, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    const Mark *was = &head->record.mark, *last = &batch_last(f->batch)->mark;
    S3Object end = { 0 };
    uint64_t first = f->batch->items[0].mark.seq;
    S3Claim claim = { f->stream, first, f->nonce, { 0 } };
    if (!mark_live(was) && mark_live(last))
        TRY(s3_claim(p, &claim, &arena, e));
    else if (!mark_live(was) && any_live(f->batch)) /* it lives for a moment */
        TRY(s3_put_mark(p, &claim, &arena, e));
    if (!mark_live(last))
        TRY(s3_bury(p, f->stream, e));
    TRY(s3_hint(p, f->stream, false, e));
    TRY(put_all(p, f, head, beaten, &end, e));
    if (*beaten && end.record.mark.seq == first)
        s3_withdraw(p, &claim);
    return *beaten || mark_live(last) ? JOT_OK : s3_retire(p, f->stream, last->seq, e);
}

/* Between two others: the head stays what it is. */
static jot_status put_between(S3 *p, const Forget *f, bool *beaten, Err *e)
{
    TRY(s3_hint(p, f->stream, true, e));
    for (size_t i = 0; i < f->batch->n && !*beaten; i++) {
        S3Object o = { .record = f->batch->items[i], .nonce = f->nonce };
        S3Put put = S3_PUT_DONE;
        TRY(put_one(p, f, &o, &put, e));
        *beaten = put != S3_PUT_DONE;
    }
    return JOT_OK;
}

static jot_status put_once(S3 *p, Forget *f, bool *beaten, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object head;
    Gap gap;
    f->seen_ms = io_awake_ms(p->base.io);
    TRY(meet(p, f, &arena, &head, e));
    const Mark *m = &head.record.mark;
    bool fills = f->batch->gaps && f->batch->items[0].mark.seq <= m->seq;
    if (!fills) {
        TRY(store_check_place(f->stream, f->batch, m, NULL, e));
        return put_behind(p, f, &head, beaten, e);
    }
    TRY(look_beside(p, f, &arena, &gap, e));
    TRY(store_check_place(f->stream, f->batch, &gap.before.record.mark, &gap.after.record, e));
    return put_between(p, f, beaten, e);
}

jot_status s3_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    S3 *p = (S3 *)s;
    Forget f = { .stream = stream, .x = x, .batch = b, .nonce = s3_nonce(p) };
    TRY(s3_ready(p, "write", stream, e));
    int64_t until = io_awake_ms(&io_system) + s->wait_ms;
    for (;;) {
        bool beaten = false;
        TRY(put_once(p, &f, &beaten, e));
        if (!beaten)
            return JOT_OK;
        if (io_awake_ms(&io_system) > until)
            return s3_say(p, e, JOT_UNAVAILABLE, "other writers were faster all the time");
    }
}

/* --- Later ----------------------------------------------------------------------------------- */

/* Everything of a stream that does not count and has had its hour; *rest: some has not yet. */
static jot_status sweep(S3 *p, Str stream, bool *rest, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object head;
    DoomedSet set = { 0 };
    TRY(s3_look(p, stream, false, &arena, &head, e));
    Removing all = { .stream = stream, .below = head.record.mark.seq };
    if (all.below == 0)
        return JOT_OK;
    TRY(collect(p, &all, &arena, &set, e));
    for (size_t i = set.n; i-- > 0;) {
        const Doomed *d = &set.items[i];
        if (!d->stub && d->seq >= head.floor)
            continue;
        Str key = s3_record(&arena, stream, d->seq);
        if (!d->young)
            TRY(s3_delete(p, key, e));
        else if (!d->stub)
            TRY(s3_put(p, key, S(S3_STUB), e));
        *rest = *rest || d->young;
        s3_more(p);
    }
    return JOT_OK;
}

static jot_status sweep_reminded(S3 *p, Err *e)
{
    AUTO(S3Names) names = s3_names_begin("g", S(""), S(""));
    for (;;) {
        AUTO(Arena) arena = { 0 };
        bool there = false, rest = false;
        TRY(s3_names_next(p, &names, &there, e));
        if (!there)
            return JOT_OK;
        TRY(sweep(p, names.name, &rest, e));
        /* One that is put again while we look counts for what it was put for: that is young. */
        if (!rest && s3_server_ms(p) - names.at_ms > S3_YOUNG_MS)
            TRY(s3_delete(p, reminder(&arena, names.name), e));
    }
}

/* A mark of an hour ago whose name does not live: its record has ended, or cannot come any more. */
static jot_status sweep_mark(S3 *p, const S3Listed *mark, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Object head;
    Str rest;
    if (s3_server_ms(p) - mark->at_ms <= S3_YOUNG_MS)
        return JOT_OK;
    Str name = s3_read_name(&arena, str_from(mark->key, 2), &rest);
    TRY(s3_look(p, name, false, &arena, &head, e));
    return mark_live(&head.record.mark) ? JOT_OK : s3_delete(p, mark->key, e);
}

static jot_status sweep_marks(S3 *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    S3Where w = { .prefix = S("n/"), .max = S3_PAGE };
    for (;;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        for (size_t i = 0; i < l.n; i++) {
            TRY(sweep_mark(p, &l.items[i], e));
            s3_more(p);
        }
        if (!l.more || l.n == 0)
            return JOT_OK;
        w.after = arena_copy(&arena, l.items[l.n - 1].key);
    }
}

static jot_status sweep_hints(S3 *p, Err *e)
{
    enum { KEPT_MS = 25 * 60 * 60 * 1000 };
    S3Where w = { .prefix = S("c/0"), .max = S3_PAGE };
    for (;;) {
        AUTO(S3List) l = { 0 };
        TRY(s3_list(p, &w, &l, e));
        for (size_t i = 0; i < l.n; i++) {
            if (s3_server_ms(p) - l.items[i].at_ms <= KEPT_MS)
                return JOT_OK;
            TRY(s3_delete(p, l.items[i].key, e));
            s3_more(p);
        }
        if (!l.more || l.n == 0)
            return JOT_OK;
    }
}

/* What somebody began and did not live to finish: its words are gone, and that is told now. */
static jot_status sweep_forgetting(S3 *p, Err *e)
{
    AUTO(S3List) l = { 0 };
    S3Where w = { .prefix = S("c/forgetting-"), .max = S3_PAGE };
    TRY(s3_list(p, &w, &l, e));
    for (size_t i = 0; i < l.n; i++) {
        if (s3_server_ms(p) - l.items[i].at_ms <= S3_YOUNG_MS)
            continue;
        TRY(s3_put(p, S("c/forgot"), l.items[i].key, e));
        TRY(s3_delete(p, l.items[i].key, e));
    }
    return JOT_OK;
}

jot_status s3_scrub(Store *s, Err *e)
{
    S3 *p = (S3 *)s;
    if (s->read_only_why[0])
        return JOT_OK;
    TRY(s3_ready(p, "clear", p->shown, e));
    TRY(sweep_reminded(p, e));
    TRY(sweep_forgetting(p, e));
    return sweep_hints(p, e);
}

jot_status s3_settle(Store *s, Err *e)
{
    S3 *p = (S3 *)s;
    TRY(s3_ready(p, "look through the names of", p->shown, e));
    return sweep_marks(p, e);
}
