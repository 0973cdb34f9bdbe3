/* sqlite.c - the engine that keeps a pad in one SQLite file: the operations of the contract.
 *
 * One file, one machine, any number of processes, a million streams.  A read is one statement and
 * sees one moment; a write is one transaction, and durable when it is committed.  db.h says what
 * always holds.
 *
 *     heads     name, stream, n, seq ...            a row a stream; `stream` is its number
 *     records   n, stream, seq, ..., body           n grows with every write to the pad, so what
 *                                                   changed since a cursor is what has a higher n
 *
 * An append: begin (one writer at a time), head and guard, decide (store_seal), add the record, set
 * the head, commit.  A head is kept twice, whole in `records` and without its body in `heads`: if
 * one of the two is damaged, the other one proves what was written (newest.c). */
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/mutant.h"

enum {
    CHANGES_MAX = 100000, /* more changed names than this are a RESCAN */
    CHANGES_PAUSE_US = 1000,
    CHANGES_PAUSE_US_MAX = 20000,
    CHAIN_HEX = 16, /* digits of a chain in a cursor */
};

/* --- Adding records -------------------------------------------------------------------- */

static jot_status live(Db *d, Str name, bool *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_stmt(d, DB_LIVE, &q, e));
    db_bind_text(q, 1, name);
    return db_step(d, q, out, e);
}

/* A name is a file or a directory, never both: refuse `name` if a live stream lies above or
 * below it. */
static jot_status check_clash(Db *d, Str name, Err *e)
{
    for (size_t i = 0; i < name.n; i++) {
        bool taken = false;
        if (name.p[i] == '/')
            TRY(live(d, str_slice(name, 0, i), &taken, e));
        if (taken)
            return store_name_taken(e, name, str_slice(name, 0, i));
    }
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool taken;
    TRY(db_stmt(d, DB_LIVE_BELOW, &q, e));
    /* '0' follows '/' in byte order. */
    db_bind_text(q, 1, arena_printf(&arena, STR_FMT "/", STR_ARG(name)));
    db_bind_text(q, 2, arena_printf(&arena, STR_FMT "0", STR_ARG(name)));
    TRY(db_step(d, q, &taken, e));
    return taken ? store_name_taken(e, name, row_text(q, 0, &arena)) : JOT_OK;
}

static jot_status next_live(void *ctx, Str from, Arena *into, Str *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool found;
    *out = (Str){ 0 };
    TRY(db_stmt(ctx, DB_LIVE_BELOW, &q, e));
    db_bind_text(q, 1, from);
    db_bind_text(q, 2, S("notes0"));
    TRY(db_step(ctx, q, &found, e));
    if (found)
        *out = row_text(q, 0, into);
    return JOT_OK;
}

/* Is there a note whose key differs only in case? */
static jot_status check_twin(Db *d, Str name, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str twin;
    TRY(store_find_twin(name, next_live, d, &arena, &twin, e));
    return twin.n ? store_twin_taken(e, name, twin) : JOT_OK;
}

typedef struct Recent {
    Arena arena;
    Record records[STORE_ID_WINDOW]; /* newest first, with mark, id and meta */
    size_t n;
} Recent;

static jot_status find_recent(Db *d, const Head *head, Recent *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_stmt(d, DB_RECENT, &q, e));
    db_bind_u64(q, 1, (uint64_t)head->number);
    db_bind_u64(q, 2, STORE_ID_WINDOW);
    db_bind_u64(q, 3, head->mark.seq);
    for (;;) {
        bool row;
        TRY(db_step(d, q, &row, e));
        if (!row || out->n == STORE_ID_WINDOW)
            return JOT_OK;
        Record *r = &out->records[out->n];
        *r = (Record){ .id = row_text(q, 8, &out->arena), .meta = row_text(q, 9, &out->arena) };
        out->n += row_mark(d, q, &r->mark, NULL) == JOT_OK; /* a damaged one has no id */
    }
}

