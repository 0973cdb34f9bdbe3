/* yaml_json.c - trees of YAML and values of JSON, turned into each other.
 *
 * JSON is nearly a part of YAML: everything JSON can say has a form here.  The
 * other way round a few numbers have none, and keys lose their types.  Both
 * readers bound the depth of what they give (64), and so the recursion. */
#include "base/yaml_json.h"

#include "base/yaml_internal.h"

/* A number of YAML that JSON reads as the same number; NULL if there is none. */
static json_t *number_json(Str text)
{
    int64_t whole;
    json_t *value = NULL;
    if (str_to_i64(text, INT64_MIN, INT64_MAX, &whole))
        return json_integer(whole);
    if (json_read(text, &value, NULL) == JOT_OK && json_is_number(value))
        return value;
    json_decref(value);
    return NULL;
}

json_t *yaml_to_json(const Yaml *tree) /* NOLINT(misc-no-recursion): bounded */
{
    if (tree->kind == YAML_SCALAR) {
        json_t *number = NULL;
        switch (tree->type) {
        case YAML_STRING:
        case YAML_TIME:
            break;
        case YAML_NULL:
            return json_null();
        case YAML_BOOL:
            return json_boolean(tree->text.n && (tree->text.p[0] == 't' || tree->text.p[0] == 'T'));
        case YAML_INT:
        case YAML_REAL:
            number = number_json(tree->text);
            break;
        }
        return number ? number : json_text(tree->text);
    }
    json_t *out = tree->kind == YAML_LIST ? json_array() : json_object();
    for (size_t i = 0; i < tree->n; i++) {
        if (tree->kind == YAML_LIST)
            json_array_append_new(out, yaml_to_json(tree->items[i]));
        else
            json_object_setn_new(out, tree->pairs[i].key.n ? tree->pairs[i].key.p : "",
                                 tree->pairs[i].key.n, yaml_to_json(tree->pairs[i].value));
    }
    return out;
}

static Yaml *real_yaml(Arena *a, const json_t *value)
{
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    Yaml *out = yaml_text(a, buf_str(&text));
    out->type = yaml_type_of(out->text);
    return out;
}

/* The keys of a JSON object are unique already, so none is looked for. */
static Yaml *object_yaml(Arena *a, const json_t *value) /* NOLINT(misc-no-recursion): bounded */
{
    Yaml *out = yaml_map(a);
    out->cap = json_object_size(value);
    out->pairs = NEW_ARRAY(a, YamlPair, out->cap ? out->cap : 1);
    for (void *i = json_object_iter((json_t *)value); i;
         i = json_object_iter_next((json_t *)value, i)) {
        Str key = { json_object_iter_key(i), json_object_iter_key_len(i) };
        out->pairs[out->n++] = (YamlPair){ .key = arena_copy(a, key),
                                           .value = yaml_from_json(a, json_object_iter_value(i)) };
    }
    return out;
}

Yaml *yaml_from_json(Arena *a, const json_t *value) /* NOLINT(misc-no-recursion): bounded */
{
    Yaml *out = NULL;
    switch (json_typeof(value)) {
    case JSON_STRING:
        return yaml_text(a, json_str(value));
    case JSON_INTEGER:
        return yaml_int(a, json_integer_value(value));
    case JSON_REAL:
        return real_yaml(a, value);
    case JSON_TRUE:
    case JSON_FALSE:
        return yaml_bool(a, json_is_true(value));
    case JSON_NULL:
        return yaml_null(a);
    case JSON_ARRAY:
        out = yaml_list(a);
        for (size_t i = 0; i < json_array_size(value); i++)
            yaml_add(a, out, yaml_from_json(a, json_array_get(value, i)));
        return out;
    case JSON_OBJECT:
        return object_yaml(a, value);
    }
    return yaml_null(a);
}
