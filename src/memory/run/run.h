/* run.h - Run, the log of an agent's work on one query.
 *
 * A run is the stream runs/<id>; the id is <YYYYMMDD-HHMMSS>_<6 hex of the
 * query's SHA-256>, with -2, -3 ... after it if that is taken.  What happens is
 * appended as it happens, body = exact bytes, and a killed process continues where
 * the stream ends:
 *
 *   init         the query; its meta has the sign of the run's frame, its limits, and of which
 *                run it is a copy up to some record, if it was taken back (run_branch.c)
 *   thinking     what the model said to itself
 *   tool_call    a call was issued; the body is its arguments
 *   tool_result  a call was completed; results are numbered 1, 2, 3 ...
 *   clear        the oldest results are no longer shown
 *   compact      the body sums up every result so far
 *   plan         the plan as it is now
 *   answer       the final answer
 *   setup        what an agent's loop was begun with: rules, tools; limits in its meta
 *   reply        what the model answered, whole, before any of its calls is made
 *   notice       what the loop said to the model besides results
 *   end          the loop stopped without an answer; the body says why
 *   fold         what all records before add up to; every RUN_FOLD_EVERY-th record is one
 *
 * The fold makes the cost of everything below independent of the run's length: a
 * reader needs the newest fold and what comes after it, and no more.
 *
 * Everything is decided by this one stream.  Each append names the seq it follows,
 * and is repeated on what stands there if another process was faster: so numbers
 * and folds are exact no matter who writes.  A process that dies between two appends
 * leaves a call without a result (run_results.h lists those) or a fold without the
 * record it was written for, which is harmless. */
#ifndef MEMORY_RUN_RUN_H
#define MEMORY_RUN_RUN_H

#include "memory/frame/frame.h"
#include "memory/memory.h"
#include "memory/run/usage.h"

enum {
    RUN_FOLD_EVERY = 64,
    RUN_ID_MAX = 64,     /* bytes */
    RUN_TOOL_MAX = 128,  /* bytes of a tool's name */
    RUN_OPEN_MAX = 256,  /* calls without a result at one time */
    RUN_SAME_MAX = 1000, /* runs of one query in one second */
};

/* --- What is in a run -------------------------------------------------------------------- */

typedef enum RunKind {
    RUN_OTHER = 0, /* written by something else, or by a newer version */
    RUN_INIT,
    RUN_THINKING,
    RUN_CALL,
    RUN_RESULT,
    RUN_CLEAR,
    RUN_COMPACT,
    RUN_PLAN,
    RUN_ANSWER,
    RUN_FOLD,
    RUN_SETUP,
    RUN_REPLY,
    RUN_NOTICE,
    RUN_END,
} RunKind;

/* The word in the record, "tool_call" for example; never NULL. */
const char *run_kind_name(RunKind kind);

/* A record of a run, understood. */
typedef struct RunStep {
    RunKind kind;
    uint64_t seq;
    int64_t at_ms;
    bool redacted; /* the body was removed later */
    Str by;
    Str body;          /* exact bytes */
    Str call, tool;    /* tool_call, tool_result */
    bool mutating;     /* tool_call: it changes something outside */
    bool ok;           /* tool_result: the tool did not fail */
    uint64_t of;       /* tool_result: the seq of its call */
    uint64_t n;        /* tool_result: its number; compact: how many results it sums up; notice
                          'short': how many characters of a result are shown */
    uint64_t from, to; /* clear: these results */
    uint64_t until;    /* compact: it stands for all records up to here; 0: all before it; init of
                          a run that was taken back: those up to here are the other one's */
    uint64_t tokens;   /* compact: what it cost to make */
    Str warning;       /* tool_call: what the model reads about it */
    Str word;          /* notice: what it is about; end, compact: how */
    Str dir;           /* notice 'rules': of which directory */
    Str origin;        /* init: the run this one was taken back from; reply: the run it was made in;
                          empty: none, and this one */
    uint64_t turn;     /* init: the turn it was taken back to */
    Str sign;          /* init: of the frame of its prompts; empty: it was begun without one */
    UsageLimits limits; /* init, setup: of the run from here on; 0: as before */
} RunStep;

/* Texts are borrowed from `r`, or live in `into` if they were escaped there. */
RunStep run_step_of(const Record *r, Arena *into);
json_t *run_step_json(const RunStep *s);

/* A call that was issued and has no result yet. */
typedef struct RunOpen {
    Str call, tool;
    uint64_t seq;
    bool mutating;
} RunOpen;

/* What all records up to `seq` add up to. */
typedef struct RunState {
    uint64_t seq;
    uint64_t results;              /* how many there are */
    uint64_t result_seq;           /* the newest one's record; 0: none */
    uint64_t compacted;            /* results up to here are in the summary ... */
    uint64_t compact_seq;          /* ... which is this record's body; 0: none */
    uint64_t cleared;              /* results up to here (and after the summary) are not shown */
    uint64_t plan_seq, answer_seq; /* the newest ones; 0: none */
    uint64_t thoughts;
    uint64_t damaged; /* records that could not be read */
    RunOpen *open;    /* in the order they were issued */
    size_t open_n, open_cap;
    Usage usage;
    UsageLimits limits; /* its own; 0: what is usual */
} RunState;

