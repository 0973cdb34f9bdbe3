/* foreign.c - reading and writing files that are not a pad's.
 *
 * Reading trusts nothing: a name is opened below a directory without following links, and what was
 * opened is asked what it is, because a name can become something else between two calls.  A pipe
 * or a device is not waited for.
 *
 * Writing never shows half a file: the text goes to a draft beside it, is synced, and gets its name
 * in one step that fails if the name is taken.  So an export that is cut off leaves whole files,
 * and one that is repeated says which are there already. */
#include "memory/port/foreign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

enum { DRAFT_BYTES = 200 };

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const ForeignEntry *)a)->name, ((const ForeignEntry *)b)->name);
}

typedef struct Entries {
    const Io *io;
    Arena *into;
    ForeignDir *out;
    size_t cap;
} Entries;

static int add_entry(void *ctx, int dir, const struct dirent *d)
{
    Entries *x = ctx;
    ForeignDir *out = x->out;
    struct stat info;
    int got = io_stat(x->io, dir, d->d_name, &info);
    if (got < 0)
        return got == -ENOENT ? 0 : got;
    if (out->n == FOREIGN_ENTRIES_MAX)
        return -E2BIG;
    out->items =
        arena_grow(x->into, out->items, out->n, &x->cap, sizeof *out->items, alignof(ForeignEntry));
    out->items[out->n++] = (ForeignEntry){ .name = arena_copy(x->into, str(d->d_name)),
                                           .directory = S_ISDIR(info.st_mode),
                                           .regular = S_ISREG(info.st_mode),
                                           .at_ms = (int64_t)info.st_mtim.tv_sec * 1000 +
                                                    info.st_mtim.tv_nsec / 1000000 };
    return 0;
}

jot_status foreign_list(const Io *io, int dir, Arena *into, ForeignDir *out, Err *e)
{
    AUTO(Fd) own = io_open(io, dir, ".", O_RDONLY | O_DIRECTORY, 0);
    *out = (ForeignDir){ 0 };
    Entries x = { .io = io, .into = into, .out = out };
    int got = own < 0 ? own : io_list(io, &own, add_entry, &x);
    if (got == -E2BIG)
        return err_set(e, JOT_TOO_BIG, "a directory has more than %d files", FOREIGN_ENTRIES_MAX);
    if (got < 0)
        return err_errno(e, -got, "could not read a directory");
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_name);
    return JOT_OK;
}

bool foreign_has(const ForeignDir *d, Str name)
{
    ForeignEntry want = { .name = name };
    return d->n && bsearch(&want, d->items, d->n, sizeof *d->items, by_name);
}

jot_status foreign_read(const ForeignFile *f, Arena *into, Str *out, Err *e)
{
    Shown shown;
    struct stat info;
    const char *name = err_show(&shown, str(f->path));
    AUTO(Fd) fd = io_open(f->io, f->dir, f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    int got = fd < 0 ? fd : io_fstat(f->io, fd, &info);
    if (got == -ELOOP)
        return err_set(e, JOT_DENIED, "'%s' is a symlink", name);
    if (got < 0)
        return err_errno(e, -got, "could not read '%s'", name);
    if (!S_ISREG(info.st_mode))
        return err_set(e, JOT_DENIED, "'%s' is not a regular file", name);
    if (!f->beginning && (uint64_t)info.st_size > f->max)
        return err_set(e, JOT_TOO_BIG, "it has more than %zu bytes", f->max);
    size_t room = (uint64_t)info.st_size < f->max ? (size_t)info.st_size : f->max;
    char *text = arena_alloc(into, room + 1, 1);
    ssize_t n = io_read_all(f->io, fd, text, room, 0);
    if (n < 0)
        return err_errno(e, (int)-n, "could not read '%s'", name);
    *out = (Str){ text, (size_t)n };
    return JOT_OK;
}

jot_status foreign_make_dir(const Io *io, const char *path, Fd *out, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, str(path));
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return err_errno(e, errno, "could not make '%s'", name);
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) dir = io_open_root(io, path);
    ForeignDir has;
    if (dir < 0)
        return err_errno(e, -dir, "could not open '%s'", name);
    TRY(foreign_list(io, dir, &arena, &has, e));
    if (has.n)
        return err_set(e, JOT_CONFLICT, "'%s' is not empty: choose another directory", name);
    *out = fd_take(&dir);
    return JOT_OK;
}

/* The directory of `path`, made if it is missing. */
static int open_above(const Io *io, int dir, Str path)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) at = io_open(io, dir, ".", O_RDONLY | O_DIRECTORY, 0);
    Str segment;
    while (at >= 0 && str_cut(&path, '/', &segment)) {
        const char *name = arena_cstr(&arena, segment);
        int made = io_mkdir(io, at, name);
        if (made < 0 && made != -EEXIST)
            return made;
        int below = io_open(io, at, name, O_RDONLY | O_DIRECTORY, 0);
        fd_close(&at);
        at = below;
    }
    return fd_take(&at);
}

/* What it holds is not newer than what the pad says of it; a file system that cannot keep the time
 * does without. */
static void set_time(int fd, int64_t at_ms)
{
    struct timespec at = { .tv_sec = (time_t)(at_ms / 1000), .tv_nsec = at_ms % 1000 * 1000000 };
    if (at_ms > 0)
        (void)!futimens(fd, (struct timespec[]){ at, at });
}

static int write_whole(const Io *io, int dir, const char *draft, const char *name, Str text,
                       int64_t at_ms)
{
    AUTO(Fd) fd = io_open(io, dir, draft, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int got = fd < 0 ? fd : io_write_all(io, fd, text);
    if (got == 0)
        set_time(fd, at_ms);
    if (got == 0)
        got = io_fsync(io, fd);
    if (got == 0)
        got = io_rename(io, dir, draft, name, RENAME_NOREPLACE);
    if (got < 0 && fd >= 0)
        (void)io_unlink(io, dir, draft);
    return got < 0 ? got : io_fsync(io, dir);
}

bool foreign_path_ok(Str path)
{
    Str rest = path, segment;
    if (path.n > FOREIGN_PATH_MAX || !utf8_valid(path) || utf8_control_at(path) < path.n)
        return false;
    for (bool more = true; more;) {
        more = str_cut(&rest, '/', &segment);
        Str here = more ? segment : rest;
        if (here.n == 0 || here.n > NAME_MAX || here.p[0] == '.')
            return false;
    }
    return true;
}

jot_status foreign_write(const Io *io, int dir, Str path, Str text, int64_t at_ms, Err *e)
{
    Shown shown;
    AUTO(Arena) arena = { 0 };
    Str last = str_base_name(path);
    /* A name may be as long as names can be; then the draft's is its beginning. */
    Str begin = str_slice(last, 0, last.n < DRAFT_BYTES ? last.n : DRAFT_BYTES);
    const char *draft = arena_printf(&arena, "." STR_FMT ".new", STR_ARG(begin)).p;
    AUTO(Fd) above = open_above(io, dir, path);
    int got =
        above < 0 ? above : write_whole(io, above, draft, arena_cstr(&arena, last), text, at_ms);
    if (got == -EEXIST || got == -ENOTDIR || got == -EISDIR)
        return err_set(e, JOT_CONFLICT, "'%s' is there already", err_show(&shown, path));
    return got < 0 ? err_errno(e, -got, "could not write '%s'", err_show(&shown, path)) : JOT_OK;
}