static jot_status append_in(Db *d, Str stream, const Expect *x, const Draft *draft, Mark *out,
                            Err *e)
{
    Head head;
    uint64_t guard;
    assert(!sqlite3_get_autocommit(d->sql)); /* within a transaction */
    TRY(head_find(d, stream, &head, e));
    TRY(head_guard(d, x->guard, &guard, e));
    d->reports_loss = store_must_report(x, &head.mark);
    /* Ids are looked up only for who gives one: that is one statement less for all others. */
    Recent recent = { .n = 0 };
    jot_status st = draft->id.n ? find_recent(d, &head, &recent, e) : JOT_OK;
    Record fresh = { .mark = head.mark };
    bool again = false;
    Sealing asked = {
        .stream = stream,
        .x = x,
        .draft = draft,
        .head = &head.mark,
        .recent = recent.records,
        .recent_n = recent.n,
        .guard_seq = guard,
    };
    if (st == JOT_OK)
        st = store_seal(&d->base, &asked, &fresh, &again, e);
    arena_free(&recent.arena);
    *out = fresh.mark;
    if (st == JOT_CONFLICT)
        out->loss_reported = out->loss_reported || d->reports_loss;
    if (st != JOT_OK || again)
        return st;
    /* Only a name that comes to life can clash.  Other writers are shut out until the commit, so
     * what is looked at here is still so then. */
    if (!mark_live(&head.mark)) {
        *out = head.mark;
        TRY(check_clash(d, stream, e));
        TRY(check_twin(d, stream, e));
        *out = fresh.mark;
    }
    return head_add(d, stream, &head, &fresh, 1, e);
}

static jot_status sqlite_append(Store *s, Str stream, const Expect *x, const Draft *draft,
                                Mark *out, Err *e)
{
    Db *d = (Db *)s;
    Expect checked = *x;
    if (MUTANT(SQLITE_GUARD_BEFORE_BEGIN) && x->guard.n) {
        uint64_t guard;
        TRY(db_ready(d, "write", stream, e));
        TRY(head_guard(d, x->guard, &guard, e));
        if (guard == x->guard_seq)
            checked.guard = (Str){ 0 };
    }
    if (MUTANT(SQLITE_EXPECT_BEFORE_BEGIN) && x->kind == EXPECT_SEQ) {
        Head head;
        TRY(db_ready(d, "write", stream, e));
        TRY(head_find(d, stream, &head, e));
        if (head.mark.seq == x->seq)
            checked.kind = EXPECT_ANY;
    }
    TRY(db_begin(d, stream, e));
    return db_end(d, append_in(d, stream, &checked, draft, out, e), e);
}

/* Is one before it, to the same stream, left to be answered alone? */
static bool follows_left(const Append *items, size_t i)
{
    bool left = false;
    for (size_t k = 0; !left && k < i; k++)
        left = items[k].status == JOT_CANCELLED && str_eq(items[k].stream, items[i].stream);
    return left;
}

/* Many in one transaction.  One whose condition does not hold has changed nothing, and is left to
 * be answered alone; whatever else fails takes all of it back. */
static jot_status append_many_in(Db *d, Append *items, size_t n, Err *e)
{
    bool left = false;
    for (size_t i = 0; i < n; i++) {
        Append *a = &items[i];
        if (a->status != JOT_CANCELLED || (left && follows_left(items, i)))
            continue;
        Err why = { 0 };
        jot_status st = append_in(d, a->stream, &a->expect, &a->draft, &a->mark, &why);
        bool own = st == JOT_CONFLICT || st == JOT_FENCED || st == JOT_ID_REUSED ||
                   st == JOT_INVALID || st == JOT_NOT_FOUND;
        if (st != JOT_OK && !own)
            return err_pass(e, &why, st);
        if (st == JOT_OK)
            a->status = JOT_OK;
        left = left || own;
    }
    d->reports_loss = false; /* who is answered alone hears of what was lost */
    return JOT_OK;
}

