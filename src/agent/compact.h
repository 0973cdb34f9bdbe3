/* compact.h - making room when the context is red.
 *
 * In this order, and no further than needed:
 *
 *   mask        results but the newest become a line with the key under which
 *               scratchpad_read finds them
 *   summarise   the model sums up all turns but the newest; its summary stands for
 *               them, and for the summary before, within a fixed size
 *   drop        the same with a list of calls instead of a summary, if the model has
 *               none to give or it is still red
 *   shorten     if the provider says that even the newest turn alone is too long: its
 *               results are shown with their beginning and a pointer to the rest
 *
 * The question and the newest turn always stay, and a turn goes with all its
 * results or not at all.  What comes of each step is a record of the run, from
 * which alone the context is built: a process that dies in between has either
 * taken the step or not, and the next process continues there. */
#ifndef AGENT_COMPACT_H
#define AGENT_COMPACT_H

#include "agent/budget.h"

enum {
    COMPACT_KEEP_RESULTS = 3,
    COMPACT_KEEP_TURNS = 3,         /* a turn is what the model said and what it was answered */
    COMPACT_SUMMARY_TOKENS = 2000,  /* at most, also of the tenth summary of summaries */
    COMPACT_SUMMARY_MAX_OUT = 1600, /* tokens the model is given for one, at least */
    COMPACT_DIGEST_LINES = 40,      /* calls that are listed when turns are dropped */
    COMPACT_SHORT_SHARE = 4,        /* of a newest turn that is too long, this fraction stays */
    COMPACT_SHORT_CHARS_MIN = 200,  /* of a result that is shown in part */
};

typedef struct CompactSummary {
    Str text;
    bool cut;        /* it ended at max_tokens: the end is missing */
    uint64_t tokens; /* it cost, in and out; 0: nobody counted */
} CompactSummary;

/* What a summary is asked for with. */
typedef struct CompactAsk {
    Str system;          /* how to sum up */
    Str text;            /* what */
    uint32_t max_tokens; /* of the summary; 0: the model has its own limit */
} CompactAsk;

/* Ask a model for one text.  JOT_CANCELLED stops everything; after any other failure turns are
 * dropped instead. */
typedef struct CompactModel {
    jot_status (*sum_up)(void *ctx, const CompactAsk *ask, Arena *into, CompactSummary *out,
                         Err *e);
    void *ctx;
} CompactModel;

typedef struct Compacted {
    uint64_t masked;    /* results */
    uint64_t summed;    /* turns, by a summary */
    uint64_t dropped;   /* turns, by a list of their calls */
    uint64_t shortened; /* results of the newest turn */
    Budget before, after;
    Err why; /* why there is no summary; status JOT_OK: there is one, or none was needed */
} Compacted;

/* Make room if the context is red: mask, summarise, drop.  Every turn of the transcript must be
 * answered.  JOT_OK also if it is still red afterwards: out->after says so. */
MUST_USE jot_status compact_if_red(Run *r, Transcript *t, const CompactModel *model, Compacted *out,
                                   Err *e);

/* The provider says that the request is too long, whatever the count: take the first step that
 * makes it shorter.  If that is not enough it will say so again, and the next one is taken.
 * compact_done() is false if there is none any more. */
MUST_USE jot_status compact_further(Run *r, Transcript *t, const CompactModel *model,
                                    Compacted *out, Err *e);
/* True if something was made shorter. */
bool compact_done(const Compacted *c);

/* The section "# Compact Instructions" of rules, without its heading; empty: none. */
Str compact_instructions(Str rules);

#endif
