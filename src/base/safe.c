/* safe.c - whose pads are used unasked.
 *
 *     the link to it  ──►  its directory  ──►  its file 'format'        each must be
 *
 *         ours (or of the user that sudo was called by),
 *         or in a directory of the list that the user keeps ("jotter safe add DIR")
 *
 * Only a pad that was found is judged: in a directory that everybody may write, anybody can leave a
 * .jotter/ for the next one who works there, and what a pad says is read by an agent.  A pad that
 * was named is the user's own decision.  What is judged is what is open, so that nothing can be put
 * in its place between the look and the use; only a link has to be looked at by its name. */
#include "base/safe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/home.h"

#define NAME "safe"

enum { DIR_SHOWN = 48 };

/* --- The list -------------------------------------------------------------------------- */

static jot_status read_text(const Io *io, Arena *into, Str *out, Err *e)
{
    Err missing = { 0 };
    *out = (Str){ 0 };
    jot_status st = home_read(io, HOME_CONFIG, NAME, into, out, &missing);
    bool none = st == JOT_NOT_FOUND || st == JOT_UNAVAILABLE;
    return none ? JOT_OK : err_pass(e, &missing, st);
}

jot_status safe_read(const Io *io, Arena *into, SafeList *out, Err *e)
{
    Str rest, line;
    *out = (SafeList){ .dirs = NEW_ARRAY(into, Str, SAFE_MAX) };
    TRY(read_text(io, into, &rest, e));
    while (rest.n && out->n < SAFE_MAX) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        if (line.n && line.p[0] == '/' && str_find(line, 0) == line.n)
            out->dirs[out->n++] = arena_copy(into, line);
    }
    return JOT_OK;
}

static bool among(const SafeList *l, Str dir)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->dirs[i], dir))
            return true;
    return false;
}

static jot_status write_list(const Io *io, const SafeList *l, Err *e)
{
    AUTO(Buf) text = { .max = HOME_FILE_MAX };
    for (size_t i = 0; i < l->n; i++)
        buf_addf(&text, STR_FMT "\n", STR_ARG(l->dirs[i]));
    if (!buf_ok(&text))
        return err_set(e, JOT_TOO_BIG, "the list of safe directories is longer than %d bytes",
                       HOME_FILE_MAX);
    return home_write(io, HOME_CONFIG, NAME, buf_str(&text), e);
}

/* A directory that is gone can still be taken from the list, by the path it had. */
static jot_status real_dir(const char *dir, bool must_exist, Arena *into, Str *out, Err *e)
{
    char found[PATH_MAX];
    Shown shown;
    struct stat info;
    if (!realpath(dir, found)) {
        if (must_exist || errno != ENOENT || dir[0] != '/')
            return err_errno(e, errno, "could not find the directory '%s'",
                             err_show(&shown, str(dir)));
        *out = arena_copy(into, str(dir));
        return JOT_OK;
    }
    if (must_exist && (stat(found, &info) != 0 || !S_ISDIR(info.st_mode)))
        return err_set(e, JOT_INVALID, "'%s' is not a directory", err_show(&shown, str(dir)));
    *out = arena_copy(into, str(found));
    if (str_find(*out, '\n') < out->n)
        return err_set(e, JOT_INVALID, "the path of '%s' holds a line break: name its pad instead",
                       err_show(&shown, str(dir)));
    return JOT_OK;
}

static jot_status add_dir(const Io *io, Str dir, Arena *into, bool *changed, Err *e)
{
    SafeList l;
    TRY(safe_read(io, into, &l, e));
    *changed = !among(&l, dir);
    if (!*changed)
        return JOT_OK;
    if (l.n == SAFE_MAX)
        return err_set(e, JOT_TOO_BIG, "the list of safe directories has at most %d", SAFE_MAX);
    l.dirs[l.n++] = dir;
    return write_list(io, &l, e);
}

