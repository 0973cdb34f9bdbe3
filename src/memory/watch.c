/* watch.c - watching: store_changes says where to look, what is known says whether it is news.
 *
 * The heads of all streams are kept in a table by name, which is small beside
 * the pad: a name and two hashes a stream. */
#include "memory/watch.h"

#include <stdlib.h>
#include <string.h>

#include "memory/doc.h"

enum { TABLE_MIN = 256 };

typedef struct Known {
    Str name; /* p NULL: free */
    Mark mark;
    uint64_t pass; /* when it was met last */
} Known;

struct Watch {
    Memory *m;
    Arena names; /* of the table, and the prefix */
    Str prefix;
    Cursor at;
    Known *table; /* open addressing; `cap` is a power of two */
    size_t n, cap;
    uint64_t pass;
};

/* --- The table --------------------------------------------------------------------------- */

static size_t slot_of(const Watch *w, Str name)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (unsigned char)name.p[i]) * 1099511628211u;
    size_t at = (size_t)(h ^ h >> 32) & (w->cap - 1);
    while (w->table[at].name.p && !str_eq(w->table[at].name, name))
        at = (at + 1) & (w->cap - 1);
    return at;
}

static void grow(Watch *w)
{
    Known *old = w->table;
    size_t n = w->cap;
    w->cap = n ? n * 2 : TABLE_MIN;
    w->table = mem_alloc(w->cap * sizeof *w->table);
    for (size_t i = 0; i < n; i++)
        if (old[i].name.p)
            w->table[slot_of(w, old[i].name)] = old[i];
    free(old);
}

static Known *known(Watch *w, Str name)
{
    if (w->n * 2 >= w->cap)
        grow(w);
    Known *k = &w->table[slot_of(w, name)];
    if (!k->name.p) {
        k->name = arena_copy(&w->names, name);
        w->n++;
    }
    return k;
}

/* --- News -------------------------------------------------------------------------------- */

typedef struct News {
    Watch *w;
    Arena *into; /* NULL: only learn */
    Change *items;
    size_t n, cap;
} News;

static void learn(News *x, Str stream, const Mark *mark, Str by)
{
    Known *k = known(x->w, stream);
    bool same = k->mark.seq == mark->seq && k->mark.op == mark->op &&
                k->mark.redacted == mark->redacted && hash_eq(k->mark.chain, mark->chain) &&
                hash_eq(k->mark.sha256, mark->sha256);
    bool was = mark_live(&k->mark);
    k->mark = *mark;
    k->pass = x->w->pass;
    if (same || !x->into)
        return;
    x->items = arena_grow(x->into, x->items, x->n, &x->cap, sizeof(Change), alignof(Change));
    x->items[x->n++] = (Change){ arena_copy(x->into, stream), *mark, arena_copy(x->into, by), was };
}

static jot_status look_at(News *x, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err why = { 0 };
    if (!str_starts(stream, x->w->prefix))
        return JOT_OK;
    jot_status st = store_head(x->w->m->store, stream, HEAD_MARK, &arena, &head, &why);
    if (st == JOT_IO || st == JOT_UNAVAILABLE) {
        if (e)
            *e = why;
        return st;
    }
    if (st != JOT_OK)
        head = (Record){ 0 };
    learn(x, stream, &head.mark, head.by);
    return JOT_OK;
}

static jot_status learn_listed(void *ctx, const Listed *l)
{
    learn(ctx, l->name, &l->mark, l->by);
    return JOT_OK;
}

/* Look at everything; what is not met is gone. */
static jot_status look_at_all(News *x, Err *e)
{
    Watch *w = x->w;
    w->pass++;
    TRY(memory_each(w->m, w->prefix, LIST_ALL, learn_listed, x, e));
    for (size_t i = 0; i < w->cap; i++)
        if (w->table[i].name.p && w->table[i].pass != w->pass && w->table[i].mark.op)
            learn(x, w->table[i].name, &(Mark){ 0 }, (Str){ 0 });
    return JOT_OK;
}

jot_status watch_open(Watch **out, Memory *m, Str prefix, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(Watch) w = mem_alloc(sizeof *w);
    Changes c;
    w->m = m;
    w->prefix = arena_copy(&w->names, prefix);
    grow(w);
    /* The cursor first: what comes during the look is seen again, and no news then. */
    TRY(store_changes(m->store, &w->at, 0, &arena, &c, e));
    w->at = c.next;
    News x = { .w = w };
    TRY(look_at_all(&x, e));
    *out = TAKE(w);
    return JOT_OK;
}

void watch_close(Watch *w)
{
    if (!w)
        return;
    arena_free(&w->names);
    free(w->table);
    free(w);
}

jot_status watch_next(Watch *w, int64_t wait_ms, Arena *into, Change **out, size_t *n, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    News x = { .w = w, .into = into };
    TRY(store_changes(w->m->store, &w->at, wait_ms, &arena, &c, e));
    if (c.rescan)
        TRY(look_at_all(&x, e));
    for (size_t i = 0; i < c.n; i++)
        TRY(look_at(&x, c.names[i], e));
    w->at = c.next;
    *out = x.items;
    *n = x.n;
    return JOT_OK;
}

json_t *change_json(const Change *c)
{
    static const char *const ops[] = {
        [0] = "gone", [OP_PUT] = "put", [OP_DELETE] = "delete", [OP_APPEND] = "append"
    };
    return json_pack("{s:s%, s:s, s:I, s:s, s:I, s:s%, s:I}", "stream", c->stream.p, c->stream.n,
                     "op", ops[c->mark.op], "seq", (json_int_t)c->mark.seq, "version",
                     version_of(c->mark.sha256).text, "at", (json_int_t)c->mark.at_ms, "by",
                     c->by.n ? c->by.p : "", c->by.n, "size", (json_int_t)c->mark.size);
}
