/* run.c - telling a story twice.
 *
 * Time is set by the operation's number, not by a clock, so that both stores
 * put the same moment into a record and arrive at the same chain. */
#include "run.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "edit.h"
#include "store/engine.h"

enum { SETUP_S = 1, STORY_S = 1000 };

#define AUTHOR S("rig")

/* An action with everything in it that depends on what the stream holds. */
typedef struct Prepared {
    Str stream;
    Draft draft;
    Expect expect;
    Record *records;
    uint64_t number;
} Prepared;

void history_free(History *h)
{
    arena_free(&h->arena);
    *h = (History){ 0 };
}

Allowed history_allowed(const History *h, size_t begun, size_t acked)
{
    Allowed a = h->after[acked];
    for (size_t i = 0; begun > acked && begun <= h->n && i < h->after[begun].n; i++)
        allowed_add(&a, h->after[begun].any[i]);
    if (begun > acked && begun <= h->n && h->amid[begun])
        allowed_add(&a, h->amid[begun]);
    return a;
}

static bool wrong(Run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool wrong(Run *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->wrong, sizeof r->wrong, fmt, args);
    va_end(args);
    r->stopped = true;
    return false;
}

/* --- One action, on any store ---------------------------------------------------------- */

static Mark head_of(Store *s, Str stream, Arena *scratch)
{
    Record head = { 0 };
    Err e = { 0 };
    jot_status st = store_head(s, stream, HEAD_MARK, scratch, &head, &e);
    assert(st == JOT_OK || st == JOT_NOT_FOUND);
    return st == JOT_OK ? head.mark : (Mark){ 0 };
}

/* The records another pad would have next. */
static Record *next_records(Run *r, Str stream, Str text, uint64_t n)
{
    Mark head = head_of(r->model, stream, &r->scratch);
    Record *records = NEW_ARRAY(&r->scratch, Record, n);
    for (uint64_t i = 0; i < n; i++) {
        Str body =
            arena_printf(&r->scratch, STR_FMT " (%llu)", STR_ARG(text), (unsigned long long)i);
        records[i] = store_next(r->model, stream,
                                &(Draft){ .op = OP_PUT, .by = AUTHOR, .body = body }, &head);
        head = records[i].mark;
    }
    return records;
}

static Op op_of(ActionKind kind)
{
    if (kind == DO_DELETE)
        return OP_DELETE;
    return kind == DO_APPEND ? OP_APPEND : OP_PUT;
}

static Prepared prepare(Run *r, const Action *a)
{
    Prepared p = { .stream = str(a->stream), .number = a->number };
    Str text = action_text(a, &r->scratch);
    p.draft = (Draft){ .op = op_of(a->kind), .by = AUTHOR, .id = str(a->id), .body = text };
    if (a->exact)
        p.expect =
            (Expect){ .kind = EXPECT_SEQ, .seq = head_of(r->model, p.stream, &r->scratch).seq };
    if (a->guard) {
        p.expect.guard = str(a->guard);
        p.expect.guard_seq = head_of(r->model, p.expect.guard, &r->scratch).seq;
    }
    if (a->kind == DO_RECORDS)
        p.records = next_records(r, p.stream, text, a->number);
    return p;
}

static jot_status act(Store *s, const Action *a, const Prepared *p, Mark *out, Err *e)
{
    uint64_t dropped;
    *out = (Mark){ 0 };
    switch (a->kind) {
    case DO_PUT:
    case DO_APPEND:
    case DO_DELETE:
        return store_append(s, p->stream, &p->expect, &p->draft, out, e);
    case DO_TRIM:
        return store_trim(s, p->stream, p->number, &dropped, e);
    case DO_REDACT:
        return store_redact(s, p->stream, p->number, e);
    case DO_PURGE:
        return store_purge(s, p->stream, AUTHOR, out, e);
    case DO_RECORDS:
        return store_put_records(s, p->stream, p->records, p->number, e);
    case DO_NOTHING:
    case DO_REOPEN:
    case DO_EDIT:
    case DO_EDIT_RENAME:
    case DO_EDIT_SYNCED:
    case DO_REMOVE:
        break;
    }
    return err_set(e, JOT_INVALID, "this is no operation of a store");
}

