/* workdir.c - paths of a model, resolved beneath the working directory.
 *
 *     path as the model wrote it
 *       | check_path      no NUL, not too long; the working directory's own path is cut off
 *       v
 *     openat2 beneath the directory: the kernel follows no name that leads out of it
 *       |
 *       v                 the descriptor, not the name, is asked from here on:
 *     reading: a regular file with one name, not the user's own directories, not /proc
 *     writing: its directory not in the pad, nor its name one that others obey (base/obeyed.h)
 *
 * A write makes a new file beside the old one, syncs it and renames it over: a
 * process that dies leaves the old file or the new one, and perhaps a temporary
 * file with the name ".NAME.XXXX.tmp". */
#include "agent/sandbox/workdir.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "agent/sandbox/plant.h"
#include "base/home.h"
#include "base/id.h"
#include "base/url.h"
#include "base/utf8.h"

enum { TRIES = 64 /* openat2 answers EAGAIN when a rename raced with it; it passes */ };

const char *const workdir_beside[] = { "-wal",     "-shm",       "-journal",   ".lock",
                                       ".index",   ".index-wal", ".index-shm", ".index-journal",
                                       ".reserve", NULL };

/* --- Opening --------------------------------------------------------------------------- */

static jot_status real_path(Str path, Arena *into, Str *out, Err *e)
{
    char found[PATH_MAX];
    Shown shown;
    if (path.n >= PATH_MAX)
        return err_set(e, JOT_TOO_BIG, "a path of %zu bytes: the limit is %d", path.n, PATH_MAX);
    if (!realpath(arena_cstr(into, path), found))
        return err_errno(e, errno, "could not open '%s'", err_show(&shown, path));
    *out = arena_copy(into, str(found));
    return JOT_OK;
}

/* Where the pad is.  A pad that is no file of this machine needs no keeping out. */
static jot_status find_pad(Workdir *p, Str pad_url, Err *e)
{
    Url url;
    struct stat info;
    TRY(url_parse(pad_url, &p->arena, &url, e));
    p->pad_is_file = str_eq(url.scheme, S("sqlite"));
    if (!p->pad_is_file && !str_eq(url.scheme, S("files")))
        return JOT_OK;
    TRY(real_path(url.path, &p->arena, &p->pad, e));
    Str dir = p->pad_is_file ? arena_copy(&p->arena, str_dir_name(p->pad)) : p->pad;
    if (stat(dir.p, &info) != 0)
        return err_errno(e, errno, "could not look at the pad");
    p->pad_dev = info.st_dev;
    p->pad_ino = info.st_ino;
    return JOT_OK;
}

/* True if the directory is the pad's. */
static bool is_pad(const Workdir *p, const struct stat *dir)
{
    return p->pad.n && dir->st_dev == p->pad_dev && dir->st_ino == p->pad_ino;
}

/* The search index of a pad that is a file is a directory beside it.  It may be made at any time,
 * so it is looked for each time. */
static bool is_index(const Workdir *p, const struct stat *dir)
{
    char path[PATH_MAX];
    struct stat info;
    if (!p->pad_is_file || p->pad.n + sizeof ".index" > sizeof path)
        return false;
    snprintf(path, sizeof path, STR_FMT ".index", STR_ARG(p->pad));
    return lstat(path, &info) == 0 && dir->st_dev == info.st_dev && dir->st_ino == info.st_ino;
}

static bool is_own(const Workdir *p, const struct stat *dir)
{
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        if (p->own[i].path.n && dir->st_dev == p->own[i].dev && dir->st_ino == p->own[i].ino)
            return true;
    return false;
}

/* Go up from a directory to the root, looking for the pad and for what is the user's own. */
static bool inside_kept(const Workdir *p, int dir)
{
    AUTO(Fd) at = fcntl(dir, F_DUPFD_CLOEXEC, 0);
    struct stat info, above;
    for (int depth = 0; depth < WORKDIR_DEPTH_MAX * 16; depth++) {
        if (at < 0 || fstat(at, &info) != 0 || is_own(p, &info) || is_index(p, &info) ||
            (!p->pad_is_file && is_pad(p, &info)))
            return true; /* what cannot be looked at is not written to */
        Fd up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        fd_close(&at);
        at = up;
        if (at >= 0 && fstat(at, &above) == 0 && above.st_dev == info.st_dev &&
            above.st_ino == info.st_ino)
            return false;
    }
    return true;
}

