/* stream.c - a stream file: the truth of one stream, one line a record.
 *
 * The lock is an OFD lock on byte 0 of the file itself.  Anyone who has to wait
 * for it also holds byte 1, the gate, so that a crowd of shared holders (writes
 * guarded by this stream) cannot keep an exclusive taker out for ever: a shared
 * taker passes the gate first.
 *
 * A file can be replaced while somebody waits for its lock.  So anyone who gets
 * the lock looks whether the file still has its name, and starts again if not.
 *
 * Only the holder of the exclusive lock changes anything; an unfinished record
 * at the end, left by a writer that died, is moved to quarantine/ by the next
 * one.  Damage in the middle stays where it is and is passed over. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/lock_owner.h"
#include "base/mutant.h"
#include "store/files/files.h"

enum { OPEN_TRIES = 100, GATE_MS = 50, COPY_STEP = 64 * 1024 };

static const Io *io_of(const Files *f)
{
    return f->base.io;
}

/* --- Opening and locking --------------------------------------------------------------- */

void stream_done(Stream *st)
{
    if (st->locked)
        lock_close(st->io, &st->fd);
    else
        fd_close(&st->fd);
}

static jot_status refuse_kind(Err *e, const Paths *p, const struct stat *st)
{
    Shown shown;
    const char *name = err_show(&shown, p->name);
    if (!S_ISREG(st->st_mode))
        return err_set(e, JOT_DENIED, "the stream file of '%s' is not a regular file", name);
    return err_set(e, JOT_DENIED, "the stream file of '%s' has a second hard link: copy it without",
                   name);
}

static jot_status open_failed(Err *e, const Paths *p, int got)
{
    Shown shown;
    const char *name = err_show(&shown, p->name);
    if (got == -ENOENT)
        return store_not_found(e, p->name);
    if (got == -ELOOP || got == -EXDEV)
        return err_set(e, JOT_DENIED, "a symlink is in the way of '%s'", name);
    if (got == -ENOTDIR || got == -EISDIR || got == -ENXIO)
        return err_set(e, JOT_DENIED, "something that is not a file is in the way of '%s'", name);
    return err_errno(e, -got, "could not open the stream '%s'", name);
}

/* Open the file for writing; the directories are made on the way if it may be new. */
static jot_status open_for_write(Files *f, const Paths *p, bool create, Fd *out, Err *e)
{
    int flags = O_RDWR | O_APPEND | O_NONBLOCK | (create ? O_CREAT : 0);
    int fd = lock_open(io_of(f), f->root, p->path, flags, 0600);
    if (fd == -ENOENT && create) {
        AUTO(Fd) dir = pad_open_dir(f, p->dir, true);
        if (dir < 0)
            return open_failed(e, p, dir);
        fd = lock_open(io_of(f), dir, p->file, flags, 0600);
    }
    if (fd < 0)
        return open_failed(e, p, fd);
    *out = fd;
    return JOT_OK;
}

static jot_status refuse_wait(Files *f, const Paths *p, int fd, int got, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, p->name);
    if (got != -EAGAIN)
        return err_errno(e, -got, "could not lock '%s'", name);
    LockOwner who;
    double seconds = (double)f->base.wait_ms / 1000;
    LockOwnerShown holder;
    if (!lock_owner_find(fd, LOCK_STREAM, &who))
        who = (LockOwner){ 0 };
    return err_set(e, JOT_UNAVAILABLE,
                   "could not write '%s': %s has been holding it for more than %g s", name,
                   lock_owner_show(&holder, &who), seconds);
}

/* The lock.  Exclusive takers queue at the gate if they have to wait; shared ones pass it first,
 * and continue without after a while: a stopped process in the queue delays, it does not block. */
static int take_lock(Files *f, int fd, short kind)
{
    const Io *io = io_of(f);
    if (MUTANT(NO_STREAM_LOCK))
        return 0;
    if (kind == F_WRLCK)
        return lock_wait_turn(io, fd, LOCK_STREAM, LOCK_GATE, pad_wait_left(f));
    int64_t left = pad_wait_left(f);
    int passed = lock_wait(io, fd, F_RDLCK, LOCK_GATE, left < GATE_MS ? left : GATE_MS);
    int got = lock_wait(io, fd, F_RDLCK, LOCK_STREAM, pad_wait_left(f));
    if (passed == 0)
        lock_release(io, fd, LOCK_GATE);
    return got;
}

int stream_in_place(Files *f, const Stream *st, struct stat *info)
{
    struct stat there;
    int got = io_fstat(io_of(f), st->fd, info);
    if (got < 0 || info->st_nlink == 0)
        return got;
    /* Only inode numbers are compared, so it does not matter where a symlink would lead. */
    got = io_stat_path(io_of(f), f->root, st->paths->path, &there);
    if (got < 0)
        return io_missing(got) ? 0 : got;
    return there.st_ino == info->st_ino && there.st_dev == info->st_dev;
}

