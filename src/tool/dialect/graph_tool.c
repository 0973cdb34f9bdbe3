/* graph_tool.c - the nine tools of the reference memory server, over the graph's streams.
 *
 * Arguments, texts and structured data are those of that server, so that switching
 * is one line of configuration.  One thing is added: what is longer than the
 * budget is cut, and "more" says how to continue.  The text is the data as JSON, so
 * no value in it can pass for anything else. */
#include <string.h>

#include "base/fold.h"
#include "memory/frame/tokens.h"
#include "memory/graph/graph.h"
#include "tool/reply.h"

enum { NAME_MAX_BYTES = 4096, OBSERVATION_MAX = 64 * 1024, QUERY_MAX = 1024 };

/* --- Answers --------------------------------------------------------------------------- */

/* As the reference server writes it: indented by two. */
static void say_json(ToolCall *c, const json_t *value, ToolReply *out)
{
    AUTO(Buf) flat = { 0 };
    AUTO(Buf) text = { 0 };
    json_write(&flat, value);
    json_indent(&text, buf_str(&flat));
    out->text = arena_copy(c->into, buf_str(&text));
}

/* The text is the list, the data an object that holds it. */
static void say_list(ToolCall *c, const char *name, json_t *list, ToolReply *out)
{
    say_json(c, list, out);
    out->data = json_pack("{s:O}", name, list);
}

static void say_done(ToolCall *c, const char *message, ToolReply *out)
{
    out->text = arena_copy(c->into, str(message));
    out->data = json_pack("{s:b, s:s}", "success", true, "message", message);
}

/* --- Adding ---------------------------------------------------------------------------- */

static jot_status add_all(ToolCall *c, bool relations, ToolReply *out)
{
    AUTO_PTR(json_t) fresh = json_array();
    const char *name = relations ? "relations" : "entities";
    const json_t *list = arg_json(c, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        bool added;
        const json_t *value = json_array_get(list, i);
        TRY(relations ? graph_add_relation(c->m, value, &added, c->e)
                      : graph_add_entity(c->m, value, &added, c->e));
        if (added)
            json_array_append_new(fresh, graph_plain(value, relations));
    }
    say_list(c, name, fresh, out);
    return JOT_OK;
}

static jot_status create_entities(ToolCall *c, ToolReply *out)
{
    return add_all(c, false, out);
}

static jot_status create_relations(ToolCall *c, ToolReply *out)
{
    return add_all(c, true, out);
}

/* The reference server's sentence, which has the name whole. */
static void say_unknown(ToolCall *c, Str name, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    buf_add(&text, S("Entity with name "));
    buf_add(&text, name);
    buf_add(&text, S(" not found"));
    out->text = arena_copy(c->into, buf_str(&text));
}

static jot_status add_observations(ToolCall *c, ToolReply *out)
{
    AUTO_PTR(json_t) results = NULL;
    const json_t *list = arg_json(c, "observations");
    size_t unknown;
    jot_status st = graph_observe(c->m, list, &results, &unknown, c->e);
    if (st == JOT_NOT_FOUND)
        say_unknown(c, json_str(json_object_get(json_array_get(list, unknown), "entityName")), out);
    TRY(st);
    say_list(c, "results", results, out);
    return JOT_OK;
}

/* --- Deleting -------------------------------------------------------------------------- */

static jot_status delete_entities(ToolCall *c, ToolReply *out)
{
    TRY(graph_delete_entities(c->m, arg_json(c, "entityNames"), c->e));
    say_done(c, "Entities deleted successfully", out);
    return JOT_OK;
}

static jot_status delete_observations(ToolCall *c, ToolReply *out)
{
    const json_t *list = arg_json(c, "deletions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        jot_status st = graph_unobserve(c->m, json_str(json_object_get(one, "entityName")),
                                        json_object_get(one, "observations"), c->e);
        if (st != JOT_NOT_FOUND) /* the reference server passes over what is not there */
            TRY(st);
    }
    say_done(c, "Observations deleted successfully", out);
    return JOT_OK;
}

static jot_status delete_relations(ToolCall *c, ToolReply *out)
{
    const json_t *list = arg_json(c, "relations");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        TRY(graph_delete_relation(c->m, json_str(json_object_get(r, "from")),
                                  json_str(json_object_get(r, "to")),
                                  json_str(json_object_get(r, "relationType")), c->e));
    }
    say_done(c, "Relations deleted successfully", out);
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

/* Does a text hold `part`, which is in lower case? */
static bool holds(const json_t *text, Str part)
{
    AUTO(Buf) lower = { 0 };
    fold_add_lower(&lower, json_str(text));
    return part.n == 0 || (lower.n && memmem(lower.p, lower.n, part.p, part.n));
}

