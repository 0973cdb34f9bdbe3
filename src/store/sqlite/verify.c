/* verify.c - the database of a pad, looked at as a database.
 *
 * SQLite checks its pages and indexes; then heads are held against the records
 * they stand for.  The heads are the list of heads here: a row that is gone from one
 * of the two tables is reported.  Rows that went from both are missed by their number:
 * each transaction counts the records it adds, and those it takes away.
 * Hashes, chains and missing numbers are checked when somebody reads the streams. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/sqlite/sqlite.h"

enum { SENTENCE = 300 };

static void report(const VerifyHooks *hooks, FaultKind kind, Str stream, const char *what)
{
    StoreFault f = { .kind = kind,
                     .stream = stream,
                     .what = what,
                     .advice = "bring the pad back from a copy; 'jotter copy' saves what can still "
                               "be read" };
    hooks->fault(hooks->ctx, &f);
}

/* The two rows of a head differ: one of them may still prove what was written. */
static jot_status report_head(Db *d, const VerifyHooks *hooks, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Newest head;
    char what[SENTENCE];
    TRY(newest_find(d, stream, &arena, &head, e));
    StoreFault f = { .kind = FAULT_DAMAGE, .stream = stream, .what = what };
    const Mark *m = &head.record.mark;
    f.mends = head.wrong;
    if (m->lost)
        snprintf(what, sizeof what,
                 "record %llu, its newest, is damaged and cannot be read: record %llu counts",
                 (unsigned long long)mark_last(m), (unsigned long long)m->seq);
    else
        snprintf(what, sizeof what,
                 "its newest record is damaged, but what is left proves what it was");
    f.advice = m->lost
                   ? "bring the pad back from a copy; 'jotter copy' saves what can still be read"
                   : "nothing: the next write, or jotter doctor --fix, makes it again";
    if (m->lost || head.wrong) /* else a writer has just set it right */
        hooks->fault(hooks->ctx, &f);
    return JOT_OK;
}

/* Run a question that answers with one row for each thing that is wrong. */
static jot_status ask(Db *d, const char *sql, sqlite3_stmt **q, Err *e)
{
    int rc = sqlite3_prepare_v2(d->sql, sql, -1, q, NULL);
    return rc == SQLITE_OK ? JOT_OK : db_fault(d, rc, e);
}

static jot_status check_pages(Db *d, const VerifyHooks *hooks, Err *e)
{
    sqlite3_stmt *q = NULL;
    char what[SENTENCE];
    bool row = false;
    TRY(ask(d, "PRAGMA integrity_check(100)", &q, e));
    jot_status st = db_step(d, q, &row, e);
    while (st == JOT_OK && row) {
        const char *said = (const char *)sqlite3_column_text(q, 0);
        if (said && strcmp(said, "ok") != 0) {
            snprintf(what, sizeof what, "SQLite says: %.200s", said);
            report(hooks, FAULT_PAD, (Str){ 0 }, what);
        }
        st = db_step(d, q, &row, e);
    }
    sqlite3_finalize(q);
    return st;
}

/* clang-format off */
static const char heads_wrong[] =
    "SELECT h.name FROM heads h LEFT JOIN records r ON r.n = h.n AND r.stream = h.stream"
    " WHERE r.n IS NULL OR r.seq <> h.seq OR r.chain IS NOT h.chain OR r.sha256 IS NOT h.sha256"
    " OR r.op <> h.op OR r.at <> h.at OR r.size <> h.size OR r.redacted <> h.redacted"
    " OR r.fence <> h.fence OR r.\"by\" <> h.\"by\" OR r.id <> h.id OR r.meta <> h.meta"
    " OR r.extra <> h.extra OR EXISTS(SELECT 1 FROM records x WHERE x.stream = h.stream"
    " AND x.seq > h.seq) ORDER BY h.name LIMIT 100";
static const char lost_records[] =
    "SELECT count(*) FROM records r WHERE NOT EXISTS(SELECT 1 FROM heads h"
    " WHERE h.stream = r.stream)";
static const char marked_records[] =
    "SELECT count(*) FROM records WHERE redacted & 1 AND length(body) > 0";
/* clang-format on */

static jot_status check_heads(Db *d, const VerifyHooks *hooks, Err *e)
{
    sqlite3_stmt *q = NULL;
    bool row = false;
    TRY(ask(d, heads_wrong, &q, e));
    jot_status st = db_step(d, q, &row, e);
    while (st == JOT_OK && row) {
        AUTO(Arena) arena = { 0 };
        st = report_head(d, hooks, row_text(q, 0, &arena), e);
        if (st == JOT_OK)
            st = db_step(d, q, &row, e);
    }
    sqlite3_finalize(q);
    return st;
}

/* Tell how many records a question counts, if any, and what is said of one and of several. */
static jot_status check_count(Db *d, const VerifyHooks *hooks, const char *sql,
                              const char *const says[2], Err *e)
{
    sqlite3_stmt *q = NULL;
    bool row = false;
    char what[SENTENCE];
    TRY(ask(d, sql, &q, e));
    jot_status st = db_step(d, q, &row, e);
    long long n = st == JOT_OK && row ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    snprintf(what, sizeof what, "%lld %s", n, says[n != 1]);
    if (n)
        report(hooks, FAULT_PAD, (Str){ 0 }, what);
    return st;
}