/* --- What is the user's own ------------------------------------------------------------ */

static bool is_below(Str path, Str dir)
{
    return str_starts(path, dir) && (dir.n == 1 || path.n == dir.n || path.p[dir.n] == '/');
}

/* Would it be made in the working directory?  By the nearest directory above it that is there. */
static bool would_be_below(const Workdir *p, Str path)
{
    char found[PATH_MAX];
    AUTO(Arena) arena = { 0 };
    while (path.n > 1) {
        path = str_slice(path, 0, str_find_last(path, '/'));
        if (realpath(path.n ? arena_cstr(&arena, path) : "/", found))
            return is_below(str(found), p->path);
    }
    return false;
}

static jot_status find_own(Workdir *p, HomeKind kind, WorkdirOwn *out, Err *e)
{
    char found[PATH_MAX];
    struct stat info;
    Str path = home_path(kind, &p->arena);
    AUTO(Fd) dir = FD_NONE;
    if (!path.n)
        return JOT_OK;
    bool there = realpath(path.p, found) != NULL;
    if (!there && !would_be_below(p, path))
        return JOT_OK;
    if (!there)
        TRY(home_open(p->io, kind, true, &dir, e));
    if ((!there && !realpath(path.p, found)) || stat(found, &info) != 0)
        return err_errno(e, errno, "could not look at your own directory '%s'", path.p);
    *out = (WorkdirOwn){ .path = arena_copy(&p->arena, str(found)),
                         .below = is_below(str(found), p->path),
                         .dev = info.st_dev,
                         .ino = info.st_ino };
    if (!p->pad_is_file && p->pad.n && is_below(out->path, p->pad))
        return err_set(e, JOT_INVALID, "your own directory '%s' lies in the pad: use another",
                       path.p);
    return JOT_OK;
}

jot_status workdir_open(Workdir *out, const Io *io, Str dir, Str pad_url, Err *e)
{
    Workdir p = { .io = io, .dir = FD_NONE };
    jot_status st = real_path(dir.n ? dir : S("."), &p.arena, &p.path, e);
    if (st == JOT_OK)
        st = find_pad(&p, pad_url, e);
    if (st == JOT_OK)
        st = find_own(&p, HOME_STATE, &p.own[0], e);
    if (st == JOT_OK)
        st = find_own(&p, HOME_CONFIG, &p.own[1], e);
    if (st == JOT_OK) {
        int fd = io_open_root(io, p.path.p);
        if (fd < 0)
            st = err_errno(e, -fd, "could not open the working directory");
        else
            p.dir = fd;
    }
    if (st == JOT_OK && inside_kept(&p, p.dir))
        st = err_set(e, JOT_INVALID,
                     "the working directory lies in the pad, or in your own state or "
                     "configuration: use another");
    if (st != JOT_OK) {
        workdir_close(&p);
        return st;
    }
    assert(p.dir >= 0 && p.path.n && p.path.p[0] == '/');
    *out = p;
    return JOT_OK;
}

void workdir_close(Workdir *p)
{
    if (p->path.n) /* {0} has descriptor 0, which is not ours */
        fd_close(&p->dir);
    arena_free(&p->arena);
    *p = (Workdir){ .dir = FD_NONE };
}

bool workdir_holds_pad(const Workdir *p)
{
    Str dir = p->pad_is_file ? str_slice(p->pad, 0, str_find_last(p->pad, '/')) : p->pad;
    if (!p->pad.n || !str_starts(dir, p->path))
        return false;
    return p->path.n == 1 || dir.n == p->path.n || dir.p[p->path.n] == '/';
}

/* --- Names ----------------------------------------------------------------------------- */

static jot_status outside(Str path, Err *e)
{
    Shown shown;
    return err_set(e, JOT_DENIED, "'%s' lies outside the working directory",
                   err_show(&shown, path));
}

/* Check a path, and cut off the working directory if it begins with it.  An absolute path that
 * leads elsewhere stays as it is. */
