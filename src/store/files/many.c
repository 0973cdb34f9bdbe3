/* many.c - many appends that share what makes them durable.
 *
 * One append costs a sync of its stream, and of three directories if its name is new.
 * Here the syncs of up to STORE_MANY_MAX appends are one:
 *
 *     lock      each stream, in the order of names; repair it, decide           like any append
 *     announce  all names, in one line of `recent` each
 *     stage     each draft beside its view, each record after its head          nothing is synced
 *     sync      the file system, once (syncfs)                                  all have happened
 *     land      each draft exchanged with its view, what it displaced looked at
 *     unlock    all
 *
 * Until the sync nothing is acknowledged and every stream is locked, so a reader that meets one
 * of these records syncs it before it believes it, as with any writer.  What dies before the
 * sync leaves for each stream what a single append can leave, and the next writer of that
 * stream puts it right.
 *
 * Where one call cannot sync everything (io_sync_all says so), each directory is synced once and
 * then every stream, when the system has already begun to write them all.
 *
 * What is not simple is left for the caller to append alone: an edit by a person to be
 * recorded first, a guard (a second lock), an id, a condition that does not hold, a new name that
 * could clash with another (of notes only if there is such a one), a stream that is busy.  So
 * nobody waits here but for a lock he could have had, and two who lock many streams cannot wait for
 * each other. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mutant.h"
#include "store/files/files.h"

/* One append under way. */
typedef struct One {
    Append *item;
    Writing w;
    Record fresh;
    Str caseless; /* of a note that comes to life */
    bool staged;
    int synced; /* 0 or -errno */
} One;

typedef struct Many {
    Files *f;
    One **ones; /* by name; those that were begun come first */
    size_t n;
    /* Views lie in few directories, mostly one: each is opened once for a row of them. */
    Fd *dirs;
    size_t dirs_n;
    Fd names; /* holds the locks of all names that come into being */
} Many;

static void many_done(Many *m)
{
    for (size_t i = 0; i < m->n; i++) {
        m->ones[i]->w.dir = m->ones[i]->w.names = FD_NONE; /* ours */
        writing_remove_empty(m->f, &m->ones[i]->w);
        writing_done(&m->ones[i]->w);
        free(m->ones[i]);
    }
    for (size_t i = 0; i < m->dirs_n; i++)
        fd_close(&m->dirs[i]);
    lock_close(m->f->base.io, &m->names);
    free(m->dirs);
    free(m->ones);
}
DEFINE_AUTO(Many, many_done)

/* --- Locking and deciding --------------------------------------------------------------- */

static bool is_simple(const Append *a)
{
    const StoreKind *kind = store_kind(a->stream);
    return a->status == JOT_CANCELLED && a->expect.guard.n == 0 && a->draft.id.n == 0 &&
           (kind->flat || kind->pair || kind->note);
}

/* May this note come to life, beside what is there and what is under way?  The locks of all names
 * are one process's, so they say nothing of the latter. */
static bool may_begin(const Many *m, One *one)
{
    Str name = one->item->stream;
    one->caseless = store_caseless(name, &one->w.arena);
    for (size_t i = 0; i < m->n; i++) {
        Str other = m->ones[i]->item->stream;
        Str longer = other.n > name.n ? other : name, shorter = other.n > name.n ? name : other;
        if (str_eq(m->ones[i]->caseless, one->caseless) ||
            (longer.n > shorter.n && longer.p[shorter.n] == '/' && str_starts(longer, shorter)))
            return false;
    }
    return clash_check(m->f, &one->w, NULL) == JOT_OK &&
           clash_check_twin(m->f, &one->w, NULL) == JOT_OK;
}

/* Decide it; false if it had better be alone. */
static bool begin_one(Many *m, One *one)
{
    Files *f = m->f;
    Writing *w = &one->w;
    const Append *a = one->item;
    bool again = false;
    /* Who is busy may wait for one of those we hold. */
    f->until_ms = 0;
    if (writing_begin(f, w, &a->expect, true, NULL) != JOT_OK || w->edit.op)
        return false;
    Sealing asked = {
        .stream = a->stream, .x = &a->expect, .draft = &a->draft, .head = &w->stream.head
    };
    if (store_seal(&f->base, &asked, &one->fresh, &again, NULL) != JOT_OK || again)
        return false;
    bool born = store_kind(a->stream)->note && !mark_live(&w->stream.head);
    return !born || may_begin(m, one);
}

/* The directory of the one before, if it is the same. */
static void borrow_dir(const One *last, One *one)
{
    if (last && one->w.dir < 0 && last->w.dir >= 0 &&
        strcmp(last->w.paths.view_dir, one->w.paths.view_dir) == 0)
        one->w.dir = last->w.dir;
}

/* Its directory, if it opened one, closes with all. */
static void keep_dir(Many *m, const One *one)
{
    for (size_t i = m->dirs_n; one->w.dir >= 0 && i > 0; i--)
        if (m->dirs[i - 1] == one->w.dir)
            return;
    if (one->w.dir >= 0)
        m->dirs[m->dirs_n++] = one->w.dir;
}

static void drop_one(Many *m, One *one)
{
    writing_remove_empty(m->f, &one->w);
    keep_dir(m, one);
    one->w.dir = one->w.names = FD_NONE;
    writing_done(&one->w);
    free(one);
}

