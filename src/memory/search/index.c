/* index.c - the files of an index: its manifest, its lock, and what it writes.
 *
 *   DIR/manifest     what counts (see Manifest); replaced as a whole
 *   DIR/lock         held by whoever writes
 *   DIR/<16 hex>.seg a segment
 *
 * A reader opens what the manifest names; if a file is gone meanwhile, a newer
 * manifest is there, and it begins again.
 *
 * Text that is forgotten leaves the files so: the lock is taken, the streams'
 * rows die and are read again, each segment with dead rows is merged alone into
 * a new one without them, the new files are synced and named by a manifest, and
 * then the old ones are removed.  Killed before the manifest, all is as before;
 * behind it, the same call again removes what is left. */
#include "memory/search/index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "memory/search/merge.h"

enum {
    MANIFEST_MAX = 64 << 20,
    LOAD_TRIES = 8,
    PUBLISH_ROWS = 64,        /* in memory, from which on they are written, or ... */
    PUBLISH_BYTES = 64 << 10, /* ... so much: each process that searches makes it anew */
    MERGE_ROWS = 4096,        /* that a search merges at most: some milliseconds */
    SEGMENTS_MAX = 24,        /* beyond so many everything is merged */
    DEAD_SHARE = 4,           /* a segment with a dead row in so many is written again */
};

#define MANIFEST "manifest"
#define MANIFEST_NEW "manifest.new"
#define LOCK "lock"

/* --- Memory ------------------------------------------------------------------------------ */

void index_unload(Index *x)
{
    view_free(&x->view);
    rank_scratch_free(&x->scratch);
    index_free_vectors(x);
    x->told = 0;
    x->changes++;
    x->viewed = false;
    for (size_t i = 0; i < x->n; i++)
        seg_close(&x->segs[i]);
    free(x->segs);
    x->segs = NULL;
    x->n = x->cap = 0;
    x->generation = 0;
    x->at = (Cursor){ "" };
    x->loaded = x->dirty = false;
    x->seen = (struct stat){ 0 };
}

void index_leave_files(Index *x, const char *why)
{
    index_unload(x);
    x->path[0] = 0;
    x->why = why;
    x->broken = x->busy = x->full = false;
}

bool index_has_files(const Index *x)
{
    struct stat info;
    AUTO(Arena) arena = { 0 };
    return x->path[0] && lstat(arena_printf(&arena, "%s/" MANIFEST, x->path).p, &info) == 0;
}

static jot_status file_fault(Index *x, int error, Err *e)
{
    x->broken = true;
    x->full = error == ENOSPC || error == EDQUOT;
    return err_errno(e, error, "could not use the search index");
}

/* --- The directory ----------------------------------------------------------------------- */

