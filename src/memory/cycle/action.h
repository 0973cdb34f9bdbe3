/* action.h - Action, what a model's reply asks for, and what that does to a state.
 *
 * A reply holds one JSON object, {"tool": NAME, "args": {...}}, alone or inside
 * prose.  Two names are ours: update_scratchpad changes the state, done ends the
 * cycle.  Every other tool is run by somebody else, who brings its result.
 *
 * All of this is a pure function of state and texts: folding the same steps
 * again gives the same bytes.  Nothing here fails: whatever is wrong with a reply
 * becomes an entry of the notes, which the model reads in its next iteration. */
#ifndef MEMORY_CYCLE_ACTION_H
#define MEMORY_CYCLE_ACTION_H

#include "memory/cycle/cycle_state.h"

enum {
    ACTION_REPLY_MAX = 1024 * 1024, /* bytes of a reply, and of a tool's result */
    ACTION_SUMMARY_CHARS = 2000,    /* of a finished task's summary */
};

typedef enum ActionKind {
    ACTION_UNREADABLE, /* no JSON object with a tool in it */
    ACTION_TOOL,       /* a tool of somebody else's */
    ACTION_UPDATE,
    ACTION_DONE,
    ACTION_REDACTED, /* the reply is gone: nobody knows what it asked for */
} ActionKind;

typedef struct Action {
    ActionKind kind;
    Str tool;
    Str args; /* a JSON object, compact */
    Str why;  /* of an unreadable one: the rest of its entry */
} Action;

/* Read a reply: all of it if that is a JSON object, else the first balanced object in it that
 * names a tool.  The texts live in `into`. */
Action action_parse(Str reply, Arena *into);

/* What stands for a reply that was redacted. */
Action action_redacted(void);

/* The state after an action, in `a`; `state` is left alone.  A tool changes nothing until its
 * result comes.  *said is the entry that was added, or empty. */
Yaml *action_apply(Arena *a, const Yaml *state, const Action *x, Str *said);

/* True of the name of a tool that somebody else runs. */
bool action_is_outside(Str tool);

/* How a tool ended. */
typedef enum ToolEnd { TOOL_OK, TOOL_FAILED, TOOL_UNKNOWN } ToolEnd;

typedef struct ToolResult {
    ToolEnd end;
    Str text; /* any bytes */
    Str key;  /* under which all of it can be read; empty: nowhere */
} ToolResult;

/* The state after the result of a tool: one more entry.  Of a long result it holds the beginning,
 * and how to read on: the tool, the key and the first character that is missing. */
Yaml *action_result(Arena *a, const Yaml *state, const Action *call, const ToolResult *result,
                    Str *said);

/* "tool", "update", "done", "unreadable", "redacted". */
const char *action_name(ActionKind kind);

/* {"action": "tool", "tool": NAME, "args": {...}}; the caller owns it. */
json_t *action_json(const Action *x);

#endif
