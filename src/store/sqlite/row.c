/* row.c - between rows of the tables and the contract's marks, records and heads.
 *
 *     heads    name ──► stream (its number), n, a copy of the head's mark
 *                                             │
 *     records  n ──► stream, seq, mark, body ─┘
 *
 * A record is added under the next n, then the row of its stream in `heads` is set to it, in the
 * same transaction: a head is read from one row, and its history by (stream, seq).  n only grows
 * and is never given twice, so it is also the order of all changes of the pad. */
#include <assert.h>
#include <string.h>

#include "store/sqlite/sqlite.h"

/* --- Rows ------------------------------------------------------------------------------ */

Str row_text(sqlite3_stmt *q, int at, Arena *into)
{
    const char *p = (const char *)sqlite3_column_text(q, at);
    return arena_copy(into, (Str){ p, p ? (size_t)sqlite3_column_bytes(q, at) : 0 });
}

static Str row_blob(sqlite3_stmt *q, int at, Arena *into)
{
    const char *p = sqlite3_column_blob(q, at);
    return arena_copy(into, (Str){ p, p ? (size_t)sqlite3_column_bytes(q, at) : 0 });
}

bool row_hash(sqlite3_stmt *q, int at, Hash *out)
{
    const void *p = sqlite3_column_blob(q, at);
    *out = (Hash){ 0 };
    if (p && sqlite3_column_bytes(q, at) == (int)sizeof out->b)
        memcpy(out->b, p, sizeof out->b);
    return !p || sqlite3_column_bytes(q, at) == (int)sizeof out->b;
}

uint64_t row_u64(sqlite3_stmt *q, int at)
{
    return (uint64_t)sqlite3_column_int64(q, at);
}

jot_status row_mark(Db *d, sqlite3_stmt *q, Mark *out, Err *e)
{
    int64_t op = sqlite3_column_int64(q, 2);
    *out = (Mark){ .seq = row_u64(q, 0),
                   .at_ms = sqlite3_column_int64(q, 1),
                   .op = (Op)op,
                   .fence = row_u64(q, 3),
                   .size = row_u64(q, 4),
                   .redacted = row_u64(q, 5) & 1,
                   .gap = row_u64(q, 5) >> 1 };
    bool good = row_hash(q, 6, &out->sha256) && row_hash(q, 7, &out->chain);
    if (!good || op < OP_PUT || op > OP_APPEND || out->seq == 0 || out->seq > STORE_SEQ_MAX)
        return db_damaged(d, "a record in it is damaged", e);
    return JOT_OK;
}

jot_status row_record(Db *d, sqlite3_stmt *q, bool body, Arena *into, Record *out, Err *e)
{
    *out = (Record){ 0 };
    TRY(row_mark(d, q, &out->mark, e));
    out->by = row_text(q, 8, into);
    out->id = row_text(q, 9, into);
    out->meta = row_text(q, 10, into);
    out->extra = row_text(q, 11, into);
    if (body)
        out->body = row_blob(q, 12, into);
    /* A redaction empties the body: where it stands, it is the mark that is damaged. */
    if (out->body.n)
        out->mark.redacted = false;
    return JOT_OK;
}

static Str hash_bytes(const Hash *h)
{
    return (Str){ (const char *)h->b, sizeof h->b };
}

/* Parameters 1 to 13: all of a record but its body. */
static void bind_record(sqlite3_stmt *q, const Record *r, int64_t number)
{
    const Mark *m = &r->mark;
    db_bind_u64(q, 1, m->seq);
    db_bind_u64(q, 2, (uint64_t)m->at_ms);
    db_bind_u64(q, 3, (uint64_t)m->op);
    db_bind_u64(q, 4, m->fence);
    db_bind_u64(q, 5, m->size);
    db_bind_u64(q, 6, m->gap << 1 | m->redacted);
    if (m->op != OP_DELETE)
        db_bind_blob(q, 7, hash_bytes(&m->sha256));
    db_bind_blob(q, 8, hash_bytes(&m->chain));
    db_bind_text(q, 9, r->by);
    db_bind_text(q, 10, r->id);
    db_bind_text(q, 11, r->meta);
    db_bind_text(q, 12, r->extra);
    db_bind_u64(q, 13, (uint64_t)number);
}

/* --- Heads ----------------------------------------------------------------------------- */

jot_status head_find(Db *d, Str stream, Head *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Newest newest;
    *out = (Head){ 0 };
    TRY(newest_find(d, stream, &arena, &newest, e));
    TRY(newest_settle(d, stream, &newest, e));
    *out = (Head){ newest.record.mark, newest.number, newest.n };
    return JOT_OK;
}

jot_status head_need(Db *d, Str stream, Head *out, Err *e)
{
    TRY(head_find(d, stream, out, e));
    return mark_last(&out->mark) ? JOT_OK : store_not_found(e, stream);
}

