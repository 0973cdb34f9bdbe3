/* checkpoint.c - checkpoints: a stack that is never popped in place.
 *
 * Each record says in its meta what lies below it, so the stack is a chain of
 * versions: a saved state names the version below (`below`), an undo names the
 * version that is the top from now on (`top`) and carries the restored state as
 * its own body.
 *
 *     seq      1        2             3             4            5
 *     state    a        b             c             b            d
 *     meta              below: a      below: b      top: b       below: b
 *                                                   (undo)
 *     stack    a        a b           a b c         a b          a b d
 *
 * The newest record alone says what the present state is; trimming old
 * records can shorten the stack but never break it, because a link to a version
 * that is gone is an end.
 *
 * One append is all that saving or undoing takes.  A process killed before it
 * has changed nothing, killed after it everything.  Dropping comes later and
 * can be made up for at any time.
 *
 * A stream always keeps its newest STORE_ID_WINDOW records, by which a repeated
 * append is recognised.  A version among them that may go loses its state
 * instead: its record stays, redacted, and counts as one that is not there. */
#include "memory/artifact/checkpoint.h"

#include <assert.h>
#include <string.h>

#include "base/time.h"

enum { SAVE_TRIES = 100 };

static jot_status stream_of(Str run, Arena *into, Str *out, Err *e)
{
    return memory_name(&(MemoryKind){ CHECKPOINT_KIND, "a run's id" }, NULL, run, into, out, e);
}

/* --- Records --------------------------------------------------------------------------- */

/* What a record says of the stack. */
typedef struct Link {
    uint64_t top;   /* version of the top once this was written; 0: the stack is empty */
    uint64_t below; /* of a saved state: what lies under it */
} Link;

static uint64_t number(const json_t *meta, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(meta, key));
    return n > 0 ? (uint64_t)n : 0;
}

/* The texts are the record's; the label lives in `into`. */
static Checkpoint read_record(const Record *r, Arena *into, Link *link)
{
    AUTO_PTR(json_t) meta = NULL;
    if (r->meta.n && json_read(r->meta, &meta, NULL) != JOT_OK)
        meta = NULL;
    Checkpoint c = { .version = r->mark.seq,
                     .at_ms = r->mark.at_ms,
                     .by = r->by,
                     .label = arena_copy(into, json_member(meta, "label")),
                     .undone = number(meta, "undo"),
                     .restored = number(meta, "restored"),
                     .size = r->mark.size,
                     .sha256 = r->mark.sha256,
                     .state = r->body };
    *link = (Link){ 0 };
    if (mark_live(&r->mark) && c.undone)
        link->top = number(meta, "top");
    else if (mark_live(&r->mark))
        *link = (Link){ .top = r->mark.seq, .below = number(meta, "below") };
    return c;
}

/* The newest record; seq 0 if there is none.  A purge leaves a tombstone, which starts again. */
static jot_status read_head(Memory *m, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Err missing = { 0 };
    *out = (Record){ 0 };
    jot_status st = store_head(m->store, stream, want, into, out, &missing);
    if (st == JOT_NOT_FOUND) {
        *out = (Record){ 0 };
        return JOT_OK;
    }
    return err_pass(e, &missing, st);
}

/* The state of this version; seq 0 if it is not kept, or was redacted. */
static jot_status read_version(Memory *m, Str stream, uint64_t version, Arena *into, Record *out,
                               Err *e)
{
    Records got = { 0 };
    *out = (Record){ 0 };
    if (version == 0)
        return JOT_OK;
    jot_status st = store_read(m->store, stream, (SeqRange){ version, 1 }, into, &got, e);
    if (st != JOT_NOT_FOUND)
        TRY(st);
    bool there = got.n && got.items[0].mark.seq == version && mark_live(&got.items[0].mark) &&
                 !got.items[0].mark.redacted;
    if (there)
        *out = got.items[0];
    return JOT_OK;
}

/* --- Saving and loading ---------------------------------------------------------------- */