/* Quarantine an unfinished record and cut it off. */
static jot_status cut_tail(Files *f, Stream *st, off_t torn, off_t end, Err *e)
{
    assert(st->locked && torn < end && torn >= st->good); /* never a record that can be read */
    Shown shown;
    const char *name = err_show(&shown, st->paths->name);
    TRY(quarantine_copy(f, st->paths->name, st->fd, torn, end, e));
    int cut = io_truncate(io_of(f), st->fd, torn);
    /* What was quarantined may be forgotten there, and must not come back here. */
    if (cut == 0)
        cut = io_fdatasync(io_of(f), st->fd);
    if (cut < 0)
        return err_errno(e, -cut, "could not cut an unfinished record from '%s'", name);
    store_met(&f->base, &f->base.report.torn,
              "an unfinished record or stray lines were cut from '%s'", name);
    return JOT_OK;
}

/* The head lacks nothing but its '\n'.  Anyone who adds to the stream syncs it too. */
static jot_status close_end(Files *f, Stream *st, Err *e)
{
    assert(st->locked && st->good <= st->size);
    if (!st->open)
        return JOT_OK;
    int got = io_write_all(io_of(f), st->fd, S("\n"));
    Shown shown;
    if (got < 0)
        return err_errno(e, -got, "could not write '%s'", err_show(&shown, st->paths->name));
    st->size = ++st->good;
    st->open = false;
    return JOT_OK;
}

/* Under the lock, a file that waits to replace the stream is a dead writer's. */
static void remove_leftover(Files *f, const Paths *p)
{
    struct stat info;
    char path[FILES_PATH_MAX + FILES_NAME_MAX];
    snprintf(path, sizeof path, "%s/%s", p->dir, p->fresh);
    if (io_missing(io_stat_path(io_of(f), f->root, path, &info)))
        return;
    AUTO(Fd) dir = pad_open_dir(f, p->dir, false);
    if (dir >= 0)
        (void)io_unlink(io_of(f), dir, p->fresh);
}

jot_status stream_take(Files *f, const Paths *p, bool create, Stream *out, Err *e)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        AUTO(Stream) st = { .paths = p, .io = io_of(f), .fd = FD_NONE, .locked = true };
        TRY(open_for_write(f, p, create, &st.fd, e));
        struct stat early, info;
        int got = io_fstat(io_of(f), st.fd, &early);
        if (got < 0)
            return err_errno(e, -got, "could not look at a stream");
        if (!S_ISREG(early.st_mode) || early.st_nlink > 1)
            return refuse_kind(e, p, &early);
        got = take_lock(f, st.fd, F_WRLCK);
        if (got < 0)
            return refuse_wait(f, p, st.fd, got, e);
        int placed = stream_in_place(f, &st, &info);
        if (placed < 0)
            return err_errno(e, -placed, "could not look at a stream");
        if (!placed && !MUTANT(STAY_WITH_OLD_FILE))
            continue;
        if (MUTANT(SIZE_BEFORE_LOCK))
            info = early;
        TRY(stream_find_head(f, &st, info.st_size, RECORD_ALL, e));
        if (st.size < info.st_size && !MUTANT(KEEP_TORN_TAIL))
            TRY(cut_tail(f, &st, st.size, info.st_size, e));
        TRY(close_end(f, &st, e));
        remove_leftover(f, p);
        TRY(stream_rebuild(f, &st, e));
        *out = st;
        st.fd = FD_NONE;
        return JOT_OK;
    }
    Shown shown;
    return err_set(e, JOT_UNAVAILABLE, "the stream file of '%s' keeps being replaced",
                   err_show(&shown, p->name));
}

