/* import_artifact.c - a root with categories of JSON files, and logs of lines beside them.
 *
 * CATEGORY/ID.json becomes artifacts/CATEGORY/ID with the bytes it has.  The
 * results of tools (tool_results/tool-result-CALL.json) become what the sink
 * keeps under the call's id, so that none is persisted twice.  A *.jsonl or *.log
 * becomes logs/CATEGORY/NAME, a line a record.  A snapshot of a task and the log
 * of its events become the task (import_task.c).  A document of `entries` that is
 * called an index is kept as one; that of the root (index/index.json) also tells
 * the type, the task and the time of each artifact. */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_cursor.h"
#include "base/time.h"
#include "base/utf8.h"
#include "memory/artifact/artifact.h"
#include "memory/port/import.h"

enum { DEPTH_MAX = 8, WORD_MAX = 128 };

#define RESULT_ID "tool-result-"
#define INDEX "index/index.json"

/* What the root's index says of an artifact. */
typedef struct IndexEntry {
    Str category, id;
    size_t at; /* among the entries: the newest counts */
    const json_t *entry;
} IndexEntry;

typedef struct Walk {
    Import *x;
    IndexEntry *index; /* by category and id */
    size_t index_n;
    ImportTasks tasks;
} Walk;

/* A file that is looked at. */
typedef struct Found {
    Str category, name, path; /* path is CATEGORY/NAME */
    Str text;
    int64_t at_ms;
} Found;

static Str joined(Arena *into, Str category, Str name)
{
    return arena_printf(into, STR_FMT "%s" STR_FMT, STR_ARG(category), category.n ? "/" : "",
                        STR_ARG(name));
}