/* How many results are shown in full. */
uint64_t run_shown(const RunState *s);
/* The open call of this id, or NULL. */
const RunOpen *run_open_call(const RunState *s, Str call);

/* Take the next record into account. */
void run_state_take(RunState *s, Arena *into, const RunStep *x);
/* The body of a fold, and back. */
json_t *run_state_json(const RunState *s);
MUST_USE bool run_state_read(Str text, Arena *into, RunState *out);

/* --- Opening ----------------------------------------------------------------------------- */

typedef struct Run {
    Memory *m;
    char id[RUN_ID_MAX + 1];
    char stream[RUN_ID_MAX + 8];
    RunState state; /* as of the last call */
    uint64_t lost;  /* records after it that were damaged; their numbers are used */
    Arena arena;    /* of the state */
} Run;

/* The stream of a run, whether there is one or not; JOT_INVALID for what is no id. */
MUST_USE jot_status run_stream(Str id, Arena *into, Str *out, Err *e);

/* What a run can be begun with. */
typedef struct RunBegin {
    const Frame *frame; /* drawn before, because rules are written in it already; NULL: draw one */
    UsageLimits limits; /* that count for this run at every door; {0}: what is usual */
} RunBegin;

/* A new run.  `begin` may be NULL.  JOT_INVALID unless the query is UTF-8 and the limits are some.
 */
MUST_USE jot_status run_begin(Memory *m, const RunBegin *begin, Str query, Run *out, Err *e);
/* A new run whose id is known to others.  JOT_CONFLICT: there is one, or there was. */
MUST_USE jot_status run_begin_as(Memory *m, Str id, Str query, Run *out, Err *e);
/* One that is there.  JOT_NOT_FOUND. */
MUST_USE jot_status run_open(Memory *m, Str id, Run *out, Err *e);
/* The handle alone, whether there is such a run or not: it is opened by its first refresh. */
MUST_USE jot_status run_at(Memory *m, Str id, Run *out, Err *e);
/* Take in what was added since, by anybody.  JOT_NOT_FOUND. */
MUST_USE jot_status run_refresh(Run *r, Err *e);
/* The newest records of a run, from some fold on; may be empty. */
typedef struct RunTail {
    Records records;
    Arena arena; /* of the records */
} RunTail;
/* The same, for who reads on from there: if it had to read all records from some fold on, these are
 * in *tail (given as {0}). */
MUST_USE jot_status run_refresh_tail(Run *r, RunTail *tail, Err *e);
void run_tail_free(RunTail *t);
DEFINE_AUTO(RunTail, run_tail_free)
void run_close(Run *r); /* {0} is fine */
DEFINE_AUTO(Run, run_close)

/* --- Adding ------------------------------------------------------------------------------ */

/* kind is RUN_THINKING, RUN_PLAN or RUN_ANSWER.  JOT_INVALID unless the text is UTF-8. */
MUST_USE jot_status run_say(Run *r, RunKind kind, Str text, Err *e);
/* For an agent's loop: kind is RUN_REPLY, RUN_NOTICE or RUN_END; `word` may be empty. */
MUST_USE jot_status run_record(Run *r, RunKind kind, const char *word, Str text, Err *e);
/* A notice that says more than its text. */
typedef struct RunNotice {
    const char *word; /* what it is about */
    Str text;         /* UTF-8 */
    uint64_t chars; /* "short": the newest turn's results are shown with so many characters each */
    Str dir;        /* "rules": of which directory */
} RunNotice;

MUST_USE jot_status run_notice(Run *r, const RunNotice *n, Err *e);
/* The same for what it is begun with; `limits` are the run's from now on where they are not 0. */
MUST_USE jot_status run_set_up(Run *r, UsageLimits limits, Str text, Err *e);

typedef struct RunCall {
    Str call; /* the provider's id of the call; a name as in artifacts/tool_results/<call> */
    Str tool;
    Str args; /* a JSON object; empty stands for {} */
    bool mutating;
    Str warning;        /* what the model reads about it beside its result; may be empty */
    UsageLimits limits; /* what run_issue warns by; {0}: the run's */
} RunCall;

/* Record a call before it is made.  JOT_CONFLICT: a call of that id is open. */
MUST_USE jot_status run_call(Run *r, const RunCall *c, Err *e);
/* Record what came of it, any bytes.  JOT_NOT_FOUND: no such call is open.  *n is its number. */
MUST_USE jot_status run_result(Run *r, Str call, bool ok, Str result, uint64_t *n, Err *e);

/* What came of recording a call. */
typedef struct RunCalled {
    Str call;               /* its id */
    uint64_t seq;           /* of its record */
    UsageWarnings warnings; /* for the model */
} RunCalled;

