/* write.c - who may write, transactions, and what happens to the log.
 *
 *     lock PATH.lock  ->  BEGIN IMMEDIATE  ->  same file, known format?  ->  the change
 *        ->  COMMIT, which syncs the log
 *              good:        checkpoint, if the log is long; empty it, if text was forgotten
 *              incomplete:  it did not happen
 *              sync failed: write another transaction over its frames; that fails too: UNKNOWN
 *        ->  unlock
 *
 * Our own lock decides who may write.  It is taken before BEGIN IMMEDIATE and
 * kept until the commit is done, so SQLite's write lock is never contended, "database
 * is locked" does not occur, and a wait can name the process it waited for.  The
 * checkpoint runs under the same lock: SQLite before 3.51.3 can, rarely, lose a
 * commit when one process checkpoints while another starts the log again, and here that
 * cannot happen.  Readers need no lock: they see the last commit before they began.
 *
 * Why a failed sync needs another transaction: the frames of the first stand in the
 * log with a valid commit mark, although they may never reach the disk.  The
 * next process that finds the log without its shared memory would believe them, and
 * everything acknowledged after them would be lost with them at a power failure.
 * With other frames in their place the outcome is known.  If that cannot be done, the
 * handle does not write again before the log could be emptied. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/lock_owner.h"
#include "base/mutant.h"
#include "store/sqlite/db.h"

enum {
    SCRUB_WAIT_MS = 500,
    LOCK_TRIES = 8, /* how often the lock file may vanish while it is being locked */
};

/* --- The lock -------------------------------------------------------------------------- */

static jot_status too_long(Db *d, Err *e)
{
    LockOwner holder;
    LockOwnerShown who;
    Shown what;
    if (!lock_owner_find(d->lock, DB_LOCK_WRITER, &holder))
        holder = (LockOwner){ 0 };
    int64_t ms = d->base.wait_ms;
    bool seconds = ms >= 1000;
    return err_set(e, JOT_UNAVAILABLE,
                   "could not %s '%s': %s has been holding the pad for more than %lld %s", d->verb,
                   err_show(&what, d->subject), lock_owner_show(&who, &holder),
                   (long long)(seconds ? ms / 1000 : ms), seconds ? "s" : "ms");
}

/* Somebody deleted or replaced the lock file: anyone who comes now would lock another one. */
static bool lock_is_stale(const Db *d)
{
    struct stat held, named;
    return io_fstat(d->base.io, d->lock, &held) < 0 ||
           io_stat(d->base.io, d->dir, d->lock_name, &named) < 0 || held.st_ino != named.st_ino;
}

/* Go over to the lock file of that name, with all that this handle holds.  The former one stays
 * open, and held: others may know nothing of the new one yet, and we look there for them. */
static int follow_lock(Db *d)
{
    assert(d->lock >= 0);
    Fd fresh = db_open_lock(d);
    int got = fresh < 0 ? fresh : 0;
    for (size_t i = 0; i < d->holds_n && got == 0; i++)
        got = io_lock(d->base.io, fresh, F_WRLCK, store_hold_byte(d->holds[i]));
    if (got < 0) {
        lock_close(d->base.io, &fresh);
        return got;
    }
    lock_release(d->base.io, d->lock, DB_LOCK_WRITER);
    lock_close(d->base.io, &d->former_lock);
    d->former_lock = d->lock;
    d->lock = fresh;
    return 0;
}

static int lock_once(Db *d)
{
    int got = lock_wait_turn(d->base.io, d->lock, DB_LOCK_WRITER, DB_LOCK_TURN, d->base.wait_ms);
    /* Looked at after it was taken: before that the file could be replaced in between. */
    if (got < 0 || !lock_is_stale(d))
        return got;
    got = follow_lock(d);
    if (got < 0)
        db_unlock(d);
    return got < 0 ? got : -ESTALE;
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
    assert(d->lock >= 0);
    lock_release(d->base.io, d->lock, DB_LOCK_WRITER);
}

/* --- Being alive ----------------------------------------------------------------------- */

static void forget_hold(Db *d, uint64_t number)
{
    for (size_t i = 0; i < d->holds_n; i++)
        if (d->holds[i] == number) {
            d->holds[i] = d->holds[--d->holds_n];
            return;
        }
}

static void remember_hold(Db *d, uint64_t number)
{
    forget_hold(d, number);
    if (d->holds_n == d->holds_cap) {
        d->holds_cap = d->holds_cap ? d->holds_cap * 2 : 8;
        d->holds = mem_grow(d->holds, d->holds_cap * sizeof *d->holds);
    }
    d->holds[d->holds_n++] = number;
}

int db_hold(Store *s, uint64_t number, bool hold)
{
    Db *d = (Db *)s;
    assert(d->lock >= 0 || !hold);
    if (d->lock < 0)
        return 0;
    int got = hold && lock_is_stale(d) ? follow_lock(d) : 0;
    if (got == 0)
        got = io_lock(s->io, d->lock, hold ? F_WRLCK : F_UNLCK, store_hold_byte(number));
    if (got == 0 && hold)
        remember_hold(d, number);
    if (!hold && d->former_lock >= 0)
        (void)io_lock(s->io, d->former_lock, F_UNLCK, store_hold_byte(number));
    if (!hold)
        forget_hold(d, number);
    return got;
}

