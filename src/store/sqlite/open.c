/* open.c - finding, recognising and making the database of a pad.
 *
 * A file is looked at before SQLite may touch it: its first bytes are read
 * through the VFS, so that a file of somebody else is refused as it was.  The
 * database file is never opened by other means, because closing any descriptor
 * of it would drop the locks SQLite holds in this process.  The one exception
 * is a file that did not exist a moment ago, made here with mode 0600, which
 * SQLite cannot promise.
 *
 * A pad is made in one transaction of the rollback journal and switched to the
 * log (WAL) afterwards.  So the application id is in the file itself from the
 * first moment on, and whatever a crash leaves is either empty or a pad.
 *
 * user_version holds two numbers, READ * 65536 + WRITE: who does not know READ
 * refuses the pad, who does not know WRITE opens it read-only. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/lock.h"
#include "store/sqlite/sqlite.h"

enum {
    HEADER_BYTES = 100, /* of an SQLite file */
    HEADER_APPLICATION = 68,
    SUFFIX_MAX = 16, /* what SQLite and we add to the file's name */
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

/* --- Where the file is ----------------------------------------------------------------- */

static char *own_cstr(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n), text, n);
}

/* The real path of a file that need not exist; its directory must. */
static jot_status resolve(const char *path, char out[PATH_MAX], Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, str(path));
    struct stat st;
    bool there;
    do { /* once more if somebody made it just now */
        if (realpath(path, out))
            return JOT_OK;
        int why = errno;
        there = lstat(path, &st) == 0;
        if (why != ENOENT || (there && S_ISLNK(st.st_mode)))
            return err_errno(e, why, "cannot open '%s'", name);
    } while (there);
    AUTO(Arena) arena = { 0 };
    Str whole = str(path);
    size_t slash = str_find_last(whole, '/');
    Str last = slash < whole.n ? str_from(whole, slash + 1) : whole;
    Str dir = slash < whole.n ? str_slice(whole, 0, slash ? slash : 1) : S(".");
    if (last.n == 0)
        return err_set(e, JOT_INVALID, "'%s' does not name a file", name);
    if (!realpath(arena_cstr(&arena, dir), out))
        return err_errno(e, errno, "cannot open '%s'", name);
    size_t n = strlen(out);
    if (n + 1 + last.n >= PATH_MAX)
        return err_errno(e, ENAMETOOLONG, "cannot open '%s'", name);
    snprintf(out + n, PATH_MAX - n, "%s" STR_FMT, n == 1 ? "" : "/", STR_ARG(last));
    return JOT_OK;
}

static jot_status locate(Db *d, const char *path, Err *e)
{
    char real[PATH_MAX];
    Shown shown;
    sqlite3_vfs *vfs = sqlite3_vfs_find(d->vfs);
    if (!vfs)
        return err_set(e, JOT_INVALID, "SQLite has no VFS '%s'", err_show(&shown, str(d->vfs)));
    TRY(resolve(path, real, e));
    if (strcmp(real, "/") == 0)
        return err_set(e, JOT_INVALID, "'/' is not a regular file");
    if (strlen(real) + SUFFIX_MAX > (size_t)vfs->mxPathname)
        return err_set(e, JOT_INVALID, "the path '%s' is too long: SQLite takes at most %d bytes",
                       err_show(&shown, str(real)), vfs->mxPathname - SUFFIX_MAX);
    d->path = own_cstr(real);
    char *slash = strrchr(d->path, '/');
    d->name = slash + 1;
    size_t n = strlen(d->name) + sizeof ".lock";
    d->lock_name = mem_alloc(n);
    snprintf(d->lock_name, n, "%s.lock", d->name);
    char *end = slash == d->path ? real + 1 : real + (slash - d->path);
    *end = 0;
    d->dir = io_open_root(d->base.io, real);
    return d->dir >= 0 ? JOT_OK
                       : err_errno(e, -d->dir, "cannot open '%s'", err_show(&shown, str(real)));
}

/* --- What the file is ------------------------------------------------------------------ */

typedef enum Found { FOUND_NOTHING, FOUND_EMPTY, FOUND_PAD } Found;

static bool has_journal(const Db *d)
{
    AUTO(Arena) arena = { 0 };
    struct stat st;
    const char *name = arena_printf(&arena, "%s-journal", d->name).p;
    return io_stat(d->base.io, d->dir, name, &st) == 0 && st.st_size > 0;
}

