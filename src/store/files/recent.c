/* recent.c - the names that changed lately, and waiting for the next one.
 *
 * `recent` is a line "jotter recent ID" and then one name a line, appended
 * before the record it announces and under the stream's lock.  It is never
 * synced: after a reboot or another mount, or when it was started again, every cursor answers
 * RESCAN.  Each name is written with a newline on both sides, so that a writer
 * that died in the middle spoils only its own.  A '!' in front says that text is
 * taken away: anyone who keeps words of the pad must look for what is gone.
 *
 * A name that is read while its stream is still locked may be announced too
 * early: it is returned, but the cursor stays in front of it.
 *
 * Writers hold a shared lock on `recent` until their record is there; anyone who
 * begins it again takes the lock exclusively.  So no name can be written to a
 * file that nobody will read again.
 *
 * What people edit is not announced.  It is found by looking: at most every two seconds at the
 * times of all views, and through inotify once somebody has waited.  Who hears of every directory
 * that way looks only for what inotify cannot know (an edit on another machine), and spends at most
 * a fiftieth of the time on it.  A view that was made and removed by hand before any write recorded
 * it leaves nothing to look at: only inotify reports it. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/id.h"
#include "base/lock.h"
#include "store/files/files.h"

#define RECENT "recent"
#define HEADER "jotter recent "
#define FORGETTING "!"

enum {
    HEADER_BYTES = sizeof HEADER - 1 + 16 + 1,
    RECENT_MAX = 1024 * 1024,
    NAMES_MAX = 10000, /* more than that is a RESCAN */
    SCAN_EVERY_MS = 2000,
    SCAN_SELDOM_MS = 60 * 1000, /* at least so often, however long it takes ... */
    SCAN_REST = 50,             /* ... with so much rest after it */
    SCAN_SLACK_MS = 50,         /* file times come from a clock that ticks */
    OWN_WRITE_MS = 1000,        /* from the append of a record to its exchange, and more */
    STUCK_WAIT_MS = 100,
    HOLD_WAIT_MS = 100, /* longer than it takes to begin the file again */
    POLL_MS = 1000,
    WATCH_MAX = 4096,
};

typedef struct Watched {
    int id;
    char *path;
} Watched;

struct Recent {
    Fd fd;              /* for announcing */
    bool held;          /* with the shared lock */
    bool alone;         /* names were written without it */
    Buf names;          /* as they are announced */
    char alias[17];     /* of a mount without a word; "": not needed */
    int64_t scanned_ms; /* when this handle last looked at all views; 0: never ... */
    int64_t scan_ms;    /* ... and how long that took */
    Fd notify;
    bool deaf; /* a directory is not watched */
    Watched *watched;
    size_t n, cap;
};

static struct Recent *recent_of(Files *f)
{
    if (!f->recent) {
        f->recent = mem_alloc(sizeof *f->recent);
        f->recent->fd = f->recent->notify = FD_NONE;
    }
    return f->recent;
}

void recent_close(Files *f)
{
    struct Recent *r = f->recent;
    if (!r)
        return;
    lock_close(f->base.io, &r->fd);
    fd_close(&r->notify);
    for (size_t i = 0; i < r->n; i++)
        free(r->watched[i].path);
    free(r->watched);
    buf_free(&r->names);
    free(r);
    f->recent = NULL;
}

/* --- Announcing ------------------------------------------------------------------------ */

/* Begin the file: whole under another name first, so that nobody sees half a header. */
static int begin(Files *f, unsigned flags)
{
    const Io *io = f->base.io;
    char draft[FILES_NAME_MAX], text[HEADER_BYTES + 1];
    snprintf(text, sizeof text, HEADER "%.16s\n", id_random(io, 8).text);
    AUTO(Fd) fd = pad_open_draft(f, RECENT, draft);
    int got = fd < 0 ? fd : io_write_all(io, fd, str(text));
    if (got == 0)
        got = io_rename(io, f->root, draft, RECENT, flags);
    if (fd >= 0 && got < 0)
        (void)io_unlink(io, f->root, draft);
    lock_close(io, &fd);
    return got == -EEXIST ? 0 : got; /* somebody else was quicker */
}

/* Is it a plain file of ours?  -ENXIO if not. */
static int check_plain(const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_nlink <= 1 ? 0 : -ENXIO;
}

