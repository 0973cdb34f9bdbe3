/* search_desk.h - what the tests of searching say to a desk: step, drop, find. */
#ifndef TESTS_MEMORY_SEARCH_DESK_H
#define TESTS_MEMORY_SEARCH_DESK_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/search/search.h"

static inline void step(Desk *d, const char *run, const char *meta, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_APPEND, .meta = str(meta), .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(run), NULL, &draft, &m, &d->e));
}

static inline void drop(Desk *d, const char *stream)
{
    Mark m;
    Draft draft = { .op = OP_DELETE };
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e));
}

static inline Search *begin(Desk *d, Memory *m)
{
    Search *s = NULL;
    desk_ok(d, search_open(&s, m, &(SearchOptions){ .wait_ms = 200 }, &d->e));
    return s;
}

static inline Hits find(Desk *d, Search *s, const char *text)
{
    Hits h;
    desk_ok(d, search_find(s, &(SearchQuery){ .text = str(text) }, &d->a, &h, &d->e));
    return h;
}

/* The streams that are found, with spaces between. */
static inline Str names(Desk *d, Search *s, const SearchQuery *q)
{
    Hits h;
    AUTO(Buf) all = { 0 };
    desk_ok(d, search_find(s, q, &d->a, &h, &d->e));
    for (size_t i = 0; i < h.n; i++)
        buf_addf(&all, "%s" STR_FMT, i ? " " : "", STR_ARG(h.items[i].stream));
    return arena_copy(&d->a, buf_str(&all));
}

#define assert_finds(d, s, query, want) \
    assert_text(names((d), (s), &(SearchQuery){ .text = str(query) }), (want))

static inline Str index_path(Desk *d)
{
    Str path;
    desk_ok(d, store_index_path(d->m.store, &d->a, &path, &d->e));
    return path;
}

/* Call `each` with the path of every file of the index; returns how many there are. */
static inline size_t each_index_file(Desk *d, void (*each)(void *ctx, const char *path), void *ctx)
{
    AUTO(Arena) a = { 0 };
    Str path = index_path(d);
    DIR *dir = path.n ? opendir(path.p) : NULL;
    size_t n = 0;
    for (struct dirent *x; dir && (x = readdir(dir));) {
        if (x->d_name[0] == '.')
            continue;
        n++;
        if (each)
            each(ctx, arena_printf(&a, "%s/%s", path.p, x->d_name).p);
    }
    if (dir)
        closedir(dir);
    return n;
}

typedef struct Traces {
    const char *text;
    size_t n;
} Traces;

/* A file that another process has removed since the directory was read holds nothing any more. */
static inline void look_for_traces(void *ctx, const char *path)
{
    Traces *t = ctx;
    AUTO(Arena) a = { 0 };
    AUTO(Fd) fd = open(path, O_RDONLY);
    if (fd < 0 && errno == ENOENT)
        return;
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    char *bytes = arena_alloc(&a, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
    t->n += memmem(bytes, (size_t)info.st_size, t->text, strlen(t->text)) != NULL;
}

/* Is this text in any file of the index? */
static inline bool traced(Desk *d, const char *text)
{
    Traces t = { .text = text };
    (void)each_index_file(d, look_for_traces, &t);
    return t.n > 0;
}

#endif
