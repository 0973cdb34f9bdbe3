/* budget.h - Budget, how full a model's context window is.
 *
 * Of the window a part is kept free for the reply (headroom); the rest is usable.
 * What is used is estimated, part by part, from the request as it would be sent:
 *
 *   system      rules and prompt
 *   tools       their descriptions
 *   history     question, summary, the model's words and calls, results of tools
 *   retrieved   of the results, those that were read from the pad
 *
 * If a provider counted more for its newest request than was estimated for that one,
 * the estimate missed so much, and it is added from then on: what comes is estimated, what
 * goes is taken off as estimated, and nothing that was counted is forgotten.  Green below 0.60 of
 * what is usable, yellow from there, red from 0.80 on.  Here things are only measured; compact.h
 * acts. */
#ifndef AGENT_BUDGET_H
#define AGENT_BUDGET_H

#include "agent/transcript.h"

enum {
    /* Tokens, if nobody knows the model's.  Servers of small models cut what is longer, and do not
     * say so. */
    BUDGET_WINDOW = 32 * 1000,
    BUDGET_WINDOW_MIN = 2000,
    BUDGET_WINDOW_MAX = 100 * 1000 * 1000,
    BUDGET_HEADROOM = 4096,     /* tokens; of a small window a quarter */
    BUDGET_REPLY = 16384,       /* tokens of a reply, if nobody knows better; likewise */
    BUDGET_RAISE = 4,           /* by how much a limit is raised that left no room for words */
    BUDGET_YELLOW_PERCENT = 60, /* per cent of what is usable */
    BUDGET_RED_PERCENT = 80,
    BUDGET_PER_MESSAGE = 4, /* tokens a message takes besides its text; a call and a result too: */
    BUDGET_PER_CALL = 6,
    BUDGET_PER_RESULT = 4,
    BUDGET_PER_IMAGE = 1600,        /* vendors make larger ones smaller */
    BUDGET_PER_PAGE = 2000,         /* of a PDF: its text and its picture ... */
    BUDGET_PAGE_BYTES = 100 * 1000, /* ... of which it has as many as it says, or as many bytes */
};

typedef enum BudgetState { BUDGET_GREEN, BUDGET_YELLOW, BUDGET_RED } BudgetState;

/* "green", "yellow", "red"; never NULL. */
const char *budget_state_name(BudgetState state);

typedef struct Budget {
    uint64_t window, headroom, usable;
    uint64_t system, tools, history, retrieved;
    uint64_t reported; /* by the provider for its newest request; 0: not known */
    uint64_t cached;   /* of that, read from the provider's cache */
    uint64_t missed;   /* of `reported', what was not in the estimate for the same request */
    uint64_t used;     /* what is estimated and what was missed */
    uint32_t factor;   /* that is in the four estimates, in thousandths (memory/run/factor.h) */
    BudgetState state;
} Budget;

/* Headroom and the limit of a reply are two things.  Headroom is what the estimate keeps free: it
 * decides when room is made.  The limit ends a reply that runs away; it includes hidden reasoning,
 * so it must be generous, and it may be larger than the headroom because room is made at 80 per
 * cent already. */

/* The headroom of a window. */
uint64_t budget_headroom(uint64_t window);

/* The limit of a reply, for a request; 0: none, the model has its own. */
uint32_t budget_reply(const LlmLimits *known, uint64_t window);

/* Raise a limit that was reached before anything was said.  False: it cannot be raised. */
bool budget_raise(const LlmLimits *known, uint64_t window, uint32_t *limit);

/* What the next request takes. */
Budget budget_measure(const Transcript *t);
/* The four parts together. */
uint64_t budget_estimate(const Budget *b);
/* The same for numbers that are known: fills in usable, used and state. */
void budget_add_up(Budget *b);

/* Of what is usable, in per cent; may be above 100. */
unsigned budget_percent(const Budget *b);

/* {"window", "headroom", "system", "tools", "history", "retrieved", "reported", "cached", "missed",
 * "used",
 * "state"}; the caller owns it. */
json_t *budget_json(const Budget *b);

#endif