static jot_status sqlite_append_many(Store *s, Append *items, size_t n, Err *e)
{
    Db *d = (Db *)s;
    if (n < 2)
        return JOT_OK;
    TRY(db_begin(d, items[0].stream, e));
    Err why = { 0 };
    jot_status st = db_end(d, append_many_in(d, items, n, &why), &why);
    for (size_t i = 0; i < n && st != JOT_OK; i++)
        if (items[i].status == JOT_OK) {
            items[i].status = st;
            items[i].why = why;
        }
    /* What was not reached would fail as well. */
    return st == JOT_OK || st == JOT_UNKNOWN ? JOT_OK : err_pass(e, &why, st);
}

/* A lost record comes back from a copy: what was left of it goes. */
static jot_status make_way(Db *d, const Head *head, uint64_t seq, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_stmt(d, DB_MAKE_WAY, &q, e));
    db_bind_u64(q, 1, (uint64_t)head->number);
    db_bind_u64(q, 2, seq);
    TRY(db_run(d, q, e));
    d->taken += sqlite3_changes64(d->sql);
    return JOT_OK;
}

static jot_status put_in(Db *d, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Head head;
    uint64_t guard;
    assert(!sqlite3_get_autocommit(d->sql)); /* within a transaction */
    TRY(head_find(d, stream, &head, e));
    TRY(head_guard(d, x->guard, &guard, e));
    d->reports_loss = store_must_report(x, &head.mark);
    TRY(store_check_expect(stream, x, &head.mark, guard, e));
    if (b->gaps && b->items[0].mark.seq <= head.mark.seq) {
        /* Into a gap: what stands before and after it must fit. */
        AUTO(Arena) arena = { 0 };
        Around gap;
        TRY(head_around(d, &head, b->items[0].mark.seq, &arena, &gap, e));
        TRY(store_check_place(stream, b, &gap.before.mark, &gap.after, e));
        return head_fill(d, &head, b->items, b->n, e);
    }
    TRY(store_check_place(stream, b, &head.mark, NULL, e));
    if (mark_live(&batch_last(b)->mark) && !mark_live(&head.mark))
        TRY(check_clash(d, stream, e));
    if (b->items[0].mark.seq <= mark_last(&head.mark))
        TRY(make_way(d, &head, b->items[0].mark.seq, e));
    return head_add(d, stream, &head, b->items, b->n, e);
}

static jot_status sqlite_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Db *d = (Db *)s;
    TRY(db_begin(d, stream, e));
    return db_end(d, put_in(d, stream, x, b, e), e);
}

/* --- Reading --------------------------------------------------------------------------- */

static jot_status sqlite_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Db *d = (Db *)s;
    Newest head;
    *out = (Record){ 0 };
    TRY(db_ready(d, "read", stream, e));
    TRY(newest_find(d, stream, into, &head, e));
    const Mark *m = &head.record.mark;
    if (m->lost)
        store_met_lost(s, stream, m);
    *out = head.record;
    if (want == HEAD_MARK)
        out->body = (Str){ 0 };
    if (m->seq)
        return JOT_OK;
    return m->lost ? store_all_lost(e, stream) : store_not_found(e, stream);
}

/* The newest record, whose two rows differ: as it was written, or not at all. */
static jot_status read_damaged(Db *d, Str stream, Arena *into, Record *out, bool *good, Err *e)
{
    Newest head;
    TRY(newest_find(d, stream, into, &head, e));
    *good = head.wrong;
    *out = head.record;
    return JOT_OK;
}

