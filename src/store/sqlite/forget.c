/* forget.c - trim, redact and purge.
 *
 * What is removed must not be found in any file afterwards: db_forget() and
 * db_end() see to the log, secure_delete to the pages.  Trimming is not
 * forgetting on purpose, so it does not wait for that.
 *
 * A redaction adds no record, so it gives the head a new n: anyone who asks for
 * changes finds the stream by it. */
#include <assert.h>

#include "store/sqlite/sqlite.h"

enum {
    TRIM_BATCH = 1000,  /* records dropped in one transaction, so that others get a turn */
    SPARING_BATCH = 16, /* ... and so that their pages fit into little room */
};

/* The head of what is there and meets the condition. */
static jot_status head_meet(Db *d, Str stream, const Expect *x, Head *out, Err *e)
{
    uint64_t guard;
    TRY(head_need(d, stream, out, e));
    d->reports_loss = store_must_report(x, &out->mark);
    TRY(head_guard(d, x->guard, &guard, e));
    return store_check_expect(stream, x, &out->mark, guard, e);
}

static jot_status drop_before(Db *d, int64_t number, uint64_t seq, uint64_t *dropped, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    assert(!sqlite3_get_autocommit(d->sql)); /* within a transaction */
    TRY(db_stmt(d, DB_DROP, &q, e));
    db_bind_u64(q, 1, (uint64_t)number);
    db_bind_u64(q, 2, seq);
    TRY(db_run(d, q, e));
    *dropped += (uint64_t)sqlite3_changes64(d->sql);
    d->taken += sqlite3_changes64(d->sql);
    return JOT_OK;
}

static jot_status find_oldest(Db *d, int64_t number, uint64_t *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_OLDEST, &q, e));
    db_bind_u64(q, 1, (uint64_t)number);
    TRY(db_step(d, q, &row, e));
    *out = row ? row_u64(q, 0) : 0;
    return JOT_OK;
}

typedef struct TrimBatch {
    uint64_t dropped;
    bool more; /* there is another */
} TrimBatch;

static jot_status trim_in(Db *d, Str stream, const Expect *x, uint64_t before, TrimBatch *out,
                          Err *e)
{
    Head head;
    uint64_t oldest;
    TRY(head_meet(d, stream, x, &head, e));
    TRY(find_oldest(d, head.number, &oldest, e));
    uint64_t from = store_trim_from(&head.mark, before);
    out->more = from > oldest + TRIM_BATCH;
    if (from <= oldest)
        return JOT_OK;
    return drop_before(d, head.number, out->more ? oldest + TRIM_BATCH : from, &out->dropped, e);
}

jot_status sqlite_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                       Err *e)
{
    Db *d = (Db *)s;
    /* Batch after batch, each in a transaction with the condition asked again: other writers get
     * their turn, and a trim that is killed has dropped the oldest, as a trim does. */
    for (bool more = true; more;) {
        TrimBatch batch = { 0 };
        TRY(db_begin_removal(d, stream, e));
        TRY(db_end(d, trim_in(d, stream, x, before, &batch, e), e));
        *dropped += batch.dropped;
        more = batch.more;
    }
    return JOT_OK;
}

/* Give the head a new n, the highest. */
static jot_status move_head(Db *d, Str stream, Head *head, Err *e)
{
    int64_t last;
    Hash unused;
    AUTO_PTR(sqlite3_stmt) move = NULL;
    assert(!sqlite3_get_autocommit(d->sql));
    TRY(head_last(d, &last, &unused, e));
    TRY(db_stmt(d, DB_MOVE, &move, e));
    db_bind_u64(move, 1, (uint64_t)head->n);
    db_bind_u64(move, 2, (uint64_t)last + 1);
    TRY(db_run(d, move, e));
    db_gave(d, last + 1);
    d->taken++;
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_stmt(d, DB_HEAD_MOVED, &q, e));
    db_bind_u64(q, 1, (uint64_t)last + 1);
    db_bind_u64(q, 2, head->mark.redacted);
    db_bind_text(q, 3, stream);
    return db_run(d, q, e);
}

typedef struct Row {
    Mark mark;
    int64_t n;
} Row;