/* --- mem: ------------------------------------------------------------------------------ */

static bool model_open(Run *r)
{
    store_close(r->model);
    r->model = NULL;
    r->pending_n = 0;
    Err e = { 0 };
    if (store_open(&r->model, S("mem:"), &(StoreOptions){ .io = &r->model_io.io }, &e) != JOT_OK)
        return wrong(r, "mem: %s", e.text);
    for (size_t i = 0; r->adopted && i < r->adopted->n; i++) {
        const Shot *shot = &r->adopted->shots[i];
        if (shot->n &&
            store_put_records(r->model, shot->name, shot->records, shot->n, &e) != JOT_OK)
            return wrong(r, "mem: cannot adopt what was seen: %s", e.text);
    }
    return true;
}

/* A person's edit becomes a version when the next write meets it. */
static void model_meet_edit(Run *r, Str stream)
{
    for (size_t i = 0; i < r->pending_n; i++) {
        if (!str_eq(r->pending[i].stream, stream))
            continue;
        bool removal = r->pending[i].removal;
        Draft d = { .op = removal ? OP_DELETE : OP_PUT, .by = S(STORE_OUTSIDE) };
        if (!removal)
            d.body = r->pending[i].text;
        Mark head = head_of(r->model, stream, &r->scratch);
        Record record = store_next(r->model, stream, &d, &head);
        Err e = { 0 };
        jot_status st = store_put_records(r->model, stream, &record, 1, &e);
        assert(st == JOT_OK);
        (void)st;
        r->pending[i] = r->pending[--r->pending_n];
        return;
    }
}

static void model_edit(Run *r, const Action *a)
{
    Str stream = str(a->stream);
    size_t i = 0;
    while (i < r->pending_n && !str_eq(r->pending[i].stream, stream))
        i++;
    assert(i < EDITS_MAX);
    r->pending_n += i == r->pending_n;
    r->pending[i].stream = stream;
    r->pending[i].text = action_text(a, &r->scratch);
    r->pending[i].removal = a->kind == DO_REMOVE;
}

static jot_status model_tell(Run *r, const Action *a, int64_t at_ms, Mark *out, Err *e)
{
    r->model_io.wall_ms = at_ms;
    *out = (Mark){ 0 };
    if (a->kind == DO_REOPEN)
        return JOT_OK;
    if (a->kind >= DO_EDIT) {
        model_edit(r, a);
        return JOT_OK;
    }
    model_meet_edit(r, str(a->stream));
    Prepared p = prepare(r, a);
    return act(r->model, a, &p, out, e);
}

static void remember(Run *r, const Action *a, int64_t at_ms)
{
    assert(r->told_n < TOLD_MAX);
    r->told[r->told_n] = a;
    r->told_ms[r->told_n++] = at_ms;
}

/* What mem: held before the last thing it was told. */
static bool model_again(Run *r)
{
    if (!model_open(r))
        return false;
    for (size_t i = 0; i < r->told_n; i++) {
        Mark mark;
        Err e = { 0 };
        if (model_tell(r, r->told[i], r->told_ms[i], &mark, &e) != JOT_OK)
            return wrong(r, "mem: says something else the second time: %s", e.text);
    }
    return true;
}

static const Snapshot *model_snapshot(Run *r)
{
    Snapshot *shot = NEW(&r->history->arena, Snapshot);
    if (!snapshot_take(r->model, &r->history->arena, shot, r->wrong, sizeof r->wrong))
        r->stopped = true;
    return shot;
}

static bool was_told(const Run *r, Str stream)
{
    for (size_t i = 0; i < r->told_n; i++)
        if (r->told[i]->stream && str_eq(str(r->told[i]->stream), stream))
            return true;
    return false;
}

