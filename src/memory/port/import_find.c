/* import_find.c - recognising a layout: by the names in a directory, by the first line of a file.
 *
 *     a file ──► its first bytes: a database, an archive, a line of JSON with members that one
 *                program writes and no other
 *     a directory ──► the places below it where programs keep their files
 *                       one      ──► that one
 *                       several  ──► refused, with their names
 *                       none     ──► what its own names and first lines speak for, if that is one
 *                                    layout; else refused: --layout says which
 *
 * A directory may be the one a program keeps its files in, or the project that has
 * it somewhere below: then the places programs use are looked at, and one of them
 * must be it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "memory/port/import.h"
#include "memory/port/note_file.h"
#include "store/archive.h"

enum {
    PEEK = 64 * 1024,
    DEPTH_MAX = 4,
    TEXTS_MAX = 200 * 1000, /* entries looked at to see that a directory holds nothing but texts */
    SQLITE_ID_AT = 68,      /* of a database: where a program says whose it is */
};

#define MEMORY_INDEX "MEMORY.md"        /* Claude Code's and Codex's list of their memory files */
#define CLAUDE_PROJECTS "projects"      /* where Claude Code keeps those of each project */
#define SQLITE_BEGINS "SQLite format 3" /* and a NUL */

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
    Str type = json_member(value, "type"), bead = json_member(value, "_type");
    if (str_eq(bead, S("issue")) || str_eq(bead, S("memory")) ||
        (json_member(value, "id").n && json_member(value, "title").n &&
         (json_member(value, "issue_type").n || json_member(value, "status").n)))
        return LAYOUT_BEADS;
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
    if (foreign_read(
            &(ForeignFile){ .io = io, .dir = dir, .path = name.p, .max = PEEK, .beginning = true },
            &arena, &text, NULL) != JOT_OK)
        return LAYOUT_NONE;
    return archive_begins(text) ? LAYOUT_ARCHIVE : layout_of_lines(text);
}

/* A database; *pad: one of ours. */
static bool is_sqlite(const Io *io, int dir, Str name, bool *pad)
{
    AUTO(Arena) arena = { 0 };
    Str text, begins = { SQLITE_BEGINS, sizeof SQLITE_BEGINS };
    if (foreign_read(
            &(ForeignFile){ .io = io, .dir = dir, .path = name.p, .max = PEEK, .beginning = true },
            &arena, &text, NULL) != JOT_OK ||
        !str_starts(text, begins))
        return false;
    *pad = str_starts(str_from(text, SQLITE_ID_AT), S("JOTR"));
    return true;
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

/* What a directory holds, and what is below it, hidden files apart. */
typedef struct Texts {
    size_t texts, others; /* files; a directory that cannot be read is another */
} Texts;

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void count_texts(const Io *io, int dir, int depth, Texts *t)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    if (depth > DEPTH_MAX || foreign_list(io, dir, &arena, &all, NULL) != JOT_OK) {
        t->others++;
        return;
    }
    for (size_t i = 0; i < all.n && t->texts + t->others < TEXTS_MAX; i++) {
        const ForeignEntry *f = &all.items[i];
        if (f->name.p[0] == '.')
            continue;
        AUTO(Fd)
        below = f->directory ? io_open(io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0) : FD_NONE;
        bool text = f->regular && note_file_tail(f->name).n;
        if (below >= 0)
            count_texts(io, below, depth + 1, t);
        else
            ++*(text ? &t->texts : &t->others);
    }
}

/* Texts and what goes with them, images mostly.  What is mostly something else, a project with a
 * README, is not taken for notes unless somebody says so. */
