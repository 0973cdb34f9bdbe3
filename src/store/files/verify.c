/* verify.c - the files of a pad, looked at one by one.
 *
 * Told here is what a reader of streams does not see: two histories in one file,
 * as a merge by git leaves them; unfinished ends; files of dead writers; files
 * that are nobody's; symlinks, directories and the like in the place of a file;
 * what lies in quarantine; views that still hold the marks of a conflict.  Nothing is locked and
 * nothing is changed: somebody may be writing meanwhile, so what a living writer holds is not told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/files/files.h"
#include "store/files/mirror.h"

enum { SENTENCE = 400, WRITTEN_MAX = 2 * 1024 * 1024 };

jot_status files_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    const Files *f = (const Files *)s;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", f->root);
    ssize_t n = readlink(link, path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path || path[0] != '/')
        return err_set(e, JOT_UNAVAILABLE, "the path of the pad is not known");
    *out = arena_printf(into, "%.*s/index.d", (int)n, path);
    return JOT_OK;
}

/* Where the files are that people see. */
static const char *const views[] = { "artifacts", "cycles", "memories", "notes", "shared" };

/* --- Walking ----------------------------------------------------------------------------- */

typedef struct Walk {
    Files *f;
    const char *path;
    bool hidden;
    WalkFile *each;
    void *ctx;
    jot_status st; /* of `each`, or of a directory below */
    Err *e;
} Walk;

/* Is this the place of a stream's file?  A directory there is no way to other streams. */
static bool is_for_stream(const char *dir, const char *name)
{
    return (str_starts(str(dir), S("streams")) || strcmp(dir, "runs") == 0) &&
           str_ends(str(name), S(".jsonl"));
}

static int walk_one(void *ctx, int dir, const struct dirent *d)
{
    Walk *w = ctx;
    struct stat info;
    char below[FILES_PATH_MAX + NAME_MAX + 2];
    int got = io_stat(w->f->base.io, dir, d->d_name, &info);
    if (got < 0)
        return got == -ENOENT ? 0 : got;
    snprintf(below, sizeof below, "%s/%s", w->path, d->d_name);
    if (S_ISDIR(info.st_mode) && d->d_name[0] != '.' && !is_for_stream(w->path, d->d_name)) {
        if (strlen(below) < FILES_PATH_MAX)
            w->st = walk_files(w->f, below, w->hidden, w->each, w->ctx, w->e);
    } else if ((d->d_name[0] == '.') == w->hidden) {
        w->st = w->each(w->ctx, w->path, d->d_name);
    }
    return w->st == JOT_OK ? 0 : 1;
}

jot_status walk_files(Files *f, const char *path, bool hidden, WalkFile *each, void *ctx, Err *e)
{
    AUTO(Fd) fd = pad_open_dir(f, path, false);
    if (fd == -EIO || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
        return err_errno(e, -fd, "could not list the pad");
    if (fd < 0 || strlen(path) + FILES_NAME_MAX > FILES_PATH_MAX)
        return JOT_OK; /* not there, or not ours */
    Walk w = { f, path, hidden, each, ctx, JOT_OK, e };
    int got = io_list(f->base.io, &fd, walk_one, &w);
    return got < 0 ? err_errno(e, -got, "could not list the pad") : w.st;
}

/* --- Telling ----------------------------------------------------------------------------- */

typedef struct Look {
    Files *f;
    const VerifyHooks *hooks;
    Err *e;
} Look;

static void report(const Look *l, FaultKind kind, Str stream, const char *what, const char *advice,
                   bool mends)
{
    StoreFault fault = { kind, stream, what, advice, mends };
    l->hooks->fault(l->hooks->ctx, &fault);
}

static bool gone(Files *f, const char *path)
{
    struct stat info;
    return io_missing(io_stat_path(f->base.io, f->root, path, &info));
}

static jot_status ask_on(const Look *l)
{
    if (!l->hooks->go_on || l->hooks->go_on(l->hooks->ctx))
        return JOT_OK;
    return err_set(l->e, JOT_CANCELLED, "cancelled: nobody waits for it any more");
}

/* --- Stream files ------------------------------------------------------------------------ */

static void report_fork(const Look *l, const Paths *p, const Fork *fork)
{
    char what[SENTENCE];
    if (fork->markers)
        snprintf(what, sizeof what, "its stream file holds the marks of a conflict in git");
    else
        snprintf(what, sizeof what,
                 "its stream file holds two histories, as a merge of two clones leaves them (%llu "
                 "records are there twice)",
                 (unsigned long long)fork->twice);
    report(l, FAULT_FORK, p->name, what,
           "keep one side: git checkout --ours (or --theirs) of the file, or jotter doctor --fix, "
           "which keeps the first and puts the whole file into quarantine/",
           true);
}

/* What stands after the last record and is none. */
static void report_end(const Look *l, const Stream *st, off_t bytes)
{
    char what[SENTENCE];
    if (bytes == 0)
        snprintf(what, sizeof what, "its newest record lacks the end of its line");
    else
        snprintf(what, sizeof what,
                 "its stream file ends in %lld bytes of an unfinished record, or of lines that are "
                 "none",
                 (long long)bytes);
    report(l, FAULT_LEFTOVER, st->paths->name, what,
           bytes ? "nothing: the next write, or jotter doctor --fix, puts them into quarantine/; "
                   "no write of them was acknowledged"
                 : "nothing: the next write, or jotter doctor --fix, adds it",
           true);
}

/* A damaged newest record that something still proves; one that nothing does is reported when it is
 * read. */
static jot_status look_at_broken(const Look *l, const Stream *st)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    bool proven;
    TRY(stream_prove(l->f, st, &arena, &r, &proven, l->e));
    if (proven)
        report(l, FAULT_DAMAGE, st->paths->name,
               "its newest record is damaged, but what is left proves what it was",
               "nothing: the next write, or jotter doctor --fix, makes it again", true);
    return JOT_OK;
}

