/* yaml_json.h - the same small tree, as YAML for people and as JSON for programs. */
#ifndef BASE_YAML_JSON_H
#define BASE_YAML_JSON_H

#include "base/json.h"
#include "base/yaml.h"

/* The tree as JSON; the caller owns it.  Numbers that JSON has no form for (.inf, .nan, more than
 * 64 bits) become strings. */
json_t *yaml_to_json(const Yaml *tree);

/* A JSON value as a tree in `a`.  A string with NUL is kept here and refused by yaml_write. */
Yaml *yaml_from_json(Arena *a, const json_t *value);

#endif