static jot_status remove_dir(const Io *io, Str dir, Arena *into, bool *changed, Err *e)
{
    SafeList l, kept;
    TRY(safe_read(io, into, &l, e));
    *changed = among(&l, dir);
    if (!*changed)
        return JOT_OK;
    kept = (SafeList){ .dirs = NEW_ARRAY(into, Str, SAFE_MAX) };
    for (size_t i = 0; i < l.n; i++)
        if (!str_eq(l.dirs[i], dir))
            kept.dirs[kept.n++] = l.dirs[i];
    return write_list(io, &kept, e);
}

jot_status safe_add(const Io *io, const char *dir, Arena *into, Str *path, bool *changed, Err *e)
{
    Fd lock = FD_NONE;
    TRY(real_dir(dir, true, into, path, e));
    TRY(home_lock(io, HOME_CONFIG, &lock, e));
    jot_status st = add_dir(io, *path, into, changed, e);
    home_unlock(io, &lock);
    return st;
}

jot_status safe_remove(const Io *io, const char *dir, Arena *into, Str *path, bool *changed, Err *e)
{
    Fd lock = FD_NONE;
    TRY(real_dir(dir, false, into, path, e));
    TRY(home_lock(io, HOME_CONFIG, &lock, e));
    jot_status st = remove_dir(io, *path, into, changed, e);
    home_unlock(io, &lock);
    return st;
}

/* --- Judging --------------------------------------------------------------------------- */

static bool is_ours(uid_t owner)
{
    const char *sudo = getenv("SUDO_UID");
    uint64_t uid;
    if (owner == geteuid())
        return true;
    return geteuid() == 0 && sudo && str_to_u64(str(sudo), UINT32_MAX, &uid) && owner == uid;
}

/* Where the .jotter/ lies. */
static Str dir_of(const char *path)
{
    size_t slash = str_find_last(str(path), '/');
    return (Str){ path, slash ? slash : 1 };
}

static jot_status refuse(const SafeFound *f, const char *what, Err *e)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    Str dir = dir_of(f->path);
    /* What a shell would read otherwise, or what leaves the sentence no room, is not offered. */
    bool plainly = dir.n <= DIR_SHOWN && strspn(f->path, plain) == strlen(f->path);
    return err_set(
        e, JOT_DENIED,
        "%s belongs to another user (uid %u) and was found, not named: name it with --pad, "
        "or allow it: jotter safe add " STR_FMT,
        what, (unsigned)f->owner, STR_ARG((plainly ? dir : S("DIR"))));
}

static jot_status judge(const Io *io, SafeFound *f, uid_t owner, const char *what, Err *e)
{
    AUTO(Arena) arena = { 0 };
    SafeList l;
    Err ignored = { 0 };
    if (is_ours(owner))
        return JOT_OK;
    f->owner = owner;
    /* A list that cannot be read allows nothing; a command that changes it says why. */
    f->listed = safe_read(io, &arena, &l, &ignored) == JOT_OK && among(&l, dir_of(f->path));
    return f->listed ? JOT_OK : refuse(f, what, e);
}

jot_status safe_judge(const Io *io, SafeFound *f, int fd, Err *e)
{
    struct stat info;
    int got = io_fstat(io, fd, &info);
    if (got < 0)
        return err_errno(e, -got, "could not see whose pad this is");
    return judge(io, f, info.st_uid, S_ISDIR(info.st_mode) ? "it" : "its file 'format'", e);
}

jot_status safe_judge_link(const Io *io, SafeFound *f, Err *e)
{
    struct stat info;
    if (lstat(f->path, &info) != 0 || !S_ISLNK(info.st_mode))
        return JOT_OK; /* whatever this is, it is judged when it is open */
    return judge(io, f, info.st_uid, "the link to it", e);
}

jot_status safe_judge_path(const Io *io, SafeFound *f, Err *e)
{
    TRY(safe_judge_link(io, f, e));
    AUTO(Fd) dir = io_open_root(io, f->path);
    if (dir < 0)
        return JOT_OK;
    TRY(safe_judge(io, f, dir, e));
    AUTO(Fd) format = io_open(io, dir, "format", O_RDONLY | O_NONBLOCK, 0);
    return format < 0 ? JOT_OK : safe_judge(io, f, format, e);
}
