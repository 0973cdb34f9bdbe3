/* context_internal.h - a context while it is put together, for context.c and its parts. */
#ifndef MEMORY_CONTEXT_CONTEXT_INTERNAL_H
#define MEMORY_CONTEXT_CONTEXT_INTERNAL_H

#include "memory/context/context.h"
#include "memory/context/rule.h"
#include "memory/run/run_results.h"

typedef struct Build {
    Memory *m;
    const ContextAsk *ask;
    Arena *into;
    Context *out;
    Frame frame;
    bool met;       /* a value of the prefix holds its sign */
    RunTail newest; /* of the run, as far as looking at it has read them */
    Buf prefix, tail;
    size_t left_cap;
    Approvals approved;
    bool *shown;         /* which of them are in the prefix, or left out of it for want of room */
    uint64_t notes_left; /* beyond those that are named */
    uint64_t notes_named_max;
    bool status_named; /* the command that counts all there is is in the list already */
} Build;

/* What is added in front of a value: <jotter-WORD SIGN ATTRIBUTES>. */
typedef struct Part {
    const char *word;
    Str attributes; /* with a space in front, or empty */
    Str value;
    Str get;
} Part;

/* Add a part in at most `share` tokens; *spent is what it took.  0: there was no room. */
bool context_add_part(Build *b, Buf *to, const Part *p, uint64_t share, uint64_t *spent);

/* One more entry of the list of what was left out. */
ContextLeft *context_leave(Build *b, const char *what, const char *why);

/* What the pad says to the question, in a part of the `left` tokens (context_evidence.c). */
MUST_USE jot_status context_add_evidence(Build *b, uint64_t left, Err *e);

/* The pad's overview: open work, the index of its notes, the newest of them, and what else there
 * is, in at most `room` tokens (context_notes.c). */
MUST_USE jot_status context_add_overview(Build *b, uint64_t room, Err *e);

#endif