/* Open it with the shared lock; begin it again when it has grown too large.  Who begins it again
 * may be stopped there: after a while we continue without the lock, and look afterwards. */
static int open_held(Files *f, struct Recent *r)
{
    const Io *io = f->base.io;
    for (int i = 0; i < 100; i++) {
        if (r->fd < 0)
            r->fd = lock_open(io, f->root, RECENT, O_RDWR | O_APPEND | O_NONBLOCK, 0);
        if (r->fd == -ENOENT) {
            int got = begin(f, RENAME_NOREPLACE);
            if (got < 0)
                return got;
            continue;
        }
        if (r->fd < 0)
            return r->fd;
        struct stat info;
        int64_t left = pad_wait_left(f);
        int got = lock_wait(io, r->fd, F_RDLCK, 0, left < HOLD_WAIT_MS ? left : HOLD_WAIT_MS);
        r->alone = got == -EAGAIN;
        if (got == 0 || r->alone)
            got = io_fstat(io, r->fd, &info);
        if (got == 0)
            got = check_plain(&info);
        if (got != 0)
            return got;
        bool large = info.st_size > RECENT_MAX;
        /* Alone with it?  Then nobody is about to write to the old one. */
        if (info.st_nlink && large && !r->alone && io_lock(io, r->fd, F_WRLCK, 0) == 0)
            got = begin(f, 0);
        else if (info.st_nlink)
            return 0;
        lock_close(io, &r->fd);
        if (got < 0)
            return got;
    }
    return -EAGAIN;
}

static int write_names(Files *f, struct Recent *r)
{
    int got = open_held(f, r);
    r->held = got == 0 && !r->alone;
    return got < 0 ? got : io_write_all(f->base.io, r->fd, buf_str(&r->names));
}

static jot_status announce(Files *f, const char *sign, const Str *names, size_t n, Err *e)
{
    struct Recent *r = recent_of(f);
    buf_clear(&r->names);
    for (size_t i = 0; i < n; i++)
        buf_addf(&r->names, "\n%s" STR_FMT "\n", sign, STR_ARG(names[i]));
    int got = write_names(f, r);
    if (got == 0)
        return JOT_OK;
    r->alone = false;
    recent_done(f);
    if (got == -ELOOP || got == -EXDEV || got == -ENXIO || got == -EISDIR)
        return err_set(e, JOT_DENIED, "'" RECENT "' is not a plain file of the pad: remove it");
    return err_errno(e, -got, "could not announce a change");
}

jot_status recent_add(Files *f, Str name, Err *e)
{
    return announce(f, "", &name, 1, e);
}

jot_status recent_add_many(Files *f, const Str *names, size_t n, Err *e)
{
    return announce(f, "", names, n, e);
}

jot_status recent_add_forgetting(Files *f, Str name, Err *e)
{
    return announce(f, FORGETTING, &name, 1, e);
}

void recent_done(Files *f)
{
    struct Recent *r = f->recent;
    if (!r)
        return;
    struct stat info;
    /* If the file was started again meanwhile, the names are announced there too. */
    if (r->alone && io_fstat(f->base.io, r->fd, &info) == 0 && info.st_nlink == 0)
        (void)write_names(f, r);
    if (r->held)
        lock_release(f->base.io, r->fd, 0);
    r->held = r->alone = false;
}

/* --- Collecting names ------------------------------------------------------------------ */

typedef struct Found {
    Files *f;
    Arena *into;
    Str *names;
    size_t n, cap;
    bool rescan, forgot;
    bool done; /* one of them at least is no longer being written */
} Found;

static bool found_already(const Found *x, Str name)
{
    for (size_t i = 0; i < x->n; i++)
        if (str_eq(x->names[i], name))
            return true;
    return false;
}

static void found(Found *x, Str name)
{
    if (x->rescan || found_already(x, name))
        return;
    if (x->n == NAMES_MAX) {
        x->rescan = true;
        return;
    }
    x->names = arena_grow(x->into, x->names, x->n, &x->cap, sizeof(Str), alignof(Str));
    x->names[x->n++] = arena_copy(x->into, name);
}

/* Where a consumer stands: boot, file, offset, and the time of the last look at the views. */
typedef struct Position {
    char boot[9];
    char id[17];
    off_t offset;
    int64_t since_ms;
} Position;

