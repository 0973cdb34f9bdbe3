/* view.c - what people see: one file a document, with the text of its stream's head.
 *
 * A view is never written in place.  The next text is written to a draft
 * beside it and the two names are exchanged, so that `cat` shows whole texts
 * only, and so that what was displaced can be looked at before it goes: a
 * person may have saved the file a moment ago.
 *
 * A view is not synced: what is lost of it is rebuilt from its stream.  That
 * needs somebody who notices, so where the system has no word for the mount
 * (pad_syncs_views) it is.
 *
 * The file of a note ends in .txt or .md, as whoever made it chose, and keeps its ending.  Readers
 * ask for the other one where the first is missing, and whether there are both: neither may be
 * taken for the note then, and neither is touched.
 *
 * Where the file system cannot exchange names, the draft is renamed over the
 * view and an edit made in that very moment is lost; store_promise says so. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_cursor.h"
#include "base/mutant.h"
#include "store/files/files.h"

enum { EXCHANGE_TRIES = 8, READ_TRIES = 4 };

static jot_status refuse(Err *e, const Paths *p, const char *why)
{
    Shown shown;
    return err_set(e, JOT_DENIED, "the file of '%s' %s: only regular files are used",
                   err_show(&shown, p->name), why);
}

static jot_status view_failed(Err *e, const Paths *p, int got, const char *what)
{
    Shown shown;
    if (p->placed && got == -EXDEV)
        return err_set(e, JOT_UNAVAILABLE,
                       "could not %s the file of '%s': the notes must be on the file system of the "
                       "pad, and not mounted apart",
                       what, err_show(&shown, p->name));
    if (io_missing(got)) /* never JOT_NOT_FOUND: it is not the document that is missing */
        return err_set(e, JOT_UNAVAILABLE,
                       "could not %s the file of '%s': its folder was just removed, try again",
                       what, err_show(&shown, p->name));
    return err_errno(e, -got, "could not %s the file of '%s'", what, err_show(&shown, p->name));
}

/* One file to be read: a view or a draft. */
typedef struct Reading {
    Files *f;
    const Paths *paths;
    int dir;          /* -1: the name is a path in the pad */
    const char *name; /* in `dir` */
    bool asks;        /* whether somebody has it open for writing */
    Arena *into;
} Reading;

/* All of an open file; it may grow while we read. */
static jot_status read_text(const Reading *r, int fd, size_t size, Str *out, Err *e)
{
    for (int i = 0; i < READ_TRIES; i++) {
        char *room = arena_alloc(r->into, size + 1, 1);
        /* One read: of a regular file less than asked for means that there is no more. */
        ssize_t got = io_read_at(r->f->base.io, fd, room, size + 1, 0);
        if (got < 0)
            return view_failed(e, r->paths, (int)got, "read");
        if ((size_t)got <= size) {
            room[got] = 0;
            *out = (Str){ room, (size_t)got };
            return JOT_OK;
        }
        size = size * 2 + 4096;
        if (size > STORE_BODY_MAX)
            size = STORE_BODY_MAX;
    }
    return err_set(e, JOT_UNAVAILABLE, "a file of the pad keeps growing while it is read");
}

static jot_status read_open(const Reading *r, int fd, View *out, Err *e)
{
    const Paths *p = r->paths;
    struct stat info;
    int got = io_fstat(r->f->base.io, fd, &info);
    if (got < 0)
        return view_failed(e, p, got, "look at");
    out->directory = S_ISDIR(info.st_mode);
    if (out->directory)
        return JOT_OK;
    if (!S_ISREG(info.st_mode))
        return refuse(e, p, "is not a regular file");
    Shown shown;
    if (info.st_size > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "the file of '%s' has %lld bytes: the limit is %d",
                       err_show(&shown, p->name), (long long)info.st_size, STORE_BODY_MAX);
    if (info.st_nlink > 1) /* its other name may be anybody's file */
        return err_set(e, JOT_DENIED, "the file of '%s' has a second hard link: copy it without",
                       err_show(&shown, p->name));
    *out = (View){ .there = true };
    /* Asked before it is read: if nobody has, the text is the last it will have. */
    if (r->asks)
        out->held = io_written_elsewhere(r->f->base.io, fd, true);
    out->changed_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    out->inode = info.st_ino;
    out->mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    out->ctime_ns = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec;
    TRY(read_text(r, fd, (size_t)info.st_size, &out->text, e));
    out->sha256 = hash_of(out->text);
    return JOT_OK;
}

