/* roll.c - a sorted array of heads, and the cursor up to which it is known.
 *
 *     not whole ──► cursor, then every head ──► whole ──► store_changes ──► those heads again
 *         ▲                                                    │
 *         └───────────── "rescan", or another pad lies there ◄─┘
 *
 * The cursor is taken before the heads are: what is written meanwhile is named afterwards, and
 * looked at twice.  Names come in byte order, so the array is made without a search, and a change
 * costs two bisections and a move of pointers.
 *
 * Edits by hand are named like any change, but an engine must look for them; one call that waits,
 * however short, makes it listen, and after that it hears of them (store/files/recent.c). */
#include "memory/roll.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

enum { LISTEN_MS = 1 };

typedef struct Entry {
    Listed listed; /* its texts follow */
    char text[];
} Entry;

struct Roll {
    Str url;
    MemoryOptions o;
    SafeFound found;      /* what o.found points at */
    pthread_mutex_t lock; /* of the rest */
    Memory m;
    bool whole; /* the entries are all there are */
    Cursor at;  /* what changed after it is not known yet */
    Entry **entries;
    size_t n, cap;
};

Roll *roll_new(Str url, const MemoryOptions *o)
{
    Roll *r = mem_alloc(sizeof *r);
    *r = (Roll){ .url = url, .o = *o };
    if (o->found) {
        r->found = *o->found;
        r->o.found = &r->found;
    }
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void clear(Roll *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->entries[i]);
    r->n = 0;
    r->whole = false;
}

void roll_free(Roll *r)
{
    if (!r)
        return;
    clear(r);
    free(r->entries);
    memory_close(&r->m);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* --- Entries --------------------------------------------------------------------------------- */

/* The first whose name is not before this one. */
static size_t place_of(const Roll *r, Str name)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(r->entries[middle]->listed.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool stands_at(const Roll *r, size_t at, Str name)
{
    return at < r->n && str_eq(r->entries[at]->listed.name, name);
}

static Str put_text(char **to, Str text)
{
    char *p = *to;
    if (text.n)
        memcpy(p, text.p, text.n);
    *to += text.n;
    return (Str){ p, text.n };
}

static Entry *entry_of(const Listed *l)
{
    Entry *x = mem_alloc(sizeof *x + l->name.n + l->by.n + l->meta.n);
    char *to = x->text;
    x->listed = *l;
    x->listed.name = put_text(&to, l->name);
    x->listed.by = put_text(&to, l->by);
    x->listed.meta = put_text(&to, l->meta);
    return x;
}

static void put(Roll *r, const Listed *l)
{
    size_t at = place_of(r, l->name);
    if (stands_at(r, at, l->name)) {
        free(r->entries[at]);
        r->entries[at] = entry_of(l);
        return;
    }
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->entries = mem_grow(r->entries, r->cap * sizeof(Entry *));
    }
    memmove(r->entries + at + 1, r->entries + at, (r->n - at) * sizeof(Entry *));
    r->entries[at] = entry_of(l);
    r->n++;
}

static void take_out(Roll *r, Str name)
{
    size_t at = place_of(r, name);
    if (!stands_at(r, at, name))
        return;
    free(r->entries[at]);
    r->n--;
    memmove(r->entries + at, r->entries + at + 1, (r->n - at) * sizeof(Entry *));
}

/* --- What changed ---------------------------------------------------------------------------- */

/* One that cannot be read is not listed, as in store_list. */
static jot_status look_at(Roll *r, Str name, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err why = { 0 };
    jot_status st = store_head(r->m.store, name, HEAD_MARK, &arena, &head, &why);
    if (st == JOT_IO || st == JOT_UNAVAILABLE)
        return err_pass(e, &why, st);
    if (st == JOT_OK)
        put(r, &(Listed){ name, head.mark, head.by, head.meta });
    else
        take_out(r, name);
    return JOT_OK;
}

static jot_status follow(Roll *r, int64_t wait_ms, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    TRY(store_changes(r->m.store, &r->at, wait_ms, &arena, &c, e));
    for (size_t i = 0; i < c.n; i++)
        TRY(look_at(r, c.names[i], e));
    r->at = c.next;
    r->whole = !c.rescan;
    return JOT_OK;
}

static jot_status take(void *ctx, const Listed *l)
{
    put(ctx, l);
    return JOT_OK;
}

static jot_status look_at_all(Roll *r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Changes c;
    clear(r);
    TRY(store_changes(r->m.store, &(Cursor){ 0 }, 0, &arena, &c, e));
    r->at = c.next;
    TRY(memory_each(&r->m, (Str){ 0 }, LIST_ALL, take, r, e));
    r->whole = true;
    return store_promise(r->m.store).edits_seen ? follow(r, LISTEN_MS, e) : JOT_OK;
}

static jot_status refresh(Roll *r, Err *e)
{
    if (r->m.store && store_moved(r->m.store)) {
        memory_close(&r->m);
        clear(r);
    }
    MemoryProgress *progress = r->m.progress;
    if (!r->m.store)
        TRY(memory_open(&r->m, r->url, &r->o, e));
    r->m.progress = progress;
    if (r->whole)
        TRY(follow(r, 0, e));
    return r->whole ? JOT_OK : look_at_all(r, e);
}

jot_status roll_refresh(Roll *r, MemoryProgress *progress, Err *e)
{
    pthread_mutex_lock(&r->lock);
    r->m.progress = progress;
    jot_status st = refresh(r, e);
    r->m.progress = NULL;
    pthread_mutex_unlock(&r->lock);
    return st;
}

/* --- Pages ----------------------------------------------------------------------------------- */

static void add_entry(const Entry *x, Arena *into, Listing *out)
{
    Listed *l = &out->items[out->n++];
    *l = x->listed;
    l->name = arena_copy(into, x->listed.name);
    l->by = arena_copy(into, x->listed.by);
    l->meta = arena_copy(into, x->listed.meta);
}

void roll_page(Roll *r, const ListQuery *q, Arena *into, Listing *out)
{
    Str bound = str_cmp(q->prefix, q->after) > 0 ? q->prefix : q->after;
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, q->limit) };
    pthread_mutex_lock(&r->lock);
    size_t at = place_of(r, bound);
    for (at += q->after.n && stands_at(r, at, q->after); at < r->n && !out->more; at++) {
        const Entry *x = r->entries[at];
        if (!str_starts(x->listed.name, q->prefix))
            break;
        if (!list_takes_all(q->which) && !mark_live(&x->listed.mark))
            continue;
        if (out->n < q->limit)
            add_entry(x, into, out);
        else
            out->more = true;
    }
    pthread_mutex_unlock(&r->lock);
}
