/* running.h - Running, the note that a server leaves for the next one that is started for its pad.
 *
 * A file `serve-ID` in the user's state directory (home.h), where ID is the pad's (web.h).  Who
 * serves the pad holds its lock as long as it lives and has written its address into it; so a
 * server that was killed leaves a file and no lock, and is not taken for one that runs. */
#ifndef WEB_RUNNING_H
#define WEB_RUNNING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/io.h"

enum { RUNNING_TEXT_MAX = 512, RUNNING_WAIT_MS = 3000 };

typedef struct Running {
    Fd fd; /* locked; FD_NONE: somebody else serves it, or there is no place to say so */
} Running;

/* Be the one that serves this pad.  If another one is, *other is the address it has written, in
 * `into`, and nothing is held; JOT_UNAVAILABLE if it has written none after RUNNING_WAIT_MS. */
MUST_USE jot_status running_claim(const Io *io, const char *id, Arena *into, Running *out,
                                  Str *other, Err *e);
/* Where it is served. */
MUST_USE jot_status running_announce(const Io *io, const Running *r, Str address, Err *e);
/* Serve it no more.  {0} is not fine, one that was claimed is. */
void running_release(const Io *io, Running *r);

#endif
