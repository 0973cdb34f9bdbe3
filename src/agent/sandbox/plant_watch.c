/* plant_watch.c - the working directory before and after a command.
 *
 * It is walked both times (plant_look.c), and as far as both saw it, it is compared.
 * A file is the same if it has the inode and the time of change it had, which no
 * command can set, or else the same content and mode.
 *
 * What is moved away goes to a directory of its own, under a name that nothing looks
 * for.  Nothing is thrown away: it may be that the user made the change while the
 * command was at work. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/sandbox/plant.h"
#include "base/id.h"

#define ASIDE PLANT_ASIDE

enum { GIT = OBEYED_GIT, GENERIC_MAX = 4096 };

void plant_before(PlantWatch *out, const Workdir *workdir)
{
    *out = (PlantWatch){ .workdir = workdir, .began = time(NULL) };
    plant_look(out, true);
}

/* What has another name besides can be changed by that. */
void plant_guarded(PlantWatch *w, Str path)
{
    for (size_t i = 0; i < w->n; i++) {
        Str at = w->at[i].path;
        if (str_starts(at, path) && (at.n == path.n || at.p[path.n] == '/'))
            w->at[i].guarded = w->at[i].info.st_nlink == 1;
    }
}

void plant_done(PlantWatch *w)
{
    arena_free(&w->arena);
    *w = (PlantWatch){ 0 };
}

/* --- Comparing ----------------------------------------------------------------------------- */

typedef struct After {
    PlantWatch *before, now;
    Arena *into;
    PlantReport *report;
    size_t found;
    Fd aside; /* the directory; FD_NONE: not made yet */
    char aside_name[64];
} After;

static bool read_now(const Workdir *p, Str path, char *room, size_t size, Str *out)
{
    AUTO(Fd) fd = io_open(p->io, p->dir, path.p, O_RDONLY | O_NONBLOCK, 0);
    ssize_t n = fd < 0 ? -1 : io_read_all(p->io, fd, room, size, 0);
    *out = (Str){ room, n < 0 ? 0 : (size_t)n };
    return n >= 0;
}

/* In .git/worktrees/NAME: what git takes from two directories up is then in a .git, and looked at.
 * Anywhere else that may be a directory that nobody would take for one of git's. */
static bool is_of_worktree(Str path)
{
    Str parts[4] = { 0 };
    for (Str rest = path; rest.n;) {
        memmove(parts, parts + 1, sizeof parts - sizeof *parts);
        if (!str_cut(&rest, '/', &parts[3])) {
            parts[3] = rest;
            break;
        }
    }
    return str_eq(parts[0], S(".git")) && str_eq(parts[1], S("worktrees")) &&
           str_eq(parts[3], S("commondir"));
}

/* What `git init` writes, and what stands in every linked working tree: nothing is run by it. */
static bool is_generic(const Workdir *p, int row, const Planted *now)
{
    static const char *const lines[] = { "",
                                         "[core]",
                                         "repositoryformatversion = 0",
                                         "filemode = true",
                                         "filemode = false",
                                         "bare = true",
                                         "bare = false",
                                         "logallrefupdates = true",
                                         "ignorecase = true",
                                         "precomposeunicode = true",
                                         "symlinks = false" };
    char room[GENERIC_MAX];
    Str text, line;
    if (row != GIT || !S_ISREG(now->info.st_mode))
        return false;
    if (!read_now(p, now->path, room, sizeof room, &text) || text.n == sizeof room)
        return false;
    if (str_ends(now->path, S("/commondir")))
        return is_of_worktree(now->path) && str_eq(text, S("../..\n"));
    bool fine = str_ends(now->path, S("/config"));
    for (bool more = true; fine && more;) {
        more = str_cut(&text, '\n', &line);
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(lines); i++)
            known = known || str_eq(str_trim(more ? line : text), str(lines[i]));
        fine = known;
    }
    return fine;
}

/* Split a path; the directory is opened beneath the working directory. */
static int open_above(const Workdir *p, Str path, const char **name)
{
    char dir[PATH_MAX];
    size_t slash = str_find_last(path, '/');
    *name = slash == path.n ? path.p : path.p + slash + 1;
    if (slash >= sizeof dir)
        return -ENAMETOOLONG;
    snprintf(dir, sizeof dir, "%.*s", slash == path.n ? 1 : (int)slash,
             slash == path.n ? "." : path.p);
    return io_open(p->io, p->dir, dir, O_RDONLY | O_DIRECTORY, 0);
}