/* Does something stand after the newest record, or nothing that ends it? */
static bool ends_badly(const Look *l, const Stream *st, off_t *bytes)
{
    struct stat info;
    *bytes = 0;
    if (io_fstat(l->f->base.io, st->fd, &info) < 0)
        return false;
    *bytes = info.st_size - st->size;
    return *bytes > 0 || st->open;
}

/* Its writer may have come to its end between two looks, and be gone when that is asked for: what
 * it leaves stays as it is. */
static void look_at_end(const Look *l, const Stream *st)
{
    off_t bytes, again;
    AUTO(Stream) later = { .fd = FD_NONE };
    if (ends_badly(l, st, &bytes) && !stream_busy(l->f, st->paths) &&
        stream_look(l->f, st->paths, LOOK_ANY, RECORD_ALL, &later, NULL) == JOT_OK &&
        ends_badly(l, &later, &again) && later.size == st->size && again == bytes)
        report_end(l, st, bytes);
}

/* What no writer takes for its file, and a list of streams leaves out. */
static void look_at_file(const Look *l, const Paths *p, jot_status looked, const Err *why)
{
    struct stat info;
    if (looked == JOT_DENIED || looked == JOT_TOO_BIG)
        report(
            l, FAULT_DAMAGE, p->name, why->text,
            "move it away and put the file back, or bring the stream back from a copy of the pad",
            false);
    else if (io_stat_path(l->f->base.io, l->f->root, p->path, &info) == 0 && info.st_nlink > 1)
        report(l, FAULT_DAMAGE, p->name,
               "its stream file has a second hard link: nobody writes to it",
               "copy the file, and put the copy in its place", false);
}

/* A draft, or what a stream was to be replaced with: its writer is dead if nobody holds the stream.
 */
static jot_status look_at_leftover(const Look *l, const Paths *p, const char *path)
{
    int busy = stream_busy(l->f, p);
    if (busy < 0)
        return err_errno(l->e, -busy, "could not look at a stream");
    if (busy || gone(l->f, path))
        return JOT_OK;
    Shown shown;
    char what[SENTENCE];
    snprintf(what, sizeof what, "a writer died and left '%s'", err_show(&shown, str(path)));
    report(l, FAULT_LEFTOVER, p->name, what, "nothing: the next write finishes or undoes it", true);
    return JOT_OK;
}

/* A note whose draft lies apart, and one whose file is none: no walk over the files meets these. */
static jot_status look_at_placed(const Look *l, const Paths *p)
{
    AUTO(Arena) arena = { 0 };
    struct stat info;
    Str draft = arena_printf(&arena, FILES_DRAFTS "/%s", p->draft);
    if (!p->placed)
        return JOT_OK;
    if (view_stat(l->f, p, &info) == 0 && !S_ISREG(info.st_mode))
        report(l, FAULT_VIEW, p->name, "what lies where its file should be is not a file",
               "put a plain file in its place", false);
    return gone(l->f, draft.p) ? JOT_OK : look_at_leftover(l, p, draft.p);
}

