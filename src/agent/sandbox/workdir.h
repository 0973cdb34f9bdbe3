/* workdir.h - Workdir, the working directory: which files an agent may open, and which never.
 *
 * This is the one place where a path that a model wrote becomes a descriptor.
 * Names are resolved by the kernel beneath the open directory, so neither "..", nor
 * a symbolic link, nor a rename at the right moment leads out of it.  Reading may
 * follow links that stay inside; writing follows none.
 *
 * The pad is kept out of writing wherever it lies, also inside the directory: it is
 * known by device and inode, not by the way its name is written.  So are the files
 * that others run or obey later (base/obeyed.h), unless the user allows their names.  The
 * user's own directories (base/home.h), where approvals and a secret lie, are kept out
 * of reading and writing alike; one that would lie in the working directory is made, so
 * that nobody else makes it. */
#ifndef AGENT_SANDBOX_WORKDIR_H
#define AGENT_SANDBOX_WORKDIR_H

#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/obeyed.h"

enum {
    WORKDIR_PATH_MAX = 4096, /* bytes of a path */
    WORKDIR_DEPTH_MAX = 256, /* directories of a path */
};

enum { WORKDIR_OWN = 2 /* the user's state and configuration */ };

typedef struct WorkdirOwn {
    Str path;   /* without links; empty: it is not there, and would not lie in the working directory
                 */
    bool below; /* it lies in the working directory */
    dev_t dev;
    ino_t ino;
} WorkdirOwn;

typedef struct Workdir {
    const Io *io;
    Fd dir;
    Str path;          /* of the directory: absolute, without links; followed by a NUL */
    bool reads_beyond; /* files elsewhere may be read */
    /* Rows of the table of files that others run or obey (obeyed.h): those that may be written. */
    bool plants_allowed[OBEYED_MAX];
    size_t plants_looked_at_max; /* 0: PLANT_LOOKED_AT_MAX; less, for a test */
    /* The pad; its path is empty if it is in no file.  A pad that is a file stands for all files in
     * its directory whose names begin with its own, which are its journals. */
    Str pad;
    bool pad_is_file;
    dev_t pad_dev; /* of the directory: the pad's, or the one its file is in */
    ino_t pad_ino;
    WorkdirOwn own[WORKDIR_OWN];
    Arena arena;
} Workdir;

/* What the files beside a pad that is a file add to its name; ends with NULL. */
enum { WORKDIR_BESIDE = 9 };
extern const char *const workdir_beside[WORKDIR_BESIDE + 1];

/* `out` is {0}.  `dir` empty: the process's.  JOT_NOT_FOUND: the directory or the pad is not there.
 * JOT_INVALID: the directory lies in the pad or in one of the user's own, or one of those in the
 * pad. */
MUST_USE jot_status workdir_open(Workdir *out, const Io *io, Str dir, Str pad_url, Err *e);
void workdir_close(Workdir *p); /* {0} is fine */
DEFINE_AUTO(Workdir, workdir_close)

/* A regular file, to be read.  JOT_NOT_FOUND, JOT_DENIED (outside, or of /proc wherever that is, or
 * with another name besides this one, which may be outside), JOT_INVALID (not a file). */
MUST_USE jot_status workdir_open_file(const Workdir *p, Str path, Fd *out, struct stat *info,
                                      Err *e);

/* Open what is named from a directory, by links that all stay beneath it; -errno, -EXDEV if one
 * does not.  WORKDIR_READS is for a file that is to be read. */
#define WORKDIR_READS (O_RDONLY | O_NONBLOCK | O_NOCTTY)
int workdir_open_beneath(int dir, const char *name, uint64_t flags);
/* The directory that a path names, or that the file it names is in: from the working directory,
 * without links, empty for that itself.  JOT_NOT_FOUND: it is not there.  JOT_DENIED: outside, in
 * the pad, or the user's own.  Lives in `into`. */
MUST_USE jot_status workdir_dir_of(const Workdir *p, Str path, Arena *into, Str *out, Err *e);
/* A directory, to be looked at; below 0: it cannot be opened, or lies outside. */
Fd workdir_open_dir(const Workdir *p, Str path);

/* Replace a file as one step, or make it and the directories above it.  *made: it was not there
 * before.  JOT_DENIED: outside, in the pad, or a plant.  JOT_INVALID: something else than a file is
 * there.
 */
MUST_USE jot_status workdir_write(const Workdir *p, Str path, Str content, bool *made, Err *e);

/* True if the pad is in or below the working directory. */
bool workdir_holds_pad(const Workdir *p);

#endif