static bool read_position(const Cursor *c, Position *out)
{
    long long offset = 0, since = 0;
    int used = 0;
    if (sscanf(c->text, "%8[0-9a-f].%16[0-9a-f].%18lld.%18lld%n", out->boot, out->id, &offset,
               &since, &used) != 4 ||
        c->text[used] || offset < 0 || since < 0)
        return false;
    out->offset = (off_t)offset;
    out->since_ms = since;
    return true;
}

static void write_position(Cursor *c, const Position *p)
{
    snprintf(c->text, sizeof c->text, "%s.%s.%lld.%lld", p->boot, p->id, (long long)p->offset,
             (long long)p->since_ms);
}

/* Boot and mount as a cursor tells them: 8 hex digits.  `recent` is not synced, so after either it
 * may have lost names; where the mount has no word, every handle is behind one. */
static void write_mark(Files *f, char out[9])
{
    AUTO(Arena) arena = { 0 };
    struct Recent *r = recent_of(f);
    assert(f->boot[0]);
    if (pad_syncs_views(f) && !r->alias[0])
        snprintf(r->alias, sizeof r->alias, "%.16s", id_random(f->base.io, 8).text);
    Str both = arena_printf(&arena, "%s %s%s", f->boot, f->mount, r->alias);
    snprintf(out, 9, "%.8s", hash_hex(hash_of(both)).text);
}

/* The names after the position, which moves to the first whose stream is still being written:
 * *stuck is true then.  They are collected only if `x` is given. */
static int read_names(Files *f, int fd, off_t end, Position *at, Found *x, bool *stuck)
{
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, fd, at->offset, end);
    for (;;) {
        Str line;
        off_t begins;
        int got = lines_next(&lines, &line, &begins);
        if (got < 0 || line.n == 0)
            return got;
        Str name = str_slice(line, 0, line.n - 1);
        bool forgetting = str_starts(name, S(FORGETTING));
        name = str_from(name, forgetting ? sizeof FORGETTING - 1 : 0);
        if (store_check_name(name, NULL) == JOT_OK) {
            Paths p = paths_of(f, name);
            bool busy = stream_busy(f, &p) != 0;
            *stuck = *stuck || busy;
            if (x)
                found(x, name);
            if (x && forgetting)
                x->forgot = true;
            if (x && !busy)
                x->done = true;
        }
        if (!*stuck)
            at->offset = begins + (off_t)line.n;
    }
}

/* Where to continue for somebody who is about to look at everything.  What is being written now may
 * come too late for that look, so its name must still lie ahead.  Anyone who is between name and
 * record holds the file. */
static int start_over(Files *f, int fd, const struct stat *info, const char *id, Position *at)
{
    bool stuck = false;
    snprintf(at->id, sizeof at->id, "%s", id);
    write_mark(f, at->boot);
    at->offset = info->st_size;
    if (fd < 0 || !io_locked(f->base.io, fd, F_WRLCK, 0))
        return 0;
    at->offset = 0;
    return read_names(f, fd, info->st_size, at, NULL, &stuck);
}

/* Read the names after the position and move it; *stuck if a writer holds it back. */
static jot_status read_recent(Files *f, Position *at, Found *x, bool *stuck, Err *e)
{
    const Io *io = f->base.io;
    *stuck = false;
    AUTO(Fd) fd = io_open(io, f->root, RECENT, O_RDONLY | O_NONBLOCK, 0);
    char header[HEADER_BYTES + 1] = "";
    struct stat info = { 0 };
    int got = fd;
    if (fd >= 0)
        got = (int)io_read_all(io, fd, header, HEADER_BYTES, 0);
    if (got >= 0)
        got = io_fstat(io, fd, &info);
    if (got < 0 && got != -ENOENT)
        return err_errno(e, -got, "could not read the changes");
    char now_id[17] = "0";
    if (str_starts(str(header), S(HEADER)) && strlen(header) == HEADER_BYTES)
        snprintf(now_id, sizeof now_id, "%.16s", header + sizeof HEADER - 1);
    char mark[sizeof at->boot];
    write_mark(f, mark);
    bool same =
        strcmp(now_id, at->id) == 0 && strcmp(at->boot, mark) == 0 && at->offset <= info.st_size;
    x->rescan = x->rescan || !same;
    if (same && fd < 0)
        return JOT_OK;
    got =
        same ? read_names(f, fd, info.st_size, at, x, stuck) : start_over(f, fd, &info, now_id, at);
    return got < 0 ? err_errno(e, -got, "could not read the changes") : JOT_OK;
}