/* The first bytes of the file, read the way SQLite reads. */
static int read_header(const Db *d, unsigned char *to)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(d->vfs);
    sqlite3_file *file = mem_alloc((size_t)vfs->szOsFile);
    sqlite3_filename name = sqlite3_create_filename(d->path, "", "", 0, NULL);
    if (!name)
        mem_exhausted();
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    int rc = vfs->xOpen(vfs, name, file, flags, &flags);
    if (rc == SQLITE_OK)
        rc = file->pMethods->xRead(file, to, HEADER_BYTES, 0);
    if (file->pMethods)
        file->pMethods->xClose(file);
    sqlite3_free_filename(name);
    free(file);
    return rc;
}

static jot_status check_header(const Db *d, const unsigned char *h, Err *e)
{
    static const char magic[] = "SQLite format 3";
    Shown shown;
    const char *name = err_show(&shown, str(d->path));
    /* A crash while the pad was made leaves a journal that takes back what is there. */
    bool ours = memcmp(h, magic, sizeof magic) == 0;
    if (!ours && has_journal(d))
        return JOT_OK;
    if (!ours)
        return err_set(e, JOT_CORRUPT, "'%s' is not a pad: it is not an SQLite database", name);
    const unsigned char *at = h + HEADER_APPLICATION;
    uint32_t id = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    if (id != DB_APPLICATION)
        return err_set(e, JOT_INVALID, "'%s' is an SQLite database of another program", name);
    return JOT_OK;
}

static jot_status look(Db *d, Found *found, Err *e)
{
    struct stat st;
    Shown shown;
    const char *name = err_show(&shown, str(d->path));
    int got = io_stat(d->base.io, d->dir, d->name, &st);
    *found = FOUND_NOTHING;
    if (got == -ENOENT)
        return JOT_OK;
    if (got < 0)
        return err_errno(e, -got, "cannot open '%s'", name);
    if (!S_ISREG(st.st_mode))
        return err_set(e, JOT_INVALID, "'%s' is not a regular file", name);
    if (st.st_nlink > 1) /* each name would have a lock and a log of its own */
        db_read_only(d, "its file has more than one name (hard links)");
    /* SQLite takes a file of one byte for an empty one, and does not cut it when it rolls back. */
    *found = st.st_size > 1 ? FOUND_PAD : FOUND_EMPTY;
    if (*found == FOUND_EMPTY)
        return JOT_OK;
    unsigned char header[HEADER_BYTES] = { 0 };
    int rc = read_header(d, header);
    bool cut = rc == SQLITE_IOERR_SHORT_READ && memcmp(header, "SQLite format 3", 16) == 0;
    if (cut && !has_journal(d))
        return err_set(e, JOT_CORRUPT, "'%s' is cut off: restore it from a copy", name);
    if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
        return check_header(d, header, e);
    int errnum = access(d->path, R_OK) == 0 ? 0 : errno;
    return errnum
               ? err_errno(e, errnum, "cannot open '%s'", name)
               : err_set(e, JOT_UNAVAILABLE, "could not open '%s': %s", name, sqlite3_errstr(rc));
}

/* --- What the pad says of itself ------------------------------------------------------- */

