/* history_undo.c - going back: one append that brings back what was.
 *
 * The deciding stream is the document's own, and an undo is one record of it: it
 * happened or it did not.  It is written on condition that the document is still
 * what the undo was computed from.
 *
 * Its meta names the record whose state it brought back, so that repeated undo
 * walks back and not to and fro:
 *
 *     seq    1    2    3    4            5            6           7
 *     text   a    b    b    c     undo:  b     undo:  a     put:  d
 *                                 {"undo":3}   {"undo":1}
 *                ^--------- the head at 5 stands for 3 ---+
 *
 * From 5, which stands for 3, the record before is 2, with the same text as 3: no
 * change, so it is passed over, and 1 is what the next undo brings back.  Undoing 7
 * leads to 6, that is to a again.
 *
 * Redo walks the same way from its other end: from the newest record that is no undo, the tip,
 * back until the state the head stands for is met; the step before that one is what it brings
 * back.  It is written as an undo is, so both can follow each other. */
#include <assert.h>

#include "memory/doc/history.h"
#include "memory/doc/history_internal.h"

/* A record whose state an undo brought back stands for the one it names; the others for
 * themselves.  seq 0 is the time before the first record. */
static jot_status settle(Memory *m, Str stream, Record r, Arena *into, Record *out, Err *e)
{
    *out = r;
    AUTO_PTR(json_t) meta = NULL;
    if (!r.meta.n || json_read(r.meta, &meta, NULL) != JOT_OK)
        return JOT_OK;
    json_t *undo = json_object_get(meta, "undo");
    if (!json_is_integer(undo))
        return JOT_OK;
    json_int_t seq = json_integer_value(undo);
    if (seq == 0 && r.mark.op == OP_DELETE) {
        *out = (Record){ 0 };
        return JOT_OK;
    }
    Record named = { 0 };
    if (seq > 0 && (uint64_t)seq < r.mark.seq)
        TRY(history_record(m, stream, (uint64_t)seq, into, &named, e));
    /* What is not kept any more, or never was the same, is not believed. */
    if (named.mark.seq && named.mark.op == r.mark.op && hash_eq(named.mark.sha256, r.mark.sha256))
        *out = named;
    return JOT_OK;
}

static bool same_state(const Mark *a, const Mark *b)
{
    bool live = mark_live(a);
    return live == mark_live(b) && (!live || hash_eq(a->sha256, b->sha256));
}

static jot_status nothing_left(Str stream, Err *e)
{
    return err_set(e, JOT_NOT_FOUND, "there is nothing to undo in %s", doc_name(stream).text);
}

/* A way back through a history. */
typedef struct Back {
    Memory *m;
    Str stream;
    uint64_t last; /* the newest record's seq */
    bool undone;   /* as undos go: what one of them brought back stands for what it was */
} Back;

/* *at becomes the state before the change that led to it. */
static jot_status one_back(const Back *b, Arena *into, Record *at, Err *e)
{
    Mark present = at->mark;
    Memory *m = b->m;
    Str stream = b->stream;
    uint64_t seq = at->mark.seq ? at->mark.seq - 1 : b->last;
    for (int steps = 0; steps < UNDO_STEPS_MAX; steps++) {
        if (seq == 0) {
            *at = (Record){ 0 };
            return mark_live(&present) ? JOT_OK : nothing_left(stream, e);
        }
        Record r;
        TRY(history_record(m, stream, seq, into, &r, e));
        if (r.mark.seq == 0)
            return err_set(
                e, JOT_NOT_FOUND,
                "cannot undo further in %s: record %llu is not kept any more, see its history",
                doc_name(stream).text, (unsigned long long)seq);
        *at = r;
        if (b->undone)
            TRY(settle(m, stream, r, into, at, e));
        if (!same_state(&present, &at->mark))
            return JOT_OK;
        assert(at->mark.seq <= seq); /* it only goes back */
        seq = at->mark.seq ? at->mark.seq - 1 : 0;
    }
    return err_set(e, JOT_NOT_FOUND, "the last %d versions of %s are all the same", UNDO_STEPS_MAX,
                   doc_name(stream).text);
}

/* *at is the head, whose seq is 0 if it is an edit that is not recorded. */
static jot_status go_back(Back *b, uint64_t steps, Arena *into, Record *at, Err *e)
{
    TRY(history_last(b->m, b->stream, &at->mark, &b->last, e));
    if (at->mark.seq && b->undone)
        TRY(settle(b->m, b->stream, *at, into, at, e));
    for (uint64_t i = 0; i < steps; i++) {
        /* An edit that is not recorded has no seq either, but only as the first. */
        if (at->mark.op == 0)
            return nothing_left(b->stream, e);
        TRY(one_back(b, into, at, e));
    }
    return JOT_OK;
}

jot_status history_earlier(Memory *m, Str stream, uint64_t steps, Arena *into, Record *at, Err *e)
{
    return go_back(&(Back){ .m = m, .stream = stream }, steps, into, at, e);
}