static jot_status look_at_stream(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    Shown shown;
    char what[SENTENCE];
    TRY(ask_on(l));
    if (!stream_of_path(path, &stream)) {
        snprintf(what, sizeof what, "'%s' is no stream of this pad", err_show(&shown, path));
        report(l, FAULT_STRAY, (Str){ 0 }, what, "move it out of the pad", false);
        return JOT_OK;
    }
    Paths p = paths_of(l->f, buf_str(&stream));
    AUTO(Stream) st = { .fd = FD_NONE };
    Err why = { 0 };
    TRY(look_at_placed(l, &p));
    jot_status looked = stream_look(l->f, &p, LOOK_ANY, RECORD_ALL, &st, &why);
    look_at_file(l, &p, looked, &why);
    if (looked == JOT_NOT_FOUND && st.head.lost)
        report(l, FAULT_DAMAGE, p.name, "none of its records can be read",
               "bring the stream back from a copy of the pad", false);
    if (looked != JOT_OK)
        return JOT_OK; /* empty, or reported when it is read */
    bool forked = false;
    Fork fork;
    TRY(fork_find(l->f, &st, &arena, &fork, &forked, l->e));
    if (forked) {
        report_fork(l, &p, &fork);
        return JOT_OK;
    }
    look_at_end(l, &st);
    return look_at_broken(l, &st);
}

/* --- Views ------------------------------------------------------------------------------- */

/* A file that a person put here under a name that is none: nobody will ever read it, so say so. */
static void report_other(const Look *l, Str path)
{
    char what[SENTENCE];
    Shown shown;
    bool note = str_starts(path, S("notes/"));
    Str stem;
    if (notes_dir_has(l->f, path.p) &&
        (!view_stem(l->f, store_kind(path), str_base_name(path), &stem) ||
         notes_dir_is_obeyed(l->f, stem)))
        return; /* what else lies in a directory of the person's own is no business of ours */
    snprintf(what, sizeof what, "'%s' is not read by anybody: no name leads to it",
             err_show(&shown, path));
    report(l, FAULT_OTHER, (Str){ 0 }, what,
           note
               ? "rename it to letters, digits, blanks or _-.,+=@ and then .txt or .md, or leave it"
               : "rename it, or leave it",
           false);
}

/* Neither file is read as long as there are both: nobody can say which one counts. */
static void report_double(const Look *l, const Paths *p)
{
    Err what = { 0 };
    jot_status refused = view_refuse_double(p, &what);
    (void)refused;
    report(l, FAULT_VIEW, p->name, what.text,
           "keep what is right in one of them, and remove or rename the other", false);
}

/* Two notes that are there all the same, made by hand or brought by a copy. */
static void report_twin(const Look *l, Str name)
{
    AUTO(Arena) arena = { 0 };
    Str twin;
    Shown shown;
    char what[SENTENCE];
    if (twins_find(l->f, name, &arena, &twin, NULL) != JOT_OK || !twin.n || str_cmp(name, twin) > 0)
        return;
    snprintf(what, sizeof what,
             "its key differs only in case from that of '%s': elsewhere they are one file",
             err_show(&shown, twin));
    report(l, FAULT_VIEW, name, what, "give one of them another key: jotter move", false);
}

static jot_status look_at_view(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    struct stat info;
    TRY(ask_on(l));
    bool placed = notes_dir_has(l->f, path.p);
    if (placed && pad_stat(l->f, path.p, &info) == 0 && !S_ISREG(info.st_mode))
        return JOT_OK; /* a note in whose place it stands is told of where its stream is */
    if (!stream_of_view(l->f, path, &stream)) {
        report_other(l, path);
        return JOT_OK;
    }
    Paths p = paths_of(l->f, buf_str(&stream));
    View v;
    Err why = { 0 };
    report_twin(l, p.name);
    if (view_is_double(l->f, &p)) {
        if (str_eq(path, str(p.view_path))) /* once */
            report_double(l, &p);
        return JOT_OK;
    }
    if (view_read(l->f, &p, &arena, &v, &why) != JOT_OK)
        report(l, FAULT_VIEW, p.name, why.text, "put a plain file in its place", false);
    else if (str_has_marks(v.text))
        report(l, FAULT_FORK, p.name, "its file holds the marks of a conflict in git",
               "edit the file: whatever you save is the next version", false);
    return JOT_OK;
}

