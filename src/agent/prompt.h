/* prompt.h - Prompt, what a model reads before anything else.
 *
 * Made once, when a run begins, and recorded in it: a file that is edited later
 * changes the next run, never one that is resumed.  In this order:
 *
 *   what the agent is, and how to use the pad
 *   how to ask for tools, if the model has no way of its own
 *   the rules file, its placeholders filled in
 *   AGENTS.md and CLAUDE.md of every directory from the root down to the working
 *     directory, so that the nearest comes last; not those of other users, which anybody
 *     could put into a directory like /tmp.  Those of directories below come later, when
 *     something there is touched (prompt_nested.h)
 *   of the note persistent-rules and the notes pinned-*: those whose text the user has
 *     approved (memory/rule.h), as rules; then the others, as information, each a part of the
 *     frame (frame.h)
 *
 * A placeholder is {{HOSTNAME}}, {{WORKING_DIR}}, {{DATE}} (UTC) or {{AGENT}}; anything
 * else in braces is left as it is. */
#ifndef AGENT_PROMPT_H
#define AGENT_PROMPT_H

#include <sys/stat.h>

#include "llm/llm.h"
#include "memory/frame/frame.h"
#include "memory/memory.h"

enum {
    PROMPT_FILE_MAX =
        64 * 1024, /* bytes of one file of rules; what is longer is cut, which both get to know */
    PROMPT_MAX = 512 * 1024, /* bytes of all */
    PROMPT_LEVELS_MAX = 64,  /* directories that are looked into */
};

typedef struct PromptAsk {
    Memory *m;
    Str rules;     /* of the rules file, UTF-8; empty: one sentence stands for it */
    Str dir;       /* the working directory, absolute */
    Str agent;     /* who works */
    bool no_files; /* leave AGENTS.md and CLAUDE.md alone */
    Frame frame;   /* notes are quoted in it; without a sign one is drawn that none of them holds */
    Str query;     /* which must not hold it either */
    bool met;      /* some of them do: prompt_build's own */
    Buf *left_out; /* may be NULL: gets a sentence a line about what the model is not shown */
    /* For a model without tool calls of its own: */
    bool json;
    const LlmTool *tools;
    size_t tools_n;
} PromptAsk;

/* JOT_INVALID: a file of rules is not UTF-8.  JOT_TOO_BIG beyond PROMPT_MAX.  Lives in `into`; the
 * frame it is in is left in ask->frame. */
MUST_USE jot_status prompt_build(PromptAsk *ask, Arena *into, Str *out, Err *e);

/* The same for a cycle: the agent's state is in the messages, and there is one action a reply.  Its
 * frame is the pad's. */
MUST_USE jot_status prompt_build_cycle(PromptAsk *ask, Arena *into, Str *out, Err *e);

/* Rules are obeyed, so they must not come from somebody else: a file counts if it is our own or
 * root's; for root, who works for others, also if not everybody may put one there. */
bool prompt_trusts(const char *path, const struct stat *info);

/* Replace the placeholders. */
void prompt_fill(Str rules, const PromptAsk *ask, Buf *to);

#endif