/* The same for a door: a call without an id gets one, and what there is to say about it is in *out,
 * whose texts live in `into`. */
MUST_USE jot_status run_issue(Run *r, const RunCall *c, Arena *into, RunCalled *out, Err *e);

/* A call that has ended, and what came of it. */
typedef struct RunFinish {
    RunCall call;
    bool ok;
    Str result; /* any bytes */
} RunFinish;

/* Record both, the call and its result; *n is the result's number.  A call of this id and tool that
 * is open is not recorded again, so a caller who died in between, or does not know, repeats it. */
MUST_USE jot_status run_finish(Run *r, const RunFinish *f, Arena *into, RunCalled *out, uint64_t *n,
                               Err *e);

/* Stop showing all but the newest `keep` results.  *cleared says how many that is; with 0 nothing
 * is recorded. */
MUST_USE jot_status run_clear(Run *r, uint64_t keep, uint64_t *cleared, Err *e);
/* From now on `summary` (UTF-8, not empty) stands for every result so far. */
MUST_USE jot_status run_compact(Run *r, Str summary, Err *e);
/* A summary of a part of the run. */
typedef struct RunSummary {
    Str text;         /* UTF-8, not empty */
    uint64_t n;       /* it stands for results 1 to n ... */
    uint64_t until;   /* ... and for all records up to this seq */
    const char *word; /* how it was made */
    uint64_t tokens;  /* what that cost; 0: not known */
} RunSummary;

/* The same for a part.  JOT_INVALID unless the run has it. */
MUST_USE jot_status run_compact_until(Run *r, const RunSummary *s, Err *e);

/* --- Going back -------------------------------------------------------------------------- */

typedef struct RunPoint {
    uint64_t until; /* the last record that stays */
    uint64_t turn;  /* what that is for people: the turn that comes next */
} RunPoint;

/* A new run that is to begin as `from` did, and says so: so far it has the first record only.
 * run_branch_fill() copies the others, also after a crash; in any other run it does nothing.
 * JOT_CORRUPT: a record of the old run cannot be read. */
MUST_USE jot_status run_branch(const Run *from, const RunPoint *at, Run *out, Err *e);
MUST_USE jot_status run_branch_fill(Run *r, Err *e);
/* The first record; its `origin` is empty unless the run was taken back.  Lives in `into`. */
MUST_USE jot_status run_origin(const Run *r, Arena *into, RunStep *out, Err *e);
/* A run that begins with this record; its meta is a JSON object. */
MUST_USE jot_status run_begin_with(Memory *m, Str meta, Str query, Run *out, Err *e);

/* The limits that count: what was asked for, else the run's own, else what is usual. */
UsageLimits run_limits(const Run *r, UsageLimits asked);
/* What to say to the model before it makes this call; never a reason to refuse it. */
UsageWarnings run_warnings(const Run *r, UsageLimits asked, Str tool, Str args, Arena *into);

/* What a door answers: {"call", "seq", "warnings": [...]}; `n` is the number of its result, if that
 * was recorded too, as "n", or 0.  The caller owns it. */
json_t *run_called_json(const RunCalled *c, uint64_t n);
/* An event for programs: {"event": "context_cleared", "run", "cleared", "kept"}. */
json_t *run_cleared_json(const Run *r, uint64_t cleared);

/* --- Reading ----------------------------------------------------------------------------- */

/* All steps from a seq on, folds included; the step is borrowed for the call.  `each` may stop the
 * walk by returning anything but JOT_OK, which is then returned. */
MUST_USE jot_status run_each(Run *r, uint64_t from, jot_status (*each)(void *ctx, const RunStep *s),
                             void *ctx, uint64_t *damaged, Err *e);
/* The one at this seq; JOT_NOT_FOUND also if it cannot be read.  Lives in `into`. */
MUST_USE jot_status run_step(Run *r, uint64_t seq, Arena *into, RunStep *out, Err *e);
/* The seq from which on result `n` and all later ones are found, with at most a few records of
 * others in front: found by halving over the folds. */
MUST_USE jot_status run_seek(Run *r, uint64_t n, uint64_t *seq, Err *e);

/* A run in a list. */
typedef struct RunLine {
    Str id;
    int64_t at_ms;    /* of the newest record */
    uint64_t records; /* folds included */
    Str by;           /* of the newest record */
    bool ahead;       /* its time is still to come: a clock was wrong, and it says nothing */
} RunLine;

/* All runs, oldest first. */
MUST_USE jot_status run_list(Memory *m, jot_status (*each)(void *ctx, const RunLine *l), void *ctx,
                             Err *e);
/* The query of a run; empty if it cannot be read, FORGET_MARK if redacted.  Lives in `into`. */
MUST_USE jot_status run_query(Memory *m, Str id, Arena *into, Str *query, Err *e);
/* The frame of its prompts; one without a sign if it was begun without, or its first record cannot
 * be read. */
MUST_USE jot_status run_frame(const Run *r, Frame *out, Err *e);

#endif
