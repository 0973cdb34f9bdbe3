/* export_sqlite.c - notes as rows of the table that import_sqlite.c reads.
 *
 * The file is made under another name, in one transaction, and gets its own when
 * it is whole; what has that name already stays. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "memory/doc/doc.h"
#include "memory/port/export.h"
#include "memory/port/note_file.h"

bool export_is_sqlite(Str path)
{
    return str_ends(path, S(".db")) || str_ends(path, S(".sqlite")) ||
           str_ends(path, S(".sqlite3"));
}

typedef struct Table {
    Export *x;
    sqlite3 *db;
    sqlite3_stmt *insert;
} Table;

static void table_done(Table *t)
{
    sqlite3_finalize(t->insert);
    sqlite3_close(t->db);
    t->insert = NULL;
    t->db = NULL;
}
DEFINE_AUTO(Table, table_done)

static jot_status cannot(const Table *t)
{
    return err_set(t->x->e, JOT_IO, "could not write the table: %s", sqlite3_errmsg(t->db));
}

static jot_status bind(const Table *t, int at, Str text)
{
    int rc = sqlite3_bind_text(t->insert, at, text.n ? text.p : "", (int)text.n, SQLITE_STATIC);
    return rc == SQLITE_OK ? JOT_OK : cannot(t);
}

static jot_status add_note(void *ctx, const Listed *l)
{
    Table *t = ctx;
    Export *x = t->x;
    AUTO(Arena) arena = { 0 };
    NoteName name;
    Doc doc;
    Err why;
    jot_status st = doc_glance(x->m, l->name, &arena, &doc, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, l->name, "%s", why.text);
        return JOT_OK;
    }
    TRY(note_file_name(x->m, l->name, &arena, &name, x->e));
    /* 2026-01-31 18:45:00, as SQLite writes it */
    TimeText at = time_text(doc.mark.at_ms);
    at.text[10] = ' ';
    TRY(bind(t, 1, name.row ? name.key : str_from(l->name, strlen("notes/"))));
    TRY(bind(t, 2, doc.text));
    TRY(bind(t, 3, str_slice(str(at.text), 0, 19)));
    int rc = sqlite3_step(t->insert);
    sqlite3_reset(t->insert);
    if (rc != SQLITE_DONE)
        return cannot(t);
    x->report->files++;
    return JOT_OK;
}

static jot_status fill(Export *x, const char *draft)
{
    AUTO(Table) t = { .x = x };
    static const char *const make =
        "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL; BEGIN;"
        "CREATE TABLE scratchpad (key TEXT PRIMARY KEY, content TEXT NOT NULL,"
        " updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)";
    static const char *const insert =
        "INSERT INTO scratchpad (key, content, updated_at) VALUES (?, ?, ?)";
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(draft, &t.db, flags, NULL) != SQLITE_OK ||
        sqlite3_exec(t.db, make, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(t.db, insert, -1, &t.insert, NULL) != SQLITE_OK)
        return cannot(&t);
    TRY(memory_each(x->m, S("notes/"), LIST_LIVE, add_note, &t, x->e));
    return sqlite3_exec(t.db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? JOT_OK : cannot(&t);
}

jot_status export_sqlite(Export *x, const char *path)
{
    AUTO(Arena) arena = { 0 };
    Shown shown;
    Str whole = str(path), above = str_dir_name(whole);
    const char *name = arena_cstr(&arena, str_base_name(whole));
    uint64_t number;
    io_random(x->m->io, &number, sizeof number);
    Str draft = arena_printf(&arena, ".%s.%016llx", name, (unsigned long long)number);
    const char *whole_draft =
        arena_printf(&arena, STR_FMT "/" STR_FMT, STR_ARG(above), STR_ARG(draft)).p;
    AUTO(Fd) dir = io_open_root(x->m->io, arena_cstr(&arena, above));
    if (dir < 0)
        return err_errno(x->e, -dir, "could not open '%s'", err_show(&shown, above));
    jot_status st = fill(x, whole_draft);
    int got = st == JOT_OK ? io_rename(x->m->io, dir, draft.p, name, RENAME_NOREPLACE) : 0;
    if (st != JOT_OK || got < 0)
        (void)io_unlink(x->m->io, dir, draft.p);
    TRY(st);
    if (got == -EEXIST)
        return err_set(x->e, JOT_CONFLICT, "'%s' exists: choose another name",
                       err_show(&shown, whole));
    got = got < 0 ? got : io_fsync(x->m->io, dir);
    return got < 0 ? err_errno(x->e, -got, "could not write '%s'", err_show(&shown, whole))
                   : JOT_OK;
}
