/* open.c - finding and recognising the database of a pad.
 *
 * A file is looked at before SQLite may touch it: its first bytes are read
 * through the VFS, so that a file of somebody else is refused as it was.  The
 * database file is never opened by other means, because closing any descriptor
 * of it would drop the locks SQLite holds in this process.
 *
 * A file that holds nothing is not a pad yet (make.c makes one of it).  That it
 * holds nothing is proved by its size, or by the journal beside it: the one of
 * the transaction that made the database says that it had no page before.  Such
 * a file is what a power failure left of a pad that was made in its place, as it
 * was before make.c; whatever is in it, SQLite takes it back.
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

#include "base/lock.h"
#include "store/sqlite/sqlite.h"

enum {
    HEADER_BYTES = 100, /* of an SQLite file */
    HEADER_APPLICATION = 68,
    JOURNAL_BYTES = 20, /* of its header, as far as it is read */
    JOURNAL_PAGES = 16, /* where it has the pages of the database before the transaction */
    SUFFIX_MAX = 16,    /* what SQLite and we add to the file's name */
};

static const char magic[] = "SQLite format 3";

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
    Str last = str_base_name(str(path)), dir = str_dir_name(str(path));
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
    assert(slash && slash[1]); /* it is absolute, and names a file */
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

/* What the journal beside the file, if there is one, says about it. */
typedef enum Journal {
    JOURNAL_NONE,
    JOURNAL_FIRST, /* the database had no page before the transaction that was interrupted */
    JOURNAL_LATER,
} Journal;

static Journal look_at_journal(const Db *d)
{
    static const unsigned char begin[] = { 0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7 };
    AUTO(Arena) arena = { 0 };
    unsigned char head[JOURNAL_BYTES] = { 0 };
    const char *name = arena_printf(&arena, "%s-journal", d->name).p;
    AUTO(Fd) fd = io_open(d->base.io, d->dir, name, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0 || io_read_all(d->base.io, fd, head, sizeof head, 0) != sizeof head ||
        memcmp(head, begin, sizeof begin) != 0)
        return JOURNAL_NONE;
    return db_u32(head + JOURNAL_PAGES) == 0 ? JOURNAL_FIRST : JOURNAL_LATER;
}

/* The first bytes of the file, read the way SQLite reads. */
static int read_header(const Db *d, unsigned char *to)
{
    AUTO(Arena) arena = { 0 };
    sqlite3_vfs *vfs = sqlite3_vfs_find(d->vfs);
    sqlite3_file *file = arena_alloc(&arena, (size_t)vfs->szOsFile, alignof(max_align_t));
    sqlite3_filename name = sqlite3_create_filename(d->path, "", "", 0, NULL);
    if (!name)
        mem_exhausted();
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    db_turn_begin();
    int rc = vfs->xOpen(vfs, name, file, flags, &flags);
    if (rc == SQLITE_OK)
        rc = file->pMethods->xRead(file, to, HEADER_BYTES, 0);
    if (file->pMethods)
        file->pMethods->xClose(file);
    db_turn_end();
    sqlite3_free_filename(name);
    return rc;
}

/* True for what SQLite has written at the beginning, also if only the first bytes of it are there
 * or none. */
static bool is_begun(const unsigned char *h)
{
    size_t n = 0;
    while (n < sizeof magic && h[n] == (unsigned char)magic[n])
        n++;
    while (n < sizeof magic && h[n] == 0)
        n++;
    return n == sizeof magic;
}

static jot_status check_header(const Db *d, const unsigned char *h, bool whole, Found *found,
                               Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, str(d->path));
    bool ours = memcmp(h, magic, sizeof magic) == 0;
    Journal journal = look_at_journal(d);
    /* What was begun and never committed: whatever is in the file, it is nobody's. */
    if (journal == JOURNAL_FIRST && is_begun(h)) {
        *found = FOUND_EMPTY;
        return JOT_OK;
    }
    /* A crash while the pad was switched to the log leaves a journal that repairs what is there. */
    if (journal == JOURNAL_LATER && (!ours || !whole))
        return JOT_OK;
    if (ours && !whole)
        return err_set(e, JOT_CORRUPT, "'%s' is cut off: restore it from a copy", name);
    if (!ours)
        return err_set(e, JOT_CORRUPT, "'%s' is not a pad: it is not an SQLite database", name);
    if (db_u32(h + HEADER_APPLICATION) != DB_APPLICATION)
        return err_set(e, JOT_INVALID, "'%s' is an SQLite database of another program", name);
    return JOT_OK;
}

