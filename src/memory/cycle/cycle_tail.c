/* cycle_tail.c - folding the end of a state stream.
 *
 *     ... state   edit   before   edit   edit   after   state
 *                 |      ^        |______|      |
 *                 |      |           pending    merged here: its meta says "edit": seq
 *                 |      the fold begins here
 *                 part of `before`, whose body is what stood there, to the byte
 *
 * The fold begins at the newest `before`, or at a first state or reset, so it
 * needs a handful of records however long the stream is; if people edited more
 * often than that, more of the stream is read, all of it if no cycle was ever
 * woken.  What is kept meanwhile is a few texts, not all that were read.
 *
 * The base of a pending edit is the text that was shown when it was made.  That is
 * the record before the first edit, but for one case: an editor that saves in the
 * very moment of our write makes the store write ours again after the edit.  Then
 * the edit stands between two equal records of ours, and its base is what was shown
 * before the first of them. */
#include "memory/cycle/cycle_tail.h"

#include <assert.h>

enum { WINDOW = 16, KEEP_SLACK = 1024 * 1024 };

typedef enum Kind { KIND_EDIT, KIND_BEFORE, KIND_AFTER, KIND_STATE } Kind;

typedef struct Fold {
    Tail t;
    Arena keep;  /* of the texts in t and below */
    size_t live; /* bytes of it that were in use when it was made */
    Str present; /* the head's text; borrowed */
    bool started;
    Str shown, shown_before_own; /* the head's text, and that before our newest record */
    Hash own_sha;
    Str own_meta;
    bool edit_after_own; /* the pending edit came after our newest record */
} Fold;

static void fold_done(Fold *f)
{
    arena_free(&f->keep);
}

/* Drop what later records have replaced.  Each time at least as much goes as stays. */
static void fold_tidy(Fold *f)
{
    Tail *t = &f->t;
    Str *texts[] = { &t->text,
                     &t->by,
                     &t->id,
                     &t->before,
                     &t->after,
                     &t->why,
                     &t->boot,
                     &t->edit,
                     &t->edit_base,
                     &t->woken_by,
                     &f->shown,
                     &f->own_meta,
                     &f->shown_before_own };
    AUTO(Arena) fresh = { 0 };
    if (f->keep.total < 2 * f->live + KEEP_SLACK)
        return;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = arena_copy(&fresh, *texts[i]);
    arena_free(&f->keep);
    f->live = fresh.total;
    f->keep = TAKE(fresh);
}
DEFINE_AUTO(Fold, fold_done)

static int64_t number(const json_t *meta, const char *key)
{
    return json_integer_value(json_object_get(meta, key));
}

static Kind kind_of(const json_t *meta)
{
    static const char *const names[] = {
        [KIND_BEFORE] = "before", [KIND_AFTER] = "after", [KIND_STATE] = "state"
    };
    Kind kind = KIND_EDIT;
    for (size_t i = KIND_BEFORE; i <= KIND_STATE; i++)
        if (str_eq(json_member(meta, "kind"), str(names[i])))
            kind = (Kind)i;
    /* A state that came out of nowhere, such as one that was imported, ends no cycle. */
    bool nowhere = json_member(meta, "cycle").n == 0 && json_member(meta, "from").n == 0;
    return nowhere ? KIND_EDIT : kind;
}

/* --- Folding ----------------------------------------------------------------------------- */

CycleEnd cycle_tail_end(Str name)
{
    for (CycleEnd end = CYCLE_DONE; end < CYCLE_KILLED; end++)
        if (str_eq(name, str(cycle_end_name(end))))
            return end;
    return CYCLE_KILLED;
}

static void take_before(Fold *f, const Record *r, const json_t *meta)
{
    Tail *t = &f->t;
    t->phase = TAIL_OPEN;
    t->id = arena_copy(&f->keep, json_member(meta, "cycle"));
    t->before_seq = r->mark.seq;
    t->woken_by = arena_copy(&f->keep, r->by);
    t->started_ms = r->mark.at_ms;
    t->iterations_max = (size_t)number(meta, "max");
    t->ttl_ms = number(meta, "ttl");
    t->awake_ms = number(meta, "awake");
    t->lease = (uint64_t)number(meta, "lease");
    t->replies = (uint64_t)number(meta, "replies");
    t->boot = arena_copy(&f->keep, json_member(meta, "boot"));
}