/* --- Mirrors ------------------------------------------------------------------------------- */

static const char *const mirrors[] = { "index", "logs", "tasks" };

static void report_mirror(const Look *l, const Paths *p, Str path, MirrorState state)
{
    char what[SENTENCE];
    Shown shown;
    if (state == MIRROR_EDITED)
        snprintf(what, sizeof what, "'%s' was edited: that file only shows the stream",
                 err_show(&shown, path));
    else
        snprintf(what, sizeof what, "'%s' does not show the newest records",
                 err_show(&shown, path));
    report(l, FAULT_EDIT, p->name, what,
           state == MIRROR_EDITED ? "the next write, or jotter doctor --fix, moves the edit to "
                                    "quarantine/ and shows the stream again"
                                  : "nothing: the next write, or jotter doctor --fix, brings it up "
                                    "to date",
           true);
}

static jot_status look_at_mirror(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str path = arena_printf(&arena, "%s/%s", dir, name);
    if (!stream_of_mirror(l->f, path, &stream)) {
        report_other(l, path);
        return JOT_OK;
    }
    Paths p = paths_of(l->f, buf_str(&stream));
    Mirror all[MIRRORS_MAX];
    size_t n = mirrors_of(l->f, p.name, all);
    AUTO(Stream) st = { .fd = FD_NONE };
    jot_status looked = stream_look(l->f, &p, LOOK_ANY, RECORD_NO_BODY, &st, NULL);
    if (looked == JOT_NOT_FOUND)
        report_mirror(l, &p, path, MIRROR_EDITED); /* there is no such stream */
    if (looked != JOT_OK)
        return JOT_OK;
    for (size_t i = 0; i < n; i++) {
        MirrorState state = MIRROR_FITS;
        if (strcmp(all[i].file, name) != 0)
            continue;
        TRY(mirror_judge(l->f, &st, &all[i], &state, l->e));
        /* A writer comes to the mirror last. */
        if (state != MIRROR_FITS && !stream_busy(l->f, &p))
            report_mirror(l, &p, path, state);
    }
    return JOT_OK;
}

/* --- Leftovers --------------------------------------------------------------------------- */

/* .NAME.new beside a view or a stream. */
static jot_status look_at_hidden(void *ctx, const char *dir, const char *name)
{
    Look *l = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    Str file = str(name);
    if (!str_ends(file, S(".new")) || file.n < 6)
        return JOT_OK;
    Str path = arena_printf(&arena, "%s/" STR_FMT, dir, STR_ARG(str_slice(file, 1, file.n - 4)));
    if (!stream_of_path(path, &stream) && !stream_of_view(l->f, path, &stream) &&
        !stream_of_mirror(l->f, path, &stream))
        return JOT_OK;
    Paths p = paths_of(l->f, buf_str(&stream));
    return look_at_leftover(l, &p, arena_printf(&arena, "%s/%s", dir, name).p);
}

static jot_status look_at_quarantined(void *ctx, const char *dir, const char *name)
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
    snprintf(what, sizeof what, "something was kept as '%s/%s'", dir, err_show(&shown, str(name)));
    report(l, FAULT_QUARANTINE, of, what, "look at it, keep what you need, remove it", false);
    return JOT_OK;
}

/* --- Copied in part ---------------------------------------------------------------------- */

typedef struct Written {
    Files *f;
    Str recent; /* what lies in that file */
} Written;

