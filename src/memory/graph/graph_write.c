/* graph_write.c - changing a graph, one document at a time.
 *
 * Every entity and every relation is a document of its own, so two writers meet
 * only where they mean the same one; there the condition decides, and the loser
 * begins again with what the winner left. */
#include "memory/doc/doc.h"
#include "memory/graph/graph.h"

/* Calls follow each other by more than a microsecond; what one handle adds within one is counted.
 */
int64_t graph_order(Memory *m)
{
    int64_t now = io_wall_us(m->io);
    m->order_us = now > m->order_us ? now : m->order_us + 1;
    return m->order_us;
}

static jot_status put_new(Memory *m, Str stream, const json_t *plain, bool *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    Doc now;
    json_write(&text, plain);
    DocWrite w = { .text = buf_str(&text),
                   .meta = arena_printf(&arena, "{\"order\":%lld}", (long long)graph_order(m)),
                   .when = { .absent = true } };
    jot_status st = doc_write(m, stream, &w, &arena, &now, e);
    *added = st == JOT_OK;
    return st == JOT_CONFLICT ? JOT_OK : st;
}

jot_status graph_add_entity(Memory *m, const json_t *entity, bool *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) plain = graph_plain(entity, false);
    return put_new(m, graph_entity_stream(json_member(entity, "name"), &arena), plain, added, e);
}

jot_status graph_add_relation(Memory *m, const json_t *relation, bool *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) plain = graph_plain(relation, true);
    Str stream = graph_relation_stream(json_member(relation, "from"), json_member(relation, "to"),
                                       json_member(relation, "relationType"), &arena);
    return put_new(m, stream, plain, added, e);
}

/* --- Observations ---------------------------------------------------------------------- */

/* Is a text among the first `n` of a list? */
static bool among(const json_t *list, size_t n, const json_t *text)
{
    for (size_t i = 0; i < n; i++)
        if (json_equal(json_array_get(list, i), text))
            return true;
    return false;
}

static bool named(const json_t *list, const json_t *text)
{
    return among(list, json_array_size(list), text);
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

/* An entity and the document it was read from.  JOT_NOT_FOUND: there is none. */
static jot_status read_entity(Memory *m, Str name, Arena *into, Doc *was, json_t **out, Err *e)
{
    Shown shown;
    TRY(doc_present(m, graph_entity_stream(name, into), into, was, e));
    if (!mark_live(&was->mark))
        return err_set(e, JOT_NOT_FOUND, "Entity with name %s not found", err_show(&shown, name));
    AUTO_PTR(json_t) entity = NULL;
    TRY(json_read(was->text, &entity, e));
    if (!json_is_array(json_object_get(entity, "observations")))
        return err_set(e, JOT_CORRUPT, "the entity '%s' has no list of observations",
                       err_show(&shown, name));
    *out = TAKE(entity);
    return JOT_OK;
}

/* Add to the observations of an entity, or (added is NULL) take from them. */
static jot_status try_change(Memory *m, Str name, const json_t *contents, json_t *added, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) entity = NULL;
    Doc was;
    TRY(read_entity(m, name, &arena, &was, &entity, e));
    json_t *list = json_object_get(entity, "observations");
    size_t changed = 0;
    if (added) {
        /* Add what was not there before to the list and to `added`: what is said twice at once
         * is added twice, as the reference server does. */
        size_t before = json_array_size(list);
        for (size_t i = 0; i < json_array_size(contents); i++) {
            json_t *text = json_array_get(contents, i);
            if (among(list, before, text))
                continue;
            json_array_append(list, text);
            json_array_append(added, text);
        }
        changed = json_array_size(added);
    } else {
        /* Take out every text that equals one of `contents`. */
        for (size_t i = json_array_size(list); i-- > 0;)
            if (named(contents, json_array_get(list, i))) {
                json_array_remove(list, i);
                changed++;
            }
    }
    Str stream = graph_entity_stream(name, &arena);
    return changed ? write_if(m, stream, &was, entity, &arena, e) : JOT_OK;
}

static jot_status change(Memory *m, Str name, const json_t *contents, json_t *added, Err *e)
{
    for (int tries = 0;; tries++) {
        jot_status st = try_change(m, name, contents, added, e);
        if (st != JOT_CONFLICT || tries + 1 == DOC_TRIES_MAX)
            return st;
        if (added)
            json_array_clear(added);
    }
}

jot_status graph_unobserve(Memory *m, Str name, const json_t *contents, Err *e)
{
    return change(m, name, contents, NULL, e);
}

/* Is every entity there that something is to be added to? */
static jot_status check_known(Memory *m, const json_t *additions, size_t *unknown, Err *e)
{
    for (size_t i = 0; i < json_array_size(additions); i++) {
        AUTO(Arena) arena = { 0 };
        AUTO_PTR(json_t) entity = NULL;
        Doc was;
        *unknown = i;
        TRY(read_entity(m, json_member(json_array_get(additions, i), "entityName"), &arena, &was,
                        &entity, e));
    }
    return JOT_OK;
}

jot_status graph_observe(Memory *m, const json_t *additions, json_t **results, size_t *unknown,
                         Err *e)
{
    AUTO_PTR(json_t) all = json_array();
    TRY(check_known(m, additions, unknown, e));
    for (size_t i = 0; i < json_array_size(additions); i++) {
        const json_t *one = json_array_get(additions, i);
        json_t *contents = json_object_get(one, "contents");
        AUTO_PTR(json_t) added = json_array();
        jot_status st = change(m, json_member(one, "entityName"), contents, added, e);
        /* Deleted by somebody since it was looked at: as if that had come after all of this. */
        if (st == JOT_NOT_FOUND)
            json_array_extend(added, contents);
        else
            TRY(st);
        json_array_append_new(all, json_pack("{s:O, s:O}", "entityName",
                                             json_object_get(one, "entityName"),
                                             "addedObservations", added));
    }
    *results = TAKE(all);
    return JOT_OK;
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

jot_status graph_delete_entities(Memory *m, const json_t *names, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Graph) g = { 0 };
    TRY(graph_read(m, &arena, &g, e));
    for (size_t i = 0; i < g.n; i++) {
        const json_t *v = g.items[i].value;
        if (g.items[i].relation &&
            (named(names, json_object_get(v, "from")) || named(names, json_object_get(v, "to"))))
            TRY(graph_delete_relation(m, json_member(v, "from"), json_member(v, "to"),
                                      json_member(v, "relationType"), e));
    }
    for (size_t i = 0; i < json_array_size(names); i++)
        TRY(delete_stream(m, graph_entity_stream(json_str(json_array_get(names, i)), &arena), e));
    return JOT_OK;
}
