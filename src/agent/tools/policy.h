/* policy.h - Policy, what an agent may do without asking, and what it may not do at all.
 *
 * A rule is an answer (allow, ask, deny) for a tool by its name, for all tools
 * whose names begin alike (`mcp_files_*`), for an effect, or for `all`.  The most
 * particular rule counts, in this order; of two that are equally particular the
 * stricter one.  So the order in which rules are given means nothing.  A tool with
 * several effects gets the strictest of their answers.
 *
 * Words of the form `plant:NAME` are about files that other programs run or obey
 * (base/obeyed.h), by their names there, or `plant:all`.  They can be allowed or denied,
 * and are never asked for; `all` does not mean them.
 *
 * Without rules, what only reads and what only adds to the pad (where nothing is
 * lost) is allowed, and everything else is asked for. */
#ifndef AGENT_TOOLS_POLICY_H
#define AGENT_TOOLS_POLICY_H

#include "tool/tool.h"

enum {
    POLICY_RULES_MAX = 64,
    POLICY_WORD_MAX = TOOL_NAME_MAX + 1, /* bytes: a name and a '*' */
};

/* From the mildest to the strictest. */
typedef enum PolicyAnswer { POLICY_ALLOW = 1, POLICY_ASK, POLICY_DENY } PolicyAnswer;

typedef enum PolicyEffect {
    POLICY_READ = 1,      /* looks at the pad, or at files of the working directory */
    POLICY_PAD = 2,       /* adds to the pad */
    POLICY_WRITE = 4,     /* writes files of the working directory */
    POLICY_OUTSIDE = 8,   /* reads files elsewhere */
    POLICY_NETWORK = 16,  /* talks to other machines */
    POLICY_EXECUTE = 32,  /* runs programs */
    POLICY_MCP = 64,      /* is a tool of an external server */
    POLICY_PRIVATE = 128, /* talks to this machine and to private networks */
} PolicyEffect;

typedef struct PolicyRule {
    PolicyAnswer answer;
    char word[POLICY_WORD_MAX + 1];
} PolicyRule;

typedef struct Policy {
    PolicyRule rules[POLICY_RULES_MAX];
    size_t n;
} Policy;

/* Add a rule for each word of "shell,network".  JOT_INVALID: a word is neither an effect nor looks
 * like a tool's name; nothing is added then. */
MUST_USE jot_status policy_add(Policy *p, PolicyAnswer answer, Str words, Err *e);

/* JOT_INVALID: a rule names nothing the host has; the sentence says which word. */
MUST_USE jot_status policy_check(const Policy *p, const ToolHost *h, Err *e);

PolicyAnswer policy_for_tool(const Policy *p, const Tool *t);
PolicyAnswer policy_for_effect(const Policy *p, PolicyEffect effect);
/* True if files of this name (a row of base/obeyed.h) may be written. */
bool policy_allows_plant(const Policy *p, const char *name);

/* Effects as bits of PolicyEffect. */
unsigned policy_effects(const Tool *t);
/* "write, network": for people.  Lives in `into`. */
Str policy_effect_names(unsigned set, Arena *into);
/* The i-th word that a rule may have besides names of tools: effects, `all`, and `plant:` with each
 * name; empty after the last.  Lives in `into`. */
Str policy_word(size_t i, Arena *into);

#endif
