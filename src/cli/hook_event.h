/* hook_event.h - HookEvent, what another program's hook tells, whichever program it is.
 *
 * Programs give their hooks one JSON object on standard input.  Claude Code, Codex and Gemini CLI
 * agree on most of it: `session_id`, `cwd`, `hook_event_name`, `tool_name`, `tool_input`,
 * `tool_response`.  One table says which event of which program means what, and where its text
 * is.  What is not understood is nothing, never an error: programs add events and tools. */
#ifndef CLI_HOOK_EVENT_H
#define CLI_HOOK_EVENT_H

#include "base/arena.h"
#include "base/json.h"
#include "memory/run/session.h"

typedef enum HookDeed {
    HOOK_NOTHING,
    HOOK_BEGIN,  /* a session begins, is continued, cleared or compacted: it wants a context */
    HOOK_RECORD, /* something to record */
    HOOK_END,
} HookDeed;

typedef struct HookEvent {
    HookDeed deed;
    const char *name; /* as the program calls it; a constant */
    Str session, cwd; /* empty: it did not say */
    SessionKind kind; /* HOOK_RECORD: of what ... */
    Str text;         /* ... and what; borrowed from the object or in the arena */
} HookEvent;

/* A program that has hooks. */
typedef struct HookClient {
    const char *name;
    const char *const *events; /* that are installed, ends in NULL */
} HookClient;

/* NULL: there is no such program, or it has no hooks that a command can be. */
const HookClient *hook_client(Str name);

HookEvent hook_event_read(const json_t *object, Arena *into);

#endif