/* Is this the file of a stream that was written here? */
static jot_status look_for_written(void *ctx, const char *dir, const char *name)
{
    const Written *w = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    if (!stream_of_view(w->f, arena_printf(&arena, "%s/%s", dir, name), &stream))
        return JOT_OK;
    Str line = arena_printf(&arena, "\n" STR_FMT "\n", STR_ARG(buf_str(&stream)));
    bool written = w->recent.n && memmem(w->recent.p, w->recent.n, line.p, line.n);
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
    if (fd < 0 || io_fstat(io, fd, &info) < 0 || !S_ISREG(info.st_mode) ||
        info.st_size > WRITTEN_MAX)
        return JOT_OK;
    AUTO(Buf) text = { .max = WRITTEN_MAX };
    size_t room = (size_t)info.st_size;
    ssize_t n = io_read_all(io, fd, buf_room(&text, room), room, 0);
    buf_grew(&text, n > 0 ? (size_t)n : 0);
    Written written = { l->f, buf_str(&text) };
    jot_status st = JOT_OK;
    for (size_t i = 0; st == JOT_OK && i < COUNT_OF(views); i++)
        st = walk_files(l->f, views[i], false, look_for_written, &written, l->e);
    if (st != JOT_CONFLICT)
        return st;
    report(l, FAULT_PAD, (Str){ 0 },
           "its directory 'streams' is missing, and with it the history: it was not copied, or "
           "removed",
           "copy the whole pad before anybody writes here", false);
    return JOT_OK;
}

/* --- The pad ----------------------------------------------------------------------------- */

/* The directory of the person's own. */
static void look_at_notes_dir(const Look *l)
{
    Err what = { 0 };
    Shown shown;
    if (!notes_dir_lost(l->f))
        return;
    jot_status st = err_set(&what, JOT_UNAVAILABLE,
                            "the notes are the files in '%s', and there is no such directory",
                            err_show(&shown, str(l->f->notes_dir)));
    (void)st;
    report(l, FAULT_PAD, (Str){ 0 }, what.text, "bring it back (or make it, if they are all to go)",
           false);
}

/* Something else under a name the pad uses is left alone, and all that belongs there is not found.
 */
static jot_status look_at_places(const Look *l)
{
    static const struct {
        const char *name;
        bool directory;
    } places[] = { { "streams", true },    { "runs", true },     { "artifacts", true },
                   { "cycles", true },     { "memories", true }, { "notes", true },
                   { "quarantine", true }, { "recent", false },  { "heads", false },
                   { "shared", true } };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        char what[SENTENCE];
        struct stat info;
        bool directory = places[i].directory;
        if (notes_dir_has(l->f, places[i].name)) {
            look_at_notes_dir(l);
            continue;
        }
        int got = io_stat(l->f->base.io, l->f->root, places[i].name, &info);
        if (got == -ENOENT ||
            (got == 0 &&
             (directory ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode) && info.st_nlink == 1)))
            continue;
        if (got < 0)
            return err_errno(l->e, -got, "could not look at '%s'", places[i].name);
        snprintf(what, sizeof what, "'%s' is not a %s of the pad", places[i].name,
                 directory ? "directory" : "plain file");
        report(l, FAULT_PAD, (Str){ 0 }, what,
               directory ? "move it away and put the directory back"
                         : "remove it: the pad makes its own",
               false);
    }
    return JOT_OK;
}

jot_status files_verify(Store *s, const VerifyHooks *hooks, Err *e)
{
    Files *f = (Files *)s;
    Look l = { f, hooks, e };
    TRY(pad_boot(f, e));
    if (!f->checked && !pad_read_checked(f))
        report(
            &l, FAULT_EDIT, (Str){ 0 },
            "the files people see were not compared with their streams since the machine started, "
            "or since their file system was mounted",
            "nothing: the first write does it, or jotter doctor --fix", true);
    TRY(look_at_places(&l));
    TRY(look_for_streams(&l));
    TRY(walk_files(f, "streams", false, look_at_stream, &l, e));
    TRY(walk_files(f, "runs", false, look_at_stream, &l, e));
    TRY(walk_files(f, "streams", true, look_at_hidden, &l, e));
    TRY(walk_files(f, "runs", true, look_at_hidden, &l, e));
    for (size_t i = 0; i < COUNT_OF(views); i++) {
        TRY(walk_files(f, views[i], false, look_at_view, &l, e));
        if (!notes_dir_has(f, views[i]))
            TRY(walk_files(f, views[i], true, look_at_hidden, &l, e));
    }
    for (size_t i = 0; f->form == RECORD_NESTED && i < COUNT_OF(mirrors); i++) {
        TRY(walk_files(f, mirrors[i], false, look_at_mirror, &l, e));
        TRY(walk_files(f, mirrors[i], true, look_at_hidden, &l, e));
    }
    return walk_files(f, "quarantine", false, look_at_quarantined, &l, e);
}