static int64_t ms_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t later_ms(const struct stat *s)
{
    int64_t m = ms_of(s->st_mtim), c = ms_of(s->st_ctim);
    return m > c ? m : c;
}

/* Was the view touched long after the stream was?  Then it was not us: somebody has taken an edit
 * back, and who believes in the edit must hear of it. */
static bool touched(Files *f, Str name)
{
    Paths p = paths_of(f, name);
    struct stat view, stream;
    return view_stat(f, &p, &view) == 0 &&
           io_stat_path(f->base.io, f->root, p.path, &stream) == 0 &&
           later_ms(&view) > ms_of(stream.st_mtim) + OWN_WRITE_MS;
}

/* A view is news only if it is not what its stream says, or was not a moment ago. */
static void consider(Found *x, Str name)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    jot_status st = files_head(&x->f->base, name, HEAD_MARK, &arena, &head, NULL);
    if (st != JOT_OK || (head.mark.seq && !touched(x->f, name)))
        return;
    found(x, name);
    x->done = true;
}

static void consider_view(Found *x, Str path)
{
    AUTO(Buf) name = { 0 };
    if (stream_of_view(x->f, path, &name))
        consider(x, buf_str(&name));
}

/* The same for one that has just lost its name: if no stream knows it, it is gone for good. */
static void consider_lost(Found *x, Str path)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) name = { 0 };
    Record head;
    if (!stream_of_view(x->f, path, &name))
        return;
    if (files_head(&x->f->base, buf_str(&name), HEAD_MARK, &arena, &head, NULL) != JOT_NOT_FOUND) {
        consider(x, buf_str(&name));
        return;
    }
    found(x, buf_str(&name));
    x->done = true;
}

/* --- Looking at all views -------------------------------------------------------------- */

typedef struct Scan {
    Found *x;
    int64_t since_ms;
    void (*directory)(Files *f, const char *path); /* may be NULL */
} Scan;

/* What cannot be looked at may have changed: anyone who asks must look at everything. */
static bool names_of(const Scan *scan, const char *path, Arena *into, Names *out)
{
    if (list_directory(scan->x->f, path, into, out, NULL) == JOT_OK)
        return true;
    /* Notes whose directory is gone have not changed: nobody can tell before it is back. */
    bool gone = notes_dir_has(scan->x->f, path) && notes_dir_lost(scan->x->f);
    scan->x->rescan = scan->x->rescan || !gone;
    return false;
}

/* A directory that was moved here brings files along that are as old as they were. */
static bool moved(Files *f, const char *path, int64_t since_ms)
{
    struct stat info;
    return pad_stat(f, path, &info) == 0 && ms_of(info.st_ctim) >= since_ms &&
           ms_of(info.st_ctim) > ms_of(info.st_mtim);
}

/* Depth is bounded by the length of a name. */
static void scan_directory(const Scan *above, const char *path)
{
    Files *f = above->x->f;
    Scan scan = *above;
    AUTO(Arena) arena = { 0 };
    Names names;
    if (strlen(path) > STORE_NAME_MAX || !names_of(&scan, path, &arena, &names))
        return;
    if (scan.directory)
        scan.directory(f, path);
    if (moved(f, path, scan.since_ms))
        scan.since_ms = 0;
    for (size_t i = 0; i < names.n; i++) {
        Str child = names.items[i];
        Str below = arena_printf(&arena, "%s/" STR_FMT, path, STR_ARG(child));
        struct stat info;
        if (child.p[child.n - 1] == '/') {
            scan_directory(&scan, arena_cstr(&arena, str_slice(below, 0, below.n - 1)));
            continue;
        }
        int got = pad_stat(f, below.p, &info);
        if (got < 0 && !io_missing(got))
            scan.x->rescan = true;
        else if (got == 0 && later_ms(&info) >= scan.since_ms)
            consider_view(scan.x, below);
    }
}

/* A directory of views, and what was asked of it last. */
typedef struct ViewDir {
    char path[FILES_PATH_MAX];
    bool lately;
} ViewDir;

