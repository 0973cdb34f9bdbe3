/* index.c - the index file: opening, recognising, emptying it, and its statements.
 *
 * The file is never unlinked or renamed while it may be in use: SQLite finds its
 * journal by name, and would apply the journal of one file to another.  What is
 * wrong with it is emptied in place, under SQLite's own locks.  If a person
 * removed the file, handles that still hold it notice before their next use. */
#include "memory/search/index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char schema[] =
    "CREATE TABLE facts("
    " key TEXT PRIMARY KEY,"
    " value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE streams("
    " id INTEGER PRIMARY KEY,"
    " name TEXT NOT NULL UNIQUE,"
    " seq INTEGER NOT NULL,"           /* of the newest record that was read; 0: an edit */
    " chain BLOB NOT NULL,"
    " sha256 BLOB NOT NULL,"           /* of a document's text */
    " redacted INTEGER NOT NULL,"      /* records without body */
    " pass INTEGER NOT NULL) STRICT;"  /* when everything was looked at last */
    "CREATE TABLE rows("
    " id INTEGER PRIMARY KEY,"
    " stream INTEGER NOT NULL,"
    " seq INTEGER NOT NULL,"
    " at INTEGER NOT NULL,"
    " \"by\" TEXT NOT NULL,"
    " UNIQUE(stream, seq)) STRICT;"
    "CREATE INDEX rows_by_time ON rows(at);"
    /* Everything word.c leaves in a token is a token's character here; what lies beyond ASCII
     * always is. */
    "CREATE VIRTUAL TABLE words USING fts5("
    " name, plain, stem, whole, tokenize = \"ascii tokenchars './:@\\~+#'\");";

static const char *const texts[] = {
    [INDEX_BEGIN] = "BEGIN IMMEDIATE",
    [INDEX_COMMIT] = "COMMIT",
    [INDEX_ROLLBACK] = "ROLLBACK",
    [INDEX_FACT] = "SELECT value FROM facts WHERE key = ?1",
    [INDEX_SET_FACT] = "INSERT OR REPLACE INTO facts VALUES(?1, ?2)",
    [INDEX_STREAM] = "SELECT id, seq, chain, sha256, redacted FROM streams WHERE name = ?1",
    [INDEX_SET_STREAM] = (
        "INSERT INTO streams(name, seq, chain, sha256, redacted, pass) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
        " ON CONFLICT(name) DO UPDATE SET seq = ?2, chain = ?3, sha256 = ?4, redacted = ?5, pass = ?6"),
    [INDEX_DROP_STREAM] = "DELETE FROM streams WHERE id = ?1",
    [INDEX_UNSEEN] = "SELECT name FROM streams WHERE pass <> ?1",
    [INDEX_ADD_ROW] = "INSERT INTO rows(stream, seq, at, \"by\") VALUES(?1, ?2, ?3, ?4)",
    [INDEX_ADD_WORDS] = "INSERT INTO words(rowid, name, plain, stem, whole) VALUES(?1, ?2, ?3, ?4, ?5)",
    [INDEX_ROWS_OF] = "SELECT id, seq FROM rows WHERE stream = ?1",
    [INDEX_DROP_ROW] = "DELETE FROM rows WHERE id = ?1",
    [INDEX_DROP_WORDS] = "DELETE FROM words WHERE rowid = ?1",
    [INDEX_FIND] = (
        "SELECT w.rowid, s.name, r.seq, r.at, r.\"by\", score(words)"
        " FROM words w JOIN rows r ON r.id = w.rowid JOIN streams s ON s.id = r.stream"
        " WHERE words MATCH ?1 AND s.name >= ?2 AND s.name < ?3 AND min(r.at, ?7) BETWEEN ?4 AND ?5"
        " AND (?6 = '' OR r.\"by\" = ?6)"),
    [INDEX_NEWEST] = "SELECT max(at) FROM rows WHERE at <= ?1",
    [INDEX_ALL] = (
        "SELECT s.name, r.seq, r.at, r.\"by\", w.name, w.plain, w.stem, w.whole"
        " FROM rows r JOIN streams s ON s.id = r.stream LEFT JOIN words w ON w.rowid = r.id"
        " ORDER BY s.name, r.seq"),
};
/* clang-format on */
_Static_assert(COUNT_OF(texts) == INDEX_STMTS, "every statement has a text");

