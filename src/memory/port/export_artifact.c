/* export_artifact.c - artifacts, logs and tasks as a root of categories, with an index.
 *
 * The index is the document that came with an import, if one did, as it was: an
 * entry is added for what is new or has changed since, as its program would add
 * one.  What came without an entry, and is as it was, gets none. */
#include <string.h>

#include "base/time.h"
#include "memory/artifact/artifact.h"
#include "memory/doc/doc.h"
#include "memory/port/export.h"

#define INDEX "index/index.json"
#define INDEX_STREAM ARTIFACT_KIND ARTIFACT_INDEX "/" INDEX
#define DOCUMENTS ARTIFACT_KIND ARTIFACT_INDEX "/"

typedef struct Artifacts {
    Export *x;
    json_t *entries; /* of the index */
    json_t *newest;  /* by CATEGORY/ID: the place of an artifact's newest entry among those */
    bool changed;    /* an entry was added */
} Artifacts;

/* --- The index --------------------------------------------------------------------------- */

/* What an index says of an artifact, which the caller owns; NULL: nothing. */
static json_t *entry_of(Str category, Str id, const Listed *l)
{
    json_t *read = NULL;
    if (!l->meta.n || json_read(l->meta, &read, NULL) != JOT_OK)
        read = json_object();
    AUTO_PTR(json_t) meta = read;
    if (json_is_false(json_object_get(meta, "listed")))
        return NULL;
    Str task = json_member(meta, "task_id"), type = json_member(meta, "type"),
        hash = json_member(meta, "hash");
    Str stable = json_member(meta, "stable"), was = json_member(meta, "was");
    stable = stable.n ? stable : task.n ? task : id;
    type = type.n ? type : S("artifact");
    HashHex own = hash_hex(l->mark.sha256);
    TimeText at = time_text(l->mark.at_ms);
    hash = hash.n ? hash : str(own.text);
    was = was.n ? was : str(at.text);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "stable_id", json_text(stable),
                     "artifact_id", json_text(id), "artifact_type", json_text(type), "category",
                     json_text(category), "content_hash", json_text(hash), "timestamp",
                     json_text(was));
}

static void add_to_index(Artifacts *a, Str path, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    size_t slash = str_find_last(path, '/');
    if (slash == path.n)
        return;
    json_t *entry = entry_of(str_slice(path, 0, slash), str_from(path, slash + 1), l);
    const json_t *at = json_object_get(a->newest, arena_cstr(&arena, path));
    size_t place = (size_t)json_integer_value(at);
    if (!entry)
        return;
    if (at && json_equal(json_array_get(a->entries, place), entry)) {
        json_decref(entry);
        return;
    }
    json_array_append_new(a->entries, entry);
    a->changed = true;
}

/* --- Artifacts and logs ------------------------------------------------------------------ */

/* An index document goes where an import would find it as one. */
static jot_status export_document(Export *x, Str stream)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) value = NULL;
    Doc doc;
    Str name = str_from(stream, strlen(DOCUMENTS));
    Str file = str_from(name, str_find_last(name, '/') + 1);
    bool known = doc_glance(x->m, stream, &arena, &doc, NULL) == JOT_OK &&
                 json_read(doc.text, &value, NULL) == JOT_OK && import_is_index(file, value);
    return export_value(x, stream,
                        known ? name
                              : arena_printf(&arena, STR_FMT ".json",
                                             STR_ARG(str_from(stream, strlen(ARTIFACT_KIND)))));
}

static jot_status export_artifact(void *ctx, const Listed *l)
{
    Artifacts *a = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) meta = NULL;
    Str path = str_from(l->name, strlen(ARTIFACT_KIND)), sink = S(ARTIFACT_TOOL_RESULTS "/");
    if (str_eq(l->name, S(INDEX_STREAM)))
        return JOT_OK; /* it comes last */
    if (str_starts(l->name, S(DOCUMENTS)))
        return export_document(a->x, l->name);
    if (l->meta.n && json_read(l->meta, &meta, NULL) != JOT_OK)
        meta = NULL;
    /* The name the results had there; what else lies among them never had it. */
    if (str_starts(path, sink) && str_eq(json_member(meta, "type"), S("tool_result")))
        path = arena_printf(&arena, STR_FMT "tool-result-" STR_FMT, STR_ARG(sink),
                            STR_ARG(str_from(path, sink.n)));
    add_to_index(a, path, l);
    return export_value(a->x, l->name, arena_printf(&arena, STR_FMT ".json", STR_ARG(path)));
}

/* Those of cycles are another layout's. */
static jot_status export_log(void *ctx, const Listed *l)
{
    Artifacts *a = ctx;
    if (str_starts(l->name, S("logs/cycle/")))
        return JOT_OK;
    return export_lines(a->x, l->name, str_from(l->name, strlen("logs/")));
}

jot_status export_artifacts(Export *x)
{
    AUTO(Arena) arena = { 0 };
    Doc doc = { 0 };
    json_t *read = NULL;
    bool has = doc_glance(x->m, S(INDEX_STREAM), &arena, &doc, NULL) == JOT_OK &&
               json_read(doc.text, &read, NULL) == JOT_OK &&
               json_is_array(json_object_get(read, "entries"));
    if (!has) {
        json_decref(read);
        read = json_pack("{s:[]}", "entries");
    }
    AUTO_PTR(json_t) index = read;
    AUTO_PTR(json_t) newest = json_object();
    Artifacts a = { .x = x, .entries = json_object_get(index, "entries"), .newest = newest };
    /* Where each artifact stands in the index that came along. */
    for (size_t i = 0; i < json_array_size(a.entries); i++) {
        const json_t *entry = json_array_get(a.entries, i);
        Str name =
            arena_printf(&arena, STR_FMT "/" STR_FMT, STR_ARG(json_member(entry, "category")),
                         STR_ARG(json_member(entry, "artifact_id")));
        json_object_set_new(a.newest, name.p, json_integer((json_int_t)i));
    }
    TRY(memory_each(x->m, S(ARTIFACT_KIND), LIST_LIVE, export_artifact, &a, x->e));
    TRY(memory_each(x->m, S("logs/"), LIST_LIVE, export_log, &a, x->e));
    TRY(export_tasks(x));
    Str old = has ? doc.text : (Str){ 0 };
    AUTO(Buf) line = { 0 };
    AUTO(Buf) indented = { 0 };
    if (!json_array_size(a.entries))
        return JOT_OK;
    json_write(&line, index);
    json_indent(&indented, buf_str(&line));
    ExportFile f = { .stream = S(INDEX), .path = S(INDEX) };
    f.text = old.n && !a.changed ? old : buf_str(&indented);
    f.at_ms = old.n && !a.changed ? doc.mark.at_ms : 0;
    return export_file(a.x, &f);
}
