/* cmd_transfer.c - memory that comes from other programs, or goes to them: import, export.
 *
 * What is at the path is looked at before the pad is opened, so that a path that
 * is nothing, or an archive that is damaged, makes no pad. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glyph.h"
#include "cli/cmd.h"
#include "cli/copying.h"
#include "cli/interrupt.h"
#include "memory/port/export.h"
#include "memory/port/import.h"
#include "store/archive.h"

extern const Cmd cmd_import, cmd_export;

static jot_status layout_given(Session *s, Layout *out)
{
    const char *as = opt_text(s, "layout");
    *out = LAYOUT_NONE;
    return as ? layout_parse(str(as), out, &s->err) : JOT_OK;
}

/* What was left out is reported beside the answer, not in it. */
static void print_report(Session *s, const LayoutReport *r, bool in)
{
    if (s->json) {
        print_json(layout_report_json(r));
        return;
    }
    for (size_t i = 0; i < r->renamed_n;
         i++) { /* whole, however long: it is for finding it again */
        AUTO(Buf) line = { 0 };
        glyph_add(&line, r->renamed[i].name, GLYPH_LINE);
        fprintf(stderr, "renamed '" STR_FMT "': it is " STR_FMT " in the pad\n",
                STR_ARG(buf_str(&line)), STR_ARG(r->renamed[i].as));
    }
    if (r->renamed_total > r->renamed_n)
        fprintf(stderr, "and %llu more were renamed\n",
                (unsigned long long)(r->renamed_total - r->renamed_n));
    for (size_t i = 0; i < r->skipped_n; i++) {
        Shown name;
        fprintf(stderr, "skipped %s: " STR_FMT "\n", err_show(&name, r->skipped[i].name),
                STR_ARG(r->skipped[i].why));
    }
    if (r->skipped_total > r->skipped_n)
        fprintf(stderr, "and %llu more were skipped\n",
                (unsigned long long)(r->skipped_total - r->skipped_n));
    if (in)
        printf("%s: %s, %s added, %llu there already, %llu skipped\n", layout_name(r->layout),
               counted(r->files, "file").text, counted(r->added, "record").text,
               (unsigned long long)r->unchanged, (unsigned long long)r->skipped_total);
    else
        printf("%s: %s written, %llu left out\n", layout_name(r->layout),
               counted(r->files, "file").text, (unsigned long long)r->skipped_total);
}

static jot_status import_archive(Session *s)
{
    AUTO_PTR(Store) archive = NULL;
    PadReport r;
    TRY(archive_open(&archive, NULL, s->args[0], &s->err));
    TRY(session_open(s, true));
    jot_status st = copy_showing(archive, &s->memory, s, &r);
    const CopyCount *c = &r.count;
    if (s->json) {
        json_t *out = json_pack("{s:s, s:I, s:I, s:I}", "layout", "archive", "streams",
                                (json_int_t)c->streams, "records", (json_int_t)c->records, "added",
                                (json_int_t)c->copied);
        pad_report_add_json(out, &r);
        print_json(out);
    } else {
        printf("archive: %s, %s, %llu added\n", counted(c->streams, "stream").text,
               counted(c->records, "record").text, (unsigned long long)c->copied);
    }
    return st;
}

/* Somebody waits for it, and may end it. */
static bool go_on(void *ctx, uint64_t done, uint64_t total)
{
    progress_show(ctx, done, total, "");
    return !interrupted();
}

static jot_status run_import(Session *s)
{
    Layout as;
    ImportFrom from;
    LayoutReport report;
    Progress progress = progress_new("file");
    ImportOptions o = { .replace = opt_given(s, "replace"), .go_on = go_on, .ctx = &progress };
    TRY(layout_given(s, &as));
    TRY(import_find(&io_system, s->args[0], as, &s->arena, &from, &s->err));
    if (from.layout == LAYOUT_ARCHIVE)
        return import_archive(s);
    TRY(session_open(s, true));
    interrupt_catch();
    jot_status st = import_run(&s->memory, &from, &o, &s->arena, &report, &s->err);
    progress_clear(&progress);
    if (st == JOT_CANCELLED)
        print_report(s, &report, true);
    TRY(st);
    print_report(s, &report, true);
    return layout_missed(&report, "imported", &s->err);
}

typedef struct CopyReport {
    Session *s;
    PadReport report;
    Progress progress;
} CopyReport;

static void add_notice(void *ctx, const CopyNotice *t)
{
    CopyReport *to = ctx;
    pad_report_add(&to->report, &to->s->arena, t);
}

static void show(void *ctx, const CopyCount *c)
{
    CopyReport *to = ctx;
    show_copied(&to->progress, c);
}