static jot_status find_record(Db *d, Str stream, const Head *head, uint64_t seq, Row *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_FIND, &q, e));
    db_bind_u64(q, 1, (uint64_t)head->number);
    db_bind_u64(q, 2, seq);
    TRY(db_step(d, q, &row, e));
    if (!row)
        return store_not_found(e, stream);
    out->n = sqlite3_column_int64(q, 8);
    return row_mark(d, q, &out->mark, e);
}

static jot_status blank_record(Db *d, Str stream, Head *head, uint64_t seq, Err *e)
{
    Row row = { 0 };
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(find_record(d, stream, head, seq, &row, e));
    TRY(store_check_redact(stream, &head->mark, &row.mark, e));
    TRY(db_stmt(d, DB_BLANK, &q, e));
    db_bind_u64(q, 1, (uint64_t)row.n);
    TRY(db_run(d, q, e));
    head->mark.redacted = head->mark.redacted || row.n == head->n;
    return JOT_OK;
}

static jot_status redact_in(Db *d, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    Head head;
    assert(r->n > 0 && r->n <= STORE_REDACT_MAX);
    TRY(head_meet(d, stream, x, &head, e));
    for (size_t i = 0; i < r->n; i++)
        TRY(blank_record(d, stream, &head, r->seqs[i], e));
    TRY(move_head(d, stream, &head, e));
    return db_forget(d, e);
}

/* The marks of the newest records, as far as they can be read. */
static void find_newest(Db *d, const Head *head, Arena *into, Gone *out)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    Record *newest = NEW_ARRAY(into, Record, STORE_TOLD_MAX);
    out->newest = newest;
    if (db_stmt(d, DB_RECENT, &q, NULL) != JOT_OK)
        return;
    db_bind_u64(q, 1, (uint64_t)head->number);
    db_bind_u64(q, 2, STORE_TOLD_MAX);
    db_bind_u64(q, 3, head->mark.seq);
    for (bool row; db_step(d, q, &row, NULL) == JOT_OK && row && out->n < STORE_TOLD_MAX;)
        out->n += row_mark(d, q, &newest[out->n].mark, NULL) == JOT_OK;
}

/* Put a tombstone after everything.  *head is the tombstone's then, or else the head that is in the
 * way. */
static jot_status bury(Db *d, Str stream, const Expect *x, Str by, Head *head, Err *e)
{
    *head = (Head){ 0 };
    TRY(head_meet(d, stream, x, head, e));
    TRY(store_check_room(stream, &head->mark, 1, e));
    /* What the tombstone says of the records is read before they go, as far as it can be read: one
     * that is damaged can be purged all the same. */
    AUTO(Arena) arena = { 0 };
    Around oldest;
    Gone gone = { 0 };
    bool good = head_around(d, head, 0, &arena, &oldest, NULL) == JOT_OK;
    if (good && oldest.after.mark.seq)
        gone.oldest = &oldest.after;
    find_newest(d, head, &arena, &gone);
    Record tombstone = store_tombstone(&d->base, stream, by, &head->mark, &gone, &arena);
    TRY(head_add(d, stream, head, &tombstone, 1, e));
    assert(head->mark.seq == tombstone.mark.seq);
    return db_forget(d, e);
}

static jot_status forget_before_in(Db *d, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Head head;
    Row row;
    uint64_t dropped = 0;
    TRY(head_meet(d, stream, x, &head, e));
    TRY(find_record(d, stream, &head, seq, &row, e));
    TRY(drop_before(d, head.number, seq, &dropped, e));
    TRY(move_head(d, stream, &head, e));
    return db_forget(d, e);
}

jot_status sqlite_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Db *d = (Db *)s;
    TRY(db_begin_removal(d, stream, e));
    return db_end(d, forget_before_in(d, stream, x, seq, e), e);
}

static jot_status purge_in(Db *d, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Head head;
    uint64_t dropped = 0;
    jot_status st = bury(d, stream, x, by, &head, e);
    *out = head.mark;
    TRY(st);
    return drop_before(d, head.number, out->seq, &dropped, e);
}

/* --- Without room ---------------------------------------------------------------------- */

