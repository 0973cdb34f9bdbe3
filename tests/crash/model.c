/* model.c - telling mem:, and telling it again. */
#include "model.h"

#include <assert.h>
#include <string.h>

#include "secret.h"
#include "store/engine.h"

#define AUTHOR S("rig")

/* --- One action ------------------------------------------------------------------------ */

static Mark head_of(Store *s, Str stream, Arena *scratch)
{
    Record head = { 0 };
    Err e = { 0 };
    jot_status st = store_head(s, stream, HEAD_MARK, scratch, &head, &e);
    assert(st == JOT_OK || st == JOT_NOT_FOUND);
    return st == JOT_OK ? head.mark : (Mark){ 0 };
}

/* The records another pad would have next. */
static Record *next_records(Model *m, Str stream, Str text, uint64_t n)
{
    Mark head = head_of(m->store, stream, &m->scratch);
    Record *records = NEW_ARRAY(&m->scratch, Record, n);
    for (uint64_t i = 0; i < n; i++) {
        Str body =
            arena_printf(&m->scratch, STR_FMT " (%llu)", STR_ARG(text), (unsigned long long)i);
        records[i] = store_next(m->store, stream,
                                &(Draft){ .op = OP_PUT, .by = AUTHOR, .body = body }, &head);
        head = records[i].mark;
    }
    return records;
}

/* A record of an unknown history, as old as the one before it.  What was between was trimmed. */
static Record *placed_record(Model *m, Str stream, Str text, uint64_t seq)
{
    Records all = { 0 };
    Err e = { 0 };
    jot_status st =
        store_read(m->store, stream, (SeqRange){ 0, STORE_READ_MAX }, &m->scratch, &all, &e);
    Mark before = { .seq = seq - 1, .chain = hash_of(S("elsewhere")) };
    uint64_t last = 0;
    for (size_t i = 0; st == JOT_OK && i < all.n && all.items[i].mark.seq < seq; i++) {
        before.at_ms = all.items[i].mark.at_ms;
        last = all.items[i].mark.seq;
    }
    Record *record = NEW_ARRAY(&m->scratch, Record, 1);
    int64_t now_ms = m->io.wall_ms;
    m->io.wall_ms = before.at_ms;
    *record =
        store_next(m->store, stream, &(Draft){ .op = OP_PUT, .by = AUTHOR, .body = text }, &before);
    m->io.wall_ms = now_ms;
    record->mark.gap = seq - last - 1;
    return record;
}

static Op op_of(ActionKind kind)
{
    if (kind == DO_DELETE)
        return OP_DELETE;
    return kind == DO_APPEND ? OP_APPEND : OP_PUT;
}

Prepared model_prepare(Model *m, const Action *a, int64_t at_ms)
{
    m->io.wall_ms = at_ms;
    Prepared p = { .stream = str(a->stream), .number = a->number };
    Str text = action_text(a, &m->scratch);
    p.draft = (Draft){
        .op = op_of(a->kind), .by = AUTHOR, .id = str(a->id), .body = text, .meta = str(a->meta)
    };
    if (a->exact)
        p.expect =
            (Expect){ .kind = EXPECT_SEQ, .seq = head_of(m->store, p.stream, &m->scratch).seq };
    if (a->guard) {
        p.expect.guard = str(a->guard);
        p.expect.guard_seq = head_of(m->store, p.expect.guard, &m->scratch).seq;
    }
    if (a->kind == DO_RECORDS)
        p.records = next_records(m, p.stream, text, a->number);
    if (a->kind == DO_PLACE)
        p.records = placed_record(m, p.stream, text, a->number);
    return p;
}

/* All of them or, as far as the rig can tell, none; otherwise it is not known. */
static jot_status append_many(Store *s, const Action *a, const Prepared *p, Mark *out, Err *e)
{
    Append items[SEQS_MAX] = { 0 };
    size_t n = 0, done = 0;
    jot_status failed = JOT_OK;
    items[n++] = (Append){ .stream = p->stream, .draft = p->draft };
    for (; a->also && a->also[n - 1]; n++) {
        assert(n < SEQS_MAX);
        items[n] = (Append){ .stream = str(a->also[n - 1]), .draft = p->draft };
    }
    for (size_t i = 0; i < n; i++)
        if (!str_starts(items[i].stream, S("notes/")))
            items[i].draft.op = OP_APPEND;
    TRY(store_append_many(s, items, n, e));
    for (size_t i = 0; i < n; i++) {
        done += items[i].status == JOT_OK;
        if (items[i].status != JOT_OK && failed != JOT_UNKNOWN) {
            failed = items[i].status;
            if (e)
                *e = items[i].why;
        }
    }
    *out = items[0].mark;
    return failed != JOT_OK && done ? JOT_UNKNOWN : failed;
}

