/* safe.h - Safe, whose pads are used unasked.
 *
 * A pad that nobody named, but that was found by walking up from the working
 * directory, may have been left there for us by anybody who can write a directory
 * above, as in /tmp.  So it must be ours: the directory, its file `format`, and the
 * link that leads there, if it is one.  They are judged by what was opened, not by
 * their path.  Root, who works for others by sudo, also takes those of $SUDO_UID.
 *
 * What is not ours is refused, unless the user listed the directory in which the
 * .jotter/ lies: `safe` in the user's configuration (home.h), an absolute path a
 * line.  The list is by path, as git's safe.directory: anyone who may replace that path
 * is trusted with it.
 *
 * Not looked at: the directories above (no owner of these can make something ours
 * that is not), and modes (several people may share a pad that is ours). */
#ifndef BASE_SAFE_H
#define BASE_SAFE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"

enum { SAFE_MAX = 1000 /* directories */ };

typedef struct SafeList {
    Str *dirs; /* each followed by a NUL */
    size_t n;
} SafeList;

/* The list, in the order of the file; empty if there is none.  Lines that are no absolute path are
 * passed over. */
MUST_USE jot_status safe_read(const Io *io, Arena *into, SafeList *out, Err *e);

/* Put a directory on the list, or take it from there; by its path without links.  *changed is false
 * if it was there already (was not there).  JOT_NOT_FOUND: no such directory.  JOT_INVALID: its
 * path holds a line break. */
MUST_USE jot_status safe_add(const Io *io, const char *dir, Arena *into, Str *path, bool *changed,
                             Err *e);
MUST_USE jot_status safe_remove(const Io *io, const char *dir, Arena *into, Str *path,
                                bool *changed, Err *e);

/* What is known about something that was found. */
typedef struct SafeFound {
    const char *path; /* of the pad, as it was found */
    bool listed;      /* it is not ours, but its directory is on the list */
    uid_t owner;      /* of what was judged last */
} SafeFound;

/* Judge what a descriptor refers to: JOT_DENIED if it is neither ours nor listed. */
MUST_USE jot_status safe_judge(const Io *io, SafeFound *f, int fd, Err *e);
/* The same for the path itself, before anything is opened or made there: a link that is not ours.
 * Anyone who puts another one there afterwards leads to what safe_judge judges. */
MUST_USE jot_status safe_judge_link(const Io *io, SafeFound *f, Err *e);
/* All of it by the path, to name the pad to others, who will open it; a pad that is
 * not there, or cannot be opened, is for them to tell. */
MUST_USE jot_status safe_judge_path(const Io *io, SafeFound *f, Err *e);

#endif
