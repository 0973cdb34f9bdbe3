/* there.c - whether the pad is still where it was opened.
 *
 * A handle works on the directory it has open, also if that is moved meanwhile: what was
 * begun comes to its end in one place.  But a program that keeps a handle for days would
 * write where nobody looks, after a branch without the pad or a restored backup; so it
 * can ask. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/files/files.h"

char *pad_whole_path(const char *path)
{
    AUTO(Arena) arena = { 0 };
    char here[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return NULL;
    Str whole = arena_printf(&arena, "%s%s%s", here, here[0] ? "/" : "", path);
    char *own = mem_alloc(whole.n + 1);
    memcpy(own, whole.p, whole.n);
    return own;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* True if its path leads elsewhere, or nowhere; false if that cannot be known. */
static bool is_elsewhere(const Files *f, const struct stat *root)
{
    struct stat named;
    int got = f->path ? io_stat_root(f->base.io, f->path, &named) : -EIO;
    return io_missing(got) || (got == 0 && !same_file(root, &named));
}

jot_status pad_check_there(Files *f, Err *e)
{
    struct stat info;
    int got = io_fstat(f->base.io, f->root, &info);
    if (got < 0)
        return err_errno(e, -got, "could not look at the pad");
    return info.st_nlink ? JOT_OK : err_set(e, JOT_IO, "the pad's directory was removed");
}

/* A directory that was emptied and made a pad again is another pad, too. */
bool pad_moved(Store *s)
{
    const Files *f = (const Files *)s;
    struct stat root, format, named;
    if (io_fstat(s->io, f->root, &root) < 0)
        return false;
    if (is_elsewhere(f, &root))
        return true;
    int got = io_stat(s->io, f->root, "format", &named);
    return io_missing(got) ||
           (got == 0 && io_fstat(s->io, f->format, &format) == 0 && !same_file(&format, &named));
}