static jot_status ask_number(Db *d, const char *sql, int64_t *out, Err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(d->sql, sql, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? JOT_OK : db_fault(d, rc, e);
}

static jot_status check_format(Db *d, Err *e)
{
    TRY(ask_number(d, "PRAGMA user_version", &d->format, e));
    long long to_read = d->format >> 16, to_write = d->format & 0xFFFF;
    Shown shown;
    const char *name = err_show(&shown, str(d->path));
    if (to_read < 1 || to_write < 1)
        return err_set(e, JOT_CORRUPT, "'%s' does not say which format it has", name);
    if (to_read > DB_READ_FORMAT)
        return err_set(e, JOT_UNSUPPORTED, "'%s' has format %lld, this version reads up to %d",
                       name, to_read, DB_READ_FORMAT);
    char why[96];
    snprintf(why, sizeof why, "writing it needs format %lld, this version knows %d", to_write,
             DB_WRITE_FORMAT);
    if (to_write > DB_WRITE_FORMAT)
        db_read_only(d, why);
    return JOT_OK;
}

jot_status db_identify(Db *d, Err *e)
{
    int64_t application, pages, strange, scrub;
    Shown shown;
    const char *name = err_show(&shown, str(d->path));
    TRY(ask_number(d, "PRAGMA application_id", &application, e));
    TRY(ask_number(d, "PRAGMA page_count", &pages, e));
    if (pages == 0)
        return err_set(e, JOT_NOT_FOUND, "there is no pad at '%s': the file is empty", name);
    if (application != DB_APPLICATION)
        return err_set(e, JOT_INVALID, "'%s' is an SQLite database of another program", name);
    TRY(check_format(d, e));
    /* Nothing in the file may run code of its own. */
    TRY(ask_number(d, "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')",
                   &strange, e));
    if (strange)
        return db_damaged(d, "it has triggers or views, and a pad has none", e);
    TRY(ask_number(d, "SELECT value FROM pad WHERE key = 'scrub'", &scrub, e));
    d->scrub = d->scrub || scrub;
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(d->sql, "SELECT value FROM pad WHERE key = 'id'", -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    const char *id = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    snprintf(d->id, sizeof d->id, "%s", id ? id : "");
    sqlite3_finalize(q);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return db_fault(d, rc, e);
    return id ? JOT_OK : db_damaged(d, "the pad has no id", e);
}

/* --- Making a pad ---------------------------------------------------------------------- */

/* An empty file that only its owner may read, whatever the umask. */
static jot_status make_file(Db *d, Err *e)
{
    Shown shown;
    AUTO(Fd) fd = io_open(d->base.io, d->dir, d->name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd == -EEXIST)
        return JOT_OK;
    if (fd < 0 || fchmod(fd, 0600) != 0)
        return err_errno(e, fd < 0 ? -fd : errno, "cannot create '%s'",
                         err_show(&shown, str(d->path)));
    return JOT_OK;
}

/* PRAGMA journal_mode, asked or set, answers with the mode that holds.  The change itself is
 * committed behind that answer, so the statement must be seen to its end. */
static jot_status is_log_kept(Db *d, const char *sql, bool *out, Err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(d->sql, sql, -1, &q, NULL);
    *out = false;
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(q);
        const char *mode = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
        *out = *out || (mode && strcmp(mode, "wal") == 0);
    }
    sqlite3_finalize(q);
    return rc == SQLITE_DONE ? JOT_OK : db_fault(d, rc, e);
}

/* The removal of the journal that ends the switch is durable only with the directory. */
static jot_status switch_to_log(Db *d, Err *e)
{
    bool done;
    TRY(is_log_kept(d, "PRAGMA journal_mode = WAL", &done, e));
    if (!done)
        return err_set(e, JOT_UNSUPPORTED, "a log cannot be kept beside the database here");
    int got = io_fsync(d->base.io, d->dir);
    return got == 0 ? JOT_OK : err_errno(e, -got, "could not sync the pad's directory");
}

static jot_status write_schema(Db *d, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Id id = id_random(d->base.io, DB_ID_HEX / 2);
    Str sql = arena_printf(&arena,
                           "PRAGMA page_size = %d; PRAGMA encoding = 'UTF-8';"
                           "BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d;"
                           "%s"
                           "INSERT INTO pad VALUES('id', '%s'), ('scrub', 0), ('undone', 0);"
                           "COMMIT;",
                           DB_PAGE, DB_APPLICATION, DB_READ_FORMAT << 16 | DB_WRITE_FORMAT, schema,
                           id.text);
    return db_exec(d, sql.p, e);
}

static jot_status connect_empty(Db *d, Err *e)
{
    TRY(db_open_as(d, d->path, SQLITE_OPEN_READWRITE, e));
    TRY(write_schema(d, e));
    return switch_to_log(d, e);
}

/* Under the lock: somebody else may have made it meanwhile. */
static jot_status make_locked(Db *d, Err *e)
{
    Found found;
    TRY(look(d, &found, e));
    if (found == FOUND_PAD) {
        jot_status st = db_connect(d, e);
        db_disconnect(d, false);
        if (st != JOT_NOT_FOUND) /* what the journal took back is empty again */
            return st;
    } else {
        TRY(make_file(d, e));
    }
    jot_status st = fchmodat(d->dir, d->name, 0600, 0) == 0
                        ? connect_empty(d, e)
                        : err_errno(e, errno, "cannot create the pad");
    db_disconnect(d, false);
    return st;
}

static jot_status make(Db *d, Err *e)
{
    if (d->base.read_only_why[0])
        return store_refuse_write(&d->base, e);
    TRY(db_lock(d, e));
    jot_status st = make_locked(d, e);
    db_unlock(d);
    return st;
}

/* --- Opening and closing --------------------------------------------------------------- */

int db_open_lock(const Db *d)
{
    const Io *io = d->base.io;
    int fd = io_open(io, d->dir, d->lock_name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        (void)fchmod(fd, 0600);
    return fd == -EEXIST ? io_open(io, d->dir, d->lock_name, O_RDWR, 0) : fd;
}

/* The lock file shows whether anything can be written here at all. */
static jot_status open_lock(Db *d, bool making, Err *e)
{
    int fd = db_open_lock(d);
    Shown shown;
    if (fd < 0 && making)
        return err_errno(e, -fd, "could not make the pad's file");
    if (fd == -EROFS)
        db_read_only(d, "its file system is read-only");
    else if (fd == -EACCES || fd == -EPERM)
        db_read_only(d, "its lock file cannot be written");
    else if (fd < 0)
        return err_errno(e, -fd, "cannot open '%s'", err_show(&shown, str(d->lock_name)));
    d->lock = fd < 0 ? FD_NONE : fd;
    return JOT_OK;
}

/* A crash may leave a pad before it was switched to the log, and nothing else is durable. */
static jot_status finish(Db *d, Err *e)
{
    bool log;
    TRY(is_log_kept(d, "PRAGMA journal_mode", &log, e));
    if (log)
        return JOT_OK;
    TRY(db_lock(d, e));
    jot_status st = switch_to_log(d, e);
    db_unlock(d);
    return st;
}

static jot_status open_pad(Db *d, const StoreOptions *o, Err *e)
{
    Found found;
    bool create = o->create && !o->read_only;
    Shown shown;
    TRY(look(d, &found, e));
    if (found != FOUND_PAD && !create)
        return err_set(e, JOT_NOT_FOUND, "there is no pad at '%s'", err_show(&shown, str(d->path)));
    if (!d->base.read_only_why[0])
        TRY(open_lock(d, found != FOUND_PAD, e));
    if (found != FOUND_PAD)
        TRY(make(d, e));
    jot_status st = db_connect(d, e);
    if (st == JOT_NOT_FOUND && create) {
        TRY(make(d, e));
        st = db_connect(d, e);
    }
    return st == JOT_OK && !d->base.read_only_why[0] ? finish(d, e) : st;
}

static void free_db(Db *d)
{
    db_disconnect(d, false);
    fd_close(&d->lock);
    fd_close(&d->dir);
    free(d->path);
    free(d->lock_name);
    free(d->vfs);
    free(d);
}

/* Text that an earlier handle could not clear from the log. */
static void scrub(Db *d)
{
    if (!d->scrub || d->base.read_only_why[0] || d->lock < 0 ||
        lock_wait(d->base.io, d->lock, F_WRLCK, DB_LOCK_WRITER, 0) != 0)
        return;
    (void)db_tidy(d, 0);
    db_unlock(d);
}

static jot_status check_params(Db *d, const Url *url, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key, value;
    Shown shown;
    if (url->authority || url->path.n == 0)
        return err_set(e, JOT_INVALID, "use 'sqlite:FILE'");
    for (size_t at = 0; url_next_param(url, &at, &arena, &key, &value);) {
        if (!str_eq(key, S("vfs")) || value.n == 0)
            return err_set(e, JOT_INVALID, "'sqlite:' has no parameter '%s'",
                           err_show(&shown, key));
        free(d->vfs);
        d->vfs = own_cstr(arena_cstr(&arena, value));
    }
    return JOT_OK;
}

jot_status sqlite_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Db *d = mem_alloc(sizeof *d);
    store_init(&d->base, &sqlite_ops, o);
    d->dir = d->lock = FD_NONE;
    d->verb = "open";
    jot_status st = check_params(d, url, e);
    if (st == JOT_OK)
        st = locate(d, arena_cstr(&arena, url->path), e);
    if (st == JOT_OK) {
        d->subject = str(d->path);
        st = open_pad(d, o, e);
    }
    if (st != JOT_OK) {
        free_db(d);
        return st;
    }
    scrub(d);
    *out = &d->base;
    return JOT_OK;
}

void sqlite_close(Store *s)
{
    Db *d = (Db *)s;
    bool may_write = d->sql && !d->broken && !d->base.read_only_why[0] && d->lock >= 0;
    /* Without the lock somebody is writing, and will see to the log. */
    if (may_write && lock_wait(s->io, d->lock, F_WRLCK, DB_LOCK_WRITER, 0) == 0) {
        (void)db_tidy(d, 0);
        db_disconnect(d, true);
    }
    free_db(d);
}