/* Make the state of `back` the present one; *out is what stands there now, and afterwards. */
static jot_status bring(Memory *m, Str stream, const Record *back, Arena *into, Doc *out, Err *e)
{
    bool live = mark_live(&back->mark);
    Draft d = { .op = live ? OP_PUT : OP_DELETE, .body = live ? back->body : (Str){ 0 } };
    d.meta = live ? back->meta : (Str){ 0 };
    if (live && !mark_live(&out->mark))
        TRY(doc_keep_file(m, stream, &d.meta, into, e));
    d.meta = meta_with(d.meta, "undo", json_integer((json_int_t)back->mark.seq), into);
    Expect x = { .kind = EXPECT_ABSENT };
    if (mark_live(&out->mark))
        x = (Expect){ .kind = EXPECT_HASH, .sha256 = out->mark.sha256 };
    Mark mark;
    jot_status st = memory_append(m, stream, &x, &d, &mark, e);
    if (st == JOT_CONFLICT) {
        TRY(doc_present(m, stream, into, out, e));
        return doc_conflict(stream, false, out, e);
    }
    TRY(st);
    *out = (Doc){ .text = d.body, .by = m->by, .meta = d.meta, .mark = mark };
    return JOT_OK;
}

/* The document as it is, if that is what the caller saw. */
static jot_status read_seen(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out, Err *e)
{
    *out = (Doc){ 0 };
    if (when && when->version.n)
        TRY(version_check(when->version, e));
    TRY(doc_present(m, stream, into, out, e));
    if (out->mark.op == 0)
        return err_set(e, JOT_NOT_FOUND, "%s not found", doc_name(stream).text);
    if (!when || !when->version.n)
        return JOT_OK;
    if (!mark_live(&out->mark) || !version_names(when->version, out->mark.sha256))
        return doc_conflict(stream, false, out, e);
    return history_only(m, stream, when->version, out->mark.sha256, e);
}

static jot_status bring_kept(Memory *m, Str stream, const Record *at, Arena *into, Doc *out, Err *e)
{
    if (at->mark.redacted)
        return err_set(e, JOT_NOT_FOUND,
                       "the version before, seq %llu of %s, was redacted: restore an older one",
                       (unsigned long long)at->mark.seq, doc_name(stream).text);
    return bring(m, stream, at, into, out, e);
}

jot_status history_undo(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out, Err *e)
{
    TRY(read_seen(m, stream, when, into, out, e));
    Record at = { .mark = out->mark, .by = out->by, .meta = out->meta, .body = out->text };
    TRY(go_back(&(Back){ .m = m, .stream = stream, .undone = true }, 1, into, &at, e));
    return bring_kept(m, stream, &at, into, out, e);
}

/* --- Redo -------------------------------------------------------------------------------- */

static bool is_undo(const Record *r)
{
    AUTO_PTR(json_t) meta = NULL;
    return r->mark.seq && r->meta.n && json_read(r->meta, &meta, NULL) == JOT_OK &&
           json_is_integer(json_object_get(meta, "undo"));
}

static jot_status nothing_to_redo(Str stream, Err *e)
{
    return err_set(e, JOT_NOT_FOUND,
                   "there is nothing to redo in %s: its last change is not an undo",
                   doc_name(stream).text);
}

/* The newest record that is no undo. */
static jot_status find_tip(Memory *m, Str stream, Arena *into, Record *at, Err *e)
{
    for (int steps = 0; steps < UNDO_STEPS_MAX && is_undo(at); steps++)
        TRY(history_record(m, stream, at->mark.seq - 1, into, at, e));
    return at->mark.seq && !is_undo(at) ? JOT_OK : nothing_to_redo(stream, e);
}

jot_status history_redo(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out, Err *e)
{
    TRY(read_seen(m, stream, when, into, out, e));
    Record head = { .mark = out->mark, .by = out->by, .meta = out->meta, .body = out->text }, now;
    if (!is_undo(&head))
        return nothing_to_redo(stream, e);
    TRY(settle(m, stream, head, into, &now, e));
    Record at = head, before = { 0 };
    TRY(find_tip(m, stream, into, &at, e));
    Back way = { .m = m, .stream = stream, .last = at.mark.seq, .undone = true };
    bool any = false;
    for (int steps = 0; steps < UNDO_STEPS_MAX && at.mark.seq != now.mark.seq; steps++) {
        before = at;
        any = true;
        if (at.mark.op == 0)
            return nothing_to_redo(stream, e);
        TRY(one_back(&way, into, &at, e));
    }
    return any ? bring_kept(m, stream, &before, into, out, e) : nothing_to_redo(stream, e);
}

jot_status history_restore(Memory *m, Str stream, const Restore *r, Arena *into, Doc *out, Err *e)
{
    Doc was;
    *out = (Doc){ 0 };
    TRY(history_at(m, stream, &r->which, into, &was, e));
    DocWrite w = { .text = was.text, .when = r->when };
    w.meta = was.meta;
    TRY(doc_keep_file(m, stream, &w.meta, into, e));
    w.meta = meta_with(w.meta, "restored", json_integer((json_int_t)was.mark.seq), into);
    return doc_write(m, stream, &w, into, out, e);
}
