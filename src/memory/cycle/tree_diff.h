/* tree_diff.h - TreeDiff, how one state differs from another, key by key and element by element. */
#ifndef MEMORY_CYCLE_TREE_DIFF_H
#define MEMORY_CYCLE_TREE_DIFF_H

#include "base/json.h"
#include "base/yaml.h"

typedef enum ChangeKind { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_CHANGED } ChangeKind;

/* One difference between two trees. */
typedef struct TreeChange {
    ChangeKind kind;
    Str path;    /* "goals[2]", "plan.step" */
    Str was, is; /* as one line each; empty where there is none */
} TreeChange;

typedef struct TreeDiff {
    TreeChange
        *items; /* in the order of the new tree; what is gone comes last in its map or list */
    size_t n, cap;
} TreeDiff;

/* Maps are compared by key, lists by their elements (what both have in the same order stays), texts
 * of several lines by their lines.  `last_updated` at the top is left out. */
TreeDiff tree_diff(const Yaml *before, const Yaml *after, Arena *into);
json_t *tree_diff_json(const TreeDiff *d);

#endif
