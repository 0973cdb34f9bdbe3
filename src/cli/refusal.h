/* refusal.h - failures that carry more than a sentence, for programs. */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

#include "cli/cmd.h"

/* Returns the status.  With --json the failure is printed with one member more, `key`: what stands
 * in the way, for instance.  Takes the reference; NULL adds nothing. */
jot_status refuse_with(Session *s, jot_status st, const char *key, json_t *more);

/* Every value of an option that may be given more than once, and how many there are.  Whoever takes
 * fewer than that says so. */
size_t opt_all(Session *s, const char *name, Str **out);

#endif
