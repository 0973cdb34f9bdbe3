/* write.c - who may write, transactions, and what happens to the log.
 *
 * Who may write is decided by our own lock on PATH.lock, taken before BEGIN
 * IMMEDIATE and kept until the commit is done.  So SQLite's own write lock is
 * never contended, "database is locked" does not occur, and a wait can name
 * the process it waited for.  The checkpoint runs under the same lock: SQLite
 * before 3.51.3 can, rarely, lose a commit when one process checkpoints while
 * another starts the log anew, and here that cannot happen.  Readers need no
 * lock: they see the last commit before they began.
 *
 * What a failed commit leaves behind is settled before the lock is released.
 * If the sync of the log failed, the frames of the transaction stand in the
 * log with a valid commit mark, although they may never reach the disk.  The
 * next process that finds the log without its shared memory would believe
 * them, and everything acknowledged behind them would be lost with them at a
 * power failure.  So a small transaction is written over them at once; with
 * it the outcome is known.  If that fails too the answer is JOT_UNKNOWN, and
 * the handle does not write again before the log could be emptied. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/holder.h"
#include "base/lock.h"
#include "base/mutant.h"
#include "store/sqlite/db.h"

enum {
    SCRUB_WAIT_MS = 500,
    LOCK_TRIES = 8, /* how often the lock file may vanish while it is being locked */
};

/* --- The lock -------------------------------------------------------------------------- */

static jot_status too_long(Db *d, Err *e)
{
    Holder holder;
    HolderShown who;
    Shown what;
    if (!holder_find(d->lock, DB_LOCK_WRITER, &holder))
        holder = (Holder){ 0 };
    int64_t ms = d->base.wait_ms;
    bool seconds = ms >= 1000;
    return err_set(e, JOT_UNAVAILABLE,
                   "could not %s '%s': %s has been holding the pad for more than %lld %s", d->verb,
                   err_show(&what, d->subject), holder_show(&who, &holder),
                   (long long)(seconds ? ms / 1000 : ms), seconds ? "s" : "ms");
}

/* Somebody deleted or replaced the lock file: whoever comes now would lock another one. */
static bool lock_is_stale(const Db *d)
{
    struct stat held, named;
    return io_fstat(d->base.io, d->lock, &held) < 0 ||
           io_stat(d->base.io, d->dir, d->lock_name, &named) < 0 || held.st_ino != named.st_ino;
}

static int lock_once(Db *d)
{
    int got = lock_wait_turn(d->base.io, d->lock, DB_LOCK_WRITER, DB_LOCK_TURN, d->base.wait_ms);
    if (got < 0 || !lock_is_stale(d))
        return got;
    int fresh = db_open_lock(d);
    if (fresh < 0) {
        db_unlock(d);
        return fresh;
    }
    fd_close(&d->lock);
    d->lock = fresh;
    return -ESTALE;
}

jot_status db_lock(Db *d, Err *e)
{
    assert(d->lock >= 0);
    int got = -ESTALE;
    for (int i = 0; i < LOCK_TRIES && got == -ESTALE; i++)
        got = lock_once(d);
    if (got == -EAGAIN)
        return too_long(d, e);
    Shown shown;
    return got < 0 ? err_errno(e, -got, "could not lock '%s'", err_show(&shown, str(d->path)))
                   : JOT_OK;
}

void db_unlock(Db *d)
{
    lock_release(d->base.io, d->lock, DB_LOCK_WRITER);
}

/* --- Being alive ----------------------------------------------------------------------- */

int db_hold(Store *s, uint64_t number, bool hold)
{
    const Db *d = (const Db *)s;
    assert(d->lock >= 0 || !hold);
    return d->lock < 0 ? 0
                       : io_lock(s->io, d->lock, hold ? F_WRLCK : F_UNLCK, store_hold_byte(number));
}

bool db_held(Store *s, uint64_t number)
{
    const Db *d = (const Db *)s;
    off_t byte = store_hold_byte(number);
    if (d->lock >= 0)
        return io_locked(s->io, d->lock, F_WRLCK, byte);
    /* A handle that only reads has not opened it. */
    AUTO(Fd) lock = io_open(s->io, d->dir, d->lock_name, O_RDONLY | O_NONBLOCK, 0);
    return lock != -ENOENT && (lock < 0 || io_locked(s->io, lock, F_WRLCK, byte));
}

/* --- Writing --------------------------------------------------------------------------- */

/* The file we have open is the one the path names, and its format is the one we know. */
static jot_status check_same_pad(Db *d, Err *e)
{
    int moved = 0;
    sqlite3_file_control(d->sql, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved) {
        db_read_only(d, "its file was moved, replaced or deleted");
        return store_refuse_write(&d->base, e);
    }
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_FORMAT, &q, e));
    TRY(db_step(d, q, &row, e));
    if (row && sqlite3_column_int64(q, 0) == d->format)
        return JOT_OK;
    d->broken = true; /* look at the new format at the next call */
    return db_say(d, e, JOT_UNAVAILABLE, "could not", "the pad's format has just changed");
}

/* After a commit that could not be undone the log is emptied before anything else is written:
 * what stands in it may be on the disk or not. */
