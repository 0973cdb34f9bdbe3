/* search_desk.h - what the tests of searching say to a desk: step, drop, find. */
#ifndef TESTS_MEMORY_SEARCH_DESK_H
#define TESTS_MEMORY_SEARCH_DESK_H

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

#endif
