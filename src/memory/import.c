/* import.c - recognising a layout, and the layouts that are plain documents: notes and cycles.
 *
 * Each stream decides for itself; there is no record of an import.  Killed at any
 * point, some files have been imported and the others have not, and the next
 * import finds that out by comparing. */
#include "memory/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/yaml.h"
#include "memory/foreign.h"
#include "store/archive.h"

enum { PEEK = 64 * 1024, DEPTH_MAX = 4 };

#define STATE "active.yaml"

/* --- Recognising ----------------------------------------------------------------------- */

/* What the first line of a JSONL says. */
static Layout layout_of_lines(Str text)
{
    Str line = { 0 };
    if (!str_cut(&text, '\n', &line))
        line = text;
    json_t *read = NULL;
    Err ignored;
    if (json_read(line, &read, &ignored) != JOT_OK)
        return LAYOUT_NONE;
    AUTO_PTR(json_t) value = read;
    Str type = json_str(json_object_get(value, "type"));
    if (str_eq(type, S("entity")) || str_eq(type, S("relation")))
        return LAYOUT_GRAPH;
    bool entry =
        str_eq(type, S("init")) || str_eq(type, S("thinking")) || str_eq(type, S("tool_result"));
    return entry && json_is_string(json_object_get(value, "timestamp")) ? LAYOUT_RUNS : LAYOUT_NONE;
}

static Layout layout_of_file(const Io *io, int dir, Str name)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    if (foreign_peek(io, dir, name.p, PEEK, &arena, &text, NULL) != JOT_OK)
        return LAYOUT_NONE;
    return archive_begins(text) ? LAYOUT_ARCHIVE : layout_of_lines(text);
}

/* Is there JSON somewhere below? */
static bool has_json(const Io *io, int dir, int depth)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    if (depth > DEPTH_MAX || foreign_list(io, dir, &arena, &all, NULL) != JOT_OK)
        return false;
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        if (f->name.p[0] == '.')
            continue;
        if (depth > 0 && f->regular && str_ends(f->name, S(".json")))
            return true;
        AUTO(Fd)
        below = f->directory ? io_open(io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0) : FD_NONE;
        if (below >= 0 && has_json(io, below, depth + 1))
            return true;
    }
    return false;
}

static bool is_snapshot(Str name)
{
    return str_ends(name, S("_before.yaml")) || str_ends(name, S("_after.yaml"));
}

/* The layouts whose signs a directory shows, as bits. */
static unsigned signs_of(const Io *io, int dir)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    unsigned signs = 0;
    if (foreign_list(io, dir, &arena, &all, NULL) != JOT_OK)
        return 0;
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        if (!f->regular || f->name.p[0] == '.')
            continue;
        if (str_eq(f->name, S(STATE)) || is_snapshot(f->name))
            signs |= 1u << LAYOUT_CYCLES;
        if (str_ends(f->name, S(".txt")))
            signs |= 1u << LAYOUT_NOTES;
        if (str_ends(f->name, S(".jsonl")))
            signs |= 1u << layout_of_file(io, dir, f->name);
    }
    return signs & ~(1u << LAYOUT_NONE | 1u << LAYOUT_ARCHIVE);
}

static jot_status not_one(const char *path, unsigned signs, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, str(path));
    if (!signs)
        return err_set(e, JOT_INVALID,
                       "'%s' is nothing that can be imported: say --layout notes, artifacts, runs, "
                       "cycles or graph if it is",
                       name);
    char list[64] = "";
    for (Layout l = LAYOUT_NOTES; l < LAYOUT_ARCHIVE; l++)
        if (signs >> l & 1)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "",
                     layout_name(l));
    return err_set(e, JOT_INVALID, "'%s' could be one of these: %s; say which with --layout", name,
                   list);
}

static bool exactly_one(unsigned signs)
{
    return signs && !(signs & (signs - 1));
}

/* A project keeps its scratchpad in one of these. */
static const char *const below[] = { ".dexter/scratchpad", "scratchpad", "." };

