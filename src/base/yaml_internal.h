/* yaml_internal.h - what the reader and the writer of YAML must agree on. */
#ifndef BASE_YAML_INTERNAL_H
#define BASE_YAML_INTERNAL_H

#include "base/yaml.h"

/* The type of a scalar without quotes, by the core schema of YAML 1.2. */
YamlType yaml_type_of(Str plain);

/* True if the character may stand in a document as it is: it can be seen (or is a tab or the end
 * of a line) and every version of YAML takes it for the same thing. */
bool yaml_shows(uint32_t c);

#endif