static jot_status open_for_read(Files *f, const Paths *p, Fd *out, Err *e)
{
    int fd = io_open(io_of(f), f->root, p->path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return open_failed(e, p, fd);
    *out = fd;
    return JOT_OK;
}

/* Without lock: a writer may cut the file, below a size that was just read; and a record without
 * its '\n' is not there yet if somebody is just writing it. */
static jot_status find_head_unlocked(Files *f, Stream *st, off_t end, RecordWant want, Err *e)
{
    struct stat now;
    for (int i = 0; i < OPEN_TRIES; i++) {
        jot_status found = stream_find_head(f, st, end, want, e);
        bool writing = found == JOT_OK && st->open &&
                       io_locked(io_of(f), st->fd, F_RDLCK, LOCK_STREAM) && st->size > 0;
        if (writing) {
            end = st->size - 1;
            continue;
        }
        if (found == JOT_OK || io_fstat(io_of(f), st->fd, &now) < 0 || now.st_size >= end)
            return found;
        end = now.st_size;
    }
    return err_set(e, JOT_UNAVAILABLE, "a stream keeps being cut while it is read");
}

jot_status stream_look(Files *f, const Paths *p, LookAt what, RecordWant want, Stream *out, Err *e)
{
    const Io *io = io_of(f);
    AUTO(Stream) st = { .paths = p, .io = io, .fd = FD_NONE };
    TRY(open_for_read(f, p, &st.fd, e));
    struct stat info;
    int got = io_fstat(io, st.fd, &info);
    if (got == 0 && !S_ISREG(info.st_mode))
        return refuse_kind(e, p, &info);
    /* If nobody holds the lock after the size was taken, anyone who wrote up to there has synced,
     * or died.  Only asking does not get into a writer's way. */
    bool quiet = what == LOOK_DURABLE && !io_locked(io, st.fd, F_RDLCK, LOCK_STREAM);
    if (got == 0 && !quiet && what != LOOK_ANY && !f->base.read_only_why[0])
        got = io_fdatasync(io, st.fd);
    if (got < 0)
        return err_errno(e, -got, "could not look at a stream");
    TRY(find_head_unlocked(f, &st, info.st_size, want, e));
    if (st.head.seq == 0) {
        out->head = st.head;
        return st.head.lost ? store_all_lost(e, p->name) : store_not_found(e, p->name);
    }
    *out = st;
    st.fd = FD_NONE;
    return JOT_OK;
}

jot_status stream_guard(Files *f, const Paths *p, Fd *held, uint64_t *seq, Err *e)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        AUTO(Stream) st = { .paths = p, .io = io_of(f), .fd = FD_NONE, .locked = true };
        /* A guard that does not exist yet must not come into being during the write: an empty
         * file stands for it, and holds the lock. */
        TRY(open_for_write(f, p, true, &st.fd, e));
        int got = MUTANT(GUARD_WITHOUT_LOCK) ? 0 : take_lock(f, st.fd, F_RDLCK);
        if (got < 0)
            return refuse_wait(f, p, st.fd, got, e);
        struct stat info;
        int placed = stream_in_place(f, &st, &info);
        if (placed < 0)
            return err_errno(e, -placed, "could not look at a stream");
        if (!placed)
            continue;
        if (!S_ISREG(info.st_mode))
            return refuse_kind(e, p, &info);
        TRY(stream_find_head(f, &st, info.st_size, RECORD_ALL, e));
        *seq = store_guard_seq(&st.head);
        *held = fd_take(&st.fd);
        return JOT_OK;
    }
    Shown shown;
    return err_set(e, JOT_UNAVAILABLE, "the stream file of '%s' keeps being replaced",
                   err_show(&shown, p->name));
}

int stream_busy(Files *f, const Paths *p)
{
    AUTO(Fd) fd = io_open(io_of(f), f->root, p->path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) /* what is no stream file has no writer */
        return fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -EIO ? fd : 0;
    return io_ask_lock(io_of(f), fd, F_RDLCK, LOCK_STREAM);
}

/* --- Writing --------------------------------------------------------------------------- */

/* Undo a write that failed half-way. */
static jot_status undo_write(Files *f, Stream *st, int why, Err *e)
{
    assert(st->locked && why < 0);
    Shown shown;
    const char *name = err_show(&shown, st->paths->name);
    int got = io_truncate(io_of(f), st->fd, st->size);
    if (got < 0)
        pad_stop_writing(f, NULL, "a failed write could not be undone");
    return err_errno(e, -why, "could not write '%s'", name);
}

/* After a failed sync the kernel may have dropped bytes and call the file clean.  So what is to
 * stay is written again elsewhere. */
static void write_anew(Files *f, Stream *st)
{
    assert(st->locked);
    Piece all = { 0, st->size, { 0 } };
    if (st->size == 0) { /* nothing is to stay, and its name may not be durable */
        int got = io_truncate(io_of(f), st->fd, 0);
        if (got < 0 || io_fdatasync(io_of(f), st->fd) < 0)
            pad_stop_writing(f, NULL, "a sync failed and the stream could not be emptied");
        return;
    }
    if (stream_replace(f, st, &all, 1, NULL) != JOT_OK)
        pad_stop_writing(f, NULL, "a sync failed and the stream could not be written again");
}

/* The record that could not be synced goes; everything before it stays. */
jot_status stream_unsynced(Files *f, Stream *st, int why, Err *e)
{
    assert(st->locked && why < 0);
    Shown shown;
    const char *name = err_show(&shown, st->paths->name);
    write_anew(f, st);
    err_errno(e, -why, "could not make the record of '%s' durable, it may be lost", name);
    if (e)
        e->status = JOT_UNKNOWN;
    return JOT_UNKNOWN;
}

jot_status stream_write(Files *f, Stream *st, Str lines, Err *e)
{
    assert(st->locked && lines.n && lines.p[lines.n - 1] == '\n');
    int got = io_write_all(io_of(f), st->fd, lines);
    return got < 0 ? undo_write(f, st, got, e) : JOT_OK;
}

