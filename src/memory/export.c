/* export.c - the layouts on their way out: notes, artifacts, cycles, and the graph.
 *
 * Each file is whole when it has its name.  An export that was interrupted leaves
 * a directory that is not empty; it is begun anew in another one. */
#include "memory/export.h"

#include <string.h>

#include "base/time.h"
#include "memory/doc.h"
#include "memory/foreign.h"
#include "memory/graph.h"

/* Two memories can lead to one name: logs/a/b.json and artifacts/a/b are both a/b.json.  The first
 * has it, the others are told. */
jot_status export_file(Export *x, Str stream, Str path, Str text)
{
    Err why = { 0 };
    Shown shown;
    jot_status st = foreign_write(x->m->io, x->dir, path, text, &why);
    if (st == JOT_CONFLICT) {
        layout_miss(x->report, x->into, st, stream, "'%s' is there already, of another memory",
                    err_show(&shown, path));
        return JOT_OK;
    }
    x->report->files += st == JOT_OK;
    return err_pass(x->e, &why, st);
}

static void skip(Export *x, Str name, const char *why)
{
    layout_skip(x->report, x->into, name, "%s", why);
}

static void miss(Export *x, jot_status status, Str name, const char *why)
{
    layout_miss(x->report, x->into, status, name, "%s", why);
}

/* Write a stream's value to PATH + tail; one that cannot be read is told. */
static jot_status export_value(Export *x, Str stream, Str path)
{
    AUTO(Arena) arena = { 0 };
    Doc doc;
    Err why;
    jot_status st = doc_read(x->m, stream, &arena, &doc, &why);
    if (st != JOT_OK) {
        miss(x, st, stream, why.text);
        return JOT_OK;
    }
    return export_file(x, stream, path, doc.text);
}

/* --- Notes ----------------------------------------------------------------------------- */

static jot_status export_note(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Str key = str_from(l->name, strlen("notes/"));
    return export_value(ctx, l->name, arena_printf(&arena, STR_FMT ".txt", STR_ARG(key)));
}

/* --- Cycles ---------------------------------------------------------------------------- */

static Str agent_dir(Str agent, Arena *into)
{
    return str_eq(agent, S("default")) ? S("") : arena_printf(into, STR_FMT "/", STR_ARG(agent));
}

static jot_status export_state(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Str above = agent_dir(str_from(l->name, strlen("cycles/")), &arena);
    return export_value(ctx, l->name, arena_printf(&arena, STR_FMT "active.yaml", STR_ARG(above)));
}

static jot_status export_snapshot(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Str agent, rest = str_from(l->name, strlen("snapshots/"));
    if (!str_cut(&rest, '/', &agent)) {
        skip(ctx, l->name, "it is no snapshot of an agent's cycle");
        return JOT_OK;
    }
    Str above = agent_dir(agent, &arena);
    return export_value(
        ctx, l->name, arena_printf(&arena, STR_FMT STR_FMT ".yaml", STR_ARG(above), STR_ARG(rest)));
}

/* --- Artifacts ------------------------------------------------------------------------- */

typedef struct Artifacts {
    Export *x;
    json_t *entries; /* of the index */
} Artifacts;

static void add_to_index(Artifacts *a, Str path, const Listed *l)
{
    size_t slash = str_find_last(path, '/');
    if (slash == path.n)
        return;
    Str category = str_slice(path, 0, slash), id = str_from(path, slash + 1);
    json_t *read = NULL;
    Err ignored;
    bool has = l->meta.n && json_read(l->meta, &read, &ignored) == JOT_OK;
    AUTO_PTR(json_t) meta = has ? read : json_object();
    Str task = json_str(json_object_get(meta, "task_id"));
    Str type = json_str(json_object_get(meta, "type"));
    Str stable = task.n ? task : id;
    json_array_append_new(a->entries,
                          json_pack("{s:s%, s:s%, s:s%, s:s%, s:s, s:s}", "stable_id", stable.p,
                                    stable.n, "artifact_id", id.p, id.n, "artifact_type",
                                    type.n ? type.p : "artifact",
                                    type.n ? type.n : strlen("artifact"), "category", category.p,
                                    category.n, "content_hash", hash_hex(l->mark.sha256).text,
                                    "timestamp", time_text(l->mark.at_ms).text));
}

static jot_status export_artifact(void *ctx, const Listed *l)
{
    Artifacts *a = ctx;
    AUTO(Arena) arena = { 0 };
    Str path = str_from(l->name, strlen("artifacts/"));
    if (str_starts(path, S("tool_results/"))) /* the name the results had there */
        path = arena_printf(&arena, "tool_results/tool-result-" STR_FMT,
                            STR_ARG(str_from(path, strlen("tool_results/"))));
    add_to_index(a, path, l);
    return export_value(a->x, l->name, arena_printf(&arena, STR_FMT ".json", STR_ARG(path)));
}