static jot_status check_path(const Workdir *p, Str path, char out[WORKDIR_PATH_MAX], Err *e)
{
    Shown shown;
    if (!path.n)
        return err_set(e, JOT_INVALID, "'path' cannot be empty");
    if (path.n >= WORKDIR_PATH_MAX)
        return err_set(e, JOT_TOO_BIG, "'path' has %zu bytes: at most %d are allowed", path.n,
                       WORKDIR_PATH_MAX - 1);
    if (str_find(path, 0) != path.n)
        return err_set(e, JOT_INVALID, "'%s' is no path: it holds a NUL", err_show(&shown, path));
    Str rest = path;
    size_t n = p->path.n;
    if (str_starts(path, p->path) && (path.n == n || n == 1 || path.p[n] == '/')) {
        rest = str_from(path, n);
        while (rest.n && rest.p[0] == '/')
            rest = str_from(rest, 1);
        if (!rest.n)
            rest = S(".");
    }
    memcpy(out, rest.p, rest.n);
    out[rest.n] = 0;
    return JOT_OK;
}

/* What openat2 says, as a sentence without any path of the host. */
static jot_status cannot_open(Str path, int errnum, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, path);
    if (errnum == EXDEV)
        return outside(path, e);
    if (errnum == ENOENT || errnum == ENOTDIR)
        return err_set(e, JOT_NOT_FOUND, "there is no file '%s'", name);
    if (errnum == ELOOP)
        return err_set(e, JOT_DENIED, "'%s' goes through a symbolic link, which is not followed",
                       name);
    return err_errno(e, errnum, "could not open '%s'", name);
}

/* --- Reading --------------------------------------------------------------------------- */

/* The path of what is open, without links; empty: it is not known. */
static Str path_of(int fd, char out[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, PATH_MAX);
    bool known = n > 0 && n < PATH_MAX;
    return (Str){ known ? out : NULL, known ? (size_t)n : 0 };
}

/* A file has no way up, so its path is asked for; what is not known counts as the user's. */
static bool is_of_own(const Workdir *p, int fd)
{
    char found[PATH_MAX];
    Str path = path_of(fd, found);
    if (!path.n)
        return true;
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        if (p->own[i].path.n && is_below(path, p->own[i].path))
            return true;
    return false;
}

