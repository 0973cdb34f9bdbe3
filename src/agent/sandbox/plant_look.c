/* plant_look.c - walking through the working directory for files that other programs run or obey.
 *
 * It goes level by level, so that where the directory is too large to be seen as a
 * whole the nearest levels are.  Links are never followed; each directory is opened
 * beneath the working directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sandbox/plant.h"

enum { GIT = OBEYED_GIT, WITHIN_DEPTH_MAX = 32 };

/* A directory that has still to be looked into. */
typedef struct Todo {
    struct Todo *next;
    Str path; /* "" is the working directory */
    int depth;
    bool of_packages; /* what a package manager has put there */
} Todo;

typedef struct Look {
    PlantWatch *w;
    Todo *last;
    size_t looked_at, within; /* entries: of all, and of a directory that is kept as a whole */
    bool before;              /* contents are kept, to be restored later */
    bool home;                /* the working directory is the user's home */
    bool failed; /* a directory could not be opened though it may be there: say that it is unseen */
} Look;

static Str child_of(Arena *into, Str dir, const char *name)
{
    return dir.n ? arena_printf(into, "%s/%s", dir.p, name) : arena_copy(into, str(name));
}

/* A command may have shut its directories to us, and still what is in them is found by name. */
static int open_shut(const Workdir *p, const char *path)
{
    char self[32];
    struct stat info;
    AUTO(Fd) fd = io_open(p->io, p->dir, path, O_PATH | O_DIRECTORY, 0);
    if (fd < 0 || fstat(fd, &info) != 0 || info.st_uid != geteuid())
        return -EACCES;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (chmod(self, (info.st_mode & 0777) | 0700) != 0)
        return -EACCES;
    return io_open(p->io, p->dir, path, O_RDONLY | O_DIRECTORY, 0);
}