static bool held_on(const Db *d, Fd lock, off_t byte)
{
    return lock >= 0 && io_locked(d->base.io, lock, F_WRLCK, byte);
}

bool db_held(Store *s, uint64_t number)
{
    Db *d = (Db *)s;
    off_t byte = store_hold_byte(number);
    /* One that cannot be looked for may live. */
    if (d->lock >= 0 && lock_is_stale(d) && follow_lock(d) < 0)
        return true;
    if (d->lock >= 0)
        return held_on(d, d->lock, byte) || held_on(d, d->former_lock, byte);
    /* A handle that only reads has not opened it. */
    AUTO(Fd) lock = io_open(s->io, d->dir, d->lock_name, O_RDONLY | O_NONBLOCK, 0);
    return lock != -ENOENT && (lock < 0 || io_locked(s->io, lock, F_WRLCK, byte));
}

/* --- Writing --------------------------------------------------------------------------- */

/* A pad of an older format is raised by the first write, in its transaction: what this version may
 * call a stream, an older one would refuse to read. */
static jot_status raise_format(Db *d, Err *e)
{
    static_assert(DB_OUR_FORMAT == 131074, "DB_RAISE says another");
    if (d->format >= DB_OUR_FORMAT)
        return JOT_OK;
    int rc = db_plain(d, DB_RAISE);
    d->raising = rc == SQLITE_OK;
    return rc == SQLITE_OK ? JOT_OK : db_fault(d, rc, e);
}

/* The file we have open is the one the path names, and its format is one we know. */
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
    int64_t now = row ? sqlite3_column_int64(q, 0) : 0;
    if (row && now == DB_OUR_FORMAT)
        d->format = now; /* another handle has raised it */
    if (row && now == d->format)
        return JOT_OK;
    d->broken = true; /* look at the new format at the next call */
    return db_say(d, e, JOT_UNAVAILABLE, "could not", "the pad's format has just changed");
}

jot_status db_scrub_due(Db *d, int *out, Err *e)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    bool row;
    TRY(db_stmt(d, DB_SCRUB_DUE, &q, e));
    TRY(db_step(d, q, &row, e));
    *out = row && !MUTANT(SQLITE_TRUNCATE_UNSYNCED) ? sqlite3_column_int(q, 0) : 0;
    return JOT_OK;
}

/* After a commit that could not be undone the log is emptied before anything else is written:
 * what stands in it may be on the disk or not. */
