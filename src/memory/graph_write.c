/* graph_write.c - changing a graph, one document at a time.
 *
 * Every entity and every relation is a document of its own, so two writers meet
 * only where they mean the same one; there the condition decides, and the loser
 * begins again with what the winner left. */
#include "memory/doc.h"
#include "memory/graph.h"

static Str member(const json_t *v, const char *name)
{
    return json_str(json_object_get(v, name));
}

static jot_status put_new(Memory *m, Str stream, const json_t *value, int64_t order, bool *added,
                          Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    Doc now;
    json_write(&text, value);
    DocWrite w = { .text = buf_str(&text),
                   .meta = arena_printf(&arena, "{\"order\":%lld}", (long long)order),
                   .when = { .absent = true } };
    jot_status st = doc_write(m, stream, &w, &arena, &now, e);
    *added = st == JOT_OK;
    return st == JOT_CONFLICT ? JOT_OK : st;
}

jot_status graph_add_entity(Memory *m, const json_t *entity, int64_t order, bool *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    return put_new(m, graph_entity_stream(member(entity, "name"), &arena), entity, order, added, e);
}

jot_status graph_add_relation(Memory *m, const json_t *relation, int64_t order, bool *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str stream = graph_relation_stream(member(relation, "from"), member(relation, "to"),
                                       member(relation, "relationType"), &arena);
    return put_new(m, stream, relation, order, added, e);
}

/* --- Observations ---------------------------------------------------------------------- */

static size_t place_of(const json_t *list, const json_t *text)
{
    size_t i = 0;
    while (i < json_array_size(list) && !json_equal(json_array_get(list, i), text))
        i++;
    return i;
}

/* Add to, or take from, the observations in `entity`; what changed goes to `changed`. */
static void change_list(json_t *entity, const json_t *contents, bool add, json_t *changed)
{
    json_t *list = json_object_get(entity, "observations");
    for (size_t i = 0; i < json_array_size(contents); i++) {
        json_t *text = json_array_get(contents, i);
        size_t at = place_of(list, text);
        bool there = at < json_array_size(list);
        if (there == add)
            continue;
        json_array_append(changed, text);
        if (add)
            json_array_append(list, text);
        else
            json_array_remove(list, at);
    }
}

static jot_status write_if(Memory *m, Str stream, const Doc *was, const json_t *entity, Arena *into,
                           Err *e)
{
    AUTO(Buf) text = { 0 };
    Doc now;
    json_write(&text, entity);
    HashHex all = hash_hex(was->mark.sha256);
    DocWrite w = { .text = buf_str(&text),
                   .meta = meta_kept(was->meta, into),
                   .when = { .version = str(all.text) } };
    return doc_write(m, stream, &w, into, &now, e);
}

static jot_status try_observe(Memory *m, Str name, const json_t *contents, bool add,
                              json_t *changed, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Doc was;
    json_t *read = NULL;
    Shown shown;
    Str stream = graph_entity_stream(name, &arena);
    TRY(doc_present(m, stream, &arena, &was, e));
    if (!mark_live(&was.mark))
        return err_set(e, JOT_NOT_FOUND, "Entity with name %s not found", err_show(&shown, name));
    TRY(json_read(was.text, &read, e));
    AUTO_PTR(json_t) entity = read;
    if (!json_is_array(json_object_get(entity, "observations")))
        return err_set(e, JOT_CORRUPT, "the entity '%s' has no list of observations",
                       err_show(&shown, name));
    change_list(entity, contents, add, changed);
    return json_array_size(changed) ? write_if(m, stream, &was, entity, &arena, e) : JOT_OK;
}

static jot_status observe(Memory *m, Str name, const json_t *contents, bool add, json_t **out,
                          Err *e)
{
    for (int tries = 0;; tries++) {
        AUTO_PTR(json_t) changed = json_array();
        jot_status st = try_observe(m, name, contents, add, changed, e);
        if (st == JOT_CONFLICT && tries + 1 < DOC_TRIES_MAX)
            continue;
        TRY(st);
        *out = TAKE(changed);
        return JOT_OK;
    }
}

jot_status graph_observe(Memory *m, Str name, const json_t *contents, json_t **changed, Err *e)
{
    return observe(m, name, contents, true, changed, e);
}

jot_status graph_unobserve(Memory *m, Str name, const json_t *contents, json_t **changed, Err *e)
{
    return observe(m, name, contents, false, changed, e);
}

/* --- Deleting -------------------------------------------------------------------------- */

static jot_status delete_stream(Memory *m, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Doc now;
    jot_status st = doc_delete(m, stream, NULL, &arena, &now, e);
    return st == JOT_NOT_FOUND ? JOT_OK : st;
}

jot_status graph_delete_relation(Memory *m, Str from, Str to, Str type, Err *e)
{
    AUTO(Arena) arena = { 0 };
    return delete_stream(m, graph_relation_stream(from, to, type, &arena), e);
}

static bool named(const json_t *names, const json_t *name)
{
    return place_of(names, name) < json_array_size(names);
}

jot_status graph_delete_entities(Memory *m, const json_t *names, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Graph) g = { 0 };
    TRY(graph_read(m, &arena, &g, e));
    for (size_t i = 0; i < g.n; i++) {
        const json_t *v = g.items[i].value;
        if (g.items[i].relation &&
            (named(names, json_object_get(v, "from")) || named(names, json_object_get(v, "to"))))
            TRY(graph_delete_relation(m, member(v, "from"), member(v, "to"),
                                      member(v, "relationType"), e));
    }
    for (size_t i = 0; i < json_array_size(names); i++)
        TRY(delete_stream(m, graph_entity_stream(json_str(json_array_get(names, i)), &arena), e));
    return JOT_OK;
}
