/* import.h - bringing the files of another program into the pad.
 *
 * A directory is recognised by what is in it (import_find).  Importing twice adds
 * nothing: a text that its stream has is not written again, and a log that begins
 * with what is there goes on behind it.  So an import that was interrupted is
 * started again.  Nothing that is in the pad is replaced, and nothing that was
 * deleted there comes back, unless that is asked for, and even then the older
 * version stays in the history.  What could not be imported is told and counted:
 * out->missed of import_run. */
#ifndef MEMORY_IMPORT_H
#define MEMORY_IMPORT_H

#include "memory/layout.h"
#include "memory/memory.h"

enum { IMPORT_FILE_MAX = 64 * 1024 * 1024 }; /* of logs; documents have STORE_BODY_MAX */

typedef struct ImportFrom {
    Layout layout;
    Str dir;  /* the directory the files are in */
    Str file; /* the one file that was named, within it; empty: all */
} ImportFrom;

/* What is at `path`, and where; `as` other than LAYOUT_NONE says what it is taken for.  Nothing is
 * changed.  JOT_INVALID: it is nothing known, or could be several things.  In `into`. */
MUST_USE jot_status import_find(const Io *io, const char *path, Layout as, Arena *into,
                                ImportFrom *out, Err *e);

typedef struct ImportOptions {
    bool replace; /* write also what exists with another text, or was deleted */
} ImportOptions;

/* Everything but LAYOUT_ARCHIVE.  The report is good also if it fails. */
MUST_USE jot_status import_run(Memory *m, const ImportFrom *from, const ImportOptions *o,
                               Arena *into, LayoutReport *out, Err *e);

/* --- For the layouts ------------------------------------------------------------------- */

typedef struct Import {
    Memory *m;
    const ImportOptions *o;
    int dir; /* the root */
    Arena *into;
    LayoutReport *report;
} Import;

/* The text of a document; false if it is skipped.  `name` is the file, for the report. */
MUST_USE bool import_read(Import *x, int dir, Str path, Str name, Arena *into, Str *text);
/* Make `text` the value of a stream, if nothing else is there.  `name` is the file, for the
 * report. */
MUST_USE jot_status import_document(Import *x, Str name, Str stream, Str text, Str meta, Err *e);
/* Let a log begin with these records (op, meta, body). */
MUST_USE jot_status import_records(Import *x, Str name, Str stream, const Draft *drafts, size_t n,
                                   Err *e);

/* One file each. */
MUST_USE jot_status import_run_file(Import *x, Str name, Str text, Err *e);
MUST_USE jot_status import_graph_file(Import *x, Str name, Str text, Err *e);
/* The whole root. */
MUST_USE jot_status import_notes(Import *x, Err *e);
MUST_USE jot_status import_cycles(Import *x, Err *e);
MUST_USE jot_status import_artifacts(Import *x, Err *e);

/* The name of a state among other files. */
#define IMPORT_STATE "active.yaml"
bool import_is_snapshot(Str name);
/* What a file is by its first line. */
Layout import_layout_of(const Io *io, int dir, Str name);

#endif
