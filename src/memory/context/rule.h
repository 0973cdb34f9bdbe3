/* rule.h - Rule, a note that may instruct a model, because its user has approved its text.
 *
 * The note `persistent-rules` and the notes whose keys begin with `pinned-` are shown to
 * a model before anything else.  Whether they are shown as rules or as information does not
 * depend on who seems to have written them: an agent that has read a hostile page, another
 * program over MCP, and anyone who may write the pad's files can all write notes, under any
 * name.  A person reads the text and approves it:
 *
 *   - an approval is of one key and the SHA-256 of one text, in one pad (store_id);
 *     another text is not approved, and neither is the same one under another key;
 *   - the newest approval of a key counts; an older text that comes back does not;
 *   - approvals lie in the user's state directory (home.h), in the file `rules-ID` of the
 *     pad, never in the pad;
 *   - no tool and no door of an agent gives one.  rules_approve() is for a command that
 *     has shown the text to a person, who said yes.
 *
 * This is no defence against a process of the same user that is not confined: it can
 * write the state directory as the user can. */
#ifndef MEMORY_CONTEXT_RULE_H
#define MEMORY_CONTEXT_RULE_H

#include "memory/memory.h"

/* The note whose text comes first, and what the keys of other pinned notes begin with. */
#define RULE_FIRST "persistent-rules"
#define RULE_PINNED "pinned-"

enum {
    RULE_BYTES_MAX = 64 * 1024, /* of a text that can be approved: nobody reads more */
    RULES_MAX = 1000,           /* approvals of one pad */
};

/* True for the keys whose notes can be rules. */
bool rule_key(Str key);

typedef struct Approval {
    Str key;
    Hash sha256;
    Str at; /* when it was given, UTC */
} Approval;

/* What is approved in a pad, RULE_FIRST first, then by key. */
typedef struct Approvals {
    Approval *items;
    size_t n;
    Err why; /* if the state directory cannot be believed, and so nothing is approved: the reason */
} Approvals;

/* A pad without an id, a user without a state directory, or with one that others may write, has
 * none.  Other failures of reading are failures.  Lives in `into`. */
MUST_USE jot_status rules_read(Memory *m, Arena *into, Approvals *out, Err *e);

typedef enum RuleState {
    RULE_NOT,     /* not approved */
    RULE_CHANGED, /* another text was */
    RULE_APPROVED,
} RuleState;

RuleState rules_judge(const Approvals *a, Str key, Str text);

/* Remember that a person approved this text.  JOT_INVALID: no key of a rule, no text, not UTF-8.
 * JOT_TOO_BIG beyond RULE_BYTES_MAX or RULES_MAX.  JOT_UNSUPPORTED: the pad has no id. */
MUST_USE jot_status rules_approve(Memory *m, Str key, Str text, Err *e);
/* The same checks, without remembering anything. */
MUST_USE jot_status rules_check(Memory *m, Str key, Str text, Err *e);

/* Forget it.  JOT_NOT_FOUND: there was no approval of this key. */
MUST_USE jot_status rules_revoke(Memory *m, Str key, Err *e);

/* The keys of the notes that are there and could be rules, RULE_FIRST first, then by key; at most
 * STORE_LIST_MAX + 1.  Live in `into`. */
MUST_USE jot_status rules_keys(Memory *m, Arena *into, Str **out, size_t *n, Err *e);

#endif
