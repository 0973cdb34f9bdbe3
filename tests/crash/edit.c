/* edit.c - saving a file the ways editors do. */
#include "edit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Two writes, so that there is a moment in between. */
static int write_text(const Io *io, int fd, Str text)
{
    size_t half = text.n / 2;
    int got = io_write_all(io, fd, str_slice(text, 0, half));
    return got < 0 ? got : io_write_all(io, fd, str_from(text, half));
}

static int save_in_place(const Io *io, int dir, const char *name, Str text)
{
    AUTO(Fd) fd = io_open(io, dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return fd < 0 ? fd : write_text(io, fd, text);
}

static int save_by_rename(const Io *io, int dir, const char *name, Str text, bool synced)
{
    char fresh[300];
    snprintf(fresh, sizeof fresh, "%s~", name);
    AUTO(Fd) fd = io_open(io, dir, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int got = fd < 0 ? fd : write_text(io, fd, text);
    if (got == 0 && synced)
        got = io_fsync(io, fd);
    if (got == 0)
        got = io_rename(io, dir, fresh, name, 0);
    if (got == 0 && synced)
        got = io_fsync(io, dir);
    return got;
}

bool edit_file(const Run *r, const Action *a, Str text)
{
    char path[700];
    if (!target_view(r->target, str(a->stream), path, sizeof path))
        return false;
    char *name = strrchr(path, '/');
    if (!name)
        return false;
    *name++ = 0;
    const Io *io = &r->io.io;
    AUTO(Fd) root = open(r->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO(Fd) dir = io_open(io, root, path, O_RDONLY | O_DIRECTORY, 0);
    int got = dir;
    if (dir >= 0 && a->kind == DO_EDIT)
        got = save_in_place(io, dir, name, text);
    if (dir >= 0 && (a->kind == DO_EDIT_RENAME || a->kind == DO_EDIT_SYNCED))
        got = save_by_rename(io, dir, name, text, a->kind == DO_EDIT_SYNCED);
    if (dir >= 0 && a->kind == DO_REMOVE)
        got = io_unlink(io, dir, name);
    return got >= 0;
}
