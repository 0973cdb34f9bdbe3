/* foreign.h - directories of other programs: read with limits, written one whole file at a time.
 *
 * Nothing is followed out of them: no symlink anywhere, regular files only. */
#ifndef MEMORY_PORT_FOREIGN_H
#define MEMORY_PORT_FOREIGN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"

enum { FOREIGN_ENTRIES_MAX = 100 * 1000, FOREIGN_PATH_MAX = 1024 };

typedef struct ForeignEntry {
    Str name; /* followed by NUL */
    bool directory, regular;
    int64_t at_ms; /* when it was last written */
} ForeignEntry;

/* Why an entry that is not regular is skipped. */
#define NOT_A_FILE "it is not a regular file"

typedef struct ForeignDir {
    ForeignEntry *items; /* by name, in byte order */
    size_t n;
} ForeignDir;

/* What is in an open directory.  JOT_TOO_BIG beyond FOREIGN_ENTRIES_MAX. */
MUST_USE jot_status foreign_list(const Io *io, int dir, Arena *into, ForeignDir *out, Err *e);

/* True if there is something of this name. */
bool foreign_has(const ForeignDir *d, Str name);

/* A regular file below `dir`: whole, or up to `max` bytes of its beginning. */
typedef struct ForeignFile {
    const Io *io;
    int dir;
    const char *path;
    size_t max;
    bool beginning;
} ForeignFile;
/* JOT_TOO_BIG if the whole is beyond `max`, JOT_DENIED for anything that is no file. */
MUST_USE jot_status foreign_read(const ForeignFile *f, Arena *into, Str *out, Err *e);

/* Make an empty directory, or take one that is there and empty.  The caller owns *out. */
MUST_USE jot_status foreign_make_dir(const Io *io, const char *path, Fd *out, Err *e);
/* Give `dir` a file that it does not have, at once and whole, with the directories above it, and
 * with this time of its own (0: now).  JOT_CONFLICT: something is in its place, or in that of a
 * directory above it. */
MUST_USE jot_status foreign_write(const Io *io, int dir, Str path, Str text, int64_t at_ms, Err *e);
/* True if foreign_write can make this path and stays below `dir`: UTF-8 without control characters,
 * no segment of which is empty, too long for a file name or begins with '.'. */
bool foreign_path_ok(Str path);

#endif
