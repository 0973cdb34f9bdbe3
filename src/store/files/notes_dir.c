/* notes_dir.c - notes that lie in a directory of the person's own.
 *
 * A pad may be told, when it is made, that its notes are the .md and .txt files of a directory that
 * is there anyway: docs/, a vault.  `format` says so, in its second line, so it goes where the pad
 * goes, into git too, and a version that knows nothing of it refuses the pad:
 *
 *     jotter 4 4
 *     notes docs
 *
 * The path begins in the directory the pad lies in and never leads out of it, nor over a symlink,
 * nor into the pad.  Everywhere else in the engine a note's file is still called notes/KEY.md; here
 * that becomes a name beneath the descriptor of the directory.
 *
 * Nothing is made there but notes, and folders for them.  A draft lies in the pad, in drafts/, so
 * both must be on one file system and one mount: two names are exchanged between them.
 *
 * The directory can go: a checkout of another branch takes it.  That all notes are missing then
 * says nothing of any of them.  So whenever something is missing it is asked whether the directory
 * is still the one that is open; one that came in its place is taken, and where there is none every
 * answer is NOTES_DIR_GONE, which is never taken for "deleted". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/obeyed.h"
#include "base/utf8.h"
#include "store/files/files.h"

#define NOTES "notes"

enum { OPEN_TRIES = 3 };

bool notes_dir_has(const Files *f, const char *path)
{
    size_t n = strlen(NOTES);
    return f->notes_dir[0] && strncmp(path, NOTES, n) == 0 && (path[n] == 0 || path[n] == '/');
}

/* The same path beneath the directory. */
static const char *beneath(const char *path)
{
    size_t n = strlen(NOTES);
    return path[n] && path[n + 1] ? path + n + 1 : ".";
}

/* The lists are of exact names where case counts: docs/agent.md is a document. */
bool notes_dir_is_obeyed(const Files *f, Str stem)
{
    char name[STORE_SEGMENT_MAX + sizeof ".md"];
    int n = snprintf(name, sizeof name, STR_FMT ".md", STR_ARG(stem));
    int row =
        n > 0 && (size_t)n < sizeof name ? obeyed_find_document((Str){ name, (size_t)n }) : -1;
    return row >= 0 && (f->folds || strcmp(name, obeyed_name(row)) == 0);
}

jot_status notes_dir_refuse_obeyed(const Paths *p, Err *e)
{
    Shown shown;
    return err_set(e, JOT_DENIED,
                   "'%s' cannot be a note here: other programs take a file of that name for "
                   "instructions; edit the file itself",
                   err_show(&shown, p->name));
}

/* --- Which directory ------------------------------------------------------------------------ */

jot_status notes_dir_set(Files *f, Str dir, Err *e)
{
    Shown shown;
    while (dir.n > 1 && dir.p[dir.n - 1] == '/')
        dir.n--;
    bool good = dir.n && dir.n <= FILES_NOTES_DIR_MAX && utf8_valid(dir);
    for (size_t i = 0; good && i < dir.n; i++)
        good = (unsigned char)dir.p[i] >= ' ' && dir.p[i] != 0x7f;
    for (Str rest = dir; good && rest.n && !str_eq(dir, S("."));) {
        Str segment = rest;
        if (!str_cut(&rest, '/', &segment))
            rest = (Str){ 0 };
        good = segment.n && segment.p[0] != '.';
    }
    if (!good || dir.p[dir.n - 1] == '/')
        return err_set(e, JOT_INVALID,
                       "the notes cannot lie in '%s': name a directory beside the pad, as docs or "
                       "docs/notes, with no '..' and nothing hidden in it",
                       err_show(&shown, dir));
    memcpy(f->notes_dir, dir.p, dir.n);
    f->notes_dir[dir.n] = 0;
    return JOT_OK;
}

/* Is one of the directories on the way the pad? */
static bool leads_through_pad(Files *f)
{
    struct stat pad, there;
    char way[FILES_NOTES_DIR_MAX + 1];
    if (io_fstat(f->base.io, f->root, &pad) < 0)
        return false;
    for (size_t n = 1; n <= strlen(f->notes_dir); n++) {
        if (f->notes_dir[n] && f->notes_dir[n] != '/')
            continue;
        snprintf(way, sizeof way, "%.*s", (int)n, f->notes_dir);
        if (io_stat_path(f->base.io, f->above, way, &there) == 0 && there.st_ino == pad.st_ino &&
            there.st_dev == pad.st_dev)
            return true;
    }
    return false;
}

/* The directory that the pad lies in holds it, so it is left out of the notes only if it is hidden.
 */
static bool pad_is_hidden(const Files *f)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", f->root);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    return slash && slash[1] == '.';
}