static jot_status sqlite_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                              Err *e)
{
    Db *d = (Db *)s;
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    size_t cap = 0, bytes = 0, damaged = 0;
    Shown shown;
    TRY(db_ready(d, "read", stream, e));
    TRY(db_stmt(d, DB_READ, &q, e));
    db_bind_text(q, 1, stream);
    db_bind_u64(q, 2, range.from);
    TRY(db_step(d, q, &row, e));
    if (!row)
        return store_not_found(e, stream);
    *out = (Records){ 0 };
    /* One row without a record: the stream is there, and has nothing from here on. */
    bool none = sqlite3_column_type(q, 0) == SQLITE_NULL;
    while (row && !none && out->n < range.limit) {
        /* The size is known before the body is fetched, so a page never holds more than it may; but
         * one record is always given, whatever its size. */
        bytes += (size_t)sqlite3_column_bytes(q, 12);
        if (out->n && bytes > STORE_READ_BYTES)
            break;
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof(Record), alignof(Record));
        Record *to = &out->items[out->n];
        bool good = row_record(d, q, true, into, to, NULL) == JOT_OK;
        if (good && sqlite3_column_int(q, 13))
            TRY(read_damaged(d, stream, into, to, &good, e));
        *(good ? &out->n : &damaged) += 1;
        TRY(db_step(d, q, &row, e));
    }
    out->more = row && !none;
    out->damaged = damaged;
    if (damaged)
        store_met(s, &s->report.damaged, "'%s' has records that cannot be read",
                  err_show(&shown, stream));
    return JOT_OK;
}

/* --- Listing --------------------------------------------------------------------------- */

/* What is listed of a stream whose head was damaged. */
static jot_status list_damaged(Db *d, ListWhich which, Arena *into, Listed *l, bool *listed, Err *e)
{
    Newest head;
    TRY(newest_find(d, l->name, into, &head, e));
    l->mark = head.record.mark;
    l->by = head.record.by;
    l->meta = head.record.meta;
    *listed = l->mark.seq && (list_takes_all(which) || mark_live(&l->mark));
    return JOT_OK;
}

static jot_status sqlite_list(Store *s, const ListQuery *ask, Arena *into, Listing *out, Err *e)
{
    Db *d = (Db *)s;
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(sqlite3_stmt) q = NULL;
    Str from, to;
    bool row;
    size_t cap = 0;
    list_range(ask, &arena, &from, &to);
    TRY(db_ready(d, "list", ask->prefix, e));
    TRY(db_stmt(d, DB_LIST, &q, e));
    db_bind_text(q, 1, from);
    db_bind_text(q, 2, to);
    db_bind_u64(q, 3, list_takes_all(ask->which));
    *out = (Listing){ 0 };
    TRY(db_step(d, q, &row, e));
    while (row && out->n < ask->limit) {
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof(Listed), alignof(Listed));
        Listed *l = &out->items[out->n];
        l->name = row_text(q, 8, into);
        l->by = row_text(q, 9, into);
        l->meta = row_text(q, 10, into);
        bool listed = true;
        if (row_mark(d, q, &l->mark, NULL) != JOT_OK || !sqlite3_column_int(q, 11))
            TRY(list_damaged(d, ask->which, into, l, &listed, e));
        out->n += listed;
        TRY(db_step(d, q, &row, e));
    }
    out->more = row;
    return JOT_OK;
}

/* --- Changes --------------------------------------------------------------------------- */

/* A cursor is PAD.N.CHAIN: everything up to n was seen, and n was a record with this chain.  A
 * pad that was restored from a copy gives the same n to another record. */
static void write_cursor(const Db *d, int64_t n, Hash chain, Cursor *out)
{
    snprintf(out->text, sizeof out->text, "%s.%lld.%.*s", d->id, (long long)n, CHAIN_HEX,
             hash_hex(chain).text);
}

static bool read_cursor(const Db *d, const Cursor *c, int64_t *n, Str *chain)
{
    Str rest = str(c->text), id, number;
    if (!str_cut(&rest, '.', &id) || !str_cut(&rest, '.', &number))
        return false;
    *chain = rest;
    return str_eq(id, str(d->id)) && rest.n == CHAIN_HEX && str_to_i64(number, 0, INT64_MAX, n);
}

/* True if the cursor's record may still be the one it was; trimmed and purged ones may. */
static jot_status same_record(Db *d, int64_t n, Str chain, bool *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    Hash now = { 0 };
    TRY(db_stmt(d, DB_CHAIN_OF, &q, e));
    db_bind_u64(q, 1, (uint64_t)n);
    TRY(db_step(d, q, &row, e));
    *out = !row || (row_hash(q, 0, &now) && str_starts(str(hash_hex(now).text), chain));
    return JOT_OK;
}