static jot_status settle(Db *d, Err *e)
{
    int rc = sqlite3_wal_checkpoint_v2(d->sql, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    d->unsettled = rc != SQLITE_OK;
    if (rc == SQLITE_OK)
        return JOT_OK;
    if ((rc & 0xFF) != SQLITE_BUSY)
        db_read_only(d, "a failed write could not be undone");
    return db_fault(d, rc, e);
}

static jot_status begin_locked(Db *d, Err *e)
{
    if (d->unsettled)
        TRY(settle(d, e));
    int rc = db_plain(d, DB_BEGIN);
    if (rc != SQLITE_OK)
        return db_fault(d, rc, e);
    jot_status st = check_same_pad(d, e);
    if (st != JOT_OK)
        db_plain(d, DB_ROLLBACK);
    return st;
}

jot_status db_begin(Db *d, Str stream, Err *e)
{
    TRY(db_ready(d, "write", stream, e));
    if (d->base.read_only_why[0])
        return store_refuse_write(&d->base, e);
    TRY(db_lock(d, e));
    jot_status st = begin_locked(d, e);
    if (st != JOT_OK)
        db_unlock(d);
    return st;
}

static int set_scrub(Db *d, int value)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    if (db_stmt(d, DB_SCRUB, &q, NULL) != JOT_OK)
        return sqlite3_errcode(d->sql);
    db_bound(sqlite3_bind_int(q, 1, value));
    int rc = sqlite3_step(q);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

jot_status db_forget(Db *d, Err *e)
{
    int rc = set_scrub(d, 1);
    if (rc != SQLITE_OK)
        return db_fault(d, rc, e);
    d->scrub = d->forgetting = true;
    return JOT_OK;
}

/* End a transaction that has come to `rc` so far. */
static int end_plain(Db *d, int rc)
{
    if (rc == SQLITE_OK)
        rc = db_plain(d, DB_COMMIT);
    if (!sqlite3_get_autocommit(d->sql))
        db_plain(d, DB_ROLLBACK);
    return rc;
}

static int clear_scrub(Db *d)
{
    int rc = db_plain(d, DB_BEGIN);
    return end_plain(d, rc == SQLITE_OK ? set_scrub(d, 0) : rc);
}

int db_tidy(Db *d, int wait_ms)
{
    if (!d->scrub)
        return SQLITE_OK;
    sqlite3_busy_timeout(d->sql, wait_ms);
    int rc = sqlite3_wal_checkpoint_v2(d->sql, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(d->sql, db_busy_ms(d));
    /* A reader that holds on to the log is waited for again at the next write, and the mark in
     * the database tells those who come after us. */
    if (rc == SQLITE_OK && !MUTANT(SQLITE_TRUNCATE_UNSYNCED))
        rc = clear_scrub(d);
    d->scrub = rc != SQLITE_OK;
    return rc;
}

/* Empty the log behind a transaction.  A reader in the way is waited for again later; a disk that
 * fails may keep what was to be forgotten, and that is said. */
static jot_status tidy(Db *d, Err *e)
{
    int rc = db_tidy(d, d->forgetting ? SCRUB_WAIT_MS : 0) & 0xFF;
    if (!d->forgetting || rc == SQLITE_OK || rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
        return JOT_OK;
    return err_set(e, JOT_UNKNOWN,
                   "the text is removed, but the log that holds it could not be "
                   "emptied: the next write tries again");
}

static void checkpoint(Db *d)
{
    if (d->log_pages < d->checkpoint_at)
        return;
    int pages = 0, done = 0;
    int rc = sqlite3_wal_checkpoint_v2(d->sql, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &done);
    /* A reader may hold the log back; do not try again at every write. */
    bool all = rc == SQLITE_OK && done == pages;
    d->checkpoint_at = all ? DB_CHECKPOINT_PAGES : d->log_pages + DB_CHECKPOINT_PAGES;
}

/* The commit's frames may be in the log or not: put others in their place. */
static jot_status undo_commit(Db *d, int rc, Err *e)
{
    Shown shown;
    int undone = db_plain(d, DB_BEGIN);
    undone = end_plain(d, undone == SQLITE_OK ? db_plain(d, DB_UNDO) : undone);
    if (undone == SQLITE_OK)
        return db_fault(d, rc, e);
    d->unsettled = true;
    return err_set(e, JOT_UNKNOWN, "it is not known whether '%s' was written: %s",
                   err_show(&shown, d->subject), sqlite3_errstr(rc));
}

static jot_status commit(Db *d, Err *e)
{
    int rc = db_plain(d, DB_COMMIT);
    if (rc == SQLITE_OK)
        return JOT_OK;
    if (!sqlite3_get_autocommit(d->sql))
        db_plain(d, DB_ROLLBACK);
    d->broken = true;
    if (MUTANT(SQLITE_BELIEVE_COMMIT))
        return JOT_OK;
    /* A write that failed has left the commit's last frame incomplete: it did not happen. */
    bool incomplete =
        (rc & 0xFF) == SQLITE_FULL || rc == SQLITE_IOERR_WRITE || (rc & 0xFF) == SQLITE_BUSY;
    return incomplete ? db_fault(d, rc, e) : undo_commit(d, rc, e);
}

jot_status db_end(Db *d, jot_status st, Err *e)
{
    if (st == JOT_OK)
        st = commit(d, e);
    else
        db_plain(d, DB_ROLLBACK);
    if (st == JOT_OK) {
        checkpoint(d);
        st = tidy(d, e);
    }
    d->forgetting = false;
    db_unlock(d);
    return st;
}