/* Two names can be exchanged only within one mount.  Asked of a name that is not there: the answer
 * comes before it is looked for. */
static bool same_mount(Files *f, int dir)
{
    return io_move(f->base.io, dir, ".jotter-no-such-file", f->root, ".jotter-no-such-file",
                   RENAME_NOREPLACE) != -EXDEV;
}

/* 1 if another directory has come in the place of the one that was open, 0 if it is the same. */
static int look_again(Files *f)
{
    const Io *io = f->base.io;
    struct stat info;
    AUTO(Fd) dir = io_open(io, f->above, f->notes_dir, O_RDONLY | O_DIRECTORY, 0);
    int got = dir < 0 ? dir : io_fstat(io, dir, &info);
    bool gone = io_missing(got) || got == -ELOOP || got == -EXDEV;
    if (gone || (got == 0 && !info.st_nlink)) {
        fd_close(&f->notes);
        return NOTES_DIR_GONE;
    }
    if (got < 0)
        return got;
    if (f->notes >= 0 && info.st_ino == f->notes_id.ino && info.st_dev == f->notes_id.dev)
        return 0;
    if (!same_mount(f, dir))
        return -EXDEV;
    fd_close(&f->notes);
    f->notes = fd_take(&dir);
    f->notes_id = (FileId){ info.st_dev, info.st_ino };
    return 1;
}

jot_status notes_dir_gone(const Files *f, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNAVAILABLE,
                   "the notes of this pad are the files in '%s', and there is no such directory: "
                   "bring it back (or make it, if they are all to go)",
                   err_show(&shown, str(f->notes_dir)));
}

static jot_status cannot_be(const Files *f, const char *why, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID, "the notes cannot lie in '%s': %s",
                   err_show(&shown, str(f->notes_dir)), why);
}

/* --- Opening it ----------------------------------------------------------------------------- */

/* As its parents would make it: what lies there is not ours alone. */
static int make_on_the_way(Files *f)
{
    const Io *io = f->base.io;
    char segment[FILES_NOTES_DIR_MAX + 1];
    AUTO(Fd) at = io_open(io, f->above, ".", O_RDONLY | O_DIRECTORY, 0);
    for (Str rest = str(f->notes_dir); at >= 0 && rest.n;) {
        Str head = rest;
        if (!str_cut(&rest, '/', &head))
            rest = (Str){ 0 };
        snprintf(segment, sizeof segment, STR_FMT, STR_ARG(head));
        int below = io_open(io, at, segment, O_RDONLY | O_DIRECTORY, 0);
        int made = below == -ENOENT ? io_mkdir_mode(io, at, segment, 0777) : -EEXIST;
        if (made == 0)
            made = io_fsync(io, at);
        if (made < 0 && made != -EEXIST)
            return made;
        if (below < 0 && below != -ENOENT)
            return below;
        if (below < 0)
            below = io_open(io, at, segment, O_RDONLY | O_DIRECTORY, 0);
        fd_close(&at);
        at = below;
    }
    return at < 0 ? at : 0;
}

jot_status notes_dir_begin(Files *f, const char *pad, bool make, Err *e)
{
    AUTO(Arena) arena = { 0 };
    if (!f->notes_dir[0])
        return JOT_OK;
    fd_close(&f->above);
    f->above = io_open_root(f->base.io, arena_printf(&arena, "%s/..", pad).p);
    if (f->above < 0)
        return err_errno(e, -f->above, "could not open the directory the pad lies in");
    if (leads_through_pad(f))
        return cannot_be(f, "that is in the pad", e);
    if (strcmp(f->notes_dir, ".") == 0 && !pad_is_hidden(f))
        return cannot_be(f,
                         "the pad is there, too, and is left out of the notes only if its name "
                         "begins with '.'",
                         e);
    int got = look_again(f);
    if (got == NOTES_DIR_GONE && make) {
        got = make_on_the_way(f);
        got = got < 0 ? got : look_again(f);
    }
    if (got == -EXDEV)
        return cannot_be(f, "it is on another file system than the pad, or mounted apart", e);
    if (got == -ELOOP || got == -ENOTDIR || (got == NOTES_DIR_GONE && make))
        return cannot_be(f, "it is no directory, or a symlink leads there", e);
    /* Without it the rest of the pad is as good as ever. */
    return got < 0 && got != NOTES_DIR_GONE ? err_errno(e, -got, "could not open the notes")
                                            : JOT_OK;
}

bool notes_dir_lost(Files *f)
{
    struct stat info;
    return f->notes_dir[0] && notes_dir_stat(f, NOTES, &info) == NOTES_DIR_GONE;
}

bool notes_dir_moved(Files *f)
{
    FileId before = f->notes_id;
    Fd had = f->notes;
    if (!f->notes_dir[0] || had < 0)
        return false;
    return look_again(f) == 1 && before.ino != 0;
}