/* May something have gone from where this view would be?  The views of one directory's streams lie
 * in one directory, mostly: it is looked at once. */
static bool lost_one_lately(const Scan *scan, const Paths *p, ViewDir *last)
{
    struct stat info;
    if (strcmp(p->view_dir, last->path) == 0)
        return last->lately;
    snprintf(last->path, sizeof last->path, "%s", p->view_dir);
    last->lately =
        pad_stat(scan->x->f, p->view_dir, &info) < 0 || later_ms(&info) >= scan->since_ms;
    return last->lately;
}

/* A view that is gone leaves only its directory's time: ask the streams of it. */
static void scan_removed(const Scan *scan, const char *path)
{
    Files *f = scan->x->f;
    ViewDir last = { "", false };
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) name = { 0 };
    Names names;
    if (strlen(path) > FILES_PATH_MAX || !names_of(scan, path, &arena, &names))
        return;
    for (size_t i = 0; i < names.n; i++) {
        Str child = names.items[i];
        Str below = arena_printf(&arena, "%s/" STR_FMT, path, STR_ARG(child));
        if (child.p[child.n - 1] == '/') {
            scan_removed(scan, arena_cstr(&arena, str_slice(below, 0, below.n - 1)));
            continue;
        }
        struct stat info;
        if (!stream_of_path(below, &name))
            continue;
        Paths p = paths_of(f, buf_str(&name));
        if (p.viewed && lost_one_lately(scan, &p, &last) && io_missing(view_stat(f, &p, &info)))
            consider(scan->x, buf_str(&name));
    }
}

/* Snapshots have their files among the cycles'. */
static const char *const view_roots[] = { "artifacts", "cycles", "memories", "notes", "shared" };
static const char *const stream_roots[] = { "streams/artifacts.d", "streams/cycles.d",
                                            "streams/memories.d",  "streams/notes.d",
                                            "streams/shared.d",    "streams/snapshots.d" };

/* Edits since the position's time; the position moves to now. */
static void scan_views(Files *f, Position *at, Found *x, void (*directory)(Files *, const char *))
{
    int64_t now = io_wall_ms(&io_system); /* compared with times the file system gives */
    int64_t began = io_awake_ms(&io_system);
    Scan scan = { x, at->since_ms - SCAN_SLACK_MS, directory };
    if (now < at->since_ms)
        x->rescan = true; /* the clock was set back: times tell nothing */
    for (size_t i = 0; i < COUNT_OF(view_roots); i++)
        scan_directory(&scan, view_roots[i]);
    for (size_t i = 0; i < COUNT_OF(stream_roots); i++)
        scan_removed(&scan, stream_roots[i]);
    at->since_ms = now;
    recent_of(f)->scanned_ms = io_awake_ms(&io_system);
    recent_of(f)->scan_ms = recent_of(f)->scanned_ms - began;
}

/* Is it time to look at all views again? */
static bool scan_is_due(const struct Recent *r)
{
    int64_t rest = r->notify >= 0 && !r->deaf ? r->scan_ms * SCAN_REST : 0;
    rest = rest < SCAN_EVERY_MS ? SCAN_EVERY_MS : rest;
    rest = rest > SCAN_SELDOM_MS ? SCAN_SELDOM_MS : rest;
    return r->scanned_ms == 0 || io_awake_ms(&io_system) - r->scanned_ms >= rest;
}

/* --- Waiting --------------------------------------------------------------------------- */

static void watch(Files *f, const char *path)
{
    struct Recent *r = recent_of(f);
    r->deaf = r->deaf || r->n >= WATCH_MAX;
    if (r->notify < 0 || r->n >= WATCH_MAX)
        return;
    AUTO(Fd) dir = pad_open_dir(f, path, false);
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    int id = dir < 0 ? -1
                     : inotify_add_watch(r->notify, link,
                                         IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_MOVED_TO |
                                             IN_MOVED_FROM | IN_DELETE);
    for (size_t i = 0; id >= 0 && i < r->n; i++)
        if (r->watched[i].id == id)
            return;
    r->deaf = r->deaf || (dir >= 0 && id < 0);
    if (id < 0)
        return;
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 16;
        r->watched = mem_grow(r->watched, r->cap * sizeof *r->watched);
    }
    r->watched[r->n++] = (Watched){ id, strdup(path) };
    if (!r->watched[r->n - 1].path)
        mem_exhausted();
}

