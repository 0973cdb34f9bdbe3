/* index_vectors.c - the vectors of an index, and which of them have a live row.
 *
 * Vectors are a cache as segments are: a file that is gone or damaged is made again from the pad,
 * by asking the server again.  They follow the rows and never the other way round: one is kept
 * while a live row has its key. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/search/index.h"

/* --- Reading ----------------------------------------------------------------------------- */

void index_free_vectors(Index *x)
{
    for (size_t i = 0; i < x->vectors_n; i++)
        row_vectors_free(&x->vectors[i]);
    free(x->vectors);
    x->vectors = NULL;
    x->vectors_n = 0;
    x->vectors_state++;
}

static void read_file(const Index *x, RowVectors *v)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) bytes = { .max = ROW_VECTORS_BYTES_MAX };
    v->tried = true;
    if (v->bytes == 0 || v->bytes > ROW_VECTORS_BYTES_MAX)
        return;
    const char *path = arena_printf(&arena, "%s/%016llx.vec", x->path, (unsigned long long)v->id).p;
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *room = fd >= 0 ? buf_room(&bytes, (size_t)v->bytes) : NULL;
    if (!room || io_read_all(x->m->io, fd, room, (size_t)v->bytes, 0) != (ssize_t)v->bytes)
        return;
    buf_grew(&bytes, (size_t)v->bytes);
    if (!row_vectors_from_bytes(v, &bytes))
        v->n = 0; /* what is not whole stays empty */
}

void index_read_vectors(Index *x)
{
    for (size_t i = 0; i < x->vectors_n; i++) {
        RowVectors *v = &x->vectors[i];
        if (v->tried)
            continue;
        read_file(x, v);
        x->vectors_state++;
    }
}

/* --- Keeping ----------------------------------------------------------------------------- */

typedef struct Live {
    uint64_t *keys; /* ascending */
    size_t n;
} Live;

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool find_live(Index *x, Arena *into, Live *out)
{
    const View *v = index_view(x);
    const uint64_t *keys = v ? row_keys(v, into) : NULL;
    if (!keys)
        return false;
    *out = (Live){ NEW_ARRAY(into, uint64_t, v->rows + 1), v->rows };
    memcpy(out->keys, keys, out->n * sizeof *keys);
    if (out->n)
        qsort(out->keys, out->n, sizeof *out->keys, by_number);
    return true;
}

static bool is_live(const Live *live, uint64_t key)
{
    return live->n && bsearch(&key, live->keys, live->n, sizeof key, by_number);
}

/* What is to be one file. */
typedef struct Gathering {
    RowVector *items;
    size_t n, cap;
    uint32_t columns;
    Str model;
    Arena arena;
} Gathering;

static void gathering_done(Gathering *g)
{
    arena_free(&g->arena);
}
DEFINE_AUTO(Gathering, gathering_done)

static void gather(Gathering *g, const Live *live, uint64_t key, const int8_t *of)
{
    if (!is_live(live, key))
        return;
    g->items =
        arena_grow(&g->arena, g->items, g->n, &g->cap, sizeof(RowVector), alignof(RowVector));
    g->items[g->n++] = (RowVector){ key, of };
}

static void gather_file(Gathering *g, const Live *live, const RowVectors *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        gather(g, live, v->keys[i], v->rows + (size_t)i * v->columns);
}

/* The file that comes of it; empty if nothing does. */
static RowVectors make_file(Gathering *g)
{
    AUTO(Buf) bytes = { 0 };
    RowVectors fresh = { 0 };
    if (g->n == 0)
        return fresh;
    row_vectors_write(g->model, g->columns, g->items, g->n, &bytes);
    bool whole = row_vectors_from_bytes(&fresh, &bytes);
    assert(whole);
    (void)whole;
    return fresh;
}

static void remove_file(Index *x, size_t i)
{
    row_vectors_free(&x->vectors[i]);
    memmove(x->vectors + i, x->vectors + i + 1, (x->vectors_n - i - 1) * sizeof *x->vectors);
    x->vectors_n--;
    x->vectors_state++;
}

static bool has_dead(const RowVectors *v, const Live *live)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!is_live(live, v->keys[i]))
            return true;
    return false;
}

static void sift_file(Index *x, size_t i, const Live *live)
{
    AUTO(Gathering) g = { .columns = x->vectors[i].columns, .model = x->vectors[i].model };
    if (!has_dead(&x->vectors[i], live))
        return;
    gather_file(&g, live, &x->vectors[i]);
    RowVectors fresh = make_file(&g);
    row_vectors_free(&x->vectors[i]);
    x->vectors[i] = fresh;
    x->vectors_state++;
}

bool index_sift_vectors(Index *x, Str model)
{
    AUTO(Arena) arena = { 0 };
    Live live;
    if (x->vectors_n == 0)
        return true;
    index_read_vectors(x);
    if (!find_live(x, &arena, &live))
        return false;
    for (size_t i = x->vectors_n; i-- > 0;) {
        bool other = model.n && !str_eq(x->vectors[i].model, model);
        if (!other)
            sift_file(x, i, &live);
        if (other || x->vectors[i].n == 0)
            remove_file(x, i);
    }
    return true;
}

/* Files that are not much larger than what came after them become one with it: so there are few,
 * and each vector is written a few times only. */
static void absorb(Index *x, Gathering *g, const Live *live, size_t *from)
{
    *from = x->vectors_n;
    while (*from > 0 && x->vectors[*from - 1].n <= 2 * g->n) {
        const RowVectors *v = &x->vectors[--*from];
        if (v->columns == g->columns)
            gather_file(g, live, v);
    }
}

bool index_take_vectors(Index *x, const FreshVectors *fresh)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Gathering) g = { .columns = fresh->columns, .model = fresh->model };
    Live live;
    size_t from;
    if (!index_sift_vectors(x, fresh->model) || !find_live(x, &arena, &live))
        return false;
    for (size_t i = x->vectors_n; i-- > 0;)
        if (x->vectors[i].columns != fresh->columns && fresh->n)
            remove_file(x, i); /* the model has changed under its name */
    for (size_t i = 0; i < fresh->n; i++)
        gather(&g, &live, fresh->items[i].key, fresh->items[i].of);
    if (g.n == 0)
        return true;
    absorb(x, &g, &live, &from);
    RowVectors made = make_file(&g);
    while (x->vectors_n > from)
        remove_file(x, x->vectors_n - 1);
    x->vectors = mem_grow(x->vectors, (x->vectors_n + 1) * sizeof *x->vectors);
    x->vectors[x->vectors_n++] = made;
    x->vectors_state++;
    return true;
}
