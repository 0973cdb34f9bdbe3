/* graph.c - the streams of a graph: their names, reading all of them, and importing lines.
 *
 * Each entity and each relation decides for itself.  A relation whose entities are
 * not there is kept all the same: what is stored is what was said. */
#include "memory/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "memory/port/import.h"

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

static bool good_entity(const json_t *v)
{
    const json_t *said = json_object_get(v, "observations");
    bool good = json_is_string(json_object_get(v, "name")) &&
                json_is_string(json_object_get(v, "entityType")) && json_is_array(said);
    for (size_t i = 0; good && i < json_array_size(said); i++)
        good = json_is_string(json_array_get(said, i));
    return good;
}

static bool good_relation(const json_t *v)
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
    if (!good || !(relation ? good_relation(value) : good_entity(value))) {
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
    Str name = json_str(json_object_get(plain, relation ? "from" : "name"));
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

/* --- Importing ------------------------------------------------------------------------- */

static Str member(const json_t *v, const char *name)
{
    return json_str(json_object_get(v, name));
}

static jot_status import_line(Import *x, Str name, uint64_t number, Str line, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Err why;
    json_t *read = NULL;
    if (json_read(line, &read, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, name, "line %llu: %.150s",
                    (unsigned long long)number, why.text);
        return JOT_OK;
    }
    AUTO_PTR(json_t) v = read;
    bool entity = str_eq(member(v, "type"), S("entity")) && good_entity(v);
    bool relation = str_eq(member(v, "type"), S("relation")) && good_relation(v);
    if (!entity && !relation) {
        layout_miss(x->report, x->into, JOT_INVALID, name,
                    "line %llu is neither an entity nor a relation", (unsigned long long)number);
        return JOT_OK;
    }
    Str stream = entity ? graph_entity_stream(member(v, "name"), &arena)
                        : graph_relation_stream(member(v, "from"), member(v, "to"),
                                                member(v, "relationType"), &arena);
    Str shown =
        arena_printf(&arena, STR_FMT ": line %llu", STR_ARG(name), (unsigned long long)number);
    json_object_del(v, "type"); /* the stream says so */
    AUTO(Buf) text = { 0 };
    json_write(&text, v);
    long long order = graph_order(x->m);
    Str meta = arena_printf(&arena, "{\"order\":%lld}", order);
    return import_document(
        x, &(ImportDoc){ .name = shown, .stream = stream, .text = buf_str(&text), .meta = meta },
        e);
}

jot_status import_graph_file(Import *x, Str name, Str text, Err *e)
{
    Str rest = text, line;
    for (uint64_t number = 1; rest.n; number++) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        if (line.n)
            TRY(import_line(x, name, number, line, e));
    }
    return JOT_OK;
}
