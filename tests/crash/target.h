/* target.h - Target, an engine as the crash rig sees it: a way to open a pad in a directory.
 *
 * Everything else goes through store.h; what differs between engines stands
 * in one row. */
#ifndef CRASH_TARGET_H
#define CRASH_TARGET_H

#include "store/store.h"

typedef struct Target {
    const char *name;
    /* Open, and if need be create, the pad in the directory `root`. */
    jot_status (*open)(const struct Target *t, const char *root, const Io *io, Store **out, Err *e);
    const char *pad;       /* its file or directory in `root` */
    const char *notes;     /* where its notes lie, in `root`; NULL: in the pad */
    const char *untracked; /* a file in `root` that does not matter after a crash, or NULL */
    bool views;            /* people see documents as files, and may edit them */
    int bug;               /* of the toy store */
} Target;

/* The engine of this name, or NULL. */
const Target *target_find(const char *name);
extern const Target *const targets[]; /* ends in NULL */

/* Where people see the value of `stream`, relative to the root; false if they do not. */
bool target_view(const Target *t, Str stream, char *out, size_t size);

/* Where a writer puts the next value of `stream` before it is seen. */
bool target_draft(const Target *t, Str stream, char *out, size_t size);

#endif