static jot_status changed_names(Db *d, int64_t since, int64_t last, Arena *into, Changes *out,
                                Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    size_t cap = 0;
    bool row;
    TRY(db_stmt(d, DB_CHANGED, &q, e));
    db_bind_u64(q, 1, (uint64_t)since);
    db_bind_u64(q, 2, (uint64_t)last);
    db_bind_u64(q, 3, CHANGES_MAX + 1);
    TRY(db_step(d, q, &row, e));
    while (row && out->n < CHANGES_MAX) {
        out->names = arena_grow(into, out->names, out->n, &cap, sizeof(Str), alignof(Str));
        out->names[out->n++] = row_text(q, 0, into);
        TRY(db_step(d, q, &row, e));
    }
    if (row) {
        out->n = 0;
        out->rescan = true;
    }
    return JOT_OK;
}

/* Has text been forgotten since n? */
static jot_status forgot_since(Db *d, int64_t n, bool *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_FORGOT, &q, e));
    TRY(db_step(d, q, &row, e));
    *out = row && sqlite3_column_int64(q, 0) > n;
    return JOT_OK;
}

static jot_status sqlite_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into,
                                 Changes *out, Err *e)
{
    Db *d = (Db *)s;
    int64_t since = 0, last = 0;
    Hash chain;
    Str was = { 0 };
    *out = (Changes){ 0 };
    TRY(db_ready(d, "look for changes", (Str){ 0 }, e));
    TRY(head_last(d, &last, &chain, e));
    bool known = read_cursor(d, c, &since, &was) && since <= last;
    if (known)
        TRY(same_record(d, since, was, &known, e));
    /* Nobody tells other processes of a commit, so the highest n is asked for again and again, with
     * pauses that grow; it is one step down an index. */
    Patience p = patience_new(s->io, wait_ms, CHANGES_PAUSE_US, CHANGES_PAUSE_US_MAX);
    while (known && last == since && patience_pause(&p)) {
        TRY(db_ready(d, "look for changes", (Str){ 0 }, e));
        TRY(head_last(d, &last, &chain, e));
    }
    out->rescan = !known;
    if (known && last > since) {
        TRY(changed_names(d, since, last, into, out, e));
        TRY(forgot_since(d, since, &out->forgot, e));
    }
    write_cursor(d, last, chain, &out->next);
    return JOT_OK;
}

static jot_status sqlite_pad_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    (void)e;
    snprintf(out, STORE_PAD_ID + 1, "%s", ((Db *)s)->id);
    return JOT_OK;
}

static jot_status sqlite_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    (void)e;
    *out = arena_printf(into, "%s.index", ((Db *)s)->path);
    return JOT_OK;
}

static StorePromise sqlite_promise(const Store *s)
{
    return (StorePromise){
        .scheme = "sqlite", .durable = true, .shared = true, .holds = true, .guards = true
    };
}

static bool sqlite_moved(Store *s)
{
    const Db *d = (const Db *)s;
    int moved = 0;
    if (d->sql)
        sqlite3_file_control(d->sql, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}

const StoreOps sqlite_ops = {
    .scheme = "sqlite",
    .open = sqlite_open,
    .close = sqlite_close,
    .append = sqlite_append,
    .append_many = sqlite_append_many,
    .head = sqlite_head,
    .read = sqlite_read,
    .list = sqlite_list,
    .changes = sqlite_changes,
    .trim = sqlite_trim,
    .redact = sqlite_redact,
    .purge = sqlite_purge,
    .scrub = sqlite_scrub,
    .put_records = sqlite_put_records,
    .forget_before = sqlite_forget_before,
    .promise = sqlite_promise,
    .hold = db_hold,
    .held = db_held,
    .id = sqlite_pad_id,
    .index_path = sqlite_index_path,
    .moved = sqlite_moved,
    .verify = sqlite_verify,
    .heads = sqlite_heads,
    .tokens = sqlite_tokens,
};
