/* limit.c - what the machine allows: the least that any program must do for the same effect.
 *
 * The bare SQLite table keeps what a head needs, clustered by name; no engine
 * with history can do less.  WAL and FULL, because a reply must be durable. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"

static void join(char *to, const char *dir, const char *name)
{
    int n = snprintf(to, BENCH_PATH_MAX, "%s/%s", dir, name);
    must(n > 0 && n < BENCH_PATH_MAX, "the directory's path is too long");
}

static void write_text(int fd, Str text)
{
    must(write(fd, text.p, text.n) == (ssize_t)text.n, "write");
}

/* --- Bare files ------------------------------------------------------------------------ */

RawLog raw_log_open(const char *dir, const char *name, size_t bytes)
{
    char path[BENCH_PATH_MAX];
    join(path, dir, name);
    RawLog r = { .text = text_new(bytes) };
    r.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    must(r.fd >= 0, "open a file");
    raw_log_step(&r);
    return r;
}

void raw_log_step(void *raw_log)
{
    RawLog *r = raw_log;
    write_text(r->fd, text_next(&r->text));
    must(fdatasync(r->fd) == 0, "fdatasync");
}

void raw_log_close(RawLog *r)
{
    fd_close(&r->fd);
    text_free(&r->text);
}

RawFile raw_file_open(const char *dir, size_t bytes)
{
    RawFile r = { .text = text_new(bytes) };
    char at[BENCH_PATH_MAX];
    join(at, dir, "raw");
    must(mkdir(at, 0700) == 0, "mkdir");
    r.dir = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(r.dir >= 0, "open a directory");
    join(r.path, at, "file");
    raw_file_replace(&r);
    return r;
}