jot_status action_do(Store *s, const Action *a, const Prepared *p, Mark *out, Err *e)
{
    uint64_t dropped;
    *out = (Mark){ 0 };
    switch (a->kind) {
    case DO_PUT:
    case DO_APPEND:
    case DO_DELETE:
        return store_append(s, p->stream, &p->expect, &p->draft, out, e);
    case DO_MANY:
        return append_many(s, a, p, out, e);
    case DO_TRIM:
        return store_trim(s, p->stream, NULL, p->number, &dropped, e);
    case DO_REDACT:
        return store_redact(s, p->stream, NULL, p->number, e);
    case DO_REDACT_SET:
    case DO_SETTLE:
    case DO_FORGET_ASIDE:
        return secret_do(s, a, e);
    case DO_PURGE:
        return store_purge(s, p->stream, NULL, AUTHOR, out, e);
    case DO_RECORDS:
        return store_put_records(s, p->stream, p->records, p->number, e);
    case DO_PLACE:
        return store_place_records(s, p->stream, NULL, p->records, 1, e);
    case DO_FORGET_BEFORE:
        return store_forget_before(s, p->stream, NULL, p->number, e);
    case DO_NOTHING:
    case DO_REOPEN:
    case DO_LEAVE:
    case DO_EDIT:
    case DO_EDIT_RENAME:
    case DO_EDIT_SYNCED:
    case DO_REMOVE:
        break;
    }
    return err_set(e, JOT_INVALID, "this is no operation of a store");
}

/* --- People ---------------------------------------------------------------------------- */

static size_t pending_at(const Model *m, Str stream)
{
    size_t i = 0;
    while (i < m->pending_n && !str_eq(m->pending[i].stream, stream))
        i++;
    return i;
}

bool model_edited(const Model *m, Str stream)
{
    return pending_at(m, stream) < m->pending_n;
}

/* What the record of an edit says of a note's file, unless it ends as one in a pad does. */
static Str edit_meta(Model *m, Str stream)
{
    char path[700];
    const char *notes = m->target->notes;
    if (!store_kind(stream)->note || !target_view(m->target, stream, path, sizeof path))
        return (Str){ 0 };
    Str file = str_from(str(path), strlen(notes ? notes : m->target->pad) + 1);
    if (!notes)
        file = str_from(file, strlen("notes/"));
    return notes || str_ends(file, S(".md"))
               ? arena_printf(&m->scratch, "{\"file\":\"" STR_FMT "\"}", STR_ARG(file))
               : (Str){ 0 };
}

static void take_edit(Model *m, const Action *a)
{
    size_t i = pending_at(m, str(a->stream));
    assert(i < EDITS_MAX);
    m->pending_n += i == m->pending_n;
    m->pending[i].stream = str(a->stream);
    m->pending[i].text = action_text(a, &m->scratch);
    m->pending[i].meta = edit_meta(m, str(a->stream));
    m->pending[i].removal = a->kind == DO_REMOVE;
}

static void meet_edit(Model *m, Str stream)
{
    size_t i = pending_at(m, stream);
    if (i == m->pending_n)
        return;
    bool removal = m->pending[i].removal;
    Draft d = { .op = removal ? OP_DELETE : OP_PUT, .by = S(STORE_OUTSIDE) };
    if (!removal) {
        d.body = m->pending[i].text;
        d.meta = m->pending[i].meta;
    }
    Mark head = head_of(m->store, stream, &m->scratch);
    Record record = store_next(m->store, stream, &d, &head);
    Err e = { 0 };
    jot_status st = store_put_records(m->store, stream, &record, 1, &e);
    assert(st == JOT_OK);
    (void)st;
    m->pending[i] = m->pending[--m->pending_n];
}

/* --- Telling --------------------------------------------------------------------------- */

static jot_status do_one(Model *m, const Action *a, const Prepared *p, int64_t at_ms, Mark *out,
                         Err *e)
{
    *out = (Mark){ 0 };
    m->io.wall_ms = at_ms;
    if (a->kind == DO_REOPEN || a->kind == DO_LEAVE)
        return JOT_OK;
    if (a->kind >= DO_EDIT) {
        take_edit(m, a);
        return JOT_OK;
    }
    meet_edit(m, str(a->stream));
    Prepared own = p ? *p : model_prepare(m, a, at_ms);
    return action_do(m->store, a, &own, out, e);
}

/* The first part of an operation that has two. */
static jot_status do_part(Model *m, const Action *a, int64_t at_ms, Err *e)
{
    m->io.wall_ms = at_ms;
    meet_edit(m, str(a->stream));
    if (a->kind != DO_PURGE)
        return JOT_OK;
    Str stream = str(a->stream);
    Records all;
    TRY(store_read(m->store, stream, (SeqRange){ 0, STORE_READ_MAX }, &m->scratch, &all, e));
    assert(!all.more); /* an action or two at a time, it does not come so far */
    Mark head = head_of(m->store, stream, &m->scratch);
    size_t n = all.n < STORE_TOLD_MAX ? all.n : STORE_TOLD_MAX;
    Gone gone = { &all.items[0], all.items + all.n - n, n };
    Record tombstone = store_tombstone(m->store, stream, AUTHOR, &head, &gone, &m->scratch);
    return store_put_records(m->store, stream, &tombstone, 1, e);
}

