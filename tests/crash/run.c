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
#include "rig/tree.h"
#include "secret.h"

enum { SETUP_S = 1, STORY_S = 1000 };

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
    for (size_t i = 0; begun > acked && begun <= ACTIONS_MAX && i < h->amid[begun].n; i++)
        allowed_add(&a, h->amid[begun].any[i]);
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

/* --- What is allowed ------------------------------------------------------------------- */

/* After a crash each stream is settled by the first write to it and not before: one of the
 * snapshots that were allowed at first, with the streams written since as the model has them. */
static const Snapshot *partly_settled(Run *r, const Snapshot *at_first, const Snapshot *now)
{
    Arena *arena = &r->history->arena;
    Snapshot *mixed = NEW(arena, Snapshot);
    mixed->shots = NEW_ARRAY(arena, Shot, at_first->n + now->n + 1);
    for (size_t i = 0; i < at_first->n; i++)
        if (!model_was_told(&r->model, at_first->shots[i].name))
            mixed->shots[mixed->n++] = at_first->shots[i];
    for (size_t i = 0; i < now->n; i++)
        if (model_was_told(&r->model, now->shots[i].name))
            mixed->shots[mixed->n++] = now->shots[i];
    mixed->digest = mix64(at_first->digest, now->digest);
    return mixed;
}

/* What the store may hold when everything told so far has returned. */
static Allowed allowed_now(Run *r)
{
    Arena *arena = &r->history->arena;
    const Allowed *first = &r->history->after[0];
    const Snapshot *now = model_snapshot(&r->model, HAPPENED_NOT, arena);
    Allowed a = { { now }, 1 };
    if (model_doubted(&r->model).n) {
        allowed_add(&a, model_snapshot(&r->model, HAPPENED_IN_PART, arena));
        allowed_add(&a, model_snapshot(&r->model, HAPPENED, arena));
    }
    for (size_t i = 0; r->model.adopted && i < first->n; i++)
        allowed_add(&a, partly_settled(r, first->any[i], now));
    return a;
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

/* Look at the store after an operation that failed.  False if it cannot be read. */
static bool look(Run *r, const Allowed *allowed, Arena *into, Snapshot *seen)
{
    char why[300];
    if (!snapshot_take(r->store, DOORS_ALL, into, seen, why, sizeof why)) {
        if (r->readable)
            wrong(r, "old data cannot be read after a failed write: %s", why);
        return false;
    }
    return allowed_fits(allowed, seen, why, sizeof why) ||
           wrong(r, "after an operation that failed: %s", why);
}

/* The store says that it failed and changed nothing. */
static void after_failure(Run *r, const Action *a, size_t i)
{
    AUTO(Arena) arena = { 0 };
    Snapshot seen;
    r->history->after[i + 1] = r->history->after[i];
    if (a->kind == DO_REOPEN || !look(r, &r->history->after[i + 1], &arena, &seen))
        r->stopped = true;
}

static void allow_all_of(Allowed *to, const Allowed *more)
{
    for (size_t i = 0; i < more->n; i++)
        allowed_add(to, more->any[i]);
}

/* A second operation in doubt: whatever has become of the first, this one may have happened or
 * not.  That is enough for a story; it ends here. */
static void doubt_twice(Run *r, const Action *a, int64_t at_ms, Allowed *after)
{
    static const Outcome outcomes[] = { HAPPENED_NOT, HAPPENED_IN_PART, HAPPENED };
    Model *m = &r->model;
    Told told[TOLD_MAX];
    size_t n = m->told_n;
    memcpy(told, m->told, sizeof told);
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        memcpy(m->told, told, sizeof told);
        m->told_n = n;
        model_settle(m, outcomes[i]);
        model_doubt(m, a, at_ms);
        Allowed now = allowed_now(r);
        allow_all_of(after, &now);
    }
    r->stopped = true;
}

/* The store says that it does not know.  If the operation can be seen, it has happened; else the
 * next write will show. */
