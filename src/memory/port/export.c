/* export.c - the layouts on their way out: notes, and the graph.
 *
 * Each file is whole when it has its name.  An export that was interrupted leaves
 * a directory that is not empty; it is begun again in another one.  A file has the
 * time of the record it is made of. */
#include "memory/port/export.h"

#include <string.h>

#include "memory/doc/doc.h"
#include "memory/graph/graph.h"
#include "memory/port/foreign.h"
#include "memory/port/note_file.h"

/* Two memories can lead to one name: logs/a/b.json and artifacts/a/b are both a/b.json.  The first
 * has it, the others are reported. */
jot_status export_file(Export *x, const ExportFile *f)
{
    Err why = { 0 };
    Shown shown;
    if (!foreign_path_ok(f->path)) {
        layout_miss(x->report, x->into, JOT_INVALID, f->stream, "'%s' cannot be a file here",
                    err_show(&shown, f->path));
        return JOT_OK;
    }
    jot_status st = foreign_write(x->m->io, x->dir, f->path, f->text, f->at_ms, &why);
    if (st == JOT_CONFLICT) {
        layout_miss(x->report, x->into, st, f->stream, "'%s' is there already, of another memory",
                    err_show(&shown, f->path));
        return JOT_OK;
    }
    x->report->files += st == JOT_OK;
    return err_pass(x->e, &why, st);
}

jot_status export_value(Export *x, Str stream, Str path)
{
    AUTO(Arena) arena = { 0 };
    Doc doc;
    Err why;
    jot_status st = doc_glance(x->m, stream, &arena, &doc, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, stream, "%s", why.text);
        return JOT_OK;
    }
    return export_file(x, &(ExportFile){ stream, path, doc.text, doc.mark.at_ms });
}

/* --- Logs -------------------------------------------------------------------------------- */

typedef struct Lines {
    Buf text;
    bool open; /* the line break after the last line is missing, as it was */
    int64_t at_ms;
} Lines;

static void lines_done(Lines *l)
{
    buf_free(&l->text);
}
DEFINE_AUTO(Lines, lines_done)

static jot_status add_line(void *ctx, const Record *r)
{
    Lines *l = ctx;
    if (r->mark.op != OP_APPEND || r->mark.redacted)
        return JOT_OK;
    if (l->at_ms)
        buf_add_char(&l->text, '\n');
    buf_add(&l->text, r->body);
    l->open = str_eq(r->meta, S(IMPORT_OPEN));
    l->at_ms = r->mark.at_ms ? r->mark.at_ms : 1;
    return JOT_OK;
}

jot_status export_lines(Export *x, Str stream, Str path)
{
    AUTO(Lines) l = { .text = { .max = BUF_MAX_DEFAULT } };
    uint64_t damaged = 0;
    Err why = { 0 };
    jot_status st = memory_each_record(
        x->m, stream, &(RecordVisit){ .from = 1, .each = add_line, .ctx = &l, .damaged = &damaged },
        &why);
    if (st == JOT_CORRUPT)
        layout_miss(x->report, x->into, st, stream, "%s", why.text);
    else if (damaged)
        layout_miss(x->report, x->into, JOT_CORRUPT, stream, "some of its lines cannot be read");
    st = st == JOT_CORRUPT ? JOT_OK : err_pass(x->e, &why, st);
    if (l.at_ms && !l.open)
        buf_add_char(&l.text, '\n');
    if (st == JOT_OK && !buf_ok(&l.text))
        layout_miss(x->report, x->into, JOT_TOO_BIG, stream, "it is too long for one file");
    else if (st == JOT_OK)
        st = export_file(x, &(ExportFile){ stream, path, buf_str(&l.text), l.at_ms });
    return st;
}

/* --- Notes ------------------------------------------------------------------------------- */

/* Under the name it came with, if that can be a file. */
static jot_status export_note(void *ctx, const Listed *l)
{
    Export *x = ctx;
    AUTO(Arena) arena = { 0 };
    NoteName name;
    Str key = str_from(l->name, strlen("notes/"));
    TRY(note_file_name(x->m, l->name, &arena, &name, x->e));
    Str path = name.row ? arena_printf(&arena, STR_FMT ".txt", STR_ARG(name.key)) : name.file;
    if (!foreign_path_ok(path))
        path = arena_printf(&arena, STR_FMT ".txt", STR_ARG(key));
    return export_value(x, l->name, path);
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
        layout_miss(x->report, x->into, JOT_CORRUPT, S("graph/"),
                    "some documents in it are neither entities nor relations");
    if (!buf_ok(&text))
        return err_set(x->e, JOT_TOO_BIG, "the graph is too big for one file");
    return export_file(
        x,
        &(ExportFile){ .stream = S("graph/"), .path = S("memory.jsonl"), .text = buf_str(&text) });
}

jot_status export_layout(Memory *m, Layout layout, const char *path, Arena *into, LayoutReport *out,
                         Err *e)
{
    *out = (LayoutReport){ .layout = layout };
    if (layout > LAYOUT_GRAPH)
        return err_set(e, JOT_UNSUPPORTED,
                       "%s is only imported: export notes, artifacts, runs, cycles or graph",
                       layout_name(layout));
    if (layout == LAYOUT_NOTES && export_is_sqlite(str(path))) {
        Export file = { .m = m, .dir = FD_NONE, .into = into, .report = out, .e = e };
        return export_sqlite(&file, path);
    }
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
        return export_cycles(&x);
    case LAYOUT_GRAPH:
        return export_graph(&x);
    case LAYOUT_NONE:
    case LAYOUT_MEMORIES:
    case LAYOUT_MEM0:
    case LAYOUT_LANGGRAPH:
    case LAYOUT_BEADS:
    case LAYOUT_ARCHIVE:
    case LAYOUT_COUNT:
        break;
    }
    return err_set(e, JOT_INVALID, "this layout cannot be exported this way");
}