static Str meta_text(json_t *meta, Arena *into)
{
    AUTO_PTR(json_t) owned = meta;
    AUTO(Buf) text = { 0 };
    json_write(&text, owned);
    return arena_copy(into, buf_str(&text));
}

/* One try: JOT_CONFLICT if somebody was faster. */
static jot_status save_once(Memory *m, Str stream, const CheckpointWrite *s, Checkpoint *out,
                            Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Link link;
    Mark mark;
    TRY(read_head(m, stream, HEAD_MARK, &arena, &head, e));
    read_record(&head, &arena, &link);
    /* The new state lies upon what is the top now, and is appended only while that is so: of two
     * who save at once the second one looks again, and lies upon the first. */
    json_t *meta = json_pack("{s:I}", "below", (json_int_t)link.top);
    if (s->label.n)
        json_object_set_new(meta, "label", json_text(s->label));
    Draft d = { .op = OP_PUT, .meta = meta_text(meta, &arena), .body = s->state };
    Expect x = expect_at(head.mark.seq);
    TRY(memory_append(m, stream, &x, &d, &mark, e));
    assert(mark.seq > head.mark.seq);
    *out = (Checkpoint){ .version = mark.seq,
                         .at_ms = mark.at_ms,
                         .by = m->by,
                         .label = s->label,
                         .size = mark.size,
                         .sha256 = mark.sha256,
                         .state = s->state };
    return JOT_OK;
}

jot_status checkpoint_write(Memory *m, Str run, const CheckpointWrite *s, Checkpoint *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream;
    jot_status st = JOT_CONFLICT;
    TRY(stream_of(run, &arena, &stream, e));
    TRY(memory_check_word("label", s->label, CHECKPOINT_LABEL_MAX, e));
    for (int i = 0; i < SAVE_TRIES && st == JOT_CONFLICT; i++)
        st = save_once(m, stream, s, out, e);
    return st;
}

jot_status checkpoint_read(Memory *m, Str run, uint64_t version, Arena *into, Checkpoint *out,
                           Err *e)
{
    Shown shown;
    Str stream;
    Record r;
    Link link;
    TRY(stream_of(run, into, &stream, e));
    if (version)
        TRY(read_version(m, stream, version, into, &r, e));
    else
        TRY(read_head(m, stream, HEAD_RECORD, into, &r, e));
    if (!mark_live(&r.mark) && version)
        return err_set(e, JOT_NOT_FOUND, "checkpoint %llu of '%s' is not kept",
                       (unsigned long long)version, err_show(&shown, run));
    if (!mark_live(&r.mark))
        return err_set(e, JOT_NOT_FOUND, "'%s' has no checkpoints", err_show(&shown, run));
    *out = read_record(&r, into, &link);
    return JOT_OK;
}

/* --- Undo ------------------------------------------------------------------------------ */

static jot_status moved(Str run, const Mark *now, Err *e)
{
    Shown shown;
    return err_set(e, JOT_CONFLICT,
                   "the checkpoints of '%s' have moved on: version %llu is the newest now",
                   err_show(&shown, run), (unsigned long long)now->seq);
}

jot_status checkpoint_undo(Memory *m, Str run, uint64_t if_version, Arena *into, Checkpoint *out,
                           Err *e)
{
    Str stream;
    Record head, popped, below;
    Link link, under;
    Mark mark;
    TRY(stream_of(run, into, &stream, e));
    TRY(read_head(m, stream, HEAD_MARK, into, &head, e));
    if (if_version && if_version != head.mark.seq)
        return moved(run, &head.mark, e);
    read_record(&head, into, &link);
    TRY(read_version(m, stream, link.top, into, &popped, e));
    if (popped.mark.seq == 0)
        return err_set(e, JOT_NOT_FOUND, "no checkpoint snapshots available to restore");
    read_record(&popped, into, &under);
    TRY(read_version(m, stream, under.below, into, &below, e));
    /* What lies below the top is restored, and is the top then; below the last one is nothing, so
     * it is restored itself. */
    Record restored = below.mark.seq ? below : popped;
    uint64_t top = below.mark.seq;
    json_t *meta = json_pack("{s:I, s:I, s:I}", "undo", (json_int_t)link.top, "restored",
                             (json_int_t)restored.mark.seq, "top", (json_int_t)top);
    Draft d = { .op = OP_PUT, .meta = meta_text(meta, into), .body = restored.body };
    Expect x = expect_at(head.mark.seq);
    jot_status st = memory_append(m, stream, &x, &d, &mark, e);
    if (st == JOT_CONFLICT)
        return moved(run, &mark, e);
    TRY(st);
    assert(mark.seq > head.mark.seq && restored.mark.seq);
    *out = (Checkpoint){ .version = mark.seq,
                         .at_ms = mark.at_ms,
                         .by = m->by,
                         .undone = link.top,
                         .restored = restored.mark.seq,
                         .size = mark.size,
                         .sha256 = mark.sha256,
                         .state = restored.body };
    return JOT_OK;
}

