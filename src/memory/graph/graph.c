/* graph.c - the streams of a graph: their names, and reading all of them.
 *
 * Each entity and each relation decides for itself.  A relation whose entities are
 * not there is kept all the same: what is stored is what was said. */
#include "memory/graph/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static Str hashed(const char *kind, HashState *h, Arena *into)
{
    return arena_printf(into, "%s%.*s", kind, GRAPH_HEX, hash_hex(hash_end(h)).text);
}

Str graph_entity_stream(Str name, Arena *into)
{
    HashState h;
    hash_init(&h);
    hash_add_field(&h, name);
    return hashed(GRAPH_ENTITIES, &h, into);
}

Str graph_relation_stream(Str from, Str to, Str type, Arena *into)
{
    HashState h;
    hash_init(&h);
    hash_add_field(&h, from);
    hash_add_field(&h, to);
    hash_add_field(&h, type);
    return hashed(GRAPH_RELATIONS, &h, into);
}

bool graph_entity_valid(const json_t *v)
{
    const json_t *said = json_object_get(v, "observations");
    bool good = json_is_string(json_object_get(v, "name")) &&
                json_is_string(json_object_get(v, "entityType")) && json_is_array(said);
    for (size_t i = 0; good && i < json_array_size(said); i++)
        good = json_is_string(json_array_get(said, i));
    return good;
}

bool graph_relation_valid(const json_t *v)
{
    return json_is_string(json_object_get(v, "from")) && json_is_string(json_object_get(v, "to")) &&
           json_is_string(json_object_get(v, "relationType"));
}

json_t *graph_plain(const json_t *value, bool relation)
{
    static const char *const entity[] = { "name", "entityType", "observations" };
    static const char *const between[] = { "from", "to", "relationType" };
    json_t *plain = json_object();
    for (size_t i = 0; i < COUNT_OF(entity); i++) {
        const char *name = relation ? between[i] : entity[i];
        json_object_set(plain, name, json_object_get(value, name));
    }
    return plain;
}

/* --- Reading --------------------------------------------------------------------------- */

typedef struct Reading {
    Memory *m;
    Arena *into;
    Graph *graph;
    Err *e;
} Reading;

static int64_t order_of(Str meta)
{
    json_t *read = NULL;
    Err ignored;
    if (!meta.n || json_read(meta, &read, &ignored) != JOT_OK)
        return 0;
    AUTO_PTR(json_t) value = read;
    return json_integer_value(json_object_get(value, "order"));
}

static jot_status take(void *ctx, const Listed *l)
{
    Reading *r = ctx;
    AUTO(Arena) arena = { 0 };
    Record head;
    Err ignored;
    json_t *value = NULL;
    Graph *g = r->graph;
    bool relation = str_starts(l->name, S(GRAPH_RELATIONS));
    TRY(store_head(r->m->store, l->name, HEAD_VALUE, &arena, &head, r->e));
    bool good = json_read(head.body, &value, &ignored) == JOT_OK;
    if (!good || !(relation ? graph_relation_valid(value) : graph_entity_valid(value))) {
        g->damaged++;
        if (good)
            json_decref(value);
        return JOT_OK;
    }
    AUTO_PTR(json_t) read = value;
    AUTO_PTR(json_t) plain = graph_plain(read, relation);
    if (g->n == GRAPH_MAX)
        return err_set(r->e, JOT_TOO_BIG, "the graph has more than %d entities and relations",
                       GRAPH_MAX);
    g->items = arena_grow(r->into, g->items, g->n, &g->cap, sizeof *g->items, alignof(GraphItem));
    Str name = json_member(plain, relation ? "from" : "name");
    g->items[g->n++] = (GraphItem){
        .value = TAKE(plain), .relation = relation, .order = order_of(l->meta), .name = name
    };
    return JOT_OK;
}

static int compare(const void *a, const void *b)
{
    const GraphItem *x = a, *y = b;
    if (x->relation != y->relation)
        return x->relation ? 1 : -1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return str_cmp(x->name, y->name);
}

jot_status graph_read(Memory *m, Arena *into, Graph *out, Err *e)
{
    AUTO(Graph) g = { 0 };
    Reading r = { .m = m, .into = into, .graph = &g, .e = e };
    TRY(memory_each(m, S(GRAPH_ENTITIES), LIST_LIVE, take, &r, e));
    TRY(memory_each(m, S(GRAPH_RELATIONS), LIST_LIVE, take, &r, e));
    assert(g.n <= GRAPH_MAX);
    if (g.n)
        qsort(g.items, g.n, sizeof *g.items, compare);
    *out = TAKE(g);
    return JOT_OK;
}

void graph_done(Graph *g)
{
    for (size_t i = 0; i < g->n; i++)
        json_decref(g->items[i].value);
    *g = (Graph){ 0 };
}
