/* db.h - Db, the SQLite engine's handle: one connection, its statements and its lock.
 *
 * The database (the tables stand in open.c):
 *   heads    one row a stream, by name: where its head is, and all of it but the body
 *   records  every record, by n, a number that only grows
 *   pad      the pad's own id, how many records there are, and whether the log must be cleared of
 *            forgotten text
 *
 * Invariants:
 *   1. A stream's head has the highest n of the stream.  Heads are never deleted, so n is never
 *      given twice, and "n greater than" means "changed since".
 *   2. Writing happens only between db_begin and db_end, under the lock of PATH.lock.
 *   3. A connection that met an I/O error is closed before its next use. */
#ifndef STORE_SQLITE_DB_H
#define STORE_SQLITE_DB_H

#include <sqlite3.h>

#include "store/engine.h"

enum {
    DB_PAGE = 4096,
    DB_CHECKPOINT_PAGES = 1000,
    DB_APPLICATION = 0x4A4F5452, /* "JOTR" */
    DB_READ_FORMAT = 2,          /* who knows less than this cannot read what we write ... */
    DB_WRITE_FORMAT = 2,         /* ... and who knows less than this must not write */
    DB_OUR_FORMAT = DB_READ_FORMAT << 16 | DB_WRITE_FORMAT,
    DB_ID_HEX = 16,
    DB_LOCK_WRITER = 0, /* bytes of PATH.lock: anyone who holds this one may write ... */
    DB_LOCK_TURN = 1,   /* ... and anyone who holds this one is next */
};

/* The statements, prepared when first used; the texts stand in db.c. */
typedef enum DbStmt {
    DB_BEGIN,
    DB_COMMIT,
    DB_ROLLBACK,
    DB_FORMAT,
    DB_RAISE,
    DB_SCRUB,
    DB_SCRUB_DUE,
    DB_FORGET,
    DB_FORGOT,
    DB_UNDO,
    DB_HEAD,
    DB_HEAD_COPY,
    DB_NEWEST,
    DB_RECENT,
    DB_READ,
    DB_LIST,
    DB_LAST,
    DB_CHAIN_OF,
    DB_CHANGED,
    DB_LIVE,
    DB_LIVE_BELOW,
    DB_ADD,
    DB_NEW_HEAD,
    DB_SET_HEAD,
    DB_FIND,
    DB_OLDEST,
    DB_BEFORE,
    DB_FROM,
    DB_DROP,
    DB_BLANK,
    DB_MOVE,
    DB_REWRITE,
    DB_SPOILT,
    DB_MAKE_WAY,
    DB_TOLD,
    DB_HEAD_MOVED,
    DB_GIVEN,
    DB_TAKEN,
    DB_COUNTED,
    DB_COUNT_ANEW,
    DB_AHEAD,
    DB_STMTS
} DbStmt;

/* The database file's methods, with one replaced. */
typedef struct DbFile {
    sqlite3_io_methods methods; /* first: the file's method pointer leads here */
    const sqlite3_io_methods *real;
} DbFile;

typedef struct Db {
    Store base;
    char *path;       /* absolute, without symlinks */
    const char *name; /* its last component, within `path` */
    char *lock_name;  /* the lock file's */
    char *vfs;        /* NULL: the default */
    Fd dir;           /* the directory of both */
    Fd lock;          /* FD_NONE while the handle cannot write */
    Fd former_lock;   /* the file of that name before somebody replaced it, or FD_NONE */
    uint64_t *holds;  /* numbers held on it, in no order: they move along if it is replaced */
    size_t holds_n, holds_cap;
    sqlite3 *sql; /* NULL: not connected */
    sqlite3_stmt *stmts[DB_STMTS];
    DbFile file;
    bool broken;       /* close the connection before its next use */
    bool unsettled;    /* a commit failed and could not be undone for certain */
    bool immutable;    /* opened as a file nobody can change */
    bool mapped;       /* pages are read through a mapping */
    unsigned uses;     /* since it was connected */
    int scrub;         /* forgotten text may stand in the log, with 2 in free pages too ... */
    bool forgetting;   /* ... and this transaction puts it there */
    bool held_back;    /* a reader was in the way the last time the log was to be cleared */
    bool full;         /* the last failure was that the disk has no room */
    bool spent;        /* this handle has taken what is kept for a full disk */
    bool sparing;      /* forgetting in steps, with as little room as possible */
    bool reports_loss; /* a conflict in this transaction tells of lost records ... */
    bool mended;       /* ... or found rows that it has repaired */
    int64_t given;     /* values of n in this transaction, ... */
    int64_t last;      /* ... the highest of them, ... */
    int64_t taken;     /* ... and how many it made free */
    struct stat seen;  /* the file, as it was opened if it is immutable */
    struct stat log;   /* the log that this connection has open; st_ino 0: not known */
    int64_t format;    /* PRAGMA user_version, as this handle knows it */
    bool raising;      /* this transaction brings it to DB_OUR_FORMAT */
    char id[DB_ID_HEX + 1];
    int log_pages, checkpoint_at; /* pages in the log; how many are too many */
    const char *verb;             /* what is being done, for sentences ... */
    Str subject;                  /* ... and to what */
} Db;

/* --- Threads take turns ------------------------------------------------------------------ */

/* SQLite's locks belong to the process, and closing any descriptor of a file drops them all.  So
 * SQLite keeps descriptors until nobody has a lock; but it looks first and closes then, and a
 * thread that takes its lock in between has none: another process, which believes itself alone,
 * removes the log from under it.  So the threads of a process open and close one at a time: what
 * takes a connection's first lock, and what closes a descriptor, stands between these two. */