jot_status head_guard(Db *d, Str stream, uint64_t *seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Newest newest = { 0 };
    if (stream.n)
        TRY(newest_find(d, stream, &arena, &newest, e));
    *seq = store_guard_seq(&newest.record.mark);
    return JOT_OK;
}

jot_status head_last(Db *d, int64_t *n, Hash *chain, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    *n = 0;
    *chain = (Hash){ 0 };
    TRY(db_stmt(d, DB_LAST, &q, e));
    TRY(db_step(d, q, &row, e));
    if (!row)
        return JOT_OK;
    *n = sqlite3_column_int64(q, 0);
    if (!row_hash(q, 1, chain))
        *chain = (Hash){ 0 }; /* damaged: a cursor with it will be another's */
    return JOT_OK;
}

/* --- Adding records -------------------------------------------------------------------- */

/* Add a record after the head, which becomes it; head->n is where it stands. */
static jot_status add_record(Db *d, Head *head, const Record *r, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    if (head->number == 0) {
        /* The record gets the next n, and the stream is called by it. */
        Hash unused;
        TRY(head_last(d, &head->number, &unused, e));
        head->number++;
    }
    TRY(db_stmt(d, DB_ADD, &q, e));
    bind_record(q, r, head->number);
    db_bind_blob(q, 14, r->body);
    TRY(db_run(d, q, e));
    head->n = sqlite3_last_insert_rowid(d->sql);
    db_gave(d, head->n);
    head->mark = r->mark;
    return JOT_OK;
}

/* Make `r`, which stands at head->n, the stream's head. */
static jot_status set_head(Db *d, Str stream, const Head *head, const Record *r, bool fresh, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    assert(head->mark.seq == r->mark.seq); /* the two copies of a head say the same */
    TRY(db_stmt(d, fresh ? DB_NEW_HEAD : DB_SET_HEAD, &q, e));
    bind_record(q, r, head->number);
    db_bind_u64(q, 14, (uint64_t)head->n);
    db_bind_text(q, 15, stream);
    return db_run(d, q, e);
}

jot_status head_rewrite(Db *d, Str stream, Newest *newest, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    assert(newest->wrong && !sqlite3_get_autocommit(d->sql));
    const Record *r = &newest->record;
    Head head = { r->mark, newest->number, newest->n };
    /* The row is gone: it gets a new one, under a new n, and the old one counts as taken away. */
    if (newest->missing) {
        TRY(add_record(d, &head, r, e));
        d->taken++; /* the n it had */
        newest->n = head.n;
        return set_head(d, stream, &head, r, false, e);
    }
    TRY(db_stmt(d, DB_REWRITE, &q, e));
    bind_record(q, r, head.number);
    db_bind_u64(q, 14, (uint64_t)head.n);
    TRY(db_run(d, q, e));
    return set_head(d, stream, &head, r, false, e);
}

/* Tokens are given in order, and so is n: every record has one.  So the highest n tells how far
 * tokens can have come, but for those that were raised (store_raise_tokens).  How far they are
 * ahead of n since then is written down, for the day when their stream is lost. */
static jot_status note_tokens(Db *d, Str stream, const Head *head, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    if (!str_eq(stream, S(STORE_TOKENS)) || head->mark.seq <= (uint64_t)head->n)
        return JOT_OK;
    TRY(db_stmt(d, DB_AHEAD, &q, e));
    db_bind_u64(q, 1, head->mark.seq - (uint64_t)head->n);
    return db_run(d, q, e);
}

jot_status head_add(Db *d, Str stream, Head *head, const Record *records, size_t n, Err *e)
{
    /* One record or many: the head is set once, to the last of them. */
    bool fresh = mark_last(&head->mark) == 0;
    assert(n > 0 && !sqlite3_get_autocommit(d->sql)); /* within a transaction */
    for (size_t i = 0; i < n; i++) {
        assert(records[i].mark.seq > head->mark.seq);
        TRY(add_record(d, head, &records[i], e));
    }
    TRY(note_tokens(d, stream, head, e));
    return set_head(d, stream, head, &records[n - 1], fresh, e);
}

jot_status head_fill(Db *d, const Head *head, const Record *records, size_t n, Err *e)
{
    Head beside = *head;
    assert(n > 0 && !sqlite3_get_autocommit(d->sql));
    for (size_t i = 0; i < n; i++)
        TRY(add_record(d, &beside, &records[i], e));
    return JOT_OK;
}

jot_status head_around(Db *d, const Head *head, uint64_t seq, Arena *into, Around *out, Err *e)
{
    const struct {
        DbStmt which;
        Record *to;
    } sides[] = { { DB_BEFORE, &out->before }, { DB_FROM, &out->after } };
    *out = (Around){ 0 };
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        bool row;
        TRY(db_stmt(d, sides[i].which, &q, e));
        db_bind_u64(q, 1, (uint64_t)head->number);
        db_bind_u64(q, 2, seq);
        TRY(db_step(d, q, &row, e));
        if (row)
            TRY(row_record(d, q, false, into, sides[i].to, e));
    }
    return JOT_OK;
}