static bool entity_holds(const json_t *entity, Str part)
{
    const json_t *said = json_object_get(entity, "observations");
    if (holds(json_object_get(entity, "name"), part) ||
        holds(json_object_get(entity, "entityType"), part))
        return true;
    for (size_t i = 0; i < json_array_size(said); i++)
        if (holds(json_array_get(said, i), part))
            return true;
    return false;
}

/* What of a graph is shown: all, what a word finds, or what is named. */
typedef struct Pick {
    bool all;
    const Str *query;    /* in lower case */
    const json_t *names; /* an array */
    json_t *found;       /* an object whose members are the names of the entities picked */
} Pick;

static bool pick_entity(const Pick *p, const json_t *entity)
{
    if (p->all)
        return true;
    if (p->query)
        return entity_holds(entity, *p->query);
    for (size_t i = 0; i < json_array_size(p->names); i++)
        if (json_equal(json_array_get(p->names, i), json_object_get(entity, "name")))
            return true;
    return false;
}

static bool is_found(const Pick *p, const json_t *name)
{
    return json_object_getn(p->found, json_string_value(name), json_string_length(name)) != NULL;
}

/* A relation is shown if one of its ends is. */
static bool pick(const Pick *p, const GraphItem *item)
{
    const json_t *name = json_object_get(item->value, "name");
    if (item->relation)
        return p->all || is_found(p, json_object_get(item->value, "from")) ||
               is_found(p, json_object_get(item->value, "to"));
    if (!pick_entity(p, item->value))
        return false;
    json_object_setn_new(p->found, json_string_value(name), json_string_length(name), json_true());
    return true;
}

static size_t cost(const json_t *value)
{
    AUTO(Buf) flat = { 0 };
    AUTO(Buf) text = { 0 };
    json_write(&flat, value);
    json_indent(&text, buf_str(&flat));
    /* In its place every line is indented by two more levels. */
    return tokens_estimate(buf_str(&text)) * 5 / 4 + 4;
}

static jot_status show(ToolCall *c, Pick p, ToolReply *out)
{
    AUTO(Graph) g = { 0 };
    AUTO_PTR(json_t) found = json_object();
    AUTO_PTR(json_t) shown = json_pack("{s:[], s:[]}", "entities", "relations");
    size_t offset = (size_t)arg_number(c, "offset", 0), seen = 0, taken = 0,
           used = reply_continue_tokens(c);
    p.found = found;
    TRY(graph_read(c->m, c->into, &g, c->e));
    /* Entities come before relations, so that it is known which of their ends were found.  What is
     * passed over is looked at all the same, for that reason. */
    for (size_t i = 0; i < g.n; i++) {
        const GraphItem *item = &g.items[i];
        if (!pick(&p, item) || seen++ < offset)
            continue;
        used += cost(item->value);
        /* The first one is taken however large it is: an answer without an item would never end. */
        if (taken && used > c->budget) {
            AUTO(Buf) more = { 0 };
            reply_more(c, &more, "offset", arena_printf(c->into, "%zu", offset + taken));
            json_object_set_new(shown, "more", json_text(buf_str(&more)));
            break;
        }
        json_array_append(json_object_get(shown, item->relation ? "relations" : "entities"),
                          item->value);
        taken++;
    }
    say_json(c, shown, out);
    out->data = TAKE(shown);
    return JOT_OK;
}

static jot_status read_graph(ToolCall *c, ToolReply *out)
{
    return show(c, (Pick){ .all = true }, out);
}

static jot_status search_nodes(ToolCall *c, ToolReply *out)
{
    AUTO(Buf) lower = { 0 };
    fold_add_lower(&lower, arg_text(c, "query"));
    Str query = buf_str(&lower);
    return show(c, (Pick){ .query = &query }, out);
}

static jot_status open_nodes(ToolCall *c, ToolReply *out)
{
    return show(c, (Pick){ .names = arg_json(c, "names") }, out);
}

/* --- The tables ------------------------------------------------------------------------ */

/* clang-format off */
#define OFFSET { "offset", PARAM_NUMBER, .about = "skip this many", .optional = true }

static const Param entity_fields[] = {
    { "name", PARAM_TEXT, .min = 1, .max = NAME_MAX_BYTES },
    { "entityType", PARAM_TEXT, .max = NAME_MAX_BYTES },
    { "observations", PARAM_TEXTS, .max = OBSERVATION_MAX },
    { 0 },
};
static const Param relation_fields[] = {
    { "from", PARAM_TEXT, .about = "name of the entity it starts from", .min = 1, .max = NAME_MAX_BYTES },
    { "to", PARAM_TEXT, .about = "name of the entity it leads to", .min = 1, .max = NAME_MAX_BYTES },
    { "relationType", PARAM_TEXT, .about = "in active voice", .max = NAME_MAX_BYTES },
    { 0 },
};
static const Param addition_fields[] = {
    { "entityName", PARAM_TEXT, .max = NAME_MAX_BYTES },
    { "contents", PARAM_TEXTS, .max = OBSERVATION_MAX },
    { 0 },
};
static const Param deletion_fields[] = {
    { "entityName", PARAM_TEXT, .max = NAME_MAX_BYTES },
    { "observations", PARAM_TEXTS, .max = OBSERVATION_MAX },
    { 0 },
};
static const Param added_fields[] = {
    { "entityName", .type = PARAM_TEXT },
    { "addedObservations", .type = PARAM_TEXTS },
    { 0 },
};