static void take_after(Fold *f, const Record *r, const json_t *meta)
{
    Tail *t = &f->t;
    t->phase = TAIL_ENDING;
    t->id = arena_copy(&f->keep, json_member(meta, "cycle"));
    t->after_seq = r->mark.seq;
    t->ended_ms = r->mark.at_ms;
    t->end = cycle_tail_end(json_member(meta, "end"));
    t->why = arena_copy(&f->keep, json_member(meta, "why"));
    t->iterations = (size_t)number(meta, "iterations");
    t->replies += t->iterations;
}

/* Ours twice, with an edit between: it was saved in the moment of our write. */
static bool written_again(const Fold *f, const Record *r)
{
    return f->edit_after_own && hash_eq(f->own_sha, r->mark.sha256) && f->own_meta.n &&
           str_eq(f->own_meta, r->meta);
}

static void take_own(Fold *f, const Record *r, const json_t *meta, Kind kind)
{
    Tail *t = &f->t;
    Str cycle = json_member(meta, "cycle");
    if (kind == KIND_BEFORE || cycle.n == 0) {
        /* What was before does not matter any more, but for the text that stood there. */
        Arena fresh = { 0 };
        Tail kept = { .head = f->t.head,
                      .stream = f->t.stream,
                      .id = arena_copy(&fresh, f->t.id),
                      .by = arena_copy(&fresh, f->t.by) };
        Str shown = arena_copy(&fresh, f->shown);
        arena_free(&f->keep);
        *f = (Fold){
            .t = kept, .keep = fresh, .present = f->present, .started = true, .shown = shown
        };
    }
    f->shown_before_own = f->shown;
    f->edit_after_own = false;
    if (kind == KIND_BEFORE)
        take_before(f, r, meta);
    else if (kind == KIND_AFTER)
        take_after(f, r, meta);
    else
        t->phase = TAIL_IDLE;
    if (kind == KIND_STATE && cycle.n == 0) {
        t->id = arena_copy(&f->keep, json_member(meta, "last"));
        t->replies = (uint64_t)number(meta, "replies");
    }
    /* This record has the pending edit in it, and so nobody merges it a second time. */
    if (t->edited && (uint64_t)number(meta, "edit") >= t->edit_seq)
        t->edited = false;
    f->own_sha = r->mark.sha256;
    f->own_meta = arena_copy(&f->keep, r->meta);
}

static void take_edit(Fold *f, const Record *r)
{
    Tail *t = &f->t;
    if (!t->edited) {
        t->edit_base = f->shown;
        f->edit_after_own = true;
    }
    t->edited = true;
    t->edit_seq = r->mark.seq;
    t->edit_deleted = r->mark.op == OP_DELETE;
    if (t->phase == TAIL_NOTHING || t->phase == TAIL_IDLE)
        t->phase = t->edit_deleted ? TAIL_NOTHING : TAIL_IDLE;
}

/* What was redacted is answered for by the present text, which came of it. */
static jot_status fold_add(void *ctx, const Record *given)
{
    Fold *f = ctx;
    Record whole = *given, *r = &whole;
    if (r->mark.redacted)
        r->body = f->present;
    AUTO_PTR(json_t) meta = NULL;
    Kind kind = KIND_EDIT;
    if (r->mark.op == OP_PUT && r->meta.n && json_read(r->meta, &meta, NULL) == JOT_OK)
        kind = kind_of(meta);
    bool again = kind != KIND_EDIT && written_again(f, r);
    if (again)
        f->t.edit_base = f->shown_before_own;
    else if (kind == KIND_EDIT)
        take_edit(f, r);
    else
        take_own(f, r, meta, kind);
    f->t.head = r->mark;
    f->t.own = kind != KIND_EDIT;
    f->t.by = arena_copy(&f->keep, r->by);
    f->shown = f->t.text = arena_copy(&f->keep, r->body);
    Str *also = kind == KIND_BEFORE  ? &f->t.before
                : kind == KIND_AFTER ? &f->t.after
                : kind == KIND_EDIT  ? &f->t.edit
                                     : NULL;
    if (also && !again)
        *also = f->shown;
    fold_tidy(f);
    return JOT_OK;
}