/* --- Statements ------------------------------------------------------------------------ */

void index_reset_stmt(sqlite3_stmt *q)
{
    if (!q)
        return;
    sqlite3_reset(q); /* repeats what the last step has said */
    sqlite3_clear_bindings(q);
}

jot_status index_fault(Index *x, int rc, Err *e)
{
    if ((rc & 0xFF) == SQLITE_NOMEM)
        mem_exhausted();
    x->broken = true;
    x->busy = (rc & 0xFF) == SQLITE_BUSY || (rc & 0xFF) == SQLITE_LOCKED;
    x->full = (rc & 0xFF) == SQLITE_FULL;
    return err_set(e, x->busy ? JOT_UNAVAILABLE : JOT_IO, "could not use the search index: %s",
                   sqlite3_errstr(rc));
}

jot_status index_stmt(Index *x, IndexStmt which, sqlite3_stmt **out, Err *e)
{
    assert(x->sql && which < INDEX_STMTS);
    if (!x->stmts[which]) {
        int rc = sqlite3_prepare_v3(x->sql, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                    &x->stmts[which], NULL);
        if (rc != SQLITE_OK)
            return index_fault(x, rc, e);
    }
    *out = x->stmts[which];
    return JOT_OK;
}

jot_status index_step(Index *x, sqlite3_stmt *q, bool *row, Err *e)
{
    int rc = sqlite3_step(q);
    *row = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? JOT_OK : index_fault(x, rc, e);
}

jot_status index_run(Index *x, IndexStmt which, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(x, which, &q, e));
    return index_step(x, q, &row, e);
}

