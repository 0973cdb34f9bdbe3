/* newest.c - the head of a stream, also where its rows were damaged.
 *
 * A head is in the database twice: its row in `heads` has all of it but the body,
 * its row in `records` all of it.  As long as both say the same and the body has
 * its hash, that is the head, and nothing else is looked at.
 *
 * Otherwise its chain decides which of the two is what was written: it must
 * continue the newest other record that can be read.  Whichever does is the head,
 * and the next write repairs the other one.  If neither does, or the body is
 * gone, the record is lost (store.h): the one before counts.  The next write marks
 * the damaged row with the op 0, which no record has, so that nobody takes it for
 * one; 16 more than the op in `heads` says that the loss was reported. */
#include <assert.h>

#include "store/sqlite/sqlite.h"

/* A row of records, or the copy of a head. */
typedef struct Row {
    Record record;
    bool there; /* there is such a row ... */
    int64_t n;  /* ... and this is where it stands */
    bool valid; /* it can be a record's header */
    bool whole; /* and the body has its hash */
} Row;

/* What both tables have of a stream's end. */
typedef struct End {
    Row head;   /* the copy in heads, without body */
    bool told;  /* ... which says that its loss was reported */
    Row newest; /* the record with the highest seq ... */
    Row before; /* ... and the newest other one that is whole */
} End;

static bool body_fits(const Record *r)
{
    const Mark *m = &r->mark;
    if (m->op == OP_DELETE || m->redacted)
        return r->body.n == 0;
    return r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256);
}

static void read_row(Db *d, sqlite3_stmt *q, int n_at, Arena *into, Row *out)
{
    out->there = sqlite3_column_type(q, n_at) != SQLITE_NULL;
    out->n = sqlite3_column_int64(q, n_at);
    out->valid = row_record(d, q, true, into, &out->record, NULL) == JOT_OK;
    out->whole = out->valid && body_fits(&out->record);
}

static jot_status read_records(Db *d, int64_t number, Arena *into, End *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_NEWEST, &q, e));
    db_bind_u64(q, 1, (uint64_t)number);
    TRY(db_step(d, q, &row, e));
    if (row)
        read_row(d, q, 13, into, &out->newest);
    while (row && !out->before.whole) {
        TRY(db_step(d, q, &row, e));
        if (row)
            read_row(d, q, 13, into, &out->before);
    }
    if (!out->before.whole)
        out->before = (Row){ 0 };
    return JOT_OK;
}

/* True if `r` is what was written after `before`.  In front of the oldest record that is kept
 * nothing tells. */
static bool follows(Str stream, const Row *before, const Record *r)
{
    const Mark *m = &before->record.mark;
    if (r->mark.seq <= m->seq)
        return false;
    if (!before->there && r->mark.seq > 1)
        return true;
    return hash_eq(r->mark.chain, record_chain(m->chain, stream, r));
}

/* The highest number that the damaged rows can have had. */
static uint64_t number_used(const End *end)
{
    uint64_t before = end->before.record.mark.seq;
    if (end->head.record.mark.seq > before)
        return end->head.record.mark.seq;
    return end->newest.record.mark.seq > before ? end->newest.record.mark.seq : before + 1;
}

static void lose(const End *end, const Row *kept, uint64_t used, Newest *out)
{
    assert(used > kept->record.mark.seq); /* at least one number is lost */
    out->record = kept->record;
    out->n = kept->n;
    out->record.mark.lost = used - kept->record.mark.seq;
    out->record.mark.loss_reported = end->told;
}

/* Decide which of the rows is the head. */
static void decide(Str stream, const End *end, Newest *out)
{
    Record copy = end->head.record;
    const Row *newest = &end->newest;
    out->wrong = true;
    /* The copy continues the newest record that is there: the record of the copy itself is gone. */
    if (newest->whole && end->head.valid && follows(stream, newest, &copy)) {
        /* Its row is not there any more; of a tombstone no body is missing. */
        out->wrong = out->missing = body_fits(&copy);
        out->record = copy;
        if (!out->wrong)
            lose(end, newest, copy.mark.seq, out);
        return;
    }
    /* The record is what was written, and its copy is what was damaged. */
    out->n = newest->n;
    if (newest->whole && follows(stream, &end->before, &newest->record)) {
        out->record = newest->record;
        return;
    }
    /* The other way round: the copy's header, with the body of the row, which has its hash. */
    copy.body = newest->record.body;
    if (end->head.valid && newest->there && body_fits(&copy) &&
        follows(stream, &end->before, &copy)) {
        out->record = copy;
        return;
    }
    /* Neither: the record is lost, and the one before it counts. */
    out->wrong = false;
    out->spoilt = newest->there;
    out->damaged = newest->n;
    lose(end, &end->before, number_used(end), out);
}

static jot_status look_closer(Db *d, Str stream, Arena *into, Newest *out, Err *e)
{
    End end = { 0 };
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_HEAD_COPY, &q, e));
    db_bind_text(q, 1, stream);
    TRY(db_step(d, q, &row, e));
    if (!row)
        return JOT_OK;
    end.head.there = true;
    end.head.valid = row_record(d, q, false, into, &end.head.record, NULL) == JOT_OK;
    end.told = sqlite3_column_int(q, 14);
    TRY(read_records(d, out->number, into, &end, e));
    decide(stream, &end, out);
    return JOT_OK;
}

jot_status newest_find(Db *d, Str stream, Arena *into, Newest *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    *out = (Newest){ 0 };
    TRY(db_stmt(d, DB_HEAD, &q, e));
    db_bind_text(q, 1, stream);
    TRY(db_step(d, q, &row, e));
    if (!row)
        return JOT_OK;
    Row r = { 0 };
    read_row(d, q, 13, into, &r);
    out->record = r.record;
    out->n = r.n;
    out->number = sqlite3_column_int64(q, 14);
    if (r.whole && sqlite3_column_int(q, 15))
        return JOT_OK;
    db_reset(q);
    out->record = (Record){ 0 };
    return look_closer(d, stream, into, out, e);
}

/* --- Setting right ----------------------------------------------------------------------- */

static jot_status mark_damaged(Db *d, int64_t n, uint64_t seq, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_stmt(d, DB_SPOILT, &q, e));
    db_bind_u64(q, 1, (uint64_t)n);
    db_bind_u64(q, 2, seq);
    return db_run(d, q, e);
}

jot_status newest_settle(Db *d, Str stream, Newest *head, Err *e)
{
    d->mended = d->mended || head->spoilt || head->wrong;
    if (head->spoilt)
        TRY(mark_damaged(d, head->damaged, mark_last(&head->record.mark), e));
    if (!head->wrong)
        return JOT_OK;
    Shown shown;
    TRY(head_rewrite(d, stream, head, e));
    store_met(&d->base, &d->base.report.restored, "record %llu of '%s' was damaged and was rebuilt",
              (unsigned long long)head->record.mark.seq, err_show(&shown, stream));
    return JOT_OK;
}