static void adopt(Model *m)
{
    Err e = { 0 };
    jot_status st = store_open(&m->store, S("mem:"), &(StoreOptions){ .io = &m->io.io }, &e);
    for (size_t i = 0; m->adopted && i < m->adopted->n && st == JOT_OK; i++) {
        const Shot *shot = &m->adopted->shots[i];
        if (shot->n)
            st = store_place_records(m->store, shot->name, NULL, shot->records, shot->n, &e);
    }
    assert(st == JOT_OK);
}

/* Begin anew and do everything that was told. */
static void tell_again(Model *m, Outcome doubt)
{
    store_close(m->store);
    m->store = NULL;
    m->pending_n = 0;
    adopt(m);
    for (size_t i = 0; i < m->told_n; i++) {
        const Told *t = &m->told[i];
        Mark mark;
        Err e = { 0 };
        jot_status st = JOT_OK;
        if (t->in_part || (t->doubtful && doubt == HAPPENED_IN_PART))
            st = do_part(m, t->action, t->at_ms, &e);
        else if (!t->doubtful || doubt == HAPPENED)
            st = do_one(m, t->action, NULL, t->at_ms, &mark, &e);
        /* With another outcome of the doubtful one, a later one may have been refused. */
        assert(st == JOT_OK || doubt != HAPPENED_NOT);
        (void)st;
    }
}

void model_init(Model *m, const Target *target, const Snapshot *adopted)
{
    model_done(m);
    *m = (Model){ .target = target, .adopted = adopted };
    test_io_init(&m->io, NULL, test_boots[0], 7);
    tell_again(m, HAPPENED_NOT);
}

void model_done(Model *m)
{
    store_close(m->store);
    arena_free(&m->scratch);
    *m = (Model){ 0 };
}

static void remember(Model *m, const Action *a, int64_t at_ms, bool doubtful)
{
    assert(m->told_n < TOLD_MAX);
    m->told[m->told_n++] = (Told){ .action = a, .at_ms = at_ms, .doubtful = doubtful };
}

jot_status model_tell(Model *m, const Action *a, const Prepared *p, int64_t at_ms, Mark *out,
                      Err *e)
{
    jot_status st = do_one(m, a, p, at_ms, out, e);
    if (st == JOT_OK)
        remember(m, a, at_ms, false);
    else
        tell_again(m, HAPPENED_NOT); /* an edit that was met on the way waits again */
    return st;
}

static size_t doubt_at(const Model *m)
{
    size_t i = 0;
    while (i < m->told_n && !m->told[i].doubtful)
        i++;
    return i;
}

void model_doubt(Model *m, const Action *a, int64_t at_ms)
{
    assert(doubt_at(m) == m->told_n);
    remember(m, a, at_ms, true);
}

Str model_doubted(const Model *m)
{
    size_t i = doubt_at(m);
    return i < m->told_n ? str(m->told[i].action->stream) : (Str){ 0 };
}

static void forget(Model *m, size_t i)
{
    m->told_n--;
    memmove(&m->told[i], &m->told[i + 1], (m->told_n - i) * sizeof m->told[0]);
}

void model_settle(Model *m, Outcome outcome)
{
    size_t i = doubt_at(m);
    if (i == m->told_n)
        return;
    m->told[i].doubtful = false;
    m->told[i].in_part = outcome == HAPPENED_IN_PART;
    if (outcome == HAPPENED_NOT) {
        forget(m, i);
    } else if (outcome == HAPPENED_EDIT_ASIDE) {
        for (size_t k = m->told_n; k > i; k--)
            if (m->told[k - 1].action->kind >= DO_EDIT &&
                str_eq(str(m->told[k - 1].action->stream), str(m->told[i].action->stream)))
                forget(m, k - 1);
    }
    tell_again(m, HAPPENED_NOT);
}

bool model_was_told(const Model *m, Str stream)
{
    for (size_t i = 0; i < m->told_n; i++) {
        if (action_concerns(m->told[i].action, stream))
            return true;
    }
    return false;
}

static const Snapshot *take(Model *m, Arena *into)
{
    Snapshot *shot = NEW(into, Snapshot);
    char wrong[300];
    bool ok = snapshot_take(m->store, DOORS_SOME, into, shot, wrong, sizeof wrong);
    assert(ok);
    (void)ok;
    return shot;
}

const Snapshot *model_snapshot(Model *m, Outcome doubt, Arena *into)
{
    if (doubt == HAPPENED_NOT)
        return take(m, into);
    tell_again(m, doubt);
    const Snapshot *shot = take(m, into);
    tell_again(m, HAPPENED_NOT);
    return shot;
}

const Snapshot *model_snapshot_with(Model *m, const Action *a, int64_t at_ms, Outcome outcome,
                                    Arena *into)
{
    Err e = { 0 };
    Mark mark;
    if (outcome == HAPPENED_IN_PART)
        (void)do_part(m, a, at_ms, &e);
    else
        (void)do_one(m, a, NULL, at_ms, &mark, &e);
    const Snapshot *shot = take(m, into);
    tell_again(m, HAPPENED_NOT);
    return shot;
}