/* After a crash each stream is settled by the first write to it and not before: one of the
 * snapshots that were allowed at first, with the streams written since as mem: has them. */
static const Snapshot *partly_settled(Run *r, const Snapshot *at_first, const Snapshot *now)
{
    Arena *arena = &r->history->arena;
    Snapshot *mixed = NEW(arena, Snapshot);
    mixed->shots = NEW_ARRAY(arena, Shot, at_first->n + now->n + 1);
    for (size_t i = 0; i < at_first->n; i++)
        if (!was_told(r, at_first->shots[i].name))
            mixed->shots[mixed->n++] = at_first->shots[i];
    for (size_t i = 0; i < now->n; i++)
        if (was_told(r, now->shots[i].name))
            mixed->shots[mixed->n++] = now->shots[i];
    mixed->digest = mix64(at_first->digest, now->digest);
    return mixed;
}

static Allowed allowed_now(Run *r)
{
    const Allowed *first = &r->history->after[0];
    const Snapshot *now = model_snapshot(r);
    Allowed a = { { now }, 1 };
    for (size_t i = 0; r->adopted && i < first->n; i++)
        allowed_add(&a, partly_settled(r, first->any[i], now));
    return a;
}

static size_t shot_index(const Snapshot *s, Str name)
{
    size_t i = 0;
    while (i < s->n && !str_eq(s->shots[i].name, name))
        i++;
    return i;
}

/* A purge adds its tombstone first: one stream as it was, and the tombstone. */
static const Snapshot *amid_purge(Run *r, const Snapshot *before, const Snapshot *after, Str name)
{
    Arena *arena = &r->history->arena;
    size_t at = shot_index(before, name), then = shot_index(after, name);
    if (at == before->n || then == after->n)
        return NULL;
    const Shot *old = &before->shots[at], *tombstone = &after->shots[then];
    Snapshot *amid = NEW(arena, Snapshot);
    *amid = *before;
    amid->shots = NEW_ARRAY(arena, Shot, before->n);
    memcpy(amid->shots, before->shots, before->n * sizeof(Shot));
    Shot *both = &amid->shots[at];
    both->records = NEW_ARRAY(arena, Record, old->n + 1);
    both->digests = NEW_ARRAY(arena, uint64_t, old->n + 1);
    memcpy(both->records, old->records, old->n * sizeof(Record));
    memcpy(both->digests, old->digests, old->n * sizeof(uint64_t));
    both->records[old->n] = tombstone->records[0];
    both->digests[old->n] = tombstone->digests[0];
    both->n = old->n + 1;
    amid->digest = mix64(before->digest, after->digest);
    return amid;
}

/* --- The store under test -------------------------------------------------------------- */

static jot_status open_store(Run *r, Err *e)
{
    assert(!r->store);
    return r->target->open(r->target, r->root, &r->io.io, &r->store, e);
}

static void close_store(Run *r)
{
    store_close(r->store);
    r->store = NULL;
}

static void began(Run *r, size_t number)
{
    if (r->recorder)
        recorder_begin(r->recorder, number);
    if (r->progress)
        r->progress->begun = number + 1;
}

static void returned(Run *r, size_t number)
{
    if (r->recorder)
        recorder_ack(r->recorder, number);
    if (r->progress)
        r->progress->acked = number + 1;
}

/* Statuses that would be a lie where nothing but the disk can have failed. */
static bool is_lie(jot_status st)
{
    switch (st) {
    case JOT_INVALID:
    case JOT_NOT_FOUND:
    case JOT_CONFLICT:
    case JOT_TOO_BIG:
    case JOT_LEASED:
    case JOT_FENCED:
    case JOT_ID_REUSED:
    case JOT_CANCELLED:
        return true;
    case JOT_OK:
    case JOT_UNAVAILABLE:
    case JOT_IO:
    case JOT_READ_ONLY:
    case JOT_CORRUPT:
    case JOT_UNSUPPORTED:
    case JOT_UNKNOWN:
    case JOT_DENIED:
        return false;
    }
    return true;
}

