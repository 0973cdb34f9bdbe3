/* transcript.h - Transcript, what an agent's loop has done so far.
 *
 * A transcript is a left fold over the records of a run and nothing else: no
 * clock, no environment, no file.  So a process that takes over a run sends, byte
 * for byte, the request the dead one would have sent:
 *
 *   setup        rules, tools and limits, as they were when the run began
 *   init         the question; it is the first message and always stays
 *   reply        a turn begins: the model's parts, which go back as they came
 *   tool_call    a call of the turn was issued
 *   tool_result  and came back
 *   notice       what the loop said to the model
 *   notice       of the kind 'short': the newest turn's results are shown in part, too
 *   notice       of the kind 'file': an image or a document that the user gave
 *   clear        older results are shown as a line that says how to read them
 *   compact      the summary stands for all turns up to a record
 *
 * A turn is never shown in part: a call and its result come and go together.
 *
 * What was redacted is shown as FORGET_MARK.  Of a redacted reply the calls that
 * were issued are known by their own records; with the reply went the model's ids of
 * them, so their results are shown in words. */
#ifndef AGENT_TRANSCRIPT_H
#define AGENT_TRANSCRIPT_H

#include "agent/call.h"
#include "llm/llm.h"
#include "memory/run/run.h"

/* --- What a run was begun with ----------------------------------------------------------- */

typedef struct Setup {
    Str system; /* rules, prompt and all */
    LlmTool *tools;
    size_t tools_n;
    bool json;           /* the model asks for tools by JSON in its text */
    uint64_t window;     /* tokens the model can take in */
    uint64_t headroom;   /* of these, kept free for its reply */
    uint32_t max_tokens; /* of a reply; 0: the model has its own limit */
    bool raised;         /* because a reply reached it before it said anything */
    Str tool_choice;     /* of the first reply; LLM_CHOICE_NONE: of all.  Empty: none */
    Str model;           /* its address, without anything secret */
} Setup;

/* Add the body of the record that transcript_take reads. */
void setup_write(const Setup *s, Buf *to);

/* --- Turns ------------------------------------------------------------------------------- */

typedef struct TurnCall {
    Call call;       /* its arguments are not read */
    Str part;        /* the model's id of the call; empty in the JSON protocol */
    bool broken;     /* it must not be run */
    uint64_t issued; /* the record that says so; 0: not yet */
    bool mutating;   /* as recorded */
    Str warning;     /* as recorded */
    uint64_t n;      /* the number of its result; 0: none yet */
    bool ok;
    Str result;    /* what the model is shown of it ... */
    uint64_t most; /* ... of that so many characters; 0: all */
    bool redacted; /* its arguments are not known any more: it must not be run either */
} TurnCall;

typedef enum TurnKind {
    TURN_CALLS,      /* it wants tools */
    TURN_FINAL,      /* its text is an answer */
    TURN_UNREADABLE, /* it is neither */
    TURN_CUT,        /* its text was cut off */
    TURN_PAUSED,     /* it continues when it is asked again */
    TURN_REFUSED,    /* it will not answer */
    TURN_REDACTED,   /* nobody knows: what it said is gone, its calls are those that were issued */
} TurnKind;

typedef struct Turn {
    TurnKind kind;
    uint64_t seq;   /* of the reply */
    uint64_t last;  /* of the newest record that belongs to it */
    Str run;        /* in which it was made: names of calls begin with it */
    LlmPart *parts; /* as they came */
    size_t parts_n;
    TurnCall *calls;
    size_t calls_n, calls_cap;
    Str text; /* of TURN_FINAL: the answer; else what the model said */
    Str why;  /* of TURN_UNREADABLE and TURN_REFUSED */
    Str notice;
    LlmPart *files; /* that came with it */
    size_t files_n, files_cap;
    Str *rules; /* directories whose rules it was shown */
    size_t rules_n, rules_cap;
    bool at_limit; /* it ended where its limit of tokens was reached ... */
    bool full;     /* ... or the context window */
    bool empty;    /* it has neither words nor a whole call */
} Turn;

typedef struct Transcript {
    uint64_t seq; /* of the newest record taken in */
    Str run;
    Str query;
    LlmPart *files; /* that came with it */
    size_t files_n, files_cap;
    bool foreign; /* before it was set up it had records that no loop makes */
    Frame frame;  /* without a sign: the run was begun by a version that had none */
    bool set_up;
    uint64_t setup_seq; /* of the newest setup */
    bool setup_lost;    /* the first one was redacted: turns cannot be understood for certain */
    Setup setup;
    Turn *turns; /* those after the summary */
    size_t turns_n, turns_cap;
    Str summary;      /* empty: none */
    uint64_t summed;  /* turns it stands for */
    bool fresh;       /* and no reply came since */
    uint64_t cleared; /* results up to this number are a line each */
    uint64_t shorter; /* the record that made the context shorter last */
    uint64_t replies; /* of the whole run */
    uint64_t since;   /* of those, after the newest `end`, and made in this run */
    uint64_t unread;  /* newest replies in a row that were neither call nor answer */
    uint64_t nudges;  /* times an answer was put off because a plan was open */
    /* Tokens of the newest request as its provider counted them (0: it did not), and as they were
     * estimated before it was sent. */
    uint64_t reported, estimated;
    uint64_t cached;    /* of those that were counted, how many were read from a cache */
    LlmUsage usage;     /* of all replies of this run, as far as their provider counted */
    uint32_t factor;    /* of the model's tokens, in thousandths; 0: FACTOR_ONE.  Not in the run */
    uint64_t spent;     /* tokens of all requests and replies of this run */
    uint64_t inherited; /* records up to here are another run's, from which it was taken back */
    bool answered;
    Str answer;
    Str end, end_why; /* of the newest `end`; empty if something came after it */
    Arena arena;
} Transcript;

/* Take in what was added to the run. */
MUST_USE jot_status transcript_refresh(Transcript *t, Run *r, Err *e);
/* Take in one record. */
void transcript_take(Transcript *t, const RunStep *given);
void transcript_done(Transcript *t); /* {0} is fine */
DEFINE_AUTO(Transcript, transcript_done)

/* The turn at the end, NULL if there is none; and its first call without a result, NULL likewise.
 */
Turn *transcript_last(const Transcript *t);
TurnCall *transcript_open_call(const Transcript *t);
/* True if the model still sees the rules of this directory. */
bool transcript_has_rules(const Transcript *t, Str dir);

/* --- Replies as records ------------------------------------------------------------------ */

/* The body of a notice 'file'. */
void file_write(Str name, Str type, Str bytes, Buf *to);

/* The body of a reply's record.  `budget` is a JSON object, or empty. */
void reply_write(const LlmReply *r, Str budget, Buf *to);

#endif
