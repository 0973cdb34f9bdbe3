/* import_sqlite.c - notes that were kept as rows of a table:
 *
 *     CREATE TABLE scratchpad (key TEXT PRIMARY KEY, content TEXT NOT NULL,
 *                              updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)
 *
 * The file is somebody else's, so nothing in it is believed: it is opened for reading only, what it
 * calls `scratchpad` must be a table and no view, and its schema may call nothing. */
#include <sqlite3.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/port/import.h"
#include "memory/port/note_file.h"

#define TABLE "scratchpad"

static void close_db(sqlite3 *db)
{
    sqlite3_close(db);
}
DEFINE_AUTO_PTR(sqlite3, close_db)

static void end_stmt(sqlite3_stmt *q)
{
    sqlite3_finalize(q);
}
DEFINE_AUTO_PTR(sqlite3_stmt, end_stmt)

static jot_status cannot(sqlite3 *db, const char *path, Err *e)
{
    Shown shown;
    return err_set(e, sqlite3_errcode(db) == SQLITE_BUSY ? JOT_UNAVAILABLE : JOT_INVALID,
                   "could not read '%s': %s", err_show(&shown, str(path)), sqlite3_errmsg(db));
}

static jot_status open_db(const char *path, sqlite3 **out, Err *e)
{
    enum { WAIT_MS = 5000 };
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    int rc = sqlite3_open_v2(path, out, flags, NULL);
    if (rc != SQLITE_OK)
        return cannot(*out, path, e);
    sqlite3_busy_timeout(*out, WAIT_MS);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(*out, SQLITE_LIMIT_LENGTH, 2 * STORE_BODY_MAX);
    return JOT_OK;
}

/* True if the statement gives a row whose first column is not 0. */
static bool holds(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *made = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK)
        return false;
    AUTO_PTR(sqlite3_stmt) q = made;
    return sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 0) != 0;
}

static Str column(sqlite3_stmt *q, int i)
{
    const char *p = (const char *)sqlite3_column_blob(q, i);
    return (Str){ p ? p : "", (size_t)sqlite3_column_bytes(q, i) };
}

static jot_status import_row(Import *x, sqlite3_stmt *q, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key = column(q, 0), text = column(q, 1);
    int64_t at_ms = 0;
    if (!utf8_valid(key)) {
        layout_miss(x->report, x->into, JOT_INVALID, key, "its key is not UTF-8");
        return JOT_OK;
    }
    if (!utf8_valid(text)) {
        layout_miss(x->report, x->into, JOT_INVALID, key, "it is not UTF-8 at byte %zu",
                    utf8_bad_at(text));
        return JOT_OK;
    }
    if (!time_parse_any(column(q, 2), &at_ms))
        at_ms = 0;
    NoteFile note = note_file_of(key, true, false, &arena);
    ImportDoc d = { .name = key,
                    .stream = arena_printf(&arena, "notes/" STR_FMT, STR_ARG(note.key)),
                    .text = text,
                    .meta = note.meta,
                    .at_ms = at_ms };
    if (note.mapped)
        layout_rename(x->report, x->into, key, d.stream);
    return import_document(x, &d, e);
}

jot_status import_sqlite(Import *x, const char *path, Err *e)
{
    Shown shown;
    sqlite3 *opened = NULL;
    sqlite3_stmt *made = NULL;
    jot_status st = open_db(path, &opened, e);
    AUTO_PTR(sqlite3) db = opened;
    TRY(st);
    if (!holds(db,
               "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '" TABLE "'"))
        return err_set(e, JOT_INVALID, "'%s' has no table '" TABLE "' of keys and contents",
                       err_show(&shown, str(path)));
    bool timed =
        holds(db, "SELECT 1 FROM pragma_table_info('" TABLE "') WHERE name = 'updated_at'");
    const char *sql = timed ? "SELECT key, content, updated_at FROM " TABLE " ORDER BY key"
                            : "SELECT key, content, NULL FROM " TABLE " ORDER BY key";
    if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK)
        return cannot(db, path, e);
    AUTO_PTR(sqlite3_stmt) q = made;
    int rc;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW)
        TRY(import_row(x, q, e));
    return rc == SQLITE_DONE ? JOT_OK : cannot(db, path, e);
}
