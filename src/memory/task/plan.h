/* plan.h - Plan, what is to be done, and how one would know that it is.
 *
 * A plan is the stream `plans/ID`.  Each record is an event together with the plan
 * as it is after it, so the newest record is the plan and all of them are its
 * history.  A new plan of the same id takes the old one's place; the old one stays
 * in the history.
 *
 * A step is pending, in_progress, done or blocked; a postcondition is satisfied or
 * not.  Done and satisfied need evidence, blocked needs notes that say why.  What
 * the evidence says is not checked, only that there is some.  A plan is ready when
 * every step is done or blocked and every postcondition is satisfied; a caller who wants
 * to give a final answer asks plan_gate() first.
 *
 * A process killed anywhere leaves the plan before or after an event. */
#ifndef MEMORY_TASK_PLAN_H
#define MEMORY_TASK_PLAN_H

#include "base/json.h"
#include "memory/memory.h"

#define PLAN_KIND "plans/"

enum {
    PLAN_STEPS_MAX = 100,
    PLAN_POSTCONDITIONS_MAX = 100,
    PLAN_TEXT_MAX = 4096, /* bytes of an objective, description, evidence, notes */
    PLAN_NUDGES_MAX = 2,  /* final answers that are refused */
};

typedef enum PlanStatus { PLAN_PENDING = 0, PLAN_IN_PROGRESS, PLAN_DONE, PLAN_BLOCKED } PlanStatus;

const char *plan_status_name(PlanStatus s);
MUST_USE bool plan_status_parse(Str name, PlanStatus *out);

typedef struct PlanStep {
    Str description;
    PlanStatus status;
    Str evidence, notes;
} PlanStep;

typedef struct PlanPostcondition {
    Str description;
    bool satisfied;
    Str evidence;
} PlanPostcondition;

typedef struct Plan {
    Str id, objective;
    PlanStep *steps; /* called 1, 2, 3 ... */
    size_t steps_n;
    PlanPostcondition *posts;
    size_t posts_n;
    int64_t created_ms;
    Str refused;   /* why what its shared file says is not taken (share.h); empty: it is */
    uint64_t file; /* the record of that file that was seen; 0: none */
    uint64_t seq;  /* of the last event; 0: there is only a file, which has no event yet */
    int64_t at_ms;
    Str by;
} Plan;

/* --- Writing --------------------------------------------------------------------------- */

typedef struct PlanDraft {
    Str objective;
    const Str *steps; /* at least one */
    size_t steps_n;
    const Str *posts;
    size_t posts_n;
} PlanDraft;

/* Make a plan, or put it in the place of the one of that id. */
MUST_USE jot_status plan_create(Memory *m, Str id, const PlanDraft *d, Arena *into, Plan *out,
                                Err *e);

/* Take the plan `from` over, as it was at a time, for a run that was taken back; JOT_OK also if
 * there was none, or `to` has one already. */
MUST_USE jot_status plan_take_over(Memory *m, Str from, int64_t at_ms, Str to, Err *e);

typedef struct PlanMove {
    size_t n; /* the step's number, from 1 on */
    PlanStatus status;
    Str evidence, notes; /* empty: as they were */
} PlanMove;

/* JOT_NOT_FOUND: no such plan.  JOT_INVALID: no such step, or evidence or notes are missing. */
MUST_USE jot_status plan_step(Memory *m, Str id, const PlanMove *move, Arena *into, Plan *out,
                              Err *e);
/* That postcondition `n`, from 1, holds, and what shows it. */
typedef struct PlanVerify {
    size_t n;
    Str evidence;
} PlanVerify;
/* Statuses as above. */
MUST_USE jot_status plan_verify(Memory *m, Str id, const PlanVerify *what, Arena *into, Plan *out,
                                Err *e);

/* --- Reading --------------------------------------------------------------------------- */

/* What a pull brought counts at once, if it may (share.h): it is read, and not recorded. */
MUST_USE jot_status plan_read(Memory *m, Str id, Arena *into, Plan *out, Err *e);

/* All of them by id, in byte order; one that cannot be read has an id alone.  `each` may stop the
 * walk by anything but JOT_OK. */
typedef jot_status PlanEach(void *ctx, const Plan *p);
MUST_USE jot_status plan_each(Memory *m, PlanEach *each, void *ctx, Err *e);

bool plan_ready(const Plan *p);

/* The plan as a person writes it, one line an item:
 *
 *   # Plan: OBJECTIVE
 *   ## Steps
 *   1. [x] DESCRIPTION        "[ ]" pending, "[.]" in progress, "[x]" done, "[!]" blocked
 *        evidence: TEXT
 *   ## Postconditions
 *   1. [ ] DESCRIPTION */
Str plan_text(const Plan *p, Arena *into);

/* May a final answer be given now? */
typedef enum PlanGate {
    PLAN_OPEN,    /* yes */
    PLAN_NUDGE,   /* no: say the text to the model and let it continue */
    PLAN_GIVE_UP, /* no, and PLAN_NUDGES_MAX nudges were given: end the run; the text says what is
                     open */
} PlanGate;

/* Asked before anything else is made of a final answer, an empty one too.  `p` may be NULL: there
 * is no plan.  `nudges` is how often this run was nudged before; it is counted by the caller, from
 * its own records, so that a run that was killed counts on. */
PlanGate plan_gate(const Plan *p, unsigned nudges, Arena *into, Str *text);

/* {"id", "objective", "steps": [{"id": "s1", "description", "status", "evidence", "notes"}],
 *  "postconditions": [{"description", "satisfied", "evidence"}], "ready", "created", "seq",
 *  "at", "by"}; the caller owns it. */
json_t *plan_json(const Plan *p);

#endif