static DIR *open_dir(Look *l, Str path)
{
    const Workdir *p = l->w->workdir;
    const char *name = path.n ? path.p : ".";
    int fd = io_open(p->io, p->dir, name, O_RDONLY | O_DIRECTORY, 0);
    if (fd == -EACCES && !l->before)
        fd = open_shut(p, name);
    l->failed = l->failed || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -EIO;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

static struct dirent *next_of(DIR *d)
{
    struct dirent *entry;
    while ((entry = readdir(d)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            break;
    return entry;
}

static bool is_dir(int dir, const char *name)
{
    struct stat info;
    return fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

static bool is_link(int dir, const char *name)
{
    struct stat info;
    return fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

/* What lies in the working directory, as seen from there. */
static Str from_here(const Workdir *p, Str path)
{
    size_t n = p->path.n == 1 ? 1 : p->path.n + 1;
    return path.n > n ? str_from(path, n) : (Str){ 0 };
}

static Str pad_from_here(const Workdir *p)
{
    return workdir_holds_pad(p) ? from_here(p, p->pad) : (Str){ 0 };
}

static Str own_from_here(const Workdir *p, size_t i)
{
    return p->own[i].below ? from_here(p, p->own[i].path) : (Str){ 0 };
}

/* A pad that is a file, or one of those beside it; not all that begins with its name. */
static bool is_of_pad(const Workdir *p, Str path)
{
    Str pad = pad_from_here(p), rest = { 0 };
    if (!pad.n || !str_starts(path, pad))
        return false;
    rest = str_from(path, pad.n);
    bool found = rest.n == 0;
    for (size_t i = 0; p->pad_is_file && workdir_beside[i]; i++)
        found = found || str_eq(rest, str(workdir_beside[i]));
    return found;
}

bool plant_is_apart(const Workdir *p, Str path)
{
    if (is_of_pad(p, path))
        return true;
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        if (p->own[i].below && str_eq(path, own_from_here(p, i)))
            return true;
    return false;
}

static bool is_above(Str path, Str what)
{
    return what.n > path.n && str_starts(what, path) && what.p[path.n] == '/';
}

bool plant_is_above_apart(const Workdir *p, Str path)
{
    bool above = is_above(path, pad_from_here(p));
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        above = above || is_above(path, own_from_here(p, i));
    return above;
}

static void read_content(PlantWatch *w, int dir, const char *name, Planted *p)
{
    size_t size = S_ISLNK(p->info.st_mode) ? PATH_MAX : (size_t)p->info.st_size;
    if (size > PLANT_FILE_MAX || w->kept_bytes + size > PLANT_KEPT_MAX)
        return;
    char *room = arena_alloc(&w->arena, size + 1, 1);
    ssize_t n = -1;
    if (S_ISLNK(p->info.st_mode))
        n = readlinkat(dir, name, room, size);
    AUTO(Fd) fd = FD_NONE;
    if (S_ISREG(p->info.st_mode))
        fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        n = io_read_all(w->workdir->io, fd, room, size + 1, 0);
    p->kept = n >= 0 && (size_t)n <= size;
    p->content = (Str){ room, p->kept ? (size_t)n : 0 };
    w->kept_bytes += p->content.n;
}

/* Samples of hooks are not run: git comes with a dozen. */
static void add_file(Look *l, int dir, const char *name, Str path)
{
    PlantWatch *w = l->w;
    Planted p = { .path = path, .root = w->roots_n - 1 };
    if (w->roots[p.root].row == GIT && str_ends(path, S(".sample")))
        return;
    if (fstatat(dir, name, &p.info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (l->before)
        read_content(w, dir, name, &p);
    w->at = arena_grow(&w->arena, w->at, w->n, &w->cap, sizeof *w->at, alignof(Planted));
    w->at[w->n++] = p;
}

/* Where a link leads within the working directory: what it is called there, or nothing. */
static Str led_to(const Look *l, int dir, const char *name, Str path)
{
    const Workdir *p = l->w->workdir;
    Arena *into = &l->w->arena;
    char to[PATH_MAX], self[32], real[PATH_MAX];
    ssize_t n = readlinkat(dir, name, to, sizeof to - 1);
    size_t slash = str_find_last(path, '/');
    to[n > 0 ? n : 0] = 0;
    Str end = str(to), above = str_slice(path, 0, slash < path.n ? slash : 0);
    if (str_starts(end, p->path) && end.p[p->path.n] == '/')
        end = str_from(end, p->path.n + 1);
    else if (above.n && !str_starts(end, S("/")))
        end = arena_printf(into, STR_FMT "/%s", STR_ARG(above), to);
    AUTO(Fd)
    fd = end.n ? workdir_open_beneath(p->dir, arena_cstr(into, end), WORKDIR_READS) : FD_NONE;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    n = fd < 0 ? -1 : readlink(self, real, sizeof real - 1);
    real[n > 0 ? n : 0] = 0;
    bool inside = n > 0 && str_starts(str(real), p->path) && real[p->path.n] == '/';
    return inside ? arena_copy(into, str_from(str(real), p->path.n + 1)) : (Str){ 0 };
}

static void add_within(Look *l, Str path, int depth);

/* What a link leads to is obeyed like the link: it belongs to the same root.  Only before a
 * command: what one has linked to meanwhile is nobody's plant, and such a link is moved away
 * anyway. A link within a directory that is kept may lead to the sources of a project, which
 * commands are there to change: of those only files count (`whole` is false). */
static void add_target(Look *l, int dir, const char *name, Str path, bool whole)
{
    Str to = l->before ? led_to(l, dir, name, path) : (Str){ 0 };
    struct stat info;
    if (!to.n || plant_is_apart(l->w->workdir, to) || plant_is_above_apart(l->w->workdir, to) ||
        fstatat(l->w->workdir->dir, to.p, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISDIR(info.st_mode) && whole)
        add_within(l, to, 0);
    else if (S_ISREG(info.st_mode))
        add_file(l, l->w->workdir->dir, to.p, to);
}

static void add_entry(Look *l, int dir, const char *name, Str path, bool whole)
{
    add_file(l, dir, name, path);
    if (is_link(dir, name))
        add_target(l, dir, name, path, whole);
}

/* All files of a directory that is kept as a whole. */
static void add_within(Look *l, Str path, int depth)
{
    DIR *d = depth < WITHIN_DEPTH_MAX ? open_dir(l, path) : NULL;
    struct dirent *entry;
    if (depth == WITHIN_DEPTH_MAX)
        l->within = PLANT_WITHIN_MAX;
    while (d && l->within < PLANT_WITHIN_MAX && (entry = next_of(d))) {
        Str child = child_of(&l->w->arena, path, entry->d_name);
        l->within++;
        if (plant_is_apart(l->w->workdir, child))
            continue;
        if (is_dir(dirfd(d), entry->d_name))
            add_within(l, child, depth + 1);
        else
            add_entry(l, dirfd(d), entry->d_name, child, false);
    }
    if (d)
        closedir(d);
}

static PlantRoot *add_root(Look *l, PlantRoot r)
{
    PlantWatch *w = l->w;
    w->roots = arena_grow(&w->arena, w->roots, w->roots_n, &w->roots_cap, sizeof *w->roots,
                          alignof(PlantRoot));
    w->roots[w->roots_n] = r;
    return &w->roots[w->roots_n++];
}

/* Other programs write all the time to pads, which have histories of their own, and to their
 * directories in a home. */
static bool is_busy(const Look *l, int row, int depth)
{
    const char *name = obeyed_name(row);
    return plant_is_pad(row) || (l->home && depth == 0 && row != GIT && strcmp(name, ".ssh") != 0);
}

static void add_plant(Look *l, int dir, const char *name, Str path, int row, int depth)
{
    size_t first = l->w->n;
    PlantRoot *r = add_root(
        l, (PlantRoot){ .path = path, .row = row, .depth = depth, .is_dir = is_dir(dir, name) });
    l->within = 0;
    r->busy = r->is_dir && is_busy(l, row, depth);
    if (r->busy)
        return;
    if (r->is_dir)
        add_within(l, path, 0);
    else
        add_entry(l, dir, name, path, true);
    r->unseen = l->within >= PLANT_WITHIN_MAX;
    if (r->unseen)
        l->w->n = first;
    l->looked_at += l->within;
}

/* What git runs or obeys, of one of its directories. */
static void add_git(Look *l, int dir, Str path, int depth)
{
    static const char *const kept[] = { "hooks", "config", "config.worktree", "commondir",
                                        "info/attributes" };
    struct stat info;
    add_root(
        l, (PlantRoot){ .path = path, .row = GIT, .depth = depth, .is_dir = true, .is_git = true });
    if (is_link(dir, "info"))
        add_plant(l, dir, "info", child_of(&l->w->arena, path, "info"), GIT, depth);
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        if (fstatat(dir, kept[i], &info, AT_SYMLINK_NOFOLLOW) == 0)
            add_plant(l, dir, kept[i], child_of(&l->w->arena, path, kept[i]), GIT, depth);
}

/* At the end, or next. */
static void add_todo(Look *l, Todo *behind, Todo new)
{
    Todo *t = NEW(&l->w->arena, Todo);
    new.next = behind->next;
    *t = new;
    behind->next = t;
    if (l->last == behind)
        l->last = t;
}

bool plant_of_packages(Str name)
{
    return str_eq(name, S("node_modules")) || str_eq(name, S("site-packages"));
}

/* One entry: a name that is kept, a directory to go into, or nothing of ours.  Most are plain
 * files, and those cost nothing but the comparison of their names. */
static void look_at(Look *l, int dir, const struct dirent *entry, Todo *in, bool in_git)
{
    const Workdir *p = l->w->workdir;
    const char *name = entry->d_name;
    int row = obeyed_find(str(name));
    bool directory = entry->d_type == DT_DIR || (entry->d_type == DT_UNKNOWN && is_dir(dir, name));
    if (row < 0 && !directory)
        return;
    Str path = child_of(&l->w->arena, in->path, name);
    if (plant_is_apart(p, path))
        return;
    bool kept = row >= 0 && !p->plants_allowed[row] && !(row > GIT && in->of_packages);
    if (kept && !(row == GIT && directory))
        add_plant(l, dir, name, path, row, in->depth);
    else if (directory && row == GIT && in->depth == 0) /* never too late for it */
        add_todo(l, in, (Todo){ .path = path });
    else if (directory && !(in_git && (plant_of_git(str(name)) || strcmp(name, "objects") == 0)))
        add_todo(l, l->last,
                 (Todo){ .path = path,
                         .depth = in->depth + 1,
                         .of_packages = in->of_packages || plant_of_packages(str(name)) });
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

static bool is_too_much(const Look *l)
{
    size_t max = l->w->workdir->plants_looked_at_max;
    return l->looked_at >= (max ? max : PLANT_LOOKED_AT_MAX);
}

/* False: there was too much, or something could not be looked at. */
static bool look_into(Look *l, Todo *t)
{
    /* The working directory itself is always looked through, and so is what was before. */
    const PlantWatch *was = l->w->earlier;
    bool must = t->depth == 0 || (was && was->dirs_n &&
                                  bsearch(&t->path, was->dirs, was->dirs_n, sizeof(Str), by_name));
    if (!must && is_too_much(l))
        return false;
    l->failed = false;
    DIR *d = open_dir(l, t->path);
    struct dirent *entry;
    if (!d)
        return !l->failed;
    bool git = obeyed_find(str_base_name(t->path)) == GIT || plant_is_git(dirfd(d));
    bool fits = true;
    if (git && !l->w->workdir->plants_allowed[GIT])
        add_git(l, dirfd(d), t->path, t->depth);
    while (fits && (entry = next_of(d))) {
        l->looked_at++;
        look_at(l, dirfd(d), entry, t, git);
        fits = must || !is_too_much(l);
    }
    closedir(d);
    fits = fits && !l->failed;
    if (l->before && fits) {
        PlantWatch *w = l->w;
        w->dirs =
            arena_grow(&w->arena, w->dirs, w->dirs_n, &w->dirs_cap, sizeof *w->dirs, alignof(Str));
        w->dirs[w->dirs_n++] = t->path;
    }
    return fits;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const Planted *)a)->path, ((const Planted *)b)->path);
}

static bool is_home(const Workdir *p)
{
    struct stat home, here;
    const char *named = getenv("HOME");
    return named && stat(named, &home) == 0 && fstat(p->dir, &here) == 0 &&
           home.st_dev == here.st_dev && home.st_ino == here.st_ino;
}

void plant_look(PlantWatch *w, bool before)
{
    Todo first = { 0 };
    Look l = { .w = w, .last = &first, .before = before, .home = is_home(w->workdir) };
    w->depth_seen = INT_MAX;
    for (Todo *t = &first; t && !(w->cut && before); t = t->next)
        if (!look_into(&l, t)) {
            w->cut = true;
            w->depth_seen = before ? t->depth - 1 : w->depth_seen;
        }
    if (w->dirs_n)
        qsort(w->dirs, w->dirs_n, sizeof *w->dirs, by_name);
    if (w->n)
        qsort(w->at, w->n, sizeof *w->at, by_path);
}
