/* export.h - writing what the pad holds as the files of another program.
 *
 * Only heads and logs are written: a layout has no place for history (an archive
 * has).  What a layout has no place for is left out, and the report says so; what
 * could not be read or written is told and counted: out->missed of export_layout. */
#ifndef MEMORY_EXPORT_H
#define MEMORY_EXPORT_H

#include "memory/layout.h"
#include "memory/memory.h"

/* `path` is a directory that is empty or not there yet; JOT_CONFLICT otherwise. */
MUST_USE jot_status export_layout(Memory *m, Layout layout, const char *path, Arena *into,
                                  LayoutReport *out, Err *e);

/* --- For the layouts ------------------------------------------------------------------- */

typedef struct Export {
    Memory *m;
    int dir;
    Arena *into;
    LayoutReport *report;
    Err *e;
} Export;

/* A file that is there already is told, and stays. */
MUST_USE jot_status export_file(Export *x, Str stream, Str path, Str text);
MUST_USE jot_status export_run(Export *x, Str stream, Str id);

#endif