static jot_status find_in_directory(const Io *io, const char *path, int root, Layout as,
                                    Arena *into, ImportFrom *out, Err *e)
{
    struct stat info;
    Shown shown;
    if (io_stat(io, root, "format", &info) == 0 && io_stat(io, root, "notes", &info) == 0)
        return err_set(e, JOT_INVALID, "'%s' is a pad of Jotter: use 'jotter --pad %s copy URL'",
                       err_show(&shown, str(path)), err_show(&shown, str(path)));
    unsigned signs = 0;
    for (size_t i = 0; i < COUNT_OF(below); i++) {
        AUTO(Fd) dir = io_open(io, root, below[i], O_RDONLY | O_DIRECTORY, 0);
        signs = dir < 0 ? 0 : signs_of(io, dir);
        if (as ? signs >> as & 1 : signs) {
            *out = (ImportFrom){ .dir = arena_printf(into, "%s/%s", path, below[i]) };
            break;
        }
    }
    if (as && !out->dir.n)
        *out = (ImportFrom){ .dir = arena_copy(into, str(path)) };
    if (!as && !signs && has_json(io, root, 0)) {
        signs = 1u << LAYOUT_ARTIFACTS;
        *out = (ImportFrom){ .dir = arena_copy(into, str(path)) };
    }
    if (!as && !exactly_one(signs))
        return not_one(path, signs, e);
    out->layout = as;
    for (Layout l = LAYOUT_NOTES; !as && l < LAYOUT_ARCHIVE; l++)
        if (signs >> l & 1)
            out->layout = l;
    return JOT_OK;
}

jot_status import_find(const Io *io, const char *path, Layout as, Arena *into, ImportFrom *out,
                       Err *e)
{
    Shown shown;
    struct stat info;
    *out = (ImportFrom){ 0 };
    if (stat(path, &info) != 0)
        return err_errno(e, errno, "could not open '%s'", err_show(&shown, str(path)));
    if (S_ISDIR(info.st_mode)) {
        AUTO(Fd) root = io_open_root(io, path);
        if (root < 0)
            return err_errno(e, -root, "could not open '%s'", err_show(&shown, str(path)));
        return find_in_directory(io, path, root, as, into, out, e);
    }
    Str whole = str(path);
    size_t slash = str_find_last(whole, '/');
    out->dir = slash < whole.n ? arena_copy(into, str_slice(whole, 0, slash ? slash : 1)) : S(".");
    out->file = arena_copy(into, slash < whole.n ? str_from(whole, slash + 1) : whole);
    AUTO(Fd) dir = io_open_root(io, out->dir.p);
    Layout seen = dir < 0 ? LAYOUT_NONE : layout_of_file(io, dir, out->file);
    out->layout = as && seen != LAYOUT_ARCHIVE ? as : seen;
    if (out->layout == LAYOUT_NONE)
        return not_one(path, 0, e);
    if (as == LAYOUT_NOTES || as == LAYOUT_ARTIFACTS || as == LAYOUT_CYCLES)
        return err_set(e, JOT_INVALID, "%s are imported from a directory", layout_name(as));
    return JOT_OK;
}

/* --- Writing what is not there yet ----------------------------------------------------- */

typedef struct Past {
    Hash sha256;
    bool known;
} Past;

static jot_status look_for(void *ctx, const Record *r)
{
    Past *p = ctx;
    p->known = p->known || (r->mark.op == OP_PUT && hash_eq(r->mark.sha256, p->sha256));
    return JOT_OK;
}