static bool mostly_texts(const Io *io, int dir)
{
    Texts t = { 0 };
    count_texts(io, dir, 0, &t);
    return t.texts > t.others;
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
    Texts t = { 0 };
    if (!signs && foreign_has(&all, S(MEMORY_INDEX)))
        signs |= 1u << LAYOUT_MEMORIES;
    if (!signs)
        count_texts(io, dir, 0, &t);
    if (t.texts && !t.others)
        signs |= 1u << LAYOUT_NOTES;
    return signs & ~(1u << LAYOUT_NONE | 1u << LAYOUT_ARCHIVE);
}

static jot_status not_one(const char *path, unsigned signs, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, str(path));
    if (!signs)
        return err_set(e, JOT_INVALID,
                       "'%s' is not recognised: name what it is with --layout: " LAYOUT_NAMES,
                       name);
    char list[96] = "";
    for (Layout l = LAYOUT_NOTES; l < LAYOUT_ARCHIVE; l++)
        if (signs >> l & 1)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "",
                     layout_name(l));
    return err_set(e, JOT_INVALID, "'%s' could be any of these: %s; choose one with --layout", name,
                   list);
}

static bool exactly_one(unsigned signs)
{
    return signs && !(signs & (signs - 1));
}

/* A project keeps its memory in one of these, and seldom in two. */
static const char *const below[] = { ".dexter/scratchpad", ".scratchpad", ".scratchbook",
                                     "scratchpad", ".beads" };
/* So do Claude Code, for each project it knows, and Codex; other programs have directories of these
 * names too, but not with an index of them. */
static const char *const memories[] = { "memory", "memories" };

static unsigned signs_below(const Io *io, int root, const char *path)
{
    AUTO(Fd) dir = io_open(io, root, path, O_RDONLY | O_DIRECTORY, 0);
    unsigned signs = dir < 0 ? 0 : signs_of(io, dir);
    return signs || dir < 0 || !has_json(io, dir, 0) ? signs : 1u << LAYOUT_ARTIFACTS;
}

typedef struct Search {
    const Io *io;
    const char *path; /* what was named */
    int root;         /* the same, open */
    Layout as;
    Arena *into;
    unsigned signs; /* of what was found */
} Search;

/* The places below a project that were found so far. */
typedef struct FoundBelow {
    ImportFrom *out;
    Buf names;
    size_t n;
} FoundBelow;

static void take_place(Search *x, FoundBelow *p, const char *path, unsigned signs)
{
    if (x->as ? !(signs >> x->as & 1) : !signs)
        return;
    x->signs = signs;
    p->out->dir = arena_printf(x->into, "%s/%s", x->path, path);
    p->out->project = arena_copy(x->into, str(x->path));
    buf_addf(&p->names, "%s%s", p->n++ ? ", " : "", path);
}

/* A directory of memory files, which has an index. */
static void take_memories(Search *x, FoundBelow *p, const char *path)
{
    struct stat info;
    AUTO(Fd) dir = io_open(x->io, x->root, path, O_RDONLY | O_DIRECTORY, 0);
    if (dir >= 0 && io_stat(x->io, dir, MEMORY_INDEX, &info) == 0 && S_ISREG(info.st_mode))
        take_place(x, p, path, 1u << LAYOUT_MEMORIES);
}

/* PROJECTS/PROJECT/memory, where Claude Code keeps those of each project. */
static void take_projects(Search *x, FoundBelow *p)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    AUTO(Fd) dir = io_open(x->io, x->root, CLAUDE_PROJECTS, O_RDONLY | O_DIRECTORY, 0);
    if (dir < 0 || foreign_list(x->io, dir, &arena, &all, NULL) != JOT_OK)
        return;
    for (size_t i = 0; i < all.n; i++)
        if (all.items[i].directory)
            take_memories(x, p,
                          arena_printf(&arena, CLAUDE_PROJECTS "/" STR_FMT "/memory",
                                       STR_ARG(all.items[i].name))
                              .p);
}