jot_status db_look(Db *d, Found *found, Err *e)
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
    /* SQLite takes a file of one byte for an empty one. */
    *found = st.st_size > 1 ? FOUND_PAD : FOUND_EMPTY;
    if (*found == FOUND_EMPTY)
        return JOT_OK;
    unsigned char header[HEADER_BYTES] = { 0 };
    int rc = read_header(d, header);
    if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
        return check_header(d, header, rc == SQLITE_OK, found, e);
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
    int64_t application, pages, strange;
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
    TRY(db_scrub_due(d, &d->scrub, e));
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

/* --- Opening and closing --------------------------------------------------------------- */

int db_open_lock(const Db *d)
{
    const Io *io = d->base.io;
    int fd = lock_open(io, d->dir, d->lock_name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        (void)fchmod(fd, 0600);
    return fd == -EEXIST ? lock_open(io, d->dir, d->lock_name, O_RDWR, 0) : fd;
}

/* The lock file shows whether anything can be written here at all. */
static jot_status open_lock(Db *d, bool making, Err *e)
{
    assert(d->lock < 0);
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

/* PRAGMA journal_mode, asked or set, answers with the mode that holds.  The change itself is
 * committed after that answer, so the statement must be seen to its end. */
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

/* A pad that somebody took out of the log, or that was made in its place and not to the end. */
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
    /* From outside first: what is no pad is refused before SQLite, which would take back a journal,
     * has touched it. */
    TRY(db_look(d, &found, e));
    if (found != FOUND_PAD && !create)
        return err_set(e, JOT_NOT_FOUND, "there is no pad at '%s'", err_show(&shown, str(d->path)));
    if (!d->base.read_only_why[0])
        TRY(open_lock(d, found != FOUND_PAD, e));
    if (found != FOUND_PAD)
        TRY(db_make(d, e));
    /* A file of the right size can hold nothing all the same: SQLite knows when it has read it. */
    jot_status st = db_connect(d, e);
    if (st == JOT_NOT_FOUND && create) {
        TRY(db_make(d, e));
        st = db_connect(d, e);
    }
    return st == JOT_OK && !d->base.read_only_why[0] ? finish(d, e) : st;
}

static void free_db(Db *d)
{
    if (!d)
        return;
    db_disconnect(d, false);
    lock_close(d->base.io, &d->lock);
    lock_close(d->base.io, &d->former_lock);
    fd_close(&d->dir);
    free(d->path);
    free(d->lock_name);
    free(d->holds);
    free(d->vfs);
    free(d);
}
DEFINE_AUTO_PTR(Db, free_db)

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
    AUTO_PTR(Db) d = mem_alloc(sizeof *d);
    store_init(&d->base, &sqlite_ops, o);
    d->dir = d->lock = d->former_lock = FD_NONE;
    d->verb = "open";
    TRY(check_params(d, url, e));
    TRY(locate(d, arena_cstr(&arena, url->path), e));
    d->subject = str(d->path);
    TRY(open_pad(d, o, e));
    scrub(d);
    *out = &TAKE(d)->base;
    return JOT_OK;
}

void sqlite_close(Store *s)
{
    Db *d = (Db *)s;
    bool good = d->sql && !d->broken;
    /* Without the lock somebody is writing, and will see to the log. */
    if (!d->base.read_only_why[0] && d->lock >= 0 &&
        lock_wait(s->io, d->lock, F_WRLCK, DB_LOCK_WRITER, 0) == 0) {
        if (good)
            (void)db_tidy(d, 0);
        /* With the lock the last one out checkpoints and removes the log; a connection that failed
         * leaves it to the next, which begins by repairing. */
        db_disconnect(d, good && !d->broken);
        (void)db_reserve(d);
    }
    free_db(d);
}
