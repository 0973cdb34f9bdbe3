/* transfer.c - whole pads of jotter.h: copying, import, export. */
#include "api/api.h"
#include "memory/export.h"
#include "memory/import.h"
#include "store/archive.h"

static jot_report *give(jot_pad *p, const LayoutReport *r)
{
    jot_problem **skipped = NEW_RESULTS(p, jot_problem, r->skipped_n);
    for (size_t i = 0; i < r->skipped_n; i++)
        *skipped[i] = (jot_problem){ api_give_name(p, r->skipped[i].name),
                                     api_give_name(p, r->skipped[i].why) };
    jot_report *out = NEW_RESULT(p, jot_report);
    *out = (jot_report){ .layout = layout_name(r->layout),
                         .files = r->files,
                         .added = r->added,
                         .unchanged = r->unchanged,
                         .skipped = (const jot_problem *const *)skipped,
                         .skipped_count = r->skipped_n,
                         .skipped_total = r->skipped_total };
    return out;
}

/* Of streams and records instead of files. */
static jot_report *give_whole(jot_pad *p, const char *layout, const CopyCount *c)
{
    jot_report *out = give(p, &(LayoutReport){ 0 });
    out->layout = layout;
    out->streams = c->streams;
    out->records = c->records;
    out->bytes = c->bytes;
    out->added = c->copied;
    return out;
}

jot_status jot_copy(jot_pad *pad, const char *url, const jot_report **out)
{
    AUTO_PTR(Store) to = NULL;
    CopyCount c = { 0 };
    Str where;
    GIVE(out, NULL);
    TRY(api_begin(pad));
    TRY(api_name(pad, "a URL", url, &where));
    TRY(store_open(&to, where, &(StoreOptions){ .create = true }, api_err(pad)));
    TRY(store_copy(pad->m.store, to, NULL, NULL, &c, api_err(pad)));
    GIVE(out, give_whole(pad, "pad", &c));
    return JOT_OK;
}

static jot_status read_layout(jot_pad *p, const char *given, Layout *out)
{
    *out = LAYOUT_NONE;
    return given ? layout_parse(str(given), out, api_err(p)) : JOT_OK;
}

static jot_status import_archive(jot_pad *p, const char *path, const jot_report **out)
{
    AUTO_PTR(Store) archive = NULL;
    CopyCount c = { 0 };
    TRY(archive_open(&archive, p->m.io, path, api_err(p)));
    TRY(store_copy(archive, p->m.store, NULL, NULL, &c, api_err(p)));
    GIVE(out, give_whole(p, "archive", &c));
    return JOT_OK;
}

jot_status jot_import(jot_pad *pad, const char *path, const char *layout, bool replace,
                      const jot_report **out)
{
    Layout as;
    ImportFrom from;
    LayoutReport report = { 0 };
    ImportOptions o = { .replace = replace };
    GIVE(out, NULL);
    TRY(api_begin(pad));
    TRY(api_need(pad, "a path", path));
    TRY(read_layout(pad, layout, &as));
    TRY(import_find(pad->m.io, path, as, api_arena(pad), &from, api_err(pad)));
    if (from.layout == LAYOUT_ARCHIVE)
        return import_archive(pad, path, out);
    jot_status st = import_run(&pad->m, &from, &o, api_arena(pad), &report, api_err(pad));
    GIVE(out, give(pad, &report));
    return st;
}

jot_status jot_export(jot_pad *pad, const char *path, const char *layout, const jot_report **out)
{
    Layout as;
    LayoutReport report;
    ArchiveCount c;
    GIVE(out, NULL);
    TRY(api_begin(pad));
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
    TRY(archive_write(pad->m.store, path, &c, api_err(pad)));
    CopyCount count = { .streams = c.streams, .records = c.records, .bytes = c.bytes };
    GIVE(out, give_whole(pad, "archive", &count));
    return JOT_OK;
}