jot_status index_exec(Index *x, const char *sql, Err *e)
{
    int rc = sqlite3_exec(x->sql, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? JOT_OK : index_fault(x, rc, e);
}

static void bound(int rc)
{
    if (rc == SQLITE_NOMEM || rc == SQLITE_TOOBIG)
        mem_exhausted();
    assert(rc == SQLITE_OK);
}

void bind_str(sqlite3_stmt *q, int at, Str text)
{
    bound(sqlite3_bind_text64(q, at, text.n ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8));
}

void bind_hash(sqlite3_stmt *q, int at, const Hash *h)
{
    bound(sqlite3_bind_blob(q, at, h->b, sizeof h->b, SQLITE_STATIC));
}

void bind_i64(sqlite3_stmt *q, int at, int64_t value)
{
    bound(sqlite3_bind_int64(q, at, value));
}

Str column_str(sqlite3_stmt *q, int at)
{
    const char *p = (const char *)sqlite3_column_text(q, at);
    return (Str){ p, p ? (size_t)sqlite3_column_bytes(q, at) : 0 };
}

jot_status index_fact(Index *x, const char *key, char *to, size_t size, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    to[0] = 0;
    TRY(index_stmt(x, INDEX_FACT, &q, e));
    bind_str(q, 1, str(key));
    TRY(index_step(x, q, &row, e));
    if (row)
        snprintf(to, size, STR_FMT, STR_ARG(column_str(q, 0)));
    return JOT_OK;
}

jot_status index_set_fact(Index *x, const char *key, Str value, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(index_stmt(x, INDEX_SET_FACT, &q, e));
    bind_str(q, 1, str(key));
    bind_str(q, 2, value);
    return index_step(x, q, &row, e);
}

/* --- Opening --------------------------------------------------------------------------- */

void index_close(Index *x)
{
    for (size_t i = 0; i < INDEX_STMTS; i++) {
        sqlite3_finalize(x->stmts[i]);
        x->stmts[i] = NULL;
    }
    int rc = sqlite3_close(x->sql);
    assert(rc == SQLITE_OK);
    (void)rc;
    x->sql = NULL;
    x->saved = x->at = (Cursor){ "" };
}

void index_leave_file(Index *x, const char *why)
{
    index_close(x);
    x->path[0] = 0;
    x->why = why;
    x->broken = x->busy = false;
}

/* An empty file that only its owner may read: SQLite cannot promise that.  False if something else
 * than a plain file has its name. */
static bool make_file(const Index *x)
{
    int fd = open(x->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat info;
    if (fd >= 0)
        (void)fchmod(fd, 0600);
    bool made = fd >= 0;
    fd_close(&fd);
    return made || (lstat(x->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1);
}

static jot_status ask_number(Index *x, const char *sql, int64_t *out, Err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(x->sql, sql, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? JOT_OK : index_fault(x, rc, e);
}

static jot_status is_ours(Index *x, bool *out, Err *e)
{
    int64_t application, format;
    char language[sizeof x->language];
    *out = false;
    TRY(ask_number(x, "PRAGMA application_id", &application, e));
    TRY(ask_number(x, "PRAGMA user_version", &format, e));
    if (application != INDEX_APPLICATION || format != INDEX_FORMAT)
        return JOT_OK;
    TRY(index_fact(x, "language", language, sizeof language, e));
    *out = strcmp(language, x->language) == 0;
    return JOT_OK;
}

/* In one transaction, so that nobody meets half of it. */
static jot_status write_schema(Index *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    bool ours;
    TRY(index_exec(x, "BEGIN IMMEDIATE", e));
    jot_status st = is_ours(x, &ours, NULL);
    x->broken = false;
    if (st == JOT_OK && ours) /* somebody else was quicker */
        return index_exec(x, "ROLLBACK", e);
    Str sql = arena_printf(&arena,
                           "PRAGMA application_id = %d; PRAGMA user_version = %d; %s"
                           "INSERT INTO facts VALUES('language', '%s'), ('cursor', '');"
                           "COMMIT;",
                           INDEX_APPLICATION, INDEX_FORMAT, schema, x->language);
    st = index_exec(x, sql.p, e);
    if (st != JOT_OK)
        sqlite3_exec(x->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

static jot_status connect(Index *x, Err *e)
{
    bool file = x->path[0] != 0;
    if (file && !make_file(x))
        return index_fault(x, SQLITE_CANTOPEN, e);
    int rc = sqlite3_open_v2(file ? x->path : ":memory:", &x->sql,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                 SQLITE_OPEN_NOFOLLOW,
                             NULL);
    if (!x->sql)
        mem_exhausted();
    if (rc != SQLITE_OK)
        return index_fault(x, rc, e);
    sqlite3_busy_timeout(x->sql, x->wait_ms);
    if (file && lstat(x->path, &x->seen) != 0)
        return index_fault(x, SQLITE_CANTOPEN, e);
    /* A cache need not survive a power loss, but it must not survive it in pieces. */
    TRY(index_exec(x,
                   "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;"
                   "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;"
                   "PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16000;",
                   e));
    return index_add_scorer(x, e);
}

/* Has the file this handle holds lost its name? */
static bool replaced(const Index *x)
{
    struct stat now;
    return x->path[0] && (lstat(x->path, &now) != 0 || now.st_ino != x->seen.st_ino ||
                          now.st_dev != x->seen.st_dev);
}

jot_status index_open(Index *x, Err *e)
{
    bool ours;
    if (x->sql && replaced(x))
        index_close(x);
    if (x->sql)
        return JOT_OK;
    x->broken = x->busy = false;
    TRY(connect(x, e));
    int64_t pages;
    TRY(ask_number(x, "PRAGMA page_count", &pages, e));
    if (pages == 0)
        return write_schema(x, e);
    TRY(is_ours(x, &ours, e));
    return ours ? JOT_OK : index_reset(x, e);
}

/* SQLite empties a database that it cannot read in this way, and in no other. */
jot_status index_reset(Index *x, Err *e)
{
    index_close(x);
    x->broken = x->busy = false;
    TRY(connect(x, e));
    sqlite3_db_config(x->sql, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
    jot_status st = index_exec(x, "VACUUM", e);
    sqlite3_db_config(x->sql, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
    TRY(st);
    index_close(x);
    TRY(connect(x, e));
    return write_schema(x, e);
}
