/* import_note.c - notes that were kept as files, KEY.txt. */
#include <string.h>

#include "memory/foreign.h"
#include "memory/import.h"

static jot_status import_note(Import *x, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    if (!f->regular || !str_ends(f->name, S(".txt"))) {
        layout_skip(x->report, x->into, f->name, "%s",
                    f->regular ? "it is not KEY.txt" : NOT_A_FILE);
        return JOT_OK;
    }
    if (!import_read(x, x->dir, f->name, f->name, &arena, &text))
        return JOT_OK;
    Str key = str_slice(f->name, 0, f->name.n - strlen(".txt"));
    return import_document(x, f->name, arena_printf(&arena, "notes/" STR_FMT, STR_ARG(key)), text,
                           (Str){ 0 }, e);
}

jot_status import_notes(Import *x, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, x->dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++)
        TRY(import_note(x, &all.items[i], e));
    return JOT_OK;
}