/* From the first wait on, however short, all directories with views are watched.  What came before
 * that is looked for once more. */
static void start_watching(Files *f, Position *at, Found *x)
{
    struct Recent *r = recent_of(f);
    if (r->notify >= 0)
        return;
    r->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (r->notify < 0) {
        r->notify = FD_NONE; /* looking every two seconds must do */
        return;
    }
    watch(f, ".");
    scan_views(f, at, x, watch);
}

static void take_event(Files *f, Found *x, const struct inotify_event *ev)
{
    struct Recent *r = recent_of(f);
    bool lost = ev->mask & (IN_DELETE | IN_MOVED_FROM);
    /* What went with a directory, or what was not announced, may have left no trace. */
    if ((ev->mask & IN_Q_OVERFLOW) || (lost && (ev->mask & IN_ISDIR)))
        x->rescan = true;
    for (size_t i = 0; ev->len && ev->name[0] != '.' && i < r->n; i++) {
        if (r->watched[i].id != ev->wd)
            continue;
        AUTO(Arena) arena = { 0 };
        Str path = arena_printf(&arena, "%s/%s", r->watched[i].path, ev->name);
        if (lost)
            consider_lost(x, path);
        else
            consider_view(x, path);
    }
}

/* Take what inotify has to say; true if all views must be looked at. */
static bool read_events(Files *f, Found *x)
{
    struct Recent *r = recent_of(f);
    bool all = false;
    alignas(struct inotify_event) char events[8192];
    for (ssize_t got; (got = read(r->notify, events, sizeof events)) > 0;) {
        for (char *p = events; p < events + got;) {
            const struct inotify_event *ev = (const struct inotify_event *)p;
            p += sizeof *ev + ev->len;
            /* A directory comes and goes with all that is in it. */
            all = all || (ev->mask & (IN_ISDIR | IN_Q_OVERFLOW));
            take_event(f, x, ev);
        }
    }
    return all;
}

static void wait_for_events(Files *f, int64_t ms)
{
    struct Recent *r = recent_of(f);
    struct pollfd fd = { .fd = r->notify, .events = POLLIN };
    if (r->notify >= 0)
        (void)poll(&fd, 1, (int)ms);
    else
        io_sleep_us(f->base.io, (ms < 20 ? ms : 20) * 1000);
}

static jot_status look_once(Files *f, Position *at, Found *x, bool *stuck, Err *e)
{
    struct Recent *r = recent_of(f);
    bool known = at->id[0];
    TRY(read_recent(f, at, x, stuck, e));
    if (!known)
        at->since_ms = io_wall_ms(&io_system);
    bool all = r->notify >= 0 && read_events(f, x);
    if (known && (all || scan_is_due(r)))
        scan_views(f, at, x, r->notify >= 0 ? watch : NULL);
    return JOT_OK;
}

jot_status files_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                         Err *e)
{
    Files *f = (Files *)s;
    Position at = { 0 };
    TRY(pad_boot(f, e));
    if (!read_position(c, &at))
        at = (Position){ 0 };
    int64_t until = io_awake_ms(&io_system) + wait_ms;
    Found x = { .f = f, .into = into };
    off_t began = at.offset;
    if (wait_ms > 0 && at.id[0])
        start_watching(f, &at, &x);
    for (bool paused = false;;) {
        bool stuck = false;
        TRY(look_once(f, &at, &x, &stuck, e));
        int64_t left = until - io_awake_ms(&io_system);
        /* A name that is reported again and again because its writer stands still is no news, but
         * it must not keep those after it for long. */
        bool only_stuck = stuck && at.offset == began && !(x.done && paused);
        if (x.rescan || (x.n && !only_stuck) || left <= 0)
            break;
        if (stuck) {
            io_sleep_us(f->base.io, (left < STUCK_WAIT_MS ? left : STUCK_WAIT_MS) * 1000);
            paused = true;
        } else {
            wait_for_events(f, left < POLL_MS ? left : POLL_MS);
        }
    }
    *out = (Changes){
        .names = x.names, .n = x.rescan ? 0 : x.n, .rescan = x.rescan, .forgot = x.forgot
    };
    write_position(&out->next, &at);
    return JOT_OK;
}
