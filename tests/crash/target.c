/* target.c - the engines, one row each. */
#include "target.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "rig/vfs.h"
#include "store/engine.h"
#include "toy.h"
#include "workload.h"

static jot_status open_files(const Target *t, const char *root, const Io *io, Store **out, Err *e)
{
    char url[400];
    snprintf(url, sizeof url, "files:%s/%s%s%s", root, t->pad, t->notes ? "?notes=" : "",
             t->notes ? t->notes : "");
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

/* The same with notes in a directory of the person's own. */
static const Target files_placed = {
    .name = "placed",
    .open = open_files,
    .pad = "pad",
    .notes = "docs",
    .views = true,
};

static const Target sqlite = {
    .name = "sqlite",
    .open = open_sqlite,
    .pad = "pad.db",
    .untracked = "pad.db-shm",
};

const Target *const targets[] = { &files, &files_placed, &sqlite, NULL };

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
    bool placed = t->notes && kind->note, markdown = str_starts(stream, S(WORKLOAD_MARKDOWN));
    const char *end = placed || markdown ? kind->also : kind->tail;
    if (placed)
        stream = str_from(stream, strlen("notes/"));
    snprintf(out, size, "%s/" STR_FMT "%s", placed ? t->notes : t->pad, STR_ARG(stream), end);
    return true;
}

bool target_draft(const Target *t, Str stream, char *out, size_t size)
{
    char view[700];
    if (!target_view(t, stream, view, sizeof view))
        return false;
    const char *name = strrchr(view, '/');
    if (t->notes && store_kind(stream)->note)
        snprintf(out, size, "%s/drafts/%.32s.new", t->pad, hash_hex(hash_of(stream)).text);
    else
        snprintf(out, size, "%.*s/.%s.new", (int)(name - view), view, name + 1);
    return true;
}