int workdir_open_beneath(int dir, const char *name, uint64_t flags)
{
    struct open_how how = { .flags = flags | O_CLOEXEC,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    for (int i = 0;; i++) {
        long fd = syscall(SYS_openat2, dir, name, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno != EINTR && (errno != EAGAIN || i >= TRIES))
            return -errno;
    }
}

/* Files of processes are no files of a directory: one of them holds our own environment, and in
 * that are keys.  What cannot be looked at counts as one. */
static bool is_of_process(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC;
}

jot_status workdir_open_file(const Workdir *p, Str path, Fd *out, struct stat *info, Err *e)
{
    char name[WORKDIR_PATH_MAX];
    Shown shown;
    TRY(check_path(p, path, name, e));
    int got = name[0] == '/' ? -EXDEV : workdir_open_beneath(p->dir, name, WORKDIR_READS);
    if (got == -EXDEV && p->reads_beyond) {
        got = openat(p->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        got = got < 0 ? -errno : got;
    }
    if (got < 0)
        return cannot_open(path, -got, e);
    AUTO(Fd) fd = got;
    if (fstat(fd, info) != 0)
        return err_errno(e, errno, "could not look at '%s'", err_show(&shown, path));
    if (!S_ISREG(info->st_mode))
        return err_set(e, JOT_INVALID, "'%s' is %s, not a file", err_show(&shown, path),
                       S_ISDIR(info->st_mode) ? "a directory" : "something special");
    if (info->st_nlink > 1)
        return err_set(
            e, JOT_DENIED,
            "'%s' has %ju names (hard links), and the others may lie outside the working "
            "directory: copy it, or read it with a confined command",
            err_show(&shown, path), (uintmax_t)info->st_nlink);
    if (is_of_process(fd))
        return err_set(e, JOT_DENIED, "'%s' is a file about processes, which is never read",
                       err_show(&shown, path));
    if (is_of_own(p, fd))
        return err_set(e, JOT_DENIED, "'%s' lies in what is the user's own, which no agent reads",
                       err_show(&shown, path));
    *out = fd_take(&fd);
    return JOT_OK;
}

Fd workdir_open_dir(const Workdir *p, Str path)
{
    char name[WORKDIR_PATH_MAX];
    if (check_path(p, path, name, NULL) != JOT_OK || name[0] == '/')
        return FD_NONE;
    return workdir_open_beneath(p->dir, name, O_RDONLY | O_DIRECTORY);
}

/* The part of a path after the working directory; false: it is elsewhere. */
static bool cut_off(const Workdir *p, Str path, Str *out)
{
    if (!path.n || !is_below(path, p->path))
        return false;
    *out = str_from(path, p->path.n);
    if (out->n && out->p[0] == '/')
        *out = str_from(*out, 1);
    return true;
}

jot_status workdir_dir_of(const Workdir *p, Str path, Arena *into, Str *out, Err *e)
{
    char name[WORKDIR_PATH_MAX], found[PATH_MAX];
    struct stat info;
    Str rest;
    TRY(check_path(p, path, name, e));
    int got = name[0] == '/' ? -EXDEV : workdir_open_beneath(p->dir, name, O_PATH);
    if (got < 0)
        return cannot_open(path, -got, e);
    AUTO(Fd) fd = got;
    if (fstat(fd, &info) != 0 || !cut_off(p, path_of(fd, found), &rest) || !utf8_valid(rest))
        return outside(path, e);
    if (!S_ISDIR(info.st_mode)) {
        size_t slash = str_find_last(rest, '/');
        rest.n = slash < rest.n ? slash : 0;
    }
    *out = arena_copy(into, rest);
    AUTO(Fd) dir = workdir_open_dir(p, rest.n ? *out : S("."));
    return dir < 0 || inside_kept(p, dir) ? outside(path, e) : JOT_OK;
}

/* --- Writing --------------------------------------------------------------------------- */

/* Open the directory `name` beneath the working directory, making what is missing of it.  `name`
 * is cut at its slashes and put together again.  -EROFS: something would be made in the pad. */
static int open_dirs(const Workdir *p, char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY };
    int fd = io_open(p->io, p->dir, name, FLAGS, 0);
    if (fd != -ENOENT)
        return fd;
    char *slash = strrchr(name, '/');
    AUTO(Fd) above = FD_NONE;
    if (slash) {
        *slash = 0;
        int got = slash[1] ? open_dirs(p, name) : -EINVAL;
        *slash = '/';
        if (got < 0)
            return got;
        above = got;
    }
    int in = slash ? above : p->dir;
    if (inside_kept(p, in))
        return -EROFS;
    int made = io_mkdir(p->io, in, slash ? slash + 1 : name);
    if (made < 0 && made != -EEXIST)
        return made;
    return io_open(p->io, p->dir, name, FLAGS, 0);
}

/* "a/b" as directory and name; false if the name is none that a file can have. */
static bool split(char *path, char **name)
{
    char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (slash)
        *slash = 0;
    return **name && strcmp(*name, ".") != 0 && strcmp(*name, "..") != 0 &&
           strlen(*name) <= NAME_MAX;
}

static jot_status in_what_is_kept(Str path, Err *e)
{
    Shown shown;
    return err_set(e, JOT_DENIED,
                   "'%s' lies in the pad, which is written with its own tools only, or in what is "
                   "the user's own",
                   err_show(&shown, path));
}

static jot_status check_target(const Workdir *p, int dir, const char *name, Str path, Err *e)
{
    struct stat info;
    Shown shown;
    Str base = str_from(p->pad, str_find_last(p->pad, '/') + 1);
    bool kept = inside_kept(p, dir);
    if (p->pad_is_file && fstat(dir, &info) == 0 && is_pad(p, &info))
        kept = kept || str_starts(str(name), base);
    if (kept)
        return in_what_is_kept(path, e);
    int got = io_stat(p->io, dir, name, &info);
    if (got == -ENOENT)
        return JOT_NOT_FOUND;
    if (got < 0)
        return cannot_open(path, -got, e);
    if (S_ISREG(info.st_mode))
        return JOT_OK;
    return err_set(e, JOT_INVALID, "'%s' is %s, not a file", err_show(&shown, path),
                   S_ISDIR(info.st_mode) ? "a directory" : "something special or a link");
}

static int fill(const Io *io, int fd, Str content)
{
    int done = io_write_all(io, fd, content);
    return done < 0 ? done : io_fsync(io, fd);
}

static jot_status replace(const Workdir *p, int dir, const char *name, Str content, Str path,
                          Err *e)
{
    char tmp[NAME_MAX + 1];
    Shown shown;
    struct stat old;
    bool there = io_stat(p->io, dir, name, &old) == 0;
    snprintf(tmp, sizeof tmp, ".%.200s.%s.tmp", name, id_random(p->io, 6).text);
    int fd = io_open(p->io, dir, tmp, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0)
        return err_errno(e, -fd, "could not write '%s'", err_show(&shown, path));
    int done = fill(p->io, fd, content);
    if (done == 0 && there && fchmod(fd, old.st_mode & 0777) != 0)
        done = -errno;
    close(fd);
    if (done == 0)
        done = io_rename(p->io, dir, tmp, name, 0);
    if (done < 0) {
        io_unlink(p->io, dir, tmp);
        return err_errno(e, -done, "could not write '%s'; it is as it was", err_show(&shown, path));
    }
    done = io_fsync(p->io, dir);
    return done < 0
               ? err_errno(e, -done, "could not sync the directory of '%s'", err_show(&shown, path))
               : JOT_OK;
}

static jot_status a_plant(Str path, int row, Err *e)
{
    Shown shown;
    return err_set(e, JOT_DENIED,
                   "'%s' is run or obeyed by other programs (%s): the user can allow it with "
                   "--allow plant:%s",
                   err_show(&shown, path), obeyed_name(row), obeyed_name(row));
}

/* A path with a name that is kept in it.  A file HEAD makes a directory one of git's. */
static jot_status check_names(const Workdir *p, Str name, Str path, Err *e)
{
    Str rest = name, part;
    for (bool more = true; more;) {
        more = str_cut(&rest, '/', &part);
        int row = obeyed_find(more ? part : rest);
        if (row < 0 && !more && rest.n == 4 && strncasecmp(rest.p, "HEAD", 4) == 0)
            row = obeyed_find(S(".git"));
        if (row >= 0 && !p->plants_allowed[row])
            return a_plant(path, row, e);
    }
    return JOT_OK;
}

/* The same in a directory of git's that has another name: its own files, and its hooks. */
static jot_status check_git(const Workdir *p, int dir, Str dir_name, Str name, Str path, Err *e)
{
    int row = obeyed_find(S(".git"));
    Str last = dir_name;
    while (str_cut(&last, '/', &dir_name))
        continue;
    bool below = plant_of_git(last) || str_eq(last, S("info"));
    AUTO(Fd) above = below ? openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC) : FD_NONE;
    bool git = (plant_of_git(name) && plant_is_git(dir)) || (above >= 0 && plant_is_git(above));
    return git && !p->plants_allowed[row] ? a_plant(path, row, e) : JOT_OK;
}

