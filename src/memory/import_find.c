/* import_find.c - recognising a layout: by the names in a directory, and by the first line of a
 * file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "memory/foreign.h"
#include "memory/import.h"
#include "store/archive.h"

enum { PEEK = 64 * 1024, DEPTH_MAX = 4 };

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

Layout import_layout_of(const Io *io, int dir, Str name)
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

bool import_is_snapshot(Str name)
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
        if (str_eq(f->name, S(IMPORT_STATE)) || import_is_snapshot(f->name))
            signs |= 1u << LAYOUT_CYCLES;
        if (str_ends(f->name, S(".txt")))
            signs |= 1u << LAYOUT_NOTES;
        if (str_ends(f->name, S(".jsonl")))
            signs |= 1u << import_layout_of(io, dir, f->name);
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
    Layout seen = dir < 0 ? LAYOUT_NONE : import_layout_of(io, dir, out->file);
    out->layout = as && seen != LAYOUT_ARCHIVE ? as : seen;
    if (out->layout == LAYOUT_NONE)
        return not_one(path, 0, e);
    if (as == LAYOUT_NOTES || as == LAYOUT_ARTIFACTS || as == LAYOUT_CYCLES)
        return err_set(e, JOT_INVALID, "%s are imported from a directory", layout_name(as));
    return JOT_OK;
}
