/* sqlite_place.h - a directory with a sqlite: pad, for the tests of that engine. */
#ifndef UNIT_SQLITE_PLACE_H
#define UNIT_SQLITE_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"

typedef struct Place {
    char dir[100];
    char db[128]; /* the pad's file */
    char url[160];
} Place;

static inline int place_make(void **state)
{
    Place *p = mem_alloc(sizeof *p);
    const char *tmp = getenv("TMPDIR");
    snprintf(p->dir, sizeof p->dir, "%.70s/jotter-sqlite-XXXXXX", tmp && tmp[0] ? tmp : "/dev/shm");
    if (!mkdtemp(p->dir))
        return -1;
    snprintf(p->db, sizeof p->db, "%s/pad.db", p->dir);
    snprintf(p->url, sizeof p->url, "sqlite:%s", p->db);
    *state = p;
    return 0;
}

/* Call `visit` for every file of the place; the sum of what it returns. */
static inline int place_each(const Place *p, int (*visit)(int dir, const char *name, void *ctx),
                             void *ctx)
{
    DIR *d = opendir(p->dir);
    assert_non_null(d);
    int sum = 0;
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            sum += visit(dirfd(d), entry->d_name, ctx);
    closedir(d);
    return sum;
}

static inline int place_unlink(int dir, const char *name, void *ctx)
{
    (void)ctx;
    return unlinkat(dir, name, 0);
}

static inline void place_empty(const Place *p)
{
    assert_int_equal(place_each(p, place_unlink, NULL), 0);
}

static inline int place_remove(void **state)
{
    Place *p = *state;
    chmod(p->dir, 0700);
    place_empty(p);
    int st = rmdir(p->dir);
    free(p);
    return st;
}

static inline int place_count_one(int dir, const char *name, void *ctx)
{
    (void)dir, (void)name, (void)ctx;
    return 1;
}

static inline int place_count(const Place *p)
{
    return place_each(p, place_count_one, NULL);
}

static inline int place_holds(int dir, const char *name, void *ctx)
{
    Str needle = *(const Str *)ctx;
    AUTO(Fd) fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0)
        return 0;
    char *bytes = mem_alloc((size_t)st.st_size);
    ssize_t n = pread(fd, bytes, (size_t)st.st_size, 0);
    int found = n > 0 && memmem(bytes, (size_t)n, needle.p, needle.n) ? 1 : 0;
    free(bytes);
    return found;
}

/* In how many files the text is found.  Only while no handle in this process is open, or where
 * nobody minds: closing the file drops SQLite's locks. */
static inline int place_found(const Place *p, Str text)
{
    return place_each(p, place_holds, &text);
}

static inline Store *place_open_with(const Place *p, const StoreOptions *o)
{
    Store *s = NULL;
    Err e = { 0 };
    if (store_open(&s, str(p->url), o, &e) != JOT_OK)
        fail_msg("open: %s", e.text);
    return s;
}

static inline Store *place_open(const Place *p)
{
    return place_open_with(p, &(StoreOptions){ .create = true });
}

static inline jot_status put(Store *s, Str stream, Str body, Mark *out, Err *e)
{
    return store_append(
        s, stream, NULL,
        &(Draft){ .op = store_check_name(stream, NULL) == JOT_OK && str_starts(stream, S("runs/"))
                            ? OP_APPEND
                            : OP_PUT,
                  .by = S("ann"),
                  .body = body },
        out, e);
}

static inline uint64_t must_put(Store *s, Str stream, Str body)
{
    Mark m;
    Err e = { 0 };
    if (put(s, stream, body, &m, &e) != JOT_OK)
        fail_msg("put: %s", e.text);
    return m.seq;
}

static inline void must_hold(Store *s, Str stream, Str body)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    Err e = { 0 };
    if (store_head(s, stream, HEAD_RECORD, &arena, &r, &e) != JOT_OK)
        fail_msg("head: %s", e.text);
    assert_int_equal(r.body.n, body.n);
    assert_memory_equal(r.body.p, body.p, body.n);
}

/* Run it in a process of its own; what it returned. */
static inline int in_child(const Place *p, int (*run)(const Place *p))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(run(p));
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
