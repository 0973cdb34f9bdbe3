/* explain.h - Explanation, what became of a cycle, and how its state changed.
 *
 * The readings of a pair of snapshots: it finished, it hit the iteration limit
 * (and which tool was repeated), it crashed (and why), or nothing changed; and,
 * because cycles can be looked at any time: it was stopped, or it runs. */
#ifndef MEMORY_CYCLE_EXPLAIN_H
#define MEMORY_CYCLE_EXPLAIN_H

#include "memory/cycle/cycle.h"

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

typedef enum Reading {
    READING_RUNNING,
    READING_FINISHED,
    READING_LIMIT,
    READING_CRASHED,
    READING_NOTHING, /* nothing but perhaps the notes changed */
    READING_STOPPED,
} Reading;

/* "running", "finished", "limit", "crashed", "nothing", "stopped"; never NULL. */
const char *reading_name(Reading r);

typedef struct Explanation {
    Reading reading;
    Str sentence; /* what happened */
    Str hint;     /* what that usually means, or empty */
    bool see_log; /* the log of the cycle says more: each door has its own way to it */
    TreeDiff diff;
} Explanation;

MUST_USE jot_status cycle_explain(const Cycle *c, Arena *into, Explanation *out, Err *e);
json_t *explanation_json(const Explanation *x);

#endif
