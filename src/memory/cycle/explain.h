/* explain.h - Explanation, what became of a cycle, and how its state changed.
 *
 * The readings of a pair of snapshots: it finished, it hit the iteration limit
 * (and which tool was repeated), it crashed (and why), or nothing changed; and,
 * because cycles can be looked at any time: it was stopped, or it runs. */
#ifndef MEMORY_CYCLE_EXPLAIN_H
#define MEMORY_CYCLE_EXPLAIN_H

#include "memory/cycle/cycle.h"
#include "memory/cycle/tree_diff.h"

typedef enum Reading {
    READING_RUNNING,
    READING_FINISHED,
    READING_LIMIT,
    READING_CRASHED,
    READING_NOTHING, /* nothing but perhaps the notes changed */
    READING_STOPPED,
} Reading;

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