static jot_status export_archive(Session *s)
{
    ArchiveCount c = { 0 };
    CopyReport to = { .s = s, .progress = progress_new("stream") };
    CopyHooks hooks = { .progress = to.progress.terminal ? show : NULL,
                        .notice = add_notice,
                        .go_on = not_interrupted,
                        .ctx = &to };
    TRY(session_open(s, false));
    interrupt_catch();
    jot_status st = archive_write(s->memory.store, s->args[0], &hooks, &c, &s->err);
    progress_clear(&to.progress);
    if (st == JOT_CANCELLED || (st != JOT_OK && to.report.problems.skipped_total == 0))
        return st; /* there is no archive */
    s->changed = true;
    print_pad_problems(s, &to.report);
    if (s->json) {
        json_t *out =
            json_pack("{s:s, s:I, s:I, s:I}", "layout", "archive", "streams", (json_int_t)c.streams,
                      "records", (json_int_t)c.records, "bytes", (json_int_t)c.bytes);
        pad_report_add_json(out, &to.report);
        print_json(out);
    } else {
        printf("archive: %s, %s, %s, verified\n", counted(c.streams, "stream").text,
               counted(c.records, "record").text, counted(c.bytes, "byte").text);
    }
    return st;
}

/* The files that are written are counted as they are. */
typedef struct Writing {
    Progress progress;
    const LayoutReport *report;
} Writing;

static bool write_on(void *ctx, uint64_t scanned)
{
    Writing *w = ctx;
    (void)scanned;
    progress_show(&w->progress, w->report->files, 0, "written");
    return !interrupted();
}

static jot_status export_files(Session *s, Layout as)
{
    LayoutReport report = { 0 };
    Writing w = { progress_new("file"), &report };
    MemoryProgress scan = { .report = write_on, .ctx = &w };
    TRY(session_open(s, false));
    interrupt_catch();
    s->memory.progress = &scan;
    jot_status st = export_layout(&s->memory, as, s->args[0], &s->arena, &report, &s->err);
    s->memory.progress = NULL;
    progress_clear(&w.progress);
    s->changed = true;
    if (st == JOT_CANCELLED && export_is_sqlite(str(s->args[0])))
        return err_set(&s->err, st, "interrupted: there is no file");
    if (st == JOT_CANCELLED)
        return err_set(&s->err, st,
                       "interrupted after %llu file%s: what is written stays, and another export "
                       "needs an empty directory",
                       (unsigned long long)report.files, report.files == 1 ? "" : "s");
    TRY(st);
    print_report(s, &report, false);
    return layout_missed(&report, "exported", &s->err);
}

static jot_status run_export(Session *s)
{
    Layout as;
    TRY(layout_given(s, &as));
    bool archive = str_ends(str(s->args[0]), S(ARCHIVE_SUFFIX));
    if (archive && !as)
        return export_archive(s);
    if (!as)
        return err_set(&s->err, JOT_INVALID,
                       "name a file that ends in '" ARCHIVE_SUFFIX "' for the whole pad, or say "
                       "--layout notes, artifacts, runs, cycles or graph");
    return export_files(s, as);
}

/* clang-format off */
static const Opt import_opts[] = {
    { "layout", "LAYOUT", LAYOUT_NAMES ", if it is not recognised" },
    { "replace", NULL, "write also what exists with another text or was deleted; versions stay" },
    { 0 },
};
static const Opt export_opts[] = {
    { "layout", "LAYOUT", "notes, artifacts, runs, cycles or graph" },
    { 0 },
};
/* clang-format on */

const Cmd cmd_import = {
    .name = "import",
    .args = "PATH",
    .summary = "Import an archive, or the memory files of another program",
    .help =
        "An archive is verified to its last byte before anything is written.  A directory is\n"
        "recognised by what is in it: KEY.txt and KEY.md (notes), CATEGORY/ID.json (artifacts,\n"
        "with tasks), runs as JSON lines, active.yaml (cycles, with their logs), or a JSONL of\n"
        "entities and relations (graph).  So is a project that has .scratchpad, .scratchbook,\n"
        "scratchpad or .dexter/scratchpad in it, and a file of SQLite with a table 'scratchpad'.\n"
        "So is what people leave: mem0's history.db, the database of LangGraph's SqliteStore, a\n"
        "project with .beads in it, ~/.claude or one of its projects, ~/.codex (their memory "
        "files),\n"
        "and basic-memory's notes, whose relations become a graph.\n"
        "Times are kept.  A name that is no key becomes one, which is reported.  Importing again "
        "adds\n"
        "nothing.  What is skipped is reported on standard error; the exit code is 0 only if "
        "nothing\n"
        "was, hidden and empty files apart.\n",
    .opts = import_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_import,
};

const Cmd cmd_export = {
    .name = "export",
    .args = "FILE" ARCHIVE_SUFFIX "|DIR",
    .summary = "Write the whole pad to an archive, or part of it as files",
    .help =
        "An archive holds every stream with its history; it is read back and verified before it\n"
        "gets its name.  With --layout a new directory gets the files another program knows,\n"
        "as they are now; what was imported and not changed since is the same to the byte.  Notes\n"
        "also go to a new file of SQLite, NAME.db.  Nothing that exists is replaced.\n",
    .opts = export_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_export,
};