/* Which of the allowed does the store hold now?  False if that cannot be found out. */
static bool look(Run *r, const Allowed *allowed, const Snapshot **which)
{
    AUTO(Arena) arena = { 0 };
    Snapshot seen;
    char why[300];
    if (!snapshot_take(r->store, &arena, &seen, why, sizeof why)) {
        if (r->readable)
            wrong(r, "old data cannot be read after a failed write: %s", why);
        return false;
    }
    for (size_t i = 0; i < allowed->n; i++) {
        Allowed one = { { allowed->any[i] }, 1 };
        *which = allowed->any[i];
        if (allowed_fits(&one, &seen, why, sizeof why))
            return true;
    }
    return wrong(r, "after an operation that failed: %s", why);
}

/* The store says it failed, or that it does not know.  Find out what mem: should be told. */
static void after_failure(Run *r, const Action *a, size_t i, jot_status st, int64_t at_ms)
{
    Allowed *after = &r->history->after[i + 1];
    *after = (Allowed){ 0 };
    const Snapshot *before = r->history->after[i].any[0], *which = NULL;
    for (size_t k = 0; k < r->history->after[i].n; k++)
        allowed_add(after, r->history->after[i].any[k]);
    if (st != JOT_UNKNOWN) {
        if (a->kind != DO_REOPEN && !look(r, after, &which))
            r->stopped = true;
        return;
    }
    Mark mark;
    Err e = { 0 };
    if (model_tell(r, a, at_ms, &mark, &e) != JOT_OK) {
        wrong(r, "mem: refuses what the store is not sure of: %s", e.text);
        return;
    }
    const Snapshot *done = model_snapshot(r);
    allowed_add(after, done);
    bool known = look(r, after, &which);
    if (known && which == done && done->digest != before->digest) {
        remember(r, a, at_ms);
    } else {
        model_again(r);
        r->stopped = r->stopped || !known;
    }
}

static void do_edit(Run *r, const Action *a, size_t i)
{
    History *h = r->history;
    assert(h->edits_n < EDITS_MAX);
    Str text = arena_copy(&h->arena, action_text(a, &r->scratch));
    h->edits[h->edits_n++] = (Edit){ .op = i,
                                     .stream = str(a->stream),
                                     .text = text,
                                     .removal = a->kind == DO_REMOVE,
                                     .synced = a->kind == DO_EDIT_SYNCED };
    r->editing = true;
    if (!edit_file(r, a, text))
        wrong(r, "a person cannot edit the file of %s", a->stream);
    r->editing = false;
}

static jot_status do_action(Run *r, const Action *a, size_t i, Mark *mark, Err *e)
{
    if (a->kind >= DO_EDIT) {
        do_edit(r, a, i);
        return JOT_OK;
    }
    if (a->kind == DO_REOPEN) {
        close_store(r);
        return open_store(r, e);
    }
    Prepared p = prepare(r, a);
    return act(r->store, a, &p, mark, e);
}

static bool agree(Run *r, const Action *a, const Mark *store, const Mark *model)
{
    if (a->kind == DO_RECORDS || (store->seq == model->seq && hash_eq(store->chain, model->chain)))
        return true;
    return wrong(r, "%s: the store says seq %llu, mem: says %llu", a->stream,
                 (unsigned long long)store->seq, (unsigned long long)model->seq);
}

