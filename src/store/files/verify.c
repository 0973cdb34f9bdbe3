/* verify.c - the files of a pad, looked at one by one.
 *
 * Told here is what a reader of streams does not see: two histories in one file,
 * as a merge by git leaves them; unfinished ends; files of dead writers; files
 * that are nobody's; what lies in quarantine; views that still hold the marks of
 * a conflict.  Nothing is locked and nothing is changed: somebody may be writing
 * meanwhile, so what a living writer holds is not told. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/files/files.h"

enum { SENTENCE = 400, WRITTEN_MAX = 2 * 1024 * 1024 };

jot_status files_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    const Files *f = (const Files *)s;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", f->root);
    ssize_t n = readlink(link, path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path || path[0] != '/')
        return err_set(e, JOT_UNAVAILABLE, "the path of the pad cannot be told");
    *out = arena_printf(into, "%.*s/index.sqlite", (int)n, path);
    return JOT_OK;
}

/* Where the files are that people see. */
static const char *const views[] = { "artifacts", "cycles", "memories", "notes" };

/* --- Walking ----------------------------------------------------------------------------- */

jot_status walk_files(Files *f, const char *path, bool hidden,
                      jot_status (*each)(void *ctx, const char *dir, const char *name), void *ctx,
                      Err *e)
{
    AUTO(Fd) fd = pad_open_dir(f, path, false);
    if (fd == -EIO || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
        return err_errno(e, -fd, "could not list the pad");
    if (fd < 0 || strlen(path) + FILES_NAME_MAX > FILES_PATH_MAX)
        return JOT_OK; /* not there, or not ours */
    DIR *dir = fdopendir(fd);
    if (!dir)
        return err_errno(e, errno, "could not list the pad");
    int inner = fd_take(&fd); /* closedir closes it */
    jot_status st = JOT_OK;
    for (struct dirent *d; st == JOT_OK && (d = readdir(dir)) != NULL;) {
        struct stat info;
        char below[FILES_PATH_MAX + NAME_MAX + 2];
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            fstatat(inner, d->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, d->d_name);
        if (S_ISDIR(info.st_mode) && d->d_name[0] != '.')
            st = strlen(below) < FILES_PATH_MAX ? walk_files(f, below, hidden, each, ctx, e)
                                                : JOT_OK;
        else if ((d->d_name[0] == '.') == hidden)
            st = each(ctx, path, d->d_name);
    }
    closedir(dir);
    return st;
}

/* --- Telling ----------------------------------------------------------------------------- */

typedef struct Look {
    Files *f;
    const VerifyHooks *hooks;
    Err *e;
} Look;

static void tell(const Look *l, FaultKind kind, Str stream, const char *what, const char *advice,
                 bool mends)
{
    StoreFault fault = { kind, stream, what, advice, mends };
    l->hooks->fault(l->hooks->ctx, &fault);
}

static bool gone(const Files *f, const char *path)
{
    struct stat info;
    return fstatat(f->root, path, &info, AT_SYMLINK_NOFOLLOW) != 0;
}

/* --- Stream files ------------------------------------------------------------------------ */

static void tell_fork(const Look *l, const Place *p, const Fork *fork)
{
    char what[SENTENCE];
    if (fork->markers)
        snprintf(what, sizeof what, "its stream file holds the marks of a conflict in git");
    else
        snprintf(what, sizeof what,
                 "its stream file holds two histories, as a merge of two clones leaves them (%llu "
                 "records are there twice)",
                 (unsigned long long)fork->twice);
    tell(l, FAULT_FORK, p->name, what,
         "keep one side: git checkout --ours (or --theirs) of the file, or jotter doctor --fix, "
         "which keeps the first and puts the whole file into quarantine/",
         true);
}

static jot_status look_at_stream(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    Shown shown;
    char what[SENTENCE];
    if (!place_of_stream_path(path, &stream)) {
        snprintf(what, sizeof what, "'%s' is no stream of this pad", err_show(&shown, path));
        tell(l, FAULT_STRAY, (Str){ 0 }, what, "move it out of the pad", false);
        return JOT_OK;
    }
    Place p = place_of(buf_str(&stream));
    AUTO(Stream) st = { .fd = FD_NONE };
    struct stat info;
    if (stream_look(l->f, &p, LOOK_ANY, &st, NULL) != JOT_OK ||
        io_fstat(l->f->base.io, st.fd, &info) < 0)
        return JOT_OK; /* empty, or told by whoever reads it */
    if (info.st_size > st.size && !stream_busy(l->f, &p)) {
        snprintf(what, sizeof what, "its stream file ends in %lld bytes of an unfinished record",
                 (long long)(info.st_size - st.size));
        tell(l, FAULT_LEFTOVER, p.name, what,
             "nothing: the next write puts them into quarantine/; nobody was told they are written",
             true);
    }
    bool forked = false;
    Fork fork;
    TRY(fork_find(l->f, &st, &arena, &fork, &forked, l->e));
    if (forked)
        tell_fork(l, &p, &fork);
    return JOT_OK;
}

/* --- Views ------------------------------------------------------------------------------- */

static bool has_line(Str text, Str start)
{
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at);
        if (str_starts(rest, start))
            return true;
        at += str_find(rest, '\n') + 1;
    }
    return false;
}

/* A file that a person put here under a name that is none: nobody will ever read it, so say so. */
static void tell_other(const Look *l, Str path)
{
    char what[SENTENCE];
    Shown shown;
    bool note = str_starts(path, S("notes/"));
    snprintf(what, sizeof what, "'%s' is not read by anybody: no name leads to it",
             err_show(&shown, path));
    tell(l, FAULT_OTHER, (Str){ 0 }, what,
         note ? "rename it to letters, digits, _ or - and .txt, right in notes/, or leave it"
              : "rename it, or leave it",
         false);
}