static const Param entities_out[] = { { "entities", PARAM_OBJECTS, .fields = entity_fields }, { 0 } };
static const Param relations_out[] = {
    { "relations", PARAM_OBJECTS, .fields = relation_fields }, { 0 },
};
static const Param results_out[] = { { "results", PARAM_OBJECTS, .fields = added_fields }, { 0 } };
static const Param done_out[] = {
    { "success", .type = PARAM_BOOL }, { "message", .type = PARAM_TEXT }, { 0 },
};
static const Param graph_out[] = {
    { "entities", PARAM_OBJECTS, .fields = entity_fields },
    { "relations", PARAM_OBJECTS, .fields = relation_fields },
    { "more", PARAM_TEXT, .about = "how to get what did not fit", .optional = true },
    { 0 },
};
/* clang-format on */

extern const Tool tool_create_entities, tool_create_relations, tool_add_observations,
    tool_delete_entities, tool_delete_observations, tool_delete_relations, tool_read_graph,
    tool_search_nodes, tool_open_nodes;

const Tool tool_create_entities = {
    .name = "create_entities",
    .title = "Create entities",
    .about =
        "Create multiple new entities in the knowledge graph; those that exist are left alone.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "entities", PARAM_OBJECTS, .fields = entity_fields }),
    .output = entities_out,
    .run = create_entities,
};

const Tool tool_create_relations = {
    .name = "create_relations",
    .title = "Create relations",
    .about = "Create multiple new relations between entities in the knowledge graph. Relations "
             "should be in active voice.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "relations", PARAM_OBJECTS, .fields = relation_fields }),
    .output = relations_out,
    .run = create_relations,
};

const Tool tool_add_observations = {
    .name = "add_observations",
    .title = "Add observations",
    .about = "Add new observations to existing entities in the knowledge graph.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "observations", PARAM_OBJECTS, .fields = addition_fields }),
    .output = results_out,
    .run = add_observations,
};

const Tool tool_delete_entities = {
    .name = "delete_entities",
    .title = "Delete entities",
    .about = "Delete multiple entities and their associated relations from the knowledge graph.",
    .effects = TOOL_DELETES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "entityNames", PARAM_TEXTS, .max = NAME_MAX_BYTES }),
    .output = done_out,
    .run = delete_entities,
};

const Tool tool_delete_observations = {
    .name = "delete_observations",
    .title = "Delete observations",
    .about = "Delete specific observations from entities in the knowledge graph.",
    .effects = TOOL_DELETES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "deletions", PARAM_OBJECTS, .fields = deletion_fields }),
    .output = done_out,
    .run = delete_observations,
};

const Tool tool_delete_relations = {
    .name = "delete_relations",
    .title = "Delete relations",
    .about = "Delete multiple relations from the knowledge graph.",
    .effects = TOOL_DELETES | TOOL_IDEMPOTENT,
    .params = PARAMS({ "relations", PARAM_OBJECTS, .fields = relation_fields }),
    .output = done_out,
    .run = delete_relations,
};

const Tool tool_read_graph = {
    .name = "read_graph",
    .title = "Read the graph",
    .about = "Read the entire knowledge graph, as much of it as fits.",
    .effects = TOOL_READS,
    .params = PARAMS(OFFSET),
    .output = graph_out,
    .run = read_graph,
};

const Tool tool_search_nodes = {
    .name = "search_nodes",
    .title = "Search nodes",
    .about = "Search for nodes in the knowledge graph by a text in their names, types and "
             "observations.",
    .effects = TOOL_READS,
    .at_large = true,
    .params = PARAMS({ "query", PARAM_TEXT, .max = QUERY_MAX }, OFFSET),
    .output = graph_out,
    .run = search_nodes,
};

const Tool tool_open_nodes = {
    .name = "open_nodes",
    .title = "Open nodes",
    .about = "Open specific nodes in the knowledge graph by their names.",
    .effects = TOOL_READS,
    .params = PARAMS({ "names", PARAM_TEXTS, .max = NAME_MAX_BYTES }, OFFSET),
    .output = graph_out,
    .run = open_nodes,
};
