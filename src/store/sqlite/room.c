/* room.c - forgetting on a disk that is full.
 *
 * A database with a log cannot even be read without room: shared memory takes
 * 32 KiB beside it, and what is to be removed is written to the log first.  So
 * some room is kept in a file of its own, FILE.reserve, which holds nothing.  It
 * is given back when the disk is full, and reserved again when a handle is closed.  A
 * handle that was opened with it reads and removes; it adds nothing before the
 * reserve is there again, or every small note would take a part of it.
 * Between the two another program may take it; and where files share or compress
 * their blocks there may be less in it than it says.
 *
 * How much a purge writes must then not depend on how much it removes.  It is done in steps of a
 * few records with the log emptied after each (forget.c), and freed pages are not written as
 * zeros through the log.  They go to SQLite's list of free pages as they are, and are zeroed here,
 * in the database file itself: nobody reads such a page, so it needs no log, and it can be done
 * again.  `scrub` is 2 until it is done, so that the next process does it after a crash.
 *
 * The list (SQLite's file format, 1.5): the header has the number of the first trunk page; each
 * trunk has the number of the next one, how many leaves it has, and their numbers. */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "store/sqlite/sqlite.h"

enum {
    RESERVE_BYTES = 256 << 10,
    RESERVE_PIECE = 16 << 10,
    HEADER_PAGES = 28, /* of the database, as its header counts them */
    HEADER_TRUNK = 32, /* the first trunk page, 0: there is none */
    TRUNK_LEAVES_MAX = (DB_PAGE - 8) / 4,
};

/* --- The reserve ----------------------------------------------------------------------- */

/* A handle is also closed where there is no memory: nothing here takes any. */
typedef struct Reserve {
    char name[NAME_MAX + sizeof ".reserve"];
} Reserve;

static Reserve reserve_of(const Db *d)
{
    Reserve r;
    snprintf(r.name, sizeof r.name, "%.*s.reserve", NAME_MAX, d->name);
    return r;
}

/* Bytes that no file system stores as fewer. */
static int fill(const Db *d, Fd fd)
{
    char piece[RESERVE_PIECE];
    int got = 0;
    io_random(d->base.io, piece, sizeof piece);
    for (uint32_t i = 0; i < RESERVE_BYTES / RESERVE_PIECE && got == 0; i++) {
        memcpy(piece, &i, sizeof i);
        got = io_write_all(d->base.io, fd, (Str){ piece, sizeof piece });
    }
    return got;
}

bool db_reserve(Db *d)
{
    Reserve r = reserve_of(d);
    struct stat st;
    if (d->base.io != &io_system) /* it is no part of the pad: rigs that follow bytes are spared */
        return true;
    if (io_stat(d->base.io, d->dir, r.name, &st) == 0 && st.st_size >= RESERVE_BYTES)
        return true;
    /* A shorter one is what a full disk left of an earlier try. */
    (void)io_unlink(d->base.io, d->dir, r.name);
    AUTO(Fd) fd = io_open(d->base.io, d->dir, r.name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 && fill(d, fd) == 0)
        return true;
    (void)io_unlink(d->base.io, d->dir, r.name);
    return false;
}

bool db_give_room(Db *d)
{
    Reserve r = reserve_of(d);
    bool given = io_unlink(d->base.io, d->dir, r.name) == 0;
    d->spent = d->spent || given;
    return given;
}

/* --- Free pages ------------------------------------------------------------------------ */

static sqlite3_int64 place_of(uint32_t page)
{
    return (sqlite3_int64)(page - 1) * DB_PAGE;
}

/* Zero the leaves of a trunk page, and what the page itself has after their numbers. */
static int zero_trunk(sqlite3_file *f, const unsigned char *trunk, uint32_t at, uint32_t pages)
{
    static const char zeros[DB_PAGE];
    uint32_t leaves = db_u32(trunk + 4);
    if (leaves > TRUNK_LEAVES_MAX)
        return SQLITE_CORRUPT;
    int used = 8 + 4 * (int)leaves;
    int rc = f->pMethods->xWrite(f, zeros, DB_PAGE - used, place_of(at) + used);
    for (uint32_t i = 0; i < leaves && rc == SQLITE_OK; i++) {
        uint32_t leaf = db_u32(trunk + 8 + (size_t)4 * i);
        rc = leaf < 2 || leaf > pages ? SQLITE_CORRUPT
                                      : f->pMethods->xWrite(f, zeros, DB_PAGE, place_of(leaf));
    }
    return rc;
}

int db_zero_free(Db *d)
{
    sqlite3_file *f = NULL;
    unsigned char page[DB_PAGE];
    sqlite3_file_control(d->sql, "main", SQLITE_FCNTL_FILE_POINTER, &f);
    assert(f && f->pMethods);
    int rc = f->pMethods->xRead(f, page, DB_PAGE, 0);
    uint32_t pages = db_u32(page + HEADER_PAGES), at = db_u32(page + HEADER_TRUNK);
    /* No list is longer than the file. */
    for (uint32_t seen = 0; rc == SQLITE_OK && at != 0; seen++) {
        if (at < 2 || at > pages || seen > pages)
            return SQLITE_CORRUPT;
        rc = f->pMethods->xRead(f, page, DB_PAGE, place_of(at));
        if (rc == SQLITE_OK)
            rc = zero_trunk(f, page, at, pages);
        at = db_u32(page);
    }
    return rc == SQLITE_OK ? f->pMethods->xSync(f, SQLITE_SYNC_NORMAL) : rc;
}