/* Why a text is not written over what is there, or NULL: there is nothing. */
static jot_status in_the_way(Import *x, Str stream, const Mark *head, Hash sha256, const char **why,
                             Err *e)
{
    Past past = { .sha256 = sha256 };
    *why = NULL;
    if (head->op == 0)
        return JOT_OK;
    if (head->op == OP_DELETE) {
        *why = "it was deleted in the pad: use --replace to bring it back";
        return JOT_OK;
    }
    Err missing;
    jot_status st = memory_each_record(x->m, stream, 1, look_for, &past, NULL, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_set(e, st, "%s", missing.text);
    *why = past.known ? "it is an older version in the pad: use --replace to bring it back"
                      : "it exists with another text: use --replace";
    return JOT_OK;
}

/* The head's mark; op 0 if there never was one. */
static jot_status find_head(Import *x, Str stream, Mark *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err missing = { 0 };
    *out = (Mark){ 0 };
    jot_status st = store_head(x->m->store, stream, HEAD_MARK, &arena, &head, &missing);
    if (st == JOT_OK)
        *out = head.mark;
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

static jot_status write_document(Import *x, Str name, Str stream, const Draft *d, Err *e)
{
    Err why;
    Mark mark;
    Expect expect = { .kind = x->o->replace ? EXPECT_ANY : EXPECT_ABSENT };
    jot_status st = memory_append(x->m, stream, &expect, d, &mark, &why);
    if (st == JOT_CONFLICT)
        layout_miss(x->report, x->into, st, name, "it exists with another text: use --replace");
    else if (st == JOT_INVALID || st == JOT_TOO_BIG)
        layout_miss(x->report, x->into, st, name, "%s", why.text);
    else if (st != JOT_OK)
        return err_set(e, st, "%s", why.text);
    else
        x->report->added++;
    return JOT_OK;
}

jot_status import_document(Import *x, Str name, Str stream, Str text, Str meta, Err *e)
{
    Err why;
    Mark head;
    const char *refused = NULL;
    if (store_check_name(stream, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "%s", why.text);
        return JOT_OK;
    }
    x->report->files++;
    TRY(find_head(x, stream, &head, e));
    Hash sha256 = hash_of(text);
    if (head.op == OP_PUT && hash_eq(head.sha256, sha256)) {
        x->report->unchanged++;
        return JOT_OK;
    }
    if (!x->o->replace)
        TRY(in_the_way(x, stream, &head, sha256, &refused, e));
    if (refused) {
        layout_miss(x->report, x->into, JOT_CONFLICT, name, "%s", refused);
        return JOT_OK;
    }
    return write_document(x, name, stream, &(Draft){ .op = OP_PUT, .meta = meta, .body = text }, e);
}

/* How far a stream goes along with the drafts. */
typedef struct Along {
    const Draft *drafts;
    size_t n, at;
    bool other; /* it is another one */
} Along;

static jot_status go_along(void *ctx, const Record *r)
{
    Along *a = ctx;
    if (a->other || a->at == a->n)
        return JOT_OK;
    const Draft *d = &a->drafts[a->at];
    bool first = a->at > 0 || r->mark.seq == 1;
    a->other = !first || r->mark.op != d->op || !str_eq(r->meta, d->meta) ||
               !hash_eq(r->mark.sha256, hash_of(d->body));
    a->at++;
    return JOT_OK;
}

jot_status import_records(Import *x, Str name, Str stream, const Draft *drafts, size_t n, Err *e)
{
    Err why;
    if (store_check_name(stream, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "%s", why.text);
        return JOT_OK;
    }
    x->report->files++;
    Along along = { .drafts = drafts, .n = n };
    jot_status st = memory_each_record(x->m, stream, 1, go_along, &along, NULL, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_set(e, st, "%s", why.text);
    if (along.other) {
        layout_miss(x->report, x->into, JOT_CONFLICT, name,
                    "a log of that name exists with other entries");
        return JOT_OK;
    }
    x->report->unchanged += along.at == n;
    for (size_t i = along.at; i < n; i++) {
        Expect expect = { .kind = EXPECT_SEQ, .seq = i };
        Mark mark;
        TRY(memory_append(x->m, stream, &expect, &drafts[i], &mark, e));
        x->report->added++;
    }
    return JOT_OK;
}

/* --- Notes and cycles ------------------------------------------------------------------ */

/* The text of a document; false if it is skipped. */
static bool read_document(Import *x, int dir, Str path, Str name, Arena *into, Str *text)
{
    Err why;
    jot_status st = foreign_read(x->m->io, dir, path.p, STORE_BODY_MAX, into, text, &why);
    if (st != JOT_OK)
        layout_miss(x->report, x->into, st, name, "%s", why.text);
    else if (!utf8_valid(*text))
        layout_miss(x->report, x->into, JOT_INVALID, name, "it is not UTF-8 at byte %zu",
                    utf8_bad_at(*text));
    else
        return true;
    return false;
}

static jot_status import_note(Import *x, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    if (!f->regular || !str_ends(f->name, S(".txt"))) {
        layout_skip(x->report, x->into, f->name, "%s",
                    f->regular ? "it is not KEY.txt" : NOT_A_FILE);
        return JOT_OK;
    }
    if (!read_document(x, x->dir, f->name, f->name, &arena, &text))
        return JOT_OK;
    Str key = str_slice(f->name, 0, f->name.n - strlen(".txt"));
    return import_document(x, f->name, arena_printf(&arena, "notes/" STR_FMT, STR_ARG(key)), text,
                           (Str){ 0 }, e);
}

static jot_status import_notes(Import *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, x->dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++)
        TRY(import_note(x, &all.items[i], e));
    return JOT_OK;
}

/* A state must be YAML, or no cycle could begin with it; a snapshot is kept as it is. */
static jot_status import_state(Import *x, int dir, Str agent, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Yaml *tree;
    Str text;
    Err why;
    bool live = str_eq(f->name, S(STATE)), snapshot = is_snapshot(f->name);
    if (!f->regular || (!live && !snapshot)) {
        layout_skip(x->report, x->into, f->name, "%s",
                    f->regular ? "it is neither a state nor a snapshot" : NOT_A_FILE);
        return JOT_OK;
    }
    if (!read_document(x, dir, f->name, f->name, &arena, &text))
        return JOT_OK;
    if (live && yaml_read(text, &arena, &tree, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, f->name, "%s", why.text);
        return JOT_OK;
    }
    Str stem = str_slice(f->name, 0, f->name.n - strlen(".yaml"));
    Str stream = live ? arena_printf(&arena, "cycles/" STR_FMT, STR_ARG(agent))
                      : arena_printf(&arena, "snapshots/" STR_FMT "/" STR_FMT, STR_ARG(agent),
                                     STR_ARG(stem));
    return import_document(x, f->name, stream, text, live ? S("{\"kind\":\"state\"}") : (Str){ 0 },
                           e);
}

/* One agent's directory; those of others lie below that of the default one. */
static jot_status import_cycles(Import *x, int dir, Str agent, bool top, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        AUTO(Fd)
        deeper = top && f->directory && f->name.p[0] != '.'
                     ? io_open(x->m->io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0)
                     : FD_NONE;
        if (deeper >= 0)
            TRY(import_cycles(x, deeper, f->name, false, e));
        else
            TRY(import_state(x, dir, agent, f, e));
    }
    return JOT_OK;
}

/* --- Files of lines -------------------------------------------------------------------- */

static jot_status import_lines(Import *x, Str file, Layout layout, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    Err why;
    jot_status st = foreign_read(x->m->io, x->dir, file.p, IMPORT_FILE_MAX, &arena, &text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, file, "%s", why.text);
        return JOT_OK;
    }
    return layout == LAYOUT_RUNS ? import_run_file(x, file, text, e)
                                 : import_graph_file(x, file, text, e);
}

