/* plant.h - Plant, files that somebody else runs or obeys later, outside of any jail.
 *
 * A command that is confined today can leave a hook for git, a task for an editor
 * or a rule for an agent in the working directory, and the user runs it tomorrow
 * with all rights.  So the names of base/obeyed.h are kept: read-only where the mechanism can say
 * so, and compared when the command has ended.  What appeared is moved to jotter-aside/, what
 * changed or was removed is restored, and both are reported.  `write_file`
 * obeys the same table.  The user allows a name with `--allow plant:NAME`.
 *
 * What a build reads (Makefile, package.json, the program's own sources) cannot be
 * kept: to change that is what commands are for. */
#ifndef AGENT_SANDBOX_PLANT_H
#define AGENT_SANDBOX_PLANT_H

#include "agent/sandbox/workdir.h"
#include "base/buf.h"

#define PLANT_ASIDE "jotter-aside" /* how directories begin in which things are kept */

enum {
    PLANT_LOOKED_AT_MAX = 500 * 1000,  /* entries of directories */
    PLANT_FILE_MAX = 256 * 1024,       /* bytes of a file that can be put back */
    PLANT_KEPT_MAX = 16 * 1024 * 1024, /* bytes of all of them */
    PLANT_WITHIN_MAX = 20 * 1000,      /* entries of a directory that is kept as a whole */
    PLANT_TOLD_MAX = 20,               /* that are named in a result */
};

/* True for the row of pads in that table. */
bool plant_is_pad(int row);
/* True if `dir` is a git directory, whatever its name is: with a HEAD and what belongs to it. */
bool plant_is_git(int dir);
/* True for a directory that a package manager fills.  Its packages bring files of all these names;
 * what is in it is not worked in, but git would still run its hooks. */
bool plant_of_packages(Str name);
/* True if git runs or obeys this file of a git directory. */
bool plant_of_git(Str name);

/* A file or directory that has one of the names, or is one of those in git's directories. */
typedef struct PlantRoot {
    Str path; /* from the working directory; followed by a NUL */
    int row, depth;
    bool is_dir;
    bool is_git; /* a whole directory of git's: it is written to, but stays where it is */
    bool unseen; /* there is too much in it */
    bool busy;   /* others write to it all the time: it is not compared either */
    bool passed; /* nothing in it is compared (any more) */
} PlantRoot;

/* A file at or below one of them. */
typedef struct Planted {
    Str path;
    size_t root; /* which */
    struct stat info;
    Str content;  /* of a file; of a link, where it leads */
    bool kept;    /* `content` is all of it */
    bool guarded; /* no command can change it while it is at work */
} Planted;

typedef struct PlantWatch {
    const Workdir *workdir;
    Arena arena;
    Planted *at; /* in the order of their paths */
    size_t n, cap;
    PlantRoot *roots;
    size_t roots_n, roots_cap;
    int64_t began;  /* seconds: changes that are younger may not show in a file's times */
    int depth_seen; /* directories up to here were looked into, all of them */
    bool cut;       /* not all were looked into */
    /* The directories that were, in order; and those of the look before, which are always looked
     * into again: else a command need only make enough others. */
    Str *dirs;
    size_t dirs_n, dirs_cap;
    const struct PlantWatch *earlier;
    size_t kept_bytes;
} PlantWatch;

/* What was found when a command had ended, for the model and for the person it works for. */
typedef struct PlantFound {
    Str path;         /* from the working directory; empty: the sentence is about all of it */
    Str aside;        /* where it is now; empty: it was not moved */
    const char *name; /* of the table, which --allow plant:NAME would take; NULL with `path` */
    Str text;         /* a sentence in parentheses */
} PlantFound;

typedef struct PlantReport {
    PlantFound *at;
    size_t n, cap;
} PlantReport;

/* The pad that is open and the user's own directories are no plants, whatever their names: they are
 * guarded in other ways, and others write to them meanwhile. */
bool plant_is_apart(const Workdir *p, Str path);
/* True if one of them lies below this path, which is then never moved. */
bool plant_is_above_apart(const Workdir *p, Str path);

/* Walk through the working directory; `before`: with the contents of files, to be put back. */
void plant_look(PlantWatch *w, bool before);

/* Look before a command.  `out` is {0}. */
void plant_before(PlantWatch *out, const Workdir *workdir);
/* Say that what lies at or below this path is guarded. */
void plant_guarded(PlantWatch *w, Str path);
/* Compare after it, and say what was found.  Texts live in `into`. */
void plant_after(PlantWatch *w, Arena *into, PlantReport *out);
/* The sentences of a report, each on a line of its own. */
Str plant_sentences(const PlantReport *r, Arena *into);
void plant_done(PlantWatch *w);
DEFINE_AUTO(PlantWatch, plant_done)

#endif