/* The one place below a project, if there is one. */
static jot_status find_below(Search *x, ImportFrom *out, Err *e)
{
    Shown shown;
    FoundBelow p = { .out = out };
    for (size_t i = 0; i < COUNT_OF(below); i++)
        take_place(x, &p, below[i], signs_below(x->io, x->root, below[i]));
    for (size_t i = 0; i < COUNT_OF(memories); i++)
        take_memories(x, &p, memories[i]);
    take_projects(x, &p);
    AUTO(Buf) names = p.names;
    if (p.n < 2)
        return JOT_OK;
    return err_set(e, JOT_INVALID, "'%s' has several: " STR_FMT "; name one of these directories",
                   err_show(&shown, str(x->path)), STR_ARG(buf_str(&names)));
}

static jot_status find_in_directory(Search *x, ImportFrom *out, Err *e)
{
    struct stat info;
    Shown shown;
    if (io_stat(x->io, x->root, "format", &info) == 0 &&
        io_stat(x->io, x->root, "notes", &info) == 0)
        return err_set(e, JOT_INVALID, "'%s' is a pad of Jotter: use 'jotter --pad %s copy URL'",
                       err_show(&shown, str(x->path)), err_show(&shown, str(x->path)));
    TRY(find_below(x, out, e));
    if (!out->dir.n) {
        out->dir = arena_copy(x->into, str(x->path));
        x->signs = signs_of(x->io, x->root);
        if (!x->signs && has_json(x->io, x->root, 0))
            x->signs = 1u << LAYOUT_ARTIFACTS;
        if (!x->signs && mostly_texts(x->io, x->root))
            x->signs = 1u << LAYOUT_NOTES;
    }
    if (!x->as && !exactly_one(x->signs))
        return not_one(x->path, x->signs, e);
    out->layout = x->as;
    for (Layout l = LAYOUT_NOTES; !x->as && l < LAYOUT_ARCHIVE; l++)
        if (x->signs >> l & 1)
            out->layout = l;
    return JOT_OK;
}

static jot_status find_file(const Io *io, const char *path, Layout as, ImportFrom *out, Err *e)
{
    Shown shown;
    bool pad = false;
    AUTO(Fd) dir = io_open_root(io, out->dir.p);
    out->sqlite = dir >= 0 && is_sqlite(io, dir, out->file, &pad);
    if (pad)
        return err_set(e, JOT_INVALID,
                       "'%s' is a pad of Jotter: use 'jotter --pad sqlite:%s copy URL'",
                       err_show(&shown, str(path)), err_show(&shown, str(path)));
    Layout seen = dir < 0       ? LAYOUT_NONE
                  : out->sqlite ? import_sqlite_layout(path)
                                : import_layout_of(io, dir, out->file);
    if (seen == LAYOUT_NONE && dir >= 0 && !out->sqlite && note_file_tail(out->file).n)
        seen = LAYOUT_NOTES; /* one note */
    if (seen == LAYOUT_NONE && out->sqlite)
        seen = LAYOUT_NOTES; /* which says what is missing */
    out->layout = as && seen != LAYOUT_ARCHIVE ? as : seen;
    if (out->layout == LAYOUT_NONE)
        return not_one(path, 0, e);
    bool database = as == LAYOUT_MEM0 || as == LAYOUT_LANGGRAPH;
    if (database && !out->sqlite)
        return err_set(e, JOT_INVALID, "%s is imported from a file of SQLite", layout_name(as));
    bool whole = as == LAYOUT_MEMORIES || as == LAYOUT_ARTIFACTS || as == LAYOUT_CYCLES ||
                 (as == LAYOUT_NOTES && seen != LAYOUT_NOTES);
    if (whole)
        return err_set(e, JOT_INVALID, "%s are imported from a directory", layout_name(as));
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
        Search search = { .io = io, .path = path, .root = root, .as = as, .into = into };
        return find_in_directory(&search, out, e);
    }
    out->dir = arena_copy(into, str_dir_name(str(path)));
    out->file = arena_copy(into, str_base_name(str(path)));
    return find_file(io, path, as, out, e);
}