static void after_unknown(Run *r, const Action *a, size_t i, int64_t at_ms)
{
    AUTO(Arena) arena = { 0 };
    Snapshot seen;
    Model *m = &r->model;
    Allowed *after = &r->history->after[i + 1];
    *after = r->history->after[i];
    if (model_doubted(m).n) {
        doubt_twice(r, a, at_ms, after);
    } else {
        model_doubt(m, a, at_ms);
        Allowed now = allowed_now(r);
        allow_all_of(after, &now);
    }
    if (!look(r, after, &arena, &seen)) {
        r->stopped = true;
        return;
    }
    char why[300];
    Allowed done = { { model_snapshot(m, HAPPENED, &arena) }, 1 };
    if (allowed_fits(&done, &seen, why, sizeof why))
        model_settle(m, HAPPENED);
}

static void do_edit(Run *r, const Action *a, size_t i)
{
    History *h = r->history;
    Str stream = str(a->stream), text = arena_copy(&h->arena, action_text(a, &r->model.scratch));
    for (size_t k = 0; k < h->edits_n && model_edited(&r->model, stream); k++)
        if (str_eq(h->edits[k].stream, stream))
            h->edits[k].replaced = true;
    assert(h->edits_n < EDITS_MAX);
    h->edits[h->edits_n++] = (Edit){ .op = i,
                                     .stream = stream,
                                     .text = text,
                                     .removal = a->kind == DO_REMOVE,
                                     .synced = a->kind == DO_EDIT_SYNCED };
    r->editing = true;
    if (!edit_file(r, a, text))
        wrong(r, "a person cannot edit the file of %s", a->stream);
    r->editing = false;
}

static jot_status do_action(Run *r, const Action *a, size_t i, const Prepared *p, Mark *mark,
                            Err *e)
{
    if (a->kind >= DO_EDIT) {
        do_edit(r, a, i);
        return JOT_OK;
    }
    if (a->kind == DO_LEAVE) {
        if (!secret_leave(r, a))
            wrong(r, "a writer of %s cannot leave anything", a->stream);
        return JOT_OK;
    }
    if (a->kind == DO_REOPEN) {
        close_store(r);
        return open_store(r, e);
    }
    return action_do(r->store, a, p, mark, e);
}

static bool same_mark(const Mark *x, const Mark *y)
{
    return x->seq == y->seq && hash_eq(x->chain, y->chain);
}

/* One answer of the store. */
typedef struct Answer {
    const Action *action;
    const Prepared *prepared;
    int64_t at_ms;
    jot_status status;
    Mark mark;
    Err e;
} Answer;

static bool model_agrees(Run *r, const Answer *x)
{
    Mark expected;
    Err e = { 0 };
    size_t told = r->model.told_n;
    jot_status st = model_tell(&r->model, x->action, x->prepared, x->at_ms, &expected, &e);
    if (st == x->status && (st != JOT_OK || same_mark(&x->mark, &expected)))
        return true;
    r->model.told_n = told; /* the caller tells it again */
    return false;
}

/* The same mark may follow from different outcomes; the records tell which it was. */
static bool looks_right(Run *r)
{
    AUTO(Arena) arena = { 0 };
    Snapshot seen;
    char why[300];
    Allowed now = { { model_snapshot(&r->model, HAPPENED_NOT, &arena) }, 1 };
    return !snapshot_take(r->store, DOORS_SOME, &arena, &seen, why, sizeof why) ||
           allowed_fits(&now, &seen, why, sizeof why);
}

/* Does the model say the same?  If an operation is in doubt, the answer may decide that too. */
static bool agree(Run *r, const Answer *x)
{
    static const Outcome outcomes[] = { HAPPENED, HAPPENED_IN_PART, HAPPENED_EDIT_ASIDE };
    Model *m = &r->model;
    Str doubted = model_doubted(m);
    bool about = x->action->stream && str_eq(doubted, str(x->action->stream));
    if (model_agrees(r, x)) {
        if (about && x->status == JOT_OK && x->mark.seq)
            model_settle(m, HAPPENED_NOT);
        return true;
    }
    for (size_t i = 0; doubted.n && i < COUNT_OF(outcomes); i++) {
        Told told[TOLD_MAX];
        size_t n = m->told_n;
        memcpy(told, m->told, sizeof told);
        model_settle(m, outcomes[i]);
        if (model_agrees(r, x) && looks_right(r))
            return true;
        memcpy(m->told, told, sizeof told);
        m->told_n = n;
    }
    return false;
}