/* A few of the oldest records before `seq`; *more if there are others. */
static jot_status drop_some(Db *d, int64_t number, uint64_t seq, bool *more, Err *e)
{
    uint64_t oldest, dropped = 0;
    TRY(find_oldest(d, number, &oldest, e));
    *more = seq > oldest + SPARING_BATCH;
    TRY(drop_before(d, number, *more ? oldest + SPARING_BATCH : seq, &dropped, e));
    return db_forget(d, e);
}

/* First the tombstone, then the records, and the log is emptied after each step.  When the
 * tombstone is there and something fails, nobody can say that nothing has happened. */
static jot_status purge_in_steps(Db *d, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Head head;
    Err why = { 0 };
    assert(d->sparing);
    TRY(db_begin_removal(d, stream, e));
    jot_status st = db_end(d, bury(d, stream, x, by, &head, &why), &why);
    *out = head.mark;
    if (st != JOT_OK && st != JOT_UNKNOWN)
        return err_pass(e, &why, st);
    for (bool more = true; more && st == JOT_OK;) {
        st = db_begin_removal(d, stream, &why);
        if (st == JOT_OK)
            st = db_end(d, drop_some(d, head.number, out->seq, &more, &why), &why);
    }
    Shown shown;
    return st == JOT_OK
               ? st
               : err_set(e, JOT_UNKNOWN, "'%s' is deleted, but not all of it is gone: %.120s",
                         err_show(&shown, stream), why.text);
}

static jot_status redact_once(Db *d, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    TRY(db_begin_removal(d, stream, e));
    return db_end(d, redact_in(d, stream, x, r, e), e);
}

/* The disk was full: begin again with what is kept for that, and write as little as possible. */
static void spare(Db *d, bool on)
{
    d->sparing = on;
    d->broken = true; /* what is freed is treated by the connection */
    if (on)
        (void)db_give_room(d);
}

/* Somebody has used the reserve, and died or found no room to make it again: the little there is
 * must not go to the log for a try that cannot end well, for then it could not be emptied. */
static bool is_tight(Db *d)
{
    return !d->base.read_only_why[0] && !db_reserve(d);
}

/* What was freed is zeroed now.  A reader in the way is reported by sqlite_scrub, as always. */
static jot_status finish(Db *d, Err *e)
{
    Err why = { 0 };
    jot_status st = sqlite_scrub(&d->base, &why);
    if (st == JOT_OK || d->held_back)
        return JOT_OK;
    return err_set(e, JOT_UNKNOWN,
                   "the text is removed, but its pages could not be cleared: %.120s", why.text);
}

/* --- Operations ------------------------------------------------------------------------ */

jot_status sqlite_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e)
{
    Db *d = (Db *)s;
    jot_status st = JOT_OK;
    /* In one step while there is room.  If the disk turns out to be full, that step has changed
     * nothing, and it is done once more the careful way. */
    if (!is_tight(d)) {
        d->full = false;
        st = redact_once(d, stream, x, r, e);
        if (st != JOT_IO || !d->full)
            return st;
    }
    spare(d, true);
    st = redact_once(d, stream, x, r, e);
    spare(d, false);
    return st == JOT_OK ? finish(d, e) : st;
}

jot_status sqlite_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Db *d = (Db *)s;
    jot_status st = JOT_OK;
    if (!is_tight(d)) {
        d->full = false;
        st = db_begin_removal(d, stream, e);
        if (st == JOT_OK)
            st = db_end(d, purge_in(d, stream, x, by, out, e), e);
        if (st != JOT_IO || !d->full)
            return st;
    }
    spare(d, true);
    st = purge_in_steps(d, stream, x, by, out, e);
    spare(d, false);
    return st == JOT_OK ? finish(d, e) : st;
}

jot_status sqlite_scrub(Store *s, Err *e)
{
    Db *d = (Db *)s;
    int due;
    TRY(db_ready(d, "clear", S("the log"), e));
    TRY(db_scrub_due(d, &due, e));
    if (!due)
        return JOT_OK;
    if (s->read_only_why[0])
        return store_refuse_write(s, e);
    TRY(db_lock(d, e));
    d->scrub = due;
    int rc = db_tidy(d, 0);
    db_unlock(d);
    if (d->held_back)
        return err_set(e, JOT_UNAVAILABLE, "another program is reading the pad");
    return rc == SQLITE_OK ? JOT_OK : db_fault(d, rc, e);
}
