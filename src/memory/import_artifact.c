/* import_artifact.c - a root with categories of JSON files, and logs of lines beside them.
 *
 * CATEGORY/ID.json becomes artifacts/CATEGORY/ID with the bytes it has.  The
 * results of tools (tool_results/tool-result-CALL.json) become what the sink
 * keeps under the call's id, so that none is persisted twice.  A *.jsonl or *.log
 * becomes logs/CATEGORY/NAME, a line a record.  The root's own index
 * (index/index.json) tells the types and is otherwise derived: it is not kept. */
#include <fcntl.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/foreign.h"
#include "memory/import.h"

enum { DEPTH_MAX = 8, WORD_MAX = 128, LINE_MAX_BYTES = 1024 * 1024 };

#define RESULTS "tool_results"
#define RESULT_ID "tool-result-"
#define INDEX "index/index.json"

typedef struct Walk {
    Import *x;
    json_t *index; /* the root's, or NULL */
} Walk;

static Str joined(Arena *into, Str category, Str name)
{
    return arena_printf(into, STR_FMT "%s" STR_FMT, STR_ARG(category), category.n ? "/" : "",
                        STR_ARG(name));
}

/* The entry the root's index has for an artifact, or NULL. */
static const json_t *index_entry(const Walk *w, Str category, Str id)
{
    const json_t *entries = json_object_get(w->index, "entries");
    for (size_t i = json_array_size(entries); i-- > 0;) {
        const json_t *entry = json_array_get(entries, i);
        if (str_eq(json_str(json_object_get(entry, "artifact_id")), id) &&
            str_eq(json_str(json_object_get(entry, "category")), category))
            return entry;
    }
    return NULL;
}

static void add_word(json_t *meta, const char *key, Str word)
{
    if (word.n && word.n <= WORD_MAX)
        json_object_set_new(meta, key, json_stringn(word.p, word.n));
}

static uint64_t count_lines(Str text)
{
    uint64_t n = text.n && text.p[text.n - 1] != '\n';
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* What the pad keeps beside the value. */
static Str meta_of(const Walk *w, Str category, Str id, const json_t *value, bool result,
                   Arena *into)
{
    AUTO_PTR(json_t) meta = json_object();
    const json_t *entry = index_entry(w, category, id);
    add_word(meta, "type",
             result ? S("tool_result") : json_str(json_object_get(entry, "artifact_type")));
    Str stable = json_str(json_object_get(entry, "stable_id"));
    if (!str_eq(stable, id) && str_find(stable, '/') == stable.n)
        add_word(meta, "task_id", stable);
    if (result) {
        Str text = json_str(json_object_get(value, "result"));
        add_word(meta, "tool", json_str(json_object_get(value, "tool_name")));
        json_object_set_new(meta, "bytes", json_integer((json_int_t)text.n));
        json_object_set_new(meta, "lines", json_integer((json_int_t)count_lines(text)));
    }
    AUTO(Buf) text = { 0 };
    json_write(&text, meta);
    return json_object_size(meta) ? arena_copy(into, buf_str(&text)) : (Str){ 0 };
}

static jot_status import_value(Walk *w, Str category, Str name, Str text, Arena *arena, Err *e)
{
    Import *x = w->x;
    json_t *read = NULL;
    Err why;
    Str path = joined(arena, category, name);
    if (str_eq(path, S(INDEX))) {
        layout_skip(x->report, x->into, path, "the index is derived from the artifacts");
        return JOT_OK;
    }
    if (json_read(text, &read, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, path, "%s", why.text);
        return JOT_OK;
    }
    AUTO_PTR(json_t) value = read;
    Str id = str_slice(name, 0, name.n - strlen(".json"));
    bool result = str_eq(category, S(RESULTS)) && str_starts(id, S(RESULT_ID)) &&
                  json_is_string(json_object_get(value, "result"));
    Str meta = meta_of(w, category, id, value, result, arena);
    if (result)
        id = str_from(id, strlen(RESULT_ID));
    Str stream =
        arena_printf(arena, "artifacts/" STR_FMT "/" STR_FMT, STR_ARG(category), STR_ARG(id));
    return import_document(x, path, stream, text, meta, e);
}

static jot_status import_log(Walk *w, Str category, Str name, Str text, Arena *arena, Err *e)
{
    Import *x = w->x;
    Draft *lines = NULL;
    size_t n = 0, cap = 0;
    Str path = joined(arena, category, name), rest = text, line;
    while (rest.n) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        if (line.n > LINE_MAX_BYTES) {
            layout_miss(x->report, x->into, JOT_TOO_BIG, path, "line %zu has more than %d bytes",
                        n + 1, LINE_MAX_BYTES);
            return JOT_OK;
        }
        lines = arena_grow(arena, lines, n, &cap, sizeof *lines, alignof(Draft));
        lines[n++] = (Draft){ .op = OP_APPEND, .body = line };
    }
    return n ? import_records(x, path, arena_printf(arena, "logs/" STR_FMT, STR_ARG(path)), lines,
                              n, e)
             : JOT_OK;
}

static jot_status import_file(Walk *w, int dir, Str category, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Import *x = w->x;
    Str text, path = joined(&arena, category, f->name);
    Err why;
    bool json = str_ends(f->name, S(".json"));
    bool log = str_ends(f->name, S(".jsonl")) || str_ends(f->name, S(".log"));
    if (!f->regular || (!json && !log) || f->name.p[0] == '.') {
        layout_skip(x->report, x->into, path, "%s",
                    f->regular ? "it is neither JSON nor a log" : NOT_A_FILE);
        return JOT_OK;
    }
    if (!category.n) {
        layout_skip(x->report, x->into, path, "it has no category");
        return JOT_OK;
    }
    size_t max = json ? (size_t)STORE_BODY_MAX : (size_t)IMPORT_FILE_MAX;
    jot_status st = foreign_read(x->m->io, dir, f->name.p, max, &arena, &text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, path, "%s", why.text);
        return JOT_OK;
    }
    return json ? import_value(w, category, f->name, text, &arena, e)
                : import_log(w, category, f->name, text, &arena, e);
}

static jot_status walk(Walk *w, int dir, Str category, int depth, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    Import *x = w->x;
    TRY(foreign_list(x->m->io, dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        if (!f->directory || f->name.p[0] == '.') {
            TRY(import_file(w, dir, category, f, e));
            continue;
        }
        Str below = joined(&arena, category, f->name);
        AUTO(Fd) deeper = io_open(x->m->io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0);
        if (deeper < 0 || depth == DEPTH_MAX)
            layout_miss(x->report, x->into, JOT_INVALID, below, "%s",
                        depth == DEPTH_MAX ? "it lies too deep" : "it cannot be opened");
        else
            TRY(walk(w, deeper, below, depth + 1, e));
    }
    return JOT_OK;
}

jot_status import_artifacts(Import *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    Err ignored;
    json_t *index = NULL;
    bool has =
        foreign_read(x->m->io, x->dir, INDEX, STORE_BODY_MAX, &arena, &text, &ignored) == JOT_OK &&
        json_read(text, &index, &ignored) == JOT_OK;
    AUTO_PTR(json_t) owned = has ? index : NULL;
    Walk w = { .x = x, .index = owned };
    return walk(&w, x->dir, (Str){ 0 }, 1, e);
}