static void begin(Many *m, Append *item)
{
    One *one = mem_alloc(sizeof *one);
    *one = (One){ .item = item };
    writing_init(m->f, &one->w, item->stream);
    borrow_dir(m->n ? m->ones[m->n - 1] : NULL, one);
    one->w.names = m->names;
    bool begun = begin_one(m, one);
    m->names = one->w.names;
    if (!begun) {
        drop_one(m, one);
        return;
    }
    keep_dir(m, one);
    m->ones[m->n++] = one;
}

static int by_name(const void *a, const void *b)
{
    const Append *x = *(Append *const *)a, *y = *(Append *const *)b;
    int order = str_cmp(x->stream, y->stream);
    return order ? order : (x > y) - (x < y);
}

/* --- Syncing ---------------------------------------------------------------------------- */

/* The directories of new streams, each once.  0 or -errno. */
static int sync_dirs(const Many *m)
{
    const char *last = "";
    for (size_t i = 0; i < m->n; i++) {
        const Stream *st = &m->ones[i]->w.stream;
        if (!m->ones[i]->staged || st->size > 0 || strcmp(last, st->paths->dir) == 0)
            continue;
        if (pad_sync_dirs(m->f, st->paths->dir, NULL) != JOT_OK)
            return -EIO;
        last = st->paths->dir;
    }
    return 0;
}

static void stage(Many *m)
{
    for (size_t i = 0; i < m->n && !m->f->base.read_only_why[0]; i++) {
        One *one = m->ones[i];
        borrow_dir(i ? m->ones[i - 1] : NULL, one);
        jot_status st = writing_stage(m->f, &one->w, &one->fresh, &one->item->why);
        one->staged = st == JOT_OK;
        keep_dir(m, one);
        if (!one->staged)
            one->item->status = st;
    }
}

static void land(Many *m, One *one)
{
    assert(one->staged);
    Append *a = one->item;
    a->status = writing_land(m->f, &one->w, &one->fresh, one->synced, &a->why);
    a->mark = one->w.stream.head;
    struct stat info;
    if (a->status != JOT_OK)
        return;
    int placed = stream_in_place(m->f, &one->w.stream, &info);
    if (placed == 0) /* a person took the file away under our lock: once more, alone */
        a->status = JOT_CANCELLED;
    else if (placed < 0)
        a->status = writing_unknown(a->stream, &a->why);
}

/* Names and records that were staged, one after the other. */
static void sync_each(Many *m)
{
    int dirs = MUTANT(NO_DIRECTORY_SYNC) ? 0 : sync_dirs(m);
    for (size_t i = 0; i < m->n; i++)
        if (m->ones[i]->staged)
            io_hint_sync(m->ones[i]->w.stream.fd);
    for (size_t i = 0; i < m->n; i++)
        if (m->ones[i]->staged)
            m->ones[i]->synced =
                dirs < 0 ? dirs : io_fdatasync(m->f->base.io, m->ones[i]->w.stream.fd);
}

static void sync_staged(Many *m, int disk)
{
    int all = MUTANT(NO_SYNC) ? 0 : io_sync_all(m->f->base.io, disk);
    for (size_t i = 0; i < m->n; i++)
        m->ones[i]->synced = all;
    if (all == -EOPNOTSUPP)
        sync_each(m);
}

static jot_status write_all(Many *m, Err *e)
{
    Files *f = m->f;
    AUTO(Arena) arena = { 0 };
    /* Opened before the first byte is written: it is told of every failure since. */
    AUTO(Fd) disk = io_open(f->base.io, f->root, ".", O_RDONLY | O_DIRECTORY, 0);
    if (disk < 0)
        return err_errno(e, -disk, "could not open the pad");
    Str *names = NEW_ARRAY(&arena, Str, m->n);
    for (size_t i = 0; i < m->n; i++)
        names[i] = m->ones[i]->item->stream;
    TRY(recent_add_many(f, names, m->n, e));
    stage(m);
    sync_staged(m, disk);
    recent_done(f);
    for (size_t i = 0; i < m->n; i++)
        if (m->ones[i]->staged)
            land(m, m->ones[i]);
    return JOT_OK;
}

jot_status files_append_many(Store *s, Append *items, size_t n, Err *e)
{
    Files *f = (Files *)s;
    TRY(writing_allowed(f, e));
    AUTO(Arena) arena = { 0 };
    Append **sorted = NEW_ARRAY(&arena, Append *, n);
    size_t simple = 0;
    for (size_t i = 0; i < n; i++)
        if (is_simple(&items[i]))
            sorted[simple++] = &items[i];
    if (simple < 2)
        return JOT_OK;
    qsort(sorted, simple, sizeof(void *), by_name);
    AUTO(Many) m = { .f = f, .names = FD_NONE };
    m.ones = mem_alloc(simple * sizeof(void *));
    m.dirs = mem_alloc(2 * simple * sizeof *m.dirs); /* one at its beginning, one later */
    /* Of several to one stream all are alone, in their order. */
    for (size_t i = 0; i < simple; i++) {
        bool before = i > 0 && str_eq(sorted[i - 1]->stream, sorted[i]->stream);
        bool after = i + 1 < simple && str_eq(sorted[i + 1]->stream, sorted[i]->stream);
        if (!before && !after)
            begin(&m, sorted[i]);
    }
    pad_begin_wait(f);
    return m.n ? write_all(&m, e) : JOT_OK;
}