/* --- The root's index -------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const IndexEntry *x = a, *y = b;
    int order = str_cmp(x->category, y->category);
    order = order ? order : str_cmp(x->id, y->id);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static void read_index(Walk *w, const json_t *index, Arena *into)
{
    const json_t *entries = json_object_get(index, "entries");
    w->index = NEW_ARRAY(into, IndexEntry, json_array_size(entries) + 1);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        w->index[w->index_n++] = (IndexEntry){ json_member(entry, "category"),
                                               json_member(entry, "artifact_id"), i, entry };
    }
    if (w->index_n)
        qsort(w->index, w->index_n, sizeof(IndexEntry), by_name);
}

/* The newest entry there is of an artifact, or NULL. */
static const json_t *indexed(const Walk *w, Str category, Str id)
{
    IndexEntry want = { .category = category, .id = id, .at = SIZE_MAX };
    size_t low = 0, high = w->index_n; /* the first one after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_name(&w->index[middle], &want) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == high && low <= w->index_n);
    const IndexEntry *last = low ? &w->index[low - 1] : NULL;
    return last && str_eq(last->category, category) && str_eq(last->id, id) ? last->entry : NULL;
}

/* --- Values ------------------------------------------------------------------------------ */

static void add_word(json_t *meta, const char *key, Str word)
{
    if (word.n && word.n <= WORD_MAX)
        json_object_set_new(meta, key, json_stringn(word.p, word.n));
}

/* A result of a tool: under the name the sink's program gave it, with something that it gave. */
static bool is_result(const Found *f, Str id, const json_t *value)
{
    return str_eq(f->category, S(ARTIFACT_TOOL_RESULTS)) && str_starts(id, S(RESULT_ID)) &&
           id.n > strlen(RESULT_ID) && json_object_get(value, "result");
}

/* What the pad keeps beside the value, and what of the index's entry does not follow from that. */
static Str meta_of(const json_t *entry, Str id, const json_t *value, const Found *f, bool result,
                   Arena *into)
{
    AUTO_PTR(json_t) meta = json_object();
    AUTO(Buf) text = { 0 };
    Str stable = json_member(entry, "stable_id");
    Str hash = json_member(entry, "content_hash");
    add_word(meta, "type", result ? S("tool_result") : json_member(entry, "artifact_type"));
    if (!str_eq(stable, id))
        add_word(meta, artifact_check_task(stable, NULL) == JOT_OK ? "task_id" : "stable", stable);
    if (!str_eq(hash, str(hash_hex(hash_of(f->text)).text)))
        add_word(meta, "hash", hash);
    add_word(meta, "was", json_member(entry, "timestamp"));
    if (!entry) /* an export does not list it either, unless it is rewritten */
        json_object_set_new(meta, "listed", json_false());
    if (result) {
        const json_t *got = json_object_get(value, "result");
        Str bytes = json_is_string(got) ? json_str(got) : json_cursor_find(f->text, S("result"));
        add_word(meta, "tool", json_member(value, "tool_name"));
        json_object_set_new(meta, "bytes", json_integer((json_int_t)bytes.n));
        json_object_set_new(meta, "lines", json_integer((json_int_t)str_count_lines(bytes)));
    }
    json_write(&text, meta);
    return arena_copy(into, buf_str(&text));
}

/* When it was written: as the index, as the value itself, as the file says. */
static int64_t time_of(const json_t *entry, const json_t *value, const Found *f)
{
    int64_t at_ms;
    const json_t *own = json_object_get(value, "timestamp");
    if (time_parse_any(json_member(entry, "timestamp"), &at_ms) ||
        time_parse_any(json_str(own), &at_ms))
        return at_ms;
    return f->at_ms;
}

bool import_is_index(Str name, const json_t *value)
{
    return str_eq(name, S("task_index.json")) ||
           (str_ends(name, S("index.json")) && json_is_array(json_object_get(value, "entries")));
}

/* What the root's index says stands with the artifacts, too, and an export adds to it: so the first
 * one that came is kept, and another is nothing new. */
static jot_status import_index(Import *x, const ImportDoc *d, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Doc doc;
    if (!str_eq(d->name, S(INDEX)) || doc_read(x->m, d->stream, &arena, &doc, NULL) != JOT_OK)
        return import_document(x, d, e);
    x->report->files++;
    x->report->unchanged++;
    return JOT_OK;
}

static jot_status import_value(Walk *w, const Found *f, Arena *arena, Err *e)
{
    Import *x = w->x;
    json_t *read = NULL;
    Err why;
    if (json_read(f->text, &read, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, f->path, "%s", why.text);
        return JOT_OK;
    }
    AUTO_PTR(json_t) value = read;
    Str id = str_slice(f->name, 0, f->name.n - strlen(".json"));
    ImportDoc d = { .name = f->path, .text = f->text, .at_ms = f->at_ms };
    if (import_is_index(f->name, value)) {
        d.stream = arena_printf(arena, ARTIFACT_KIND ARTIFACT_INDEX "/" STR_FMT, STR_ARG(f->path));
        return import_index(x, &d, e);
    }
    const json_t *entry = indexed(w, f->category, id);
    bool result = is_result(f, id, value);
    d.meta = meta_of(entry, id, value, f, result, arena);
    d.at_ms = time_of(entry, value, f);
    Str called = result ? str_from(id, strlen(RESULT_ID)) : id;
    d.stream = arena_printf(arena, ARTIFACT_KIND STR_FMT "/" STR_FMT, STR_ARG(f->category),
                            STR_ARG(called));
    return import_document(x, &d, e);
}

/* --- Files ------------------------------------------------------------------------------- */

static jot_status import_file(Walk *w, int dir, Str category, const ForeignEntry *entry, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Import *x = w->x;
    Err why;
    Found f = { .category = category, .name = entry->name, .at_ms = entry->at_ms };
    f.path = joined(&arena, category, f.name);
    bool json = str_ends(f.name, S(".json"));
    bool log = str_ends(f.name, S(".jsonl")) || str_ends(f.name, S(".log"));
    if (import_is_task(&w->tasks, category, f.name))
        return JOT_OK;
    if (!entry->regular || (!json && !log) || f.name.p[0] == '.' || !category.n) {
        import_stray(x, entry, f.path,
                     json || log ? "it has no category" : "it is neither JSON nor a log");
        return JOT_OK;
    }
    size_t max = json ? (size_t)STORE_BODY_MAX : (size_t)IMPORT_FILE_MAX;
    jot_status st =
        foreign_read(&(ForeignFile){ x->m->io, dir, f.name.p, .max = max }, &arena, &f.text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, f.path, "%s", why.text);
        return JOT_OK;
    }
    if (json)
        return import_value(w, &f, &arena, e);
    return import_log(x, f.path, arena_printf(&arena, "logs/" STR_FMT, STR_ARG(f.path)), f.text,
                      f.at_ms, e);
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
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
    bool has = foreign_read(&(ForeignFile){ x->m->io, x->dir, INDEX, .max = STORE_BODY_MAX },
                            &arena, &text, &ignored) == JOT_OK &&
               json_read(text, &index, &ignored) == JOT_OK;
    AUTO_PTR(json_t) owned = has ? index : NULL;
    Walk w = { .x = x };
    read_index(&w, owned, &arena);
    TRY(import_tasks(x, &arena, &w.tasks, e));
    return walk(&w, x->dir, (Str){ 0 }, 1, e);
}
