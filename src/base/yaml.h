/* yaml.h - Yaml, a document people edit, as a small tree.
 *
 * One document of scalars, lists and maps; keys are scalars and unique, their
 * order is kept, comments are not.  Reading is libyaml's, with what invites
 * surprises closed: no tags, merge keys or second documents, nothing beyond the
 * limits below.  An alias is read as a copy of its anchor, which counts towards
 * them; neither is ever written.  Types are those of the YAML 1.2 core schema: `no`
 * is a string, `null` is not.  Writing is our own, because libyaml escapes
 * emoji: block style, `|` for text of several lines, unicode kept.
 *
 * What yaml_write writes yaml_read reads back as the same tree, and writing
 * that gives the same bytes.  Trees live in the arena they were made in. */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum {
    YAML_BYTES_MAX = 4 * 1024 * 1024,
    YAML_DEPTH_MAX = 64,         /* lists and maps inside each other */
    YAML_NODES_MAX = 100 * 1000, /* scalars, keys, lists and maps together */
};

typedef enum YamlKind { YAML_SCALAR, YAML_LIST, YAML_MAP } YamlKind;

/* What a scalar stands for.  In quotes, or as a block of text, it is always a string. */
typedef enum YamlType {
    YAML_STRING,
    YAML_NULL,
    YAML_BOOL,
    YAML_INT,
    YAML_REAL,
    YAML_TIME, /* a date of YAML 1.1, which YAML 1.2 takes for a string: kept as it was written */
} YamlType;

typedef struct Yaml Yaml;

typedef struct YamlPair {
    Str key;
    YamlType key_type; /* `1: x` and `"1": x` are the same key, but written differently */
    Yaml *value;
    size_t line, column; /* of the key */
} YamlPair;

struct Yaml {
    YamlKind kind;
    YamlType type; /* of a scalar */
    Str text;      /* of a scalar: a string's content; otherwise as written, for null perhaps "" */
    union {
        Yaml **items;    /* of a list */
        YamlPair *pairs; /* of a map */
    };
    size_t n, cap;       /* of items or pairs */
    size_t line, column; /* where it was read, counted from 1; 0 if it was built */
};

/* The one document in `text`; an empty one is null.  JOT_INVALID, or JOT_TOO_BIG beyond a limit,
 * with a sentence that gives line and column. */
MUST_USE jot_status yaml_read(Str text, Arena *into, Yaml **out, Err *e);

/* Add the tree as a document.  JOT_INVALID if a text holds NUL or is not UTF-8, JOT_TOO_BIG if
 * the result could not be read back or passes the ceiling of `to`; then nothing is added. */
MUST_USE jot_status yaml_write(Buf *to, const Yaml *tree, Err *e);

/* --- Building -------------------------------------------------------------------------- */

/* Texts and keys are copied into the arena; items and values are not, and belong to it. */
Yaml *yaml_text(Arena *a, Str text);
Yaml *yaml_null(Arena *a);
Yaml *yaml_bool(Arena *a, bool value);
Yaml *yaml_int(Arena *a, int64_t value);
Yaml *yaml_list(Arena *a);
Yaml *yaml_map(Arena *a);
void yaml_add(Arena *a, Yaml *list, Yaml *item);
/* Replaces the key's value where it stands, or adds the key after the others. */
void yaml_set(Arena *a, Yaml *map, Str key, Yaml *value);

/* Adds a key that the map does not have; looking for it is the caller's. */
void yaml_add_pair(Arena *a, Yaml *map, const YamlPair *pair);

/* The value of a key; NULL if there is none, or if `map` is no map.  Borrowed from the tree. */
Yaml *yaml_get(const Yaml *map, Str key);

/* The same kinds, types, texts and order; where they were read does not matter. */
bool yaml_eq(const Yaml *a, const Yaml *b);

#endif
