/* yaml_trip.h - YAML there and back: trees and texts that must be read as they were written. */
#ifndef UNIT_YAML_TRIP_H
#define UNIT_YAML_TRIP_H

#include "base/yaml.h"
#include "unit/unit.h"

static inline Yaml *read_good(Arena *a, Str text)
{
    Err e = { 0 };
    Yaml *tree = NULL;
    if (yaml_read(text, a, &tree, &e) != JOT_OK)
        fail_msg("'" STR_FMT "': %s", STR_ARG(text), e.text);
    return tree;
}

static inline Str write_good(Arena *a, const Yaml *tree)
{
    AUTO(Buf) b = { 0 };
    Err e = { 0 };
    if (yaml_write(&b, tree, &e) != JOT_OK)
        fail_msg("%s", e.text);
    return arena_copy(a, buf_str(&b));
}

/* Written, read and written again: the same tree and the same bytes. */
static inline void check_round_trip(const Yaml *tree)
{
    AUTO(Arena) a = { 0 };
    Str first = write_good(&a, tree);
    Yaml *back = read_good(&a, first);
    if (!yaml_eq(tree, back))
        fail_msg("read back as another tree: '" STR_FMT "'", STR_ARG(first));
    assert_str(write_good(&a, back), first);
}

/* The text in every place where a text can stand. */
static inline Yaml *everywhere(Arena *a, Str text)
{
    Yaml *inner = yaml_list(a), *list = yaml_list(a), *item = yaml_map(a), *root = yaml_map(a);
    yaml_add(a, inner, yaml_text(a, text));
    yaml_add(a, inner, yaml_text(a, S("end")));
    yaml_set(a, item, S("first"), yaml_text(a, text));
    yaml_set(a, item, text, yaml_text(a, text));
    yaml_add(a, list, yaml_text(a, text));
    yaml_add(a, list, inner);
    yaml_add(a, list, item);
    yaml_add(a, list, yaml_text(a, text));
    yaml_set(a, root, S("before"), yaml_text(a, text));
    yaml_set(a, root, S("list"), list);
    yaml_set(a, root, text, item);
    yaml_set(a, root, S("after"), yaml_text(a, text));
    return root;
}

static inline void check_text(Str text)
{
    AUTO(Arena) a = { 0 };
    check_round_trip(yaml_text(&a, text));
    check_round_trip(everywhere(&a, text));
}

#endif