static int open_dir(const Index *x)
{
    return open(x->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A directory, a file that can be replaced by one, or nothing. */
static bool is_usable(const Index *x)
{
    struct stat info;
    return lstat(x->path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

/* A plain file goes, unless it is empty: that keeps the place shut while a command of an agent
 * runs.  0, or -errno. */
static int remove_plain(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return 0;
    return unlink(path) == 0 ? 0 : -errno;
}

/* Earlier versions had the index in one file, and a journal: in its place, or in `index.sqlite`
 * beside it.  Nobody else would take out of them what is forgotten. */
static int remove_older(const Index *x)
{
    AUTO(Arena) arena = { 0 };
    Str path = str(x->path), beside = path;
    if (str_ends(path, S("/index.d")))
        beside = arena_printf(&arena, STR_FMT "sqlite", STR_ARG(str_slice(path, 0, path.n - 1)));
    int got = remove_plain(path.p);
    if (got == 0)
        got = remove_plain(arena_cstr(&arena, beside));
    if (got == 0)
        got = remove_plain(arena_printf(&arena, STR_FMT "-journal", STR_ARG(beside)).p);
    return got;
}

/* Made if it is missing. */
static int make_dir(const Index *x)
{
    int old = remove_older(x);
    if (old < 0) {
        errno = -old;
        return -1;
    }
    if (mkdir(x->path, 0700) != 0 && errno != EEXIST)
        return -1;
    return open_dir(x);
}

typedef struct SegName {
    char text[24];
} SegName;

static SegName file_name(uint64_t id, const char *kind)
{
    SegName n;
    snprintf(n.text, sizeof n.text, "%016llx.%s", (unsigned long long)id, kind);
    return n;
}

static SegName seg_name(uint64_t id)
{
    return file_name(id, "seg");
}

/* --- The manifest ------------------------------------------------------------------------ */

/* The manifest there is; *there: one that can be used.  `info` is its file's. */
static bool read_manifest(const Index *x, int dir, Arena *into, Manifest *out, struct stat *info)
{
    const Io *io = x->m->io;
    AUTO(Fd) fd = io_open(io, dir, MANIFEST, O_RDONLY, 0);
    *info = (struct stat){ 0 };
    if (fd < 0 || io_fstat(io, fd, info) < 0 || !S_ISREG(info->st_mode) ||
        info->st_size > MANIFEST_MAX)
        return false;
    size_t n = (size_t)info->st_size;
    char *text = arena_alloc(into, n + 1, alignof(uint64_t));
    return io_read_all(io, fd, text, n, 0) == (ssize_t)n &&
           manifest_parse((Str){ text, n }, into, out);
}

/* --- Loading ----------------------------------------------------------------------------- */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Is what is loaded still what counts?  A manifest that vanished was somebody's who cleaned up. */
static bool is_current(const Index *x)
{
    AUTO(Arena) arena = { 0 };
    struct stat now = { 0 };
    if (!x->loaded)
        return false;
    if (!x->path[0])
        return true;
    if (lstat(arena_printf(&arena, "%s/" MANIFEST, x->path).p, &now) != 0)
        return x->generation == 0;
    return same_file(&now, &x->seen);
}

/* Is there a segment's file of this name and size?  Everything in it is checked on its way. */
static bool open_segment(const Index *x, int dir, const ManifestSegment *named, Segment *out)
{
    const Io *io = x->m->io;
    AUTO(Fd) fd = io_open(io, dir, seg_name(named->id).text, O_RDONLY, 0);
    AUTO(Segment) s = { .fd = FD_NONE };
    if (fd < 0 || !seg_from_file(&s, io, &fd) || s.n != named->bytes || s.rows != named->rows)
        return false;
    s.id = named->id;
    for (uint32_t i = 0; i < named->dead_n; i++)
        seg_kill(&s, named->dead[i]);
    *out = s;
    s = (Segment){ .fd = FD_NONE };
    return true;
}

static bool take_manifest(Index *x, int dir, const Manifest *m)
{
    assert(!x->segs && x->n == 0 && !x->vectors); /* unloaded */
    x->segs = mem_alloc((m->n + 1) * sizeof *x->segs);
    x->cap = m->n + 1;
    for (uint32_t i = 0; i < m->n; i++) {
        if (!open_segment(x, dir, &m->segs[i], &x->segs[x->n]))
            return false;
        x->n++;
    }
    x->vectors = mem_alloc((m->vectors_n + (size_t)1) * sizeof *x->vectors);
    for (uint32_t i = 0; i < m->vectors_n; i++)
        x->vectors[x->vectors_n++] =
            (RowVectors){ .id = m->vectors[i].id, .bytes = m->vectors[i].bytes };
    x->told = m->told;
    x->generation = m->generation;
    x->at = m->at;
    return true;
}

/* Which pad it is of, asked for only where there are files: a pad that has no id yet gets one. */
static void know_pad(Index *x)
{
    if (!x->pad[0] && store_id(x->m->store, x->pad, NULL) != JOT_OK)
        x->pad[0] = 0;
}

static bool is_ours(Index *x, const Manifest *m)
{
    know_pad(x);
    return strcmp(m->pad, x->pad) == 0 && strcmp(m->language, x->language) == 0;
}

jot_status index_load(Index *x, Err *e)
{
    struct stat info = { 0 };
    uint64_t generation = 0;
    if (is_current(x))
        return JOT_OK;
    for (int tries = 0; tries < LOAD_TRIES; tries++) {
        AUTO(Arena) arena = { 0 };
        Manifest m;
        index_unload(x);
        AUTO(Fd) dir = x->path[0] ? open_dir(x) : FD_NONE;
        x->loaded = true;
        if (x->path[0] && !is_usable(x))
            return file_fault(x, ENOTDIR, e);
        bool there = dir >= 0 && read_manifest(x, dir, &arena, &m, &info) && is_ours(x, &m);
        x->seen = info;
        if (!there)
            return JOT_OK; /* it is made again */
        generation = m.generation;
        if (take_manifest(x, dir, &m))
            return JOT_OK;
    }
    /* What it names is not to be had: all is read again, and takes the place of this manifest. */
    index_unload(x);
    x->loaded = true;
    x->generation = generation;
    x->seen = info;
    return JOT_OK;
}

/* --- Writing ----------------------------------------------------------------------------- */

/* The directory and its lock, held by whoever writes. */
typedef struct Writer {
    const Io *io;
    Fd dir, lock;
} Writer;

static void writer_done(Writer *w)
{
    if (w->lock >= 0)
        lock_close(w->io, &w->lock);
    fd_close(&w->dir);
}
DEFINE_AUTO(Writer, writer_done)

/* 0, or -errno: -EAGAIN if somebody else has it. */
static int writer_begin(Index *x, int64_t wait_ms, Writer *w)
{
    *w = (Writer){ .io = x->m->io, .dir = make_dir(x), .lock = FD_NONE };
    if (w->dir < 0)
        return -errno;
    w->lock = lock_open(w->io, w->dir, LOCK, O_RDWR | O_CREAT, 0600);
    if (w->lock < 0)
        return w->lock;
    return lock_wait(w->io, w->lock, F_WRLCK, 0, wait_ms);
}

/* A new file of this name, synced; 0 or -errno. */
static int write_file(const Io *io, int dir, const char *name, Str bytes)
{
    int got = io_unlink(io, dir, name); /* what somebody who died has left */
    if (got < 0 && got != -ENOENT)
        return got;
    AUTO(Fd) fd = io_open(io, dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return fd;
    got = io_write_all(io, fd, bytes);
    if (got >= 0)
        got = io_fsync(io, fd);
    if (got < 0)
        (void)io_unlink(io, dir, name);
    return got;
}

static int publish_manifest(Index *x, const Writer *w, uint64_t generation)
{
    assert(w->lock >= 0);
    AUTO(Buf) text = { 0 };
    know_pad(x);
    Manifest m = { .generation = generation, .at = x->at, .told = x->told };
    memcpy(m.pad, x->pad, sizeof m.pad);
    memcpy(m.language, x->language, sizeof m.language);
    manifest_write(&m, &(ManifestFiles){ x->segs, x->n, x->vectors, x->vectors_n }, &text);
    int got = write_file(w->io, w->dir, MANIFEST_NEW, buf_str(&text));
    if (got >= 0)
        got = io_rename(w->io, w->dir, MANIFEST_NEW, MANIFEST, 0);
    if (got >= 0)
        got = io_fsync(w->io, w->dir);
    if (got < 0)
        return got;
    x->generation = generation;
    x->dirty = false;
    return io_stat(w->io, w->dir, MANIFEST, &x->seen);
}

static int remove_manifest(Index *x, const Writer *w)
{
    assert(w->lock >= 0);
    int got = io_unlink(w->io, w->dir, MANIFEST);
    x->generation = 0;
    x->dirty = false;
    return got == -ENOENT ? 0 : got;
}

typedef struct Sweep {
    const Index *x;
    const Writer *w;
    int failed;
} Sweep;

static bool is_named(const Index *x, const char *name)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->segs[i].id && strcmp(seg_name(x->segs[i].id).text, name) == 0)
            return true;
    for (size_t i = 0; i < x->vectors_n; i++)
        if (x->vectors[i].id && strcmp(file_name(x->vectors[i].id, "vec").text, name) == 0)
            return true;
    return false;
}

static int sweep_one(void *ctx, int dir, const struct dirent *d)
{
    Sweep *s = ctx;
    size_t n = strlen(d->d_name);
    bool seg =
        n > 4 && (strcmp(d->d_name + n - 4, ".seg") == 0 || strcmp(d->d_name + n - 4, ".vec") == 0);
    bool old = strcmp(d->d_name, MANIFEST_NEW) == 0;
    if ((!seg && !old) || is_named(s->x, d->d_name))
        return 0;
    int got = io_unlink(s->w->io, dir, d->d_name);
    if (got < 0 && got != -ENOENT)
        s->failed = got;
    return 0;
}

/* Files that the manifest does not name go: those that were merged, and what the dead have left. */
static int sweep(const Index *x, const Writer *w)
{
    assert(w->lock >= 0); /* nobody else is writing a file that is not named yet */
    Sweep s = { .x = x, .w = w };
    AUTO(Fd) dir = dup(w->dir);
    if (dir < 0)
        return -errno;
    int got = io_list(w->io, &dir, sweep_one, &s);
    return got < 0 ? got : s.failed;
}

/* --- What to merge ----------------------------------------------------------------------- */

static uint64_t rows_from(const Index *x, size_t from)
{
    uint64_t rows = 0;
    for (size_t i = from; i < x->n; i++)
        rows += x->segs[i].rows;
    return rows;
}

/* A segment without a live row goes without being read: that is what is left of a large text that
 * is changed again and again.  Streams that only it knew are read again when they change. */
static void drop_dead(Index *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        Segment *s = &x->segs[i];
        if (s->rows && s->dead_n == s->rows)
            seg_close(s);
        else
            x->segs[n++] = *s;
    }
    if (n < x->n) {
        view_free(&x->view);
        x->viewed = false;
    }
    x->n = n;
}

static size_t bytes_in_memory(const Index *x)
{
    size_t bytes = 0;
    for (size_t i = 0; i < x->n; i++)
        bytes += x->segs[i].id ? 0 : x->segs[i].own.n;
    return bytes;
}

/* Segments from here on become one: those in memory, and before them what is not much larger. */
static size_t merge_from(const Index *x, bool all)
{
    size_t from = 0;
    if (all || x->n > SEGMENTS_MAX)
        return 0;
    while (from < x->n && x->segs[from].id)
        from++;
    /* To merge a large text costs more than to read it; soon it may be replaced. */
    if (x->n <= SEGMENTS_MAX / 2 && rows_from(x, from) < PUBLISH_ROWS &&
        bytes_in_memory(x) >= PUBLISH_BYTES)
        return from;
    while (from > 0) {
        uint64_t before = x->segs[from - 1].rows, behind = rows_from(x, from);
        if (before > 2 * behind || before + behind > MERGE_ROWS)
            break;
        from--;
    }
    for (size_t i = 0; i < from; i++) {
        const Segment *s = &x->segs[i];
        if (s->dead_n > s->rows / DEAD_SHARE && rows_from(x, i) <= MERGE_ROWS)
            return i;
    }
    return from;
}

static bool merge_tail(Index *x, size_t from)
{
    assert(from <= x->n);
    AUTO(Buf) bytes = { 0 };
    if (from + 1 >= x->n && (from == x->n || x->segs[from].dead_n == 0))
        return true;
    if (!merge_segments(x->segs + from, x->n - from, from == 0, &bytes)) {
        x->broken = true;
        return false;
    }
    view_free(&x->view);
    x->viewed = false;
    while (x->n > from)
        seg_close(&x->segs[--x->n]);
    return index_add(x, &bytes);
}

static bool is_due(const Index *x, bool all)
{
    uint64_t rows = 0, dead = 0;
    size_t memory = 0;
    for (size_t i = 0; i < x->n; i++) {
        rows += x->segs[i].id ? 0 : x->segs[i].rows;
        memory += !x->segs[i].id;
        dead += x->segs[i].id ? x->segs[i].dead_n : 0;
    }
    bool none = x->generation == 0 && x->n;
    return none || rows >= PUBLISH_ROWS || bytes_in_memory(x) >= PUBLISH_BYTES ||
           memory >= PUBLISH_ROWS / 4 || (all && (memory || x->dirty || x->n > 1 || dead));
}

/* Nothing has been forgotten since the pad was read?  Asked under the lock, which whoever forgets
 * waits for afterwards: so text that was read before a purge is never written after it. */
static bool is_unforgotten(Index *x)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    return store_changes(x->m->store, &x->at, 0, &arena, &c, NULL) == JOT_OK && !c.rescan &&
           !c.forgot;
}

/* Only what was made from the manifest that counts may take its place. */
static bool is_newest(Index *x, const Writer *w)
{
    AUTO(Arena) arena = { 0 };
    Manifest m;
    struct stat info;
    bool there = read_manifest(x, w->dir, &arena, &m, &info) && is_ours(x, &m);
    return there ? m.generation == x->generation : x->generation == 0;
}

/* Where none is left to count on from, the clock sees to it that no number is used twice. */
static uint64_t next_generation(const Index *x, const Writer *w)
{
    AUTO(Arena) arena = { 0 };
    Manifest m;
    struct stat info;
    bool there = read_manifest(x, w->dir, &arena, &m, &info);
    uint64_t now = there ? m.generation : (uint64_t)io_wall_ms(w->io);
    return (now > x->generation ? now : x->generation) + 1;
}

static int write_segments(Index *x, const Writer *w, uint64_t generation)
{
    assert(w->lock >= 0);
    for (size_t i = 0; i < x->n; i++) {
        Segment *s = &x->segs[i];
        if (s->id)
            continue;
        uint64_t id = generation << 8 | (i & 0xFF);
        int got = write_file(w->io, w->dir, seg_name(id).text, buf_str(&s->own));
        if (got < 0)
            return got;
        s->id = id;
    }
    for (size_t i = 0; i < x->vectors_n; i++) {
        RowVectors *v = &x->vectors[i];
        if (v->id)
            continue;
        uint64_t id = generation << 8 | (i & 0xFF);
        int got = write_file(w->io, w->dir, file_name(id, "vec").text, buf_str(&v->own));
        if (got < 0)
            return got;
        v->id = id;
    }
    return io_fsync(w->io, w->dir);
}

/* What is in memory goes to files, and counts from then on.  0, or -errno: then it is in memory as
 * before. */
static int write_all(Index *x, const Writer *w)
{
    uint64_t generation = next_generation(x, w);
    int got = write_segments(x, w, generation);
    if (got >= 0)
        got = publish_manifest(x, w, generation);
    for (size_t i = 0; got < 0 && i < x->n; i++)
        if (x->segs[i].id >> 8 == generation)
            x->segs[i].id = 0; /* what was written is nobody's: the next one removes it */
    for (size_t i = 0; got < 0 && i < x->vectors_n; i++)
        if (x->vectors[i].id >> 8 == generation)
            x->vectors[i].id = 0;
    return got;
}

void index_publish(Index *x, bool all)
{
    if (!x->path[0] || !x->loaded || !is_due(x, all))
        return;
    AUTO(Writer) w;
    if (writer_begin(x, 0, &w) != 0)
        return;
    if (!is_newest(x, &w) || !is_unforgotten(x)) {
        x->loaded = false; /* what counts is another one, or will be: it is loaded next time */
        return;
    }
    drop_dead(x);
    if (merge_tail(x, merge_from(x, all)) && write_all(x, &w) >= 0)
        (void)sweep(x, &w);
}

bool index_add_vectors(Index *x, const FreshVectors *fresh)
{
    AUTO(Writer) w = { .dir = FD_NONE, .lock = FD_NONE };
    if (!x->path[0] || !x->loaded || writer_begin(x, fresh->wait_ms, &w) != 0)
        return false;
    if (!is_newest(x, &w) || !is_unforgotten(x)) {
        x->loaded = false;
        return false;
    }
    x->told = fresh->told;
    if (!merge_tail(x, merge_from(x, false)) || !index_take_vectors(x, fresh) ||
        write_all(x, &w) < 0)
        return false;
    (void)sweep(x, &w);
    return true;
}

/* --- Forgetting --------------------------------------------------------------------------- */

/* An index without anything takes the place of the one there.  0, or -errno. */
static int clear_files(Index *x, const Writer *w)
{
    assert(w->lock >= 0);
    index_unload(x);
    x->loaded = true;
    x->broken = false;
    int got = publish_manifest(x, w, next_generation(x, w));
    if (got < 0) /* no room, say: without one nothing counts either */
        got = remove_manifest(x, w);
    return got >= 0 ? sweep(x, w) : got;
}

/* The lock of an index that is there, to take text out of it; *there is false if it is not. */
static jot_status begin_removal(Index *x, Writer *w, bool *there, Err *e)
{
    *w = (Writer){ .io = x->m->io, .dir = FD_NONE, .lock = FD_NONE };
    *there = false;
    x->broken = x->busy = x->full = false;
    if (!x->path[0])
        return JOT_OK;
    int old = is_usable(x) ? remove_older(x) : -ENOTDIR;
    if (old < 0)
        return file_fault(x, -old, e);
    AUTO(Fd) dir = open_dir(x);
    if (dir < 0 && (errno == ENOENT || errno == ENOTDIR))
        return JOT_OK;
    *there = true;
    int got = writer_begin(x, x->wait_ms, w);
    if (got == -EAGAIN) {
        x->busy = true;
        x->loaded = false;
        return err_set(e, JOT_UNAVAILABLE, "somebody else writes the search index");
    }
    return got < 0 ? file_fault(x, -got, e) : JOT_OK;
}

static jot_status end_removal(Index *x, int got, Err *e)
{
    if (got >= 0)
        return JOT_OK;
    x->loaded = false;
    return file_fault(x, -got, e);
}

jot_status index_empty(Index *x, Err *e)
{
    AUTO(Writer) w = { .dir = FD_NONE, .lock = FD_NONE };
    bool there;
    index_unload(x);
    x->loaded = true;
    TRY(begin_removal(x, &w, &there, e));
    return there ? end_removal(x, clear_files(x, &w), e) : JOT_OK;
}

/* Of vectors it is not known without reading them: a version that was replaced has one still. */
static bool has_dead(const Index *x)
{
    if (x->vectors_n)
        return true;
    for (size_t i = 0; i < x->n; i++)
        if (x->segs[i].dead_n)
            return true;
    return false;
}

/* Segments with dead rows are made again without them; words that no live row has go with them.
 * Those without stay as they are: a purge costs what the segments cost that hold something dead. */
static bool rewrite_dead(Index *x)
{
    for (size_t i = 0; i < x->n; i++) {
        AUTO(Buf) bytes = { 0 };
        Segment fresh;
        if (x->segs[i].dead_n == 0)
            continue;
        view_free(&x->view);
        x->viewed = false;
        if (!merge_segments(&x->segs[i], 1, i == 0, &bytes) || !seg_from_bytes(&fresh, &bytes)) {
            x->broken = true;
            return false;
        }
        assert(fresh.id == 0 && fresh.dead_n == 0);
        seg_close(&x->segs[i]);
        x->segs[i] = fresh;
    }
    return true;
}

/* Under the lock: what is dead goes.  Where that fails (a full disk, a damaged file) everything
 * does, for what is to be forgotten must not stay; it is read again later. */
static int remove_dead(Index *x, const Writer *w)
{
    if (x->generation && rewrite_dead(x) && index_sift_vectors(x, (Str){ 0 }) &&
        write_all(x, w) >= 0)
        return sweep(x, w);
    return clear_files(x, w);
}

jot_status index_forget(Index *x, const Str *streams, size_t n, Err *e)
{
    AUTO(Writer) w = { .dir = FD_NONE, .lock = FD_NONE };
    bool there;
    TRY(begin_removal(x, &w, &there, e));
    if (!there)
        return JOT_OK;
    index_unload(x);
    bool good = index_load(x, NULL) == JOT_OK && x->generation &&
                index_read_again(x, streams, n, NULL) == JOT_OK && !x->broken;
    return end_removal(x, good ? remove_dead(x, &w) : clear_files(x, &w), e);
}

jot_status index_scrub(Index *x, bool *done, Err *e)
{
    AUTO(Writer) w = { .dir = FD_NONE, .lock = FD_NONE };
    bool there;
    *done = true;
    if (!has_dead(x))
        return JOT_OK;
    TRY(begin_removal(x, &w, &there, e));
    if (!there || x->generation == 0) {
        x->broken = !rewrite_dead(x) || !index_sift_vectors(x, (Str){ 0 });
        return x->broken ? err_set(e, JOT_CORRUPT, "the search index is damaged") : JOT_OK;
    }
    *done = is_newest(x, &w) && is_unforgotten(x);
    if (!*done) {
        x->loaded = false;
        return JOT_OK;
    }
    int got = remove_dead(x, &w);
    *done = x->n > 0; /* else it was emptied, and all is read again */
    return end_removal(x, got, e);
}
