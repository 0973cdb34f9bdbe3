/* import.h - bringing the files of another program into the pad.
 *
 * A directory is recognised by what is in it (import_find).  Importing twice adds
 * nothing: a text that its stream has is not written again, and a log that begins
 * with what is there continues after it.  So an import that was interrupted is
 * started again.  Nothing that is in the pad is replaced, and nothing that was
 * deleted there comes back, unless that is asked for, and even then the older
 * version stays in the history.  What could not be imported is reported and counted:
 * out->missed of import_run. */
#ifndef MEMORY_PORT_IMPORT_H
#define MEMORY_PORT_IMPORT_H

#include "memory/memory.h"
#include "memory/port/foreign.h"
#include "memory/port/layout.h"

enum { IMPORT_FILE_MAX = 64 * 1024 * 1024 }; /* of logs; documents have STORE_BODY_MAX */

typedef struct ImportFrom {
    Layout layout;
    Str dir;     /* the directory the files are in */
    Str file;    /* the one file that was named, within it; empty: all */
    Str project; /* the directory that was named, if `dir` is one that programs keep below it */
    bool sqlite; /* the file is a database */
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
    int dir;     /* the root */
    int project; /* the directory above it that was named; FD_NONE: none */
    Arena *into;
    LayoutReport *report;
} Import;

typedef struct ImportDoc {
    Str name; /* of the file, for the report */
    Str stream, text, meta;
    int64_t at_ms; /* when it was written; 0: now */
} ImportDoc;

/* The text of a document; false if it is skipped.  `name` is the file, for the report. */
MUST_USE bool import_read(Import *x, int dir, Str path, Str name, Arena *into, Str *text);
/* Make a text the value of a stream, if nothing else is there. */
MUST_USE jot_status import_document(Import *x, const ImportDoc *d, Err *e);
/* Let a log begin with these records (op, meta, body, at_ms). */
MUST_USE jot_status import_records(Import *x, Str name, Str stream, const Draft *drafts, size_t n,
                                   Err *e);
/* The same with the lines of a text. */
MUST_USE jot_status import_log(Import *x, Str name, Str stream, Str text, int64_t at_ms, Err *e);
/* {"open":true}, the meta of a last line that no line break ends. */
#define IMPORT_OPEN "{\"open\":true}"
/* An entry that no layout speaks of. */
void import_stray(Import *x, const ForeignEntry *f, Str name, const char *why);

/* One file each. */
MUST_USE jot_status import_run_file(Import *x, Str name, Str text, Err *e);
MUST_USE jot_status import_graph_file(Import *x, Str name, Str text, Err *e);
MUST_USE jot_status import_sqlite(Import *x, const char *path, Err *e);
/* The whole root. */
MUST_USE jot_status import_notes(Import *x, Err *e);
MUST_USE jot_status import_cycles(Import *x, Err *e);
MUST_USE jot_status import_artifacts(Import *x, Err *e);

/* The tasks of a root of artifacts.  *taken has the ids, in byte order: their files are not for
 * anybody else. */
typedef struct ImportTasks {
    Str *ids;
    size_t n;
} ImportTasks;
MUST_USE jot_status import_tasks(Import *x, Arena *into, ImportTasks *taken, Err *e);
/* True if the file is one of a task that was taken. */
bool import_is_task(const ImportTasks *taken, Str category, Str name);

/* The name of a state among other files. */
#define IMPORT_STATE "active.yaml"
bool import_is_snapshot(Str name);
/* A list of entries that somebody keeps beside artifacts, by its name and what is in it. */
bool import_is_index(Str name, const json_t *value);
/* What a file is by its first line. */
Layout import_layout_of(const Io *io, int dir, Str name);

#endif
