/* import_graph.c - the knowledge graph of the reference MCP memory server, one JSON line an item.
 */
#include "base/json.h"
#include "memory/graph/graph.h"
#include "memory/port/import.h"

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
    bool entity = str_eq(json_member(v, "type"), S("entity")) && graph_entity_valid(v);
    bool relation = str_eq(json_member(v, "type"), S("relation")) && graph_relation_valid(v);
    if (!entity && !relation) {
        layout_miss(x->report, x->into, JOT_INVALID, name,
                    "line %llu is neither an entity nor a relation", (unsigned long long)number);
        return JOT_OK;
    }
    Str stream = entity ? graph_entity_stream(json_member(v, "name"), &arena)
                        : graph_relation_stream(json_member(v, "from"), json_member(v, "to"),
                                                json_member(v, "relationType"), &arena);
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