/* Where a link leads; a new one may have the inode of the old one. */
static bool link_now(const Workdir *p, Str path, char *room, size_t size, Str *out)
{
    const char *name;
    AUTO(Fd) dir = open_above(p, path, &name);
    ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, room, size);
    *out = (Str){ room, n < 0 ? 0 : (size_t)n };
    return n >= 0;
}

static bool is_same(const After *a, const Planted *was, const Planted *now)
{
    const struct stat *x = &was->info, *y = &now->info;
    bool old = x->st_ctim.tv_sec + 1 < a->before->began;
    if ((old || !was->kept) && x->st_ino == y->st_ino && x->st_dev == y->st_dev &&
        x->st_size == y->st_size && x->st_mode == y->st_mode &&
        x->st_ctim.tv_sec == y->st_ctim.tv_sec && x->st_ctim.tv_nsec == y->st_ctim.tv_nsec)
        return true;
    if (!was->kept || x->st_mode != y->st_mode || x->st_size != y->st_size)
        return false;
    AUTO(Arena) arena = { 0 };
    char *room = arena_alloc(&arena, PLANT_FILE_MAX + 1, 1);
    Str text = { 0 };
    bool read = S_ISLNK(x->st_mode)
                    ? link_now(a->before->workdir, now->path, room, PLANT_FILE_MAX, &text)
                    : read_now(a->before->workdir, now->path, room, PLANT_FILE_MAX + 1, &text);
    return read && str_eq(text, was->content);
}

/* A command may have shut directories against us: what it owns is the user's, and opened again. */
static void open_up(int dir)
{
    struct stat info;
    if (dir >= 0 && fstat(dir, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
        (info.st_mode & S_IRWXU) != S_IRWXU)
        (void)fchmod(dir, (info.st_mode & 0777) | S_IRWXU);
}

/* The directory that things are moved to.  One that somebody else made is not used, nor a
 * link. */
static bool open_aside(After *a)
{
    const Workdir *p = a->before->workdir;
    struct stat info;
    snprintf(a->aside_name, sizeof a->aside_name, ASIDE);
    open_up(p->dir);
    for (int i = 0; i < 8 && a->aside < 0; i++) {
        if (i > 0)
            snprintf(a->aside_name, sizeof a->aside_name, ASIDE "-%s", id_random(p->io, 3).text);
        io_mkdir(p->io, p->dir, a->aside_name);
        int fd = io_open(p->io, p->dir, a->aside_name, O_RDONLY | O_DIRECTORY, 0);
        if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid())
            open_up(a->aside = fd);
        else if (fd >= 0)
            close(fd);
    }
    return a->aside >= 0;
}

/* Where another file system lies within the working directory, it stays there, under another name.
 */
static bool put_aside(After *a, Str path, Str *where)
{
    const Workdir *p = a->before->workdir;
    const char *name;
    AUTO(Fd) dir = open_above(p, path, &name);
    char to[NAME_MAX + 1];
    snprintf(to, sizeof to, "%s-%.200s.aside", id_random(p->io, 3).text, name);
    if (dir < 0 || !open_aside(a))
        return false;
    /* To move a directory, it is written to as well. */
    AUTO(Fd) what = io_open(p->io, dir, name, O_RDONLY | O_DIRECTORY, 0);
    open_up(dir);
    open_up(what);
    int done = io_move(p->io, dir, name, a->aside, to, 0);
    *where = arena_printf(&a->now.arena, "%s/%s", a->aside_name, to);
    if (done == -EXDEV) {
        done = io_rename(p->io, dir, name, to, 0);
        *where = arena_copy(&a->now.arena, str(to));
    }
    return done == 0;
}

/* The directory of a file that was there.  Missing ones are made as far as they are kept as a
 * whole; those above are the command's to remove. */
static int open_or_make(const Workdir *p, const Planted *was, int row, Str *name)
{
    Fd at = fcntl(p->dir, F_DUPFD_CLOEXEC, 3);
    Str rest = was->path, part;
    char dir[NAME_MAX + 1];
    bool kept = false;
    while (at >= 0 && str_cut(&rest, '/', &part)) {
        snprintf(dir, sizeof dir, STR_FMT, STR_ARG(part));
        kept = kept || (row == GIT ? plant_of_git(part) || str_eq(part, S("info"))
                                   : obeyed_find(part) == row);
        int next = io_open(p->io, at, dir, O_RDONLY | O_DIRECTORY, 0);
        if (next == -ENOENT && kept)
            open_up(at);
        if (next == -ENOENT && kept && io_mkdir(p->io, at, dir) == 0)
            next = io_open(p->io, at, dir, O_RDONLY | O_DIRECTORY, 0);
        fd_close(&at);
        at = next;
    }
    *name = rest;
    return at;
}

