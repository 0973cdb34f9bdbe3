/* loop.h - Loop, an agent at work on one question until it is answered.
 *
 * Ask the model, record its reply, make its calls one by one, ask again.  What to
 * do next follows from the run's records alone (transcript.h), and every step is
 * durable before the next one is taken:
 *
 *   reply         before any of its calls is made
 *   tool_call     before the call is made
 *   the sink      when it has answered (act.h)
 *   tool_result   before the model is asked again
 *   notice        likewise: rules of a directory that it touched first, and other words
 *   answer, end   before it is printed
 *
 * So a process that resumes a run whose process died continues after its last record.
 * A call that was issued and has no result is looked for in the sink; if it is
 * not there and changes something, it is never repeated: the model reads
 * that its outcome is unknown.
 *
 * An answer is not taken while the plan of the run's name is open (plan.h).
 *
 * One process works on a run at a time: it holds a lease that ends with it. */
#ifndef AGENT_LOOP_H
#define AGENT_LOOP_H

#include "agent/compact.h"

enum {
    LOOP_ITERATIONS = 25, /* replies, unless asked for otherwise */
    LOOP_ITERATIONS_MAX = 10 * 1000,
    LOOP_TEXT_MAX = 1024 * 1024, /* bytes of a text that is given as a file */
    LOOP_RULES_SHARE = 8,        /* of what is usable, for one file of rules on the way */
    LOOP_UNREADABLE_MAX = 5,     /* replies in a row that are neither call nor answer */
    LOOP_OVERFLOWS_MAX = 8,      /* times a request is made shorter because its provider says so */
};

/* --- Who does it ------------------------------------------------------------------------- */

/* The tools. */
typedef struct LoopTools {
    /* True if a call must not be made twice. */
    bool (*mutates)(void *ctx, const Call *call);
    /* Make a call.  A refusal, a failure and a tool that is not there are replies; anything but
     * JOT_OK stops the loop. */
    jot_status (*call)(void *ctx, const Call *call, Arena *into, Reply *out, Err *e);
    /* The reply of a call that was made before.  JOT_NOT_FOUND: it was not kept. */
    jot_status (*recall)(void *ctx, Str id, Arena *into, Reply *out, Err *e);
    /* May be NULL: the directories with rules that a call has touched, the outermost first. */
    size_t (*touched)(void *ctx, const Call *call, Arena *into, const Str **dirs);
    /* Add what the model is shown of the rules of one; nothing: it has none.  `left_out` gets a
     * sentence a line for the person who watches. */
    void (*rules)(void *ctx, Str dir, const Frame *f, size_t tokens, Buf *to, Buf *left_out);
    void *ctx;
} LoopTools;

/* What a person or a program sees of the work; every function may be NULL. */
typedef struct LoopView {
    void (*budget)(void *ctx, const Transcript *t, const Budget *b); /* before the model is asked */
    void (*text)(void *ctx, Str piece);                              /* as it comes */
    void (*again)(void *ctx, int64_t wait_ms, const char *why);      /* what came so far is void */
    void (*replied)(void *ctx, const Turn *turn);
    void (*call)(void *ctx, const TurnCall *c);
    void (*result)(void *ctx, const TurnCall *c);
    void (*notice)(void *ctx, Str text);
    void (*compacted)(void *ctx, const Compacted *c);
    bool (*cancelled)(void *ctx); /* asked at least ten times a second */
    void *ctx;
} LoopView;

/* Show each line as a notice. */
void loop_notice_lines(const LoopView *v, Str lines);

typedef struct Loop {
    Memory *m;
    Llm *llm;
    LoopTools tools;
    LoopView view;
    int64_t wait_ms;         /* for another process to release the run */
    uint64_t iterations_max; /* 0: LOOP_ITERATIONS */
    uint64_t tokens_max;     /* of all requests and replies; 0: no limit */
    UsageLimits limits;      /* of calls: recorded as the run's own; {0}: what it has */
    /* What to begin with.  A resumed run keeps what it was begun with; only if the model is
     * another one, or `setup_anew` is set, it gets the model and its limits from here. */
    Setup setup;
    Frame frame; /* the rules in it were made in; without a sign: a run that begins draws one */
    bool setup_anew;
    bool protocol_given; /* setup.json was asked for: a run that has the other is refused */
} Loop;

/* --- How it ends ------------------------------------------------------------------------- */

typedef enum LoopEnd {
    LOOP_ANSWERED,
    LOOP_LIMIT,           /* all iterations are used up */
    LOOP_SPENT,           /* all tokens are */
    LOOP_INCOMPLETE_PLAN, /* it wants to answer, and the plan is still open */
    LOOP_NONSENSE,        /* LOOP_UNREADABLE_MAX replies in a row could not be read */
    LOOP_REFUSED,         /* the model will not answer */
    LOOP_CANCELLED,
    LOOP_FAILED,
} LoopEnd;

/* "answered", "limit", "spent", "incomplete_plan" ...; never NULL. */
const char *loop_end_name(LoopEnd end);

typedef struct LoopOutcome {
    LoopEnd end;
    Str answer; /* of LOOP_ANSWERED; of others what the model said last, if anything */
    Str why;    /* of all others: one line */
    uint64_t replies, results;
    uint64_t tokens; /* of all requests and replies, as far as their provider counted */
    LlmUsage usage;  /* the same by kind, without what was estimated or summed up */
    uint64_t summed; /* turns that are no longer in the context */
    Budget budget;   /* of the newest request */
} LoopOutcome;

/* Begin a run.  *out is for loop_go, and for run_close. */
MUST_USE jot_status loop_begin(Loop *l, Str query, Run *out, Err *e);
/* Take one over.  JOT_NOT_FOUND; JOT_INVALID (also of loop_go): it was not begun by a loop, or what
 * it was begun with was redacted.  JOT_LEASED: another process works on it. */
MUST_USE jot_status loop_resume(Loop *l, Str id, Run *out, Err *e);

/* Take a run back: a new one that has everything of it before its `turn`-th reply (from 1), and
 * asks for that one again.  The old one stays as it is, and may be at work.  JOT_NOT_FOUND;
 * JOT_INVALID: it has no such turn, or cannot be resumed, as above. */
MUST_USE jot_status loop_back(Loop *l, Str id, uint64_t turn, Run *out, Err *e);

/* Give the model a file with the question, before loop_go: an image, a PDF, or a text, which is
 * framed.  JOT_INVALID: it is none of these; JOT_TOO_BIG beyond LLM_FILE_MAX or LOOP_TEXT_MAX. */
MUST_USE jot_status loop_attach(Run *r, Str name, Str bytes, Err *e);
/* Whether it would be taken: fails like loop_attach. */
MUST_USE jot_status loop_check_file(Str name, Str bytes, Err *e);

/* Say something more to the model, before loop_go.  A run that was answered continues then.
 * JOT_INVALID: it cannot. */
MUST_USE jot_status loop_say(Run *r, Str text, Err *e);

/* Work until it ends.  JOT_OK with one of the ends up to LOOP_REFUSED.  JOT_CANCELLED, and whatever
 * the model or the pad failed with: the run can be taken over later.  Texts live in `into`. */
MUST_USE jot_status loop_go(Loop *l, Run *r, Arena *into, LoopOutcome *out, Err *e);

#endif
