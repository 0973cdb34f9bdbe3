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

/* Is this what we have open?  A server asks before each call, so what an open file is called by the
 * kernel, which never changes, is asked once.  True also if it cannot be known. */
static bool is_open(const Io *io, Fd fd, FileId *known, const struct stat *named)
{
    struct stat open;
    if (!known->ino) {
        if (io_fstat(io, fd, &open) < 0)
            return true;
        *known = (FileId){ open.st_dev, open.st_ino };
    }
    return known->dev == named->st_dev && known->ino == named->st_ino;
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
    Files *f = (Files *)s;
    struct stat named;
    int got = f->path ? io_stat_root(s->io, f->path, &named) : -EIO;
    if (io_missing(got) || (got == 0 && !is_open(s->io, f->root, &f->root_id, &named)))
        return true;
    if (notes_dir_moved(f))
        return true;
    got = io_stat(s->io, f->root, "format", &named);
    if (f->format < 0)
        return got == 0; /* it came without one (clone.c), and has one by now */
    return io_missing(got) || (got == 0 && !is_open(s->io, f->format, &f->format_id, &named));
}