typedef struct LogText {
    Buf text;
} LogText;

static jot_status add_line(void *ctx, const Record *r)
{
    LogText *log = ctx;
    if (r->mark.op == OP_APPEND && !r->mark.redacted) {
        buf_add(&log->text, r->body);
        buf_add_char(&log->text, '\n');
    }
    return JOT_OK;
}

static jot_status export_log(void *ctx, const Listed *l)
{
    Artifacts *a = ctx;
    LogText log = { .text = { .max = BUF_MAX_DEFAULT } };
    uint64_t damaged = 0;
    Err why = { 0 };
    jot_status st = memory_each_record(a->x->m, l->name, 1, add_line, &log, &damaged, &why);
    if (st == JOT_CORRUPT)
        miss(a->x, st, l->name, why.text);
    else if (damaged)
        miss(a->x, JOT_CORRUPT, l->name, "some of its lines cannot be read");
    st = st == JOT_CORRUPT ? JOT_OK : err_pass(a->x->e, &why, st);
    if (st == JOT_OK && !buf_ok(&log.text))
        miss(a->x, JOT_TOO_BIG, l->name, "it is too long for one file");
    else if (st == JOT_OK)
        st = export_file(a->x, l->name, str_from(l->name, strlen("logs/")), buf_str(&log.text));
    buf_free(&log.text);
    return st;
}

static jot_status export_artifacts(Export *x)
{
    AUTO_PTR(json_t) index = json_pack("{s:[]}", "entries");
    Artifacts a = { .x = x, .entries = json_object_get(index, "entries") };
    TRY(memory_each(x->m, S("artifacts/"), LIST_LIVE, export_artifact, &a, x->e));
    TRY(memory_each(x->m, S("logs/"), LIST_LIVE, export_log, &a, x->e));
    AUTO(Buf) text = { 0 };
    json_write(&text, index);
    if (!json_array_size(a.entries))
        return JOT_OK;
    return export_file(x, S("index/index.json"), S("index/index.json"), buf_str(&text));
}

/* --- Runs and the graph ---------------------------------------------------------------- */

static jot_status export_one_run(void *ctx, const Listed *l)
{
    return export_run(ctx, l->name, str_from(l->name, strlen("runs/")));
}

static jot_status export_graph(Export *x)
{
    AUTO(Graph) g = { 0 };
    AUTO(Buf) text = { 0 };
    TRY(graph_read(x->m, x->into, &g, x->e));
    for (size_t i = 0; i < g.n; i++) {
        AUTO_PTR(json_t)
        line = json_pack("{s:s}", "type", g.items[i].relation ? "relation" : "entity");
        json_object_update(line, g.items[i].value);
        if (text.n)
            buf_add_char(&text, '\n');
        json_write(&text, line);
    }
    if (g.damaged)
        miss(x, JOT_CORRUPT, S("graph/"),
             "some documents in it are neither entities nor relations");
    if (!buf_ok(&text))
        return err_set(x->e, JOT_TOO_BIG, "the graph is too big for one file");
    return export_file(x, S("graph/"), S("memory.jsonl"), buf_str(&text));
}

jot_status export_layout(Memory *m, Layout layout, const char *path, Arena *into, LayoutReport *out,
                         Err *e)
{
    *out = (LayoutReport){ .layout = layout };
    AUTO(Fd) dir = FD_NONE;
    TRY(foreign_make_dir(m->io, path, &dir, e));
    Export x = { .m = m, .dir = dir, .into = into, .report = out, .e = e };
    switch (layout) {
    case LAYOUT_NOTES:
        return memory_each(m, S("notes/"), LIST_LIVE, export_note, &x, e);
    case LAYOUT_ARTIFACTS:
        return export_artifacts(&x);
    case LAYOUT_RUNS:
        return memory_each(m, S("runs/"), LIST_LIVE, export_one_run, &x, e);
    case LAYOUT_CYCLES:
        TRY(memory_each(m, S("cycles/"), LIST_LIVE, export_state, &x, e));
        return memory_each(m, S("snapshots/"), LIST_LIVE, export_snapshot, &x, e);
    case LAYOUT_GRAPH:
        return export_graph(&x);
    case LAYOUT_NONE:
    case LAYOUT_ARCHIVE:
    case LAYOUT_COUNT:
        break;
    }
    return err_set(e, JOT_INVALID, "this layout is not exported so");
}
