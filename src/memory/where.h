/* where.h - Where, which pad is meant.
 *
 * The one that was named; else the one in $JOTTER_PAD; else the nearest
 * .jotter/ from the working directory upward; else the user's own, below
 * $XDG_DATA_HOME or $HOME.  Nothing is made or judged here: the first write makes it, and
 * opening it judges whether one that was only found may be used.
 *
 * A pad is named by a URL (files:DIR, sqlite:FILE) or by a path.  Only what begins with a scheme
 * is read as a URL.  Every other pad is a path first, and its URL is made from it, so that '%',
 * '?' and '#' in the name of a directory mean nothing but themselves. */
#ifndef MEMORY_WHERE_H
#define MEMORY_WHERE_H

#include "base/arena.h"
#include "base/err.h"

typedef struct Where {
    Str url;           /* empty: there is none, see where_check */
    const char *why;   /* how it was found, as the rest of a sentence */
    bool named;        /* by an option, a variable or a caller */
    const char *found; /* NULL: it was named, or is the user's own; else the path of what was found,
                          which the opener hands to the store to be judged (safe.h) */
} Where;

/* `given` may be empty.  The url lives in `into` or is `given`. */
Where where_find(Str given, Arena *into);

/* The URL of what was named, which is a URL itself or a path: that of a file, and of what is not
 * there and ends in .db, .sqlite or .sqlite3, is sqlite:, any other files:.  A path begins with
 * '.', holds a '/', ends so, or names something that is there; any other word is JOT_INVALID,
 * because it is a mistake far more often than a new pad. */
MUST_USE jot_status where_url(Str named, Arena *into, Str *out, Err *e);

/* JOT_INVALID: none was named, and neither XDG_DATA_HOME nor HOME is an absolute path; or what was
 * named is neither a URL nor a path. */
MUST_USE jot_status where_check(const Where *w, Err *e);

/* The pad in this directory, as it is found there. */
Where where_in(Str dir, Arena *into);

/* For servers: files:.jotter, which a project's configuration names, becomes the nearest .jotter/
 * upward, because clients start servers in whatever directory of the project they were started in
 * themselves.  Where there is none it stays the one to be made here. */
void where_settle(Where *w, Arena *into);

#endif