static jot_status settle(Db *d, Err *e)
{
    assert(d->unsettled && sqlite3_get_autocommit(d->sql));
    int rc = sqlite3_wal_checkpoint_v2(d->sql, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    d->unsettled = rc != SQLITE_OK;
    if (rc == SQLITE_OK)
        return JOT_OK;
    if ((rc & 0xFF) != SQLITE_BUSY)
        db_read_only(d, "a failed write could not be undone");
    return db_fault(d, rc, e);
}

/* What is written to a log that no longer has its name is lost with this process, though SQLite
 * reads it back to us: the database was put back before its log, or the log was removed.  If it is
 * only gone, nobody can have begun another, so what it holds is brought into the database; then the
 * handle stops writing.  (A new one would not do: others share the log's index with this one.) */
static jot_status check_same_log(Db *d, Err *e)
{
    struct stat now;
    int got = db_stat_log(d, &now);
    if (d->log.st_ino == 0 && got == 0)
        d->log = now; /* a database that had none when it was opened */
    bool same = got == 0 && now.st_ino == d->log.st_ino && now.st_dev == d->log.st_dev;
    if (d->log.st_ino == 0 || same || (got < 0 && !io_missing(got)))
        return JOT_OK;
    if (got < 0)
        sqlite3_wal_checkpoint_v2(d->sql, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    db_read_only(d, "its log (-wal) was removed or replaced while it was open: end the programs "
                    "that have it open, then open it again");
    return store_refuse_write(&d->base, e);
}

static jot_status begin_locked(Db *d, Err *e)
{
    assert(sqlite3_get_autocommit(d->sql)); /* no transaction is left of an earlier write */
    /* Before BEGIN: both may checkpoint, which a transaction of ours would forbid. */
    TRY(check_same_log(d, e));
    if (d->unsettled)
        TRY(settle(d, e));
    int rc = db_plain(d, DB_BEGIN);
    if (rc != SQLITE_OK)
        return db_fault(d, rc, e);
    /* Within it: what is seen here stays so until the commit. */
    int due = 0;
    d->raising = false;
    jot_status st = check_same_pad(d, e);
    if (st == JOT_OK)
        st = raise_format(d, e);
    if (st == JOT_OK)
        st = db_scrub_due(d, &due, e); /* of another handle, which may be gone */
    d->scrub = due > d->scrub ? due : d->scrub;
    if (st != JOT_OK)
        db_plain(d, DB_ROLLBACK);
    assert(st != JOT_OK || !sqlite3_get_autocommit(d->sql));
    return st;
}

jot_status db_begin(Db *d, Str stream, Err *e)
{
    TRY(db_ready(d, "write", stream, e));
    if (d->spent && !db_reserve(d))
        return db_say(d, e, JOT_IO, "could not", strerrordesc_np(ENOSPC));
    d->spent = false;
    return db_begin_removal(d, stream, e);
}

jot_status db_begin_removal(Db *d, Str stream, Err *e)
{
    TRY(db_ready(d, "write", stream, e));
    if (d->base.read_only_why[0])
        return store_refuse_write(&d->base, e);
    TRY(db_lock(d, e)); /* ours first, then SQLite's: see above */
    d->given = d->last = d->taken = 0;
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
    AUTO_PTR(sqlite3_stmt) q = NULL;
    assert(!sqlite3_get_autocommit(d->sql)); /* the mark is committed with what it is about */
    int value = d->sparing || d->scrub == 2 ? 2 : 1;
    int rc = set_scrub(d, value);
    if (rc != SQLITE_OK)
        return db_fault(d, rc, e);
    TRY(db_stmt(d, DB_FORGET, &q, e));
    TRY(db_run(d, q, e));
    d->scrub = value;
    d->forgetting = true;
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

/* The connection may remember free pages as they were. */
static int zero_free(Db *d)
{
    int rc = db_zero_free(d);
    if (rc != SQLITE_OK)
        return rc;
    db_disconnect(d, false);
    return db_connect(d, NULL) == JOT_OK ? SQLITE_OK : SQLITE_IOERR;
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
    if (rc == SQLITE_OK && d->scrub == 2 && !d->sparing)
        rc = zero_free(d);
    if (rc == SQLITE_OK && !d->sparing && !MUTANT(SQLITE_TRUNCATE_UNSYNCED))
        rc = clear_scrub(d);
    if (rc == SQLITE_OK && !d->sparing)
        d->scrub = 0;
    d->held_back = (rc & 0xFF) == SQLITE_BUSY || (rc & 0xFF) == SQLITE_LOCKED;
    return rc;
}

/* Empty the log after a transaction.  A reader in the way is waited for once; what stays then is
 * sqlite_scrub's to tell.  A disk that fails may keep what was to be forgotten, and that is said.
 */
static jot_status tidy(Db *d, Err *e)
{
    int rc = db_tidy(d, d->forgetting && !d->held_back ? SCRUB_WAIT_MS : 0);
    if (!d->forgetting || rc == SQLITE_OK || d->held_back)
        return JOT_OK;
    return err_set(e, JOT_UNKNOWN,
                   "the log, which may hold what was removed, could not be emptied: the next write "
                   "tries again");
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

void db_gave(Db *d, int64_t n)
{
    d->given++;
    d->last = n;
}

/* Run one of the two statements that count. */
static int count(Db *d, DbStmt which, int64_t by, int64_t before)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    if (by == 0)
        return SQLITE_OK;
    if (db_stmt(d, which, &q, NULL) != JOT_OK)
        return sqlite3_errcode(d->sql);
    db_bound(sqlite3_bind_int64(q, 1, by));
    if (which == DB_GIVEN)
        db_bound(sqlite3_bind_int64(q, 2, before));
    int rc = sqlite3_step(q);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static jot_status commit(Db *d, Err *e)
{
    /* Values of n that were given, less those that were taken, are as many as there are records:
     * unless rows come or go past Jotter. */
    int rc = count(d, DB_GIVEN, d->given, d->last - d->given);
    if (rc == SQLITE_OK)
        rc = count(d, DB_TAKEN, d->taken, 0);
    if (rc == SQLITE_OK)
        rc = db_plain(d, DB_COMMIT);
    if (rc == SQLITE_OK && d->raising)
        d->format = DB_OUR_FORMAT;
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

/* A write that did not meet its condition has changed nothing but what it repaired, and the mark
 * that its caller was told of a loss. */
static jot_status refuse(Db *d, jot_status st, Err *e)
{
    Err why = e ? *e : (Err){ 0 };
    if (d->reports_loss && st == JOT_CONFLICT) {
        AUTO_PTR(sqlite3_stmt) q = NULL;
        TRY(db_stmt(d, DB_TOLD, &q, e));
        db_bind_text(q, 1, d->subject);
        TRY(db_run(d, q, e));
    }
    TRY(commit(d, e));
    return err_pass(e, &why, st);
}

jot_status db_end(Db *d, jot_status st, Err *e)
{
    if (st == JOT_OK)
        st = commit(d, e);
    else if ((st == JOT_CONFLICT || st == JOT_FENCED) && (d->reports_loss || d->mended))
        st = refuse(d, st, e);
    if (!sqlite3_get_autocommit(d->sql))
        db_plain(d, DB_ROLLBACK);
    d->reports_loss = d->mended = false;
    /* Still under the lock, where no other process can checkpoint or write. */
    if (st == JOT_OK) {
        checkpoint(d);
        st = tidy(d, e);
    }
    d->forgetting = false;
    assert(sqlite3_get_autocommit(d->sql));
    db_unlock(d);
    return st;
}
