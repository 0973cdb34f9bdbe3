/* where.h - Where, which pad is meant if nobody says so.
 *
 * The one that was named; else the one in $JOTTER_PAD; else the nearest
 * .jotter/ from the working directory upward; else the user's own, below
 * $XDG_DATA_HOME or $HOME.  Nothing is made or judged here: the first write makes it, and
 * opening it judges whether one that was only found may be used. */
#ifndef MEMORY_WHERE_H
#define MEMORY_WHERE_H

#include "base/arena.h"
#include "base/err.h"

typedef struct Where {
    Str url;           /* empty: there is none, see where_check */
    const char *why;   /* how it was found, as the rest of a sentence */
    bool named;        /* by an option, a variable or a caller */
    const char *found; /* NULL: it was named, or is the user's own; else the path of what was found,
                          which whoever opens it hands to the store to be judged (safe.h) */
} Where;

/* `given` may be empty. The url lives in `into` or is `given`. */
Where where_find(Str given, Arena *into);

/* JOT_INVALID: none was named, and neither XDG_DATA_HOME nor HOME is an absolute path. */
MUST_USE jot_status where_check(const Where *w, Err *e);

/* The pad in this directory, as it is found there. */
Where where_in(Str dir, Arena *into);

#endif