static void tell(Run *r, const Action *a, size_t i, int64_t at_ms)
{
    Mark mark = { 0 }, expected = { 0 };
    Err e = { 0 };
    r->io.wall_ms = at_ms;
    r->model_io.wall_ms = at_ms;
    began(r, i);
    jot_status st = do_action(r, a, i, &mark, &e);
    if (r->stopped)
        return;
    /* After an operation that failed, a later one may rightly be refused: mem: refuses it too. */
    bool refused = st != JOT_OK && r->faulty && is_lie(st) &&
                   model_tell(r, a, at_ms, &expected, &(Err){ 0 }) == st;
    if (st != JOT_OK && !refused && (!r->faulty || is_lie(st))) {
        wrong(r, "operation %zu on %s answers %s: %s", i, a->stream ? a->stream : "the pad",
              status_info(st)->name, e.text);
        return;
    }
    if (st != JOT_OK) {
        after_failure(r, a, i, st, at_ms);
        r->stopped = r->stopped || !r->store;
    } else {
        if (model_tell(r, a, at_ms, &expected, &e) != JOT_OK)
            wrong(r, "mem: refuses what the store did: %s", e.text);
        remember(r, a, at_ms);
        r->history->after[i + 1] = allowed_now(r);
        if (a->kind == DO_PURGE)
            r->history->amid[i + 1] = amid_purge(r, r->history->after[i].any[0],
                                                 r->history->after[i + 1].any[0], str(a->stream));
        agree(r, a, &mark, &expected);
    }
    r->history->n = i + 1;
    returned(r, i);
}

/* --- Whole stories --------------------------------------------------------------------- */

void run_init(Run *r, const Target *t, const char *root, const IoHook *hook, History *to)
{
    *r = (Run){ .target = t, .root = root, .history = to, .readable = true };
    test_io_init(&r->io, hook, test_boots[0], 7);
    test_io_init(&r->model_io, NULL, test_boots[0], 7);
}

void run_done(Run *r)
{
    close_store(r);
    store_close(r->model);
    r->model = NULL;
    arena_free(&r->scratch);
}

static int64_t moment(size_t second)
{
    return TEST_EPOCH_MS + (int64_t)second * 1000;
}

static bool set_up_one(Run *r, const Action *a, int64_t at_ms)
{
    Mark mark, expected;
    Err e = { 0 };
    r->io.wall_ms = at_ms;
    r->model_io.wall_ms = at_ms;
    Prepared p = prepare(r, a);
    if (r->store && act(r->store, a, &p, &mark, &e) != JOT_OK)
        return wrong(r, "setup on %s: %s", a->stream, e.text);
    if (model_tell(r, a, at_ms, &expected, &e) != JOT_OK)
        return wrong(r, "mem: setup on %s: %s", a->stream, e.text);
    remember(r, a, at_ms);
    return !r->store || agree(r, a, &mark, &expected);
}

bool run_setup(Run *r, const Workload *w, SetupWhere where)
{
    if (!model_open(r))
        return false;
    if (!w->setup)
        return true;
    Err e = { 0 };
    if (where == SETUP_BOTH && open_store(r, &e) != JOT_OK)
        return wrong(r, "setup: %s", e.text);
    size_t second = SETUP_S;
    for (const Action *a = w->setup; a->kind; a++) {
        size_t times = a[1].kind == DO_NOTHING && w->repeats ? w->repeats : 1;
        for (size_t i = 0; i < times; i++)
            if (!set_up_one(r, a, moment(second++)))
                return false;
    }
    close_store(r);
    return true;
}

bool run_adopt(Run *r, const Snapshot *seen, const Allowed *allowed)
{
    r->adopted = seen;
    r->history->after[0] = *allowed;
    return model_open(r);
}

bool run_story(Run *r, const Action *story)
{
    if (r->history->after[0].n == 0)
        r->history->after[0] = (Allowed){ { model_snapshot(r) }, 1 };
    Err e = { 0 };
    jot_status st = open_store(r, &e);
    if (st != JOT_OK && (!r->faulty || is_lie(st)))
        return wrong(r, "open answers %s: %s", status_info(st)->name, e.text);
    r->stopped = st != JOT_OK;
    for (size_t i = 0; story[i].kind && !r->stopped; i++) {
        assert(i < ACTIONS_MAX);
        tell(r, &story[i], i, moment(STORY_S + i));
    }
    close_store(r);
    return r->wrong[0] == 0;
}