jot_status stream_add(Files *f, Stream *st, Str lines, Err *e)
{
    const Io *io = io_of(f);
    if (st->size == 0 && !MUTANT(NO_DIRECTORY_SYNC))
        TRY(pad_sync_dirs(f, st->paths->dir, e));
    TRY(stream_write(f, st, lines, e));
    int got = MUTANT(NO_SYNC) ? 0 : io_fdatasync(io, st->fd);
    if (got < 0 && MUTANT(RETRY_SYNC))
        got = io_fdatasync(io, st->fd);
    if (got < 0 && !MUTANT(IGNORE_SYNC_ERROR))
        return stream_unsynced(f, st, got, e);
    st->size += (off_t)lines.n;
    return JOT_OK;
}

jot_status stream_settle(Files *f, Stream *st, Err *e)
{
    assert(st->locked);
    if (MUTANT(NO_SETTLE))
        return JOT_OK;
    int got = io_fdatasync(io_of(f), st->fd);
    if (got == 0)
        return JOT_OK;
    write_anew(f, st);
    Shown shown;
    return err_errno(e, -got, "could not sync '%s'", err_show(&shown, st->paths->name));
}

int copy_range(const Io *io, int from, int to, off_t at, off_t end)
{
    assert(0 <= at && at <= end);
    AUTO(Buf) step = { 0 };
    while (at < end) {
        size_t n = end - at < COPY_STEP ? (size_t)(end - at) : COPY_STEP;
        buf_clear(&step);
        char *room = buf_room(&step, n);
        ssize_t got = io_read_all(io, from, room, n, at);
        if (got < 0 || (size_t)got < n)
            return got < 0 ? (int)got : -EIO;
        int put = io_write_all(io, to, (Str){ room, n });
        if (put < 0)
            return put;
        at += (off_t)n;
    }
    return 0;
}

/* The new content in a file of its own beside the stream, synced and locked.  *out is the caller's
 * to close from the moment it is open, whatever happens here. */
static int write_fresh(Files *f, const Stream *st, int dir, const Piece *pieces, size_t n, Fd *out)
{
    assert(st->locked); /* only its holder makes this file */
    const Io *io = io_of(f);
    /* A leftover is a dead writer's: only the lock's holder makes this file. */
    int got = io_unlink(io, dir, st->paths->fresh);
    if (got < 0 && got != -ENOENT)
        return got;
    int fd = lock_open(io, dir, st->paths->fresh, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return fd;
    *out = fd;
    got = 0;
    for (size_t i = 0; i < n && got == 0; i++) {
        got = copy_range(io, st->fd, fd, pieces[i].from, pieces[i].to);
        if (got == 0)
            got = io_write_all(io, fd, pieces[i].text);
    }
    if (got == 0 && !MUTANT(REPLACE_WITHOUT_SYNC))
        got = io_fsync(io, fd);
    if (got == 0)
        got = io_lock(io, fd, F_WRLCK, LOCK_STREAM);
    if (got < 0)
        (void)io_unlink(io, dir, st->paths->fresh);
    return got;
}

jot_status stream_replace(Files *f, Stream *st, const Piece *pieces, size_t n, Err *e)
{
    assert(st->locked);
    for (size_t i = 0; i < n; i++)
        assert(pieces[i].from <= pieces[i].to && pieces[i].to <= st->size);
    const Io *io = io_of(f);
    Shown shown;
    const char *name = err_show(&shown, st->paths->name);
    off_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += pieces[i].to - pieces[i].from + (off_t)pieces[i].text.n;
    AUTO(Fd) dir = pad_open_dir(f, st->paths->dir, false);
    AUTO(Stream) fresh = { .io = io, .fd = FD_NONE, .locked = true };
    int got = dir < 0 ? dir : write_fresh(f, st, dir, pieces, n, &fresh.fd);
    if (got < 0)
        return err_errno(e, -got, "could not rewrite '%s'", name);
    got = io_rename(io, dir, st->paths->fresh, st->paths->file, 0);
    if (got < 0) {
        (void)io_unlink(io, dir, st->paths->fresh);
        return err_errno(e, -got, "could not replace '%s'", name);
    }
    stream_done(st);
    st->fd = fd_take(&fresh.fd);
    st->size = size;
    got = MUTANT(REPLACE_WITHOUT_DIRECTORY_SYNC) ? 0 : io_fsync(io, dir);
    if (got == 0)
        return JOT_OK;
    /* A record added to a file whose name may be lost would be lost with it. */
    pad_stop_writing(f, NULL, "the directory of a rewritten stream could not be synced");
    return err_set(e, JOT_UNKNOWN, "'%s' was rewritten, but that may be lost", name);
}