static jot_status read_file(const Reading *r, View *out, Err *e)
{
    *out = (View){ 0 };
    if (r->paths->obeyed)
        return notes_dir_refuse_obeyed(r->paths, e);
    /* O_NONBLOCK: a FIFO planted here must not hold us. */
    AUTO(Fd)
    fd = r->dir < 0 ? pad_open_file(r->f, r->name)
                    : io_open(r->f->base.io, r->dir, r->name, O_RDONLY | O_NONBLOCK, 0);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return JOT_OK;
    if (r->paths->placed && fd == NOTES_DIR_GONE)
        return notes_dir_gone(r->f, e);
    if (fd == -ELOOP || fd == -EXDEV)
        return refuse(e, r->paths, "is a symlink, or a symlink leads to it");
    if (fd == -ENXIO)
        return refuse(e, r->paths, "is not a regular file");
    if (fd < 0)
        return view_failed(e, r->paths, fd, "open");
    return read_open(r, fd, out, e);
}

/* The first of its files that is there. */
static jot_status read_either(Files *f, const Paths *p, Arena *into, View *out, Err *e)
{
    TRY(read_file(&(Reading){ f, p, -1, p->view_path, false, into }, out, e));
    if (!p->either || out->there || out->directory)
        return JOT_OK;
    char other[FILES_PATH_MAX];
    view_turned(p, other);
    return read_file(&(Reading){ f, p, -1, other, false, into }, out, e);
}

jot_status view_read(Files *f, const Paths *p, Arena *into, View *out, Err *e)
{
    TRY(read_either(f, p, into, out, e));
    return out->there && view_is_double(f, p) ? view_refuse_double(p, e) : JOT_OK;
}

/* --- Two endings ------------------------------------------------------------------------ */

jot_status view_refuse_double(const Paths *p, Err *e)
{
    char other[FILES_PATH_MAX];
    Shown shown, one, two;
    view_turned(p, other);
    return err_set(e, JOT_DENIED, "'%s' has two files, '%s' and '%s': keep one",
                   err_show(&shown, p->name), err_show(&one, str(p->view_path)),
                   err_show(&two, str(other)));
}

int view_stat(Files *f, const Paths *p, struct stat *out)
{
    char other[FILES_PATH_MAX];
    int got = pad_stat(f, p->view_path, out);
    if (!p->either || !io_missing(got))
        return got;
    view_turned(p, other);
    return pad_stat(f, other, out);
}

bool view_is_double(Files *f, const Paths *p)
{
    char other[FILES_PATH_MAX];
    struct stat info;
    if (!p->either)
        return false;
    view_turned(p, other);
    return pad_stat(f, other, &info) == 0 && pad_stat(f, p->view_path, &info) == 0;
}

jot_status view_settle(Files *f, Paths *p, int dir, Err *e)
{
    struct stat info;
    Paths other = *p;
    if (!p->either)
        return JOT_OK;
    paths_turn(&other);
    int got = io_stat(f->base.io, dir, other.view, &info);
    if (io_missing(got))
        return JOT_OK;
    if (got == 0)
        got = io_stat(f->base.io, dir, p->view, &info);
    if (got == 0)
        return view_refuse_double(p, e);
    if (!io_missing(got))
        return view_failed(e, p, got, "look for");
    *p = other;
    return JOT_OK;
}

void view_choose(Paths *p, Str meta)
{
    assert(p->viewed);
    AUTO(Arena) arena = { 0 };
    JsonCursor c = { .text = json_cursor_find(meta, S("file")) };
    const StoreKind *kind = store_kind(p->name);
    Str file = c.text.n ? json_cursor_text(&c, &arena) : (Str){ 0 };
    if (!p->either || p->turned)
        return;
    /* In a directory of the person's own a note is Markdown if nothing says otherwise. */
    if (str_ends(file, str(kind->also)) || (p->placed && !str_ends(file, str(kind->tail))))
        paths_turn(p);
}

Str view_meta(const Paths *p, Arena *into)
{
    AUTO(Buf) meta = { 0 };
    if (!p->either || (!p->turned && !p->placed))
        return (Str){ 0 };
    buf_add(&meta, S("{\"file\":"));
    json_quote(&meta, str_from(str(p->view_path), strlen("notes/")));
    buf_add_char(&meta, '}');
    return buf_ok(&meta) ? arena_copy(into, buf_str(&meta)) : (Str){ 0 };
}

bool view_drafted(Files *f, const Paths *p)
{
    struct stat info;
    char path[FILES_PATH_MAX + FILES_NAME_MAX];
    snprintf(path, sizeof path, "%s/%s", p->placed ? FILES_DRAFTS : p->view_dir, p->draft);
    return !io_missing(io_stat_path(f->base.io, f->root, path, &info));
}

/* --- Reading one of them ---------------------------------------------------------------- */