static jot_status look_at_view(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    if (!place_of_view_path(path, &stream)) {
        tell_other(l, path);
        return JOT_OK;
    }
    Place p = place_of(buf_str(&stream));
    View v;
    Err why = { 0 };
    if (view_read(l->f, &p, &arena, &v, &why) != JOT_OK)
        tell(l, FAULT_VIEW, p.name, why.text, "put a plain file in its place", false);
    else if (has_line(v.text, S("<<<<<<< ")) && has_line(v.text, S(">>>>>>> ")))
        tell(l, FAULT_FORK, p.name, "its file holds the marks of a conflict in git",
             "edit the file: whatever you save is the next version", false);
    return JOT_OK;
}

/* --- Leftovers --------------------------------------------------------------------------- */

/* .NAME.new beside a view or a stream: its writer is dead if nobody holds the stream. */
static jot_status look_at_hidden(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str file = str(name);
    if (!str_ends(file, S(".new")) || file.n < 6)
        return JOT_OK;
    Str path = arena_printf(&arena, "%s/" STR_FMT, dir, STR_ARG(str_slice(file, 1, file.n - 4)));
    if (!place_of_stream_path(path, &stream) && !place_of_view_path(path, &stream))
        return JOT_OK;
    Place p = place_of(buf_str(&stream));
    Str itself = arena_printf(&arena, "%s/%s", dir, name);
    if (stream_busy(l->f, &p) || gone(l->f, itself.p))
        return JOT_OK;
    Shown shown;
    char what[SENTENCE];
    snprintf(what, sizeof what, "a writer died and left '%s'", err_show(&shown, itself));
    tell(l, FAULT_LEFTOVER, p.name, what, "nothing: the next write finishes or undoes it", true);
    return JOT_OK;
}

static jot_status look_at_aside(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    char stream[STORE_NAME_MAX + 1] = "", what[SENTENCE];
    Shown shown;
    if (str_ends(str(name), S(".stream")))
        return JOT_OK;
    const char *told = arena_printf(&arena, "%s/%s.stream", dir, name).p;
    AUTO(Fd) fd = io_open(l->f->base.io, l->f->root, told, O_RDONLY | O_NONBLOCK, 0);
    ssize_t n = fd < 0 ? 0 : io_read_all(l->f->base.io, fd, stream, sizeof stream - 1, 0);
    Str of = { stream, n > 0 ? (size_t)n : 0 };
    if (store_check_name(of, NULL) != JOT_OK)
        of = (Str){ 0 };
    snprintf(what, sizeof what, "something was put aside as '%s/%s'", dir,
             err_show(&shown, str(name)));
    tell(l, FAULT_ASIDE, of, what, "look at it, keep what you need, remove it", false);
    return JOT_OK;
}

/* --- Copied in part ---------------------------------------------------------------------- */

/* Is this the file of a stream that was written here? */
static jot_status look_for_written(void *ctx, const char *dir, const char *name)
{
    Str recent = *(Str *)ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    if (!place_of_view_path(arena_printf(&arena, "%s/%s", dir, name), &stream))
        return JOT_OK;
    Str line = arena_printf(&arena, "\n" STR_FMT "\n", STR_ARG(buf_str(&stream)));
    bool written = recent.n && memmem(recent.p, recent.n, line.p, line.n);
    return written ? JOT_CONFLICT : JOT_OK;
}

/* A pad without streams/ has not been written yet, but `recent` and the files people see can show
 * that this one has. */
static jot_status look_for_streams(const Look *l)
{
    const Io *io = l->f->base.io;
    struct stat info;
    if (io_stat(io, l->f->root, "streams", &info) != -ENOENT)
        return JOT_OK;
    AUTO(Fd) fd = io_open(io, l->f->root, "recent", O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > WRITTEN_MAX)
        return JOT_OK;
    AUTO(Buf) text = { .max = WRITTEN_MAX };
    size_t room = (size_t)info.st_size;
    ssize_t n = io_read_all(io, fd, buf_room(&text, room), room, 0);
    buf_grew(&text, n > 0 ? (size_t)n : 0);
    Str recent = buf_str(&text);
    jot_status st = JOT_OK;
    for (size_t i = 0; st == JOT_OK && i < COUNT_OF(views); i++)
        st = walk_files(l->f, views[i], false, look_for_written, &recent, l->e);
    if (st != JOT_CONFLICT)
        return st;
    tell(l, FAULT_PAD, (Str){ 0 },
         "its directory 'streams' is missing, and with it the history: it was not copied, or "
         "removed",
         "copy the whole pad before anybody writes here", false);
    return JOT_OK;
}

/* --- The pad ----------------------------------------------------------------------------- */

jot_status files_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    Files *f = (Files *)s;
    Look l = { f, hooks, e };
    if (!f->checked && !pad_read_checked(f))
        tell(&l, FAULT_EDIT, (Str){ 0 },
             "the files people see were not compared with their streams since the machine started",
             "nothing: the first write does it, or jotter doctor --fix", true);
    TRY(look_for_streams(&l));
    TRY(walk_files(f, "streams", false, look_at_stream, &l, e));
    TRY(walk_files(f, "runs", false, look_at_stream, &l, e));
    TRY(walk_files(f, "streams", true, look_at_hidden, &l, e));
    TRY(walk_files(f, "runs", true, look_at_hidden, &l, e));
    for (size_t i = 0; i < COUNT_OF(views); i++) {
        TRY(walk_files(f, views[i], false, look_at_view, &l, e));
        TRY(walk_files(f, views[i], true, look_at_hidden, &l, e));
    }
    return walk_files(f, "quarantine", false, look_at_aside, &l, e);
}