void raw_file_replace(void *raw_file)
{
    RawFile *r = raw_file;
    AUTO(Fd) fd = openat(r->dir, "temp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    must(fd >= 0, "open a file");
    write_text(fd, text_next(&r->text));
    must(fsync(fd) == 0, "fsync");
    must(renameat(r->dir, "temp", r->dir, "file") == 0, "rename");
    must(fsync(r->dir) == 0, "fsync of a directory");
}

void raw_file_read(void *raw_file)
{
    RawFile *r = raw_file;
    char text[64 * 1024];
    AUTO(Fd) fd = open(r->path, O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && read(fd, text, sizeof text) == (ssize_t)r->text.n, "read a file");
}

void raw_file_close(RawFile *r)
{
    fd_close(&r->dir);
    text_free(&r->text);
}

uint64_t raw_names(const char *path)
{
    /* The start of what getdents64 returns; the name follows. */
    struct Entry {
        uint64_t inode;
        int64_t offset;
        uint16_t bytes;
        uint8_t type;
    };
    static _Alignas(struct Entry) char room[64 * 1024];
    AUTO(Fd) fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(fd >= 0, "open a directory");
    uint64_t names = 0;
    for (;;) {
        long got = syscall(SYS_getdents64, fd, room, sizeof room);
        must(got >= 0, "getdents64");
        if (got == 0)
            return names;
        for (long at = 0; at < got; names++)
            at += ((const struct Entry *)(room + at))->bytes;
    }
}

/* --- A bare SQLite database ------------------------------------------------------------ */

static void sql_ok(const Bare *b, int rc)
{
    if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
        die("the bare database: %s", sqlite3_errmsg(b->sql));
}

static sqlite3_stmt *prepare(const Bare *b, const char *text)
{
    sqlite3_stmt *q = NULL;
    sql_ok(b, sqlite3_prepare_v3(b->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &q, NULL));
    return q;
}

static void finish(const Bare *b, sqlite3_stmt *q)
{
    sql_ok(b, sqlite3_step(q));
    sql_ok(b, sqlite3_reset(q));
}

Bare bare_open(const char *dir, const char *name, size_t bytes)
{
    Bare b = { .text = text_new(bytes), .turn = 1, .name = "notes/n00000000" };
    char path[BENCH_PATH_MAX];
    join(path, dir, name);
    int rc = sqlite3_open(path, &b.sql);
    sql_ok(&b, rc);
    sqlite3_busy_timeout(b.sql, STORE_WAIT_MS);
    sql_ok(&b, sqlite3_exec(b.sql,
                            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                            "CREATE TABLE IF NOT EXISTS note(name TEXT PRIMARY KEY, seq, at, op,"
                            " fence, size, redacted, sha256, chain, \"by\", meta) WITHOUT ROWID;"
                            "CREATE TABLE IF NOT EXISTS body(name TEXT PRIMARY KEY, sha256 BLOB,"
                            " body BLOB);"
                            "CREATE TABLE IF NOT EXISTS log(seq INTEGER PRIMARY KEY, body BLOB);",
                            NULL, NULL, NULL));
    b.put = prepare(&b, "INSERT INTO body VALUES(?1, zeroblob(32), ?2)"
                        " ON CONFLICT(name) DO UPDATE SET body = ?2");
    b.add = prepare(&b, "INSERT INTO log(body) VALUES(?1)");
    b.get = prepare(&b, "SELECT sha256, body FROM body WHERE name = ?1");
    b.list = prepare(&b, "SELECT seq, at, op, fence, size, redacted, sha256, chain, name, \"by\","
                         " meta FROM note WHERE name > ?1 ORDER BY name LIMIT ?2");
    return b;
}

void bare_fill(Bare *b, uint64_t notes)
{
    sqlite3_stmt *head = prepare(b, "INSERT INTO note VALUES(?1, 1, 1763241838123, 1, 0, 200, 0,"
                                    " randomblob(32), randomblob(32), 'bench', '')");
    sqlite3_stmt *body = prepare(b, "INSERT INTO body VALUES(?1, zeroblob(32), zeroblob(200))");
    sql_ok(b, sqlite3_exec(b->sql, "BEGIN", NULL, NULL, NULL));
    for (uint64_t i = 0; i < notes; i++) {
        NoteName name;
        Str text = note_name(&name, i);
        sqlite3_bind_text(head, 1, text.p, (int)text.n, SQLITE_STATIC);
        sqlite3_bind_text(body, 1, text.p, (int)text.n, SQLITE_STATIC);
        finish(b, head);
        finish(b, body);
    }
    sql_ok(b, sqlite3_exec(b->sql, "COMMIT", NULL, NULL, NULL));
    sqlite3_finalize(head);
    sqlite3_finalize(body);
    b->notes = notes;
}

void bare_put(void *bare)
{
    Bare *b = bare;
    Str text = text_next(&b->text);
    sqlite3_bind_text(b->put, 1, b->name, -1, SQLITE_STATIC);
    sqlite3_bind_blob(b->put, 2, text.p, (int)text.n, SQLITE_STATIC);
    finish(b, b->put);
}

void bare_add(void *bare)
{
    Bare *b = bare;
    Str text = text_next(&b->text);
    sqlite3_bind_blob(b->add, 1, text.p, (int)text.n, SQLITE_STATIC);
    finish(b, b->add);
}

/* Copy what was found, as any caller has to who goes on. */
static void copy_column(char *to, size_t size, sqlite3_stmt *q, int at)
{
    size_t n = (size_t)sqlite3_column_bytes(q, at);
    const void *from = sqlite3_column_blob(q, at);
    if (n && n <= size)
        memcpy(to, from, n);
}

void bare_get(void *bare)
{
    Bare *b = bare;
    char sha256[32], body[64 * 1024];
    sqlite3_bind_text(b->get, 1, b->name, -1, SQLITE_STATIC);
    must(sqlite3_step(b->get) == SQLITE_ROW, "find a row in the bare database");
    copy_column(sha256, sizeof sha256, b->get, 0);
    copy_column(body, sizeof body, b->get, 1);
    sql_ok(b, sqlite3_reset(b->get));
}

void bare_list(void *bare)
{
    Bare *b = bare;
    char copy[256];
    sqlite3_bind_text(b->list, 1, b->after.text, -1, SQLITE_STATIC);
    sqlite3_bind_int(b->list, 2, PAGE);
    int rows = 0, rc;
    for (; (rc = sqlite3_step(b->list)) == SQLITE_ROW; rows++) {
        for (int i = 0; i < 6; i++)
            (void)sqlite3_column_int64(b->list, i);
        for (int i = 6; i < 11; i++)
            copy_column(copy, sizeof copy, b->list, i);
    }
    sql_ok(b, rc);
    must(rows > 0, "list the bare database");
    sql_ok(b, sqlite3_reset(b->list));
}

void bare_close(Bare *b)
{
    sqlite3_finalize(b->put);
    sqlite3_finalize(b->add);
    sqlite3_finalize(b->get);
    sqlite3_finalize(b->list);
    sqlite3_close(b->sql);
    text_free(&b->text);
}