int view_draft_dir(const Files *f, const Paths *p, int dir)
{
    return p->placed ? f->drafts : dir;
}

jot_status view_read_in(Files *f, const Paths *p, int dir, Arena *into, View *out, Err *e)
{
    struct stat info;
    TRY(read_file(&(Reading){ f, p, dir, p->view, false, into }, out, e));
    /* In a directory that was taken away nothing is there, and nothing was removed. */
    bool lost = p->placed && !out->there && io_fstat(f->base.io, dir, &info) == 0 && !info.st_nlink;
    Shown shown;
    return lost ? err_set(e, JOT_UNAVAILABLE, "the folder of '%s' was just removed: try again",
                          err_show(&shown, p->name))
                : JOT_OK;
}

jot_status view_read_draft(Files *f, const Paths *p, int dir, Arena *into, View *out, Err *e)
{
    Err why = { 0 };
    dir = view_draft_dir(f, p, dir);
    assert(dir >= 0);
    jot_status st = read_file(&(Reading){ f, p, dir, p->draft, true, into }, out, &why);
    if (st == JOT_DENIED || st == JOT_TOO_BIG || out->directory) {
        *out = (View){ 0 };
        return quarantine_move(f, p->name, dir, p->draft, false, e);
    }
    if (st != JOT_OK && e)
        *e = why;
    return st;
}

jot_status view_peek_draft(Files *f, const Paths *p, Arena *into, View *out, Err *e)
{
    *out = (View){ 0 };
    AUTO(Fd) dir = pad_open_dir(f, p->placed ? FILES_DRAFTS : p->view_dir, false);
    if (dir < 0)
        return JOT_OK;
    jot_status st = read_file(&(Reading){ f, p, dir, p->draft, false, into }, out, e);
    if (st == JOT_DENIED || st == JOT_TOO_BIG) {
        *out = (View){ 0 };
        return JOT_OK;
    }
    return st;
}

typedef struct Emptying {
    Files *f;
    int depth;
} Emptying;

static int remove_empty(Files *f, int dir, const char *name, int depth);

static int remove_inner(void *ctx, int dir, const struct dirent *d)
{
    const Emptying *x = ctx;
    return remove_empty(x->f, dir, d->d_name, x->depth);
}

/* Directories in which nothing is left; depth is bounded by the length of a path. */
static int remove_empty(Files *f, int dir, const char *name, int depth)
{
    const Io *io = f->base.io;
    int got = io_rmdir(io, dir, name);
    if (got != -ENOTEMPTY || depth > STORE_NAME_MAX / 2)
        return got;
    AUTO(Fd) inner = io_open(io, dir, name, O_RDONLY | O_DIRECTORY, 0);
    Emptying below = { f, depth + 1 };
    got = inner < 0 ? inner : io_list(io, &inner, remove_inner, &below);
    return got < 0 ? -ENOTEMPTY : io_rmdir(io, dir, name);
}

jot_status view_make_room(Files *f, const Paths *p, int dir, Err *e)
{
    /* In a directory of the person's own no folder is ours. */
    int got = p->placed ? -ENOTEMPTY : remove_empty(f, dir, p->view, 0);
    Shown shown;
    if (got < 0 && got != -ENOENT)
        return err_set(e, JOT_INVALID, "cannot create '%s': a directory with files is in its place",
                       err_show(&shown, p->name));
    return JOT_OK;
}

/* In a directory of the person's own nobody may guess after a power loss which text is older, for
 * it may be what a checkout brought: what lies there is durable. */
static bool syncs(const Files *f, const Paths *p)
{
    return (p->placed || pad_syncs_views(f)) && !MUTANT(VIEW_UNSYNCED);
}

/* Two directories if the draft lies apart. */
static int sync_names(Files *f, const Paths *p, int dir)
{
    assert(dir >= 0 && (!p->placed || f->drafts >= 0));
    int got = io_fsync(f->base.io, dir);
    return got < 0 || !p->placed ? got : io_fsync(f->base.io, f->drafts);
}

jot_status view_sync(Files *f, const Paths *p, int dir, Err *e)
{
    int got = sync_names(f, p, dir);
    return got < 0 ? view_failed(e, p, got, "sync") : JOT_OK;
}

/* The file that is to come keeps what its owner said of the one there. */
static int take_over(Files *f, const Paths *p, int dir, int fd)
{
    struct stat there;
    int got = p->placed ? io_stat(f->base.io, dir, p->view, &there) : -ENOENT;
    return got < 0 || !S_ISREG(there.st_mode) ? 0 : io_set_owner(f->base.io, fd, &there);
}