/* --- All of them ----------------------------------------------------------------------- */

typedef struct All {
    Arena *into;
    Checkpoint *items;
    Link *links;
    size_t n, cap, links_cap;
} All;

static jot_status collect(void *ctx, const Record *r)
{
    All *all = ctx;
    if (!mark_live(&r->mark)) {
        all->n = 0; /* a purge: what was before it is gone */
        return JOT_OK;
    }
    if (r->mark.redacted)
        return JOT_OK; /* dropped, or forgotten: there is nothing to go back to */
    all->items = arena_grow(all->into, all->items, all->n, &all->cap, sizeof(Checkpoint),
                            alignof(Checkpoint));
    all->links =
        arena_grow(all->into, all->links, all->n, &all->links_cap, sizeof(Link), alignof(Link));
    Checkpoint *c = &all->items[all->n];
    *c = read_record(r, all->into, &all->links[all->n]);
    c->by = arena_copy(all->into, r->by);
    c->state = (Str){ 0 };
    all->n++;
    return JOT_OK;
}

/* Mark what is on the stack; returns how many are.  Links only point to lower versions. */
static uint64_t mark_stack(All *all)
{
    uint64_t depth = 0, want = all->n ? all->links[all->n - 1].top : 0;
    for (size_t i = all->n; i-- > 0 && want;) {
        if (all->items[i].version != want)
            continue;
        all->items[i].live = true;
        depth++;
        want = all->links[i].below < want ? all->links[i].below : 0;
    }
    assert(depth <= all->n);
    return depth;
}

static jot_status read_all(Memory *m, Str stream, All *all, uint64_t *depth, uint64_t *damaged,
                           Err *e)
{
    Err missing = { 0 };
    *damaged = 0;
    jot_status st = memory_each_record(
        m, stream, &(RecordVisit){ .from = 1, .each = collect, .ctx = all, .damaged = damaged },
        &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &missing, st);
    *depth = mark_stack(all);
    return JOT_OK;
}

jot_status checkpoint_list(Memory *m, Str run, size_t limit, Arena *into, CheckpointList *out,
                           Err *e)
{
    Str stream;
    All all = { .into = into };
    if (limit > CHECKPOINT_LIST_MAX)
        return err_set(e, JOT_INVALID, "one answer has at most %d checkpoints",
                       CHECKPOINT_LIST_MAX);
    TRY(stream_of(run, into, &stream, e));
    *out = (CheckpointList){ 0 };
    TRY(read_all(m, stream, &all, &out->depth, &out->damaged, e));
    size_t most = limit ? limit : CHECKPOINT_LIST_MAX;
    out->total = all.n;
    out->n = all.n < most ? all.n : most;
    out->items = all.n ? all.items + (all.n - out->n) : NULL;
    return JOT_OK;
}

/* The first version that the rule about the stack keeps. */
static uint64_t cut_by_depth(const All *all, uint64_t states)
{
    uint64_t left = states;
    for (size_t i = all->n; i-- > 0;)
        if (all->items[i].live && --left == 0)
            return all->items[i].version;
    return 0;
}

