/* import_note.c - notes that were kept as files: KEY.txt, KEY.md, and such files in directories,
 * which are the folders of their keys.
 *
 * What is called as no key can be gets a key made of its name, and the report says which
 * (note_file.h).
 *
 * Memory files, those of Claude Code and of Codex, keep their names, below one that says whose they
 * are: ~/.claude/projects/PROJECT/memory is memories/claude/PROJECT, ~/.codex/memories is
 * memories/codex.  So those of several projects can lie in one pad. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/yaml.h"
#include "base/yaml_json.h"
#include "memory/port/import.h"
#include "memory/port/note_file.h"

enum { DEPTH_MAX = 8 };

/* True if KEY.txt lies beside KEY.md: then that one has the key. */
static bool has_plain(const ForeignDir *all, Str name)
{
    AUTO(Arena) arena = { 0 };
    Str tail = note_file_tail(name), stem = str_slice(name, 0, name.n - tail.n);
    return !str_eq(tail, S(".txt")) &&
           foreign_has(all, arena_printf(&arena, STR_FMT ".txt", STR_ARG(stem)));
}

/* True if a directory is called as its key would be: a note is a name or a folder, never both. */
static bool has_folder(const ForeignDir *all, Str name)
{
    Str stem = str_slice(name, 0, name.n - note_file_tail(name).n);
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].directory && str_eq(all->items[i].name, stem))
            return true;
    return false;
}

/* --- Front matter ----------------------------------------------------------------------- */

/* The YAML between a first line --- and the next one; false if there is none. */
static bool front_of(Str text, Str *out)
{
    Str line, rest = text;
    if (!str_cut(&rest, '\n', &line) || !str_eq(str_trim(line), S("---")) || line.p[0] != '-')
        return false;
    *out = (Str){ rest.p, 0 };
    while (str_cut(&rest, '\n', &line)) {
        if (str_eq(str_trim(line), S("---")) && line.p[0] == '-')
            return true;
        out->n = (size_t)(rest.p - out->p);
    }
    return str_eq(str_trim(rest), S("---"));
}

/* The meta with the front matter as its member "front".  The text keeps it, too: people see it
 * there, and an export gives the file back as it was. */
static Str add_front(Import *x, Str path, Str text, Str meta, Arena *into)
{
    Str front;
    Yaml *tree;
    Err why = { 0 };
    AUTO(Buf) to = { 0 };
    json_t *object = NULL;
    if (!str_eq(note_file_tail(path), S(".md")) || !front_of(text, &front))
        return meta;
    jot_status st = yaml_read(front, into, &tree, &why);
    if (st == JOT_OK && tree->kind != YAML_MAP)
        st = err_set(&why, JOT_INVALID, "it holds no names with values");
    if (st == JOT_OK && meta.n)
        st = json_read(meta, &object, &why);
    AUTO_PTR(json_t) all = object ? object : json_object();
    if (st == JOT_OK) {
        json_object_set_new(all, "front", yaml_to_json(tree));
        json_write(&to, all);
        if (to.n > STORE_META_MAX)
            st = err_set(&why, JOT_TOO_BIG, "with it the meta has %zu bytes: the limit is %d", to.n,
                         STORE_META_MAX);
    }
    if (st == JOT_OK)
        return arena_copy(into, buf_str(&to));
    layout_skip(x->report, x->into, path, "only its front matter, which stays in the text: %s",
                why.text);
    return meta;
}

static jot_status import_note(Import *x, int dir, Str path, const ForeignEntry *f, bool taken,
                              Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    if (!utf8_valid(path)) {
        layout_miss(x->report, x->into, JOT_INVALID, path, "its name is not UTF-8");
        return JOT_OK;
    }
    if (!import_read(x, dir, f->name, path, &arena, &text))
        return JOT_OK;
    if (x->memories.n) {
        Str stream = arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(x->memories), STR_ARG(path));
        return import_document(
            x, &(ImportDoc){ .name = path, .stream = stream, .text = text, .at_ms = f->at_ms }, e);
    }
    NoteFile note = note_file_of(path, false, taken, &arena);
    ImportDoc d = { .name = path,
                    .stream = arena_printf(&arena, "notes/" STR_FMT, STR_ARG(note.key)),
                    .text = text,
                    .meta = add_front(x, path, text, note.meta, &arena),
                    .at_ms = f->at_ms };
    if (note.mapped)
        layout_rename(x->report, x->into, path, d.stream);
    TRY(import_document(x, &d, e));
    return import_relations(x, path, text, e);
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static jot_status walk(Import *x, int dir, Str above, int depth, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        bool hidden = f->name.p[0] == '.';
        Str path = arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(above), STR_ARG(f->name));
        if (f->directory && !hidden && depth < DEPTH_MAX) {
            AUTO(Fd) deeper = io_open(x->m->io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0);
            if (deeper < 0)
                layout_miss(x->report, x->into, JOT_IO, path, "it cannot be opened");
            else
                TRY(walk(x, deeper, arena_printf(&arena, STR_FMT "/", STR_ARG(path)), depth + 1,
                         e));
        } else if (f->directory && !hidden) {
            layout_miss(x->report, x->into, JOT_INVALID, path, "it lies too deep");
        } else if (f->regular && !hidden && (x->memories.n || note_file_tail(f->name).n)) {
            TRY(import_note(x, dir, path, f, has_plain(&all, f->name) || has_folder(&all, f->name),
                            e));
        } else {
            import_stray(x, f, path, "it is neither KEY.txt nor KEY.md");
        }
    }
    return JOT_OK;
}

/* How many there are, for somebody who waits; a directory that cannot be read counts nothing. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static uint64_t count_notes(const Io *io, int dir, int depth)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    uint64_t n = 0;
    if (foreign_list(io, dir, &arena, &all, NULL) != JOT_OK)
        return 0;
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        bool enters = f->directory && f->name.p[0] != '.' && depth < DEPTH_MAX;
        AUTO(Fd) deeper = enters ? io_open(io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0) : FD_NONE;
        n += deeper >= 0 ? count_notes(io, deeper, depth + 1) : !f->directory;
    }
    return n;
}

jot_status import_note_file(Import *x, Str name, Err *e)
{
    struct stat info;
    ForeignEntry f = { .name = name, .regular = true };
    if (io_stat(x->m->io, x->dir, name.p, &info) == 0)
        f.at_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    return import_note(x, x->dir, name, &f, false, e);
}

jot_status import_notes(Import *x, Err *e)
{
    if (x->o->go_on)
        x->total = count_notes(x->m->io, x->dir, 1);
    return walk(x, x->dir, S(""), 1, e);
}

/* Whose memory files these are, as the end of a name and a slash. */
static Str owner_of(const char *path, Arena *into)
{
    char *real = realpath(path, NULL);
    Str rest = arena_copy(into, str(real ? real : path));
    free(real);
    size_t slash = str_find_last(rest, '/');
    if (slash == rest.n)
        return S("");
    Str above = str_slice(rest, 0, slash);
    slash = str_find_last(above, '/');
    Str owner = slash < above.n ? str_from(above, slash + 1) : above;
    if (str_eq(owner, S(".codex")))
        return S("codex/");
    return owner.n ? arena_printf(into, "claude/" STR_FMT "/", STR_ARG(owner)) : S("");
}

jot_status import_memories(Import *x, const char *path, Err *e)
{
    Str owner = owner_of(path, x->into);
    x->memories = arena_printf(x->into, "memories/" STR_FMT, STR_ARG(owner));
    return import_notes(x, e);
}
