/* target.c - the engines, one row each. */
#include "target.h"

#include <stdio.h>
#include <string.h>

#include "rig/vfs.h"
#include "store/engine.h"
#include "toy.h"
#include "workload.h"

static jot_status open_files(const Target *t, const char *root, const Io *io, Store **out, Err *e)
{
    char url[400];
    snprintf(url, sizeof url, "files:%s/%s", root, t->pad);
    /* Nobody else is there: whoever waits for a lock has left it behind himself. */
    StoreOptions options = { .io = io, .create = true, .wait_ms = 50 };
    return store_open(out, str(url), &options, e);
}

/* SQLite's VFS is known by a name and cannot be handed an Io: it gets one that always is a copy of
 * the Io of the pad opened last.  There is never more than one. */
static Io sqlite_io;

static jot_status open_sqlite(const Target *t, const char *root, const Io *io, Store **out, Err *e)
{
    static bool installed;
    sqlite_io = *io;
    if (!installed)
        vfs_install("crash", &sqlite_io);
    installed = true;
    char url[400];
    snprintf(url, sizeof url, "sqlite:%s/%s?vfs=crash", root, t->pad);
    StoreOptions options = { .io = io, .create = true, .wait_ms = 50 };
    return store_open(out, str(url), &options, e);
}

static const Target files = {
    .name = "files",
    .open = open_files,
    .pad = "pad",
    .views = true,
};

static const Target sqlite = {
    .name = "sqlite",
    .open = open_sqlite,
    .pad = "pad.db",
    .untracked = "pad.db-shm",
};

const Target *const targets[] = { &files, &sqlite, NULL };

const Target *target_find(const char *name)
{
    for (size_t i = 0; targets[i]; i++)
        if (strcmp(targets[i]->name, name) == 0)
            return targets[i];
    return NULL;
}

bool target_view(const Target *t, Str stream, char *out, size_t size)
{
    const StoreKind *kind = store_kind(stream);
    if (!t->views || !kind->document || str_starts(stream, S("artifacts/index/")))
        return false;
    const char *end = str_starts(stream, S(WORKLOAD_MARKDOWN)) ? kind->also : kind->tail;
    snprintf(out, size, "%s/" STR_FMT "%s", t->pad, STR_ARG(stream), end);
    return true;
}
