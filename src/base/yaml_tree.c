/* yaml_tree.c - YAML: the tree, made and looked into. */
#include <assert.h>

#include "base/yaml.h"

static Yaml *new_scalar(Arena *a, YamlType type, Str text)
{
    Yaml *y = NEW(a, Yaml);
    y->type = type;
    y->text = text;
    return y;
}

Yaml *yaml_text(Arena *a, Str text)
{
    return new_scalar(a, YAML_STRING, arena_copy(a, text));
}

Yaml *yaml_null(Arena *a)
{
    return new_scalar(a, YAML_NULL, S("null"));
}

Yaml *yaml_bool(Arena *a, bool value)
{
    return new_scalar(a, YAML_BOOL, str(value ? "true" : "false"));
}

Yaml *yaml_int(Arena *a, int64_t value)
{
    return new_scalar(a, YAML_INT, arena_printf(a, "%lld", (long long)value));
}

Yaml *yaml_list(Arena *a)
{
    Yaml *y = NEW(a, Yaml);
    y->kind = YAML_LIST;
    return y;
}

Yaml *yaml_map(Arena *a)
{
    Yaml *y = NEW(a, Yaml);
    y->kind = YAML_MAP;
    return y;
}

void yaml_add(Arena *a, Yaml *list, Yaml *item)
{
    assert(list->kind == YAML_LIST && item);
    list->items = arena_grow(a, list->items, list->n, &list->cap, sizeof(Yaml *), alignof(Yaml *));
    list->items[list->n++] = item;
}

static void add_pair(Arena *a, Yaml *map, YamlPair pair)
{
    map->pairs =
        arena_grow(a, map->pairs, map->n, &map->cap, sizeof *map->pairs, alignof(YamlPair));
    map->pairs[map->n++] = pair;
}

static YamlPair *find(const Yaml *map, Str key)
{
    for (size_t i = 0; i < map->n; i++)
        if (str_eq(map->pairs[i].key, key))
            return &map->pairs[i];
    return NULL;
}

void yaml_set(Arena *a, Yaml *map, Str key, Yaml *value)
{
    assert(map->kind == YAML_MAP && value);
    YamlPair *known = find(map, key);
    if (known)
        known->value = value;
    else
        add_pair(a, map, (YamlPair){ .key = arena_copy(a, key), .value = value });
}

void yaml_add_pair(Arena *a, Yaml *map, const YamlPair *pair)
{
    assert(map->kind == YAML_MAP && pair->value);
    YamlPair own = *pair;
    own.key = arena_copy(a, pair->key);
    add_pair(a, map, own);
}

Yaml *yaml_get(const Yaml *map, Str key)
{
    const YamlPair *known = map && map->kind == YAML_MAP ? find(map, key) : NULL;
    return known ? known->value : NULL;
}

bool yaml_eq(const Yaml *a, const Yaml *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    switch (a->kind) {
    case YAML_SCALAR:
        return a->type == b->type && str_eq(a->text, b->text);
    case YAML_LIST:
        for (size_t i = 0; i < a->n; i++)
            if (!yaml_eq(a->items[i], b->items[i]))
                return false;
        return true;
    case YAML_MAP:
        for (size_t i = 0; i < a->n; i++)
            if (!str_eq(a->pairs[i].key, b->pairs[i].key) ||
                a->pairs[i].key_type != b->pairs[i].key_type ||
                !yaml_eq(a->pairs[i].value, b->pairs[i].value))
                return false;
        return true;
    }
    return false;
}