/* What may be there while an operation runs: for a purge its tombstone, with all that is yet to
 * go; and for one that fails in the end, what it was about to do. */
static void allow_amid(Run *r, const Action *a, size_t i, int64_t at_ms)
{
    Arena *arena = &r->history->arena;
    Allowed *amid = &r->history->amid[i + 1];
    if (a->kind == DO_PURGE)
        allowed_add(amid, model_snapshot_with(&r->model, a, at_ms, HAPPENED_IN_PART, arena));
    if (r->faulty && a->kind < DO_REOPEN)
        allowed_add(amid, model_snapshot_with(&r->model, a, at_ms, HAPPENED, arena));
}

static void tell(Run *r, const Action *a, size_t i, int64_t at_ms)
{
    r->io.wall_ms = at_ms;
    Prepared p = { 0 };
    if (a->kind < DO_REOPEN)
        p = model_prepare(&r->model, a, at_ms);
    allow_amid(r, a, i, at_ms);
    began(r, i);
    Answer x = { .action = a, .prepared = &p, .at_ms = at_ms };
    x.status = do_action(r, a, i, &p, &x.mark, &x.e);
    if (r->stopped)
        return;
    /* After an operation that failed, a later one may rightly be refused: the model refuses it
     * too. */
    bool failed = x.status != JOT_OK && r->faulty && !is_lie(x.status);
    if (!failed && !agree(r, &x)) {
        wrong(r, "operation %zu on %s answers %s (seq %llu), and mem: something else: %s", i,
              a->stream ? a->stream : "the pad", status_info(x.status)->name,
              (unsigned long long)x.mark.seq, x.e.text);
        return;
    }
    if (!failed)
        r->history->after[i + 1] = allowed_now(r);
    else if (x.status == JOT_UNKNOWN)
        after_unknown(r, a, i, at_ms);
    else
        after_failure(r, a, i);
    if (failed && r->wrong[0]) {
        size_t n = strlen(r->wrong);
        snprintf(r->wrong + n, sizeof r->wrong - n, " (operation %zu: %s: %s)", i,
                 status_info(x.status)->name, x.e.text);
    }
    r->stopped = r->stopped || !r->store;
    r->missed = r->missed || (x.status != JOT_OK && action_forgets(a->kind));
    r->history->clean[i + 1] = r->history->clean[i] || (a->forgets && !r->missed);
    r->history->n = i + 1;
    returned(r, i);
}

/* --- Whole stories --------------------------------------------------------------------- */

void run_init(Run *r, const Target *t, const char *root, const IoHook *hook, History *to)
{
    *r = (Run){ .target = t, .root = root, .history = to, .readable = true };
    test_io_init(&r->io, hook, test_boots[0], 7);
}

void run_done(Run *r)
{
    close_store(r);
    model_done(&r->model);
}

static int64_t moment(size_t second)
{
    return TEST_EPOCH_MS + (int64_t)second * 1000;
}

static bool set_up_one(Run *r, const Action *a, int64_t at_ms)
{
    Mark mark = { 0 }, expected;
    Err e = { 0 };
    r->io.wall_ms = at_ms;
    Prepared p = model_prepare(&r->model, a, at_ms);
    if (r->store && do_action(r, a, 0, &p, &mark, &e) != JOT_OK)
        return wrong(r, "setup on %s: %s", a->stream, e.text);
    if (model_tell(&r->model, a, &p, at_ms, &expected, &e) != JOT_OK ||
        (r->store && !same_mark(&mark, &expected)))
        return wrong(r, "setup on %s: mem: does not agree", a->stream);
    return true;
}

bool run_setup(Run *r, const Workload *w, SetupWhere where)
{
    model_init(&r->model, r->target, NULL);
    r->io.io.syncs_each = w->syncs_each;
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

void run_adopt(Run *r, const Snapshot *seen, const Allowed *allowed, bool clean)
{
    model_init(&r->model, r->target, seen);
    r->history->after[0] = *allowed;
    r->history->clean[0] = clean;
    r->io.random++; /* another process, which draws other numbers */
}

bool run_story(Run *r, const Action *story)
{
    if (r->history->after[0].n == 0)
        r->history->after[0] = allowed_now(r);
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