/* As it was, unless the directory that held the name is gone. */
static bool put_back(After *a, const Planted *was)
{
    const Workdir *p = a->before->workdir;
    Str name;
    if (!was->kept)
        return false;
    AUTO(Fd) dir = open_or_make(p, was, a->before->roots[was->root].row, &name);
    if (dir < 0)
        return false;
    open_up(dir);
    if (S_ISLNK(was->info.st_mode))
        return symlinkat(was->content.p, dir, name.p) == 0;
    AUTO(Fd) fd = io_open(p->io, dir, name.p, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return fd >= 0 && io_write_all(p->io, fd, was->content) == 0 &&
           fchmod(fd, was->info.st_mode & 0777) == 0;
}

static void report(After *a, PlantFound found)
{
    PlantReport *r = a->report;
    r->at = arena_grow(a->into, r->at, r->n, &r->cap, sizeof *r->at, alignof(PlantFound));
    r->at[r->n++] = found;
}

static void report_plant(After *a, Str path, int row, const char *what, Str where, const char *then)
{
    Shown shown, shown_where;
    AUTO(Buf) text = { 0 };
    if (++a->found > PLANT_TOLD_MAX)
        return;
    buf_addf(&text, "('%s' %s", err_show(&shown, path), what);
    if (where.n)
        buf_addf(&text, " and was moved to '%s'", err_show(&shown_where, where));
    buf_addf(&text,
             "%s: other programs run or obey this file; only the user can allow it, with "
             "--allow plant:%s)",
             then, obeyed_name(row));
    report(a, (PlantFound){ .path = arena_copy(a->into, path),
                            .aside = arena_copy(a->into, where),
                            .name = obeyed_name(row),
                            .text = arena_copy(a->into, buf_str(&text)) });
}

static void take_away(After *a, Str path, int row)
{
    Str where = { 0 };
    bool done = put_aside(a, path, &where);
    report_plant(a, path, row, "appeared", done ? where : (Str){ 0 },
                 done ? "" : ", and could not be moved away");
}

typedef struct Inside {
    Str *at;
    size_t n, cap;
} Inside;

/* All that is in a directory but the pad and what is the user's own.  It is listed before anything
 * is moved, which may get another name in the same directory. */
static bool list_inside(After *a, Str path, Inside *out)
{
    const Workdir *p = a->before->workdir;
    Arena *into = &a->now.arena;
    struct dirent *entry;
    int fd = io_open(p->io, p->dir, path.p, O_RDONLY | O_DIRECTORY, 0);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    while (d && (entry = readdir(d))) {
        Str child = arena_printf(into, "%s/%s", path.p, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            plant_is_apart(p, child))
            continue;
        out->at = arena_grow(into, out->at, out->n, &out->cap, sizeof *out->at, alignof(Str));
        out->at[out->n++] = child;
    }
    if (d)
        closedir(d);
    return d != NULL;
}

/* What is the pad's or the user's own would not be guarded under another name: it stays, and with
 * it the directories above it. */
static void take_dir_away(After *a, Str path, int row)
{
    Inside in = { 0 };
    if (!plant_is_above_apart(a->before->workdir, path))
        take_away(a, path, row);
    else if (!list_inside(a, path, &in))
        report_plant(a, path, row, "appeared", (Str){ 0 }, ", and could not be moved away");
    for (size_t i = 0; i < in.n; i++)
        take_dir_away(a, in.at[i], row);
}

static void appeared(After *a, const Planted *now)
{
    int row = a->now.roots[now->root].row;
    if (!a->now.roots[now->root].passed && !is_generic(a->before->workdir, row, now))
        take_away(a, now->path, row);
}

/* What is too large to have been kept is only reported: it may be a log that somebody else writes.
 */
static void compare(After *a, const Planted *was, const Planted *now)
{
    Str where = { 0 };
    int row = a->before->roots[was->root].row;
    if (was->guarded || is_same(a, was, now))
        return;
    bool done = was->kept && put_aside(a, now->path, &where);
    bool back = done && put_back(a, was);
    report_plant(a, now->path, row, "was changed", done ? where : (Str){ 0 },
                 !was->kept ? ", and is too large to be restored"
                 : !done    ? ", and could not be moved away"
                 : back     ? ", and the old one is back"
                            : ", and the old one could not be restored");
}

static void changed(After *a, const Planted *was, const Planted *now)
{
    if (!a->now.roots[now->root].passed)
        compare(a, was, now);
}

/* What is not seen any more may still be there: a directory of git's without its HEAD is none,
 * until somebody puts that back. */
static bool is_there(const Workdir *p, Str path, struct stat *info)
{
    const char *name;
    AUTO(Fd) dir = open_above(p, path, &name);
    return dir >= 0 && fstatat(dir, name, info, AT_SYMLINK_NOFOLLOW) == 0;
}

static void went(After *a, const Planted *was)
{
    Planted now = { .path = was->path };
    if (is_there(a->before->workdir, was->path, &now.info))
        compare(a, was, &now);
    else if (!was->guarded)
        report_plant(a, was->path, a->before->roots[was->root].row, "was removed", (Str){ 0 },
                     put_back(a, was) ? ", and is back" : ", and could not be restored");
}

static const PlantRoot *find_root(const PlantWatch *w, Str path)
{
    for (size_t i = 0; i < w->roots_n; i++)
        if (str_eq(w->roots[i].path, path))
            return &w->roots[i];
    return NULL;
}

/* A directory that is new goes as a whole, and so does one that has become too full to be seen; but
 * git makes its own, and in those each file is looked at. */
static void compare_roots(After *a, int deepest)
{
    for (size_t i = 0; i < a->now.roots_n; i++) {
        PlantRoot *now = &a->now.roots[i];
        const PlantRoot *was = now->is_dir ? find_root(a->before, now->path) : NULL;
        now->passed = now->depth > deepest || (was && was->unseen);
        if (!now->is_dir || now->is_git || now->passed)
            continue;
        bool fresh = now->row != GIT && !was;
        if (fresh || now->unseen) {
            now->passed = true;
            take_dir_away(a, now->path, now->row);
        }
    }
}

/* Both lists are in order. */
static void compare_files(After *a, int deepest)
{
    const PlantWatch *w = a->before;
    for (size_t i = 0, k = 0; i < w->n || k < a->now.n;) {
        const Planted *was = i < w->n ? &w->at[i] : NULL;
        const Planted *now = k < a->now.n ? &a->now.at[k] : NULL;
        int order = !was ? 1 : !now ? -1 : str_cmp(was->path, now->path);
        assert(!was || i == 0 || str_cmp(w->at[i - 1].path, was->path) <= 0);
        assert(!now || k == 0 || str_cmp(a->now.at[k - 1].path, now->path) <= 0);
        i += order <= 0;
        k += order >= 0;
        if (was && now && order == 0)
            changed(a, was, now);
        else if (now && order > 0)
            appeared(a, now);
        else if (was && w->roots[was->root].depth <= deepest)
            went(a, was);
    }
}

void plant_after(PlantWatch *w, Arena *into, PlantReport *out)
{
    After a = { .before = w,
                .now = { .workdir = w->workdir, .earlier = w },
                .into = into,
                .report = out,
                .aside = FD_NONE };
    *out = (PlantReport){ 0 };
    plant_look(&a.now, false);
    compare_roots(&a, w->depth_seen);
    compare_files(&a, w->depth_seen);
    if (a.found > PLANT_TOLD_MAX)
        report(&a, (PlantFound){ .text = arena_printf(into, "(and %zu more of them)",
                                                      a.found - PLANT_TOLD_MAX) });
    if (w->cut || a.now.cut)
        report(&a, (PlantFound){ .text = S("(the directory is too large to be looked through for "
                                           "files that other programs run or obey, or cannot be "
                                           "read: look at what is new in it)") });
    fd_close(&a.aside);
    plant_done(&a.now);
}

Str plant_sentences(const PlantReport *r, Arena *into)
{
    AUTO(Buf) text = { 0 };
    for (size_t i = 0; i < r->n; i++)
        buf_addf(&text, STR_FMT "\n", STR_ARG(r->at[i].text));
    return arena_copy(into, buf_str(&text));
}
