/* make.c - making the database of a pad.
 *
 * A pad is whole before it has its name: its pages are made in memory, written
 * to FILE.jotter-new, synced, and renamed to FILE.  So a crash leaves under that
 * name nothing, an empty file, or a pad.  What it leaves of FILE.jotter-new is
 * removed by anyone who makes the pad next; nobody else uses such a name.
 *
 * What is replaced holds nothing:
 *   1. Anyone who makes a pad holds the lock of FILE.lock, so there is one.
 *   2. The name is taken first, by an empty file, unless one is there.
 *   3. SQLite opens that file and finds no page in it.  On the way it takes back a
 *      transaction that was never finished, and removes a journal or log that
 *      belonged to a database of that name: they would be applied to the new one.
 *   4. If there is a journal or log now, some other program is at work on the
 *      file, and it is left alone.
 * Only a program that is not Jotter, and begins to fill the empty file between
 * the last look and the rename, can lose what it writes there. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/id.h"
#include "store/sqlite/sqlite.h"

enum {
    HEADER_WRITE_VERSION = 18, /* of an SQLite file: 2 means that it has a log ... */
    HEADER_READ_VERSION = 19,  /* ... which must be read too */
};

/* clang-format off */
static const char schema[] =
    "CREATE TABLE pad("
    " key TEXT PRIMARY KEY,"
    " value ANY NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE heads("
    " name TEXT PRIMARY KEY,"
    " stream INTEGER NOT NULL,"        /* its number: the n of its first record */
    " n INTEGER NOT NULL,"             /* where the head stands in records */
    " seq INTEGER NOT NULL,"
    " at INTEGER NOT NULL,"
    " op INTEGER NOT NULL,"
    " fence INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " redacted INTEGER NOT NULL,"
    " sha256 BLOB,"                    /* NULL for a tombstone */
    " chain BLOB NOT NULL,"
    " \"by\" TEXT NOT NULL,"
    " id TEXT NOT NULL,"
    " meta TEXT NOT NULL,"
    " extra TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX heads_by_stream ON heads(stream);"
    "CREATE TABLE records("
    " n INTEGER PRIMARY KEY,"
    " stream INTEGER NOT NULL,"
    " seq INTEGER NOT NULL,"
    " at INTEGER NOT NULL,"
    " op INTEGER NOT NULL,"
    " fence INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " redacted INTEGER NOT NULL,"
    " sha256 BLOB,"
    " chain BLOB NOT NULL,"
    " \"by\" TEXT NOT NULL,"
    " id TEXT NOT NULL,"
    " meta TEXT NOT NULL,"
    " extra TEXT NOT NULL,"
    " body BLOB NOT NULL,"             /* last: what stands before it is read without it */
    " UNIQUE(stream, seq)) STRICT;";
/* clang-format on */

/* --- The pages ------------------------------------------------------------------------- */

static jot_status write_schema(Db *d, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Id id = id_random(d->base.io, DB_ID_HEX / 2);
    Str sql = arena_printf(&arena,
                           "PRAGMA page_size = %d; PRAGMA encoding = 'UTF-8';"
                           "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;"
                           "%s"
                           "INSERT INTO pad VALUES('id', '%s'), ('scrub', 0), ('undone', 0),"
                           " ('given', 0), ('taken', 0);"
                           "COMMIT;",
                           DB_PAGE, DB_APPLICATION, DB_OUR_FORMAT, schema, id.text);
    return db_exec(d, sql.p, e);
}

typedef unsigned char Pages; /* in SQLite's memory */
DEFINE_AUTO_PTR(Pages, sqlite3_free)

/* The bytes of a new pad, as a database that keeps a log; the caller owns them. */
static jot_status make_pages(Db *d, Pages **out, size_t *n, Err *e)
{
    sqlite3_int64 size = 0;
    jot_status st = db_open_as(d, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, e);
    if (st == JOT_OK)
        st = write_schema(d, e);
    if (st == JOT_OK) {
        *out = sqlite3_serialize(d->sql, "main", &size, 0);
        if (!*out)
            mem_exhausted();
        (*out)[HEADER_WRITE_VERSION] = (*out)[HEADER_READ_VERSION] = 2;
        *n = (size_t)size;
    }
    db_disconnect(d, false);
    return st;
}

