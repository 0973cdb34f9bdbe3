/* export.h - writing what the pad holds as the files of another program.
 *
 * Only heads and logs are written: a layout has no place for history (an archive
 * has).  What a layout has no place for is left out, and the report says so; what
 * could not be read or written is reported and counted: out->missed of export_layout. */
#ifndef MEMORY_PORT_EXPORT_H
#define MEMORY_PORT_EXPORT_H

#include "memory/memory.h"
#include "memory/port/import.h"
#include "memory/port/layout.h"

/* `path` is a directory that is empty or not there yet; JOT_CONFLICT otherwise.  Notes may also go
 * to a new file that ends in .db, .sqlite or .sqlite3: a table of SQLite. */
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

typedef struct ExportFile {
    Str stream; /* for the report */
    Str path, text;
    int64_t at_ms; /* of the file; 0: now */
} ExportFile;

/* A file that is there already is reported, and stays. */
MUST_USE jot_status export_file(Export *x, const ExportFile *f);
/* The value of a stream; one that cannot be read is reported. */
MUST_USE jot_status export_value(Export *x, Str stream, Str path);
/* The lines of a log, as they came. */
MUST_USE jot_status export_lines(Export *x, Str stream, Str path);

MUST_USE jot_status export_run(Export *x, Str stream, Str id);
MUST_USE jot_status export_artifacts(Export *x);
MUST_USE jot_status export_tasks(Export *x);
MUST_USE jot_status export_cycles(Export *x);
MUST_USE jot_status export_sqlite(Export *x, const char *path);
/* By its name. */
bool export_is_sqlite(Str path);

#endif
