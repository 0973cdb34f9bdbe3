/* act.h - Act, what an agent can do: the tools it has, whether it may use them, and what comes
 * back.
 *
 * All tools are `const Tool` tables and are called in one way, act_call():
 *
 *   policy   allow, ask or deny, for the tool or its effects (policy.h)
 *   tool     arguments checked against the table, then run; the tools of the pad
 *            come from src/tool, those that act outside it are here
 *   sink     the whole result is kept as the artifact of the call's id, and the
 *            context gets all of it or, over a threshold, its beginning and a handle
 *
 * A refusal and a failure are answers too: one sentence for the model.  An Act
 * belongs to one thread.
 *
 * What is true if the process dies inside act_call: the call may have acted; if it
 * did and its result was kept, act_recall() finds it, else nobody knows.  So a
 * call for which act_mutates() says true is not repeated after a crash. */
#ifndef AGENT_TOOLS_ACT_H
#define AGENT_TOOLS_ACT_H

#include "agent/call.h"
#include "agent/sandbox/confine.h"
#include "agent/tools/policy.h"
#include "memory/artifact/sink.h"

enum {
    ACT_RESULT_MAX = 1024 * 1024,  /* bytes of one result; what a tool cuts it says */
    ACT_SHELL_MS = 60 * 1000,      /* for a command, unless the model asks for another time */
    ACT_SHELL_MS_MAX = 600 * 1000, /* the longest it may ask for */
    ACT_HTTP_MS = 30 * 1000,
    ACT_SERVERS_MAX = 16, /* external servers */
};

/* --- Opening ----------------------------------------------------------------------------- */

/* What a person says when asked. */
typedef enum ActSay {
    ACT_NO,
    ACT_YES,
    ACT_ALWAYS,   /* yes, and for this tool from now on */
    ACT_TOO_LONG, /* was not asked: the call is too long to be shown */
    ACT_STOPPED,  /* did not answer: the work is to stop */
} ActSay;

typedef struct ActOptions {
    Memory *m;         /* the open pad; must outlive the Act */
    Str pad;           /* the pad's URL: nothing here ever writes into it */
    unsigned profiles; /* of the pad's tools; 0: TOOLS_SCRATCHPAD and TOOLS_PLANS */
    Str dir;           /* the working directory; empty: the process's */
    const Policy *policy;
    /* Ask a person; NULL: there is nobody, and "ask" means no. */
    ActSay (*ask)(void *ctx, const Tool *t, const json_t *args);
    /* Tell a person what a command left for other programs; the model reads it in the result. NULL:
     * there is nobody. */
    void (*planted)(void *ctx, const PlantFound *found);
    /* True: stop what is running.  Asked at least ten times a second; cheap.  NULL: never. */
    bool (*cancelled)(void *ctx);
    void *ctx;
    Str plan;        /* the plan that is meant where a call names none: the run's id */
    bool only_pad;   /* no tools of ours that act outside the pad */
    bool unconfined; /* run commands also where they cannot be confined */
    /* Commands of external servers (mcp/client.h), whose tools come after all others; ends with
     * NULL. */
    const char *const *servers;
    int64_t
        server_ms; /* without an answer or progress, for a call of theirs; 0: as client.h says */
    Buf *left_out; /* may be NULL: gets a sentence a line about tools that are not offered */
    size_t inline_max; /* bytes above which a result is spilled; 0: SINK_INLINE_BYTES */
} ActOptions;

typedef struct Act Act;

/* JOT_NOT_FOUND: no such directory, or a rule of the policy names nothing there is.  JOT_INVALID:
 * the working directory lies inside the pad.  JOT_UNAVAILABLE: an external server does not start.
 * `o` is borrowed only for the call, but for what it
 * points to. */
MUST_USE jot_status act_open(Act **out, const ActOptions *o, Err *e);
void act_close(Act *a); /* NULL is fine */
DEFINE_AUTO_PTR(Act, act_close)

/* Name the plan later, once the run has begun; borrowed. */
void act_set_plan(Act *a, Str plan);

/* --- The tools --------------------------------------------------------------------------- */

/* The i-th tool, always in the same order, or NULL after the last; tool_input_schema() and the
 * table say the rest. */
const Tool *act_tool_at(const Act *a, size_t i);
/* NULL: there is none of this name. */
const Tool *act_tool_find(const Act *a, Str name);

/* True if a call must not be made a second time by itself: it is recorded as mutating.  A tool that
 * is not there changes nothing. */
bool act_mutates(const Act *a, const Call *call);

/* --- Calling ----------------------------------------------------------------------------- */

/* JOT_CANCELLED: cancelled() said so, while it ran; it may have acted.  Other failures are of the
 * pad, in which the result could not be kept; out->text is then what the tool said, if it ran.
 * Only results of calls that did not fail are kept in the sink. */
MUST_USE jot_status act_call(Act *a, const Call *call, Arena *into, Reply *out, Err *e);

/* The reply of a call that was made before, as act_call gave it.  JOT_NOT_FOUND: no result of it
 * was kept. */
MUST_USE jot_status act_recall(Act *a, Str id, Arena *into, Reply *out, Err *e);

/* --- For the tools here ------------------------------------------------------------------ */

/* A ToolCall's `outside` points to the Act. */
Workdir *act_workdir(Act *a);
/* How commands are confined; found out once.  JOT_UNSUPPORTED: they cannot be. */
MUST_USE jot_status act_confinement(Act *a, ConfineHow *out, Err *e);
const Policy *act_policy(const Act *a);
bool act_cancelled(const Act *a);
void act_report_planted(const Act *a, const PlantReport *r);

/* Any bytes as text: each that is not part of well-formed UTF-8 becomes U+FFFD and is counted. */
Str act_text(Arena *into, Str bytes, size_t *replaced);

#endif