static jot_status import_all_lines(Import *x, Layout layout, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, x->dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        bool lines = f->regular && str_ends(f->name, S(".jsonl"));
        if (lines && layout_of_file(x->m->io, x->dir, f->name) == layout)
            TRY(import_lines(x, f->name, layout, e));
        else
            layout_skip(x->report, x->into, f->name, "it is not one of the %s",
                        layout == LAYOUT_RUNS ? "runs" : "graphs");
    }
    return JOT_OK;
}

jot_status import_run(Memory *m, const ImportFrom *from, const ImportOptions *o, Arena *into,
                      LayoutReport *out, Err *e)
{
    static const ImportOptions plain = { 0 };
    Shown shown;
    *out = (LayoutReport){ .layout = from->layout };
    AUTO(Fd) dir = io_open_root(m->io, from->dir.p);
    if (dir < 0)
        return err_errno(e, -dir, "could not open '%s'", err_show(&shown, from->dir));
    Import x = { .m = m, .o = o ? o : &plain, .dir = dir, .into = into, .report = out };
    switch (from->layout) {
    case LAYOUT_NOTES:
        return import_notes(&x, e);
    case LAYOUT_CYCLES:
        return import_cycles(&x, dir, S("default"), true, e);
    case LAYOUT_ARTIFACTS:
        return import_artifacts(&x, e);
    case LAYOUT_RUNS:
    case LAYOUT_GRAPH:
        return from->file.n ? import_lines(&x, from->file, from->layout, e)
                            : import_all_lines(&x, from->layout, e);
    case LAYOUT_NONE:
    case LAYOUT_ARCHIVE:
    case LAYOUT_COUNT:
        break;
    }
    return err_set(e, JOT_INVALID, "this layout is not imported so");
}
