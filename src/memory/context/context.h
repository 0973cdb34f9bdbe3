/* context.h - Context, what a model is shown of a pad within a budget of tokens.
 *
 * The same pad and the same question give the same bytes, in every process: the
 * text depends on streams alone (and, without a run, on a secret of the user's that the sign is
 * made with, and on which leases stand), not on an environment or an order of calls.  It has two
 * parts:
 *
 *   prefix   standing rules, pinned notes, the run's query: as long as these are
 *            the same the prefix is the same bytes, so a provider's cache of it holds
 *   tail     the state of a cycle, the summary and the results of the run, its plan,
 *            its open calls, the use of tools; the overview of the pad; what was left out
 *
 * The overview says what is open (open.h), which notes there are, with first line, tokens, time and
 * author, what the newest of them say, and what else the pad holds.
 *
 * A note is pinned by its key: `persistent-rules` first, then every key that
 * begins with `pinned-`, in byte order.  A person can so pin a note by naming a file.
 * Those whose text the user has approved (rule.h) come first, as <jotter-rule>; the
 * others are <jotter-note approved="no...">, which says that they are information.
 *
 * Each part begins with a line that carries the frame's sign, and ends at the next such line
 * (frame.h).  After a value there is one line break that is not part of it.
 *
 * Newest results are shown in full, as many as fit; a few older ones as one line
 * each; the rest as a range.  Whatever is not shown in full is in the list of
 * what was left out, with the command or the call that gets it.  Nothing is cut silently.
 *
 * A budget in which all this finds no room, the least one for example, gets one line that says how
 * to ask.  Results are read from the newest backwards, so the cost is that of the budget, not of
 * the run's length; the overview looks at the head of every note, task and plan. */
#ifndef MEMORY_CONTEXT_CONTEXT_H
#define MEMORY_CONTEXT_CONTEXT_H

#include "memory/run/run.h"

enum {
    CONTEXT_BUDGET = 8000, /* tokens, if nothing is said */
    CONTEXT_BUDGET_MIN = 100,
    CONTEXT_BUDGET_MAX = 4 * 1000 * 1000,
};

typedef struct ContextAsk {
    uint64_t budget;      /* estimated tokens; 0: CONTEXT_BUDGET */
    Run *run;             /* NULL: none; refreshed, so run_at() is enough */
    Str agent;            /* whose state, cycles/<agent>; empty: none */
    Str rules;            /* standing rules from elsewhere, UTF-8, in front of all; may be empty */
    Str query;            /* with what the pad says to it; UTF-8, may be empty */
    const char *language; /* of the endings of its words, as in search.h */
    uint64_t limit;       /* of calls, as in usage.h; 0: the run's */
    unsigned reach;       /* what the reader has to get what is left out, as in pointer.h */
    int64_t until_ms;     /* of the clock since boot: notes are looked at until then; 0: all are */
    bool overview;        /* of the pad beside the run; without a run it is there anyway */
} ContextAsk;

/* Something that is not shown in full. */
typedef struct ContextLeft {
    const char *what;  /* "note", "results", "notes", "open items" ... */
    const char *why;   /* "cut", "left out", "masked", "cleared", "summed up", "not text",
                          "not in full" */
    Str name;          /* of a note */
    uint64_t from, to; /* of results */
    uint64_t count;    /* of "notes", "hits" and "open items" */
    Str get;           /* the command or the call that gets it; may be empty */
} ContextLeft;

typedef struct Context {
    Str text;
    size_t prefix_bytes;
    uint64_t tokens; /* of the text, estimated; at most the budget */
    uint64_t budget;
    uint64_t results_shown; /* in full */
    uint64_t rules;         /* pinned notes that are approved */
    uint64_t not_approved;  /* those that are shown as information */
    uint64_t damaged;       /* records of the run that cannot be read */
    ContextLeft *left;
    size_t left_n;
} Context;

/* JOT_INVALID for a budget out of bounds.  A stream that is not there is left out.  Lives in
 * `into`. */
MUST_USE jot_status context_build(Memory *m, const ContextAsk *ask, Arena *into, Context *out,
                                  Err *e);

json_t *context_json(const Context *c);

#endif
