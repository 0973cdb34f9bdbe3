/* import_sqlite_langgraph.c - the items of LangGraph's SqliteStore.
 *
 *     CREATE TABLE store (prefix, key, value, created_at, updated_at, expires_at, ttl_minutes)
 *
 * An item becomes the artifact artifacts/langgraph/NAMESPACE.../KEY, where jotter.langgraph finds
 * it (bindings/LAYOUT.md).  `prefix` is the namespace joined by dots; its labels have none.  Items
 * that have expired are left out.  Vectors are not taken: a pad's search has an index of its own.
 */
#include <sqlite3.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/artifact/artifact.h"
#include "memory/port/import.h"

enum { SEGMENT_MAX = 120, SEGMENT_KEPT = 50 };
#define ROOT ARTIFACT_KIND "langgraph/"

/* A word as a segment of a name; *whole becomes false if it cannot be read from it. */
static Str segment_of(Str word, bool *whole, Arena *into)
{
    AUTO(Buf) out = { 0 };
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '-';
        if (plain)
            buf_add_char(&out, c);
        else
            buf_addf(&out, "%%%02X", (unsigned)(unsigned char)c);
    }
    if (!word.n)
        buf_add_char(&out, '%');
    if (out.n <= SEGMENT_MAX)
        return arena_copy(into, buf_str(&out));
    *whole = false;
    return arena_printf(into, "%.*s%%-%s", SEGMENT_KEPT, out.p, hash_hex(hash_of(word)).text);
}

static json_t *labels_of(Str prefix)
{
    json_t *out = json_array();
    Str rest = prefix, label;
    while (str_cut(&rest, '.', &label))
        json_array_append_new(out, json_text(label));
    json_array_append_new(out, json_text(rest));
    return out;
}

/* The stream of an item; *whole: its name says all of it. */
static Str stream_of(const json_t *labels, Str key, bool *whole, Arena *into)
{
    AUTO(Buf) name = { 0 };
    *whole = true;
    buf_add(&name, S(ROOT));
    for (size_t i = 0; i < json_array_size(labels); i++) {
        Str segment = segment_of(json_str(json_array_get(labels, i)), whole, into);
        buf_addf(&name, STR_FMT "/", STR_ARG(segment));
    }
    buf_add(&name, segment_of(key, whole, into));
    if (name.n <= STORE_NAME_MAX)
        return arena_copy(into, buf_str(&name));
    *whole = false;
    AUTO(Buf) words = { 0 };
    AUTO_PTR(json_t) all = json_deep_copy(labels);
    json_array_append_new(all, json_text(key));
    json_write(&words, all);
    return arena_printf(into, ROOT "%%/%s", hash_hex(hash_of(buf_str(&words))).text);
}

static Str meta_of(sqlite3_stmt *q, json_t *labels, Str key, bool whole, Arena *into)
{
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t)
    meta = json_pack("{s:I}", "created", (json_int_t)import_sqlite_time(q, 3));
    if (sqlite3_column_type(q, 6) != SQLITE_NULL)
        json_object_set_new(meta, "ttl", json_real(sqlite3_column_double(q, 6)));
    if (sqlite3_column_type(q, 5) != SQLITE_NULL)
        json_object_set_new(meta, "expires", json_integer(import_sqlite_time(q, 5)));
    if (!whole) {
        json_object_set(meta, "ns", labels);
        json_object_set_new(meta, "key", json_text(key));
    }
    json_write(&text, meta);
    return arena_copy(into, buf_str(&text));
}

/* prefix, key, value, created_at, updated_at, expires_at, ttl_minutes */
static jot_status take_item(Import *x, sqlite3_stmt *q, void *ctx, Err *e)
{
    AUTO(Arena) arena = { 0 };
    (void)ctx;
    Str prefix = import_sqlite_column(q, 0), key = import_sqlite_column(q, 1),
        value = import_sqlite_column(q, 2);
    Str name = arena_printf(&arena, STR_FMT " " STR_FMT, STR_ARG(prefix), STR_ARG(key));
    AUTO_PTR(json_t) read = NULL;
    Err why;
    int64_t expires = import_sqlite_time(q, 5);
    if (!utf8_valid(prefix) || !utf8_valid(key)) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "its name is not UTF-8");
        return JOT_OK;
    }
    if (expires && expires <= io_wall_ms(x->m->io)) {
        layout_skip(x->report, x->into, name, "it has expired");
        return JOT_OK;
    }
    if (json_read(value, &read, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "its value is no JSON: %.150s",
                    why.text);
        return JOT_OK;
    }
    bool whole;
    AUTO_PTR(json_t) labels = labels_of(prefix);
    Str stream = stream_of(labels, key, &whole, &arena);
    ImportDoc d = { .name = name,
                    .stream = stream,
                    .text = value,
                    .meta = meta_of(q, labels, key, whole, &arena),
                    .at_ms = import_sqlite_time(q, 4) };
    if (!whole)
        layout_rename(x->report, x->into, name, stream);
    return import_document(x, &d, e);
}

jot_status import_sqlite_langgraph(Import *x, sqlite3 *db, Err *e)
{
    bool timed = import_sqlite_holds(
        db, "SELECT 1 FROM pragma_table_info('store') WHERE name = 'expires_at'");
    if (import_sqlite_holds(db, "SELECT 1 FROM checkpoints LIMIT 1"))
        layout_stray(x->report, x->into, S("checkpoints"),
                     "checkpoints are bound to the program that made them");
    return import_sqlite_rows(
        x, db,
        timed ? "SELECT prefix, key, value, created_at, updated_at, expires_at, ttl_minutes "
                "FROM store ORDER BY prefix, key"
              : "SELECT prefix, key, value, created_at, updated_at, NULL, NULL "
                "FROM store ORDER BY prefix, key",
        take_item, NULL, e);
}
