/* db.c - one connection: statements, faults, and how it is set up.
 *
 * Deleted text must be gone from the file.  secure_delete zeroes what is
 * freed, but a page that SQLite rebuilds while balancing keeps stale copies of
 * its former cells in the unallocated middle: about one text in ten thousand.
 * So that middle is zeroed when a page is written to the database file, which
 * in WAL mode happens in checkpoints only.
 *
 * This file knows nothing of streams. */
#include "store/sqlite/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"

enum {
    MAP_BYTES_MIN = 64 << 20,
    MAP_LOOK_USES = 1000,
    BUSY_MS_MIN = 1000, /* for the short moments in which SQLite locks by itself */
};

/* Beyond this an overflow page may begin with the byte of a b-tree page. */
static const sqlite3_int64 clean_bytes_max = (sqlite3_int64)64 << 30;

/* --- Threads take turns ------------------------------------------------------------------ */

static pthread_mutex_t turn;
static pthread_once_t turn_once = PTHREAD_ONCE_INIT;

/* Recursive, for what fails while it connects disconnects. */
static void make_turn(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&turn, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* A child has no thread that could end another's turn. */
static void begin_turns(void)
{
    make_turn();
    (void)pthread_atfork(NULL, NULL, make_turn);
}

void db_turn_begin(void)
{
    pthread_once(&turn_once, begin_turns);
    pthread_mutex_lock(&turn);
}

void db_turn_end(void)
{
    pthread_mutex_unlock(&turn);
}

/* --- Statements ------------------------------------------------------------------------ */

#define MARK "seq, at, op, fence, size, redacted, sha256, chain"
#define TEXTS "\"by\", id, meta, extra"
#define H_MARK "h.seq, h.at, h.op, h.fence, h.size, h.redacted, h.sha256, h.chain"
#define R_MARK "r.seq, r.at, r.op, r.fence, r.size, r.redacted, r.sha256, r.chain"
#define R_TEXTS "r.\"by\", r.id, r.meta, r.extra"

/* The row of a record says what its copy among the heads says. */
#define SAME                                                                                 \
    "r.seq = h.seq AND r.chain IS h.chain AND r.sha256 IS h.sha256 AND r.op = h.op"          \
    " AND r.at = h.at AND r.size = h.size AND r.redacted = h.redacted AND r.fence = h.fence" \
    " AND r.\"by\" = h.\"by\" AND r.id = h.id AND r.meta = h.meta AND r.extra = h.extra"

static const char *const texts[] = {
    [DB_BEGIN] = "BEGIN IMMEDIATE",
    [DB_COMMIT] = "COMMIT",
    [DB_ROLLBACK] = "ROLLBACK",
    [DB_FORMAT] = "PRAGMA user_version",
    [DB_RAISE] = "PRAGMA user_version = 131074", /* DB_OUR_FORMAT */
    [DB_SCRUB] = "UPDATE pad SET value = ?1 WHERE key = 'scrub'",
    [DB_SCRUB_DUE] = "SELECT value FROM pad WHERE key = 'scrub'",
    [DB_FORGET] = "INSERT OR REPLACE INTO pad SELECT 'forgot', max(n) FROM records",
    [DB_FORGOT] = "SELECT value FROM pad WHERE key = 'forgot'",
    [DB_UNDO] = "UPDATE pad SET value = value + 1 WHERE key = 'undone'",
    [DB_HEAD] = "SELECT " R_MARK ", " R_TEXTS ", r.body, r.n, h.stream, " SAME
                " FROM heads h LEFT JOIN records r"
                " ON r.n = h.n AND r.stream = h.stream WHERE h.name = ?1",
    [DB_HEAD_COPY] = "SELECT seq, at, op & 15, fence, size, redacted, sha256, chain, " TEXTS
                     ", NULL, n, op >> 4 FROM heads WHERE name = ?1",
    [DB_NEWEST] = "SELECT " R_MARK ", " R_TEXTS ", r.body, r.n FROM records r WHERE r.stream = ?1"
                  " ORDER BY r.seq DESC",
    [DB_RECENT] = "SELECT " MARK ", id, meta FROM records WHERE stream = ?1 AND seq <= ?3"
                  " ORDER BY seq DESC LIMIT ?2",
    [DB_READ] = "SELECT " R_MARK ", " R_TEXTS ", r.body, r.n = h.n AND NOT (" SAME ")"
                " FROM heads h LEFT JOIN records r"
                " ON r.stream = h.stream AND r.seq >= ?2 WHERE h.name = ?1"
                " ORDER BY r.seq",
    [DB_LIST] = "SELECT " H_MARK ", h.name, h.\"by\", h.meta, " SAME
                " FROM heads h LEFT JOIN records r ON r.n = h.n AND r.stream = h.stream"
                " WHERE h.name >= ?1 AND h.name < ?2 AND (?3 OR h.op <> 2 OR r.op IS NOT h.op)"
                " ORDER BY h.name",
    [DB_LAST] = "SELECT n, chain FROM records ORDER BY n DESC LIMIT 1",
    [DB_CHAIN_OF] = "SELECT chain FROM records WHERE n = ?1",
    [DB_CHANGED] = "SELECT DISTINCT h.name FROM records r JOIN heads h ON h.stream = r.stream"
                   " WHERE r.n > ?1 AND r.n <= ?2 LIMIT ?3",
    [DB_LIVE] = "SELECT 1 FROM heads WHERE name = ?1 AND op <> 2",
    [DB_LIVE_BELOW] = "SELECT name FROM heads WHERE name >= ?1 AND name < ?2 AND op <> 2"
                      " ORDER BY name LIMIT 1",
    [DB_ADD] = "INSERT INTO records(" MARK ", " TEXTS ", stream, body)"
               " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [DB_NEW_HEAD] = "INSERT INTO heads(" MARK ", " TEXTS ", stream, n, name)"
                    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    [DB_SET_HEAD] = "UPDATE heads SET seq = ?1, at = ?2, op = ?3, fence = ?4, size = ?5,"
                    " redacted = ?6, sha256 = ?7, chain = ?8, \"by\" = ?9, id = ?10, meta = ?11,"
                    " extra = ?12, n = ?14 WHERE name = ?15 AND stream = ?13",
    [DB_FIND] = "SELECT " MARK ", n FROM records WHERE stream = ?1 AND seq = ?2",
    [DB_OLDEST] = "SELECT min(seq) FROM records WHERE stream = ?1",
    [DB_BEFORE] = "SELECT " MARK ", " TEXTS " FROM records WHERE stream = ?1 AND seq < ?2"
                  " ORDER BY seq DESC LIMIT 1",
    [DB_FROM] = "SELECT " MARK ", " TEXTS " FROM records WHERE stream = ?1 AND seq >= ?2"
                " ORDER BY seq LIMIT 1",
    [DB_DROP] = "DELETE FROM records WHERE stream = ?1 AND seq < ?2",
    [DB_BLANK] = "UPDATE records SET redacted = redacted | 1, body = x'' WHERE n = ?1",
    [DB_MOVE] = "UPDATE records SET n = ?2 WHERE n = ?1",
    [DB_REWRITE] = "UPDATE records SET seq = ?1, at = ?2, op = ?3, fence = ?4, size = ?5,"
                   " redacted = ?6, sha256 = ?7, chain = ?8, \"by\" = ?9, id = ?10, meta = ?11,"
                   " extra = ?12 WHERE n = ?14 AND stream = ?13",
    [DB_SPOILT] = "UPDATE records SET op = 0, seq = ?2 WHERE n = ?1",
    [DB_MAKE_WAY] = "DELETE FROM records WHERE stream = ?1 AND seq >= ?2 AND op = 0",
    [DB_TOLD] = "UPDATE heads SET op = op | 16 WHERE name = ?1",
    [DB_HEAD_MOVED] = "UPDATE heads SET n = ?1, redacted = redacted | ?2 WHERE name = ?3",
    /* Not if somebody who does not count has given values of n meanwhile. */
    [DB_GIVEN] = "UPDATE pad SET value = value + ?1 WHERE key = 'given' AND value >= ?2",
    [DB_TAKEN] = "UPDATE pad SET value = value + ?1 WHERE key = 'taken'",
    [DB_COUNTED] = "SELECT count(*), coalesce(max(n), 0),"
                   " (SELECT value FROM pad WHERE key = 'given'),"
                   " (SELECT value FROM pad WHERE key = 'taken'),"
                   " (SELECT value FROM pad WHERE key = 'ahead') FROM records",
    [DB_COUNT_ANEW] = "INSERT OR REPLACE INTO pad SELECT 'given', coalesce(max(n), 0) FROM records"
                      " UNION ALL SELECT 'taken', coalesce(max(n), 0) - count(*) FROM records",
    [DB_AHEAD] = "INSERT OR REPLACE INTO pad SELECT 'ahead', max(?1, coalesce("
                 "(SELECT value FROM pad WHERE key = 'ahead'), 0))",
};
_Static_assert(COUNT_OF(texts) == DB_STMTS, "every statement has a text");

void db_reset(sqlite3_stmt *q)
{
    if (!q)
        return;
    /* The result repeats what the last step has already said. */
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
}

jot_status db_stmt(Db *d, DbStmt which, sqlite3_stmt **out, Err *e)
{
    assert(d->sql && which < DB_STMTS);
    if (!d->stmts[which]) {
        int rc = sqlite3_prepare_v3(d->sql, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                    &d->stmts[which], NULL);
        if (rc != SQLITE_OK)
            return db_fault(d, rc, e);
    }
    *out = d->stmts[which];
    return JOT_OK;
}

/* Binding fails only for a wrong index or without memory. */
void db_bound(int rc)
{
    if (rc == SQLITE_NOMEM)
        mem_exhausted();
    assert(rc == SQLITE_OK);
}

void db_bind_text(sqlite3_stmt *q, int at, Str text)
{
    db_bound(sqlite3_bind_text64(q, at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8));
}

void db_bind_blob(sqlite3_stmt *q, int at, Str bytes)
{
    db_bound(sqlite3_bind_blob64(q, at, bytes.p ? bytes.p : "", bytes.n, SQLITE_STATIC));
}

void db_bind_u64(sqlite3_stmt *q, int at, uint64_t number)
{
    db_bound(sqlite3_bind_int64(q, at, (sqlite3_int64)number));
}

jot_status db_step(Db *d, sqlite3_stmt *q, bool *row, Err *e)
{
    int rc = sqlite3_step(q);
    *row = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? JOT_OK : db_fault(d, rc, e);
}

jot_status db_run(Db *d, sqlite3_stmt *q, Err *e)
{
    bool row;
    TRY(db_step(d, q, &row, e));
    assert(!row);
    return JOT_OK;
}

jot_status db_exec(Db *d, const char *sql, Err *e)
{
    int rc = sqlite3_exec(d->sql, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? JOT_OK : db_fault(d, rc, e);
}

int db_plain(Db *d, DbStmt which)
{
    AUTO_PTR(sqlite3_stmt) q = NULL;
    if (db_stmt(d, which, &q, NULL) != JOT_OK)
        return sqlite3_errcode(d->sql);
    int rc = sqlite3_step(q);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- Faults ---------------------------------------------------------------------------- */

jot_status db_say(Db *d, Err *e, jot_status st, const char *could, const char *why)
{
    Shown shown;
    if (d->subject.n == 0)
        return err_set(e, st, "%s %s: %s", could, d->verb, why);
    return err_set(e, st, "%s %s '%s': %s", could, d->verb, err_show(&shown, d->subject), why);
}

/* The reason after CANTOPEN and IOERR is the system's. */
static jot_status system_fault(Db *d, int rc, Err *e)
{
    int errnum = sqlite3_system_errno(d->sql);
    const char *why = errnum ? strerrordesc_np(errnum) : NULL;
    d->full = errnum == ENOSPC || errnum == EDQUOT;
    jot_status st = errnum ? err_errno(NULL, errnum, "%s", "") : JOT_IO;
    /* The file was there when it was opened: whatever is missing now, it is not a stream. */
    if (st == JOT_NOT_FOUND || st == JOT_READ_ONLY)
        st = JOT_IO;
    return db_say(d, e, st, "could not", why ? why : sqlite3_errstr(rc));
}

jot_status db_fault(Db *d, int rc, Err *e)
{
    switch (rc & 0xFF) {
    case SQLITE_NOMEM:
        mem_exhausted();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return db_say(d, e, JOT_UNAVAILABLE, "could not", "another program is using the database");
    case SQLITE_FULL:
        d->full = true;
        return db_say(d, e, JOT_IO, "could not", "no space left on the device");
    case SQLITE_READONLY:
        return db_say(d, e, JOT_READ_ONLY, "cannot", "the database file cannot be written");
    case SQLITE_TOOBIG:
        return db_say(d, e, JOT_TOO_BIG, "cannot", "it is too big for SQLite");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
        d->broken = true;
        return system_fault(d, rc, e);
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return db_say(d, e, JOT_DENIED, "could not", sqlite3_errstr(rc));
    default:
        /* Damage, or tables that are not ours: our own statements are correct. */
        d->broken = true;
        return db_damaged(d, sqlite3_errstr(rc), e);
    }
}

jot_status db_damaged(Db *d, const char *what, Err *e)
{
    return db_say(d, e, JOT_CORRUPT, "cannot", what);
}

/* --- The connection -------------------------------------------------------------------- */

/* The unallocated middle of a b-tree page: between the cell pointers and the first cell. */
static bool find_gap(const unsigned char *page, size_t header, size_t *from, size_t *to)
{
    const unsigned char *h = page + header;
    bool inner = h[0] == 2 || h[0] == 5, leaf = h[0] == 10 || h[0] == 13;
    if (!inner && !leaf)
        return false;
    size_t cells = (size_t)h[3] << 8 | h[4];
    *from = header + (inner ? 12 : 8) + 2 * cells;
    *to = (size_t)h[5] << 8 | h[6];
    return *from < *to && *to <= DB_PAGE;
}

static int write_clean(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
    const sqlite3_io_methods *real = ((const DbFile *)f->pMethods)->real;
    sqlite3_int64 size = 0;
    size_t from, to;
    /* Page 1 begins with the header of the file, 100 bytes. */
    if (n != DB_PAGE || !find_gap(data, at == 0 ? 100 : 0, &from, &to) ||
        real->xFileSize(f, &size) != SQLITE_OK || size > clean_bytes_max)
        return real->xWrite(f, data, n, at);
    unsigned char page[DB_PAGE];
    assert(from < to && to <= sizeof page);
    memcpy(page, data, sizeof page);
    memset(page + from, 0, to - from);
    return real->xWrite(f, page, n, at);
}

static void clean_writes(Db *d)
{
    sqlite3_file *f = NULL;
    sqlite3_file_control(d->sql, "main", SQLITE_FCNTL_FILE_POINTER, &f);
    if (!f || !f->pMethods)
        return;
    d->file.real = f->pMethods;
    d->file.methods = *f->pMethods;
    d->file.methods.xWrite = write_clean;
    if (d->file.methods.iVersion > 3)
        d->file.methods.iVersion = 3; /* what a newer library added was not copied */
    f->pMethods = &d->file.methods;
}

static int count_log(void *ctx, sqlite3 *sql, const char *schema, int pages)
{
    Db *d = ctx;
    d->log_pages = pages;
    return SQLITE_OK;
}

int db_busy_ms(const Db *d)
{
    int64_t ms = d->base.wait_ms;
    if (ms < BUSY_MS_MIN)
        return BUSY_MS_MIN;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static jot_status configure(Db *d, Err *e)
{
    sqlite3_busy_timeout(d->sql, db_busy_ms(d));
    sqlite3_db_config(d->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* Takes the place of the automatic checkpoint. */
    sqlite3_wal_hook(d->sql, count_log, d);
    clean_writes(d);
    bool full = !MUTANT(SQLITE_SYNC_NORMAL) && !MUTANT(SQLITE_NO_SYNC);
    const char *sync = full                         ? "PRAGMA synchronous = FULL"
                       : MUTANT(SQLITE_SYNC_NORMAL) ? "PRAGMA synchronous = NORMAL"
                                                    : "PRAGMA synchronous = OFF";
    TRY(db_exec(d, sync, e));
    TRY(db_exec(d, d->sparing ? "PRAGMA secure_delete = FAST" : "PRAGMA secure_delete = ON", e));
    return db_exec(d,
                   "PRAGMA temp_store = MEMORY;"
                   "PRAGMA trusted_schema = OFF;"
                   "PRAGMA cache_size = -16000;"
                   "PRAGMA journal_size_limit = 8388608;",
                   e);
}

jot_status db_open_as(Db *d, const char *where, int flags, Err *e)
{
    int rc = sqlite3_open_v2(
        where, &d->sql, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE,
        d->vfs);
    if (!d->sql)
        mem_exhausted();
    if (rc == SQLITE_OK)
        return configure(d, e);
    return db_fault(d, rc, e);
}

/* Most pages of a large pad are not in SQLite's cache, and mapping them halves the price of
 * fetching one: head and read among a million streams cost about 1.6 times what they cost among a
 * thousand, instead of more than twice.  A disk that cannot be read then ends the process with
 * SIGBUS instead of an error, so small pads, which gain nothing, are not mapped.  A pad may grow,
 * so it is looked at again now and then. */
static void map_if_large(Db *d)
{
    struct stat st;
    if (d->mapped || d->uses++ % MAP_LOOK_USES != 0 ||
        io_stat(d->base.io, d->dir, d->name, &st) < 0 || st.st_size < MAP_BYTES_MIN)
        return;
    /* It is not worth failing for. */
    d->mapped =
        sqlite3_exec(d->sql, "PRAGMA mmap_size = 1099511627776", NULL, NULL, NULL) == SQLITE_OK;
}

int db_stat_log(const Db *d, struct stat *out)
{
    AUTO(Arena) arena = { 0 };
    return io_stat(d->base.io, d->dir, arena_printf(&arena, "%s-wal", d->name).p, out);
}

/* A log that holds something must be read, and that needs shared memory beside the file. */
static bool log_is_empty(const Db *d)
{
    struct stat st;
    int got = db_stat_log(d, &st);
    return got == -ENOENT || (got == 0 && st.st_size == 0);
}

static bool dir_is_sealed(const Db *d)
{
    return faccessat(d->dir, ".", W_OK, AT_EACCESS) != 0 && (errno == EROFS || errno == EACCES);
}

/* How SQLite says that it could not make the log or its shared memory. */
static bool lacks_log(int rc)
{
    return (rc & 0xFF) == SQLITE_CANTOPEN || rc == SQLITE_READONLY_DIRECTORY ||
           rc == SQLITE_READONLY_CANTINIT;
}

/* Where nothing can be written SQLite cannot make its shared memory.  If there is no log either,
 * the file alone is the database. */
static jot_status open_immutable(Db *d, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str where = arena_printf(&arena, "file:%s?immutable=1",
                             arena_cstr(&arena, url_encode(&arena, str(d->path), true)));
    if (!log_is_empty(d))
        return db_say(d, e, JOT_DENIED, "cannot",
                      "its log must be read too, and that needs a directory that can be written");
    if (io_stat(d->base.io, d->dir, d->name, &d->seen) < 0)
        return db_say(d, e, JOT_IO, "could not", "its file is gone");
    d->immutable = true;
    TRY(db_open_as(d, where.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e));
    return db_identify(d, e);
}

static jot_status connect_once(Db *d, Err *e)
{
    assert(!d->sql);
    d->immutable = d->broken = d->mapped = false;
    d->uses = 0;
    d->checkpoint_at = DB_CHECKPOINT_PAGES;
    bool read_only = d->base.read_only_why[0] != 0;
    /* SQLite opens lazily: that a file cannot be used shows when it is asked what it is. */
    jot_status st =
        db_open_as(d, d->path, read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, e);
    if (st == JOT_OK)
        st = db_identify(d, e);
    if (st != JOT_OK && lacks_log(sqlite3_errcode(d->sql)) && dir_is_sealed(d)) {
        db_disconnect(d, false);
        st = open_immutable(d, e);
    }
    if (st != JOT_OK)
        db_disconnect(d, false);
    else if (sqlite3_db_readonly(d->sql, "main") == 1)
        db_read_only(d, "its file cannot be written");
    else if (db_stat_log(d, &d->log) < 0) /* it is open since the first read */
        d->log = (struct stat){ 0 };
    return st;
}

static jot_status connect_in_turn(Db *d, Err *e)
{
    db_turn_begin();
    jot_status st = connect_once(d, e);
    db_turn_end();
    return st;
}

jot_status db_connect(Db *d, Err *e)
{
    d->full = false;
    jot_status st = connect_in_turn(d, e);
    /* Its shared memory needs room, to read too. */
    return st != JOT_OK && d->full && db_give_room(d) ? connect_in_turn(d, e) : st;
}

void db_read_only(Db *d, const char *why)
{
    if (!d->base.read_only_why[0])
        snprintf(d->base.read_only_why, sizeof d->base.read_only_why, "%s", why);
}

void db_disconnect(Db *d, bool tidy)
{
    for (size_t i = 0; i < DB_STMTS; i++) {
        sqlite3_finalize(d->stmts[i]);
        d->stmts[i] = NULL;
    }
    /* Where memory ran out in the middle of a call others may be left. */
    for (sqlite3_stmt *q; d->sql && (q = sqlite3_next_stmt(d->sql, NULL)) != NULL;)
        sqlite3_finalize(q);
    if (d->sql && !tidy)
        sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    db_turn_begin();
    int rc = sqlite3_close(d->sql);
    db_turn_end();
    assert(rc == SQLITE_OK);
    (void)rc;
    d->sql = NULL;
    d->broken = false;
}

/* A file that nobody was able to change has been changed after all. */
static bool outdated(const Db *d)
{
    struct stat now;
    if (!d->immutable || io_stat(d->base.io, d->dir, d->name, &now) < 0)
        return false;
    return now.st_ino != d->seen.st_ino || now.st_size != d->seen.st_size ||
           now.st_mtim.tv_sec != d->seen.st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != d->seen.st_mtim.tv_nsec || !log_is_empty(d);
}

jot_status db_ready(Db *d, const char *verb, Str subject, Err *e)
{
    d->verb = verb;
    d->subject = subject;
    if (d->sql && (d->broken || outdated(d)))
        db_disconnect(d, false);
    if (!d->sql)
        TRY(db_connect(d, e));
    assert(d->sql && !d->broken);
    map_if_large(d);
    return JOT_OK;
}