static jot_status make_draft_last(Files *f, const Paths *p, int fd, Err *e)
{
    int got = io_fsync(f->base.io, fd);
    if (got == 0 && p->placed)
        got = io_fsync(f->base.io, f->drafts);
    if (got < 0)
        return view_failed(e, p, got, "draft");
    /* Its name too: a record alone, without a draft, would make the old text an edit. */
    return pad_sync_dirs(f, p->view_dir, e);
}

jot_status view_draft(Files *f, const Paths *p, int dir, Str text, Err *e)
{
    const Io *io = f->base.io;
    int drafts = view_draft_dir(f, p, dir);
    assert(p->viewed && dir >= 0 && drafts >= 0);
    AUTO(Fd)
    fd = io_open(io, drafts, p->draft, O_WRONLY | O_CREAT | O_EXCL, p->placed ? 0666 : 0600);
    if (fd < 0)
        return view_failed(e, p, fd, "draft");
    int got = take_over(f, p, dir, fd);
    if (got == 0)
        got = io_write_all(io, fd, text);
    jot_status st = got < 0 ? view_failed(e, p, got, "draft") : JOT_OK;
    if (st == JOT_OK && syncs(f, p))
        st = make_draft_last(f, p, fd, e);
    if (st != JOT_OK)
        (void)io_unlink(io, drafts, p->draft);
    return st;
}

/* Give the draft the view's name.  People come and go: which of the two calls fits may change
 * between them.  *left is true if something has the draft's name now, *gone if there was no
 * view. */
static int swap_in(Files *f, const Paths *p, int dir, bool *left, bool *gone)
{
    const Io *io = f->base.io;
    int from = view_draft_dir(f, p, dir);
    *left = *gone = false;
    if (!f->swaps || MUTANT(PLAIN_RENAME))
        return io_move(io, from, p->draft, dir, p->view, 0);
    int got = -EAGAIN;
    for (int i = 0; i < EXCHANGE_TRIES; i++) {
        got = io_move(io, from, p->draft, dir, p->view, RENAME_EXCHANGE);
        *left = got == 0;
        if (got == -EINVAL || got == -ENOSYS) {
            f->swaps = false;
            return io_move(io, from, p->draft, dir, p->view, 0);
        }
        if (got != -ENOENT)
            return got;
        got = io_move(io, from, p->draft, dir, p->view, RENAME_NOREPLACE);
        *gone = got == 0;
        if (got != -EEXIST)
            return got;
    }
    return got;
}

/* Take the view away under the draft's name. */
static int swap_out(Files *f, const Paths *p, int dir, bool *left)
{
    int drafts = view_draft_dir(f, p, dir);
    int got = io_move(f->base.io, dir, p->view, drafts, p->draft, 0);
    *left = got == 0;
    if (got == -ENOENT) /* a person was quicker; the empty draft has done its work */
        got = io_unlink(f->base.io, drafts, p->draft);
    return got;
}

/* After the names changed: sync that where it must last, and read what was displaced. */
static jot_status see_displaced(Files *f, const Paths *p, int dir, Arena *into, View *displaced,
                                Err *e)
{
    int got = syncs(f, p) ? sync_names(f, p, dir) : 0;
    if (got < 0)
        return view_failed(e, p, got, "replace");
    return displaced->there ? view_read_draft(f, p, dir, into, displaced, e) : JOT_OK;
}

jot_status view_exchange(Files *f, const Paths *p, int dir, Arena *into, View *displaced, Err *e)
{
    assert(p->viewed && dir >= 0);
    bool left = false, gone = false;
    *displaced = (View){ 0 };
    int got = swap_in(f, p, dir, &left, &gone);
    if (got < 0)
        return view_failed(e, p, got, "replace");
    displaced->there = left;
    TRY(see_displaced(f, p, dir, into, displaced, e));
    displaced->gone = gone;
    return JOT_OK;
}

jot_status view_remove(Files *f, const Paths *p, int dir, Arena *into, View *displaced, Err *e)
{
    assert(p->viewed && dir >= 0);
    *displaced = (View){ 0 };
    int got = swap_out(f, p, dir, &displaced->there);
    if (got < 0)
        return view_failed(e, p, got, "remove");
    return see_displaced(f, p, dir, into, displaced, e);
}

jot_status view_drop(Files *f, const Paths *p, int dir, const View *draft, Err *e)
{
    int drafts = view_draft_dir(f, p, dir);
    assert(p->viewed && drafts >= 0);
    if (draft->held && !MUTANT(IGNORE_OPEN_EDITOR))
        return quarantine_move(f, p->name, drafts, p->draft, true, e);
    int got = io_unlink(f->base.io, drafts, p->draft);
    return got < 0 && got != -ENOENT ? view_failed(e, p, got, "remove") : JOT_OK;
}
