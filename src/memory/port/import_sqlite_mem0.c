/* import_sqlite_mem0.c - what mem0 keeps beside its vectors: ~/.mem0/history.db.
 *
 *     history    what was done to each memory: ADD, UPDATE, DELETE, with the text before and after
 *     messages   the newest messages of each conversation
 *
 * A memory becomes the note mem0-ID with all its versions, a deleted one a deleted note.  The
 * messages of a conversation become the line log logs/mem0/SCOPE, a JSON object a line.  Whose a
 * memory is (user, agent, run) stands in the vector store only, and not here. */
#include <sqlite3.h>

#include "base/utf8.h"
#include "memory/artifact/line_log.h"
#include "memory/port/import.h"
#include "memory/port/note_file.h"

/* The rows of one memory, or of one conversation: they come one after the other. */
typedef struct Group {
    Str of; /* whose; p NULL: nothing yet */
    Draft *drafts;
    size_t n, cap;
    bool lines;
    Arena arena;
} Group;

static void group_clear(Group *g)
{
    arena_free(&g->arena);
    *g = (Group){ .lines = g->lines };
}
DEFINE_AUTO(Group, group_clear)

/* Write what was gathered. */
static jot_status end_group(Import *x, Group *g, Err *e)
{
    if (!g->of.p)
        return JOT_OK;
    Arena *a = &g->arena;
    Str name = g->lines ? g->of : arena_printf(a, "mem0-" STR_FMT, STR_ARG(g->of));
    bool odd = store_check_key(name, NULL) != JOT_OK;
    NoteFile note = note_file_of(name, true, odd, a);
    Str stream = arena_printf(a, "%s" STR_FMT, g->lines ? LINE_LOG_KIND "mem0/" : "notes/",
                              STR_ARG(note.key));
    if (note.mapped)
        layout_rename(x->report, x->into, name, stream);
    jot_status st = g->n ? import_records(x, name, stream, g->drafts, g->n, e) : JOT_OK;
    group_clear(g);
    return st == JOT_OK ? import_go_on(x, e) : st;
}

static jot_status enter(Import *x, Group *g, Str of, Err *e)
{
    if (g->of.p && str_eq(g->of, of))
        return JOT_OK;
    TRY(end_group(x, g, e));
    g->of = arena_copy(&g->arena, of);
    return JOT_OK;
}

static void add(Group *g, Draft d)
{
    g->drafts = arena_grow(&g->arena, g->drafts, g->n, &g->cap, sizeof *g->drafts, alignof(Draft));
    d.meta = arena_copy(&g->arena, d.meta);
    d.body = arena_copy(&g->arena, d.body);
    g->drafts[g->n++] = d;
}

static bool sound(Import *x, Str name, Str text)
{
    bool good = utf8_valid(name) && utf8_valid(text);
    if (!good)
        layout_miss(x->report, x->into, JOT_INVALID, name, "it is not UTF-8");
    return good;
}

/* Who said it, if that is known. */
static Str meta_of(sqlite3_stmt *q, Arena *into)
{
    Str actor = import_sqlite_column(q, 6), role = import_sqlite_column(q, 7);
    if ((!actor.n && !role.n) || !utf8_valid(actor) || !utf8_valid(role))
        return (Str){ 0 };
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) meta = json_object();
    if (actor.n)
        json_object_set_new(meta, "actor", json_text(actor));
    if (role.n)
        json_object_set_new(meta, "role", json_text(role));
    json_write(&text, meta);
    return arena_copy(into, buf_str(&text));
}

/* memory_id, old_memory, new_memory, event, created_at, updated_at, actor_id, role */
static jot_status take_change(Import *x, sqlite3_stmt *q, void *ctx, Err *e)
{
    Group *g = ctx;
    AUTO(Arena) arena = { 0 };
    Str id = import_sqlite_column(q, 0), old = import_sqlite_column(q, 1),
        new = import_sqlite_column(q, 2);
    bool deleted = str_eq(import_sqlite_column(q, 3), S("DELETE"));
    bool has_new = sqlite3_column_type(q, 2) != SQLITE_NULL;
    int64_t made = import_sqlite_time(q, 4), changed = import_sqlite_time(q, 5);
    if (!id.n) {
        layout_miss(x->report, x->into, JOT_INVALID, S("history"), "a row has no memory_id");
        return JOT_OK;
    }
    if (!sound(x, id, old) || !sound(x, id, new))
        return JOT_OK;
    TRY(enter(x, g, id, e));
    /* The table may begin later than the memory. */
    if (g->n == 0 && sqlite3_column_type(q, 1) != SQLITE_NULL)
        add(g, (Draft){ .op = OP_PUT, .body = old, .at_ms = made });
    int64_t at_ms = changed ? changed : made;
    if (deleted && g->n)
        add(g, (Draft){ .op = OP_DELETE, .at_ms = at_ms });
    else if (has_new && !deleted)
        add(g, (Draft){ .op = OP_PUT, .meta = meta_of(q, &arena), .body = new, .at_ms = at_ms });
    else if (!deleted)
        layout_miss(x->report, x->into, JOT_INVALID, id, "a change of it has no text");
    return JOT_OK;
}

/* session_scope, role, content, name, created_at */
static jot_status take_message(Import *x, sqlite3_stmt *q, void *ctx, Err *e)
{
    Group *g = ctx;
    AUTO(Buf) text = { 0 };
    Str scope = import_sqlite_column(q, 0), role = import_sqlite_column(q, 1);
    Str content = import_sqlite_column(q, 2), name = import_sqlite_column(q, 3);
    if (!sound(x, scope, role) || !sound(x, scope, content) || !sound(x, scope, name))
        return JOT_OK;
    if (content.n > LINE_LOG_LINE_MAX / 8) {
        layout_miss(x->report, x->into, JOT_TOO_BIG, scope, "a message has more than %d bytes",
                    LINE_LOG_LINE_MAX / 8);
        return JOT_OK;
    }
    TRY(enter(x, g, scope, e));
    AUTO_PTR(json_t)
    line = json_pack("{s:o, s:o}", "role", json_text(role), "content", json_text(content));
    if (name.n)
        json_object_set_new(line, "name", json_text(name));
    json_write(&text, line);
    add(g, (Draft){ .op = OP_APPEND, .body = buf_str(&text), .at_ms = import_sqlite_time(q, 4) });
    return JOT_OK;
}

jot_status import_sqlite_mem0(Import *x, sqlite3 *db, Err *e)
{
    bool who =
        import_sqlite_holds(db, "SELECT 1 FROM pragma_table_info('history') WHERE name = 'role'");
    AUTO(Group) memories = { 0 };
    TRY(import_sqlite_rows(
        x, db,
        who ? "SELECT memory_id, old_memory, new_memory, event, created_at, updated_at, actor_id, "
              "role FROM history ORDER BY memory_id, rowid"
            : "SELECT memory_id, old_memory, new_memory, event, created_at, updated_at, NULL, NULL "
              "FROM history ORDER BY memory_id, rowid",
        take_change, &memories, e));
    TRY(end_group(x, &memories, e));
    if (!import_sqlite_holds(
            db, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'messages'"))
        return JOT_OK;
    AUTO(Group) messages = { .lines = true };
    TRY(import_sqlite_rows(x, db,
                           "SELECT session_scope, role, content, name, created_at FROM messages "
                           "ORDER BY session_scope, rowid",
                           take_message, &messages, e));
    return end_group(x, &messages, e);
}
