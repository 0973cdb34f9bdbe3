/* import_note.c - notes that were kept as files: KEY.txt, KEY.md, and such files in directories.
 *
 * What is called as no key can be gets a key made of its name, and the report says which
 * (note_file.h). */
#include <fcntl.h>
#include <string.h>

#include "base/utf8.h"
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
    NoteFile note = note_file_of(path, false, taken, &arena);
    ImportDoc d = { .name = path,
                    .stream = arena_printf(&arena, "notes/" STR_FMT, STR_ARG(note.key)),
                    .text = text,
                    .meta = note.meta,
                    .at_ms = f->at_ms };
    if (note.mapped)
        layout_rename(x->report, x->into, path, d.stream);
    return import_document(x, &d, e);
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
        } else if (f->regular && !hidden && note_file_tail(f->name).n) {
            TRY(import_note(x, dir, path, f, has_plain(&all, f->name), e));
        } else {
            import_stray(x, f, path, "it is neither KEY.txt nor KEY.md");
        }
    }
    return JOT_OK;
}

jot_status import_notes(Import *x, Err *e)
{
    return walk(x, x->dir, S(""), 1, e);
}
