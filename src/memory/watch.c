/* watch.c - watching: store_changes says where to look, what is known says whether it is news.
 *
 *     store_changes(cursor) --> names that may have changed, or "rescan"
 *            |                          |
 *            v                          v
 *       each name: its head       all names below the prefix, in a new pass;
 *            |                    a known name not met in it is gone
 *            v
 *       print of the head == print in the table?   yes: nothing happened
 *                                                  no:  report it, remember the new one
 *
 * The engine may announce a change twice, or one that is none; so nothing is lost by
 * asking again, and nothing is reported twice.  What was seen last of each stream is
 * kept in a table by name, which is small beside the pad: a name and 32 bytes a stream.
 * Of a head only a print of 64 bits is kept, because all that is asked of it is
 * whether it is another one. */
#include "memory/watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "memory/doc/doc.h"

enum { TABLE_MIN = 256 };

typedef struct Name {
    uint16_t n;
    char p[];
} Name;
_Static_assert(STORE_NAME_MAX <= UINT16_MAX, "a name's length fits");

typedef struct Known {
    const Name *name; /* NULL: free */
    uint64_t print;   /* of its head */
    uint64_t seq;     /* of its head */
    uint32_t pass;    /* when it was met last */
    bool there, live; /* it has a head, and that is no tombstone */
} Known;

struct Watch {
    Memory *m;
    Arena kept; /* names of the table, and the prefix */
    Str prefix;
    bool names;
    Cursor at;
    Known *table; /* open addressing; `cap` is a power of two */
    size_t n, cap;
    uint32_t pass;
};

/* --- The table --------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

enum { MIX_FIRST = 0x811C9DC5 };

static Str name_of(const Known *k)
{
    return (Str){ k->name->p, k->name->n };
}

static size_t slot_of(const Watch *w, Str name)
{
    assert(w->n < w->cap); /* or a name that is not there would be looked for for ever */
    uint64_t h = mix(MIX_FIRST, name.p, name.n);
    size_t at = (size_t)(h ^ h >> 32) & (w->cap - 1);
    while (w->table[at].name && !str_eq(name_of(&w->table[at]), name))
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
        if (old[i].name)
            w->table[slot_of(w, name_of(&old[i]))] = old[i];
    free(old);
}

/* --- News -------------------------------------------------------------------------------- */

typedef struct News {
    Watch *w;
    Arena *into; /* NULL: only learn */
    Change *items;
    size_t n, cap;
} News;

/* A tombstone that is new follows something that lived, seen or not.  Of several new records one
 * may have been a deletion: they are not read for that, one list too many is cheaper. */
static bool is_relisted(const Known *k, const Mark *now)
{
    if (!mark_live(now))
        return k->live || now->op == OP_DELETE;
    return !k->live || now->seq > k->seq + 1;
}

/* Everything of a mark that a reader could notice, as one number. */
static uint64_t print_of(const Mark *mark)
{
    uint64_t rest[] = { mark->seq, (uint64_t)mark->op, mark->redacted };
    uint64_t h = mix(MIX_FIRST, mark->chain.b, sizeof mark->chain.b);
    h = mix(h, mark->sha256.b, sizeof mark->sha256.b);
    return mix(h, rest, sizeof rest);
}

/* The head is what it was; an edit that was recorded since is what it was, too. */
static bool is_same(const Known *k, const Mark *now)
{
    if (k->there != (now->op != 0))
        return false;
    Mark edit = { .op = now->op, .sha256 = now->sha256 };
    return !k->there || k->print == print_of(k->seq ? now : &edit);
}

static void learn(News *x, Str stream, const Mark *mark, Str by)
{
    Watch *w = x->w;
    if (w->n * 4 >= w->cap * 3)
        grow(w);
    Known *k = &w->table[slot_of(w, stream)];
    if (!k->name) {
        Name *own = arena_alloc(&w->kept, sizeof *own + stream.n, alignof(Name));
        own->n = (uint16_t)stream.n;
        memcpy(own->p, stream.p, stream.n);
        k->name = own;
        w->n++;
    }
    bool same = is_same(k, mark), relisted = is_relisted(k, mark);
    k->print = print_of(mark);
    k->seq = mark->seq;
    k->there = mark->op != 0;
    k->live = mark_live(mark);
    k->pass = x->w->pass;
    if (same || !x->into)
        return;
    x->items = arena_grow(x->into, x->items, x->n, &x->cap, sizeof(Change), alignof(Change));
    x->items[x->n++] =
        (Change){ arena_copy(x->into, stream), *mark, arena_copy(x->into, by), relisted };
}

static jot_status look_at(News *x, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err why = { 0 };
    if (!str_starts(stream, x->w->prefix))
        return JOT_OK;
    jot_status st = x->w->names
                        ? memory_head(x->w->m, stream, HEAD_MARK, &arena, &head, &why)
                        : store_head(x->w->m->store, stream, HEAD_MARK, &arena, &head, &why);
    if (st == JOT_IO || st == JOT_UNAVAILABLE)
        return err_pass(e, &why, st);
    if (st != JOT_OK)
        head = (Record){ 0 };
    learn(x, stream, &head.mark, head.by);
    return JOT_OK;
}

static jot_status learn_listed(void *ctx, const Listed *l)
{
    News *x = ctx;
    const Known *k = &x->w->table[slot_of(x->w, l->name)];
    bool edited = l->mark.op && l->mark.seq == 0;
    /* Only what is news is named. */
    if (edited && x->into && x->w->names && !(k->name && is_same(k, &l->mark)) &&
        look_at(x, l->name, &(Err){ 0 }) == JOT_OK)
        return JOT_OK;
    learn(x, l->name, &l->mark, l->by);
    return JOT_OK;
}

/* Look at everything; what is not met is gone. */
static jot_status look_at_all(News *x, Err *e)
{
    Watch *w = x->w;
    w->pass++;
    TRY(memory_each(w->m, w->prefix, LIST_ALL, learn_listed, x, e));
    for (size_t i = 0; i < w->cap; i++)
        if (w->table[i].name && w->table[i].pass != w->pass && w->table[i].there)
            learn(x, name_of(&w->table[i]), &(Mark){ 0 }, (Str){ 0 });
    return JOT_OK;
}

jot_status watch_open(Watch **out, Memory *m, const WatchAsk *ask, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(Watch) w = mem_alloc(sizeof *w);
    Changes c;
    w->m = m;
    w->prefix = arena_copy(&w->kept, ask->prefix);
    w->names = ask->names;
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
    arena_free(&w->kept);
    free(w->table);
    free(w);
}

jot_status watch_next(Watch *w, int64_t wait_ms, Arena *into, Change **out, size_t *n, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    News x = { .w = w, .into = into };
    if (store_moved(w->m->store))
        return err_set(e, JOT_UNAVAILABLE, "the pad was moved, replaced or removed: open it again");
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
    return json_pack("{s:s%, s:s, s:I, s:s, s:s, s:s%, s:I}", "stream", c->stream.p, c->stream.n,
                     "op", ops[c->mark.op], "seq", (json_int_t)c->mark.seq, "version",
                     version_of(c->mark.sha256).text, "at", time_text(c->mark.at_ms).text, "by",
                     c->by.n ? c->by.p : "", c->by.n, "size", (json_int_t)c->mark.size);
}
