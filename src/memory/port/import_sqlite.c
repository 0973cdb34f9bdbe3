/* import_sqlite.c - databases of other programs, told apart by their tables; and the simplest of
 * them, notes that were kept as rows:
 *
 *     CREATE TABLE scratchpad (key TEXT PRIMARY KEY, content TEXT NOT NULL,
 *                              updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)
 *
 * The file is somebody else's, so nothing in it is believed: it is opened for reading only, what it
 * is known by must be a table and no view, and its schema may call nothing. */
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

bool import_sqlite_holds(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *made = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK)
        return false;
    AUTO_PTR(sqlite3_stmt) q = made;
    return sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 0) != 0;
}

Str import_sqlite_column(sqlite3_stmt *q, int i)
{
    const char *p = (const char *)sqlite3_column_blob(q, i);
    return (Str){ p ? p : "", (size_t)sqlite3_column_bytes(q, i) };
}

int64_t import_sqlite_time(sqlite3_stmt *q, int i)
{
    int64_t at_ms = 0;
    return time_parse_any(import_sqlite_column(q, i), &at_ms) ? at_ms : 0;
}

jot_status import_sqlite_rows(Import *x, sqlite3 *db, const char *sql, ImportRow *each, void *ctx,
                              Err *e)
{
    sqlite3_stmt *made = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK)
        return cannot(db, sqlite3_db_filename(db, "main"), e);
    AUTO_PTR(sqlite3_stmt) q = made;
    int rc;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW)
        TRY(each(x, q, ctx, e));
    return rc == SQLITE_DONE ? JOT_OK : cannot(db, sqlite3_db_filename(db, "main"), e);
}

static jot_status import_row(Import *x, sqlite3_stmt *q, void *ctx, Err *e)
{
    AUTO(Arena) arena = { 0 };
    (void)ctx;
    Str key = import_sqlite_column(q, 0), text = import_sqlite_column(q, 1);
    if (!utf8_valid(key)) {
        layout_miss(x->report, x->into, JOT_INVALID, key, "its key is not UTF-8");
        return JOT_OK;
    }
    if (!utf8_valid(text)) {
        layout_miss(x->report, x->into, JOT_INVALID, key, "it is not UTF-8 at byte %zu",
                    utf8_bad_at(text));
        return JOT_OK;
    }
    NoteFile note = note_file_of(key, true, false, &arena);
    ImportDoc d = { .name = key,
                    .stream = arena_printf(&arena, "notes/" STR_FMT, STR_ARG(note.key)),
                    .text = text,
                    .meta = note.meta,
                    .at_ms = import_sqlite_time(q, 2) };
    if (note.mapped)
        layout_rename(x->report, x->into, key, d.stream);
    return import_document(x, &d, e);
}

static jot_status import_scratchpad(Import *x, sqlite3 *db, Err *e)
{
    bool timed = import_sqlite_holds(db, "SELECT 1 FROM pragma_table_info('" TABLE
                                         "') WHERE name = 'updated_at'");
    return import_sqlite_rows(x, db,
                              timed ? "SELECT key, content, updated_at FROM " TABLE " ORDER BY key"
                                    : "SELECT key, content, NULL FROM " TABLE " ORDER BY key",
                              import_row, NULL, e);
}

/* --- Whose it is ------------------------------------------------------------------------- */

/* True if there is a table of this name, and no view, with these two columns. */
#define HAS(table, one, other)                                                           \
    "SELECT (SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '" table \
    "' AND rootpage > 0) AND (SELECT count(*) FROM pragma_table_info('" table            \
    "') WHERE name IN ('" one "', '" other "')) = 2"

static Layout layout_of(sqlite3 *db)
{
    if (import_sqlite_holds(db, HAS(TABLE, "key", "content")))
        return LAYOUT_NOTES;
    if (import_sqlite_holds(db, HAS("history", "memory_id", "new_memory")))
        return LAYOUT_MEM0;
    return import_sqlite_holds(db, HAS("store", "prefix", "value")) ? LAYOUT_LANGGRAPH
                                                                    : LAYOUT_NONE;
}

Layout import_sqlite_layout(const char *path)
{
    sqlite3 *opened = NULL;
    jot_status st = open_db(path, &opened, NULL);
    AUTO_PTR(sqlite3) db = opened;
    return st == JOT_OK ? layout_of(db) : LAYOUT_NONE;
}

jot_status import_sqlite(Import *x, const char *path, Layout layout, Err *e)
{
    Shown shown;
    sqlite3 *opened = NULL;
    jot_status st = open_db(path, &opened, e);
    AUTO_PTR(sqlite3) db = opened;
    TRY(st);
    if (layout_of(db) != layout)
        return err_set(e, JOT_INVALID, "'%s' has no table '%s' that could be that of %s",
                       err_show(&shown, str(path)),
                       layout == LAYOUT_MEM0        ? "history"
                       : layout == LAYOUT_LANGGRAPH ? "store"
                                                    : TABLE,
                       layout == LAYOUT_MEM0        ? "mem0"
                       : layout == LAYOUT_LANGGRAPH ? "LangGraph's SqliteStore"
                                                    : "keys and contents");
    return layout == LAYOUT_MEM0        ? import_sqlite_mem0(x, db, e)
           : layout == LAYOUT_LANGGRAPH ? import_sqlite_langgraph(x, db, e)
                                        : import_scratchpad(x, db, e);
}