void notes_dir_end(Files *f)
{
    fd_close(&f->notes);
    fd_close(&f->above);
    fd_close(&f->drafts);
}

/* --- Names beneath it ----------------------------------------------------------------------- */

typedef int Asking(Files *f, const char *name, void *ctx);

/* What is missing is only missing if the directory is there. */
static int ask(Files *f, const char *path, Asking *question, void *ctx)
{
    int got = f->notes < 0 ? look_again(f) : 0;
    for (int i = 0; got >= 0 && i < OPEN_TRIES; i++) {
        int answer = question(f, beneath(path), ctx);
        if (!io_missing(answer))
            return answer;
        got = look_again(f);
        if (got == 0)
            return answer;
    }
    return got < 0 ? got : NOTES_DIR_GONE;
}

static int ask_open(Files *f, const char *name, void *ctx)
{
    return io_open(f->base.io, f->notes, name, *(const int *)ctx, 0);
}

static int ask_stat(Files *f, const char *name, void *ctx)
{
    return io_stat_path(f->base.io, f->notes, name, ctx);
}

int notes_dir_open(Files *f, const char *path, int flags)
{
    return ask(f, path, ask_open, &flags);
}

int notes_dir_stat(Files *f, const char *path, struct stat *out)
{
    return ask(f, path, ask_stat, out);
}

int notes_dir_make_dir(Files *f, const char *path)
{
    const Io *io = f->base.io;
    char segment[FILES_NAME_MAX];
    const char *name = beneath(path);
    AUTO(Fd) at = notes_dir_open(f, NOTES, O_RDONLY | O_DIRECTORY);
    for (Str rest = str(strcmp(name, ".") == 0 ? "" : name); at >= 0 && rest.n;) {
        Str head = rest;
        if (!str_cut(&rest, '/', &head))
            rest = (Str){ 0 };
        snprintf(segment, sizeof segment, STR_FMT, STR_ARG(head));
        int made = io_mkdir_mode(io, at, segment, 0777);
        if (made < 0 && made != -EEXIST)
            return made;
        int below = io_open(io, at, segment, O_RDONLY | O_DIRECTORY, 0);
        fd_close(&at);
        at = below;
    }
    return fd_take(&at);
}

/* --- The files of notes ---------------------------------------------------------------------- */

int notes_dir_drafts(Files *f, bool make)
{
    if (f->drafts < 0)
        f->drafts = pad_open_dir(f, FILES_DRAFTS, make);
    return f->drafts;
}

bool notes_dir_drafted(Files *f)
{
    AUTO(Arena) arena = { 0 };
    Names names = { 0 };
    if (!f->notes_dir[0])
        return false;
    bool drafted = list_directory(f, FILES_DRAFTS, &arena, &names, NULL) != JOT_OK;
    for (size_t i = 0; i < names.n; i++)
        drafted = drafted || str_ends(names.items[i], S(".new"));
    return drafted;
}

/* What has gone meanwhile may be written for all that is known. */
static bool may_write(Files *f, int dir, const char *name)
{
    int got = io_may_write(f->base.io, dir, name);
    return got == 0 || io_missing(got);
}

/* May names come and go there?  In a directory like /tmp only those of one's own files. */
static bool may_exchange(Files *f, int dir, const struct stat *file)
{
    struct stat info;
    if (!may_write(f, dir, "."))
        return false;
    bool sticky = file && io_fstat(f->base.io, dir, &info) == 0 && (info.st_mode & S_ISVTX);
    uid_t me = geteuid();
    return !sticky || me == 0 || info.st_uid == me || file->st_uid == me;
}

jot_status notes_dir_check_file(Files *f, const Paths *p, int dir, Err *e)
{
    struct stat info;
    Shown shown, folder;
    int got = p->placed ? io_stat(f->base.io, dir, p->view, &info) : -ENOENT;
    if (p->placed && !may_exchange(f, dir, got == 0 ? &info : NULL))
        return err_set(e, JOT_DENIED,
                       "the directory of '%s' does not let you replace its file: see to the "
                       "permissions of '%s%s'",
                       err_show(&shown, p->name), f->notes_dir,
                       err_show(&folder, str(p->view_dir + strlen(NOTES))));
    if (got < 0)
        return JOT_OK; /* what it is otherwise is seen when it is read */
    if (S_ISREG(info.st_mode) && (!(info.st_mode & 0222) || !may_write(f, dir, p->view)))
        return err_set(e, JOT_DENIED, "the file of '%s' may not be written: chmod u+w '%s/%s'",
                       err_show(&shown, p->name), f->notes_dir, p->view_path + strlen(NOTES) + 1);
    return JOT_OK;
}