/* --- The name -------------------------------------------------------------------------- */

/* A file that only its owner may use, whatever the umask. */
static int make_file(const Db *d, const char *name)
{
    AUTO(Fd) fd = io_open(d->base.io, d->dir, name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 && fchmod(fd, 0600) != 0)
        return -errno;
    return fd_take(&fd);
}

/* A journal or log that is empty is none. */
static bool has_beside(const Db *d, const char *suffix)
{
    AUTO(Arena) arena = { 0 };
    struct stat st;
    const char *name = arena_printf(&arena, "%s%s", d->name, suffix).p;
    return io_stat(d->base.io, d->dir, name, &st) == 0 && st.st_size > 0;
}

/* The process that made the empty file meant it to be its own. */
static int keep_owner(const Db *d, int fd)
{
    struct stat was = { 0 }, is = { 0 };
    int got = io_stat(d->base.io, d->dir, d->name, &was);
    if (got == 0)
        got = io_fstat(d->base.io, fd, &is);
    if (got < 0 || (was.st_uid == is.st_uid && was.st_gid == is.st_gid))
        return got;
    return fchown(fd, was.st_uid, was.st_gid) == 0 ? 0 : -errno;
}

/* Write `pages` under another name and give the file its own. */
static int put_in_place(const Db *d, const char *fresh, Str pages)
{
    assert(pages.n > 0 && pages.n % DB_PAGE == 0);
    const Io *io = d->base.io;
    int got = io_unlink(io, d->dir, fresh); /* of a maker that was killed */
    if (got < 0 && got != -ENOENT)
        return got;
    AUTO(Fd) fd = make_file(d, fresh);
    if (fd < 0)
        return fd;
    got = io_write_all(io, fd, pages);
    if (got >= 0)
        got = keep_owner(d, fd);
    if (got == 0)
        got = io_fsync(io, fd);
    /* A journal or log that SQLite removed must not come back beside the new file: its removal is
     * durable before the name is. */
    if (got == 0)
        got = io_fsync(io, d->dir);
    fd_close(&fd); /* as a pad's file it must not be: SQLite's locks would be dropped */
    if (got == 0)
        got = io_rename(io, d->dir, fresh, d->name, 0);
    if (got < 0)
        (void)io_unlink(io, d->dir, fresh);
    /* And the name before anybody is told that there is a pad. */
    return got < 0 ? got : io_fsync(io, d->dir);
}

static jot_status make_whole(Db *d, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(Pages) pages = NULL;
    size_t n = 0;
    TRY(make_pages(d, &pages, &n, e));
    if (has_beside(d, "-journal") || has_beside(d, "-wal"))
        return db_say(d, e, JOT_UNAVAILABLE, "could not", "another program is using its file");
    const char *fresh = arena_printf(&arena, "%s.jotter-new", d->name).p;
    int got = put_in_place(d, fresh, (Str){ (const char *)pages, n });
    return got == 0 ? JOT_OK : err_errno(e, -got, "could not make the pad's file");
}

/* Under the lock: somebody else may have made it meanwhile. */
static jot_status make_locked(Db *d, Err *e)
{
    Found found;
    Err why = { 0 };
    TRY(db_look(d, &found, e));
    if (found == FOUND_NOTHING) {
        AUTO(Fd) fd = make_file(d, d->name);
        if (fd < 0 && fd != -EEXIST)
            return err_errno(e, -fd, "could not make the pad's file");
    }
    jot_status st = db_connect(d, &why);
    db_disconnect(d, false);
    return st == JOT_NOT_FOUND ? make_whole(d, e) : err_pass(e, &why, st);
}

jot_status db_make(Db *d, Err *e)
{
    assert(!d->sql); /* the file that it has open would be replaced */
    if (d->base.read_only_why[0])
        return store_refuse_write(&d->base, e);
    TRY(db_lock(d, e));
    jot_status st = make_locked(d, e);
    db_unlock(d);
    return st;
}
