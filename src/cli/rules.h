/* rules.h - approving notes as rules, by a person at a terminal. */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "cli/cmd.h"

/* --- After a change (cmd_rules.c) ----------------------------------------------------- */

/* A document was changed: if it could be a rule and is not approved as it is now, ask the person at
 * the terminal for it, or say what would approve it.  Never fails: the change stands. */
void rules_offer(Session *s, Str stream);

#endif