/* True if a ".." stands among the names: then it is not known which directories to make. */
static bool goes_up(Str path)
{
    Str part;
    while (str_cut(&path, '/', &part))
        if (str_eq(part, S("..")))
            return true;
    return str_eq(path, S(".."));
}

jot_status workdir_write(const Workdir *p, Str path, Str content, bool *made, Err *e)
{
    char name[WORKDIR_PATH_MAX], *base;
    Shown shown;
    TRY(check_path(p, path, name, e));
    if (name[0] == '/')
        return outside(path, e);
    if (goes_up(str(name)))
        return err_set(e, JOT_DENIED, "'%s' holds '..': name the file from the working directory",
                       err_show(&shown, path));
    TRY(check_names(p, str(name), path, e));
    if (!split(name, &base))
        return err_set(e, JOT_INVALID, "'%s' is no name of a file", err_show(&shown, path));
    char here[] = ".";
    int got = open_dirs(p, base == name ? here : name);
    if (got < 0)
        return got == -EROFS ? in_what_is_kept(path, e) : cannot_open(path, -got, e);
    AUTO(Fd) dir = got;
    TRY(check_git(p, dir, base == name ? S("") : str(name), str(base), path, e));
    jot_status st = check_target(p, dir, base, path, e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    *made = st == JOT_NOT_FOUND;
    return replace(p, dir, base, content, path, e);
}
