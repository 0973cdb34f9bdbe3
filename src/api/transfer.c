/* transfer.c - whole pads of jotter.h: copying, import, export. */
#include "api/api.h"
#include "memory/port/export.h"
#include "memory/port/import.h"
#include "memory/port/pad_copy.h"
#include "memory/where.h"
#include "store/archive.h"

static jot_report *give(jot_pad *p, const LayoutReport *r)
{
    jot_problem **skipped = NEW_RESULTS(p, jot_problem, r->skipped_n);
    for (size_t i = 0; i < r->skipped_n; i++)
        *skipped[i] = (jot_problem){ api_give_name(p, r->skipped[i].name),
                                     api_give_name(p, r->skipped[i].why) };
    jot_problem **renamed = NEW_RESULTS(p, jot_problem, r->renamed_n);
    for (size_t i = 0; i < r->renamed_n; i++)
        *renamed[i] = (jot_problem){ api_give_name(p, r->renamed[i].name),
                                     api_give_name(p, r->renamed[i].as) };
    jot_report *out = NEW_RESULT(p, jot_report);
    *out = (jot_report){ .layout = layout_name(r->layout),
                         .files = r->files,
                         .added = r->added,
                         .unchanged = r->unchanged,
                         .skipped = (const jot_problem *const *)skipped,
                         .skipped_count = r->skipped_n,
                         .skipped_total = r->skipped_total,
                         .missed = r->missed,
                         .renamed = (const jot_problem *const *)renamed,
                         .renamed_count = r->renamed_n,
                         .renamed_total = r->renamed_total };
    return out;
}

/* Of streams and records instead of files. */
static jot_report *give_whole(jot_pad *p, const char *layout, const PadReport *r)
{
    jot_report *out = give(p, &r->problems);
    out->layout = layout;
    out->streams = r->count.streams;
    out->records = r->count.records;
    out->bytes = r->count.bytes;
    out->added = r->count.copied;
    out->missed = r->problems.skipped_total;
    return out;
}

jot_status jot_copy(jot_pad *pad, const char *url, const jot_report **out)
{
    AUTO(Memory) to = { 0 };
    PadReport r;
    Str where;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a URL", url, &where));
    TRY(where_url(where, api_arena(pad), &where, api_err(pad)));
    MemoryOptions o = { .by = pad->m.by, .create = true };
    TRY(memory_open(&to, where, &o, api_err(pad)));
    jot_status st = pad_copy(pad->m.store, &to, NULL, api_arena(pad), &r, api_err(pad));
    GIVE(out, give_whole(pad, "pad", &r));
    return st;
}

static jot_status read_layout(jot_pad *p, const char *given, Layout *out)
{
    *out = LAYOUT_NONE;
    return given ? layout_parse(str(given), out, api_err(p)) : JOT_OK;
}

static jot_status import_archive(jot_pad *p, const char *path, const jot_report **out)
{
    AUTO_PTR(Store) archive = NULL;
    PadReport r;
    TRY(archive_open(&archive, p->m.io, path, api_err(p)));
    jot_status st = pad_copy(archive, &p->m, NULL, api_arena(p), &r, api_err(p));
    GIVE(out, give_whole(p, "archive", &r));
    return st;
}

jot_status jot_import(jot_pad *pad, const char *path, const char *layout, bool replace,
                      const jot_report **out)
{
    Layout as;
    ImportFrom from;
    LayoutReport report = { 0 };
    ImportOptions o = { .replace = replace };
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_need(pad, "a path", path));
    TRY(read_layout(pad, layout, &as));
    TRY(import_find(pad->m.io, path, as, api_arena(pad), &from, api_err(pad)));
    if (from.layout == LAYOUT_ARCHIVE)
        return import_archive(pad, path, out);
    jot_status st = import_run(&pad->m, &from, &o, api_arena(pad), &report, api_err(pad));
    GIVE(out, give(pad, &report));
    return st;
}

typedef struct CopyReport {
    jot_pad *pad;
    PadReport report;
} CopyReport;

static void note_left(void *ctx, const CopyNotice *t)
{
    CopyReport *to = ctx;
    pad_report_add(&to->report, api_arena(to->pad), t);
}

static jot_status export_archive(jot_pad *p, const char *path, const jot_report **out)
{
    CopyReport to = { .pad = p };
    CopyHooks hooks = { .notice = note_left, .ctx = &to };
    ArchiveCount c = { 0 };
    jot_status st = archive_write(p->m.store, path, &hooks, &c, api_err(p));
    if (st != JOT_OK && to.report.problems.skipped_total == 0)
        return st;
    to.report.count =
        (CopyCount){ .streams = c.streams, .records = c.records, .bytes = c.bytes, .lost = c.lost };
    GIVE(out, give_whole(p, "archive", &to.report));
    return st;
}

jot_status jot_export(jot_pad *pad, const char *path, const char *layout, const jot_report **out)
{
    Layout as;
    LayoutReport report;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_need(pad, "a path", path));
    TRY(read_layout(pad, layout, &as));
    if (as) {
        TRY(export_layout(&pad->m, as, path, api_arena(pad), &report, api_err(pad)));
        GIVE(out, give(pad, &report));
        return JOT_OK;
    }
    if (!str_ends(str(path), S(ARCHIVE_SUFFIX)))
        return err_set(api_err(pad), JOT_INVALID,
                       "name a file that ends in '" ARCHIVE_SUFFIX "', or a layout: notes, "
                       "artifacts, runs, cycles or graph");
    return export_archive(pad, path, out);
}
