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
    /* Called after every file that was looked at, of `total` (0: not known); may be NULL.  False
     * ends it with JOT_CANCELLED: what was looked at until then is written, and stays. */
    bool (*go_on)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
} ImportOptions;

/* Everything but LAYOUT_ARCHIVE.  The report is good also if it fails. */
MUST_USE jot_status import_run(Memory *m, const ImportFrom *from, const ImportOptions *o,
                               Arena *into, LayoutReport *out, Err *e);

/* --- For the layouts ------------------------------------------------------------------- */

typedef struct ImportQueue ImportQueue;
typedef struct Import {
    Memory *m;
    const ImportOptions *o;
    int dir;     /* the root */
    int project; /* the directory above it that was named; FD_NONE: none */
    Arena *into;
    ImportQueue *queue; /* documents that are written together */
    LayoutReport *report;
    uint64_t total; /* files there are; 0: not known */
    Str memories;   /* memories/... of a directory of memory files; empty: they are notes */
} Import;

typedef struct ImportDoc {
    Str name; /* of the file, for the report */
    Str stream, text, meta;
    int64_t at_ms; /* when it was written; 0: now */
} ImportDoc;

/* The text of a document; false if it is skipped.  `name` is the file, for the report. */
MUST_USE bool import_read(Import *x, int dir, Str path, Str name, Arena *into, Str *text);
/* Make a text the value of a stream, if nothing else is there.  It is written with others, at
 * import_flush at the latest. */
MUST_USE jot_status import_document(Import *x, const ImportDoc *d, Err *e);
/* Ask whether to continue: JOT_CANCELLED if not. */
MUST_USE jot_status import_go_on(Import *x, Err *e);
/* Write the documents that wait, durably. */
MUST_USE jot_status import_flush(Import *x, Err *e);
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
MUST_USE jot_status import_beads_file(Import *x, Str name, Str text, Err *e);
/* What a note of basic-memory says of itself, as a part of the graph; of any other, nothing. */
MUST_USE jot_status import_relations(Import *x, Str path, Str text, Err *e);
/* The one note that a text file is. */
MUST_USE jot_status import_note_file(Import *x, Str name, Err *e);

/* A database; `layout` says whose.  Which it is, by its tables: LAYOUT_NONE for any other. */
MUST_USE jot_status import_sqlite(Import *x, const char *path, Layout layout, Err *e);
Layout import_sqlite_layout(const char *path);
/* Its parts: an open database of theirs. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
MUST_USE jot_status import_sqlite_mem0(Import *x, sqlite3 *db, Err *e);
MUST_USE jot_status import_sqlite_langgraph(Import *x, sqlite3 *db, Err *e);
/* Call `each` for every row of a query. */
typedef jot_status ImportRow(Import *x, sqlite3_stmt *row, void *ctx, Err *e);
MUST_USE jot_status import_sqlite_rows(Import *x, sqlite3 *db, const char *sql, ImportRow *each,
                                       void *ctx, Err *e);
/* True if the statement gives a row whose first column is not 0. */
bool import_sqlite_holds(sqlite3 *db, const char *sql);
/* The bytes of a column; empty for NULL. */
Str import_sqlite_column(sqlite3_stmt *q, int i);
/* The time of one; 0: there is none. */
int64_t import_sqlite_time(sqlite3_stmt *q, int i);
/* The whole root. */
MUST_USE jot_status import_notes(Import *x, Err *e);
/* `path` says whose they are. */
MUST_USE jot_status import_memories(Import *x, const char *path, Err *e);
MUST_USE jot_status import_cycles(Import *x, Err *e);
MUST_USE jot_status import_artifacts(Import *x, Err *e);

/* The tasks of a root of artifacts.  *taken has the ids, in byte order: their files are not for
 * anybody else. */
typedef struct ImportTasks {
    Str *ids;
    size_t n;
} ImportTasks;
MUST_USE jot_status import_tasks(Import *x, Arena *into, ImportTasks *taken, Err *e);
/* A task that another program knows, as a snapshot would have it; `at_ms` is when it was so. */
typedef struct ImportTask {
    Str id, path;
    const json_t *value;
    int64_t at_ms;
} ImportTask;
MUST_USE jot_status import_task_value(Import *x, const ImportTask *t, Err *e);
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
