/* graph.h - Graph, entities with observations and relations between them, as streams.
 *
 * The streams are graph/entities/HASH and graph/relations/HASH, one document
 * each; HASH is the first GRAPH_HEX digits of the SHA-256 of what names it: an
 * entity's name, or a relation's from, to and type, each with its length in
 * front.  Names are any text, so none of them can be a stream's name itself.
 *
 *   {"name":"Ann","entityType":"person","observations":["likes tea"]}
 *   {"from":"Ann","to":"Bob","relationType":"knows"}
 *
 * meta is {"order":N}: a graph is shown in this order, then by name.  A writer who adds
 * to it gives the microseconds since 1970, so that later ones come later (older
 * versions gave milliseconds, which are less than any of these).
 *
 * What is shown of an entity or a relation are these members, in this order,
 * no matter which caller gave them in which. */
#ifndef MEMORY_GRAPH_GRAPH_H
#define MEMORY_GRAPH_GRAPH_H

#include "base/json.h"
#include "memory/memory.h"

#define GRAPH_ENTITIES "graph/entities/"
#define GRAPH_RELATIONS "graph/relations/"

enum { GRAPH_HEX = 32, GRAPH_MAX = 100 * 1000 /* entities and relations of one reading */ };

Str graph_entity_stream(Str name, Arena *into);
Str graph_relation_stream(Str from, Str to, Str type, Arena *into);

typedef struct GraphItem {
    json_t *value; /* borrowed from the graph */
    bool relation;
    int64_t order;
    Str name; /* an entity's, or a relation's from */
} GraphItem;

typedef struct Graph {
    GraphItem *items; /* entities, then relations, each in order */
    size_t n, cap;
    uint64_t damaged; /* documents that are neither */
} Graph;

/* All of it.  JOT_TOO_BIG beyond GRAPH_MAX. */
MUST_USE jot_status graph_read(Memory *m, Arena *into, Graph *out, Err *e);
void graph_done(Graph *g);
DEFINE_AUTO(Graph, graph_done)

/* Whether a value has the members of an entity, or of a relation, each of the right type. */
bool graph_entity_valid(const json_t *value);
bool graph_relation_valid(const json_t *value);

/* An entity or a relation as it is kept and shown.  The caller owns it. */
json_t *graph_plain(const json_t *value, bool relation);

/* --- Changing (graph_write.c) ---------------------------------------------------------- */

/* The place of what is added now: after all that was added before. */
int64_t graph_order(Memory *m);

/* Each of these changes one document, on condition that it is what was read, and begins again if
 * it is not: no change of anybody is lost. */

/* {"name", "entityType", "observations"} or {"from", "to", "relationType"}, checked by the caller.
 * *added is false, and nothing is changed, if there is one already. */
MUST_USE jot_status graph_add_entity(Memory *m, const json_t *entity, bool *added, Err *e);
MUST_USE jot_status graph_add_relation(Memory *m, const json_t *relation, bool *added, Err *e);

/* Add to each entity of [{"entityName", "contents": [TEXT, ...]}, ...] the texts it does not have.
 * *results is [{"entityName", "addedObservations"}, ...]; the caller owns it.  JOT_NOT_FOUND, and
 * nothing is changed: an entity is not there, and *unknown is its place in the list. */
MUST_USE jot_status graph_observe(Memory *m, const json_t *additions, json_t **results,
                                  size_t *unknown, Err *e);
/* Take out of the observations of an entity all that equal one of `contents` (strings).
 * JOT_NOT_FOUND: no such entity. */
MUST_USE jot_status graph_unobserve(Memory *m, Str name, const json_t *contents, Err *e);

/* What is not there is no fault.  The relations of an entity go first, so that killed in between
 * the same call continues. */
MUST_USE jot_status graph_delete_entities(Memory *m, const json_t *names, Err *e);
MUST_USE jot_status graph_delete_relation(Memory *m, Str from, Str to, Str type, Err *e);

#endif