static uint64_t cut_by_age(const All *all, int64_t oldest_ms)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].at_ms >= oldest_ms)
            return all->items[i].version;
    return all->n ? all->items[all->n - 1].version : 0;
}

/* Drop all before a version; records that the store keeps lose their states. */
static jot_status drop_before(Memory *m, Str stream, uint64_t before, Arena *arena, Err *e)
{
    All left = { .into = arena };
    uint64_t trimmed, depth, damaged;
    size_t n = 0;
    /* First the cheap way, then a look at what it had to leave. */
    TRY(memory_trim(m, stream, before, &trimmed, e));
    TRY(read_all(m, stream, &left, &depth, &damaged, e));
    uint64_t *seqs = NEW_ARRAY(arena, uint64_t, left.n + 1);
    while (n < left.n && left.items[n].version < before) {
        seqs[n] = left.items[n].version;
        n++;
    }
    return n ? memory_redact_set(m, stream, &(Redaction){ .seqs = seqs, .n = n }, e) : JOT_OK;
}

static jot_status check_keep(const CheckpointKeep *keep, Err *e)
{
    if (keep->age_ms < 0)
        return err_set(e, JOT_INVALID, "an age cannot be negative");
    return JOT_OK;
}

jot_status checkpoint_trim(Memory *m, Str run, const CheckpointKeep *keep, uint64_t *dropped,
                           Err *e)
{
    AUTO(Arena) arena = { 0 };
    All all = { .into = &arena };
    Str stream;
    uint64_t depth, damaged, before = 0;
    *dropped = 0;
    TRY(check_keep(keep, e));
    TRY(stream_of(run, &arena, &stream, e));
    TRY(read_all(m, stream, &all, &depth, &damaged, e));
    if (keep->states)
        before = cut_by_depth(&all, keep->states);
    if (keep->age_ms) {
        uint64_t young = cut_by_age(&all, io_wall_ms(m->io) - keep->age_ms);
        before = young > before ? young : before;
    }
    uint64_t old = 0;
    while (old < all.n && all.items[old].version < before)
        old++;
    if (old)
        TRY(drop_before(m, stream, before, &arena, e));
    *dropped = old;
    return JOT_OK;
}

jot_status checkpoint_write_keep(Memory *m, Str run, const CheckpointWrite *s,
                                 const CheckpointKeep *keep, CheckpointWritten *out, Err *e)
{
    *out = (CheckpointWritten){ 0 };
    TRY(check_keep(keep, e));
    TRY(checkpoint_write(m, run, s, &out->c, e));
    if (!keep->states && !keep->age_ms)
        return JOT_OK;
    /* The state is saved, and that is the answer; what could not be dropped goes another time. */
    jot_status st = checkpoint_trim(m, run, keep, &out->dropped, &out->not_dropped);
    assert(st == out->not_dropped.status);
    return JOT_OK;
}

/* --- As JSON --------------------------------------------------------------------------- */

static json_t *number_or_null(uint64_t n)
{
    return n ? json_integer((json_int_t)n) : json_null();
}

json_t *checkpoint_json(const Checkpoint *c, bool state)
{
    json_t *out =
        json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:b, s:I, s:s}", "version",
                  (json_int_t)c->version, "at", time_text(c->at_ms).text, "by", json_text(c->by),
                  "label", c->label.n ? json_text(c->label) : json_null(), "undone",
                  number_or_null(c->undone), "restored", number_or_null(c->restored), "live",
                  c->live, "size", (json_int_t)c->size, "sha256", hash_hex(c->sha256).text);
    if (state)
        json_object_set_new(out, "state", json_text(c->state));
    return out;
}

json_t *checkpoint_list_json(const CheckpointList *list)
{
    json_t *items = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(items, checkpoint_json(&list->items[i], false));
    return json_pack("{s:o, s:I, s:I, s:I}", "checkpoints", items, "total", (json_int_t)list->total,
                     "depth", (json_int_t)list->depth, "damaged", (json_int_t)list->damaged);
}