/* --- Reading ----------------------------------------------------------------------------- */

/* An append that cannot succeed makes the store record an edit and say where it stands. */
static bool record_edit(Memory *m, Str stream, uint64_t *seq)
{
    Mark mark = { 0 };
    Err ignored = { 0 };
    Expect never = { .kind = EXPECT_SEQ, .seq = STORE_SEQ_MAX };
    Draft d = { .op = OP_PUT };
    bool recorded = memory_append(m, stream, &never, &d, &mark, &ignored) == JOT_CONFLICT;
    *seq = mark.seq;
    return recorded && mark.seq;
}

static jot_status fold_from(Memory *m, Str stream, uint64_t from, Fold *f, Err *e)
{
    fold_done(f);
    *f = (Fold){ .t.stream = stream, .present = f->present };
    Err missing = { 0 };
    jot_status st = memory_each_record(
        m, stream, &(RecordVisit){ .from = from, .each = fold_add, .ctx = f }, &missing);
    if (st == JOT_OK || st == JOT_NOT_FOUND)
        return JOT_OK;
    return err_pass(e, &missing, st);
}

static void copy_out(const Fold *f, Arena *into, Tail *out)
{
    *out = f->t;
    Str *texts[] = { &out->text,     &out->by,   &out->id,  &out->before,    &out->after,
                     &out->woken_by, &out->boot, &out->why, &out->edit_base, &out->edit };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = arena_copy(into, *texts[i]);
}

jot_status cycle_tail_read(Memory *m, Str agent, Arena *into, Tail *out, Err *e)
{
    Str stream = arena_printf(into, "cycles/" STR_FMT, STR_ARG(agent));
    Record head;
    Err missing = { 0 };
    *out = (Tail){ .stream = stream };
    TRY(store_check_name(stream, e));
    jot_status st = store_head(m->store, stream, HEAD_RECORD, into, &head, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &missing, st);
    uint64_t seq = head.mark.seq;
    bool recorded = seq || record_edit(m, stream, &seq);
    /* A few records from the end are mostly enough.  If no beginning is among them, four times as
     * many are read, again from their first: a fold goes forward. */
    AUTO(Fold) f = { .present = head.body };
    for (uint64_t from = seq > WINDOW ? seq - WINDOW : 1, span = WINDOW;;) {
        TRY(fold_from(m, stream, recorded ? from : 1, &f, e));
        if (f.started || !recorded || from == 1)
            break;
        span *= 4;
        from = from > span ? from - span : 1;
    }
    if (!recorded) {
        head.mark.seq = 0;
        jot_status added = fold_add(&f, &head);
        assert(added == JOT_OK);
        f.t.unrecorded = true;
    }
    copy_out(&f, into, out);
    return JOT_OK;
}

jot_status cycle_tail_add(Memory *m, const Tail *t, json_t *meta, Str body, Mark *out, Err *e)
{
    AUTO_PTR(json_t) owned = meta;
    AUTO(Buf) text = { 0 };
    json_write(&text, owned);
    if (t->unrecorded)
        return err_set(e, JOT_READ_ONLY, "a person's edit of the state could not be recorded");
    Expect x = expect_at(t->head.seq);
    Draft d = { .op = OP_PUT, .meta = buf_str(&text), .body = body };
    return memory_append(m, t->stream, &x, &d, out, e);
}

void cycle_tail_cycle(const Tail *t, Str agent, Cycle *out)
{
    bool ended = t->phase != TAIL_OPEN;
    *out = (Cycle){ .agent = agent,
                    .id = t->id,
                    .by = t->woken_by,
                    .started_ms = t->started_ms,
                    .ended_ms = t->ended_ms,
                    .end = ended ? t->end : CYCLE_RUNNING,
                    .why = t->why,
                    .before = t->before,
                    .after = t->after,
                    .iterations = t->iterations,
                    .iterations_max = t->iterations_max,
                    .ttl_ms = t->ttl_ms,
                    .lease = t->lease,
                    .earlier = ended ? 0 : t->replies };
}