void db_turn_begin(void);
void db_turn_end(void);

/* --- The connection -------------------------------------------------------------------- */

/* Open a connection and set it up, whatever the file holds; `flags` as for sqlite3_open_v2. */
MUST_USE jot_status db_open_as(Db *d, const char *where, int flags, Err *e);
/* Connect to the pad at d->path.  Sets base.read_only_why if the file cannot be written. */
MUST_USE jot_status db_connect(Db *d, Err *e);
/* How long SQLite's own locks are waited for. */
int db_busy_ms(const Db *d);
/* Close the connection, without any checkpoint unless it is `tidy`. */
void db_disconnect(Db *d, bool tidy);
/* The log that stands beside the file now; as io_stat. */
int db_stat_log(const Db *d, struct stat *out);
/* From now on the handle does not write; the first reason stays. */
void db_read_only(Db *d, const char *why);
/* Be connected, and remember what for: "could not VERB 'subject': ..." */
MUST_USE jot_status db_ready(Db *d, const char *verb, Str subject, Err *e);

/* --- Statements ------------------------------------------------------------------------ */

void db_reset(sqlite3_stmt *q); /* NULL is fine */
DEFINE_AUTO_PTR(sqlite3_stmt, db_reset)

/* A statement ready for its parameters; it must be reset, which AUTO_PTR does. */
MUST_USE jot_status db_stmt(Db *d, DbStmt which, sqlite3_stmt **out, Err *e);
void db_bound(int rc); /* binding fails only without memory */
void db_bind_text(sqlite3_stmt *q, int at, Str text);
void db_bind_blob(sqlite3_stmt *q, int at, Str bytes);
void db_bind_u64(sqlite3_stmt *q, int at, uint64_t number);
/* *row: there is a row; otherwise the statement is done. */
MUST_USE jot_status db_step(Db *d, sqlite3_stmt *q, bool *row, Err *e);
/* A statement that returns no row. */
MUST_USE jot_status db_run(Db *d, sqlite3_stmt *q, Err *e);
/* A statement that has neither parameters nor rows: its result code. */
int db_plain(Db *d, DbStmt which);
/* One or more statements without parameters. */
MUST_USE jot_status db_exec(Db *d, const char *sql, Err *e);

/* A number of SQLite's file format. */
static inline uint32_t db_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* "COULD VERB 'subject': why" */
jot_status db_say(Db *d, Err *e, jot_status st, const char *could, const char *why);
/* The sentence for a result code; also decides whether the connection is still good. */
jot_status db_fault(Db *d, int rc, Err *e);
/* Something in the database is not as this engine writes it. */
jot_status db_damaged(Db *d, const char *what, Err *e);

/* --- Opening (open.c) ------------------------------------------------------------------- */

/* Check application, format and schema, and read what the pad says of itself.
 * JOT_NOT_FOUND: the file holds nothing at all. */
MUST_USE jot_status db_identify(Db *d, Err *e);

/* What stands at d->path. */
typedef enum Found {
    FOUND_NOTHING,
    FOUND_EMPTY, /* a file in which nothing was ever committed */
    FOUND_PAD,   /* as far as can be seen from outside */
} Found;
/* Look at the file without changing it: JOT_INVALID and JOT_CORRUPT if it is no pad. */
MUST_USE jot_status db_look(Db *d, Found *found, Err *e);
/* Open the lock file, and make it if there is none: a descriptor or -errno. */
MUST_USE int db_open_lock(const Db *d);

/* --- Making (make.c) -------------------------------------------------------------------- */

/* Make the pad, unless somebody else has done so meanwhile. */
MUST_USE jot_status db_make(Db *d, Err *e);

/* --- Writing (write.c) ------------------------------------------------------------------ */

/* Take the lock that lets this process write, waiting base.wait_ms: JOT_UNAVAILABLE names the
 * holder. */
MUST_USE jot_status db_lock(Db *d, Err *e);
void db_unlock(Db *d);

/* The engine's operations of that name, on bytes of the lock file.  If somebody replaces that file,
 * a holder takes its numbers along as soon as it writes, holds or asks; who opens the pad between
 * the two takes it for dead. */
int db_hold(Store *s, uint64_t number, bool hold);
bool db_held(Store *s, uint64_t number);

/* Lock and begin a transaction that will write `stream` ... */
MUST_USE jot_status db_begin(Db *d, Str stream, Err *e);
/* ... or that will only remove something from it. */
MUST_USE jot_status db_begin_removal(Db *d, Str stream, Err *e);
/* Commit if `st` is JOT_OK, else roll back; unlock.  Returns `st` or what went wrong.  What a
 * refused write has repaired, or reported, is committed. */
MUST_USE jot_status db_end(Db *d, jot_status st, Err *e);
/* The transaction gave a record this n, the highest there is: db_end counts. */
void db_gave(Db *d, int64_t n);
/* The transaction removes text: db_end must see to it that none is left in the log. */
MUST_USE jot_status db_forget(Db *d, Err *e);

/* Does forgotten text stand in the log, no matter who left it there? */
MUST_USE jot_status db_scrub_due(Db *d, int *out, Err *e);
/* Clear the log if it holds forgotten text; the lock is held.  Returns what SQLite says; the next
 * call tries again. */
int db_tidy(Db *d, int wait_ms);

/* --- Room (room.c) --------------------------------------------------------------------- */

/* Keep some room for a full disk: false if there is none. */
bool db_reserve(Db *d);
/* Give it back to the disk: true if there was some. */
bool db_give_room(Db *d);
/* Zero every free page of the file.  The lock is held, and the log was emptied just now. */
MUST_USE int db_zero_free(Db *d);

#endif