static jot_status check_scrub(Db *d, const VerifyHooks *hooks, Err *e)
{
    int due;
    TRY(db_scrub_due(d, &due, e));
    StoreFault f = { .kind = FAULT_LEFTOVER,
                     .what = "text that was purged or redacted is still in the pad's file",
                     .advice = "end the programs that read the pad: the next write or open for "
                               "writing removes it" };
    if (due)
        hooks->fault(hooks->ctx, &f);
    return JOT_OK;
}

jot_status sqlite_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    Db *d = (Db *)s;
    assert(hooks && hooks->fault);
    TRY(db_ready(d, "verify", S("the pad"), e));
    TRY(check_pages(d, hooks, e));
    TRY(check_heads(d, hooks, e));
    TRY(check_scrub(d, hooks, e));
    static const char *const marked[] = { "record is marked as redacted, and has its text",
                                          "records are marked as redacted, and have their text" };
    static const char *const lost[] = { "record belongs to no stream",
                                        "records belong to no stream" };
    TRY(check_count(d, hooks, marked_records, marked, e));
    return check_count(d, hooks, lost_records, lost, e);
}

/* --- The number of records ------------------------------------------------------------------ */

typedef struct Counted {
    int64_t rows, last; /* there are, and the highest n */
    int64_t records;    /* there should be, ... */
    int64_t given;      /* ... after so many values of n ... */
    int64_t ahead;      /* tokens may be so much higher than n (row.c) */
    bool known;         /* ... if nobody who does not count has written since */
} Counted;

static jot_status read_count(Db *d, Counted *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_COUNTED, &q, e));
    TRY(db_step(d, q, &row, e));
    *out = (Counted){ .rows = sqlite3_column_int64(q, 0),
                      .last = sqlite3_column_int64(q, 1),
                      .given = sqlite3_column_int64(q, 2),
                      .ahead = sqlite3_column_int64(q, 4) };
    out->records = out->given - sqlite3_column_int64(q, 3);
    out->known = sqlite3_column_type(q, 2) == SQLITE_INTEGER &&
                 sqlite3_column_type(q, 3) == SQLITE_INTEGER && out->given >= out->last;
    return JOT_OK;
}

static jot_status count_anew(Db *d, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    TRY(db_begin_removal(d, S("the pad"), e));
    jot_status st = db_stmt(d, DB_COUNT_ANEW, &q, e);
    if (st == JOT_OK)
        st = db_run(d, q, e);
    return db_end(d, st, e);
}

static void report_missing(const VerifyHooks *hooks, const Counted *c)
{
    char what[SENTENCE];
    snprintf(what, sizeof what,
             "%lld of %lld records %s gone, and not trimmed or purged: nothing in the pad says of "
             "which streams",
             (long long)(c->records - c->rows), (long long)c->records,
             c->records - c->rows == 1 ? "is" : "are");
    StoreFault f = { .kind = FAULT_LOST,
                     .what = what,
                     .advice = "bring the pad back from a copy, or accept the loss: jotter doctor "
                               "--fix counts again",
                     .mends = true };
    if (hooks && hooks->fault)
        hooks->fault(hooks->ctx, &f);
}

jot_status sqlite_heads(Store *s, const VerifyHooks *hooks, bool accept, HeadsSeen *out, Err *e)
{
    Db *d = (Db *)s;
    Counted c;
    *out = (HeadsSeen){ 0 };
    TRY(db_ready(d, "verify", S("the pad"), e));
    TRY(read_count(d, &c, e));
    bool missing = c.known && c.rows < c.records;
    if (missing && !accept)
        report_missing(hooks, &c);
    if (missing && accept)
        store_met(s, &s->report.accepted, "the loss of %lld record%s was accepted",
                  (long long)(c.records - c.rows), c.records - c.rows == 1 ? "" : "s");
    /* What cannot be right, or has been accepted, is counted again, so that the next loss is seen.
     * What is missing stays missing until a person accepts it. */
    bool right = c.known && c.rows == c.records;
    if (right || (missing && !accept) || s->read_only_why[0])
        return JOT_OK;
    return count_anew(d, e);
}

/* Every record of the stream of tokens had an n of its own, at least as high as its seq but for
 * what they were ahead.  Where no record is missing, there was none. */
jot_status sqlite_tokens(Store *s, uint64_t *out, Err *e)
{
    Db *d = (Db *)s;
    AUTO(Arena) arena = { 0 };
    Newest newest;
    Counted c;
    *out = 0;
    TRY(db_ready(d, "read", S(STORE_TOKENS), e));
    TRY(newest_find(d, S(STORE_TOKENS), &arena, &newest, e));
    if (mark_last(&newest.record.mark))
        return JOT_OK;
    TRY(read_count(d, &c, e));
    uint64_t n = (uint64_t)(c.given > c.last ? c.given : c.last), ahead = (uint64_t)c.ahead;
    /* Numbers that nobody can have counted to are damage. */
    if (n >= STORE_TOKENS_UNSEEN || ahead > STORE_SEQ_MAX - STORE_TOKENS_UNSEEN)
        return JOT_OK;
    if (!c.known || c.rows < c.records)
        *out = n + ahead;
    return JOT_OK;
}
